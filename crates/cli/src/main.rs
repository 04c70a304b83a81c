//! The `refrain` command.

mod asking;
mod cc;
mod config;
mod cover;
mod diagnostic;
mod emit;
mod input;
mod log;
mod manual;
mod program;
mod replay;
mod report;
mod run;
mod selection;
mod show;
mod signals;
mod smt;
mod stats;
mod store;
mod study;
mod switches;
mod tree;

use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use refrain_compile::Language;

/// Exit status of a command that could not do its job, as clap's own for nonsense flags.
const CANNOT: u8 = 2;

/// Symbolic execution that does not solve twice.
#[derive(Parser)]
#[command(name = "refrain", version, arg_required_else_help = true)]
struct Arguments {
    /// Log what happens inside to standard error: error, warn, info, debug or trace, also by target:
    /// refrain::queries=trace
    #[arg(long, global = true, value_name = "FILTER")]
    log: Option<String>,

    /// The file with the project's usual switches [default: refrain.toml here or above]; 'none': no file
    #[arg(long, global = true, value_name = "FILE|none")]
    config: Option<PathBuf>,

    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(Box<run::Arguments>),
    Replay(replay::Arguments),
    Cover(cover::Arguments),
    Show(show::Arguments),
    Report(report::Arguments),
    Emit(emit::Arguments),
    Tree(tree::Arguments),
    Smt(smt::Arguments),
    Store(store::Arguments),
    Study(study::Arguments),
    Cc(cc::Arguments),
    #[command(name = "c++")]
    Cxx(cc::Arguments),
    Completions(manual::Completions),
    Man(manual::Man),
}

fn main() -> ExitCode {
    let command = Arguments::command();
    let given = match config::arguments(&command, std::env::args_os().collect()) {
        Ok(given) => given,
        Err(message) => {
            complain(message);
            return ExitCode::from(CANNOT);
        }
    };
    let parsed = Arguments::from_arg_matches(&command.clone().get_matches_from(given));
    let arguments = parsed.unwrap_or_else(|error| error.exit());
    let logged = arguments.log.as_deref().map_or(Ok(()), log::start);
    let run = || match arguments.command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Cover(arguments) => cover::run(&arguments),
        Command::Show(arguments) => show::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Emit(arguments) => emit::run(&arguments),
        Command::Tree(arguments) => tree::run(&arguments),
        Command::Smt(arguments) => smt::run(&arguments),
        Command::Store(arguments) => store::run(&arguments),
        Command::Study(arguments) => study::run(&arguments),
        Command::Cc(arguments) => cc::run(&arguments, Language::C),
        Command::Cxx(arguments) => cc::run(&arguments, Language::Cxx),
        Command::Completions(arguments) => manual::completions(&arguments, command),
        Command::Man(arguments) => manual::man(&arguments, command),
    };
    match logged.and_then(|()| run()) {
        Ok(status) => ExitCode::from(status),
        Err(message) => {
            complain(message);
            ExitCode::from(CANNOT)
        }
    }
}

/// Shows something on standard error as it is.
fn show(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Says on standard error what went wrong. Where that cannot be written either, the exit status must do.
fn complain(message: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "refrain: {message}");
}
