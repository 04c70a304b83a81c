//! The arithmetic as the theory of a solve: bounds in line with the trail, then values in line with the bounds, and
//! clauses for what cannot be.
//!
//! While assumptions are still to come, bounds are all; the simplex runs once they are there.

use std::cell::RefCell;

use refrain_sat::{Completion, Lemmas, Lit, Theory, TrailView};
use refrain_term::{Rational, Term};
use rustc_hash::FxHashMap;

use super::Arith;
use super::simplex::{Check, Conflict, Move, Observer, Simplex, Var};
use crate::{Limits, Reason};

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
    /// Takes back what came after the first `kept` literals of the trail, without looking at the others.
    pub fn retract(&mut self, kept: usize) {
        let mut arith = self.arith.borrow_mut();
        let kept = kept.min(arith.follower.taken);
        arith.undo_to(kept);
    }

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
