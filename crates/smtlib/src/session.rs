//! A session: the state that commands work on, and the loops that feed it.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use refrain_solver::{CheckResult, Effort, Limits, Query, Solver, Stats, Wants};
use refrain_term::{FuncId, Term, Terms};

use crate::check::LastCheck;
use crate::error::{Failure, Places, Result};
use crate::lexer::{Kind, Lexer, Splitter};
use crate::memo::Memo;
use crate::options::Options;
use crate::output::Output;
use crate::parser::TermReader;
use crate::read::unexpected;
use crate::stats::Statistics;
use crate::symbols::{Meaning, Symbol};

/// How a session behaves, beside what its script sets.
#[derive(Clone, Debug)]
pub struct Config {
    /// The longest that one check may take.
    pub max_time: Option<Duration>,
    /// Evaluate every model on all assertions before `sat` is answered.
    pub check_models: bool,
    /// Compare answers with `(set-info :status …)`.
    pub check_status: bool,
    /// Collect this many partial solutions a check.
    pub partial_solutions: Option<usize>,
    pub interrupt: Interrupt,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            max_time: None,
            check_models: cfg!(debug_assertions),
            check_status: true,
            partial_solutions: None,
            interrupt: Interrupt::default(),
        }
    }
}

/// Stops a check from another thread or a signal handler.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    stop: Arc<AtomicBool>,
    checking: Arc<AtomicBool>,
    /// No check is to be made any more.
    ended: Arc<AtomicBool>,
}

impl Interrupt {
    /// Stops the check under way; false if there is none.
    pub fn interrupt(&self) -> bool {
        let checking = self.checking.load(Ordering::SeqCst);
        if checking {
            self.stop.store(true, Ordering::SeqCst);
        }
        checking
    }

    /// Stops the check under way and all that follow, and waits until none is: then no solver is at work any more,
    /// and the process may end. False if that took longer than `patience`.
    pub fn end(&self, patience: Duration) -> bool {
        self.ended.store(true, Ordering::SeqCst);
        let started = Instant::now();
        while self.interrupt() {
            if started.elapsed() > patience {
                return false;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        true
    }

    /// Runs a check that may be stopped.
    fn during<T>(&self, check: impl FnOnce(Arc<AtomicBool>) -> T) -> T {
        self.stop
            .store(self.ended.load(Ordering::SeqCst), Ordering::SeqCst);
        self.checking.store(true, Ordering::SeqCst);
        let result = check(self.stop.clone());
        self.checking.store(false, Ordering::SeqCst);
        result
    }
}

/// What went wrong in a session, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Errors that were answered.
    pub errors: u64,
    /// Answers that differ from the script's `:status`.
    pub status_mismatches: u64,
    /// Models that do not satisfy the assertions.
    pub wrong_models: u64,
    /// Reused answers that were others when solved again.
    pub disagreements: u64,
}

/// A symbol that models have a value for.
#[derive(Clone, Copy)]
pub(crate) struct Declared {
    pub symbol: Symbol,
    pub what: DeclaredAs,
}

#[derive(Clone, Copy)]
pub(crate) enum DeclaredAs {
    Constant(Term),
    Function(FuncId),
}

impl DeclaredAs {
    /// Whether a symbol of this meaning is what was declared.
    pub fn is(self, meaning: Meaning) -> bool {
        match (self, meaning) {
            (DeclaredAs::Constant(declared), Meaning::Term(term)) => declared == term,
            (DeclaredAs::Function(declared), Meaning::Function(func)) => declared == func,
            _ => false,
        }
    }
}

/// How long the lists were when a scope began.
pub(crate) struct Scope {
    pub symbols: usize,
    pub sorts: usize,
    pub declared: usize,
    pub assertions: usize,
    pub named: usize,
    pub labels: usize,
    pub texts: usize,
}

/// A conversation in SMT-LIB.
pub struct Session {
    pub(crate) terms: Terms,
    pub(crate) reader: TermReader,
    pub(crate) solver: Box<dyn Solver>,
    pub(crate) config: Config,
    pub(crate) options: Options,
    pub(crate) output: Output,
    pub(crate) stats: Statistics,
    pub(crate) outcome: Outcome,
    pub(crate) logic: Option<String>,
    /// The answer that the script announced for the next check.
    pub(crate) expected: Option<bool>,
    pub(crate) scopes: Vec<Scope>,
    pub(crate) declared: Vec<Declared>,
    /// At most so many of them have been declared again.
    pub(crate) outdated: usize,
    /// All assertions, the named ones included.
    pub(crate) assertions: Vec<Term>,
    /// Named assertions that are assumed at each check, for the cores.
    pub(crate) named: Vec<(Symbol, Term)>,
    /// All named formulas, for `get-assignment`.
    pub(crate) labels: Vec<(Symbol, Term)>,
    /// Assertions as they were written, where the script asked for them to be kept.
    pub(crate) texts: Vec<Box<[u8]>>,
    pub(crate) last_check: Option<LastCheck>,
    pub(crate) memo: Memo,
    /// Something was declared or asserted: the options of the start are fixed.
    pub(crate) started: bool,
    places: Places,
    /// When the last command ended, or the last bytes arrived.
    clock: Instant,
    /// When the command under way went over to the solver.
    solver_since: Option<Instant>,
}

/// Where a session is after a command.
enum Step {
    /// At this position.
    Next(usize),
    Exit,
    End,
}

/// Bytes that are asked for at once in a live session.
const CHUNK: usize = 1 << 16;

impl Session {
    /// Where the answers came from.
    pub fn effort(&self) -> Effort {
        self.solver.effort().unwrap_or_else(|| Effort {
            answered_by: vec![("solver", self.stats.checks)],
            solver: Stats {
                checks: self.stats.checks,
                sat: self.stats.sat,
                unsat: self.stats.unsat,
                unknown: self.stats.unknown,
                partial_solutions: self.stats.partial_solutions,
            },
            solve: self.stats.solve,
            ..Effort::default()
        })
    }

    pub fn new(solver: Box<dyn Solver>, config: Config, output: Output) -> Session {
        Session {
            terms: Terms::new(),
            reader: TermReader::new(),
            solver,
            config,
            options: Options::default(),
            output,
            stats: Statistics::default(),
            outcome: Outcome::default(),
            logic: None,
            expected: None,
            scopes: Vec::new(),
            declared: Vec::new(),
            outdated: 0,
            assertions: Vec::new(),
            named: Vec::new(),
            labels: Vec::new(),
            texts: Vec::new(),
            last_check: None,
            memo: Memo::new(),
            started: false,
            places: Places::default(),
            clock: Instant::now(),
            solver_since: None,
        }
    }

    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    pub fn stats(&self) -> &Statistics {
        &self.stats
    }

    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Runs a whole script. The error is of writing the answers.
    pub fn run_script(&mut self, script: &[u8]) -> io::Result<()> {
        self.places = Places::default();
        self.clock = Instant::now();
        let result = self.run_rest(script, 0);
        self.account();
        result?;
        self.output.flush();
        self.output.take_error()
    }

    fn run_rest(&mut self, input: &[u8], mut at: usize) -> io::Result<()> {
        while let Step::Next(next) = self.step(input, at) {
            self.output.take_error()?;
            at = next;
        }
        self.output.take_error()
    }

    /// Runs commands as they arrive, each as soon as it is complete. The error is of reading or of writing.
    pub fn run_stream(&mut self, mut input: impl Read) -> io::Result<()> {
        self.places = Places::default();
        let mut buffer: Vec<u8> = Vec::new();
        let mut splitter = Splitter::default();
        // Commands are done up to `done`, and looked for up to `scanned`.
        let (mut done, mut scanned) = (0, 0);
        loop {
            while let Some(end) = splitter.find_end(&buffer, scanned) {
                let step = self.step(&buffer[..end], done);
                self.output.take_error()?;
                if matches!(step, Step::Exit) {
                    self.account();
                    self.output.flush();
                    return self.output.take_error();
                }
                (done, scanned) = (end, end);
            }
            if done > buffer.len() / 2 {
                self.places.advance(&buffer, done);
                self.places.dropped(done);
                buffer.drain(..done);
                done = 0;
            }
            scanned = buffer.len();
            self.account();
            self.output.flush();
            self.output.take_error()?;
            let count = read_more(&mut input, &mut buffer)?;
            self.clock = Instant::now();
            if count == 0 {
                // What is left is no whole command; it may still be worth an error.
                let result = self.run_rest(&buffer, done);
                self.account();
                result?;
                self.output.flush();
                return self.output.take_error();
            }
        }
    }

    /// Runs the command at `from`.
    fn step(&mut self, input: &[u8], from: usize) -> Step {
        let mut lexer = Lexer::new(input, from);
        let result = self.command(&mut lexer);
        let step = match result {
            Ok(step) => step,
            Err(failure) => {
                self.report(input, from, &failure);
                let end = Splitter::default().find_end(input, from);
                let open = Lexer::new(input, from)
                    .next_token()
                    .ok()
                    .filter(|open| open.kind == Kind::Open);
                if let (None, Some(open)) = (end, open)
                    && failure.at < input.len()
                {
                    self.report(
                        input,
                        from,
                        &Failure::new(open.at, "this command is never closed"),
                    );
                }
                Step::Next(end.unwrap_or(input.len()))
            }
        };
        if self.solver_since.is_some() {
            self.account();
        }
        step
    }

    /// Adds the time since the clock was last set to what it was spent on. The clock is looked at where that changes,
    /// not for each command.
    fn account(&mut self) {
        let now = Instant::now();
        let since = self.solver_since.take().unwrap_or(now);
        self.stats.build += since.saturating_duration_since(self.clock);
        self.stats.solve += now.saturating_duration_since(since);
        self.clock = now;
    }

    fn command(&mut self, lexer: &mut Lexer) -> Result<Step> {
        let open = lexer.next_token()?;
        match open.kind {
            Kind::Open => {}
            Kind::End => return Ok(Step::End),
            _ => return Err(unexpected(lexer, open, "invalid command, '('")),
        }
        self.stats.commands += 1;
        let exit = self.execute(lexer)?;
        Ok(if exit {
            Step::Exit
        } else {
            Step::Next(lexer.position())
        })
    }

    /// Answers with an error, or that something is not supported.
    fn report(&mut self, input: &[u8], command: usize, failure: &Failure) {
        self.places.advance(input, command);
        let place = self.places.place(input, failure.at);
        if failure.unsupported {
            self.output.answer("unsupported");
            self.output
                .diagnostic(format_args!("; {} {place}", failure.message));
        } else {
            self.outcome.errors += 1;
            let message = failure.message.replace('"', "\"\"");
            self.output
                .answer(format_args!("(error \"{place}: {message}\")"));
        }
    }

    /// Asks the solver, with everything it may be stopped by.
    pub(crate) fn ask(&mut self, assumptions: &[Term]) -> refrain_solver::Outcome {
        self.output.flush();
        let started = Instant::now();
        self.solver_since = Some(started);
        let limit = [self.config.max_time, self.options.timeout]
            .into_iter()
            .flatten()
            .min();
        let deadline = limit.and_then(|limit| started.checked_add(limit));
        let conflicts = Some(self.options.resource_limit).filter(|&limit| limit != 0);
        let wants = Wants {
            core: self.options.produce_unsat_cores || self.options.produce_unsat_assumptions,
            partial_solutions: self.config.partial_solutions.unwrap_or(0),
        };
        let (solver, terms) = (&mut self.solver, &mut self.terms);
        let outcome = self.config.interrupt.during(|stop| {
            let limits = &Limits {
                deadline,
                stop: Some(stop),
                conflicts,
            };
            let query = Query {
                assumptions,
                limits,
                wants,
            };
            solver.check(terms, &query)
        });
        self.stats.checks += 1;
        match outcome.result {
            CheckResult::Sat(_) => self.stats.sat += 1,
            CheckResult::Unsat(_) => self.stats.unsat += 1,
            CheckResult::Unknown(_) => self.stats.unknown += 1,
        }
        outcome
    }
}

fn read_more(input: &mut impl Read, buffer: &mut Vec<u8>) -> io::Result<usize> {
    let len = buffer.len();
    buffer.resize(len + CHUNK, 0);
    loop {
        match input.read(&mut buffer[len..]) {
            Ok(count) => {
                buffer.truncate(len + count);
                return Ok(count);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
