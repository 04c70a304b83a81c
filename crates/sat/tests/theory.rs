//! A theory beside the clauses: random incremental scripts held against brute force, long searches, and
//! what happens at the limits.

mod common;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use common::difference::{Atom, Difference, Habits};
use common::{Rng, TruthTable};
use refrain_sat::{
    Cdcl, Completion, Engine, Lemmas, Limits, Lit, Outcome, Query, StopReason, Theory, TrailView,
    Var,
};

/// Integers that the atoms of a script are about.
const INTS: usize = 5;

/// A random script: an engine, a theory, and what brute force knows about both.
struct Script<E> {
    engine: E,
    theory: Difference,
    rng: Rng,
    /// The first variables; those that the theory makes come after.
    vars: Vec<Var>,
    clauses: Vec<Vec<Lit>>,
    /// The assignments that satisfy the clauses.
    of_clauses: TruthTable,
    /// Those that satisfy the theory as well.
    of_theory: TruthTable,
    asked: Vec<Lit>,
    /// Whether a literal may be assumed together with its negation.
    may_contradict: bool,
}

/// Clauses that exclude all assignments of some variables that the theory excludes.
fn contradictions(theory: &Difference, vars: &[Var]) -> Vec<Vec<Lit>> {
    let mut clauses: Vec<Vec<Lit>> = Vec::new();
    for row in 0..1u32 << vars.len() {
        let lit = |at: usize| Lit::new(vars[at], row >> at & 1 == 1);
        let lits: Vec<Lit> = (0..vars.len()).map(lit).collect();
        let excludes = |clause: &Vec<Lit>| clause.iter().all(|&lit| lits.contains(&!lit));
        if !clauses.iter().any(excludes)
            && let Some(cycle) = theory.contradiction(&lits)
        {
            clauses.push(cycle.iter().map(|&lit| !lit).collect());
        }
    }
    clauses
}

impl<E: Engine> Script<E> {
    fn new(rng: &mut Rng, mut engine: E) -> Script<E> {
        let mut rng = Rng::seeded(rng.next());
        let vars: Vec<Var> = (0..4 + rng.below(9)).map(|_| engine.new_var()).collect();
        let atom_count = rng.below(vars.len().min(10)) + 1;
        let atoms = (0..vars.len())
            .map(|var| (var < atom_count).then(|| Atom::random(&mut rng, INTS)))
            .collect();
        let habits = Habits::random(&mut rng);
        let theory = Difference::new(atoms, habits, Rng::seeded(rng.next()));
        let of_clauses = TruthTable::new(vars.len());
        let mut of_theory = of_clauses.clone();
        for clause in contradictions(&theory, &vars[..atom_count]) {
            of_theory.and_clause(&clause);
        }
        let mut script = Script {
            engine,
            theory,
            rng,
            vars,
            clauses: Vec::new(),
            of_clauses,
            of_theory,
            asked: Vec::new(),
            may_contradict: true,
        };
        // Implications, so that a level is more than its decision.
        for _ in 0..script.rng.below(2 * script.vars.len()) {
            script.add_clause(2);
        }
        script
    }

    fn add_any_clause(&mut self) {
        let length = match self.rng.below(20) {
            0 => 1,
            1..=5 => 2,
            6..=15 => 3,
            _ => 4 + self.rng.below(3),
        };
        self.add_clause(length);
    }

    fn add_clause(&mut self, length: usize) {
        let clause: Vec<Lit> = (0..length).map(|_| self.rng.lit(self.vars.len())).collect();
        self.engine.add_clause(&clause);
        self.of_clauses.and_clause(&clause);
        self.of_theory.and_clause(&clause);
        self.clauses.push(clause);
    }

    /// Mostly what was asked before, cut and continued.
    fn change_assumptions(&mut self) {
        let keep = match self.rng.below(4) {
            0 => 0,
            _ => self.rng.below(self.asked.len() + 1),
        };
        self.asked.truncate(keep);
        for _ in 0..self.rng.below(4) {
            let lit = self.rng.lit(self.vars.len());
            if self.may_contradict || !self.asked.contains(&!lit) {
                self.asked.push(lit);
            }
        }
    }

    fn limits(&mut self) -> Limits<'static> {
        Limits {
            conflicts: (self.rng.below(4) == 0).then(|| self.rng.below(2) as u64),
            ..Limits::default()
        }
    }

    fn solve(&mut self) -> Outcome {
        self.change_assumptions();
        let limits = self.limits();
        self.theory.begin(&self.vars);
        let mut hook = |view: &TrailView<'_>| {
            let mut conflict = view.conflict().iter();
            assert!(conflict.all(|&lit| view.value(lit) == Some(false)));
        };
        let mut query = Query::new(&self.asked)
            .within(limits)
            .with(&mut self.theory);
        if self.rng.coin() {
            query = query.deciding(&self.vars);
        }
        if self.rng.coin() {
            query = query.watching(&mut hook);
        }
        let outcome = self.engine.solve(query);
        match outcome {
            Outcome::Sat => self.check_model(),
            Outcome::Unsat => self.check_failed(),
            Outcome::Unknown(StopReason::Theory) => assert!(self.theory.gave_up),
            Outcome::Unknown(reason) => {
                assert!(reason == StopReason::Conflicts && limits.conflicts.is_some());
            }
        }
        outcome
    }

    fn check_model(&self) {
        let accepted = self.theory.accepted.as_deref().expect("was asked");
        assert!(self.theory.contradiction(accepted).is_none());
        for &lit in accepted.iter().chain(&self.asked) {
            assert_eq!(self.engine.value(lit), Some(true));
            assert_eq!(self.engine.value(!lit), Some(false));
        }
        for var in self.theory.must_assign() {
            assert!(self.engine.value(var.positive()).is_some());
        }
        assert!(common::model_satisfies(&self.engine, &self.clauses));
        assert!(self.of_theory.satisfiable_with(&self.asked));
    }

    fn check_failed(&self) {
        let asked = &self.asked;
        assert!(!self.of_theory.satisfiable_with(asked), "{asked:?}");
        let failed = self.engine.failed();
        assert!(failed.iter().all(|lit| asked.contains(lit)));
        assert!(
            !self.of_theory.satisfiable_with(failed),
            "{failed:?} of {asked:?}"
        );
        let mut distinct = failed.to_vec();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), failed.len());
    }

    /// Without the theory the engine knows the lemmas it was given, and nothing else of the theory.
    fn solve_without_theory(&mut self) {
        self.change_assumptions();
        match self.engine.solve(Query::new(&self.asked)) {
            Outcome::Sat => {
                assert!(self.of_clauses.satisfiable_with(&self.asked));
                assert!(common::model_satisfies(&self.engine, &self.clauses));
                let lemmas = &self.theory.for_good;
                assert!(common::model_satisfies(&self.engine, lemmas));
            }
            Outcome::Unsat => self.check_failed(),
            Outcome::Unknown(_) => unreachable!("no limits were set"),
        }
    }

    fn step(&mut self, answers: &mut [usize; 3]) {
        match self.rng.below(10) {
            0..=2 => self.add_any_clause(),
            3 => {
                let var = self.vars[self.rng.below(self.vars.len())];
                self.engine.set_phase(var, self.rng.coin());
            }
            4 if self.rng.below(4) == 0 => {
                let count = self.engine.num_vars();
                assert_eq!(self.engine.new_var(), Var::from_index(count));
            }
            4 => self.solve_without_theory(),
            _ => {
                let at = match self.solve() {
                    Outcome::Sat => 0,
                    Outcome::Unsat => 1,
                    Outcome::Unknown(_) => 2,
                };
                answers[at] += 1;
            }
        }
    }
}

#[test]
fn random_scripts_match_brute_force() {
    random_scripts(Rng::seeded(41), Cdcl::new);
}

#[test]
fn random_scripts_match_brute_force_with_inprocessing() {
    random_scripts(Rng::seeded(45), common::eager);
}

fn random_scripts(mut rng: Rng, new: fn() -> Cdcl) {
    let mut answers = [0; 3];
    let (mut kept, mut calls, mut reused) = (0, 0, 0);
    while answers.iter().sum::<usize>() < refrain_testing::effort(60_000, 1_000_000) {
        let mut script: Script<Cdcl> = Script::new(&mut rng, new());
        for _ in 0..10 + rng.below(40) {
            script.step(&mut answers);
            script.engine.check_invariants();
            if !script.of_theory.satisfiable_with(&[]) && rng.below(4) == 0 {
                break;
            }
        }
        kept += script.theory.kept;
        calls += script.theory.calls;
        let stats = script.engine.stats();
        assert_eq!(stats.theory_calls, script.theory.calls as u64);
        reused += stats.reused_models;
    }
    let [sat, unsat, unknown] = answers;
    assert!(sat.min(unsat) > 10_000 && unknown > 300, "{answers:?}");
    assert!(calls > 100_000 && kept > 2 * calls, "{kept} in {calls}");
    assert!(reused > 1_000, "{reused}");
}

#[cfg(feature = "batsat")]
#[test]
fn random_scripts_on_batsat_match_brute_force() {
    let mut rng = Rng::seeded(42);
    let mut answers = [0; 3];
    while answers.iter().sum::<usize>() < 5_000 {
        let mut script: Script<refrain_sat::Batsat> =
            Script::new(&mut rng, refrain_sat::Batsat::default());
        script.may_contradict = false; // batsat's failed assumptions are not enough then.
        for _ in 0..10 + rng.below(60) {
            script.step(&mut answers);
        }
    }
    assert!(answers.iter().all(|&count| count > 50), "{answers:?}");
}

/// Pigeons whose places are integers, no two alike: `pigeons` of them in `holes` holes.
fn integer_pigeons(engine: &mut Cdcl, pigeons: usize, holes: usize, habits: Habits) -> Difference {
    let mut atoms = Vec::new();
    let mut atom = |engine: &mut Cdcl, x: usize, y: usize, bound: i32| {
        atoms.push(Some(Atom { x, y, bound }));
        engine.new_var().positive()
    };
    let zero = pigeons;
    for x in 0..pigeons {
        let low_enough = atom(engine, x, zero, holes as i32 - 1);
        let high_enough = atom(engine, zero, x, 0);
        engine.add_clause(&[low_enough]);
        engine.add_clause(&[high_enough]);
        for y in 0..x {
            let below = atom(engine, x, y, -1);
            let above = atom(engine, y, x, -1);
            engine.add_clause(&[below, above]);
        }
    }
    Difference::new(atoms, habits, Rng::seeded(43))
}

#[test]
fn long_searches_keep_their_invariants() {
    let eager = Habits {
        look_early: 1,
        imply: 2,
        pad: 4,
        ..Habits::default()
    };
    let lazy = Habits::default();
    for (habits, pigeons) in [(eager, 7), (lazy, 6)] {
        let mut engine = Cdcl::new();
        let mut theory = integer_pigeons(&mut engine, pigeons, pigeons, habits);
        let query = Query::default().with(&mut theory);
        assert_eq!(engine.solve(query), Outcome::Sat);
        engine.check_invariants();
        let mut engine = Cdcl::new();
        let mut theory = integer_pigeons(&mut engine, pigeons, pigeons - 1, habits);
        let mut pauses = 0;
        loop {
            let limits = Limits {
                conflicts: Some(100),
                ..Limits::default()
            };
            let before = engine.stats().conflicts;
            let query = Query::default().within(limits).with(&mut theory);
            let outcome = engine.solve(query);
            engine.check_invariants();
            if outcome == Outcome::Unsat {
                break;
            }
            assert_eq!(outcome, Outcome::Unknown(StopReason::Conflicts));
            assert_eq!(engine.stats().conflicts - before, 101);
            pauses += 1;
        }
        assert!(pauses > 1 && engine.failed().is_empty());
    }
}

/// Enough conflicts in one engine for restarts, reductions and sweeps between the looks of the theory.
#[test]
fn the_kept_part_survives_forgetting() {
    let habits = Habits {
        look_early: 1,
        imply: 3,
        pad: 5,
        ..Habits::default()
    };
    let mut engine = Cdcl::new();
    let mut theory = integer_pigeons(&mut engine, 8, 7, habits);
    assert_eq!(
        engine.solve(Query::default().with(&mut theory)),
        Outcome::Unsat
    );
    let stats = engine.stats();
    assert!(stats.restarts > 0 && stats.reductions > 0, "{stats:?}");
    assert!(theory.kept > theory.calls);
}

/// Says of each true literal of one kind that it is for good, in a clause of its own.
#[derive(Default)]
struct Confirming {
    last: Vec<Lit>,
}

impl Confirming {
    fn look(&mut self, trail: &TrailView<'_>, kept: usize, lemmas: &mut Lemmas) {
        assert_eq!(trail.trail()[..kept], self.last[..kept]);
        self.last = trail.trail().to_vec();
        for &lit in trail.trail() {
            if lit.var().index() % 3 == 0 && !lit.is_negative() {
                lemmas.keep(&[lit]);
            }
        }
    }
}

impl Theory for Confirming {
    fn propagate(&mut self, trail: &TrailView<'_>, kept: usize, lemmas: &mut Lemmas) {
        self.look(trail, kept, lemmas);
    }

    fn complete(&mut self, trail: &TrailView<'_>, kept: usize, lemmas: &mut Lemmas) -> Completion {
        self.look(trail, kept, lemmas);
        Completion::Accept
    }
}

#[test]
fn facts_of_the_theory_are_swept_out() {
    let mut rng = Rng::seeded(44);
    let vars = 400;
    let clauses = common::random_3sat(&mut rng, vars, 2 * vars);
    let mut engine: Cdcl = common::with_clauses(vars, &clauses);
    let mut theory = Confirming::default();
    for _ in 0..2_000 {
        let asked: Vec<Lit> = (0..4).map(|_| rng.lit(vars)).collect();
        let asked = [&theory.last[..theory.last.len().min(3)], &asked].concat();
        engine.solve(Query::new(&asked).with(&mut theory));
        engine.check_invariants();
        if engine.stats().simplifications > 0 {
            break;
        }
    }
    assert!(engine.stats().simplifications > 0, "{:?}", engine.stats());
}

/// A theory made of one function, which is asked about complete assignments.
struct Complete<F>(F);

impl<F: FnMut(&TrailView<'_>, &mut Lemmas) -> Completion> Theory for Complete<F> {
    fn propagate(&mut self, _: &TrailView<'_>, _: usize, _: &mut Lemmas) {}

    fn complete(&mut self, trail: &TrailView<'_>, _: usize, lemmas: &mut Lemmas) -> Completion {
        (self.0)(trail, lemmas)
    }
}

fn refuse(trail: &TrailView<'_>, lemmas: &mut Lemmas) -> Completion {
    let clause: Vec<Lit> = trail.trail().iter().map(|&lit| !lit).collect();
    lemmas.learn(&clause);
    Completion::Refine
}

fn engine_with_vars(count: usize) -> (Cdcl, Vec<Lit>) {
    let mut engine = Cdcl::new();
    let lits = (0..count).map(|_| engine.new_var().positive()).collect();
    (engine, lits)
}

#[test]
fn a_theory_can_give_up() {
    let unknown = Outcome::Unknown(StopReason::Theory);
    let (mut engine, lits) = engine_with_vars(2);
    engine.add_clause(&lits);
    let mut theory = Complete(|_: &TrailView<'_>, _: &mut Lemmas| Completion::GiveUp);
    assert_eq!(engine.solve(Query::default().with(&mut theory)), unknown);
    assert_eq!(engine.value(lits[0]), None);
    // To refine without a word is to give up, and so is a lemma that changes nothing.
    let mut silent = Complete(|_: &TrailView<'_>, _: &mut Lemmas| Completion::Refine);
    assert_eq!(engine.solve(Query::default().with(&mut silent)), unknown);
    let mut idle = Complete(|trail: &TrailView<'_>, lemmas: &mut Lemmas| {
        lemmas.keep(trail.trail());
        lemmas.decide(Var::from_index(0));
        Completion::Refine
    });
    assert_eq!(engine.solve(Query::default().with(&mut idle)), unknown);
    assert_eq!(engine.solve(Query::default()), Outcome::Sat);
    // A clause in what is left behind does not hide the theory.
    assert_eq!(engine.solve(Query::default().with(&mut theory)), unknown);
    assert_eq!(
        engine.solve(Query::new(&[!lits[0], !lits[1]]).with(&mut theory)),
        Outcome::Unsat
    );
}

#[test]
fn lemmas_of_any_length_can_be_false() {
    for length in 0..4 {
        for kept in [false, true] {
            for assumed in 0..=4 {
                let (mut engine, lits) = engine_with_vars(5);
                lits.iter().for_each(|l| engine.set_phase(l.var(), true));
                let clause: Vec<Lit> = lits[..length].iter().map(|&lit| !lit).collect();
                let mut refused = 0;
                let mut theory = Complete(|trail: &TrailView<'_>, lemmas: &mut Lemmas| {
                    if clause.iter().any(|&lit| trail.value(lit) == Some(true)) {
                        return Completion::Accept;
                    }
                    refused += 1;
                    if kept {
                        lemmas.keep(&clause);
                    } else {
                        lemmas.learn(&clause);
                    }
                    Completion::Refine
                });
                let mut conflicts = 0;
                let mut hook = |_: &TrailView<'_>| conflicts += 1;
                let query = Query::new(&lits[..assumed]).with(&mut theory);
                let outcome = engine.solve(query.watching(&mut hook));
                engine.check_invariants();
                assert_eq!((refused, conflicts), (1, 1));
                if length <= assumed {
                    assert_eq!(outcome, Outcome::Unsat);
                    let mut failed = engine.failed().to_vec();
                    failed.sort();
                    assert_eq!(failed, lits[..length]);
                } else {
                    assert_eq!(outcome, Outcome::Sat);
                    assert!(common::model_satisfies(&engine, &[clause]));
                }
            }
        }
    }
}

/// Once the clauses alone are contradictory, no assumption is to blame.
#[test]
fn a_later_lemma_can_contradict_everything() {
    let (mut engine, lits) = engine_with_vars(2);
    let mut theory = Complete(|_: &TrailView<'_>, lemmas: &mut Lemmas| {
        lemmas.learn(&[!lits[0], !lits[1]]);
        lemmas.learn(&[]);
        Completion::Refine
    });
    let outcome = engine.solve(Query::new(&lits).with(&mut theory));
    assert_eq!(outcome, Outcome::Unsat);
    assert!(engine.failed().is_empty());
    assert_eq!(engine.solve(Query::default()), Outcome::Unsat);
}

/// A lemma that is false at several literals of a level is more than what is learned from it.
#[test]
fn a_false_lemma_stays() {
    let (mut engine, lits) = engine_with_vars(3);
    engine.add_clause(&[!lits[0], lits[1]]);
    engine.add_clause(&[!lits[0], lits[2]]);
    let mut theory = Complete(|_: &TrailView<'_>, lemmas: &mut Lemmas| {
        lemmas.keep(&[!lits[1], !lits[2]]);
        Completion::Refine
    });
    let first = engine.solve(Query::new(&lits[..1]).with(&mut theory));
    assert_eq!((first, engine.failed()), (Outcome::Unsat, &lits[..1]));
    engine.check_invariants();
    assert_eq!(engine.solve(Query::new(&lits[1..])), Outcome::Unsat);
}

/// The theory is told of what is undone before anything new is on the trail.
#[test]
fn the_theory_sees_the_trail_shrink() {
    struct Recorder(Vec<(usize, usize)>);
    impl Theory for Recorder {
        fn propagate(&mut self, trail: &TrailView<'_>, kept: usize, _: &mut Lemmas) {
            self.0.push((kept, trail.trail().len()));
        }

        fn complete(&mut self, trail: &TrailView<'_>, kept: usize, _: &mut Lemmas) -> Completion {
            assert_eq!(kept, trail.trail().len());
            Completion::Accept
        }
    }
    let (mut engine, lits) = engine_with_vars(3);
    let mut recorder = Recorder(Vec::new());
    for asked in [[lits[0], lits[1]], [lits[0], !lits[1]]] {
        let query = Query::new(&asked).with(&mut recorder);
        assert_eq!(engine.solve(query), Outcome::Sat);
    }
    let expected = [(0, 1), (1, 2), (2, 3), (1, 1), (1, 2), (2, 3)];
    assert_eq!(recorder.0, expected);
}

/// The search gives up at a conflict of the theory too, and all lemmas of that call are in force.
#[test]
fn conflicts_of_the_theory_count() {
    let (mut engine, lits) = engine_with_vars(6);
    let limits = Limits {
        conflicts: Some(10),
        ..Limits::default()
    };
    let query = Query::default().within(limits);
    let outcome = engine.solve(query.with(&mut Complete(refuse)));
    assert_eq!(outcome, Outcome::Unknown(StopReason::Conflicts));
    assert_eq!(engine.stats().conflicts, 11);
    let mut all_at_once = Complete(|_: &TrailView<'_>, lemmas: &mut Lemmas| {
        lits.iter().for_each(|&lit| lemmas.keep(&[lit]));
        lemmas.keep(&[!lits[0], !lits[1], !lits[2]]);
        Completion::Refine
    });
    let none = Limits {
        conflicts: Some(0),
        ..Limits::default()
    };
    engine.solve(Query::default().within(none).with(&mut all_at_once));
    engine.check_invariants();
    assert_eq!(engine.solve(Query::default()), Outcome::Unsat);
    assert!(engine.failed().is_empty());
}

/// Makes one variable after the other, for ever.
fn split(_: &TrailView<'_>, lemmas: &mut Lemmas) -> Completion {
    let fresh = lemmas.new_var().positive();
    lemmas.keep(&[fresh, fresh]);
    Completion::Refine
}

#[test]
fn a_deadline_ends_a_theory_that_never_does() {
    let theories: [fn(&TrailView<'_>, &mut Lemmas) -> Completion; 2] = [refuse, split];
    for theory in theories {
        let (mut engine, lits) = engine_with_vars(40);
        let limits = Limits {
            deadline: Some(Instant::now() + Duration::from_millis(30)),
            ..Limits::default()
        };
        let query = Query::new(&lits[..1]).within(limits);
        let outcome = engine.solve(query.with(&mut Complete(theory)));
        assert_eq!(outcome, Outcome::Unknown(StopReason::Deadline));
        assert_eq!(engine.solve(Query::new(&lits[..1])), Outcome::Sat);
    }
}

/// Takes its time whenever it is shown something, and asks to stop.
struct Slow<'a> {
    stop: &'a AtomicBool,
    calls: usize,
}

impl Theory for Slow<'_> {
    fn propagate(&mut self, _: &TrailView<'_>, _: usize, _: &mut Lemmas) {
        self.stop.store(true, Ordering::Relaxed);
        self.calls += 1;
    }

    fn complete(&mut self, _: &TrailView<'_>, _: usize, _: &mut Lemmas) -> Completion {
        Completion::Accept
    }
}

#[test]
fn a_stop_flag_is_seen_between_looks_of_the_theory() {
    let (mut engine, lits) = engine_with_vars(1_000);
    let stop = AtomicBool::new(false);
    let mut theory = Slow {
        stop: &stop,
        calls: 0,
    };
    let limits = Limits {
        stop: Some(&stop),
        ..Limits::default()
    };
    let query = Query::new(&lits).within(limits).with(&mut theory);
    assert_eq!(
        engine.solve(query),
        Outcome::Unknown(StopReason::Interrupted)
    );
    assert!(theory.calls < 20, "{} calls", theory.calls);
    stop.store(false, Ordering::Relaxed);
    let mut calls = 0;
    let mut theory = Complete(|trail: &TrailView<'_>, lemmas: &mut Lemmas| {
        stop.store(true, Ordering::Relaxed);
        calls += 1;
        refuse(trail, lemmas)
    });
    let query = Query::default().within(limits).with(&mut theory);
    assert_eq!(
        engine.solve(query),
        Outcome::Unknown(StopReason::Interrupted)
    );
    assert_eq!(calls, 1);
}

/// Variables that the theory makes or names must have a value, though the query does not ask for them.
#[test]
fn what_the_theory_asks_for_is_decided() {
    let (mut engine, lits) = engine_with_vars(4);
    let asked = [lits[0].var()];
    let mut fresh = None;
    let mut theory = Complete(|_: &TrailView<'_>, lemmas: &mut Lemmas| {
        if fresh.is_none() {
            let var = lemmas.new_var();
            lemmas.set_phase(var, true);
            lemmas.decide(lits[2].var());
            fresh = Some(var);
            return Completion::Refine;
        }
        Completion::Accept
    });
    let query = Query::default().deciding(&asked).with(&mut theory);
    assert_eq!(engine.solve(query), Outcome::Sat);
    assert_eq!(fresh, Some(Var::from_index(4)));
    assert_eq!(engine.num_vars(), 5);
    assert_eq!(engine.value(Var::from_index(4).positive()), Some(true));
    assert!(engine.value(lits[2]).is_some());
    assert_eq!(engine.value(lits[1]), None);
}
