//! A run to be measured: `refrain smt` or `refrain run` as a process of its own.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

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

/// A process that is over.
pub struct Ended {
    /// What it wrote to standard output.
    pub said: Vec<u8>,
    /// What it complained about last.
    pub complaint: Option<String>,
    /// `None` if a signal ended it.
    pub status: Option<i32>,
    /// Seconds from its start to its end.
    pub wall: f64,
    /// Seconds that processors worked for it, which a busy machine changes less.
    pub cpu: f64,
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
        let mut arguments = vec![OsString::from("smt")];
        arguments.extend_from_slice(options);
        arguments.extend(["--stats".into(), self.stats.clone().into()]);
        arguments.extend(["--".into(), script.into()]);
        let ended = self.call(&arguments, &[])?;
        let said = String::from_utf8_lossy(&ended.said);
        Ok(Finished {
            answers: answers(&said),
            error: { said.lines() }
                .find(|line| line.starts_with("(error"))
                .map(str::to_owned),
            complaint: ended.complaint,
            status: ended.status,
            measurement: self.measurement(ended.wall),
        })
    }

    /// Runs the program with these arguments, and these variables beside those of the environment, and waits for its
    /// end.
    pub fn call(&self, arguments: &[OsString], variables: &[(&str, &str)]) -> Result<Ended> {
        let mut command = Command::new(&self.program);
        command.args(arguments).envs(variables.iter().copied());
        self.finish(command)
    }

    /// Runs another program, and waits for its end.
    pub fn call_other(&self, program: &Path, arguments: &[OsString]) -> Result<Ended> {
        let mut command = Command::new(program);
        command.args(arguments);
        self.finish(command)
    }

    fn finish(&self, mut command: Command) -> Result<Ended> {
        let complaints = File::create(&self.complaints).map_err(at(&self.complaints))?;
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(complaints);
        let program = PathBuf::from(command.get_program());
        let failed = |source| StudyError::Start {
            program: program.clone(),
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
        let cpu = child.as_ref().map_or(0.0, processor_time);
        let status = child.map(|mut child| child.wait()).transpose();
        let wall = started.elapsed().as_secs_f64();
        self.cancel.check()?;
        read.transpose().map_err(failed)?;
        let status = status.map_err(failed)?.and_then(|status| status.code());
        Ok(Ended {
            said,
            complaint: self.complaint(),
            status,
            wall,
            cpu,
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

/// Seconds that processors have worked for a child, as the system tells once it has ended and nobody has waited for it.
fn processor_time(child: &Child) -> f64 {
    let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    if waitid(WaitId::Pid(Pid::from_child(child)), ended).is_err() {
        return 0.0;
    }
    let status = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
    ticks(&status).unwrap_or(0) as f64 / TICKS_A_SECOND
}

/// What Linux counts processor time in, whatever its own clock does.
const TICKS_A_SECOND: f64 = 100.0;

/// Processor time for the program and for the system on its behalf, from `/proc/PID/stat`.
fn ticks(status: &str) -> Option<u64> {
    // The name of the program may have blanks in it, and brackets.
    let (_, behind_name) = status.rsplit_once(')')?;
    let mut fields = behind_name.split_whitespace().skip(11);
    let mut field = || fields.next()?.parse::<u64>().ok();
    Some(field()? + field()?)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_is_found_behind_any_name() {
        let status = "17 (a ) b) Z 1 17 17 0 -1 4 5 6 7 8 120 30 0 0 20 0 1 0 9 0 0";
        assert_eq!(ticks(status), Some(150));
        assert_eq!(ticks(""), None);
    }
}
