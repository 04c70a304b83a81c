//! Random functions of symbolic inputs: every input takes exactly one path, and that path's result is what native
//! code gives.
//!
//! `REFRAIN_SYMBOLIC_FILES` (how many files of several functions), `REFRAIN_SYMBOLIC_SEED`, `REFRAIN_SYMBOLIC_INPUTS`,
//! `REFRAIN_SYMBOLIC_LEVEL` (as `-O3 -mavx2`), `REFRAIN_SYMBOLIC_SHRINK` (how many smaller functions are tried) and
//! `REFRAIN_SYMBOLIC_KEEP` (a directory for what fails) have it try others.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod support;

use refrain_testing::count;
use support::check::{Count, Setup, check};
use support::{compile, program, render, shrink};

/// Functions of one file: what is compiled and linked together.
const FUNCTIONS: usize = 6;

#[test]
fn paths_agree_with_native_code() {
    let clangs = compile::clangs();
    let files = count("REFRAIN_SYMBOLIC_FILES", 12, 300);
    let first = count("REFRAIN_SYMBOLIC_SEED", 20_010, 20_010);
    let directory = tempfile::tempdir().expect("a directory for the compiler");
    let level = std::env::var("REFRAIN_SYMBOLIC_LEVEL").ok();
    let mut total = Count::default();
    let mut failed = Vec::new();
    for seed in first..first + files {
        let setup = Setup {
            clang: &clangs[(seed / 3) as usize % clangs.len()],
            level: level
                .as_deref()
                .unwrap_or(["-O0", "-O1", "-O2"][seed as usize % 3]),
            directory: directory.path(),
            inputs: count("REFRAIN_SYMBOLIC_INPUTS", 120, 400) as usize,
            options: refrain_llvm::load::Options {
                keep_variables_in_memory: seed % 7 == 0,
                ..Default::default()
            },
        };
        let functions: Vec<_> = (0..FUNCTIONS)
            .map(|index| program::function(seed * 1000 + index as u64))
            .collect();
        let (checked, failures) =
            check(&setup, &functions, seed).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        total.add(checked);
        for failure in failures {
            let function = &functions[failure.function];
            let one = |candidate: &program::Function| {
                check(&setup, std::slice::from_ref(candidate), seed).ok()
            };
            let fails = |candidate: &program::Function| {
                one(candidate).is_some_and(|(_, failures)| !failures.is_empty())
            };
            let budget = count("REFRAIN_SYMBOLIC_SHRINK", 300, 300) as usize;
            let smallest = if fails(function) {
                shrink::shrink(function, fails, budget)
            } else {
                function.clone()
            };
            let after = one(&smallest).and_then(|(_, failures)| failures.into_iter().next());
            let what = after.map_or(failure.what, |failure| failure.what);
            let clang = setup.clang.display();
            let report = format!(
                "// seed {seed}, {clang} {}: {what}\n{}",
                setup.level,
                render::one(&smallest, 0)
            );
            eprintln!("{report}");
            if let Some(keep) = std::env::var_os("REFRAIN_SYMBOLIC_KEEP") {
                let name = format!("{seed}-{}.c", failure.function);
                std::fs::write(std::path::Path::new(&keep).join(name), &report)
                    .expect("a directory for what fails");
            }
            failed.push(seed);
        }
        if files > 100 && seed % 50 == 0 {
            eprintln!("seed {seed}: {total:?}, {} failed", failed.len());
        }
    }
    eprintln!("{total:?}");
    assert!(failed.is_empty(), "seeds that failed: {failed:?}");
    // Most programs are gone through to the end, or little is tested.
    let programs = files as usize * FUNCTIONS;
    assert!(total.refused * 10 <= files as usize, "{total:?}");
    assert!(total.incomplete * 3 <= programs, "{total:?}");
}
