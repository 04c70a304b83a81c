//! Several solvers together.

use super::real::{EQUAL_TO_A_CONSTANT_ARRAY, PROBLEMS, holds_in_model, named, solve};
use super::*;

fn member(folder: &Folder, check_sat: &str) -> Member {
    Member::from(answering(folder, check_sat, "true"))
}

fn z3() -> Member {
    Member::from(Process::new(Backend::built_in("z3").expect("built in")))
}

#[test]
fn others_decide_what_the_first_does_not() {
    for first in ["sleep 1000", "echo unknown", "exit 1", "echo nonsense"] {
        let (folder, other) = (Folder::new(), Folder::new());
        let others = vec![member(&other, "sleep 1000"), z3()];
        let mut solver = Portfolio::new(member(&folder, first), others, Duration::from_millis(100));
        let mut terms = Terms::new();
        assert_eq!(
            check_one(&mut solver, &mut terms, &enough()),
            Verdict::Sat,
            "{first}"
        );
        let formula = x_is(&mut terms, 5);
        holds_in_model(&mut solver, &mut terms, &[formula]);
        let six = x_is(&mut terms, 6);
        assert_eq!(
            solver.check(&mut terms, &[six], &enough()),
            Verdict::Unsat,
            "{first}"
        );
        assert_eq!(solver.core(), [six], "{first}");
        assert_eq!(
            (
                solver.stats().checks,
                solver.stats().sat,
                solver.stats().unsat
            ),
            (2, 1, 1)
        );
    }
}

#[test]
fn the_first_may_still_win_after_the_hand_off() {
    let (folder, other) = (Folder::new(), Folder::new());
    let first = member(&folder, "sleep 0.5; echo unsat");
    let mut solver = Portfolio::new(
        first,
        vec![member(&other, "sleep 1000")],
        Duration::from_millis(50),
    );
    assert_eq!(
        check_one(&mut solver, &mut Terms::new(), &enough()),
        Verdict::Unsat
    );
}

#[test]
fn others_are_not_asked_what_the_first_decides() {
    let other = Folder::new();
    let mut solver = Portfolio::new(
        z3(),
        vec![member(&other, "touch asked")],
        Duration::from_secs(60),
    );
    assert_eq!(
        check_one(&mut solver, &mut Terms::new(), &enough()),
        Verdict::Sat
    );
    assert!(!other.file("asked").exists());
}

#[test]
fn when_nobody_decides_the_reasons_are_told() {
    let (folder, other) = (Folder::new(), Folder::new());
    let mut solver = Portfolio::new(
        member(&folder, "echo unknown"),
        vec![member(&other, "exit 7")],
        Duration::from_secs(60),
    );
    match check_one(&mut solver, &mut Terms::new(), &enough()) {
        Verdict::Unknown(Reason::Incomplete(text)) => {
            assert!(
                text.contains("answered unknown") && text.contains("exit status: 7"),
                "{text}"
            );
        }
        other => panic!("{other:?}"),
    }
    let mut solver = Portfolio::new(
        member(&folder, "sleep 1000"),
        vec![member(&other, "sleep 1000")],
        Duration::from_millis(50),
    );
    let verdict = check_one(
        &mut solver,
        &mut Terms::new(),
        &within(Duration::from_millis(400)),
    );
    assert_eq!(verdict, Verdict::Unknown(Reason::Timeout));
}

#[test]
fn a_solver_inside_takes_turns_with_processes() {
    let folder = Folder::new();
    for (first, others) in [("native", "smtlib"), ("smtlib", "native")] {
        let make = |name: &str| match name {
            "native" => Member::Inside(named("native")),
            _ => member(&folder, "sleep 1000"),
        };
        let mut solver = Portfolio::new(
            make(first),
            vec![make(others), z3()],
            Duration::from_millis(50),
        );
        for problem in PROBLEMS {
            solver.reset();
            solve(&mut solver, problem);
        }
    }
}

#[test]
fn a_spec_can_name_several() {
    let mut solver =
        select::from_spec("yices,z3,cvc5", &Options::default()).expect("all are there");
    assert_eq!(solver.name(), "yices,z3,cvc5");
    // The first declines.
    solve(solver.as_mut(), &EQUAL_TO_A_CONSTANT_ARRAY);
}
