//! What normal forms decide (`normal-forms.smt2`), by the native solver within so few conflicts that search alone would
//! not get there.

mod common;

use refrain_solver::native::Native;
use refrain_solver::{Limits, Outcome, Query, Solver, Stats};
use refrain_term::{Term, Terms};

const CONFLICTS: u64 = 3000;

struct Bounded(Native);

impl Solver for Bounded {
    fn name(&self) -> &str {
        "bounded"
    }

    fn push(&mut self) {
        self.0.push();
    }

    fn pop(&mut self, levels: usize) {
        self.0.pop(levels);
    }

    fn assert(&mut self, terms: &mut Terms, formula: Term) {
        self.0.assert(terms, formula);
    }

    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Outcome {
        let limits = Limits {
            conflicts: Some(CONFLICTS),
            ..query.limits.clone()
        };
        let limits = &limits;
        self.0.check(terms, &Query { limits, ..*query })
    }

    fn reset(&mut self) {
        self.0.reset();
    }

    fn stats(&self) -> Stats {
        self.0.stats()
    }
}

#[test]
fn normal_forms_decide() {
    let script = include_str!("normal-forms.smt2");
    let expected: Vec<&str> = script
        .lines()
        .filter_map(|line| line.strip_prefix("; answers "))
        .collect();
    let (mut session, regular, diagnostic) = common::session_over(Box::new(Bounded(Native::new())));
    session
        .run_script(script.as_bytes())
        .expect("memory can be written");
    let answers = regular.text();
    assert_eq!(answers.lines().collect::<Vec<_>>(), expected, "{script}");
    assert_eq!(diagnostic.text(), "");
}
