//! Arithmetic and equality as the one theory of the SAT engine.
//!
//! Both follow the same trail. The e-graph is asked first: it is fast, and what it refutes or implies the simplex need
//! not look at. Each is asked only if the query is about it, but is always told what was undone.

use std::cell::RefCell;

use refrain_sat::{Completion, Lemmas, Theory, TrailView};

use super::arith;
use super::congruence::{Congruence, Shared, refuting};

pub struct Session<'a> {
    /// Whether the query is about arithmetic at all.
    pub has_arithmetic: bool,
    pub arith: arith::Session<'a>,
    pub congruence: &'a RefCell<&'a mut Congruence>,
    /// Numbers that both know.
    pub shared: &'a [Shared],
}

impl Session<'_> {
    /// Brings the e-graph in line with the trail. Returns whether that is possible.
    fn follow(&mut self, trail: &TrailView<'_>, kept: usize, lemmas: &mut Lemmas) -> bool {
        let followed = self.congruence.borrow_mut().follow(trail, kept);
        if let Err(conflict) = followed {
            lemmas.learn(&refuting(conflict));
            self.arith.retract(kept);
            return false;
        }
        if !self.has_arithmetic {
            self.arith.retract(kept);
        }
        true
    }
}

impl Theory for Session<'_> {
    fn propagate(&mut self, trail: &TrailView<'_>, kept: usize, lemmas: &mut Lemmas) {
        if !self.follow(trail, kept, lemmas) {
            return;
        }
        if self.has_arithmetic {
            self.arith.propagate(trail, kept, lemmas);
        }
        self.congruence.borrow_mut().propagate(trail, lemmas);
    }

    fn complete(&mut self, trail: &TrailView<'_>, kept: usize, lemmas: &mut Lemmas) -> Completion {
        let mut kept = kept;
        loop {
            if !self.follow(trail, kept, lemmas) {
                return Completion::Refine;
            }
            if !self.has_arithmetic {
                return Completion::Accept;
            }
            let completion = self.arith.complete(trail, kept, lemmas);
            if completion != Completion::Accept {
                return completion;
            }
            let mut arith = self.arith.arith.borrow_mut();
            let mut congruence = self.congruence.borrow_mut();
            let mut completion = congruence.combine(&mut arith, self.shared, trail, lemmas);
            if completion == Completion::Accept && congruence.diversify(&mut arith, self.shared) {
                completion = congruence.combine(&mut arith, self.shared, trail, lemmas);
            }
            // An atom that counts from now on may be on the trail already.
            if completion == Completion::Accept || !arith.has_missed_atoms() {
                return completion;
            }
            kept = trail.trail().len();
        }
    }
}
