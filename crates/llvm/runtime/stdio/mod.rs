//! `stdio.h` without formats: streams over `read` and `write`.
//!
//! The first fields of a stream are those of the GNU C library, because its
//! header's inline functions (`getc_unlocked`, `putc_unlocked`,
//! `feof_unlocked`, …) read and move them in the program's own code.
//!
//! No byte written is ever looked at, since it may be symbolic: a
//! line-buffered stream is written out after every call rather than after
//! every newline, which only a process watching the descriptor could tell.

mod buffer;
mod descriptor;
mod input;
mod names;
mod open;
mod output;
mod position;
mod state;
mod wide;

use self::buffer::get;
use self::descriptor::publish;
use core::ffi::c_int;
use core::ptr::null_mut;

pub use self::buffer::{flush, put_bytes};
// All that C has is public, whether or not the library itself uses it.
#[allow(unused_imports)]
pub use self::{input::*, names::*, open::*, output::*, position::*, state::*, wide::*};

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
