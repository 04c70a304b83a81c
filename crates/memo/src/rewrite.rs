//! A tree written anew, as one log: compacted, compressed to what deepening needs (Memoise, section V-E), or several
//! trees united.

use std::path::Path;

use rustc_hash::FxHashSet;

use crate::MemoError;
use crate::edge::Edge;
use crate::edges::Edges;
use crate::header::Header;
use crate::load::Reading;
use crate::log;
use crate::question::{Boundary, CodeUnit, Ending, Leaf, NamedPoint, Question, SymbolId, UnitId};
use crate::slot::Slot;
use crate::tree::{Below, Counts, Input, Summary, Tree};
use crate::writer::LogWriter;

/// The log that is not the tree yet.
const HIDDEN: &str = ".whole";

impl Tree {
    /// Writes the tree anew without what later records have replaced, and opens it.
    pub fn compact(self) -> Result<Tree, MemoError> {
        self.rewrite(None)
    }

    /// Writes the tree anew with what deepening needs: finished subtrees become summaries.
    pub fn compress(self) -> Result<Tree, MemoError> {
        let keep = self.open_edges();
        self.rewrite(Some(&keep))
    }

    /// Before the log has its name the old logs are the tree, and after that they are not.
    fn rewrite(self, keep: Option<&Edges>) -> Result<Tree, MemoError> {
        let is_sealed = self.check_seal().is_ok();
        let recording = self.record()?;
        let hidden = self.directory.join(HIDDEN);
        let (writer, number) = recording.whole_writer(hidden.clone())?;
        write_united(&[&self], keep, &mut |_, test| test, writer, &self.directory)?;
        let path = log::path_of(&self.directory, number);
        std::fs::rename(&hidden, &path).map_err(MemoError::io(&path))?;
        let synced = std::fs::File::open(&self.directory).and_then(|folder| folder.sync_all());
        synced.map_err(MemoError::io(&self.directory))?;
        for old in log::numbers(&self.directory)? {
            if old < number {
                let path = log::path_of(&self.directory, old);
                std::fs::remove_file(&path).map_err(MemoError::io(&path))?;
            }
        }
        open_and_seal(&self.directory, is_sealed)
    }
}

/// The files of a tree in a directory that has none. A process that still adds to it does no harm: what it adds later
/// is left out.
pub fn copy(from: &Path, to: &Path) -> Result<(), MemoError> {
    std::fs::create_dir_all(to).map_err(MemoError::io(to))?;
    for number in log::numbers(from)? {
        let (from, to) = (log::path_of(from, number), log::path_of(to, number));
        let mut source = std::fs::File::open(&from).map_err(MemoError::io(&from))?;
        let target = std::fs::File::create(&to);
        let copied = target.and_then(|mut target| std::io::copy(&mut source, &mut target));
        copied.map_err(MemoError::io(&to))?;
    }
    Header::read(from)?.write(to)
}

/// Unites trees of the same header in a directory that has none: at each edge the one that knows most counts. `number`
/// gives a test of one of the trees the number that it has in the new one.
pub fn merge(
    directory: &Path,
    trees: &[&Tree],
    number: &mut dyn FnMut(usize, u32) -> u32,
) -> Result<Tree, MemoError> {
    let header = trees
        .first()
        .map_or_else(Header::default, |tree| tree.header.clone());
    if let Some(other) = trees.iter().find(|tree| tree.header != header) {
        return Err(MemoError::OtherHeader {
            path: other.directory.clone(),
        });
    }
    let writer = Tree::create(directory, header)?.record()?.writer()?;
    write_united(trees, None, number, writer, directory)?;
    let are_sealed = trees.iter().all(|tree| tree.check_seal().is_ok());
    open_and_seal(directory, are_sealed)
}

fn open_and_seal(directory: &Path, is_sealed: bool) -> Result<Tree, MemoError> {
    let tree = Tree::open(directory, Reading::Strict)?;
    if is_sealed {
        tree.seal()?;
    }
    Ok(tree)
}

fn write_united(
    trees: &[&Tree],
    keep: Option<&Edges>,
    number: &mut dyn FnMut(usize, u32) -> u32,
    writer: LogWriter,
    directory: &Path,
) -> Result<(), MemoError> {
    let sources = trees.iter().map(|tree| Source::new(tree)).collect();
    let mut union = Union {
        sources,
        keep,
        number,
        writer,
    };
    let written = union.write();
    written.map_err(|what| MemoError::Contradiction {
        path: directory.to_path_buf(),
        what,
    })?;
    union.writer.finish_and_sync()
}

/// A tree, and what its ids are to the writer.
struct Source<'a> {
    tree: &'a Tree,
    symbols: Vec<Option<SymbolId>>,
    units: Vec<Option<UnitId>>,
}

impl<'a> Source<'a> {
    fn new(tree: &'a Tree) -> Source<'a> {
        Source {
            tree,
            symbols: Vec::new(),
            units: Vec::new(),
        }
    }

    fn symbol(&mut self, writer: &mut LogWriter, symbol: SymbolId) -> SymbolId {
        let name = || self.tree.symbol(symbol);
        *translated(&mut self.symbols, symbol.0, || writer.symbol(name()))
    }

    fn point(&mut self, writer: &mut LogWriter, point: NamedPoint) -> NamedPoint {
        NamedPoint {
            symbol: self.symbol(writer, point.symbol),
            ..point
        }
    }

    fn stack(&mut self, writer: &mut LogWriter, stack: &[NamedPoint]) -> Vec<NamedPoint> {
        let points = stack.iter();
        points.map(|&point| self.point(writer, point)).collect()
    }

    fn ran(&mut self, writer: &mut LogWriter, ran: &[UnitId]) -> Vec<UnitId> {
        let mut units = Vec::with_capacity(ran.len());
        for &id in ran {
            let known = self.units.get(id.0 as usize).copied().flatten();
            units.push(known.unwrap_or_else(|| {
                let unit = self.tree.unit(id);
                let symbol = self.symbol(writer, unit.symbol);
                let unit = CodeUnit { symbol, ..unit };
                *translated(&mut self.units, id.0, || writer.unit(unit))
            }));
        }
        units
    }

    /// The bytes of an input that takes an edge. If a test has it, the test says enough.
    fn input(&self, edge: Edge) -> Option<Vec<u8>> {
        match self.tree.input(edge) {
            Some(Input::Bytes(bytes)) => Some(bytes),
            Some(Input::Test(_)) | None => None,
        }
    }
}

/// The numbers of tests, in order.
fn numbered(tests: &[u32], number: impl FnMut(u32) -> u32) -> Vec<u32> {
    let mut tests: Vec<u32> = tests.iter().copied().map(number).collect();
    tests.sort_unstable();
    tests
}

fn translated<T: Copy>(known: &mut Vec<Option<T>>, id: u32, make: impl FnOnce() -> T) -> &T {
    let id = id as usize;
    if known.len() <= id {
        known.resize(id + 1, None);
    }
    known[id].get_or_insert_with(make)
}

/// An edge that is to be written, and what it is in the trees that have it.
struct Task {
    to: Edge,
    from: Vec<(usize, Edge)>,
}

struct Union<'a> {
    sources: Vec<Source<'a>>,
    /// Nodes at the end of other edges become summaries; none: all are kept.
    keep: Option<&'a Edges>,
    /// The number of a test of a source.
    number: &'a mut dyn FnMut(usize, u32) -> u32,
    writer: LogWriter,
}

impl Union<'_> {
    fn write(&mut self) -> Result<(), String> {
        let all = 0..self.sources.len();
        let root = Task {
            to: Edge::ROOT,
            from: all.map(|source| (source, Edge::ROOT)).collect(),
        };
        let mut tasks = Vec::new();
        if !root.from.is_empty() {
            tasks.push(root);
        }
        while let Some(task) = tasks.pop() {
            self.write_edge(&task, &mut tasks)?;
        }
        Ok(())
    }

    fn write_edge(&mut self, task: &Task, tasks: &mut Vec<Task>) -> Result<(), String> {
        let (source, edge) = self.best(task);
        let tree = self.sources[source].tree;
        let below = tree.below(edge);
        self.check(task, &below)?;
        let is_kept = self.keep.is_none_or(|keep| tree.is_in(edge, keep));
        let mut number = |test: u32| (self.number)(source, test);
        let (source, writer, to) = (&mut self.sources[source], &mut self.writer, task.to);
        match below {
            Below::Node(_) if is_kept => return self.write_node(task, tasks),
            Below::Node(_) => {
                let Finished { counts, ran, tests } = Finished::of(tree, edge);
                let ran = source.ran(writer, &ran);
                let tests = numbered(&tests, &mut number);
                writer.summary(to, &counts, &ran, &tests, source.input(edge).as_deref());
            }
            Below::Summary(Summary { counts, ran, tests }) => {
                let ran = source.ran(writer, ran);
                let tests = numbered(tests, &mut number);
                writer.summary(to, &counts, &ran, &tests, source.input(edge).as_deref());
            }
            Below::Leaf(leaf) => {
                let ran = source.ran(writer, leaf.ran);
                let stack;
                let mut leaf = Leaf {
                    ran: &ran,
                    test: leaf.test.map(&mut number),
                    ..leaf
                };
                if let Ending::Boundary(boundary) = &mut leaf.ending {
                    stack = source.stack(writer, boundary.stack);
                    boundary.stack = &stack;
                }
                writer.leaf(to, &leaf, source.input(edge).as_deref());
            }
            Below::Infeasible { core } => writer.infeasible(to, core),
            Below::Unknown { reason } => writer.unknown(to, reason),
            Below::Open(boundary) => {
                let input = source.input(edge);
                if boundary != Boundary::default() || input.is_some() {
                    let stack = &source.stack(writer, boundary.stack);
                    writer.open(to, &Boundary { stack, ..boundary }, input.as_deref());
                }
            }
        }
        Ok(())
    }

    /// The first of the trees that know most at an edge.
    fn best(&self, task: &Task) -> (usize, Edge) {
        let (mut best, mut best_rank) = (task.from[0], 0);
        for &(source, edge) in &task.from {
            let rank = rank(&self.sources[source].tree.below(edge));
            if rank > best_rank {
                (best, best_rank) = ((source, edge), rank);
            }
        }
        best
    }

    /// The trees have the same node at an edge, or none. Its alternatives come next.
    fn write_node(&mut self, task: &Task, tasks: &mut Vec<Task>) -> Result<(), String> {
        let mut made = None;
        let mut nodes = Vec::new();
        let mut alternatives = 0;
        for &(source, edge) in &task.from {
            let source_tree = &mut self.sources[source];
            let Below::Node(node) = source_tree.tree.below(edge) else {
                continue;
            };
            nodes.push((source, node));
            let question = source_tree.tree.question(node);
            let ran = source_tree.ran(&mut self.writer, question.ran);
            let point = source_tree.point(&mut self.writer, question.point);
            let question = Question {
                point,
                ran: &ran,
                ..question
            };
            let key = (self.writer.question_row(&question), question.hash);
            match made {
                None => made = Some((key, self.writer.node(task.to, &question))),
                Some((first, _)) if first == key => {}
                Some(_) => return Err(self.contradiction(source)),
            }
            alternatives = question.kind.alternatives();
        }
        let Some((_, made)) = made else {
            return Ok(());
        };
        let first = tasks.len();
        for alternative in 0..alternatives {
            let from = nodes
                .iter()
                .map(|&(source, node)| (source, node.edge(alternative)));
            let task = Task {
                to: made.edge(alternative),
                from: from.collect(),
            };
            // What is said of a node at once takes the least room.
            match self.is_infeasible(&task) {
                true => self.write_edge(&task, tasks)?,
                false => tasks.push(task),
            }
        }
        tasks[first..].reverse();
        Ok(())
    }

    fn is_infeasible(&self, task: &Task) -> bool {
        let mut from = task.from.iter();
        from.any(|&(source, edge)| {
            let below = self.sources[source].tree.below(edge);
            matches!(below, Below::Infeasible { .. })
        })
    }

    /// What the trees know at an edge does not exclude each other.
    fn check(&self, task: &Task, chosen: &Below) -> Result<(), String> {
        for &(source, edge) in &task.from {
            let tree = self.sources[source].tree;
            if !is_consistent(chosen, &tree.below(edge)) {
                return Err(self.contradiction(source));
            }
        }
        Ok(())
    }

    fn contradiction(&self, source: usize) -> String {
        let directory = self.sources[source].tree.directory.display();
        format!("{directory} has something else at an edge")
    }
}

/// Whether what is known at an edge and something that is known better, or as well, can both be true.
fn is_consistent(better: &Below, other: &Below) -> bool {
    let class = |below: &Below| match below {
        Below::Open(_) | Below::Unknown { .. } => None,
        Below::Infeasible { .. } => Some(0),
        Below::Node(_) | Below::Summary(_) => Some(1),
        Below::Leaf(leaf) => match leaf.ending {
            Ending::Boundary(_) => Some(2),
            _ => Some(3),
        },
    };
    match (class(better), class(other)) {
        (None, _) | (_, None) => true,
        // The path was cut in one tree and went on in the other.
        (Some(1 | 3), Some(2)) => true,
        (better, other) => better == other,
    }
}

/// How much is known.
fn rank(below: &Below) -> u32 {
    match below {
        Below::Open(boundary) => u32::from(*boundary != Boundary::default()),
        Below::Unknown { .. } => 2,
        Below::Leaf(leaf) => match leaf.ending {
            Ending::Boundary(_) => 3,
            _ => 6,
        },
        Below::Infeasible { .. } => 4,
        Below::Node(_) => 5,
        Below::Summary(_) => 7,
    }
}

/// What a subtree comes to.
struct Finished {
    counts: Counts,
    ran: Vec<UnitId>,
    tests: Vec<u32>,
}

impl Finished {
    fn of(tree: &Tree, edge: Edge) -> Finished {
        let mut counts = Counts::default();
        let mut codes: FxHashSet<u32> = FxHashSet::default();
        let mut tests = Vec::new();
        let mut stack: Vec<u32> = tree.slot(edge).into_iter().collect();
        while let Some(slot) = stack.pop() {
            let slot = tree.slots[slot as usize].unpack();
            counts += tree.count_one(slot);
            match slot {
                Slot::Node(node) => {
                    counts.nodes += 1;
                    let row = tree.nodes.question[node as usize];
                    codes.insert(tree.dictionary.question_row(row).ran);
                    stack.extend(tree.slots_of(node));
                }
                Slot::Leaf(leaf) => {
                    let row = tree.leaves.row[leaf as usize];
                    codes.insert(tree.dictionary.leaf_row(row).ran);
                    tests.extend(tree.leaves.test[leaf as usize].checked_sub(1));
                }
                Slot::Summary(summary) => {
                    let row = &tree.summaries[summary as usize];
                    counts += row.counts;
                    codes.insert(row.ran);
                    tests.extend(tree.dictionary.list(row.tests));
                }
                Slot::Open | Slot::Infeasible | Slot::Detail(_) => {}
            }
        }
        let units = codes.iter().flat_map(|&code| tree.dictionary.code(code));
        let mut ran: Vec<UnitId> = units.copied().collect();
        ran.sort_unstable();
        ran.dedup();
        tests.sort_unstable();
        Finished { counts, ran, tests }
    }
}
