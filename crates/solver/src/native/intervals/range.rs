//! Ranges of floats, and what operators make of them.
//!
//! A number is known by its place among all of its format: the bits of its magnitude, less than zero if it is negative.
//! So zeros have one place, infinities are the last, and the next place is the next number.

use refrain_term::float::operate;
use refrain_term::{Bv, FloatOp, Format, Function, Rounding};

/// The widest format: a place has a sign too.
const WIDEST: u32 = 128;

/// Some floats of a format: the numbers from one place to another, and NaN or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    pub low: i128,
    pub high: i128,
    pub nan: bool,
}

impl Range {
    /// No number, and not NaN.
    const EMPTY: Range = Range {
        low: i128::MAX,
        high: i128::MIN,
        nan: false,
    };

    pub fn of_number(place: i128) -> Range {
        Range::between(place, place)
    }

    pub fn between(low: i128, high: i128) -> Range {
        Range {
            low,
            high,
            nan: false,
        }
    }

    pub fn only_nan() -> Range {
        Range {
            nan: true,
            ..Range::EMPTY
        }
    }

    pub fn has_numbers(self) -> bool {
        self.low <= self.high
    }

    pub fn is_empty(self) -> bool {
        !self.has_numbers() && !self.nan
    }

    pub fn has(self, place: i128) -> bool {
        self.low <= place && place <= self.high
    }

    pub fn intersection(self, other: Range) -> Range {
        Range {
            low: self.low.max(other.low),
            high: self.high.min(other.high),
            nan: self.nan && other.nan,
        }
    }

    /// The least range with both in it.
    pub fn hull(self, other: Range) -> Range {
        let nan = self.nan || other.nan;
        match (self.has_numbers(), other.has_numbers()) {
            (false, _) => Range { nan, ..other },
            (_, false) => Range { nan, ..self },
            _ => Range {
                low: self.low.min(other.low),
                high: self.high.max(other.high),
                nan,
            },
        }
    }

    pub fn negated(self) -> Range {
        match self.has_numbers() {
            true => Range {
                low: -self.high,
                high: -self.low,
                nan: self.nan,
            },
            false => self,
        }
    }

    pub fn magnitude(self) -> Range {
        match self.has_numbers() {
            true => Range {
                low: self.low.max(-self.high).max(0),
                high: self.high.max(-self.low),
                nan: self.nan,
            },
            false => self,
        }
    }
}

/// Numbers of a format by their places.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Places {
    pub format: Format,
}

impl Places {
    /// None for formats that are too wide.
    pub fn of(format: Format) -> Option<Places> {
        (format.width() <= WIDEST).then_some(Places { format })
    }

    pub fn infinity(self) -> i128 {
        let ones = (1i128 << self.format.exponent) - 1;
        ones << self.format.fraction()
    }

    pub fn all(self) -> Range {
        Range {
            low: -self.infinity(),
            high: self.infinity(),
            nan: true,
        }
    }

    /// Where a float is; nowhere if it is NaN.
    pub fn place(self, bits: u128) -> Option<i128> {
        let sign = 1u128 << (self.format.width() - 1);
        let magnitude = (bits & (sign - 1)) as i128;
        let place = if bits & sign == 0 {
            magnitude
        } else {
            -magnitude
        };
        (magnitude <= self.infinity()).then_some(place)
    }

    pub fn range_of(self, bits: u128) -> Range {
        self.place(bits).map_or(Range::only_nan(), Range::of_number)
    }

    pub fn bits(self, place: i128) -> Bv {
        let (width, negative) = (self.format.width(), place < 0);
        let word = place.unsigned_abs() | u128::from(negative) << (width - 1);
        match width <= 64 {
            true => Bv::new(width, word as u64),
            false => Bv::from_words(width, vec![word as u64, (word >> 64) as u64]),
        }
    }

    pub fn value(self, place: i128) -> f64 {
        let double = Places {
            format: Format::DOUBLE,
        };
        let place = self.convert(double, Rounding::NearestEven, place);
        let bits = place.map(|place| double.bits(place).small());
        f64::from_bits(bits.flatten().unwrap_or_default())
    }

    /// The number nearest to a value that is no NaN.
    pub fn nearest(self, value: f64) -> i128 {
        let double = Places {
            format: Format::DOUBLE,
        };
        let place = double.place(value.to_bits().into()).unwrap_or_default();
        let converted = double.convert(self, Rounding::NearestEven, place);
        converted.unwrap_or_default()
    }

    fn convert(self, to: Places, mode: Rounding, place: i128) -> Option<i128> {
        if self == to {
            return Some(place);
        }
        let result = (to.format.width(), to.format.exponent);
        let mode = Bv::new(Rounding::WIDTH, mode.code());
        let bits = operate(
            FloatOp::Convert,
            self.format,
            result,
            &[&mode, &self.bits(place)],
        );
        to.place(word(&bits)?)
    }

    /// What an operator gives; nothing if that is NaN.
    fn operate(self, op: FloatOp, mode: Rounding, operands: &[i128]) -> Option<i128> {
        let mode = Bv::new(Rounding::WIDTH, mode.code());
        let bits = [0, 1, 2].map(|at| operands.get(at).map(|&place| self.bits(place)));
        let rounding = op.is_rounded().then_some(&mode);
        let mut all = rounding.into_iter().chain(bits.iter().flatten());
        let zero = &mode;
        let args: [&Bv; 4] = std::array::from_fn(|_| all.next().unwrap_or(zero));
        let count = operands.len() + usize::from(op.is_rounded());
        let result = operate(op, self.format, (self.format.width(), 0), &args[..count]);
        self.place(word(&result)?)
    }

    /// The least range with all of these places in it.
    fn around(places: impl IntoIterator<Item = i128>) -> Range {
        let ranges = places.into_iter().map(Range::of_number);
        ranges.fold(Range::EMPTY, Range::hull)
    }

    /// All results of an operator on ranges of numbers that are not empty, and perhaps more.
    pub fn forward(self, op: FloatOp, mode: Option<Rounding>, operands: &[Range]) -> Range {
        if operands.iter().any(|operand| !operand.has_numbers()) {
            return match op {
                // Some functions of NaN are numbers: pow(NaN, 0), hypot(NaN, ∞).
                FloatOp::Function(_) => self.all(),
                _ => Range::only_nan(),
            };
        }
        // How the least and the greatest result are rounded.
        let (down, up) = match mode {
            Some(mode) => (mode, mode),
            None => (Rounding::Down, Rounding::Up),
        };
        let infinity = self.infinity();
        let is_infinite = |range: Range| range.has(infinity) || range.has(-infinity);
        let mut nan = operands.iter().any(|operand| operand.nan);
        let numbers = match op {
            FloatOp::Add => {
                let (a, b) = (operands[0], operands[1]);
                nan |= a.has(infinity) && b.has(-infinity) || a.has(-infinity) && b.has(infinity);
                let low = self.operate(op, down, &[a.low, b.low]).unwrap_or(-infinity);
                let high = self.operate(op, up, &[a.high, b.high]).unwrap_or(infinity);
                Range::between(low, high)
            }
            FloatOp::Mul => {
                let (a, b) = (operands[0], operands[1]);
                nan |= a.has(0) && is_infinite(b) || b.has(0) && is_infinite(a);
                self.corners(op, (down, up), a, b)
            }
            FloatOp::Div => {
                let (a, b) = (operands[0], operands[1]);
                nan |= a.has(0) && b.has(0) || is_infinite(a) && is_infinite(b);
                match b.has(0) {
                    true => Range::between(-infinity, infinity),
                    false => self.corners(op, (down, up), a, b),
                }
            }
            FloatOp::Sqrt => {
                let a = operands[0];
                nan |= a.low < 0;
                let root = |mode, place: i128| self.operate(op, mode, &[place.max(0)]);
                match a.high < 0 {
                    true => Range::EMPTY,
                    false => Self::around(root(down, a.low).into_iter().chain(root(up, a.high))),
                }
            }
            FloatOp::RoundToIntegral => {
                let a = operands[0];
                let ends = [(down, a.low), (up, a.high)];
                Self::around(
                    ends.into_iter()
                        .flat_map(|(mode, end)| self.operate(op, mode, &[end])),
                )
            }
            FloatOp::Fma => {
                let (a, b, c) = (operands[0], operands[1], operands[2]);
                nan |= a.has(0) && is_infinite(b) || b.has(0) && is_infinite(a);
                nan |= (is_infinite(a) || is_infinite(b)) && is_infinite(c);
                let mut range = Range::EMPTY;
                for (x, y) in [
                    (a.low, b.low),
                    (a.low, b.high),
                    (a.high, b.low),
                    (a.high, b.high),
                ] {
                    for (mode, z) in [(down, c.low), (up, c.high)] {
                        match self.operate(op, mode, &[x, y, z]) {
                            Some(place) => range = range.hull(Range::of_number(place)),
                            None => range = range.hull(self.all()),
                        }
                    }
                }
                nan |= range.nan;
                range
            }
            FloatOp::Rem => {
                let (a, b) = (operands[0].magnitude(), operands[1].magnitude());
                nan |= a.has(infinity) || b.has(0);
                let most = a.high.min(b.high);
                Range::between(-most, most)
            }
            FloatOp::Function(function) => {
                nan = true;
                let (low, high) = values_of(function);
                Range::between(self.nearest(low), self.nearest(high))
            }
            _ => self.all(),
        };
        Range {
            nan: nan || numbers.nan,
            ..numbers
        }
    }

    /// The results of a product or a quotient at the ends of two ranges. Where one is NaN, zero and an infinity meet, or
    /// two infinities: it is zero for the numbers beside these.
    fn corners(self, op: FloatOp, (down, up): (Rounding, Rounding), a: Range, b: Range) -> Range {
        let corners = [
            (a.low, b.low),
            (a.low, b.high),
            (a.high, b.low),
            (a.high, b.high),
        ];
        let modes = [down, up];
        let modes = &modes[..if down == up { 1 } else { 2 }];
        let results = corners.into_iter().flat_map(|(x, y)| {
            let of = move |&mode: &Rounding| self.operate(op, mode, &[x, y]).unwrap_or(0);
            modes.iter().map(of)
        });
        Self::around(results)
    }

    /// What numbers of a range are when converted to another format.
    pub fn converted(self, to: Places, mode: Option<Rounding>, from: Range) -> Range {
        if !from.has_numbers() {
            return from;
        }
        let (down, up) = match mode {
            Some(mode) => (mode, mode),
            None => (Rounding::Down, Rounding::Up),
        };
        let infinity = to.infinity();
        Range {
            low: self.convert(to, down, from.low).unwrap_or(-infinity),
            high: self.convert(to, up, from.high).unwrap_or(infinity),
            nan: from.nan,
        }
    }

    /// One place more at either end: real numbers that are rounded into a range lie in the wider one, however they are
    /// rounded.
    pub fn wider(self, range: Range) -> Range {
        let infinity = self.infinity();
        Range {
            low: (range.low - 1).max(-infinity),
            high: (range.high + 1).min(infinity),
            nan: range.nan,
        }
    }

    /// What operand `at` of an operator can be, where no result is NaN: numbers only.
    pub fn backward(self, op: FloatOp, at: usize, operands: &[Range], result: Range) -> Range {
        let infinity = self.infinity();
        let numbers = Range::between(-infinity, infinity);
        let exact = self.wider(result);
        let near = Rounding::NearestEven;
        let found = match (op, at) {
            (FloatOp::Add, _) => {
                let other = operands[1 - at];
                let less = |a: i128, b: i128| self.operate(FloatOp::Add, near, &[a, -b]);
                let low = less(exact.low, other.high).unwrap_or(-infinity);
                let high = less(exact.high, other.low).unwrap_or(infinity);
                Some(Range::between(low, high))
            }
            (FloatOp::Mul, _) => {
                let other = operands[1 - at];
                (!other.has(0))
                    .then(|| self.all_corners(FloatOp::Div, exact, other))
                    .flatten()
            }
            (FloatOp::Div, 0) => self.all_corners(FloatOp::Mul, exact, operands[1]),
            (FloatOp::Div, _) => {
                let dividend = operands[0];
                (!exact.has(0))
                    .then(|| self.all_corners(FloatOp::Div, dividend, exact))
                    .flatten()
            }
            (FloatOp::Sqrt, _) => {
                let square = |place: i128| self.operate(FloatOp::Mul, near, &[place, place]);
                let (low, high) = (square(exact.low.max(0)), square(exact.high.max(0)));
                let (low, high) = (low.unwrap_or(0), high.unwrap_or(infinity));
                // Roots are of numbers that are not less than zero.
                let found = self.wider(Range::between(low, high));
                return Range::between(found.low.max(0), found.high);
            }
            (FloatOp::RoundToIntegral, _) => {
                let one = self.nearest(1.0);
                let low = self.operate(FloatOp::Add, near, &[result.low, -one]);
                let high = self.operate(FloatOp::Add, near, &[result.high, one]);
                Some(Range::between(
                    low.unwrap_or(-infinity),
                    high.unwrap_or(infinity),
                ))
            }
            _ => None,
        };
        found.map_or(numbers, |found| self.wider(found))
    }

    /// The results at the ends of two ranges, unless one is NaN.
    fn all_corners(self, op: FloatOp, a: Range, b: Range) -> Option<Range> {
        let near = Rounding::NearestEven;
        let mut range = Range::EMPTY;
        for (x, y) in [
            (a.low, b.low),
            (a.low, b.high),
            (a.high, b.low),
            (a.high, b.high),
        ] {
            range = range.hull(Range::of_number(self.operate(op, near, &[x, y])?));
        }
        Some(range)
    }
}

/// What values of a function lie between, if they are numbers.
fn values_of(function: Function) -> (f64, f64) {
    let all = (f64::NEG_INFINITY, f64::INFINITY);
    match function {
        Function::Sin | Function::Cos | Function::Tanh => (-1.0, 1.0),
        // More than π, in whatever precision.
        Function::Acos => (0.0, 4.0),
        Function::Asin | Function::Atan => (-2.0, 2.0),
        Function::Atan2 => (-4.0, 4.0),
        Function::Exp | Function::Exp2 | Function::Hypot => (0.0, f64::INFINITY),
        Function::Cosh => (1.0, f64::INFINITY),
        Function::ExpM1 => (-1.0, f64::INFINITY),
        _ => all,
    }
}

/// Bits of at most the widest format.
pub fn word(bits: &Bv) -> Option<u128> {
    match *bits.words() {
        [low] => Some(low.into()),
        [low, high] => Some(u128::from(high) << 64 | u128::from(low)),
        _ => None,
    }
}
