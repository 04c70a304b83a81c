//! What a solver process is sent for one small path, by every preset: `sent/path.smt2` has the questions, and a file
//! for each preset what becomes of them. Whether a preset is what its paper says can be read there.
//!
//! `UPDATE_FIXTURES=1 cargo test -p refrain-reuse --test sent` writes what is sent now.
//!
//! The process is this program itself, with the native solver inside, under the name of z3: what it answers is the same
//! on every machine, and so is what is sent next.

use std::env;
use std::fs;
use std::io::{self, BufWriter};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use refrain_reuse::{Chain, Layers, PRESETS};
use refrain_smtlib::{Config, Output, Session};
use refrain_solver::native::Native;
use refrain_solver::process::{Backend, Process};

/// With this argument the program is the solver.
const AS_SOLVER: &str = "--as-solver";

fn main() -> ExitCode {
    if env::args().any(|argument| argument == AS_SOLVER) {
        return be_the_solver();
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sent");
    let script = fs::read(folder.join("path.smt2")).expect("the questions");
    let update = env::var_os("UPDATE_FIXTURES").is_some();
    let mut wrong = 0;
    for preset in PRESETS {
        let path = folder.join(format!("{preset}.smt2"));
        let found = sent_by(preset, &script);
        assert!(
            !found.is_empty(),
            "{preset}: a path on which nothing is asked"
        );
        if update {
            fs::write(&path, &found).expect("a writable folder");
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        let is_right = found == expected;
        println!(
            "test {preset} ... {}",
            if is_right { "ok" } else { "FAILED" }
        );
        if !is_right {
            println!("{}:\nexpected\n{expected}\nfound\n{found}", path.display());
            wrong += 1;
        }
    }
    ExitCode::from(u8::from(wrong > 0))
}

/// Answers what is read, until there is no more.
fn be_the_solver() -> ExitCode {
    let output = Output::new(
        Box::new(BufWriter::new(io::stdout())),
        Box::new(io::stderr()),
    );
    let mut session = Session::new(Box::new(Native::new()), Config::default(), output);
    match session.run_stream(io::stdin().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// What the process is sent while a script is run with a preset.
fn sent_by(preset: &str, script: &[u8]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let tee = folder.path().join("sent.smt2");
    let layers = Layers::preset(preset).expect("a preset");
    let mut process = Process::new(stand_in(folder.path()));
    process.name_assigned(layers.name_assigned);
    process.tee(&tee).expect("a writable folder");
    let solver = Chain::before(Box::new(process), layers, None, None);
    let output = Output::new(Box::new(io::sink()), Box::new(io::stderr()));
    let mut session = Session::new(solver, Config::default(), output);
    session.run_script(script).expect("answers go nowhere");
    let outcome = session.outcome();
    let problems = outcome.errors + outcome.status_mismatches + outcome.wrong_models;
    assert_eq!(problems, 0, "{preset}: {outcome:?}");
    assert_eq!(session.stats().unknown, 0, "{preset}");
    drop(session);
    fs::read_to_string(&tee).expect("what was sent")
}

/// This program, as what the solver takes for z3.
fn stand_in(folder: &Path) -> Backend {
    let path: PathBuf = folder.join("z3");
    symlink(env::current_exe().expect("this program"), &path).expect("a link");
    Backend::command(&path.to_string_lossy(), &[AS_SOLVER.to_owned()])
}
