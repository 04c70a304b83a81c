//! `fenv.h`. Floats are calculated as the host does: rounded to nearest, with
//! no exception noted. Another direction is not modelled.

use crate::native::__refrain_unsupported;
use core::ffi::c_int;

const ALL: c_int = 0x3d;

static mut RAISED: c_int = 0;

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fegetround() -> c_int {
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fesetround(direction: c_int) -> c_int {
    match direction {
        0 => 0,
        0x400 | 0x800 | 0xc00 => {
            __refrain_unsupported(c"rounding of floats other than to nearest".as_ptr())
        }
        _ => 1,
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn feclearexcept(which: c_int) -> c_int {
    RAISED &= !(which & ALL);
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn feraiseexcept(which: c_int) -> c_int {
    RAISED |= which & ALL;
    0
}

/// What a calculation has raised is not known: a program that asks cannot be followed, unless all it wants to know is
/// what it raised itself.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fetestexcept(which: c_int) -> c_int {
    if which & ALL & !RAISED != 0 {
        __refrain_unsupported(
            c"the exceptions of calculations with floats (fetestexcept)".as_ptr(),
        );
    }
    RAISED & which
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fegetexcept() -> c_int {
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fedisableexcept(_which: c_int) -> c_int {
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fegetenv(to: *mut u8) -> c_int {
    crate::native::memset(to.cast(), 0, 32);
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn feholdexcept(to: *mut u8) -> c_int {
    crate::native::memset(to.cast(), 0, 32);
    RAISED = 0;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fesetenv(_from: *const u8) -> c_int {
    RAISED = 0;
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn feupdateenv(_from: *const u8) -> c_int {
    0
}
