//! The assignment, and the only code that undoes it. The trail lists true literals in the order
//! they were assigned, cut into levels; level `n` opens with the `n`-th decision or assumption.
//! An assumption that already holds still opens a level of its own, with nothing on it, so that
//! the levels of a query and its assumptions can be compared position by position.
//!
//! *Late literals.* Clauses arrive while the trail is deep, and learned clauses often become unit
//! far below the assumptions. Going back there would throw away most of the trail. Instead the
//! implied literal is assigned at the top, where it is *late*: a backtrack can undo it while the
//! clause that implies it is still unit. Such literals are remembered in a heap ordered by where
//! they sit, and a backtrack that removes one puts it back at the new top for as long as it is
//! implied. This buys what out-of-order trails buy (Nadel and Ryvchin, "Chronological
//! Backtracking", SAT 2018) while levels still only grow along the trail.
//!
//! *Facts* are literals that hold whatever is assumed. One that is found while the trail is deep is
//! late too, but has level 0 from the start, so that analysis never mentions it.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::arena::{ClauseRef, Moves};
use crate::engine::TrailView;
use crate::lit::{Lit, Var};

/// Why a literal is on the trail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reason {
    /// It was decided or assumed.
    Decision,
    /// It holds in every model of the clauses.
    Fact,
    /// It is implied by a binary clause whose other literal this is.
    Binary(Lit),
    /// It is implied by this clause, whose other literals are false.
    Clause(ClauseRef),
}

#[derive(Clone, Copy)]
struct Assigned {
    level: u32,
    reason: Reason,
}

struct Level {
    decision: Lit,
    start: usize,
}

/// A literal that sits at level `placed`, although it is implied at a lower one.
struct Late {
    placed: u32,
    implied: Lit,
    /// The highest level at which a literal of the reason sits: 0 for a fact. As long as that level
    /// stands, so does the reason. (Asking for the level of the reason's literals later would be
    /// wrong: one that has become a fact counts at level 0, but sits where it sat.)
    holds_from: u32,
    reason: Reason,
}

impl PartialEq for Late {
    fn eq(&self, other: &Late) -> bool {
        self.placed == other.placed
    }
}

impl Eq for Late {}

impl PartialOrd for Late {
    fn partial_cmp(&self, other: &Late) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Late {
    fn cmp(&self, other: &Late) -> Ordering {
        self.placed.cmp(&other.placed)
    }
}

/// The assignment.
#[derive(Default)]
pub(crate) struct Trail {
    /// For each literal 1 if true, -1 if false, 0 if unassigned.
    pub values: Vec<i8>,
    /// For each variable the last value it had, or the one it was told to try first.
    pub phases: Vec<bool>,
    /// The true literals in order.
    pub lits: Vec<Lit>,
    /// How many of them have been propagated. The others are all at the top level.
    pub propagated: usize,
    /// How many of them stand as the theory last saw them.
    seen: usize,
    /// How many there were when it did.
    shown: usize,
    assigned: Vec<Assigned>,
    levels: Vec<Level>,
    late: BinaryHeap<Late>,
    returning: Vec<Late>,
}

impl Trail {
    /// Room for one more variable.
    pub fn grow(&mut self) {
        self.values.extend([0, 0]);
        self.phases.push(false);
        self.assigned.push(Assigned {
            level: 0,
            reason: Reason::Fact,
        });
    }

    #[inline]
    pub fn is_true(&self, lit: Lit) -> bool {
        self.values[lit.index()] > 0
    }

    #[inline]
    pub fn is_false(&self, lit: Lit) -> bool {
        self.values[lit.index()] < 0
    }

    #[inline]
    pub fn is_assigned(&self, var: Var) -> bool {
        self.values[var.positive().index()] != 0
    }

    /// The level at which an assigned variable counts in analysis.
    #[inline]
    pub fn level(&self, var: Var) -> u32 {
        self.assigned[var.index()].level
    }

    #[inline]
    pub fn reason(&self, var: Var) -> Reason {
        self.assigned[var.index()].reason
    }

    /// The number of open levels.
    #[inline]
    pub fn depth(&self) -> u32 {
        self.levels.len() as u32
    }

    /// The decision that opened a level, counted from 1.
    pub fn decision(&self, level: u32) -> Option<Lit> {
        let level = self.levels.get(level as usize - 1)?;
        Some(level.decision)
    }

    /// How many literals are on the trail below level 1.
    pub fn root_len(&self) -> usize {
        self.levels.first().map_or(self.lits.len(), |l| l.start)
    }

    /// For how many positions the decisions of the trail are exactly `assumptions`.
    pub fn shared_prefix(&self, assumptions: &[Lit]) -> u32 {
        let same = |(level, lit): &(&Level, &Lit)| level.decision == **lit;
        let levels = self.levels.iter().zip(assumptions);
        levels.take_while(same).count() as u32
    }

    /// How many literals stand as the theory last saw them.
    pub fn seen(&self) -> usize {
        self.seen
    }

    /// Whether the trail is not what the theory last saw.
    pub fn is_news(&self) -> bool {
        self.seen < self.lits.len().max(self.shown)
    }

    /// The theory has seen the trail.
    pub fn was_seen(&mut self) {
        self.seen = self.lits.len();
        self.shown = self.seen;
    }

    /// The trail as the outside sees it, with a clause that is false.
    pub fn view<'a>(&'a self, conflict: &'a [Lit]) -> TrailView<'a> {
        TrailView {
            values: &self.values,
            trail: &self.lits,
            conflict,
        }
    }

    /// Opens a level for `decision`, which is either unassigned, or true already and then left
    /// where it is.
    pub fn open_level(&mut self, decision: Lit) {
        debug_assert_eq!(self.propagated, self.lits.len());
        debug_assert!(!self.is_false(decision));
        self.levels.push(Level {
            decision,
            start: self.lits.len(),
        });
        if !self.is_true(decision) {
            self.assign(decision, Reason::Decision);
        }
    }

    /// Makes an unassigned literal true at the top level.
    #[inline]
    pub fn assign(&mut self, lit: Lit, reason: Reason) {
        self.assign_at(lit, self.levels.len() as u32, reason);
    }

    #[inline]
    fn assign_at(&mut self, lit: Lit, level: u32, reason: Reason) {
        debug_assert!(!self.is_assigned(lit.var()));
        self.values[lit.index()] = 1;
        self.values[(!lit).index()] = -1;
        self.phases[lit.var().index()] = !lit.is_negative();
        self.assigned[lit.var().index()] = Assigned { level, reason };
        self.lits.push(lit);
    }

    /// Makes `lit`, which is not false, a fact.
    pub fn assign_fact(&mut self, lit: Lit) {
        debug_assert!(!self.is_false(lit));
        let placed = if self.is_true(lit) {
            let assigned = &mut self.assigned[lit.var().index()];
            let placed = assigned.level;
            *assigned = Assigned {
                level: 0,
                reason: Reason::Fact,
            };
            placed
        } else {
            self.assign_at(lit, 0, Reason::Fact);
            self.depth()
        };
        if placed > 0 {
            self.late.push(Late {
                placed,
                implied: lit,
                holds_from: 0,
                reason: Reason::Fact,
            });
        }
    }

    /// Makes `implied` true, or notes that it is, where the clause of `reason` has no other literal
    /// that is not false, and `because` is the one of them that is false at the highest level.
    pub fn assign_implied(&mut self, implied: Lit, because: Lit, reason: Reason) {
        debug_assert!(!self.is_false(implied) && self.is_false(because));
        let holds_from = self.level(because.var());
        if holds_from == 0 {
            return self.assign_fact(implied);
        }
        if !self.is_true(implied) {
            self.assign(implied, reason);
        }
        let placed = self.level(implied.var());
        if placed > holds_from {
            self.late.push(Late {
                placed,
                implied,
                holds_from,
                reason,
            });
        }
    }

    /// Undoes all levels above `level`, telling `unassigned` of each variable that loses its value,
    /// then puts back the late literals that are still implied.
    pub fn undo_to(&mut self, level: u32, mut unassigned: impl FnMut(Var)) {
        let Some(first) = self.levels.get(level as usize) else {
            return;
        };
        let start = first.start;
        for &lit in self.lits[start..].iter().rev() {
            self.values[lit.index()] = 0;
            self.values[(!lit).index()] = 0;
            unassigned(lit.var());
        }
        self.lits.truncate(start);
        self.levels.truncate(level as usize);
        self.propagated = self.propagated.min(start);
        self.seen = self.seen.min(start);
        if self.late.peek().is_some_and(|late| late.placed > level) {
            self.return_late(level);
        }
    }

    /// The second half of [`Trail::undo_to`].
    fn return_late(&mut self, level: u32) {
        while self.late.peek().is_some_and(|late| late.placed > level) {
            let Some(mut late) = self.late.pop() else {
                break;
            };
            if late.holds_from > level {
                continue;
            }
            debug_assert!(!self.is_false(late.implied), "late literals agree");
            let is_fact = late.holds_from == 0;
            if !self.is_true(late.implied) {
                let counts_at = if is_fact { 0 } else { level };
                self.assign_at(late.implied, counts_at, late.reason);
            } else if is_fact {
                self.assigned[late.implied.var().index()] = Assigned {
                    level: 0,
                    reason: Reason::Fact,
                };
            }
            if late.holds_from < level {
                late.placed = level;
                self.returning.push(late);
            }
        }
        self.late.extend(self.returning.drain(..));
    }

    /// Whether the clause is the reason of an assigned literal.
    pub fn is_reason(&self, clause: ClauseRef, first: Lit, second: Lit) -> bool {
        [first, second].into_iter().any(|lit| {
            self.is_true(lit) && self.assigned[lit.var().index()].reason == Reason::Clause(clause)
        })
    }

    /// Follows clauses to where a compaction put them, and forgets those that are gone.
    pub fn relocate(&mut self, moves: &Moves) {
        for lit in &self.lits {
            let reason = &mut self.assigned[lit.var().index()].reason;
            if let Reason::Clause(clause) = reason {
                *clause = moves.get(*clause).expect("a reason is never deleted");
            }
        }
        self.late.retain(|late| match late.reason {
            Reason::Clause(clause) => moves.get(clause).is_some(),
            _ => true,
        });
        let mut late = std::mem::take(&mut self.late).into_vec();
        for entry in &mut late {
            if let Reason::Clause(clause) = &mut entry.reason {
                *clause = moves.get(*clause).expect("kept above");
            }
        }
        self.late = late.into();
    }

    /// Forgets the late literals whose clause `is_deleted`.
    pub fn forget_late(&mut self, is_deleted: impl Fn(ClauseRef) -> bool) {
        self.late.retain(|late| match late.reason {
            Reason::Clause(clause) => !is_deleted(clause),
            _ => true,
        });
    }

    /// At level 0 no reason is ever asked for; letting go of them frees their clauses.
    pub fn forget_root_reasons(&mut self) {
        debug_assert_eq!(self.depth(), 0);
        for lit in &self.lits {
            self.assigned[lit.var().index()].reason = Reason::Fact;
        }
    }

    /// Debugging: levels grow along the trail, reasons come first, values agree.
    pub fn check(&self) {
        let mut position_level = 0;
        for (at, &lit) in self.lits.iter().enumerate() {
            while self
                .levels
                .get(position_level)
                .is_some_and(|l| l.start <= at)
            {
                position_level += 1;
            }
            assert!(self.is_true(lit) && self.is_false(!lit));
            let level = self.level(lit.var());
            let fact = self.reason(lit.var()) == Reason::Fact && level == 0;
            assert!(level as usize == position_level || fact, "level of {lit:?}");
            if fact && position_level > 0 {
                let kept = |late: &Late| late.implied == lit && late.holds_from == 0;
                assert!(self.late.iter().any(kept), "fact {lit:?} would get lost");
            }
        }
        let assigned = self.values.iter().filter(|v| **v != 0).count();
        assert_eq!(assigned, 2 * self.lits.len());
    }
}
