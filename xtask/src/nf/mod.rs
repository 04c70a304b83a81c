//! `cargo xtask bench-nf`: `refrain smt`, z3, yices and Bitwuzla on what normal forms decide, in one run, as ratios: ring
//! identities, divisions that are narrower than they look, terms that nothing constrains, congruence.

mod congruence;
mod division;
mod identities;
mod unconstrained;

use crate::families::{Benchmark, Problem, declare, names};
use crate::random::Rng;

pub const BENCHMARK: Benchmark = Benchmark {
    name: "nf-bench",
    generation: 1,
    scripts: 100,
    families: &[
        ("products", identities::products),
        ("distribution", identities::distribution),
        ("binomials", identities::binomials),
        ("shifts", identities::shifts),
        ("contexts", identities::contexts),
        ("narrow-division", division::narrow),
        ("powers-of-two", division::powers_of_two),
        ("multiples", division::multiples),
        ("extensions", division::extensions),
        ("unconstrained", unconstrained::problem),
        ("congruence", congruence::problem),
    ],
};

fn shuffle<T>(items: &mut [T], rng: &mut Rng) {
    for place in (1..items.len()).rev() {
        items.swap(place, rng.below(place + 1));
    }
}

/// Operands under a binary operator, nested at random.
fn nested(operator: &str, operands: &[String], rng: &mut Rng) -> String {
    match operands {
        [single] => single.clone(),
        _ => {
            let split = 1 + rng.below(operands.len() - 1);
            let (left, right) = operands.split_at(split);
            let (left, right) = (nested(operator, left, rng), nested(operator, right, rng));
            format!("({operator} {left} {right})")
        }
    }
}

/// Two terms that are equal are not; or, of a few, that one plus an odd constant is the other.
fn refute(declarations: String, width: u32, left: &str, right: &str, rng: &mut Rng) -> Problem {
    let assertion = match rng.percent(80) {
        true => format!("(assert (distinct {left} {right}))\n"),
        false => format!("(assert (= (bvadd {left} (_ bv1 {width})) {right}))\n"),
    };
    Problem {
        logic: "QF_BV",
        text: declarations + &assertion,
        is_sat: false,
    }
}
