//! The `refrain` command.

mod allocator;
mod asking;
mod cc;
mod certify;
mod config;
mod cover;
mod diagnostic;
mod diff;
mod emit;
mod foreign;
mod given;
mod host_files;
mod input;
mod lines;
mod log;
mod manual;
mod program;
mod proof;
mod replay;
mod report;
mod resume;
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
mod watch;

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use refrain_compile::Language;

use given::Given;

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
    Resume(Box<resume::Arguments>),
    Deepen(Box<resume::Deepen>),
    Diff(Box<diff::Arguments>),
    Certify(certify::Arguments),
    Watch(Box<watch::Arguments>),
    Replay(replay::Arguments),
    Cover(cover::Arguments),
    Show(show::Arguments),
    Report(report::Arguments),
    Emit(emit::Arguments),
    Tree(tree::Arguments),
    Smt(smt::Arguments),
    Proof(proof::Arguments),
    Store(store::Arguments),
    Study(study::Arguments),
    Cc(cc::Arguments),
    #[command(name = "c++")]
    Cxx(cc::Arguments),
    Completions(manual::Completions),
    Man(manual::Man),
    #[command(hide = true)]
    Stage(replay::stage::Arguments),
}

fn main() -> ExitCode {
    let given = foreign::arguments(std::env::args_os().collect());
    if let Ok(foreign::Meaning::Arguments(given)) = &given
        && let Some(arguments) = SmtAlone::arguments(given)
    {
        return ended(smt::run(&arguments));
    }
    let command = Arguments::command();
    let given = given.and_then(|meaning| match meaning {
        foreign::Meaning::Arguments(given) => config::arguments(&command, given).map(Some),
        foreign::Meaning::Say(text) => {
            println!("{text}");
            Ok(None)
        }
    });
    let given = match given {
        Ok(Some(given)) => given,
        Ok(None) => return ExitCode::SUCCESS,
        Err(message) => {
            complain(message);
            return ExitCode::from(CANNOT);
        }
    };
    let parsed = parse(&command, command.clone().get_matches_from(given));
    let arguments = parsed.unwrap_or_else(|error| error.exit());
    let logged = arguments.log.as_deref().map_or(Ok(()), log::start);
    let run = || match arguments.command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Resume(arguments) => resume::run(&arguments),
        Command::Deepen(arguments) => arguments.run(),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::Certify(arguments) => certify::run(&arguments),
        Command::Watch(arguments) => watch::run(*arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Cover(arguments) => cover::run(&arguments),
        Command::Show(arguments) => show::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Emit(arguments) => emit::run(&arguments),
        Command::Tree(arguments) => tree::run(&arguments),
        Command::Smt(arguments) => smt::run(&arguments),
        Command::Proof(arguments) => proof::run(&arguments),
        Command::Store(arguments) => store::run(&arguments),
        Command::Study(arguments) => study::run(&arguments),
        Command::Cc(arguments) => cc::run(&arguments, Language::C),
        Command::Cxx(arguments) => cc::run(&arguments, Language::Cxx),
        Command::Completions(arguments) => manual::completions(&arguments, command),
        Command::Man(arguments) => manual::man(&arguments, command),
        Command::Stage(arguments) => replay::stage::run(&arguments),
    };
    ended(logged.and_then(|()| run()))
}

/// `refrain smt` by itself. All commands with all their switches take longer to set up than most scripts to solve.
#[derive(Parser)]
#[command(no_binary_name = true)]
struct SmtAlone {
    #[command(flatten)]
    arguments: smt::Arguments,
}

impl SmtAlone {
    /// The arguments of `refrain smt`, if that is what was given, without anything that concerns all commands.
    fn arguments(given: &[OsString]) -> Option<smt::Arguments> {
        let [_, command, switches @ ..] = given else {
            return None;
        };
        if command != "smt" || config::is_found() {
            return None;
        }
        // What is wrong, or a request for help, is said by the whole command.
        let parsed = SmtAlone::try_parse_from(switches).ok()?;
        Some(parsed.arguments)
    }
}

fn ended(result: Result<u8, String>) -> ExitCode {
    match result {
        Ok(status) => ExitCode::from(status),
        Err(message) => {
            complain(message);
            ExitCode::from(CANNOT)
        }
    }
}

/// The arguments, and for commands whose results are continued, the switches as they were given.
fn parse(command: &clap::Command, matches: ArgMatches) -> Result<Arguments, clap::Error> {
    let mut arguments = Arguments::from_arg_matches(&matches)?;
    if let Some((name, matches)) = matches.subcommand()
        && let Some(command) = command.find_subcommand(name)
    {
        let given = Given::of(command, matches);
        match &mut arguments.command {
            Command::Run(arguments) => arguments.keep(given),
            Command::Resume(arguments) => arguments.given = given,
            Command::Deepen(arguments) => arguments.keep(given),
            Command::Diff(arguments) => arguments.given = given,
            Command::Watch(arguments) => arguments.keep(given),
            _ => {}
        }
    }
    Ok(arguments)
}

/// The arguments of `refrain run` for these words.
fn run_arguments(words: impl IntoIterator<Item = OsString>) -> Result<run::Arguments, String> {
    let words = ["refrain", "run"]
        .map(OsString::from)
        .into_iter()
        .chain(words);
    let matches = Arguments::command().try_get_matches_from(words);
    let arguments = matches.and_then(|matches| Arguments::from_arg_matches(&matches));
    match arguments.map_err(|error| error.to_string())?.command {
        Command::Run(arguments) => Ok(*arguments),
        _ => unreachable!("that is the command"),
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
