//! Every solver on every script in one run, its answers held against the recorded ones; a table of times per check
//! and ratios.

use crate::bench::recorded_answers;
use crate::peers::{PeerOptions, Run, Solver};
use anyhow::{Context, Result, bail};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

pub struct Script {
    pub name: String,
    pub group: String,
    pub path: PathBuf,
    /// The recorded answers, in order.
    expected: Vec<String>,
}

impl Script {
    pub fn open(group: &str, path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        Ok(Script {
            name: name.into_owned(),
            group: group.to_string(),
            path: path.to_path_buf(),
            expected: recorded_answers(&text),
        })
    }

    fn unsat_percent(&self) -> usize {
        let unsat = self.expected.iter().filter(|answer| *answer == "unsat");
        unsat.count() * 100 / self.expected.len().max(1)
    }
}

/// What one solver made of one script: the best of several runs.
struct Best {
    seconds: f64,
    timed_out: bool,
}

struct Row<'a> {
    script: &'a Script,
    best: Vec<Best>,
}

impl Row<'_> {
    /// How many times as long as the solver under test the peer took.
    fn ratio(&self, peer: usize) -> f64 {
        self.best[peer].seconds / self.best[0].seconds
    }

    fn best_peer_ratio(&self) -> f64 {
        (1..self.best.len())
            .map(|peer| self.ratio(peer))
            .fold(f64::INFINITY, f64::min)
    }
}

pub fn compare(solvers: &[Solver], scripts: &[Script], options: &PeerOptions) -> Result<()> {
    let mut rows = Vec::new();
    let mut complaints = Vec::new();
    for script in scripts {
        let best = measure(solvers, script, options, &mut complaints)?;
        eprintln!("{}", progress(solvers, script, &best));
        if best[0].timed_out {
            complaints.push(format!("{}: {}: timed out", script.name, solvers[0].name));
        }
        rows.push(Row { script, best });
    }
    print!("{}", table(solvers, &rows, options.limit));
    if !complaints.is_empty() {
        bail!("not as recorded:\n{}", complaints.join("\n"));
    }
    Ok(())
}

/// As `compare`, for scripts of one check each: a row for each family, with the geometric mean of the ratios to the
/// best peer and the worst of them.
pub fn compare_families(
    solvers: &[Solver],
    scripts: &[Script],
    options: &PeerOptions,
) -> Result<()> {
    let mut rows = Vec::new();
    let mut complaints = Vec::new();
    for script in scripts {
        let known = complaints.len();
        let mut best = measure(solvers, script, options, &mut complaints)?;
        // Who gives no answer, or another one, has not been quick.
        for (solver, best) in solvers.iter().zip(&mut best) {
            let complains = format!("{}: {}: ", script.name, solver.name);
            let mut own = complaints[known..].iter();
            if own.any(|complaint| complaint.starts_with(&complains)) {
                best.seconds = options.limit;
                best.timed_out = true;
            }
        }
        eprintln!("{}", progress(solvers, script, &best));
        rows.push(Row { script, best });
    }
    print!("{}", family_table(solvers, &rows));
    let tested = format!(": {}: ", solvers[0].name);
    complaints.retain(|complaint| complaint.contains(&tested));
    for row in rows.iter().filter(|row| row.best[0].timed_out) {
        complaints.push(format!("{}{tested}timed out", row.script.name));
    }
    if !complaints.is_empty() {
        bail!("not as recorded:\n{}", complaints.join("\n"));
    }
    Ok(())
}

fn family_table(solvers: &[Solver], rows: &[Row]) -> String {
    let mut text = String::from("| family | scripts |");
    let mut rule = String::from("|---|---:|");
    for solver in solvers {
        let _ = write!(text, " {} ms |", solver.name);
        rule.push_str("---:|");
    }
    let tested = &solvers[0].name;
    let _ = writeln!(
        text,
        " {tested}/best peer | worst | not decided |\n{rule}---:|---:|---|"
    );
    for rows in rows.chunk_by(|a, b| a.script.group == b.script.group) {
        write_family(&mut text, &rows[0].script.group, solvers, rows);
    }
    write_family(&mut text, "**all**", solvers, rows);
    text
}

fn write_family(text: &mut String, name: &str, solvers: &[Solver], rows: &[Row]) {
    let _ = write!(text, "| {name} | {} |", rows.len());
    for solver in 0..solvers.len() {
        let mean = geometric_mean(rows, |row| row.best[solver].seconds * 1e3);
        let _ = write!(text, " {mean:.2} |");
    }
    let ratio = |row: &Row| 1.0 / row.best_peer_ratio();
    let worst = rows.iter().map(ratio).fold(0.0, f64::max);
    let _ = write!(text, " {:.2} | {worst:.2} |", geometric_mean(rows, ratio));
    let late = |place: usize| rows.iter().filter(|row| row.best[place].timed_out).count();
    let late: Vec<String> = (0..solvers.len())
        .filter(|&place| late(place) > 0)
        .map(|place| format!("{} {}", solvers[place].name, late(place)))
        .collect();
    let _ = writeln!(text, " {} |", late.join(", "));
}

/// Solvers take turns, so that a disturbance of the machine hits them alike.
fn measure(
    solvers: &[Solver],
    script: &Script,
    options: &PeerOptions,
    complaints: &mut Vec<String>,
) -> Result<Vec<Best>> {
    let mut best: Vec<Option<Best>> = solvers.iter().map(|_| None).collect();
    for _ in 0..options.runs.max(1) {
        for (solver, best) in solvers.iter().zip(&mut best) {
            // A second time-out would tell nothing new.
            if best.as_ref().is_some_and(|best| best.timed_out) {
                continue;
            }
            let run = solver.run(&script.path, options.limit())?;
            if let Some(complaint) = complaint(script, &run) {
                let complaint = format!("{}: {}: {complaint}", script.name, solver.name);
                if !complaints.contains(&complaint) {
                    complaints.push(complaint);
                }
            }
            let before = best.as_ref().map_or(f64::INFINITY, |best| best.seconds);
            *best = Some(Best {
                seconds: before.min(run.seconds),
                timed_out: run.timed_out,
            });
        }
    }
    Ok(best.into_iter().flatten().collect())
}

pub fn is_answer(line: &str) -> bool {
    matches!(line.trim(), "sat" | "unsat" | "unknown" | "timeout")
}

/// The first answer that is not the recorded one.
fn complaint(script: &Script, run: &Run) -> Option<String> {
    let mut answers = run
        .output
        .lines()
        .map(str::trim)
        .filter(|line| is_answer(line));
    for (number, expected) in script.expected.iter().enumerate() {
        let check = number + 1;
        match answers.next() {
            Some(answer) if answer != expected => {
                return Some(format!("check {check}: {answer} instead of {expected}"));
            }
            None if !run.timed_out => {
                let error = run.output.lines().find(|line| line.contains("error"));
                return Some(format!(
                    "check {check}: no answer; {}",
                    error.unwrap_or("no error message either")
                ));
            }
            _ => {}
        }
    }
    None
}

fn progress(solvers: &[Solver], script: &Script, best: &[Best]) -> String {
    let seconds: Vec<String> = solvers
        .iter()
        .zip(best)
        .map(|(solver, best)| format!("{} {:.3}", solver.name, best.seconds))
        .collect();
    format!("{}: {}", script.name, seconds.join(", "))
}

fn table(solvers: &[Solver], rows: &[Row], limit: f64) -> String {
    let tested = &solvers[0].name;
    let mut text = String::from("| script | checks | unsat |");
    for solver in solvers {
        let _ = write!(text, " {} µs/check |", solver.name);
    }
    for peer in &solvers[1..] {
        let _ = write!(text, " {}/{tested} |", peer.name);
    }
    let columns = 2 * solvers.len() + 2;
    let _ = writeln!(
        text,
        " best peer/{tested} |\n|---|{}",
        "---:|".repeat(columns)
    );

    for rows in rows.chunk_by(|a, b| a.script.group == b.script.group) {
        for row in rows {
            write_row(&mut text, row);
        }
        if let [first, _, ..] = rows {
            write_means(&mut text, &first.script.group, solvers.len(), rows);
        }
    }
    write_means(&mut text, "all scripts", solvers.len(), rows);
    if rows
        .iter()
        .any(|row| row.best.iter().any(|best| best.timed_out))
    {
        let _ = writeln!(
            text,
            "\n`>`: stopped at the limit of {limit} s and counted at it."
        );
    }
    text
}

fn write_row(text: &mut String, row: &Row) {
    let late = |best: &Best| if best.timed_out { ">" } else { "" };
    let (script, checks) = (row.script, row.script.expected.len());
    let unsat = script.unsat_percent();
    let _ = write!(text, "| {} | {checks} | {unsat} % |", script.name);
    for best in &row.best {
        let microseconds = best.seconds * 1e6 / checks.max(1) as f64;
        let _ = write!(text, " {}{microseconds:.0} |", late(best));
    }
    for peer in 1..row.best.len() {
        let _ = write!(text, " {}{:.2} |", late(&row.best[peer]), row.ratio(peer));
    }
    let _ = writeln!(text, " {:.2} |", row.best_peer_ratio());
}

fn write_means(text: &mut String, name: &str, solvers: usize, rows: &[Row]) {
    let _ = write!(text, "| **{name}**, geometric mean | | |");
    for solver in 0..solvers {
        let per_check =
            |row: &Row| row.best[solver].seconds * 1e6 / row.script.expected.len().max(1) as f64;
        let _ = write!(text, " {:.0} |", geometric_mean(rows, per_check));
    }
    for peer in 1..solvers {
        let _ = write!(
            text,
            " {:.2} |",
            geometric_mean(rows, |row| row.ratio(peer))
        );
    }
    let _ = writeln!(
        text,
        " {:.2} |",
        geometric_mean(rows, |row| row.best_peer_ratio())
    );
}

fn geometric_mean(rows: &[Row], of: impl Fn(&Row) -> f64) -> f64 {
    let logarithms: f64 = rows.iter().map(|row| of(row).ln()).sum();
    (logarithms / rows.len() as f64).exp()
}
