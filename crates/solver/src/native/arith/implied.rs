//! Atoms that follow, and need not be guessed: from the bounds of their variable, and from bounds that rows imply,
//! where all variables of a row but one are bounded.
//!
//! A row is read as `Σ coefficient * variable = 0`, its basic variable among them, with integer coefficients. Only
//! short rows are looked at, in which bounds have changed, and only for variables with atoms that are still open.

use refrain_sat::{Lemmas, Lit, TrailView};
use refrain_term::Rational;

use super::Arith;
use super::atoms::{Atom, AtomId, Relation};
use super::delta::Delta;
use super::simplex::{Bound, Side, Simplex, Var};
use super::tableau::Row;

/// Longer rows imply little.
const LONGEST_ROW: usize = 12;

/// The most rows that are looked at in one go.
const MOST_ROWS: usize = 48;

/// Which rows have been looked at in one go, by their basic variables.
#[derive(Default)]
pub struct SeenRows {
    round: u64,
    rounds: Vec<u64>,
    count: usize,
}

impl SeenRows {
    fn begin(&mut self, vars: usize) {
        self.round += 1;
        self.rounds.resize(vars, 0);
        self.count = 0;
    }

    /// Whether a row is met for the first time.
    #[inline]
    fn is_first(&mut self, basic: Var) -> bool {
        let before = std::mem::replace(&mut self.rounds[basic.index()], self.round);
        self.count += usize::from(before != self.round);
        before != self.round
    }
}

impl Arith {
    /// Adds clauses for atoms that the bounds of their variables decide.
    pub(super) fn propagate_bounds(&mut self, trail: &TrailView<'_>, lemmas: &mut Lemmas) {
        let mut touched = std::mem::take(&mut self.follower.touched);
        for &var in &touched {
            if let Some(upper) = self.simplex.upper(var) {
                let (_, above) = self.atoms.around(var, &upper.value.standard);
                self.propagate_along(above.iter(), trail, lemmas);
            }
            if let Some(lower) = self.simplex.lower(var) {
                let next = &lower.value.standard + &Rational::ONE;
                let (below, _) = self.atoms.around(var, &next);
                self.propagate_along(below.iter().rev(), trail, lemmas);
            }
        }
        // For atoms that only branching made, it would not pay.
        if self.follower.has_choices {
            self.propagate_rows(&touched, trail, lemmas);
        }
        touched.clear();
        self.follower.touched = touched;
    }

    /// Adds clauses for the atoms that bounds decide, up to the first comparison among them: the others follow from
    /// that.
    fn propagate_along<'a>(
        &self,
        atoms: impl Iterator<Item = &'a AtomId>,
        trail: &TrailView<'_>,
        lemmas: &mut Lemmas,
    ) {
        for &id in atoms {
            let atom = self.atoms.get(id);
            if !self.follower.is_relevant(id) {
                continue;
            }
            let is_open = trail.value(atom.lit).is_none();
            if !is_open && atom.relation == Relation::Equal {
                continue;
            }
            let integer = self.simplex.is_integer(atom.var);
            if let Some(lemma) = decided(&self.simplex, atom, integer) {
                if is_open {
                    lemmas.keep(&lemma);
                }
                if atom.relation != Relation::Equal {
                    break;
                }
            }
        }
    }

    /// Adds clauses for atoms that follow from the rows of variables whose bounds have changed.
    fn propagate_rows(&mut self, touched: &[Var], trail: &TrailView<'_>, lemmas: &mut Lemmas) {
        let mut seen = std::mem::take(&mut self.follower.seen_rows);
        seen.begin(self.simplex.vars().len());
        self.propagate_rows_once(touched, &mut seen, trail, lemmas);
        self.follower.seen_rows = seen;
    }

    fn propagate_rows_once(
        &self,
        touched: &[Var],
        seen: &mut SeenRows,
        trail: &TrailView<'_>,
        lemmas: &mut Lemmas,
    ) {
        for &var in touched {
            for row in self.simplex.rows_with(var) {
                if row.entries.len() > LONGEST_ROW || !seen.is_first(row.basic) {
                    continue;
                }
                if seen.count > MOST_ROWS {
                    return;
                }
                for upward in [true, false] {
                    if self.may_imply(row, upward, trail) {
                        self.propagate_row(row, upward, trail, lemmas);
                    }
                }
            }
        }
    }

    /// The bound that keeps `coefficient * var` from going down, or up.
    fn holding(&self, var: Var, coefficient: &Rational, upward: bool) -> Option<&Bound> {
        if coefficient.is_positive() == upward {
            self.simplex.lower(var)
        } else {
            self.simplex.upper(var)
        }
    }

    /// Whether bounds hold all parts of a row but one in a direction, and there is something open to be implied. A look
    /// without any arithmetic: most rows say nothing.
    fn may_imply(&self, row: &Row, upward: bool, trail: &TrailView<'_>) -> bool {
        let mut missing = None;
        if self
            .holding(row.basic, &Rational::MINUS_ONE, upward)
            .is_none()
        {
            missing = Some(row.basic);
        }
        for (var, factor) in &row.entries {
            if self.holding(*var, factor, upward).is_none() {
                if missing.is_some() {
                    return false;
                }
                missing = Some(*var);
            }
        }
        match missing {
            Some(var) => self.has_open_comparison(var, trail),
            None => {
                let vars = row.entries.iter().map(|(var, _)| *var);
                vars.chain([row.basic])
                    .any(|var| self.has_open_comparison(var, trail))
            }
        }
    }

    /// Whether a variable is compared by an atom that counts and is not assigned.
    fn has_open_comparison(&self, var: Var, trail: &TrailView<'_>) -> bool {
        let mut atoms = self.atoms.all_about(var).iter();
        atoms.any(|&id| self.atoms.get(id).relation != Relation::Equal && self.is_open(id, trail))
    }

    /// Adds clauses for what a row implies where the other parts are as small as they can be, or as large.
    fn propagate_row(&self, row: &Row, upward: bool, trail: &TrailView<'_>, lemmas: &mut Lemmas) {
        let scale = -&row.scale;
        let parts = || {
            let entries = row.entries.iter().map(|(var, number)| (*var, number));
            entries.chain([(row.basic, &scale)])
        };
        let mut sum = Delta::default();
        let mut missing = None;
        for (var, coefficient) in parts() {
            match self.holding(var, coefficient, upward) {
                Some(bound) => sum.add_mul(coefficient, &bound.value),
                None if missing.is_some() => return,
                None => missing = Some(var),
            }
        }
        for (var, coefficient) in parts() {
            let is_asked = missing.is_none_or(|missing| missing == var);
            if !is_asked || !self.has_open_comparison(var, trail) {
                continue;
            }
            let mut others = sum.clone();
            if let Some(bound) = self.holding(var, coefficient, upward) {
                others.add_mul(&-coefficient, &bound.value);
            }
            // coefficient * var is at most -others, or at least.
            let value = others.divided_by(&-coefficient);
            let side = if coefficient.is_positive() == upward {
                Side::Upper
            } else {
                Side::Lower
            };
            if let Some(decided) = self.decided_by(var, side, &value, trail) {
                let mut clause = vec![decided];
                for (other, coefficient) in parts().filter(|(other, _)| *other != var) {
                    let bound = self.holding(other, coefficient, upward);
                    clause.push(!bound.expect("counted above").reason);
                }
                lemmas.learn(&clause);
            }
        }
    }

    /// The literal of the closest open atom that a bound on its variable would decide.
    fn decided_by(
        &self,
        var: Var,
        side: Side,
        value: &Delta,
        trail: &TrailView<'_>,
    ) -> Option<Lit> {
        let is_news = match side {
            Side::Upper => self.simplex.upper(var).is_none_or(|b| *value < b.value),
            Side::Lower => self.simplex.lower(var).is_none_or(|b| *value > b.value),
        };
        if !is_news {
            return None;
        }
        let (below, above) = self.atoms.around(var, &value.standard);
        let integer = self.simplex.is_integer(var);
        let check = |&id: &AtomId| {
            let atom = self.atoms.get(id);
            if !self.is_open(id, trail) || atom.relation == Relation::Equal {
                return None;
            }
            // What the atom, or its negation, needs is beyond the bound.
            [true, false].into_iter().find_map(|holds| {
                let bounds = atom.bounds(holds, integer).into_iter().flatten();
                let excluded = bounds.into_iter().any(|(needs, bound)| match side {
                    Side::Upper => needs == Side::Lower && bound > *value,
                    Side::Lower => needs == Side::Upper && bound < *value,
                });
                excluded.then_some(if holds { !atom.lit } else { atom.lit })
            })
        };
        match side {
            Side::Upper => above.iter().find_map(check),
            Side::Lower => {
                let next = above.iter().take(1);
                next.chain(below.iter().rev()).find_map(check)
            }
        }
    }
}

/// A clause that says what the bounds of its variable say of an atom, if they decide it.
fn decided(simplex: &Simplex, atom: &Atom, integer: bool) -> Option<Vec<Lit>> {
    // Bounds beyond those that its negation would need decide an atom.
    let excluded = |holds: bool| {
        let bounds = atom.bounds(holds, integer).into_iter().flatten();
        bounds.into_iter().find_map(|(side, value)| match side {
            Side::Upper => simplex
                .lower(atom.var)
                .filter(|lower| lower.value > value)
                .map(|lower| lower.reason),
            Side::Lower => simplex
                .upper(atom.var)
                .filter(|upper| upper.value < value)
                .map(|upper| upper.reason),
        })
    };
    if let Some(reason) = excluded(true) {
        return Some(vec![!reason, !atom.lit]);
    }
    if let Some(reason) = excluded(false) {
        return Some(vec![!reason, atom.lit]);
    }
    if atom.relation == Relation::Equal
        && let (Some(lower), Some(upper)) = (simplex.lower(atom.var), simplex.upper(atom.var))
        && lower.value == upper.value
        && lower.value.infinitesimal.is_zero()
        && lower.value.standard == atom.number
    {
        return Some(vec![!lower.reason, !upper.reason, atom.lit]);
    }
    None
}
