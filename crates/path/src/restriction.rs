//! Atoms as restrictions: a term, and the set of values that the atom leaves it.
//!
//! `x + y + 3 <= 0` says that `x + y` is at most -3, and `x + 5 <u 9` that the word `x` is at most 3 or one of the
//! last five. The term is the *subject*, with everything taken off that can be undone (an added constant, a negation,
//! an extension, a cut to the high bits); the set is exact: the atom holds if and only if the subject's value is in
//! it. Atoms with one subject are compared as sets ([`ValueSet`]). The subjects are, in this order:
//!
//! * the input that the atom depends on, if there is only one and it has at most 8 bits: whatever the operators, the
//!   atom is a set of its values;
//! * the term that is compared with a constant: a number in normal form, where the sum without constant is the
//!   non-constant prefix of paper 2, section 2, or a bit-vector of at most 64 bits, which may be the difference of two
//!   that are equal;
//! * what the parts of a conjunction or disjunction have as their common subject;
//! * the atom itself, without its negation, which is true or false.

use refrain_term::value::mask;
use refrain_term::{Input, Op, Sort, Support, Term, Terms};

use crate::simplify::Tables;
use crate::simplify::tables::Spent;
use crate::values::ValueSet;
use crate::values::words::WordSet;

/// A term, and the values it may take.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Restriction {
    pub subject: Term,
    pub values: ValueSet,
}

impl Restriction {
    /// Whether an atom of this restriction implies one of the other, as far as the sets tell.
    #[inline]
    pub fn implies(&self, other: &Restriction) -> bool {
        self.subject == other.subject && self.values.is_subset_of(&other.values)
    }

    /// Whether the two cannot hold together, as far as the sets tell.
    #[inline]
    pub fn conflicts_with(&self, other: &Restriction) -> bool {
        self.subject == other.subject && self.values.is_disjoint(&other.values)
    }

    fn complement(&self) -> Restriction {
        Restriction {
            subject: self.subject,
            values: self.values.complement(),
        }
    }

    /// An atom that is its own subject.
    fn opaque(atom: Term) -> Restriction {
        Restriction {
            subject: atom,
            values: ValueSet::bool(true),
        }
    }
}

/// The most operands of a conjunction that is taken apart.
const MAX_PARTS: usize = 16;

/// The most intervals that the operands of a conjunction may make.
const MAX_INTERVALS: usize = 16;

/// How deep conjunctions and disjunctions are taken apart.
const MAX_DEPTH: usize = 32;

/// The most operations that are taken off a subject.
const MAX_LAYERS: usize = 16;

/// The restrictions of atoms of one arena, computed when first asked for.
#[derive(Default)]
pub struct Restrictions {
    /// By term: one more than the place of its restriction; zero if it is not known.
    places: Vec<u32>,
    kept: Vec<Restriction>,
    /// Terms on the way to be known, the innermost last.
    stack: Vec<Term>,
    spent: Spent,
}

impl Restrictions {
    pub fn new() -> Restrictions {
        Restrictions::default()
    }

    /// The restriction of a Boolean term: it holds if and only if the value of the subject is in the set.
    #[inline]
    pub fn of(&mut self, terms: &mut Terms, support: &mut Support, atom: Term) -> &Restriction {
        let place = match self.place(atom) {
            Some(place) => place,
            None => self.compute(terms, support, atom),
        };
        &self.kept[place]
    }

    /// The restriction of a Boolean term that has been asked for before.
    #[inline]
    pub fn known(&self, atom: Term) -> Option<&Restriction> {
        self.place(atom).map(|place| &self.kept[place])
    }

    #[inline]
    fn place(&self, term: Term) -> Option<usize> {
        let place = *self.places.get(term.index())?;
        (place as usize).checked_sub(1)
    }

    pub(crate) fn keep(&mut self, term: Term, restriction: Restriction) {
        if self.places.len() <= term.index() {
            self.places.resize(term.index() + 1, 0);
        }
        self.kept.push(restriction);
        self.places[term.index()] = self.kept.len() as u32;
    }

    #[cold]
    fn compute(&mut self, terms: &mut Terms, support: &mut Support, atom: Term) -> usize {
        self.stack.push(atom);
        while let Some(&term) = self.stack.last() {
            if self.place(term).is_some() {
                self.stack.pop();
                continue;
            }
            match self.step(terms, support, term) {
                Ok(restriction) => self.keep(term, restriction),
                // What lies deeper has no say in what the atom as a whole is about.
                Err(part) if self.stack.len() > MAX_DEPTH => {
                    self.keep(part, Restriction::opaque(part));
                }
                Err(part) => self.stack.push(part),
            }
        }
        self.place(atom).expect("computed just now")
    }

    /// The restriction of a term, or a part of it that must be known first.
    fn step(
        &mut self,
        terms: &mut Terms,
        support: &mut Support,
        term: Term,
    ) -> Result<Restriction, Term> {
        match terms.op(term) {
            Op::True | Op::False => return Ok(constant(term)),
            Op::Not => {
                let inner = terms.arg(term, 0);
                return self.known(inner).map(Restriction::complement).ok_or(inner);
            }
            _ => {}
        }
        if let Some((input, bits)) = Tables::single_input(terms, support, term) {
            return Ok(of_input(terms, term, input, bits, &mut self.spent));
        }
        let found = match terms.op(term) {
            Op::And => self.conjunction(terms, term)?,
            _ => comparison(terms, term),
        };
        Ok(found.unwrap_or_else(|| Restriction::opaque(term)))
    }

    /// The intersection of the parts' sets, if they have one subject.
    fn conjunction(&self, terms: &Terms, term: Term) -> Result<Option<Restriction>, Term> {
        let parts = terms.args(term);
        if parts.len() > MAX_PARTS {
            return Ok(None);
        }
        let mut common = self.known(parts[0]).ok_or(parts[0])?.clone();
        for &part in &parts[1..] {
            let next = self.known(part).ok_or(part)?;
            if next.subject != common.subject {
                return Ok(None);
            }
            common.values = common.values.intersection(&next.values);
        }
        Ok((common.values.intervals() <= MAX_INTERVALS).then_some(common))
    }
}

/// A term that depends on one small input, as a set of values of it.
fn of_input(
    terms: &mut Terms,
    term: Term,
    input: Input,
    bits: u32,
    spent: &mut Spent,
) -> Restriction {
    let (Input::Symbol(subject) | Input::Cell(subject)) = input else {
        unreachable!("a scalar input")
    };
    if term == subject {
        return Restriction::opaque(term);
    }
    match comparison(terms, term) {
        Some(direct) if direct.subject == subject => direct,
        _ => {
            let Some(truth) = Tables::tabulate(terms, term, input, bits, spent) else {
                return Restriction::opaque(term);
            };
            let values = match terms.sort(subject) {
                Sort::Bool => ValueSet::bools(truth.contains(0), truth.contains(1)),
                _ => ValueSet::table(bits, truth),
            };
            Restriction { subject, values }
        }
    }
}

/// True and false do not depend on any subject.
fn constant(term: Term) -> Restriction {
    let is_true = term == Term::TRUE;
    Restriction {
        subject: Term::TRUE,
        values: ValueSet::bools(is_true, is_true),
    }
}

/// A comparison of a term with a constant.
fn comparison(terms: &mut Terms, term: Term) -> Option<Restriction> {
    let op = terms.op(term);
    if !matches!(op, Op::Eq | Op::Le | Op::Lt | Op::BvUlt | Op::BvSlt) {
        return None;
    }
    let (a, b) = (terms.arg(term, 0), terms.arg(term, 1));
    let (constant, subject, is_left) = match (terms.is_value(a), terms.is_value(b)) {
        (true, false) => (a, b, true),
        (false, true) => (b, a, false),
        _ => return difference(terms, term),
    };
    match terms.sort(subject) {
        Sort::BitVec(width) => {
            let values = words(op, width, terms.small_value(constant)?, is_left);
            Some(carried_inwards(terms, subject, values))
        }
        sort => {
            let limit = terms.number_value(constant)?;
            let values = match op {
                Op::Eq => ValueSet::point(sort, limit),
                Op::Le => ValueSet::at_most(sort, limit),
                _ => ValueSet::below(sort, limit),
            };
            Some(Restriction { subject, values })
        }
    }
}

/// An equation of words: their difference is zero. How constructors write one depends on the order of symbols.
fn difference(terms: &mut Terms, term: Term) -> Option<Restriction> {
    let (a, b) = (terms.arg(term, 0), terms.arg(term, 1));
    let width = terms.sort(a).width().filter(|&width| width <= 64)?;
    if terms.op(term) != Op::Eq {
        return None;
    }
    let difference = terms.bv_sub(a, b);
    let zero = WordSet::range(width, 0, 0);
    (!terms.is_value(difference)).then(|| carried_inwards(terms, difference, zero))
}

/// The words that are equal to a constant, or less or greater than it.
fn words(op: Op, width: u32, constant: u64, is_constant_left: bool) -> WordSet {
    if op == Op::Eq {
        return WordSet::range(width, constant, constant);
    }
    // Signed order is unsigned order from the smallest signed word on.
    let smallest: u64 = match op {
        Op::BvSlt => 1 << (width - 1),
        _ => 0,
    };
    let largest = smallest.wrapping_sub(1) & mask(width);
    if is_constant_left {
        // Greater is not at most.
        WordSet::range(width, smallest, constant).complement()
    } else {
        // Less is not at least.
        WordSet::range(width, constant, largest).complement()
    }
}

/// Takes off the term whatever can be undone on the set.
fn carried_inwards(terms: &mut Terms, mut subject: Term, mut values: WordSet) -> Restriction {
    for _ in 0..MAX_LAYERS {
        match layer_off(terms, subject, &values) {
            Some((inner, inner_values)) => (subject, values) = (inner, inner_values),
            None => break,
        }
    }
    Restriction {
        subject,
        values: values.into(),
    }
}

/// If a term is an operation on another that can be undone: the other, and its values.
fn layer_off(terms: &mut Terms, term: Term, values: &WordSet) -> Option<(Term, WordSet)> {
    let first = terms.args(term).first().copied()?;
    match terms.op(term) {
        Op::BvAdd => match terms.small_value(first) {
            Some(offset) => {
                let rest = terms.args(term)[1..].to_vec();
                Some((terms.bv_sum(&rest), values.without_offset(offset)))
            }
            None => negated(terms, term, values),
        },
        Op::BvMul => negated(terms, term, values),
        Op::BvNot => Some((first, values.without_not())),
        Op::Extract { lo } => {
            let width = terms.width(first);
            let is_high_part = lo + values.width == width && width <= 64;
            is_high_part.then(|| (first, values.of_high_part(lo)))
        }
        Op::Concat => {
            let (high, low) = (terms.small_value(first)?, terms.arg(term, 1));
            let width = terms.width(low);
            let values = values.without_offset(high << width);
            Some((low, values.without_zeros(width)))
        }
        Op::SignExtend => {
            let values = values.without_sign_extension(terms.width(first));
            Some((first, values))
        }
        _ => None,
    }
}

/// Of a sum and its negation, the one whose first coefficient is positive is the subject.
fn negated(terms: &mut Terms, sum: Term, values: &WordSet) -> Option<(Term, WordSet)> {
    if !is_first_negative(terms, sum) {
        return None;
    }
    let negated = terms.bv_neg(sum);
    // A long sum may be left as it is, times minus one.
    (!is_first_negative(terms, negated)).then(|| (negated, values.without_negation()))
}

fn is_first_negative(terms: &Terms, sum: Term) -> bool {
    let first = match terms.op(sum) {
        Op::BvAdd => terms.arg(sum, 0),
        _ => sum,
    };
    terms.op(first) == Op::BvMul
        && terms
            .value(terms.arg(first, 0))
            .is_some_and(|factor| factor.sign())
}
