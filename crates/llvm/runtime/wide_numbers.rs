//! Numbers in wide strings: `wcsto…` of `wchar.h`.

use crate::stdlib::{strtod, strtof, strtol, strtoul};
use core::ffi::{c_int, c_long, c_ulong};

/// A wide number as bytes, for the narrow parser, and where that stopped.
struct Narrow {
    text: [u8; 512],
}

impl Narrow {
    #[inline(always)]
    unsafe fn new(s: *const c_int) -> Narrow {
        let mut narrow = Narrow { text: [0; 512] };
        let to = (&raw mut narrow.text).cast::<u8>();
        let mut i = 0;
        while i < 511 && *s.add(i) != 0 && (*s.add(i) as u32) < 128 {
            *to.add(i) = *s.add(i) as u8;
            i += 1;
        }
        *to.add(i) = 0;
        narrow
    }

    #[inline(always)]
    unsafe fn start(&self) -> *const u8 {
        (&raw const self.text).cast()
    }

    #[inline(always)]
    unsafe fn stop(&self, s: *const c_int, at: *mut u8, end: *mut *mut c_int) {
        if !end.is_null() {
            *end = s.add(at as usize - self.start() as usize).cast_mut();
        }
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcstoll(s: *const c_int, end: *mut *mut c_int, base: c_int) -> c_long {
    let narrow = Narrow::new(s);
    let mut at = narrow.start().cast_mut();
    let value = strtol(narrow.start(), &raw mut at, base);
    narrow.stop(s, at, end);
    value
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcstoull(s: *const c_int, end: *mut *mut c_int, base: c_int) -> c_ulong {
    let narrow = Narrow::new(s);
    let mut at = narrow.start().cast_mut();
    let value = strtoul(narrow.start(), &raw mut at, base);
    narrow.stop(s, at, end);
    value
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcstoimax(s: *const c_int, end: *mut *mut c_int, base: c_int) -> c_long {
    wcstoll(s, end, base)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcstoumax(s: *const c_int, end: *mut *mut c_int, base: c_int) -> c_ulong {
    wcstoull(s, end, base)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcstod(s: *const c_int, end: *mut *mut c_int) -> f64 {
    let narrow = Narrow::new(s);
    let mut at = narrow.start().cast_mut();
    let value = strtod(narrow.start(), &raw mut at);
    narrow.stop(s, at, end);
    value
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcstof(s: *const c_int, end: *mut *mut c_int) -> f32 {
    let narrow = Narrow::new(s);
    let mut at = narrow.start().cast_mut();
    let value = strtof(narrow.start(), &raw mut at);
    narrow.stop(s, at, end);
    value
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcstol(s: *const c_int, end: *mut *mut c_int, base: c_int) -> c_long {
    wcstoll(s, end, base)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcstoul(s: *const c_int, end: *mut *mut c_int, base: c_int) -> c_ulong {
    wcstoull(s, end, base)
}
