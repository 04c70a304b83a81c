//! The `refrain` command.

mod asking;
mod cover;
mod input;
mod program;
mod replay;
mod run;
mod show;
mod signals;
mod smt;
mod stats;
mod store;
mod study;

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Exit status of a command that could not do its job, as clap's own for nonsense flags.
const CANNOT: u8 = 2;

/// Symbolic execution that does not solve twice.
#[derive(Parser)]
#[command(name = "refrain", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(Box<run::Arguments>),
    Replay(replay::Arguments),
    Cover(cover::Arguments),
    Show(show::Arguments),
    Smt(smt::Arguments),
    Store(store::Arguments),
    Study(study::Arguments),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match arguments.command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Cover(arguments) => cover::run(&arguments),
        Command::Show(arguments) => show::run(&arguments),
        Command::Smt(arguments) => smt::run(&arguments),
        Command::Store(arguments) => store::run(&arguments),
        Command::Study(arguments) => study::run(&arguments),
    };
    match result {
        Ok(status) => ExitCode::from(status),
        Err(message) => {
            complain(message);
            ExitCode::from(CANNOT)
        }
    }
}

/// Says on standard error what went wrong. Where that cannot be written either, the exit status must do.
fn complain(message: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "refrain: {message}");
}
