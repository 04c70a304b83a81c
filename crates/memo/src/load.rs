//! From logs to a tree. Records are applied in the order of runs, within a run in that of logs; those about nodes of a
//! log that comes later in the same run wait for it.

use std::path::Path;

use crate::MemoError;
use crate::columns::{Column, Cursors, Record, Start};
use crate::dictionary::Translation;
use crate::header::Header;
use crate::inputs::InputScanner;
use crate::log::{self, Flaw, Head, LogReader};
use crate::seal::LogEnd;
use crate::slot::{Packed, Slot};
use crate::tree::{Counts, Detail, LogInfo, SummaryRow, Tree};
use crate::varint::{Nonsense, Sense, unzigzag};

/// What is made of files that are not whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Every byte is as it was written.
    Strict,
    /// Logs may end within a block, as those of a process that was killed do: the block is dropped, with a warning.
    Lenient,
}

const TOO_LARGE: Nonsense = Nonsense("the tree is too large");

impl Tree {
    /// Reads the tree of a directory.
    pub fn open(directory: &Path, reading: Reading) -> Result<Tree, MemoError> {
        let header = Header::read(directory)?;
        let mut loader = Loader {
            tree: Tree::empty(directory, header),
            reading,
            run: Marks::default(),
            last: 0,
            waiting: Vec::new(),
            is_ordered: true,
        };
        let heads = loader.heads(&log::numbers(directory)?)?;
        for run in heads.chunk_by(|(a, _), (b, _)| a.run == b.run) {
            loader.run(run)?;
        }
        if !loader.is_ordered {
            loader.tree.order = Some(reachable(&loader.tree));
        }
        loader.tree.shrink();
        Ok(loader.tree)
    }
}

/// All nodes that the root leads to, each after its parent.
fn reachable(tree: &Tree) -> Vec<u32> {
    let mut order = Vec::new();
    let mut stack = vec![0];
    while let Some(slot) = stack.pop() {
        if let Slot::Node(node) = tree.slots[slot as usize].unpack() {
            order.push(node);
            stack.extend(tree.slots_of(node).rev());
        }
    }
    order
}

/// How long the tables were when a run began.
#[derive(Clone, Copy, Default)]
struct Marks {
    nodes: u32,
    slots: u32,
    leaves: u32,
    details: u32,
    summaries: u32,
}

/// What a record is about.
enum Target {
    Slot(u32),
    /// Of a log that is not read yet.
    Later(Later),
    /// Of a node that was never written.
    Lost,
}

#[derive(Clone, Copy)]
struct Later {
    log: u32,
    index: u32,
    alternative: u32,
}

#[derive(Clone, Copy)]
enum Change {
    Set(Packed),
    /// Another row and another hash for the node that an edge starts at.
    Ask(u32, u64),
}

struct Loader {
    tree: Tree,
    reading: Reading,
    run: Marks,
    /// The last log of the run.
    last: u32,
    waiting: Vec<(Later, Change)>,
    /// Parents come before their children, and the root leads to all of them.
    is_ordered: bool,
}

/// What is read of a log, from block to block.
struct LogState {
    number: u32,
    first: u32,
    translation: Translation,
    inputs: InputScanner,
    last_test: u32,
}

impl Loader {
    /// The heads of all logs that count, and whether each is torn. What is older than a whole tree does not count.
    fn heads(&self, numbers: &[u32]) -> Result<Vec<(Head, bool)>, MemoError> {
        let mut read = Vec::new();
        for &number in numbers.iter().rev() {
            let head = self.head(number)?;
            read.push((number, head));
            if head.is_some_and(|head| head.is_whole) {
                break;
            }
        }
        let mut heads: Vec<(Head, bool)> = Vec::new();
        for (number, head) in read.into_iter().rev() {
            let before = heads.last().map(|(before, _)| *before);
            let (expected, run) = before.map_or((1, 1), |before| (before.number + 1, before.run));
            let torn = Head {
                number,
                run,
                is_whole: false,
                header: self.tree.header.checksum(),
            };
            let is_torn = head.is_none();
            let head = head.unwrap_or(torn);
            if number != expected && !head.is_whole {
                return Err(self.damaged(number, "the log before it is missing"));
            }
            if head.run < run {
                return Err(self.damaged(number, "its run is older than that of the log before it"));
            }
            heads.push((head, is_torn));
        }
        Ok(heads)
    }

    /// None: it is torn.
    fn head(&self, number: u32) -> Result<Option<Head>, MemoError> {
        let path = log::path_of(&self.tree.directory, number);
        let head = match LogReader::open(&path) {
            Ok(log) => log.head,
            Err(Flaw::Torn) if self.reading == Reading::Lenient => return Ok(None),
            Err(Flaw::Torn) => return Err(MemoError::Torn { path, offset: 0 }),
            Err(Flaw::Damaged(what)) => return Err(self.damaged(number, what)),
            Err(Flaw::Io(error)) => return Err(MemoError::io(&path)(error)),
        };
        if head.number != number {
            return Err(self.damaged(number, "it has the name of another log"));
        }
        if head.header != self.tree.header.checksum() {
            return Err(self.damaged(number, "it belongs to another header"));
        }
        if head.number.max(head.run) == u32::MAX {
            return Err(self.damaged(number, "its number is too large"));
        }
        Ok(Some(head))
    }

    fn damaged(&self, log: u32, what: &'static str) -> MemoError {
        MemoError::Damaged {
            path: log::path_of(&self.tree.directory, log),
            offset: 0,
            what,
        }
    }

    fn run(&mut self, heads: &[(Head, bool)]) -> Result<(), MemoError> {
        let tree = &self.tree;
        self.run = Marks {
            nodes: tree.nodes.at.len() as u32,
            slots: tree.slots.len() as u32,
            leaves: tree.leaves.row.len() as u32,
            details: tree.details.len() as u32,
            summaries: tree.summaries.len() as u32,
        };
        self.last = heads.last().map_or(0, |(head, _)| head.number);
        for (head, is_torn) in heads {
            self.log(head, *is_torn)?;
        }
        for (later, change) in std::mem::take(&mut self.waiting) {
            let target = self.other(later);
            let applied = target.and_then(|target| self.apply(target, change));
            applied.map_err(|Nonsense(what)| self.damaged(later.log, what))?;
        }
        Ok(())
    }

    fn log(&mut self, head: &Head, has_torn_head: bool) -> Result<(), MemoError> {
        let path = log::path_of(&self.tree.directory, head.number);
        let first = self.tree.nodes.at.len() as u32;
        self.tree.logs.push(LogInfo {
            head: *head,
            first,
            size: 0,
            torn: None,
            end: head.end(),
        });
        let mut state = LogState {
            number: head.number,
            first,
            translation: Translation::default(),
            inputs: InputScanner::new(),
            last_test: 0,
        };
        let (size, torn, end) = if has_torn_head {
            let size = path.metadata().map_err(MemoError::io(&path))?.len();
            (size, Some(0), head.end())
        } else {
            self.blocks(&path, &mut state)?
        };
        if let Some(offset) = torn {
            if self.reading == Reading::Strict {
                return Err(MemoError::Torn { path, offset });
            }
            self.tree.warnings.push(format!(
                "{} ends within a block, which is ignored ({} bytes): its run was killed, or still goes on",
                path.display(),
                size - offset
            ));
        }
        if let Some(info) = self.tree.logs.last_mut() {
            (info.size, info.torn, info.end) = (size, torn, end);
        }
        Ok(())
    }

    /// Applies all blocks; the size of the file, where its torn tail starts, and how it ends without that.
    fn blocks(
        &mut self,
        path: &Path,
        state: &mut LogState,
    ) -> Result<(u64, Option<u64>, LogEnd), MemoError> {
        let damaged = |offset, what| MemoError::Damaged {
            path: path.to_path_buf(),
            offset,
            what,
        };
        let failed = |offset, flaw| match flaw {
            Flaw::Io(error) => MemoError::io(path)(error),
            Flaw::Damaged(what) => damaged(offset, what),
            Flaw::Torn => MemoError::Torn {
                path: path.to_path_buf(),
                offset,
            },
        };
        let mut log = LogReader::open(path).map_err(|flaw| failed(0, flaw))?;
        loop {
            let offset = log.offset;
            match log.next() {
                Ok(Some(block)) => {
                    let read = self.block(block, state);
                    read.map_err(|Nonsense(what)| damaged(offset, what))?;
                }
                Ok(None) => return Ok((log.size(), None, log.end())),
                Err(Flaw::Torn) => return Ok((log.size(), Some(offset), log.end())),
                Err(flaw) => return Err(failed(offset, flaw)),
            }
        }
    }

    fn block(&mut self, block: &[u8], state: &mut LogState) -> Sense<()> {
        let mut columns = Cursors::new(block)?;
        if self.tree.dictionary.is_full() {
            return Err(TOO_LARGE);
        }
        let definitions = *columns.get(Column::Definitions);
        state
            .translation
            .define(&mut self.tree.dictionary, definitions)?;
        while !columns.get(Column::Tags).is_at_end() {
            self.record(&mut columns, state)?;
        }
        columns.finish()
    }

    fn record(&mut self, columns: &mut Cursors, state: &mut LogState) -> Sense<()> {
        let (record, start, alternative) = columns.tag()?;
        let target = self.target(state, start, alternative)?;
        let change = match record {
            Record::Node => self.node(columns, state, &target)?,
            Record::Leaf => self.leaf(columns, state)?,
            Record::Summary => self.summary(columns, state)?,
            Record::Infeasible => {
                let core = state.translation.optional_blob(columns.get(Column::Rest))?;
                match target {
                    Target::Slot(slot) if core.is_none() && slot >= self.run.slots => {
                        Change::Set(Packed::INFEASIBLE)
                    }
                    _ => self.detail(Detail::Infeasible { core })?,
                }
            }
            Record::Open => {
                let boundary = state.translation.boundary(columns.get(Column::Rest))?;
                let input = self.input(columns, state)?;
                let said = self.tree.dictionary.boundary(boundary);
                match said.cause.is_empty() && said.stack.is_empty() && input.is_none() {
                    true => Change::Set(Packed::OPEN),
                    false => self.detail(Detail::Open { boundary, input })?,
                }
            }
            Record::Unknown => {
                let reason = state.translation.text(columns.get(Column::Rest))?;
                self.detail(Detail::Unknown { reason })?
            }
            Record::Question => {
                let question = state.translation.question(columns.get(Column::Questions))?;
                let hash = u64::from_le_bytes(columns.get(Column::Hashes).array()?);
                Change::Ask(question, hash)
            }
        };
        self.apply(target, change)
    }

    fn node(&mut self, columns: &mut Cursors, state: &LogState, target: &Target) -> Sense<Change> {
        let tree = &mut self.tree;
        let question = state.translation.question(columns.get(Column::Questions))?;
        let hash = u64::from_le_bytes(columns.get(Column::Hashes).array()?);
        let alternatives = tree.dictionary.question_row(question).kind.alternatives();
        let bits = columns.get(Column::Infeasible);
        let bits = bits.bytes(alternatives.div_ceil(8) as usize)?;
        let node = next_id(tree.nodes.at.len())?;
        let first = u32::try_from(tree.slots.len()).map_err(|_| TOO_LARGE)?;
        first.checked_add(alternatives).ok_or(TOO_LARGE)?;
        for alternative in 0..bits.len() as u32 * 8 {
            let bit = bits[alternative as usize / 8] >> (alternative % 8) & 1;
            match (alternative < alternatives, bit) {
                (true, 0) => tree.slots.push(Packed::OPEN),
                (true, _) => tree.slots.push(Packed::INFEASIBLE),
                (false, 0) => {}
                (false, _) => return Err(Nonsense("there is no such alternative")),
            }
        }
        tree.nodes.at.push(match target {
            Target::Slot(slot) => *slot,
            Target::Later(_) | Target::Lost => u32::MAX,
        });
        tree.nodes.first.push(first);
        tree.nodes.question.push(question);
        tree.nodes.hash.push(hash);
        Ok(Change::Set(Packed::node(node)))
    }

    fn leaf(&mut self, columns: &mut Cursors, state: &mut LogState) -> Sense<Change> {
        let row = state.translation.leaf(columns.get(Column::Leaves))?;
        let test = match columns.get(Column::Tests).number()? {
            0 => 0,
            more => {
                let test = unzigzag(more - 1).checked_add(state.last_test.into());
                let test = test.and_then(|test| u32::try_from(test).ok());
                let test = test.filter(|&test| test < u32::MAX);
                state.last_test = test.ok_or(Nonsense("no number of a test"))?;
                state.last_test + 1
            }
        };
        let input = self.input(columns, state)?;
        let leaves = &mut self.tree.leaves;
        let leaf = next_id(leaves.row.len())?;
        leaves.row.push(row);
        leaves.test.push(test);
        leaves.input.push(input.map_or(0, |input| input + 1));
        Ok(Change::Set(Packed::leaf(leaf)))
    }

    fn summary(&mut self, columns: &mut Cursors, state: &mut LogState) -> Sense<Change> {
        let rest = columns.get(Column::Rest);
        let mut counts = [0; 8];
        for count in &mut counts {
            *count = rest.number()?;
        }
        let ran = state.translation.code(rest)?;
        let tests = state.translation.list(rest)?;
        let input = self.input(columns, state)?;
        let summary = next_id(self.tree.summaries.len())?;
        self.tree.summaries.push(SummaryRow {
            counts: Counts::from_array(counts),
            ran,
            tests,
            input,
        });
        Ok(Change::Set(Packed::summary(summary)))
    }

    fn detail(&mut self, detail: Detail) -> Sense<Change> {
        let id = next_id(self.tree.details.len())?;
        self.tree.details.push(detail);
        Ok(Change::Set(Packed::detail(id)))
    }

    fn input(&mut self, columns: &mut Cursors, state: &mut LogState) -> Sense<Option<u32>> {
        let inputs = columns.get(Column::Inputs);
        if inputs.byte()? == 0 {
            return Ok(None);
        }
        let bytes = state.inputs.scan(inputs)?;
        let id = self.tree.inputs.add(bytes).ok_or(TOO_LARGE)?;
        Ok(Some(id))
    }

    // Where records belong.

    fn target(&self, state: &LogState, start: Start, alternative: u32) -> Sense<Target> {
        match start {
            Start::Nowhere if alternative == 0 => Ok(Target::Slot(0)),
            Start::Nowhere => Err(Nonsense("there is no such alternative")),
            Start::Own(back) => {
                let nodes = self.tree.nodes.at.len() as u32;
                let node = nodes.checked_sub(back).filter(|&node| node >= state.first);
                self.slot(node.ok_or(Nonsense("there is no such node"))?, alternative)
            }
            Start::Other { log, index } => {
                let later = Later {
                    log,
                    index,
                    alternative,
                };
                match log > state.number && log <= self.last {
                    true => Ok(Target::Later(later)),
                    false if log == state.number => Err(Nonsense("a log calls itself another")),
                    false => self.other(later),
                }
            }
        }
    }

    /// An edge of a node in a log that was read.
    fn other(&self, later: Later) -> Sense<Target> {
        let logs = &self.tree.logs;
        let Ok(at) = logs.binary_search_by_key(&later.log, |info| info.head.number) else {
            return Ok(Target::Lost);
        };
        let nodes = self.tree.nodes.at.len() as u32;
        let end = logs.get(at + 1).map_or(nodes, |info| info.first);
        match logs[at].first.checked_add(later.index) {
            Some(node) if node < end => self.slot(node, later.alternative),
            _ => Ok(Target::Lost),
        }
    }

    fn slot(&self, node: u32, alternative: u32) -> Sense<Target> {
        let slots = self.tree.slots_of(node);
        match slots.start.checked_add(alternative) {
            Some(slot) if slot < slots.end => Ok(Target::Slot(slot)),
            _ => Err(Nonsense("there is no such alternative")),
        }
    }

    fn apply(&mut self, target: Target, change: Change) -> Sense<()> {
        match (target, change) {
            (Target::Slot(slot), Change::Set(packed)) => self.set(slot, packed),
            (Target::Slot(slot), Change::Ask(question, hash)) => self.ask(slot, question, hash)?,
            (Target::Later(later), change) => {
                self.is_ordered = false;
                self.waiting.push((later, change));
            }
            (Target::Lost, _) => {
                self.is_ordered = false;
                self.tree.lost += 1;
            }
        }
        Ok(())
    }

    fn set(&mut self, slot: u32, packed: Packed) {
        let before = self.tree.slots[slot as usize];
        if self.is_of_this_run(slot, before) && self.rank(packed) < self.rank(before) {
            return;
        }
        self.is_ordered &= !matches!(before.unpack(), Slot::Node(_));
        if let Slot::Node(node) = packed.unpack() {
            self.tree.nodes.at[node as usize] = slot;
        }
        self.tree.slots[slot as usize] = packed;
    }

    /// How much is known.
    fn rank(&self, packed: Packed) -> u32 {
        match packed.unpack() {
            Slot::Open => 0,
            Slot::Detail(detail) => match self.tree.details[detail as usize] {
                Detail::Open { .. } | Detail::Unknown { .. } => 1,
                Detail::Infeasible { .. } => 2,
            },
            Slot::Infeasible | Slot::Node(_) | Slot::Leaf(_) | Slot::Summary(_) => 2,
        }
    }

    fn is_of_this_run(&self, slot: u32, packed: Packed) -> bool {
        slot >= self.run.slots
            || match packed.unpack() {
                Slot::Open | Slot::Infeasible => false,
                Slot::Detail(detail) => detail >= self.run.details,
                Slot::Node(node) => node >= self.run.nodes,
                Slot::Leaf(leaf) => leaf >= self.run.leaves,
                Slot::Summary(summary) => summary >= self.run.summaries,
            }
    }

    /// A slot of the node that is asked anew.
    fn ask(&mut self, slot: u32, question: u32, hash: u64) -> Sense<()> {
        let nodes = &mut self.tree.nodes;
        let node = nodes
            .first
            .partition_point(|&first| first <= slot)
            .checked_sub(1);
        let node = node.ok_or(Nonsense("there is no such node"))?;
        let row = |id| self.tree.dictionary.question_row(id);
        if row(question).kind.alternatives() != row(nodes.question[node]).kind.alternatives() {
            return Err(Nonsense("a question has other alternatives than before"));
        }
        (nodes.question[node], nodes.hash[node]) = (question, hash);
        Ok(())
    }
}

/// The id of the next row of a table.
fn next_id(len: usize) -> Sense<u32> {
    let id = u32::try_from(len).ok().filter(|&id| id < Packed::MOST);
    id.ok_or(TOO_LARGE)
}
