//! One row of the paper, and what is measured beside it: a run from nothing, and the same from the tree of a run before.

use crate::error::Result;
use crate::explore::bench::{Bench, Start, Subject, Trial};
use crate::explore::exploration::Exploration;
use crate::figures::{FAILED, NOTHING};
use crate::table::Table;

use super::Experiment;
use super::published::{Deepening, Depth, Guided, Published, Regression};

/// The same paths by all runs, and no test but for errors: a tree has no more to do than it must.
const ALIKE: &str = "--search dfs --tests errors";

pub struct Comparison {
    pub program: &'static str,
    /// What is another than in the run before, here and in the paper.
    change: String,
    change_there: String,
    /// Switches of the run before, and of the run itself.
    before: String,
    now: String,
    memoized: Memoized,
    published: Rows,
}

/// How a run starts from a tree.
#[derive(Clone, Copy)]
enum Memoized {
    Deepened,
    Regressed,
}

impl Memoized {
    fn name(self) -> &'static str {
        match self {
            Memoized::Deepened => "deepened",
            Memoized::Regressed => "regressed",
        }
    }

    fn start(self, before: &Exploration) -> Start<'_> {
        match self {
            Memoized::Deepened => Start::Bounded(before),
            Memoized::Regressed => Start::Version(before),
        }
    }
}

/// What the paper reports.
struct Rows {
    regular: Published,
    memoized: Option<Published>,
    /// Of a heuristic by this name; nothing if it does not apply.
    guided: Option<(&'static str, Option<Published>)>,
    remark: String,
}

/// From nothing, and from a tree.
pub struct Measured {
    regular: Option<Exploration>,
    memoized: Option<Exploration>,
}

pub fn deepening(row: &Deepening) -> Comparison {
    let (first, with_trie) = (row.first, row.first_with_trie);
    deeper(
        row.program,
        (row.from, row.to),
        Rows {
            regular: row.regular,
            memoized: Some(row.deepened),
            guided: None,
            remark: format!("before: {first} s, with the trie {with_trie} s"),
        },
    )
}

pub fn guided(row: &Guided) -> Comparison {
    let remark = row.candidates.map_or_else(String::new, |(chosen, all)| {
        format!("{chosen} of {all} boundaries")
    });
    deeper(
        row.program,
        (row.from, row.to),
        Rows {
            regular: row.regular,
            memoized: None,
            guided: Some((row.heuristic, row.guided)),
            remark,
        },
    )
}

fn deeper(program: &'static str, (from, to): (Depth, Depth), published: Rows) -> Comparison {
    Comparison {
        program,
        change: format!("depth {} to {}", from.ours, to.ours),
        change_there: format!("{} to {}", from.theirs, to.theirs),
        before: format!("{ALIKE} --max-depth {}", from.ours),
        now: format!("{ALIKE} --max-depth {}", to.ours),
        memoized: Memoized::Deepened,
        published,
    }
}

pub fn regression(row: &Regression) -> Comparison {
    let (bound, at, at_there) = row.depth.map_or_else(Default::default, |depth| {
        (
            format!(" --max-depth {}", depth.ours),
            format!(", depth {}", depth.ours),
            format!(", {}", depth.theirs),
        )
    });
    let mutant = row.mutant;
    Comparison {
        program: row.program,
        change: format!("version {mutant}{at}"),
        change_there: format!("v{mutant}{at_there}"),
        before: format!("{ALIKE}{bound}"),
        now: format!("{ALIKE}{bound} --cflags=-DMUTANT={mutant}"),
        memoized: Memoized::Regressed,
        published: Rows {
            regular: row.regular,
            memoized: Some(row.regressed),
            guided: None,
            remark: String::new(),
        },
    }
}

impl Comparison {
    pub fn measure(
        &self,
        bench: &mut Bench,
        experiment: Experiment,
        subject: &Subject,
        rounds: u32,
    ) -> Result<Measured> {
        let mut best = Measured {
            regular: None,
            memoized: None,
        };
        for round in 0..rounds {
            let variant = |run: &str| format!("{}, {run}", self.change);
            let variants = ["regular", "before", self.memoized.name()].map(variant);
            let trial = |place: usize, options: &str| Trial {
                experiment: experiment.name(),
                variant: &variants[place],
                options: options.to_owned(),
                variables: &[],
                round,
            };
            let Some(regular) = bench.measure(subject, &trial(0, &self.now))? else {
                break;
            };
            let Some(before) = bench.measure(subject, &trial(1, &self.before))? else {
                break;
            };
            let start = self.memoized.start(&before);
            let memoized = bench.measure_from(subject, &trial(2, &self.now), start)?;
            let Some(memoized) = memoized else {
                break;
            };
            if ends(&memoized) != ends(&regular) {
                bench.problem(format!(
                    "{}: {}, {}: {:?} paths by their ends, from nothing {:?}",
                    experiment.name(),
                    self.program,
                    variants[2],
                    ends(&memoized),
                    ends(&regular)
                ));
            }
            keep_better(&mut best.regular, regular);
            keep_better(&mut best.memoized, memoized);
        }
        Ok(best)
    }

    pub fn add_to(&self, table: &mut Table, measured: &Measured) {
        let published = &self.published;
        let runs = (&measured.regular, &measured.memoized);
        let more = match runs {
            (Some(regular), Some(memoized)) if memoized.instructions > regular.instructions => {
                "MORE INSTRUCTIONS"
            }
            _ => "",
        };
        let rows = [
            ("regular", ours(runs.0), Some(published.regular), ""),
            (self.memoized.name(), ours(runs.1), published.memoized, more),
        ];
        let guided = published.guided.iter();
        // Nothing here chooses among boundaries.
        let guided = guided.map(|&(name, figures)| (name, Default::default(), figures, ""));
        for (run, ours, theirs, warning) in rows.into_iter().chain(guided) {
            let remark = match run {
                "regular" => "",
                _ => &published.remark,
            };
            let mut row = vec![self.program.to_owned(), self.change.clone(), run.to_owned()];
            row.extend(ours);
            row.push(self.change_there.clone());
            row.extend(figures(theirs));
            row.extend([remark.to_owned(), warning.to_owned()]);
            table.row(row);
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
            ">s",
            "paper",
            ">states",
            ">calls",
            ">s",
            "",
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

fn ours(run: &Option<Exploration>) -> [String; 5] {
    let Some(run) = run else {
        return [FAILED; 5].map(str::to_owned);
    };
    [
        run.questions.to_string(),
        run.queries.to_string(),
        run.calls.to_string(),
        run.instructions.to_string(),
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
fn ends(run: &Exploration) -> [u64; 3] {
    [run.completed, run.errors, run.killed]
}

fn keep_better(best: &mut Option<Exploration>, run: Exploration) {
    if best.as_ref().is_none_or(|best| run.is_better_than(best)) {
        *best = Some(run);
    }
}
