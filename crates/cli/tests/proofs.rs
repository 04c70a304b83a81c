//! Proofs from the command line: made, checked, written, read again, refused.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use refrain_reuse::lasting::{self, Kept, Record};
use refrain_store::{Entry, Options, Store};

const SCRIPT: &str = "(declare-const x (_ BitVec 8)) (declare-const y Int)
(push 1) (assert (bvult x #x03)) (assert (bvugt x #x04)) (check-sat) (pop 1)
(check-sat)
(assert (< (* 2 y) 1)) (assert (> (* 2 y) (- 1))) (assert (distinct y 0)) (check-sat)
";

fn refrain(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_refrain"))
        .env("REFRAIN_STORE", "none")
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("refrain starts")
}

fn said(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn every_unsat_is_proved_and_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("it.smt2"), SCRIPT).expect("it can be written");
    let output = refrain(&["smt", "--check-proofs", "it.smt2"], folder.path());
    let (status, answers, remarks) = said(&output);
    assert_eq!(status, Some(0), "{output:?}");
    assert_eq!(answers, "unsat\nsat\nunsat\n");
    assert_eq!(remarks, "refrain: 2 of 2 'unsat' answers proved\n");
}

#[test]
fn what_is_not_covered_is_counted_and_no_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = "(declare-const x Float32) (assert (not (= x x))) (check-sat)
(reset) (declare-const p Bool) (assert (and p (not p))) (check-sat)";
    fs::write(folder.path().join("it.smt2"), script).expect("it can be written");
    let output = refrain(&["smt", "--check-proofs", "it.smt2"], folder.path());
    let (status, answers, remarks) = said(&output);
    assert_eq!(status, Some(0), "{output:?}");
    assert_eq!(answers, "unsat\nunsat\n");
    assert!(
        remarks.contains("; check 1 is not proved: the sort 'Float32' is not covered\n"),
        "{remarks}"
    );
    assert!(
        remarks.ends_with("refrain: 1 of 2 'unsat' answers proved\n"),
        "{remarks}"
    );
}

#[test]
fn proofs_are_written_and_checked_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name);
    fs::write(file("it.smt2"), SCRIPT).expect("it can be written");
    let output = refrain(&["smt", "--proof", "it.proof", "it.smt2"], folder.path());
    assert_eq!(said(&output).0, Some(0), "{output:?}");
    let output = refrain(&["proof", "check", "it.smt2", "it.proof"], folder.path());
    let (status, accepted, _) = said(&output);
    assert_eq!(status, Some(0), "{output:?}");
    assert!(
        accepted.contains("check 1: proved by 0 rules"),
        "{accepted}"
    );
    assert!(accepted.contains("check 3: proved by "), "{accepted}");

    let export = [
        "proof", "export", "it.smt2", "it.proof", "--cnf", "it.cnf", "--lrat", "it.lrat", "--drat",
        "it.drat",
    ];
    let output = refrain(&export, folder.path());
    assert_eq!(said(&output).0, Some(0), "{output:?}");
    let cnf = fs::read_to_string(file("it.cnf")).expect("clauses");
    let clauses = cnf.lines().count() - 1;
    assert!(
        cnf.starts_with("p cnf ")
            && cnf
                .lines()
                .next()
                .unwrap()
                .ends_with(&format!(" {clauses}")),
        "{cnf}"
    );
    let lrat = fs::read_to_string(file("it.lrat")).expect("a derivation");
    assert!(
        lrat.lines()
            .last()
            .is_some_and(|last| last.split(' ').nth(1) == Some("0")),
        "{lrat}"
    );
    let drat = fs::read_to_string(file("it.drat")).expect("a derivation");
    assert!(drat.ends_with("\n0\n") || drat == "0\n", "{drat}");

    let second = [
        "proof",
        "export",
        "--number",
        "2",
        "it.smt2",
        "it.proof",
        "--cnf",
        "second.cnf",
    ];
    let output = refrain(&second, folder.path());
    assert_eq!(said(&output).0, Some(0), "{output:?}");
    assert_ne!(
        cnf,
        fs::read_to_string(file("second.cnf")).expect("clauses")
    );
    let third = [
        "proof",
        "export",
        "--number",
        "3",
        "it.smt2",
        "it.proof",
        "--cnf",
        "third.cnf",
    ];
    let output = refrain(&third, folder.path());
    assert_eq!(said(&output).0, Some(2), "{output:?}");

    // Of another script they are no proofs, and neither is a part of one.
    fs::write(file("other.smt2"), SCRIPT.replace("#x04", "#x01")).expect("it can be written");
    let output = refrain(&["proof", "check", "other.smt2", "it.proof"], folder.path());
    let (status, _, complaint) = said(&output);
    assert_eq!(status, Some(1), "{output:?}");
    assert_eq!(
        complaint,
        "refrain: it.proof: refused: line 2: the proof is about another script\n"
    );
    let proofs = fs::read_to_string(file("it.proof")).expect("proofs");
    fs::write(file("cut.proof"), &proofs[..proofs.len() - 10]).expect("it can be written");
    let output = refrain(&["proof", "check", "it.smt2", "cut.proof"], folder.path());
    assert_eq!(said(&output).0, Some(1), "{output:?}");
    let output = refrain(
        &["proof", "check", "it.smt2", "missing.proof"],
        folder.path(),
    );
    assert_eq!(said(&output).0, Some(2), "{output:?}");
}

/// A script whose answers are worth keeping.
const HARDER: &str =
    "(declare-const x (_ BitVec 8)) (declare-const y (_ BitVec 8)) (declare-const z (_ BitVec 8))
(push 1) (assert (bvult x y)) (assert (bvult y z)) (assert (bvult z x)) (check-sat) (pop 1)
(push 1) (assert (= (bvmul x y) #x23)) (assert (bvult #x01 x)) (assert (bvult x y)) (check-sat) (pop 1)
";

#[test]
fn the_unsat_answers_of_a_store_are_proved() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("it.smt2"), HARDER).expect("it can be written");
    let output = refrain(&["smt", "--store", "kept", "it.smt2"], folder.path());
    assert_eq!(said(&output).1, "unsat\nsat\n", "{output:?}");
    let output = refrain(&["store", "verify", "--proofs", "kept"], folder.path());
    let (status, report, complaint) = said(&output);
    assert_eq!(status, Some(0), "{output:?}");
    assert_eq!(complaint, "");
    assert!(
        report.ends_with("1 of 1 'unsat' answers proved\n"),
        "{report}"
    );

    // An answer that is wrong is found.
    let store = Store::open(
        &folder.path().join("kept"),
        &Options::new(lasting::validity()),
    );
    let store = store.expect("the store is there");
    let snapshot = store.snapshot().expect("it can be read");
    let satisfied = snapshot.entries().find_map(|entry| {
        let form = lasting::form_of(&entry.key)?;
        let mut record = Record::decode(form, &entry.value)?;
        matches!(record.answer, Kept::Sat(_)).then(|| {
            record.answer = Kept::Unsat(vec![0]);
            Entry::new(entry.key, record.encode().expect("small"))
        })
    });
    drop(snapshot);
    let wrong = satisfied.expect("a model is kept");
    store.clear().expect("it can be emptied");
    store.put(wrong).expect("it is small");
    store.flush().expect("there is room");
    drop(store);
    let output = refrain(&["store", "verify", "--proofs", "kept"], folder.path());
    let (status, report, complaint) = said(&output);
    assert_eq!(status, Some(1), "{output:?}");
    assert!(
        report.ends_with("0 of 1 'unsat' answers proved, 1 refused\n"),
        "{report}"
    );
    assert!(
        complaint.contains("an 'unsat' answer is wrong: the assertions are satisfiable"),
        "{complaint}"
    );
}
