//! The parts of a path: `libgen.h`.

use super::copy::strlen;
use super::search::strrchr;
use core::ffi::c_int;

/// GNU's `basename`: what follows the last slash, perhaps nothing.
#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn basename(path: *const u8) -> *mut u8 {
    let slash = strrchr(path, b'/' as c_int);
    if slash.is_null() {
        path.cast_mut()
    } else {
        slash.add(1)
    }
}

/// The `basename` of `libgen.h`, which cuts trailing slashes off its argument.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __xpg_basename(path: *mut u8) -> *mut u8 {
    if path.is_null() || *path == 0 {
        return c".".as_ptr().cast_mut().cast();
    }
    let mut end = strlen(path);
    while end > 1 && *path.add(end - 1) == b'/' {
        end -= 1;
    }
    if end == 1 && *path == b'/' {
        // Nothing but slashes: the last of them.
        return path.add(strlen(path) - 1);
    }
    *path.add(end) = 0;
    basename(path)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn dirname(path: *mut u8) -> *mut u8 {
    let dot: *mut u8 = c".".as_ptr().cast_mut().cast();
    if path.is_null() {
        return dot;
    }
    let mut end = strlen(path);
    let mut all_slashes = true;
    // Back over trailing slashes, the last component, the slashes before it.
    while end > 0 && *path.add(end - 1) == b'/' {
        end -= 1;
    }
    while end > 0 && *path.add(end - 1) != b'/' {
        all_slashes = false;
        end -= 1;
    }
    if end == 0 {
        if !all_slashes || *path == 0 {
            return dot;
        }
        end = strlen(path);
    }
    let slashes_end = end;
    while end > 0 && *path.add(end - 1) == b'/' {
        end -= 1;
    }
    if end == 0 {
        // The root; exactly two leading slashes are a name of their own.
        end = if slashes_end == 2 { 2 } else { 1 };
    }
    *path.add(end) = 0;
    path
}
