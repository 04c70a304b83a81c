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
#[path = "../../runtime/ctype.rs"]
mod ctype;
#[path = "../../runtime/delivery.rs"]
mod delivery;
#[path = "../../runtime/directory.rs"]
mod directory;
#[path = "../../runtime/env.rs"]
mod env;
#[path = "../../runtime/errno.rs"]
mod errno;
#[path = "../../runtime/exit.rs"]
mod exit;
#[path = "../../runtime/fenv.rs"]
mod fenv;
#[path = "../../runtime/fnmatch.rs"]
mod fnmatch;
#[path = "../../runtime/fortify.rs"]
mod fortify;
#[path = "../../runtime/getopt.rs"]
mod getopt;
#[path = "../../runtime/iconv.rs"]
mod iconv;
#[path = "../../runtime/list.rs"]
mod list;
#[path = "../../runtime/locale.rs"]
mod locale;
#[path = "../../runtime/math.rs"]
mod math;
#[path = "../../runtime/messages.rs"]
mod messages;
#[path = "../../runtime/misc.rs"]
mod misc;
#[path = "../../runtime/native.rs"]
mod native;
#[path = "../../runtime/network.rs"]
mod network;
#[path = "../../runtime/obstack.rs"]
mod obstack;
#[path = "../support/one_by_one.rs"]
mod one_by_one;
#[path = "../../runtime/processor.rs"]
mod processor;
#[path = "../../runtime/random.rs"]
mod random;
#[path = "../../runtime/regex/mod.rs"]
mod regex;
#[path = "../../runtime/schedule.rs"]
mod schedule;
#[path = "../../runtime/search.rs"]
mod search;
#[path = "../../runtime/signal.rs"]
mod signal;
#[path = "../../runtime/sort.rs"]
mod sort;
#[path = "../../runtime/stdio/mod.rs"]
mod stdio;
#[path = "../../runtime/stdlib.rs"]
mod stdlib;
#[path = "../../runtime/string/mod.rs"]
mod string;
#[path = "../../runtime/strptime.rs"]
mod strptime;
#[path = "../../runtime/thread.rs"]
mod thread;
#[path = "../../runtime/thread_names.rs"]
mod thread_names;
#[path = "../../runtime/time.rs"]
mod time;
#[path = "../../runtime/users.rs"]
mod users;
#[path = "../../runtime/utf8.rs"]
mod utf8;
#[path = "../../runtime/walk.rs"]
mod walk;
#[path = "../../runtime/wide.rs"]
mod wide;
#[path = "../../runtime/wide_numbers.rs"]
mod wide_numbers;
#[path = "../../runtime/wide_strings.rs"]
mod wide_strings;

mod numbers;
mod options;
mod processes;
mod shape;
mod sorting;
mod streams;
mod strings;
mod times;
mod wide_texts;

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
        pub fn wcsnlen(s: *const c_int, n: usize) -> usize;
        pub fn wcpcpy(to: *mut c_int, s: *const c_int) -> *mut c_int;
        pub fn wcpncpy(to: *mut c_int, s: *const c_int, n: usize) -> *mut c_int;
        pub fn wcscat(to: *mut c_int, s: *const c_int) -> *mut c_int;
        pub fn wcsncat(to: *mut c_int, s: *const c_int, n: usize) -> *mut c_int;
        pub fn wcsxfrm(to: *mut c_int, s: *const c_int, n: usize) -> usize;
        pub fn wcscasecmp(a: *const c_int, b: *const c_int) -> c_int;
        pub fn wcsncasecmp(a: *const c_int, b: *const c_int, n: usize) -> c_int;
        pub fn wcschrnul(s: *const c_int, c: c_int) -> *mut c_int;
        pub fn wcspbrk(s: *const c_int, w: *const c_int) -> *mut c_int;
        pub fn wmemchr(s: *const c_int, c: c_int, n: usize) -> *mut c_int;
        pub fn wcstok(s: *mut c_int, w: *const c_int, save: *mut *mut c_int) -> *mut c_int;
        pub fn mbsnrtowcs(
            to: *mut c_int,
            from: *mut *const u8,
            bytes: usize,
            n: usize,
            state: *mut c_void,
        ) -> usize;
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
