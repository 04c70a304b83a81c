//! The list of options, in the order in which they are shown.

use super::{Cluster, Entry, Help, NONE};
use crate::argp::{argp, argp_option};
use crate::string::{lower, strcasecmp};
use core::ffi::c_int;
use core::ptr::null;

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
    pub unsafe fn collect(&mut self, tree: *const argp, cluster: usize) {
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
    pub unsafe fn owner(&self, key: u8) -> *const argp_option {
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

    pub unsafe fn base(&self, cluster: usize) -> Cluster {
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
    pub unsafe fn names(&self, entry: &Entry) -> (u8, *const u8) {
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

    pub unsafe fn sort(&self) {
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
