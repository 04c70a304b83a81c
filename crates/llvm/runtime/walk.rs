//! Names in directories: `glob`, and walks through trees by `ftw` and `nftw`.

use crate::fnmatch::matches_name;
use crate::list::List;
use crate::native::{
    __refrain_unsupported, closedir, free, lstat, malloc, memcpy, opendir, readdir, realloc, stat,
};
use crate::string::{strcmp, strlen};
use core::ffi::c_int;
use core::mem::MaybeUninit;
use core::ptr::{null, null_mut};

/// As the kernel has it; the mode is all that is looked at here.
#[repr(C)]
pub struct Status {
    before: [u64; 3],
    mode: u32,
    rest: [u32; 29],
}

impl Status {
    fn is_directory(&self) -> bool {
        self.mode & 0o170000 == 0o040000
    }

    fn is_link(&self) -> bool {
        self.mode & 0o170000 == 0o120000
    }
}

/// Where the name is in an entry of a directory.
const NAME: usize = 19;

unsafe fn is_dots(name: *const u8) -> bool {
    *name == b'.' && (*name.add(1) == 0 || (*name.add(1) == b'.' && *name.add(2) == 0))
}

unsafe fn copied(bytes: *const u8, len: usize) -> *mut u8 {
    let copy = malloc(len + 1).cast::<u8>();
    if !copy.is_null() {
        memcpy(copy.cast(), bytes.cast(), len);
        *copy.add(len) = 0;
    }
    copy
}

/// The names in a directory but `.` and `..`, unless `all`, in order. `None`: it cannot be read.
unsafe fn names_in(directory: *const u8, all: bool) -> Option<List<*mut u8>> {
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
unsafe fn sort(names: &List<*mut u8>, from: usize) {
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

unsafe fn release(names: &mut List<*mut u8>) {
    while names.len() > 0 {
        free(names.pop().cast());
    }
    names.release();
}

// Patterns.

const ERR: c_int = 1;
const MARK: c_int = 2;
const NOSORT: c_int = 4;
const DOOFFS: c_int = 8;
const NOCHECK: c_int = 16;
const APPEND: c_int = 32;
const NOESCAPE: c_int = 64;
const HIDDEN: c_int = 128;
const MAGCHAR: c_int = 256;
const ALTDIRFUNC: c_int = 512;
const BRACE: c_int = 1024;
const NOMAGIC: c_int = 2048;
const TILDE: c_int = 4096;
const ONLYDIR: c_int = 8192;
const TILDE_CHECK: c_int = 16384;

const NOSPACE: c_int = 1;
const ABORTED: c_int = 2;
const NOMATCH: c_int = 3;

type OnError = Option<unsafe extern "C" fn(*const u8, c_int) -> c_int>;

#[repr(C)]
pub struct glob_t {
    count: usize,
    paths: *mut *mut u8,
    offset: usize,
    flags: c_int,
}

struct Expansion {
    found: List<*mut u8>,
    flags: c_int,
    on_error: OnError,
    error: c_int,
}

unsafe fn is_magic(pattern: *const u8, len: usize, escapes: bool) -> bool {
    let (mut at, mut opened) = (0, false);
    while at < len {
        match *pattern.add(at) {
            b'*' | b'?' => return true,
            b'[' => opened = true,
            b']' if opened => return true,
            b'\\' if escapes => at += 1,
            _ => {}
        }
        at += 1;
    }
    false
}

impl Expansion {
    /// Finds what is of a pattern, behind a path that is there already. Both end with a zero byte.
    unsafe fn expand(&mut self, path: *const u8, pattern: *const u8) {
        let escapes = self.flags & NOESCAPE == 0;
        let (mut slashes, mut len) = (0, 0);
        while *pattern.add(slashes) == b'/' {
            slashes += 1;
        }
        let part = pattern.add(slashes);
        while *part.add(len) != 0 && *part.add(len) != b'/' {
            len += 1;
        }
        if len == 0 {
            // The pattern ends with slashes, or has nothing else.
            let whole = self.joined(path, pattern, slashes, null(), 0);
            self.add(whole);
            return;
        }
        let rest = part.add(len);
        let is_last = *rest == 0;
        if !is_magic(part, len, escapes) {
            let name = copied(part, len);
            let mut to = 0;
            let mut at = 0;
            while at < len {
                if escapes && *part.add(at) == b'\\' && at + 1 < len {
                    at += 1;
                }
                *name.add(to) = *part.add(at);
                to += 1;
                at += 1;
            }
            let whole = self.joined(path, pattern, slashes, name, to);
            free(name.cast());
            if is_last {
                self.add(whole);
            } else {
                self.expand(whole, rest);
                free(whole.cast());
            }
            return;
        }
        let directory = self.joined(path, pattern, slashes, null(), 0);
        let here = c".".as_ptr().cast::<u8>();
        let from = if *directory == 0 { here } else { directory };
        match names_in(from, true) {
            None => {
                const ENOTDIR: c_int = 20;
                let error = *crate::errno::__errno_location();
                let stops = match self.on_error {
                    Some(tell) if error != ENOTDIR => tell(from, error) != 0,
                    _ => false,
                };
                if stops || (self.flags & ERR != 0 && error != ENOTDIR) {
                    self.error = ABORTED;
                }
            }
            Some(mut names) => {
                let mut index = 0;
                while index < names.len() && self.error == 0 {
                    let name = names.get(index);
                    index += 1;
                    let hides = self.flags & HIDDEN == 0;
                    if !matches_name(part, len, name, escapes, hides) {
                        continue;
                    }
                    let whole = self.joined(path, pattern, slashes, name, strlen(name));
                    if is_last {
                        self.add(whole);
                    } else {
                        // Only what is a directory has more in it.
                        let mut status = MaybeUninit::<Status>::uninit();
                        let is_there = stat(whole.cast(), status.as_mut_ptr().cast()) == 0;
                        if is_there && (*status.as_ptr()).is_directory() {
                            self.expand(whole, rest);
                        }
                        free(whole.cast());
                    }
                }
                release(&mut names);
            }
        }
        free(directory.cast());
    }

    /// A path, the slashes that the pattern has there, and a name.
    unsafe fn joined(
        &mut self,
        path: *const u8,
        pattern: *const u8,
        slashes: usize,
        name: *const u8,
        len: usize,
    ) -> *mut u8 {
        let before = strlen(path);
        let whole = malloc(before + slashes + len + 2).cast::<u8>();
        if whole.is_null() {
            crate::native::abort();
        }
        memcpy(whole.cast(), path.cast(), before);
        memcpy(whole.add(before).cast(), pattern.cast(), slashes);
        if len > 0 {
            memcpy(whole.add(before + slashes).cast(), name.cast(), len);
        }
        *whole.add(before + slashes + len) = 0;
        whole
    }

    /// Takes a path that may be there.
    unsafe fn add(&mut self, path: *mut u8) {
        let mut status = MaybeUninit::<Status>::uninit();
        if lstat(path.cast(), status.as_mut_ptr().cast()) != 0 {
            free(path.cast());
            return;
        }
        let mut is_directory = (*status.as_ptr()).is_directory();
        if (*status.as_ptr()).is_link() {
            is_directory = stat(path.cast(), status.as_mut_ptr().cast()) == 0
                && (*status.as_ptr()).is_directory();
        }
        let len = strlen(path);
        if self.flags & MARK != 0 && is_directory && len > 0 && *path.add(len - 1) != b'/' {
            // There is room for a slash.
            *path.add(len) = b'/';
            *path.add(len + 1) = 0;
        }
        if (self.flags & ONLYDIR != 0 && !is_directory) || !self.found.push(path) {
            free(path.cast());
        }
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn glob(
    pattern: *const u8,
    flags: c_int,
    on_error: OnError,
    to: *mut glob_t,
) -> c_int {
    if flags & (BRACE | TILDE | TILDE_CHECK | ALTDIRFUNC) != 0 {
        __refrain_unsupported(c"glob with braces, home directories or own functions".as_ptr());
    }
    if flags & APPEND == 0 {
        (*to).count = 0;
        (*to).paths = null_mut();
        if flags & DOOFFS == 0 {
            (*to).offset = 0;
        }
    }
    let escapes = flags & NOESCAPE == 0;
    let magic = is_magic(pattern, strlen(pattern), escapes);
    let mut expansion = Expansion {
        found: List::new(),
        flags,
        on_error,
        error: 0,
    };
    if *pattern != 0 {
        expansion.expand(c"".as_ptr().cast(), pattern);
    }
    if expansion.error == 0 && expansion.found.len() == 0 {
        // The pattern itself, if it is wanted.
        if flags & NOCHECK == 0 && (magic || flags & NOMAGIC == 0) {
            expansion.error = NOMATCH;
        } else {
            expansion.found.push(copied(pattern, strlen(pattern)));
        }
    }
    if expansion.error != 0 {
        release(&mut expansion.found);
        return expansion.error;
    }
    if flags & NOSORT == 0 {
        sort(&expansion.found, 0);
    }
    let offset = if flags & DOOFFS != 0 { (*to).offset } else { 0 };
    let (old, new) = ((*to).count, expansion.found.len());
    let room = (offset + old + new + 1) * size_of::<*mut u8>();
    let paths = realloc((*to).paths.cast(), room).cast::<*mut u8>();
    if paths.is_null() {
        release(&mut expansion.found);
        return NOSPACE;
    }
    let mut index = 0;
    while old == 0 && index < offset {
        *paths.add(index) = null_mut();
        index += 1;
    }
    index = 0;
    while index < new {
        *paths.add(offset + old + index) = expansion.found.get(index);
        index += 1;
    }
    *paths.add(offset + old + new) = null_mut();
    expansion.found.release();
    (*to).paths = paths;
    (*to).count = old + new;
    (*to).offset = offset;
    (*to).flags = flags | if magic { MAGCHAR } else { 0 };
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn glob64(
    pattern: *const u8,
    flags: c_int,
    on_error: OnError,
    to: *mut glob_t,
) -> c_int {
    glob(pattern, flags, on_error, to)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn globfree(of: *mut glob_t) {
    if (*of).paths.is_null() {
        return;
    }
    let mut index = 0;
    while index < (*of).count {
        free((*(*of).paths.add((*of).offset + index)).cast());
        index += 1;
    }
    free((*of).paths.cast());
    (*of).paths = null_mut();
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn globfree64(of: *mut glob_t) {
    globfree(of);
}

// Walks.

const PHYSICAL: c_int = 1;
const CHANGES_DIRECTORY: c_int = 4;
const DEPTH: c_int = 8;
const ACTIONS: c_int = 16;

const FILE: c_int = 0;
const DIRECTORY: c_int = 1;
const UNREADABLE: c_int = 2;
const NO_STATUS: c_int = 3;
const LINK: c_int = 4;
const DIRECTORY_DONE: c_int = 5;
const DANGLING: c_int = 6;

#[repr(C)]
pub struct FTW {
    base: c_int,
    level: c_int,
}

type Visit = unsafe extern "C" fn(*const u8, *const Status, c_int, *mut FTW) -> c_int;
type PlainVisit = unsafe extern "C" fn(*const u8, *const Status, c_int) -> c_int;

#[derive(Clone, Copy)]
struct Walk {
    visit: Option<Visit>,
    plain: Option<PlainVisit>,
    flags: c_int,
}

impl Walk {
    unsafe fn tell(
        &self,
        path: *const u8,
        status: *const Status,
        kind: c_int,
        level: c_int,
    ) -> c_int {
        let mut base = strlen(path);
        while base > 0 && *path.add(base - 1) != b'/' {
            base -= 1;
        }
        let mut place = FTW {
            base: base as c_int,
            level,
        };
        match (self.visit, self.plain) {
            (Some(visit), _) => visit(path, status, kind, &raw mut place),
            // The older function has fewer kinds.
            (_, Some(visit)) => {
                let kind = match kind {
                    DIRECTORY_DONE => DIRECTORY,
                    DANGLING => NO_STATUS,
                    kind => kind,
                };
                visit(path, status, kind)
            }
            _ => 0,
        }
    }

    /// Visits a path and all below it. Something else than 0 ends the walk.
    unsafe fn go(&self, path: *const u8, level: c_int) -> c_int {
        let mut status = MaybeUninit::<Status>::zeroed();
        let to = status.as_mut_ptr();
        let follows = self.flags & PHYSICAL == 0;
        let mut kind = FILE;
        let found = if follows {
            stat(path.cast(), to.cast())
        } else {
            lstat(path.cast(), to.cast())
        };
        if found != 0 {
            if level == 0 {
                return -1;
            }
            let is_link = lstat(path.cast(), to.cast()) == 0 && (*to).is_link();
            kind = if is_link { DANGLING } else { NO_STATUS };
        } else if (*to).is_directory() {
            return self.go_into(path, to, level);
        } else if (*to).is_link() {
            kind = LINK;
        }
        self.tell(path, to, kind, level)
    }

    unsafe fn go_into(&self, path: *const u8, status: *const Status, level: c_int) -> c_int {
        let Some(mut names) = names_in(path, false) else {
            return self.tell(path, status, UNREADABLE, level);
        };
        let mut result = 0;
        if self.flags & DEPTH == 0 {
            result = self.tell(path, status, DIRECTORY, level);
        }
        let len = strlen(path);
        let has_slash = len > 0 && *path.add(len - 1) == b'/';
        let mut index = 0;
        while index < names.len() && result == 0 {
            let name = names.get(index);
            index += 1;
            let name_len = strlen(name);
            let below = malloc(len + name_len + 2).cast::<u8>();
            if below.is_null() {
                result = -1;
                break;
            }
            memcpy(below.cast(), path.cast(), len);
            *below.add(len) = b'/';
            let at = if has_slash { len } else { len + 1 };
            memcpy(below.add(at).cast(), name.cast(), name_len + 1);
            result = self.go(below, level + 1);
            free(below.cast());
        }
        release(&mut names);
        if result == 0 && self.flags & DEPTH != 0 {
            result = self.tell(path, status, DIRECTORY_DONE, level);
        }
        result
    }
}

/// The path that a walk starts at, without slashes at its end.
unsafe fn start(path: *const u8, walk: Walk) -> c_int {
    let mut len = strlen(path);
    while len > 1 && *path.add(len - 1) == b'/' {
        len -= 1;
    }
    let path = copied(path, len);
    if path.is_null() {
        return -1;
    }
    let result = walk.go(path, 0);
    free(path.cast());
    result
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn nftw(path: *const u8, visit: Visit, _open: c_int, flags: c_int) -> c_int {
    if flags & (CHANGES_DIRECTORY | ACTIONS) != 0 {
        __refrain_unsupported(c"nftw that changes directories or is told where to go".as_ptr());
    }
    let walk = Walk {
        visit: Some(visit),
        plain: None,
        flags,
    };
    start(path, walk)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn nftw64(path: *const u8, visit: Visit, open: c_int, flags: c_int) -> c_int {
    nftw(path, visit, open, flags)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ftw(path: *const u8, visit: PlainVisit, _open: c_int) -> c_int {
    let walk = Walk {
        visit: None,
        plain: Some(visit),
        flags: 0,
    };
    start(path, walk)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ftw64(path: *const u8, visit: PlainVisit, open: c_int) -> c_int {
    ftw(path, visit, open)
}
