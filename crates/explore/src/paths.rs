//! All paths of a program, depth-first, on the solver's own stack: the plainest way to explore, and the yardstick for
//! others.

use refrain_solver::{Limits, Reason, Solver, Verdict};
use refrain_term::{Assignment, Evaluator, Sort, Term, Terms};

use crate::{Ask, Machine, Stop};

/// One path: what its inputs have in common, one of them, and how it ended.
pub struct Path<M: Machine> {
    pub conditions: Vec<Term>,
    /// Satisfies the conditions. What it leaves out is zero.
    pub input: Assignment,
    pub end: End<M::End>,
    /// As it was at the end.
    pub state: M::State,
}

/// How a path ended, or why it was left.
#[derive(Clone, Debug, PartialEq)]
pub enum End<E> {
    Machine(E),
    /// It ran for longer than a path may.
    OutOfFuel,
    /// The solver could not tell whether it goes on.
    Unknown(Reason),
}

/// What bounds an exploration.
#[derive(Clone, Debug)]
pub struct Bounds {
    pub paths: usize,
    pub instructions: u64,
    pub limits: Limits,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            paths: usize::MAX,
            instructions: u64::MAX,
            limits: Limits::default(),
        }
    }
}

/// A state that waits for its turn.
struct Pending<S> {
    state: S,
    conditions: Vec<Term>,
    input: Assignment,
}

/// Explores from `state` on; `visit` sees every path as it ends, and says whether to go on.
pub fn explore<M: Machine>(
    machine: &mut M,
    terms: &mut Terms,
    solver: &mut dyn Solver,
    state: M::State,
    bounds: &Bounds,
    mut visit: impl FnMut(&mut Terms, Path<M>) -> bool,
) {
    let mut pending = vec![Pending {
        state,
        conditions: Vec::new(),
        input: Assignment::new(),
    }];
    let mut left = bounds.paths;
    while let Some(mut work) = pending.pop() {
        let end = loop {
            match machine.run(terms, &mut work.state, bounds.instructions) {
                Stop::End(end) => break End::Machine(end),
                Stop::OutOfFuel => break End::OutOfFuel,
                Stop::Ask(ask) => {
                    match answer(machine, terms, solver, bounds, &mut work, ask, &mut pending) {
                        Ok(()) => {}
                        Err(reason) => break End::Unknown(reason),
                    }
                }
            }
        };
        let path = Path {
            conditions: work.conditions,
            input: work.input,
            end,
            state: work.state,
        };
        left -= 1;
        if !visit(terms, path) || left == 0 {
            return;
        }
    }
}

/// Answers a question by the state's own input, and keeps the other answers for later.
fn answer<M: Machine>(
    machine: &mut M,
    terms: &mut Terms,
    solver: &mut dyn Solver,
    bounds: &Bounds,
    work: &mut Pending<M::State>,
    ask: Ask,
    pending: &mut Vec<Pending<M::State>>,
) -> Result<(), Reason> {
    let mut evaluator = Evaluator::new();
    let (chosen, condition) = match ask {
        Ask::Witness(term) => {
            let value = number(&mut evaluator, terms, &work.input, term);
            machine.answer(&mut work.state, value);
            return Ok(());
        }
        Ask::Fix(term) => {
            let value = number(&mut evaluator, terms, &work.input, term);
            let condition = equals(terms, term, value);
            let others = terms.not(condition);
            if let Some(input) = feasible(terms, solver, bounds, &work.conditions, others)? {
                // The question is asked again there.
                let state = machine.fork(&mut work.state);
                let mut conditions = work.conditions.clone();
                conditions.push(others);
                pending.push(Pending {
                    state,
                    conditions,
                    input,
                });
            }
            (value, condition)
        }
        Ask::Choose(conditions) => {
            let chosen = conditions
                .iter()
                .position(|&condition| evaluator.bool(terms, &work.input, condition))
                .unwrap_or(0);
            // The last of the others is explored first.
            for (index, &condition) in conditions.iter().enumerate() {
                if index == chosen || condition == Term::FALSE {
                    continue;
                }
                if let Some(input) = feasible(terms, solver, bounds, &work.conditions, condition)? {
                    let mut state = machine.fork(&mut work.state);
                    machine.answer(&mut state, index as u64);
                    let mut conditions = work.conditions.clone();
                    conditions.push(condition);
                    pending.push(Pending {
                        state,
                        conditions,
                        input,
                    });
                }
            }
            (chosen as u64, conditions[chosen])
        }
    };
    machine.answer(&mut work.state, chosen);
    work.conditions.push(condition);
    Ok(())
}

fn number(evaluator: &mut Evaluator, terms: &Terms, input: &Assignment, term: Term) -> u64 {
    match terms.sort(term) {
        Sort::Bool => u64::from(evaluator.bool(terms, input, term)),
        _ => evaluator.small(terms, input, term),
    }
}

fn equals(terms: &mut Terms, term: Term, value: u64) -> Term {
    match terms.sort(term) {
        Sort::Bool if value == 1 => term,
        Sort::Bool => terms.not(term),
        _ => {
            let value = terms.bv(terms.width(term), value);
            terms.eq(term, value)
        }
    }
}

/// An input on which the conditions and one more hold, if there is one.
fn feasible(
    terms: &mut Terms,
    solver: &mut dyn Solver,
    bounds: &Bounds,
    conditions: &[Term],
    more: Term,
) -> Result<Option<Assignment>, Reason> {
    let mut all = conditions.to_vec();
    all.push(more);
    match solver.check(terms, &all, &bounds.limits) {
        Verdict::Sat => Ok(Some(solver.model(terms))),
        Verdict::Unsat => Ok(None),
        Verdict::Unknown(reason) => Err(reason),
    }
}
