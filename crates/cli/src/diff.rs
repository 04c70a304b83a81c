//! `refrain diff`: what a change of a program makes of its paths.

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;

use clap::Args;
use refrain_machine::Fault;
use refrain_memo::{Difference, Reading, Tree};
use refrain_report::Results;
use refrain_results::{Outcome, OutputDirectory, Run, Test};
use serde_json::{Value, json};

use crate::diagnostic::{Diagnostic, command_of, has_colours};
use crate::given::Given;
use crate::lines::Lines;
use crate::program::Sources;
use crate::run::{self, Earlier, Explored, How, Origin, is_same_error, site_of};
use crate::show;

/// Explore another version of a program: only what the change touches
///
/// DIR is the output directory of a run of the version before; PROGRAM is the program as it is now, which is compiled and
/// started as that run did it. Paths on which no changed code runs are kept as they are, with their tests. All others are
/// executed again, and no question that is the same as before is asked again. The results are those of a whole run of
/// the new version, in an output directory of their own: the next version can be compared with it.
///
/// Exit status: 0 if no error is new, 1 if one is, 2 if the program could not be run, 3 as of `refrain run`, 130 if it
/// was interrupted.
#[derive(Args)]
#[command(after_help = "Examples:
  refrain run prog.c
  refrain diff refrain-last prog.c                        after an edit
  refrain diff refrain-last prog.c --as sarif > new.sarif  the new errors, for a code review")]
pub struct Arguments {
    /// The output directory of a run of the version before
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// The program as it is now [default: the file that the run was of]
    #[arg(value_name = "PROGRAM")]
    program: Option<PathBuf>,

    #[command(flatten)]
    sources: Sources,

    /// Where the results go; it must not be there yet [default: refrain-out/N, with a link refrain-last]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// How the difference is told on standard output: text, json, or sarif for the new errors alone
    #[arg(long = "as", value_name = "FORMAT", default_value = "text", value_parser = ["text", "json", "sarif"])]
    format: String,

    #[command(flatten)]
    how: How,

    #[arg(skip)]
    pub given: Given,
}

/// Switches that are not for exploring.
const OWN: [&str; 1] = ["as"];

pub fn run(arguments: &Arguments) -> Result<u8, String> {
    let earlier = Earlier::open(&arguments.directory)?;
    let given = arguments.given.clone().without(&OWN);
    let told = match &arguments.program {
        Some(program) => earlier.arguments_with(program, &given),
        None => earlier.arguments_with(&earlier.run.program, &given),
    }?;
    let origin = Origin::Version(earlier);
    let explored = run::explore_from(&told, &origin)?;
    let earlier = origin.earlier().expect("it has one");
    let report = Report::new(&earlier.directory, explored)?;
    match arguments.format.as_str() {
        "json" => println!("{:#}", report.json()),
        "sarif" => print!("{}", String::from_utf8_lossy(&report.sarif()?)),
        _ => report.show(),
    }
    Ok(report.status())
}

/// What is different.
pub struct Report {
    pub explored: Explored,
    run: Run,
    paths: Difference,
    tests_added: Vec<u32>,
    tests_dropped: Vec<u32>,
    /// The tests that show errors which are new, those that showed errors which are fixed, and how many are as before.
    new: Vec<Test>,
    fixed: Vec<Test>,
    old: usize,
}

impl Report {
    pub fn new(before: &OutputDirectory, explored: Explored) -> Result<Report, String> {
        let now = OutputDirectory::open(&explored.directory).map_err(text)?;
        let tree = |directory: &OutputDirectory| Tree::open(&directory.tree(), Reading::Lenient);
        let (old_tree, new_tree) = (tree(before).map_err(text)?, tree(&now).map_err(text)?);
        let numbers = |directory: &OutputDirectory| -> Result<BTreeSet<u32>, String> {
            let pack = directory.tests().map_err(text)?;
            Ok(pack.numbers().into_iter().collect())
        };
        let (old_numbers, new_numbers) = (numbers(before)?, numbers(&now)?);
        let (mut new_errors, mut old_errors) = (errors(&now)?, errors(before)?);
        let all = new_errors.len();
        // A test of both, then the same place, then the same function: lines move.
        let same: [fn(&Test, &Test) -> bool; 3] = [
            |one, other| one.number == other.number,
            |one, other| fault(one).place() == fault(other).place(),
            |_, _| true,
        ];
        for same in same {
            // Each error of one version is at most one of the other.
            new_errors.retain(|test| {
                let is_same =
                    |old: &Test| same(old, test) && is_same_error(fault(old), fault(test));
                let position = old_errors.iter().position(is_same);
                position
                    .map(|position| old_errors.remove(position))
                    .is_none()
            });
        }
        Ok(Report {
            paths: Difference::of(&old_tree, &new_tree),
            tests_added: new_numbers.difference(&old_numbers).copied().collect(),
            tests_dropped: old_numbers.difference(&new_numbers).copied().collect(),
            old: all - new_errors.len(),
            new: new_errors,
            fixed: old_errors,
            run: now.read_run().map_err(text)?,
            explored,
        })
    }

    /// New errors in full, fixed ones by name.
    pub fn show_errors(&self) {
        for test in &self.new {
            let number = test.number;
            let directory = self.explored.directory.display();
            let diagnostic = Diagnostic {
                fault: fault(test),
                inputs: &test.inputs,
                command: command_of(test, &self.run.surroundings(test)),
                test: Some((
                    number,
                    format!("refrain replay {directory} --test {number}"),
                )),
            };
            show(&diagnostic.render(has_colours()));
        }
        for test in &self.fixed {
            let fault = fault(test);
            let place = fault.place().map(|place| format!(" in {place}"));
            let what = format!("{}{}", fault.kind.name(), place.unwrap_or_default());
            show(&format!(
                "fixed: {what}, test {} of the version before\n",
                test.number
            ));
        }
    }

    /// How many paths and errors are others.
    pub fn counts(&self) -> Lines {
        let paths = &self.paths;
        let all = paths.same + (paths.changed.len() + paths.new.len()) as u64;
        let mut lines = Lines::default();
        lines.add(
            "paths",
            &format!(
                "{all}: {} as before, {} with another end, {} new; {} gone",
                paths.same,
                paths.changed.len(),
                paths.new.len(),
                paths.gone.len()
            ),
        );
        lines.add(
            "errors",
            &format!(
                "{} new, {} fixed, {} as before",
                self.new.len(),
                self.fixed.len(),
                self.old
            ),
        );
        lines
    }

    fn show(&self) {
        self.show_errors();
        let stats = &self.explored.stats;
        let mut lines = self.counts();
        lines.add(
            "executed",
            &format!(
                "{} paths again, {} kept; {} questions were others than before; {} solved, in {:.2} s",
                stats.paths,
                self.explored.kept,
                stats.changed,
                stats.effort.solver.checks,
                stats.total.as_secs_f64()
            ),
        );
        let tests = |numbers: &[u32]| match numbers {
            [] => "none".to_string(),
            numbers if numbers.len() > MOST_LISTED => numbers.len().to_string(),
            numbers => {
                let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
                numbers.join(", ")
            }
        };
        lines.add(
            "tests",
            &format!(
                "to add: {}; to drop: {}",
                tests(&self.tests_added),
                tests(&self.tests_dropped)
            ),
        );
        lines.add("results", &self.explored.directory.display().to_string());
        print!("{}", lines.text());
    }

    fn json(&self) -> Value {
        let numbers =
            |tests: &[Test]| -> Vec<u32> { tests.iter().map(|test| test.number).collect() };
        let stats = &self.explored.stats;
        json!({
            "directory": self.explored.directory,
            "paths": {
                "same": self.paths.same,
                "changed": self.paths.changed.len(),
                "new": self.paths.new.len(),
                "gone": self.paths.gone.len(),
                "kept": self.explored.kept,
                "executed": stats.paths,
            },
            "errors": {
                "new": numbers(&self.new),
                "fixed": numbers(&self.fixed),
                "old": self.old,
            },
            "tests": { "added": self.tests_added, "dropped": self.tests_dropped },
            "questions_changed": stats.changed,
            "instructions": stats.instructions,
            "solver_calls": stats.effort.solver.checks,
            "seconds": stats.total.as_secs_f64(),
        })
    }

    /// The new errors alone.
    fn sarif(&self) -> Result<Vec<u8>, String> {
        let here = std::env::current_dir().map_err(text)?;
        let mut results = Results::read(&self.explored.directory, &here).map_err(text)?;
        let is_new = |test: &Test| self.new.iter().any(|new| new.number == test.number);
        results.tests.retain(is_new);
        refrain_report::sarif(&results).map_err(text)
    }

    fn status(&self) -> u8 {
        match self.explored.status {
            0 | 1 => u8::from(!self.new.is_empty()),
            other => other,
        }
    }
}

/// More tests than these are only counted.
const MOST_LISTED: usize = 20;

fn text(error: impl ToString) -> String {
    error.to_string()
}

/// The error that a test shows.
fn fault(test: &Test) -> &Fault {
    match &test.outcome {
        Outcome::Error(fault) => fault,
        outcome => unreachable!("no error: {outcome:?}"),
    }
}

/// A test for each error that a run found.
fn errors(directory: &OutputDirectory) -> Result<Vec<Test>, String> {
    let pack = directory.tests().map_err(text)?;
    let mut sites = HashSet::new();
    let mut errors = Vec::new();
    for number in pack.numbers() {
        let test = pack.read(number).map_err(text)?;
        if let Outcome::Error(fault) = &test.outcome
            && sites.insert(site_of(fault))
        {
            errors.push(test);
        }
    }
    Ok(errors)
}
