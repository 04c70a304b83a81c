//! The reading of numbers.

use crate::random::Rng;
use crate::{__isoc99_vsscanf, Area, strtod, strtof};
use refrain_llvm::native::format::{self, Real, Spec};
use refrain_llvm::native::number;
use std::ffi::c_char;

/// A random number as text, sometimes with something wrong about it.
pub fn number_text(rng: &mut Rng) -> Vec<u8> {
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
