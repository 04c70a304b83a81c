//! `ryu`: the shortest text that is read back as the same float.

fn round_trips_f32(x: f32) {
    let mut buffer = ryu::Buffer::new();
    let text = buffer.format_finite(x);
    assert!(text.len() <= 16);
    let back: f32 = text.parse().expect("a number");
    assert_eq!(back.to_bits(), x.to_bits());
}

fn round_trips_f64(x: f64) {
    let mut buffer = ryu::Buffer::new();
    let text = buffer.format_finite(x);
    assert!(text.len() <= 24);
    let back: f64 = text.parse().expect("a number");
    assert_eq!(back.to_bits(), x.to_bits());
}

#[refrain::test]
fn what_is_not_finite_has_a_name(bits: u32) {
    let x = f32::from_bits(bits);
    refrain::assume(!x.is_finite());
    let mut buffer = ryu::Buffer::new();
    let name = buffer.format(x);
    assert_eq!(name == "NaN", x.is_nan());
    assert_eq!(name == "-inf", x == f32::NEG_INFINITY);
}

/// Sign, exponent and seven bits of the mantissa: a bfloat16.
#[refrain::test]
fn short_floats_round_trip(high: u8, low: u8) {
    let x = f32::from_bits(u32::from(high) << 24 | u32::from(low) << 16);
    refrain::assume(x.is_finite());
    round_trips_f32(x);
}

#[refrain::test]
fn quarters_round_trip(number: i8) {
    round_trips_f64(f64::from(number) * 0.25);
}

#[refrain::test]
fn every_float_round_trips(x: f32) {
    refrain::assume(x.is_finite());
    round_trips_f32(x);
}

#[refrain::test]
fn every_double_round_trips(x: f64) {
    refrain::assume(x.is_finite());
    round_trips_f64(x);
}

/// The text alone: nothing is read back.
#[refrain::test]
fn texts_of_floats_are_short(x: f32) {
    refrain::assume(x.is_finite());
    let mut buffer = ryu::Buffer::new();
    let text = buffer.format_finite(x);
    assert!(!text.is_empty() && text.len() <= 16);
}
