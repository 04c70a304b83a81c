//! Sets of values that one term may take.
//!
//! An atom that says something about a term by itself is a set of values of that term: an interval, a circular
//! interval of machine integers, a point, everything but a point, any set of bytes. Then implication between two
//! atoms about the same term is inclusion of sets, and a conflict is an empty intersection. This is the interval with
//! exceptional points of paper 2, section 4, carried over to machine integers and reals.
//!
//! Up to 8 bits a set is a bit for each value; wider words, integers and reals are told by where membership changes
//! (`cuts`). A set has one representation, whatever it was computed from: equal sets are equal, have equal hashes and
//! equal bytes (`encode`). Sets with few intervals allocate nothing.

pub mod bytes;
pub mod cuts;
mod encode;
mod propose;
pub mod words;

use refrain_term::{Rational, Sort, Value};

use bytes::ByteSet;
use cuts::CutSet;
use words::{WordCuts, WordSet};

/// A set of values of one sort: Bool, bit-vectors of one width up to 64, Int, or Real.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ValueSet(pub Repr);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Repr {
    /// Bit 0: false is in the set; bit 1: true is.
    Bool(u8),
    /// Words of up to [`bytes::MAX_BITS`] bits: bit v tells whether v is in the set.
    Table {
        width: u8,
        bits: ByteSet,
    },
    /// Wider words.
    Words {
        width: u8,
        cuts: WordCuts,
    },
    Ints(NumberCuts),
    Reals(NumberCuts),
}

/// In place: a half-line, an interval, a point, or all but a point.
pub type NumberCuts = CutSet<Cut, 2>;

/// The place right below a number, or right above it. Among integers only places right below integers are used.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Cut {
    pub value: Rational,
    pub is_above: bool,
}

impl Cut {
    pub fn below(value: Rational) -> Cut {
        Cut {
            value,
            is_above: false,
        }
    }

    pub fn above(value: Rational) -> Cut {
        Cut {
            value,
            is_above: true,
        }
    }
}

const BOTH: u8 = 3;

impl ValueSet {
    /// All values of a sort, if sets of its values are kept: not those of arrays, nor of bit-vectors wider than 64.
    pub fn all(sort: Sort) -> Option<ValueSet> {
        Some(ValueSet(match sort {
            Sort::Bool => Repr::Bool(BOTH),
            Sort::BitVec(width) if width <= bytes::MAX_BITS => Repr::Table {
                width: width as u8,
                bits: ByteSet::all(width),
            },
            Sort::BitVec(width) if width <= 64 => Repr::Words {
                width: width as u8,
                cuts: CutSet::whole(true),
            },
            Sort::Int => Repr::Ints(CutSet::whole(true)),
            Sort::Real => Repr::Reals(CutSet::whole(true)),
            Sort::BitVec(_)
            | Sort::Array { .. }
            | Sort::Float(_)
            | Sort::RoundingMode
            | Sort::Coded(_) => {
                return None;
            }
        }))
    }

    pub fn bool(value: bool) -> ValueSet {
        ValueSet(Repr::Bool(1 << u8::from(value)))
    }

    /// The truth values that a table tells: whether false and whether true is in the set.
    pub fn bools(with_false: bool, with_true: bool) -> ValueSet {
        ValueSet(Repr::Bool(u8::from(with_false) | u8::from(with_true) << 1))
    }

    /// Words of up to 8 bits: bit v of `bits` tells whether v is in the set.
    pub fn table(width: u32, bits: ByteSet) -> ValueSet {
        debug_assert!((1..=bytes::MAX_BITS).contains(&width));
        ValueSet(Repr::Table {
            width: width as u8,
            bits: bits.and(&ByteSet::all(width)),
        })
    }

    /// The words of up to 64 bits from `first` upwards to `last`, through zero if `last` is below `first`.
    pub fn range(width: u32, first: u64, last: u64) -> ValueSet {
        ValueSet::from(WordSet::range(width, first, last))
    }

    /// The integers or reals that are at most `limit`.
    pub fn at_most(sort: Sort, limit: &Rational) -> ValueSet {
        number_set(sort, true, [after(sort, limit)])
    }

    /// The integers or reals that are less than `limit`.
    pub fn below(sort: Sort, limit: &Rational) -> ValueSet {
        number_set(sort, true, [before(sort, limit)])
    }

    /// One integer or real; nothing if an integer is wanted and this is none.
    pub fn point(sort: Sort, value: &Rational) -> ValueSet {
        let (begin, end) = (before(sort, value), after(sort, value));
        if begin == end {
            return number_set(sort, false, []);
        }
        number_set(sort, false, [begin, end])
    }

    /// The sort of the values.
    pub fn sort(&self) -> Sort {
        match &self.0 {
            Repr::Bool(_) => Sort::Bool,
            Repr::Table { width, .. } | Repr::Words { width, .. } => {
                Sort::BitVec(u32::from(*width))
            }
            Repr::Ints(_) => Sort::Int,
            Repr::Reals(_) => Sort::Real,
        }
    }

    /// Whether a value is in the set; none of another sort is.
    pub fn contains(&self, value: &Value) -> bool {
        match (&self.0, value) {
            (Repr::Bool(set), Value::Bool(value)) => set >> u8::from(*value) & 1 == 1,
            (Repr::Table { width, .. } | Repr::Words { width, .. }, Value::Bv(value)) => {
                value.width() == u32::from(*width)
                    && value.small().is_some_and(|word| self.contains_word(word))
            }
            (Repr::Ints(cuts), Value::Int(value)) | (Repr::Reals(cuts), Value::Real(value)) => {
                cuts.contains_after(&Cut::below(value.clone()))
            }
            _ => false,
        }
    }

    /// Whether a truth value or a word of this set's width is in the set.
    #[inline]
    pub fn contains_word(&self, word: u64) -> bool {
        match &self.0 {
            Repr::Bool(set) => set >> word & 1 == 1,
            Repr::Table { bits, .. } => bits.contains(word),
            Repr::Words { cuts, .. } => cuts.contains_after(&word),
            _ => false,
        }
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        match &self.0 {
            Repr::Bool(set) => *set == 0,
            Repr::Table { bits, .. } => bits.is_empty(),
            Repr::Words { cuts, .. } => cuts.is_empty(),
            Repr::Ints(cuts) | Repr::Reals(cuts) => cuts.is_empty(),
        }
    }

    /// Whether every value of the sort is in the set.
    #[inline]
    pub fn is_full(&self) -> bool {
        match &self.0 {
            Repr::Bool(set) => *set == BOTH,
            Repr::Table { width, bits } => *bits == ByteSet::all(u32::from(*width)),
            Repr::Words { cuts, .. } => cuts.is_full(),
            Repr::Ints(cuts) | Repr::Reals(cuts) => cuts.is_full(),
        }
    }

    /// Whether every value of this set is in the other; never so for sets of different sorts.
    #[inline]
    pub fn is_subset_of(&self, other: &ValueSet) -> bool {
        match (&self.0, &other.0) {
            (Repr::Bool(a), Repr::Bool(b)) => a & !b == 0,
            (Repr::Table { width: v, bits: a }, Repr::Table { width: w, bits: b }) if v == w => {
                a.is_subset_of(b)
            }
            (Repr::Words { width: v, cuts: a }, Repr::Words { width: w, cuts: b }) if v == w => {
                a.is_subset_of(b)
            }
            (Repr::Ints(a), Repr::Ints(b)) | (Repr::Reals(a), Repr::Reals(b)) => a.is_subset_of(b),
            _ => false,
        }
    }

    /// Whether no value is in both sets; never so for sets of different sorts.
    #[inline]
    pub fn is_disjoint(&self, other: &ValueSet) -> bool {
        match (&self.0, &other.0) {
            (Repr::Bool(a), Repr::Bool(b)) => a & b == 0,
            (Repr::Table { width: v, bits: a }, Repr::Table { width: w, bits: b }) if v == w => {
                a.and(b).is_empty()
            }
            (Repr::Words { width: v, cuts: a }, Repr::Words { width: w, cuts: b }) if v == w => {
                a.is_disjoint(b)
            }
            (Repr::Ints(a), Repr::Ints(b)) | (Repr::Reals(a), Repr::Reals(b)) => a.is_disjoint(b),
            _ => false,
        }
    }

    /// The values in both sets.
    ///
    /// # Panics
    /// If the sets are of different sorts.
    #[inline]
    pub fn intersection(&self, other: &ValueSet) -> ValueSet {
        self.combine(other, |a, b| a && b, |a, b| a & b)
    }

    /// The values in either set.
    ///
    /// # Panics
    /// If the sets are of different sorts.
    pub fn union(&self, other: &ValueSet) -> ValueSet {
        self.combine(other, |a, b| a || b, |a, b| a | b)
    }

    /// One operation, for a value and for 64 of them.
    #[inline]
    fn combine(
        &self,
        other: &ValueSet,
        holds: impl Fn(bool, bool) -> bool,
        bitwise: impl Fn(u64, u64) -> u64,
    ) -> ValueSet {
        ValueSet(match (&self.0, &other.0) {
            (Repr::Bool(a), Repr::Bool(b)) => {
                Repr::Bool(bitwise(u64::from(*a), u64::from(*b)) as u8)
            }
            (Repr::Table { width, bits: a }, Repr::Table { width: w, bits: b }) if width == w => {
                Repr::Table {
                    width: *width,
                    bits: ByteSet(std::array::from_fn(|i| bitwise(a.0[i], b.0[i]))),
                }
            }
            (Repr::Words { width, cuts: a }, Repr::Words { width: w, cuts: b }) if width == w => {
                Repr::Words {
                    width: *width,
                    cuts: a.combine(b, holds),
                }
            }
            (Repr::Ints(a), Repr::Ints(b)) => Repr::Ints(a.combine(b, holds)),
            (Repr::Reals(a), Repr::Reals(b)) => Repr::Reals(a.combine(b, holds)),
            _ => panic!("sets of {} and of {}", self.sort(), other.sort()),
        })
    }

    /// The values of the sort that are not in the set.
    pub fn complement(&self) -> ValueSet {
        ValueSet(match &self.0 {
            Repr::Bool(set) => Repr::Bool(set ^ BOTH),
            Repr::Table { width, bits } => Repr::Table {
                width: *width,
                bits: bits.complement(u32::from(*width)),
            },
            Repr::Words { width, cuts } => Repr::Words {
                width: *width,
                cuts: cuts.clone().complement(),
            },
            Repr::Ints(cuts) => Repr::Ints(cuts.clone().complement()),
            Repr::Reals(cuts) => Repr::Reals(cuts.clone().complement()),
        })
    }

    /// The values whose negation is in the set: `-x` of a number or word, `not x` of a truth value.
    pub fn negated(&self) -> ValueSet {
        let numbers = |cuts: &NumberCuts, negated: fn(&Cut) -> Cut| {
            let mirrored = cuts.cuts().iter().rev().map(negated);
            CutSet::new(cuts.ends_inside(), mirrored)
        };
        match &self.0 {
            Repr::Bool(set) => ValueSet(Repr::Bool((set & 1) << 1 | set >> 1)),
            Repr::Ints(cuts) => ValueSet(Repr::Ints(numbers(cuts, |cut| {
                // Between 4 and 5, and between -5 and -4.
                Cut::below(&Rational::ONE - &cut.value)
            }))),
            Repr::Reals(cuts) => ValueSet(Repr::Reals(numbers(cuts, |cut| Cut {
                value: -&cut.value,
                is_above: !cut.is_above,
            }))),
            Repr::Table { .. } | Repr::Words { .. } => match self.words() {
                Some(words) => ValueSet::from(words.without_negation()),
                None => unreachable!("a set of words"),
            },
        }
    }

    /// About how many values there are. Never larger for a subset: infinite sets count more than finite ones, those
    /// without either bound most; a bounded set of reals counts its length.
    pub fn size(&self) -> u64 {
        match &self.0 {
            Repr::Bool(set) => u64::from(set.count_ones()),
            Repr::Table { bits, .. } => u64::from(bits.len()),
            Repr::Words { width, cuts } => {
                let count = |(first, last): (u64, u64)| (last - first).saturating_add(1);
                words::ranges(u32::from(*width), cuts)
                    .map(count)
                    .fold(0, u64::saturating_add)
            }
            Repr::Ints(cuts) => number_size(cuts),
            Repr::Reals(cuts) if cuts.is_empty() => 0,
            Repr::Reals(cuts) => number_size(cuts).saturating_add(1),
        }
    }

    /// How many intervals there are: what a set costs to keep and to compare.
    pub fn intervals(&self) -> usize {
        match &self.0 {
            Repr::Bool(_) | Repr::Table { .. } => 1,
            Repr::Words { cuts, .. } => cuts.pieces().count(),
            Repr::Ints(cuts) | Repr::Reals(cuts) => cuts.pieces().count(),
        }
    }
}

/// The total length of bounded intervals, rounded down; the largest numbers for what has no bound on one side or on
/// either.
fn number_size(cuts: &NumberCuts) -> u64 {
    const UNBOUNDED: u64 = u64::MAX - 3;
    match (cuts.starts_inside(), cuts.ends_inside()) {
        (true, true) => return UNBOUNDED + 2,
        (false, false) => {}
        _ => return UNBOUNDED + 1,
    }
    let mut length = Rational::ZERO;
    for (begin, end) in cuts.pieces() {
        if let (Some(begin), Some(end)) = (begin, end) {
            length += &(&end.value - &begin.value);
        }
    }
    length
        .floor()
        .to_i64()
        .map_or(UNBOUNDED, |length| length as u64)
}

fn number_set(sort: Sort, starts_inside: bool, cuts: impl IntoIterator<Item = Cut>) -> ValueSet {
    let cuts = CutSet::new(starts_inside, cuts);
    ValueSet(match sort {
        Sort::Int => Repr::Ints(cuts),
        Sort::Real => Repr::Reals(cuts),
        sort => panic!("a {sort} is no number"),
    })
}

/// The place below the numbers of a sort that are at least `value`.
fn before(sort: Sort, value: &Rational) -> Cut {
    match sort {
        Sort::Int => Cut::below(value.ceil()),
        _ => Cut::below(value.clone()),
    }
}

/// The place above the numbers of a sort that are at most `value`.
fn after(sort: Sort, value: &Rational) -> Cut {
    match sort {
        Sort::Int => Cut::below(&value.floor() + &Rational::ONE),
        _ => Cut::above(value.clone()),
    }
}

impl From<WordSet> for ValueSet {
    fn from(set: WordSet) -> ValueSet {
        let width = set.width as u8;
        if set.width > bytes::MAX_BITS {
            let cuts = set.cuts;
            return ValueSet(Repr::Words { width, cuts });
        }
        let mut bits = ByteSet::NONE;
        for (first, last) in words::ranges(set.width, &set.cuts) {
            bits.fill(first, last);
        }
        ValueSet(Repr::Table { width, bits })
    }
}

impl ValueSet {
    /// The set of words as cuts, whatever the width; none of other values.
    pub fn words(&self) -> Option<WordSet> {
        match &self.0 {
            Repr::Words { width, cuts } => Some(WordSet {
                width: u32::from(*width),
                cuts: cuts.clone(),
            }),
            Repr::Table { width, bits } => {
                let bit = |value: u64| bits.contains(value);
                let changes = (1..1u64 << width).filter(|&value| bit(value) != bit(value - 1));
                Some(WordSet {
                    width: u32::from(*width),
                    cuts: CutSet::new(bit(0), changes),
                })
            }
            _ => None,
        }
    }
}
