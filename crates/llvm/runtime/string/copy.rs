//! The length of strings, and copies of them.

use crate::native::{malloc, memcpy};

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strlen(s: *const u8) -> usize {
    let mut n = 0;
    while *s.add(n) != 0 {
        n += 1;
    }
    n
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strnlen(s: *const u8, max: usize) -> usize {
    let mut n = 0;
    while n < max && *s.add(n) != 0 {
        n += 1;
    }
    n
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn stpcpy(to: *mut u8, from: *const u8) -> *mut u8 {
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
pub unsafe extern "C" fn __stpcpy(to: *mut u8, from: *const u8) -> *mut u8 {
    stpcpy(to, from)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strcpy(to: *mut u8, from: *const u8) -> *mut u8 {
    stpcpy(to, from);
    to
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn stpncpy(to: *mut u8, from: *const u8, max: usize) -> *mut u8 {
    let mut i = 0;
    while i < max {
        let c = *from.add(i);
        if c == 0 {
            break;
        }
        *to.add(i) = c;
        i += 1;
    }
    let end = to.add(i);
    while i < max {
        *to.add(i) = 0;
        i += 1;
    }
    end
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strncpy(to: *mut u8, from: *const u8, max: usize) -> *mut u8 {
    stpncpy(to, from, max);
    to
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strcat(to: *mut u8, from: *const u8) -> *mut u8 {
    stpcpy(to.add(strlen(to)), from);
    to
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strncat(to: *mut u8, from: *const u8, max: usize) -> *mut u8 {
    let end = to.add(strlen(to));
    let mut i = 0;
    while i < max {
        let c = *from.add(i);
        if c == 0 {
            break;
        }
        *end.add(i) = c;
        i += 1;
    }
    *end.add(i) = 0;
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
    let len = strlen(from);
    stpncpy(to, from, if len < size { len + 1 } else { size });
    len
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
