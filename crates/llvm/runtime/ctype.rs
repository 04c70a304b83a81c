//! `ctype.h` in the C locale: range comparisons, and the tables the header's
//! macros index.

use core::ffi::{c_int, c_void};

const UPPER: u16 = 0x100;
const LOWER: u16 = 0x200;
const ALPHA: u16 = 0x400;
const DIGIT: u16 = 0x800;
const XDIGIT: u16 = 0x1000;
const SPACE: u16 = 0x2000;
const PRINT: u16 = 0x4000;
const GRAPH: u16 = 0x8000;
const BLANK: u16 = 1;
const CNTRL: u16 = 2;
const PUNCT: u16 = 4;
const ALNUM: u16 = 8;

/// Characters are UTF-8, by the category `LC_CTYPE` of the locale. The machine looks at it, too.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut __refrain_utf8: c_int = 0;

#[inline(always)]
pub unsafe fn is_utf8() -> bool {
    __refrain_utf8 != 0
}

/// Whether `c` is in `first..=last`, as one comparison.
#[inline(always)]
const fn within(c: c_int, first: u8, last: u8) -> bool {
    (c.wrapping_sub(first as c_int) as u32) <= (last - first) as u32
}

// `|` and `&` rather than `||` and `&&`: a class is one branch, not several.
#[inline(always)]
pub const fn upper(c: c_int) -> bool {
    within(c, b'A', b'Z')
}
#[inline(always)]
pub const fn lower(c: c_int) -> bool {
    within(c, b'a', b'z')
}
#[inline(always)]
pub const fn alpha(c: c_int) -> bool {
    within(c | 32, b'a', b'z')
}
#[inline(always)]
pub const fn digit(c: c_int) -> bool {
    within(c, b'0', b'9')
}
#[inline(always)]
pub const fn xdigit(c: c_int) -> bool {
    digit(c) | within(c | 32, b'a', b'f')
}
#[inline(always)]
pub const fn space(c: c_int) -> bool {
    (c == 32) | within(c, 9, 13)
}
#[inline(always)]
pub const fn print(c: c_int) -> bool {
    within(c, 32, 126)
}
#[inline(always)]
pub const fn graph(c: c_int) -> bool {
    within(c, 33, 126)
}
#[inline(always)]
pub const fn blank(c: c_int) -> bool {
    (c == 32) | (c == 9)
}
#[inline(always)]
pub const fn cntrl(c: c_int) -> bool {
    within(c, 0, 31) | (c == 127)
}
#[inline(always)]
pub const fn alnum(c: c_int) -> bool {
    alpha(c) | digit(c)
}
#[inline(always)]
pub const fn punct(c: c_int) -> bool {
    graph(c) & !alnum(c)
}

/// What the C library answers for a class: its bit in the table.
#[inline(always)]
const fn bit(member: bool, class: u16) -> c_int {
    if member { class as c_int } else { 0 }
}

const fn classes(c: c_int) -> u16 {
    (bit(upper(c), UPPER)
        | bit(lower(c), LOWER)
        | bit(alpha(c), ALPHA)
        | bit(digit(c), DIGIT)
        | bit(xdigit(c), XDIGIT)
        | bit(space(c), SPACE)
        | bit(print(c), PRINT)
        | bit(graph(c), GRAPH)
        | bit(blank(c), BLANK)
        | bit(cntrl(c), CNTRL)
        | bit(punct(c), PUNCT)
        | bit(alnum(c), ALNUM)) as u16
}

const fn class_table() -> [u16; 384] {
    let mut table = [0; 384];
    let mut i = 128;
    while i < 384 {
        table[i] = classes(i as c_int - 128);
        i += 1;
    }
    table
}

/// A case table: indices below -1 are the characters a signed `char` makes of
/// 128 and up, and -1 is `EOF` itself.
const fn case_table(from: u8, to: u8) -> [c_int; 384] {
    let mut table = [0; 384];
    let mut i = 0;
    while i < 384 {
        let c = i as c_int - 128;
        table[i] = if within(c, from, from + 25) {
            c - from as c_int + to as c_int
        } else if c < -1 {
            c + 256
        } else {
            c
        };
        i += 1;
    }
    table
}

static CLASSES: [u16; 384] = class_table();
static LOWERS: [c_int; 384] = case_table(b'A', b'a');
static UPPERS: [c_int; 384] = case_table(b'a', b'A');

/// A pointer to a table's entry for character 0.
#[repr(transparent)]
pub struct Table<T>(*const T);

// The tables are constants.
unsafe impl<T> Sync for Table<T> {}

static CLASS_TABLE: Table<u16> = Table(unsafe { (&raw const CLASSES).cast::<u16>().add(128) });
static LOWER_TABLE: Table<c_int> = Table(unsafe { (&raw const LOWERS).cast::<c_int>().add(128) });
static UPPER_TABLE: Table<c_int> = Table(unsafe { (&raw const UPPERS).cast::<c_int>().add(128) });

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __ctype_b_loc() -> *const Table<u16> {
    &raw const CLASS_TABLE
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __ctype_tolower_loc() -> *const Table<c_int> {
    &raw const LOWER_TABLE
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __ctype_toupper_loc() -> *const Table<c_int> {
    &raw const UPPER_TABLE
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __ctype_get_mb_cur_max() -> usize {
    if is_utf8() { 6 } else { 1 }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn tolower(c: c_int) -> c_int {
    c + ((upper(c) as c_int) << 5)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn toupper(c: c_int) -> c_int {
    c - ((lower(c) as c_int) << 5)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn _tolower(c: c_int) -> c_int {
    tolower(c)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn _toupper(c: c_int) -> c_int {
    toupper(c)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn tolower_l(c: c_int, _locale: *mut c_void) -> c_int {
    tolower(c)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn toupper_l(c: c_int, _locale: *mut c_void) -> c_int {
    toupper(c)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn isascii(c: c_int) -> c_int {
    ((c as u32) < 128) as c_int
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn toascii(c: c_int) -> c_int {
    c & 127
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn isalnum(c: c_int) -> c_int {
    bit(alnum(c), ALNUM)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn isalnum_l(c: c_int, _locale: *mut c_void) -> c_int {
    isalnum(c)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn isalpha(c: c_int) -> c_int {
    bit(alpha(c), ALPHA)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn isalpha_l(c: c_int, _locale: *mut c_void) -> c_int {
    isalpha(c)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn isblank(c: c_int) -> c_int {
    bit(blank(c), BLANK)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn isblank_l(c: c_int, _locale: *mut c_void) -> c_int {
    isblank(c)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn iscntrl(c: c_int) -> c_int {
    bit(cntrl(c), CNTRL)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn iscntrl_l(c: c_int, _locale: *mut c_void) -> c_int {
    iscntrl(c)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn isdigit(c: c_int) -> c_int {
    bit(digit(c), DIGIT)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn isdigit_l(c: c_int, _locale: *mut c_void) -> c_int {
    isdigit(c)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn isgraph(c: c_int) -> c_int {
    bit(graph(c), GRAPH)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn isgraph_l(c: c_int, _locale: *mut c_void) -> c_int {
    isgraph(c)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn islower(c: c_int) -> c_int {
    bit(lower(c), LOWER)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn islower_l(c: c_int, _locale: *mut c_void) -> c_int {
    islower(c)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn isprint(c: c_int) -> c_int {
    bit(print(c), PRINT)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn isprint_l(c: c_int, _locale: *mut c_void) -> c_int {
    isprint(c)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ispunct(c: c_int) -> c_int {
    bit(punct(c), PUNCT)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ispunct_l(c: c_int, _locale: *mut c_void) -> c_int {
    ispunct(c)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn isspace(c: c_int) -> c_int {
    bit(space(c), SPACE)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn isspace_l(c: c_int, _locale: *mut c_void) -> c_int {
    isspace(c)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn isupper(c: c_int) -> c_int {
    bit(upper(c), UPPER)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn isupper_l(c: c_int, _locale: *mut c_void) -> c_int {
    isupper(c)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn isxdigit(c: c_int) -> c_int {
    bit(xdigit(c), XDIGIT)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn isxdigit_l(c: c_int, _locale: *mut c_void) -> c_int {
    isxdigit(c)
}
