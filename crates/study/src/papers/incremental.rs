//! Paper 1: solving along the path. Five techniques on generated programs, on whole programs, and on recorded queries.

use crate::figures::{NOTHING, mean, percent, ratio};
use crate::generate;
use crate::table::Table;

use super::page::Page;
use super::peers::recorded;
use super::plan::{Setup, Step, Trial, of};
use super::plot::{Kind, Plot};
use super::results::{Measured, View};
use super::{Experiment, Part, files_in};
use crate::subject::Subject;

pub const EXPERIMENT: Experiment = Experiment {
    name: "incremental",
    about: "solving along the path",
    paper: "T. Liu, M. Araújo, M. d'Amorim, M. Taghdiri: A Comparative Study of Incremental Constraint Solving Approaches \
            in Symbolic Execution (HVC 2014)",
    differs: "The generated programs are C, from a generator in the manner of RUGRAT (the paper's are Java), explored over \
              mathematical integers as the paper's are, and at most as long as is said below (the paper: 10 minutes); \
              z3 is asked as a process (the paper: by its library). stack-opt differs from stack only where a solver \
              process is told something. full is not of the paper.",
    parts: &[
        Part {
            name: "generated",
            about: "generated programs of three sizes: figures 3, 4, 6 and 7",
            plan: plan_generated,
            show: show_generated,
        },
        Part {
            name: "coreutils",
            about: "whole programs, where their bitcode is there: figure 5",
            plan: plan_coreutils,
            show: show_coreutils,
        },
        Part {
            name: "recorded",
            about: "recorded queries: figure 5",
            plan: plan_recorded,
            show: show_recorded,
        },
    ],
};

/// The paper's five, and all of ours.
const TECHNIQUES: [&str; 6] = [
    "baseline",
    "caching",
    "caching-opt",
    "stack",
    "stack-opt",
    "full",
];

/// Figure 3: milliseconds a constraint, and queries answered, for 5, 10 and 20 thousand lines.
const PUBLISHED: [(&str, [f64; 3], [u32; 3]); 5] = [
    ("baseline", [8.100, 16.750, 25.565], [29_154, 9_115, 5_856]),
    ("caching", [35.123, 89.537, 96.983], [34_870, 4_875, 3_416]),
    (
        "caching-opt",
        [17.547, 45.624, 47.630],
        [58_988, 10_097, 5_047],
    ),
    ("stack", [0.321, 0.843, 1.401], [441_353, 185_236, 101_408]),
    (
        "stack-opt",
        [0.309, 0.752, 1.258],
        [1_177_907, 448_545, 256_345],
    ),
];
const SIZES: [usize; 3] = [5_000, 10_000, 20_000];

/// `5K`.
fn size_name(lines: usize) -> String {
    format!("{}K", lines / 1_000)
}

fn seconds(setup: &Setup) -> f64 {
    setup.seconds(setup.scale.of(0.5, 1.0, 10.0))
}

fn plan_generated(setup: &Setup) -> Vec<Trial> {
    let programs = setup.scale.of(1, 1, 20);
    let sizes = &SIZES[..setup.scale.of(1, 3, 3)];
    let mut plan = Vec::new();
    for number in 0..programs {
        for &lines in sizes {
            let size = size_name(lines);
            let name = format!("{size}-{number}");
            let text = generate::program(setup.seed + number, lines);
            let subject = Subject::program(&name, text);
            for subject in setup.choose([subject], 1) {
                for solver in setup.solvers() {
                    // Other solvers are there for comparison: a few programs tell enough.
                    if solver != "native" && number >= setup.scale.of(0, 1, 4) {
                        continue;
                    }
                    for technique in TECHNIQUES {
                        let options = format!(
                            "--search dfs --tests errors --arithmetic integers --reuse {technique} --solver {solver}"
                        );
                        let step = Step::run(&subject, options).within(seconds(setup));
                        let labels = of(&name)
                            .and("size", &size)
                            .and("solver", solver)
                            .and("technique", technique);
                        plan.push(Trial::new(labels, vec![step], 1));
                    }
                }
            }
        }
    }
    plan
}

/// Milliseconds of answering a query, whoever answers it.
fn cost(run: &Measured) -> f64 {
    let solving = run.get("time.solve") + run.get("time.lookup") + run.get("time.store");
    1000.0 * solving / run.queries().max(1.0)
}

fn mean_of(runs: &[&Measured], value: impl Fn(&Measured) -> f64) -> f64 {
    let values: Vec<f64> = runs.iter().map(|run| value(run)).collect();
    mean(&values).unwrap_or(0.0)
}

fn show_generated(view: &View, setup: &Setup, page: &mut Page) {
    let limit = seconds(setup);
    let sizes = view.values("size");
    for solver in view.values("solver") {
        show_costs(view, solver, limit, page);
        for size in &sizes {
            let mut lines = Vec::new();
            for technique in TECHNIQUES {
                let labels = [
                    ("solver", solver),
                    ("size", *size),
                    ("technique", technique),
                ];
                let runs = view.all(&labels);
                let at = |step: u32| limit * f64::from(step) / 20.0;
                let point = |step| (at(step), mean_of(&runs, |run| run.at(at(step), "paths")));
                lines.push((technique.to_owned(), (0..=20).map(point).collect()));
            }
            page.plot(Plot {
                title: format!("Complete paths over time, {size} lines, {solver} (figure 4)"),
                x: "seconds".to_owned(),
                y: "paths, mean of all programs".to_owned(),
                kind: Kind::Lines(lines),
            });
        }
        show_breakdown(view, solver, page);
    }
    show_static_cost(view, limit, page);
}

/// Figure 3.
fn show_costs(view: &View, solver: &str, limit: f64, page: &mut Page) {
    let sizes = view.values("size");
    let mut names = vec!["technique".to_owned()];
    for what in ["ms a query", "queries", "paths"] {
        names.extend(sizes.iter().map(|size| format!(">{what} {size}")));
    }
    for what in ["ms", "queries"] {
        names.extend(sizes.iter().map(|size| format!(">paper {what} {size}")));
    }
    let columns: Vec<&str> = names.iter().map(String::as_str).collect();
    let title = format!("Cost of a query and what is done in {limit} s, {solver} (figure 3)");
    let mut table = Table::new(title, &columns);
    let mut speedups = Vec::new();
    for technique in TECHNIQUES {
        let runs = |size: &str, technique: &str| {
            view.all(&[("solver", solver), ("size", size), ("technique", technique)])
        };
        let of_size = |value: fn(&Measured) -> f64| {
            sizes
                .iter()
                .map(move |size| mean_of(&runs(size, technique), value))
        };
        let mut row = vec![technique.to_owned()];
        row.extend(of_size(cost).map(|cost| format!("{cost:.3}")));
        row.extend(of_size(Measured::queries).map(|count| format!("{count:.0}")));
        row.extend(of_size(Measured::paths).map(|count| format!("{count:.0}")));
        if let Some((_, costs, queries)) = PUBLISHED.iter().find(|(name, ..)| *name == technique) {
            row.extend(
                costs
                    .iter()
                    .take(sizes.len())
                    .map(|cost| format!("{cost:.3}")),
            );
            row.extend(
                queries
                    .iter()
                    .take(sizes.len())
                    .map(|count| count.to_string()),
            );
        }
        table.row(row);
        if technique == "stack" {
            for size in &sizes {
                let stack = mean_of(&runs(size, technique), cost);
                let caching = mean_of(&runs(size, "caching-opt"), cost);
                speedups.push(caching / stack.max(1e-9));
            }
        }
    }
    table.remark(
        "Means of all programs of a size. A query costs solving, looking up and keeping answers. The paper's runs take \
         600 s.",
    );
    page.table(table);
    let shown: Vec<String> = speedups.iter().map(|speedup| ratio(*speedup)).collect();
    page.finding(
        &format!("The assertion stack beats caching ({solver})"),
        !speedups.is_empty() && speedups.iter().all(|speedup| *speedup > 1.0),
        format!(
            "A query costs caching-opt {} times what it costs stack ({}).",
            shown.join(", "),
            sizes.join(", ")
        ),
    );
}

/// Figure 6.
fn show_breakdown(view: &View, solver: &str, page: &mut Page) {
    let phases: [(&str, &[&str]); 3] = [
        ("path exploration", &["time.execute"]),
        ("construction of terms", &["time.build"]),
        (
            "constraint solving",
            &["time.solve", "time.lookup", "time.store"],
        ),
    ];
    let mut series: Vec<(String, Vec<f64>)> = phases
        .iter()
        .map(|(name, _)| ((*name).to_owned(), Vec::new()))
        .collect();
    series.push(("rest".to_owned(), Vec::new()));
    for technique in TECHNIQUES {
        let runs = view.all(&[("solver", solver), ("technique", technique)]);
        let total = mean_of(&runs, Measured::seconds).max(1e-9);
        let mut rest = 1.0;
        for (place, (_, parts)) in phases.iter().enumerate() {
            let share = parts
                .iter()
                .map(|part| mean_of(&runs, |run| run.get(part)))
                .sum::<f64>()
                / total;
            rest -= share;
            series[place].1.push(100.0 * share);
        }
        series[3].1.push(100.0 * rest.max(0.0));
    }
    let mut table = Table::new(
        format!("Where the time goes, {solver} (figure 6)"),
        &[
            "technique",
            ">path exploration",
            ">construction",
            ">solving",
            ">rest",
        ],
    );
    for (place, technique) in TECHNIQUES.iter().enumerate() {
        let shares = series
            .iter()
            .map(|(_, values)| percent(values[place] / 100.0));
        table.row([(*technique).to_owned()].into_iter().chain(shares));
    }
    page.table(table);
    page.plot(Plot {
        title: format!("Where the time goes, {solver} (figure 6)"),
        x: String::new(),
        y: "% of the time".to_owned(),
        kind: Kind::Stacks {
            groups: TECHNIQUES.map(str::to_owned).into(),
            series,
        },
    });
}

/// Figure 7.
fn show_static_cost(view: &View, limit: f64, page: &mut Page) {
    let mut table = Table::new(
        "Static cost: seconds before the first path (figure 7)",
        &[
            "lines",
            ">s",
            ">% of the time limit",
            ">% of 30 minutes",
            ">paper, 3 unrollings",
            ">paper, 20 unrollings",
        ],
    );
    // As far as the text gives figures.
    let published = [("20K", "1.9%", "8%")];
    for size in view.values("size") {
        let runs = view.all(&[("size", size), ("solver", "native")]);
        let cost = mean_of(&runs, |run| (run.get("wall") - run.seconds()).max(0.0));
        let paper = published.iter().find(|(name, ..)| *name == size);
        let [few, many] = paper.map_or([NOTHING; 2], |(_, few, many)| [few, many]);
        table.row([
            size.to_owned(),
            format!("{cost:.2}"),
            percent(cost / limit),
            format!("{:.3}%", 100.0 * cost / 1800.0),
            few.to_owned(),
            many.to_owned(),
        ]);
    }
    table.remark(
        "Here: starting the process, compiling, reading bitcode and writing results. The paper unrolls loops and inlines \
         calls before it explores, which takes longer with the bound; nothing is unrolled here.",
    );
    page.table(table);
}

fn plan_coreutils(setup: &Setup) -> Vec<Trial> {
    let Some(folder) = &setup.coreutils else {
        return Vec::new();
    };
    let subjects = files_in(folder)
        .into_iter()
        .map(|path| Subject::file(&path));
    let mut plan = Vec::new();
    for subject in setup.choose(subjects, setup.scale.of(1, 4, usize::MAX)) {
        for technique in TECHNIQUES {
            let options = format!(
                "--search dfs --tests errors --reuse {technique} --sym-args 0 2 4 --sym-stdin 8 --sym-files 1 8"
            );
            let step = Step::run(&subject, options).within(seconds(setup));
            let labels = of(&subject.name).and("technique", technique);
            plan.push(Trial::new(labels, vec![step], 1));
        }
    }
    plan
}

fn show_coreutils(view: &View, setup: &Setup, page: &mut Page) {
    let title = format!(
        "Whole programs, {} s each (figure 5): ms a query",
        seconds(setup)
    );
    speedups(view, &title, cost, page);
}

fn plan_recorded(setup: &Setup) -> Vec<Trial> {
    let rounds = setup.rounds(setup.scale.of(1, 1, 3));
    let mut plan = Vec::new();
    for subject in setup.choose(recorded(setup), setup.scale.of(1, 6, usize::MAX)) {
        for technique in TECHNIQUES {
            let step =
                Step::run(&subject, format!("--reuse {technique}")).by(super::plan::Action::Smt);
            let labels = of(&subject.name).and("technique", technique);
            plan.push(Trial::new(labels, vec![step], rounds));
        }
    }
    plan
}

fn show_recorded(view: &View, _: &Setup, page: &mut Page) {
    for program in view.values("program") {
        let answers: Vec<&str> = { TECHNIQUES.iter() }
            .filter_map(|technique| view.get(&[("program", program), ("technique", technique)]))
            .map(|run| run.answers.as_str())
            .collect();
        if answers.windows(2).any(|pair| pair[0] != pair[1]) {
            page.problems
                .push(format!("{program}: techniques answer otherwise"));
        }
    }
    let value = |run: &Measured| 1000.0 * run.seconds() / run.queries().max(1.0);
    speedups(view, "Recorded queries (figure 5): ms a query", value, page);
}

/// A row a program: its cost by technique, and by how much the stack beats the better of caching.
fn speedups(view: &View, title: &str, value: impl Fn(&Measured) -> f64, page: &mut Page) {
    let mut columns = vec!["program"];
    let names = TECHNIQUES.map(|name| format!(">{name}"));
    columns.extend(names.iter().map(String::as_str));
    columns.push(">stack over caching-opt");
    let mut table = Table::new(title, &columns);
    let mut found = Vec::new();
    for program in view.values("program") {
        let costs = TECHNIQUES.map(|technique| {
            let run = view.get(&[("program", program), ("technique", technique)]);
            run.map(&value)
        });
        let mut row = vec![program.to_owned()];
        row.extend(costs.map(|cost| cost.map_or(NOTHING.to_owned(), |cost| format!("{cost:.4}"))));
        if let [_, _, Some(caching), Some(stack), ..] = costs {
            let speedup = caching / stack.max(1e-9);
            found.push((program.to_owned(), speedup));
            row.push(ratio(speedup));
        }
        table.row(row);
    }
    found.sort_by(|one, other| one.1.total_cmp(&other.1));
    let median = found
        .get(found.len() / 2)
        .map_or(0.0, |(_, speedup)| *speedup);
    table.remark("The paper has a median speedup of about 5 over 96 programs, with z3.");
    page.table(table);
    page.plot(Plot {
        title: format!("{title}: stack over caching-opt"),
        x: String::new(),
        y: "times as fast".to_owned(),
        kind: Kind::Bars {
            groups: found.iter().map(|(name, _)| name.clone()).collect(),
            series: vec![(
                "speedup".to_owned(),
                found.iter().map(|(_, speedup)| *speedup).collect(),
            )],
            is_logarithmic: false,
        },
    });
    page.finding(
        "The stack beats caching on real queries",
        median > 1.0,
        format!("The median speedup over caching-opt is {}.", ratio(median)),
    );
}
