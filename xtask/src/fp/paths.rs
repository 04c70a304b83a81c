//! What a concolic run through a numeric program asks: along the path of a random input, whether each decision could
//! have been another one. All paths of a program are in one script, each between push and pop.

use super::literal::Precision::Double;
use crate::random::Rng;
use std::fmt::Write as _;

const PATHS_PER_SCRIPT: usize = 6;
const INPUTS: usize = 6;

/// A number of a program: its name in the script, and its value on this path.
#[derive(Clone, Copy)]
struct Number(usize, f64);

/// A run of a program.
struct Run<'a> {
    inputs: Vec<f64>,
    /// So many numbers have a name.
    names: usize,
    text: &'a mut String,
}

type Program = fn(&mut Run<'_>);

const PROGRAMS: &[Program] = &[
    quadratic_roots,
    newton_square_root,
    orientation,
    interpolation,
    horner,
    variance,
    controller,
    segment_circle,
    determinant,
    clamped_product,
];

pub fn script(number: u64, rng: &mut Rng) -> String {
    let program = PROGRAMS[number as usize % PROGRAMS.len()];
    let mut text = String::from("(set-logic QF_FP)\n");
    for input in 0..INPUTS {
        let _ = writeln!(text, "(declare-fun i{input} () {})", Double.sort());
    }
    let mut names = 0;
    for _ in 0..PATHS_PER_SCRIPT {
        text.push_str("(push 1)\n");
        let inputs = (0..INPUTS).map(|_| (rng.between(0, 4000) as f64 - 2000.0) / 100.0);
        let mut run = Run {
            inputs: inputs.collect(),
            names,
            text: &mut text,
        };
        program(&mut run);
        names = run.names;
        text.push_str("(pop 1)\n");
    }
    text
}

impl Run<'_> {
    fn define(&mut self, term: &str, value: f64) -> Number {
        let name = self.names;
        self.names += 1;
        let _ = writeln!(
            self.text,
            "(define-fun v{name} () {} {term})",
            Double.sort()
        );
        Number(name, value)
    }

    fn input(&mut self, which: usize) -> Number {
        self.define(&format!("i{which}"), self.inputs[which])
    }

    fn constant(&mut self, value: f64) -> Number {
        self.define(&Double.literal(value), value)
    }

    fn operator(&mut self, operator: &str, a: Number, b: Number, value: f64) -> Number {
        self.define(&format!("(fp.{operator} RNE v{} v{})", a.0, b.0), value)
    }

    fn add(&mut self, a: Number, b: Number) -> Number {
        self.operator("add", a, b, a.1 + b.1)
    }

    fn sub(&mut self, a: Number, b: Number) -> Number {
        self.operator("sub", a, b, a.1 - b.1)
    }

    fn mul(&mut self, a: Number, b: Number) -> Number {
        self.operator("mul", a, b, a.1 * b.1)
    }

    fn div(&mut self, a: Number, b: Number) -> Number {
        self.operator("div", a, b, a.1 / b.1)
    }

    fn sqrt(&mut self, a: Number) -> Number {
        self.define(&format!("(fp.sqrt RNE v{})", a.0), a.1.sqrt())
    }

    fn abs(&mut self, a: Number) -> Number {
        self.define(&format!("(fp.abs v{})", a.0), a.1.abs())
    }

    /// A decision: asks for the other side, and goes on at this one.
    fn decide(&mut self, condition: String, holds: bool) -> bool {
        let negation = format!("(not {condition})");
        let (here, there) = match holds {
            true => (condition, negation),
            false => (negation, condition),
        };
        let _ = writeln!(
            self.text,
            "(push 1)\n(assert {there})\n(check-sat)\n(pop 1)"
        );
        let _ = writeln!(self.text, "(assert {here})");
        holds
    }

    fn is_less(&mut self, a: Number, b: Number) -> bool {
        self.decide(format!("(fp.lt v{} v{})", a.0, b.0), a.1 < b.1)
    }

    fn is_equal(&mut self, a: Number, b: Number) -> bool {
        self.decide(format!("(fp.eq v{} v{})", a.0, b.0), a.1 == b.1)
    }
}

fn quadratic_roots(run: &mut Run<'_>) {
    let (a, b, c) = (run.input(0), run.input(1), run.input(2));
    let (zero, four, two) = (run.constant(0.0), run.constant(4.0), run.constant(2.0));
    if run.is_equal(a, zero) {
        if !run.is_equal(b, zero) {
            let root = run.div(c, b);
            run.is_less(root, zero);
        }
        return;
    }
    let square = run.mul(b, b);
    let product = run.mul(a, c);
    let product = run.mul(four, product);
    let discriminant = run.sub(square, product);
    if run.is_less(discriminant, zero) {
        return;
    }
    if run.is_equal(discriminant, zero) {
        return;
    }
    let root = run.sqrt(discriminant);
    let above = run.sub(root, b);
    let twice = run.mul(two, a);
    let first = run.div(above, twice);
    run.is_less(first, zero);
    let one = run.constant(1.0);
    run.is_less(first, one);
}

fn newton_square_root(run: &mut Run<'_>) {
    let x = run.input(0);
    let (zero, one, half) = (run.constant(0.0), run.constant(1.0), run.constant(0.5));
    let tolerance = run.constant(1e-3);
    if run.is_less(x, zero) {
        return;
    }
    let mut guess = if run.is_less(x, one) { one } else { x };
    for _ in 0..3 {
        let quotient = run.div(x, guess);
        let sum = run.add(guess, quotient);
        let next = run.mul(half, sum);
        let change = run.sub(next, guess);
        let change = run.abs(change);
        guess = next;
        if run.is_less(change, tolerance) {
            return;
        }
    }
}

/// On which side of the line through two points a third one lies.
fn orientation(run: &mut Run<'_>) {
    let p: Vec<Number> = (0..6).map(|input| run.input(input)).collect();
    let (a, b) = (run.sub(p[2], p[0]), run.sub(p[5], p[1]));
    let (c, d) = (run.sub(p[3], p[1]), run.sub(p[4], p[0]));
    let (left, right) = (run.mul(a, b), run.mul(c, d));
    let area = run.sub(left, right);
    let (zero, small) = (run.constant(0.0), run.constant(1e-9));
    let size = run.abs(area);
    if !run.is_less(size, small) {
        run.is_less(area, zero);
    }
}

fn interpolation(run: &mut Run<'_>) {
    let (at, table) = (
        run.input(0),
        [(0.0, 1.0), (1.0, 4.0), (2.5, -3.0), (4.0, 0.5), (8.0, 7.0)],
    );
    let limit = run.input(1);
    for pair in table.windows(2) {
        let (end, start) = (run.constant(pair[1].0), run.constant(pair[0].0));
        if run.is_less(at, end) {
            let slope = run.constant((pair[1].1 - pair[0].1) / (pair[1].0 - pair[0].0));
            let (offset, base) = (run.sub(at, start), run.constant(pair[0].1));
            let rise = run.mul(slope, offset);
            let value = run.add(base, rise);
            run.is_less(value, limit);
            return;
        }
    }
}

fn horner(run: &mut Run<'_>) {
    let x = run.input(0);
    let mut value = run.constant(0.25);
    for coefficient in [-1.5, 0.5, 3.0, -2.0] {
        let product = run.mul(value, x);
        let coefficient = run.constant(coefficient);
        value = run.add(product, coefficient);
    }
    let (zero, large) = (run.constant(0.0), run.constant(1000.0));
    if !run.is_less(value, zero) {
        run.is_less(large, value);
    }
}

fn variance(run: &mut Run<'_>) {
    let samples: Vec<Number> = (0..4).map(|input| run.input(input)).collect();
    let (mut mean, mut squares) = (samples[0], run.constant(0.0));
    for (before, &sample) in samples.iter().enumerate().skip(1) {
        let change = run.sub(sample, mean);
        let count = run.constant(before as f64 + 1.0);
        let step = run.div(change, count);
        mean = run.add(mean, step);
        let rest = run.sub(sample, mean);
        let product = run.mul(change, rest);
        squares = run.add(squares, product);
    }
    let (low, high) = (run.constant(10.0), run.constant(100.0));
    if !run.is_less(squares, low) {
        run.is_less(high, squares);
    }
    run.is_less(mean, low);
}

/// Three steps of a controller with bounds on its output.
fn controller(run: &mut Run<'_>) {
    let (target, mut state) = (run.input(0), run.input(1));
    let (gain, share) = (run.constant(0.6), run.constant(0.1));
    let (low, high) = (run.constant(-5.0), run.constant(5.0));
    let mut sum = run.constant(0.0);
    for _ in 0..3 {
        let error = run.sub(target, state);
        sum = run.add(sum, error);
        let (direct, integral) = (run.mul(gain, error), run.mul(share, sum));
        let mut output = run.add(direct, integral);
        if run.is_less(output, low) {
            output = low;
        } else if run.is_less(high, output) {
            output = high;
        }
        state = run.add(state, output);
    }
}

fn segment_circle(run: &mut Run<'_>) {
    let (x, y, radius) = (run.input(0), run.input(1), run.input(2));
    let zero = run.constant(0.0);
    if run.is_less(radius, zero) {
        return;
    }
    let (xx, yy) = (run.mul(x, x), run.mul(y, y));
    let distance = run.add(xx, yy);
    let bound = run.mul(radius, radius);
    if run.is_less(distance, bound) {
        return;
    }
    let root = run.sqrt(distance);
    let gap = run.sub(root, radius);
    let one = run.constant(1.0);
    run.is_less(gap, one);
}

/// Two equations with two unknowns.
fn determinant(run: &mut Run<'_>) {
    let p: Vec<Number> = (0..6).map(|input| run.input(input)).collect();
    let (left, right) = (run.mul(p[0], p[3]), run.mul(p[1], p[2]));
    let determinant = run.sub(left, right);
    let (size, small) = (run.abs(determinant), run.constant(1e-6));
    if run.is_less(size, small) {
        return;
    }
    let (left, right) = (run.mul(p[4], p[3]), run.mul(p[1], p[5]));
    let above = run.sub(left, right);
    let solution = run.div(above, determinant);
    let one = run.constant(1.0);
    run.is_less(solution, one);
}

fn clamped_product(run: &mut Run<'_>) {
    let (low, high) = (run.constant(-2.0), run.constant(2.0));
    let mut product = run.constant(1.0);
    for input in 0..3 {
        let mut factor = run.input(input);
        if run.is_less(factor, low) {
            factor = low;
        } else if run.is_less(high, factor) {
            factor = high;
        }
        product = run.mul(product, factor);
    }
    let eight = run.constant(8.0);
    // Never, but for NaN: which only bounds on products tell.
    run.is_less(eight, product);
}
