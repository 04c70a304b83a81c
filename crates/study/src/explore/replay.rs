//! Every test of a run natively: what was explored is what the program does.

use crate::error::Result;
use crate::figures::FAILED;
use crate::table::Table;

use super::bench::{Bench, Trial};
use super::{Experiment, Options};
use crate::subject::Subject;

pub fn run(bench: &mut Bench, subjects: &[Subject], options: &Options) -> Result<()> {
    let mut table = Table::new(
        "Every test natively",
        &["program", "mode", ">paths", "replayed"],
    );
    for subject in subjects {
        for mode in options.modes.iter().map(|mode| mode.name()) {
            let mut row = vec![subject.name.clone(), mode.to_owned()];
            let trial = Trial {
                experiment: Experiment::Replay.name(),
                variant: mode,
                options: format!("--mode {mode} --tests all --max-time {}", options.max_time),
                variables: &[],
                round: 0,
            };
            match bench.measure(subject, &trial)? {
                None => row.push(FAILED.to_owned()),
                Some(run) => {
                    let (told, is_same) = bench.replay(&run)?;
                    if !is_same {
                        bench.problem(format!("replay: {}, {mode}: {told}", subject.name));
                    }
                    row.extend([run.paths().to_string(), told]);
                }
            }
            table.row(row);
        }
    }
    bench.publish(table)
}
