//! `fts`: walks through trees of directories, step by step.
//!
//! An entry has its path to itself. Where the walk may change directories, it is in the directory of an entry's parent
//! when it gives the entry, so that the name alone leads to it.

use crate::directory::{NAME, Status, is_dots};
use crate::errno::{self, __errno_location};
use crate::list::List;
use crate::native::{
    __refrain_open, chdir, close, closedir, fchdir, free, lstat, malloc, memcpy, memset, opendir,
    readdir, stat,
};
use crate::sort::qsort;
use crate::string::strlen;
use core::ffi::{c_int, c_void};
use core::ptr::null_mut;

const COMFOLLOW: c_int = 1;
const LOGICAL: c_int = 2;
const NOCHDIR: c_int = 4;
const NOSTAT: c_int = 8;
const PHYSICAL: c_int = 0x10;
const SEEDOT: c_int = 0x20;
const XDEV: c_int = 0x40;
const OPTIONS: c_int = 0xff;
const NAMEONLY: c_int = 0x100;

const D: u16 = 1;
const DC: u16 = 2;
const DEFAULT: u16 = 3;
const DNR: u16 = 4;
const DOT: u16 = 5;
const DP: u16 = 6;
const ERR: u16 = 7;
const F: u16 = 8;
const INIT: u16 = 9;
const NS: u16 = 10;
const NSOK: u16 = 11;
const SL: u16 = 12;
const SLNONE: u16 = 13;

const AGAIN: u16 = 1;
const FOLLOW: u16 = 2;
const NOINSTR: u16 = 3;
const SKIP: u16 = 4;

const ENOENT: c_int = 2;

/// What the program sees; its name and its status lie behind it.
#[repr(C)]
pub struct FTSENT {
    cycle: *mut FTSENT,
    parent: *mut FTSENT,
    link: *mut FTSENT,
    number: i64,
    pointer: *mut c_void,
    accpath: *mut u8,
    path: *mut u8,
    errno: c_int,
    symfd: c_int,
    pathlen: u16,
    namelen: u16,
    inode: u64,
    device: u64,
    links: u64,
    level: i16,
    info: u16,
    flags: u16,
    instr: u16,
    status: *mut Status,
    name: [u8; 8],
}

type Order = unsafe extern "C" fn(*const *const FTSENT, *const *const FTSENT) -> c_int;

/// Opaque to programs.
pub struct FTS {
    current: *mut FTSENT,
    children: *mut FTSENT,
    device: u64,
    order: Option<Order>,
    options: c_int,
    /// Where the walk began, if it changes directories.
    start: c_int,
}

/// A new entry. Its path is that of its parent, if it has one, and its name.
unsafe fn entry(parent: *mut FTSENT, name: *const u8, is_root: bool) -> *mut FTSENT {
    let len = strlen(name);
    let size = size_of::<FTSENT>() + len + 1;
    let new = malloc(size).cast::<FTSENT>();
    let status = malloc(size_of::<Status>()).cast::<Status>();
    let before = if is_root { 0 } else { strlen((*parent).path) };
    let path = malloc(before + len + 2).cast::<u8>();
    if new.is_null() || status.is_null() || path.is_null() {
        crate::native::abort();
    }
    memset(new.cast(), 0, size);
    memset(status.cast(), 0, size_of::<Status>());
    memcpy((&raw mut (*new).name).cast(), name.cast(), len + 1);
    let mut at = before;
    if !is_root {
        memcpy(path.cast(), (*parent).path.cast(), before);
        if before > 0 && *path.add(before - 1) != b'/' {
            *path.add(at) = b'/';
            at += 1;
        }
    }
    memcpy(path.add(at).cast(), name.cast(), len + 1);
    (*new).parent = parent;
    (*new).level = (*parent).level + 1;
    (*new).path = path;
    (*new).accpath = path;
    (*new).pathlen = (at + len) as u16;
    (*new).namelen = len as u16;
    (*new).instr = NOINSTR;
    (*new).symfd = -1;
    (*new).status = status;
    new
}

unsafe fn add(entries: &mut List<*mut FTSENT>, new: *mut FTSENT) {
    if !entries.push(new) {
        crate::native::abort();
    }
}

unsafe fn release(entry: *mut FTSENT) {
    free((*entry).path.cast());
    free((*entry).status.cast());
    free(entry.cast());
}

unsafe fn release_all(first: *mut FTSENT) {
    let mut at = first;
    while !at.is_null() {
        let next = (*at).link;
        release(at);
        at = next;
    }
}

unsafe fn name_of(entry: *mut FTSENT) -> *mut u8 {
    (&raw mut (*entry).name).cast()
}

impl FTS {
    /// What an entry is.
    unsafe fn look(&self, entry: *mut FTSENT, follows: bool) -> u16 {
        let status = (*entry).status;
        let path = (*entry).path.cast();
        if self.options & LOGICAL != 0 || follows {
            if stat(path, status.cast()) != 0 {
                let error = *__errno_location();
                if error == ENOENT && lstat(path, status.cast()) == 0 {
                    errno::set(0);
                    return SLNONE;
                }
                (*entry).errno = error;
                memset(status.cast(), 0, size_of::<Status>());
                return NS;
            }
        } else if lstat(path, status.cast()) != 0 {
            (*entry).errno = *__errno_location();
            memset(status.cast(), 0, size_of::<Status>());
            return NS;
        }
        if (*status).is_directory() {
            (*entry).device = (*status).device;
            (*entry).inode = (*status).inode;
            (*entry).links = (*status).links;
            if is_dots(name_of(entry)) {
                return DOT;
            }
            let mut above = (*entry).parent;
            while (*above).level >= 0 {
                if (*above).inode == (*entry).inode && (*above).device == (*entry).device {
                    (*entry).cycle = above;
                    return DC;
                }
                above = (*above).parent;
            }
            return D;
        }
        if (*status).is_link() {
            return SL;
        }
        if (*status).is_file() { F } else { DEFAULT }
    }

    /// Chains entries in the order that the program wants; the first of them.
    unsafe fn chained(&self, mut entries: List<*mut FTSENT>) -> *mut FTSENT {
        let count = entries.len();
        if count == 0 {
            return null_mut();
        }
        let all = entries.at(0);
        if let Some(order) = self.order {
            let order: unsafe extern "C" fn(*const c_void, *const c_void) -> c_int =
                core::mem::transmute(order);
            qsort(all.cast(), count, size_of::<*mut FTSENT>(), order);
        }
        let mut index = 0;
        while index + 1 < count {
            (**all.add(index)).link = *all.add(index + 1);
            index += 1;
        }
        let first = *all;
        (**all.add(count - 1)).link = null_mut();
        entries.release();
        first
    }

    /// What is in a directory. Null if there is nothing, or if it cannot be read.
    unsafe fn contents(&mut self, directory: *mut FTSENT, is_read: bool) -> *mut FTSENT {
        self.come_home();
        let stream = opendir((*directory).path.cast());
        if stream.is_null() {
            if is_read {
                (*directory).info = DNR;
                (*directory).errno = *__errno_location();
            }
            return null_mut();
        }
        let mut entries = List::new();
        loop {
            let found = readdir(stream).cast::<u8>();
            if found.is_null() {
                break;
            }
            let name = found.add(NAME);
            if self.options & SEEDOT == 0 && is_dots(name) {
                continue;
            }
            let new = entry(directory, name, false);
            let info = self.look(new, false);
            let wants_status = self.options & (NOSTAT | PHYSICAL) != NOSTAT | PHYSICAL;
            let is_directory = (info == D) | (info == DC) | (info == DOT);
            (*new).info = if is_directory || wants_status {
                info
            } else {
                NSOK
            };
            if self.options & NOCHDIR == 0 {
                (*new).accpath = name_of(new);
            }
            add(&mut entries, new);
        }
        closedir(stream);
        if entries.len() == 0 && is_read {
            (*directory).info = DP;
        }
        self.chained(entries)
    }

    unsafe fn come_home(&self) {
        if self.start >= 0 {
            fchdir(self.start);
        }
    }

    /// Goes to where the name of an entry leads to it.
    unsafe fn give(&mut self, entry: *mut FTSENT) -> *mut FTSENT {
        self.current = entry;
        self.come_home();
        if self.start >= 0 && (*entry).level > 0 {
            chdir((*(*entry).parent).path.cast());
        }
        entry
    }

    unsafe fn next(&mut self) -> *mut FTSENT {
        let mut at = self.current;
        if at.is_null() {
            return null_mut();
        }
        self.come_home();
        let instr = (*at).instr;
        (*at).instr = NOINSTR;
        if instr == AGAIN {
            (*at).info = self.look(at, false);
            return self.give(at);
        }
        if instr == FOLLOW && ((*at).info == SL || (*at).info == SLNONE) {
            (*at).info = self.look(at, true);
            return self.give(at);
        }
        if (*at).info == D {
            let is_elsewhere = self.options & XDEV != 0 && (*at).device != self.device;
            if instr == SKIP || is_elsewhere {
                release_all(self.children);
                self.children = null_mut();
                (*at).info = DP;
                return self.give(at);
            }
            if self.children.is_null() {
                self.children = self.contents(at, true);
            }
            if self.children.is_null() {
                return self.give(at);
            }
            at = self.children;
            self.children = null_mut();
            return self.give(at);
        }
        loop {
            let next = (*at).link;
            if next.is_null() {
                break;
            }
            release(at);
            at = next;
            if (*at).level == 0 {
                self.load(at);
                return self.give(at);
            }
            if (*at).instr == SKIP {
                continue;
            }
            if (*at).instr == FOLLOW {
                (*at).info = self.look(at, true);
                (*at).instr = NOINSTR;
            }
            return self.give(at);
        }
        let above = (*at).parent;
        release(at);
        if (*above).level < 0 {
            release(above);
            errno::set(0);
            self.current = null_mut();
            return null_mut();
        }
        (*above).info = if (*above).errno != 0 { ERR } else { DP };
        self.give(above)
    }

    /// A path that the walk was given: its name is what is behind the last slash.
    unsafe fn load(&mut self, root: *mut FTSENT) {
        let name = name_of(root);
        let len = strlen(name);
        let mut at = len;
        while at > 0 && *name.add(at - 1) != b'/' {
            at -= 1;
        }
        if at > 0 && (at > 1 || *name.add(1) != 0) {
            let mut to = 0;
            while to <= len - at {
                *name.add(to) = *name.add(at + to);
                to += 1;
            }
            (*root).namelen = (len - at) as u16;
        }
        self.device = (*root).device;
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fts_open(
    paths: *const *const u8,
    options: c_int,
    order: Option<Order>,
) -> *mut FTS {
    if options & !OPTIONS != 0 {
        errno::set(errno::EINVAL);
        return null_mut();
    }
    let walk = malloc(size_of::<FTS>()).cast::<FTS>();
    let top = malloc(size_of::<FTSENT>()).cast::<FTSENT>();
    if walk.is_null() || top.is_null() {
        return null_mut();
    }
    memset(top.cast(), 0, size_of::<FTSENT>());
    (*top).level = -1;
    *walk = FTS {
        current: null_mut(),
        children: null_mut(),
        device: 0,
        order,
        // Links are followed in places that have no other name.
        options: if options & LOGICAL != 0 {
            options | NOCHDIR
        } else {
            options
        },
        start: -1,
    };
    let mut entries = List::new();
    while !(*paths.add(entries.len())).is_null() {
        let path = *paths.add(entries.len());
        if *path == 0 {
            while entries.len() > 0 {
                release(entries.pop());
            }
            entries.release();
            release(top);
            free(walk.cast());
            errno::set(ENOENT);
            return null_mut();
        }
        let new = entry(top, path, true);
        (*new).info = (*walk).look(new, options & COMFOLLOW != 0);
        if (*new).info == DOT {
            (*new).info = D;
        }
        add(&mut entries, new);
    }
    let before = entry(top, c"".as_ptr().cast(), true);
    (*before).link = (*walk).chained(entries);
    (*before).info = INIT;
    (*walk).current = before;
    if (*walk).options & NOCHDIR == 0 {
        (*walk).start = __refrain_open(c".".as_ptr(), 0, 0);
    }
    walk
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fts_read(walk: *mut FTS) -> *mut FTSENT {
    (*walk).next()
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fts_children(walk: *mut FTS, how: c_int) -> *mut FTSENT {
    if how != 0 && how != NAMEONLY {
        errno::set(errno::EINVAL);
        return null_mut();
    }
    let current = (*walk).current;
    errno::set(0);
    if current.is_null() {
        return null_mut();
    }
    if (*current).info == INIT {
        return (*current).link;
    }
    if (*current).info != D {
        return null_mut();
    }
    release_all((*walk).children);
    (*walk).children = (*walk).contents(current, false);
    let children = (*walk).children;
    (*walk).give(current);
    children
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fts_set(_walk: *mut FTS, entry: *mut FTSENT, how: c_int) -> c_int {
    if !(0..=SKIP as c_int).contains(&how) {
        errno::set(errno::EINVAL);
        return 1;
    }
    (*entry).instr = how as u16;
    0
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fts_close(walk: *mut FTS) -> c_int {
    let mut at = (*walk).current;
    while !at.is_null() {
        let next = if (*at).link.is_null() {
            (*at).parent
        } else {
            (*at).link
        };
        release(at);
        at = next;
    }
    release_all((*walk).children);
    (*walk).come_home();
    if (*walk).start >= 0 {
        close((*walk).start);
    }
    free(walk.cast());
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fts64_open(
    paths: *const *const u8,
    options: c_int,
    order: Option<Order>,
) -> *mut FTS {
    fts_open(paths, options, order)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fts64_read(walk: *mut FTS) -> *mut FTSENT {
    fts_read(walk)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fts64_children(walk: *mut FTS, how: c_int) -> *mut FTSENT {
    fts_children(walk, how)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fts64_set(walk: *mut FTS, entry: *mut FTSENT, how: c_int) -> c_int {
    fts_set(walk, entry, how)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fts64_close(walk: *mut FTS) -> c_int {
    fts_close(walk)
}
