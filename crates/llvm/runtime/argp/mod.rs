//! `argp`: options and arguments of GNU programs, read by the parsers of a tree.
//!
//! Each `argp` of the tree is a group. Options go to the group that has them, arguments to the first group that takes
//! them. `help` writes what `--help` and `--usage` ask for, in lines that `fill` makes.

/// A string of C.
macro_rules! text {
    ($text:literal) => {
        concat!($text, "\0").as_ptr()
    };
}

mod fill;
mod help;
mod parsing;
mod standard;

use self::standard::{HELP, VERSION, of_all};
use crate::errno::E2BIG;
use crate::getopt::{self, LongOption};
use crate::list::List;
use crate::messages::program_invocation_short_name;
use crate::native::free;
use crate::stdio::{FILE, fputs, put_bytes, stderr, stdout};
use crate::string::{basename, strerror};
use core::ffi::{c_int, c_uint, c_void};
use core::ptr::{null, null_mut};

pub use help::argp_state_help;

/// What a parser answers to a key that it does not know.
const UNKNOWN: c_int = E2BIG;

const PARSE_ARGV0: c_uint = 1;
const NO_ERRS: c_uint = 2;
const NO_ARGS: c_uint = 4;
const IN_ORDER: c_uint = 8;
const NO_HELP: c_uint = 0x10;
const NO_EXIT: c_uint = 0x20;
const LONG_ONLY: c_uint = 0x40;

const KEY_ARG: c_int = 0;
const KEY_END: c_int = 0x1000001;
const KEY_NO_ARGS: c_int = 0x1000002;
const KEY_INIT: c_int = 0x1000003;
const KEY_SUCCESS: c_int = 0x1000004;
const KEY_ERROR: c_int = 0x1000005;
const KEY_ARGS: c_int = 0x1000006;
const KEY_FINI: c_int = 0x1000007;

const ARG_OPTIONAL: c_int = 1;
const HIDDEN: c_int = 2;
const ALIAS: c_int = 4;
const DOC: c_int = 8;
const NO_USAGE: c_int = 16;

/// Keys of options have so many bits; above them is the group.
const KEY_BITS: u32 = 24;

type Parser = unsafe extern "C" fn(c_int, *mut u8, *mut argp_state) -> c_int;
type Filter = unsafe extern "C" fn(c_int, *const u8, *mut c_void) -> *mut u8;
type VersionHook = unsafe extern "C" fn(*mut FILE, *mut argp_state);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct argp_option {
    name: *const u8,
    key: c_int,
    arg: *const u8,
    flags: c_int,
    doc: *const u8,
    group: c_int,
}

// Nobody writes them.
unsafe impl Sync for argp_option {}

#[repr(C)]
pub struct argp {
    options: *const argp_option,
    parser: Option<Parser>,
    args_doc: *const u8,
    doc: *const u8,
    children: *const argp_child,
    help_filter: Option<Filter>,
    domain: *const u8,
}

unsafe impl Sync for argp {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct argp_child {
    argp: *const argp,
    flags: c_int,
    header: *const u8,
    group: c_int,
}

#[repr(C)]
pub struct argp_state {
    root_argp: *const argp,
    argc: c_int,
    argv: *mut *mut u8,
    next: c_int,
    flags: c_uint,
    arg_num: c_uint,
    quoted: c_int,
    input: *mut c_void,
    child_inputs: *mut *mut c_void,
    hook: *mut c_void,
    name: *mut u8,
    err_stream: *mut FILE,
    out_stream: *mut FILE,
    pstate: *mut Parsing,
}

/// One `argp` of the tree.
#[derive(Clone, Copy)]
struct Group {
    argp: *const argp,
    parent: usize,
    /// Which child of its parent it is.
    index: usize,
    args_processed: c_uint,
    input: *mut c_void,
    child_inputs: *mut *mut c_void,
    hook: *mut c_void,
}

pub struct Parsing {
    groups: List<Group>,
    /// For `getopt`, and the group of each short option.
    short: List<u8>,
    short_groups: List<(u8, usize)>,
    long: List<LongOption>,
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut argp_program_version: *const u8 = null();
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut argp_program_version_hook: Option<VersionHook> = None;
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut argp_program_bug_address: *const u8 = null();
/// `EX_USAGE`.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut argp_err_exit_status: c_int = 64;

impl argp_option {
    fn is_doc(&self) -> bool {
        self.flags & DOC != 0
    }

    fn is_alias(&self) -> bool {
        self.flags & ALIAS != 0
    }

    fn is_visible(&self) -> bool {
        self.flags & HIDDEN == 0
    }

    fn is_short(&self) -> bool {
        !self.is_doc() && self.key > 32 && self.key < 127
    }

    fn is_end(&self) -> bool {
        self.key == 0 && self.name.is_null() && self.doc.is_null() && self.group == 0
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn argp_parse(
    tree: *const argp,
    argc: c_int,
    argv: *mut *mut u8,
    flags: c_uint,
    end: *mut c_int,
    input: *mut c_void,
) -> c_int {
    const NONE: argp_child = argp_child {
        argp: null(),
        flags: 0,
        header: null(),
        group: 0,
    };
    // The program's own first, then what every program has.
    let mut children = [NONE; 4];
    let mut top = of_all(null(), None);
    let mut root = tree;
    if flags & NO_HELP == 0 {
        let mut count = 0;
        let list = (&raw mut children).cast::<argp_child>();
        if !tree.is_null() {
            (*list).argp = tree;
            count += 1;
        }
        (*list.add(count)).argp = &raw const HELP;
        count += 1;
        let hook = argp_program_version_hook;
        if !argp_program_version.is_null() || hook.is_some() {
            (*list.add(count)).argp = &raw const VERSION;
        }
        top.children = list;
        root = &raw const top;
    }
    let mut parsing = Parsing {
        groups: List::new(),
        short: List::new(),
        short_groups: List::new(),
        long: List::new(),
    };
    if flags & IN_ORDER != 0 {
        parsing.short.push(b'-');
    } else if flags & NO_ARGS != 0 {
        parsing.short.push(b'+');
    }
    if !root.is_null() {
        parsing.add(root, 0, 0);
    }
    parsing.short.push(0);
    parsing.long.push(LongOption {
        name: null(),
        has_arg: 0,
        flag: null_mut(),
        val: 0,
    });
    let mut argc = argc;
    let mut argv = argv;
    let mut name = program_invocation_short_name;
    if flags & PARSE_ARGV0 != 0 {
        argc += 1;
        argv = argv.sub(1);
    } else if !(*argv).is_null() {
        name = basename(*argv);
    }
    let mut state = argp_state {
        root_argp: root,
        argc,
        argv,
        next: 0,
        flags,
        arg_num: 0,
        quoted: 0,
        input: null_mut(),
        child_inputs: null_mut(),
        hook: null_mut(),
        name,
        err_stream: stderr,
        out_stream: stdout,
        pstate: null_mut(),
    };
    state.pstate = &raw mut parsing;
    let state = &raw mut state;
    if parsing.groups.len() == 0 {
        return 0;
    }
    let mut error = parsing.start(state, input);
    getopt::opterr = (flags & NO_ERRS == 0) as c_int;
    let (mut is_argument, mut reads_options) = (false, true);
    if error == 0 {
        while error == 0 {
            (error, is_argument) = parsing.next(state, &mut reads_options);
        }
        error = parsing.finish(state, error, is_argument, end);
    }
    parsing.release();
    error
}

/// The input of the group of an `argp`.
#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn _argp_input(of: *const argp, state: *const argp_state) -> *mut c_void {
    if state.is_null() || (*state).pstate.is_null() {
        return null_mut();
    }
    let groups = &raw const (*(*state).pstate).groups;
    let mut index = 0;
    while index < (*groups).len() {
        let group = (*groups).at(index);
        if (*group).argp == of {
            return (*group).input;
        }
        index += 1;
    }
    null_mut()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn _option_is_end(option: *const argp_option) -> c_int {
    (*option).is_end() as c_int
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn _option_is_short(option: *const argp_option) -> c_int {
    ((*option).is_short() || (!(*option).is_doc() && (*option).key == 32)) as c_int
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn argp_usage(state: *const argp_state) {
    argp_state_help(state, stderr, help::STD_USAGE);
}

// Messages, of which the machine has formatted the text.

unsafe fn say_error(state: *const argp_state, text: *const u8, len: usize) {
    if !state.is_null() && (*state).flags & NO_ERRS != 0 {
        return;
    }
    let stream = if state.is_null() {
        stderr
    } else {
        (*state).err_stream
    };
    if stream.is_null() {
        return;
    }
    fputs(help::name_of(state), stream);
    fputs(text!(": "), stream);
    put_bytes(stream, text, len);
    fputs(text!("\n"), stream);
    argp_state_help(state, stream, help::STD_ERR);
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_argp_error(state: *const argp_state, text: *mut u8, len: usize) {
    say_error(state, text, len);
    free(text.cast());
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_argp_failure(
    state: *const argp_state,
    status: c_int,
    error: c_int,
    text: *mut u8,
    len: usize,
) {
    let is_quiet = !state.is_null() && (*state).flags & NO_ERRS != 0;
    let stream = if state.is_null() {
        stderr
    } else {
        (*state).err_stream
    };
    if !is_quiet && !stream.is_null() {
        fputs(help::name_of(state), stream);
        if len > 0 {
            fputs(text!(": "), stream);
            put_bytes(stream, text, len);
        }
        if error != 0 {
            fputs(text!(": "), stream);
            fputs(strerror(error), stream);
        }
        fputs(text!("\n"), stream);
        if status != 0 && (state.is_null() || (*state).flags & NO_EXIT == 0) {
            crate::exit::exit(status);
        }
    }
    free(text.cast());
}
