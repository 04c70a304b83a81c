//! The fit behind the weights of [`refrain_path::work`]: how many nanoseconds each kind of counted work takes.
//!
//! Recorded scripts are run with all layers and without some of them, `RUNS` times each. Every check is a sample: its
//! counts, which are the same each time, and the shortest of its times. The fit is that of non-negative least squares,
//! with the square of an error divided by the time, which is what its variance grows with.
//!
//! Beside the weight that a kind has and the fitted one stands the range of what is fitted where one script is left
//! out: a narrow one is a weight that can be relied on. What fitted weights are off by is measured on the script that
//! was left out, and for comparison what the weights that there are do, as they are and times one factor for all:
//! machines are faster or slower.
//!
//! `cargo bench -p refrain-reuse --bench work [-- DIR]`; DIR holds `.smt2` or `.smt2.zst` files and is
//! `../shared/data/klee-coreutils` beside the repository unless given.

use std::cell::RefCell;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use refrain_path::work::{KINDS, NANOSECONDS};
use refrain_reuse::{Chain, Layers};
use refrain_smtlib::{Config, Output, Session};
use refrain_solver::native::Native;
use refrain_solver::{Outcome, Query, Solver, Stats};
use refrain_term::{Assignment, Term, Terms};

/// How often a script is run with the same layers.
const RUNS: usize = 3;

/// What is switched off of the preset `full`. Without gates every layer is tried on every check.
const WITHOUT: [&[&str]; 6] = [
    &[],
    &["gates"],
    &["gates", "repair"],
    &["gates", "model"],
    &["gates", "repair", "renaming", "quick-test"],
    &["gates", "model", "reduce", "exact", "canonize", "sets"],
];

/// By kind: nanoseconds, or counts.
type Vector = [f64; KINDS];

/// A check: what was counted, and how many nanoseconds it took.
#[derive(Clone, PartialEq)]
struct Sample {
    counts: [u64; KINDS],
    time: f64,
}

impl Sample {
    fn predicted(&self, weights: &Vector) -> f64 {
        let parts = self.counts.iter().zip(weights);
        parts.map(|(&count, each)| count as f64 * each).sum()
    }
}

/// A chain whose checks are samples.
struct Sampled {
    chain: Chain,
    samples: Rc<RefCell<Vec<Sample>>>,
}

impl Solver for Sampled {
    fn name(&self) -> &str {
        self.chain.name()
    }

    fn push(&mut self) {
        self.chain.push();
    }

    fn pop(&mut self, levels: usize) {
        self.chain.pop(levels);
    }

    fn assert(&mut self, terms: &mut Terms, formula: Term) {
        self.chain.assert(terms, formula);
    }

    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Outcome {
        let before = self.chain.work().counts();
        let started = Instant::now();
        let outcome = self.chain.check(terms, query);
        let time = started.elapsed().as_nanos() as f64;
        let mut counts = self.chain.work().counts();
        for (count, before) in counts.iter_mut().zip(before) {
            *count -= before;
        }
        self.samples.borrow_mut().push(Sample { counts, time });
        outcome
    }

    fn suggest(&mut self, terms: &Terms, model: &Arc<Assignment>) {
        self.chain.suggest(terms, model);
    }

    fn reset(&mut self) {
        self.chain.reset();
    }

    fn stats(&self) -> Stats {
        self.chain.stats()
    }
}

/// The checks of a script with these layers, once.
fn run(script: &[u8], layers: &Layers) -> Vec<Sample> {
    let samples = Rc::default();
    let solver = Sampled {
        chain: Chain::new(Box::new(Native::new()), layers.clone()),
        samples: Rc::clone(&samples),
    };
    let output = Output::new(Box::new(io::sink()), Box::new(io::sink()));
    let mut session = Session::new(Box::new(solver), Config::default(), output);
    session.run_script(script).expect("answers go nowhere");
    samples.take()
}

/// The checks of a script with these layers, each with the shortest time that it took.
fn sample(script: &[u8], layers: &Layers) -> Vec<Sample> {
    let mut shortest = run(script, layers);
    for _ in 1..RUNS {
        let again = run(script, layers);
        assert_eq!(again.len(), shortest.len());
        for (sample, again) in shortest.iter_mut().zip(again) {
            assert_eq!(sample.counts, again.counts, "counts are the same each time");
            sample.time = sample.time.min(again.time);
        }
    }
    shortest
}

/// The normal equations of samples: `matrix * weights = right` where the error is least.
#[derive(Clone)]
struct Normal {
    matrix: [Vector; KINDS],
    right: Vector,
}

impl Normal {
    fn new(samples: &[Sample]) -> Normal {
        let mut normal = Normal {
            matrix: [[0.0; KINDS]; KINDS],
            right: [0.0; KINDS],
        };
        for Sample { counts, time } in samples {
            let counts = counts.map(|count| count as f64);
            for (row, own) in counts.iter().enumerate() {
                for (column, other) in counts.iter().enumerate() {
                    normal.matrix[row][column] += own * other / time;
                }
                normal.right[row] += own;
            }
        }
        normal
    }

    fn sum<'a>(parts: impl Iterator<Item = &'a Normal>) -> Normal {
        let mut sum = Normal::new(&[]);
        for part in parts {
            for row in 0..KINDS {
                for column in 0..KINDS {
                    sum.matrix[row][column] += part.matrix[row][column];
                }
                sum.right[row] += part.right[row];
            }
        }
        sum
    }

    /// The weights of least error that are not negative: one after the other is set to what is best for it alone,
    /// until that changes nothing. The error is convex, so there is no other minimum.
    fn solve(&self) -> Vector {
        let mut weights = [0.0; KINDS];
        for _ in 0..100_000 {
            let mut change = 0.0f64;
            for kind in 0..KINDS {
                let (row, own) = (&self.matrix[kind], self.matrix[kind][kind]);
                if own == 0.0 {
                    continue;
                }
                let step = (self.right[kind] - dot(row, &weights)) / own;
                let weight = (weights[kind] + step).max(0.0);
                change = change.max((weight - weights[kind]).abs() / (1.0 + weight));
                weights[kind] = weight;
            }
            if change < 1e-9 {
                break;
            }
        }
        weights
    }

    /// The factor by which these weights fit best.
    fn factor(&self, weights: &Vector) -> f64 {
        let rows = self.matrix.iter().map(|row| dot(row, weights));
        let square: f64 = rows.zip(weights).map(|(row, weight)| row * weight).sum();
        dot(&self.right, weights) / square
    }
}

fn dot(a: &Vector, b: &Vector) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn scaled(weights: &Vector, factor: f64) -> Vector {
    weights.map(|weight| factor * weight)
}

/// How far weights are off.
#[derive(Default)]
struct Errors {
    /// By check.
    relative: Vec<f64>,
    /// All squares, divided by the time; and those of the one time that is best for all checks.
    squares: f64,
    spread: f64,
}

impl Errors {
    fn add(&mut self, samples: &[Sample], weights: &Vector, mean: f64) {
        for sample in samples {
            let error = sample.predicted(weights) - sample.time;
            self.relative.push(error.abs() / sample.time);
            self.squares += error * error / sample.time;
            self.spread += (mean - sample.time).powi(2) / sample.time;
        }
    }

    fn print(mut self, of: &str) {
        self.relative.sort_unstable_by(f64::total_cmp);
        let median = self.relative[self.relative.len() / 2];
        let explained = 1.0 - self.squares / self.spread;
        println!(
            "{of:<32} R² {explained:6.3}, median relative error of a check {:3.0} %",
            100.0 * median
        );
    }
}

/// The scripts of a folder, by name.
fn scripts(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    let read = |path: &PathBuf| {
        let name = path.file_name()?.to_str()?;
        let bytes = std::fs::read(path).ok()?;
        let Some(name) = name.strip_suffix(".smt2.zst") else {
            return Some((name.strip_suffix(".smt2")?.to_owned(), bytes));
        };
        let mut script = Vec::new();
        let mut decoder = ruzstd::decoding::StreamingDecoder::new(&bytes[..]).ok()?;
        decoder.read_to_end(&mut script).ok()?;
        Some((name.to_owned(), script))
    };
    paths.iter().filter_map(read).collect()
}

fn main() {
    let given = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with('-'));
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/klee-coreutils");
    let folder = given.map_or(default, PathBuf::from);
    let scripts = scripts(&folder);
    if scripts.len() < 2 {
        println!(
            "two scripts at least are needed, and {} has {}; pass a directory of .smt2 or .smt2.zst files",
            folder.display(),
            scripts.len()
        );
        return;
    }
    let mut samples: Vec<Vec<Sample>> = Vec::new();
    for (name, script) in &scripts {
        let mut own = Vec::new();
        for without in WITHOUT {
            let mut layers = Layers::preset("full").expect("a preset");
            assert!(without.iter().all(|layer| layers.without(layer)));
            own.extend(sample(script, &layers));
        }
        let time: f64 = own.iter().map(|sample| sample.time).sum();
        println!("{name}: {} checks, {:.2} s", own.len(), time / 1e9);
        samples.push(own);
    }
    report(&samples);
}

fn report(samples: &[Vec<Sample>]) {
    let present = NANOSECONDS.map(|(_, weight)| weight as f64);
    let parts: Vec<Normal> = samples.iter().map(|own| Normal::new(own)).collect();
    let all = Normal::sum(parts.iter());
    let fitted = all.solve();
    let without: Vec<Normal> = (0..parts.len())
        .map(|left_out| {
            let others = parts.iter().enumerate().filter(|&(at, _)| at != left_out);
            Normal::sum(others.map(|(_, part)| part))
        })
        .collect();
    let fits: Vec<Vector> = without.iter().map(Normal::solve).collect();

    let total: f64 = samples.iter().flatten().map(|sample| sample.time).sum();
    println!(
        "\n{:<16}{:>14}{:>8}{:>9}{:>10}  without one script",
        "kind", "count", "share", "weight", "fitted"
    );
    for (at, (kind, weight)) in NANOSECONDS.into_iter().enumerate() {
        // What a sample weighs in the normal equations is its time, so the right side is the count.
        let count = all.right[at];
        let range = fits.iter().map(|fit| fit[at]);
        let low = range.clone().fold(f64::INFINITY, f64::min);
        let high = range.fold(0.0, f64::max);
        println!(
            "{:<16}{count:>14}{:>6.1} %{weight:>9}{:>10.1}  {low:.1} to {high:.1}",
            format!("{kind:?}"),
            100.0 * count * fitted[at] / total,
            fitted[at],
        );
    }

    let (mut of_present, mut of_scaled, mut of_fitted) =
        (Errors::default(), Errors::default(), Errors::default());
    let times = samples.iter().flatten().map(|sample| sample.time);
    // The constant with the least error, likewise.
    let mean = times.clone().count() as f64 / times.map(|time| 1.0 / time).sum::<f64>();
    for ((own, others), fit) in samples.iter().zip(&without).zip(&fits) {
        of_present.add(own, &present, mean);
        of_scaled.add(own, &scaled(&present, others.factor(&present)), mean);
        of_fitted.add(own, fit, mean);
    }
    println!();
    of_present.print("the weights");
    of_scaled.print(&format!("the weights times {:.2}", all.factor(&present)));
    of_fitted.print("fitted to the other scripts");
}
