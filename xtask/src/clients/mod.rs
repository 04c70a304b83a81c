//! `cargo xtask clients`: tools that other people wrote, with `refrain` in the place of the solver that they expect, on
//! problems whose answers are known. Counterexamples are checked by what shares no code with the solver.

mod cbmc;
mod easy;
mod yosys;

use crate::install;
use crate::workspace::{self, run};
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

#[derive(clap::Args)]
pub struct Options {
    /// These alone [default: all].
    #[arg(value_enum)]
    clients: Vec<Client>,
    /// The program `refrain` [default: its release build].
    #[arg(long, value_name = "PATH")]
    refrain: Option<PathBuf>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Client {
    Pysmt,
    EasySmt,
    Cbmc,
    Yosys,
    Halmos,
}

const ALL: [Client; 5] = [
    Client::Pysmt,
    Client::EasySmt,
    Client::Cbmc,
    Client::Yosys,
    Client::Halmos,
];

/// The solver under test, under the names that clients look for.
struct Guest {
    refrain: PathBuf,
    /// Where the links are.
    names: PathBuf,
}

impl Guest {
    fn new(refrain: &Path) -> Result<Guest> {
        let names = workspace::target().join("xtask-clients/bin");
        std::fs::create_dir_all(&names)
            .with_context(|| format!("cannot create {}", names.display()))?;
        let refrain = refrain
            .canonicalize()
            .with_context(|| format!("there is no {}", refrain.display()))?;
        for name in ["z3", "yices-smt2", "bitwuzla"] {
            let link = names.join(name);
            let _ = std::fs::remove_file(&link);
            symlink(&refrain, &link).with_context(|| format!("cannot link {}", link.display()))?;
        }
        Ok(Guest { refrain, names })
    }

    fn named(&self, name: &str) -> PathBuf {
        self.names.join(name)
    }

    /// The search path on which the solvers' names are its own.
    fn search_path(&self) -> OsString {
        let mut path = self.names.clone().into_os_string();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        path
    }
}

pub fn run_all(options: &Options) -> Result<()> {
    install::clients()?;
    let refrain = match &options.refrain {
        Some(refrain) => refrain.clone(),
        None => workspace::refrain_binary()?,
    };
    test(
        &refrain,
        match &options.clients[..] {
            [] => &ALL,
            some => some,
        },
    )
}

/// All clients on this program.
pub fn test_all(refrain: &Path) -> Result<()> {
    test(refrain, &ALL)
}

fn test(refrain: &Path, clients: &[Client]) -> Result<()> {
    let guest = Guest::new(refrain)?;
    for client in clients {
        let started = Instant::now();
        let name = match client {
            Client::Pysmt => {
                let python = install::venv().join("bin/python");
                python_client(
                    &python,
                    "pysmt_client.py",
                    &[guest.refrain.as_os_str(), "smt".as_ref()],
                )?;
                "PySMT"
            }
            Client::EasySmt => {
                easy::test(&guest)?;
                "easy-smt"
            }
            Client::Cbmc => {
                cbmc::test(&guest)?;
                "CBMC"
            }
            Client::Yosys => {
                yosys::test(&guest)?;
                "yosys-smtbmc"
            }
            Client::Halmos => {
                let python = install::halmos()?.join("bin/python");
                python_client(
                    &python,
                    "halmos_client.py",
                    &[guest.named("z3").as_os_str()],
                )?;
                "halmos"
            }
        };
        println!("{name}: {:.1} s", started.elapsed().as_secs_f64());
    }
    Ok(())
}

/// A client that a script in Python drives.
fn python_client(python: &Path, script: &str, solver: &[&std::ffi::OsStr]) -> Result<()> {
    let script = workspace::root().join("tests-external").join(script);
    run(Command::new(python).arg(script).args(solver))
}
