//! Exploring, measured: how fast programs are explored and where the time goes, what partial solutions are worth,
//! presets against each other, workers, whether runs can be repeated, whether their tests replay, and whether the limit
//! on memory is one.

mod bench;
mod exploration;
mod jobs;
mod memory;
mod overview;
mod partial;
mod paths;
mod presets;
mod repeat;
mod replay;
mod timeline;

use std::path::PathBuf;

use serde_json::json;

use crate::Watch;
use crate::catalogue;
use crate::error::{Result, StudyError};
use crate::papers::Page;
use crate::process::{Cancel, Runner};
use crate::report::Report;
use crate::settings::Settings;
use crate::subject::Subject;

use bench::Bench;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Experiment {
    /// Paths, and where the time goes.
    Table,
    /// Partial solutions against none.
    Partial,
    /// Presets against each other.
    Presets,
    /// Two workers against one.
    Jobs,
    /// The same seed twice.
    Repeat,
    /// Every test natively.
    Replay,
    /// A limit on memory against what would be needed.
    Memory,
}

impl Experiment {
    pub const ALL: [Experiment; 7] = [
        Experiment::Table,
        Experiment::Partial,
        Experiment::Presets,
        Experiment::Jobs,
        Experiment::Repeat,
        Experiment::Replay,
        Experiment::Memory,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Experiment::Table => "table",
            Experiment::Partial => "partial",
            Experiment::Presets => "presets",
            Experiment::Jobs => "jobs",
            Experiment::Repeat => "repeat",
            Experiment::Replay => "replay",
            Experiment::Memory => "memory",
        }
    }
}

/// How programs are explored, as `refrain run --mode` has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Fork,
    Concolic,
}

impl Mode {
    pub const ALL: [Mode; 2] = [Mode::Fork, Mode::Concolic];

    pub fn name(self) -> &'static str {
        match self {
            Mode::Fork => "fork",
            Mode::Concolic => "concolic",
        }
    }
}

pub struct Options {
    /// The program whose `run` command is measured.
    pub refrain: PathBuf,
    pub experiments: Vec<Experiment>,
    /// What is explored; none: the examples.
    pub programs: Vec<Subject>,
    /// The presets to compare.
    pub presets: Vec<String>,
    /// The modes of those experiments that have several.
    pub modes: Vec<Mode>,
    /// How often a run is repeated; the fastest one counts.
    pub rounds: u32,
    /// Seconds after which a run ends that has not ended by itself.
    pub max_time: f64,
    pub seed: u64,
    pub solver: Option<String>,
    /// What single presets are run with.
    pub settings: Settings,
}

/// Makes the experiments, each on all programs.
pub fn study(options: &Options, cancel: &Cancel, watch: &mut dyn Watch) -> Result<Report> {
    // All runs write to folders of their own in here, and all of it is removed at the very end: a file system that
    // has just removed thousands of files is slow at making new ones, which would count against the next run.
    let scratch = tempfile::Builder::new()
        .prefix("refrain-study-")
        .tempdir()
        .map_err(StudyError::Scratch)?;
    let runner = Runner::new(options.refrain.clone(), scratch.path(), cancel.clone());
    let (seed, solver) = (options.seed, options.solver.as_deref());
    let mut bench = Bench::new(runner, seed, solver, scratch.path(), watch);
    // What is not there is told before anything is measured.
    for subject in &options.programs {
        subject.place(scratch.path())?;
    }
    let or_given = |own: Vec<Subject>| match options.programs.is_empty() {
        true => own,
        false => options.programs.clone(),
    };
    let subjects = or_given(catalogue::examples());
    for experiment in &options.experiments {
        match experiment {
            Experiment::Table => overview::run(&mut bench, &subjects, options)?,
            Experiment::Partial => partial::run(&mut bench, &subjects, options)?,
            Experiment::Presets => presets::run(&mut bench, &subjects, options)?,
            Experiment::Jobs => {
                let subjects = or_given(vec![catalogue::many()]);
                jobs::run(&mut bench, &subjects, options)?;
            }
            Experiment::Repeat => repeat::run(&mut bench, &subjects, options)?,
            Experiment::Replay => replay::run(&mut bench, &subjects, options)?,
            Experiment::Memory => {
                let subjects = or_given(vec![catalogue::memory()]);
                memory::run(&mut bench, &subjects)?;
            }
        }
    }
    Ok(Report {
        title: "Exploring, measured",
        setup: setup(options, &subjects),
        page: Page::of(bench.tables),
        rows: bench.rows,
        problems: bench.problems,
        notes: bench.notes,
    })
}

fn setup(options: &Options, subjects: &[Subject]) -> serde_json::Value {
    let experiments = options.experiments.iter();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "programs": subjects.iter().map(|subject| &subject.name).collect::<Vec<_>>(),
        "experiments": experiments.map(|experiment| experiment.name()).collect::<Vec<_>>(),
        "presets": options.presets,
        "modes": options.modes.iter().map(|mode| mode.name()).collect::<Vec<_>>(),
        "rounds": options.rounds,
        "max_time": options.max_time,
        "seed": options.seed,
        "solver": options.solver,
        "settings": options.settings.0,
    })
}
