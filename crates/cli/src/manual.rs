//! What a system keeps beside a command: completions for shells, and manual pages.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, Command};
use clap_complete::Shell;

/// Write what a shell needs to complete refrain's switches
///
/// Examples:
///   refrain completions bash > ~/.local/share/bash-completion/completions/refrain
///   refrain completions zsh > ~/.zfunc/_refrain
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

/// Write the manual pages, one for each command
///
/// Examples:
///   refrain man ~/.local/share/man/man1
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct Man {
    /// Where they go; it is made if it is not there
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

pub fn completions(arguments: &Completions, mut command: Command) -> Result<u8, String> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "refrain", &mut text);
    let written = io::stdout().write_all(&text);
    written.map_err(|error| format!("cannot write completions: {error}"))?;
    Ok(0)
}

pub fn man(arguments: &Man, command: Command) -> Result<u8, String> {
    let folder = &arguments.directory;
    let written =
        std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command, folder));
    written.map_err(|error| format!("cannot write to {}: {error}", folder.display()))?;
    Ok(0)
}
