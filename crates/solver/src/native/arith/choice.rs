//! Choices between numbers: `ite`.
//!
//! A choice is a variable that is equal to the one or the other, as the condition says. That alone would leave it
//! free until the condition is decided; so what is true of it in any case is said too: the bounds that both branches
//! have, and that a minimum is at most, a maximum at least, each of the two.

use refrain_sat::Lit;
use refrain_term::{Op, Rational, Sort, Term, Terms};

use super::atoms::Form;
use super::{Arith, Definition, Gates};

/// The bounds of a number, where it has any.
pub type Range = [Option<Rational>; 2];

/// How the condition of a choice relates to its branches.
enum Extreme {
    Smallest,
    Largest,
}

impl Arith {
    /// Says what an `ite` between numbers is: whichever the condition picks.
    pub fn define_ite(&mut self, terms: &Terms, gates: &mut Gates, term: Term, condition: Lit) {
        let var = self.var(terms, term);
        let own = Form::from(var);
        let branches = [1, 2].map(|place| self.form(terms, terms.arg(term, place)));
        let mut definition = Definition::default();
        for (branch, premise) in branches.iter().zip([condition, !condition]) {
            let equal = self.equals_zero(gates, &own.clone().minus(branch));
            self.define(gates, &mut definition, &[!premise, equal]);
        }
        let range = self.common_range(&branches);
        for (bound, sign) in range.iter().zip([Rational::MINUS_ONE, Rational::ONE]) {
            if let Some(bound) = bound {
                // bound - own <= 0 for the lower one, own - bound <= 0 for the upper.
                let mut form = own.times(&sign);
                form.constant.add_mul(&-&sign, bound);
                self.define_fact(gates, &mut definition, &form);
            }
        }
        if let Some(extreme) = self.extreme(terms, terms.arg(term, 0), &branches) {
            for branch in &branches {
                let form = match extreme {
                    Extreme::Smallest => own.clone().minus(branch),
                    Extreme::Largest => branch.clone().minus(&own),
                };
                self.define_fact(gates, &mut definition, &form);
            }
        }
        self.ranges.insert(var, range);
        self.definitions.insert(term, definition);
    }

    /// Says that a form is never positive.
    fn define_fact(&mut self, gates: &mut Gates, definition: &mut Definition, form: &Form) {
        let fact = self.at_most_zero(gates, form, false);
        self.define(gates, definition, &[fact]);
    }

    /// The bounds that two forms have in common.
    fn common_range(&self, branches: &[Form; 2]) -> Range {
        let [a, b] = [self.range(&branches[0]), self.range(&branches[1])];
        let both = |place: usize| a[place].clone().zip(b[place].clone());
        [
            both(0).map(|(x, y)| x.min(y)),
            both(1).map(|(x, y)| x.max(y)),
        ]
    }

    /// The bounds of a form, from those that its variables have by definition.
    fn range(&self, form: &Form) -> Range {
        let mut range = [Some(form.constant.clone()), Some(form.constant.clone())];
        for (var, coefficient) in &form.terms {
            let own = self.ranges.get(var);
            for (place, bound) in range.iter_mut().enumerate() {
                let side = if coefficient.is_negative() {
                    1 - place
                } else {
                    place
                };
                let part = own.and_then(|own| own[side].as_ref());
                *bound = bound.take().zip(part).map(|(mut sum, part)| {
                    sum.add_mul(coefficient, part);
                    sum
                });
            }
        }
        range
    }

    /// Whether a choice is the smaller or the larger of its branches, whatever they are.
    fn extreme(&mut self, terms: &Terms, condition: Term, branches: &[Form; 2]) -> Option<Extreme> {
        let (comparison, positive) = match terms.op(condition) {
            Op::Not => (terms.arg(condition, 0), false),
            _ => (condition, true),
        };
        if !matches!(terms.op(comparison), Op::Le | Op::Lt) {
            return None;
        }
        let bound = self.form(terms, terms.arg(comparison, 1));
        let compared = self.form(terms, terms.arg(comparison, 0)).minus(&bound);
        let difference = branches[0].clone().minus(&branches[1]);
        let ratio = ratio(&compared, &difference)?;
        // The comparison holds where ratio * (a - b) is at most `limit`, and fails where it is at least `beyond`.
        let mut limit = -&compared.constant;
        limit.add_mul(&ratio, &difference.constant);
        let mut beyond = limit.clone();
        let is_integer = terms.sort(terms.arg(comparison, 0)) == Sort::Int;
        if is_integer && compared.is_integral() {
            beyond += &Rational::ONE;
        }
        if limit.is_positive() || beyond.is_negative() {
            return None;
        }
        // Where it holds, ratio * (a - b) <= 0, and a is chosen unless the condition is its negation.
        Some(if ratio.is_positive() == positive {
            Extreme::Smallest
        } else {
            Extreme::Largest
        })
    }
}

/// The number that makes the terms of one form those of another, if there is one.
fn ratio(form: &Form, other: &Form) -> Option<Rational> {
    let (form, other) = (form.key().1, other.key().1);
    if form.len() != other.len() {
        return None;
    }
    let ratio = &form.first()?.1 / &other.first()?.1;
    let agrees = |((a, x), (b, y)): (&(_, Rational), &(_, Rational))| a == b && *x == &ratio * y;
    form.iter().zip(&other).all(agrees).then_some(ratio)
}
