//! Formatted input, over a string or a stream, and the result of formatted output.
//!
//! The wide functions read wide characters by the same code; their format is text of UTF-8 to it.
//!
//! One character at a time is looked at, and at most one is given back, as C asks for.  The arguments are pointers in a
//! list whose registers are used up, so they lie one after the other in memory.

use crate::ctype;
use crate::errno::{self, EILSEQ, ENOMEM};
use crate::native::{__refrain_parse_f32, __refrain_parse_f64, free, malloc, memcpy, realloc};
use crate::stdio::{
    __refrain_stream_getc, __refrain_stream_ungetc, __refrain_stream_write, FILE, fgetwc, stdin,
    ungetwc,
};
use crate::utf8::write_utf8;
use crate::wide::iswspace;
use crate::wide_strings::wcslen;
use core::ffi::{c_char, c_int, c_void};
use core::ptr::{null, null_mut};

unsafe extern "C" {
    /// As for the other formats, but the value goes to the ten bytes at `out`.
    fn __refrain_parse_ld(text: *const c_char, len: usize, out: *mut c_void);
}

const EOF: c_int = -1;

/// The platform's `va_list`.
#[repr(C)]
pub struct List {
    gp_offset: u32,
    fp_offset: u32,
    overflow: *mut *mut c_void,
    save: *mut c_void,
}

/// Where characters come from: a string, if there is one, or a stream.
struct Input {
    string: *const u8,
    wide_string: *const c_int,
    file: *mut FILE,
    /// Characters are wide ones.
    is_wide: bool,
    /// Characters taken and not given back.
    count: usize,
}

impl Input {
    unsafe fn get(&mut self) -> c_int {
        let c = if !self.wide_string.is_null() {
            let c = *self.wide_string;
            if c == 0 {
                return EOF;
            }
            self.wide_string = self.wide_string.add(1);
            c
        } else if self.is_wide {
            fgetwc(self.file)
        } else if self.string.is_null() {
            __refrain_stream_getc(self.file)
        } else {
            let c = *self.string;
            if c == 0 {
                return EOF;
            }
            self.string = self.string.add(1);
            c as c_int
        };
        if c != EOF {
            self.count += 1;
        }
        c
    }

    unsafe fn unget(&mut self, c: c_int) {
        if c == EOF {
            return;
        }
        self.count -= 1;
        if !self.wide_string.is_null() {
            self.wide_string = self.wide_string.sub(1);
        } else if self.is_wide {
            ungetwc(c, self.file);
        } else if self.string.is_null() {
            __refrain_stream_ungetc(c, self.file);
        } else {
            self.string = self.string.sub(1);
        }
    }

    unsafe fn is_space(&self, c: c_int) -> bool {
        if self.is_wide && c >= 128 {
            return iswspace(c as u32) != 0;
        }
        ctype::space(c)
    }

    unsafe fn skip_space(&mut self) {
        let mut c = self.get();
        while self.is_space(c) {
            c = self.get();
        }
        self.unget(c);
    }
}

/// Bytes of unknown number.
struct Bytes {
    start: *mut u8,
    len: usize,
    room: usize,
    /// The bytes are on the heap.
    owned: bool,
}

impl Bytes {
    unsafe fn push(&mut self, byte: u8) -> bool {
        if self.len == self.room {
            let room = if self.room < 32 { 64 } else { self.room * 2 };
            let start = if self.owned {
                realloc(self.start.cast(), room)
            } else {
                malloc(room)
            };
            if start.is_null() {
                errno::set(ENOMEM);
                return false;
            }
            if !self.owned && self.len > 0 {
                memcpy(start, self.start.cast(), self.len);
            }
            self.start = start.cast();
            self.room = room;
            self.owned = true;
        }
        *self.start.add(self.len) = byte;
        self.len += 1;
        true
    }

    unsafe fn drop(&mut self) {
        if self.owned {
            free(self.start.cast());
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Size {
    Char,
    Short,
    Int,
    Long,
    /// `ll` and `L`: for floats, a long double.
    LongLong,
}

/// Why a conversion came to nothing.
#[derive(Clone, Copy, PartialEq)]
enum Outcome {
    Done,
    /// There was no input, or it cannot be kept.
    InputFailure,
    /// The input is of another form.
    MatchingFailure,
}

use Outcome::{Done, InputFailure, MatchingFailure};

struct Directive {
    /// Null if the value is not to be stored.
    to: *mut c_void,
    /// The largest number of characters; none if it is not given.
    width: usize,
    has_width: bool,
    size: Size,
    allocate: bool,
    letter: u8,
    /// `0b` starts a binary number.
    binary: bool,
}

/// A budget of characters.
struct Budget(usize);

impl Budget {
    fn spend(&mut self) {
        self.0 -= 1;
    }

    fn is_spent(&self) -> bool {
        self.0 == 0
    }
}

/// So many digits of any base here are less than 2^63: until then no overflow needs testing.
const SAFE_DIGITS: usize = 15;

fn digit_value(c: c_int) -> u32 {
    if ctype::digit(c) {
        (c - 48) as u32
    } else if ctype::alpha(c) {
        ((c | 32) - 87) as u32
    } else {
        99
    }
}

impl Directive {
    fn budget(&self, default: usize) -> Budget {
        Budget(if self.has_width { self.width } else { default })
    }

    unsafe fn store_integer(&self, value: u64) {
        if self.to.is_null() {
            return;
        }
        match self.size {
            Size::Char => *self.to.cast::<u8>() = value as u8,
            Size::Short => *self.to.cast::<u16>() = value as u16,
            Size::Int => *self.to.cast::<u32>() = value as u32,
            Size::Long | Size::LongLong => *self.to.cast::<u64>() = value,
        }
    }

    unsafe fn integer(&self, input: &mut Input, mut base: u32, signed: bool) -> Outcome {
        let mut left = self.budget(usize::MAX);
        let mut c = input.get();
        if c == EOF {
            return InputFailure;
        }
        let negative = c == b'-' as c_int;
        let signed_text = negative | (c == b'+' as c_int);
        if signed_text {
            left.spend();
            c = input.get();
        }
        let mut any = false;
        if !left.is_spent() && c == b'0' as c_int {
            any = true;
            left.spend();
            c = input.get();
            if !left.is_spent() && c | 32 == b'x' as c_int && (base == 0 || base == 16) {
                base = 16;
                left.spend();
                c = input.get();
            } else if !left.is_spent() && c | 32 == b'b' as c_int && base == 0 && self.binary {
                base = 2;
                left.spend();
                c = input.get();
            } else if base == 0 {
                base = 8;
            }
        }
        if base == 0 {
            base = 10;
        }
        let base = base as u64;
        let mut value = 0u64;
        let mut digits = 0;
        let mut overflow = false;
        while c != EOF && !left.is_spent() {
            let digit = digit_value(c) as u64;
            if digit >= base {
                break;
            }
            any = true;
            if digits >= SAFE_DIGITS {
                // In two halves, the upper of which shows what does not fit.
                let low = (value & 0xffff_ffff) * base + digit;
                let high = (value >> 32) * base + (low >> 32);
                overflow |= high >> 32 != 0;
            }
            digits += 1;
            value = value.wrapping_mul(base).wrapping_add(digit);
            left.spend();
            c = input.get();
        }
        if !any && self.letter == b'p' && !signed_text && left.0 >= 5 && c == b'(' as c_int {
            return self.nil(input);
        }
        input.unget(c);
        if !any {
            return MatchingFailure;
        }
        let value = if signed {
            let most = i64::MAX as u64 + negative as u64;
            let size = if digits > SAFE_DIGITS && overflow | (value > most) {
                most
            } else {
                value
            };
            if negative { size.wrapping_neg() } else { size }
        } else if overflow {
            u64::MAX
        } else if negative {
            value.wrapping_neg()
        } else {
            value
        };
        self.store_integer(value);
        Done
    }

    /// What is printed for a null pointer, after its parenthesis.
    unsafe fn nil(&self, input: &mut Input) -> Outcome {
        let rest = c"nil)".as_ptr().cast::<u8>();
        let mut i = 0;
        while i < 4 {
            let c = input.get();
            let seen = if i < 3 { c | 32 } else { c };
            if seen != *rest.add(i) as c_int {
                input.unget(c);
                return MatchingFailure;
            }
            i += 1;
        }
        self.store_integer(0);
        Done
    }

    unsafe fn characters(&self, input: &mut Input) -> Outcome {
        let mut left = self.budget(1);
        let mut c = input.get();
        if c == EOF {
            return InputFailure;
        }
        let mut sink = Sink::new(self, input.is_wide);
        loop {
            if !sink.put(c) {
                return InputFailure;
            }
            left.spend();
            if left.is_spent() {
                break;
            }
            c = input.get();
            if c == EOF {
                break;
            }
        }
        sink.publish();
        Done
    }

    unsafe fn word(&self, input: &mut Input) -> Outcome {
        let mut left = self.budget(usize::MAX);
        let mut c = input.get();
        if c == EOF {
            return InputFailure;
        }
        let mut sink = Sink::new(self, input.is_wide);
        loop {
            if input.is_space(c) {
                input.unget(c);
                break;
            }
            if !sink.put(c) {
                return sink.failure();
            }
            left.spend();
            if left.is_spent() {
                break;
            }
            c = input.get();
            if c == EOF {
                break;
            }
        }
        sink.end()
    }

    /// The characters of a set, which is the text from `set` to `end`.
    unsafe fn members(&self, input: &mut Input, set: *const u8, end: *const u8) -> Outcome {
        let mut left = self.budget(usize::MAX);
        let mut c = input.get();
        if c == EOF {
            return InputFailure;
        }
        let mut any = false;
        let mut sink = Sink::new(self, input.is_wide);
        loop {
            if !is_member(set, end, c, input.is_wide) {
                input.unget(c);
                break;
            }
            any = true;
            if !sink.put(c) {
                return sink.failure();
            }
            left.spend();
            if left.is_spent() {
                break;
            }
            c = input.get();
            if c == EOF {
                break;
            }
        }
        if any { sink.end() } else { MatchingFailure }
    }

    unsafe fn float(&self, input: &mut Input) -> Outcome {
        let mut room = [0u8; 128];
        let mut text = Bytes {
            start: (&raw mut room).cast(),
            len: 0,
            room: 128,
            owned: false,
        };
        let outcome = self.float_text(input, &mut text);
        text.drop();
        outcome
    }

    /// Takes the rest of a word whose first letter is known, in any case.
    unsafe fn rest_of(&self, input: &mut Input, left: &mut Budget, mut rest: *const u8) -> bool {
        while *rest != 0 {
            if left.is_spent() {
                return false;
            }
            let c = input.get();
            if c | 32 != *rest as c_int {
                input.unget(c);
                return false;
            }
            left.spend();
            rest = rest.add(1);
        }
        true
    }

    unsafe fn float_text(&self, input: &mut Input, text: &mut Bytes) -> Outcome {
        let mut left = self.budget(usize::MAX);
        let mut c = input.get();
        if c == EOF {
            return InputFailure;
        }
        let negative = c == b'-' as c_int;
        if negative | (c == b'+' as c_int) {
            left.spend();
            if left.is_spent() {
                return MatchingFailure;
            }
            c = input.get();
            if c == EOF {
                return MatchingFailure;
            }
        }
        if c | 32 == b'n' as c_int {
            left.spend();
            if !self.rest_of(input, &mut left, c"an".as_ptr().cast()) {
                return MatchingFailure;
            }
            return self.store_special(negative, true);
        }
        if c | 32 == b'i' as c_int {
            left.spend();
            if !self.rest_of(input, &mut left, c"nf".as_ptr().cast()) {
                return MatchingFailure;
            }
            if !left.is_spent() {
                c = input.get();
                if c | 32 != b'i' as c_int {
                    input.unget(c);
                } else {
                    left.spend();
                    if !self.rest_of(input, &mut left, c"nity".as_ptr().cast()) {
                        return MatchingFailure;
                    }
                }
            }
            return self.store_special(negative, false);
        }
        if negative && !text.push(b'-') {
            return InputFailure;
        }
        let digits_from = text.len;
        let mut hex = false;
        // Of the significand; a bare `0x` has none.
        let mut any = false;
        let mut more = true;
        if c == b'0' as c_int {
            any = true;
            if !text.push(b'0') {
                return InputFailure;
            }
            left.spend();
            c = if left.is_spent() { EOF } else { input.get() };
            more = c != EOF;
            // At the end of its width, the zero is the number.
            if more && left.0 > 1 && c | 32 == b'x' as c_int {
                hex = true;
                any = false;
                if !text.push(b'x') {
                    return InputFailure;
                }
                left.spend();
                c = if left.is_spent() { EOF } else { input.get() };
                more = c != EOF;
            }
        }
        let exponent = if hex { b'p' } else { b'e' };
        let mut point = false;
        // The length of the text before the exponent, once there is one, and whether that has digits.
        let mut significand = 0;
        let mut exponent_digits = false;
        while more {
            let in_exponent = significand != 0;
            let byte = if ctype::digit(c) {
                any = true;
                exponent_digits |= in_exponent;
                c as u8
            } else if !in_exponent && hex && ctype::xdigit(c) {
                any = true;
                c as u8
            } else if in_exponent
                && text.len == significand + 1
                && (c == b'-' as c_int) | (c == b'+' as c_int)
            {
                c as u8
            } else if !in_exponent && any && c | 32 == exponent as c_int {
                significand = text.len;
                exponent
            } else if !in_exponent && !point && c == b'.' as c_int {
                point = true;
                b'.'
            } else {
                input.unget(c);
                break;
            };
            if !text.push(byte) {
                return InputFailure;
            }
            left.spend();
            if left.is_spent() {
                break;
            }
            c = input.get();
            more = c != EOF;
        }
        if !any {
            // Of `0x.` the zero is a number; of `0x` alone it is not.
            if !(hex && point) {
                return MatchingFailure;
            }
            text.len = digits_from + 1;
        } else if significand != 0 && !exponent_digits {
            text.len = significand;
        }
        if self.to.is_null() {
            return Done;
        }
        let start = text.start.cast::<c_char>();
        match self.size {
            Size::Long => *self.to.cast::<f64>() = __refrain_parse_f64(start, text.len),
            Size::LongLong => __refrain_parse_ld(start, text.len, self.to),
            _ => *self.to.cast::<f32>() = __refrain_parse_f32(start, text.len),
        }
        Done
    }

    /// Stores an infinity or what is no number.
    unsafe fn store_special(&self, negative: bool, nan: bool) -> Outcome {
        if self.to.is_null() {
            return Done;
        }
        match self.size {
            Size::Long => {
                let bits = if nan { 0xfff << 51 } else { 0x7ff << 52 };
                *self.to.cast::<u64>() = bits | (negative as u64) << 63;
            }
            Size::LongLong => {
                *self.to.cast::<u64>() = if nan { 3 << 62 } else { 1 << 63 };
                *self.to.cast::<u16>().add(4) = 0x7fff | (negative as u16) << 15;
            }
            _ => {
                let bits = if nan { 0x1ff << 22 } else { 0xff << 23 };
                *self.to.cast::<u32>() = bits | (negative as u32) << 31;
            }
        }
        Done
    }
}

/// A character of a format, and how many bytes it has: of text of UTF-8 where wide ones are meant.
unsafe fn character(at: *const u8, is_wide: bool) -> (c_int, usize) {
    if is_wide
        && *at >= 128
        && let Some(Ok((c, len))) = crate::utf8::read_utf8(at, 4)
    {
        return (c as c_int, len);
    }
    (*at as c_int, 1)
}

/// Whether a set has a character: one comparison for each of its parts, and no branch that depends on it.
unsafe fn is_member(set: *const u8, end: *const u8, c: c_int, is_wide: bool) -> bool {
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

/// Where characters go: to the program's array, to a new one, or nowhere.
struct Sink {
    to: *mut c_void,
    at: usize,
    wide: bool,
    /// Characters are wide ones already.
    is_wide_input: bool,
    /// Bytes for an array that is given to the program when it is complete.
    fresh: Bytes,
    allocate: bool,
}

impl Sink {
    fn new(directive: &Directive, is_wide_input: bool) -> Sink {
        Sink {
            to: directive.to,
            at: 0,
            is_wide_input,
            wide: directive.size == Size::Long
                || (directive.letter == b'S') | (directive.letter == b'C'),
            fresh: Bytes {
                start: null_mut(),
                len: 0,
                room: 0,
                owned: false,
            },
            allocate: directive.allocate,
        }
    }

    unsafe fn put(&mut self, c: c_int) -> bool {
        if self.to.is_null() {
            return true;
        }
        if self.is_wide_input && !self.wide && c >= 128 {
            let mut bytes = [0u8; 4];
            let text = (&raw mut bytes).cast::<u8>();
            let len = match ctype::is_utf8() {
                true => crate::utf8::write(text, c),
                false => usize::MAX,
            };
            if len == usize::MAX {
                errno::set(EILSEQ);
                return false;
            }
            let mut index = 0;
            while index < len {
                if !self.put_unit(*text.add(index) as c_int) {
                    return false;
                }
                index += 1;
            }
            return true;
        }
        if self.wide && c >= 128 && !self.is_wide_input {
            errno::set(EILSEQ);
            return false;
        }
        self.put_unit(c)
    }

    /// What it is that a character cannot be kept in a word.
    fn failure(&self) -> Outcome {
        if self.is_wide_input {
            MatchingFailure
        } else {
            InputFailure
        }
    }

    /// A byte or a wide character, as the program wants them.
    unsafe fn put_unit(&mut self, c: c_int) -> bool {
        if self.allocate {
            let mut bytes = if self.wide { 4 } else { 1 };
            let mut rest = c as u32;
            while bytes > 0 {
                if !self.fresh.push(rest as u8) {
                    return false;
                }
                rest >>= 8;
                bytes -= 1;
            }
        } else if self.wide {
            *self.to.cast::<c_int>().add(self.at) = c;
        } else {
            *self.to.cast::<u8>().add(self.at) = c as u8;
        }
        self.at += 1;
        true
    }

    unsafe fn end(&mut self) -> Outcome {
        if !self.put(0) {
            return InputFailure;
        }
        self.publish();
        Done
    }

    unsafe fn publish(&mut self) {
        if self.allocate && !self.to.is_null() {
            *self.to.cast::<*mut u8>() = self.fresh.start;
        }
    }
}

/// The end of a set that starts at `set`: its bracket, or the end of the format.
unsafe fn end_of_set(set: *const u8) -> *const u8 {
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

unsafe fn number(at: &mut *const u8) -> usize {
    let mut value = 0usize;
    while ctype::digit(**at as c_int) {
        value = value.wrapping_mul(10).wrapping_add((**at - b'0') as usize);
        *at = at.add(1);
    }
    value
}

unsafe fn size(at: &mut *const u8) -> Size {
    let c = **at;
    let twice = c != 0 && *at.add(1) == c;
    let (size, len) = match c {
        b'h' if twice => (Size::Char, 2),
        b'h' => (Size::Short, 1),
        b'l' if twice => (Size::LongLong, 2),
        b'l' | b'j' | b'z' | b'Z' | b't' => (Size::Long, 1),
        b'L' | b'q' => (Size::LongLong, 1),
        _ => (Size::Int, 0),
    };
    *at = at.add(len);
    size
}

unsafe fn scan(input: &mut Input, format: *const u8, list: *mut List, binary: bool) -> c_int {
    let first = (*list).overflow;
    let mut at = format;
    let mut done = 0;
    loop {
        let (c, len) = character(at, input.is_wide);
        if c == 0 {
            return done;
        }
        at = at.add(len);
        if input.is_space(c) {
            input.skip_space();
            continue;
        }
        let outcome = if c != b'%' as c_int {
            literal(input, c)
        } else {
            let mut position = 0;
            let start = at;
            let mut width = number(&mut at);
            let mut has_width = at != start;
            if has_width && *at == b'$' {
                position = width;
                at = at.add(1);
                has_width = false;
                width = 0;
            }
            let mut stores = true;
            while (*at == b'*') | (*at == b'\'') | (*at == b'I') {
                stores &= *at != b'*';
                at = at.add(1);
            }
            if ctype::digit(*at as c_int) {
                width = number(&mut at);
                has_width = true;
            }
            let allocate = *at == b'm';
            if allocate {
                at = at.add(1);
            }
            let size = size(&mut at);
            let letter = *at;
            if letter == 0 {
                return done;
            }
            at = at.add(1);
            let set = at;
            if letter == b'[' {
                at = end_of_set(set);
                if *at == 0 {
                    return done;
                }
                at = at.add(1);
            }
            let mut to = null_mut();
            if stores && letter != b'%' {
                if position > 0 {
                    to = *first.add(position - 1);
                } else {
                    to = *(*list).overflow;
                    (*list).overflow = (*list).overflow.add(1);
                }
            }
            let directive = Directive {
                to,
                width,
                // A width of zero is as good as none.
                has_width: has_width && width > 0,
                size,
                allocate,
                letter,
                binary,
            };
            if !((letter == b'[') | (letter == b'c') | (letter == b'C') | (letter == b'n')) {
                input.skip_space();
            }
            let outcome = match letter {
                b'%' => literal(input, b'%' as c_int),
                b'n' => {
                    directive.store_integer(input.count as u64);
                    continue;
                }
                b'd' => directive.integer(input, 10, true),
                b'i' => directive.integer(input, 0, true),
                b'u' => directive.integer(input, 10, false),
                b'o' => directive.integer(input, 8, false),
                b'x' | b'X' => directive.integer(input, 16, false),
                b'p' => {
                    let pointer = Directive {
                        size: Size::Long,
                        ..directive
                    };
                    pointer.integer(input, 16, false)
                }
                b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => directive.float(input),
                b'c' | b'C' => directive.characters(input),
                b's' | b'S' => directive.word(input),
                b'[' => directive.members(input, set, at.sub(1)),
                _ => MatchingFailure,
            };
            if outcome == Done && stores && letter != b'%' {
                done += 1;
            }
            outcome
        };
        match outcome {
            Done => {}
            InputFailure => return if done == 0 { EOF } else { done },
            MatchingFailure => return done,
        }
    }
}

unsafe fn literal(input: &mut Input, wanted: c_int) -> Outcome {
    let c = input.get();
    if c == EOF {
        return InputFailure;
    }
    if c != wanted {
        input.unget(c);
        return MatchingFailure;
    }
    Done
}

// What the machine's variadic functions call.

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_scan_string(
    s: *const u8,
    format: *const u8,
    list: *mut List,
    binary: c_int,
) -> c_int {
    let mut input = Input {
        string: s,
        wide_string: null(),
        file: null_mut(),
        is_wide: false,
        count: 0,
    };
    scan(&mut input, format, list, binary != 0)
}

/// A null stream is standard input.
#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_scan_stream(
    f: *mut FILE,
    format: *const u8,
    list: *mut List,
    binary: c_int,
) -> c_int {
    let mut input = Input {
        string: null(),
        wide_string: null(),
        file: if f.is_null() { stdin } else { f },
        is_wide: false,
        count: 0,
    };
    scan(&mut input, format, list, binary != 0)
}

/// Scans wide characters by a wide format.
unsafe fn scan_wide(
    input: &mut Input,
    format: *const c_int,
    list: *mut List,
    binary: bool,
) -> c_int {
    let text = malloc(4 * wcslen(format) + 1).cast::<u8>();
    if text.is_null() {
        return EOF;
    }
    let (mut index, mut len) = (0, 0);
    while *format.add(index) != 0 {
        len += write_utf8(text.add(len), *format.add(index) as u32);
        index += 1;
    }
    *text.add(len) = 0;
    let done = scan(input, text, list, binary);
    free(text.cast());
    done
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_scan_wide_string(
    s: *const c_int,
    format: *const c_int,
    list: *mut List,
    binary: c_int,
) -> c_int {
    let mut input = Input {
        string: null(),
        wide_string: s,
        file: null_mut(),
        is_wide: true,
        count: 0,
    };
    scan_wide(&mut input, format, list, binary != 0)
}

/// A null stream is standard input.
#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_scan_wide_stream(
    f: *mut FILE,
    format: *const c_int,
    list: *mut List,
    binary: c_int,
) -> c_int {
    let mut input = Input {
        string: null(),
        wide_string: null(),
        file: if f.is_null() { stdin } else { f },
        is_wide: true,
        count: 0,
    };
    scan_wide(&mut input, format, list, binary != 0)
}

/// Writes what was formatted; what `printf` gives.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_print(f: *mut FILE, bytes: *const u8, len: usize) -> c_int {
    if __refrain_stream_write(f, bytes, len) == len {
        len as c_int
    } else {
        -1
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn vsscanf(s: *const u8, format: *const u8, list: *mut List) -> c_int {
    __refrain_scan_string(s, format, list, 0)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __isoc99_vsscanf(
    s: *const u8,
    format: *const u8,
    list: *mut List,
) -> c_int {
    __refrain_scan_string(s, format, list, 0)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __isoc23_vsscanf(
    s: *const u8,
    format: *const u8,
    list: *mut List,
) -> c_int {
    __refrain_scan_string(s, format, list, 1)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn vfscanf(f: *mut FILE, format: *const u8, list: *mut List) -> c_int {
    __refrain_scan_stream(f, format, list, 0)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __isoc99_vfscanf(
    f: *mut FILE,
    format: *const u8,
    list: *mut List,
) -> c_int {
    __refrain_scan_stream(f, format, list, 0)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __isoc23_vfscanf(
    f: *mut FILE,
    format: *const u8,
    list: *mut List,
) -> c_int {
    __refrain_scan_stream(f, format, list, 1)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn vscanf(format: *const u8, list: *mut List) -> c_int {
    __refrain_scan_stream(null_mut(), format, list, 0)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __isoc99_vscanf(format: *const u8, list: *mut List) -> c_int {
    __refrain_scan_stream(null_mut(), format, list, 0)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __isoc23_vscanf(format: *const u8, list: *mut List) -> c_int {
    __refrain_scan_stream(null_mut(), format, list, 1)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn vswscanf(s: *const c_int, format: *const c_int, list: *mut List) -> c_int {
    __refrain_scan_wide_string(s, format, list, 0)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn vfwscanf(f: *mut FILE, format: *const c_int, list: *mut List) -> c_int {
    __refrain_scan_wide_stream(f, format, list, 0)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn vwscanf(format: *const c_int, list: *mut List) -> c_int {
    __refrain_scan_wide_stream(null_mut(), format, list, 0)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __isoc99_vswscanf(
    s: *const c_int,
    format: *const c_int,
    list: *mut List,
) -> c_int {
    __refrain_scan_wide_string(s, format, list, 0)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __isoc99_vfwscanf(
    f: *mut FILE,
    format: *const c_int,
    list: *mut List,
) -> c_int {
    __refrain_scan_wide_stream(f, format, list, 0)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __isoc99_vwscanf(format: *const c_int, list: *mut List) -> c_int {
    __refrain_scan_wide_stream(null_mut(), format, list, 0)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __isoc23_vswscanf(
    s: *const c_int,
    format: *const c_int,
    list: *mut List,
) -> c_int {
    __refrain_scan_wide_string(s, format, list, 1)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __isoc23_vfwscanf(
    f: *mut FILE,
    format: *const c_int,
    list: *mut List,
) -> c_int {
    __refrain_scan_wide_stream(f, format, list, 1)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __isoc23_vwscanf(format: *const c_int, list: *mut List) -> c_int {
    __refrain_scan_wide_stream(null_mut(), format, list, 1)
}
