//! `cargo xtask bench-smt`: whole-file times of `refrain smt` and its peers on recorded incremental
//! scripts, in one run, as ratios. Each answer is held against the `:status` recorded before its check.

use crate::peers::{self, PeerOptions, Solver};
use crate::workspace;
use anyhow::{Context, Result, bail};
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(clap::Args)]
pub struct Options {
    /// A directory of .smt2 or .smt2.zst scripts [default: ../shared/data/klee-coreutils, if present].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    #[command(flatten)]
    peers: PeerOptions,
    /// Only scripts whose name contains this.
    #[arg(long)]
    only: Option<String>,
}

struct Script {
    name: String,
    path: PathBuf,
    /// The recorded answers, in order.
    expected: Vec<String>,
}

/// The best of several runs.
#[derive(Clone)]
struct Best {
    seconds: f64,
    timed_out: bool,
    mismatches: usize,
}

pub fn run(options: Options) -> Result<()> {
    let solvers = options.peers.solvers(vec![peers::z3(), peers::yices()])?;
    let scratch = workspace::target().join("bench-smt");
    std::fs::create_dir_all(&scratch)
        .with_context(|| format!("cannot create {}", scratch.display()))?;
    let scripts = scripts(&options, &scratch)?;
    let limit = options.peers.limit();

    let mut rows: Vec<(&Script, Vec<Best>)> = Vec::new();
    for script in &scripts {
        let mut best: Vec<Option<Best>> = vec![None; solvers.len()];
        for _ in 0..options.peers.runs.max(1) {
            for (place, solver) in solvers.iter().enumerate() {
                // A second time-out would tell nothing new.
                if best[place].as_ref().is_some_and(|best| best.timed_out) {
                    continue;
                }
                let measured = measure(solver, script, limit)?;
                best[place] = Some(match best[place].take() {
                    Some(before) => Best {
                        seconds: before.seconds.min(measured.seconds),
                        timed_out: measured.timed_out,
                        mismatches: before.mismatches.max(measured.mismatches),
                    },
                    None => measured,
                });
            }
        }
        let best: Vec<Best> = best.into_iter().flatten().collect();
        let seconds: Vec<String> = solvers
            .iter()
            .zip(&best)
            .map(|(s, b)| format!("{} {:.3}", s.name, b.seconds))
            .collect();
        eprintln!("{}: {}", script.name, seconds.join(", "));
        rows.push((script, best));
    }
    print!("{}", table(&solvers, &rows, options.peers.limit));
    let wrong: usize = rows.iter().map(|(_, best)| best[0].mismatches).sum();
    let late: Vec<&str> = rows
        .iter()
        .filter(|(_, best)| best[0].timed_out)
        .map(|(script, _)| script.name.as_str())
        .collect();
    if wrong > 0 || !late.is_empty() {
        bail!(
            "{}: {wrong} answers differ from the recorded ones; timed out on: {}",
            solvers[0].name,
            late.join(", ")
        );
    }
    Ok(())
}

fn scripts(options: &Options, scratch: &Path) -> Result<Vec<Script>> {
    let directory = match &options.data {
        Some(directory) => directory.clone(),
        None => workspace::root().join("../shared/data/klee-coreutils"),
    };
    if !directory.is_dir() {
        bail!(
            "{} is not a directory; pass --data DIR with .smt2 or .smt2.zst scripts",
            directory.display()
        );
    }
    let mut scripts = Vec::new();
    for entry in std::fs::read_dir(&directory)
        .with_context(|| format!("cannot read {}", directory.display()))?
    {
        let path = entry?.path();
        let file = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let Some(name) = file
            .strip_suffix(".smt2")
            .or_else(|| file.strip_suffix(".smt2.zst"))
        else {
            continue;
        };
        if options
            .only
            .as_ref()
            .is_some_and(|part| !name.contains(part.as_str()))
        {
            continue;
        }
        let path = if file.ends_with(".zst") {
            unpack(&path, &scratch.join(format!("{name}.smt2")))?
        } else {
            path.clone()
        };
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        scripts.push(Script {
            name: name.to_string(),
            path,
            expected: recorded_answers(&text),
        });
    }
    if scripts.is_empty() {
        bail!("no .smt2 or .smt2.zst scripts in {}", directory.display());
    }
    scripts.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(scripts)
}

fn unpack(from: &Path, to: &Path) -> Result<PathBuf> {
    let packed =
        std::fs::File::open(from).with_context(|| format!("cannot open {}", from.display()))?;
    let mut text = Vec::new();
    ruzstd::decoding::StreamingDecoder::new(packed)
        .map_err(|error| anyhow::anyhow!("{error}"))
        .and_then(|mut decoder| Ok(decoder.read_to_end(&mut text)?))
        .with_context(|| format!("cannot decompress {}", from.display()))?;
    std::fs::write(to, text).with_context(|| format!("cannot write {}", to.display()))?;
    Ok(to.to_path_buf())
}

/// The `:status` before each check; `unknown` where none was recorded since the last one.
pub fn recorded_answers(text: &str) -> Vec<String> {
    let mut status = "unknown";
    let mut answers = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.trim_start().strip_prefix("(set-info :status ") {
            status = rest.trim_end().trim_end_matches(')').trim();
        } else if line.trim_start().starts_with("(check-sat") {
            answers.push(status.to_string());
            status = "unknown";
        }
    }
    answers
}

fn measure(solver: &Solver, script: &Script, limit: Duration) -> Result<Best> {
    let run = solver.run(&script.path, limit)?;
    let answers: Vec<&str> = run
        .output
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let asked = if run.timed_out {
        answers.len().min(script.expected.len())
    } else {
        script.expected.len()
    };
    let mismatches = (0..asked)
        .filter(|&check| {
            script.expected[check] != "unknown"
                && answers.get(check) != Some(&script.expected[check].as_str())
        })
        .count();
    Ok(Best {
        seconds: run.seconds,
        timed_out: run.timed_out,
        mismatches,
    })
}

fn table(solvers: &[Solver], rows: &[(&Script, Vec<Best>)], limit: f64) -> String {
    let mut text = String::from("| script | checks |");
    let mut rule = String::from("|---|---:|");
    for solver in solvers {
        let _ = write!(text, " {} s |", solver.name);
        rule.push_str("---:|");
    }
    for peer in &solvers[1..] {
        let _ = write!(text, " {}/{} |", peer.name, solvers[0].name);
        rule.push_str("---:|");
    }
    let _ = writeln!(text, " best peer/{} |\n{rule}---:|", solvers[0].name);

    let mut logarithms = vec![0.0; solvers.len()];
    for (script, best) in rows {
        let _ = write!(text, "| {} | {} |", script.name, script.expected.len());
        for best in best {
            let late = if best.timed_out { ">" } else { "" };
            let wrong = if best.mismatches > 0 {
                format!(" ({} wrong)", best.mismatches)
            } else {
                String::new()
            };
            let _ = write!(text, " {late}{:.3}{wrong} |", best.seconds);
        }
        let mut quickest = f64::INFINITY;
        for (place, peer) in best.iter().enumerate().skip(1) {
            let ratio = peer.seconds / best[0].seconds;
            quickest = quickest.min(ratio);
            logarithms[place - 1] += ratio.ln();
            let _ = write!(
                text,
                " {}{ratio:.2} |",
                if peer.timed_out { ">" } else { "" }
            );
        }
        logarithms[solvers.len() - 1] += quickest.ln();
        let _ = writeln!(text, " {quickest:.2} |");
    }
    let _ = write!(text, "| geometric mean | |{}", " |".repeat(solvers.len()));
    for logarithm in &logarithms {
        let _ = write!(text, " {:.2} |", (logarithm / rows.len() as f64).exp());
    }
    text.push('\n');
    if rows
        .iter()
        .any(|(_, best)| best.iter().any(|best| best.timed_out))
    {
        let _ = writeln!(
            text,
            "\n`>`: stopped at the limit of {limit} s and counted at it."
        );
    }
    text
}
