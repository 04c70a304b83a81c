//! What stands in the place of the engine when a C program is tested: the functions that give it input, reading the
//! test's.
//!
//! They have names of their own, and the linker's names by a label: the program may declare them as it likes. They
//! are weak: the program's own win.

/// A function that a program may call, and its code after the signature's label.
pub struct Stand {
    pub name: &'static str,
    pub result: &'static str,
    pub parameters: &'static str,
    pub body: &'static str,
}

const fn stand(
    result: &'static str,
    name: &'static str,
    parameters: &'static str,
    body: &'static str,
) -> Stand {
    Stand {
        name,
        result,
        parameters,
        body,
    }
}

const STANDS: &[Stand] = &[
    stand(
        "void",
        "klee_make_symbolic",
        "void *address, unsigned long size, const char *name",
        "refrain_fill(address, size, refrain_named(name));",
    ),
    stand(
        "void",
        "__VERIFIER_nondet_memory",
        "void *address, unsigned long size",
        "refrain_fill(address, size, \"nondet_memory\");",
    ),
    stand(
        "void",
        "klee_assume",
        "unsigned long condition",
        "if (!condition) refrain_misfit();",
    ),
    stand(
        "void",
        "__VERIFIER_assume",
        "int condition",
        "if (!condition) refrain_misfit();",
    ),
    stand(
        "int",
        "klee_int",
        "const char *name",
        "int value;\n    refrain_fill(&value, sizeof value, refrain_named(name));\n    return value;",
    ),
    stand(
        "int",
        "klee_range",
        "int begin, int end, const char *name",
        "int value;\n    if (begin >= end) abort();\n    refrain_fill(&value, sizeof value, refrain_named(name));\n    if (value < begin || value >= end) refrain_misfit();\n    return value;",
    ),
    stand(
        "unsigned long",
        "klee_choose",
        "unsigned long count",
        "unsigned long value;\n    if (count == 0) abort();\n    refrain_fill(&value, sizeof value, \"klee_choose\");\n    if (value >= count) refrain_misfit();\n    return value;",
    ),
    stand(
        "unsigned",
        "klee_is_symbolic",
        "unsigned long value",
        "(void)value;\n    return 0;",
    ),
    stand("unsigned", "klee_is_replay", "void", "return 0;"),
    stand(
        "void",
        "klee_prefer_cex",
        "void *object, unsigned long condition",
        "(void)object, (void)condition;",
    ),
    stand(
        "void",
        "klee_posix_prefer_cex",
        "void *object, unsigned long condition",
        "(void)object, (void)condition;",
    ),
    stand("void", "klee_mark_global", "void *object", "(void)object;"),
    stand("void", "klee_open_merge", "void", ""),
    stand("void", "klee_close_merge", "void", ""),
    stand("void", "klee_merge", "void", ""),
    stand(
        "void",
        "klee_set_forking",
        "unsigned enable",
        "(void)enable;",
    ),
    stand(
        "void",
        "klee_alias_function",
        "const char *name, const char *other",
        "(void)name, (void)other;",
    ),
    stand(
        "void",
        "klee_check_memory_access",
        "const void *address, unsigned long size",
        "(void)address, (void)size;",
    ),
    stand("void", "klee_stack_trace", "void", ""),
    stand("int", "klee_get_errno", "void", "return errno;"),
    stand(
        "signed char",
        "klee_get_value_i8",
        "signed char value",
        "return value;",
    ),
    stand(
        "short",
        "klee_get_value_i16",
        "short value",
        "return value;",
    ),
    stand("int", "klee_get_value_i32", "int value", "return value;"),
    stand("long", "klee_get_value_i64", "long value", "return value;"),
    stand(
        "unsigned char",
        "klee_get_value_u8",
        "unsigned char value",
        "return value;",
    ),
    stand(
        "unsigned short",
        "klee_get_value_u16",
        "unsigned short value",
        "return value;",
    ),
    stand(
        "unsigned",
        "klee_get_value_u32",
        "unsigned value",
        "return value;",
    ),
    stand(
        "unsigned long",
        "klee_get_value_u64",
        "unsigned long value",
        "return value;",
    ),
    stand("long", "klee_get_valuel", "long value", "return value;"),
    stand(
        "long long",
        "klee_get_valuell",
        "long long value",
        "return value;",
    ),
    stand("float", "klee_get_valuef", "float value", "return value;"),
    stand("double", "klee_get_valued", "double value", "return value;"),
    stand("float", "klee_get_value_f", "float value", "return value;"),
    stand(
        "double",
        "klee_get_value_d",
        "double value",
        "return value;",
    ),
    stand(
        "void *",
        "klee_get_value_ptr",
        "void *value",
        "return value;",
    ),
    stand(
        "unsigned long",
        "klee_get_obj_size",
        "void *object",
        "(void)object;\n    refrain_misfit();\n    return 0;",
    ),
    stand(
        "void",
        "klee_define_fixed_object",
        "void *address, unsigned long size",
        "(void)address, (void)size;\n    refrain_misfit();",
    ),
    stand(
        "void",
        "klee_silent_exit",
        "int status",
        "(void)status;\n    refrain_misfit();",
    ),
    stand("void", "klee_abort", "void", "abort();"),
    stand(
        "void",
        "klee_report_error",
        "const char *file, int line, const char *message, const char *suffix",
        "(void)file, (void)line, (void)message, (void)suffix;\n    abort();",
    ),
    stand(
        "void",
        "klee_warning",
        "const char *message",
        "(void)message;",
    ),
    stand(
        "void",
        "klee_warning_once",
        "const char *message",
        "(void)message;",
    ),
    stand(
        "void",
        "klee_print_expr",
        "const char *message, ...",
        "(void)message;",
    ),
    stand(
        "void",
        "klee_print_range",
        "const char *name, int value",
        "(void)name, (void)value;",
    ),
    stand("void", "reach_error", "void", "abort();"),
    stand("void", "__VERIFIER_error", "void", "abort();"),
    stand(
        "void",
        "__VERIFIER_assert",
        "int condition",
        "if (!condition) abort();",
    ),
    stand("void", "__VERIFIER_atomic_begin", "void", ""),
    stand("void", "__VERIFIER_atomic_end", "void", ""),
];

/// What `__VERIFIER_nondet_…` makes: a value of this type. Of the two that are Boolean, any byte but zero is true.
const NONDETS: &[(&str, &str)] = &[
    ("bool", "unsigned char"),
    ("_Bool", "unsigned char"),
    ("char", "char"),
    ("schar", "signed char"),
    ("uchar", "unsigned char"),
    ("unsigned_char", "unsigned char"),
    ("short", "short"),
    ("ushort", "unsigned short"),
    ("int", "int"),
    ("uint", "unsigned"),
    ("unsigned", "unsigned"),
    ("unsigned_int", "unsigned"),
    ("long", "long"),
    ("ulong", "unsigned long"),
    ("longlong", "long long"),
    ("ulonglong", "unsigned long long"),
    ("int8", "signed char"),
    ("uint8", "unsigned char"),
    ("int16", "short"),
    ("uint16", "unsigned short"),
    ("int32", "int"),
    ("uint32", "unsigned"),
    ("int64", "long"),
    ("uint64", "unsigned long"),
    ("u8", "unsigned char"),
    ("u16", "unsigned short"),
    ("u32", "unsigned"),
    ("u64", "unsigned long"),
    ("S8", "signed char"),
    ("U8", "unsigned char"),
    ("U16", "unsigned short"),
    ("U32", "unsigned"),
    ("size_t", "unsigned long"),
    ("ptrdiff_t", "long"),
    ("loff_t", "long"),
    ("sector_t", "unsigned long"),
    ("pthread_t", "unsigned long"),
    ("time_t", "long"),
    ("charp", "char *"),
    ("pchar", "char *"),
    ("pointer", "void *"),
    ("const_char_pointer", "const char *"),
    ("float", "float"),
    ("double", "double"),
];

/// The code of those functions that are wanted.
pub fn stands(is_wanted: impl Fn(&str) -> bool) -> String {
    let mut code = String::new();
    let mut add = |name: &str, result: &str, parameters: &str, body: &str| {
        code += &format!("{result} refrain_{name}({parameters}) __asm__(\"{name}\");\n");
        code += &format!("__attribute__((weak)) {result} refrain_{name}({parameters}) {{\n");
        if !body.is_empty() {
            code += &format!("    {body}\n");
        }
        code += "}\n\n";
    };
    for stand in STANDS.iter().filter(|stand| is_wanted(stand.name)) {
        add(stand.name, stand.result, stand.parameters, stand.body);
    }
    for (kind, ty) in NONDETS {
        let name = format!("__VERIFIER_nondet_{kind}");
        if is_wanted(&name) {
            let value = match *kind {
                "bool" | "_Bool" => "value != 0",
                _ => "value",
            };
            let body = format!(
                "{ty} value;\n    refrain_fill(&value, sizeof value, \"nondet_{kind}\");\n    return {value};"
            );
            add(&name, ty, "void", &body);
        }
    }
    code
}

/// How tests are kept, and how one of them gives its inputs.
pub const TESTS: &str = include_str!("runtime/tests.c");

/// Runs every test in a process of its own, which is this program again.
pub const RUNNER: &str = include_str!("runtime/runner.c");
