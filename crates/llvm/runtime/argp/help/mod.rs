//! What `--help` and `--usage` write: how a program is called, its options in groups, and its documentation.

mod entries;
mod options;
mod usage;

use super::fill::{Filled, len_to};
use super::{
    _argp_input, LONG_ONLY, NO_ERRS, NO_EXIT, argp, argp_err_exit_status, argp_option,
    argp_program_bug_address, argp_state,
};
use crate::list::List;
use crate::messages::program_invocation_short_name;
use crate::native::free;
use crate::stdio::{FILE, flush};
use crate::string::strndup;
use core::ffi::{c_int, c_uint};
use core::ptr::{null, null_mut};

pub const USAGE: c_uint = 1;
const SHORT_USAGE: c_uint = 2;
const SEE: c_uint = 4;
const LONG: c_uint = 8;
const PRE_DOC: c_uint = 0x10;
const POST_DOC: c_uint = 0x20;
const BUG_ADDRESS: c_uint = 0x40;
const ONLY_LONG: c_uint = 0x80;
const EXIT_ERR: c_uint = 0x100;
pub const EXIT_OK: c_uint = 0x200;
pub const STD_ERR: c_uint = SEE | EXIT_ERR;
pub const STD_USAGE: c_uint = SHORT_USAGE | SEE | EXIT_ERR;
pub const STD_HELP: c_uint = SHORT_USAGE | LONG | EXIT_OK | PRE_DOC | POST_DOC | BUG_ADDRESS;

const KEY_PRE_DOC: c_int = 0x2000001;
const KEY_POST_DOC: c_int = 0x2000002;
const KEY_HEADER: c_int = 0x2000003;
const KEY_EXTRA: c_int = 0x2000004;
const KEY_DUP_ARGS: c_int = 0x2000005;
const KEY_ARGS_DOC: c_int = 0x2000006;

const SHORT_COLUMN: isize = 2;
const LONG_COLUMN: isize = 6;
const DOC_COLUMN: isize = 2;
const TEXT_COLUMN: isize = 29;
const HEADER_COLUMN: isize = 1;
const USAGE_COLUMN: isize = 12;

/// An option with its aliases.
#[derive(Clone, Copy)]
struct Entry {
    first: *const argp_option,
    count: usize,
    group: c_int,
    /// The group of options with a header that it is in; none if that is too large.
    cluster: usize,
    argp: *const argp,
}

/// Options of a child that has a header or a group.
#[derive(Clone, Copy)]
struct Cluster {
    header: *const u8,
    index: usize,
    group: c_int,
    parent: usize,
    depth: usize,
    argp: *const argp,
}

const NONE: usize = usize::MAX;

struct Help {
    entries: List<Entry>,
    clusters: List<Cluster>,
    /// Short options that are shown already.
    shown: List<(u8, *const argp_option)>,
    state: *const argp_state,
    out: Filled,
    previous: *const Entry,
    separates_groups: bool,
    has_suppressed: bool,
}

pub unsafe fn name_of(state: *const argp_state) -> *const u8 {
    if state.is_null() {
        program_invocation_short_name
    } else {
        (*state).name
    }
}

impl Help {
    /// A text as a program's filter has it, and whether it is to be freed.
    unsafe fn filtered(&self, doc: *const u8, key: c_int, of: *const argp) -> (*const u8, bool) {
        match (*of).help_filter {
            Some(filter) => {
                let given = filter(key, doc, _argp_input(of, self.state));
                (given, given.cast_const() != doc && !given.is_null())
            }
            None => (doc, false),
        }
    }

    unsafe fn paragraph(&mut self, text: *const u8, pre_blank: bool) {
        if pre_blank {
            self.out.put(b'\n');
        }
        self.out.puts(text);
        if self.out.point() > self.out.left {
            self.out.put(b'\n');
        }
    }

    unsafe fn documentation(
        &mut self,
        tree: *const argp,
        is_post: bool,
        pre_blank: bool,
        only_first: bool,
    ) -> bool {
        let mut anything = false;
        let doc = (*tree).doc;
        let mut own = null_mut();
        if !doc.is_null() {
            let len = len_to(doc, 0x0b);
            let has_post = *doc.add(len) != 0;
            if !is_post {
                own = strndup(doc, len);
            } else if has_post {
                own = strndup(doc.add(len + 1), usize::MAX);
            }
        }
        let key = if is_post { KEY_POST_DOC } else { KEY_PRE_DOC };
        let (shown, is_new) = self.filtered(own, key, tree);
        if !shown.is_null() {
            self.paragraph(shown, pre_blank);
            anything = true;
        }
        if is_new {
            free(shown.cast_mut().cast());
        }
        free(own.cast());
        if is_post && let Some(filter) = (*tree).help_filter {
            let extra = filter(KEY_EXTRA, null(), _argp_input(tree, self.state));
            if !extra.is_null() {
                self.paragraph(extra, anything || pre_blank);
                free(extra.cast());
                anything = true;
            }
        }
        let children = (*tree).children;
        let mut index = 0;
        while !children.is_null()
            && !(*children.add(index)).argp.is_null()
            && !(only_first && anything)
        {
            let child = (*children.add(index)).argp;
            anything |= self.documentation(child, is_post, anything || pre_blank, only_first);
            index += 1;
        }
        anything
    }
}

unsafe fn write(
    tree: *const argp,
    state: *const argp_state,
    stream: *mut FILE,
    flags: c_uint,
    name: *const u8,
) {
    let mut help = Help {
        entries: List::new(),
        clusters: List::new(),
        shown: List::new(),
        state,
        out: Filled::new(stream),
        previous: null(),
        separates_groups: false,
        has_suppressed: false,
    };
    let mut anything = false;
    if !tree.is_null() {
        if flags & (USAGE | SHORT_USAGE | LONG) != 0 {
            help.collect(tree, NONE);
            help.sort();
        }
        if flags & (USAGE | SHORT_USAGE) != 0 {
            help.usage(tree, name, flags);
            anything = true;
        }
        if flags & PRE_DOC != 0 {
            anything |= help.documentation(tree, false, false, true);
        }
    }
    if flags & SEE != 0 {
        let dashes = if flags & ONLY_LONG != 0 {
            text!("-")
        } else {
            text!("--")
        };
        help.out.puts(text!("Try `"));
        help.out.puts(name);
        help.out.put(b' ');
        help.out.puts(dashes);
        help.out.puts(text!("help' or `"));
        help.out.puts(name);
        help.out.put(b' ');
        help.out.puts(dashes);
        help.out.puts(text!("usage' for more information.\n"));
        anything = true;
    }
    if flags & LONG != 0 && help.entries.len() > 0 {
        if anything {
            help.out.put(b'\n');
        }
        help.options(tree);
        anything = true;
    }
    if flags & POST_DOC != 0 && !tree.is_null() {
        anything |= help.documentation(tree, true, anything, false);
    }
    if flags & BUG_ADDRESS != 0 && !argp_program_bug_address.is_null() {
        if anything {
            help.out.put(b'\n');
        }
        help.out.puts(text!("Report bugs to "));
        help.out.puts(argp_program_bug_address);
        help.out.puts(text!(".\n"));
    }
    help.out.finish();
    help.entries.release();
    help.clusters.release();
    help.shown.release();
    flush(stream);
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn argp_state_help(
    state: *const argp_state,
    stream: *mut FILE,
    flags: c_uint,
) {
    if stream.is_null() || (!state.is_null() && (*state).flags & NO_ERRS != 0) {
        return;
    }
    let mut flags = flags;
    let mut tree = null();
    if !state.is_null() {
        tree = (*state).root_argp;
        if (*state).flags & LONG_ONLY != 0 {
            flags |= ONLY_LONG;
        }
    }
    write(tree, state, stream, flags, name_of(state));
    if state.is_null() || (*state).flags & NO_EXIT == 0 {
        if flags & EXIT_ERR != 0 {
            crate::exit::exit(argp_err_exit_status);
        }
        if flags & EXIT_OK != 0 {
            crate::exit::exit(0);
        }
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn argp_help(
    tree: *const argp,
    stream: *mut FILE,
    flags: c_uint,
    name: *mut u8,
) {
    write(tree, null(), stream, flags, name);
}
