//! Gomory's mixed integer cuts: inequalities that every integer point satisfies and the present vertex does not.

use refrain_sat::{Lemmas, Lit, TrailView};
use refrain_term::Rational;

use super::Arith;
use super::atoms::{Comparison, Form};
use super::simplex::Var;

/// How many cuts are made at a time.
const CUTS: usize = 3;

/// Cuts with more variables or larger numbers are more trouble than they are worth.
const MAX_CUT_TERMS: usize = 24;

impl Arith {
    /// Gomory's mixed integer cuts from the rows of some fractional variables. Returns whether there was one.
    pub(super) fn cut(
        &mut self,
        fractional: &[Var],
        trail: &TrailView<'_>,
        lemmas: &mut Lemmas,
    ) -> bool {
        let mut made = 0;
        for &var in fractional {
            if made == CUTS {
                break;
            }
            let Some((form, mut clause)) = self.gomory(var) else {
                continue;
            };
            let comparison = self.atoms.at_most_zero(&mut self.simplex, &form, false);
            match comparison {
                Comparison::Known(true) => continue,
                Comparison::Known(false) => {}
                Comparison::Atom(var, relation, number, negated) => {
                    let lit = self.relevant_atom(var, relation, number, trail, lemmas);
                    clause.push(if negated { !lit } else { lit });
                }
            }
            lemmas.learn(&clause);
            made += 1;
        }
        made > 0
    }

    /// The cut of a fractional basic variable: a form that is at most zero at all integer points, and negated reasons
    /// why.
    fn gomory(&self, var: Var) -> Option<(Form, Vec<Lit>)> {
        let row = self.simplex.row_of(var)?;
        if row.entries.len() > MAX_CUT_TERMS {
            return None;
        }
        let value = self.simplex.value(var);
        // Next to an integer there is no fraction to cut at.
        if !value.infinitesimal.is_zero() {
            return None;
        }
        let value = value.standard;
        let fraction = &value - &value.floor();
        let rest = &Rational::ONE - &fraction;
        let mut clause = Vec::new();
        // 1 - Σ factor * (distance from the bound) <= 0.
        let mut cut = Form {
            constant: Rational::ONE,
            terms: Vec::new(),
        };
        for (entry, factor) in &row.entries {
            let coefficient = &(factor / &row.scale);
            let at = self.simplex.value(*entry);
            if !at.infinitesimal.is_zero() {
                return None;
            }
            let lower = self.simplex.lower(*entry).filter(|b| b.value == at);
            let upper = self.simplex.upper(*entry).filter(|b| b.value == at);
            let (bound, is_lower) = match (lower, upper) {
                (Some(bound), _) => (bound, true),
                (None, Some(bound)) => (bound, false),
                (None, None) => return None,
            };
            clause.push(!bound.reason);
            if self.simplex.fixed(*entry).is_some() {
                // It stays where it is: no distance. Both bounds are why.
                clause.extend(upper.map(|bound| !bound.reason));
                continue;
            }
            let factor = gomory_factor(
                coefficient,
                is_lower,
                self.simplex.is_integer(*entry),
                &fraction,
                &rest,
            );
            if factor.is_zero() {
                continue;
            }
            // The distance is entry - lower, or upper - entry.
            let sign = if is_lower { -&factor } else { factor.clone() };
            match self.simplex.definition(*entry) {
                Some(sum) => {
                    for (part, inner) in sum {
                        cut.add(&(&sign * inner), *part);
                    }
                }
                None => cut.add(&sign, *entry),
            }
            cut.constant.add_mul(&-&sign, &at.standard);
        }
        let is_small = |number: &Rational| {
            let limit = 1i64 << 40;
            let fits = |part: Rational| part.to_i64().is_some_and(|part| part.abs() < limit);
            fits(number.numerator()) && fits(number.denominator())
        };
        let all_small =
            is_small(&cut.constant) && cut.terms.iter().all(|(_, number)| is_small(number));
        all_small.then_some((cut, clause))
    }
}

/// How much a unit of distance of an entry from its bound counts in a cut.
fn gomory_factor(
    coefficient: &Rational,
    is_lower: bool,
    is_integer: bool,
    fraction: &Rational,
    rest: &Rational,
) -> Rational {
    // Towards larger values of the basic variable what is missing is `rest`, towards smaller ones `fraction`.
    let (same, opposite) = if is_lower {
        (rest, fraction)
    } else {
        (fraction, rest)
    };
    if is_integer {
        let own = coefficient - &coefficient.floor();
        if own <= *same {
            &own / same
        } else {
            &(&Rational::ONE - &own) / opposite
        }
    } else if coefficient.is_negative() {
        &-coefficient / opposite
    } else {
        coefficient / same
    }
}
