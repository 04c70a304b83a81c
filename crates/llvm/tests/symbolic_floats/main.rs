//! Random functions of symbolic floats: every input takes exactly one path, and that path's result is bit for bit what
//! native code gives, but for which NaN it is.
//!
//! `REFRAIN_FLOAT_FILES` and `REFRAIN_FLOAT_SEED` have it try others.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod c;
mod rust;
#[path = "../support/mod.rs"]
mod support;

use refrain_testing::count;
use support::check::{Count, Found, Setup, check_rust, check_text};
use support::compile;

const FUNCTIONS: usize = 6;

/// What a language has of its own.
struct Language {
    /// One function, by its seed and its number.
    function: fn(u64, usize) -> String,
    file: fn(&[String]) -> String,
    check: fn(&Setup, &str, usize, u64) -> Found,
    levels: &'static [&'static str],
}

const C: Language = Language {
    function: |seed, number| c::Writer::new(seed).function(number),
    file: c::file,
    check: check_text,
    // The last has intrinsics for all calculations (`llvm.experimental.constrained`).
    levels: &["-O0", "-O1", "-O2", "-O2 -ffp-exception-behavior=maytrap"],
};

const RUST: Language = Language {
    function: |seed, number| rust::Writer::new(seed).function(number),
    file: rust::file,
    check: check_rust,
    levels: &[
        "-Copt-level=0",
        "-Copt-level=1",
        "-Copt-level=2",
        "-Copt-level=3",
    ],
};

fn agree(language: &Language, files: u64) {
    let clangs = compile::clangs();
    let first = count("REFRAIN_FLOAT_SEED", 400, 400);
    let directory = tempfile::tempdir().expect("a directory for the compiler");
    let mut total = Count::default();
    let mut wrong = Vec::new();
    for seed in first..first + files {
        let levels = language.levels;
        let setup = Setup {
            clang: &clangs[seed as usize / levels.len() % clangs.len()],
            level: levels[seed as usize % levels.len()],
            directory: directory.path(),
            inputs: 200,
            options: Default::default(),
        };
        let functions: Vec<String> = (0..FUNCTIONS)
            .map(|number| (language.function)(seed * 100 + number as u64, number))
            .collect();
        let text = (language.file)(&functions);
        let (checked, failures) = (language.check)(&setup, &text, FUNCTIONS, seed)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        total.add(checked);
        wrong.extend(failures.into_iter().map(|failure| {
            let (clang, level) = (setup.clang.display(), setup.level);
            let function = &functions[failure.function];
            format!("seed {seed}, {clang} {level}: {}\n{function}", failure.what)
        }));
    }
    eprintln!("{total:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Most programs are gone through to the end, or little is tested.
    assert!(
        total.incomplete * 2 <= files as usize * FUNCTIONS,
        "{total:?}"
    );
    assert_eq!(total.refused, 0, "{total:?}");
}

#[test]
fn c_agrees_with_native_code() {
    agree(&C, count("REFRAIN_FLOAT_FILES", 9, 300));
}

#[test]
fn rust_agrees_with_native_code() {
    agree(&RUST, count("REFRAIN_FLOAT_FILES", 8, 300));
}
