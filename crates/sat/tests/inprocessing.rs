//! Simplification in the midst of a search: models, failed assumptions and traces of hard little instances, with
//! rounds after every conflict.

mod common;

use common::{Rng, eager, filled};
use refrain_sat::{Cdcl, Engine, Lit, Outcome, Query};

/// Clauses, and what follows from them by unit propagation: a checker that shares nothing with the engine.
#[derive(Default)]
struct Propagation {
    clauses: Vec<Vec<Lit>>,
}

impl Propagation {
    /// Whether making `lits` true ends in a contradiction.
    fn refutes(&self, lits: &[Lit]) -> bool {
        let mut true_lits = lits.to_vec();
        loop {
            let before = true_lits.len();
            for clause in &self.clauses {
                let mut open = clause.iter().filter(|&&lit| !true_lits.contains(&!lit));
                match (open.next(), open.next()) {
                    (None, _) => return true,
                    (Some(&unit), None) if !true_lits.contains(&unit) => true_lits.push(unit),
                    _ => {}
                }
            }
            if true_lits.len() == before {
                return lits.iter().any(|&lit| lits.contains(&!lit));
            }
        }
    }

    /// Takes in clauses, each of which has to follow from those before.
    fn derive(&mut self, clauses: &[Box<[Lit]>]) {
        for clause in clauses {
            let negated: Vec<Lit> = clause.iter().map(|&lit| !lit).collect();
            assert!(self.refutes(&negated), "{clause:?} does not follow");
            self.clauses.push(clause.to_vec());
        }
    }
}

/// Each step of a trace follows by unit propagation, and so does the contradiction at its end.
#[test]
fn traces_can_be_checked() {
    let mut rng = Rng::seeded(51);
    let mut answers = [0; 2];
    let mut work = Work::default();
    for _ in 0..refrain_testing::effort(300, 10_000) {
        let vars = 10 + rng.below(30);
        let mut engine = filled(eager(), vars, &[]);
        engine.trace_learning();
        let mut known = Propagation::default();
        let mut added: Vec<Vec<Lit>> = Vec::new();
        let mut traced = 0;
        loop {
            for _ in 0..1 + rng.below(vars) {
                let length = [2, 3, 3, 3, 3, 4][rng.below(6)];
                let mut clause: Vec<Lit> = (0..length).map(|_| rng.lit(vars)).collect();
                clause.sort();
                clause.dedup();
                engine.add_clause(&clause);
                known.clauses.push(clause.clone());
                added.push(clause);
            }
            let asked: Vec<Lit> = (0..rng.below(4)).map(|_| rng.lit(vars)).collect();
            let outcome = engine.solve(Query::new(&asked));
            engine.check_invariants();
            known.derive(&engine.learned_clauses()[traced..]);
            traced = engine.learned_clauses().len();
            answers[usize::from(outcome == Outcome::Sat)] += 1;
            if outcome == Outcome::Sat {
                assert!(common::model_satisfies(&engine, &added));
                assert!(asked.iter().all(|&lit| engine.value(lit) == Some(true)));
            } else {
                let failed = engine.failed();
                assert!(failed.iter().all(|lit| asked.contains(lit)));
                assert!(known.refutes(failed), "{failed:?} is no core");
                if failed.is_empty() {
                    break;
                }
            }
        }
        work.add(&engine);
    }
    assert!(answers.iter().all(|&count| count > 300), "{answers:?}");
    work.check(100);
}

/// Longer searches, in which shortened clauses meet each other again, against an engine that shortens none.
#[test]
fn answers_are_those_of_an_engine_without_inprocessing() {
    let mut rng = Rng::seeded(52);
    let mut answers = [0; 2];
    let mut work = Work::default();
    for _ in 0..refrain_testing::effort(40, 1_000) {
        let vars = 50 + rng.below(50);
        let clauses = common::random_3sat(&mut rng, vars, vars * 41 / 10);
        let mut engine = filled(eager(), vars, &clauses);
        for _ in 0..4 {
            let asked: Vec<Lit> = (0..rng.below(6)).map(|_| rng.lit(vars)).collect();
            let outcome = engine.solve(Query::new(&asked));
            engine.check_invariants();
            let mut plain: Cdcl = common::with_clauses(vars, &clauses);
            assert_eq!(plain.solve(Query::new(&asked)), outcome);
            answers[usize::from(outcome == Outcome::Sat)] += 1;
            if outcome == Outcome::Sat {
                assert!(common::model_satisfies(&engine, &clauses));
                assert!(asked.iter().all(|&lit| engine.value(lit) == Some(true)));
            } else {
                let failed = engine.failed();
                assert!(failed.iter().all(|lit| asked.contains(lit)));
                assert_eq!(plain.solve(Query::new(failed)), Outcome::Unsat);
            }
        }
        work.add(&engine);
    }
    assert!(answers.iter().all(|&count| count > 20), "{answers:?}");
    work.check(500);
}

/// What inprocessing did in a test, which is worth little if that is not much.
#[derive(Default)]
struct Work {
    rounds: u64,
    vivified: u64,
    subsumed: u64,
    strengthened: u64,
}

impl Work {
    fn add(&mut self, engine: &Cdcl) {
        let stats = engine.stats();
        self.rounds += stats.rounds;
        self.vivified += stats.vivified;
        self.subsumed += stats.subsumed;
        self.strengthened += stats.strengthened;
    }

    fn check(&self, least: u64) {
        let counts = [self.rounds, self.vivified, self.subsumed, self.strengthened];
        assert!(counts.iter().all(|&count| count >= least), "{counts:?}");
    }
}
