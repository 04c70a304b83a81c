//! A solver that is another program: anything that speaks SMT-LIB 2 on its standard input and output.
//!
//! The program is started at the first check, killed when a check runs out of time or is interrupted, and started
//! again when there is another. A hang of the program is a timeout here, a crash or nonsense is [`Reason::Failed`]:
//! nothing it does is ever taken for an answer but `unsat`, and `sat` with a model that evaluates to true.
//!
//! `backend` knows the programs and `logic` what they call things, `pipe` runs them, `session` keeps one in line with
//! the assertion stack, `lower`, `naming` and `sharing` put terms in its words, `model` reads back what it found.

mod backend;
mod features;
mod logic;
mod lower;
mod model;
mod naming;
mod pipe;
mod session;
mod sexp;
mod sharing;

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use refrain_term::{Assignment, Evaluator, OneArena, Term, Terms};

pub use backend::{Assuming, Backend};

use crate::{CheckResult, Conflict, Limits, Outcome, Query, Reason, Solver, Stats, Wants};
use features::Seen;
use lower::Lowering;
use model::shortened;
use session::Session;

/// A solver process.
pub struct Process {
    backend: Backend,
    /// The assertions of each level.
    wanted: Vec<Vec<Term>>,
    lowering: Lowering,
    seen: Seen,
    session: Option<Session>,
    question: Option<Question>,
    evaluator: Evaluator,
    name_shared: bool,
    tee: Option<File>,
    stats: Stats,
    arena: OneArena,
}

/// A check that has been begun.
struct Question {
    assumptions: Vec<Term>,
    /// Assertions and assumptions, as the program was sent them.
    sent: Vec<Term>,
    wants: Wants,
    /// Why the program could not even be asked.
    unasked: Option<Reason>,
}

impl Process {
    pub fn new(backend: Backend) -> Process {
        Process {
            backend,
            wanted: vec![Vec::new()],
            lowering: Lowering::default(),
            seen: Seen::default(),
            session: None,
            question: None,
            evaluator: Evaluator::new(),
            name_shared: false,
            tee: None,
            stats: Stats::default(),
            arena: OneArena::new(),
        }
    }

    pub fn backend(&self) -> &Backend {
        &self.backend
    }

    /// Writes everything that the program is sent to a file as well, which can be run again as a script.
    pub fn tee(&mut self, path: &Path) -> io::Result<()> {
        self.tee = Some(File::create(path)?);
        // A program that runs already has been sent what the file does not show.
        self.session = None;
        Ok(())
    }

    /// Whether subterms are named with what other paths may share in mind, and not only the path that the stack is
    /// on: then a name is defined below the levels that use it, and outlives them. Off at first. The program starts
    /// anew if this changes.
    pub fn name_shared(&mut self, name_shared: bool) {
        if self.name_shared != name_shared {
            self.name_shared = name_shared;
            self.cancel();
            self.session = None;
        }
    }

    /// Asks without waiting; [`Process::poll`] brings the answer. A check begun earlier is given up.
    pub fn begin(&mut self, terms: &mut Terms, assumptions: &[Term], wants: Wants) {
        self.arena.check(terms);
        self.cancel();
        let mut lower = |formulas: &[Term]| -> Vec<Term> {
            formulas
                .iter()
                .map(|&formula| self.lowering.lower(terms, formula))
                .collect()
        };
        let stack: Vec<Vec<Term>> = self.wanted.iter().map(|level| lower(level)).collect();
        let lowered = lower(assumptions);
        let unasked = self.send_question(terms, &stack, &lowered, wants).err();
        let sent = stack.into_iter().flatten().chain(lowered).collect();
        self.question = Some(Question {
            assumptions: assumptions.to_vec(),
            sent,
            wants,
            unasked,
        });
    }

    /// The answer to the check that was begun, if it is there by `until`. Once it has answered, there is nothing more
    /// to poll.
    pub fn poll(&mut self, terms: &Terms, limits: &Limits, until: Instant) -> Option<Outcome> {
        self.arena.check(terms);
        let question = self.question.take()?;
        let result = match self.hear_result(&question, terms, limits, until) {
            Ok(Some(result)) => result,
            Ok(None) => {
                self.question = Some(question);
                return None;
            }
            Err(reason) => {
                // Whatever state the program is in, it is not one to go on from.
                self.session = None;
                CheckResult::Unknown(self.with_name(reason))
            }
        };
        self.stats.record(&result.verdict());
        Some(result.into())
    }

    /// Gives up the check that was begun, if there is one that has not answered.
    pub fn cancel(&mut self) {
        if self.question.take().is_some() {
            self.session = None;
        }
    }

    /// Brings the program in line with the stack and sends the question.
    fn send_question(
        &mut self,
        terms: &Terms,
        stack: &[Vec<Term>],
        assumptions: &[Term],
        wants: Wants,
    ) -> Result<(), Reason> {
        for &formula in stack.iter().flatten().chain(assumptions) {
            self.seen.add(terms, formula);
        }
        self.seen.features.cores |= wants.core && !assumptions.is_empty();
        let features = self.seen.features;
        let preamble = self.backend.preamble(features);
        let preamble = preamble.map_err(|why| Reason::Incomplete(why.to_owned()))?;
        if let Some(session) = &mut self.session
            && !session.can_follow(terms, stack, &preamble)
        {
            if self.backend.can_reset {
                session.reset(preamble.clone());
            } else {
                self.session = None;
            }
        }
        let session = match &mut self.session {
            Some(session) => session,
            none => {
                let started = Session::start(
                    &self.backend,
                    preamble,
                    self.name_shared,
                    replay_file(&mut self.tee),
                );
                let started = started.map_err(|error| {
                    Reason::Failed(format!(
                        "{} cannot be started: {error}",
                        self.backend.program
                    ))
                })?;
                none.insert(started)
            }
        };
        let assuming = self.backend.assuming(features);
        session.begin(terms, assuming, stack, assumptions);
        Ok(())
    }

    fn hear_result(
        &mut self,
        question: &Question,
        terms: &Terms,
        limits: &Limits,
        until: Instant,
    ) -> Result<Option<CheckResult>, Reason> {
        if let Some(reason) = &question.unasked {
            return Err(reason.clone());
        }
        let Some(session) = &mut self.session else {
            return Err(Reason::Failed("it was not running".to_owned()));
        };
        let Some(answer) = session.hear(limits, until)? else {
            return Ok(None);
        };
        match answer.as_str() {
            "sat" => {
                let model = session.model(terms, &question.sent, limits)?;
                self.check_model(terms, &model, &question.assumptions)?;
                Ok(Some(CheckResult::Sat(Arc::new(model))))
            }
            "unsat" => Ok(Some(CheckResult::Unsat(self.conflict(question, limits)))),
            "unknown" => {
                let reason = Reason::Incomplete("it answered unknown".to_owned());
                Ok(Some(CheckResult::Unknown(self.with_name(reason))))
            }
            answer => Err(Reason::Failed(format!(
                "it answered {} to check-sat",
                shortened(answer)
            ))),
        }
    }

    /// After unsat: what cannot hold together, as far as it is wanted and the program tells.
    fn conflict(&mut self, question: &Question, limits: &Limits) -> Conflict {
        let assumptions = &question.assumptions;
        let mut conflict = Conflict::of_all(assumptions);
        let Some(session) = &mut self.session else {
            return conflict;
        };
        if !question.wants.core || assumptions.is_empty() {
            return conflict;
        }
        let asserted = question.sent.len() - assumptions.len();
        match session.core(&question.sent[asserted..], limits) {
            Ok(places) => {
                conflict.core = places.into_iter().map(|place| assumptions[place]).collect();
            }
            // Without a core the answer still stands, and all assumptions are one.
            Err(_) => self.session = None,
        }
        // The program tells nothing of assertions: only where there are none is the whole conflict known.
        if asserted == 0 {
            conflict.formulas = Some(conflict.core.clone());
        }
        conflict
    }

    /// A sat answer counts only with a model under which everything is true.
    fn check_model(
        &mut self,
        terms: &Terms,
        model: &Assignment,
        assumptions: &[Term],
    ) -> Result<(), Reason> {
        // As they were asked, not as they were sent.
        let formulas: Vec<Term> = self
            .wanted
            .iter()
            .flatten()
            .chain(assumptions)
            .copied()
            .collect();
        self.evaluator.forget();
        let holds = |&formula: &Term| self.evaluator.bool(terms, model, formula);
        let held = formulas.iter().copied().take_while(holds).count();
        if held == formulas.len() {
            return Ok(());
        }
        Err(Reason::Failed(format!(
            "its model does not satisfy formula {} of {}",
            held + 1,
            formulas.len()
        )))
    }

    /// A reason that says whose it is.
    fn with_name(&self, reason: Reason) -> Reason {
        let named = |what: String| format!("{}: {what}", self.backend.name);
        match reason {
            Reason::Timeout | Reason::Interrupted | Reason::Conflicts | Reason::Disagreement(_) => {
                reason
            }
            Reason::ResourceLimit(what) => Reason::ResourceLimit(named(what)),
            Reason::Incomplete(what) => Reason::Incomplete(named(what)),
            Reason::Failed(what) => Reason::Failed(named(what)),
        }
    }
}

/// The file for one more run of the program. Runs follow each other in it as the program would see them if it were one.
fn replay_file(tee: &mut Option<File>) -> Option<File> {
    let file = tee.as_mut()?;
    let begun = file.metadata().is_ok_and(|metadata| metadata.len() > 0);
    if begun {
        file.write_all(b"(reset)\n").ok()?;
    }
    file.try_clone().ok()
}

impl Solver for Process {
    fn name(&self) -> &str {
        &self.backend.name
    }

    fn push(&mut self) {
        self.wanted.push(Vec::new());
    }

    fn pop(&mut self, levels: usize) {
        let left = self.wanted.len().saturating_sub(levels).max(1);
        self.wanted.truncate(left);
    }

    fn assert(&mut self, terms: &mut Terms, formula: Term) {
        self.arena.check(terms);
        if let Some(level) = self.wanted.last_mut() {
            level.push(formula);
        }
    }

    /// Without partial solutions: a program does not tell what its search went through.
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Outcome {
        if let Some(reason) = query.limits.exceeded() {
            let outcome = Outcome::unknown(reason);
            self.stats.record(&outcome.verdict());
            return outcome;
        }
        self.begin(terms, query.assumptions, query.wants);
        loop {
            let until = Instant::now() + Duration::from_secs(3600);
            if let Some(outcome) = self.poll(terms, query.limits, until) {
                return outcome;
            }
        }
    }

    fn reset(&mut self) {
        self.cancel();
        if self.name_shared
            && let Some(session) = &mut self.session
        {
            // Names on the lowest level would outlive all that they were chosen for.
            session.outdate();
        }
        self.wanted = vec![Vec::new()];
        self.lowering = Lowering::default();
        self.seen = Seen::default();
        self.evaluator = Evaluator::new();
        self.arena = OneArena::new();
    }

    fn stats(&self) -> Stats {
        self.stats
    }
}
