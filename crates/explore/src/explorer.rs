//! The explorer: picks a pending state, runs it until it must ask, decides which choices are feasible, and keeps the
//! others for later.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use refrain_machine::{Cause, CodePiece, End, InputValue, Machine, Point, Stop};
use refrain_memo::{Edge, MemoError};
use refrain_reuse::allowance::Allowance;
use refrain_solver::Reason;
use refrain_term::{Assignment, Term};
use rustc_hash::FxHashMap;

use crate::asker::Asker;
use crate::branching::{Finding, Next};
use crate::budget::Budget;
use crate::error::{Divergence, ExploreError};
use crate::frontier::{Frontier, NodeId, Pending, SurplusInput, WorkItem};
use crate::hub::Hub;
use crate::listener::{Decided, Feasibility, Listener, Path, Progress};
use crate::memo::{Memory, PathEnd, Place};
use crate::multiplex;
use crate::options::{MakeSolver, Options};
use crate::ran::Ran;
use crate::stats::Stats;
use crate::stop::StopReason;
use crate::trail::{Decision, PlaceId, Trail};

/// Instructions between two looks at the clock.
const SLICE: u64 = 1_000_000;

/// Questions between two looks at the clock.
const QUESTIONS: u32 = 32;

/// A path that is being followed.
pub(crate) struct Running<S> {
    pub state: S,
    pub trail: Trail,
    /// Choices since the end of the trail that the path condition left alone, and where they lead.
    pub implied: Vec<u32>,
    pub place: PlaceId,
    pub input: Arc<Assignment>,
    pub node: Option<NodeId>,
    /// Where it is in the memo tree.
    pub edge: Edge,
    /// Code that ran since the last question that was told.
    pub ran: Ran,
    /// Code ran that had not run before.
    pub is_new: bool,
    /// Instructions after which something else is picked.
    pub until: u64,
}

impl<S> Running<S> {
    /// Makes part of the path what has happened without a question: choices that were implied, code that ran.
    pub fn record(&mut self, ran: &[CodePiece]) {
        self.ran.add(ran);
        if !self.implied.is_empty() {
            let run = Decision::Implied(self.implied.as_slice().into());
            self.trail = self.trail.at_place(run, Term::TRUE, self.place);
            self.implied.clear();
        }
    }

    /// Makes a decision part of the trail.
    pub fn decide(&mut self, decision: Decision, condition: Term) {
        self.trail = self.trail.with(decision, condition);
        self.place = self.trail.place();
    }
}

/// Inputs, told apart by where they are.
#[derive(Default)]
pub(crate) struct Seeds(FxHashMap<*const Assignment, Arc<Assignment>>);

impl Seeds {
    fn add(&mut self, input: &Arc<Assignment>) {
        self.0.insert(Arc::as_ptr(input), input.clone());
    }

    pub fn contains(&self, input: &Arc<Assignment>) -> bool {
        !self.0.is_empty() && self.0.contains_key(&Arc::as_ptr(input))
    }
}

pub struct Explorer<'a, M: Machine, L> {
    pub(crate) machine: &'a mut M,
    pub(crate) listener: &'a mut L,
    pub(crate) options: &'a Options,
    pub(crate) hub: &'a Hub,
    pub(crate) make_solver: MakeSolver<'a>,
    /// Before the first instruction.
    pub(crate) root: M::State,
    pub(crate) asker: Asker,
    pub(crate) frontier: Frontier<M::State>,
    pub(crate) budget: Budget<'a>,
    /// What earlier runs know, and what this worker records.
    pub(crate) memory: Option<Memory>,
    pub(crate) partial_solutions: Option<Allowance>,
    /// Inputs that the user gave: each is followed to its end before others are.
    pub(crate) seeds: Seeds,
    pub(crate) stats: Stats,
    /// How many terms there were before anything was explored.
    pub(crate) terms_at_start: usize,
    /// Why nothing that would be found is to be trusted.
    failure: Option<ExploreError>,
    /// Time that the listener took.
    telling: Duration,
}

impl<'a, M: Machine, L: Listener<M>> Explorer<'a, M, L> {
    pub fn new(
        machine: &'a mut M,
        make_solver: MakeSolver<'a>,
        listener: &'a mut L,
        options: &'a Options,
        hub: &'a Hub,
    ) -> Result<Explorer<'a, M, L>, ExploreError> {
        let memory = options.memo.clone().map(Memory::new).transpose()?;
        if memory.is_some() {
            machine.trace_code(true);
        }
        let budget = Budget::new(&options.limits, hub.started());
        let (limits, per_query) = (budget.solver_limits(), options.limits.query);
        let mut asker = Asker::new(
            options.numbers,
            hub.settled(),
            make_solver(),
            limits,
            per_query,
        );
        let root = machine.begin(&mut asker.terms);
        Ok(Explorer {
            memory,
            frontier: Frontier::new(options.search.searcher(options.seed)),
            partial_solutions: multiplex::allowance(options),
            seeds: Seeds::default(),
            terms_at_start: asker.terms.len(),
            machine,
            listener,
            options,
            hub,
            make_solver,
            root,
            asker,
            budget,
            stats: Stats::default(),
            failure: None,
            telling: Duration::ZERO,
        })
    }

    /// Explores until nothing is left or a limit is reached. Only one of several workers begins at the root.
    pub fn explore(&mut self, at_root: bool) -> Result<StopReason, ExploreError> {
        let has_work = self.memory.as_ref().is_none_or(Memory::has_work);
        if at_root && has_work {
            let running = self.at_root();
            self.run_on(running);
        }
        loop {
            self.look_around();
            self.enforce_memory_limit();
            if let Some(reason) = self.budget.stopped() {
                self.leave_all(reason);
                self.hub.leave();
                return self.result(reason);
            }
            if let Some(pending) = self.frontier.pick(self.machine) {
                if let Some(running) = self.resume(pending) {
                    self.run_on(running);
                }
            } else if let Some(work) = self.frontier.pop_evicted() {
                self.take_over_or_fail(work);
            } else if self.frontier.has_deferred() {
                self.asker.raise_conflict_budget();
                self.frontier.take_deferred_back(self.machine);
            } else if let Some(work) = self.hub.wait_for_work() {
                self.take_over_or_fail(work);
            } else {
                let reason = self.hub.stopped().unwrap_or(StopReason::Done);
                return self.result(reason);
            }
        }
    }

    fn result(&mut self, reason: StopReason) -> Result<StopReason, ExploreError> {
        self.tell();
        match self.failure.take() {
            Some(failure) => Err(failure),
            None => Ok(reason),
        }
    }

    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    // Running.

    fn at_root(&mut self) -> Running<M::State> {
        let memory = self.memory.as_ref();
        let known = memory.and_then(|memory| memory.input(Edge::ROOT));
        let values = known.as_ref().unwrap_or(&self.options.first_input);
        let input = self.asker.first_input(self.machine.inputs_mut(), values);
        let node = self.frontier.add_root();
        if known.is_none() && !self.options.first_input.is_empty() {
            self.seeds.add(&input);
        }
        for values in &self.options.more_inputs {
            let input = self.asker.input(self.machine.inputs_mut(), values);
            self.seeds.add(&input);
            self.frontier.keep(node, SurplusInput::seed(input));
        }
        Running {
            state: self.machine.fork(&mut self.root),
            trail: Trail::default(),
            implied: Vec::new(),
            place: PlaceId::ROOT,
            input,
            node: Some(node),
            edge: Edge::ROOT,
            ran: Ran::default(),
            is_new: false,
            until: self.frontier.slice(),
        }
    }

    fn take_over_or_fail(&mut self, work: WorkItem) {
        if let Err(divergence) = self.take_over(work) {
            self.diverged(divergence);
        }
    }

    /// Makes sure that inputs lead to a pending state, and answers its question.
    fn resume(&mut self, mut pending: Pending<M::State>) -> Option<Running<M::State>> {
        if !pending.is_feasible && !self.find_input(&mut pending)? {
            return None;
        }
        let mut state = match pending.state.take() {
            Some(state) => state,
            None => match self.state_of(&pending) {
                Ok(state) => state,
                Err(divergence) => {
                    self.diverged(divergence);
                    return None;
                }
            },
        };
        let mut ran = pending.ran;
        let mut trail = pending.trail;
        if let Some((decision, condition)) = pending.next {
            if let Some(answer) = decision.answer() {
                self.machine.answer(&mut state, &answer);
            }
            if decision == Decision::Assumed(true) {
                self.assumption_holds(pending.edge);
            }
            trail = trail.with(decision, condition);
            ran.clear();
        }
        self.asker.suggest(&pending.input);
        let so_far = self.machine.instructions(&state);
        Some(Running {
            state,
            place: trail.place(),
            trail,
            implied: Vec::new(),
            input: pending.input,
            node: pending.node,
            edge: pending.edge,
            ran,
            is_new: pending.is_new,
            until: so_far.saturating_add(self.frontier.slice()),
        })
    }

    /// Whether an input leads to a pending state; None if the query is deferred.
    fn find_input(&mut self, pending: &mut Pending<M::State>) -> Option<bool> {
        let (decision, condition) = pending.next.clone()?;
        let base = pending.input.clone();
        let next = (&decision, condition);
        let Finding {
            feasibility,
            input,
            core,
        } = self.decide_and_multiplex(&pending.trail, next, &base, pending.node);
        if feasibility == Feasibility::Deferred {
            let deferred = Pending {
                state: pending.state.take(),
                trail: pending.trail.clone(),
                next: pending.next.take(),
                input: base,
                is_feasible: false,
                node: pending.node.take(),
                edge: pending.edge,
                ran: std::mem::take(&mut pending.ran),
                is_new: pending.is_new,
            };
            self.frontier.defer(deferred);
            return None;
        }
        self.tell_decided(
            &pending.trail,
            &decision,
            condition,
            &feasibility,
            input.as_ref(),
        );
        Some(match (feasibility, input) {
            (_, Some(input)) => {
                pending.input = input;
                true
            }
            // What the program assumes holds for no input: the machine is told, and says so.
            (Feasibility::Infeasible, None) if decision == Decision::Assumed(true) => {
                pending.next = Some((Decision::Assumed(false), Term::TRUE));
                pending.edge = self.assumption_failed(pending.edge, core.as_deref());
                true
            }
            (feasibility, None) => {
                match feasibility {
                    Feasibility::Unknown(reason) => {
                        self.leave_undecided(&pending.whole_trail(), pending.edge, &reason);
                    }
                    _ => self.note_infeasible(pending.edge, core.as_deref()),
                }
                self.frontier.cut(pending.node);
                false
            }
        })
    }

    /// Follows a path until it ends or something else is to be picked, and times that: what is not spent on queries is
    /// execution.
    fn run_on(&mut self, running: Running<M::State>) {
        let (started, asking, telling) = (Instant::now(), self.asker.took(), self.telling);
        self.follow(running);
        self.lead_surplus_on();
        let elsewhere = self.asker.took() - asking + (self.telling - telling);
        self.stats.execute += started.elapsed().saturating_sub(elsewhere);
    }

    fn follow(&mut self, mut running: Running<M::State>) {
        let mut asked = 0u32;
        // What others have executed is not of this path.
        self.machine.take_ran();
        loop {
            let before = self.machine.instructions(&running.state);
            if before >= self.options.limits.instructions {
                return self.cut(running, &Cause::Instructions);
            }
            if self.machine.unrolled(&running.state) > self.options.limits.unroll {
                return self.cut(running, &Cause::Unroll);
            }
            let fuel = SLICE.min(self.options.limits.instructions - before);
            let terms = &mut self.asker.terms;
            let stop = self.machine.run(terms, &mut running.state, fuel);
            self.stats.instructions += self.machine.instructions(&running.state) - before;
            let new = self.machine.newly_covered();
            self.frontier.covered += new;
            running.is_new |= new > 0;
            let is_long = matches!(stop, Stop::OutOfFuel);
            match stop {
                Stop::End(end) => return self.end(running, &end),
                Stop::Ask(ask) => match self.answer(running, ask) {
                    Next::GoOn(next) => running = next,
                    Next::PickAgain => return,
                },
                Stop::OutOfFuel => {}
            }
            asked += 1;
            if asked.is_multiple_of(QUESTIONS) || is_long {
                self.look_around();
                let now = self.machine.instructions(&running.state);
                if self.budget.stopped().is_some() || (is_long && now >= running.until) {
                    return self.put_back(running);
                }
                if self.budget.is_short_of_memory() {
                    // What is running has terms, and they have to go.
                    if self.budget.restarts_are_in_vain() {
                        return self.cut(running, &Cause::Memory);
                    }
                    self.budget.wants_restart = true;
                    return self.put_back(running);
                }
            }
        }
    }

    /// Another state's turn.
    fn put_back(&mut self, mut running: Running<M::State>) {
        running.record(self.machine.take_ran());
        let pending = Pending {
            state: Some(running.state),
            trail: running.trail,
            next: None,
            input: running.input,
            is_feasible: true,
            node: running.node,
            edge: running.edge,
            ran: running.ran,
            is_new: running.is_new,
        };
        self.frontier.add(self.machine, pending);
    }

    // Ends.

    fn end(&mut self, mut running: Running<M::State>, end: &End) {
        self.stats.paths += 1;
        self.prefer(&mut running);
        self.finish(running, &PathEnd::End(end), |listener, path| {
            listener.end(path, end)
        });
    }

    /// A limit ends a path that is running.
    pub(crate) fn cut(&mut self, running: Running<M::State>, cause: &Cause) {
        let text = cause.to_string();
        // Whoever is told may let the state go on.
        let stack = match &self.memory {
            Some(_) => self.machine.stack(&running.state, None),
            None => Vec::new(),
        };
        self.cut_as(running, cause, &PathEnd::Cut(&text, &stack));
    }

    /// A path ends at an assumption of which it is not known whether it holds for any input.
    pub(crate) fn cut_undecided(&mut self, running: Running<M::State>, reason: &Reason) {
        let reason = reason.to_string();
        let cause = Cause::Undecided(reason.clone());
        self.cut_as(running, &cause, &PathEnd::Undecided(&reason));
    }

    fn cut_as(&mut self, mut running: Running<M::State>, cause: &Cause, ending: &PathEnd<'_>) {
        self.stats.boundaries += 1;
        self.stats.paths += 1;
        self.prefer(&mut running);
        self.finish(running, ending, |listener, path| {
            listener.boundary(&path.trail.clone(), cause, Some(path))
        });
    }

    fn finish(
        &mut self,
        mut running: Running<M::State>,
        ending: &PathEnd<'_>,
        tell: impl FnOnce(&mut L, Path<'_, M>) -> ControlFlow<(), Option<u32>>,
    ) {
        running.record(self.machine.take_ran());
        self.frontier.cut(running.node);
        self.budget.note_end_of_path();
        let terms = &mut self.asker.terms;
        let words = self.asker.arithmetic.machine_input(terms, &running.input);
        let started = Instant::now();
        let path = Path {
            machine: self.machine,
            terms,
            state: &mut running.state,
            trail: &running.trail,
            input: words.as_ref().unwrap_or(&running.input),
            ran: running.ran.pieces(),
            is_new: running.is_new,
            earlier_test: (self.memory.as_ref()).and_then(|memory| memory.test(running.edge)),
        };
        let test = match tell(self.listener, path) {
            ControlFlow::Continue(test) => test,
            ControlFlow::Break(()) => {
                self.budget.stop(StopReason::Interrupted);
                None
            }
        };
        self.record_end(&mut running, ending, test);
        self.telling += started.elapsed();
        if self.hub.count_path() >= self.options.limits.paths {
            self.budget.stop(StopReason::Paths);
        }
    }

    /// Among the inputs of a path, takes one that has more of what the program says it would like.
    fn prefer(&mut self, running: &mut Running<M::State>) {
        let wanted = self.machine.preferences(&running.state).to_vec();
        let mut trail = running.trail.clone();
        for term in wanted {
            let Ok(condition) = self.asker.condition(self.machine.inputs(), term) else {
                continue;
            };
            if !self.asker.holds(&running.input, condition) {
                match self.asker.find(&trail, condition) {
                    Ok(Some(input)) => running.input = input,
                    Ok(None) | Err(_) => continue,
                }
            }
            trail = trail.with(Decision::Assumed(true), condition);
        }
    }

    /// Places at the end of a trail that nothing runs at stay unexplored.
    fn leave(&mut self, trail: &Trail, cause: &Cause) {
        self.stats.boundaries += 1;
        if self.listener.boundary(trail, cause, None).is_break() {
            self.budget.stop(StopReason::Interrupted);
        }
    }

    /// A choice is not explored.
    pub(crate) fn leave_choice(
        &mut self,
        trail: &Trail,
        edge: Edge,
        cause: &Cause,
        stack: &[Point],
    ) {
        self.leave(trail, cause);
        self.record_boundary(edge, cause, stack, None);
    }

    /// It is not known whether a choice is feasible.
    pub(crate) fn leave_undecided(&mut self, trail: &Trail, edge: Edge, reason: &Reason) {
        let reason = reason.to_string();
        if let Some(memory) = &mut self.memory {
            memory.unknown(edge, &reason);
        }
        self.leave(trail, &Cause::Undecided(reason));
    }

    pub(crate) fn leave_pending(&mut self, pending: &Pending<M::State>, cause: &Cause) {
        self.leave(&pending.whole_trail(), cause);
        if self.memory.is_some() && !self.budget.is_late() {
            let input = pending.is_feasible.then(|| self.values(&pending.input));
            let next = pending.next.as_ref().map(|(decision, _)| decision);
            let state = pending.state.as_ref();
            let stack = state.map_or(Vec::new(), |state| self.stack(state, next));
            self.record_boundary(pending.edge, cause, &stack, input.as_deref());
        }
    }

    pub(crate) fn leave_work(&mut self, work: &WorkItem, cause: &Cause) {
        self.leave(&work.trail(), cause);
        if !self.budget.is_late() {
            let input = work.is_feasible.then_some(&work.input[..]);
            self.record_boundary(work.edge, cause, &[], input);
        }
    }

    /// Everything that is pending stays unexplored.
    fn leave_all(&mut self, reason: StopReason) {
        self.frontier.take_deferred_back(self.machine);
        for id in self.frontier.ids() {
            let pending = self.frontier.remove(id);
            self.leave_pending(&pending, &reason.cause());
            if self.options.limits.ends_process {
                // To free a state takes as long as to write it down.
                std::mem::forget(pending);
            }
        }
        for work in self.frontier.take_evicted(self.frontier.evicted()) {
            self.leave_work(&work, &reason.cause());
        }
    }

    // The memo tree.

    /// An input as whoever has other terms understands it.
    pub(crate) fn values(&self, input: &Arc<Assignment>) -> Vec<InputValue> {
        let input = self.asker.path_input(input);
        input.values(&self.asker.terms, self.machine.inputs())
    }

    fn record_end(
        &mut self,
        running: &mut Running<M::State>,
        ending: &PathEnd<'_>,
        test: Option<u32>,
    ) {
        if self.memory.is_none() {
            return;
        }
        let input = self.values(&running.input);
        let at = Place {
            edge: running.edge,
            trail: &running.trail,
            state: &running.state,
            ran: running.ran.pieces(),
        };
        if let Some(memory) = &mut self.memory {
            memory.end(self.machine, &at, ending, &input, test);
        }
    }

    fn record_boundary(
        &mut self,
        edge: Edge,
        cause: &Cause,
        stack: &[Point],
        input: Option<&[InputValue]>,
    ) {
        if let Some(memory) = &mut self.memory {
            memory.leave(self.machine, edge, &cause.to_string(), stack, input);
        }
    }

    /// Where a state is when it has taken a decision, if anybody records that.
    pub(crate) fn stack(&self, state: &M::State, next: Option<&Decision>) -> Vec<Point> {
        let choice = match next {
            Some(Decision::Choice(choice)) => Some(*choice),
            _ => None,
        };
        match self.memory {
            Some(_) => self.machine.stack(state, choice),
            None => Vec::new(),
        }
    }

    /// Writes what is not on disk yet.
    pub(crate) fn finish_recording(&mut self) -> Result<(), MemoError> {
        self.memory.take().map_or(Ok(()), Memory::finish)
    }

    // The budget.

    /// Looks at the clock, at the memory and at the other workers, now and then.
    fn look_around(&mut self) {
        let tells = self.budget.step(self.frontier.len());
        if let Some(reason) = self.hub.stopped() {
            self.budget.stop(reason);
        }
        if self.hub.is_hungry() {
            self.share();
        }
        if tells {
            self.tell();
        }
        self.evict_if_due();
        if let Some(reason) = self.budget.stopped() {
            self.hub.stop(reason);
        }
    }

    /// Tells the listener how far the run is.
    fn tell(&mut self) {
        self.stats.effort = self.asker.effort();
        self.stats.total = self.budget.started.elapsed();
        self.stats.build = self.machine.building();
        self.stats.most_pending = self.frontier.most_pending;
        let progress = Progress {
            elapsed: self.stats.total,
            stats: &self.stats,
            pending: self.frontier.len(),
        };
        self.listener.progress(self.machine, &progress);
    }

    pub(crate) fn tell_decided(
        &mut self,
        trail: &Trail,
        decision: &Decision,
        condition: Term,
        feasibility: &Feasibility,
        input: Option<&Arc<Assignment>>,
    ) {
        self.listener.decided(&Decided {
            machine: &*self.machine,
            terms: &self.asker.terms,
            place: trail.place(),
            decision,
            condition,
            feasibility,
            input: input.map(|input| self.asker.path_input(input)),
        });
    }

    // Failures.

    /// Something happened that cannot happen: nothing that would come after it is to be trusted.
    pub(crate) fn fail(&mut self, why: ExploreError) {
        self.failure.get_or_insert(why);
        self.budget.stop(StopReason::Interrupted);
    }

    pub(crate) fn diverged(&mut self, divergence: Divergence) {
        self.fail(divergence.into());
    }
}
