//! Two loads in one run, on the native engine and, with `--features batsat`, on batsat:
//! a stream of small incremental queries along the paths of a program, and the factoring of a number
//! through a multiplier circuit, once a prime (unsat) and once a product (sat).
//!
//! `cargo run --release --example bench --features batsat`

use std::time::Instant;

use refrain_sat::{Cdcl, Engine, Lit, Outcome, Query, Var};
use refrain_testing::Random;

struct Gates<'a, E: Engine>(&'a mut E);

impl<E: Engine> Gates<'_, E> {
    fn input(&mut self) -> Lit {
        self.0.new_var().positive()
    }

    fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let out = self.input();
        self.0.add_clause(&[!out, a]);
        self.0.add_clause(&[!out, b]);
        self.0.add_clause(&[out, !a, !b]);
        out
    }

    fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let out = self.input();
        self.0.add_clause(&[!out, a, b]);
        self.0.add_clause(&[!out, !a, !b]);
        self.0.add_clause(&[out, !a, b]);
        self.0.add_clause(&[out, a, !b]);
        out
    }

    fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let out = self.input();
        for (x, y) in [(a, b), (a, c), (b, c)] {
            self.0.add_clause(&[!out, x, y]);
            self.0.add_clause(&[out, !x, !y]);
        }
        out
    }

    fn constant(&mut self, value: bool) -> Lit {
        let lit = self.input();
        self.0.add_clause(&[if value { lit } else { !lit }]);
        lit
    }

    fn add(&mut self, a: &[Lit], b: &[Lit], zero: Lit) -> Vec<Lit> {
        let mut carry = zero;
        let mut sum = Vec::new();
        for (&x, &y) in a.iter().zip(b) {
            let half = self.xor(x, y);
            sum.push(self.xor(half, carry));
            carry = self.majority(x, y, carry);
        }
        sum
    }

    fn less(&mut self, a: &[Lit], b: &[Lit], zero: Lit) -> Lit {
        let mut less = zero;
        for (&x, &y) in a.iter().zip(b) {
            less = self.majority(!x, y, less);
        }
        less
    }

    fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let bits: Vec<Lit> = a.iter().zip(b).map(|(&x, &y)| !self.xor(x, y)).collect();
        bits.into_iter()
            .reduce(|all, bit| self.and(all, bit))
            .expect("some bits")
    }

    fn multiply(&mut self, a: &[Lit], b: &[Lit], zero: Lit) -> Vec<Lit> {
        let width = a.len() + b.len();
        let mut total = vec![zero; width];
        for (shift, &bit) in b.iter().enumerate() {
            let mut row = vec![zero; width];
            for (at, &x) in a.iter().enumerate() {
                row[shift + at] = self.and(x, bit);
            }
            total = self.add(&total, &row, zero);
        }
        total
    }
}

/// Factors `product` into two numbers of `width` bits, neither of them 1.
fn factoring<E: Engine + Default>(width: usize, product: u64, expected: Outcome) -> String {
    let mut engine = E::default();
    let mut gates = Gates(&mut engine);
    let zero = gates.constant(false);
    let a: Vec<Lit> = (0..width).map(|_| gates.input()).collect();
    let b: Vec<Lit> = (0..width).map(|_| gates.input()).collect();
    let result = gates.multiply(&a, &b, zero);
    engine.add_clause(&a[1..]);
    engine.add_clause(&b[1..]);
    let asked: Vec<Lit> = result
        .iter()
        .enumerate()
        .map(|(at, &bit)| if product >> at & 1 == 1 { bit } else { !bit })
        .collect();
    let decide: Vec<Var> = a.iter().chain(&b).map(|lit| lit.var()).collect();
    let start = Instant::now();
    let outcome = engine.solve(Query::new(&asked).deciding(&decide));
    let time = start.elapsed();
    assert_eq!(outcome, expected);
    if outcome == Outcome::Sat {
        let number = |bits: &[Lit]| -> u64 {
            let bits = bits.iter().enumerate();
            bits.map(|(at, &bit)| u64::from(engine.value(bit) == Some(true)) << at)
                .sum()
        };
        assert_eq!(number(&a) * number(&b), product);
    }
    let stats = engine.stats();
    let rate = stats.propagations as f64 / time.as_secs_f64() / 1e6;
    format!(
        "{:8.3} s {:9} conflicts {:6.2} M propagations/s",
        time.as_secs_f64(),
        stats.conflicts,
        rate
    )
}

/// Walks paths through a program with so many branch conditions, comparisons of 16-bit words that are
/// encoded when first met: at each step both branches are asked for, and one that is feasible is taken.
fn paths<E: Engine + Default>(paths: usize, depth: usize, branches: usize) -> String {
    let mut engine = E::default();
    let mut random = Random::new(7);
    let mut random = move |bound: usize| random.below(bound);
    let mut gates = Gates(&mut engine);
    let zero = gates.constant(false);
    let inputs: Vec<Vec<Lit>> = (0..8)
        .map(|_| (0..16).map(|_| gates.input()).collect())
        .collect();
    let mut queries = 0u32;
    let mut sat = 0u32;
    let start = Instant::now();
    let mut path: Vec<Lit> = Vec::new();
    // The words that each step of the path reads.
    let mut read: Vec<[usize; 2]> = Vec::new();
    let mut known: Vec<Option<(Lit, [usize; 2])>> = vec![None; branches];
    for _ in 0..paths {
        // Go on from some point of the path before, as depth-first search does.
        path.truncate(path.len().saturating_sub(1 + random(depth / 2)));
        read.truncate(path.len());
        while path.len() < depth {
            let branch = random(branches);
            let (condition, words) = known[branch].unwrap_or_else(|| {
                let mut gates = Gates(&mut engine);
                let words = [(); 2].map(|()| random(inputs.len()));
                let [x, y] = words.map(|word| &inputs[word]);
                let number: Vec<Lit> = (0..16)
                    .map(|_| if random(2) == 0 { zero } else { !zero })
                    .collect();
                let condition = match random(8) {
                    0 => gates.equal(&x[..8], &number),
                    1 => gates.less(x, y, zero),
                    2..=4 => gates.less(x, &number, zero),
                    _ => {
                        let sum = gates.add(x, &number, zero);
                        gates.less(&sum, y, zero)
                    }
                };
                (condition, words)
            });
            known[branch] = Some((condition, words));
            read.push(words);
            let cone = (0..inputs.len()).filter(|word| read.iter().flatten().any(|w| w == word));
            let decide: Vec<Var> = cone
                .flat_map(|word| inputs[word].iter().map(|lit| lit.var()))
                .collect();
            let mut feasible = Vec::new();
            for branch in [condition, !condition] {
                path.push(branch);
                queries += 1;
                if engine.solve(Query::new(&path).deciding(&decide)) == Outcome::Sat {
                    sat += 1;
                    feasible.push(branch);
                }
                path.pop();
            }
            path.push(feasible[random(feasible.len())]);
        }
    }
    let micros = start.elapsed().as_micros() as f64 / f64::from(queries);
    let stats = engine.stats();
    format!(
        "{micros:8.2} us a query, {queries} queries, {sat} sat, {} vars, {} conflicts, {} propagations, {} reused, {} decisions",
        engine.num_vars(),
        stats.conflicts,
        stats.propagations,
        stats.reused_models,
        stats.decisions,
    )
}

fn load<E: Engine + Default>(name: &str, width: usize, hard: bool) {
    for branches in [60, 1000] {
        let figures = paths::<E>(200, 40, branches);
        println!("{name:8} {branches:4} branches  {figures}");
    }
    if hard {
        // Primes and products of primes, in the middle of the range.
        let instances = match width {
            0..=12 => [8_388_593, 6_700_417, 2039 * 2053, 3671 * 2719],
            13..=14 => [134_217_689, 100_000_007, 8191 * 16_381, 9973 * 10_007],
            _ => [
                2_147_483_647,
                1_000_000_007,
                46_337 * 46_349,
                30_011 * 50_021,
            ],
        };
        for (at, product) in instances.into_iter().enumerate() {
            let expected = if at < 2 { Outcome::Unsat } else { Outcome::Sat };
            println!(
                "{name:8} {width}x{width} {product:9}  {}",
                factoring::<E>(width, product, expected)
            );
        }
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let width = args.next().and_then(|w| w.parse().ok()).unwrap_or(12);
    load::<Cdcl>("native", width, width > 0);
    #[cfg(feature = "batsat")]
    load::<refrain_sat::Batsat>("batsat", width, width > 0);
}
