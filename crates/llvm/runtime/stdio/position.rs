//! Positions.

use super::buffer::{flush, pending, set_idle, unread};
use super::descriptor::{publish, raw_seek};
use super::{APPENDING, EOF_SEEN, ERROR_SEEN, FILE, PUTTING};
use crate::errno::{self, EINVAL, EOVERFLOW};
use core::ffi::{c_int, c_long};

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fseeko(f: *mut FILE, offset: i64, whence: c_int) -> c_int {
    if !(0..3).contains(&whence) {
        errno::set(EINVAL);
        return -1;
    }
    if flush(f) != 0 {
        return -1;
    }
    let mut offset = offset;
    if whence == 1 && (*f).flags & PUTTING == 0 {
        // The program is behind the descriptor by what it has not read.
        offset = offset.wrapping_sub(unread(f) as i64);
    }
    if raw_seek(f, offset, whence) < 0 {
        return -1;
    }
    set_idle(f);
    (*f).flags &= !EOF_SEEN;
    publish(f);
    0
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ftello(f: *mut FILE) -> i64 {
    let writing = (*f).flags & PUTTING != 0;
    // An appending stream's bytes go to the end, wherever the descriptor is.
    let at = if writing && (*f).flags & APPENDING != 0 && pending(f) > 0 {
        raw_seek(f, 0, 2)
    } else {
        raw_seek(f, 0, 1)
    };
    if at < 0 {
        return -1;
    }
    if writing {
        at + pending(f) as i64
    } else {
        at - unread(f) as i64
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fseek(f: *mut FILE, offset: c_long, whence: c_int) -> c_int {
    fseeko(f, offset, whence)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fseeko64(f: *mut FILE, offset: i64, whence: c_int) -> c_int {
    fseeko(f, offset, whence)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ftell(f: *mut FILE) -> c_long {
    ftello(f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ftello64(f: *mut FILE) -> i64 {
    ftello(f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn rewind(f: *mut FILE) {
    fseeko(f, 0, 0);
    (*f).flags &= !ERROR_SEEN;
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fgetpos(f: *mut FILE, position: *mut i64) -> c_int {
    let at = ftello(f);
    if at < 0 {
        if *errno::__errno_location() == 0 {
            errno::set(EOVERFLOW);
        }
        return -1;
    }
    *position = at;
    0
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fsetpos(f: *mut FILE, position: *const i64) -> c_int {
    fseeko(f, *position, 0)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fgetpos64(f: *mut FILE, position: *mut i64) -> c_int {
    fgetpos(f, position)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fsetpos64(f: *mut FILE, position: *const i64) -> c_int {
    fsetpos(f, position)
}
