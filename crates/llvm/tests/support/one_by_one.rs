//! What the machine supplies to the C library for comparing bytes at once, where there is no machine: they are compared
//! one by one.

use std::ffi::c_int;

#[unsafe(no_mangle)]
unsafe extern "C" fn __refrain_compared_len(
    _a: *const u8,
    _b: *const u8,
    _most: usize,
    _is_string: c_int,
) -> usize {
    usize::MAX
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __refrain_compare(
    _a: *const u8,
    _b: *const u8,
    _len: usize,
    _strings: c_int,
) -> c_int {
    unreachable!("bytes that are compared one by one")
}
