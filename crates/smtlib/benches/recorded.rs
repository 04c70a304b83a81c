//! Measurements on recorded scripts, as ratios within one run: column evaluation against single evaluation on the
//! scripts' atoms, and solving with against without partial solutions.
//!
//! `cargo bench -p refrain-smtlib --bench recorded [-- DIR]`; DIR holds `.smt2` or `.smt2.zst` files and is
//! `../shared/data/klee-coreutils` beside the repository unless given.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use refrain_smtlib::{Config, Output, Session};
use refrain_solver::native::{Native, Tuning};
use refrain_solver::{Outcome, Query, Solver, Stats};
use refrain_term::{
    Assignment, Batch, Bits, Bv, Evaluator, Input, Op, Support, Term, Terms, reachable,
};

/// The native solver, timed, and what it was asked.
struct Recorder {
    native: Native,
    record: Rc<RefCell<Record>>,
}

#[derive(Default)]
struct Record {
    solving: Duration,
    partial_solutions: u64,
    atoms: BTreeSet<Term>,
}

impl Solver for Recorder {
    fn name(&self) -> &str {
        "recorder"
    }
    fn push(&mut self) {
        self.native.push();
    }
    fn pop(&mut self, levels: usize) {
        self.native.pop(levels);
    }
    fn assert(&mut self, terms: &mut Terms, formula: Term) {
        self.record.borrow_mut().atoms.insert(formula);
        self.native.assert(terms, formula);
    }
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Outcome {
        let start = Instant::now();
        let outcome = self.native.check(terms, query);
        let mut record = self.record.borrow_mut();
        record.solving += start.elapsed();
        record.partial_solutions = self.native.stats().partial_solutions;
        outcome
    }
    fn reset(&mut self) {
        self.native.reset();
    }
    fn stats(&self) -> Stats {
        self.native.stats()
    }
}

/// Runs a script and returns the session with what the solver was asked.
fn run(script: &[u8], tuning: Tuning, partial: Option<usize>) -> (Session, Rc<RefCell<Record>>) {
    let record = Rc::new(RefCell::new(Record::default()));
    let solver = Box::new(Recorder {
        native: Native::with_tuning(tuning),
        record: record.clone(),
    });
    let output = Output::new(Box::new(std::io::sink()), Box::new(std::io::sink()));
    let config = Config {
        partial_solutions: partial,
        ..Config::default()
    };
    let mut session = Session::new(solver, config, output);
    session.run_script(script).expect("a script that runs");
    (session, record)
}

/// Random values for all inputs of some atoms, close enough to text that branches go both ways.
fn random_assignments(terms: &Terms, atoms: &[Term], count: usize) -> Vec<Assignment> {
    let mut support = Support::new();
    let inputs: BTreeSet<Input> = atoms
        .iter()
        .flat_map(|&atom| support.inputs(terms, atom).to_vec())
        .collect();
    let mut seed = 0x2545_f491_4f6c_dd1du64;
    let mut random = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    (0..count)
        .map(|_| {
            let mut assignment = Assignment::new();
            for &input in &inputs {
                let Input::Cell(cell) = input else { continue };
                let (array, index) = (terms.arg(cell, 0), terms.arg(cell, 1));
                let Op::Var(var) = terms.op(array) else {
                    continue;
                };
                let index = terms
                    .value(index)
                    .expect("a cell has a constant index")
                    .clone();
                let element = Bv::new(terms.width(cell), random() % 128);
                assignment.set_cell(var, index, element, terms.sort(array));
            }
            assignment
        })
        .collect()
}

/// The shortest of the runs that fit into a tenth of a second, and of three at least.
fn best(mut run: impl FnMut()) -> f64 {
    let begin = Instant::now();
    let mut best = f64::INFINITY;
    let mut runs = 0;
    while runs < 3 || begin.elapsed() < Duration::from_millis(100) {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed().as_secs_f64());
        runs += 1;
    }
    best
}

/// How much cheaper an assignment is in columns than by itself. *Cold* is a new batch, which has yet to read the
/// assignments; *warm* one that has read them for an earlier question, as a pool of known solutions has.
struct Columns {
    cold: f64,
    warm: f64,
}

fn compare_columns(name: &str, script: &[u8]) -> Columns {
    let (session, record) = run(script, Tuning::default(), None);
    let terms = session.terms();
    let atoms: Vec<Term> = record.borrow().atoms.iter().copied().collect();
    let assignments: Vec<Arc<Assignment>> = random_assignments(terms, &atoms, 1024)
        .into_iter()
        .map(Arc::new)
        .collect();
    let lanes = assignments.len() as f64;
    let mut evaluator = Evaluator::new();
    let mut trues = 0;
    let single = best(|| {
        trues = 0;
        for assignment in &assignments {
            evaluator.forget();
            trues += atoms
                .iter()
                .filter(|&&atom| evaluator.bool(terms, assignment, atom))
                .count();
        }
    }) / lanes;
    let agree = |columns: &[Bits]| {
        let found: usize = columns.iter().map(Bits::count).sum();
        assert_eq!(trues, found, "both evaluations agree");
    };
    let cold = best(|| {
        let mut batch = Batch::from_shared(assignments.clone());
        agree(&batch.eval(terms, &atoms));
    }) / lanes;
    let mut batch = Batch::from_shared(assignments.clone());
    agree(&batch.eval(terms, &atoms));
    let warm = best(|| agree(&batch.eval(terms, &atoms))) / lanes;
    println!(
        "| {name} | {} | {} | {:.2} | {:.3} | {:.3} | {:.1} | {:.1} |",
        atoms.len(),
        reachable(terms, &atoms).len(),
        single * 1e6,
        cold * 1e6,
        warm * 1e6,
        single / cold,
        single / warm
    );
    Columns {
        cold: single / cold,
        warm: single / warm,
    }
}

fn compare_partial(name: &str, script: &[u8], tuning: Tuning) -> Option<f64> {
    let mut found = 0;
    let mut times = [f64::INFINITY; 2];
    // Alternating, so that both see the same machine.
    for _ in 0..5 {
        for (time, limit) in times.iter_mut().zip([None, Some(50)]) {
            let (_, record) = run(script, tuning, limit);
            *time = time.min(record.borrow().solving.as_secs_f64());
            found = record.borrow().partial_solutions;
        }
    }
    let [off, on] = times;
    println!(
        "| {name} | {:.2} | {:.2} | {found} | {:.2} |",
        off * 1e3,
        on * 1e3,
        on / off
    );
    Some(on / off)
}

fn scripts(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(directory)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    paths
        .into_iter()
        .filter_map(|path| {
            let name = path.file_name()?.to_str()?.to_owned();
            let bytes = std::fs::read(&path).ok()?;
            if let Some(name) = name.strip_suffix(".smt2.zst") {
                let mut script = Vec::new();
                ruzstd::decoding::StreamingDecoder::new(&bytes[..])
                    .ok()?
                    .read_to_end(&mut script)
                    .ok()?;
                return Some((name.to_owned(), script));
            }
            Some((name.strip_suffix(".smt2")?.to_owned(), bytes))
        })
        .collect()
}

fn geometric_mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp()
}

fn worst(ratios: &[f64]) -> f64 {
    ratios.iter().copied().fold(f64::INFINITY, f64::min)
}

fn main() {
    let given = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with('-'));
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/klee-coreutils");
    let directory = given.map_or(default, PathBuf::from);
    let scripts = scripts(&directory);
    if scripts.is_empty() {
        println!(
            "no scripts in {}; pass a directory of .smt2 or .smt2.zst files",
            directory.display()
        );
        return;
    }

    println!(
        "Column evaluation of 1,024 assignments: microseconds for all atoms of a script under one assignment\n"
    );
    println!("| script | atoms | terms | single | cold | warm | single / cold | single / warm |");
    println!("|---|---|---|---|---|---|---|---|");
    let (cold, warm): (Vec<f64>, Vec<f64>) = scripts
        .iter()
        .map(|(name, script)| compare_columns(name, script))
        .map(|ratios| (ratios.cold, ratios.warm))
        .unzip();
    println!(
        "| geometric mean | | | | | | {:.1} | {:.1} |",
        geometric_mean(&cold),
        geometric_mean(&warm)
    );
    println!(
        "| worst | | | | | | {:.1} | {:.1} |\n",
        worst(&cold),
        worst(&warm)
    );

    let plain = Tuning {
        slices: false,
        values: false,
        ..Tuning::default()
    };
    for (what, tuning) in [
        ("as it is", Tuning::default()),
        ("by the SAT engine alone", plain),
    ] {
        println!("Partial solutions, 50 a check, {what}: milliseconds of solving\n");
        println!("| script | off | on | found | on / off |");
        println!("|---|---|---|---|---|");
        // The largest script takes minutes without the cheap reasoning.
        let ratios: Vec<f64> = scripts
            .iter()
            .filter(|(_, script)| tuning.values || script.len() < 5_000_000)
            .filter_map(|(name, script)| compare_partial(name, script, tuning))
            .collect();
        println!(
            "| geometric mean | | | | {:.2} |\n",
            geometric_mean(&ratios)
        );
    }
}
