//! How the program is called.

use super::{Entry, Help, KEY_ARGS_DOC, SHORT_USAGE, USAGE_COLUMN};
use crate::argp::fill::len_to;
use crate::argp::{ARG_OPTIONAL, NO_USAGE, argp, argp_option};
use crate::list::List;
use crate::native::free;
use crate::string::strlen;
use core::ffi::{c_int, c_uint};

impl Help {
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

    pub unsafe fn usage(&mut self, tree: *const argp, name: *const u8, flags: c_uint) {
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
