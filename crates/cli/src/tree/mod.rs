//! `refrain tree`: the memo tree of a run, for people: what is in it, on a page of its own, and as files.

mod files;
mod program;
mod show;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use refrain_memo::{MemoError, Reading, Tree};

use crate::complain;

/// Look into the memo tree of a run: every question, its alternatives, and how paths end
///
/// DIR is the output directory of a run, or a tree itself. The page for a browser shows the source beside the tree: for
/// that the program is compiled again, as it was for the run.
///
/// Exit status: 0 if all went well, 1 if the tree lacks what its run wrote last or sources have changed, 2 if the
/// command could not do its job.
#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Examples:
  refrain tree refrain-last                              its numbers
  refrain tree refrain-last --html tree.html             a page for a browser
  refrain tree refrain-last --against refrain-out/1      what is different
  refrain tree merge all refrain-out/1 refrain-out/2     two trees as one"
)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,

    /// The output directory of a run
    #[arg(value_name = "DIR", required = true)]
    directory: Option<PathBuf>,

    #[arg(long = "as", value_name = "FORMAT", default_value = "text")]
    format: Format,

    /// Write a page for a browser
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Compare with the tree of another run
    #[arg(long, value_name = "OTHER")]
    against: Option<PathBuf>,

    /// Print the compiler commands to standard error
    #[arg(long, short)]
    verbose: bool,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Format {
    Text,
    Json,
}

#[derive(Subcommand)]
enum Command {
    /// Divide what is open into so many parts of about the same weight
    ///
    /// Each part is printed as the answers that lead to what is open in it. Parts are of neighbours, which share most
    /// of the way from the root. With --out, each becomes an output directory of its own, in which 'refrain resume' and
    /// 'refrain deepen' go on with that part, wherever it is; 'refrain tree merge' puts together what they find.
    Split {
        #[arg(value_name = "DIR")]
        directory: PathBuf,

        #[arg(value_name = "N")]
        parts: std::num::NonZeroU32,

        /// A new directory, or an empty one, for the parts: 1, 2, …
        #[arg(long, value_name = "OUT")]
        out: Option<PathBuf>,

        #[arg(long = "as", value_name = "FORMAT", default_value = "text")]
        format: Format,
    },

    /// Unite the trees of several runs of the same program
    ///
    /// At each edge the tree that knows most counts. Tests keep their numbers if they are of the first directory; others
    /// get new ones behind these. The directories stay as they are.
    Merge {
        /// A new directory, or an empty one
        #[arg(value_name = "OUT")]
        to: PathBuf,

        #[arg(value_name = "DIR", required = true)]
        directories: Vec<PathBuf>,
    },

    /// Write a tree anew without what later runs have replaced
    Compact {
        #[arg(value_name = "DIR")]
        directory: PathBuf,
    },

    /// Write a tree anew with what going on needs: finished subtrees become numbers
    Compress {
        #[arg(value_name = "DIR")]
        directory: PathBuf,
    },
}

/// Exit status of a command that did its job on a tree that is not whole.
const NOT_WHOLE: u8 = 1;

pub fn run(arguments: &Arguments) -> Result<u8, String> {
    match (&arguments.command, &arguments.directory) {
        (None, None) => Err("name the output directory of a run".into()),
        (None, Some(directory)) => show::run(arguments, directory),
        (Some(command), _) => match command {
            Command::Split {
                directory,
                parts,
                out,
                format,
            } => files::split(directory, parts.get(), out.as_deref(), *format),
            Command::Merge { to, directories } => files::merge(to, directories),
            Command::Compact { directory } => files::rewrite(directory, Tree::compact),
            Command::Compress { directory } => files::rewrite(directory, Tree::compress),
        },
    }
}

/// Where the tree of a run is.
const TREE: &str = "tree";

fn path_of(directory: &Path) -> PathBuf {
    let below = directory.join(TREE);
    match below.is_dir() {
        true => below,
        false => directory.to_path_buf(),
    }
}

/// A tree as far as it is whole, and the status that this means.
fn open(directory: &Path) -> Result<(Tree, u8), String> {
    let tree = Tree::open(&path_of(directory), Reading::Lenient).map_err(failed)?;
    for warning in tree.warnings() {
        complain(warning);
    }
    let status = if tree.warnings().is_empty() {
        0
    } else {
        NOT_WHOLE
    };
    Ok((tree, status))
}

fn failed(error: MemoError) -> String {
    error.to_string()
}

/// Bytes of all files of a tree.
fn bytes_of(directory: &Path) -> u64 {
    let files = std::fs::read_dir(path_of(directory)).into_iter().flatten();
    let sizes = files.flatten().filter_map(|file| file.metadata().ok());
    sizes
        .filter(|file| file.is_file())
        .map(|file| file.len())
        .sum()
}
