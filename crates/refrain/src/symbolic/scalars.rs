//! Numbers, truth values, characters.

use std::fmt::Write as _;
use std::num::NonZero;

use super::{Symbolic, list};
use crate::source::{choose, fill};
use crate::{Name, assume};

/// Numbers that any bytes are.
trait Plain: Copy {
    const ZERO: Self;
}

/// Any numbers, as one input.
fn fill_items<T: Plain>(name: &Name, items: &mut [T]) {
    let bytes = size_of_val(items);
    // SAFETY: `Plain` types have no padding, and any bytes are a value of theirs.
    let bytes = unsafe { std::slice::from_raw_parts_mut(items.as_mut_ptr().cast::<u8>(), bytes) };
    fill(name.as_str(), bytes, size_of::<T>());
}

macro_rules! integers {
    ($($write:ident: $($ty:ident)*;)*) => { $($(
        impl Plain for $ty {
            const ZERO: $ty = 0;
        }

        impl Symbolic for $ty {
            fn symbolic(name: &Name) -> $ty {
                let [number] = Self::symbolic_array(name);
                number
            }

            fn expression(&self, out: &mut String) {
                // Writing to a string does not fail.
                let _ = write!(out, "{self}");
            }

            fn symbolic_items(name: &Name, count: usize) -> Vec<$ty> {
                let mut items = vec![Self::ZERO; count];
                fill_items(name, &mut items);
                items
            }

            fn symbolic_array<const N: usize>(name: &Name) -> [$ty; N] {
                let mut items = [Self::ZERO; N];
                fill_items(name, &mut items);
                items
            }

            fn items_expression(items: &[$ty], out: &mut String) {
                $write(items, out);
            }
        }

        impl Symbolic for NonZero<$ty> {
            fn symbolic(name: &Name) -> NonZero<$ty> {
                let number = $ty::symbolic(name);
                assume(number != 0);
                NonZero::new(number).unwrap_or(NonZero::<$ty>::MAX)
            }

            fn expression(&self, out: &mut String) {
                let _ = write!(out, "std::num::NonZero::new({self}).unwrap()");
            }
        }
    )*)* };
}

integers! {
    text: u8;
    list: u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize;
}

/// Bytes: as text where they are text.
fn text(items: &[u8], out: &mut String) {
    let is_text = |byte: &u8| matches!(byte, b' '..=b'~');
    if items.is_empty() || !items.iter().all(is_text) {
        return list(items, out);
    }
    out.push_str("*b\"");
    for &byte in items {
        escape(char::from(byte), '"', out);
    }
    out.push('"');
}

impl Symbolic for bool {
    fn symbolic(name: &Name) -> bool {
        choose(name.as_str(), 1, |number| number < 2, |random| random & 1) != 0
    }

    fn expression(&self, out: &mut String) {
        out.push_str(if *self { "true" } else { "false" });
    }
}

impl Symbolic for char {
    fn symbolic(name: &Name) -> char {
        // Without branches: each would be a path.
        let is_valid = |number| {
            (number < 0xd800) | ((number >= 0xe000) & (number <= u64::from(u32::from(char::MAX))))
        };
        let draw = |random: u64| {
            let number = random >> 8;
            match random % 4 {
                0 | 1 => 0x20 + number % 0x5f,
                2 => number % 0xd800,
                _ => 0xe000 + number % (0x11_0000 - 0xe000),
            }
        };
        let number = choose(name.as_str(), 4, is_valid, draw) as u32;
        // SAFETY: the condition above is what a character is.
        unsafe { char::from_u32_unchecked(number) }
    }

    fn expression(&self, out: &mut String) {
        out.push('\'');
        escape(*self, '\'', out);
        out.push('\'');
    }
}

/// A character within such quotes.
pub(super) fn escape(character: char, quote: char, out: &mut String) {
    match character {
        ' '..='~' => {
            if character == quote || character == '\\' {
                out.push('\\');
            }
            out.push(character);
        }
        _ => {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(character));
        }
    }
}

macro_rules! floats {
    ($($ty:ident $bits:ident)*) => { $(
        impl Symbolic for $ty {
            fn symbolic(name: &Name) -> $ty {
                $ty::from_bits($bits::symbolic(name))
            }

            /// By its bits: every one of them counts, and some numbers have no other literal.
            fn expression(&self, out: &mut String) {
                let _ = write!(out, concat!(stringify!($ty), "::from_bits({:#x})"), self.to_bits());
            }
        }
    )* };
}

floats!(f32 u32 f64 u64);

impl Symbolic for () {
    fn symbolic(_name: &Name) {}

    fn expression(&self, out: &mut String) {
        out.push_str("()");
    }
}
