//! Bytes to tokens.

/// A token, with the bytes that matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Token<'a> {
    Open,
    Close,
    /// A simple symbol, reserved words included.
    Symbol(&'a [u8]),
    /// What stands between the bars of a quoted symbol.
    Quoted(&'a [u8]),
    Numeral(&'a [u8]),
    Decimal(&'a [u8]),
    Hex(&'a [u8]),
    Binary(&'a [u8]),
    Text,
    Keyword(&'a [u8]),
}

impl<'a> Token<'a> {
    /// The name, of a symbol.
    pub fn name(self) -> Option<&'a [u8]> {
        match self {
            Token::Symbol(name) | Token::Quoted(name) => Some(name),
            _ => None,
        }
    }
}

#[derive(Clone)]
pub struct Tokens<'a> {
    input: &'a [u8],
    at: usize,
}

fn in_symbol(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"~!@$%^&*_-+=<>.?/".contains(&byte) || byte >= 128
}

impl<'a> Tokens<'a> {
    pub fn new(input: &'a [u8]) -> Tokens<'a> {
        Tokens { input, at: 0 }
    }

    /// Where the next token is looked for.
    pub fn position(&self) -> usize {
        self.at
    }

    /// The input between two positions.
    pub fn slice(&self, from: usize, to: usize) -> &'a [u8] {
        &self.input[from..to]
    }

    fn run(&mut self, of: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = &self.input[self.at..];
        let length = rest.iter().position(|&b| !of(b)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// The bytes up to a closing mark, which is passed.
    fn fenced(&mut self, mark: u8) -> Option<&'a [u8]> {
        let rest = &self.input[self.at..];
        let length = rest.iter().position(|&b| b == mark)?;
        self.at += length + 1;
        Some(&rest[..length])
    }

    /// The next token; nothing at the end of the input, and where there is no token.
    pub fn next(&mut self) -> Option<Token<'a>> {
        loop {
            self.run(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r'));
            if self.input.get(self.at) != Some(&b';') {
                break;
            }
            self.run(|b| b != b'\n');
        }
        let byte = *self.input.get(self.at)?;
        if byte.is_ascii_digit() {
            let start = self.at;
            self.run(|b| b.is_ascii_digit());
            let whole = self.input.get(self.at) != Some(&b'.');
            if !whole {
                self.at += 1;
                self.run(|b| b.is_ascii_digit());
            }
            let digits = &self.input[start..self.at];
            return Some(match whole {
                true => Token::Numeral(digits),
                false => Token::Decimal(digits),
            });
        }
        if in_symbol(byte) {
            return Some(Token::Symbol(self.run(in_symbol)));
        }
        self.at += 1;
        Some(match byte {
            b'(' => Token::Open,
            b')' => Token::Close,
            b':' => Token::Keyword(self.run(in_symbol)),
            b'|' => Token::Quoted(self.fenced(b'|')?),
            b'"' => {
                self.fenced(b'"')?;
                while self.input.get(self.at) == Some(&b'"') {
                    self.at += 1;
                    self.fenced(b'"')?;
                }
                Token::Text
            }
            b'#' => {
                let marker = *self.input.get(self.at)?;
                self.at += 1;
                match marker {
                    b'x' => Token::Hex(self.run(|b| b.is_ascii_hexdigit())),
                    b'b' => Token::Binary(self.run(|b| matches!(b, b'0' | b'1'))),
                    _ => return None,
                }
            }
            _ => return None,
        })
    }

    /// What comes next, without going there.
    pub fn peek(&self) -> Option<Token<'a>> {
        self.clone().next()
    }

    /// Passes one expression; whether there was one.
    pub fn skip(&mut self) -> Option<()> {
        let mut depth = 0u64;
        loop {
            match self.next()? {
                Token::Open => depth += 1,
                Token::Close => depth = depth.checked_sub(1)?,
                _ => {}
            }
            if depth == 0 {
                return Some(());
            }
        }
    }
}
