//! What `printf` makes of a format and its arguments, as the GNU C library does in the C locale.
//!
//! Nothing here knows of the machine: a format is cut into pieces, and a piece with its values becomes bytes. Floats
//! are written out exactly, digit by digit, and rounded as decimal text; so any precision is right.

/// The flags of a conversion.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Flags {
    pub left: bool,
    pub plus: bool,
    pub space: bool,
    pub alternate: bool,
    pub zero: bool,
    /// Grouping of digits, of which the C locale has none.
    pub group: bool,
    /// Digits of the locale, which in the C locale are the usual ones.
    pub local: bool,
}

/// A width or precision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Field {
    Number(u32),
    /// The next argument, or that of a position counted from 0.
    Argument(Option<usize>),
}

/// The length modifier, by what it says of an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Length {
    Char,
    Short,
    Int,
    /// All of 64 bits; before a character, a wide one.
    Long,
    /// 64 bits, or a long double.
    LongLong,
}

/// One conversion as it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conversion {
    /// The position of the argument counted from 0, if it is given.
    pub position: Option<usize>,
    pub flags: Flags,
    pub width: Option<Field>,
    pub precision: Option<Field>,
    pub length: Length,
    pub letter: u8,
}

/// A part of a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Piece<'a> {
    Text(&'a [u8]),
    Conversion(Conversion),
}

/// Why a format cannot be used: `printf` gives -1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// It ends within a conversion.
    Unfinished,
    /// A number in it is too large.
    Overflow,
}

/// What kind of argument a conversion takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// An `int`, also one of which less is used.
    Int,
    /// 64 bits, or a pointer.
    Long,
    Double,
    LongDouble,
}

impl Conversion {
    /// The argument it takes, if it takes one.
    pub fn kind(&self) -> Option<Kind> {
        Some(match self.letter {
            b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'b' | b'B' => match self.length {
                Length::Long | Length::LongLong => Kind::Long,
                _ => Kind::Int,
            },
            b'c' | b'C' => Kind::Int,
            b's' | b'S' | b'p' | b'n' => Kind::Long,
            b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => match self.length {
                Length::LongLong => Kind::LongDouble,
                _ => Kind::Double,
            },
            _ => return None,
        })
    }

    /// The bits of an integer argument that count.
    pub fn bits(&self) -> u32 {
        match (self.letter, self.length) {
            (b'p' | b's' | b'S' | b'n', _) => 64,
            (b'C', _) | (b'c', Length::Long) => 32,
            (b'c', _) => 8,
            (_, Length::Char) => 8,
            (_, Length::Short) => 16,
            (_, Length::Int) => 32,
            (_, Length::Long | Length::LongLong) => 64,
        }
    }
}

/// Reads a format piece by piece.
struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn number(&mut self) -> Result<u32, Trouble> {
        let mut value = 0u32;
        while self.peek().is_ascii_digit() {
            let digit = u32::from(self.peek() - b'0');
            value = value
                .checked_mul(10)
                .and_then(|value| value.checked_add(digit))
                .filter(|&value| value <= i32::MAX as u32)
                .ok_or(Trouble::Overflow)?;
            self.at += 1;
        }
        Ok(value)
    }

    /// A number with a dollar sign behind it, counted from 0; without one, nothing is read.
    fn position(&mut self) -> Result<Option<usize>, Trouble> {
        let start = self.at;
        if matches!(self.peek(), b'1'..=b'9') {
            let number = self.number()?;
            if self.peek() == b'$' {
                self.at += 1;
                return Ok(Some(number as usize - 1));
            }
        }
        self.at = start;
        Ok(None)
    }

    fn field(&mut self) -> Result<Option<Field>, Trouble> {
        if self.peek() == b'*' {
            self.at += 1;
            return Ok(Some(Field::Argument(self.position()?)));
        }
        if self.peek().is_ascii_digit() {
            return Ok(Some(Field::Number(self.number()?)));
        }
        Ok(None)
    }

    fn flags(&mut self) -> Flags {
        let mut flags = Flags::default();
        loop {
            match self.peek() {
                b'-' => flags.left = true,
                b'+' => flags.plus = true,
                b' ' => flags.space = true,
                b'#' => flags.alternate = true,
                b'0' => flags.zero = true,
                b'\'' => flags.group = true,
                b'I' => flags.local = true,
                _ => return flags,
            }
            self.at += 1;
        }
    }

    fn length(&mut self) -> Length {
        let twice = self.text.get(self.at + 1) == self.text.get(self.at);
        let (length, bytes) = match self.peek() {
            b'h' if twice => (Length::Char, 2),
            b'h' => (Length::Short, 1),
            b'l' if twice => (Length::LongLong, 2),
            b'l' | b'z' | b'Z' | b'j' | b't' => (Length::Long, 1),
            b'L' | b'q' => (Length::LongLong, 1),
            _ => (Length::Int, 0),
        };
        self.at += bytes;
        length
    }

    /// What follows a percent sign.
    fn conversion(&mut self) -> Result<Conversion, Trouble> {
        let position = self.position()?;
        let flags = self.flags();
        let width = self.field()?;
        let mut precision = None;
        if self.peek() == b'.' {
            self.at += 1;
            precision = Some(self.field()?.unwrap_or(Field::Number(0)));
        }
        let length = self.length();
        let letter = self.peek();
        if letter == 0 {
            return Err(Trouble::Unfinished);
        }
        self.at += 1;
        Ok(Conversion {
            position,
            flags,
            width,
            precision,
            length,
            letter,
        })
    }
}

/// Cuts a format into its pieces.
pub fn pieces(text: &[u8]) -> Result<Vec<Piece<'_>>, Trouble> {
    let mut pieces = Vec::new();
    let mut reader = Reader { text, at: 0 };
    while reader.at < text.len() {
        let rest = &text[reader.at..];
        let plain = rest
            .iter()
            .position(|&byte| byte == b'%')
            .unwrap_or(rest.len());
        if plain > 0 {
            pieces.push(Piece::Text(&rest[..plain]));
            reader.at += plain;
            continue;
        }
        reader.at += 1;
        pieces.push(Piece::Conversion(reader.conversion()?));
    }
    Ok(pieces)
}

/// One piece with the numbers of the arguments it takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step<'a> {
    Text(&'a [u8]),
    Convert {
        conversion: Conversion,
        width: Option<usize>,
        precision: Option<usize>,
        value: Option<usize>,
    },
}

/// The steps of a format, and the kind of every argument in the order they were passed.
pub fn plan(text: &[u8]) -> Result<(Vec<Step<'_>>, Vec<Kind>), Trouble> {
    /// More arguments than a call could have.
    const MOST_ARGUMENTS: usize = 1 << 16;
    let mut kinds: Vec<Option<Kind>> = Vec::new();
    let mut next = 0;
    let mut take = |position: Option<usize>, kind: Kind| {
        let index = position.unwrap_or(next);
        next += usize::from(position.is_none());
        if index >= MOST_ARGUMENTS {
            return Err(Trouble::Overflow);
        }
        if kinds.len() <= index {
            kinds.resize(index + 1, None);
        }
        kinds[index] = Some(kind);
        Ok(index)
    };
    let mut steps = Vec::new();
    for piece in pieces(text)? {
        let conversion = match piece {
            Piece::Text(text) => {
                steps.push(Step::Text(text));
                continue;
            }
            Piece::Conversion(conversion) => conversion,
        };
        let mut field = |field: Option<Field>| match field {
            Some(Field::Argument(position)) => take(position, Kind::Int).map(Some),
            _ => Ok(None),
        };
        let width = field(conversion.width)?;
        let precision = field(conversion.precision)?;
        let value = match conversion.kind() {
            Some(kind) => Some(take(conversion.position, kind)?),
            None => None,
        };
        steps.push(Step::Convert {
            conversion,
            width,
            precision,
            value,
        });
    }
    // A position that nothing names is taken for an `int`.
    let kinds = kinds
        .into_iter()
        .map(|kind| kind.unwrap_or(Kind::Int))
        .collect();
    Ok((steps, kinds))
}

impl Step<'_> {
    /// Whether it tells the program how much was written before.
    pub fn counts(&self) -> bool {
        matches!(self, Step::Convert { conversion, .. } if conversion.letter == b'n')
    }
}

/// A conversion whose width and precision are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spec {
    pub flags: Flags,
    pub width: usize,
    pub precision: Option<usize>,
    pub letter: u8,
}

impl Spec {
    /// What is known without arguments.
    pub fn new(conversion: &Conversion) -> Spec {
        let number = |field: Option<Field>| match field {
            Some(Field::Number(number)) => Some(number as usize),
            _ => None,
        };
        Spec {
            flags: conversion.flags,
            width: number(conversion.width).unwrap_or(0),
            precision: number(conversion.precision),
            letter: conversion.letter,
        }
    }

    /// Sets a width that an argument gave: a negative one is also a flag.
    pub fn set_width(&mut self, width: i32) {
        self.flags.left |= width < 0;
        self.width = width.unsigned_abs() as usize;
    }

    /// Sets a precision that an argument gave: a negative one is none.
    pub fn set_precision(&mut self, precision: i32) {
        self.precision = usize::try_from(precision).ok();
    }

    /// How many spaces go before and behind a text of so many bytes.
    pub fn padding(&self, len: usize) -> (usize, usize) {
        let missing = self.width.saturating_sub(len);
        if self.flags.left {
            (0, missing)
        } else {
            (missing, 0)
        }
    }

    /// A text with spaces around it.
    pub fn padded(&self, text: &[u8]) -> Vec<u8> {
        let (before, behind) = self.padding(text.len());
        let mut out = vec![b' '; before];
        out.extend_from_slice(text);
        out.resize(out.len() + behind, b' ');
        out
    }

    /// A number from its parts: zeros, if asked for, go behind the sign and the prefix.
    fn number(&self, prefix: &[u8], digits: &[u8], may_fill: bool) -> Vec<u8> {
        let mut out = prefix.to_vec();
        if may_fill && self.flags.zero && !self.flags.left {
            let zeros = self.width.saturating_sub(prefix.len() + digits.len());
            out.resize(out.len() + zeros, b'0');
        }
        out.extend_from_slice(digits);
        self.padded(&out)
    }

    fn sign(&self, negative: bool) -> &'static [u8] {
        match (negative, self.flags.plus, self.flags.space) {
            (true, ..) => b"-",
            (_, true, _) => b"+",
            (_, _, true) => b" ",
            _ => b"",
        }
    }

    /// A conversion that does not exist is printed as it was understood.
    pub fn unknown(&self) -> Vec<u8> {
        let mut out = vec![b'%'];
        let flags = self.flags;
        let shown = [
            (flags.alternate, b'#'),
            (flags.group, b'\''),
            (flags.plus, b'+'),
            (flags.space && !flags.plus, b' '),
            (flags.left, b'-'),
            (flags.zero && !flags.left, b'0'),
            (flags.local, b'I'),
        ];
        out.extend(
            shown
                .iter()
                .filter(|(is_set, _)| *is_set)
                .map(|&(_, sign)| sign),
        );
        if self.width != 0 {
            out.extend_from_slice(self.width.to_string().as_bytes());
        }
        if let Some(precision) = self.precision {
            out.push(b'.');
            out.extend_from_slice(precision.to_string().as_bytes());
        }
        out.push(self.letter);
        out
    }
}

/// An integer of so many bits: `d i o u x X b B`.
pub fn integer(spec: &Spec, bits: u32, value: u64) -> Vec<u8> {
    let shift = 64 - bits.clamp(1, 64);
    let is_signed = matches!(spec.letter, b'd' | b'i');
    let negative = is_signed && ((value << shift) as i64) < 0;
    let value = if is_signed {
        (((value << shift) as i64) >> shift).unsigned_abs()
    } else {
        value << shift >> shift
    };
    let mut digits = match spec.letter {
        b'o' => format!("{value:o}"),
        b'x' => format!("{value:x}"),
        b'X' => format!("{value:X}"),
        b'b' | b'B' => format!("{value:b}"),
        _ => value.to_string(),
    };
    if value == 0 && spec.precision == Some(0) {
        digits.clear();
    }
    let mut prefix = if is_signed {
        spec.sign(negative).to_vec()
    } else {
        Vec::new()
    };
    if spec.flags.alternate && value != 0 && matches!(spec.letter, b'x' | b'X' | b'b' | b'B') {
        prefix.extend_from_slice(&[b'0', spec.letter]);
    }
    let digits = with_precision(
        digits,
        spec.precision,
        spec.flags.alternate && spec.letter == b'o',
    );
    spec.number(&prefix, digits.as_bytes(), spec.precision.is_none())
}

fn with_precision(digits: String, precision: Option<usize>, octal: bool) -> String {
    let zeros = precision.unwrap_or(0).saturating_sub(digits.len());
    let mut filled = "0".repeat(zeros) + &digits;
    if octal && !filled.starts_with('0') {
        filled.insert(0, '0');
    }
    filled
}

/// A pointer.
pub fn pointer(spec: &Spec, address: u64) -> Vec<u8> {
    if address == 0 {
        return spec.padded(b"(nil)");
    }
    let mut prefix = spec.sign(false).to_vec();
    prefix.extend_from_slice(b"0x");
    let digits = with_precision(format!("{address:x}"), spec.precision, false);
    spec.number(&prefix, digits.as_bytes(), spec.precision.is_none())
}

/// What a null pointer is as a string.
pub fn null_string(spec: &Spec) -> Vec<u8> {
    let fits = spec.precision.is_none_or(|precision| precision >= 6);
    spec.padded(if fits { b"(null)" } else { b"" })
}

/// A float as exact number: `mantissa * 2^exponent`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Real {
    pub negative: bool,
    pub size: Size,
    /// Hexadecimal digits are counted from where the format keeps them.
    layout: Layout,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    Nan,
    Infinite,
    Finite { mantissa: u64, exponent: i32 },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Layout {
    /// One bit before the point, 52 behind it.
    Double,
    /// Four bits before the point, 60 behind it.
    Extended,
    /// The same, below the normal numbers, but with the first bit set as they have it.
    PseudoDenormal,
}

impl Real {
    pub fn from_double(value: f64) -> Real {
        let bits = value.to_bits();
        let fraction = bits & ((1 << 52) - 1);
        let size = match bits >> 52 & 0x7ff {
            0x7ff if fraction != 0 => Size::Nan,
            0x7ff => Size::Infinite,
            0 => Size::Finite {
                mantissa: fraction,
                exponent: -1074,
            },
            exponent => Size::Finite {
                mantissa: fraction | 1 << 52,
                exponent: exponent as i32 - 1075,
            },
        };
        Real {
            negative: value.is_sign_negative(),
            size,
            layout: Layout::Double,
        }
    }

    /// From the 80 bits of an x87 long double.
    pub fn from_extended(mantissa: u64, sign_and_exponent: u16) -> Real {
        let top_bit = mantissa >> 63 != 0;
        let size = match sign_and_exponent & 0x7fff {
            0x7fff if mantissa << 1 != 0 => Size::Nan,
            0x7fff if top_bit => Size::Infinite,
            0 => Size::Finite {
                mantissa,
                exponent: -16445,
            },
            exponent if top_bit => Size::Finite {
                mantissa,
                exponent: i32::from(exponent) - 16446,
            },
            // The processor takes these for nothing valid.
            _ => Size::Nan,
        };
        let is_normal = sign_and_exponent & 0x7fff != 0;
        Real {
            negative: sign_and_exponent >> 15 != 0,
            size,
            layout: match top_bit && !is_normal {
                true => Layout::PseudoDenormal,
                false => Layout::Extended,
            },
        }
    }
}

/// A float: `e f g a` and their capitals.
pub fn float(spec: &Spec, real: Real) -> Vec<u8> {
    let sign = spec.sign(real.negative);
    let capital = spec.letter.is_ascii_uppercase();
    let (mantissa, exponent) = match real.size {
        Size::Finite { mantissa, exponent } => (mantissa, exponent),
        other => {
            let word: &[u8] = match (other, capital) {
                (Size::Nan, false) => b"nan",
                (Size::Nan, true) => b"NAN",
                (_, false) => b"inf",
                (_, true) => b"INF",
            };
            return spec.number(sign, word, false);
        }
    };
    if spec.letter | 32 == b'a' {
        let mut prefix = sign.to_vec();
        prefix.extend_from_slice(if capital { b"0X" } else { b"0x" });
        let text = hexadecimal(spec, mantissa, exponent, real.layout);
        return spec.number(&prefix, text.as_bytes(), true);
    }
    // The host's decimals leave the first bit out where it should not be set, unless it is the only one.
    let rest = mantissa & (u64::MAX >> 1);
    let mantissa = match real.layout {
        Layout::PseudoDenormal if rest != 0 => rest,
        _ => mantissa,
    };
    let decimal = Decimal::exact(mantissa, exponent);
    let precision = spec.precision.unwrap_or(6);
    let mut text = match spec.letter | 32 {
        b'f' => decimal.fixed(precision, spec.flags.alternate),
        b'e' => decimal.scientific(precision, spec.flags.alternate),
        _ => decimal.general(precision, spec.flags.alternate),
    };
    if capital {
        text.make_ascii_uppercase();
    }
    spec.number(sign, text.as_bytes(), true)
}

/// The digits from the first that is not zero on, with the point before the digit of index `point`, which may be
/// outside; the digits end with the last that is not zero.
struct Decimal {
    digits: Vec<u8>,
    point: i64,
}

/// Digits of one limb.
const LIMB_DIGITS: usize = 9;
const LIMB: u32 = 1_000_000_000;

impl Decimal {
    /// All digits of `mantissa * 2^exponent`.
    fn exact(mantissa: u64, exponent: i32) -> Decimal {
        // Limbs of nine digits, most significant first, `whole` of them before the point.
        let limb = u64::from(LIMB);
        let mut limbs = vec![
            (mantissa / limb / limb) as u32,
            (mantissa / limb % limb) as u32,
            (mantissa % limb) as u32,
        ];
        let mut whole = limbs.len();
        let mut up = exponent.max(0) as u32;
        while up > 0 {
            let shift = up.min(29);
            let mut carry = 0u64;
            for limb in limbs.iter_mut().rev() {
                let sum = (u64::from(*limb) << shift) + carry;
                *limb = (sum % u64::from(LIMB)) as u32;
                carry = sum / u64::from(LIMB);
            }
            if carry > 0 {
                limbs.insert(0, carry as u32);
                whole += 1;
            }
            up -= shift;
        }
        let mut down = exponent.min(0).unsigned_abs();
        // Limbs before this one are zero.
        let mut first = 0;
        while down > 0 {
            // A limb is a multiple of 2^9, so what falls off goes into the next one whole.
            let shift = down.min(9);
            let mut carry = 0u32;
            for limb in &mut limbs[first..] {
                let falls = *limb & ((1 << shift) - 1);
                *limb = (*limb >> shift) + carry;
                carry = (LIMB >> shift) * falls;
            }
            if carry > 0 {
                limbs.push(carry);
            }
            while limbs.get(first) == Some(&0) {
                first += 1;
            }
            down -= shift;
        }
        let mut digits = Vec::with_capacity(limbs.len() * LIMB_DIGITS);
        for mut limb in limbs {
            let start = digits.len();
            digits.resize(start + LIMB_DIGITS, b'0');
            for digit in digits[start..].iter_mut().rev() {
                *digit = b'0' + (limb % 10) as u8;
                limb /= 10;
            }
        }
        let leading = digits.iter().take_while(|&&digit| digit == b'0').count();
        let mut decimal = Decimal {
            point: (whole * LIMB_DIGITS) as i64 - leading as i64,
            digits: digits.split_off(leading),
        };
        decimal.trim();
        decimal
    }

    fn trim(&mut self) {
        while self.digits.last() == Some(&b'0') {
            self.digits.pop();
        }
        if self.digits.is_empty() {
            // Zero has one digit before the point.
            self.point = 1;
        }
    }

    /// Only the first `keep` digits, the last of them rounded to nearest, to even between two.
    fn rounded(&self, keep: i64) -> Decimal {
        let mut cut = Decimal {
            digits: self.digits.clone(),
            point: self.point,
        };
        let Ok(keep) = usize::try_from(keep) else {
            // Less than a tenth of the last digit wanted.
            cut.digits.clear();
            cut.trim();
            return cut;
        };
        let Some(&next) = self.digits.get(keep) else {
            return cut;
        };
        cut.digits.truncate(keep);
        let is_odd = cut.digits.last().is_some_and(|digit| digit % 2 == 1);
        // The digits end with one that is not zero: anything behind is more than nothing.
        let above_half = next > b'5' || (next == b'5' && (self.digits.len() > keep + 1 || is_odd));
        if above_half {
            let mut carry = true;
            for digit in cut.digits.iter_mut().rev() {
                if *digit == b'9' {
                    *digit = b'0';
                } else {
                    *digit += 1;
                    carry = false;
                    break;
                }
            }
            if carry {
                cut.digits.insert(0, b'1');
                cut.point += 1;
            }
        }
        cut.trim();
        cut
    }

    /// The digit before the point that stands for `10^place`, or behind it for negative places.
    fn digit(&self, place: i64) -> u8 {
        let index = self.point - 1 - place;
        let index = usize::try_from(index).ok();
        index
            .and_then(|index| self.digits.get(index).copied())
            .unwrap_or(b'0')
    }

    /// The power of ten of the first digit.
    fn scale(&self) -> i64 {
        self.point - 1
    }

    fn fixed(&self, precision: usize, keep_point: bool) -> String {
        let rounded = self.rounded(self.point + precision as i64);
        let mut text = String::new();
        for place in (0..=rounded.scale().max(0)).rev() {
            text.push(char::from(rounded.digit(place)));
        }
        rounded.fraction(&mut text, -1, precision, keep_point);
        text
    }

    /// A point and the digits from a place on.
    fn fraction(&self, text: &mut String, from: i64, count: usize, keep_point: bool) {
        if count > 0 || keep_point {
            text.push('.');
        }
        for index in 0..count as i64 {
            text.push(char::from(self.digit(from - index)));
        }
    }

    fn scientific(&self, precision: usize, keep_point: bool) -> String {
        let rounded = self.rounded(precision as i64 + 1);
        let scale = rounded.scale();
        let mut text = String::from(char::from(rounded.digit(scale)));
        rounded.fraction(&mut text, scale - 1, precision, keep_point);
        let sign = if scale < 0 { '-' } else { '+' };
        text + &format!("e{sign}{:02}", scale.abs())
    }

    fn general(&self, precision: usize, alternate: bool) -> String {
        let precision = precision.max(1);
        let rounded = self.rounded(precision as i64);
        let scale = rounded.scale();
        let is_fixed = scale >= -4 && scale < precision as i64;
        // Unless asked for, zeros at the end are not written.
        let needed = |count: i64| count.clamp(0, i64::MAX) as usize;
        if is_fixed {
            let written = rounded.digits.len() as i64 - rounded.point;
            let count = if alternate {
                precision as i64 - 1 - scale
            } else {
                written
            };
            rounded.fixed(needed(count), alternate)
        } else {
            let written = rounded.digits.len() as i64 - 1;
            let count = if alternate {
                precision as i64 - 1
            } else {
                written
            };
            rounded.scientific(needed(count), alternate)
        }
    }
}

/// The digits and exponent of `%a`, without sign and prefix.
fn hexadecimal(spec: &Spec, mantissa: u64, exponent: i32, layout: Layout) -> String {
    let behind = match layout {
        Layout::Double => 52,
        Layout::Extended | Layout::PseudoDenormal => 60,
    };
    let mut scale = if mantissa == 0 { 0 } else { exponent + behind };
    let mut leading = mantissa >> behind;
    let mut fraction = mantissa & ((1 << behind) - 1);
    let digits = behind as usize / 4;
    if let Some(precision) = spec.precision.filter(|&precision| precision < digits) {
        let dropped = 4 * (digits - precision) as u32;
        let mut kept = mantissa >> dropped;
        let rest = mantissa & ((1 << dropped) - 1);
        let half = 1u64 << (dropped - 1);
        let up = rest > half || (rest == half && kept & 1 == 1);
        kept += u64::from(up);
        let kept_bits = behind as u32 - dropped;
        leading = kept >> kept_bits;
        fraction = (kept & ((1 << kept_bits) - 1)) << dropped;
        if leading > 15 {
            leading = 1;
            scale += 4;
        }
    }
    let mut text = format!("{leading:x}");
    let mut shown = format!("{fraction:0digits$x}");
    match spec.precision {
        Some(precision) => {
            shown.truncate(precision);
            shown += &"0".repeat(precision - shown.len());
        }
        None => shown.truncate(shown.trim_end_matches('0').len()),
    }
    if !shown.is_empty() || spec.flags.alternate {
        text.push('.');
    }
    text += &shown;
    let sign = if scale < 0 { '-' } else { '+' };
    text += &format!("p{sign}{}", scale.abs());
    if spec.letter == b'A' {
        text.make_ascii_uppercase();
    }
    text
}
