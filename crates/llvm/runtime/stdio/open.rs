//! Opening and closing, also of streams in memory.

use super::buffer::{drop_buffer, flush};
use super::descriptor::publish;
use super::{
    __refrain_flush_all, APPENDING, EOF, FILE, MAGIC, Memory, NO_READS, NO_WRITES, OWN_STREAM,
    STREAMS, stream,
};
use crate::errno::{self, EINVAL, ENOMEM};
use crate::native::{__refrain_open, __refrain_tmpfile, close, dup2, free, malloc, memset};
use crate::string::strnlen;
use core::ffi::{c_char, c_int};
use core::ptr::null_mut;

const O_WRONLY: c_int = 1;
const O_RDWR: c_int = 2;
const O_CREAT: c_int = 0o100;
const O_EXCL: c_int = 0o200;
const O_TRUNC: c_int = 0o1000;
const O_APPEND: c_int = 0o2000;
const O_CLOEXEC: c_int = 0o2000000;

struct Mode {
    open: c_int,
    flags: c_int,
}

/// What a mode string asks for; `open` is negative if it says nothing sensible.
unsafe fn parse_mode(mode: *const u8) -> Mode {
    let mut parsed = match *mode {
        b'r' => Mode {
            open: 0,
            flags: NO_WRITES,
        },
        b'w' => Mode {
            open: O_WRONLY | O_CREAT | O_TRUNC,
            flags: NO_READS,
        },
        b'a' => Mode {
            open: O_WRONLY | O_CREAT | O_APPEND,
            flags: NO_READS | APPENDING,
        },
        _ => {
            errno::set(EINVAL);
            return Mode { open: -1, flags: 0 };
        }
    };
    let mut i = 1;
    loop {
        match *mode.add(i) {
            0 | b',' => return parsed,
            b'+' => {
                parsed.open = (parsed.open & !O_WRONLY) | O_RDWR;
                parsed.flags &= APPENDING;
            }
            b'x' => parsed.open |= O_EXCL,
            b'e' => parsed.open |= O_CLOEXEC,
            _ => {}
        }
        i += 1;
    }
}

unsafe fn new_stream(fd: c_int, flags: c_int) -> *mut FILE {
    let f = malloc(size_of::<FILE>()).cast::<FILE>();
    if f.is_null() {
        errno::set(ENOMEM);
        return f;
    }
    f.write(stream(fd, flags, STREAMS));
    (*f).own = OWN_STREAM;
    STREAMS = f;
    f
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fopen(path: *const c_char, mode: *const u8) -> *mut FILE {
    let mode = parse_mode(mode);
    if mode.open < 0 {
        return null_mut();
    }
    let fd = __refrain_open(path, mode.open, 0o666);
    if fd < 0 {
        return null_mut();
    }
    let f = new_stream(fd, mode.flags);
    if f.is_null() {
        close(fd);
    }
    f
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fopen64(path: *const c_char, mode: *const u8) -> *mut FILE {
    fopen(path, mode)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fdopen(fd: c_int, mode: *const u8) -> *mut FILE {
    let mode = parse_mode(mode);
    if mode.open < 0 {
        return null_mut();
    }
    new_stream(fd, mode.flags)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn tmpfile() -> *mut FILE {
    let fd = __refrain_tmpfile();
    if fd < 0 {
        return null_mut();
    }
    let f = new_stream(fd, 0);
    if f.is_null() {
        close(fd);
    }
    f
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn tmpfile64() -> *mut FILE {
    tmpfile()
}

unsafe fn new_memory(bytes: *mut u8, len: usize, room: usize, flags: c_int) -> *mut FILE {
    let memory = malloc(size_of::<Memory>()).cast::<Memory>();
    if memory.is_null() {
        return null_mut();
    }
    memory.write(Memory {
        bytes,
        len,
        room,
        at: 0,
        bytes_out: null_mut(),
        len_out: null_mut(),
        append: flags & APPENDING != 0,
        own_bytes: false,
    });
    let f = new_stream(-1, flags);
    if f.is_null() {
        free(memory.cast());
    } else {
        (*f).memory = memory;
    }
    f
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn open_memstream(bytes: *mut *mut u8, len: *mut usize) -> *mut FILE {
    let block = malloc(64).cast::<u8>();
    if block.is_null() {
        return null_mut();
    }
    memset(block.cast(), 0, 64);
    let f = new_memory(block, 0, 64, NO_READS);
    if f.is_null() {
        free(block.cast());
        return f;
    }
    (*(*f).memory).bytes_out = bytes;
    (*(*f).memory).len_out = len;
    publish(f);
    f
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fmemopen(buffer: *mut u8, size: usize, mode: *const u8) -> *mut FILE {
    let parsed = parse_mode(mode);
    if parsed.open < 0 {
        return null_mut();
    }
    let mut bytes = buffer;
    if bytes.is_null() {
        bytes = malloc(size).cast();
        if bytes.is_null() {
            return null_mut();
        }
        *bytes = 0;
    }
    let len = match *mode {
        b'w' => {
            if size > 0 {
                *bytes = 0;
            }
            0
        }
        b'r' => size,
        _ => strnlen(bytes, size),
    };
    let f = new_memory(bytes, len, size, parsed.flags);
    if f.is_null() {
        if buffer.is_null() {
            free(bytes.cast());
        }
        return f;
    }
    (*(*f).memory).own_bytes = buffer.is_null();
    if (*(*f).memory).append {
        (*(*f).memory).at = len;
    }
    f
}

/// Flushes and closes what is below a stream, which stays.
unsafe fn shut(f: *mut FILE) -> c_int {
    let mut result = flush(f);
    publish(f);
    let memory = (*f).memory;
    if !memory.is_null() {
        if (*memory).own_bytes {
            free((*memory).bytes.cast());
        }
        free(memory.cast());
        (*f).memory = null_mut();
    } else if (*f).fd < 0 || close((*f).fd) < 0 {
        // One of the standard streams may be closed twice: that fails.
        result = EOF;
    }
    (*f).fd = -1;
    drop_buffer(f);
    result
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fclose(f: *mut FILE) -> c_int {
    let result = shut(f);
    let mut link = &raw mut STREAMS;
    while !(*link).is_null() && *link != f {
        link = &raw mut (**link).chain;
    }
    if !(*link).is_null() {
        *link = (*f).chain;
    }
    if (*f).own & OWN_STREAM != 0 {
        free(f.cast());
    }
    result
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fcloseall() -> c_int {
    __refrain_flush_all()
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn freopen(path: *const c_char, mode: *const u8, f: *mut FILE) -> *mut FILE {
    let mode = parse_mode(mode);
    if mode.open < 0 {
        fclose(f);
        return null_mut();
    }
    if path.is_null() {
        // Only the mode changes, which a model of descriptors cannot tell.
        flush(f);
        drop_buffer(f);
        (*f).flags = MAGIC | mode.flags;
        return f;
    }
    // The name may be that of the stream itself, as `/dev/stdin`: what was open goes last.
    flush(f);
    let mut fd = __refrain_open(path, mode.open, 0o666);
    if fd >= 0 && (*f).fd >= 0 && dup2(fd, (*f).fd) >= 0 {
        close(fd);
        fd = (*f).fd;
        (*f).fd = -1;
    }
    shut(f);
    if fd < 0 {
        fclose(f);
        return null_mut();
    }
    (*f).fd = fd;
    (*f).flags = MAGIC | mode.flags;
    f
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn freopen64(
    path: *const c_char,
    mode: *const u8,
    f: *mut FILE,
) -> *mut FILE {
    freopen(path, mode, f)
}
