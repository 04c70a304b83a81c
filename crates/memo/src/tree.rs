//! The tree in memory: arrays side by side, edges as indices of slots.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::MemoError;
use crate::dictionary::{BoundaryRow, Dictionary};
use crate::edge::{Edge, NodeId};
use crate::header::Header;
use crate::inputs::Inputs;
use crate::log::{self, Head};
use crate::question::{Boundary, CodeUnit, Ending, Leaf, Question, SymbolId, UnitId};
use crate::recording::{Lock, Origin, Origins, Recording};
use crate::seal::{self, LogEnd};
use crate::slot::{Packed, Slot};

/// All logs of a directory as one tree. It stays as it was when it was opened; what a [`Recording`] adds is seen when
/// it is opened again.
pub struct Tree {
    pub(crate) directory: PathBuf,
    pub(crate) header: Header,
    pub(crate) logs: Vec<LogInfo>,
    pub(crate) warnings: Vec<String>,
    pub(crate) dictionary: Dictionary,
    pub(crate) nodes: Nodes,
    /// What is at the end of each edge: first the root's, then those of each node.
    pub(crate) slots: Vec<Packed>,
    pub(crate) leaves: Leaves,
    pub(crate) details: Vec<Detail>,
    pub(crate) summaries: Vec<SummaryRow>,
    pub(crate) inputs: Inputs,
    pub(crate) lost: u64,
    /// All nodes that the root leads to, each after its parent; none: these are all nodes, as they come.
    pub(crate) order: Option<Vec<u32>>,
    /// For each node, the source of an input that leads to it.
    borrowed: OnceLock<Vec<Source>>,
}

/// What was read of a log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogInfo {
    pub head: Head,
    /// The first of its nodes.
    pub first: u32,
    pub size: u64,
    /// Where its torn tail starts.
    pub torn: Option<u64>,
    /// How it ends, without its torn tail.
    pub end: LogEnd,
}

#[derive(Default)]
pub(crate) struct Nodes {
    /// The slot that it was recorded for; another may have come there since.
    pub at: Vec<u32>,
    /// Its first slot.
    pub first: Vec<u32>,
    /// In the dictionary.
    pub question: Vec<u32>,
    pub hash: Vec<u64>,
}

#[derive(Default)]
pub(crate) struct Leaves {
    /// In the dictionary.
    pub row: Vec<u32>,
    /// One more than the number of its test.
    pub test: Vec<u32>,
    /// One more than the id of its input.
    pub input: Vec<u32>,
}

#[derive(Clone, Copy)]
pub(crate) enum Detail {
    /// In the dictionary's blobs.
    Infeasible { core: Option<u32> },
    Open {
        boundary: BoundaryRow,
        input: Option<u32>,
    },
    /// In the dictionary's texts.
    Unknown { reason: u32 },
}

pub(crate) struct SummaryRow {
    pub counts: Counts,
    /// In the dictionary's codes.
    pub ran: u32,
    /// In the dictionary's lists.
    pub tests: u32,
    pub input: Option<u32>,
}

/// What is at the end of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Below<'a> {
    Node(NodeId),
    Leaf(Leaf<'a>),
    /// No input leads there.
    Infeasible {
        core: Option<&'a [u8]>,
    },
    /// It is not explored, or not recorded yet.
    Open(Boundary<'a>),
    /// The solver could not decide whether any input leads there.
    Unknown {
        reason: &'a str,
    },
    /// A finished subtree, in short.
    Summary(Summary<'a>),
}

impl Below<'_> {
    /// Whether there may be more to explore right here.
    pub fn is_open(&self) -> bool {
        match self {
            Below::Open(_) | Below::Unknown { .. } => true,
            Below::Leaf(leaf) => matches!(leaf.ending, Ending::Boundary(_)),
            Below::Node(_) | Below::Infeasible { .. } | Below::Summary(_) => false,
        }
    }
}

/// What is left of a finished subtree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary<'a> {
    pub counts: Counts,
    /// All code that ran in it, up to it included.
    pub ran: &'a [UnitId],
    /// The numbers of its tests, in order.
    pub tests: &'a [u32],
}

/// How much of what there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub nodes: u64,
    pub exits: u64,
    pub errors: u64,
    pub unsupported: u64,
    pub silent: u64,
    /// Leaves that are boundaries.
    pub boundaries: u64,
    /// Alternatives that no input takes.
    pub infeasible: u64,
    /// Alternatives that are open or unknown.
    pub open: u64,
}

impl Counts {
    pub fn leaves(&self) -> u64 {
        self.exits + self.errors + self.unsupported + self.silent + self.boundaries
    }

    /// All of them, in the order in which they stand here.
    pub fn to_array(self) -> [u64; 8] {
        [
            self.nodes,
            self.exits,
            self.errors,
            self.unsupported,
            self.silent,
            self.boundaries,
            self.infeasible,
            self.open,
        ]
    }

    pub(crate) fn from_array(counts: [u64; 8]) -> Counts {
        let [
            nodes,
            exits,
            errors,
            unsupported,
            silent,
            boundaries,
            infeasible,
            open,
        ] = counts;
        Counts {
            nodes,
            exits,
            errors,
            unsupported,
            silent,
            boundaries,
            infeasible,
            open,
        }
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, more: Counts) {
        let (mut sum, more) = (self.to_array(), more.to_array());
        for (sum, more) in sum.iter_mut().zip(more) {
            // A file may claim anything.
            *sum = sum.saturating_add(more);
        }
        *self = Counts::from_array(sum);
    }
}

/// Where an input is to be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    Bytes(Vec<u8>),
    /// In the test of this number.
    Test(u32),
}

/// The same, in the tree.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    None,
    Input(u32),
    Test(u32),
}

impl Tree {
    /// A tree of which nothing is known yet, in a directory that has none.
    pub fn create(directory: &Path, header: Header) -> Result<Tree, MemoError> {
        std::fs::create_dir_all(directory).map_err(MemoError::io(directory))?;
        header.write(directory)?;
        Ok(Tree::empty(directory, header))
    }

    pub(crate) fn empty(directory: &Path, header: Header) -> Tree {
        Tree {
            directory: directory.to_path_buf(),
            header,
            logs: Vec::new(),
            warnings: Vec::new(),
            dictionary: Dictionary::default(),
            nodes: Nodes::default(),
            slots: vec![Packed::OPEN],
            leaves: Leaves::default(),
            details: Vec::new(),
            summaries: Vec::new(),
            inputs: Inputs::default(),
            lost: 0,
            order: None,
            borrowed: OnceLock::new(),
        }
    }

    pub fn header(&self) -> &Header {
        &self.header
    }

    /// How many logs it is made of.
    pub fn logs(&self) -> usize {
        self.logs.len()
    }

    /// What was ignored when it was opened.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// How many records are about nodes that were never written: their log lost its tail.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// A run that adds to the tree. Torn tails are cut off, and there is no seal until the run writes it.
    pub fn record(&self) -> Result<Recording, MemoError> {
        let lock = Lock::new(&self.directory)?;
        self.check_unchanged()?;
        seal::remove(&self.directory)?;
        for info in &self.logs {
            if let Some(offset) = info.torn {
                let path = log::path_of(&self.directory, info.head.number);
                log::mend(&path, &info.head, offset).map_err(MemoError::io(&path))?;
            }
        }
        let last = self.logs.last().map(|info| info.head);
        let origins = self.logs.iter().map(|info| Origin {
            log: info.head.number,
            first: info.first,
        });
        Ok(Recording::new(
            self.directory.clone(),
            lock,
            self.header.checksum(),
            last.map_or(1, |head| head.run + 1),
            last.map_or(1, |head| head.number + 1),
            Origins(origins.collect()),
            self.ends(),
        ))
    }

    /// Whether the last run has recorded all it found out, and nothing of the tree is missing since.
    pub fn check_seal(&self) -> Result<(), MemoError> {
        if self.logs.iter().any(|info| info.torn.is_some()) {
            return Err(MemoError::Unsealed {
                path: self.directory.clone(),
            });
        }
        seal::check(&self.directory, self.header.checksum(), &self.ends())
    }

    /// Says that nothing of the tree is missing.
    pub(crate) fn seal(&self) -> Result<(), MemoError> {
        seal::write(&self.directory, self.header.checksum(), &self.ends())
    }

    fn ends(&self) -> Vec<LogEnd> {
        self.logs.iter().map(|info| info.end).collect()
    }

    fn check_unchanged(&self) -> Result<(), MemoError> {
        let numbers = log::numbers(&self.directory)?;
        let is_last = numbers.last() == self.logs.last().map(|info| &info.head.number);
        let is_same = |info: &LogInfo| {
            let path = log::path_of(&self.directory, info.head.number);
            path.metadata().is_ok_and(|file| file.len() == info.size)
        };
        match is_last && self.logs.iter().all(is_same) {
            true => Ok(()),
            false => Err(MemoError::Changed {
                path: self.directory.clone(),
            }),
        }
    }

    // Going about in it.

    /// What is at the end of an edge. Of edges that start at nodes recorded since it was opened, it knows nothing.
    pub fn below(&self, edge: Edge) -> Below<'_> {
        match self.slot(edge) {
            Some(slot) => self.below_slot(slot),
            None => Below::Open(Boundary::default()),
        }
    }

    pub(crate) fn below_slot(&self, slot: u32) -> Below<'_> {
        let dictionary = &self.dictionary;
        match self.slots[slot as usize].unpack() {
            Slot::Open => Below::Open(Boundary::default()),
            Slot::Infeasible => Below::Infeasible { core: None },
            Slot::Node(node) => Below::Node(NodeId::of_tree(node)),
            Slot::Leaf(leaf) => {
                let test = self.leaves.test[leaf as usize].checked_sub(1);
                Below::Leaf(dictionary.leaf(self.leaves.row[leaf as usize], test))
            }
            Slot::Summary(summary) => {
                let row = &self.summaries[summary as usize];
                Below::Summary(Summary {
                    counts: row.counts,
                    ran: dictionary.code(row.ran),
                    tests: dictionary.list(row.tests),
                })
            }
            Slot::Detail(detail) => match self.details[detail as usize] {
                Detail::Infeasible { core } => Below::Infeasible {
                    core: core.map(|core| dictionary.blob(core)),
                },
                Detail::Open { boundary, .. } => Below::Open(dictionary.boundary(boundary)),
                Detail::Unknown { reason } => Below::Unknown {
                    reason: dictionary.text(reason),
                },
            },
        }
    }

    pub fn root(&self) -> Below<'_> {
        self.below(Edge::ROOT)
    }

    /// What is asked at a node.
    ///
    /// # Panics
    /// If it is no node of this tree.
    pub fn question(&self, node: NodeId) -> Question<'_> {
        let index = self.index(node);
        let (row, hash) = (self.nodes.question[index], self.nodes.hash[index]);
        self.dictionary.question(row, hash)
    }

    /// The edges that start at a node.
    pub fn edges(&self, node: NodeId) -> impl ExactSizeIterator<Item = Edge> + use<> {
        let slots = self.slots_of(self.index(node) as u32);
        (0..slots.end - slots.start).map(move |alternative| node.edge(alternative))
    }

    /// The edges from the root to this one, both included.
    pub fn path_to(&self, edge: Edge) -> Vec<Edge> {
        let mut path = vec![edge];
        let mut edge = edge;
        while let Some(node) = edge.node() {
            edge = self.edge_to(node);
            path.push(edge);
        }
        path.reverse();
        path
    }

    /// The edge that leads to a node.
    pub fn edge_to(&self, node: NodeId) -> Edge {
        let at = self.nodes.at[self.index(node)];
        if at == 0 {
            return Edge::ROOT;
        }
        let parent = self.nodes.first.partition_point(|&first| first <= at) - 1;
        NodeId::of_tree(parent as u32).edge(at - self.nodes.first[parent])
    }

    pub fn symbol(&self, symbol: SymbolId) -> &str {
        self.dictionary.text(symbol.0)
    }

    /// The id of a name, if it is anywhere in the tree.
    pub fn find_symbol(&self, name: &str) -> Option<SymbolId> {
        self.dictionary.find_text(name).map(SymbolId)
    }

    pub fn unit(&self, unit: UnitId) -> CodeUnit {
        self.dictionary.unit(unit)
    }

    /// The id of a piece of code, if it is anywhere in the tree.
    pub fn find_unit(&self, unit: CodeUnit) -> Option<UnitId> {
        self.dictionary.find_unit(unit)
    }

    // Inputs.

    /// An input that takes an edge: what was recorded there, or what is known of a path below it.
    pub fn input(&self, edge: Edge) -> Option<Input> {
        match self.source(self.slot(edge)?, self.borrowed()) {
            Source::None => None,
            Source::Input(id) => Some(Input::Bytes(self.inputs.get(id))),
            Source::Test(test) => Some(Input::Test(test)),
        }
    }

    fn borrowed(&self) -> &[Source] {
        self.borrowed.get_or_init(|| {
            let mut borrowed = vec![Source::None; self.nodes.at.len()];
            for node in self.top_down().rev() {
                let mut slots = self.slots_of(node);
                let source = slots.find_map(|slot| match self.source(slot, &borrowed) {
                    Source::None => None,
                    source => Some(source),
                });
                borrowed[node as usize] = source.unwrap_or(Source::None);
            }
            borrowed
        })
    }

    pub(crate) fn source(&self, slot: u32, of_nodes: &[Source]) -> Source {
        let input = match self.slots[slot as usize].unpack() {
            Slot::Node(node) => return of_nodes[node as usize],
            Slot::Leaf(leaf) => {
                let input = self.leaves.input[leaf as usize].checked_sub(1);
                if input.is_none() && self.leaves.test[leaf as usize] > 0 {
                    return Source::Test(self.leaves.test[leaf as usize] - 1);
                }
                input
            }
            Slot::Summary(summary) => {
                let row = &self.summaries[summary as usize];
                let tests = self.dictionary.list(row.tests);
                if let (None, Some(&test)) = (row.input, tests.first()) {
                    return Source::Test(test);
                }
                row.input
            }
            Slot::Detail(detail) => match self.details[detail as usize] {
                Detail::Open { input, .. } => input,
                Detail::Infeasible { .. } | Detail::Unknown { .. } => None,
            },
            Slot::Open | Slot::Infeasible => None,
        };
        input.map_or(Source::None, Source::Input)
    }

    // Within the arrays.

    fn index(&self, node: NodeId) -> usize {
        assert_eq!(
            node.log, 0,
            "a node that was recorded since the tree was opened"
        );
        node.index as usize
    }

    pub(crate) fn slots_of(&self, node: u32) -> std::ops::Range<u32> {
        let first = &self.nodes.first;
        let end = first.get(node as usize + 1).copied();
        first[node as usize]..end.unwrap_or(self.slots.len() as u32)
    }

    /// None: it starts at a node that was recorded since.
    pub(crate) fn slot(&self, edge: Edge) -> Option<u32> {
        let Some(node) = edge.node() else {
            return Some(0);
        };
        if node.log > 0 {
            return None;
        }
        let slots = self.slots_of(node.index);
        (edge.alternative() < slots.end - slots.start).then(|| slots.start + edge.alternative())
    }

    /// All nodes that the root leads to, each after its parent.
    pub(crate) fn top_down(&self) -> impl DoubleEndedIterator<Item = u32> + '_ {
        let count = self.order.as_ref().map_or(self.nodes.at.len(), Vec::len);
        (0..count).map(|at| match &self.order {
            Some(order) => order[at],
            None => at as u32,
        })
    }

    /// Gives back what arrays have reserved to grow.
    pub(crate) fn shrink(&mut self) {
        let nodes = &mut self.nodes;
        for array in [&mut nodes.at, &mut nodes.first, &mut nodes.question] {
            array.shrink_to_fit();
        }
        nodes.hash.shrink_to_fit();
        let leaves = &mut self.leaves;
        for array in [&mut leaves.row, &mut leaves.test, &mut leaves.input] {
            array.shrink_to_fit();
        }
        self.slots.shrink_to_fit();
        self.details.shrink_to_fit();
        self.summaries.shrink_to_fit();
        self.inputs.shrink();
    }

    /// About how many bytes it takes in memory.
    pub fn bytes(&self) -> usize {
        let nodes = &self.nodes;
        let words = nodes.at.capacity()
            + nodes.first.capacity()
            + nodes.question.capacity()
            + nodes.hash.capacity() * 2
            + self.slots.capacity()
            + self.leaves.row.capacity() * 3
            + self.order.as_ref().map_or(0, Vec::capacity);
        let rows = self.details.capacity() * size_of::<Detail>()
            + self.summaries.capacity() * size_of::<SummaryRow>()
            + self
                .borrowed
                .get()
                .map_or(0, |sources| sources.len() * size_of::<Source>());
        words * 4 + rows + self.inputs.bytes() + self.dictionary.bytes()
    }
}
