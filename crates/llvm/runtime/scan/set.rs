//! Sets of characters, as the text between brackets.

use super::character;
use core::ffi::c_int;

/// The end of a set that starts at `set`: its bracket, or the end of the format.
pub unsafe fn end_of_set(set: *const u8) -> *const u8 {
    let mut at = set;
    if *at == b'^' {
        at = at.add(1);
    }
    if *at == b']' {
        at = at.add(1);
    }
    while *at != 0 && *at != b']' {
        at = at.add(1);
    }
    at
}

/// Whether a set has a character: one comparison for each of its parts, and no branch that depends on it.
pub unsafe fn is_member(set: *const u8, end: *const u8, c: c_int, is_wide: bool) -> bool {
    let mut at = set;
    let complement = *at == b'^';
    if complement {
        at = at.add(1);
    }
    let mut found = false;
    while at != end {
        let (low, len) = character(at, is_wide);
        at = at.add(len);
        // A dash that something follows.
        let has_range = end as usize - at as usize > 1 && *at == b'-';
        let (high, high_len) = character(at.add(has_range as usize), is_wide);
        if has_range && high >= low {
            found |= (c >= low) & (c <= high);
            at = at.add(1 + high_len);
        } else {
            found |= c == low;
        }
    }
    found != complement
}
