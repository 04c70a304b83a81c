//! Reuse, approach by approach: presets against each other, what a store is worth, what survives edits, and what each
//! layer costs.

mod edits;
mod layers;
mod presets;
mod store;

use std::ffi::OsString;
use std::path::PathBuf;

use serde_json::json;

use crate::error::{Result, StudyError};
use crate::lab::{Lab, Record, Subject};
use crate::papers::Page;
use crate::process::{Cancel, Runner};
use crate::report::Report;
use crate::script::{Script, tell_apart};
use crate::settings::Settings;
use crate::{Watch, edit};

/// The preset with all of it, which most experiments are about.
const FULL: &str = "full";

/// The preset that only knows the same question again.
const EXACT: &str = "green";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Experiment {
    /// Presets against each other.
    Presets,
    /// A second run with what the first one stored, and one script after another.
    Store,
    /// Edited scripts after their originals.
    Edits,
    /// Each layer switched off in turn.
    Layers,
}

impl Experiment {
    pub const ALL: [Experiment; 4] = [
        Experiment::Presets,
        Experiment::Store,
        Experiment::Edits,
        Experiment::Layers,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Experiment::Presets => "presets",
            Experiment::Store => "store",
            Experiment::Edits => "edits",
            Experiment::Layers => "layers",
        }
    }
}

pub struct Options {
    /// The program whose `smt` command is measured.
    pub program: PathBuf,
    pub experiments: Vec<Experiment>,
    /// The presets to compare.
    pub presets: Vec<String>,
    /// The layers to switch off in turn.
    pub layers: Vec<String>,
    /// How often a run is repeated; the fastest one counts. Three times as often where small differences matter.
    pub rounds: u32,
    /// How many variants of each script are made.
    pub edits: u32,
    pub seed: u64,
    pub solver: Option<String>,
    /// What single presets are run with.
    pub settings: Settings,
    /// Solve again what was reused.
    pub recheck: bool,
}

/// Makes the experiments, each on all scripts.
pub fn study(
    mut scripts: Vec<Script>,
    options: &Options,
    cancel: &Cancel,
    watch: &mut dyn Watch,
) -> Result<Report> {
    let scratch = tempfile::Builder::new()
        .prefix("refrain-study-")
        .tempdir()
        .map_err(StudyError::Scratch)?;
    tell_apart(&mut scripts);
    let runner = Runner::new(options.program.clone(), scratch.path(), cancel.clone());
    let mut lab = Lab::new(
        runner,
        common(options),
        options.settings.clone(),
        scratch.path(),
        watch,
    );
    let subjects = subjects(&mut lab, &scripts)?;
    for experiment in &options.experiments {
        match experiment {
            Experiment::Presets => presets::run(&mut lab, &subjects, options)?,
            Experiment::Store => store::run(&mut lab, &subjects, options)?,
            Experiment::Edits => edits::run(&mut lab, &subjects, &scripts, options)?,
            Experiment::Layers => layers::run(&mut lab, &subjects, options)?,
        }
    }
    Ok(Report {
        title: "Reuse, approach by approach",
        setup: setup(options, &scripts),
        page: Page::of(lab.tables),
        rows: lab.records.iter().map(Record::row).collect(),
        problems: lab.problems,
        notes: lab.notes.into_iter().collect(),
    })
}

/// The options that every run has.
fn common(options: &Options) -> Vec<OsString> {
    let mut common = Vec::new();
    if let Some(solver) = &options.solver {
        common.extend(["--solver", solver].map(OsString::from));
    }
    if options.recheck {
        common.push("--recheck".into());
    }
    common
}

/// Tries every script before the first of them is measured: what is wrong with the last one is not found out an hour
/// later.
fn subjects(lab: &mut Lab, scripts: &[Script]) -> Result<Vec<Subject>> {
    let mut subjects = Vec::new();
    for (number, script) in scripts.iter().enumerate() {
        lab.progress(&format!("trying {}", script.name));
        let wrong = |what: String| StudyError::Script {
            name: script.name.clone(),
            what,
        };
        let file = format!("script-{number}.smt2");
        let subject = lab.subject(&script.name, &file, &script.text)?;
        let subject = subject.map_err(wrong)?;
        if subject.answers.is_empty() {
            return Err(wrong("nothing is checked in it".to_owned()));
        }
        edit::Editor::new(&script.text).map_err(wrong)?;
        subjects.push(subject);
    }
    Ok(subjects)
}

fn setup(options: &Options, scripts: &[Script]) -> serde_json::Value {
    let names = |experiments: &[Experiment]| -> Vec<&str> {
        experiments
            .iter()
            .map(|experiment| experiment.name())
            .collect()
    };
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "scripts": scripts.iter().map(|script| &script.name).collect::<Vec<_>>(),
        "experiments": names(&options.experiments),
        "presets": options.presets,
        "layers": options.layers,
        "rounds": options.rounds,
        "edits": options.edits,
        "seed": options.seed,
        "solver": options.solver,
        "settings": options.settings.0,
        "recheck": options.recheck,
    })
}
