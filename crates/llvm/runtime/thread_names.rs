//! Names of threads: 15 bytes at most, at first that of the program.

use crate::errno::{ERANGE, ESRCH};
use crate::native::{memcpy, memset};
use crate::schedule::{Thread, find_thread, running};
use crate::string::strlen;
use core::ffi::{c_int, c_ulong};

const ROOM: usize = 16;

/// A new thread has that of its creator.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Name {
    is_set: bool,
    bytes: [u8; ROOM],
}

impl Name {
    pub const NONE: Name = Name {
        is_set: false,
        bytes: [0; ROOM],
    };
}

unsafe fn set(thread: *mut Thread, name: *const u8, len: usize) {
    let bytes = (&raw mut (*thread).name.bytes).cast::<u8>();
    let len = if len < ROOM { len } else { ROOM - 1 };
    memset(bytes.cast(), 0, ROOM);
    memcpy(bytes.cast(), name.cast(), len);
    (*thread).name.is_set = true;
}

unsafe fn get(thread: *mut Thread, to: *mut u8) {
    if !(*thread).name.is_set {
        let program = crate::messages::__progname;
        set(thread, program, strlen(program));
    }
    memcpy(to.cast(), (&raw const (*thread).name.bytes).cast(), ROOM);
}

/// `prctl` with `PR_SET_NAME`: what does not fit is cut off.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_set_name(name: *const u8) -> c_int {
    let mut len = 0;
    while len < ROOM - 1 && *name.add(len) != 0 {
        len += 1;
    }
    set(running(), name, len);
    0
}

/// `prctl` with `PR_GET_NAME`
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_get_name(to: *mut u8) -> c_int {
    get(running(), to);
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_setname_np(number: c_ulong, name: *const u8) -> c_int {
    let len = strlen(name);
    if len >= ROOM {
        return ERANGE;
    }
    let thread = find_thread(number);
    if thread.is_null() {
        return ESRCH;
    }
    set(thread, name, len);
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_getname_np(number: c_ulong, to: *mut u8, room: usize) -> c_int {
    if room < ROOM {
        return ERANGE;
    }
    let thread = find_thread(number);
    if thread.is_null() {
        return ESRCH;
    }
    get(thread, to);
    0
}
