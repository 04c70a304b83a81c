//! One solve, many paths: what a solver went through while it looked for an input are inputs too (MuSE, algorithm 1),
//! and may lead to what is pending.

use std::sync::Arc;

use refrain_term::Assignment;

use crate::explorer::Explorer;
use crate::listener::{Decided, How, Listener};
use crate::machine::Machine;
use crate::search::Id;

impl<M: Machine, L: Listener<M>> Explorer<'_, M, L> {
    /// Inputs that the solver went through while it looked for another may lead to what is pending: then nothing has
    /// to be asked there.
    ///
    /// They say nothing of what the question was not about; there `base` is as good as anything.
    pub(crate) fn try_partial_solutions(&mut self, base: &Assignment) {
        let Some(mut allowance) = self.asked_for.take() else {
            return;
        };
        let found = self.questions.partial_solutions(&mut self.terms);
        if !found.is_empty() {
            let mut useful = None;
            for (index, partial) in found.into_iter().enumerate() {
                self.stats.tried_partial_solutions += 1;
                if self.try_as_input(base, &partial) {
                    useful = Some(index);
                }
            }
            allowance.note(useful);
        }
        self.asked_for = Some(allowance);
    }

    /// Whether an input leads to something pending that nobody knew an input for.
    fn try_as_input(&mut self, base: &Assignment, partial: &Assignment) -> bool {
        let mut input = base.clone();
        for (var, value) in partial.iter() {
            input.set(var, value.clone());
        }
        if !self.arithmetic.is_input(&self.terms, &input) {
            return false;
        }
        self.evaluator.forget();
        self.evaluated = Arc::new(Assignment::new());
        let Some(id) = self.tree.follow(&self.terms, &mut self.evaluator, &input) else {
            self.evaluator.forget();
            return false;
        };
        self.evaluator.forget();
        let input = Arc::new(input);
        if self.pending.get(id).is_feasible || !self.leads_to(&input, id) {
            return false;
        }
        let pending = self.pending.get_mut(id);
        pending.is_feasible = true;
        pending.input = input;
        let place = pending.trail.id();
        self.stats.by_partial_solution += 1;
        if let Some((decision, _)) = pending.next {
            self.listener.decided(&Decided {
                place,
                decision,
                how: &How::PartialSolution,
            });
        }
        self.ready.push_back(id);
        true
    }

    /// Whether an input satisfies everything on the way to something pending.
    fn leads_to(&mut self, input: &Arc<Assignment>, id: Id) -> bool {
        self.evaluate_under(input);
        let pending = self.pending.get(id);
        let own = pending.next.map(|(_, condition)| condition);
        let mut conditions = own.into_iter().chain(pending.trail.conditions_backwards());
        conditions.all(|condition| self.evaluator.bool(&self.terms, input, condition))
    }
}
