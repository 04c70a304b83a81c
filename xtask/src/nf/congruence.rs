//! Congruence of functions over integers: chains of equations, and functions applied again and again.

use super::{Problem, names, shuffle};
use crate::random::Rng;
use std::fmt::Write as _;

pub fn problem(number: u64, rng: &mut Rng) -> Problem {
    let length = 2 + number as usize / 2;
    match number % 3 {
        0 => chain(length, rng),
        1 => iterated(length, rng),
        _ => offsets(length, rng),
    }
}

fn declare(symbols: &[String]) -> String {
    let declare = |name: &String| format!("(declare-fun {name} () Int)\n");
    let symbols: String = symbols.iter().map(declare).collect();
    symbols + "(declare-fun f (Int) Int)\n(declare-fun g (Int Int) Int)\n"
}

fn problem_of(text: String, is_sat: bool) -> Problem {
    Problem {
        logic: "QF_UFLIA",
        text,
        is_sat,
    }
}

/// `x0 = x1 = … = xn`, in any order, and functions of the ends that differ; or one equation short of that.
fn chain(length: usize, rng: &mut Rng) -> Problem {
    let symbols = names("x", length + 1);
    let mut equations: Vec<String> = symbols
        .windows(2)
        .map(|pair| format!("(assert (= {} {}))\n", pair[0], pair[1]))
        .collect();
    shuffle(&mut equations, rng);
    let is_sat = rng.percent(40);
    if is_sat {
        equations.pop();
    }
    let (first, last) = (&symbols[0], &symbols[length]);
    let text = declare(&symbols) + &equations.concat();
    let distinct = format!("(assert (distinct (f (g {first} 1)) (f (g {last} 1))))\n");
    problem_of(text + &distinct, is_sat)
}

/// `f` applied m and n times gives back what it was given, but not once: impossible if m and n are coprime.
fn iterated(length: usize, rng: &mut Rng) -> Problem {
    let m = 2 + length / 2;
    let n = m + 1 + rng.below(2);
    let common = gcd(m, n);
    let apply = |times: usize| "(f ".repeat(times) + "x" + &")".repeat(times);
    let mut text = declare(&names("y", 0)) + "(declare-fun x () Int)\n";
    for times in [m, n] {
        let _ = writeln!(text, "(assert (= {} x))", apply(times));
    }
    let _ = writeln!(text, "(assert (distinct {} x))", apply(1));
    problem_of(text, common != 1)
}

/// Arguments that arithmetic makes equal: `f(x + k)` where `y = x + k`, along a chain.
fn offsets(length: usize, rng: &mut Rng) -> Problem {
    let symbols = names("x", length + 1);
    let mut text = declare(&symbols);
    let mut total = 0;
    for pair in symbols.windows(2) {
        let offset = rng.between(1, 9);
        total += offset;
        let _ = writeln!(text, "(assert (= {} (+ {} {offset})))", pair[1], pair[0]);
    }
    let is_sat = rng.percent(40);
    let shift = total + u32::from(is_sat);
    let (first, last) = (&symbols[0], &symbols[length]);
    let _ = writeln!(text, "(assert (< (f {last}) (f (+ {first} {shift}))))");
    problem_of(text, is_sat)
}

fn gcd(a: usize, b: usize) -> usize {
    match b {
        0 => a,
        _ => gcd(b, a % b),
    }
}
