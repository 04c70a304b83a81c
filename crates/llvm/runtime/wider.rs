//! More of `wchar.h` and `wctype.h`: what is rare, and what only has another
//! name.

use crate::ctype;
use crate::native::memcpy;
use crate::stdlib::{strtod, strtof, strtol, strtoul};
use crate::wide::*;
use core::ffi::{c_int, c_long, c_uint, c_ulong, c_void};
use core::ptr::null_mut;

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcpcpy(to: *mut c_int, from: *const c_int) -> *mut c_int {
    let mut i = 0;
    loop {
        let c = *from.add(i);
        *to.add(i) = c;
        if c == 0 {
            return to.add(i);
        }
        i += 1;
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcpncpy(to: *mut c_int, from: *const c_int, max: usize) -> *mut c_int {
    let mut i = 0;
    while i < max && *from.add(i) != 0 {
        *to.add(i) = *from.add(i);
        i += 1;
    }
    let end = to.add(i);
    while i < max {
        *to.add(i) = 0;
        i += 1;
    }
    end
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wmempcpy(to: *mut c_int, from: *const c_int, len: usize) -> *mut c_int {
    memcpy(to.cast(), from.cast(), len * 4);
    to.add(len)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcschrnul(s: *const c_int, wanted: c_int) -> *mut c_int {
    let mut i = 0;
    while *s.add(i) != wanted && *s.add(i) != 0 {
        i += 1;
    }
    s.add(i).cast_mut()
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcsncasecmp(a: *const c_int, b: *const c_int, max: usize) -> c_int {
    let mut i = 0;
    while i < max {
        let (x, y) = (ctype::tolower(*a.add(i)), ctype::tolower(*b.add(i)));
        if x != y {
            return if x < y { -1 } else { 1 };
        }
        if x == 0 {
            break;
        }
        i += 1;
    }
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcsncasecmp_l(
    a: *const c_int,
    b: *const c_int,
    max: usize,
    _locale: *mut c_void,
) -> c_int {
    wcsncasecmp(a, b, max)
}

unsafe fn is_one_of(c: c_int, set: *const c_int) -> bool {
    let mut i = 0;
    while *set.add(i) != 0 {
        if *set.add(i) == c {
            return true;
        }
        i += 1;
    }
    false
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcstok(
    s: *mut c_int,
    set: *const c_int,
    save: *mut *mut c_int,
) -> *mut c_int {
    let mut at = if s.is_null() { *save } else { s };
    if at.is_null() {
        return null_mut();
    }
    while *at != 0 && is_one_of(*at, set) {
        at = at.add(1);
    }
    if *at == 0 {
        *save = null_mut();
        return null_mut();
    }
    let start = at;
    while *at != 0 && !is_one_of(*at, set) {
        at = at.add(1);
    }
    if *at == 0 {
        *save = null_mut();
    } else {
        *at = 0;
        *save = at.add(1);
    }
    start
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcsxfrm(to: *mut c_int, from: *const c_int, size: usize) -> usize {
    let mut len = 0;
    while *from.add(len) != 0 {
        if len < size {
            *to.add(len) = *from.add(len);
        }
        len += 1;
    }
    if len < size {
        *to.add(len) = 0;
    }
    len
}

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

/// A mapping by name: 1 to lower case, 2 to upper case.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wctrans(name: *const u8) -> c_ulong {
    if crate::string::strcmp(name, c"tolower".as_ptr().cast()) == 0 {
        1
    } else if crate::string::strcmp(name, c"toupper".as_ptr().cast()) == 0 {
        2
    } else {
        0
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn towctrans(c: c_uint, mapping: c_ulong) -> c_uint {
    match mapping {
        1 => ctype::tolower(c as c_int) as c_uint,
        2 => ctype::toupper(c as c_int) as c_uint,
        _ => c,
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn towlower_l(c: c_uint, _locale: *mut c_void) -> c_uint {
    ctype::tolower(c as c_int) as c_uint
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn towupper_l(c: c_uint, _locale: *mut c_void) -> c_uint {
    ctype::toupper(c as c_int) as c_uint
}

/// Classes of a locale: there is one.
macro_rules! of_locale {
    ($($name:ident: $plain:ident,)*) => {
        $(
            #[cfg_attr(not(test), unsafe(no_mangle))]
            pub unsafe extern "C" fn $name(c: c_uint, _locale: *mut c_void) -> c_int {
                $plain(c)
            }
        )*
    };
}

of_locale! {
    iswalnum_l: iswalnum,
    iswalpha_l: iswalpha,
    iswblank_l: iswblank,
    iswcntrl_l: iswcntrl,
    iswdigit_l: iswdigit,
    iswgraph_l: iswgraph,
    iswlower_l: iswlower,
    iswprint_l: iswprint,
    iswpunct_l: iswpunct,
    iswspace_l: iswspace,
    iswupper_l: iswupper,
    iswxdigit_l: iswxdigit,
}

/// As many characters as fit, of a string of which so many bytes are there.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn mbsnrtowcs(
    to: *mut c_int,
    from: *mut *const u8,
    bytes: usize,
    max: usize,
    state: *mut c_void,
) -> usize {
    if ctype::is_utf8() {
        return crate::utf8::read_string(to, from, bytes, max, state);
    }
    let s = *from;
    let mut n = 0;
    while n < bytes && (to.is_null() || n < max) {
        let c = *s.add(n);
        let mut wide = 0;
        if mbrtowc(&raw mut wide, s.add(n), 1, state) == usize::MAX {
            if !to.is_null() {
                *from = s.add(n);
            }
            return usize::MAX;
        }
        if !to.is_null() {
            *to.add(n) = wide;
        }
        if c == 0 {
            if !to.is_null() {
                *from = core::ptr::null();
            }
            return n;
        }
        n += 1;
    }
    if !to.is_null() {
        *from = s.add(n);
    }
    n
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __mbrlen(s: *const u8, len: usize, state: *mut c_void) -> usize {
    mbrtowc(null_mut(), s, len, state)
}
