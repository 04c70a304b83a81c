//! Single operators (as in Wintersteiger's family): operands that are equal to constants and a result that is right or
//! wrong, and operands to be found; each between push and pop.

use super::literal::Precision::{self, Double, Single};
use crate::random::Rng;
use std::fmt::Write as _;

const PROBLEMS_PER_SCRIPT: usize = 20;

/// Its name and arity.
const OPERATORS: &[(&str, usize)] = &[
    ("fp.add RNE", 2),
    ("fp.sub RNE", 2),
    ("fp.mul RNE", 2),
    ("fp.div RNE", 2),
    ("fp.sqrt RNE", 1),
    ("fp.roundToIntegral RTZ", 1),
    ("fp.abs", 1),
    ("fp.min", 2),
    ("fp.max", 2),
];

pub fn script(_number: u64, rng: &mut Rng) -> String {
    let mut text = String::from("(set-logic QF_FP)\n");
    for precision in [Single, Double] {
        let letter = letter(precision);
        for name in ["x", "y", "r"] {
            let _ = writeln!(text, "(declare-fun {name}{letter} () {})", precision.sort());
        }
    }
    for _ in 0..PROBLEMS_PER_SCRIPT {
        problem(rng, &mut text);
    }
    text
}

fn letter(precision: Precision) -> &'static str {
    match precision {
        Single => "f",
        Double => "d",
    }
}

fn problem(rng: &mut Rng, text: &mut String) {
    let precision = *rng.pick(&[Single, Double]);
    let letter = letter(precision);
    let &(operator, arity) = rng.pick(OPERATORS);
    let (x, y) = (number(rng, precision), number(rng, precision));
    let result = precision.round(value(operator, x, y));
    let result = match rng.percent(50) {
        true => result,
        false => neighbour(precision, result),
    };
    text.push_str("(push 1)\n");
    // The last operand is to be found in a third of them.
    let is_open = rng.percent(33);
    let given = arity - usize::from(is_open);
    for (name, value) in [("x", x), ("y", y)].into_iter().take(given) {
        let _ = writeln!(
            text,
            "(assert (= {name}{letter} {}))",
            precision.literal(value)
        );
    }
    let operands: Vec<String> = ["x", "y"]
        .iter()
        .take(arity)
        .map(|name| format!("{name}{letter}"))
        .collect();
    let _ = writeln!(
        text,
        "(assert (= r{letter} ({operator} {})))",
        operands.join(" ")
    );
    let _ = writeln!(text, "(assert (= r{letter} {}))", precision.literal(result));
    text.push_str("(check-sat)\n(pop 1)\n");
}

/// Ordinary numbers mostly, any bits at times.
fn number(rng: &mut Rng, precision: Precision) -> f64 {
    let value = match rng.percent(80) {
        true => (rng.between(0, 2_000_000) as f64 - 1e6) / f64::from(rng.between(1, 1000)),
        false => f64::from_bits(rng.next()),
    };
    let value = precision.round(value);
    if value.is_nan() { 1.0 } else { value }
}

fn value(operator: &str, x: f64, y: f64) -> f64 {
    match operator {
        "fp.add RNE" => x + y,
        "fp.sub RNE" => x - y,
        "fp.mul RNE" => x * y,
        "fp.div RNE" => x / y,
        "fp.sqrt RNE" => x.sqrt(),
        "fp.roundToIntegral RTZ" => x.trunc(),
        "fp.abs" => x.abs(),
        "fp.min" => x.min(y),
        "fp.max" => x.max(y),
        _ => unreachable!("an operator of the list"),
    }
}

/// A float next to this one.
fn neighbour(precision: Precision, value: f64) -> f64 {
    match precision {
        Single => f64::from((value as f32).next_up()),
        Double => value.next_up(),
    }
}
