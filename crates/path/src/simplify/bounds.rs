//! Known bits and intervals: what is true of a term whatever its inputs are.
//!
//! Every bit-vector term of up to 64 bits has an unsigned interval and a set of bits with known values, computed once
//! from those of its operands. A comparison that these decide need not be asked.

use refrain_term::value::{mask, sign_extend_u64};
use refrain_term::{Op, Term, Terms};

/// What is known of a value: `min <= value <= max`, bits in `zeros` are 0, bits in `ones` are 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    pub width: u32,
    pub min: u64,
    pub max: u64,
    pub zeros: u64,
    pub ones: u64,
}

impl Bounds {
    pub fn any(width: u32) -> Bounds {
        Bounds {
            width,
            min: 0,
            max: mask(width),
            zeros: !mask(width),
            ones: 0,
        }
    }

    pub fn exactly(width: u32, value: u64) -> Bounds {
        Bounds {
            width,
            min: value,
            max: value,
            zeros: !value,
            ones: value,
        }
    }

    /// Each of interval and bits made as tight as the other says.
    fn settled(mut self) -> Bounds {
        self.zeros |= !mask(self.width);
        // Bits above the highest one that min and max differ in are the same in all values between.
        let differ = self.min ^ self.max;
        let same = if differ == 0 {
            u64::MAX
        } else {
            !(u64::MAX >> differ.leading_zeros())
        };
        self.zeros |= !self.min & same;
        self.ones |= self.min & same;
        self.min = self.min.max(self.ones);
        self.max = self.max.min(!self.zeros);
        debug_assert!(
            self.min <= self.max && self.zeros & self.ones == 0,
            "{self:?}"
        );
        self
    }

    pub fn from_range(width: u32, min: u64, max: u64) -> Bounds {
        Bounds {
            min,
            max,
            ..Bounds::any(width)
        }
        .settled()
    }

    fn from_bits(width: u32, zeros: u64, ones: u64) -> Bounds {
        Bounds {
            zeros,
            ones,
            ..Bounds::any(width)
        }
        .settled()
    }

    fn join(&self, other: &Bounds) -> Bounds {
        Bounds {
            width: self.width,
            min: self.min.min(other.min),
            max: self.max.max(other.max),
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
        }
        .settled()
    }

    /// The signed interval.
    fn signed(&self) -> (i64, i64) {
        let sign = 1u64 << (self.width - 1);
        if (self.zeros | self.ones) & sign != 0 {
            return (
                sign_extend_u64(self.min, self.width),
                sign_extend_u64(self.max, self.width),
            );
        }
        (sign_extend_u64(sign, self.width), (sign - 1) as i64)
    }

    fn add(&self, other: &Bounds) -> Bounds {
        let sums = (
            self.max.checked_add(other.max),
            self.min.checked_add(other.min),
        );
        match sums {
            (Some(max), Some(min)) if max <= mask(self.width) => {
                Bounds::from_range(self.width, min, max)
            }
            _ => self.low_bits(other, u64::wrapping_add),
        }
    }

    /// The low bits of a sum or product are known where both operands' low bits are.
    fn low_bits(&self, other: &Bounds, operation: fn(u64, u64) -> u64) -> Bounds {
        let unknown = !(self.zeros | self.ones) | !(other.zeros | other.ones);
        let known = if unknown == 0 {
            u64::MAX
        } else {
            mask(unknown.trailing_zeros())
        };
        let known = known & mask(self.width);
        let value = operation(self.ones, other.ones);
        Bounds::from_bits(self.width, !value & known, value & known)
    }

    fn mul(&self, other: &Bounds) -> Bounds {
        match self.max.checked_mul(other.max) {
            Some(max) if max <= mask(self.width) => {
                let by_range = Bounds::from_range(self.width, self.min * other.min, max);
                let by_bits = self.low_bits(other, u64::wrapping_mul);
                Bounds {
                    zeros: by_range.zeros | by_bits.zeros,
                    ones: by_range.ones | by_bits.ones,
                    ..by_range
                }
                .settled()
            }
            _ => self.low_bits(other, u64::wrapping_mul),
        }
    }

    /// Whether values of these two bounds are surely equal or surely different.
    pub fn equal(&self, other: &Bounds) -> Option<bool> {
        if self.max < other.min
            || other.max < self.min
            || self.zeros & other.ones != 0
            || self.ones & other.zeros != 0
        {
            return Some(false);
        }
        (self.min == self.max && other.min == other.max).then_some(true)
    }

    /// Whether `self < other`, unsigned, surely holds or surely fails.
    pub fn less(&self, other: &Bounds) -> Option<bool> {
        if self.max < other.min {
            return Some(true);
        }
        (self.min >= other.max).then_some(false)
    }

    /// Whether `self < other`, signed, surely holds or surely fails.
    pub fn signed_less(&self, other: &Bounds) -> Option<bool> {
        let ((min, max), (other_min, other_max)) = (self.signed(), other.signed());
        if max < other_min {
            return Some(true);
        }
        (min >= other_max).then_some(false)
    }

    /// What both say; `None` if no value is within both.
    pub fn meet(&self, other: &Bounds) -> Option<Bounds> {
        let (zeros, ones) = (self.zeros | other.zeros, self.ones | other.ones);
        if zeros & ones != 0 {
            return None;
        }
        let (min, max) = (self.min.max(other.min), self.max.min(other.max));
        let min = least_from(min, zeros, ones)?;
        let max = !least_from(!max, ones, zeros)?;
        (min <= max).then(|| {
            Bounds {
                width: self.width,
                min,
                max,
                zeros,
                ones,
            }
            .settled()
        })
    }

    /// What a term of this width, at most 64, is bounded by, given the bounds of its operands; those that are wider or
    /// no bit-vectors have none.
    pub fn of_operator(
        terms: &Terms,
        term: Term,
        width: u32,
        operand: impl Fn(usize) -> Option<Bounds>,
    ) -> Bounds {
        let both = || Some((operand(0)?, operand(1)?));
        let computed = match terms.op(term) {
            Op::Const(_) => terms
                .small_value(term)
                .map(|value| Bounds::exactly(width, value)),
            Op::Ite => operand(1).zip(operand(2)).map(|(a, b)| a.join(&b)),
            Op::BvNot => {
                operand(0).map(|a| Bounds::from_bits(width, a.ones, a.zeros & mask(width)))
            }
            Op::BvAnd => both().map(|(a, b)| {
                let bits = Bounds::from_bits(width, a.zeros | b.zeros, a.ones & b.ones);
                Bounds {
                    max: bits.max.min(a.max).min(b.max),
                    ..bits
                }
                .settled()
            }),
            Op::BvOr => both().map(|(a, b)| {
                let bits = Bounds::from_bits(width, a.zeros & b.zeros, a.ones | b.ones);
                Bounds {
                    min: bits.min.max(a.min).max(b.min),
                    ..bits
                }
                .settled()
            }),
            Op::BvXor => both().map(|(a, b)| {
                let (ones, zeros) = (
                    a.ones & b.zeros | a.zeros & b.ones,
                    a.ones & b.ones | a.zeros & b.zeros,
                );
                Bounds::from_bits(width, zeros, ones & mask(width))
            }),
            Op::BvAdd => {
                let first = operand(0);
                (1..terms.args(term).len()).fold(first, |sum, i| Some(sum?.add(&operand(i)?)))
            }
            Op::BvMul => both().map(|(a, b)| a.mul(&b)),
            // A zero divisor gives all ones; any other, at most the dividend.
            Op::BvUdiv => both().map(|(a, b)| match b.min {
                0 => Bounds::any(width),
                _ => Bounds::from_range(width, a.min / b.max, a.max / b.min),
            }),
            Op::BvUrem => both().map(|(a, b)| match b.min {
                0 => Bounds::from_range(width, 0, a.max),
                _ => Bounds::from_range(width, 0, a.max.min(b.max - 1)),
            }),
            Op::BvLshr => both().map(|(a, b)| {
                let shifted = |value: u64, by: u64| if by >= 64 { 0 } else { value >> by };
                Bounds::from_range(width, shifted(a.min, b.max), shifted(a.max, b.min))
            }),
            Op::Concat => both().map(|(high, low)| {
                let shift = low.width;
                Bounds {
                    width,
                    min: high.min << shift | low.min,
                    max: high.max << shift | low.max,
                    zeros: high.zeros << shift | low.zeros & mask(shift),
                    ones: high.ones << shift | low.ones,
                }
                .settled()
            }),
            Op::Extract { lo } => operand(0).map(|a| {
                let bits = Bounds::from_bits(width, a.zeros >> lo, a.ones >> lo & mask(width));
                // The interval survives if nothing is cut off above.
                if a.max >> lo <= mask(width) {
                    let (min, max) = (bits.min.max(a.min >> lo), bits.max.min(a.max >> lo));
                    return Bounds { min, max, ..bits }.settled();
                }
                bits
            }),
            Op::SignExtend => operand(0).map(|a| {
                let (min, max) = a.signed();
                if (min < 0) == (max < 0) {
                    return Bounds::from_range(
                        width,
                        min as u64 & mask(width),
                        max as u64 & mask(width),
                    );
                }
                let low = mask(a.width - 1);
                Bounds::from_bits(width, a.zeros & low, a.ones & low)
            }),
            _ => None,
        };
        computed.unwrap_or(Bounds::any(width))
    }
}

/// The least number from `min` on that has no bit of `zeros` and all of `ones`.
fn least_from(min: u64, zeros: u64, ones: u64) -> Option<u64> {
    let wrong = min & zeros | !min & ones;
    if wrong == 0 {
        return Some(min);
    }
    let highest = 1u64 << wrong.ilog2();
    // The bit to set: the wrong one, if it is missing, else the lowest above that is free and not set.
    let set = if min & highest == 0 {
        highest
    } else {
        let free = !min & !zeros & !(highest | (highest - 1));
        free & free.wrapping_neg()
    };
    (set != 0).then(|| min & !(set | (set - 1)) | set | ones & (set - 1))
}

/// The bounds of terms of one arena, computed when first asked for.
#[derive(Default)]
pub struct BoundsCache {
    of: Vec<Option<Bounds>>,
}

impl BoundsCache {
    /// The bounds of a bit-vector of at most 64 bits whose operands have been asked for before; looser if they have
    /// not.
    pub fn of(&mut self, terms: &Terms, term: Term) -> Option<Bounds> {
        let width = terms.sort(term).width().filter(|&width| width <= 64)?;
        if let Some(known) = self.of.get(term.index()).copied().flatten() {
            return Some(known);
        }
        let bounds =
            Bounds::of_operator(terms, term, width, |index| self.operand(terms, term, index));
        if self.of.len() <= term.index() {
            self.of.resize(terms.len(), None);
        }
        self.of[term.index()] = Some(bounds);
        Some(bounds)
    }

    /// The bounds of an operand, as far as they are known already: walks stay flat.
    fn operand(&self, terms: &Terms, term: Term, index: usize) -> Option<Bounds> {
        let operand = terms.arg(term, index);
        let width = terms.sort(operand).width().filter(|&width| width <= 64)?;
        if let Some(value) = terms.small_value(operand) {
            return Some(Bounds::exactly(width, value));
        }
        Some(
            self.of
                .get(operand.index())
                .copied()
                .flatten()
                .unwrap_or(Bounds::any(width)),
        )
    }

    /// The truth value of a comparison that bounds decide.
    pub fn decide(&mut self, terms: &Terms, comparison: Term) -> Option<bool> {
        let (a, b) = match terms.op(comparison) {
            Op::Eq | Op::BvUlt | Op::BvSlt => (terms.arg(comparison, 0), terms.arg(comparison, 1)),
            _ => return None,
        };
        let (a, b) = (self.of(terms, a)?, self.of(terms, b)?);
        match terms.op(comparison) {
            Op::Eq => a.equal(&b),
            Op::BvUlt => a.less(&b),
            _ => a.signed_less(&b),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use refrain_term::{Assignment, Op, Sort, Value, eval};

    /// All bounds of three bits, against all values.
    #[test]
    fn bounds_meet_where_values_do() {
        let mut all = Vec::new();
        for (min, max) in (0..8).flat_map(|min| (min..8).map(move |max| (min, max))) {
            for (zeros, ones) in
                (0..8u64).flat_map(|zeros| (0..8u64).map(move |ones| (zeros, ones)))
            {
                let within = |&value: &u64| {
                    (min..=max).contains(&value) && value & zeros == 0 && !value & ones == 0
                };
                let values: Vec<u64> = (0..8).filter(within).collect();
                let range = Bounds::from_range(3, min, max);
                if zeros & ones != 0 {
                    continue;
                }
                let met = range.meet(&Bounds::from_bits(3, zeros, ones));
                assert_eq!(met.is_none(), values.is_empty());
                if let Some(met) = met {
                    assert_eq!(Some(&met.min), values.first());
                    assert_eq!(Some(&met.max), values.last());
                    all.push((met, values));
                }
            }
        }
        for (a, of_a) in &all {
            for (b, of_b) in &all {
                let both = || of_a.iter().filter(|value| of_b.contains(value));
                match a.meet(b) {
                    None => assert_eq!(both().count(), 0),
                    Some(met) => assert!(both().all(|value| {
                        (met.min..=met.max).contains(value)
                            && value & met.zeros == 0
                            && !value & met.ones == 0
                    })),
                }
            }
        }
    }

    /// Random terms over random inputs: every value lies within the bounds, and every decided comparison is right.
    #[test]
    fn values_lie_within_bounds() {
        let mut seed = 1u64;
        let mut random = |below: u64| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed % below
        };
        let mut decided = 0;
        for round in 0..400 {
            let mut terms = Terms::new();
            let mut cache = BoundsCache::default();
            let width = [3, 4, 8, 16, 33, 64][round % 6];
            let mut pool: Vec<Term> = (0..3)
                .map(|i| terms.var(&format!("x{i}"), Sort::BitVec(width)))
                .collect();
            for _ in 0..3 {
                let low = random(u64::from(width) - 1) as u32;
                let part = terms.extract(pool[0], low, 0);
                pool.push(terms.zero_extend(part, width - low - 1));
                let value = random(u64::MAX) & random(u64::MAX) & random(1 << 20);
                pool.push(terms.bv(width, value));
            }
            let mut comparisons = Vec::new();
            for _ in 0..40 {
                let pick =
                    |random: &mut dyn FnMut(u64) -> u64| pool[random(pool.len() as u64) as usize];
                let (a, b) = (pick(&mut random), pick(&mut random));
                let built = match random(16) {
                    0 => terms.bv_add(a, b),
                    1 => terms.bv_mul(a, b),
                    2 => terms.bv_and(a, b),
                    3 => terms.bv_or(a, b),
                    4 => terms.bv_xor(a, b),
                    5 => terms.bv_not(a),
                    6 => terms.bv_udiv(a, b),
                    7 => terms.bv_urem(a, b),
                    8 => terms.bv_lshr(a, b),
                    9 => terms.bv_shl(a, b),
                    10 => terms.bv_ashr(a, b),
                    11 => {
                        let high = random(u64::from(width) - 1) as u32 + 1;
                        let part = terms.extract(a, high, 1);
                        terms.sign_extend(part, width - high)
                    }
                    12 => {
                        let at = random(u64::from(width) - 1) as u32 + 1;
                        let (high, low) =
                            (terms.extract(a, width - 1, at), terms.extract(b, at - 1, 0));
                        terms.concat(high, low)
                    }
                    13 => {
                        let less = terms.bv_ult(a, b);
                        terms.ite(less, a, b)
                    }
                    14 => {
                        comparisons.push(terms.bv_slt(a, b));
                        comparisons.push(terms.bv_ult(a, b));
                        continue;
                    }
                    _ => {
                        comparisons.push(terms.eq(a, b));
                        continue;
                    }
                };
                pool.push(built);
            }
            for term in terms.iter() {
                cache.of(&terms, term);
            }
            for _ in 0..20 {
                let mut assignment = Assignment::new();
                for &symbol in &pool[..3] {
                    let Op::Var(var) = terms.op(symbol) else {
                        unreachable!()
                    };
                    let value = if random(3) == 0 {
                        random(4).wrapping_sub(2)
                    } else {
                        random(u64::MAX)
                    };
                    assignment.set(var, Value::Bv(refrain_term::Bv::new(width, value)));
                }
                for term in terms.iter() {
                    let (Some(bounds), Value::Bv(value)) =
                        (cache.of(&terms, term), eval(&terms, term, &assignment))
                    else {
                        continue;
                    };
                    let value = value.to_u64().expect("at most 64 bits");
                    assert!(
                        bounds.min <= value
                            && value <= bounds.max
                            && value & bounds.zeros == 0
                            && !value & bounds.ones == 0,
                        "{:?}: {value} outside {bounds:?}",
                        terms.op(term),
                    );
                }
                for &comparison in &comparisons {
                    if let Some(truth) = cache.decide(&terms, comparison) {
                        assert_eq!(eval(&terms, comparison, &assignment), Value::Bool(truth));
                        decided += 1;
                    }
                }
            }
        }
        assert!(decided > 1000, "only {decided} comparisons were decided");
    }
}
