//! The reading of floats from text, rounded correctly.

use rustc_apfloat::Float;
use rustc_apfloat::ieee::X87DoubleExtended;

use refrain_term::Term;

use super::{Call, Flow, NativeFn, errno};
use crate::machine::Halt;
use crate::memory::Value;

pub const TABLE: &[(&str, NativeFn)] = &[
    ("__refrain_parse_f64", parse_double),
    ("__refrain_parse_f32", parse_single),
    ("__refrain_parse_ld", parse_extended),
    ("strtold", strtold),
    ("strtold_l", strtold),
    ("__strtold_internal", strtold),
    ("__strtold_l", strtold),
];

/// A binary format: bits of the significand, the implicit one included, and the exponents of the last bit of the
/// largest and of the smallest numbers.
struct Binary {
    precision: u32,
    most: i64,
    least: i64,
}

const SINGLE: Binary = Binary {
    precision: 24,
    most: 104,
    least: -149,
};
const DOUBLE: Binary = Binary {
    precision: 53,
    most: 971,
    least: -1074,
};
const EXTENDED: Binary = Binary {
    precision: 64,
    most: 16320,
    least: -16445,
};

/// A number as text: an optional sign, then a decimal or hexadecimal constant.
struct Constant {
    negative: bool,
    hexadecimal: bool,
    /// The values of the digits of the significand from the first that is not zero on.
    digits: Vec<u8>,
    /// The power of ten or two of the last of them.
    exponent: i64,
}

fn constant(text: &[u8]) -> Constant {
    let (negative, text) = match text.first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let hexadecimal = text.len() > 2 && text[0] == b'0' && text[1] | 32 == b'x';
    let text = if hexadecimal { &text[2..] } else { text };
    let (radix, letter, step) = if hexadecimal {
        (16, b'p', 4)
    } else {
        (10, b'e', 1)
    };
    let end = text
        .iter()
        .position(|&byte| byte | 32 == letter)
        .unwrap_or(text.len());
    let mut digits = Vec::new();
    let mut exponent = 0i64;
    let mut behind_point = false;
    for &byte in &text[..end] {
        if let Some(digit) = char::from(byte).to_digit(radix) {
            if digit != 0 || !digits.is_empty() {
                digits.push(digit as u8);
            }
            exponent -= if behind_point { step } else { 0 };
        } else {
            behind_point = true;
        }
    }
    if let Some((sign, power)) = text.get(end + 1..).and_then(<[u8]>::split_first) {
        let (is_negative, power) = match sign {
            b'-' => (true, power),
            b'+' => (false, power),
            _ => (false, &text[end + 1..]),
        };
        // Far beyond what any format holds, more makes no difference.
        let number = power.iter().fold(0i64, |number, &byte| {
            (number * 10 + i64::from(byte.wrapping_sub(b'0'))).min(1 << 40)
        });
        exponent += if is_negative { -number } else { number };
    }
    Constant {
        negative,
        hexadecimal,
        digits,
        exponent,
    }
}

/// The nearest number of a format: its significand and the exponent of its last bit. `None` if it is too large.
fn round_hexadecimal(constant: &Constant, format: &Binary) -> Option<(u64, i64)> {
    // More digits than any format has, and whether something follows.
    const KEPT: usize = 24;
    let mut significand = constant
        .digits
        .iter()
        .take(KEPT)
        .fold(0u128, |value, &digit| value << 4 | u128::from(digit));
    let dropped = constant.digits.len().saturating_sub(KEPT);
    let mut exponent = constant.exponent + 4 * dropped as i64;
    let is_inexact = constant.digits.iter().skip(KEPT).any(|&digit| digit != 0);
    significand = significand << 1 | u128::from(is_inexact);
    exponent -= 1;
    let bits = i64::from(128 - significand.leading_zeros());
    let last = (exponent + bits - i64::from(format.precision)).max(format.least);
    let mut kept = if last <= exponent {
        significand << (exponent - last).min(127)
    } else {
        let shift = last - exponent;
        if shift > 127 {
            0
        } else {
            let (kept, rest) = (significand >> shift, significand & ((1 << shift) - 1));
            let half = 1u128 << (shift - 1);
            kept + u128::from(rest > half || (rest == half && kept & 1 == 1))
        }
    };
    let mut last = last;
    if kept >> format.precision != 0 {
        kept >>= 1;
        last += 1;
    }
    (last <= format.most).then_some((kept as u64, last))
}

fn decimal_text(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// The double nearest to a constant.
pub fn double(text: &[u8]) -> f64 {
    let constant = constant(text);
    let magnitude = if constant.digits.is_empty() {
        0.0
    } else if constant.hexadecimal {
        match round_hexadecimal(&constant, &DOUBLE) {
            None => f64::INFINITY,
            Some((significand, _)) if significand >> 52 == 0 => f64::from_bits(significand),
            Some((significand, last)) => {
                f64::from_bits(((last + 1075) as u64) << 52 | significand & !(1 << 52))
            }
        }
    } else {
        decimal_text(text).parse::<f64>().map_or(0.0, f64::abs)
    };
    if constant.negative {
        -magnitude
    } else {
        magnitude
    }
}

/// The float nearest to a constant.
pub fn single(text: &[u8]) -> f32 {
    let constant = constant(text);
    let magnitude = if constant.digits.is_empty() {
        0.0
    } else if constant.hexadecimal {
        match round_hexadecimal(&constant, &SINGLE) {
            None => f32::INFINITY,
            Some((significand, _)) if significand >> 23 == 0 => f32::from_bits(significand as u32),
            Some((significand, last)) => {
                f32::from_bits(((last + 150) as u32) << 23 | significand as u32 & !(1 << 23))
            }
        }
    } else {
        decimal_text(text).parse::<f32>().map_or(0.0, f32::abs)
    };
    if constant.negative {
        -magnitude
    } else {
        magnitude
    }
}

const EXTENDED_INFINITY: (u64, u16) = (1 << 63, 0x7fff);

/// The x87 long double nearest to a constant: its significand, and its sign and exponent.
pub fn extended(text: &[u8]) -> (u64, u16) {
    let constant = constant(text);
    let (significand, exponent) = if constant.digits.is_empty() {
        (0, 0)
    } else if constant.hexadecimal {
        match round_hexadecimal(&constant, &EXTENDED) {
            None => EXTENDED_INFINITY,
            Some((significand, _)) if significand >> 63 == 0 => (significand, 0),
            Some((significand, last)) => (significand, (last + 16446) as u16),
        }
    } else {
        extended_decimal(&constant)
    };
    (significand, exponent | u16::from(constant.negative) << 15)
}

fn extended_decimal(constant: &Constant) -> (u64, u16) {
    let scale = constant.exponent + constant.digits.len() as i64;
    if scale > 5000 {
        return EXTENDED_INFINITY;
    }
    if scale < -5000 {
        return (0, 0);
    }
    let mut text: String = constant
        .digits
        .iter()
        .map(|&digit| char::from(b'0' + digit))
        .collect();
    text += &format!("e{}", constant.exponent);
    let bits = text.parse::<X87DoubleExtended>().map_or(0, Float::to_bits);
    (bits as u64, (bits >> 64) as u16)
}

/// What `strtold` found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    Nothing,
    Infinity,
    Nan,
    Number,
}

/// The longest start of a text that is a float: what it is, and where it starts, sign included, and ends.
pub fn scan(text: &[u8]) -> (Found, usize, usize) {
    let at = |index: usize| text.get(index).copied().unwrap_or(0);
    let says = |index: usize, word: &[u8]| {
        word.iter()
            .enumerate()
            .all(|(offset, &byte)| at(index + offset) | 32 == byte)
    };
    let is_space = |byte: u8| byte == b' ' || (9..=13).contains(&byte);
    let start = text
        .iter()
        .position(|&byte| !is_space(byte))
        .unwrap_or(text.len());
    let mut i = start + usize::from(matches!(at(start), b'-' | b'+'));
    if says(i, b"inf") {
        let end = if says(i + 3, b"inity") { i + 8 } else { i + 3 };
        return (Found::Infinity, start, end);
    }
    if says(i, b"nan") {
        let mut end = i + 3;
        if at(end) == b'(' {
            let mut close = end + 1;
            while at(close).is_ascii_alphanumeric() || at(close) == b'_' {
                close += 1;
            }
            if at(close) == b')' {
                end = close + 1;
            }
        }
        return (Found::Nan, start, end);
    }
    let is_digit = |index: usize, radix: u32| char::from(at(index)).is_digit(radix);
    let mut radix = 10;
    if at(i) == b'0'
        && at(i + 1) | 32 == b'x'
        && (is_digit(i + 2, 16) || (at(i + 2) == b'.' && is_digit(i + 3, 16)))
    {
        radix = 16;
        i += 2;
    }
    let (mut any, mut point) = (false, false);
    loop {
        if is_digit(i, radix) {
            any = true;
        } else if at(i) == b'.' && !point {
            point = true;
        } else {
            break;
        }
        i += 1;
    }
    if !any {
        return (Found::Nothing, start, 0);
    }
    if at(i) | 32 == if radix == 16 { b'p' } else { b'e' } {
        let mut end = i + 1;
        end += usize::from(matches!(at(end), b'-' | b'+'));
        if is_digit(end, 10) {
            while is_digit(end, 10) {
                end += 1;
            }
            i = end;
        }
    }
    (Found::Number, start, i)
}

fn text(call: &mut Call<'_>) -> Result<Vec<u8>, Halt> {
    let (address, len) = (call.number(0)?, call.number(1)?);
    call.bytes(address, len)
}

fn parse_double(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let text = text(call)?;
    Ok(Flow::value(double(&text).to_bits()))
}

fn parse_single(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let text = text(call)?;
    Ok(Flow::value(u64::from(single(&text).to_bits())))
}

fn parse_extended(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let text = text(call)?;
    let to = call.number(2)?;
    let (significand, exponent) = extended(&text);
    let mut bytes = significand.to_le_bytes().to_vec();
    bytes.extend_from_slice(&exponent.to_le_bytes());
    call.write_bytes(to, &bytes)?;
    Ok(Flow::void())
}

/// Whether a byte may be a part of a number, or in front of it.
fn belongs(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+-._() \t\n\r\x0b\x0c".contains(&byte)
}

/// Whether the start of a number, or what is in front of one, goes on with a byte.
fn continues(text: &[u8], byte: u8) -> bool {
    const RESTS: [&str; 14] = [
        "", "0", ")", "nfinity", "nf", "f", "inity", "nity", "ity", "ty", "y", "an", "n", "inf",
    ];
    let start = [text, &[byte]].concat();
    RESTS.iter().any(|rest| {
        let (found, _, end) = scan(&[&start, rest.as_bytes()].concat());
        found != Found::Nothing && end >= start.len()
    })
}

/// The bytes of a string that may belong to a number; what is symbolic beyond them stays so.
fn number_text(call: &mut Call<'_>, address: u64) -> Result<Vec<u8>, Halt> {
    let mut text = Vec::new();
    loop {
        let at = Value::Concrete(address.wrapping_add(text.len() as u64));
        let byte = call.machine.read(call.terms, call.state, at, 1)?;
        // All bytes that end the number are one path.
        if let Value::Symbolic(term) = byte {
            let bytes = (0..=u8::MAX).filter(|&byte| continues(&text, byte));
            let any: Vec<Term> = bytes
                .map(|byte| {
                    let byte = call.terms.bv(8, u64::from(byte));
                    call.terms.eq(term, byte)
                })
                .collect();
            let any = call.terms.or(&any);
            if !call.machine.decide(call.terms, call.state, any)? {
                return Ok(text);
            }
        }
        let byte = call.machine.fixed(call.terms, call.state, byte)? as u8;
        if !belongs(byte) {
            return Ok(text);
        }
        text.push(byte);
    }
}

fn strtold(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (address, end_out) = (call.number(0)?, call.number(1)?);
    let text = number_text(call, address)?;
    let (found, start, end) = scan(&text);
    let sign = u16::from(text.get(start) == Some(&b'-')) << 15;
    let (significand, exponent) = match found {
        Found::Nothing => (0, 0),
        Found::Infinity => (1 << 63, 0x7fff | sign),
        Found::Nan => (3 << 62, 0x7fff | sign),
        Found::Number => extended(&text[start..end]),
    };
    if end_out != 0 {
        call.write_bytes(end_out, &address.wrapping_add(end as u64).to_le_bytes())?;
    }
    let is_zero = found == Found::Number && constant(&text[start..end]).digits.is_empty();
    let is_extreme = matches!(exponent & 0x7fff, 0 | 0x7fff);
    if found == Found::Number && is_extreme && !is_zero {
        call.set_errno(errno::ERANGE);
    }
    Ok(Flow::Return(vec![
        Value::Concrete(significand),
        Value::Concrete(u64::from(exponent)),
    ]))
}
