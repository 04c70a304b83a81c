//! How fast programs are explored, and where the time goes.

use crate::error::Result;
use crate::figures::{FAILED, percent};
use crate::table::Table;

use super::bench::{Bench, Trial};
use super::{Experiment, Options};
use crate::subject::Subject;

const SEARCHES: [&str; 2] = ["dfs", "interleaved"];

pub fn run(bench: &mut Bench, subjects: &[Subject], options: &Options) -> Result<()> {
    let mut table = Table::new(
        "Exploring programs",
        &[
            "program",
            "search",
            ">paths",
            ">errors",
            ">branches covered",
            ">s",
            ">paths/s",
            ">execute",
            ">build",
            ">look-up",
            ">solve",
            ">calls",
            ">of queries",
            ">CPU s",
            ">MB",
            "",
        ],
    );
    for subject in subjects {
        let runs = bench.in_turn(subject, options.rounds, SEARCHES.len(), |place, round| {
            Trial {
                experiment: Experiment::Table.name(),
                variant: SEARCHES[place],
                options: format!(
                    "--search {} --max-time {}",
                    SEARCHES[place], options.max_time
                ),
                variables: &[],
                round,
            }
        })?;
        for (search, run) in SEARCHES.iter().zip(&runs) {
            let mut row = vec![subject.name.clone(), (*search).to_owned()];
            match run {
                None => row.push(FAILED.to_owned()),
                Some(run) => {
                    row.extend(
                        [run.paths(), run.sites, run.branches].map(|count| count.to_string()),
                    );
                    row.push(format!("{:.2}", run.total));
                    row.push(format!("{:.0}", run.paths_a_second()));
                    let shares = [run.execute, run.build, run.lookup, run.solve];
                    row.extend(shares.map(|part| percent(part / run.total.max(1e-9))));
                    row.extend([run.calls, run.queries].map(|count| count.to_string()));
                    row.push(format!("{:.2}", run.cpu));
                    row.push((run.peak_bytes >> 20).to_string());
                    row.push(
                        if run.is_complete() {
                            ""
                        } else {
                            "not finished"
                        }
                        .to_owned(),
                    );
                }
            }
            table.row(row);
        }
    }
    table.remark("Errors: different ones. Seconds of exploring, without compiling and what writing tests takes beyond it; CPU seconds are of the whole process.");
    bench.publish(table)
}
