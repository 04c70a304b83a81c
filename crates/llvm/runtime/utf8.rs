//! UTF-8, and the characters of more than one byte in the locale C.UTF-8.

use crate::errno::{self, EILSEQ};
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

// One character.

pub fn is_surrogate(c: u32) -> bool {
    c.wrapping_sub(0xd800) < 0x800
}

/// A character of UTF-8, as strict as the standard.
pub unsafe fn read_utf8(at: *const u8, left: usize) -> Option<Result<(u32, usize), ()>> {
    let first = *at as u32;
    if first < 0x80 {
        return Some(Ok((first, 1)));
    }
    let (len, low) = if first < 0xc2 {
        return Some(Err(()));
    } else if first < 0xe0 {
        (2, 0x80)
    } else if first < 0xf0 {
        (3, 0x800)
    } else if first < 0xf5 {
        (4, 0x10000)
    } else {
        return Some(Err(()));
    };
    let mut value = first & (0x7f >> len);
    let mut index = 1;
    while index < len {
        if index >= left {
            return None;
        }
        let byte = *at.add(index) as u32;
        if byte & 0xc0 != 0x80 {
            return Some(Err(()));
        }
        value = value << 6 | byte & 0x3f;
        index += 1;
    }
    if value < low || value > 0x10ffff || is_surrogate(value) {
        return Some(Err(()));
    }
    Some(Ok((value, len)))
}

/// Writes a character as UTF-8; how many bytes that is.
pub unsafe fn write_utf8(to: *mut u8, c: u32) -> usize {
    if c < 0x80 {
        *to = c as u8;
        return 1;
    }
    let len = if c < 0x800 {
        2
    } else if c < 0x10000 {
        3
    } else {
        4
    };
    let mut index = len - 1;
    let mut rest = c;
    while index > 0 {
        *to.add(index) = 0x80 | rest as u8 & 0x3f;
        rest >>= 6;
        index -= 1;
    }
    *to = (0xf00u32 >> len) as u8 | rest as u8;
    len
}
