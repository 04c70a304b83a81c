//! Tests in C, for C and C++ programs: one file that is compiled together with the program.
//!
//! A whole program keeps its `main`: before it is entered, the tests start it again in a process for each, with the
//! test's arguments, and compare how it ends. A single function is called from a `main` of the tests, which include
//! the function's file; there the program's own `main` has another name. The call goes through a pointer of a type
//! that has the parameters' sizes, as results know nothing else of types.

use std::fmt::Write;
use std::path::Path;

use refrain_machine::{InputValue, Parameter};
use refrain_results::{Outcome, Run, Test};

use super::{
    Options, c_runtime, chosen, command, comment, is_deadly, needs_headers, needs_script,
    program_text, promise, source,
};
use crate::{ReportError, Results, places, words};

pub fn c(results: &Results, options: &Options) -> Result<String, ReportError> {
    let run = &results.run;
    let refuse = |why: String| Err(ReportError::Emit(why));
    let ending = run
        .program
        .extension()
        .unwrap_or_default()
        .to_string_lossy();
    if ending == "rs" {
        return refuse("the program is Rust: --as rust writes its tests".into());
    }
    if let Some(error) = needs_script(results) {
        return Err(error);
    }
    let is_source = matches!(&*ending, "c" | "cc" | "cpp" | "cxx" | "C");
    let is_function = is_function(run);
    if is_function && !is_source {
        return refuse(format!(
            "{} is no C source: only tests of a whole program can be written for it",
            run.program.display()
        ));
    }
    let text = if is_source {
        program_text(results)?
    } else {
        String::new()
    };
    // What other files call cannot be seen.
    let has_headers = text.contains("#include \"") || text.contains("refrain.h");
    let sees_all = is_source && run.with.is_empty() && !has_headers;
    let is_wanted = |name: &str| {
        let own = is_function && source::defines(&text, name);
        !own && (!sees_all || source::mentions(&text, name))
    };
    let tests = chosen(results, options);
    let mut code = header(results, options, tests.len());
    code += "\n#ifndef _DEFAULT_SOURCE\n#define _DEFAULT_SOURCE\n#endif\n";
    if is_function {
        code += &included(options, &run.program)?;
    }
    code += c_runtime::TESTS;
    code.push('\n');
    for test in &tests {
        code += &data(test);
    }
    code += &table(&tests, options, is_function);
    code.push('\n');
    code += c_runtime::NAMES;
    code.push('\n');
    code += c_runtime::RUNNER;
    code.push('\n');
    code += &c_runtime::code(is_wanted);
    code += &match is_function {
        true => call(run)?,
        false => START.to_string(),
    };
    Ok(code)
}

fn is_function(run: &Run) -> bool {
    !(run.entry.is_empty() || run.entry == "main")
}

const START: &str = "__attribute__((constructor)) static void refrain_start(void) {
    if (refrain_is_test()) return; /* and main is entered */
    exit(refrain_run_all());
}
";

fn header(results: &Results, options: &Options, tests: usize) -> String {
    let run = &results.run;
    let shown = |path: &Path| places::shown(&results.root, path);
    let name = options
        .file
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy();
    let folder = match shown(options.folder()) {
        folder if options.folder() == results.root || folder.is_empty() => ".".to_string(),
        folder => folder,
    };
    let is_cxx = run.program.extension().is_some_and(|ending| ending != "c")
        && run.program.extension().is_some_and(|ending| ending != "bc");
    let mut words = vec![if is_cxx { "c++" } else { "cc" }.to_string(), "-g".into()];
    words.extend(run.cflags.iter().cloned());
    if needs_headers(results) {
        words.extend(["-I".into(), folder]);
    }
    if is_function(run) && !run.with.is_empty() {
        words.push("-Dmain=refrain_program_main".into());
    }
    words.extend(["-o".into(), name.to_string(), shown(&options.file)]);
    if !is_function(run) {
        words.push(shown(&run.program));
    }
    words.extend(run.with.iter().map(|path| shown(path)));
    let compile = command(words.iter().map(String::as_str));
    let run_it = command([format!("./{name}").as_str()]);
    let plural = if tests == 1 { "" } else { "s" };
    let lines = [
        format!(
            "{tests} test{plural} of {}, written by Refrain {}.",
            shown(&run.program),
            run.version
        ),
        String::new(),
        format!("    {compile} && {run_it}"),
        String::new(),
        promise(results, options),
        "Errors that a process can survive show with -fsanitize=address,undefined.".into(),
    ];
    lines.iter().map(|line| comment(line) + "\n").collect()
}

/// The program's file, its `main` under another name.
fn included(options: &Options, program: &Path) -> Result<String, ReportError> {
    let path = options.seen(program);
    let path = path
        .to_str()
        .filter(|path| !path.contains(['"', '\\', '\n']));
    let Some(path) = path else {
        let why = format!("{} cannot be named in an #include", program.display());
        return Err(ReportError::Emit(why));
    };
    Ok(format!(
        "#ifndef main\n#define main refrain_program_main\n#endif\n#include \"{path}\"\n#undef main\n\n"
    ))
}

/// The inputs that the program makes itself; what was symbolic of its arguments is among them.
fn objects(test: &Test) -> impl Iterator<Item = &InputValue> {
    let inputs = test.inputs.iter();
    inputs.filter(|input| input.role.is_of_program())
}

/// Arguments and inputs of a test.
fn data(test: &Test) -> String {
    let number = test.number;
    let mut code = String::new();
    // Writing to a string does not fail.
    let args: String = test.args.iter().map(|arg| literal(arg) + ", ").collect();
    let _ = writeln!(
        code,
        "static const char *const refrain_args_{number}[] = {{{args}NULL}};"
    );
    if objects(test).next().is_some() {
        let _ = writeln!(
            code,
            "static const struct refrain_input refrain_inputs_{number}[] = {{"
        );
        for input in objects(test) {
            let (name, bytes) = (literal(input.name.as_bytes()), literal(&input.bytes));
            let value = match (input.floats(), input.number()) {
                (Some(floats), _) => {
                    let decimals: Vec<&str> = floats.iter().map(|(text, _)| &text[..]).collect();
                    format!(" /* {} */", decimals.join(", "))
                }
                (None, Some(number)) => format!(" /* {number} */"),
                (None, None) => String::new(),
            };
            let _ = writeln!(
                code,
                "    {{{name}, {bytes}, {}}},{value}",
                input.bytes.len()
            );
        }
        code += "};\n";
    }
    code
}

/// How a test is to end, and with which status.
fn end(test: &Test, options: &Options, is_function: bool) -> (&'static str, i32) {
    match &test.outcome {
        Outcome::Error(_) if options.errors_only => ("REFRAIN_ENDS", 0),
        Outcome::Error(fault) if is_deadly(fault) => ("REFRAIN_DIES", 0),
        Outcome::Error(_) => ("REFRAIN_MAY_DIE", 0),
        // What another function than main returns is no status.
        Outcome::Exit { status, .. } if !is_function => ("REFRAIN_EXITS", *status),
        Outcome::Exit { .. } | Outcome::Unfinished(_) => ("REFRAIN_ENDS", 0),
    }
}

fn table(tests: &[&Test], options: &Options, is_function: bool) -> String {
    let mut code = String::from("static const struct refrain_test refrain_tests[] = {\n");
    for test in tests {
        let number = test.number;
        let (end, status) = end(test, options, is_function);
        if let Outcome::Error(fault) = &test.outcome {
            code += &format!("    {}\n", comment(&words::headline(fault)));
        }
        let count = objects(test).count();
        let inputs = match count {
            0 => "NULL".to_string(),
            _ => format!("refrain_inputs_{number}"),
        };
        let _ = writeln!(
            code,
            "    {{\"{}\", refrain_args_{number}, {inputs}, {count}, {end}, {status}}},",
            test.name()
        );
    }
    code + "    {NULL, NULL, NULL, 0, REFRAIN_ENDS, 0},\n};\n"
}

/// Calls the function with what its parameters are in the test.
fn call(run: &Run) -> Result<String, ReportError> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    if !run.entry.chars().all(is_name) || run.entry.starts_with("_Z") {
        let why = format!(
            "{} cannot be named in a source: it is a symbol of the linker",
            run.entry
        );
        return Err(ReportError::Emit(why));
    }
    let (mut structures, mut body) = (String::new(), String::new());
    let (mut types, mut arguments) = (Vec::new(), Vec::new());
    for (index, parameter) in run.parameters.iter().enumerate() {
        let name = literal(parameter.name.as_bytes());
        let size = parameter.buffer.unwrap_or(0);
        if parameter.sized {
            let _ = writeln!(
                body,
                "    unsigned long n{index} = 0;\n    \
                 for (unsigned long i = 0; i < refrain_current->count; i++)\n        \
                 if (!strcmp(refrain_current->inputs[i].name, {name})) n{index} = refrain_current->inputs[i].size;\n    \
                 void *p{index} = malloc(n{index});\n    refrain_fill(p{index}, n{index}, {name});"
            );
        } else if parameter.pointer {
            let _ = match parameter.buffer {
                Some(size) => writeln!(body, "    void *p{index} = calloc({size}, 1);"),
                None => writeln!(body, "    void *p{index} = NULL;"),
            };
            if parameter.buffer.is_some() && !parameter.result {
                let _ = writeln!(body, "    refrain_fill(p{index}, {size}, {name});");
            }
        } else {
            let ty = number_type(parameter);
            let _ = writeln!(
                body,
                "    {ty} p{index};\n    refrain_fill(&p{index}, sizeof p{index}, {name});"
            );
        }
        if parameter.by_value {
            let _ = writeln!(
                structures,
                "struct refrain_p{index} {{\n    char bytes[{}];\n}};",
                size.max(1)
            );
            types.push(format!("struct refrain_p{index}"));
            arguments.push(format!("*(struct refrain_p{index} *)p{index}"));
        } else if parameter.pointer {
            types.push("void *".to_string());
            arguments.push(format!("p{index}"));
        } else {
            types.push(number_type(parameter).to_string());
            let is_bool = parameter.bits == 1;
            arguments.push(format!("p{index}{}", if is_bool { " != 0" } else { "" }));
        }
        if let Some(elements) = parameter.slice {
            types.push("unsigned long".to_string());
            arguments.push(format!("{elements}ul"));
        }
        if parameter.sized {
            types.push("unsigned long".to_string());
            arguments.push(format!("n{index}"));
        }
    }
    if types.is_empty() {
        types.push("void".to_string());
    }
    if run.entry == "LLVMFuzzerTestOneInput" {
        structures += "#ifdef __cplusplus\nextern \"C\"\n#endif\n\
                       int LLVMFuzzerInitialize(int *, char ***) __attribute__((weak));\n\n";
        body = format!(
            "    static char name[] = \"LLVMFuzzerTestOneInput\", *words[] = {{name, NULL}}, **argv = words;\n    \
             static int argc = 1;\n    if (LLVMFuzzerInitialize) LLVMFuzzerInitialize(&argc, &argv);\n{body}"
        );
    }
    Ok(format!(
        "{structures}typedef void refrain_target({});\n\n\
         #if defined(__clang__)\n__attribute__((no_sanitize(\"function\")))\n#endif\n\
         static void refrain_call(void) {{\n    \
         refrain_target *volatile target = (refrain_target *)(void *){};\n{body}    target({});\n}}\n\n\
         int main(void) {{\n    if (!refrain_is_test()) return refrain_run_all();\n    refrain_call();\n    return 0;\n}}\n",
        types.join(", "),
        run.entry,
        arguments.join(", ")
    ))
}

/// What a number is in C: as wide in memory as the input is.
fn number_type(parameter: &Parameter) -> &'static str {
    match (parameter.is_float, parameter.bits) {
        (true, 0..=32) => "float",
        (true, 33..=64) => "double",
        (true, _) => "long double",
        (false, 0..=8) => "unsigned char",
        (false, 9..=16) => "unsigned short",
        (false, 17..=32) => "unsigned int",
        (false, 33..=64) => "unsigned long",
        (false, _) => "unsigned __int128",
    }
}

/// A C string, whatever is in it.
fn literal(bytes: &[u8]) -> String {
    let mut literal = String::from("\"");
    for &byte in bytes {
        match byte {
            b'"' | b'\\' | b'?' | 0..0x20 | 0x7f.. => {
                let _ = write!(literal, "\\{byte:03o}");
            }
            _ => literal.push(char::from(byte)),
        }
    }
    literal.push('"');
    literal
}
