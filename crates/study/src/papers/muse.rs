//! Paper 5: partial solutions as inputs of other paths: solve once, explore many.

use crate::figures::{NOTHING, mean, ratio};
use crate::table::Table;

use super::page::Page;
use super::plan::{Setup, Step, Trial, of};
use super::plot::{Kind, Plot};
use super::results::{Measured, View};
use super::{Experiment, Part};
use crate::catalogue;
use crate::subject::Subject;

pub const EXPERIMENT: Experiment = Experiment {
    name: "muse",
    about: "partial solutions as inputs of other paths",
    paper: "Y. Zhang, Z. Chen, Z. Shuai, T. Zhang, K. Li, J. Wang: Multiplex Symbolic Execution: Exploring Multiple Paths by \
            Solving Once (ASE 2020)",
    differs: "Parsers are written anew in C from the formats' specifications, and begin with a valid file, as the paper's \
              do; --arithmetic integers stands for its linear integer solver. Formulas on doubles stand for its GSL and \
              linear algebra programs. Runs take as long as is said below (the paper: 15 minutes); what is covered in it \
              may differ from one run to the next. NB: blocks covered after the first path (the paper: instructions).",
    parts: &[Part {
        name: "search",
        about: "by search, each with partial solutions and without: tables 5 to 7, figures 5, 6 and 8",
        plan,
        show,
    }],
};

const SEARCHES: [(&str, &str); 4] = [
    ("DFS", "dfs"),
    ("BFS", "bfs"),
    ("RCN", "cover-new"),
    ("RSS", "random-state"),
];

/// A run that ends with its first path.
const FIRST: &str = "first path";

const WITHOUT: &str = " --without partial-solutions";

/// The kinds of programs: switches, and the paper's averages of tests and of new instructions (tables 5 and 7), or of
/// coverage (table 6), for DFS, DFS+P, BFS and BFS+P.
const KINDS: [(&str, &str, &str); 3] = [
    (
        "integers",
        "--arithmetic integers",
        "The paper (table 5): DFS 108 tests and 36 new instructions, DFS+P 889 and 127, BFS 1139 and 117, BFS+P 2536 and 202.",
    ),
    (
        "bit-vectors and arrays",
        "",
        "The paper (table 6), coverage: DFS 61.9 %, DFS+P 78.8 %, BFS 69.4 %, BFS+P 90.4 %, RCN 64.3 %, RSS 54.8 %.",
    ),
    (
        "floats",
        "",
        "The paper (table 7): DFS 17 tests and 55 new instructions, DFS+P 484 and 495, BFS 22 and 387, BFS+P 514 and 469.",
    ),
];

fn subjects(setup: &Setup, kind: &str) -> Vec<Subject> {
    let subjects = match kind {
        "floats" => catalogue::numeric(),
        "integers" => catalogue::parsers(),
        _ => {
            let mut all = catalogue::parsers();
            all.extend(catalogue::examples());
            all
        }
    };
    setup.choose(subjects, setup.scale.of(1, 2, usize::MAX))
}

fn seconds(setup: &Setup) -> f64 {
    setup.seconds(setup.scale.of(0.5, 1.5, 10.0))
}

fn plan(setup: &Setup) -> Vec<Trial> {
    let searches = &SEARCHES[..setup.scale.of(1, 4, 4)];
    let mut plan = Vec::new();
    for (kind, switches, _) in KINDS {
        for subject in subjects(setup, kind) {
            let first = format!("--mode concolic --tests errors {switches} --max-paths 1");
            let labels = of(&subject.name).and("kind", kind).and("search", FIRST);
            plan.push(Trial::new(labels, vec![Step::run(&subject, first)], 1));
            for (name, search) in searches {
                for (suffix, without) in [("", WITHOUT), ("+P", "")] {
                    let options = format!(
                        "--mode concolic --search {search} --tests errors {switches}{without}"
                    );
                    let labels = of(&subject.name)
                        .and("kind", kind)
                        .and("search", format!("{name}{suffix}"));
                    let step = Step::run(&subject, options).within(seconds(setup));
                    plan.push(Trial::new(labels, vec![step], 1));
                }
            }
        }
    }
    plan
}

/// Blocks that the first path of a program covers.
fn first_blocks(view: &View, program: &str, kind: &str) -> f64 {
    let first = view.get(&[("program", program), ("kind", kind), ("search", FIRST)]);
    first.map_or(0.0, |run| run.get("coverage.blocks"))
}

fn show(view: &View, setup: &Setup, page: &mut Page) {
    let limit = seconds(setup);
    let mut searches = view.values("search");
    searches.retain(|search| *search != FIRST);
    let mut pairs = Vec::new();
    for (kind, _, there) in KINDS {
        let programs: Vec<&str> = { view.values("program").into_iter() }
            .filter(|program| !view.all(&[("program", program), ("kind", kind)]).is_empty())
            .collect();
        let mut names = vec!["program".to_owned()];
        for search in &searches {
            names.extend([
                format!(">{search} T"),
                ">NB".to_owned(),
                ">PS/solve".to_owned(),
            ]);
        }
        let columns: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut table = Table::new(
            format!("Multiplexing, {kind}, {limit} s (tables 5 to 7)"),
            &columns,
        );
        let mut sums: Vec<Vec<[f64; 3]>> = vec![Vec::new(); searches.len()];
        for program in &programs {
            let mut row = vec![(*program).to_owned()];
            let first = first_blocks(view, program, kind);
            for (place, search) in searches.iter().enumerate() {
                let Some(run) =
                    view.get(&[("program", *program), ("kind", kind), ("search", search)])
                else {
                    row.extend([NOTHING; 3].map(str::to_owned));
                    continue;
                };
                let partial = run.get("solver.partial_solutions") / run.calls().max(1.0);
                let new = (run.get("coverage.blocks") - first).max(0.0);
                let figures = [run.paths(), new, partial];
                sums[place].push(figures);
                row.extend([
                    figures[0].to_string(),
                    figures[1].to_string(),
                    ratio(figures[2]),
                ]);
            }
            table.row(row);
        }
        if table.is_empty() {
            continue;
        }
        let means: Vec<[f64; 3]> = sums
            .iter()
            .map(|rows| {
                [0, 1, 2].map(|place| {
                    let values: Vec<f64> = rows.iter().map(|row| row[place]).collect();
                    mean(&values).unwrap_or(0.0)
                })
            })
            .collect();
        let mut last = vec!["mean".to_owned()];
        for [tests, blocks, partial] in &means {
            last.extend([
                format!("{tests:.0}"),
                format!("{blocks:.1}"),
                ratio(*partial),
            ]);
        }
        table.row(last);
        table.remark(format!("T: tests, one a path. NB: new blocks. PS/solve: partial solutions a solver call (figure 8). {there}"));
        page.table(table);
        for pair in means.chunks(2) {
            if let [without, with] = pair {
                pairs.push((kind, *without, *with));
            }
        }
        show_trend(view, (kind, &programs), &searches, limit, page);
        show_partial_solutions(view, kind, &programs, page);
    }
    let more = pairs
        .iter()
        .filter(|(_, without, with)| with[1] >= without[1])
        .count();
    page.finding(
        "Partial solutions as inputs cover no less under any search",
        more == pairs.len(),
        format!(
            "New blocks: not fewer in {more} of {} means (kinds of programs and searches).",
            pairs.len()
        ),
    );
}

/// Figures 5 to 7.
fn show_trend(
    view: &View,
    (kind, programs): (&str, &[&str]),
    searches: &[&str],
    limit: f64,
    page: &mut Page,
) {
    let mut lines = Vec::new();
    for search in searches {
        let runs = programs.iter().filter_map(|program| {
            let run = view.get(&[("program", *program), ("kind", kind), ("search", search)])?;
            Some((run, first_blocks(view, program, kind)))
        });
        let runs: Vec<(&Measured, f64)> = runs.collect();
        let point = |step: u32| {
            let time = limit * f64::from(step) / 20.0;
            let blocks = runs
                .iter()
                .map(|(run, first)| (run.at(time, "blocks") - first).max(0.0));
            (time, blocks.sum())
        };
        lines.push(((*search).to_owned(), (0..=20).map(point).collect()));
    }
    page.plot(Plot {
        title: format!("New blocks over time, {kind} (figures 5 to 7)"),
        x: "seconds".to_owned(),
        y: "new blocks, all programs".to_owned(),
        kind: Kind::Lines(lines),
    });
}

/// Figure 8.
fn show_partial_solutions(view: &View, kind: &str, programs: &[&str], page: &mut Page) {
    let series = ["DFS+P", "BFS+P"].map(|search| {
        let value = |program: &&str| {
            let run = view.get(&[("program", *program), ("kind", kind), ("search", search)]);
            run.map_or(0.0, |run| {
                run.get("solver.partial_solutions") / run.calls().max(1.0)
            })
        };
        (search.to_owned(), programs.iter().map(value).collect())
    });
    page.plot(Plot {
        title: format!("Partial solutions a solver call, {kind} (figure 8)"),
        x: String::new(),
        y: "partial solutions".to_owned(),
        kind: Kind::Bars {
            groups: programs.iter().map(|name| (*name).to_owned()).collect(),
            series: series.into(),
            is_logarithmic: false,
        },
    });
}
