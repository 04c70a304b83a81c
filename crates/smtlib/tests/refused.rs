//! While an assertion is missing nobody is asked: not the solver, nor what stands in front of it.

mod common;

use std::cell::Cell;
use std::io::Read;
use std::rc::Rc;

use common::{BruteForce, session_over};
use refrain_solver::{Outcome, Query, Solver, Stats};
use refrain_term::{Term, Terms};

/// Counts how often it is asked.
struct Counting {
    inner: BruteForce,
    asked: Rc<Cell<u64>>,
}

impl Solver for Counting {
    fn name(&self) -> &str {
        self.inner.name()
    }
    fn push(&mut self) {
        self.inner.push();
    }
    fn pop(&mut self, levels: usize) {
        self.inner.pop(levels);
    }
    fn assert(&mut self, terms: &mut Terms, formula: Term) {
        self.inner.assert(terms, formula);
    }
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Outcome {
        self.asked.set(self.asked.get() + 1);
        self.inner.check(terms, query)
    }
    fn reset(&mut self) {
        self.inner.reset();
    }
    fn stats(&self) -> Stats {
        self.inner.stats()
    }
}

#[test]
fn nobody_is_asked_while_an_assertion_is_missing() {
    let asked = Rc::new(Cell::new(0));
    let solver = Counting {
        inner: BruteForce::default(),
        asked: asked.clone(),
    };
    let (mut session, regular, _) = session_over(Box::new(solver));
    let mut run = |script: &str| {
        let (before, asked_before) = (regular.text().len(), asked.get());
        session
            .run_script(script.as_bytes())
            .expect("memory can be written");
        (
            regular.text()[before..].to_owned(),
            asked.get() - asked_before,
        )
    };
    let (answers, asked) = run("(declare-const p Bool)(assert p)(check-sat)(get-value (p))");
    assert_eq!(answers, "sat\n((p true))\n");
    assert!(asked > 0);
    let (answers, asked) = run("(push)(assert (= p foo))(assert (not p))(check-sat)\
         (check-sat-assuming (p))(get-value (p))(get-unsat-core)");
    assert_eq!(asked, 0, "{answers}");
    let found: Vec<&str> = answers.lines().collect();
    assert_eq!(found[1..3], ["unknown"; 2], "{answers}");
    assert!(
        found.len() == 5 && found[3..].iter().all(|line| line.starts_with("(error ")),
        "{answers}"
    );
    // What was accepted beside it is with the solver all the same.
    let (answers, asked) = run("(pop)(check-sat)(assert (not p))(check-sat)");
    assert_eq!(answers, "sat\nunsat\n");
    assert!(asked > 0);
    let stats = session.stats();
    assert_eq!((stats.checks, stats.not_asked), (3, 2));
    assert_eq!((stats.sat, stats.unsat, stats.unknown), (2, 1, 0));
    let effort = session.effort();
    assert_eq!(effort.solver.checks, 3);
}

/// A client that writes a command and reads its answer before the next one.
struct Turns<'a> {
    commands: std::slice::Iter<'a, (&'a str, &'a str)>,
    expected: &'a str,
    seen: usize,
    regular: common::Shared,
}

impl Read for Turns<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let text = self.regular.text();
        assert_eq!(&text[self.seen..], self.expected, "of {text}");
        self.seen = text.len();
        let Some(&(command, expected)) = self.commands.next() else {
            return Ok(0);
        };
        self.expected = expected;
        buffer[..command.len()].copy_from_slice(command.as_bytes());
        Ok(command.len())
    }
}

#[test]
fn an_interactive_session_recovers_by_pop() {
    let (mut session, regular, _) = common::session();
    let error = "(error \"line 1 column 76: unknown constant y\")\n";
    let reason = "(:reason-unknown \"incomplete: an assertion was refused: line 1 column 76: \
                  unknown constant y\")\n";
    let turns = [
        ("(set-option :print-success true)", "success\n"),
        ("(declare-const x Bool)", "success\n"),
        ("(push)", "success\n"),
        ("(assert (and x y))", error),
        ("(check-sat)", "unknown\n"),
        ("(get-info :reason-unknown)", reason),
        ("(assert (not x))", "success\n"),
        ("(check-sat)", "unknown\n"),
        ("(pop)", "success\n"),
        ("(assert x)", "success\n"),
        ("(check-sat)", "sat\n"),
        ("(exit)", "success\n"),
    ];
    let client = Turns {
        commands: turns.iter(),
        expected: "",
        seen: 0,
        regular: regular.clone(),
    };
    session.run_stream(client).expect("memory can be written");
    assert!(regular.text().ends_with("sat\nsuccess\n"));
    assert_eq!(session.outcome().errors, 1);
}
