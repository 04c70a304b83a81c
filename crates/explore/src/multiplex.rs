//! One solve, many paths: what a solver went through while it looked for an input are inputs too (MuSE, algorithm 1).
//!
//! Each is led down the tree of open questions, by evaluation. A pending state that it is the first to reach is known
//! to be feasible. One that leads to a place which has an input already, or where a state is running, is kept there
//! (`frontier/surplus`): when the path from there has ended, more of the tree is known, and it is led on. So every one
//! that takes a path of its own is executed in the end, unless a place has more of them than are kept.

use std::sync::Arc;

use refrain_machine::Machine;
use refrain_reuse::allowance::Allowance;
use refrain_solver::PartialSolution;
use refrain_term::{Assignment, Term};

use crate::asker::Asker;
use crate::branching::Finding;
use crate::error::ExploreError;
use crate::explorer::{Explorer, Running};
use crate::frontier::{Id, Leaf, NodeId, Pending, SurplusInput};
use crate::listener::{Decided, Feasibility, Listener};
use crate::options::{Mode, Options};
use crate::trail::{Decision, Trail};

/// How many partial solutions a solve is asked for, by what came of them.
pub(crate) fn allowance(options: &Options) -> Option<Allowance> {
    let is_concolic = options.mode == Mode::Concolic;
    let most = options.partial_solutions.filter(|_| is_concolic)?;
    Some(Allowance::between(1, 16.min(most), most))
}

impl<M: Machine, L: Listener<M>> Explorer<'_, M, L> {
    /// Whether a decision at the end of a trail is feasible, and an input that takes it: one that the solver found, or
    /// that it went through. Nothing else is running than the state at this node.
    ///
    /// Partial solutions say nothing of what the query was not about; there `base` is as good as anything.
    pub(crate) fn decide_and_multiplex(
        &mut self,
        trail: &Trail,
        (decision, condition): (&Decision, Term),
        base: &Arc<Assignment>,
        node: Option<NodeId>,
    ) -> Finding {
        let wanted = self.partial_solutions.as_ref().map_or(0, Allowance::limit);
        let wants = self.wants(wanted);
        let outcome = self.asker.check(trail, condition, wants);
        let finding = self.judge(trail, outcome.result);
        if self.partial_solutions.is_none() {
            return finding;
        }
        let here = trail.with(decision.clone(), condition);
        self.try_partial_solutions(base, &here, outcome.partial_solutions);
        if finding.input.is_some() {
            return finding;
        }
        let Some(found) = self.first_surplus(node, &here, Term::TRUE) else {
            return finding;
        };
        if finding.feasibility == Feasibility::Infeasible {
            let what = "a partial solution of an unsatisfiable query satisfies it";
            self.fail(ExploreError::Disagreement(what.into()));
            return finding;
        }
        self.stats.by_partial_solution += 1;
        Finding::input(Feasibility::PartialSolution, found)
    }

    /// Tries what the solver went through in the last query as inputs. The state that is running is at the end of a
    /// trail.
    fn try_partial_solutions(
        &mut self,
        base: &Arc<Assignment>,
        here: &Trail,
        found: Vec<PartialSolution>,
    ) {
        let Some(mut allowance) = self.partial_solutions.take() else {
            return;
        };
        if !found.is_empty() {
            let mut useful = None;
            for (number, changes) in found.iter().enumerate() {
                let changes = changes.assignment(&self.asker.terms);
                self.stats.tried_partial_solutions += 1;
                let roots = self.frontier.roots();
                if self.lead(SurplusInput::new(base, changes, number), &roots, Some(here)) {
                    useful = Some(number);
                }
            }
            allowance.note(useful);
        }
        self.partial_solutions = Some(allowance);
    }

    /// Leads surplus inputs on from places whose states have gone on.
    pub(crate) fn lead_surplus_on(&mut self) {
        while let Some(node) = self.frontier.next_passed() {
            for surplus in self.frontier.take_surplus(Some(node)) {
                let number = surplus.number;
                if self.lead(surplus, &[node], None) {
                    self.stats.by_surplus_input += 1;
                    if let Some(allowance) = &mut self.partial_solutions {
                        allowance.note(Some(number));
                    }
                }
            }
        }
    }

    /// An input that was kept where a state is running, and for which an assumption holds too. Those for which it does
    /// not hold end there.
    pub(crate) fn surplus_that_holds(
        &mut self,
        running: &Running<M::State>,
        condition: Term,
    ) -> Option<Arc<Assignment>> {
        self.lead_surplus_on();
        let first = self.first_surplus(running.node, &running.trail, condition);
        self.stats.by_partial_solution += u64::from(first.is_some());
        first
    }

    /// The first input kept at a node for which a trail and a condition hold; others of the kind stay. What was kept
    /// before the state there was asked about need not take its last decision.
    fn first_surplus(
        &mut self,
        node: Option<NodeId>,
        trail: &Trail,
        condition: Term,
    ) -> Option<Arc<Assignment>> {
        let mut first = None;
        for surplus in self.frontier.take_surplus(node) {
            let input = surplus.input();
            let conditions = [condition].into_iter().chain(trail.conditions_backwards());
            if !all_hold(&mut self.asker, &input, conditions) {
                continue;
            }
            if first.is_none() {
                first = Some(input);
            } else if let Some(node) = node {
                self.frontier.keep(node, surplus);
            }
        }
        first
    }

    /// Leads an input down the tree from nodes. Whether it gets to a pending state that no input was known for. A state
    /// that is running is at the end of a trail, if that matters.
    fn lead(&mut self, surplus: SurplusInput, from: &[NodeId], here: Option<&Trail>) -> bool {
        let input = surplus.input();
        if !self.asker.arithmetic.is_input(&self.asker.terms, &input) {
            return false;
        }
        for &node in from {
            let (terms, evaluator) = self.asker.evaluator(&input);
            let place = match self.frontier.follow(node, terms, evaluator, &input) {
                Some(Leaf::Pending(id, node)) => {
                    let pending = self.frontier.get(id);
                    if !all_hold(&mut self.asker, &input, path_condition(pending)) {
                        continue;
                    }
                    if !pending.is_feasible {
                        self.open(id, input);
                        return true;
                    }
                    if surplus.is_seed && !self.frontier.is_ready(id) {
                        self.frontier.make_ready(id, input);
                        return false;
                    }
                    node
                }
                Some(Leaf::Running(node)) => {
                    let mut conditions = here.into_iter().flat_map(Trail::conditions_backwards);
                    if !all_hold(&mut self.asker, &input, &mut conditions) {
                        continue;
                    }
                    node
                }
                None => continue,
            };
            self.stats.kept_inputs += u64::from(self.frontier.keep(place, surplus));
            return false;
        }
        let asker = &mut self.asker;
        let mut deferred = self.frontier.deferred().iter();
        let found = deferred.position(|pending| all_hold(asker, &input, path_condition(pending)));
        if let Some(index) = found {
            let id = self.frontier.undefer(self.machine, index);
            self.open(id, input);
        }
        found.is_some()
    }

    /// An input is known that leads to something pending.
    fn open(&mut self, id: Id, input: Arc<Assignment>) {
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
    }
}

/// The path condition of something pending, from its end back.
fn path_condition<S>(pending: &Pending<S>) -> impl Iterator<Item = Term> {
    let own = pending.next.as_ref().map(|(_, condition)| *condition);
    own.into_iter().chain(pending.trail.conditions_backwards())
}

fn all_hold(
    asker: &mut Asker,
    input: &Arc<Assignment>,
    mut conditions: impl Iterator<Item = Term>,
) -> bool {
    conditions.all(|condition| asker.holds(input, condition))
}
