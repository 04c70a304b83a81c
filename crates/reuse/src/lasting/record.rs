//! The value of an entry: an answer, and the names that the slots of its key had.
//!
//! Whatever the bytes, reading gives a record that fits its key, or none.

use refrain_term::{ArrayValue, Bv, FuncValue, Rational, Sort, Value};

use crate::canon::bytes::{Reader, put_bv, put_number, put_varint};
use crate::canon::{SlotSort, slot_sorts};

/// The form of values. To be changed whenever what is written changes its meaning.
pub const FORMAT: u8 = 2;

/// The most bytes of a value.
const MAX_VALUE: usize = 256 << 10;

/// The most cells of an array and rows of a function.
const MAX_ROWS: usize = 1 << 14;

pub(super) const UNSAT: u8 = 0;
pub(super) const SAT: u8 = 1;

#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub answer: Kept,
    /// By slot.
    pub names: Vec<SlotName>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Kept {
    /// By slot: its value.
    Sat(Vec<SlotValue>),
    /// The positions of atoms that cannot hold together, ascending.
    Unsat(Vec<u32>),
}

#[derive(Clone, Debug)]
pub enum SlotValue {
    Plain(Value),
    Func(FuncValue),
}

impl PartialEq for SlotValue {
    fn eq(&self, other: &SlotValue) -> bool {
        match (self, other) {
            (SlotValue::Plain(a), SlotValue::Plain(b)) => a == b,
            (SlotValue::Func(a), SlotValue::Func(b)) => {
                a.default() == b.default()
                    && a.entries().count() == b.entries().count()
                    && a.entries().all(|(args, result)| b.get(args) == result)
            }
            _ => false,
        }
    }
}

/// What a slot was called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SlotName {
    /// A symbol or function.
    Symbol(Box<str>),
    /// A cell of an array symbol.
    Cell(Box<str>, Bv),
}

impl Record {
    /// `None` if it is too large to be kept.
    pub fn encode(&self) -> Option<Vec<u8>> {
        let mut out = Vec::with_capacity(128);
        match &self.answer {
            Kept::Unsat(positions) => {
                out.push(UNSAT);
                put_varint(&mut out, positions.len() as u64);
                for &position in positions {
                    put_varint(&mut out, position.into());
                }
            }
            Kept::Sat(values) => {
                out.push(SAT);
                for value in values {
                    match value {
                        SlotValue::Plain(value) => put_value(&mut out, value)?,
                        SlotValue::Func(value) => put_func(&mut out, value)?,
                    }
                }
            }
        }
        for name in &self.names {
            put_name(&mut out, name);
        }
        (out.len() <= MAX_VALUE).then_some(out)
    }

    /// The record of an entry with this key.
    pub fn decode(key: &[u8], value: &[u8]) -> Option<Record> {
        let sorts = slot_sorts(key)?;
        let mut reader = Reader::new(value);
        let answer = match reader.byte()? {
            UNSAT => {
                let count = reader.count()?;
                let positions = (0..count).map(|_| u32::try_from(reader.varint()?).ok());
                Kept::Unsat(positions.collect::<Option<_>>()?)
            }
            SAT => {
                let values = sorts.iter().map(|sort| read_slot(&mut reader, sort));
                Kept::Sat(values.collect::<Option<_>>()?)
            }
            _ => return None,
        };
        let names = sorts.iter().map(|_| read_name(&mut reader));
        let names = names.collect::<Option<_>>()?;
        reader.is_at_end().then_some(Record { answer, names })
    }
}

fn put_value(out: &mut Vec<u8>, value: &Value) -> Option<()> {
    match value {
        Value::Bool(value) => out.push(u8::from(*value)),
        Value::Bv(value) => put_bv(out, value),
        Value::Int(value) | Value::Real(value) => put_number(out, value)?,
        Value::Array(array) => {
            let cells = array.cells();
            if cells.len() > MAX_ROWS {
                return None;
            }
            put_bv(out, array.default());
            put_varint(out, cells.len() as u64);
            for (index, element) in &cells {
                put_bv(out, index);
                put_bv(out, element);
            }
        }
    }
    Some(())
}

fn put_func(out: &mut Vec<u8>, value: &FuncValue) -> Option<()> {
    put_value(out, value.default())?;
    let count = value.entries().count();
    if count > MAX_ROWS {
        return None;
    }
    put_varint(out, count as u64);
    for (args, result) in value.entries() {
        for arg in args {
            put_value(out, arg)?;
        }
        put_value(out, result)?;
    }
    Some(())
}

fn read_slot(reader: &mut Reader<'_>, sort: &SlotSort) -> Option<SlotValue> {
    match sort {
        SlotSort::Plain(sort) => read_value(reader, *sort).map(SlotValue::Plain),
        SlotSort::Func { args, result } => {
            let mut func = FuncValue::new(read_value(reader, *result)?);
            for _ in 0..reader.count()? {
                let args = args.iter().map(|&sort| read_value(reader, sort));
                let args: Box<[Value]> = args.collect::<Option<_>>()?;
                func.set(args, read_value(reader, *result)?);
            }
            Some(SlotValue::Func(func))
        }
    }
}

fn read_value(reader: &mut Reader<'_>, sort: Sort) -> Option<Value> {
    Some(match sort {
        Sort::Bool => match reader.byte()? {
            0 => Value::Bool(false),
            1 => Value::Bool(true),
            _ => return None,
        },
        Sort::BitVec(width) => Value::Bv(reader.bv(width)?),
        Sort::Int => Value::Int(reader.number().filter(Rational::is_integer)?),
        Sort::Real => Value::Real(reader.number()?),
        Sort::Float(_) | Sort::RoundingMode | Sort::Coded(_) => return None,
        Sort::Array { index, element } => {
            let mut array = ArrayValue::filled(index, reader.bv(element)?);
            for _ in 0..reader.count()? {
                let at = reader.bv(index)?;
                array.set(at, reader.bv(element)?);
            }
            Value::Array(array)
        }
    })
}

pub(super) fn put_name(out: &mut Vec<u8>, name: &SlotName) {
    let (name, cell) = match name {
        SlotName::Symbol(name) => (name, None),
        SlotName::Cell(array, index) => (array, Some(index)),
    };
    put_varint(out, (name.len() as u64) << 1 | u64::from(cell.is_some()));
    out.extend_from_slice(name.as_bytes());
    if let Some(index) = cell {
        put_varint(out, index.width().into());
        put_bv(out, index);
    }
}

fn read_name(reader: &mut Reader<'_>) -> Option<SlotName> {
    let head = reader.varint()?;
    let name: Box<str> = str::from_utf8(reader.bytes(usize::try_from(head >> 1).ok()?)?)
        .ok()?
        .into();
    if head & 1 == 0 {
        return Some(SlotName::Symbol(name));
    }
    let width = reader.width()?;
    Some(SlotName::Cell(name, reader.bv(width)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canon::Canonizer;
    use refrain_term::{Support, Terms};

    /// A key with slots of many sorts.
    fn key() -> Vec<u8> {
        let mut terms = Terms::new();
        let array = Sort::Array {
            index: 8,
            element: 8,
        };
        let (a, b) = (terms.var("a", array), terms.var("b", Sort::BitVec(8)));
        let func = terms.func("f", &[Sort::BitVec(8)], Sort::Int);
        let (x, wide) = (terms.var("x", Sort::Real), terms.var("w", Sort::BitVec(70)));
        let read = terms.select(a, b);
        let applied = terms.apply(func, &[read]);
        let (zero, one) = (terms.int(0), terms.number(Sort::Real, Rational::ONE));
        let nothing = terms.bv(70, 0);
        let atoms = [
            terms.le(applied, zero),
            terms.le(x, one),
            terms.eq(wide, nothing),
        ];
        let mut support = Support::new();
        let inputs = atoms.map(|atom| support.inputs(&terms, atom));
        let set: Vec<_> = atoms.iter().copied().zip(&inputs).collect();
        Canonizer::new().canonize(&terms, &set).expect("small").key
    }

    fn record(key: &[u8]) -> Record {
        let value = |sort: &Sort| match *sort {
            Sort::Bool => Value::Bool(true),
            Sort::BitVec(width) => Value::Bv(Bv::new(width, 5)),
            Sort::Int => Value::Int(Rational::from(-3)),
            Sort::Real => Value::Real(Rational::new(22, 7)),
            Sort::Array { index, element } => {
                let mut array = ArrayValue::new(index, element);
                array.set(Bv::new(index, 3), Bv::new(element, 250));
                Value::Array(array)
            }
            sort => unreachable!("{sort} below the surface"),
        };
        let sorts = slot_sorts(key).expect("a key");
        let values = sorts.iter().map(|sort| match sort {
            SlotSort::Plain(sort) => SlotValue::Plain(value(sort)),
            SlotSort::Func { args, result } => {
                let mut func = FuncValue::new(Value::zero(*result));
                let args: Box<[Value]> = args.iter().map(value).collect();
                func.set(args, value(result));
                SlotValue::Func(func)
            }
        });
        let name = |place: usize| match place % 2 {
            0 => SlotName::Symbol(format!("s{place}").into()),
            _ => SlotName::Cell("a".into(), Bv::new(32, place as u64)),
        };
        Record {
            answer: Kept::Sat(values.collect()),
            names: (0..sorts.len()).map(name).collect(),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let key = key();
        let sat = record(&key);
        assert_eq!(
            Record::decode(&key, &sat.encode().unwrap()),
            Some(sat.clone())
        );
        let unsat = Record {
            answer: Kept::Unsat(vec![0, 2]),
            ..sat
        };
        assert_eq!(Record::decode(&key, &unsat.encode().unwrap()), Some(unsat));
    }

    #[test]
    fn whatever_the_bytes_there_is_no_panic() {
        let key = key();
        let bytes = record(&key).encode().unwrap();
        for length in 0..bytes.len() {
            assert_eq!(Record::decode(&key, &bytes[..length]), None);
        }
        for bit in 0..8 * bytes.len() {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let _ = Record::decode(&key, &flipped);
        }
    }
}
