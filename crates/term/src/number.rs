//! Exact numbers: what constants of sort Int and Real are, and what arithmetic computes with.
//!
//! A [`Rational`] whose numerator and denominator fit a machine word is kept as the two of them, and operations on
//! such numbers allocate nothing: they are computed in 128 bits, where nothing can overflow, and put back. Only what
//! does not fit goes to `dashu`. Every value has one representation (lowest terms, a positive denominator, small if
//! it can be), so equality is equality of the parts.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::num::NonZeroI64;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use dashu_int::{IBig, Sign, UBig};
use dashu_ratio::RBig;

/// An exact rational number of any size.
#[derive(Clone, PartialEq, Eq)]
pub struct Rational(Repr);

#[derive(Clone, PartialEq, Eq)]
enum Repr {
    /// Numerator and denominator in lowest terms; the denominator is positive, the numerator not `i64::MIN`.
    Small(i64, NonZeroI64),
    /// What does not fit.
    Big(Box<RBig>),
}

use Repr::{Big, Small};

const UNIT: NonZeroI64 = NonZeroI64::new(1).expect("not zero");

/// The greatest common divisor; of zero and a number, the number.
#[inline]
fn gcd(mut a: u128, mut b: u128) -> u128 {
    // Most numbers are small, and 64-bit division is several times faster.
    while a > u128::from(u64::MAX) || b > u128::from(u64::MAX) {
        if b == 0 {
            return a;
        }
        (a, b) = (b, a % b);
    }
    u128::from(gcd_u64(a as u64, b as u64))
}

#[inline]
fn gcd_u64(mut a: u64, mut b: u64) -> u64 {
    if a == 0 {
        return b;
    }
    if b == 0 {
        return a;
    }
    let shift = (a | b).trailing_zeros();
    a >>= a.trailing_zeros();
    loop {
        b >>= b.trailing_zeros();
        if a > b {
            std::mem::swap(&mut a, &mut b);
        }
        b -= a;
        if b == 0 {
            return a << shift;
        }
    }
}

/// `a / p + b / q`, each in lowest terms. Common factors are taken out before anything grows (Knuth, "The Art of
/// Computer Programming", volume 2, 4.5.1), so that nearly all of it is done in machine words.
fn add_fractions(a: i64, p: i64, b: i64, q: i64) -> Rational {
    let common = gcd_u64(p.unsigned_abs(), q.unsigned_abs()) as i64;
    let (p_rest, q_rest) = (p / common, q / common);
    // Both products are below 2^126, so their sum fits.
    let sum = i128::from(a) * i128::from(q_rest) + i128::from(b) * i128::from(p_rest);
    if common == 1 {
        return Rational::lowest(sum, i128::from(p) * i128::from(q));
    }
    let divisor = gcd(sum.unsigned_abs(), common.unsigned_abs().into()) as i64;
    let sum = match i64::try_from(sum) {
        Ok(small) => i128::from(small / divisor),
        Err(_) => sum / i128::from(divisor),
    };
    Rational::lowest(sum, i128::from(p_rest) * i128::from(q / divisor))
}

/// `a / p * b / q`, each in lowest terms, with `p` and `q` positive.
#[inline]
fn multiply_fractions(a: i64, p: i64, b: i64, q: i64) -> Rational {
    let first = gcd_u64(a.unsigned_abs(), q.unsigned_abs()) as i64;
    let second = gcd_u64(b.unsigned_abs(), p.unsigned_abs()) as i64;
    Rational::lowest(
        i128::from(a / first) * i128::from(b / second),
        i128::from(p / second) * i128::from(q / first),
    )
}

impl Rational {
    pub const ZERO: Rational = Rational(Small(0, UNIT));
    pub const ONE: Rational = Rational(Small(1, UNIT));
    pub const MINUS_ONE: Rational = Rational(Small(-1, UNIT));

    /// `numerator / denominator`.
    ///
    /// # Panics
    /// If the denominator is zero.
    pub fn new(numerator: i64, denominator: i64) -> Rational {
        assert!(denominator != 0, "a denominator of zero");
        Rational::reduced(i128::from(numerator), i128::from(denominator))
    }

    pub fn from_big(value: RBig) -> Rational {
        let parts = (
            i64::try_from(value.numerator()),
            i64::try_from(value.denominator()),
        );
        if let (Ok(numerator), Ok(denominator)) = parts
            && numerator != i64::MIN
            && let Some(denominator) = NonZeroI64::new(denominator)
        {
            return Rational(Small(numerator, denominator));
        }
        Rational(Big(Box::new(value)))
    }

    pub fn from_ibig(value: IBig) -> Rational {
        Rational::from_big(RBig::from(value))
    }

    /// A decimal numeral (`17`) or decimal (`1.25`), without a sign, as SMT-LIB writes them. `None` if the text is
    /// something else.
    pub fn parse(text: &str) -> Option<Rational> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !digits(whole) || !digits(fraction) || text.ends_with('.') {
            return None;
        }
        if fraction.is_empty()
            && let Ok(value) = whole.parse::<i64>()
        {
            return Some(Rational::from(value));
        }
        let numerator = UBig::from_str_radix(&format!("{whole}{fraction}"), 10).ok()?;
        let denominator = UBig::from(10u8).pow(fraction.len());
        Some(Rational::from_big(RBig::from_parts(
            numerator.into(),
            denominator,
        )))
    }

    #[inline]
    fn small(numerator: i64, denominator: NonZeroI64) -> Rational {
        if numerator == i64::MIN {
            return Rational::from_big(RBig::from_parts(
                IBig::from(numerator),
                UBig::from(denominator.get().unsigned_abs()),
            ));
        }
        Rational(Small(numerator, denominator))
    }

    /// From parts that need not be in lowest terms. The denominator is not zero.
    #[inline]
    fn reduced(numerator: i128, denominator: i128) -> Rational {
        let divisor = gcd(numerator.unsigned_abs(), denominator.unsigned_abs()) as i128;
        let divisor = if denominator < 0 { -divisor } else { divisor };
        Rational::lowest(numerator / divisor, denominator / divisor)
    }

    /// From parts in lowest terms, the denominator positive.
    #[inline]
    fn lowest(numerator: i128, denominator: i128) -> Rational {
        if let (Ok(small), Ok(by)) = (i64::try_from(numerator), i64::try_from(denominator))
            && let Some(by) = NonZeroI64::new(by)
            && small != i64::MIN
        {
            return Rational(Small(small, by));
        }
        Rational(Big(Box::new(RBig::from_parts(
            IBig::from(numerator),
            UBig::from(denominator as u128),
        ))))
    }

    pub fn to_big(&self) -> RBig {
        match &self.0 {
            Small(numerator, denominator) => RBig::from_parts(
                IBig::from(*numerator),
                UBig::from(denominator.get().unsigned_abs()),
            ),
            Big(value) => RBig::clone(value),
        }
    }

    /// The value as a machine integer, if it is one that fits.
    #[inline]
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Small(numerator, UNIT) => Some(numerator),
            _ => None,
        }
    }

    #[inline]
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Small(0, _))
    }

    #[inline]
    pub fn is_one(&self) -> bool {
        matches!(self.0, Small(1, UNIT))
    }

    #[inline]
    pub fn is_minus_one(&self) -> bool {
        matches!(self.0, Small(-1, UNIT))
    }

    #[inline]
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Small(_, denominator) => *denominator == UNIT,
            Big(value) => value.is_int(),
        }
    }

    /// -1, 0 or 1.
    #[inline]
    pub fn signum(&self) -> i32 {
        match &self.0 {
            Small(numerator, _) => numerator.signum() as i32,
            Big(value) => match value.sign() {
                Sign::Negative => -1,
                Sign::Positive => 1,
            },
        }
    }

    #[inline]
    pub fn is_negative(&self) -> bool {
        self.signum() < 0
    }

    #[inline]
    pub fn is_positive(&self) -> bool {
        self.signum() > 0
    }

    pub fn abs(&self) -> Rational {
        if self.is_negative() {
            -self
        } else {
            self.clone()
        }
    }

    pub fn numerator(&self) -> Rational {
        match &self.0 {
            Small(numerator, _) => Rational(Small(*numerator, UNIT)),
            Big(value) => Rational::from_ibig(value.numerator().clone()),
        }
    }

    pub fn denominator(&self) -> Rational {
        match &self.0 {
            Small(_, denominator) => Rational(Small(denominator.get(), UNIT)),
            Big(value) => Rational::from_ibig(value.denominator().clone().into()),
        }
    }

    /// `1 / self`.
    ///
    /// # Panics
    /// If this is zero.
    pub fn inverse(&self) -> Rational {
        &Rational::ONE / self
    }

    /// The largest integer that is not above.
    #[inline]
    pub fn floor(&self) -> Rational {
        match &self.0 {
            Small(_, UNIT) => self.clone(),
            Small(numerator, denominator) => {
                Rational(Small(numerator.div_euclid(denominator.get()), UNIT))
            }
            Big(value) => Rational::from_ibig(value.floor()),
        }
    }

    /// The smallest integer that is not below.
    pub fn ceil(&self) -> Rational {
        -&(-self).floor()
    }

    /// The largest integer whose square is not above.
    ///
    /// # Panics
    /// If this is negative.
    pub fn integer_root(&self) -> Rational {
        assert!(!self.is_negative(), "no number has a negative square");
        let (_, magnitude) = self.floor().to_big().into_parts().0.into_parts();
        Rational::from_ibig(IBig::from(magnitude.nth_root(2)))
    }

    /// The closest integer; of two, the larger.
    pub fn round(&self) -> Rational {
        if self.is_integer() {
            return self.clone();
        }
        (self + &Rational::new(1, 2)).floor()
    }

    /// The greatest common divisor of two integers, never negative.
    pub fn gcd(&self, other: &Rational) -> Rational {
        debug_assert!(self.is_integer() && other.is_integer());
        match (&self.0, &other.0) {
            (Small(a, _), Small(b, _)) => {
                let divisor = gcd_u64(a.unsigned_abs(), b.unsigned_abs());
                Rational::lowest(i128::from(divisor), 1)
            }
            _ if self.is_zero() => other.abs(),
            _ if other.is_zero() => self.abs(),
            _ => {
                use dashu_int::ops::Gcd;
                let (a, b) = (self.to_big(), other.to_big());
                Rational::from_ibig(a.numerator().gcd(b.numerator()).into())
            }
        }
    }

    /// The least common multiple of two integers that are not zero.
    pub fn lcm(&self, other: &Rational) -> Rational {
        if other.is_one() {
            return self.abs();
        }
        (&(self / &self.gcd(other)) * other).abs()
    }

    /// Division of integers as SMT-LIB defines it: the remainder is never negative.
    ///
    /// # Panics
    /// If the divisor is zero.
    pub fn div_euclid(&self, divisor: &Rational) -> Rational {
        debug_assert!(self.is_integer() && divisor.is_integer());
        let quotient = self / divisor;
        if divisor.is_negative() {
            quotient.ceil()
        } else {
            quotient.floor()
        }
    }

    /// The remainder of [`Rational::div_euclid`].
    pub fn rem_euclid(&self, divisor: &Rational) -> Rational {
        self - &(divisor * &self.div_euclid(divisor))
    }

    /// Adds `factor * value`.
    #[inline]
    pub fn add_mul(&mut self, factor: &Rational, value: &Rational) {
        if let (Small(sum, UNIT), Small(a, UNIT), Small(b, UNIT)) = (&self.0, &factor.0, &value.0)
            && let Some(product) = a.checked_mul(*b)
            && let Some(total) = sum.checked_add(product)
            && total != i64::MIN
        {
            self.0 = Small(total, UNIT);
            return;
        }
        *self = &*self + &(factor * value);
    }

    /// Multiplies by `own`, and adds `factor * value`.
    #[inline]
    pub fn mul_add_mul(&mut self, own: &Rational, factor: &Rational, value: &Rational) {
        if let (Small(sum, UNIT), Small(by, UNIT), Small(a, UNIT), Small(b, UNIT)) =
            (&self.0, &own.0, &factor.0, &value.0)
        {
            // Both products are below 2^126, so their sum fits.
            let total = i128::from(*sum) * i128::from(*by) + i128::from(*a) * i128::from(*b);
            *self = Rational::lowest(total, 1);
            return;
        }
        *self = &(&*self * own) + &(factor * value);
    }

    /// Whether this integer is a multiple of another one, which is not zero.
    #[inline]
    pub fn is_multiple_of(&self, divisor: &Rational) -> bool {
        match (&self.0, &divisor.0) {
            (_, Small(1, UNIT)) => self.is_integer(),
            (Small(a, UNIT), Small(b, UNIT)) => a % b == 0,
            _ => (self / divisor).is_integer(),
        }
    }

    /// Divides by an integer that is not zero; quick where it is a divisor.
    #[inline]
    pub fn divide(&mut self, divisor: &Rational) {
        if let (Small(a, UNIT), Small(b, UNIT)) = (&self.0, &divisor.0)
            && a % b == 0
        {
            // The smallest machine integer is not small here, so this cannot overflow.
            self.0 = Small(a / b, UNIT);
            return;
        }
        *self = &*self / divisor;
    }

    /// The words of the value, for hashing in a way that is the same in every run.
    pub fn words(&self) -> Vec<u64> {
        match &self.0 {
            Small(numerator, denominator) => vec![*numerator as u64, denominator.get() as u64],
            Big(value) => {
                let (sign, numerator) = value.numerator().as_sign_words();
                let mut words = vec![u64::from(sign == Sign::Negative), numerator.len() as u64];
                words.extend_from_slice(numerator);
                words.extend_from_slice(value.denominator().as_words());
                words
            }
        }
    }
}

impl From<i64> for Rational {
    #[inline]
    fn from(value: i64) -> Rational {
        Rational::small(value, UNIT)
    }
}

impl From<IBig> for Rational {
    fn from(value: IBig) -> Rational {
        Rational::from_ibig(value)
    }
}

impl Default for Rational {
    fn default() -> Rational {
        Rational::ZERO
    }
}

impl Add for &Rational {
    type Output = Rational;

    #[inline]
    fn add(self, other: &Rational) -> Rational {
        match (&self.0, &other.0) {
            (Small(a, UNIT), Small(b, UNIT)) => {
                Rational::lowest(i128::from(*a) + i128::from(*b), 1)
            }
            (Small(a, p), Small(b, q)) => add_fractions(*a, p.get(), *b, q.get()),
            _ => Rational::from_big(self.to_big() + other.to_big()),
        }
    }
}

impl Sub for &Rational {
    type Output = Rational;

    #[inline]
    fn sub(self, other: &Rational) -> Rational {
        self + &-other
    }
}

impl Mul for &Rational {
    type Output = Rational;

    #[inline]
    fn mul(self, other: &Rational) -> Rational {
        match (&self.0, &other.0) {
            (Small(a, UNIT), Small(b, UNIT)) => {
                Rational::lowest(i128::from(*a) * i128::from(*b), 1)
            }
            (Small(a, p), Small(b, q)) => multiply_fractions(*a, p.get(), *b, q.get()),
            _ => Rational::from_big(self.to_big() * other.to_big()),
        }
    }
}

/// # Panics
/// If the divisor is zero.
impl Div for &Rational {
    type Output = Rational;

    #[inline]
    fn div(self, other: &Rational) -> Rational {
        assert!(!other.is_zero(), "division by zero");
        match (&self.0, &other.0) {
            (_, Small(1, UNIT)) => self.clone(),
            (Small(a, p), Small(b, q)) => {
                let inverse = if *b < 0 { -q.get() } else { q.get() };
                multiply_fractions(*a, p.get(), inverse, b.abs())
            }
            _ => Rational::from_big(self.to_big() / other.to_big()),
        }
    }
}

impl Neg for &Rational {
    type Output = Rational;

    #[inline]
    fn neg(self) -> Rational {
        match &self.0 {
            // The smallest machine integer is not small here, so this cannot overflow.
            Small(numerator, denominator) => Rational(Small(-numerator, *denominator)),
            Big(value) => Rational::from_big(-RBig::clone(value)),
        }
    }
}

impl Neg for Rational {
    type Output = Rational;

    #[inline]
    fn neg(self) -> Rational {
        -&self
    }
}

impl AddAssign<&Rational> for Rational {
    #[inline]
    fn add_assign(&mut self, other: &Rational) {
        *self = &*self + other;
    }
}

impl SubAssign<&Rational> for Rational {
    #[inline]
    fn sub_assign(&mut self, other: &Rational) {
        *self = &*self - other;
    }
}

impl Ord for Rational {
    #[inline]
    fn cmp(&self, other: &Rational) -> Ordering {
        match (&self.0, &other.0) {
            (Small(a, p), Small(b, q)) if p == q => a.cmp(b),
            (Small(a, p), Small(b, q)) => {
                let (p, q) = (i128::from(p.get()), i128::from(q.get()));
                (i128::from(*a) * q).cmp(&(i128::from(*b) * p))
            }
            _ => self.to_big().cmp(&other.to_big()),
        }
    }
}

impl PartialOrd for Rational {
    #[inline]
    fn partial_cmp(&self, other: &Rational) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for Rational {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.0 {
            Small(numerator, denominator) => (numerator, denominator).hash(state),
            Big(_) => self.words().hash(state),
        }
    }
}

/// `-3/2`, or `-3` for an integer.
impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Small(numerator, UNIT) => write!(f, "{numerator}"),
            Small(numerator, denominator) => write!(f, "{numerator}/{denominator}"),
            Big(value) => write!(f, "{value}"),
        }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers around every boundary of the representation.
    fn samples() -> Vec<Rational> {
        let mut numbers = Vec::new();
        for whole in [
            0,
            1,
            2,
            3,
            7,
            1 << 31,
            (1 << 32) + 1,
            i64::MAX - 1,
            i64::MAX,
        ] {
            for denominator in [1, 2, 3, 10, 1 << 31, i64::MAX] {
                let number = Rational::new(whole, denominator);
                numbers.push(-&number);
                numbers.push(&number * &Rational::from(i64::MAX));
                numbers.push(number);
            }
        }
        numbers.push(Rational::from(i64::MIN));
        numbers.push(Rational::parse("123456789012345678901234567890.125").expect("a decimal"));
        numbers
    }

    #[test]
    fn roots_are_the_largest_integers_whose_squares_are_not_above() {
        for number in samples().into_iter().filter(|number| !number.is_negative()) {
            let root = number.integer_root();
            let next = &root + &Rational::ONE;
            assert!(root.is_integer() && !root.is_negative(), "{number}");
            assert!(
                &root * &root <= number && number < &next * &next,
                "{number}"
            );
        }
    }

    #[test]
    fn a_number_takes_two_words() {
        assert_eq!(size_of::<Rational>(), 16);
    }

    #[test]
    fn operations_agree_with_big_numbers() {
        let numbers = samples();
        for a in &numbers {
            let x = a.to_big();
            assert_eq!(Rational::from_big(x.clone()), *a);
            assert_eq!((-a).to_big(), -x.clone());
            assert_eq!(a.floor().to_big(), RBig::from(x.floor()));
            assert_eq!(a.ceil().to_big(), RBig::from(x.ceil()));
            for b in &numbers {
                let y = b.to_big();
                assert_eq!((a + b).to_big(), &x + &y);
                assert_eq!((a - b).to_big(), &x - &y);
                assert_eq!((a * b).to_big(), &x * &y);
                assert_eq!(a.cmp(b), x.cmp(&y));
                assert_eq!(a == b, x == y);
                if !b.is_zero() {
                    assert_eq!((a / b).to_big(), &x / &y);
                }
                let mut sum = a.clone();
                sum.add_mul(a, b);
                assert_eq!(sum.to_big(), &x + &x * &y);
                let mut sum = a.clone();
                sum.mul_add_mul(b, b, a);
                assert_eq!(sum.to_big(), &x * &y + &y * &x);
                let mut sum = a.clone();
                sum.mul_add_mul(a, b, b);
                assert_eq!(sum.to_big(), &x * &x + &y * &y);
                if !b.is_zero() {
                    let mut quotient = a.clone();
                    quotient.divide(b);
                    assert_eq!(quotient, a / b);
                    if a.is_integer() && b.is_integer() {
                        assert_eq!(a.is_multiple_of(b), (a / b).is_integer());
                    }
                }
            }
        }
    }

    #[test]
    fn representations_are_unique() {
        let huge = &Rational::from(i64::MAX) * &Rational::from(4);
        let back = &huge / &Rational::from(4);
        assert_eq!(back, Rational::from(i64::MAX));
        assert_eq!(back.to_i64(), Some(i64::MAX));
        let least = Rational::from(i64::MIN);
        assert_eq!(&least + &Rational::ZERO, least);
        assert_eq!(-&-&least, least);
    }

    #[test]
    fn division_is_euclidean() {
        for (a, b, quotient, remainder) in [
            (7, 2, 3, 1),
            (-7, 2, -4, 1),
            (7, -2, -3, 1),
            (-7, -2, 4, 1),
            (6, -3, -2, 0),
        ] {
            let (a, b) = (Rational::from(a), Rational::from(b));
            assert_eq!(a.div_euclid(&b), Rational::from(quotient));
            assert_eq!(a.rem_euclid(&b), Rational::from(remainder));
        }
    }

    #[test]
    fn numerals_and_decimals_are_read() {
        assert_eq!(Rational::parse("0012"), Some(Rational::from(12)));
        assert_eq!(Rational::parse("1.250"), Some(Rational::new(5, 4)));
        for bad in ["", ".5", "1.", "-1", "1e3", "1.2.3", "+1"] {
            assert_eq!(Rational::parse(bad), None, "{bad}");
        }
    }
}
