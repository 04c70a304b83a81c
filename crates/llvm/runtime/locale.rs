//! The one locale there is: "C", also called "POSIX".

use crate::string::strcmp;
use core::ffi::{c_char, c_int, c_void};
use core::ptr::null_mut;

const NAME: *const u8 = c"C".as_ptr().cast();

unsafe fn is_known(name: *const u8) -> bool {
    *name == 0 || strcmp(name, NAME) == 0 || strcmp(name, c"POSIX".as_ptr().cast()) == 0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn setlocale(category: c_int, name: *const u8) -> *mut u8 {
    if !(0..=12).contains(&category) {
        crate::errno::set(crate::errno::EINVAL);
        return null_mut();
    }
    if name.is_null() || is_known(name) {
        NAME.cast_mut()
    } else {
        null_mut()
    }
}

#[repr(C)]
pub struct lconv {
    decimal_point: *const c_char,
    thousands_sep: *const c_char,
    grouping: *const c_char,
    int_curr_symbol: *const c_char,
    currency_symbol: *const c_char,
    mon_decimal_point: *const c_char,
    mon_thousands_sep: *const c_char,
    mon_grouping: *const c_char,
    positive_sign: *const c_char,
    negative_sign: *const c_char,
    /// From `int_frac_digits` to `int_n_sign_posn`: all unspecified.
    numbers: [c_char; 14],
}

static mut CONVENTIONS: lconv = lconv {
    decimal_point: c".".as_ptr(),
    thousands_sep: c"".as_ptr(),
    grouping: c"".as_ptr(),
    int_curr_symbol: c"".as_ptr(),
    currency_symbol: c"".as_ptr(),
    mon_decimal_point: c"".as_ptr(),
    mon_thousands_sep: c"".as_ptr(),
    mon_grouping: c"".as_ptr(),
    positive_sign: c"".as_ptr(),
    negative_sign: c"".as_ptr(),
    numbers: [c_char::MAX; 14],
};

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn localeconv() -> *mut lconv {
    &raw mut CONVENTIONS
}

static mut SHORT_DAYS: [[u8; 4]; 7] = [
    *b"Sun\0", *b"Mon\0", *b"Tue\0", *b"Wed\0", *b"Thu\0", *b"Fri\0", *b"Sat\0",
];
static mut SHORT_MONTHS: [[u8; 4]; 12] = [
    *b"Jan\0", *b"Feb\0", *b"Mar\0", *b"Apr\0", *b"May\0", *b"Jun\0", *b"Jul\0", *b"Aug\0",
    *b"Sep\0", *b"Oct\0", *b"Nov\0", *b"Dec\0",
];

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn nl_langinfo(item: c_int) -> *mut u8 {
    let text = match item {
        14 => c"ANSI_X3.4-1968",
        0x10000 => c".",
        0x20000..=0x20006 => {
            return (&raw mut SHORT_DAYS)
                .cast::<u8>()
                .add((item - 0x20000) as usize * 4);
        }
        0x20007..=0x2000d => return crate::time::day_name(item - 0x20007).cast_mut(),
        0x2000e..=0x20019 => {
            return (&raw mut SHORT_MONTHS)
                .cast::<u8>()
                .add((item - 0x2000e) as usize * 4);
        }
        0x2001a..=0x20025 => return crate::time::month_name(item - 0x2001a).cast_mut(),
        0x20026 => c"AM",
        0x20027 => c"PM",
        0x20028 => c"%a %b %e %H:%M:%S %Y",
        0x20029 => c"%m/%d/%y",
        0x2002a => c"%H:%M:%S",
        0x2002b => c"%I:%M:%S %p",
        0x4000f => c"-",
        0x50000 => c"^[yY]",
        0x50001 => c"^[nN]",
        _ => c"",
    };
    text.as_ptr().cast_mut().cast()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn nl_langinfo_l(item: c_int, _locale: *mut c_void) -> *mut u8 {
    nl_langinfo(item)
}

/// What a `locale_t` points to; nothing looks inside.
static mut LOCALE: [usize; 32] = [0; 32];

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn newlocale(
    _mask: c_int,
    name: *const u8,
    _base: *mut c_void,
) -> *mut c_void {
    if is_known(name) {
        return (&raw mut LOCALE).cast();
    }
    // ENOENT: no such locale.
    crate::errno::set(2);
    null_mut()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn duplocale(locale: *mut c_void) -> *mut c_void {
    locale
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn uselocale(_locale: *mut c_void) -> *mut c_void {
    (&raw mut LOCALE).cast()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn freelocale(_locale: *mut c_void) {}

/// A program counts it up when it changes the language; nothing here depends on it.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut _nl_msg_cat_cntr: c_int = 0;

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn gettext(text: *const u8) -> *mut u8 {
    text.cast_mut()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn dgettext(_domain: *const u8, text: *const u8) -> *mut u8 {
    text.cast_mut()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn dcgettext(
    _domain: *const u8,
    text: *const u8,
    _category: c_int,
) -> *mut u8 {
    text.cast_mut()
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ngettext(one: *const u8, many: *const u8, count: u64) -> *mut u8 {
    if count == 1 {
        one.cast_mut()
    } else {
        many.cast_mut()
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn dcngettext(
    _domain: *const u8,
    one: *const u8,
    many: *const u8,
    count: u64,
    _category: c_int,
) -> *mut u8 {
    ngettext(one, many, count)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn textdomain(domain: *const u8) -> *mut u8 {
    if domain.is_null() {
        c"messages".as_ptr().cast_mut().cast()
    } else {
        domain.cast_mut()
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn bindtextdomain(_domain: *const u8, directory: *const u8) -> *mut u8 {
    directory.cast_mut()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn bind_textdomain_codeset(
    _domain: *const u8,
    codeset: *const u8,
) -> *mut u8 {
    codeset.cast_mut()
}
