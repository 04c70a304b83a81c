//! What the machine supplies to this library.

use core::ffi::{c_char, c_int, c_void};

unsafe extern "C" {
    pub fn malloc(size: usize) -> *mut c_void;
    pub fn realloc(block: *mut c_void, size: usize) -> *mut c_void;
    pub fn free(block: *mut c_void);

    pub fn memcpy(to: *mut c_void, from: *const c_void, len: usize) -> *mut c_void;
    pub fn memmove(to: *mut c_void, from: *const c_void, len: usize) -> *mut c_void;
    pub fn memset(to: *mut c_void, byte: c_int, len: usize) -> *mut c_void;

    pub fn read(fd: c_int, buffer: *mut c_void, len: usize) -> isize;
    pub fn write(fd: c_int, buffer: *const c_void, len: usize) -> isize;
    pub fn lseek(fd: c_int, offset: i64, whence: c_int) -> i64;
    pub fn close(fd: c_int) -> c_int;
    pub fn dup2(from: c_int, to: c_int) -> c_int;
    pub fn chdir(path: *const c_char) -> c_int;
    pub fn fchdir(fd: c_int) -> c_int;
    pub fn unlink(path: *const c_char) -> c_int;
    pub fn mktemp(template: *mut c_char) -> *mut c_char;
    pub fn rmdir(path: *const c_char) -> c_int;
    pub fn opendir(path: *const c_char) -> *mut c_void;
    pub fn readdir(stream: *mut c_void) -> *mut c_void;
    pub fn closedir(stream: *mut c_void) -> c_int;
    pub fn stat(path: *const c_char, to: *mut c_void) -> c_int;
    pub fn lstat(path: *const c_char, to: *mut c_void) -> c_int;
    pub fn time(at: *mut i64) -> i64;
    pub fn getuid() -> u32;
    pub fn abort() -> !;
    pub fn _exit(status: c_int) -> !;
    pub fn __chk_fail() -> !;

    /// `open` with its mode always present: the C function is variadic.
    pub fn __refrain_open(path: *const c_char, flags: c_int, mode: c_int) -> c_int;
    /// A descriptor of a fresh nameless file open for update, or -1.
    pub fn __refrain_tmpfile() -> c_int;
    /// The value of `len` bytes that `strtod` has found to be a number: an
    /// optional sign, then a decimal or hexadecimal constant.
    pub fn __refrain_parse_f64(text: *const c_char, len: usize) -> f64;
    pub fn __refrain_parse_f32(text: *const c_char, len: usize) -> f32;
    /// Delivers a signal by its default action; returns when that is nothing.
    pub fn __refrain_raise(signal: c_int) -> c_int;
    /// `longjmp`, by a name that is no program's; it knows of no signals.
    pub fn __refrain_long_jump(place: *mut u64, value: c_int) -> !;
    /// End the path: what the processor would not divide.
    pub fn __refrain_division_by_zero() -> !;
    pub fn __refrain_division_overflow() -> !;
    /// Whether a value depends on symbolic input; asking is no branch.
    pub fn __refrain_is_symbolic(value: u64) -> c_int;
    /// How many bytes of two texts, at most so many and perhaps no more than to the end of a string, can be compared
    /// at once; `usize::MAX` if they cannot.
    pub fn __refrain_compared_len(
        a: *const u8,
        b: *const u8,
        most: usize,
        is_string: c_int,
    ) -> usize;
    /// Compares so many bytes without a branch for each.
    pub fn __refrain_compare(a: *const u8, b: *const u8, len: usize, strings: c_int) -> c_int;
    /// Ends the path: the program asked for something that is not modelled.
    pub fn __refrain_unsupported(what: *const c_char) -> !;
}
