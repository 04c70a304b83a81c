//! Following the trail of the SAT engine: bounds for the literals on it.
//!
//! What was undone there is undone here, what is new is asserted. Only atoms that the query is about count: others
//! may be on the trail, but they follow from those that count, or are left over.

use refrain_sat::{Lemmas, Lit, TrailView};
use refrain_term::Rational;

use super::atoms::{Atom, AtomId, Relation};
use super::implied::SeenRows;
use super::products::ProductId;
use super::simplex::{Conflict, Var};
use super::{Arith, Scope};
use crate::Reason;

/// What the theory has taken in of the trail, and what the current query is about.
#[derive(Default)]
pub struct Follower {
    /// How many literals of the trail have been taken in.
    pub(super) taken: usize,
    /// For each atom taken in: its place on the trail, and the mark of the simplex before it.
    asserted: Vec<Asserted>,
    /// Equations that are false, among the atoms taken in.
    pub(super) different: Vec<(usize, AtomId)>,
    is_asserted: Vec<bool>,

    /// The number of the current query; what has it as its stamp is relevant.
    query: u32,
    atom_stamps: Vec<u32>,
    var_stamps: Vec<u32>,
    pub(super) relevant_vars: Vec<Var>,
    pub(super) products: Vec<ProductId>,
    /// The last assumption: before it is assigned there is no use in asking the simplex.
    pub(super) last_assumption: Option<Lit>,
    /// Whether there are atoms to decide on, and whether there are new ones.
    pub(super) has_choices: bool,
    pub(super) has_branched: bool,
    /// Whether all that counts are bounds on differences, and many.
    is_of_differences: bool,
    /// Whether some atom may have become relevant that is on the part of the trail already taken in.
    pub(super) relevance_changed: bool,
    /// Variables whose bounds have changed since bounds were last propagated.
    pub(super) touched: Vec<Var>,
    pub(super) seen_rows: SeenRows,
    pub(super) gave_up: Option<Reason>,
    /// How often the current query has branched, and what it has spent on products.
    pub(super) branches: u32,
    pub(super) product_lemmas: u32,
    /// How many words the denominators of factors took before the first of these lemmas.
    pub(super) first_length: usize,
}

struct Asserted {
    position: usize,
    mark: usize,
    atom: AtomId,
}

impl Follower {
    #[inline]
    pub(super) fn is_relevant(&self, atom: AtomId) -> bool {
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
    /// Starts a query about the atoms, products and numbers of a scope, under these assumptions. If all that counts are
    /// bounds on differences, so many or more, they are a graph.
    pub fn begin(&mut self, scope: &Scope, assumptions: &[Lit], graph_from: usize) {
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
        self.follower.is_of_differences = scope.products.is_empty() && scope.vars.is_empty();
        if !self.follower.is_of_differences {
            self.simplex.leave_graph();
        }
        let mut sums = 0;
        for &var in &scope.atoms {
            if let Some(atom) = self.atoms.of(var) {
                sums += usize::from(self.make_relevant(atom));
            }
        }
        self.follower.is_of_differences &= self.follower.has_choices && sums >= graph_from;
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
        let Atom { var, number, .. } = self.atoms.get(atom);
        let var = *var;
        if !self.simplex.suits_graph(var, number) {
            follower.is_of_differences = false;
            self.simplex.leave_graph();
        }
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

    pub(super) fn give_up(&mut self, reason: Reason) {
        self.follower.gave_up = Some(reason);
    }

    /// Whether some atom may have become relevant that is on the part of the trail already taken in.
    pub fn has_missed_atoms(&self) -> bool {
        self.follower.relevance_changed
    }

    /// Brings the bounds in line with the trail.
    pub(super) fn follow(&mut self, trail: &TrailView<'_>, kept: usize) -> Result<(), Conflict> {
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
        if self.follower.is_of_differences {
            self.simplex.enter_graph();
        }
        for (position, &lit) in trail.trail().iter().enumerate().skip(kept) {
            self.take(position, lit)?;
            self.follower.taken = position + 1;
        }
        Ok(())
    }

    pub(super) fn undo_to(&mut self, kept: usize) {
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

    /// Whether an atom counts and is not assigned.
    pub(super) fn is_open(&self, atom: AtomId, trail: &TrailView<'_>) -> bool {
        self.follower.is_relevant(atom) && trail.value(self.atoms.get(atom).lit).is_none()
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
