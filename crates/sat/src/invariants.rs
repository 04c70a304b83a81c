//! What must hold between solves, checked by looking at everything: slow, for tests on small
//! instances. Nothing in the engine calls it.

use crate::Cdcl;
use crate::lit::Lit;
use crate::trail::Reason;

impl Cdcl {
    /// Panics if watches, trail or propagation are not as they should be.
    #[doc(hidden)]
    pub fn check_invariants(&self) {
        if self.refuted {
            return;
        }
        self.trail.check();
        self.check_reasons();
        let quiet = self.trail.propagated == self.trail.lits.len();
        for clause in self.arena.iter() {
            let lits: Vec<Lit> = self.arena.lits(clause).collect();
            for &lit in &lits[..2] {
                let watched = self.watches.watched(lit);
                let mine = watched.iter().filter(|w| w.clause() == Some(clause));
                assert_eq!(mine.count(), 1, "{lit:?} watched once in {lits:?}");
            }
            if quiet {
                self.check_propagated(&lits);
            }
        }
        if quiet {
            for index in 0..2 * self.trail.phases.len() {
                let lit = Lit::from_code(index as u32);
                for watch in self.watches.watched(lit) {
                    if watch.clause().is_none() {
                        self.check_propagated(&[lit, watch.blocker]);
                    }
                }
            }
        }
    }

    /// Each implied literal follows from literals before it on the trail.
    fn check_reasons(&self) {
        let mut before = vec![false; self.trail.phases.len()];
        for &lit in &self.trail.lits {
            let follows = |other: Lit| {
                other == lit || self.trail.is_false(other) && before[other.var().index()]
            };
            match self.trail.reason(lit.var()) {
                Reason::Decision | Reason::Fact => {}
                Reason::Binary(other) => assert!(follows(other), "reason of {lit:?}"),
                Reason::Clause(clause) => {
                    assert!(self.arena.lits(clause).all(follows), "reason of {lit:?}");
                }
            }
            before[lit.var().index()] = true;
        }
    }

    fn check_propagated(&self, lits: &[Lit]) {
        let satisfied = lits.iter().any(|&lit| self.trail.is_true(lit));
        let open = lits.iter().filter(|&&lit| !self.trail.is_false(lit));
        assert!(satisfied || open.count() >= 2, "{lits:?} is not propagated");
    }
}
