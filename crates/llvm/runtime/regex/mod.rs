//! `regex.h`: POSIX's functions and GNU's, over one automaton. A character is a byte, whatever the locale.

mod parse;
mod program;
mod search;
mod sets;
mod syntax;

use self::program::Program;
use self::search::{Found, Search, Span, Text, UNSET, fill_fastmap};
use self::syntax::*;
use crate::native::{free, malloc, realloc};
use crate::string::strlen;
use core::ffi::{CStr, c_char, c_int, c_uint, c_ulong};
use core::ptr::{null, null_mut};

#[repr(C)]
pub struct regex_t {
    program: *mut Program,
    allocated: c_ulong,
    used: c_ulong,
    syntax: c_ulong,
    fastmap: *mut u8,
    translate: *mut u8,
    pub re_nsub: usize,
    /// `can_be_null`: 2 bits, `regs_allocated`: 2, then one each as below.
    flags: c_uint,
}

const REGS_SHIFT: c_uint = 2;
const REGS_UNALLOCATED: c_uint = 0;
const REGS_REALLOCATE: c_uint = 1;
const REGS_FIXED: c_uint = 2;
const FASTMAP_ACCURATE: c_uint = 1 << 4;
const WITHOUT_GROUPS: c_uint = 1 << 5;
const NOT_BOL: c_uint = 1 << 6;
const NOT_EOL: c_uint = 1 << 7;
const NEWLINE_ANCHOR: c_uint = 1 << 8;

#[repr(C)]
pub struct re_registers {
    num_regs: c_uint,
    start: *mut c_int,
    end: *mut c_int,
}

/// Whether a byte is of the class of a name; `None` if there is no such class.
pub unsafe fn class_contains(
    name: *const u8,
    len: usize,
    byte: u8,
    ignores_case: bool,
) -> Option<bool> {
    let set = sets::class_named(name, len, ignores_case)?;
    Some(set.contains(byte))
}

/// The syntax of `re_compile_pattern`.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub static mut re_syntax_options: c_ulong = 0;

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn re_set_syntax(syntax: c_ulong) -> c_ulong {
    let old = re_syntax_options;
    re_syntax_options = syntax;
    old
}

impl regex_t {
    unsafe fn set(&mut self, bit: c_uint, value: bool) {
        self.flags = self.flags & !bit | if value { bit } else { 0 };
    }

    unsafe fn compile(&mut self, pattern: *const u8, len: usize, syntax: u64) -> c_int {
        self.flags &= !(FASTMAP_ACCURATE | NOT_BOL | NOT_EOL | 3 << REGS_SHIFT);
        self.syntax = syntax;
        self.re_nsub = 0;
        let program = malloc(size_of::<Program>()).cast::<Program>();
        if program.is_null() {
            return ESPACE;
        }
        program.write(Program::new());
        let error = (*program).compile(pattern, len, syntax, self.translate);
        if error != 0 {
            (*program).release();
            free(program.cast());
            self.program = null_mut();
            self.allocated = 0;
            return error;
        }
        self.program = program;
        self.allocated = size_of::<Program>() as c_ulong;
        self.used = self.allocated;
        self.re_nsub = (*program).groups as usize;
        self.flags = self.flags & !3 | (*program).can_be_empty as c_uint;
        0
    }

    unsafe fn text(&self, bytes: *const u8, len: usize, flags: c_int) -> Text {
        Text {
            bytes,
            len,
            not_bol: flags & REG_NOTBOL != 0,
            not_eol: flags & REG_NOTEOL != 0,
            newline_anchor: self.flags & NEWLINE_ANCHOR != 0,
        }
    }

    unsafe fn fill_fastmap(&mut self) {
        if !self.fastmap.is_null() {
            fill_fastmap(&*self.program, self.fastmap);
            self.flags |= FASTMAP_ACCURATE;
        }
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn regcomp(to: *mut regex_t, pattern: *const u8, flags: c_int) -> c_int {
    let mut syntax = if flags & REG_EXTENDED != 0 {
        EXTENDED
    } else {
        BASIC
    };
    (*to).program = null_mut();
    (*to).allocated = 0;
    (*to).translate = null_mut();
    (*to).flags = 0;
    (*to).fastmap = malloc(256).cast();
    if (*to).fastmap.is_null() {
        return ESPACE;
    }
    if flags & REG_ICASE != 0 {
        syntax |= ICASE;
    }
    if flags & REG_NEWLINE != 0 {
        syntax = syntax & !DOT_NEWLINE | HAT_LISTS_NOT_NEWLINE;
    }
    (*to).set(NEWLINE_ANCHOR, flags & REG_NEWLINE != 0);
    (*to).set(WITHOUT_GROUPS, flags & REG_NOSUB != 0);
    let error = (*to).compile(pattern, strlen(pattern), syntax);
    if error == 0 {
        (*to).fill_fastmap();
        return 0;
    }
    free((*to).fastmap.cast());
    (*to).fastmap = null_mut();
    // POSIX knows one error of parentheses.
    if error == ERPAREN { EPAREN } else { error }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn regexec(
    by: *const regex_t,
    text: *const u8,
    count: usize,
    spans: *mut Span,
    flags: c_int,
) -> c_int {
    if flags & !(REG_NOTBOL | REG_NOTEOL | REG_STARTEND) != 0 {
        return BADPAT;
    }
    let (start, end) = if flags & REG_STARTEND != 0 {
        ((*spans).start as usize, (*spans).end as usize)
    } else {
        (0, strlen(text))
    };
    let mut search = Search::new(&*(*by).program, (*by).text(text, end, flags));
    let plain = (*by).flags & WITHOUT_GROUPS != 0 || count == 0;
    let found = if plain && !(*(*by).program).has_back_references {
        match search.any(start, end) {
            0 => Found::No,
            _ => Found::Yes(0, 0),
        }
    } else if plain {
        search.find(start, end, null_mut(), 0)
    } else {
        search.find(start, end, spans, count)
    };
    search.release();
    match found {
        Found::No => NOMATCH,
        Found::NoMemory => ESPACE,
        Found::Yes(start, end) => {
            if !plain {
                (*spans).start = start as c_int;
                (*spans).end = end as c_int;
            }
            0
        }
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn regfree(pattern: *mut regex_t) {
    if !(*pattern).program.is_null() {
        (*(*pattern).program).release();
        free((*pattern).program.cast());
    }
    (*pattern).program = null_mut();
    (*pattern).allocated = 0;
    free((*pattern).fastmap.cast());
    (*pattern).fastmap = null_mut();
    free((*pattern).translate.cast());
    (*pattern).translate = null_mut();
}

fn message(error: c_int) -> Option<&'static CStr> {
    Some(match error {
        0 => c"Success",
        1 => c"No match",
        2 => c"Invalid regular expression",
        3 => c"Invalid collation character",
        4 => c"Invalid character class name",
        5 => c"Trailing backslash",
        6 => c"Invalid back reference",
        7 => c"Unmatched [, [^, [:, [., or [=",
        8 => c"Unmatched ( or \\(",
        9 => c"Unmatched \\{",
        10 => c"Invalid content of \\{\\}",
        11 => c"Invalid range end",
        12 => c"Memory exhausted",
        13 => c"Invalid preceding regular expression",
        14 => c"Premature end of regular expression",
        15 => c"Regular expression too big",
        16 => c"Unmatched ) or \\)",
        _ => return None,
    })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn regerror(
    error: c_int,
    _pattern: *const regex_t,
    to: *mut u8,
    room: usize,
) -> usize {
    let Some(text) = message(error) else {
        crate::native::abort();
    };
    let text = text.as_ptr().cast::<u8>();
    let size = strlen(text) + 1;
    if room > 0 {
        let shown = if size > room { room - 1 } else { size - 1 };
        crate::native::memcpy(to.cast(), text.cast(), shown);
        *to.add(shown) = 0;
    }
    size
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn re_compile_pattern(
    pattern: *const u8,
    len: usize,
    to: *mut regex_t,
) -> *const c_char {
    (*to).set(WITHOUT_GROUPS, re_syntax_options & NO_SUB != 0);
    (*to).set(NEWLINE_ANCHOR, true);
    let error = (*to).compile(pattern, len, re_syntax_options);
    match message(error) {
        Some(text) if error != 0 => text.as_ptr(),
        _ => null(),
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn re_compile_fastmap(pattern: *mut regex_t) -> c_int {
    (*pattern).fill_fastmap();
    0
}

/// Tells the program what groups matched, in arrays as it wants them.
unsafe fn tell(by: *mut regex_t, to: *mut re_registers, spans: *const Span, count: usize) -> bool {
    let how = (*by).flags >> REGS_SHIFT & 3;
    // One more than there are, which is unset.
    let needed = count + 1;
    let mut kept = REGS_REALLOCATE;
    if how == REGS_UNALLOCATED || (how == REGS_REALLOCATE && needed > (*to).num_regs as usize) {
        let old = how == REGS_REALLOCATE;
        let start = if old { (*to).start } else { null_mut() };
        let end = if old { (*to).end } else { null_mut() };
        let start = realloc(start.cast(), needed * 4).cast::<c_int>();
        let end = realloc(end.cast(), needed * 4).cast::<c_int>();
        if start.is_null() || end.is_null() {
            return false;
        }
        (*to).start = start;
        (*to).end = end;
        (*to).num_regs = needed as c_uint;
    } else if how == REGS_FIXED {
        kept = REGS_FIXED;
    }
    let mut index = 0;
    while index < (*to).num_regs as usize {
        let span = if index < count {
            *spans.add(index)
        } else {
            UNSET
        };
        *(*to).start.add(index) = span.start;
        *(*to).end.add(index) = span.end;
        index += 1;
    }
    (*by).flags = (*by).flags & !(3 << REGS_SHIFT) | kept << REGS_SHIFT;
    true
}

/// Where a match starts, or how long it is; -1 if there is none, -2 after an error.
unsafe fn search_in(
    by: *mut regex_t,
    bytes: *const u8,
    len: c_int,
    start: c_int,
    range: c_int,
    stop: c_int,
    registers: *mut re_registers,
    wants_len: bool,
) -> c_int {
    if start < 0 || start > len {
        return -1;
    }
    let last = start as i64 + range as i64;
    let last = if last < 0 {
        0
    } else if last > len as i64 {
        len as i64
    } else {
        last
    };
    let mut flags = 0;
    if (*by).flags & NOT_BOL != 0 {
        flags |= REG_NOTBOL;
    }
    if (*by).flags & NOT_EOL != 0 {
        flags |= REG_NOTEOL;
    }
    if !(*by).fastmap.is_null() && (*by).flags & FASTMAP_ACCURATE == 0 {
        (*by).fill_fastmap();
    }
    let mut registers = registers;
    if (*by).flags & WITHOUT_GROUPS != 0 {
        registers = null_mut();
    }
    let mut count = 1;
    if !registers.is_null() {
        count = (*by).re_nsub + 1;
        let is_fixed = (*by).flags >> REGS_SHIFT & 3 == REGS_FIXED;
        if is_fixed && (*registers).num_regs as usize <= (*by).re_nsub {
            count = (*registers).num_regs as usize;
            if count < 1 {
                registers = null_mut();
                count = 1;
            }
        }
    }
    let spans = malloc(count * size_of::<Span>()).cast::<Span>();
    if spans.is_null() {
        return -2;
    }
    let len = if stop < len { stop } else { len };
    let mut search = Search::new(&*(*by).program, (*by).text(bytes, len as usize, flags));
    let found = if start > len {
        Found::No
    } else {
        let last = if last > len as i64 { len as i64 } else { last };
        search.find(start as usize, last as usize, spans, count)
    };
    search.release();
    let result = match found {
        Found::No => -1,
        Found::NoMemory => -2,
        Found::Yes(start, end) => {
            *spans = Span {
                start: start as c_int,
                end: end as c_int,
            };
            if !registers.is_null() && !tell(by, registers, spans, count) {
                -2
            } else if wants_len {
                (end - start) as c_int
            } else {
                start as c_int
            }
        }
    };
    free(spans.cast());
    result
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn re_match(
    by: *mut regex_t,
    bytes: *const u8,
    len: c_int,
    start: c_int,
    registers: *mut re_registers,
) -> c_int {
    search_in(by, bytes, len, start, 0, len, registers, true)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn re_search(
    by: *mut regex_t,
    bytes: *const u8,
    len: c_int,
    start: c_int,
    range: c_int,
    registers: *mut re_registers,
) -> c_int {
    search_in(by, bytes, len, start, range, len, registers, false)
}

/// Searches two texts as if they were one.
unsafe fn search_two(
    by: *mut regex_t,
    first: (*const u8, c_int),
    second: (*const u8, c_int),
    start: c_int,
    range: c_int,
    registers: *mut re_registers,
    stop: c_int,
    wants_len: bool,
) -> c_int {
    if first.1 < 0 || second.1 < 0 || stop < 0 {
        return -2;
    }
    let len = first.1 as usize + second.1 as usize;
    let joined = malloc(len + 1).cast::<u8>();
    if joined.is_null() {
        return -2;
    }
    crate::native::memcpy(joined.cast(), first.0.cast(), first.1 as usize);
    crate::native::memcpy(
        joined.add(first.1 as usize).cast(),
        second.0.cast(),
        second.1 as usize,
    );
    let result = search_in(
        by,
        joined,
        len as c_int,
        start,
        range,
        stop,
        registers,
        wants_len,
    );
    free(joined.cast());
    result
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn re_match_2(
    by: *mut regex_t,
    first: *const u8,
    first_len: c_int,
    second: *const u8,
    second_len: c_int,
    start: c_int,
    registers: *mut re_registers,
    stop: c_int,
) -> c_int {
    let (first, second) = ((first, first_len), (second, second_len));
    search_two(by, first, second, start, 0, registers, stop, true)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn re_search_2(
    by: *mut regex_t,
    first: *const u8,
    first_len: c_int,
    second: *const u8,
    second_len: c_int,
    start: c_int,
    range: c_int,
    registers: *mut re_registers,
    stop: c_int,
) -> c_int {
    let (first, second) = ((first, first_len), (second, second_len));
    search_two(by, first, second, start, range, registers, stop, false)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn re_set_registers(
    by: *mut regex_t,
    registers: *mut re_registers,
    count: c_uint,
    starts: *mut c_int,
    ends: *mut c_int,
) {
    let how = if count > 0 {
        (*registers).start = starts;
        (*registers).end = ends;
        REGS_REALLOCATE
    } else {
        (*registers).start = null_mut();
        (*registers).end = null_mut();
        REGS_UNALLOCATED
    };
    (*registers).num_regs = count;
    (*by).flags = (*by).flags & !(3 << REGS_SHIFT) | how << REGS_SHIFT;
}
