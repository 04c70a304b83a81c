//! `cargo xtask fuzz-smt`: random incremental scripts through the solver under test and through its
//! peers. Nothing here uses the product's own crates: generator, evaluator and reader of answers are
//! independent, so that they cannot share a bug with what they check. What the scripts are about is the
//! run's family: bit-vectors with arrays and functions, linear integers or reals, differences, floats (`theory`).

mod arithmetic;
mod ast;
mod evaluate;
mod examine;
mod exhaust;
mod floats;
mod generate;
mod identities;
mod laws;
pub mod llvm;
mod oracle;
mod paths;
mod plain;
pub mod reuse;
mod script;
mod session;
mod sexpr;
mod shrink;
pub mod sorts;
mod tally;
#[cfg(test)]
mod tests;
mod theory;

use crate::campaign::{self, Campaign};
use anyhow::{Context, Result, bail};
use examine::{Jury, examine};
use oracle::Peer;
use script::Script;
use session::{Finding, Session, Tested};
use shrink::Shrinker;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;
use tally::Tally;
use theory::Family;

#[derive(clap::Args, Clone)]
pub struct Options {
    #[command(flatten)]
    campaign: campaign::Options,
    /// What the scripts are about.
    #[arg(long, value_enum, default_value_t = Family::All)]
    pub family: Family,
    /// Seconds a check may take, passed on to the command under test; `unknown` is counted, not a failure.
    #[arg(long, value_name = "SECONDS")]
    pub max_time: Option<u64>,
    /// The command under test speaks z3's dialect: no overflow predicates, no set-logic.
    #[arg(long)]
    pub plain: bool,
    /// Who else is asked: z3 every script, the others in turn.
    #[arg(long, value_delimiter = ',', default_value = "z3,yices,cvc5,bitwuzla")]
    pub solvers: Vec<Peer>,
    /// Seconds the command under test has for one answer; later is a failure if an oracle was in time.
    #[arg(long, default_value_t = 20)]
    pub limit: u64,
    /// Print the script of this number and do nothing else.
    #[arg(long, value_name = "NUMBER")]
    pub print: Option<u64>,
}

/// A process is started anew after so many scripts; some are started for one script alone.
const SCRIPTS_PER_SESSION: usize = 25;
const LONELY_SCRIPTS: u64 = 5;
/// Late is late: while shrinking, the command under test gets no more than this for an answer.
const SHRINKING_LIMIT: Duration = Duration::from_secs(2);

/// What all workers share.
struct ScriptFuzzer {
    options: Options,
    tested: Tested,
    keep: PathBuf,
    campaign: Campaign,
    totals: Mutex<Totals>,
}

#[derive(Default)]
struct Totals {
    tally: Tally,
    operators: BTreeMap<&'static str, u64>,
    restarts: BTreeMap<&'static str, u64>,
    complaints: Vec<String>,
}

pub fn run(options: Options) -> Result<()> {
    if let Some(number) = options.print {
        let script = generate::script(options.family, options.campaign.seed, number);
        print!("{}", script.text());
        return Ok(());
    }
    let mut command = options.campaign.command()?;
    if let Some(seconds) = options.max_time {
        command.extend(["--max-time".to_string(), seconds.to_string()]);
    }
    let tested = Tested {
        command,
        plain: options.plain,
        limit: Duration::from_secs(options.limit),
    };
    let jobs = options.campaign.jobs();
    println!(
        "fuzz-smt: {} against {:?}, family {:?}, seed {}, {jobs} at once",
        tested.command.join(" "),
        options.solvers,
        options.family,
        options.campaign.seed
    );
    let fuzzer = ScriptFuzzer {
        tested,
        keep: options.campaign.keep(),
        campaign: options.campaign.start(),
        options,
        totals: Mutex::default(),
    };
    fuzzer.campaign.run(jobs, |_| fuzzer.work())?;
    fuzzer.report()
}

impl ScriptFuzzer {
    fn work(&self) -> Result<()> {
        let mut jury = Jury::new(&self.options.solvers);
        let mut session: Option<Session> = None;
        let mut totals = Totals::default();
        while let Some(number) = self.campaign.next_case() {
            let script = generate::script(self.options.family, self.options.campaign.seed, number);
            script.count_operators(&mut totals.operators);
            if number.is_multiple_of(LONELY_SCRIPTS) {
                session = None;
            }
            let mut current = match session.take() {
                Some(session) => session,
                None => Session::start(&self.tested)?,
            };
            let before = totals.tally.total().checks;
            let disputes = totals.tally.disputes.len();
            let finding = examine(&script, &mut current, &mut jury, &mut totals.tally)?;
            self.campaign
                .add_checks(totals.tally.total().checks - before);
            if let Some(detail) = totals.tally.disputes.get(disputes) {
                let name = format!("dispute-{}-{number}", self.options.campaign.seed);
                write_session(&self.keep, &name, std::slice::from_ref(&script), detail)?;
            }
            if let Some(finding) = finding {
                self.keep_failure(number, &current.history, &finding)?;
            } else if current.history.len() < SCRIPTS_PER_SESSION && current.alive {
                session = (!number.is_multiple_of(LONELY_SCRIPTS)).then_some(current);
            }
        }
        let mut all = self.totals.lock().expect("no thread panics while it adds");
        all.tally.add(&totals.tally);
        for (name, count) in totals.operators {
            *all.operators.entry(name).or_default() += count;
        }
        for oracle in &mut jury.oracles {
            *all.restarts.entry(oracle.peer.name()).or_default() += oracle.restarts;
            let name = oracle.peer.name();
            all.complaints.extend(
                oracle
                    .complaints
                    .drain(..)
                    .map(|words| format!("{name}: {words}")),
            );
        }
        Ok(())
    }

    /// Shrinks a failing session and writes it down with what each solver said.
    fn keep_failure(&self, number: u64, history: &[Script], finding: &Finding) -> Result<()> {
        eprintln!(
            "script {number}, check {}: {:?}: {}",
            finding.check, finding.kind, finding.detail
        );
        let name =
            format!("{:?}-{}-{number}", finding.kind, self.options.campaign.seed).to_lowercase();
        write_session(
            &self.keep,
            &format!("{name}-full"),
            history,
            &finding.detail,
        )?;
        self.campaign.add_failure();
        let mut jury = Jury::new(&self.options.solvers);
        let shrinker = Shrinker::new(self.options.campaign.shrink(), |session| {
            self.examine_afresh(session, &mut jury)
                .is_some_and(|again| again.kind == finding.kind)
        });
        match shrinker.shrink(history) {
            Some(small) => {
                let again = self.examine_afresh(&small, &mut Jury::new(&self.options.solvers));
                let detail = again.map_or_else(|| finding.detail.clone(), |finding| finding.detail);
                write_session(&self.keep, &name, &small, &detail)?;
                eprintln!(
                    "  shrunk to {}",
                    self.keep.join(format!("{name}.smt2")).display()
                );
            }
            None => eprintln!(
                "  it did not happen again; the session is kept in {}",
                self.keep.display()
            ),
        }
        Ok(())
    }

    /// Runs the scripts through one new process; the fault that the last one shows.
    fn examine_afresh(&self, scripts: &[Script], jury: &mut Jury) -> Option<Finding> {
        let limit = self.tested.limit.min(SHRINKING_LIMIT);
        let tested = Tested {
            limit,
            ..self.tested.clone()
        };
        let mut session = Session::start(&tested).ok()?;
        let mut last = None;
        for script in scripts {
            last = examine(script, &mut session, jury, &mut Tally::default()).ok()?;
            if !session.alive {
                break;
            }
        }
        last.filter(|_| session.history.len() == scripts.len())
    }

    fn report(&self) -> Result<()> {
        let totals = self.totals.lock().expect("the workers are done");
        let tally = &totals.tally;
        let seconds = self.campaign.seconds();
        let checks = tally.total().checks;
        println!(
            "{checks} checks in {seconds:.0} s, {:.0} checks/s, oracle restarts {:?}",
            checks as f64 / seconds,
            totals.restarts
        );
        tally.print();
        let (used, missing): (Vec<&str>, Vec<&str>) = self
            .options
            .family
            .operators()
            .partition(|name| totals.operators.contains_key(name));
        println!(
            "operators used {} of {}",
            used.len(),
            used.len() + missing.len()
        );
        if !tally.disputes.is_empty() {
            println!(
                "{} checks on which the oracles contradict each other (kept in {}), such as: {}",
                tally.disputes.len(),
                self.keep.display(),
                tally.disputes[0]
            );
        }
        if !totals.complaints.is_empty() {
            println!(
                "{} complaints of oracles, such as {}",
                totals.complaints.len(),
                totals.complaints[0]
            );
        }
        let failures = self.campaign.failures();
        if failures > 0 {
            bail!(
                "{failures} failing scripts, kept in {}",
                self.keep.display()
            );
        }
        if !missing.is_empty() && checks > 5000 {
            bail!("operators that never occurred: {}", missing.join(" "));
        }
        if checks == 0 {
            bail!("no check was made");
        }
        Ok(())
    }
}

fn write_session(keep: &Path, name: &str, scripts: &[Script], detail: &str) -> Result<()> {
    std::fs::create_dir_all(keep).with_context(|| format!("cannot create {}", keep.display()))?;
    let mut text = String::new();
    for line in detail.lines() {
        text.push_str(&format!("; {line}\n"));
    }
    for (place, script) in scripts.iter().enumerate() {
        if place > 0 {
            text.push_str("(reset)\n");
        }
        text.push_str(&script.text());
    }
    let path = keep.join(format!("{name}.smt2"));
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
}
