//! `stdio.h` without formats: streams over `read` and `write`.
//!
//! The first fields of a stream are those of the GNU C library, because its
//! header's inline functions (`getc_unlocked`, `putc_unlocked`,
//! `feof_unlocked`, …) read and move them in the program's own code.
//!
//! No byte written is ever looked at, since it may be symbolic: a
//! line-buffered stream is written out after every call rather than after
//! every newline, which only a process watching the descriptor could tell.

use crate::errno::{self, EBADF, EINTR, EINVAL, EISDIR, ENOMEM, EOVERFLOW};
use crate::native::{
    __refrain_open, __refrain_tmpfile, close, dup2, free, lseek, malloc, memcpy, read, realloc,
    rmdir, unlink, write,
};
use crate::string::{strerror, strlen};
use core::ffi::{c_char, c_int, c_long, c_void};
use core::ptr::null_mut;

const EOF: c_int = -1;

const UNBUFFERED: c_int = 0x2;
const NO_READS: c_int = 0x4;
const NO_WRITES: c_int = 0x8;
const EOF_SEEN: c_int = 0x10;
const ERROR_SEEN: c_int = 0x20;
const LINE_BUFFERED: c_int = 0x200;
/// The buffer holds bytes to write rather than bytes read.
const PUTTING: c_int = 0x800;
const APPENDING: c_int = 0x1000;
const MAGIC: c_int = 0xfbad_0000_u32 as c_int;

// Of this library's own, in `own`.
const OWN_BUFFER: c_int = 1;
const OWN_STREAM: c_int = 2;

const BUFFER: usize = 4096;
/// Room before the buffer for bytes pushed back before any was read.
const PUSHBACK: usize = 8;

#[repr(C)]
pub struct FILE {
    flags: c_int,
    read_ptr: *mut u8,
    read_end: *mut u8,
    read_base: *mut u8,
    write_base: *mut u8,
    write_ptr: *mut u8,
    write_end: *mut u8,
    /// The buffer, without the room for pushed-back bytes before it.
    buf_base: *mut u8,
    buf_end: *mut u8,
    /// What was allocated for the buffer.
    block: *mut u8,
    /// The position of a stream in memory, and its extent.
    memory: *mut Memory,
    unused: [usize; 2],
    chain: *mut FILE,
    fd: c_int,
    own: c_int,
    rest: [usize; 12],
}

/// What stands for the descriptor of a stream in memory.
#[repr(C)]
struct Memory {
    bytes: *mut u8,
    /// How far reading goes, how far writing can, and where the stream is.
    len: usize,
    room: usize,
    at: usize,
    /// For `open_memstream`: where the program learns of the bytes.
    bytes_out: *mut *mut u8,
    len_out: *mut usize,
    append: bool,
    own_bytes: bool,
}

const fn stream(fd: c_int, flags: c_int, chain: *mut FILE) -> FILE {
    FILE {
        flags: MAGIC | flags,
        read_ptr: null_mut(),
        read_end: null_mut(),
        read_base: null_mut(),
        write_base: null_mut(),
        write_ptr: null_mut(),
        write_end: null_mut(),
        buf_base: null_mut(),
        buf_end: null_mut(),
        block: null_mut(),
        memory: null_mut(),
        unused: [0; 2],
        chain,
        fd,
        own: 0,
        rest: [0; 12],
    }
}

static mut STDIN: FILE = stream(0, NO_WRITES, null_mut());
static mut STDOUT: FILE = stream(1, NO_READS, &raw mut STDIN);
static mut STDERR: FILE = stream(2, NO_READS | UNBUFFERED, &raw mut STDOUT);

static mut STDIN_BUFFER: [u8; PUSHBACK + BUFFER] = [0; PUSHBACK + BUFFER];
static mut STDOUT_BUFFER: [u8; PUSHBACK + BUFFER] = [0; PUSHBACK + BUFFER];

#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut stdin: *mut FILE = &raw mut STDIN;
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut stdout: *mut FILE = &raw mut STDOUT;
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut stderr: *mut FILE = &raw mut STDERR;

/// All open streams.
static mut STREAMS: *mut FILE = &raw mut STDERR;

// The descriptor below a stream.

unsafe fn raw_read(f: *mut FILE, to: *mut u8, len: usize) -> isize {
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

unsafe fn raw_write(f: *mut FILE, from: *const u8, len: usize) -> isize {
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
        crate::native::memset(bytes.add((*memory).room).cast(), 0, room - (*memory).room);
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

unsafe fn raw_seek(f: *mut FILE, offset: i64, whence: c_int) -> i64 {
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
unsafe fn publish(f: *mut FILE) {
    let memory = (*f).memory;
    if !memory.is_null() && !(*memory).bytes_out.is_null() {
        *(*memory).bytes_out = (*memory).bytes;
        *(*memory).len_out = (*memory).at;
    }
}

// The buffer.

/// Gives the stream a buffer; whether it has one.
unsafe fn provide_buffer(f: *mut FILE) -> bool {
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

unsafe fn use_buffer(f: *mut FILE, block: *mut u8, size: usize) {
    (*f).block = block;
    (*f).buf_base = block.add(PUSHBACK);
    (*f).buf_end = block.add(size);
    set_idle(f);
}

unsafe fn drop_buffer(f: *mut FILE) {
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
unsafe fn set_idle(f: *mut FILE) {
    let base = (*f).buf_base;
    (*f).flags &= !PUTTING;
    (*f).read_base = base;
    (*f).read_ptr = base;
    (*f).read_end = base;
    (*f).write_base = base;
    (*f).write_ptr = base;
    (*f).write_end = base;
}

unsafe fn pending(f: *mut FILE) -> usize {
    (*f).write_ptr as usize - (*f).write_base as usize
}

unsafe fn unread(f: *mut FILE) -> usize {
    (*f).read_end as usize - (*f).read_ptr as usize
}

/// Writes `len` bytes to the descriptor; how many it took.
unsafe fn write_out(f: *mut FILE, bytes: *const u8, len: usize) -> usize {
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

unsafe fn start_writing(f: *mut FILE) -> bool {
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
unsafe fn fill(f: *mut FILE) -> bool {
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
unsafe fn raw_read_flushing(f: *mut FILE, to: *mut u8, size: usize) -> isize {
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
unsafe fn get(f: *mut FILE) -> c_int {
    if (*f).read_ptr == (*f).read_end && !fill(f) {
        return EOF;
    }
    let c = *(*f).read_ptr;
    (*f).read_ptr = (*f).read_ptr.add(1);
    c as c_int
}

#[inline(always)]
unsafe fn put(f: *mut FILE, c: c_int) -> c_int {
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

// What the machine's formatted functions call.

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_stream_write(
    f: *mut FILE,
    bytes: *const u8,
    len: usize,
) -> usize {
    put_bytes(f, bytes, len)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_stream_getc(f: *mut FILE) -> c_int {
    get(f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_stream_ungetc(c: c_int, f: *mut FILE) -> c_int {
    ungetc(c, f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_flush_all() -> c_int {
    let mut result = 0;
    let mut f = STREAMS;
    while !f.is_null() {
        result |= flush(f);
        publish(f);
        f = (*f).chain;
    }
    result
}

// Writing.

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fputc(c: c_int, f: *mut FILE) -> c_int {
    put(f, c)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn putc(c: c_int, f: *mut FILE) -> c_int {
    put(f, c)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn _IO_putc(c: c_int, f: *mut FILE) -> c_int {
    put(f, c)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn putc_unlocked(c: c_int, f: *mut FILE) -> c_int {
    put(f, c)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fputc_unlocked(c: c_int, f: *mut FILE) -> c_int {
    put(f, c)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn putchar(c: c_int) -> c_int {
    put(stdout, c)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn putchar_unlocked(c: c_int) -> c_int {
    put(stdout, c)
}

/// What the header's `putc_unlocked` calls when the buffer is full.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __overflow(f: *mut FILE, c: c_int) -> c_int {
    put(f, c)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn puts(s: *const u8) -> c_int {
    let len = strlen(s);
    if put_bytes(stdout, s, len) < len || put(stdout, b'\n' as c_int) == EOF {
        return EOF;
    }
    if len >= c_int::MAX as usize {
        c_int::MAX
    } else {
        len as c_int + 1
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fputs(s: *const u8, f: *mut FILE) -> c_int {
    let len = strlen(s);
    if put_bytes(f, s, len) < len { EOF } else { 1 }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fputs_unlocked(s: *const u8, f: *mut FILE) -> c_int {
    fputs(s, f)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fwrite(
    bytes: *const c_void,
    size: usize,
    count: usize,
    f: *mut FILE,
) -> usize {
    let total = size.wrapping_mul(count);
    if size == 0 || total == 0 {
        return 0;
    }
    let done = put_bytes(f, bytes.cast(), total);
    if done == total { count } else { done / size }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fwrite_unlocked(
    bytes: *const c_void,
    size: usize,
    count: usize,
    f: *mut FILE,
) -> usize {
    fwrite(bytes, size, count, f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn putw(word: c_int, f: *mut FILE) -> c_int {
    if put_bytes(f, (&raw const word).cast(), 4) == 4 {
        0
    } else {
        EOF
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fflush(f: *mut FILE) -> c_int {
    if f.is_null() {
        return __refrain_flush_all();
    }
    let result = flush(f);
    publish(f);
    if (*f).flags & PUTTING == 0 {
        let left = unread(f);
        // Input read ahead goes back to a descriptor that can seek.
        if left > 0 && raw_seek(f, -(left as i64), 1) >= 0 {
            set_idle(f);
        }
    }
    result
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fflush_unlocked(f: *mut FILE) -> c_int {
    fflush(f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn _flushlbf() {
    __refrain_flush_all();
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn perror(s: *const u8) {
    // Before anything here can change it.
    let error = *errno::__errno_location();
    if !s.is_null() && *s != 0 {
        fputs(s, stderr);
        fputs(c": ".as_ptr().cast(), stderr);
    }
    fputs(strerror(error), stderr);
    put(stderr, b'\n' as c_int);
    errno::set(error);
}

// Reading.

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fgetc(f: *mut FILE) -> c_int {
    get(f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getc(f: *mut FILE) -> c_int {
    get(f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn _IO_getc(f: *mut FILE) -> c_int {
    get(f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getc_unlocked(f: *mut FILE) -> c_int {
    get(f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fgetc_unlocked(f: *mut FILE) -> c_int {
    get(f)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getchar() -> c_int {
    get(stdin)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getchar_unlocked() -> c_int {
    get(stdin)
}

/// What the header's `getc_unlocked` calls when the buffer is empty.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __uflow(f: *mut FILE) -> c_int {
    get(f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __underflow(f: *mut FILE) -> c_int {
    if (*f).read_ptr == (*f).read_end && !fill(f) {
        return EOF;
    }
    *(*f).read_ptr as c_int
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getw(f: *mut FILE) -> c_int {
    let mut word: c_int = 0;
    if fread((&raw mut word).cast(), 4, 1, f) == 1 {
        word
    } else {
        EOF
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ungetc(c: c_int, f: *mut FILE) -> c_int {
    if c == EOF || (*f).flags & NO_READS != 0 || !provide_buffer(f) {
        return EOF;
    }
    if (*f).flags & PUTTING != 0 {
        if flush(f) != 0 {
            return EOF;
        }
        set_idle(f);
    }
    if (*f).read_ptr == (*f).block {
        return EOF;
    }
    (*f).read_ptr = (*f).read_ptr.sub(1);
    *(*f).read_ptr = c as u8;
    (*f).flags &= !EOF_SEEN;
    c as u8 as c_int
}

unsafe fn get_bytes(f: *mut FILE, to: *mut u8, len: usize) -> usize {
    let mut done = 0;
    while done < len {
        let left = len - done;
        let ready = unread(f);
        if ready > 0 {
            let n = if left < ready { left } else { ready };
            memcpy(to.add(done).cast(), (*f).read_ptr.cast(), n);
            (*f).read_ptr = (*f).read_ptr.add(n);
            done += n;
            continue;
        }
        let direct = left >= BUFFER && (*f).flags & (NO_READS | PUTTING | EOF_SEEN) == 0;
        if direct {
            let n = raw_read_flushing(f, to.add(done), left - left % BUFFER);
            if n <= 0 {
                break;
            }
            done += n as usize;
        } else if !fill(f) {
            break;
        }
    }
    done
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fread(to: *mut c_void, size: usize, count: usize, f: *mut FILE) -> usize {
    let total = size.wrapping_mul(count);
    if size == 0 || total == 0 {
        return 0;
    }
    let done = get_bytes(f, to.cast(), total);
    if done == total { count } else { done / size }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fread_unlocked(
    to: *mut c_void,
    size: usize,
    count: usize,
    f: *mut FILE,
) -> usize {
    fread(to, size, count, f)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fgets(to: *mut u8, size: c_int, f: *mut FILE) -> *mut u8 {
    if size <= 0 {
        return null_mut();
    }
    let room = size as usize - 1;
    let mut n = 0;
    // An error already noted is not this call's.
    let noted = (*f).flags & ERROR_SEEN;
    (*f).flags &= !ERROR_SEEN;
    while n < room {
        let c = get(f);
        if c == EOF {
            break;
        }
        *to.add(n) = c as u8;
        n += 1;
        if c == b'\n' as c_int {
            break;
        }
    }
    let failed = (*f).flags & ERROR_SEEN != 0;
    (*f).flags |= noted;
    if (n == 0 && room > 0) || failed {
        return null_mut();
    }
    *to.add(n) = 0;
    to
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fgets_unlocked(to: *mut u8, size: c_int, f: *mut FILE) -> *mut u8 {
    fgets(to, size, f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn gets(to: *mut u8) -> *mut u8 {
    let mut n = 0;
    loop {
        let c = get(stdin);
        if c == EOF {
            if n == 0 {
                return null_mut();
            }
            break;
        }
        if c == b'\n' as c_int {
            break;
        }
        *to.add(n) = c as u8;
        n += 1;
    }
    *to.add(n) = 0;
    to
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getdelim(
    line: *mut *mut u8,
    size: *mut usize,
    last: c_int,
    f: *mut FILE,
) -> isize {
    if line.is_null() || size.is_null() {
        errno::set(EINVAL);
        return -1;
    }
    if (*line).is_null() || *size == 0 {
        *line = realloc((*line).cast(), 120).cast();
        if (*line).is_null() {
            return -1;
        }
        *size = 120;
    }
    let mut n = 0;
    loop {
        let c = get(f);
        if c == EOF {
            break;
        }
        if n + 2 > *size {
            let room = *size * 2;
            let grown = realloc((*line).cast(), room).cast::<u8>();
            if grown.is_null() {
                return -1;
            }
            *line = grown;
            *size = room;
        }
        *(*line).add(n) = c as u8;
        n += 1;
        if c == last {
            break;
        }
    }
    if n == 0 {
        return -1;
    }
    *(*line).add(n) = 0;
    n as isize
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __getdelim(
    line: *mut *mut u8,
    size: *mut usize,
    last: c_int,
    f: *mut FILE,
) -> isize {
    getdelim(line, size, last, f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getline(line: *mut *mut u8, size: *mut usize, f: *mut FILE) -> isize {
    getdelim(line, size, b'\n' as c_int, f)
}

// State.

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn feof(f: *mut FILE) -> c_int {
    ((*f).flags & EOF_SEEN != 0) as c_int
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ferror(f: *mut FILE) -> c_int {
    ((*f).flags & ERROR_SEEN != 0) as c_int
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn clearerr(f: *mut FILE) {
    (*f).flags &= !(EOF_SEEN | ERROR_SEEN);
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn feof_unlocked(f: *mut FILE) -> c_int {
    feof(f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ferror_unlocked(f: *mut FILE) -> c_int {
    ferror(f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn clearerr_unlocked(f: *mut FILE) {
    clearerr(f);
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fileno(f: *mut FILE) -> c_int {
    if (*f).fd < 0 {
        errno::set(EBADF);
        return -1;
    }
    (*f).fd
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fileno_unlocked(f: *mut FILE) -> c_int {
    fileno(f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn flockfile(_f: *mut FILE) {}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn funlockfile(_f: *mut FILE) {}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ftrylockfile(_f: *mut FILE) -> c_int {
    0
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn setvbuf(f: *mut FILE, buffer: *mut u8, mode: c_int, size: usize) -> c_int {
    if !(0..3).contains(&mode) {
        return EOF;
    }
    if flush(f) != 0 {
        return EOF;
    }
    (*f).flags &= !(UNBUFFERED | LINE_BUFFERED);
    if mode == 1 {
        (*f).flags |= LINE_BUFFERED;
    } else if mode == 2 {
        (*f).flags |= UNBUFFERED;
    }
    // Input read ahead would be lost with its buffer, and a buffer too small to
    // hold anything besides the pushed-back bytes is none.
    if mode == 0 && !buffer.is_null() && size > 2 * PUSHBACK && unread(f) == 0 {
        drop_buffer(f);
        use_buffer(f, buffer, size);
    } else if (*f).flags & PUTTING != 0 {
        set_idle(f);
    }
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn setbuf(f: *mut FILE, buffer: *mut u8) {
    setbuffer(f, buffer, 8192);
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn setbuffer(f: *mut FILE, buffer: *mut u8, size: usize) {
    setvbuf(f, buffer, if buffer.is_null() { 2 } else { 0 }, size);
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn setlinebuf(f: *mut FILE) {
    setvbuf(f, null_mut(), 1, 0);
}

// `stdio_ext.h`.

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __fpending(f: *mut FILE) -> usize {
    pending(f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __fbufsize(f: *mut FILE) -> usize {
    (*f).buf_end as usize - (*f).buf_base as usize
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __freading(f: *mut FILE) -> c_int {
    ((*f).flags & NO_WRITES != 0 || ((*f).flags & PUTTING == 0 && (*f).read_base != (*f).read_end))
        as c_int
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __fwriting(f: *mut FILE) -> c_int {
    ((*f).flags & NO_READS != 0 || (*f).flags & PUTTING != 0) as c_int
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __freadable(f: *mut FILE) -> c_int {
    ((*f).flags & NO_READS == 0) as c_int
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __fwritable(f: *mut FILE) -> c_int {
    ((*f).flags & NO_WRITES == 0) as c_int
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __flbf(f: *mut FILE) -> c_int {
    ((*f).flags & LINE_BUFFERED != 0) as c_int
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __fpurge(f: *mut FILE) {
    let putting = (*f).flags & PUTTING;
    if putting != 0 {
        (*f).write_ptr = (*f).write_base;
    } else {
        set_idle(f);
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __fsetlocking(_f: *mut FILE, _how: c_int) -> c_int {
    1
}

// Opening and closing.

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

/// What `tmpnam` fills, with its end.
const TEMPORARY: &[u8; 16] = b"/tmp/fileXXXXXX\0";
static mut TMPNAM: [u8; 20] = [0; 20];

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn tmpnam_r(to: *mut c_char) -> *mut c_char {
    if to.is_null() {
        return to;
    }
    memcpy(to.cast(), TEMPORARY.as_ptr().cast(), TEMPORARY.len());
    crate::native::mktemp(to)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn tmpnam(to: *mut c_char) -> *mut c_char {
    let to = if to.is_null() {
        (&raw mut TMPNAM).cast()
    } else {
        to
    };
    tmpnam_r(to)
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
    crate::native::memset(block.cast(), 0, 64);
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
        _ => crate::string::strnlen(bytes, size),
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

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn remove(path: *const c_char) -> c_int {
    if unlink(path) == 0 {
        return 0;
    }
    let error = *errno::__errno_location();
    // Linux says EISDIR for a directory, POSIX EPERM.
    if (error == EISDIR || error == errno::EPERM) && rmdir(path) == 0 {
        return 0;
    }
    -1
}

// Positions.

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fseeko(f: *mut FILE, offset: i64, whence: c_int) -> c_int {
    if !(0..3).contains(&whence) {
        errno::set(EINVAL);
        return -1;
    }
    if flush(f) != 0 {
        return -1;
    }
    let mut offset = offset;
    if whence == 1 && (*f).flags & PUTTING == 0 {
        // The program is behind the descriptor by what it has not read.
        offset = offset.wrapping_sub(unread(f) as i64);
    }
    if raw_seek(f, offset, whence) < 0 {
        return -1;
    }
    set_idle(f);
    (*f).flags &= !EOF_SEEN;
    publish(f);
    0
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ftello(f: *mut FILE) -> i64 {
    let writing = (*f).flags & PUTTING != 0;
    // An appending stream's bytes go to the end, wherever the descriptor is.
    let at = if writing && (*f).flags & APPENDING != 0 && pending(f) > 0 {
        raw_seek(f, 0, 2)
    } else {
        raw_seek(f, 0, 1)
    };
    if at < 0 {
        return -1;
    }
    if writing {
        at + pending(f) as i64
    } else {
        at - unread(f) as i64
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fseek(f: *mut FILE, offset: c_long, whence: c_int) -> c_int {
    fseeko(f, offset, whence)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fseeko64(f: *mut FILE, offset: i64, whence: c_int) -> c_int {
    fseeko(f, offset, whence)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ftell(f: *mut FILE) -> c_long {
    ftello(f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ftello64(f: *mut FILE) -> i64 {
    ftello(f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn rewind(f: *mut FILE) {
    fseeko(f, 0, 0);
    (*f).flags &= !ERROR_SEEN;
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fgetpos(f: *mut FILE, position: *mut i64) -> c_int {
    let at = ftello(f);
    if at < 0 {
        if *errno::__errno_location() == 0 {
            errno::set(EOVERFLOW);
        }
        return -1;
    }
    *position = at;
    0
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fsetpos(f: *mut FILE, position: *const i64) -> c_int {
    fseeko(f, *position, 0)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fgetpos64(f: *mut FILE, position: *mut i64) -> c_int {
    fgetpos(f, position)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fsetpos64(f: *mut FILE, position: *const i64) -> c_int {
    fsetpos(f, position)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ctermid(to: *mut u8) -> *mut u8 {
    let name: *const u8 = c"/dev/tty".as_ptr().cast();
    if to.is_null() {
        return name.cast_mut();
    }
    crate::string::strcpy(to, name)
}

// Wide characters on a byte stream: ASCII, as in `wide`.

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fputwc(c: c_int, f: *mut FILE) -> c_int {
    if c as u32 >= 128 && crate::ctype::is_utf8() {
        let mut bytes = [0u8; 4];
        let text = (&raw mut bytes).cast::<u8>();
        let len = crate::utf8::write(text, c);
        if len != usize::MAX {
            return if put_bytes(f, text, len) == len {
                c
            } else {
                EOF
            };
        }
    }
    if c as u32 >= 128 {
        errno::set(errno::EILSEQ);
        (*f).flags |= ERROR_SEEN;
        return EOF;
    }
    put(f, c)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn putwc(c: c_int, f: *mut FILE) -> c_int {
    fputwc(c, f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn putwchar(c: c_int) -> c_int {
    fputwc(c, stdout)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fputws(s: *const c_int, f: *mut FILE) -> c_int {
    let mut i = 0;
    while *s.add(i) != 0 {
        if fputwc(*s.add(i), f) == EOF {
            return EOF;
        }
        i += 1;
    }
    1
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fgetwc(f: *mut FILE) -> c_int {
    let c = get(f);
    if c >= 128 && crate::ctype::is_utf8() {
        let mut state = 0u64;
        let (mut wide, mut byte) = (0, c);
        loop {
            let next = byte as u8;
            let used =
                crate::utf8::read(&raw mut wide, &raw const next, 1, (&raw mut state).cast());
            if used == 1 {
                return wide;
            }
            if used == usize::MAX {
                break;
            }
            byte = get(f);
            if byte == EOF {
                break;
            }
        }
    }
    if c >= 128 {
        errno::set(errno::EILSEQ);
        (*f).flags |= ERROR_SEEN;
        return EOF;
    }
    c
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getwc(f: *mut FILE) -> c_int {
    fgetwc(f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getwchar() -> c_int {
    fgetwc(stdin)
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn ungetwc(c: c_int, f: *mut FILE) -> c_int {
    if c >= 128 && crate::ctype::is_utf8() {
        let mut bytes = [0u8; 4];
        let text = (&raw mut bytes).cast::<u8>();
        let mut len = crate::utf8::write(text, c);
        while len != usize::MAX && len > 0 {
            len -= 1;
            if ungetc(*text.add(len) as c_int, f) == EOF {
                return EOF;
            }
        }
        return if len == 0 { c } else { EOF };
    }
    ungetc(c, f)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fwide(_f: *mut FILE, _mode: c_int) -> c_int {
    0
}
