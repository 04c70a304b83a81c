//! The plan of an experiment: which processes are to be started, on what, and in what order.
//!
//! A trial is a sequence of steps in a folder of its own: a second step may go on from the memo tree of the first, or
//! have its store. Trials are independent of each other, so they are what an interrupted study is resumed by.

use std::fmt::Write;
use std::path::PathBuf;

use crate::script::Script;

use super::peer::Peer;
use crate::subject::Subject;

/// How much of an experiment is made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Scale {
    /// A little of everything: whether it works at all.
    Smoke,
    /// Minutes.
    Quick,
    /// As large as the papers' experiments where that makes sense; hours.
    Full,
}

impl Scale {
    pub fn name(self) -> &'static str {
        self.of("smoke", "quick", "full")
    }

    /// One of three values.
    pub fn of<T>(self, smoke: T, quick: T, full: T) -> T {
        match self {
            Scale::Smoke => smoke,
            Scale::Quick => quick,
            Scale::Full => full,
        }
    }
}

/// What all experiments of a study have in common.
#[derive(Clone, Debug)]
pub struct Setup {
    pub scale: Scale,
    pub seed: u64,
    /// How often each trial is made; none: as often as the experiment says.
    pub rounds: Option<u32>,
    /// Seconds of a run that does not end by itself; none: as many as the experiment says.
    pub max_time: Option<f64>,
    /// Only programs of these names; none: all.
    pub programs: Vec<String>,
    /// Other solvers and engines that are there.
    pub peers: Vec<Peer>,
    /// A folder with whole programs that carry their bitcode.
    pub coreutils: Option<PathBuf>,
    /// Recorded queries; none: those that come with the command.
    pub scripts: Vec<Script>,
}

impl Setup {
    /// The programs of a list that are to be used, at most so many.
    pub fn choose(&self, subjects: impl IntoIterator<Item = Subject>, most: usize) -> Vec<Subject> {
        let wanted =
            |subject: &Subject| self.programs.is_empty() || self.programs.contains(&subject.name);
        subjects.into_iter().filter(wanted).take(most).collect()
    }

    /// How often a trial is made; `usual`, unless the user says otherwise.
    pub fn rounds(&self, usual: u32) -> u32 {
        self.rounds.unwrap_or(usual)
    }

    /// Seconds that a run may take; `usual`, unless the user says otherwise.
    pub fn seconds(&self, usual: f64) -> f64 {
        self.max_time.unwrap_or(usual)
    }

    pub fn peer(&self, name: &str) -> Option<&Peer> {
        self.peers.iter().find(|peer| peer.name == name)
    }

    /// The native solver and some others that are there, as `--solver` has them.
    pub fn solvers(&self) -> Vec<&'static str> {
        let there = ["z3", "yices", "cvc5"]
            .into_iter()
            .filter(|name| self.peer(name).is_some());
        let most = self.scale.of(0, 1, 2);
        ["native"].into_iter().chain(there.take(most)).collect()
    }
}

/// What tells a trial from the others of its part: dimensions and values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Labels(Vec<(&'static str, String)>);

impl Labels {
    pub fn and(mut self, dimension: &'static str, value: impl ToString) -> Labels {
        self.0.push((dimension, value.to_string()));
        self
    }

    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.0.iter().map(|(name, value)| (*name, value.as_str()))
    }
}

/// Labels, of which the first says what is explored.
pub fn of(program: &str) -> Labels {
    Labels::default().and("program", program)
}

/// Processes one after the other, in a folder of their own.
#[derive(Clone, Debug)]
pub struct Trial {
    pub labels: Labels,
    pub steps: Vec<Step>,
    pub rounds: u32,
}

impl Trial {
    pub fn new(labels: Labels, steps: Vec<Step>, rounds: u32) -> Trial {
        Trial {
            labels,
            steps,
            rounds,
        }
    }

    /// What it is known by among all trials of its part. Whatever may change what it measures is in it.
    pub fn key(&self) -> String {
        let mut key = String::new();
        for (name, value) in self.labels.iter() {
            let _ = write!(key, "{name}={value} ");
        }
        for step in &self.steps {
            let subject = &step.subject;
            let _ = write!(
                key,
                "| {} {} {} {} ",
                step.action.name(),
                subject.name,
                subject.flags,
                step.options
            );
        }
        key.trim_end().to_owned()
    }
}

/// One process.
#[derive(Clone, Debug)]
pub struct Step {
    /// What tells it from the other steps of its trial.
    pub name: &'static str,
    pub subject: Subject,
    pub action: Action,
    /// Switches, separated by blanks.
    pub options: String,
    /// It may end because its time is up, and so may count otherwise another time.
    pub is_timed: bool,
}

/// What a process does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// Explores a program.
    Run { with_store: bool },
    /// Goes on from a step of the trial, with larger bounds.
    Deepen(usize),
    /// Explores another version from the tree of a step of the trial.
    Diff(usize),
    /// Answers a script.
    Smt,
    /// Another solver answers a script, or another engine explores a program.
    Other(Peer),
}

impl Action {
    fn name(&self) -> &'static str {
        match self {
            Action::Run { with_store: false } => "run",
            Action::Run { with_store: true } => "run with a store",
            Action::Deepen(_) => "deepen",
            Action::Diff(_) => "diff",
            Action::Smt => "smt",
            Action::Other(peer) => peer.name,
        }
    }
}

impl Step {
    pub fn run(subject: &Subject, options: impl Into<String>) -> Step {
        Step {
            name: "run",
            subject: subject.clone(),
            action: Action::Run { with_store: false },
            options: options.into(),
            is_timed: false,
        }
    }

    pub fn named(self, name: &'static str) -> Step {
        Step { name, ..self }
    }

    pub fn by(self, action: Action) -> Step {
        Step { action, ..self }
    }

    /// Ended after so many seconds.
    pub fn within(mut self, seconds: f64) -> Step {
        let _ = write!(self.options, " --max-time {seconds}");
        self.is_timed = true;
        self
    }
}
