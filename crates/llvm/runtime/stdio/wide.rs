//! Wide characters on a stream of bytes: UTF-8 where the locale has it, else ASCII.

use super::buffer::{get, put, put_bytes};
use super::input::ungetc;
use super::{EOF, ERROR_SEEN, FILE, stdin, stdout};
use crate::{ctype, errno, utf8};
use core::ffi::c_int;

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fputwc(c: c_int, f: *mut FILE) -> c_int {
    if c as u32 >= 128 && ctype::is_utf8() {
        let mut bytes = [0u8; 4];
        let text = (&raw mut bytes).cast::<u8>();
        let len = utf8::write(text, c);
        if len != usize::MAX {
            return if put_bytes(f, text, len) == len {
                c
            } else {
                EOF
            };
        }
    }
    if c as u32 >= 128 {
        errno::set(errno::EILSEQ);
        (*f).flags |= ERROR_SEEN;
        return EOF;
    }
    put(f, c)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn putwc(c: c_int, f: *mut FILE) -> c_int {
    fputwc(c, f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn putwchar(c: c_int) -> c_int {
    fputwc(c, stdout)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fputws(s: *const c_int, f: *mut FILE) -> c_int {
    let mut i = 0;
    while *s.add(i) != 0 {
        if fputwc(*s.add(i), f) == EOF {
            return EOF;
        }
        i += 1;
    }
    1
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fgetwc(f: *mut FILE) -> c_int {
    let c = get(f);
    if c >= 128 && ctype::is_utf8() {
        let mut state = 0u64;
        let (mut wide, mut byte) = (0, c);
        loop {
            let next = byte as u8;
            let used = utf8::read(&raw mut wide, &raw const next, 1, (&raw mut state).cast());
            if used == 1 {
                return wide;
            }
            if used == usize::MAX {
                break;
            }
            byte = get(f);
            if byte == EOF {
                break;
            }
        }
    }
    if c >= 128 {
        errno::set(errno::EILSEQ);
        (*f).flags |= ERROR_SEEN;
        return EOF;
    }
    c
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getwc(f: *mut FILE) -> c_int {
    fgetwc(f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getwchar() -> c_int {
    fgetwc(stdin)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ungetwc(c: c_int, f: *mut FILE) -> c_int {
    if c >= 128 && ctype::is_utf8() {
        let mut bytes = [0u8; 4];
        let text = (&raw mut bytes).cast::<u8>();
        let mut len = utf8::write(text, c);
        while len != usize::MAX && len > 0 {
            len -= 1;
            if ungetc(*text.add(len) as c_int, f) == EOF {
                return EOF;
            }
        }
        return if len == 0 { c } else { EOF };
    }
    ungetc(c, f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fwide(_f: *mut FILE, _mode: c_int) -> c_int {
    0
}
