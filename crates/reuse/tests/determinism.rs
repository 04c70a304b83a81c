//! The same questions get the same answers, models, cores and partial solutions from the same layers, however long
//! anything takes; jumping between paths with suggested models, and sharing answers with other threads.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use refrain_reuse::{AnsweredBy, Chain, Layers, SharedAnswers};
use refrain_solver::native::Native;
use refrain_solver::{CheckResult, Limits, Outcome, Query, Solver, Stats, Verdict};
use refrain_term::{Assignment, Bv, Op, Sort, Term, Terms, Value, eval};
use refrain_testing::Random;

/// A solver that takes so many microseconds for a question, and more for some than for others.
struct Slow(Native, u64);

impl Solver for Slow {
    fn name(&self) -> &str {
        self.0.name()
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
        let wait = Duration::from_micros(self.1 * (1 + self.0.stats().checks % 3));
        let started = Instant::now();
        while started.elapsed() < wait {
            std::hint::spin_loop();
        }
        self.0.check(terms, query)
    }
    fn suggest(&mut self, terms: &Terms, model: &Arc<Assignment>) {
        self.0.suggest(terms, model);
    }
    fn reset(&mut self) {
        self.0.reset();
    }
    fn stats(&self) -> Stats {
        self.0.stats()
    }
    fn work(&self) -> Option<u64> {
        self.0.work()
    }
}

/// What atoms are made of: bytes, words, integers, and cells of an array.
struct World {
    bytes: Vec<Term>,
    words: Vec<Term>,
    numbers: Vec<Term>,
    array: Term,
}

impl World {
    /// Symbols in an order that differs from arena to arena.
    fn new(terms: &mut Terms, turned: usize) -> World {
        let mut symbols = |sort: Sort, names: [&str; 4]| {
            let mut found = [None; 4];
            for at in (0..4).map(|at| (at + turned) % 4) {
                found[at] = Some(terms.var(names[at], sort));
            }
            found.map(|symbol| symbol.expect("declared")).to_vec()
        };
        World {
            bytes: symbols(Sort::BitVec(8), ["b0", "b1", "b2", "b3"]),
            words: symbols(Sort::BitVec(32), ["w0", "w1", "w2", "w3"]),
            numbers: symbols(Sort::Int, ["i0", "i1", "i2", "i3"]),
            array: terms.var(
                "a",
                Sort::Array {
                    index: 8,
                    element: 8,
                },
            ),
        }
    }

    fn atom(&self, random: &mut Random, terms: &mut Terms) -> Term {
        let mut pick = |of: &[Term]| of[random.below(4) as usize];
        let (b, c) = (pick(&self.bytes), pick(&self.bytes));
        let (v, w) = (pick(&self.words), pick(&self.words));
        let (i, j) = (pick(&self.numbers), pick(&self.numbers));
        let atom = match random.below(7) {
            0 => {
                let sum = terms.add(i, j);
                let bound = terms.int(random.below(9) as i64 - 4);
                terms.le(sum, bound)
            }
            1 => {
                let bound = terms.int(random.below(9) as i64 - 4);
                terms.ge(i, bound)
            }
            2 => {
                let index = terms.bv(8, random.below(3));
                let index = if random.below(4) == 0 { b } else { index };
                let cell = terms.select(self.array, index);
                terms.bv_ult(cell, c)
            }
            3 => {
                let sum = terms.bv_add(v, w);
                let bound = terms.bv(32, random.below(8) * 1000);
                terms.bv_ult(sum, bound)
            }
            4 => {
                let sum = terms.bv_add(b, c);
                let value = terms.bv(8, random.below(8) * 30);
                terms.eq(sum, value)
            }
            5 => {
                let product = terms.bv_mul(v, w);
                let mask = terms.bv(32, 15);
                let low = terms.bv_and(product, mask);
                let bound = terms.bv(32, random.below(16));
                terms.bv_ult(low, bound)
            }
            _ => {
                let bound = terms.bv(8, random.below(8) * 30);
                terms.bv_ult(b, bound)
            }
        };
        if random.below(2) == 0 {
            terms.not(atom)
        } else {
            atom
        }
    }
}

/// A path, and a model of it.
#[derive(Clone)]
struct State {
    conditions: Vec<Term>,
    model: Arc<Assignment>,
}

/// How a walk goes.
#[derive(Clone)]
struct Walk {
    layers: Layers,
    seed: u64,
    checks: usize,
    partial_solutions: Option<usize>,
    suggest: bool,
    shared: Option<Arc<SharedAnswers>>,
    /// Whether answers are held against a solver that knows nothing.
    checked: bool,
}

impl Walk {
    fn new(layers: Layers, seed: u64, checks: usize) -> Walk {
        Walk {
            layers,
            seed,
            checks,
            partial_solutions: None,
            suggest: true,
            shared: None,
            checked: false,
        }
    }

    /// Goes from state to state of a growing tree, and writes down all there is to see; by layer, how much each
    /// answered.
    fn go(
        &self,
        solver: Box<dyn Solver>,
        turned: usize,
    ) -> (Vec<String>, BTreeMap<&'static str, u64>, u64) {
        let mut random = Random::new(self.seed);
        let mut terms = Terms::new();
        let world = World::new(&mut terms, turned);
        let mut chain = Chain::new(solver, self.layers.clone());
        if let Some(shared) = &self.shared {
            chain.share_with(shared.clone());
        }
        let root = State {
            conditions: Vec::new(),
            model: Arc::default(),
        };
        let (mut states, mut seen) = (vec![root], Vec::new());
        for _ in 0..self.checks {
            let place = random.below(states.len() as u64) as usize;
            let state = states[place].clone();
            let question = world.atom(&mut random, &mut terms);
            if self.suggest {
                // Most suggestions are good ones.
                let any = random.below(states.len() as u64) as usize;
                let from = if random.below(8) == 0 { any } else { place };
                chain.suggest(&terms, &states[from].model.clone());
            }
            let mut path = state.conditions;
            path.push(question);
            let limits = Limits::default();
            let query = Query::new(&path, &limits).with_core();
            let query = query.with_partial_solutions(self.partial_solutions.unwrap_or(0));
            let outcome = chain.check(&mut terms, &query);
            let verdict = outcome.verdict();
            let mut entry = format!("{verdict:?}");
            match outcome.result {
                CheckResult::Sat(model) => {
                    entry += &shown(&model);
                    for &condition in &path {
                        assert_eq!(eval(&terms, condition, &model), Value::Bool(true));
                    }
                    if path.len() < 12 {
                        states.push(State {
                            conditions: path.clone(),
                            model,
                        });
                    }
                }
                CheckResult::Unsat(conflict) => entry += &format!(" {:?}", conflict.core),
                CheckResult::Unknown(_) => {}
            }
            for partial in outcome.partial_solutions {
                entry += &shown(&partial.assignment(&terms));
            }
            if self.checked {
                let mut fresh = Native::new();
                let again = fresh
                    .check(&mut terms, &Query::new(&path, &Limits::default()))
                    .verdict();
                assert_eq!(verdict, again);
            }
            seen.push(entry);
        }
        let stats = chain.chain_stats();
        let counts = AnsweredBy::ALL.map(|by| (by.name(), stats.answered_by(by)));
        (seen, counts.into_iter().collect(), stats.shared_hits)
    }
}

fn shown(assignment: &Assignment) -> String {
    let value = |value: &Value| match value {
        Value::Array(array) => format!("{:?} {:?}", array.default(), array.cells()),
        value => format!("{value:?}"),
    };
    let values = assignment.iter();
    let values: Vec<String> = values
        .map(|(var, of)| format!("{var:?}={}", value(of)))
        .collect();
    format!(" [{}]", values.join(", "))
}

fn preset(name: &str) -> Layers {
    Layers::preset(name).expect("a preset")
}

#[test]
fn answers_do_not_depend_on_the_clock() {
    let mut names = vec!["full", "klee", "pscache", "greentrie", "caching-opt"];
    names.push("full");
    for (place, name) in names.into_iter().enumerate() {
        for partial_solutions in [None, Some(4)] {
            let walk = Walk {
                partial_solutions,
                suggest: place > 0,
                ..Walk::new(preset(name), 7 + place as u64, 1_500)
            };
            let fast = walk.go(Box::new(Slow(Native::new(), 0)), 0);
            let slow = walk.go(Box::new(Slow(Native::new(), 200)), 0);
            for (check, (a, b)) in fast.0.iter().zip(&slow.0).enumerate() {
                assert_eq!(a, b, "{name}, check {check}");
            }
            assert_eq!(fast.1, slow.1, "{name}");
        }
    }
}

#[test]
fn nothing_suggested_is_believed() {
    for name in ["full", "klee", "pscache"] {
        for seed in 0..4 {
            let walk = Walk {
                checked: true,
                ..Walk::new(preset(name), 100 + seed, 300)
            };
            walk.go(Box::new(Native::new()), 0);
        }
    }
}

#[test]
fn a_suggested_model_answers() {
    let mut terms = Terms::new();
    let x = terms.var("x", Sort::BitVec(8));
    let Op::Var(var) = terms.op(x) else {
        unreachable!("a symbol")
    };
    let bounds: Vec<Term> = (0..10).map(|i| terms.bv(8, i * 10)).collect();
    let above: Vec<Term> = bounds.iter().map(|&b| terms.bv_ule(b, x)).collect();
    let mut chain = Chain::new(Box::new(Native::new()), preset("full"));
    let mut model = Assignment::new();
    model.set(var, Bv::new(8, 200));
    chain.suggest(&terms, &Arc::new(model));
    let verdict = chain
        .check(&mut terms, &Query::new(&above, &Limits::default()))
        .verdict();
    assert_eq!(verdict, Verdict::Sat);
    assert_eq!(chain.chain_stats().answered_by(AnsweredBy::Model), 1);
    // One that does not fit is repaired.
    chain.suggest(&terms, &Arc::default());
    let outcome = chain.check(&mut terms, &Query::new(&above, &Limits::default()));
    let model = outcome.model().expect("sat");
    assert!(
        above
            .iter()
            .all(|&atom| eval(&terms, atom, model) == Value::Bool(true))
    );
}

#[test]
fn sharing_changes_nothing_for_a_lone_worker() {
    for name in ["full", "greentrie"] {
        let alone = Walk::new(preset(name), 11, 1_000);
        let sharing = Walk {
            shared: Some(Arc::default()),
            ..alone.clone()
        };
        let (without, with) = (
            alone.go(Box::new(Native::new()), 0),
            sharing.go(Box::new(Native::new()), 0),
        );
        assert_eq!(without, with);
    }
}

#[test]
fn workers_find_what_others_have_found() {
    let shared = Arc::new(SharedAnswers::default());
    let walk = |seed, turned| {
        let walk = Walk {
            shared: Some(shared.clone()),
            checked: true,
            ..Walk::new(preset("greentrie"), seed, 600)
        };
        move || walk.go(Box::new(Native::new()), turned).2
    };
    // Not of itself, but of somebody with other terms.
    assert_eq!(walk(3, 0)(), 0);
    assert!(walk(3, 1)() > 100);
    assert!(!shared.is_empty());
    let hits: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|turned| scope.spawn(walk(4 + turned as u64 / 2, turned)))
            .collect();
        let threads = threads.into_iter();
        threads.map(|thread| thread.join().expect("no panic")).sum()
    });
    assert!(hits > 0);
}
