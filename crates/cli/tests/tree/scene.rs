//! Output directories with a tree: of programs that are explored, and one that is made up and large.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use refrain_compile as compile;
use refrain_explore::workers::{self, Kit, Parts};
use refrain_explore::{Limits, Listener, Memo, Options, Path as Explored, Trail};
use refrain_llvm::load;
use refrain_llvm::machine::{Machine, Start};
use refrain_llvm::native::Detached;
use refrain_llvm::program::assemble;
use refrain_machine::{Cause, End};
use refrain_memo::{
    AskKind, Boundary, Edge, Ending, Header, Leaf, NamedPoint, Question, Reading, Tree,
};
use refrain_results::{Outcome, OutputDirectory, Run, Source, Test, TestHandle};
use refrain_reuse::{Chain, Layers};
use refrain_solver::{Solver, select};
use refrain_testing::Random;

use crate::common::REFRAIN;

/// Its comments say which line is which.
pub const SHOP: &str = include_str!("shop.c");

pub struct Scene {
    pub folder: tempfile::TempDir,
}

impl Scene {
    pub fn new() -> Scene {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Scene { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Explores a program down to a depth; `name` is then the output directory of that run.
    pub fn explore(&self, name: &str, program: &str, depth: u32) {
        let source = self.path(program);
        let built =
            compile::to_bitcode(std::slice::from_ref(&source), &compile::Options::default());
        let built = built.expect("a program that compiles");
        let modules = built.modules.iter();
        let modules = modules.map(|module| (module.name.as_str(), module.bytes.as_slice()));
        let program = assemble(modules, &[]).expect("a program").program;
        let loaded = Machine::new(program, load::Options::default(), Box::new(Detached));
        let (mut machine, state) = loaded.expect("a program that fits");
        machine.print_later(true);
        let start = Start::Main {
            entry: "main".into(),
            world: refrain_machine::World::given(&[b"program".to_vec()], &[]),
        };
        machine.set_start(state, start).expect("a main function");
        let directory = OutputDirectory::create(&self.path(name)).expect("a directory");
        let text = fs::read(&source).expect("a file");
        let run = Run {
            program: source.clone(),
            entry: "main".into(),
            sources: vec![Source {
                path: source,
                hash: Source::hash_of(&text),
            }],
            ..Run::default()
        };
        directory.write_run(&run).expect("it can be written");
        let tests = directory.test_writer().expect("a writer");
        let tree = Tree::create(&directory.path().join("tree"), Header::default());
        let memo = Memo::resume(tree.expect("a directory")).expect("a tree");
        let options = Options {
            limits: Limits {
                depth,
                ..Limits::default()
            },
            memo: Some(Arc::new(memo)),
            ..Options::default()
        };
        let worker = Worker {
            machine,
            listener: Tests {
                tests: tests.handle(),
                last: 0,
            },
        };
        workers::explore_alone(&options, worker).expect("an exploration");
        tests.finish().expect("all can be written");
    }

    pub fn tree(&self, arguments: &[&str]) -> Output {
        Command::new(REFRAIN)
            .arg("tree")
            .args(arguments)
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .output()
            .expect("refrain starts")
    }

    /// What is said where all is well.
    #[track_caller]
    pub fn says(&self, arguments: &[&str]) -> String {
        let output = self.tree(arguments);
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).expect("text")
    }
}

/// The program of the tests, explored whole.
pub fn shop() -> Scene {
    let scene = Scene::new();
    fs::write(scene.path("shop.c"), SHOP).expect("a file");
    scene.explore("out", "shop.c", u32::MAX);
    scene
}

struct Worker {
    machine: Machine,
    listener: Tests,
}

/// A test for each path.
struct Tests {
    tests: TestHandle,
    last: u32,
}

impl Tests {
    fn write(&mut self, outcome: Outcome) -> ControlFlow<(), Option<u32>> {
        self.last += 1;
        let test = Test {
            number: self.last,
            outcome,
            ..Test::default()
        };
        assert!(self.tests.write(test));
        ControlFlow::Continue(Some(self.last))
    }
}

impl Listener<Machine> for Tests {
    fn end(&mut self, _path: Explored<'_, Machine>, end: &End) -> ControlFlow<(), Option<u32>> {
        self.write(match end {
            End::Error(fault) => Outcome::Error((**fault).clone()),
            _ => Outcome::exit(0),
        })
    }

    fn boundary(
        &mut self,
        _trail: &Trail,
        cause: &Cause,
        path: Option<Explored<'_, Machine>>,
    ) -> ControlFlow<(), Option<u32>> {
        match path {
            Some(_) => self.write(Outcome::Unfinished(cause.clone())),
            None => ControlFlow::Continue(None),
        }
    }
}

impl Kit for Worker {
    type Machine = Machine;
    type Listener = Tests;

    fn parts(&mut self) -> Parts<'_, Machine, Tests> {
        Parts {
            machine: &mut self.machine,
            make_solver: &make_solver,
            listener: &mut self.listener,
        }
    }
}

fn make_solver() -> Box<dyn Solver> {
    let native = select::from_spec("native", &select::Options::default()).expect("it is built in");
    let layers = Layers::preset("full").expect("a preset");
    Chain::before(native, layers, None, None)
}

pub fn open(directory: &Path) -> Tree {
    Tree::open(directory, Reading::Strict).expect("a tree")
}

/// A tree of so many nodes in a directory of its own, with one error deep inside.
pub fn made_up(directory: &Path, nodes: u32) {
    let tree = Tree::create(directory, Header::default()).expect("a directory");
    let recording = tree.record().expect("a recording");
    let mut writer = recording.writer().expect("a log");
    let mut random = Random::new(1);
    let symbols: Vec<_> = (0..40)
        .map(|at| writer.symbol(&format!("function_{at}")))
        .collect();
    let mut pending = vec![Edge::ROOT];
    let mut tests = 0;
    for made in 0..nodes {
        let at = match random.one_in(20) {
            true => random.below(pending.len()),
            false => pending.len() - 1,
        };
        let edge = pending.swap_remove(at);
        let point = NamedPoint {
            symbol: symbols[random.below(symbols.len())],
            block: random.below(30),
            instruction: random.below(9),
        };
        let question = Question {
            point,
            kind: AskKind::Choose(2),
            value: None,
            implied: &[],
            ran: &[],
            hash: random.next(),
        };
        let node = writer.node(edge, &question);
        for alternative in 0..2 {
            let edge = node.edge(alternative);
            match random.below(10) {
                0..4 if alternative == 1 => writer.infeasible(edge, None),
                4..6 if alternative == 1 => {
                    tests += 1;
                    let ending = match random.below(30) {
                        0 => Ending::Boundary(Boundary {
                            cause: "depth",
                            stack: &[point],
                        }),
                        _ => Ending::Exit(Some(0)),
                    };
                    let leaf = Leaf {
                        ending,
                        implied: &[],
                        ran: &[],
                        test: Some(tests),
                    };
                    writer.leaf(edge, &leaf, None);
                }
                _ => pending.push(edge),
            }
        }
        if made + 1 == nodes {
            let leaf = Leaf {
                ending: Ending::Error("needle"),
                implied: &[],
                ran: &[],
                test: None,
            };
            let edge = pending.pop().expect("something is open");
            writer.leaf(edge, &leaf, None);
        }
    }
    writer.finish().expect("a whole log");
}
