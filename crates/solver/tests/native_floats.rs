//! Questions about floats against brute force: all pairs of floats of a small format, incrementally.

use refrain_solver::native::{Native, Tuning};
use refrain_solver::{CheckResult, Limits, Query, Solver};
use refrain_term::{Batch, Bv, Evaluator, Format, Function, Op, Rounding, Sort, Term, Terms};
use refrain_testing::{Random, effort};

const SMALL: Format = Format::new(3, 4);

struct Writer {
    random: Random,
    terms: Terms,
    inputs: [Term; 2],
}

impl Writer {
    fn new(seed: u64) -> Writer {
        let mut terms = Terms::new();
        let inputs = ["x", "y"].map(|name| terms.var(name, Sort::BitVec(SMALL.width())));
        Writer {
            random: Random::new(seed),
            terms,
            inputs,
        }
    }

    fn rounding(&mut self) -> Term {
        let rounding = Rounding::ALL[self.random.below(5)];
        self.terms.rounding(rounding)
    }

    fn float(&mut self, depth: u32) -> Term {
        if depth == 0 || self.random.below(5) == 0 {
            return match self.random.below(4) {
                0 => {
                    let bits = Bv::new(SMALL.width(), self.random.next());
                    self.terms.constant(bits)
                }
                _ => self.inputs[self.random.below(2)],
            };
        }
        let (a, b) = (self.float(depth - 1), self.float(depth - 1));
        let mode = self.rounding();
        let terms = &mut self.terms;
        match self.random.below(12) {
            0..=2 => terms.float_add(SMALL, mode, a, b),
            3 | 4 => terms.float_mul(SMALL, mode, a, b),
            5 => terms.float_div(SMALL, mode, a, b),
            6 => terms.float_sqrt(SMALL, mode, a),
            7 => terms.float_rem(SMALL, a, b),
            8 => terms.float_round(SMALL, mode, a),
            9 => terms.float_neg(SMALL, a),
            10 => {
                let c = self.float(0);
                self.terms.float_fma(SMALL, mode, [a, b], c)
            }
            _ => {
                let wide = Format::HALF;
                let (x, y) = (
                    terms.float_convert(SMALL, wide, mode, a),
                    terms.float_convert(SMALL, wide, mode, b),
                );
                let product = terms.float_mul(wide, mode, x, y);
                terms.float_convert(wide, SMALL, mode, product)
            }
        }
    }

    fn formula(&mut self, depth: u32) -> Term {
        let (a, b) = (self.float(depth), self.float(depth));
        match self.random.below(7) {
            0 | 1 => self.terms.float_lt(SMALL, a, b),
            2 => self.terms.float_le(SMALL, a, b),
            3 => self.terms.float_eq(SMALL, a, b),
            4 => {
                let less = self.terms.float_lt(SMALL, a, b);
                self.terms.not(less)
            }
            5 => {
                let (nan, infinite) = (
                    self.terms.float_is_nan(SMALL, a),
                    self.terms.float_is_infinite(SMALL, b),
                );
                self.terms.or2(nan, infinite)
            }
            _ => {
                let mode = self.rounding();
                let integer = self.terms.float_to_integer(SMALL, mode, a, 5, true);
                let wanted = self.terms.bv(5, self.random.next() % 32);
                self.terms.eq(integer, wanted)
            }
        }
    }
}

#[test]
fn answers_are_those_of_brute_force() {
    let (mut sat, mut unsat) = (0, 0);
    for seed in 0..effort(40, 20_000) {
        let mut writer = Writer::new(seed);
        // By trying all values, and by circuits.
        let mut solver = Native::with_tuning(Tuning {
            enumerate: seed % 4 == 0,
            ..Tuning::default()
        });
        let mut formulas = Vec::new();
        for _ in 0..2 + writer.random.below(4) {
            let depth = 1 + writer.random.below(2) as u32;
            let formula = writer.formula(depth);
            formulas.push(formula);
            solver.push();
            solver.assert(&mut writer.terms, formula);
            let all = writer.terms.and(&formulas);
            let count = 1usize << (2 * SMALL.width());
            let mut batch = Batch::new(count, refrain_term::Assignment::new());
            for (place, &input) in writer.inputs.iter().enumerate() {
                let Op::Var(var) = writer.terms.op(input) else {
                    unreachable!()
                };
                let shift = place as u32 * SMALL.width();
                let column = (0..count as u64).map(|pair| pair >> shift & 127).collect();
                batch.set_bv(var, column);
            }
            let holds = &batch.eval(&writer.terms, &[all])[0];
            let is_possible = (0..count).any(|pair| holds.get(pair));
            let limits = Limits::default();
            let query = Query::new(&[], &limits);
            match solver.check(&mut writer.terms, &query).result {
                CheckResult::Sat(model) => {
                    let holds = Evaluator::new().bool(&writer.terms, &model, all);
                    assert!(
                        holds,
                        "seed {seed}: {}",
                        refrain_term::print(&writer.terms, all)
                    );
                    sat += 1;
                }
                CheckResult::Unsat(_) => {
                    assert!(
                        !is_possible,
                        "seed {seed}: {}",
                        refrain_term::print(&writer.terms, all)
                    );
                    unsat += 1;
                }
                CheckResult::Unknown(reason) => panic!("seed {seed}: {reason:?}"),
            }
            if !is_possible {
                break;
            }
        }
    }
    assert!(sat > 30 && unsat > 8, "{sat} {unsat}");
}

/// What no circuit has is found by search.
#[test]
fn functions_are_searched() {
    let mut terms = Terms::new();
    let format = Format::DOUBLE;
    let x = terms.var("x", Sort::BitVec(64));
    let sine = terms.float_function(format, Function::Sin, &[x]);
    let number = |terms: &mut Terms, value: f64| terms.constant(Bv::new(64, value.to_bits()));
    let (low, high) = (number(&mut terms, 0.25), number(&mut terms, 0.2500001));
    let (one, two) = (number(&mut terms, 1.0), number(&mut terms, 100.0));
    let mut solver = Native::new();
    let above = terms.float_lt(format, low, sine);
    let below = terms.float_lt(format, sine, high);
    let from = terms.float_lt(format, one, x);
    let to = terms.float_lt(format, x, two);
    let all = terms.and(&[above, below, from, to]);
    solver.assert(&mut terms, all);
    let limits = Limits::default();
    let query = Query::new(&[], &limits);
    match solver.check(&mut terms, &query).result {
        CheckResult::Sat(model) => assert!(Evaluator::new().bool(&terms, &model, all)),
        other => panic!("{other:?}"),
    }
}
