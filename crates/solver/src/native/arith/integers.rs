//! From rational to integer solutions.
//!
//! A vertex of the simplex with fractional integers is no answer. In this order: equations are solved over the
//! integers, which finds conflicts of parity and the like that no amount of branching would, and tightens bounds of
//! sums that can only take every so-many-th value; Gomory's cuts take off the vertex where they can; and a variable
//! is branched on, by deciding on an atom `x <= k`.

use refrain_sat::{Lemmas, Lit, TrailView};
use refrain_term::Rational;

use super::Arith;
use super::atoms::Relation;
use super::equations::{Affine, Budget, Equations};
use super::simplex::{Side, Var};
use super::theory::{Step, refuting};
use crate::{Limits, Reason};

/// Every so many branches the equations are looked at, and cuts are made.
const BRANCHES_BETWEEN_EQUATIONS: u32 = 8;
const BRANCHES_BETWEEN_CUTS: u32 = 4;

/// After so many branches unbounded variables are kept in a box, which doubles every so many branches.
const BRANCHES_BEFORE_BOX: u32 = 12;
const BRANCHES_PER_BOX: u32 = 100;

impl Arith {
    /// What has to be done for the integers to be integers; `None` if they are.
    pub(super) fn make_integral(
        &mut self,
        trail: &TrailView<'_>,
        lemmas: &mut Lemmas,
        limits: &Limits,
    ) -> Option<Step> {
        if self.round_free_variables() {
            return Some(Step::Again);
        }
        let fractional = self.patch(self.fractional());
        if fractional.is_empty() {
            return None;
        }
        if let Some(reason) = limits.exceeded() {
            self.give_up(reason);
            return Some(Step::GiveUp);
        }
        let round = self.follower.branches;
        self.follower.branches += 1;
        // A branch costs as much as a conflict, and may lead to none.
        if limits.conflicts.is_some_and(|most| u64::from(round) > most) {
            self.give_up(Reason::Conflicts);
            return Some(Step::GiveUp);
        }
        if round.is_multiple_of(BRANCHES_BETWEEN_EQUATIONS)
            && self.solve_equations(trail, lemmas, limits)
        {
            return Some(Step::Refine);
        }
        if round % BRANCHES_BETWEEN_CUTS == 1 && self.cut(&fractional, trail, lemmas) {
            return Some(Step::Refine);
        }
        if round < BRANCHES_BEFORE_BOX || !self.branch_into_box(round, trail, lemmas) {
            self.branch(&fractional, trail, lemmas);
        }
        Some(Step::Refine)
    }

    /// Decides that an unbounded variable is not far from where it is. Branching alone can follow an unbounded
    /// direction for ever; in a box it ends, and if it finds nothing there, a larger box is next.
    fn branch_into_box(&mut self, round: u32, trail: &TrailView<'_>, lemmas: &mut Lemmas) -> bool {
        let doublings = (round / BRANCHES_PER_BOX).min(40);
        let reach = Rational::from(32 << doublings);
        let unbounded = self.follower.relevant_vars.iter().copied().find_map(|var| {
            if !self.simplex.is_integer(var) || self.simplex.definition(var).is_some() {
                return None;
            }
            match (self.simplex.lower(var), self.simplex.upper(var)) {
                (Some(_), Some(_)) => None,
                (_, None) => Some((var, Side::Upper)),
                (None, _) => Some((var, Side::Lower)),
            }
        });
        let Some((var, side)) = unbounded else {
            return false;
        };
        let center = self.simplex.value(var).standard.round();
        let branch = match side {
            Side::Upper => {
                let most = &center + &reach;
                self.relevant_atom(var, Relation::AtMost, most, trail, lemmas)
            }
            Side::Lower => {
                let least = &center - &reach;
                !self.relevant_atom(var, Relation::AtMost, least, trail, lemmas)
            }
        };
        lemmas.branch(branch);
        true
    }

    /// Moves variables that are free to be anything to integers. Returns whether any value has changed.
    fn round_free_variables(&mut self) -> bool {
        let mut changed = false;
        for place in 0..self.follower.relevant_vars.len() {
            let var = self.follower.relevant_vars[place];
            if self.is_fractional(var) && self.simplex.row_of(var).is_none() {
                // Bounds of integers are integers: rounding stays within them.
                let rounded = self.simplex.value(var).standard.round();
                self.simplex.update(var, rounded.into());
                changed = true;
            }
        }
        changed
    }

    fn is_fractional(&self, var: Var) -> bool {
        self.simplex.is_integer(var)
            && self.simplex.definition(var).is_none()
            && !self.simplex.is_at_integer(var)
    }

    fn fractional(&self) -> Vec<Var> {
        let vars = self.follower.relevant_vars.iter().copied();
        vars.filter(|&var| self.is_fractional(var)).collect()
    }

    /// Makes fractional variables integers by moving one that is not basic, where that spoils nothing. Returns those
    /// that are left.
    fn patch(&mut self, mut fractional: Vec<Var>) -> Vec<Var> {
        let mut place = 0;
        while let Some(&var) = fractional.get(place) {
            match self.patching_move(var) {
                Some((moved, value)) => {
                    self.simplex.update(moved, value.into());
                    fractional.retain(|&var| self.is_fractional(var));
                }
                None => place += 1,
            }
        }
        fractional
    }

    /// A variable that is not basic, and an integer value for it that makes `var` an integer and keeps all others
    /// within their bounds, and integers if they are.
    fn patching_move(&self, var: Var) -> Option<(Var, Rational)> {
        let row = self.simplex.row_of(var)?;
        if !row.total.infinitesimal.is_zero() {
            return None;
        }
        // Beyond machine integers the steps would be too many to be of use, and costly to find.
        let (total, scale) = (row.total.standard.to_i64()?, row.scale.to_i64()?);
        row.entries.iter().find_map(|(entry, factor)| {
            if !self.simplex.is_integer(*entry) || self.simplex.fixed(*entry).is_some() {
                return None;
            }
            let steps = integral_steps(total, factor.to_i64()?, scale)?;
            steps.into_iter().map(Rational::from).find_map(|by| {
                let spoils_nothing = self.simplex.allows_shift(*entry, &by);
                spoils_nothing.then(|| (*entry, &self.simplex.value(*entry).standard + &by))
            })
        })
    }

    /// Decides on one side or the other of a fractional value; of the variable with the fewest values left, where any
    /// is bounded.
    fn branch(&mut self, fractional: &[Var], trail: &TrailView<'_>, lemmas: &mut Lemmas) {
        let room = |var: &Var| {
            let (lower, upper) = (self.simplex.lower(*var), self.simplex.upper(*var));
            match (lower, upper) {
                (Some(lower), Some(upper)) => {
                    (0, &upper.value.standard - &lower.value.standard, *var)
                }
                _ => (1, Rational::ZERO, *var),
            }
        };
        let var = *fractional.iter().min_by_key(|var| room(var)).expect("some");
        let value = self.simplex.value(var);
        let below = value.floor();
        let is_closer_below = &value.standard - &below <= Rational::new(1, 2);
        let lit = self.relevant_atom(var, Relation::AtMost, below, trail, lemmas);
        lemmas.branch(if is_closer_below { lit } else { !lit });
    }

    /// Solves the equations among the bounds over the integers. Returns whether that gave a lemma.
    fn solve_equations(
        &mut self,
        trail: &TrailView<'_>,
        lemmas: &mut Lemmas,
        limits: &Limits,
    ) -> bool {
        let vars: Vec<Var> = self
            .follower
            .relevant_vars
            .iter()
            .copied()
            .filter(|&var| self.simplex.is_integer(var))
            .collect();
        let mut budget = Budget::new(limits);
        let mut equations = Equations::new(u32::MAX / 2);
        let mut sources: Vec<[Lit; 2]> = Vec::new();
        for &var in &vars {
            let Some(fixed) = self.simplex.fixed(var) else {
                continue;
            };
            let mut equation = self.affine(var);
            equation.constant -= &fixed.standard;
            let (lower, upper) = (self.simplex.lower(var), self.simplex.upper(var));
            let source = sources.len() as u32;
            sources.push([lower.expect("fixed").reason, upper.expect("fixed").reason]);
            if let Err(conflict) = equations.add(equation, source, &mut budget) {
                lemmas.learn(&refuting(reasons(&sources, &conflict)));
                return true;
            }
        }
        if sources.is_empty() {
            return false;
        }
        let mut found = false;
        for &var in &vars {
            found |= self.tighten(var, &equations, &sources, &mut budget, trail, lemmas);
        }
        found
    }

    /// A variable of the simplex as a sum of those that are no sums.
    fn affine(&self, var: Var) -> Affine {
        let terms = match self.simplex.definition(var) {
            Some(sum) => sum
                .iter()
                .map(|(part, coefficient)| (part.index() as u32, coefficient.clone()))
                .collect(),
            None => vec![(var.index() as u32, Rational::ONE)],
        };
        Affine {
            constant: Rational::ZERO,
            terms,
        }
    }

    /// Tightens the bounds of a variable to what the equations let it be. Returns whether that excludes its present
    /// value.
    fn tighten(
        &mut self,
        var: Var,
        equations: &Equations,
        sources: &[[Lit; 2]],
        budget: &mut Budget<'_>,
        trail: &TrailView<'_>,
        lemmas: &mut Lemmas,
    ) -> bool {
        let sides = [
            (Side::Lower, self.simplex.lower(var).cloned()),
            (Side::Upper, self.simplex.upper(var).cloned()),
        ];
        if self.simplex.fixed(var).is_some() || sides.iter().all(|(_, bound)| bound.is_none()) {
            return false;
        }
        let mut used = Vec::new();
        let Some(sum) = equations.substitute(self.affine(var), &mut used, budget) else {
            return false;
        };
        let step = sum.divisor();
        if used.is_empty() || step.is_one() {
            return false;
        }
        let value = self.simplex.value(var).standard.clone();
        let mut found = false;
        for (side, bound) in sides {
            let Some(bound) = bound else { continue };
            let limit = &bound.value.standard;
            // The closest value within the bound that is the constant plus a multiple of the step.
            let tight = if step.is_zero() {
                sum.constant.clone()
            } else {
                let steps = &(limit - &sum.constant) / &step;
                let steps = match side {
                    Side::Lower => steps.ceil(),
                    Side::Upper => steps.floor(),
                };
                let mut tight = sum.constant.clone();
                tight.add_mul(&steps, &step);
                tight
            };
            let excluded = match side {
                Side::Lower => value < tight,
                Side::Upper => value > tight,
            };
            if !excluded {
                continue;
            }
            let mut clause = refuting(reasons(sources, &used));
            if !step.is_zero() {
                clause.push(!bound.reason);
            }
            clause.push(match side {
                Side::Lower => {
                    let below = &tight - &Rational::ONE;
                    !self.relevant_atom(var, Relation::AtMost, below, trail, lemmas)
                }
                Side::Upper => self.relevant_atom(var, Relation::AtMost, tight, trail, lemmas),
            });
            lemmas.learn(&clause);
            found = true;
        }
        found
    }
}

/// The smallest number of steps up, and of steps down, after which `(total + steps * factor) / scale` is an integer,
/// if that takes any; none if it never is. The scale is positive.
fn integral_steps(total: i64, factor: i64, scale: i64) -> Option<[i64; 2]> {
    let (inverse, divisor) = inverse_modulo(factor, scale);
    let modulus = scale / divisor;
    // The divisor of both must divide the total: then factor / divisor * steps must be -total / divisor.
    if modulus == 1 || total % divisor != 0 {
        return None;
    }
    let wanted = i128::from(-(total / divisor)) * i128::from(inverse);
    let steps = wanted.rem_euclid(i128::from(modulus)) as i64;
    Some([steps, steps - modulus])
}

/// The number that times `number` is their greatest common divisor modulo `modulus`, and that divisor.
fn inverse_modulo(number: i64, modulus: i64) -> (i64, i64) {
    let (mut old, mut new) = (number.rem_euclid(modulus), modulus);
    // Both stay below the modulus in size (Knuth, "The Art of Computer Programming", volume 2, 4.5.2).
    let (mut old_factor, mut factor) = (1, 0);
    while new != 0 {
        let quotient = old / new;
        (old, new) = (new, old % new);
        (old_factor, factor) = (factor, old_factor - quotient * factor);
    }
    (old_factor, old)
}

/// The literals of some sources.
fn reasons(sources: &[[Lit; 2]], used: &[u32]) -> Vec<Lit> {
    let mut lits: Vec<Lit> = used
        .iter()
        .flat_map(|&source| sources[source as usize])
        .collect();
    lits.sort_unstable();
    lits.dedup();
    lits
}

#[cfg(test)]
mod tests {
    use super::integral_steps;

    #[test]
    fn steps_lead_to_the_closest_integers() {
        for scale in 1..=24i64 {
            for factor in -30..=30 {
                for total in -30..=30 {
                    let is_integer = |steps: i64| (total + steps * factor) % scale == 0;
                    let up = (0..scale).find(|&steps| is_integer(steps));
                    let period = (1..=scale).find(|steps| steps * factor % scale == 0);
                    let expected = match (up, period) {
                        (Some(up), Some(period)) if period > 1 => Some([up, up - period]),
                        _ => None,
                    };
                    let found = integral_steps(total, factor, scale);
                    assert_eq!(found, expected, "({total} + steps * {factor}) / {scale}");
                }
            }
        }
    }

    #[test]
    fn steps_between_large_numbers_do_not_overflow() {
        let large = i64::MAX;
        for (total, factor, scale) in [
            (large, large - 1, large),
            (-large, 1 - large, large),
            (large, 3, large - 1),
            (1, -large, large - 5),
        ] {
            let Some(steps) = integral_steps(total, factor, scale) else {
                continue;
            };
            for steps in steps.map(i128::from) {
                let after = i128::from(total) + steps * i128::from(factor);
                assert_eq!(after % i128::from(scale), 0);
            }
        }
    }
}
