//! The whole of it: build, find the properties, explore each, report.

use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;

use refrain_results::OutputDirectory;
use rustix::fs::{FlockOperation, flock};

use crate::arguments::Arguments;
use crate::bitcode;
use crate::error::Error;
use crate::explore::Refrain;
use crate::kept::{self, Kept, Mark};
use crate::property::{self, Property};
use crate::regression::{self, ByModule};
use crate::report::{Ending, Findings, Report};
use crate::show::Inputs;
use crate::verdict::{Failure, Verdict};

/// Of the results of a property, the folder of its failures' inputs.
const INPUTS: &str = "inputs";

/// What is known of a property in the end: the verdict, and the input of each of its failures.
struct Known {
    verdict: Verdict,
    inputs: Vec<Inputs>,
    /// From the last time.
    is_kept: bool,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Error> {
    let refrain = Refrain::find()?;
    let session = Session {
        arguments,
        identity: refrain.identity()?,
        refrain,
    };
    let folder = bitcode::target_directory(&arguments.project)?.join("refrain");
    let mut programs = bitcode::build(&arguments.project, &folder, arguments.quiet)?;
    // Always in the same order, so that results are found again.
    programs.sort_by(|one, other| one.bitcode.cmp(&other.bitcode));
    let _turn = match arguments.out {
        None => Some(wait_for_turn(&folder)?),
        Some(_) => None,
    };
    let results = results_directory(arguments, &folder)?;
    let mut found = Vec::new();
    for program in &programs {
        let (properties, digest) = property::of_program(&program.bitcode)?;
        if !properties.is_empty() {
            found.push((program, digest, properties));
        }
    }
    if found.is_empty() {
        return Err(Error::NoProperties);
    }
    let is_any = |(_, _, properties): &(_, _, Vec<Property>)| {
        properties
            .iter()
            .any(|property| session.is_wanted(property))
    };
    if !found.iter().any(is_any) {
        return Err(Error::NoMatch {
            filter: arguments.filter.clone().unwrap_or_default(),
            names: found
                .into_iter()
                .flat_map(|(_, _, properties)| properties)
                .map(|property| property.name)
                .collect(),
        });
    }
    let mut regressions = ByModule::new();
    let mut ending = Ending::Holds;
    let mut broken = None;
    let mut used = HashSet::new();
    for (program, digest, properties) in found {
        let folder = folder_for(&results, &properties, &mut used);
        kept::forget_others(&folder, &properties)?;
        let place = Place {
            bitcode: &program.bitcode,
            digest,
            folder,
        };
        let (own, error) = session.program(&program.title, &place, properties, &mut regressions);
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

/// A place for results: the one that is named, which must be new, or ours, with those of the last time if they count.
fn results_directory(arguments: &Arguments, folder: &Path) -> Result<PathBuf, Error> {
    let Some(path) = arguments.out.clone() else {
        let path = folder.join("results");
        if arguments.fresh {
            kept::remove(&path)?;
        }
        return Ok(path);
    };
    let is_used = std::fs::read_dir(&path).is_ok_and(|mut entries| entries.next().is_some());
    if is_used {
        return Err(Error::NotEmpty { path });
    }
    Ok(path)
}

/// A folder for the properties of one program: by the name of its crate, which several may share.
fn folder_for(results: &Path, properties: &[Property], used: &mut HashSet<PathBuf>) -> PathBuf {
    let package = properties
        .first()
        .map_or("", |property| property.package.as_str());
    let numbered = (2..).map(|number| results.join(format!("{package}-{number}")));
    std::iter::once(results.join(package))
        .chain(numbered)
        .find(|path| used.insert(path.clone()))
        .unwrap_or_else(|| results.to_path_buf())
}

/// The code of a program, and where the results of its properties are.
struct Place<'a> {
    bitcode: &'a Path,
    digest: String,
    folder: PathBuf,
}

struct Session<'a> {
    arguments: &'a Arguments,
    refrain: Refrain,
    identity: String,
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
        title: &str,
        place: &Place<'_>,
        mut properties: Vec<Property>,
        regressions: &mut ByModule,
    ) -> (Ending, Option<Error>) {
        let all = properties.len();
        properties.retain(|property| {
            self.is_wanted(property) && (property.is_ignored || !self.arguments.ignored)
        });
        let started = Instant::now();
        let mut report = Report::new(self.arguments.quiet);
        report.begin(title, properties.len());
        let mut broken = None;
        self.explore_all(place, &properties, |property, explored| match explored {
            None => report.ignored(property),
            Some(Err(error)) => {
                report.broken(property, &error);
                broken.get_or_insert(error);
            }
            Some(Ok(known)) => {
                let Known {
                    verdict,
                    inputs,
                    is_kept,
                } = known;
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
                        is_kept,
                    },
                );
            }
        });
        let ending = report.end(all - properties.len(), started.elapsed());
        (ending, broken)
    }

    /// Explores properties, several at a time, and tells of each in their order; of one that is ignored, nothing.
    fn explore_all(
        &self,
        place: &Place<'_>,
        properties: &[Property],
        mut tell: impl FnMut(&Property, Option<Result<Known, Error>>),
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
                        let explored =
                            (!self.is_skipped(property)).then(|| self.explore(place, property));
                        if sender.send((index, explored)).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            let mut waiting: Vec<Option<Option<Result<Known, Error>>>> =
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

    /// What is known of a property, and what is still to be found out.
    fn explore(&self, place: &Place<'_>, property: &Property) -> Result<Known, Error> {
        let out = kept::folder_of(&place.folder, property);
        let mark = Mark {
            entry: property.test.clone(),
            digest: place.digest.clone(),
            refrain: self.identity.clone(),
        };
        let kept = mark.find(&out);
        let is_kept = matches!(kept, Kept::All(_));
        if !is_kept {
            Mark::take_away(&out)?;
        }
        let results = self.results(kept, place, property, &out)?;
        let verdict = Verdict::of(property, &results)?;
        let shown = |failure: &Failure| {
            let test = failure.test;
            let out = out.join(INPUTS).join(test.to_string());
            let test = (&results, test);
            Inputs::of(&self.refrain, place.bitcode, property, test, &out)
        };
        let inputs = verdict.failures.iter().map(shown);
        let inputs = inputs.collect::<Result<_, _>>()?;
        if !is_kept {
            mark.set(&results)?;
        }
        Ok(Known {
            verdict,
            inputs,
            is_kept,
        })
    }

    /// Explores a property from what there is of it; from the start, if that is of no use.
    fn results(
        &self,
        kept: Kept,
        place: &Place<'_>,
        property: &Property,
        out: &Path,
    ) -> Result<OutputDirectory, Error> {
        // It is said also where there is none: what goes on from earlier results takes over what these were told.
        let time = match self.arguments.max_time {
            0.0 => "none".into(),
            seconds => seconds.to_string(),
        };
        let mut options = vec!["--max-time".into(), time];
        if property.should_panic {
            // A path that does not panic is a failure, whether or not it reaches new code.
            options.extend(["--tests".into(), "all".into()]);
        }
        let (refrain, bitcode, entry) = (&self.refrain, place.bitcode, &property.test);
        let known = match kept {
            Kept::All(results) => Some(results),
            Kept::Part => {
                kept::remove(&out.join(INPUTS))?;
                refrain.resume(entry, &options, out).ok()
            }
            Kept::Before => {
                let next = kept::folder_of_next(&place.folder, property);
                kept::remove(&next)?;
                match refrain.diff(out, bitcode, entry, &options, &next) {
                    Ok(_) => Some(kept::replace(out, &next)?),
                    Err(_) => None,
                }
            }
            Kept::Nothing => None,
        };
        match known {
            Some(results) => Ok(results),
            None => {
                kept::remove(out)?;
                refrain.explore(bitcode, entry, &options, out)
            }
        }
    }
}

/// The next property that nobody has taken.
fn take<'a>(properties: &'a [Property], next: &AtomicUsize) -> Option<(usize, &'a Property)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    Some((index, properties.get(index)?))
}
