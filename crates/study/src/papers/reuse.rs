//! Paper 2: answers reused by logical implication, within a run, across versions of a program and across programs.

mod published;

use crate::figures::{NOTHING, percent, ratio};
use crate::table::Table;

use super::page::Page;
use super::plan::{Action, Setup, Step, Trial, of};
use super::plot::{Kind, Plot};
use super::results::{Measured, View};
use super::{Experiment, Part};
use crate::catalogue;
use crate::subject::Subject;

pub const EXPERIMENT: Experiment = Experiment {
    name: "reuse",
    about: "answers reused by logical implication",
    paper: "X. Jia, C. Ghezzi, S. Ying: Enhancing Reuse of Constraint Solutions to Improve Symbolic Execution (ISSTA 2015)",
    differs: "The programs are written anew in C from their descriptions (the paper's are Java), numbers are machine \
              integers, and the solver is ours: counts are of another size, ratios are what compares. n0: every query \
              solved; n1: green; n2: klee without the model at hand, which the paper's \
              KLEE-like approach has not; n3: greentrie; full: all layers. R' = (n1 - n3)/n1, R'' = (n2 - n3)/n2; times \
              are shares of the time without reuse, of exploring alone.",
    parts: &[
        Part {
            name: "single",
            about: "within one run: table 1",
            plan: plan_single,
            show: show_single,
        },
        Part {
            name: "versions",
            about: "across nine versions of a program: tables 2 to 4",
            plan: plan_versions,
            show: show_versions,
        },
        Part {
            name: "programs",
            about: "across programs, in pairs: table 5",
            plan: plan_programs,
            show: show_programs,
        },
    ],
};

/// The paper's approaches, in the order of n0 to n3, and all of ours.
const PRESETS: [&str; 5] = ["baseline", "green", "klee", "greentrie", "full"];

/// The same paths in the same order, and no test but for errors.
const ALIKE: &str = "--search dfs --tests errors";

fn options(preset: &str) -> String {
    // The paper's KLEE-like approach has the store of KLEE, and not what its states know by themselves.
    let without = if preset == "klee" {
        " --without model"
    } else {
        ""
    };
    format!("{ALIKE} --reuse {preset}{without}")
}

/// `name-n` for some bounds.
fn bounded(subject: &Subject, name: &str, bounds: std::ops::RangeInclusive<u32>) -> Vec<Subject> {
    let with = |bound| subject.with(format!("{name}-{bound}"), &[format!("BOUND={bound}")]);
    bounds.map(with).collect()
}

/// The rows of table 1, with what bounds the rover's arbiter.
fn subjects(setup: &Setup) -> Vec<(Subject, &'static str)> {
    let reuse = |name| catalogue::one(catalogue::reuse(), name);
    let memoise = |name| catalogue::one(catalogue::memoise(), name);
    let largest = setup.scale.of(1, 2, 3);
    let mut all = vec![
        reuse("tritype").with("Trityp", &[]),
        reuse("euclid").with("Euclid", &[]),
        memoise("tcas").with("TCAS", &[]),
    ];
    all.extend(bounded(&reuse("tree_map"), "TreeMap", 1..=largest));
    all.extend(bounded(&reuse("bintree"), "BinTree", 1..=largest));
    all.extend(bounded(
        &reuse("binomial_heap"),
        "BinomialHeap",
        1..=largest,
    ));
    let all = setup
        .choose(all, usize::MAX)
        .into_iter()
        .map(|subject| (subject, ""));
    let arbiter = setup.choose([memoise("arbiter").with("MerArbiter", &[])], 1);
    let depth = setup
        .scale
        .of(" --max-depth 8", " --max-depth 14", " --max-depth 24");
    all.chain(arbiter.into_iter().map(|subject| (subject, depth)))
        .collect()
}

fn plan_single(setup: &Setup) -> Vec<Trial> {
    let rounds = setup.rounds(setup.scale.of(1, 1, 3));
    let mut plan = Vec::new();
    for (subject, bound) in subjects(setup) {
        for preset in PRESETS {
            let step = Step::run(&subject, options(preset) + bound);
            let labels = of(&subject.name).and("preset", preset);
            plan.push(Trial::new(labels, vec![step], rounds));
        }
    }
    plan
}

/// A row's runs, by preset; none if one is missing.
fn runs<'a>(
    view: &View<'a>,
    more: &[(&str, &str)],
    step: Option<&str>,
) -> Option<[&'a Measured; 5]> {
    let mut found = Vec::new();
    for preset in PRESETS {
        let labels: Vec<(&str, &str)> = { more.iter().copied() }
            .chain([("preset", preset)])
            .collect();
        found.push(view.step(&labels, step)?);
    }
    found.try_into().ok()
}

/// By how much the second of two numbers is less than the first.
fn improvement(before: f64, now: f64) -> String {
    match before > 0.0 {
        true => percent(1.0 - now / before),
        false => NOTHING.to_owned(),
    }
}

/// Counts and times of rows, ours beside the paper's.
struct Rows {
    counts: Table,
    times: Table,
    /// The sums of calls.
    calls: [f64; 5],
    names: Vec<String>,
    bars: Vec<Vec<f64>>,
    fewest: usize,
    /// Rows in which full is the fastest, or nearly.
    fastest: usize,
    slow: Vec<String>,
    more: Vec<String>,
    /// Rows in which greentrie is not the best of the paper's three.
    beaten: Vec<String>,
    /// Queries that klee answers there by testing known solutions.
    tested: f64,
    all: usize,
}

/// Slower than the fastest by no more than this is nearly as fast.
const NEARLY: f64 = 1.05;

impl Rows {
    fn new(title: &str, what: &str) -> Rows {
        Rows {
            counts: Table::new(
                format!("{title}: solver calls"),
                &[
                    what,
                    ">n0",
                    ">n1",
                    ">n2",
                    ">n3",
                    ">full",
                    ">R'",
                    ">R''",
                    ">paper n0",
                    ">n1",
                    ">n2",
                    ">n3",
                    ">R'",
                    ">R''",
                ],
            ),
            times: Table::new(
                format!("{title}: time, as a share of that without reuse"),
                &[
                    what,
                    ">n0 s",
                    ">green",
                    ">klee",
                    ">greentrie",
                    ">full",
                    ">T'",
                    ">T''",
                    ">paper T'",
                    ">T''",
                ],
            ),
            calls: [0.0; 5],
            names: Vec::new(),
            bars: vec![Vec::new(); 5],
            fewest: 0,
            fastest: 0,
            slow: Vec::new(),
            more: Vec::new(),
            beaten: Vec::new(),
            tested: 0.0,
            all: 0,
        }
    }

    fn add(&mut self, name: &str, runs: [&Measured; 5], paper: Option<&published::Row>) {
        let n = runs.map(Measured::calls);
        let t = runs.map(Measured::seconds);
        let mut row = vec![name.to_owned()];
        row.extend(n.map(|calls| format!("{calls}")));
        row.extend([improvement(n[1], n[3]), improvement(n[2], n[3])]);
        let mut times = vec![name.to_owned(), format!("{:.3}", t[0])];
        times.extend((1..5).map(|place| ratio(t[place] / t[0].max(1e-9))));
        times.extend([improvement(t[1], t[3]), improvement(t[2], t[3])]);
        if let Some(paper) = paper {
            row.extend(paper.n.map(|calls| calls.to_string()));
            let [_, green, klee, trie] = paper.n.map(f64::from);
            row.extend([improvement(green, trie), improvement(klee, trie)]);
            let [green, klee, trie] = paper.t.map(f64::from);
            times.extend([improvement(green, trie), improvement(klee, trie)]);
        }
        self.counts.row(row);
        self.times.row(times);
        for (place, calls) in n.into_iter().enumerate() {
            self.calls[place] += calls;
            self.bars[place].push(calls);
        }
        self.names.push(name.to_owned());
        self.all += 1;
        match n[4] <= n.into_iter().fold(f64::INFINITY, f64::min) {
            true => self.fewest += 1,
            false => self.more.push(name.to_owned()),
        }
        if n[3] > n[1] || n[3] > n[2] {
            self.beaten.push(name.to_owned());
            self.tested += runs[2].get("queries.answered_by.quick_test");
        }
        let best = t.into_iter().fold(f64::INFINITY, f64::min);
        match t[4] <= best * NEARLY {
            true => self.fastest += 1,
            false => self.slow.push(format!(
                "{name} ({:.2} of the best, {:.1} ms more)",
                t[4] / best,
                1e3 * (t[4] - best)
            )),
        }
    }

    fn finish(mut self, page: &mut Page, is_logarithmic: bool) {
        let n = self.calls;
        let mut total = vec!["total".to_owned()];
        total.extend(n.map(|calls| format!("{calls}")));
        total.extend([improvement(n[1], n[3]), improvement(n[2], n[3])]);
        self.counts.row(total);
        self.counts
            .remark("Paper: its own figures, from its table.");
        let title = self.counts.title().to_owned();
        page.table(self.counts);
        page.plot(Plot {
            title,
            x: String::new(),
            y: "solver calls".to_owned(),
            kind: Kind::Bars {
                groups: self.names,
                series: PRESETS
                    .map(str::to_owned)
                    .into_iter()
                    .zip(self.bars)
                    .collect(),
                is_logarithmic,
            },
        });
        page.table(self.times);
        let exceptions = |rows: &[String]| match rows.is_empty() {
            true => String::new(),
            false => format!(" Not in {}.", rows.join(", ")),
        };
        page.finding(
            "greentrie calls the solver no more than green and klee",
            self.beaten.is_empty(),
            format!(
                "{} calls in all rows; green {}, klee {}.{}",
                n[3],
                n[1],
                n[2],
                match self.beaten.is_empty() {
                    true => String::new(),
                    false => format!(
                        "{} There klee, which also tries known solutions on other questions, answers {} of them so.",
                        exceptions(&self.beaten),
                        self.tested
                    ),
                }
            ),
        );
        page.finding(
            "full calls the solver least",
            self.fewest == self.all,
            format!(
                "In {} of {} rows.{}",
                self.fewest,
                self.all,
                exceptions(&self.more)
            ),
        );
        page.finding(
            "full is the fastest, or within 5 % of it, in nine of ten rows",
            self.fastest * 10 >= self.all * 9,
            format!(
                "In {} of {} rows.{}",
                self.fastest,
                self.all,
                exceptions(&self.slow)
            ),
        );
    }
}

fn show_single(view: &View, _: &Setup, page: &mut Page) {
    page.problems.extend(view.disagreements("preset"));
    let mut rows = Rows::new("Reuse within one run (table 1)", "program");
    for program in view.values("program") {
        if let Some(runs) = runs(view, &[("program", program)], None) {
            rows.add(
                program,
                runs,
                published::SINGLE.iter().find(|row| row.name == program),
            );
        }
    }
    rows.finish(page, true);
}

/// Versions of a group, in the order in which they are explored; the first is the base.
const GROUPS: [(&str, [u32; 4]); 3] = [
    ("ADD", [0, 1, 2, 3]),
    ("DEL", [3, 2, 1, 0]),
    ("MOD", [0, 11, 12, 13]),
];
const STEPS: [&str; 4] = ["base", "#1", "#2", "#3"];

fn plan_versions(setup: &Setup) -> Vec<Trial> {
    let bound = setup.scale.of(1, 2, 3);
    let subjects = [
        (
            catalogue::one(catalogue::reuse(), "euclid"),
            "Euclid",
            Vec::new(),
        ),
        (
            catalogue::one(catalogue::memoise(), "tcas"),
            "TCAS",
            Vec::new(),
        ),
        (
            catalogue::one(catalogue::reuse(), "bintree"),
            "BinTree",
            vec![format!("BOUND={bound}")],
        ),
    ];
    let rounds = setup.rounds(setup.scale.of(1, 1, 3));
    let (first, groups) = setup.scale.of((1, 1), (0, 3), (0, 3));
    let mut plan = Vec::new();
    for (subject, name, definitions) in subjects.into_iter().skip(first) {
        for (group, versions) in GROUPS.into_iter().take(groups) {
            for preset in PRESETS {
                let steps = versions.iter().zip(STEPS).map(|(version, step)| {
                    let mut definitions = definitions.clone();
                    definitions.push(format!("VERSION={version}"));
                    // What solves everything keeps nothing, either.
                    let with_store = preset != "baseline";
                    Step::run(&subject.with(name, &definitions), options(preset))
                        .by(Action::Run { with_store })
                        .named(step)
                });
                let labels = of(name).and("group", group).and("preset", preset);
                plan.push(Trial::new(labels, steps.collect(), rounds));
            }
        }
    }
    let wanted =
        |name: &str| setup.programs.is_empty() || setup.programs.iter().any(|it| it == name);
    plan.retain(|trial| wanted(&trial.steps[0].subject.name));
    plan
}

fn show_versions(view: &View, _: &Setup, page: &mut Page) {
    page.problems.extend(view.disagreements("preset"));
    for program in view.values("program") {
        let table = published::VERSIONS
            .iter()
            .find(|(name, _)| *name == program);
        let number = table.map_or("", |(_, table)| table.number);
        let mut rows = Rows::new(&format!("Versions of {program} (table {number})"), "change");
        for (group, _) in GROUPS {
            for step in &STEPS[1..] {
                let name = format!("{group}{step}");
                let labels = [("program", program), ("group", group)];
                if let Some(runs) = runs(view, &labels, Some(step)) {
                    let paper =
                        table.and_then(|(_, table)| table.rows.iter().find(|row| row.name == name));
                    rows.add(&name, runs, paper);
                }
            }
        }
        rows.finish(page, true);
        show_chains(view, program, page);
    }
}

/// All runs of a group of versions together. Who asks little in the first leaves little to the others: only the sums
/// tell who asks least.
fn show_chains(view: &View, program: &str, page: &mut Page) {
    let mut table = Table::new(
        format!(
            "Versions of {program}, with the run of the base: solver calls, and time as a share"
        ),
        &[
            "changes",
            ">n0",
            ">n1",
            ">n2",
            ">n3",
            ">full",
            ">n0 s",
            ">green",
            ">klee",
            ">greentrie",
            ">full",
        ],
    );
    let (mut fewest, mut fastest, mut all) = (0, 0, 0);
    let mut exceptions = Vec::new();
    for (group, _) in GROUPS {
        let labels = [("program", program), ("group", group)];
        let steps = STEPS.iter().map(|step| runs(view, &labels, Some(step)));
        let Some(steps) = steps.collect::<Option<Vec<_>>>() else {
            continue;
        };
        let sum = |figure: fn(&Measured) -> f64| -> [f64; 5] {
            std::array::from_fn(|preset| steps.iter().map(|runs| figure(runs[preset])).sum())
        };
        let (n, t) = (sum(Measured::calls), sum(Measured::seconds));
        let mut row = vec![group.to_owned()];
        row.extend(n.map(|calls| format!("{calls}")));
        row.push(format!("{:.3}", t[0]));
        row.extend(t[1..].iter().map(|seconds| ratio(seconds / t[0].max(1e-9))));
        table.row(row);
        let least = |figures: [f64; 5]| figures.into_iter().fold(f64::INFINITY, f64::min);
        let (is_fewest, is_fastest) = (n[4] <= least(n), t[4] <= least(t) * NEARLY);
        fewest += usize::from(is_fewest);
        fastest += usize::from(is_fastest);
        all += 1;
        if !is_fewest || !is_fastest {
            exceptions.push(format!(
                "{group} ({} calls, {:.2} of the best time)",
                n[4],
                t[4] / least(t)
            ));
        }
    }
    page.table(table);
    let exceptions = match exceptions.is_empty() {
        true => String::new(),
        false => format!(" Not in {}.", exceptions.join(", ")),
    };
    page.finding(
        "full calls the solver least and takes the least time over a base and its versions",
        fewest == all && fastest == all,
        format!("Calls: in {fewest} of {all} groups; time, within 5 %: in {fastest}.{exceptions}"),
    );
}

/// Approaches that keep answers.
const KEEPING: [&str; 4] = ["green", "klee", "greentrie", "full"];

/// The programs of table 5, with what bounds them.
fn pairs(setup: &Setup) -> Vec<(Subject, &'static str)> {
    let last = |(subject, _): &(Subject, &str)| {
        let (name, bound) = subject.name.split_once('-').unwrap_or((&subject.name, ""));
        let largest = setup.scale.of("1", "2", "2");
        let wanted = bound.is_empty() || bound == largest;
        wanted.then(|| name.to_owned())
    };
    let mut all = Vec::new();
    for (subject, bound) in subjects(setup) {
        if let Some(name) = last(&(subject.clone(), bound)) {
            all.push((
                subject.renamed(name),
                if bound.is_empty() {
                    ""
                } else {
                    " --max-depth 14"
                },
            ));
        }
    }
    all.truncate(setup.scale.of(2, 4, usize::MAX));
    all
}

const ALONE: &str = "nothing";

fn plan_programs(setup: &Setup) -> Vec<Trial> {
    let programs = pairs(setup);
    let mut plan = Vec::new();
    for (second, bound) in &programs {
        for preset in KEEPING {
            let run = |subject: &Subject, bound: &str, name| {
                Step::run(subject, options(preset) + bound)
                    .by(Action::Run { with_store: true })
                    .named(name)
            };
            let own = run(second, bound, "second");
            let alone = of(&second.name).and("first", ALONE).and("preset", preset);
            plan.push(Trial::new(alone, vec![own.clone()], 1));
            for (first, bound) in programs
                .iter()
                .filter(|(first, _)| first.name != second.name)
            {
                let labels = of(&second.name)
                    .and("first", &first.name)
                    .and("preset", preset);
                let steps = vec![run(first, bound, "first"), own.clone()];
                plan.push(Trial::new(labels, steps, 1));
            }
        }
    }
    plan
}

fn show_programs(view: &View, _: &Setup, page: &mut Page) {
    let programs = view.values("program");
    let mut names = vec!["first".to_owned()];
    names.extend(programs.iter().map(|name| format!(">{name}")));
    let columns: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut table = Table::new(
        "Solver calls that what the first program left saves the second (table 5): green, klee, greentrie, full",
        &columns,
    );
    let mut paper = Table::new(
        "The paper's table 5: solutions of the first that the second reuses (Green, KLEE-like, GreenTrie)",
        &columns,
    );
    let mut saved = [0.0; 4];
    for first in &programs {
        let mut row = vec![(*first).to_owned()];
        let mut there = row.clone();
        for second in &programs {
            if first == second {
                row.push("/".to_owned());
                there.push("/".to_owned());
                continue;
            }
            let cells = KEEPING.map(|preset| {
                let run = |first| {
                    let labels = [("program", *second), ("first", first), ("preset", preset)];
                    view.step(&labels, Some("second")).map(Measured::calls)
                };
                Some(run(ALONE)? - run(first)?)
            });
            for (sum, cell) in saved.iter_mut().zip(cells) {
                *sum += cell.unwrap_or(0.0);
            }
            let shown =
                cells.map(|cell| cell.map_or(NOTHING.to_owned(), |calls| calls.to_string()));
            row.push(shown.join(", "));
            there.push(published::pair(first, second).unwrap_or(NOTHING).to_owned());
        }
        table.row(row);
        paper.row(there);
    }
    table.remark(
        "The paper counts solutions that are reused; here it is the calls that are saved against an empty store, so \
         what a program would have found again by itself does not count.",
    );
    page.table(table);
    page.table(paper);
    page.finding(
        "Answers are reused across programs, and by implication more of them",
        saved[2] >= saved[0] && saved[2] > 0.0,
        format!(
            "Calls saved in all pairs: green {}, klee {}, greentrie {}, full {}.",
            saved[0], saved[1], saved[2], saved[3]
        ),
    );
}
