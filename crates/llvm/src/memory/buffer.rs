//! Host bytes. Unsafe code of this folder is here, in `tlb`, and in `access`, which fills that.
//!
//! A buffer is reached through one raw pointer that is made when it is allocated and never retagged by a box: the
//! translation cache keeps copies of that pointer while safe code borrows the bytes for a moment. Slices derive from
//! the same pointer, so a finished borrow does not end the right of the copies.
//!
//! Invariant: `bytes` points to `len` initialised bytes of the global allocator with alignment `ALIGN`, owned by
//! this buffer alone.

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc, handle_alloc_error};
use std::cell::Cell;
use std::ptr::NonNull;

const ALIGN: usize = 16;

thread_local! {
    static HELD: Cell<u64> = const { Cell::new(0) };
}

/// The bytes that all buffers of this thread hold together.
pub(super) fn held() -> u64 {
    HELD.get()
}

pub(super) struct Buffer {
    bytes: NonNull<u8>,
    len: usize,
}

impl Buffer {
    fn layout(len: usize) -> Layout {
        assert!(len > 0);
        Layout::from_size_align(len, ALIGN).expect("buffers are small")
    }

    pub fn zeroed(len: usize) -> Buffer {
        let layout = Self::layout(len);
        // SAFETY: the layout has a size above zero.
        let bytes = unsafe { alloc_zeroed(layout) };
        let bytes = NonNull::new(bytes).unwrap_or_else(|| handle_alloc_error(layout));
        HELD.set(HELD.get() + len as u64);
        Buffer { bytes, len }
    }

    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The pointer for the translation cache.
    #[inline(always)]
    pub fn host(&self) -> NonNull<u8> {
        self.bytes
    }

    #[inline(always)]
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the invariant; nothing writes while the borrow lives, because writes through the translation
        // cache need `&mut Memory`, which owns every buffer.
        unsafe { std::slice::from_raw_parts(self.bytes.as_ptr(), self.len) }
    }

    #[inline(always)]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the invariant and the unique borrow.
        unsafe { std::slice::from_raw_parts_mut(self.bytes.as_ptr(), self.len) }
    }
}

impl Clone for Buffer {
    fn clone(&self) -> Buffer {
        let layout = Self::layout(self.len);
        // SAFETY: the layout has a size above zero; the copy initialises all of it.
        let bytes = unsafe {
            let bytes = alloc(layout);
            if bytes.is_null() {
                handle_alloc_error(layout);
            }
            std::ptr::copy_nonoverlapping(self.bytes.as_ptr(), bytes, self.len);
            NonNull::new_unchecked(bytes)
        };
        HELD.set(HELD.get() + self.len as u64);
        Buffer {
            bytes,
            len: self.len,
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let _ = HELD.try_with(|held| held.set(held.get() - self.len as u64));
        // SAFETY: allocated with this layout, and dropped once.
        unsafe { dealloc(self.bytes.as_ptr(), Self::layout(self.len)) }
    }
}
