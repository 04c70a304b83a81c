//! Chains of inequalities over a few bounded floats: sums of products with constants (as in Griggio's family), and
//! with products of the unknowns. Every other one has a point that satisfies it.

use super::literal::Precision::{self, Double, Single};
use crate::random::Rng;
use std::fmt::Write as _;

struct Chain<'a> {
    precision: Precision,
    /// Where the chain is true, if it is meant to be.
    point: Vec<f64>,
    rng: &'a mut Rng,
}

/// A term and its value at the point.
type Valued = (String, f64);

pub fn linear(number: u64, rng: &mut Rng) -> String {
    script(number, rng, |chain| {
        let unknowns = chain.point.len();
        let length = chain.rng.between(2, unknowns.max(2) as u32 + 1);
        let parts: Vec<Valued> = (0..length)
            .map(|_| {
                let (factor, unknown) = (chain.constant(), chain.unknown());
                chain.product(factor, unknown)
            })
            .collect();
        chain.sum(parts)
    })
}

pub fn quadratic(number: u64, rng: &mut Rng) -> String {
    script(number, rng, |chain| {
        let length = chain.rng.between(1, 3);
        let parts: Vec<Valued> = (0..length)
            .map(|_| {
                let (a, b) = (chain.unknown(), chain.unknown());
                let product = chain.product(a, b);
                match chain.rng.percent(50) {
                    true => product,
                    false => {
                        let factor = chain.constant();
                        chain.product(factor, product)
                    }
                }
            })
            .collect();
        chain.sum(parts)
    })
}

fn script(number: u64, rng: &mut Rng, left: fn(&mut Chain<'_>) -> Valued) -> String {
    let precision = *rng.pick(&[Single, Double]);
    let unknowns = rng.between(2, 6);
    let mut text = String::from("(set-logic QF_FP)\n");
    let mut point = Vec::new();
    for unknown in 0..unknowns {
        let bound = f64::from(rng.between(1, 100));
        let at = precision.round((rng.between(0, 2000) as f64 / 1000.0 - 1.0) * bound);
        let (low, high) = (precision.literal(-bound), precision.literal(bound));
        let _ = writeln!(text, "(declare-fun x{unknown} () {})", precision.sort());
        let _ = writeln!(text, "(assert (fp.leq {low} x{unknown}))");
        let _ = writeln!(text, "(assert (fp.leq x{unknown} {high}))");
        point.push(at);
    }
    let inequalities = rng.between(2, 7);
    let is_satisfied = number.is_multiple_of(2);
    let mut chain = Chain {
        precision,
        point,
        rng,
    };
    for _ in 0..inequalities {
        let (term, value) = left(&mut chain);
        let upper = chain.rng.percent(50);
        // How far the bound is from the value at the point; beyond it, where the chain is not meant to hold there.
        let slack = f64::from(chain.rng.between(0, 1000)) / 100.0;
        let slack = if is_satisfied { slack } else { -slack };
        let bound = precision.literal(if upper { value + slack } else { value - slack });
        let relation = if upper { "fp.leq" } else { "fp.geq" };
        let _ = writeln!(text, "(assert ({relation} {term} {bound}))");
    }
    text + "(check-sat)\n"
}

impl Chain<'_> {
    fn constant(&mut self) -> Valued {
        let value = f64::from(self.rng.between(0, 2000)) / 1000.0 - 1.0;
        (self.precision.literal(value), self.precision.round(value))
    }

    fn unknown(&mut self) -> Valued {
        let which = self.rng.below(self.point.len());
        (format!("x{which}"), self.point[which])
    }

    fn product(&mut self, a: Valued, b: Valued) -> Valued {
        (
            format!("(fp.mul RNE {} {})", a.0, b.0),
            self.precision.round(a.1 * b.1),
        )
    }

    fn sum(&mut self, parts: Vec<Valued>) -> Valued {
        let add = |a: Valued, b: Valued| {
            let value = self.precision.round(a.1 + b.1);
            (format!("(fp.add RNE {} {})", a.0, b.0), value)
        };
        parts.into_iter().reduce(add).expect("at least one part")
    }
}
