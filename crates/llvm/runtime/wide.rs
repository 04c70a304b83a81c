//! Wide characters, and classes of them: in the C locale a character is an ASCII byte, and
//! any other byte is no character at all; in C.UTF-8 see `utf8`.

use crate::ctype::{self, is_utf8};
use crate::errno::{self, EILSEQ};
use crate::utf8;
use core::ffi::{c_int, c_uint, c_ulong, c_void};
use core::ptr::null_mut;

const WEOF: c_uint = u32::MAX;

/// What kind of character one beyond ASCII is, nobody here knows.
#[inline(always)]
unsafe fn plain(c: c_uint) {
    if is_utf8() && c >= 128 && c != WEOF {
        crate::native::__refrain_unsupported(
            c"classes of characters beyond ASCII (C.UTF-8)".as_ptr(),
        );
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn btowc(c: c_int) -> c_uint {
    if (c as u32) < 128 { c as c_uint } else { WEOF }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wctob(c: c_uint) -> c_int {
    if c < 128 { c as c_int } else { -1 }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn mbsinit(state: *const c_void) -> c_int {
    (state.is_null() || *state.cast::<c_int>() == 0) as c_int
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn mbrtowc(
    to: *mut c_int,
    s: *const u8,
    len: usize,
    state: *mut c_void,
) -> usize {
    if is_utf8() {
        return utf8::read(to, s, len, state);
    }
    if s.is_null() {
        return 0;
    }
    if len == 0 {
        // Nothing yet to make a character of.
        return usize::MAX - 1;
    }
    let c = *s;
    if c >= 128 {
        errno::set(EILSEQ);
        return usize::MAX;
    }
    if !to.is_null() {
        *to = c as c_int;
    }
    (c != 0) as usize
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn mbrlen(s: *const u8, len: usize, state: *mut c_void) -> usize {
    mbrtowc(null_mut(), s, len, state)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn mbtowc(to: *mut c_int, s: *const u8, len: usize) -> c_int {
    if s.is_null() {
        return 0;
    }
    if len == 0 {
        return -1;
    }
    mbrtowc(to, s, len, null_mut()) as c_int
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn mblen(s: *const u8, len: usize) -> c_int {
    mbtowc(null_mut(), s, len)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcrtomb(to: *mut u8, c: c_int, _state: *mut c_void) -> usize {
    if to.is_null() {
        return 1;
    }
    if is_utf8() {
        return utf8::write(to, c);
    }
    if c as u32 >= 128 {
        errno::set(EILSEQ);
        return usize::MAX;
    }
    *to = c as u8;
    1
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wctomb(to: *mut u8, c: c_int) -> c_int {
    if to.is_null() {
        return 0;
    }
    wcrtomb(to, c, null_mut()) as c_int
}

/// As many characters as fit, of a string of which so many bytes are there.
#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn mbsnrtowcs(
    to: *mut c_int,
    from: *mut *const u8,
    bytes: usize,
    max: usize,
    state: *mut c_void,
) -> usize {
    if is_utf8() {
        return utf8::read_string(to, from, bytes, max, state);
    }
    let s = *from;
    let mut n = 0;
    while n < bytes && (to.is_null() || n < max) {
        let c = *s.add(n);
        if c >= 128 {
            if !to.is_null() {
                *from = s.add(n);
            }
            errno::set(EILSEQ);
            return usize::MAX;
        }
        if !to.is_null() {
            *to.add(n) = c as c_int;
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

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn mbsrtowcs(
    to: *mut c_int,
    from: *mut *const u8,
    max: usize,
    state: *mut c_void,
) -> usize {
    mbsnrtowcs(to, from, usize::MAX, max, state)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn mbstowcs(to: *mut c_int, from: *const u8, max: usize) -> usize {
    let mut from = from;
    mbsrtowcs(to, &raw mut from, max, null_mut())
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcsrtombs(
    to: *mut u8,
    from: *mut *const c_int,
    max: usize,
    _state: *mut c_void,
) -> usize {
    if is_utf8() {
        return utf8::write_string(to, from, max);
    }
    let s = *from;
    let mut n = 0;
    while to.is_null() || n < max {
        let c = *s.add(n);
        if c as u32 >= 128 {
            if !to.is_null() {
                *from = s.add(n);
            }
            errno::set(EILSEQ);
            return usize::MAX;
        }
        if !to.is_null() {
            *to.add(n) = c as u8;
        }
        if c == 0 {
            if !to.is_null() {
                *from = core::ptr::null();
            }
            return n;
        }
        n += 1;
    }
    *from = s.add(n);
    n
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcstombs(to: *mut u8, from: *const c_int, max: usize) -> usize {
    let mut from = from;
    wcsrtombs(to, &raw mut from, max, null_mut())
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcwidth(c: c_int) -> c_int {
    plain(c as c_uint);
    if c == 0 {
        0
    } else if ctype::print(c) {
        1
    } else {
        -1
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wcswidth(s: *const c_int, max: usize) -> c_int {
    let mut i = 0;
    while i < max && *s.add(i) != 0 {
        if wcwidth(*s.add(i)) < 0 {
            return -1;
        }
        i += 1;
    }
    i as c_int
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn towlower(c: c_uint) -> c_uint {
    plain(c);
    ctype::tolower(c as c_int) as c_uint
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn towupper(c: c_uint) -> c_uint {
    plain(c);
    ctype::toupper(c as c_int) as c_uint
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn iswalnum(c: c_uint) -> c_int {
    plain(c);
    ctype::isalnum(c as c_int)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn iswalpha(c: c_uint) -> c_int {
    plain(c);
    ctype::isalpha(c as c_int)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn iswblank(c: c_uint) -> c_int {
    plain(c);
    ctype::isblank(c as c_int)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn iswcntrl(c: c_uint) -> c_int {
    plain(c);
    ctype::iscntrl(c as c_int)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn iswdigit(c: c_uint) -> c_int {
    plain(c);
    ctype::isdigit(c as c_int)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn iswgraph(c: c_uint) -> c_int {
    plain(c);
    ctype::isgraph(c as c_int)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn iswlower(c: c_uint) -> c_int {
    plain(c);
    ctype::islower(c as c_int)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn iswprint(c: c_uint) -> c_int {
    plain(c);
    ctype::isprint(c as c_int)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn iswpunct(c: c_uint) -> c_int {
    plain(c);
    ctype::ispunct(c as c_int)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn iswspace(c: c_uint) -> c_int {
    if c >= 128 && is_utf8() {
        // All of Unicode's that break lines.
        let in_block = (c.wrapping_sub(0x2000) <= 10) & (c != 0x2007);
        let separates = (c == 0x2028) | (c == 0x2029);
        let other = (c == 0x1680) | (c == 0x205f) | (c == 0x3000);
        return (in_block | separates | other) as c_int;
    }
    ctype::isspace(c as c_int)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn iswupper(c: c_uint) -> c_int {
    plain(c);
    ctype::isupper(c as c_int)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn iswxdigit(c: c_uint) -> c_int {
    plain(c);
    ctype::isxdigit(c as c_int)
}

/// A class by name: its place in the order of `iswctype`'s answer, from 1.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wctype(name: *const u8) -> c_ulong {
    if crate::string::strcmp(name, c"alnum".as_ptr().cast()) == 0 {
        return 1;
    }
    if crate::string::strcmp(name, c"alpha".as_ptr().cast()) == 0 {
        return 2;
    }
    if crate::string::strcmp(name, c"blank".as_ptr().cast()) == 0 {
        return 3;
    }
    if crate::string::strcmp(name, c"cntrl".as_ptr().cast()) == 0 {
        return 4;
    }
    if crate::string::strcmp(name, c"digit".as_ptr().cast()) == 0 {
        return 5;
    }
    if crate::string::strcmp(name, c"graph".as_ptr().cast()) == 0 {
        return 6;
    }
    if crate::string::strcmp(name, c"lower".as_ptr().cast()) == 0 {
        return 7;
    }
    if crate::string::strcmp(name, c"print".as_ptr().cast()) == 0 {
        return 8;
    }
    if crate::string::strcmp(name, c"punct".as_ptr().cast()) == 0 {
        return 9;
    }
    if crate::string::strcmp(name, c"space".as_ptr().cast()) == 0 {
        return 10;
    }
    if crate::string::strcmp(name, c"upper".as_ptr().cast()) == 0 {
        return 11;
    }
    if crate::string::strcmp(name, c"xdigit".as_ptr().cast()) == 0 {
        return 12;
    }
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn iswctype(c: c_uint, class: c_ulong) -> c_int {
    match class {
        1 => iswalnum(c),
        2 => iswalpha(c),
        3 => iswblank(c),
        4 => iswcntrl(c),
        5 => iswdigit(c),
        6 => iswgraph(c),
        7 => iswlower(c),
        8 => iswprint(c),
        9 => iswpunct(c),
        10 => iswspace(c),
        11 => iswupper(c),
        12 => iswxdigit(c),
        _ => 0,
    }
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
        1 => towlower(c),
        2 => towupper(c),
        _ => c,
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn towlower_l(c: c_uint, _locale: *mut c_void) -> c_uint {
    towlower(c)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn towupper_l(c: c_uint, _locale: *mut c_void) -> c_uint {
    towupper(c)
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

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __mbrlen(s: *const u8, len: usize, state: *mut c_void) -> usize {
    mbrtowc(null_mut(), s, len, state)
}
