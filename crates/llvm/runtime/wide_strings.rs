//! Wide strings and arrays: `wcs…` and `wmem…` of `wchar.h`.

use crate::native::{malloc, memcpy, memmove};
use crate::string::units;
use crate::wide::towlower;
use core::ffi::{c_int, c_void};
use core::ptr::null_mut;

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcslen(s: *const c_int) -> usize {
    units::length(s)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcsnlen(s: *const c_int, max: usize) -> usize {
    units::bounded_length(s, max)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcpcpy(to: *mut c_int, from: *const c_int) -> *mut c_int {
    units::copy(to, from)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcscpy(to: *mut c_int, from: *const c_int) -> *mut c_int {
    units::copy(to, from);
    to
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcpncpy(to: *mut c_int, from: *const c_int, max: usize) -> *mut c_int {
    units::copy_padded(to, from, max)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcsncpy(to: *mut c_int, from: *const c_int, max: usize) -> *mut c_int {
    units::copy_padded(to, from, max);
    to
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcscat(to: *mut c_int, from: *const c_int) -> *mut c_int {
    units::copy(to.add(wcslen(to)), from);
    to
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcsncat(to: *mut c_int, from: *const c_int, max: usize) -> *mut c_int {
    units::append(to, from, max);
    to
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcsxfrm(to: *mut c_int, from: *const c_int, size: usize) -> usize {
    units::transform(to, from, size)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcsdup(s: *const c_int) -> *mut c_int {
    let size = (wcslen(s) + 1) * 4;
    let copy = malloc(size).cast::<c_int>();
    if !copy.is_null() {
        memcpy(copy.cast(), s.cast(), size);
    }
    copy
}

fn order(difference: Option<(c_int, c_int)>) -> c_int {
    match difference {
        Some((x, y)) if x < y => -1,
        Some(_) => 1,
        None => 0,
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcscmp(a: *const c_int, b: *const c_int) -> c_int {
    wcsncmp(a, b, usize::MAX)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcsncmp(a: *const c_int, b: *const c_int, max: usize) -> c_int {
    order(units::difference(a, b, max, |c| c))
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcscoll(a: *const c_int, b: *const c_int) -> c_int {
    wcscmp(a, b)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcscasecmp(a: *const c_int, b: *const c_int) -> c_int {
    wcsncasecmp(a, b, usize::MAX)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcsncasecmp(a: *const c_int, b: *const c_int, max: usize) -> c_int {
    order(units::difference(a, b, max, |c| {
        towlower(c as u32) as c_int
    }))
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcsncasecmp_l(
    a: *const c_int,
    b: *const c_int,
    max: usize,
    _locale: *mut c_void,
) -> c_int {
    wcsncasecmp(a, b, max)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcschr(s: *const c_int, wanted: c_int) -> *mut c_int {
    units::find(s, wanted)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcschrnul(s: *const c_int, wanted: c_int) -> *mut c_int {
    units::find_or_end(s, wanted)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcsrchr(s: *const c_int, wanted: c_int) -> *mut c_int {
    units::find_last(s, wanted)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcsstr(s: *const c_int, wanted: *const c_int) -> *mut c_int {
    units::find_string(s, wanted)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcsspn(s: *const c_int, set: *const c_int) -> usize {
    units::span(s, set, true)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcscspn(s: *const c_int, set: *const c_int) -> usize {
    units::span(s, set, false)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcspbrk(s: *const c_int, set: *const c_int) -> *mut c_int {
    units::find_member(s, set)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcstok(
    s: *mut c_int,
    set: *const c_int,
    save: *mut *mut c_int,
) -> *mut c_int {
    let mut at = if s.is_null() { *save } else { s };
    if at.is_null() {
        return null_mut();
    }
    at = at.add(units::span(at, set, true));
    if *at == 0 {
        *save = null_mut();
        return null_mut();
    }
    let end = at.add(units::span(at, set, false));
    if *end == 0 {
        *save = null_mut();
    } else {
        *end = 0;
        *save = end.add(1);
    }
    at
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wmemcpy(to: *mut c_int, from: *const c_int, len: usize) -> *mut c_int {
    memcpy(to.cast(), from.cast(), len.wrapping_mul(4));
    to
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wmempcpy(to: *mut c_int, from: *const c_int, len: usize) -> *mut c_int {
    memcpy(to.cast(), from.cast(), len * 4);
    to.add(len)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wmemmove(to: *mut c_int, from: *const c_int, len: usize) -> *mut c_int {
    memmove(to.cast(), from.cast(), len.wrapping_mul(4));
    to
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wmemset(to: *mut c_int, c: c_int, len: usize) -> *mut c_int {
    let mut i = 0;
    while i < len {
        *to.add(i) = c;
        i += 1;
    }
    to
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wmemcmp(a: *const c_int, b: *const c_int, len: usize) -> c_int {
    order(units::array_difference(a, b, len))
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wmemchr(s: *const c_int, wanted: c_int, len: usize) -> *mut c_int {
    units::find_in_array(s, wanted, len)
}
