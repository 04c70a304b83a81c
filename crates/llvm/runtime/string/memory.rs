//! Bytes of a given number.

use super::compare::order;
use super::units;
use crate::native::{__refrain_compare, __refrain_compared_len, memcpy, memmove, memset};
use core::ffi::c_int;
use core::ptr::null_mut;

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn memchr(s: *const u8, wanted: c_int, len: usize) -> *mut u8 {
    units::find_in_array(s, wanted as u8, len)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn memrchr(s: *const u8, wanted: c_int, len: usize) -> *mut u8 {
    let mut i = len;
    while i > 0 {
        i -= 1;
        if *s.add(i) == wanted as u8 {
            return s.add(i).cast_mut();
        }
    }
    null_mut()
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn rawmemchr(s: *const u8, wanted: c_int) -> *mut u8 {
    let mut i = 0;
    while *s.add(i) != wanted as u8 {
        i += 1;
    }
    s.add(i).cast_mut()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __rawmemchr(s: *const u8, wanted: c_int) -> *mut u8 {
    rawmemchr(s, wanted)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn memcmp(a: *const u8, b: *const u8, len: usize) -> c_int {
    if __refrain_compared_len(a, b, len, 0) != usize::MAX {
        return __refrain_compare(a, b, len, 0);
    }
    order(units::array_difference(a, b, len))
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn bcmp(a: *const u8, b: *const u8, len: usize) -> c_int {
    memcmp(a, b, len)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn memmem(
    s: *const u8,
    len: usize,
    wanted: *const u8,
    wanted_len: usize,
) -> *mut u8 {
    if wanted_len > len {
        return null_mut();
    }
    let mut i = 0;
    while i <= len - wanted_len {
        if memcmp(s.add(i), wanted, wanted_len) == 0 {
            return s.add(i).cast_mut();
        }
        i += 1;
    }
    null_mut()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn memccpy(to: *mut u8, from: *const u8, last: c_int, len: usize) -> *mut u8 {
    let mut i = 0;
    while i < len {
        let c = *from.add(i);
        *to.add(i) = c;
        i += 1;
        if c == last as u8 {
            return to.add(i);
        }
    }
    null_mut()
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn mempcpy(to: *mut u8, from: *const u8, len: usize) -> *mut u8 {
    memcpy(to.cast(), from.cast(), len);
    to.add(len)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __mempcpy(to: *mut u8, from: *const u8, len: usize) -> *mut u8 {
    mempcpy(to, from, len)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn bzero(to: *mut u8, len: usize) {
    memset(to.cast(), 0, len);
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn explicit_bzero(to: *mut u8, len: usize) {
    memset(to.cast(), 0, len);
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn bcopy(from: *const u8, to: *mut u8, len: usize) {
    memmove(to.cast(), from.cast(), len);
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn swab(from: *const u8, to: *mut u8, len: isize) {
    let mut i = 0;
    while i + 1 < len {
        let (a, b) = (*from.offset(i), *from.offset(i + 1));
        *to.offset(i) = b;
        *to.offset(i + 1) = a;
        i += 2;
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn memfrob(s: *mut u8, len: usize) -> *mut u8 {
    let mut i = 0;
    while i < len {
        *s.add(i) ^= 42;
        i += 1;
    }
    s
}
