//! The tree of each program, rebuilt from what a listener is told and from nothing else. A run that is given the values
//! that were chosen has the same tree and the same paths, whatever its preset, mode and search are. An ordinary run takes
//! one mode of each program, and every third preset; a long one takes all.

use std::sync::{Arc, Mutex};

use refrain_compile as compile;
use refrain_explore::workers::{self, Kit, Parts};
use refrain_explore::{Mode, Options, RecordedValues, Search};
use refrain_llvm::load;
use refrain_llvm::machine::{Machine, Start};
use refrain_llvm::native::Detached;
use refrain_llvm::program;
use refrain_reuse::{Chain, Count, Layers, PRESETS};
use refrain_solver::{Solver, select};
use refrain_testing::effort;

use crate::corpus::{self, Program};
use crate::oracle::compile_options;
use crate::parallel;
use crate::tree::{Builder, Leaf, Tree};

struct Worker<'a> {
    machine: Machine,
    make_solver: Box<dyn Fn() -> Box<dyn Solver>>,
    builder: Builder<'a>,
}

impl<'a> Kit for Worker<'a> {
    type Machine = Machine;
    type Listener = Builder<'a>;

    fn parts(&mut self) -> Parts<'_, Machine, Builder<'a>> {
        Parts {
            machine: &mut self.machine,
            make_solver: &*self.make_solver,
            listener: &mut self.builder,
        }
    }
}

fn load(built: &compile::Built) -> Machine {
    let (own, runtime) = built.modules.split_at(1);
    let file = |module: &compile::Module| (module.name.clone(), module.bytes.clone());
    let own: Vec<_> = own.iter().map(file).collect();
    let runtime: Vec<_> = runtime.iter().map(file).collect();
    let runtime: Vec<program::File<'_>> = runtime
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
        .collect();
    let own = own
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
    let assembled = program::assemble(own, &runtime).expect("a program");
    let options = load::Options::default();
    let loaded = Machine::new(assembled.program, options, Box::new(Detached));
    let (mut machine, state) = loaded.expect("a program that fits");
    machine.print_later(true);
    let start = Start::Main {
        entry: "main".into(),
        world: refrain_machine::World::given(&[b"program".to_vec()], &[]),
    };
    machine.set_start(state, start).expect("a main function");
    machine
}

fn tree(built: &compile::Built, preset: &str, mut options: Options) -> Tree {
    let layers = Layers::preset(preset).expect("a preset");
    options.trust_model = layers.model;
    options.partial_solutions = layers.partial_solutions.map(Count::most);
    let tree = Mutex::new(Tree::default());
    let worker = Worker {
        machine: load(built),
        make_solver: Box::new(move || {
            let native = select::from_spec("native", &select::Options::default());
            Chain::before(native.expect("it is built in"), layers.clone(), None, None)
        }),
        builder: Builder { tree: &tree },
    };
    workers::explore_alone(&options, worker).expect("an exploration");
    let tree = tree.into_inner().expect("no panic");
    tree.check();
    tree
}

fn check(program: &Program, number: usize) {
    let inputs = [program.source.clone()];
    let built = compile::to_bitcode(&inputs, &compile_options(program));
    let built = built.unwrap_or_else(|error| panic!("{}: {error}", program.name));
    let modes = [(Mode::Fork, Mode::Concolic), (Mode::Concolic, Mode::Fork)];
    let own = number % modes.len();
    for &(mode, other) in effort(&modes[own..=own], &modes[..]) {
        let name = &program.name;
        let first = PRESETS[number / modes.len() % PRESETS.len()];
        let options = Options {
            mode,
            ..Options::default()
        };
        let whole = tree(&built, first, options.clone());
        let ends = whole.leaves.values();
        let ends = ends.filter(|leaf| !matches!(leaf, Leaf::End(end) if end == "Silent"));
        let ends = ends.count();
        assert!(ends >= program.paths, "{name}: {ends} paths");
        let values: Arc<dyn RecordedValues> = Arc::new(whole.values());
        let presets = PRESETS.iter().skip(number / modes.len() % effort(3, 1));
        for &preset in presets.step_by(effort(3, 1)) {
            let again = Options {
                recorded: Some(values.clone()),
                search: Search::Dfs,
                ..options.clone()
            };
            let again = tree(&built, preset, again);
            assert!(again == whole, "{name}: {mode:?}, {first} and {preset}");
        }
        let again = Options {
            recorded: Some(values),
            mode: other,
            ..options
        };
        let again = tree(&built, "full", again);
        assert!(again == whole, "{name}: {mode:?} and {other:?}");
    }
}

#[test]
fn events_say_the_whole_tree_and_following_it_gives_the_same() {
    let programs: Vec<(usize, Program)> = corpus::selected().into_iter().enumerate().collect();
    parallel::map(&programs, |(number, program)| check(program, *number));
}
