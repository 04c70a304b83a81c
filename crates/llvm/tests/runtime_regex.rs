//! Regular expressions of `runtime/`, compiled for this machine and held against the host's own on random patterns.

#![cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
#![allow(
    dead_code,
    non_upper_case_globals,
    non_camel_case_types,
    non_snake_case,
    unsafe_op_in_unsafe_fn,
    clippy::missing_safety_doc,
    clippy::too_many_arguments
)]

// The modules of `runtime/lib.rs`, which find each other by `crate::` as there.
#[path = "../runtime/ctype.rs"]
mod ctype;
#[path = "../runtime/errno.rs"]
mod errno;
#[path = "../runtime/list.rs"]
mod list;
#[path = "../runtime/native.rs"]
mod native;
#[path = "support/one_by_one.rs"]
mod one_by_one;
#[path = "../runtime/regex/mod.rs"]
mod regex;
#[path = "../runtime/string/mod.rs"]
mod string;

use std::ffi::{CString, c_char, c_int};
use std::mem::zeroed;
use std::sync::atomic::{AtomicBool, Ordering};

use refrain_testing::{Random, effort};

/// The host's C library. A `regex_t` has 64 bytes, a `re_registers` 24.
#[allow(clashing_extern_declarations)]
mod host {
    use super::*;

    unsafe extern "C" {
        pub fn regcomp(to: *mut u64, pattern: *const u8, flags: c_int) -> c_int;
        pub fn regexec(
            by: *const u64,
            text: *const u8,
            count: usize,
            spans: *mut [c_int; 2],
            flags: c_int,
        ) -> c_int;
        pub fn regerror(error: c_int, by: *const u64, to: *mut u8, room: usize) -> usize;
        pub fn regfree(by: *mut u64);
        pub fn re_set_syntax(syntax: u64) -> u64;
        pub fn re_compile_pattern(pattern: *const u8, len: usize, to: *mut u64) -> *const c_char;
        pub fn re_search(
            by: *mut u64,
            text: *const u8,
            len: c_int,
            start: c_int,
            range: c_int,
            to: *mut Registers,
        ) -> c_int;
        pub fn re_match(
            by: *mut u64,
            text: *const u8,
            len: c_int,
            start: c_int,
            to: *mut Registers,
        ) -> c_int;
    }
}

#[repr(C)]
struct Registers {
    count: u32,
    start: *mut c_int,
    end: *mut c_int,
}

impl Registers {
    unsafe fn spans(&self) -> Vec<(c_int, c_int)> {
        let pair = |index| (*self.start.add(index), *self.end.add(index));
        (0..self.count as usize).map(pair).collect()
    }
}

/// What is calculated without branches for symbolic text is so for any text when this is set.
static SYMBOLIC: AtomicBool = AtomicBool::new(false);

#[unsafe(no_mangle)]
unsafe extern "C" fn __refrain_is_symbolic(_value: u64) -> c_int {
    SYMBOLIC.load(Ordering::Relaxed).into()
}

struct Patterns {
    random: Random,
    extended: bool,
    refers_back: bool,
}

impl Patterns {
    fn pick<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.random.below(of.len())]
    }

    fn operator(&self, extended: &str) -> String {
        if self.extended {
            extended.to_string()
        } else {
            format!("\\{extended}")
        }
    }

    fn grouped(&mut self, depth: usize) -> String {
        let inner = self.pattern(depth - 1);
        format!("{}{inner}{}", self.operator("("), self.operator(")"))
    }

    fn repeated(&mut self) -> String {
        match self.random.below(6) {
            0 | 1 => "*".to_string(),
            2 => self.operator("+"),
            3 => self.operator("?"),
            4 => {
                let (low, high) = (self.random.below(2), 1 + self.random.below(3));
                format!("{}{low},{high}{}", self.operator("{"), self.operator("}"))
            }
            _ => {
                let low = self.random.below(3);
                format!("{}{low},{}", self.operator("{"), self.operator("}"))
            }
        }
    }

    fn pattern(&mut self, depth: usize) -> String {
        match self.random.below(if depth == 0 { 6 } else { 14 }) {
            0..=2 => self.pick(&["a", "b", "c", "A"]).to_string(),
            3 => {
                let sets = [
                    ".",
                    "[ab]",
                    "[^a]",
                    "[a-b]",
                    "[[:alpha:]]",
                    "[]a]",
                    "[^]-]",
                    "\\w",
                    "\\W",
                ];
                self.pick(&sets).to_string()
            }
            4 => self.pick(&["^", "$", "a", "\\<", "\\b"]).to_string(),
            5 if self.refers_back => "\\1".to_string(),
            5 => "a".to_string(),
            6 | 7 => self.grouped(depth),
            8..=10 => self.pattern(depth - 1) + &self.pattern(depth - 1),
            11 => {
                let one = self.pattern(depth - 1);
                one + &self.operator("|") + &self.pattern(depth - 1)
            }
            _ if self.random.below(3) > 0 => self.grouped(depth) + &self.repeated(),
            _ => self.pick(&["a", "b", ".", "[ab]"]).to_string() + &self.repeated(),
        }
    }

    /// Characters that mean something, in any order.
    fn noise(&mut self) -> String {
        let parts = [
            "a",
            "b",
            "*",
            "\\",
            "(",
            ")",
            "[",
            "]",
            "{",
            "}",
            "1",
            ",",
            "|",
            "^",
            "$",
            ".",
            "+",
            "?",
            "-",
            ":",
            "[:",
            "=]",
            "[=a=]",
            "[.-.]",
            "\\(",
            "\\)",
            "\\{",
            "\\}",
            "\\|",
            "\n",
            "[a",
            "[^",
            "[:alpha:]",
            "]",
            "]",
            "a-c",
        ];
        let len = self.random.below(9);
        (0..len).map(|_| self.pick(&parts)).collect()
    }
}

fn text(random: &mut Random, alphabet: &[u8], most: usize) -> Vec<u8> {
    let len = random.below(most + 1);
    (0..len)
        .map(|_| alphabet[random.below(alphabet.len())])
        .collect()
}

/// Whether a pattern has an anchor that is not its first or last character.
fn is_anchored_within(pattern: &str) -> bool {
    let inner = pattern.strip_prefix('^').unwrap_or(pattern);
    let inner = inner.strip_suffix('$').unwrap_or(inner);
    // A negated set is none.
    let inner = inner.replace("[^", "[");
    ["^", "$", "\\b", "\\<"]
        .iter()
        .any(|anchor| inner.contains(anchor))
}

/// Where the GNU C library looks for groups it loses matches with anchors in a repetition, and it loses groups around
/// back references: patterns with those are compared by whether they match, and by where.
#[test]
fn patterns_match_as_the_hosts_do() {
    let mut patterns = Patterns {
        random: Random::new(7),
        extended: false,
        refers_back: false,
    };
    let (mut compiled, mut matched) = (0, 0);
    for round in 0..effort(12_000, 400_000) {
        patterns.extended = patterns.random.below(2) == 0;
        patterns.refers_back = round % 8 == 0;
        let pattern = match patterns.random.below(6) {
            0 => patterns.noise(),
            _ => patterns.pattern(4),
        };
        let refers_back = pattern.contains("\\1");
        if refers_back && is_anchored_within(&pattern) {
            continue;
        }
        let mut flags = patterns.extended as c_int;
        flags |= if patterns.random.below(4) == 0 { 2 } else { 0 };
        let by_lines = patterns.random.below(4) == 0;
        flags |= if by_lines { 4 } else { 0 };
        let alphabet: &[u8] = if by_lines { b"aabbcA -\n" } else { b"aabbcA -" };
        SYMBOLIC.store(patterns.random.below(2) == 0, Ordering::Relaxed);
        let source = CString::new(pattern.clone()).unwrap();
        let source = source.as_ptr().cast();
        unsafe {
            let mut theirs = [0u64; 8];
            let mut ours: regex::regex_t = zeroed();
            let wanted = host::regcomp(theirs.as_mut_ptr(), source, flags);
            let got = regex::regcomp(&mut ours, source, flags);
            assert_eq!(got, wanted, "{pattern:?} with {flags}");
            if wanted != 0 {
                continue;
            }
            compiled += 1;
            assert_eq!(ours.re_nsub, theirs[6] as usize, "{pattern:?}");
            for _ in 0..6 {
                let line = text(&mut patterns.random, alphabet, 7);
                let line = CString::new(line).unwrap();
                let at = line.as_ptr().cast();
                let how = patterns.random.below(4) as c_int;
                let count = match patterns.random.below(5) {
                    _ if is_anchored_within(&pattern) && !refers_back => 0,
                    choice => [0, 1, 2, 9, 9][choice],
                };
                let (mut a, mut b) = ([[7; 2]; 10], [[7; 2]; 10]);
                let wanted = host::regexec(theirs.as_ptr(), at, count, b.as_mut_ptr(), how);
                let got = regex::regexec(&ours, at, count, a.as_mut_ptr().cast(), how);
                let what = format!("{pattern:?} with {flags} on {line:?} with {how}");
                assert_eq!(got, wanted, "{what}");
                matched += usize::from(wanted == 0);
                let compared = if refers_back { count.min(1) } else { count };
                // All that was given is left as it is where nothing matches.
                let compared = if wanted == 0 { compared } else { 10 };
                assert_eq!(a[..compared], b[..compared], "{what}");
            }
            host::regfree(theirs.as_mut_ptr());
            regex::regfree(&mut ours);
        }
    }
    assert!(compiled > 5_000 && matched > 10_000, "{compiled} {matched}");
}

#[test]
fn gnu_searches_are_the_hosts() {
    // Those of awk, grep, egrep, POSIX and emacs.
    const SYNTAXES: [u64; 6] = [0x9b3fc, 0xa1bc, 0x2a1bc, 0x3b2fc, 0x10102c6, 0];
    let mut patterns = Patterns {
        random: Random::new(11),
        extended: true,
        refers_back: false,
    };
    for _ in 0..effort(6_000, 200_000) {
        let pattern = match patterns.random.below(4) {
            0 => patterns.noise(),
            _ => patterns.pattern(3),
        };
        // See above.
        if pattern.contains("\\1") || is_anchored_within(&pattern) {
            continue;
        }
        let syntax = SYNTAXES[patterns.random.below(SYNTAXES.len())];
        SYMBOLIC.store(patterns.random.below(2) == 0, Ordering::Relaxed);
        unsafe {
            let mut theirs = [0u64; 8];
            let mut ours: regex::regex_t = zeroed();
            host::re_set_syntax(syntax);
            regex::re_set_syntax(syntax);
            let (from, len) = (pattern.as_ptr(), pattern.len());
            let wanted = host::re_compile_pattern(from, len, theirs.as_mut_ptr());
            let got = regex::re_compile_pattern(from, len, &mut ours);
            let words = |text: *const c_char| {
                (!text.is_null()).then(|| std::ffi::CStr::from_ptr(text).to_owned())
            };
            assert_eq!(words(got), words(wanted), "{pattern:?} with {syntax:x}");
            if !wanted.is_null() {
                continue;
            }
            let mut a: Registers = zeroed();
            let mut b: Registers = zeroed();
            for _ in 0..4 {
                let line = text(&mut patterns.random, b"aabbcA -\n", 8);
                let (at, len) = (line.as_ptr(), line.len() as c_int);
                let start = patterns.random.below(line.len() + 1) as c_int;
                let range = patterns.random.below(18) as c_int - 9;
                let registers: *mut Registers = &mut a;
                let got = regex::re_search(&mut ours, at, len, start, range, registers.cast());
                let wanted = host::re_search(theirs.as_mut_ptr(), at, len, start, range, &mut b);
                let what = format!("{pattern:?} with {syntax:x} on {line:?} {start} {range}");
                assert_eq!(got, wanted, "{what}");
                if wanted >= 0 {
                    assert_eq!(a.spans(), b.spans(), "{what}");
                }
                let got = regex::re_match(&mut ours, at, len, start, registers.cast());
                let wanted = host::re_match(theirs.as_mut_ptr(), at, len, start, &mut b);
                assert_eq!(got, wanted, "{what}");
            }
            host::regfree(theirs.as_mut_ptr());
            regex::regfree(&mut ours);
        }
    }
}

#[test]
fn errors_have_the_hosts_texts() {
    for error in 0..=16 {
        for room in [0, 1, 5, 100] {
            let (mut a, mut b) = ([7u8; 100], [7u8; 100]);
            unsafe {
                let ours: regex::regex_t = zeroed();
                let theirs = [0u64; 8];
                let got = regex::regerror(error, &ours, a.as_mut_ptr(), room);
                let wanted = host::regerror(error, theirs.as_ptr(), b.as_mut_ptr(), room);
                assert_eq!(got, wanted);
            }
            assert_eq!(a, b);
        }
    }
}
