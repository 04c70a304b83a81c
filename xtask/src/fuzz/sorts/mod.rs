//! `cargo xtask fuzz-sorts`: random incremental scripts over declared sorts, arrays of all sorts, datatypes, mixed
//! numbers, conversions and finite quantifiers, against z3 and cvc5. Terms are text with sorts here; what a model is
//! worth, z3 decides.

mod examine;
mod generate;
mod laws;
mod script;
mod shrink;
mod solvers;
mod tally;
#[cfg(test)]
mod tests;
mod tree;

use crate::campaign::{self, Campaign};
use anyhow::{Context, Result, bail};
use examine::{Finding, Jury};
use script::Script;
use shrink::Shrinker;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tally::Counts;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Family {
    /// Declared sorts, functions of them and of numbers and bit-vectors.
    Uf,
    /// Arrays with indices and elements of every sort.
    Arrays,
    /// Integers and reals.
    Mixed,
    /// Bit-vectors and integers, and what makes one of the other.
    Conversions,
    /// Enumerations, records, and those with several constructors.
    Datatypes,
    /// Quantifiers over few values.
    Quantified,
    /// All of these by turns.
    All,
}

impl Family {
    const EACH: [Family; 6] = [
        Family::Uf,
        Family::Arrays,
        Family::Mixed,
        Family::Conversions,
        Family::Datatypes,
        Family::Quantified,
    ];
}

#[derive(clap::Args, Clone)]
pub struct Options {
    #[command(flatten)]
    campaign: campaign::Options,
    /// What the scripts are about.
    #[arg(long, value_enum, default_value_t = Family::All)]
    pub family: Family,
    /// Seconds a check may take, passed on to the command under test; `unknown` is counted, not a failure.
    #[arg(long, value_name = "SECONDS", default_value_t = 12)]
    pub max_time: u64,
    /// Print the script of this number and do nothing else.
    #[arg(long, value_name = "NUMBER")]
    pub print: Option<u64>,
}

/// How the solver under test is started, and what it has for an answer.
#[derive(Clone)]
struct Tested {
    command: Vec<String>,
    limit: Duration,
}

/// A process is started anew after so many scripts.
const SCRIPTS_PER_SESSION: usize = 20;
/// cvc5 is asked every so many scripts, and where there is a contradiction.
const CVC5_EVERY: u64 = 4;
/// So many checks of each reason that z3 alone decides are kept.
const KEPT_LAGGARDS: usize = 12;

struct Fuzzer {
    options: Options,
    tested: Tested,
    keep: PathBuf,
    campaign: Campaign,
    totals: Mutex<BTreeMap<Family, Counts>>,
}

pub fn run(options: Options) -> Result<()> {
    if let Some(number) = options.print {
        let (_, script) = generate::script(options.family, options.campaign.seed, number);
        print!("{}", script.text());
        return Ok(());
    }
    let mut command = options.campaign.command()?;
    command.extend(["--max-time".to_string(), options.max_time.to_string()]);
    let jobs = options.campaign.jobs();
    println!(
        "fuzz-sorts: {} against z3 and cvc5, family {:?}, seed {}, {jobs} at once",
        command.join(" "),
        options.family,
        options.campaign.seed
    );
    let tested = Tested {
        command,
        limit: Duration::from_secs(2 * options.max_time + 5),
    };
    let fuzzer = Fuzzer {
        tested,
        keep: options.campaign.keep(),
        campaign: options.campaign.start(),
        options,
        totals: Mutex::default(),
    };
    fuzzer.campaign.run(jobs, |_| fuzzer.work())?;
    fuzzer.report()
}

impl Fuzzer {
    fn work(&self) -> Result<()> {
        let mut jury = Jury::new(&self.tested);
        let mut totals: BTreeMap<Family, Counts> = BTreeMap::new();
        // What the process under test has heard.
        let mut history = Vec::new();
        while let Some(number) = self.campaign.next_case() {
            let (family, script) =
                generate::script(self.options.family, self.options.campaign.seed, number);
            if history.len() >= SCRIPTS_PER_SESSION {
                jury.forget();
                history.clear();
            }
            history.push(script.clone());
            let finding = jury.examine(&script, number.is_multiple_of(CVC5_EVERY))?;
            let mut counts = std::mem::take(&mut jury.counts);
            for laggard in &mut counts.laggards {
                laggard.detail += &format!("; in script {number}");
            }
            self.campaign.add_checks(counts.checks);
            totals.entry(family).or_default().add(counts);
            if let Some(finding) = finding {
                self.keep_failure(number, script, &history, &finding)?;
                history.clear();
            }
        }
        let mut all = self.totals.lock().expect("no thread panics while it adds");
        for (family, counts) in totals {
            all.entry(family).or_default().add(counts);
        }
        Ok(())
    }

    /// Shrinks a failing script and writes it down.
    fn keep_failure(
        &self,
        number: u64,
        script: Script,
        history: &[Script],
        finding: &Finding,
    ) -> Result<()> {
        let name = format!(
            "sorts-{:?}-{}-{number}",
            finding.kind, self.options.campaign.seed
        )
        .to_lowercase();
        let shown = finding.detail.lines().next().unwrap_or_default();
        eprintln!("script {number}: {:?}: {shown}", finding.kind);
        self.campaign.add_failure();
        let mut detail = finding.detail.clone();
        let mut fails = |script: &Script| {
            let mut jury = Jury::new(&self.tested);
            match jury.examine(script, true) {
                Ok(Some(again)) if again.kind == finding.kind => {
                    detail = again.detail;
                    true
                }
                _ => false,
            }
        };
        if !fails(&script) {
            let texts: Vec<String> = history.iter().map(Script::text).collect();
            self.write(&name, &finding.detail, &texts.join("(reset)\n"))?;
            eprintln!("  it needs what came before: {name} has the whole session");
            return Ok(());
        }
        let shrinker = Shrinker {
            fails,
            deadline: Instant::now() + self.options.campaign.shrink(),
        };
        let small = shrinker.shrink(script);
        self.write(&name, &detail, &small.text())?;
        eprintln!(
            "  shrunk to {}",
            self.keep.join(format!("{name}.smt2")).display()
        );
        Ok(())
    }

    fn write(&self, name: &str, detail: &str, text: &str) -> Result<()> {
        std::fs::create_dir_all(&self.keep)
            .with_context(|| format!("cannot create {}", self.keep.display()))?;
        let comment: String = detail.lines().map(|line| format!("; {line}\n")).collect();
        let path = self.keep.join(format!("{name}.smt2"));
        std::fs::write(&path, format!("{comment}{text}"))
            .with_context(|| format!("cannot write {}", path.display()))
    }

    fn report(&self) -> Result<()> {
        let totals = self.totals.lock().expect("the workers are done");
        let seconds = self.campaign.seconds();
        let checks: u64 = totals.values().map(|counts| counts.checks).sum();
        println!(
            "{checks} checks in {seconds:.0} s, {:.0} checks/s",
            checks as f64 / seconds
        );
        for (family, counts) in totals.iter() {
            println!("{family:?}: {}", counts.line());
            for (reason, count) in &counts.reasons {
                println!("  unknown {count} times: {reason}");
            }
            for complaint in counts.complaints.iter().take(3) {
                println!("  z3 complains: {complaint}");
            }
            for (place, dispute) in counts.disputes.iter().enumerate() {
                let name = format!("sorts-dispute-{family:?}-{place}").to_lowercase();
                self.write(&name, "", dispute)?;
            }
            if !counts.disputes.is_empty() {
                println!(
                    "  contradictions among z3 and cvc5: {}",
                    counts.disputes.len()
                );
            }
            let mut kept: BTreeMap<&str, usize> = BTreeMap::new();
            for laggard in &counts.laggards {
                let place = kept.entry(&laggard.reason).or_default();
                if *place < KEPT_LAGGARDS {
                    let letters = laggard
                        .reason
                        .chars()
                        .filter(|c| c.is_ascii_alphabetic() || *c == ' ');
                    let reason: String = letters.map(|c| if c == ' ' { '-' } else { c }).collect();
                    let name = format!("sorts-open-{family:?}-{reason}-{place}").to_lowercase();
                    let detail = format!(
                        "{}; {}; after {:.1} s",
                        laggard.detail, laggard.reason, laggard.seconds
                    );
                    self.write(&name, &detail, &format!("{}(check-sat)\n", laggard.text))?;
                }
                *place += 1;
            }
            for (reason, count) in kept {
                println!("  z3 alone decides within 0.1 s: {count} checks, {reason}");
            }
        }
        let failures = self.campaign.failures();
        if failures > 0 {
            bail!(
                "{failures} failing scripts, kept in {}",
                self.keep.display()
            );
        }
        if checks == 0 {
            bail!("no check was made");
        }
        Ok(())
    }
}
