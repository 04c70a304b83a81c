//! Small pieces of grammar that commands, sorts and terms share.

use crate::bytes;
use crate::error::{Failure, Result};
use crate::lexer::{Kind, Lexer, Token};

/// The next token, which must be of this kind.
pub fn expect(lexer: &mut Lexer, kind: Kind, what: &str) -> Result<Token> {
    let token = lexer.next_token()?;
    if token.kind == kind {
        Ok(token)
    } else {
        Err(unexpected(lexer, token, what))
    }
}

/// As many characters of a token are shown.
const SHOWN: usize = 40;

/// That something else was needed where `token` stands.
#[cold]
pub fn unexpected(lexer: &Lexer, token: Token, what: &str) -> Box<Failure> {
    let found = match token.kind {
        Kind::End => {
            return Failure::new(
                token.at,
                format!("unexpected end of input, {what} expected"),
            );
        }
        Kind::Open => "'('".to_owned(),
        Kind::Close => "')'".to_owned(),
        _ => {
            let closing = usize::from(matches!(token.kind, Kind::Str | Kind::Quoted));
            let all = lexer.slice(token.at, token.end + closing);
            // No character has more than four bytes.
            let text = bytes::text(&all[..all.len().min(4 * SHOWN)]);
            let shown: String = text.chars().take(SHOWN).collect();
            let rest = if bytes::raw(&shown).len() < all.len() {
                "…"
            } else {
                ""
            };
            format!("'{shown}{rest}'")
        }
    };
    Failure::new(token.at, format!("{what} expected, {found} found"))
}

/// The bytes of a symbol token.
pub fn symbol_bytes<'a>(lexer: &Lexer<'a>, token: Token, what: &str) -> Result<&'a [u8]> {
    match token.kind {
        Kind::Symbol | Kind::Quoted => Ok(lexer.bytes(token)),
        _ => Err(unexpected(lexer, token, what)),
    }
}

/// A symbol that a script gives a meaning to: not one of the grammar's own words.
pub fn new_symbol<'a>(lexer: &mut Lexer<'a>) -> Result<(Token, &'a [u8])> {
    let token = lexer.next_token()?;
    let name = symbol_bytes(lexer, token, "a symbol")?;
    if token.kind == Kind::Symbol
        && matches!(
            name,
            b"_" | b"!"
                | b"let"
                | b"as"
                | b"forall"
                | b"exists"
                | b"match"
                | b"par"
                | b"true"
                | b"false"
        )
    {
        return Err(unexpected(lexer, token, "a symbol"));
    }
    Ok((token, name))
}

/// A number in decimal digits, if it is below 2^64.
#[inline]
pub fn decimal(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || digits.len() > 20 {
        return None;
    }
    digits.iter().try_fold(0u64, |value, &digit| {
        if !digit.is_ascii_digit() {
            return None;
        }
        value.checked_mul(10)?.checked_add(u64::from(digit - b'0'))
    })
}

/// A numeral that is used as an index or a width.
#[inline]
pub fn index(lexer: &mut Lexer) -> Result<u32> {
    let token = lexer.next_token()?;
    if token.kind != Kind::Numeral {
        return Err(unexpected(lexer, token, "a numeral"));
    }
    match decimal(lexer.bytes(token)).and_then(|value| u32::try_from(value).ok()) {
        Some(value) => Ok(value),
        None => Err(Failure::new(token.at, "this number is too large")),
    }
}

/// Skips one s-expression and says where it began and ended.
pub fn skip_expression(lexer: &mut Lexer) -> Result<(usize, usize)> {
    let first = lexer.next_token()?;
    let mut depth = match first.kind {
        Kind::Open => 1u64,
        Kind::Close | Kind::End => return Err(unexpected(lexer, first, "an expression")),
        _ => 0,
    };
    while depth > 0 {
        let token = lexer.next_token()?;
        match token.kind {
            Kind::Open => depth += 1,
            Kind::Close => depth -= 1,
            Kind::End => return Err(unexpected(lexer, token, "')'")),
            _ => {}
        }
    }
    Ok((first.at, lexer.position()))
}
