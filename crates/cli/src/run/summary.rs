//! What came of it, in a dozen lines: what was found, what was covered, what was left and why, and how many
//! queries needed no solver.

use std::time::Duration;

use refrain_explore::StopReason;
use refrain_explore::workers::Outcome;

use refrain_machine::Cause;

use super::record::{Counts, Record};
use super::status::percent;
use crate::lines::Lines;

/// Reasons beyond these are only counted.
const MOST_REASONS: usize = 4;

pub fn summary(record: &Record, outcome: &Outcome, elapsed: Duration) -> String {
    let counts = &record.counts;
    let stats = &outcome.stats;
    let mut lines = Lines::default();
    let paths = record.kept + stats.paths - Counts::get(&counts.silent);
    let mut ends = vec![format!("{} ended", Counts::get(&counts.completed))];
    let parts = [
        (Counts::get(&counts.errors), "with an error"),
        (Counts::get(&counts.killed), "not finished"),
    ];
    for (number, what) in parts {
        if number > 0 {
            ends.push(format!("{number} {what}"));
        }
    }
    let seconds = elapsed.as_secs_f64();
    let kept = match record.kept {
        0 => String::new(),
        kept => format!(", {kept} of them known before"),
    };
    lines.add(
        "paths",
        &format!("{paths} in {seconds:.2} s{kept}: {}", ends.join(", ")),
    );
    let directory = record.directory().path().display();
    lines.add(
        "errors",
        &match record.errors() {
            0 if !record.has_ended_paths() => {
                "NOTHING WAS SHOWN: no path came to an end".to_string()
            }
            0 => "none found".to_string(),
            1 => format!("1, in {directory}/errors"),
            several => format!("{several} different ones, in {directory}/errors"),
        },
    );
    let coverage = record.coverage();
    let share = |(covered, all): (u64, u64), what: &str| {
        format!("{}% of {what} ({covered} of {all})", percent(covered, all))
    };
    lines.add(
        "covered",
        &format!(
            "{}, {}",
            share(coverage.branches, "branches"),
            share(coverage.blocks, "blocks")
        ),
    );
    let asked: u64 = stats
        .effort
        .answered_by
        .iter()
        .map(|(_, count)| count)
        .sum();
    let at_hand = stats.by_model + stats.by_partial_solution;
    let solved = stats.effort.solver.checks;
    let all = asked + at_hand;
    let avoided = all.saturating_sub(solved);
    if all > 0 {
        let by_answers = asked.saturating_sub(solved);
        let by = format!("{at_hand} answered by models at hand, {by_answers} by earlier answers");
        let avoided = percent(avoided, all);
        lines.add(
            "queries",
            &format!("{all}: {by}, {solved} solved ({avoided}% avoided)"),
        );
    }
    match outcome.reason {
        StopReason::Done => {}
        StopReason::Time => lines.add("stopped", "the time is up"),
        StopReason::Paths => lines.add("stopped", "enough paths"),
        StopReason::Interrupted => lines.add("stopped", "interrupted"),
    }
    let boundaries = record.boundaries().into_iter();
    let (given_up, unexplored): (Vec<_>, Vec<_>) =
        boundaries.partition(|(cause, _)| matches!(cause, Cause::Unsupported(_)));
    add_reasons(&mut lines, "unexplored", "place", &unexplored);
    add_reasons(&mut lines, "given up", "path", &given_up);
    if record.has_threads() {
        lines.add(
            "threads",
            "one order of them was explored, and no other (see the guide's limits)",
        );
    }
    if stats.dropped > 0 {
        let dropped = stats.dropped;
        lines.add("dropped", &format!("{dropped} states, for lack of memory"));
    }
    lines.add("tests", &format!("{} in {directory}", record.tests()));
    lines.text().to_string()
}

/// The most frequent reasons, one a line.
fn add_reasons(lines: &mut Lines, name: &str, of_what: &str, reasons: &[(Cause, u64)]) {
    let mut reasons: Vec<&(Cause, u64)> = reasons.iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (why, count) in reasons.iter().take(MOST_REASONS) {
        let plural = if *count == 1 { "" } else { "s" };
        lines.add(name, &format!("{count} {of_what}{plural}: {why}"));
    }
    let more = reasons.len().saturating_sub(MOST_REASONS);
    if more > 0 {
        lines.add(
            name,
            &format!("and for {more} more reasons: see boundary.json"),
        );
    }
}
