//! Explorations of C programs that a memo tree records.

use std::ops::ControlFlow;
use std::path::Path as FilePath;
use std::sync::Arc;

use refrain_explore::workers::{self, Kit, Outcome, Parts};
use refrain_explore::{Limits, Listener, Memo, Options, Path};
use refrain_llvm::load;
use refrain_llvm::machine::{Machine, Start, State};
use refrain_llvm::native::Detached;
use refrain_llvm::program::assemble;
use refrain_machine::{End, World};
use refrain_reuse::{Chain, Layers};
use refrain_solver::{Solver, select};

use super::compile;

pub fn bitcode(text: &str, level: &str) -> Option<Vec<u8>> {
    let include = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../compile/include");
    let folder = tempfile::tempdir().expect("a directory for the compiler");
    let source = folder.path().join("program.c");
    std::fs::write(&source, text).expect("a file for the compiler");
    let options = format!("{level} -g -I{}", include.display());
    let target = compile::bitcode(&compile::clang(), &source, &options).ok()?;
    Some(std::fs::read(target).expect("what the compiler wrote"))
}

pub fn load(bitcode: &[u8]) -> Machine {
    let (mut machine, state) = load_unstarted(bitcode);
    let start = Start::Main {
        entry: "main".into(),
        world: World::given(&[b"program".to_vec()], &[]),
    };
    machine.set_start(state, start).expect("a main function");
    machine
}

/// The same, which is not told where to start.
pub fn load_unstarted(bitcode: &[u8]) -> (Machine, State) {
    let program = assemble([("program.bc", bitcode)], &[])
        .expect("a program")
        .program;
    let options = load::Options::default();
    let loaded = Machine::new(program, options, Box::new(Detached));
    let (mut machine, state) = loaded.expect("a program that fits");
    machine.print_later(true);
    machine.count_iterations(true);
    (machine, state)
}

struct Worker {
    machine: Machine,
    listener: Nobody,
}

/// Everything is in the tree.
struct Nobody;

impl Listener<Machine> for Nobody {
    fn end(&mut self, _path: Path<'_, Machine>, _end: &End) -> ControlFlow<(), Option<u32>> {
        ControlFlow::Continue(None)
    }
}

impl Kit for Worker {
    type Machine = Machine;
    type Listener = Nobody;

    fn parts(&mut self) -> Parts<'_, Machine, Nobody> {
        Parts {
            machine: &mut self.machine,
            make_solver: &make_solver,
            listener: &mut self.listener,
        }
    }
}

pub fn make_solver() -> Box<dyn Solver> {
    let native = select::from_spec("native", &select::Options::default()).expect("it is built in");
    Chain::before(
        native,
        Layers::preset("full").expect("a preset"),
        None,
        None,
    )
}

/// Explores a program from its `main`.
pub fn explore(bitcode: &[u8], memo: Option<Memo>, limits: Limits) -> Outcome {
    let options = Options {
        limits,
        memo: memo.map(Arc::new),
        ..Options::default()
    };
    let worker = Worker {
        machine: load(bitcode),
        listener: Nobody,
    };
    workers::explore_alone(&options, worker).expect("an exploration")
}
