//! Patterns of file names, times as text and encodings of `runtime/`, compiled for this machine and held against the
//! host's own.

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
#[path = "../runtime/fnmatch.rs"]
mod fnmatch;
#[path = "../runtime/iconv.rs"]
mod iconv;
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
#[path = "../runtime/strptime.rs"]
mod strptime;
#[path = "../runtime/time.rs"]
mod time;
#[path = "../runtime/utf8.rs"]
mod utf8;

use std::ffi::{CString, c_char, c_int, c_void};
use std::mem::zeroed;

use refrain_testing::{Random, effort};

/// The host's C library.
#[allow(clashing_extern_declarations)]
mod host {
    use super::*;

    unsafe extern "C" {
        pub fn fnmatch(pattern: *const u8, text: *const u8, flags: c_int) -> c_int;
        pub fn strptime(text: *const u8, format: *const u8, to: *mut time::tm) -> *mut u8;
        pub fn iconv_open(to: *const u8, from: *const u8) -> *mut c_void;
        pub fn iconv_close(conversion: *mut c_void) -> c_int;
        pub fn iconv(
            conversion: *mut c_void,
            from: *mut *mut u8,
            left: *mut usize,
            to: *mut *mut u8,
            room: *mut usize,
        ) -> usize;
        pub fn __errno_location() -> *mut c_int;
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __refrain_is_symbolic(_value: u64) -> c_int {
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __refrain_unsupported(_what: *const c_char) -> ! {
    panic!("something that is not modelled")
}

fn pick<T: Copy>(random: &mut Random, of: &[T]) -> T {
    of[random.below(of.len())]
}

fn joined(random: &mut Random, of: &[&str], most: usize) -> String {
    let len = random.below(most + 1);
    (0..len).map(|_| pick(random, of)).collect()
}

/// The library has one `errno`, for the one thread there is in the machine; tests have several.
fn alone() -> std::sync::MutexGuard<'static, ()> {
    static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());
    ALONE
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[test]
fn names_match_as_the_hosts_do() {
    let _errno = alone();
    let plain = [
        "a",
        "b",
        "A",
        "*",
        "?",
        "[ab]",
        "[!a]",
        "[a-c]",
        ".",
        "/",
        "\\*",
        "[[:alpha:]]",
        "[",
        "]",
        "\\",
        "[^b]",
        "-",
        "[B-b]",
        "[]a]",
    ];
    let extended = [
        "a", "b", "A", "?", "[ab]", ".", "/", "+(a|b)", "@(a|b|)", "!(a)", "?(a/|.)", "!(a*)",
        "+(a|?b)",
    ];
    let text = ["a", "b", "A", ".", "/", "*", "[", "c"];
    let mut random = Random::new(3);
    let mut matched = 0;
    for round in 0..effort(40_000, 1_000_000) {
        let is_extended = round % 2 == 0;
        let parts: &[&str] = if is_extended { &extended } else { &plain };
        let pattern = CString::new(joined(&mut random, parts, 6)).unwrap();
        let name = CString::new(joined(&mut random, &text, 5)).unwrap();
        let flags = random.below(32) as c_int | if is_extended { 32 } else { 0 };
        unsafe {
            let (p, n) = (pattern.as_ptr().cast(), name.as_ptr().cast());
            let wanted = host::fnmatch(p, n, flags);
            let got = fnmatch::fnmatch(p, n, flags);
            assert_eq!(got, wanted, "{pattern:?} on {name:?} with {flags:#x}");
            matched += usize::from(wanted == 0);
        }
    }
    assert!(matched > 3_000, "{matched}");
}

/// A conversion, and a text that it may or may not take.
fn time_part(random: &mut Random) -> (&'static str, String) {
    let mut number = |low: usize, count: usize| (low + random.below(count)).to_string();
    match number(0, 20).parse::<usize>().unwrap_or(0) {
        0 => ("%d", number(0, 33)),
        1 => ("%H", number(0, 25)),
        2 => ("%I", number(0, 14)),
        3 => ("%j", number(0, 366)),
        4 => ("%m", number(0, 14)),
        5 => ("%M", number(0, 61)),
        6 => ("%S", number(0, 63)),
        7 => ("%Y", number(1890, 300)),
        8 => ("%y", number(0, 100)),
        9 => ("%C", number(15, 10)),
        10 => ("%w", number(0, 8)),
        11 => ("%u", number(0, 9)),
        12 => (
            "%T",
            format!("{}:{}:{}", number(0, 24), number(0, 60), number(0, 60)),
        ),
        13 => (
            "%D",
            format!("{}/{}/{}", number(1, 12), number(1, 28), number(0, 100)),
        ),
        14 => (
            "%F",
            format!("{}-{}-{}", number(1900, 200), number(1, 12), number(1, 28)),
        ),
        15 => ("%s", number(0, 4_000_000_000)),
        16 => ("%p", pick(random, &["AM", "pm", "PM", "xm"]).to_string()),
        17 => {
            let days = ["Mon", "tuesday", "Sunday", "Xyz"];
            ("%a", pick(random, &days).to_string())
        }
        18 => {
            let months = ["Jan", "february", "Dec", "May", "x"];
            ("%b", pick(random, &months).to_string())
        }
        _ => {
            let zones = ["+0100", "-02:30", "Z", "+5", "+1260", " +01"];
            ("%z", pick(random, &zones).to_string())
        }
    }
}

#[test]
fn times_are_read_as_the_host_does() {
    let _errno = alone();
    // SAFETY: this is the only test here that has to do with time zones.
    unsafe { std::env::set_var("TZ", "UTC") };
    let mut random = Random::new(5);
    let mut read = 0;
    for _ in 0..effort(20_000, 500_000) {
        let (mut format, mut text) = (String::new(), String::new());
        for _ in 0..=random.below(4) {
            let (conversion, value) = time_part(&mut random);
            let between = pick(&mut random, &[" ", ",", "", " ", "-"]);
            format += &format!("{conversion}{between}");
            text += &format!("{value}{between}");
        }
        let (form, line) = (CString::new(format).unwrap(), CString::new(text).unwrap());
        unsafe {
            let (mut a, mut b): (time::tm, time::tm) = (zeroed(), zeroed());
            (a.tm_mday, b.tm_mday) = (1, 1);
            let at: *const u8 = line.as_ptr().cast();
            let wanted = host::strptime(at, form.as_ptr().cast(), &mut b);
            let got = strptime::strptime(at, form.as_ptr().cast(), &mut a);
            assert_eq!(got, wanted, "{line:?} as {form:?}");
            // The host's calendar starts with year 1.
            if wanted.is_null() || b.tm_year <= -1900 {
                continue;
            }
            read += 1;
            let fields = |t: &time::tm| {
                (
                    [t.tm_sec, t.tm_min, t.tm_hour, t.tm_mday, t.tm_mon],
                    [t.tm_year, t.tm_wday, t.tm_yday],
                    t.tm_gmtoff,
                )
            };
            assert_eq!(fields(&a), fields(&b), "{line:?} as {form:?}");
        }
    }
    assert!(read > 5_000, "{read}");
}

/// Texts that are as well formed as the encoding wants, and others. The room for the result is never used up by text
/// that is wrong at that very place: of that and of `//IGNORE` the host has several opinions.
#[test]
fn encodings_are_converted_as_the_hosts_do() {
    let _errno = alone();
    let encodings = [
        "UTF-8",
        "UTF-16",
        "UTF-16LE",
        "UTF-16BE",
        "UTF-32",
        "UTF-32LE",
        "UTF-32BE",
        "ISO-8859-1",
        "ASCII",
    ];
    let mut random = Random::new(9);
    let mut converted = 0;
    for _ in 0..effort(20_000, 500_000) {
        let (from, to) = (pick(&mut random, &encodings), pick(&mut random, &encodings));
        let len = random.below(10);
        let is_wrong = random.below(2) == 0;
        let text: Vec<u8> = if is_wrong {
            let bytes = [
                b'a', 0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0xff, 0xfe, 0, 0xd8,
                0xdc,
            ];
            (0..len).map(|_| pick(&mut random, &bytes)).collect()
        } else {
            let characters = ['a', '\u{e9}', '\u{20ac}', '\u{1f600}', 'z'];
            let text: String = (0..len).map(|_| pick(&mut random, &characters)).collect();
            match from {
                "UTF-16" | "UTF-16LE" => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
                "UTF-16BE" => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
                "UTF-32" | "UTF-32LE" => text
                    .chars()
                    .flat_map(|c| u32::from(c).to_le_bytes())
                    .collect(),
                "UTF-32BE" => text
                    .chars()
                    .flat_map(|c| u32::from(c).to_be_bytes())
                    .collect(),
                _ => text.into_bytes(),
            }
        };
        let is_narrow = matches!(to, "ASCII" | "ISO-8859-1");
        let room = if is_wrong || is_narrow {
            64
        } else {
            pick(&mut random, &[64, 5, 3])
        };
        let (source, target) = (CString::new(from).unwrap(), CString::new(to).unwrap());
        unsafe {
            let (source, target) = (source.as_ptr().cast(), target.as_ptr().cast());
            let theirs = host::iconv_open(target, source);
            let ours = iconv::iconv_open(target, source);
            let convert = |is_ours: bool| {
                let mut buffer = [0u8; 64];
                let (mut at, mut left) = (text.as_ptr().cast_mut(), text.len());
                let (mut out, mut free) = (buffer.as_mut_ptr(), room);
                let (in_at, in_left) = (&raw mut at, &raw mut left);
                let (out_at, out_left) = (&raw mut out, &raw mut free);
                let (result, error) = if is_ours {
                    let result = iconv::iconv(ours, in_at, in_left, out_at, out_left);
                    (result, *errno::__errno_location())
                } else {
                    let result = host::iconv(theirs, in_at, in_left, out_at, out_left);
                    (result, *host::__errno_location())
                };
                let error = (result == usize::MAX).then_some(error);
                (result, error, left, buffer[..room - free].to_vec())
            };
            let wanted = convert(false);
            assert_eq!(convert(true), wanted, "{text:x?} from {from} to {to}");
            converted += usize::from(wanted.0 != usize::MAX);
            host::iconv_close(theirs);
            iconv::iconv_close(ours);
        }
    }
    assert!(converted > 3_000, "{converted}");
}
