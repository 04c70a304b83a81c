//! What formulas that hold together say of single terms: bounds, and which comparisons these decide.

use refrain_path::simplify::bounds::Bounds;
use refrain_term::value::mask;
use refrain_term::{Op, Term, Terms};
use rustc_hash::FxHashMap;

use super::polynomial::Range;

/// How many steps forms may take in all.
const STEPS: usize = 1 << 18;

/// Bounds of terms, and truths of formulas, under what formulas say.
pub struct Context {
    /// What formulas say of terms, each with the place of the formula.
    said: FxHashMap<Term, Vec<(Bounds, usize)>>,
    bounds: FxHashMap<Term, Bounds>,
    truths: FxHashMap<Term, bool>,
    steps: usize,
}

impl Context {
    /// Of formulas that hold; nothing is known of any term before its bounds are noted.
    pub fn new(terms: &Terms, formulas: &[Term]) -> Context {
        let mut context = Context {
            said: FxHashMap::default(),
            bounds: FxHashMap::default(),
            truths: FxHashMap::default(),
            steps: STEPS,
        };
        for (place, &formula) in formulas.iter().enumerate() {
            context.learn(terms, formula, place);
        }
        context
    }

    /// Counts work. Returns whether there may be more.
    pub fn spend(&mut self, steps: usize) -> bool {
        self.steps = self.steps.saturating_sub(steps);
        self.steps > 0
    }

    /// The formulas that say something of a term.
    pub fn sources(&self, term: Term) -> impl Iterator<Item = usize> {
        let said = self.said.get(&term).into_iter().flatten();
        said.map(|&(_, place)| place)
    }

    fn learn(&mut self, terms: &Terms, formula: Term, place: usize) {
        let (atom, holds) = match terms.op(formula) {
            Op::Not => (terms.arg(formula, 0), false),
            _ => (formula, true),
        };
        if !matches!(terms.op(atom), Op::Eq | Op::BvUlt | Op::BvSlt) {
            return;
        }
        let (a, b) = (terms.arg(atom, 0), terms.arg(atom, 1));
        let Some(width) = terms.sort(a).width().filter(|&width| width <= 64) else {
            return;
        };
        let (term, value, is_first) = match (terms.small_value(a), terms.small_value(b)) {
            (None, Some(value)) => (a, value, true),
            (Some(value), None) => (b, value, false),
            _ => return,
        };
        let all = mask(width);
        // Where signs are not known, what is below a positive number may be negative.
        let sign = 1u64 << (width - 1);
        let range = match (terms.op(atom), holds, is_first) {
            (Op::Eq, true, _) => Some((value, value)),
            (Op::Eq, false, _) if value == 0 => Some((1, all)),
            (Op::Eq, false, _) if value == all => Some((0, all - 1)),
            (Op::BvUlt, true, true) => value.checked_sub(1).map(|most| (0, most)),
            (Op::BvUlt, false, true) => Some((value, all)),
            (Op::BvUlt, true, false) => (value < all).then(|| (value + 1, all)),
            (Op::BvUlt, false, false) => Some((0, value)),
            // Not negative, or even larger: `-1 < x`, and not `x < 0`.
            (Op::BvSlt, true, false) if value == all => Some((0, sign - 1)),
            (Op::BvSlt, true, false) if value < sign - 1 => Some((value + 1, sign - 1)),
            (Op::BvSlt, false, true) if value < sign => Some((value, sign - 1)),
            _ => None,
        };
        if let Some((min, max)) = range.filter(|(min, max)| min <= max) {
            self.say(terms, term, Bounds::from_range(width, min, max), place);
        }
    }

    /// Notes bounds of a term, and what they mean for what it is made of.
    fn say(&mut self, terms: &Terms, term: Term, bounds: Bounds, place: usize) {
        let (mut term, mut bounds) = (term, bounds);
        loop {
            self.said.entry(term).or_default().push((bounds, place));
            let Some(&inner) = terms.args(term).first() else {
                return;
            };
            let Some(width) = terms.sort(inner).width().filter(|&width| width <= 64) else {
                return;
            };
            let (min, max) = (u128::from(bounds.min), u128::from(bounds.max));
            let all = u128::from(mask(width));
            let (next, (min, max)) = match terms.op(term) {
                Op::Concat if terms.small_value(inner) == Some(0) => {
                    let low = terms.arg(term, 1);
                    let all = u128::from(mask(terms.width(low)));
                    (low, (min, max.min(all)))
                }
                // The highest bits of a number.
                Op::Extract { lo } if lo + terms.width(term) == width => {
                    (inner, (min << lo, (max << lo) + (1 << lo) - 1))
                }
                Op::BvUdiv => match terms.small_value(terms.arg(term, 1)) {
                    Some(divisor @ 1..) => {
                        let divisor = u128::from(divisor);
                        (inner, (min * divisor, max * divisor + divisor - 1))
                    }
                    _ => return,
                },
                _ => return,
            };
            let max = max.min(if next == inner { all } else { max });
            // A contradiction is left to where the bounds of the term itself are noted.
            if min > max || max > u128::from(mask(terms.width(next))) {
                return;
            }
            bounds = Bounds::from_range(terms.width(next), min as u64, max as u64);
            term = next;
        }
    }

    /// Notes the bounds of a term whose operands have been noted. Returns whether a value is left for it.
    pub fn note(&mut self, terms: &Terms, term: Term) -> bool {
        let Some(width) = terms.sort(term).width().filter(|&width| width <= 64) else {
            return true;
        };
        let chosen = match terms.op(term) {
            Op::Ite => self.truth(terms.arg(term, 0)),
            _ => None,
        };
        let mut bounds = match chosen {
            Some(truth) => self.bounds(terms, terms.arg(term, if truth { 1 } else { 2 })),
            None => Bounds::of_operator(terms, term, width, |index| {
                let operand = terms.arg(term, index);
                let width = terms.sort(operand).width()?;
                (width <= 64).then(|| self.bounds(terms, operand))
            }),
        };
        for (said, _) in self.said.get(&term).into_iter().flatten() {
            match bounds.meet(said) {
                Some(met) => bounds = met,
                None => return false,
            }
        }
        self.bounds.insert(term, bounds);
        true
    }

    /// The bounds of a bit-vector of at most 64 bits.
    pub fn bounds(&self, terms: &Terms, term: Term) -> Bounds {
        let width = terms.width(term);
        let known = self.bounds.get(&term).copied();
        known.unwrap_or_else(|| match terms.small_value(term) {
            Some(value) => Bounds::exactly(width, value),
            None => Bounds::any(width),
        })
    }

    pub fn range(&self, terms: &Terms, term: Term) -> Range {
        let bounds = self.bounds(terms, term);
        Range::new(i128::from(bounds.min), i128::from(bounds.max))
    }

    /// Whether a term is negative, if that is known.
    pub fn sign(&self, terms: &Terms, term: Term) -> Option<bool> {
        let bounds = self.bounds(terms, term);
        let sign = 1u64 << (bounds.width - 1);
        match (bounds.zeros & sign != 0, bounds.ones & sign != 0) {
            (true, _) => Some(false),
            (_, true) => Some(true),
            _ => None,
        }
    }

    /// Whether two terms of at most 64 bits never have a bit in common.
    pub fn are_disjoint(&self, terms: &Terms, a: Term, b: Term) -> bool {
        let is_narrow = terms.width(a) <= 64;
        is_narrow && !self.bounds(terms, a).zeros & !self.bounds(terms, b).zeros == 0
    }

    /// The truth of a formula, if it is known.
    pub fn truth(&self, formula: Term) -> Option<bool> {
        match formula {
            Term::TRUE => Some(true),
            Term::FALSE => Some(false),
            _ => self.truths.get(&formula).copied(),
        }
    }

    pub fn decide(&mut self, formula: Term, truth: bool) {
        self.truths.insert(formula, truth);
    }
}
