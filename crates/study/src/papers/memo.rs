//! Paper 3: the memo tree of one run saves the next one most of its work: with larger bounds, for another version of the
//! program, and towards what is not covered yet.

mod edits;
mod published;

use crate::figures::{FAILED, NOTHING};
use crate::table::Table;

use super::page::Page;
use super::plan::{Action, Setup, Step, Trial, of};
use super::plot::{Kind as Drawn, Plot};
use super::results::{Measured, View};
use super::{Experiment, Part};
use crate::catalogue;
use crate::subject::Subject;

use edits::EXAMPLES;
use published::{DEEPENING, Depth, GUIDED, Guided, Published, REGRESSION};

pub const EXPERIMENT: Experiment = Experiment {
    name: "memo",
    about: "the tree of a run, kept for the next one",
    paper: "G. Yang, C. Pasareanu, S. Khurshid: Memoized Symbolic Execution (ISSTA 2012)",
    differs: "The programs are written anew in C from the paper's listings and descriptions; its bounds on the depth also \
              count what is no branch, so ours are smaller for the same tree.",
    parts: &[
        Part {
            name: "deepen",
            about: "larger bounds: table I",
            plan: |setup| plan(setup, deepening()),
            show: |view, _, page| show(view, "Larger bounds (table I)", deepening(), page),
        },
        Part {
            name: "regress",
            about: "other versions: table II",
            plan: |setup| plan(setup, regression()),
            show: |view, _, page| show(view, "Other versions (table II)", regression(), page),
        },
        Part {
            name: "guide",
            about: "larger bounds, only where a heuristic says: table III",
            plan: |setup| plan(setup, guided()),
            show: |view, _, page| show(view, "Larger bounds, guided (table III)", guided(), page),
        },
        Part {
            name: "again",
            about: "the examples a second time, unchanged and after an edit of one line",
            plan: plan_again,
            show: show_again,
        },
    ],
};

/// The same paths by all runs, and no test but for errors: a tree has no more to do than it must.
const ALIKE: &str = "--search dfs --tests errors";

/// What the paper compares: a run from nothing, and others from the tree of a run before.
struct Comparison {
    program: &'static str,
    /// What is another than in the run before, here and in the paper.
    change: String,
    change_there: String,
    /// Switches of the run before.
    before: String,
    /// What the compiler is told after the change.
    definitions: Vec<String>,
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

fn deepening() -> Vec<Comparison> {
    let compare = |row: &published::Deepening| {
        let [without, with] = row.before;
        let run = Run {
            remark: format!("before: {without} s, {with} s with a trie"),
            ..deepened(&at_most(row.to), Some(row.deepened))
        };
        deeper(row.program, row.from, row.to, row.regular, vec![run])
    };
    DEEPENING.iter().map(compare).collect()
}

fn guided() -> Vec<Comparison> {
    let compare = |row: &Guided| {
        let options = at_most(row.to);
        let remark = row.candidates.map_or_else(String::new, |(chosen, all)| {
            format!("{chosen} of {all} boundaries")
        });
        let runs = vec![
            deepened(&options, None),
            Run {
                name: row.heuristic,
                kind: Kind::Guided,
                options: format!("{options} --guide {}", row.heuristic),
                published: row.guided,
                remark,
            },
        ];
        let mut comparison = deeper(row.program, row.from, row.to, row.regular, runs);
        comparison.change += &format!(", {}", row.heuristic);
        comparison
    };
    GUIDED.iter().map(compare).collect()
}

fn regression() -> Vec<Comparison> {
    let compare = |row: &published::Regression| {
        let (mutant, mut options) = (row.mutant, ALIKE.to_owned());
        let (mut change, mut change_there) = (format!("version {mutant}"), format!("v{mutant}"));
        if let Some(Depth { ours, theirs }) = row.depth {
            options += &format!(" --max-depth {ours}");
            change += &format!(", depth {ours}");
            change_there += &format!(", {theirs}");
        }
        let run = |name, kind, published| Run {
            name,
            kind,
            options: options.clone(),
            published: Some(published),
            remark: String::new(),
        };
        Comparison {
            program: row.program,
            change,
            change_there,
            before: options.clone(),
            definitions: vec![format!("MUTANT={mutant}")],
            runs: vec![
                run("regular", Kind::FromNothing, row.regular),
                run("regressed", Kind::Regressed, row.regressed),
            ],
        }
    };
    REGRESSION.iter().map(compare).collect()
}

fn at_most(depth: Depth) -> String {
    format!("{ALIKE} --max-depth {}", depth.ours)
}

fn deepened(options: &str, published: Option<Published>) -> Run {
    Run {
        name: "deepened",
        kind: Kind::Deepened,
        options: options.to_owned(),
        published,
        remark: String::new(),
    }
}

/// From one bound to a larger one.
fn deeper(
    program: &'static str,
    from: Depth,
    to: Depth,
    regular: Published,
    mut runs: Vec<Run>,
) -> Comparison {
    let regular = Run {
        name: "regular",
        kind: Kind::FromNothing,
        ..deepened(&at_most(to), Some(regular))
    };
    runs.insert(0, regular);
    Comparison {
        program,
        change: format!("depth {} to {}", from.ours, to.ours),
        change_there: format!("{} to {}", from.theirs, to.theirs),
        before: at_most(from),
        definitions: Vec::new(),
        runs,
    }
}

impl Comparison {
    /// The run before where there is one, and the run.
    fn steps(&self, run: &Run) -> Vec<Step> {
        let subject = catalogue::one(catalogue::memoise(), self.program);
        let changed = subject.with(self.program, &self.definitions);
        let now = Step::run(&changed, &run.options).named("now");
        let before = Step::run(&subject, &self.before).named("before");
        match run.kind {
            Kind::FromNothing => vec![now],
            Kind::Regressed => vec![before, now.by(Action::Diff(0))],
            Kind::Deepened | Kind::Guided => vec![before, now.by(Action::Deepen(0))],
        }
    }
}

fn plan(setup: &Setup, comparisons: Vec<Comparison>) -> Vec<Trial> {
    let rounds = setup.rounds(setup.scale.of(1, 1, 3));
    let most = setup.scale.of(1, 4, usize::MAX);
    // The smallest trees first, where not all are wanted.
    let mut comparisons = comparisons;
    comparisons.sort_by_key(|comparison| comparison.program == "brakes");
    let wanted = |it: &&Comparison| {
        setup.programs.is_empty() || setup.programs.iter().any(|name| name == it.program)
    };
    let mut plan = Vec::new();
    for comparison in comparisons.iter().filter(wanted).take(most) {
        for run in &comparison.runs {
            let labels = of(comparison.program)
                .and("change", &comparison.change)
                .and("run", run.name);
            plan.push(Trial::new(labels, comparison.steps(run), rounds));
        }
    }
    plan
}

fn show(view: &View, title: &str, comparisons: Vec<Comparison>, page: &mut Page) {
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
            ">time",
            "paper",
            ">states",
            ">calls",
            ">s",
            "",
        ],
    );
    let (mut groups, mut before, mut after) = (Vec::new(), Vec::new(), Vec::new());
    let mut is_less = true;
    for comparison in comparisons {
        let mut first: Option<&Measured> = None;
        for run in &comparison.runs {
            let labels = [
                ("program", comparison.program),
                ("change", comparison.change.as_str()),
                ("run", run.name),
            ];
            if view.all(&labels).is_empty() {
                continue;
            }
            let found = view.step(&labels, Some("now"));
            let mut row = [comparison.program, &comparison.change, run.name]
                .map(str::to_owned)
                .to_vec();
            row.extend(ours(found, first));
            row.push(comparison.change_there.clone());
            row.extend(theirs(run.published));
            row.push(run.remark.clone());
            table.row(row);
            match (first, found) {
                (None, _) => first = found,
                (Some(regular), Some(now)) => {
                    if run.kind != Kind::Guided && ends(regular) != ends(now) {
                        page.problems.push(format!(
                            "{}, {}, {}: other paths than from nothing",
                            comparison.program, comparison.change, run.name
                        ));
                    }
                    is_less &= now.queries() <= regular.queries();
                    groups.push(format!(
                        "{} {}",
                        comparison.program, comparison.change_there
                    ));
                    before.push(regular.queries());
                    after.push(now.queries());
                }
                _ => {}
            }
        }
    }
    let (queries, left): (f64, f64) = (before.iter().sum(), after.iter().sum());
    table.remark(
        "Nodes are questions that were executed, known ones among them; queries are those that the tree does not \
         answer, which the paper's tool calls its solver for; calls are those that our solver is called for. Time is \
         that of the whole process, compiling included, as a share of the run from nothing. What is right of 'paper' is \
         the paper's.",
    );
    page.table(table);
    page.plot(Plot {
        title: format!("{title}: queries from nothing, and from a tree"),
        x: String::new(),
        y: "queries".to_owned(),
        kind: Drawn::Bars {
            groups,
            series: vec![
                ("regular".to_owned(), before),
                ("from the tree".to_owned(), after),
            ],
            is_logarithmic: true,
        },
    });
    page.finding(
        "From a tree, less is asked than from nothing",
        is_less && left < queries,
        format!("{left} of {queries} queries are left."),
    );
}

fn ours(run: Option<&Measured>, first: Option<&Measured>) -> [String; 6] {
    let Some(run) = run else {
        return [FAILED; 6].map(str::to_owned);
    };
    let share = first.map_or_else(
        || format!("{:.2} s", run.get("wall")),
        |first| format!("{:.2}", run.get("wall") / first.get("wall").max(1e-9)),
    );
    [
        run.get("explore.branches").to_string(),
        run.queries().to_string(),
        run.calls().to_string(),
        run.get("instructions").to_string(),
        run.get("explore.errors").to_string(),
        share,
    ]
}

fn theirs(published: Option<Published>) -> [String; 3] {
    let Some(published) = published else {
        return [NOTHING; 3].map(str::to_owned);
    };
    [published.states, published.calls, published.seconds].map(|figure| figure.to_string())
}

/// Paths by how they end, those of the run before among them.
fn ends(run: &Measured) -> [f64; 3] {
    ["completed", "error", "killed"].map(|end| run.get(&format!("paths.{end}")))
}

const UNCHANGED: &str = "unchanged";

/// A version of an example: what is another, and the program.
fn versions(example: &edits::Example) -> Vec<(&'static str, Subject)> {
    let own = catalogue::one(catalogue::examples(), example.name);
    let edited = example
        .edits
        .iter()
        .map(|edit| (edit.what, own.edited(edit.from, edit.to)));
    [(UNCHANGED, own.clone())]
        .into_iter()
        .chain(edited)
        .collect()
}

fn plan_again(setup: &Setup) -> Vec<Trial> {
    let rounds = setup.rounds(setup.scale.of(1, 1, 3));
    let mut plan = Vec::new();
    // The smallest examples last.
    for example in EXAMPLES.iter().rev().take(setup.scale.of(1, 3, usize::MAX)) {
        if !setup.programs.is_empty() && !setup.programs.iter().any(|name| name == example.name) {
            continue;
        }
        let options = format!("{ALIKE} {}", example.options);
        let versions = versions(example);
        let first = Step::run(&versions[0].1, &options).named("before");
        for (what, subject) in &versions {
            let labels = |run| of(example.name).and("version", what).and("run", run);
            let now = Step::run(subject, &options).named("now");
            plan.push(Trial::new(labels("whole"), vec![now.clone()], rounds));
            let again = vec![first.clone(), now.by(Action::Diff(0))];
            plan.push(Trial::new(labels("again"), again, rounds));
        }
    }
    plan
}

fn show_again(view: &View, _: &Setup, page: &mut Page) {
    let mut table = Table::new(
        "The second run",
        &[
            "program",
            "second version",
            ">paths",
            ">kept",
            ">instructions",
            ">again",
            ">calls",
            ">again",
            ">times as fast",
        ],
    );
    for program in view.values("program") {
        for version in view.values("version") {
            let run = |run| {
                let labels = [("program", program), ("version", version), ("run", run)];
                view.step(&labels, Some("now"))
            };
            let (Some(whole), Some(again)) = (run("whole"), run("again")) else {
                continue;
            };
            if ends(whole) != ends(again) {
                page.problems.push(format!(
                    "{program}, {version}: other paths than from nothing"
                ));
            }
            let counts = [
                again.paths(),
                again.get("memo.paths_kept"),
                whole.get("instructions"),
                again.get("instructions"),
                whole.calls(),
                again.calls(),
            ];
            let mut row = vec![program.to_owned(), version.to_owned()];
            row.extend(counts.map(|count| count.to_string()));
            row.push(format!(
                "{:.1}",
                whole.get("wall") / again.get("wall").max(1e-9)
            ));
            table.row(row);
        }
    }
    table.remark(
        "Each second version is explored from nothing, and again from the tree of the first; times are those of the \
         whole process, compiling included.",
    );
    page.table(table);
}
