//! The explorer: picks what is pending, runs it until it must ask, decides which ways inputs go, and keeps the others
//! for later.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use refrain_reuse::allowance::Allowance;
use refrain_solver::Verdict;
use refrain_term::{Assignment, Evaluator, Terms};

use crate::arithmetic::Arithmetic;
use crate::branching::Next;
use crate::hub::Hub;
use crate::listener::{Decided, End, How, Left, Listener, Path, Progress, StopReason};
use crate::machine::{Goal, Machine, Stop};
use crate::options::{MakeSolver, Mode, Options};
use crate::pending::{Pending, Portable, Slab};
use crate::questions::Questions;
use crate::search::{Id, Searcher, View};
use crate::stats::Stats;
use crate::trail::{Decision, Trail};
use crate::tree::{NodeId, Tree};

/// Instructions between two looks at the clock.
const SLICE: u64 = 1_000_000;

/// How often a listener is told how far it is.
const BETWEEN_PROGRESS: Duration = Duration::from_millis(500);

/// Makes the state that everything starts from.
pub type Begin<'a, M> = &'a mut dyn FnMut(&mut M, &mut Terms) -> <M as Machine>::State;

/// A path that is being followed.
pub(crate) struct Running<S> {
    pub state: S,
    pub trail: Trail,
    pub input: Arc<Assignment>,
    pub node: Option<NodeId>,
    pub ran: Vec<u32>,
    /// Code ran that had not run before.
    pub is_new: bool,
    /// Instructions after which something else is picked.
    pub until: u64,
}

pub struct Explorer<'a, M: Machine, L> {
    pub(crate) machine: &'a mut M,
    pub(crate) begin: Begin<'a, M>,
    pub(crate) make_solver: MakeSolver<'a>,
    pub(crate) listener: &'a mut L,
    pub(crate) options: &'a Options,
    pub(crate) hub: &'a Hub,
    pub(crate) terms: Terms,
    pub(crate) root: M::State,
    pub(crate) questions: Questions,
    pub(crate) arithmetic: Arithmetic,
    pub(crate) evaluator: Evaluator,
    /// What the evaluator remembers values under.
    pub(crate) evaluated: Arc<Assignment>,
    pub(crate) pending: Slab<M::State>,
    /// Inputs are known that lead to these: they come first.
    pub(crate) ready: VecDeque<Id>,
    /// What took too long to decide: it comes after everything else, with more patience.
    pub(crate) hard: Vec<Pending<M::State>>,
    /// How many conflicts a question may meet.
    patience: u64,
    /// What there was no memory for.
    pub(crate) aside: Vec<Portable>,
    pub(crate) searcher: Box<dyn Searcher>,
    pub(crate) tree: Tree,
    /// How many partial solutions are asked for, by what came of them.
    pub(crate) asked_for: Option<Allowance>,
    pub(crate) covered: u64,
    pub(crate) stats: Stats,
    pub(crate) before_reset: refrain_solver::Effort,
    /// How many terms there were before anything was explored.
    pub(crate) terms_at_start: usize,
    pub(crate) started: Instant,
    deadline: Option<Instant>,
    told: Instant,
    pub(crate) steps: u64,
    /// Why nothing that would be found is to be trusted.
    pub(crate) failure: Option<String>,
    stopped: Option<StopReason>,
    /// Time that listeners took.
    telling: Duration,
    /// A path could not go on without everything being forgotten, and how often it was since one ended.
    pub(crate) wants_anew: bool,
    pub(crate) anew_in_vain: u32,
}

/// How many conflicts a question may meet before it has to wait for easier ones, and by how much that grows when none
/// are left.
const FIRST_PATIENCE: u64 = 300;
const MORE_PATIENCE: u64 = 4;

/// How often everything is forgotten for one path.
const MOST_IN_VAIN: u32 = 2;

/// What searchers see.
struct Seen<'a, M: Machine> {
    machine: &'a mut M,
    pending: &'a Slab<M::State>,
    tree: &'a Tree,
    covered: u64,
}

impl<M: Machine> View for Seen<'_, M> {
    fn tree(&self) -> &Tree {
        self.tree
    }

    fn distance(&mut self, id: Id, goal: Goal) -> Option<u32> {
        let pending = self.pending.get(id);
        // One that was set aside has nothing to measure from.
        let state = pending.state.as_ref()?;
        let way = match pending.next {
            Some((Decision::Way(way), _)) => Some(way),
            _ => None,
        };
        self.machine.distance(state, way, goal)
    }

    fn covered(&self) -> u64 {
        self.covered
    }
}

impl<'a, M: Machine, L: Listener<M>> Explorer<'a, M, L> {
    pub fn new(
        machine: &'a mut M,
        begin: Begin<'a, M>,
        make_solver: MakeSolver<'a>,
        listener: &'a mut L,
        options: &'a Options,
        hub: &'a Hub,
    ) -> Explorer<'a, M, L> {
        let mut terms = Terms::new();
        let root = begin(machine, &mut terms);
        let started = hub.started();
        let limits = &options.limits;
        let deadline = limits.time.map(|time| started + time);
        let solver_limits = refrain_solver::Limits {
            deadline,
            stop: Some(limits.stop.clone()),
            conflicts: Some(FIRST_PATIENCE),
        };
        let asked_for = options
            .partial_solutions
            .filter(|_| options.mode == Mode::Concolic)
            .map(|most| Allowance::between(1, 16.min(most), most));
        let input = Arc::new(Assignment::new());
        Explorer {
            questions: Questions::new(make_solver(), solver_limits, limits.question),
            arithmetic: Arithmetic::new(options.numbers, hub.settled()),
            searcher: options.search.searcher(options.seed),
            machine,
            begin,
            make_solver,
            listener,
            options,
            hub,
            root,
            evaluator: Evaluator::new(),
            evaluated: input,
            pending: Slab::new(),
            ready: VecDeque::new(),
            hard: Vec::new(),
            patience: FIRST_PATIENCE,
            aside: Vec::new(),
            tree: Tree::new(),
            asked_for,
            covered: 0,
            stats: Stats::default(),
            before_reset: refrain_solver::Effort::default(),
            terms_at_start: terms.len(),
            terms,
            started,
            deadline,
            told: started,
            steps: 0,
            failure: None,
            stopped: None,
            telling: Duration::ZERO,
            wants_anew: false,
            anew_in_vain: 0,
        }
    }

    /// Explores until nothing is left or a limit is reached. Only one of several workers begins at the root.
    pub fn explore(&mut self, at_root: bool) -> Result<StopReason, String> {
        if at_root {
            let state = self.machine.fork(&mut self.root);
            let input = self
                .arithmetic
                .first_input(&mut self.terms, &self.options.first_input);
            let node = self.tree.add_root();
            self.run_on(Running {
                state,
                trail: Trail::default(),
                input: Arc::new(input),
                node: Some(node),
                ran: Vec::new(),
                is_new: false,
                until: self.searcher.patience(),
            });
        }
        loop {
            self.look_around();
            self.mind_memory();
            if let Some(reason) = self.stopped {
                self.leave_all(reason);
                self.hub.leave();
                return self.result(reason);
            }
            let Some(id) = self.pick() else {
                let own = self.aside.pop();
                if own.is_none() && !self.hard.is_empty() {
                    self.patience = self.patience.saturating_mul(MORE_PATIENCE);
                    self.questions.set_patience(self.patience);
                    self.take_hard_back();
                    continue;
                }
                match own.or_else(|| self.hub.wait_for_work()) {
                    Some(work) => {
                        self.take_work(work);
                        continue;
                    }
                    None => {
                        let reason = self.hub.stopped().unwrap_or(StopReason::Done);
                        return self.result(reason);
                    }
                }
            };
            let pending = self.remove(id);
            if let Some(running) = self.set_out(pending) {
                self.run_on(running);
            }
        }
    }

    fn result(&mut self, reason: StopReason) -> Result<StopReason, String> {
        self.tell();
        match self.failure.take() {
            Some(what) => Err(what),
            None => Ok(reason),
        }
    }

    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// What became of all questions so far.
    pub(crate) fn effort(&self) -> refrain_solver::Effort {
        let mut stats = Stats {
            effort: self.before_reset.clone(),
            ..Stats::default()
        };
        stats.add(&Stats {
            effort: self.questions.effort(),
            ..Stats::default()
        });
        stats.effort
    }

    // Picking.

    fn pick(&mut self) -> Option<Id> {
        while let Some(id) = self.ready.pop_front() {
            if self.pending.has(id) {
                return Some(id);
            }
        }
        if self.pending.is_empty() {
            return None;
        }
        let mut seen = Seen {
            machine: self.machine,
            pending: &self.pending,
            tree: &self.tree,
            covered: self.covered,
        };
        Some(self.searcher.pick(&mut seen))
    }

    pub(crate) fn add(&mut self, pending: Pending<M::State>) {
        let node = pending.node;
        let id = self.pending.add(pending);
        if let Some(node) = node {
            self.tree.wait(node, id);
        }
        self.stats.most_pending = self.stats.most_pending.max(self.pending.len() as u64);
        let mut seen = Seen {
            machine: self.machine,
            pending: &self.pending,
            tree: &self.tree,
            covered: self.covered,
        };
        self.searcher.add(id, &mut seen);
    }

    /// Takes something out of what is pending; it is running then, or gone.
    pub(crate) fn remove(&mut self, id: Id) -> Pending<M::State> {
        self.searcher.remove(id);
        let pending = self.pending.take(id);
        if let Some(node) = pending.node {
            self.tree.run(node);
        }
        pending
    }

    /// Puts what took too long among everything else.
    pub(crate) fn take_hard_back(&mut self) {
        for mut pending in std::mem::take(&mut self.hard) {
            pending.node = Some(self.tree.add_root());
            self.add(pending);
        }
    }

    pub(crate) fn cut(&mut self, node: Option<NodeId>) {
        if let Some(node) = node {
            self.tree.cut(node);
        }
    }

    // Running.

    /// Makes sure that inputs lead to what was pending, and answers its question.
    fn set_out(&mut self, mut pending: Pending<M::State>) -> Option<Running<M::State>> {
        if !pending.is_feasible {
            let place = pending.trail.id();
            let (decision, condition) = pending.next?;
            let how = self.decide(&pending.trail, condition);
            if how == How::Open {
                self.try_partial_solutions(&pending.input);
                self.cut(pending.node.take());
                self.hard.push(pending);
                return None;
            }
            self.listener.decided(&Decided {
                place,
                decision,
                how: &how,
            });
            match how {
                How::Feasible => pending.input = self.questions.model(&mut self.terms),
                how => {
                    if let How::Unknown(reason) = how {
                        let trail = pending.trail.with(decision, condition);
                        self.leave(&trail, &Left::Unknown(reason));
                    }
                    self.cut(pending.node);
                    self.try_partial_solutions(&pending.input);
                    return None;
                }
            }
            self.try_partial_solutions(&pending.input);
        }
        let mut state = match pending.state {
            Some(state) => state,
            None => match self.execute_again_to(&pending.trail, pending.next.is_some()) {
                Ok(state) => state,
                Err(why) => {
                    self.give_up(why);
                    return None;
                }
            },
        };
        let mut trail = pending.trail;
        let mut ran = pending.ran;
        if let Some((decision, condition)) = pending.next {
            if let Some(answer) = decision.answer() {
                self.machine.answer(&mut state, answer);
            }
            trail = trail.with(decision, condition);
            ran.clear();
        }
        self.questions.suggest(&self.terms, &pending.input);
        let so_far = self.machine.instructions(&state);
        Some(Running {
            state,
            trail,
            input: pending.input,
            node: pending.node,
            ran,
            is_new: pending.is_new,
            until: so_far.saturating_add(self.searcher.patience()),
        })
    }

    /// Follows a path until it ends or something else is to be picked, and times that: what is not spent on questions
    /// is execution.
    fn run_on(&mut self, running: Running<M::State>) {
        let (started, asking, telling) = (Instant::now(), self.questions.took(), self.telling);
        self.follow(running);
        let elsewhere = self.questions.took() - asking + (self.telling - telling);
        self.stats.execute += started.elapsed().saturating_sub(elsewhere);
    }

    fn follow(&mut self, mut running: Running<M::State>) {
        let mut asked = 0u32;
        loop {
            let before = self.machine.instructions(&running.state);
            if before >= self.options.limits.instructions {
                return self.end(running, End::TooLong);
            }
            let fuel = SLICE.min(self.options.limits.instructions - before);
            let stop = self.machine.run(&mut self.terms, &mut running.state, fuel);
            self.stats.instructions += self.machine.instructions(&running.state) - before;
            let new = self.machine.newly_covered();
            self.covered += new;
            running.is_new |= new > 0;
            note_all(&mut running.ran, self.machine.ran());
            let is_long = matches!(stop, Stop::OutOfFuel);
            match stop {
                Stop::End(end) => return self.end(running, End::Machine(end)),
                Stop::Ask(ask) => match self.answer(running, ask) {
                    Next::GoOn(next) => running = next,
                    Next::PickAgain => return,
                },
                Stop::OutOfFuel => {}
            }
            asked += 1;
            if asked.is_multiple_of(32) || is_long {
                self.look_around();
                let now = self.machine.instructions(&running.state);
                if self.stopped.is_some() || (is_long && now >= running.until) {
                    return self.put_back(running);
                }
                if self.is_short_of_memory() {
                    // What is running has terms, and they have to go.
                    if self.anew_in_vain >= MOST_IN_VAIN {
                        return self.end(running, End::TooLarge);
                    }
                    self.wants_anew = true;
                    return self.put_back(running);
                }
            }
        }
    }

    /// Somebody else's turn.
    fn put_back(&mut self, running: Running<M::State>) {
        self.add(Pending {
            state: Some(running.state),
            trail: running.trail,
            next: None,
            input: running.input,
            is_feasible: true,
            node: running.node,
            ran: running.ran,
            is_new: running.is_new,
        });
    }

    pub(crate) fn end(&mut self, mut running: Running<M::State>, end: End<M::End>) {
        self.cut(running.node);
        self.prefer(&mut running);
        self.stats.paths += 1;
        let words = self.arithmetic.machine_input(&self.terms, &running.input);
        self.anew_in_vain = 0;
        let started = Instant::now();
        let path = Path {
            machine: self.machine,
            terms: &mut self.terms,
            state: &mut running.state,
            trail: &running.trail,
            input: words.as_ref().unwrap_or(&running.input),
            end: &end,
            ran: &running.ran,
            is_new: running.is_new,
        };
        if self.listener.end(path).is_break() {
            self.stopped = Some(StopReason::Interrupted);
        }
        self.telling += started.elapsed();
        if self.hub.count_path() >= self.options.limits.paths {
            self.stopped = self.stopped.or(Some(StopReason::Paths));
        }
    }

    /// Among the inputs of a path, takes one that has more of what the program says it would like.
    fn prefer(&mut self, running: &mut Running<M::State>) {
        let wanted = self.machine.preferences(&running.state).to_vec();
        let mut trail = running.trail.clone();
        for term in wanted {
            let Ok(condition) = self.arithmetic.condition(&mut self.terms, term) else {
                continue;
            };
            if !self.holds(&running.input, condition) {
                if self.questions.ask(&mut self.terms, &trail, condition) != Verdict::Sat {
                    continue;
                }
                running.input = self.questions.model(&mut self.terms);
            }
            trail = trail.with(Decision::Way(0), condition);
        }
    }

    // Limits.

    /// Looks at the clock, at the memory and at the other workers, now and then.
    fn look_around(&mut self) {
        self.steps += 1;
        if self.options.limits.stop.load(Ordering::Relaxed) {
            self.stopped = self.stopped.or(Some(StopReason::Interrupted));
        }
        if let Some(reason) = self.hub.stopped() {
            self.stopped = self.stopped.or(Some(reason));
        }
        if self.hub.is_hungry() {
            self.share();
        }
        let now = Instant::now();
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            self.stopped = self.stopped.or(Some(StopReason::Time));
        }
        if now - self.told >= BETWEEN_PROGRESS {
            self.told = now;
            self.tell();
        }
        if self.options.limits.memory.is_some() && self.steps.is_multiple_of(16) {
            self.set_aside_if_due();
        }
        if let Some(reason) = self.stopped {
            self.hub.stop(reason);
        }
    }

    /// Whether the time is up, or somebody wants it to stop.
    pub(crate) fn is_over(&self) -> bool {
        let is_late = |deadline| Instant::now() >= deadline;
        self.options.limits.stop.load(Ordering::Relaxed) || self.deadline.is_some_and(is_late)
    }

    /// Tells the listener how far it is.
    fn tell(&mut self) {
        self.stats.effort = self.effort();
        self.stats.total = self.started.elapsed();
        self.stats.build = self.machine.building();
        let progress = Progress {
            elapsed: self.stats.total,
            stats: &self.stats,
            pending: self.pending.len() + self.hard.len() + self.aside.len(),
        };
        self.listener.progress(self.machine, &progress);
    }

    /// Something happened that cannot happen: nothing that would come after it is to be trusted.
    pub(crate) fn give_up(&mut self, why: String) {
        self.failure.get_or_insert(why);
        self.stopped = Some(StopReason::Interrupted);
    }

    pub(crate) fn leave(&mut self, trail: &Trail, why: &Left) {
        self.stats.boundaries += 1;
        self.listener.boundary(trail, why);
    }

    /// Everything that is pending stays open.
    fn leave_all(&mut self, reason: StopReason) {
        self.take_hard_back();
        for id in self.pending.ids() {
            let pending = self.remove(id);
            let trail = match pending.next {
                Some((decision, condition)) => pending.trail.with(decision, condition),
                None => pending.trail,
            };
            self.leave(&trail, &Left::Stopped(reason));
        }
        for work in std::mem::take(&mut self.aside) {
            self.leave(&work.trail(), &Left::Stopped(reason));
        }
    }
}

fn note_all(ran: &mut Vec<u32>, new: &[u32]) {
    for &function in new {
        if !ran.contains(&function) {
            ran.push(function);
        }
    }
}
