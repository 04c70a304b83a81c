//! Solver processes: the one under test and its oracles, spoken to over pipes, killed when they are late.

use super::floats::Format;
use super::script::Script;
use super::sexpr::balance;
use super::theory::Theory;
use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Why no answer came.
#[derive(Debug, Clone, PartialEq)]
pub enum Silence {
    Late,
    /// The process ended; what it wrote on its standard error.
    Ended(String),
}

pub struct Process {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
    errors: Arc<Mutex<String>>,
}

impl Process {
    pub fn start(command: &[String]) -> Result<Process> {
        let Some((program, arguments)) = command.split_first() else {
            bail!("an empty solver command")
        };
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| {
                format!("cannot start {program} (`cargo xtask install` installs the oracles)")
            })?;
        let stdin = child.stdin.take().context("no pipe to the solver")?;
        let stdout = child.stdout.take().context("no pipe from the solver")?;
        let mut stderr = child.stderr.take().context("no pipe from the solver")?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let Ok(line) = line else { break };
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let errors = Arc::new(Mutex::new(String::new()));
        let collected = Arc::clone(&errors);
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = stderr.read(&mut buffer) {
                if let Ok(mut text) = collected.lock()
                    && text.len() < 100_000
                {
                    text.push_str(&String::from_utf8_lossy(&buffer[..length]));
                }
            }
        });
        Ok(Process {
            child,
            stdin,
            lines,
            errors,
        })
    }

    pub fn send(&mut self, text: &str) -> Result<(), Silence> {
        let sent = self
            .stdin
            .write_all(text.as_bytes())
            .and_then(|()| self.stdin.flush());
        sent.map_err(|_| self.ended())
    }

    /// The next line that is not blank.
    pub fn line(&mut self, deadline: Instant) -> Result<String, Silence> {
        loop {
            let wait = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(wait) {
                Ok(line) if line.trim().is_empty() => {}
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Timeout) => return Err(Silence::Late),
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
            }
        }
    }

    /// The next answer, over as many lines as its parentheses take.
    pub fn answer(&mut self, deadline: Instant) -> Result<String, Silence> {
        let mut text = self.line(deadline)?;
        let mut quote = None;
        let mut open = balance(&text, &mut quote);
        while open > 0 || quote.is_some() {
            let line = self.line(deadline)?;
            open += balance(&line, &mut quote);
            text.push('\n');
            text.push_str(&line);
        }
        Ok(text)
    }

    /// Lets the process end by itself. A healthy one ends well and has complained of nothing: that a switch makes no
    /// difference to a preset is a remark.
    pub fn finish(mut self, deadline: Instant) -> Result<(), Silence> {
        self.send("(exit)\n")?;
        loop {
            match self.child.try_wait() {
                Ok(Some(_)) => break,
                _ if Instant::now() > deadline => return Err(Silence::Late),
                _ => std::thread::sleep(Duration::from_micros(200)),
            }
        }
        // The end of its standard output: the readers have all there is.
        while self.lines.recv_timeout(Duration::from_secs(1)).is_ok() {}
        let silent = self
            .errors
            .lock()
            .is_ok_and(|text| text.lines().all(is_remark));
        match self.child.try_wait() {
            Ok(Some(status)) if status.success() && silent => Ok(()),
            _ => Err(self.ended()),
        }
    }

    fn ended(&mut self) -> Silence {
        // Its last words may still be on their way.
        std::thread::sleep(Duration::from_millis(50));
        let status = match self.child.try_wait() {
            Ok(Some(status)) => status.to_string(),
            _ => "closed its output".to_string(),
        };
        let words = self
            .errors
            .lock()
            .map(|text| text.clone())
            .unwrap_or_default();
        let from = words
            .char_indices()
            .rev()
            .nth(2000)
            .map_or(0, |(index, _)| index);
        Silence::Ended(format!("{status}: {}", words[from..].trim()))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Sat,
    Unsat,
    Unknown,
}

impl Answer {
    pub fn parse(text: &str) -> Option<Answer> {
        match text.trim() {
            "sat" => Some(Answer::Sat),
            "unsat" => Some(Answer::Unsat),
            "unknown" | "timeout" | "interrupted" => Some(Answer::Unknown),
            _ => None,
        }
    }

    pub fn contradicts(self, other: Answer) -> bool {
        self != other && self != Answer::Unknown && other != Answer::Unknown
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(match self {
            Answer::Sat => "sat",
            Answer::Unsat => "unsat",
            Answer::Unknown => "unknown",
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Peer {
    Z3,
    Yices,
    Cvc5,
    /// From PyPI, spoken to by a few lines of Python; for floats only.
    Bitwuzla,
}

impl Peer {
    fn command(self) -> Vec<String> {
        let words: &[&str] = match self {
            // Its time limit does not stop it from taking all memory.
            Peer::Z3 => &["z3", "-in", "-memory:4096"],
            Peer::Yices => &["yices-smt2", "--incremental", "--timeout=1"],
            Peer::Cvc5 => &["cvc5", "--incremental", "--lang=smt2", "--tlimit-per=1000"],
            Peer::Bitwuzla => &["python3", "-c", include_str!("bitwuzla.py")],
        };
        words.iter().map(|word| (*word).to_string()).collect()
    }

    /// What it needs to hear after `(reset)`. z3 knows constant arrays only while no logic is set.
    fn preamble(self, theory: Theory) -> String {
        match self {
            // It rarely decides floats late.
            Peer::Z3 if theory == Theory::Fp => "(set-option :timeout 300)\n".to_string(),
            Peer::Z3 => "(set-option :timeout 1000)\n".to_string(),
            Peer::Bitwuzla => String::new(),
            Peer::Yices | Peer::Cvc5 => format!("(set-logic {})\n", theory.oracle_logic()),
        }
    }

    /// Does it know all the script's words, and is it to be believed? cvc5 has two formats only, unless it is asked
    /// for an experiment; z3 errs in formats that are not the standard's, but there is nobody else.
    pub fn is_able(self, script: &Script) -> bool {
        if script.theory != Theory::Fp {
            let constant_arrays = script.has_constant_arrays();
            return self != Peer::Bitwuzla && !(constant_arrays && self == Peer::Yices);
        }
        let formats = script.formats();
        match self {
            Peer::Z3 => true,
            Peer::Yices => false,
            Peer::Cvc5 => {
                let usual = |format: &Format| matches!(format.width(), 32 | 64);
                !script.has_bits_of_floats()
                    && formats
                        .iter()
                        .all(|format| format.is_standard() && usual(format))
            }
            Peer::Bitwuzla => {
                !script.has_bits_of_floats() && formats.iter().all(|format| format.is_standard())
            }
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Peer::Z3 => "z3",
            Peer::Yices => "yices",
            Peer::Cvc5 => "cvc5",
            Peer::Bitwuzla => "bitwuzla",
        }
    }
}

/// A peer that is asked whole scripts at once. Late or failed answers are `unknown`.
pub struct Oracle {
    pub peer: Peer,
    process: Option<Process>,
    scripts: u32,
    pub restarts: u64,
    /// Complaints of the peer: scripts it should have understood.
    pub complaints: Vec<String>,
}

/// The time for a script, and for each check of a long one.
const SCRIPT_LIMIT: Duration = Duration::from_secs(5);
const CHECK_LIMIT: Duration = Duration::from_millis(50);
const SCRIPTS_PER_PROCESS: u32 = 200;
const END: &str = "end-of-script";

impl Oracle {
    pub fn new(peer: Peer) -> Oracle {
        Oracle {
            peer,
            process: None,
            scripts: 0,
            restarts: 0,
            complaints: Vec::new(),
        }
    }

    /// Sends a script; `collect` then reads its answers. Two calls, so that two oracles think at once.
    pub fn begin(&mut self, theory: Theory, text: &str) -> Result<()> {
        if self.scripts >= SCRIPTS_PER_PROCESS {
            self.process = None;
        }
        if self.process.is_none() {
            self.process = Some(Process::start(&self.peer.command())?);
            self.scripts = 0;
        }
        self.scripts += 1;
        let preamble = self.peer.preamble(theory);
        let message = format!("(reset)\n{preamble}{text}(echo \"{END}\")\n");
        if let Some(process) = &mut self.process
            && process.send(&message).is_err()
        {
            self.restarts += 1;
            self.process = None;
        }
        Ok(())
    }

    pub fn collect(&mut self, expected: usize) -> Vec<Answer> {
        let checks = u32::try_from(expected).unwrap_or(u32::MAX);
        let deadline = Instant::now() + SCRIPT_LIMIT.max(CHECK_LIMIT.saturating_mul(checks));
        let mut answers = Vec::new();
        let mut healthy = true;
        if let Some(process) = &mut self.process {
            loop {
                match process.line(deadline) {
                    Ok(line) if line.trim_matches('"') == END => break,
                    Ok(line) => match Answer::parse(&line) {
                        Some(answer) => answers.push(answer),
                        None => {
                            self.complaints.push(line);
                            healthy = false;
                            break;
                        }
                    },
                    Err(Silence::Late) => {
                        healthy = false;
                        break;
                    }
                    Err(Silence::Ended(words)) => {
                        self.complaints.push(format!("ended: {words}"));
                        healthy = false;
                        break;
                    }
                }
            }
        }
        if !healthy {
            self.restarts += 1;
            self.process = None;
        }
        answers.resize(expected, Answer::Unknown);
        answers
    }
}

/// Whether a line says that a switch or a preset makes no difference here.
fn is_remark(line: &str) -> bool {
    line.ends_with("it names terms for solver processes")
        || line.ends_with("nothing is solved again")
}
