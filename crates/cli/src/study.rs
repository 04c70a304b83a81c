//! `refrain study`: experiments for those who compare approaches.

use std::env;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::thread;

use clap::{Args, Subcommand, ValueEnum};
use refrain_reuse::{LAYERS, Layers, PRESETS};
use refrain_study::reuse::{Experiment, Options, study};
use refrain_study::{
    Cancel, Report, Script, Settings, StudyError, Table, Watch, bundled, explore, memo,
};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::asking::count;
use crate::{complain, input};

/// Exit status of a study in which runs failed, or disagreed.
const PROBLEMS: u8 = 1;

/// Exit status of a study that Ctrl-C ended, as shells have it.
const INTERRUPTED: u8 = 130;

/// Compare approaches, on scripts and programs
#[derive(Args)]
#[command(after_help = "Examples:
  refrain study reuse --experiment presets script.smt2
  refrain study explore --experiment table --programs regex,packet --max-time 20
  refrain study memo --experiment regress")]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Reuse(ReuseArguments),
    Explore(ExploreArguments),
    Memo(MemoArguments),
}

/// Compare approaches to reuse on SMT-LIB scripts, side by side
///
/// Every measurement is a process of its own. Runs that are compared take turns, and the fastest of all rounds
/// counts. All of them must answer alike.
///
/// Exit status: 0 if all went well, 1 if a run failed or gave another answer than the others, 2 if the study could
/// not be made.
#[derive(Args)]
struct ReuseArguments {
    /// Scripts, plain or compressed with zstd; none: those that come with the program
    scripts: Vec<PathBuf>,

    /// What to find out, or several of them separated by commas
    #[arg(long, value_enum, value_delimiter = ',', default_value = "all")]
    experiment: Vec<Choice>,

    /// The presets to compare, separated by commas; all unless given
    #[arg(long, value_name = "PRESET,…", value_delimiter = ',', value_parser = preset)]
    presets: Vec<String>,

    /// How often each run is repeated; three times as often for layers
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rounds: u32,

    /// The solver, as for 'refrain smt'
    #[arg(long, value_name = "SPEC")]
    solver: Option<String>,

    /// Partial solutions a call, where a preset collects any, as for 'refrain smt'
    #[arg(long, value_name = "N", value_parser = count)]
    kp: Option<usize>,

    /// Solutions kept for each set, where a preset tries any, as for 'refrain smt'
    #[arg(long, value_name = "N", value_parser = count)]
    ks: Option<usize>,

    /// Solve every answer that was reused again, and compare; times then say little
    #[arg(long)]
    recheck: bool,

    /// Where the random edits begin
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Also write the tables as Markdown, and every single measurement as CSV and JSON, to this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// How many variants of each script are made
    #[arg(long, hide = true, default_value_t = 20)]
    edits: u32,

    /// Measure another build of this program
    #[arg(long, hide = true)]
    program: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Choice {
    /// Presets against each other: time, solver calls, where answers come from
    Presets,
    /// The same script again with the store of the first run, and one script after another
    Store,
    /// Edited scripts after their originals: hit rates of exact match and of everything
    Edits,
    /// Everything against everything but one layer: what each layer costs or gains
    Layers,
    All,
}

/// Measure how programs are explored, side by side
///
/// Every measurement is a process of its own. Runs that are compared take turns, and the best of all rounds counts.
///
/// Exit status: 0 if all went well, 1 if a run failed or found other paths than it must, 2 if the study could not be
/// made.
#[derive(Args)]
struct ExploreArguments {
    /// What to find out, or several of them separated by commas
    #[arg(long, value_enum, value_delimiter = ',', default_value = "all")]
    experiment: Vec<ExploreChoice>,

    /// Examples by name (triangle, regex, packet, image, checksum, expression, bytecode, many, memory; numeric: all
    /// programs about floats) or files, separated by commas; unless given, the first seven, 'many' for jobs and 'memory'
    /// for memory
    #[arg(long, value_name = "PROGRAM,…", value_delimiter = ',')]
    programs: Vec<String>,

    /// The presets to compare, separated by commas; all unless given
    #[arg(long, value_name = "PRESET,…", value_delimiter = ',', value_parser = preset)]
    presets: Vec<String>,

    /// The mode of exploring, where an experiment has both; both unless given
    #[arg(long, value_enum)]
    mode: Option<ModeChoice>,

    /// How often each run is repeated
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rounds: u32,

    /// The longest that a run may take that does not end by itself
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = positive)]
    max_time: f64,

    /// What random choices begin with
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// The solver, as for 'refrain run'
    #[arg(long, value_name = "SPEC")]
    solver: Option<String>,

    /// Partial solutions a call, where a preset collects any, as for 'refrain run'
    #[arg(long, value_name = "N", value_parser = count)]
    kp: Option<usize>,

    /// Solutions kept for each set, where a preset tries any, as for 'refrain run'
    #[arg(long, value_name = "N", value_parser = count)]
    ks: Option<usize>,

    /// Also write the tables as Markdown, and every single measurement as CSV and JSON, to this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Measure another build of this program
    #[arg(long, hide = true)]
    program: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum ExploreChoice {
    /// How fast programs are explored, and where the time goes
    Table,
    /// With partial solutions and without: paths and coverage over time
    Partial,
    /// Reuse presets against each other: time, solver calls, the same paths
    Presets,
    /// Two workers against one
    Jobs,
    /// The same seed twice: the same files
    Repeat,
    /// Every test natively: what was explored is what the program does
    Replay,
    /// A limit on memory against what would be needed
    Memory,
    All,
}

#[derive(Clone, Copy, ValueEnum)]
enum ModeChoice {
    Fork,
    Concolic,
}

/// Measure what a run gains from the memo tree of one before, beside the figures of the paper that has it
///
/// The programs are those of Memoized Symbolic Execution (Yang, Pasareanu, Khurshid, 2012), written anew: explored up to
/// a bound and then up to a larger one, and in several versions; from nothing, and from the tree of the run before.
///
/// Exit status: 0 if all went well, 1 if a run failed or found other paths than it must, 2 if the study could not be
/// made.
#[derive(Args)]
struct MemoArguments {
    /// What to find out, or several of them separated by commas
    #[arg(long, value_enum, value_delimiter = ',', default_value = "all")]
    experiment: Vec<MemoChoice>,

    /// How often each run is repeated
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rounds: u32,

    /// What random choices begin with
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// The solver, as for 'refrain run'
    #[arg(long, value_name = "SPEC")]
    solver: Option<String>,

    /// Also write the tables as Markdown, and every single measurement as CSV and JSON, to this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Measure another build of this program
    #[arg(long, hide = true)]
    program: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum MemoChoice {
    /// Larger bounds
    Deepen,
    /// Other versions of a program
    Regress,
    /// Larger bounds, only where a heuristic says
    Guide,
    /// The examples a second time: unchanged, and after an edit of one line
    Again,
    All,
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

/// Runs the command; its exit status.
pub fn run(arguments: &Arguments) -> Result<u8, String> {
    let status = match &arguments.command {
        Command::Reuse(arguments) => reuse(arguments),
        Command::Explore(arguments) => explore(arguments),
        Command::Memo(arguments) => memo(arguments),
    };
    match status {
        Ok(status) => Ok(status),
        Err(StudyError::Interrupted) => Ok(INTERRUPTED),
        // Whoever read the tables has gone: nothing is left to be done.
        Err(StudyError::Watcher(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(0),
        Err(error) => Err(error.to_string()),
    }
}

fn reuse(arguments: &ReuseArguments) -> Result<u8, StudyError> {
    let options = options(arguments)?;
    let scripts = scripts(&arguments.scripts)?;
    make(arguments.out.as_deref(), |cancel, screen| {
        study(scripts, &options, cancel, screen)
    })
}

fn explore(arguments: &ExploreArguments) -> Result<u8, StudyError> {
    let chosen = |experiment: &explore::Experiment| {
        arguments.experiment.iter().any(|choice| match choice {
            ExploreChoice::Table => *experiment == explore::Experiment::Table,
            ExploreChoice::Partial => *experiment == explore::Experiment::Partial,
            ExploreChoice::Presets => *experiment == explore::Experiment::Presets,
            ExploreChoice::Jobs => *experiment == explore::Experiment::Jobs,
            ExploreChoice::Repeat => *experiment == explore::Experiment::Repeat,
            ExploreChoice::Replay => *experiment == explore::Experiment::Replay,
            ExploreChoice::Memory => *experiment == explore::Experiment::Memory,
            ExploreChoice::All => true,
        })
    };
    let programs = arguments.programs.iter();
    let options = explore::Options {
        refrain: measured(arguments.program.as_ref())?,
        experiments: explore::Experiment::ALL
            .into_iter()
            .filter(chosen)
            .collect(),
        programs: programs
            .flat_map(|name| explore::Program::all_named(name))
            .collect(),
        presets: presets(&arguments.presets),
        modes: match arguments.mode {
            None => explore::Mode::ALL.to_vec(),
            Some(ModeChoice::Fork) => vec![explore::Mode::Fork],
            Some(ModeChoice::Concolic) => vec![explore::Mode::Concolic],
        },
        rounds: arguments.rounds,
        max_time: arguments.max_time,
        seed: arguments.seed,
        solver: arguments.solver.clone(),
        settings: settings(arguments.kp, arguments.ks),
    };
    make(arguments.out.as_deref(), |cancel, screen| {
        explore::study(&options, cancel, screen)
    })
}

fn memo(arguments: &MemoArguments) -> Result<u8, StudyError> {
    let chosen = |experiment: &memo::Experiment| {
        arguments.experiment.iter().any(|choice| match choice {
            MemoChoice::Deepen => *experiment == memo::Experiment::Deepen,
            MemoChoice::Regress => *experiment == memo::Experiment::Regress,
            MemoChoice::Guide => *experiment == memo::Experiment::Guide,
            MemoChoice::Again => *experiment == memo::Experiment::Again,
            MemoChoice::All => true,
        })
    };
    let options = memo::Options {
        refrain: measured(arguments.program.as_ref())?,
        experiments: memo::Experiment::ALL.into_iter().filter(chosen).collect(),
        rounds: arguments.rounds,
        seed: arguments.seed,
        solver: arguments.solver.clone(),
    };
    make(arguments.out.as_deref(), |cancel, screen| {
        memo::study(&options, cancel, screen)
    })
}

/// Makes a study, and writes what came of it.
fn make(
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

fn options(arguments: &ReuseArguments) -> Result<Options, StudyError> {
    Ok(Options {
        program: measured(arguments.program.as_ref())?,
        experiments: experiments(&arguments.experiment),
        presets: presets(&arguments.presets),
        layers: owned(LAYERS),
        rounds: arguments.rounds,
        edits: arguments.edits,
        seed: arguments.seed,
        solver: arguments.solver.clone(),
        settings: settings(arguments.kp, arguments.ks),
        recheck: arguments.recheck,
    })
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

/// The experiments that are chosen, each once.
fn experiments(choices: &[Choice]) -> Vec<Experiment> {
    let chosen = |experiment: &Experiment| {
        choices.iter().any(|choice| match choice {
            Choice::Presets => *experiment == Experiment::Presets,
            Choice::Store => *experiment == Experiment::Store,
            Choice::Edits => *experiment == Experiment::Edits,
            Choice::Layers => *experiment == Experiment::Layers,
            Choice::All => true,
        })
    };
    Experiment::ALL.into_iter().filter(chosen).collect()
}

fn scripts(files: &[PathBuf]) -> Result<Vec<Script>, StudyError> {
    if files.is_empty() {
        return Ok(bundled());
    }
    let read = |path: &PathBuf| match input::read_script(path) {
        Ok(text) => Ok(Script::from_file(path, text)),
        Err(message) => Err(StudyError::Unreadable(message)),
    };
    files.iter().map(read).collect()
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
