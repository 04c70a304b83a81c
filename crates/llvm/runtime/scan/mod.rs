//! Formatted input, over a string or a stream, and the result of formatted output.
//!
//! The wide functions read wide characters by the same code; their format is text of UTF-8 to it.
//!
//! One character at a time is looked at, and at most one is given back, as C asks for.  The arguments are pointers in a
//! list whose registers are used up, so they lie one after the other in memory.

mod directive;
mod float;
mod input;
mod integer;
mod set;
mod sink;

use self::directive::Outcome::{Done, InputFailure, MatchingFailure};
use self::directive::{Directive, Outcome, Size};
use self::input::Input;
use self::set::end_of_set;
use crate::ctype;
use crate::native::{free, malloc};
use crate::stdio::{__refrain_stream_write, FILE};
use crate::utf8::{read_utf8, write_utf8};
use crate::wide_strings::wcslen;
use core::ffi::{c_int, c_void};
use core::ptr::null_mut;

const EOF: c_int = -1;

/// The platform's `va_list`.
#[repr(C)]
pub struct List {
    gp_offset: u32,
    fp_offset: u32,
    overflow: *mut *mut c_void,
    save: *mut c_void,
}

/// A character of a format, and how many bytes it has: of text of UTF-8 where wide ones are meant.
unsafe fn character(at: *const u8, is_wide: bool) -> (c_int, usize) {
    if is_wide
        && *at >= 128
        && let Some(Ok((c, len))) = read_utf8(at, 4)
    {
        return (c as c_int, len);
    }
    (*at as c_int, 1)
}

unsafe fn number(at: &mut *const u8) -> usize {
    let mut value = 0usize;
    while ctype::digit(**at as c_int) {
        value = value.wrapping_mul(10).wrapping_add((**at - b'0') as usize);
        *at = at.add(1);
    }
    value
}

unsafe fn size(at: &mut *const u8) -> Size {
    let c = **at;
    let twice = c != 0 && *at.add(1) == c;
    let (size, len) = match c {
        b'h' if twice => (Size::Char, 2),
        b'h' => (Size::Short, 1),
        b'l' if twice => (Size::LongLong, 2),
        b'l' | b'j' | b'z' | b'Z' | b't' => (Size::Long, 1),
        b'L' | b'q' => (Size::LongLong, 1),
        _ => (Size::Int, 0),
    };
    *at = at.add(len);
    size
}

unsafe fn scan(input: &mut Input, format: *const u8, list: *mut List, binary: bool) -> c_int {
    let first = (*list).overflow;
    let mut at = format;
    let mut done = 0;
    loop {
        let (c, len) = character(at, input.is_wide);
        if c == 0 {
            return done;
        }
        at = at.add(len);
        if input.is_space(c) {
            input.skip_space();
            continue;
        }
        let outcome = if c != b'%' as c_int {
            literal(input, c)
        } else {
            let mut position = 0;
            let start = at;
            let mut width = number(&mut at);
            let mut has_width = at != start;
            if has_width && *at == b'$' {
                position = width;
                at = at.add(1);
                has_width = false;
                width = 0;
            }
            let mut stores = true;
            while (*at == b'*') | (*at == b'\'') | (*at == b'I') {
                stores &= *at != b'*';
                at = at.add(1);
            }
            if ctype::digit(*at as c_int) {
                width = number(&mut at);
                has_width = true;
            }
            let allocate = *at == b'm';
            if allocate {
                at = at.add(1);
            }
            let size = size(&mut at);
            let letter = *at;
            if letter == 0 {
                return done;
            }
            at = at.add(1);
            let set = at;
            if letter == b'[' {
                at = end_of_set(set);
                if *at == 0 {
                    return done;
                }
                at = at.add(1);
            }
            let mut to = null_mut();
            if stores && letter != b'%' {
                if position > 0 {
                    to = *first.add(position - 1);
                } else {
                    to = *(*list).overflow;
                    (*list).overflow = (*list).overflow.add(1);
                }
            }
            let directive = Directive {
                to,
                width,
                // A width of zero is as good as none.
                has_width: has_width && width > 0,
                size,
                allocate,
                letter,
                binary,
            };
            if !((letter == b'[') | (letter == b'c') | (letter == b'C') | (letter == b'n')) {
                input.skip_space();
            }
            let outcome = match letter {
                b'%' => literal(input, b'%' as c_int),
                b'n' => {
                    directive.store_integer(input.count as u64);
                    continue;
                }
                b'd' => directive.integer(input, 10, true),
                b'i' => directive.integer(input, 0, true),
                b'u' => directive.integer(input, 10, false),
                b'o' => directive.integer(input, 8, false),
                b'x' | b'X' => directive.integer(input, 16, false),
                b'p' => {
                    let pointer = Directive {
                        size: Size::Long,
                        ..directive
                    };
                    pointer.integer(input, 16, false)
                }
                b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => directive.float(input),
                b'c' | b'C' => directive.characters(input),
                b's' | b'S' => directive.word(input),
                b'[' => directive.members(input, set, at.sub(1)),
                _ => MatchingFailure,
            };
            if outcome == Done && stores && letter != b'%' {
                done += 1;
            }
            outcome
        };
        match outcome {
            Done => {}
            InputFailure => return if done == 0 { EOF } else { done },
            MatchingFailure => return done,
        }
    }
}

unsafe fn literal(input: &mut Input, wanted: c_int) -> Outcome {
    let c = input.get();
    if c == EOF {
        return InputFailure;
    }
    if c != wanted {
        input.unget(c);
        return MatchingFailure;
    }
    Done
}

/// Scans wide characters by a wide format.
unsafe fn scan_wide(
    input: &mut Input,
    format: *const c_int,
    list: *mut List,
    binary: bool,
) -> c_int {
    let text = malloc(4 * wcslen(format) + 1).cast::<u8>();
    if text.is_null() {
        return EOF;
    }
    let (mut index, mut len) = (0, 0);
    while *format.add(index) != 0 {
        len += write_utf8(text.add(len), *format.add(index) as u32);
        index += 1;
    }
    *text.add(len) = 0;
    let done = scan(input, text, list, binary);
    free(text.cast());
    done
}

// What the machine's variadic functions call.

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_scan_string(
    s: *const u8,
    format: *const u8,
    list: *mut List,
    binary: c_int,
) -> c_int {
    scan(&mut Input::string(s), format, list, binary != 0)
}

/// A null stream is standard input.
#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_scan_stream(
    f: *mut FILE,
    format: *const u8,
    list: *mut List,
    binary: c_int,
) -> c_int {
    scan(&mut Input::stream(f), format, list, binary != 0)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_scan_wide_string(
    s: *const c_int,
    format: *const c_int,
    list: *mut List,
    binary: c_int,
) -> c_int {
    scan_wide(&mut Input::wide_string(s), format, list, binary != 0)
}

/// A null stream is standard input.
#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_scan_wide_stream(
    f: *mut FILE,
    format: *const c_int,
    list: *mut List,
    binary: c_int,
) -> c_int {
    scan_wide(&mut Input::wide_stream(f), format, list, binary != 0)
}

/// Writes what was formatted; what `printf` gives.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_print(f: *mut FILE, bytes: *const u8, len: usize) -> c_int {
    if __refrain_stream_write(f, bytes, len) == len {
        len as c_int
    } else {
        -1
    }
}

/// The functions of C with a list of arguments, for a string, a stream and standard input; the number says whether `0b`
/// starts a binary number, as it does since C23.
macro_rules! functions {
    (
        $unit:ty, $of_string:ident, $of_stream:ident:
        $($string:ident, $stream:ident, $standard:ident: $binary:literal;)*
    ) => {
        $(
            #[cfg_attr(not(test), unsafe(no_mangle))]
            pub unsafe extern "C" fn $string(
                s: *const $unit,
                format: *const $unit,
                list: *mut List,
            ) -> c_int {
                $of_string(s, format, list, $binary)
            }

            #[cfg_attr(not(test), unsafe(no_mangle))]
            pub unsafe extern "C" fn $stream(
                f: *mut FILE,
                format: *const $unit,
                list: *mut List,
            ) -> c_int {
                $of_stream(f, format, list, $binary)
            }

            #[cfg_attr(not(test), unsafe(no_mangle))]
            pub unsafe extern "C" fn $standard(format: *const $unit, list: *mut List) -> c_int {
                $of_stream(null_mut(), format, list, $binary)
            }
        )*
    };
}

functions! {
    u8, __refrain_scan_string, __refrain_scan_stream:
    vsscanf, vfscanf, vscanf: 0;
    __isoc99_vsscanf, __isoc99_vfscanf, __isoc99_vscanf: 0;
    __isoc23_vsscanf, __isoc23_vfscanf, __isoc23_vscanf: 1;
}

functions! {
    c_int, __refrain_scan_wide_string, __refrain_scan_wide_stream:
    vswscanf, vfwscanf, vwscanf: 0;
    __isoc99_vswscanf, __isoc99_vfwscanf, __isoc99_vwscanf: 0;
    __isoc23_vswscanf, __isoc23_vfwscanf, __isoc23_vwscanf: 1;
}
