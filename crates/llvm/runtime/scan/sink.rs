//! Where characters go that are kept, and bytes of which there may be many.

use super::directive::Outcome::{Done, InputFailure, MatchingFailure};
use super::directive::{Directive, Outcome, Size};
use crate::ctype;
use crate::errno::{self, EILSEQ, ENOMEM};
use crate::native::{free, malloc, memcpy, realloc};
use crate::utf8;
use core::ffi::{c_int, c_void};
use core::ptr::null_mut;

/// Bytes of unknown number.
pub struct Bytes {
    pub start: *mut u8,
    pub len: usize,
    pub room: usize,
    /// The bytes are on the heap.
    pub owned: bool,
}

impl Bytes {
    pub unsafe fn push(&mut self, byte: u8) -> bool {
        if self.len == self.room {
            let room = if self.room < 32 { 64 } else { self.room * 2 };
            let start = if self.owned {
                realloc(self.start.cast(), room)
            } else {
                malloc(room)
            };
            if start.is_null() {
                errno::set(ENOMEM);
                return false;
            }
            if !self.owned && self.len > 0 {
                memcpy(start, self.start.cast(), self.len);
            }
            self.start = start.cast();
            self.room = room;
            self.owned = true;
        }
        *self.start.add(self.len) = byte;
        self.len += 1;
        true
    }

    pub unsafe fn drop(&mut self) {
        if self.owned {
            free(self.start.cast());
        }
    }
}

/// Where characters go: to the program's array, to a new one, or nowhere.
pub struct Sink {
    to: *mut c_void,
    at: usize,
    wide: bool,
    /// Characters are wide ones already.
    is_wide_input: bool,
    /// Bytes for an array that is given to the program when it is complete.
    fresh: Bytes,
    allocate: bool,
}

impl Sink {
    pub fn new(directive: &Directive, is_wide_input: bool) -> Sink {
        Sink {
            to: directive.to,
            at: 0,
            is_wide_input,
            wide: directive.size == Size::Long
                || (directive.letter == b'S') | (directive.letter == b'C'),
            fresh: Bytes {
                start: null_mut(),
                len: 0,
                room: 0,
                owned: false,
            },
            allocate: directive.allocate,
        }
    }

    pub unsafe fn put(&mut self, c: c_int) -> bool {
        if self.to.is_null() {
            return true;
        }
        if self.is_wide_input && !self.wide && c >= 128 {
            let mut bytes = [0u8; 4];
            let text = (&raw mut bytes).cast::<u8>();
            let len = match ctype::is_utf8() {
                true => utf8::write(text, c),
                false => usize::MAX,
            };
            if len == usize::MAX {
                errno::set(EILSEQ);
                return false;
            }
            let mut index = 0;
            while index < len {
                if !self.put_unit(*text.add(index) as c_int) {
                    return false;
                }
                index += 1;
            }
            return true;
        }
        if self.wide && c >= 128 && !self.is_wide_input {
            errno::set(EILSEQ);
            return false;
        }
        self.put_unit(c)
    }

    /// What it is that a character cannot be kept in a word.
    pub fn failure(&self) -> Outcome {
        if self.is_wide_input {
            MatchingFailure
        } else {
            InputFailure
        }
    }

    /// A byte or a wide character, as the program wants them.
    unsafe fn put_unit(&mut self, c: c_int) -> bool {
        if self.allocate {
            let mut bytes = if self.wide { 4 } else { 1 };
            let mut rest = c as u32;
            while bytes > 0 {
                if !self.fresh.push(rest as u8) {
                    return false;
                }
                rest >>= 8;
                bytes -= 1;
            }
        } else if self.wide {
            *self.to.cast::<c_int>().add(self.at) = c;
        } else {
            *self.to.cast::<u8>().add(self.at) = c as u8;
        }
        self.at += 1;
        true
    }

    pub unsafe fn end(&mut self) -> Outcome {
        if !self.put(0) {
            return InputFailure;
        }
        self.publish();
        Done
    }

    pub unsafe fn publish(&mut self) {
        if self.allocate && !self.to.is_null() {
            *self.to.cast::<*mut u8>() = self.fresh.start;
        }
    }
}
