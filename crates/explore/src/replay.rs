//! Executing a path again from its decisions: for work from another worker, for states that were evicted, and after all
//! terms were forgotten.

use std::cmp::Reverse;

use refrain_machine::{Answer, Ask, Machine, Stop};
use refrain_term::{Assignment, Term};
use rustc_hash::FxHashSet;

use crate::error::Divergence;
use crate::explorer::{Explorer, Seeds};
use crate::frontier::{Id, Pending, SurplusInput, WorkItem};
use crate::listener::Listener;
use crate::ran::Ran;
use crate::trail::{Decision, Trail};

/// How much is given to other workers at once, at most.
const MOST_GIVEN: usize = 512;

impl<M: Machine, L: Listener<M>> Explorer<'_, M, L> {
    /// Gives some of what is pending to workers that have nothing: what has the fewest branches behind it has the most
    /// before it.
    pub(crate) fn share(&mut self) {
        if let Some(work) = self.frontier.pop_evicted() {
            return self.give(vec![work]);
        }
        // What is given away is not in the tree any more.
        self.lead_surplus_on();
        let mut ids = self.frontier.ids();
        if ids.len() < 2 {
            return;
        }
        // What earlier runs have seen of a subtree says how large it is; else what is near the root is.
        ids.sort_by_cached_key(|&id| {
            let pending = self.frontier.get(id);
            let known = self.memory.as_ref().map(|memory| memory.size(pending.edge));
            (Reverse(known), pending.trail.branches(), id)
        });
        let count = (ids.len() / 2).min(MOST_GIVEN);
        // Every other one: both sides keep some of the large.
        let given: Vec<Id> = ids.into_iter().step_by(2).take(count).collect();
        let mut work = Vec::new();
        for id in given {
            work.push(self.work_item(self.frontier.get(id)));
            self.frontier.take(id);
        }
        self.give(work);
    }

    fn give(&mut self, work: Vec<WorkItem>) {
        if let Err(refused) = self.hub.give(work) {
            self.frontier.add_evicted(refused);
        }
    }

    fn work_item(&self, pending: &Pending<M::State>) -> WorkItem {
        let surplus = self.frontier.surplus(pending.node).iter();
        WorkItem {
            decisions: pending.trail.decisions(),
            next: pending.next.as_ref().map(|(decision, _)| decision.clone()),
            edge: pending.edge,
            input: self.values(&pending.input),
            is_feasible: pending.is_feasible,
            surplus: surplus
                .map(|surplus| (surplus.number, self.values(&surplus.input())))
                .collect(),
            is_new: pending.is_new,
        }
    }

    /// Takes over work of another worker, or from before a restart.
    pub(crate) fn take_over(&mut self, work: WorkItem) -> Result<(), Divergence> {
        self.stats.executed_again += 1;
        let (mut state, trail) = self.execute_again(&work.decisions)?;
        let next = match work.next {
            None => None,
            Some(decision) => {
                let ask = self.next_question(&mut state)?;
                let condition = self.condition_of(&ask, &decision)?;
                Some((decision, condition))
            }
        };
        let mut ran = Ran::default();
        ran.add(self.machine.take_ran());
        let node = self.frontier.add_root();
        for (number, values) in work.surplus {
            let input = self.asker.input(self.machine.inputs_mut(), &values);
            let surplus = SurplusInput::new(&input, Assignment::new(), number);
            self.frontier.keep(node, surplus);
        }
        let pending = Pending {
            state: Some(state),
            trail,
            next,
            input: self.asker.input(self.machine.inputs_mut(), &work.input),
            is_feasible: work.is_feasible,
            node: Some(node),
            edge: work.edge,
            ran,
            is_new: work.is_new,
        };
        self.frontier.add(self.machine, pending);
        Ok(())
    }

    /// The state of an evicted one: at its next question, if it has one.
    pub(crate) fn state_of(&mut self, pending: &Pending<M::State>) -> Result<M::State, Divergence> {
        self.stats.executed_again += 1;
        let (mut state, _) = self.execute_again(&pending.trail.decisions())?;
        if pending.next.is_some() {
            self.next_question(&mut state)?;
        }
        Ok(state)
    }

    /// Follows decisions from the root. With the state, its trail. The machine has the trace since the last question
    /// that was told.
    fn execute_again(&mut self, decisions: &[Decision]) -> Result<(M::State, Trail), Divergence> {
        let mut state = self.machine.fork(&mut self.root);
        let mut trail = Trail::default();
        self.machine.take_ran();
        let mut present = FxHashSet::default();
        for decision in decisions {
            let mut condition = match decision {
                Decision::Implied(choices) => {
                    for &choice in choices.iter() {
                        self.next_question(&mut state)?;
                        self.machine.answer(&mut state, &Answer::Choice(choice));
                    }
                    Term::TRUE
                }
                decision => {
                    let ask = self.next_question(&mut state)?;
                    self.machine.take_ran();
                    if let Some(answer) = decision.answer() {
                        self.machine.answer(&mut state, &answer);
                    }
                    self.condition_of(&ask, decision)?
                }
            };
            // A value that the path condition left alone added nothing to it.
            if !present.insert(condition) && matches!(decision, Decision::Fixed(_)) {
                condition = Term::TRUE;
            }
            trail = trail.with(decision.clone(), condition);
        }
        Ok((state, trail))
    }

    fn next_question(&mut self, state: &mut M::State) -> Result<Ask, Divergence> {
        loop {
            let stop = self.machine.run(&mut self.asker.terms, state, u64::MAX);
            match stop {
                Stop::Ask(ask) => return Ok(ask),
                Stop::OutOfFuel => {}
                Stop::End(_) => return Err(Divergence::Ended),
            }
        }
    }

    /// What a decision adds to the path condition.
    fn condition_of(&mut self, ask: &Ask, decision: &Decision) -> Result<Term, Divergence> {
        let inputs = self.machine.inputs();
        let condition = match (ask, decision) {
            (Ask::Choose(conditions), Decision::Choice(choice)) => {
                let condition = conditions.get(*choice as usize);
                let condition = *condition.ok_or(Divergence::OtherQuestion)?;
                self.asker.condition(inputs, condition)
            }
            (Ask::Assume(condition), Decision::Assumed(true)) => {
                self.asker.condition(inputs, *condition)
            }
            (Ask::Assume(_), Decision::Assumed(false))
            | (Ask::Witness(_), Decision::Witness(_)) => Ok(Term::TRUE),
            (Ask::Fix(term) | Ask::Sample(term), Decision::Fixed(value)) => {
                let equals = self.asker.equals(inputs, *term, value);
                equals.map(|[equal, _]| equal)
            }
            (Ask::Fix(term) | Ask::Sample(term), Decision::Other(value)) => {
                let equals = self.asker.equals(inputs, *term, value);
                equals.map(|[_, other]| other)
            }
            _ => return Err(Divergence::OtherQuestion),
        };
        condition.map_err(|_| Divergence::Inexpressible)
    }

    /// Forgets all terms, with everything that is made of them. What is pending is only known by its decisions then.
    pub(crate) fn restart(&mut self) {
        self.frontier.take_deferred_back(self.machine);
        for id in self.frontier.ids() {
            let pending = self.frontier.remove(id);
            let work = self.work_item(&pending);
            self.frontier.add_evicted([work]);
        }
        self.frontier
            .restart(self.options.search.searcher(self.options.seed));
        self.asker.restart((self.make_solver)());
        self.seeds = Seeds::default();
        self.root = self.machine.begin(&mut self.asker.terms);
        self.terms_at_start = self.asker.terms.len();
        self.stats.restarts += 1;
        self.budget.note_restart();
    }
}
