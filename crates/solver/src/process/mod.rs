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
use std::time::{Duration, Instant};

use refrain_term::{Assignment, Evaluator, OneArena, Term, Terms};

pub use backend::{Assuming, Backend};

use crate::{Limits, Reason, Solver, Stats, Verdict};
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
    assignment: Assignment,
    core: Vec<Term>,
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
            assignment: Assignment::new(),
            core: Vec::new(),
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
    pub fn begin(&mut self, terms: &mut Terms, assumptions: &[Term]) {
        self.arena.check(terms);
        self.cancel();
        self.assignment = Assignment::new();
        self.core = Vec::new();
        let mut lower = |formulas: &[Term]| -> Vec<Term> {
            formulas
                .iter()
                .map(|&formula| self.lowering.lower(terms, formula))
                .collect()
        };
        let stack: Vec<Vec<Term>> = self.wanted.iter().map(|level| lower(level)).collect();
        let lowered = lower(assumptions);
        let unasked = self.send_question(terms, &stack, &lowered).err();
        let sent = stack.into_iter().flatten().chain(lowered).collect();
        self.question = Some(Question {
            assumptions: assumptions.to_vec(),
            sent,
            unasked,
        });
    }

    /// The answer to the check that was begun, if it is there by `until`. Once it has answered, there is nothing more
    /// to poll.
    pub fn poll(&mut self, terms: &Terms, limits: &Limits, until: Instant) -> Option<Verdict> {
        self.arena.check(terms);
        let question = self.question.take()?;
        let verdict = match self.hear_verdict(&question, terms, limits, until) {
            Ok(Some(verdict)) => verdict,
            Ok(None) => {
                self.question = Some(question);
                return None;
            }
            Err(reason) => {
                // Whatever state the program is in, it is not one to go on from.
                self.session = None;
                Verdict::Unknown(self.with_name(reason))
            }
        };
        self.stats.record(&verdict);
        Some(verdict)
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
    ) -> Result<(), Reason> {
        for &formula in stack.iter().flatten().chain(assumptions) {
            self.seen.add(terms, formula);
        }
        self.seen.features.assumptions |= !assumptions.is_empty();
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

    fn hear_verdict(
        &mut self,
        question: &Question,
        terms: &Terms,
        limits: &Limits,
        until: Instant,
    ) -> Result<Option<Verdict>, Reason> {
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
                self.assignment = session.model(terms, &question.sent, limits)?;
                self.check_model(terms, &question.assumptions)?;
                Ok(Some(Verdict::Sat))
            }
            "unsat" => {
                self.core = if question.assumptions.is_empty() {
                    Vec::new()
                } else {
                    let asserted = question.sent.len() - question.assumptions.len();
                    match session.core(&question.sent[asserted..], limits) {
                        Ok(places) => places
                            .into_iter()
                            .map(|place| question.assumptions[place])
                            .collect(),
                        // Without a core the answer still stands, and all assumptions are one.
                        Err(_) => {
                            self.session = None;
                            question.assumptions.clone()
                        }
                    }
                };
                Ok(Some(Verdict::Unsat))
            }
            "unknown" => {
                let reason = Reason::Incomplete("it answered unknown".to_owned());
                Ok(Some(Verdict::Unknown(self.with_name(reason))))
            }
            answer => Err(Reason::Failed(format!(
                "it answered {} to check-sat",
                shortened(answer)
            ))),
        }
    }

    /// A sat answer counts only with a model under which everything is true.
    fn check_model(&mut self, terms: &Terms, assumptions: &[Term]) -> Result<(), Reason> {
        // As they were asked, not as they were sent.
        let formulas: Vec<Term> = self
            .wanted
            .iter()
            .flatten()
            .chain(assumptions)
            .copied()
            .collect();
        self.evaluator.forget();
        let holds = |&formula: &Term| self.evaluator.bool(terms, &self.assignment, formula);
        let held = formulas.iter().copied().take_while(holds).count();
        if held == formulas.len() {
            return Ok(());
        }
        self.assignment = Assignment::new();
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

    fn check(&mut self, terms: &mut Terms, assumptions: &[Term], limits: &Limits) -> Verdict {
        if let Some(reason) = limits.exceeded() {
            let verdict = Verdict::Unknown(reason);
            self.stats.record(&verdict);
            return verdict;
        }
        self.begin(terms, assumptions);
        loop {
            if let Some(verdict) =
                self.poll(terms, limits, Instant::now() + Duration::from_secs(3600))
            {
                return verdict;
            }
        }
    }

    fn model(&mut self, terms: &mut Terms) -> Assignment {
        self.arena.check(terms);
        self.assignment.clone()
    }

    fn core(&mut self) -> Vec<Term> {
        self.core.clone()
    }

    /// A program does not tell what its search went through.
    fn collect_partial_solutions(&mut self, _: Option<usize>) {}

    fn partial_solutions(&mut self, _: &mut Terms) -> Vec<Assignment> {
        Vec::new()
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
