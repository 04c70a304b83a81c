//! A limit on memory, against what would be needed without one.

use crate::error::Result;
use crate::figures::{FAILED, ratio};
use crate::table::Table;

use super::Experiment;
use super::bench::{Bench, Trial};
use crate::subject::Subject;

/// The limit that is put to the test, in bytes and as the command line has it.
const LIMIT: u64 = 300_000_000;
const LIMITED: &str = "300MB";

/// As much as a run without that limit may have, so that a machine is not brought down.
const UNLIMITED: &str = "8GB";

/// More than this many times the limit is not within it.
const TOLERANCE: f64 = 1.1;

pub fn run(bench: &mut Bench, subjects: &[Subject]) -> Result<()> {
    let mut table = Table::new(
        format!("Memory within {LIMITED}, breadth-first"),
        &[
            "program",
            "limit",
            ">peak MB",
            ">peak/limit",
            ">paths",
            ">left open",
            ">dropped",
            ">set aside",
            ">executed again",
            ">s",
            "",
        ],
    );
    for subject in subjects {
        for limit in [UNLIMITED, LIMITED] {
            let trial = Trial {
                experiment: Experiment::Memory.name(),
                variant: limit,
                options: format!("--search bfs --tests errors --max-memory {limit}"),
                variables: &[],
                round: 0,
            };
            let Some(run) = bench.measure(subject, &trial)? else {
                table.row([subject.name.clone(), limit.to_owned(), FAILED.to_owned()]);
                continue;
            };
            let share = run.peak_bytes as f64 / LIMIT as f64;
            let is_over = limit == LIMITED && share > TOLERANCE;
            let mut row = vec![
                subject.name.clone(),
                limit.to_owned(),
                (run.peak_bytes / 1_000_000).to_string(),
                ratio(share),
            ];
            let counts = [
                run.paths(),
                run.boundaries,
                run.dropped,
                run.evicted,
                run.executed_again,
            ];
            row.extend(counts.map(|count| count.to_string()));
            row.push(format!("{:.2}", run.total));
            row.push(if is_over { "ABOVE THE LIMIT" } else { "" }.to_owned());
            table.row(row);
        }
    }
    table.remark(format!(
        "Peak: the largest resident size of the process, against {LIMITED} in both rows."
    ));
    bench.publish(table)
}
