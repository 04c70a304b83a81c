//! General simplex (Dutertre and de Moura, "A Fast Linear-Arithmetic Solver for DPLL(T)", CAV 2006): bounds on
//! variables, some of which are defined as sums of others.
//!
//! Two things hold between calls: the assignment satisfies all rows of the tableau, and every variable that is not
//! basic is within its bounds. [`Simplex::check`] pivots until the basic ones are too, or a row shows that they
//! cannot be. Every bound carries the literal that brought it; a conflict is the set of those of one row, and none of
//! them can be left out. Bounds are undone in reverse order; that loosens them, so neither the assignment nor the
//! tableau has to change.
//!
//! Rows of definitions that have no bounds any more are *dormant*: they are taken out of the tableau, where they
//! would cost at every pivot, and put back in when they are bounded again. While all bounds are on differences, the
//! tableau is empty, and they are a `graph`.

mod graph;

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use refrain_sat::Lit;
use refrain_term::Rational;

use super::delta::Delta;
use super::tableau::{Part, Row, RowId, Tableau};
use graph::Graph;

/// A variable of the simplex: a number that the problem speaks of, or a sum of such.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Var(u32);

impl Var {
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    Lower,
    Upper,
}

/// A bound, and the literal that says so.
#[derive(Clone, PartialEq, Debug)]
pub struct Bound {
    pub value: Delta,
    pub reason: Lit,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Basic(RowId),
    NonBasic,
    /// A definition that is not in the tableau.
    Dormant,
}

struct Info {
    lower: Option<Bound>,
    upper: Option<Bound>,
    /// Unless it is basic: then its row knows.
    value: Delta,
    place: Place,
    integer: bool,
    /// For a sum: what it is the sum of.
    definition: Option<Sum>,
}

impl Info {
    /// Whether this is a sum that nothing bounds.
    fn is_idle(&self) -> bool {
        self.definition.is_some() && self.lower.is_none() && self.upper.is_none()
    }
}

/// `Σ coefficient * variable`, by variable, ascending.
pub type Sum = Box<[(Var, Rational)]>;

/// True literals that cannot hold together.
pub type Conflict = Vec<Lit>;

/// How a check ended.
pub enum Check {
    Feasible,
    Conflict(Conflict),
    /// Told to stop.
    Stopped,
}

/// Sees the simplex before each pivot, and says whether to go on.
pub trait Observer {
    /// Called before each pivot: whether to stop.
    fn stop(&mut self) -> bool;
    /// Called before each pivot.
    fn before_pivot(&mut self, simplex: &Simplex, moves: &[Move]);
    /// Whether [`Observer::before_pivot`] does anything.
    fn watches(&self) -> bool;
}

/// A step that would repair a violated bound: this variable, changed by this much.
pub struct Move {
    pub var: Var,
    pub by: Delta,
}

#[derive(Default)]
pub struct Simplex {
    vars: Vec<Info>,
    tableau: Tableau,
    /// Bounds before they were changed, in order.
    undo: Vec<(Var, Side, Option<Bound>)>,
    /// Basic variables that may be out of bounds: all that are, and maybe others.
    suspects: BinaryHeap<Reverse<Var>>,
    is_suspect: Vec<bool>,
    graph: Graph,
}

/// After this many pivots in a check, variables are chosen by Bland's rule, which cannot cycle.
const BLAND_AFTER: usize = 200;

impl Simplex {
    /// How many entries of the tableau have been looked at to change it.
    pub fn touched(&self) -> u64 {
        self.tableau.touched + self.graph.touched
    }

    pub fn new_var(&mut self, integer: bool) -> Var {
        self.push_var(integer, Place::NonBasic, None)
    }

    /// A variable that is equal to a sum of variables that are no sums themselves.
    pub fn new_sum(&mut self, sum: Sum) -> Var {
        let integer = sum.iter().all(|(var, coefficient)| {
            self.is_integer(*var) && coefficient.is_integer() && self.definition(*var).is_none()
        });
        self.push_var(integer, Place::Dormant, Some(sum))
    }

    fn push_var(&mut self, integer: bool, place: Place, definition: Option<Sum>) -> Var {
        let var = Var(self.vars.len() as u32);
        self.vars.push(Info {
            lower: None,
            upper: None,
            value: Delta::default(),
            place,
            integer,
            definition,
        });
        self.tableau.grow();
        self.is_suspect.push(false);
        self.graph.grow();
        var
    }

    pub fn vars(&self) -> impl ExactSizeIterator<Item = Var> + use<> {
        (0..self.vars.len() as u32).map(Var)
    }

    #[inline]
    fn info(&self, var: Var) -> &Info {
        &self.vars[var.index()]
    }

    #[inline]
    pub fn is_integer(&self, var: Var) -> bool {
        self.info(var).integer
    }

    pub fn definition(&self, var: Var) -> Option<&Sum> {
        self.info(var).definition.as_ref()
    }

    #[inline]
    pub fn lower(&self, var: Var) -> Option<&Bound> {
        self.info(var).lower.as_ref()
    }

    #[inline]
    pub fn upper(&self, var: Var) -> Option<&Bound> {
        self.info(var).upper.as_ref()
    }

    /// The value of a variable that bounds leave only one.
    pub fn fixed(&self, var: Var) -> Option<&Delta> {
        match (self.lower(var), self.upper(var)) {
            (Some(lower), Some(upper)) if lower.value == upper.value => Some(&lower.value),
            _ => None,
        }
    }

    /// The value of a variable that is in the tableau, or needs none.
    #[inline]
    pub fn value(&self, var: Var) -> Delta {
        let info = self.info(var);
        debug_assert!(info.place != Place::Dormant);
        match info.place {
            Place::Basic(row) => self.tableau.row(row).value(),
            _ if self.graph.is_on && info.integer => graph::number(self.graph.value(var)).into(),
            _ => info.value.clone(),
        }
    }

    /// Whether the value of a variable that is in the tableau, or needs none, is an integer.
    #[inline]
    pub fn is_at_integer(&self, var: Var) -> bool {
        let info = self.info(var);
        match info.place {
            Place::Basic(row) => self.tableau.row(row).is_integer(),
            _ => info.value.is_integer(),
        }
    }

    /// The value of any variable; a sum that is not in the tableau is added up.
    pub fn present(&self, var: Var) -> Delta {
        match (self.is_dormant(var), self.definition(var)) {
            (true, Some(sum)) => {
                let mut value = Delta::default();
                for (part, coefficient) in sum {
                    value.add_mul(coefficient, &self.value(*part));
                }
                value
            }
            _ => self.value(var),
        }
    }

    pub fn is_dormant(&self, var: Var) -> bool {
        self.info(var).place == Place::Dormant
    }

    pub fn row_of(&self, var: Var) -> Option<&Row> {
        match self.info(var).place {
            Place::Basic(row) => Some(self.tableau.row(row)),
            _ => None,
        }
    }

    /// The rows that a variable is in.
    pub fn rows_with(&self, var: Var) -> impl Iterator<Item = &Row> {
        let own = match self.info(var).place {
            Place::Basic(row) => Some(row),
            _ => None,
        };
        let uses = self.tableau.column(var).iter().map(|entry| entry.row);
        uses.chain(own).map(|row| self.tableau.row(row))
    }

    /// How many rows the tableau has.
    pub fn len(&self) -> usize {
        self.tableau.len()
    }

    /// Where the bounds are now, to come back to.
    pub fn mark(&self) -> usize {
        self.undo.len()
    }

    /// Takes back all bounds since a mark.
    pub fn undo_to(&mut self, mark: usize) {
        while self.undo.len() > mark {
            let (var, side, bound) = self.undo.pop().expect("longer than the mark");
            let info = &mut self.vars[var.index()];
            match side {
                Side::Lower => info.lower = bound,
                Side::Upper => info.upper = bound,
            }
        }
    }

    /// Adds a bound. A conflict is with the opposite bound; then nothing has changed.
    pub fn bound(
        &mut self,
        var: Var,
        side: Side,
        value: Delta,
        reason: Lit,
    ) -> Result<(), Conflict> {
        let info = self.info(var);
        let (own, other) = match side {
            Side::Lower => (&info.lower, &info.upper),
            Side::Upper => (&info.upper, &info.lower),
        };
        let is_beyond = |a: &Delta, b: &Delta| match side {
            Side::Lower => a > b,
            Side::Upper => a < b,
        };
        if own
            .as_ref()
            .is_some_and(|own| !is_beyond(&value, &own.value))
        {
            return Ok(());
        }
        if let Some(other) = other
            && is_beyond(&value, &other.value)
        {
            return Err(vec![reason, other.reason]);
        }
        match self.graph.is_on {
            true => self.join_graph(var),
            false => self.wake(var),
        }
        let violated = matches!(
            (self.compare(var, &value), side),
            (Ordering::Less, Side::Lower) | (Ordering::Greater, Side::Upper)
        );
        let info = &mut self.vars[var.index()];
        let own = match side {
            Side::Lower => &mut info.lower,
            Side::Upper => &mut info.upper,
        };
        let new = Bound {
            value: value.clone(),
            reason,
        };
        let old = own.replace(new);
        self.undo.push((var, side, old));
        if violated {
            match self.info(var).place {
                _ if self.graph.is_on => self.graph.wait(var, side),
                Place::NonBasic => self.update(var, value),
                _ => self.suspect(var),
            }
        }
        Ok(())
    }

    /// Puts the row of a dormant sum into the tableau.
    pub fn wake(&mut self, var: Var) {
        if self.info(var).place != Place::Dormant {
            return;
        }
        let Simplex { vars, tableau, .. } = self;
        let sum = vars[var.index()].definition.as_ref().expect("a sum");
        let parts = sum.iter().map(|(part, coefficient)| {
            let info = &vars[part.index()];
            let part = match info.place {
                Place::Basic(row) => Part::Row(row),
                _ => Part::Variable(*part, &info.value),
            };
            (part, coefficient)
        });
        let row = tableau.add(var, parts);
        self.vars[var.index()].place = Place::Basic(row);
    }

    /// Takes the rows of unbounded sums that are not `needed` out of the tableau.
    pub fn sleep(&mut self, needed: impl Fn(Var) -> bool) {
        for var in self.vars() {
            if self.info(var).is_idle() && !needed(var) {
                if self.info(var).place == Place::NonBasic {
                    self.make_basic(var);
                }
                self.doze(var);
            }
        }
    }

    /// Takes the row of a sum out of the tableau if it is basic and has no bounds.
    pub fn doze(&mut self, var: Var) {
        let info = self.info(var);
        let Place::Basic(row) = info.place else {
            return;
        };
        if info.is_idle() {
            if let Some(moved) = self.tableau.remove(row) {
                self.vars[moved.index()].place = Place::Basic(row);
            }
            self.vars[var.index()].place = Place::Dormant;
        }
    }

    /// Makes an unbounded variable basic, without changing any value, if some basic variable may take its place.
    fn make_basic(&mut self, var: Var) {
        let users = self.tableau.column(var).iter().map(|entry| entry.row);
        let row = users
            .filter(|&row| self.is_within(self.tableau.row(row).basic))
            .min_by_key(|&row| self.tableau.row(row).entries.len());
        if let Some(row) = row {
            let value = self.tableau.row(row).value();
            self.pivot(row, var, value);
        }
    }

    fn is_within(&self, var: Var) -> bool {
        self.violation(var).is_none()
    }

    /// How the value of a variable compares with another one.
    #[inline]
    fn compare(&self, var: Var, value: &Delta) -> Ordering {
        let info = self.info(var);
        match info.place {
            _ if self.graph.is_on => graph::number(self.difference(var)).cmp(&value.standard),
            Place::Basic(row) => {
                let row = self.tableau.row(row);
                row.total.cmp_scaled(&row.scale, value)
            }
            _ => info.value.cmp(value),
        }
    }

    /// The bound that a variable is beyond.
    fn violation(&self, var: Var) -> Option<Side> {
        let info = self.info(var);
        let is = |bound: &Option<Bound>, order: Ordering| {
            let compared = bound.as_ref().map(|b| self.compare(var, &b.value));
            compared == Some(order)
        };
        if is(&info.lower, Ordering::Less) {
            Some(Side::Lower)
        } else if is(&info.upper, Ordering::Greater) {
            Some(Side::Upper)
        } else {
            None
        }
    }

    fn suspect(&mut self, var: Var) {
        if !std::mem::replace(&mut self.is_suspect[var.index()], true) {
            self.suspects.push(Reverse(var));
        }
    }

    /// Changes a variable that is not basic, and the basic ones with it.
    pub fn update(&mut self, var: Var, value: Delta) {
        let by = value.minus(&self.info(var).value);
        self.vars[var.index()].value = value;
        for place in 0..self.tableau.column(var).len() {
            let entry = self.tableau.column(var)[place];
            self.tableau.shift(entry, &by);
        }
        self.suspect_column(var);
    }

    /// Suspects the basic variables of all rows with a variable, where they are out of bounds.
    fn suspect_column(&mut self, var: Var) {
        for place in 0..self.tableau.column(var).len() {
            let entry = self.tableau.column(var)[place];
            let basic = self.tableau.row(entry.row).basic;
            if !self.is_within(basic) {
                self.suspect(basic);
            }
        }
    }

    /// Whether a variable that is not basic can be changed by an integer such that everything stays within its
    /// bounds, and integers stay integers.
    pub fn allows_shift(&self, var: Var, by: &Rational) -> bool {
        if self.graph.is_on {
            return false;
        }
        let info = self.info(var);
        let is_within = |info: &Info, scale: &Rational, total: &Delta| {
            let compare = |bound: &Bound| total.cmp_scaled(scale, &bound.value);
            info.lower.as_ref().is_none_or(|b| compare(b).is_ge())
                && info.upper.as_ref().is_none_or(|b| compare(b).is_le())
        };
        let mut value = info.value.clone();
        value.standard += by;
        let stays_whole = !info.integer || !info.value.is_integer() || value.is_integer();
        stays_whole
            && is_within(info, &Rational::ONE, &value)
            && self.tableau.column(var).iter().all(|&entry| {
                let row = self.tableau.row(entry.row);
                let info = self.info(row.basic);
                let mut total = row.total.clone();
                total.standard.add_mul(self.tableau.factor(entry), by);
                is_within(info, &row.scale, &total)
                    && (!info.integer || !row.is_integer() || row.would_be_integer(&total))
            })
    }

    /// Pivots until all variables are within their bounds, or a row shows that they cannot be.
    pub fn check(&mut self, observer: &mut impl Observer) -> Check {
        if self.graph.is_on {
            return self.check_graph(observer);
        }
        let mut steps = 0;
        while let Some(Reverse(var)) = self.suspects.pop() {
            self.is_suspect[var.index()] = false;
            let Place::Basic(row) = self.info(var).place else {
                continue;
            };
            let Some(side) = self.violation(var) else {
                continue;
            };
            steps += 1;
            // Numbers can grow, and a pivot with them: each is a reason to look at the limits.
            if observer.stop() {
                self.suspect(var);
                return Check::Stopped;
            }
            let target = self.violated_bound(var, side).value.clone();
            if observer.watches() {
                let missing = target.minus(&self.value(var));
                let moves = self.moves(row, side, &missing);
                observer.before_pivot(self, &moves);
            }
            let Some(entering) = self.choose_entering(row, side, steps > BLAND_AFTER) else {
                self.suspect(var);
                return Check::Conflict(self.explain(row, side));
            };
            self.exchange(row, entering, target);
        }
        Check::Feasible
    }

    fn violated_bound(&self, var: Var, side: Side) -> &Bound {
        let bound = match side {
            Side::Lower => self.lower(var),
            Side::Upper => self.upper(var),
        };
        bound.expect("a violated bound")
    }

    /// Whether a variable with this coefficient in a row can help its basic variable back over the bound on `side`.
    fn can_help(&self, var: Var, coefficient: &Rational, side: Side) -> bool {
        let info = self.info(var);
        if coefficient.is_positive() == (side == Side::Lower) {
            info.upper.as_ref().is_none_or(|b| info.value < b.value)
        } else {
            info.lower.as_ref().is_none_or(|b| info.value > b.value)
        }
    }

    /// The variable to exchange with the basic one of a row: one with a short column, or the first by Bland's rule.
    fn choose_entering(&self, row: RowId, side: Side, bland: bool) -> Option<Var> {
        let entries = self.tableau.row(row).entries.iter();
        let helpful = entries
            .filter(|(var, coefficient)| self.can_help(*var, coefficient, side))
            .map(|(var, _)| *var);
        if bland {
            return helpful.min();
        }
        // The row of an unbounded sum is not needed: it leaves the tableau as soon as the sum is basic.
        helpful.min_by_key(|&var| {
            let is_needed = !self.info(var).is_idle();
            (is_needed, self.tableau.column(var).len(), var)
        })
    }

    /// All single changes that would bring the basic variable of a row back over its bound.
    fn moves(&self, row: RowId, side: Side, missing: &Delta) -> Vec<Move> {
        let entries = self.tableau.row(row).entries.iter();
        entries
            .filter(|(var, coefficient)| self.can_help(*var, coefficient, side))
            .map(|(var, factor)| Move {
                var: *var,
                by: missing.divided_by(&(factor / &self.tableau.row(row).scale)),
            })
            .collect()
    }

    /// The value that a variable would have after a move.
    pub fn value_after(&self, var: Var, step: &Move) -> Delta {
        let mut value = self.value(var);
        if var == step.var {
            value.add_mul(&Rational::ONE, &step.by);
        } else if let Some(row) = self.row_of(var)
            && let Some(factor) = row.factor(step.var)
        {
            value.add_mul(&(factor / &row.scale), &step.by);
        }
        value
    }

    /// Sets the basic variable of a row to `target` by changing `entering`, and lets them change roles.
    fn exchange(&mut self, row: RowId, entering: Var, target: Delta) {
        let leaving = self.tableau.row(row).basic;
        self.pivot(row, entering, target);
        // Every row that has changed has the variable that left.
        self.suspect_column(leaving);
        self.doze(entering);
    }

    /// Lets `entering` take the place of the basic variable of a row, whose value becomes `to`.
    fn pivot(&mut self, row: RowId, entering: Var, to: Delta) {
        let leaving = self.tableau.row(row).basic;
        let from = &self.vars[entering.index()].value;
        self.tableau.pivot(row, entering, from, &to);
        let info = &mut self.vars[leaving.index()];
        info.value = to;
        info.place = Place::NonBasic;
        self.vars[entering.index()].place = Place::Basic(row);
    }

    /// Why no variable of a row can help.
    fn explain(&self, row: RowId, side: Side) -> Conflict {
        let row = self.tableau.row(row);
        let mut conflict = vec![self.violated_bound(row.basic, side).reason];
        for (var, coefficient) in &row.entries {
            let bound = if coefficient.is_positive() == (side == Side::Lower) {
                self.upper(*var)
            } else {
                self.lower(*var)
            };
            conflict.push(bound.expect("it holds the variable").reason);
        }
        conflict
    }
}

#[cfg(test)]
mod tests;
