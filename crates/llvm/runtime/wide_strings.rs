//! Wide strings and arrays: `wcs…` and `wmem…` of `wchar.h`.

use crate::ctype;
use crate::native::{malloc, memcpy, memmove};
use core::ffi::{c_int, c_void};
use core::ptr::null_mut;

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcslen(s: *const c_int) -> usize {
    let mut n = 0;
    while *s.add(n) != 0 {
        n += 1;
    }
    n
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcsnlen(s: *const c_int, max: usize) -> usize {
    let mut n = 0;
    while n < max && *s.add(n) != 0 {
        n += 1;
    }
    n
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcscpy(to: *mut c_int, from: *const c_int) -> *mut c_int {
    let mut i = 0;
    loop {
        let c = *from.add(i);
        *to.add(i) = c;
        if c == 0 {
            return to;
        }
        i += 1;
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcsncpy(to: *mut c_int, from: *const c_int, max: usize) -> *mut c_int {
    let mut i = 0;
    while i < max && *from.add(i) != 0 {
        *to.add(i) = *from.add(i);
        i += 1;
    }
    while i < max {
        *to.add(i) = 0;
        i += 1;
    }
    to
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcscat(to: *mut c_int, from: *const c_int) -> *mut c_int {
    wcscpy(to.add(wcslen(to)), from);
    to
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcsncat(to: *mut c_int, from: *const c_int, max: usize) -> *mut c_int {
    let end = to.add(wcslen(to));
    let mut i = 0;
    while i < max && *from.add(i) != 0 {
        *end.add(i) = *from.add(i);
        i += 1;
    }
    *end.add(i) = 0;
    to
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

fn order(x: c_int, y: c_int) -> c_int {
    if x < y { -1 } else { 1 }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcscmp(a: *const c_int, b: *const c_int) -> c_int {
    let mut i = 0;
    loop {
        let (x, y) = (*a.add(i), *b.add(i));
        if x != y {
            return order(x, y);
        }
        if x == 0 {
            return 0;
        }
        i += 1;
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcsncmp(a: *const c_int, b: *const c_int, max: usize) -> c_int {
    let mut i = 0;
    while i < max {
        let (x, y) = (*a.add(i), *b.add(i));
        if x != y {
            return order(x, y);
        }
        if x == 0 {
            return 0;
        }
        i += 1;
    }
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcscoll(a: *const c_int, b: *const c_int) -> c_int {
    wcscmp(a, b)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcscasecmp(a: *const c_int, b: *const c_int) -> c_int {
    let mut i = 0;
    loop {
        let (x, y) = (ctype::tolower(*a.add(i)), ctype::tolower(*b.add(i)));
        if x != y {
            return order(x, y);
        }
        if x == 0 {
            return 0;
        }
        i += 1;
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcschr(s: *const c_int, wanted: c_int) -> *mut c_int {
    let mut i = 0;
    loop {
        let c = *s.add(i);
        if c == wanted {
            return s.add(i).cast_mut();
        }
        if c == 0 {
            return null_mut();
        }
        i += 1;
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcsrchr(s: *const c_int, wanted: c_int) -> *mut c_int {
    let mut i = wcslen(s) + 1;
    while i > 0 {
        i -= 1;
        if *s.add(i) == wanted {
            return s.add(i).cast_mut();
        }
    }
    null_mut()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcsstr(s: *const c_int, wanted: *const c_int) -> *mut c_int {
    let len = wcslen(wanted);
    let mut at = s;
    loop {
        if wcsncmp(at, wanted, len) == 0 {
            return at.cast_mut();
        }
        if *at == 0 {
            return null_mut();
        }
        at = at.add(1);
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcsspn(s: *const c_int, set: *const c_int) -> usize {
    let mut n = 0;
    while *s.add(n) != 0 && !wcschr(set, *s.add(n)).is_null() {
        n += 1;
    }
    n
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcscspn(s: *const c_int, set: *const c_int) -> usize {
    let mut n = 0;
    while *s.add(n) != 0 && wcschr(set, *s.add(n)).is_null() {
        n += 1;
    }
    n
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcspbrk(s: *const c_int, set: *const c_int) -> *mut c_int {
    let at = s.add(wcscspn(s, set));
    if *at == 0 { null_mut() } else { at.cast_mut() }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wmemcpy(to: *mut c_int, from: *const c_int, len: usize) -> *mut c_int {
    memcpy(to.cast(), from.cast(), len.wrapping_mul(4));
    to
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
    let mut i = 0;
    while i < len {
        let (x, y) = (*a.add(i), *b.add(i));
        if x != y {
            return order(x, y);
        }
        i += 1;
    }
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wmemchr(s: *const c_int, wanted: c_int, len: usize) -> *mut c_int {
    let mut i = 0;
    while i < len {
        if *s.add(i) == wanted {
            return s.add(i).cast_mut();
        }
        i += 1;
    }
    null_mut()
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcpcpy(to: *mut c_int, from: *const c_int) -> *mut c_int {
    let mut i = 0;
    loop {
        let c = *from.add(i);
        *to.add(i) = c;
        if c == 0 {
            return to.add(i);
        }
        i += 1;
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcpncpy(to: *mut c_int, from: *const c_int, max: usize) -> *mut c_int {
    let mut i = 0;
    while i < max && *from.add(i) != 0 {
        *to.add(i) = *from.add(i);
        i += 1;
    }
    let end = to.add(i);
    while i < max {
        *to.add(i) = 0;
        i += 1;
    }
    end
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wmempcpy(to: *mut c_int, from: *const c_int, len: usize) -> *mut c_int {
    memcpy(to.cast(), from.cast(), len * 4);
    to.add(len)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcschrnul(s: *const c_int, wanted: c_int) -> *mut c_int {
    let mut i = 0;
    while *s.add(i) != wanted && *s.add(i) != 0 {
        i += 1;
    }
    s.add(i).cast_mut()
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcsncasecmp(a: *const c_int, b: *const c_int, max: usize) -> c_int {
    let mut i = 0;
    while i < max {
        let (x, y) = (ctype::tolower(*a.add(i)), ctype::tolower(*b.add(i)));
        if x != y {
            return if x < y { -1 } else { 1 };
        }
        if x == 0 {
            break;
        }
        i += 1;
    }
    0
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

unsafe fn is_one_of(c: c_int, set: *const c_int) -> bool {
    let mut i = 0;
    while *set.add(i) != 0 {
        if *set.add(i) == c {
            return true;
        }
        i += 1;
    }
    false
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
    while *at != 0 && is_one_of(*at, set) {
        at = at.add(1);
    }
    if *at == 0 {
        *save = null_mut();
        return null_mut();
    }
    let start = at;
    while *at != 0 && !is_one_of(*at, set) {
        at = at.add(1);
    }
    if *at == 0 {
        *save = null_mut();
    } else {
        *at = 0;
        *save = at.add(1);
    }
    start
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcsxfrm(to: *mut c_int, from: *const c_int, size: usize) -> usize {
    let mut len = 0;
    while *from.add(len) != 0 {
        if len < size {
            *to.add(len) = *from.add(len);
        }
        len += 1;
    }
    if len < size {
        *to.add(len) = 0;
    }
    len
}
