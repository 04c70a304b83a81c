//! Floating numbers: the text of one is collected, and the machine reads it.

use super::EOF;
use super::directive::Outcome::{Done, InputFailure, MatchingFailure};
use super::directive::{Budget, Directive, Outcome, Size};
use super::input::Input;
use super::sink::Bytes;
use crate::ctype;
use crate::native::{__refrain_parse_f32, __refrain_parse_f64};
use core::ffi::{c_char, c_int, c_void};

unsafe extern "C" {
    /// As for the other formats, but the value goes to the ten bytes at `out`.
    fn __refrain_parse_ld(text: *const c_char, len: usize, out: *mut c_void);
}

impl Directive {
    pub unsafe fn float(&self, input: &mut Input) -> Outcome {
        let mut room = [0u8; 128];
        let mut text = Bytes {
            start: (&raw mut room).cast(),
            len: 0,
            room: 128,
            owned: false,
        };
        let outcome = self.float_text(input, &mut text);
        text.drop();
        outcome
    }

    /// Takes the rest of a word whose first letter is known, in any case.
    unsafe fn rest_of(&self, input: &mut Input, left: &mut Budget, mut rest: *const u8) -> bool {
        while *rest != 0 {
            if left.is_spent() {
                return false;
            }
            let c = input.get();
            if c | 32 != *rest as c_int {
                input.unget(c);
                return false;
            }
            left.spend();
            rest = rest.add(1);
        }
        true
    }

    unsafe fn float_text(&self, input: &mut Input, text: &mut Bytes) -> Outcome {
        let mut left = self.budget(usize::MAX);
        let mut c = input.get();
        if c == EOF {
            return InputFailure;
        }
        let negative = c == b'-' as c_int;
        if negative | (c == b'+' as c_int) {
            left.spend();
            if left.is_spent() {
                return MatchingFailure;
            }
            c = input.get();
            if c == EOF {
                return MatchingFailure;
            }
        }
        if c | 32 == b'n' as c_int {
            left.spend();
            if !self.rest_of(input, &mut left, c"an".as_ptr().cast()) {
                return MatchingFailure;
            }
            return self.store_special(negative, true);
        }
        if c | 32 == b'i' as c_int {
            left.spend();
            if !self.rest_of(input, &mut left, c"nf".as_ptr().cast()) {
                return MatchingFailure;
            }
            if !left.is_spent() {
                c = input.get();
                if c | 32 != b'i' as c_int {
                    input.unget(c);
                } else {
                    left.spend();
                    if !self.rest_of(input, &mut left, c"nity".as_ptr().cast()) {
                        return MatchingFailure;
                    }
                }
            }
            return self.store_special(negative, false);
        }
        if negative && !text.push(b'-') {
            return InputFailure;
        }
        let digits_from = text.len;
        let mut hex = false;
        // Of the significand; a bare `0x` has none.
        let mut any = false;
        let mut more = true;
        if c == b'0' as c_int {
            any = true;
            if !text.push(b'0') {
                return InputFailure;
            }
            left.spend();
            c = if left.is_spent() { EOF } else { input.get() };
            more = c != EOF;
            // At the end of its width, the zero is the number.
            if more && left.0 > 1 && c | 32 == b'x' as c_int {
                hex = true;
                any = false;
                if !text.push(b'x') {
                    return InputFailure;
                }
                left.spend();
                c = if left.is_spent() { EOF } else { input.get() };
                more = c != EOF;
            }
        }
        let exponent = if hex { b'p' } else { b'e' };
        let mut point = false;
        // The length of the text before the exponent, once there is one, and whether that has digits.
        let mut significand = 0;
        let mut exponent_digits = false;
        while more {
            let in_exponent = significand != 0;
            let byte = if ctype::digit(c) {
                any = true;
                exponent_digits |= in_exponent;
                c as u8
            } else if !in_exponent && hex && ctype::xdigit(c) {
                any = true;
                c as u8
            } else if in_exponent
                && text.len == significand + 1
                && (c == b'-' as c_int) | (c == b'+' as c_int)
            {
                c as u8
            } else if !in_exponent && any && c | 32 == exponent as c_int {
                significand = text.len;
                exponent
            } else if !in_exponent && !point && c == b'.' as c_int {
                point = true;
                b'.'
            } else {
                input.unget(c);
                break;
            };
            if !text.push(byte) {
                return InputFailure;
            }
            left.spend();
            if left.is_spent() {
                break;
            }
            c = input.get();
            more = c != EOF;
        }
        if !any {
            // Of `0x.` the zero is a number; of `0x` alone it is not.
            if !(hex && point) {
                return MatchingFailure;
            }
            text.len = digits_from + 1;
        } else if significand != 0 && !exponent_digits {
            text.len = significand;
        }
        if self.to.is_null() {
            return Done;
        }
        let start = text.start.cast::<c_char>();
        match self.size {
            Size::Long => *self.to.cast::<f64>() = __refrain_parse_f64(start, text.len),
            Size::LongLong => __refrain_parse_ld(start, text.len, self.to),
            _ => *self.to.cast::<f32>() = __refrain_parse_f32(start, text.len),
        }
        Done
    }

    /// Stores an infinity or what is no number.
    unsafe fn store_special(&self, negative: bool, nan: bool) -> Outcome {
        if self.to.is_null() {
            return Done;
        }
        match self.size {
            Size::Long => {
                let bits = if nan { 0xfff << 51 } else { 0x7ff << 52 };
                *self.to.cast::<u64>() = bits | (negative as u64) << 63;
            }
            Size::LongLong => {
                *self.to.cast::<u64>() = if nan { 3 << 62 } else { 1 << 63 };
                *self.to.cast::<u16>().add(4) = 0x7fff | (negative as u16) << 15;
            }
            _ => {
                let bits = if nan { 0x1ff << 22 } else { 0xff << 23 };
                *self.to.cast::<u32>() = bits | (negative as u32) << 31;
            }
        }
        Done
    }
}
