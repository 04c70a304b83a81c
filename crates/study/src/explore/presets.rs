//! Presets against each other: the same paths by all of them, how often the solver was asked for them, and in what
//! time.
//!
//! Depth-first, so that all of them go the same way; a program without end in sight is explored as far as the first
//! preset tried gets.

use crate::error::Result;
use crate::figures::{FAILED, NOTHING, ratio};
use crate::table::Table;

use super::bench::{Bench, Trial};
use super::exploration::Exploration;
use super::paths::Paths;
use super::{Experiment, Options};
use crate::subject::Subject;

/// The preset with all of it, which is to be the fastest.
const FULL: &str = "full";

/// By how much it may miss that, on programs that take longer than so many seconds.
const LIMIT: f64 = 1.05;
const SHORTEST: f64 = 1.0;

/// A preset may take this many times the time limit for what `full` does within it.
const PATIENCE: f64 = 4.0;

pub fn run(bench: &mut Bench, subjects: &[Subject], options: &Options) -> Result<()> {
    for subject in subjects {
        let Some(extent) = extent(bench, subject, options)? else {
            continue;
        };
        let presets = &options.presets;
        let runs = bench.in_turn(subject, options.rounds, presets.len(), |place, round| {
            Trial {
                experiment: Experiment::Presets.name(),
                variant: &presets[place],
                options: format!(
                    "{} --tests errors {}",
                    extent.options,
                    chosen(options, &presets[place])
                ),
                variables: &[],
                round,
            }
        })?;
        let mut said = Vec::new();
        for (preset, run) in presets.iter().zip(&runs) {
            let again = chosen(options, preset);
            said.push(check(
                bench,
                subject,
                preset,
                &again,
                &extent,
                run.as_ref(),
            )?);
        }
        let table = table(subject, presets, &extent, &runs, &said);
        bench.publish(table)?;
    }
    Ok(())
}

/// The switches that choose a preset.
fn chosen(options: &Options, preset: &str) -> String {
    let mut switches = format!("--reuse {preset}");
    for switch in options.settings.of(preset) {
        switches.push(' ');
        switches.push_str(switch);
    }
    switches
}

/// How much of a program is explored, and what is there.
struct Extent {
    options: String,
    paths: Paths,
    count: u64,
    is_whole: bool,
}

/// Tries how far everything together gets in time.
fn extent(bench: &mut Bench, subject: &Subject, options: &Options) -> Result<Option<Extent>> {
    let trial = |variant, options: String| Trial {
        experiment: Experiment::Presets.name(),
        variant,
        options,
        variables: &[],
        round: 0,
    };
    let time = options.max_time;
    let first = format!("--search dfs --max-time {time} --reuse {FULL} --tests all");
    let Some(first) = bench.measure(subject, &trial("how far", first))? else {
        return Ok(None);
    };
    let is_whole = first.is_complete();
    let longest = time * PATIENCE;
    let mut options = format!("--search dfs --max-time {longest}");
    let mut out = first.out.clone();
    let mut count = first.paths();
    if !is_whole {
        // Where the time was up is nowhere in particular; a number of paths is the same for all.
        count = (first.paths() / 2).max(1);
        options += &format!(" --max-paths {count}");
        let again = format!("{options} --reuse {FULL} --tests all");
        let Some(again) = bench.measure(subject, &trial("so far", again))? else {
            return Ok(None);
        };
        out = again.out;
    }
    match Paths::read(&out) {
        Ok(paths) => Ok(Some(Extent {
            options,
            paths,
            count,
            is_whole,
        })),
        Err(what) => {
            bench.problem(format!("presets: {}: {what}", subject.name));
            Ok(None)
        }
    }
}

/// Explores once more, with all answers solved again, and holds the paths against those expected; what is to be said
/// of it.
fn check(
    bench: &mut Bench,
    subject: &Subject,
    preset: &str,
    again: &str,
    extent: &Extent,
    timed: Option<&Exploration>,
) -> Result<String> {
    if timed.is_none() {
        return Ok(FAILED.to_owned());
    }
    if timed.is_some_and(|run| run.paths() < extent.count) {
        return Ok("not in time".to_owned());
    }
    let variant = format!("{preset}, rechecked");
    let trial = Trial {
        experiment: Experiment::Presets.name(),
        variant: &variant,
        options: format!("{} --tests all --recheck {again}", extent.options),
        variables: &[],
        round: 0,
    };
    let Some(run) = bench.measure(subject, &trial)? else {
        return Ok(FAILED.to_owned());
    };
    if run.paths() < extent.count {
        return Ok("recheck not in time".to_owned());
    }
    let difference = match Paths::read(&run.out) {
        Ok(paths) => paths.difference(&extent.paths),
        Err(what) => Some(what),
    };
    let counted = timed.filter(|timed| (timed.paths(), timed.errors) != (run.paths(), run.errors));
    let difference = difference
        .or(counted.map(|timed| format!("{} paths, rechecked {}", timed.paths(), run.paths())));
    Ok(match difference {
        None => "same".to_owned(),
        Some(what) => {
            bench.problem(format!("presets: {}, {preset}: {what}", subject.name));
            "DIFFERENT".to_owned()
        }
    })
}

fn table(
    subject: &Subject,
    presets: &[String],
    extent: &Extent,
    runs: &[Option<Exploration>],
    said: &[String],
) -> Table {
    let whole = if extent.is_whole { "all" } else { "the first" };
    let mut table = Table::new(
        format!(
            "Presets on {}, {whole} {} paths",
            subject.name, extent.count
        ),
        &[
            "preset",
            ">s",
            ">ratio",
            ">CPU s",
            ">calls",
            ">look-up s",
            ">solve s",
            "paths",
            "",
        ],
    );
    let done = |run: &&Exploration| run.paths() >= extent.count;
    let times = runs.iter().flatten().filter(done).map(|run| run.total);
    let best = times.fold(f64::INFINITY, f64::min);
    for ((preset, run), said) in presets.iter().zip(runs).zip(said) {
        let Some(run) = run else {
            table.row([preset.clone(), FAILED.to_owned()]);
            continue;
        };
        let in_time = done(&run);
        let against = run.total / best;
        let lags = preset == FULL && in_time && against > LIMIT && run.total > SHORTEST;
        table.row([
            preset.clone(),
            format!("{}{:.2}", if in_time { "" } else { ">" }, run.total),
            if in_time {
                ratio(against)
            } else {
                NOTHING.to_owned()
            },
            format!("{:.2}", run.cpu),
            run.calls.to_string(),
            format!("{:.2}", run.lookup),
            format!("{:.2}", run.solve),
            said.clone(),
            if lags { "MORE THAN 5% BEHIND" } else { "" }.to_owned(),
        ]);
    }
    table.remark("Ratios are times against the fastest. Paths: those of a run in which every answer was solved again, against the first run.");
    table
}
