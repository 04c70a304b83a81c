//! The C library of `runtime/`, compiled for this machine and held against the
//! host's own on edge cases and random inputs; and the shape of its bitcode.

#![cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
#![allow(
    dead_code,
    non_upper_case_globals,
    non_camel_case_types,
    non_snake_case,
    unsafe_op_in_unsafe_fn,
    clippy::missing_safety_doc,
    clippy::upper_case_acronyms,
    clippy::too_many_arguments
)]

// The modules of `runtime/lib.rs`, which find each other by `crate::` as there.
#[path = "../runtime/ctype.rs"]
mod ctype;
#[path = "../runtime/env.rs"]
mod env;
#[path = "../runtime/errno.rs"]
mod errno;
#[path = "../runtime/exit.rs"]
mod exit;
#[path = "../runtime/fenv.rs"]
mod fenv;
#[path = "../runtime/fnmatch.rs"]
mod fnmatch;
#[path = "../runtime/fortify.rs"]
mod fortify;
#[path = "../runtime/getopt.rs"]
mod getopt;
#[path = "../runtime/iconv.rs"]
mod iconv;
#[path = "../runtime/list.rs"]
mod list;
#[path = "../runtime/locale.rs"]
mod locale;
#[path = "../runtime/math.rs"]
mod math;
#[path = "../runtime/messages.rs"]
mod messages;
#[path = "../runtime/misc.rs"]
mod misc;
#[path = "../runtime/native.rs"]
mod native;
#[path = "../runtime/network.rs"]
mod network;
#[path = "../runtime/obstack.rs"]
mod obstack;
#[path = "../runtime/processor.rs"]
mod processor;
#[path = "../runtime/random.rs"]
mod random;
#[path = "../runtime/regex/mod.rs"]
mod regex;
#[path = "../runtime/schedule.rs"]
mod schedule;
#[path = "../runtime/search.rs"]
mod search;
#[path = "../runtime/signal.rs"]
mod signal;
#[path = "../runtime/sort.rs"]
mod sort;
#[path = "../runtime/stdio.rs"]
mod stdio;
#[path = "../runtime/stdlib.rs"]
mod stdlib;
#[path = "../runtime/string.rs"]
mod string;
#[path = "../runtime/strptime.rs"]
mod strptime;
#[path = "../runtime/thread.rs"]
mod thread;
#[path = "../runtime/time.rs"]
mod time;
#[path = "../runtime/users.rs"]
mod users;
#[path = "../runtime/utf8.rs"]
mod utf8;
#[path = "../runtime/walk.rs"]
mod walk;
#[path = "../runtime/wide.rs"]
mod wide;
#[path = "../runtime/wider.rs"]
mod wider;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CStr, CString, c_char, c_int, c_long, c_uint, c_void};
use std::ptr::{null, null_mut};
use std::sync::{Mutex, MutexGuard};

use refrain_testing::Random;

/// The host's C library.
#[allow(clashing_extern_declarations)]
mod host {
    use super::*;

    pub type Compare = unsafe extern "C" fn(*const c_void, *const c_void) -> c_int;

    unsafe extern "C" {
        pub fn strlen(s: *const u8) -> usize;
        pub fn strnlen(s: *const u8, n: usize) -> usize;
        pub fn strcpy(to: *mut u8, s: *const u8) -> *mut u8;
        pub fn stpcpy(to: *mut u8, s: *const u8) -> *mut u8;
        pub fn strncpy(to: *mut u8, s: *const u8, n: usize) -> *mut u8;
        pub fn stpncpy(to: *mut u8, s: *const u8, n: usize) -> *mut u8;
        pub fn strcat(to: *mut u8, s: *const u8) -> *mut u8;
        pub fn strncat(to: *mut u8, s: *const u8, n: usize) -> *mut u8;
        pub fn strxfrm(to: *mut u8, s: *const u8, n: usize) -> usize;
        pub fn strcmp(a: *const u8, b: *const u8) -> c_int;
        pub fn strcoll(a: *const u8, b: *const u8) -> c_int;
        pub fn strncmp(a: *const u8, b: *const u8, n: usize) -> c_int;
        pub fn strcasecmp(a: *const u8, b: *const u8) -> c_int;
        pub fn strncasecmp(a: *const u8, b: *const u8, n: usize) -> c_int;
        pub fn strverscmp(a: *const u8, b: *const u8) -> c_int;
        pub fn strchr(s: *const u8, c: c_int) -> *mut u8;
        pub fn strrchr(s: *const u8, c: c_int) -> *mut u8;
        pub fn strchrnul(s: *const u8, c: c_int) -> *mut u8;
        pub fn index(s: *const u8, c: c_int) -> *mut u8;
        pub fn rindex(s: *const u8, c: c_int) -> *mut u8;
        pub fn rawmemchr(s: *const u8, c: c_int) -> *mut u8;
        pub fn strstr(s: *const u8, w: *const u8) -> *mut u8;
        pub fn strcasestr(s: *const u8, w: *const u8) -> *mut u8;
        pub fn strpbrk(s: *const u8, w: *const u8) -> *mut u8;
        pub fn strspn(s: *const u8, w: *const u8) -> usize;
        pub fn strcspn(s: *const u8, w: *const u8) -> usize;
        pub fn strtok(s: *mut u8, w: *const u8) -> *mut u8;
        pub fn strtok_r(s: *mut u8, w: *const u8, save: *mut *mut u8) -> *mut u8;
        pub fn strsep(s: *mut *mut u8, w: *const u8) -> *mut u8;
        pub fn memchr(s: *const u8, c: c_int, n: usize) -> *mut u8;
        pub fn memrchr(s: *const u8, c: c_int, n: usize) -> *mut u8;
        pub fn memcmp(a: *const u8, b: *const u8, n: usize) -> c_int;
        pub fn memmem(s: *const u8, n: usize, w: *const u8, m: usize) -> *mut u8;
        pub fn memccpy(to: *mut u8, from: *const u8, c: c_int, n: usize) -> *mut u8;
        pub fn basename(s: *const u8) -> *mut u8;
        pub fn __xpg_basename(s: *mut u8) -> *mut u8;
        pub fn dirname(s: *mut u8) -> *mut u8;
        pub fn strerror(n: c_int) -> *mut u8;
        pub fn strerror_r(n: c_int, to: *mut u8, size: usize) -> *mut u8;
        pub fn __xpg_strerror_r(n: c_int, to: *mut u8, size: usize) -> c_int;
        pub fn strsignal(n: c_int) -> *mut u8;
        pub fn inet_aton(text: *const u8, to: *mut u32) -> c_int;
        pub fn inet_addr(text: *const u8) -> u32;
        pub fn inet_pton(family: c_int, text: *const u8, to: *mut c_void) -> c_int;
        pub fn inet_ntop(family: c_int, from: *const c_void, to: *mut u8, room: u32) -> *const u8;
        pub fn inet_ntoa(address: u32) -> *const u8;
        pub fn inet_makeaddr(net: u32, host: u32) -> u32;
        pub fn inet_lnaof(address: u32) -> u32;
        pub fn inet_netof(address: u32) -> u32;
        pub fn ffs(n: c_int) -> c_int;
        pub fn ffsll(n: i64) -> c_int;
        pub fn swab(from: *const u8, to: *mut u8, n: isize);
        pub fn __errno_location() -> *mut c_int;

        pub fn __ctype_b_loc() -> *const *const u16;
        pub fn __ctype_tolower_loc() -> *const *const c_int;
        pub fn __ctype_toupper_loc() -> *const *const c_int;
        pub fn isalnum(c: c_int) -> c_int;
        pub fn isalpha(c: c_int) -> c_int;
        pub fn isblank(c: c_int) -> c_int;
        pub fn iscntrl(c: c_int) -> c_int;
        pub fn isdigit(c: c_int) -> c_int;
        pub fn isgraph(c: c_int) -> c_int;
        pub fn islower(c: c_int) -> c_int;
        pub fn isprint(c: c_int) -> c_int;
        pub fn ispunct(c: c_int) -> c_int;
        pub fn isspace(c: c_int) -> c_int;
        pub fn isupper(c: c_int) -> c_int;
        pub fn isxdigit(c: c_int) -> c_int;
        pub fn tolower(c: c_int) -> c_int;
        pub fn toupper(c: c_int) -> c_int;
        pub fn isascii(c: c_int) -> c_int;
        pub fn toascii(c: c_int) -> c_int;
        pub fn iswalpha(c: c_uint) -> c_int;
        pub fn iswpunct(c: c_uint) -> c_int;
        pub fn iswspace(c: c_uint) -> c_int;
        pub fn towlower(c: c_uint) -> c_uint;
        pub fn towupper(c: c_uint) -> c_uint;
        pub fn btowc(c: c_int) -> c_uint;
        pub fn wctob(c: c_uint) -> c_int;

        pub fn wcslen(s: *const c_int) -> usize;
        pub fn wcscmp(a: *const c_int, b: *const c_int) -> c_int;
        pub fn wcsncmp(a: *const c_int, b: *const c_int, n: usize) -> c_int;
        pub fn wcschr(s: *const c_int, c: c_int) -> *mut c_int;
        pub fn wcsrchr(s: *const c_int, c: c_int) -> *mut c_int;
        pub fn wcsstr(s: *const c_int, w: *const c_int) -> *mut c_int;
        pub fn wcsspn(s: *const c_int, w: *const c_int) -> usize;
        pub fn wcscspn(s: *const c_int, w: *const c_int) -> usize;
        pub fn wmemcmp(a: *const c_int, b: *const c_int, n: usize) -> c_int;
        pub fn wcsncpy(to: *mut c_int, s: *const c_int, n: usize) -> *mut c_int;
        pub fn wcstol(s: *const c_int, end: *mut *mut c_int, base: c_int) -> c_long;
        pub fn mbrtowc(to: *mut c_int, s: *const u8, n: usize, state: *mut c_void) -> usize;
        pub fn wcrtomb(to: *mut u8, c: c_int, state: *mut c_void) -> usize;
        pub fn mbtowc(to: *mut c_int, s: *const u8, n: usize) -> c_int;
        pub fn wctomb(to: *mut u8, c: c_int) -> c_int;
        pub fn mbstowcs(to: *mut c_int, s: *const u8, n: usize) -> usize;
        pub fn wcstombs(to: *mut u8, s: *const c_int, n: usize) -> usize;

        pub fn strtol(s: *const u8, end: *mut *mut u8, base: c_int) -> i64;
        pub fn strtoll(s: *const u8, end: *mut *mut u8, base: c_int) -> i64;
        pub fn strtoul(s: *const u8, end: *mut *mut u8, base: c_int) -> u64;
        pub fn strtoull(s: *const u8, end: *mut *mut u8, base: c_int) -> u64;
        pub fn strtoimax(s: *const u8, end: *mut *mut u8, base: c_int) -> i64;
        pub fn strtoumax(s: *const u8, end: *mut *mut u8, base: c_int) -> u64;
        pub fn atoi(s: *const u8) -> c_int;
        pub fn strtod(s: *const u8, end: *mut *mut u8) -> f64;
        pub fn strtof(s: *const u8, end: *mut *mut u8) -> f32;

        pub fn qsort(base: *mut c_void, n: usize, size: usize, f: Compare);
        pub fn bsearch(
            key: *const c_void,
            base: *const c_void,
            n: usize,
            size: usize,
            f: Compare,
        ) -> *mut c_void;

        pub fn srand(seed: c_uint);
        pub fn rand() -> c_int;
        pub fn srandom(seed: c_uint);
        pub fn random() -> c_long;
        pub fn rand_r(seed: *mut c_uint) -> c_int;
        pub fn srand48(seed: c_long);
        pub fn seed48(x: *mut u16) -> *mut u16;
        pub fn lcong48(x: *mut u16);
        pub fn drand48() -> f64;
        pub fn lrand48() -> c_long;
        pub fn mrand48() -> c_long;
        pub fn erand48(x: *mut u16) -> f64;
        pub fn nrand48(x: *mut u16) -> c_long;
        pub fn jrand48(x: *mut u16) -> c_long;

        pub fn setenv(name: *const c_char, value: *const c_char, replace: c_int) -> c_int;
        pub fn tzset();
        pub fn gmtime_r(at: *const i64, to: *mut time::tm) -> *mut time::tm;
        pub fn localtime_r(at: *const i64, to: *mut time::tm) -> *mut time::tm;
        pub fn timegm(t: *mut time::tm) -> i64;
        pub fn mktime(t: *mut time::tm) -> i64;
        pub fn asctime_r(t: *const time::tm, to: *mut u8) -> *mut u8;
        pub fn strftime(to: *mut u8, n: usize, f: *const u8, t: *const time::tm) -> usize;
        pub fn difftime(a: i64, b: i64) -> f64;

        pub static mut optarg: *mut u8;
        pub static mut optind: c_int;
        pub static mut opterr: c_int;
        pub static mut optopt: c_int;
        pub fn getopt(argc: c_int, argv: *mut *mut u8, options: *const u8) -> c_int;
        pub fn getopt_long(
            argc: c_int,
            argv: *mut *mut u8,
            options: *const u8,
            longs: *const getopt::LongOption,
            index: *mut c_int,
        ) -> c_int;
        pub fn getopt_long_only(
            argc: c_int,
            argv: *mut *mut u8,
            options: *const u8,
            longs: *const getopt::LongOption,
            index: *mut c_int,
        ) -> c_int;

        pub static mut stderr: *mut c_void;
        pub fn open_memstream(bytes: *mut *mut u8, len: *mut usize) -> *mut c_void;
        pub fn fopen(path: *const c_char, mode: *const c_char) -> *mut c_void;
        pub fn fclose(f: *mut c_void) -> c_int;
        pub fn fflush(f: *mut c_void) -> c_int;
        pub fn fputc(c: c_int, f: *mut c_void) -> c_int;
        pub fn fputs(s: *const u8, f: *mut c_void) -> c_int;
        pub fn fgetc(f: *mut c_void) -> c_int;
        pub fn ungetc(c: c_int, f: *mut c_void) -> c_int;
        pub fn fread(to: *mut c_void, size: usize, n: usize, f: *mut c_void) -> usize;
        pub fn fwrite(from: *const c_void, size: usize, n: usize, f: *mut c_void) -> usize;
        pub fn fgets(to: *mut u8, n: c_int, f: *mut c_void) -> *mut u8;
        pub fn getline(line: *mut *mut u8, n: *mut usize, f: *mut c_void) -> isize;
        pub fn fseek(f: *mut c_void, offset: c_long, whence: c_int) -> c_int;
        pub fn ftell(f: *mut c_void) -> c_long;
        pub fn feof(f: *mut c_void) -> c_int;
        pub fn ferror(f: *mut c_void) -> c_int;
        pub fn clearerr(f: *mut c_void);
        pub fn fmemopen(bytes: *mut u8, n: usize, mode: *const c_char) -> *mut c_void;

        pub fn nl_langinfo(item: c_int) -> *mut u8;
        pub fn localeconv() -> *const u8;
        pub fn sigemptyset(set: *mut [u64; 16]) -> c_int;
        pub fn sigfillset(set: *mut [u64; 16]) -> c_int;
        pub fn sigaddset(set: *mut [u64; 16], n: c_int) -> c_int;
        pub fn sigdelset(set: *mut [u64; 16], n: c_int) -> c_int;
        pub fn sigismember(set: *const [u64; 16], n: c_int) -> c_int;

        pub fn open(path: *const c_char, flags: c_int, ...) -> c_int;
        pub fn pipe(fds: *mut c_int) -> c_int;
        pub fn dup2(from: c_int, to: c_int) -> c_int;
        pub fn fork() -> c_int;
        pub fn waitpid(pid: c_int, status: *mut c_int, options: c_int) -> c_int;
    }
}

// What the machine supplies and the host does not.

#[unsafe(no_mangle)]
unsafe extern "C" fn __refrain_open(path: *const c_char, flags: c_int, mode: c_int) -> c_int {
    host::open(path, flags, mode)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __refrain_tmpfile() -> c_int {
    // O_TMPFILE | O_RDWR
    host::open(c"/tmp".as_ptr(), 0o20200002, 0o600)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __refrain_parse_f64(text: *const c_char, len: usize) -> f64 {
    let text = CString::new(std::slice::from_raw_parts(text.cast::<u8>(), len)).unwrap();
    host::strtod(text.as_ptr().cast(), null_mut())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __refrain_parse_f32(text: *const c_char, len: usize) -> f32 {
    let text = CString::new(std::slice::from_raw_parts(text.cast::<u8>(), len)).unwrap();
    host::strtof(text.as_ptr().cast(), null_mut())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __refrain_thread_switch() {
    panic!("there is one thread")
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __refrain_clock_sleep() -> c_int {
    panic!("one thread waits for nobody")
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __refrain_raise(_signal: c_int) -> c_int {
    77
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __refrain_unsupported(what: *const c_char) -> ! {
    eprintln!("{:?}", CStr::from_ptr(what));
    std::process::abort()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __refrain_division_by_zero() -> ! {
    panic!("a division by zero")
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __refrain_division_overflow() -> ! {
    panic!("a division that overflows")
}

/// Bytes are compared one by one here.
#[unsafe(no_mangle)]
unsafe extern "C" fn __refrain_compared_len(
    _a: *const u8,
    _b: *const u8,
    _most: usize,
    _is_string: c_int,
) -> usize {
    usize::MAX
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __refrain_compare(
    _a: *const u8,
    _b: *const u8,
    _len: usize,
    _strings: c_int,
) -> c_int {
    unreachable!("bytes that are compared one by one")
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __refrain_is_symbolic(_value: u64) -> c_int {
    0
}

/// Both libraries have state of which there is one.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

struct Rng(Random);

impl Rng {
    fn new(seed: u64) -> Rng {
        Rng(Random::new(seed))
    }

    fn next(&mut self) -> u64 {
        self.0.next()
    }

    fn below(&mut self, n: usize) -> usize {
        self.0.below(n)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// A terminated string of up to `max` bytes.
    fn text(&mut self, alphabet: &[u8], max: usize) -> Vec<u8> {
        let len = self.below(max + 1);
        let mut text: Vec<u8> = (0..len).map(|_| self.pick(alphabet)).collect();
        text.push(0);
        text
    }
}

/// Where in `base` a result points.
fn offset(base: *const u8, at: *const u8) -> Option<usize> {
    (!at.is_null()).then(|| at as usize - base as usize)
}

unsafe fn text<'a>(s: *const u8) -> Option<&'a [u8]> {
    (!s.is_null()).then(|| CStr::from_ptr(s.cast()).to_bytes())
}

/// The bitcode as text; written by the build script beside the bitcode itself.
static LISTING: &str = include_str!(concat!(env!("OUT_DIR"), "/runtime.ll"));
static BITCODE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/runtime.bc"));

/// The name after the first `@` of a line that defines, declares or calls.
fn name(line: &str) -> Option<&str> {
    let rest = &line[line.find('@')? + 1..];
    rest.split(['(', ' ', ',']).next()
}

#[test]
fn the_bitcode_needs_only_what_the_machine_supplies() {
    assert_eq!(&BITCODE[..4], b"BC\xc0\xde");
    let supplied: BTreeSet<&str> = "__refrain_parse_ld malloc realloc free memcpy memmove memset read write lseek \
        close unlink rmdir time abort _exit __chk_fail __refrain_open __refrain_tmpfile \
        __refrain_parse_f64 __refrain_parse_f32 __refrain_raise __refrain_unsupported __refrain_division_by_zero \
        __refrain_division_overflow __refrain_set_jump \
        __refrain_long_jump __refrain_thread_switch __refrain_thread_leave __refrain_thread_unwinds getpid \
        __refrain_clock_sleep clock_gettime __refrain_is_symbolic __refrain_compared_len __refrain_compare opendir \
        readdir closedir stat lstat mktemp"
        .split_whitespace()
        .collect();
    let mut declared = BTreeSet::new();
    for line in LISTING.lines() {
        if line.starts_with("declare") {
            declared.insert(name(line).unwrap());
        }
        assert!(!line.contains(" alias "), "{line}");
        assert!(
            !(line.starts_with('@') && line.contains(" external ")),
            "{line}"
        );
    }
    let foreign: Vec<_> = declared
        .iter()
        .filter(|name| !supplied.contains(*name) && !name.starts_with("llvm."))
        .collect();
    assert!(foreign.is_empty(), "undefined: {foreign:?}");
}

#[test]
fn the_bitcode_calls_nothing_a_program_may_replace() {
    let exported: BTreeSet<&str> = LISTING
        .lines()
        .filter(|line| line.starts_with("define") && !line.starts_with("define internal"))
        .map(|line| name(line).unwrap())
        .collect();
    assert!(exported.len() > 450, "{}", exported.len());
    for needed in [
        "strlen",
        "qsort",
        "strtod",
        "exit",
        "fwrite",
        "getopt_long",
        "strftime",
    ] {
        assert!(exported.contains(needed), "{needed}");
    }
    let mut inside = "";
    for line in LISTING.lines() {
        if line.starts_with("define") {
            inside = name(line).unwrap();
        } else if line.contains("call ") && line.contains('@') {
            let called = name(line).unwrap();
            let private = called.starts_with("__refrain_") || called == inside;
            assert!(
                private || !exported.contains(called),
                "{inside} calls {called}"
            );
            // A loop must not have become a call of itself.
            assert!(called != inside || inside == "tdestroy" || inside.starts_with("_ZN"));
        }
    }
}

const ALPHABET: &[u8] = b"aAbB/.z\x80\xff1";

#[test]
fn strings_are_compared_and_searched_like_the_hosts() {
    let mut rng = Rng::new(1);
    for _ in 0..20000 {
        let a = rng.text(ALPHABET, 8);
        let mut b = rng.text(ALPHABET, 4);
        if rng.below(3) == 0 {
            b = a.clone();
            let i = rng.below(b.len());
            b[i] = b[i].to_ascii_uppercase();
        }
        let n = rng.below(8);
        let c = rng.pick(b"aAz\x80\xff\0/") as c_int | rng.pick(&[0, 256, -256]);
        let (p, q) = (a.as_ptr(), b.as_ptr());
        macro_rules! same {
            ($name:ident, $result:ident => $view:expr, $($arg:expr),*) => {{
                let ours = { let $result = unsafe { string::$name($($arg),*) }; $view };
                let theirs = { let $result = unsafe { host::$name($($arg),*) }; $view };
                assert_eq!(ours, theirs, "{} {a:?} {b:?} {c} {n}", stringify!($name));
            }};
        }
        same!(strlen, r => r, p);
        same!(strnlen, r => r, p, n);
        same!(strcmp, r => r.signum(), p, q);
        same!(strcoll, r => r.signum(), p, q);
        same!(strncmp, r => r.signum(), p, q, n);
        same!(strcasecmp, r => r.signum(), p, q);
        same!(strncasecmp, r => r.signum(), p, q, n);
        same!(strchr, r => offset(p, r), p, c);
        same!(strrchr, r => offset(p, r), p, c);
        same!(strchrnul, r => offset(p, r), p, c);
        same!(index, r => offset(p, r), p, c);
        same!(rindex, r => offset(p, r), p, c);
        same!(rawmemchr, r => offset(p, r), p, 0);
        same!(strstr, r => offset(p, r), p, q);
        same!(strcasestr, r => offset(p, r), p, q);
        same!(strpbrk, r => offset(p, r), p, q);
        same!(strspn, r => r, p, q);
        same!(strcspn, r => r, p, q);
        let n = n.min(a.len());
        let m = n.min(b.len());
        same!(memchr, r => offset(p, r), p, c, n);
        same!(memrchr, r => offset(p, r), p, c, n);
        same!(memcmp, r => r.signum(), p, q, m);
        same!(memmem, r => offset(p, r), p, n, q, m);
        same!(basename, r => offset(p, r), p);
    }
}

#[test]
fn versions_are_ordered_like_the_hosts() {
    let mut rng = Rng::new(2);
    for _ in 0..50000 {
        let a = rng.text(b"0019a", 6);
        let b = rng.text(b"0019a", 6);
        let (p, q) = (a.as_ptr(), b.as_ptr());
        let (ours, theirs) = unsafe { (string::strverscmp(p, q), host::strverscmp(p, q)) };
        assert_eq!(ours.signum(), theirs.signum(), "{a:?} {b:?}");
    }
}

#[test]
fn strings_are_copied_like_the_hosts() {
    let mut rng = Rng::new(3);
    for _ in 0..20000 {
        let a = rng.text(ALPHABET, 8);
        let start = rng.text(ALPHABET, 8);
        let n = rng.below(12);
        let c = rng.pick(ALPHABET) as c_int;
        macro_rules! same {
            ($name:ident, $result:ident => $view:expr, $to:ident, $($arg:expr),*) => {{
                let mut ours = [0xee_u8; 40];
                ours[..start.len()].copy_from_slice(&start);
                let mut theirs = ours;
                let x = {
                    let $to = ours.as_mut_ptr();
                    let $result = unsafe { string::$name($($arg),*) };
                    $view
                };
                let y = {
                    let $to = theirs.as_mut_ptr();
                    let $result = unsafe { host::$name($($arg),*) };
                    $view
                };
                assert_eq!((x, ours), (y, theirs), "{} {start:?} {a:?} {n}", stringify!($name));
            }};
        }
        let s = a.as_ptr();
        same!(strcpy, r => offset(to, r), to, to, s);
        same!(stpcpy, r => offset(to, r), to, to, s);
        same!(strncpy, r => offset(to, r), to, to, s, n);
        same!(stpncpy, r => offset(to, r), to, to, s, n);
        same!(strcat, r => offset(to, r), to, to, s);
        same!(strncat, r => offset(to, r), to, to, s, n);
        same!(memccpy, r => offset(to, r), to, to, s, c, n.min(a.len()));
        same!(swab, r => r, to, s, to, (n & !1).min(a.len() & !1) as isize);
        if a.len() <= n {
            // Otherwise what is written is unspecified.
            same!(strxfrm, r => r, to, to, s, n);
        }
        unsafe {
            let copy = string::strndup(s, n);
            assert_eq!(text(copy).unwrap(), &a[..n.min(a.len() - 1)]);
            native::free(copy.cast());
            let copy = string::strdup(s);
            assert_eq!(text(copy), text(s));
            native::free(copy.cast());
        }
        // The host's library may be too old for these two.
        let mut to = [0xee_u8; 40];
        let len = a.len() - 1;
        assert_eq!(unsafe { string::strlcpy(to.as_mut_ptr(), s, n) }, len);
        if n > 0 {
            let kept = len.min(n - 1);
            assert_eq!((&to[..kept], to[kept]), (&a[..kept], 0));
        }
        assert!(to[n..].iter().all(|&b| b == 0xee));
        to[..start.len()].copy_from_slice(&start);
        let had = (start.len() - 1).min(n);
        assert_eq!(unsafe { string::strlcat(to.as_mut_ptr(), s, n) }, had + len);
        if had < n {
            let joined = [&start[..had], &a[..len]].concat();
            let kept = joined.len().min(n - 1);
            assert_eq!((&to[..kept], to[kept]), (&joined[..kept], 0));
        }
    }
}

#[test]
fn strings_are_cut_like_the_hosts() {
    let _alone = alone();
    let mut rng = Rng::new(4);
    for _ in 0..20000 {
        let a = rng.text(b"ab,;", 10);
        let set = rng.text(b",;", 2);
        let q = set.as_ptr();
        let (mut ours, mut theirs) = (a.clone(), a.clone());
        let (p, h) = (ours.as_mut_ptr(), theirs.as_mut_ptr());
        let (mut s, mut t) = (null_mut(), null_mut());
        let (mut first, mut other) = (p, h);
        loop {
            let x = offset(p, unsafe { string::strtok_r(first, q, &mut s) });
            let y = offset(h, unsafe { host::strtok_r(other, q, &mut t) });
            assert_eq!((x, offset(p, s)), (y, offset(h, t)), "{a:?} {set:?}");
            (first, other) = (null_mut(), null_mut());
            if x.is_none() {
                break;
            }
        }
        assert_eq!(ours, theirs);
        let (mut ours, mut theirs) = (a.clone(), a.clone());
        let (p, h) = (ours.as_mut_ptr(), theirs.as_mut_ptr());
        let (mut first, mut other) = (p, h);
        loop {
            let x = offset(p, unsafe { string::strtok(first, q) });
            assert_eq!(x, offset(h, unsafe { host::strtok(other, q) }));
            (first, other) = (null_mut(), null_mut());
            if x.is_none() {
                break;
            }
        }
        let (mut ours, mut theirs) = (a.clone(), a.clone());
        let (p, h) = (ours.as_mut_ptr(), theirs.as_mut_ptr());
        let (mut s, mut t) = (p, h);
        loop {
            let x = offset(p, unsafe { string::strsep(&mut s, q) });
            let y = offset(h, unsafe { host::strsep(&mut t, q) });
            assert_eq!((x, offset(p, s)), (y, offset(h, t)), "{a:?} {set:?}");
            if x.is_none() {
                break;
            }
        }
        assert_eq!(ours, theirs);
    }
}

#[test]
fn paths_are_split_like_the_hosts() {
    let mut rng = Rng::new(5);
    for _ in 0..20000 {
        let a = rng.text(b"//a.", 7);
        let (mut x, mut y) = (a.clone(), a.clone());
        unsafe {
            let ours = text(string::__xpg_basename(x.as_mut_ptr()));
            assert_eq!(
                ours,
                text(host::__xpg_basename(y.as_mut_ptr())),
                "basename {a:?}"
            );
            let (mut x, mut y) = (a.clone(), a.clone());
            let ours = text(string::dirname(x.as_mut_ptr()));
            assert_eq!(ours, text(host::dirname(y.as_mut_ptr())), "dirname {a:?}");
        }
    }
    unsafe {
        assert_eq!(text(string::dirname(null_mut())), Some(&b"."[..]));
        assert_eq!(text(string::__xpg_basename(null_mut())), Some(&b"."[..]));
    }
}

#[test]
fn errors_and_signals_have_the_hosts_texts() {
    let _alone = alone();
    for n in (-3..140).chain([c_int::MIN, c_int::MAX]) {
        unsafe {
            assert_eq!(text(string::strerror(n)), text(host::strerror(n)));
            assert_eq!(text(string::strsignal(n)), text(host::strsignal(n)));
            for size in [1, 5, 12, 80] {
                let (mut x, mut y) = ([7u8; 80], [7u8; 80]);
                let ours = string::__xpg_strerror_r(n, x.as_mut_ptr(), size);
                let theirs = host::__xpg_strerror_r(n, y.as_mut_ptr(), size);
                assert_eq!(ours, theirs, "{n} {size}");
                assert_eq!(text(x.as_ptr()), text(y.as_ptr()), "{n} {size}");
                let ours = string::strerror_r(n, x.as_mut_ptr(), size);
                let theirs = host::strerror_r(n, y.as_mut_ptr(), size);
                assert_eq!(text(ours), text(theirs), "{n} {size}");
            }
        }
    }
}

#[test]
fn characters_are_classed_like_the_hosts() {
    for c in -128..256 {
        unsafe {
            let at = c as isize;
            let table = *ctype::__ctype_b_loc().cast::<*const u16>();
            assert_eq!(
                *table.offset(at),
                *(*host::__ctype_b_loc()).offset(at),
                "{c}"
            );
            let table = *ctype::__ctype_tolower_loc().cast::<*const c_int>();
            assert_eq!(
                *table.offset(at),
                *(*host::__ctype_tolower_loc()).offset(at),
                "{c}"
            );
            let table = *ctype::__ctype_toupper_loc().cast::<*const c_int>();
            assert_eq!(
                *table.offset(at),
                *(*host::__ctype_toupper_loc()).offset(at),
                "{c}"
            );
        }
    }
    macro_rules! same {
        ($module:ident $type:ty: $($name:ident)*) => {
            $(for c in -1..256 {
                let c = c as $type;
                // The compiler knows these names and would answer itself, if only
                // with some other true value.
                let theirs: unsafe extern "C" fn($type) -> _ = std::hint::black_box(host::$name);
                let (x, y) = unsafe { ($module::$name(c), theirs(c)) };
                assert_eq!(x, y, "{}({c})", stringify!($name));
            })*
        };
    }
    same!(ctype c_int: isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct
        isspace isupper isxdigit tolower toupper toascii);
    for c in -1..256 {
        assert_eq!(unsafe { ctype::isascii(c) != 0 }, unsafe {
            host::isascii(c) != 0
        });
        assert_eq!(unsafe { wide::iswalpha(c as u32) != 0 }, unsafe {
            host::iswalpha(c as u32) != 0
        });
        assert_eq!(unsafe { wide::iswpunct(c as u32) != 0 }, unsafe {
            host::iswpunct(c as u32) != 0
        });
        assert_eq!(unsafe { wide::iswspace(c as u32) != 0 }, unsafe {
            host::iswspace(c as u32) != 0
        });
    }
    same!(wide c_uint: towlower towupper wctob);
    same!(wide c_int: btowc);
}

#[test]
fn network_addresses_are_read_and_shown_like_the_hosts() {
    let _alone = alone();
    let mut rng = Rng::new(31);
    for _ in 0..refrain_testing::effort(60_000, 2_000_000) {
        let alphabet: &[u8] = rng.pick(&[
            &b"0123456789."[..],
            &b"0:1.fF"[..],
            &b"012..x 7a"[..],
            &b"::::0af129."[..],
        ]);
        let text = rng.text(alphabet, 20);
        let at = text.as_ptr();
        unsafe {
            let (mut a, mut b) = ([7u32; 4], [7u32; 4]);
            let what = String::from_utf8_lossy(&text).to_string();
            let ours = network::inet_aton(at, a.as_mut_ptr());
            assert_eq!(ours, host::inet_aton(at, b.as_mut_ptr()), "{what}");
            assert_eq!(a, b, "{what}");
            assert_eq!(network::inet_addr(at), host::inet_addr(at), "{what}");
            for family in [2, 10, 3] {
                let ours = network::inet_pton(family, at, a.as_mut_ptr().cast());
                let theirs = host::inet_pton(family, at, b.as_mut_ptr().cast());
                assert_eq!(ours, theirs, "{what}");
                assert_eq!(a, b, "{what}");
            }
        }
    }
    for _ in 0..20_000 {
        let mut address = [0u8; 16];
        for group in 0..8 {
            let value = rng.pick(&[0u16, 0, 0, 1, 0xffff, 0x1234, 0x0a00]);
            address[2 * group..][..2].copy_from_slice(&value.to_be_bytes());
        }
        let word = rng.next() as u32;
        unsafe {
            for family in [2, 10] {
                let room = rng.below(60) as u32;
                let (mut a, mut b) = ([0u8; 64], [0u8; 64]);
                let from = address.as_ptr().cast();
                let ours = network::inet_ntop(family, from, a.as_mut_ptr(), room);
                let theirs = host::inet_ntop(family, from, b.as_mut_ptr(), room);
                assert_eq!(ours.is_null(), theirs.is_null(), "{address:x?} {room}");
                if !ours.is_null() {
                    assert_eq!(text(a.as_ptr()), text(b.as_ptr()), "{address:x?}");
                }
            }
            assert_eq!(text(network::inet_ntoa(word)), text(host::inet_ntoa(word)));
            assert_eq!(network::inet_lnaof(word), host::inet_lnaof(word));
            assert_eq!(network::inet_netof(word), host::inet_netof(word));
            let net = word >> rng.pick(&[0, 8, 16, 25]);
            let (ours, theirs) = (
                network::inet_makeaddr(net, word),
                host::inet_makeaddr(net, word),
            );
            assert_eq!(ours, theirs, "{net:x} {word:x}");
            assert_eq!(network::htonl(word), word.to_be());
            assert_eq!(network::ntohs(word as u16), (word as u16).to_be());
        }
    }
}

#[test]
fn bits_are_found_like_the_hosts() {
    for shift in 0..64 {
        for value in [1i64 << shift, -1i64 << shift, 0] {
            unsafe {
                assert_eq!(string::ffsll(value), host::ffsll(value));
                assert_eq!(string::ffs(value as c_int), host::ffs(value as c_int));
            }
        }
    }
}

#[test]
fn integers_are_read_like_the_hosts() {
    let _alone = alone();
    let mut rng = Rng::new(6);
    let mut texts: Vec<Vec<u8>> = [
        "",
        "-",
        "+",
        "0",
        "-0",
        "0x",
        "0xg",
        "0x1",
        "-0X1f",
        "+017",
        "08",
        "0b1",
        "  12",
        "\t-7z",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616",
        "-18446744073709551615",
        "-18446744073709551616",
        "0xffffffffffffffff",
        "0x10000000000000000",
        "zzzzzzzzzzzzz",
        "ZZZZZZZZZZZZZZ",
        "1777777777777777777777",
        "2000000000000000000000",
        "--1",
        "+-1",
        " + 1",
        "999999999999999999999999999999999",
        "3w5e11264sgsf",
        "3w5e11264sgsg",
        "1y2p0ij32e8e7",
        "1y2p0ij32e8e8",
    ]
    .iter()
    .map(|s| [s.as_bytes(), b"\0"].concat())
    .collect();
    for _ in 0..4000 {
        let mut text = rng.text(b" \t+-0xX", 3);
        text.pop();
        text.extend(rng.text(b"0123456789abfzZ", 24));
        texts.push(text);
    }
    for s in &texts {
        for base in [0, 10, 16, 2, 8, 36, 7, 1, -1, 37] {
            macro_rules! same {
                ($($name:ident)*) => {$(unsafe {
                    let p = s.as_ptr();
                    let (mut x, mut y) = (null_mut::<u8>(), null_mut::<u8>());
                    *errno::__errno_location() = 0;
                    *host::__errno_location() = 0;
                    let ours = stdlib::$name(p, &mut x, base);
                    let theirs = host::$name(p, &mut y, base);
                    let error = *host::__errno_location();
                    assert_eq!(
                        (ours, offset(p, x), *errno::__errno_location()),
                        (theirs, offset(p, y), error),
                        "{}({:?}, {base})", stringify!($name), String::from_utf8_lossy(s)
                    );
                })*};
            }
            same!(strtol strtoll strtoul strtoull strtoimax strtoumax);
        }
        unsafe {
            assert_eq!(stdlib::atoi(s.as_ptr()), host::atoi(s.as_ptr()));
            // What C23 adds.
            let mut end = null_mut();
            let value = stdlib::__isoc23_strtol(c"0b101".as_ptr().cast(), &mut end, 0);
            assert_eq!((value, *end), (5, 0));
            assert_eq!(
                stdlib::__isoc23_strtol(c"0b2".as_ptr().cast(), &mut end, 2),
                0
            );
            assert_eq!(*end, b'b');
            assert_eq!(
                stdlib::__isoc23_strtoul(c"0b1".as_ptr().cast(), null_mut(), 16),
                0xb1
            );
        }
    }
}

#[test]
fn floating_numbers_are_read_like_the_hosts() {
    let _alone = alone();
    let mut rng = Rng::new(7);
    let mut texts: Vec<Vec<u8>> = [
        "",
        ".",
        "-",
        "1",
        "-1.5",
        ".5",
        "5.",
        "1e5",
        "1e",
        "1e+",
        "1e+5",
        "1e-5x",
        "0x",
        "0x.",
        "0x1",
        "0x.8",
        "0x1p3",
        "0x1p",
        "0x1.8p-1",
        "inf",
        "-INF",
        "infinity",
        "infinit",
        "in",
        "nan",
        "-nan",
        "NaN(12_a)",
        "nan(",
        "nan(-)",
        "1e999",
        "-1e999",
        "1e-999",
        "0e-999",
        "0.000e5",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "3.4e38",
        "3.5e38",
        "1e-50",
        "  +3.25e2",
        "1..2",
        "1.2.3",
        "e5",
        "0x1e5",
        "1p5",
    ]
    .iter()
    .map(|s| [s.as_bytes(), b"\0"].concat())
    .collect();
    for _ in 0..20000 {
        texts.push(rng.text(b" +-.0123456789eExXpPinfat(", 9));
    }
    for s in &texts {
        unsafe {
            let p = s.as_ptr();
            let (mut x, mut y) = (null_mut::<u8>(), null_mut::<u8>());
            *errno::__errno_location() = 0;
            *host::__errno_location() = 0;
            let theirs = host::strtod(p, &mut y).to_bits();
            let error = *host::__errno_location();
            let ours = stdlib::strtod(p, &mut x).to_bits();
            assert_eq!(
                (ours, offset(p, x), *errno::__errno_location()),
                (theirs, offset(p, y), error),
                "{:?}",
                String::from_utf8_lossy(s)
            );
            *errno::__errno_location() = 0;
            *host::__errno_location() = 0;
            let theirs = host::strtof(p, &mut y).to_bits();
            let error = *host::__errno_location();
            let ours = stdlib::strtof(p, &mut x).to_bits();
            assert_eq!((ours, offset(p, x)), (theirs, offset(p, y)));
            // A tiny result that is exact is no error; ours cannot tell.
            if f32::from_bits(theirs).is_normal() || theirs << 1 == 0 {
                assert_eq!(*errno::__errno_location(), error);
            }
        }
    }
}

#[test]
fn division_truncates() {
    for (n, d) in [(7, 2), (-7, 2), (7, -2), (-7, -2), (0, 5), (i32::MIN, 1)] {
        let r = unsafe { stdlib::div(n, d) };
        assert_eq!((r.quot, r.rem), (n / d, n % d));
        let (n, d) = (n as i64, d as i64);
        let r = unsafe { stdlib::ldiv(n, d) };
        assert_eq!((r.quot, r.rem), (n / d, n % d));
    }
    unsafe {
        assert_eq!(
            (stdlib::abs(-3), stdlib::llabs(-4), stdlib::labs(5)),
            (3, 4, 5)
        )
    };
}

/// The keys compared, in order.
static COMPARED: Mutex<Vec<(u8, u8)>> = Mutex::new(Vec::new());

unsafe extern "C" fn by_first_byte(a: *const c_void, b: *const c_void) -> c_int {
    let (x, y) = (*a.cast::<u8>(), *b.cast::<u8>());
    COMPARED.lock().unwrap().push((x, y));
    x as c_int - y as c_int
}

unsafe extern "C" fn by_first_byte_with(
    a: *const c_void,
    b: *const c_void,
    sign: *mut c_void,
) -> c_int {
    (*a.cast::<u8>() as c_int - *b.cast::<u8>() as c_int) * *sign.cast::<c_int>()
}

#[test]
fn arrays_are_sorted_and_searched_like_the_hosts() {
    let _alone = alone();
    let mut rng = Rng::new(8);
    for round in 0..600 {
        let size = rng.pick(&[1, 4, 8, 12, 40]);
        let count = rng.below(if round % 10 == 0 { 400 } else { 20 });
        let mut ours: Vec<u8> = (0..count * size).map(|_| rng.below(16) as u8).collect();
        let mut theirs = ours.clone();
        let mut expected: Vec<Vec<u8>> = ours.chunks(size).map(<[u8]>::to_vec).collect();
        expected.sort_by_key(|element| element[0]);
        let mut down = ours.clone();
        unsafe {
            COMPARED.lock().unwrap().clear();
            sort::qsort(ours.as_mut_ptr().cast(), count, size, by_first_byte);
            let calls = std::mem::take(&mut *COMPARED.lock().unwrap());
            host::qsort(theirs.as_mut_ptr().cast(), count, size, by_first_byte);
            assert_eq!(ours, expected.concat());
            // A later library sorts in another way, and not stably.
            if ours == theirs {
                assert_eq!(calls, std::mem::take(&mut *COMPARED.lock().unwrap()));
            }
            let mut sign: c_int = -1;
            sort::qsort_r(
                down.as_mut_ptr().cast(),
                count,
                size,
                by_first_byte_with,
                (&raw mut sign).cast(),
            );
            expected.sort_by_key(|element| std::cmp::Reverse(element[0]));
            assert_eq!(down, expected.concat());
            for key in 0..17u8 {
                let k = (&raw const key).cast();
                let base = ours.as_ptr().cast();
                let x = sort::bsearch(k, base, count, size, by_first_byte);
                let y = host::bsearch(k, base, count, size, by_first_byte);
                assert_eq!(x, y);
                let mut n = count;
                let found = sort::lfind(k, base, &mut n, size, by_first_byte);
                let at = ours.chunks(size).position(|element| element[0] == key);
                assert_eq!(offset(ours.as_ptr(), found.cast()), at.map(|at| at * size));
            }
        }
    }
    unsafe {
        let mut bytes = [3u8, 1, 0];
        let mut count = 2;
        let key = 9u8;
        let base = bytes.as_mut_ptr().cast();
        let at = sort::lsearch((&raw const key).cast(), base, &mut count, 1, by_first_byte);
        assert_eq!(
            (offset(base.cast(), at.cast()), count, bytes),
            (Some(2), 3, [3, 1, 9])
        );
    }
}

#[test]
fn random_sequences_are_the_hosts() {
    let _alone = alone();
    unsafe {
        // Before any seed.
        for _ in 0..100 {
            assert_eq!(random::random(), host::random());
        }
        for _ in 0..20 {
            assert_eq!(random::lrand48(), host::lrand48());
        }
        for seed in [0, 1, 2, 42, 0x7fff_ffff, 0x8000_0000, u32::MAX] {
            random::srand(seed);
            host::srand(seed);
            for _ in 0..500 {
                assert_eq!(random::rand(), host::rand(), "seed {seed}");
            }
            random::srandom(seed);
            host::srandom(seed);
            for _ in 0..100 {
                assert_eq!(random::random(), host::random(), "seed {seed}");
            }
            let (mut x, mut y) = (seed, seed);
            for _ in 0..50 {
                assert_eq!(random::rand_r(&mut x), host::rand_r(&mut y));
            }
            assert_eq!(x, y);
            random::srand48(seed as c_long - 5);
            host::srand48(seed as c_long - 5);
            let mut x = [seed as u16, 7, 9];
            let mut y = x;
            for round in 0..200 {
                let (p, q) = (x.as_mut_ptr(), y.as_mut_ptr());
                assert_eq!(random::drand48().to_bits(), host::drand48().to_bits());
                assert_eq!(random::lrand48(), host::lrand48());
                assert_eq!(random::mrand48(), host::mrand48());
                assert_eq!(random::erand48(p).to_bits(), host::erand48(q).to_bits());
                assert_eq!(random::nrand48(p), host::nrand48(q));
                assert_eq!(random::jrand48(p), host::jrand48(q));
                assert_eq!(x, y);
                if round == 50 {
                    let old = random::seed48(x.as_mut_ptr());
                    let other = host::seed48(y.as_mut_ptr());
                    assert_eq!(*old.cast::<[u16; 3]>(), *other.cast::<[u16; 3]>());
                }
                if round == 100 {
                    let mut parameters = [1u16, 2, 3, 0xe66d, 0xdeec, 6, 12];
                    random::lcong48(parameters.as_mut_ptr());
                    host::lcong48(parameters.as_mut_ptr());
                }
            }
        }
    }
}

fn fields(t: &time::tm) -> ([c_int; 9], c_long) {
    let parts = [
        t.tm_sec, t.tm_min, t.tm_hour, t.tm_mday, t.tm_mon, t.tm_year, t.tm_wday, t.tm_yday,
        t.tm_isdst,
    ];
    (parts, t.tm_gmtoff)
}

fn blank_time() -> time::tm {
    time::tm {
        tm_sec: 0,
        tm_min: 0,
        tm_hour: 0,
        tm_mday: 1,
        tm_mon: 0,
        tm_year: 70,
        tm_wday: 0,
        tm_yday: 0,
        tm_isdst: 0,
        tm_gmtoff: 0,
        tm_zone: c"UTC".as_ptr(),
    }
}

fn in_utc() {
    unsafe {
        host::setenv(c"TZ".as_ptr(), c"UTC0".as_ptr(), 1);
        host::tzset();
    }
}

#[test]
fn times_are_broken_down_and_put_together_like_the_hosts() {
    let _alone = alone();
    in_utc();
    let mut rng = Rng::new(9);
    let mut times = vec![
        0,
        -1,
        86399,
        86400,
        951782400,
        951868800,
        4107542400,
        -2203891200,
    ];
    times.extend([i64::MAX, i64::MIN, 67768036191676799, 67768036191676800]);
    times.extend([
        -67768040609740800,
        -67768040609740801,
        -62135596800,
        -62167219201,
    ]);
    for _ in 0..20000 {
        let bits = rng.below(60) as u32;
        let at = (rng.next() & ((1 << bits) - 1)) as i64;
        times.push(if rng.below(2) == 0 { at } else { -at });
    }
    for &at in &times {
        unsafe {
            let (mut x, mut y) = (blank_time(), blank_time());
            let ours = time::gmtime_r(&at, &mut x);
            let theirs = host::gmtime_r(&at, &mut y);
            assert_eq!(ours.is_null(), theirs.is_null(), "{at}");
            if ours.is_null() {
                continue;
            }
            assert_eq!(fields(&x), fields(&y), "{at}");
            assert_eq!(text(x.tm_zone.cast()), text(y.tm_zone.cast()));
            assert_eq!(time::timegm(&mut x), at);
            let (mut x, mut y) = (blank_time(), blank_time());
            time::localtime_r(&at, &mut x);
            host::localtime_r(&at, &mut y);
            assert_eq!(fields(&x), fields(&y), "{at}");
            assert_eq!(text(x.tm_zone.cast()), text(y.tm_zone.cast()));
            let (mut p, mut q) = ([0u8; 64], [0u8; 64]);
            let ours = time::asctime_r(&x, p.as_mut_ptr());
            let theirs = host::asctime_r(&y, q.as_mut_ptr());
            assert_eq!(text(ours), text(theirs), "{at}");
        }
    }
    for _ in 0..20000 {
        let mut value = |range: usize| rng.below(2 * range) as c_int - range as c_int;
        let mut x = time::tm {
            tm_sec: value(100_000),
            tm_min: value(5000),
            tm_hour: value(1000),
            tm_mday: value(2000),
            tm_mon: value(60),
            tm_year: value(3000),
            ..blank_time()
        };
        let mut y = x;
        unsafe {
            assert_eq!(time::mktime(&mut x), host::mktime(&mut y));
            assert_eq!(fields(&x), fields(&y));
            let mut z = x;
            assert_eq!(time::timegm(&mut x), host::timegm(&mut z));
            assert_eq!(time::difftime(5, 7), host::difftime(5, 7));
        }
    }
}

#[test]
fn times_are_shown_like_the_hosts() {
    let _alone = alone();
    in_utc();
    let mut rng = Rng::new(10);
    for round in 0..60000 {
        let bits = 8 + rng.below(32) as u32;
        let at = (rng.next() & ((1 << bits) - 1)) as i64 - if round % 3 == 0 { 1 << 36 } else { 0 };
        let mut t = blank_time();
        unsafe { host::gmtime_r(&at, &mut t) };
        let conversion = rng.pick(b"aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ%Q");
        let mut format = b"<%".to_vec();
        if rng.below(3) == 0 {
            format.push(rng.pick(b"_-0^#"));
        }
        if rng.below(4) == 0 {
            format.push(rng.pick(b"1345679"));
        }
        if rng.below(8) == 0 && b"CxXyYc".contains(&conversion) {
            format.push(b'E');
        } else if rng.below(8) == 0 && b"deHImMSuUVwWy".contains(&conversion) {
            format.push(b'O');
        }
        format.push(conversion);
        format.extend(b">\0");
        let (mut x, mut y) = ([0u8; 100], [0u8; 100]);
        let room = rng.pick(&[0, 3, 5, 8, 100]);
        unsafe {
            let ours = time::strftime(x.as_mut_ptr(), room, format.as_ptr(), &t);
            let theirs = host::strftime(y.as_mut_ptr(), room, format.as_ptr(), &t);
            let shown = String::from_utf8_lossy(&format);
            assert_eq!(ours, theirs, "{shown} of {at} in {room}");
            assert_eq!(
                String::from_utf8_lossy(&x[..ours]),
                String::from_utf8_lossy(&y[..ours]),
                "{shown} of {at}"
            );
        }
    }
}

struct Line {
    words: Vec<Vec<u8>>,
    pointers: Vec<*mut u8>,
}

impl Line {
    fn new(words: &[&str]) -> Line {
        let mut words: Vec<Vec<u8>> = words
            .iter()
            .map(|word| [word.as_bytes(), b"\0"].concat())
            .collect();
        let mut pointers: Vec<*mut u8> = words.iter_mut().map(|word| word.as_mut_ptr()).collect();
        pointers.push(null_mut());
        Line { words, pointers }
    }

    fn order(&self) -> Vec<String> {
        let all = &self.pointers[..self.words.len()];
        all.iter()
            .map(|&p| String::from_utf8_lossy(unsafe { text(p) }.unwrap()).into())
            .collect()
    }
}

#[test]
fn options_are_taken_like_the_hosts() {
    let _alone = alone();
    let mut rng = Rng::new(11);
    static mut FLAG: c_int = 0;
    let option = |name: &'static CStr, has_arg, flag, val| getopt::LongOption {
        name: name.as_ptr().cast(),
        has_arg,
        flag,
        val,
    };
    let longs = [
        option(c"alpha", 0, null_mut(), 300),
        option(c"alpine", 1, null_mut(), 301),
        option(c"beta", 2, null_mut(), 302),
        option(c"flag", 0, &raw mut FLAG, 303),
        option(c"b", 1, null_mut(), 304),
        // Either is meant by what both begin with.
        option(c"gamma", 0, null_mut(), 305),
        option(c"gamut", 0, null_mut(), 305),
        getopt::LongOption {
            name: null(),
            has_arg: 0,
            flag: null_mut(),
            val: 0,
        },
    ];
    let words = [
        "-a",
        "-b",
        "-bx",
        "-ab",
        "-c",
        "-cx",
        "--",
        "-",
        "x",
        "y",
        "--alpha",
        "--alp",
        "--alpi",
        "--alpine=3",
        "--beta",
        "--beta=4",
        "--alpha=5",
        "--flag",
        "--none",
        "-x",
        "-alpha",
        "-beta",
        "-abx",
        "--b",
        "--al",
        "-:",
        "-fl",
        "--be=",
        "--ga",
        "-gam",
        "--gamu",
    ];
    for _ in 0..40000 {
        let kind = rng.below(3);
        let options = rng.pick(&[c"ab:c::", c"+ab:c::", c"-ab:c::", c":ab:c::", c"abc"]);
        let mut line = vec!["prog"];
        for _ in 0..rng.below(7) {
            line.push(rng.pick(&words));
        }
        let (mut ours, mut theirs) = (Line::new(&line), Line::new(&line));
        let argc = line.len() as c_int;
        unsafe {
            // What is said about errors, caught in memory.
            let (mut said, mut said_len) = (null_mut(), 0);
            let (mut told, mut told_len) = (null_mut(), 0);
            let (our_stderr, their_stderr) = (stdio::stderr, host::stderr);
            let (sink, other) = (
                stdio::open_memstream(&mut said, &mut said_len),
                host::open_memstream(&mut told, &mut told_len),
            );
            getopt::optind = 0;
            host::optind = 0;
            let (mut ours_log, mut theirs_log) = (Vec::new(), Vec::new());
            for step in 0..20 {
                let (mut x, mut y) = (-7, -7);
                let (p, q) = (ours.pointers.as_mut_ptr(), theirs.pointers.as_mut_ptr());
                let (o, l) = (options.as_ptr().cast(), longs.as_ptr());
                stdio::stderr = sink;
                host::stderr = other;
                FLAG = 0;
                let code = match kind {
                    0 => getopt::getopt(argc, p, o),
                    1 => getopt::getopt_long(argc, p, o, l, &mut x),
                    _ => getopt::getopt_long_only(argc, p, o, l, &mut x),
                };
                let flag = (&raw mut FLAG).replace(0);
                let expected = match kind {
                    0 => host::getopt(argc, q, o),
                    1 => host::getopt_long(argc, q, o, l, &mut y),
                    _ => host::getopt_long_only(argc, q, o, l, &mut y),
                };
                stdio::stderr = our_stderr;
                host::stderr = their_stderr;
                let rejected = |code| code == b'?' as c_int || code == b':' as c_int;
                ours_log.push((
                    code,
                    getopt::optind,
                    text(getopt::optarg).map(<[u8]>::to_vec),
                    if rejected(code) { getopt::optopt } else { 0 },
                    (x, flag),
                    ours.order(),
                ));
                theirs_log.push((
                    expected,
                    host::optind,
                    text(host::optarg).map(<[u8]>::to_vec),
                    if rejected(expected) { host::optopt } else { 0 },
                    (y, FLAG),
                    theirs.order(),
                ));
                assert_eq!(
                    ours_log[step], theirs_log[step],
                    "{kind} {options:?} {line:?} step {step}"
                );
                if code == -1 {
                    break;
                }
            }
            stdio::fclose(sink);
            host::fclose(other);
            assert_eq!(
                text(said).map(String::from_utf8_lossy),
                text(told).map(String::from_utf8_lossy),
                "{kind} {options:?} {line:?}"
            );
            native::free(said.cast());
            native::free(told.cast());
        }
    }
}

#[test]
fn wide_strings_are_the_hosts() {
    let _alone = alone();
    let mut rng = Rng::new(12);
    let wide_text = |rng: &mut Rng| -> Vec<c_int> {
        let mut s: Vec<c_int> = (0..rng.below(7))
            .map(|_| rng.pick(&[97, 98, 65, 0x80, 0x20ac, -5]))
            .collect();
        s.push(0);
        s
    };
    for _ in 0..20000 {
        let (a, b) = (wide_text(&mut rng), wide_text(&mut rng));
        let (p, q) = (a.as_ptr(), b.as_ptr());
        let n = rng.below(7);
        let c = rng.pick(&[97, 0, 0x80]);
        unsafe {
            assert_eq!(wide::wcslen(p), host::wcslen(p));
            assert_eq!(
                wide::wcscmp(p, q),
                host::wcscmp(p, q).signum(),
                "{a:?} {b:?}"
            );
            assert_eq!(wide::wcsncmp(p, q, n), host::wcsncmp(p, q, n).signum());
            assert_eq!(wide::wcschr(p, c), host::wcschr(p, c));
            assert_eq!(wide::wcsrchr(p, c), host::wcsrchr(p, c));
            assert_eq!(wide::wcsstr(p, q), host::wcsstr(p, q));
            assert_eq!(wide::wcsspn(p, q), host::wcsspn(p, q));
            assert_eq!(wide::wcscspn(p, q), host::wcscspn(p, q));
            let m = n.min(a.len()).min(b.len());
            assert_eq!(wide::wmemcmp(p, q, m), host::wmemcmp(p, q, m).signum());
            let (mut x, mut y) = ([9; 12], [9; 12]);
            wide::wcsncpy(x.as_mut_ptr(), p, n);
            host::wcsncpy(y.as_mut_ptr(), p, n);
            assert_eq!(x, y);
            let (mut x, mut y) = ([9u8; 12], [9u8; 12]);
            let ours = wide::wcstombs(x.as_mut_ptr(), p, n);
            assert_eq!(ours, host::wcstombs(y.as_mut_ptr(), p, n), "{a:?} {n}");
            if ours != usize::MAX {
                assert_eq!(x, y);
            }
            assert_eq!(
                wide::wcstombs(null_mut(), p, 0),
                host::wcstombs(null_mut(), p, 0)
            );
            let s = rng.text(b"abc\x80", 6);
            let (mut x, mut y) = ([9; 12], [9; 12]);
            let ours = wide::mbstowcs(x.as_mut_ptr(), s.as_ptr(), n);
            assert_eq!(
                ours,
                host::mbstowcs(y.as_mut_ptr(), s.as_ptr(), n),
                "{s:?} {n}"
            );
            if ours != usize::MAX {
                assert_eq!(x, y);
            }
        }
    }
    for c in 0..=255u8 {
        unsafe {
            let (mut x, mut y) = (-3, -3);
            let mut state = [0u64; 2];
            let ours = wide::mbrtowc(&mut x, &c, 1, null_mut());
            let theirs = host::mbrtowc(&mut y, &c, 1, state.as_mut_ptr().cast());
            assert_eq!((ours, x), (theirs, y), "{c}");
            assert_eq!(wide::mbtowc(&mut x, &c, 1), host::mbtowc(&mut y, &c, 1));
            let (mut x, mut y) = ([0u8; 8], [0u8; 8]);
            let mut state = [0u64; 2];
            let ours = wide::wcrtomb(x.as_mut_ptr(), c as c_int, null_mut());
            let theirs = host::wcrtomb(y.as_mut_ptr(), c as c_int, state.as_mut_ptr().cast());
            assert_eq!((ours, x), (theirs, y), "{c}");
            let ours = wide::wctomb(x.as_mut_ptr(), c as c_int);
            assert_eq!(ours, host::wctomb(y.as_mut_ptr(), c as c_int));
        }
    }
    for s in ["", " -12x", "0x1f", "99999999999999999999"] {
        let s: Vec<c_int> = s.bytes().map(c_int::from).chain([0]).collect();
        let (mut x, mut y) = (null_mut(), null_mut());
        unsafe {
            assert_eq!(
                wide::wcstol(s.as_ptr(), &mut x, 0),
                host::wcstol(s.as_ptr(), &mut y, 0)
            );
        }
        assert_eq!(x, y);
    }
}

fn scratch(name: &str) -> CString {
    let path = std::env::temp_dir().join(format!("refrain-runtime-{}-{name}", std::process::id()));
    CString::new(path.to_str().unwrap()).unwrap()
}

fn contents(path: &CStr) -> Vec<u8> {
    std::fs::read(path.to_str().unwrap()).unwrap()
}

/// The same operations on a stream of ours and one of the host's.
fn compare_streams(rng: &mut Rng, f: *mut stdio::FILE, g: *mut c_void, what: &str) {
    let block: Vec<u8> = (0..9000).map(|i| (i % 251) as u8).collect();
    let mut writing = None;
    let mut log = Vec::new();
    for _ in 0..40 {
        let operation = rng.below(12);
        // A byte pushed back to a stream that cannot be read is the host's joke.
        if operation == 7 && what.starts_with("\"w\"") {
            continue;
        }
        let wants = match operation {
            0..=2 => Some(true),
            3..=7 => Some(false),
            _ => None,
        };
        unsafe {
            // C asks for a seek between writing and reading.
            if wants.is_some() && writing.is_some() && wants != writing {
                assert_eq!(
                    stdio::fseek(f, 0, 1),
                    host::fseek(g, 0, 1),
                    "{what} {log:?}"
                );
            }
            writing = wants.or(writing);
            let n = rng.pick(&[1, 5, 100, 4095, 4096, 4097, 9000]);
            let c = rng.pick(b"xyz\n") as c_int;
            let (mut x, mut y) = (vec![0u8; 9001], vec![0u8; 9001]);
            log.push((operation, n));
            let (ours, theirs): (i64, i64) = match operation {
                0 => (stdio::fputc(c, f) as i64, host::fputc(c, g) as i64),
                1 => (
                    stdio::fwrite(block.as_ptr().cast(), 1, n, f) as i64,
                    host::fwrite(block.as_ptr().cast(), 1, n, g) as i64,
                ),
                2 => {
                    let s = c"some\nlines\n".as_ptr().cast();
                    (
                        (stdio::fputs(s, f) >= 0) as i64,
                        (host::fputs(s, g) >= 0) as i64,
                    )
                }
                3 => (stdio::fgetc(f) as i64, host::fgetc(g) as i64),
                4 => (
                    stdio::fread(x.as_mut_ptr().cast(), 1, n, f) as i64,
                    host::fread(y.as_mut_ptr().cast(), 1, n, g) as i64,
                ),
                5 | 6 => (
                    !stdio::fgets(x.as_mut_ptr(), n as c_int, f).is_null() as i64,
                    !host::fgets(y.as_mut_ptr(), n as c_int, g).is_null() as i64,
                ),
                7 => {
                    // Pushed back and read again.
                    let pushed = (stdio::ungetc(c, f), host::ungetc(c, g));
                    assert_eq!(pushed.0, pushed.1);
                    (stdio::fgetc(f) as i64, host::fgetc(g) as i64)
                }
                8 => {
                    let whence = rng.pick(&[0, 0, 2, 1]);
                    let by = if whence == 0 {
                        n as c_long
                    } else {
                        -(rng.below(3) as c_long)
                    };
                    writing = None;
                    (
                        stdio::fseek(f, by, whence) as i64,
                        host::fseek(g, by, whence) as i64,
                    )
                }
                9 => (stdio::ftell(f), host::ftell(g)),
                // Which would do instead of a seek but for what the host makes of
                // a byte pushed back then.
                10 => (stdio::fflush(f) as i64, host::fflush(g) as i64),
                _ => {
                    stdio::clearerr(f);
                    host::clearerr(g);
                    (0, 0)
                }
            };
            assert_eq!(ours, theirs, "{what} {log:?}");
            assert_eq!(x, y, "{what} {log:?}");
            assert_eq!(stdio::feof(f) != 0, host::feof(g) != 0, "{what} {log:?}");
            assert_eq!(
                stdio::ferror(f) != 0,
                host::ferror(g) != 0,
                "{what} {log:?}"
            );
        }
    }
}

#[test]
fn streams_behave_like_the_hosts() {
    let _alone = alone();
    let mut rng = Rng::new(13);
    let (ours, theirs) = (scratch("ours"), scratch("theirs"));
    for round in 0..600 {
        let mode = rng.pick(&[c"w+", c"r+", c"r", c"w", c"r+b"]);
        let start = vec![b"ab\n"[round % 3]; rng.pick(&[0, 10, 5000, 20000])];
        for path in [&ours, &theirs] {
            std::fs::write(path.to_str().unwrap(), &start).unwrap();
        }
        unsafe {
            let f = stdio::fopen(ours.as_ptr(), mode.as_ptr().cast());
            let g = host::fopen(theirs.as_ptr(), mode.as_ptr());
            assert!(!f.is_null() && !g.is_null());
            compare_streams(&mut rng, f, g, &format!("{mode:?} {}", start.len()));
            assert_eq!(stdio::fclose(f), host::fclose(g));
        }
        assert_eq!(contents(&ours), contents(&theirs), "{mode:?}");
    }
    unsafe {
        // Appending, lines, and modes that are none.
        std::fs::write(ours.to_str().unwrap(), "one\n\ntwo\nlast").unwrap();
        let f = stdio::fopen(ours.as_ptr(), c"r".as_ptr().cast());
        let g = host::fopen(ours.as_ptr(), c"r".as_ptr());
        let (mut x, mut y) = (null_mut(), null_mut());
        let (mut n, mut m) = (0, 0);
        loop {
            let read = stdio::getline(&mut x, &mut n, f);
            assert_eq!(read, host::getline(&mut y, &mut m, g));
            if read < 0 {
                break;
            }
            assert_eq!(text(x), text(y));
        }
        stdio::fclose(f);
        host::fclose(g);
        native::free(x.cast());
        native::free(y.cast());
        let f = stdio::fopen(ours.as_ptr(), c"a".as_ptr().cast());
        stdio::fputs(c"+".as_ptr().cast(), f);
        assert_eq!(stdio::ftell(f), 14);
        stdio::fclose(f);
        assert_eq!(contents(&ours), b"one\n\ntwo\nlast+");
        assert!(stdio::fopen(ours.as_ptr(), c"q".as_ptr().cast()).is_null());
        assert!(stdio::fopen(c"/nonexistent/x".as_ptr(), c"r".as_ptr().cast()).is_null());
        // Unbuffered and line-buffered streams are written at once.
        for buffering in [1, 2] {
            let f = stdio::fopen(ours.as_ptr(), c"w".as_ptr().cast());
            stdio::setvbuf(f, null_mut(), buffering, 0);
            stdio::fputs(c"now\n".as_ptr().cast(), f);
            assert_eq!(contents(&ours), b"now\n");
            stdio::fputc(b'!' as c_int, f);
            stdio::fclose(f);
            assert_eq!(contents(&ours), b"now\n!");
        }
        let f = stdio::fopen(ours.as_ptr(), c"w".as_ptr().cast());
        stdio::fputs(c"later".as_ptr().cast(), f);
        assert_eq!((contents(&ours).len(), stdio::__fpending(f)), (0, 5));
        assert_eq!(stdio::__refrain_flush_all(), 0);
        assert_eq!(contents(&ours), b"later");
        stdio::fclose(f);
        let f = stdio::tmpfile();
        assert_eq!(stdio::__refrain_stream_write(f, b"xy".as_ptr(), 2), 2);
        stdio::rewind(f);
        assert_eq!(stdio::__refrain_stream_getc(f), b'x' as c_int);
        assert_eq!(
            stdio::__refrain_stream_ungetc(b'q' as c_int, f),
            b'q' as c_int
        );
        assert_eq!(stdio::__refrain_stream_getc(f), b'q' as c_int);
        assert_eq!(stdio::__refrain_stream_getc(f), b'y' as c_int);
        assert_eq!(stdio::__refrain_stream_getc(f), -1);
        stdio::fclose(f);
        assert_eq!(stdio::remove(ours.as_ptr()), 0);
        assert_eq!(stdio::remove(theirs.as_ptr()), 0);
        // A stream in memory.
        let mut bytes = *b"hello\nworld\0";
        let f = stdio::fmemopen(bytes.as_mut_ptr(), 11, c"r".as_ptr().cast());
        let g = host::fmemopen(bytes.as_mut_ptr(), 11, c"r".as_ptr());
        for _ in 0..14 {
            assert_eq!(stdio::fgetc(f), host::fgetc(g));
        }
        stdio::fclose(f);
        host::fclose(g);
    }
}

#[test]
fn the_environment_can_be_changed() {
    let _alone = alone();
    let name = |s: &'static CStr| s.as_ptr().cast::<u8>();
    unsafe {
        let mut first = *b"A=1\0";
        let mut second = *b"AB=2\0";
        let mut start = [first.as_mut_ptr(), second.as_mut_ptr(), null_mut()];
        env::environ = start.as_mut_ptr();
        assert_eq!(text(env::getenv(name(c"A"))), Some(&b"1"[..]));
        assert_eq!(text(env::getenv(name(c"AB"))), Some(&b"2"[..]));
        assert_eq!(text(env::getenv(name(c"B"))), None);
        assert_eq!(text(env::getenv(name(c""))), None);
        let mut model = BTreeMap::from([("A".to_string(), 1), ("AB".to_string(), 2)]);
        let mut rng = Rng::new(14);
        for value in 0..3000 {
            let key = rng.pick(&["A", "AB", "B", "C", "CC", "D", "E", "FFFF"]);
            let c_key = CString::new(key).unwrap();
            let p = c_key.as_ptr().cast::<u8>();
            match rng.below(4) {
                0 => {
                    assert_eq!(env::unsetenv(p), 0);
                    model.remove(key);
                }
                1 => {
                    let entry = CString::new(format!("{key}={value}")).unwrap().into_raw();
                    assert_eq!(env::putenv(entry.cast()), 0);
                    model.insert(key.into(), value);
                }
                kind => {
                    let text = CString::new(value.to_string()).unwrap();
                    assert_eq!(env::setenv(p, text.as_ptr().cast(), kind as c_int - 2), 0);
                    if kind == 3 || !model.contains_key(key) {
                        model.insert(key.into(), value);
                    }
                }
            }
            let mut seen = BTreeMap::new();
            let mut at = env::environ;
            while !(*at).is_null() {
                let entry = String::from_utf8_lossy(text(*at).unwrap()).into_owned();
                let (key, value) = entry.split_once('=').unwrap();
                assert!(
                    seen.insert(key.to_string(), value.parse().unwrap())
                        .is_none()
                );
                at = at.add(1);
            }
            assert_eq!(seen, model);
        }
        assert_eq!(env::setenv(name(c"a=b"), name(c"x"), 1), -1);
        assert_eq!(env::unsetenv(name(c"")), -1);
        env::clearenv();
        assert!(env::getenv(name(c"A")).is_null());
        assert_eq!(env::setenv(name(c"A"), name(c"z"), 0), 0);
        assert_eq!(text(env::getenv(name(c"A"))), Some(&b"z"[..]));
        env::clearenv();
    }
}

unsafe extern "C" fn say_first() {
    stdio::puts(c"first".as_ptr().cast());
}

unsafe extern "C" fn say_late() {
    stdio::puts(c"late".as_ptr().cast());
}

unsafe extern "C" fn register_late() {
    exit::atexit(say_late);
    stdio::puts(c"registering".as_ptr().cast());
}

unsafe extern "C" fn say_argument(argument: *mut c_void) {
    stdio::puts(argument.cast());
}

unsafe extern "C" fn say_status(status: c_int, argument: *mut c_void) {
    stdio::fputc(b'0' as c_int + status, stdio::stdout);
    stdio::puts(argument.cast());
}

/// What a child that runs `f` writes to standard output, and its status.
unsafe fn in_child(f: unsafe fn()) -> (String, c_int) {
    let mut fds = [0; 2];
    assert_eq!(host::pipe(fds.as_mut_ptr()), 0);
    let pid = host::fork();
    if pid == 0 {
        host::dup2(fds[1], 1);
        f();
        native::_exit(99);
    }
    native::close(fds[1]);
    let mut output = Vec::new();
    let mut buffer = [0u8; 256];
    loop {
        let n = native::read(fds[0], buffer.as_mut_ptr().cast(), 256);
        if n <= 0 {
            break;
        }
        output.extend(&buffer[..n as usize]);
    }
    native::close(fds[0]);
    let mut status = 0;
    host::waitpid(pid, &mut status, 0);
    (String::from_utf8(output).unwrap(), status)
}

#[test]
fn exit_runs_what_was_registered_backwards_and_then_writes_out() {
    let _alone = alone();
    unsafe {
        let all = in_child(|| {
            exit::atexit(say_first);
            exit::__cxa_atexit(
                say_argument,
                c"argument".as_ptr().cast_mut().cast(),
                null_mut(),
            );
            exit::on_exit(say_status, c" status".as_ptr().cast_mut().cast());
            exit::atexit(register_late);
            stdio::puts(c"main".as_ptr().cast());
            exit::exit(3)
        });
        let lines = "main\nregistering\nlate\n3 status\nargument\nfirst\n";
        assert_eq!(all, (lines.to_string(), 3 << 8));
        let quick = in_child(|| {
            exit::atexit(say_first);
            exit::at_quick_exit(say_late);
            exit::quick_exit(4)
        });
        // Nothing is written out by `quick_exit`.
        assert_eq!(quick, (String::new(), 4 << 8));
        let finalized = in_child(|| {
            let owner = std::ptr::without_provenance_mut;
            for (number, word) in [(1, c"one"), (2, c"two"), (3, c"three")] {
                let word = word.as_ptr().cast_mut().cast();
                exit::__cxa_atexit(say_argument, word, owner(number));
            }
            exit::__cxa_finalize(owner(2));
            exit::exit(0)
        });
        assert_eq!(finalized, ("two\nthree\none\n".to_string(), 0));
    }
}

#[test]
fn the_locale_is_the_hosts_c() {
    unsafe {
        for item in (0x20000..0x20030).chain([14, 0x10000, 0x10001, 0x50000, 0x50001, 0x4000f]) {
            assert_eq!(
                text(locale::nl_langinfo(item)),
                text(host::nl_langinfo(item)),
                "{item:x}"
            );
        }
        let (x, y) = (
            locale::localeconv().cast::<u8>().cast_const(),
            host::localeconv(),
        );
        for i in 0..10 {
            let (x, y) = (*x.cast::<*const u8>().add(i), *y.cast::<*const u8>().add(i));
            assert_eq!(text(x), text(y), "{i}");
        }
        for i in 80..94 {
            assert_eq!(*x.add(i), *y.add(i), "{i}");
        }
        let known = |name: &'static CStr| text(locale::setlocale(6, name.as_ptr().cast()));
        assert_eq!(known(c""), Some(&b"C"[..]));
        assert_eq!(known(c"POSIX"), Some(&b"C"[..]));
        assert_eq!(known(c"de_DE"), None);
        assert_eq!(text(locale::setlocale(0, null())), Some(&b"C"[..]));
        assert!(!locale::newlocale(1, c"C".as_ptr().cast(), null_mut()).is_null());
    }
}

static mut RAISED: c_int = 0;

unsafe extern "C" fn note(signal: c_int) {
    RAISED = signal;
}

#[test]
fn signal_sets_are_the_hosts_and_handlers_are_kept() {
    let _alone = alone();
    let mut rng = Rng::new(15);
    unsafe {
        let (mut x, mut y) = ([1u64; 16], [1u64; 16]);
        let p = (&raw mut x).cast::<signal::Set>();
        for full in [false, true] {
            if full {
                signal::sigfillset(p);
                host::sigfillset(&mut y);
                // The host may fill only what the kernel knows.
                assert_eq!(x[0], y[0]);
            } else {
                signal::sigemptyset(p);
                host::sigemptyset(&mut y);
            }
            for _ in 0..200 {
                let n = rng.pick(&[1, 2, 6, 15, 31, 34, 64, 0, 65, -1]);
                if rng.below(2) == 0 {
                    assert_eq!(signal::sigaddset(p, n), host::sigaddset(&mut y, n), "{n}");
                } else {
                    assert_eq!(signal::sigdelset(p, n), host::sigdelset(&mut y, n), "{n}");
                }
                assert_eq!(x[0], y[0]);
                assert_eq!(signal::sigismember(p, n), host::sigismember(&y, n), "{n}");
            }
        }
        let handler = note as *const c_void;
        assert!(signal::signal(10, handler).is_null());
        assert_eq!(signal::signal(10, handler), handler);
        assert_eq!(signal::raise(10), 0);
        assert_eq!((&raw const RAISED).read(), 10);
        assert_eq!(signal::raise(12), 77);
        assert_eq!(signal::signal(9, handler) as isize, -1);
    }
}

#[test]
fn locks_of_one_thread_work() {
    unsafe {
        let mut mutex = [0u64; 5];
        let m = mutex.as_mut_ptr().cast::<thread::Mutex>();
        assert_eq!(thread::pthread_mutex_lock(m), 0);
        assert_eq!(thread::pthread_mutex_trylock(m), 16);
        assert_eq!(thread::pthread_mutex_unlock(m), 0);
        let recursive = 1;
        thread::pthread_mutex_init(m, &recursive);
        for _ in 0..3 {
            assert_eq!(thread::pthread_mutex_lock(m), 0);
        }
        for _ in 0..3 {
            assert_eq!(thread::pthread_mutex_destroy(m), 16);
            assert_eq!(thread::pthread_mutex_unlock(m), 0);
        }
        assert_eq!(thread::pthread_mutex_destroy(m), 0);
        let mut key = 0;
        assert_eq!(thread::pthread_key_create(&mut key, None), 0);
        assert_eq!(
            thread::pthread_setspecific(key, std::ptr::without_provenance(5)),
            0
        );
        assert_eq!(thread::pthread_getspecific(key) as usize, 5);
        assert_eq!(thread::pthread_key_delete(key), 0);
        assert_eq!(thread::pthread_setspecific(key, null()), 22);
        assert_eq!(thread::pthread_setspecific(5000, null()), 22);
    }
}

unsafe extern "C" fn by_address(a: *const c_void, b: *const c_void) -> c_int {
    (a as usize).cmp(&(b as usize)) as c_int
}

static WALKED: Mutex<Vec<usize>> = Mutex::new(Vec::new());

unsafe extern "C" fn collect(node: *const search::Node, when: c_int, _depth: c_int) {
    if when == 1 || when == 3 {
        WALKED.lock().unwrap().push(*node.cast::<usize>());
    }
}

#[test]
fn trees_keep_their_keys_in_order() {
    let _alone = alone();
    let mut rng = Rng::new(16);
    let mut root: *mut search::Node = null_mut();
    let mut model = BTreeSet::new();
    unsafe {
        for _ in 0..3000 {
            let key = 1 + rng.below(40);
            let p = key as *const c_void;
            if rng.below(2) == 0 {
                assert_eq!(
                    *search::tsearch(p, &mut root, by_address).cast::<usize>(),
                    key
                );
                model.insert(key);
            } else {
                let deleted = !search::tdelete(p, &mut root, by_address).is_null();
                assert_eq!(deleted, model.remove(&key));
            }
            assert_eq!(
                !search::tfind(p, &root, by_address).is_null(),
                model.contains(&key)
            );
            WALKED.lock().unwrap().clear();
            search::twalk(root, collect);
            assert!(WALKED.lock().unwrap().iter().eq(model.iter()));
        }
    }
}

#[test]
fn fortified_functions_do_what_the_plain_ones_do() {
    unsafe {
        let mut to = [0u8; 8];
        let p = to.as_mut_ptr();
        fortify::__strcpy_chk(p, c"abc".as_ptr().cast(), 8);
        fortify::__strcat_chk(p, c"de".as_ptr().cast(), 8);
        fortify::__strncat_chk(p, c"fghi".as_ptr().cast(), 2, 8);
        assert_eq!(&to, b"abcdefg\0");
        fortify::__memset_chk(p.cast(), 1, 3, 8);
        assert_eq!(
            fortify::__mempcpy_chk(p.add(1), b"z".as_ptr(), 1, 7),
            p.add(2)
        );
        assert_eq!(&to, b"\x01z\x01defg\0");
    }
    // One byte more than there is room for ends the program.
    let _alone = alone();
    unsafe {
        let (_, status) = in_child(|| {
            let mut to = [0u8; 4];
            fortify::__strcpy_chk(to.as_mut_ptr(), c"abc".as_ptr().cast(), 4);
            native::_exit(if to == *b"abc\0" { 5 } else { 6 })
        });
        assert_eq!(status, 5 << 8);
        let (_, status) = in_child(|| {
            native::close(2);
            let mut to = [0u8; 4];
            fortify::__strcpy_chk(to.as_mut_ptr(), c"abcd".as_ptr().cast(), 4);
        });
        assert_eq!(status & 127, 6, "killed by SIGABRT");
    }
}
