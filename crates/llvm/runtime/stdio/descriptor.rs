//! What is below a stream: a descriptor, or memory that stands for one.

use super::FILE;
use crate::errno::{self, EINVAL};
use crate::native::{lseek, memcpy, memset, read, realloc, write};
use core::ffi::c_int;

pub(super) unsafe fn raw_read(f: *mut FILE, to: *mut u8, len: usize) -> isize {
    let memory = (*f).memory;
    if memory.is_null() {
        return read((*f).fd, to.cast(), len);
    }
    let left = (*memory).len.saturating_sub((*memory).at);
    let n = if len < left { len } else { left };
    memcpy(to.cast(), (*memory).bytes.add((*memory).at).cast(), n);
    (*memory).at += n;
    n as isize
}

pub(super) unsafe fn raw_write(f: *mut FILE, from: *const u8, len: usize) -> isize {
    let memory = (*f).memory;
    if memory.is_null() {
        return write((*f).fd, from.cast(), len);
    }
    if (*memory).append {
        (*memory).at = (*memory).len;
    }
    let at = (*memory).at;
    if !(*memory).bytes_out.is_null() && at + len + 1 > (*memory).room {
        let room = (at + len + 1) * 2;
        let bytes = realloc((*memory).bytes.cast(), room).cast::<u8>();
        if bytes.is_null() {
            return -1;
        }
        memset(bytes.add((*memory).room).cast(), 0, room - (*memory).room);
        (*memory).bytes = bytes;
        (*memory).room = room;
    }
    let left = (*memory).room.saturating_sub(at);
    if left == 0 {
        errno::set(28);
        return -1;
    }
    let n = if len < left { len } else { left };
    memcpy((*memory).bytes.add(at).cast(), from.cast(), n);
    (*memory).at = at + n;
    if at + n > (*memory).len {
        (*memory).len = at + n;
        // A terminator if there is room for one.
        if at + n < (*memory).room {
            *(*memory).bytes.add(at + n) = 0;
        }
    }
    n as isize
}

pub(super) unsafe fn raw_seek(f: *mut FILE, offset: i64, whence: c_int) -> i64 {
    let memory = (*f).memory;
    if memory.is_null() {
        return lseek((*f).fd, offset, whence);
    }
    let from = match whence {
        0 => 0,
        1 => (*memory).at as i64,
        2 => (*memory).len as i64,
        _ => i64::MIN,
    };
    let to = from.wrapping_add(offset);
    let growing = !(*memory).bytes_out.is_null();
    if from < 0 || to < 0 || (!growing && to as usize > (*memory).room) {
        errno::set(EINVAL);
        return -1;
    }
    (*memory).at = to as usize;
    to
}

/// Tells the owner of an `open_memstream` what there is.
pub(super) unsafe fn publish(f: *mut FILE) {
    let memory = (*f).memory;
    if !memory.is_null() && !(*memory).bytes_out.is_null() {
        *(*memory).bytes_out = (*memory).bytes;
        *(*memory).len_out = (*memory).at;
    }
}
