//! Functions as entries, with parameters that are symbolic.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod support;

use std::collections::BTreeSet;
use std::process::Command;

use refrain_explore::paths::{self, Bounds};
use refrain_llvm::load::Options;
use refrain_llvm::machine::{End, Machine, Parameter, State};
use refrain_llvm::native::Detached;
use refrain_llvm::program::assemble;
use refrain_machine::ExitStatus;
use refrain_machine::Machine as _;
use refrain_solver::native::Native as Solver;
use refrain_term::Terms;
use support::compile;

fn load(bitcode: &[u8]) -> (Machine, State) {
    let program = assemble([("program.bc", bitcode)], &[])
        .expect("a program")
        .program;
    Machine::new(program, Options::default(), Box::new(Detached)).expect("a program that fits")
}

/// How a path ended, and the inputs that lead there.
type Found = (String, Vec<(String, Vec<u8>)>);

struct Explored {
    parameters: Vec<Parameter>,
    paths: Vec<Found>,
    output: BTreeSet<Vec<u8>>,
}

fn explore(bitcode: &[u8], entry: &str, buffers: &[(&str, u64)]) -> Result<Explored, String> {
    let (mut machine, mut state) = load(bitcode);
    let mut terms = Terms::new();
    let buffers: Vec<(String, u64)> = buffers
        .iter()
        .map(|&(name, size)| (name.to_string(), size))
        .collect();
    let parameters = machine
        .start_function(&mut terms, &mut state, entry, &buffers)
        .map_err(|error| error.to_string())?;
    let mut found = Vec::new();
    let mut output = BTreeSet::new();
    paths::explore(
        &mut machine,
        &mut terms,
        &mut Solver::default(),
        state,
        &Bounds::default(),
        |machine, terms, path| {
            let end = match &path.end {
                paths::PathEnd::Machine(End::Exit(ExitStatus::Known(status))) => {
                    format!("exit {status}")
                }
                paths::PathEnd::Machine(End::Error(error)) => error.kind.name().to_string(),
                other => format!("{other:?}"),
            };
            let inputs = path.state.inputs.iter().map(|(id, length)| {
                let value = machine.inputs().value(terms, &path.input, id, length);
                (value.name, value.bytes)
            });
            found.push((end, inputs.collect()));
            let mut text = Vec::new();
            for piece in &path.state.output {
                for byte in &piece.bytes {
                    if let refrain_llvm::memory::Value::Concrete(byte) = byte {
                        text.push(*byte as u8);
                    }
                }
            }
            output.insert(text);
            true
        },
    );
    found.sort();
    Ok(Explored {
        parameters,
        paths: found,
        output,
    })
}

fn ends(explored: &Explored) -> Vec<&str> {
    explored.paths.iter().map(|(end, _)| end.as_str()).collect()
}

fn bitcode(text: &str, level: &str) -> Option<Vec<u8>> {
    Some(compile::bitcode_of(&compile::clang_or_skip()?, text, level))
}

#[test]
fn integers_are_inputs_by_their_names() {
    let text = "
        void abort(void);
        int f(int count, signed char low, unsigned long big, _Bool flag) {
            if (count == 1234 && low == -3 && big == 0x123456789abcdefUL && flag) abort();
            return count;
        }";
    let Some(bitcode) = bitcode(text, "-O0 -g") else {
        return;
    };
    let explored = explore(&bitcode, "f", &[]).expect("an entry");
    let names: Vec<(&str, u32)> = explored
        .parameters
        .iter()
        .map(|parameter| (parameter.name.as_str(), parameter.bits))
        .collect();
    assert_eq!(names, [("count", 32), ("low", 8), ("big", 64), ("flag", 1)]);
    let (_, inputs) = explored
        .paths
        .iter()
        .find(|(end, _)| end == "abort")
        .expect("a path to the end");
    assert_eq!(inputs[0], ("count".into(), 1234i32.to_le_bytes().to_vec()));
    assert_eq!(inputs[1], ("low".into(), vec![0xfd]));
    assert_eq!(
        inputs[2],
        ("big".into(), 0x123456789abcdefu64.to_le_bytes().to_vec())
    );
    assert_eq!(inputs[3].1.len(), 1);
    assert_ne!(inputs[3].1[0], 0);
    // Whatever it returns, that is no status.
    let others = ends(&explored);
    assert!(others.iter().all(|&end| end == "abort" || end == "exit 0"));
    assert_eq!(others.iter().filter(|&&end| end == "exit 0").count(), 4);
}

#[test]
fn without_names_parameters_are_numbered() {
    let Some(bitcode) = bitcode("int f(int x, int y) { return x < y; }", "-O1") else {
        return;
    };
    let explored = explore(&bitcode, "f", &[]).expect("an entry");
    let names: Vec<&str> = explored
        .parameters
        .iter()
        .map(|parameter| parameter.name.as_str())
        .collect();
    assert_eq!(names, ["arg0", "arg1"]);
    assert_eq!(ends(&explored), ["exit 0"]);
}

#[test]
fn pointers_lead_to_buffers() {
    let text =
        "int f(const char *text, unsigned n) { if (n < 8 && text[n] == 'x') return 1; return 0; }";
    let Some(bitcode) = bitcode(text, "-O0 -g") else {
        return;
    };
    let missing = explore(&bitcode, "f", &[]).err().expect("no buffer");
    assert!(missing.contains("--buffer text=SIZE"), "{missing}");
    let wrong = explore(&bitcode, "f", &[("text", 4), ("other", 4)])
        .err()
        .expect("no such parameter");
    assert!(wrong.contains("text, n"), "{wrong}");
    let small = explore(&bitcode, "f", &[("text", 4)]).expect("an entry");
    assert!(ends(&small).contains(&"out-of-bounds read"));
    let enough = explore(&bitcode, "f", &[("text", 8)]).expect("an entry");
    assert!(ends(&enough).iter().all(|&end| end == "exit 0"));
    assert_eq!(enough.parameters[0].buffer, Some(8));
    assert!(enough.parameters[0].pointer && !enough.parameters[1].pointer);
}

#[test]
fn structures_by_value_and_as_results() {
    let text = "
        struct big { long a, b, c; };
        void abort(void);
        struct big f(struct big given, double unused) {
            struct big made = {given.c, given.b, given.a};
            if (given.b == 77) abort();
            return made;
        }";
    let Some(bitcode) = bitcode(text, "-O0 -g") else {
        return;
    };
    let explored = explore(&bitcode, "f", &[]).expect("an entry");
    assert_eq!(ends(&explored), ["abort", "exit 0"]);
    let [result, given, float] = &explored.parameters[..] else {
        panic!("{:?}", explored.parameters);
    };
    assert!(result.result && result.buffer == Some(24));
    assert!(given.by_value && given.buffer == Some(24) && given.name == "given");
    assert!(float.is_float && float.bits == 64);
    let (_, inputs) = &explored.paths[0];
    assert_eq!(inputs[0].1[8..16], 77u64.to_le_bytes());
}

/// Constructors run before, and what was registered to run at the end runs after.
#[test]
fn it_is_a_whole_run() {
    let text = "
        int printf(const char *, ...);
        int atexit(void (*)(void));
        int ready;
        __attribute__((constructor)) static void begin(void) { ready = 1; }
        static void end(void) { printf(\"end\\n\"); }
        int f(int x) { printf(\"%d \", ready); atexit(end); return 7; }";
    let Some(bitcode) = bitcode(text, "-O0 -g") else {
        return;
    };
    let explored = explore(&bitcode, "f", &[]).expect("an entry");
    assert_eq!(ends(&explored), ["exit 0"]);
    assert_eq!(explored.output, BTreeSet::from([b"1 end\n".to_vec()]));
}

#[test]
fn unknown_entries_are_errors() {
    let Some(bitcode) = bitcode("int g(void); int f(int x) { return g(); }", "-O0") else {
        return;
    };
    let unknown = explore(&bitcode, "h", &[]).err().expect("no function");
    assert!(unknown.contains("no function h"), "{unknown}");
    let empty = explore(&bitcode, "g", &[]).err().expect("no body");
    assert!(empty.contains("has no body"), "{empty}");
}

/// Compiles Rust; nothing if there is no compiler, or one whose bitcode is too new for its own tools.
fn rust(text: &str) -> Option<Vec<u8>> {
    let directory = tempfile::tempdir().expect("a directory for the compiler");
    let source = directory.path().join("sample.rs");
    std::fs::write(&source, text).expect("a file for the compiler");
    let target = directory.path().join("sample.bc");
    let done = Command::new("rustc")
        .args([
            "--crate-type=lib",
            "--emit=llvm-bc",
            "-g",
            "-Cpanic=abort",
            "-Ccodegen-units=1",
        ])
        .arg("-o")
        .arg(&target)
        .arg(&source)
        .output();
    if !done.is_ok_and(|done| done.status.success()) {
        eprintln!("skipped: there is no rustc");
        return None;
    }
    Some(std::fs::read(target).expect("what the compiler wrote"))
}

#[test]
fn functions_of_rust_are_found_by_their_paths() {
    let text = "
        #![no_std]
        pub mod inner { #[inline(never)] pub fn f(x: u32) -> u32 { if x == 9 { 1 } else { x } } }
        pub mod other { #[inline(never)] pub fn f(x: u16) -> u16 { x ^ 1 } }
        #[inline(never)] pub fn sum(data: &[u32]) -> u32 {
            let mut sum = 0u32;
            let mut i = 0;
            while i < data.len() { sum = sum.wrapping_add(data[i]); i += 1; }
            sum
        }
        pub fn all(x: u32, y: u16, data: &[u32]) -> u32 { inner::f(x) + other::f(y) as u32 + sum(data) }
        ";
    let Some(bitcode) = rust(text) else { return };
    let explored = explore(&bitcode, "sample::inner::f", &[]).expect("an entry");
    assert_eq!(explored.parameters[0].name, "x");
    assert_eq!(ends(&explored), ["exit 0", "exit 0"]);
    assert!(explore(&bitcode, "inner::f", &[]).is_ok());
    let several = explore(&bitcode, "f", &[]).err().expect("two of them");
    assert!(several.contains("sample::inner::f"), "{several}");
    assert!(several.contains("sample::other::f"), "{several}");
    let slice = explore(&bitcode, "sum", &[("data", 16)]).expect("an entry");
    assert_eq!(slice.parameters.len(), 1);
    assert_eq!(slice.parameters[0].slice, Some(4));
    assert_eq!(ends(&slice), ["exit 0"]);
}
