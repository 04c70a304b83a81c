//! Compilers, and what is known of the functions of what they write.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use refrain_llvm::load::{FunctionKind, Options};
use refrain_llvm::machine::{Machine, State};
use refrain_llvm::memory::Site;
use refrain_llvm::native::Detached;
use refrain_llvm::program::assemble;
use refrain_machine::CodePoint;
use refrain_machine::Machine as _;

pub const CLANGS: [&str; 3] = ["clang-14", "clang-16", "clang-19"];

/// Whether a program is there; a word where it is not.
pub fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        eprintln!("skipped: there is no {program}");
    }
    found
}

/// Runs a compiler that writes to `-o`. The source has the same name every time, in another folder.
pub fn compile(compiler: &str, options: &str, name: &str, text: &str) -> Vec<u8> {
    let directory = tempfile::tempdir().expect("a directory for the compiler");
    std::fs::write(directory.path().join(name), text).expect("a file for the compiler");
    compile_file(compiler, options, directory.path(), name.as_ref())
}

pub fn compile_file(compiler: &str, options: &str, folder: &Path, source: &OsStr) -> Vec<u8> {
    let output = tempfile::tempdir().expect("a directory for the compiler");
    let target = output.path().join("program.bc");
    let mut command = Command::new(compiler);
    let bitcode: &[&str] = match compiler {
        "rustc" => &["--emit=llvm-bc", "--edition=2024", "-Ccodegen-units=1"],
        _ => &["-emit-llvm", "-c", "-w"],
    };
    command
        .current_dir(folder)
        .args(bitcode)
        .args(options.split_whitespace());
    let done = command.arg(source).arg("-o").arg(&target).output();
    let done = done.expect("a compiler");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{command:?}: {said}");
    std::fs::read(target).expect("what the compiler wrote")
}

pub fn load(modules: &[(&str, &[u8])]) -> (Machine, State) {
    let program = assemble(modules.iter().copied(), &[]).expect("a program");
    Machine::new(program.program, Options::default(), Box::new(Detached))
        .expect("a program that fits")
}

/// All that lasts of a function: the point of every instruction of its code, and the hash of every block.
#[derive(PartialEq, Eq, Debug)]
pub struct Known {
    pub hash: u64,
    pub blocks: Vec<u64>,
    pub points: Vec<CodePoint>,
}

/// The functions that a program has the code of, by what they are called.
pub fn known(machine: &Machine) -> BTreeMap<String, Known> {
    let linked = machine.linked();
    let mut found = BTreeMap::new();
    for function in 0..linked.functions.len() as u32 {
        if !matches!(linked.functions[function as usize].kind, FunctionKind::Code) {
            continue;
        }
        let length = linked.code(function).map_or(0, |code| code.instrs.len());
        let points = (0..length as u32).map(|pc| {
            let point = machine.point_of(Site { function, pc });
            assert_eq!(point.function, function);
            machine.describe(point)
        });
        let fingerprint = linked.fingerprint(function);
        let known = Known {
            hash: fingerprint.function,
            blocks: fingerprint.blocks.clone(),
            points: points.collect(),
        };
        let symbol = linked.lasting_symbol(function).to_string();
        for point in &known.points {
            assert_eq!(point.symbol, symbol);
            assert_eq!(point.function_hash, known.hash);
            assert_eq!(point.block_hash, known.blocks[point.block as usize]);
        }
        let other = found.insert(symbol.clone(), known);
        assert!(other.is_none(), "two functions are called {symbol}");
    }
    found
}

/// One module and the runtime.
pub fn known_of(bitcode: &[u8]) -> BTreeMap<String, Known> {
    known(&load(&[("program.bc", bitcode)]).0)
}

/// All functions of the first build are in the second, and are the same, but for some.
#[track_caller]
pub fn assert_same(
    before: &BTreeMap<String, Known>,
    after: &BTreeMap<String, Known>,
    but: &[&str],
    what: &str,
) {
    for (symbol, known) in before {
        if but.contains(&symbol.as_str()) {
            continue;
        }
        let Some(now) = after.get(symbol) else {
            panic!("{what}: {symbol} is gone; there are {:?}", after.keys());
        };
        assert_eq!(known.blocks, now.blocks, "{what}: blocks of {symbol}");
        assert_eq!(known.hash, now.hash, "{what}: {symbol}");
        assert_eq!(known.points, now.points, "{what}: points of {symbol}");
    }
}
