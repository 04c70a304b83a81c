//! Following the SAT engine: bounds for the literals on its trail, and clauses for what cannot be.
//!
//! The follower keeps in step with the trail: what was undone there is undone here, what is new is asserted. While assumptions are still to come, that is all; the
//! simplex runs once they are there. Only atoms that the query is about count: others may be on the trail, but they follow from those
//! that count, or are left over.

use std::cell::RefCell;

use refrain_sat::{Completion, Lemmas, Lit, Theory, TrailView};
use refrain_term::{Rational, Term};
use rustc_hash::FxHashMap;

use super::atoms::{AtomId, Form, Relation};
use super::products::ProductId;
use super::simplex::{Check, Conflict, Move, Observer, Simplex, Var};
use super::{Arith, Scope};
use crate::{Limits, Reason};

/// What the theory has taken in of the trail, and what the current query is about.
#[derive(Default)]
pub struct Follower {
    /// How many literals of the trail have been taken in.
    taken: usize,
    /// For each atom taken in: its place on the trail, and the mark of the simplex before it.
    asserted: Vec<Asserted>,
    /// Equations that are false, among the atoms taken in.
    different: Vec<(usize, AtomId)>,
    is_asserted: Vec<bool>,

    /// The number of the current query; what has it as its stamp is relevant.
    query: u32,
    atom_stamps: Vec<u32>,
    var_stamps: Vec<u32>,
    pub(super) relevant_vars: Vec<Var>,
    pub(super) products: Vec<ProductId>,
    /// The last assumption: before it is assigned there is no use in asking the simplex.
    last_assumption: Option<Lit>,
    /// Whether there are atoms to decide on, and whether there are new ones.
    has_choices: bool,
    has_branched: bool,
    /// Whether some atom may have become relevant that is on the part of the trail already taken in.
    relevance_changed: bool,
    /// Variables whose bounds have changed since bounds were last propagated.
    touched: Vec<Var>,
    gave_up: Option<Reason>,
    /// How often the current query has branched, and what it has spent on products.
    pub(super) branches: u32,
    pub(super) product_lemmas: u32,
}

struct Asserted {
    position: usize,
    mark: usize,
    atom: AtomId,
}

impl Follower {
    #[inline]
    fn is_relevant(&self, atom: AtomId) -> bool {
        self.atom_stamps.get(atom.index()) == Some(&self.query)
    }

    /// Whether the current query is about a variable.
    pub(super) fn is_about(&self, var: Var) -> bool {
        self.var_stamps.get(var.index()) == Some(&self.query)
    }

    fn stamp_var(&mut self, var: Var) {
        if self.var_stamps.len() <= var.index() {
            self.var_stamps.resize(var.index() + 1, 0);
        }
        if std::mem::replace(&mut self.var_stamps[var.index()], self.query) != self.query {
            self.relevant_vars.push(var);
        }
    }
}

/// Rows that serve no relevant atom are tolerated up to this many, and as many as serve one.
const IDLE_ROWS: usize = 24;

impl Arith {
    /// Starts a query about the atoms and products of a scope, under assumptions of which this is the last.
    pub fn begin(&mut self, scope: &Scope, assumptions: &[Lit]) {
        self.follower.query += 1;
        self.follower.relevant_vars.clear();
        self.follower.products.clear();
        self.follower.touched.clear();
        self.follower.last_assumption = assumptions.last().copied();
        self.follower.has_choices = scope.atoms.len() > assumptions.len();
        self.follower.has_branched = false;
        self.follower.relevance_changed = true;
        self.follower.gave_up = None;
        self.follower.branches = 0;
        self.follower.product_lemmas = 0;
        let mut sums = 0;
        for &var in &scope.atoms {
            if let Some(atom) = self.atoms.of(var) {
                sums += usize::from(self.make_relevant(atom));
            }
        }
        for &product in &scope.products {
            self.make_product_relevant(product);
        }
        for &var in &scope.vars {
            self.follower.stamp_var(var);
        }
        if self.simplex.len() > IDLE_ROWS + 2 * sums {
            let (stamps, query) = (&self.follower.var_stamps, self.follower.query);
            self.simplex
                .sleep(|var| stamps.get(var.index()) == Some(&query));
        }
    }

    /// Lets an atom count in the current query. Returns whether it is about a sum.
    pub(super) fn make_relevant(&mut self, atom: AtomId) -> bool {
        let follower = &mut self.follower;
        if follower.atom_stamps.len() < self.atoms.len() {
            follower.atom_stamps.resize(self.atoms.len(), 0);
            follower.is_asserted.resize(self.atoms.len(), false);
        }
        follower.atom_stamps[atom.index()] = follower.query;
        let var = self.atoms.get(atom).var;
        follower.stamp_var(var);
        let Some(sum) = self.simplex.definition(var) else {
            return false;
        };
        for (part, _) in sum {
            follower.stamp_var(*part);
        }
        true
    }

    fn make_product_relevant(&mut self, product: ProductId) {
        let Self {
            follower, products, ..
        } = self;
        follower.products.push(product);
        let product = &products[product.index()];
        follower.stamp_var(product.var);
        for (var, _) in product.left.terms.iter().chain(&product.right.terms) {
            follower.stamp_var(*var);
        }
    }

    /// Why the last query was given up.
    pub fn gave_up(&self) -> Option<&Reason> {
        self.follower.gave_up.as_ref()
    }

    pub(super) fn give_up(&mut self, reason: Reason) -> Completion {
        self.follower.gave_up = Some(reason);
        Completion::GiveUp
    }

    /// Brings the bounds in line with the trail.
    fn follow(&mut self, trail: &TrailView<'_>, kept: usize) -> Result<(), Conflict> {
        let mut kept = kept.min(self.follower.taken);
        if std::mem::replace(&mut self.follower.relevance_changed, false) {
            let missed = trail.trail()[..kept].iter().any(|lit| {
                self.atoms.of(lit.var()).is_some_and(|atom| {
                    self.follower.is_relevant(atom) && !self.follower.is_asserted[atom.index()]
                })
            });
            if missed {
                kept = 0;
            }
        }
        self.undo_to(kept);
        for (position, &lit) in trail.trail().iter().enumerate().skip(kept) {
            self.take(position, lit)?;
            self.follower.taken = position + 1;
        }
        Ok(())
    }

    fn undo_to(&mut self, kept: usize) {
        let follower = &mut self.follower;
        while let Some(last) = follower.asserted.pop_if(|last| last.position >= kept) {
            self.simplex.undo_to(last.mark);
            self.simplex.doze(self.atoms.get(last.atom).var);
            follower.is_asserted[last.atom.index()] = false;
        }
        while follower
            .different
            .pop_if(|(position, _)| *position >= kept)
            .is_some()
        {}
        follower.taken = kept;
    }

    /// Takes a literal of the trail in.
    fn take(&mut self, position: usize, lit: Lit) -> Result<(), Conflict> {
        let Some(id) = self.atoms.of(lit.var()) else {
            return Ok(());
        };
        if !self.follower.is_relevant(id) {
            return Ok(());
        }
        let mark = self.simplex.mark();
        let atom = self.atoms.get(id);
        let (var, holds) = (atom.var, atom.lit == lit);
        for (side, value) in atom
            .bounds(holds, self.simplex.is_integer(var))
            .into_iter()
            .flatten()
        {
            let bounded = self.simplex.bound(var, side, value, lit);
            if let Err(conflict) = bounded {
                self.simplex.undo_to(mark);
                return Err(conflict);
            }
        }
        if atom.relation == Relation::Equal && !holds {
            self.simplex.wake(var);
            self.follower.different.push((position, id));
        }
        self.follower.asserted.push(Asserted {
            position,
            mark,
            atom: id,
        });
        self.follower.is_asserted[id.index()] = true;
        self.follower.touched.push(var);
        Ok(())
    }

    /// Adds clauses for atoms that the bounds of their variables decide.
    fn propagate_bounds(&mut self, trail: &TrailView<'_>, lemmas: &mut Lemmas) {
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

    /// Whether an atom counts and is not assigned.
    pub(super) fn is_open(&self, atom: AtomId, trail: &TrailView<'_>) -> bool {
        self.follower.is_relevant(atom) && trail.value(self.atoms.get(atom).lit).is_none()
    }

    /// Adds clauses for the atoms that bounds decide, up to the first comparison among them: the others follow from that.
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

    /// The number that a form is equal to.
    pub(super) fn value_of(&self, form: &Form) -> Rational {
        let mut value = form.constant.clone();
        for (var, coefficient) in &form.terms {
            value.add_mul(coefficient, &self.simplex.value(*var).at(&self.delta));
        }
        value
    }

    /// Chooses a positive number for the infinitesimal, small enough for all bounds, and such that what must differ does.
    pub(super) fn choose_delta(&mut self) {
        let mut delta = Rational::ONE;
        for &var in &self.follower.relevant_vars {
            if self.simplex.is_dormant(var) {
                continue;
            }
            let value = self.simplex.value(var);
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
                    || self.simplex.value(atom.var).at(delta) != atom.number
            })
        };
        let half = Rational::new(1, 2);
        while !differs(&delta) {
            delta = &delta * &half;
        }
        self.delta = delta;
    }

    /// Clauses for the first equation that must be false and is true: one side or the other.
    fn split_difference(&mut self, trail: &TrailView<'_>, lemmas: &mut Lemmas) -> bool {
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
                simplex.wake(atom.var);
                let value = simplex.value(atom.var);
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

    /// The literal of an atom that counts in the query from now on.
    pub(super) fn relevant_atom(
        &mut self,
        var: Var,
        relation: Relation,
        number: Rational,
        trail: &TrailView<'_>,
        lemmas: &mut Lemmas,
    ) -> Lit {
        let id = self
            .atoms
            .intern(var, relation, number, || lemmas.fresh_var().positive());
        let lit = self.atoms.get(id).lit;
        if !self.follower.is_relevant(id) {
            self.make_relevant(id);
            self.follower.relevance_changed |= trail.value(lit).is_some();
        }
        self.follower.has_branched = true;
        lit
    }
}

/// A clause that says what the bounds of its variable say of an atom, if they decide it.
fn decided(simplex: &Simplex, atom: &super::atoms::Atom, integer: bool) -> Option<Vec<Lit>> {
    use super::simplex::Side;
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

/// The clause that says that true literals cannot hold together.
pub(super) fn refuting(mut conflict: Conflict) -> Vec<Lit> {
    for lit in &mut conflict {
        *lit = !*lit;
    }
    conflict
}

/// Told of an assignment on the way: the trail, and the numbers.
pub type Note<'a> = &'a mut dyn FnMut(&TrailView<'_>, &dyn Fn(Term) -> Option<Rational>);

/// The arithmetic as the theory of one solve.
pub struct Session<'a> {
    pub arith: &'a RefCell<&'a mut Arith>,
    pub limits: &'a Limits,
    pub note: Option<Note<'a>>,
}

/// What the simplex is watched by.
struct Watch<'a, 'b> {
    trail: &'a TrailView<'b>,
    limits: &'a Limits,
    note: Option<Note<'a>>,
    vars: &'a FxHashMap<Term, Var>,
}

/// How many of the steps that a pivot chooses from are noted.
const NOTED_MOVES: usize = 4;

impl Observer for Watch<'_, '_> {
    fn stop(&mut self) -> bool {
        self.limits.exceeded().is_some()
    }

    fn watches(&self) -> bool {
        self.note.is_some()
    }

    /// Notes the assignment, and what the steps at hand would make of it (only one of them is taken).
    fn before_pivot(&mut self, simplex: &Simplex, moves: &[Move]) {
        let (Some(note), vars) = (&mut self.note, self.vars) else {
            return;
        };
        note(self.trail, &|term| {
            let var = *vars.get(&term)?;
            Some(rounded(simplex, var, &simplex.value(var).standard))
        });
        for step in moves.iter().take(NOTED_MOVES) {
            note(self.trail, &|term| {
                let var = *vars.get(&term)?;
                let value = simplex.value_after(var, step);
                Some(rounded(simplex, var, &value.standard))
            });
        }
    }
}

/// An integer variable's value, rounded to the closest integer.
pub(super) fn rounded(simplex: &Simplex, var: Var, value: &Rational) -> Rational {
    if simplex.is_integer(var) {
        value.round()
    } else {
        value.clone()
    }
}

impl Session<'_> {
    fn check(&mut self, trail: &TrailView<'_>) -> Check {
        let mut arith = self.arith.borrow_mut();
        let arith: &mut Arith = &mut arith;
        let mut watch = Watch {
            trail,
            limits: self.limits,
            note: self.note.as_deref_mut().map(|note| note as Note<'_>),
            vars: &arith.vars,
        };
        arith.simplex.check(&mut watch)
    }

    /// Brings everything in line with the trail: bounds, then values. A conflict becomes a lemma.
    fn settle(
        &mut self,
        trail: &TrailView<'_>,
        kept: usize,
        lemmas: &mut Lemmas,
        everything: bool,
    ) -> Settled {
        let conflict = {
            let mut arith = self.arith.borrow_mut();
            if arith.follower.gave_up.is_some() {
                // What was undone must not be missed, whoever asks next.
                let kept = kept.min(arith.follower.taken);
                arith.undo_to(kept);
                return Settled::Stopped;
            }
            let followed = arith.follow(trail, kept);
            let awaited = arith.follower.last_assumption;
            if followed.is_ok()
                && !everything
                && awaited.is_some_and(|lit| trail.value(lit).is_none())
            {
                return Settled::Early;
            }
            followed.err()
        };
        let conflict = match conflict {
            Some(conflict) => conflict,
            None => match self.check(trail) {
                Check::Feasible => return Settled::Feasible,
                Check::Conflict(conflict) => conflict,
                Check::Stopped => {
                    let reason = self.limits.exceeded().unwrap_or(Reason::Timeout);
                    self.arith.borrow_mut().give_up(reason);
                    return Settled::Stopped;
                }
            },
        };
        lemmas.learn(&refuting(conflict));
        Settled::Conflict
    }
}

enum Settled {
    Feasible,
    Conflict,
    /// Assumptions are still to come.
    Early,
    Stopped,
}

impl Theory for Session<'_> {
    fn propagate(&mut self, trail: &TrailView<'_>, kept: usize, lemmas: &mut Lemmas) {
        if matches!(self.settle(trail, kept, lemmas, false), Settled::Feasible) {
            let mut arith = self.arith.borrow_mut();
            if arith.follower.has_choices || arith.follower.has_branched {
                arith.propagate_bounds(trail, lemmas);
            }
        }
    }

    fn complete(&mut self, trail: &TrailView<'_>, kept: usize, lemmas: &mut Lemmas) -> Completion {
        let mut kept = kept;
        loop {
            match self.settle(trail, kept, lemmas, true) {
                Settled::Feasible => {}
                Settled::Conflict => return Completion::Refine,
                Settled::Early | Settled::Stopped => return Completion::GiveUp,
            }
            let mut arith = self.arith.borrow_mut();
            let step = arith
                .make_integral(trail, lemmas, self.limits)
                .or_else(|| {
                    arith
                        .split_difference(trail, lemmas)
                        .then_some(Step::Refine)
                })
                .or_else(|| arith.check_products(trail, lemmas));
            match step {
                None => {
                    arith.choose_delta();
                    return Completion::Accept;
                }
                // An atom that counts from now on may be on the trail already.
                Some(Step::Refine) if !arith.follower.relevance_changed => {
                    return Completion::Refine;
                }
                Some(Step::Refine | Step::Again) => kept = trail.trail().len(),
                Some(Step::GiveUp) => return Completion::GiveUp,
            }
        }
    }
}

/// What has to happen before an assignment of the simplex is an answer.
pub(super) enum Step {
    /// The lemmas say it.
    Refine,
    /// The values have changed.
    Again,
    GiveUp,
}
