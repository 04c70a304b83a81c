//! Text in lines: words that would go beyond the right margin go to the next line.

use crate::list::List;
use crate::stdio::{FILE, put_bytes};
use crate::string::strlen;
use core::ffi::c_int;

const RIGHT: isize = 79;

pub struct Filled {
    stream: *mut FILE,
    /// What is not written yet.
    pending: List<u8>,
    /// Where in its line the pending text starts. Negative: in a line that is to have no margin.
    column: isize,
    /// Where lines start, and where those start that words are moved to.
    pub left: isize,
    pub wrapped: isize,
}

fn is_blank(c: u8) -> bool {
    (c == b' ') | (c == b'\t')
}

impl Filled {
    pub fn new(stream: *mut FILE) -> Filled {
        Filled {
            stream,
            pending: List::new(),
            column: 0,
            left: 0,
            wrapped: 0,
        }
    }

    pub unsafe fn put(&mut self, c: u8) {
        self.pending.push(c);
    }

    pub unsafe fn write(&mut self, text: *const u8, len: usize) {
        let mut index = 0;
        while index < len {
            self.put(*text.add(index));
            index += 1;
        }
    }

    pub unsafe fn puts(&mut self, text: *const u8) {
        self.write(text, strlen(text));
    }

    /// Sets margins for what follows.
    pub unsafe fn margins(&mut self, left: isize, wrapped: isize) {
        self.update();
        self.left = left;
        self.wrapped = wrapped;
    }

    /// The column that comes next.
    pub unsafe fn point(&mut self) -> isize {
        self.update();
        if self.column < 0 { 0 } else { self.column }
    }

    pub unsafe fn indent_to(&mut self, column: isize) {
        let mut needed = column - self.point();
        while needed > 0 {
            self.put(b' ');
            needed -= 1;
        }
    }

    /// A blank, or a new line where so many characters more would not fit.
    pub unsafe fn space(&mut self, ensure: usize) {
        let fits = self.point() + (ensure as isize) < RIGHT;
        self.put(if fits { b' ' } else { b'\n' });
    }

    unsafe fn emit(&self, from: isize, to: isize) {
        if to > from {
            put_bytes(
                self.stream,
                self.pending.at(from as usize),
                (to - from) as usize,
            );
        }
    }

    unsafe fn blanks(&self, count: isize) {
        let mut index = 0;
        while index < count {
            put_bytes(self.stream, c" ".as_ptr().cast(), 1);
            index += 1;
        }
    }

    unsafe fn new_line(&self) {
        put_bytes(self.stream, c"\n".as_ptr().cast(), 1);
    }

    unsafe fn byte(&self, at: isize) -> u8 {
        if at < self.pending.len() as isize {
            self.pending.get(at as usize)
        } else {
            0
        }
    }

    /// Writes what is pending, in lines that are short enough.
    pub unsafe fn update(&mut self) {
        let end = self.pending.len() as isize;
        let mut at = 0;
        while at < end {
            if self.column == 0 && self.left != 0 {
                self.blanks(self.left);
                self.column = self.left;
            }
            if self.column < 0 {
                self.column = 0;
            }
            let mut line_end = at;
            while line_end < end && self.byte(line_end) != b'\n' {
                line_end += 1;
            }
            let is_ended = line_end < end;
            if self.column + (line_end - at) < RIGHT {
                self.emit(at, line_end);
                if is_ended {
                    self.new_line();
                    self.column = 0;
                } else {
                    self.column += line_end - at;
                }
                at = line_end + 1;
                continue;
            }
            let mut last = at + (RIGHT - self.column);
            while last >= at && !is_blank(self.byte(last)) {
                last -= 1;
            }
            let mut next = last + 1;
            if next > at {
                while last >= at && is_blank(self.byte(last)) {
                    last -= 1;
                }
                self.emit(at, last + 1);
            } else {
                // A single word that is longer than a line.
                last = at + (RIGHT - self.column);
                while last < line_end && !is_blank(self.byte(last)) {
                    last += 1;
                }
                self.emit(at, last);
                if last >= line_end {
                    if is_ended {
                        self.new_line();
                        self.column = 0;
                    } else {
                        self.column += last - at;
                    }
                    at = line_end + 1;
                    continue;
                }
                next = last;
                while is_blank(self.byte(next)) {
                    next += 1;
                }
            }
            self.new_line();
            self.blanks(self.wrapped);
            self.column = if self.wrapped != 0 { self.wrapped } else { -1 };
            at = next;
        }
        self.pending.truncate(0);
    }

    pub unsafe fn finish(&mut self) {
        self.update();
        self.pending.release();
    }
}

/// How many bytes come before a character, or the end.
pub unsafe fn len_to(text: *const u8, c: c_int) -> usize {
    let mut len = 0;
    while *text.add(len) != 0 && *text.add(len) as c_int != c {
        len += 1;
    }
    len
}
