//! Branching: what a question of the machine comes to, which choices are feasible, and where the path goes on.

use std::sync::Arc;

use refrain_integers::Inexpressible;
use refrain_machine::{Answer, Ask, Cause, Machine};
use refrain_memo::{AskKind, Edge};
use refrain_solver::{CheckResult, Reason, Wants};
use refrain_term::{Assignment, Term, Value};

use crate::error::ExploreError;
use crate::explorer::{Explorer, Running};
use crate::frontier::Pending;
use crate::listener::{Asked, Feasibility, Implied, Listener};
use crate::memo::core::core_bytes;
use crate::memo::{Asking, Known, Memory, Node, Place};
use crate::options::{Mode, Numbers};
use crate::ran::Ran;
use crate::sample::REPRESENTATIVES;
use crate::trail::{Decision, Trail};

/// A decision, what it adds to the path condition, and an input that takes it if one is known.
struct Choice {
    decision: Decision,
    condition: Term,
    input: Option<Arc<Assignment>>,
}

impl Choice {
    fn new(decision: Decision, condition: Term) -> Choice {
        Choice {
            decision,
            condition,
            input: None,
        }
    }
}

/// What a question came to.
pub(crate) enum Next<S> {
    GoOn(Running<S>),
    PickAgain,
}

/// What is known of the feasibility of a decision.
#[derive(Clone)]
pub(crate) struct Finding {
    pub feasibility: Feasibility,
    /// Takes it.
    pub input: Option<Arc<Assignment>>,
    /// If it is infeasible: what it conflicts with, as the memo tree has it.
    pub core: Option<Vec<u8>>,
}

impl Finding {
    pub fn new(feasibility: Feasibility) -> Finding {
        Finding {
            feasibility,
            input: None,
            core: None,
        }
    }

    pub fn input(feasibility: Feasibility, input: Arc<Assignment>) -> Finding {
        Finding {
            input: Some(input),
            ..Finding::new(feasibility)
        }
    }
}

/// How a question can be answered.
enum Answers {
    /// The path condition leaves this choice alone.
    Implied(u32),
    /// About a term.
    One(AskKind, Decision, Term),
    Several(AskKind, Vec<Choice>),
    /// The program assumes something that is not part of the path condition yet.
    Assume(Term),
    /// It is not answered any more.
    Cut(Cause),
}

impl<M: Machine, L: Listener<M>> Explorer<'_, M, L> {
    pub(crate) fn answer(&mut self, mut running: Running<M::State>, ask: Ask) -> Next<M::State> {
        match self.answers(&mut running, ask) {
            Ok(Answers::Implied(choice)) => {
                self.imply(&mut running, choice);
                Next::GoOn(running)
            }
            Ok(Answers::One(kind, decision, term)) => {
                running.record(self.machine.take_ran());
                let asking = Asking {
                    kind,
                    conditions: &[term],
                    value: decision.value(),
                };
                let node = self.ask(&mut running, &asking, 1);
                if let (Some(node), Decision::Fixed(value)) = (node, &decision) {
                    self.note_infeasible(node.edge(&Decision::Other(value.clone())), None);
                }
                let input = running.input.clone();
                let feasibility = Feasibility::Model;
                self.tell_decided(
                    &running.trail,
                    &decision,
                    Term::TRUE,
                    &feasibility,
                    Some(&input),
                );
                self.take(&mut running, node, decision, Term::TRUE);
                Next::GoOn(running)
            }
            Ok(Answers::Several(kind, choices)) => {
                running.record(self.machine.take_ran());
                self.branch(running, kind, choices)
            }
            Ok(Answers::Assume(condition)) => {
                running.record(self.machine.take_ran());
                self.assume(running, condition)
            }
            Ok(Answers::Cut(cause)) => {
                self.cut(running, &cause);
                Next::PickAgain
            }
            Err(what) => {
                self.cut(running, &Cause::Inexpressible(what.to_string()));
                Next::PickAgain
            }
        }
    }

    /// The only answer there is, or the choices that there are.
    fn answers(
        &mut self,
        running: &mut Running<M::State>,
        ask: Ask,
    ) -> Result<Answers, Inexpressible> {
        match ask {
            Ask::Choose(conditions) => self.choices(&running.trail, &conditions),
            Ask::Assume(condition) => {
                let condition = self.asker.condition(self.machine.inputs(), condition)?;
                let holds = condition == Term::TRUE || self.asker.has(&running.trail, condition);
                Ok(match holds {
                    true => Answers::Implied(0),
                    false => Answers::Assume(condition),
                })
            }
            Ask::Witness(term) => {
                running.record(self.machine.take_ran());
                let value = self.chosen_value(running, AskKind::Witness, term)?;
                Ok(Answers::One(
                    AskKind::Witness,
                    Decision::Witness(value),
                    term,
                ))
            }
            Ask::Fix(term) => {
                running.record(self.machine.take_ran());
                let value = self.chosen_value(running, AskKind::Fix, term)?;
                self.value_or_others(running, AskKind::Fix, term, value)
            }
            Ask::Sample(term) => {
                running.record(self.machine.take_ran());
                let tried = running.trail.others();
                if tried >= REPRESENTATIVES {
                    return Ok(Answers::Cut(Cause::OtherValues));
                }
                let value = match self.remembered_value(running, AskKind::Sample, term) {
                    Some(value) => value,
                    None => self.representative(&running.trail, &running.input, term, tried)?,
                };
                self.value_or_others(running, AskKind::Sample, term, value)
            }
        }
    }

    fn choices(&mut self, trail: &Trail, conditions: &[Term]) -> Result<Answers, Inexpressible> {
        if self.options.numbers == Numbers::Machine {
            // By the very same words.
            let known = |condition: &Term| self.asker.has(trail, *condition);
            if let Some(choice) = conditions.iter().position(known) {
                return Ok(Answers::Implied(choice as u32));
            }
        }
        let mut choices = Vec::with_capacity(conditions.len());
        for (index, &condition) in (0..).zip(conditions) {
            let condition = self.asker.condition(self.machine.inputs(), condition)?;
            if condition == Term::TRUE || self.asker.has(trail, condition) {
                return Ok(Answers::Implied(index));
            }
            if condition != Term::FALSE {
                choices.push(Choice::new(Decision::Choice(index), condition));
            }
        }
        let kind = AskKind::Choose(conditions.len() as u32);
        Ok(Answers::Several(kind, choices))
    }

    /// The value that an earlier run chose for this question.
    fn remembered_value(
        &mut self,
        running: &Running<M::State>,
        kind: AskKind,
        term: Term,
    ) -> Option<Value> {
        let memory = self.memory.as_ref();
        let known = memory.and_then(|memory| memory.value(running.edge, kind, &running.trail));
        if let Some((value, hash)) = known
            && self.is_asked(kind, term, &value, hash)
        {
            return Some(value);
        }
        self.options.recorded_value(running.place)
    }

    /// Whether a question about the value of a term is the one that has this hash. In another version of the program it
    /// may be another.
    fn is_asked(&mut self, kind: AskKind, term: Term, value: &Value, hash: u64) -> bool {
        let terms = &self.asker.terms;
        if value.sort() != terms.sort(term) {
            return false;
        }
        if Memory::hash(terms, &[term], Some(value)) == hash {
            return true;
        }
        let conditions = match kind {
            AskKind::Witness => return false,
            _ => self.asker.equals(self.machine.inputs(), term, value),
        };
        let terms = &self.asker.terms;
        conditions.is_ok_and(|conditions| Memory::hash(terms, &conditions, Some(value)) == hash)
    }

    /// The value of a term that a path goes on with: one that an earlier run chose, or that of the input at hand.
    fn chosen_value(
        &mut self,
        running: &Running<M::State>,
        kind: AskKind,
        term: Term,
    ) -> Result<Value, Inexpressible> {
        match self.remembered_value(running, kind, term) {
            Some(value) => Ok(value),
            None => self
                .asker
                .value(&running.input, self.machine.inputs(), term),
        }
    }

    /// That a term has a value, and that it has another.
    fn value_or_others(
        &mut self,
        running: &Running<M::State>,
        kind: AskKind,
        term: Term,
        value: Value,
    ) -> Result<Answers, Inexpressible> {
        let [equal, other] = self.asker.equals(self.machine.inputs(), term, &value)?;
        if equal == Term::TRUE || self.asker.has(&running.trail, equal) {
            return Ok(Answers::One(kind, Decision::Fixed(value), term));
        }
        let choices = vec![
            Choice::new(Decision::Fixed(value.clone()), equal),
            Choice::new(Decision::Other(value), other),
        ];
        Ok(Answers::Several(kind, choices))
    }

    fn imply(&mut self, running: &mut Running<M::State>, choice: u32) {
        self.listener.implied(&Implied {
            machine: &*self.machine,
            state: &running.state,
            place: running.place,
            choice,
        });
        self.machine
            .answer(&mut running.state, &Answer::Choice(choice));
        running.implied.push(choice);
        running.place = running.place.child(choice);
    }

    /// A path goes on with a decision at a question.
    fn take(
        &mut self,
        running: &mut Running<M::State>,
        node: Option<Node>,
        decision: Decision,
        condition: Term,
    ) {
        if let Some(answer) = decision.answer() {
            self.machine.answer(&mut running.state, &answer);
        }
        if let Some(node) = node {
            running.edge = node.edge(&decision);
        }
        running.decide(decision, condition);
    }

    /// Tells of a question, and records it.
    fn ask(
        &mut self,
        running: &mut Running<M::State>,
        asking: &Asking<'_>,
        decisions: usize,
    ) -> Option<Node> {
        let ran = running.ran.pieces();
        self.listener.asked(&Asked {
            machine: &*self.machine,
            state: &running.state,
            place: running.place,
            decisions,
            ran,
            earlier_test: (self.memory.as_ref()).and_then(|memory| memory.test(running.edge)),
        });
        let node = self.memory.as_mut().map(|memory| {
            let at = Place {
                edge: running.edge,
                trail: &running.trail,
                state: &running.state,
                ran,
            };
            let (node, is_other) = memory.ask(self.machine, &self.asker.terms, &at, asking);
            self.stats.changed += u64::from(is_other);
            node
        });
        running.ran.clear();
        node
    }

    /// What an earlier run knows of the feasibility of a decision.
    fn recall(&mut self, node: Option<Node>, decision: &Decision) -> Option<Finding> {
        let known = self.memory.as_ref()?.known(node?, decision)?;
        self.stats.by_memo += 1;
        Some(match known {
            Known::Infeasible => Finding::new(Feasibility::Infeasible),
            Known::Finished => {
                self.stats.finished += 1;
                Finding::new(Feasibility::Finished)
            }
            Known::Feasible(values) => {
                let input = self.asker.input(self.machine.inputs_mut(), &values);
                Finding::input(Feasibility::Remembered, input)
            }
        })
    }

    /// No input takes a decision; perhaps with the core of what it conflicts with.
    pub(crate) fn note_infeasible(&mut self, edge: Edge, core: Option<&[u8]>) {
        if let Some(memory) = &mut self.memory {
            memory.infeasible(edge, core);
        }
    }

    /// What is assumed holds for some inputs.
    pub(crate) fn assumption_holds(&mut self, holds: Edge) {
        if let Some(node) = holds.node() {
            self.note_infeasible(node.edge(1), None);
        }
    }

    /// What is assumed holds for no input: where the path goes on in the memo tree.
    pub(crate) fn assumption_failed(&mut self, holds: Edge, core: Option<&[u8]>) -> Edge {
        self.note_infeasible(holds, core);
        holds.node().map_or(holds, |node| node.edge(1))
    }

    /// Goes on with the inputs for which an assumption holds. The others end here, unseen.
    fn assume(&mut self, mut running: Running<M::State>, condition: Term) -> Next<M::State> {
        let asking = Asking {
            kind: AskKind::Assume,
            conditions: &[condition],
            value: None,
        };
        let node = self.ask(&mut running, &asking, 1);
        let holds = Decision::Assumed(true);
        if let Some(node) = node {
            running.edge = node.edge(&holds);
        }
        let Finding {
            feasibility,
            input,
            core,
        } = if self.options.trust_model && self.asker.holds(&running.input, condition) {
            self.stats.by_model += 1;
            Finding::input(Feasibility::Model, running.input.clone())
        } else if let Some(input) = self.surplus_that_holds(&running, condition) {
            Finding::input(Feasibility::PartialSolution, input)
        } else if let Some(known) = self.recall(node, &holds) {
            known
        } else {
            let (base, place) = (running.input.clone(), running.node);
            self.decide_and_multiplex(&running.trail, (&holds, condition), &base, place)
        };
        self.tell_decided(
            &running.trail,
            &holds,
            condition,
            &feasibility,
            input.as_ref(),
        );
        match (feasibility, input) {
            (_, Some(input)) => {
                running.input = input;
                self.assumption_holds(running.edge);
                self.take(&mut running, node, holds, condition);
                Next::GoOn(running)
            }
            (Feasibility::Infeasible, None) => {
                self.note_infeasible(running.edge, core.as_deref());
                self.take(&mut running, node, Decision::Assumed(false), Term::TRUE);
                Next::GoOn(running)
            }
            (Feasibility::Finished, None) => {
                self.frontier.cut(running.node);
                Next::PickAgain
            }
            (Feasibility::Unknown(reason), None) => {
                self.cut_undecided(running, &reason);
                Next::PickAgain
            }
            _ => {
                self.machine.park(&mut running.state);
                let pending = Pending {
                    state: Some(running.state),
                    trail: running.trail,
                    next: Some((holds, condition)),
                    input: running.input,
                    is_feasible: false,
                    node: running.node,
                    edge: running.edge,
                    ran: Ran::default(),
                    is_new: running.is_new,
                };
                self.frontier.defer(pending);
                Next::PickAgain
            }
        }
    }

    fn branch(
        &mut self,
        mut running: Running<M::State>,
        kind: AskKind,
        mut choices: Vec<Choice>,
    ) -> Next<M::State> {
        if running.trail.branches() >= self.options.limits.depth {
            self.cut(running, &Cause::Depth);
            return Next::PickAgain;
        }
        let conditions: Vec<Term> = choices.iter().map(|choice| choice.condition).collect();
        let Some(taken) = self.asker.choice_of(&running.input, &conditions) else {
            // Over the integers, conditions that exclude each other on words need not cover everything.
            self.cut(
                running,
                &Cause::Inexpressible("a choice that no input makes".into()),
            );
            return Next::PickAgain;
        };
        self.stats.branches += 1;
        let asking = Asking {
            kind,
            conditions: &conditions,
            value: choices[0].decision.value(),
        };
        let node = self.ask(&mut running, &asking, choices.len());
        self.note_impossible(node, kind, &choices);
        let decided = self.decide_choices(&running, node, &choices, &conditions, taken);
        let mut open = Vec::new();
        for (index, finding) in decided.into_iter().enumerate() {
            let Finding {
                feasibility,
                input,
                core,
            } = finding;
            let choice = &mut choices[index];
            let (decision, condition) = (&choice.decision, choice.condition);
            self.tell_decided(
                &running.trail,
                decision,
                condition,
                &feasibility,
                input.as_ref(),
            );
            choice.input = input;
            let edge = node.map_or(Edge::ROOT, |node| node.edge(decision));
            match feasibility {
                Feasibility::Model => {
                    self.stats.by_model += 1;
                    open.push(index);
                }
                Feasibility::Feasible
                | Feasibility::Remembered
                | Feasibility::PartialSolution
                | Feasibility::Deferred => open.push(index),
                Feasibility::Finished => {}
                Feasibility::Infeasible => self.note_infeasible(edge, core.as_deref()),
                Feasibility::Unknown(reason) => {
                    let trail = running.trail.with(choice.decision.clone(), condition);
                    self.leave_undecided(&trail, edge, &reason);
                }
                Feasibility::NotAsked(cause) => {
                    let trail = running.trail.with(choice.decision.clone(), condition);
                    let stack = self.stack(&running.state, Some(&choice.decision));
                    self.leave_choice(&trail, edge, &cause, &stack);
                }
            }
        }
        self.go(running, node, choices, &open, &conditions, taken)
    }

    /// Records the choices that are false as they stand.
    fn note_impossible(&mut self, node: Option<Node>, kind: AskKind, choices: &[Choice]) {
        let Some(node) = node.filter(|_| choices.len() < kind.alternatives() as usize) else {
            return;
        };
        for choice in (0..kind.alternatives()).map(Decision::Choice) {
            if !choices.iter().any(|possible| possible.decision == choice) {
                self.note_infeasible(node.edge(&choice), None);
            }
        }
    }

    /// Whether each choice is feasible, as far as that is to be known now, and an input that takes it.
    fn decide_choices(
        &mut self,
        running: &Running<M::State>,
        node: Option<Node>,
        choices: &[Choice],
        conditions: &[Term],
        taken: usize,
    ) -> Vec<Finding> {
        let no_forks = if self.hub.forks() >= self.options.limits.forks {
            Some(Cause::Forks)
        } else if !self.machine.may_fork(&running.state) {
            Some(Cause::ForkingOff)
        } else {
            None
        };
        let may_fork = no_forks.is_none();
        let is_concolic = self.options.mode == Mode::Concolic;
        let not_yet = no_forks.map_or(Feasibility::Deferred, Feasibility::NotAsked);
        let mut decided = vec![Finding::new(not_yet); conditions.len()];
        let mut undecided = Vec::new();
        for (index, choice) in choices.iter().enumerate() {
            match self.recall(node, &choice.decision) {
                Some(known) => decided[index] = known,
                None if index != taken => undecided.push(index),
                None if is_concolic || self.options.trust_model => {
                    decided[taken] = Finding::input(Feasibility::Model, running.input.clone());
                }
                None => decided[taken] = self.decide(&running.trail, conditions[taken]),
            }
        }
        if !may_fork || is_concolic {
            return decided;
        }
        if !undecided.is_empty() {
            // The last query may have been about a way not taken: its model would have to be mended, at each place
            // where this path went another one.
            self.asker.suggest(&running.input);
        }
        if self.options.trust_model {
            self.decide_together(&running.trail, conditions, &mut undecided, &mut decided);
        }
        for index in undecided {
            decided[index] = self.decide(&running.trail, conditions[index]);
        }
        decided
    }

    /// Where there are many choices, most are often infeasible: as long as several are undecided, asks whether any of
    /// them is feasible. Each answer either shows one that is or settles all that are left.
    fn decide_together(
        &mut self,
        trail: &Trail,
        conditions: &[Term],
        undecided: &mut Vec<usize>,
        decided: &mut [Finding],
    ) {
        while undecided.len() > 1 {
            let any = self.any_of(conditions, undecided);
            let finding = self.decide(trail, any);
            match (&finding.feasibility, finding.input) {
                (Feasibility::Feasible, Some(input)) => {
                    let Some(choice) = self.asker.choice_of(&input, conditions) else {
                        return;
                    };
                    let before = undecided.len();
                    undecided.retain(|&other| other != choice);
                    if undecided.len() == before {
                        return;
                    }
                    decided[choice] = Finding::input(Feasibility::Feasible, input);
                }
                (Feasibility::Infeasible, _) => {
                    // What conflicts with all of them conflicts with each.
                    for choice in undecided.drain(..) {
                        decided[choice] = Finding {
                            core: finding.core.clone(),
                            ..Finding::new(Feasibility::Infeasible)
                        };
                    }
                }
                _ => return,
            }
        }
    }

    /// That one of some choices is taken. Words always take one, so that it is none of the others: conditions side by
    /// side are easier to answer.
    fn any_of(&mut self, conditions: &[Term], choices: &[usize]) -> Term {
        let terms = &mut self.asker.terms;
        if self.options.numbers == Numbers::Integers {
            let choices: Vec<Term> = choices.iter().map(|&choice| conditions[choice]).collect();
            return terms.or(&choices);
        }
        let mut none = Vec::new();
        for (choice, &condition) in conditions.iter().enumerate() {
            if !choices.contains(&choice) {
                none.push(terms.not(condition));
            }
        }
        terms.and(&none)
    }

    /// Whether a condition is feasible on a path, and an input for which it holds.
    pub(crate) fn decide(&mut self, trail: &Trail, condition: Term) -> Finding {
        let wants = self.wants(0);
        let outcome = self.asker.check(trail, condition, wants);
        self.judge(trail, outcome.result)
    }

    /// What a query is to find out beside its answer: cores are for the memo tree.
    pub(crate) fn wants(&self, partial_solutions: usize) -> Wants {
        Wants {
            core: self.memory.is_some(),
            partial_solutions,
        }
    }

    /// What an answer says of the feasibility of what was asked on a path.
    pub(crate) fn judge(&mut self, trail: &Trail, result: CheckResult) -> Finding {
        let feasibility = match result {
            CheckResult::Sat(input) => return Finding::input(Feasibility::Feasible, input),
            CheckResult::Unsat(conflict) => {
                let conflict = conflict.formulas.filter(|_| self.memory.is_some());
                let core = conflict.and_then(|all| core_bytes(&all, trail.conditions_backwards()));
                return Finding {
                    core,
                    ..Finding::new(Feasibility::Infeasible)
                };
            }
            CheckResult::Unknown(Reason::Conflicts) => Feasibility::Deferred,
            // The whole run has come to its end, not the query.
            CheckResult::Unknown(Reason::Timeout | Reason::Interrupted)
                if self.budget.is_over() =>
            {
                Feasibility::Deferred
            }
            CheckResult::Unknown(reason) => {
                if let Reason::Disagreement(what) = &reason {
                    self.fail(ExploreError::Disagreement(what.clone()));
                }
                Feasibility::Unknown(reason)
            }
        };
        Finding::new(feasibility)
    }

    /// Goes on with one of the open choices and keeps the others.
    fn go(
        &mut self,
        mut running: Running<M::State>,
        node: Option<Node>,
        mut choices: Vec<Choice>,
        open: &[usize],
        conditions: &[Term],
        taken: usize,
    ) -> Next<M::State> {
        if open.is_empty() {
            self.frontier.cut(running.node);
            return Next::PickAgain;
        }
        let forks = open.len() as u64 - 1;
        self.stats.forks += forks;
        self.hub.count_forks(forks);
        let in_time = self.machine.instructions(&running.state) < running.until;
        let sure: Vec<usize> = open
            .iter()
            .copied()
            .filter(|&index| choices[index].input.is_some())
            .collect();
        let go_on = match (self.options.mode, &sure[..]) {
            (Mode::Concolic, _) if sure.contains(&taken) => Some(taken),
            (Mode::Concolic, _) => sure.first().copied(),
            (Mode::Fork, _) if sure.contains(&taken) && self.seeds.contains(&running.input) => {
                Some(taken)
            }
            (Mode::Fork, _) if !in_time => None,
            (Mode::Fork, [] | [_]) => sure.first().copied(),
            (Mode::Fork, several) => self.frontier.go_on(several.len()).map(|nth| several[nth]),
        };
        let nodes = self.frontier.split(running.node, conditions, open);
        let mut kept = Vec::new();
        // The first choice is to be on top.
        for &index in open.iter().rev() {
            if Some(index) != go_on {
                kept.push((index, self.machine.fork(&mut running.state)));
            }
        }
        for (index, mut state) in kept {
            self.machine.park(&mut state);
            let choice = &mut choices[index];
            let input = choice.input.take();
            let pending = Pending {
                state: Some(state),
                trail: running.trail.clone(),
                next: Some((choice.decision.clone(), choice.condition)),
                is_feasible: input.is_some(),
                input: input.unwrap_or_else(|| running.input.clone()),
                node: nodes.get(index).copied().or(running.node),
                edge: node.map_or(running.edge, |node| node.edge(&choice.decision)),
                ran: Ran::default(),
                // What was new on the way here is told once.
                is_new: go_on.is_none() && std::mem::take(&mut running.is_new),
            };
            self.frontier.add(self.machine, pending);
        }
        let Some(index) = go_on else {
            return Next::PickAgain;
        };
        let choice = choices.swap_remove(index);
        self.take(&mut running, node, choice.decision, choice.condition);
        if let Some(input) = choice.input {
            running.input = input;
        }
        running.node = nodes.get(index).copied().or(running.node);
        Next::GoOn(running)
    }
}
