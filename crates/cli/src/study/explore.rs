//! `refrain study explore`: ways of exploring, side by side.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use refrain_study::StudyError;
use refrain_study::explore::{Experiment, Mode, Options, study};
use refrain_study::named;

use crate::asking::count;

use super::{measured, positive, preset, presets, settings, write};

/// Measure how programs are explored, side by side
///
/// Every measurement is a process of its own. Runs that are compared take turns, and the best of all rounds counts.
///
/// Exit status: 0 if all went well, 1 if a run failed or found other paths than it must, 2 if the study could not be
/// made.
#[derive(Args)]
pub struct Arguments {
    /// What to find out, or several of them separated by commas
    #[arg(long, value_enum, value_delimiter = ',', default_value = "all")]
    experiment: Vec<Choice>,

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
enum Choice {
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

pub fn make(arguments: &Arguments) -> Result<u8, StudyError> {
    let chosen = |experiment: &Experiment| {
        arguments.experiment.iter().any(|choice| match choice {
            Choice::Table => *experiment == Experiment::Table,
            Choice::Partial => *experiment == Experiment::Partial,
            Choice::Presets => *experiment == Experiment::Presets,
            Choice::Jobs => *experiment == Experiment::Jobs,
            Choice::Repeat => *experiment == Experiment::Repeat,
            Choice::Replay => *experiment == Experiment::Replay,
            Choice::Memory => *experiment == Experiment::Memory,
            Choice::All => true,
        })
    };
    let programs = arguments.programs.iter();
    let options = Options {
        refrain: measured(arguments.program.as_ref())?,
        experiments: Experiment::ALL.into_iter().filter(chosen).collect(),
        programs: programs.flat_map(|name| named(name)).collect(),
        presets: presets(&arguments.presets),
        modes: match arguments.mode {
            None => Mode::ALL.to_vec(),
            Some(ModeChoice::Fork) => vec![Mode::Fork],
            Some(ModeChoice::Concolic) => vec![Mode::Concolic],
        },
        rounds: arguments.rounds,
        max_time: arguments.max_time,
        seed: arguments.seed,
        solver: arguments.solver.clone(),
        settings: settings(arguments.kp, arguments.ks),
    };
    write(arguments.out.as_deref(), |cancel, screen| {
        study(&options, cancel, screen)
    })
}
