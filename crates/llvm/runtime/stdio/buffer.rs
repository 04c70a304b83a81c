//! The buffer of a stream, and single bytes through it.

use super::descriptor::{raw_read, raw_seek, raw_write};
use super::{
    BUFFER, EOF, EOF_SEEN, ERROR_SEEN, FILE, LINE_BUFFERED, NO_READS, NO_WRITES, OWN_BUFFER,
    PUSHBACK, PUTTING, STDIN, STDIN_BUFFER, STDOUT, STDOUT_BUFFER, UNBUFFERED,
};
use crate::errno::{self, EBADF, EINTR, ENOMEM};
use crate::native::{free, malloc, memcpy};
use core::ffi::c_int;
use core::ptr::null_mut;

/// Gives the stream a buffer; whether it has one.
pub(super) unsafe fn provide_buffer(f: *mut FILE) -> bool {
    if !(*f).buf_base.is_null() {
        return true;
    }
    let block = if f == &raw mut STDIN {
        (&raw mut STDIN_BUFFER).cast::<u8>()
    } else if f == &raw mut STDOUT {
        (&raw mut STDOUT_BUFFER).cast::<u8>()
    } else {
        let block = malloc(PUSHBACK + BUFFER).cast::<u8>();
        if block.is_null() {
            (*f).flags |= ERROR_SEEN;
            errno::set(ENOMEM);
            return false;
        }
        (*f).own |= OWN_BUFFER;
        block
    };
    use_buffer(f, block, PUSHBACK + BUFFER);
    true
}

pub(super) unsafe fn use_buffer(f: *mut FILE, block: *mut u8, size: usize) {
    (*f).block = block;
    (*f).buf_base = block.add(PUSHBACK);
    (*f).buf_end = block.add(size);
    set_idle(f);
}

pub(super) unsafe fn drop_buffer(f: *mut FILE) {
    if (*f).own & OWN_BUFFER != 0 {
        free((*f).block.cast());
        (*f).own &= !OWN_BUFFER;
    }
    (*f).block = null_mut();
    (*f).buf_base = null_mut();
    (*f).buf_end = null_mut();
    set_idle(f);
}

/// Neither reading nor writing: every inline function must come back to us.
pub(super) unsafe fn set_idle(f: *mut FILE) {
    let base = (*f).buf_base;
    (*f).flags &= !PUTTING;
    (*f).read_base = base;
    (*f).read_ptr = base;
    (*f).read_end = base;
    (*f).write_base = base;
    (*f).write_ptr = base;
    (*f).write_end = base;
}

pub(super) unsafe fn pending(f: *mut FILE) -> usize {
    (*f).write_ptr as usize - (*f).write_base as usize
}

pub(super) unsafe fn unread(f: *mut FILE) -> usize {
    (*f).read_end as usize - (*f).read_ptr as usize
}

/// Writes `len` bytes to the descriptor; how many it took.
pub(super) unsafe fn write_out(f: *mut FILE, bytes: *const u8, len: usize) -> usize {
    let mut done = 0;
    while done < len {
        let n = raw_write(f, bytes.add(done), len - done);
        if n <= 0 {
            if n < 0 && (*f).memory.is_null() && *errno::__errno_location() == EINTR {
                continue;
            }
            (*f).flags |= ERROR_SEEN;
            break;
        }
        done += n as usize;
    }
    done
}

/// Empties a buffer of bytes to write; bytes that cannot be written are gone.
pub unsafe fn flush(f: *mut FILE) -> c_int {
    if (*f).flags & PUTTING == 0 {
        return 0;
    }
    let len = pending(f);
    (*f).write_ptr = (*f).write_base;
    if write_out(f, (*f).write_base, len) < len {
        EOF
    } else {
        0
    }
}

pub(super) unsafe fn start_writing(f: *mut FILE) -> bool {
    if (*f).flags & PUTTING != 0 {
        return true;
    }
    if (*f).flags & NO_WRITES != 0 {
        (*f).flags |= ERROR_SEEN;
        errno::set(EBADF);
        return false;
    }
    if !provide_buffer(f) {
        return false;
    }
    let left = unread(f);
    if left > 0 {
        // What was read ahead is the descriptor's again.
        raw_seek(f, -(left as i64), 1);
    }
    set_idle(f);
    (*f).flags |= PUTTING;
    if (*f).flags & (UNBUFFERED | LINE_BUFFERED) == 0 {
        (*f).write_end = (*f).buf_end;
    }
    true
}

pub unsafe fn put_bytes(f: *mut FILE, bytes: *const u8, len: usize) -> usize {
    if len == 0 || !start_writing(f) {
        return 0;
    }
    if (*f).flags & (UNBUFFERED | LINE_BUFFERED) != 0 {
        if flush(f) != 0 {
            return 0;
        }
        return write_out(f, bytes, len);
    }
    let mut done = 0;
    loop {
        let room = (*f).write_end as usize - (*f).write_ptr as usize;
        let left = len - done;
        let n = if left < room { left } else { room };
        memcpy((*f).write_ptr.cast(), bytes.add(done).cast(), n);
        (*f).write_ptr = (*f).write_ptr.add(n);
        done += n;
        if done == len {
            return done;
        }
        if flush(f) != 0 {
            return done;
        }
        if len - done >= BUFFER {
            return done + write_out(f, bytes.add(done), len - done);
        }
    }
}

/// Reads more into an empty buffer; whether there is any.
pub(super) unsafe fn fill(f: *mut FILE) -> bool {
    if (*f).flags & NO_READS != 0 {
        (*f).flags |= ERROR_SEEN;
        errno::set(EBADF);
        return false;
    }
    if (*f).flags & PUTTING != 0 {
        if flush(f) != 0 {
            return false;
        }
        set_idle(f);
    }
    // The end of a file, once seen, stays seen until cleared.
    if (*f).flags & EOF_SEEN != 0 || !provide_buffer(f) {
        return false;
    }
    let size = if (*f).flags & UNBUFFERED != 0 {
        1
    } else {
        (*f).buf_end as usize - (*f).buf_base as usize
    };
    set_idle(f);
    let n = raw_read_flushing(f, (*f).buf_base, size);
    if n <= 0 {
        return false;
    }
    (*f).read_end = (*f).buf_base.add(n as usize);
    true
}

/// Reads from the descriptor and notes the end or an error.  A prompt written
/// before must be seen before standard input is waited for.
pub(super) unsafe fn raw_read_flushing(f: *mut FILE, to: *mut u8, size: usize) -> isize {
    if f == &raw mut STDIN {
        flush(&raw mut STDOUT);
    }
    let n = raw_read(f, to, size);
    if n == 0 {
        (*f).flags |= EOF_SEEN;
    } else if n < 0 {
        (*f).flags |= ERROR_SEEN;
    }
    n
}

#[inline(always)]
pub(super) unsafe fn get(f: *mut FILE) -> c_int {
    if (*f).read_ptr == (*f).read_end && !fill(f) {
        return EOF;
    }
    let c = *(*f).read_ptr;
    (*f).read_ptr = (*f).read_ptr.add(1);
    c as c_int
}

#[inline(always)]
pub(super) unsafe fn put(f: *mut FILE, c: c_int) -> c_int {
    let byte = c as u8;
    if (*f).write_ptr < (*f).write_end {
        *(*f).write_ptr = byte;
        (*f).write_ptr = (*f).write_ptr.add(1);
        return byte as c_int;
    }
    if put_bytes(f, &raw const byte, 1) == 1 {
        byte as c_int
    } else {
        EOF
    }
}
