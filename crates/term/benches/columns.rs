//! Single against column evaluation, on atoms that look like path conditions over input bytes. Prints the time for
//! one assignment either way, and the ratio between them.
//!
//! `cold` builds the batch and reads the inputs from the assignments, `warm` evaluates a batch that has been used
//! before.

use std::hint::black_box;
use std::time::Instant;

use refrain_term::{Assignment, Batch, Bv, Evaluator, Op, Sort, Term, Terms, VarId};
use refrain_testing::Random;

const BYTES: u64 = 64;
const INPUT: Sort = Sort::Array {
    index: 32,
    element: 8,
};

struct Bench {
    terms: Terms,
    input: Term,
}

impl Bench {
    fn byte(&mut self, at: u64) -> Term {
        let index = self.terms.bv(32, at);
        self.terms.select(self.input, index)
    }

    /// Four bytes as one little-endian number.
    fn word(&mut self, at: u64) -> Term {
        let bytes: Vec<Term> = (0..4).rev().map(|byte| self.byte(at + byte)).collect();
        bytes[1..]
            .iter()
            .fold(bytes[0], |word, &byte| self.terms.concat(word, byte))
    }

    /// Numbers put together from bytes, compared with constants and with each other.
    fn comparisons(&mut self) -> Vec<Term> {
        let mut atoms = Vec::new();
        for at in 0..BYTES - 8 {
            let (a, b) = (self.word(at), self.word(at + 4));
            let bound = self.terms.bv(32, 0x1234_5678 + at * 77);
            let sum = self.terms.bv_add(a, b);
            atoms.push(self.terms.bv_ult(sum, bound));
            atoms.push(self.terms.bv_slt(a, b));
            let difference = self.terms.bv_sub(a, b);
            atoms.push(self.terms.eq(difference, bound));
        }
        atoms
    }

    /// Character classes by a table of 256 entries.
    fn tables(&mut self) -> Vec<Term> {
        let zero = self.terms.bv(16, 0);
        let zeros = self.terms.const_array(32, zero);
        let class = |c: u64| Bv::new(16, c.wrapping_mul(0x9e37) >> 3);
        let table = self.terms.table(
            zeros,
            (0..256).map(|c| (Bv::new(32, c), class(c))).collect(),
        );
        let mut atoms = Vec::new();
        for at in 0..BYTES {
            let byte = self.byte(at);
            let index = self.terms.zero_extend(byte, 24);
            let entry = self.terms.select(table, index);
            for mask in [0x400, 0x15] {
                let mask = self.terms.bv(16, mask);
                let masked = self.terms.bv_and(mask, entry);
                atoms.push(self.terms.eq(zero, masked));
            }
        }
        atoms
    }

    /// `c == ' ' || c == '\t' || …`, and ranges.
    fn or_chains(&mut self) -> Vec<Term> {
        let mut atoms = Vec::new();
        for at in 0..BYTES {
            let byte = self.byte(at);
            let choices: Vec<Term> = [9, 10, 13, 32, 35, 44, 59]
                .into_iter()
                .map(|c| {
                    let c = self.terms.bv(8, c);
                    self.terms.eq(c, byte)
                })
                .collect();
            let chain = self.terms.or(&choices);
            let (low, high) = (self.terms.bv(8, 48), self.terms.bv(8, 57));
            let (above, below) = (self.terms.bv_uge(byte, low), self.terms.bv_ule(byte, high));
            let digit = self.terms.and2(above, below);
            atoms.push(self.terms.or2(chain, digit));
        }
        atoms
    }

    /// A hash of the bytes so far, and a look-up in a small table of what was stored under it.
    fn hashes(&mut self) -> Vec<Term> {
        let mut atoms = Vec::new();
        let mut hash = self.terms.bv(32, 5381);
        let prime = self.terms.bv(32, 16_777_619);
        let mut table = self.terms.var("buckets", INPUT);
        for at in 0..BYTES {
            let byte = self.byte(at);
            let wide = self.terms.zero_extend(byte, 24);
            let mixed = self.terms.bv_xor(hash, wide);
            hash = self.terms.bv_mul(prime, mixed);
            let bucket = self.terms.extract(hash, 5, 0);
            let bucket = self.terms.zero_extend(bucket, 26);
            let found = self.terms.select(table, bucket);
            atoms.push(self.terms.bv_ult(found, byte));
            if at % 4 == 0 {
                table = self.terms.store(table, bucket, byte);
            }
        }
        atoms
    }
}

fn var_id(terms: &Terms, term: Term) -> VarId {
    match terms.op(term) {
        Op::Var(var) => var,
        op => panic!("{op:?} is no symbol"),
    }
}

/// The shortest of several runs, in nanoseconds.
fn time(mut run: impl FnMut()) -> f64 {
    let mut best = f64::MAX;
    let begin = Instant::now();
    while begin.elapsed().as_millis() < 150 {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed().as_nanos() as f64);
    }
    best
}

fn main() {
    let mut terms = Terms::new();
    let input = terms.var("input", INPUT);
    let mut bench = Bench { terms, input };
    let groups = [
        ("comparisons", bench.comparisons()),
        ("table look-ups", bench.tables()),
        ("or-chains", bench.or_chains()),
        ("hashes, stores", bench.hashes()),
    ];
    let terms = bench.terms;
    let var = var_id(&terms, input);
    let mut random = Random::new(1);
    let assignments: Vec<Assignment> = (0..4096)
        .map(|_| {
            let mut assignment = Assignment::new();
            for at in 0..BYTES {
                assignment.set_cell(var, Bv::new(32, at), Bv::new(8, random.next() >> 20), INPUT);
            }
            assignment
        })
        .collect();

    println!(
        "{:<16} {:>7} {:>7} | {:>11} {:>9} {:>9} | {:>6} {:>6}",
        "atoms", "terms", "lanes", "single", "cold", "warm", "cold", "warm"
    );
    println!(
        "{:<16} {:>7} {:>7} | {:>31} | {:>13}",
        "", "", "", "nanoseconds for one assignment", "ratio"
    );
    let everything: Vec<Term> = groups
        .iter()
        .flat_map(|(_, atoms)| atoms.iter().copied())
        .collect();
    for (name, atoms) in groups
        .iter()
        .map(|(name, atoms)| (*name, atoms))
        .chain([("all", &everything)])
    {
        let size = refrain_term::reachable(&terms, atoms).len();
        let mut evaluator = Evaluator::new();
        for lanes in [1, 8, 64, 1024, 4096] {
            let single = time(|| {
                for assignment in &assignments[..lanes] {
                    evaluator.forget();
                    for &atom in atoms {
                        black_box(evaluator.bool(&terms, assignment, atom));
                    }
                }
            }) / lanes as f64;
            let part: Vec<_> = assignments[..lanes]
                .iter()
                .cloned()
                .map(std::sync::Arc::new)
                .collect();
            let cold = time(|| {
                black_box(Batch::from_shared(part.clone()).eval(&terms, atoms));
            }) / lanes as f64;
            let mut batch = Batch::from_shared(part.clone());
            let warm = time(|| {
                black_box(batch.eval(&terms, atoms));
            }) / lanes as f64;
            println!(
                "{name:<16} {size:>7} {lanes:>7} | {single:>11.0} {cold:>9.0} {warm:>9.0} | {:>5.1}x {:>5.1}x",
                single / cold,
                single / warm
            );
        }
    }

    // One byte through all its values, the rest as in a model.
    let sweep: Vec<Assignment> = (0..256)
        .map(|value| {
            let mut assignment = assignments[0].clone();
            assignment.set_cell(var, Bv::new(32, 7), Bv::new(8, value), INPUT);
            assignment
        })
        .collect();
    let mut evaluator = Evaluator::new();
    let single = time(|| {
        for assignment in &sweep {
            evaluator.forget();
            for &atom in &everything {
                black_box(evaluator.bool(&terms, assignment, atom));
            }
        }
    });
    let columns = time(|| {
        let mut batch = Batch::new(256, assignments[0].clone());
        batch.set_cell(var, Bv::new(32, 7), (0..256).collect());
        black_box(batch.eval(&terms, &everything));
    });
    println!(
        "\none byte, 256 values: {:.0} against {:.0} nanoseconds a value, {:.1}x",
        single / 256.0,
        columns / 256.0,
        single / columns
    );
}
