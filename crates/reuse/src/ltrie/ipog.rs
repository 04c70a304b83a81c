//! The implication partial order graph: for an atom, the stored atoms (*labels*) that it implies, or that imply it.
//!
//! What a search needs of the graph is its closure: the implication set, or the reverse implication set, of each atom
//! of the query. So that is what is kept, in place of the edges. Only labels of the same subject can be related, so
//! the set of an atom is computed from the labels of its subject when it is first asked for, and later extended by
//! those that have come since. A pair of atoms is compared once in the life of the store, and asking again, as the
//! queries of one path do, costs one look at a table.
//!
//! Labels are numbered such that sixteen neighbours, a *chunk*, belong to one subject. Then a set of related labels
//! is a few words of bits, the union over a query's atoms some dozens of operations, and the table in which a search
//! looks up every label it meets small.

use super::signature::Signature;
use super::trie::NONE;
use super::{AtomId, Atoms, Order, SubjectId, cover};

/// The number of labels in a chunk, as a power of two.
const CHUNK: u32 = 4;

/// Labels of one chunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Word {
    pub chunk: u32,
    pub bits: u16,
}

impl Word {
    pub fn of(label: u32) -> Word {
        Word {
            chunk: label >> CHUNK,
            bits: 1 << (label & ((1 << CHUNK) - 1)),
        }
    }

    pub fn labels(self) -> impl Iterator<Item = u32> {
        let mut bits = self.bits;
        std::iter::from_fn(move || {
            let label = (bits != 0).then(|| self.chunk << CHUNK | bits.trailing_zeros())?;
            bits &= bits - 1;
            Some(label)
        })
    }
}

/// Which way a store reads implication.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    /// Labels that the atom implies (IS).
    Implied,
    /// Labels that imply the atom (RIS).
    Implying,
}

/// The least and the greatest of some ranks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranks {
    pub earliest: u64,
    pub latest: u64,
}

impl Default for Ranks {
    fn default() -> Self {
        Ranks {
            earliest: u64::MAX,
            latest: 0,
        }
    }
}

/// The labels related to one atom.
#[derive(Clone, Default, Debug)]
pub(super) struct Related {
    pub words: Vec<Word>,
    /// So many labels of the subject have been compared.
    compared: u32,
    /// How often the labels occur, as of some time ago.
    pub occurrences: u32,
    weighed_at: u64,
    /// The union of the labels' signatures.
    pub bits: u64,
    /// The ranks of the labels are within.
    pub ranks: Ranks,
}

impl Related {
    pub fn labels(&self) -> impl Iterator<Item = u32> {
        self.words.iter().flat_map(|word| word.labels())
    }

    /// What may be common to sets of these labels, all of one subject.
    pub fn signature(&self, subject: SubjectId) -> Signature {
        Signature {
            labels: self.bits,
            subjects: Signature::subject_bit(subject.0),
        }
    }

    fn add(&mut self, label: u32, rank: u64) {
        let Word { chunk, bits } = Word::of(label);
        match self.words.iter_mut().rfind(|word| word.chunk == chunk) {
            Some(word) => word.bits |= bits,
            None => self.words.push(Word { chunk, bits }),
        }
        self.bits |= Signature::label_bit(label);
        self.ranks.earliest = self.ranks.earliest.min(rank);
        self.ranks.latest = self.ranks.latest.max(rank);
    }
}

#[derive(Clone, Copy, Debug)]
struct Label {
    rank: u64,
    atom: u32,
    subject: u32,
}

/// The labels of a subject, in the order of their arrival, and the numbers that are free.
#[derive(Clone, Default, Debug)]
struct OfSubject {
    labels: Vec<u32>,
    vacant: Vec<u32>,
}

#[derive(Debug)]
pub(super) struct Ipog {
    direction: Direction,
    /// By atom, the label.
    numbers: Vec<u32>,
    labels: Vec<Label>,
    subjects: Vec<OfSubject>,
    related: Vec<Related>,
    /// How many words all of them have.
    words: usize,
    arrivals: u64,
    comparisons: u64,
}

impl Ipog {
    pub fn new(direction: Direction) -> Ipog {
        Ipog {
            direction,
            numbers: Vec::new(),
            labels: Vec::new(),
            subjects: Vec::new(),
            related: Vec::new(),
            words: 0,
            arrivals: 0,
            comparisons: 0,
        }
    }

    pub fn label(&self, atom: u32) -> Option<u32> {
        let label = *self.numbers.get(atom as usize)?;
        (label != NONE).then_some(label)
    }

    pub fn atom(&self, label: u32) -> AtomId {
        AtomId(self.labels[label as usize].atom)
    }

    pub fn rank(&self, label: u32) -> u64 {
        self.labels[label as usize].rank
    }

    pub fn signature(&self, label: u32) -> Signature {
        Signature::of(label, self.labels[label as usize].subject)
    }

    /// The label of an atom, a new one if need be.
    pub fn insert(&mut self, atoms: &impl Atoms, atom: u32, order: Order) -> u32 {
        cover(&mut self.numbers, atom as usize, NONE);
        if self.numbers[atom as usize] != NONE {
            return self.numbers[atom as usize];
        }
        let subject = atoms.subject(AtomId(atom)).0;
        cover(&mut self.subjects, subject as usize, OfSubject::default());
        let of_subject = &mut self.subjects[subject as usize];
        if of_subject.vacant.is_empty() {
            let first = self.labels.len() as u32;
            let none = Label {
                rank: 0,
                atom: NONE,
                subject,
            };
            self.labels.resize(self.labels.len() + (1 << CHUNK), none);
            of_subject
                .vacant
                .extend((first..first + (1 << CHUNK)).rev());
        }
        let label = of_subject.vacant.pop().unwrap_or(NONE);
        of_subject.labels.push(label);
        self.labels[label as usize] = Label {
            rank: match order {
                Order::Rank => atoms.rank(AtomId(atom)),
                Order::LatestFirst => u64::MAX - self.arrivals,
            },
            atom,
            subject,
        };
        self.arrivals += 1;
        self.numbers[atom as usize] = label;
        label
    }

    /// Forgets every label that `used` does not name. If there are any, what was computed goes with them.
    pub fn retain(&mut self, used: &[bool]) {
        let is_used = |label: u32| used.get(label as usize).is_some_and(|&used| used);
        let mut labels = self.subjects.iter().flat_map(|of| &of.labels);
        if labels.all(|&label| is_used(label)) {
            return;
        }
        for OfSubject { labels, vacant } in &mut self.subjects {
            for &label in labels.iter().filter(|&&label| !is_used(label)) {
                let atom = &mut self.labels[label as usize].atom;
                self.numbers[*atom as usize] = NONE;
                *atom = NONE;
                vacant.push(label);
            }
            labels.retain(|&label| is_used(label));
        }
        self.related.clear();
        self.words = 0;
    }

    /// Whether there are labels of the atom's subject.
    pub fn knows_subject(&self, atoms: &impl Atoms, atom: AtomId) -> bool {
        let of_subject = self.subjects.get(atoms.subject(atom).0 as usize);
        of_subject.is_some_and(|of_subject| !of_subject.labels.is_empty())
    }

    /// Brings the labels related to an atom up to date. False if there are none.
    pub fn update(&mut self, atoms: &impl Atoms, atom: u32) -> bool {
        let subject = atoms.subject(AtomId(atom)).0 as usize;
        let labels = match self.subjects.get(subject) {
            Some(of_subject) if !of_subject.labels.is_empty() => &of_subject.labels,
            _ => return false,
        };
        cover(&mut self.related, atom as usize, Related::default());
        let related = &mut self.related[atom as usize];
        if related.compared as usize == labels.len() {
            return !related.words.is_empty();
        }
        self.comparisons += labels.len() as u64 - u64::from(related.compared);
        self.words -= related.words.len();
        for &label in &labels[related.compared as usize..] {
            let Label {
                rank, atom: other, ..
            } = self.labels[label as usize];
            let (from, to) = match self.direction {
                Direction::Implied => (atom, other),
                Direction::Implying => (other, atom),
            };
            if other == atom || atoms.implies(AtomId(from), AtomId(to)) {
                related.add(label, rank);
            }
        }
        self.words += related.words.len();
        related.compared = labels.len() as u32;
        related.weighed_at = 0;
        !related.words.is_empty()
    }

    /// How many pairs of atoms have been compared.
    pub fn comparisons(&self) -> u64 {
        self.comparisons
    }

    /// The labels related to an atom, as of the last [`update`](Self::update) that found any.
    pub fn related(&self, atom: u32) -> &Related {
        &self.related[atom as usize]
    }

    /// Counts how often the labels related to an atom occur, unless that has been done within the last so many changes.
    pub fn weigh(&mut self, atom: u32, now: u64, patience: u64, count: impl Fn(u32) -> usize) {
        let related = &mut self.related[atom as usize];
        if related.weighed_at == 0 || related.weighed_at + patience < now {
            related.occurrences = related.labels().map(&count).sum::<usize>() as u32;
            related.weighed_at = now;
        }
    }

    pub fn bytes(&self) -> usize {
        self.bytes_of_labels()
            + self.numbers.capacity() * 4
            + self.subjects.capacity() * size_of::<OfSubject>()
            + self.related.capacity() * size_of::<Related>()
    }

    /// Without the tables that are as long as there are atoms and subjects.
    pub fn bytes_of_labels(&self) -> usize {
        // Each label is in one list of its subject.
        self.labels.capacity() * (size_of::<Label>() + 4) + self.words * size_of::<Word>()
    }
}

/// A set of labels as bits, quick to fill and to clear.
#[derive(Default, Debug)]
pub(super) struct LabelSet {
    /// By chunk.
    words: Vec<u16>,
    /// The chunks that are not empty.
    chunks: Vec<u32>,
    count: usize,
}

impl LabelSet {
    pub fn clear(&mut self) {
        for chunk in self.chunks.drain(..) {
            self.words[chunk as usize] = 0;
        }
        self.count = 0;
    }

    pub fn add(&mut self, word: Word) {
        cover(&mut self.words, word.chunk as usize, 0);
        let present = &mut self.words[word.chunk as usize];
        if *present == 0 {
            self.chunks.push(word.chunk);
        }
        let bits = word.bits & !*present;
        *present |= bits;
        self.count += bits.count_ones() as usize;
    }

    pub fn has(&self, label: u32) -> bool {
        let Word { chunk, bits } = Word::of(label);
        self.word(chunk) & bits != 0
    }

    pub fn word(&self, chunk: u32) -> u16 {
        self.words.get(chunk as usize).copied().unwrap_or(0)
    }

    pub fn count(&self) -> usize {
        self.count
    }

    pub fn words(&self) -> impl Iterator<Item = Word> {
        self.chunks.iter().map(|&chunk| Word {
            chunk,
            bits: self.words[chunk as usize],
        })
    }

    pub fn bytes(&self) -> usize {
        self.words.capacity() * 2 + self.chunks.capacity() * 4
    }
}
