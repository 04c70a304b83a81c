//! The lexer: bytes to tokens, on demand, without copying.
//!
//! A token is a kind and a range of the input. The bytes of a symbol are looked at twice, here and when it is looked
//! up; everything else once. Lines and columns are worked out only when something must be reported.

use crate::error::{Failure, Result};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Open,
    Close,
    /// A simple symbol, reserved words included.
    Symbol,
    /// What stands between the bars of a `|quoted symbol|`; the range leaves the bars out.
    Quoted,
    Numeral,
    Decimal,
    /// The digits of `#x…`.
    Hex,
    /// The digits of `#b…`.
    Binary,
    /// What stands between the quotes of a string, with `""` still doubled.
    Str,
    /// A keyword; the range leaves the colon out.
    Keyword,
    End,
}

#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub kind: Kind,
    /// Where the token begins, its bar, quote or colon included.
    pub at: usize,
    pub start: usize,
    pub end: usize,
}

/// What a byte can be part of.
mod class {
    pub const SPACE: u8 = 1;
    /// Letters, digits and the signs that simple symbols are made of.
    pub const SYMBOL: u8 = 2;
    pub const DIGIT: u8 = 4;
    pub const HEX: u8 = 8;
}

const CLASS: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        let mut bits = 0;
        if matches!(b, b' ' | b'\t' | b'\n' | b'\r') {
            bits |= class::SPACE;
        }
        if b.is_ascii_alphanumeric()
            || matches!(
                b,
                b'~' | b'!'
                    | b'@'
                    | b'$'
                    | b'%'
                    | b'^'
                    | b'&'
                    | b'*'
                    | b'_'
                    | b'-'
                    | b'+'
                    | b'='
                    | b'<'
                    | b'>'
                    | b'.'
                    | b'?'
                    | b'/'
            )
        {
            bits |= class::SYMBOL;
        }
        if b.is_ascii_digit() {
            bits |= class::DIGIT;
        }
        if b.is_ascii_hexdigit() {
            bits |= class::HEX;
        }
        table[byte] = bits;
        byte += 1;
    }
    table
};

/// Whether `text` may be written without bars.
pub fn is_simple_symbol(text: &[u8]) -> bool {
    !text.is_empty()
        && !text[0].is_ascii_digit()
        && text.iter().all(|&b| CLASS[b as usize] & class::SYMBOL != 0)
}

pub struct Lexer<'a> {
    input: &'a [u8],
    at: usize,
}

impl<'a> Lexer<'a> {
    pub fn new(input: &'a [u8], at: usize) -> Lexer<'a> {
        Lexer { input, at }
    }

    /// Where the next token is looked for.
    #[inline]
    pub fn position(&self) -> usize {
        self.at
    }

    /// What is left of the line, up to `limit` bytes.
    pub fn rest_of_line(&self, limit: usize) -> &'a [u8] {
        let rest = &self.input[self.at..];
        let rest = &rest[..rest.len().min(limit)];
        let line = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// Leaves out some bytes.
    pub fn advance(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Where the input ends.
    pub fn end(&self) -> usize {
        self.input.len()
    }

    /// A lexer at the same position, to look ahead with.
    pub fn fork(&self) -> Lexer<'a> {
        Lexer {
            input: self.input,
            at: self.at,
        }
    }

    #[inline]
    pub fn bytes(&self, token: Token) -> &'a [u8] {
        &self.input[token.start..token.end]
    }

    /// The input between two positions.
    pub fn slice(&self, from: usize, to: usize) -> &'a [u8] {
        &self.input[from..to]
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.input.get(self.at).copied()
    }

    /// Moves on while bytes are of a class.
    #[inline]
    fn skip(&mut self, class: u8) {
        let rest = &self.input[self.at..];
        self.at += rest
            .iter()
            .position(|&b| CLASS[b as usize] & class == 0)
            .unwrap_or(rest.len());
    }

    #[inline]
    fn skip_blank(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\n' | b'\t' | b'\r') => self.at += 1,
                Some(b';') => {
                    let rest = &self.input[self.at..];
                    self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    /// The next token; [`Kind::End`] at the end of the input, however often it is asked.
    #[inline]
    pub fn next_token(&mut self) -> Result<Token> {
        self.skip_blank();
        let at = self.at;
        let Some(byte) = self.peek() else {
            return Ok(Token {
                kind: Kind::End,
                at,
                start: at,
                end: at,
            });
        };
        let (kind, start) = match byte {
            b'(' => {
                self.at += 1;
                (Kind::Open, at)
            }
            b')' => {
                self.at += 1;
                (Kind::Close, at)
            }
            b'0'..=b'9' => return self.number(at),
            b'#' => return self.literal(at),
            b':' => {
                self.at += 1;
                self.skip(class::SYMBOL);
                if self.at == at + 1 {
                    return Err(Failure::new(at, "a keyword must follow ':'"));
                }
                (Kind::Keyword, at + 1)
            }
            b'|' => return self.enclosed(at, b'|', Kind::Quoted),
            b'"' => return self.string(at),
            _ if CLASS[byte as usize] & class::SYMBOL != 0 => {
                self.at += 1;
                self.skip(class::SYMBOL);
                (Kind::Symbol, at)
            }
            _ => return Err(self.unexpected_character(at)),
        };
        Ok(Token {
            kind,
            at,
            start,
            end: self.at,
        })
    }

    #[cold]
    fn unexpected_character(&self, at: usize) -> Box<Failure> {
        let head = &self.input[at..self.input.len().min(at + 4)];
        let valid = match std::str::from_utf8(head) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default(),
        };
        match valid.chars().next() {
            Some(c) => Failure::new(at, format!("unexpected character {c:?}")),
            None => Failure::new(
                at,
                format!("unexpected byte 0x{:02x}: not UTF-8", self.input[at]),
            ),
        }
    }

    fn number(&mut self, at: usize) -> Result<Token> {
        self.skip(class::DIGIT);
        let mut kind = Kind::Numeral;
        if self.peek() == Some(b'.') {
            self.at += 1;
            let digits = self.at;
            self.skip(class::DIGIT);
            if self.at == digits {
                return Err(Failure::new(at, "a digit must follow the decimal point"));
            }
            kind = Kind::Decimal;
        }
        if self
            .peek()
            .is_some_and(|b| CLASS[b as usize] & class::SYMBOL != 0)
        {
            self.skip(class::SYMBOL);
            return Err(Failure::new(at, "a symbol must not begin with a digit"));
        }
        Ok(Token {
            kind,
            at,
            start: at,
            end: self.at,
        })
    }

    /// `#x…` or `#b…`.
    #[inline]
    fn literal(&mut self, at: usize) -> Result<Token> {
        self.at += 1;
        let marker = self.peek();
        self.at += usize::from(marker.is_some());
        let start = self.at;
        let kind = match marker {
            Some(b'x') => {
                self.skip(class::HEX);
                Kind::Hex
            }
            Some(b'b') => {
                while let Some(b'0' | b'1') = self.peek() {
                    self.at += 1;
                }
                Kind::Binary
            }
            _ => {
                self.at = at + 1;
                return Err(Failure::new(at, "'#x' or '#b' expected"));
            }
        };
        if self.at == start {
            return Err(Failure::new(at, "invalid empty bit-vector literal"));
        }
        if self
            .peek()
            .is_some_and(|b| CLASS[b as usize] & class::SYMBOL != 0)
        {
            return Err(Failure::new(at, "invalid digit in a bit-vector literal"));
        }
        Ok(Token {
            kind,
            at,
            start,
            end: self.at,
        })
    }

    fn enclosed(&mut self, at: usize, by: u8, kind: Kind) -> Result<Token> {
        let start = at + 1;
        let rest = &self.input[start..];
        let Some(len) = rest.iter().position(|&b| b == by) else {
            self.at = self.input.len();
            return Err(Failure::new(at, "unterminated quoted symbol"));
        };
        self.at = start + len + 1;
        let text = &rest[..len];
        if text.contains(&b'\\') {
            return Err(Failure::new(at, "a quoted symbol must not contain '\\'"));
        }
        check_utf8(text, start)?;
        Ok(Token {
            kind,
            at,
            start,
            end: start + len,
        })
    }

    fn string(&mut self, at: usize) -> Result<Token> {
        let start = at + 1;
        let mut end = start;
        loop {
            match self.input[end..].iter().position(|&b| b == b'"') {
                None => {
                    self.at = self.input.len();
                    return Err(Failure::new(at, "unterminated string"));
                }
                Some(len) if self.input.get(end + len + 1) == Some(&b'"') => end += len + 2,
                Some(len) => {
                    end += len;
                    break;
                }
            }
        }
        self.at = end + 1;
        check_utf8(&self.input[start..end], start)?;
        Ok(Token {
            kind: Kind::Str,
            at,
            start,
            end,
        })
    }
}

fn check_utf8(text: &[u8], start: usize) -> Result<()> {
    match std::str::from_utf8(text) {
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::new(
            start + error.valid_up_to(),
            "this is not UTF-8",
        )),
    }
}

/// Finds where commands end, a piece of input at a time: the one thing that must be known before a command that is
/// still arriving can be parsed. It agrees with the lexer on what a parenthesis is and what is text.
#[derive(Clone, Default)]
pub struct Splitter {
    depth: u64,
    state: State,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Plain,
    Comment,
    Quoted,
    Str,
    /// Just after a quote that ends a string, unless another one follows.
    StrQuote,
    /// A token outside all parentheses, which no command begins with.
    Stray,
}

impl Splitter {
    /// Reads on from `from`; the end of the command, or of the stray token, if it is there.
    pub fn find_end(&mut self, input: &[u8], from: usize) -> Option<usize> {
        let mut at = from;
        while at < input.len() {
            let byte = input[at];
            match self.state {
                State::Plain => match byte {
                    b'(' => self.depth += 1,
                    b')' => {
                        if self.depth <= 1 {
                            self.depth = 0;
                            return Some(at + 1);
                        }
                        self.depth -= 1;
                    }
                    b';' => self.state = State::Comment,
                    b'|' => self.state = State::Quoted,
                    b'"' => self.state = State::Str,
                    _ if self.depth == 0 && CLASS[byte as usize] & class::SPACE == 0 => {
                        self.state = State::Stray
                    }
                    _ => {}
                },
                State::Comment => {
                    if byte == b'\n' {
                        self.state = State::Plain;
                    }
                }
                State::Quoted => {
                    if byte == b'|' {
                        self.state = State::Plain;
                        if self.depth == 0 {
                            return Some(at + 1);
                        }
                    }
                }
                State::Str => {
                    if byte == b'"' {
                        self.state = State::StrQuote;
                    }
                }
                State::StrQuote => {
                    if byte == b'"' {
                        self.state = State::Str;
                    } else {
                        self.state = State::Plain;
                        if self.depth == 0 {
                            return Some(at);
                        }
                        continue;
                    }
                }
                State::Stray => {
                    if CLASS[byte as usize] & class::SPACE != 0
                        || matches!(byte, b'(' | b')' | b'"' | b'|' | b';')
                    {
                        self.state = State::Plain;
                        return Some(at);
                    }
                }
            }
            at += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(input: &str) -> Vec<(Kind, &str)> {
        let mut lexer = Lexer::new(input.as_bytes(), 0);
        let mut found = Vec::new();
        loop {
            let token = lexer.next_token().expect("no lexical error");
            if token.kind == Kind::End {
                return found;
            }
            found.push((token.kind, &input[token.start..token.end]));
        }
    }

    #[test]
    fn tokens_of_every_kind() {
        let input = "(a |b c| ; comment (\n #xaF #b01 12 1.5 :key \"s\"\"t\" bv3 <=)";
        let expected = [
            (Kind::Open, "("),
            (Kind::Symbol, "a"),
            (Kind::Quoted, "b c"),
            (Kind::Hex, "aF"),
            (Kind::Binary, "01"),
            (Kind::Numeral, "12"),
            (Kind::Decimal, "1.5"),
            (Kind::Keyword, "key"),
            (Kind::Str, "s\"\"t"),
            (Kind::Symbol, "bv3"),
            (Kind::Symbol, "<="),
            (Kind::Close, ")"),
        ];
        assert_eq!(kinds(input), expected);
    }

    #[test]
    fn lexical_errors_say_where() {
        for (input, at) in [
            ("a {", 2),
            ("\"ab", 0),
            (" |x", 1),
            ("#q", 0),
            ("#x", 0),
            ("1a", 0),
            ("#b2", 0),
            (": ", 0),
        ] {
            let mut lexer = Lexer::new(input.as_bytes(), 0);
            let error = loop {
                match lexer.next_token() {
                    Ok(token) => assert!(token.kind != Kind::End, "{input:?} has an error"),
                    Err(error) => break error,
                }
            };
            assert_eq!(error.at, at, "{input:?}: {}", error.message);
        }
    }

    #[test]
    fn commands_end_where_their_parenthesis_closes() {
        let input = b"(a (b) |)| \")\"\")\" ; )\n ) x (c)";
        let mut splitter = Splitter::default();
        let mut ends = Vec::new();
        let mut at = 0;
        while let Some(end) = splitter.find_end(input, at) {
            ends.push(end);
            at = end;
        }
        assert_eq!(ends, [24, 26, 30]);
        // A byte at a time.
        let mut splitter = Splitter::default();
        let mut ends = Vec::new();
        let mut from = 0;
        for len in 0..=input.len() {
            match splitter.find_end(&input[..len], from) {
                Some(end) => {
                    ends.push(end);
                    from = end;
                }
                None => from = len,
            }
        }
        assert_eq!(ends, [24, 26, 30]);
    }
}
