//! What is remembered stays within its bound, whatever that is: answers are the same, what is of use stays, and what
//! is not goes.

#[path = "lasting/common.rs"]
mod common;

use common::{Folder, Gait, Naming, Session, World, walk};
use refrain_reuse::{Layers, PRESETS};
use refrain_solver::{Solver, Verdict};
use refrain_term::{Assignment, Sort, Term};

/// A session that may remember so many bytes.
fn bounded(name: &str, layers: Layers, bytes: usize) -> Session {
    let mut session = Session::new(name, layers, None);
    session.chain.limit_memory(bytes);
    session
}

fn preset(name: &str) -> Layers {
    Layers::preset(name).expect("a preset")
}

/// Nothing that rests or repairs: what is not remembered is asked.
fn steady() -> Layers {
    let mut layers = preset("full");
    layers.without("gates");
    layers.without("repair");
    layers
}

#[test]
fn every_preset_answers_the_same_with_hardly_any_memory() {
    for name in PRESETS {
        for (gait, seed) in [(Gait::Steps, 1), (Gait::Leaps, 2)] {
            let verdicts = [usize::MAX, 50_000, 0].map(|bytes| {
                let mut session = bounded(name, preset(name), bytes);
                let world = World::new(&mut session.terms, Naming::Own);
                walk(&mut session, &world, gait, seed, 80)
            });
            assert!(verdicts.iter().all(|same| *same == verdicts[0]), "{name}");
        }
    }
}

#[test]
fn a_long_session_stays_within_its_bound() {
    const BOUND: usize = 200_000;
    // What one check may add before the next one makes room.
    const ADDED: usize = 50_000;
    for layers in [steady(), preset("full")] {
        let mut session = bounded("a long session", layers, BOUND);
        let world = World::new(&mut session.terms, Naming::Own);
        let mut most = 0;
        for seed in 1..=refrain_testing::effort(20, 200) {
            walk(&mut session, &world, Gait::Steps, seed, 40);
            most = most.max(session.chain.bytes());
        }
        let evicted = session.chain.chain_stats().evicted;
        assert!(evicted > 200, "{evicted}");
        assert!(most < BOUND + ADDED, "{most}");
        assert!(most > BOUND / 2, "{most}");
    }
}

#[test]
fn without_need_nothing_is_evicted() {
    let mut session = Session::new("at leisure", preset("full"), None);
    let world = World::new(&mut session.terms, Naming::Own);
    walk(&mut session, &world, Gait::Steps, 1, 200);
    assert_eq!(session.chain.chain_stats().evicted, 0);
}

#[test]
fn eviction_is_the_same_every_time() {
    let run = || {
        let mut session = bounded("again", preset("full"), 100_000);
        let world = World::new(&mut session.terms, Naming::Own);
        let verdicts = walk(&mut session, &world, Gait::Steps, 5, 300);
        let stats = session.chain.chain_stats().clone();
        assert!(stats.evicted > 0);
        (
            verdicts,
            stats.evicted,
            stats.solver.checks,
            session.chain.bytes(),
        )
    };
    assert_eq!(run(), run());
}

/// `x * x` of a symbol of this name is this number, which for odd squares can be, and for numbers like 3 cannot.
fn square(session: &mut Session, name: &str, number: u64) -> Term {
    let terms = &mut session.terms;
    let x = terms.var(name, Sort::BitVec(16));
    let (square, number) = (terms.bv_mul(x, x), terms.bv(16, number));
    terms.eq(square, number)
}

/// Asks, and says how often the solver was asked.
fn calls(session: &mut Session, formula: Term, expected: Verdict) -> u64 {
    let before = session.solver_calls();
    session.push();
    session.assert(formula);
    // The model of another question is of no use.
    session
        .chain
        .suggest(&session.terms, &std::sync::Arc::new(Assignment::new()));
    assert_eq!(session.check(&[]), expected);
    session.pop();
    session.solver_calls() - before
}

#[test]
fn what_is_used_often_stays_and_what_is_not_goes() {
    let mut layers = steady();
    // One symbol tells nothing of another.
    for layer in ["canonize", "renaming", "partial-solutions"] {
        layers.without(layer);
    }
    let mut session = bounded("often", layers, 60_000);
    let used = square(&mut session, "used", 9);
    let conflict = square(&mut session, "used", 3);
    let (mut lost, mut forgotten) = (0, 0);
    assert_eq!(calls(&mut session, used, Verdict::Sat), 1);
    assert_eq!(calls(&mut session, conflict, Verdict::Unsat), 1);
    for round in 0..1_000 {
        let once = square(&mut session, &format!("x{round}"), 9);
        assert_eq!(calls(&mut session, once, Verdict::Sat), 1, "{round}");
        lost += calls(&mut session, used, Verdict::Sat);
        lost += calls(&mut session, conflict, Verdict::Unsat);
    }
    assert!(session.chain.chain_stats().evicted > 500);
    assert_eq!(lost, 0);
    for round in 0..100 {
        let once = square(&mut session, &format!("x{round}"), 9);
        forgotten += calls(&mut session, once, Verdict::Sat);
    }
    assert!(forgotten > 90, "{forgotten}");
}

#[test]
fn what_is_forgotten_is_found_in_the_store_again() {
    let folder = Folder::new();
    let store = folder.store();
    let run = |bytes| {
        let mut session = Session::new("with a store", preset("full"), Some(&store));
        session.chain.limit_memory(bytes);
        let world = World::new(&mut session.terms, Naming::Own);
        let verdicts = walk(&mut session, &world, Gait::Steps, 7, 300);
        store.flush().expect("there is room");
        let stats = session.chain.chain_stats();
        (verdicts, stats.evicted, stats.solver.checks)
    };
    let (first, _, calls) = run(usize::MAX);
    assert!(calls > 0);
    let (second, evicted, calls) = run(50_000);
    assert_eq!(first, second);
    assert!(evicted > 0);
    assert_eq!(calls, 0);
}
