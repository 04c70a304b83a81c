//! `refrain smt`: scripts from files, or a session on standard input.

use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use refrain_reuse::{Chain, LAYERS, Layers, PRESETS};
use refrain_smtlib::{Config, Interrupt, Outcome, Output, Session, Statistics};
use refrain_solver::{Effort, select};
use refrain_store::Store;

use crate::{CANNOT, complain, input, signals, stats, store};

/// Solve SMT-LIB 2 scripts, or hold a session on standard input
///
/// Exit status: 0 if all went well, 1 if a command of a script was answered with an error, 2 if a script could not be read or an answer
/// differs from the script's :status. Errors do not end a session.
#[derive(Args)]
pub struct Arguments {
    /// Scripts, plain or compressed with zstd; '-' or none: standard input
    files: Vec<PathBuf>,

    /// The solver: native, z3, cvc5, yices, bitwuzla, smtlib:COMMAND, or several of them separated by commas
    #[arg(long, default_value = "native", value_name = "SPEC")]
    solver: String,

    /// What is reused before the solver is asked: baseline, caching, caching-opt, stack, stack-opt, green, klee, greentrie, pscache or full
    #[arg(long, default_value = "full", value_name = "PRESET", value_parser = preset)]
    reuse: Layers,

    /// Leave out a layer of the preset: facts, model, slice, reduce, exact, canonize, sets, implication, quick-test, partial-solutions or gates
    #[arg(long, value_name = "LAYER", value_parser = layer)]
    without: Vec<&'static str>,

    /// Where answers are kept between runs; 'none': nowhere. Else $REFRAIN_STORE, else the user's cache directory
    #[arg(long, value_name = "PATH|none")]
    store: Option<PathBuf>,

    /// Solve every answer that was reused again, and compare; a difference ends the session
    #[arg(long)]
    recheck: bool,

    /// The longest that one check may take; its answer is then 'unknown'
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    max_time: Option<Duration>,

    /// How long the first of several solvers has before the others are asked too
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    handoff: Option<Duration>,

    /// Do not compare answers with (set-info :status …)
    #[arg(long)]
    no_status_check: bool,

    /// Evaluate every model on all assertions before answering 'sat'
    #[arg(long)]
    check_models: bool,

    /// Collect up to K partial solutions a check; the statistics count them
    #[arg(long, value_name = "K")]
    partial_solutions: Option<usize>,

    /// Write what was counted and timed to this file, as JSON
    #[arg(long, value_name = "FILE.json")]
    stats: Option<PathBuf>,
}

impl Arguments {
    fn layers(&self) -> Layers {
        let mut layers = self.reuse.clone();
        for layer in &self.without {
            layers.without(layer);
        }
        layers
    }
}

fn preset(name: &str) -> Result<Layers, String> {
    Layers::preset(name).ok_or_else(|| format!("no such preset; there are {}", PRESETS.join(", ")))
}

fn layer(name: &str) -> Result<&'static str, String> {
    let known = LAYERS.iter().copied().find(|&layer| layer == name);
    known.ok_or_else(|| format!("no such layer; there are {}", LAYERS.join(", ")))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let value: f64 = text
        .parse()
        .map_err(|_| "not a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(value).map_err(|_| "not a length of time".to_owned())
}

/// Runs the command; its exit status.
pub fn run(arguments: &Arguments) -> Result<u8, String> {
    let started = Instant::now();
    let interrupt = Interrupt::default();
    signals::catch(&interrupt)?;
    let layers = arguments.layers();
    let store = if layers.canonize {
        store::for_run(arguments.store.as_deref())
    } else {
        None
    };
    let mut total = Statistics::default();
    let mut efforts = Vec::new();
    let mut status = 0;
    let stdin = [PathBuf::from("-")];
    let files = if arguments.files.is_empty() {
        &stdin[..]
    } else {
        &arguments.files
    };
    for file in files {
        let (layers, store) = (layers.clone(), store.clone());
        match run_one(
            arguments,
            layers,
            store,
            file,
            &interrupt,
            &mut total,
            &mut efforts,
        ) {
            Ok(outcome) => status = status.max(exit_status(outcome)),
            Err(Stop::Message(message)) => {
                complain(message);
                status = CANNOT;
            }
            // Whoever read the answers has gone: nothing is left to be done.
            Err(Stop::BrokenPipe) => break,
        }
    }
    if let Some(store) = store {
        store::close(store);
    }
    if let Some(path) = &arguments.stats {
        stats::write(
            path,
            &stats::of_session(&total, &efforts, started.elapsed()),
        )?;
    }
    Ok(status)
}

/// Why a script was not run to its end.
enum Stop {
    Message(String),
    BrokenPipe,
}

fn run_one(
    arguments: &Arguments,
    layers: Layers,
    store: Option<Store>,
    file: &Path,
    interrupt: &Interrupt,
    total: &mut Statistics,
    efforts: &mut Vec<Effort>,
) -> Result<Outcome, Stop> {
    let mut options = select::Options {
        name_shared: layers.name_shared,
        ..select::Options::default()
    };
    if let Some(handoff) = arguments.handoff {
        options.handoff = handoff;
    }
    let solver = select::from_spec(&arguments.solver, &options)
        .map_err(|error| Stop::Message(error.to_string()))?;
    let config = Config {
        max_time: arguments.max_time,
        check_models: arguments.check_models || cfg!(debug_assertions),
        check_status: !arguments.no_status_check,
        partial_solutions: arguments.partial_solutions,
        interrupt: interrupt.clone(),
    };
    let output = Output::new(
        Box::new(BufWriter::new(io::stdout())),
        Box::new(io::stderr()),
    );
    let checker = arguments
        .recheck
        .then(|| select::from_spec(&arguments.solver, &options))
        .transpose()
        .map_err(|error| Stop::Message(error.to_string()))?;
    let solver = Chain::before(solver, layers, store, checker);
    let mut session = Session::new(solver, config, output);
    let result = if file.as_os_str() == "-" {
        session.run_stream(io::stdin().lock())
    } else {
        let script = input::read_script(file).map_err(Stop::Message)?;
        session.run_script(&script)
    };
    total.add(session.stats());
    efforts.push(session.effort());
    match result {
        Ok(()) => Ok(session.outcome()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Stop::BrokenPipe),
        Err(error) => Err(Stop::Message(format!("{}: {error}", file.display()))),
    }
}

fn exit_status(outcome: Outcome) -> u8 {
    if outcome.status_mismatches + outcome.wrong_models + outcome.disagreements > 0 {
        CANNOT
    } else {
        u8::from(outcome.errors > 0)
    }
}
