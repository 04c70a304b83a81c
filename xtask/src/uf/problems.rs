//! Problems about equality and functions, by family. Each grows with its number within a script.

use crate::random::Rng;
use std::fmt::Write as _;

/// Declarations and assertions.
#[derive(Default)]
pub struct Problem(String);

impl Problem {
    fn with(signatures: &[(&str, &str)]) -> Problem {
        let mut problem = Problem::default();
        for (name, signature) in signatures {
            let _ = writeln!(problem.0, "(declare-fun {name} {signature})");
        }
        problem
    }

    fn declare(&mut self, prefix: &str, count: usize) {
        for number in 0..count {
            let _ = writeln!(self.0, "(declare-fun {prefix}{number} () Int)");
        }
    }

    fn assert(&mut self, formula: impl AsRef<str>) {
        let _ = writeln!(self.0, "(assert {})", formula.as_ref());
    }

    pub fn text(&self) -> &str {
        &self.0
    }
}

pub type Family = (&'static str, fn(number: usize, &mut Rng) -> Problem);

pub const FAMILIES: &[Family] = &[
    ("diamonds", diamonds),
    ("cycles", cycles),
    ("distinct", distinct),
    ("pigeons", pigeons),
    ("functions", functions),
    ("constants", constants),
    ("uflia", uflia),
    ("uflia-tight", uflia_tight),
];

fn row(operator: &str, members: impl IntoIterator<Item = String>) -> String {
    let mut text = format!("({operator}");
    for member in members {
        text.push(' ');
        text.push_str(&member);
    }
    text + ")"
}

/// From one end to the other there are two ways through each diamond, all equal.
fn diamonds(number: usize, _: &mut Rng) -> Problem {
    let count = 15 * (number + 1);
    let mut problem = Problem::default();
    problem.declare("x", count + 1);
    problem.declare("y", count);
    problem.declare("z", count);
    for at in 0..count {
        let next = at + 1;
        let way = |by: &str| format!("(and (= x{at} {by}{at}) (= {by}{at} x{next}))");
        problem.assert(format!("(or {} {})", way("y"), way("z")));
    }
    problem.assert(format!("(not (= x0 x{count}))"));
    problem
}

/// A function that comes back after 3n and after 5n steps comes back after n.
fn cycles(number: usize, _: &mut Rng) -> Problem {
    let length = 20 * (number + 1);
    let mut problem = Problem::with(&[("a", "() Int"), ("f", "(Int) Int")]);
    let power = |times: usize| format!("{}a{}", "(f ".repeat(times), ")".repeat(times));
    problem.assert(format!("(= {} a)", power(3 * length)));
    problem.assert(format!("(= {} a)", power(5 * length)));
    problem.assert(format!("(not (= {} a))", power(length)));
    problem
}

/// Many numbers, all different, and a function that permutes some of them.
fn distinct(number: usize, rng: &mut Rng) -> Problem {
    let count = 15 * (number + 1);
    let mut problem = Problem::with(&[("f", "(Int) Int")]);
    problem.declare("a", count);
    problem.assert(row("distinct", (0..count).map(|at| format!("a{at}"))));
    for at in 0..count / 2 {
        problem.assert(format!("(= (f a{at}) a{})", rng.below(count)));
    }
    let (from, to) = (rng.below(count / 2), rng.below(count));
    problem.assert(format!("(= (f (f a{from})) a{to})"));
    problem
}

/// One pigeon too many, or just as many as there are holes.
fn pigeons(number: usize, _: &mut Rng) -> Problem {
    let holes = 3 + number / 2;
    let count = holes + 1 - number % 2;
    let mut problem = Problem::default();
    problem.declare("p", count);
    problem.declare("h", holes);
    for pigeon in 0..count {
        let choices = (0..holes).map(|hole| format!("(= p{pigeon} h{hole})"));
        problem.assert(row("or", choices));
    }
    problem.assert(row("distinct", (0..count).map(|at| format!("p{at}"))));
    problem
}

/// A random term over constants `c`, unary `f` and binary `g`; sums, if they are wanted.
fn term(constants: usize, depth: u32, sums: bool, rng: &mut Rng) -> String {
    if depth == 0 {
        return format!("c{}", rng.below(constants));
    }
    let weights = [40, 30, 30, if sums { 25 } else { 0 }];
    match rng.weighted(&weights) {
        0 => format!("c{}", rng.below(constants)),
        1 => format!("(f {})", term(constants, depth - 1, sums, rng)),
        2 => {
            let left = term(constants, depth - 1, sums, rng);
            format!("(g {left} {})", term(constants, depth - 1, sums, rng))
        }
        _ => format!(
            "(+ {} {})",
            term(constants, depth - 1, sums, rng),
            1 + rng.below(3)
        ),
    }
}

fn literal(atom: String, rng: &mut Rng) -> String {
    match rng.percent(50) {
        true => atom,
        false => format!("(not {atom})"),
    }
}

fn clauses(problem: &mut Problem, count: usize, mut literal: impl FnMut() -> Vec<String>) {
    for _ in 0..count {
        let members = literal();
        problem.assert(row("or", members));
    }
}

const FUNCTIONS: [(&str, &str); 3] = [
    ("f", "(Int) Int"),
    ("g", "(Int Int) Int"),
    ("p", "(Int) Bool"),
];

/// Random clauses over nested applications.
fn functions(number: usize, rng: &mut Rng) -> Problem {
    let count = 10 + 10 * number;
    let mut problem = Problem::with(&FUNCTIONS);
    problem.declare("c", count);
    clauses(&mut problem, count * 10, || {
        let mut atom = || match rng.percent(15) {
            true => format!("(p {})", term(count, 2, false, rng)),
            false => {
                let left = term(count, 2, false, rng);
                format!("(= {left} {})", term(count, 2, false, rng))
            }
        };
        let atoms: Vec<String> = (0..3).map(|_| atom()).collect();
        atoms.into_iter().map(|atom| literal(atom, rng)).collect()
    });
    problem
}

/// Random clauses over equations between constants, about as many as decide.
fn constants(number: usize, rng: &mut Rng) -> Problem {
    let count = 8 + 2 * number;
    let mut problem = Problem::default();
    problem.declare("c", count);
    clauses(&mut problem, count * 12, || {
        (0..3)
            .map(|_| {
                let atom = format!("(= c{} c{})", rng.below(count), rng.below(count));
                literal(atom, rng)
            })
            .collect()
    });
    problem
}

fn clauses_with_sums(constants: usize, count: usize, length: usize, rng: &mut Rng) -> Problem {
    let mut problem = Problem::with(&FUNCTIONS[..2]);
    problem.declare("c", constants);
    clauses(&mut problem, count, || {
        (0..length)
            .map(|_| {
                let operator = *rng.pick(&["=", "=", "<=", "<=", "<"]);
                let left = term(constants, 2, true, rng);
                let right = term(constants, 2, true, rng);
                literal(format!("({operator} {left} {right})"), rng)
            })
            .collect()
    });
    problem
}

/// Random clauses over applications, sums and comparisons.
fn uflia(number: usize, rng: &mut Rng) -> Problem {
    clauses_with_sums(6 + number, 20 + 6 * number, 3, rng)
}

/// The same with short clauses, few of which leave a choice.
fn uflia_tight(number: usize, rng: &mut Rng) -> Problem {
    let constants = 5 + number;
    clauses_with_sums(constants, 5 * constants, 2, rng)
}
