//! C and Rust to bitcode, and the same code to a native program that is run on many inputs at once.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The compilers, the newest first. Each must be there: a test that skips one says nothing about it.
pub fn clangs() -> Vec<PathBuf> {
    if let Some(clang) = std::env::var_os("REFRAIN_TEST_CLANG") {
        return vec![clang.into()];
    }
    ["clang-19", "clang-16", "clang-14"]
        .map(refrain_testing::program)
        .into()
}

/// The newest compiler.
pub fn clang() -> PathBuf {
    clangs().swap_remove(0)
}

/// What every program is compiled with: calculations wrap, and nothing is assumed of the types behind pointers.
const FLAGS: &[&str] = &[
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fno-math-errno",
    "-fno-stack-protector",
    "-U_FORTIFY_SOURCE",
    "-w",
    "-std=gnu2x",
];

fn run(command: &mut Command) -> Result<(), String> {
    let output = command
        .output()
        .map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "{command:?}: {}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    ))
}

/// Compiles a file to bitcode next to it. The level may be followed by more options.
pub fn bitcode(clang: &Path, source: &Path, level: &str) -> Result<PathBuf, String> {
    let target = source.with_extension("bc");
    run(Command::new(clang)
        .args(FLAGS)
        .args(level.split(' '))
        .args(["-emit-llvm", "-c"])
        .arg(source)
        .arg("-o")
        .arg(&target))?;
    Ok(target)
}

/// Compiles text to the bytes of a bitcode file.
pub fn bitcode_of(clang: &Path, text: &str, level: &str) -> Vec<u8> {
    let directory = tempfile::tempdir().expect("a directory for the compiler");
    let source = directory.path().join("program.c");
    std::fs::write(&source, text).expect("a file for the compiler");
    let target = bitcode(clang, &source, level).unwrap_or_else(|error| panic!("{error}"));
    std::fs::read(target).expect("what the compiler wrote")
}

/// Reads inputs from standard input, runs the function numbered by each, and writes a byte of status and the result.
const DRIVER: &str = r#"
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
extern unsigned char in[16];
extern unsigned long long (*const functions[])(void);
extern void reset(void);
static sigjmp_buf back;
static void caught(int number) { siglongjmp(back, number); }
int main(void) {
    signal(SIGFPE, caught);
    signal(SIGSEGV, caught);
    signal(SIGBUS, caught);
    signal(SIGILL, caught);
    signal(SIGABRT, caught);
    unsigned char record[17];
    while (fread(record, 1, 17, stdin) == 17) {
        unsigned char status = 0;
        unsigned long long result = 0;
        reset();
        memcpy(in, record + 1, 16);
        int number = sigsetjmp(back, 1);
        if (number == 0)
            result = functions[record[0]]();
        else
            status = number;
        fwrite(&status, 1, 1, stdout);
        fwrite(&result, 8, 1, stdout);
    }
    return 0;
}
"#;

pub const INPUT: usize = 16;

/// What native code did: returned a value, or died of a signal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Native {
    Returned(u64),
    Signal(u8),
}

pub const SIGFPE: u8 = 8;

/// A native program made from bitcode.
pub struct Binary(PathBuf);

impl Binary {
    /// Code generation alone: whatever the bitcode says is what is run. Not the quick one, which has errors of its
    /// own (an addition of 1 that overflows, in older versions).
    pub fn build(clang: &Path, bitcode: &Path) -> Result<Binary, String> {
        Binary::link(
            clang,
            bitcode,
            &["-O1", "-Xclang", "-disable-llvm-passes", "-w"],
        )
    }

    /// A program of what a compiler made of a file, and the driver.
    fn link(clang: &Path, compiled: &Path, options: &[&str]) -> Result<Binary, String> {
        let directory = compiled.parent().expect("a file in a directory");
        let driver = directory.join("driver.c");
        let object = directory.join("driver.o");
        if !object.exists() {
            std::fs::write(&driver, DRIVER).map_err(|error| error.to_string())?;
            run(Command::new(clang)
                .args(["-O1", "-c"])
                .arg(&driver)
                .arg("-o")
                .arg(&object))?;
        }
        let program = compiled.with_extension("exe");
        run(Command::new(clang)
            .args(options)
            .arg(compiled)
            .arg(&object)
            .arg("-lm")
            .arg("-o")
            .arg(&program))?;
        Ok(Binary(program))
    }

    /// Compiles Rust: bitcode beside the file, and the native program that the same compiler makes of it. What is not
    /// inlined from the standard library (panics) is missing from both.
    pub fn build_rust(
        clang: &Path,
        source: &Path,
        level: &str,
    ) -> Result<(PathBuf, Binary), String> {
        let (bitcode, object) = (source.with_extension("bc"), source.with_extension("o"));
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        run(Command::new(rustc)
            .args(["--edition=2024", "--crate-type=lib", "-Cpanic=abort"])
            .args(["-Ccodegen-units=1", "-Awarnings"])
            .args(level.split(' '))
            .arg(format!(
                "--emit=llvm-bc={},obj={}",
                bitcode.display(),
                object.display()
            ))
            .arg(source))?;
        let binary = Binary::link(clang, &object, &["-Wl,--unresolved-symbols=ignore-all"])?;
        Ok((bitcode, binary))
    }

    /// Runs functions on inputs.
    pub fn run(&self, inputs: &[(u8, [u8; INPUT])]) -> Result<Vec<Native>, String> {
        let mut child = Command::new(&self.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        let mut bytes = Vec::new();
        for (function, input) in inputs {
            bytes.push(*function);
            bytes.extend(input);
        }
        let mut stdin = child.stdin.take().expect("it is piped");
        let writer = std::thread::spawn(move || stdin.write_all(&bytes));
        let output = child
            .wait_with_output()
            .map_err(|error| error.to_string())?;
        let _ = writer.join();
        if output.stdout.len() != 9 * inputs.len() {
            return Err(format!("the native program ended early: {}", output.status));
        }
        let result = |record: &[u8]| match record[0] {
            0 => Native::Returned(u64::from_le_bytes(
                record[1..].try_into().expect("eight bytes"),
            )),
            signal => Native::Signal(signal),
        };
        Ok(output.stdout.chunks(9).map(result).collect())
    }
}
