//! Formatted input.

use crate::numbers::number_text;
use crate::random::Rng;
use crate::{__isoc99_vsscanf, Area, free, scan};
use std::ffi::c_int;

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
