//! Normal forms: the atoms by which what is left for a subject is written, whatever it was left by (paper 2,
//! section 4).
//!
//! `P <= 4` and `P != 4` come to what `P <= 3` says. Both are the restriction of `P` to at most 3, and a restriction is
//! written one way, so that from here on the two sets are one: they have the same key, the same canonical form, and
//! the same place in a trie.

use refrain_term::{Op, Rational, Sort, Term, Terms};
use rustc_hash::FxHashMap;

use refrain_path::atoms::{AtomId, AtomTable};
use refrain_path::restriction::Restriction;
use refrain_path::values::cuts::CutSet;
use refrain_path::values::words::WordSet;
use refrain_path::values::{Cut, NumberCuts, Repr, ValueSet};

/// A set of more intervals stays as the atoms that it comes from: written out it would be larger than they are.
const MOST_INTERVALS: usize = 16;

/// The atoms that stand for restrictions, one for each.
#[derive(Default)]
pub struct NormalAtoms {
    of_atom: Vec<Option<AtomId>>,
    /// Nothing for a restriction that no atom says in the way that it is written.
    of: FxHashMap<Restriction, Option<AtomId>>,
}

impl NormalAtoms {
    /// The atom that says what a known atom says, in normal form; or the atom itself, if it has none.
    pub fn of_atom(&mut self, terms: &mut Terms, atoms: &mut AtomTable, atom: AtomId) -> AtomId {
        if let Some(&Some(normal)) = self.of_atom.get(atom.index()) {
            return normal;
        }
        let restriction = atoms.restriction(atom).clone();
        let normal = self.of(terms, atoms, &restriction).unwrap_or(atom);
        if self.of_atom.len() <= atom.index() {
            self.of_atom.resize(atom.index() + 1, None);
        }
        self.of_atom[atom.index()] = Some(normal);
        normal
    }

    /// About how many bytes the restrictions take.
    pub fn bytes(&self) -> usize {
        self.of.capacity() * (size_of::<(Restriction, Option<AtomId>)>() + 1)
    }

    /// The atom, known, that says just what a restriction says.
    pub fn of(
        &mut self,
        terms: &mut Terms,
        atoms: &mut AtomTable,
        restriction: &Restriction,
    ) -> Option<AtomId> {
        if let Some(&known) = self.of.get(restriction) {
            return known;
        }
        let normal = written(terms, atoms, restriction);
        self.of.insert(restriction.clone(), normal);
        normal
    }
}

fn written(terms: &mut Terms, atoms: &mut AtomTable, restriction: &Restriction) -> Option<AtomId> {
    let values = &restriction.values;
    let intervals = match values.words() {
        Some(words) => words.cuts.pieces().count(),
        None => values.intervals(),
    };
    if values.is_full() || values.is_empty() || intervals > MOST_INTERVALS {
        return None;
    }
    let parts = normal_form(terms, restriction);
    let term = terms.and(&parts);
    if terms.is_value(term) {
        return None;
    }
    let atom = atoms.id(terms, term);
    atoms.know(terms, &[atom]);
    // The constructors may have made something else of it.
    (atoms.restriction(atom) == restriction).then_some(atom)
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
    let (subject, words) = turned(terms, restriction.subject, words);
    let width = words.width;
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

/// Of a sum and its negation, the one whose values are written shorter. Which of them is the subject depends on the
/// order of symbols, and the normal form must not. (Orders of integers and reals look the same either way to `canon`.)
fn turned(terms: &mut Terms, subject: Term, words: WordSet) -> (Term, WordSet) {
    if !matches!(terms.op(subject), Op::BvAdd | Op::BvMul) {
        return (subject, words);
    }
    let order = |words: &WordSet| {
        let cuts = words.cuts.cuts();
        (cuts.len(), words.cuts.starts_inside(), cuts.to_vec())
    };
    let negated = words.without_negation();
    if order(&words) <= order(&negated) {
        return (subject, words);
    }
    (terms.bv_neg(subject), negated)
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
