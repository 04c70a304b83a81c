//! `refrain run`: a program from its sources or its bitcode.

mod console;
mod earlier;
mod explore;
mod origin;
mod piped;
mod record;
mod recorder;
mod report;
mod seeds;
mod status;
mod summary;
mod world;

pub use self::world::posix_max_fail;

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::Args;
use refrain_compile::{self as compile, Built};
use refrain_explore::{Mode, Numbers, Search};
use refrain_llvm::machine::{Machine, State};
use refrain_machine::{Contents, World};
use refrain_memo::Header;
use refrain_results::Run;
use tracing::info;

use crate::asking::{Asking, seconds, size};
use crate::given::Given;
use crate::host_files::{Connection, HostFiles, HostView};
use crate::program::{Bitcode, Sources};
use crate::{complain, log};
pub use earlier::Earlier;
pub use explore::Explored;
pub use origin::{Origin, open_tree};
pub use piped::PipedInput;
use record::Tests;
pub use record::{Counts, Record, is_same_error, site_of};
pub use status::percent;
use world::SymbolicWorld;

/// Explore a program: its paths, an input for each, and the errors on them
///
/// PROGRAM is C, C++ or Rust source, LLVM bitcode (.bc, or objects and archives that carry it) or assembly (.ll).
/// More files of the program follow with --with. What the program makes symbolic (klee_make_symbolic,
/// __VERIFIER_nondet_int, …) is input, and so are the arguments, files and the rest of its world that --sym-… names:
/// every feasible path is followed. Tests for those that reach new code, and for each error, are written to the output
/// directory; --tests all writes one for every path.
///
/// A program without symbolic input is simply run: its output and its exit status are those of the native program,
/// unless an error is found in it.
///
/// Exit status: 0 if nothing was found, 1 if an error was found in the program, 2 if it could not be run, 3 if nothing
/// was found because no path came to an end (with --complete, also if anything was left unexplored), 130 if it was
/// interrupted; of a program that is simply run, its own.
#[derive(Args)]
#[command(after_help = "Examples:
  refrain run prog.c                                     every path of a program that makes input symbolic
  refrain run --max-time 60 --tests all prog.rs          a minute, and a test for every path
  refrain run --entry parse --buffer text=16 parser.c    a function by itself
  refrain run --fuzz-target=32 --with lib.c fuzz.c       a fuzz target, on up to 32 bytes
  refrain run --sym-args 0 2 4 --sym-stdin 8 ./wc        a whole program: up to two arguments, 8 bytes to read
  refrain run --search directed --to parser.c:40 prog.c  get to a line
  refrain run --with lib.c --cflags=-Iinclude main.c -x  more files; what follows the program is for it")]
pub struct Arguments {
    /// The program, and its arguments: options for refrain come before it
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true, value_names = ["PROGRAM", "ARGS"])]
    program: Vec<OsString>,

    #[command(flatten)]
    pub sources: Sources,

    /// The function to start at; one other than main gets symbolic parameters
    #[arg(long, value_name = "FUNCTION", default_value = "main")]
    entry: String,

    /// A pointer parameter of --entry points to so many symbolic bytes
    #[arg(long, value_name = "NAME=SIZE", value_parser = buffer)]
    buffer: Vec<(String, u64)>,

    /// machine: numbers are words of so many bits; integers: they are mathematical ones, and overflow is not modelled
    #[arg(long, default_value = "machine", value_parser = ["machine", "integers"])]
    arithmetic: String,

    /// What the program sees of this machine's files: host, all of them; empty, none; or a directory, whose content is
    /// that of the working directory. Nothing is ever written to them: a path has its own copy
    #[arg(long, value_name = "host|empty|DIR", default_value = "host")]
    world: String,

    /// Up to so many system calls fail on a path, though nothing is wrong with them
    #[arg(long, value_name = "N", default_value_t = 0)]
    max_fail: u32,

    /// The function LLVMFuzzerTestOneInput by itself, on up to MAX symbolic bytes
    #[arg(
        long,
        value_name = "MAX",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "64",
        value_parser = clap::value_parser!(u32).range(0..=4096),
        conflicts_with_all = ["entry", "buffer"]
    )]
    fuzz_target: Option<u32>,

    /// Inputs that are followed first; may be repeated: a .ktest or .json file, DIR:N for test N of an earlier run, a
    /// directory of such files, of concrete runs, or a fuzzer's corpus
    #[arg(long, value_name = "TEST")]
    input: Vec<PathBuf>,

    /// Where tests, errors and statistics go; it must not be there yet [default: refrain-out/N, with a link
    /// refrain-last]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    #[command(flatten)]
    symbolic: SymbolicWorld,

    #[command(flatten)]
    how: How,

    /// The switches that were given, to be kept with the results.
    #[arg(skip)]
    given: Given,

    /// The name that the program is started by, if it is not that of its file.
    #[arg(skip)]
    name: Option<OsString>,

    /// Standard input, and what the world of an earlier run has there.
    #[arg(skip)]
    stdin: Arc<PipedInput>,
    #[arg(skip)]
    kept_stdin: Option<Option<Contents>>,

    /// Who stops the run, if it is not whoever interrupts the process.
    #[arg(skip)]
    pub stop: Option<Arc<AtomicBool>>,
}

/// How a program is explored: what its paths are does not depend on it.
#[derive(Args)]
pub struct How {
    /// fork: a state forks at every branch; concolic: an input is followed to its end first
    #[arg(long, default_value = "fork", value_parser = ["fork", "concolic"])]
    mode: String,

    /// What is explored next: dfs, bfs, random-state, random-path, cover-new, interleaved (the last two in turn) or
    /// directed
    #[arg(long, default_value = "interleaved", value_parser = search)]
    search: Search,

    /// The goal of --search directed: FILE:LINE or a function
    #[arg(long, value_name = "LOCATION")]
    to: Option<String>,

    /// The same seed gives the same tests
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,

    #[command(flatten)]
    asking: Asking,

    /// Where answers are kept between runs; 'none': nowhere
    #[arg(long, value_name = "PATH|none", default_value = "none")]
    store: PathBuf,

    #[command(flatten)]
    limits: Limits,

    /// Which paths get a test: covering, those that reach new code and one for each site of an error; errors, those that
    /// end in one; or all
    #[arg(long, default_value = "covering", value_parser = ["covering", "errors", "all"])]
    tests: String,

    /// Exit with status 3 if anything was left unexplored
    #[arg(long)]
    complete: bool,

    /// How many workers explore at the same time
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: u16,

    /// Write what was counted and timed to this file, as JSON
    #[arg(long, value_name = "FILE.json")]
    stats: Option<PathBuf>,

    /// Only report errors in the program: no progress, no summary
    #[arg(long, short)]
    quiet: bool,

    /// Print the compiler commands, how many instructions ran and how fast, to standard error
    #[arg(long, short, conflicts_with = "quiet")]
    verbose: bool,
}

/// Where exploring stops. Everything that was found until then is kept, and what was not explored is listed.
#[derive(Args)]
struct Limits {
    /// The longest that exploring may take; here and below, 'none': no limit
    #[arg(long, value_name = "SECONDS", default_value = "none", hide_default_value = true, value_parser = time)]
    max_time: Duration,

    /// The most branches that a path may have
    #[arg(long, value_name = "N", default_value = "none", hide_default_value = true, value_parser = bound)]
    max_depth: u32,

    /// The most iterations of a loop that input may decide on, each time a path enters the loop: those in which a branch
    /// that depends on input stays in it where it could have left. Other loops are not bounded, nor is recursion
    #[arg(long, value_name = "N", default_value = "none", hide_default_value = true, value_parser = bound)]
    max_unroll: u32,

    /// The most paths that are followed to their end
    #[arg(long, value_name = "N", default_value = "none", hide_default_value = true, value_parser = some)]
    max_paths: u64,

    /// The most instructions that a path may execute
    #[arg(long, value_name = "N", default_value = "none", hide_default_value = true, value_parser = large_bound)]
    max_instructions: u64,

    /// The most memory that the process may take: 300MB, 2GB
    #[arg(long, value_name = "SIZE", default_value = "none", hide_default_value = true, value_parser = room)]
    max_memory: u64,

    /// The most forks
    #[arg(long, value_name = "N", default_value = "none", hide_default_value = true, value_parser = large_bound)]
    max_forks: u64,

    /// The longest that one query to the solver may take
    #[arg(long, value_name = "SECONDS", default_value = "none", hide_default_value = true, value_parser = time)]
    solver_time: Duration,
}

impl Limits {
    fn time(&self) -> Option<Duration> {
        (self.max_time < Duration::MAX).then_some(self.max_time)
    }

    fn memory(&self) -> Option<u64> {
        (self.max_memory < u64::MAX).then_some(self.max_memory)
    }

    fn query(&self) -> Option<Duration> {
        (self.solver_time < Duration::MAX).then_some(self.solver_time)
    }
}

impl How {
    fn mode(&self) -> Mode {
        match self.mode.as_str() {
            "concolic" => Mode::Concolic,
            _ => Mode::Fork,
        }
    }

    fn which_tests(&self) -> Tests {
        match self.tests.as_str() {
            "all" => Tests::All,
            "errors" => Tests::Errors,
            _ => Tests::Covering,
        }
    }
}

impl Arguments {
    /// The most instructions that a path may execute.
    pub fn max_instructions(&self) -> u64 {
        self.how.limits.max_instructions
    }

    /// Whether numbers are mathematical ones.
    pub fn is_over_integers(&self) -> bool {
        self.numbers() == Numbers::Integers
    }

    fn numbers(&self) -> Numbers {
        match self.arithmetic.as_str() {
            "integers" => Numbers::Integers,
            _ => Numbers::Machine,
        }
    }

    pub fn program_file(&self) -> PathBuf {
        PathBuf::from(&self.program[0])
    }

    /// Refuses what makes no sense, and says what has no effect.
    pub fn check(&self) -> Result<(), String> {
        let how = &self.how;
        if self.program[0].as_bytes().starts_with(b"-") {
            let option = self.program[0].display();
            return Err(format!(
                "no option {option}; `refrain run --help` lists them"
            ));
        }
        if how.search == Search::Directed && how.to.is_none() {
            return Err("--search directed needs --to LOCATION".into());
        }
        if let Some(note) = how.asking.check_switches(Some(&how.store))? {
            complain(note);
        }
        self.world()?;
        self.max_fail()?;
        if let Some(hint) = self.symbolic.hint(&self.args()[1..]) {
            complain(hint);
        }
        Ok(())
    }

    /// What the program is started with, its own name first.
    fn words(&self) -> impl Iterator<Item = &OsString> {
        let name = self.name.as_ref().unwrap_or(&self.program[0]);
        std::iter::once(name).chain(&self.program[1..])
    }

    fn args(&self) -> Vec<Vec<u8>> {
        let args = self.words();
        args.map(|arg| arg.as_bytes().to_vec()).collect()
    }

    /// Up to how many system calls fail on a path.
    fn max_fail(&self) -> Result<u32, String> {
        let behind = self.symbolic.max_fail(&self.args()[1..])?;
        match behind {
            Some(_) if self.max_fail > 0 => {
                Err("--max-fail is given twice, in front of the program and behind it".into())
            }
            behind => Ok(behind.unwrap_or(self.max_fail)),
        }
    }

    /// What the program is started in.
    pub fn world(&self) -> Result<World, String> {
        let args = self.args();
        let (name, words) = args.split_first().ok_or("there is no program")?;
        let mut world = self.symbolic.world(name, words, &self.given)?;
        if world.stdin.is_none() {
            world.stdin = match &self.kept_stdin {
                Some(kept) => kept.clone(),
                None => piped::is_given().then_some(Contents::Piped),
            };
        }
        Ok(world)
    }

    /// Standard input is what it was to an earlier run.
    fn keep_stdin(&mut self, run: &Run) {
        let is_symbolic = run.world.stdin.as_ref().is_some_and(Contents::is_symbolic);
        self.kept_stdin = Some(run.world.stdin.clone().filter(|_| !is_symbolic));
        if let Some(piped) = &run.piped {
            self.stdin = Arc::new(PipedInput::known(piped.clone()));
        }
    }

    /// The function to start at.
    fn entry(&self) -> &str {
        match self.fuzz_target {
            Some(_) => "LLVMFuzzerTestOneInput",
            None => &self.entry,
        }
    }
}

fn search(name: &str) -> Result<Search, String> {
    Search::named(name).ok_or_else(|| {
        let names: Vec<&str> = refrain_explore::search::SEARCHES
            .iter()
            .map(|&(name, _)| name)
            .collect();
        format!("no such search; there are {}", names.join(", "))
    })
}

/// As much memory as a process needs, or more.
fn room(text: &str) -> Result<u64, String> {
    if text == "none" {
        return Ok(u64::MAX);
    }
    match size(text)? {
        bytes if bytes >= 10_000_000 => Ok(bytes),
        _ => Err("too small to run in".into()),
    }
}

fn time(text: &str) -> Result<Duration, String> {
    match text {
        "none" => Ok(Duration::MAX),
        text => seconds(text),
    }
}

/// At least one.
fn some(text: &str) -> Result<u64, String> {
    match large_bound(text)? {
        0 => Err("not in 1.. and not 'none'".into()),
        bound => Ok(bound),
    }
}

fn bound(text: &str) -> Result<u32, String> {
    match large_bound(text)? {
        u64::MAX => Ok(u32::MAX),
        bound => u32::try_from(bound).map_err(|_| format!("not a number up to {}", u32::MAX)),
    }
}

fn large_bound(text: &str) -> Result<u64, String> {
    match text {
        "none" => Ok(u64::MAX),
        number => number
            .parse()
            .map_err(|_| "not a number, nor 'none'".into()),
    }
}

fn buffer(text: &str) -> Result<(String, u64), String> {
    let (name, size) = text.split_once('=').ok_or("expected NAME=SIZE")?;
    let size = size.parse().map_err(|_| "SIZE is a number of bytes")?;
    Ok((name.to_string(), size))
}

/// Switches that are of one run only.
const OF_ONE_RUN: [&str; 7] = ["out", "stats", "quiet", "verbose", "input", "log", "config"];

impl Arguments {
    /// The switches that are kept with the results.
    pub fn keep(&mut self, given: Given) {
        self.given = given.without(&OF_ONE_RUN);
    }
}

pub fn run(arguments: &Arguments) -> Result<u8, String> {
    let program = Program::new(arguments)?;
    if program.has_paths(arguments)? {
        return Ok(program.explore(arguments, &Origin::Nothing)?.status);
    }
    console::run(arguments, program.machine, program.state)
}

/// Explores a program from what an earlier run found out.
pub fn explore_from(arguments: &Arguments, origin: &Origin) -> Result<Explored, String> {
    Program::new(arguments)?.explore_from(arguments, origin)
}

/// The same for a program that is compiled already, of these files.
pub fn explore_built(
    arguments: &Arguments,
    inputs: &[PathBuf],
    built: Built,
    origin: &Origin,
) -> Result<Explored, String> {
    let options = arguments.sources.compile_options()?;
    let bitcode = Bitcode::of_built(built, &options, arguments.how.verbose)?;
    Program::of_bitcode(arguments, inputs.to_vec(), bitcode)?.explore_from(arguments, origin)
}

/// A program at its first instruction, and what gives a tree of its paths their meaning.
pub struct Prepared {
    pub machine: Machine,
    pub files: HostFiles,
    pub header: Header,
    pub digest: String,
}

impl Prepared {
    pub fn new(arguments: &Arguments) -> Result<Prepared, String> {
        let mut program = Program::new(arguments)?;
        let parameters = explore::make_ready(
            arguments,
            &program.files,
            &mut program.machine,
            program.state,
        )?;
        Ok(Prepared {
            machine: program.machine,
            files: program.files,
            header: explore::header(arguments, &parameters)?,
            digest: program.bitcode.digest(),
        })
    }
}

/// A program that is ready to run.
struct Program {
    inputs: Vec<PathBuf>,
    bitcode: Bitcode,
    files: HostFiles,
    machine: Machine,
    state: State,
}

impl Program {
    fn new(arguments: &Arguments) -> Result<Program, String> {
        arguments.check()?;
        let inputs = arguments.sources.inputs(arguments.program_file());
        let options = arguments.sources.compile_options()?;
        let mut built =
            compile::to_bitcode(&inputs, &options).map_err(|error| error.to_string())?;
        if arguments.how.quiet {
            // What they warn of is said again where it ends a path.
            built.notes.clear();
        }
        let bitcode = Bitcode::of_built(built, &options, arguments.how.verbose)?;
        Program::of_bitcode(arguments, inputs, bitcode)
    }

    fn of_bitcode(
        arguments: &Arguments,
        inputs: Vec<PathBuf>,
        bitcode: Bitcode,
    ) -> Result<Program, String> {
        let started = Instant::now();
        let machine_options = arguments.sources.machine_options();
        let files = HostFiles::new(HostView::parse(&arguments.world)?)?;
        let (machine, state) = bitcode.load(machine_options, Connection::console(&files))?;
        let seconds = started.elapsed().as_secs_f64();
        info!(target: log::PROGRAM, "read and linked in {seconds:.3} s");
        if arguments.how.verbose {
            complain(format!("read and linked in {seconds:.3} s"));
        }
        if let Some((name, _)) = arguments.buffer.first()
            && machine.is_plain_main(arguments.entry())
        {
            return Err(format!(
                "--buffer {name} is for a parameter of another function, named by --entry: what main gets are \
                 arguments, see --sym-args"
            ));
        }
        Ok(Program {
            inputs,
            bitcode,
            files,
            machine,
            state,
        })
    }

    /// Whether there is anything to explore: a program without symbolic input is simply run.
    fn has_paths(&self, arguments: &Arguments) -> Result<bool, String> {
        Ok(!self.machine.is_plain_main(arguments.entry())
            || self.machine.linked().makes_input()
            || arguments.max_fail()? > 0
            || arguments.world()?.is_symbolic())
    }

    /// Whatever the program was before, there must be something to explore.
    fn explore_from(self, arguments: &Arguments, origin: &Origin) -> Result<Explored, String> {
        match self.has_paths(arguments)? {
            true => self.explore(arguments, origin),
            false => Err("the program makes no input symbolic: there is one path".into()),
        }
    }

    fn explore(self, arguments: &Arguments, origin: &Origin) -> Result<Explored, String> {
        let machine = (self.machine, self.state);
        let (inputs, files) = (&self.inputs, &self.files);
        explore::explore(arguments, inputs, &self.bitcode, machine, files, origin)
    }
}

fn environment() -> Vec<Vec<u8>> {
    std::env::vars_os()
        .map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes()].concat())
        .collect()
}
