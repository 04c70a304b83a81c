//! `--stats`: the keys that tests and tables read, and values that fit together.

mod common;

use std::fs;
use std::process::Command;

use common::{REFRAIN, file, run_counted};
use serde_json::Value;

/// The stable keys, as paths into the object.
const KEYS: [&str; 31] = [
    "paths/completed",
    "paths/error",
    "paths/killed",
    "instructions",
    "coverage/blocks",
    "coverage/branches",
    "queries/total",
    "queries/answered_by/fold",
    "queries/answered_by/model",
    "queries/answered_by/reduce",
    "queries/answered_by/exact",
    "queries/answered_by/subset",
    "queries/answered_by/superset",
    "queries/answered_by/implied_sat",
    "queries/answered_by/implied_unsat",
    "queries/answered_by/quick_test",
    "queries/answered_by/memo",
    "queries/answered_by/solver",
    "solver/calls",
    "solver/sat",
    "solver/unsat",
    "solver/unknown",
    "solver/partial_solutions",
    "time/total",
    "time/execute",
    "time/build",
    "time/lookup",
    "time/solve",
    "time/store",
    "reuse/evicted",
    "memory/peak_bytes",
];

fn number(stats: &Value, key: &str) -> f64 {
    let value = stats.pointer(&format!("/{key}")).and_then(Value::as_f64);
    value.unwrap_or_else(|| panic!("{key} is a number"))
}

/// What holds of every run.
fn check_shape(stats: &Value) {
    for key in KEYS {
        assert!(number(stats, key) >= 0.0, "{key}");
    }
    let answered = stats
        .pointer("/queries/answered_by")
        .and_then(Value::as_object);
    let by: f64 = answered
        .expect("an object")
        .values()
        .filter_map(Value::as_f64)
        .sum();
    assert_eq!(
        number(stats, "queries/total"),
        by,
        "every query is answered"
    );
    let verdicts = ["sat", "unsat", "unknown"].map(|key| number(stats, &format!("solver/{key}")));
    assert_eq!(
        number(stats, "solver/calls"),
        verdicts.iter().sum::<f64>(),
        "every call has a verdict"
    );
    let phases = ["execute", "build", "lookup", "solve", "store"];
    let parts: f64 = phases
        .iter()
        .map(|key| number(stats, &format!("time/{key}")))
        .sum();
    assert!(number(stats, "time/total") >= parts, "{stats}");
    #[cfg(target_os = "linux")]
    assert!(number(stats, "memory/peak_bytes") > 1e5, "{stats}");
}

#[test]
fn statistics_have_their_keys() {
    let script = "(declare-const p Bool)(check-sat)(assert (and p (not p)))(check-sat)\
                  (check-sat-assuming (p))(frobnicate)(assert q)";
    let (_, stats) = run_counted("reused.smt2", script, &[]);
    check_shape(&stats);
    for (key, value) in [
        ("queries/total", 3.0),
        ("queries/answered_by/model", 1.0),
        ("queries/answered_by/fold", 2.0),
        ("solver/calls", 0.0),
        ("store/hits", 0.0),
    ] {
        assert_eq!(number(&stats, key), value, "{key}");
    }
    let plain = ["--check-models", "--reuse", "stack"];
    let (found, stats) = run_counted("counted.smt2", script, &plain);
    assert_eq!(found.status.code(), Some(1), "there is an error");
    check_shape(&stats);
    for (key, value) in [
        ("queries/total", 3.0),
        ("queries/answered_by/solver", 3.0),
        ("solver/calls", 3.0),
        ("solver/sat", 1.0),
        ("solver/unsat", 2.0),
        ("solver/unknown", 0.0),
        ("paths/completed", 0.0),
    ] {
        assert_eq!(number(&stats, key), value, "{key}");
    }
}

#[test]
fn nothing_is_counted_where_nothing_happens() {
    let (found, stats) = run_counted("nothing.smt2", "", &[]);
    assert_eq!(found.status.code(), Some(0));
    check_shape(&stats);
    assert_eq!(number(&stats, "queries/total"), 0.0);
}

/// No two squares of numbers that agree modulo 4 differ by 3, which is for the solver to find out.
const WORK: &str = "(declare-const x (_ BitVec 24))(declare-const y (_ BitVec 24))\
    (assert (= (bvmul x x) (bvadd (bvmul y y) #x000003)))(assert (bvugt x y))\
    (assert (= ((_ extract 1 0) x) ((_ extract 1 0) y)))(check-sat)";

#[test]
fn time_in_the_solver_is_time_to_solve() {
    let (_, stats) = run_counted("work.smt2", WORK, &["--partial-solutions", "8"]);
    check_shape(&stats);
    assert!(number(&stats, "time/solve") > 0.0);
    assert!(number(&stats, "time/build") > 0.0);
    assert_eq!(number(&stats, "solver/calls"), 1.0);
}

#[test]
fn what_is_not_decided_is_counted_as_unknown() {
    let (_, stats) = run_counted("late.smt2", WORK, &["--max-time", "0"]);
    check_shape(&stats);
    assert_eq!(number(&stats, "solver/unknown"), 1.0);
}

#[test]
fn statistics_add_up_over_files() {
    let first = file("first.smt2", b"(check-sat)");
    let second = file("second.smt2", b"(assert false)(check-sat)(check-sat)");
    let stats = first.with_file_name("both.json");
    let status = Command::new(REFRAIN)
        .env("REFRAIN_STORE", "none")
        .args(["smt", "--reuse", "stack", "--stats"])
        .args([&stats, &first, &second])
        .status();
    assert_eq!(status.expect("the binary runs").code(), Some(0));
    let stats: Value = serde_json::from_slice(&fs::read(&stats).expect("written")).expect("JSON");
    check_shape(&stats);
    assert_eq!(number(&stats, "solver/sat"), 1.0);
    assert_eq!(number(&stats, "solver/unsat"), 2.0);
}
