//! Options that every program has.

use super::help::{self, argp_state_help};
use super::{
    HIDDEN, NO_ERRS, NO_EXIT, PARSE_ARGV0, Parser, UNKNOWN, argp, argp_option,
    argp_program_version, argp_program_version_hook, argp_state, say_error,
};
use crate::messages::program_invocation_short_name;
use crate::stdio::fputs;
use crate::string::basename;
use core::ffi::c_int;
use core::ptr::null;

const OPT_PROGNAME: c_int = -2;
const OPT_USAGE: c_int = -3;

const END: argp_option = option(null(), 0, null(), 0, null(), 0);

const fn option(
    name: *const u8,
    key: c_int,
    arg: *const u8,
    flags: c_int,
    doc: *const u8,
    group: c_int,
) -> argp_option {
    argp_option {
        name,
        key,
        arg,
        flags,
        doc,
        group,
    }
}

static HELP_OPTIONS: [argp_option; 4] = [
    option(
        text!("help"),
        b'?' as c_int,
        null(),
        0,
        text!("Give this help list"),
        -1,
    ),
    option(
        text!("usage"),
        OPT_USAGE,
        null(),
        0,
        text!("Give a short usage message"),
        0,
    ),
    option(
        text!("program-name"),
        OPT_PROGNAME,
        text!("NAME"),
        HIDDEN,
        text!("Set the program name"),
        0,
    ),
    END,
];

static VERSION_OPTIONS: [argp_option; 2] = [
    option(
        text!("version"),
        b'V' as c_int,
        null(),
        0,
        text!("Print program version"),
        -1,
    ),
    END,
];

pub const fn of_all(options: *const argp_option, parser: Option<Parser>) -> argp {
    argp {
        options,
        parser,
        args_doc: null(),
        doc: null(),
        children: null(),
        help_filter: None,
        domain: null(),
    }
}

pub static HELP: argp = of_all(
    &raw const HELP_OPTIONS as *const argp_option,
    Some(parse_help),
);
pub static VERSION: argp = of_all(
    &raw const VERSION_OPTIONS as *const argp_option,
    Some(parse_version),
);

unsafe extern "C" fn parse_help(key: c_int, arg: *mut u8, state: *mut argp_state) -> c_int {
    if key == b'?' as c_int {
        argp_state_help(state, (*state).out_stream, help::STD_HELP);
    } else if key == OPT_USAGE {
        argp_state_help(state, (*state).out_stream, help::USAGE | help::EXIT_OK);
    } else if key == OPT_PROGNAME {
        crate::messages::program_invocation_name = arg;
        (*state).name = basename(arg);
        program_invocation_short_name = (*state).name;
        if (*state).flags & (PARSE_ARGV0 | NO_ERRS) == PARSE_ARGV0 {
            *(*state).argv = arg;
        }
    } else {
        return UNKNOWN;
    }
    0
}

unsafe extern "C" fn parse_version(key: c_int, _arg: *mut u8, state: *mut argp_state) -> c_int {
    if key != b'V' as c_int {
        return UNKNOWN;
    }
    if let Some(hook) = argp_program_version_hook {
        hook((*state).out_stream, state);
    } else if !argp_program_version.is_null() {
        fputs(argp_program_version, (*state).out_stream);
        fputs(text!("\n"), (*state).out_stream);
    } else {
        say_error(state, text!("(PROGRAM ERROR) No version known!?"), 34);
    }
    if (*state).flags & NO_EXIT == 0 {
        crate::exit::exit(0);
    }
    0
}
