//! Proofs of `unsat` answers. A proof is about the script as it was written, read by the checker's own reader; the
//! solver that gave the answer has no part in it.

use std::io::{self, Write};

use refrain_proof::{Problem, Script, check_problem};
use refrain_prove::{NotProved, Proof};

use crate::error::{Failure, Result};
use crate::lexer::{Kind, Lexer};
use crate::read::expect;
use crate::session::Session;

/// How many `unsat` answers were proved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProofCounts {
    pub proved: u64,
    pub not_proved: u64,
    /// Proofs that the checker refused, and answers that were found to be wrong.
    pub refused: u64,
}

impl ProofCounts {
    pub fn add(&mut self, other: ProofCounts) {
        self.proved += other.proved;
        self.not_proved += other.not_proved;
        self.refused += other.refused;
    }
}

/// The script so far, as the checker reads it.
enum Recording {
    /// Nothing is declared yet: proofs may still be asked for.
    Waiting(Vec<u8>),
    On(Box<Script>),
    /// Nobody has asked.
    Off,
}

/// What is done with the proofs of all `unsat` answers.
struct EveryProof {
    check: bool,
    file: Option<Box<dyn Write>>,
}

pub(crate) struct Proofs {
    recording: Recording,
    every: Option<EveryProof>,
    /// The command under way is a check, and this says whether its answer is `unsat`.
    just_checked: Option<bool>,
    /// What the last check was about, if it was `unsat`.
    last: Option<Problem>,
    counts: ProofCounts,
    error: Option<io::Error>,
}

impl Default for Proofs {
    fn default() -> Proofs {
        Proofs {
            recording: Recording::Waiting(Vec::new()),
            every: None,
            just_checked: None,
            last: None,
            counts: ProofCounts::default(),
            error: None,
        }
    }
}

impl Proofs {
    /// Whether proofs can be asked for from here on.
    pub fn can_begin(&self) -> bool {
        !matches!(self.recording, Recording::Off)
    }

    /// A check was answered, with `unsat` or not.
    pub fn checked(&mut self, unsat: bool) {
        self.just_checked = Some(unsat);
    }

    /// Takes a command of the script down, if proofs are wanted or may be.
    fn record(&mut self, command: &[u8], wanted: bool, started: bool) {
        match &mut self.recording {
            Recording::Waiting(text) => {
                text.extend_from_slice(command);
                if wanted {
                    let mut script = Box::new(Script::new());
                    script.feed(text);
                    self.recording = Recording::On(script);
                } else if started {
                    self.recording = Recording::Off;
                }
            }
            Recording::On(script) => script.feed(command),
            Recording::Off => {}
        }
    }
}

impl Session {
    /// Proves every `unsat` answer: each proof is checked, or written to a file, or both. To be said before the session
    /// begins.
    pub fn prove_all(&mut self, check: bool, file: Option<Box<dyn Write>>) {
        self.proofs.every = Some(EveryProof { check, file });
    }

    /// How many answers were proved, where all are to be, and what went wrong with the file of the proofs.
    pub fn proof_counts(&mut self) -> io::Result<ProofCounts> {
        if let Some(EveryProof {
            file: Some(file), ..
        }) = &mut self.proofs.every
        {
            file.flush()?;
        }
        self.proofs.error.take().map_or(Ok(self.proofs.counts), Err)
    }

    /// A command of the script is done.
    pub(crate) fn follow_proofs(&mut self, command: &[u8]) {
        let wanted = self.options.produce_proofs || self.proofs.every.is_some();
        self.proofs.record(command, wanted, self.options.started);
        let Some(unsat) = self.proofs.just_checked.take() else {
            return;
        };
        self.proofs.last = None;
        let Recording::On(script) = &self.proofs.recording else {
            return;
        };
        if unsat {
            self.proofs.last = script.problem();
            if self.proofs.every.is_some() {
                self.prove_last();
            }
        }
    }

    fn find_proof(&self) -> std::result::Result<(Problem, Proof), NotProved> {
        let unread = || NotProved::NotCovered("the script is not covered".into());
        let problem = self.proofs.last.clone().ok_or_else(unread)?;
        let proof = self.checks.prove(problem.clone(), &self.options)?;
        Ok((problem, proof))
    }

    /// Proves the last answer, and does with the proof what is to be done with all of them.
    fn prove_last(&mut self) {
        let number = self.proofs.last.as_ref().map_or(0, |problem| problem.check);
        let found = self.find_proof();
        let counts = &mut self.proofs.counts;
        let (problem, proof) = match found {
            Ok(found) => found,
            Err(why @ NotProved::Satisfiable) => {
                counts.refused += 1;
                return self.reports.proof_refused(number, &why.to_string());
            }
            Err(why) => {
                counts.not_proved += 1;
                return self.reports.not_proved(number, &why.to_string());
            }
        };
        let Some(every) = &mut self.proofs.every else {
            return;
        };
        if every.check
            && let Err(why) = check_problem(problem, proof.text.as_bytes())
        {
            counts.refused += 1;
            return self.reports.proof_refused(number, &why.to_string());
        }
        counts.proved += 1;
        if let Some(file) = &mut every.file
            && let Err(error) = file.write_all(proof.text.as_bytes())
        {
            self.proofs.error.get_or_insert(error);
        }
    }

    pub(crate) fn get_proof(&mut self, lexer: &mut Lexer) -> Result<()> {
        let close = expect(lexer, Kind::Close, "')'")?;
        if !self.options.produce_proofs {
            let message = "proofs are not kept, use command (set-option :produce-proofs true)";
            return Err(Failure::new(close.at, message));
        }
        if !self.checks.is_unsat() {
            return Err(Failure::new(close.at, "proof is not available"));
        }
        match self.find_proof() {
            Ok((_, proof)) => self.reports.answer(format_args!("(\n{})", proof.text)),
            Err(why) => return Err(Failure::new(close.at, format!("no proof: {why}"))),
        }
        Ok(())
    }
}
