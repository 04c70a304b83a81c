//! Names of files.

use crate::errno::{self, EISDIR};
use crate::native::{memcpy, mktemp, rmdir, unlink};
use crate::string::strcpy;
use core::ffi::{c_char, c_int};

/// What `tmpnam` fills, with its end.
const TEMPORARY: &[u8; 16] = b"/tmp/fileXXXXXX\0";
static mut TMPNAM: [u8; 20] = [0; 20];

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn tmpnam_r(to: *mut c_char) -> *mut c_char {
    if to.is_null() {
        return to;
    }
    memcpy(to.cast(), TEMPORARY.as_ptr().cast(), TEMPORARY.len());
    mktemp(to)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn tmpnam(to: *mut c_char) -> *mut c_char {
    let to = if to.is_null() {
        (&raw mut TMPNAM).cast()
    } else {
        to
    };
    tmpnam_r(to)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn remove(path: *const c_char) -> c_int {
    if unlink(path) == 0 {
        return 0;
    }
    let error = *errno::__errno_location();
    // Linux says EISDIR for a directory, POSIX EPERM.
    if (error == EISDIR || error == errno::EPERM) && rmdir(path) == 0 {
        return 0;
    }
    -1
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ctermid(to: *mut u8) -> *mut u8 {
    let name: *const u8 = c"/dev/tty".as_ptr().cast();
    if to.is_null() {
        return name.cast_mut();
    }
    strcpy(to, name)
}
