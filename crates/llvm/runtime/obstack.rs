//! Obstacks: stacks of objects in chunks, of which the header's macros do most.

use crate::stdio::{put_bytes, stderr};
use core::ffi::{c_int, c_void};
use core::ptr::null_mut;

#[repr(C)]
pub struct Chunk {
    limit: *mut u8,
    previous: *mut Chunk,
    contents: [u8; 4],
}

#[repr(C)]
#[derive(Clone, Copy)]
union Allocate {
    plain: unsafe extern "C" fn(usize) -> *mut c_void,
    extra: unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
union Release {
    plain: unsafe extern "C" fn(*mut c_void),
    extra: unsafe extern "C" fn(*mut c_void, *mut c_void),
}

/// As `obstack.h` of the GNU C library has it.
#[repr(C)]
pub struct obstack {
    chunk_size: i64,
    chunk: *mut Chunk,
    object_base: *mut u8,
    next_free: *mut u8,
    chunk_limit: *mut u8,
    temp: i64,
    alignment_mask: c_int,
    allocate: Allocate,
    release: Release,
    extra_arg: *mut c_void,
    /// Bit 0: the functions take `extra_arg`; bit 1: there may be an empty object; bit 2: memory has run out.
    flags: u32,
}

const HEADER: usize = 16;
/// What glibc takes where the program names no size: a page less what `malloc` keeps for itself.
const DEFAULT_SIZE: i64 = 4064;
const DEFAULT_ALIGNMENT: c_int = 16;

#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut obstack_exit_failure: c_int = 1;

unsafe extern "C" fn out_of_memory() {
    let text = c"memory exhausted\n";
    put_bytes(stderr, text.as_ptr().cast(), 17);
    crate::exit::exit(obstack_exit_failure)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut obstack_alloc_failed_handler: unsafe extern "C" fn() = out_of_memory;

unsafe fn allocate(h: *mut obstack, size: usize) -> *mut Chunk {
    if (*h).flags & 1 != 0 {
        ((*h).allocate.extra)((*h).extra_arg, size).cast()
    } else {
        ((*h).allocate.plain)(size).cast()
    }
}

unsafe fn release(h: *mut obstack, chunk: *mut Chunk) {
    if (*h).flags & 1 != 0 {
        ((*h).release.extra)((*h).extra_arg, chunk.cast())
    } else {
        ((*h).release.plain)(chunk.cast())
    }
}

unsafe fn align(at: *mut u8, mask: c_int) -> *mut u8 {
    let mask = mask as usize;
    at.add((mask + 1 - (at as usize & mask)) & mask)
}

unsafe fn begin(h: *mut obstack, size: c_int, alignment: c_int) -> c_int {
    let alignment = if alignment == 0 {
        DEFAULT_ALIGNMENT
    } else {
        alignment
    };
    (*h).chunk_size = if size == 0 { DEFAULT_SIZE } else { size as i64 };
    (*h).alignment_mask = alignment - 1;
    let chunk = allocate(h, (*h).chunk_size as usize);
    (*h).chunk = chunk;
    if chunk.is_null() {
        obstack_alloc_failed_handler();
    }
    (*h).object_base = align(chunk.cast::<u8>().add(HEADER), (*h).alignment_mask);
    (*h).next_free = (*h).object_base;
    (*chunk).limit = chunk.cast::<u8>().add((*h).chunk_size as usize);
    (*h).chunk_limit = (*chunk).limit;
    (*chunk).previous = null_mut();
    (*h).flags &= !6;
    1
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn _obstack_begin(
    h: *mut obstack,
    size: c_int,
    alignment: c_int,
    allocate: unsafe extern "C" fn(usize) -> *mut c_void,
    release: unsafe extern "C" fn(*mut c_void),
) -> c_int {
    (*h).allocate.plain = allocate;
    (*h).release.plain = release;
    (*h).flags &= !1;
    begin(h, size, alignment)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn _obstack_begin_1(
    h: *mut obstack,
    size: c_int,
    alignment: c_int,
    allocate: unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void,
    release: unsafe extern "C" fn(*mut c_void, *mut c_void),
    arg: *mut c_void,
) -> c_int {
    (*h).allocate.extra = allocate;
    (*h).release.extra = release;
    (*h).extra_arg = arg;
    (*h).flags |= 1;
    begin(h, size, alignment)
}

/// Moves the object that grows to a new chunk, with room for `length` more bytes.
#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn _obstack_newchunk(h: *mut obstack, length: c_int) {
    let old = (*h).chunk;
    let size = (*h).next_free as i64 - (*h).object_base as i64;
    let mut room = size + length as i64 + (size >> 3) + (*h).alignment_mask as i64 + 100;
    if room < (*h).chunk_size {
        room = (*h).chunk_size;
    }
    let new = allocate(h, room as usize);
    if new.is_null() {
        obstack_alloc_failed_handler();
    }
    (*h).chunk = new;
    (*new).previous = old;
    (*new).limit = new.cast::<u8>().add(room as usize);
    (*h).chunk_limit = (*new).limit;
    let base = align(new.cast::<u8>().add(HEADER), (*h).alignment_mask);
    crate::native::memcpy(base.cast(), (*h).object_base.cast(), size as usize);
    // A chunk that had nothing but this object goes.
    let first = align(old.cast::<u8>().add(HEADER), (*h).alignment_mask);
    if (*h).flags & 2 == 0 && (*h).object_base == first {
        (*new).previous = (*old).previous;
        release(h, old);
    }
    (*h).object_base = base;
    (*h).next_free = base.add(size as usize);
    (*h).flags &= !2;
}

unsafe fn holds(chunk: *mut Chunk, object: *mut u8) -> bool {
    (chunk.cast::<u8>() as usize) < object as usize && (*chunk).limit as usize >= object as usize
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn _obstack_allocated_p(h: *mut obstack, object: *mut u8) -> c_int {
    let mut chunk = (*h).chunk;
    while !chunk.is_null() && !holds(chunk, object) {
        chunk = (*chunk).previous;
    }
    !chunk.is_null() as c_int
}

unsafe fn release_to(h: *mut obstack, object: *mut u8) {
    let mut chunk = (*h).chunk;
    while !chunk.is_null() && !holds(chunk, object) {
        let previous = (*chunk).previous;
        release(h, chunk);
        chunk = previous;
        // The chunk before may end with an empty object.
        (*h).flags |= 2;
    }
    if !chunk.is_null() {
        (*h).object_base = object;
        (*h).next_free = object;
        (*h).chunk_limit = (*chunk).limit;
        (*h).chunk = chunk;
    } else if !object.is_null() {
        // An object of another obstack.
        crate::native::abort();
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn _obstack_free(h: *mut obstack, object: *mut u8) {
    release_to(h, object);
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn obstack_free(h: *mut obstack, object: *mut u8) {
    release_to(h, object);
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn _obstack_memory_used(h: *mut obstack) -> c_int {
    let mut bytes = 0;
    let mut chunk = (*h).chunk;
    while !chunk.is_null() {
        bytes += (*chunk).limit as usize - chunk as usize;
        chunk = (*chunk).previous;
    }
    bytes as c_int
}

/// What `obstack_printf` has formatted: it grows the object, and takes the text back.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_obstack_grow(
    h: *mut obstack,
    text: *mut u8,
    len: usize,
) -> c_int {
    if ((*h).chunk_limit as usize - (*h).next_free as usize) < len {
        _obstack_newchunk(h, len as c_int);
    }
    crate::native::memcpy((*h).next_free.cast(), text.cast(), len);
    (*h).next_free = (*h).next_free.add(len);
    len as c_int
}
