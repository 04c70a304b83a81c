//! The workspace's test programs, several at once.
//!
//! `cargo test` starts a test program when the one before has ended, and so waits for the slowest test of each. Here a
//! program starts as soon as a core is free. What a program says is kept in a file of its own, and shown if it fails.

use crate::workspace::{self, cargo};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::VecDeque;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The longest: they start first, so that nobody waits for them in the end.
const FIRST: &[&str] = &[
    "cli paths",
    "cli run_programs",
    "cli run_real",
    "cli replays",
];

/// Seconds from which on a program is named with its time.
const SLOW: Duration = Duration::from_secs(10);

/// Seconds after which a program of ordinary size is taken to hang: many times what the slowest takes on a busy
/// machine. It is ended, and fails.
const HANGS: &str = "2700";

/// What `timeout` ends with where it had to end a program, or to kill it.
const TIMED_OUT: [i32; 2] = [124, 137];

/// A test program, or another command that ends with status 0 if all is well.
pub struct Suite {
    name: String,
    command: Command,
}

/// What became of a suite.
struct Ended {
    name: String,
    took: Duration,
    passed: u64,
    /// What went wrong, if anything did.
    failure: Option<String>,
    /// Tests that could not run here, each with its reason.
    skipped: Vec<String>,
}

/// What there is to run.
pub struct Built {
    pub suites: Vec<Suite>,
    /// The command under test, as the suites start it.
    pub refrain: PathBuf,
}

/// Builds every test program of the workspace.
pub fn build() -> Result<Built> {
    let mut command = cargo();
    command.args(["test", "--workspace", "--no-run", "--quiet", "--locked"]);
    command.arg("--message-format=json-render-diagnostics");
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start cargo")?;
    if !output.status.success() {
        bail!("the tests do not build");
    }
    let messages = String::from_utf8(output.stdout).context("cargo's messages are not text")?;
    let messages: Vec<Value> = messages
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let mut suites: Vec<Suite> = messages.iter().filter_map(suite).collect();
    if suites.is_empty() {
        bail!("cargo built no test program");
    }
    suites.push(documentation());
    let rank = |suite: &Suite| FIRST.iter().position(|name| *name == suite.name);
    suites.sort_by_key(|suite| (rank(suite).unwrap_or(FIRST.len()), suite.name.clone()));
    let refrain = messages.iter().find_map(|message| {
        let is_it = message["target"]["name"] == "refrain" && message["profile"]["test"] == false;
        message["executable"].as_str().filter(|_| is_it)
    });
    Ok(Built {
        suites,
        refrain: refrain.context("cargo built no refrain")?.into(),
    })
}

/// The examples in the documentation of all crates.
fn documentation() -> Suite {
    let mut command = cargo();
    command.args(["test", "--workspace", "--doc", "--quiet", "--locked"]);
    Suite {
        name: "examples in documentation".to_string(),
        command,
    }
}

/// The test program that one of cargo's messages is about.
fn suite(message: &Value) -> Option<Suite> {
    let program = message["executable"].as_str()?;
    if message["profile"]["test"] != true {
        return None;
    }
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    let package = folder.file_name()?.to_string_lossy().into_owned();
    let target = message["target"]["name"].as_str()?;
    let is_own_file = message["target"]["kind"] == serde_json::json!(["test"]);
    let target = if is_own_file { target } else { "src" };
    // As cargo runs it.
    let mut command = Command::new(program);
    command
        .current_dir(folder)
        .env("CARGO_MANIFEST_DIR", folder)
        .env("REFRAIN_BUILT", "1");
    Some(Suite {
        name: format!("{package} {target}"),
        command,
    })
}

/// Runs all of them; an error names those that fail.
pub fn run(mut suites: Vec<Suite>, long: bool) -> Result<()> {
    for suite in &mut suites {
        if !long {
            suite.command = ending(&suite.command);
        }
        suite
            .command
            .env("REFRAIN_LONG", if long { "1" } else { "0" });
    }
    let logs = workspace::target().join("xtask-suites");
    std::fs::create_dir_all(&logs).with_context(|| format!("cannot create {}", logs.display()))?;
    let count = suites.len();
    let waiting = Mutex::new(VecDeque::from(suites));
    let ended = Mutex::new(Vec::new());
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let next = || waiting.lock().expect("no thread panics").pop_front();
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(suite) = next() {
                    let one = finish(suite, &logs);
                    let mut ended = ended.lock().expect("no thread panics");
                    one.tell();
                    ended.push(one);
                }
            });
        }
    });
    let ended = ended.into_inner().expect("no thread panics");
    let failed: Vec<&str> = ended
        .iter()
        .filter(|one| one.failure.is_some())
        .map(|one| one.name.as_str())
        .collect();
    println!(
        "{} tests passed in {count} programs; what each said is in {}",
        ended.iter().map(|one| one.passed).sum::<u64>(),
        logs.display()
    );
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}

/// The same command, which does not hang. It stays in the foreground: whoever interrupts this interrupts that.
fn ending(command: &Command) -> Command {
    let mut ending = Command::new("timeout");
    ending.args(["--foreground", "--kill-after=10", HANGS]);
    ending.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => ending.env(name, value),
            None => ending.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        ending.current_dir(folder);
    }
    ending
}

fn finish(suite: Suite, logs: &Path) -> Ended {
    let started = Instant::now();
    let log = logs
        .join(suite.name.replace(' ', "-"))
        .with_extension("txt");
    let outcome = finish_into(suite.command, &log);
    let said = std::fs::read(&log).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    let failure = match outcome {
        Ok(None) => None,
        Ok(Some(status)) if TIMED_OUT.map(Some).contains(&status.code()) => {
            Some(format!("{said}\nnot at its end after {HANGS} s"))
        }
        Ok(Some(status)) => Some(format!("{said}\n{status}")),
        Err(error) => Some(format!("{error:#}")),
    };
    Ended {
        name: suite.name,
        took: started.elapsed(),
        passed: said.lines().filter_map(passed).sum(),
        failure,
        skipped: said
            .lines()
            .filter(|line| line.starts_with("skipped: "))
            .map(str::to_string)
            .collect(),
    }
}

/// `None` if it succeeds.
fn finish_into(mut command: Command, log: &PathBuf) -> Result<Option<std::process::ExitStatus>> {
    let file = File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
    let other = file.try_clone().context("cannot share a file")?;
    let status = command
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(other)
        .status()
        .with_context(|| format!("cannot start {}", command.get_program().display()))?;
    Ok((!status.success()).then_some(status))
}

/// How many tests passed, where a test program says so.
fn passed(line: &str) -> Option<u64> {
    let counts = line.strip_prefix("test result: ")?;
    let (_, counts) = counts.split_once(". ")?;
    counts.split(' ').next()?.parse().ok()
}

impl Ended {
    fn tell(&self) {
        let seconds = self.took.as_secs_f64();
        match &self.failure {
            Some(what) => println!("--- {} FAILED after {seconds:.0} s\n{what}", self.name),
            None if self.took >= SLOW => println!("{}: {seconds:.0} s", self.name),
            None => {}
        }
        for line in &self.skipped {
            println!("{}: {line}", self.name);
        }
    }
}
