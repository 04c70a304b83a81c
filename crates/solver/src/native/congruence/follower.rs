//! Following the trail of the SAT engine: merges for the literals on it, and clauses for what they imply.
//!
//! What was undone there is undone here. Only atoms that the query is about count.

use refrain_sat::{Lemmas, Lit, TrailView};

use super::egraph::{Conflict, EGraph, Mark, Node};
use super::{AtomId, Congruence, Scope};

/// What the e-graph has taken in of the trail, and what the current query is about.
#[derive(Default)]
pub struct Follower {
    /// How many literals of the trail have been taken in.
    taken: usize,
    merged: Vec<Merged>,
    /// By atom: whether it has been taken in.
    is_taken: Vec<bool>,
    /// How many of the implied nodes have become clauses.
    told: usize,
    query: u32,
    /// By atom: the last query that was about it.
    stamps: Vec<u32>,
    /// Whether some atom may have become relevant that is on the part of the trail already taken in.
    relevance_changed: bool,
}

/// An atom that was taken in.
struct Merged {
    /// Its place on the trail.
    place: usize,
    atom: AtomId,
    holds: bool,
    /// How the e-graph was before.
    before: Mark,
}

impl Congruence {
    /// Starts a query about the atoms of a scope.
    pub fn begin(&mut self, scope: &Scope) {
        self.follower.query += 1;
        self.follower.told = 0;
        for &atom in &scope.atoms {
            self.make_relevant(atom);
        }
    }

    /// Lets an atom count in the current query.
    pub(super) fn make_relevant(&mut self, atom: AtomId) {
        if self.follower.stamps.len() < self.atoms.len() {
            self.follower.stamps.resize(self.atoms.len(), 0);
            self.follower.is_taken.resize(self.atoms.len(), false);
        }
        self.follower.stamps[atom.index()] = self.follower.query;
        self.follower.relevance_changed = true;
    }

    fn is_relevant(&self, atom: AtomId) -> bool {
        self.follower.stamps.get(atom.index()) == Some(&self.follower.query)
    }

    /// Forgets what was taken in of the trail.
    pub(super) fn undo_all(&mut self) {
        self.undo_to(0);
    }

    /// Takes back what came after the first `kept` literals of the trail.
    pub fn undo_to(&mut self, kept: usize) {
        let mut mark = None;
        while let Some(last) = self.follower.merged.pop_if(|last| last.place >= kept) {
            self.follower.is_taken[last.atom.index()] = false;
            mark = Some(last.before);
        }
        if let Some(mark) = mark {
            self.graph.undo_to(mark);
            self.follower.told = self.follower.told.min(self.graph.implied().len());
        }
        self.follower.taken = self.follower.taken.min(kept);
    }

    /// Brings the e-graph in line with the trail.
    pub fn follow(&mut self, trail: &TrailView<'_>, kept: usize) -> Result<(), Conflict> {
        self.undo_to(kept);
        if std::mem::replace(&mut self.follower.relevance_changed, false)
            && self.has_missed(&trail.trail()[..self.follower.taken])
        {
            self.undo_all();
        }
        for (place, &lit) in trail.trail().iter().enumerate().skip(self.follower.taken) {
            let mut atom = self.by_sat.get(lit.var().index()).copied().flatten();
            while let Some(id) = atom {
                if self.is_relevant(id) {
                    let before = self.graph.mark();
                    if let Err(conflict) = self.take(id, lit) {
                        self.graph.undo_to(before);
                        self.undo_to(place);
                        return Err(conflict);
                    }
                    let holds = self.atoms[id.index()].lit == lit;
                    self.follower.merged.push(Merged {
                        place,
                        atom: id,
                        holds,
                        before,
                    });
                    self.follower.is_taken[id.index()] = true;
                }
                atom = self.atoms[id.index()].next;
            }
            self.follower.taken = place + 1;
        }
        Ok(())
    }

    /// Whether an atom that counts is among these literals, and was not taken in with them.
    fn has_missed(&self, taken: &[Lit]) -> bool {
        let mut atoms = taken.iter().flat_map(|lit| self.atoms_of(lit.var()));
        atoms.any(|atom| self.is_relevant(atom) && !self.follower.is_taken[atom.index()])
    }

    /// Takes in that an atom, or its negation, is true.
    fn take(&mut self, id: AtomId, lit: Lit) -> Result<(), Conflict> {
        let atom = &self.atoms[id.index()];
        match (atom.sides, atom.lit == lit) {
            (Some((a, b)), true) => self.graph.merge(a, b, lit),
            (_, holds) => self.graph.merge(atom.node, Node::truth(holds), lit),
        }
    }

    /// The sides of the equations that are false, and the literals that say so.
    pub(super) fn different(&self) -> impl Iterator<Item = (Node, Node, Lit)> + '_ {
        self.follower.merged.iter().filter_map(|merged| {
            let atom = &self.atoms[merged.atom.index()];
            let (a, b) = atom.sides?;
            (!merged.holds).then_some((a, b, !atom.lit))
        })
    }

    /// Adds clauses for the atoms that are implied and not assigned.
    pub fn propagate(&mut self, trail: &TrailView<'_>, lemmas: &mut Lemmas) {
        for place in self.follower.told..self.graph.implied().len() {
            let node = self.graph.implied()[place];
            let Some(&id) = self.by_node.get(&node) else {
                continue;
            };
            let lit = self.atoms[id.index()].lit;
            if trail.value(lit).is_some() || !self.is_relevant(id) {
                continue;
            }
            let holds = self.graph.are_equal(node, Node::TRUE);
            let mut clause = refuting(self.graph.explain(node, Node::truth(holds)));
            clause.push(if holds { lit } else { !lit });
            lemmas.learn(&clause);
        }
        self.follower.told = self.graph.implied().len();
    }

    pub(super) fn graph(&self) -> &EGraph {
        &self.graph
    }
}

/// The clause that says that true literals cannot hold together.
pub fn refuting(mut conflict: Conflict) -> Vec<Lit> {
    for lit in &mut conflict {
        *lit = !*lit;
    }
    conflict
}
