//! The locales there are: "C", also called "POSIX", and "C.UTF-8", which differs
//! in what characters are as bytes.

use crate::ctype::{__refrain_utf8, is_utf8};
use crate::string::strcmp;
use core::ffi::{c_char, c_int, c_void};
use core::ptr::null_mut;

const NAME: *const u8 = c"C".as_ptr().cast();
const UTF8_NAME: *const u8 = c"C.UTF-8".as_ptr().cast();
/// What `setlocale` says of all categories when only that of characters is another.
const MIXED_NAME: *const u8 = c"LC_CTYPE=C.UTF-8;LC_NUMERIC=C;LC_TIME=C;LC_COLLATE=C;LC_MONETARY=C;LC_MESSAGES=C;LC_PAPER=C;LC_NAME=C;LC_ADDRESS=C;LC_TELEPHONE=C;LC_MEASUREMENT=C;LC_IDENTIFICATION=C"
    .as_ptr()
    .cast();

const LC_CTYPE: c_int = 0;
const LC_ALL: c_int = 6;
const CATEGORIES: usize = 13;

/// Which categories are of C.UTF-8.
static mut IS_UTF8: [bool; CATEGORIES] = [false; CATEGORIES];

/// Whether a name is that of C.UTF-8, if it is of any locale. The empty one is that of the environment.
unsafe fn known(name: *const u8, variable: &core::ffi::CStr) -> Option<bool> {
    if *name == 0 {
        for variable in [c"LC_ALL", variable, c"LANG"] {
            let value = crate::env::getenv(variable.as_ptr().cast());
            if !value.is_null() && *value != 0 {
                return known_name(value);
            }
        }
        return Some(false);
    }
    known_name(name)
}

unsafe fn known_name(name: *const u8) -> Option<bool> {
    if strcmp(name, NAME) == 0 || strcmp(name, c"POSIX".as_ptr().cast()) == 0 {
        Some(false)
    } else if strcmp(name, UTF8_NAME) == 0 || strcmp(name, c"C.utf8".as_ptr().cast()) == 0 {
        Some(true)
    } else {
        None
    }
}

fn variable(category: c_int) -> &'static core::ffi::CStr {
    match category {
        0 => c"LC_CTYPE",
        1 => c"LC_NUMERIC",
        2 => c"LC_TIME",
        3 => c"LC_COLLATE",
        4 => c"LC_MONETARY",
        5 => c"LC_MESSAGES",
        _ => c"LC_ALL",
    }
}

unsafe fn of_category(category: usize) -> *mut bool {
    (&raw mut IS_UTF8).cast::<bool>().add(category)
}

/// The name of what is set. Categories that differ in another way than programs make them have none here.
unsafe fn current(category: c_int) -> *mut u8 {
    let all = *of_category(if category == LC_ALL {
        1
    } else {
        category as usize
    });
    let mixed = category == LC_ALL && *of_category(0) != all;
    let name = if mixed {
        MIXED_NAME
    } else if all {
        UTF8_NAME
    } else {
        NAME
    };
    name.cast_mut()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn setlocale(category: c_int, name: *const u8) -> *mut u8 {
    if !(0..=12).contains(&category) {
        crate::errno::set(crate::errno::EINVAL);
        return null_mut();
    }
    if name.is_null() {
        return current(category);
    }
    if category == LC_ALL && strcmp(name, MIXED_NAME) == 0 {
        // What it has said itself.
        let mut index = 0;
        while index < CATEGORIES {
            *of_category(index) = index == LC_CTYPE as usize;
            index += 1;
        }
        __refrain_utf8 = 1;
        return current(category);
    }
    let Some(mut is_utf8) = known(name, variable(category)) else {
        return null_mut();
    };
    let mut index = 0;
    while index < CATEGORIES {
        if category == LC_ALL {
            // Of the environment each category has its own.
            if *name == 0 {
                let Some(own) = known(name, variable(index as c_int)) else {
                    return null_mut();
                };
                is_utf8 = own;
            }
            *of_category(index) = is_utf8;
        } else if category as usize == index {
            *of_category(index) = is_utf8;
        }
        index += 1;
    }
    __refrain_utf8 = *of_category(0) as c_int;
    current(category)
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
        14 if is_utf8() => c"UTF-8",
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
    if let Some(is_utf8) = known(name, c"LC_CTYPE") {
        if is_utf8 && !crate::ctype::is_utf8() {
            crate::native::__refrain_unsupported(
                c"newlocale of C.UTF-8 beside another locale".as_ptr(),
            );
        }
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
