//! `cargo xtask fuzz-reuse`: sessions that repeat themselves, through every preset of `refrain smt --reuse`,
//! against an oracle. A chore of its own, because its unit is not a script but an episode: several
//! processes, each with its own command line, on one store. What each layer answered is summed from the
//! statistics; a run in which a layer was never hit has not tested it, and says so.

mod arrange;
mod episode;
mod hits;
#[cfg(test)]
mod tests;
mod walk;
mod world;

use super::SHRINKING_LIMIT;
use super::examine::Jury;
use super::oracle::Peer;
use super::session::{Finding, Tested};
use super::shrink::Shrinker;
use crate::campaign::{self, Campaign};
use anyhow::{Context, Result, bail};
use arrange::Variety;
use episode::{Directory, Record, Run};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

#[derive(clap::Args, Clone)]
pub struct Options {
    #[command(flatten)]
    campaign: campaign::Options,
    /// Only these presets [default: all that the command's help names, `full` half of the time].
    #[arg(long, value_delimiter = ',')]
    pub presets: Vec<String>,
    /// Fail if a layer has answered nothing [default: true from 20,000 checks on].
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    pub require_all_layers: Option<bool>,
    /// Who else is asked: z3 every script, the others in turn.
    #[arg(long, value_delimiter = ',', default_value = "z3")]
    pub solvers: Vec<Peer>,
    /// Seconds the command under test has for one answer; later is a failure if an oracle was in time.
    #[arg(long, default_value_t = 20)]
    pub limit: u64,
    /// Write the episode of this number to the directory of failing ones and do nothing else.
    #[arg(long, value_name = "NUMBER")]
    pub write: Option<u64>,
}

/// From here on a run is long enough to have hit every layer.
const CHECKS_FOR_ALL_LAYERS: u64 = 20_000;

/// What all workers share.
struct EpisodeFuzzer {
    options: Options,
    tested: Tested,
    variety: Variety,
    keep: PathBuf,
    campaign: Campaign,
    record: Mutex<Record>,
}

pub fn run(options: Options) -> Result<()> {
    let command = options.campaign.command()?;
    let variety = Variety::of(&command, &options.presets)?;
    let keep = options.campaign.keep();
    if let Some(number) = options.write {
        let runs = episode::draw(&variety, options.campaign.seed, number);
        return write_episode(&keep, &format!("episode-{number}"), &runs, "as drawn");
    }
    let jobs = options.campaign.jobs();
    println!(
        "fuzz-reuse: {} against {:?}, seed {}, {jobs} at once; {}",
        command.join(" "),
        options.solvers,
        options.campaign.seed,
        variety.describe()
    );
    let fuzzer = EpisodeFuzzer {
        tested: Tested {
            command,
            plain: false,
            limit: Duration::from_secs(options.limit),
        },
        variety,
        keep,
        campaign: options.campaign.start(),
        options,
        record: Mutex::default(),
    };
    fuzzer.campaign.run(jobs, |worker| fuzzer.work(worker))?;
    fuzzer.report()
}

impl EpisodeFuzzer {
    fn work(&self, worker: usize) -> Result<()> {
        let mut jury = Jury::new(&self.options.solvers);
        let directory = Directory::new(&worker.to_string());
        let mut record = Record::default();
        while let Some(number) = self.campaign.next_case() {
            let runs = episode::draw(&self.variety, self.options.campaign.seed, number);
            let before = record.tally.total().checks;
            let disputes = record.tally.disputes.len();
            let finding = episode::run(&runs, &self.tested, &directory, &mut jury, &mut record)?;
            let checks = record.tally.total().checks - before;
            self.campaign.add_checks(checks);
            if let Some(detail) = record.tally.disputes.get(disputes) {
                let name = format!("dispute-{}-{number}", self.options.campaign.seed);
                write_episode(&self.keep, &name, &runs, detail)?;
            }
            if let Some((place, finding)) = finding {
                let mut runs = runs[..=place].to_vec();
                runs[place].script.cut_after(finding.check);
                self.keep_failure(number, &runs, &finding, &directory)?;
            }
        }
        let mut all = self.record.lock().expect("no thread panics while it adds");
        all.tally.add(&record.tally);
        all.hits.add(&record.hits);
        Ok(())
    }

    /// Shrinks a failing episode and writes it down with what was said.
    fn keep_failure(
        &self,
        number: u64,
        runs: &[Run],
        finding: &Finding,
        directory: &Directory,
    ) -> Result<()> {
        eprintln!(
            "episode {number}, run {}, check {}: {:?}: {}",
            runs.len(),
            finding.check,
            finding.kind,
            finding.detail
        );
        let name =
            format!("{:?}-{}-{number}", finding.kind, self.options.campaign.seed).to_lowercase();
        write_episode(&self.keep, &format!("{name}-full"), runs, &finding.detail)?;
        self.campaign.add_failure();
        let mut jury = Jury::new(&self.options.solvers);
        let mut detail = finding.detail.clone();
        let shrinker = Shrinker::new(self.options.campaign.shrink(), |runs: &[Run]| {
            let again = self.run_again(runs, directory, &mut jury);
            let again = again.filter(|again| again.kind == finding.kind);
            again.map(|again| detail = again.detail).is_some()
        });
        match shrinker.shrink(runs) {
            Some(small) => {
                write_episode(&self.keep, &name, &small, &detail)?;
                eprintln!("  shrunk to {}", self.keep.join(&name).display());
            }
            None => eprintln!(
                "  it did not happen again; the episode is kept in {}",
                self.keep.display()
            ),
        }
        Ok(())
    }

    /// The fault that the last run of an episode shows, on an empty store.
    fn run_again(&self, runs: &[Run], directory: &Directory, jury: &mut Jury) -> Option<Finding> {
        let tested = Tested {
            limit: self.tested.limit.min(SHRINKING_LIMIT),
            ..self.tested.clone()
        };
        let found = episode::run(runs, &tested, directory, jury, &mut Record::default());
        let (place, finding) = found.ok()??;
        (place + 1 == runs.len()).then_some(finding)
    }

    fn report(&self) -> Result<()> {
        let record = self.record.lock().expect("the workers are done");
        let seconds = self.campaign.seconds();
        let checks = record.tally.total().checks;
        println!(
            "{checks} checks in {seconds:.0} s, {:.0} checks/s",
            checks as f64 / seconds
        );
        record.tally.print();
        record.hits.print();
        if let Some(dispute) = record.tally.disputes.first() {
            println!(
                "{} checks in doubt (kept in {}), such as: {dispute}",
                record.tally.disputes.len(),
                self.keep.display()
            );
        }
        let failures = self.campaign.failures();
        if failures > 0 {
            bail!(
                "{failures} failing episodes, kept in {}",
                self.keep.display()
            );
        }
        if checks == 0 {
            bail!("no check was made");
        }
        let long_enough = checks >= CHECKS_FOR_ALL_LAYERS;
        let missing = record.hits.missing();
        if self.options.require_all_layers.unwrap_or(long_enough) && !missing.is_empty() {
            bail!("layers that never answered a check: {}", missing.join(" "));
        }
        Ok(())
    }
}

/// A directory with a script for each process, in the order they were started, each saying how.
fn write_episode(keep: &Path, name: &str, runs: &[Run], detail: &str) -> Result<()> {
    let directory = keep.join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory)
        .with_context(|| format!("cannot create {}", directory.display()))?;
    let mut texts: Vec<String> = Vec::new();
    for run in runs {
        let options = run.arrangement.options(Path::new("DIRECTORY")).join(" ");
        match texts.last_mut() {
            Some(text) if !run.restart => text.push_str("(reset)\n"),
            _ => texts.push(format!("; refrain smt {options}\n")),
        }
        if let Some(text) = texts.last_mut() {
            text.push_str(&run.script.text());
        }
    }
    if let Some(last) = texts.last_mut() {
        let detail: String = detail.lines().map(|line| format!("; {line}\n")).collect();
        last.insert_str(0, &detail);
    }
    for (place, text) in texts.iter().enumerate() {
        let path = directory.join(format!("{}.smt2", place + 1));
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}
