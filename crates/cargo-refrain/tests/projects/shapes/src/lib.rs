//! A property for each kind of type. The number of paths is the number of values that are told apart.

#![cfg(test)]

use std::marker::PhantomData;
use std::num::NonZero;

/// Something that happens, so that no two values are the same to the compiler.
fn see(value: u32) {
    let mut seen = 0;
    // SAFETY: it is a variable.
    unsafe { std::ptr::write_volatile(&mut seen, value) };
}

/// The bytes of a value, of which the compiler believes nothing.
fn raw<T, U: Copy>(value: &T) -> U {
    assert_eq!(size_of::<T>(), size_of::<U>());
    // SAFETY: the sizes are the same, and callers ask for numbers.
    unsafe { std::ptr::read_volatile(std::ptr::from_ref(value).cast::<U>()) }
}

fn bool_ways(value: bool) -> u32 {
    if value {
        see(1);
        1
    } else {
        see(2);
        2
    }
}

#[derive(Clone, Copy, PartialEq, refrain::Symbolic)]
enum Color {
    Red,
    Green = 7,
    Blue,
}

fn color_ways(color: Color) {
    match color {
        Color::Red => see(3),
        Color::Green => see(4),
        Color::Blue => see(5),
    }
}

#[derive(PartialEq, refrain::Symbolic)]
enum Shape {
    Unit,
    Tuple(bool, Color),
    Named { a: Option<bool>, r#type: () },
}

#[derive(PartialEq, refrain::Symbolic)]
struct Pair<T, U> {
    first: T,
    second: U,
}

#[derive(refrain::Symbolic)]
struct Tagged<T>(u8, PhantomData<T>);

#[derive(refrain::Symbolic)]
struct Nothing;

#[derive(refrain::Symbolic)]
struct List<const N: usize> {
    #[refrain(max_len = 2)]
    items: Vec<bool>,
    rest: [bool; N],
}

#[refrain::test]
fn bools_2(value: bool) {
    assert!(raw::<bool, u8>(&value) < 2);
    bool_ways(value);
}

#[refrain::test]
fn options_3(value: Option<bool>) {
    match value {
        None => see(0),
        Some(value) => see(bool_ways(value)),
    }
}

#[refrain::test]
fn results_3(value: Result<bool, ()>) {
    match value {
        Err(()) => see(0),
        Ok(value) => see(bool_ways(value)),
    }
}

#[refrain::test]
fn enums_3(color: Color) {
    assert!(matches!(raw::<Color, u8>(&color), 0 | 7 | 8));
    color_ways(color);
}

#[refrain::test]
fn shapes_10(shape: Shape) {
    match shape {
        Shape::Unit => see(0),
        Shape::Tuple(value, color) => {
            bool_ways(value);
            color_ways(color);
        }
        Shape::Named { a, r#type: () } => match a {
            None => see(9),
            Some(value) => see(bool_ways(value)),
        },
    }
}

#[refrain::test]
fn generics_8(pair: Pair<bool, Option<Color>>) {
    bool_ways(pair.first);
    match pair.second {
        None => see(0),
        Some(color) => color_ways(color),
    }
}

#[refrain::test]
fn tuples_8((a, b, c): (bool, bool, bool)) {
    bool_ways(a);
    bool_ways(b);
    bool_ways(c);
}

#[refrain::test]
fn arrays_8(values: [bool; 3]) {
    for value in values {
        bool_ways(value);
    }
}

#[refrain::test]
fn vectors_15(#[refrain(max_len = 3)] values: Vec<bool>) {
    assert!(values.len() <= 3);
    for value in values {
        bool_ways(value);
    }
}

#[refrain::test]
fn fields_14(list: List<1>) {
    for value in list.items.into_iter().chain(list.rest) {
        bool_ways(value);
    }
}

#[refrain::test]
fn asked_vectors_13() {
    for color in refrain::any_vec::<Color, 2>() {
        color_ways(color);
    }
}

#[refrain::test]
fn bytes_256(value: u8) {
    for other in 0..=255 {
        if value == other {
            see(u32::from(value));
            return;
        }
    }
    panic!("{value} is no byte");
}

#[refrain::test]
fn conditions_10() {
    let value: u8 = refrain::any_where(|&value| value < 10);
    for other in 0..=255 {
        if value == other {
            see(u32::from(value));
        }
    }
}

#[refrain::test]
fn characters_1(value: char) {
    let number = raw::<char, u32>(&value);
    assert!((number < 0xd800) | ((number > 0xdfff) & (number < 0x11_0000)));
}

#[refrain::test]
fn strings_5(#[refrain(max_len = 1)] text: String) {
    // Nothing, or a character of one to four bytes.
    match text.len() {
        length @ 0..5 => see(length as u32),
        _ => panic!("a character is not longer"),
    }
}

#[refrain::test]
fn ascii_4() {
    let text = refrain::any_ascii::<3>();
    let all = text.bytes().fold(0, |all, byte| all | byte);
    assert!(all < 0x80);
}

#[refrain::test]
fn numbers_2(number: i128, other: u64) {
    if number == i128::from(other) << 64 {
        see(1);
    }
}

#[refrain::test]
fn not_zero_1(number: NonZero<u16>) {
    assert!(raw::<NonZero<u16>, u16>(&number) != 0);
}

#[refrain::test]
fn nothing_1(_unit: (), _nothing: Nothing, tagged: Tagged<u8>, boxed: Box<u8>) {
    see(u32::from(tagged.0 ^ *boxed));
}

/// What an assumption excludes is no path, and leaves nothing open.
#[refrain::test]
fn excluded_1(value: u8) {
    if value > 100 {
        refrain::assume(false);
    }
    assert!(value <= 100);
}

#[refrain::test]
fn impossible_0(value: u8) {
    refrain::assume(value > 100);
    refrain::assume(value < 100);
    panic!("cannot be");
}
