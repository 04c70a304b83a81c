//! Literals: numbers and bit-vectors, of any length.

use refrain_term::{Bv, Rational, Sort, Term, Terms};

use crate::builtin::MAX_WIDTH;
use crate::error::{Failure, Result};
use crate::lexer::{Lexer, Token};

/// A numeral or a decimal, of any length.
#[inline]
pub fn number(terms: &mut Terms, lexer: &Lexer, token: Token, sort: Sort) -> Result<Term> {
    let value = std::str::from_utf8(lexer.bytes(token))
        .ok()
        .and_then(Rational::parse);
    let value = value.ok_or_else(|| Failure::new(token.at, "invalid number"))?;
    Ok(terms.number(sort, value))
}

#[inline]
pub fn hexadecimal(terms: &mut Terms, lexer: &Lexer, token: Token) -> Result<Term> {
    let digits = lexer.bytes(token);
    if digits.len() > 16 {
        return large_literal(terms, digits, digits.len() * 4, 16, token);
    }
    let value = digits.iter().fold(0u64, |value, &digit| {
        // '0'–'9' are 0x30 and up; 'A' and 'a' end in 1 and have bit 6 set.
        value << 4 | u64::from((digit & 15) + 9 * (digit >> 6))
    });
    Ok(terms.bv(digits.len() as u32 * 4, value))
}

#[inline]
pub fn binary(terms: &mut Terms, lexer: &Lexer, token: Token) -> Result<Term> {
    let digits = lexer.bytes(token);
    if digits.len() > 64 {
        return large_literal(terms, digits, digits.len(), 2, token);
    }
    let value = digits
        .iter()
        .fold(0u64, |value, &digit| value << 1 | u64::from(digit & 1));
    Ok(terms.bv(digits.len() as u32, value))
}

#[cold]
fn large_literal(
    terms: &mut Terms,
    digits: &[u8],
    width: usize,
    radix: u32,
    token: Token,
) -> Result<Term> {
    let too_wide = || {
        Failure::new(
            token.at,
            format!("bit-vectors have at most {MAX_WIDTH} bits"),
        )
    };
    let width = u32::try_from(width)
        .ok()
        .filter(|&width| width <= MAX_WIDTH)
        .ok_or_else(too_wide)?;
    let value = std::str::from_utf8(digits)
        .ok()
        .and_then(|digits| Bv::parse(width, digits, radix));
    let value = value.ok_or_else(|| Failure::new(token.at, "invalid bit-vector literal"))?;
    Ok(terms.constant(value))
}

/// `(_ bvN w)` with an N of 2^64 or more.
#[cold]
pub fn large_decimal(terms: &mut Terms, token: Token, digits: &[u8], width: u32) -> Result<Term> {
    if digits.is_empty() {
        return Err(Failure::new(token.at, "digits must follow 'bv'"));
    }
    // log2(10) is a little over 3.32: more digits than this cannot fit, whatever they are.
    let trimmed = digits
        .iter()
        .position(|&d| d != b'0')
        .map_or(&digits[..0], |first| &digits[first..]);
    let too_large = || Failure::new(token.at, format!("the number does not fit in {width} bits"));
    if trimmed.len() as u64 * 332 > u64::from(width) * 100 + 400 {
        return Err(too_large());
    }
    let text = std::str::from_utf8(digits).unwrap_or_default();
    let wide = Bv::parse(width + 64, text, 10).ok_or_else(too_large)?;
    if wide.leading_zeros() < 64 {
        return Err(too_large());
    }
    Ok(terms.constant(wide.extract(width - 1, 0)))
}
