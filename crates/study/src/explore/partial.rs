//! What partial solutions are worth: with them and without, over time.

use crate::error::Result;
use crate::figures::{FAILED, NOTHING, ratio};
use crate::table::Table;

use super::bench::{Bench, Trial};
use super::exploration::Exploration;
use super::timeline::Point;
use super::{Experiment, Mode, Options};
use crate::subject::Subject;

/// What partial solutions are added to: what tables call it, its mode, and its options.
const SETTINGS: [(&str, Mode, &str); 3] = [
    ("concolic", Mode::Concolic, "--mode concolic"),
    ("fork, pscache", Mode::Fork, "--mode fork --reuse pscache"),
    ("fork, full", Mode::Fork, "--mode fork --reuse full"),
];

const WITHOUT: &str = "--without partial-solutions";

/// Shares of the time that it takes without, at which both are looked at.
const SHARES: [f64; 3] = [0.25, 0.5, 1.0];

/// Slower by more than this, or less far, is a loss; what takes less than this many seconds tells nothing.
const LIMIT: f64 = 1.05;
const SHORTEST: f64 = 1.0;

pub fn run(bench: &mut Bench, subjects: &[Subject], options: &Options) -> Result<()> {
    let chosen = { SETTINGS.into_iter() }.filter(|(_, mode, _)| options.modes.contains(mode));
    for (name, _, setting) in chosen {
        let mut counts = Table::new(
            format!("Partial solutions, {name}: what they answer"),
            &[
                "program",
                ">paths without",
                ">with",
                ">calls without",
                ">with",
                ">collected",
                ">tried",
                ">ways found",
                ">quick tests without",
                ">with",
            ],
        );
        let mut race = Table::new(
            format!("Partial solutions, {name}: who is where when (without / with)"),
            &[
                "program",
                ">s without",
                ">paths at 25%",
                ">50%",
                ">100%",
                ">branches at 25%",
                ">50%",
                ">100%",
                ">calls at 25%",
                ">50%",
                ">100%",
                ">s to its paths with",
                ">ratio",
                ">s to its branches",
                ">ratio",
                "",
            ],
        );
        for subject in subjects {
            let variants = [format!("{name}, without"), format!("{name}, with")];
            let runs = bench.in_turn(subject, options.rounds, 2, |place, round| Trial {
                experiment: Experiment::Partial.name(),
                variant: &variants[place],
                options: format!(
                    "{setting} {} --tests errors --max-time {}",
                    [WITHOUT, ""][place],
                    options.max_time
                ),
                variables: &[],
                round,
            })?;
            let [Some(without), Some(with)] = &runs[..] else {
                counts.row([subject.name.clone(), FAILED.to_owned()]);
                continue;
            };
            counts.row(answered(subject, without, with));
            race.row(raced(subject, without, with));
        }
        counts.remark("Ways found: those that partial solutions took as inputs of their own (concolic). Quick tests: questions that known solutions answered.");
        race.remark(format!(
            "Shares are of the time it takes without partial solutions, or of the limit. Both are told every half second. LOSES: more than 5% later, or fewer, on programs of more than {SHORTEST} s."
        ));
        bench.publish(counts)?;
        bench.publish(race)?;
    }
    Ok(())
}

fn answered(subject: &Subject, without: &Exploration, with: &Exploration) -> Vec<String> {
    let counts = [
        without.paths(),
        with.paths(),
        without.calls,
        with.calls,
        with.collected,
        with.tried,
        with.by_partial_solution,
        without.by_quick_test,
        with.by_quick_test,
    ];
    let counts = counts.map(|count| count.to_string());
    [subject.name.clone()].into_iter().chain(counts).collect()
}

fn raced(subject: &Subject, without: &Exploration, with: &Exploration) -> Vec<String> {
    let time = without.total;
    let mut row = vec![subject.name.clone(), format!("{time:.2}")];
    let values: [fn(Point) -> u64; 3] = [
        |point| point.paths,
        |point| point.branches,
        |point| point.calls,
    ];
    for value in values {
        for share in SHARES {
            let [one, other] = [without, with].map(|run| value(run.timeline.at(time * share)));
            row.push(format!("{one} / {other}"));
        }
    }
    let paths = without.paths();
    let branches = without.branches;
    let verdicts = [
        race(without, with, |point| point.paths >= paths),
        race(without, with, |point| point.branches >= branches),
    ];
    for verdict in &verdicts {
        row.push(
            verdict
                .with
                .map_or(NOTHING.to_owned(), |time| format!("{time:.2}")),
        );
        row.push(verdict.ratio().map_or(NOTHING.to_owned(), ratio));
    }
    let loses = time > SHORTEST && verdicts.iter().any(Race::is_lost);
    row.push(if loses { "LOSES" } else { "" }.to_owned());
    row
}

/// When two runs got somewhere, if they did.
struct Race {
    without: Option<f64>,
    with: Option<f64>,
}

impl Race {
    fn ratio(&self) -> Option<f64> {
        Some(self.with? / self.without.filter(|time| *time > 0.0)?)
    }

    fn is_lost(&self) -> bool {
        // What is told every half second is not known better.
        let by_little = |with: f64, without: f64| with - without < 0.6;
        match (self.without, self.with) {
            (Some(without), Some(with)) => with > without * LIMIT && !by_little(with, without),
            (without, None) => without.is_some(),
            (None, Some(_)) => false,
        }
    }
}

fn race(without: &Exploration, with: &Exploration, there: impl Fn(&Point) -> bool) -> Race {
    Race {
        without: without.timeline.reached(&there),
        with: with.timeline.reached(&there),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_comes_later_or_never_loses() {
        let lost = |without, with| Race { without, with }.is_lost();
        assert!(lost(Some(10.0), Some(12.0)));
        assert!(lost(Some(10.0), None));
        assert!(!lost(Some(10.0), Some(10.4)));
        assert!(!lost(Some(10.0), Some(3.0)));
        assert!(!lost(None, None));
    }
}
