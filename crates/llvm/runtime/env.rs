//! The environment: an array of `NAME=value` the program may see and replace.

use crate::errno::{self, EINVAL, ENOMEM};
use crate::native::{malloc, memcpy};
use crate::string::{strchr, strlen, strncmp};
use core::ffi::c_int;
use core::ptr::null_mut;

/// Set by the machine before `main`.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut environ: *mut *mut u8 = null_mut();
/// The same under the C library's own name, kept equal by what is here.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut __environ: *mut *mut u8 = null_mut();
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut _environ: *mut *mut u8 = null_mut();
/// The last array allocated here: only that one has room to grow into.
static mut OWN: *mut *mut u8 = null_mut();
static mut OWN_ROOM: usize = 0;

unsafe fn set_environ(entries: *mut *mut u8) {
    environ = entries;
    __environ = entries;
    _environ = entries;
}

/// The entry of the name that is the first `len` bytes of `name`, or null.
unsafe fn find(name: *const u8, len: usize) -> *mut *mut u8 {
    let mut at = environ;
    if at.is_null() {
        return at;
    }
    while !(*at).is_null() {
        if strncmp(*at, name, len) == 0 && *(*at).add(len) == b'=' {
            return at;
        }
        at = at.add(1);
    }
    null_mut()
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getenv(name: *const u8) -> *mut u8 {
    let len = strlen(name);
    let entry = find(name, len);
    if len == 0 || entry.is_null() {
        null_mut()
    } else {
        (*entry).add(len + 1)
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn secure_getenv(name: *const u8) -> *mut u8 {
    getenv(name)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __secure_getenv(name: *const u8) -> *mut u8 {
    getenv(name)
}

/// Makes `entry` the entry of the name that is its first `len` bytes.
unsafe fn put(entry: *mut u8, len: usize) -> c_int {
    let old = find(entry, len);
    if !old.is_null() {
        *old = entry;
        return 0;
    }
    let mut count = 0;
    if !environ.is_null() {
        while !(*environ.add(count)).is_null() {
            count += 1;
        }
    }
    if environ != OWN || count + 2 > OWN_ROOM {
        let room = (count + 2) * 2;
        let entries = malloc(room * size_of::<*mut u8>()).cast::<*mut u8>();
        if entries.is_null() {
            errno::set(ENOMEM);
            return -1;
        }
        if count > 0 {
            memcpy(entries.cast(), environ.cast(), count * size_of::<*mut u8>());
        }
        // The old array stays: the program may hold a pointer into it.
        OWN = entries;
        OWN_ROOM = room;
        set_environ(entries);
    }
    *environ.add(count) = entry;
    *environ.add(count + 1) = null_mut();
    0
}

unsafe fn is_name(name: *const u8) -> bool {
    let ok = !name.is_null() && *name != 0 && strchr(name, b'=' as c_int).is_null();
    if !ok {
        errno::set(EINVAL);
    }
    ok
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn setenv(name: *const u8, value: *const u8, replace: c_int) -> c_int {
    if !is_name(name) {
        return -1;
    }
    let len = strlen(name);
    if replace == 0 && !find(name, len).is_null() {
        return 0;
    }
    let size = strlen(value) + 1;
    let entry = malloc(len + 1 + size).cast::<u8>();
    if entry.is_null() {
        errno::set(ENOMEM);
        return -1;
    }
    memcpy(entry.cast(), name.cast(), len);
    *entry.add(len) = b'=';
    memcpy(entry.add(len + 1).cast(), value.cast(), size);
    put(entry, len)
}

unsafe fn remove(name: *const u8, len: usize) {
    loop {
        let mut at = find(name, len);
        if at.is_null() {
            return;
        }
        while !(*at).is_null() {
            *at = *at.add(1);
            at = at.add(1);
        }
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn unsetenv(name: *const u8) -> c_int {
    if !is_name(name) {
        return -1;
    }
    remove(name, strlen(name));
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn putenv(entry: *mut u8) -> c_int {
    let sign = strchr(entry, b'=' as c_int);
    if sign.is_null() {
        remove(entry, strlen(entry));
        return 0;
    }
    put(entry, sign as usize - entry as usize)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn clearenv() -> c_int {
    set_environ(null_mut());
    0
}

/// Programs ask before they use what is newer.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn gnu_get_libc_version() -> *const u8 {
    c"2.36".as_ptr().cast()
}
