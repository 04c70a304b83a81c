//! What can be asked beside the clauses. A [`Theory`] knows what some literals mean, and whether those that
//! are true can be so together. It is shown the trail as the search goes, and what it has to say it says in
//! [`Lemmas`]: clauses that hold whatever is assumed (lazy SMT; Nieuwenhuis, Oliveras and Tinelli, "Solving
//! SAT and SAT Modulo Theories", JACM 2006). Nothing here knows how the search works.

use crate::engine::TrailView;
use crate::lit::{Lit, Var};

/// What decides conjunctions of the literals it understands, beside the clauses.
///
/// Of each trail it is shown, the first `kept` literals are the same, at the same positions, as in the call
/// before, of whichever of the two methods, in this solve or an earlier one, whatever happened in between.
/// All others were undone or are new. So a theory undoes what it holds beyond `kept`, and then takes in
/// the rest. This is counted once for an engine: all solves of an engine that have a theory must have the
/// same one.
pub trait Theory {
    /// Propagation came to rest without a conflict, and the trail is not what the last call showed.
    fn propagate(&mut self, trail: &TrailView<'_>, kept: usize, lemmas: &mut Lemmas);

    /// Everything the query asks for is assigned: is that an answer?
    fn complete(&mut self, trail: &TrailView<'_>, kept: usize, lemmas: &mut Lemmas) -> Completion;
}

/// What a theory says of an assignment that the clauses allow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Completion {
    /// It is a model. If lemmas that come with this change the trail, or leave something to decide, the
    /// search goes on, and asks again.
    Accept,
    /// The lemmas say what is wrong or missing. If they leave the trail as it is and nothing to decide or branch on,
    /// this is as good as [`Completion::GiveUp`].
    Refine,
    /// Not decided; the theory knows why.
    GiveUp,
}

/// What a theory has to say: clauses that hold in every model of the theory, whatever is assumed. Under the
/// trail they may be false, unit, satisfied or open; they may repeat literals, or be tautologies.
#[derive(Default)]
pub struct Lemmas {
    lits: Vec<Lit>,
    clauses: Vec<Ending>,
    next_var: usize,
    decide: Vec<Var>,
    branch: Option<Lit>,
    phases: Vec<(Var, bool)>,
}

/// Where in [`Lemmas::lits`] a clause ends, and whether it is for good.
#[derive(Clone, Copy)]
struct Ending {
    end: usize,
    for_good: bool,
}

impl Lemmas {
    /// Adds a clause, for good.
    pub fn keep(&mut self, clause: &[Lit]) {
        self.add(clause, true);
    }

    /// Adds a clause that may be forgotten again, as learned clauses are. (Short ones may stay.)
    pub fn learn(&mut self, clause: &[Lit]) {
        self.add(clause, false);
    }

    fn add(&mut self, clause: &[Lit], for_good: bool) {
        self.lits.extend_from_slice(clause);
        self.clauses.push(Ending {
            end: self.lits.len(),
            for_good,
        });
    }

    /// Makes a fresh variable that need not be assigned. It is of the engine's numbering, and exists as soon as this
    /// call of the theory is over.
    pub fn fresh_var(&mut self) -> Var {
        let var = Var::from_index(self.next_var);
        self.next_var += 1;
        var
    }

    /// Makes a fresh variable, which must be assigned before the answer to the current query can be "sat".
    /// It is of the engine's numbering, and exists as soon as this call of the theory is over.
    pub fn new_var(&mut self) -> Var {
        let var = self.fresh_var();
        self.decide.push(var);
        var
    }

    /// Asks for `lit` to be the next decision, unless it is assigned by then. Once it is undone, nobody asks for it
    /// any more.
    pub fn branch(&mut self, lit: Lit) {
        self.branch = Some(lit);
    }

    /// Asks for one more variable to be assigned before the answer to the current query can be "sat".
    pub fn decide(&mut self, var: Var) {
        self.decide.push(var);
    }

    /// Which way `var` is tried first, as [`Engine::set_phase`](crate::Engine::set_phase) says it.
    pub fn set_phase(&mut self, var: Var, value: bool) {
        self.phases.push((var, value));
    }

    /// How many clauses were added in this call.
    pub fn clause_count(&self) -> usize {
        self.clauses.len()
    }

    /// Starts a call of the theory, for an engine with `vars` variables.
    pub(crate) fn begin(&mut self, vars: usize) {
        self.lits.clear();
        self.clauses.clear();
        self.decide.clear();
        self.branch = None;
        self.phases.clear();
        self.next_var = vars;
    }

    /// How many variables there must be from now on.
    pub(crate) fn var_count(&self) -> usize {
        self.next_var
    }

    /// The variables to decide, new ones among them.
    pub(crate) fn asked(&self) -> &[Var] {
        &self.decide
    }

    pub(crate) fn next_decision(&self) -> Option<Lit> {
        self.branch
    }

    pub(crate) fn phases(&self) -> &[(Var, bool)] {
        &self.phases
    }

    /// The clauses, each with whether it is for good.
    pub(crate) fn clauses(&self) -> impl Iterator<Item = (&[Lit], bool)> {
        let mut start = 0;
        self.clauses.iter().map(move |ending| {
            let clause = &self.lits[start..ending.end];
            start = ending.end;
            (clause, ending.for_good)
        })
    }
}
