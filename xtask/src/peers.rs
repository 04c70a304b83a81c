//! The solver under test and its peers, as commands that get a script's path; and one timed run of one of them.

use crate::install;
use crate::workspace;
use anyhow::{Context, Result};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[derive(clap::Args)]
pub struct PeerOptions {
    /// Runs of each solver on each script; the best counts.
    #[arg(long, default_value_t = 3)]
    pub runs: u32,
    /// Seconds a run may take.
    #[arg(long, default_value_t = 60.0)]
    pub limit: f64,
    /// The command under test [default: the release build of `refrain smt`].
    #[arg(long, value_name = "CMD")]
    refrain: Option<String>,
    /// Another solver to measure; the script's path is added at the end of its command.
    #[arg(long, value_name = "NAME=CMD")]
    peer: Vec<String>,
    /// Leave the usual peers out.
    #[arg(long)]
    no_default_peers: bool,
}

pub struct Solver {
    pub name: String,
    command: Vec<String>,
    /// Whether it says itself how long it took, and what is added to that.
    tells_its_time: bool,
    added: f64,
}

/// What precedes the time that a solver says it took.
const OWN_TIME: &str = "; seconds ";

/// One run of a solver on a script.
pub struct Run {
    /// At most the limit; what the solver says itself, if it does.
    pub seconds: f64,
    pub timed_out: bool,
    pub output: String,
}

impl PeerOptions {
    /// The solver under test first, then its peers, the usual ones of which are installed if need be.
    pub fn solvers(&self, usual: Vec<Solver>) -> Result<Vec<Solver>> {
        if !self.no_default_peers {
            install::all()?;
        }
        let tested = match &self.refrain {
            Some(command) => words(command),
            None => vec![
                workspace::refrain_binary()?.display().to_string(),
                "smt".into(),
                // Solver against solver: what answers are reused for is another table.
                "--reuse".into(),
                "stack".into(),
            ],
        };
        let mut solvers = vec![Solver::new("refrain", tested)];
        if !self.no_default_peers {
            solvers.extend(usual);
        }
        for peer in &self.peer {
            let (name, command) = peer
                .split_once('=')
                .with_context(|| format!("`{peer}` is not NAME=CMD"))?;
            solvers.push(Solver::new(name, words(command)));
        }
        Ok(solvers)
    }

    pub fn limit(&self) -> Duration {
        Duration::from_secs_f64(self.limit)
    }
}

pub fn z3() -> Solver {
    Solver::new("z3", words("z3"))
}

pub fn yices() -> Solver {
    Solver::new("yices", words("yices-smt2 --incremental"))
}

/// A library on PyPI: it tells itself how long it took, without the start of Python. A check may take `seconds`.
pub fn bitwuzla(seconds: f64) -> Solver {
    let program = include_str!("bitwuzla.py").to_string();
    let milliseconds = (seconds * 1e3) as u64;
    let command = vec![
        "python3".into(),
        "-c".into(),
        program,
        milliseconds.to_string(),
    ];
    Solver {
        tells_its_time: true,
        ..Solver::new("bitwuzla", command)
    }
}

fn words(command: &str) -> Vec<String> {
    command.split_whitespace().map(str::to_string).collect()
}

impl Solver {
    fn new(name: &str, command: Vec<String>) -> Solver {
        Solver {
            name: name.into(),
            command,
            tells_its_time: false,
            added: 0.0,
        }
    }

    /// Whether it says itself how long it took, without its start.
    pub fn tells_its_time(&self) -> bool {
        self.tells_its_time
    }

    /// Adds seconds to what it says itself, if it does.
    pub fn add_to_own_time(&mut self, seconds: f64) {
        self.added = seconds;
    }

    pub fn run(&self, script: &Path, limit: Duration) -> Result<Run> {
        let (program, arguments) = self
            .command
            .split_first()
            .with_context(|| format!("{} has no command", self.name))?;
        let start = Instant::now();
        let mut child = Command::new(program)
            .args(arguments)
            .arg(script)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| {
                format!("cannot start {program} (`cargo xtask install` installs the peers)")
            })?;
        let mut stdout = child.stdout.take().context("no pipe from the solver")?;
        let reader = std::thread::spawn(move || {
            let mut answers = String::new();
            let _ = stdout.read_to_string(&mut answers);
            answers
        });
        // The reader ends when the process closes its output; sleeping in small steps costs no more than 1 ms of
        // precision.
        let mut timed_out = false;
        while !reader.is_finished() {
            if start.elapsed() > limit {
                timed_out = true;
                let _ = child.kill();
            }
            std::thread::sleep(Duration::from_micros(500));
        }
        let _ = child.wait();
        let elapsed = start.elapsed().as_secs_f64();
        let output = reader
            .join()
            .map_err(|_| anyhow::anyhow!("the reader of {} panicked", self.name))?;
        let told = output.lines().find_map(|line| line.strip_prefix(OWN_TIME));
        let told = told.and_then(|told| told.parse().ok());
        let seconds = told.map_or(elapsed, |told: f64| told + self.added);
        Ok(Run {
            seconds: if timed_out {
                limit.as_secs_f64()
            } else {
                seconds
            },
            timed_out,
            output,
        })
    }
}
