//! The command line.

use std::num::NonZero;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo refrain", bin_name = "cargo refrain", version)]
pub struct Line {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    Test(Box<Arguments>),
}

/// Explore every #[refrain::test] function of the project, for all inputs
///
/// The project and its dependencies are built to bitcode under target/refrain. Every path of a property that some
/// input takes is followed; a failure is reported with the input that leads to it, and a #[test] that calls the
/// property with that input.
///
/// What was found out is kept. The next time, properties whose code is the same are not explored again, of others only
/// what a change touches, and those that took too long go on where they stopped.
///
/// A property of which only some paths were explored is incomplete: nothing was found, and nothing is proved beyond
/// these paths.
///
/// Exit status: 0 if nothing was found, 101 if a property fails, 2 if it could not be done, 3 if nothing is known of a
/// property because no path of it came to an end.
#[derive(Args)]
pub struct Arguments {
    /// Only properties whose name contains this
    pub filter: Option<String>,

    /// The filter is the whole name
    #[arg(long)]
    pub exact: bool,

    /// Only properties that are marked #[ignore]
    #[arg(long, conflicts_with = "include_ignored")]
    pub ignored: bool,

    /// Also properties that are marked #[ignore]
    #[arg(long)]
    pub include_ignored: bool,

    #[command(flatten)]
    pub project: Project,

    /// How many properties are explored at the same time [default: as many as there are processors]
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<NonZero<u16>>,

    /// The longest that exploring one property may take; 0: as long as it takes
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds)]
    pub max_time: f64,

    /// Explore everything from the start, whatever is known from the last time
    #[arg(long)]
    pub fresh: bool,

    /// Where the tests and statistics of each property go: a new directory, from the start [default:
    /// target/refrain/results, where they are kept for the next time]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Write the regression tests to this file, to be included in the module of the properties
    #[arg(long, value_name = "FILE.rs")]
    pub emit_tests: Option<PathBuf>,

    /// Say nothing of what holds
    #[arg(long, short)]
    pub quiet: bool,
}

/// What Cargo is to build, in Cargo's words.
#[derive(Args)]
pub struct Project {
    /// The package to test
    #[arg(long, short, value_name = "SPEC")]
    pub package: Vec<String>,

    /// All packages of the workspace
    #[arg(long)]
    pub workspace: bool,

    /// Features to build with
    #[arg(long, short = 'F', value_name = "FEATURES")]
    pub features: Vec<String>,

    /// With all features
    #[arg(long)]
    pub all_features: bool,

    /// Without the default features
    #[arg(long)]
    pub no_default_features: bool,

    /// Where the project is
    #[arg(long, value_name = "Cargo.toml")]
    pub manifest_path: Option<PathBuf>,

    /// Cargo.lock stays as it is
    #[arg(long)]
    pub locked: bool,

    /// Without the network
    #[arg(long)]
    pub offline: bool,
}

impl Project {
    /// For a command that builds something.
    pub fn build_words(&self) -> Vec<String> {
        let mut words = self.words();
        for package in &self.package {
            words.extend(["--package".into(), package.clone()]);
        }
        if self.workspace {
            words.push("--workspace".into());
        }
        words
    }

    /// For any command.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if let Some(path) = &self.manifest_path {
            words.extend(["--manifest-path".into(), path.display().to_string()]);
        }
        for features in &self.features {
            words.extend(["--features".into(), features.clone()]);
        }
        for (is_set, word) in [
            (self.all_features, "--all-features"),
            (self.no_default_features, "--no-default-features"),
            (self.locked, "--locked"),
            (self.offline, "--offline"),
        ] {
            if is_set {
                words.push(word.into());
            }
        }
        words
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number of seconds")?;
    if value.is_finite() && value >= 0.0 {
        Ok(value)
    } else {
        Err("not a length of time".into())
    }
}
