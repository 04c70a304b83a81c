//! What the tests share: random values, and bit-vectors as mathematical integers, by which
//! operations are held against definitions that share no code with the crate.

#![allow(dead_code)]

use std::collections::{BTreeMap, BTreeSet};

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use refrain_term::{ArrayValue, Assignment, Bv, FuncValue, Rational, Sort, Terms, Value, VarId};
use refrain_testing::Random;

/// Random numbers, and values of every sort.
pub struct Rng(Random);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(Random::new(seed))
    }

    pub fn next(&mut self) -> u64 {
        self.0.next()
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    pub fn range(&mut self, low: u32, high: u32) -> u32 {
        low + self.below((high - low + 1) as usize) as u32
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Any value, corner values often.
    pub fn bv(&mut self, width: u32) -> Bv {
        match self.below(12) {
            0 => Bv::zero(width),
            1 => Bv::one(width),
            2 => Bv::ones(width),
            3 => Bv::min_signed(width),
            4 => Bv::max_signed(width),
            5 => Bv::one(width).shl(&Bv::new(64, self.next() % u64::from(width))),
            6 => Bv::new(width, self.next() % 8),
            7 => Bv::new(width, self.next() % 8).neg(),
            _ => Bv::from_words(
                width,
                (0..width.div_ceil(64)).map(|_| self.next()).collect(),
            ),
        }
    }

    /// Any integer: mostly small, some around the limits of machine words, some larger than those.
    pub fn integer(&mut self) -> IBig {
        let small = IBig::from(self.below(21) as i64 - 10);
        match self.below(8) {
            0 => IBig::from(self.next() as i64),
            1 => (IBig::from(1) << (60 + self.below(8))) + small,
            2 => IBig::from(i64::MIN) - small,
            3 => IBig::from(self.next() as i64) * IBig::from(self.next() as i64),
            _ => small,
        }
    }

    pub fn rational(&mut self) -> RBig {
        let denominator = match self.below(6) {
            0 => UBig::from(self.next() | 1),
            1 => UBig::from(self.range(1, 12)),
            _ => UBig::from(self.range(1, 3)),
        };
        RBig::from_parts(self.integer(), denominator)
    }

    pub fn value(&mut self, sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(self.chance(50)),
            Sort::BitVec(width) => Value::Bv(self.bv(width)),
            Sort::Array { index, element } => {
                let mut array = ArrayValue::filled(index, self.bv(element));
                for _ in 0..self.below(8) {
                    array.set(self.bv(index), self.bv(element));
                }
                Value::Array(array)
            }
            Sort::Int => Value::Int(Rational::from_ibig(self.integer())),
            Sort::Real => Value::Real(Rational::from_big(self.rational())),
            sort @ (Sort::Float(_) | Sort::RoundingMode | Sort::Coded(_)) => {
                unreachable!("{sort} is at the surface")
            }
        }
    }

    /// Values for most of the symbols.
    pub fn assignment(&mut self, terms: &Terms, vars: &[VarId]) -> Assignment {
        let mut assignment = Assignment::new();
        for &var in vars {
            if self.chance(95) {
                let value = self.value(terms.var_decl(var).sort);
                assignment.set(var, value);
            }
        }
        assignment
    }

    pub fn func(&mut self, args: &[Sort], result: Sort) -> FuncValue {
        let mut func = FuncValue::new(self.value(result));
        for _ in 0..self.below(6) {
            let args: Vec<Value> = args.iter().map(|&sort| self.value(sort)).collect();
            let result = self.value(result);
            func.set(args, result);
        }
        func
    }
}

/// The value as a non-negative integer.
pub fn unsigned(value: &Bv) -> IBig {
    let bytes: Vec<u8> = value
        .words()
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    UBig::from_le_bytes(&bytes).into()
}

pub fn power_of_two(exponent: u32) -> IBig {
    IBig::from(1) << exponent as usize
}

/// The value as a signed integer.
pub fn signed(value: &Bv) -> IBig {
    let number = unsigned(value);
    let width = value.width();
    if number >= power_of_two(width - 1) {
        number - power_of_two(width)
    } else {
        number
    }
}

/// The integer modulo 2^width.
pub fn wrap(width: u32, number: IBig) -> Bv {
    let modulus = power_of_two(width);
    let residue = ((number % &modulus) + &modulus) % &modulus;
    let (_, magnitude) = residue.into_parts();
    let bytes = magnitude.to_le_bytes();
    let word = |chunk: &[u8]| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    };
    Bv::from_words(width, bytes.chunks(8).map(word).collect())
}

/// Whether the integer is a value of `width` bits, read as unsigned.
pub fn fits_unsigned(width: u32, number: &IBig) -> bool {
    *number >= IBig::from(0) && *number < power_of_two(width)
}

/// Whether the integer is a value of `width` bits, read as signed.
pub fn fits_signed(width: u32, number: &IBig) -> bool {
    *number >= -power_of_two(width - 1) && *number < power_of_two(width - 1)
}

/// SMT-LIB's operators on two bit-vectors of the same width, by integers.
pub mod reference {
    use super::*;

    fn bits(value: &Bv) -> Vec<bool> {
        (0..value.width()).map(|index| value.bit(index)).collect()
    }

    fn from_bits(bits: &[bool]) -> Bv {
        let number = bits.iter().rev().fold(IBig::from(0), |number, &bit| {
            number * 2 + IBig::from(u8::from(bit))
        });
        wrap(bits.len() as u32, number)
    }

    fn bitwise(a: &Bv, b: &Bv, f: impl Fn(bool, bool) -> bool) -> Bv {
        let bits: Vec<bool> = bits(a)
            .into_iter()
            .zip(bits(b))
            .map(|(x, y)| f(x, y))
            .collect();
        from_bits(&bits)
    }

    fn is_zero(value: &Bv) -> bool {
        unsigned(value) == IBig::from(0)
    }

    /// Rounding down, unlike the `/` of integers.
    fn floor_div(a: IBig, divisor: IBig) -> IBig {
        let (quotient, remainder) = (&a / &divisor, &a % &divisor);
        if remainder < IBig::from(0) {
            quotient - 1
        } else {
            quotient
        }
    }

    pub fn bv_not(a: &Bv) -> Bv {
        wrap(a.width(), power_of_two(a.width()) - 1 - unsigned(a))
    }
    pub fn bv_neg(a: &Bv) -> Bv {
        wrap(a.width(), -unsigned(a))
    }
    pub fn bv_and(a: &Bv, b: &Bv) -> Bv {
        bitwise(a, b, |x, y| x && y)
    }
    pub fn bv_or(a: &Bv, b: &Bv) -> Bv {
        bitwise(a, b, |x, y| x || y)
    }
    pub fn bv_xor(a: &Bv, b: &Bv) -> Bv {
        bitwise(a, b, |x, y| x != y)
    }
    pub fn bv_nand(a: &Bv, b: &Bv) -> Bv {
        bitwise(a, b, |x, y| !(x && y))
    }
    pub fn bv_nor(a: &Bv, b: &Bv) -> Bv {
        bitwise(a, b, |x, y| !(x || y))
    }
    pub fn bv_xnor(a: &Bv, b: &Bv) -> Bv {
        bitwise(a, b, |x, y| x == y)
    }
    pub fn bv_comp(a: &Bv, b: &Bv) -> Bv {
        wrap(1, IBig::from(u8::from(unsigned(a) == unsigned(b))))
    }
    pub fn bv_add(a: &Bv, b: &Bv) -> Bv {
        wrap(a.width(), unsigned(a) + unsigned(b))
    }
    pub fn bv_sub(a: &Bv, b: &Bv) -> Bv {
        wrap(a.width(), unsigned(a) - unsigned(b))
    }
    pub fn bv_mul(a: &Bv, b: &Bv) -> Bv {
        wrap(a.width(), unsigned(a) * unsigned(b))
    }
    pub fn bv_udiv(a: &Bv, b: &Bv) -> Bv {
        if is_zero(b) {
            wrap(a.width(), IBig::from(-1))
        } else {
            wrap(a.width(), unsigned(a) / unsigned(b))
        }
    }
    pub fn bv_urem(a: &Bv, b: &Bv) -> Bv {
        if is_zero(b) {
            a.clone()
        } else {
            wrap(a.width(), unsigned(a) % unsigned(b))
        }
    }
    /// Rounds to zero; by zero it is 1 for negative dividends and -1 for others.
    pub fn bv_sdiv(a: &Bv, b: &Bv) -> Bv {
        let (x, y) = (signed(a), signed(b));
        if is_zero(b) {
            return wrap(
                a.width(),
                IBig::from(if x < IBig::from(0) { 1 } else { -1 }),
            );
        }
        wrap(a.width(), x / y)
    }
    pub fn bv_srem(a: &Bv, b: &Bv) -> Bv {
        if is_zero(b) {
            a.clone()
        } else {
            wrap(a.width(), signed(a) % signed(b))
        }
    }
    /// The remainder that has the divisor's sign.
    pub fn bv_smod(a: &Bv, b: &Bv) -> Bv {
        if is_zero(b) {
            return a.clone();
        }
        let (x, y) = (signed(a), signed(b));
        let remainder = &x % &y;
        let other_sign = (remainder < IBig::from(0)) != (y < IBig::from(0));
        if remainder != IBig::from(0) && other_sign {
            wrap(a.width(), remainder + y)
        } else {
            wrap(a.width(), remainder)
        }
    }
    fn amount(a: &Bv, b: &Bv) -> Option<u32> {
        let amount = unsigned(b);
        (amount < IBig::from(a.width())).then(|| u32::try_from(amount).expect("below the width"))
    }
    pub fn bv_shl(a: &Bv, b: &Bv) -> Bv {
        amount(a, b).map_or(wrap(a.width(), IBig::from(0)), |by| {
            wrap(a.width(), unsigned(a) * power_of_two(by))
        })
    }
    pub fn bv_lshr(a: &Bv, b: &Bv) -> Bv {
        amount(a, b).map_or(wrap(a.width(), IBig::from(0)), |by| {
            wrap(a.width(), unsigned(a) / power_of_two(by))
        })
    }
    pub fn bv_ashr(a: &Bv, b: &Bv) -> Bv {
        let by = amount(a, b).unwrap_or(a.width());
        wrap(a.width(), floor_div(signed(a), power_of_two(by)))
    }
    pub fn eq(a: &Bv, b: &Bv) -> bool {
        unsigned(a) == unsigned(b)
    }
    pub fn bv_ult(a: &Bv, b: &Bv) -> bool {
        unsigned(a) < unsigned(b)
    }
    pub fn bv_ule(a: &Bv, b: &Bv) -> bool {
        unsigned(a) <= unsigned(b)
    }
    pub fn bv_ugt(a: &Bv, b: &Bv) -> bool {
        unsigned(a) > unsigned(b)
    }
    pub fn bv_uge(a: &Bv, b: &Bv) -> bool {
        unsigned(a) >= unsigned(b)
    }
    pub fn bv_slt(a: &Bv, b: &Bv) -> bool {
        signed(a) < signed(b)
    }
    pub fn bv_sle(a: &Bv, b: &Bv) -> bool {
        signed(a) <= signed(b)
    }
    pub fn bv_sgt(a: &Bv, b: &Bv) -> bool {
        signed(a) > signed(b)
    }
    pub fn bv_sge(a: &Bv, b: &Bv) -> bool {
        signed(a) >= signed(b)
    }
    pub fn bv_nego(a: &Bv) -> bool {
        !fits_signed(a.width(), &-signed(a))
    }
    pub fn bv_uaddo(a: &Bv, b: &Bv) -> bool {
        !fits_unsigned(a.width(), &(unsigned(a) + unsigned(b)))
    }
    pub fn bv_saddo(a: &Bv, b: &Bv) -> bool {
        !fits_signed(a.width(), &(signed(a) + signed(b)))
    }
    pub fn bv_umulo(a: &Bv, b: &Bv) -> bool {
        !fits_unsigned(a.width(), &(unsigned(a) * unsigned(b)))
    }
    pub fn bv_smulo(a: &Bv, b: &Bv) -> bool {
        !fits_signed(a.width(), &(signed(a) * signed(b)))
    }
    pub fn bv_usubo(a: &Bv, b: &Bv) -> bool {
        !fits_unsigned(a.width(), &(unsigned(a) - unsigned(b)))
    }
    pub fn bv_ssubo(a: &Bv, b: &Bv) -> bool {
        !fits_signed(a.width(), &(signed(a) - signed(b)))
    }
    pub fn bv_sdivo(a: &Bv, b: &Bv) -> bool {
        !is_zero(b) && !fits_signed(a.width(), &(signed(a) / signed(b)))
    }
    pub fn concat(a: &Bv, b: &Bv) -> Bv {
        wrap(
            a.width() + b.width(),
            unsigned(a) * power_of_two(b.width()) + unsigned(b),
        )
    }
    pub fn extract(a: &Bv, high: u32, low: u32) -> Bv {
        wrap(high - low + 1, unsigned(a) / power_of_two(low))
    }
    pub fn zero_extend(a: &Bv, by: u32) -> Bv {
        wrap(a.width() + by, unsigned(a))
    }
    pub fn sign_extend(a: &Bv, by: u32) -> Bv {
        wrap(a.width() + by, signed(a))
    }
    pub fn rotate_left(a: &Bv, by: u32) -> Bv {
        let mut bits = bits(a);
        bits.rotate_right((by % a.width()) as usize);
        from_bits(&bits)
    }
    pub fn rotate_right(a: &Bv, by: u32) -> Bv {
        let mut bits = bits(a);
        bits.rotate_left((by % a.width()) as usize);
        from_bits(&bits)
    }
    pub fn repeat(a: &Bv, times: u32) -> Bv {
        from_bits(&bits(a).repeat(times as usize))
    }
}

/// The names of all rules in some sources.
pub fn rule_names(sources: &[&'static str]) -> BTreeSet<&'static str> {
    let names = sources
        .iter()
        .flat_map(|source| source.split("fired(\"").skip(1));
    names
        .map(|rest| rest.split('"').next().expect("a name"))
        .collect()
}

/// Panics if one of these rules has not been applied.
pub fn assert_all_applied(names: &BTreeSet<&'static str>, applied: &BTreeMap<&'static str, u64>) {
    let never: Vec<_> = names
        .iter()
        .filter(|name| !applied.contains_key(*name))
        .collect();
    assert!(never.is_empty(), "rules that never applied: {never:?}");
    if std::env::var_os("REFRAIN_RULE_COUNTS").is_some() {
        let mut counts: Vec<_> = applied.iter().collect();
        counts.sort_by_key(|&(_, count)| count);
        println!("{counts:#?}");
    }
}
