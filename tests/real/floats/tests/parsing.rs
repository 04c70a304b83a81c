//! `fast-float2`, `minimal-lexical` and `serde_json`: numbers as text, against the standard library.

use refrain::assume;

fn is_alike(ours: Option<f64>, std: Option<f64>) -> bool {
    match (ours, std) {
        (Some(ours), Some(std)) => ours.to_bits() == std.to_bits() || ours.is_nan() && std.is_nan(),
        (None, None) => true,
        _ => false,
    }
}

fn digits_value(digits: &[u8]) -> u32 {
    digits.iter().fold(0, |all, digit| 10 * all + u32::from(digit - b'0'))
}

#[refrain::test]
fn fast_float_reads_what_the_library_reads(#[refrain(max_len = 3)] text: Vec<u8>) {
    let Ok(text) = str::from_utf8(&text) else {
        assume(false);
        return;
    };
    let ours = fast_float2::parse::<f64, _>(text).ok();
    assert!(is_alike(ours, text.parse().ok()));
}

#[refrain::test]
fn fast_float_reads_digits(digits: [u8; 4]) {
    assume(digits.iter().all(u8::is_ascii_digit));
    let number = fast_float2::parse::<f64, _>(&digits).expect("a number");
    assert!(number == f64::from(digits_value(&digits)));
}

#[refrain::test]
fn fast_float_stops_where_a_number_ends(bytes: [u8; 4]) {
    if let Ok((_, used)) = fast_float2::parse_partial::<f32, _>(&bytes) {
        assert!(used > 0 && used <= 4);
        assert!(fast_float2::parse::<f32, _>(&bytes[..used]).is_ok());
    }
}

/// Around the halfway points of `f32`: one digit more decides.
#[refrain::test]
fn fast_float_rounds_as_the_library_does(digit: u8) {
    assume(digit.is_ascii_digit());
    let mut text = *b"1.00000005960464477539062_";
    text[25] = digit;
    let ours = fast_float2::parse::<f32, _>(&text).expect("a number");
    let text = str::from_utf8(&text).expect("ASCII");
    assert!(ours == text.parse::<f32>().expect("a number"));
}

#[refrain::test]
fn minimal_lexical_reads_what_the_library_reads(digits: [u8; 3], exponent: i8) {
    assume(digits.iter().all(u8::is_ascii_digit) && digits[0] != b'0' && digits[2] != b'0');
    assume(exponent.unsigned_abs() <= 3);
    let (whole, fraction) = digits.split_at(1);
    let ours = minimal_lexical::parse_float::<f64, _, _>(
        whole.iter(),
        fraction.iter(),
        i32::from(exponent),
    );
    let power: f64 = ["1e-5", "1e-4", "1e-3", "1e-2", "1e-1", "1e0", "1e1"]
        [(i32::from(exponent) + 3) as usize]
        .parse()
        .expect("a number");
    let product = f64::from(digits_value(&digits)) * power;
    assert!((ours - product).abs() <= product * 1e-15);
}

#[refrain::test]
fn json_is_read_or_refused(text: [u8; 4]) {
    let _ = serde_json::from_slice::<f64>(&text);
}

#[refrain::test]
fn json_numbers_are_those_of_the_library(text: [u8; 3]) {
    if let Ok(number) = serde_json::from_slice::<f64>(&text) {
        let text = str::from_utf8(&text).expect("what JSON reads is text");
        assert!(text.trim().parse() == Ok(number));
    }
}

#[refrain::test]
fn small_numbers_survive_json(number: i8) {
    let x = f64::from(number) * 0.125;
    let text = serde_json::to_string(&x).expect("finite");
    let back: f64 = serde_json::from_str(&text).expect("a number");
    assert_eq!(back.to_bits(), x.to_bits());
}
