//! Long random sequences of small clauses and queries, held against truth tables.

mod common;

use common::{Rng, TruthTable, with_clauses};
use refrain_sat::{Cdcl, Engine, Limits, Lit, Outcome, Query, Var};

const MAX_VARS: usize = 12;

fn assumptions(rng: &mut Rng, vars: usize, last: &[Lit]) -> Vec<Lit> {
    // Mostly what was asked before, cut and continued, as a path exploration does.
    let mut lits = match rng.below(4) {
        0 => Vec::new(),
        _ => last[..rng.below(last.len() + 1)].to_vec(),
    };
    for _ in 0..rng.below(4) {
        lits.push(rng.lit(vars));
    }
    if rng.below(4) == 0
        && let Some(lit) = lits.last_mut()
    {
        *lit = !*lit;
    }
    lits
}

fn check_answer(
    engine: &Cdcl,
    outcome: Outcome,
    table: &TruthTable,
    clauses: &[Vec<Lit>],
    asked: &[Lit],
) {
    engine.check_invariants();
    match outcome {
        Outcome::Sat => {
            assert!(table.satisfiable_with(asked), "sat, but {asked:?} is not");
            assert!(common::model_satisfies(engine, clauses));
            for &lit in asked {
                assert_eq!(engine.value(lit), Some(true));
                assert_eq!(engine.value(!lit), Some(false));
            }
        }
        Outcome::Unsat => {
            assert!(
                !table.satisfiable_with(asked),
                "unsat, but {asked:?} is not"
            );
            let failed = engine.failed();
            assert!(failed.iter().all(|lit| asked.contains(lit)));
            assert!(!table.satisfiable_with(failed), "{failed:?} is no core");
            let mut distinct = failed.to_vec();
            distinct.sort();
            distinct.dedup();
            assert_eq!(distinct.len(), failed.len());
        }
        Outcome::Unknown(_) => unreachable!("no limits were set"),
    }
}

fn random_clause(rng: &mut Rng, vars: usize) -> Vec<Lit> {
    let length = match rng.below(20) {
        0 => 1,
        1..=5 => 2,
        6..=15 => 3,
        _ => 4 + rng.below(4),
    };
    (0..length).map(|_| rng.lit(vars)).collect()
}

#[test]
fn incremental_queries_match_truth_tables() {
    incremental_queries(Rng::seeded(1), Cdcl::new);
}

#[test]
fn incremental_queries_match_truth_tables_with_inprocessing() {
    incremental_queries(Rng::seeded(4), common::eager);
}

/// This seed once led to a wrong "unsat": a late literal came back although its reason no longer held,
/// since a literal of the reason had become a fact meanwhile.
#[test]
fn incremental_queries_match_truth_tables_where_facts_meet_late_literals() {
    incremental_queries(Rng::seeded(17_052_990_077_029_274_174), Cdcl::new);
}

fn incremental_queries(mut rng: Rng, new: fn() -> Cdcl) {
    let mut steps = 0;
    let mut answers = [0; 2];
    while steps < 60_000 {
        let mut engine = new();
        let mut table = TruthTable::new(0);
        let mut clauses: Vec<Vec<Lit>> = Vec::new();
        let mut asked = Vec::new();
        for _ in 0..3 + rng.below(150) {
            steps += 1;
            let vars = engine.num_vars();
            match rng.below(10) {
                0 | 1 if vars < MAX_VARS => {
                    engine.new_var();
                    table = TruthTable::new(vars + 1);
                    clauses.iter().for_each(|clause| table.and_clause(clause));
                }
                2..=4 if vars > 0 => {
                    let clause = random_clause(&mut rng, vars);
                    engine.add_clause(&clause);
                    table.and_clause(&clause);
                    clauses.push(clause);
                }
                5 if vars > 0 => {
                    engine.set_phase(Var::from_index(rng.below(vars)), rng.coin());
                }
                _ if vars > 0 => {
                    asked = assumptions(&mut rng, vars, &asked);
                    let mut query = Query::new(&asked);
                    if rng.below(4) == 0 {
                        query.limits.conflicts = Some(rng.below(2) as u64);
                    }
                    let outcome = engine.solve(query);
                    if matches!(outcome, Outcome::Unknown(_)) {
                        engine.check_invariants();
                        continue;
                    }
                    answers[usize::from(outcome == Outcome::Sat)] += 1;
                    check_answer(&engine, outcome, &table, &clauses, &asked);
                }
                _ => {}
            }
        }
    }
    assert!(answers.iter().all(|&count| count > 5_000), "{answers:?}");
}

/// The densest part of the search space for wrong answers: clauses that arrive one by one, each under
/// the trail of a query, at the edge of being unsat.
#[test]
fn clauses_under_deep_trails_match_truth_tables() {
    clauses_under_deep_trails(Rng::seeded(2), Cdcl::new);
}

#[test]
fn clauses_under_deep_trails_match_truth_tables_with_inprocessing() {
    clauses_under_deep_trails(Rng::seeded(5), common::eager);
}

fn clauses_under_deep_trails(mut rng: Rng, new: fn() -> Cdcl) {
    for _ in 0..refrain_testing::effort(400, 10_000) {
        let vars = 6 + rng.below(MAX_VARS - 5);
        let mut clauses = common::random_3sat(&mut rng, vars, 2 * vars);
        let mut engine = common::filled(new(), vars, &clauses);
        let mut table = TruthTable::new(vars);
        clauses.iter().for_each(|clause| table.and_clause(clause));
        let mut asked = Vec::new();
        while table.satisfiable_with(&[]) {
            asked = assumptions(&mut rng, vars, &asked);
            let outcome = engine.solve(Query::new(&asked));
            check_answer(&engine, outcome, &table, &clauses, &asked);
            for _ in 0..rng.below(4) {
                let clause = random_clause(&mut rng, vars);
                engine.add_clause(&clause);
                engine.check_invariants();
                table.and_clause(&clause);
                clauses.push(clause);
            }
        }
        assert_eq!(engine.solve(Query::default()), Outcome::Unsat);
        assert!(engine.failed().is_empty());
        assert_eq!(engine.solve(Query::new(&asked)), Outcome::Unsat);
        assert!(engine.failed().is_empty());
    }
}

/// Keeping the trail, the clauses and the phases must not change an answer.
#[test]
fn one_engine_answers_like_a_fresh_one_each_time() {
    let mut rng = Rng::seeded(3);
    for _ in 0..60 {
        let vars = 30 + rng.below(30);
        let mut clauses = common::random_3sat(&mut rng, vars, 3 * vars);
        let mut engine: Cdcl = with_clauses(vars, &clauses);
        let mut asked = Vec::new();
        for _ in 0..60 {
            asked = assumptions(&mut rng, vars, &asked);
            if asked.len() > 12 {
                asked.clear();
            }
            let outcome = engine.solve(Query::new(&asked));
            engine.check_invariants();
            let mut fresh: Cdcl = with_clauses(vars, &clauses);
            assert_eq!(fresh.solve(Query::new(&asked)), outcome);
            if outcome == Outcome::Sat {
                assert!(common::model_satisfies(&engine, &clauses));
                assert!(asked.iter().all(|&lit| engine.value(lit) == Some(true)));
            } else {
                let failed = engine.failed().to_vec();
                assert!(failed.iter().all(|lit| asked.contains(lit)));
                let mut fresh: Cdcl = with_clauses(vars, &clauses);
                assert_eq!(fresh.solve(Query::new(&failed)), Outcome::Unsat);
            }
            if rng.below(2) == 0 {
                let clause = random_clause(&mut rng, vars);
                if clause.len() > 1 {
                    engine.add_clause(&clause);
                    clauses.push(clause);
                }
            }
        }
    }
}

#[test]
fn corner_cases_of_assumptions() {
    let mut engine = Cdcl::new();
    let [a, b, c] = [(); 3].map(|()| engine.new_var().positive());
    assert_eq!(engine.solve(Query::new(&[a, !a])), Outcome::Unsat);
    let mut failed = engine.failed().to_vec();
    failed.sort();
    assert_eq!(failed, [a, !a]);
    assert_eq!(engine.solve(Query::new(&[a, a, b, a])), Outcome::Sat);
    engine.add_clause(&[!b]);
    assert_eq!(engine.solve(Query::new(&[a, a, b, a])), Outcome::Unsat);
    assert_eq!(engine.failed(), [b]);
    assert_eq!(engine.solve(Query::new(&[a, !b, c])), Outcome::Sat);
    engine.add_clause(&[c, !c]);
    engine.add_clause(&[!a, !a, !c, b]);
    assert_eq!(engine.solve(Query::new(&[a, !b, c, c])), Outcome::Unsat);
    let mut failed = engine.failed().to_vec();
    failed.sort();
    assert_eq!(failed, [a, c]);
    engine.add_clause(&[]);
    assert_eq!(engine.solve(Query::new(&[a])), Outcome::Unsat);
    assert!(engine.failed().is_empty());
}

#[test]
fn values_last_until_a_clause_contradicts_them() {
    let mut engine = Cdcl::new();
    let [a, b] = [(); 2].map(|()| engine.new_var().positive());
    assert_eq!(engine.value(a), None);
    assert_eq!(engine.solve(Query::new(&[a, !b])), Outcome::Sat);
    engine.add_clause(&[a, b]);
    assert_eq!(
        (engine.value(a), engine.value(b)),
        (Some(true), Some(false))
    );
    engine.add_clause(&[!a, b]);
    assert_eq!(engine.value(a), None);
    let limits = Limits::default();
    assert_eq!(engine.solve(Query::new(&[a]).within(limits)), Outcome::Sat);
    assert_eq!(engine.value(b), Some(true));
}

#[test]
fn phases_are_tried_first() {
    let mut engine = Cdcl::new();
    let vars: Vec<Var> = (0..20).map(|_| engine.new_var()).collect();
    for round in 0..4 {
        for (index, &var) in vars.iter().enumerate() {
            engine.set_phase(var, (index + round) % 3 == 0);
        }
        // A changed first assumption undoes the trail, whose values must not win over ours.
        let first = Lit::new(vars[0], round % 2 == 0);
        assert_eq!(engine.solve(Query::new(&[first])), Outcome::Sat);
        for (index, &var) in vars.iter().enumerate().skip(1) {
            assert_eq!(engine.value(var.positive()), Some((index + round) % 3 == 0));
        }
    }
}
