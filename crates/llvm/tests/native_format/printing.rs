//! Formatted output.

use crate::random::Rng;
use crate::{Area, vsnprintf};
use refrain_llvm::native::format::{self, Kind, Length, Real, Spec, Step};

/// One argument of a random call.
#[derive(Clone, Debug)]
enum Value {
    Int(u64),
    Double(f64),
    Extended(u64, u16),
    Text(Vec<u8>),
    Null,
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
