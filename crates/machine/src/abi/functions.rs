//! The functions by which a program speaks to a machine, and what stands for each where there is none.

/// A function, and its code in C and in Rust. The code calls what the rest of a runtime provides: see [`super::c`] and
/// [`super::rust`].
pub struct Function {
    pub name: String,
    pub(super) c: C,
    pub(super) rust: Rust,
}

/// Result, parameters and body.
pub(super) struct C(pub String, pub String, pub String);

/// Parameters with the result, and body.
pub(super) struct Rust(pub String, pub String);

/// A name; result, parameters and body in C; parameters with the result, and body in Rust.
type Row = (
    &'static str,
    (&'static str, &'static str, &'static str),
    (&'static str, &'static str),
);

const FUNCTIONS: &[Row] = &[
    (
        "klee_make_symbolic",
        (
            "void",
            "void *address, unsigned long size, const char *name",
            "refrain_fill(address, size, refrain_named(name));",
        ),
        (
            "(address: *mut u8, size: usize, name: *const std::ffi::c_char)",
            "unsafe { address.copy_from(take(&name_of(name), size).as_ptr(), size) }",
        ),
    ),
    (
        "__VERIFIER_nondet_memory",
        (
            "void",
            "void *address, unsigned long size",
            "refrain_fill(address, size, \"nondet_memory\");",
        ),
        (
            "(address: *mut u8, size: usize)",
            "unsafe { address.copy_from(take(\"nondet_memory\", size).as_ptr(), size) }",
        ),
    ),
    (
        "klee_assume",
        (
            "void",
            "unsigned long condition",
            "if (!condition) refrain_contradict(\"an assumption does not hold\");",
        ),
        (
            "(condition: usize)",
            "assert!(condition != 0, \"an assumption does not hold\")",
        ),
    ),
    (
        "__VERIFIER_assume",
        (
            "void",
            "int condition",
            "if (!condition) refrain_contradict(\"an assumption does not hold\");",
        ),
        (
            "(condition: i32)",
            "assert!(condition != 0, \"an assumption does not hold\")",
        ),
    ),
    (
        "klee_int",
        (
            "int",
            "const char *name",
            "int value;\n    refrain_fill(&value, sizeof value, refrain_named(name));\n    return value;",
        ),
        (
            "(name: *const std::ffi::c_char) -> i32",
            "int(take(&unsafe { name_of(name) }, 4))",
        ),
    ),
    (
        "klee_range",
        (
            "int",
            "int begin, int end, const char *name",
            "int value;\n    if (begin >= end) abort();\n    refrain_fill(&value, sizeof value, refrain_named(name));\n    if (value < begin || value >= end) refrain_contradict(\"an input is out of its range\");\n    return value;",
        ),
        (
            "(begin: i32, end: i32, name: *const std::ffi::c_char) -> i32",
            "let value = int(take(&unsafe { name_of(name) }, 4));\n    assert!((begin..end).contains(&value), \"an assumption does not hold\");\n    value",
        ),
    ),
    (
        "klee_choose",
        (
            "unsigned long",
            "unsigned long count",
            "unsigned long value;\n    if (count == 0) abort();\n    refrain_fill(&value, sizeof value, \"klee_choose\");\n    if (value >= count) refrain_contradict(\"an input is out of its range\");\n    return value;",
        ),
        (
            "(count: usize) -> usize",
            "let value = take(\"klee_choose\", 8).try_into().map_or(0, usize::from_ne_bytes);\n    assert!(value < count, \"an assumption does not hold\");\n    value",
        ),
    ),
    (
        "klee_is_symbolic",
        (
            "unsigned",
            "unsigned long value",
            "(void)value;\n    return 0;",
        ),
        ("(_value: usize) -> u32", "0"),
    ),
    (
        "klee_is_replay",
        ("unsigned", "void", "return 0;"),
        ("() -> u32", "0"),
    ),
    (
        "klee_prefer_cex",
        (
            "void",
            "void *object, unsigned long condition",
            "(void)object, (void)condition;",
        ),
        ("(_object: *mut u8, _condition: usize)", ""),
    ),
    (
        "klee_posix_prefer_cex",
        (
            "void",
            "void *object, unsigned long condition",
            "(void)object, (void)condition;",
        ),
        ("(_object: *mut u8, _condition: usize)", ""),
    ),
    (
        "klee_mark_global",
        ("void", "void *object", "(void)object;"),
        ("(_object: *mut u8)", ""),
    ),
    ("klee_open_merge", ("void", "void", ""), ("()", "")),
    ("klee_close_merge", ("void", "void", ""), ("()", "")),
    ("klee_merge", ("void", "void", ""), ("()", "")),
    (
        "klee_set_forking",
        ("void", "unsigned enable", "(void)enable;"),
        ("(_enable: u32)", ""),
    ),
    (
        "klee_alias_function",
        (
            "void",
            "const char *name, const char *other",
            "(void)name, (void)other;\n    refrain_cannot(\"klee_alias_function has no native counterpart\");",
        ),
        (
            "(_name: *const u8, _other: *const u8)",
            "panic!(\"klee_alias_function has no native counterpart\")",
        ),
    ),
    (
        "klee_check_memory_access",
        (
            "void",
            "const void *address, unsigned long size",
            "(void)address, (void)size;",
        ),
        ("(_address: *const u8, _size: usize)", ""),
    ),
    ("klee_stack_trace", ("void", "void", ""), ("()", "")),
    (
        "klee_get_errno",
        ("int", "void", "return errno;"),
        ("() -> i32", "0"),
    ),
    (
        "klee_get_obj_size",
        (
            "unsigned long",
            "void *object",
            "(void)object;\n    refrain_cannot(\"klee_get_obj_size has no native counterpart\");\n    return 0;",
        ),
        (
            "(_object: *mut u8) -> usize",
            "panic!(\"klee_get_obj_size has no native counterpart\")",
        ),
    ),
    (
        "klee_define_fixed_object",
        (
            "void",
            "void *address, unsigned long size",
            "(void)address, (void)size;\n    refrain_cannot(\"klee_define_fixed_object has no native counterpart\");",
        ),
        (
            "(_address: *mut u8, _size: usize)",
            "panic!(\"klee_define_fixed_object has no native counterpart\")",
        ),
    ),
    (
        "klee_silent_exit",
        ("void", "int status", "(void)status;\n    refrain_silent();"),
        (
            "(_status: i32)",
            "panic!(\"the program ends its run silently\")",
        ),
    ),
    (
        "klee_abort",
        ("void", "void", "abort();"),
        ("()", "std::process::abort()"),
    ),
    (
        "klee_report_error",
        (
            "void",
            "const char *file, int line, const char *message, const char *suffix",
            "(void)file, (void)line, (void)suffix;\n    refrain_say(\"error: \", message);\n    abort();",
        ),
        (
            "(_file: *const u8, _line: i32, _message: *const u8, _suffix: *const u8)",
            "std::process::abort()",
        ),
    ),
    (
        "klee_warning",
        (
            "void",
            "const char *message",
            "refrain_say(\"warning: \", message);",
        ),
        ("(_message: *const std::ffi::c_char)", ""),
    ),
    (
        "klee_warning_once",
        (
            "void",
            "const char *message",
            "refrain_say(\"warning: \", message);",
        ),
        ("(_message: *const std::ffi::c_char)", ""),
    ),
    (
        "klee_print_expr",
        (
            "void",
            "const char *message, ...",
            "refrain_say(\"\", message);",
        ),
        ("(_message: *const u8)", ""),
    ),
    (
        "klee_print_range",
        (
            "void",
            "const char *name, int value",
            "refrain_say_number(name, value);",
        ),
        ("(_name: *const u8, _value: i32)", ""),
    ),
    (
        "reach_error",
        ("void", "void", "abort();"),
        ("()", "std::process::abort()"),
    ),
    (
        "__VERIFIER_error",
        ("void", "void", "abort();"),
        ("()", "std::process::abort()"),
    ),
    (
        "__VERIFIER_assert",
        ("void", "int condition", "if (!condition) abort();"),
        (
            "(condition: i32)",
            "if condition == 0 {\n        std::process::abort()\n    }",
        ),
    ),
    ("__VERIFIER_atomic_begin", ("void", "void", ""), ("()", "")),
    ("__VERIFIER_atomic_end", ("void", "void", ""), ("()", "")),
];

/// What `__VERIFIER_nondet_…` makes: a value of a type of C, or of Rust.
const NONDETS: &[(&str, &str, &str)] = &[
    ("char", "char", "i8"),
    ("schar", "signed char", "i8"),
    ("uchar", "unsigned char", "u8"),
    ("unsigned_char", "unsigned char", "u8"),
    ("short", "short", "i16"),
    ("ushort", "unsigned short", "u16"),
    ("int", "int", "i32"),
    ("uint", "unsigned", "u32"),
    ("unsigned", "unsigned", "u32"),
    ("unsigned_int", "unsigned", "u32"),
    ("long", "long", "i64"),
    ("ulong", "unsigned long", "u64"),
    ("longlong", "long long", "i64"),
    ("ulonglong", "unsigned long long", "u64"),
    ("int8", "signed char", "i8"),
    ("uint8", "unsigned char", "u8"),
    ("int16", "short", "i16"),
    ("uint16", "unsigned short", "u16"),
    ("int32", "int", "i32"),
    ("uint32", "unsigned", "u32"),
    ("int64", "long", "i64"),
    ("uint64", "unsigned long", "u64"),
    ("u8", "unsigned char", "u8"),
    ("u16", "unsigned short", "u16"),
    ("u32", "unsigned", "u32"),
    ("u64", "unsigned long", "u64"),
    ("S8", "signed char", "i8"),
    ("U8", "unsigned char", "u8"),
    ("U16", "unsigned short", "u16"),
    ("U32", "unsigned", "u32"),
    ("size_t", "unsigned long", "usize"),
    ("ptrdiff_t", "long", "isize"),
    ("loff_t", "long", "i64"),
    ("sector_t", "unsigned long", "u64"),
    ("pthread_t", "unsigned long", "u64"),
    ("time_t", "long", "i64"),
    ("charp", "char *", "usize"),
    ("pchar", "char *", "usize"),
    ("pointer", "void *", "usize"),
    ("const_char_pointer", "const char *", "usize"),
    ("float", "float", "f32"),
    ("double", "double", "f64"),
];

/// What `klee_get_value…` is of: natively it gives back what it is given.
const VALUES: &[(&str, &str, &str)] = &[
    ("_i8", "signed char", "i8"),
    ("_i16", "short", "i16"),
    ("_i32", "int", "i32"),
    ("_i64", "long", "i64"),
    ("_u8", "unsigned char", "u8"),
    ("_u16", "unsigned short", "u16"),
    ("_u32", "unsigned", "u32"),
    ("_u64", "unsigned long", "u64"),
    ("l", "long", "i64"),
    ("ll", "long long", "i64"),
    ("f", "float", "f32"),
    ("d", "double", "f64"),
    ("_f", "float", "f32"),
    ("_d", "double", "f64"),
    ("_ptr", "void *", "usize"),
];

/// All of them. A machine provides every one.
pub fn functions() -> Vec<Function> {
    let make = |name: &str, c: [&str; 3], rust: [&str; 2]| Function {
        name: name.into(),
        c: C(c[0].into(), c[1].into(), c[2].into()),
        rust: Rust(rust[0].into(), rust[1].into()),
    };
    let plain = FUNCTIONS.iter().map(|&(name, c, rust)| {
        let (result, parameters, body) = c;
        make(name, [result, parameters, body], [rust.0, rust.1])
    });
    // Any byte but zero is true.
    let truths = ["bool", "_Bool"].map(|kind| {
        let fill = format!("refrain_fill(&value, sizeof value, \"nondet_{kind}\");");
        let c = format!("unsigned char value;\n    {fill}\n    return value != 0;");
        let rust = format!("take(\"nondet_{kind}\", 1)[0] != 0");
        make(
            &format!("__VERIFIER_nondet_{kind}"),
            ["unsigned char", "void", &c],
            ["() -> bool", &rust],
        )
    });
    let nondets = NONDETS.iter().map(|(kind, c, rust)| {
        let fill = format!("refrain_fill(&value, sizeof value, \"nondet_{kind}\");");
        let code = format!("{c} value;\n    {fill}\n    return value;");
        let taken = format!("take(\"nondet_{kind}\", size_of::<{rust}>())");
        let value = format!(
            "{taken}.try_into().map_or_else(|_| Default::default(), {rust}::from_ne_bytes)"
        );
        make(
            &format!("__VERIFIER_nondet_{kind}"),
            [c, "void", &code],
            [&format!("() -> {rust}"), &value],
        )
    });
    let values = VALUES.iter().map(|(kind, c, rust)| {
        make(
            &format!("klee_get_value{kind}"),
            [c, &format!("{c} value"), "return value;"],
            [&format!("(value: {rust}) -> {rust}"), "value"],
        )
    });
    plain.chain(truths).chain(nondets).chain(values).collect()
}
