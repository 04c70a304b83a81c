//! Programs that were once answered wrongly, each as small as it got.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod support;

use support::check::{Setup, check_text};
use support::{compile, render};

/// Runs a function `u64 f0(void)` over all compilers and levels.
fn holds(text: &str) {
    let clangs = compile::clangs();
    if clangs.is_empty() {
        eprintln!("skipped: there is no clang on the search path");
        return;
    }
    let in_c = format!(
        "{}{text}\nint main0(void) {{ result = f0(); return 0; }}\nu64 (*const functions[])(void) = {{ f0 }};\n",
        render::PRELUDE
    );
    let text = if text.starts_with(';') { text } else { &in_c };
    let directory = tempfile::tempdir().expect("a directory for the compiler");
    let mut wrong = Vec::new();
    for clang in &clangs {
        for level in ["-O0", "-O1", "-O2"] {
            let setup = Setup {
                clang,
                level,
                directory: directory.path(),
                inputs: 60,
                options: Default::default(),
            };
            match check_text(&setup, text, 1, 1) {
                Ok((count, failures)) => {
                    eprintln!("{} {level}: {count:?}", clang.display());
                    wrong.extend(failures.into_iter().map(|failure| format!("{} {level}: {}", clang.display(), failure.what)));
                }
                Err(error) => wrong.push(error),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A program from a file, for looking into what the random ones found.
#[test]
fn from_a_file() {
    if let Some(path) = std::env::var_os("REFRAIN_SYMBOLIC_CASE") {
        holds(&std::fs::read_to_string(path).expect("a readable file"));
    }
}
