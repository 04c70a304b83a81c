//! Integers and pointers.

use super::EOF;
use super::directive::Outcome::{Done, InputFailure, MatchingFailure};
use super::directive::{Directive, Outcome};
use super::input::Input;
use crate::ctype;
use core::ffi::c_int;

/// So many digits of any base here are less than 2^63: until then no overflow needs testing.
const SAFE_DIGITS: usize = 15;

fn digit_value(c: c_int) -> u32 {
    if ctype::digit(c) {
        (c - 48) as u32
    } else if ctype::alpha(c) {
        ((c | 32) - 87) as u32
    } else {
        99
    }
}

impl Directive {
    pub unsafe fn integer(&self, input: &mut Input, mut base: u32, signed: bool) -> Outcome {
        let mut left = self.budget(usize::MAX);
        let mut c = input.get();
        if c == EOF {
            return InputFailure;
        }
        let negative = c == b'-' as c_int;
        let signed_text = negative | (c == b'+' as c_int);
        if signed_text {
            left.spend();
            c = input.get();
        }
        let mut any = false;
        if !left.is_spent() && c == b'0' as c_int {
            any = true;
            left.spend();
            c = input.get();
            if !left.is_spent() && c | 32 == b'x' as c_int && (base == 0 || base == 16) {
                base = 16;
                left.spend();
                c = input.get();
            } else if !left.is_spent() && c | 32 == b'b' as c_int && base == 0 && self.binary {
                base = 2;
                left.spend();
                c = input.get();
            } else if base == 0 {
                base = 8;
            }
        }
        if base == 0 {
            base = 10;
        }
        let base = base as u64;
        let mut value = 0u64;
        let mut digits = 0;
        let mut overflow = false;
        while c != EOF && !left.is_spent() {
            let digit = digit_value(c) as u64;
            if digit >= base {
                break;
            }
            any = true;
            if digits >= SAFE_DIGITS {
                // In two halves, the upper of which shows what does not fit.
                let low = (value & 0xffff_ffff) * base + digit;
                let high = (value >> 32) * base + (low >> 32);
                overflow |= high >> 32 != 0;
            }
            digits += 1;
            value = value.wrapping_mul(base).wrapping_add(digit);
            left.spend();
            c = input.get();
        }
        if !any && self.letter == b'p' && !signed_text && left.0 >= 5 && c == b'(' as c_int {
            return self.nil(input);
        }
        input.unget(c);
        if !any {
            return MatchingFailure;
        }
        let value = if signed {
            let most = i64::MAX as u64 + negative as u64;
            let size = if digits > SAFE_DIGITS && overflow | (value > most) {
                most
            } else {
                value
            };
            if negative { size.wrapping_neg() } else { size }
        } else if overflow {
            u64::MAX
        } else if negative {
            value.wrapping_neg()
        } else {
            value
        };
        self.store_integer(value);
        Done
    }

    /// What is printed for a null pointer, after its parenthesis.
    unsafe fn nil(&self, input: &mut Input) -> Outcome {
        let rest = c"nil)".as_ptr().cast::<u8>();
        let mut i = 0;
        while i < 4 {
            let c = input.get();
            let seen = if i < 3 { c | 32 } else { c };
            if seen != *rest.add(i) as c_int {
                input.unget(c);
                return MatchingFailure;
            }
            i += 1;
        }
        self.store_integer(0);
        Done
    }
}
