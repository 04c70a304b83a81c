//! What a dollar sign stands for.

use super::{BADVAL, Done, Expansion, SYNTAX, UNDEF, has, is_name};
use crate::ctype;
use crate::directory::copied;
use crate::env::{getenv, setenv};
use crate::fnmatch::fnmatch;
use crate::native::{__refrain_unsupported, free};
use crate::stdio::{fputs, stderr};
use crate::string::strlen;
use core::ffi::c_int;

impl Expansion {
    /// What follows a dollar sign.
    pub unsafe fn dollar(
        &mut self,
        from: *const u8,
        end: *const u8,
        quoted: bool,
    ) -> Result<*const u8, c_int> {
        if from == end || *from == b'"' || *from == b'\'' {
            self.add(b'$')?;
            return Ok(from);
        }
        match *from {
            b'(' if from.add(1) != end && *from.add(1) == b'(' => {
                self.arithmetic(from.add(2), end, b"))")
            }
            b'(' if from.add(1) != end && *from.add(1) == b')' => Ok(from.add(2)),
            b'(' => Err(self.command(from.add(1), end, b')')),
            b'[' => self.arithmetic(from.add(1), end, b"]"),
            b'{' => self.braces(from.add(1), end, quoted),
            c if ctype::alpha(c as c_int) || c == b'_' => {
                let mut at = from;
                while at != end && is_name(*at) {
                    at = at.add(1);
                }
                let name = copied(from, at.offset_from(from) as usize);
                let value = getenv(name);
                free(name.cast());
                if value.is_null() {
                    if self.flags & UNDEF != 0 {
                        return Err(BADVAL);
                    }
                    return Ok(at);
                }
                self.value(value, quoted)?;
                Ok(at)
            }
            c if ctype::digit(c as c_int) || has(c"*@#$".as_ptr().cast(), c) => {
                __refrain_unsupported(c"wordexp of the program's arguments".as_ptr())
            }
            _ => {
                self.add(b'$')?;
                Ok(from)
            }
        }
    }

    /// Takes a value in: as it is where it is quoted, else as the fields that it has.
    unsafe fn value(&mut self, value: *const u8, quoted: bool) -> Done {
        let len = strlen(value);
        if quoted || self.is_one || *self.ifs == 0 {
            return self.add_text(value, len);
        }
        // Blanks at both ends separate nothing, as in the GNU C library.
        let is_blank = |c: u8| has(self.ifs, c) && ctype::space(c as c_int);
        let (mut index, mut len) = (0, len);
        while index < len && is_blank(*value.add(index)) {
            index += 1;
        }
        while len > index && is_blank(*value.add(len - 1)) {
            len -= 1;
        }
        while index < len {
            let c = *value.add(index);
            index += 1;
            if !has(self.ifs, c) {
                self.add(c)?;
                continue;
            }
            // Blanks around another separator are part of it.
            let mut separates = !ctype::space(c as c_int);
            while index < len && has(self.ifs, *value.add(index)) {
                let next = *value.add(index);
                if !ctype::space(next as c_int) {
                    if separates {
                        break;
                    }
                    separates = true;
                }
                index += 1;
            }
            if separates {
                self.has_word = true;
            }
            self.end_word()?;
        }
        Ok(())
    }

    /// `${…}`.
    unsafe fn braces(
        &mut self,
        from: *const u8,
        end: *const u8,
        quoted: bool,
    ) -> Result<*const u8, c_int> {
        let close = Expansion::closing(from, end, b'{', b'}');
        if close == end {
            return Err(SYNTAX);
        }
        let mut at = from;
        let wants_len = *at == b'#' && at.add(1) != close;
        if wants_len {
            at = at.add(1);
        }
        let start = at;
        if ctype::digit(*at as c_int) || has(c"*@#$".as_ptr().cast(), *at) {
            __refrain_unsupported(c"wordexp of the program's arguments".as_ptr());
        }
        while at != close && is_name(*at) {
            at = at.add(1);
        }
        if at == start {
            return Err(SYNTAX);
        }
        let name = copied(start, at.offset_from(start) as usize);
        let result = self.parameter(name, at, close, wants_len, quoted);
        free(name.cast());
        result?;
        Ok(close.add(1))
    }

    unsafe fn parameter(
        &mut self,
        name: *const u8,
        from: *const u8,
        close: *const u8,
        wants_len: bool,
        quoted: bool,
    ) -> Done {
        let mut at = from;
        let mut value = getenv(name) as *const u8;
        if value.is_null() && self.flags & UNDEF != 0 {
            return Err(BADVAL);
        }
        if wants_len {
            if at != close {
                return Err(SYNTAX);
            }
            let len = if value.is_null() { 0 } else { strlen(value) };
            return self.number(len as i64);
        }
        if at == close {
            if value.is_null() {
                return Ok(());
            }
            return self.value(value, quoted);
        }
        let colon = *at == b':';
        if colon {
            at = at.add(1);
        }
        let action = *at;
        let mut twice = false;
        if !has(c"-=?+".as_ptr().cast(), action) {
            if colon || !has(c"#%".as_ptr().cast(), action) {
                return Err(SYNTAX);
            }
            twice = at.add(1) != close && *at.add(1) == action;
            if twice {
                at = at.add(1);
            }
        }
        at = at.add(1);
        let is_there = !value.is_null() && !(colon && *value == 0);
        let mut inner = Expansion::new(self.flags, self.ifs, true);
        inner.run(at, close.offset_from(at) as usize)?;
        let word = inner.text()?;
        inner.word.release();
        let done = match action {
            b'-' => {
                value = if is_there { value } else { word };
                self.value(value, quoted)
            }
            b'+' if is_there => self.value(word, quoted),
            b'+' => Ok(()),
            b'=' => {
                if !is_there {
                    setenv(name, word, 1);
                    value = word;
                }
                self.value(value, quoted)
            }
            b'?' if is_there => self.value(value, quoted),
            b'?' => {
                let standard = c"parameter null or not set".as_ptr().cast::<u8>();
                fputs(name, stderr);
                fputs(c": ".as_ptr().cast(), stderr);
                fputs(if *word != 0 { word } else { standard }, stderr);
                fputs(c"\n".as_ptr().cast(), stderr);
                Err(BADVAL)
            }
            _ if value.is_null() => Ok(()),
            action => self.cut(value, word, action == b'#', twice, quoted),
        };
        free(word.cast());
        done
    }

    /// A value without the shortest or longest start or end that matches a pattern.
    unsafe fn cut(
        &mut self,
        value: *const u8,
        pattern: *const u8,
        at_start: bool,
        longest: bool,
        quoted: bool,
    ) -> Done {
        let len = strlen(value);
        let copy = copied(value, len);
        let mut step = 0;
        while step <= len {
            let size = if longest { len - step } else { step };
            let matches = if at_start {
                let kept = *copy.add(size);
                *copy.add(size) = 0;
                let matches = fnmatch(pattern, copy, 0) == 0;
                *copy.add(size) = kept;
                matches
            } else {
                fnmatch(pattern, copy.add(len - size), 0) == 0
            };
            if matches {
                if !at_start {
                    *copy.add(len - size) = 0;
                }
                let done = self.value(if at_start { copy.add(size) } else { copy }, quoted);
                free(copy.cast());
                return done;
            }
            step += 1;
        }
        free(copy.cast());
        self.value(value, quoted)
    }
}
