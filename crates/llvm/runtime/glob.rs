//! `glob`: names in directories by patterns.

use crate::directory::{Status, copied, names_in, release, sort};
use crate::fnmatch::matches_name;
use crate::list::List;
use crate::native::{__refrain_unsupported, free, lstat, malloc, memcpy, stat};
use crate::string::strlen;
use crate::vector::Vector;
use core::ffi::c_int;
use core::mem::MaybeUninit;
use core::ptr::{null, null_mut};

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
    pub paths: Vector,
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

// Braces.

/// The first brace of a pattern that is not escaped, or null.
unsafe fn opening(pattern: *const u8, escapes: bool) -> *const u8 {
    let mut at = pattern;
    loop {
        match *at {
            0 => return null(),
            b'{' => return at,
            b'\\' if escapes && *at.add(1) != 0 => at = at.add(2),
            _ => at = at.add(1),
        }
    }
}

/// The comma or brace that ends an alternative, or null.
unsafe fn end_of_alternative(from: *const u8, escapes: bool) -> *const u8 {
    let (mut at, mut depth) = (from, 0);
    loop {
        match *at {
            0 => return null(),
            b'\\' if escapes => {
                at = at.add(1);
                if *at == 0 {
                    return null();
                }
            }
            b'}' if depth == 0 => return at,
            b',' if depth == 0 => return at,
            b'}' => depth -= 1,
            b'{' => depth += 1,
            _ => {}
        }
        at = at.add(1);
    }
}

/// Expands a pattern for each alternative of its first braces, one after the other. `None`: it has none.
unsafe fn alternatives(
    pattern: *const u8,
    flags: c_int,
    on_error: OnError,
    to: *mut glob_t,
) -> Option<c_int> {
    let escapes = flags & NOESCAPE == 0;
    let open = opening(pattern, escapes);
    if open.is_null() {
        return None;
    }
    let first_end = end_of_alternative(open.add(1), escapes);
    let mut last_end = first_end;
    while !last_end.is_null() && *last_end != b'}' {
        last_end = end_of_alternative(last_end.add(1), escapes);
    }
    if last_end.is_null() {
        return None;
    }
    let (before, rest) = (open.offset_from(pattern) as usize, last_end.add(1));
    let rest_len = strlen(rest);
    let one = malloc(strlen(pattern) + 1).cast::<u8>();
    if one.is_null() {
        return Some(NOSPACE);
    }
    memcpy(one.cast(), pattern.cast(), before);
    let found_before = (*to).paths.count;
    let (mut from, mut end) = (open.add(1), first_end);
    loop {
        let len = end.offset_from(from) as usize;
        memcpy(one.add(before).cast(), from.cast(), len);
        memcpy(one.add(before + len).cast(), rest.cast(), rest_len + 1);
        let inner = flags & !(NOCHECK | NOMAGIC) | APPEND;
        let result = expand_all(one, inner, on_error, to);
        if result != 0 && result != NOMATCH {
            free(one.cast());
            if flags & APPEND == 0 {
                globfree(to);
                (*to).paths.count = 0;
            }
            return Some(result);
        }
        if *end == b'}' {
            break;
        }
        from = end.add(1);
        end = end_of_alternative(from, escapes);
    }
    free(one.cast());
    if (*to).paths.count != found_before {
        return Some(0);
    }
    // The pattern itself, if it is wanted.
    (flags & (NOCHECK | NOMAGIC) == 0).then_some(NOMATCH)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn glob(
    pattern: *const u8,
    flags: c_int,
    on_error: OnError,
    to: *mut glob_t,
) -> c_int {
    if flags & (TILDE | TILDE_CHECK | ALTDIRFUNC) != 0 {
        __refrain_unsupported(c"glob with home directories or own functions".as_ptr());
    }
    if flags & APPEND == 0 {
        (*to).paths.count = 0;
        (*to).paths.strings = null_mut();
        if flags & DOOFFS == 0 {
            (*to).paths.offset = 0;
        }
    }
    expand_all(pattern, flags, on_error, to)
}

/// Adds what a pattern stands for to what was found before.
unsafe fn expand_all(
    pattern: *const u8,
    flags: c_int,
    on_error: OnError,
    to: *mut glob_t,
) -> c_int {
    if flags & BRACE != 0
        && let Some(result) = alternatives(pattern, flags, on_error, to)
    {
        return result;
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
            let mut len = strlen(pattern);
            while len > 2 && *pattern.add(len - 1) == b'/' {
                len -= 1;
            }
            expansion.found.push(copied(pattern, len));
        }
    }
    if expansion.error != 0 {
        release(&mut expansion.found);
        return expansion.error;
    }
    if flags & NOSORT == 0 {
        sort(&expansion.found, 0);
    }
    let offset = if flags & DOOFFS != 0 {
        (*to).paths.offset
    } else {
        0
    };
    if !(*to).paths.append(&mut expansion.found, offset) {
        return NOSPACE;
    }
    (*to).paths.offset = offset;
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
    (*of).paths.free();
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn globfree64(of: *mut glob_t) {
    globfree(of);
}
