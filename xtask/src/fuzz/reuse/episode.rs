//! An episode: sessions one after the other on the same store, in the same process or in new ones. A script
//! is sent again as it was, after a small edit, or under other names; another one asks similar things.

use super::arrange::{Arrangement, Variety};
use super::hits::Hits;
use super::walk;
use super::world::{Plan, nudged, renamed};
use crate::fuzz::ast::T;
use crate::fuzz::examine::{Jury, examine};
use crate::fuzz::script::{Command, Script};
use crate::fuzz::session::{Finding, Session, Tested};
use crate::fuzz::tally::Tally;
use crate::random::Rng;
use anyhow::{Context, Result};
use std::borrow::{Borrow, BorrowMut};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A script, and the process it goes to.
#[derive(Clone)]
pub struct Run {
    pub script: Script,
    pub arrangement: Arrangement,
    /// Does it go to a process of its own, or to that of the script before?
    pub restart: bool,
}

impl Borrow<Script> for Run {
    fn borrow(&self) -> &Script {
        &self.script
    }
}

impl BorrowMut<Script> for Run {
    fn borrow_mut(&mut self) -> &mut Script {
        &mut self.script
    }
}

/// The episode of this number.
pub fn draw(variety: &Variety, seed: u64, number: u64) -> Vec<Run> {
    let mut rng = Rng::for_script(seed ^ 0x0072_6575_7365, number);
    let mut plan = Plan::draw(&mut rng);
    let mut arrangement = variety.draw(&mut rng);
    let mut runs = vec![Run {
        script: fresh_session(&plan, &mut rng),
        arrangement: arrangement.clone(),
        restart: true,
    }];
    for _ in 0..rng.between(1, 4) {
        let before = &rng.pick(&runs).script;
        let script = match rng.weighted(&[18, 36, 16, 20, 10]) {
            0 => before.clone(),
            1 => edited(before, &plan, &mut rng),
            2 => under_other_names(&edited(before, &plan, &mut rng)),
            3 => fresh_session(&plan, &mut rng),
            _ => {
                plan = Plan::draw(&mut rng);
                fresh_session(&plan, &mut rng)
            }
        };
        let restart = rng.percent(if variety.has_store() { 75 } else { 40 });
        if restart && rng.percent(30) {
            arrangement = variety.draw(&mut rng);
        }
        runs.push(Run {
            script,
            arrangement: arrangement.clone(),
            restart,
        });
    }
    runs
}

fn fresh_session(plan: &Plan, rng: &mut Rng) -> Script {
    walk::session(plan, Rng::for_script(rng.next(), 0))
}

/// The script with a few constants changed, and a few assertions and checks dropped or doubled.
fn edited(script: &Script, plan: &Plan, rng: &mut Rng) -> Script {
    let chance = *rng.pick(&[1, 3, 10]);
    let mut script = script.clone();
    let mut commands = Vec::new();
    for command in script.commands {
        let is_edited = rng.percent(chance);
        match command {
            Command::Assert { .. } if is_edited && rng.percent(30) => {}
            Command::Assert { term, name } if is_edited => commands.push(Command::Assert {
                term: nudged(&term, plan, 70, rng),
                name,
            }),
            Command::Check {
                assuming: Some(terms),
                probe,
            } if is_edited => {
                let terms = terms.iter().map(|term| nudged(term, plan, 70, rng));
                commands.push(Command::Check {
                    assuming: Some(terms.collect()),
                    probe,
                });
            }
            Command::Check { .. } if is_edited && rng.percent(50) => {}
            Command::Check { .. } if is_edited => commands.extend([command.clone(), command]),
            command => commands.push(command),
        }
    }
    script.commands = commands;
    script
}

/// The script with every declared name replaced.
fn under_other_names(script: &Script) -> Script {
    let mut names = HashMap::new();
    for command in &script.commands {
        if let Command::Declare { name, .. } = command {
            names.insert(name.clone(), format!("{name}_"));
        }
    }
    let rename = |term: &T| renamed(term, &names);
    let mut script = script.clone();
    for command in &mut script.commands {
        match command {
            Command::Declare { name, .. } => name.push('_'),
            Command::Assert { term, .. } => *term = rename(term),
            Command::Check {
                assuming: Some(terms),
                ..
            } => *terms = terms.iter().map(rename).collect(),
            _ => {}
        }
    }
    script
}

/// What is told of an episode that was run.
#[derive(Default)]
pub struct Record {
    pub tally: Tally,
    pub hits: Hits,
}

/// Runs an episode in a new directory; the first fault, and in which run.
pub fn run(
    runs: &[Run],
    tested: &Tested,
    directory: &Directory,
    jury: &mut Jury,
    record: &mut Record,
) -> Result<Option<(usize, Finding)>> {
    let directory = directory.renewed()?;
    let stats = directory.join("stats.json");
    let mut session: Option<(Session, &Arrangement)> = None;
    for (place, run) in runs.iter().enumerate() {
        if run.restart
            && let Some((before, arrangement)) = session.take()
            && let Some(finding) = finish(before, arrangement, &stats, &mut record.hits)?
        {
            return Ok(Some((place - 1, finding)));
        }
        let (mut current, arrangement) = match session.take() {
            Some(open) => open,
            None => {
                let mut tested = tested.clone();
                tested.command.extend(run.arrangement.options(&directory));
                let file = stats.display().to_string();
                tested.command.extend(["--stats".to_string(), file]);
                (Session::start(&tested)?, &run.arrangement)
            }
        };
        if let Some(finding) = examine(&run.script, &mut current, jury, &mut record.tally)? {
            return Ok(Some((place, finding)));
        }
        if current.alive {
            session = Some((current, arrangement));
        }
    }
    let Some((last, arrangement)) = session else {
        return Ok(None);
    };
    let finding = finish(last, arrangement, &stats, &mut record.hits)?;
    Ok(finding.map(|finding| (runs.len() - 1, finding)))
}

fn finish(
    session: Session,
    arrangement: &Arrangement,
    stats: &Path,
    hits: &mut Hits,
) -> Result<Option<Finding>> {
    let finding = session.finish();
    if finding.is_none() {
        hits.read(&arrangement.group(), stats)?;
    }
    Ok(finding)
}

/// A directory for one episode at a time; it goes when its worker is done.
pub struct Directory(PathBuf);

impl Directory {
    pub fn new(name: &str) -> Directory {
        let name = format!("refrain-fuzz-{}-{name}", std::process::id());
        Directory(std::env::temp_dir().join(name))
    }

    /// The directory, empty.
    fn renewed(&self) -> Result<PathBuf> {
        let _ = std::fs::remove_dir_all(&self.0);
        std::fs::create_dir_all(&self.0)
            .with_context(|| format!("cannot create {}", self.0.display()))?;
        Ok(self.0.clone())
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
