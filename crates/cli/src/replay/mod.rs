//! `refrain replay`: the tests of a run, natively, against what they say.

mod binary;
pub mod compare;
pub mod concrete;
mod native;
pub mod stage;
mod symbols;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use clap::Args;
use refrain_compile::{self as compile, Scratch};
use refrain_llvm::load::Options as MachineOptions;
use refrain_llvm::native::Detached;
use refrain_llvm::native::trace::Trace;
use refrain_machine::{ErrorKind, Fault, Surroundings};
use refrain_results::{Outcome, OutputDirectory, Run, Source, Test, test_name};

use crate::asking::seconds;
use crate::complain;
use crate::program::{Bitcode, Sources, options_of};
use crate::selection::Selection;
use compare::Native;
use concrete::{Concrete, Platform, Start};
use native::{Bench, Ended, Ran, Site, Word};
use symbols::Symbols;

/// Run the tests of a run natively, and compare with what was explored
///
/// The program is built again, natively, with the sources and flags of the run. Every test is run in a process of its
/// own, and again in the machine: how it ends, what it writes and the branches it takes must be the same. An error
/// that a native program survives, such as a read out of bounds, is looked for with clang's sanitizers.
///
/// Exit status: 0 if all are the same, 1 if some differ or are damaged, 2 if they could not be run.
#[derive(Args)]
#[command(after_help = "Examples:
  refrain replay refrain-last             all tests of the newest run
  refrain replay refrain-last --test 3    one of them
  refrain replay refrain-last --binary ./src/wc    on the program that is installed, or was built otherwise")]
pub struct Arguments {
    /// The output directory of a run
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// Only the test of this number; may be repeated
    #[arg(long, value_name = "N")]
    test: Vec<u32>,

    /// Run this program, as it is, in place of one that is built: with the arguments, environment, standard input and
    /// files of each test, where it can do no harm
    #[arg(long, value_name = "PROGRAM")]
    binary: Option<PathBuf>,

    /// Run native programs although they cannot be kept from changing files and stopping processes here
    #[arg(long)]
    unconfined: bool,

    /// The longest that a test may take
    #[arg(long, default_value = "10", value_name = "SECONDS", value_parser = seconds)]
    timeout: Duration,

    /// Print the compiler commands, and how every test went, to standard error
    #[arg(long, short)]
    verbose: bool,
}

/// What came out for a test.
enum Verdict {
    Same,
    /// In what it differs.
    Differs(Vec<String>),
    /// It differs in nothing but what a file system chooses, and was seen to depend on that.
    Chosen(Vec<String>),
    /// Nothing can be said natively, and why.
    Unseen(String),
    /// It cannot be read, and why.
    Damaged(String),
}

/// What all workers share.
struct Lab<'a> {
    run: &'a Run,
    arguments: &'a Arguments,
    inputs: Vec<PathBuf>,
    options: compile::Options,
    entry: Option<compile::Entry>,
    /// Where programs and processes are.
    folder: Scratch,
    bitcode: Bitcode,
    start: Start,
    platform: Platform,
    /// Native programs are.
    confined: bool,
    machine_options: MachineOptions,
    traced: bool,
    /// The functions of the native program.
    symbols: Symbols,
    /// The program with sanitizers, made when it is first needed; or why there is none.
    checked: OnceLock<Result<PathBuf, String>>,
}

pub fn run(arguments: &Arguments) -> Result<u8, String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let directory = OutputDirectory::open(&arguments.directory).map_err(|error| text(&error))?;
    let run = directory.read_run().map_err(|error| text(&error))?;
    let tests = Selection::of(&directory, &arguments.test)?;
    complain_of_changes(&run);
    let platform = Platform::of(&run)?;
    if let Some(changed) = platform.files.change_since(directory.path())? {
        complain(format!(
            "{changed} has changed since the run: its tests may be those of another program"
        ));
    }
    let confined = is_confined(&run, arguments)?;
    let found = match &arguments.binary {
        Some(program) => {
            let folder = temporary_folder()?;
            let site = Site {
                files: platform.files.clone(),
                results: arguments.directory.clone(),
                base: folder.path().to_path_buf(),
                reports: false,
                confined,
            };
            binary::replay(program, &run, &site, &tests, arguments)?
        }
        None => {
            let lab = Lab::build(&run, platform, confined, arguments)?;
            let check = |(bench, machine): &mut (Bench, Concrete), test: &Test| {
                lab.check(bench, machine, test)
            };
            check_all(&tests, arguments.verbose, || lab.worker(), check)?
        }
    };
    Ok(summarise(&found).max(u8::from(tests.is_damaged)))
}

fn temporary_folder() -> Result<Scratch, String> {
    Scratch::new().map_err(|error| format!("cannot use a temporary directory: {error}"))
}

fn open_bench(site: &Site) -> Result<Bench, String> {
    Bench::new(site).map_err(|error| format!("cannot run native programs: {error}"))
}

/// Whether native programs are confined. Where that is not possible they run all the same if nothing but the program
/// itself says what they do.
fn is_confined(run: &Run, arguments: &Arguments) -> Result<bool, String> {
    if arguments.unconfined {
        return Ok(false);
    }
    match stage::obstacle() {
        None => Ok(true),
        Some(_) if !run.world.is_symbolic() && arguments.binary.is_none() => Ok(false),
        Some(error) => Err(format!(
            "native programs cannot be confined here ({error}), and a test may remove files or stop processes: \
             --unconfined runs them all the same"
        )),
    }
}

/// Checks all tests, on all processors. What a worker needs is made for each of them.
fn check_all<W>(
    tests: &Selection,
    verbose: bool,
    make: impl Fn() -> Result<W, String> + Sync,
    check: impl Fn(&mut W, &Test) -> Result<Verdict, String> + Sync,
) -> Result<Vec<(u32, Verdict)>, String> {
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::new());
    let failed = Mutex::new(None);
    let work = || -> Result<(), String> {
        let mut worker = make()?;
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(&number) = tests.numbers.get(index) else {
                return Ok(());
            };
            let verdict = match tests.read(number) {
                Ok(test) => {
                    let verdict = check(&mut worker, &test)?;
                    if verbose {
                        verdict.tell(&test);
                    }
                    verdict
                }
                Err(error) => Verdict::Damaged(error.to_string()),
            };
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            found.push((number, verdict));
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers.min(tests.numbers.len()) {
            scope.spawn(|| {
                if let Err(error) = work() {
                    next.store(usize::MAX / 2, Ordering::Relaxed);
                    failed
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .get_or_insert(error);
                }
            });
        }
    });
    if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_by_key(|&(number, _)| number);
    Ok(found)
}

impl Verdict {
    /// Says how a test went.
    fn tell(&self, test: &Test) {
        let word = match self {
            Verdict::Same => "the same",
            Verdict::Differs(_) => "differs",
            Verdict::Chosen(_) => "differs in what the file system chooses",
            Verdict::Unseen(_) => "cannot be checked natively",
            Verdict::Damaged(_) => "cannot be read",
        };
        let (name, outcome) = (test.name(), compare::outcome(&test.outcome));
        complain(format!("{name}: {word} ({outcome})"));
    }
}

/// Names the sources that are not what they were; whether there are any.
pub fn complain_of_changes(run: &Run) -> bool {
    let mut has_changed = false;
    for source in &run.sources {
        let hash = std::fs::read(&source.path).map(|contents| Source::hash_of(&contents));
        if hash.is_ok_and(|hash| hash != source.hash) {
            has_changed = true;
            complain(format!(
                "{} has changed since the run: its tests may be those of another program",
                source.path.display()
            ));
        }
    }
    has_changed
}

fn summarise(found: &[(u32, Verdict)]) -> u8 {
    let (mut differ, mut chosen, mut unseen, mut damaged) = (0, 0, 0, 0);
    for (number, verdict) in found {
        let name = test_name(*number);
        match verdict {
            Verdict::Same => {}
            Verdict::Differs(ways) => {
                differ += 1;
                println!("{name} differs: {}", ways.join("; "));
            }
            Verdict::Chosen(ways) => {
                chosen += 1;
                println!(
                    "{name} differs in what the file system chooses: {}",
                    ways.join("; ")
                );
            }
            Verdict::Unseen(why) => {
                unseen += 1;
                println!("{name} cannot be checked natively: {why}");
            }
            Verdict::Damaged(why) => {
                damaged += 1;
                println!("{why}");
            }
        }
    }
    let same = found.len() - differ - chosen - unseen - damaged;
    let plural = if found.len() == 1 { "" } else { "s" };
    let mut line = format!(
        "{} test{plural}: {same} the same, {differ} differ",
        found.len()
    );
    if chosen > 0 {
        line += &format!(", {chosen} differ in what the file system chooses");
    }
    if unseen > 0 {
        line += &format!(", {unseen} cannot be checked natively");
    }
    if damaged > 0 {
        line += &format!(", {damaged} cannot be read");
    }
    println!("{line}");
    u8::from(differ + damaged > 0)
}

impl<'a> Lab<'a> {
    fn build(
        run: &'a Run,
        platform: Platform,
        confined: bool,
        arguments: &'a Arguments,
    ) -> Result<Lab<'a>, String> {
        let inputs: Vec<PathBuf> = std::iter::once(&run.program)
            .chain(&run.with)
            .cloned()
            .collect();
        let options = options_of(run);
        let machine_options = Sources {
            check: run.checks.clone(),
            ..Sources::default()
        }
        .machine_options();
        let start = Start::of(run);
        let mut entry = None;
        if !matches!(start, Start::Main(_)) {
            // The linker wants another name than the user.
            let bitcode = Bitcode::build(&inputs, &options, arguments.verbose)?;
            let (options, start) = (machine_options.clone(), start.clone());
            let machine = Concrete::new(&bitcode, options, start, &platform)?;
            entry = Some(compile::Entry {
                symbol: machine.symbol(&run.entry)?,
                parameters: run.parameters.clone(),
            });
        }
        let folder = temporary_folder()?;
        let program = folder.path().join("program");
        let build = |untraced: &[String]| -> Result<(Bitcode, bool), String> {
            let built = compile::replay(&inputs, &options, entry.as_ref(), untraced, &program)
                .map_err(|error| format!("cannot build the program natively: {error}"))?;
            let bitcode = Bitcode::of_built(built.built, &options, arguments.verbose)?;
            Ok((bitcode, built.traced))
        };
        let (mut bitcode, mut traced) = build(&[])?;
        // How arguments are found that nobody names depends on where the platform puts them: the machine puts them
        // elsewhere.
        let (machine, _) = bitcode.load(machine_options.clone(), Box::new(Detached))?;
        let untraced = machine.linked().variadic_functions();
        if traced && !untraced.is_empty() {
            (bitcode, traced) = build(&untraced)?;
        }
        let symbols = Symbols::read(&program).unwrap_or_default();
        if !traced {
            complain("branch decisions are not compared: how tests end and what they write is");
        }
        Ok(Lab {
            run,
            arguments,
            inputs,
            options,
            entry,
            folder,
            bitcode,
            start,
            platform,
            confined,
            machine_options,
            traced,
            symbols,
            checked: OnceLock::new(),
        })
    }

    /// What a worker needs.
    fn worker(&self) -> Result<(Bench, Concrete), String> {
        let bench = open_bench(&Site {
            files: self.platform.files.clone(),
            results: self.arguments.directory.clone(),
            base: self.folder.path().to_path_buf(),
            reports: true,
            confined: self.confined,
        })?;
        let options = self.machine_options.clone();
        let start = self.start.clone();
        let machine = Concrete::new(&self.bitcode, options, start, &self.platform)?;
        Ok((bench, machine))
    }

    fn check(&self, bench: &Bench, machine: &mut Concrete, test: &Test) -> Result<Verdict, String> {
        let limit = self.arguments.timeout;
        let surroundings = self.run.surroundings(test);
        if let Some(why) = binary::unplaceable(&surroundings) {
            return Ok(Verdict::Unseen(why));
        }
        let mut ways = Vec::new();
        let mut trace = None;
        match machine.run(test, limit) {
            Ok(ran) => {
                let is_main = self.entry.is_none();
                ways.extend(compare::in_the_machine(test, ran.end.as_ref(), is_main));
                // A run that was cut short says nothing of how many blocks there are, and one with threads nothing of
                // their order.
                let is_comparable = ran.end.is_some() && !ran.has_threads;
                trace = is_comparable.then_some(ran.trace);
            }
            Err(error) => ways.push(format!("in the machine: {error}")),
        }
        if let Some(failed) = test.failing_call() {
            let unseen = format!("a call of {failed} fails, which no native program can be told");
            return Ok(match ways.is_empty() {
                true => Verdict::Unseen(unseen),
                false => Verdict::Differs(ways),
            });
        }
        let program = self.folder.path().join("program");
        let blocks = trace.as_ref().map_or(0, |trace| trace.count);
        let ran = bench
            .run(&program, test, &surroundings, blocks, &[], limit)
            .map_err(|error| format!("cannot run the program: {error}"))?;
        let is_impossible = |outcome: &Outcome| matches!(outcome, Outcome::Error(fault) if compare::natively(fault.kind) == Native::Contradicts);
        match &ran.word {
            Word::Nothing => {}
            // As the test says.
            Word::Contradiction(_) if is_impossible(&test.outcome) => {}
            Word::Contradiction(what) => ways.push(what.clone()),
            Word::Impossible(what) => return Ok(Verdict::Unseen(what.clone())),
            Word::Broken(what) => return Err(what.clone()),
        }
        let mut unseen = None;
        if ran.word == Word::Nothing {
            // First: another run in the same place overwrites what is known of the blocks.
            let other_blocks = match trace {
                Some(trace) if self.traced => {
                    self.compare_blocks(bench, machine, test, &trace, &ran)?
                }
                _ => None,
            };
            match &test.outcome {
                Outcome::Exit { status, .. } => self.compare_exit(test, *status, &ran, &mut ways),
                Outcome::Error(fault) => {
                    match self.compare_error(bench, fault, test, &surroundings, &ran)? {
                        Verdict::Same => {}
                        Verdict::Differs(more) | Verdict::Chosen(more) => ways.extend(more),
                        Verdict::Unseen(why) | Verdict::Damaged(why) => unseen = Some(why),
                    }
                }
                Outcome::Unfinished(_) => {
                    let is_over = matches!(ran.ended, Ended::Exit(_));
                    if is_over && !ran.stdout.starts_with(&test.stdout) {
                        ways.push(compare::outputs(&test.stdout, &ran.stdout));
                    }
                }
            }
            ways.extend(other_blocks);
        }
        if !ways.is_empty() {
            if self.run.arithmetic == "integers" {
                ways[0].insert_str(0, "overflow is not modelled: ");
            }
            return Ok(Verdict::Differs(ways));
        }
        Ok(unseen.map_or(Verdict::Same, Verdict::Unseen))
    }

    fn compare_exit(&self, test: &Test, status: i32, ran: &Ran, ways: &mut Vec<String>) {
        // What another function than main returns is no status.
        let is_other = self.entry.is_some() && matches!(ran.ended, Ended::Exit(_));
        if !is_other && !compare::has_status(ran.ended, status) {
            let found = compare::ending(ran.ended);
            ways.push(format!("{found} natively instead of with {status}"));
        }
        if ran.stdout != test.stdout && ran.ended != Ended::TimedOut {
            ways.push(compare::outputs(&test.stdout, &ran.stdout));
        }
    }

    fn compare_error(
        &self,
        bench: &Bench,
        fault: &Fault,
        test: &Test,
        surroundings: &Surroundings,
        ran: &Ran,
    ) -> Result<Verdict, String> {
        let dies = compare::has_died(ran.ended);
        let kind = compare::natively(fault.kind);
        let otherwise = || {
            let found = compare::ending(ran.ended);
            Verdict::Differs(vec![format!("{found} natively instead of: {}", fault.kind)])
        };
        match kind {
            Native::Dies if dies => return Ok(Verdict::Same),
            Native::DiesOrReported if dies => return Ok(Verdict::Same),
            Native::Dies | Native::Contradicts => return Ok(otherwise()),
            Native::Unseen => {
                return Ok(Verdict::Unseen(format!("{} shows nowhere", fault.kind)));
            }
            Native::DiesOrReported | Native::Reported | Native::MayBeReported => {}
        }
        let checked = self.checked.get_or_init(|| self.build_checked());
        let program = match checked {
            Ok(program) => program,
            Err(_) if dies => return Ok(Verdict::Same),
            Err(why) => return Ok(Verdict::Unseen(format!("{}; {why}", fault.kind))),
        };
        let settings = [
            (
                "ASAN_OPTIONS",
                "detect_leaks=0:detect_stack_use_after_return=1:allocator_may_return_null=1:exitcode=99",
            ),
            ("UBSAN_OPTIONS", "halt_on_error=1:exitcode=99"),
        ];
        // Checked code is slower, and what it reports takes a while to put into words.
        let limit = self.arguments.timeout * 4;
        let ran = bench
            .run(program, test, surroundings, 0, &settings, limit)
            .map_err(|error| format!("cannot run the program: {error}"))?;
        if compare::is_reported(ran.ended, &ran.stderr) {
            return Ok(Verdict::Same);
        }
        if kind == Native::MayBeReported {
            return Ok(Verdict::Unseen(format!(
                "no sanitizer looks for it here: {}",
                fault.kind
            )));
        }
        let found = compare::ending(ran.ended);
        Ok(Verdict::Differs(vec![format!(
            "{found} natively, and no sanitizer reports: {}",
            fault.kind
        )]))
    }

    fn build_checked(&self) -> Result<PathBuf, String> {
        let program = self.folder.path().join("checked");
        compile::replay_checked(&self.inputs, &self.options, self.entry.as_ref(), &program)
            .map(|_| program)
            .map_err(|error| {
                // The last line names the command; what it said is in front of it.
                let text = error.to_string();
                let first = text.lines().next().unwrap_or_default();
                first.to_string()
            })
    }

    /// Whether the machine and the native program ran the same blocks, as far as the machine went.
    fn compare_blocks(
        &self,
        bench: &Bench,
        machine: &mut Concrete,
        test: &Test,
        trace: &Trace,
        ran: &Ran,
    ) -> Result<Option<String>, String> {
        let is_exit = matches!(test.outcome, Outcome::Exit { .. });
        let same_numbers = match is_exit {
            true => trace.count == ran.blocks && (trace.count == 0 || trace.hash == ran.hash),
            false => trace.count == 0 || (trace.count <= ran.blocks && trace.hash == ran.hash_at),
        };
        let unreadable =
            |error: std::io::Error| format!("cannot read what the program has noted: {error}");
        let theirs = bench.different_blocks(ran.different).map_err(unreadable)?;
        let ours = machine.blocks(trace);
        let other = self.symbols.first_other(&ours, &theirs, ran.anchor);
        if same_numbers && other.is_none() {
            return Ok(None);
        }
        let theirs = bench.first_blocks(ran.blocks).map_err(unreadable)?;
        let same = trace.first.iter().zip(&theirs);
        // Numbers that stand for different blocks part where the first of them appears.
        let stands_for_other = |number: u32| other.is_some_and(|other| number as usize > other);
        let same = same
            .take_while(|(ours, theirs)| ours == theirs && !stands_for_other(**ours))
            .count();
        // Where the stack or the memory ends, or when, is not the machine's to say.
        let may_end_early = match &test.outcome {
            Outcome::Exit { .. } => false,
            Outcome::Error(fault) => {
                matches!(
                    fault.kind,
                    ErrorKind::StackOverflow | ErrorKind::OutOfMemory
                )
            }
            Outcome::Unfinished(_) => true,
        };
        if may_end_early && (same == theirs.len() || same == trace.first.len()) {
            return Ok(None);
        }
        if same == trace.first.len() && trace.count > same as u64 {
            return Ok(Some(format!(
                "another branch is taken natively, after more than {same} blocks that are the same"
            )));
        }
        let last = (same as u64).min(trace.count);
        let place = (last > 0)
            .then(|| machine.place_of(test, last, self.arguments.timeout))
            .flatten();
        let place = place.map_or(String::new(), |place| format!(", the last in {place}"));
        Ok(Some(format!(
            "another branch is taken natively, after {same} blocks that are the same{place}"
        )))
    }
}
