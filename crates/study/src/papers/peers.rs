//! `refrain smt` and whole runs beside whatever peers are installed.

use crate::bundled::bundled;
use crate::figures::{NOTHING, geometric_mean, ratio};
use crate::script::Script;
use crate::table::Table;

use super::page::Page;
use super::peer::KLEE;
use super::plan::{Action, Setup, Step, Trial, of};
use super::plot::{Kind, Plot};
use super::results::{Measured, View};
use super::{Experiment, Part};
use crate::catalogue;
use crate::subject::Subject;

pub const EXPERIMENT: Experiment = Experiment {
    name: "peers",
    about: "beside other solvers and engines",
    paper: "no paper",
    differs: "Whatever is on the path is measured: z3, yices-smt2, cvc5 and bitwuzla on scripts, klee on programs. \
              refrain keeps nothing between runs here (no store); alone: its solver without reuse.",
    parts: &[
        Part {
            name: "scripts",
            about: "recorded queries",
            plan: plan_scripts,
            show: show_scripts,
        },
        Part {
            name: "runs",
            about: "whole runs, where klee is installed",
            plan: plan_runs,
            show: show_runs,
        },
    ],
};

/// The scripts that were named, or else those that come with the command.
pub fn recorded(setup: &Setup) -> Vec<Subject> {
    let scripts = match setup.scripts.is_empty() {
        true => bundled(),
        false => setup.scripts.clone(),
    };
    let subject = |script: Script| {
        let text = String::from_utf8_lossy(&script.text).into_owned();
        Subject::text(&script.name, &format!("{}.smt2", script.name), text)
    };
    scripts.into_iter().map(subject).collect()
}

const FULL: &str = "refrain";
const ALONE: &str = "refrain alone";

fn plan_scripts(setup: &Setup) -> Vec<Trial> {
    let rounds = setup.rounds(setup.scale.of(1, 2, 5));
    // Scripts end by themselves: `--max-time` is not of them.
    let limit = setup.scale.of(5.0, 10.0, 60.0);
    let mut plan = Vec::new();
    for subject in setup.choose(recorded(setup), setup.scale.of(2, 8, usize::MAX)) {
        let ours = [(FULL, "full"), (ALONE, "stack")].map(|(name, preset)| {
            let step = Step::run(&subject, format!("--reuse {preset}")).by(Action::Smt);
            (name, step)
        });
        let solvers = setup.peers.iter().filter(|peer| peer.name != KLEE);
        let theirs = solvers.map(|peer| {
            let limit = peer.limit(limit);
            (
                peer.name,
                Step::run(&subject, limit).by(Action::Other(peer.clone())),
            )
        });
        for (name, step) in ours.into_iter().chain(theirs) {
            let labels = of(&subject.name).and("solver", name);
            plan.push(Trial::new(labels, vec![step], rounds));
        }
    }
    plan
}

fn show_scripts(view: &View, _: &Setup, page: &mut Page) {
    let solvers = view.values("solver");
    let mut names = vec![
        "script".to_owned(),
        ">checks".to_owned(),
        ">refrain ms".to_owned(),
    ];
    names.extend(solvers.iter().skip(1).map(|name| format!(">{name}")));
    let columns: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut table = Table::new("Scripts, as multiples of refrain's time", &columns);
    let mut ratios: Vec<Vec<f64>> = vec![Vec::new(); solvers.len()];
    for script in view.values("program") {
        let run = |solver| view.get(&[("program", script), ("solver", solver)]);
        let Some(own) = run(FULL) else { continue };
        let mut row = vec![
            script.to_owned(),
            own.answers.len().to_string(),
            format!("{:.1}", 1000.0 * own.get("wall")),
        ];
        for (place, solver) in solvers.iter().enumerate().skip(1) {
            let Some(other) = run(solver) else {
                row.push(NOTHING.to_owned());
                continue;
            };
            if contradict(own, other) {
                page.problems.push(format!(
                    "{script}: {solver} and refrain contradict each other"
                ));
            }
            let times = other.get("wall") / own.get("wall").max(1e-9);
            let is_whole = other.answers.len() == own.answers.len();
            row.push(match is_whole {
                true => ratio(times),
                false => format!("> {}", ratio(times)),
            });
            ratios[place].push(times);
        }
        table.row(row);
    }
    let mut last = vec!["geometric mean".to_owned(), String::new(), String::new()];
    let means = ratios.iter().skip(1).map(|ratios| geometric_mean(ratios));
    let means: Vec<Option<f64>> = means.collect();
    last.extend(
        means
            .iter()
            .map(|mean| mean.map_or(NOTHING.to_owned(), ratio)),
    );
    table.row(last);
    table.remark("Times of whole processes, the best of all rounds; >: it did not answer everything in time.");
    page.table(table);
    page.plot(Plot {
        title: "Scripts: time of others as a multiple of refrain's, geometric mean".to_owned(),
        x: String::new(),
        y: "times refrain".to_owned(),
        kind: Kind::Bars {
            groups: solvers
                .iter()
                .skip(1)
                .map(|name| (*name).to_owned())
                .collect(),
            series: vec![(
                "mean".to_owned(),
                means.iter().map(|mean| mean.unwrap_or(0.0)).collect(),
            )],
            is_logarithmic: true,
        },
    });
}

/// Whether one says sat where the other says unsat.
fn contradict(one: &Measured, other: &Measured) -> bool {
    let mut pairs = one.answers.chars().zip(other.answers.chars());
    pairs.any(|(one, other)| one != other && one != '?' && other != '?')
}

fn plan_runs(setup: &Setup) -> Vec<Trial> {
    let Some(klee) = setup.peer(KLEE) else {
        return Vec::new();
    };
    let limit = setup.seconds(setup.scale.of(1.0, 5.0, 60.0));
    let mut plan = Vec::new();
    let subjects = catalogue::examples().into_iter().chain(catalogue::reuse());
    for subject in setup.choose(subjects, setup.scale.of(1, 4, usize::MAX)) {
        let step = || Step::run(&subject, "--search dfs").within(limit);
        let own = of(&subject.name).and("engine", FULL);
        plan.push(Trial::new(own, vec![step()], 1));
        let theirs = of(&subject.name).and("engine", KLEE);
        let step = step().by(Action::Other(klee.clone()));
        plan.push(Trial::new(theirs, vec![step], 1));
    }
    plan
}

fn show_runs(view: &View, _: &Setup, page: &mut Page) {
    let mut table = Table::new(
        "Whole runs beside KLEE",
        &[
            "program",
            ">paths",
            ">klee",
            ">s",
            ">klee",
            ">paths a second, times klee's",
        ],
    );
    for program in view.values("program") {
        let run = |engine| view.get(&[("program", program), ("engine", engine)]);
        let (Some(own), Some(klee)) = (run(FULL), run(KLEE)) else {
            continue;
        };
        let speed = |run: &Measured| run.paths() / run.get("wall").max(1e-9);
        table.row([
            program.to_owned(),
            own.paths().to_string(),
            klee.paths().to_string(),
            format!("{:.2}", own.get("wall")),
            format!("{:.2}", klee.get("wall")),
            ratio(speed(own) / speed(klee).max(1e-9)),
        ]);
    }
    page.table(table);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_gives_up_contradicts_nobody() {
        let said = |answers: &str| Measured {
            answers: answers.to_owned(),
            ..Measured::default()
        };
        assert!(contradict(&said("ss"), &said("su")));
        assert!(!contradict(&said("ssu"), &said("s?")));
    }
}
