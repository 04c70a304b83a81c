//! Memoized symbolic execution, measured as its paper does it (G. Yang, C. Pasareanu, S. Khurshid, Memoized Symbolic
//! Execution, 2012): larger bounds and other versions of a program, from nothing and from the memo tree of a run before.
//! The paper's figures stand beside ours. And the second run of the examples.

mod again;
mod comparison;
mod published;

use std::path::PathBuf;

use serde_json::json;

use crate::Watch;
use crate::error::{Result, StudyError};
use crate::explore::bench::Bench;
use crate::explore::program::{Program, Source};
use crate::process::{Cancel, Runner};
use crate::report::Report;

use comparison::Comparison;
use published::{DEEPENING, GUIDED, REGRESSION};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Experiment {
    /// Larger bounds: table I.
    Deepen,
    /// Other versions of a program: table II.
    Regress,
    /// Larger bounds, only where a heuristic says: table III.
    Guide,
    /// The examples a second time, unchanged and edited.
    Again,
}

impl Experiment {
    pub const ALL: [Experiment; 4] = [
        Experiment::Deepen,
        Experiment::Regress,
        Experiment::Guide,
        Experiment::Again,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Experiment::Deepen => "deepen",
            Experiment::Regress => "regress",
            Experiment::Guide => "guide",
            Experiment::Again => "again",
        }
    }

    /// The paper's table, if it has one, with what is compared in it.
    fn published(self) -> Option<(&'static str, Vec<Comparison>)> {
        match self {
            Experiment::Deepen => Some((
                "Larger bounds (table I)",
                DEEPENING.iter().map(comparison::deepening).collect(),
            )),
            Experiment::Regress => Some((
                "Other versions (table II)",
                REGRESSION.iter().map(comparison::regression).collect(),
            )),
            Experiment::Guide => Some((
                "Larger bounds, guided (table III)",
                GUIDED.iter().map(comparison::guided).collect(),
            )),
            Experiment::Again => None,
        }
    }
}

pub struct Options {
    /// The program whose commands are measured.
    pub refrain: PathBuf,
    pub experiments: Vec<Experiment>,
    /// How often a run is repeated; the fastest one counts.
    pub rounds: u32,
    pub seed: u64,
    pub solver: Option<String>,
}

macro_rules! program {
    ($name:literal) => {
        Program {
            name: $name.to_owned(),
            source: Source::Text(include_str!(concat!(
                "../../../../examples/study/memoise/",
                $name,
                ".c"
            ))),
        }
    };
}

/// Makes the experiments.
pub fn study(options: &Options, cancel: &Cancel, watch: &mut dyn Watch) -> Result<Report> {
    let scratch = tempfile::Builder::new()
        .prefix("refrain-study-")
        .tempdir()
        .map_err(StudyError::Scratch)?;
    let runner = Runner::new(options.refrain.clone(), scratch.path(), cancel.clone());
    let (seed, solver) = (options.seed, options.solver.as_deref());
    let mut bench = Bench::new(runner, seed, solver, scratch.path(), watch);
    let programs = [
        program!("bank"),
        program!("loop2"),
        program!("brakes"),
        program!("tcas"),
        program!("arbiter"),
    ];
    let subjects = bench.subjects(&programs)?;
    for experiment in &options.experiments {
        let Some((title, comparisons)) = experiment.published() else {
            again::measure(&mut bench, options.rounds)?;
            continue;
        };
        let mut table = comparison::table(title);
        for comparison in comparisons {
            let subject = subjects.iter().find(|it| it.name == comparison.program);
            let subject = subject.expect("all programs are there");
            let measured = comparison.measure(&mut bench, *experiment, subject, options.rounds)?;
            comparison.add_to(&mut table, &measured);
        }
        bench.publish(table)?;
    }
    let experiments = options.experiments.iter().map(|it| it.name());
    Ok(Report {
        title: "Memoized symbolic execution, measured",
        setup: json!({
            "version": env!("CARGO_PKG_VERSION"),
            "experiments": experiments.collect::<Vec<_>>(),
            "rounds": options.rounds,
            "seed": seed,
            "solver": solver,
        }),
        tables: bench.tables,
        rows: bench.rows,
        problems: bench.problems,
        notes: bench.notes,
    })
}
