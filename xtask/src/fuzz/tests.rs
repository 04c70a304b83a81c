//! The fuzzer's own parts, held against each other: generator, printer, evaluator, definitions.

mod floats;
mod lies;
mod numbers;

use super::ast::{self, Op, Sort, T, bv, op};
use super::evaluate::{Model, Value, evaluate};
use super::generate;
use super::plain::in_plain_words;
use super::sexpr::{self, Sexp};
use super::theory::Family;
use crate::random::Rng;
use std::collections::BTreeMap;

fn truth(term: &T) -> bool {
    evaluate(term, &Model::default()) == Ok(Value::Bool(true))
}

#[test]
fn scripts_are_well_formed_reproducible_and_use_every_operator() {
    for family in [
        Family::Bv,
        Family::Lia,
        Family::Lra,
        Family::Idl,
        Family::Uf,
        Family::Fp,
        Family::All,
    ] {
        let mut counts = BTreeMap::new();
        for number in 0..300 {
            let script = generate::script(family, 5, number);
            script.count_operators(&mut counts);
            let situations = script.situations().expect("well-formed");
            assert_eq!(situations.len(), script.checks());
            assert_eq!(
                script.text(),
                generate::script(family, 5, number).text(),
                "{family:?}"
            );
        }
        let missing: Vec<&str> = family
            .operators()
            .filter(|name| !counts.contains_key(name))
            .collect();
        assert!(missing.is_empty(), "{family:?} lacks {missing:?}");
    }
}

#[test]
fn overflow_predicates_equal_their_definitions() {
    use Op::*;
    let mut rng = Rng::for_script(1, 1);
    for _ in 0..4000 {
        let width = rng.between(1, 60);
        let args = [
            bv(rng.wide() >> rng.below(128), width),
            bv(rng.wide(), width),
        ];
        let nego = op(BvNegO, [args[0].clone()]);
        assert_eq!(truth(&nego), truth(&in_plain_words(&nego)), "{nego}");
        for operator in [
            BvUaddO, BvSaddO, BvUmulO, BvSmulO, BvUsubO, BvSsubO, BvSdivO,
        ] {
            let term = op(operator, args.clone());
            assert_eq!(truth(&term), truth(&in_plain_words(&term)), "{term}");
        }
    }
}

/// Values worked out by hand from the standard, the corners above all.
#[test]
fn corner_values() {
    use Op::*;
    let table: &[(Op, u128, u128, u128)] = &[
        (BvUdiv, 5, 0, 0xff),
        (BvUrem, 5, 0, 5),
        (BvSdiv, 5, 0, 0xff),
        (BvSdiv, 0xfb, 0, 1),
        (BvSdiv, 0x80, 0xff, 0x80),
        (BvSdiv, 0xf9, 2, 0xfd),
        (BvSrem, 0xf9, 2, 0xff),
        (BvSrem, 0xf9, 0, 0xf9),
        (BvSmod, 0xf9, 2, 1),
        (BvSmod, 7, 0xfe, 0xff),
        (BvSmod, 0xf9, 0, 0xf9),
        (BvShl, 1, 8, 0),
        (BvLshr, 0x80, 7, 1),
        (BvAshr, 0x80, 200, 0xff),
        (BvAshr, 0x40, 200, 0),
    ];
    for &(operator, left, right, expected) in table {
        let term = op(operator, [bv(left, 8), bv(right, 8)]);
        assert_eq!(
            evaluate(&term, &Model::default()),
            Ok(Value::Bv(expected)),
            "{term}"
        );
    }
    let rotated = op(RotateLeft(11), [bv(0x81, 8)]);
    assert_eq!(evaluate(&rotated, &Model::default()), Ok(Value::Bv(0x0c)));
}

#[test]
fn array_values_are_compared_by_extension() {
    let sort = Sort::Array(1, 4);
    let read = |text: &str| {
        sexpr::value(&Sexp::parse(text).expect("an expression"), sort).expect("a value")
    };
    let constant = |element: &str| format!("((as const {sort}) {element})");
    let full = format!("(store (store {} #b0 #x1) #b1 #x1)", constant("#x7"));
    assert_eq!(read(&full), read(&constant("#x1")));
    assert_ne!(
        read(&format!("(store {} #b0 #x1)", constant("#x7"))),
        read(&constant("#x1"))
    );
    assert!(sexpr::value(&Sexp::Atom("#x1".into()), sort).is_err());
    assert_eq!(ast::bv(3, 4).to_string(), "#x3");
}
