//! Harder instances, limits, and the conflict hook.

mod common;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use common::{Rng, pigeonhole};
use refrain_sat::{Cdcl, Engine, Limits, Lit, Outcome, Query, StopReason, Var};

#[test]
fn pigeons_do_not_fit() {
    for holes in 2..=7 {
        let mut engine = Cdcl::new();
        pigeonhole(&mut engine, holes + 1, holes);
        assert_eq!(engine.solve(Query::default()), Outcome::Unsat);
        assert!(engine.failed().is_empty());
        let mut engine = Cdcl::new();
        pigeonhole(&mut engine, holes, holes);
        assert_eq!(engine.solve(Query::default()), Outcome::Sat);
    }
}

#[cfg(feature = "batsat")]
#[test]
fn random_3sat_near_the_threshold_agrees_with_batsat() {
    let mut rng = Rng::seeded(21);
    let vars = 150;
    let mut answers = [0; 2];
    for _ in 0..40 {
        let clauses = common::random_3sat(&mut rng, vars, vars * 42 / 10);
        let mut native: Cdcl = common::with_clauses(vars, &clauses);
        let mut other: refrain_sat::Batsat = common::with_clauses(vars, &clauses);
        for _ in 0..3 {
            let asked: Vec<Lit> = (0..rng.below(6)).map(|_| rng.lit(vars)).collect();
            let outcome = native.solve(Query::new(&asked));
            native.check_invariants();
            assert_eq!(outcome, other.solve(Query::new(&asked)));
            answers[usize::from(outcome == Outcome::Sat)] += 1;
            if outcome == Outcome::Sat {
                assert!(common::model_satisfies(&native, &clauses));
                assert!(common::model_satisfies(&other, &clauses));
            } else {
                for failed in [native.failed().to_vec(), other.failed().to_vec()] {
                    assert!(failed.iter().all(|lit| asked.contains(lit)));
                    let mut fresh: Cdcl = common::with_clauses(vars, &clauses);
                    assert_eq!(fresh.solve(Query::new(&failed)), Outcome::Unsat);
                }
            }
        }
    }
    assert!(answers.iter().all(|&count| count > 10), "{answers:?}");
}

/// Enough conflicts for reductions, compactions and sweeps, with answers that are known.
#[test]
fn long_searches_keep_their_invariants() {
    let mut rng = Rng::seeded(22);
    let mut engine = Cdcl::new();
    let vars = 160;
    let hidden: Vec<bool> = (0..vars).map(|_| rng.coin()).collect();
    let mut clauses = Vec::new();
    while clauses.len() < vars * 9 / 2 {
        let clause: Vec<Lit> = (0..3).map(|_| rng.lit(vars)).collect();
        if clause
            .iter()
            .any(|lit| hidden[lit.var().index()] != lit.is_negative())
        {
            clauses.push(clause);
        }
    }
    for _ in 0..vars {
        engine.new_var();
    }
    for clause in &clauses {
        engine.add_clause(clause);
    }
    for round in 0..60 {
        // Wrong about a few variables: mostly unsat.
        let asked: Vec<Lit> = (0..8)
            .map(|_| {
                let var = Var::from_index(rng.below(vars));
                Lit::new(var, hidden[var.index()] == (round % 3 == 0))
            })
            .collect();
        let outcome = engine.solve(Query::new(&asked));
        engine.check_invariants();
        if round % 3 != 0 {
            assert_eq!(outcome, Outcome::Sat);
        }
        if outcome == Outcome::Sat {
            assert!(common::model_satisfies(&engine, &clauses));
        } else {
            let failed = engine.failed().to_vec();
            assert!(failed.iter().all(|lit| asked.contains(lit)));
            assert_eq!(engine.solve(Query::new(&failed)), Outcome::Unsat);
        }
    }
    pigeonhole(&mut engine, 9, 8);
    assert_eq!(engine.solve(Query::default()), Outcome::Unsat);
    let stats = engine.stats();
    assert!(stats.reductions > 0 && stats.deleted > 0, "{stats:?}");
    assert!(stats.restarts > 0, "{stats:?}");
}

/// Facts that pile up are swept out, and what is left still means the same.
#[test]
fn facts_are_swept_out() {
    let mut rng = Rng::seeded(23);
    let mut engine = Cdcl::new();
    let vars = 400;
    let clauses = common::random_3sat(&mut rng, vars, 2 * vars);
    for _ in 0..vars {
        engine.new_var();
    }
    clauses.iter().for_each(|clause| engine.add_clause(clause));
    assert_eq!(engine.solve(Query::default()), Outcome::Sat);
    let before = engine.stats().live_clauses;
    let model: Vec<Lit> = (0..vars)
        .map(|index| Var::from_index(index).positive())
        .map(|lit| {
            if engine.value(lit) == Some(true) {
                lit
            } else {
                !lit
            }
        })
        .collect();
    for &fact in &model[..200] {
        engine.add_clause(&[fact]);
    }
    for _ in 0..2_000 {
        let asked: Vec<Lit> = (0..6).map(|_| model[200 + rng.below(200)]).collect();
        assert_eq!(engine.solve(Query::new(&asked)), Outcome::Sat);
        let against: Vec<Lit> = (0..2).map(|_| !model[200 + rng.below(200)]).collect();
        let mut fresh: Cdcl = common::with_clauses(vars, &clauses);
        model[..200]
            .iter()
            .for_each(|&fact| fresh.add_clause(&[fact]));
        assert_eq!(
            engine.solve(Query::new(&against)),
            fresh.solve(Query::new(&against))
        );
        if engine.stats().simplifications > 0 {
            break;
        }
    }
    engine.check_invariants();
    let stats = engine.stats();
    assert!(stats.simplifications > 0, "{stats:?}");
    assert!(stats.live_clauses < before, "{stats:?}");
    assert_eq!(engine.solve(Query::new(&[!model[0]])), Outcome::Unsat);
    assert_eq!(engine.failed(), [!model[0]]);
    assert_eq!(engine.solve(Query::new(&model)), Outcome::Sat);
    assert!(common::model_satisfies(&engine, &clauses));
}

#[test]
fn a_conflict_limit_pauses_the_search() {
    let mut engine = Cdcl::new();
    pigeonhole(&mut engine, 7, 6);
    let mut pauses = 0;
    loop {
        let limits = Limits {
            conflicts: Some(10),
            ..Limits::default()
        };
        let before = engine.stats().conflicts;
        match engine.solve(Query::default().within(limits)) {
            Outcome::Unknown(reason) => {
                assert_eq!(reason, StopReason::Conflicts);
                assert_eq!(engine.stats().conflicts - before, 11);
                pauses += 1;
            }
            outcome => {
                assert_eq!(outcome, Outcome::Unsat);
                break;
            }
        }
        engine.check_invariants();
    }
    assert!(pauses > 0);
}

#[test]
fn a_stop_flag_ends_the_search_promptly() {
    let mut engine = Cdcl::new();
    pigeonhole(&mut engine, 12, 11);
    let stop = AtomicBool::new(false);
    let limits = Limits {
        stop: Some(&stop),
        ..Limits::default()
    };
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(100));
            stop.store(true, Ordering::Relaxed);
        });
        engine.solve(Query::default().within(limits))
    });
    assert_eq!(outcome, Outcome::Unknown(StopReason::Interrupted));
    let again = engine.solve(Query::default().within(limits));
    assert_eq!(again, Outcome::Unknown(StopReason::Interrupted));
    engine.check_invariants();
    // Still usable: a pigeon that is in no hole is a contradiction that propagation finds.
    let nowhere: Vec<Lit> = (0..11)
        .map(|hole| Var::from_index(hole).negative())
        .collect();
    assert_eq!(engine.solve(Query::new(&nowhere)), Outcome::Unsat);
    assert_eq!(engine.failed().len(), 11);
}

#[test]
fn a_deadline_ends_the_search() {
    let mut engine = Cdcl::new();
    pigeonhole(&mut engine, 12, 11);
    let limits = Limits {
        deadline: Some(Instant::now() + Duration::from_millis(50)),
        ..Limits::default()
    };
    let outcome = engine.solve(Query::default().within(limits));
    assert_eq!(outcome, Outcome::Unknown(StopReason::Deadline));
}

/// Propagation alone can be long; the limits hold there as well.
#[test]
fn limits_hold_inside_propagation() {
    let mut engine = Cdcl::new();
    let chain: Vec<Lit> = (0..200_000).map(|_| engine.new_var().positive()).collect();
    for pair in chain.windows(2) {
        engine.add_clause(&[!pair[0], pair[1]]);
    }
    let last = *chain.last().expect("not empty");
    let stop = AtomicBool::new(false);
    let deadline = Instant::now() + Duration::from_micros(300);
    let mut query = Query::new(&chain[..1]);
    query.decide = Some(&[]);
    query.limits.deadline = Some(deadline);
    let first = engine.solve(query);
    assert_eq!(first, Outcome::Unknown(StopReason::Deadline));
    assert!(engine.stats().propagations < 200_000);
    // A clause that contradicts what is still in the queue.
    engine.add_clause(&[!chain[0], !last]);
    let query = Query::new(&chain[..1]).within(Limits {
        stop: Some(&stop),
        ..Limits::default()
    });
    assert_eq!(engine.solve(query), Outcome::Unsat);
    assert_eq!(engine.failed(), [chain[0]]);
    assert_eq!(engine.solve(Query::default()), Outcome::Sat);
}

#[test]
fn the_hook_sees_a_consistent_trail_at_each_conflict() {
    let mut rng = Rng::seeded(24);
    let mut seen = 0;
    for _ in 0..40 {
        let vars = 60;
        let clauses = common::random_3sat(&mut rng, vars, 270);
        let mut engine: Cdcl = common::with_clauses(vars, &clauses);
        let asked: Vec<Lit> = (0..4).map(|_| rng.lit(vars)).collect();
        let mut calls = 0;
        let mut hook = |view: &refrain_sat::TrailView<'_>| {
            calls += 1;
            assert!(!view.conflict().is_empty());
            for &lit in view.conflict() {
                assert_eq!(view.value(lit), Some(false));
            }
            let mut listed = vec![false; vars];
            for &lit in view.trail() {
                assert_eq!(view.value(lit), Some(true));
                assert_eq!(view.value(!lit), Some(false));
                assert!(!std::mem::replace(&mut listed[lit.var().index()], true));
            }
            for (index, &listed) in listed.iter().enumerate() {
                let lit = Var::from_index(index).positive();
                assert_eq!(view.value(lit).is_some(), listed);
            }
        };
        let before = engine.stats().conflicts;
        engine.solve(Query::new(&asked).watching(&mut hook));
        assert_eq!(engine.stats().conflicts - before, calls);
        seen += calls;
    }
    assert!(seen > 100);
}
