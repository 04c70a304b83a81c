//! The translation cache: from an address straight to the host byte. Unsafe code of this folder is here, in `buffer`,
//! and in `access`, which fills the cache.
//!
//! Two direct-mapped arrays, for reads and for writes, at a granularity of 4096 bytes. An entry says: the addresses
//! from `start` on, so many of them, lie at `host`. The range is inside one page of addresses, so that an address can
//! only be found at the entry that its page selects. One subtraction and one comparison against the bound for the
//! width of the access decide tag, lower and upper end at once.
//!
//! Invariant. For each entry with a bound above zero, all of its range
//! * lies in the bytes of a buffer (or, for reads, of the zero page) that the owner of this cache keeps alive and in
//!   place,
//! * holds concrete, initialised bytes of one live object,
//! * and, in the write array: the buffer is reachable from this memory alone (every `Rc` on the way has one owner),
//!   the object may be written and has no cached image.
//!
//! Whoever ends one of these conditions flushes the entries first: free, release, copy-on-write (the bytes move),
//! a page of zeros becoming real, bytes becoming symbolic or uninitialised, read-only, an image being cached, fork
//! (writes only: what is shared stays in place until its owner copies it).

use std::ptr::NonNull;

pub(super) const PAGE_BITS: u32 = 12;
pub(super) const PAGE: u64 = 1 << PAGE_BITS;
const ENTRIES: usize = 256;

#[derive(Clone, Copy)]
#[repr(C)]
struct Entry {
    start: u64,
    host: *mut u8,
    /// Offsets from `start` below `bounds[k]` are in range for an access of `1 << k` bytes.
    bounds: [u16; 4],
}

const NOTHING: Entry = Entry {
    start: 0,
    host: std::ptr::null_mut(),
    bounds: [0; 4],
};

struct Arrays {
    read: [Entry; ENTRIES],
    write: [Entry; ENTRIES],
}

/// What a memory without a cache of its own looks into; nothing is ever found or written there.
struct Empty(Arrays);
// SAFETY: never written, and its pointers are null.
unsafe impl Sync for Empty {}
static EMPTY: Empty = Empty(Arrays {
    read: [NOTHING; ENTRIES],
    write: [NOTHING; ENTRIES],
});

#[repr(align(4096))]
struct ZeroPage([u8; PAGE as usize]);
static ZEROS: ZeroPage = ZeroPage([0; PAGE as usize]);

/// The host page behind memory that was never written. For reads alone.
pub(super) fn zero_page() -> NonNull<u8> {
    NonNull::from(&ZEROS.0).cast()
}

/// A state that waits in a queue must not cost 12 KiB: the arrays are made by the first entry.
pub(super) struct Tlb {
    arrays: NonNull<Arrays>,
    owned: bool,
}

#[inline(always)]
fn index(address: u64) -> usize {
    // Small objects lie in the same page of their slots: consecutive slots must differ, and so must consecutive
    // pages of larger objects, also from those of the next slots. Nine is one instruction.
    let slot = address >> super::space::SLOT_BITS;
    let mixed = (address >> PAGE_BITS).wrapping_add(slot.wrapping_mul(9));
    (mixed & (ENTRIES as u64 - 1)) as usize
}

#[inline(always)]
fn find<const LOG: usize>(entries: &[Entry; ENTRIES], address: u64) -> Option<*mut u8> {
    let entry = &entries[index(address)];
    let offset = address.wrapping_sub(entry.start);
    if offset < entry.bounds[LOG] as u64 {
        Some(entry.host.wrapping_add(offset as usize))
    } else {
        None
    }
}

macro_rules! accesses {
    ($read:ident, $write:ident, $type:ty, $log:literal) => {
        #[inline(always)]
        pub fn $read(&self, address: u64) -> Option<u64> {
            let host = find::<$log>(&self.arrays().read, address)?;
            // SAFETY: the invariant: the bytes are alive, and nobody borrows them mutably during `&self`.
            Some(unsafe { host.cast::<$type>().read_unaligned() } as u64)
        }

        #[inline(always)]
        pub fn $write(&mut self, address: u64, value: u64) -> bool {
            match find::<$log>(&self.arrays().write, address) {
                Some(host) => {
                    // SAFETY: the invariant: the bytes are alive and this memory's alone.
                    unsafe { host.cast::<$type>().write_unaligned(value as $type) };
                    true
                }
                None => false,
            }
        }
    };
}

impl Tlb {
    pub fn new() -> Tlb {
        Tlb {
            arrays: NonNull::from(&EMPTY.0),
            owned: false,
        }
    }

    #[inline(always)]
    fn arrays(&self) -> &Arrays {
        // SAFETY: points to the static or to the arrays that this cache owns.
        unsafe { self.arrays.as_ref() }
    }

    #[inline]
    fn arrays_mut(&mut self) -> &mut Arrays {
        if !self.owned {
            self.own();
        }
        // SAFETY: owned now, borrowed uniquely.
        unsafe { self.arrays.as_mut() }
    }

    #[cold]
    #[inline(never)]
    fn own(&mut self) {
        let arrays = Box::new(Arrays {
            read: [NOTHING; ENTRIES],
            write: [NOTHING; ENTRIES],
        });
        self.arrays = NonNull::from(Box::leak(arrays));
        self.owned = true;
    }

    accesses!(read8, write8, u8, 0);
    accesses!(read16, write16, u16, 1);
    accesses!(read32, write32, u32, 2);
    accesses!(read64, write64, u64, 3);

    fn entry(start: u64, host: NonNull<u8>, len: u64) -> Entry {
        debug_assert!(len > 0 && (start & (PAGE - 1)) + len <= PAGE);
        let bound = |bytes: u64| (len + 1).saturating_sub(bytes) as u16;
        Entry {
            start,
            host: host.as_ptr(),
            bounds: [bound(1), bound(2), bound(4), bound(8)],
        }
    }

    /// # Safety
    /// The caller vouches for the invariant of this file for reads of `len` bytes from `start`.
    #[inline]
    pub unsafe fn map_read(&mut self, start: u64, host: NonNull<u8>, len: u64) {
        self.arrays_mut().read[index(start)] = Self::entry(start, host, len);
    }

    /// For reads and writes.
    ///
    /// # Safety
    /// The caller vouches for the invariant of this file for reads and writes of `len` bytes from `start`.
    #[inline]
    pub unsafe fn map_write(&mut self, start: u64, host: NonNull<u8>, len: u64) {
        let entry = Self::entry(start, host, len);
        let index = index(start);
        let arrays = self.arrays_mut();
        arrays.read[index] = entry;
        arrays.write[index] = entry;
    }

    /// Forgets what is known of so many bytes from `start`; of writes alone, or of reads too.
    #[inline]
    pub fn flush(&mut self, start: u64, len: u64, reads: bool) {
        if len == 0 || !self.owned {
            return;
        }
        let (first, last) = (start >> PAGE_BITS, (start + len - 1) >> PAGE_BITS);
        let arrays = self.arrays_mut();
        let forget = |entry: &mut Entry| {
            if (first..=last).contains(&(entry.start >> PAGE_BITS)) {
                entry.bounds = [0; 4];
            }
        };
        if last - first < 64 {
            for page in first..=last {
                let index = index(page << PAGE_BITS);
                forget(&mut arrays.write[index]);
                if reads {
                    forget(&mut arrays.read[index]);
                }
            }
        } else {
            arrays.write.iter_mut().for_each(forget);
            if reads {
                arrays.read.iter_mut().for_each(forget);
            }
        }
    }

    pub fn flush_writes(&mut self) {
        if self.owned {
            for entry in &mut self.arrays_mut().write {
                entry.bounds = [0; 4];
            }
        }
    }

    /// Forgets everything and gives the arrays back.
    pub fn drop_arrays(&mut self) {
        if std::mem::take(&mut self.owned) {
            // SAFETY: owned arrays come from a box.
            drop(unsafe { Box::from_raw(self.arrays.as_ptr()) });
            self.arrays = NonNull::from(&EMPTY.0);
        }
    }
}

impl Drop for Tlb {
    fn drop(&mut self) {
        self.drop_arrays();
    }
}
