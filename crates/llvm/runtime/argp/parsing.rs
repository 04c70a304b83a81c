//! How the groups of a tree take options and arguments.

use super::help::{STD_ERR, argp_state_help};
use super::{
    ARG_OPTIONAL, Group, KEY_ARG, KEY_ARGS, KEY_BITS, KEY_END, KEY_ERROR, KEY_FINI, KEY_INIT,
    KEY_NO_ARGS, KEY_SUCCESS, LONG_ONLY, NO_ARGS, NO_ERRS, Parsing, UNKNOWN, argp, argp_state,
    say_error,
};
use crate::errno::EINVAL;
use crate::getopt::{self, LongOption};
use crate::native::{free, malloc, memset};
use crate::stdio::fputs;
use crate::string::{strcmp, strlen};
use core::ffi::{c_int, c_uint, c_void};
use core::ptr::null_mut;

impl Parsing {
    /// Takes an `argp` in, and its children behind it.
    pub unsafe fn add(&mut self, tree: *const argp, parent: usize, index: usize) {
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

    pub unsafe fn release(&mut self) {
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

    pub unsafe fn start(&self, state: *mut argp_state, input: *mut c_void) -> c_int {
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
    pub unsafe fn next(
        &mut self,
        state: *mut argp_state,
        reads_options: &mut bool,
    ) -> (c_int, bool) {
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

    pub unsafe fn finish(
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
                argp_state_help(state, (*state).err_stream, STD_ERR);
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
