//! Damaged scripts: no panic, no hang, every error names its line and column, and none is followed by an answer that
//! lacks an assertion.
//!
//! The fixtures, with bytes deleted, doubled, flipped and tokens spliced in, from a seed. A mutated script may ask
//! more than can be tried, so the solver here answers without looking; what is tested is reading and the session.
//! `MUTATIONS=N` sets how many cases are tried and `SEED=N` which.

mod common;

use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use refrain_smtlib::lexer::Splitter;
use refrain_solver::{CheckResult, Conflict, Outcome, Query, Reason, Solver, Stats};
use refrain_term::{Term, Terms};
use refrain_testing::count;

/// Says sat, unsat and unknown in turn, without looking: models, values and cores are asked for after each.
#[derive(Default)]
struct Careless {
    checks: u64,
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
    fn check(&mut self, _: &mut Terms, query: &Query<'_>) -> Outcome {
        self.checks += 1;
        let result = match self.checks % 3 {
            0 => CheckResult::Unknown(Reason::Timeout),
            1 => CheckResult::Sat(Arc::default()),
            _ => CheckResult::Unsat(Conflict::of_all(query.assumptions)),
        };
        result.into()
    }
    fn reset(&mut self) {
        *self = Careless::default();
    }
    fn stats(&self) -> Stats {
        Stats::default()
    }
}

/// Xorshift: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
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
                let from = random.below(other.len());
                let piece = &other[from..(from + random.below(80)).min(other.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
        }
    }
    if random.below(10) == 0 {
        bytes.truncate(random.below(bytes.len()));
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

/// The fixtures.
fn scripts() -> Vec<Vec<u8>> {
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
    paths
        .iter()
        .map(|path| fs::read(path).expect("a script"))
        // Damage must not redirect answers to a file.
        .map(|script| {
            String::from_utf8_lossy(&script)
                .replace("-output-channel", "-output")
                .into_bytes()
        })
        .collect()
}

#[test]
fn damaged_scripts_do_no_harm() {
    let scripts = scripts();
    let mut random = Random(count("SEED", 0x5eed, 0x5eed) | 1);
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

/// What an observer knows who reads a script with its answers: on which levels an assertion was answered with an
/// error. Shares no code with the session but the one that finds where commands end.
#[derive(Default)]
struct Observer {
    /// How many assertions were refused on each level.
    refused: Vec<u64>,
    /// Checks answered with something missing, and without.
    checks: [u64; 2],
}

impl Observer {
    fn see(&mut self, command: &[u8], answer: &str, script: &[u8]) {
        // A word outside of parentheses is answered with the next command, which has the last line.
        let Some(answer) = answer.lines().last() else {
            return;
        };
        let is_refused = answer.starts_with("(error ") || answer == "unsupported";
        let words = words(command);
        if self.refused.is_empty() {
            self.refused.push(0);
        }
        let levels = words.get(2).map_or(1, |word| word.parse().unwrap_or(1));
        match words.get(1).map(String::as_str) {
            Some("assert") if is_refused => {
                *self.refused.last_mut().expect("level zero is never popped") += 1;
            }
            Some("push") if !is_refused => self.refused.resize(self.refused.len() + levels, 0),
            Some("pop") if !is_refused => self.refused.truncate(self.refused.len() - levels),
            Some("reset" | "reset-assertions") if !is_refused => self.refused = vec![0],
            Some("check-sat" | "check-sat-assuming") if !is_refused => {
                let is_missing = self.refused.iter().any(|&count| count > 0);
                assert!(
                    !is_missing || answer == "unknown",
                    "{answer} to {}\nin\n{}",
                    String::from_utf8_lossy(command),
                    String::from_utf8_lossy(script)
                );
                self.checks[usize::from(!is_missing)] += 1;
            }
            _ => {}
        }
    }
}

/// The first parenthesis, the word after it, and one more.
fn words(command: &[u8]) -> Vec<String> {
    let mut text = String::from_utf8_lossy(command).into_owned();
    let mut words = Vec::new();
    while words.len() < 3 {
        text = text.trim_start_matches([' ', '\t', '\n', '\r']).to_owned();
        if text.starts_with(';') {
            text = text.split_once('\n').unwrap_or_default().1.to_owned();
            continue;
        }
        let len = match text.chars().next() {
            None => break,
            Some('(' | ')') => 1,
            Some('|') => text[1..].find('|').map_or(text.len(), |bar| bar + 2),
            Some(first) => text[first.len_utf8()..]
                .find([' ', '\t', '\n', '\r', '(', ')', ';', '"', '|'])
                .map_or(text.len(), |end| end + first.len_utf8()),
        };
        let rest = text.split_off(len);
        words.push(text.trim_matches('|').to_owned());
        text = rest;
    }
    words
}

/// Hands over a command at a time, and shows the observer what was answered in between.
struct Watched<'a> {
    script: &'a [u8],
    splitter: Splitter,
    observer: &'a mut Observer,
    regular: common::Shared,
    /// Where the last command began, and ended.
    command: (usize, usize),
    answered: usize,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let answers = self.regular.text();
        let (from, to) = self.command;
        self.observer.see(
            &self.script[from..to],
            &answers[self.answered..],
            self.script,
        );
        self.answered = answers.len();
        let end = self.splitter.find_end(self.script, to);
        let end = end.unwrap_or(self.script.len());
        buffer[..end - to].copy_from_slice(&self.script[to..end]);
        self.command = (to, end);
        Ok(end - to)
    }
}

/// Mixed with damaged scripts: what is refused by itself, and levels to pop it with.
const REFUSED: &[&str] = &[
    "(assert (no-such-function 1))",
    "(assert",
    "(assert no-such-constant)(check-sat)",
    "(push 1)(assert (= 1 #b1))",
    "(pop 1)(check-sat)",
    "(push 1)",
    "(pop 1)",
    "(check-sat)",
    "(check-sat-assuming (true))",
    "(check-sat-assuming (no-such-constant))",
    "(reset-assertions)",
    "(assert true)",
    "(declare-const true Bool)",
    "(assert (! true :named n))",
    "(get-model)",
    ")",
];

#[test]
fn no_answer_lacks_an_assertion() {
    let scripts = scripts();
    let mut random = Random(count("SEED", 0x5eed, 0x5eed) | 1);
    let mut observer = Observer::default();
    for case in 0..count("MUTATIONS", 6000, 200_000) {
        let mut script = b"(set-option :print-success true)\n".to_vec();
        if case % 2 == 1 {
            script.extend(mutate(
                &mut random,
                &scripts[case as usize % scripts.len()],
                &scripts[case as usize * 7 % scripts.len()],
            ));
        }
        for _ in 0..random.below(24) {
            let piece = REFUSED[random.below(REFUSED.len())];
            let lines = script.split_inclusive(|&byte| byte == b'\n');
            let ends: Vec<usize> = lines
                .scan(0, |end, line| {
                    *end += line.len();
                    Some(*end)
                })
                .collect();
            let at = ends[random.below(ends.len())];
            script.splice(at..at, format!("{piece}\n").bytes());
        }
        observer.refused.clear();
        let regular = common::Shared::default();
        let watched = Watched {
            script: &script,
            splitter: Splitter::default(),
            observer: &mut observer,
            regular: regular.clone(),
            command: (0, 0),
            answered: 0,
        };
        run_with(&script, regular, |session| session.run_stream(watched));
    }
    let [missing, complete] = observer.checks;
    assert!(
        missing > 1000 && complete > 1000,
        "{missing} checks with something missing and {complete} without are no test"
    );
}

fn run(
    script: &[u8],
    run: impl FnOnce(&mut refrain_smtlib::Session) -> std::io::Result<()>,
) -> String {
    run_with(script, common::Shared::default(), run)
}

fn run_with(
    script: &[u8],
    regular: common::Shared,
    run: impl FnOnce(&mut refrain_smtlib::Session) -> std::io::Result<()>,
) -> String {
    let diagnostic = common::Shared::default();
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
