//! What tests of whole sessions share: random questions about few symbols, a chain whose every answer is held against
//! a solver that is asked anew, and a folder for a store.
#![allow(dead_code)]

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use refrain_reuse::{Chain, Layers, lasting};
use refrain_solver::native::Native;
use refrain_solver::{CheckResult, Conflict, Limits, Outcome, Query, Solver, Verdict};
use refrain_store::{Options, Store};
use refrain_term::{FuncId, Rational, Sort, Term, Terms, Value, eval, print};
pub use refrain_testing::Random;

/// A folder that goes away with the test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("reuse-{}-{next}", std::process::id());
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).expect("a folder for the test");
        Folder(path)
    }

    pub fn store(&self) -> Store {
        self.open(&Options::new(lasting::validity()))
    }

    pub fn open(&self, options: &Options) -> Store {
        Store::open(&self.0.join("store"), options).expect("a store can be begun")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const BYTES: [&str; 3] = ["b0", "b1", "b2"];
const WORDS: [&str; 3] = ["w0", "w1", "w2"];
const WIDE: [&str; 2] = ["v0", "v1"];
const INTS: [&str; 3] = ["i0", "i1", "i2"];
const REALS: [&str; 2] = ["r0", "r1"];
const BOOLS: [&str; 2] = ["p0", "p1"];

pub const TABLE: Sort = Sort::Array {
    index: 8,
    element: 8,
};
pub const WIDE_TABLE: Sort = Sort::Array {
    index: 8,
    element: 72,
};

/// What atoms are made of.
pub struct World {
    pub bytes: Vec<Term>,
    pub words: Vec<Term>,
    pub wide: Vec<Term>,
    pub ints: Vec<Term>,
    pub reals: Vec<Term>,
    pub bools: Vec<Term>,
    pub tables: Vec<Term>,
    pub wide_table: Term,
    pub func: FuncId,
}

/// What symbols are called and in which order they are declared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    Own,
    /// Other names, in another order.
    Other,
}

impl World {
    pub fn new(terms: &mut Terms, naming: Naming) -> World {
        let named = |name: &str| match naming {
            Naming::Own => name.to_owned(),
            // The order of names is another one too.
            Naming::Other => format!("{}_of_{name}", name.chars().rev().collect::<String>()),
        };
        if naming == Naming::Other {
            for (names, sort) in [
                (&BOOLS[..], Sort::Bool),
                (&REALS, Sort::Real),
                (&WORDS, Sort::BitVec(16)),
                (&INTS, Sort::Int),
                (&["a1", "a0"], TABLE),
                (&WIDE, Sort::BitVec(70)),
                (&BYTES, Sort::BitVec(8)),
            ] {
                for name in names.iter().rev() {
                    terms.var(&named(name), sort);
                }
            }
        }
        let mut all = |names: &[&str], sort| {
            let names = names.iter();
            names.map(|name| terms.var(&named(name), sort)).collect()
        };
        World {
            bytes: all(&BYTES, Sort::BitVec(8)),
            words: all(&WORDS, Sort::BitVec(16)),
            wide: all(&WIDE, Sort::BitVec(70)),
            ints: all(&INTS, Sort::Int),
            reals: all(&REALS, Sort::Real),
            bools: all(&BOOLS, Sort::Bool),
            tables: all(&["a0", "a1"], TABLE),
            wide_table: terms.var(&named("aw"), WIDE_TABLE),
            func: terms.func(&named("f"), &[Sort::BitVec(8)], Sort::BitVec(8)),
        }
    }

    fn compared(random: &mut Random, terms: &mut Terms, a: Term, b: Term) -> Term {
        match random.below(4) {
            0 => terms.eq(a, b),
            1 => terms.bv_slt(a, b),
            2 => terms.bv_ult(b, a),
            _ => terms.bv_ult(a, b),
        }
    }

    fn cell(&self, random: &mut Random, terms: &mut Terms) -> Term {
        let array = random.pick(&self.tables);
        let index = match random.below(6) {
            0 => random.pick(&self.bytes),
            _ => terms.bv(8, random.below(3)),
        };
        terms.select(array, index)
    }

    fn byte(&self, random: &mut Random, terms: &mut Terms) -> Term {
        match random.below(6) {
            0 | 1 => self.cell(random, terms),
            2 => {
                let argument = random.pick(&self.bytes);
                terms.apply(self.func, &[argument])
            }
            _ => random.pick(&self.bytes),
        }
    }

    fn plain(&self, random: &mut Random, terms: &mut Terms) -> Term {
        match random.below(12) {
            0..=2 => {
                let a = self.byte(random, terms);
                let b = match random.below(3) {
                    0 => self.byte(random, terms),
                    _ => terms.bv(8, random.below(4) * 50),
                };
                Self::compared(random, terms, a, b)
            }
            3 | 4 => {
                let (a, b) = (random.pick(&self.words), random.pick(&self.words));
                let a = match random.below(3) {
                    0 => terms.bv_add(a, b),
                    1 => terms.bv_mul(a, b),
                    _ => a,
                };
                let bound = terms.bv(16, random.below(4) * 50);
                Self::compared(random, terms, a, bound)
            }
            5 => {
                let (a, b) = (random.pick(&self.wide), random.pick(&self.wide));
                let bound = terms.bv(70, random.below(3) * 9);
                let b = if random.below(2) == 0 { b } else { bound };
                Self::compared(random, terms, a, b)
            }
            6 => {
                let index = terms.bv(8, random.below(2));
                let a = terms.select(self.wide_table, index);
                let bound = terms.bv(72, random.below(3) * 9);
                Self::compared(random, terms, a, bound)
            }
            7 | 8 => {
                let (a, b) = (random.pick(&self.ints), random.pick(&self.ints));
                let bound = terms.int(random.below(5) as i64 - 2);
                Self::numbers(random, terms, a, b, bound)
            }
            9 => {
                let (a, b) = (random.pick(&self.reals), random.pick(&self.reals));
                let bound = Rational::new(random.below(5) as i64 - 2, 3);
                let bound = terms.number(Sort::Real, bound);
                Self::numbers(random, terms, a, b, bound)
            }
            10 => random.pick(&self.bools),
            _ => {
                let (a, b) = (self.tables[0], self.tables[1]);
                let index = random.pick(&self.bytes);
                let value = terms.bv(8, random.below(3));
                let written = terms.store(a, index, value);
                match random.below(3) {
                    0 => terms.eq(written, b),
                    1 => {
                        let read = terms.select(written, self.bytes[0]);
                        terms.bv_ult(read, self.bytes[1])
                    }
                    _ => {
                        let read = terms.select(b, index);
                        terms.eq(read, value)
                    }
                }
            }
        }
    }

    fn numbers(random: &mut Random, terms: &mut Terms, a: Term, b: Term, bound: Term) -> Term {
        let sum = match random.below(3) {
            0 => a,
            1 => terms.sub(a, b),
            _ => terms.add(a, b),
        };
        match random.below(3) {
            0 => terms.eq(sum, bound),
            1 => terms.le(sum, bound),
            _ => terms.lt(bound, sum),
        }
    }

    /// A formula from few symbols and constants.
    pub fn formula(&self, random: &mut Random, terms: &mut Terms) -> Term {
        let first = self.plain(random, terms);
        let formula = match random.below(8) {
            0 => {
                let second = self.plain(random, terms);
                terms.or2(first, second)
            }
            1 => {
                let second = self.plain(random, terms);
                terms.and2(first, second)
            }
            _ => first,
        };
        match random.below(2) {
            0 => terms.not(formula),
            _ => formula,
        }
    }

    /// An equation that defines something, if it comes before everything else about it; now and then with something
    /// else in the same assertion.
    pub fn definition(&self, random: &mut Random, terms: &mut Terms) -> Term {
        let equation = self.equation(random, terms);
        match random.below(4) {
            0 => {
                let formula = self.formula(random, terms);
                terms.and2(equation, formula)
            }
            _ => equation,
        }
    }

    fn equation(&self, random: &mut Random, terms: &mut Terms) -> Term {
        match random.below(7) {
            0 => {
                let cell = {
                    let index = terms.bv(8, random.below(3));
                    terms.select(random.pick(&self.tables), index)
                };
                let value = terms.bv(8, random.below(4) * 50);
                terms.eq(cell, value)
            }
            1 => {
                let (a, b) = (random.pick(&self.words), random.pick(&self.words));
                let one = terms.bv(16, 1 + random.below(3));
                let next = terms.bv_add(b, one);
                terms.eq(a, next)
            }
            2 => {
                let (a, b) = (random.pick(&self.ints), random.pick(&self.ints));
                let c = random.pick(&self.ints);
                let sum = terms.add(b, c);
                terms.eq(a, sum)
            }
            3 => random.pick(&self.bools),
            4 => {
                let read = self.byte(random, terms);
                let byte = random.pick(&self.bytes);
                terms.eq(byte, read)
            }
            5 => {
                let value = terms.bv(8, random.below(3));
                let written = terms.store(self.tables[0], self.bytes[0], value);
                terms.eq(self.tables[1], written)
            }
            _ => {
                let byte = random.pick(&self.bytes);
                let value = terms.bv(8, random.below(4) * 50);
                terms.eq(byte, value)
            }
        }
    }
}

/// The answer of a solver that has seen nothing yet.
pub fn fresh(terms: &mut Terms, formulas: &[Term]) -> Verdict {
    let mut solver = Native::new();
    for &formula in formulas {
        solver.assert(terms, formula);
    }
    solver
        .check(terms, &Query::new(&[], &Limits::default()))
        .verdict()
}

/// A chain, and what has been asserted.
pub struct Session {
    pub terms: Terms,
    pub chain: Chain,
    pub asserted: Vec<Term>,
    levels: Vec<usize>,
    /// What the session is, for those who read of a failure.
    pub name: String,
}

impl Session {
    pub fn new(name: &str, layers: Layers, store: Option<&Store>) -> Session {
        Session::before(name, Box::new(Native::new()), layers, store)
    }

    pub fn before(
        name: &str,
        solver: Box<dyn Solver>,
        layers: Layers,
        store: Option<&Store>,
    ) -> Session {
        let mut chain = Chain::new(solver, layers);
        chain.keep_in(store.cloned());
        Session {
            terms: Terms::new(),
            chain,
            asserted: Vec::new(),
            levels: Vec::new(),
            name: name.to_owned(),
        }
    }

    pub fn assert(&mut self, formula: Term) {
        self.chain.assert(&mut self.terms, formula);
        self.asserted.push(formula);
    }

    pub fn push(&mut self) {
        self.chain.push();
        self.levels.push(self.asserted.len());
    }

    pub fn pop(&mut self) {
        self.chain.pop(1);
        self.asserted.truncate(self.levels.pop().expect("a level"));
    }

    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    pub fn reset(&mut self) {
        self.chain.reset();
        self.asserted.clear();
        self.levels.clear();
    }

    pub fn solver_calls(&self) -> u64 {
        self.chain.chain_stats().solver.checks
    }

    pub fn store_hits(&self) -> u64 {
        self.chain.chain_stats().store_hits
    }

    /// Asks, and holds the answer and all that comes with it against a solver that has seen nothing.
    pub fn check(&mut self, assumptions: &[Term]) -> Verdict {
        self.outcome(assumptions).verdict()
    }

    pub fn outcome(&mut self, assumptions: &[Term]) -> Outcome {
        let limits = Limits::default();
        let query = Query::new(assumptions, &limits).with_core();
        let outcome = self.chain.check(&mut self.terms, &query);
        self.judge(assumptions, &outcome);
        outcome
    }

    /// Holds an answer against a solver that has seen nothing.
    pub fn judge(&mut self, assumptions: &[Term], outcome: &Outcome) {
        let mut all = self.asserted.clone();
        all.extend(assumptions);
        let right = fresh(&mut self.terms, &all);
        assert_eq!(outcome.verdict(), right, "{}", self.told(&all));
        match &outcome.result {
            CheckResult::Sat(model) => {
                for &formula in &all {
                    let holds = eval(&self.terms, formula, model) == Value::Bool(true);
                    let formula = print(&self.terms, formula);
                    assert!(holds, "{formula} in the model of {}", self.told(&all));
                }
            }
            CheckResult::Unsat(Conflict { core, formulas }) => {
                assert!(core.iter().all(|term| assumptions.contains(term)));
                let mut enough = self.asserted.clone();
                enough.extend(core);
                let core = fresh(&mut self.terms, &enough);
                assert_eq!(core, Verdict::Unsat, "the core of {}", self.told(&all));
                let conflict = formulas.as_ref().expect("a chain knows its sources");
                assert!(conflict.iter().all(|term| all.contains(term)));
                let by_itself = fresh(&mut self.terms, conflict);
                let said = self.told(conflict);
                let told = self.told(&all);
                assert_eq!(by_itself, Verdict::Unsat, "the conflict {said} of {told}");
            }
            CheckResult::Unknown(reason) => panic!("{reason}: {}", self.told(&all)),
        }
    }

    pub fn told(&self, formulas: &[Term]) -> String {
        let formulas = formulas.iter().map(|&term| print(&self.terms, term));
        let formulas: Vec<String> = formulas.collect();
        format!("{}: {}", self.name, formulas.join(" "))
    }
}

/// How a walk goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Gait {
    /// As a program is explored: one more atom a check.
    Steps,
    /// Several formulas of any form at once, assumptions, definitions at the base, and now and then a new beginning.
    Leaps,
}

/// A random walk. Which way it goes depends on the seed and the verdicts alone.
pub fn walk(
    session: &mut Session,
    world: &World,
    gait: Gait,
    seed: u64,
    checks: u32,
) -> Vec<Verdict> {
    let mut random = Random::new(seed);
    let mut verdicts = Vec::new();
    let name = std::mem::take(&mut session.name);
    for check in 0..checks {
        session.name = format!("{name}, seed {seed}, check {check}");
        let mut assumptions = Vec::new();
        match gait {
            Gait::Steps => step(session, world, &mut random),
            Gait::Leaps => assumptions = leap(session, world, &mut random),
        }
        let verdict = session.check(&assumptions);
        if verdict == Verdict::Unsat {
            match session.levels() {
                0 => session.reset(),
                _ => session.pop(),
            }
        }
        verdicts.push(verdict);
    }
    session.name = name;
    verdicts
}

pub fn step(session: &mut Session, world: &World, random: &mut Random) {
    while session.levels() > 0 && random.below(5) < 2 {
        session.pop();
    }
    session.push();
    let atom = world.plain(random, &mut session.terms);
    let atom = match random.below(2) {
        0 => session.terms.not(atom),
        _ => atom,
    };
    session.assert(atom);
}

pub fn leap(session: &mut Session, world: &World, random: &mut Random) -> Vec<Term> {
    if session.asserted.is_empty() || random.below(25) == 0 {
        session.reset();
        for _ in 0..random.below(4) {
            let definition = world.definition(random, &mut session.terms);
            session.assert(definition);
        }
    }
    while session.levels() > 0 && random.below(5) < 2 {
        session.pop();
    }
    if session.levels() > 0 || random.below(8) != 0 {
        session.push();
    }
    for _ in 0..=random.below(2) {
        let formula = world.formula(random, &mut session.terms);
        session.assert(formula);
    }
    let count = random.below(3);
    (0..count)
        .map(|_| world.formula(random, &mut session.terms))
        .collect()
}
