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
    /// Not a token; never seen outside of the lexer.
    Bad,
}

impl Kind {
    /// How many bytes of the token stand before its text, and after it.
    #[inline(always)]
    fn fence(self) -> (usize, usize) {
        match self {
            Kind::Quoted | Kind::Str => (1, 1),
            Kind::Keyword => (1, 0),
            Kind::Hex | Kind::Binary => (2, 0),
            _ => (0, 0),
        }
    }
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
    /// Where the last token began.
    token: usize,
    /// What is wrong with the last token, if it is none.
    failure: Option<Box<Failure>>,
}

impl<'a> Lexer<'a> {
    pub fn new(input: &'a [u8], at: usize) -> Lexer<'a> {
        Lexer {
            input,
            at,
            token: at,
            failure: None,
        }
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
        Lexer::new(self.input, self.at)
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
                    self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    /// The next token; [`Kind::End`] at the end of the input, however often it is asked.
    ///
    /// What is found is put together where it is used: a `Result<Token>` that goes from call to call through memory
    /// costs more than finding the token.
    #[inline(always)]
    pub fn next_token(&mut self) -> Result<Token> {
        let kind = self.scan();
        if kind == Kind::Bad {
            return Err(self.take_failure());
        }
        let (before, after) = kind.fence();
        Ok(Token {
            kind,
            at: self.token,
            start: self.token + before,
            end: self.at - after,
        })
    }

    #[cold]
    fn take_failure(&mut self) -> Box<Failure> {
        self.failure
            .take()
            .unwrap_or_else(|| Failure::new(self.token, "invalid token"))
    }

    #[cold]
    fn bad(&mut self, at: usize, message: impl Into<String>) -> Kind {
        self.failure = Some(Failure::new(at, message));
        Kind::Bad
    }

    /// Moves from the end of one token to the end of the next.
    #[inline]
    fn scan(&mut self) -> Kind {
        self.skip_blank();
        self.token = self.at;
        let Some(byte) = self.peek() else {
            return Kind::End;
        };
        self.at += 1;
        match byte {
            b'(' => Kind::Open,
            b')' => Kind::Close,
            b'0'..=b'9' => self.number(),
            b'#' => self.literal(),
            b':' => {
                self.skip(class::SYMBOL);
                if self.at == self.token + 1 {
                    return self.bad(self.token, "a keyword must follow ':'");
                }
                Kind::Keyword
            }
            b'|' => self.quoted(),
            b'"' => self.string(),
            _ if CLASS[byte as usize] & class::SYMBOL != 0 => {
                self.skip(class::SYMBOL);
                Kind::Symbol
            }
            _ => {
                self.at = self.token;
                self.failure = Some(self.unexpected_character(self.token));
                Kind::Bad
            }
        }
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

    /// The rest of a number.
    #[inline]
    fn number(&mut self) -> Kind {
        self.skip(class::DIGIT);
        let mut kind = Kind::Numeral;
        if self.peek() == Some(b'.') {
            self.at += 1;
            let digits = self.at;
            self.skip(class::DIGIT);
            if self.at == digits {
                return self.bad(self.token, "a digit must follow the decimal point");
            }
            kind = Kind::Decimal;
        }
        if self.in_symbol() {
            self.skip(class::SYMBOL);
            return self.bad(self.token, "a symbol must not begin with a digit");
        }
        kind
    }

    #[inline]
    fn in_symbol(&self) -> bool {
        self.peek()
            .is_some_and(|b| CLASS[b as usize] & class::SYMBOL != 0)
    }

    /// The rest of `#x…` or `#b…`.
    #[inline]
    fn literal(&mut self) -> Kind {
        let marker = self.peek();
        let start = self.at + 1;
        let kind = match marker {
            Some(b'x') => {
                self.at = start;
                self.skip(class::HEX);
                Kind::Hex
            }
            Some(b'b') => {
                self.at = start;
                while let Some(b'0' | b'1') = self.peek() {
                    self.at += 1;
                }
                Kind::Binary
            }
            _ => return self.bad(self.token, "'#x' or '#b' expected"),
        };
        if self.at == start {
            return self.bad(self.token, "invalid empty bit-vector literal");
        }
        if self.in_symbol() {
            return self.bad(self.token, "invalid digit in a bit-vector literal");
        }
        kind
    }

    /// The rest of a `|quoted symbol|`.
    fn quoted(&mut self) -> Kind {
        let start = self.at;
        let rest = &self.input[start..];
        let Some(len) = memchr::memchr(b'|', rest) else {
            self.at = self.input.len();
            return self.bad(self.token, "unterminated quoted symbol");
        };
        self.at = start + len + 1;
        let text = &rest[..len];
        if text.contains(&b'\\') {
            return self.bad(self.token, "a quoted symbol must not contain '\\'");
        }
        Kind::Quoted
    }

    /// The rest of a string.
    fn string(&mut self) -> Kind {
        let start = self.at;
        let mut end = start;
        loop {
            match memchr::memchr(b'"', &self.input[end..]) {
                None => {
                    self.at = self.input.len();
                    return self.bad(self.token, "unterminated string");
                }
                Some(len) if self.input.get(end + len + 1) == Some(&b'"') => end += len + 2,
                Some(len) => {
                    end += len;
                    break;
                }
            }
        }
        self.at = end + 1;
        Kind::Str
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
