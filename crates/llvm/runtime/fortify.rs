//! What `_FORTIFY_SOURCE` makes of calls: the plain function, if the object is
//! large enough for what it is asked to hold.

use crate::native::{__chk_fail, memcpy, memmove, memset, read};
use crate::stdio::{FILE, fgets, fread};
use crate::string::{
    mempcpy, stpcpy, stpncpy, strcat, strcpy, strlcat, strlcpy, strlen, strncat, strncpy, strnlen,
};
use core::ffi::{c_int, c_void};

/// An object of unknown size has the largest there is.
unsafe fn check(needed: usize, size: usize) {
    if needed > size {
        __chk_fail();
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __memcpy_chk(
    to: *mut c_void,
    from: *const c_void,
    len: usize,
    size: usize,
) -> *mut c_void {
    check(len, size);
    memcpy(to, from, len)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __memmove_chk(
    to: *mut c_void,
    from: *const c_void,
    len: usize,
    size: usize,
) -> *mut c_void {
    check(len, size);
    memmove(to, from, len)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __mempcpy_chk(
    to: *mut u8,
    from: *const u8,
    len: usize,
    size: usize,
) -> *mut u8 {
    check(len, size);
    mempcpy(to, from, len)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __memset_chk(
    to: *mut c_void,
    byte: c_int,
    len: usize,
    size: usize,
) -> *mut c_void {
    check(len, size);
    memset(to, byte, len)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __explicit_bzero_chk(to: *mut c_void, len: usize, size: usize) {
    check(len, size);
    memset(to, 0, len);
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __strcpy_chk(to: *mut u8, from: *const u8, size: usize) -> *mut u8 {
    if size != usize::MAX {
        check(strnlen(from, size) + 1, size);
    }
    strcpy(to, from)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __stpcpy_chk(to: *mut u8, from: *const u8, size: usize) -> *mut u8 {
    if size != usize::MAX {
        check(strnlen(from, size) + 1, size);
    }
    stpcpy(to, from)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __strncpy_chk(
    to: *mut u8,
    from: *const u8,
    len: usize,
    size: usize,
) -> *mut u8 {
    check(len, size);
    strncpy(to, from, len)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __stpncpy_chk(
    to: *mut u8,
    from: *const u8,
    len: usize,
    size: usize,
) -> *mut u8 {
    check(len, size);
    stpncpy(to, from, len)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __strcat_chk(to: *mut u8, from: *const u8, size: usize) -> *mut u8 {
    if size != usize::MAX {
        check(strlen(to) + strlen(from) + 1, size);
    }
    strcat(to, from)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __strncat_chk(
    to: *mut u8,
    from: *const u8,
    len: usize,
    size: usize,
) -> *mut u8 {
    if size != usize::MAX {
        check(strlen(to) + strnlen(from, len) + 1, size);
    }
    strncat(to, from, len)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __strlcpy_chk(
    to: *mut u8,
    from: *const u8,
    room: usize,
    size: usize,
) -> usize {
    check(room, size);
    strlcpy(to, from, room)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __strlcat_chk(
    to: *mut u8,
    from: *const u8,
    room: usize,
    size: usize,
) -> usize {
    check(room, size);
    strlcat(to, from, room)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __fgets_chk(
    to: *mut u8,
    size: usize,
    room: c_int,
    f: *mut FILE,
) -> *mut u8 {
    if room > 0 {
        check(room as usize, size);
    }
    fgets(to, room, f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __fgets_unlocked_chk(
    to: *mut u8,
    size: usize,
    room: c_int,
    f: *mut FILE,
) -> *mut u8 {
    __fgets_chk(to, size, room, f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __gets_chk(to: *mut u8, size: usize) -> *mut u8 {
    // A line as long as the object is one too long.
    let mut n = 0;
    loop {
        let c = crate::stdio::getchar();
        if c == -1 && n == 0 {
            return core::ptr::null_mut();
        }
        check(n + 1, size);
        if c == -1 || c == b'\n' as c_int {
            *to.add(n) = 0;
            return to;
        }
        *to.add(n) = c as u8;
        n += 1;
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __fread_chk(
    to: *mut c_void,
    size: usize,
    element: usize,
    count: usize,
    f: *mut FILE,
) -> usize {
    // Nothing to read needs no room, and saves a division by nothing.
    if element != 0 && count > size / element {
        __chk_fail();
    }
    fread(to, element, count, f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __fread_unlocked_chk(
    to: *mut c_void,
    size: usize,
    element: usize,
    count: usize,
    f: *mut FILE,
) -> usize {
    __fread_chk(to, size, element, count, f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __read_chk(fd: c_int, to: *mut c_void, len: usize, size: usize) -> isize {
    check(len, size);
    read(fd, to, len)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __wmemcpy_chk(
    to: *mut c_int,
    from: *const c_int,
    len: usize,
    size: usize,
) -> *mut c_int {
    check(len, size);
    crate::wide_strings::wmemcpy(to, from, len)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __wmemset_chk(
    to: *mut c_int,
    c: c_int,
    len: usize,
    size: usize,
) -> *mut c_int {
    check(len, size);
    crate::wide_strings::wmemset(to, c, len)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __wcscpy_chk(
    to: *mut c_int,
    from: *const c_int,
    size: usize,
) -> *mut c_int {
    check(crate::wide_strings::wcslen(from) + 1, size);
    crate::wide_strings::wcscpy(to, from)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __mbstowcs_chk(
    to: *mut c_int,
    from: *const u8,
    len: usize,
    size: usize,
) -> usize {
    check(len, size);
    crate::wide::mbstowcs(to, from, len)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __wcstombs_chk(
    to: *mut u8,
    from: *const c_int,
    len: usize,
    size: usize,
) -> usize {
    check(len, size);
    crate::wide::wcstombs(to, from, len)
}
