//! What a program says to the engine, and how its inputs are named, is the same wherever it runs: in the machine, in
//! the native program of `refrain replay`, and in the tests that `refrain emit` writes in C and in Rust.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use refrain_machine::{InputTable, InputValue, PathInputs, Role, abi};
use refrain_results::{OutputDirectory, Run, Test};
use refrain_term::Terms;

#[test]
fn the_machine_provides_all_of_it() {
    let functions = abi::functions();
    assert!(functions.len() > 90);
    for function in &functions {
        let is_native = refrain_llvm::native::find(&function.name).is_some();
        assert!(is_native, "{}", function.name);
    }
    let names: BTreeSet<&str> = functions.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names.len(), functions.len(), "a name is there twice");
    // What the header declares: every name before a parenthesis.
    let (_, header) = refrain_compile::HEADERS[0];
    let words = header.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '(');
    let declared = words.filter_map(|word| word.split_once('(').map(|(name, _)| name));
    let declared: BTreeSet<&str> = declared.filter(|name| name.starts_with("klee_")).collect();
    let known = names.iter().copied().chain(["klee_assert"]);
    let known: BTreeSet<&str> = known.filter(|name| name.starts_with("klee_")).collect();
    assert_eq!(declared, known);
}

/// The names that the rule gives to inputs which are to be called so. One without a name is called unnamed.
fn named(wanted: &[&str]) -> Vec<String> {
    let mut terms = Terms::new();
    let mut table = InputTable::new();
    let mut inputs = PathInputs::default();
    let mut names = Vec::new();
    for wanted in wanted {
        let wanted = if wanted.is_empty() { "unnamed" } else { wanted };
        let name = inputs.name(wanted);
        let id = table.declare(&mut terms, &name, Role::Object, 8, 1);
        inputs.add(wanted, &name, id, 1);
        names.push(name);
    }
    names
}

/// The value of the input that is made at this place.
fn value(index: usize) -> u8 {
    (index * 7 % 251) as u8
}

fn test(wanted: &[&str], program: &str) -> Test {
    let names = named(wanted).into_iter().enumerate();
    let inputs = names.map(|(index, name)| InputValue::object(name, [value(index)]));
    Test {
        number: 1,
        inputs: inputs.collect(),
        args: vec![program.into()],
        ..Test::default()
    }
}

/// A program that makes inputs of these names, and says whether each has the value of its place.
fn in_c(wanted: &[&str]) -> String {
    let names: Vec<String> = wanted.iter().map(|name| format!("{name:?}")).collect();
    format!(
        "#include <klee/klee.h>\nstatic const char *const names[] = {{{}}};\nint main(void) {{\n  int wrong = 0;\n  \
         for (int i = 0; i < {}; i++) {{\n    unsigned char x;\n    klee_make_symbolic(&x, 1, names[i]);\n\
         #ifndef BLIND\n    if (x != i * 7 % 251) wrong++;\n#endif\n  }}\n  return wrong > 0;\n}}\n",
        names.join(", "),
        names.len()
    )
}

fn in_rust(wanted: &[&str]) -> String {
    let names: Vec<String> = wanted.iter().map(|name| format!("c{name:?}")).collect();
    format!(
        "unsafe extern \"C\" {{\n    fn klee_make_symbolic(address: *mut u8, size: usize, name: *const std::ffi::c_char);\n}}\n\
         const NAMES: &[&std::ffi::CStr] = &[{}];\nfn main() {{\n    for (i, name) in NAMES.iter().enumerate() {{\n        \
         let mut x = 0u8;\n        unsafe {{ klee_make_symbolic(&mut x, 1, name.as_ptr()) }};\n        \
         assert_eq!(usize::from(x), i * 7 % 251);\n    }}\n}}\n",
        names.join(", ")
    )
}

/// An output directory with the one test of a program.
fn write(folder: &Path, out: &str, program: &str, test: &Test) {
    let directory = OutputDirectory::create(&folder.join(out)).expect("a new directory");
    let run = Run {
        program: folder.join(program),
        entry: "main".into(),
        arithmetic: "machine".into(),
        ..Run::default()
    };
    directory.write_run(&run).expect("it can be written");
    let writer = directory.test_writer().expect("a writer");
    assert!(writer.write(test.clone()));
    writer.finish().expect("it can be written");
}

#[track_caller]
fn passes(folder: &Path, program: &str, arguments: &[&str]) -> String {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder);
    let output = command.output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}\n{said}");
    said
}

#[track_caller]
fn are_the_same_everywhere(wanted: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let refrain = common::REFRAIN;
    fs::write(folder.join("p.c"), in_c(wanted)).expect("a file");
    fs::write(folder.join("p.rs"), in_rust(wanted)).expect("a file");
    write(folder, "c", "p.c", &test(wanted, "p.c"));
    write(folder, "rust", "p.rs", &test(wanted, "p.rs"));

    // Exploring gives them these names.
    let explore = ["run", "--cflags=-DBLIND", "--out", "explored", "p.c"];
    passes(folder, refrain, &explore);
    let explored = common::tests_in(&folder.join("explored"));
    let names: Vec<&str> = explored[0]["inputs"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|input| input["name"].as_str())
        .collect();
    assert_eq!(names, named(wanted));

    // The machine and the native program find each of them again.
    for out in ["c", "rust"] {
        let said = passes(folder, refrain, &["replay", out]);
        assert!(said.contains("1 test: 1 the same"), "{said}");
    }

    // And so do emitted tests, of both languages.
    passes(
        folder,
        refrain,
        &["emit", "c", "--as", "c", "-o", "tests.c"],
    );
    for compiler in ["cc", "c++"] {
        let flags = ["-w", "-I", ".", "-x", "c", "p.c", "-o", "p.o", "-c"];
        passes(folder, "cc", &flags);
        passes(folder, compiler, &["-w", "tests.c", "p.o", "-o", "tests"]);
        let said = passes(folder, "./tests", &[]);
        assert_eq!(
            said, "1 tests: 1 passed, 0 failed, 0 skipped\n",
            "{compiler}"
        );
    }
    let emit = ["emit", "rust", "--as", "rust", "-o", "tests.rs"];
    passes(folder, refrain, &emit);
    let text = in_rust(wanted) + "#[cfg(test)]\n#[path = \"tests.rs\"]\nmod refrain_tests;\n";
    fs::write(folder.join("p.rs"), text).expect("a file");
    let compile = ["--edition", "2024", "--test", "-o", "rust_tests", "p.rs"];
    passes(folder, "rustc", &compile);
    let said = passes(folder, "./rust_tests", &[]);
    assert!(said.contains("1 passed; 0 failed"), "{said}");
}

#[test]
fn names_that_are_used_again() {
    are_the_same_everywhere(&["x", "x", "x_3", "x", "y", "x", "x_2", "x_3", "x", "x_2"]);
}

/// Names that are each other's beginnings, in any order.
#[test]
fn names_in_a_random_order() {
    let names = ["x", "x_2", "x_3", "x_2_2", "x_", "x_02", "", "unnamed", "y"];
    let mut bits = 1_u64;
    let wanted: Vec<&str> = (0..120)
        .map(|_| {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            names[(bits >> 33) as usize % names.len()]
        })
        .collect();
    let different: BTreeSet<String> = named(&wanted).into_iter().collect();
    assert_eq!(different.len(), wanted.len());
    are_the_same_everywhere(&wanted);
}

/// As many as a loop makes.
#[test]
fn a_name_that_is_used_thousands_of_times() {
    are_the_same_everywhere(&vec!["x"; 2_000]);
}
