//! What `math.h` keeps in memory; its functions are the machine's.

use core::ffi::c_int;

/// The sign of the gamma function at the last argument of `lgamma`.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut signgam: c_int = 0;
/// The mode of the processor's old floating-point unit that a program starts with.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut __fpu_control: u16 = 0x37f;
