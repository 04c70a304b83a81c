//! What can be wrong with a command, and where.

use std::fmt;

/// Something wrong at a place in the input. The session reports it and goes on with the next command.
#[derive(Debug)]
pub struct Failure {
    /// Bytes from the beginning of the buffer that was parsed.
    pub at: usize,
    pub message: String,
    /// Not wrong, only not there: the answer is `unsupported`.
    pub unsupported: bool,
}

pub type Result<T> = std::result::Result<T, Box<Failure>>;

impl Failure {
    #[cold]
    pub fn new(at: usize, message: impl Into<String>) -> Box<Failure> {
        Box::new(Failure {
            at,
            message: message.into(),
            unsupported: false,
        })
    }

    #[cold]
    pub fn unsupported(at: usize, what: impl Into<String>) -> Box<Failure> {
        Box::new(Failure {
            at,
            message: what.into(),
            unsupported: true,
        })
    }
}

/// A place in a script, as people count: from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub line: u64,
    pub column: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} column {}", self.line, self.column)
    }
}

/// Counts lines, from one position that was asked for to the next.
#[derive(Clone, Debug)]
pub struct Places {
    offset: usize,
    place: Place,
}

impl Default for Places {
    fn default() -> Places {
        Places {
            offset: 0,
            place: Place { line: 1, column: 1 },
        }
    }
}

impl Places {
    /// The place of the byte at `offset`, which is not before the last one that was passed to [`Places::advance`].
    pub fn place(&self, input: &[u8], offset: usize) -> Place {
        let text = &input[self.offset..offset.min(input.len()).max(self.offset)];
        let mut place = self.place;
        let tail = match text.iter().rposition(|&b| b == b'\n') {
            Some(last) => {
                place.line += text.iter().filter(|&&b| b == b'\n').count() as u64;
                place.column = 1;
                &text[last + 1..]
            }
            None => text,
        };
        // Columns count characters: continuation bytes of UTF-8 are none.
        place.column += tail.iter().filter(|&&b| b & 0xc0 != 0x80).count() as u64;
        place
    }

    /// Counts up to `offset` for good.
    pub fn advance(&mut self, input: &[u8], offset: usize) {
        self.place = self.place(input, offset);
        self.offset = offset;
    }

    /// The first `bytes` of the input are gone.
    pub fn dropped(&mut self, bytes: usize) {
        debug_assert!(bytes <= self.offset);
        self.offset -= bytes;
    }
}
