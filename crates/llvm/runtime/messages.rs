//! The name a program was started by, and `error` of the GNU C library, which
//! puts it in front of what the program has to say.
//!
//! The machine formats a message, because a function of this library cannot be
//! variadic, and hands over its text.

use crate::native::free;
use crate::stdio::{flush, put_bytes, stderr, stdout};
use crate::string::{strcmp, strerror, strlen, write_decimal};
use core::ffi::{c_int, c_uint};
use core::ptr::null;

const NOTHING: *mut u8 = c"".as_ptr().cast_mut().cast();

/// Set by the machine before `main`, like the three that follow: all of the name, and what is behind the last slash.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut program_invocation_name: *mut u8 = NOTHING;
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut program_invocation_short_name: *mut u8 = NOTHING;
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut __progname_full: *mut u8 = NOTHING;
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut __progname: *mut u8 = NOTHING;

/// Says the name of the program, instead of `error`.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut error_print_progname: Option<unsafe extern "C" fn()> = None;
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut error_message_count: c_uint = 0;
/// Of several messages about one line, `error_at_line` writes the first.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut error_one_per_line: c_int = 0;

static mut LAST_FILE: *const u8 = null();
static mut LAST_LINE: c_uint = 0;

unsafe fn say(text: *const u8) {
    put_bytes(stderr, text, strlen(text));
}

/// `error` and, where `with_place` is set, `error_at_line`. The text is freed.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_error(
    status: c_int,
    error: c_int,
    with_place: c_int,
    file: *const u8,
    line: c_uint,
    text: *mut u8,
    len: usize,
) {
    if with_place != 0 && error_one_per_line != 0 {
        let same_file = LAST_FILE == file
            || (!LAST_FILE.is_null() && !file.is_null() && strcmp(LAST_FILE, file) == 0);
        if same_file && LAST_LINE == line {
            free(text.cast());
            return;
        }
        LAST_FILE = file;
        LAST_LINE = line;
    }
    flush(stdout);
    match error_print_progname {
        Some(print) => print(),
        None => {
            say(program_invocation_name);
            say(if with_place != 0 { c":" } else { c": " }.as_ptr().cast());
        }
    }
    if with_place != 0 && !file.is_null() {
        let mut number = [0u8; 24];
        let digits = (&raw mut number).cast::<u8>();
        let count = write_decimal(digits, line as i64);
        say(file);
        say(c":".as_ptr().cast());
        put_bytes(stderr, digits, count);
        say(c": ".as_ptr().cast());
    } else if with_place != 0 {
        say(c" ".as_ptr().cast());
    }
    put_bytes(stderr, text, len);
    free(text.cast());
    error_message_count = error_message_count.wrapping_add(1);
    if error != 0 {
        say(c": ".as_ptr().cast());
        say(strerror(error));
    }
    say(c"\n".as_ptr().cast());
    if status != 0 {
        crate::exit::exit(status);
    }
}
