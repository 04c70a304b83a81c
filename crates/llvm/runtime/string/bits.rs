//! The first bit that is set.

use core::ffi::c_int;

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ffsll(value: i64) -> c_int {
    if value == 0 {
        0
    } else {
        value.trailing_zeros() as c_int + 1
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ffsl(value: i64) -> c_int {
    ffsll(value)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ffs(value: c_int) -> c_int {
    ffsll(value as i64)
}
