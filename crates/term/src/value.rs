//! Bit-vector values of any width: what constants are made of and what evaluation computes.
//!
//! Up to 64 bits a value is one machine word and no operation allocates; wider values are
//! little-endian words, with multiplication and division handed to `dashu`. Every operation follows
//! SMT-LIB's FixedSizeBitVectors theory: division by zero gives all ones, its remainder the
//! dividend, and shifts by the width or more give zero (or the sign).

use std::cmp::Ordering;
use std::fmt;

use dashu_int::UBig;

/// A bit-vector value. Bits above `width` are always zero.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Bv {
    width: u32,
    words: Words,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Words {
    Small(u64),
    Big(Box<[u64]>),
}

/// The low `width` bits set; all bits for 64 and more.
#[inline]
pub fn mask(width: u32) -> u64 {
    if width >= 64 {
        u64::MAX
    } else {
        (1 << width) - 1
    }
}

/// `value`'s low `width` bits read as a signed number.
#[inline]
pub fn sign_extend_u64(value: u64, width: u32) -> i64 {
    let shift = 64 - width;
    ((value << shift) as i64) >> shift
}

fn word_count(width: u32) -> usize {
    width.div_ceil(64) as usize
}

impl Bv {
    /// The value `value` modulo 2^`width`.
    #[inline]
    pub fn new(width: u32, value: u64) -> Bv {
        debug_assert!(width > 0);
        if width <= 64 {
            Bv {
                width,
                words: Words::Small(value & mask(width)),
            }
        } else {
            let mut words = vec![0; word_count(width)];
            words[0] = value;
            Bv {
                width,
                words: Words::Big(words.into()),
            }
        }
    }

    pub fn zero(width: u32) -> Bv {
        Bv::new(width, 0)
    }

    pub fn one(width: u32) -> Bv {
        Bv::new(width, 1)
    }

    pub fn ones(width: u32) -> Bv {
        if width <= 64 {
            Bv::new(width, u64::MAX)
        } else {
            Bv::from_words(width, vec![u64::MAX; word_count(width)])
        }
    }

    /// Only the top bit set: the smallest signed value.
    pub fn min_signed(width: u32) -> Bv {
        Bv::one(width).shl(&Bv::new(width.max(32), u64::from(width - 1)))
    }

    /// Everything but the top bit set: the largest signed value.
    pub fn max_signed(width: u32) -> Bv {
        Bv::min_signed(width).not()
    }

    /// A value from little-endian words; missing words are zero, surplus bits are dropped.
    pub fn from_words(width: u32, mut words: Vec<u64>) -> Bv {
        debug_assert!(width > 0);
        words.resize(word_count(width), 0);
        if width <= 64 {
            return Bv::new(width, words[0]);
        }
        if !width.is_multiple_of(64) {
            *words.last_mut().expect("width > 0") &= mask(width % 64);
        }
        Bv {
            width,
            words: Words::Big(words.into()),
        }
    }

    /// Parses digits of radix 2, 10 or 16, modulo 2^`width`. `None` if a character is no digit.
    pub fn parse(width: u32, digits: &str, radix: u32) -> Option<Bv> {
        if width <= 64
            && let Ok(value) = u64::from_str_radix(digits, radix)
            && !digits.starts_with('+')
        {
            return Some(Bv::new(width, value));
        }
        if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
            return None;
        }
        Some(Bv::from_ubig(
            width,
            &UBig::from_str_radix(digits, radix).ok()?,
        ))
    }

    pub(crate) fn from_ubig(width: u32, value: &UBig) -> Bv {
        let bytes = value.to_le_bytes();
        let words = bytes
            .chunks(8)
            .take(word_count(width))
            .map(|chunk| {
                let mut word = [0; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                u64::from_le_bytes(word)
            })
            .collect();
        Bv::from_words(width, words)
    }

    pub(crate) fn to_ubig(&self) -> UBig {
        let bytes: Vec<u8> = self
            .words()
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        UBig::from_le_bytes(&bytes)
    }

    #[inline]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Little-endian words.
    pub fn words(&self) -> &[u64] {
        match &self.words {
            Words::Small(word) => std::slice::from_ref(word),
            Words::Big(words) => words,
        }
    }

    /// The value, if its width is at most 64.
    #[inline]
    pub fn small(&self) -> Option<u64> {
        match self.words {
            Words::Small(word) => Some(word),
            Words::Big(_) => None,
        }
    }

    /// The value as a number, if it is below 2^64, whatever the width.
    pub fn to_u64(&self) -> Option<u64> {
        let words = self.words();
        words[1..].iter().all(|&word| word == 0).then_some(words[0])
    }

    pub fn is_zero(&self) -> bool {
        self.words().iter().all(|&word| word == 0)
    }

    pub fn is_one(&self) -> bool {
        self.to_u64() == Some(1)
    }

    pub fn is_ones(&self) -> bool {
        match self.words {
            Words::Small(word) => word == mask(self.width),
            Words::Big(_) => *self == Bv::ones(self.width),
        }
    }

    #[inline]
    pub fn bit(&self, index: u32) -> bool {
        debug_assert!(index < self.width);
        self.words()[index as usize / 64] >> (index % 64) & 1 == 1
    }

    pub fn sign(&self) -> bool {
        self.bit(self.width - 1)
    }

    /// `Some(k)` if the value is 2^k.
    pub fn power_of_two(&self) -> Option<u32> {
        let ones: u32 = self.words().iter().map(|word| word.count_ones()).sum();
        (ones == 1).then(|| self.trailing_zeros())
    }

    /// The number of low zero bits; the width for zero.
    pub fn trailing_zeros(&self) -> u32 {
        let mut count = 0;
        for word in self.words() {
            if *word != 0 {
                return count + word.trailing_zeros();
            }
            count += 64;
        }
        self.width
    }

    /// The number of high zero bits; the width for zero.
    pub fn leading_zeros(&self) -> u32 {
        let words = self.words();
        for (index, word) in words.iter().enumerate().rev() {
            if *word != 0 {
                let top = index as u32 * 64 + (63 - word.leading_zeros());
                return self.width - 1 - top;
            }
        }
        self.width
    }

    fn map(&self, f: impl Fn(u64) -> u64) -> Bv {
        match &self.words {
            Words::Small(word) => Bv::new(self.width, f(*word)),
            Words::Big(words) => Bv::from_words(self.width, words.iter().map(|&w| f(w)).collect()),
        }
    }

    #[inline]
    fn zip(&self, other: &Bv, f: impl Fn(u64, u64) -> u64) -> Bv {
        debug_assert_eq!(self.width, other.width);
        match (&self.words, &other.words) {
            (Words::Small(a), Words::Small(b)) => Bv::new(self.width, f(*a, *b)),
            _ => Bv::from_words(
                self.width,
                self.words()
                    .iter()
                    .zip(other.words())
                    .map(|(&a, &b)| f(a, b))
                    .collect(),
            ),
        }
    }

    pub fn not(&self) -> Bv {
        self.map(|word| !word)
    }

    pub fn and(&self, other: &Bv) -> Bv {
        self.zip(other, |a, b| a & b)
    }

    pub fn or(&self, other: &Bv) -> Bv {
        self.zip(other, |a, b| a | b)
    }

    pub fn xor(&self, other: &Bv) -> Bv {
        self.zip(other, |a, b| a ^ b)
    }

    pub fn add(&self, other: &Bv) -> Bv {
        if let (Some(a), Some(b)) = (self.small(), other.small()) {
            return Bv::new(self.width, a.wrapping_add(b));
        }
        let mut carry = false;
        let words = self.words().iter().zip(other.words());
        let sum = words
            .map(|(&a, &b)| {
                let (sum, first) = a.overflowing_add(b);
                let (sum, second) = sum.overflowing_add(u64::from(carry));
                carry = first | second;
                sum
            })
            .collect();
        Bv::from_words(self.width, sum)
    }

    pub fn neg(&self) -> Bv {
        self.not().add(&Bv::one(self.width))
    }

    pub fn sub(&self, other: &Bv) -> Bv {
        self.add(&other.neg())
    }

    pub fn mul(&self, other: &Bv) -> Bv {
        match (self.small(), other.small()) {
            (Some(a), Some(b)) => Bv::new(self.width, a.wrapping_mul(b)),
            _ => Bv::from_ubig(self.width, &(self.to_ubig() * other.to_ubig())),
        }
    }

    pub fn udiv(&self, other: &Bv) -> Bv {
        if other.is_zero() {
            return Bv::ones(self.width);
        }
        match (self.small(), other.small()) {
            (Some(a), Some(b)) => Bv::new(self.width, a / b),
            _ => Bv::from_ubig(self.width, &(self.to_ubig() / other.to_ubig())),
        }
    }

    pub fn urem(&self, other: &Bv) -> Bv {
        if other.is_zero() {
            return self.clone();
        }
        match (self.small(), other.small()) {
            (Some(a), Some(b)) => Bv::new(self.width, a % b),
            _ => Bv::from_ubig(self.width, &(self.to_ubig() % other.to_ubig())),
        }
    }

    /// The multiplicative inverse modulo 2^width; only odd values have one.
    pub fn inverse(&self) -> Option<Bv> {
        if !self.bit(0) {
            return None;
        }
        // Newton's iteration doubles the number of correct low bits each time.
        let two = Bv::new(self.width, 2);
        let mut inverse = self.clone();
        let mut correct = 3;
        while correct < self.width {
            inverse = inverse.mul(&two.sub(&self.mul(&inverse)));
            correct *= 2;
        }
        Some(inverse)
    }

    /// The shift amount `other` stands for, or `None` if it shifts everything out.
    fn shift_amount(&self, other: &Bv) -> Option<u32> {
        other
            .to_u64()
            .filter(|&amount| amount < u64::from(self.width))
            .map(|amount| amount as u32)
    }

    pub fn shl(&self, other: &Bv) -> Bv {
        let Some(amount) = self.shift_amount(other) else {
            return Bv::zero(self.width);
        };
        match self.small() {
            Some(a) => Bv::new(self.width, a << amount),
            None => {
                let (skip, bits) = (amount as usize / 64, amount % 64);
                let source = self.words();
                let words = (0..source.len())
                    .map(|i| {
                        let word = |i: usize| i.checked_sub(skip).map_or(0, |i| source[i]);
                        let low = if bits == 0 || i == 0 {
                            0
                        } else {
                            word(i - 1) >> (64 - bits)
                        };
                        word(i) << bits | low
                    })
                    .collect();
                Bv::from_words(self.width, words)
            }
        }
    }

    pub fn lshr(&self, other: &Bv) -> Bv {
        let Some(amount) = self.shift_amount(other) else {
            return Bv::zero(self.width);
        };
        match self.small() {
            Some(a) => Bv::new(self.width, a >> amount),
            None => Bv::from_words(self.width, self.words_from(amount)),
        }
    }

    /// The words of the value shifted right by `amount`.
    fn words_from(&self, amount: u32) -> Vec<u64> {
        let (skip, bits) = (amount as usize / 64, amount % 64);
        let source = self.words();
        let word = |i: usize| source.get(i).copied().unwrap_or(0);
        (skip..source.len())
            .map(|i| {
                let high = if bits == 0 {
                    0
                } else {
                    word(i + 1) << (64 - bits)
                };
                word(i) >> bits | high
            })
            .collect()
    }

    pub fn ashr(&self, other: &Bv) -> Bv {
        if !self.sign() {
            return self.lshr(other);
        }
        self.not().lshr(other).not()
    }

    /// Bits `high` down to `low`.
    pub fn extract(&self, high: u32, low: u32) -> Bv {
        debug_assert!(low <= high && high < self.width);
        let width = high - low + 1;
        match self.small() {
            Some(a) => Bv::new(width, a >> low),
            None => Bv::from_words(width, self.words_from(low)),
        }
    }

    /// `self` as the high bits, `low` below them.
    pub fn concat(&self, low: &Bv) -> Bv {
        let width = self.width + low.width;
        if width <= 64 {
            return Bv::new(width, self.words()[0] << low.width | low.words()[0]);
        }
        let amount = Bv::new(64, u64::from(low.width));
        self.zero_extend(low.width)
            .shl(&amount)
            .or(&low.zero_extend(self.width))
    }

    pub fn zero_extend(&self, by: u32) -> Bv {
        let width = self.width + by;
        match self.small() {
            Some(a) if width <= 64 => Bv::new(width, a),
            _ => Bv::from_words(width, self.words().to_vec()),
        }
    }

    pub fn sign_extend(&self, by: u32) -> Bv {
        if by == 0 || !self.sign() {
            return self.zero_extend(by);
        }
        self.not().zero_extend(by).not()
    }

    pub fn ucmp(&self, other: &Bv) -> Ordering {
        debug_assert_eq!(self.width, other.width);
        self.words().iter().rev().cmp(other.words().iter().rev())
    }

    pub fn scmp(&self, other: &Bv) -> Ordering {
        other
            .sign()
            .cmp(&self.sign())
            .then_with(|| self.ucmp(other))
    }

    pub fn ult(&self, other: &Bv) -> bool {
        self.ucmp(other).is_lt()
    }

    pub fn slt(&self, other: &Bv) -> bool {
        self.scmp(other).is_lt()
    }
}

/// Ordered by width, then as unsigned numbers.
impl Ord for Bv {
    fn cmp(&self, other: &Bv) -> Ordering {
        self.width
            .cmp(&other.width)
            .then_with(|| self.words().iter().rev().cmp(other.words().iter().rev()))
    }
}

impl PartialOrd for Bv {
    fn partial_cmp(&self, other: &Bv) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The SMT-LIB literal: `#x…` where the width allows it, `#b…` elsewhere.
impl fmt::Display for Bv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.width.is_multiple_of(4) {
            f.write_str("#x")?;
            for digit in (0..self.width / 4).rev() {
                let bits = self.words()[digit as usize / 16] >> (digit % 16 * 4) & 15;
                write!(f, "{bits:x}")?;
            }
        } else {
            f.write_str("#b")?;
            for index in (0..self.width).rev() {
                f.write_str(if self.bit(index) { "1" } else { "0" })?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Bv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
