//! A session: its parts, and the loops that feed it with commands.

use std::io::{self, Read};

use refrain_solver::{Effort, Solver};
use refrain_term::Terms;

use crate::checks::Checks;
use crate::coded::axioms::Axioms;
use crate::config::Config;
use crate::declarations::Declarations;
use crate::error::{Failure, Place, Result};
use crate::levels::Levels;
use crate::lexer::{Kind, Lexer, Splitter};
use crate::options::Options;
use crate::output::Output;
use crate::proofs::Proofs;
use crate::read::unexpected;
use crate::refusal::{Lasting, Loss, loss};
use crate::reports::{Outcome, Reports};
use crate::stats::{Meter, Statistics};

/// A conversation in SMT-LIB.
pub struct Session {
    pub(crate) terms: Terms,
    pub(crate) declarations: Declarations,
    pub(crate) levels: Levels,
    pub(crate) axioms: Axioms,
    pub(crate) checks: Checks,
    pub(crate) options: Options,
    pub(crate) reports: Reports,
    pub(crate) proofs: Proofs,
    pub(crate) meter: Meter,
}

/// Where a session is after a command.
enum Step {
    /// At this position.
    Next(usize),
    Exit,
    End,
}

/// What some editors put before a script in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Bytes that are asked for at once in a live session.
const CHUNK: usize = 1 << 16;

impl Session {
    pub fn new(solver: Box<dyn Solver>, config: Config, output: Output) -> Session {
        Session {
            terms: Terms::new(),
            declarations: Declarations::new(),
            levels: Levels::default(),
            axioms: Axioms::new(),
            checks: Checks::new(solver, config),
            options: Options::default(),
            reports: Reports::new(output),
            proofs: Proofs::default(),
            meter: Meter::new(),
        }
    }

    /// Where the answers came from.
    pub fn effort(&self) -> Effort {
        let stats = self.stats();
        self.checks.effort().unwrap_or_else(|| Effort {
            answered_by: vec![("solver", stats.checks)],
            solver: self.meter.solver_stats(),
            solve: stats.solve,
            ..Effort::default()
        })
    }

    pub fn outcome(&self) -> Outcome {
        self.reports.outcome()
    }

    pub fn stats(&self) -> &Statistics {
        &self.meter.stats
    }

    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Runs a whole script. The error is of writing the answers.
    pub fn run_script(&mut self, script: &[u8]) -> io::Result<()> {
        self.reports.begin_script();
        self.meter.resume();
        self.declarations.expect_script(script);
        let result = self.run_rest(script.strip_prefix(BYTE_ORDER_MARK).unwrap_or(script), 0);
        self.meter.account();
        result?;
        self.reports.finish()
    }

    fn run_rest(&mut self, input: &[u8], mut at: usize) -> io::Result<()> {
        while let Step::Next(next) = self.step(input, at) {
            self.reports.take_error()?;
            at = next;
        }
        self.reports.take_error()
    }

    /// Runs commands as they arrive, each as soon as it is complete. The error is of reading or of writing.
    pub fn run_stream(&mut self, mut input: impl Read) -> io::Result<()> {
        self.reports.begin_script();
        let mut buffer: Vec<u8> = Vec::new();
        let mut splitter = Splitter::default();
        // Commands are done up to `done`, and looked for up to `scanned`.
        let (mut done, mut scanned) = (0, 0);
        // Whether what came is more than the beginning of a mark.
        let mut has_begun = false;
        loop {
            while has_begun && let Some(end) = splitter.find_end(&buffer, scanned) {
                let step = self.step(&buffer[..end], done);
                self.reports.take_error()?;
                if matches!(step, Step::Exit) {
                    self.meter.account();
                    return self.reports.finish();
                }
                (done, scanned) = (end, end);
            }
            if done > buffer.len() / 2 {
                self.reports.dropped(&buffer, done);
                buffer.drain(..done);
                done = 0;
            }
            scanned = if has_begun { buffer.len() } else { 0 };
            self.meter.account();
            self.reports.finish()?;
            let count = read_more(&mut input, &mut buffer)?;
            self.meter.resume();
            if !has_begun {
                has_begun =
                    buffer.len() >= BYTE_ORDER_MARK.len() || !BYTE_ORDER_MARK.starts_with(&buffer);
                if buffer.starts_with(BYTE_ORDER_MARK) {
                    buffer.drain(..BYTE_ORDER_MARK.len());
                }
            }
            if count == 0 {
                // What is left is no whole command; it may still be worth an error.
                let result = self.run_rest(&buffer, done);
                self.meter.account();
                result?;
                return self.reports.finish();
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
                let place = self.reports.refuse(input, from, &failure);
                let end = Splitter::default().find_end(input, from);
                self.miss(&input[from..end.unwrap_or(input.len())], place, &failure);
                let open = Lexer::new(input, from)
                    .next_token()
                    .ok()
                    .filter(|open| open.kind == Kind::Open);
                if let (None, Some(open)) = (end, open)
                    && failure.at < input.len()
                {
                    let unclosed = Failure::new(open.at, "this command is never closed");
                    self.reports.refuse(input, from, &unclosed);
                }
                Step::Next(end.unwrap_or(input.len()))
            }
        };
        if let Step::Next(next) = step {
            self.follow_proofs(&input[from..next]);
        }
        self.meter.end_command();
        step
    }

    fn command(&mut self, lexer: &mut Lexer) -> Result<Step> {
        let open = lexer.next_token()?;
        match open.kind {
            Kind::Open => {}
            Kind::End => return Ok(Step::End),
            _ => return Err(unexpected(lexer, open, "invalid command, '('")),
        }
        self.meter.stats.commands += 1;
        let exit = self.execute(lexer)?;
        Ok(if exit {
            Step::Exit
        } else {
            Step::Next(lexer.position())
        })
    }

    /// Goes on without a command that was refused.
    fn miss(&mut self, command: &[u8], place: Place, failure: &Failure) {
        let loss = loss(command);
        let lasting = match loss {
            Loss::Nothing => return,
            Loss::Declaration(name) if !self.declarations.knows(name) => return,
            Loss::Declaration(_) if self.declarations.is_global() => Lasting::Session,
            Loss::Declaration(_) | Loss::Objective | Loss::Unclear | Loss::Assertion => {
                Lasting::Level(self.levels.depth())
            }
            Loss::Level => Lasting::Level(0),
        };
        self.checks.forget();
        self.levels.miss(lasting, loss, place, failure);
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
