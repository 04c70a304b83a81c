//! The generator, held against itself.

use super::generate;
use super::script::Command;
use super::tree::Words;
use super::{Family, Script};

#[test]
fn scripts_are_reproducible_and_use_what_their_family_is_about() {
    let expected: &[(Family, &[&str])] = &[
        (
            Family::Uf,
            &["(P S)", "(f", "distinct", "let", "ite", ":named"],
        ),
        (
            Family::Arrays,
            &["(store ", "(select ", "(as const ", "(From ", "(Array S "],
        ),
        (Family::Mixed, &["to_int", "to_real", "is_int"]),
        (
            Family::Conversions,
            &["bv2nat", "int2bv", "sbv_to_int", "int_to_bv", "ubv_to_int"],
        ),
        (
            Family::Datatypes,
            &["(_ is ", "(match ", "(sel0_", "(Array Int D0)"],
        ),
        (Family::Quantified, &["(forall ", "(exists "]),
    ];
    for &(family, words) in expected {
        let mut all = String::new();
        for number in 0..300 {
            let (drawn, script) = generate::script(family, 5, number);
            assert_eq!(drawn, family);
            let situations = script.situations().expect("levels that are pushed");
            assert!(!situations.is_empty());
            assert_eq!(script.text(), generate::script(family, 5, number).1.text());
            all.push_str(&script.text());
        }
        for word in words {
            assert!(all.contains(word), "{family:?} never has {word}");
        }
    }
}

#[test]
fn what_is_popped_is_gone() {
    let truth = super::tree::Node::leaf(super::tree::Sort::Bool, "true");
    let assert = Command::Assert(truth, None);
    let check = Command::Check(vec![], vec![]);
    let commands = vec![Command::Push, assert, check.clone(), Command::Pop, check];
    let situations = Script { commands }.situations().expect("balanced");
    assert_eq!(situations[0].formulas().count(), 1);
    assert_eq!(situations[1].formulas().count(), 0);
    let unbalanced = vec![Command::Pop];
    assert!(
        Script {
            commands: unbalanced
        }
        .situations()
        .is_none()
    );
}

#[test]
fn others_hear_older_words() {
    use super::tree::{Node, Sort};
    let bits = Node::leaf(Sort::Bv(3), "b");
    let signed = Node::new(Sort::Int, "sbv_to_int", [bits.clone()]);
    assert_eq!(signed.text(Words::New), "(sbv_to_int b)");
    assert_eq!(
        signed.text(Words::Old),
        "(let ((signed! b)) (ite (bvslt signed! #b000) (- (bv2nat signed!) 8) (bv2nat signed!)))"
    );
    let back = Node::new(Sort::Bv(3), "(_ int_to_bv 3)", [signed]);
    assert!(back.text(Words::Old).starts_with("((_ int2bv 3) (let "));
}
