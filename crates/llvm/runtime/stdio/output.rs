//! Writing bytes and strings.

use super::buffer::{flush, put, put_bytes, set_idle, unread};
use super::descriptor::{publish, raw_seek};
use super::{__refrain_flush_all, EOF, FILE, PUTTING, stderr, stdout};
use crate::errno;
use crate::string::{strerror, strlen};
use core::ffi::{c_int, c_void};

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fputc(c: c_int, f: *mut FILE) -> c_int {
    put(f, c)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn putc(c: c_int, f: *mut FILE) -> c_int {
    put(f, c)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn _IO_putc(c: c_int, f: *mut FILE) -> c_int {
    put(f, c)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn putc_unlocked(c: c_int, f: *mut FILE) -> c_int {
    put(f, c)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fputc_unlocked(c: c_int, f: *mut FILE) -> c_int {
    put(f, c)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn putchar(c: c_int) -> c_int {
    put(stdout, c)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn putchar_unlocked(c: c_int) -> c_int {
    put(stdout, c)
}

/// What the header's `putc_unlocked` calls when the buffer is full.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __overflow(f: *mut FILE, c: c_int) -> c_int {
    put(f, c)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn puts(s: *const u8) -> c_int {
    let len = strlen(s);
    if put_bytes(stdout, s, len) < len || put(stdout, b'\n' as c_int) == EOF {
        return EOF;
    }
    if len >= c_int::MAX as usize {
        c_int::MAX
    } else {
        len as c_int + 1
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fputs(s: *const u8, f: *mut FILE) -> c_int {
    let len = strlen(s);
    if put_bytes(f, s, len) < len { EOF } else { 1 }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fputs_unlocked(s: *const u8, f: *mut FILE) -> c_int {
    fputs(s, f)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fwrite(
    bytes: *const c_void,
    size: usize,
    count: usize,
    f: *mut FILE,
) -> usize {
    let total = size.wrapping_mul(count);
    if size == 0 || total == 0 {
        return 0;
    }
    let done = put_bytes(f, bytes.cast(), total);
    if done == total { count } else { done / size }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fwrite_unlocked(
    bytes: *const c_void,
    size: usize,
    count: usize,
    f: *mut FILE,
) -> usize {
    fwrite(bytes, size, count, f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn putw(word: c_int, f: *mut FILE) -> c_int {
    if put_bytes(f, (&raw const word).cast(), 4) == 4 {
        0
    } else {
        EOF
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fflush(f: *mut FILE) -> c_int {
    if f.is_null() {
        return __refrain_flush_all();
    }
    let result = flush(f);
    publish(f);
    if (*f).flags & PUTTING == 0 {
        let left = unread(f);
        // Input read ahead goes back to a descriptor that can seek.
        if left > 0 && raw_seek(f, -(left as i64), 1) >= 0 {
            set_idle(f);
        }
    }
    result
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fflush_unlocked(f: *mut FILE) -> c_int {
    fflush(f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn _flushlbf() {
    __refrain_flush_all();
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn perror(s: *const u8) {
    // Before anything here can change it.
    let error = *errno::__errno_location();
    if !s.is_null() && *s != 0 {
        fputs(s, stderr);
        fputs(c": ".as_ptr().cast(), stderr);
    }
    fputs(strerror(error), stderr);
    put(stderr, b'\n' as c_int);
    errno::set(error);
}
