//! Strings cut into tokens.

use super::search::{strcspn, strspn};
use core::ptr::null_mut;

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strtok_r(s: *mut u8, set: *const u8, save: *mut *mut u8) -> *mut u8 {
    let mut at = if s.is_null() { *save } else { s };
    if at.is_null() {
        return null_mut();
    }
    at = at.add(strspn(at, set));
    if *at == 0 {
        *save = at;
        return null_mut();
    }
    let end = at.add(strcspn(at, set));
    if *end == 0 {
        *save = end;
    } else {
        *end = 0;
        *save = end.add(1);
    }
    at
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __strtok_r(s: *mut u8, set: *const u8, save: *mut *mut u8) -> *mut u8 {
    strtok_r(s, set, save)
}

static mut TOKEN: *mut u8 = null_mut();

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strtok(s: *mut u8, set: *const u8) -> *mut u8 {
    strtok_r(s, set, &raw mut TOKEN)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strsep(cursor: *mut *mut u8, set: *const u8) -> *mut u8 {
    let start = *cursor;
    if start.is_null() {
        return null_mut();
    }
    let end = start.add(strcspn(start, set));
    if *end == 0 {
        *cursor = null_mut();
    } else {
        *end = 0;
        *cursor = end.add(1);
    }
    start
}
