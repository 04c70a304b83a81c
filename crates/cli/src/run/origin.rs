//! Where a run starts from: nothing, its own results so far, or those of another version of the program. And where it
//! puts what it finds out.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use refrain_explore::Memo;
use refrain_explore::memo::{Again, Guide, Heuristic};
use refrain_llvm::machine::Machine;
use refrain_machine::{Cause, Goal, Machine as _};
use refrain_memo::{Below, Edge, Header, Reading, Tree};
use refrain_results::{OutputDirectory, Run, TestPack};

use super::{Arguments, Earlier, Tests};
use crate::complain;

/// The tree of another version is written anew, as one log, if it has more than these.
const MOST_LOGS: usize = 16;

/// What is known of a program when a run of it begins.
pub enum Origin {
    Nothing,
    /// What an earlier run of the same program found out, in whose directory this one goes on; everywhere, or where a
    /// heuristic says.
    Same(Earlier, Option<Heuristic>),
    /// The same of another version of the program. This one has its own directory.
    Version(Earlier),
}

impl Origin {
    pub fn earlier(&self) -> Option<&Earlier> {
        match self {
            Origin::Nothing => None,
            Origin::Same(earlier, _) | Origin::Version(earlier) => Some(earlier),
        }
    }
}

pub struct Beginning {
    pub directory: OutputDirectory,
    pub memo: Arc<Memo>,
    /// The tests of the earlier run.
    pub tests: Option<TestPack>,
    /// That was of another version of the program.
    pub is_version: bool,
}

impl Beginning {
    /// `run` and `header` describe the run that begins. `guide` is a machine to look ahead with.
    pub fn new(
        arguments: &Arguments,
        machine: &Machine,
        guide: Option<&mut Machine>,
        origin: &Origin,
        run: &Run,
        header: Header,
    ) -> Result<Beginning, String> {
        let beginning = match origin {
            Origin::Nothing => Beginning::anew(arguments, header),
            Origin::Same(earlier, heuristic) => {
                let guide = heuristic.zip(guide);
                Beginning::going_on(arguments, earlier, guide, run, &header)
            }
            Origin::Version(earlier) => {
                Beginning::with_version(arguments, earlier, machine, run, &header)
            }
        }?;
        if let Some(note) = beginning.directory.note() {
            complain(note);
        }
        beginning.directory.write_run(run).map_err(text)?;
        Ok(beginning)
    }

    fn anew(arguments: &Arguments, header: Header) -> Result<Beginning, String> {
        let directory = new_directory(arguments)?;
        let tree = Tree::create(&directory.tree(), header).map_err(text)?;
        Ok(Beginning {
            memo: Arc::new(Memo::resume(tree).map_err(text)?),
            directory,
            tests: None,
            is_version: false,
        })
    }

    fn going_on(
        arguments: &Arguments,
        earlier: &Earlier,
        guide: Option<(Heuristic, &mut Machine)>,
        run: &Run,
        header: &Header,
    ) -> Result<Beginning, String> {
        let path = earlier.directory.path();
        let tree = open_tree(&earlier.directory, header, Reading::Lenient)?;
        if earlier.run.digest != run.digest {
            return Err(format!(
                "the program has changed since; `refrain diff {} {}` explores what changed",
                path.display(),
                run.program.display()
            ));
        }
        let tests = earlier.directory.tests().map_err(text)?;
        let goal = match arguments.how.to {
            Some(_) => Goal::Target,
            None => Goal::Uncovered,
        };
        let guide = guide.map(|(heuristic, machine)| Guide::new(&tree, machine, heuristic, goal));
        let memo = follow(arguments, earlier, tree, &tests, guide, None, true)?;
        // What a process wrote right before it was killed may be of no path of the tree.
        let of_paths = tests_of_paths(memo.tree());
        if tests.torn_tail().is_some()
            || tests.numbers().iter().any(|test| !of_paths.contains(test))
        {
            earlier
                .directory
                .keep_tests(&tests, &of_paths)
                .map_err(text)?;
        }
        Ok(Beginning {
            directory: OutputDirectory::open(path).map_err(text)?,
            memo,
            tests: Some(tests),
            is_version: false,
        })
    }

    fn with_version(
        arguments: &Arguments,
        earlier: &Earlier,
        machine: &Machine,
        run: &Run,
        header: &Header,
    ) -> Result<Beginning, String> {
        // What cannot be followed is told before anything is written.
        drop(open_tree(&earlier.directory, header, Reading::Lenient)?);
        let tests = earlier.directory.tests().map_err(text)?;
        let directory = new_directory(arguments)?;
        refrain_memo::copy(&earlier.directory.tree(), &directory.tree()).map_err(text)?;
        let mut tree = open_tree(&directory, header, Reading::Lenient)?;
        // Each version adds to it.
        if tree.logs() > MOST_LOGS {
            tree = tree.compact().map_err(text)?;
        }
        let memo = follow(
            arguments,
            earlier,
            tree,
            &tests,
            None,
            Some(machine),
            earlier.run.digest == run.digest,
        )?;
        directory
            .keep_tests(&tests, &memo.kept().tests)
            .map_err(text)?;
        Ok(Beginning {
            directory,
            memo,
            tests: Some(tests),
            is_version: true,
        })
    }
}

fn text(error: impl ToString) -> String {
    error.to_string()
}

fn new_directory(arguments: &Arguments) -> Result<OutputDirectory, String> {
    let directory = match &arguments.out {
        Some(path) => OutputDirectory::create(path),
        None => OutputDirectory::create_next(Path::new(".")),
    };
    directory.map_err(text)
}

/// The tree of an earlier run, if it means the same as one of this header would.
pub fn open_tree(
    directory: &OutputDirectory,
    header: &Header,
    reading: Reading,
) -> Result<Tree, String> {
    let tree = Tree::open(&directory.tree(), reading).map_err(text)?;
    for warning in tree.warnings() {
        complain(warning);
    }
    let keys: BTreeSet<&String> = tree.header().0.keys().chain(header.0.keys()).collect();
    for key in keys {
        let (before, now) = (tree.header().get(key), header.get(key));
        if before != now {
            let word = |value: Option<&str>| value.unwrap_or("nothing").to_string();
            return Err(format!(
                "{} is of a run with another {key}: {}, now {}; it cannot be continued",
                directory.path().display(),
                word(before),
                word(now)
            ));
        }
    }
    Ok(tree)
}

/// Follows a tree: wherever it is open and the limits let it go on; and, with the machine of another version, wherever
/// that may do something else.
fn follow(
    arguments: &Arguments,
    earlier: &Earlier,
    tree: Tree,
    tests: &TestPack,
    guide: Option<Guide>,
    version: Option<&Machine>,
    is_same_program: bool,
) -> Result<Arc<Memo>, String> {
    let hash_now =
        |symbol: &str, block| version.and_then(|machine| machine.code_hash(symbol, block));
    let part = earlier.directory.read_part().map_err(text)?;
    let part = part.map(|ways| edges_at(&tree, &ways));
    let again = Again {
        part: part.as_ref(),
        goes_on: &|edge: Edge, cause: &Cause| {
            goes_on(arguments, &earlier.arguments, cause)
                && guide.as_ref().is_none_or(|guide| guide.goes_on(edge))
        },
        hash_now: version.is_some().then_some(&hash_now),
        has_test: &|number| tests.has(number),
        covers_by_tests: arguments.how.which_tests() == Tests::Covering,
        judges_assumptions: true,
        has_moved: version.is_some() && !is_same_program,
    };
    Ok(Arc::new(Memo::new(tree, &again).map_err(text)?))
}

/// The edges that answers lead to. What has become another question since has nothing that is open.
fn edges_at(tree: &Tree, ways: &[Vec<u32>]) -> BTreeSet<Edge> {
    let answer = |edge: Edge, &answer: &u32| match tree.below(edge) {
        Below::Node(node) => Some(node.edge(answer)),
        _ => None,
    };
    let edges = { ways.iter() }.filter_map(|way| way.iter().try_fold(Edge::ROOT, answer));
    edges.collect()
}

/// Whether what stopped a path before stops it no more.
fn goes_on(now: &Arguments, before: &Arguments, cause: &Cause) -> bool {
    let (limits, old) = (&now.how.limits, &before.how.limits);
    match cause {
        Cause::Depth => limits.max_depth > old.max_depth,
        Cause::Unroll => limits.max_unroll > old.max_unroll,
        Cause::Instructions => limits.max_instructions > old.max_instructions,
        Cause::Forks | Cause::Memory | Cause::Time | Cause::Paths | Cause::Interrupted => true,
        Cause::Undecided(_) => {
            now.how.asking.solver != before.how.asking.solver
                || limits.solver_time > old.solver_time
        }
        Cause::ForkingOff
        | Cause::OtherValues
        | Cause::Unsupported(_)
        | Cause::Inexpressible(_)
        | Cause::Internal(_)
        | Cause::NotRecorded => false,
    }
}

/// The numbers of the tests that paths of a tree have.
fn tests_of_paths(tree: &Tree) -> BTreeSet<u32> {
    let mut tests = BTreeSet::new();
    for edge in tree.every_edge() {
        match tree.below(edge) {
            Below::Leaf(leaf) => tests.extend(leaf.test),
            Below::Summary(summary) => tests.extend(summary.tests),
            _ => {}
        }
    }
    tests
}
