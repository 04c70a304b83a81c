//! `iconv` between the encodings that programs convert between: ASCII,
//! ISO-8859-1, and UTF-8, UTF-16 and UTF-32 in either byte order.

use crate::ctype;
use crate::errno::{self, E2BIG, EBADF, EILSEQ, EINVAL};
use crate::native::{free, malloc};
use crate::string::strlen;
use crate::utf8::{is_surrogate, read_utf8, write_utf8};
use core::ffi::{CStr, c_int};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Ascii,
    Latin1,
    Utf8,
    /// Words of so many bytes. Without an order, a mark says it.
    Utf16(Order),
    Utf32(Order),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Little,
    Big,
    Marked,
}

pub struct Conversion {
    from: Encoding,
    to: Encoding,
    /// What the target lacks is left out, or written with other characters.
    ignores: bool,
    transliterates: bool,
    /// The order of the words read, and whether the mark has been written.
    read_big: bool,
    is_started: bool,
    has_mark: bool,
}

/// The encoding of a name: case does not count.
unsafe fn named(name: *const u8, len: usize) -> Option<Encoding> {
    let is = |known: &CStr| {
        let known = known.as_ptr().cast::<u8>();
        let mut index = 0;
        while index < len {
            let (a, b) = (*known.add(index), *name.add(index));
            if a == 0 || a as c_int != ctype::toupper(b as c_int) {
                return false;
            }
            index += 1;
        }
        *known.add(len) == 0
    };
    Some(if is(c"UTF-8") || is(c"UTF8") {
        Encoding::Utf8
    } else if is(c"ASCII") || is(c"US-ASCII") || is(c"ANSI_X3.4-1968") || is(c"646") {
        Encoding::Ascii
    } else if is(c"ISO-8859-1") || is(c"ISO8859-1") || is(c"ISO_8859-1") || is(c"LATIN1") {
        Encoding::Latin1
    } else if is(c"UTF-16") || is(c"UTF16") {
        Encoding::Utf16(Order::Marked)
    } else if is(c"UTF-16LE") || is(c"UTF16LE") || is(c"UCS-2LE") {
        Encoding::Utf16(Order::Little)
    } else if is(c"UTF-16BE") || is(c"UTF16BE") || is(c"UCS-2BE") {
        Encoding::Utf16(Order::Big)
    } else if is(c"UTF-32") || is(c"UTF32") {
        Encoding::Utf32(Order::Marked)
    } else if is(c"UTF-32LE") || is(c"UTF32LE") || is(c"UCS-4LE") || is(c"WCHAR_T") {
        Encoding::Utf32(Order::Little)
    } else if is(c"UTF-32BE") || is(c"UTF32BE") || is(c"UCS-4BE") || is(c"UCS-4") {
        Encoding::Utf32(Order::Big)
    } else if len == 0 {
        // The locale's.
        Encoding::Ascii
    } else {
        return None;
    })
}

/// How long a name is without what follows two slashes.
unsafe fn name_len(name: *const u8) -> usize {
    let mut len = 0;
    while *name.add(len) != 0 && !(*name.add(len) == b'/' && *name.add(len + 1) == b'/') {
        len += 1;
    }
    len
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn iconv_open(to: *const u8, from: *const u8) -> *mut Conversion {
    let (to_len, from_len) = (name_len(to), name_len(from));
    let (Some(to_encoding), Some(from_encoding)) = (named(to, to_len), named(from, from_len))
    else {
        errno::set(EINVAL);
        return usize::MAX as *mut Conversion;
    };
    let conversion = malloc(size_of::<Conversion>()).cast::<Conversion>();
    if conversion.is_null() {
        return usize::MAX as *mut Conversion;
    }
    let suffix = to.add(to_len);
    let has = |letter: u8| {
        let mut at = 0;
        while at < strlen(suffix) {
            if ctype::toupper(*suffix.add(at) as c_int) as u8 == letter
                && at > 0
                && *suffix.add(at - 1) == b'/'
            {
                return true;
            }
            at += 1;
        }
        false
    };
    conversion.write(Conversion {
        from: from_encoding,
        to: to_encoding,
        ignores: has(b'I'),
        transliterates: has(b'T'),
        read_big: false,
        is_started: false,
        has_mark: false,
    });
    conversion
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn iconv_close(conversion: *mut Conversion) -> c_int {
    if conversion as usize == usize::MAX {
        errno::set(EBADF);
        return -1;
    }
    free(conversion.cast());
    0
}

/// What is read next: a character and how many bytes it has.
enum Read {
    Character(u32, usize),
    /// A mark of byte order, which is no text.
    Mark(bool, usize),
    Incomplete,
    Invalid,
}

unsafe fn word(at: *const u8, bytes: usize, is_big: bool) -> u32 {
    let (mut value, mut index) = (0, 0);
    while index < bytes {
        let shift = if is_big { bytes - 1 - index } else { index } * 8;
        value |= (*at.add(index) as u32) << shift;
        index += 1;
    }
    value
}

impl Conversion {
    unsafe fn read(&self, at: *const u8, left: usize) -> Read {
        match self.from {
            Encoding::Ascii if *at >= 128 => Read::Invalid,
            Encoding::Ascii | Encoding::Latin1 => Read::Character(*at as u32, 1),
            Encoding::Utf8 => match read_utf8(at, left) {
                None => Read::Incomplete,
                Some(Ok((c, len))) => Read::Character(c, len),
                Some(Err(())) => Read::Invalid,
            },
            Encoding::Utf16(order) => self.read_words(at, left, 2, order),
            Encoding::Utf32(order) => self.read_words(at, left, 4, order),
        }
    }

    unsafe fn read_words(&self, at: *const u8, left: usize, bytes: usize, order: Order) -> Read {
        if left < bytes {
            return Read::Incomplete;
        }
        if order == Order::Marked && !self.is_started {
            let mark = word(at, bytes, false);
            if mark == 0xfeff {
                return Read::Mark(false, bytes);
            }
            if word(at, bytes, true) == 0xfeff {
                return Read::Mark(true, bytes);
            }
        }
        let is_big = match order {
            Order::Little => false,
            Order::Big => true,
            Order::Marked => self.read_big,
        };
        let first = word(at, bytes, is_big);
        if bytes == 4 {
            if first > 0x10ffff || is_surrogate(first) {
                return Read::Invalid;
            }
            return Read::Character(first, 4);
        }
        if !is_surrogate(first) {
            return Read::Character(first, 2);
        }
        if first >= 0xdc00 {
            return Read::Invalid;
        }
        if left < 4 {
            return Read::Incomplete;
        }
        let second = word(at.add(2), 2, is_big);
        if second.wrapping_sub(0xdc00) >= 0x400 {
            return Read::Invalid;
        }
        Read::Character(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00), 4)
    }

    /// The bytes of a character: `None` if the target does not have it.
    unsafe fn encode(&self, c: u32, to: *mut u8) -> Option<usize> {
        match self.to {
            Encoding::Ascii if c >= 128 => None,
            Encoding::Latin1 if c >= 256 => None,
            Encoding::Ascii | Encoding::Latin1 => {
                *to = c as u8;
                Some(1)
            }
            Encoding::Utf8 => Some(write_utf8(to, c)),
            Encoding::Utf32(order) => {
                put_word(to, c, 4, order == Order::Big);
                Some(4)
            }
            Encoding::Utf16(order) => {
                let is_big = order == Order::Big;
                if c < 0x10000 {
                    put_word(to, c, 2, is_big);
                    return Some(2);
                }
                put_word(to, 0xd800 + ((c - 0x10000) >> 10), 2, is_big);
                put_word(to.add(2), 0xdc00 + (c & 0x3ff), 2, is_big);
                Some(4)
            }
        }
    }

    fn writes_mark(&self) -> bool {
        matches!(
            self.to,
            Encoding::Utf16(Order::Marked) | Encoding::Utf32(Order::Marked)
        )
    }
}

unsafe fn put_word(to: *mut u8, value: u32, bytes: usize, is_big: bool) {
    let mut index = 0;
    while index < bytes {
        let shift = if is_big { bytes - 1 - index } else { index } * 8;
        *to.add(index) = (value >> shift) as u8;
        index += 1;
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn iconv(
    conversion: *mut Conversion,
    from: *mut *mut u8,
    from_left: *mut usize,
    to: *mut *mut u8,
    to_left: *mut usize,
) -> usize {
    if from.is_null() || (*from).is_null() {
        (*conversion).is_started = false;
        (*conversion).has_mark = false;
        (*conversion).read_big = false;
        return 0;
    }
    // What was read that is no character, and what the target lacks.
    let (mut is_skipped, mut lacks) = (false, false);
    while *from_left > 0 {
        let next = (*conversion).read(*from, *from_left);
        if *to_left == 0 && matches!(next, Read::Character(..)) {
            errno::set(E2BIG);
            return usize::MAX;
        }
        let (c, len) = match next {
            Read::Mark(is_big, len) => {
                (*conversion).read_big = is_big;
                (*conversion).is_started = true;
                *from = (*from).add(len);
                *from_left -= len;
                continue;
            }
            Read::Character(c, len) => (c, len),
            Read::Incomplete => {
                errno::set(if lacks { EILSEQ } else { EINVAL });
                return usize::MAX;
            }
            Read::Invalid if (*conversion).ignores => {
                is_skipped = true;
                let skipped = match (*conversion).from {
                    Encoding::Utf16(_) => 2,
                    Encoding::Utf32(_) => 4,
                    _ => 1,
                };
                *from = (*from).add(skipped);
                *from_left -= skipped;
                continue;
            }
            Read::Invalid => {
                errno::set(EILSEQ);
                return usize::MAX;
            }
        };
        (*conversion).is_started = true;
        let mut bytes = [0u8; 8];
        let start = (&raw mut bytes).cast::<u8>();
        if (*conversion).writes_mark() && !(*conversion).has_mark {
            // The mark is written as soon as it fits.
            let size = (*conversion).encode(0xfeff, start).unwrap_or_default();
            if size > *to_left {
                errno::set(E2BIG);
                return usize::MAX;
            }
            crate::native::memcpy((*to).cast(), start.cast(), size);
            *to = (*to).add(size);
            *to_left -= size;
            (*conversion).has_mark = true;
        }
        let mut size = 0;
        match (*conversion).encode(c, start) {
            Some(len) => size = len,
            None if (*conversion).transliterates => crate::native::__refrain_unsupported(
                c"iconv that writes a character with others (//TRANSLIT)".as_ptr(),
            ),
            None if (*conversion).ignores => lacks = true,
            None => {
                errno::set(EILSEQ);
                return usize::MAX;
            }
        }
        if size > *to_left {
            errno::set(E2BIG);
            return usize::MAX;
        }
        crate::native::memcpy((*to).cast(), start.cast(), size);
        *to = (*to).add(size);
        *to_left -= size;
        *from = (*from).add(len);
        *from_left -= len;
    }
    if is_skipped || lacks {
        errno::set(EILSEQ);
        return usize::MAX;
    }
    0
}
