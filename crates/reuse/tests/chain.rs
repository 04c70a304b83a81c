//! The chain as a solver among solvers: whatever is pushed, popped, assumed, interrupted or answered wrongly below
//! it, its answers are right, and the solver below is told what is in force.

#[path = "lasting/common.rs"]
mod common;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use common::{Gait, Naming, Random, Session, World, leap, step, walk};
use refrain_reuse::{Chain, LAYERS, Layers, PRESETS};
use refrain_solver::native::Native;
use refrain_solver::{CheckResult, Limits, Outcome, Query, Reason, Solver, Stats, Verdict};
use refrain_term::{Bv, Op, Sort, Term, Terms, Value, eval};

fn preset(name: &str) -> Layers {
    Layers::preset(name).expect("a preset")
}

/// How the solver below behaves.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Mood {
    #[default]
    Honest,
    /// Says that it does not know.
    Clueless,
    /// Its models are wrong.
    Lying,
}

/// What a test sees of the solver below the chain, and tells it.
#[derive(Default)]
struct Below {
    mood: Cell<Mood>,
    checks: Cell<u32>,
    /// Of the last check.
    asserted: RefCell<Vec<Term>>,
    assumed: RefCell<Vec<Term>>,
}

/// A solver that notes what it is asked. It cannot tell conflicts.
struct Watched {
    solver: Native,
    below: Rc<Below>,
    asserted: Vec<Term>,
    levels: Vec<usize>,
}

impl Watched {
    fn new() -> (Box<Watched>, Rc<Below>) {
        let below = Rc::new(Below::default());
        let solver = Watched {
            solver: Native::new(),
            below: below.clone(),
            asserted: Vec::new(),
            levels: Vec::new(),
        };
        (Box::new(solver), below)
    }
}

impl Solver for Watched {
    fn name(&self) -> &str {
        "watched"
    }

    fn push(&mut self) {
        self.levels.push(self.asserted.len());
        self.solver.push();
    }

    fn pop(&mut self, levels: usize) {
        assert!(levels <= self.levels.len(), "more pops than pushes");
        for _ in 0..levels {
            self.asserted.truncate(self.levels.pop().expect("a level"));
        }
        self.solver.pop(levels);
    }

    fn assert(&mut self, terms: &mut Terms, formula: Term) {
        self.asserted.push(formula);
        self.solver.assert(terms, formula);
    }

    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Outcome {
        let below = &self.below;
        below.checks.set(below.checks.get() + 1);
        below.asserted.borrow_mut().clone_from(&self.asserted);
        *below.assumed.borrow_mut() = query.assumptions.to_vec();
        match below.mood.get() {
            Mood::Honest => {
                let mut outcome = self.solver.check(terms, query);
                if let CheckResult::Unsat(conflict) = &mut outcome.result {
                    conflict.formulas = None;
                }
                outcome
            }
            Mood::Clueless => Outcome::unknown(Reason::Incomplete("no idea".into())),
            Mood::Lying => CheckResult::Sat(Arc::default()).into(),
        }
    }

    fn reset(&mut self) {
        self.asserted.clear();
        self.levels.clear();
        self.solver.reset();
    }

    fn stats(&self) -> Stats {
        self.solver.stats()
    }
}

/// A session above a watched solver.
fn watched(name: &str, layers: Layers) -> (Session, World, Rc<Below>) {
    let (solver, below) = Watched::new();
    let mut session = Session::before(name, solver, layers, None);
    let world = World::new(&mut session.terms, Naming::Own);
    (session, world, below)
}

#[test]
fn every_preset_is_right_on_every_walk() {
    for name in PRESETS {
        for (gait, seeds) in [(Gait::Steps, 1..=6), (Gait::Leaps, 7..=16)] {
            for seed in seeds {
                let mut session = Session::new(name, preset(name), None);
                let world = World::new(&mut session.terms, Naming::Own);
                walk(&mut session, &world, gait, seed, 50);
            }
        }
    }
}

#[test]
fn the_full_chain_is_right_without_any_of_its_layers() {
    for &layer in LAYERS {
        let mut layers = preset("full");
        assert!(layers.without(layer));
        for seed in 30..=36 {
            let mut session = Session::new(&format!("without {layer}"), layers.clone(), None);
            let world = World::new(&mut session.terms, Naming::Own);
            walk(&mut session, &world, Gait::Leaps, seed, 50);
        }
    }
}

/// Limits that are reached already.
fn reached(random: &mut Random) -> Limits {
    match random.below(2) {
        0 => Limits {
            deadline: Some(Instant::now() - Duration::from_secs(1)),
            ..Limits::default()
        },
        _ => Limits {
            stop: Some(Arc::new(AtomicBool::new(true))),
            ..Limits::default()
        },
    }
}

#[test]
fn limits_that_are_reached_leave_no_trace() {
    for name in PRESETS {
        for seed in 1..=8 {
            let mut session = Session::new(name, preset(name), None);
            let world = World::new(&mut session.terms, Naming::Own);
            let mut random = Random::new(seed);
            for check in 0..50 {
                session.name = format!("{name}, seed {seed}, check {check}");
                let assumptions = leap(&mut session, &world, &mut random);
                for _ in 0..random.below(3) {
                    let limits = reached(&mut random);
                    let assumed =
                        &assumptions[..random.below(1 + assumptions.len() as u64) as usize];
                    let query = Query::new(assumed, &limits).with_core();
                    let outcome = session.chain.check(&mut session.terms, &query);
                    match outcome.result {
                        CheckResult::Unknown(Reason::Timeout | Reason::Interrupted) => {}
                        // What is known needs no time.
                        _ => session.judge(assumed, &outcome),
                    }
                }
                if session.check(&assumptions) == Verdict::Unsat {
                    match session.levels() {
                        0 => session.reset(),
                        _ => session.pop(),
                    }
                }
            }
        }
    }
}

#[test]
fn limits_are_reached_in_the_middle_of_a_long_path() {
    let mut random = Random::new(3);
    for name in PRESETS {
        let mut session = Session::new(name, preset(name), None);
        let x = session.terms.var("x", Sort::Int);
        for round in 0..3 {
            session.push();
            for at in 0..3_000 {
                let terms = &mut session.terms;
                let bound = terms.int(-3_000 * round - at);
                let formula = terms.ge(x, bound);
                session.assert(formula);
            }
            let limits = reached(&mut random);
            let verdict = session
                .chain
                .check(&mut session.terms, &Query::new(&[], &limits))
                .verdict();
            assert!(
                matches!(
                    verdict,
                    Verdict::Sat | Verdict::Unknown(Reason::Timeout | Reason::Interrupted)
                ),
                "{name}: {verdict:?}"
            );
            if round == 1 {
                session.pop();
            }
            let below = session.terms.int(-1);
            let below = session.terms.lt(x, below);
            assert_eq!(session.check(&[below]), Verdict::Unsat, "{name}");
            assert_eq!(session.check(&[]), Verdict::Sat, "{name}");
        }
    }
}

#[test]
fn an_answer_of_unknown_is_never_remembered() {
    for name in PRESETS {
        let (mut session, world, below) = watched(name, preset(name));
        let mut random = Random::new(11);
        let (mut unknown, mut known) = (0, 0);
        for check in 0..120 {
            session.name = format!("{name}, check {check}");
            step(&mut session, &world, &mut random);
            below.mood.set(Mood::Clueless);
            for _ in 0..2 {
                let before = below.checks.get();
                let limits = Limits::default();
                let query = Query::new(&[], &limits).with_core();
                let outcome = session.chain.check(&mut session.terms, &query);
                match &outcome.result {
                    CheckResult::Unknown(reason) => {
                        assert_eq!(*reason, Reason::Incomplete("no idea".into()));
                        assert!(below.checks.get() > before, "{name}: nobody was asked");
                        unknown += 1;
                    }
                    _ => session.judge(&[], &outcome),
                }
            }
            below.mood.set(Mood::Honest);
            let before = below.checks.get();
            if session.check(&[]) == Verdict::Unsat {
                session.pop();
            }
            known += below.checks.get() - before;
        }
        assert!(unknown > 0 && known > 0, "{name}");
    }
}

#[test]
fn a_model_that_is_wrong_is_no_answer() {
    for name in PRESETS {
        let (mut session, world, below) = watched(name, preset(name));
        let mut random = Random::new(5);
        let mut caught = 0;
        for check in 0..120 {
            session.name = format!("{name}, check {check}");
            step(&mut session, &world, &mut random);
            below.mood.set(Mood::Lying);
            let limits = Limits::default();
            let query = Query::new(&[], &limits).with_core();
            let outcome = session.chain.check(&mut session.terms, &query);
            match outcome.result {
                CheckResult::Unknown(Reason::Failed(_)) => caught += 1,
                _ => session.judge(&[], &outcome),
            }
            below.mood.set(Mood::Honest);
            if session.check(&[]) == Verdict::Unsat {
                session.pop();
            }
        }
        assert!(caught > 0, "{name}");
    }
}

#[test]
fn a_solver_that_cannot_tell_conflicts_is_good_enough() {
    for name in PRESETS {
        for seed in 50..=56 {
            let (mut session, world, _) = watched(name, preset(name));
            walk(&mut session, &world, Gait::Leaps, seed, 50);
        }
    }
}

#[test]
fn the_solver_is_told_what_is_in_force() {
    for name in ["stack", "stack-opt", "full"] {
        let mut asked = 0;
        for seed in 70..=80 {
            let (mut session, world, below) = watched(name, preset(name));
            let mut random = Random::new(seed);
            for check in 0..60 {
                session.name = format!("{name}, seed {seed}, check {check}");
                let assumptions = leap(&mut session, &world, &mut random);
                let before = below.checks.get();
                // Now and then nobody asks, and what was never asked about need not be told.
                if random.below(4) > 0 {
                    let verdict = session.check(&assumptions);
                    if below.checks.get() > before {
                        asked += 1;
                        let told = below.asserted.borrow();
                        assert_eq!(*told, session.asserted, "{}", session.name);
                        assert_eq!(*below.assumed.borrow(), assumptions, "{}", session.name);
                    }
                    if verdict == Verdict::Unsat && session.levels() == 0 {
                        session.reset();
                    }
                    if verdict == Verdict::Unsat && session.levels() > 0 {
                        session.pop();
                    }
                }
            }
        }
        assert!(asked > 100, "{name}");
    }
}

#[test]
fn a_solver_from_scratch_is_told_atoms_of_the_path_and_nothing_else() {
    for name in [
        "baseline",
        "caching",
        "caching-opt",
        "green",
        "klee",
        "greentrie",
        "pscache",
    ] {
        let (mut session, world, below) = watched(name, preset(name));
        let mut random = Random::new(9);
        for _ in 0..80 {
            let assumptions = leap(&mut session, &world, &mut random);
            let before = below.checks.get();
            let verdict = session.check(&assumptions);
            let mut atoms = Vec::new();
            let mut stack = session.asserted.clone();
            stack.extend(&assumptions);
            while let Some(formula) = stack.pop() {
                match session.terms.op(formula) {
                    Op::And => stack.extend(session.terms.args(formula)),
                    _ => atoms.push(formula),
                }
            }
            if below.checks.get() > before {
                let (asserted, assumed) = (below.asserted.borrow(), below.assumed.borrow());
                let mut told = asserted.iter().chain(assumed.iter());
                assert!(told.all(|formula| atoms.contains(formula)), "{name}");
            }
            if verdict == Verdict::Unsat {
                match session.levels() {
                    0 => session.reset(),
                    _ => session.pop(),
                }
            }
        }
    }
}

#[test]
fn an_exact_answer_changes_nothing_but_its_own_slice() {
    for name in ["full", "greentrie"] {
        let mut session = Session::new(name, preset(name), None);
        let terms = &mut session.terms;
        let (x, z) = (
            terms.var("x", Sort::BitVec(16)),
            terms.var("z", Sort::BitVec(16)),
        );
        let [two, three, five, ten, other] = [2, 3, 5, 10, 77].map(|value| terms.bv(16, value));
        let sum = terms.bv_add(x, z);
        let (low, high) = (terms.bv_ult(sum, five), terms.bv_ult(three, sum));
        // It says nothing, and is the only one to say it of both symbols.
        let idle = terms.or2(low, high);
        let (large, small) = (terms.bv_ult(five, x), terms.bv_ult(x, two));
        let (fixed, against) = (terms.eq(z, other), terms.bv_ult(z, ten));
        session.push();
        session.assert(idle);
        session.assert(large);
        assert_eq!(session.check(&[]), Verdict::Sat);
        session.pop();
        session.push();
        session.assert(fixed);
        assert_eq!(session.check(&[]), Verdict::Sat);
        assert_eq!(session.check(&[small]), Verdict::Sat);
        session.push();
        session.assert(large);
        assert_eq!(session.check(&[]), Verdict::Sat);
        session.push();
        session.assert(against);
        assert_eq!(session.check(&[]), Verdict::Unsat);
    }
}

#[test]
fn a_chain_above_a_chain_is_a_solver_too() {
    for (above, below) in [("full", "full"), ("klee", "full"), ("full", "greentrie")] {
        for seed in 90..=94 {
            let inner = Chain::new(Box::new(Native::new()), preset(below));
            let name = format!("{above} above {below}");
            let mut session = Session::before(&name, Box::new(inner), preset(above), None);
            let world = World::new(&mut session.terms, Naming::Own);
            walk(&mut session, &world, Gait::Leaps, seed, 50);
        }
    }
}

#[test]
fn partial_solutions_are_passed_on() {
    let mut terms = Terms::new();
    let mut chain = Chain::new(Box::new(Native::new()), preset("full"));
    let (x, y) = (
        terms.var("x", Sort::BitVec(16)),
        terms.var("y", Sort::BitVec(16)),
    );
    let (product, value) = (terms.bv_mul(x, y), terms.constant(Bv::new(16, 0x7fed)));
    let [one, limit] = [1, 0x300].map(|value| terms.bv(16, value));
    for formula in [
        terms.eq(product, value),
        terms.bv_ult(one, x),
        terms.bv_ult(x, limit),
        terms.bv_ult(y, limit),
    ] {
        chain.push();
        chain.assert(&mut terms, formula);
    }
    let limits = Limits::default();
    let outcome = chain.check(
        &mut terms,
        &Query::new(&[], &limits).with_partial_solutions(10),
    );
    assert!(!matches!(outcome.result, CheckResult::Unknown(_)));
    assert!(outcome.partial_solutions.len() <= 10);
    if let Some(model) = outcome.model() {
        let product = eval(&terms, product, model);
        assert_eq!(product, Value::Bv(Bv::new(16, 0x7fed)));
    }
}
