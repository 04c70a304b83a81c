//! The address space: slots, places in them, and the addresses of functions.
//!
//! An object has a slot, or several, of its own: the slot of an address names the object that a pointer was made
//! from, even when it has left it. Places are a function of the slot alone, so that runs repeat exactly.

pub(super) const SLOT_BITS: u32 = 24;
pub(super) const SLOT: u64 = 1 << SLOT_BITS;

/// The end of user space on the machines that programs expect.
const END: u64 = 1 << 47;
/// Functions lie in the uppermost 64 GiB, 16 bytes apart: room for every 32-bit index.
const FUNCTIONS: u64 = END - (1 << 36);
const FUNCTION_STRIDE: u64 = 16;

/// Objects end before functions begin.
pub(super) const OBJECTS_END: u64 = FUNCTIONS;

/// Slots from here on are not for objects.
pub(super) const SLOT_LIMIT: u32 = (FUNCTIONS >> SLOT_BITS) as u32;

pub(super) const MAX_ALIGN: u64 = 1 << 20;

/// Objects up to this size are scattered in their page; larger ones start at a page.
const SMALL: u64 = 2048;
const PAGE: u64 = super::tlb::PAGE;

/// The index of the function that would have this address, and whether it is where the function begins.
pub(super) fn function_index(address: u64) -> Option<(u32, bool)> {
    if !(FUNCTIONS..END).contains(&address) {
        return None;
    }
    let offset = address - FUNCTIONS;
    let index = (offset / FUNCTION_STRIDE) as u32;
    Some((index, offset.is_multiple_of(FUNCTION_STRIDE)))
}

pub(super) fn function_address(index: u32) -> u64 {
    FUNCTIONS + index as u64 * FUNCTION_STRIDE
}

/// Whether an address is where functions live.
pub(super) fn is_code(address: u64) -> bool {
    (FUNCTIONS..END).contains(&address)
}

/// Where in its first slot an object starts. `align` is a power of two.
#[inline]
pub(super) fn place(id: u32, size: u64, align: u64) -> u32 {
    if size > SMALL || align > PAGE {
        return align.max(PAGE) as u32;
    }
    // The first page stays empty, so that slightly negative offsets stay in the slot.
    let step = align.max(16);
    let places = (PAGE - size.max(1)) / step + 1;
    // Fibonacci hashing: neighbours in the table are far apart in the page.
    let hash = (id as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    (PAGE + ((hash * places) >> 32) * step) as u32
}

/// How many slots an object needs. A page behind its end is its own too: pointers past the end belong to it.
pub(super) fn slots(place: u32, size: u64) -> Option<u64> {
    let end = size.checked_add(place as u64 + PAGE)?;
    Some(end.div_ceil(SLOT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_objects_stay_in_a_page_and_keep_their_alignment() {
        for id in 1..2000 {
            for size in [0, 1, 7, 8, 16, 17, 100, 2047, 2048] {
                for align in [1, 8, 16, 64, 1024, 4096] {
                    let place = place(id, size, align) as u64;
                    assert!(place.is_multiple_of(align.max(16)));
                    assert_eq!(place / PAGE, (place + size.max(1) - 1) / PAGE);
                    assert!(place >= PAGE);
                }
            }
        }
    }

    #[test]
    fn places_differ() {
        let places: std::collections::HashSet<u32> = (1..100).map(|id| place(id, 8, 8)).collect();
        assert!(places.len() > 70);
    }
}
