//! `wordexp`: words as a shell would make them, but for commands, which are none of this library's.

mod arithmetic;
mod parameters;

use crate::ctype;
use crate::directory::{copied, release};
use crate::env::getenv;
use crate::glob::{glob, glob_t, globfree};
use crate::list::List;
use crate::native::{__refrain_unsupported, free, getuid};
use crate::string::{strchr, strlen};
use crate::users::{home_of_name, home_of_number};
use crate::vector::Vector;
use core::ffi::c_int;
use core::mem::MaybeUninit;
use core::ptr::null_mut;

const DOOFFS: c_int = 1;
const APPEND: c_int = 2;
const NOCMD: c_int = 4;
const REUSE: c_int = 8;
const UNDEF: c_int = 32;

const NOSPACE: c_int = 1;
const BADCHAR: c_int = 2;
const BADVAL: c_int = 3;
const CMDSUB: c_int = 4;
const SYNTAX: c_int = 5;

/// Of `glob`: a pattern that nothing matches stands for itself.
const NOCHECK: c_int = 16;

type wordexp_t = Vector;

/// An error, or nothing.
type Done = Result<(), c_int>;

struct Expansion {
    /// So many words were there before.
    before: usize,
    words: List<*mut u8>,
    /// The word at hand. It may be there and empty.
    word: List<u8>,
    has_word: bool,
    is_pattern: bool,
    flags: c_int,
    ifs: *const u8,
    /// All of the text is one word.
    is_one: bool,
}

unsafe fn has(set: *const u8, c: u8) -> bool {
    c != 0 && !strchr(set, c as c_int).is_null()
}

fn is_name(c: u8) -> bool {
    ctype::alpha(c as c_int) | ctype::digit(c as c_int) | (c == b'_')
}

impl Expansion {
    fn new(flags: c_int, ifs: *const u8, is_one: bool) -> Expansion {
        Expansion {
            before: 0,
            words: List::new(),
            word: List::new(),
            has_word: false,
            is_pattern: false,
            flags,
            ifs,
            is_one,
        }
    }

    unsafe fn add(&mut self, c: u8) -> Done {
        self.has_word = true;
        if self.word.push(c) {
            Ok(())
        } else {
            Err(NOSPACE)
        }
    }

    unsafe fn add_text(&mut self, text: *const u8, len: usize) -> Done {
        let mut index = 0;
        while index < len {
            self.add(*text.add(index))?;
            index += 1;
        }
        Ok(())
    }

    /// The text of the word at hand, with a zero byte behind it.
    unsafe fn text(&mut self) -> Result<*mut u8, c_int> {
        if !self.word.push(0) {
            return Err(NOSPACE);
        }
        let text = copied(self.word.at(0), self.word.len() - 1);
        self.word.truncate(0);
        if text.is_null() {
            Err(NOSPACE)
        } else {
            Ok(text)
        }
    }

    /// The word at hand is complete.
    unsafe fn end_word(&mut self) -> Done {
        if !self.has_word {
            return Ok(());
        }
        self.has_word = false;
        let text = self.text()?;
        if !core::mem::take(&mut self.is_pattern) {
            return if self.words.push(text) {
                Ok(())
            } else {
                Err(NOSPACE)
            };
        }
        let mut found = MaybeUninit::<glob_t>::zeroed();
        let result = glob(text, NOCHECK, None, found.as_mut_ptr());
        free(text.cast());
        if result != 0 {
            return Err(NOSPACE);
        }
        let paths = &(*found.as_ptr()).paths;
        let mut index = 0;
        while index < paths.count {
            let path = *paths.strings.add(index);
            let copy = copied(path, strlen(path));
            if copy.is_null() || !self.words.push(copy) {
                return Err(NOSPACE);
            }
            index += 1;
        }
        globfree(found.as_mut_ptr());
        Ok(())
    }

    /// Quotes around nothing are a word, whatever follows them, as in the GNU C library.
    unsafe fn end_if_empty(&mut self) -> Done {
        if self.word.len() == 0 && !self.is_one {
            self.has_word = true;
            return self.end_word();
        }
        Ok(())
    }

    /// Expands a text.
    unsafe fn run(&mut self, text: *const u8, len: usize) -> Done {
        let end = text.add(len);
        let mut at = text;
        while at != end {
            let c = *at;
            at = at.add(1);
            match c {
                b'\\' => {
                    if at == end {
                        return Err(SYNTAX);
                    }
                    if *at != b'\n' {
                        self.add(*at)?;
                    }
                    at = at.add(1);
                }
                b'$' => at = self.dollar(at, end, false)?,
                b'`' => return Err(self.command(at, end, b'`')),
                b'"' => {
                    at = self.quoted(at, end)?;
                    self.end_if_empty()?;
                }
                b'\'' => {
                    self.has_word = true;
                    loop {
                        if at == end {
                            return Err(SYNTAX);
                        }
                        let c = *at;
                        at = at.add(1);
                        if c == b'\'' {
                            break;
                        }
                        self.add(c)?;
                    }
                    self.end_if_empty()?;
                }
                b'~' => at = self.tilde(at, end)?,
                _ if self.is_one => self.add(c)?,
                b'*' | b'[' | b'?' => {
                    self.is_pattern = true;
                    self.add(c)?;
                    at = self.pattern(at, end)?;
                }
                b' ' | b'\t' => self.end_word()?,
                b'\n' | b'|' | b'&' | b';' | b'<' | b'>' | b'(' | b')' | b'{' | b'}' => {
                    return Err(BADCHAR);
                }
                _ => self.add(c)?,
            }
        }
        Ok(())
    }

    /// The rest of a pattern. The GNU C library takes all in it as it is, up to a separator.
    unsafe fn pattern(&mut self, from: *const u8, end: *const u8) -> Result<*const u8, c_int> {
        let (mut at, mut quote) = (from, 0);
        while at != end && !has(self.ifs, *at) {
            let c = *at;
            at = at.add(1);
            if (c == b'\'' || c == b'"') && (quote == 0 || quote == c) {
                quote = if quote == 0 { c } else { 0 };
            } else if c == b'$' && quote != b'\'' {
                at = self.dollar(at, end, quote != 0)?;
            } else if c == b'\\' {
                if at == end {
                    return Err(SYNTAX);
                }
                let next = *at;
                at = at.add(1);
                if next == b'\n' {
                    continue;
                }
                if quote != 0 && !has(c"$`\"\\".as_ptr().cast(), next) {
                    self.add(b'\\')?;
                }
                self.add(next)?;
            } else {
                self.add(c)?;
            }
        }
        self.end_word()?;
        Ok(at)
    }

    unsafe fn command(&self, from: *const u8, end: *const u8, close: u8) -> c_int {
        let mut closing = from;
        if close == b'`' {
            while closing != end && *closing != close {
                let is_escaped = *closing == b'\\' && closing.add(1) != end;
                closing = closing.add(1 + is_escaped as usize);
            }
        } else {
            closing = Expansion::closing(from, end, b'(', close);
        }
        if closing == end {
            return SYNTAX;
        }
        if self.flags & NOCMD == 0 {
            __refrain_unsupported(c"wordexp of a command".as_ptr());
        }
        CMDSUB
    }

    unsafe fn quoted(&mut self, from: *const u8, end: *const u8) -> Result<*const u8, c_int> {
        self.has_word = true;
        let mut at = from;
        while at != end {
            let c = *at;
            at = at.add(1);
            match c {
                b'"' => return Ok(at),
                b'$' => at = self.dollar(at, end, true)?,
                b'`' => return Err(self.command(at, end, b'`')),
                b'\\' => {
                    if at == end {
                        return Err(SYNTAX);
                    }
                    let next = *at;
                    at = at.add(1);
                    if next == b'\n' {
                        continue;
                    }
                    if !has(c"$`\"\\".as_ptr().cast(), next) {
                        self.add(b'\\')?;
                    }
                    self.add(next)?;
                }
                _ => self.add(c)?,
            }
        }
        Err(SYNTAX)
    }

    /// The end of what braces, or an expression of so many parentheses, enclose.
    unsafe fn closing(from: *const u8, end: *const u8, open: u8, close: u8) -> *const u8 {
        let (mut at, mut depth, mut quote) = (from, 0, 0u8);
        while at != end {
            let c = *at;
            if quote != 0 {
                if c == quote {
                    quote = 0;
                } else if c == b'\\' && quote == b'"' && at.add(1) != end {
                    at = at.add(1);
                }
            } else if c == b'\\' && at.add(1) != end {
                at = at.add(1);
            } else if (c == b'\'') | (c == b'"') {
                quote = c;
            } else if c == open {
                depth += 1;
            } else if c == close {
                if depth == 0 {
                    return at;
                }
                depth -= 1;
            }
            at = at.add(1);
        }
        end
    }

    /// Home directories, at the start of a word, and in the first word behind `=` and `:`.
    unsafe fn tilde(&mut self, from: *const u8, end: *const u8) -> Result<*const u8, c_int> {
        let len = self.word.len();
        if len > 0 {
            let last = self.word.get(len - 1);
            let (mut assigns, mut index) = (false, 0);
            while index < len {
                assigns |= self.word.get(index) == b'=';
                index += 1;
            }
            let may = last == b'=' || (last == b':' && assigns);
            if !may || self.before + self.words.len() > 0 {
                self.add(b'~')?;
                return Ok(from);
            }
        }
        let mut at = from;
        while at != end && !has(c":/ \t".as_ptr().cast(), *at) {
            if *at == b'\\' {
                self.add(b'~')?;
                return Ok(from);
            }
            at = at.add(1);
        }
        let name_len = at.offset_from(from) as usize;
        let home = if name_len == 0 {
            let home = getenv(c"HOME".as_ptr().cast());
            if !home.is_null() {
                home
            } else {
                home_of_number(getuid()).cast_mut()
            }
        } else {
            let name = copied(from, name_len);
            let home = home_of_name(name).cast_mut();
            free(name.cast());
            home
        };
        if home.is_null() {
            self.add(b'~')?;
            self.add_text(from, name_len)?;
        } else {
            self.add_text(home, strlen(home))?;
        }
        Ok(at)
    }
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wordexp(text: *const u8, to: *mut wordexp_t, flags: c_int) -> c_int {
    if flags & REUSE != 0 {
        wordfree(to);
    }
    let offset = if flags & DOOFFS != 0 { (*to).offset } else { 0 };
    if flags & APPEND == 0 {
        (*to).count = 0;
        (*to).strings = null_mut();
        (*to).offset = offset;
    }
    let mut ifs = getenv(c"IFS".as_ptr().cast()) as *const u8;
    if ifs.is_null() {
        ifs = c" \t\n".as_ptr().cast();
    }
    let mut expansion = Expansion::new(flags, ifs, false);
    expansion.before = (*to).count;
    let done = match expansion.run(text, strlen(text)) {
        Ok(()) => expansion.end_word(),
        error => error,
    };
    expansion.word.release();
    if let Err(error) = done {
        release(&mut expansion.words);
        return error;
    }
    if !(*to).append(&mut expansion.words, offset) {
        return NOSPACE;
    }
    0
}

#[inline(always)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn wordfree(of: *mut wordexp_t) {
    (*of).free();
}
