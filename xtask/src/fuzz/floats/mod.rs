//! The evaluator's half for floats: the exact result as integers of any size, then one rounding, by the
//! definitions of IEEE 754 and the standard. A float is its bits, a NaN the plainest one. What the processor
//! can compute too is computed twice (`processor`).

mod exact;
mod processor;

use super::ast::{Op, Rounding, Sort, T, mask};
use super::evaluate::Value;
use exact::{Exact, Number};
use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    pub exponent: u32,
    pub significand: u32,
}

impl Format {
    pub fn of(sort: Sort) -> Format {
        match sort {
            Sort::Float(exponent, significand) => Format {
                exponent,
                significand,
            },
            other => panic!("{other} is no format"),
        }
    }

    pub fn width(self) -> u32 {
        self.exponent + self.significand
    }

    fn top(self) -> u128 {
        mask(self.exponent) << (self.significand - 1)
    }

    fn sign(self, negative: bool) -> u128 {
        u128::from(negative) << (self.width() - 1)
    }

    pub fn zero(self, negative: bool) -> u128 {
        self.sign(negative)
    }

    pub fn infinity(self, negative: bool) -> u128 {
        self.sign(negative) | self.top()
    }

    pub fn largest(self, negative: bool) -> u128 {
        self.sign(negative) | (self.top() - 1)
    }

    pub fn nan(self) -> u128 {
        self.top() | 1 << (self.significand - 2)
    }

    pub fn is_nan(self, bits: u128) -> bool {
        bits & mask(self.width() - 1) > self.top()
    }

    /// The same value in the one form that it has here.
    pub fn canonical(self, bits: u128) -> u128 {
        if self.is_nan(bits) { self.nan() } else { bits }
    }

    pub fn is_negative(self, bits: u128) -> bool {
        bits >> (self.width() - 1) & 1 == 1
    }

    pub fn largest_exponent(self) -> i64 {
        (1 << (self.exponent - 1)) - 1
    }

    fn smallest_exponent(self) -> i64 {
        1 - self.largest_exponent()
    }

    pub fn is_standard(self) -> bool {
        matches!(
            (self.exponent, self.significand),
            (5, 11) | (8, 24) | (11, 53) | (15, 113)
        )
    }
}

/// Operators of which the standard leaves some results open.
pub fn leaves_open(operator: Op) -> bool {
    matches!(
        operator,
        Op::FpMin | Op::FpMax | Op::FpToUbv(_) | Op::FpToSbv(_)
    )
}

/// The function that says what an operator leaves open, and its sort: of a minimum or a maximum, the sign of
/// the zero.
pub fn open_function(operator: Op, of: Sort) -> (String, Sort) {
    let Format {
        exponent,
        significand,
    } = Format::of(of);
    let name = operator.name();
    match operator {
        Op::FpToUbv(width) | Op::FpToSbv(width) => (
            format!("{name}.{exponent}.{significand}.{width}"),
            Sort::Bv(width),
        ),
        _ => (format!("{name}.{exponent}.{significand}"), Sort::Bv(1)),
    }
}

/// What a function of `open_function` has to say for a result to be this value; `None` if it never is.
pub fn open_choice(operator: Op, of: Sort, value: &Value) -> Option<Value> {
    if !matches!(operator, Op::FpMin | Op::FpMax) {
        return Some(value.clone());
    }
    let format = Format::of(of);
    [false, true]
        .into_iter()
        .find(|&negative| value.bits() == format.zero(negative))
        .map(|negative| Value::Bv(u128::from(negative)))
}

/// Is this the name of an operator of floats?
pub fn is_of_floats(name: &str) -> bool {
    name.starts_with("fp") || name.starts_with("to_fp")
}

/// Results of operators in small formats, of which all inputs are tried: the operator, the sort of its last operand,
/// how many arguments there are, and which.
type Key = (Op, Sort, usize, [u8; 4]);
type Results = HashMap<Key, Option<Value>>;

const MOST_RESULTS: usize = 1 << 20;

thread_local! {
    static RESULTS: RefCell<Results> = RefCell::default();
}

/// The value of an operator of floats; `None` where the standard leaves it open.
pub fn operate(operator: Op, terms: &[T], args: &[Value]) -> Option<Value> {
    let Some(key) = small(operator, terms, args) else {
        return operate_anew(operator, terms, args);
    };
    let known = RESULTS.with_borrow(|results| results.get(&key).cloned());
    known.unwrap_or_else(|| {
        let value = operate_anew(operator, terms, args);
        RESULTS.with_borrow_mut(|results| {
            if results.len() >= MOST_RESULTS {
                results.clear();
            }
            results.insert(key, value.clone())
        });
        value
    })
}

fn small(operator: Op, terms: &[T], args: &[Value]) -> Option<Key> {
    let mut key = [0; 4];
    for (place, arg) in key.iter_mut().zip(args) {
        let Value::Bv(bits) = arg else {
            return None;
        };
        *place = u8::try_from(*bits).ok()?;
    }
    let last = terms.last()?.sort;
    let few = args.len() <= 4 && operator != Op::Fp && last.width() <= 8;
    few.then_some((operator, last, args.len(), key))
}

fn operate_anew(operator: Op, terms: &[T], args: &[Value]) -> Option<Value> {
    let own = compute(operator, terms, args);
    let sorts: Vec<Sort> = terms.iter().map(|term| term.sort).collect();
    if let Some(Value::Bv(bits)) = &own
        && let Some(native) = processor::compute(operator, &sorts, args)
    {
        assert_eq!(
            *bits,
            native,
            "{} of {args:x?} by hand, and as the processor has it",
            operator.name()
        );
    }
    own
}

fn compute(operator: Op, terms: &[T], args: &[Value]) -> Option<Value> {
    let bits = |index: usize| args[index].bits();
    let word = |bits: u128| Some(Value::Bv(bits));
    let truth = |value: bool| Some(Value::Bool(value));
    match operator {
        Op::Fp => {
            let (exponent, fraction) = (terms[1].sort.width(), terms[2].sort.width());
            let format = Format {
                exponent,
                significand: fraction + 1,
            };
            let all = bits(0) << (exponent + fraction) | bits(1) << fraction | bits(2);
            return word(format.canonical(all));
        }
        Op::ToFp(exponent, significand) | Op::ToFpUnsigned(exponent, significand) => {
            let to = Format {
                exponent,
                significand,
            };
            return word(to_float(operator, to, terms, args));
        }
        _ => {}
    }
    let first = match operator {
        Op::FpAdd | Op::FpSub | Op::FpMul | Op::FpDiv | Op::FpFma | Op::FpSqrt | Op::FpRound => 1,
        Op::FpToUbv(_) | Op::FpToSbv(_) => 1,
        _ => 0,
    };
    let mode = || mode(bits(0));
    let format = Format::of(terms[first].sort);
    let a = bits(first);
    let number = |index: usize| Number::of(format, bits(first + index));
    match operator {
        Op::FpAbs if format.is_nan(a) => word(a),
        Op::FpAbs => word(a & mask(format.width() - 1)),
        Op::FpNeg if format.is_nan(a) => word(a),
        Op::FpNeg => word(a ^ format.sign(true)),
        Op::FpAdd => word(number(0).add(&number(1), mode()).bits(format, mode())),
        Op::FpSub => word(
            number(0)
                .add(&number(1).negated(), mode())
                .bits(format, mode()),
        ),
        Op::FpMul => word(number(0).times(&number(1)).bits(format, mode())),
        Op::FpDiv => word(number(0).divided_by(&number(1)).bits(format, mode())),
        Op::FpFma => word(
            number(0)
                .times(&number(1))
                .add(&number(2), mode())
                .bits(format, mode()),
        ),
        Op::FpSqrt => word(
            number(0)
                .square_root(format.significand)
                .bits(format, mode()),
        ),
        Op::FpRem => word(
            number(0)
                .remainder(&number(1))
                .bits(format, Rounding::NearestEven),
        ),
        Op::FpRound => word(number(0).integral(mode()).bits(format, mode())),
        Op::FpMin | Op::FpMax => least(format, a, bits(1), operator == Op::FpMax).map(Value::Bv),
        Op::FpLeq | Op::FpLt | Op::FpGeq | Op::FpGt | Op::FpEq => {
            let holds = |order: Ordering| match operator {
                Op::FpLeq => order.is_le(),
                Op::FpLt => order.is_lt(),
                Op::FpGeq => order.is_ge(),
                Op::FpGt => order.is_gt(),
                _ => order.is_eq(),
            };
            let all = (1..args.len())
                .all(|next| number(next - 1).compare(&number(next)).is_some_and(holds));
            truth(all)
        }
        Op::FpIsNan => truth(format.is_nan(a)),
        Op::FpIsInfinite => truth(matches!(number(0), Number::Infinite(_))),
        Op::FpIsZero => truth(matches!(number(0), Number::Zero(_))),
        Op::FpIsSubnormal => truth(is_finite(&number(0)) && a & format.top() == 0),
        Op::FpIsNormal => truth(is_finite(&number(0)) && a & format.top() != 0),
        Op::FpIsNegative => truth(!format.is_nan(a) && format.is_negative(a)),
        Op::FpIsPositive => truth(!format.is_nan(a) && !format.is_negative(a)),
        Op::FpToIeee => word(a),
        Op::FpToReal => number(0).rational().map(Value::Real),
        Op::FpToUbv(width) => to_integer(&number(0), mode(), width, false),
        Op::FpToSbv(width) => to_integer(&number(0), mode(), width, true),
        other => panic!("{} is no operator of floats", other.name()),
    }
}

fn is_finite(number: &Number) -> bool {
    matches!(number, Number::Finite(_))
}

/// Rounding modes are numbered.
pub fn mode(code: u128) -> Rounding {
    Rounding::ALL[code as usize]
}

pub fn code(mode: Rounding) -> u128 {
    mode as u128
}

fn to_float(operator: Op, to: Format, terms: &[T], args: &[Value]) -> u128 {
    if let [only] = args {
        return to.canonical(only.bits());
    }
    let mode = mode(args[0].bits());
    let number = match (terms[1].sort, &args[1]) {
        (sort @ Sort::Float(..), value) => Number::of(Format::of(sort), value.bits()),
        (Sort::Bv(width), value) => {
            let mut integer = BigInt::from(value.bits());
            if matches!(operator, Op::ToFp(..)) && value.bits() >> (width - 1) & 1 == 1 {
                integer -= BigInt::from(1) << width;
            }
            integral(integer)
        }
        (_, Value::Real(value)) if value.is_zero() => Number::Zero(false),
        (_, Value::Real(value)) => Number::Finite(Exact {
            negative: value.is_negative(),
            above: value.numer().magnitude().clone(),
            below: value.denom().magnitude().clone(),
            exponent: 0,
        }),
        (sort, _) => panic!("to_fp of {sort}"),
    };
    number.bits(to, mode)
}

fn integral(value: BigInt) -> Number {
    if value.is_zero() {
        return Number::Zero(false);
    }
    Number::Finite(Exact::whole(
        value.is_negative(),
        value.magnitude().clone(),
        0,
    ))
}

/// The smaller of two or the larger; open for zeros of different signs.
fn least(format: Format, a: u128, b: u128, greatest: bool) -> Option<u128> {
    let (left, right) = (Number::of(format, a), Number::of(format, b));
    match left.compare(&right) {
        None if format.is_nan(a) => Some(b),
        None => Some(a),
        Some(Ordering::Equal) if a != b => None,
        Some(order) if order.is_lt() != greatest => Some(a),
        Some(_) => Some(b),
    }
}

fn to_integer(number: &Number, mode: Rounding, width: u32, signed: bool) -> Option<Value> {
    let integer: BigInt = match number {
        Number::Nan | Number::Infinite(_) => return None,
        Number::Zero(_) => BigInt::zero(),
        Number::Finite(exact) => exact.to_integer(mode),
    };
    let one = BigInt::from(1);
    let (low, high) = match signed {
        true => (-(&one << (width - 1)), &one << (width - 1)),
        false => (BigInt::zero(), &one << width),
    };
    if integer < low || integer >= high {
        return None;
    }
    let modulus = one << width;
    let digits: BigUint = ((integer + &modulus) % modulus).magnitude().clone();
    let words = digits.to_u64_digits();
    let word = |index: usize| u128::from(words.get(index).copied().unwrap_or(0));
    Some(Value::Bv(word(1) << 64 | word(0)))
}

/// The number that a float is, if it is one.
pub fn rational(format: Format, bits: u128) -> Option<BigRational> {
    Number::of(format, bits).rational()
}
