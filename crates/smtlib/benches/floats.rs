//! Search against circuits on satisfiable scripts about floats: how many of them search decides, and in what time, beside
//! circuits alone.
//!
//! `cargo bench -p refrain-smtlib --bench floats [-- DIR]`; DIR holds `.smt2` files of one check each, and is what
//! `cargo xtask bench-fp` makes of linear and quadratic inequalities unless given.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use refrain_smtlib::{Config, Output, Session};
use refrain_solver::native::{Native, Tuning};
use refrain_solver::{CheckResult, Limits, Outcome, Query, Solver, Stats};
use refrain_term::{Term, Terms};

/// What circuits alone may take.
const LONGEST: Duration = Duration::from_secs(20);

/// The native solver, timed.
struct Timed {
    native: Native,
    record: Rc<RefCell<Record>>,
}

#[derive(Default)]
struct Record {
    solving: Duration,
    is_sat: bool,
    /// What the engine was asked, and of that what search decided.
    slices: u64,
    searched: u64,
}

impl Solver for Timed {
    fn name(&self) -> &str {
        "timed"
    }
    fn push(&mut self) {
        self.native.push();
    }
    fn pop(&mut self, levels: usize) {
        self.native.pop(levels);
    }
    fn assert(&mut self, terms: &mut Terms, formula: Term) {
        self.native.assert(terms, formula);
    }
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Outcome {
        let start = Instant::now();
        let limits = Limits {
            deadline: Some(start + LONGEST),
            ..query.limits.clone()
        };
        let query = Query {
            limits: &limits,
            ..*query
        };
        let outcome = self.native.check(terms, &query);
        let mut record = self.record.borrow_mut();
        record.solving += start.elapsed();
        record.is_sat = matches!(outcome.result, CheckResult::Sat(_));
        let engine = self.native.native_stats().engine;
        (record.slices, record.searched) = (engine.slices, engine.searched);
        outcome
    }
    fn reset(&mut self) {
        self.native.reset();
    }
    fn stats(&self) -> Stats {
        self.native.stats()
    }
}

fn run(script: &[u8], tuning: Tuning) -> Record {
    let record = Rc::new(RefCell::new(Record::default()));
    let solver = Box::new(Timed {
        native: Native::with_tuning(tuning),
        record: record.clone(),
    });
    let output = Output::new(Box::new(std::io::sink()), Box::new(std::io::sink()));
    let mut session = Session::new(solver, Config::default(), output);
    session.run_script(script).expect("a script that runs");
    drop(session);
    record.take()
}

fn main() {
    let given = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with("--"));
    let made =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/fp-bench/generation-1-seed-1");
    let directories: Vec<PathBuf> = match given {
        Some(given) => vec![given.into()],
        None => vec![made.join("linear"), made.join("quadratic")],
    };
    let mut files: Vec<PathBuf> = Vec::new();
    for directory in &directories {
        let Ok(entries) = std::fs::read_dir(directory) else {
            println!(
                "no scripts in {}: `cargo xtask bench-fp` makes them",
                directory.display()
            );
            return;
        };
        files.extend(entries.filter_map(|entry| Some(entry.ok()?.path())));
    }
    files.retain(|file| {
        file.extension()
            .is_some_and(|extension| extension == "smt2")
    });
    files.sort();
    let (mut trivial, mut satisfiable, mut searched, mut faster) = (0, 0, 0, 0);
    let mut logarithms = 0.0;
    println!("| script | with search ms | decided by search | circuits alone ms | ratio |");
    println!("|---|---:|---|---:|---:|");
    for file in files {
        let script = std::fs::read(&file).expect("a file that can be read");
        let both = run(&script, Tuning::default());
        if !both.is_sat {
            continue;
        }
        // The first model satisfies it already.
        if both.slices == 0 {
            trivial += 1;
            continue;
        }
        let circuits = run(
            &script,
            Tuning {
                search: false,
                ..Tuning::default()
            },
        );
        let by_search = both.searched > 0;
        let ratio = circuits.solving.as_secs_f64() / both.solving.as_secs_f64();
        satisfiable += 1;
        searched += u32::from(by_search);
        faster += u32::from(by_search && ratio > 1.0);
        logarithms += ratio.ln();
        println!(
            "| {} | {:.1} | {} | {}{:.1} | {ratio:.1} |",
            file.file_stem().unwrap_or_default().display(),
            both.solving.as_secs_f64() * 1e3,
            if by_search { "yes" } else { "no" },
            if circuits.is_sat { "" } else { ">" },
            circuits.solving.as_secs_f64() * 1e3,
        );
    }
    let mean = (logarithms / f64::from(satisfiable.max(1))).exp();
    println!(
        "\n{satisfiable} satisfiable, and {trivial} by the first model; search decides {searched}, {faster} faster than circuits; geometric mean {mean:.1}"
    );
}
