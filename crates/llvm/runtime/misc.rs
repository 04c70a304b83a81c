//! Small functions that belong to no larger part.

use crate::ctype;
use crate::stdio::{put_bytes, stderr};
use crate::string::{strlen, strsignal};
use core::ffi::{c_int, c_long, c_ulong, c_void};
use core::ptr::null_mut;

/// Takes one of several names from the front of a list of `name=value`, separated by commas.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getsubopt(
    option: *mut *mut u8,
    tokens: *const *const u8,
    value: *mut *mut u8,
) -> c_int {
    let start = *option;
    if *start == 0 {
        return -1;
    }
    let (mut end, mut name_end) = (start, null_mut::<u8>());
    while *end != 0 && *end != b',' {
        if *end == b'=' && name_end.is_null() {
            name_end = end;
        }
        end = end.add(1);
    }
    let has_value = !name_end.is_null();
    if !has_value {
        name_end = end;
    }
    let len = name_end as usize - start as usize;
    let mut next = end;
    if *end != 0 {
        *end = 0;
        next = end.add(1);
    }
    *option = next;
    let mut index = 0;
    while !(*tokens.add(index)).is_null() {
        let token = *tokens.add(index);
        let mut at = 0;
        while at < len && *token.add(at) == *start.add(at) {
            at += 1;
        }
        if at == len && *token.add(len) == 0 {
            *value = if has_value {
                name_end.add(1)
            } else {
                null_mut()
            };
            return index as c_int;
        }
        index += 1;
    }
    // None of them: all of it is the value.
    *value = start;
    -1
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn psignal(signal: c_int, prefix: *const u8) {
    if !prefix.is_null() && *prefix != 0 {
        put_bytes(stderr, prefix, strlen(prefix));
        put_bytes(stderr, c": ".as_ptr().cast(), 2);
    }
    let text = strsignal(signal);
    put_bytes(stderr, text, strlen(text));
    put_bytes(stderr, c"\n".as_ptr().cast(), 1);
}

// Numbers of devices.

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn gnu_dev_major(device: u64) -> u32 {
    (device >> 8 & 0xfff | device >> 32 & 0xffff_f000) as u32
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn gnu_dev_minor(device: u64) -> u32 {
    (device & 0xff | device >> 12 & 0xffff_ff00) as u32
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn gnu_dev_makedev(major: u32, minor: u32) -> u64 {
    let (major, minor) = (major as u64, minor as u64);
    (major & 0xfff) << 8 | (major & 0xffff_f000) << 32 | minor & 0xff | (minor & 0xffff_ff00) << 12
}

// Numbers of six bits a character.

fn digit64(value: u32) -> u8 {
    match value as u8 {
        0 => b'.',
        1 => b'/',
        value @ 2..12 => b'0' + value - 2,
        value @ 12..38 => b'A' + value - 12,
        value => b'a' + value - 38,
    }
}

static mut DIGITS: [u8; 7] = [0; 7];

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn l64a(value: c_long) -> *mut u8 {
    let to = (&raw mut DIGITS).cast::<u8>();
    let mut rest = value as u32;
    let mut len = 0;
    while rest > 0 {
        *to.add(len) = digit64(rest & 63);
        rest >>= 6;
        len += 1;
    }
    *to.add(len) = 0;
    to
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn a64l(text: *const u8) -> c_long {
    let (mut value, mut at) = (0u32, 0);
    while at < 6 {
        let c = *text.add(at) as c_int;
        let digit = if c == b'.' as c_int {
            0
        } else if c == b'/' as c_int {
            1
        } else if ctype::digit(c) {
            c - b'0' as c_int + 2
        } else if ctype::upper(c) {
            c - b'A' as c_int + 12
        } else if ctype::lower(c) {
            c - b'a' as c_int + 38
        } else {
            break;
        };
        value |= (digit as u32) << (6 * at);
        at += 1;
    }
    value as i32 as c_long
}

/// Whether an answer is yes (1), no (0) or neither.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn rpmatch(answer: *const u8) -> c_int {
    match *answer | 32 {
        b'y' => 1,
        b'n' => 0,
        _ => -1,
    }
}

/// Like `memcmp`, but only whether anything differs.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __memcmpeq(a: *const u8, b: *const u8, len: usize) -> c_int {
    crate::string::memcmp(a, b, len)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn dngettext(
    _domain: *const u8,
    one: *const u8,
    many: *const u8,
    count: c_ulong,
) -> *mut u8 {
    if count == 1 { one } else { many }.cast_mut()
}

// Catalogues of messages: there are none.

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn catopen(_name: *const u8, _flag: c_int) -> *mut c_void {
    const ENOENT: c_int = 2;
    crate::errno::set(ENOENT);
    usize::MAX as *mut c_void
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn catgets(
    _catalogue: *mut c_void,
    _set: c_int,
    _number: c_int,
    text: *const u8,
) -> *mut u8 {
    text.cast_mut()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn catclose(_catalogue: *mut c_void) -> c_int {
    crate::errno::set(crate::errno::EBADF);
    -1
}

/// Nobody has given this machine a number.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn gethostid() -> c_long {
    0
}
