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
        let formula = x_is(&mut terms, 5);
        solver.assert(&mut terms, formula);
        let outcome = ask(&mut solver, &mut terms, &[]);
        assert_eq!(outcome.verdict(), Verdict::Sat, "{first}");
        holds_in_model(&outcome, &terms, &[formula]);
        let six = x_is(&mut terms, 6);
        assert_eq!(core(ask(&mut solver, &mut terms, &[six])), [six], "{first}");
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

#[test]
fn cores_and_conflicts_of_whoever_decides_are_passed_on() {
    for spec in ["native", "native,z3", "z3", "z3,native"] {
        let mut solver = named(spec);
        let mut terms = Terms::new();
        let [p, q, r] = ["p", "q", "r"].map(|name| terms.var(name, Sort::Bool));
        let (five, six) = (x_is(&mut terms, 5), x_is(&mut terms, 6));
        let q_if_p = terms.implies(p, q);
        let not_q = terms.not(q);
        for formula in [r, q_if_p, five] {
            solver.push();
            solver.assert(&mut terms, formula);
        }
        let native_decides = spec.starts_with("native");
        let table: [(&[Term], &[Term], &[Term]); 3] = [
            (&[r, six], &[six], &[five, six]),
            (&[not_q, r, p], &[p, not_q], &[p, q_if_p, not_q]),
            (&[r, not_q], &[], &[]),
        ];
        for (assumptions, needed, conflict) in table {
            let sorted = |mut list: Vec<Term>| {
                list.sort_unstable();
                list
            };
            let outcome = ask(solver.as_mut(), &mut terms, assumptions);
            if needed.is_empty() {
                let all = [&[r, q_if_p, five], assumptions].concat();
                holds_in_model(&outcome, &terms, &all);
                continue;
            }
            let found = outcome.conflict().expect("unsat").clone();
            assert_eq!(sorted(found.core), sorted(needed.to_vec()), "{spec}");
            let formulas = found.formulas.map(sorted);
            let conflict = native_decides.then(|| sorted(conflict.to_vec()));
            assert_eq!(formulas, conflict, "{spec}");
        }
    }
}

#[test]
fn what_the_first_went_through_is_passed_on_when_another_decides() {
    let mut solver = named("native,z3");
    let mut terms = Terms::new();
    let word = Sort::BitVec(24);
    let (x, y) = (terms.var("x", word), terms.var("y", word));
    let [one, value] = [1, 0xfa_0b1d].map(|value| terms.bv(24, value));
    let product = terms.bv_mul(x, y);
    let formulas = [
        terms.eq(product, value),
        terms.bv_ult(one, x),
        terms.bv_ult(x, y),
    ];
    for formula in formulas {
        solver.assert(&mut terms, formula);
    }
    // Only the native solver counts conflicts.
    let limits = Limits {
        conflicts: Some(1),
        ..enough()
    };
    let alone = named("native").check(&mut terms, &Query::new(&formulas, &limits));
    assert_eq!(alone.verdict(), Verdict::Unknown(Reason::Conflicts));
    let outcome = solver.check(
        &mut terms,
        &Query::new(&[], &limits).with_partial_solutions(5),
    );
    holds_in_model(&outcome, &terms, &formulas);
    let found = outcome.partial_solutions.len();
    assert!((1..=5).contains(&found), "{found} partial solutions");
    let outcome = solver.check(&mut terms, &Query::new(&[], &limits));
    assert!(outcome.partial_solutions.is_empty());
}
