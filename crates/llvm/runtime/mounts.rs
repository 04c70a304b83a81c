//! `mntent.h`: tables of what is mounted, a line each, such as `/etc/fstab`.

use crate::stdio::{FILE, fclose, fgets, fopen};
use crate::stdlib::strtol;
use crate::string::strlen;
use core::ffi::{c_char, c_int};
use core::ptr::null_mut;

#[repr(C)]
pub struct mntent {
    mnt_fsname: *mut u8,
    mnt_dir: *mut u8,
    mnt_type: *mut u8,
    mnt_opts: *mut u8,
    mnt_freq: c_int,
    mnt_passno: c_int,
}

const LINE: usize = 4096;
static mut TEXT: [u8; LINE] = [0; LINE];
static mut ENTRY: mntent = mntent {
    mnt_fsname: null_mut(),
    mnt_dir: null_mut(),
    mnt_type: null_mut(),
    mnt_opts: null_mut(),
    mnt_freq: 0,
    mnt_passno: 0,
};

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn setmntent(path: *const c_char, mode: *const u8) -> *mut FILE {
    fopen(path, mode)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn endmntent(table: *mut FILE) -> c_int {
    if !table.is_null() {
        fclose(table);
    }
    1
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// The next field, which is ended by a zero; an empty one at the end of the line.
unsafe fn field(rest: *mut *mut u8) -> *mut u8 {
    let mut at = *rest;
    while is_blank(*at) {
        at = at.add(1);
    }
    let start = at;
    // Blanks and the like within a field are written as octal numbers.
    let mut to = at;
    while *at != 0 && !is_blank(*at) {
        let value = escaped(at);
        if value < 0 {
            *to = *at;
            at = at.add(1);
        } else {
            *to = value as u8;
            at = at.add(if value == b'\\' as c_int && *at.add(1) == b'\\' {
                2
            } else {
                4
            });
        }
        to = to.add(1);
    }
    *rest = if *at == 0 { at } else { at.add(1) };
    *to = 0;
    start
}

/// What a backslash and what is behind it stand for; -1: themselves.
unsafe fn escaped(at: *const u8) -> c_int {
    if *at != b'\\' {
        return -1;
    }
    if *at.add(1) == b'\\' {
        return b'\\' as c_int;
    }
    let mut value = 0;
    let mut i = 1;
    while i < 4 {
        let digit = *at.add(i);
        if digit < b'0' || digit > b'7' {
            return -1;
        }
        value = value * 8 + (digit - b'0') as c_int;
        i += 1;
    }
    match value {
        0o40 | 0o11 | 0o12 | 0o134 => value,
        _ => -1,
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getmntent_r(
    table: *mut FILE,
    entry: *mut mntent,
    text: *mut u8,
    size: c_int,
) -> *mut mntent {
    loop {
        if fgets(text, size, table).is_null() {
            return null_mut();
        }
        let mut len = strlen(text);
        if len > 0 && *text.add(len - 1) == b'\n' {
            len -= 1;
            *text.add(len) = 0;
        }
        let mut rest = text;
        while is_blank(*rest) {
            rest = rest.add(1);
        }
        if *rest == 0 || *rest == b'#' {
            continue;
        }
        (*entry).mnt_fsname = field(&raw mut rest);
        (*entry).mnt_dir = field(&raw mut rest);
        (*entry).mnt_type = field(&raw mut rest);
        (*entry).mnt_opts = field(&raw mut rest);
        (*entry).mnt_freq = strtol(field(&raw mut rest), null_mut(), 10) as c_int;
        (*entry).mnt_passno = strtol(field(&raw mut rest), null_mut(), 10) as c_int;
        return entry;
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getmntent(table: *mut FILE) -> *mut mntent {
    getmntent_r(table, &raw mut ENTRY, (&raw mut TEXT).cast(), LINE as c_int)
}

/// Where an option begins in the list of an entry.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn hasmntopt(entry: *const mntent, option: *const u8) -> *mut u8 {
    let len = strlen(option);
    let mut at = (*entry).mnt_opts;
    loop {
        let mut i = 0;
        while i < len && *at.add(i) == *option.add(i) {
            i += 1;
        }
        if i == len && (*at.add(i) == 0 || *at.add(i) == b',' || *at.add(i) == b'=') {
            return at;
        }
        while *at != 0 && *at != b',' {
            at = at.add(1);
        }
        if *at == 0 {
            return null_mut();
        }
        at = at.add(1);
    }
}
