//! Reading bytes, blocks and lines.

use super::buffer::{fill, flush, get, provide_buffer, raw_read_flushing, set_idle, unread};
use super::{BUFFER, EOF, EOF_SEEN, ERROR_SEEN, FILE, NO_READS, PUTTING, stdin};
use crate::errno::{self, EINVAL};
use crate::native::{memcpy, realloc};
use core::ffi::{c_int, c_void};
use core::ptr::null_mut;

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fgetc(f: *mut FILE) -> c_int {
    get(f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getc(f: *mut FILE) -> c_int {
    get(f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn _IO_getc(f: *mut FILE) -> c_int {
    get(f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getc_unlocked(f: *mut FILE) -> c_int {
    get(f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fgetc_unlocked(f: *mut FILE) -> c_int {
    get(f)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getchar() -> c_int {
    get(stdin)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getchar_unlocked() -> c_int {
    get(stdin)
}

/// What the header's `getc_unlocked` calls when the buffer is empty.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __uflow(f: *mut FILE) -> c_int {
    get(f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __underflow(f: *mut FILE) -> c_int {
    if (*f).read_ptr == (*f).read_end && !fill(f) {
        return EOF;
    }
    *(*f).read_ptr as c_int
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getw(f: *mut FILE) -> c_int {
    let mut word: c_int = 0;
    if fread((&raw mut word).cast(), 4, 1, f) == 1 {
        word
    } else {
        EOF
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ungetc(c: c_int, f: *mut FILE) -> c_int {
    if c == EOF || (*f).flags & NO_READS != 0 || !provide_buffer(f) {
        return EOF;
    }
    if (*f).flags & PUTTING != 0 {
        if flush(f) != 0 {
            return EOF;
        }
        set_idle(f);
    }
    if (*f).read_ptr == (*f).block {
        return EOF;
    }
    (*f).read_ptr = (*f).read_ptr.sub(1);
    *(*f).read_ptr = c as u8;
    (*f).flags &= !EOF_SEEN;
    c as u8 as c_int
}

unsafe fn get_bytes(f: *mut FILE, to: *mut u8, len: usize) -> usize {
    let mut done = 0;
    while done < len {
        let left = len - done;
        let ready = unread(f);
        if ready > 0 {
            let n = if left < ready { left } else { ready };
            memcpy(to.add(done).cast(), (*f).read_ptr.cast(), n);
            (*f).read_ptr = (*f).read_ptr.add(n);
            done += n;
            continue;
        }
        let direct = left >= BUFFER && (*f).flags & (NO_READS | PUTTING | EOF_SEEN) == 0;
        if direct {
            let n = raw_read_flushing(f, to.add(done), left - left % BUFFER);
            if n <= 0 {
                break;
            }
            done += n as usize;
        } else if !fill(f) {
            break;
        }
    }
    done
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fread(to: *mut c_void, size: usize, count: usize, f: *mut FILE) -> usize {
    let total = size.wrapping_mul(count);
    if size == 0 || total == 0 {
        return 0;
    }
    let done = get_bytes(f, to.cast(), total);
    if done == total { count } else { done / size }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fread_unlocked(
    to: *mut c_void,
    size: usize,
    count: usize,
    f: *mut FILE,
) -> usize {
    fread(to, size, count, f)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fgets(to: *mut u8, size: c_int, f: *mut FILE) -> *mut u8 {
    if size <= 0 {
        return null_mut();
    }
    let room = size as usize - 1;
    let mut n = 0;
    // An error already noted is not this call's.
    let noted = (*f).flags & ERROR_SEEN;
    (*f).flags &= !ERROR_SEEN;
    while n < room {
        let c = get(f);
        if c == EOF {
            break;
        }
        *to.add(n) = c as u8;
        n += 1;
        if c == b'\n' as c_int {
            break;
        }
    }
    let failed = (*f).flags & ERROR_SEEN != 0;
    (*f).flags |= noted;
    if (n == 0 && room > 0) || failed {
        return null_mut();
    }
    *to.add(n) = 0;
    to
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fgets_unlocked(to: *mut u8, size: c_int, f: *mut FILE) -> *mut u8 {
    fgets(to, size, f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn gets(to: *mut u8) -> *mut u8 {
    let mut n = 0;
    loop {
        let c = get(stdin);
        if c == EOF {
            if n == 0 {
                return null_mut();
            }
            break;
        }
        if c == b'\n' as c_int {
            break;
        }
        *to.add(n) = c as u8;
        n += 1;
    }
    *to.add(n) = 0;
    to
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getdelim(
    line: *mut *mut u8,
    size: *mut usize,
    last: c_int,
    f: *mut FILE,
) -> isize {
    if line.is_null() || size.is_null() {
        errno::set(EINVAL);
        return -1;
    }
    if (*line).is_null() || *size == 0 {
        *line = realloc((*line).cast(), 120).cast();
        if (*line).is_null() {
            return -1;
        }
        *size = 120;
    }
    let mut n = 0;
    loop {
        let c = get(f);
        if c == EOF {
            break;
        }
        if n + 2 > *size {
            let room = *size * 2;
            let grown = realloc((*line).cast(), room).cast::<u8>();
            if grown.is_null() {
                return -1;
            }
            *line = grown;
            *size = room;
        }
        *(*line).add(n) = c as u8;
        n += 1;
        if c == last {
            break;
        }
    }
    if n == 0 {
        return -1;
    }
    *(*line).add(n) = 0;
    n as isize
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __getdelim(
    line: *mut *mut u8,
    size: *mut usize,
    last: c_int,
    f: *mut FILE,
) -> isize {
    getdelim(line, size, last, f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getline(line: *mut *mut u8, size: *mut usize, f: *mut FILE) -> isize {
    getdelim(line, size, b'\n' as c_int, f)
}
