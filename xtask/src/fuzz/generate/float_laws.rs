//! Valid formulas about floats: an operator applied to random operands, and what IEEE 754 says of it. Their
//! negations are unsat, for a reason that touches exactly that operator.

use super::Generator;
use crate::fuzz::ast::{Op, Rounding, T, bv, float, not, op, rounding};

/// Formats in which the circuits of products are small enough for a proof.
const PROVABLE: u32 = 6;

impl Generator {
    pub(super) fn law_of_floats(&mut self) -> T {
        use Op::*;
        let format = self.format();
        let a = self.float_operand(format);
        let b = self.float_operand(format);
        let mode = self.rounding_leaf();
        let one = |operator: Op| op(operator, [a.clone()]);
        let two = |operator: Op| op(operator, [a.clone(), b.clone()]);
        let rounded = |operator: Op, args: [&T; 2]| {
            op(operator, [mode.clone(), args[0].clone(), args[1].clone()])
        };
        let equal = |left: T, right: T| op(Eq, [left, right]);
        let negative = |term: &T| op(FpNeg, [term.clone()]);
        let constant = |bits: u128| float(bits, format.exponent, format.significand);
        let kinds = if format.significand <= PROVABLE {
            21
        } else {
            15
        };
        match self.rng.below(kinds) {
            0 => equal(two(FpLt), op(FpGt, [b.clone(), a.clone()])),
            1 => equal(two(FpLeq), op(Or, [two(FpLt), two(FpEq)])),
            2 => equal(two(FpGeq), op(FpLeq, [b.clone(), a.clone()])),
            3 => {
                let tests = [FpIsNan, FpIsInfinite, FpIsZero, FpIsSubnormal, FpIsNormal].map(one);
                let some = op(Or, tests.to_vec());
                let pair = [self.rng.below(5), self.rng.below(5)];
                if pair[0] == pair[1] {
                    return some;
                }
                not(op(And, pair.map(|place| tests[place].clone())))
            }
            4 => equal(
                one(FpIsNan),
                not(op(Or, [FpIsNegative, FpIsPositive].map(one))),
            ),
            5 => equal(
                one(FpAbs),
                op(Ite, [one(FpIsNegative), negative(&a), a.clone()]),
            ),
            6 => equal(negative(&negative(&a)), a.clone()),
            7 => {
                let same = op(Or, [two(Eq), one(FpIsZero)]);
                op(Implies, [two(FpEq), same])
            }
            8 => {
                let bits = op(FpToIeee, [a.clone()]);
                equal(
                    op(ToFp(format.exponent, format.significand), [bits]),
                    a.clone(),
                )
            }
            // More bits, and back.
            9 if format.is_standard() || format.width() > 126 => {
                // Scripts about the standard's formats stay within them.
                let same = op(ToFp(format.exponent, format.significand), [mode, a.clone()]);
                equal(same, a)
            }
            9 => {
                let wider = [format.exponent, format.significand].map(|bits| bits + 1);
                let other = self.rounding_leaf();
                let wide = op(ToFp(wider[0], wider[1]), [mode.clone(), a.clone()]);
                let back = op(ToFp(format.exponent, format.significand), [other, wide]);
                equal(back, a.clone())
            }
            10 => {
                let whole = op(FpRound, [mode.clone(), a.clone()]);
                let other = self.rounding_leaf();
                equal(op(FpRound, [other, whole.clone()]), whole)
            }
            11 => equal(
                rounded(FpSub, [&a, &b]),
                rounded(FpAdd, [&a, &negative(&b)]),
            ),
            // What is left open is a function all the same.
            12 => {
                let width = self.rng.between(1, 9);
                let operator = *self.rng.pick(&[FpToUbv(width), FpToSbv(width)]);
                let results = [&a, &b].map(|term| op(operator, [mode.clone(), term.clone()]));
                op(Implies, [two(Eq), op(Eq, results)])
            }
            13 => {
                let operator = *self.rng.pick(&[FpMin, FpMax]);
                let compare = if operator == FpMin { FpLeq } else { FpGeq };
                let chosen = two(operator);
                let numbers = op(And, [&a, &b].map(|term| not(op(FpIsNan, [term.clone()]))));
                let bounds = [&a, &b].map(|term| op(compare, [chosen.clone(), term.clone()]));
                op(Implies, [numbers, op(And, bounds)])
            }
            14 => {
                let width = self.rng.between(1, 8);
                let bits = self.operand(width);
                let wide = op(Concat, [bv(0, 1), bits.clone()]);
                let (e, s) = (format.exponent, format.significand);
                equal(
                    op(ToFp(e, s), [mode.clone(), wide]),
                    op(ToFpUnsigned(e, s), [mode.clone(), bits]),
                )
            }
            15 => equal(rounded(FpAdd, [&a, &b]), rounded(FpAdd, [&b, &a])),
            16 => equal(rounded(FpMul, [&a, &b]), rounded(FpMul, [&b, &a])),
            17 => {
                let unit =
                    constant((format.largest_exponent() as u128) << (format.significand - 1));
                let operator = *self.rng.pick(&[FpMul, FpDiv]);
                equal(rounded(operator, [&a, &unit]), a.clone())
            }
            18 => {
                let mirrored =
                    [Rounding::Positive, Rounding::Negative].map(|mode| rounding(mode, false));
                let [up, down] = mirrored;
                let operator = *self.rng.pick(&[FpAdd, FpMul, FpDiv]);
                let (left, right) = match operator {
                    FpAdd => (negative(&a), negative(&b)),
                    _ => (negative(&a), b.clone()),
                };
                let one = op(operator, [up, a.clone(), b.clone()]);
                let other = op(operator, [down, left, right]);
                equal(one, negative(&other))
            }
            // The sign of an exact zero is that of the product.
            19 => {
                let mode = *self.rng.pick(&Rounding::ALL);
                let zero = constant(format.zero(mode != Rounding::Negative));
                let mode = rounding(mode, false);
                let product = op(FpMul, [mode.clone(), a.clone(), b.clone()]);
                equal(op(FpFma, [mode, a.clone(), b.clone(), zero]), product)
            }
            // The circuit has a step for every difference of exponents, but needs none for infinity.
            _ if format.exponent > 4 => {
                let infinite = constant(format.infinity(false));
                let rest = op(FpRem, [a.clone(), infinite]);
                equal(
                    rest,
                    op(Ite, [one(FpIsInfinite), constant(format.nan()), a]),
                )
            }
            _ => {
                let rest = two(FpRem);
                match self.rng.percent(50) {
                    true => equal(op(FpRem, [negative(&a), b.clone()]), negative(&rest)),
                    false => equal(op(FpRem, [a.clone(), negative(&b)]), rest),
                }
            }
        }
    }
}
