//! Records what a worker decides, in a log of its own. Recording is an append to memory; every so often a block is
//! compressed and written.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::MemoError;
use crate::columns::{Column, Columns, Record, Start};
use crate::dictionary::Definitions;
use crate::edge::{Edge, NodeId};
use crate::inputs::InputEncoder;
use crate::log::LogFile;
use crate::question::{Boundary, CodeUnit, Leaf, Question, SymbolId, UnitId};
use crate::recording::Origins;
use crate::seal::LogEnd;
use crate::tree::Counts;
use crate::varint::zigzag;

/// A block is written when it has so many bytes, or is so old.
const LARGE: usize = 1 << 18;
const OLD: Duration = Duration::from_millis(500);

/// Writes one log.
///
/// What it is told is on disk when the next record comes half a second later, or after [`flush`](LogWriter::flush). If
/// the disk refuses, nothing more is written, and [`finish`](LogWriter::finish) says why.
pub struct LogWriter {
    path: PathBuf,
    file: Result<LogFile, std::io::Error>,
    number: u32,
    /// Where the nodes of the tree come from.
    origins: Arc<Origins>,
    /// Of all logs that are whole.
    ends: Arc<Mutex<Vec<LogEnd>>>,
    definitions: Definitions,
    columns: Columns,
    inputs: InputEncoder,
    /// How many nodes it has.
    nodes: u32,
    last_test: u32,
    /// The last node's bits of infeasible alternatives, if it is in this block: where they are, and how many.
    last_bits: Option<(usize, u32)>,
    block: Vec<u8>,
    flushed: Instant,
}

impl LogWriter {
    pub(crate) fn new(
        path: PathBuf,
        file: LogFile,
        number: u32,
        origins: Arc<Origins>,
        ends: Arc<Mutex<Vec<LogEnd>>>,
    ) -> LogWriter {
        LogWriter {
            path,
            file: Ok(file),
            number,
            origins,
            ends,
            definitions: Definitions::default(),
            columns: Columns::default(),
            inputs: InputEncoder::default(),
            nodes: 0,
            last_test: 0,
            last_bits: None,
            block: Vec::new(),
            flushed: Instant::now(),
        }
    }

    // Names. To be had once, and kept by the caller.

    pub fn symbol(&mut self, name: &str) -> SymbolId {
        SymbolId(self.definitions.text(name))
    }

    pub fn unit(&mut self, unit: CodeUnit) -> UnitId {
        self.definitions.unit(unit)
    }

    /// Names all of a question but its hash.
    pub(crate) fn question_row(&mut self, question: &Question) -> u32 {
        self.definitions.question(question)
    }

    // Records. What they say takes the place of what an earlier run said of the same edge. Within a run, what is known
    // wins over a boundary, and a boundary over an open alternative of which nothing is said, whoever records it.

    /// A question is asked at the end of an edge. Its alternatives are open.
    pub fn node(&mut self, edge: Edge, question: &Question) -> NodeId {
        self.flush_if_due();
        let row = self.definitions.question(question);
        self.tag(Record::Node, edge);
        self.columns.push(Column::Questions, row.into());
        let hashes = self.columns.get(Column::Hashes);
        hashes.extend(question.hash.to_le_bytes());
        let bits = self.columns.get(Column::Infeasible);
        let alternatives = question.kind.alternatives();
        self.last_bits = Some((bits.len(), alternatives));
        bits.resize(bits.len() + alternatives.div_ceil(8) as usize, 0);
        let index = self.nodes;
        self.nodes += 1;
        NodeId {
            log: self.number,
            index,
        }
    }

    /// A path ends at the end of an edge. An input that takes it may be left out where its test has it.
    pub fn leaf(&mut self, edge: Edge, leaf: &Leaf, input: Option<&[u8]>) {
        self.flush_if_due();
        let row = self.definitions.leaf(leaf);
        self.tag(Record::Leaf, edge);
        self.columns.push(Column::Leaves, row.into());
        let test = leaf.test.map_or(0, |test| {
            let more = i64::from(test) - i64::from(self.last_test);
            self.last_test = test;
            zigzag(more) + 1
        });
        self.columns.push(Column::Tests, test);
        self.input(input);
    }

    /// No input takes an edge; perhaps with the reason, in the caller's words.
    pub fn infeasible(&mut self, edge: Edge, core: Option<&[u8]>) {
        if core.is_none()
            && let Some((bits, alternatives)) = self.last_bits
            && let Some(node) = edge.node()
            && (node.log, node.index + 1) == (self.number, self.nodes)
        {
            assert!(
                edge.alternative() < alternatives,
                "there is no such alternative"
            );
            let alternative = edge.alternative() as usize;
            self.columns.get(Column::Infeasible)[bits + alternative / 8] |= 1 << (alternative % 8);
            return;
        }
        self.flush_if_due();
        let core = core.map_or(0, |core| u64::from(self.definitions.blob(core)) + 1);
        self.tag(Record::Infeasible, edge);
        self.columns.push(Column::Rest, core);
    }

    /// What is at the end of an edge is not explored; an input that takes it, if one is known. With a default boundary
    /// and no input, whatever an earlier run knew there is forgotten.
    pub fn open(&mut self, edge: Edge, boundary: &Boundary, input: Option<&[u8]>) {
        self.flush_if_due();
        let row = self.definitions.boundary(boundary);
        self.tag(Record::Open, edge);
        self.columns.push(Column::Rest, row.cause.into());
        self.columns.push(Column::Rest, row.stack.into());
        self.input(input);
    }

    /// The solver could not decide whether any input takes an edge.
    pub fn unknown(&mut self, edge: Edge, reason: &str) {
        self.flush_if_due();
        let reason = self.definitions.text(reason);
        self.tag(Record::Unknown, edge);
        self.columns.push(Column::Rest, reason.into());
    }

    /// The same question is asked at a node, with as many alternatives, but other code led there. What is below stays.
    pub fn ask_anew(&mut self, node: NodeId, question: &Question) {
        self.flush_if_due();
        let row = self.definitions.question(question);
        self.tag(Record::Question, node.edge(0));
        self.columns.push(Column::Questions, row.into());
        let hashes = self.columns.get(Column::Hashes);
        hashes.extend(question.hash.to_le_bytes());
    }

    /// All that is below an edge, in short.
    pub(crate) fn summary(
        &mut self,
        edge: Edge,
        counts: &Counts,
        ran: &[UnitId],
        tests: &[u32],
        input: Option<&[u8]>,
    ) {
        self.flush_if_due();
        let ran = self.definitions.code(ran);
        let tests = self.definitions.list(tests);
        self.tag(Record::Summary, edge);
        for count in counts.to_array() {
            self.columns.push(Column::Rest, count);
        }
        self.columns.push(Column::Rest, ran.into());
        self.columns.push(Column::Rest, tests.into());
        self.input(input);
    }

    fn tag(&mut self, record: Record, edge: Edge) {
        let start = match edge.node() {
            None => Start::Nowhere,
            Some(node) if node.log == self.number => Start::Own(self.nodes - node.index),
            Some(node) => {
                let NodeId { log, index } = self.origins.of(node);
                Start::Other { log, index }
            }
        };
        self.columns.tag(record, start, edge.alternative());
    }

    fn input(&mut self, input: Option<&[u8]>) {
        let inputs = self.columns.get(Column::Inputs);
        match input {
            None => inputs.push(0),
            Some(input) => {
                inputs.push(1);
                self.inputs.encode(inputs, input);
            }
        }
    }

    // To disk.

    fn flush_if_due(&mut self) {
        if self.columns.len() >= LARGE || self.flushed.elapsed() >= OLD {
            self.flush();
        }
    }

    /// Writes what is not on disk yet.
    pub fn flush(&mut self) {
        self.flushed = Instant::now();
        if self.columns.len() + self.definitions.bytes.len() == 0 {
            return;
        }
        std::mem::swap(
            self.columns.get(Column::Definitions),
            &mut self.definitions.bytes,
        );
        self.last_bits = None;
        self.columns.take(&mut self.block);
        if let Ok(file) = &mut self.file
            && let Err(error) = file.append(&self.block)
        {
            self.file = Err(error);
        }
    }

    /// Whether everything so far could be written.
    pub fn is_sound(&self) -> bool {
        self.file.is_ok()
    }

    /// Writes what is not on disk yet; whether all of it is.
    pub fn finish(mut self) -> Result<(), MemoError> {
        self.close().map(|_| ())
    }

    pub(crate) fn finish_and_sync(mut self) -> Result<(), MemoError> {
        let file = self.close()?;
        file.sync().map_err(MemoError::io(&self.path))
    }

    fn close(&mut self) -> Result<LogFile, MemoError> {
        self.flush();
        let closed = std::io::Error::other("the log is closed");
        let file = std::mem::replace(&mut self.file, Err(closed));
        let file = file.map_err(MemoError::io(&self.path))?;
        let mut ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        ends.push(file.end());
        Ok(file)
    }
}

/// A worker that unwinds leaves what it knows.
impl Drop for LogWriter {
    fn drop(&mut self) {
        self.flush();
    }
}
