//! Every constructor of floats against what the operator computes, on operands made to set off the rewriting rules;
//! and columns against single evaluation.

mod common;

use std::collections::BTreeMap;

use common::*;
use refrain_term::float::operate_exactly;
use refrain_term::{
    Assignment, Batch, Bv, Evaluator, FloatOp, Format, Function, Op, Rounding, Sort, Term, Terms,
    Value, VarId,
};
use refrain_testing::effort;

const FORMATS: [Format; 7] = [
    Format::new(2, 3),
    Format::new(3, 4),
    Format::new(3, 5),
    Format::HALF,
    Format::SINGLE,
    Format::DOUBLE,
    Format::QUAD,
];

const LANES: usize = 10;

struct Round {
    rng: Rng,
    terms: Terms,
    pools: BTreeMap<u32, Vec<Term>>,
    lanes: Vec<Assignment>,
}

impl Round {
    fn new(seed: u64) -> Round {
        let mut rng = Rng::new(seed);
        let mut terms = Terms::new();
        let mut pools: BTreeMap<u32, Vec<Term>> = BTreeMap::new();
        let mut vars: Vec<VarId> = Vec::new();
        let widths = FORMATS.iter().map(|format| format.width());
        for width in widths.chain([3, 8]) {
            for number in 0..3 {
                let term = terms.var(&format!("v{number}"), Sort::BitVec(width));
                let Op::Var(var) = terms.op(term) else {
                    unreachable!()
                };
                vars.push(var);
                pools.entry(width).or_default().push(term);
            }
        }
        let lanes = (0..LANES).map(|_| rng.assignment(&terms, &vars)).collect();
        Round {
            rng,
            terms,
            pools,
            lanes,
        }
    }

    fn values(&mut self, term: Term) -> Vec<Bv> {
        let mut evaluator = Evaluator::new();
        let terms = &self.terms;
        let value = |assignment: &Assignment| {
            evaluator.forget();
            match evaluator.value(terms, assignment, term) {
                Value::Bool(value) => Bv::new(1, value.into()),
                Value::Bv(value) => value,
                value => panic!("a {}", value.sort()),
            }
        };
        self.lanes.iter().map(value).collect()
    }

    fn float(&mut self, format: Format) -> Term {
        let negative = self.rng.chance(50);
        match self.rng.below(12) {
            0 => self.terms.constant(format.zero(negative)),
            1 => self.terms.constant(format.infinity(negative)),
            2 => self.terms.constant(format.nan()),
            3 | 4 => {
                // Powers of two, one among them.
                let bias = Bv::max_signed(format.exponent);
                let exponent = bias.add(&Bv::new(format.exponent, self.rng.next() % 3));
                let sign = Bv::new(1, negative.into());
                let fraction = Bv::zero(format.significand - 1);
                let bits = sign.concat(&exponent).concat(&fraction);
                self.terms.constant(bits)
            }
            5 => {
                let value = self.rng.bv(format.width());
                self.terms.constant(value)
            }
            // Any NaN where it is one.
            6 => {
                let a = self.operand(format.width());
                let b = self.operand(format.width());
                let quiet = self.terms.constant(format.nan());
                let nan = self.terms.bv_or(quiet, b);
                let is_nan = self.terms.float_is_nan(format, a);
                self.terms.ite(is_nan, nan, a)
            }
            _ => self.operand(format.width()),
        }
    }

    fn operand(&mut self, width: u32) -> Term {
        *self.rng.pick(&self.pools[&width])
    }

    fn rounding(&mut self) -> Term {
        match self.rng.below(3) {
            0 => self.operand(Rounding::WIDTH),
            _ => {
                let rounding = Rounding::ALL[self.rng.below(5)];
                self.terms.rounding(rounding)
            }
        }
    }

    fn step(&mut self) {
        let format = *self.rng.pick(&FORMATS);
        let [a, b, c] = [0; 3].map(|_| self.float(format));
        let b = if self.rng.chance(10) { a } else { b };
        let mode = self.rounding();
        let width = (format.width(), 0);
        match self.rng.below(16) {
            0 => self.check(FloatOp::Add, format, width, &[mode, a, b], |t| {
                t.float_add(format, mode, a, b)
            }),
            1 => self.check(FloatOp::Mul, format, width, &[mode, a, b], |t| {
                t.float_mul(format, mode, a, b)
            }),
            2 => self.check(FloatOp::Div, format, width, &[mode, a, b], |t| {
                t.float_div(format, mode, a, b)
            }),
            3 => self.check(FloatOp::Fma, format, width, &[mode, a, b, c], |t| {
                t.float_fma(format, mode, [a, b], c)
            }),
            4 => self.check(FloatOp::Sqrt, format, width, &[mode, a], |t| {
                t.float_sqrt(format, mode, a)
            }),
            5 => self.check(FloatOp::Rem, format, width, &[a, b], |t| {
                t.float_rem(format, a, b)
            }),
            6 => self.check(FloatOp::RoundToIntegral, format, width, &[mode, a], |t| {
                t.float_round(format, mode, a)
            }),
            7 | 8 => {
                let to = *self.rng.pick(&FORMATS);
                let result = (to.width(), to.exponent);
                self.check(FloatOp::Convert, format, result, &[mode, a], |t| {
                    t.float_convert(format, to, mode, a)
                });
            }
            9 => {
                let signed = self.rng.chance(50);
                let integer = self.operand(8);
                let op = if signed {
                    FloatOp::FromSigned
                } else {
                    FloatOp::FromUnsigned
                };
                self.check(op, format, width, &[mode, integer], |t| {
                    t.float_from_integer(format, mode, integer, signed)
                });
            }
            10 => {
                let signed = self.rng.chance(50);
                let op = if signed {
                    FloatOp::ToSigned
                } else {
                    FloatOp::ToUnsigned
                };
                self.check(op, format, (8, 0), &[mode, a], |t| {
                    t.float_to_integer(format, mode, a, 8, signed)
                });
            }
            11 => self.check(FloatOp::Eq, format, (1, 0), &[a, b], |t| {
                t.float_eq(format, a, b)
            }),
            12 => self.check(FloatOp::Lt, format, (1, 0), &[a, b], |t| {
                t.float_lt(format, a, b)
            }),
            13 => self.check(FloatOp::Le, format, (1, 0), &[a, b], |t| {
                t.float_le(format, a, b)
            }),
            14 => self.fitting(format, mode, a),
            _ => self.compared_after_conversion(mode),
        }
    }

    /// A comparison of floats that have come from a smaller format, or of one with a constant.
    fn compared_after_conversion(&mut self, mode: Term) {
        let narrow = *self
            .rng
            .pick(&[Format::new(3, 4), Format::HALF, Format::SINGLE]);
        let wide = Format::DOUBLE;
        let a = self.operand(narrow.width());
        let b = self.float(narrow);
        let x = self.terms.float_convert(narrow, wide, mode, a);
        let y = match self.rng.below(3) {
            0 => self.float(wide),
            _ => self.terms.float_convert(narrow, wide, mode, b),
        };
        let ops = [FloatOp::Eq, FloatOp::Lt, FloatOp::Le];
        let op = *self.rng.pick(&ops);
        self.check(op, wide, (1, 0), &[x, y], |t| match op {
            FloatOp::Eq => t.float_eq(wide, x, y),
            FloatOp::Lt => t.float_lt(wide, x, y),
            _ => t.float_le(wide, x, y),
        });
        let back = (narrow.width(), narrow.exponent);
        self.check(FloatOp::Convert, wide, back, &[mode, x], |t| {
            t.float_convert(wide, narrow, mode, x)
        });
    }

    fn fitting(&mut self, format: Format, mode: Term, a: Term) {
        let signed = self.rng.chance(50);
        let width = *self.rng.pick(&[1, 2, 5, 8, 32, 64]);
        let fits = self
            .terms
            .float_fits_integer(format, mode, a, width, signed);
        let (modes, values, found) = (self.values(mode), self.values(a), self.values(fits));
        for ((mode, a), found) in modes.iter().zip(&values).zip(found) {
            let expected = fits_integer(format, mode, a, width, signed);
            assert_eq!(found.is_one(), expected, "{a} {format:?} {width} {signed}");
        }
    }

    fn check(
        &mut self,
        op: FloatOp,
        format: Format,
        result: (u32, u32),
        operands: &[Term],
        build: impl FnOnce(&mut Terms) -> Term,
    ) {
        let columns: Vec<Vec<Bv>> = operands
            .iter()
            .map(|&operand| self.values(operand))
            .collect();
        let term = build(&mut self.terms);
        let found = self.values(term);
        for (lane, found) in found.iter().enumerate() {
            let args: Vec<&Bv> = columns.iter().map(|column| &column[lane]).collect();
            let wanted = operate_exactly(op, format, result, &args);
            // Which NaN it is does not matter.
            let target = match op {
                FloatOp::Convert => Format::of_width(result.0, result.1),
                _ => format,
            };
            let is_nan = op.gives_float() && target.is_nan(&wanted) && target.is_nan(found);
            let text = refrain_term::print(&self.terms, term);
            assert!(
                is_nan || *found == wanted,
                "{op:?} {args:?} {format:?}: {found} not {wanted}: {text}"
            );
        }
        self.batch(term, &found);
        if !self.terms.is_value(term)
            && let Sort::BitVec(width) = self.terms.sort(term)
            && let Some(pool) = self.pools.get_mut(&width)
        {
            let place = 3 + self.rng.below(30);
            match pool.get_mut(place) {
                Some(old) => *old = term,
                None => pool.push(term),
            }
        }
    }

    /// All lanes at once give the same.
    fn batch(&mut self, term: Term, values: &[Bv]) {
        let mut batch = Batch::from_assignments(&self.lanes);
        match self.terms.sort(term) {
            Sort::Bool => {
                let found = &batch.eval(&self.terms, &[term])[0];
                for (lane, value) in values.iter().enumerate() {
                    assert_eq!(found.get(lane), value.is_one());
                }
            }
            Sort::BitVec(..=64) => {
                let found = batch.values(&self.terms, term);
                let wanted: Vec<u64> = values.iter().map(|value| value.words()[0]).collect();
                assert_eq!(found, wanted, "{}", refrain_term::print(&self.terms, term));
            }
            _ => {}
        }
    }
}

const SOURCES: &[&str] = &[include_str!("../src/build/float.rs")];

/// Whether an integer fits is whether the one of many more bits is the same.
fn fits_integer(format: Format, mode: &Bv, a: &Bv, width: u32, signed: bool) -> bool {
    // Larger than any number of these formats that fits into 64 bits.
    let wide = 200;
    let whole = operate_exactly(FloatOp::ToSigned, format, (wide, 0), &[mode, a]);
    let shape = (format.width(), 0);
    let rounded = operate_exactly(FloatOp::RoundToIntegral, format, shape, &[mode, a]);
    // Zero stands for zero, and for what has no integer.
    let is_zero = rounded.extract(format.width() - 2, 0).is_zero();
    let low = whole.extract(width - 1, 0);
    let again = match signed {
        true => low.sign_extend(wide - width),
        false => low.zero_extend(wide - width),
    };
    (!whole.is_zero() || is_zero) && again == whole
}

#[test]
fn every_number_of_small_formats_fits_or_not() {
    for (exponent, significand) in [(2, 2), (2, 3), (2, 5), (3, 4), (3, 5), (3, 6)] {
        let format = Format::new(exponent, significand);
        for rounding in Rounding::ALL {
            let mode = Bv::new(Rounding::WIDTH, rounding.code());
            for bits in 0..1 << format.width() {
                let a = Bv::new(format.width(), bits);
                for (width, signed) in (1..8).flat_map(|width| [(width, true), (width, false)]) {
                    let mut terms = Terms::new();
                    let [mode_term, a_term] = [&mode, &a].map(|bits| terms.constant(bits.clone()));
                    let found = terms.float_fits_integer(format, mode_term, a_term, width, signed);
                    let expected = fits_integer(format, &mode, &a, width, signed);
                    let expected = if expected { Term::TRUE } else { Term::FALSE };
                    assert_eq!(
                        found, expected,
                        "{a} {format:?} {rounding:?} {width} {signed}"
                    );
                }
            }
        }
    }
}

#[test]
fn constructors_are_what_operators_compute() {
    let mut applied: BTreeMap<&'static str, u64> = BTreeMap::new();
    for seed in 0..effort(40, 2_000) {
        let mut round = Round::new(seed);
        for _ in 0..150 {
            round.step();
        }
        #[cfg(debug_assertions)]
        for (&rule, &count) in round.terms.rule_counts() {
            *applied.entry(rule).or_default() += count;
        }
    }
    if cfg!(debug_assertions) {
        let names = rule_names(SOURCES);
        assert!(names.len() > 8);
        assert_all_applied(&names, &applied);
    }
}

/// Functions are those of the host, for one and for many at once.
#[test]
fn functions_are_the_hosts() {
    let mut rng = Rng::new(3);
    let mut terms = Terms::new();
    let x = terms.var("x", Sort::BitVec(64));
    let y = terms.var("y", Sort::BitVec(64));
    let Op::Var(var) = terms.op(x) else {
        unreachable!()
    };
    let Op::Var(other) = terms.op(y) else {
        unreachable!()
    };
    for function in Function::ALL {
        assert_eq!(Function::named(function.name()), Some(function));
        let args = &[x, y][..function.arity()];
        let term = terms.float_function(Format::DOUBLE, function, args);
        for _ in 0..50 {
            let (a, b) = (rng.next() as i8, rng.next() as i8);
            let (a, b) = (f64::from(a) / 16.0, f64::from(b) / 8.0);
            let mut assignment = Assignment::new();
            assignment.set(var, Bv::new(64, a.to_bits()));
            assignment.set(other, Bv::new(64, b.to_bits()));
            let wanted = match function {
                Function::Sin => a.sin(),
                Function::Exp => a.exp(),
                Function::Log => a.ln(),
                Function::Pow => a.powf(b),
                Function::Atan2 => a.atan2(b),
                Function::Hypot => a.hypot(b),
                _ => continue,
            };
            let found = Evaluator::new().small(&terms, &assignment, term);
            let found = f64::from_bits(found);
            assert!(
                found == wanted || found.is_nan() && wanted.is_nan(),
                "{function:?} {a} {b}"
            );
        }
    }
}
