//! Explores a function and holds every path against native code.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use refrain_explore::paths::{self, Bounds};
use refrain_llvm::load::Options;
use refrain_llvm::machine::{End, ErrorKind, Machine, State};
use refrain_llvm::memory::Value;
use refrain_llvm::native::Detached;
use refrain_llvm::program::assemble;
use refrain_machine::ExitStatus;
use refrain_machine::Machine as _;
use refrain_solver::Limits;
use refrain_solver::native::Native as Solver;
use refrain_term::{Assignment, Bv, Evaluator, Sort, Term, Terms};

use super::compile::{self, Binary, INPUT, Native, SIGFPE};
use super::program::Function;
use super::random::Random;
use super::render;

/// How many bytes of the input are symbolic; the others are zero.
pub const SYMBOLIC: usize = 8;

#[derive(Clone, Copy, Default, Debug)]
pub struct Count {
    pub programs: usize,
    pub paths: usize,
    pub inputs: usize,
    pub traps: usize,
    /// Programs with too many paths, or that the solver gave up on: only some of their inputs are checked.
    pub incomplete: usize,
    /// Files that the compiler wrote and then refused: none of their programs is checked.
    pub refused: usize,
}

impl Count {
    pub fn add(&mut self, other: Count) {
        self.programs += other.programs;
        self.paths += other.paths;
        self.inputs += other.inputs;
        self.traps += other.traps;
        self.incomplete += other.incomplete;
        self.refused += other.refused;
    }
}

/// How a path ended, as far as native code can tell.
enum Outcome {
    Returned(Value),
    Trapped,
    Other(String),
}

/// One path, ready to be held against native code.
struct Checked {
    conditions: Vec<Term>,
    input: [u8; INPUT],
    outcome: Outcome,
}

/// A failure of one of the functions of a file.
pub struct Failure {
    pub function: usize,
    pub what: String,
}

/// What was checked and what failed, or why nothing could be checked.
pub type Found = Result<(Count, Vec<Failure>), String>;

pub struct Setup<'a> {
    pub clang: &'a Path,
    /// Options of the compiler: of rustc, where it is asked.
    pub level: &'a str,
    pub directory: &'a Path,
    pub inputs: usize,
    pub options: Options,
}

/// Checks all functions of one file.
pub fn check(setup: &Setup<'_>, functions: &[Function], seed: u64) -> Found {
    check_text(setup, &render::file(functions), functions.len(), seed)
}

/// The same for text that has `main0`, `main1` and so on: C, or the text form of bitcode if it starts with a comment.
pub fn check_text(setup: &Setup<'_>, text: &str, functions: usize, seed: u64) -> Found {
    let extension = if text.starts_with(';') { "ll" } else { "c" };
    let source = setup.directory.join("program").with_extension(extension);
    std::fs::write(&source, text).map_err(|error| error.to_string())?;
    let bitcode = compile::bitcode(setup.clang, &source, setup.level)?;
    let binary = match Binary::build(setup.clang, &bitcode) {
        Ok(binary) => binary,
        Err(error) => {
            // Compilers have errors, too: some cannot read what they wrote.
            eprintln!("refused: {error}");
            let count = Count {
                refused: 1,
                ..Count::default()
            };
            return Ok((count, Vec::new()));
        }
    };
    check_built(setup, (&bitcode, &binary), functions, seed)
}

/// The same for Rust.
pub fn check_rust(setup: &Setup<'_>, text: &str, functions: usize, seed: u64) -> Found {
    let source = setup.directory.join("program.rs");
    std::fs::write(&source, text).map_err(|error| error.to_string())?;
    let (bitcode, binary) = Binary::build_rust(setup.clang, &source, setup.level)?;
    check_built(setup, (&bitcode, &binary), functions, seed)
}

/// Holds what the machine makes of bitcode against the native program.
fn check_built(
    setup: &Setup<'_>,
    (bitcode, binary): (&Path, &Binary),
    functions: usize,
    seed: u64,
) -> Found {
    let bytes = std::fs::read(bitcode).map_err(|error| error.to_string())?;
    let program = assemble([("program.bc", &bytes[..])], &[])
        .map_err(|error| error.to_string())?
        .program;
    let (mut machine, mut state) = Machine::new(program, setup.options.clone(), Box::new(Detached))
        .map_err(|error| error.to_string())?;
    // One arena: states that come from one share what they know of unchanged objects.
    let mut terms = Terms::new();
    let mut count = Count::default();
    let mut failures = Vec::new();
    for function in 0..functions {
        let mut own = machine.fork(&mut state);
        let checked = catch_unwind(AssertUnwindSafe(|| {
            check_one(
                setup,
                &mut machine,
                &mut terms,
                &mut own,
                binary,
                function,
                seed,
                &mut count,
            )
        }))
        .unwrap_or_else(|_| Err("a panic".into()));
        if let Err(what) = checked {
            failures.push(Failure { function, what });
        }
    }
    Ok((count, failures))
}

#[allow(clippy::too_many_arguments)]
fn check_one(
    setup: &Setup<'_>,
    machine: &mut Machine,
    terms: &mut Terms,
    state: &mut State,
    binary: &Binary,
    function: usize,
    seed: u64,
    count: &mut Count,
) -> Result<(), String> {
    const MOST_PATHS: usize = 150;
    let address = machine.linked().address_of("in").ok_or("no input")?;
    let result = machine.linked().address_of("result").ok_or("no result")?;
    let variables: Vec<Term> = (0..SYMBOLIC)
        .map(|index| terms.var(&format!("in[{index}]"), Sort::BitVec(8)))
        .collect();
    for (index, &variable) in variables.iter().enumerate() {
        let at = address + index as u64;
        state
            .memory
            .store(terms, at, 1, Value::Symbolic(variable))
            .map_err(|fault| format!("{fault:?}"))?;
    }
    machine
        .start(
            state,
            &format!("main{function}"),
            &[b"program".to_vec()],
            &[],
        )
        .map_err(|error| error.to_string())?;
    let state = machine.fork(state);
    let bounds = Bounds {
        paths: MOST_PATHS + 1,
        instructions: 200_000,
        limits: Limits {
            // Counted, not timed: the same programs are complete on every machine.
            conflicts: Some(3_000),
            ..Limits::default()
        },
    };
    let mut solver = Solver::default();
    let mut found = Vec::new();
    let mut incomplete = false;
    paths::explore(
        machine,
        terms,
        &mut solver,
        state,
        &bounds,
        |_, terms, path| {
            let mut path = path;
            let outcome = match &path.end {
                paths::PathEnd::Machine(End::Exit(ExitStatus::Known(0))) => {
                    match path.state.memory.load(terms, result, 8) {
                        Ok(value) => Outcome::Returned(value),
                        Err(fault) => Outcome::Other(format!("no result: {fault:?}")),
                    }
                }
                paths::PathEnd::Machine(End::Error(error))
                    if matches!(
                        error.kind,
                        ErrorKind::DivisionByZero | ErrorKind::DivisionOverflow
                    ) =>
                {
                    Outcome::Trapped
                }
                paths::PathEnd::Machine(end) => Outcome::Other(format!("{end:?}")),
                paths::PathEnd::OutOfFuel => Outcome::Other("out of fuel".into()),
                paths::PathEnd::Unknown(_) => {
                    incomplete = true;
                    return false;
                }
            };
            let mut evaluator = Evaluator::new();
            let mut input = [0; INPUT];
            for (byte, &variable) in input.iter_mut().zip(&variables) {
                *byte = evaluator.small(terms, &path.input, variable) as u8;
            }
            found.push(Checked {
                conditions: path.conditions,
                input,
                outcome,
            });
            incomplete |= found.len() > MOST_PATHS;
            !incomplete
        },
    );
    count.programs += 1;
    if incomplete {
        count.incomplete += 1;
    }
    count.paths += found.len();

    let mut random = Random::new(seed ^ 0x5eed);
    let mut inputs: Vec<[u8; INPUT]> = found.iter().map(|path| path.input).collect();
    let models = inputs.len();
    for index in 0..setup.inputs {
        let mut input = [0; INPUT];
        // Some start from a path's own input: those take rare paths.
        if index % 2 == 0 && models > 0 {
            input = found[random.below(models)].input;
            for _ in 0..1 + random.below(3) {
                input[random.below(SYMBOLIC)] = random.byte();
            }
        } else {
            input[..SYMBOLIC].fill_with(|| random.byte());
        }
        inputs.push(input);
    }
    count.inputs += inputs.len();
    let numbered: Vec<(u8, [u8; INPUT])> = inputs
        .iter()
        .map(|&input| (function as u8, input))
        .collect();
    let expected = binary.run(&numbered)?;
    count.traps += expected
        .iter()
        .filter(|&&native| native == Native::Signal(SIGFPE))
        .count();

    let mut evaluator = Evaluator::new();
    for (index, (input, native)) in inputs.iter().zip(expected).enumerate() {
        let assignment = assignment(terms, &variables, input);
        evaluator.forget();
        let mut holding = Vec::new();
        for (number, path) in found.iter().enumerate() {
            if path
                .conditions
                .iter()
                .all(|&condition| evaluator.bool(terms, &assignment, condition))
            {
                holding.push(number);
            }
        }
        let shown = &input[..SYMBOLIC];
        if index < models && !holding.contains(&index) {
            return Err(format!(
                "path {index}: its own input {shown:?} does not take it, but {holding:?}"
            ));
        }
        match holding[..] {
            [] if incomplete => continue,
            [] => return Err(format!("input {shown:?} takes no path of {}", found.len())),
            [_] => {}
            _ => return Err(format!("input {shown:?} takes paths {holding:?}")),
        }
        let outcome = &found[holding[0]].outcome;
        let got = match outcome {
            Outcome::Returned(Value::Concrete(value)) => Native::Returned(*value),
            Outcome::Returned(Value::Symbolic(term)) => {
                Native::Returned(evaluator.small(terms, &assignment, *term))
            }
            Outcome::Trapped => Native::Signal(SIGFPE),
            Outcome::Other(what) => {
                return Err(format!("input {shown:?}: native {native:x?}, path: {what}"));
            }
        };
        if got != native {
            return Err(format!(
                "input {shown:?}: native {native:x?}, path {got:x?} (path {} of {})",
                holding[0],
                found.len()
            ));
        }
    }
    Ok(())
}

pub fn assignment(terms: &Terms, variables: &[Term], input: &[u8]) -> Assignment {
    let mut assignment = Assignment::new();
    for (&variable, &byte) in variables.iter().zip(input) {
        if let refrain_term::Op::Var(id) = terms.op(variable) {
            assignment.set(id, Bv::new(8, u64::from(byte)));
        }
    }
    assignment
}
