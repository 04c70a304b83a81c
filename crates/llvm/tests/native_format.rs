//! Formatted output, formatted input and the reading of numbers, held against the host's C library on random formats
//! and values.
//!
//! The host is called through its `v` functions with argument lists made by hand, so that long doubles can be passed
//! too.

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

// What formatted input needs of `runtime/lib.rs`, found by `crate::` as there.
#[path = "../runtime/ctype.rs"]
mod ctype;
#[path = "../runtime/errno.rs"]
mod errno;
#[path = "../runtime/native.rs"]
mod native;
#[path = "support/one_by_one.rs"]
mod one_by_one;
#[path = "../runtime/scan/mod.rs"]
mod scan;
#[path = "../runtime/stdio/mod.rs"]
mod stdio;
#[path = "../runtime/string/mod.rs"]
mod string;
#[path = "../runtime/utf8.rs"]
mod utf8;
#[path = "../runtime/wide.rs"]
mod wide;
#[path = "../runtime/wide_strings.rs"]
mod wide_strings;

use std::ffi::{c_char, c_int, c_void};

use refrain_llvm::native::format::{self, Kind, Length, Real, Spec, Step};
use refrain_llvm::native::number;
use refrain_testing::Random;

/// The layout of the platform's `va_list`, with the registers used up.
#[repr(C)]
struct List {
    gp_offset: u32,
    fp_offset: u32,
    overflow: *mut c_void,
    save: *mut c_void,
}

unsafe extern "C" {
    fn vsnprintf(to: *mut c_char, size: usize, format: *const c_char, list: *mut List) -> c_int;
    fn __isoc99_vsscanf(text: *const c_char, format: *const c_char, list: *mut List) -> c_int;
    fn strtod(text: *const c_char, end: *mut *mut c_char) -> f64;
    fn strtof(text: *const c_char, end: *mut *mut c_char) -> f32;
    fn open(path: *const c_char, flags: c_int, ...) -> c_int;
    fn free(block: *mut c_void);
}

// What the machine supplies to the library.

#[unsafe(no_mangle)]
unsafe extern "C" fn __refrain_open(path: *const c_char, flags: c_int, mode: c_int) -> c_int {
    open(path, flags, mode)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __refrain_tmpfile() -> c_int {
    // O_TMPFILE | O_RDWR
    open(c"/tmp".as_ptr(), 0o20200002, 0o600)
}

unsafe fn bytes<'a>(text: *const c_char, len: usize) -> &'a [u8] {
    std::slice::from_raw_parts(text.cast(), len)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __refrain_parse_f64(text: *const c_char, len: usize) -> f64 {
    number::double(bytes(text, len))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __refrain_parse_f32(text: *const c_char, len: usize) -> f32 {
    number::single(bytes(text, len))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __refrain_parse_ld(text: *const c_char, len: usize, out: *mut c_void) {
    let (significand, exponent) = number::extended(bytes(text, len));
    out.cast::<u64>().write(significand);
    out.cast::<u16>().add(4).write(exponent);
}

/// Words of a stack with long doubles where they belong.
#[derive(Clone, Default)]
#[repr(align(16))]
struct Area {
    words: Vec<u128>,
    used: usize,
}

impl Area {
    fn push(&mut self, word: u64) {
        if self.used.is_multiple_of(2) {
            self.words.push(u128::from(word));
        } else if let Some(last) = self.words.last_mut() {
            *last |= u128::from(word) << 64;
        }
        self.used += 1;
    }

    fn push_wide(&mut self, low: u64, high: u64) {
        if !self.used.is_multiple_of(2) {
            self.push(0);
        }
        self.push(low);
        self.push(high);
    }

    fn list(&mut self) -> List {
        List {
            gp_offset: 48,
            fp_offset: 176,
            overflow: self.words.as_mut_ptr().cast(),
            save: std::ptr::null_mut(),
        }
    }
}

/// One argument of a random call.
#[derive(Clone, Debug)]
enum Value {
    Int(u64),
    Double(f64),
    Extended(u64, u16),
    Text(Vec<u8>),
    Null,
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

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Random bits, but often few of them.
    fn word(&mut self) -> u64 {
        match self.below(5) {
            0 => self.pick(&[
                0,
                1,
                9,
                10,
                0x7f,
                0x80,
                0xff,
                0x7fff,
                0x8000,
                0x7fff_ffff,
                0x8000_0000,
                !0,
                1 << 63,
            ]),
            1 => (self.below(2000) as u64).wrapping_sub(1000),
            _ => self.next() >> self.below(64),
        }
    }

    fn double(&mut self) -> f64 {
        match self.below(8) {
            // Ties and near ties of small numbers.
            0 => (self.below(20001) as f64 - 10000.0) / self.pick(&[2.0, 4.0, 8.0, 1000.0, 1024.0]),
            1 => self.pick(&[
                0.0,
                -0.0,
                1.0,
                9.5,
                99.95,
                0.1,
                1e23,
                f64::MAX,
                f64::MIN_POSITIVE,
                f64::INFINITY,
                f64::NAN,
                -f64::NAN,
                f64::NEG_INFINITY,
                5e-324,
                9.999995,
                0.000099999995,
                999999.5,
            ]),
            // Subnormal.
            2 => f64::from_bits(self.next() >> 12 >> self.below(50) | self.next() & 1 << 63),
            3 => f64::from_bits(self.next()),
            4 => 10f64.powi(self.below(40) as i32 - 20) * self.pick(&[1.0, 5.0, 2.5, 9.9999999999]),
            // Few bits, so that the digits end soon.
            5 => f64::from_bits(
                self.next() & 0x8000_0000_0000_0000
                    | (1000 + self.below(50) as u64) << 52
                    | self.next() >> 61 << 49,
            ),
            _ => f64::from_bits(
                (self.next() & 0x800f_ffff_ffff_ffff) | (900 + self.below(250) as u64) << 52,
            ),
        }
    }

    fn extended(&mut self) -> (u64, u16) {
        let sign = (self.next() & 0x8000) as u16;
        match self.below(8) {
            0 => (self.next() >> (1 + self.below(62)), sign),
            1 => (1 << 63, 0x7fff | sign),
            2 => (3 << 62, 0x7fff | sign),
            3 => (0, sign),
            4 => (
                self.next() | 1 << 63,
                sign | (1 + self.next() % 0x7ffe) as u16,
            ),
            // Ties, also of hexadecimal digits.
            5 => (
                1 << 63 | self.next() >> 60 << 60 | 1 << 59,
                sign | (0x3fff + self.below(70) as u16 - 8),
            ),
            6 => (
                self.pick(&[!0, !0 << 1, 0xf8 << 56, 0xfff8 << 48]),
                sign | (0x3fff + self.below(10) as u16),
            ),
            _ => (
                self.next() | 1 << 63,
                sign | (0x3fff + self.below(120) as u16 - 60),
            ),
        }
    }

    fn text(&mut self) -> Vec<u8> {
        let len = self.below(12);
        (0..len).map(|_| self.pick(b"abc %d\x80\xff\n")).collect()
    }
}

/// What the machine would print for concrete arguments.
fn ours(text: &[u8], values: &[Value]) -> Option<Vec<u8>> {
    let (steps, _) = format::plan(text).ok()?;
    let mut out = Vec::new();
    for step in steps {
        let (conversion, width, precision, value) = match step {
            Step::Text(text) => {
                out.extend_from_slice(text);
                continue;
            }
            Step::Convert {
                conversion,
                width,
                precision,
                value,
            } => (conversion, width, precision, value),
        };
        let number = |index: usize| match &values[index] {
            Value::Int(value) => *value as i32,
            other => panic!("{other:?} for a width"),
        };
        let mut spec = Spec::new(&conversion);
        if let Some(index) = width {
            spec.set_width(number(index));
        }
        if let Some(index) = precision {
            spec.set_precision(number(index));
        }
        let Some(index) = value else {
            match conversion.letter {
                b'%' => out.push(b'%'),
                _ => out.extend(spec.unknown()),
            }
            continue;
        };
        let bytes = match (&values[index], conversion.letter) {
            (Value::Int(value), b'c') => spec.padded(&[*value as u8]),
            (Value::Int(value), b'p') => format::pointer(&spec, *value),
            (Value::Int(value), _) => format::integer(&spec, conversion.bits(), *value),
            (Value::Double(value), _) => format::float(&spec, Real::from_double(*value)),
            (Value::Extended(low, high), _) => {
                format::float(&spec, Real::from_extended(*low, *high))
            }
            (Value::Text(text), _) => {
                spec.padded(&text[..text.len().min(spec.precision.unwrap_or(!0))])
            }
            (Value::Null, _) => format::null_string(&spec),
        };
        out.extend(bytes);
    }
    Some(out)
}

/// What the host prints.
fn theirs(text: &[u8], values: &[Value]) -> Option<Vec<u8>> {
    let mut area = Area::default();
    let mut texts = Vec::new();
    for value in values {
        match value {
            Value::Int(value) => area.push(*value),
            Value::Double(value) => area.push(value.to_bits()),
            Value::Extended(low, high) => area.push_wide(*low, u64::from(*high)),
            Value::Null => area.push(0),
            Value::Text(text) => {
                let mut text = text.clone();
                text.push(0);
                area.push(text.as_ptr() as u64);
                texts.push(text);
            }
        }
    }
    area.push(0);
    let mut format = text.to_vec();
    format.push(0);
    let mut out = vec![0u8; 1 << 16];
    // SAFETY: the list holds what the format names, and the result is bounded by the size.
    let len = unsafe {
        vsnprintf(
            out.as_mut_ptr().cast(),
            out.len(),
            format.as_ptr().cast(),
            &mut area.list(),
        )
    };
    let len = usize::try_from(len).ok()?;
    assert!(len < out.len(), "a longer result than there is room for");
    out.truncate(len);
    Some(out)
}

#[track_caller]
fn compare(text: &[u8], values: &[Value]) {
    let (ours, theirs) = (ours(text, values), theirs(text, values));
    assert!(
        ours == theirs,
        "{:?} of {values:?}:\n ours {:?}\n host {:?}",
        String::from_utf8_lossy(text),
        ours.as_deref().map(String::from_utf8_lossy),
        theirs.as_deref().map(String::from_utf8_lossy),
    );
}

/// Flags, width and precision; what a star takes goes to the values.
fn front(rng: &mut Rng, text: &mut Vec<u8>, values: &mut Vec<Value>, most: usize) {
    for _ in 0..rng.below(3) {
        text.push(rng.pick(b"-+ #0'"));
    }
    match rng.below(6) {
        0..=2 => {}
        3 => {
            text.push(b'*');
            values.push(Value::Int(
                rng.below(41) as u64 & 0xffff_ffff | 0xdead_0000_0000_0000,
            ));
        }
        4 => {
            text.push(b'*');
            values.push(Value::Int((rng.below(41) as i64 - 40) as u64));
        }
        _ => text.extend((1 + rng.below(30)).to_string().bytes()),
    }
    match rng.below(6) {
        0..=1 => {}
        2 => text.push(b'.'),
        3 => {
            text.extend_from_slice(b".*");
            values.push(Value::Int((rng.below(most + 3) as i64 - 3) as u64));
        }
        _ => {
            text.push(b'.');
            text.extend(rng.below(most).to_string().bytes());
        }
    }
}

#[test]
fn integers_are_printed_like_the_hosts() {
    let mut rng = Rng::new(0x1234_5678_9abc);
    for _ in 0..40_000 {
        let (mut text, mut values) = (vec![b'%'], Vec::new());
        front(&mut rng, &mut text, &mut values, 30);
        let length: &[u8] = rng.pick(&[
            &b""[..],
            b"",
            b"hh",
            b"h",
            b"l",
            b"ll",
            b"z",
            b"j",
            b"t",
            b"q",
            b"L",
            b"Z",
        ]);
        text.extend_from_slice(length);
        text.push(rng.pick(b"diouxXbp"));
        if text.last() == Some(&b'p') {
            text.truncate(text.len() - 1 - length.len());
            text.push(b'p');
        }
        values.push(Value::Int(rng.word()));
        compare(&text, &values);
    }
}

/// Whether some precision makes a further digit before the point: there `%#g` of the host drops digits that C asks for.
fn rounds_up_to_a_power(value: f64) -> bool {
    let digits: String = format!("{:.25e}", value.abs());
    digits.starts_with("9.5")
        || digits.starts_with("9.6")
        || digits.starts_with("9.7")
        || digits.starts_with("9.8")
        || digits.starts_with("9.9")
}

#[test]
fn doubles_are_printed_like_the_hosts() {
    let mut rng = Rng::new(0x9999_1111_2222);
    for round in 0..60_000 {
        let (mut text, mut values) = (vec![b'%'], Vec::new());
        let most = if round % 50 == 0 { 1200 } else { 25 };
        front(&mut rng, &mut text, &mut values, most);
        text.push(rng.pick(b"eEfFgGaAgef"));
        let value = rng.double();
        if text.contains(&b'#')
            && text.ends_with(b"g") | text.ends_with(b"G")
            && rounds_up_to_a_power(value)
        {
            continue;
        }
        values.push(Value::Double(value));
        compare(&text, &values);
    }
}

#[test]
fn long_doubles_are_printed_like_the_hosts() {
    let mut rng = Rng::new(0x7777_3333_5555);
    for round in 0..12_000 {
        let (mut text, mut values) = (vec![b'%'], Vec::new());
        let most = if round % 100 == 0 { 17_000 } else { 25 };
        front(&mut rng, &mut text, &mut values, most);
        text.push(b'L');
        text.push(rng.pick(b"eEfFgGaagef"));
        let (low, high) = rng.extended();
        values.push(Value::Extended(low, high));
        compare(&text, &values);
    }
}

#[test]
fn long_doubles_of_known_text() {
    let print = |text: &[u8], low, high| {
        String::from_utf8(ours(text, &[Value::Extended(low, high)]).unwrap()).unwrap()
    };
    // The nearest to a tenth, to pi, the least and the largest.
    assert_eq!(
        print(b"%.25Lg", 0xcccc_cccc_cccc_cccd, 0x3ffb),
        "0.1000000000000000000013553"
    );
    assert_eq!(
        print(b"%La", 0xc90f_daa2_2168_c235, 0x4000),
        "0xc.90fdaa22168c235p-2"
    );
    assert_eq!(print(b"%Lg", 1, 0), "3.6452e-4951");
    assert_eq!(print(b"%.3Le", !0, 0x7ffe), "1.190e+4932");
}

#[test]
fn strings_and_whole_formats_are_printed_like_the_hosts() {
    let mut rng = Rng::new(0xabcdef);
    for _ in 0..40_000 {
        let (mut text, mut values) = (Vec::new(), Vec::new());
        for _ in 0..rng.below(6) {
            text.extend(rng.text().into_iter().filter(|&byte| byte != b'%'));
            text.push(b'%');
            match rng.below(8) {
                0 => text.push(b'%'),
                1 => {
                    front(&mut rng, &mut text, &mut values, 20);
                    text.push(b's');
                    values.push(if rng.one_in(5) {
                        Value::Null
                    } else {
                        Value::Text(rng.text())
                    });
                }
                2 => {
                    front(&mut rng, &mut text, &mut values, 20);
                    text.push(b'c');
                    values.push(Value::Int(rng.next() & 0xff | 0x5500));
                }
                3 => {
                    front(&mut rng, &mut text, &mut values, 20);
                    text.push(b'p');
                    values.push(Value::Int(rng.word()));
                }
                4 => {
                    text.push(b'g');
                    values.push(Value::Double(rng.double()));
                }
                5 => {
                    text.extend_from_slice(b"Lg");
                    let (low, high) = rng.extended();
                    values.push(Value::Extended(low, high));
                }
                _ => {
                    front(&mut rng, &mut text, &mut values, 20);
                    text.push(b'd');
                    values.push(Value::Int(rng.word()));
                }
            }
        }
        compare(&text, &values);
    }
}

#[test]
fn positions_are_followed_like_the_hosts() {
    let int = |value: u64| Value::Int(value);
    let word = |text: &str| Value::Text(text.as_bytes().to_vec());
    compare(b"%2$s %1$s", &[word("world"), word("hello")]);
    compare(b"%3$*1$d|%3$-*2$d|%3$.*1$d", &[int(6), int(9), int(42)]);
    compare(
        b"%2$Lf %1$f %3$c",
        &[
            Value::Double(0.5),
            Value::Extended(3 << 62, 0x3fff),
            int(65),
        ],
    );
    compare(b"%1$d %1$x %1$o", &[int(77)]);
    compare(b"%3$d", &[int(1), int(2), int(3)]);
}

#[test]
fn odd_formats_are_taken_like_the_hosts() {
    let one = [Value::Int(7), Value::Int(8)];
    for text in [
        &b"%"[..],
        b"abc%",
        b"%5",
        b"%-",
        b"%.",
        b"%l",
        b"%y",
        b"%-5y|",
        b"%05.3y",
        b"%+ #y",
        b"%.y",
        b"%5%",
        b"%-5%|",
        b"%99999999999d",
        b"%.99999999999d",
        b"%2147483648d",
        b"% d%+d",
        b"%.0d",
        b"%'d",
        b"%Id",
        b"%#.0o",
        b"%k%d",
    ] {
        compare(text, &one);
    }
}

#[test]
fn kinds_of_arguments_follow_the_letters() {
    let (steps, kinds) = format::plan(b"%hhd%*.*Lf%s%ld%c%n%g%%").unwrap();
    use Kind::*;
    assert_eq!(
        kinds,
        [Int, Int, Int, LongDouble, Long, Long, Int, Long, Double]
    );
    let Step::Convert { conversion, .. } = steps[0] else {
        panic!("a conversion comes first")
    };
    assert_eq!((conversion.length, conversion.bits()), (Length::Char, 8));
}

/// A random number as text, sometimes with something wrong about it.
fn number_text(rng: &mut Rng) -> Vec<u8> {
    let mut text = Vec::new();
    if rng.one_in(3) {
        text.push(rng.pick(b"+-"));
    }
    let hexadecimal = rng.one_in(3);
    if hexadecimal {
        text.extend_from_slice(if rng.one_in(2) { b"0x" } else { b"0X" });
    }
    let digits: &[u8] = if hexadecimal {
        b"0123456789abcdefABCDEF0000ffff"
    } else {
        b"0123456789999900000"
    };
    let (whole, fraction) = (rng.below(25), rng.below(25));
    text.extend((0..whole).map(|_| rng.pick(digits)));
    if rng.one_in(2) {
        text.push(b'.');
        text.extend((0..fraction).map(|_| rng.pick(digits)));
    }
    if rng.one_in(2) {
        text.push(if hexadecimal {
            rng.pick(b"pP")
        } else {
            rng.pick(b"eE")
        });
        if rng.one_in(2) {
            text.push(rng.pick(b"+-"));
        }
        let most = rng.pick(&[5, 40, 320, 1100, 5000, 17000]);
        text.extend(rng.below(most).to_string().bytes());
    }
    text
}

/// Numbers exactly between two doubles, and right beside that.
fn halfway_text(rng: &mut Rng) -> Vec<u8> {
    let value = rng.double().abs();
    // Of subnormal numbers the host rounds some down that lie above the middle.
    if !value.is_normal() {
        return b"0x1.00000000000008p0".to_vec();
    }
    let mut text = format::float(
        &Spec {
            flags: format::Flags::default(),
            width: 0,
            precision: Some(1100),
            letter: b'e',
        },
        // Half of the last bit is the last bit of a long double with two bits more.
        Real::from_extended(
            value.to_bits() << 11 | 1 << 63 | 1 << 10,
            (value.to_bits() >> 52) as u16 + 0x3fff - 0x3ff,
        ),
    );
    if rng.one_in(3)
        && let Some(at) = text.iter().position(|&byte| byte == b'e')
    {
        text[at - 1] = b'1';
    }
    text
}

#[test]
fn numbers_are_read_like_the_hosts() {
    let mut rng = Rng::new(0x4242_4242);
    let mut numbers = 0;
    for round in 0..60_000 {
        let text = if round % 10 == 0 {
            halfway_text(&mut rng)
        } else {
            number_text(&mut rng)
        };
        let (found, start, end) = number::scan(&text);
        let mut ended = text.clone();
        ended.push(0);
        let mut stop = std::ptr::null_mut();
        let start_of_text = ended.as_ptr().cast::<c_char>();
        // SAFETY: the text ends with a zero byte.
        let (double, single) = unsafe {
            (
                strtod(start_of_text, &mut stop),
                strtof(start_of_text, std::ptr::null_mut()),
            )
        };
        let shown = String::from_utf8_lossy(&text);
        assert_eq!(
            end,
            stop as usize - start_of_text as usize,
            "the end of {shown}"
        );
        if found != number::Found::Number {
            continue;
        }
        numbers += 1;
        let text = &text[start..end];
        assert_eq!(
            number::double(text).to_bits(),
            double.to_bits(),
            "{shown} as a double"
        );
        assert_eq!(
            number::single(text).to_bits(),
            single.to_bits(),
            "{shown} as a float"
        );
        assert_eq!(
            number::extended(text),
            host_extended(text),
            "{shown} as a long double"
        );
    }
    assert!(numbers > 40_000);
}

fn host_extended(text: &[u8]) -> (u64, u16) {
    let mut ended = text.to_vec();
    ended.push(0);
    let mut place = [0u64; 2];
    let mut area = Area::default();
    area.push(place.as_mut_ptr() as u64);
    // SAFETY: the list has the one place that the format names.
    let count =
        unsafe { __isoc99_vsscanf(ended.as_ptr().cast(), c"%Lf".as_ptr(), &mut area.list()) };
    assert_eq!(count, 1);
    (place[0], place[1] as u16)
}

/// Room for what one conversion stores.
type Place = [u8; 64];

/// Reads with one of the two and gives all that can be told of it.
fn read(text: &[u8], format: &[u8], ours: bool) -> (c_int, Vec<Place>) {
    let (mut text, mut format) = (text.to_vec(), format.to_vec());
    text.push(0);
    format.push(0);
    let mut places: Vec<Place> = vec![[0xaa; 64]; 8];
    let mut area = Area::default();
    for place in &mut places {
        area.push(place.as_mut_ptr() as u64);
    }
    let mut list = area.list();
    // SAFETY: there are more places than conversions, each with more room than the text is long.
    let count = unsafe {
        if ours {
            scan::__isoc99_vsscanf(text.as_ptr(), format.as_ptr(), (&raw mut list).cast())
        } else {
            __isoc99_vsscanf(text.as_ptr().cast(), format.as_ptr().cast(), &mut list)
        }
    };
    (count, places)
}

#[track_caller]
fn compare_reading(text: &[u8], format: &[u8]) {
    let (ours, theirs) = (read(text, format, true), read(text, format, false));
    let shown = (
        String::from_utf8_lossy(text),
        String::from_utf8_lossy(format),
    );
    assert_eq!(ours.0, theirs.0, "the result of {shown:?}");
    for (index, (ours, theirs)) in ours.1.iter().zip(&theirs.1).enumerate() {
        assert_eq!(ours, theirs, "what {shown:?} stores at {index}");
    }
}

fn conversion(rng: &mut Rng, format: &mut Vec<u8>) {
    format.push(b'%');
    if rng.one_in(6) {
        format.push(b'*');
    }
    if rng.one_in(3) {
        format.extend((1 + rng.below(6)).to_string().bytes());
    }
    match rng.below(8) {
        0..=2 => {
            let length: &[u8] = rng.pick(&[
                &b""[..],
                b"",
                b"hh",
                b"h",
                b"l",
                b"ll",
                b"j",
                b"z",
                b"t",
                b"L",
                b"q",
            ]);
            format.extend_from_slice(length);
            format.push(rng.pick(b"dioxXun"));
        }
        3 => format.push(rng.pick(b"cs")),
        4 => format.extend_from_slice(rng.pick(&[
            &b"[a-f]"[..],
            b"[^0-9]",
            b"[]x]",
            b"[^]x]",
            b"[0-9.]",
            b"[f-a]",
            b"[a-]",
            b"[-a]",
            b"[^-]",
            b"[%d]",
        ])),
        5 => format.push(b'p'),
        6 => format.extend_from_slice(rng.pick(&[&b"f"[..], b"lf", b"g", b"le", b"a", b"lG"])),
        _ => format.push(b'%'),
    }
}

#[test]
fn formatted_input_is_read_like_the_hosts() {
    let mut rng = Rng::new(0x5ca1_ab1e);
    for _ in 0..120_000 {
        let mut format = Vec::new();
        for _ in 0..1 + rng.below(4) {
            match rng.below(6) {
                0 => format.push(b' '),
                1 => format.push(rng.pick(b"x,:a-")),
                _ => {}
            }
            conversion(&mut rng, &mut format);
        }
        let mut text = Vec::new();
        while text.len() < 30 && !rng.one_in(8) {
            match rng.below(12) {
                0 => text.extend(number_text(&mut rng).into_iter().take(12)),
                1 => text.extend_from_slice(rng.pick(&[
                    &b"nan"[..],
                    b"inf",
                    b"infinity",
                    b"infin",
                    b"na",
                    b"INF",
                    b"(nil)",
                    b"(ni",
                ])),
                2 => text.extend_from_slice(rng.pick(&[
                    &b"0x"[..],
                    b"0x1f",
                    b"017",
                    b"-0",
                    b"1e",
                    b"1e+",
                    b"1e+5",
                    b".",
                    b"0x.",
                    b"0x1p",
                    b"%",
                ])),
                3..=5 => text.push(rng.pick(b" \t\n  ")),
                6..=8 => text.push(rng.pick(b"0123456789")),
                9 => text.extend((rng.word() as i64).to_string().bytes()),
                _ => text.push(rng.pick(b"abcdefx,:-+].%\x80")),
            }
        }
        text.truncate(40);
        compare_reading(&text, &format);
    }
}

#[test]
fn formatted_input_of_known_forms() {
    for (text, format) in [
        (&b"12 -34"[..], &b"%d %d"[..]),
        (b"0x1f 017 99", b"%i %i %u"),
        (b"99999999999999999999", b"%ld"),
        (b"-99999999999999999999", b"%ld"),
        (b"18446744073709551616", b"%lu"),
        (b"9223372036854775808", b"%ld"),
        (b"3.25e2 -0.5", b"%lf %f"),
        (b"key=value;", b"%[a-z]=%[^;]%c"),
        (b"123456", b"%3d%2d%n"),
        (b"", b"%d"),
        (b"x", b"%d"),
        (b"   ", b"%d"),
        (b"   ", b" "),
        (b"", b"x"),
        (b"7 8", b"%*d%d%n"),
        (b"abc", b"%2$s %1$n"),
        (b"1.5", b"%Lf"),
        (b"-inf nan", b"%Lf%Lf"),
        (b"5", b"%0d"),
        (b"ab", b"%5c"),
    ] {
        compare_reading(text, format);
    }
    let mut place = std::ptr::null_mut::<u8>();
    let mut area = Area::default();
    area.push(&raw mut place as u64);
    let mut list = area.list();
    // SAFETY: the one place is that of a pointer.
    unsafe {
        let count = scan::vsscanf(
            c"  words here".as_ptr().cast(),
            c"%ms".as_ptr().cast(),
            (&raw mut list).cast(),
        );
        assert_eq!(count, 1);
        assert_eq!(std::ffi::CStr::from_ptr(place.cast()).to_bytes(), b"words");
        free(place.cast());
    }
}
