//! Real projects: built with `refrain cc` and with clang, where nothing but the name of the compiler differs (`build`);
//! run on concrete command lines in both builds (`cases`); explored, and every test replayed on clang's build
//! (`explore`). All of it stays in `target/corpus`.

mod build;
mod cases;
mod explore;

use crate::workspace;
use anyhow::{Context, Result, bail};
pub use build::Packages;
use build::{PROJECTS, Project};
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct Options {
    /// The projects [default: all of them].
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// The command under test [default: the release build].
    #[arg(long, value_name = "PROGRAM")]
    refrain: Option<PathBuf>,
    /// Build again what has been built before.
    #[arg(long)]
    rebuild: bool,
    /// Build only: no program is run.
    #[arg(long, conflicts_with = "explore")]
    build_only: bool,
    /// Also explore programs, for so many seconds each, and replay the tests.
    #[arg(long, value_name = "SECONDS")]
    explore: Option<u64>,
    /// Explore only: no concrete command lines.
    #[arg(long, requires = "explore")]
    explore_only: bool,
    /// Of a program with more tests than this, so many are replayed, at equal distances [default: all are].
    #[arg(long, value_name = "N", default_value_t = usize::MAX, hide_default_value = true)]
    replay: usize,
    /// Run and explore only this program; may be repeated.
    #[arg(long, value_name = "PROGRAM")]
    program: Vec<String>,
}

/// The sources of a package, which are fetched if need be.
pub fn archive(package: &str) -> Result<PathBuf> {
    let folder = workspace::target().join("corpus").join("sources");
    Packages::sources(&folder)?.archive(package)
}

/// A project that has been built twice.
struct Built<'a> {
    project: &'a Project,
    refrain: &'a Path,
    /// Where the two builds are, and what is made of them.
    place: PathBuf,
    /// The programs that are asked for; none: all.
    wanted: &'a [String],
}

impl Built<'_> {
    fn wants(&self, program: &str) -> bool {
        self.wanted.is_empty() || self.wanted.iter().any(|wanted| wanted == program)
    }

    fn program(&self, build: &str, name: &str) -> Option<PathBuf> {
        let folders = self.project.programs.iter();
        let mut paths = folders.map(|folder| self.place.join(build).join(folder).join(name));
        paths.find(|path| path.is_file())
    }
}

/// Ends with an error if anything differs without an explanation.
pub fn run(options: Options) -> Result<()> {
    for name in &options.names {
        if PROJECTS.iter().all(|project| project.name != name) {
            let known: Vec<&str> = PROJECTS.iter().map(|project| project.name).collect();
            bail!("no project {name}; there are {}", known.join(", "));
        }
    }
    let refrain = match &options.refrain {
        Some(path) => path.canonicalize().context("--refrain")?,
        None => workspace::refrain_binary()?,
    };
    let folder = workspace::target().join("corpus");
    let is_named = |project: &&Project| {
        options.names.is_empty() || options.names.iter().any(|name| name == project.name)
    };
    let projects: Vec<&Project> = PROJECTS.iter().filter(is_named).collect();
    build_all(&projects, &folder, &refrain, options.rebuild)?;
    if options.build_only {
        return Ok(());
    }
    let mut different = 0;
    for project in projects {
        let built = Built {
            project,
            refrain: &refrain,
            place: folder.join(project.name),
            wanted: &options.program,
        };
        if !options.explore_only {
            different += cases::run(&built)?;
        }
        if let Some(seconds) = options.explore {
            different += explore::run(&built, seconds, options.replay)?;
        }
    }
    if different > 0 {
        bail!("{different} cases or tests differ");
    }
    Ok(())
}

fn build_all(projects: &[&Project], folder: &Path, refrain: &Path, again: bool) -> Result<()> {
    let is_to_build = |project: &Project| {
        let place = folder.join(project.name);
        let builds = ["native", "refrain"].map(|build| place.join(build));
        again || !builds.iter().all(|build| project.is_built(build))
    };
    let to_build = projects.iter().filter(|project| is_to_build(project));
    let missing: Vec<&str> = to_build
        .flat_map(|project| project.missing_tools())
        .collect();
    if !missing.is_empty() {
        bail!(
            "the projects are built with tools that are not here: {}",
            missing.join(", ")
        );
    }
    let compiler = format!("{} cc", refrain.display());
    println!("project     programs  bitcode  elapsed  clang's");
    for project in projects {
        let place = folder.join(project.name);
        let (native, kept) = (place.join("native"), place.join("refrain"));
        for (place, compiler) in [(&native, "clang"), (&kept, compiler.as_str())] {
            if project.is_built(place) && !again {
                continue;
            }
            project.build(&archive(project.name)?, place, compiler)?;
        }
        let (programs, bytes) = project.bitcode(&kept)?;
        println!(
            "{:10}  {programs:8}  {:4.1} MB  {:5.0} s  {:5.0} s",
            project.name,
            bytes as f64 / 1e6,
            project.took(&kept)?,
            project.took(&native)?
        );
    }
    Ok(())
}
