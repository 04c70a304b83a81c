//! What nodes and leaves have in common: names, code, questions and endings, each once. A log defines what it uses; a
//! tree has one dictionary for all its logs.

use crate::interner::{Interned, Rows, Slices};
use crate::question::{
    AskKind, Boundary, CodeUnit, Ending, Leaf, NamedPoint, Question, SymbolId, UnitId,
};
use crate::varint::{Cursor, Nonsense, Sense, push, unzigzag, zigzag};

/// Everything about a question but its place and its hash.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct QuestionRow {
    pub point: NamedPoint,
    pub kind: AskKind,
    /// In `blobs`.
    pub value: Option<u32>,
    /// In `lists`.
    pub implied: u32,
    /// In `codes`.
    pub ran: u32,
}

/// Everything about a leaf but its place, its test and its input.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct LeafRow {
    pub ending: EndingRow,
    pub implied: u32,
    pub ran: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum EndingRow {
    Exit(Option<i32>),
    /// In `texts`.
    Error(u32),
    Unsupported(u32),
    Silent,
    Boundary(BoundaryRow),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct BoundaryRow {
    /// In `texts`.
    pub cause: u32,
    /// In `stacks`.
    pub stack: u32,
}

#[derive(Clone, Copy)]
enum Table {
    Text,
    Blob,
    Unit,
    Code,
    List,
    Stack,
    Question,
    Leaf,
}

impl Table {
    const ALL: [Table; 8] = [
        Table::Text,
        Table::Blob,
        Table::Unit,
        Table::Code,
        Table::List,
        Table::Stack,
        Table::Question,
        Table::Leaf,
    ];
}

#[derive(Default)]
pub(crate) struct Dictionary {
    texts: Slices<u8>,
    blobs: Slices<u8>,
    units: Rows<CodeUnit>,
    codes: Slices<UnitId>,
    lists: Slices<u32>,
    stacks: Slices<NamedPoint>,
    questions: Rows<QuestionRow>,
    leaves: Rows<LeafRow>,
}

// What ids stand for.

impl Dictionary {
    pub fn text(&self, id: u32) -> &str {
        // Only text gets there.
        std::str::from_utf8(self.texts.get(id)).unwrap_or_default()
    }

    pub fn find_text(&self, text: &str) -> Option<u32> {
        self.texts.find(text.as_bytes())
    }

    pub fn blob(&self, id: u32) -> &[u8] {
        self.blobs.get(id)
    }

    pub fn unit(&self, id: UnitId) -> CodeUnit {
        self.units.get(id.0)
    }

    pub fn find_unit(&self, unit: CodeUnit) -> Option<UnitId> {
        self.units.find(&unit).map(UnitId)
    }

    pub fn units(&self) -> impl Iterator<Item = &CodeUnit> {
        self.units.iter()
    }

    pub fn code(&self, id: u32) -> &[UnitId] {
        self.codes.get(id)
    }

    pub fn codes(&self) -> impl Iterator<Item = &[UnitId]> {
        (0..self.codes.len() as u32).map(|id| self.codes.get(id))
    }

    pub fn list(&self, id: u32) -> &[u32] {
        self.lists.get(id)
    }

    pub fn question_row(&self, id: u32) -> QuestionRow {
        self.questions.get(id)
    }

    pub fn leaf_row(&self, id: u32) -> LeafRow {
        self.leaves.get(id)
    }

    pub fn question(&self, id: u32, hash: u64) -> Question<'_> {
        let row = self.questions.get(id);
        Question {
            point: row.point,
            kind: row.kind,
            value: row.value.map(|value| self.blobs.get(value)),
            implied: self.lists.get(row.implied),
            ran: self.codes.get(row.ran),
            hash,
        }
    }

    pub fn leaf(&self, id: u32, test: Option<u32>) -> Leaf<'_> {
        let row = self.leaves.get(id);
        Leaf {
            ending: match row.ending {
                EndingRow::Exit(status) => Ending::Exit(status),
                EndingRow::Error(text) => Ending::Error(self.text(text)),
                EndingRow::Unsupported(text) => Ending::Unsupported(self.text(text)),
                EndingRow::Silent => Ending::Silent,
                EndingRow::Boundary(row) => Ending::Boundary(self.boundary(row)),
            },
            implied: self.lists.get(row.implied),
            ran: self.codes.get(row.ran),
            test,
        }
    }

    pub fn boundary(&self, row: BoundaryRow) -> Boundary<'_> {
        Boundary {
            cause: self.text(row.cause),
            stack: self.stacks.get(row.stack),
        }
    }

    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        let names = self.texts.bytes() + self.blobs.bytes() + self.lists.bytes();
        let code = self.units.bytes() + self.codes.bytes() + self.stacks.bytes();
        names + code + self.questions.bytes() + self.leaves.bytes()
    }

    /// Whether ids may not suffice for one more block.
    pub fn is_full(&self) -> bool {
        let names = self.texts.len() | self.blobs.len() | self.lists.len();
        let code = self.units.len() | self.codes.len() | self.stacks.len();
        names | code | self.questions.len() | self.leaves.len() > u32::MAX as usize / 2
    }
}

/// A dictionary and the definitions of what is new in it.
#[derive(Default)]
pub(crate) struct Definitions {
    pub dictionary: Dictionary,
    pub bytes: Vec<u8>,
    /// Room to work in.
    set: Vec<UnitId>,
}

impl Definitions {
    fn define(&mut self, table: Table, interned: Interned, row: impl FnOnce(&mut Vec<u8>)) -> u32 {
        if interned.is_new {
            self.bytes.push(table as u8);
            row(&mut self.bytes);
        }
        interned.id
    }

    pub fn text(&mut self, text: &str) -> u32 {
        let interned = self.dictionary.texts.intern(text.as_bytes());
        self.define(Table::Text, interned, |bytes| {
            push_bytes(bytes, text.as_bytes())
        })
    }

    pub fn blob(&mut self, blob: &[u8]) -> u32 {
        let interned = self.dictionary.blobs.intern(blob);
        self.define(Table::Blob, interned, |bytes| push_bytes(bytes, blob))
    }

    pub fn unit(&mut self, unit: CodeUnit) -> UnitId {
        let interned = self.dictionary.units.intern(unit);
        UnitId(self.define(Table::Unit, interned, |bytes| {
            push(bytes, u64::from(unit.symbol.0));
            push(bytes, unit.block.map_or(0, |block| u64::from(block) + 1));
            bytes.extend(unit.hash.to_le_bytes());
            push(bytes, unit.part);
        }))
    }

    /// A set of units.
    pub fn code(&mut self, units: &[UnitId]) -> u32 {
        let mut set = std::mem::take(&mut self.set);
        set.clear();
        set.extend_from_slice(units);
        if !set.is_sorted_by(|a, b| a < b) {
            set.sort_unstable();
            set.dedup();
        }
        let interned = self.dictionary.codes.intern(&set);
        let id = self.define(Table::Code, interned, |bytes| {
            push(bytes, set.len() as u64);
            for unit in &set {
                push(bytes, u64::from(unit.0));
            }
        });
        self.set = set;
        id
    }

    pub fn list(&mut self, list: &[u32]) -> u32 {
        let interned = self.dictionary.lists.intern(list);
        self.define(Table::List, interned, |bytes| {
            push(bytes, list.len() as u64);
            for &number in list {
                push(bytes, u64::from(number));
            }
        })
    }

    pub fn boundary(&mut self, boundary: &Boundary) -> BoundaryRow {
        let interned = self.dictionary.stacks.intern(boundary.stack);
        let stack = self.define(Table::Stack, interned, |bytes| {
            push(bytes, boundary.stack.len() as u64);
            for point in boundary.stack {
                push_point(bytes, point);
            }
        });
        let cause = self.text(boundary.cause);
        BoundaryRow { cause, stack }
    }

    pub fn question(&mut self, question: &Question) -> u32 {
        let row = QuestionRow {
            point: question.point,
            kind: question.kind,
            value: question.value.map(|value| self.blob(value)),
            implied: self.list(question.implied),
            ran: self.code(question.ran),
        };
        let interned = self.dictionary.questions.intern(row);
        self.define(Table::Question, interned, |bytes| {
            push_point(bytes, &row.point);
            let (kind, alternatives) = match row.kind {
                AskKind::Choose(alternatives) => (0, Some(alternatives)),
                AskKind::Assume => (1, None),
                AskKind::Witness => (2, None),
                AskKind::Fix => (3, None),
                AskKind::Sample => (4, None),
            };
            bytes.push(kind);
            if let Some(alternatives) = alternatives {
                push(bytes, u64::from(alternatives));
            }
            push(bytes, row.value.map_or(0, |value| u64::from(value) + 1));
            push(bytes, u64::from(row.implied));
            push(bytes, u64::from(row.ran));
        })
    }

    pub fn leaf(&mut self, leaf: &Leaf) -> u32 {
        let ending = match leaf.ending {
            Ending::Exit(status) => EndingRow::Exit(status),
            Ending::Error(text) => EndingRow::Error(self.text(text)),
            Ending::Unsupported(text) => EndingRow::Unsupported(self.text(text)),
            Ending::Silent => EndingRow::Silent,
            Ending::Boundary(boundary) => EndingRow::Boundary(self.boundary(&boundary)),
        };
        let row = LeafRow {
            ending,
            implied: self.list(leaf.implied),
            ran: self.code(leaf.ran),
        };
        let interned = self.dictionary.leaves.intern(row);
        self.define(Table::Leaf, interned, |bytes| {
            match ending {
                EndingRow::Exit(None) => bytes.push(0),
                EndingRow::Exit(Some(status)) => {
                    bytes.push(1);
                    push(bytes, zigzag(status.into()));
                }
                EndingRow::Error(text) => {
                    bytes.push(2);
                    push(bytes, text.into());
                }
                EndingRow::Unsupported(text) => {
                    bytes.push(3);
                    push(bytes, text.into());
                }
                EndingRow::Silent => bytes.push(4),
                EndingRow::Boundary(row) => {
                    bytes.push(5);
                    push(bytes, row.cause.into());
                    push(bytes, row.stack.into());
                }
            }
            push(bytes, u64::from(row.implied));
            push(bytes, u64::from(row.ran));
        })
    }
}

fn push_bytes(bytes: &mut Vec<u8>, new: &[u8]) {
    push(bytes, new.len() as u64);
    bytes.extend_from_slice(new);
}

fn push_point(bytes: &mut Vec<u8>, point: &NamedPoint) {
    push(bytes, u64::from(point.symbol.0));
    push(bytes, u64::from(point.block));
    push(bytes, u64::from(point.instruction));
}

/// What the ids of a log are in the dictionary of the tree.
#[derive(Default)]
pub(crate) struct Translation {
    texts: Vec<u32>,
    blobs: Vec<u32>,
    units: Vec<u32>,
    codes: Vec<u32>,
    lists: Vec<u32>,
    stacks: Vec<u32>,
    questions: Vec<u32>,
    leaves: Vec<u32>,
}

/// Reads the id of a log and gives that of the tree.
fn known(ids: &[u32], cursor: &mut Cursor) -> Sense<u32> {
    defined(ids, cursor.number()?)
}

fn defined(ids: &[u32], id: u64) -> Sense<u32> {
    let id = usize::try_from(id).ok().and_then(|id| ids.get(id));
    id.copied().ok_or(Nonsense("an id is not defined"))
}

impl Translation {
    pub fn text(&self, cursor: &mut Cursor) -> Sense<u32> {
        known(&self.texts, cursor)
    }

    /// Zero, or one more than an id.
    pub fn optional_blob(&self, cursor: &mut Cursor) -> Sense<Option<u32>> {
        let id = cursor.number()?.checked_sub(1);
        id.map(|id| defined(&self.blobs, id)).transpose()
    }

    pub fn code(&self, cursor: &mut Cursor) -> Sense<u32> {
        known(&self.codes, cursor)
    }

    pub fn list(&self, cursor: &mut Cursor) -> Sense<u32> {
        known(&self.lists, cursor)
    }

    pub fn question(&self, cursor: &mut Cursor) -> Sense<u32> {
        known(&self.questions, cursor)
    }

    pub fn leaf(&self, cursor: &mut Cursor) -> Sense<u32> {
        known(&self.leaves, cursor)
    }

    pub fn boundary(&self, cursor: &mut Cursor) -> Sense<BoundaryRow> {
        Ok(BoundaryRow {
            cause: known(&self.texts, cursor)?,
            stack: known(&self.stacks, cursor)?,
        })
    }

    fn point(&self, cursor: &mut Cursor) -> Sense<NamedPoint> {
        Ok(NamedPoint {
            symbol: SymbolId(known(&self.texts, cursor)?),
            block: cursor.u32()?,
            instruction: cursor.u32()?,
        })
    }

    /// Takes in all definitions of a block.
    pub fn define(&mut self, dictionary: &mut Dictionary, mut cursor: Cursor) -> Sense<()> {
        while !cursor.is_at_end() {
            self.define_one(dictionary, &mut cursor)?;
        }
        Ok(())
    }

    fn define_one(&mut self, dictionary: &mut Dictionary, cursor: &mut Cursor) -> Sense<()> {
        let table = Table::ALL.get(usize::from(cursor.byte()?));
        match table.ok_or(Nonsense("no such table"))? {
            Table::Text => {
                let len = cursor.count()?;
                let text = cursor.bytes(len)?;
                std::str::from_utf8(text).map_err(|_| Nonsense("a name is no text"))?;
                self.texts.push(dictionary.texts.intern(text).id);
            }
            Table::Blob => {
                let len = cursor.count()?;
                let blob = cursor.bytes(len)?;
                self.blobs.push(dictionary.blobs.intern(blob).id);
            }
            Table::Unit => {
                let unit = CodeUnit {
                    symbol: SymbolId(known(&self.texts, cursor)?),
                    block: optional(cursor)?,
                    hash: u64::from_le_bytes(cursor.array()?),
                    part: cursor.number()?,
                };
                self.units.push(dictionary.units.intern(unit).id);
            }
            Table::Code => {
                let units = (0..cursor.count()?).map(|_| Ok(UnitId(known(&self.units, cursor)?)));
                let mut units: Vec<UnitId> = units.collect::<Sense<_>>()?;
                units.sort_unstable();
                units.dedup();
                self.codes.push(dictionary.codes.intern(&units).id);
            }
            Table::List => {
                let numbers = (0..cursor.count()?).map(|_| cursor.u32());
                let numbers: Vec<u32> = numbers.collect::<Sense<_>>()?;
                self.lists.push(dictionary.lists.intern(&numbers).id);
            }
            Table::Stack => {
                let points = (0..cursor.count()?).map(|_| self.point(cursor));
                let points: Vec<NamedPoint> = points.collect::<Sense<_>>()?;
                self.stacks.push(dictionary.stacks.intern(&points).id);
            }
            Table::Question => {
                let row = self.question_row(cursor)?;
                self.questions.push(dictionary.questions.intern(row).id);
            }
            Table::Leaf => {
                let row = self.leaf_row(cursor)?;
                self.leaves.push(dictionary.leaves.intern(row).id);
            }
        }
        Ok(())
    }

    fn question_row(&self, cursor: &mut Cursor) -> Sense<QuestionRow> {
        let point = self.point(cursor)?;
        let kind = match cursor.byte()? {
            0 => AskKind::Choose(cursor.u32()?),
            1 => AskKind::Assume,
            2 => AskKind::Witness,
            3 => AskKind::Fix,
            4 => AskKind::Sample,
            _ => return Err(Nonsense("no such question")),
        };
        Ok(QuestionRow {
            point,
            kind,
            value: self.optional_blob(cursor)?,
            implied: self.list(cursor)?,
            ran: self.code(cursor)?,
        })
    }

    fn leaf_row(&self, cursor: &mut Cursor) -> Sense<LeafRow> {
        let ending = match cursor.byte()? {
            0 => EndingRow::Exit(None),
            1 => {
                let status = unzigzag(cursor.number()?).try_into();
                EndingRow::Exit(Some(status.map_err(|_| Nonsense("no exit status"))?))
            }
            2 => EndingRow::Error(self.text(cursor)?),
            3 => EndingRow::Unsupported(self.text(cursor)?),
            4 => EndingRow::Silent,
            5 => EndingRow::Boundary(self.boundary(cursor)?),
            _ => return Err(Nonsense("no such ending")),
        };
        Ok(LeafRow {
            ending,
            implied: self.list(cursor)?,
            ran: self.code(cursor)?,
        })
    }
}

fn optional(cursor: &mut Cursor) -> Sense<Option<u32>> {
    let number = cursor.number()?.checked_sub(1);
    let number = number.map(u32::try_from).transpose();
    number.map_err(|_| Nonsense("a number is too large"))
}
