//! What is in directories: names and their status, for patterns and walks; `scandir`.

use crate::list::List;
use crate::native::{closedir, free, malloc, memcpy, opendir, readdir};
use crate::sort::qsort;
use crate::string::{strcmp, strlen, strverscmp};
use core::ffi::{c_int, c_void};

/// As the kernel has it; what is looked at here.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Status {
    pub device: u64,
    pub inode: u64,
    pub links: u64,
    mode: u32,
    rest: [u32; 29],
}

impl Status {
    pub fn is_directory(&self) -> bool {
        self.mode & 0o170000 == 0o040000
    }

    pub fn is_file(&self) -> bool {
        self.mode & 0o170000 == 0o100000
    }

    pub fn is_link(&self) -> bool {
        self.mode & 0o170000 == 0o120000
    }
}

/// Where the name is in an entry of a directory.
pub const NAME: usize = 19;

pub unsafe fn is_dots(name: *const u8) -> bool {
    *name == b'.' && (*name.add(1) == 0 || (*name.add(1) == b'.' && *name.add(2) == 0))
}

pub unsafe fn copied(bytes: *const u8, len: usize) -> *mut u8 {
    let copy = malloc(len + 1).cast::<u8>();
    if !copy.is_null() {
        memcpy(copy.cast(), bytes.cast(), len);
        *copy.add(len) = 0;
    }
    copy
}

/// The names in a directory but `.` and `..`, unless `all`, in order. `None`: it cannot be read.
pub unsafe fn names_in(directory: *const u8, all: bool) -> Option<List<*mut u8>> {
    let stream = opendir(directory.cast());
    if stream.is_null() {
        return None;
    }
    let mut names: List<*mut u8> = List::new();
    loop {
        let entry = readdir(stream).cast::<u8>();
        if entry.is_null() {
            break;
        }
        let name = entry.add(NAME);
        if all || !is_dots(name) {
            let copy = copied(name, strlen(name));
            if copy.is_null() || !names.push(copy) {
                break;
            }
        }
    }
    closedir(stream);
    sort(&names, 0);
    Some(names)
}

/// Sorts strings from an index on.
pub unsafe fn sort(names: &List<*mut u8>, from: usize) {
    let mut i = from + 1;
    while i < names.len() {
        let mut j = i;
        while j > from && strcmp(names.get(j - 1), names.get(j)) > 0 {
            let name = names.get(j);
            *names.at(j) = names.get(j - 1);
            *names.at(j - 1) = name;
            j -= 1;
        }
        i += 1;
    }
}

pub unsafe fn release(names: &mut List<*mut u8>) {
    while names.len() > 0 {
        free(names.pop().cast());
    }
    names.release();
}

// `scandir`.

/// Where an entry says how long it is.
const LENGTH: usize = 16;

type Entry = *mut u8;
type Filter = Option<unsafe extern "C" fn(*const u8) -> c_int>;
type Order = unsafe extern "C" fn(*const Entry, *const Entry) -> c_int;

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn scandir(
    directory: *const u8,
    to: *mut *mut Entry,
    filter: Filter,
    order: Option<Order>,
) -> c_int {
    let stream = opendir(directory.cast());
    if stream.is_null() {
        return -1;
    }
    let mut entries: List<Entry> = List::new();
    loop {
        let entry = readdir(stream).cast::<u8>();
        if entry.is_null() {
            break;
        }
        if filter.is_some_and(|wants| wants(entry) == 0) {
            continue;
        }
        let len = *entry.add(LENGTH).cast::<u16>() as usize;
        let copy = copied(entry, len);
        if copy.is_null() || !entries.push(copy) {
            free(copy.cast());
            release(&mut entries);
            closedir(stream);
            return -1;
        }
    }
    closedir(stream);
    let count = entries.len();
    if count == 0 {
        // A list to be freed, all the same.
        *to = malloc(1).cast();
        return 0;
    }
    if let Some(order) = order {
        let order: unsafe extern "C" fn(*const c_void, *const c_void) -> c_int =
            core::mem::transmute(order);
        qsort(entries.at(0).cast(), count, size_of::<Entry>(), order);
    }
    *to = entries.at(0);
    count as c_int
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn scandir64(
    directory: *const u8,
    to: *mut *mut Entry,
    filter: Filter,
    order: Option<Order>,
) -> c_int {
    scandir(directory, to, filter, order)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn alphasort(a: *const Entry, b: *const Entry) -> c_int {
    strcmp((*a).add(NAME), (*b).add(NAME))
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn alphasort64(a: *const Entry, b: *const Entry) -> c_int {
    alphasort(a, b)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn versionsort(a: *const Entry, b: *const Entry) -> c_int {
    strverscmp((*a).add(NAME), (*b).add(NAME))
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn versionsort64(a: *const Entry, b: *const Entry) -> c_int {
    versionsort(a, b)
}
