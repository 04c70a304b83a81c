//! Explorations that forget all terms again and again, against native code and against one that never does: both find
//! the same paths.
//!
//! What is pending is known by its decisions alone when terms are forgotten, and everything that comes from the
//! program's start is shared by the states before and after: whatever keeps a term there would mean another one.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod support;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path as FilePath;
use std::process::{Command, Stdio};
use std::sync::Mutex;

use refrain_explore::workers::{self, Kit, Outcome, Parts};
use refrain_explore::{Limits, Listener, Mode, Numbers, Options, Path, StopReason};
use refrain_llvm::machine::{Machine, Start};
use refrain_machine::{Argument, Contents, End, ExitStatus, Named, World};
use refrain_reuse::{Chain, Layers};
use refrain_solver::{Solver, select};
use refrain_term::{Assignment, Bv, Evaluator, Op, Sort, Terms};
use support::compile;
use support::random::Random;
use support::recorded::{load, load_unstarted};

const FRAME: &str = include_str!("new_arenas/frame.h");

/// The bytes that programs make symbolic, in order, and as many more as native code reads at once.
const BYTES: [&str; 6] = ["x[0]", "x[1]", "x[2]", "x[3]", "more[0]", "more_2[0]"];
const RECORD: usize = 8;

type Bytes = [u8; BYTES.len()];

/// A program for the machine, and what it prints natively.
struct Program {
    bitcode: Vec<u8>,
    folder: tempfile::TempDir,
}

impl Program {
    fn compile(clang: &FilePath, text: &str) -> Program {
        let text = format!("{FRAME}\n{text}");
        let folder = tempfile::tempdir().expect("a directory for the compiler");
        let source = folder.path().join("program.c");
        std::fs::write(&source, &text).expect("a file for the compiler");
        let built = Command::new(clang)
            .args(["-w", "-O1", "-DNATIVE", "-o", "native", "program.c"])
            .current_dir(folder.path())
            .output()
            .expect("a compiler");
        assert!(built.status.success(), "{built:?}");
        Program {
            bitcode: compile::bitcode_of(clang, &text, "-O0"),
            folder,
        }
    }

    /// What it prints for each input.
    fn printed(&self, inputs: &[Bytes]) -> Vec<Vec<u8>> {
        let mut native = Command::new("./native")
            .current_dir(self.folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("what the compiler wrote");
        let mut records = Vec::new();
        for input in inputs {
            records.extend(input);
            records.resize(records.len().next_multiple_of(RECORD), 0);
        }
        let mut stdin = native.stdin.take().expect("it is piped");
        let writer = std::thread::spawn(move || stdin.write_all(&records));
        let output = native.wait_with_output().expect("it runs");
        writer.join().expect("no panic").expect("it reads all");
        let mut each: Vec<Vec<u8>> = output
            .stdout
            .split(|&byte| byte == 0)
            .map(Vec::from)
            .collect();
        assert_eq!(each.pop().as_deref(), Some(&[][..]));
        assert_eq!(each.len(), inputs.len());
        each
    }
}

/// A path: how it ends, what it said of its terms, and which of some inputs take it. Other decisions may lead to the
/// same path, since they are made by whatever input is at hand.
type Found = (String, Vec<u8>, Vec<usize>);

#[derive(Default)]
struct All {
    paths: Vec<Found>,
    /// By input: what it prints.
    printed: Vec<Option<Vec<u8>>>,
    /// An input of each path.
    own: Vec<Bytes>,
}

struct Recorder<'a> {
    numbers: Numbers,
    inputs: &'a [Bytes],
    all: &'a Mutex<All>,
}

fn assignment(terms: &mut Terms, input: &Bytes) -> Assignment {
    let mut assignment = Assignment::new();
    for (name, &byte) in BYTES.iter().zip(input) {
        let var = terms.var(name, Sort::BitVec(8));
        if let Op::Var(var) = terms.op(var) {
            assignment.set(var, Bv::new(8, u64::from(byte)));
        }
    }
    assignment
}

impl Listener<Machine> for Recorder<'_> {
    fn end(&mut self, path: Path<'_, Machine>, end: &End) -> ControlFlow<(), Option<u32>> {
        ENDED.set(true);
        let (terms, conditions) = (path.terms, path.trail.path_condition());
        let mut all = self.all.lock().expect("no panic");
        all.printed.resize(self.inputs.len(), None);
        let mut evaluator = Evaluator::new();
        if self.numbers == Numbers::Machine {
            let mut conditions = conditions.iter();
            assert!(conditions.all(|&condition| evaluator.bool(terms, path.input, condition)));
        }
        let own = BYTES.map(|name| {
            let var = terms.var(name, Sort::BitVec(8));
            evaluator.small(terms, path.input, var) as u8
        });
        all.own.push(own);
        let end = match end {
            End::Exit(ExitStatus::Known(status)) => format!("exit {status}"),
            End::Error(error) => error.kind.name().to_string(),
            other => panic!("{other:?}"),
        };
        let mut takes = Vec::new();
        for (index, input) in self.inputs.iter().enumerate() {
            let input = assignment(terms, input);
            evaluator.forget();
            let mut conditions = conditions.iter();
            if !conditions.all(|&condition| evaluator.bool(terms, &input, condition)) {
                continue;
            }
            takes.push(index);
            let value = |term| match terms.sort(term) {
                Sort::Bool => u64::from(evaluator.bool(terms, &input, term)),
                _ => evaluator.small(terms, &input, term),
            };
            let printed = path.state.written(1, value);
            all.printed[index] = Some(printed);
        }
        let said = path.state.written(2, |_| unreachable!("text"));
        all.paths.push((end, said, takes));
        ControlFlow::Continue(None)
    }
}

const LIMIT: u64 = 1 << 40;

type Measure = fn() -> u64;

thread_local! {
    /// How often a worker has asked how much memory there is since it began with new terms.
    static ASKED: Cell<u32> = const { Cell::new(0) };
    /// A path has ended since.
    static ENDED: Cell<bool> = const { Cell::new(false) };
}

/// So much that something is to be let go, but for a moment after all terms were.
fn soon_enough() -> u64 {
    ASKED.set(ASKED.get() + 1);
    if ASKED.get() > 1 { LIMIT / 100 * 90 } else { 0 }
}

/// So much that nothing can go on, after every path that ends.
fn too_much() -> u64 {
    if ENDED.get() { LIMIT } else { 0 }
}

struct Worker<'a> {
    machine: Machine,
    recorder: Recorder<'a>,
}

impl<'a> Kit for Worker<'a> {
    type Machine = Machine;
    type Listener = Recorder<'a>;

    fn parts(&mut self) -> Parts<'_, Machine, Recorder<'a>> {
        Parts {
            machine: &mut self.machine,
            make_solver: &make_solver,
            listener: &mut self.recorder,
        }
    }
}

/// A worker begins with new terms.
fn make_solver() -> Box<dyn Solver> {
    ASKED.set(0);
    ENDED.set(false);
    let native =
        || select::from_spec("native", &select::Options::default()).expect("it is built in");
    let layers = Layers::preset("full").expect("a preset");
    Chain::before(native(), layers, None, Some(native()))
}

fn explore(bitcode: &[u8], jobs: usize, options: &Options, inputs: &[Bytes]) -> (All, Outcome) {
    explore_each(|| load(bitcode), jobs, options, inputs)
}

/// The same with machines that are made so.
fn explore_each(
    load: impl Fn() -> Machine + Sync,
    jobs: usize,
    options: &Options,
    inputs: &[Bytes],
) -> (All, Outcome) {
    let all = Mutex::new(All::default());
    let outcome = workers::explore(jobs, options, |_| {
        Ok(Worker {
            machine: load(),
            recorder: Recorder {
                numbers: options.numbers,
                inputs,
                all: &all,
            },
        })
    });
    let mut all = all.into_inner().expect("no panic");
    all.paths.sort();
    (all, outcome.expect("an exploration"))
}

/// Random inputs, and one for every path.
fn samples(program: &Program) -> Vec<Bytes> {
    let mut random = Random::new(1);
    let mut inputs: Vec<Bytes> = (0..100)
        .map(|_| [0; BYTES.len()].map(|_: u8| random.byte()))
        .collect();
    let (all, _) = explore(&program.bitcode, 1, &Options::default(), &[]);
    inputs.extend(all.own);
    inputs
}

/// That every input takes exactly one path, and prints there what the native program prints.
fn check(all: &All, native: &[Vec<u8>], what: &str) {
    for (index, printed) in native.iter().enumerate() {
        let mut taken = all
            .paths
            .iter()
            .filter(|(.., takes)| takes.contains(&index));
        let (end, ..) = taken.next().expect("a path for every input");
        assert!(taken.next().is_none(), "{what}: two paths for an input");
        // What native code reads beyond an object is up to it.
        if end == "exit 0" {
            let found = all.printed[index].as_ref();
            assert_eq!(found, Some(printed), "{what}");
        }
    }
}

/// The same with little memory.
fn scarce(unlimited: &Options, measure: Measure) -> Options {
    let limits = Limits {
        memory: Some(LIMIT),
        measure,
        ..Limits::default()
    };
    Options {
        limits,
        ..unlimited.clone()
    }
}

/// Explores a program with all its memory and with little, by one worker and by two.
fn compare(text: &str) {
    let clang = compile::clang();
    let program = Program::compile(&clang, text);
    let inputs = samples(&program);
    let native = program.printed(&inputs);
    for mode in [Mode::Fork, Mode::Concolic] {
        let unlimited = Options {
            mode,
            ..Options::default()
        };
        let (expected, _) = explore(&program.bitcode, 1, &unlimited, &inputs);
        check(&expected, &native, &format!("{mode:?}"));
        let mut anew = [0, 0];
        for (jobs, measure) in [(1, soon_enough as Measure), (1, too_much), (2, soon_enough)] {
            let options = scarce(&unlimited, measure);
            let (found, outcome) = explore(&program.bitcode, jobs, &options, &inputs);
            let what = format!("{mode:?}, {jobs} workers");
            assert_eq!(outcome.reason, StopReason::Done, "{what}");
            assert_eq!(outcome.stats.dropped, 0, "{what}");
            assert_eq!(found.paths, expected.paths, "{what}");
            assert_eq!(found.printed, expected.printed, "{what}");
            anew[jobs - 1] += outcome.stats.restarts;
        }
        assert!(anew[0] > 6 && anew[1] > 0, "{mode:?}: {anew:?}");
    }
}

#[test]
fn constant_tables_at_symbolic_indices() {
    compare(include_str!("new_arenas/tables.c"));
}

#[test]
fn objects_at_symbolic_offsets() {
    compare(include_str!("new_arenas/offsets.c"));
}

#[test]
fn symbolic_pointers() {
    compare(include_str!("new_arenas/pointers.c"));
}

#[test]
fn inputs_and_files() {
    compare(include_str!("new_arenas/inputs.c"));
}

/// Arguments whose number is chosen, and contents whose lengths are.
#[test]
fn worlds() {
    let text = include_str!("new_arenas/world.c");
    let bitcode = compile::bitcode_of(&compile::clang(), text, "-O0");
    let symbolic = |least, most| Contents::Symbolic { least, most };
    let named = |name: &str, contents| Named {
        name: name.into(),
        contents,
    };
    let several = Argument::Several {
        least: 0,
        most: 2,
        bytes: 1,
    };
    let world = World {
        args: vec![Argument::Given("program".into()), several],
        environment: vec![named("MODE", symbolic(1, 1))],
        stdin: Some(symbolic(0, 2)),
        files: vec![named("A", symbolic(1, 3))],
    };
    let load = || {
        let (mut machine, state) = load_unstarted(&bitcode);
        let start = Start::Main {
            entry: "main".into(),
            world: world.clone(),
        };
        machine.set_start(state, start).expect("a main function");
        machine
    };
    for mode in [Mode::Fork, Mode::Concolic] {
        let unlimited = Options {
            mode,
            ..Options::default()
        };
        let (expected, _) = explore_each(load, 1, &unlimited, &[]);
        // Each says something else, and there are as many as can be.
        let different: BTreeSet<&Found> = expected.paths.iter().collect();
        assert_eq!(expected.paths.len(), different.len());
        // No argument, one of three kinds, or two; three lengths of a file if there are none; three of what is read
        // otherwise; with a variable or without.
        assert_eq!(different.len(), 2 * (3 + (3 + 9) * 3));
        let mut anew = 0;
        for (jobs, measure) in [(1, soon_enough as Measure), (1, too_much), (2, soon_enough)] {
            let options = scarce(&unlimited, measure);
            let (found, outcome) = explore_each(load, jobs, &options, &[]);
            assert_eq!(outcome.reason, StopReason::Done, "{mode:?}, {jobs}");
            assert_eq!(found.paths, expected.paths, "{mode:?}, {jobs}");
            anew += outcome.stats.restarts;
        }
        assert!(anew > 6, "{mode:?}: {anew}");
    }
}

/// What is first read of an input says which of its bytes are one number, for all paths: also for those that are
/// followed after that was forgotten, and by others.
#[test]
fn numbers_that_do_not_overflow() {
    let clang = compile::clang();
    let text = include_str!("new_arenas/numbers.c");
    let [all_first, lower_first] = [1, 0].map(|first| {
        let bitcode = compile::bitcode_of(&clang, text, &format!("-O0 -DALL_FIRST={first}"));
        let unlimited = Options {
            mode: Mode::Concolic,
            numbers: Numbers::Integers,
            ..Options::default()
        };
        let (expected, _) = explore(&bitcode, 1, &unlimited, &[]);
        for measure in [soon_enough as Measure, too_much] {
            let (found, outcome) = explore(&bitcode, 1, &scarce(&unlimited, measure), &[]);
            assert_eq!(found.paths, expected.paths);
            assert!(outcome.stats.restarts > 2);
        }
        (bitcode, unlimited, expected.paths)
    });
    assert_ne!(all_first.2, lower_first.2);
    // Which of several workers is first to read something is up to the scheduler; the others keep to it.
    for (bitcode, unlimited, _) in [&all_first, &lower_first] {
        for _ in 0..5 {
            let (found, _) = explore(bitcode, 2, &scarce(unlimited, soon_enough), &[]);
            assert!(
                [&all_first.2, &lower_first.2].contains(&&found.paths),
                "{:?}",
                found.paths
            );
        }
    }
}
