//! Symbols and what they mean at this point of the script.
//!
//! Each name is interned once; its meaning is an entry of a flat table, so that a look-up is one hash of the bytes in
//! the input and no allocation. Scopes, of the assertion stack and of `let`, write over an entry and put the old one
//! back when they end.

use std::borrow::Cow;

use hashbrown::HashTable;
use refrain_term::{FuncId, Term};

use crate::builtin::{BUILTINS, Builtin};
use crate::bytes;

/// An interned name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Symbol(u32);

impl Symbol {
    #[inline]
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a symbol stands for in a term.
#[derive(Clone, Copy, Debug, Default)]
pub enum Meaning {
    #[default]
    Unknown,
    Term(Term),
    Function(FuncId),
    /// A function defined with parameters: an index into the session's list of them.
    Macro(u32),
    Builtin(&'static Builtin),
}

struct Entry {
    hash: u64,
    start: u32,
    len: u32,
    meaning: Meaning,
    /// The last `let` that bound it, to find names bound twice in one.
    bound_by: u64,
    /// The era of its declaration.
    era: u32,
}

/// All names of a session.
pub struct Symbols {
    names: Vec<u8>,
    entries: Vec<Entry>,
    table: HashTable<u32>,
    /// What `let` and parameters wrote over.
    shadowed: Vec<(Symbol, Meaning)>,
    /// What declarations wrote over, back to the beginning of the session.
    declared: Vec<(Symbol, Meaning, u32)>,
    lets: u64,
    /// Whether a symbol that had a meaning got another, or lost it; see [`Symbols::take_changed`].
    changed: bool,
    /// Counts how often all assertions were taken back; see [`Symbols::new_era`].
    era: u32,
}

/// Names no longer than this differ if their hashes do, and only then: one word goes into the hash by steps that can
/// be undone.
const EXACT: usize = 8;

#[inline]
fn hash(name: &[u8]) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, word: u64| (hash.rotate_left(23) ^ word).wrapping_mul(K);
    let mut hash = name.len() as u64;
    let mut rest = name;
    while let Some((chunk, after)) = rest.split_first_chunk() {
        hash = mix(hash, u64::from_le_bytes(*chunk));
        rest = after;
    }
    if !rest.is_empty() {
        hash = mix(hash, short_word(rest));
    }
    hash ^ hash >> 29
}

/// One to seven bytes, and zeros.
#[inline]
fn short_word(bytes: &[u8]) -> u64 {
    let len = bytes.len();
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        // Where the two overlap they agree.
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        return u64::from(first) | u64::from(last) << (8 * (len - 4));
    }
    let (first, middle, last) = (bytes[0], bytes[len / 2], bytes[len - 1]);
    u64::from(first) | u64::from(middle) << (8 * (len / 2)) | u64::from(last) << (8 * (len - 1))
}

impl Symbols {
    /// The symbols of the theories alone.
    pub fn new() -> Symbols {
        let mut symbols = Symbols {
            names: Vec::new(),
            entries: Vec::new(),
            table: HashTable::new(),
            shadowed: Vec::new(),
            declared: Vec::new(),
            lets: 0,
            era: 1,
            changed: false,
        };
        symbols.set("true", Meaning::Term(Term::TRUE));
        symbols.set("false", Meaning::Term(Term::FALSE));
        for builtin in BUILTINS {
            symbols.set(builtin.name, Meaning::Builtin(builtin));
        }
        symbols
    }

    fn set(&mut self, name: &str, meaning: Meaning) {
        let symbol = self.intern(name.as_bytes());
        self.entries[symbol.index()].meaning = meaning;
    }

    /// Where its name stands in `names`.
    fn range(entry: &Entry) -> std::ops::Range<usize> {
        entry.start as usize..entry.start as usize + entry.len as usize
    }

    /// The symbol of this name, if it was ever seen.
    #[inline]
    fn find(&self, hash: u64, name: &[u8]) -> Option<Symbol> {
        let same = |&index: &u32| {
            let entry = &self.entries[index as usize];
            entry.hash == hash
                && entry.len as usize == name.len()
                && (name.len() <= EXACT || &self.names[Self::range(entry)] == name)
        };
        self.table.find(hash, same).map(|&index| Symbol(index))
    }

    /// What `name` means now.
    #[inline]
    pub fn lookup(&self, name: &[u8]) -> Meaning {
        match self.find(hash(name), name) {
            Some(symbol) => self.entries[symbol.index()].meaning,
            None => Meaning::Unknown,
        }
    }

    pub fn intern(&mut self, name: &[u8]) -> Symbol {
        let hash = hash(name);
        if let Some(symbol) = self.find(hash, name) {
            return symbol;
        }
        let index = u32::try_from(self.entries.len()).expect("fewer than 2^32 symbols");
        let start = u32::try_from(self.names.len()).expect("less than 4 GiB of names");
        self.names.extend_from_slice(name);
        let len = u32::try_from(name.len()).expect("less than 4 GiB of names");
        self.entries.push(Entry {
            hash,
            start,
            len,
            meaning: Meaning::Unknown,
            bound_by: 0,
            era: 0,
        });
        let entries = &self.entries;
        self.table
            .insert_unique(hash, index, |&i| entries[i as usize].hash);
        Symbol(index)
    }

    pub fn meaning(&self, symbol: Symbol) -> Meaning {
        self.entries[symbol.index()].meaning
    }

    /// Its name, as terms have it.
    pub fn name(&self, symbol: Symbol) -> Cow<'_, str> {
        bytes::text(self.bytes(symbol))
    }

    /// Its name, as scripts have it.
    pub fn bytes(&self, symbol: Symbol) -> &[u8] {
        &self.names[Self::range(&self.entries[symbol.index()])]
    }

    /// Starts a new group of names that are bound together.
    pub fn new_let(&mut self) -> u64 {
        self.lets += 1;
        self.lets
    }

    /// Notes that `symbol` is bound by the group; false if it already was.
    #[inline]
    pub fn claim(&mut self, symbol: Symbol, group: u64) -> bool {
        std::mem::replace(&mut self.entries[symbol.index()].bound_by, group) != group
    }

    /// Gives a symbol a meaning until [`Symbols::unshadow`].
    #[inline]
    pub fn shadow(&mut self, symbol: Symbol, meaning: Meaning) {
        let old = std::mem::replace(&mut self.entries[symbol.index()].meaning, meaning);
        self.shadowed.push((symbol, old));
    }

    /// Takes back the last `count` bindings.
    #[inline]
    pub fn unshadow(&mut self, count: usize) {
        for _ in 0..count {
            let Some((symbol, old)) = self.shadowed.pop() else {
                return;
            };
            self.entries[symbol.index()].meaning = old;
        }
    }

    /// Takes back all bindings of `let`, after an error inside of one.
    pub fn unshadow_all(&mut self) {
        self.unshadow(self.shadowed.len());
    }

    /// Whether a script may declare this symbol now.
    pub fn is_free(&self, symbol: Symbol) -> bool {
        let entry = &self.entries[symbol.index()];
        match entry.meaning {
            Meaning::Unknown => true,
            Meaning::Builtin(builtin) => !builtin.reserved,
            _ => entry.era != 0 && entry.era < self.era,
        }
    }

    /// From here on everything may be declared again. Until it is, it keeps its meaning: the standard has
    /// `reset-assertions` take declarations back, z3 keeps them, and scripts are written either way.
    pub fn new_era(&mut self) {
        self.era += 1;
    }

    /// Gives a symbol a meaning for the rest of the scope; for good if `global`.
    pub fn declare(&mut self, symbol: Symbol, meaning: Meaning, global: bool) {
        let era = self.era;
        let entry = &mut self.entries[symbol.index()];
        if !global {
            self.declared.push((symbol, entry.meaning, entry.era));
        }
        self.changed |= !matches!(entry.meaning, Meaning::Unknown);
        entry.meaning = meaning;
        entry.era = era;
    }

    /// A mark to go back to with [`Symbols::undeclare`].
    pub fn mark(&self) -> usize {
        self.declared.len()
    }

    /// Whether what was read before could now mean something else. Answers so once.
    pub fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// Takes back the declarations since a mark.
    pub fn undeclare(&mut self, mark: usize) {
        self.changed |= self.declared.len() > mark;
        while self.declared.len() > mark {
            let (symbol, meaning, era) = self.declared.pop().expect("longer than the mark");
            let entry = &mut self.entries[symbol.index()];
            (entry.meaning, entry.era) = (meaning, era);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart_whatever_their_length() {
        let mut symbols = Symbols::new();
        let text = b"abcdefghijklmnopqrstuvwx";
        let mut names: Vec<Vec<u8>> = (0..=text.len()).map(|len| text[..len].to_vec()).collect();
        for len in 1..=text.len() {
            for place in 0..len {
                let mut name = text[..len].to_vec();
                name[place] = b'_';
                names.push(name.clone());
                name[place] = 0;
                names.push(name);
            }
        }
        let found: Vec<Symbol> = names.iter().map(|name| symbols.intern(name)).collect();
        for (at, (name, &symbol)) in names.iter().zip(&found).enumerate() {
            assert_eq!(symbols.bytes(symbol), &name[..]);
            assert_eq!(symbols.intern(name), symbol);
            assert!(!found[..at].contains(&symbol), "{name:?}");
        }
    }

    #[test]
    fn a_short_word_is_its_bytes() {
        for len in 1..8 {
            let bytes: Vec<u8> = (1..=len).collect();
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(&bytes);
            assert_eq!(short_word(&bytes), u64::from_le_bytes(word));
        }
    }
}
