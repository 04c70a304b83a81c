//! `refrain resume` and `refrain deepen`: an earlier run is continued where it stopped.

use std::path::PathBuf;

use clap::Args;
use refrain_explore::memo::Heuristic;

use crate::given::Given;
use crate::run::{self, Earlier, How, Origin};

/// Go on with a run that was stopped: by a limit, by Ctrl-C, by a crash
///
/// DIR is the output directory of the run. What it found out stays; it is continued wherever paths were left, with what
/// it was told then and what it is told now. Paths that a bound ended (--max-depth, --max-unroll, --max-instructions) go
/// on if the bound is larger now. Nothing that is known is asked again.
///
/// Exit status: as of `refrain run`, for the program as far as it is known now.
#[derive(Args)]
#[command(after_help = "Examples:
  refrain resume refrain-last                 after Ctrl-C, a crash, or because there is more time now
  refrain resume refrain-last --max-time 60   for one more minute")]
pub struct Arguments {
    /// The output directory of the run
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// Go on only where it may pay: reachability, where code that has not run, or --to, may be reached; counter, of these
    /// where the nearest branch has been taken most often
    #[arg(long, value_name = "HEURISTIC", value_parser = heuristic)]
    guide: Option<Heuristic>,

    #[command(flatten)]
    how: How,

    #[arg(skip)]
    pub given: Given,
}

fn heuristic(name: &str) -> Result<Heuristic, String> {
    match name {
        "reachability" => Ok(Heuristic::Reachability),
        "counter" => Ok(Heuristic::Counter),
        _ => Err("no such heuristic; there are reachability and counter".into()),
    }
}

/// Go on behind the bounds of a run, with larger ones
///
/// DIR is the output directory of the run. Everything inside its bounds is known: paths that ended there are left alone,
/// and those that a bound ended go on from there. At least one bound must be larger than it was.
///
/// Exit status: as of `refrain run`, for the program as far as it is known now.
#[derive(Args)]
#[command(after_help = "Examples:
  refrain run --max-depth 10 prog.c
  refrain deepen refrain-last --max-depth 20
  refrain deepen refrain-last --max-depth none --max-time 60
  refrain deepen refrain-last --max-depth 30 --guide reachability   only towards code that has not run")]
pub struct Deepen {
    #[command(flatten)]
    arguments: Arguments,
}

/// The bounds of a path.
const BOUNDS: [&str; 3] = ["max-depth", "max-unroll", "max-instructions"];

pub fn run(arguments: &Arguments) -> Result<u8, String> {
    let earlier = Earlier::open(&arguments.directory)?;
    let given = arguments.given.clone().without(&["guide"]);
    let told = earlier.arguments_with(&earlier.run.named, &given)?;
    earlier.enter()?;
    Ok(run::explore_from(&told, &Origin::Same(earlier, arguments.guide))?.status)
}

impl Deepen {
    pub fn keep(&mut self, given: Given) {
        self.arguments.given = given;
    }

    pub fn run(&self) -> Result<u8, String> {
        let given = &self.arguments.given;
        if !BOUNDS.iter().any(|bound| given.has(bound)) {
            let bounds = BOUNDS.map(|bound| format!("--{bound}")).join(", ");
            return Err(format!("how far? Give one of {bounds}"));
        }
        run(&self.arguments)
    }
}
