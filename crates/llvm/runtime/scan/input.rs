//! The characters of a string or a stream, bytes or wide ones.

use super::EOF;
use crate::ctype;
use crate::stdio::{__refrain_stream_getc, __refrain_stream_ungetc, FILE, fgetwc, stdin, ungetwc};
use crate::wide::iswspace;
use core::ffi::c_int;

enum Source {
    String(*const u8),
    WideString(*const c_int),
    Stream(*mut FILE),
    WideStream(*mut FILE),
}

pub struct Input {
    source: Source,
    /// Characters are wide ones.
    pub is_wide: bool,
    /// Characters taken and not given back.
    pub count: usize,
}

/// A null stream is standard input.
unsafe fn or_stdin(f: *mut FILE) -> *mut FILE {
    if f.is_null() { stdin } else { f }
}

impl Input {
    fn new(source: Source, is_wide: bool) -> Input {
        Input {
            source,
            is_wide,
            count: 0,
        }
    }

    pub fn string(s: *const u8) -> Input {
        Input::new(Source::String(s), false)
    }

    pub fn wide_string(s: *const c_int) -> Input {
        Input::new(Source::WideString(s), true)
    }

    pub unsafe fn stream(f: *mut FILE) -> Input {
        Input::new(Source::Stream(or_stdin(f)), false)
    }

    pub unsafe fn wide_stream(f: *mut FILE) -> Input {
        Input::new(Source::WideStream(or_stdin(f)), true)
    }

    pub unsafe fn get(&mut self) -> c_int {
        let c = match &mut self.source {
            Source::String(at) => next(at),
            Source::WideString(at) => next(at),
            Source::Stream(f) => __refrain_stream_getc(*f),
            Source::WideStream(f) => fgetwc(*f),
        };
        if c != EOF {
            self.count += 1;
        }
        c
    }

    pub unsafe fn unget(&mut self, c: c_int) {
        if c == EOF {
            return;
        }
        self.count -= 1;
        match &mut self.source {
            Source::String(at) => *at = at.sub(1),
            Source::WideString(at) => *at = at.sub(1),
            Source::Stream(f) => {
                __refrain_stream_ungetc(c, *f);
            }
            Source::WideStream(f) => {
                ungetwc(c, *f);
            }
        }
    }

    pub unsafe fn is_space(&self, c: c_int) -> bool {
        if self.is_wide && c >= 128 {
            return iswspace(c as u32) != 0;
        }
        ctype::space(c)
    }

    pub unsafe fn skip_space(&mut self) {
        let mut c = self.get();
        while self.is_space(c) {
            c = self.get();
        }
        self.unget(c);
    }
}

/// Takes a character of a string; its end stays.
unsafe fn next<T: Copy + Into<c_int>>(at: &mut *const T) -> c_int {
    let c = (**at).into();
    if c == 0 {
        return EOF;
    }
    *at = at.add(1);
    c
}
