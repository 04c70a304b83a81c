//! Sets of values behave as sets, and so do their bytes.

use refrain_path::values::ValueSet;
use refrain_term::{Bv, Rational, Sort, Value};

use super::common::Random;

/// A random set of this sort, and values around its corners.
pub fn random_set(random: &mut Random, sort: Sort) -> ValueSet {
    let mut set = ValueSet::all(sort).expect("a sort that has sets");
    for _ in 0..random.below(6) {
        let other = random_piece(random, sort);
        let other = if random.below(2) == 0 {
            other.complement()
        } else {
            other
        };
        set = if random.below(3) == 0 {
            set.union(&other)
        } else {
            set.intersection(&other)
        };
    }
    set
}

pub fn random_piece(random: &mut Random, sort: Sort) -> ValueSet {
    match sort {
        Sort::Bool => ValueSet::bool(random.below(2) == 0),
        Sort::BitVec(width) => {
            let (first, last) = (random_value(random, sort), random_value(random, sort));
            let word = |value: Value| value.as_bv().and_then(Bv::small).expect("a word");
            ValueSet::range(width, word(first), word(last))
        }
        _ => {
            let limit = random_value(random, sort);
            let limit = limit.as_number().expect("a number");
            match random.below(3) {
                0 => ValueSet::at_most(sort, limit),
                1 => ValueSet::below(sort, limit),
                _ => ValueSet::point(sort, limit),
            }
        }
    }
}

pub fn random_value(random: &mut Random, sort: Sort) -> Value {
    match sort {
        Sort::Bool => Value::Bool(random.below(2) == 0),
        Sort::BitVec(width) => Value::Bv(Bv::new(width, random.below(6).wrapping_sub(3))),
        Sort::Int => Value::Int(Rational::from(random.below(12) as i64 - 6)),
        Sort::Real => Value::Real(Rational::new(random.below(24) as i64 - 12, 4)),
        sort => panic!("no sets of {sort}"),
    }
}

#[test]
fn sets_behave_as_sets() {
    let mut random = Random(77);
    let sorts = [
        Sort::Bool,
        Sort::BitVec(3),
        Sort::BitVec(8),
        Sort::BitVec(9),
        Sort::BitVec(64),
        Sort::Int,
        Sort::Real,
    ];
    for round in 0..7000 {
        let sort = sorts[round % sorts.len()];
        let (a, b) = (random_set(&mut random, sort), random_set(&mut random, sort));
        let (both, either) = (a.intersection(&b), a.union(&b));
        for _ in 0..12 {
            let value = random_value(&mut random, sort);
            let (in_a, in_b) = (a.contains(&value), b.contains(&value));
            assert_eq!(both.contains(&value), in_a && in_b);
            assert_eq!(either.contains(&value), in_a || in_b);
            assert_eq!(a.complement().contains(&value), !in_a);
        }
        // One representation: laws are equalities.
        assert_eq!(a.complement().complement(), a);
        assert_eq!(both, b.intersection(&a));
        assert_eq!(
            both.complement(),
            a.complement().union(&b.complement()),
            "{a:?} {b:?}"
        );
        assert_eq!(a.is_subset_of(&b), both == a);
        assert_eq!(a.is_disjoint(&b), both.is_empty());
        assert_eq!(a.is_full(), a.complement().is_empty());
        assert!(both.size() <= a.size() && a.size() <= either.size());
        assert_eq!(a.size() == 0, a.is_empty());
        check_bytes(&a, &b);
    }
}

fn check_bytes(a: &ValueSet, b: &ValueSet) {
    let (mut bytes, mut others) = (Vec::new(), Vec::new());
    a.encode(&mut bytes);
    b.encode(&mut others);
    assert_eq!(a == b, bytes == others);
    let len = bytes.len();
    bytes.extend(&others);
    let mut rest = &bytes[..];
    assert_eq!(ValueSet::decode(&mut rest).as_ref(), Some(a));
    assert_eq!(rest.len(), others.len());
    assert_eq!(ValueSet::decode(&mut rest).as_ref(), Some(b));
    for cut in 0..len {
        assert_eq!(ValueSet::decode(&mut &bytes[..cut]), None);
    }
}

#[test]
fn integers_are_cut_at_integers() {
    let half = Rational::new(5, 2);
    let (two, three) = (Rational::from(2), Rational::from(3));
    assert!(ValueSet::point(Sort::Int, &half).is_empty());
    let at_most_two = ValueSet::at_most(Sort::Int, &two);
    assert_eq!(ValueSet::at_most(Sort::Int, &half), at_most_two);
    assert_eq!(ValueSet::below(Sort::Int, &half), at_most_two);
    assert_eq!(ValueSet::below(Sort::Int, &three), at_most_two);
    let real = ValueSet::below(Sort::Real, &three);
    assert!(real.is_subset_of(&ValueSet::at_most(Sort::Real, &three)));
    assert!(!ValueSet::at_most(Sort::Real, &three).is_subset_of(&real));
}

#[test]
fn numbers_of_any_size_have_bytes() {
    let huge = Rational::parse("123456789012345678901234567890").expect("a numeral");
    for value in [
        huge.clone(),
        -&huge,
        &huge / &Rational::from(7),
        Rational::from(i64::MIN),
        Rational::from(i64::MAX),
        Rational::new(1, i64::MAX),
    ] {
        for sort in [Sort::Int, Sort::Real] {
            let set = ValueSet::at_most(sort, &value);
            check_bytes(&set, &ValueSet::point(sort, &value));
        }
    }
}

#[test]
fn damaged_bytes_are_refused_or_a_set() {
    let mut random = Random(3);
    let sorts = [
        Sort::Bool,
        Sort::BitVec(5),
        Sort::BitVec(20),
        Sort::Int,
        Sort::Real,
    ];
    for round in 0..20_000 {
        let set = random_set(&mut random, sorts[round % sorts.len()]);
        let mut bytes = Vec::new();
        set.encode(&mut bytes);
        let at = random.below(bytes.len() as u64) as usize;
        bytes[at] = random.next() as u8;
        if let Some(other) = ValueSet::decode(&mut &bytes[..]) {
            assert_eq!(other.complement().complement(), other);
            assert!(other.is_subset_of(&other));
        }
    }
}
