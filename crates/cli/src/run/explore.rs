//! A program with symbolic input: all its paths.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use refrain_explore::workers::{self, Kit, Outcome, Parts};
use refrain_explore::{ExploreError, Limits, Options, Stats, StopReason};
use refrain_llvm::machine::{Coverage, Machine, Start, State};
use refrain_machine::Parameter;
use refrain_memo::Header;
use refrain_results::{Run, Source};
use refrain_reuse::{Count, SharedAnswers};
use refrain_solver::Solver;

use super::origin::{Beginning, Origin};
use super::record::{Counts, Record};
use super::recorder::Recorder;
use super::seeds::{self, Subject};
use super::status::Status;
use super::summary::summary;
use super::{Arguments, How};
use crate::host_files::{Connection, HostFiles};
use crate::program::Bitcode;
use crate::{allocator, complain, show, signals, stats, store};

/// Exit status of a run that somebody interrupted, whatever it found: that of a program which SIGINT ended.
const INTERRUPTED: u8 = 130;

/// Exit status of a run that found nothing because no path came to an end, or that was to be complete and is not.
const NOTHING_PROVED: u8 = 3;

/// Of Refrain, as far as trees go: other sources may have other questions, hashes or a runtime that does something else.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "-", env!("REFRAIN_SOURCES"));

/// What came of exploring a program.
pub struct Explored {
    /// For the process to exit with.
    pub status: u8,
    pub directory: PathBuf,
    /// How many paths were not executed again.
    pub kept: u64,
    pub stats: Stats,
    pub coverage: Coverage,
}

impl Explored {
    /// Somebody stopped it.
    pub fn is_interrupted(&self) -> bool {
        self.status == INTERRUPTED
    }
}

/// What a worker has.
struct Worker<'a> {
    machine: Machine,
    make_solver: Box<dyn Fn() -> Box<dyn Solver> + 'a>,
    recorder: Recorder<'a>,
}

impl<'a> Kit for Worker<'a> {
    type Machine = Machine;
    type Listener = Recorder<'a>;

    fn parts(&mut self) -> Parts<'_, Machine, Recorder<'a>> {
        Parts {
            machine: &mut self.machine,
            make_solver: &*self.make_solver,
            listener: &mut self.recorder,
        }
    }
}

pub fn explore(
    arguments: &Arguments,
    inputs: &[PathBuf],
    bitcode: &Bitcode,
    (mut machine, state): (Machine, State),
    files: &HostFiles,
    origin: &Origin,
) -> Result<Explored, String> {
    let how = &arguments.how;
    let mut options = options(arguments)?;
    if arguments.stop.is_none() {
        signals::stop_on_interrupt(&options.limits.stop)?;
    }
    let layers = how.asking.layers()?;
    let is_kept = layers.keeps_answers() && how.store != Path::new("none");
    let answers = if is_kept {
        store::for_run(Some(&how.store))
    } else {
        None
    };
    // What cannot be had is told before anything is written.
    how.asking.solver(layers.clone(), None, None, None)?;
    if let Some(note) = how.asking.note() {
        complain(note);
    }
    if let Some(earlier) = origin.earlier() {
        files.check(&earlier.run, earlier.directory.path())?;
    }
    let parameters = make_ready(arguments, files, &mut machine, state)?;
    let header = header(arguments, &parameters)?;
    let run = description(arguments, inputs, parameters, bitcode.digest())?;
    let mut guide = match origin {
        Origin::Same(_, Some(_)) => Some(load(arguments, files, bitcode)?),
        _ => None,
    };
    let beginning = Beginning::new(arguments, &machine, guide.as_mut(), origin, &run, header)?;
    drop(guide);
    beginning.directory.remove_leftovers();
    let earlier = { origin.earlier() }.map(|earlier| earlier.directory.path());
    files.note_in(beginning.directory.path(), earlier)?;
    arguments.stdin.keep_in(beginning.directory.path());
    let memo = beginning.memo.clone();
    options.memo = Some(memo.clone());
    let writer = beginning.directory.test_writer();
    let writer = writer.map_err(|error| error.to_string())?;
    let jobs = usize::from(how.jobs);
    let over_integers = arguments.arithmetic == "integers";
    let record = Record::new(
        beginning,
        writer.handle(),
        how.which_tests(),
        (arguments.world()?, arguments.stdin.clone()),
        jobs,
        Status::new(how.quiet),
    )?;
    if over_integers {
        complain("numbers are mathematical integers: overflow is not modelled");
    }
    let started = Instant::now();
    let shared = (jobs > 1 && layers.canonize).then(Arc::<SharedAnswers>::default);
    let memory = how.limits.memory();
    let share = memory.map(|bytes| bytes / 4 / jobs as u64);
    let worker = |number, mut machine: Machine| {
        memo.cover(&mut machine);
        let (layers, answers, shared) = (layers.clone(), answers.clone(), shared.clone());
        Worker {
            machine,
            make_solver: Box::new(move || {
                let (layers, answers) = (layers.clone(), answers.clone());
                let made = how.asking.solver(layers, answers, shared.clone(), share);
                made.expect("it could be made before")
            }),
            recorder: Recorder {
                record: &record,
                worker: number,
                notes_overflow: over_integers,
            },
        }
    };
    let outcome = if jobs == 1 {
        workers::explore_alone(&options, worker(0, machine))
    } else {
        drop(machine);
        workers::explore(jobs, &options, |number| {
            match load(arguments, files, bitcode) {
                Ok(machine) => Ok(worker(number, machine)),
                Err(error) => Err(ExploreError::Setup(String::into(error))),
            }
        })
    };
    if matches!(&outcome, Ok(outcome) if outcome.reason == StopReason::Done) {
        record.judge_assumptions();
    }
    let written = writer.finish().map_err(|error| error.to_string());
    record.end_status();
    if let Some(answers) = answers {
        store::close(answers);
    }
    let outcome: Outcome = outcome.map_err(|error| error.to_string())?;
    let stats = stats::of_exploring(&record, &outcome.stats);
    record.finish(&stats)?;
    written?;
    if let Some(path) = &how.stats {
        stats::write(path, &stats)?;
    }
    if !how.quiet && !matches!(origin, Origin::Version(_)) {
        show(&summary(&record, &outcome, started.elapsed()));
    }
    let internal = Counts::get(&record.counts.internal);
    if internal > 0 {
        return Err(format!(
            "{internal} paths ended in a bug of Refrain, see boundary.json; please report it"
        ));
    }
    Ok(Explored {
        status: status(how, &record, outcome.reason),
        directory: record.directory().path().to_path_buf(),
        kept: record.kept,
        stats: outcome.stats,
        coverage: record.coverage(),
    })
}

fn status(how: &How, record: &Record, reason: StopReason) -> u8 {
    if reason == StopReason::Interrupted {
        return INTERRUPTED;
    }
    if record.errors() > 0 {
        return 1;
    }
    // Of threads one order is explored.
    let is_complete = record.boundaries().is_empty() && !record.has_threads();
    if !record.has_ended_paths() || (how.complete && !is_complete) {
        return NOTHING_PROVED;
    }
    0
}

/// One more machine of a program.
fn load(arguments: &Arguments, files: &HostFiles, bitcode: &Bitcode) -> Result<Machine, String> {
    let options = arguments.sources.machine_options();
    let host = Connection::exploring(files, &arguments.stdin);
    let (mut machine, state) = bitcode.load(options, host)?;
    make_ready(arguments, files, &mut machine, state)?;
    Ok(machine)
}

/// Tells a machine what it needs to know of the exploration. The parameters of an entry function other than `main`.
pub fn make_ready(
    arguments: &Arguments,
    files: &HostFiles,
    machine: &mut Machine,
    mut loaded: State,
) -> Result<Vec<Parameter>, String> {
    machine.set_host(Connection::exploring(files, &arguments.stdin));
    loaded.allow_failures(arguments.max_fail()?);
    machine.print_later(true);
    machine.count_iterations(arguments.how.limits.max_unroll != u32::MAX);
    if let Some(target) = &arguments.how.to {
        machine.set_target(target)?;
    }
    let entry = arguments.entry().to_string();
    // The same program is to have the same paths wherever it is explored: no variable of the environment is the user's.
    let world = arguments.world()?;
    let start = if machine.is_plain_main(&entry) {
        Start::Main { entry, world }
    } else if let (Some(most), false) = (arguments.fuzz_target, world.is_symbolic()) {
        Start::Fuzz { entry, most }
    } else if world.is_symbolic() {
        return Err(format!(
            "{entry} is no main of a whole program: its parameters are its input, and no --sym-… goes with it"
        ));
    } else {
        Start::Function {
            entry,
            buffers: arguments.buffer.clone(),
        }
    };
    machine
        .set_start(loaded, start)
        .map_err(|error| error.to_string())
}

fn options(arguments: &Arguments) -> Result<Options, String> {
    let how = &arguments.how;
    let limits = &how.limits;
    let layers = how.asking.layers()?;
    let subject = Subject {
        world: &arguments.world()?,
        fuzzed: arguments.fuzz_target,
    };
    let mut inputs = seeds::read(&arguments.input, &subject)?.into_iter();
    let (first_input, more_inputs) = (inputs.next().unwrap_or_default(), inputs.collect());
    Ok(Options {
        mode: how.mode(),
        search: how.search,
        seed: how.seed,
        numbers: arguments.numbers(),
        limits: Limits {
            time: limits.time(),
            depth: limits.max_depth,
            unroll: limits.max_unroll,
            paths: limits.max_paths,
            instructions: limits.max_instructions,
            memory: limits.memory(),
            forks: limits.max_forks,
            query: limits.query(),
            stop: arguments.stop.clone().unwrap_or_default(),
            give_back: allocator::give_back,
            ends_process: arguments.stop.is_none(),
            ..Limits::default()
        },
        trust_model: layers.model,
        partial_solutions: layers.partial_solutions.map(Count::most),
        first_input,
        more_inputs,
        memo: None,
        recorded: None,
    })
}

fn description(
    arguments: &Arguments,
    inputs: &[PathBuf],
    parameters: Vec<Parameter>,
    digest: String,
) -> Result<Run, String> {
    let how = &arguments.how;
    let absolute = |path: &Path| {
        std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let mut sources = Vec::new();
    for path in inputs {
        let contents =
            std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        sources.push(Source {
            path: absolute(path)?,
            hash: Source::hash_of(&contents),
        });
    }
    let flags = arguments.sources.compile_options()?;
    Ok(Run {
        version: env!("CARGO_PKG_VERSION").into(),
        program: sources[0].path.clone(),
        with: sources[1..]
            .iter()
            .map(|source| source.path.clone())
            .collect(),
        args: arguments
            .words()
            .map(|arg| arg.to_string_lossy().into_owned())
            .collect(),
        cflags: flags.cflags,
        rustflags: flags.rustflags,
        entry: arguments.entry().to_string(),
        parameters,
        world: arguments.world()?,
        piped: None,
        mode: how.mode.clone(),
        search: how.search.name().into(),
        seed: how.seed,
        reuse: how.asking.reuse.clone(),
        solver: how.asking.solver.clone(),
        arithmetic: arguments.arithmetic.clone(),
        checks: arguments.sources.check.clone(),
        sources,
        digest,
        directory: std::env::current_dir().map_err(|error| error.to_string())?,
        named: arguments.program[0].to_string_lossy().into_owned(),
        switches: arguments.given.words(),
    })
}

/// What gives the tree of a run its meaning, whatever version of the program it is of.
pub fn header(arguments: &Arguments, parameters: &[Parameter]) -> Result<Header, String> {
    let args = arguments.args();
    let args = args.iter().map(|arg| refrain_results::text(arg));
    let parameters = parameters.iter().map(|parameter| format!("{parameter:?}"));
    let list = |words: Vec<String>| words.join(" ");
    let world = serde_json::to_string(&arguments.world()?).map_err(|error| error.to_string())?;
    let entries = [
        ("version", VERSION.to_string()),
        ("entry", arguments.entry().to_string()),
        ("arguments", list(args.collect())),
        ("parameters", list(parameters.collect())),
        ("world", world),
        ("arithmetic", arguments.arithmetic.clone()),
        ("checks", list(arguments.sources.check.clone())),
        ("files", arguments.world.clone()),
        ("max-fail", arguments.max_fail()?.to_string()),
    ];
    let entries = entries.map(|(key, value)| (key.to_string(), value));
    Ok(Header(entries.into()))
}
