//! Assertions that were read before.
//!
//! A symbolic executor that backtracks asserts again what it had popped, word by word: in recorded sessions over nine
//! tenths of all bytes are such repetition. The text of an assertion that stood alone at the end of its line is kept
//! with its term; the same text means the same term until a symbol changes its meaning. Where scripts do not repeat
//! themselves this retires.

use hashbrown::HashTable;
use refrain_term::Term;

struct Entry {
    hash: u64,
    start: usize,
    len: usize,
    era: u64,
    term: Term,
}

/// The texts of assertions.
pub struct Memo {
    entries: HashTable<Entry>,
    text: Vec<u8>,
    /// Counts changes of what symbols mean; entries of another era are of no use.
    era: u64,
    tries: u64,
    hits: u64,
    /// How often in a row a line did not end with its assertion.
    misaligned: u32,
    retired: bool,
}

/// A text that was looked up.
#[derive(Clone, Copy)]
pub struct Key<'a> {
    text: &'a [u8],
    hash: u64,
}

impl Key<'_> {
    /// How many bytes the text has.
    pub fn len(&self) -> usize {
        self.text.len()
    }
}

/// Shorter texts are read as fast as they are looked up.
const SHORTEST: usize = 24;

/// Lines are looked at no farther than this.
pub const LONGEST: usize = 1 << 20;

/// When so many bytes are kept they are all dropped.
const CAPACITY: usize = 64 << 20;

/// How many tries it takes to judge whether looking up pays.
const TRIAL: u64 = 1 << 12;

/// Fewer than one hit in so many tries do not pay.
const WORTH: u64 = 8;

const MAX_MISALIGNED: u32 = 64;

fn hash(text: &[u8]) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let fold = |hash: u64, word: u64| {
        let product = u128::from(hash ^ word) * u128::from(K);
        (product as u64) ^ (product >> 64) as u64
    };
    let mut chunks = text.chunks_exact(8);
    let word = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    };
    let start = (text.len() as u64).wrapping_mul(K);
    let hash = chunks
        .by_ref()
        .fold(start, |hash, chunk| fold(hash, word(chunk)));
    fold(hash, word(chunks.remainder()) ^ K)
}

impl Memo {
    pub fn new() -> Memo {
        Memo {
            entries: HashTable::new(),
            text: Vec::new(),
            era: 0,
            tries: 0,
            hits: 0,
            misaligned: 0,
            retired: false,
        }
    }

    pub fn is_retired(&self) -> bool {
        self.retired
    }

    /// A symbol means something else from here on.
    pub fn forget(&mut self) {
        self.era += 1;
    }

    /// The key of the rest of a line, where it is worth looking up.
    pub fn key<'a>(&self, text: &'a [u8]) -> Option<Key<'a>> {
        (text.len() >= SHORTEST).then(|| Key {
            text,
            hash: hash(text),
        })
    }

    /// The term that this text was read as.
    pub fn find(&mut self, key: Key) -> Option<Term> {
        self.tries += 1;
        if self.tries == TRIAL {
            self.retired = self.hits * WORTH < self.tries;
            (self.tries, self.hits) = (0, 0);
            if self.retired {
                (self.entries, self.text) = (HashTable::new(), Vec::new());
                return None;
            }
        }
        let found = self.entries.find(key.hash, |entry| {
            entry.era == self.era && same(&self.text, entry, key)
        })?;
        self.hits += 1;
        Some(found.term)
    }

    /// The text did not end where the assertion did.
    pub fn no_match(&mut self) {
        self.misaligned += 1;
        self.retired |= self.misaligned >= MAX_MISALIGNED;
    }

    /// The text is exactly one assertion, of this term.
    pub fn insert(&mut self, key: Key, term: Term) {
        self.misaligned = 0;
        if self.retired {
            return;
        }
        if self.text.len() + key.text.len() > CAPACITY {
            self.entries.clear();
            self.text.clear();
        }
        let Memo {
            entries, text, era, ..
        } = self;
        if let Some(entry) = entries.find_mut(key.hash, |entry| same(text, entry, key)) {
            (entry.era, entry.term) = (*era, term);
            return;
        }
        let (start, len) = (self.text.len(), key.text.len());
        self.text.extend_from_slice(key.text);
        let entry = Entry {
            hash: key.hash,
            start,
            len,
            era: self.era,
            term,
        };
        self.entries
            .insert_unique(key.hash, entry, |entry| entry.hash);
    }
}

fn same(text: &[u8], entry: &Entry, key: Key) -> bool {
    entry.hash == key.hash && &text[entry.start..entry.start + entry.len] == key.text
}
