//! Harder problems than paths of programs ask for: random systems over the integers, each on its own between push and
//! pop. They show how far a solver goes beyond bounds and single conditions: cuts, branching, parity, disjunctions.

use super::symbolic::numeral;
use crate::peers::{self, Solver};
use crate::random::Rng;
use anyhow::{Result, bail};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

const PROBLEMS_PER_SCRIPT: usize = 20;
/// A problem that takes a peer longer is left out: it would be the whole time of its script.
const LIMIT: Duration = Duration::from_secs(5);
const MOST_VARIABLES: usize = 40;

pub type Kind = (&'static str, fn(&mut Rng) -> Problem);

pub const KINDS: &[Kind] = &[
    ("sparse", sparse),
    ("dense", dense),
    ("knapsack", knapsack),
    ("parity", parity),
    ("jobshop", jobshop),
    ("bounded", bounded),
    ("boolean", boolean),
];

/// The assertions of a problem.
pub type Problem = Vec<String>;

/// A script of problems that the peers agree on; `scratch` is a file to write while trying.
pub fn record(kind: Kind, rng: &mut Rng, scratch: &Path) -> Result<String> {
    let peers = [peers::z3(), peers::yices()];
    let mut script = opening();
    let mut recorded = 0;
    while recorded < PROBLEMS_PER_SCRIPT {
        let problem = between_push_and_pop(&kind.1(rng));
        std::fs::write(scratch, opening() + &problem)?;
        if let Some(answer) = agreed_answer(&peers, scratch)? {
            let status = format!("(set-info :status {answer})\n(check-sat)");
            script.push_str(&problem.replace("(check-sat)", &status));
            recorded += 1;
        }
    }
    let _ = std::fs::remove_file(scratch);
    Ok(script)
}

fn agreed_answer(peers: &[Solver], script: &Path) -> Result<Option<String>> {
    let mut agreed: Option<String> = None;
    for peer in peers {
        let run = peer.run(script, LIMIT)?;
        let answer = run.output.trim().to_string();
        if run.timed_out || answer == "unknown" {
            return Ok(None);
        }
        if !matches!(answer.as_str(), "sat" | "unsat") {
            bail!("{} answers `{answer}` to {}", peer.name, script.display());
        }
        if agreed.as_ref().is_some_and(|before| *before != answer) {
            bail!("the peers disagree on {}", script.display());
        }
        agreed = Some(answer);
    }
    Ok(agreed)
}

fn opening() -> String {
    let mut text = String::from("(set-logic QF_LIA)\n");
    for variable in 0..MOST_VARIABLES {
        let _ = writeln!(text, "(declare-fun x{variable} () Int)");
    }
    text
}

fn between_push_and_pop(problem: &Problem) -> String {
    let mut text = String::from("(push 1)\n");
    for assertion in problem {
        let _ = writeln!(text, "(assert {assertion})");
    }
    text + "(check-sat)\n(pop 1)\n"
}

/// Inequalities over a few of many variables.
fn sparse(rng: &mut Rng) -> Problem {
    let variables = usize_between(rng, 10, 30);
    let inequalities = variables * usize_between(rng, 5, 8) / 4;
    let mut problem = Vec::new();
    for _ in 0..inequalities {
        let mut row = vec![0; variables];
        for _ in 0..rng.between(2, 4) {
            let column = rng.below(variables);
            row[column] = coefficient(rng);
        }
        problem.push(at_most(&row, signed(rng, 40)));
    }
    problem
}

/// Inequalities over all of a few variables.
fn dense(rng: &mut Rng) -> Problem {
    let variables = usize_between(rng, 5, 8);
    let inequalities = variables * 2 + usize_between(rng, 0, 8);
    (0..inequalities)
        .map(|_| {
            let row: Vec<i64> = (0..variables).map(|_| coefficient(rng)).collect();
            at_most(&row, signed(rng, 30))
        })
        .collect()
}

/// A weighted sum of bounded counts hits a number exactly.
fn knapsack(rng: &mut Rng) -> Problem {
    let variables = usize_between(rng, 5, 10);
    let most = i64::from(rng.between(3, 12));
    let mut problem = within(variables, 0, most);
    let divisor = i64::from(rng.between(1, 3));
    for _ in 0..rng.between(1, 2) {
        let row: Vec<i64> = (0..variables)
            .map(|_| divisor * i64::from(rng.between(11, 60)))
            .collect();
        let total: i64 = row.iter().sum();
        let target = total * most / 2 + signed(rng, 40);
        problem.push(format!("(= {} {})", sum(&row), numeral(target)));
    }
    problem
}

/// Equations of which some sum has only even coefficients, and an odd right side every other time.
fn parity(rng: &mut Rng) -> Problem {
    let variables = usize_between(rng, 6, 14);
    let equations = usize_between(rng, 2, 5);
    let hidden: Vec<i64> = (0..variables).map(|_| signed(rng, 20)).collect();
    let mut problem = within(variables, -50, 50);
    let mut total = vec![0; variables];
    for _ in 1..equations {
        let mut row = vec![0; variables];
        for _ in 0..rng.between(3, 6) {
            let column = rng.below(variables);
            row[column] = coefficient(rng);
        }
        for (sum, one) in total.iter_mut().zip(&row) {
            *sum += one;
        }
        let right = numeral(product(&row, &hidden));
        problem.push(format!("(= {} {right})", sum(&row)));
    }
    let last: Vec<i64> = total.iter().map(|sum| 2 * signed(rng, 4) - sum).collect();
    let odd = i64::from(rng.percent(50));
    let right = numeral(product(&last, &hidden) + odd);
    problem.push(format!("(= {} {right})", sum(&last)));
    problem
}

/// Jobs of several operations in order, each on a machine that does one thing at a time, all done by a deadline.
fn jobshop(rng: &mut Rng) -> Problem {
    let jobs = usize_between(rng, 3, 6);
    let machines = usize_between(rng, 3, 5);
    let operation = |job: usize, step: usize| job * machines + step;
    let durations: Vec<i64> = (0..jobs * machines)
        .map(|_| i64::from(rng.between(1, 9)))
        .collect();
    let mut order: Vec<Vec<usize>> = Vec::new();
    for _ in 0..jobs {
        let mut machines: Vec<usize> = (0..machines).collect();
        for place in (1..machines.len()).rev() {
            machines.swap(place, rng.below(place + 1));
        }
        order.push(machines);
    }
    let load = |machine: usize| -> i64 {
        (0..jobs)
            .flat_map(|job| (0..machines).map(move |step| (job, step)))
            .filter(|&(job, step)| order[job][step] == machine)
            .map(|(job, step)| durations[operation(job, step)])
            .sum()
    };
    let busiest = (0..machines).map(load).max().unwrap_or(0);
    let deadline = busiest + i64::from(rng.between(0, 12));

    let before =
        |first: usize, second: usize| format!("(<= (+ x{first} {}) x{second})", durations[first]);
    let mut problem = Vec::new();
    for job in 0..jobs {
        problem.push(format!("(>= x{} 0)", operation(job, 0)));
        for step in 1..machines {
            problem.push(before(operation(job, step - 1), operation(job, step)));
        }
        let last = operation(job, machines - 1);
        problem.push(format!("(<= (+ x{last} {}) {deadline})", durations[last]));
    }
    for (job, other) in (0..jobs).flat_map(|job| (0..job).map(move |other| (job, other))) {
        for (step, other_step) in
            (0..machines).flat_map(|step| (0..machines).map(move |other| (step, other)))
        {
            if order[job][step] == order[other][other_step] {
                let (one, two) = (operation(job, step), operation(other, other_step));
                problem.push(format!("(or {} {})", before(one, two), before(two, one)));
            }
        }
    }
    problem
}

/// Small non-negative variables under inequalities that are tight at a hidden point, or a little more than tight.
fn bounded(rng: &mut Rng) -> Problem {
    let variables = usize_between(rng, 5, 9);
    let inequalities = usize_between(rng, 10, 14);
    let hidden: Vec<i64> = (0..variables)
        .map(|_| i64::from(rng.between(0, 10)))
        .collect();
    let mut problem = within(variables, 0, 10);
    for _ in 0..inequalities {
        let row: Vec<i64> = (0..variables).map(|_| coefficient(rng)).collect();
        let slack = i64::from(rng.between(0, 8)) - 4;
        problem.push(at_most(&row, product(&row, &hidden) + slack));
    }
    problem
}

/// Random clauses of two or three linear atoms.
fn boolean(rng: &mut Rng) -> Problem {
    let variables = usize_between(rng, 5, 9);
    let clauses = variables * usize_between(rng, 4, 6);
    let mut problem = within(variables, -100, 100);
    for _ in 0..clauses {
        let atoms: Vec<String> = (0..rng.between(2, 3))
            .map(|_| {
                let mut row = vec![0; variables];
                for _ in 0..rng.between(1, 3) {
                    let column = rng.below(variables);
                    row[column] = coefficient(rng);
                }
                at_most(&row, signed(rng, 60) - 60)
            })
            .collect();
        problem.push(format!("(or {})", atoms.join(" ")));
    }
    problem
}

fn usize_between(rng: &mut Rng, low: u32, high: u32) -> usize {
    rng.between(low, high) as usize
}

fn signed(rng: &mut Rng, reach: u32) -> i64 {
    i64::from(rng.between(0, 2 * reach)) - i64::from(reach)
}

/// -10 to 10, but not zero.
fn coefficient(rng: &mut Rng) -> i64 {
    let size = i64::from(rng.between(1, 10));
    if rng.percent(50) { size } else { -size }
}

fn product(row: &[i64], point: &[i64]) -> i64 {
    row.iter().zip(point).map(|(a, x)| a * x).sum()
}

fn within(variables: usize, low: i64, high: i64) -> Problem {
    (0..variables)
        .flat_map(|x| {
            [
                format!("(>= x{x} {})", numeral(low)),
                format!("(<= x{x} {})", numeral(high)),
            ]
        })
        .collect()
}

fn at_most(row: &[i64], bound: i64) -> String {
    format!("(<= {} {})", sum(row), numeral(bound))
}

fn sum(row: &[i64]) -> String {
    let terms: Vec<String> = row
        .iter()
        .enumerate()
        .filter(|&(_, &factor)| factor != 0)
        .map(|(x, &factor)| match factor {
            1 => format!("x{x}"),
            factor => format!("(* {} x{x})", numeral(factor)),
        })
        .collect();
    match terms.as_slice() {
        [] => "0".into(),
        [only] => only.clone(),
        terms => format!("(+ {})", terms.join(" ")),
    }
}
