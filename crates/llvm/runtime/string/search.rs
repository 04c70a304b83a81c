//! Characters and strings within strings.

use super::compare::strncasecmp;
use super::copy::strlen;
use core::ffi::c_int;
use core::ptr::null_mut;

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strchr(s: *const u8, wanted: c_int) -> *mut u8 {
    let mut i = 0;
    loop {
        let c = *s.add(i);
        if c == wanted as u8 {
            return s.add(i).cast_mut();
        }
        if c == 0 {
            return null_mut();
        }
        i += 1;
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strchrnul(s: *const u8, wanted: c_int) -> *mut u8 {
    let mut i = 0;
    loop {
        let c = *s.add(i);
        if c == wanted as u8 {
            return s.add(i).cast_mut();
        }
        if c == 0 {
            return s.add(i).cast_mut();
        }
        i += 1;
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strrchr(s: *const u8, wanted: c_int) -> *mut u8 {
    let mut i = strlen(s) + 1;
    while i > 0 {
        i -= 1;
        if *s.add(i) == wanted as u8 {
            return s.add(i).cast_mut();
        }
    }
    null_mut()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn index(s: *const u8, wanted: c_int) -> *mut u8 {
    strchr(s, wanted)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn rindex(s: *const u8, wanted: c_int) -> *mut u8 {
    strrchr(s, wanted)
}

/// Whether `s` begins with `prefix`.
unsafe fn starts_with(s: *const u8, prefix: *const u8) -> bool {
    let mut i = 0;
    loop {
        let c = *prefix.add(i);
        if c == 0 {
            return true;
        }
        // A shorter `s` ends here too: its terminator is not `c`.
        if *s.add(i) != c {
            return false;
        }
        i += 1;
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strstr(s: *const u8, wanted: *const u8) -> *mut u8 {
    let mut at = s;
    loop {
        if starts_with(at, wanted) {
            return at.cast_mut();
        }
        if *at == 0 {
            return null_mut();
        }
        at = at.add(1);
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strcasestr(s: *const u8, wanted: *const u8) -> *mut u8 {
    let len = strlen(wanted);
    let mut at = s;
    loop {
        if strncasecmp(at, wanted, len) == 0 {
            return at.cast_mut();
        }
        if *at == 0 {
            return null_mut();
        }
        at = at.add(1);
    }
}

/// Whether `c`, not the terminator, is one of `set`.
unsafe fn is_in(c: u8, set: *const u8) -> bool {
    let mut i = 0;
    loop {
        let member = *set.add(i);
        if member == 0 {
            return false;
        }
        if member == c {
            return true;
        }
        i += 1;
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strspn(s: *const u8, set: *const u8) -> usize {
    let mut n = 0;
    loop {
        let c = *s.add(n);
        if c == 0 {
            return n;
        }
        if !is_in(c, set) {
            return n;
        }
        n += 1;
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strcspn(s: *const u8, set: *const u8) -> usize {
    let mut n = 0;
    loop {
        let c = *s.add(n);
        if c == 0 {
            return n;
        }
        if is_in(c, set) {
            return n;
        }
        n += 1;
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strpbrk(s: *const u8, set: *const u8) -> *mut u8 {
    let at = s.add(strcspn(s, set));
    if *at == 0 { null_mut() } else { at.cast_mut() }
}
