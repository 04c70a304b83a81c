//! Code that others published, in the machine and natively: zlib, sqlite, and the unit tests of a Rust crate.
//!
//! The sources are those of the packages that `tests/real/Cargo.toml` names. A long run (`REFRAIN_LONG=1`) takes every
//! compiler at every level.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/real")
}

/// Where Cargo keeps the sources of a package.
fn package(name: &str) -> PathBuf {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--manifest-path"])
        .arg(here().join("Cargo.toml"))
        .output()
        .expect("cargo starts");
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("cargo knows the packages");
    let packages = metadata["packages"].as_array().expect("a list of packages");
    let found = packages
        .iter()
        .find(|package| package["name"] == name)
        .expect("the package is named");
    let manifest = found["manifest_path"].as_str().expect("a path");
    Path::new(manifest)
        .parent()
        .expect("a folder")
        .to_path_buf()
}

const COMPILERS: [&str; 3] = ["clang-14", "clang-16", "clang-19"];

/// How a program is compiled: every compiler at every level, with and without debug information. An ordinary run takes
/// enough of them that each value of each occurs.
fn configurations() -> Vec<(&'static str, [&'static str; 2])> {
    let mut all = Vec::new();
    for (number, compiler) in COMPILERS.into_iter().enumerate() {
        refrain_testing::program(compiler);
        for (place, level) in ["-O0", "-O1", "-O2"].into_iter().enumerate() {
            for (debug, flag) in ["-g", "-g0"].into_iter().enumerate() {
                if refrain_testing::is_long() || (place == number && debug == number % 2) {
                    all.push((compiler, [level, flag]));
                }
            }
        }
    }
    all
}

fn checked(command: &mut Command) -> Output {
    let output = command.output().expect("the command starts");
    assert!(
        output.status.success(),
        "{command:?}\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// Compiles to bitcode, file by file, and runs it.
fn run(
    compiler: &str,
    flags: &[&str],
    sources: &[PathBuf],
    args: &[&Path],
    folder: &Path,
) -> Output {
    let mut modules = Vec::new();
    for (number, source) in sources.iter().enumerate() {
        let module = folder.join(format!("{number}.bc"));
        checked(
            Command::new(compiler)
                .args(["-c", "-emit-llvm", "-w"])
                .args(flags)
                .arg(source)
                .arg("-o")
                .arg(&module),
        );
        modules.push(module);
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_refrain"));
    command.arg("run");
    for module in &modules[1..] {
        command.arg("--with").arg(module);
    }
    command
        .arg(&modules[0])
        .args(args)
        .output()
        .expect("refrain starts")
}

fn native(
    compiler: &str,
    flags: &[&str],
    sources: &[PathBuf],
    args: &[&Path],
    folder: &Path,
) -> Output {
    let binary = folder.join("native");
    checked(
        Command::new(compiler)
            .args(["-O1", "-w"])
            .args(flags)
            .args(sources)
            .arg("-o")
            .arg(&binary)
            .args(["-lm", "-ldl", "-lpthread"]),
    );
    checked(Command::new(&binary).args(args))
}

fn assert_same(ours: &Output, expected: &Output, what: &str) {
    let what = format!("{what}: {}", String::from_utf8_lossy(&ours.stderr));
    assert_eq!(
        String::from_utf8_lossy(&ours.stdout),
        String::from_utf8_lossy(&expected.stdout),
        "{what}"
    );
    assert_eq!(ours.status.code(), Some(0), "{what}");
}

#[test]
fn zlib_packs_the_same_bytes() {
    let zlib = package("libz-sys").join("src/zlib");
    let mut sources = vec![here().join("zlib.c")];
    for name in [
        "adler32", "compress", "crc32", "deflate", "inffast", "inflate", "inftrees", "trees",
        "uncompr", "zutil",
    ] {
        sources.push(zlib.join(name).with_extension("c"));
    }
    let include = format!("-I{}", zlib.display());
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = zlib.join("deflate.h");
    let expected = native(COMPILERS[0], &[&include], &sources, &[&file], folder.path());
    assert!(expected.stdout.starts_with(b"level 0"));
    for (compiler, [level, debug]) in configurations() {
        let flags = [&include, level, debug];
        let ours = run(compiler, &flags, &sources, &[&file], folder.path());
        assert_same(&ours, &expected, &format!("{compiler} {level} {debug}"));
    }
}

#[test]
fn sqlite_runs_a_script() {
    let sqlite = package("libsqlite3-sys").join("sqlite3");
    let sources = [here().join("sqlite.c"), sqlite.join("sqlite3.c")];
    let include = format!("-I{}", sqlite.display());
    let flags = [
        include.as_str(),
        "-DSQLITE_THREADSAFE=0",
        "-DSQLITE_OMIT_LOAD_EXTENSION",
    ];
    let folder = tempfile::tempdir().expect("a temporary folder");
    let expected = native(COMPILERS[0], &flags, &sources, &[], folder.path());
    for (compiler, [level, debug]) in configurations() {
        let flags = [&flags[..], &[level, debug]].concat();
        let ours = run(compiler, &flags, &sources, &[], folder.path());
        assert_same(&ours, &expected, &format!("{compiler} {level} {debug}"));
    }
}

/// The unit tests that a crate brings, built with the test harness and its unwinding.
#[test]
fn a_crate_passes_its_own_tests() {
    let smallvec = package("smallvec");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let module = folder.path().join("smallvec.bc");
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    checked(
        Command::new(rustc)
            .args([
                "--test",
                "--edition",
                "2018",
                "--cap-lints",
                "allow",
                "--crate-name",
                "smallvec",
            ])
            .args(["--cfg", "feature=\"std\""])
            .args([
                "-C",
                "lto=fat",
                "-C",
                "codegen-units=1",
                "-C",
                "opt-level=1",
                "-C",
                "linker=true",
            ])
            .arg(format!(
                "--emit=llvm-bc={},link={}",
                module.display(),
                folder.path().join("smallvec").display()
            ))
            .arg(smallvec.join("src/lib.rs")),
    );
    let output = Command::new(env!("CARGO_BIN_EXE_refrain"))
        .arg("run")
        .arg(&module)
        .args(["--test-threads=1"])
        .output()
        .expect("refrain starts");
    let report = String::from_utf8_lossy(&output.stdout).to_string();
    let what = format!("{report}\n{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{what}");
    assert!(report.contains("test result: ok."), "{what}");
    let passed = report.matches("... ok").count();
    assert!(passed >= 30, "{what}");
}
