//! `errno`: one for the one thread there is, and the numbers used here.

use core::ffi::c_int;

pub const E2BIG: c_int = 7;
pub const EINTR: c_int = 4;
pub const EBADF: c_int = 9;
pub const ENOMEM: c_int = 12;
pub const EAGAIN: c_int = 11;
pub const EBUSY: c_int = 16;
pub const EINVAL: c_int = 22;
pub const EISDIR: c_int = 21;
pub const ENOSPC: c_int = 28;
pub const EAFNOSUPPORT: c_int = 97;
pub const ERANGE: c_int = 34;
pub const EPERM: c_int = 1;
pub const ESRCH: c_int = 3;
pub const EDEADLK: c_int = 35;
pub const EOVERFLOW: c_int = 75;
pub const EILSEQ: c_int = 84;

/// The machine's own functions store their error here.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut __refrain_errno: c_int = 0;

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __errno_location() -> *mut c_int {
    &raw mut __refrain_errno
}

pub unsafe fn set(error: c_int) {
    *__errno_location() = error;
}
