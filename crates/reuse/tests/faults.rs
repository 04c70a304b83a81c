//! Planted faults: a solver whose cores are wrong, and stores whose entries are.

#[path = "lasting/common.rs"]
mod common;

use common::Folder;
use refrain_reuse::lasting::{Kept, Record, SlotValue};
use refrain_reuse::{Chain, Layers};
use refrain_solver::native::Native;
use refrain_solver::{CheckResult, Limits, Outcome, Query, Reason, Solver, Stats, Verdict};
use refrain_store::{Entry, Options, Store};
use refrain_term::{Bv, Sort, Term, Terms, Value};

/// All that looks answers up, and nothing that finds them otherwise.
fn layers() -> Layers {
    let mut layers = Layers::preset("full").expect("a preset");
    layers.without("repair");
    layers.without("gates");
    layers
}

fn ask(chain: &mut Chain, terms: &mut Terms) -> CheckResult {
    let limits = Limits::default();
    chain.check(terms, &Query::new(&[], &limits)).result
}

fn disagreement(result: CheckResult) -> String {
    match result {
        CheckResult::Unknown(Reason::Disagreement(both)) => both,
        other => panic!("{:?}", other.verdict()),
    }
}

/// `x * x` is 9, and `x` is even.
fn conflict(terms: &mut Terms) -> [Term; 2] {
    let x = terms.var("x", Sort::BitVec(16));
    let square = terms.bv_mul(x, x);
    let [none, one, nine] = [0, 1, 9].map(|value| terms.bv(16, value));
    let last = terms.bv_and(x, one);
    [terms.eq(square, nine), terms.eq(last, none)]
}

/// A solver that blames the first assertion for every conflict.
struct Blaming {
    solver: Native,
    first: Option<Term>,
}

impl Solver for Blaming {
    fn name(&self) -> &str {
        "blaming"
    }

    fn push(&mut self) {
        self.solver.push();
    }

    fn pop(&mut self, levels: usize) {
        self.solver.pop(levels);
    }

    fn assert(&mut self, terms: &mut Terms, formula: Term) {
        self.first.get_or_insert(formula);
        self.solver.assert(terms, formula);
    }

    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Outcome {
        let mut outcome = self.solver.check(terms, query);
        if let CheckResult::Unsat(conflict) = &mut outcome.result {
            conflict.formulas = self.first.map(|first| vec![first]);
        }
        outcome
    }

    fn reset(&mut self) {
        self.solver.reset();
    }

    fn stats(&self) -> Stats {
        self.solver.stats()
    }
}

#[test]
fn a_wrong_core_of_the_solver_is_found_out_when_it_is_reused() {
    for is_rechecked in [false, true] {
        let solver = Blaming {
            solver: Native::new(),
            first: None,
        };
        let mut chain = Chain::new(Box::new(solver), layers());
        if is_rechecked {
            chain.check_by(Some(Box::new(Native::new())));
        }
        let mut terms = Terms::new();
        let [is_nine, is_even] = conflict(&mut terms);
        for formula in [is_nine, is_even] {
            chain.push();
            chain.assert(&mut terms, formula);
        }
        // The verdict is right, whatever is blamed for it.
        assert_eq!(ask(&mut chain, &mut terms).verdict(), Verdict::Unsat);
        chain.pop(1);
        let again = ask(&mut chain, &mut terms);
        match is_rechecked {
            true => assert_eq!(disagreement(again), "reused answer Unsat, solved again Sat"),
            false => assert_eq!(again.verdict(), Verdict::Unsat, "nobody has looked"),
        }
    }
}

/// Asks a question that has solutions in a session of its own; how often the solver was asked, and the store knew.
fn ask_with(store: &Store, is_rechecked: bool) -> (CheckResult, u64, u64) {
    let mut chain = Chain::new(Box::new(Native::new()), layers());
    chain.keep_in(Some(store.clone()));
    if is_rechecked {
        chain.check_by(Some(Box::new(Native::new())));
    }
    let mut terms = Terms::new();
    let [is_nine, _] = conflict(&mut terms);
    chain.push();
    chain.assert(&mut terms, is_nine);
    let result = ask(&mut chain, &mut terms);
    store.flush().expect("there is room");
    let stats = chain.chain_stats();
    (result, stats.solver.checks, stats.store_hits)
}

/// The entries of a store, which is asked first, with another answer.
fn falsified(store: &Store, answer: Kept) -> Vec<Entry> {
    assert_eq!(ask_with(store, false).0.verdict(), Verdict::Sat);
    let snapshot = store.snapshot().expect("it can be read");
    let entries = snapshot.entries().map(|found| {
        let record = Record::decode(&found.key, &found.value).expect("as it was written");
        let answer = answer.clone();
        let record = Record { answer, ..record };
        Entry::new(found.key, record.encode().expect("it is small"))
    });
    let entries: Vec<Entry> = entries.collect();
    assert_eq!(entries.len(), 1);
    entries
}

fn put(store: &Store, entries: &[Entry]) {
    for entry in entries {
        store.put(entry.clone()).expect("it is small");
    }
    store.flush().expect("there is room");
}

fn no_solution() -> Kept {
    Kept::Sat(vec![SlotValue::Plain(Value::Bv(Bv::new(16, 4)))])
}

fn no_conflict() -> Kept {
    Kept::Unsat(vec![0])
}

#[test]
fn an_entry_of_another_build_is_never_used() {
    for wrong in [no_solution(), no_conflict()] {
        let folder = Folder::new();
        let entries = falsified(&Folder::new().store(), wrong);
        let mut other = refrain_reuse::lasting::validity();
        *other.last_mut().expect("a digest") ^= 1;
        put(&folder.open(&Options::new(other)), &entries);
        let (result, calls, hits) = ask_with(&folder.store(), false);
        assert_eq!((result.verdict(), calls, hits), (Verdict::Sat, 1, 0));
    }
}

#[test]
fn a_solution_in_the_store_that_is_none_is_evaluated_and_not_used() {
    let folder = Folder::new();
    let store = folder.store();
    put(&store, &falsified(&store, no_solution()));
    let (result, calls, hits) = ask_with(&store, false);
    assert_eq!((result.verdict(), calls), (Verdict::Sat, 1));
    assert!(hits > 0, "it has been tried");
}

#[test]
fn a_conflict_in_the_store_that_is_none_is_found_out_by_solving_it_again() {
    let folder = Folder::new();
    let store = folder.store();
    put(&store, &falsified(&store, no_conflict()));
    let (result, calls, _) = ask_with(&store, true);
    assert_eq!(
        disagreement(result),
        "reused answer Unsat, solved again Sat"
    );
    assert_eq!(calls, 0);
    let (result, ..) = ask_with(&store, false);
    assert_eq!(result.verdict(), Verdict::Unsat, "nobody has looked");
}
