//! Runs that the paper compares, and what is measured beside them: from nothing, and from the tree of a run before.

use crate::error::Result;
use crate::explore::bench::{Bench, Start, Subject, Trial};
use crate::explore::exploration::Exploration;
use crate::figures::{FAILED, NOTHING};
use crate::table::Table;

use super::Experiment;
use super::published::{Deepening, Depth, Guided, Published, Regression};

/// The same paths by all runs, and no test but for errors: a tree has no more to do than it must.
pub const ALIKE: &str = "--search dfs --tests errors";

pub struct Comparison {
    pub program: &'static str,
    /// What is another than in the run before, here and in the paper.
    change: String,
    change_there: String,
    /// Switches of the run before.
    before: String,
    /// The first is from nothing.
    runs: Vec<Run>,
}

struct Run {
    name: &'static str,
    kind: Kind,
    options: String,
    published: Option<Published>,
    remark: String,
}

/// What a run starts from, and what it is to find.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    FromNothing,
    Deepened,
    /// It need not find all paths.
    Guided,
    Regressed,
}

pub fn deepening(row: &Deepening) -> Comparison {
    let [without, with] = row.before;
    let remark = format!("before: {without} s, {with} s with a trie");
    deeper(row.program, row.from, row.to, row.regular, |options| {
        vec![Run {
            name: "deepened",
            kind: Kind::Deepened,
            options: options.to_owned(),
            published: Some(row.deepened),
            remark,
        }]
    })
}

pub fn guided(row: &Guided) -> Comparison {
    let remark = row.candidates.map_or_else(String::new, |(chosen, all)| {
        format!("{chosen} of {all} boundaries")
    });
    deeper(row.program, row.from, row.to, row.regular, |options| {
        vec![
            Run {
                name: "deepened",
                kind: Kind::Deepened,
                options: options.to_owned(),
                published: None,
                remark: String::new(),
            },
            Run {
                name: row.heuristic,
                kind: Kind::Guided,
                options: format!("{options} --guide {}", row.heuristic),
                published: row.guided,
                remark,
            },
        ]
    })
}

pub fn regression(row: &Regression) -> Comparison {
    let (mutant, mut before) = (row.mutant, ALIKE.to_owned());
    let (mut change, mut change_there) = (format!("version {mutant}"), format!("v{mutant}"));
    if let Some(Depth { ours, theirs }) = row.depth {
        before += &format!(" --max-depth {ours}");
        change += &format!(", depth {ours}");
        change_there += &format!(", {theirs}");
    }
    let options = format!("{before} --cflags=-DMUTANT={mutant}");
    Comparison {
        program: row.program,
        change,
        change_there,
        before,
        runs: vec![
            Run::from_nothing(options.clone(), row.regular),
            Run {
                name: "regressed",
                kind: Kind::Regressed,
                options,
                published: Some(row.regressed),
                remark: String::new(),
            },
        ],
    }
}

/// `more`: what is compared with the run from nothing, by its switches.
fn deeper(
    program: &'static str,
    from: Depth,
    to: Depth,
    regular: Published,
    more: impl FnOnce(&str) -> Vec<Run>,
) -> Comparison {
    let options = format!("{ALIKE} --max-depth {}", to.ours);
    let mut runs = more(&options);
    runs.insert(0, Run::from_nothing(options, regular));
    Comparison {
        program,
        change: format!("depth {} to {}", from.ours, to.ours),
        change_there: format!("{} to {}", from.theirs, to.theirs),
        before: format!("{ALIKE} --max-depth {}", from.ours),
        runs,
    }
}

impl Run {
    fn from_nothing(options: String, published: Published) -> Run {
        Run {
            name: "regular",
            kind: Kind::FromNothing,
            options,
            published: Some(published),
            remark: String::new(),
        }
    }
}

impl Comparison {
    /// The best of some rounds, by run; nothing if one of its runs failed.
    pub fn measure(
        &self,
        bench: &mut Bench,
        experiment: Experiment,
        subject: &Subject,
        rounds: u32,
    ) -> Result<Vec<Option<Exploration>>> {
        let mut best = Vec::new();
        for run in &self.runs {
            let mut found: Option<Exploration> = None;
            for round in 0..rounds {
                let Some(explored) = self.explore(bench, experiment, subject, run, round)? else {
                    found = None;
                    break;
                };
                if found.as_ref().is_none_or(|it| explored.is_better_than(it)) {
                    found = Some(explored);
                }
            }
            best.push(found);
        }
        for (run, explored) in self.runs.iter().zip(&best) {
            if let (Some(regular), Some(explored)) = (&best[0], explored)
                && run.kind != Kind::Guided
                && ends(regular) != ends(explored)
            {
                bench.problem(format!(
                    "{}: {}, {}, {}: other paths than from nothing",
                    experiment.name(),
                    self.program,
                    self.change,
                    run.name
                ));
            }
        }
        Ok(best)
    }

    /// Makes a run, and the one before it if it starts from a tree.
    fn explore(
        &self,
        bench: &mut Bench,
        experiment: Experiment,
        subject: &Subject,
        run: &Run,
        round: u32,
    ) -> Result<Option<Exploration>> {
        let variants = ["before", run.name].map(|name| format!("{}, {name}", self.change));
        let trial = |variant, options: &str| Trial {
            experiment: experiment.name(),
            variant,
            options: options.to_owned(),
            variables: &[],
            round,
        };
        let now = trial(&variants[1], &run.options);
        if run.kind == Kind::FromNothing {
            return bench.measure(subject, &now);
        }
        let Some(before) = bench.measure(subject, &trial(&variants[0], &self.before))? else {
            return Ok(None);
        };
        let start = match run.kind {
            Kind::Regressed => Start::Version(&before),
            _ => Start::Bounded(&before),
        };
        bench.measure_from(subject, &now, start)
    }

    pub fn add_to(&self, table: &mut Table, measured: &[Option<Exploration>]) {
        for (run, explored) in self.runs.iter().zip(measured) {
            let what = [self.program, &self.change, run.name].map(str::to_owned);
            let there = [self.change_there.clone()];
            let theirs = figures(run.published);
            let cells = what.into_iter().chain(ours(explored.as_ref())).chain(there);
            table.row(cells.chain(theirs).chain([run.remark.clone()]));
        }
    }
}

pub fn table(title: &str) -> Table {
    let mut table = Table::new(
        title,
        &[
            "program",
            "change",
            "run",
            ">nodes",
            ">queries",
            ">calls",
            ">instructions",
            ">errors",
            ">s",
            "paper",
            ">states",
            ">calls",
            ">s",
            "",
        ],
    );
    table.remark(
        "Nodes are questions that were executed, known ones among them; queries are those that the tree does not \
         answer, which the paper's tool calls its solver for; calls are those that our solver is called for. Seconds \
         are those of the whole process. What is right of 'paper' is the paper's.",
    );
    table
}

fn ours(run: Option<&Exploration>) -> [String; 6] {
    let Some(run) = run else {
        return [FAILED; 6].map(str::to_owned);
    };
    [
        run.questions.to_string(),
        run.queries.to_string(),
        run.calls.to_string(),
        run.instructions.to_string(),
        run.sites.to_string(),
        format!("{:.2}", run.wall),
    ]
}

fn figures(published: Option<Published>) -> [String; 3] {
    let Some(published) = published else {
        return [NOTHING; 3].map(str::to_owned);
    };
    [
        published.states.to_string(),
        published.calls.to_string(),
        published.seconds.to_string(),
    ]
}

/// Paths by how they end, those of the run before among them.
pub fn ends(run: &Exploration) -> [u64; 3] {
    [run.completed, run.errors, run.killed]
}
