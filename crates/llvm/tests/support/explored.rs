//! All paths of a C program whose inputs are its own (`klee_make_symbolic`).

use refrain_explore::paths::{self, Bounds};
use refrain_llvm::load::Options;
use refrain_llvm::machine::{End, Machine};
use refrain_llvm::memory::Value;
use refrain_llvm::native::Detached;
use refrain_llvm::program::assemble;
use refrain_machine::ExitStatus;
use refrain_solver::native::Native as Solver;
use refrain_term::{Evaluator, Sort, Term, Terms};

use super::check::assignment;
use super::compile;

/// One path.
pub struct Path {
    pub conditions: Vec<Term>,
    pub end: paths::PathEnd,
    /// The path's own input: the bytes of `x`.
    pub model: Vec<u8>,
    /// What the variable `result` had at the end.
    pub result: Option<Value>,
}

impl Path {
    pub fn exits(&self) -> bool {
        matches!(
            self.end,
            paths::PathEnd::Machine(End::Exit(ExitStatus::Known(0)))
        )
    }

    /// The name of the error that the path ends with.
    pub fn error(&self) -> Option<&'static str> {
        match &self.end {
            paths::PathEnd::Machine(End::Error(error)) => Some(error.kind.name()),
            _ => None,
        }
    }

    pub fn is_unsupported(&self) -> bool {
        matches!(self.end, paths::PathEnd::Machine(End::Unsupported(_)))
    }
}

pub struct Explored {
    pub terms: Terms,
    pub paths: Vec<Path>,
    variables: Vec<Term>,
}

/// What the programs start with.
pub const HEADER: &str = "
typedef unsigned char u8; typedef signed char i8; typedef unsigned short u16; typedef short i16;
typedef unsigned u32; typedef int i32; typedef unsigned long long u64; typedef long long i64;
void klee_make_symbolic(void *, unsigned long, const char *);
void klee_assume(unsigned long);
void *malloc(unsigned long); void free(void *);
void *memcpy(void *, const void *, unsigned long); void *memset(void *, int, unsigned long);
int strcmp(const char *, const char *);
u64 result;
";

/// Explores a program that makes `bytes` bytes named `x` symbolic.
pub fn explore(text: &str, level: &str, bytes: usize) -> Explored {
    explore_with(text, level, bytes, Options::default())
}

pub fn explore_with(text: &str, level: &str, bytes: usize, options: Options) -> Explored {
    let clang = compile::clang();
    let bitcode = compile::bitcode_of(&clang, &format!("{HEADER}{text}"), level);
    let program = assemble([("program.bc", &bitcode[..])], &[])
        .expect("a program")
        .program;
    let (mut machine, mut state) =
        Machine::new(program, options, Box::new(Detached)).expect("a program that fits");
    machine
        .start(&mut state, "main", &[b"program".to_vec()], &[])
        .expect("a main function");
    let result = machine.linked().address_of("result").expect("a result");
    let mut terms = Terms::new();
    let variables: Vec<Term> = (0..bytes)
        .map(|index| terms.var(&format!("x[{index}]"), Sort::BitVec(8)))
        .collect();
    let mut found = Vec::new();
    let bounds = Bounds {
        paths: 2000,
        instructions: 1_000_000,
        ..Bounds::default()
    };
    paths::explore(
        &mut machine,
        &mut terms,
        &mut Solver::default(),
        state,
        &bounds,
        |_, terms, mut path| {
            let mut evaluator = Evaluator::new();
            let model = variables
                .iter()
                .map(|&variable| evaluator.small(terms, &path.input, variable) as u8)
                .collect();
            found.push(Path {
                result: path.state.memory.load(terms, result, 8).ok(),
                conditions: path.conditions,
                end: path.end,
                model,
            });
            true
        },
    );
    Explored {
        terms,
        paths: found,
        variables,
    }
}

impl Explored {
    /// The values that the program has assigned on any path, as they are for an input.
    pub fn assigned(&self, input: &[u8]) -> Vec<u64> {
        let input = assignment(&self.terms, &self.variables, input);
        let mut evaluator = Evaluator::new();
        let assigned = self.terms.assigned().iter();
        assigned
            .map(|&term| evaluator.small(&self.terms, &input, term))
            .collect()
    }

    /// The only path that an input takes.
    pub fn taken(&self, input: &[u8]) -> &Path {
        let all: Vec<&Path> = self.all_taken(input);
        assert_eq!(all.len(), 1, "paths of {input:?}");
        all[0]
    }

    pub fn all_taken(&self, input: &[u8]) -> Vec<&Path> {
        let assignment = assignment(&self.terms, &self.variables, input);
        let mut evaluator = Evaluator::new();
        let mut holds = |path: &Path| {
            path.conditions
                .iter()
                .all(|&condition| evaluator.bool(&self.terms, &assignment, condition))
        };
        self.paths.iter().filter(|path| holds(path)).collect()
    }

    /// The status that the program exits with for an input, as the system keeps it.
    pub fn status(&self, input: &[u8]) -> Option<u64> {
        match self.taken(input).end {
            paths::PathEnd::Machine(End::Exit(ExitStatus::Known(status))) => {
                Some(u64::from(status as u8))
            }
            paths::PathEnd::Machine(End::Exit(ExitStatus::Symbolic(status))) => {
                let assignment = assignment(&self.terms, &self.variables, input);
                Some(Evaluator::new().small(&self.terms, &assignment, status) & 0xff)
            }
            _ => None,
        }
    }

    /// What the program gives for an input.
    pub fn result(&self, input: &[u8]) -> u64 {
        let path = self.taken(input);
        assert!(path.exits(), "{input:?} ends in {:?}", path.end);
        let assignment = assignment(&self.terms, &self.variables, input);
        match path.result.expect("a readable result") {
            Value::Concrete(value) => value,
            Value::Symbolic(term) => Evaluator::new().small(&self.terms, &assignment, term),
        }
    }

    /// The errors of the paths, sorted.
    pub fn errors(&self) -> Vec<&'static str> {
        let mut errors: Vec<&'static str> = self.paths.iter().filter_map(Path::error).collect();
        errors.sort_unstable();
        errors
    }

    pub fn exits(&self) -> usize {
        self.paths.iter().filter(|path| path.exits()).count()
    }
}
