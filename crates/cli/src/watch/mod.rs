//! `refrain watch`: with every save, a program is compiled, and explored from what is known of the version before.
//!
//! A thread of its own compiles (`versions`) whenever a file has changed (`files`), and stops the exploration of the
//! version before. This thread explores and tells; results are replaced as a whole (`place`).

mod files;
mod place;
mod versions;

use clap::Args;
use refrain_llvm::machine::Coverage;
use refrain_results::OutputDirectory;

use crate::complain;
use crate::diff::Report;
use crate::given::Given;
use crate::run::{self, Earlier, Explored, Origin, percent};
use place::Place;
use versions::{Version, Versions, say};

/// Explore a program, and again whenever it is saved: only what the change touches
///
/// It takes what `refrain run` takes, and begins as that does. Then, whenever a file that the program is made of is
/// saved, the included ones too, the program is compiled, explored as by `refrain diff` from the results before, and what
/// has changed is told. What does not compile is told, and the last results stand. A save while a version is explored
/// stops that; the next version goes on from what was found so far. Ctrl-C ends it.
///
/// The output directory always has the results of the last version that was told of: `refrain replay`, `refrain show`
/// and all others can be used meanwhile.
///
/// Exit status: 0 when it is ended by Ctrl-C, 2 if nothing can be watched.
#[derive(Args)]
#[group(skip)]
#[command(after_help = "Examples:
  refrain watch prog.c                                     every path, again with every save
  refrain watch --max-time 10 --with lib.c main.c          no more than ten seconds each time
  refrain watch --entry parse --buffer text=16 parser.c    a function by itself")]
pub struct Arguments {
    #[command(flatten)]
    run: run::Arguments,
}

impl Arguments {
    pub fn keep(&mut self, given: Given) {
        self.run.keep(given);
    }
}

pub fn run(arguments: Arguments) -> Result<u8, String> {
    arguments.run.check()?;
    let program = arguments.run.program_file();
    if !program.exists() {
        return Err(format!("{} does not exist", program.display()));
    }
    let versions = Versions::start(&arguments.run)?;
    let mut watch = Watch {
        arguments: arguments.run,
        last: None,
    };
    let mut next = versions.next();
    while let Some(version) = next {
        let explored = watch.explore(&version);
        let is_interrupted = matches!(&explored, Ok(explored) if explored.is_interrupted());
        // Whoever stopped it has another version, or there is none any more.
        let newer = is_interrupted.then(|| versions.next());
        let is_superseded = matches!(newer, Some(Some(_)));
        let ended = explored.and_then(|explored| watch.end(explored, &version, is_superseded));
        if let Err(error) = ended {
            complain(error);
        }
        next = newer.unwrap_or_else(|| versions.next());
    }
    Ok(0)
}

struct Watch {
    arguments: run::Arguments,
    /// Where the results of the last version are, and what they cover.
    last: Option<(Place, Coverage)>,
}

impl Watch {
    /// Explores a version from what is known, if that can be followed.
    fn explore(&mut self, version: &Version) -> Result<Explored, String> {
        self.arguments.stop = Some(version.stop.clone());
        let Some((place, _)) = self.last.clone() else {
            return self.explore_from(version, &Origin::Nothing);
        };
        self.arguments.out = Some(place.make_room()?);
        let origin = Origin::Version(Earlier::open(&place.latest())?);
        let reason = match self.explore_from(version, &origin) {
            Ok(explored) => return Ok(explored),
            Err(reason) => reason,
        };
        // Such as another entry function, or one with other parameters.
        complain(format!("explored from the start: {reason}"));
        place.set_aside()?;
        self.arguments.out = Some(place.directory.clone());
        let explored = self.explore_from(version, &Origin::Nothing);
        if explored.is_err() {
            place.restore()?;
        }
        explored
    }

    fn explore_from(&self, version: &Version, origin: &Origin) -> Result<Explored, String> {
        let (inputs, built) = (&version.inputs, version.built.clone());
        run::explore_built(&self.arguments, inputs, built, origin)
    }

    /// Puts results where they belong, and tells of them unless there is a newer version.
    fn end(
        &mut self,
        explored: Explored,
        version: &Version,
        is_superseded: bool,
    ) -> Result<(), String> {
        let coverage = explored.coverage;
        let last = self.last.clone();
        let last = last.filter(|(place, _)| place.next() == explored.directory);
        let Some((place, before)) = last else {
            // It was told as it was explored.
            let place = Place::new(explored.directory);
            place.forget_others()?;
            self.last = Some((place, coverage));
            return Ok(());
        };
        if is_superseded {
            return place.keep_stopped();
        }
        let (executed, kept) = (explored.stats.paths, explored.kept);
        let old = OutputDirectory::open(&place.directory).map_err(|error| error.to_string())?;
        let mut report = Report::new(&old, explored)?;
        place.replace()?;
        report.explored.directory = place.directory.clone();
        report.show_errors();
        let mut lines = report.counts();
        lines.add("covered", &covered(coverage, before));
        let seconds = version.saved.elapsed().as_secs_f64();
        lines.add(
            "answer",
            &format!(
                "{seconds:.2} s after the save, {:.2} s of it compiling; paths executed again: {executed}, kept: {kept}",
                version.compiling.as_secs_f64()
            ),
        );
        if report.explored.is_interrupted() {
            lines.add("stopped", "interrupted");
        }
        say(lines.text());
        self.last = Some((place, coverage));
        Ok(())
    }
}

fn covered(now: Coverage, before: Coverage) -> String {
    let share = |coverage: Coverage| percent(coverage.branches.0, coverage.branches.1);
    let (covered, all) = now.branches;
    let mut text = format!("{}% of branches ({covered} of {all})", share(now));
    if share(now) != share(before) {
        text += &format!(", {}% before", share(before));
    }
    text
}
