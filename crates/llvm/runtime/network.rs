//! Addresses of the network: byte order, and addresses as text. There is no network.

use crate::ctype;
use crate::errno::{self, EAFNOSUPPORT, ENOSPC, ERANGE};
use crate::stdlib::unsigned;
use crate::string::write_decimal;
use core::ffi::{c_int, c_void};
use core::ptr::{null, null_mut};

const INET: c_int = 2;
const INET6: c_int = 10;

#[cfg_attr(not(test), unsafe(no_mangle))]
pub static in6addr_any: [u8; 16] = [0; 16];
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static in6addr_loopback: [u8; 16] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn htonl(word: u32) -> u32 {
    word.swap_bytes()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ntohl(word: u32) -> u32 {
    word.swap_bytes()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn htons(word: u16) -> u16 {
    word.swap_bytes()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ntohs(word: u16) -> u16 {
    word.swap_bytes()
}

/// The address that a text starts with: up to four numbers, of any base, the last for all bytes that are left.
#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn inet_aton(text: *const u8, to: *mut u32) -> c_int {
    let mut at = text;
    let (mut word, mut parts) = (0u32, 0u32);
    let saved = *errno::__errno_location();
    let value = loop {
        if !ctype::digit(*at as c_int) {
            return 0;
        }
        let mut end = null_mut();
        errno::set(0);
        let value = unsigned(at, &raw mut end, 0, false);
        let overflown = value == u64::MAX && *errno::__errno_location() == ERANGE;
        errno::set(saved);
        if overflown || value > 0xffff_ffff {
            return 0;
        }
        at = end;
        if *at != b'.' {
            break value as u32;
        }
        if parts > 2 || value > 0xff {
            return 0;
        }
        word |= (value as u32) << (24 - 8 * parts);
        parts += 1;
        at = at.add(1);
    };
    if *at != 0 && !ctype::space(*at as c_int) {
        return 0;
    }
    if parts > 0 && value > 0xffff_ffff >> (8 * parts) {
        return 0;
    }
    if !to.is_null() {
        *to = (word | value).swap_bytes();
    }
    1
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn inet_addr(text: *const u8) -> u32 {
    let mut word = 0;
    if inet_aton(text, &raw mut word) == 0 {
        return u32::MAX;
    }
    word
}

/// Writes an address as four decimal numbers; how many bytes that is.
unsafe fn write_four(to: *mut u8, from: *const u8) -> usize {
    let (mut len, mut i) = (0, 0);
    while i < 4 {
        if i > 0 {
            *to.add(len) = b'.';
            len += 1;
        }
        len += write_decimal(to.add(len), *from.add(i) as i64);
        i += 1;
    }
    len
}

static mut TEXT: [u8; 18] = [0; 18];

/// The address is passed as the word it is.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn inet_ntoa(address: u32) -> *mut u8 {
    let to = (&raw mut TEXT).cast::<u8>();
    let len = write_four(to, (&raw const address).cast());
    *to.add(len) = 0;
    to
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn inet_makeaddr(net: u32, host: u32) -> u32 {
    let word = if net < 128 {
        net << 24 | host & 0xff_ffff
    } else if net < 65536 {
        net << 16 | host & 0xffff
    } else if net < 1 << 24 {
        net << 8 | host & 0xff
    } else {
        net | host
    };
    word.swap_bytes()
}

/// How many bytes of an address are the network's.
fn net_bytes(word: u32) -> u32 {
    if word >> 31 == 0 {
        1
    } else if word >> 30 == 2 {
        2
    } else {
        3
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn inet_lnaof(address: u32) -> u32 {
    let word = address.swap_bytes();
    word & 0xffff_ffff >> (8 * net_bytes(word))
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn inet_netof(address: u32) -> u32 {
    let word = address.swap_bytes();
    word >> (32 - 8 * net_bytes(word))
}

/// Four decimal numbers without leading zeros, and nothing behind them.
unsafe fn read_four(text: *const u8, to: *mut u8) -> bool {
    let (mut at, mut part) = (text, 0);
    loop {
        let (mut value, mut digits) = (0u32, 0);
        while ctype::digit(*at as c_int) {
            if digits > 0 && value == 0 {
                return false;
            }
            value = value * 10 + (*at - b'0') as u32;
            if value > 255 {
                return false;
            }
            digits += 1;
            at = at.add(1);
        }
        if digits == 0 {
            return false;
        }
        *to.add(part) = value as u8;
        part += 1;
        if part == 4 {
            return *at == 0;
        }
        if *at != b'.' {
            return false;
        }
        at = at.add(1);
    }
}

fn hex(c: u8) -> Option<u32> {
    if ctype::digit(c as c_int) {
        Some((c - b'0') as u32)
    } else if ctype::xdigit(c as c_int) {
        Some((c | 32) as u32 - b'a' as u32 + 10)
    } else {
        None
    }
}

unsafe fn read_groups(text: *const u8, to: *mut u8) -> bool {
    let mut at = text;
    // Where `::` stands, counted in bytes of the address.
    let mut gap = usize::MAX;
    let mut len = 0;
    if *at == b':' {
        at = at.add(1);
        if *at != b':' {
            return false;
        }
    }
    let mut start = at;
    let (mut value, mut digits) = (0u32, 0);
    loop {
        let c = *at;
        if c == 0 {
            break;
        }
        at = at.add(1);
        if let Some(digit) = hex(c) {
            if digits == 4 {
                return false;
            }
            value = value << 4 | digit;
            digits += 1;
            continue;
        }
        if c == b':' {
            start = at;
            if digits == 0 {
                if gap != usize::MAX {
                    return false;
                }
                gap = len;
                continue;
            }
            if *at == 0 || len + 2 > 16 {
                return false;
            }
            *to.add(len) = (value >> 8) as u8;
            *to.add(len + 1) = value as u8;
            len += 2;
            value = 0;
            digits = 0;
            continue;
        }
        if c == b'.' && len + 4 <= 16 && read_four(start, to.add(len)) {
            len += 4;
            digits = 0;
            break;
        }
        return false;
    }
    if digits > 0 {
        if len + 2 > 16 {
            return false;
        }
        *to.add(len) = (value >> 8) as u8;
        *to.add(len + 1) = value as u8;
        len += 2;
    }
    if gap != usize::MAX {
        if len == 16 {
            return false;
        }
        // What is behind the gap moves to the end.
        let (mut from, mut back) = (len, 16);
        while from > gap {
            from -= 1;
            back -= 1;
            *to.add(back) = *to.add(from);
        }
        while back > gap {
            back -= 1;
            *to.add(back) = 0;
        }
        len = 16;
    }
    len == 16
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn inet_pton(family: c_int, text: *const u8, to: *mut c_void) -> c_int {
    let mut address = [0u8; 16];
    let bytes = (&raw mut address).cast::<u8>();
    let (read, len) = match family {
        INET => (read_four(text, bytes), 4),
        INET6 => (read_groups(text, bytes), 16),
        _ => {
            errno::set(EAFNOSUPPORT);
            return -1;
        }
    };
    if !read {
        return 0;
    }
    crate::native::memcpy(to, bytes.cast(), len);
    1
}

unsafe fn write_hex(to: *mut u8, value: u32) -> usize {
    let (mut len, mut shift) = (0, 12);
    loop {
        let digit = (value >> shift & 15) as u8;
        if digit != 0 || len > 0 || shift == 0 {
            *to.add(len) = if digit < 10 {
                b'0' + digit
            } else {
                b'a' + digit - 10
            };
            len += 1;
        }
        if shift == 0 {
            return len;
        }
        shift -= 4;
    }
}

unsafe fn group(from: *const u8, index: usize) -> u32 {
    (*from.add(2 * index) as u32) << 8 | *from.add(2 * index + 1) as u32
}

unsafe fn write_groups(to: *mut u8, from: *const u8) -> usize {
    // The longest run of zero groups, the first of several; one group alone is no run.
    let (mut gap, mut gap_len) = (usize::MAX, 1);
    let mut i = 0;
    while i < 8 {
        let mut run = 0;
        while i + run < 8 && group(from, i + run) == 0 {
            run += 1;
        }
        if run > gap_len {
            gap = i;
            gap_len = run;
        }
        i += run + 1;
    }
    let (mut len, mut i) = (0, 0);
    while i < 8 {
        if i == gap {
            *to.add(len) = b':';
            len += 1;
            i += gap_len;
            if i == 8 {
                *to.add(len) = b':';
                len += 1;
            }
            continue;
        }
        if i > 0 {
            *to.add(len) = b':';
            len += 1;
        }
        let four = gap == 0 && (gap_len == 6 || (gap_len == 5 && group(from, 5) == 0xffff));
        if i == 6 && four {
            return len + write_four(to.add(len), from.add(12));
        }
        len += write_hex(to.add(len), group(from, i));
        i += 1;
    }
    len
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn inet_ntop(
    family: c_int,
    address: *const c_void,
    to: *mut u8,
    room: u32,
) -> *const u8 {
    let mut text = [0u8; 48];
    let start = (&raw mut text).cast::<u8>();
    let len = match family {
        INET => write_four(start, address.cast()),
        INET6 => write_groups(start, address.cast()),
        _ => {
            errno::set(EAFNOSUPPORT);
            return null();
        }
    };
    if len as u32 >= room {
        errno::set(ENOSPC);
        return null();
    }
    *start.add(len) = 0;
    crate::native::memcpy(to.cast(), start.cast(), len + 1);
    to
}
