//! Work that moves: to another worker, or out of memory and back. What is pending is given by its decisions and is
//! executed again there.

use std::sync::Arc;

use refrain_term::{Evaluator, Term, Terms};

use crate::arithmetic::Arithmetic;
use crate::branching::Answers;
use crate::explorer::Explorer;
use crate::listener::Listener;
use crate::machine::{Ask, Machine, Stop};
use crate::options::Numbers;
use crate::pending::{Pending, Portable};
use crate::search::Id;
use crate::trail::{Decision, Trail};
use crate::tree::Tree;

/// How much is given away at once, at most.
const MOST_GIVEN: usize = 512;

impl<M: Machine, L: Listener<M>> Explorer<'_, M, L> {
    /// Gives some of what is pending to those who wait: what has the fewest branches behind it has the most before it.
    pub(crate) fn share(&mut self) {
        if let Some(work) = self.aside.pop() {
            return self.give(vec![work]);
        }
        let mut ids = self.pending.ids();
        if ids.len() < 2 {
            return;
        }
        ids.sort_by_key(|&id| (self.pending.get(id).trail.branches(), id));
        let count = (ids.len() / 2).min(MOST_GIVEN);
        // Every other one: both sides keep some of the large.
        let given: Vec<Id> = ids.into_iter().step_by(2).take(count).collect();
        let mut work = Vec::new();
        for id in given {
            let pending = self.remove(id);
            self.cut(pending.node);
            work.push(pending.portable(&self.terms, &self.arithmetic));
        }
        self.give(work);
    }

    fn give(&mut self, work: Vec<Portable>) {
        if let Err(refused) = self.hub.give(work) {
            self.aside.extend(refused);
        }
    }

    /// Takes over what somebody else gave away.
    pub(crate) fn take_work(&mut self, work: Portable) {
        self.stats.executed_again += 1;
        let (state, trail) = match self.execute_again(&work.decisions) {
            Ok(found) => found,
            Err(why) => return self.give_up(why),
        };
        let mut pending = Pending {
            state: Some(state),
            trail,
            next: None,
            input: Arc::default(),
            is_feasible: work.is_feasible,
            node: None,
            ran: Vec::new(),
            is_new: work.is_new,
        };
        pending.next = match work.next {
            None => None,
            Some(decision) => match self.condition_at(&mut pending, decision) {
                Ok(condition) => Some((decision, condition)),
                Err(why) => return self.give_up(why),
            },
        };
        let input = self.arithmetic.of_bytes(&mut self.terms, &work.input);
        pending.input = Arc::new(input);
        pending.node = Some(self.tree.add_root());
        self.add(pending);
    }

    /// What a decision says at the question that a state has come to.
    fn condition_at(
        &mut self,
        pending: &mut Pending<M::State>,
        decision: Decision,
    ) -> Result<Term, String> {
        let Some(state) = &mut pending.state else {
            return Err("a state that is not there".into());
        };
        let ask = self.next_question(state, &pending.trail)?;
        self.condition_of(&ask, decision)
    }

    fn condition_of(&mut self, ask: &Ask, decision: Decision) -> Result<Term, String> {
        let differs = || "a path that was followed again has another question".to_string();
        match (ask, decision) {
            (Ask::Choose(conditions), Decision::Way(way)) => {
                let condition = conditions.get(way as usize).ok_or_else(differs)?;
                self.arithmetic.condition(&mut self.terms, *condition)
            }
            (Ask::Witness(_), Decision::Witness(_)) => Ok(Term::TRUE),
            (Ask::Fix(term), Decision::Fixed(value)) => {
                let [equal, _] = self.arithmetic.equals(&mut self.terms, *term, value)?;
                Ok(equal)
            }
            (Ask::Fix(term), Decision::Other(value)) => {
                let [_, other] = self.arithmetic.equals(&mut self.terms, *term, value)?;
                Ok(other)
            }
            _ => Err(differs()),
        }
    }

    /// Runs to a question that does not answer itself.
    fn next_question(&mut self, state: &mut M::State, trail: &Trail) -> Result<Ask, String> {
        loop {
            let ask = match self.machine.run(&mut self.terms, state, u64::MAX) {
                Stop::Ask(ask) => ask,
                Stop::OutOfFuel => continue,
                Stop::End(_) => {
                    return Err("a path that was followed again ended before it did".into());
                }
            };
            if !matches!(ask, Ask::Choose(_)) || self.options.numbers == Numbers::Integers {
                return Ok(ask);
            }
            match self.ways(trail, &Arc::default(), ask.clone())? {
                Answers::One(decision) => {
                    self.machine.answer(state, decision.answer().unwrap_or(0));
                }
                Answers::Several(_) => return Ok(ask),
            }
        }
    }

    /// The state at the end of a path that was explored before; at its next question, if it is known to have one.
    pub(crate) fn execute_again_to(
        &mut self,
        trail: &Trail,
        has_question: bool,
    ) -> Result<M::State, String> {
        self.stats.executed_again += 1;
        let (mut state, _) = self.execute_again(&trail.decisions())?;
        if has_question {
            self.next_question(&mut state, trail)?;
        }
        Ok(state)
    }

    /// Follows decisions from the root.
    fn execute_again(&mut self, decisions: &[Decision]) -> Result<(M::State, Trail), String> {
        let mut state = self.machine.fork(&mut self.root);
        let mut trail = Trail::default();
        for &decision in decisions {
            let ask = self.next_question(&mut state, &trail)?;
            let condition = self.condition_of(&ask, decision)?;
            if let Some(answer) = decision.answer() {
                self.machine.answer(&mut state, answer);
            }
            trail = trail.with(decision, condition);
        }
        Ok((state, trail))
    }

    /// Forgets all terms, with everything that is made of them. What is pending is only known by its decisions then.
    pub(crate) fn start_anew(&mut self) {
        self.take_hard_back();
        for id in self.pending.ids() {
            let pending = self.remove(id);
            self.aside
                .push(pending.portable(&self.terms, &self.arithmetic));
        }
        self.ready.clear();
        self.tree = Tree::new();
        self.searcher = self.options.search.searcher(self.options.seed);
        self.before_reset = self.effort();
        self.questions.replace_solver((self.make_solver)());
        self.arithmetic = Arithmetic::new(self.options.numbers, self.hub.settled());
        self.evaluator = Evaluator::new();
        self.evaluated = Arc::default();
        // The old root has terms that mean something else from here on.
        self.terms = Terms::new();
        self.root = (self.begin)(self.machine, &mut self.terms);
        self.terms_at_start = self.terms.len();
        self.stats.starts_anew += 1;
        self.anew_in_vain += 1;
        self.wants_anew = false;
    }
}
