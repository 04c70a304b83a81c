//! All paths of a program, depth-first, on the solver's own stack: the plainest way to explore, and the yardstick for
//! others.

use std::sync::Arc;

use refrain_machine::{Answer, Ask, End, Machine, Stop};
use refrain_solver::{CheckResult, Limits, Query, Reason, Solver};
use refrain_term::{Assignment, Evaluator, Term, Terms};

/// One path: what its inputs have in common, one of them, and how it ended.
pub struct Path<M: Machine> {
    pub conditions: Vec<Term>,
    /// Satisfies the conditions. What it leaves out is zero.
    pub input: Arc<Assignment>,
    pub end: PathEnd,
    /// As it was at the end.
    pub state: M::State,
}

/// How a path ended, or why it was cut.
#[derive(Clone, Debug, PartialEq)]
pub enum PathEnd {
    Machine(End),
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
    input: Arc<Assignment>,
}

/// Explores from `state` on; `visit` sees every path as it ends, and says whether to go on.
pub fn explore<M: Machine>(
    machine: &mut M,
    terms: &mut Terms,
    solver: &mut dyn Solver,
    state: M::State,
    bounds: &Bounds,
    mut visit: impl FnMut(&M, &mut Terms, Path<M>) -> bool,
) {
    let mut pending = vec![Pending {
        state,
        conditions: Vec::new(),
        input: Arc::default(),
    }];
    let mut left = bounds.paths;
    while let Some(mut work) = pending.pop() {
        let end = loop {
            match machine.run(terms, &mut work.state, bounds.instructions) {
                Stop::End(end) => break PathEnd::Machine(end),
                Stop::OutOfFuel => break PathEnd::OutOfFuel,
                Stop::Ask(ask) => {
                    match answer(machine, terms, solver, bounds, &mut work, ask, &mut pending) {
                        Ok(()) => {}
                        Err(reason) => break PathEnd::Unknown(reason),
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
        if !visit(machine, terms, path) || left == 0 {
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
    let (answer, condition) = match ask {
        Ask::Witness(term) => {
            let value = evaluator.value(terms, &work.input, term);
            (Answer::Value(value), Term::TRUE)
        }
        Ask::Assume(condition) => {
            if evaluator.bool(terms, &work.input, condition) {
                (Answer::Choice(0), condition)
            } else {
                match feasible(terms, solver, bounds, &work.conditions, condition)? {
                    Some(input) => {
                        work.input = input;
                        (Answer::Choice(0), condition)
                    }
                    None => (Answer::Choice(1), Term::TRUE),
                }
            }
        }
        Ask::Fix(term) | Ask::Sample(term) => {
            let value = evaluator.value(terms, &work.input, term);
            let constant = terms.of_value(&value);
            let condition = terms.eq(term, constant);
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
            (Answer::Value(value), condition)
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
                    machine.answer(&mut state, &Answer::Choice(index as u32));
                    let mut conditions = work.conditions.clone();
                    conditions.push(condition);
                    pending.push(Pending {
                        state,
                        conditions,
                        input,
                    });
                }
            }
            (Answer::Choice(chosen as u32), conditions[chosen])
        }
    };
    machine.answer(&mut work.state, &answer);
    if condition != Term::TRUE {
        work.conditions.push(condition);
    }
    Ok(())
}

/// An input on which the conditions and one more hold, if there is one.
fn feasible(
    terms: &mut Terms,
    solver: &mut dyn Solver,
    bounds: &Bounds,
    conditions: &[Term],
    more: Term,
) -> Result<Option<Arc<Assignment>>, Reason> {
    let mut all = conditions.to_vec();
    all.push(more);
    match solver
        .check(terms, &Query::new(&all, &bounds.limits))
        .result
    {
        CheckResult::Sat(input) => Ok(Some(input)),
        CheckResult::Unsat(_) => Ok(None),
        CheckResult::Unknown(reason) => Err(reason),
    }
}
