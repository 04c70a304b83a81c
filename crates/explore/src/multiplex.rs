//! One solve, many paths: what a solver went through while it looked for an input are inputs too (MuSE, algorithm 1),
//! and may lead to pending states.

use std::sync::Arc;

use refrain_machine::Machine;
use refrain_reuse::allowance::Allowance;
use refrain_term::Assignment;

use crate::explorer::Explorer;
use crate::frontier::Id;
use crate::listener::{Decided, Feasibility, Listener};
use crate::options::{Mode, Options};

/// How many partial solutions a solve is asked for, by what came of them.
pub(crate) fn allowance(options: &Options) -> Option<Allowance> {
    let is_concolic = options.mode == Mode::Concolic;
    let most = options.partial_solutions.filter(|_| is_concolic)?;
    Some(Allowance::between(1, 16.min(most), most))
}

impl<M: Machine, L: Listener<M>> Explorer<'_, M, L> {
    /// Inputs that the solver went through while it looked for another may lead to pending states: then nothing has to
    /// be asked there.
    ///
    /// They say nothing of what the query was not about; there `base` is as good as anything.
    pub(crate) fn try_partial_solutions(&mut self, base: &Assignment, found: Vec<Assignment>) {
        let Some(mut allowance) = self.partial_solutions.take() else {
            return;
        };
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
        self.partial_solutions = Some(allowance);
    }

    /// Whether an input leads to a pending state that no input was known for.
    fn try_as_input(&mut self, base: &Assignment, partial: &Assignment) -> bool {
        let mut input = base.clone();
        for (var, value) in partial.iter() {
            input.set(var, value.clone());
        }
        if !self.asker.arithmetic.is_input(&self.asker.terms, &input) {
            return false;
        }
        let found = self
            .asker
            .with_evaluator(|terms, evaluator| self.frontier.follow(terms, evaluator, &input));
        let input = Arc::new(input);
        let Some(id) = found.filter(|&id| !self.frontier.get(id).is_feasible) else {
            return false;
        };
        if !self.leads_to(&input, id) {
            return false;
        }
        self.stats.by_partial_solution += 1;
        let pending = self.frontier.make_ready(id, input);
        if let Some((decision, condition)) = &pending.next {
            self.listener.decided(&Decided {
                machine: &*self.machine,
                terms: &self.asker.terms,
                place: pending.trail.place(),
                decision,
                condition: *condition,
                feasibility: &Feasibility::PartialSolution,
                input: Some(self.asker.path_input(&pending.input)),
            });
        }
        true
    }

    /// Whether an input satisfies the path condition of something pending.
    fn leads_to(&mut self, input: &Arc<Assignment>, id: Id) -> bool {
        let pending = self.frontier.get(id);
        let own = pending.next.as_ref().map(|(_, condition)| *condition);
        let mut conditions = own.into_iter().chain(pending.trail.conditions_backwards());
        conditions.all(|condition| self.asker.holds(input, condition))
    }
}
