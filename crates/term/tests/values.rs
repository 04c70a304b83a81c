//! Bit-vector values against mathematical integers; arrays against plain lists.

mod common;

use common::*;
use dashu_int::IBig;
use refrain_term::{ArrayValue, Bv, Value};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, BuildHasherDefault};

type Binary = (&'static str, fn(&Bv, &Bv) -> Bv, fn(&Bv, &Bv) -> Bv);
const BINARY: &[Binary] = &[
    ("and", Bv::and, reference::bv_and),
    ("or", Bv::or, reference::bv_or),
    ("xor", Bv::xor, reference::bv_xor),
    ("add", Bv::add, reference::bv_add),
    ("sub", Bv::sub, reference::bv_sub),
    ("mul", Bv::mul, reference::bv_mul),
    ("udiv", Bv::udiv, reference::bv_udiv),
    ("urem", Bv::urem, reference::bv_urem),
    ("shl", Bv::shl, reference::bv_shl),
    ("lshr", Bv::lshr, reference::bv_lshr),
    ("ashr", Bv::ashr, reference::bv_ashr),
];

fn corners(width: u32) -> Vec<Bv> {
    vec![
        Bv::zero(width),
        Bv::one(width),
        Bv::ones(width),
        Bv::min_signed(width),
        Bv::max_signed(width),
    ]
}

fn check_pair(a: &Bv, b: &Bv) {
    let width = a.width();
    for (name, operation, reference) in BINARY {
        let (found, wanted) = (operation(a, b), reference(a, b));
        assert_eq!(found, wanted, "{name} {a} {b}");
        assert_eq!(found.width(), width);
    }
    assert_eq!(a.ult(b), reference::bv_ult(a, b), "ult {a} {b}");
    assert_eq!(a.slt(b), reference::bv_slt(a, b), "slt {a} {b}");
    assert_eq!(a.ucmp(b), unsigned(a).cmp(&unsigned(b)));
    assert_eq!(a.scmp(b), signed(a).cmp(&signed(b)));
    assert_eq!(a.cmp(b), a.ucmp(b));
    assert_eq!(a == b, a.ucmp(b) == Ordering::Equal);
}

fn check_one(a: &Bv, rng: &mut Rng) {
    let width = a.width();
    let number = unsigned(a);
    assert_eq!(a.not(), reference::bv_not(a));
    assert_eq!(a.neg(), reference::bv_neg(a));
    assert_eq!(a.is_zero(), number == IBig::from(0));
    assert_eq!(a.is_one(), number == IBig::from(1));
    assert_eq!(a.is_ones(), number == power_of_two(width) - 1);
    assert_eq!(a.sign(), signed(a) < IBig::from(0));
    assert_eq!(a.to_u64(), u64::try_from(&number).ok());
    assert_eq!(a.small(), if width <= 64 { a.to_u64() } else { None });
    let set: Vec<u32> = (0..width).filter(|&index| a.bit(index)).collect();
    assert_eq!(a.trailing_zeros(), set.first().copied().unwrap_or(width));
    assert_eq!(
        a.leading_zeros(),
        set.last().map_or(width, |top| width - 1 - top)
    );
    assert_eq!(
        a.power_of_two(),
        if set.len() == 1 { Some(set[0]) } else { None }
    );
    match a.inverse() {
        Some(inverse) => assert!(reference::bv_mul(a, &inverse).is_one()),
        None => assert!(!a.bit(0)),
    }
    let high = rng.range(0, width - 1);
    let low = rng.range(0, high);
    assert_eq!(
        a.extract(high, low),
        reference::extract(a, high, low),
        "extract {high} {low} {a}"
    );
    let by = rng.range(0, 140);
    assert_eq!(a.zero_extend(by), reference::zero_extend(a, by));
    assert_eq!(a.sign_extend(by), reference::sign_extend(a, by));
    let other_width = rng.range(1, 140);
    let other = rng.bv(other_width);
    assert_eq!(a.concat(&other), reference::concat(a, &other));
    let text = a.to_string();
    let (radix, digits) = (if text.starts_with("#x") { 16 } else { 2 }, &text[2..]);
    assert_eq!(Bv::parse(width, digits, radix).as_ref(), Some(a));
    assert_eq!(Bv::parse(width, &number.to_string(), 10).as_ref(), Some(a));
    assert_eq!(Bv::parse(width, &format!("+{number}"), 10), None);
    assert_eq!(Bv::parse(width, &format!("{number}_"), 10), None);
}

#[test]
fn values_agree_with_integers() {
    let mut rng = Rng::new(1);
    for width in (1..=200).chain([255, 256, 257, 512]) {
        for a in corners(width) {
            for b in corners(width) {
                check_pair(&a, &b);
            }
            check_one(&a, &mut rng);
        }
        for _ in 0..12 {
            let (a, b) = (rng.bv(width), rng.bv(width));
            check_pair(&a, &b);
            check_one(&a, &mut rng);
            // Shifts by amounts that do not shift everything out.
            check_pair(&a, &Bv::new(width, rng.next() % u64::from(width)));
        }
    }
}

#[test]
fn all_pairs_of_small_values() {
    for width in 1..=4 {
        for a in 0..1 << width {
            for b in 0..1 << width {
                check_pair(&Bv::new(width, a), &Bv::new(width, b));
            }
        }
    }
}

/// Arrays over few indices, written down in many ways, are equal exactly if their elements are.
#[test]
fn arrays_are_equal_by_their_elements() {
    let hash =
        |value: &Value| BuildHasherDefault::<rustc_hash::FxHasher>::default().hash_one(value);
    let mut rng = Rng::new(2);
    let mut equal_by_other_defaults = 0;
    for _ in 0..20_000 {
        let index = rng.range(1, 3);
        let mut build = || {
            let mut elements = vec![rng.next() % 3; 1 << index];
            let mut array = ArrayValue::filled(index, Bv::new(2, elements[0]));
            for _ in 0..rng.below(3 << index) {
                let (at, element) = (rng.below(1 << index), rng.next() % 2);
                elements[at] = element;
                array.set(Bv::new(index, at as u64), Bv::new(2, element));
            }
            for (at, &element) in elements.iter().enumerate() {
                assert_eq!(array.get(&Bv::new(index, at as u64)), Bv::new(2, element));
            }
            (elements, array)
        };
        let ((elements, array), (other_elements, other)) = (build(), build());
        let other_default = array.default() != other.default();
        let (array, other) = (Value::Array(array), Value::Array(other));
        assert_eq!(
            array == other,
            elements == other_elements,
            "{array:?} {other:?}"
        );
        if array == other {
            assert_eq!(hash(&array), hash(&other), "{array:?} {other:?}");
            equal_by_other_defaults += usize::from(other_default);
        }
    }
    assert!(equal_by_other_defaults > 100);
}

/// Arrays hold what was written last, whether their cells are near the beginning, far from it, or were far until more
/// cells came between.
#[test]
fn arrays_hold_what_was_written_last() {
    let mut rng = Rng::new(3);
    for round in 0..300 {
        let (index, element) = (rng.range(7, 70), rng.range(1, 70));
        let default = rng.bv(element);
        let mut array = ArrayValue::filled(index, default.clone());
        let mut written: BTreeMap<Bv, Bv> = BTreeMap::new();
        for _ in 0..rng.below(600) {
            let at = match rng.below(3) {
                0 => rng.bv(index),
                _ => Bv::new(index, rng.next() % 500),
            };
            let value = match rng.below(8) {
                0 => default.clone(),
                _ => rng.bv(element),
            };
            array.set(at.clone(), value.clone());
            if round % 10 == 0 {
                assert!(!array.cells().contains(&(at.clone(), default.clone())));
            }
            written.insert(at, value);
        }
        for (at, value) in &written {
            assert_eq!(array.get(at), *value);
            let next = at.add(&Bv::one(index));
            let expected = written.get(&next).unwrap_or(&default);
            assert_eq!(array.get(&next), *expected);
        }
        written.retain(|_, value| *value != default);
        assert_eq!(array.len(), written.len());
        assert_eq!(
            array.cells(),
            written.clone().into_iter().collect::<Vec<_>>()
        );

        // The same cells in another order.
        let mut other = ArrayValue::filled(index, default);
        for (at, value) in written.iter().rev() {
            other.set(at.clone(), value.clone());
        }
        assert_eq!(array, other);
        if let Some((at, value)) = written.first_key_value() {
            other.set(at.clone(), value.not());
            assert_ne!(array, other);
        }
    }
}
