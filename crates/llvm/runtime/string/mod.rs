//! `string.h`, `strings.h` and `libgen.h`: byte loops, one branch a byte.

mod bits;
mod compare;
mod copy;
mod errors;
mod memory;
mod paths;
mod search;
mod tokens;
pub mod units;

// All that C has is public, whether or not the library itself uses it.
#[allow(unused_imports)]
pub use self::{
    bits::*, compare::*, copy::*, errors::*, memory::*, paths::*, search::*, tokens::*,
};

/// Lower case without a branch.
#[inline(always)]
pub fn lower(c: u8) -> u8 {
    c.wrapping_add((((c.wrapping_sub(b'A')) < 26) as u8) << 5)
}

#[inline(always)]
pub fn is_digit(c: u8) -> bool {
    c.wrapping_sub(b'0') < 10
}

/// Writes `value` in decimal at `to`, unterminated; the number of bytes.
pub unsafe fn write_decimal(to: *mut u8, value: i64) -> usize {
    let mut digits = [0u8; 20];
    let digits = (&raw mut digits).cast::<u8>();
    let mut rest = value.unsigned_abs();
    let mut count = 0;
    loop {
        *digits.add(count) = b'0' + (rest % 10) as u8;
        rest /= 10;
        count += 1;
        if rest == 0 {
            break;
        }
    }
    let mut len = 0;
    if value < 0 {
        *to = b'-';
        len = 1;
    }
    while count > 0 {
        count -= 1;
        *to.add(len) = *digits.add(count);
        len += 1;
    }
    len
}
