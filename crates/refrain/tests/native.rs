//! The crate without the tool: random inputs, inputs that are given, values as Rust.

use std::num::NonZero;
use std::panic::catch_unwind;

use refrain::{Symbolic, any, any_ascii, any_named, any_string, any_vec, any_where, with_inputs};

#[derive(Debug, PartialEq, Symbolic)]
enum Kind<T> {
    Empty,
    One(T),
    Many {
        #[refrain(max_len = 3)]
        items: Vec<T>,
    },
}

fn written(value: &impl Symbolic) -> String {
    let mut text = String::new();
    value.expression(&mut text);
    text
}

#[test]
fn values_are_written_as_rust() {
    for (text, value) in [
        (written(&(1u8, -1i8)), "(1, -1)"),
        (written(&(7u64,)), "(7,)"),
        (written(&[1u16, 2]), "[1, 2]"),
        (written(b"a \"b\\"), r#"*b"a \"b\\""#),
        (written(b"a\n"), "[97, 10]"),
        (written(&[0u8; 0]), "[]"),
        (written(&Some('\'')), r"Some('\'')"),
        (written(&'\u{e9}'), r"'\u{e9}'"),
        (written(&Err::<u8, bool>(true)), "Err(true)"),
        (
            written(&i128::MIN),
            "-170141183460469231731687303715884105728",
        ),
        (written(&1.5f64), "f64::from_bits(0x3ff8000000000000)"),
        (written(&Box::new(())), "Box::new(())"),
        (written(&Kind::<u8>::Empty), "Kind::Empty"),
        (written(&Kind::One(3)), "Kind::One(3)"),
        (
            written(&Kind::Many { items: vec![3, 4] }),
            "Kind::Many { items: Vec::from([3, 4]) }",
        ),
    ] {
        assert_eq!(text, value);
    }
    assert_eq!(
        written(&NonZero::<u8>::MIN),
        "std::num::NonZero::new(1).unwrap()"
    );
}

#[test]
fn given_inputs_are_what_one_gets() {
    with_inputs(
        &[("any", &[1, 2]), ("any_2", &[3]), ("x", &[9, 0, 0, 0])],
        || {
            assert_eq!(any::<u16>(), 0x0201);
            assert_eq!(any::<u8>(), 3);
            assert_eq!(any_named::<i32>("x"), 9);
            // What is not given is zero.
            assert_eq!(any_named::<u64>("y"), 0);
        },
    );
    let inputs: &[(&str, &[u8])] = &[
        ("k.variant", &[2]),
        ("k.items.len", &[2]),
        ("k.items", &[5, 6]),
    ];
    let kind = with_inputs(inputs, || any_named::<Kind<u8>>("k"));
    assert_eq!(kind, Kind::Many { items: vec![5, 6] });
}

#[test]
fn given_inputs_that_are_not_valid_are_refused() {
    assert!(catch_unwind(|| with_inputs(&[("any", &[2])], any::<bool>)).is_err());
    assert!(catch_unwind(|| with_inputs(&[("any", &[0, 0xd8, 0, 0])], any::<char>)).is_err());
    assert!(catch_unwind(|| with_inputs(&[("any.variant", &[3])], any::<Kind<u8>>)).is_err());
    assert!(catch_unwind(|| with_inputs(&[("any.len", &[3])], any_vec::<u8, 2>)).is_err());
    // And what was before is there again.
    let _: u8 = any();
}

#[test]
fn random_values_are_valid_and_differ() {
    let mut seen = [false; 3];
    let mut lengths = [false; 4];
    for _ in 0..200 {
        match any::<Kind<char>>() {
            Kind::Empty => seen[0] = true,
            Kind::One(_) => seen[1] = true,
            Kind::Many { items } => {
                seen[2] = true;
                lengths[items.len()] = true;
            }
        }
        assert!(any_string::<2>().chars().count() <= 2);
        assert!(any_vec::<bool, 3>().len() <= 3);
    }
    assert_eq!((seen, lengths), ([true; 3], [true; 4]));
}

#[refrain::test]
fn assumptions_leave_cases_out(low: u8, high: u8) {
    refrain::assume(low < high);
    assert!(high > 0);
    let small = any_where(|x: &u16| *x < 1000);
    assert_ne!(small, 1000);
}

#[refrain::test]
fn random_text_is_ascii(_x: u8) {
    let text = any_ascii::<3>();
    assert!(text.is_ascii() && text.len() <= 3);
}

#[refrain::test]
#[should_panic(expected = "always")]
fn panics_are_expected_of_every_input(_x: u8) {
    panic!("it always does");
}

#[refrain::test]
fn errors_can_be_returned(#[refrain(max_len = 2)] text: String) -> Result<(), std::fmt::Error> {
    if text.len() > 8 {
        Err(std::fmt::Error)
    } else {
        Ok(())
    }
}
