//! Floats: the evaluator against the processor, against tables worked out by hand and against laws; notations; plain
//! words; trying all inputs.

use crate::fuzz::ast::{
    Node, Op, Rounding, Sort, T, apply, bv, float, not, op, rounding, subterms, symbol,
};
use crate::fuzz::evaluate::{Function, Gap, Model, Value, evaluate};
use crate::fuzz::exhaust;
use crate::fuzz::floats::{Format, code};
use crate::fuzz::generate;
use crate::fuzz::plain::{for_oracle, in_plain_words};
use crate::fuzz::sexpr::{self, Sexp};
use crate::fuzz::theory::Family;
use crate::random::Rng;

fn value_of(term: &T) -> Value {
    evaluate(term, &Model::default()).expect("a value")
}

fn nearest() -> T {
    rounding(Rounding::NearestEven, false)
}

/// Bits on the edge of something, of any format.
fn edge(rng: &mut Rng, format: Format) -> u128 {
    let corners = [
        format.zero(false),
        1,
        format.largest(false),
        format.infinity(false),
        format.nan(),
        1 << (format.significand - 1),
        (1 << (format.significand - 1)) - 1,
        (format.largest_exponent() as u128) << (format.significand - 1),
    ];
    let near = |bits: u128, rng: &mut Rng| bits + rng.below(3) as u128;
    let bits = match rng.percent(40) {
        true => near(*rng.pick(&corners), rng),
        false => rng.wide(),
    };
    let all = (1 << format.width()) - 1;
    (bits ^ u128::from(rng.percent(50)) << (format.width() - 1)) & all
}

/// What the processor has too, the evaluator compares by itself, and panics where they differ.
#[test]
fn the_processor_agrees() {
    use Op::*;
    let mut rng = Rng::for_script(7, 7);
    for (exponent, significand) in [(8, 24), (11, 53)] {
        let format = Format {
            exponent,
            significand,
        };
        for _ in 0..6000 {
            let [a, b, c] = [0; 3].map(|_| float(edge(&mut rng, format), exponent, significand));
            for operator in [FpAdd, FpSub, FpMul, FpDiv] {
                value_of(&op(operator, [nearest(), a.clone(), b.clone()]));
            }
            value_of(&op(FpFma, [nearest(), a.clone(), b.clone(), c]));
            value_of(&op(FpSqrt, [nearest(), a.clone()]));
            for mode in Rounding::ALL {
                value_of(&op(FpRound, [rounding(mode, false), a.clone()]));
            }
            for to in [ToFp(8, 24), ToFp(11, 53)] {
                value_of(&op(to, [nearest(), a.clone()]));
            }
            let integer = bv(rng.wide(), rng.between(1, 127));
            for to in [
                ToFp(exponent, significand),
                ToFpUnsigned(exponent, significand),
            ] {
                value_of(&op(to, [nearest(), integer.clone()]));
            }
            let zero = rounding(Rounding::Zero, false);
            for operator in [FpToUbv(64), FpToSbv(64)] {
                let _ = evaluate(&op(operator, [zero.clone(), b.clone()]), &Model::default());
            }
            let _ = evaluate(&op(FpMin, [a.clone(), b.clone()]), &Model::default());
            let _ = evaluate(&op(FpMax, [a, b]), &Model::default());
        }
    }
}

fn comparisons(values: [f64; 2]) -> [bool; 5] {
    let [a, b] = values;
    [a <= b, a < b, a >= b, a > b, a == b]
}

#[test]
fn comparisons_and_classes_are_the_processors() {
    use Op::*;
    let format = Format::of(Sort::Float(11, 53));
    let mut rng = Rng::for_script(8, 8);
    for _ in 0..5000 {
        let bits = [0; 2].map(|_| edge(&mut rng, format));
        let [a, b] = bits.map(|bits| float(bits, 11, 53));
        let native = bits.map(|bits| f64::from_bits(bits as u64));
        let found = [FpLeq, FpLt, FpGeq, FpGt, FpEq]
            .map(|operator| value_of(&op(operator, [a.clone(), b.clone()])));
        assert_eq!(found, comparisons(native).map(Value::Bool), "{a} {b}");
        let x = native[0];
        let classes = [
            (FpIsNan, x.is_nan()),
            (FpIsInfinite, x.is_infinite()),
            (FpIsZero, x == 0.0),
            (FpIsNormal, x.is_normal()),
            (FpIsSubnormal, x.is_subnormal()),
            (FpIsNegative, !x.is_nan() && x.is_sign_negative()),
            (FpIsPositive, !x.is_nan() && x.is_sign_positive()),
        ];
        for (operator, expected) in classes {
            let term = op(operator, [a.clone()]);
            assert_eq!(value_of(&term), Value::Bool(expected), "{term}");
        }
    }
}

/// In the format of 2 and 3 bits: the numbers are 0, 1/4, 1/2, 3/4, 1, 5/4, 3/2, 7/4, 2, 5/2, 3, 7/2.
#[test]
fn rounding_by_hand() {
    use Rounding::*;
    let number = |quarters: u128| match quarters {
        0..=8 => quarters,
        10 => 9,
        12 => 10,
        14 => 11,
        _ => panic!("no number of the format"),
    };
    let infinite = Format::of(Sort::Float(2, 3)).infinity(false);
    // 7/4 + 1/2 = 9/4, 7/4 + 1 = 11/4, 7/2 + 1/4 = 15/4, 7/2 + 3 = 13/2, in quarters.
    let table = [
        (7, 2, [8, 10, 10, 8, 8].map(number)),
        (7, 4, [12, 12, 12, 10, 10].map(number)),
        (14, 1, [infinite, infinite, infinite, 11, 11]),
        (14, 12, [infinite, infinite, infinite, 11, 11]),
    ];
    for (a, b, expected) in table {
        let modes = [NearestEven, NearestAway, Positive, Negative, Zero];
        for (mode, expected) in modes.into_iter().zip(expected) {
            let args = [a, b].map(|quarters| float(number(quarters), 2, 3));
            let [a, b] = args;
            let sum = op(Op::FpAdd, [rounding(mode, false), a, b]);
            assert_eq!(value_of(&sum), Value::Bv(expected), "{sum}");
            // And mirrored.
            let Node::Op(operator) = sum.node else {
                unreachable!("a sum")
            };
            let negated = sum.args[1..].iter().map(|arg| op(Op::FpNeg, [arg.clone()]));
            let mut args = vec![rounding(mode.mirrored(), true)];
            args.extend(negated);
            let sum = op(operator, args);
            assert_eq!(value_of(&sum), Value::Bv(expected | 16), "{sum}");
        }
    }
}

#[test]
fn remainders_by_hand() {
    let single = |value: f32| float(value.to_bits().into(), 8, 24);
    let bits = |value: f32| Value::Bv(value.to_bits().into());
    let table: &[(f32, f32, f32)] = &[
        (5.0, 3.0, -1.0),
        (3.0, 2.0, -1.0),
        (1.0, 2.0, 1.0),
        (5.0, 2.0, 1.0),
        (-5.0, 3.0, 1.0),
        (5.0, -3.0, -1.0),
        (6.0, 3.0, 0.0),
        (-6.0, 3.0, -0.0),
        (0.3, f32::INFINITY, 0.3),
        (1.0e38, 3.0, 1.0),
    ];
    for &(a, b, expected) in table {
        let term = op(Op::FpRem, [single(a), single(b)]);
        let found = value_of(&term);
        if a == 1.0e38 {
            // Its exact value is an integer: 99999996802856924650656260769173209088.
            let rest = 99_999_996_802_856_924_650_656_260_769_173_209_088_u128 % 3;
            let nearest = if rest == 2 { -1.0 } else { rest as f32 };
            assert_eq!(found, bits(nearest), "{term}");
            continue;
        }
        assert_eq!(found, bits(expected), "{term}");
    }
    for (a, b) in [(f32::INFINITY, 1.0), (1.0, 0.0), (f32::NAN, 1.0)] {
        let term = op(Op::FpRem, [single(a), single(b)]);
        assert_eq!(value_of(&term), bits(f32::NAN), "{term}");
    }
}

#[test]
fn what_the_standard_leaves_open_has_no_value_unless_the_model_gives_one() {
    let zeros = [false, true].map(|sign| float(Format::of(Sort::Float(3, 4)).zero(sign), 3, 4));
    let least = op(Op::FpMin, zeros);
    let beyond = op(Op::FpToUbv(2), [nearest(), float(0b0_110_000, 3, 4)]);
    for term in [&least, &beyond] {
        let gap = evaluate(term, &Model::default());
        assert!(matches!(gap, Err(Gap::Point { .. })), "{term}: {gap:?}");
    }
    let mut model = Model::default();
    let args = vec![Value::Bv(0), Value::Bv(64)];
    let choice = Function::Table(vec![(args, Value::Bv(1))]);
    model.functions.insert("fp.min.3.4".to_string(), choice);
    assert_eq!(evaluate(&least, &model), Ok(Value::Bv(64)));
    // It fits three bits and more.
    let term = op(Op::FpToUbv(4), beyond.args.clone());
    assert_eq!(value_of(&term), Value::Bv(8));
}

#[test]
fn literals_are_read_back_as_they_are_printed() {
    let mut rng = Rng::for_script(5, 5);
    for (exponent, significand) in [(2, 2), (2, 3), (3, 4), (5, 11), (8, 24), (11, 53), (15, 64)] {
        let format = Format {
            exponent,
            significand,
        };
        for _ in 0..300 {
            let term = float(edge(&mut rng, format), exponent, significand);
            let text = term.to_string();
            let read = sexpr::value(&Sexp::parse(&text).expect("an expression"), term.sort);
            assert_eq!(read, Ok(value_of(&term)), "{text}");
        }
    }
    for mode in Rounding::ALL {
        for name in mode.names() {
            let read = sexpr::value(&Sexp::Atom(name.to_string()), Sort::Rounding);
            assert_eq!(read, Ok(Value::Bv(code(mode))), "{name}");
        }
    }
    let wrong = Sexp::parse("(_ +oo 3 5)").expect("an expression");
    assert!(sexpr::value(&wrong, Sort::Float(3, 4)).is_err());
}

/// Do bit-vectors occur that are wider than the evaluator's?
fn is_wide(term: &T) -> bool {
    let mut wide = false;
    subterms(term, &mut |term| {
        wide |= matches!(term.sort, Sort::Bv(width) if width > 128);
    });
    wide
}

/// Generated assertions mean the same in plain words, and in those for oracles where nothing is left open.
#[test]
fn plain_words_mean_the_same() {
    let mut compared = [0; 2];
    for number in 0..60 {
        let script = generate::script(Family::Fp, 9, number);
        let mut rng = Rng::for_script(4, number);
        for situation in script.situations().expect("well-formed") {
            let mut model = Model::default();
            for declaration in &situation.declarations {
                let value = match declaration.result {
                    Sort::Bool => Value::Bool(rng.percent(50)),
                    Sort::Rounding => Value::Bv(rng.below(5) as u128),
                    Sort::Bv(width) => value_of(&bv(rng.wide(), width)),
                    sort @ Sort::Float(e, s) if s < 100 => {
                        value_of(&float(edge(&mut rng, Format::of(sort)), e, s))
                    }
                    _ => continue,
                };
                model.symbols.insert(declaration.name.clone(), value);
            }
            for term in situation.demands() {
                let meaning = evaluate(term, &model);
                if meaning.is_err() || is_wide(&in_plain_words(term)) {
                    continue;
                }
                compared[0] += 1;
                assert_eq!(meaning, evaluate(&in_plain_words(term), &model), "{term}");
                let for_oracle = for_oracle(term);
                compared[1] += u32::from(for_oracle != in_plain_words(term));
                assert_eq!(meaning, evaluate(&for_oracle, &model), "{term}");
            }
        }
    }
    assert!(compared[0] > 1000 && compared[1] > 100, "{compared:?}");
}

#[test]
fn all_inputs_are_tried() {
    let x = symbol("x", Sort::Float(3, 4));
    let m = symbol("m", Sort::Rounding);
    let f = |x: &T| apply("f", vec![x.clone()], Sort::Bool);
    let largest = float(Format::of(Sort::Float(3, 4)).largest(false), 3, 4);
    let sum = op(Op::FpAdd, [m, x.clone(), largest]);
    let beyond = op(Op::FpIsInfinite, [sum]);
    let finite = not(op(Op::FpIsInfinite, [x.clone()]));
    let negative = op(Op::FpIsNegative, [x.clone()]);
    let found = exhaust::model(&[beyond.clone(), finite.clone()]);
    let model = found.expect("few inputs").expect("there is one");
    assert_eq!(evaluate(&beyond, &model), Ok(Value::Bool(true)));
    let none = exhaust::model(&[beyond, finite, negative]);
    assert!(matches!(none, Some(None)));
    // Functions are tried as well.
    let truth = exhaust::model(&[f(&x)]);
    assert!(matches!(truth, Some(Some(_))));
    let both = exhaust::model(&[f(&x), not(f(&x))]);
    assert!(matches!(both, Some(None)));
    let wide = symbol("w", Sort::Float(11, 53));
    assert!(exhaust::model(&[op(Op::FpIsNan, [wide])]).is_none());
}
