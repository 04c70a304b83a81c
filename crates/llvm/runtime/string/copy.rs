//! The length of strings, and copies of them.

use super::units;
use crate::native::{malloc, memcpy};

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strlen(s: *const u8) -> usize {
    units::length(s)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strnlen(s: *const u8, max: usize) -> usize {
    units::bounded_length(s, max)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn stpcpy(to: *mut u8, from: *const u8) -> *mut u8 {
    units::copy(to, from)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __stpcpy(to: *mut u8, from: *const u8) -> *mut u8 {
    stpcpy(to, from)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strcpy(to: *mut u8, from: *const u8) -> *mut u8 {
    units::copy(to, from);
    to
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn stpncpy(to: *mut u8, from: *const u8, max: usize) -> *mut u8 {
    units::copy_padded(to, from, max)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strncpy(to: *mut u8, from: *const u8, max: usize) -> *mut u8 {
    units::copy_padded(to, from, max);
    to
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strcat(to: *mut u8, from: *const u8) -> *mut u8 {
    units::copy(to.add(strlen(to)), from);
    to
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strncat(to: *mut u8, from: *const u8, max: usize) -> *mut u8 {
    units::append(to, from, max);
    to
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strlcpy(to: *mut u8, from: *const u8, size: usize) -> usize {
    let mut i = 0;
    loop {
        let c = *from.add(i);
        if i < size {
            let last = i + 1 == size;
            *to.add(i) = if last { 0 } else { c };
        }
        if c == 0 {
            return i;
        }
        i += 1;
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strlcat(to: *mut u8, from: *const u8, size: usize) -> usize {
    let start = strnlen(to, size);
    if start == size {
        return size.wrapping_add(strlen(from));
    }
    start + strlcpy(to.add(start), from, size - start)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strxfrm(to: *mut u8, from: *const u8, size: usize) -> usize {
    units::transform(to, from, size)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strdup(s: *const u8) -> *mut u8 {
    let size = strlen(s) + 1;
    let copy = malloc(size).cast::<u8>();
    if !copy.is_null() {
        memcpy(copy.cast(), s.cast(), size);
    }
    copy
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __strdup(s: *const u8) -> *mut u8 {
    strdup(s)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strndup(s: *const u8, max: usize) -> *mut u8 {
    let len = strnlen(s, max);
    let copy = malloc(len + 1).cast::<u8>();
    if !copy.is_null() {
        memcpy(copy.cast(), s.cast(), len);
        *copy.add(len) = 0;
    }
    copy
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __strndup(s: *const u8, max: usize) -> *mut u8 {
    strndup(s, max)
}
