//! The allocator of the whole process. A run with many pending states allocates and frees millions of small objects of
//! all sizes, for which the C library's searches its lists: that was most of the time of such a run.

use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Gives free memory back to the system.
pub fn give_back() {
    // SAFETY: it may be called at any time, by any thread.
    unsafe { libmimalloc_sys::mi_collect(true) };
}
