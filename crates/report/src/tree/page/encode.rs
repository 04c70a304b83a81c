//! Rows as bytes. What many rows share is in a table of entries, and a row is a few numbers:
//!
//! * its entry, its alternative, and flags: the mark, and whether code that ran before it was edited since;
//! * of a node how many children have rows, how many choices were implied, and one more than the text of its value;
//! * of a leaf one more than the number of its test;
//! * of a summary its eight counts;
//! * of a changed end the entry that the other tree has.
//!
//! Numbers are written with seven bits a byte, the lowest first.

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

use refrain_machine::Place;
use refrain_memo::{Below, Ending, NamedPoint, Tree, UnitId};
use serde_json::{Value, json};

use super::Side;
use crate::tree::rows::{Forest, Mark, Row};
use crate::tree::shape::asked;
use crate::tree::{Class, words};

const EDITED: u64 = 4;

#[derive(Default)]
pub struct Encoded {
    pub bytes: Vec<u8>,
    /// Values that were chosen.
    pub texts: Vec<String>,
    pub entries: Vec<Value>,
    /// Files by the numbers that entries have for them, with the lines that matter.
    pub files: Vec<(String, BTreeSet<u32>)>,
}

pub fn encode(forest: &Forest<'_>, rows: &[Row], here: &Side<'_>, there: &Side<'_>) -> Encoded {
    let mut children = vec![0u64; rows.len()];
    for parent in rows.iter().filter_map(|row| row.parent) {
        children[parent as usize] += 1;
    }
    let mut encoder = Encoder {
        sides: [Known::new(here), Known::new(there)],
        texts: Table::default(),
        entries: Table::default(),
        bytes: Vec::new(),
    };
    for (row, children) in rows.iter().zip(children) {
        encoder.row(forest, row, children);
    }
    let mut encoded = Encoded {
        bytes: encoder.bytes,
        texts: encoder.texts.rows,
        ..Encoded::default()
    };
    let mut files: Table<String> = Table::default();
    for entry in encoder.entries.rows {
        let place = entry.place.filter(|place| place.line > 0).map(|place| {
            let file = files.id(place.file) as usize;
            encoded
                .files
                .resize_with(files.rows.len(), Default::default);
            encoded.files[file].1.insert(place.line);
            json!([file, place.line])
        });
        encoded.entries.push(json!({
            "class": entry.class as u8,
            "text": entry.text,
            "function": entry.function,
            "point": entry.point,
            "place": place,
        }));
    }
    for (file, name) in encoded.files.iter_mut().zip(files.rows) {
        file.0 = name;
    }
    encoded
}

/// What rows share.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Entry {
    class: Class,
    /// What is asked, or what the end says.
    text: String,
    function: String,
    /// Block and instruction.
    point: String,
    place: Option<Place>,
}

/// Different things, by their number.
struct Table<T> {
    rows: Vec<T>,
    ids: HashMap<T, u64>,
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table {
            rows: Vec::new(),
            ids: HashMap::new(),
        }
    }
}

impl<T: Clone + Eq + Hash> Table<T> {
    fn id(&mut self, row: T) -> u64 {
        let next = self.rows.len() as u64;
        *self.ids.entry(row).or_insert_with_key(|row| {
            self.rows.push(row.clone());
            next
        })
    }
}

/// A side, with what was asked of its program before.
struct Known<'a> {
    side: &'a Side<'a>,
    points: HashMap<NamedPoint, (String, Option<Place>)>,
    errors: HashMap<u32, Option<Place>>,
    edited: HashMap<UnitId, bool>,
}

impl<'a> Known<'a> {
    fn new(side: &'a Side<'a>) -> Known<'a> {
        Known {
            side,
            points: HashMap::new(),
            errors: HashMap::new(),
            edited: HashMap::new(),
        }
    }

    /// The function and the place of a point.
    fn point(&mut self, point: NamedPoint) -> (String, Option<Place>) {
        let Side { tree, program, .. } = self.side;
        let known = self.points.entry(point).or_insert_with(|| {
            let symbol = tree.symbol(point.symbol);
            let place = program.place(symbol, point.block, point.instruction);
            let name = match &place {
                Some(place) => place.function.clone(),
                None => program.name(symbol),
            };
            (name, place)
        });
        known.clone()
    }

    fn is_edited(&mut self, ran: &[UnitId]) -> bool {
        let Side { tree, program, .. } = self.side;
        ran.iter().any(|&id| {
            *self.edited.entry(id).or_insert_with(|| {
                let unit = tree.unit(id);
                let symbol = tree.symbol(unit.symbol);
                let block = unit.block.filter(|_| !symbol.is_empty());
                block.is_some_and(|block| program.is_edited(symbol, block, unit.hash))
            })
        })
    }

    fn entry(&mut self, below: &Below) -> Entry {
        let tree: &Tree = self.side.tree;
        let mut entry = Entry {
            class: Class::of(below),
            text: words(below),
            function: String::new(),
            point: String::new(),
            place: None,
        };
        let mut at = None;
        match below {
            Below::Node(node) => {
                let question = tree.question(*node);
                entry.text = asked(question.kind).into();
                at = Some(question.point);
            }
            Below::Open(boundary) => at = boundary.stack.first().copied(),
            Below::Leaf(leaf) => match (leaf.ending, leaf.test) {
                (Ending::Boundary(boundary), _) => at = boundary.stack.first().copied(),
                (Ending::Error(_), Some(test)) => {
                    let program = self.side.program;
                    let place = self.errors.entry(test);
                    let place = place.or_insert_with(|| program.error_of(test)).clone();
                    entry.function = place
                        .as_ref()
                        .map_or("".into(), |place| place.function.clone());
                    entry.place = place;
                }
                _ => {}
            },
            Below::Infeasible { .. } | Below::Unknown { .. } | Below::Summary(_) => {}
        }
        if let Some(point) = at {
            (entry.function, entry.place) = self.point(point);
            entry.point = format!("{}:{}", point.block, point.instruction);
        }
        entry
    }
}

struct Encoder<'a> {
    sides: [Known<'a>; 2],
    texts: Table<String>,
    entries: Table<Entry>,
    bytes: Vec<u8>,
}

impl Encoder<'_> {
    fn row(&mut self, forest: &Forest<'_>, row: &Row, children: u64) {
        let side = usize::from(row.mark == Mark::There);
        let tree = forest.tree(row.mark);
        let below = tree.below(row.edge);
        let mut entry = self.sides[side].entry(&below);
        if row.is_cut {
            entry.class = Class::Summary;
        }
        let class = entry.class;
        let id = self.entries.id(entry);
        let ran = match &below {
            Below::Node(node) => tree.question(*node).ran,
            Below::Leaf(leaf) => leaf.ran,
            Below::Summary(summary) => summary.ran,
            _ => &[],
        };
        let is_edited = self.sides[side].is_edited(ran);
        self.numbers([
            id,
            row.alternative.into(),
            row.mark as u64 | if is_edited { EDITED } else { 0 },
        ]);
        match below {
            _ if class == Class::Summary => self.numbers(forest.counts(row).to_array()),
            Below::Node(node) => {
                let question = tree.question(node);
                let program = self.sides[side].side.program;
                let value = question
                    .value
                    .map_or(0, |value| self.texts.id(program.value(value)) + 1);
                self.numbers([children, question.implied.len() as u64, value]);
            }
            Below::Leaf(leaf) => self.numbers([leaf.test.map_or(0, |test| u64::from(test) + 1)]),
            _ => {}
        }
        if let (Some(edge), Some(there)) = (row.other, forest.there) {
            let other = self.sides[1].entry(&there.below(edge));
            let id = self.entries.id(other);
            self.numbers([id]);
        }
    }

    fn numbers<const N: usize>(&mut self, numbers: [u64; N]) {
        for mut number in numbers {
            while number >= 0x80 {
                self.bytes.push(number as u8 | 0x80);
                number >>= 7;
            }
            self.bytes.push(number as u8);
        }
    }
}
