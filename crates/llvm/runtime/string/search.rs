//! Characters and strings within strings.

use super::compare::strncasecmp;
use super::copy::strlen;
use super::units;
use core::ffi::c_int;
use core::ptr::null_mut;

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strchr(s: *const u8, wanted: c_int) -> *mut u8 {
    units::find(s, wanted as u8)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strchrnul(s: *const u8, wanted: c_int) -> *mut u8 {
    units::find_or_end(s, wanted as u8)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strrchr(s: *const u8, wanted: c_int) -> *mut u8 {
    units::find_last(s, wanted as u8)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn index(s: *const u8, wanted: c_int) -> *mut u8 {
    strchr(s, wanted)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn rindex(s: *const u8, wanted: c_int) -> *mut u8 {
    strrchr(s, wanted)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strstr(s: *const u8, wanted: *const u8) -> *mut u8 {
    units::find_string(s, wanted)
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

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strspn(s: *const u8, set: *const u8) -> usize {
    units::span(s, set, true)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strcspn(s: *const u8, set: *const u8) -> usize {
    units::span(s, set, false)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strpbrk(s: *const u8, set: *const u8) -> *mut u8 {
    units::find_member(s, set)
}
