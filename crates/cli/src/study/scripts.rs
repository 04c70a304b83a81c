//! `refrain study scripts`: approaches to reuse, side by side on SMT-LIB scripts.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use refrain_reuse::LAYERS;
use refrain_study::StudyError;
use refrain_study::scripts::{Experiment, Options, study};

use crate::asking::count;

use super::{measured, owned, preset, presets, read_scripts, settings, write};

/// Compare approaches to reuse on SMT-LIB scripts, side by side
///
/// Every measurement is a process of its own. Runs that are compared take turns, and the fastest of all rounds
/// counts. All of them must answer alike.
///
/// Exit status: 0 if all went well, 1 if a run failed or gave another answer than the others, 2 if the study could
/// not be made.
#[derive(Args)]
pub struct Arguments {
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

pub fn make(arguments: &Arguments) -> Result<u8, StudyError> {
    let options = options(arguments)?;
    let scripts = read_scripts(&arguments.scripts)?;
    write(arguments.out.as_deref(), |cancel, screen| {
        study(scripts, &options, cancel, screen)
    })
}

fn options(arguments: &Arguments) -> Result<Options, StudyError> {
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
