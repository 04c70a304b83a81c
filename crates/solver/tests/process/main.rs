//! Solver processes: scripted ones that misbehave, and z3, cvc5 and yices-smt2, which must be on the PATH.

mod assignments;
mod numbers;
mod portfolios;
mod real;
mod scripted;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use refrain_solver::portfolio::{Member, Portfolio};
use refrain_solver::process::{Backend, Process};
use refrain_solver::select::{self, Options};
use refrain_solver::{CheckResult, Conflict, Limits, Outcome, Query, Reason, Solver, Verdict};
use refrain_term::{Bv, Sort, Term, Terms, Value, eval};
use refrain_testing::Random;

const REAL: [&str; 3] = ["z3", "cvc5", "yices"];
const BYTE: Sort = Sort::BitVec(8);
const BYTES: Sort = Sort::Array {
    index: 8,
    element: 8,
};

/// A folder that is gone after the test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "refrain-process-{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap_or_default()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A solver that is a shell script, run in `folder`: `on_line` is what it does with each `$line` it reads.
fn script(folder: &Folder, on_line: &str) -> Process {
    let path = folder.file("solver.sh");
    let text = format!(
        "cd '{}'\nwhile read -r line; do\n{on_line}\ndone\n",
        folder.0.display()
    );
    fs::write(&path, text).expect("the script is written");
    Process::new(Backend::command("sh", &[path.display().to_string()]))
}

/// A solver that is a shell script with an answer to each command.
fn answering(folder: &Folder, check_sat: &str, get_value: &str) -> Process {
    let on_line =
        format!("case \"$line\" in *check-sat*) {check_sat};; *get-value*) {get_value};; esac");
    script(folder, &on_line)
}

fn within(time: Duration) -> Limits {
    Limits {
        deadline: Some(Instant::now() + time),
        stop: None,
        conflicts: None,
    }
}

/// Longer than any of this takes, so that a test does not hang.
fn enough() -> Limits {
    within(Duration::from_secs(60))
}

/// Asserts that `x = 5` and checks.
fn check_one(solver: &mut dyn Solver, terms: &mut Terms, limits: &Limits) -> Verdict {
    let formula = x_is(terms, 5);
    solver.assert(terms, formula);
    solver.check(terms, &Query::new(&[], limits)).verdict()
}

/// Checks, and wants a core.
fn ask(solver: &mut dyn Solver, terms: &mut Terms, assumptions: &[Term]) -> Outcome {
    solver.check(terms, &Query::new(assumptions, &enough()).with_core())
}

/// The core of what was found to be impossible.
fn core(outcome: Outcome) -> Vec<Term> {
    match outcome.result {
        CheckResult::Unsat(conflict) => conflict.core,
        other => panic!("unsat was expected, not {other:?}"),
    }
}

fn x_is(terms: &mut Terms, value: u64) -> Term {
    let (x, value) = (terms.var("x", BYTE), terms.bv(8, value));
    terms.eq(x, value)
}

fn failure(verdict: Verdict) -> String {
    match verdict {
        Verdict::Unknown(Reason::Failed(text)) => text,
        other => panic!("a failure was expected, not {other:?}"),
    }
}

/// Whether the process whose number is in the file is gone, or will be in a moment.
fn is_gone(number: &str) -> bool {
    let alive = |number: &str| {
        Command::new("kill")
            .args(["-0", number])
            .output()
            .is_ok_and(|out| out.status.success())
    };
    (0..500).any(|_| {
        thread::sleep(Duration::from_millis(10));
        !alive(number.trim())
    })
}
