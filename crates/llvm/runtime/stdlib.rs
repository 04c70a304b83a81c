//! The numbers of `stdlib.h` and `inttypes.h`: text to integer, text to
//! floating point, division.

use crate::ctype;
use crate::errno::{self, EINVAL, ERANGE};
use crate::native::{
    __refrain_division_by_zero, __refrain_division_overflow, __refrain_parse_f32,
    __refrain_parse_f64,
};
use core::ffi::{c_int, c_long, c_longlong, c_ulong, c_ulonglong, c_void};
use core::ptr::null_mut;

/// The value of a digit in the largest base there is; 36 or more if it is none.
#[inline(always)]
fn digit_value(c: u8) -> u32 {
    let decimal = (c as u32).wrapping_sub(b'0' as u32);
    let letter = (c as u32 | 32).wrapping_sub(b'a' as u32);
    if decimal < 10 {
        decimal
    } else if letter < 26 {
        letter + 10
    } else {
        99
    }
}

/// So many digits of any base are less than 2^63: until then no overflow needs
/// testing, which spares the solver a question a digit.
const SAFE_DIGITS: usize = 12;

struct Integer {
    magnitude: u64,
    negative: bool,
    /// The magnitude may be more than an `i64` holds.
    large: bool,
    overflow: bool,
}

/// Reads an integer as `strtol` does and stores where it ends.
unsafe fn scan(s: *const u8, end: *mut *mut u8, base: c_int, binary: bool) -> Integer {
    let mut value = Integer {
        magnitude: 0,
        negative: false,
        large: false,
        overflow: false,
    };
    if base < 0 || base == 1 || base > 36 {
        errno::set(EINVAL);
        return value;
    }
    let mut base = base as u32 as u64;
    let mut i = 0;
    while ctype::space(*s.add(i) as c_int) {
        i += 1;
    }
    let sign = *s.add(i);
    if sign == b'-' {
        value.negative = true;
        i += 1;
    } else if sign == b'+' {
        i += 1;
    }
    // A prefix counts only if a digit follows: of "0xg" the 0 is the number.
    if (base == 0 || base == 16 || (binary && base == 2)) && *s.add(i) == b'0' {
        let letter = *s.add(i + 1) | 32;
        if base != 2 && letter == b'x' {
            if digit_value(*s.add(i + 2)) < 16 {
                i += 2;
                base = 16;
            }
        } else if binary && base != 16 && letter == b'b' && digit_value(*s.add(i + 2)) < 2 {
            i += 2;
            base = 2;
        }
        if base == 0 {
            base = 8;
        }
    }
    if base == 0 {
        base = 10;
    }
    let first = i;
    loop {
        let digit = digit_value(*s.add(i)) as u64;
        if digit >= base {
            break;
        }
        if i - first >= SAFE_DIGITS {
            value.large = true;
            // In two halves, the upper of which shows what does not fit.
            let low = (value.magnitude & 0xffff_ffff) * base + digit;
            let high = (value.magnitude >> 32) * base + (low >> 32);
            value.overflow |= high >> 32 != 0;
        }
        value.magnitude = value.magnitude.wrapping_mul(base).wrapping_add(digit);
        i += 1;
    }
    if !end.is_null() {
        *end = if i == first { s } else { s.add(i) }.cast_mut();
    }
    value
}

pub unsafe fn signed(s: *const u8, end: *mut *mut u8, base: c_int, binary: bool) -> i64 {
    let value = scan(s, end, base, binary);
    if value.large {
        let limit = i64::MAX as u64 + value.negative as u64;
        if value.overflow || value.magnitude > limit {
            errno::set(ERANGE);
            return if value.negative { i64::MIN } else { i64::MAX };
        }
    }
    let magnitude = value.magnitude as i64;
    if value.negative {
        magnitude.wrapping_neg()
    } else {
        magnitude
    }
}

pub unsafe fn unsigned(s: *const u8, end: *mut *mut u8, base: c_int, binary: bool) -> u64 {
    let value = scan(s, end, base, binary);
    if value.overflow {
        errno::set(ERANGE);
        return u64::MAX;
    }
    if value.negative {
        value.magnitude.wrapping_neg()
    } else {
        value.magnitude
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strtol(s: *const u8, end: *mut *mut u8, base: c_int) -> c_long {
    signed(s, end, base, false)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __isoc23_strtol(s: *const u8, end: *mut *mut u8, base: c_int) -> c_long {
    signed(s, end, base, true)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strtol_l(
    s: *const u8,
    end: *mut *mut u8,
    base: c_int,
    _locale: *mut c_void,
) -> c_long {
    signed(s, end, base, false)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __strtol_internal(
    s: *const u8,
    end: *mut *mut u8,
    base: c_int,
    _group: c_int,
) -> c_long {
    signed(s, end, base, false)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strtoll(s: *const u8, end: *mut *mut u8, base: c_int) -> c_longlong {
    signed(s, end, base, false)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __isoc23_strtoll(
    s: *const u8,
    end: *mut *mut u8,
    base: c_int,
) -> c_longlong {
    signed(s, end, base, true)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strtoll_l(
    s: *const u8,
    end: *mut *mut u8,
    base: c_int,
    _locale: *mut c_void,
) -> c_longlong {
    signed(s, end, base, false)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __strtoll_internal(
    s: *const u8,
    end: *mut *mut u8,
    base: c_int,
    _group: c_int,
) -> c_longlong {
    signed(s, end, base, false)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strtoimax(s: *const u8, end: *mut *mut u8, base: c_int) -> i64 {
    signed(s, end, base, false)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __isoc23_strtoimax(s: *const u8, end: *mut *mut u8, base: c_int) -> i64 {
    signed(s, end, base, true)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strtoq(s: *const u8, end: *mut *mut u8, base: c_int) -> i64 {
    signed(s, end, base, false)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strtoul(s: *const u8, end: *mut *mut u8, base: c_int) -> c_ulong {
    unsigned(s, end, base, false)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __isoc23_strtoul(s: *const u8, end: *mut *mut u8, base: c_int) -> c_ulong {
    unsigned(s, end, base, true)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strtoul_l(
    s: *const u8,
    end: *mut *mut u8,
    base: c_int,
    _locale: *mut c_void,
) -> c_ulong {
    unsigned(s, end, base, false)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __strtoul_internal(
    s: *const u8,
    end: *mut *mut u8,
    base: c_int,
    _group: c_int,
) -> c_ulong {
    unsigned(s, end, base, false)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strtoull(s: *const u8, end: *mut *mut u8, base: c_int) -> c_ulonglong {
    unsigned(s, end, base, false)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __isoc23_strtoull(
    s: *const u8,
    end: *mut *mut u8,
    base: c_int,
) -> c_ulonglong {
    unsigned(s, end, base, true)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strtoull_l(
    s: *const u8,
    end: *mut *mut u8,
    base: c_int,
    _locale: *mut c_void,
) -> c_ulonglong {
    unsigned(s, end, base, false)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __strtoull_internal(
    s: *const u8,
    end: *mut *mut u8,
    base: c_int,
    _group: c_int,
) -> c_ulonglong {
    unsigned(s, end, base, false)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strtoumax(s: *const u8, end: *mut *mut u8, base: c_int) -> u64 {
    unsigned(s, end, base, false)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __isoc23_strtoumax(s: *const u8, end: *mut *mut u8, base: c_int) -> u64 {
    unsigned(s, end, base, true)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strtouq(s: *const u8, end: *mut *mut u8, base: c_int) -> u64 {
    unsigned(s, end, base, false)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn atoi(s: *const u8) -> c_int {
    signed(s, null_mut(), 10, false) as c_int
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn atol(s: *const u8) -> c_long {
    signed(s, null_mut(), 10, false)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn atoll(s: *const u8) -> c_longlong {
    signed(s, null_mut(), 10, false)
}

/// What the text of a floating constant turned out to be.
enum Float {
    None,
    Infinity,
    Nan,
    Number,
}

struct Scanned {
    kind: Float,
    /// The text, sign included, is the bytes from `start` to `end`.
    start: usize,
    end: usize,
    negative: bool,
    /// Some digit of the significand is not zero.
    nonzero: bool,
}

/// Whether `s` continues with a lower-case `word`, in any case.
unsafe fn word(s: *const u8, word: *const u8) -> bool {
    let mut i = 0;
    while *word.add(i) != 0 {
        if *s.add(i) | 32 != *word.add(i) {
            return false;
        }
        i += 1;
    }
    true
}

unsafe fn scan_float(s: *const u8) -> Scanned {
    let mut i = 0;
    while ctype::space(*s.add(i) as c_int) {
        i += 1;
    }
    let mut scanned = Scanned {
        kind: Float::None,
        start: i,
        end: 0,
        negative: false,
        nonzero: false,
    };
    let sign = *s.add(i);
    if sign == b'-' {
        scanned.negative = true;
        i += 1;
    } else if sign == b'+' {
        i += 1;
    }
    if word(s.add(i), c"inf".as_ptr().cast()) {
        i += 3;
        if word(s.add(i), c"inity".as_ptr().cast()) {
            i += 5;
        }
        scanned.kind = Float::Infinity;
        scanned.end = i;
        return scanned;
    }
    if word(s.add(i), c"nan".as_ptr().cast()) {
        i += 3;
        if *s.add(i) == b'(' {
            let mut j = i + 1;
            while ctype::alnum(*s.add(j) as c_int) | (*s.add(j) == b'_') {
                j += 1;
            }
            if *s.add(j) == b')' {
                i = j + 1;
            }
        }
        scanned.kind = Float::Nan;
        scanned.end = i;
        return scanned;
    }
    let mut base = 10;
    let mut exponent = b'e';
    if *s.add(i) == b'0' && *s.add(i + 1) | 32 == b'x' {
        // Hexadecimal only if a digit follows, perhaps behind the point.
        let after = *s.add(i + 2);
        if digit_value(after) < 16 || (after == b'.' && digit_value(*s.add(i + 3)) < 16) {
            i += 2;
            base = 16;
            exponent = b'p';
        }
    }
    let mut any = false;
    let mut point = false;
    loop {
        let c = *s.add(i);
        let digit = digit_value(c);
        if digit < base {
            any = true;
            // Not a branch: only whether the result should be zero depends on it.
            scanned.nonzero |= digit != 0;
        } else if c == b'.' && !point {
            point = true;
        } else {
            break;
        }
        i += 1;
    }
    if !any {
        return scanned;
    }
    if *s.add(i) | 32 == exponent {
        let mut j = i + 1;
        let sign = *s.add(j);
        if (sign == b'-') | (sign == b'+') {
            j += 1;
        }
        if digit_value(*s.add(j)) < 10 {
            while digit_value(*s.add(j)) < 10 {
                j += 1;
            }
            i = j;
        }
    }
    scanned.kind = Float::Number;
    scanned.end = i;
    scanned
}

unsafe fn store_end(s: *const u8, end: *mut *mut u8, scanned: &Scanned) {
    if !end.is_null() {
        *end = s.add(scanned.end).cast_mut();
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strtod(s: *const u8, end: *mut *mut u8) -> f64 {
    let scanned = scan_float(s);
    store_end(s, end, &scanned);
    let sign = (scanned.negative as u64) << 63;
    match scanned.kind {
        Float::None => 0.0,
        Float::Infinity => f64::from_bits(0x7ff << 52 | sign),
        Float::Nan => f64::from_bits(0xfff << 51 | sign),
        Float::Number => {
            let value =
                __refrain_parse_f64(s.add(scanned.start).cast(), scanned.end - scanned.start);
            // Infinite, or below the least normal without being zero itself.
            let exponent = value.to_bits() >> 52 & 0x7ff;
            if exponent == 0x7ff || (exponent == 0 && scanned.nonzero) {
                errno::set(ERANGE);
            }
            value
        }
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strtof(s: *const u8, end: *mut *mut u8) -> f32 {
    let scanned = scan_float(s);
    store_end(s, end, &scanned);
    let sign = (scanned.negative as u32) << 31;
    match scanned.kind {
        Float::None => 0.0,
        Float::Infinity => f32::from_bits(0xff << 23 | sign),
        Float::Nan => f32::from_bits(0x1ff << 22 | sign),
        Float::Number => {
            let value =
                __refrain_parse_f32(s.add(scanned.start).cast(), scanned.end - scanned.start);
            let exponent = value.to_bits() >> 23 & 0xff;
            if exponent == 0xff || (exponent == 0 && scanned.nonzero) {
                errno::set(ERANGE);
            }
            value
        }
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strtod_l(s: *const u8, end: *mut *mut u8, _locale: *mut c_void) -> f64 {
    strtod(s, end)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strtof_l(s: *const u8, end: *mut *mut u8, _locale: *mut c_void) -> f32 {
    strtof(s, end)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __strtod_internal(s: *const u8, end: *mut *mut u8, _group: c_int) -> f64 {
    strtod(s, end)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __strtof_internal(s: *const u8, end: *mut *mut u8, _group: c_int) -> f32 {
    strtof(s, end)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn atof(s: *const u8) -> f64 {
    strtod(s, null_mut())
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn abs(value: c_int) -> c_int {
    value.wrapping_abs()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn labs(value: c_long) -> c_long {
    value.wrapping_abs()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn llabs(value: c_longlong) -> c_longlong {
    value.wrapping_abs()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn imaxabs(value: i64) -> i64 {
    value.wrapping_abs()
}

#[repr(C)]
pub struct Division<T> {
    pub quot: T,
    pub rem: T,
}

/// What a native division would trap on is an error of the caller's. `&` and not `&&`: one question, not two.
macro_rules! divide {
    ($n:ident, $d:ident, $type:ty) => {{
        if $d == 0 {
            __refrain_division_by_zero();
        }
        if ($n == <$type>::MIN) & ($d == -1) {
            __refrain_division_overflow();
        }
        Division {
            quot: $n.wrapping_div($d),
            rem: $n.wrapping_rem($d),
        }
    }};
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn div(n: c_int, d: c_int) -> Division<c_int> {
    divide!(n, d, c_int)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn lldiv(n: c_longlong, d: c_longlong) -> Division<c_longlong> {
    divide!(n, d, c_longlong)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ldiv(n: c_long, d: c_long) -> Division<c_long> {
    lldiv(n, d)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn imaxdiv(n: i64, d: i64) -> Division<i64> {
    lldiv(n, d)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getpagesize() -> c_int {
    4096
}
