//! What `math.h` keeps in memory; its functions are the machine's.

use core::ffi::c_int;

/// The sign of the gamma function at the last argument of `lgamma`.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut signgam: c_int = 0;
