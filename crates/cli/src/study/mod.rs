//! `refrain study`: experiments for those who compare approaches.

mod explore;
mod papers;
mod scripts;

use std::env;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::thread;

use clap::{Args, Subcommand};
use refrain_reuse::{Layers, PRESETS};
use refrain_study::{Cancel, Report, Script, Settings, StudyError, Table, Watch, bundled};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::{complain, input};

/// Exit status of a study in which runs failed, or disagreed.
const PROBLEMS: u8 = 1;

/// Exit status of a study that Ctrl-C ended, as shells have it.
const INTERRUPTED: u8 = 130;

/// Make the papers' experiments again, and compare approaches on scripts and programs
#[derive(Args)]
#[command(after_help = "Examples:
  refrain study all --quick --out study
  refrain study reuse --part single --programs Euclid,TCAS
  refrain study scripts --experiment presets script.smt2
  refrain study explore --experiment table --programs regex,packet --max-time 20")]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    #[command(flatten)]
    Papers(papers::Experiments),
    Scripts(scripts::Arguments),
    Explore(explore::Arguments),
}

/// Runs the command; its exit status.
pub fn run(arguments: &Arguments) -> Result<u8, String> {
    let status = match &arguments.command {
        Command::Papers(chosen) => papers::make(chosen),
        Command::Scripts(arguments) => scripts::make(arguments),
        Command::Explore(arguments) => explore::make(arguments),
    };
    match status {
        Ok(status) => Ok(status),
        Err(StudyError::Interrupted) => Ok(INTERRUPTED),
        // Whoever read the tables has gone: nothing is left to be done.
        Err(StudyError::Watcher(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(0),
        Err(error) => Err(error.to_string()),
    }
}

/// Makes a study, and writes what came of it.
fn write(
    out: Option<&Path>,
    study: impl FnOnce(&Cancel, &mut Screen) -> Result<Report, StudyError>,
) -> Result<u8, StudyError> {
    if let Some(folder) = out {
        Report::prepare(folder)?;
    }
    let cancel = Cancel::default();
    catch_signals(&cancel)?;
    let mut screen = Screen::new();
    let report = study(&cancel, &mut screen);
    screen.clear();
    let report = report?;
    if let Some(folder) = out {
        report.write(folder)?;
    }
    for line in &report.notes {
        complain(format_args!("note: {line}"));
    }
    if report.problems.is_empty() {
        return Ok(0);
    }
    complain(format_args!("problems: {}", report.problems.len()));
    Ok(PROBLEMS)
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("not a number of seconds".to_owned()),
    }
}

fn preset(name: &str) -> Result<String, String> {
    if PRESETS.contains(&name) {
        return Ok(name.to_owned());
    }
    Err(format!("no such preset; there are {}", PRESETS.join(", ")))
}

/// The presets to compare: all, unless some are named.
fn presets(named: &[String]) -> Vec<String> {
    if named.is_empty() {
        return owned(PRESETS);
    }
    named.to_vec()
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// The switches of those presets that take them.
fn settings(kp: Option<usize>, ks: Option<usize>) -> Settings {
    let mut settings = Settings::default();
    for &preset in PRESETS {
        let Some(mut layers) = Layers::preset(preset) else {
            continue;
        };
        let switches = settings.0.entry(preset.to_owned()).or_default();
        if let Some(kp) = kp
            && layers.fix_counts(Some(kp), None).is_ok()
        {
            switches.extend(["--kp".to_owned(), kp.to_string()]);
        }
        if let Some(ks) = ks
            && layers.fix_counts(None, Some(ks)).is_ok()
        {
            switches.extend(["--ks".to_owned(), ks.to_string()]);
        }
    }
    settings.0.retain(|_, switches| !switches.is_empty());
    settings
}

fn read_scripts(files: &[PathBuf]) -> Result<Vec<Script>, StudyError> {
    if files.is_empty() {
        return Ok(bundled());
    }
    let read = |path: &PathBuf| match input::read_script(path) {
        Ok(text) => Ok(Script::from_file(path, text)),
        Err(message) => Err(StudyError::Unreadable(message)),
    };
    files.iter().map(read).collect()
}

/// The program to be measured: this one, unless another is named.
fn measured(named: Option<&PathBuf>) -> Result<PathBuf, StudyError> {
    match named {
        Some(program) => Ok(program.clone()),
        None => env::current_exe().map_err(|source| StudyError::Start {
            program: "refrain".into(),
            source,
        }),
    }
}

/// Ctrl-C and SIGTERM end the run that is measured, and the study with it.
fn catch_signals(cancel: &Cancel) -> Result<(), StudyError> {
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(StudyError::Signals)?;
    let cancel = cancel.clone();
    thread::spawn(move || {
        for _ in signals.forever() {
            cancel.cancel();
        }
    });
    Ok(())
}

/// Tables on standard output, progress on a terminal.
struct Screen {
    shows_progress: bool,
    tables: usize,
}

impl Screen {
    fn new() -> Screen {
        Screen {
            shows_progress: io::stderr().is_terminal(),
            tables: 0,
        }
    }

    /// Takes the line of progress away.
    fn clear(&mut self) {
        if self.shows_progress {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

impl Watch for Screen {
    fn progress(&mut self, what: &str) {
        if self.shows_progress {
            let mut stderr = io::stderr();
            let _ = write!(stderr, "\r\x1b[K{what}").and_then(|()| stderr.flush());
        }
    }

    fn table(&mut self, table: &Table) -> io::Result<()> {
        self.clear();
        let mut stdout = io::stdout().lock();
        if self.tables > 0 {
            writeln!(stdout)?;
        }
        self.tables += 1;
        write!(stdout, "{table}")?;
        stdout.flush()
    }

    fn problem(&mut self, what: &str) {
        self.clear();
        complain(what);
    }
}
