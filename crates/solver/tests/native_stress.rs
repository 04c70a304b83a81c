//! The native solver against itself: random incremental stacks over wide inputs, large arrays and functions, where no
//! one can enumerate the values.
//!
//! Three things stand in for brute force. A *hidden* assignment satisfies most of what is asserted: as long as it
//! satisfies everything, the answer is sat. A model is evaluated on what was asserted. And an unsat answer, or a
//! core, is asked again of a fresh solver with nearly everything switched off: no base-level facts, no components, no
//! sets of values, no history.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use refrain_solver::native::{Native, Tuning};
use refrain_solver::{CheckResult, Limits, Query, Reason, Solver, Verdict};
use refrain_term::{ArrayValue, Assignment, Bv, Evaluator, FuncId, Op, Sort, Term, Terms, eval};
use refrain_testing::Random;

trait Values {
    fn bv(&mut self, width: u32) -> Bv;
}

impl Values for Random {
    /// Often zero, one, all ones, or a small number: where rules and ranges have their edges.
    fn bv(&mut self, width: u32) -> Bv {
        match self.below(6) {
            0 => Bv::zero(width),
            1 => Bv::ones(width),
            2 => Bv::min_signed(width),
            3 | 4 => Bv::new(width, self.next() % 6),
            _ => {
                let words = (0..width.div_ceil(64)).map(|_| self.next()).collect();
                Bv::from_words(width, words)
            }
        }
    }
}

/// Widths that have symbols: truth tables, ranges, machine words and more than those.
const WIDTHS: [u32; 7] = [1, 8, 9, 32, 64, 65, 128];

/// Index and element widths of array symbols: equations between the first ones are expanded at every index.
const ARRAYS: [(u32, u32); 7] = [(2, 8), (5, 8), (7, 8), (8, 8), (8, 65), (32, 8), (32, 32)];

/// The symbols of a run: a few of all kinds, so that they meet often.
struct World {
    terms: Terms,
    random: Random,
    widths: Vec<u32>,
    kinds: Vec<(u32, u32)>,
    words: Vec<Term>,
    flags: Vec<Term>,
    arrays: Vec<Term>,
    funcs: Vec<FuncId>,
}

impl World {
    fn new(seed: u64) -> World {
        let mut terms = Terms::new();
        let mut random = Random::new(seed);
        let widths: Vec<u32> = (0..3).map(|_| random.pick(&WIDTHS)).collect();
        let kinds: Vec<(u32, u32)> = (0..2).map(|_| random.pick(&ARRAYS)).collect();
        let mut words = Vec::new();
        for &width in &widths {
            for name in ["x", "y", "z"] {
                words.push(terms.var(&format!("{name}{width}"), Sort::BitVec(width)));
            }
        }
        let flags = ["p", "q", "r"].map(|name| terms.var(name, Sort::Bool));
        let mut arrays = Vec::new();
        for &(index, element) in &kinds {
            for name in ["a", "b", "c"] {
                let sort = Sort::Array { index, element };
                arrays.push(terms.var(&format!("{name}{index}_{element}"), sort));
            }
        }
        let funcs = vec![
            terms.func("f", &[Sort::Bool, Sort::BitVec(8)], Sort::BitVec(32)),
            terms.func("g", &[Sort::BitVec(9)], Sort::Bool),
            terms.func("h", &[Sort::BitVec(65)], Sort::BitVec(8)),
        ];
        World {
            terms,
            random,
            widths,
            kinds,
            words,
            flags: flags.to_vec(),
            arrays,
            funcs,
        }
    }

    fn of_sort(&mut self, sort: Sort) -> Term {
        let all: &[Term] = match sort {
            Sort::Array { .. } => &self.arrays,
            Sort::Bool => &self.flags,
            Sort::BitVec(_) => &self.words,
            _ => unreachable!("no numbers"),
        };
        let fitting: Vec<Term> = all
            .iter()
            .copied()
            .filter(|&term| self.terms.sort(term) == sort)
            .collect();
        self.random.pick(&fitting)
    }

    /// A bit-vector of this width made from a word that may have another.
    fn word_of_any_width(&mut self, width: u32, depth: usize) -> Term {
        let from = self.random.pick(&self.widths);
        let word = self.word(from, depth);
        let terms = &mut self.terms;
        if from > width {
            let low = self.random.below((from - width) as usize + 1) as u32;
            terms.extract(word, low + width - 1, low)
        } else if self.random.one_in(2) {
            terms.zero_extend(word, width - from)
        } else {
            terms.sign_extend(word, width - from)
        }
    }

    fn word(&mut self, width: u32, depth: usize) -> Term {
        if !self.widths.contains(&width) {
            return self.word_of_any_width(width, depth);
        }
        if depth == 0 || self.random.one_in(5) {
            if self.random.one_in(4) {
                let value = self.random.bv(width);
                return self.terms.constant(value);
            }
            return self.of_sort(Sort::BitVec(width));
        }
        match self.random.below(18) {
            0 | 1 => return self.word_of_any_width(width, depth - 1),
            2 if width == 32 || width == 8 => {
                let func = self.funcs[if width == 32 { 0 } else { 2 }];
                return self.application(func, depth - 1);
            }
            3..=5 if self.kinds.iter().any(|kind| kind.1 == width) => {
                return self.read(width, depth - 1);
            }
            6 => {
                let condition = self.truth(depth - 1);
                let (a, b) = (self.word(width, depth - 1), self.word(width, depth - 1));
                return self.terms.ite(condition, a, b);
            }
            _ => {}
        }
        let a = self.word(width, depth - 1);
        // Products and quotients of wide symbols are hard, and not what this is about.
        let b = if width <= 9 || self.random.one_in(2) {
            self.word(width, depth - 1)
        } else {
            let value = self.random.bv(width);
            self.terms.constant(value)
        };
        let easy = width <= 9 || self.terms.is_value(b);
        let terms = &mut self.terms;
        match self.random.below(13) {
            0 | 1 => terms.bv_add(a, b),
            2 => terms.bv_sub(a, b),
            3 if easy => terms.bv_mul(a, b),
            4 if width <= 9 => terms.bv_udiv(a, b),
            5 if width <= 9 => terms.bv_urem(a, b),
            6 => terms.bv_shl(a, b),
            7 => terms.bv_lshr(a, b),
            8 => terms.bv_ashr(a, b),
            9 => terms.bv_and(a, b),
            10 => terms.bv_or(a, b),
            11 => terms.bv_not(a),
            _ => terms.bv_xor(a, b),
        }
    }

    fn application(&mut self, func: FuncId, depth: usize) -> Term {
        let sorts = self.terms.func_decl(func).args.clone();
        let args: Vec<Term> = sorts
            .iter()
            .map(|&sort| match sort {
                Sort::BitVec(width) => self.word(width, depth),
                _ => self.truth(depth),
            })
            .collect();
        self.terms.apply(func, &args)
    }

    fn read(&mut self, element: u32, depth: usize) -> Term {
        let fitting: Vec<u32> = self
            .kinds
            .iter()
            .filter(|(_, e)| *e == element)
            .map(|(i, _)| *i)
            .collect();
        let index = self.random.pick(&fitting);
        let array = self.array(index, element, depth);
        let at = self.index(index, depth);
        self.terms.select(array, at)
    }

    /// Constants, single bytes and anything.
    fn index(&mut self, width: u32, depth: usize) -> Term {
        match self.random.below(4) {
            0 | 1 => {
                let at = self.random.next() % 4;
                self.terms.bv(width, at)
            }
            2 if width >= 8 => {
                let byte = self.word(8, depth.min(1));
                self.terms.zero_extend(byte, width - 8)
            }
            _ => self.word(width, depth),
        }
    }

    fn array(&mut self, index: u32, element: u32, depth: usize) -> Term {
        let sort = Sort::Array { index, element };
        if depth == 0 || self.random.one_in(2) {
            if self.random.below(8) > 0 {
                return self.of_sort(sort);
            }
            let filling = self.word(element, 0);
            return self.terms.const_array(index, filling);
        }
        let array = self.array(index, element, depth - 1);
        match self.random.below(5) {
            0 => {
                let other = self.array(index, element, depth - 1);
                let condition = self.truth(depth - 1);
                self.terms.ite(condition, array, other)
            }
            1 => {
                let cells = (0..self.random.below(12))
                    .map(|_| {
                        let at = Bv::new(index, self.random.next() % 12);
                        (at, self.random.bv(element))
                    })
                    .collect();
                self.terms.table(array, cells)
            }
            _ => {
                let (at, value) = (self.index(index, depth - 1), self.word(element, depth - 1));
                self.terms.store(array, at, value)
            }
        }
    }

    fn truth(&mut self, depth: usize) -> Term {
        if depth == 0 {
            return self.of_sort(Sort::Bool);
        }
        match self.random.below(12) {
            0 | 1 => {
                let (a, b) = (self.truth(depth - 1), self.truth(depth - 1));
                self.terms.or2(a, b)
            }
            2 => {
                let (a, b) = (self.truth(depth - 1), self.truth(depth - 1));
                self.terms.and2(a, b)
            }
            3 => {
                let (a, b) = (self.truth(depth - 1), self.truth(depth - 1));
                self.terms.xor(a, b)
            }
            4 => {
                let (index, element) = self.random.pick(&self.kinds);
                let (a, b) = (
                    self.array(index, element, depth - 1),
                    self.array(index, element, depth - 1),
                );
                self.terms.eq(a, b)
            }
            5 => self.application(self.funcs[1], depth - 1),
            6 => {
                let (_, element) = self.random.pick(&self.kinds);
                let (a, b) = (self.read(element, depth - 1), self.word(element, depth - 1));
                self.terms.eq(a, b)
            }
            kind => {
                let width = self.random.pick(&self.widths);
                // A symbol against a constant is what ranges and sets of values are about.
                let (a, b) = if self.random.one_in(3) {
                    (self.word(width, 1), self.word(width, 0))
                } else {
                    (self.word(width, depth - 1), self.word(width, depth - 1))
                };
                match kind {
                    7 | 8 => self.terms.eq(a, b),
                    9 => self.terms.bv_slt(a, b),
                    10 => self.terms.bv_ult(b, a),
                    _ => self.terms.bv_ult(a, b),
                }
            }
        }
    }

    /// An equation that gives a symbol, a cell or a whole array its value; what it is in the hidden assignment
    /// afterwards.
    fn definition(&mut self, hidden: &Assignment) -> (Term, Assignment) {
        let mut after = hidden.clone();
        let symbol = match self.random.below(3) {
            0 => self.random.pick(&self.words.clone()),
            1 => self.random.pick(&self.flags.clone()),
            _ => self.random.pick(&self.arrays.clone()),
        };
        let Op::Var(var) = self.terms.op(symbol) else {
            unreachable!("a symbol")
        };
        let sort = self.terms.sort(symbol);
        let depth = self.random.below(3);
        let definition = match sort {
            Sort::Bool => self.truth(depth),
            Sort::BitVec(width) => self.word(width, depth),
            Sort::Array { index, element } if self.random.below(3) > 0 => {
                let (at, value) = (
                    Bv::new(index, self.random.next() % 6),
                    self.random.bv(element),
                );
                after.set_cell(var, at.clone(), value.clone(), sort);
                let (at, value) = (self.terms.constant(at), self.terms.constant(value));
                let cell = self.terms.select(symbol, at);
                return (self.terms.eq(cell, value), after);
            }
            Sort::Array { index, element } => self.array(index, element, depth),
            _ => unreachable!("no numbers"),
        };
        let value = eval(&self.terms, definition, hidden);
        after.set(var, value);
        (self.terms.eq(symbol, definition), after)
    }

    /// A random assignment, with a few cells in each array.
    fn assignment(&mut self) -> Assignment {
        let mut assignment = Assignment::new();
        let symbols = [&self.words[..], &self.flags, &self.arrays].concat();
        for symbol in symbols {
            let Op::Var(var) = self.terms.op(symbol) else {
                unreachable!("a symbol")
            };
            match self.terms.sort(symbol) {
                Sort::Bool => assignment.set(var, self.random.one_in(2)),
                Sort::BitVec(width) => assignment.set(var, self.random.bv(width)),
                Sort::Array { index, element } => {
                    let mut value = ArrayValue::new(index, element);
                    for _ in 0..3 {
                        let at = Bv::new(index, self.random.next() % 6);
                        value.set(at, self.random.bv(element));
                    }
                    assignment.set(var, value);
                }
                _ => unreachable!("no numbers"),
            }
        }
        assignment
    }

    fn all_hold(&self, assignment: &Assignment, formulas: &[Term]) -> bool {
        let mut evaluator = Evaluator::new();
        formulas
            .iter()
            .all(|&formula| evaluator.bool(&self.terms, assignment, formula))
    }
}

/// A deadline that has passed, a stop by another thread at some moment, or neither.
fn limits(random: &mut Random) -> Limits {
    match random.below(8) {
        0 => Limits {
            deadline: Some(Instant::now()),
            stop: None,
            conflicts: None,
        },
        1 => {
            let stop = Arc::new(AtomicBool::new(false));
            let (flag, after) = (stop.clone(), random.below(3000) as u64);
            thread::spawn(move || {
                thread::sleep(Duration::from_micros(after));
                flag.store(true, Ordering::Relaxed);
            });
            Limits {
                deadline: None,
                stop: Some(stop),
                conflicts: None,
            }
        }
        _ => some_effort(),
    }
}

/// Enough for all but the hardest. Conflicts are counted, not timed: the same are given up on every machine.
fn some_effort() -> Limits {
    Limits {
        deadline: None,
        stop: None,
        conflicts: Some(5_000),
    }
}

/// What a solver says that knows no facts, no components, no sets of values and nothing of before.
fn afresh(terms: &mut Terms, formulas: &[Term]) -> Verdict {
    let mut solver = Native::with_tuning(Tuning {
        slices: false,
        values: false,
        enumerate: false,
        ..Tuning::default()
    });
    // Above the base level nothing is a fact.
    solver.push();
    for &formula in formulas {
        solver.assert(terms, formula);
    }
    solver
        .check(terms, &Query::new(&[], &some_effort()))
        .verdict()
}

#[derive(Default, Debug)]
struct Tally {
    sat: usize,
    unsat: usize,
    stopped: usize,
    given_up: usize,
}

struct Run {
    world: World,
    solver: Native,
    /// How many a check is asked for.
    partial_solutions: usize,
    hidden: Assignment,
    stack: Vec<Vec<Term>>,
    /// Everything asserted or assumed so far.
    history: Vec<Term>,
    tally: Tally,
    context: String,
}

impl Run {
    fn asserted(&self) -> Vec<Term> {
        self.stack.concat()
    }

    fn step(&mut self) {
        match self.world.random.below(14) {
            0 | 1 => {
                for _ in 0..=self.world.random.below(2) {
                    self.solver.push();
                    self.stack.push(Vec::new());
                }
            }
            2 if self.stack.len() > 1 => {
                let levels = 1 + self.world.random.below(self.stack.len() - 1);
                self.solver.pop(levels);
                self.stack.truncate(self.stack.len() - levels);
            }
            3 if self.world.random.one_in(12) => {
                self.solver.reset();
                self.stack = vec![Vec::new()];
                self.hidden = self.world.assignment();
                self.history.clear();
            }
            3..=5 if self.stack.len() == 1 => self.define(),
            3..=8 => {
                let formula = self.formula();
                self.assert(formula);
            }
            _ => {
                let mut assumptions: Vec<Term> = (0..self.world.random.below(4))
                    .map(|_| self.formula())
                    .collect();
                // What is asserted may be assumed too.
                if self.world.random.one_in(4) {
                    assumptions.extend(self.asserted().first());
                }
                // A check that was stopped must not spoil the one after it.
                let limits = limits(&mut self.world.random);
                if !self.check(&assumptions, &limits) {
                    self.check(&assumptions, &some_effort());
                }
            }
        }
    }

    /// A formula that the hidden assignment mostly satisfies, or an old one again: at another level, after others
    /// came and went.
    fn formula(&mut self) -> Term {
        if !self.history.is_empty() && self.world.random.one_in(3) {
            return self.world.random.pick(&self.history);
        }
        let depth = 1 + self.world.random.below(4);
        let mut formula = self.world.truth(depth);
        let holds = self.world.all_hold(&self.hidden, &[formula]);
        if !holds && self.world.random.below(6) > 0 {
            formula = self.world.terms.not(formula);
        }
        self.history.push(formula);
        formula
    }

    fn assert(&mut self, formula: Term) {
        self.solver.assert(&mut self.world.terms, formula);
        let top = self.stack.last_mut().expect("a base level");
        top.push(formula);
    }

    /// Asserts a definition, if the hidden assignment can be made to satisfy it.
    fn define(&mut self) {
        let (equation, after) = self.world.definition(&self.hidden);
        let mut all = self.asserted();
        all.push(equation);
        if self.world.all_hold(&after, &all) {
            self.hidden = after;
            self.assert(equation);
        }
    }

    /// Checks, and checks the answer. Returns whether there was one.
    fn check(&mut self, assumptions: &[Term], limits: &Limits) -> bool {
        let context = &self.context;
        let terms = &mut self.world.terms;
        let query = Query::new(assumptions, limits).with_core();
        let query = query.with_partial_solutions(self.partial_solutions);
        let outcome = self.solver.check(terms, &query);
        let mut all = self.stack.concat();
        let asserted = all.len();
        all.extend_from_slice(assumptions);
        let decided = match outcome.result {
            CheckResult::Sat(model) => {
                self.tally.sat += 1;
                let mut evaluator = Evaluator::new();
                for &formula in &all {
                    assert!(
                        evaluator.bool(terms, &model, formula),
                        "false model: {context}"
                    );
                }
                true
            }
            CheckResult::Unsat(conflict) => {
                self.tally.unsat += 1;
                let core = conflict.core;
                assert!(
                    core.iter().all(|term| assumptions.contains(term)),
                    "foreign core: {context}"
                );
                all.truncate(asserted);
                all.extend(core);
                let again = afresh(terms, &all);
                assert_ne!(again, Verdict::Sat, "false unsat or false core: {context}");
                assert!(
                    !self.world.all_hold(&self.hidden, &all),
                    "false unsat or false core: {context}"
                );
                true
            }
            CheckResult::Unknown(Reason::Timeout | Reason::Interrupted | Reason::Conflicts) => {
                self.tally.stopped += 1;
                false
            }
            CheckResult::Unknown(Reason::Incomplete(_)) => {
                self.tally.given_up += 1;
                true
            }
            CheckResult::Unknown(reason) => panic!("{reason}: {context}"),
        };
        for partial in outcome.partial_solutions {
            for (var, _) in partial.assignment(&self.world.terms).iter() {
                let name = &*self.world.terms.var_decl(var).name;
                assert!(
                    !name.starts_with('\\'),
                    "{name} is no input: {}",
                    self.context
                );
            }
        }
        decided
    }
}

fn tunings() -> [Tuning; 5] {
    let default = Tuning::default();
    [
        default,
        Tuning {
            epoch_slack: 0,
            ..default
        },
        Tuning {
            values: false,
            enumerate: false,
            ..default
        },
        Tuning {
            slices: false,
            ..default
        },
        Tuning {
            table_lemmas: 0,
            ..default
        },
    ]
}

#[test]
fn agrees_with_itself() {
    let mut tally = Tally::default();
    for seed in 1..=seeds() {
        for tuning in tunings() {
            let mut world = World::new(seed);
            let hidden = world.assignment();
            let solver = Native::with_tuning(tuning);
            let mut run = Run {
                world,
                solver,
                partial_solutions: if seed % 2 == 0 { 5 } else { 0 },
                hidden,
                stack: vec![Vec::new()],
                history: Vec::new(),
                tally: std::mem::take(&mut tally),
                context: String::new(),
            };
            for round in 0..60 {
                run.context = format!("seed {seed}, round {round}, {tuning:?}");
                run.step();
            }
            tally = run.tally;
        }
    }
    println!("{tally:?}");
    assert!(tally.sat > 5 && tally.unsat > 0, "{tally:?}");
}

/// How many stacks to try; `SEEDS=n` sets another number.
fn seeds() -> u64 {
    refrain_testing::count("SEEDS", 100, 2000)
}
