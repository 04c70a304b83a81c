//! A run to be measured: `refrain smt` as a process of its own.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process};

use crate::error::{Result, StudyError, at};
use crate::measurement::Measurement;

/// Ends a study early, from another thread: what runs is told to end, and nothing is started any more.
#[derive(Clone, Default)]
pub struct Cancel(Arc<Mutex<Running>>);

#[derive(Default)]
struct Running {
    cancelled: bool,
    child: Option<Child>,
}

impl Cancel {
    pub fn cancel(&self) {
        let mut running = self.lock();
        running.cancelled = true;
        // Not waited for yet, so the number is still that of the child. It ends the solvers it has started, too.
        if let Some(child) = &running.child {
            let _ = kill_process(Pid::from_child(child), Signal::TERM);
        }
    }

    pub fn check(&self) -> Result<()> {
        if self.lock().cancelled {
            return Err(StudyError::Interrupted);
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Running> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An answer to a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    Sat,
    Unsat,
    Unknown,
}

/// What came of a run.
pub struct Finished {
    pub answers: Vec<Answer>,
    /// The first error that it answered with.
    pub error: Option<String>,
    /// What it complained about last.
    pub complaint: Option<String>,
    /// `None` if a signal ended it.
    pub status: Option<i32>,
    /// What it counted, or why that is not known.
    pub measurement: std::result::Result<Measurement, String>,
}

impl Finished {
    /// Why the run is worth nothing, if it failed.
    pub fn failure(&self) -> Option<String> {
        let status = match self.status {
            Some(0) => return self.measurement.as_ref().err().cloned(),
            Some(status) => format!("exit status {status}"),
            None => "ended by a signal".to_owned(),
        };
        let said = self.error.as_ref().or(self.complaint.as_ref());
        Some(said.map_or(status.clone(), |said| format!("{status}: {said}")))
    }
}

/// Starts runs, and keeps their files.
pub struct Runner {
    program: PathBuf,
    stats: PathBuf,
    complaints: PathBuf,
    cancel: Cancel,
}

impl Runner {
    /// A runner of a program, with a folder for its files.
    pub fn new(program: PathBuf, folder: &Path, cancel: Cancel) -> Runner {
        Runner {
            program,
            stats: folder.join("stats.json"),
            complaints: folder.join("complaints.txt"),
            cancel,
        }
    }

    pub fn check_cancelled(&self) -> Result<()> {
        self.cancel.check()
    }

    /// Runs `smt` on a script and waits for its end.
    pub fn run(&self, options: &[OsString], script: &Path) -> Result<Finished> {
        // Else a run that writes none would be taken for the one before.
        if self.stats.exists() {
            fs::remove_file(&self.stats).map_err(at(&self.stats))?;
        }
        let complaints = File::create(&self.complaints).map_err(at(&self.complaints))?;
        let mut command = Command::new(&self.program);
        command.arg("smt").args(options);
        command
            .arg("--stats")
            .arg(&self.stats)
            .arg("--")
            .arg(script);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(complaints);
        let failed = |source| StudyError::Start {
            program: self.program.clone(),
            source,
        };
        let started = Instant::now();
        let mut output = {
            let mut running = self.cancel.lock();
            if running.cancelled {
                return Err(StudyError::Interrupted);
            }
            let mut child = command.spawn().map_err(failed)?;
            let output = child.stdout.take();
            running.child = Some(child);
            output
        };
        let mut said = Vec::new();
        let read = output.as_mut().map(|output| output.read_to_end(&mut said));
        let child = self.cancel.lock().child.take();
        let status = child.map(|mut child| child.wait()).transpose();
        let wall = started.elapsed().as_secs_f64();
        self.cancel.check()?;
        read.transpose().map_err(failed)?;
        let status = status.map_err(failed)?.and_then(|status| status.code());
        let said = String::from_utf8_lossy(&said);
        Ok(Finished {
            answers: answers(&said),
            error: { said.lines() }
                .find(|line| line.starts_with("(error"))
                .map(str::to_owned),
            complaint: self.complaint(),
            status,
            measurement: self.measurement(wall),
        })
    }

    fn complaint(&self) -> Option<String> {
        let text = fs::read(&self.complaints).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let line = text.lines().rfind(|line| !line.trim().is_empty())?;
        Some(line.strip_prefix("refrain: ").unwrap_or(line).to_owned())
    }

    fn measurement(&self, wall: f64) -> std::result::Result<Measurement, String> {
        let text = fs::read_to_string(&self.stats)
            .map_err(|error| format!("it wrote no statistics: {error}"))?;
        Measurement::read(&text, wall).map_err(|what| format!("its statistics: {what}"))
    }
}

/// The answers to checks, which stand on lines of their own.
fn answers(output: &str) -> Vec<Answer> {
    let answer = |line: &str| match line {
        "sat" => Some(Answer::Sat),
        "unsat" => Some(Answer::Unsat),
        "unknown" => Some(Answer::Unknown),
        _ => None,
    };
    output.lines().filter_map(answer).collect()
}
