//! Valid formulas about numbers: an operator applied to random operands, and what the standard says of
//! it. Their negations are unsat, for a reason that touches exactly that operator.

use super::ast::{Op, T, not, op};
use super::generate::Generator;
use super::theory::Theory;
use num_bigint::BigInt;
use num_rational::BigRational;

pub fn draw(generator: &mut Generator, theory: Theory) -> T {
    use Op::*;
    let a = generator.number_operand();
    let b = generator.number_operand();
    let two = |operator: Op| op(operator, [a.clone(), b.clone()]);
    let equal = |left: T, right: T| op(Eq, [left, right]);
    let kinds = match theory {
        Theory::Idl => 4,
        Theory::Lra => 8,
        Theory::Nia => 16,
        _ => 14,
    };
    match generator.rng.below(kinds) {
        0 => equal(two(Lt), not(two(Ge))),
        1 => equal(two(Gt), op(Lt, [b.clone(), a.clone()])),
        2 => equal(two(Eq), op(And, [two(Le), two(Ge)])),
        3 => equal(two(Distinct), op(Or, [two(Lt), two(Gt)])),
        4 => equal(two(Sub), op(Add, [a.clone(), op(Sub, [b.clone()])])),
        5 => {
            let larger = op(Ite, [two(Le), b.clone(), a.clone()]);
            op(
                And,
                [
                    op(Ge, [larger.clone(), a.clone()]),
                    op(Ge, [larger, b.clone()]),
                ],
            )
        }
        6 => {
            let factor = constant(generator, 3);
            let sum = op(Mul, [factor.clone(), two(Add)]);
            let parts = [a.clone(), b.clone()].map(|part| op(Mul, [part, factor.clone()]));
            equal(sum, op(Add, parts))
        }
        7 if theory == Theory::Lra => {
            let divisor = constant(generator, -3);
            let quotient = op(Over, [a.clone(), divisor.clone()]);
            equal(op(Mul, [divisor, quotient]), a.clone())
        }
        7 => {
            let one = constant(generator, 1);
            equal(two(Lt), op(Le, [op(Add, [a.clone(), one]), b.clone()]))
        }
        8 => {
            let zero = constant(generator, 0);
            let negative = op(Lt, [a.clone(), zero]);
            let size = op(Ite, [negative, op(Sub, [a.clone()]), a.clone()]);
            equal(op(Abs, [a.clone()]), size)
        }
        9 | 10 => quotient_and_remainder(generator, a),
        11 => {
            let divisor = generator.divisor();
            let quotients = [divisor.clone(), -divisor].map(|by| {
                let by = constant(generator, by);
                op(Div, [a.clone(), by])
            });
            let [quotient, other] = quotients;
            equal(other, op(Sub, [quotient]))
        }
        12 => {
            let modulus = generator.rng.between(1, 9);
            let by = constant(generator, modulus);
            let zero = constant(generator, 0);
            equal(
                op(Divisible(modulus), [a.clone()]),
                equal(op(Mod, [a.clone(), by]), zero),
            )
        }
        // Whatever division by zero is, it is a function.
        13 => {
            let zero = constant(generator, 0);
            let operator = *generator.rng.pick(&[Div, Mod]);
            let results = [&a, &b].map(|term| op(operator, [term.clone(), zero.clone()]));
            op(Implies, [two(Eq), op(Eq, results)])
        }
        14 => equal(two(Mul), op(Mul, [b.clone(), a.clone()])),
        _ => {
            let zero = constant(generator, 0);
            op(Ge, [op(Mul, [a.clone(), a.clone()]), zero])
        }
    }
}

fn constant(generator: &mut Generator, value: impl Into<BigInt>) -> T {
    generator.numeral(BigRational::from(value.into()))
}

/// a = n * (div a n) + (mod a n), with 0 <= (mod a n) < |n|.
fn quotient_and_remainder(generator: &mut Generator, a: T) -> T {
    let divisor = generator.divisor();
    let divisor = constant(generator, divisor);
    let zero = constant(generator, 0);
    let quotient = op(Op::Div, [a.clone(), divisor.clone()]);
    let rest = op(Op::Mod, [a.clone(), divisor.clone()]);
    let product = op(Op::Mul, [divisor.clone(), quotient]);
    let whole = op(Op::Eq, [a, op(Op::Add, [product, rest.clone()])]);
    let small = op(Op::Lt, [rest.clone(), op(Op::Abs, [divisor])]);
    op(Op::And, [whole, op(Op::Le, [zero, rest]), small])
}
