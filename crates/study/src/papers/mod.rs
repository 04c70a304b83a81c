//! The experiments of the papers, made again: each is a small description, from which processes are planned, run and
//! shown beside the paper's figures.
//!
//! An experiment has parts: a plan (`plan`: trials of some steps each), and what is shown of it (`page`: tables, plots,
//! findings). The `runner` runs any plan and keeps a `journal`, by which an interrupted study goes on; it knows no
//! experiment. To add one is to write it down in a file of its own, and to name it in `EXPERIMENTS`.

mod html;
mod incremental;
mod journal;
mod klee;
mod memo;
mod muse;
mod page;
mod partial;
pub mod peer;
mod peers;
mod plan;
mod plot;
mod results;
mod reuse;
mod runner;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use xxhash_rust::xxh3::xxh3_64;

pub use html::document;
pub use page::{Block, Page};
pub use plan::{Scale, Setup};

use crate::Watch;
use crate::error::{Result, StudyError, at};
use crate::process::{Cancel, Runner};
use crate::report::Report;

use journal::Journal;
use plan::Trial;
use results::{Record, View};
use runner::Laboratory;

/// What a paper did, to be done again.
pub struct Experiment {
    pub name: &'static str,
    /// A line for those who choose.
    pub about: &'static str,
    pub paper: &'static str,
    /// What is another here than there.
    differs: &'static str,
    pub parts: &'static [Part],
}

/// What can be measured and shown by itself.
pub struct Part {
    pub name: &'static str,
    pub about: &'static str,
    plan: fn(&Setup) -> Vec<Trial>,
    show: fn(&View, &Setup, &mut Page),
}

pub const EXPERIMENTS: &[&Experiment] = &[
    &incremental::EXPERIMENT,
    &reuse::EXPERIMENT,
    &memo::EXPERIMENT,
    &partial::EXPERIMENT,
    &muse::EXPERIMENT,
    &peers::EXPERIMENT,
];

pub struct Options {
    /// The program whose commands are measured.
    pub refrain: PathBuf,
    pub setup: Setup,
    pub experiments: Vec<&'static Experiment>,
    /// Only parts of these names; none: all.
    pub parts: Vec<String>,
    /// Where the journal is kept, if anywhere.
    pub journal: Option<PathBuf>,
}

/// Makes experiments, or the rest of them where a journal has some.
pub fn study(options: &Options, cancel: &Cancel, watch: &mut dyn Watch) -> Result<Report> {
    if let Some(folder) = &options.setup.coreutils {
        fs::read_dir(folder).map_err(at(folder))?;
    }
    let scratch = tempfile::Builder::new()
        .prefix("refrain-study-")
        .tempdir()
        .map_err(StudyError::Scratch)?;
    let setup = described(options)?;
    let journal = match &options.journal {
        Some(folder) => Journal::open(folder, &setup)?,
        None => Journal::in_memory(),
    };
    let mut laboratory = Laboratory {
        runner: Runner::new(options.refrain.clone(), scratch.path(), cancel.clone()),
        scratch: scratch.path().to_path_buf(),
        seed: options.setup.seed,
        journal,
        watch,
        problems: Vec::new(),
        folders: 0,
    };
    let is_wanted = |part: &&Part| {
        options.parts.is_empty() || options.parts.iter().any(|name| name == part.name)
    };
    let parts = || {
        options
            .experiments
            .iter()
            .flat_map(|it| it.parts.iter().filter(is_wanted))
    };
    if !options.setup.programs.is_empty()
        && parts().all(|part| (part.plan)(&options.setup).is_empty())
    {
        let names = options.setup.programs.join(", ");
        return Err(StudyError::Unreadable(format!(
            "no program here is called {names}"
        )));
    }
    let mut page = Page::default();
    for experiment in &options.experiments {
        page.heading(format!("{}: {}", experiment.name, experiment.about));
        page.text(format!(
            "After {}. {}",
            experiment.paper, experiment.differs
        ));
        for part in experiment.parts.iter().filter(is_wanted) {
            let plan = (part.plan)(&options.setup);
            laboratory.perform(experiment.name, part.name, &plan)?;
            let told = page.blocks.len();
            let view = View::of(&laboratory.journal.records, experiment.name, part.name);
            if !view.is_empty() {
                (part.show)(&view, &options.setup, &mut page);
            }
            let unsteady = view.unsteady();
            for what in unsteady.into_iter().chain(page.problems.drain(..)) {
                laboratory.problem(format!("{} {}: {what}", experiment.name, part.name));
            }
            for block in &page.blocks[told..] {
                if let Block::Table(table) = block {
                    laboratory.watch.table(table).map_err(StudyError::Watcher)?;
                }
            }
        }
    }
    Ok(Report {
        title: "The papers' experiments, made again",
        setup,
        page,
        rows: laboratory.journal.records.iter().map(Record::row).collect(),
        problems: laboratory.problems,
        notes: Vec::new(),
    })
}

/// What gives numbers their meaning: what was asked for, what was measured, and who else was there.
fn described(options: &Options) -> Result<serde_json::Value> {
    let setup = &options.setup;
    let program = fs::read(&options.refrain).map_err(|source| StudyError::Start {
        program: options.refrain.clone(),
        source,
    })?;
    let scripts = setup.scripts.iter().map(|script| &script.name);
    let mut peers = serde_json::Map::new();
    for peer in &setup.peers {
        peers.insert(peer.name.to_owned(), json!(peer.version));
    }
    Ok(json!({
        "machine": machine(),
        "version": env!("CARGO_PKG_VERSION"),
        "build": format!("{:016x}", xxh3_64(&program)),
        "scale": setup.scale.name(),
        "seed": setup.seed,
        "rounds": setup.rounds,
        "max_time": setup.max_time,
        "programs": setup.programs,
        "peers": peers,
        "coreutils": setup.coreutils.as_ref().map(|folder| folder.display().to_string()),
        "scripts": scripts.collect::<Vec<_>>(),
    }))
}

/// What everything runs on, as the system tells it.
fn machine() -> String {
    let told = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let models: Vec<&str> = { told.lines() }
        .filter_map(|line| line.strip_prefix("model name")?.split_once(": "))
        .map(|(_, model)| model.trim())
        .collect();
    format!(
        "{} x {}",
        models.len(),
        models.first().unwrap_or(&"unknown")
    )
}

/// The files of a folder, by name.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup(scale: Scale) -> Setup {
        Setup {
            scale,
            seed: 0,
            rounds: None,
            max_time: None,
            programs: Vec::new(),
            peers: Vec::new(),
            coreutils: None,
            scripts: Vec::new(),
        }
    }

    #[test]
    fn names_and_keys_are_different() {
        for scale in [Scale::Smoke, Scale::Quick, Scale::Full] {
            for experiment in EXPERIMENTS {
                let mut parts = Vec::new();
                for part in experiment.parts {
                    assert!(!parts.contains(&part.name), "{}", part.name);
                    parts.push(part.name);
                    let plan = (part.plan)(&setup(scale));
                    let mut keys: Vec<String> = plan.iter().map(Trial::key).collect();
                    keys.sort();
                    for pair in keys.windows(2) {
                        assert_ne!(pair[0], pair[1], "{} {}", experiment.name, part.name);
                    }
                }
            }
        }
    }

    #[test]
    fn larger_scales_have_more_to_do() {
        let processes = |scale| -> usize {
            let parts = EXPERIMENTS.iter().flat_map(|experiment| experiment.parts);
            let plans = parts.flat_map(|part| (part.plan)(&setup(scale)));
            plans
                .map(|trial| trial.steps.len() * trial.rounds as usize)
                .sum()
        };
        assert!(processes(Scale::Smoke) < processes(Scale::Quick));
        assert!(processes(Scale::Quick) < processes(Scale::Full));
    }
}
