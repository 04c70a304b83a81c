//! Programs on concrete command lines, in both builds: standard output, standard error and status must be the same.
//!
//! A case is a line for the shell in which `@sort` is the program `sort`: the native one, or `refrain run` of the
//! other. Each runs in a fresh directory with the files of `cases/setup.sh`. Behind ` ## ` is why its results are not
//! those of the native program: the clock, the user. A run that was given up is explained only by processes, which are
//! not started, and by a limit that the guide has.

use super::Built;
use crate::workspace;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const SETUP: &str = include_str!("cases/setup.sh");

/// Seconds that a case may take.
const LIMIT: u64 = 120;

fn lines(project: &str) -> &'static str {
    match project {
        "coreutils" => include_str!("cases/coreutils.txt"),
        "busybox" => include_str!("cases/busybox.txt"),
        "lua5.4" => include_str!("cases/lua5.4.txt"),
        "sqlite3" => include_str!("cases/sqlite3.txt"),
        "gzip" => include_str!("cases/gzip.txt"),
        "bc" => include_str!("cases/bc.txt"),
        _ => "",
    }
}

/// A case as it is written.
struct Case {
    line: &'static str,
    /// The first program in it.
    program: &'static str,
    /// Why it may differ.
    reason: Option<&'static str>,
}

/// What a run of a case leaves behind.
#[derive(PartialEq)]
struct Ran {
    status: Option<i32>,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

#[derive(Default)]
struct Counts {
    cases: usize,
    same: usize,
    explained: usize,
}

fn cases(project: &str) -> Result<Vec<Case>> {
    let lines = lines(project).lines();
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let case = |line: &'static str| {
        let (line, reason) = match line.split_once(" ## ") {
            Some((line, reason)) => (line, Some(reason)),
            None => (line, None),
        };
        let at = programs(line).next();
        let (from, to) = at.with_context(|| format!("no program in the case {line}"))?;
        Ok(Case {
            line,
            program: &line[from + 1..to],
            reason,
        })
    };
    lines.map(case).collect()
}

/// Where programs are named in a line, with the `@` in front.
fn programs(line: &str) -> impl Iterator<Item = (usize, usize)> {
    let starts = line.match_indices('@').filter(|(at, _)| {
        let before = line[..*at].chars().next_back();
        let after = line[at + 1..].chars().next();
        before.is_none_or(|c| " |;(".contains(c))
            && after.is_some_and(|c| c.is_ascii_lowercase() || c == '[')
    });
    starts.map(|(at, _)| {
        let name = line[at + 1..].find([' ', ';', '|', ')']);
        (at, name.map_or(line.len(), |length| at + 1 + length))
    })
}

/// Prints a table. How many cases differ, and are not said to.
pub fn run(built: &Built) -> Result<usize> {
    let cases = cases(built.project.name)?;
    let mut table: BTreeMap<&str, Counts> = BTreeMap::new();
    let mut differences = Vec::new();
    set_up(&built.place.join("model"))?;
    for case in cases.iter().filter(|case| built.wants(case.program)) {
        let native = case.run(built, "native")?;
        let ours = case.run(built, "refrain")?;
        let counts = table.entry(case.program).or_default();
        counts.cases += 1;
        if native == ours {
            counts.same += 1;
        } else if let Some(reason) = case.reason.filter(|_| !ours.is_given_up(case)) {
            counts.explained += 1;
            differences.push(format!("explained by {reason}: {}", case.line));
        } else {
            differences.push(format!(
                "DIFFERENT: {}\n{}",
                case.line,
                difference(&native, &ours)
            ));
        }
    }
    if table.is_empty() {
        return Ok(0);
    }
    println!("\nprogram      cases  same  explained");
    let mut all = Counts::default();
    for (program, counts) in &table {
        counts.print(program);
        all.cases += counts.cases;
        all.same += counts.same;
        all.explained += counts.explained;
    }
    all.print("all");
    for difference in differences {
        println!("{difference}");
    }
    Ok(all.cases - all.same - all.explained)
}

impl Ran {
    /// Whether it ended because something is missing, and not just what its reason says.
    fn is_given_up(&self, case: &Case) -> bool {
        let said = String::from_utf8_lossy(&self.stderr).into_owned();
        let is_known =
            |reason: &str| reason.starts_with("processes") || reason.starts_with("a limit");
        said.contains("refrain: cannot go on") && !case.reason.is_some_and(is_known)
    }
}

impl Counts {
    fn print(&self, program: &str) {
        println!(
            "{program:12} {:5} {:5}  {:9}",
            self.cases, self.same, self.explained
        );
    }
}

impl Case {
    fn run(&self, built: &Built, build: &str) -> Result<Ran> {
        let place = built.place.join("case");
        empty(&place)?;
        let model = built.place.join("model");
        workspace::run(
            Command::new("cp")
                .arg("-a")
                .arg(model.join("."))
                .arg(&place),
        )?;
        let mut script = String::new();
        let mut done = 0;
        for (from, to) in programs(self.line) {
            let name = &self.line[from + 1..to];
            let program = built.program(build, name);
            let program = program.with_context(|| format!("{build} has no {name}"))?;
            script += &self.line[done..from];
            if build == "refrain" {
                script += &format!("{} run --quiet --config none ", built.refrain.display());
            }
            script += &program.display().to_string();
            done = to;
        }
        script += &self.line[done..];
        let started = Instant::now();
        let output = Command::new("timeout")
            .args([&LIMIT.to_string(), "sh", "-c", &script])
            .current_dir(&place)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", "/root")
            .env("LC_ALL", "C.UTF-8")
            .env("TZ", "UTC0")
            .stdin(Stdio::null())
            .output()
            .context("cannot start timeout")?;
        if build == "native" && started.elapsed() >= Duration::from_secs(LIMIT) {
            bail!(
                "a case that does not end natively in {LIMIT} s compares nothing: {}",
                self.line
            );
        }
        let folder = built.place.join(build);
        let anonymous = |text: &[u8]| {
            let folder = folder.display().to_string();
            replaced(text, folder.as_bytes(), b"BUILD")
        };
        Ok(Ran {
            status: output.status.code().or(output.status.signal().map(|n| -n)),
            stdout: anonymous(&output.stdout),
            stderr: anonymous(&output.stderr),
        })
    }
}

/// Makes the files that a case finds.
fn set_up(model: &Path) -> Result<()> {
    empty(model)?;
    let mut setup = Command::new("sh");
    let status = setup.args(["-ec", SETUP]).current_dir(model).status();
    if !status.is_ok_and(|status| status.success()) {
        bail!("cannot make the files of cases in {}", model.display());
    }
    Ok(())
}

fn empty(place: &Path) -> Result<()> {
    if place.exists() {
        fs::remove_dir_all(place).with_context(|| format!("cannot empty {}", place.display()))?;
    }
    fs::create_dir_all(place).with_context(|| format!("cannot create {}", place.display()))
}

fn replaced(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut result = Vec::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(behind) = rest.strip_prefix(from) {
            result.extend_from_slice(to);
            rest = behind;
        } else {
            result.push(rest[0]);
            rest = &rest[1..];
        }
    }
    result
}

fn difference(native: &Ran, ours: &Ran) -> String {
    let mut text = String::new();
    if native.status != ours.status {
        text += &format!(
            "  status {:?} natively, here {:?}\n",
            native.status, ours.status
        );
    }
    for (what, native, ours) in [
        ("output", &native.stdout, &ours.stdout),
        ("errors", &native.stderr, &ours.stderr),
    ] {
        if native != ours {
            let lines = |text: &[u8]| {
                let text = String::from_utf8_lossy(text).into_owned();
                let lines: Vec<String> = text.lines().map(str::to_string).collect();
                lines
            };
            let (native, ours) = (lines(native), lines(ours));
            let common = native.iter().zip(&ours).take_while(|(a, b)| a == b).count();
            let rest = |lines: &[String]| lines[common..].iter().take(4).cloned().collect();
            let (native, ours): (Vec<String>, Vec<String>) = (rest(&native), rest(&ours));
            text += &format!(
                "  {what} from line {} on: {native:?} natively, here {ours:?}\n",
                common + 1
            );
        }
    }
    text
}
