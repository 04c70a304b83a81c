//! The processes that scripts go through: the solver under test, z3 beside it, z3 once more for what is confirmed one
//! by one, and cvc5.

use super::super::oracle::{Answer, Process, Silence};
use anyhow::Result;
use std::time::{Duration, Instant};

/// A solver that is started when it is needed, and anew after it has failed.
pub struct Solver {
    command: Vec<String>,
    process: Option<Process>,
}

impl Solver {
    pub fn new(command: &[String]) -> Solver {
        Solver {
            command: command.to_vec(),
            process: None,
        }
    }

    pub fn z3() -> Solver {
        Solver::new(&["z3", "-in"].map(str::to_string))
    }

    pub fn cvc5() -> Solver {
        let words = ["cvc5", "--incremental", "--lang=smt2", "--tlimit-per=1000"];
        Solver::new(&words.map(str::to_string))
    }

    pub fn is_running(&self) -> bool {
        self.process.is_some()
    }

    pub fn stop(&mut self) {
        self.process = None;
    }

    pub fn send(&mut self, text: &str) -> Result<Result<(), Silence>> {
        let process = match &mut self.process {
            Some(process) => process,
            None => self.process.insert(Process::start(&self.command)?),
        };
        let sent = process.send(text);
        if sent.is_err() {
            self.process = None;
        }
        Ok(sent)
    }

    /// The next answer, in time.
    pub fn answer(&mut self, limit: Duration) -> Result<String, Silence> {
        let Some(process) = &mut self.process else {
            return Err(Silence::Ended("it does not run".to_string()));
        };
        let answer = process.answer(Instant::now() + limit);
        if answer.is_err() {
            self.process = None;
        }
        answer
    }

    pub fn ask(&mut self, text: &str, limit: Duration) -> Result<Result<String, Silence>> {
        Ok(match self.send(text)? {
            Ok(()) => self.answer(limit),
            Err(silence) => Err(silence),
        })
    }

    /// The answer to a whole script that ends with one check. Words that are no answer are an error.
    pub fn decide(&mut self, preamble: &str, text: &str) -> Result<Result<Answer, String>> {
        let answers = self.decide_each(preamble, text, &[String::new()])?;
        Ok(answers.map(|answers| answers[0]))
    }

    /// The answers to a script with each of these additions.
    pub fn decide_each(
        &mut self,
        preamble: &str,
        text: &str,
        additions: &[String],
    ) -> Result<Result<Vec<Answer>, String>> {
        // z3 crashes on resets after datatypes.
        if text.contains("declare-datatypes") {
            self.stop();
        }
        let reset = if self.is_running() { "(reset)\n" } else { "" };
        let mut text = format!("{reset}{preamble}{text}");
        for addition in additions {
            text.push_str(&match addition.is_empty() {
                true => "(check-sat)\n".to_string(),
                false => format!("(push 1)\n{addition}(check-sat)\n(pop 1)\n"),
            });
        }
        let mut answers = Vec::new();
        if self.send(&text)?.is_ok() {
            for _ in additions {
                let Ok(words) = self.answer(LIMIT) else { break };
                let Some(answer) = Answer::parse(&words) else {
                    // What else it says is of no use.
                    self.stop();
                    return Ok(Err(words));
                };
                answers.push(answer);
            }
        }
        answers.resize(additions.len(), Answer::Unknown);
        Ok(Ok(answers))
    }
}

/// What others have for an answer; they are told to give up before.
pub const LIMIT: Duration = Duration::from_secs(4);
pub const Z3_PREAMBLE: &str = "(set-option :timeout 1000)\n";
pub const CVC5_PREAMBLE: &str = "(set-logic ALL)\n";
