//! `fnmatch`, with GNU's extensions: a character is a byte.

use crate::ctype;
use crate::native::{free, malloc, memcpy};
use crate::regex::class_contains;
use crate::string::strlen;
use core::ffi::c_int;

const PATHNAME: c_int = 1;
const NOESCAPE: c_int = 2;
const PERIOD: c_int = 4;
const LEADING_DIR: c_int = 8;
const CASEFOLD: c_int = 16;
const EXTMATCH: c_int = 32;

/// Some bytes: pattern or text.
#[derive(Clone, Copy)]
struct Bytes {
    at: *const u8,
    end: *const u8,
}

impl Bytes {
    fn is_empty(self) -> bool {
        self.at == self.end
    }

    /// The first byte, or 0 behind the last.
    unsafe fn first(self) -> u8 {
        if self.is_empty() { 0 } else { *self.at }
    }

    unsafe fn skip(self, count: usize) -> Bytes {
        Bytes {
            at: self.at.add(count),
            ..self
        }
    }

    unsafe fn until(self, end: *const u8) -> Bytes {
        Bytes { end, ..self }
    }
}

unsafe fn folded(byte: u8, flags: c_int) -> u8 {
    if flags & CASEFOLD != 0 {
        ctype::tolower(byte as c_int) as u8
    } else {
        byte
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn fnmatch(pattern: *const u8, text: *const u8, flags: c_int) -> c_int {
    let whole = |bytes: *const u8| Bytes {
        at: bytes,
        end: bytes.add(strlen(bytes)),
    };
    !matches(whole(pattern), whole(text), flags & PERIOD != 0, flags) as c_int
}

/// Whether a name in a directory is of a pattern of so many bytes.
pub unsafe fn matches_name(
    pattern: *const u8,
    len: usize,
    name: *const u8,
    escapes: bool,
    hides: bool,
) -> bool {
    let pattern = Bytes {
        at: pattern,
        end: pattern.add(len),
    };
    let name = Bytes {
        at: name,
        end: name.add(strlen(name)),
    };
    let mut flags = if escapes { 0 } else { NOESCAPE };
    if hides {
        flags |= PERIOD;
    }
    matches(pattern, name, hides, flags)
}

/// Whether all of a text is of a pattern. A period at its start is to be matched by one if `is_hidden`.
unsafe fn matches(pattern: Bytes, text: Bytes, is_hidden: bool, flags: c_int) -> bool {
    let (mut p, mut n, mut is_hidden) = (pattern, text, is_hidden);
    while !p.is_empty() {
        let c = p.first();
        let next = p.skip(1);
        let period = is_hidden && n.first() == b'.' && !n.is_empty();
        let slash = flags & PATHNAME != 0 && n.first() == b'/' && !n.is_empty();
        let is_extended = flags & EXTMATCH != 0
            && next.first() == b'('
            && matches!(c, b'?' | b'*' | b'+' | b'@' | b'!');
        if is_extended && let Some(close) = closing(next, flags) {
            return extended(p, close, n, is_hidden, flags);
        }
        let mut starts_name = false;
        match c {
            b'?' => {
                if n.is_empty() || slash || period {
                    return false;
                }
                p = next;
            }
            b'*' => {
                if period {
                    return false;
                }
                return star(next, n, is_hidden, flags);
            }
            b'[' => {
                if n.is_empty() || period || slash {
                    return false;
                }
                match bracket(next, n.first(), flags) {
                    Some((true, rest)) => p = rest,
                    Some((false, _)) => return false,
                    // Without its end, the bracket is one.
                    None => {
                        if n.first() != b'[' {
                            return false;
                        }
                        p = next;
                    }
                }
            }
            _ => {
                let mut wanted = c;
                p = next;
                if c == b'\\' && flags & NOESCAPE == 0 {
                    if p.is_empty() {
                        return false;
                    }
                    wanted = p.first();
                    p = p.skip(1);
                } else if c == b'/' {
                    starts_name = flags & PATHNAME != 0 && flags & PERIOD != 0;
                }
                if n.is_empty() || folded(n.first(), flags) != folded(wanted, flags) {
                    return false;
                }
            }
        }
        n = n.skip(1);
        is_hidden = starts_name;
    }
    n.is_empty() || (flags & LEADING_DIR != 0 && n.first() == b'/')
}

/// What is behind a star.
unsafe fn star(pattern: Bytes, text: Bytes, is_hidden: bool, flags: c_int) -> bool {
    let (mut p, mut n) = (pattern, text);
    let by_name = flags & PATHNAME != 0;
    // More stars are one, and each question mark takes a byte.
    while matches!(p.first(), b'*' | b'?') && !p.is_empty() {
        let opens = flags & EXTMATCH != 0 && p.skip(1).first() == b'(';
        if opens && let Some(close) = closing(p.skip(1), flags) {
            // Something optional, of which a star has all there is.
            p.at = close.add(1);
            continue;
        }
        if p.first() == b'?' {
            if n.is_empty() || (by_name && n.first() == b'/') {
                return false;
            }
            n = n.skip(1);
        }
        p = p.skip(1);
    }
    if p.is_empty() {
        if !by_name || flags & LEADING_DIR != 0 {
            return true;
        }
        while !n.is_empty() && n.first() != b'/' {
            n = n.skip(1);
        }
        return n.is_empty();
    }
    if p.first() == b'/' && by_name {
        while !n.is_empty() && n.first() != b'/' {
            n = n.skip(1);
        }
        return !n.is_empty() && matches(p.skip(1), n.skip(1), flags & PERIOD != 0, flags);
    }
    let mut is_hidden = is_hidden;
    let within = if by_name { flags } else { flags & !PERIOD };
    loop {
        if n.is_empty() {
            return false;
        }
        // The end of a name is the last place to go on.
        let is_last = by_name && n.first() == b'/';
        if is_last || matches(p, n, is_hidden, within) {
            return !is_last;
        }
        is_hidden = false;
        n = n.skip(1);
    }
}

/// Whether a byte is in a bracket, and what is behind it. `None`: it has no end.
unsafe fn bracket(pattern: Bytes, byte: u8, flags: c_int) -> Option<(bool, Bytes)> {
    let mut p = pattern;
    let negated = matches!(p.first(), b'!' | b'^') && !p.is_empty();
    if negated {
        p = p.skip(1);
    }
    let byte = folded(byte, flags);
    let (mut found, mut is_first) = (false, true);
    loop {
        if p.is_empty() {
            return None;
        }
        if p.first() == b']' && !is_first {
            return Some((found != negated, p.skip(1)));
        }
        is_first = false;
        if p.first() == b'['
            && p.skip(1).first() == b':'
            && let Some((len, rest)) = named(p.skip(2), b':')
        {
            let name = p.at.add(2);
            match class_contains(name, len, byte, flags & CASEFOLD != 0) {
                Some(is_member) => found |= is_member,
                None => return Some((false, rest)),
            }
            p = rest;
            continue;
        }
        let (low, rest) = member(p, flags)?;
        p = rest;
        let is_range = p.first() == b'-' && !p.skip(1).is_empty() && p.skip(1).first() != b']';
        if !is_range {
            found |= folded(low, flags) == byte;
            continue;
        }
        let (high, rest) = member(p.skip(1), flags)?;
        p = rest;
        found |= folded(low, flags) <= byte && byte <= folded(high, flags);
    }
}

/// A byte in a bracket, perhaps by its name.
unsafe fn member(pattern: Bytes, flags: c_int) -> Option<(u8, Bytes)> {
    let mut p = pattern;
    if p.first() == b'\\' && flags & NOESCAPE == 0 {
        p = p.skip(1);
        if p.is_empty() {
            return None;
        }
        return Some((p.first(), p.skip(1)));
    }
    let kind = p.skip(1).first();
    if p.first() == b'[' && (kind == b'.' || kind == b'=') {
        let (len, rest) = named(p.skip(2), kind)?;
        return (len == 1).then(|| (*p.at.add(2), rest));
    }
    if p.is_empty() {
        return None;
    }
    Some((p.first(), p.skip(1)))
}

/// How long a name is before its end, such as `:]`, and what is behind that.
unsafe fn named(pattern: Bytes, kind: u8) -> Option<(usize, Bytes)> {
    let (mut p, mut len) = (pattern, 0);
    while !p.is_empty() {
        if p.first() == kind && p.skip(1).first() == b']' {
            return Some((len, p.skip(2)));
        }
        p = p.skip(1);
        len += 1;
    }
    None
}

// Extended patterns.

/// The parenthesis that closes the one a pattern starts with.
unsafe fn closing(pattern: Bytes, flags: c_int) -> Option<*const u8> {
    let (mut p, mut depth) = (pattern, 0);
    while !p.is_empty() {
        match p.first() {
            b'\\' if flags & NOESCAPE == 0 => {
                p = p.skip(1);
                if p.is_empty() {
                    return None;
                }
            }
            b'[' => {
                if let Some((_, rest)) = bracket(p.skip(1), 0, flags) {
                    p = rest;
                    continue;
                }
            }
            b'(' if depth == 0 => depth = 1,
            b'?' | b'*' | b'+' | b'@' | b'!' if p.skip(1).first() == b'(' => {
                depth += 1;
                p = p.skip(1);
            }
            b')' => {
                depth -= 1;
                if depth == 0 {
                    return Some(p.at);
                }
            }
            _ => {}
        }
        p = p.skip(1);
    }
    None
}

/// The end of the alternative that starts here: a bar, or the parenthesis.
unsafe fn alternative(pattern: Bytes, flags: c_int) -> *const u8 {
    let (mut p, mut depth) = (pattern, 0);
    while !p.is_empty() {
        match p.first() {
            b'\\' if flags & NOESCAPE == 0 && !p.skip(1).is_empty() => p = p.skip(1),
            b'[' => {
                if let Some((_, rest)) = bracket(p.skip(1), 0, flags) {
                    p = rest;
                    continue;
                }
            }
            b'?' | b'*' | b'+' | b'@' | b'!' if p.skip(1).first() == b'(' => {
                depth += 1;
                p = p.skip(1);
            }
            b')' => depth -= 1,
            b'|' if depth == 0 => break,
            _ => {}
        }
        p = p.skip(1);
    }
    p.at
}

/// An operator with alternatives in parentheses, and what follows them.
unsafe fn extended(
    pattern: Bytes,
    close: *const u8,
    text: Bytes,
    is_hidden: bool,
    flags: c_int,
) -> bool {
    let operator = pattern.first();
    let rest = Bytes {
        at: close.add(1),
        end: pattern.end,
    };
    let within = if flags & PATHNAME != 0 {
        flags
    } else {
        flags & !PERIOD
    };
    if matches!(operator, b'*' | b'?') && matches(rest, text, is_hidden, flags) {
        return true;
    }
    let mut taken = text.at;
    loop {
        let mut is_matched = false;
        let mut at = Bytes {
            at: pattern.at.add(2),
            end: close,
        };
        loop {
            let end = alternative(at, flags);
            if matches!(operator, b'?' | b'@') {
                if joined(at.until(end), rest, text, is_hidden, flags) {
                    return true;
                }
            } else {
                let part = text.until(taken);
                let here = matches(at.until(end), part, is_hidden, within);
                is_matched |= here;
                if here && operator != b'!' {
                    let hidden = if taken == text.at {
                        is_hidden
                    } else {
                        *taken.sub(1) == b'/' && flags & (PATHNAME | PERIOD) == PATHNAME | PERIOD
                    };
                    let left = Bytes {
                        at: taken,
                        end: text.end,
                    };
                    let again = taken != text.at && matches(pattern, left, hidden, within);
                    if again || matches(rest, left, hidden, within) {
                        return true;
                    }
                }
            }
            if end == close {
                break;
            }
            at.at = end.add(1);
        }
        if matches!(operator, b'?' | b'@') {
            return false;
        }
        if operator == b'!' && !is_matched {
            let left = Bytes {
                at: taken,
                end: text.end,
            };
            let hidden = if taken == text.at {
                is_hidden
            } else {
                *taken.sub(1) == b'/' && flags & (PATHNAME | PERIOD) == PATHNAME | PERIOD
            };
            if matches(rest, left, hidden, within) {
                return true;
            }
        }
        if taken == text.end {
            return false;
        }
        taken = taken.add(1);
    }
}

/// Whether a text is of two patterns, one behind the other.
unsafe fn joined(one: Bytes, other: Bytes, text: Bytes, is_hidden: bool, flags: c_int) -> bool {
    let first = one.end as usize - one.at as usize;
    let second = other.end as usize - other.at as usize;
    let both = malloc(first + second + 1).cast::<u8>();
    if both.is_null() {
        return false;
    }
    memcpy(both.cast(), one.at.cast(), first);
    memcpy(both.add(first).cast(), other.at.cast(), second);
    let whole = Bytes {
        at: both,
        end: both.add(first + second),
    };
    let within = if flags & PATHNAME != 0 {
        flags
    } else {
        flags & !PERIOD
    };
    let found = matches(whole, text, is_hidden, within);
    free(both.cast());
    found
}
