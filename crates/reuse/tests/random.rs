//! Random paths from few symbols and constants, so that answers really are reused: every preset against a solver that
//! is asked each question anew.

use refrain_reuse::{AnsweredBy, Chain, Layers, PRESETS};
use refrain_solver::native::Native;
use refrain_solver::{CheckResult, Conflict, Limits, Query, Solver, Verdict};
use refrain_term::{Sort, Term, Terms, Value, eval};
use refrain_testing::Random;

/// What atoms are made of: bytes, words, integers, and cells of an array.
struct World {
    words: Vec<Term>,
    numbers: Vec<Term>,
    array: Term,
}

impl World {
    fn new(terms: &mut Terms) -> World {
        let mut words = Vec::new();
        for (name, width) in [("b0", 8), ("b1", 8), ("w0", 16), ("w1", 16)] {
            words.push(terms.var(name, Sort::BitVec(width)));
        }
        let array = Sort::Array {
            index: 8,
            element: 8,
        };
        World {
            words,
            numbers: ["i0", "i1", "i2"]
                .map(|name| terms.var(name, Sort::Int))
                .to_vec(),
            array: terms.var("a", array),
        }
    }

    fn atom(&self, random: &mut Random, terms: &mut Terms) -> Term {
        let atom = match random.below(6) {
            0 | 1 => {
                let x = self.numbers[random.below(3) as usize];
                let y = self.numbers[random.below(3) as usize];
                let sum = if random.below(2) == 0 {
                    x
                } else {
                    terms.add(x, y)
                };
                let bound = terms.int(random.below(5) as i64 - 2);
                match random.below(3) {
                    0 => terms.eq(sum, bound),
                    1 => terms.le(sum, bound),
                    _ => terms.ge(sum, bound),
                }
            }
            2 => {
                let index = terms.bv(8, random.below(3));
                let index = if random.below(5) == 0 {
                    self.words[0]
                } else {
                    index
                };
                let cell = terms.select(self.array, index);
                let bound = terms.bv(8, random.below(4) * 60);
                terms.bv_ult(cell, bound)
            }
            _ => {
                let x = self.words[random.below(4) as usize];
                let width = terms.width(x);
                let bound = terms.bv(width, random.below(4) * 50);
                match random.below(4) {
                    0 => terms.eq(x, bound),
                    1 => terms.bv_slt(x, bound),
                    2 => {
                        let others = self.words.iter().copied();
                        let same: Vec<Term> = others.filter(|&y| terms.width(y) == width).collect();
                        let y = same[random.below(same.len() as u64) as usize];
                        terms.bv_ult(x, y)
                    }
                    _ => terms.bv_ult(x, bound),
                }
            }
        };
        if random.below(2) == 0 {
            terms.not(atom)
        } else {
            atom
        }
    }
}

/// The answer of a solver that has seen nothing yet.
fn fresh(terms: &mut Terms, formulas: &[Term]) -> Verdict {
    let mut solver = Native::new();
    for &formula in formulas {
        solver.assert(terms, formula);
    }
    solver
        .check(terms, &Query::new(&[], &Limits::default()))
        .verdict()
}

/// One random walk; returns how many of its answers came from where.
fn walk(preset: &str, layers: Layers, seed: u64, checks: u32) -> Chain {
    let mut random = Random::new(seed);
    let mut terms = Terms::new();
    let world = World::new(&mut terms);
    let mut chain = Chain::new(Box::new(Native::new()), layers);
    let mut stack: Vec<Term> = Vec::new();
    let mut levels: Vec<usize> = Vec::new();
    for check in 0..checks {
        while levels.len() > 1 && random.below(5) < 2 {
            stack.truncate(levels.pop().expect("a level"));
            chain.pop(1);
        }
        chain.push();
        levels.push(stack.len());
        for _ in 0..=random.below(2) {
            let atom = world.atom(&mut random, &mut terms);
            chain.assert(&mut terms, atom);
            stack.push(atom);
        }
        let assumptions: Vec<Term> = (0..random.below(3))
            .map(|_| world.atom(&mut random, &mut terms))
            .collect();
        let mut all = stack.clone();
        all.extend(&assumptions);
        let limits = Limits::default();
        let outcome = chain.check(&mut terms, &Query::new(&assumptions, &limits).with_core());
        assert_eq!(
            outcome.verdict(),
            fresh(&mut terms, &all),
            "{preset}, seed {seed}, check {check}"
        );
        match outcome.result {
            CheckResult::Sat(model) => {
                for &formula in &all {
                    let holds = eval(&terms, formula, &model);
                    assert_eq!(holds, Value::Bool(true), "{preset}, seed {seed}");
                }
            }
            CheckResult::Unsat(Conflict { core, formulas }) => {
                assert!(core.iter().all(|term| assumptions.contains(term)));
                let mut enough = stack.clone();
                enough.extend(core);
                assert_eq!(fresh(&mut terms, &enough), Verdict::Unsat, "{preset}");
                let conflict = formulas.expect("a chain knows its sources");
                assert!(conflict.iter().all(|term| all.contains(term)));
                assert_eq!(fresh(&mut terms, &conflict), Verdict::Unsat, "{preset}");
                // A path that cannot be is left.
                stack.truncate(levels.pop().expect("a level"));
                chain.pop(1);
            }
            CheckResult::Unknown(reason) => panic!("{reason}"),
        }
    }
    chain
}

#[test]
fn every_preset_answers_as_a_fresh_solver_does() {
    for preset in PRESETS {
        for seed in 1..=refrain_testing::effort(12, 500) {
            let layers = Layers::preset(preset).expect("a preset");
            walk(preset, layers, seed, 60);
        }
    }
}

#[test]
fn every_layer_of_the_full_chain_is_hit() {
    let mut layers = Layers::preset("full").expect("a preset");
    layers.without("gates");
    let mut counts = [0; AnsweredBy::ALL.len()];
    for seed in 100..=130 {
        let chain = walk("full", layers.clone(), seed, 150);
        for (count, by) in counts.iter_mut().zip(AnsweredBy::ALL) {
            *count += chain.chain_stats().answered_by(by);
        }
    }
    for (count, by) in counts.iter().zip(AnsweredBy::ALL) {
        assert!(*count > 0 || by == AnsweredBy::Fold, "{by:?}: {counts:?}");
    }
}
