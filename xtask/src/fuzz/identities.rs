//! Valid formulas: an operator applied to random operands, equal to its definition in the standard.
//! Their negations are unsat, for a reason that touches exactly that operator.

use super::ast::{Op, Sort, T, bv, mask, not, op};
use super::generate::Generator;
use super::plain::overflow_definition;

/// Wider than this, the definitions of division are too hard to refute.
const DIVISION_WIDTH: u32 = 4;

pub fn draw(generator: &mut Generator) -> T {
    use Op::*;
    let width = generator.some_width();
    let choice = generator.rng.below(24);
    let divides = matches!(choice, 17..=22);
    let width = if divides && width > DIVISION_WIDTH {
        generator.rng.between(1, DIVISION_WIDTH)
    } else {
        width
    };
    let a = generator.operand(width);
    let b = generator.operand(width);
    let two = |operator: Op| op(operator, [a.clone(), b.clone()]);
    let one = |operator: Op| op(operator, [a.clone()]);
    let equal = |left: T, right: T| op(Eq, [left, right]);
    let negative = |term: &T| equal(op(Extract(width - 1, width - 1), [term.clone()]), bv(1, 1));
    let ite = |test: T, yes: T, no: T| op(Ite, [test, yes, no]);
    let neg = |term: T| op(BvNeg, [term]);
    let by = generator.rng.between(0, 2 * width);
    match choice {
        0 => equal(two(BvSub), op(BvAdd, [a.clone(), neg(b.clone())])),
        1 => equal(one(BvNeg), op(BvAdd, [one(BvNot), bv(1, width)])),
        2 => equal(two(BvNand), op(BvNot, [two(BvAnd)])),
        3 => equal(two(BvNor), op(BvNot, [two(BvOr)])),
        4 => equal(two(BvXnor), op(BvNot, [two(BvXor)])),
        5 => {
            let left = op(BvAnd, [a.clone(), op(BvNot, [b.clone()])]);
            let right = op(BvAnd, [op(BvNot, [a.clone()]), b.clone()]);
            equal(two(BvXor), op(BvOr, [left, right]))
        }
        6 => equal(
            two(BvComp),
            ite(equal(a.clone(), b.clone()), bv(1, 1), bv(0, 1)),
        ),
        7 => {
            let flip = bv(1 << (width - 1), width);
            let left = op(BvXor, [a.clone(), flip.clone()]);
            equal(two(BvSlt), op(BvUlt, [left, op(BvXor, [b.clone(), flip])]))
        }
        8 => {
            let (operator, turned) = *generator.rng.pick(&[
                (BvSgt, BvSlt),
                (BvUgt, BvUlt),
                (BvSge, BvSle),
                (BvUge, BvUle),
            ]);
            equal(two(operator), op(turned, [b.clone(), a.clone()]))
        }
        9 => {
            let (operator, other) = *generator.rng.pick(&[
                (BvSgt, BvSle),
                (BvUgt, BvUle),
                (BvSge, BvSlt),
                (BvUge, BvUlt),
            ]);
            equal(two(operator), not(two(other)))
        }
        10 => {
            let left = by % width;
            let rotated = match left {
                0 => a.clone(),
                _ => {
                    let high = op(Extract(width - left - 1, 0), [a.clone()]);
                    op(
                        Concat,
                        [high, op(Extract(width - 1, width - left), [a.clone()])],
                    )
                }
            };
            let operator = if generator.rng.percent(50) {
                RotateLeft(by)
            } else {
                RotateRight(3 * width - left)
            };
            equal(op(operator, [a.clone()]), rotated)
        }
        11 if width <= 42 => equal(
            one(Repeat(3)),
            op(Concat, [a.clone(), a.clone(), a.clone()]),
        ),
        12 if width < 100 => {
            let by = generator.rng.between(1, 20);
            let sign = op(Repeat(by), [op(Extract(width - 1, width - 1), [a.clone()])]);
            equal(one(SignExtend(by)), op(Concat, [sign, a.clone()]))
        }
        13 if width < 100 => {
            let by = generator.rng.between(1, 20);
            equal(one(ZeroExtend(by)), op(Concat, [bv(0, by), a.clone()]))
        }
        14 => {
            let flipped = op(BvNot, [op(BvLshr, [op(BvNot, [a.clone()]), b.clone()])]);
            equal(two(BvAshr), ite(negative(&a), flipped, two(BvLshr)))
        }
        15 => equal(
            op(BvShl, [a.clone(), bv(1, width)]),
            op(BvAdd, [a.clone(), a.clone()]),
        ),
        16 => {
            // The value of an over-shift and of division by zero.
            let large = op(BvUge, [b.clone(), bv(u128::from(width), width)]);
            if mask(width) < u128::from(width) {
                return equal(
                    op(BvUdiv, [a.clone(), bv(0, width)]),
                    bv(mask(width), width),
                );
            }
            op(Implies, [large, equal(two(BvShl), bv(0, width))])
        }
        17 => {
            let whole = op(BvAdd, [op(BvMul, [b.clone(), two(BvUdiv)]), two(BvUrem)]);
            let small = op(BvUlt, [two(BvUrem), b.clone()]);
            let zero = equal(b.clone(), bv(0, width));
            op(Or, [zero, op(And, [equal(whole, a.clone()), small])])
        }
        18 => {
            let magnitude = |term: &T| ite(negative(term), neg(term.clone()), term.clone());
            let size = op(BvUdiv, [magnitude(&a), magnitude(&b)]);
            let signs = op(Xor, [negative(&a), negative(&b)]);
            equal(two(BvSdiv), ite(signs, neg(size.clone()), size))
        }
        19 => {
            let magnitude = |term: &T| ite(negative(term), neg(term.clone()), term.clone());
            let size = op(BvUrem, [magnitude(&a), magnitude(&b)]);
            equal(two(BvSrem), ite(negative(&a), neg(size.clone()), size))
        }
        20 => {
            let magnitude = |term: &T| ite(negative(term), neg(term.clone()), term.clone());
            let size = op(BvUrem, [magnitude(&a), magnitude(&b)]);
            let mixed = ite(
                negative(&a),
                op(BvAdd, [neg(size.clone()), b.clone()]),
                op(BvAdd, [size.clone(), b.clone()]),
            );
            let alike = ite(negative(&a), neg(size.clone()), size.clone());
            let signs = op(Xor, [negative(&a), negative(&b)]);
            equal(
                two(BvSmod),
                ite(
                    equal(size.clone(), bv(0, width)),
                    size,
                    ite(signs, mixed, alike),
                ),
            )
        }
        21 => {
            let operator = *generator.rng.pick(&[BvUmulO, BvSmulO]);
            equal(
                two(operator),
                overflow_definition(operator, &[a.clone(), b.clone()])
                    .expect("an overflow predicate"),
            )
        }
        22 if width < 128 => {
            let operator = *generator
                .rng
                .pick(&[BvUaddO, BvSaddO, BvUsubO, BvSsubO, BvSdivO]);
            equal(
                two(operator),
                overflow_definition(operator, &[a.clone(), b.clone()])
                    .expect("an overflow predicate"),
            )
        }
        23 => match generator.array_operand() {
            Some(array) => read_over_write(generator, array),
            None => equal(two(BvAdd), op(BvAdd, [b.clone(), a.clone()])),
        },
        _ => equal(op(BvAnd, [a.clone(), one(BvNot)]), bv(0, width)),
    }
}

fn read_over_write(generator: &mut Generator, array: T) -> T {
    let Sort::Array(index, element) = array.sort else {
        unreachable!("an array")
    };
    let i = generator.operand(index);
    let j = generator.operand(index);
    let v = generator.operand(element);
    let same = op(Op::Eq, [i.clone(), j.clone()]);
    let stored = op(Op::Store, [array.clone(), i.clone(), v.clone()]);
    if generator.rng.percent(60) {
        let expected = op(Op::Ite, [same, v, op(Op::Select, [array, j.clone()])]);
        return op(Op::Eq, [op(Op::Select, [stored, j]), expected]);
    }
    // Writes at different places commute; extensionality is needed to see it.
    let u = generator.operand(element);
    let one_way = op(Op::Store, [stored, j.clone(), u.clone()]);
    let other_way = op(Op::Store, [op(Op::Store, [array, j, u]), i, v]);
    op(Op::Or, [same, op(Op::Eq, [one_way, other_way])])
}
