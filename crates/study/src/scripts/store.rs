//! What a store is worth: the same script again in a new process, and one script after another.

use std::path::PathBuf;

use crate::error::Result;
use crate::figures::{FAILED, NOTHING, milliseconds, ratio};
use crate::lab::{Fastest, Lab, StoreUse, Subject, Trial};
use crate::measurement::Measurement;
use crate::table::Table;

use super::{FULL, Options};

pub fn run(lab: &mut Lab, subjects: &[Subject], options: &Options) -> Result<()> {
    again(lab, subjects, options)?;
    if subjects.len() > 1 {
        after_another(lab, subjects)?;
    }
    Ok(())
}

/// The runs that are compared: nothing reused, a new store, and the store it left.
const RUNS: [&str; 3] = ["baseline, no store", "full, first run", "full, second run"];

fn again(lab: &mut Lab, subjects: &[Subject], options: &Options) -> Result<()> {
    let mut summary = Table::new(
        "The same script again, in a new process with the store",
        &[
            "script",
            ">checks",
            ">baseline calls",
            ">first run",
            ">second run",
            ">baseline ms",
            ">first run",
            ">second run",
            ">times faster",
        ],
    );
    for subject in subjects {
        let runs = three_runs(lab, subject, options.rounds)?;
        lab.publish(table(subject, &runs))?;
        let figures = |show: fn(&Measurement) -> String| {
            { runs.iter() }.map(move |run| run.as_ref().map_or(FAILED.to_owned(), show))
        };
        let mut row = vec![subject.name.clone(), subject.answers.len().to_string()];
        row.extend(figures(|run| run.calls.to_string()));
        row.extend(figures(|run| milliseconds(run.total)));
        row.push(times_faster(&runs[0], &runs[2]));
        summary.row(row);
    }
    lab.publish(summary)
}

fn three_runs(lab: &mut Lab, subject: &Subject, rounds: u32) -> Result<[Option<Measurement>; 3]> {
    let mut fastest = [Fastest::default(), Fastest::default(), Fastest::default()];
    for round in 0..rounds {
        lab.progress(&format!(
            "store: {}, round {} of {rounds}",
            subject.name,
            round + 1
        ));
        let store = lab.fresh_store();
        let trial = |reuse, store| Trial {
            store,
            ..Trial::new("store", reuse, round)
        };
        let trials = [
            trial("baseline", StoreUse::None),
            trial(FULL, StoreUse::At(&store, "new")),
            trial(FULL, StoreUse::At(&store, "own")),
        ];
        for (fastest, trial) in fastest.iter_mut().zip(&trials) {
            if !fastest.failed() {
                let measured = lab.measure(subject, trial)?;
                fastest.note(measured);
            }
        }
        lab.remove_store(&store);
    }
    Ok(fastest.map(Fastest::get))
}

fn times_faster(than: &Option<Measurement>, run: &Option<Measurement>) -> String {
    match (than, run) {
        (Some(than), Some(run)) => ratio(than.total / run.total),
        _ => NOTHING.to_owned(),
    }
}

fn table(subject: &Subject, runs: &[Option<Measurement>; 3]) -> Table {
    let checks = subject.answers.len();
    let mut table = Table::new(
        format!("The store on {} ({checks} checks)", subject.name),
        &[
            "run",
            ">ms",
            ">times faster",
            ">calls",
            ">store hits",
            ">written",
            "answered without the solver by",
        ],
    );
    let known = |count: Option<u64>| count.map_or(NOTHING.to_owned(), |count| count.to_string());
    for (name, measured) in RUNS.iter().zip(runs) {
        match measured {
            Some(run) => table.row([
                (*name).to_owned(),
                milliseconds(run.total),
                times_faster(&runs[0], measured),
                run.calls.to_string(),
                known(run.store_hits),
                known(run.entries_written),
                run.hits(),
            ]),
            None => table.row([(*name).to_owned(), FAILED.to_owned()]),
        }
    }
    table
}

/// Each script with the store that each other one has left.
fn after_another(lab: &mut Lab, subjects: &[Subject]) -> Result<()> {
    let mut filled: Vec<(PathBuf, Option<Measurement>)> = Vec::new();
    for subject in subjects {
        let store = lab.fresh_store();
        let alone = Trial {
            store: StoreUse::At(&store, "new"),
            ..Trial::new("store", FULL, 0)
        };
        let measured = lab.measure(subject, &alone)?;
        filled.push((store, measured));
    }
    let mut columns = vec!["store of".to_owned()];
    columns.extend(subjects.iter().map(|subject| format!(">{}", subject.name)));
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut matrix = Table::new(
        "Solver calls with the store that another script has left",
        &columns,
    );
    let calls = |run: &Option<Measurement>| match run {
        Some(run) => run.calls.to_string(),
        None => FAILED.to_owned(),
    };
    let mut first = vec!["none".to_owned()];
    first.extend(filled.iter().map(|(_, alone)| calls(alone)));
    matrix.row(first);
    let mut changes = Table::new(
        "What fell away, and what answered instead",
        &[
            "script",
            "store of",
            ">calls alone",
            ">calls",
            ">fell away",
            "answered more than alone by",
        ],
    );
    for (earlier, (store, _)) in subjects.iter().zip(&filled) {
        lab.progress(&format!("store: all scripts after {}", earlier.name));
        let mut row = vec![earlier.name.clone()];
        for (later, (_, alone)) in subjects.iter().zip(&filled) {
            if earlier.name == later.name {
                row.push(NOTHING.to_owned());
                continue;
            }
            let copy = lab.copy_of_store(store)?;
            let trial = Trial {
                store: StoreUse::At(&copy, &earlier.name),
                ..Trial::new("store", FULL, 0)
            };
            let after = lab.measure(later, &trial)?;
            lab.remove_store(&copy);
            row.push(calls(&after));
            if let (Some(alone), Some(after)) = (alone, &after) {
                note_change(&mut changes, [&later.name, &earlier.name], alone, after);
            }
        }
        matrix.row(row);
    }
    for (store, _) in &filled {
        lab.remove_store(store);
    }
    matrix.remark("A row for each script that ran first, a column for each that ran after it; the first row is without any before.");
    lab.publish(matrix)?;
    lab.publish(changes)
}

/// Adds a row if the store of the other script made a difference.
fn note_change(table: &mut Table, names: [&String; 2], alone: &Measurement, after: &Measurement) {
    let more = after.answered_by.iter().filter_map(|(source, count)| {
        let more = count.checked_sub(alone.answered(source))?;
        (more > 0).then(|| format!("{source} +{more}"))
    });
    let more: Vec<String> = more.collect();
    if alone.calls == after.calls && more.is_empty() {
        return;
    }
    let [script, other] = names.map(Clone::clone);
    table.row([
        script,
        other,
        alone.calls.to_string(),
        after.calls.to_string(),
        (i128::from(alone.calls) - i128::from(after.calls)).to_string(),
        more.join(", "),
    ]);
}
