//! Programs explored for a while, with a test for every path; the tests, or that many of them, on clang's build; and
//! which of the program's own lines they cover. A test that differs is a failure unless the replay has seen that it
//! shows what its file system chooses.

use super::Built;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;

/// Of a program with more tests than this, so many say what is covered: at least that much.
const COVERED: usize = 20_000;

/// What a run may take: pending states beyond it are evicted.
const MEMORY: &str = "4GB";

/// Programs of a project that are explored in one world.
struct World {
    project: &'static str,
    /// The switches that make it, and what follows the program.
    switches: &'static str,
    /// Each is the program and its arguments.
    programs: &'static [&'static str],
}

const WORLDS: &[World] = &[
    World {
        project: "coreutils",
        switches: "--sym-args 0 2 4 --sym-stdin 8 --sym-files 1 8",
        programs: &[
            "base32", "base64", "basename", "basenc", "cat", "cksum", "comm", "csplit", "cut",
            "date", "dd", "dirname", "echo", "env", "expand", "expr", "factor", "false", "fmt",
            "fold", "head", "join", "link", "ln", "ls", "md5sum", "mkdir", "mktemp", "mv", "nl",
            "numfmt", "od", "paste", "pathchk", "pr", "printenv", "printf", "ptx", "readlink",
            "realpath", "rm", "seq", "sha1sum", "shuf", "sleep", "sort", "split", "stat", "sum",
            "tac", "tail", "tee", "test", "touch", "tr", "true", "truncate", "tsort", "unexpand",
            "uniq", "unlink", "wc",
        ],
    },
    World {
        project: "busybox",
        switches: "--sym-stdin 6",
        programs: &[
            "busybox expr @sym:2 @sym:2 @sym:2",
            "busybox sed @sym:4",
            "busybox grep @sym:3 @sym:2",
            "busybox cut @sym:3 @sym:3",
            "busybox tr @sym:3 @sym:3",
            "busybox awk @sym:4",
            "busybox printf @sym:4 @sym:2",
            "busybox dc -e @sym:4",
        ],
    },
    World {
        project: "bc",
        switches: "--sym-stdin 0..4",
        programs: &["bc", "dc"],
    },
    World {
        project: "lua5.4",
        switches: "--sym-stdin 0..4",
        programs: &["lua -"],
    },
    World {
        project: "gzip",
        switches: "--sym-args 0 1 3 --sym-stdin 0..20",
        programs: &["gzip -c", "gzip -dc"],
    },
    World {
        project: "sqlite3",
        switches: "--sym-stdin 0..6",
        programs: &["sqlite3"],
    },
];

/// What is known of one program.
struct Row {
    name: String,
    stats: Value,
    errors: u64,
    /// Of the project's own lines and branches: covered, and all.
    lines: (u64, u64),
    branches: (u64, u64),
    replayed: Replayed,
}

#[derive(Default)]
struct Replayed {
    tests: u64,
    replayed: u64,
    same: u64,
    unseen: u64,
    /// They differ in nothing but what a file system chooses.
    chosen: u64,
    differences: Vec<String>,
    seconds: f64,
}

/// Prints a table. How many tests differ.
pub fn run(built: &Built, seconds: u64, most: usize) -> Result<usize> {
    let mut different = 0;
    let worlds = WORLDS.iter();
    for world in worlds.filter(|world| world.project == built.project.name) {
        println!(
            "\n{} with {}, {seconds} s each",
            world.project, world.switches
        );
        println!(
            "program            paths  ended early  errors  instructions   lines  branches    queries  solved  \
             s   tests  replayed    same  unchecked  chosen  differ  ms/test"
        );
        for line in world.programs {
            let mut words = line.split(' ');
            let program = words.next().unwrap_or_default();
            if !built.wants(program) && !built.wants(line) {
                continue;
            }
            let arguments: Vec<&str> = words.collect();
            let row = explore(built, world, program, &arguments, seconds, most)
                .with_context(|| format!("exploring {line}"))?;
            row.print();
            different += row.replayed.differences.len();
        }
    }
    Ok(different)
}

fn explore(
    built: &Built,
    world: &World,
    program: &str,
    arguments: &[&str],
    seconds: u64,
    most: usize,
) -> Result<Row> {
    let name = [&[program], arguments].concat().join(" ");
    let of = |build: &str| {
        let path = built.program(build, program);
        path.with_context(|| format!("{build} has no {program}"))
    };
    let folder = built
        .place
        .join("explored")
        .join(name.replace([' ', '/'], "-"));
    let _ = fs::remove_dir_all(&folder);
    // Two directories deep: names of four bytes do not lead to other results.
    let place = folder.join("above").join("place");
    fs::create_dir_all(&place).with_context(|| format!("cannot create {}", place.display()))?;
    let results = folder.join("results");
    let command = |what: &str| {
        let mut command = Command::new(built.refrain);
        command.arg(what).current_dir(&place).stdin(Stdio::null());
        command.args(["--config", "none"]).env("TZ", "UTC0");
        command
    };
    let mut run = command("run");
    run.args(["--tests", "all", "--max-time", &seconds.to_string()]);
    run.args(["--max-memory", MEMORY, "--out"]);
    run.arg(&results).args(world.switches.split(' '));
    run.arg(of("refrain")?).args(arguments);
    let output = finish(&mut run, &folder.join("run.txt"))?;
    // 1 says that an error was found, 3 that no path came to its end.
    if !matches!(output.status.code(), Some(0 | 1 | 3)) {
        bail!(
            "{} ended with {}",
            run.get_program().display(),
            output.status
        );
    }
    let stats = json(&results.join("stats.json"))?;
    let tests = said_tests(&output);
    let errors = count(&stats, &["explore", "errors"]);
    let mut replayed = Replayed {
        tests,
        ..Replayed::default()
    };
    let (mut lines, mut branches) = ((0, 0), (0, 0));
    if tests > 0 {
        let mut replay = command("replay");
        replay.arg(&results).arg("--binary").arg(of("native")?);
        select(&mut replay, tests, most);
        let started = Instant::now();
        let output = finish(&mut replay, &folder.join("replay.txt"))?;
        replayed.seconds = started.elapsed().as_secs_f64();
        replayed.read(&String::from_utf8_lossy(&output.stdout))?;
        let mut cover = command("cover");
        cover.arg(&results);
        select(&mut cover, tests, COVERED);
        let output = finish(&mut cover, &folder.join("cover.txt"))?;
        let own = built.place.join("refrain").canonicalize()?;
        (lines, branches) = coverage(&String::from_utf8_lossy(&output.stdout), &own, built);
    }
    Ok(Row {
        name,
        stats,
        errors,
        lines,
        branches,
        replayed,
    })
}

/// Runs a command to its end, and keeps what it says.
fn finish(command: &mut Command, log: &Path) -> Result<Output> {
    let output = command.output().context("cannot start refrain")?;
    let said = [output.stdout.as_slice(), &output.stderr].concat();
    fs::write(log, said).with_context(|| format!("cannot write {}", log.display()))?;
    Ok(output)
}

fn json(path: &PathBuf) -> Result<Value> {
    let text = fs::read(path).with_context(|| format!("no {}", path.display()))?;
    serde_json::from_slice(&text).with_context(|| format!("{} is not JSON", path.display()))
}

fn count(value: &Value, keys: &[&str]) -> u64 {
    let found = keys.iter().try_fold(value, |value, key| value.get(key));
    found.and_then(Value::as_u64).unwrap_or(0)
}

/// Of more tests than that, so many at equal distances, the first and the last among them.
fn select(command: &mut Command, tests: u64, most: usize) {
    let (most, last) = (most as u64, (most as u64).saturating_sub(1).max(1));
    if tests > most {
        for n in 0..most {
            let number = 1 + n * (tests - 1) / last;
            command.arg("--test").arg(number.to_string());
        }
    }
}

impl Replayed {
    /// Reads what `refrain replay` prints: a line for each test that is not the same, and the counts.
    fn read(&mut self, said: &str) -> Result<()> {
        for line in said.lines() {
            if line.contains(" differs: ") || line.contains("cannot be read") {
                self.differences.push(line.to_string());
            }
        }
        let last = said.lines().last().unwrap_or_default();
        let before = |word: &str| -> Option<u64> {
            let at = last.find(word)?;
            last[..at].split_whitespace().last()?.parse().ok()
        };
        self.replayed = before(" test").with_context(|| format!("nothing was replayed: {said}"))?;
        self.same = before(" the same").unwrap_or(0);
        self.unseen = before(" cannot be checked").unwrap_or(0);
        self.chosen = before(" differ in what").unwrap_or(0);
        Ok(())
    }
}

/// Of `refrain cover`'s table, the files that are the project's programs themselves: lines and branches.
fn coverage(table: &str, place: &Path, built: &Built) -> ((u64, u64), (u64, u64)) {
    let (mut lines, mut branches) = ((0, 0), (0, 0));
    let own: Vec<PathBuf> = built
        .project
        .programs
        .iter()
        .map(|folder| place.join(folder))
        .collect();
    for row in table.lines() {
        let mut words = row.split_whitespace();
        let Some(file) = words.next().map(Path::new) else {
            continue;
        };
        if !own.iter().any(|folder| file.starts_with(folder)) {
            continue;
        }
        let mut pairs = words.filter_map(|word| {
            let (covered, all) = word.split_once('/')?;
            Some((covered.parse::<u64>().ok()?, all.parse::<u64>().ok()?))
        });
        for sum in [&mut lines, &mut branches] {
            if let Some((covered, all)) = pairs.next() {
                *sum = (sum.0 + covered, sum.1 + all);
            }
        }
    }
    (lines, branches)
}

impl Row {
    fn print(&self) {
        let percent = |(covered, all): (u64, u64)| match all {
            0 => "-".to_string(),
            all => format!("{:.1}%", 100.0 * covered as f64 / all as f64),
        };
        let stat = |keys: &[&str]| count(&self.stats, keys);
        let seconds = self.stats["time"]["total"].as_f64().unwrap_or(0.0);
        let replayed = &self.replayed;
        println!(
            "{:16} {:7}  {:11}  {:6}  {:12}  {:>6}  {:>8}  {:9}  {:6}  {seconds:3.0}  {:6}  {:8}  {:6}  {:9}  {:6}  {:6}  {:7.2}",
            self.name,
            stat(&["paths", "completed"]),
            stat(&["paths", "killed"]) + stat(&["paths", "silent"]),
            self.errors,
            stat(&["instructions"]),
            percent(self.lines),
            percent(self.branches),
            stat(&["queries", "total"]),
            stat(&["solver", "calls"]),
            replayed.tests,
            replayed.replayed,
            replayed.same,
            replayed.unseen,
            replayed.chosen,
            replayed.differences.len(),
            1000.0 * replayed.seconds / replayed.replayed.max(1) as f64,
        );
        for line in replayed.differences.iter().take(5) {
            println!("    {line}");
        }
    }
}

/// How many tests there are, by the summary of a run.
fn said_tests(output: &Output) -> u64 {
    let text = [output.stdout.as_slice(), &output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    let line = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("tests: "));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|word| word.parse().ok()).unwrap_or(0)
}
