//! A block in columns: what is alike stands together, so that it compresses well.
//!
//! A record is a tag, an edge, and what its kind needs:
//!
//! | record | columns |
//! |---|---|
//! | node | questions, hashes, infeasible (a bit for each alternative) |
//! | leaf | leaves, tests, inputs |
//! | infeasible, open, unknown, summary | rest (open and summary: and inputs) |
//! | question (a node is asked anew) | questions, hashes |

use crate::varint::{Cursor, Nonsense, Sense, push};

#[derive(Clone, Copy)]
pub(crate) enum Column {
    Definitions,
    Tags,
    Edges,
    Questions,
    Hashes,
    Infeasible,
    Leaves,
    Tests,
    Inputs,
    Rest,
}

const COLUMNS: usize = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Record {
    Node,
    Leaf,
    Infeasible,
    Open,
    Unknown,
    Summary,
    Question,
}

impl Record {
    const ALL: [Record; 7] = [
        Record::Node,
        Record::Leaf,
        Record::Infeasible,
        Record::Open,
        Record::Unknown,
        Record::Summary,
        Record::Question,
    ];
}

/// Where an edge starts, in the words of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// The edge leads to the root.
    Nowhere,
    /// At the node that so many were recorded since, itself among them.
    Own(u32),
    /// At a node of another log.
    Other { log: u32, index: u32 },
}

/// An alternative that is too large for a tag.
const LARGE: u32 = 15;

/// A block that is being written.
#[derive(Default)]
pub(crate) struct Columns([Vec<u8>; COLUMNS]);

impl Columns {
    pub fn get(&mut self, column: Column) -> &mut Vec<u8> {
        &mut self.0[column as usize]
    }

    pub fn push(&mut self, column: Column, number: u64) {
        push(self.get(column), number);
    }

    pub fn tag(&mut self, record: Record, start: Start, alternative: u32) {
        let is_other = matches!(start, Start::Other { .. });
        let small = alternative.min(LARGE) as u8;
        let tag = record as u8 | u8::from(is_other) << 3 | small << 4;
        self.get(Column::Tags).push(tag);
        match start {
            Start::Nowhere => self.push(Column::Edges, 0),
            Start::Own(back) => self.push(Column::Edges, back.into()),
            Start::Other { log, index } => {
                self.push(Column::Edges, log.into());
                self.push(Column::Edges, index.into());
            }
        }
        if alternative >= LARGE {
            self.push(Column::Edges, (alternative - LARGE).into());
        }
    }

    pub fn len(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }

    /// All columns, one behind the other, and clears them.
    pub fn take(&mut self, block: &mut Vec<u8>) {
        block.clear();
        for column in &self.0 {
            push(block, column.len() as u64);
        }
        for column in &mut self.0 {
            block.append(column);
        }
    }
}

/// A block that is being read.
pub(crate) struct Cursors<'a>([Cursor<'a>; COLUMNS]);

impl<'a> Cursors<'a> {
    pub fn new(block: &'a [u8]) -> Sense<Cursors<'a>> {
        let mut rest = Cursor(block);
        let mut lens = [0; COLUMNS];
        for len in &mut lens {
            *len = rest.count()?;
        }
        let mut columns = [Cursor(&[]); COLUMNS];
        for (column, len) in columns.iter_mut().zip(lens) {
            *column = Cursor(rest.bytes(len)?);
        }
        match rest.is_at_end() {
            true => Ok(Cursors(columns)),
            false => Err(Nonsense("a block has bytes of no column")),
        }
    }

    pub fn get(&mut self, column: Column) -> &mut Cursor<'a> {
        &mut self.0[column as usize]
    }

    /// All records were read, and nothing is left of any column but the definitions.
    pub fn finish(&self) -> Sense<()> {
        match self.0[1..].iter().all(Cursor::is_at_end) {
            true => Ok(()),
            false => Err(Nonsense("a block has bytes of no record")),
        }
    }

    pub fn tag(&mut self) -> Sense<(Record, Start, u32)> {
        let tag = self.get(Column::Tags).byte()?;
        let record = Record::ALL.get(usize::from(tag & 7));
        let record = *record.ok_or(Nonsense("no such record"))?;
        let edges = self.get(Column::Edges);
        let start = match tag >> 3 & 1 {
            0 => match edges.u32()? {
                0 => Start::Nowhere,
                back => Start::Own(back),
            },
            _ => Start::Other {
                log: edges.u32()?,
                index: edges.u32()?,
            },
        };
        let mut alternative = u32::from(tag >> 4);
        if alternative == LARGE {
            let more = edges.u32()?.checked_add(LARGE);
            alternative = more.ok_or(Nonsense("no such alternative"))?;
        }
        Ok((record, start, alternative))
    }
}
