//! Options with their documentation.

use super::{
    DOC_COLUMN, Entry, HEADER_COLUMN, Help, KEY_DUP_ARGS, KEY_HEADER, LONG_COLUMN, NONE,
    SHORT_COLUMN, TEXT_COLUMN,
};
use crate::argp::{ARG_OPTIONAL, argp, argp_option};
use crate::native::free;

impl Help {
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

    pub unsafe fn options(&mut self, root: *const argp) {
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
}
