//! Arithmetic atoms: a variable of the simplex, compared with a number, and the literal that says so.
//!
//! A sum that is compared is divided by the greatest common divisor of its coefficients and has a positive first one,
//! so that all comparisons of the same sum, or of its multiples, are bounds on one variable. Integer bounds are
//! rounded. Equal atoms have one literal.

use refrain_sat::Lit;
use refrain_term::Rational;
use rustc_hash::FxHashMap;

use super::delta::Delta;
use super::simplex::{Side, Simplex, Sum, Var};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AtomId(u32);

impl AtomId {
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How an atom compares its variable with its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Relation {
    AtMost,
    /// Over the reals only: over the integers, below is at most one less.
    Below,
    Equal,
}

pub struct Atom {
    pub var: Var,
    pub relation: Relation,
    pub number: Rational,
    /// True if the atom holds.
    pub lit: Lit,
}

/// The meaning of a literal: bounds, or for a negated equation none.
pub type Bounds = [Option<(Side, Delta)>; 2];

impl Atom {
    /// The bounds that the atom, or its negation, puts on its variable.
    pub fn bounds(&self, holds: bool, integer: bool) -> Bounds {
        let number = &self.number;
        let plain = || Delta::from(number.clone());
        match (self.relation, holds) {
            (Relation::AtMost, true) => [Some((Side::Upper, plain())), None],
            (Relation::AtMost, false) if integer => {
                let next = Delta::from(number + &Rational::ONE);
                [Some((Side::Lower, next)), None]
            }
            (Relation::AtMost, false) => [Some((Side::Lower, Delta::new(number.clone(), 1))), None],
            (Relation::Below, true) => [Some((Side::Upper, Delta::new(number.clone(), -1))), None],
            (Relation::Below, false) => [Some((Side::Lower, plain())), None],
            (Relation::Equal, true) => [Some((Side::Lower, plain())), Some((Side::Upper, plain()))],
            (Relation::Equal, false) => [None, None],
        }
    }
}

/// `constant + Σ coefficient * variable`; each variable once.
#[derive(Clone, Debug, Default)]
pub struct Form {
    pub constant: Rational,
    pub terms: Vec<(Var, Rational)>,
}

impl Form {
    /// Adds `factor * var`.
    pub fn add(&mut self, factor: &Rational, var: Var) {
        match self.terms.iter_mut().find(|(other, _)| *other == var) {
            Some((_, sum)) => *sum += factor,
            None => self.terms.push((var, factor.clone())),
        }
    }

    /// Adds `factor * other`.
    pub fn add_form(&mut self, factor: &Rational, other: &Form) {
        self.constant.add_mul(factor, &other.constant);
        for (var, coefficient) in &other.terms {
            self.add(&(factor * coefficient), *var);
        }
    }

    /// What tells forms apart, whatever the order of their terms.
    pub fn key(&self) -> FormKey {
        let mut terms = self.terms.clone();
        terms.retain(|(_, coefficient)| !coefficient.is_zero());
        terms.sort_unstable_by_key(|(var, _)| *var);
        (self.constant.clone(), terms.into())
    }

    pub fn minus(mut self, other: &Form) -> Form {
        self.add_form(&Rational::MINUS_ONE, other);
        self
    }

    /// Whether it is an integer wherever its variables are.
    pub fn is_integral(&self) -> bool {
        let mut numbers = self.terms.iter().map(|(_, coefficient)| coefficient);
        self.constant.is_integer() && numbers.all(Rational::is_integer)
    }

    pub fn times(&self, factor: &Rational) -> Form {
        let mut form = Form::default();
        form.add_form(factor, self);
        form
    }
}

/// A form with its terms in order.
pub type FormKey = (Rational, Sum);

impl From<Var> for Form {
    fn from(var: Var) -> Form {
        Form {
            constant: Rational::ZERO,
            terms: vec![(var, Rational::ONE)],
        }
    }
}

/// A comparison in normal form: known, or a literal, as it stands or negated.
pub enum Comparison {
    Known(bool),
    /// The variable, how it is compared, and whether the atom is to be negated.
    Atom(Var, Relation, Rational, bool),
}

#[derive(Default)]
pub struct Atoms {
    atoms: Vec<Atom>,
    ids: FxHashMap<(Var, Relation, Rational), AtomId>,
    /// By index of the SAT variable: the atom, plus one.
    by_sat: Vec<u32>,
    /// By variable: the atoms that compare it, in the order of their numbers.
    by_var: Vec<Vec<AtomId>>,
    sums: FxHashMap<Sum, Var>,
}

impl Atoms {
    #[inline]
    pub fn get(&self, id: AtomId) -> &Atom {
        &self.atoms[id.index()]
    }

    pub fn len(&self) -> usize {
        self.atoms.len()
    }

    /// The atom of a SAT variable.
    #[inline]
    pub fn of(&self, var: refrain_sat::Var) -> Option<AtomId> {
        match self.by_sat.get(var.index()) {
            None | Some(0) => None,
            Some(id) => Some(AtomId(id - 1)),
        }
    }

    /// The atoms that compare a variable, in the order of their numbers.
    #[inline]
    pub fn all_about(&self, var: Var) -> &[AtomId] {
        self.by_var.get(var.index()).map_or(&[], |atoms| atoms)
    }

    /// The atoms that compare a variable with a number below `number`, and the others; each in the order of their
    /// numbers.
    pub fn around(&self, var: Var, number: &Rational) -> (&[AtomId], &[AtomId]) {
        let atoms = self.all_about(var);
        atoms.split_at(atoms.partition_point(|&atom| self.get(atom).number < *number))
    }

    /// The atom of a comparison; `fresh` makes the literal of a new one.
    pub fn intern(
        &mut self,
        var: Var,
        relation: Relation,
        number: Rational,
        fresh: impl FnOnce() -> Lit,
    ) -> AtomId {
        let key = (var, relation, number);
        if let Some(&known) = self.ids.get(&key) {
            return known;
        }
        let id = AtomId(self.atoms.len() as u32);
        let lit = fresh();
        self.atoms.push(Atom {
            var,
            relation,
            number: key.2.clone(),
            lit,
        });
        self.ids.insert(key, id);
        let at = lit.var().index();
        if self.by_sat.len() <= at {
            self.by_sat.resize(at + 1, 0);
        }
        self.by_sat[at] = id.0 + 1;
        if self.by_var.len() <= var.index() {
            self.by_var.resize_with(var.index() + 1, Vec::new);
        }
        let atoms = &self.atoms;
        let order = &mut self.by_var[var.index()];
        let number = &atoms[id.index()].number;
        let place = order.partition_point(|other| atoms[other.index()].number <= *number);
        order.insert(place, id);
        id
    }

    /// The variable that a sum is a multiple of, and the factor. `None` if the sum is empty.
    fn variable(&mut self, simplex: &mut Simplex, form: &Form) -> Option<(Var, Rational)> {
        let mut terms: Vec<(Var, Rational)> = form
            .terms
            .iter()
            .filter(|(_, coefficient)| !coefficient.is_zero())
            .cloned()
            .collect();
        if let [(var, factor)] = &terms[..] {
            return Some((*var, factor.clone()));
        }
        terms.sort_unstable_by_key(|(var, _)| *var);
        let first_sign = terms.first()?.1.signum();
        let denominator = terms.iter().fold(Rational::ONE, |multiple, (_, c)| {
            multiple.lcm(&c.denominator())
        });
        let numerator = terms.iter().fold(Rational::ZERO, |divisor, (_, c)| {
            divisor.gcd(&(c * &denominator))
        });
        let mut factor = &numerator / &denominator;
        if first_sign < 0 {
            factor = -factor;
        }
        if !factor.is_one() {
            for (_, coefficient) in &mut terms {
                *coefficient = &*coefficient / &factor;
            }
        }
        let sum: Sum = terms.into();
        let var = match self.sums.get(&sum) {
            Some(&var) => var,
            None => {
                let var = simplex.new_sum(sum.clone());
                self.sums.insert(sum, var);
                var
            }
        };
        Some((var, factor))
    }

    /// `form <= 0`, or `form < 0`.
    pub fn at_most_zero(&mut self, simplex: &mut Simplex, form: &Form, strict: bool) -> Comparison {
        let Some((var, factor)) = self.variable(simplex, form) else {
            return Comparison::Known(match form.constant.signum() {
                0 => !strict,
                sign => sign < 0,
            });
        };
        let number = -&(&form.constant / &factor);
        match (factor.is_positive(), simplex.is_integer(var)) {
            (true, true) => {
                let number = if strict {
                    &number.ceil() - &Rational::ONE
                } else {
                    number.floor()
                };
                Comparison::Atom(var, Relation::AtMost, number, false)
            }
            (true, false) => {
                let relation = if strict {
                    Relation::Below
                } else {
                    Relation::AtMost
                };
                Comparison::Atom(var, relation, number, false)
            }
            // var >= number is not var <= number - 1.
            (false, true) => {
                let number = if strict {
                    number.floor()
                } else {
                    &number.ceil() - &Rational::ONE
                };
                Comparison::Atom(var, Relation::AtMost, number, true)
            }
            (false, false) => {
                let relation = if strict {
                    Relation::AtMost
                } else {
                    Relation::Below
                };
                Comparison::Atom(var, relation, number, true)
            }
        }
    }

    /// `form = 0`.
    pub fn equals_zero(&mut self, simplex: &mut Simplex, form: &Form) -> Comparison {
        let Some((var, factor)) = self.variable(simplex, form) else {
            return Comparison::Known(form.constant.is_zero());
        };
        let number = -&(&form.constant / &factor);
        if simplex.is_integer(var) && !number.is_integer() {
            return Comparison::Known(false);
        }
        Comparison::Atom(var, Relation::Equal, number, false)
    }
}

#[cfg(test)]
mod tests;
