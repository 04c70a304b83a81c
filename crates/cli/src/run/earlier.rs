//! An earlier run, by its output directory: what it was told, and how a later one is told the same.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use refrain_results::{OutputDirectory, Run};

use super::Arguments;
use crate::given::Given;

pub struct Earlier {
    pub directory: OutputDirectory,
    pub run: Run,
    /// What it was told.
    pub arguments: Arguments,
}

impl Earlier {
    pub fn open(path: &Path) -> Result<Earlier, String> {
        let path = std::path::absolute(path).map_err(|error| error.to_string())?;
        let directory = OutputDirectory::open(&path).map_err(|error| error.to_string())?;
        let run = directory.read_run().map_err(|error| error.to_string())?;
        if !directory.tree().is_dir() {
            return Err(format!("{} has no tree of its paths", path.display()));
        }
        let mut arguments = told(&Given::read(&run.switches), program(&run, &run.named))?;
        arguments.keep_stdin(&run);
        Ok(Earlier {
            directory,
            run,
            arguments,
        })
    }

    /// What the earlier run was told, for this file, and more.
    pub fn arguments_with(
        &self,
        file: impl AsRef<OsStr>,
        more: &Given,
    ) -> Result<Arguments, String> {
        let before = Given::read(&self.run.switches);
        let mut arguments = told(&before.and_then(more.clone()), program(&self.run, file))?;
        // It is the same to the program, whatever its file is called.
        arguments.name = self.run.args.first().map(OsString::from);
        arguments.keep_stdin(&self.run);
        self.check_bounds(&arguments)?;
        // What is given now is meant from here.
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let how = &mut arguments.how;
        how.stats = how.stats.as_ref().map(absolute);
        if more.has("store") && how.store != Path::new("none") {
            how.store = absolute(&how.store);
        }
        Ok(arguments)
    }

    /// Goes where the earlier run was started: what it was told is meant from there.
    pub fn enter(&self) -> Result<(), String> {
        let directory = &self.run.directory;
        std::env::set_current_dir(directory)
            .map_err(|error| format!("the run was started in {}: {error}", directory.display()))
    }

    /// Bounds of paths only grow: what is behind a smaller one is known already.
    fn check_bounds(&self, now: &Arguments) -> Result<(), String> {
        let (limits, before) = (&now.how.limits, &self.arguments.how.limits);
        let bounds = [
            (
                "max-depth",
                limits.max_depth.into(),
                before.max_depth.into(),
            ),
            (
                "max-unroll",
                limits.max_unroll.into(),
                before.max_unroll.into(),
            ),
            (
                "max-instructions",
                limits.max_instructions,
                before.max_instructions,
            ),
        ];
        match bounds
            .into_iter()
            .find(|(_, now, before): &(_, u64, u64)| now < before)
        {
            Some((name, now, _)) => Err(format!(
                "--{name} {now}: the paths are explored further than that already"
            )),
            None => Ok(()),
        }
    }
}

/// A file of the program, and the arguments that it was started with.
fn program(run: &Run, file: impl AsRef<OsStr>) -> Vec<OsString> {
    let arguments = run.args.iter().skip(1).map(OsString::from);
    let file = file.as_ref().to_os_string();
    std::iter::once(file).chain(arguments).collect()
}

/// What a run is told by switches and a program.
fn told(given: &Given, program: impl IntoIterator<Item = OsString>) -> Result<Arguments, String> {
    let words = given.command_line().into_iter().map(OsString::from);
    let mut arguments = crate::run_arguments(words.chain(program))?;
    arguments.keep(given.clone());
    Ok(arguments)
}
