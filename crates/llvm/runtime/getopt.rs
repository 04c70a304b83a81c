//! Command-line options as GNU programs take them: operands may come between
//! options and end up behind them.

use crate::env::getenv;
use crate::stdio::{fputc, fputs, stderr};
use crate::string::{strchr, strlen, strncmp};
use core::ffi::c_int;
use core::ptr::null_mut;

#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut optarg: *mut u8 = null_mut();
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut optind: c_int = 1;
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut opterr: c_int = 1;
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut optopt: c_int = b'?' as c_int;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct LongOption {
    pub name: *const u8,
    pub has_arg: c_int,
    pub flag: *mut c_int,
    pub val: c_int,
}

/// How operands before options are treated.
#[derive(Clone, Copy, PartialEq)]
enum Ordering {
    Permute,
    /// The first operand ends the options.
    Require,
    /// An operand is the argument of an option numbered 1.
    Return,
}

struct State {
    started: bool,
    ordering: Ordering,
    /// The rest of a cluster of short options, or null.
    cluster: *mut u8,
    /// Operands passed over and not yet moved behind: `first..last`.
    first: c_int,
    last: c_int,
}

static mut STATE: State = State {
    started: false,
    ordering: Ordering::Permute,
    cluster: null_mut(),
    first: 1,
    last: 1,
};

unsafe fn say(parts: &[*const u8]) {
    let mut at = parts.as_ptr();
    let end = at.add(parts.len());
    while at != end {
        fputs(*at, stderr);
        at = at.add(1);
    }
}

macro_rules! text {
    ($text:literal) => {
        concat!($text, "\0").as_ptr()
    };
}

/// Turns `first..last` and `last..end` about.
unsafe fn exchange(argv: *mut *mut u8, first: c_int, last: c_int, end: c_int) {
    reverse(argv, first, last);
    reverse(argv, last, end);
    reverse(argv, first, end);
}

unsafe fn reverse(argv: *mut *mut u8, from: c_int, to: c_int) {
    let (mut i, mut j) = (from as isize, to as isize - 1);
    while i < j {
        let entry = *argv.offset(i);
        *argv.offset(i) = *argv.offset(j);
        *argv.offset(j) = entry;
        i += 1;
        j -= 1;
    }
}

unsafe fn is_operand(word: *const u8) -> bool {
    *word != b'-' || *word.add(1) == 0
}

/// Puts the options read since operands were passed over before those operands.
unsafe fn settle(argv: *mut *mut u8) {
    let (first, last) = (STATE.first, STATE.last);
    if first != last && last != optind {
        exchange(argv, first, last, optind);
        STATE.first = first + (optind - last);
        STATE.last = optind;
    } else if last != optind {
        STATE.first = optind;
        STATE.last = optind;
    }
}

pub unsafe fn next_option(
    argc: c_int,
    argv: *mut *mut u8,
    options: *const u8,
    longs: *const LongOption,
    index: *mut c_int,
    long_only: bool,
    posix: bool,
) -> c_int {
    if argc < 1 {
        return -1;
    }
    optarg = null_mut();
    if optind == 0 || !STATE.started {
        if optind == 0 {
            optind = 1;
        }
        STATE.first = optind;
        STATE.last = optind;
        STATE.cluster = null_mut();
        STATE.started = true;
        STATE.ordering = if *options == b'-' {
            Ordering::Return
        } else if posix || *options == b'+' || !getenv(text!("POSIXLY_CORRECT")).is_null() {
            Ordering::Require
        } else {
            Ordering::Permute
        };
    }
    let mut options = options;
    if *options == b'-' || *options == b'+' {
        options = options.add(1);
    }
    // A leading colon asks for silence.
    let quiet = *options == b':' || opterr == 0;

    if STATE.cluster.is_null() || *STATE.cluster == 0 {
        // The program may have moved `optind` back.
        if STATE.last > optind {
            STATE.last = optind;
        }
        if STATE.first > optind {
            STATE.first = optind;
        }
        if STATE.ordering == Ordering::Permute {
            settle(argv);
            while optind < argc && is_operand(*argv.offset(optind as isize)) {
                optind += 1;
            }
            STATE.last = optind;
        }
        if optind != argc {
            let word = *argv.offset(optind as isize);
            if *word == b'-' && *word.add(1) == b'-' && *word.add(2) == 0 {
                // The end of options; it counts as one.
                optind += 1;
                if STATE.first != STATE.last && STATE.last != optind {
                    settle(argv);
                } else if STATE.first == STATE.last {
                    STATE.first = optind;
                }
                STATE.last = argc;
                optind = argc;
            }
        }
        if optind == argc {
            // Where the operands begin.
            if STATE.first != STATE.last {
                optind = STATE.first;
            }
            return -1;
        }
        let word = *argv.offset(optind as isize);
        if is_operand(word) {
            if STATE.ordering == Ordering::Require {
                return -1;
            }
            optarg = word;
            optind += 1;
            return 1;
        }
        if !longs.is_null() {
            if *word.add(1) == b'-' {
                return long_option(
                    argc,
                    argv,
                    options,
                    longs,
                    index,
                    quiet,
                    word.add(2),
                    2,
                    long_only,
                );
            }
            // One dash: a long option unless it can only be a short one.
            if long_only && (*word.add(2) != 0 || strchr(options, *word.add(1) as c_int).is_null())
            {
                let code = long_option(
                    argc,
                    argv,
                    options,
                    longs,
                    index,
                    quiet,
                    word.add(1),
                    1,
                    true,
                );
                if code != -1 {
                    return code;
                }
            }
        }
        STATE.cluster = word.add(1);
    }
    short_option(argc, argv, options, quiet)
}

unsafe fn short_option(argc: c_int, argv: *mut *mut u8, options: *const u8, quiet: bool) -> c_int {
    let c = *STATE.cluster;
    STATE.cluster = STATE.cluster.add(1);
    let last = *STATE.cluster == 0;
    if last {
        optind += 1;
    }
    let found = strchr(options, c as c_int);
    if found.is_null() || c == b':' || c == b';' {
        if !quiet {
            say(&[*argv, text!(": invalid option -- '")]);
            fputc(c as c_int, stderr);
            say(&[text!("'\n")]);
        }
        optopt = c as c_int;
        return b'?' as c_int;
    }
    if *found.add(1) != b':' {
        return c as c_int;
    }
    let optional = *found.add(2) == b':';
    if !last {
        optarg = STATE.cluster;
        optind += 1;
    } else if optional {
        optarg = null_mut();
    } else if optind == argc {
        if !quiet {
            say(&[*argv, text!(": option requires an argument -- '")]);
            fputc(c as c_int, stderr);
            say(&[text!("'\n")]);
        }
        optopt = c as c_int;
        STATE.cluster = null_mut();
        return if *options == b':' { b':' } else { b'?' } as c_int;
    } else {
        optarg = *argv.offset(optind as isize);
        optind += 1;
    }
    STATE.cluster = null_mut();
    c as c_int
}

/// Reads the long option `name`, which has `dashes` dashes before it; -1 if it
/// is to be tried as short ones.
unsafe fn long_option(
    argc: c_int,
    argv: *mut *mut u8,
    options: *const u8,
    longs: *const LongOption,
    index: *mut c_int,
    quiet: bool,
    name: *mut u8,
    dashes: c_int,
    long_only: bool,
) -> c_int {
    let prefix: *const u8 = if dashes == 2 { text!("--") } else { text!("-") };
    let mut len = 0;
    while *name.add(len) != 0 && *name.add(len) != b'=' {
        len += 1;
    }
    let mut found = -1isize;
    let mut exact = false;
    let mut ambiguous = false;
    let mut i = 0isize;
    while !(*longs.offset(i)).name.is_null() {
        let option = longs.offset(i);
        if strncmp((*option).name, name, len) == 0 {
            if strlen((*option).name) == len {
                found = i;
                exact = true;
                break;
            }
            if found < 0 {
                found = i;
            } else {
                // Two abbreviated that mean the same are one, but for
                // `getopt_long_only`.
                let other = longs.offset(found);
                if long_only
                    || (*other).has_arg != (*option).has_arg
                    || (*other).flag != (*option).flag
                    || (*other).val != (*option).val
                {
                    ambiguous = true;
                }
            }
        }
        i += 1;
    }
    if ambiguous && !exact {
        if !quiet {
            say(&[
                *argv,
                text!(": option '"),
                prefix,
                name,
                text!("' is ambiguous; possibilities:"),
            ]);
            let mut i = 0isize;
            while !(*longs.offset(i)).name.is_null() {
                if strncmp((*longs.offset(i)).name, name, len) == 0 {
                    say(&[text!(" '"), prefix, (*longs.offset(i)).name, text!("'")]);
                }
                i += 1;
            }
            say(&[text!("\n")]);
        }
        STATE.cluster = null_mut();
        optind += 1;
        optopt = 0;
        return b'?' as c_int;
    }
    if found < 0 {
        if dashes == 1 && !strchr(options, *name as c_int).is_null() {
            return -1;
        }
        if !quiet {
            say(&[
                *argv,
                text!(": unrecognized option '"),
                prefix,
                name,
                text!("'\n"),
            ]);
        }
        STATE.cluster = null_mut();
        optind += 1;
        optopt = 0;
        return b'?' as c_int;
    }
    let option = longs.offset(found);
    optind += 1;
    STATE.cluster = null_mut();
    if *name.add(len) == b'=' {
        if (*option).has_arg == 0 {
            if !quiet {
                say(&[
                    *argv,
                    text!(": option '"),
                    prefix,
                    (*option).name,
                    text!("' doesn't allow an argument\n"),
                ]);
            }
            optopt = (*option).val;
            return b'?' as c_int;
        }
        optarg = name.add(len + 1);
    } else if (*option).has_arg == 1 {
        if optind >= argc {
            if !quiet {
                say(&[
                    *argv,
                    text!(": option '"),
                    prefix,
                    (*option).name,
                    text!("' requires an argument\n"),
                ]);
            }
            optopt = (*option).val;
            return if *options == b':' { b':' } else { b'?' } as c_int;
        }
        optarg = *argv.offset(optind as isize);
        optind += 1;
    }
    if !index.is_null() {
        *index = found as c_int;
    }
    if !(*option).flag.is_null() {
        *(*option).flag = (*option).val;
        return 0;
    }
    (*option).val
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getopt(argc: c_int, argv: *mut *mut u8, options: *const u8) -> c_int {
    next_option(
        argc,
        argv,
        options,
        core::ptr::null(),
        null_mut(),
        false,
        false,
    )
}

/// `getopt` of a program compiled as strictly POSIX: no permuting.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __posix_getopt(
    argc: c_int,
    argv: *mut *mut u8,
    options: *const u8,
) -> c_int {
    next_option(
        argc,
        argv,
        options,
        core::ptr::null(),
        null_mut(),
        false,
        true,
    )
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getopt_long(
    argc: c_int,
    argv: *mut *mut u8,
    options: *const u8,
    longs: *const LongOption,
    index: *mut c_int,
) -> c_int {
    next_option(argc, argv, options, longs, index, false, false)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getopt_long_only(
    argc: c_int,
    argv: *mut *mut u8,
    options: *const u8,
    longs: *const LongOption,
    index: *mut c_int,
) -> c_int {
    next_option(argc, argv, options, longs, index, true, false)
}
