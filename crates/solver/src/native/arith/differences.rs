//! What must differ: equations that are false, split only where the assignment makes them true, and the number that
//! the infinitesimal stands for.

use refrain_sat::{Lemmas, TrailView};
use refrain_term::Rational;

use super::Arith;
use super::atoms::{Form, Relation};

impl Arith {
    /// The number that a form is equal to.
    pub(super) fn value_of(&self, form: &Form) -> Rational {
        let mut value = form.constant.clone();
        for (var, coefficient) in &form.terms {
            value.add_mul(coefficient, &self.simplex.value(*var).at(&self.delta));
        }
        value
    }

    /// Chooses a positive number for the infinitesimal, small enough for all bounds, and such that what must differ
    /// does.
    pub(super) fn choose_delta(&mut self) {
        let mut delta = Rational::ONE;
        for &var in &self.follower.relevant_vars {
            if self.simplex.is_dormant(var) {
                continue;
            }
            let value = &self.simplex.value(var);
            let lower = self.simplex.lower(var).map(|bound| (&bound.value, value));
            let upper = self.simplex.upper(var).map(|bound| (value, &bound.value));
            for (low, high) in lower.into_iter().chain(upper) {
                // low.standard + low.infinitesimal * δ <= high.standard + high.infinitesimal * δ.
                if low.infinitesimal > high.infinitesimal {
                    let room = &high.standard - &low.standard;
                    let excess = &low.infinitesimal - &high.infinitesimal;
                    delta = delta.min(&room / &excess);
                }
            }
        }
        let differs = |delta: &Rational| {
            self.follower.different.iter().all(|(_, id)| {
                let atom = self.atoms.get(*id);
                !self.follower.is_relevant(*id)
                    || self.simplex.present(atom.var).at(delta) != atom.number
            })
        };
        let half = Rational::new(1, 2);
        while !differs(&delta) {
            delta = &delta * &half;
        }
        self.delta = delta;
    }

    /// Whether all equations that must be false are.
    pub(super) fn differences_hold(&self) -> bool {
        self.follower.different.iter().all(|(_, id)| {
            let atom = self.atoms.get(*id);
            !self.follower.is_relevant(*id)
                || self.simplex.present(atom.var).standard != atom.number
        })
    }

    /// Clauses for the first equation that must be false and is true: one side or the other.
    pub(super) fn split_difference(&mut self, trail: &TrailView<'_>, lemmas: &mut Lemmas) -> bool {
        let Arith {
            simplex,
            atoms,
            follower,
            ..
        } = self;
        let different = follower.different.iter().map(|&(_, id)| id);
        let equal = different
            .filter(|&id| follower.is_relevant(id))
            .find(|&id| {
                let atom = atoms.get(id);
                let value = simplex.present(atom.var);
                value.infinitesimal.is_zero() && value.standard == atom.number
            });
        let Some(id) = equal else {
            return false;
        };
        let atom = self.atoms.get(id);
        let (var, number, equal) = (atom.var, atom.number.clone(), atom.lit);
        let at_most = self.relevant_atom(var, Relation::AtMost, number.clone(), trail, lemmas);
        let below = if self.simplex.is_integer(var) {
            let less = &number - &Rational::ONE;
            self.relevant_atom(var, Relation::AtMost, less, trail, lemmas)
        } else {
            self.relevant_atom(var, Relation::Below, number, trail, lemmas)
        };
        lemmas.keep(&[equal, !at_most, below]);
        lemmas.keep(&[!equal, at_most]);
        lemmas.keep(&[!equal, !below]);
        lemmas.branch(below);
        true
    }
}
