//! Characters of more than one byte, in the locale C.UTF-8.

use crate::errno::{self, EILSEQ};
use crate::iconv::{read_utf8, write_utf8};
use core::ffi::{c_int, c_void};
use core::ptr::null;

/// What is between two calls: so many bytes of a character, and which.
#[repr(C)]
struct Pending {
    count: c_int,
    bytes: [u8; 4],
}

static mut OWN: Pending = Pending {
    count: 0,
    bytes: [0; 4],
};

/// `mbrtowc`.
pub unsafe fn read(to: *mut c_int, s: *const u8, len: usize, state: *mut c_void) -> usize {
    let pending = if state.is_null() {
        &raw mut OWN
    } else {
        state.cast::<Pending>()
    };
    if s.is_null() {
        (*pending).count = 0;
        return 0;
    }
    let bytes = (&raw mut (*pending).bytes).cast::<u8>();
    let before = (*pending).count as usize & 3;
    let mut used = 0;
    while used < len {
        *bytes.add(before + used) = *s.add(used);
        used += 1;
        match read_utf8(bytes, before + used) {
            None => {}
            Some(Ok((c, _))) => {
                (*pending).count = 0;
                if !to.is_null() {
                    *to = c as c_int;
                }
                return if c == 0 { 0 } else { used };
            }
            Some(Err(())) => {
                (*pending).count = 0;
                errno::set(EILSEQ);
                return usize::MAX;
            }
        }
    }
    (*pending).count = (before + used) as c_int;
    usize::MAX - 1
}

/// `wcrtomb`.
pub unsafe fn write(to: *mut u8, c: c_int) -> usize {
    let c = c as u32;
    if c > 0x10ffff || c.wrapping_sub(0xd800) < 0x800 {
        errno::set(EILSEQ);
        return usize::MAX;
    }
    write_utf8(to, c)
}

/// `mbsnrtowcs`: as many characters as fit, of so many bytes.
pub unsafe fn read_string(
    to: *mut c_int,
    from: *mut *const u8,
    bytes: usize,
    max: usize,
    state: *mut c_void,
) -> usize {
    let mut own = Pending {
        count: 0,
        bytes: [0; 4],
    };
    let state = if state.is_null() {
        (&raw mut own).cast()
    } else {
        state
    };
    let s = *from;
    let (mut at, mut count) = (0, 0);
    while at < bytes && (to.is_null() || count < max) {
        let mut c = 0;
        // One byte after the other: the string may end behind any.
        let used = read(&raw mut c, s.add(at), 1, state);
        if used == usize::MAX {
            if !to.is_null() {
                *from = s.add(at);
            }
            return used;
        }
        at += 1;
        if used == usize::MAX - 1 {
            if *s.add(at) == 0 && at < bytes {
                // It ends within a character.
                errno::set(EILSEQ);
                return usize::MAX;
            }
            continue;
        }
        if !to.is_null() {
            *to.add(count) = c;
        }
        if c == 0 {
            if !to.is_null() {
                *from = null();
            }
            return count;
        }
        count += 1;
    }
    if !to.is_null() {
        *from = s.add(at);
    }
    count
}

/// `wcsrtombs`: as many whole characters as fit.
pub unsafe fn write_string(to: *mut u8, from: *mut *const c_int, max: usize) -> usize {
    let s = *from;
    let (mut at, mut len) = (0, 0);
    loop {
        let c = *s.add(at);
        let mut bytes = [0u8; 4];
        let text = (&raw mut bytes).cast::<u8>();
        let size = write(text, c);
        if size == usize::MAX {
            if !to.is_null() {
                *from = s.add(at);
            }
            return size;
        }
        if !to.is_null() {
            if len + size > max {
                *from = s.add(at);
                return len;
            }
            crate::native::memcpy(to.add(len).cast(), text.cast(), size);
        }
        if c == 0 {
            if !to.is_null() {
                *from = null();
            }
            return len;
        }
        len += size;
        at += 1;
    }
}
