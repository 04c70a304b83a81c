//! Damaged scripts: no panic, no hang, and every error names its line and column.
//!
//! The fixtures, with bytes deleted, doubled, flipped and tokens spliced in, from a seed. A mutated script may ask
//! more than can be tried, so the solver here answers without looking; what is tested is reading and the session.
//! `MUTATIONS=N` sets how many cases are tried and `SEED=N` which.

mod common;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use refrain_solver::{Limits, Reason, Solver, Stats, Verdict};
use refrain_term::{Assignment, Term, Terms};
use refrain_testing::{Random, count};

/// Says sat, unsat and unknown in turn, without looking: models, values and cores are asked for after each.
#[derive(Default)]
struct Careless {
    checks: u64,
    assumptions: Vec<Term>,
    levels: usize,
}

impl Solver for Careless {
    fn name(&self) -> &str {
        "careless"
    }
    fn push(&mut self) {
        self.levels += 1;
    }
    fn pop(&mut self, levels: usize) {
        assert!(levels <= self.levels, "no more pops than pushes");
        self.levels -= levels;
    }
    fn assert(&mut self, terms: &mut Terms, formula: Term) {
        assert_eq!(terms.sort(formula), refrain_term::Sort::Bool);
    }
    fn check(&mut self, _: &mut Terms, assumptions: &[Term], _: &Limits) -> Verdict {
        self.checks += 1;
        self.assumptions = assumptions.to_vec();
        match self.checks % 3 {
            0 => Verdict::Unknown(Reason::Timeout),
            1 => Verdict::Sat,
            _ => Verdict::Unsat,
        }
    }
    fn model(&mut self, _: &mut Terms) -> Assignment {
        Assignment::new()
    }
    fn core(&mut self) -> Vec<Term> {
        self.assumptions.clone()
    }
    fn collect_partial_solutions(&mut self, _: Option<usize>) {}
    fn partial_solutions(&mut self, _: &mut Terms) -> Vec<Assignment> {
        Vec::new()
    }
    fn reset(&mut self) {
        *self = Careless::default();
    }
    fn stats(&self) -> Stats {
        Stats::default()
    }
}

const TOKENS: &[&str] = &[
    "(",
    ")",
    "((",
    "))",
    "\"",
    "|",
    ";",
    "(_ bv1 8)",
    "(_ extract 3 1)",
    "(let ((x ",
    "(! ",
    ":named n",
    "(as const ",
    "#x",
    "#b1",
    "#xff",
    "99999999999999999999",
    "0",
    "true",
    "(push)",
    "(pop)",
    "(check-sat)",
    "(get-model)",
    "(reset)",
    "(exit)",
    "_",
    "!",
    "as",
    "(assert ",
    "(declare-fun f (",
    "(_ BitVec 4)",
    "(Array ",
    "\u{0}",
    "\u{e9}",
    "concat",
    "bvmul",
    "(get-value (",
    "1.5",
    ":key",
    "(reset-assertions)",
    "(define-fun ",
    "(check-sat-assuming (",
    "(get-unsat-core)",
    "(get-unsat-assumptions)",
    "\n",
    "5",
    "(- 5)",
    "(/ 1 3)",
    "Int",
    "Real",
    "(+ ",
    "(* ",
    "(div ",
    "(mod ",
    "(<= ",
    "(_ divisible 3)",
    "(set-logic QF_LRA)",
    "(declare-const r Real)",
    "(declare-const i Int)",
    "(as i Int)",
    "(to_real ",
];

fn mutate(random: &mut Random, script: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = script.to_vec();
    for _ in 0..=random.below(6) {
        if bytes.is_empty() {
            break;
        }
        let at = random.below(bytes.len());
        let len = random.below(30).min(bytes.len() - at);
        match random.below(7) {
            0 => drop(bytes.drain(at..at + len)),
            1 => {
                let copy = bytes[at..at + len].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, copy);
            }
            2 => bytes[at] ^= 1 << random.below(8),
            3 => bytes[at] = random.next() as u8,
            4 | 5 => {
                let token = TOKENS[random.below(TOKENS.len())];
                bytes.splice(at..at, token.bytes());
            }
            _ => {
                let from = random.below(other.len().max(1));
                let piece = &other[from..(from + random.below(80)).min(other.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
        }
    }
    if random.below(10) == 0 {
        bytes.truncate(random.below(bytes.len().max(1)));
    }
    bytes
}

/// Does every answer that is an error say where?
fn check_errors(answers: &str, script: &[u8]) {
    for line in answers.lines().filter(|line| line.starts_with("(error ")) {
        let place = line
            .strip_prefix("(error \"line ")
            .and_then(|rest| rest.split_once(": "))
            .map(|(place, _)| place);
        let numbers = place.and_then(|place| place.split_once(" column "));
        let valid = numbers.is_some_and(|(line, column)| {
            let (line, column) = (
                line.parse::<usize>().unwrap_or(0),
                column.parse::<usize>().unwrap_or(0),
            );
            (1..=script.split(|&b| b == b'\n').count()).contains(&line) && column >= 1
        });
        assert!(valid, "{line}\nin\n{}", String::from_utf8_lossy(script));
    }
}

#[test]
fn damaged_scripts_do_no_harm() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut paths: Vec<_> = fs::read_dir(folder)
        .expect("fixtures")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "smt2")
    });
    paths.sort();
    let scripts: Vec<Vec<u8>> = paths
        .iter()
        .map(|path| fs::read(path).expect("a script"))
        // Damage must not redirect answers to a file.
        .map(|script| {
            String::from_utf8_lossy(&script)
                .replace("-output-channel", "-output")
                .into_bytes()
        })
        .collect();
    let mut random = Random::new(count("SEED", 0x5eed, 0x5eed));
    for case in 0..count("MUTATIONS", 6000, 200_000) {
        let script = mutate(
            &mut random,
            &scripts[case as usize % scripts.len()],
            &scripts[case as usize * 7 % scripts.len()],
        );
        let started = Instant::now();
        let answers = run(&script, |session| session.run_script(&script));
        check_errors(&answers, &script);
        let again = run(&script, |session| session.run_stream(&script[..]));
        let text = String::from_utf8_lossy(&script);
        assert_eq!(answers, again, "case {case}: as a stream\n{text}");
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "case {case} takes too long\n{text}"
        );
    }
}

fn run(
    script: &[u8],
    run: impl FnOnce(&mut refrain_smtlib::Session) -> std::io::Result<()>,
) -> String {
    let (regular, diagnostic) = (common::Shared::default(), common::Shared::default());
    let output = refrain_smtlib::Output::new(Box::new(regular.clone()), Box::new(diagnostic));
    let config = refrain_smtlib::Config {
        check_models: false,
        ..Default::default()
    };
    let mut session = refrain_smtlib::Session::new(Box::<Careless>::default(), config, output);
    let result = run(&mut session);
    result.unwrap_or_else(|error| panic!("{error} in\n{}", String::from_utf8_lossy(script)));
    let text = regular.text();
    // Times differ from run to run.
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with(" :time"))
        .collect();
    lines.join("\n")
}
