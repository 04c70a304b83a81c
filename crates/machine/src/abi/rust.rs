//! The functions in Rust.

use super::functions;

/// `name`: a name for the next input.
pub const NAMES: &str = r#"/// By name: how far inputs that were to have it have come.
static USED: std::sync::Mutex<std::collections::BTreeMap<String, u32>> =
    std::sync::Mutex::new(std::collections::BTreeMap::new());

/// No two inputs of a run share their names: the second x is x_2, unless there is an x_2 already.
#[allow(dead_code)]
fn name(wanted: &str) -> String {
    let mut used = USED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let mut name = wanted.to_string();
    let mut number = used.get(wanted).copied().unwrap_or(1);
    while used.contains_key(&name) {
        number += 1;
        name = format!("{wanted}_{number}");
    }
    used.insert(wanted.to_string(), number);
    used.entry(name.clone()).or_insert(1);
    name
}
"#;

/// The code of those functions that are wanted. What they call is `take` (name, size), the bytes of the next input of a
/// name; `name_of`, the name that a pointer leads to; and `int`, a number of four bytes.
pub fn code(is_wanted: impl Fn(&str) -> bool) -> String {
    let mut code = String::new();
    for function in functions() {
        let name = &function.name;
        if !is_wanted(name) {
            continue;
        }
        let super::functions::Rust(signature, body) = &function.rust;
        let body = match body.as_str() {
            "" => " {}".into(),
            body => format!(" {{\n    {body}\n}}"),
        };
        code += &format!("\n#[unsafe(no_mangle)]\nextern \"C\" fn {name}{signature}{body}\n");
    }
    code
}
