//! Putting a clause in force under any trail, for clauses that are added and for clauses that are
//! learned. The two literals that are best to watch are those that are not false, or failing that
//! those that became false last. What that leaves open is repaired on the spot: a unit clause
//! assigns its literal (late, if need be: see `trail.rs`), a false clause undoes the last level at
//! which it was not false yet. Gates over fresh variables, the common case, need no repair.

use crate::Cdcl;
use crate::arena::ClauseRef;
use crate::lit::Lit;
use crate::trail::Reason;

impl Cdcl {
    /// Sorts a clause and drops repeated and false literals. Returns whether it is needed at all: not
    /// if it is a tautology, or holds for good.
    pub(crate) fn normalize(&self, lits: &mut Vec<Lit>) -> bool {
        let for_good = |lit: &Lit| self.trail.level(lit.var()) == 0;
        lits.sort_unstable();
        lits.dedup();
        let tautology = lits.windows(2).any(|pair| pair[0] == !pair[1]);
        let holds = |lit: &Lit| self.trail.is_true(*lit) && for_good(lit);
        if tautology || lits.iter().any(holds) {
            return false;
        }
        lits.retain(|lit| !(self.trail.is_false(*lit) && for_good(lit)));
        true
    }

    /// Puts a clause without repeated literals in force. `lbd` is given for learned clauses. Returns its place, if it
    /// needs one of its own.
    pub(crate) fn install(&mut self, lits: &mut [Lit], lbd: Option<u32>) -> Option<ClauseRef> {
        if lits.is_empty() || !self.make_room(lits) {
            self.refuted = true;
            return None;
        }
        let reason = match *lits {
            [] => unreachable!("handled above"),
            [fact] => {
                self.trail.assign_fact(fact);
                return None;
            }
            [a, b] => {
                self.watches.add_binary(a, b);
                Reason::Binary(b)
            }
            [a, b, ..] => {
                let clause = self.arena.alloc(lits, lbd);
                self.watches.add_long(clause, a, b);
                if lbd.is_some() {
                    self.learned.push(clause);
                    self.note_use(clause);
                }
                Reason::Clause(clause)
            }
        };
        if self.trail.is_false(lits[1]) {
            self.trail.assign_implied(lits[0], lits[1], reason);
        }
        match reason {
            Reason::Clause(clause) => Some(clause),
            _ => None,
        }
    }

    /// Brings the two literals that are best to watch to the front, and backtracks until the first
    /// of them is not false. Returns whether that could be done.
    fn make_room(&mut self, lits: &mut [Lit]) -> bool {
        loop {
            for front in 0..lits.len().min(2) {
                let rest = front..lits.len();
                if let Some(best) = rest.max_by_key(|&at| self.watch_rank(lits[at])) {
                    lits.swap(front, best);
                }
            }
            if !self.trail.is_false(lits[0]) {
                return true;
            }
            let level = self.trail.level(lits[0].var());
            if level == 0 {
                return false;
            }
            self.model = false;
            self.backtrack(level - 1);
        }
    }

    fn watch_rank(&self, lit: Lit) -> u32 {
        if self.trail.is_false(lit) {
            self.trail.level(lit.var())
        } else {
            u32::MAX
        }
    }
}
