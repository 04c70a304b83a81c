//! What is known of a stream, and its buffer: also `stdio_ext.h`.

use super::buffer::{drop_buffer, flush, pending, set_idle, unread, use_buffer};
use super::{
    EOF, EOF_SEEN, ERROR_SEEN, FILE, LINE_BUFFERED, NO_READS, NO_WRITES, PUSHBACK, PUTTING,
    UNBUFFERED,
};
use crate::errno::{self, EBADF};
use core::ffi::c_int;
use core::ptr::null_mut;

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn feof(f: *mut FILE) -> c_int {
    ((*f).flags & EOF_SEEN != 0) as c_int
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ferror(f: *mut FILE) -> c_int {
    ((*f).flags & ERROR_SEEN != 0) as c_int
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn clearerr(f: *mut FILE) {
    (*f).flags &= !(EOF_SEEN | ERROR_SEEN);
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn feof_unlocked(f: *mut FILE) -> c_int {
    feof(f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ferror_unlocked(f: *mut FILE) -> c_int {
    ferror(f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn clearerr_unlocked(f: *mut FILE) {
    clearerr(f);
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fileno(f: *mut FILE) -> c_int {
    if (*f).fd < 0 {
        errno::set(EBADF);
        return -1;
    }
    (*f).fd
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fileno_unlocked(f: *mut FILE) -> c_int {
    fileno(f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn flockfile(_f: *mut FILE) {}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn funlockfile(_f: *mut FILE) {}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ftrylockfile(_f: *mut FILE) -> c_int {
    0
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn setvbuf(f: *mut FILE, buffer: *mut u8, mode: c_int, size: usize) -> c_int {
    if !(0..3).contains(&mode) {
        return EOF;
    }
    if flush(f) != 0 {
        return EOF;
    }
    (*f).flags &= !(UNBUFFERED | LINE_BUFFERED);
    if mode == 1 {
        (*f).flags |= LINE_BUFFERED;
    } else if mode == 2 {
        (*f).flags |= UNBUFFERED;
    }
    // Input read ahead would be lost with its buffer, and a buffer too small to
    // hold anything besides the pushed-back bytes is none.
    if mode == 0 && !buffer.is_null() && size > 2 * PUSHBACK && unread(f) == 0 {
        drop_buffer(f);
        use_buffer(f, buffer, size);
    } else if (*f).flags & PUTTING != 0 {
        set_idle(f);
    }
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn setbuf(f: *mut FILE, buffer: *mut u8) {
    setbuffer(f, buffer, 8192);
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn setbuffer(f: *mut FILE, buffer: *mut u8, size: usize) {
    setvbuf(f, buffer, if buffer.is_null() { 2 } else { 0 }, size);
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn setlinebuf(f: *mut FILE) {
    setvbuf(f, null_mut(), 1, 0);
}

// `stdio_ext.h`.

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __fpending(f: *mut FILE) -> usize {
    pending(f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __fbufsize(f: *mut FILE) -> usize {
    (*f).buf_end as usize - (*f).buf_base as usize
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __freading(f: *mut FILE) -> c_int {
    ((*f).flags & NO_WRITES != 0 || ((*f).flags & PUTTING == 0 && (*f).read_base != (*f).read_end))
        as c_int
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __fwriting(f: *mut FILE) -> c_int {
    ((*f).flags & NO_READS != 0 || (*f).flags & PUTTING != 0) as c_int
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __freadable(f: *mut FILE) -> c_int {
    ((*f).flags & NO_READS == 0) as c_int
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __fwritable(f: *mut FILE) -> c_int {
    ((*f).flags & NO_WRITES == 0) as c_int
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __flbf(f: *mut FILE) -> c_int {
    ((*f).flags & LINE_BUFFERED != 0) as c_int
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __fpurge(f: *mut FILE) {
    let putting = (*f).flags & PUTTING;
    if putting != 0 {
        (*f).write_ptr = (*f).write_base;
    } else {
        set_idle(f);
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __fsetlocking(_f: *mut FILE, _how: c_int) -> c_int {
    1
}
