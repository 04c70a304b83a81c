//! Branching: what a question of the machine comes to, which ways inputs go, and where it goes on.

use std::sync::Arc;

use refrain_solver::{Reason, Verdict};
use refrain_term::{Assignment, Term};

use crate::explorer::{Explorer, Running};
use crate::listener::{Branch, Decided, End, How, Left, Listener};
use crate::machine::{Ask, Machine};
use crate::options::{Mode, Numbers};
use crate::pending::Pending;
use crate::trail::{Decision, Trail};
use crate::tree::NodeId;

/// How a question can be answered.
pub(crate) enum Answers {
    One(Decision),
    Several(Vec<Way>),
}

/// One of the ways that a question can be answered.
pub(crate) struct Way {
    decision: Decision,
    condition: Term,
    /// Goes there, if it is known that somebody does.
    input: Option<Arc<Assignment>>,
}

/// What a question came to.
pub(crate) enum Next<S> {
    GoOn(Running<S>),
    PickAgain,
}

impl<M: Machine, L: Listener<M>> Explorer<'_, M, L> {
    pub(crate) fn holds(&mut self, input: &Arc<Assignment>, condition: Term) -> bool {
        self.evaluate_under(input);
        self.evaluator.bool(&self.terms, input, condition)
    }

    pub(crate) fn evaluate_under(&mut self, input: &Arc<Assignment>) {
        if !Arc::ptr_eq(&self.evaluated, input) {
            self.evaluator.forget();
            self.evaluated = input.clone();
        }
    }

    /// The number that a machine gets for a term.
    fn number(&mut self, input: &Arc<Assignment>, term: Term) -> Result<u64, String> {
        self.evaluate_under(input);
        self.arithmetic
            .value(&mut self.terms, &mut self.evaluator, input, term)
    }

    pub(crate) fn answer(&mut self, mut running: Running<M::State>, ask: Ask) -> Next<M::State> {
        match self.ways(&running.trail, &running.input, ask) {
            Ok(Answers::One(decision)) => {
                if let Some(answer) = decision.answer() {
                    self.machine.answer(&mut running.state, answer);
                }
                let is_found_again = matches!(decision, Decision::Way(_));
                if !is_found_again || self.options.numbers == Numbers::Integers {
                    running.trail = running.trail.with(decision, Term::TRUE);
                }
                Next::GoOn(running)
            }
            Ok(Answers::Several(ways)) => self.branch(running, ways),
            Err(what) => {
                self.end(running, End::Inexpressible(what));
                Next::PickAgain
            }
        }
    }

    /// The only answer there is, or the ways that there are.
    ///
    /// What follows from a path's conditions by itself is found again whenever the path is followed again: it is no
    /// decision. (Over the integers it is kept: there what a condition comes to may depend on what was met before.)
    pub(crate) fn ways(
        &mut self,
        trail: &Trail,
        input: &Arc<Assignment>,
        ask: Ask,
    ) -> Result<Answers, String> {
        let way = |decision, condition| Way {
            decision,
            condition,
            input: None,
        };
        let ways = match ask {
            Ask::Witness(term) => {
                let value = self.number(input, term)?;
                return Ok(Answers::One(Decision::Witness(value)));
            }
            Ask::Fix(term) => {
                let value = self.number(input, term)?;
                let [equal, other] = self.arithmetic.equals(&mut self.terms, term, value)?;
                vec![
                    way(Decision::Fixed(value), equal),
                    way(Decision::Other(value), other),
                ]
            }
            Ask::Choose(conditions) => {
                if self.options.numbers == Numbers::Machine
                    && let Some(way) = self.known_way(trail, &conditions)
                {
                    return Ok(Answers::One(Decision::Way(way)));
                }
                let mut ways = Vec::with_capacity(conditions.len());
                for (index, &condition) in conditions.iter().enumerate() {
                    let condition = self.arithmetic.condition(&mut self.terms, condition)?;
                    if condition != Term::FALSE {
                        ways.push(way(Decision::Way(index as u32), condition));
                    }
                }
                ways
            }
        };
        let certain = ways.iter().find(|way| {
            way.condition == Term::TRUE || self.questions.has(&mut self.terms, trail, way.condition)
        });
        Ok(match certain {
            Some(certain) => Answers::One(certain.decision),
            None => Answers::Several(ways),
        })
    }

    /// The way that a path's conditions, by the very same words, leave.
    fn known_way(&mut self, trail: &Trail, conditions: &[Term]) -> Option<u32> {
        let mut ways = conditions.iter();
        let known = |condition: &Term| self.questions.has(&mut self.terms, trail, *condition);
        ways.position(known).map(|way| way as u32)
    }

    fn branch(&mut self, mut running: Running<M::State>, mut ways: Vec<Way>) -> Next<M::State> {
        if running.trail.branches() >= self.options.limits.depth {
            self.end(running, End::TooDeep);
            return Next::PickAgain;
        }
        self.stats.branches += 1;
        let place = running.trail.id();
        self.listener.branch(&Branch {
            place,
            point: self.machine.point(&running.state),
            ways: ways.len(),
            ran: &running.ran,
        });
        running.ran.clear();
        let conditions: Vec<Term> = ways.iter().map(|way| way.condition).collect();
        let Some(taken) = self.way_of(&running.input, &conditions) else {
            // Over the integers, conditions that exclude each other on words need not cover everything.
            self.end(
                running,
                End::Inexpressible("a choice that no input makes".into()),
            );
            return Next::PickAgain;
        };
        let decided = self.decide_ways(&running, &conditions, taken);
        let mut open = Vec::new();
        for (index, (how, input)) in decided.into_iter().enumerate() {
            let way = &mut ways[index];
            way.input = input;
            self.listener.decided(&Decided {
                place,
                decision: way.decision,
                how: &how,
            });
            let left = match how {
                How::Model => {
                    self.stats.by_model += 1;
                    None
                }
                How::Feasible | How::PartialSolution | How::Open => None,
                How::Infeasible => continue,
                How::Unknown(reason) => Some(Left::Unknown(reason)),
                How::Left => Some(Left::Forks),
            };
            match left {
                Some(why) => self.leave(&running.trail.with(way.decision, way.condition), &why),
                None => open.push(index),
            }
        }
        self.go(running, ways, &open, &conditions, taken)
    }

    /// The way that an input takes.
    fn way_of(&mut self, input: &Arc<Assignment>, conditions: &[Term]) -> Option<usize> {
        self.evaluate_under(input);
        let mut conditions = conditions.iter();
        conditions.position(|&condition| self.evaluator.bool(&self.terms, input, condition))
    }

    /// Whether inputs go each way, as far as that is to be known now, and one that does.
    fn decide_ways(
        &mut self,
        running: &Running<M::State>,
        conditions: &[Term],
        taken: usize,
    ) -> Vec<(How, Option<Arc<Assignment>>)> {
        let may_fork = self.hub.forks() < self.options.limits.forks;
        let is_concolic = self.options.mode == Mode::Concolic;
        let not_yet = if !may_fork { How::Left } else { How::Open };
        let mut decided = vec![(not_yet, None); conditions.len()];
        if is_concolic || self.options.trust_model {
            decided[taken] = (How::Model, Some(running.input.clone()));
        } else {
            decided[taken] = self.decide_one(&running.trail, conditions[taken]);
        }
        if !may_fork || is_concolic {
            return decided;
        }
        let mut undecided: Vec<usize> = (0..conditions.len()).filter(|&way| way != taken).collect();
        if self.options.trust_model {
            self.decide_together(&running.trail, conditions, &mut undecided, &mut decided);
        }
        for way in undecided {
            decided[way] = self.decide_one(&running.trail, conditions[way]);
        }
        decided
    }

    fn decide_one(&mut self, trail: &Trail, condition: Term) -> (How, Option<Arc<Assignment>>) {
        let how = self.decide(trail, condition);
        let input = (how == How::Feasible).then(|| self.questions.model(&mut self.terms));
        (how, input)
    }

    /// Where there are many ways, most have often no input: as long as several are undecided, asks whether any of
    /// them has one. Each answer either shows a way that is feasible or settles all that are left.
    fn decide_together(
        &mut self,
        trail: &Trail,
        conditions: &[Term],
        undecided: &mut Vec<usize>,
        decided: &mut [(How, Option<Arc<Assignment>>)],
    ) {
        while undecided.len() > 1 {
            let any = self.any_of(conditions, undecided);
            match self.decide_one(trail, any) {
                (How::Feasible, Some(input)) => {
                    let Some(way) = self.way_of(&input, conditions) else {
                        return;
                    };
                    let before = undecided.len();
                    undecided.retain(|&other| other != way);
                    if undecided.len() == before {
                        return;
                    }
                    decided[way] = (How::Feasible, Some(input));
                }
                (How::Infeasible, _) => {
                    for way in undecided.drain(..) {
                        decided[way] = (How::Infeasible, None);
                    }
                }
                _ => return,
            }
        }
    }

    /// That one of some ways is taken. Words always take one way, so that it is none of the others: conditions side
    /// by side are easier to answer.
    fn any_of(&mut self, conditions: &[Term], ways: &[usize]) -> Term {
        if self.options.numbers == Numbers::Integers {
            let ways: Vec<Term> = ways.iter().map(|&way| conditions[way]).collect();
            return self.terms.or(&ways);
        }
        let mut none = Vec::new();
        for (way, &condition) in conditions.iter().enumerate() {
            if !ways.contains(&way) {
                none.push(self.terms.not(condition));
            }
        }
        self.terms.and(&none)
    }

    pub(crate) fn decide(&mut self, trail: &Trail, condition: Term) -> How {
        if let Some(allowance) = &self.asked_for {
            self.questions
                .collect_partial_solutions(Some(allowance.limit()));
        }
        match self.questions.ask(&mut self.terms, trail, condition) {
            Verdict::Sat => How::Feasible,
            Verdict::Unsat => How::Infeasible,
            Verdict::Unknown(Reason::Conflicts) => How::Open,
            // The whole run has come to its end, not the question.
            Verdict::Unknown(Reason::Timeout | Reason::Interrupted) if self.is_over() => How::Open,
            Verdict::Unknown(reason) => {
                if let Reason::Disagreement(what) = &reason {
                    self.give_up(what.clone());
                }
                How::Unknown(reason)
            }
        }
    }

    /// Goes on one of the open ways and keeps the others.
    fn go(
        &mut self,
        mut running: Running<M::State>,
        mut ways: Vec<Way>,
        open: &[usize],
        conditions: &[Term],
        taken: usize,
    ) -> Next<M::State> {
        if open.is_empty() {
            self.cut(running.node);
            return Next::PickAgain;
        }
        let forks = open.len() as u64 - 1;
        self.stats.forks += forks;
        self.hub.count_forks(forks);
        let in_time = self.machine.instructions(&running.state) < running.until;
        let sure: Vec<usize> = open
            .iter()
            .copied()
            .filter(|&way| ways[way].input.is_some())
            .collect();
        let go_on = match (self.options.mode, &sure[..]) {
            (Mode::Concolic, _) => Some(taken),
            (Mode::Fork, _) if !in_time => None,
            (Mode::Fork, [] | [_]) => sure.first().copied(),
            (Mode::Fork, several) => self.searcher.go_on(several.len()).map(|nth| several[nth]),
        };
        let nodes = self.split(running.node, conditions, open);
        let mut kept = Vec::new();
        // The first way is to be on top.
        for &index in open.iter().rev() {
            if Some(index) == go_on {
                continue;
            }
            let state = self.machine.fork(&mut running.state);
            kept.push((index, state));
        }
        for (index, mut state) in kept {
            self.machine.park(&mut state);
            let way = &mut ways[index];
            let input = way.input.take();
            self.add(Pending {
                state: Some(state),
                trail: running.trail.clone(),
                next: Some((way.decision, way.condition)),
                is_feasible: input.is_some(),
                input: input.unwrap_or_else(|| running.input.clone()),
                node: nodes.get(index).copied().or(running.node),
                ran: Vec::new(),
                // What was new on the way here is told once.
                is_new: go_on.is_none() && std::mem::take(&mut running.is_new),
            });
        }
        let Some(index) = go_on else {
            return Next::PickAgain;
        };
        let way = &mut ways[index];
        if let Some(answer) = way.decision.answer() {
            self.machine.answer(&mut running.state, answer);
        }
        running.trail = running.trail.with(way.decision, way.condition);
        if let Some(input) = way.input.take() {
            running.input = input;
        }
        running.node = nodes.get(index).copied().or(running.node);
        Next::GoOn(running)
    }

    /// Nodes of the tree for the ways, those that are not open cut off. Where only one is, the node stays.
    fn split(&mut self, node: Option<NodeId>, conditions: &[Term], open: &[usize]) -> Vec<NodeId> {
        let Some(node) = node.filter(|_| open.len() > 1) else {
            return Vec::new();
        };
        let nodes = self.tree.split(node, conditions);
        for (index, &node) in nodes.iter().enumerate() {
            if !open.contains(&index) {
                self.tree.cut(node);
            }
        }
        nodes
    }
}
