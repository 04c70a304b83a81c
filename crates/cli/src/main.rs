//! The `refrain` command.

mod input;
mod smt;
mod stats;

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
    Smt(smt::Arguments),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match arguments.command {
        Command::Smt(arguments) => smt::run(&arguments),
    };
    match result {
        Ok(status) => ExitCode::from(status),
        Err(message) => {
            eprintln!("refrain: {message}");
            ExitCode::from(CANNOT)
        }
    }
}
