//! Two workers against one.

use crate::error::Result;
use crate::figures::{FAILED, ratio};
use crate::table::Table;

use super::bench::{Bench, Trial};
use super::{Experiment, Options};
use crate::subject::Subject;

const JOBS: [&str; 2] = ["1", "2"];

pub fn run(bench: &mut Bench, subjects: &[Subject], options: &Options) -> Result<()> {
    let mut table = Table::new(
        "Two workers against one",
        &[
            "program",
            ">paths by 1",
            ">paths by 2",
            ">s by 1",
            ">s by 2",
            ">ratio",
            ">CPU s by 1",
            ">CPU s by 2",
            "",
        ],
    );
    for subject in subjects {
        // Writing tests is not what workers share.
        let runs = bench.in_turn(subject, options.rounds, JOBS.len(), |place, round| Trial {
            experiment: Experiment::Jobs.name(),
            variant: JOBS[place],
            options: format!(
                "--jobs {} --tests errors --max-time {}",
                JOBS[place], options.max_time
            ),
            variables: &[],
            round,
        })?;
        let [Some(one), Some(two)] = &runs[..] else {
            table.row([subject.name.clone(), FAILED.to_owned()]);
            continue;
        };
        let complete = one.is_complete() && two.is_complete();
        if complete && (one.completed, one.errors) != (two.completed, two.errors) {
            bench.problem(format!(
                "jobs: {}: {} paths by one worker, {} by two",
                subject.name,
                one.paths(),
                two.paths()
            ));
        }
        table.row([
            subject.name.clone(),
            one.paths().to_string(),
            two.paths().to_string(),
            format!("{:.2}", one.total),
            format!("{:.2}", two.total),
            ratio(two.total / one.total),
            format!("{:.2}", one.cpu),
            format!("{:.2}", two.cpu),
            if complete { "" } else { "not finished" }.to_owned(),
        ]);
    }
    table.remark("Ratios are time by two workers against time by one: 0.5 at best.");
    bench.publish(table)
}
