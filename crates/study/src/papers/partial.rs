//! Paper 4: partial solutions as entries of the cache.

use crate::figures::{NOTHING, mean, percent, ratio};
use crate::table::Table;

use super::page::Page;
use super::plan::{Setup, Step, Trial, of};
use super::plot::{Kind, Plot};
use super::results::{Measured, View};
use super::{Experiment, Part};
use crate::catalogue;
use crate::subject::Subject;

pub const EXPERIMENT: Experiment = Experiment {
    name: "partial",
    about: "partial solutions as entries of the cache",
    paper: "Z. Shuai, Z. Chen, K. Ma, K. Liu, Y. Zhang, J. Sun, J. Wang: Partial Solution Based Constraint Solving Cache in \
            Symbolic Execution (FSE 2024)",
    differs: "The programs are ours: parsers and the like for its C libraries, formulas on doubles for its GSL functions, \
              and its Java programs written anew in C. O is the preset pscache without partial solutions, P with them. \
              Runs take as long as is said below (the paper: 30 minutes); paths in it differ from one run to the next.",
    parts: &[
        Part {
            name: "cache",
            about: "with and without, by search: tables 2 to 4, figure 2",
            plan: plan_cache,
            show: show_cache,
        },
        Part {
            name: "sweep",
            about: "nine settings of K_p and K_s, and ours that adapts: figures 3 to 6",
            plan: plan_sweep,
            show: show_sweep,
        },
    ],
};

const SEARCHES: [&str; 3] = ["dfs", "bfs", "cover-new"];

/// The preset, and what takes its partial solutions away.
const WITH: &str = "--reuse pscache";
const WITHOUT: &str = "--reuse pscache --without partial-solutions";
const MODES: [(&str, &str); 2] = [("O", WITHOUT), ("P", WITH)];

/// The kinds of programs: the paper's experiment, and by how much it improves the number of paths under dfs, bfs and
/// random-cover-new.
const KINDS: [(&str, &str, [&str; 3]); 3] = [
    (
        "bit-vectors and arrays",
        "table 2",
        ["7.0%", "16.0%", "23.1%"],
    ),
    ("floats", "table 3", ["71.0%", "70.8%", "93.8%"]),
    ("integers", "table 4", ["114.3%", "56.8%", NOTHING]),
];

fn subjects(setup: &Setup, kind: &str) -> Vec<Subject> {
    let most = setup.scale.of(1, 2, usize::MAX);
    let subjects = match kind {
        "floats" => catalogue::numeric(),
        "integers" => catalogue::cache(),
        _ => catalogue::examples(),
    };
    setup.choose(subjects, most)
}

fn seconds(setup: &Setup) -> f64 {
    setup.seconds(setup.scale.of(0.5, 1.5, 10.0))
}

fn plan_cache(setup: &Setup) -> Vec<Trial> {
    let searches = &SEARCHES[..setup.scale.of(1, 3, 3)];
    let mut plan = Vec::new();
    for (kind, ..) in KINDS {
        for subject in subjects(setup, kind) {
            for search in searches {
                for (mode, options) in MODES {
                    let options = format!("--search {search} --tests errors {options}");
                    let labels = of(&subject.name)
                        .and("kind", kind)
                        .and("search", search)
                        .and("mode", mode);
                    let step = Step::run(&subject, options).within(seconds(setup));
                    plan.push(Trial::new(labels, vec![step], 1));
                }
            }
        }
    }
    plan
}

/// Whether a run ended by itself.
fn is_complete(run: &Measured) -> bool {
    run.get("explore.boundaries") == 0.0 && run.get("paths.killed") == 0.0
}

fn show_cache(view: &View, setup: &Setup, page: &mut Page) {
    let limit = seconds(setup);
    let (mut better, mut rates) = (0, Vec::new());
    for (kind, there, improvements) in KINDS {
        let programs: Vec<&str> = { view.values("program").into_iter() }
            .filter(|program| !view.all(&[("program", program), ("kind", kind)]).is_empty())
            .collect();
        for (search, improvement) in view.values("search").into_iter().zip(improvements) {
            let mut table = Table::new(
                format!("Partial solutions, {kind}, {search}, {limit} s ({there})"),
                &[
                    "program",
                    ">paths O",
                    ">P",
                    ">more",
                    ">hit rate O",
                    ">P",
                    ">calls O",
                    ">P",
                    ">s O",
                    ">P",
                    ">look-up s O",
                    ">P",
                    ">memory",
                ],
            );
            let mut more = Vec::new();
            for program in &programs {
                let run = |mode| {
                    let labels = [
                        ("program", *program),
                        ("kind", kind),
                        ("search", search),
                        ("mode", mode),
                    ];
                    view.get(&labels)
                };
                let (Some(without), Some(with)) = (run("O"), run("P")) else {
                    continue;
                };
                let both = is_complete(without) && is_complete(with);
                let gained = with.paths() / without.paths().max(1.0) - 1.0;
                if !both {
                    more.push(gained);
                }
                rates.push((without.hit_rate(), with.hit_rate()));
                better += usize::from(with.hit_rate() >= without.hit_rate());
                let pair = |show: &dyn Fn(&Measured) -> String| [show(without), show(with)];
                let mut row = vec![(*program).to_owned()];
                row.extend(pair(&|run| run.paths().to_string()));
                row.push(if both {
                    "all".to_owned()
                } else {
                    percent(gained)
                });
                row.extend(pair(&|run| format!("{:.3}", run.hit_rate())));
                row.extend(pair(&|run| run.calls().to_string()));
                row.extend(pair(&|run| format!("{:.2}", run.seconds())));
                row.extend(pair(&|run| format!("{:.3}", run.get("time.lookup"))));
                let memory = |run: &Measured| run.get("memory.peak_bytes");
                row.push(ratio(memory(with) / memory(without).max(1.0)));
                table.row(row);
            }
            let found = mean(&more).map_or("every run is complete".to_owned(), |mean| {
                format!("{} more paths in the mean", percent(mean))
            });
            table.remark(format!(
                "{found} (of runs that are not complete); the paper has {improvement}. Memory: P's peak against O's."
            ));
            page.table(table);
            show_trend(view, kind, search, limit, page);
        }
    }
    let [before, now] = [0, 1].map(|place| {
        let values: Vec<f64> = rates.iter().map(|pair| [pair.0, pair.1][place]).collect();
        mean(&values).unwrap_or(0.0)
    });
    page.finding(
        "Partial solutions raise the rate of cache hits",
        now > before,
        format!(
            "{before:.3} to {now:.3} in the mean of {} pairs of runs; not lower in {better} of them.",
            rates.len()
        ),
    );
}

/// Figure 2: paths of all programs of a kind over time.
fn show_trend(view: &View, kind: &str, search: &str, limit: f64, page: &mut Page) {
    let mut lines = Vec::new();
    for (mode, _) in MODES {
        let runs = view.all(&[("kind", kind), ("search", search), ("mode", mode)]);
        let point = |step: u32| {
            let time = limit * f64::from(step) / 20.0;
            let paths: Vec<f64> = runs.iter().map(|run| run.at(time, "paths")).collect();
            (time, mean(&paths).unwrap_or(0.0))
        };
        lines.push((mode.to_owned(), (0..=20).map(point).collect()));
    }
    page.plot(Plot {
        title: format!("Paths over time, {kind}, {search} (figure 2)"),
        x: "seconds".to_owned(),
        y: "paths, mean of all programs".to_owned(),
        kind: Kind::Lines(lines),
    });
}

/// The paper's first experiment is at 250 and 50.
const KP: [usize; 3] = [50, 250, 1000];
const KS: [usize; 3] = [10, 50, 250];
const ADAPTIVE: &str = "adaptive";

fn plan_sweep(setup: &Setup) -> Vec<Trial> {
    let mut settings = vec![("none".to_owned(), WITHOUT.to_owned())];
    for kp in KP {
        for ks in KS {
            settings.push((format!("{kp}+{ks}"), format!("{WITH} --kp {kp} --ks {ks}")));
        }
    }
    settings.push((ADAPTIVE.to_owned(), WITH.to_owned()));
    let mut plan = Vec::new();
    for (kind, ..) in KINDS {
        let most = setup.scale.of(1, 1, 8);
        for subject in subjects(setup, kind).into_iter().take(most) {
            for (name, options) in &settings {
                let labels = of(&subject.name).and("kind", kind).and("setting", name);
                let options = format!("--search dfs --tests errors {options}");
                let step = Step::run(&subject, options).within(seconds(setup));
                plan.push(Trial::new(labels, vec![step], 1));
            }
        }
    }
    plan
}

fn show_sweep(view: &View, setup: &Setup, page: &mut Page) {
    let settings: Vec<&str> = view.values("setting").into_iter().skip(1).collect();
    let mut wins = 0;
    let mut all = 0;
    for (kind, ..) in KINDS {
        let mut columns = vec!["program".to_owned(), ">paths without".to_owned()];
        columns.extend(settings.iter().map(|name| format!(">{name}")));
        columns.push(">deviation".to_owned());
        let names: Vec<&str> = columns.iter().map(String::as_str).collect();
        let title = format!(
            "K_p + K_s, {kind}, dfs, {} s: speed against none (figures 3 to 6)",
            seconds(setup)
        );
        let mut table = Table::new(title, &names);
        let mut gains: Vec<Vec<f64>> = vec![Vec::new(); settings.len()];
        for program in view.values("program") {
            let run =
                |setting| view.get(&[("program", program), ("kind", kind), ("setting", setting)]);
            let Some(without) = run("none") else { continue };
            let mut row = vec![program.to_owned(), without.paths().to_string()];
            let mut own = Vec::new();
            for (place, setting) in settings.iter().enumerate() {
                let Some(with) = run(setting) else {
                    row.push(NOTHING.to_owned());
                    continue;
                };
                let speed = |run: &Measured| run.paths() / run.seconds().max(1e-9);
                let gain = speed(with) / speed(without).max(1e-9);
                gains[place].push(gain);
                own.push(gain);
                row.push(ratio(gain));
            }
            row.push(mean(&own).map_or(NOTHING.to_owned(), |middle| {
                let squares: Vec<f64> = own.iter().map(|gain| (gain - middle).powi(2)).collect();
                format!("{:.3}", mean(&squares).unwrap_or(0.0).sqrt())
            }));
            table.row(row);
        }
        if table.is_empty() {
            continue;
        }
        let means: Vec<f64> = gains
            .iter()
            .map(|gains| mean(gains).unwrap_or(0.0))
            .collect();
        let mut last = vec!["mean".to_owned(), String::new()];
        last.extend(means.iter().map(|mean| ratio(*mean)));
        table.row(last);
        table.remark(
            "Paths a second against those without partial solutions (1.00: the same). Deviation: the standard deviation \
             over all settings. The paper found no setting that is the best everywhere.",
        );
        page.table(table);
        page.plot(Plot {
            title: format!("K_p + K_s, {kind}: mean speed against none (figures 3 to 5)"),
            x: String::new(),
            y: "times as many paths a second".to_owned(),
            kind: Kind::Bars {
                groups: settings.iter().map(|name| (*name).to_owned()).collect(),
                series: vec![("mean".to_owned(), means.clone())],
                is_logarithmic: false,
            },
        });
        let adaptive = means.last().copied().unwrap_or(0.0);
        let fixed = &means[..means.len() - 1];
        all += fixed.len();
        wins += fixed
            .iter()
            .filter(|mean| adaptive >= **mean * 0.98)
            .count();
    }
    page.finding(
        "Settings that adapt do as well as the best fixed ones",
        wins == all,
        format!("Not behind by more than 2 % in {wins} of {all} comparisons with fixed settings."),
    );
}
