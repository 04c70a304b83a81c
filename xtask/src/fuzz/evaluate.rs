//! The independent evaluator: what a term is worth under a model, by the definitions of the standard,
//! on machine integers of 128 bits; `arithmetic` has the part for numbers without bounds, `floats` that for
//! floats.

use super::arithmetic;
use super::ast::{Node, Op, Sort, T, mask};
use super::floats::{self, Format};
use num_bigint::BigInt;
use num_rational::BigRational;
use std::collections::{BTreeMap, BTreeSet, HashMap};

#[derive(Clone, Debug)]
pub enum Value {
    Bool(bool),
    Bv(u128),
    Array(ArrayValue),
    Int(BigInt),
    Real(BigRational),
}

impl Value {
    fn truth(&self) -> bool {
        matches!(self, Value::Bool(true))
    }

    pub fn bits(&self) -> u128 {
        match self {
            Value::Bv(bits) => *bits,
            Value::Bool(value) => u128::from(*value),
            other => panic!("{other:?} is not a bit-vector"),
        }
    }

    pub fn integer(&self) -> Option<&BigInt> {
        match self {
            Value::Int(value) => Some(value),
            _ => None,
        }
    }

    pub fn rational(&self) -> Option<&BigRational> {
        match self {
            Value::Real(value) => Some(value),
            _ => None,
        }
    }

    /// Bits that tell values apart well enough to hash them.
    fn hash_bits(&self) -> u128 {
        let mix = |number: &BigInt| {
            let bytes = number.to_signed_bytes_le();
            bytes.iter().fold(0_u128, |hash, &byte| {
                (hash ^ u128::from(byte)).wrapping_mul(0x0100_0000_01b3)
            })
        };
        match self {
            Value::Int(value) => mix(value),
            Value::Real(value) => mix(value.numer()) ^ mix(value.denom()).rotate_left(64),
            other => other.bits(),
        }
    }
}

/// Equality of arrays is extensional: the default only counts where no entry hides it.
impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Bv(a), Value::Bv(b)) => a == b,
            (Value::Array(a), Value::Array(b)) => a.same_as(b),
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Real(a), Value::Real(b)) => a == b,
            _ => false,
        }
    }
}

#[derive(Clone, Debug)]
pub struct ArrayValue {
    pub index_width: u32,
    pub default: u128,
    pub entries: BTreeMap<u128, u128>,
}

impl ArrayValue {
    fn at(&self, index: u128) -> u128 {
        self.entries.get(&index).copied().unwrap_or(self.default)
    }

    fn same_as(&self, other: &ArrayValue) -> bool {
        let named: BTreeSet<u128> = self
            .entries
            .keys()
            .chain(other.entries.keys())
            .copied()
            .collect();
        let every_index_is_named =
            self.index_width < 64 && named.len() as u128 == mask(self.index_width) + 1;
        named.iter().all(|&index| self.at(index) == other.at(index))
            && (every_index_is_named || self.default == other.default)
    }
}

#[derive(Clone, Debug)]
pub enum Function {
    /// The points that are known.
    Table(Vec<(Vec<Value>, Value)>),
    /// A body over parameters.
    Body(Vec<String>, T),
    /// Any function at all, total: the hidden witness of the generator.
    Hashed(u64, Sort),
}

#[derive(Clone, Debug, Default)]
pub struct Model {
    pub symbols: HashMap<String, Value>,
    pub functions: HashMap<String, Function>,
}

/// Why a term has no value.
#[derive(Clone, Debug, PartialEq)]
pub enum Gap {
    /// The model does not say what a function, declared or for what the standard leaves open, makes of these
    /// arguments.
    Point {
        function: String,
        args: Vec<Value>,
        result: Sort,
    },
    Other(String),
}

impl Gap {
    pub fn is_division_by_zero(&self) -> bool {
        let of = |function: &str| ZERO_DIVISIONS.iter().any(|(_, name)| *name == function);
        matches!(self, Gap::Point { function, .. } if of(function))
    }
}

impl std::fmt::Display for Gap {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Gap::Point { function, args, .. } => write!(f, "no value for {function} at {args:?}"),
            Gap::Other(words) => f.write_str(words),
        }
    }
}

/// The functions of the dividend that a model takes divisions by zero to be.
const ZERO_DIVISIONS: [(Op, &str); 3] = [
    (Op::Div, "div-by-zero"),
    (Op::Mod, "mod-by-zero"),
    (Op::Over, "over-zero"),
];

pub fn zero_division(operator: Op) -> &'static str {
    let found = ZERO_DIVISIONS.iter().find(|(of, _)| *of == operator);
    found
        .unwrap_or_else(|| panic!("{} does not divide", operator.name()))
        .1
}

/// The value of a term without let and definitions.
pub fn evaluate(term: &T, model: &Model) -> Result<Value, Gap> {
    let operator = match &term.node {
        Node::Bool(value) => return Ok(Value::Bool(*value)),
        Node::Bv(value) => return Ok(Value::Bv(*value)),
        Node::Int(value) => return Ok(Value::Int(value.clone())),
        Node::Real(value, _) => return Ok(Value::Real(value.clone())),
        Node::Float(bits) => return Ok(Value::Bv(Format::of(term.sort).canonical(*bits))),
        Node::Rounding(mode, _) => return Ok(Value::Bv(floats::code(*mode))),
        Node::Symbol(name) => {
            return model
                .symbols
                .get(name)
                .cloned()
                .ok_or_else(|| Gap::Other(format!("no value for {name}")));
        }
        Node::Let(_) => {
            return Err(Gap::Other("let is expanded before evaluation".to_string()));
        }
        Node::Apply(name) => {
            let args = term
                .args
                .iter()
                .map(|arg| evaluate(arg, model))
                .collect::<Result<Vec<_>, _>>()?;
            return apply(name, args, term.sort, model);
        }
        Node::Op(operator) => *operator,
    };
    if operator == Op::Ite {
        let branch = if evaluate(&term.args[0], model)?.truth() {
            1
        } else {
            2
        };
        return evaluate(&term.args[branch], model);
    }
    let args = term
        .args
        .iter()
        .map(|arg| evaluate(arg, model))
        .collect::<Result<Vec<_>, _>>()?;
    if on_numbers(operator) {
        return arithmetic::operate(operator, &args)
            .map_or_else(|| divide_by_zero(operator, args, model), Ok);
    }
    if floats::is_of_floats(operator.name()) {
        return floats::operate(operator, &term.args, &args)
            .map_or_else(|| choose(operator, term, args, model), Ok);
    }
    let widths: Vec<u32> = term
        .args
        .iter()
        .map(|arg| if let Sort::Bv(w) = arg.sort { w } else { 0 })
        .collect();
    Ok(operate(operator, args, &widths))
}

fn on_numbers(operator: Op) -> bool {
    use Op::*;
    matches!(
        operator,
        Add | Sub | Mul | Div | Mod | Abs | Over | Le | Lt | Ge | Gt | Divisible(_)
    )
}

fn divide_by_zero(operator: Op, mut args: Vec<Value>, model: &Model) -> Result<Value, Gap> {
    args.truncate(1);
    let result = match args[0] {
        Value::Real(_) => Sort::Real,
        _ => Sort::Int,
    };
    apply(zero_division(operator), args, result, model)
}

/// What the model takes the result of an operator of floats to be that the standard leaves open.
fn choose(operator: Op, term: &T, args: Vec<Value>, model: &Model) -> Result<Value, Gap> {
    if !floats::leaves_open(operator) {
        return Err(Gap::Other(format!("{term} is no number")));
    }
    let of = term.args[1].sort;
    let (function, result) = floats::open_function(operator, of);
    let choice = apply(&function, args, result, model)?;
    Ok(match term.sort {
        Sort::Float(..) => Value::Bv(Format::of(of).zero(choice.bits() == 1)),
        _ => choice,
    })
}

fn apply(name: &str, args: Vec<Value>, result: Sort, model: &Model) -> Result<Value, Gap> {
    let gap = |args: Vec<Value>| Gap::Point {
        function: name.to_string(),
        args,
        result,
    };
    match model.functions.get(name) {
        Some(Function::Table(table)) => match table.iter().find(|(point, _)| *point == args) {
            Some((_, value)) => Ok(value.clone()),
            None => Err(gap(args)),
        },
        Some(Function::Body(parameters, body)) => {
            let symbols = parameters.iter().cloned().zip(args).collect();
            evaluate(
                body,
                &Model {
                    symbols,
                    functions: HashMap::new(),
                },
            )
        }
        Some(Function::Hashed(seed, sort)) => {
            let mixed = args.iter().fold(u128::from(*seed), |hash, arg| {
                let hash = (hash ^ arg.hash_bits())
                    .wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645);
                hash ^ (hash >> 61)
            });
            Ok(match sort {
                Sort::Bool => Value::Bool(mixed & 1 == 1),
                Sort::Int | Sort::Real => arithmetic::hashed(mixed, *sort),
                Sort::Float(..) => {
                    let format = Format::of(*sort);
                    Value::Bv(format.canonical(mixed & mask(format.width())))
                }
                Sort::Rounding => Value::Bv(mixed % 5),
                sort => Value::Bv(mixed & mask(sort.width())),
            })
        }
        None => Err(gap(args)),
    }
}

fn operate(operator: Op, mut args: Vec<Value>, widths: &[u32]) -> Value {
    let w = widths.first().copied().unwrap_or(0);
    let bit = |index: usize| args[index].bits();
    let fold = |f: fn(u128, u128) -> u128| {
        Value::Bv(args.iter().skip(1).fold(args[0].bits(), |left, right| {
            f(left, right.bits()) & mask(w)
        }))
    };
    let word = |value: u128| Value::Bv(value & mask(w));
    match operator {
        Op::Not => Value::Bool(!args[0].truth()),
        Op::And => Value::Bool(args.iter().all(Value::truth)),
        Op::Or => Value::Bool(args.iter().any(Value::truth)),
        Op::Xor => Value::Bool(args.iter().filter(|arg| arg.truth()).count() % 2 == 1),
        // Right-associative: false only if all but the last hold, and the last does not.
        Op::Implies => {
            let (last, before) = args.split_last().expect("implication has arguments");
            Value::Bool(last.truth() || !before.iter().all(Value::truth))
        }
        Op::Eq => Value::Bool(args.windows(2).all(|pair| pair[0] == pair[1])),
        Op::Distinct => Value::Bool(
            (0..args.len()).all(|right| (0..right).all(|left| args[left] != args[right])),
        ),
        Op::Ite => unreachable!("decided before its branches are evaluated"),
        Op::Concat => Value::Bv(
            args.iter()
                .zip(widths)
                .skip(1)
                .fold(bit(0), |high, (low, &width)| (high << width) | low.bits()),
        ),
        Op::BvNot => word(!bit(0)),
        Op::BvNeg => word(bit(0).wrapping_neg()),
        Op::BvAnd => fold(|a, b| a & b),
        Op::BvOr => fold(|a, b| a | b),
        Op::BvXor => fold(|a, b| a ^ b),
        Op::BvNand => word(!(bit(0) & bit(1))),
        Op::BvNor => word(!(bit(0) | bit(1))),
        Op::BvXnor => word(!(bit(0) ^ bit(1))),
        Op::BvAdd => fold(u128::wrapping_add),
        Op::BvSub => word(bit(0).wrapping_sub(bit(1))),
        Op::BvMul => fold(u128::wrapping_mul),
        Op::BvUdiv => word(quotient(bit(0), bit(1))),
        Op::BvUrem => word(remainder(bit(0), bit(1))),
        Op::BvSdiv => {
            let size = quotient(magnitude(bit(0), w), magnitude(bit(1), w)) & mask(w);
            word(if negative(bit(0), w) == negative(bit(1), w) {
                size
            } else {
                size.wrapping_neg()
            })
        }
        Op::BvSrem => {
            let size = remainder(magnitude(bit(0), w), magnitude(bit(1), w));
            word(if negative(bit(0), w) {
                size.wrapping_neg()
            } else {
                size
            })
        }
        Op::BvSmod => {
            let size = remainder(magnitude(bit(0), w), magnitude(bit(1), w));
            word(match (negative(bit(0), w), negative(bit(1), w)) {
                _ if size == 0 => 0,
                (false, false) => size,
                (true, false) => size.wrapping_neg().wrapping_add(bit(1)),
                (false, true) => size.wrapping_add(bit(1)),
                (true, true) => size.wrapping_neg(),
            })
        }
        Op::BvShl => word(if bit(1) >= u128::from(w) {
            0
        } else {
            bit(0) << bit(1)
        }),
        Op::BvLshr => word(if bit(1) >= u128::from(w) {
            0
        } else {
            bit(0) >> bit(1)
        }),
        Op::BvAshr => word((signed(bit(0), w) >> bit(1).min(127)) as u128),
        Op::BvComp => Value::Bv(u128::from(bit(0) == bit(1))),
        Op::BvUlt => Value::Bool(bit(0) < bit(1)),
        Op::BvUle => Value::Bool(bit(0) <= bit(1)),
        Op::BvUgt => Value::Bool(bit(0) > bit(1)),
        Op::BvUge => Value::Bool(bit(0) >= bit(1)),
        Op::BvSlt => Value::Bool(signed(bit(0), w) < signed(bit(1), w)),
        Op::BvSle => Value::Bool(signed(bit(0), w) <= signed(bit(1), w)),
        Op::BvSgt => Value::Bool(signed(bit(0), w) > signed(bit(1), w)),
        Op::BvSge => Value::Bool(signed(bit(0), w) >= signed(bit(1), w)),
        Op::BvNegO => Value::Bool(!fits_signed(signed(bit(0), w).checked_neg(), w)),
        Op::BvUaddO => Value::Bool(!fits(bit(0).checked_add(bit(1)), w)),
        Op::BvSaddO => Value::Bool(!fits_signed(
            signed(bit(0), w).checked_add(signed(bit(1), w)),
            w,
        )),
        Op::BvUmulO => Value::Bool(!fits(bit(0).checked_mul(bit(1)), w)),
        Op::BvSmulO => Value::Bool(!fits_signed(
            signed(bit(0), w).checked_mul(signed(bit(1), w)),
            w,
        )),
        Op::BvUsubO => Value::Bool(bit(0).checked_sub(bit(1)).is_none()),
        Op::BvSsubO => Value::Bool(!fits_signed(
            signed(bit(0), w).checked_sub(signed(bit(1), w)),
            w,
        )),
        Op::BvSdivO => {
            let zero_divisor = bit(1) == 0;
            Value::Bool(
                !zero_divisor && !fits_signed(signed(bit(0), w).checked_div(signed(bit(1), w)), w),
            )
        }
        Op::Extract(high, low) => Value::Bv((bit(0) >> low) & mask(high - low + 1)),
        Op::ZeroExtend(_) => Value::Bv(bit(0)),
        Op::SignExtend(by) => Value::Bv(signed(bit(0), w) as u128 & mask(w + by)),
        Op::RotateLeft(by) => word(rotate_left(bit(0), by % w, w)),
        Op::RotateRight(by) => word(rotate_left(bit(0), (w - by % w) % w, w)),
        Op::Repeat(times) => Value::Bv((1..times).fold(bit(0), |all, _| (all << w) | bit(0))),
        Op::ConstArray(index_width) => Value::Array(ArrayValue {
            index_width,
            default: bit(0),
            entries: BTreeMap::new(),
        }),
        Op::Select => match &args[0] {
            Value::Array(array) => Value::Bv(array.at(bit(1))),
            other => panic!("select from {other:?}"),
        },
        Op::Store => {
            let (index, element) = (bit(1), bit(2));
            match args.swap_remove(0) {
                Value::Array(mut array) => {
                    array.entries.insert(index, element);
                    Value::Array(array)
                }
                other => panic!("store into {other:?}"),
            }
        }
        other => unreachable!("{} is an operator of numbers", other.name()),
    }
}

fn quotient(dividend: u128, divisor: u128) -> u128 {
    dividend.checked_div(divisor).unwrap_or(u128::MAX)
}

fn remainder(dividend: u128, divisor: u128) -> u128 {
    dividend.checked_rem(divisor).unwrap_or(dividend)
}

fn negative(value: u128, width: u32) -> bool {
    value >> (width - 1) & 1 == 1
}

fn magnitude(value: u128, width: u32) -> u128 {
    if negative(value, width) {
        value.wrapping_neg() & mask(width)
    } else {
        value
    }
}

fn signed(value: u128, width: u32) -> i128 {
    let unused = 128 - width;
    ((value << unused) as i128) >> unused
}

fn fits(result: Option<u128>, width: u32) -> bool {
    result.is_some_and(|result| result <= mask(width))
}

fn fits_signed(result: Option<i128>, width: u32) -> bool {
    result.is_some_and(|result| signed(result as u128 & mask(width), width) == result)
}

fn rotate_left(value: u128, by: u32, width: u32) -> u128 {
    if by == 0 {
        value
    } else {
        (value << by) | (value >> (width - by))
    }
}
