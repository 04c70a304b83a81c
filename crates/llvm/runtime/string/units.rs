//! What strings of bytes and strings of wide characters have in common: loops with one branch a character.

use core::ffi::c_int;
use core::ptr::null_mut;

/// A character of a string. (`PartialEq` compares references, which leaves its traces in the bitcode.)
pub trait Unit: Copy {
    /// What ends a string.
    const END: Self;

    fn is(self, other: Self) -> bool;
}

impl Unit for u8 {
    const END: u8 = 0;

    #[inline(always)]
    fn is(self, other: u8) -> bool {
        self == other
    }
}

impl Unit for c_int {
    const END: c_int = 0;

    #[inline(always)]
    fn is(self, other: c_int) -> bool {
        self == other
    }
}

#[inline(always)]
pub unsafe fn length<T: Unit>(s: *const T) -> usize {
    let mut n = 0;
    while !(*s.add(n)).is(T::END) {
        n += 1;
    }
    n
}

#[inline(always)]
pub unsafe fn bounded_length<T: Unit>(s: *const T, max: usize) -> usize {
    let mut n = 0;
    while n < max && !(*s.add(n)).is(T::END) {
        n += 1;
    }
    n
}

/// Copies a string; where the copy ends.
#[inline(always)]
pub unsafe fn copy<T: Unit>(to: *mut T, from: *const T) -> *mut T {
    let mut i = 0;
    loop {
        let c = *from.add(i);
        *to.add(i) = c;
        if c.is(T::END) {
            return to.add(i);
        }
        i += 1;
    }
}

/// Copies at most `max` characters without what ends them; where they end.
#[inline(always)]
unsafe fn copy_some<T: Unit>(to: *mut T, from: *const T, max: usize) -> usize {
    let mut i = 0;
    while i < max {
        let c = *from.add(i);
        if c.is(T::END) {
            break;
        }
        *to.add(i) = c;
        i += 1;
    }
    i
}

/// Writes exactly `max` characters: of the string, and zeros behind it; where these start.
#[inline(always)]
pub unsafe fn copy_padded<T: Unit>(to: *mut T, from: *const T, max: usize) -> *mut T {
    let mut i = copy_some(to, from, max);
    let end = to.add(i);
    while i < max {
        *to.add(i) = T::END;
        i += 1;
    }
    end
}

/// Appends at most `max` characters, and an end.
#[inline(always)]
pub unsafe fn append<T: Unit>(to: *mut T, from: *const T, max: usize) {
    let end = to.add(length(to));
    let len = copy_some(end, from, max);
    *end.add(len) = T::END;
}

/// Copies as much of a string as there is room for; its length.
#[inline(always)]
pub unsafe fn transform<T: Unit>(to: *mut T, from: *const T, room: usize) -> usize {
    let len = length(from);
    copy_padded(to, from, if len < room { len + 1 } else { room });
    len
}

/// The first two characters that differ within `max`, after `fold`; nothing if the strings are equal.
#[inline(always)]
pub unsafe fn difference<T: Unit>(
    a: *const T,
    b: *const T,
    max: usize,
    fold: impl Fn(T) -> T,
) -> Option<(T, T)> {
    let mut i = 0;
    while i < max {
        let (x, y) = (fold(*a.add(i)), fold(*b.add(i)));
        if !x.is(y) {
            return Some((x, y));
        }
        if x.is(T::END) {
            break;
        }
        i += 1;
    }
    None
}

/// The first two of `len` characters that differ.
#[inline(always)]
pub unsafe fn array_difference<T: Unit>(a: *const T, b: *const T, len: usize) -> Option<(T, T)> {
    let mut i = 0;
    while i < len {
        let (x, y) = (*a.add(i), *b.add(i));
        if !x.is(y) {
            return Some((x, y));
        }
        i += 1;
    }
    None
}

/// Where the string has the character, which may be its end.
#[inline(always)]
pub unsafe fn find<T: Unit>(s: *const T, wanted: T) -> *mut T {
    let mut i = 0;
    loop {
        let c = *s.add(i);
        if c.is(wanted) {
            return s.add(i).cast_mut();
        }
        if c.is(T::END) {
            return null_mut();
        }
        i += 1;
    }
}

/// Where the string has the character, or ends.
#[inline(always)]
pub unsafe fn find_or_end<T: Unit>(s: *const T, wanted: T) -> *mut T {
    let mut i = 0;
    while !((*s.add(i)).is(wanted) || (*s.add(i)).is(T::END)) {
        i += 1;
    }
    s.add(i).cast_mut()
}

/// Where the string has the character last.
#[inline(always)]
pub unsafe fn find_last<T: Unit>(s: *const T, wanted: T) -> *mut T {
    let mut i = length(s) + 1;
    while i > 0 {
        i -= 1;
        if (*s.add(i)).is(wanted) {
            return s.add(i).cast_mut();
        }
    }
    null_mut()
}

/// Where `len` characters have the one that is wanted.
#[inline(always)]
pub unsafe fn find_in_array<T: Unit>(s: *const T, wanted: T, len: usize) -> *mut T {
    let mut i = 0;
    while i < len {
        if (*s.add(i)).is(wanted) {
            return s.add(i).cast_mut();
        }
        i += 1;
    }
    null_mut()
}

/// Whether `s` begins with `prefix`.
unsafe fn starts_with<T: Unit>(s: *const T, prefix: *const T) -> bool {
    let mut i = 0;
    loop {
        let c = *prefix.add(i);
        if c.is(T::END) {
            return true;
        }
        // A shorter `s` ends here too: its terminator is not `c`.
        if !(*s.add(i)).is(c) {
            return false;
        }
        i += 1;
    }
}

#[inline(always)]
pub unsafe fn find_string<T: Unit>(s: *const T, wanted: *const T) -> *mut T {
    let mut at = s;
    loop {
        if starts_with(at, wanted) {
            return at.cast_mut();
        }
        if (*at).is(T::END) {
            return null_mut();
        }
        at = at.add(1);
    }
}

/// Whether `c`, not the terminator, is one of `set`.
unsafe fn is_in<T: Unit>(c: T, set: *const T) -> bool {
    let mut i = 0;
    loop {
        let member = *set.add(i);
        if member.is(T::END) {
            return false;
        }
        if member.is(c) {
            return true;
        }
        i += 1;
    }
}

/// How many characters at the start are in the set (or, if not `inside`, are not).
#[inline(always)]
pub unsafe fn span<T: Unit>(s: *const T, set: *const T, inside: bool) -> usize {
    let mut n = 0;
    loop {
        let c = *s.add(n);
        if c.is(T::END) {
            return n;
        }
        if is_in(c, set) != inside {
            return n;
        }
        n += 1;
    }
}

/// The first character of the string that is in the set.
#[inline(always)]
pub unsafe fn find_member<T: Unit>(s: *const T, set: *const T) -> *mut T {
    let at = s.add(span(s, set, false));
    if (*at).is(T::END) {
        null_mut()
    } else {
        at.cast_mut()
    }
}
