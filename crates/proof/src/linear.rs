//! Linear arithmetic: what literals say as linear constraints, and sums of these that cannot hold (Farkas' lemma).

use std::collections::BTreeMap;

use dashu_int::{IBig, UBig, ops::Gcd};
use dashu_ratio::RBig;

use crate::error::Fault;
use crate::terms::{Op, Sort, Term, Terms};

/// A sum of multiples of terms, and a constant.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub struct Linear {
    pub constant: RBig,
    pub parts: BTreeMap<Term, RBig>,
}

impl Linear {
    /// What a number is as a sum. Terms that are no sums stand for themselves.
    pub fn of(terms: &Terms, term: Term) -> Linear {
        let mut sum = Linear::default();
        sum.add_term(terms, term, RBig::ONE);
        sum
    }

    /// Adds a multiple of a term. Users come after their arguments, so the latest term is met with its whole factor.
    pub fn add_term(&mut self, terms: &Terms, term: Term, factor: RBig) {
        let mut open = BTreeMap::from([(term, factor)]);
        while let Some((term, factor)) = open.pop_last() {
            if let Some(value) = terms.number_value(term) {
                self.constant += value * factor;
                continue;
            }
            let mut part = |term: Term, factor: RBig| {
                let sum = open.entry(term).or_insert(RBig::ZERO);
                *sum += factor;
            };
            let args = terms.args(term);
            match terms.op(term) {
                Op::Add => args.iter().for_each(|&arg| part(arg, factor.clone())),
                Op::ToReal => part(args[0], factor),
                Op::Mul => match (terms.number_value(args[0]), terms.number_value(args[1])) {
                    (Some(value), _) => part(args[1], factor * value),
                    (_, Some(value)) => part(args[0], factor * value),
                    _ => self.add_part(term, factor),
                },
                Op::Quotient => match terms.number_value(args[1]) {
                    Some(value) if *value != RBig::ZERO => part(args[0], factor / value),
                    _ => self.add_part(term, factor),
                },
                _ => self.add_part(term, factor),
            }
        }
    }

    fn add_part(&mut self, term: Term, factor: RBig) {
        let sum = self.parts.entry(term).or_insert(RBig::ZERO);
        *sum += factor;
        if *sum == RBig::ZERO {
            self.parts.remove(&term);
        }
    }

    fn add(&mut self, other: &Linear, factor: &RBig) {
        self.constant += &other.constant * factor;
        for (&term, part) in &other.parts {
            self.add_part(term, part * factor);
        }
    }
}

/// How a sum compares to zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    AtMost,
    Below,
    Equal,
}

/// That a sum is at most, below or equal to zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    pub sum: Linear,
    pub relation: Relation,
}

impl Constraint {
    /// What a formula about numbers says, or what its negation says; nothing if that is no constraint.
    pub fn of(terms: &Terms, formula: Term, holds: bool) -> Option<Constraint> {
        let &[a, b] = terms.args(formula) else {
            return None;
        };
        if !terms.sort(a).is_number() {
            return None;
        }
        let (less, more, relation) = match (terms.op(formula), holds) {
            (Op::Le, true) => (a, b, Relation::AtMost),
            (Op::Le, false) => (b, a, Relation::Below),
            (Op::Lt, true) => (a, b, Relation::Below),
            (Op::Lt, false) => (b, a, Relation::AtMost),
            (Op::Eq, true) => (a, b, Relation::Equal),
            _ => return None,
        };
        let mut sum = Linear::of(terms, less);
        sum.add_term(terms, more, RBig::NEG_ONE);
        Some(Constraint { sum, relation }.rounded(terms))
    }

    /// Of integers, the strongest constraint with integer factors that have no common divisor. Others stay as they are.
    pub fn rounded(mut self, terms: &Terms) -> Constraint {
        let whole = |term: &Term| *terms.sort(*term) == Sort::Int;
        if self.sum.parts.is_empty() || !self.sum.parts.keys().all(whole) {
            return self;
        }
        let scale = common_factor(self.sum.parts.values());
        for part in self.sum.parts.values_mut() {
            *part /= &scale;
        }
        self.sum.constant /= &scale;
        let constant = self.sum.constant.clone();
        match self.relation {
            // n + c <= 0 for a whole n: n + ceil(c) <= 0.
            Relation::AtMost => self.sum.constant = constant.ceil().into(),
            Relation::Below => {
                self.sum.constant = RBig::from(constant.floor()) + RBig::ONE;
                self.relation = Relation::AtMost;
            }
            Relation::Equal => {
                if !constant.is_int() {
                    // No whole number is a fraction.
                    self.sum = Linear {
                        constant: RBig::ONE,
                        parts: BTreeMap::new(),
                    };
                }
            }
        }
        self
    }

    /// Whether it cannot hold.
    pub fn is_contradiction(&self) -> bool {
        let constant = &self.sum.constant;
        self.sum.parts.is_empty()
            && match self.relation {
                Relation::AtMost => *constant > RBig::ZERO,
                Relation::Below => *constant >= RBig::ZERO,
                Relation::Equal => *constant != RBig::ZERO,
            }
    }
}

/// What all are integer multiples of, as large as can be.
fn common_factor<'a>(parts: impl Iterator<Item = &'a RBig>) -> RBig {
    let (mut numerator, mut denominator) = (UBig::ZERO, UBig::ONE);
    for part in parts {
        let (above, below) = (abs(part.numerator()), part.denominator());
        numerator = match numerator == UBig::ZERO {
            true => above,
            false => numerator.gcd(above),
        };
        let shared = (&denominator).gcd(below);
        denominator = denominator / shared * below;
    }
    RBig::from_parts(numerator.into(), denominator)
}

fn abs(number: &IBig) -> UBig {
    use dashu_int::ops::UnsignedAbs;
    number.unsigned_abs()
}

/// A sum of multiples of constraints: by their places, and by what.
pub type Combination = Vec<(usize, RBig)>;

/// Whether constraints cannot hold together. Each combination is one more constraint, rounded if it is of integers; the
/// last must be a contradiction.
pub fn refute(
    terms: &Terms,
    constraints: Vec<Constraint>,
    combinations: &[Combination],
) -> Result<(), Fault> {
    let mut known = constraints;
    for combination in combinations {
        let mut sum = Linear::default();
        let mut relation = Relation::Equal;
        for (place, factor) in combination {
            let constraint = known
                .get(*place)
                .ok_or_else(|| Fault::wrong("there is no such constraint"))?;
            if constraint.relation != Relation::Equal && *factor <= RBig::ZERO {
                return Err(Fault::wrong("the factor of an inequality must be positive"));
            }
            relation = match (relation, constraint.relation) {
                (Relation::Below, _) | (_, Relation::Below) => Relation::Below,
                (Relation::AtMost, _) | (_, Relation::AtMost) => Relation::AtMost,
                _ => Relation::Equal,
            };
            sum.add(&constraint.sum, factor);
        }
        known.push(Constraint { sum, relation }.rounded(terms));
    }
    match known.last() {
        Some(last) if !combinations.is_empty() && last.is_contradiction() => Ok(()),
        _ => Err(Fault::wrong(
            "the sum of the constraints is no contradiction",
        )),
    }
}
