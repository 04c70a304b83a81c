//! What is unsatisfiable has a proof that the checker accepts, whatever theory it is of; what is satisfiable has none.

mod common;

use common::{REFUTED, proof_of};
use refrain_prove::NotProved;

#[test]
fn proofs_of_all_theories_are_accepted() {
    for (name, script) in REFUTED {
        for check in 1..=script.matches("(check-sat").count() as u32 {
            let proof = proof_of(script, check).unwrap_or_else(|why| panic!("{name}: {why}"));
            let accepted = refrain_proof::check(script.as_bytes(), proof.text.as_bytes());
            let accepted = accepted.unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
            assert_eq!(accepted.len(), 1);
            assert_eq!(accepted[0].check, check, "{name}");
            assert_eq!(accepted[0].steps, proof.steps as u64, "{name}");
        }
    }
}

#[test]
fn a_proof_is_about_its_script_alone() {
    for ((name, script), (other, other_script)) in REFUTED.iter().zip(&REFUTED[1..]) {
        let proof = proof_of(script, 1).expect("a proof").text;
        let refusal = refrain_proof::check(other_script.as_bytes(), proof.as_bytes());
        assert!(refusal.is_err(), "{name} for {other}");
    }
}

#[test]
fn several_proofs_are_one_file() {
    let (_, script) = REFUTED[REFUTED.len() - 1];
    let both = proof_of(script, 1).unwrap().text + &proof_of(script, 2).unwrap().text;
    let accepted = refrain_proof::check(script.as_bytes(), both.as_bytes()).expect("two proofs");
    assert_eq!(
        accepted.iter().map(|one| one.check).collect::<Vec<_>>(),
        [1, 2]
    );
}

#[test]
fn what_is_satisfiable_is_not_proved() {
    let scripts = [
        "(declare-const x (_ BitVec 8)) (assert (bvult x #x03)) (check-sat)",
        "(declare-const x Int) (declare-const y Int) (assert (= (+ (* 2 x) (* 3 y)) 1)) (check-sat)",
        "(declare-const x Real) (assert (< 0 x 1)) (check-sat)",
        "(declare-sort U 0) (declare-fun f (U) U) (declare-const u U) (assert (distinct u (f u))) (check-sat)",
        "(declare-const a (Array Int Int)) (assert (= (store a 1 2) (store a 2 1))) (check-sat)",
    ];
    for script in scripts {
        let found = proof_of(script, 1);
        assert_eq!(found.err(), Some(NotProved::Satisfiable), "{script}");
    }
}

#[test]
fn what_is_not_covered_is_said() {
    let scripts = [
        (
            "(declare-const x Float32) (assert (fp.lt x x)) (check-sat)",
            "'Float32' is not covered",
        ),
        (
            "(declare-const x Int) (assert (= (* x x) 2)) (check-sat)",
            "not linear",
        ),
        (
            "(assert (forall ((x Int)) (> x 0))) (check-sat)",
            "'forall' is not covered",
        ),
    ];
    for (script, why) in scripts {
        let found = proof_of(script, 1).expect_err("not covered").to_string();
        assert!(found.contains(why), "{script}: {found}");
    }
}

#[test]
fn what_is_not_covered_is_left_out() {
    let script = "(declare-const x Float32) (declare-const p Bool) (assert p) (assert (fp.lt x x)) (assert (not p)) (check-sat)";
    let proof = proof_of(script, 1).expect("a proof by the others").text;
    assert!(proof.contains("\nuse 1 3\n"), "{proof}");
    assert!(refrain_proof::check(script.as_bytes(), proof.as_bytes()).is_ok());
}
