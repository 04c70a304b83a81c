//! `refrain smt`: scripts from files, or a session on standard input.

use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use refrain_reuse::Layers;
use refrain_smtlib::{Config, Interrupt, Outcome, Output, ProofCounts, Session, Statistics};
use refrain_solver::Effort;
use refrain_store::Store;

use crate::asking::{Asking, seconds};
use crate::{CANNOT, complain, input, proof, signals, stats, store};

/// Solve SMT-LIB 2 scripts, or hold a session on standard input
///
/// Exit status: 0 if all went well, 1 if a command of a script was answered with an error, 2 if a script could not be
/// read, an answer differs from the script's :status, or a proof is refused. Errors do not end a session.
#[derive(Args)]
#[command(after_help = "Examples:
  refrain smt script.smt2                                 answers, remembered for the next time
  refrain smt --store none --check-models script.smt2     nothing remembered, every model evaluated
  refrain smt --check-proofs script.smt2                  every 'unsat' proved, and the proof checked
  refrain smt --solver native,z3 --handoff 1 script.smt2  z3 is asked too after a second")]
pub struct Arguments {
    /// Scripts, plain or compressed with zstd; '-' or none: standard input
    files: Vec<PathBuf>,

    #[command(flatten)]
    asking: Asking,

    /// Where answers are kept between runs; 'none': nowhere. Else $REFRAIN_STORE, else the user's cache directory
    #[arg(long, value_name = "PATH|none")]
    store: Option<PathBuf>,

    /// The longest that one check may take; its answer is then 'unknown'
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    max_time: Option<Duration>,

    /// The longest that all of it may take; then 'timeout' is printed, as z3 -T: does
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    total_time: Option<Duration>,

    /// Do not compare answers with (set-info :status …)
    #[arg(long)]
    no_status_check: bool,

    /// Evaluate every model on all assertions before answering 'sat'
    #[arg(long)]
    check_models: bool,

    /// Collect up to K partial solutions a check; the statistics count them
    #[arg(long, value_name = "K", requires = "stats")]
    partial_solutions: Option<usize>,

    /// Prove every 'unsat' and check the proof; the end says how many were proved
    #[arg(long)]
    check_proofs: bool,

    /// Write a proof of every 'unsat' to this file, for `refrain proof check`
    #[arg(long, value_name = "FILE")]
    proof: Option<PathBuf>,

    /// Write what was counted and timed to this file, as JSON
    #[arg(long, value_name = "FILE.json")]
    stats: Option<PathBuf>,
}

/// Runs the command; its exit status.
pub fn run(arguments: &Arguments) -> Result<u8, String> {
    let started = Instant::now();
    if let Some(note) = arguments
        .asking
        .check_switches(arguments.store.as_deref())?
    {
        complain(note);
    }
    if arguments.partial_solutions.is_some() {
        arguments.asking.check_partial_solutions()?;
    }
    if arguments.proof.is_some() && arguments.files.len() > 1 {
        return Err("--proof is for one script".to_owned());
    }
    let interrupt = Interrupt::default();
    signals::catch(&interrupt)?;
    if arguments.asking.has_processes() {
        signals::end_solvers_first(&interrupt)?;
    }
    if let Some(limit) = arguments.total_time {
        std::thread::spawn(move || {
            std::thread::sleep(limit);
            // What is stored is whole at any moment.
            println!("timeout");
            std::process::exit(0);
        });
    }
    let layers = arguments.asking.layers()?;
    if let Some(note) = arguments.asking.note() {
        complain(note);
    }
    let store = if layers.keeps_answers() {
        store::for_run(arguments.store.as_deref())
    } else {
        None
    };
    let mut total = Totals::default();
    let mut status = 0;
    let stdin = [PathBuf::from("-")];
    let files = if arguments.files.is_empty() {
        &stdin[..]
    } else {
        &arguments.files
    };
    for file in files {
        let (layers, store) = (layers.clone(), store.clone());
        match run_one(arguments, layers, store, file, &interrupt, &mut total) {
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
    if arguments.check_proofs {
        complain(proof::summary(&total.proofs));
    }
    if total.proofs.refused > 0 {
        status = CANNOT;
    }
    if let Some(path) = &arguments.stats {
        stats::write(
            path,
            &stats::of_session(&total.statistics, &total.efforts, started.elapsed()),
        )?;
    }
    Ok(status)
}

/// What all scripts came to.
#[derive(Default)]
struct Totals {
    statistics: Statistics,
    proofs: ProofCounts,
    efforts: Vec<Effort>,
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
    total: &mut Totals,
) -> Result<Outcome, Stop> {
    let solver = arguments
        .asking
        .solver(layers, store, None, None)
        .map_err(Stop::Message)?;
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
    let mut session = Session::new(solver, config, output);
    if arguments.check_proofs || arguments.proof.is_some() {
        let proofs = arguments.proof.as_deref().map(proof::create).transpose();
        session.prove_all(arguments.check_proofs, proofs.map_err(Stop::Message)?);
    }
    let result = if file.as_os_str() == "-" {
        session.run_stream(io::stdin().lock())
    } else {
        let script = input::read_script(file).map_err(Stop::Message)?;
        session.run_script(&script)
    };
    total.statistics.add(session.stats());
    total.efforts.push(session.effort());
    match (session.proof_counts(), &arguments.proof) {
        (Ok(counts), _) => total.proofs.add(counts),
        (Err(error), Some(file)) => {
            return Err(Stop::Message(format!("{}: {error}", file.display())));
        }
        (Err(error), None) => return Err(Stop::Message(error.to_string())),
    }
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
