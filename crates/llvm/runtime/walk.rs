//! Walks through trees of directories by `ftw` and `nftw`.

use crate::directory::{Status, copied, names_in, release};
use crate::native::{__refrain_unsupported, free, lstat, malloc, memcpy, stat};
use crate::string::strlen;
use core::ffi::c_int;
use core::mem::MaybeUninit;

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
