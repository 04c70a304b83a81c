//! What one directive of a format asks for, and its conversion of characters.

use super::EOF;
use super::input::Input;
use super::set::is_member;
use super::sink::Sink;
use core::ffi::{c_int, c_void};

use self::Outcome::{Done, InputFailure, MatchingFailure};

#[derive(Clone, Copy, PartialEq)]
pub enum Size {
    Char,
    Short,
    Int,
    Long,
    /// `ll` and `L`: for floats, a long double.
    LongLong,
}

/// Why a conversion came to nothing.
#[derive(Clone, Copy, PartialEq)]
pub enum Outcome {
    Done,
    /// There was no input, or it cannot be kept.
    InputFailure,
    /// The input is of another form.
    MatchingFailure,
}

pub struct Directive {
    /// Null if the value is not to be stored.
    pub to: *mut c_void,
    /// The largest number of characters; none if it is not given.
    pub width: usize,
    pub has_width: bool,
    pub size: Size,
    pub allocate: bool,
    pub letter: u8,
    /// `0b` starts a binary number.
    pub binary: bool,
}

/// A budget of characters.
pub struct Budget(pub usize);

impl Budget {
    pub fn spend(&mut self) {
        self.0 -= 1;
    }

    pub fn is_spent(&self) -> bool {
        self.0 == 0
    }
}

impl Directive {
    pub fn budget(&self, default: usize) -> Budget {
        Budget(if self.has_width { self.width } else { default })
    }

    pub unsafe fn store_integer(&self, value: u64) {
        if self.to.is_null() {
            return;
        }
        match self.size {
            Size::Char => *self.to.cast::<u8>() = value as u8,
            Size::Short => *self.to.cast::<u16>() = value as u16,
            Size::Int => *self.to.cast::<u32>() = value as u32,
            Size::Long | Size::LongLong => *self.to.cast::<u64>() = value,
        }
    }

    pub unsafe fn characters(&self, input: &mut Input) -> Outcome {
        let mut left = self.budget(1);
        let mut c = input.get();
        if c == EOF {
            return InputFailure;
        }
        let mut sink = Sink::new(self, input.is_wide);
        loop {
            if !sink.put(c) {
                return InputFailure;
            }
            left.spend();
            if left.is_spent() {
                break;
            }
            c = input.get();
            if c == EOF {
                break;
            }
        }
        sink.publish();
        Done
    }

    /// The longest run of characters that are accepted.
    unsafe fn text(&self, input: &mut Input, accepts: impl Fn(&Input, c_int) -> bool) -> Outcome {
        let mut left = self.budget(usize::MAX);
        let mut c = input.get();
        if c == EOF {
            return InputFailure;
        }
        let mut any = false;
        let mut sink = Sink::new(self, input.is_wide);
        loop {
            if !accepts(input, c) {
                input.unget(c);
                break;
            }
            any = true;
            if !sink.put(c) {
                return sink.failure();
            }
            left.spend();
            if left.is_spent() {
                break;
            }
            c = input.get();
            if c == EOF {
                break;
            }
        }
        if any { sink.end() } else { MatchingFailure }
    }

    pub unsafe fn word(&self, input: &mut Input) -> Outcome {
        self.text(input, |input, c| !input.is_space(c))
    }

    /// The characters of a set, which is the text from `set` to `end`.
    pub unsafe fn members(&self, input: &mut Input, set: *const u8, end: *const u8) -> Outcome {
        self.text(input, |input, c| is_member(set, end, c, input.is_wide))
    }
}
