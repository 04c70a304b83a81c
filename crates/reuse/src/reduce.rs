//! Reduction of a conjunction, subject by subject (paper 2, section 4).
//!
//! Restrictions of one subject are intersected. If nothing is left, they are in conflict, and so is the query: a few
//! of them say so by themselves. Otherwise one set stands for them all: the overlapping interval, its ends moved past
//! exceptional points, the exceptional points inside it. An atom whose set includes what the others of its subject
//! leave is redundant.
//!
//! A [`Reducer`] follows a path condition as it grows and shrinks: each push is held against what is left for its
//! subject. [`reduce`] does it for a whole conjunction. Neither makes new terms: what is kept are atoms of the query.
//! [`normal_form`] makes the terms that the paper writes.

use refrain_term::{Rational, Sort, Term, Terms};
use rustc_hash::FxHashMap;

use refrain_path::restriction::Restriction;
use refrain_path::values::cuts::CutSet;
use refrain_path::values::{Cut, NumberCuts, Repr, ValueSet};

/// What pushing a restriction did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pushed {
    /// Fewer values are left for its subject.
    Narrowed,
    /// It says nothing new.
    Redundant,
    /// No value is left: these cannot hold together, by their places on the stack, ascending. Without any of them the
    /// others can.
    Conflict(Vec<usize>),
}

/// A stack of restrictions, and what is left for each subject.
#[derive(Default)]
pub struct Reducer {
    entries: Vec<Entry>,
    /// By subject: the last entry that left it fewer values.
    latest: FxHashMap<Term, u32>,
    /// How many subjects are left no value.
    conflicts: u32,
}

struct Entry {
    subject: Term,
    /// Nothing for a redundant one.
    narrowing: Option<Narrowing>,
}

/// A step of a subject towards fewer values.
struct Narrowing {
    /// The step before.
    previous: Option<u32>,
    own: ValueSet,
    /// What this step and those before leave, where that is not `own`.
    left: Option<ValueSet>,
}

impl Narrowing {
    #[inline]
    fn left(&self) -> &ValueSet {
        self.left.as_ref().unwrap_or(&self.own)
    }
}

/// All restrictions of one subject as one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Merged {
    pub restriction: Restriction,
    /// Where the restrictions of this subject are, ascending.
    pub atoms: Vec<usize>,
    /// Those of them that are enough, and of which none can be left out.
    pub kept: Vec<usize>,
}

/// What a conjunction comes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reduction {
    /// The restrictions at these places cannot hold together; without any of them the others can.
    Conflict(Vec<usize>),
    /// One restriction for each subject, in the order in which the subjects come up.
    Reduced(Vec<Merged>),
}

/// Reduces a conjunction.
pub fn reduce<'a>(restrictions: impl IntoIterator<Item = &'a Restriction>) -> Reduction {
    let mut reducer = Reducer::new();
    for restriction in restrictions {
        if let Pushed::Conflict(core) = reducer.push(restriction) {
            return Reduction::Conflict(core);
        }
    }
    Reduction::Reduced(reducer.merged())
}

impl Reducer {
    pub fn new() -> Reducer {
        Reducer::default()
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many subjects have been left fewer values.
    #[inline]
    pub fn subjects(&self) -> usize {
        self.latest.len()
    }

    /// Whether what is on the stack cannot hold together.
    #[inline]
    pub fn is_conflicting(&self) -> bool {
        self.conflicts > 0
    }

    /// The values that are left for a subject; none if nothing restricts it.
    #[inline]
    pub fn values(&self, subject: Term) -> Option<&ValueSet> {
        let &latest = self.latest.get(&subject)?;
        Some(self.narrowing(latest).left())
    }

    /// What the stack says of a restriction: whether it holds, if that is settled.
    #[inline]
    pub fn settles(&self, restriction: &Restriction) -> Option<bool> {
        let asked = &restriction.values;
        match self.values(restriction.subject) {
            None => (asked.is_full() || asked.is_empty()).then(|| asked.is_full()),
            Some(left) if left.is_subset_of(asked) => Some(true),
            Some(left) => left.is_disjoint(asked).then_some(false),
        }
    }

    /// Adds a restriction; every push has its pop, whatever came of it.
    #[inline]
    pub fn push(&mut self, restriction: &Restriction) -> Pushed {
        let (subject, own) = (restriction.subject, &restriction.values);
        let previous = self.latest.get(&subject).copied();
        let before = previous.map(|previous| self.narrowing(previous).left());
        if before.map_or(own.is_full(), |before| before.is_subset_of(own)) {
            self.entries.push(Entry {
                subject,
                narrowing: None,
            });
            return Pushed::Redundant;
        }
        let left = before
            .filter(|before| !own.is_subset_of(before))
            .map(|before| before.intersection(own));
        let narrowing = Narrowing {
            previous,
            own: own.clone(),
            left,
        };
        self.add(subject, narrowing)
    }

    fn add(&mut self, subject: Term, narrowing: Narrowing) -> Pushed {
        let is_conflict = narrowing.left().is_empty();
        let place = self.entries.len() as u32;
        self.latest.insert(subject, place);
        self.entries.push(Entry {
            subject,
            narrowing: Some(narrowing),
        });
        if !is_conflict {
            return Pushed::Narrowed;
        }
        self.conflicts += 1;
        Pushed::Conflict(self.enough(place))
    }

    /// Takes the last restriction back.
    ///
    /// # Panics
    /// If there is none.
    pub fn pop(&mut self) {
        let entry = self.entries.pop().expect("a push for every pop");
        let Some(narrowing) = entry.narrowing else {
            return;
        };
        self.conflicts -= u32::from(narrowing.left().is_empty());
        match narrowing.previous {
            Some(previous) => self.latest.insert(entry.subject, previous),
            None => self.latest.remove(&entry.subject),
        };
    }

    /// Takes back all restrictions but the first `len`.
    pub fn pop_to(&mut self, len: usize) {
        while self.len() > len {
            self.pop();
        }
    }

    /// Takes back all restrictions.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.latest.clear();
        self.conflicts = 0;
    }

    #[inline]
    fn narrowing(&self, place: u32) -> &Narrowing {
        let entry = &self.entries[place as usize];
        entry.narrowing.as_ref().expect("a step of its subject")
    }

    /// Restrictions that leave what `latest` and all before it leave, none of which can be left out. The newest are
    /// left out first: a conflict among the oldest rules out most.
    fn enough(&self, latest: u32) -> Vec<usize> {
        let target = self.narrowing(latest).left();
        let mut kept = Vec::new();
        let mut common: Option<ValueSet> = None;
        let mut next = Some(latest);
        while let Some(place) = next {
            let step = self.narrowing(place);
            let before = step.previous.map(|before| self.narrowing(before).left());
            if !is_within(before, common.as_ref(), target) {
                kept.push(place as usize);
                common = Some(match common {
                    Some(common) => common.intersection(&step.own),
                    None => step.own.clone(),
                });
            }
            next = step.previous;
        }
        kept.reverse();
        kept
    }

    /// The places of restrictions that say what all of them say, and of which none can be left out; ascending.
    pub fn kept(&self) -> Vec<usize> {
        let mut kept: Vec<usize> = Vec::with_capacity(self.len());
        for &latest in self.latest.values() {
            kept.extend(self.enough(latest));
        }
        kept.sort_unstable();
        kept
    }

    /// One restriction for each subject, in the order in which the subjects come up.
    pub fn merged(&self) -> Vec<Merged> {
        let mut groups: Vec<Merged> = Vec::with_capacity(self.latest.len());
        let mut places: FxHashMap<Term, usize> = FxHashMap::default();
        for (at, entry) in self.entries.iter().enumerate() {
            // A subject that nothing narrows has no group.
            let Some(&latest) = self.latest.get(&entry.subject) else {
                continue;
            };
            let place = *places.entry(entry.subject).or_insert_with(|| {
                groups.push(self.group(entry.subject, latest));
                groups.len() - 1
            });
            groups[place].atoms.push(at);
        }
        groups
    }

    fn group(&self, subject: Term, latest: u32) -> Merged {
        Merged {
            restriction: Restriction {
                subject,
                values: self.narrowing(latest).left().clone(),
            },
            atoms: Vec::new(),
            kept: self.enough(latest),
        }
    }
}

/// Whether what is in both sets, where they are given, is in the target.
fn is_within(a: Option<&ValueSet>, b: Option<&ValueSet>, target: &ValueSet) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.intersection(b).is_subset_of(target),
        (Some(set), None) | (None, Some(set)) => set.is_subset_of(target),
        (None, None) => target.is_full(),
    }
}

/// A restriction as a conjunction of atoms: its point, or else its bounds, lower before upper, and then what is left
/// out between them. For integers these are the paper's interval and exceptional points.
pub fn normal_form(terms: &mut Terms, restriction: &Restriction) -> Vec<Term> {
    let subject = restriction.subject;
    match &restriction.values.0 {
        Repr::Bool(_) => truth_atoms(terms, restriction),
        Repr::Ints(cuts) => number_atoms(terms, subject, cuts),
        Repr::Reals(cuts) => number_atoms(terms, subject, cuts),
        Repr::Table { .. } | Repr::Words { .. } => word_atoms(terms, restriction),
    }
}

fn truth_atoms(terms: &mut Terms, restriction: &Restriction) -> Vec<Term> {
    let Restriction { subject, values } = restriction;
    if values.is_full() {
        return Vec::new();
    }
    if values.is_empty() {
        return vec![Term::FALSE];
    }
    if *values == ValueSet::bool(true) {
        return vec![*subject];
    }
    vec![terms.not(*subject)]
}

fn number_atoms(terms: &mut Terms, subject: Term, cuts: &NumberCuts) -> Vec<Term> {
    let sort = terms.sort(subject);
    let below = |terms: &mut Terms, cut: &Cut| {
        let limit = terms.number(sort, cut.value.clone());
        if cut.is_above {
            terms.le(subject, limit)
        } else {
            terms.lt(subject, limit)
        }
    };
    let point = |terms: &mut Terms, begin: Option<&Cut>, end: Option<&Cut>| {
        let (begin, end) = (begin?, end?);
        let is_point = match sort {
            Sort::Int => end.value == &begin.value + &Rational::ONE,
            _ => end.value == begin.value,
        };
        is_point.then(|| terms.number(sort, begin.value.clone()))
    };
    atoms(terms, subject, cuts, below, point)
}

fn word_atoms(terms: &mut Terms, restriction: &Restriction) -> Vec<Term> {
    let Some(words) = restriction.values.words() else {
        return Vec::new();
    };
    let (subject, width) = (restriction.subject, words.width);
    let below = |terms: &mut Terms, &cut: &u64| {
        let limit = terms.bv(width, cut);
        terms.bv_ult(subject, limit)
    };
    let point = |terms: &mut Terms, begin: Option<&u64>, end: Option<&u64>| {
        let first = begin.copied().unwrap_or(0);
        let last = end.map_or(refrain_term::value::mask(width), |end| end - 1);
        (first == last).then(|| terms.bv(width, first))
    };
    atoms(terms, subject, &words.cuts, below, point)
}

/// The atoms of a set of any kind, from `below`, which says that the subject is below a cut, and `point`, which is
/// the only value between two cuts.
fn atoms<C: Clone + Default + Ord, const N: usize>(
    terms: &mut Terms,
    subject: Term,
    set: &CutSet<C, N>,
    below: impl Fn(&mut Terms, &C) -> Term,
    point: impl Fn(&mut Terms, Option<&C>, Option<&C>) -> Option<Term>,
) -> Vec<Term> {
    let mut pieces = set.pieces();
    let Some((begin, end)) = pieces.next() else {
        return vec![Term::FALSE];
    };
    if pieces.next().is_none()
        && let Some(value) = point(terms, begin, end)
    {
        return vec![terms.eq(subject, value)];
    }
    let (mut bounds, mut holes) = (Vec::new(), Vec::new());
    for (begin, end) in set.gaps() {
        let is_hole = begin.is_some() && end.is_some();
        if is_hole && let Some(value) = point(terms, begin, end) {
            let equal = terms.eq(subject, value);
            holes.push(terms.not(equal));
            continue;
        }
        let under = begin.map(|begin| below(terms, begin));
        let over = end.map(|end| {
            let under = below(terms, end);
            terms.not(under)
        });
        match (under, over) {
            (Some(under), Some(over)) => holes.push(terms.or2(under, over)),
            (Some(bound), None) | (None, Some(bound)) => bounds.push(bound),
            (None, None) => {}
        }
    }
    bounds.append(&mut holes);
    bounds
}
