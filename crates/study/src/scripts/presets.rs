//! Presets against each other: solver calls, where answers come from, and time.

use crate::error::Result;
use crate::figures::{FAILED, NOTHING, geometric_mean, milliseconds, range, ratio};
use crate::lab::{Lab, Subject, Trial};
use crate::measurement::Measurement;
use crate::table::Table;

use super::Options;

pub fn run(lab: &mut Lab, subjects: &[Subject], options: &Options) -> Result<()> {
    let presets = &options.presets;
    let mut standings: Vec<Standing> = presets.iter().map(|_| Standing::default()).collect();
    for subject in subjects {
        let what = format!("presets: {}", subject.name);
        let measured = lab.in_turn(&what, options.rounds, presets.len(), |lab, place, round| {
            lab.measure(subject, &Trial::new("presets", &presets[place], round))
        })?;
        lab.publish(table(subject, presets, &measured))?;
        count(&mut standings, subject, &measured);
    }
    lab.publish(summary(subjects.len(), presets, &standings))
}

fn table(subject: &Subject, presets: &[String], measured: &[Option<Measurement>]) -> Table {
    let checks = subject.answers.len();
    let mut table = Table::new(
        format!("Presets on {} ({checks} checks)", subject.name),
        &[
            "preset",
            ">ms",
            ">ratio",
            ">calls",
            ">build ms",
            ">lookup ms",
            ">solve ms",
            ">store ms",
            "answered without the solver by",
        ],
    );
    let best = fastest(measured);
    for (preset, measured) in presets.iter().zip(measured) {
        let Some(run) = measured else {
            table.row([preset.clone(), FAILED.to_owned()]);
            continue;
        };
        let times = [run.build, run.lookup, run.solve, run.store].map(milliseconds);
        let mut row = vec![
            preset.clone(),
            milliseconds(run.total),
            ratio(run.total / best),
            run.calls.to_string(),
        ];
        row.extend(times);
        row.push(run.hits());
        table.row(row);
    }
    table
}

fn fastest(measured: &[Option<Measurement>]) -> f64 {
    let times = measured.iter().flatten().map(|run| run.total);
    times.fold(f64::INFINITY, f64::min)
}

/// How a preset does on all scripts.
#[derive(Default)]
struct Standing {
    fewest_calls: usize,
    fastest: usize,
    calls: u64,
    /// Time against the fastest preset, with the script's name.
    ratios: Vec<(f64, String)>,
}

fn count(standings: &mut [Standing], subject: &Subject, measured: &[Option<Measurement>]) {
    let best = fastest(measured);
    let fewest = measured.iter().flatten().map(|run| run.calls).min();
    for (standing, measured) in standings.iter_mut().zip(measured) {
        let Some(run) = measured else { continue };
        standing.fewest_calls += usize::from(Some(run.calls) == fewest);
        standing.fastest += usize::from(run.total <= best);
        standing.calls += run.calls;
        standing
            .ratios
            .push((run.total / best, subject.name.clone()));
    }
}

fn summary(scripts: usize, presets: &[String], standings: &[Standing]) -> Table {
    let mut table = Table::new(
        format!("Presets on all scripts ({scripts})"),
        &[
            "preset",
            ">fewest calls on",
            ">fastest on",
            ">calls",
            ">mean ratio",
            ">worst ratio",
            "worst on",
        ],
    );
    for (preset, standing) in presets.iter().zip(standings) {
        let ratios: Vec<f64> = standing.ratios.iter().map(|(ratio, _)| *ratio).collect();
        let worst = range(&ratios).map(|(_, worst)| worst);
        let on = standing
            .ratios
            .iter()
            .find(|(ratio, _)| Some(*ratio) == worst);
        let shown = |value: Option<f64>| value.map_or(NOTHING.to_owned(), ratio);
        table.row([
            preset.clone(),
            standing.fewest_calls.to_string(),
            standing.fastest.to_string(),
            standing.calls.to_string(),
            shown(geometric_mean(&ratios)),
            shown(worst),
            on.map_or(NOTHING.to_owned(), |(_, script)| script.clone()),
        ]);
    }
    table.remark(
        "Ratios are times against the fastest preset on the same script; their mean is geometric.",
    );
    table
}
