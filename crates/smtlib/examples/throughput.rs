//! How fast scripts are read: `cargo run --release -p refrain-smtlib --example throughput -- FILE…`.
//!
//! Two figures a file, the best of several runs: the lexer alone, and a whole session over a solver that does nothing.

use std::io;
use std::time::{Duration, Instant};

use refrain_smtlib::lexer::{Kind, Lexer};
use refrain_smtlib::{Config, Output, Session};
use refrain_solver::{Outcome, Query, Reason, Solver, Stats};
use refrain_term::{Term, Terms};

/// Answers `unknown` to everything.
struct Nothing;

impl Solver for Nothing {
    fn name(&self) -> &str {
        "nothing"
    }
    fn push(&mut self) {}
    fn pop(&mut self, _: usize) {}
    fn assert(&mut self, _: &mut Terms, _: Term) {}
    fn check(&mut self, _: &mut Terms, _: &Query<'_>) -> Outcome {
        Outcome::unknown(Reason::Incomplete("nothing is tried".into()))
    }
    fn reset(&mut self) {}
    fn stats(&self) -> Stats {
        Stats::default()
    }
}

fn best(mut run: impl FnMut()) -> Duration {
    let time = |run: &mut dyn FnMut()| {
        let started = Instant::now();
        run();
        started.elapsed()
    };
    (0..5).map(|_| time(&mut run)).min().unwrap_or_default()
}

fn main() -> io::Result<()> {
    println!(
        "{:32} {:>8} {:>12} {:>12} {:>10}",
        "file", "MB", "lex MB/s", "terms MB/s", "terms"
    );
    let (mut bytes, mut lexing, mut parsing) = (0.0, 0.0, 0.0);
    for path in std::env::args().skip(1) {
        let script = std::fs::read(&path)?;
        let lex = best(|| {
            let mut lexer = Lexer::new(&script, 0);
            while lexer.next_token().expect("a lexically correct file").kind != Kind::End {}
        });
        let mut count = 0;
        let parse = best(|| {
            let output = Output::new(Box::new(io::sink()), Box::new(io::stderr()));
            let mut session = Session::new(Box::new(Nothing), Config::default(), output);
            session
                .run_script(&script)
                .expect("a sink takes everything");
            assert_eq!(session.outcome().errors, 0, "{path} has errors");
            count = session.terms().len();
        });
        let megabytes = script.len() as f64 / 1e6;
        let rate = |time: Duration| megabytes / time.as_secs_f64();
        let name = path.rsplit('/').next().unwrap_or_default();
        println!(
            "{name:32} {megabytes:8.2} {:12.0} {:12.0} {count:10}",
            rate(lex),
            rate(parse)
        );
        bytes += megabytes;
        lexing += lex.as_secs_f64();
        parsing += parse.as_secs_f64();
    }
    println!(
        "{:32} {bytes:8.2} {:12.0} {:12.0}",
        "all",
        bytes / lexing,
        bytes / parsing
    );
    Ok(())
}
