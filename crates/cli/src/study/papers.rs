//! `refrain study incremental`, `reuse`, `memo` and the others: the experiments of the papers, each by its name, or all.
//!
//! The subcommands are those that `refrain_study` has: none is named here.

use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use refrain_study::StudyError;
use refrain_study::papers::peer::installed;
use refrain_study::papers::{EXPERIMENTS, Experiment, Options, Scale, Setup, study};

use super::{measured, positive, read_scripts, write};

/// What stands for all of them.
const ALL: &str = "all";

const HELP: &str = "\
Every measurement is a process of its own. With --out, what is measured is kept as soon as it is known: the same command \
goes on where it was interrupted. The report is written there as Markdown with its plots, as one page for a browser \
(report.html), and every single measurement as CSV and JSON.

Exit status: 0 if all went well, 1 if a run failed, counted otherwise than in another round or found other paths than it \
must, 2 if the study could not be made.";

#[derive(Args)]
struct Arguments {
    /// Minutes instead of hours: fewer and smaller programs, shorter runs
    #[arg(long, conflicts_with = "smoke")]
    quick: bool,

    /// Seconds: a little of everything
    #[arg(long)]
    smoke: bool,

    /// Only these parts, separated by commas
    #[arg(long, value_name = "PART,…", value_delimiter = ',')]
    part: Vec<String>,

    /// Only these programs, separated by commas
    #[arg(long, value_name = "PROGRAM,…", value_delimiter = ',')]
    programs: Vec<String>,

    /// How often each run is repeated; unless given, as the experiment says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rounds: Option<u32>,

    /// The longest that a run may take that does not end by itself; unless given, as the experiment says
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    max_time: Option<f64>,

    /// What generated programs and random choices begin with
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// A folder of whole programs built by 'refrain cc', such as GNU coreutils, for 'incremental'
    #[arg(long, value_name = "DIR")]
    coreutils: Option<PathBuf>,

    /// Recorded queries for 'incremental' and 'peers', plain or compressed with zstd; none: those that come with the
    /// program
    #[arg(long, value_name = "FILE", num_args = 1..)]
    scripts: Vec<PathBuf>,

    /// Write the report to this folder, and go on with what it has of an interrupted study
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Measure another build of this program
    #[arg(long, hide = true)]
    program: Option<PathBuf>,
}

/// Experiments that were chosen by name, and how they are to be made.
pub struct Experiments {
    chosen: Vec<&'static Experiment>,
    arguments: Arguments,
}

impl Subcommand for Experiments {
    fn augment_subcommands(command: Command) -> Command {
        let own = EXPERIMENTS.iter().map(|experiment| {
            let parts = experiment.parts.iter();
            let parts: Vec<String> = parts
                .map(|part| format!("  {}: {}", part.name, part.about))
                .collect();
            let about = format!("{}, as the paper has it", experiment.about);
            let long = format!(
                "{}\n\nAfter {}.\n\nParts:\n{}\n\n{HELP}",
                capital(&about),
                experiment.paper,
                parts.join("\n")
            );
            (experiment.name, capital(&about), long)
        });
        let all = (
            ALL,
            "All of these experiments".to_owned(),
            format!("All of these experiments\n\n{HELP}"),
        );
        let commands = own.chain([all]).map(|(name, about, long)| {
            let command = Command::new(name).about(about).long_about(long);
            Arguments::augment_args(command)
        });
        command.subcommands(commands)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Experiments::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        name == ALL || EXPERIMENTS.iter().any(|experiment| experiment.name == name)
    }
}

impl FromArgMatches for Experiments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Experiments, clap::Error> {
        let missing = || clap::Error::new(clap::error::ErrorKind::MissingSubcommand);
        let (name, matches) = matches.subcommand().ok_or_else(missing)?;
        let chosen = EXPERIMENTS.iter().copied();
        Ok(Experiments {
            chosen: chosen.filter(|it| name == ALL || it.name == name).collect(),
            arguments: Arguments::from_arg_matches(matches)?,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Experiments::from_arg_matches(matches)?;
        Ok(())
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters
        .next()
        .map(|letter| letter.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

pub fn make(experiments: &Experiments) -> Result<u8, StudyError> {
    let Experiments { chosen, arguments } = experiments;
    let parts = || chosen.iter().flat_map(|experiment| experiment.parts);
    for name in &arguments.part {
        if !parts().any(|part| part.name == name) {
            let names: Vec<&str> = parts().map(|part| part.name).collect();
            let there = names.join(", ");
            return Err(StudyError::Unreadable(format!(
                "there is no part {name}, only {there}"
            )));
        }
    }
    let scripts = match arguments.scripts.is_empty() {
        true => Vec::new(),
        false => read_scripts(&arguments.scripts)?,
    };
    let options = Options {
        refrain: measured(arguments.program.as_ref())?,
        setup: Setup {
            scale: match (arguments.smoke, arguments.quick) {
                (true, _) => Scale::Smoke,
                (_, true) => Scale::Quick,
                _ => Scale::Full,
            },
            seed: arguments.seed,
            rounds: arguments.rounds,
            max_time: arguments.max_time,
            programs: arguments.programs.clone(),
            peers: installed(),
            coreutils: arguments.coreutils.clone(),
            scripts,
        },
        experiments: chosen.clone(),
        parts: arguments.part.clone(),
        journal: arguments.out.clone(),
    };
    write(arguments.out.as_deref(), |cancel, screen| {
        study(&options, cancel, screen)
    })
}
