//! Emitted tests compile and pass, whatever names and bytes they have.

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::{ODD, empty, failed, input, must_pass};
use refrain_machine::{ErrorKind, Fault, Parameter};
use refrain_report::{Results, emit};
use refrain_results::{Outcome, Run, Test};

fn options(file: &Path, errors_only: bool) -> emit::Options {
    emit::Options {
        errors_only,
        file: file.to_path_buf(),
    }
}

/// A program in a folder, and what a run of it would have left.
fn scene(folder: &Path, name: &str, text: &str, tests: Vec<Test>) -> Results {
    let program = folder.join(name);
    fs::write(&program, text).expect("a file");
    let mut results = empty();
    results.run.program = program;
    results.root = folder.to_path_buf();
    results.tests = (1..)
        .zip(tests)
        .map(|(number, test)| Test { number, ..test })
        .collect();
    results
}

fn c_source(results: &Results, file: &Path, errors_only: bool) {
    let text = emit::c(results, &options(file, errors_only)).expect("tests");
    fs::write(file, text).expect("a file");
}

#[test]
fn odd_names_are_no_harm_in_c() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = ODD.replace(['\0', '/'], "");
    let literal: String = ODD
        .replace('\0', "")
        .bytes()
        .map(|byte| format!("\\{byte:03o}"))
        .collect();
    let text = format!(
        "void klee_make_symbolic(void *, unsigned long, const char *);\n\
         int main(int argc, char **argv) {{\n  unsigned char x[3];\n  klee_make_symbolic(x, 3, \"{literal}\");\n  \
         klee_make_symbolic(x, 3, \"{literal}\");\n  return x[0] + x[2] + argc + argv[1][0];\n}}\n"
    );
    let test = Test {
        inputs: vec![
            input(&ODD.replace('\0', ""), &[9, 9, 9]),
            input(&format!("{}_2", ODD.replace('\0', "")), &[2, 0, 255]),
        ],
        args: vec![ODD.replace('\0', "").into(), vec![3]],
        outcome: Outcome::exit(2 + 255 + 2 + 3),
        ..Test::default()
    };
    let mut results = scene(
        folder.path(),
        &format!("{}.c", &name[..20]),
        &text,
        vec![test],
    );
    results.run.version = ODD.into();
    let file = folder.path().join("tests.c");
    c_source(&results, &file, false);
    let program = folder.path().join("tests");
    must_pass(
        Command::new("cc")
            .arg("-o")
            .arg(&program)
            .arg(&file)
            .arg(&results.run.program),
    );
    must_pass(&mut Command::new(&program));
    // Another status is noticed, and so is another input.
    results.tests[0].outcome = Outcome::exit(1);
    results.tests.push(Test {
        number: 2,
        ..Test::default()
    });
    c_source(&results, &file, false);
    must_pass(
        Command::new("cc")
            .arg("-o")
            .arg(&program)
            .arg(&file)
            .arg(&results.run.program),
    );
    let output = Command::new(&program).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("test000001: FAILED: the exit status is another one"),
        "{said}"
    );
    assert!(
        said.contains("test000002: FAILED: the program takes other inputs"),
        "{said}"
    );
}

/// Where it cannot be seen what a program calls, everything that it could call is there.
#[test]
fn all_that_stands_for_the_engine_compiles() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "#include \"other.h\"\nint main(void) { return 0; }\n";
    let test = Test {
        args: vec![b"p".to_vec()],
        ..Test::default()
    };
    fs::write(folder.path().join("other.h"), "").expect("a file");
    let results = scene(folder.path(), "p.c", text, vec![test.clone()]);
    let file = folder.path().join("tests.c");
    c_source(&results, &file, false);
    let code = fs::read_to_string(&file).expect("tests");
    let program = folder.path().join("tests");
    for compiler in [&["cc", "-std=c99"][..], &["c++"], &["clang"]] {
        let mut command = Command::new(compiler[0]);
        command
            .args(&compiler[1..])
            .args(["-Wall", "-Wextra", "-Werror", "-Wno-deprecated", "-o"]);
        must_pass(command.arg(&program).arg(&file).arg(&results.run.program));
        must_pass(&mut Command::new(&program));
    }
    // The same names in a Rust program.
    let labels = code
        .lines()
        .filter_map(|line| line.split("__asm__(\"").nth(1));
    let names: Vec<&str> = labels.filter_map(|rest| rest.split('"').next()).collect();
    assert!(names.len() > 80, "{names:?}");
    let text = format!(
        "// {}\nfn main() -> Result<(), String> {{\n    Err(\"no\".into())\n}}\n",
        names.join(" ")
    );
    let test = Test {
        outcome: Outcome::exit(1),
        ..test
    };
    let results = scene(folder.path(), "p.rs", &text, vec![test]);
    let file = folder.path().join("tests.rs");
    let tests = emit::rust(&results, &options(&file, false)).expect("tests");
    fs::write(&file, tests).expect("a file");
    let declared = format!("{text}#[cfg(test)]\n#[path = \"tests.rs\"]\nmod refrain_tests;\n");
    fs::write(&results.run.program, declared).expect("a file");
    let mut command = Command::new("rustc");
    command
        .args(["--edition", "2024", "-Dwarnings", "--test", "-o"])
        .arg(&program);
    must_pass(command.arg(&results.run.program));
    must_pass(&mut Command::new(&program));
}

#[test]
fn no_tests_at_all_pass() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = scene(
        folder.path(),
        "p.c",
        "int main(void) { return 3; }\n",
        Vec::new(),
    );
    let file = folder.path().join("tests.c");
    c_source(&results, &file, false);
    let program = folder.path().join("tests");
    must_pass(
        Command::new("cc")
            .arg("-o")
            .arg(&program)
            .arg(&file)
            .arg(&results.run.program),
    );
    let output = Command::new(&program).output().expect("it runs");
    assert_eq!(output.stdout, b"0 tests: 0 passed, 0 failed, 0 skipped\n");
}

#[test]
fn a_program_that_was_fixed_passes_its_regression_tests() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = |limit: &str| {
        format!(
            "#include <stdlib.h>\nint __VERIFIER_nondet_int(void);\nvoid reach_error(void) {{ abort(); }}\n\
             int main(void) {{ int x = __VERIFIER_nondet_int(); if (x > {limit}) reach_error(); return 1; }}\n"
        )
    };
    let fault = Fault::new(ErrorKind::Assertion, "");
    let test = Test {
        inputs: vec![input("nondet_int", &[8, 0, 0, 0])],
        args: vec![b"p".to_vec()],
        ..failed(1, fault)
    };
    let results = scene(folder.path(), "p.c", &text("7"), vec![test]);
    let file = folder.path().join("tests.c");
    let program = folder.path().join("tests");
    let passes = |limit: &str, errors_only: bool| {
        fs::write(&results.run.program, text(limit)).expect("a file");
        c_source(&results, &file, errors_only);
        must_pass(
            Command::new("cc")
                .arg("-o")
                .arg(&program)
                .arg(&file)
                .arg(&results.run.program),
        );
        Command::new(&program)
            .output()
            .expect("it runs")
            .status
            .success()
    };
    assert!(passes("7", false) && !passes("7", true));
    assert!(!passes("8", false) && passes("8", true));
}

fn parameter(name: &str, bits: u32) -> Parameter {
    Parameter {
        name: name.into(),
        bits,
        ..Parameter::default()
    }
}

fn buffer(name: &str, bytes: u64, slice: Option<u64>) -> Parameter {
    Parameter {
        pointer: true,
        buffer: Some(bytes),
        slice,
        ..parameter(name, 64)
    }
}

#[test]
fn rust_functions_get_values_of_their_types() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = r#"//! Inner documentation.
#![allow(dead_code, clippy::too_many_arguments)]
fn check(a: i8, b: u64, c: bool, d: char, e: f32, f: f64, g: &[u8], h: &str, i: &mut [i16], j: [u32; 2], k: *const u8, l: &i32) -> u8 {
    assert!(a == -1 && b == u64::MAX && c && d == 'é' && e == -0.5 && f.is_nan());
    assert!(g == b"a\"\0\xff" && h == "\"\\\n{}" && i == [-1, 256] && j == [1, 2] && *l == -7);
    assert_eq!(unsafe { k.add(1).read() }, 9);
    assert!(g.is_empty(), "not empty: {}", g.len());
    0
}
fn main() {}
"#;
    let fault = Fault::new(ErrorKind::Panic, "/a:3:b.rs:8:5: not empty: ?");
    let test = Test {
        inputs: vec![
            input("a", &[255]),
            input("b", &[255; 8]),
            input("c", &[2]),
            input("d", &u32::from('é').to_le_bytes()),
            input("e", &(-0.5f32).to_le_bytes()),
            input("f", &f64::NAN.to_le_bytes()),
            input("g", b"a\"\0\xff"),
            input("h", b"\"\\\n{}"),
            input("i", &[255, 255, 0, 1]),
            input("j", &[1, 0, 0, 0, 2, 0, 0, 0]),
            input("k", &[8, 9]),
            input("l", &(-7i32).to_le_bytes()),
        ],
        ..failed(1, fault)
    };
    let mut no_text = test.clone();
    no_text.inputs[7].bytes = vec![255; 5];
    let mut results = scene(folder.path(), "check.rs", text, vec![test, no_text]);
    results.run = Run {
        entry: "check".into(),
        parameters: vec![
            parameter("a", 8),
            parameter("b", 64),
            parameter("c", 1),
            parameter("d", 32),
            Parameter {
                is_float: true,
                ..parameter("e", 32)
            },
            Parameter {
                is_float: true,
                ..parameter("f", 64)
            },
            buffer("g", 4, Some(4)),
            buffer("h", 5, Some(5)),
            buffer("i", 4, Some(2)),
            parameter("j", 64),
            buffer("k", 2, None),
            buffer("l", 4, None),
        ],
        ..results.run
    };
    let file = folder.path().join("check_tests.rs");
    let tests = emit::rust(&results, &options(&file, false)).expect("tests");
    assert!(
        tests.contains(
            "// test000002 is left out: h has a value that its type has not, it is no UTF-8."
        ),
        "{tests}"
    );
    assert!(
        tests.contains("#[should_panic(expected = \"not empty: \")]"),
        "{tests}"
    );
    fs::write(&file, tests).expect("a file");
    let with_tests =
        format!("{text}#[cfg(test)]\n#[path = \"check_tests.rs\"]\nmod refrain_tests;\n");
    fs::write(&results.run.program, with_tests).expect("a file");
    let program = folder.path().join("check");
    must_pass(
        Command::new("rustc")
            .args(["--edition", "2024", "--test", "-o"])
            .arg(&program)
            .arg(&results.run.program),
    );
    must_pass(&mut Command::new(&program));
}

#[test]
fn what_cannot_be_written_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "struct S; mod m { fn hidden() {} }\nfn f(s: S) {} fn g<T>(t: T) {} fn main() {}\n";
    let test = Test {
        inputs: vec![input("s", &[1])],
        ..Test::default()
    };
    let mut results = scene(folder.path(), "p.rs", text, vec![test]);
    let file = folder.path().join("tests.rs");
    let mut refused = |entry: &str, word: &str| {
        results.run.entry = entry.into();
        results.run.parameters = vec![parameter("s", 8)];
        let error = emit::rust(&results, &options(&file, false)).expect_err("no tests");
        assert!(error.to_string().contains(word), "{error}");
    };
    refused("f", "no value of the parameter s of f can be written");
    refused("g", "it is generic");
    refused("hidden", "it is private to a module");
    refused("nowhere", "there is no function nowhere");
    fs::write(&results.run.program, "fn main( {}").expect("a file");
    assert!(emit::rust(&results, &options(&file, false)).is_err());
    assert!(emit::c(&results, &options(&file, false)).is_err());
    results.run.program = folder.path().join("gone.rs");
    let error = emit::rust(&results, &options(&file, false)).expect_err("no tests");
    assert!(error.to_string().starts_with("cannot read"), "{error}");
}
