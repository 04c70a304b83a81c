//! Formatted output, formatted input and the reading of numbers, held against the host's C library on random formats
//! and values.
//!
//! The host is called through its `v` functions with argument lists made by hand, so that long doubles can be passed
//! too.

#![cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
#![allow(
    dead_code,
    non_upper_case_globals,
    non_camel_case_types,
    non_snake_case,
    unsafe_op_in_unsafe_fn,
    clippy::missing_safety_doc,
    clippy::upper_case_acronyms,
    clippy::too_many_arguments
)]

// What formatted input needs of `runtime/lib.rs`, found by `crate::` as there.
#[path = "../../runtime/ctype.rs"]
mod ctype;
#[path = "../../runtime/errno.rs"]
mod errno;
#[path = "../../runtime/native.rs"]
mod native;
#[path = "../support/one_by_one.rs"]
mod one_by_one;
#[path = "../../runtime/scan/mod.rs"]
mod scan;
#[path = "../../runtime/stdio/mod.rs"]
mod stdio;
#[path = "../../runtime/string/mod.rs"]
mod string;
#[path = "../../runtime/utf8.rs"]
mod utf8;
#[path = "../../runtime/wide.rs"]
mod wide;
#[path = "../../runtime/wide_strings.rs"]
mod wide_strings;

mod numbers;
mod printing;
mod random;
mod reading;

use std::ffi::{c_char, c_int, c_void};

use refrain_llvm::native::number;

/// The layout of the platform's `va_list`, with the registers used up.
#[repr(C)]
struct List {
    gp_offset: u32,
    fp_offset: u32,
    overflow: *mut c_void,
    save: *mut c_void,
}

unsafe extern "C" {
    fn vsnprintf(to: *mut c_char, size: usize, format: *const c_char, list: *mut List) -> c_int;
    fn __isoc99_vsscanf(text: *const c_char, format: *const c_char, list: *mut List) -> c_int;
    fn strtod(text: *const c_char, end: *mut *mut c_char) -> f64;
    fn strtof(text: *const c_char, end: *mut *mut c_char) -> f32;
    fn open(path: *const c_char, flags: c_int, ...) -> c_int;
    fn free(block: *mut c_void);
}

// What the machine supplies to the library.

#[unsafe(no_mangle)]
unsafe extern "C" fn __refrain_open(path: *const c_char, flags: c_int, mode: c_int) -> c_int {
    open(path, flags, mode)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __refrain_tmpfile() -> c_int {
    // O_TMPFILE | O_RDWR
    open(c"/tmp".as_ptr(), 0o20200002, 0o600)
}

unsafe fn bytes<'a>(text: *const c_char, len: usize) -> &'a [u8] {
    std::slice::from_raw_parts(text.cast(), len)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __refrain_parse_f64(text: *const c_char, len: usize) -> f64 {
    number::double(bytes(text, len))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __refrain_parse_f32(text: *const c_char, len: usize) -> f32 {
    number::single(bytes(text, len))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __refrain_parse_ld(text: *const c_char, len: usize, out: *mut c_void) {
    let (significand, exponent) = number::extended(bytes(text, len));
    out.cast::<u64>().write(significand);
    out.cast::<u16>().add(4).write(exponent);
}

/// Words of a stack with long doubles where they belong.
#[derive(Clone, Default)]
#[repr(align(16))]
struct Area {
    words: Vec<u128>,
    used: usize,
}

impl Area {
    fn push(&mut self, word: u64) {
        if self.used.is_multiple_of(2) {
            self.words.push(u128::from(word));
        } else if let Some(last) = self.words.last_mut() {
            *last |= u128::from(word) << 64;
        }
        self.used += 1;
    }

    fn push_wide(&mut self, low: u64, high: u64) {
        if !self.used.is_multiple_of(2) {
            self.push(0);
        }
        self.push(low);
        self.push(high);
    }

    fn list(&mut self) -> List {
        List {
            gp_offset: 48,
            fp_offset: 176,
            overflow: self.words.as_mut_ptr().cast(),
            save: std::ptr::null_mut(),
        }
    }
}
