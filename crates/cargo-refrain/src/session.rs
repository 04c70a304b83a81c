//! The whole of it: build, find the properties, explore each, report.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;

use rustix::fs::{FlockOperation, flock};

use crate::arguments::Arguments;
use crate::bitcode::{self, Program};
use crate::error::Error;
use crate::explore::Refrain;
use crate::property::{self, Property};
use crate::regression::{self, ByModule};
use crate::report::{Ending, Findings, Report};
use crate::show::Inputs;
use crate::verdict::Verdict;

/// What is known of a property in the end: the verdict, and the input of each of its failures.
pub type Explored = Result<(Verdict, Vec<Inputs>), Error>;

pub fn run(arguments: &Arguments) -> Result<Ending, Error> {
    let session = Session {
        arguments,
        refrain: Refrain::find()?,
    };
    let folder = bitcode::target_directory(&arguments.project)?.join("refrain");
    let programs = bitcode::build(&arguments.project, &folder, arguments.quiet)?;
    let _turn = match arguments.out {
        None => Some(wait_for_turn(&folder)?),
        Some(_) => None,
    };
    let results = results_directory(arguments, &folder)?;
    let mut found = Vec::new();
    for program in &programs {
        let properties = property::of_program(&program.bitcode)?;
        if !properties.is_empty() {
            found.push((program, properties));
        }
    }
    if found.is_empty() {
        return Err(Error::NoProperties);
    }
    let is_any = |(_, properties): &(_, Vec<Property>)| {
        properties
            .iter()
            .any(|property| session.is_wanted(property))
    };
    if !found.iter().any(is_any) {
        return Err(Error::NoMatch {
            filter: arguments.filter.clone().unwrap_or_default(),
            names: found
                .into_iter()
                .flat_map(|(_, properties)| properties)
                .map(|property| property.name)
                .collect(),
        });
    }
    let mut regressions = ByModule::new();
    let mut ending = Ending::Holds;
    let mut broken = None;
    for (program, properties) in found {
        let folder = folder_for(&results, &properties);
        let (own, error) = session.program(program, properties, &folder, &mut regressions);
        ending = ending.max(own);
        broken = broken.or(error);
    }
    if let Some(file) = &arguments.emit_tests {
        for said in regression::write(file, &regressions)? {
            println!("{said}");
        }
    }
    match broken {
        Some(error) if ending < Ending::Fails => Err(error),
        _ => Ok(ending),
    }
}

/// Results of one project are in one place: who comes second waits. The file is locked until it is closed.
fn wait_for_turn(folder: &Path) -> Result<File, Error> {
    let path = folder.join("results.lock");
    let lock = || -> std::io::Result<File> {
        std::fs::create_dir_all(folder)?;
        let file = File::create(&path)?;
        if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            eprintln!("    Blocking waiting for another cargo refrain in this project");
            flock(&file, FlockOperation::LockExclusive)?;
        }
        Ok(file)
    };
    lock().map_err(Error::file(path.clone()))
}

/// A place for results: the one that is named, which must be new, or one of ours, without those of the last time.
fn results_directory(arguments: &Arguments, folder: &Path) -> Result<PathBuf, Error> {
    let Some(path) = arguments.out.clone() else {
        let path = folder.join("results");
        return match std::fs::remove_dir_all(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::file(path)(error))
            }
            _ => Ok(path),
        };
    };
    let is_used = std::fs::read_dir(&path).is_ok_and(|mut entries| entries.next().is_some());
    if is_used {
        return Err(Error::NotEmpty { path });
    }
    Ok(path)
}

/// A folder for the properties of one program: by the name of its crate, which several may share.
fn folder_for(results: &Path, properties: &[Property]) -> PathBuf {
    let package = properties
        .first()
        .map_or("", |property| property.package.as_str());
    let numbered = (2..).map(|number| results.join(format!("{package}-{number}")));
    std::iter::once(results.join(package))
        .chain(numbered)
        .find(|path| !path.exists())
        .unwrap_or_else(|| results.to_path_buf())
}

struct Session<'a> {
    arguments: &'a Arguments,
    refrain: Refrain,
}

impl Session<'_> {
    fn is_wanted(&self, property: &Property) -> bool {
        match &self.arguments.filter {
            None => true,
            Some(filter) if self.arguments.exact => property.name == *filter,
            Some(filter) => property.name.contains(filter),
        }
    }

    fn is_skipped(&self, property: &Property) -> bool {
        property.is_ignored && !self.arguments.ignored && !self.arguments.include_ignored
    }

    /// The properties of one program: how they came out, and why one could not be explored.
    fn program(
        &self,
        program: &Program,
        mut properties: Vec<Property>,
        folder: &Path,
        regressions: &mut ByModule,
    ) -> (Ending, Option<Error>) {
        let all = properties.len();
        properties.retain(|property| {
            self.is_wanted(property) && (property.is_ignored || !self.arguments.ignored)
        });
        let started = Instant::now();
        let mut report = Report::new(self.arguments.quiet);
        report.begin(&program.title, properties.len());
        let mut broken = None;
        self.explore_all(
            program,
            &properties,
            folder,
            |property, explored| match explored {
                None => report.ignored(property),
                Some(Err(error)) => {
                    report.broken(property, &error);
                    broken.get_or_insert(error);
                }
                Some(Ok((verdict, inputs))) => {
                    let tests: Vec<String> = (1..)
                        .zip(&inputs)
                        .map(|(number, inputs)| regression::test(property, inputs, number))
                        .collect();
                    if !tests.is_empty() {
                        let module = (property.package.clone(), property.module().to_string());
                        regressions.entry(module).or_default().extend(tests.clone());
                    }
                    report.explored(
                        property,
                        Findings {
                            verdict,
                            inputs,
                            tests,
                        },
                    );
                }
            },
        );
        let ending = report.end(all - properties.len(), started.elapsed());
        (ending, broken)
    }

    /// Explores properties, several at a time, and tells of each in their order; of one that is ignored, nothing.
    fn explore_all(
        &self,
        program: &Program,
        properties: &[Property],
        folder: &Path,
        mut tell: impl FnMut(&Property, Option<Explored>),
    ) {
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = self
            .arguments
            .jobs
            .map_or_else(processors, |jobs| usize::from(jobs.get()));
        let next = AtomicUsize::new(0);
        let (sender, receiver) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..jobs.min(properties.len()) {
                let (sender, next) = (sender.clone(), &next);
                scope.spawn(move || {
                    while let Some((index, property)) = take(properties, next) {
                        let explored = (!self.is_skipped(property))
                            .then(|| self.explore(program, property, folder));
                        if sender.send((index, explored)).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            let mut waiting: Vec<Option<Option<Explored>>> =
                properties.iter().map(|_| None).collect();
            let mut told = 0;
            for (index, explored) in receiver {
                waiting[index] = Some(explored);
                while let Some(explored) = waiting.get_mut(told).and_then(Option::take) {
                    tell(&properties[told], explored);
                    told += 1;
                }
            }
        });
    }

    fn explore(&self, program: &Program, property: &Property, folder: &Path) -> Explored {
        let out = folder.join(property.name.replace("::", "."));
        let mut options = Vec::new();
        if self.arguments.max_time > 0.0 {
            options.extend(["--max-time".into(), self.arguments.max_time.to_string()]);
        }
        if property.should_panic {
            // A path that does not panic is a failure, whether or not it reaches new code.
            options.extend(["--tests".into(), "all".into()]);
        }
        let bitcode = &program.bitcode;
        let results = self
            .refrain
            .explore(bitcode, &property.test, &options, &out)?;
        let verdict = Verdict::of(property, &results)?;
        let shown = |(number, test): (usize, u32)| {
            let out = out.join("inputs").join(number.to_string());
            Inputs::of(&self.refrain, bitcode, property, (&results, test), &out)
        };
        let tests = verdict.failures.iter().map(|failure| failure.test);
        let inputs = tests.enumerate().map(shown).collect::<Result<_, _>>()?;
        Ok((verdict, inputs))
    }
}

/// The next property that nobody has taken.
fn take<'a>(properties: &'a [Property], next: &AtomicUsize) -> Option<(usize, &'a Property)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    Some((index, properties.get(index)?))
}
