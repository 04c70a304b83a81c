//! The order of strings.

use super::{is_digit, lower, units};
use crate::native::{__refrain_compare, __refrain_compared_len};
use core::ffi::{c_int, c_void};

/// What a comparison answers.
pub(super) fn order(difference: Option<(u8, u8)>) -> c_int {
    match difference {
        Some((x, y)) => x as c_int - y as c_int,
        None => 0,
    }
}

/// Compares strings, at most so many bytes of them: at once where that can be done.
#[inline(never)]
unsafe fn compare_strings(a: *const u8, b: *const u8, max: usize) -> c_int {
    let len = __refrain_compared_len(a, b, max, 1);
    if len != usize::MAX {
        return __refrain_compare(a, b, len, 1);
    }
    order(units::difference(a, b, max, |c| c))
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strcmp(a: *const u8, b: *const u8) -> c_int {
    compare_strings(a, b, usize::MAX)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strncmp(a: *const u8, b: *const u8, max: usize) -> c_int {
    compare_strings(a, b, max)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strcasecmp(a: *const u8, b: *const u8) -> c_int {
    strncasecmp(a, b, usize::MAX)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strncasecmp(a: *const u8, b: *const u8, max: usize) -> c_int {
    order(units::difference(a, b, max, lower))
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strcasecmp_l(a: *const u8, b: *const u8, _locale: *mut c_void) -> c_int {
    strcasecmp(a, b)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strncasecmp_l(
    a: *const u8,
    b: *const u8,
    max: usize,
    _locale: *mut c_void,
) -> c_int {
    strncasecmp(a, b, max)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strcoll(a: *const u8, b: *const u8) -> c_int {
    strcmp(a, b)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strcoll_l(a: *const u8, b: *const u8, _locale: *mut c_void) -> c_int {
    strcmp(a, b)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strverscmp(a: *const u8, b: *const u8) -> c_int {
    let mut i = 0;
    while *a.add(i) == *b.add(i) {
        if *a.add(i) == 0 {
            return 0;
        }
        i += 1;
    }
    let (x, y) = (*a.add(i), *b.add(i));
    let plain = x as c_int - y as c_int;
    // The digits both share right before the difference.
    let mut start = i;
    let mut zeros = true;
    while start > 0 && is_digit(*a.add(start - 1)) {
        start -= 1;
        zeros &= *a.add(start) == b'0';
    }
    let fraction = if start < i {
        *a.add(start) == b'0'
    } else {
        x == b'0' || y == b'0'
    };
    if fraction {
        // A leading zero makes the digits a fraction, and of two that begin
        // with nothing but zeros the one with more of anything is the smaller.
        if start < i && zeros {
            if is_digit(x) && !is_digit(y) {
                return -1;
            }
            if is_digit(y) && !is_digit(x) {
                return 1;
            }
        }
        return plain;
    }
    if start == i && !(is_digit(x) && is_digit(y)) {
        return plain;
    }
    // Two integers: the longer is the larger.
    let mut j = i;
    loop {
        let (more_a, more_b) = (is_digit(*a.add(j)), is_digit(*b.add(j)));
        if more_a != more_b {
            return if more_a { 1 } else { -1 };
        }
        if !more_a {
            return plain;
        }
        j += 1;
    }
}
