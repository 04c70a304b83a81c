//! What `--help` and `--usage` write: how a program is called, its options in groups, and its documentation.

use super::fill::{Filled, len_to};
use super::{
    _argp_input, ARG_OPTIONAL, LONG_ONLY, NO_ERRS, NO_EXIT, NO_USAGE, argp, argp_err_exit_status,
    argp_option, argp_program_bug_address, argp_state,
};
use crate::list::List;
use crate::messages::program_invocation_short_name;
use crate::native::free;
use crate::stdio::{FILE, flush};
use crate::string::{lower, strcasecmp, strlen, strndup};
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

macro_rules! text {
    ($text:literal) => {
        concat!($text, "\0").as_ptr()
    };
}

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

fn by_group(a: c_int, b: c_int, equal: c_int) -> c_int {
    if a == b {
        equal
    } else if (a < 0) == (b < 0) {
        a.wrapping_sub(b)
    } else {
        // Negative ones come last.
        b.wrapping_sub(a)
    }
}

impl Help {
    // The list of options.

    unsafe fn collect(&mut self, tree: *const argp, cluster: usize) {
        let mut at = (*tree).options;
        let mut group = 0;
        while !at.is_null() && !(*at).is_end() {
            let first = at;
            let mut count = 0;
            loop {
                if (*at).is_short() && self.owner((*at).key as u8).is_null() {
                    self.shown.push(((*at).key as u8, at));
                }
                count += 1;
                at = at.add(1);
                if (*at).is_end() || !(*at).is_alias() {
                    break;
                }
            }
            let is_header = (*first).name.is_null() && (*first).key == 0;
            group = if (*first).group != 0 {
                (*first).group
            } else if is_header {
                group + 1
            } else {
                group
            };
            self.entries.push(Entry {
                first,
                count,
                group,
                cluster,
                argp: tree,
            });
        }
        let children = (*tree).children;
        let mut index = 0;
        while !children.is_null() && !(*children.add(index)).argp.is_null() {
            let child = children.add(index);
            let mut below = cluster;
            if (*child).group != 0 || !(*child).header.is_null() {
                below = self.clusters.len();
                let depth = match cluster {
                    NONE => 0,
                    cluster => (*self.clusters.at(cluster)).depth + 1,
                };
                self.clusters.push(Cluster {
                    header: (*child).header,
                    index,
                    group: (*child).group,
                    parent: cluster,
                    depth,
                    argp: tree,
                });
            }
            self.collect((*child).argp, below);
            index += 1;
        }
    }

    /// The option that a letter stands for.
    unsafe fn owner(&self, key: u8) -> *const argp_option {
        let mut index = 0;
        while index < self.shown.len() {
            let (known, option) = self.shown.get(index);
            if known == key {
                return option;
            }
            index += 1;
        }
        null()
    }

    unsafe fn base(&self, cluster: usize) -> Cluster {
        let mut at = self.clusters.get(cluster);
        while at.parent != NONE {
            at = self.clusters.get(at.parent);
        }
        at
    }

    unsafe fn compare_clusters(&self, a: usize, b: usize) -> c_int {
        let (mut a, mut b) = (a, b);
        // Where one is within the other, the outer comes first.
        while self.clusters.get(a).depth > self.clusters.get(b).depth {
            if self.clusters.get(a).parent == b {
                return 1;
            }
            a = self.clusters.get(a).parent;
        }
        while self.clusters.get(b).depth > self.clusters.get(a).depth {
            if self.clusters.get(b).parent == a {
                return -1;
            }
            b = self.clusters.get(b).parent;
        }
        while self.clusters.get(a).parent != self.clusters.get(b).parent {
            a = self.clusters.get(a).parent;
            b = self.clusters.get(b).parent;
        }
        let (a, b) = (self.clusters.get(a), self.clusters.get(b));
        by_group(a.group, b.group, b.index as c_int - a.index as c_int)
    }

    /// The first letter of an entry, and its first long name.
    unsafe fn names(&self, entry: &Entry) -> (u8, *const u8) {
        let (mut short, mut long) = (0, null::<u8>());
        let mut index = 0;
        while index < entry.count {
            let option = entry.first.add(index);
            index += 1;
            let is_own = (*option).is_short() && self.owner((*option).key as u8) == option;
            if short == 0 && is_own && (*option).is_visible() {
                short = (*option).key as u8;
            }
            if long.is_null() && !(*option).name.is_null() && (*option).is_visible() {
                long = (*option).name;
            }
        }
        (short, long)
    }

    unsafe fn compare(&self, a: &Entry, b: &Entry) -> c_int {
        if a.cluster != b.cluster {
            if a.cluster == NONE {
                return by_group(a.group, self.base(b.cluster).group, -1);
            }
            if b.cluster == NONE {
                return by_group(self.base(a.cluster).group, b.group, 1);
            }
            return self.compare_clusters(a.cluster, b.cluster);
        }
        if a.group != b.group {
            return by_group(a.group, b.group, 0);
        }
        let (a_is_doc, b_is_doc) = ((*a.first).is_doc(), (*b.first).is_doc());
        let ((short_a, mut long_a), (short_b, mut long_b)) = (self.names(a), self.names(b));
        if a_is_doc {
            long_a = without_dashes((*a.first).name);
        }
        if b_is_doc {
            long_b = without_dashes((*b.first).name);
        }
        // Documentation that looks like an option is among the options.
        let apart_a = a_is_doc && looks_apart((*a.first).name);
        let apart_b = b_is_doc && looks_apart((*b.first).name);
        if apart_a != apart_b {
            return apart_a as c_int - apart_b as c_int;
        }
        if short_a == 0 && short_b == 0 && !long_a.is_null() && !long_b.is_null() {
            return strcasecmp(long_a, long_b);
        }
        let first = |short: u8, long: *const u8| match (short, long.is_null()) {
            (0, true) => 0,
            (0, false) => *long,
            (short, _) => short,
        };
        let (first_a, first_b) = (first(short_a, long_a), first(short_b, long_b));
        let order = lower(first_a) as c_int - lower(first_b) as c_int;
        if order != 0 {
            order
        } else {
            first_b as c_int - first_a as c_int
        }
    }

    unsafe fn sort(&self) {
        let mut i = 1;
        while i < self.entries.len() {
            let mut j = i;
            while j > 0 && self.compare(&*self.entries.at(j - 1), &*self.entries.at(j)) > 0 {
                let entry = self.entries.get(j);
                *self.entries.at(j) = self.entries.get(j - 1);
                *self.entries.at(j - 1) = entry;
                j -= 1;
            }
            i += 1;
        }
    }

    // Texts that a program may change.

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

    // Options with their documentation.

    unsafe fn header(&mut self, text: *const u8, of: *const argp) {
        let (shown, is_new) = self.filtered(text, KEY_HEADER, of);
        if !shown.is_null() {
            if *shown != 0 {
                if !self.previous.is_null() {
                    self.out.put(b'\n');
                }
                self.out.indent_to(HEADER_COLUMN);
                self.out.margins(HEADER_COLUMN, HEADER_COLUMN);
                self.out.puts(shown);
                self.out.margins(0, HEADER_COLUMN);
                self.out.put(b'\n');
            }
            self.separates_groups = true;
        }
        if is_new {
            free(shown.cast_mut().cast());
        }
    }

    /// What comes before a name of an option.
    unsafe fn comma(&mut self, column: isize, is_first: &mut bool, entry: &Entry) {
        if *is_first {
            *is_first = false;
            let previous = self.previous;
            let changes = previous.is_null() || entry.group != (*previous).group;
            if self.separates_groups && !previous.is_null() && changes {
                self.out.put(b'\n');
            }
            if entry.cluster != NONE {
                let cluster = self.clusters.get(entry.cluster);
                let is_new =
                    previous.is_null() || !self.is_within((*previous).cluster, entry.cluster);
                if !cluster.header.is_null() && *cluster.header != 0 && is_new {
                    let wrapped = self.out.wrapped;
                    self.header(cluster.header, cluster.argp);
                    self.out.margins(0, wrapped);
                }
            }
        } else {
            self.out.puts(text!(", "));
        }
        self.out.indent_to(column);
    }

    unsafe fn is_within(&self, inner: usize, outer: usize) -> bool {
        let mut at = inner;
        while at != NONE && at != outer {
            at = self.clusters.get(at).parent;
        }
        at == outer
    }

    unsafe fn argument(&mut self, of: *const argp_option, before: *const u8) {
        if (*of).arg.is_null() {
            return;
        }
        let optional = (*of).flags & ARG_OPTIONAL != 0;
        if optional {
            self.out.put(b'[');
        }
        // A letter's argument is apart from it, unless it can be left out.
        if !(optional && *before == b' ') {
            self.out.puts(before);
        }
        self.out.puts((*of).arg);
        if optional {
            self.out.put(b']');
        }
    }

    unsafe fn entry(&mut self, index: usize) {
        let entry = self.entries.get(index);
        let real = entry.first;
        let (left, wrapped) = (self.out.left, self.out.wrapped);
        self.out.margins(0, SHORT_COLUMN);
        let mut is_first = true;
        let mut has_long = false;
        let mut at = 0;
        while at < entry.count && !(*real).is_doc() {
            let option = real.add(at);
            has_long |= !(*option).name.is_null() && (*option).is_visible();
            at += 1;
        }
        at = 0;
        while at < entry.count {
            let option = real.add(at);
            at += 1;
            let is_own = (*option).is_short() && self.owner((*option).key as u8) == option;
            if !is_own || !(*option).is_visible() {
                continue;
            }
            self.comma(SHORT_COLUMN, &mut is_first, &entry);
            self.out.put(b'-');
            self.out.put((*option).key as u8);
            if !has_long {
                self.argument(real, text!(" "));
            } else if !(*real).arg.is_null() {
                self.has_suppressed = true;
            }
        }
        let is_doc = (*real).is_doc();
        let column = if is_doc { DOC_COLUMN } else { LONG_COLUMN };
        self.out.margins(0, column);
        at = 0;
        while at < entry.count {
            let option = real.add(at);
            at += 1;
            if (*option).name.is_null() || *(*option).name == 0 || !(*option).is_visible() {
                continue;
            }
            self.comma(column, &mut is_first, &entry);
            if is_doc {
                self.out.puts((*option).name);
            } else {
                self.out.puts(text!("--"));
                self.out.puts((*option).name);
                self.argument(real, text!("="));
            }
        }
        self.out.margins(0, column);
        if is_first {
            if !(*real).is_short() && (*real).name.is_null() {
                self.header((*real).doc, entry.argp);
            } else {
                self.out.margins(left, wrapped);
                return;
            }
        } else {
            let doc = if (*real).doc.is_null() {
                text!("")
            } else {
                (*real).doc
            };
            let (shown, is_new) = self.filtered(doc, (*real).key, entry.argp);
            if !shown.is_null() && *shown != 0 {
                let column = self.out.point();
                self.out.margins(TEXT_COLUMN, TEXT_COLUMN);
                if column > TEXT_COLUMN + 3 {
                    self.out.put(b'\n');
                } else if column >= TEXT_COLUMN {
                    self.out.puts(text!("   "));
                } else {
                    self.out.indent_to(TEXT_COLUMN);
                }
                self.out.puts(shown);
            }
            if is_new {
                free(shown.cast_mut().cast());
            }
            self.out.margins(0, self.out.wrapped);
            self.out.put(b'\n');
        }
        self.previous = self.entries.at(index);
        self.out.margins(left, wrapped);
    }

    unsafe fn options(&mut self, root: *const argp) {
        let mut index = 0;
        while index < self.entries.len() {
            self.entry(index);
            index += 1;
        }
        if self.has_suppressed {
            let note = text!(
                "Mandatory or optional arguments to long options are also mandatory or optional for any corresponding short options."
            );
            let (shown, is_new) = self.filtered(note, KEY_DUP_ARGS, root);
            if !shown.is_null() && *shown != 0 {
                self.out.put(b'\n');
                self.out.puts(shown);
                self.out.put(b'\n');
            }
            if is_new {
                free(shown.cast_mut().cast());
            }
        }
    }

    // How the program is called.

    /// All options, without documentation.
    unsafe fn option_usage(&mut self) {
        let mut has_plain = false;
        self.each_used(true, |help, option, entry| {
            if argument_of(option, entry).is_null() {
                if !has_plain {
                    help.out.puts(text!(" [-"));
                    has_plain = true;
                }
                help.out.put((*option).key as u8);
            }
        });
        if has_plain {
            self.out.put(b']');
        }
        self.each_used(true, |help, option, entry| {
            let arg = argument_of(option, entry);
            if arg.is_null() {
                return;
            }
            if has_optional_argument(option, entry) {
                help.out.puts(text!(" [-"));
                help.out.put((*option).key as u8);
                help.out.put(b'[');
                help.out.puts(arg);
                help.out.puts(text!("]]"));
            } else {
                help.out.space(6 + strlen(arg));
                help.out.puts(text!("[-"));
                help.out.put((*option).key as u8);
                help.out.put(b' ');
                help.out.puts(arg);
                help.out.put(b']');
            }
        });
        self.each_used(false, |help, option, entry| {
            help.out.puts(text!(" [--"));
            help.out.puts((*option).name);
            let arg = argument_of(option, entry);
            if !arg.is_null() {
                let is_optional = has_optional_argument(option, entry);
                help.out
                    .puts(if is_optional { text!("[=") } else { text!("=") });
                help.out.puts(arg);
                if is_optional {
                    help.out.put(b']');
                }
            }
            help.out.put(b']');
        });
    }

    /// Shows each option that is part of the usage, as a letter or as a name.
    #[inline(always)]
    unsafe fn each_used(
        &mut self,
        as_letter: bool,
        mut show: impl FnMut(&mut Self, *const argp_option, &Entry),
    ) {
        let mut index = 0;
        while index < self.entries.len() {
            let entry = self.entries.get(index);
            index += 1;
            let mut at = 0;
            while at < entry.count {
                let option = entry.first.add(at);
                at += 1;
                if self.is_used(option, &entry, as_letter) {
                    show(self, option, &entry);
                }
            }
        }
    }

    /// Whether an option is part of the usage, as a letter or as a name.
    unsafe fn is_used(&self, option: *const argp_option, entry: &Entry, as_letter: bool) -> bool {
        let flags = (*option).flags | (*entry.first).flags;
        if flags & NO_USAGE != 0 || !(*option).is_visible() || (*entry.first).is_doc() {
            return false;
        }
        match as_letter {
            true => (*option).is_short() && self.owner((*option).key as u8) == option,
            false => !(*option).name.is_null(),
        }
    }

    /// Arguments as their documentation has them: one of its lines. Whether there are more.
    unsafe fn argument_usage(
        &mut self,
        tree: *const argp,
        levels: *mut List<u8>,
        used: &mut usize,
        advance: bool,
    ) -> bool {
        let own = *used;
        let (mut multiple, mut advance) = (false, advance);
        let mut has_more = false;
        let (doc, is_new) = self.filtered((*tree).args_doc, KEY_ARGS_DOC, tree);
        if !doc.is_null() {
            let mut from = doc;
            let mut len = len_to(from, b'\n' as c_int);
            if *from.add(len) != 0 {
                multiple = true;
                if (*levels).len() <= own {
                    (*levels).push(0);
                }
                let mut skipped = 0;
                while skipped < (*levels).get(own) {
                    from = from.add(len + 1);
                    len = len_to(from, b'\n' as c_int);
                    skipped += 1;
                }
                has_more = *from.add(len) != 0;
                *used += 1;
            }
            self.out.space(1 + len);
            self.out.write(from, len);
        }
        let children = (*tree).children;
        let mut index = 0;
        while !children.is_null() && !(*children.add(index)).argp.is_null() {
            advance = !self.argument_usage((*children.add(index)).argp, levels, used, advance);
            index += 1;
        }
        if advance && multiple {
            if has_more {
                *(*levels).at(own) += 1;
                advance = false;
            } else {
                *(*levels).at(own) = 0;
            }
        }
        if is_new {
            free(doc.cast_mut().cast());
        }
        !advance
    }

    unsafe fn usage(&mut self, tree: *const argp, name: *const u8, flags: c_uint) {
        let mut levels: List<u8> = List::new();
        let mut is_short = flags & SHORT_USAGE != 0;
        let mut is_first = true;
        loop {
            let (left, wrapped) = (self.out.left, self.out.wrapped);
            self.out.margins(left, USAGE_COLUMN);
            self.out.puts(if is_first {
                text!("Usage:")
            } else {
                text!("  or: ")
            });
            self.out.put(b' ');
            self.out.puts(name);
            self.out.margins(USAGE_COLUMN, USAGE_COLUMN);
            if is_short {
                if self.entries.len() > 0 {
                    self.out.puts(text!(" [OPTION...]"));
                }
            } else {
                self.option_usage();
                is_short = true;
            }
            let mut used = 0;
            let has_more = self.argument_usage(tree, &raw mut levels, &mut used, true);
            self.out.margins(left, wrapped);
            self.out.put(b'\n');
            is_first = false;
            if !has_more {
                break;
            }
        }
        levels.release();
    }

    // Documentation.

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

unsafe fn argument_of(option: *const argp_option, entry: &Entry) -> *const u8 {
    if (*option).arg.is_null() {
        (*entry.first).arg
    } else {
        (*option).arg
    }
}

unsafe fn has_optional_argument(option: *const argp_option, entry: &Entry) -> bool {
    ((*option).flags | (*entry.first).flags) & ARG_OPTIONAL != 0
}

/// The name of documentation without what makes it look like an option.
unsafe fn without_dashes(name: *const u8) -> *const u8 {
    let mut at = name;
    while !at.is_null() && (*at == b' ' || *at == b'-') {
        at = at.add(1);
    }
    at
}

/// Whether documentation does not look like an option.
unsafe fn looks_apart(name: *const u8) -> bool {
    let mut at = name;
    while !at.is_null() && *at == b' ' {
        at = at.add(1);
    }
    at.is_null() || *at != b'-'
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
