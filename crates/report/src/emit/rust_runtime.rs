//! What stands in the place of the engine when a Rust program is tested.

/// The inputs of the test that this process runs, and the functions that hand them out.
pub const INPUTS: &str = r#"/// What the program is given, by name, in the process of one test.
static INPUTS: std::sync::Mutex<Vec<(&str, &[u8])>> = std::sync::Mutex::new(Vec::new());

/// A name that was used before has a number: x, x_2, x_3.
#[allow(dead_code)]
fn take(name: &str, size: usize) -> &'static [u8] {
    let mut inputs = INPUTS.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let names = std::iter::once(name.to_string()).chain((2..).map(|number| format!("{name}_{number}")));
    let found = names.take(inputs.len() + 1_000).find_map(|name| inputs.iter().position(|(other, _)| *other == name));
    let bytes = found.map(|found| inputs.remove(found).1).filter(|bytes| bytes.len() == size);
    bytes.unwrap_or_else(|| panic!("the program takes other inputs than the test has: {name}, {size} bytes"))
}

#[allow(dead_code)]
unsafe fn name_of(name: *const std::ffi::c_char) -> String {
    match name.is_null() || unsafe { *name } == 0 {
        true => "unnamed".into(),
        false => unsafe { std::ffi::CStr::from_ptr(name) }.to_string_lossy().into_owned(),
    }
}

#[allow(dead_code)]
fn int(bytes: &[u8]) -> i32 {
    bytes.try_into().map_or(0, i32::from_ne_bytes)
}
"#;

/// Runs the whole program in a process of its own, which is the test again.
pub const CHECK: &str = r#"/// How a test ends.
#[allow(dead_code)]
enum End {
    Exits(i32),
    Panics(&'static str),
    /// By a signal.
    Dies,
    /// With any status but that of a panic.
    Ends,
}

/// Programs may end their process, and tests share theirs: so each is run in one of its own.
fn check(test: &str, inputs: &[(&'static str, &'static [u8])], end: End) {
    if std::env::var_os("REFRAIN_TEST").is_some() {
        INPUTS.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).extend_from_slice(inputs);
        run();
    }
    let module = module_path!().split_once("::").map_or("", |(_, module)| module);
    let output = std::process::Command::new(std::env::current_exe().expect("the tests have a file"))
        .args([&format!("{module}::{test}"), "--exact", "--include-ignored", "--nocapture", "--test-threads=1"])
        .env("REFRAIN_TEST", "1")
        .stdin(std::process::Stdio::null())
        .output()
        .expect("the tests can be started again");
    let said = String::from_utf8_lossy(&output.stderr);
    let status = output.status.code();
    match end {
        End::Exits(expected) => assert_eq!(status, Some(expected & 0xff), "{said}"),
        End::Panics(message) => assert!(status == Some(101) && said.contains(message), "{status:?}: {said}"),
        End::Dies => assert_eq!(status, None, "{said}"),
        End::Ends => assert!(status.is_some_and(|status| status != 101), "{said}"),
    }
}
"#;

/// The program's `main`, and then the end of the process.
pub const RUN_PLAIN: &str = "fn run() -> ! {
    super::main();
    std::process::exit(0)
}
";

/// The same for one that returns something.
pub const RUN_RESULT: &str = r#"fn run() -> ! {
    let code = format!("{:?}", std::process::Termination::report(super::main()));
    let is_same = |status: &u8| format!("{:?}", std::process::ExitCode::from(*status)) == code;
    std::process::exit((0..=255).find(is_same).map_or(1, i32::from))
}
"#;

const STANDS: &[(&str, &str, &str)] = &[
    (
        "klee_make_symbolic",
        "(address: *mut u8, size: usize, name: *const std::ffi::c_char)",
        "unsafe { address.copy_from(take(&name_of(name), size).as_ptr(), size) }",
    ),
    (
        "__VERIFIER_nondet_memory",
        "(address: *mut u8, size: usize)",
        "unsafe { address.copy_from(take(\"nondet_memory\", size).as_ptr(), size) }",
    ),
    (
        "klee_assume",
        "(condition: usize)",
        "assert!(condition != 0, \"an assumption does not hold\")",
    ),
    (
        "__VERIFIER_assume",
        "(condition: i32)",
        "assert!(condition != 0, \"an assumption does not hold\")",
    ),
    (
        "klee_int",
        "(name: *const std::ffi::c_char) -> i32",
        "int(take(&unsafe { name_of(name) }, 4))",
    ),
    (
        "klee_range",
        "(begin: i32, end: i32, name: *const std::ffi::c_char) -> i32",
        "let value = int(take(&unsafe { name_of(name) }, 4));\n    assert!((begin..end).contains(&value), \"an assumption does not hold\");\n    value",
    ),
    (
        "klee_choose",
        "(count: usize) -> usize",
        "let value = take(\"klee_choose\", 8).try_into().map_or(0, usize::from_ne_bytes);\n    assert!(value < count, \"an assumption does not hold\");\n    value",
    ),
    ("klee_is_replay", "() -> u32", "0"),
    (
        "klee_posix_prefer_cex",
        "(_object: *mut u8, _condition: usize)",
        "",
    ),
    ("klee_mark_global", "(_object: *mut u8)", ""),
    ("klee_open_merge", "()", ""),
    ("klee_close_merge", "()", ""),
    ("klee_merge", "()", ""),
    ("klee_set_forking", "(_enable: u32)", ""),
    (
        "klee_alias_function",
        "(_name: *const u8, _other: *const u8)",
        "",
    ),
    (
        "klee_check_memory_access",
        "(_address: *const u8, _size: usize)",
        "",
    ),
    ("klee_stack_trace", "()", ""),
    ("klee_get_errno", "() -> i32", "0"),
    (
        "klee_get_obj_size",
        "(_object: *mut u8) -> usize",
        "panic!(\"klee_get_obj_size has no native counterpart\")",
    ),
    (
        "klee_define_fixed_object",
        "(_address: *mut u8, _size: usize)",
        "panic!(\"klee_define_fixed_object has no native counterpart\")",
    ),
    (
        "klee_report_error",
        "(_file: *const u8, _line: i32, _message: *const u8, _suffix: *const u8)",
        "std::process::abort()",
    ),
    ("klee_print_expr", "(_message: *const u8)", ""),
    ("klee_print_range", "(_name: *const u8, _value: i32)", ""),
    (
        "__VERIFIER_assert",
        "(condition: i32)",
        "if condition == 0 {\n        std::process::abort()\n    }",
    ),
    ("__VERIFIER_atomic_begin", "()", ""),
    ("__VERIFIER_atomic_end", "()", ""),
    (
        "klee_prefer_cex",
        "(_object: *mut u8, _condition: usize)",
        "",
    ),
    ("klee_is_symbolic", "(_value: usize) -> u32", "0"),
    ("klee_abort", "()", "std::process::abort()"),
    (
        "klee_silent_exit",
        "(_status: i32)",
        "panic!(\"the program ends its run silently\")",
    ),
    ("klee_warning", "(_message: *const std::ffi::c_char)", ""),
    (
        "klee_warning_once",
        "(_message: *const std::ffi::c_char)",
        "",
    ),
    ("__VERIFIER_error", "()", "std::process::abort()"),
    ("reach_error", "()", "std::process::abort()"),
];

const NONDETS: &[(&str, &str)] = &[
    ("char", "i8"),
    ("schar", "i8"),
    ("uchar", "u8"),
    ("short", "i16"),
    ("ushort", "u16"),
    ("int", "i32"),
    ("uint", "u32"),
    ("long", "i64"),
    ("ulong", "u64"),
    ("longlong", "i64"),
    ("ulonglong", "u64"),
    ("int8", "i8"),
    ("uint8", "u8"),
    ("int16", "i16"),
    ("uint16", "u16"),
    ("int32", "i32"),
    ("uint32", "u32"),
    ("int64", "i64"),
    ("uint64", "u64"),
    ("u8", "u8"),
    ("u16", "u16"),
    ("u32", "u32"),
    ("u64", "u64"),
    ("unsigned", "u32"),
    ("unsigned_int", "u32"),
    ("unsigned_char", "u8"),
    ("size_t", "usize"),
    ("ptrdiff_t", "isize"),
    ("time_t", "i64"),
    ("float", "f32"),
    ("double", "f64"),
];

/// What `klee_get_value…` is of: it gives back what it is given.
const VALUES: &[(&str, &str)] = &[
    ("_i8", "i8"),
    ("_i16", "i16"),
    ("_i32", "i32"),
    ("_i64", "i64"),
    ("_u8", "u8"),
    ("_u16", "u16"),
    ("_u32", "u32"),
    ("_u64", "u64"),
    ("l", "i64"),
    ("ll", "i64"),
    ("f", "f32"),
    ("d", "f64"),
    ("_f", "f32"),
    ("_d", "f64"),
    ("_ptr", "*mut u8"),
];

/// The code of those functions that are wanted.
pub fn stands(is_wanted: impl Fn(&str) -> bool) -> String {
    let mut code = String::new();
    let mut add = |name: &str, signature: &str, body: &str| {
        let body = if body.is_empty() {
            " {}".into()
        } else {
            format!(" {{\n    {body}\n}}")
        };
        code += &format!("\n#[unsafe(no_mangle)]\nextern \"C\" fn {name}{signature}{body}\n");
    };
    for (name, signature, body) in STANDS {
        if is_wanted(name) {
            add(name, signature, body);
        }
    }
    if is_wanted("__VERIFIER_nondet_bool") {
        add(
            "__VERIFIER_nondet_bool",
            "() -> bool",
            "take(\"nondet_bool\", 1)[0] != 0",
        );
    }
    for (kind, ty) in VALUES {
        let name = format!("klee_get_value{kind}");
        if is_wanted(&name) {
            add(&name, &format!("(value: {ty}) -> {ty}"), "value");
        }
    }
    for (kind, ty) in NONDETS {
        let name = format!("__VERIFIER_nondet_{kind}");
        if is_wanted(&name) {
            let body = format!(
                "take(\"nondet_{kind}\", size_of::<{ty}>()).try_into().map_or_else(|_| Default::default(), {ty}::from_ne_bytes)"
            );
            add(&name, &format!("() -> {ty}"), &body);
        }
    }
    code
}
