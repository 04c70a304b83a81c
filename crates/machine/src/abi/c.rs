//! The functions in C.

use super::functions;

/// `refrain_name`: a name for the next input. For C and C++, behind `<stdio.h>`, `<stdlib.h>` and `<string.h>`.
pub const NAMES: &str = include_str!("names.c");

/// The code of those functions that are wanted.
///
/// They have names of their own, and the linker's names by a label: the program may declare them as it likes. They are
/// weak: the program's own win. What they call is `refrain_fill` (address, size, name), which gives the bytes of the
/// next input of a name; `refrain_contradict` (what), where the test contradicts an assumption; `refrain_cannot`
/// (what), for what only a machine can do; `refrain_silent`, `refrain_say` (front, text) and `refrain_say_number`
/// (name, value); and `refrain_named`, a name even where the program gives none.
pub fn code(is_wanted: impl Fn(&str) -> bool) -> String {
    let mut code = String::new();
    for function in functions() {
        let name = &function.name;
        if !is_wanted(name) {
            continue;
        }
        let super::functions::C(result, parameters, body) = &function.c;
        let signature = format!("{result} refrain_{name}({parameters})");
        let body = match body.as_str() {
            "" => String::new(),
            body => format!("    {body}\n"),
        };
        code += &format!(
            "{signature} __asm__(\"{name}\");\n\
             __attribute__((weak, visibility(\"default\"))) {signature} {{\n{body}}}\n\n"
        );
    }
    code
}
