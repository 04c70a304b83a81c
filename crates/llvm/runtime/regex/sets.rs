//! Sets of bytes.

use crate::ctype;
use crate::string::strncmp;
use core::ffi::{CStr, c_int};

#[derive(Clone, Copy)]
pub struct Set([u64; 4]);

pub fn upper(byte: u8) -> u8 {
    byte - if byte.wrapping_sub(b'a') < 26 { 32 } else { 0 }
}

impl Set {
    pub const EMPTY: Set = Set([0; 4]);
    pub const FULL: Set = Set([u64::MAX; 4]);
    /// Letters, digits and the underscore.
    pub const WORD: Set = Set([0x3ff << 48, 0x7ff_fffe_87ff_fffe, 0, 0]);
    pub const SPACE: Set = Set([1 << 32 | 0x3e00, 0, 0, 0]);

    #[inline(always)]
    unsafe fn word(&mut self, byte: u8) -> *mut u64 {
        (&raw mut self.0).cast::<u64>().add(byte as usize >> 6)
    }

    #[inline(never)]
    pub unsafe fn insert(&mut self, byte: u8) {
        *self.word(byte) |= 1 << (byte & 63);
    }

    pub unsafe fn remove(&mut self, byte: u8) {
        *self.word(byte) &= !(1 << (byte & 63));
    }

    #[inline(always)]
    pub unsafe fn contains(&self, byte: u8) -> bool {
        *(&raw const self.0).cast::<u64>().add(byte as usize >> 6) >> (byte & 63) & 1 != 0
    }

    pub unsafe fn insert_range(&mut self, low: u8, high: u8) {
        let mut byte = low as u32;
        while byte <= high as u32 {
            self.insert(byte as u8);
            byte += 1;
        }
    }

    pub fn union(&mut self, other: Set) {
        self.0[0] |= other.0[0];
        self.0[1] |= other.0[1];
        self.0[2] |= other.0[2];
        self.0[3] |= other.0[3];
    }

    pub fn complement_if(self, negated: bool) -> Set {
        if negated {
            Set([!self.0[0], !self.0[1], !self.0[2], !self.0[3]])
        } else {
            self
        }
    }

    /// The bytes that a table takes to bytes of this set.
    pub unsafe fn before(&self, table: impl Fn(u8) -> u8) -> Set {
        let mut set = Set::EMPTY;
        let mut byte = 0;
        while byte < 256 {
            if self.contains(table(byte as u8)) {
                set.insert(byte as u8);
            }
            byte += 1;
        }
        set
    }
}

#[inline(never)]
unsafe fn members(is_member: fn(c_int) -> bool) -> Set {
    let mut set = Set::EMPTY;
    let mut byte = 0;
    while byte < 256 {
        if is_member(byte) {
            set.insert(byte as u8);
        }
        byte += 1;
    }
    set
}

/// The set of a name such as `alpha`. Without case there is no upper and no lower.
pub unsafe fn class_named(name: *const u8, len: usize, ignores_case: bool) -> Option<Set> {
    let is = |known: &CStr| {
        // The name has no end of its own.
        let known = known.as_ptr().cast::<u8>();
        strncmp(known, name, len) == 0 && *known.add(len) == 0
    };
    let is_member: fn(c_int) -> bool = if is(c"alpha") {
        ctype::alpha
    } else if is(c"digit") {
        ctype::digit
    } else if is(c"alnum") {
        ctype::alnum
    } else if is(c"upper") || is(c"lower") {
        if ignores_case {
            ctype::alpha
        } else if is(c"upper") {
            ctype::upper
        } else {
            ctype::lower
        }
    } else if is(c"space") {
        ctype::space
    } else if is(c"blank") {
        ctype::blank
    } else if is(c"punct") {
        ctype::punct
    } else if is(c"print") {
        ctype::print
    } else if is(c"graph") {
        ctype::graph
    } else if is(c"cntrl") {
        ctype::cntrl
    } else if is(c"xdigit") {
        ctype::xdigit
    } else {
        return None;
    };
    Some(members(is_member))
}
