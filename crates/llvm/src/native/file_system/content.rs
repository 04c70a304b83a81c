//! The bytes of a file or of a piece of one; some may be symbolic.

use std::collections::BTreeMap;

use refrain_term::Term;

use crate::memory::Value;

/// Bytes of which some are terms of eight bits.
#[derive(Clone, Default, Debug, PartialEq)]
pub struct Content {
    /// Zero where there is a term.
    pub bytes: Vec<u8>,
    pub terms: BTreeMap<usize, Term>,
}

impl Content {
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub fn push(&mut self, value: Value) {
        match value {
            Value::Concrete(byte) => self.bytes.push(byte as u8),
            Value::Symbolic(term) => {
                self.terms.insert(self.bytes.len(), term);
                self.bytes.push(0);
            }
        }
    }

    pub fn values(&self) -> Vec<Value> {
        let mut values: Vec<Value> = self
            .bytes
            .iter()
            .map(|&byte| Value::Concrete(u64::from(byte)))
            .collect();
        for (&at, &term) in &self.terms {
            values[at] = Value::Symbolic(term);
        }
        values
    }

    /// Up to so many bytes; fewer at the end.
    pub fn slice(&self, at: usize, len: usize) -> Content {
        let at = at.min(self.len());
        let end = at.saturating_add(len).min(self.len());
        let terms = self.terms.range(at..end);
        Content {
            bytes: self.bytes[at..end].to_vec(),
            terms: terms.map(|(&index, &term)| (index - at, term)).collect(),
        }
    }

    /// Overwrites from a place on; what lies between the end and the place becomes zero.
    pub fn put(&mut self, at: usize, piece: &Content) {
        let end = at + piece.len();
        if self.len() < end {
            self.bytes.resize(end, 0);
        }
        self.bytes[at..end].copy_from_slice(&piece.bytes);
        let old: Vec<usize> = self.terms.range(at..end).map(|(&index, _)| index).collect();
        for index in old {
            self.terms.remove(&index);
        }
        let new = piece.terms.iter().map(|(&index, &term)| (at + index, term));
        self.terms.extend(new);
    }

    pub fn append(&mut self, piece: &Content) {
        self.put(self.len(), piece);
    }

    pub fn set_len(&mut self, len: usize) {
        self.bytes.resize(len, 0);
        self.terms.split_off(&len);
    }
}

impl From<&[u8]> for Content {
    fn from(bytes: &[u8]) -> Content {
        Content {
            bytes: bytes.to_vec(),
            terms: BTreeMap::new(),
        }
    }
}
