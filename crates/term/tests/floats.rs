//! Floats against their definition: by brute force over all numbers of a small format, by another library, and by the
//! processor.

mod common;

use std::cmp::Ordering;
use std::sync::LazyLock;

use common::Rng;
use refrain_term::float::{operate, operate_exactly};
use refrain_term::{Bv, FloatOp, Format, Rational, Rounding};
use refrain_testing::effort;
use rustc_apfloat::ieee::{BFloat, Double, Half, Quad, Single};
use rustc_apfloat::{Float, FloatConvert, Round, Status, StatusAnd};

const SMALL: Format = Format::new(3, 4);

fn code(rounding: Rounding) -> Bv {
    Bv::new(Rounding::WIDTH, rounding.code())
}

/// The magnitudes of all numbers of a format in ascending order, and above them what the next one would be.
fn magnitudes(format: Format) -> Vec<Rational> {
    let count = 1u64 << (format.width() - 1);
    let numbers = (0..count).map(|bits| Bv::new(format.width(), bits));
    let mut numbers: Vec<Rational> = numbers
        .filter_map(|bits| format.to_rational(&bits))
        .collect();
    let last = numbers.len() - 1;
    let step = &numbers[last] - &numbers[last - 1];
    numbers.push(&numbers[last] + &step);
    numbers
}

static MAGNITUDES: LazyLock<Vec<Rational>> = LazyLock::new(|| magnitudes(SMALL));

/// Rounds by definition: `order` compares what is to be rounded, which is not negative, with a number.
fn rounded(
    format: Format,
    rounding: Rounding,
    negative: bool,
    order: impl Fn(&Rational) -> Ordering,
) -> Bv {
    let all = &*MAGNITUDES;
    assert_eq!(format, SMALL);
    let above = all.iter().position(|number| order(number).is_le());
    let upper = above.unwrap_or(all.len() - 1);
    let exact = order(&all[upper]).is_eq();
    let lower = if exact {
        upper
    } else {
        upper.saturating_sub(1)
    };
    // Beyond the last one there is only that one to round to.
    let lower = if above.is_none() { upper } else { lower };
    let middle = &(&all[lower] + &all[upper]) / &Rational::from(2);
    let nearest = match order(&middle) {
        Ordering::Less => lower,
        Ordering::Greater => upper,
        Ordering::Equal if lower % 2 == 0 => lower,
        Ordering::Equal => upper,
    };
    let chosen = match rounding {
        Rounding::NearestEven => nearest,
        Rounding::NearestAway if order(&middle).is_eq() => upper,
        Rounding::NearestAway => nearest,
        Rounding::Up if negative => lower,
        Rounding::Up => upper,
        Rounding::Down if negative => upper,
        Rounding::Down => lower,
        Rounding::ToZero => lower,
    };
    let overflows = chosen == all.len() - 1;
    let to_infinity = match rounding {
        Rounding::NearestEven | Rounding::NearestAway => true,
        Rounding::Up => !negative,
        Rounding::Down => negative,
        Rounding::ToZero => false,
    };
    if overflows {
        return match to_infinity {
            true => format.infinity(negative),
            false => format.largest(negative),
        };
    }
    let sign = Bv::new(1, negative.into());
    sign.concat(&Bv::new(format.width() - 1, chosen as u64))
}

fn rounded_number(format: Format, rounding: Rounding, negative: bool, exact: &Rational) -> Bv {
    let magnitude = exact.abs();
    rounded(format, rounding, negative, |number| {
        (&magnitude - number).signum().cmp(&0)
    })
}

/// Every pair of numbers of a small format, every mode.
#[test]
fn numbers_of_a_small_format_are_rounded_by_definition() {
    let all: Vec<Bv> = (0..1 << SMALL.width())
        .map(|bits| Bv::new(SMALL.width(), bits))
        .collect();
    let result = (SMALL.width(), 0);
    let mut compared = 0u64;
    for rounding in Rounding::ALL {
        let mode = code(rounding);
        let run = |op: FloatOp, args: &[&Bv]| operate(op, SMALL, result, args);
        for a in &all {
            let Some(x) = SMALL.to_rational(a) else {
                continue;
            };
            let is_zero = |number: &Rational| number.is_zero();
            // Roots.
            if !a.sign() && !is_zero(&x) {
                let root = rounded(SMALL, rounding, false, |number| {
                    (&x - &(number * number)).signum().cmp(&0)
                });
                assert_eq!(
                    run(FloatOp::Sqrt, &[&mode, a]),
                    root,
                    "sqrt {a} {rounding:?}"
                );
            }
            // Integers.
            let floor = x.floor();
            let near = match (&(&x - &floor) * &Rational::from(2)).signum_against_one() {
                Ordering::Less => floor.clone(),
                Ordering::Greater => &floor + &Rational::from(1),
                Ordering::Equal => {
                    let is_even = floor.to_i64().is_some_and(|floor| floor % 2 == 0);
                    let away = if x.is_negative() {
                        floor.clone()
                    } else {
                        &floor + &Rational::from(1)
                    };
                    match rounding {
                        Rounding::NearestAway => away,
                        _ if is_even => floor.clone(),
                        _ => &floor + &Rational::from(1),
                    }
                }
            };
            let integer = match rounding {
                Rounding::NearestEven | Rounding::NearestAway => near,
                Rounding::Up => x.ceil(),
                Rounding::Down => floor,
                Rounding::ToZero if x.is_negative() => x.ceil(),
                Rounding::ToZero => floor,
            };
            let integral = rounded_number(SMALL, rounding, a.sign(), &integer);
            assert_eq!(
                run(FloatOp::RoundToIntegral, &[&mode, a]),
                integral,
                "integral {a} {rounding:?}"
            );
            for (op, signed) in [(FloatOp::ToSigned, true), (FloatOp::ToUnsigned, false)] {
                for width in [1u32, 3, 5, 8] {
                    let value = integer.to_i64().expect("small");
                    let (low, high) = match signed {
                        true => (-(1i64 << (width - 1)), (1i64 << (width - 1)) - 1),
                        false => (0, (1i64 << width) - 1),
                    };
                    let expected = if (low..=high).contains(&value) {
                        value
                    } else {
                        0
                    };
                    let found = operate(op, SMALL, (width, 0), &[&mode, a]);
                    assert_eq!(
                        found,
                        Bv::new(width, expected as u64),
                        "{op:?} {a} {rounding:?} {width}"
                    );
                }
            }
            for b in &all {
                let Some(y) = SMALL.to_rational(b) else {
                    continue;
                };
                compared += 1;
                let sum = &x + &y;
                let sign_of_sum = match (sum.signum(), a.sign() == b.sign()) {
                    (0, true) => a.sign(),
                    (0, false) => rounding == Rounding::Down,
                    (sign, _) => sign < 0,
                };
                let expected = rounded_number(SMALL, rounding, sign_of_sum, &sum);
                assert_eq!(
                    run(FloatOp::Add, &[&mode, a, b]),
                    expected,
                    "{a} + {b} {rounding:?}"
                );
                let negative = a.sign() != b.sign();
                let product = &x * &y;
                let expected = rounded_number(SMALL, rounding, negative, &product);
                assert_eq!(
                    run(FloatOp::Mul, &[&mode, a, b]),
                    expected,
                    "{a} * {b} {rounding:?}"
                );
                if is_zero(&y) {
                    continue;
                }
                let quotient = &x / &y;
                let expected = rounded_number(SMALL, rounding, negative, &quotient);
                assert_eq!(
                    run(FloatOp::Div, &[&mode, a, b]),
                    expected,
                    "{a} / {b} {rounding:?}"
                );
                // The nearest integer to the quotient, ties to even.
                let near = nearest_even(&quotient);
                let remainder = &x - &(&y * &near);
                let sign = if is_zero(&remainder) {
                    a.sign()
                } else {
                    remainder.is_negative()
                };
                let expected = rounded_number(SMALL, rounding, sign, &remainder);
                assert_eq!(run(FloatOp::Rem, &[a, b]), expected, "{a} rem {b}");
                for c in all.iter().step_by(5) {
                    let Some(z) = SMALL.to_rational(c) else {
                        continue;
                    };
                    let exact = &product + &z;
                    let sign = match (exact.signum(), negative == c.sign()) {
                        (0, true) => c.sign(),
                        (0, false) => rounding == Rounding::Down,
                        (sign, _) => sign < 0,
                    };
                    let expected = rounded_number(SMALL, rounding, sign, &exact);
                    let found = run(FloatOp::Fma, &[&mode, a, b, c]);
                    assert_eq!(found, expected, "{a} * {b} + {c} {rounding:?}");
                }
                let order = x_compared(&x, &y);
                let holds = |op: FloatOp| operate(op, SMALL, (1, 0), &[a, b]).is_one();
                assert_eq!(holds(FloatOp::Lt), order.is_lt());
                assert_eq!(holds(FloatOp::Le), order.is_le());
                assert_eq!(holds(FloatOp::Eq), order.is_eq());
            }
        }
    }
    assert!(compared > 50_000);
}

fn x_compared(x: &Rational, y: &Rational) -> Ordering {
    (x - y).signum().cmp(&0)
}

fn nearest_even(value: &Rational) -> Rational {
    let floor = value.floor();
    let one = Rational::from(1);
    match (&(value - &floor) * &Rational::from(2)).signum_against_one() {
        Ordering::Less => floor,
        Ordering::Greater => &floor + &one,
        Ordering::Equal if floor.to_i64().is_some_and(|floor| floor % 2 == 0) => floor,
        Ordering::Equal => &floor + &one,
    }
}

trait AgainstOne {
    fn signum_against_one(&self) -> Ordering;
}

impl AgainstOne for Rational {
    fn signum_against_one(&self) -> Ordering {
        (self - &Rational::from(1)).signum().cmp(&0)
    }
}

fn to_u128(bits: &Bv) -> u128 {
    let words = bits.words();
    u128::from(words[0]) | u128::from(*words.get(1).unwrap_or(&0)) << 64
}

fn of_u128(width: u32, bits: u128) -> Bv {
    Bv::from_words(
        width,
        [bits as u64, (bits >> 64) as u64][..width.div_ceil(64) as usize].to_vec(),
    )
}

fn mode_of(rounding: Rounding) -> Round {
    match rounding {
        Rounding::NearestEven => Round::NearestTiesToEven,
        Rounding::NearestAway => Round::NearestTiesToAway,
        Rounding::Up => Round::TowardPositive,
        Rounding::Down => Round::TowardNegative,
        Rounding::ToZero => Round::TowardZero,
    }
}

/// Floats around every corner of a format.
fn corner(rng: &mut Rng, format: Format) -> Bv {
    let width = format.width();
    let near = |rng: &mut Rng, value: Bv| {
        let step = Bv::new(width, rng.next() % 4);
        if rng.chance(50) {
            value.add(&step)
        } else {
            value.sub(&step)
        }
    };
    let negative = rng.chance(50);
    match rng.below(10) {
        0 => near(rng, format.zero(negative)),
        1 => near(rng, format.infinity(negative)),
        2 => near(rng, format.largest(negative)),
        // The smallest normal ones.
        3 => near(
            rng,
            Bv::one(width).shl(&Bv::new(width, u64::from(format.fraction()))),
        ),
        // Small integers and halves.
        4 | 5 => {
            let integer = Bv::new(12, rng.next());
            let mode = code(Rounding::ToZero);
            let float = operate(FloatOp::FromSigned, format, (width, 0), &[&mode, &integer]);
            near(rng, float)
        }
        // Near one: exponents that are close to each other.
        6 | 7 => {
            let one = Bv::max_signed(format.exponent);
            let exponent = one
                .add(&Bv::new(format.exponent, rng.next() % 7))
                .sub(&Bv::new(format.exponent, 3));
            let fraction = rng.bv(format.fraction());
            Bv::new(1, negative.into())
                .concat(&exponent)
                .concat(&fraction)
        }
        _ => rng.bv(width),
    }
}

fn against_library<F>(format: Format, seed: u64, count: usize)
where
    F: Float + FloatConvert<Double> + FloatConvert<Half> + FloatConvert<Quad>,
{
    let mut rng = Rng::new(seed);
    let width = format.width();
    let canonical = |value: F| match value.is_nan() {
        true => format.nan(),
        false => of_u128(width, value.to_bits()),
    };
    for _ in 0..count {
        let rounding = Rounding::ALL[rng.below(5)];
        let (mode, round) = (code(rounding), mode_of(rounding));
        let bits = [0; 3].map(|_| corner(&mut rng, format));
        let [x, y, z] = [0, 1, 2].map(|place: usize| F::from_bits(to_u128(&bits[place])));
        let [a, b, c] = &bits;
        let check = |op: FloatOp, args: &[&Bv], expected: Bv| {
            for run in [operate, operate_exactly] {
                let found = run(op, format, (expected.width(), 0), args);
                assert_eq!(
                    found, expected,
                    "{op:?} {args:?} in {format:?}, {rounding:?}"
                );
            }
        };
        check(
            FloatOp::Add,
            &[&mode, a, b],
            canonical(x.add_r(y, round).value),
        );
        check(
            FloatOp::Mul,
            &[&mode, a, b],
            canonical(x.mul_r(y, round).value),
        );
        check(
            FloatOp::Div,
            &[&mode, a, b],
            canonical(x.div_r(y, round).value),
        );
        check(
            FloatOp::Fma,
            &[&mode, a, b, c],
            canonical(x.mul_add_r(y, z, round).value),
        );
        check(
            FloatOp::RoundToIntegral,
            &[&mode, a],
            canonical(x.round_to_integral(round).value),
        );
        let integer = rng.bv(64);
        let signed = integer.small().expect("64 bits") as i64;
        check(
            FloatOp::FromSigned,
            &[&mode, &integer],
            canonical(F::from_i128_r(signed.into(), round).value),
        );
        check(
            FloatOp::FromUnsigned,
            &[&mode, &integer],
            canonical(F::from_u128_r((signed as u64).into(), round).value),
        );
        for size in [8u32, 32, 64] {
            let mut exact = false;
            let signed = x.to_i128_r(size as usize, round, &mut exact);
            let unsigned = x.to_u128_r(size as usize, round, &mut exact);
            let valid = |status: Status| !status.contains(Status::INVALID_OP);
            let signed = if valid(signed.status) {
                signed.value as u64
            } else {
                0
            };
            let unsigned = if valid(unsigned.status) {
                unsigned.value as u64
            } else {
                0
            };
            check(FloatOp::ToSigned, &[&mode, a], Bv::new(size, signed));
            check(FloatOp::ToUnsigned, &[&mode, a], Bv::new(size, unsigned));
        }
        let truth = |value: bool| Bv::new(1, value.into());
        check(FloatOp::Lt, &[a, b], truth(x < y));
        check(FloatOp::Le, &[a, b], truth(x <= y));
        check(FloatOp::Eq, &[a, b], truth(x == y));
        let mut lost = false;
        let double: StatusAnd<Double> = x.convert_r(round, &mut lost);
        let half: StatusAnd<Half> = x.convert_r(round, &mut lost);
        let quad: StatusAnd<Quad> = x.convert_r(round, &mut lost);
        let converted = [
            (
                Format::DOUBLE,
                double.value.is_nan(),
                double.value.to_bits(),
            ),
            (Format::HALF, half.value.is_nan(), half.value.to_bits()),
            (Format::QUAD, quad.value.is_nan(), quad.value.to_bits()),
        ];
        for (to, is_nan, bits) in converted {
            let expected = if is_nan {
                to.nan()
            } else {
                of_u128(to.width(), bits)
            };
            for run in [operate, operate_exactly] {
                let found = run(
                    FloatOp::Convert,
                    format,
                    (to.width(), to.exponent),
                    &[&mode, a],
                );
                assert_eq!(
                    found, expected,
                    "{a} from {format:?} to {to:?}, {rounding:?}"
                );
            }
        }
    }
}

#[test]
fn formats_in_use_are_as_another_library_has_them() {
    let count = effort(2_000, 200_000) as usize;
    against_library::<Half>(Format::HALF, 1, count);
    against_library::<BFloat>(Format::BRAIN, 2, count);
    against_library::<Single>(Format::SINGLE, 3, count);
    against_library::<Double>(Format::DOUBLE, 4, count);
    against_library::<Quad>(Format::QUAD, 5, count / 4);
}

/// What is computed without the processor, and what it computes.
#[test]
fn the_processor_agrees() {
    let mut rng = Rng::new(7);
    let nearest = code(Rounding::NearestEven);
    for _ in 0..effort(100_000, 1_000_000) {
        let bits = [0; 3].map(|_| corner(&mut rng, Format::DOUBLE));
        let [x, y, z] =
            [0, 1, 2].map(|place: usize| f64::from_bits(bits[place].small().expect("64 bits")));
        let [a, b, c] = &bits;
        let check = |op: FloatOp, args: &[&Bv], value: f64| {
            let expected = if value.is_nan() {
                Format::DOUBLE.nan()
            } else {
                Bv::new(64, value.to_bits())
            };
            let found = operate_exactly(op, Format::DOUBLE, (64, 0), args);
            assert_eq!(found, expected, "{op:?} {args:?}");
        };
        check(FloatOp::Add, &[&nearest, a, b], x + y);
        check(FloatOp::Mul, &[&nearest, a, b], x * y);
        check(FloatOp::Div, &[&nearest, a, b], x / y);
        check(FloatOp::Sqrt, &[&nearest, a], x.sqrt());
        check(FloatOp::Fma, &[&nearest, a, b, c], x.mul_add(y, z));
        let bits = [0; 3].map(|_| corner(&mut rng, Format::SINGLE));
        let [x, y, z] = [0, 1, 2]
            .map(|place: usize| f32::from_bits(bits[place].small().expect("32 bits") as u32));
        let [a, b, c] = &bits;
        let check = |op: FloatOp, args: &[&Bv], value: f32| {
            let expected = if value.is_nan() {
                Format::SINGLE.nan()
            } else {
                Bv::new(32, value.to_bits().into())
            };
            let found = operate_exactly(op, Format::SINGLE, (32, 0), args);
            assert_eq!(found, expected, "{op:?} {args:?}");
        };
        check(FloatOp::Add, &[&nearest, a, b], x + y);
        check(FloatOp::Mul, &[&nearest, a, b], x * y);
        check(FloatOp::Div, &[&nearest, a, b], x / y);
        check(FloatOp::Sqrt, &[&nearest, a], x.sqrt());
        check(FloatOp::Fma, &[&nearest, a, b, c], x.mul_add(y, z));
    }
}

/// Constants with many digits.
#[test]
fn exact_numbers_are_rounded_once() {
    let mut rng = Rng::new(11);
    for _ in 0..effort(5_000, 100_000) {
        let mantissa = rng.next() % 10_000_000_000;
        let scale = rng.below(40) as i32 - 20;
        let text = format!("{mantissa}e{scale}");
        let digits = Rational::from(mantissa as i64);
        let ten = (0..scale.abs()).fold(Rational::from(1), |power, _| &power * &Rational::from(10));
        let exact = if scale < 0 {
            &digits / &ten
        } else {
            &digits * &ten
        };
        let double = Format::DOUBLE.of_rational(Rounding::NearestEven, &exact);
        let single = Format::SINGLE.of_rational(Rounding::NearestEven, &exact);
        assert_eq!(
            double,
            Bv::new(64, text.parse::<f64>().expect("a number").to_bits()),
            "{text}"
        );
        assert_eq!(
            single,
            Bv::new(32, text.parse::<f32>().expect("a number").to_bits().into()),
            "{text}"
        );
    }
}
