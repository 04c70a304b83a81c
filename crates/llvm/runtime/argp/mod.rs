//! `argp`: options and arguments of GNU programs, read by the parsers of a tree.
//!
//! Each `argp` of the tree is a group. Options go to the group that has them, arguments to the first group that takes
//! them. `help` writes what `--help` and `--usage` ask for, in lines that `fill` makes.

mod fill;
mod help;

use crate::errno::{E2BIG, EINVAL};
use crate::getopt::{self, LongOption};
use crate::list::List;
use crate::messages::program_invocation_short_name;
use crate::native::{free, malloc, memset};
use crate::stdio::{FILE, fputs, put_bytes, stderr, stdout};
use crate::string::{strcmp, strerror, strlen};
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

// Options that every program has.

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

macro_rules! text {
    ($text:literal) => {
        concat!($text, "\0").as_ptr()
    };
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

const fn of_all(options: *const argp_option, parser: Parser) -> argp {
    argp {
        options,
        parser: Some(parser),
        args_doc: null(),
        doc: null(),
        children: null(),
        help_filter: None,
        domain: null(),
    }
}

static HELP: argp = of_all(&raw const HELP_OPTIONS as *const argp_option, parse_help);
static VERSION: argp = of_all(
    &raw const VERSION_OPTIONS as *const argp_option,
    parse_version,
);

unsafe extern "C" fn parse_help(key: c_int, arg: *mut u8, state: *mut argp_state) -> c_int {
    if key == b'?' as c_int {
        argp_state_help(state, (*state).out_stream, help::STD_HELP);
    } else if key == OPT_USAGE {
        argp_state_help(state, (*state).out_stream, help::USAGE | help::EXIT_OK);
    } else if key == OPT_PROGNAME {
        crate::messages::program_invocation_name = arg;
        (*state).name = base_name(arg);
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

unsafe fn base_name(path: *mut u8) -> *mut u8 {
    let (mut at, mut base) = (path, path);
    while *at != 0 {
        if *at == b'/' {
            base = at.add(1);
        }
        at = at.add(1);
    }
    base
}

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

impl Parsing {
    /// Takes an `argp` in, and its children behind it.
    unsafe fn add(&mut self, tree: *const argp, parent: usize, index: usize) {
        let number = self.groups.len();
        let mut count = 0;
        let children = (*tree).children;
        while !children.is_null() && !(*children.add(count)).argp.is_null() {
            count += 1;
        }
        let mut group = Group {
            argp: tree,
            parent,
            index,
            args_processed: 0,
            input: null_mut(),
            child_inputs: null_mut(),
            hook: null_mut(),
        };
        if count > 0 {
            let size = count * size_of::<*mut c_void>();
            group.child_inputs = malloc(size).cast();
            memset(group.child_inputs.cast(), 0, size);
        }
        // One that neither parses nor has options has children alone.
        let is_group = (*tree).parser.is_some() || !(*tree).options.is_null() || count > 0;
        if is_group {
            self.groups.push(group);
        }
        self.add_options(tree, number);
        let mut child = 0;
        while child < count {
            self.add((*children.add(child)).argp, number, child);
            child += 1;
        }
    }

    unsafe fn add_options(&mut self, tree: *const argp, number: usize) {
        let (mut at, mut real) = ((*tree).options, (*tree).options);
        while !at.is_null() && !(*at).is_end() {
            if !(*at).is_alias() {
                real = at;
            }
            if !(*real).is_doc() {
                let optional = (*real).flags & ARG_OPTIONAL != 0;
                let has_arg = !(*real).arg.is_null();
                if (*at).is_short() {
                    let key = (*at).key as u8;
                    self.short.push(key);
                    self.short_groups.push((key, number));
                    let mut colons = has_arg as u8 + (has_arg && optional) as u8;
                    while colons > 0 {
                        self.short.push(b':');
                        colons -= 1;
                    }
                }
                if !(*at).name.is_null() && !self.has_long((*at).name) {
                    let key = if (*at).key != 0 {
                        (*at).key
                    } else {
                        (*real).key
                    };
                    let own = key & ((1 << KEY_BITS) - 1);
                    let has_arg = has_arg as c_int + (has_arg && optional) as c_int;
                    self.long.push(LongOption {
                        name: (*at).name,
                        has_arg,
                        flag: null_mut(),
                        val: own | (number as c_int + 1) << KEY_BITS,
                    });
                }
            }
            at = at.add(1);
        }
    }

    unsafe fn has_long(&self, name: *const u8) -> bool {
        let mut index = 0;
        while index < self.long.len() {
            if strcmp(self.long.get(index).name, name) == 0 {
                return true;
            }
            index += 1;
        }
        false
    }

    unsafe fn release(&mut self) {
        while self.groups.len() > 0 {
            free(self.groups.pop().child_inputs.cast());
        }
        self.groups.release();
        self.short.release();
        self.short_groups.release();
        self.long.release();
    }

    /// Has a group parse.
    unsafe fn tell(&self, group: usize, state: *mut argp_state, key: c_int, arg: *mut u8) -> c_int {
        let group = self.groups.at(group);
        let Some(parser) = (*(*group).argp).parser else {
            return UNKNOWN;
        };
        (*state).hook = (*group).hook;
        (*state).input = (*group).input;
        (*state).child_inputs = (*group).child_inputs;
        (*state).arg_num = (*group).args_processed;
        let error = parser(key, arg, state);
        (*group).hook = (*state).hook;
        error
    }

    /// Tells all groups, from the first or from the last, until one has an error. That some do not know the key is none.
    unsafe fn tell_all(&self, state: *mut argp_state, key: c_int, backwards: bool) -> c_int {
        let count = self.groups.len();
        let mut index = 0;
        while index < count {
            let group = if backwards { count - 1 - index } else { index };
            index += 1;
            if key == KEY_NO_ARGS && (*self.groups.at(group)).args_processed != 0 {
                continue;
            }
            let error = self.tell(group, state, key, null_mut());
            if error != 0 && error != UNKNOWN {
                return error;
            }
        }
        0
    }

    unsafe fn start(&self, state: *mut argp_state, input: *mut c_void) -> c_int {
        (*self.groups.at(0)).input = input;
        let mut index = 0;
        while index < self.groups.len() {
            let group = self.groups.at(index);
            if index > 0 {
                let parent = self.groups.at((*group).parent);
                (*group).input = *(*parent).child_inputs.add((*group).index);
            }
            let has_children = !(*group).child_inputs.is_null();
            if (*(*group).argp).parser.is_none() && has_children {
                *(*group).child_inputs = (*group).input;
            }
            let error = self.tell(index, state, KEY_INIT, null_mut());
            if error != 0 && error != UNKNOWN {
                return error;
            }
            index += 1;
        }
        0
    }

    unsafe fn argument(&self, state: *mut argp_state, arg: *mut u8, again: &mut bool) -> c_int {
        (*state).next -= 1;
        let index = (*state).next;
        let mut group = 0;
        while group < self.groups.len() {
            (*state).next += 1;
            let mut key = KEY_ARG;
            let mut error = self.tell(group, state, KEY_ARG, arg);
            if error == UNKNOWN {
                (*state).next -= 1;
                key = KEY_ARGS;
                error = self.tell(group, state, KEY_ARGS, null_mut());
            }
            if error == 0 {
                if key == KEY_ARGS {
                    (*state).next = (*state).argc;
                }
                if (*state).next > index {
                    let taken = (*state).next - index;
                    (*self.groups.at(group)).args_processed += taken as c_uint;
                } else {
                    // It is to be read again, perhaps as an option.
                    *again = true;
                }
            }
            if error != UNKNOWN {
                return error;
            }
            group += 1;
        }
        UNKNOWN
    }

    unsafe fn option(&self, state: *mut argp_state, key: c_int, arg: *mut u8) -> c_int {
        let mut error = UNKNOWN;
        let number = key as u32 >> KEY_BITS;
        if number > 0 {
            // Keys may be negative.
            let own = key << (32 - KEY_BITS) >> (32 - KEY_BITS);
            error = self.tell(number as usize - 1, state, own, arg);
        } else {
            let mut index = 0;
            while index < self.short_groups.len() {
                let (short, group) = self.short_groups.get(index);
                if short as c_int == key {
                    error = self.tell(group, state, key, arg);
                    break;
                }
                index += 1;
            }
        }
        if error == UNKNOWN {
            let lost = text!("(PROGRAM ERROR) Option should have been recognized!?");
            say_error(state, lost, strlen(lost));
        }
        error
    }

    /// Reads the next word. Whether what it does not know is an argument, beside the error.
    unsafe fn next(&mut self, state: *mut argp_state, reads_options: &mut bool) -> (c_int, bool) {
        if (*state).quoted != 0 && (*state).next < (*state).quoted {
            (*state).quoted = 0;
        }
        let mut key = -1;
        if *reads_options && (*state).quoted == 0 {
            getopt::optind = (*state).next;
            getopt::optopt = -1;
            key = getopt::next_option(
                (*state).argc,
                (*state).argv,
                self.short.at(0),
                self.long.at(0),
                null_mut(),
                (*state).flags & LONG_ONLY != 0,
                false,
            );
            (*state).next = getopt::optind;
            if key == -1 {
                *reads_options = false;
                let next = (*state).next;
                if next > 1 && strcmp(*(*state).argv.offset(next as isize - 1), text!("--")) == 0 {
                    (*state).quoted = next;
                }
            } else if key == b'?' as c_int && getopt::optopt != -1 {
                return (UNKNOWN, false);
            }
        }
        let mut arg = getopt::optarg;
        if key == -1 {
            if (*state).next >= (*state).argc || (*state).flags & NO_ARGS != 0 {
                return (UNKNOWN, true);
            }
            key = 1;
            arg = *(*state).argv.offset((*state).next as isize);
            (*state).next += 1;
        }
        if key == 1 {
            return (self.argument(state, arg, reads_options), true);
        }
        (self.option(state, key, arg), false)
    }

    unsafe fn finish(
        &self,
        state: *mut argp_state,
        error: c_int,
        is_argument: bool,
        end: *mut c_int,
    ) -> c_int {
        let mut error = error;
        if error == UNKNOWN && is_argument {
            error = 0;
        }
        if error == 0 {
            if (*state).next == (*state).argc {
                error = self.tell_all(state, KEY_NO_ARGS, false);
                if error == 0 {
                    error = self.tell_all(state, KEY_END, true);
                }
                if !end.is_null() {
                    *end = (*state).next;
                }
            } else if !end.is_null() {
                *end = (*state).next;
            } else {
                if (*state).flags & NO_ERRS == 0 && !(*state).err_stream.is_null() {
                    fputs((*state).name, (*state).err_stream);
                    fputs(text!(": Too many arguments\n"), (*state).err_stream);
                }
                error = UNKNOWN;
            }
        }
        if error != 0 {
            if error == UNKNOWN {
                argp_state_help(state, (*state).err_stream, help::STD_ERR);
            }
            let mut group = 0;
            while group < self.groups.len() {
                self.tell(group, state, KEY_ERROR, null_mut());
                group += 1;
            }
        } else {
            error = self.tell_all(state, KEY_SUCCESS, true);
        }
        let mut group = self.groups.len();
        while group > 0 {
            group -= 1;
            self.tell(group, state, KEY_FINI, null_mut());
        }
        if error == UNKNOWN { EINVAL } else { error }
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
    let mut top = of_all(null(), parse_help);
    top.parser = None;
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
        name = base_name(*argv);
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
