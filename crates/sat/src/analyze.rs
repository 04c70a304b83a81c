//! Conflict analysis. Resolving the false clause with the reasons of its latest literals until one
//! literal of the conflict's level is left gives a clause that would have prevented the conflict
//! (first unique implication point, GRASP and Chaff). Literals implied by others of the clause are
//! then dropped (Sörensson and Biere, "Minimizing Learned Clauses", SAT 2009), with a stack in place
//! of recursion. `blame` follows reasons all the way to the assumptions instead, which gives the failed ones.

use crate::Cdcl;
use crate::arena::ClauseRef;
use crate::lit::{Lit, Var};
use crate::propagate::Conflict;
use crate::trail::Reason;

/// Memory that analysis uses again and again.
#[derive(Default)]
pub(crate) struct Scratch {
    /// Variables that are resolved upon, in the clause, or implied by the clause.
    seen: Vec<bool>,
    /// Those to be unmarked at the end.
    marked: Vec<Var>,
    pub stack: Vec<Lit>,
    /// The clause being learned.
    pub clause: Vec<Lit>,
    /// The lemma being learned from.
    pub lemma: Vec<Lit>,
    level_stamp: Vec<u32>,
    stamp: u32,
}

impl Scratch {
    /// Room for one more variable.
    pub fn grow(&mut self) {
        self.seen.push(false);
    }
}

/// What is learned from a conflict, beside the clause in [`Scratch::clause`].
pub(crate) struct Lesson {
    /// The lowest level at which the clause is unit.
    pub level: u32,
    pub lbd: u32,
}

impl Cdcl {
    /// The literals of a false clause, or of a reason with the implied literal among them or not.
    fn each_lit(&self, conflict: Conflict, mut each: impl FnMut(Lit)) {
        match conflict {
            Conflict::Binary(a, b) => {
                each(a);
                each(b);
            }
            Conflict::Clause(clause) => self.arena.lits(clause).for_each(each),
            Conflict::Lemma { .. } => self.scratch.lemma.iter().copied().for_each(each),
        }
    }

    /// The highest level of a false clause: 0 means that the clauses are contradictory.
    pub(crate) fn conflict_level(&self, conflict: Conflict) -> u32 {
        let mut highest = 0;
        self.each_lit(conflict, |lit| {
            highest = highest.max(self.trail.level(lit.var()));
        });
        highest
    }

    /// The literals of a false clause.
    pub(crate) fn conflict_lits(&self, conflict: Conflict) -> Vec<Lit> {
        let mut lits = Vec::new();
        self.each_lit(conflict, |lit| lits.push(lit));
        lits
    }

    /// Learns from a clause that is false at the top level. The clause is left in the scratch memory.
    pub(crate) fn analyze(&mut self, conflict: Conflict) -> Lesson {
        let mut learned = std::mem::take(&mut self.scratch.clause);
        learned.clear();
        learned.push(Lit::from_code(0)); // Room for the asserting literal.
        let mut open = 0;
        let mut next = conflict;
        let mut at = self.trail.lits.len();
        let asserting = loop {
            match next {
                Conflict::Binary(a, b) => {
                    self.resolve(a, &mut open, &mut learned);
                    self.resolve(b, &mut open, &mut learned);
                }
                Conflict::Clause(clause) => {
                    self.clause_met(clause);
                    for index in 0..self.arena.len(clause) {
                        let lit = self.arena.lit(clause, index);
                        self.resolve(lit, &mut open, &mut learned);
                    }
                }
                Conflict::Lemma { .. } => {
                    for index in 0..self.scratch.lemma.len() {
                        let lit = self.scratch.lemma[index];
                        self.resolve(lit, &mut open, &mut learned);
                    }
                }
            }
            let pivot = loop {
                at -= 1;
                let lit = self.trail.lits[at];
                if self.scratch.seen[lit.var().index()] {
                    break lit;
                }
            };
            open -= 1;
            if open == 0 {
                break pivot;
            }
            // The pivot stays marked, so that its own literal in the reason is passed over.
            next = match self.trail.reason(pivot.var()) {
                Reason::Binary(other) => Conflict::Binary(pivot, other),
                Reason::Clause(clause) => Conflict::Clause(clause),
                Reason::Decision | Reason::Fact => {
                    unreachable!("the first literal of a level dominates it")
                }
            };
        };
        learned[0] = !asserting;
        self.minimize(&mut learned);
        for var in self.scratch.marked.drain(..) {
            self.scratch.seen[var.index()] = false;
        }
        let rest = learned[1..].iter();
        let level = rest.map(|lit| self.trail.level(lit.var())).max();
        let lbd = self.count_levels(&learned);
        self.scratch.clause = learned;
        Lesson {
            level: level.unwrap_or(0),
            lbd,
        }
    }

    #[inline]
    fn resolve(&mut self, lit: Lit, open: &mut usize, learned: &mut Vec<Lit>) {
        let var = lit.var();
        let level = self.trail.level(var);
        if level == 0 || self.scratch.seen[var.index()] {
            return;
        }
        self.scratch.seen[var.index()] = true;
        self.scratch.marked.push(var);
        self.order.bump(var);
        if level == self.trail.depth() {
            *open += 1;
        } else {
            learned.push(lit);
        }
    }

    /// A learned clause took part in a conflict: it is worth keeping, and may be better than thought.
    fn clause_met(&mut self, clause: ClauseRef) {
        if !self.arena.is_learned(clause) {
            return;
        }
        self.bump_clause(clause);
        let old = self.arena.lbd(clause);
        if old > 2 {
            let mut lits = std::mem::take(&mut self.scratch.stack);
            lits.clear();
            lits.extend(self.arena.lits(clause));
            let lbd = self.count_levels(&lits);
            self.scratch.stack = lits;
            if lbd < old {
                self.arena.set_lbd(clause, lbd);
            }
        }
        self.note_use(clause);
    }

    /// How many levels the literals are from, all levels of assumptions taken as one (LBD; Audemard
    /// and Simon, "Predicting Learnt Clauses Quality", IJCAI 2009, and with assumptions SAT 2013).
    pub(crate) fn count_levels(&mut self, lits: &[Lit]) -> u32 {
        let scratch = &mut self.scratch;
        scratch.stamp = scratch.stamp.wrapping_add(1);
        if scratch.stamp == 0 {
            scratch.level_stamp.fill(0);
            scratch.stamp = 1;
        }
        let mut count = 0;
        for lit in lits {
            let level = self.trail.level(lit.var());
            let level = level.saturating_sub(self.assumed) as usize;
            if level >= scratch.level_stamp.len() {
                scratch.level_stamp.resize(level + 1, 0);
            }
            if scratch.level_stamp[level] != scratch.stamp {
                scratch.level_stamp[level] = scratch.stamp;
                count += 1;
            }
        }
        count
    }

    /// Drops literals that the others of the clause imply.
    fn minimize(&mut self, learned: &mut Vec<Lit>) {
        let bit = |level: u32| 1u64 << (level & 63);
        let mut levels = 0;
        for lit in &learned[1..] {
            levels |= bit(self.trail.level(lit.var()));
        }
        let mut kept = 1;
        for at in 1..learned.len() {
            if !self.is_implied(learned[at], levels) {
                learned[kept] = learned[at];
                kept += 1;
            }
        }
        learned.truncate(kept);
    }

    /// Whether following reasons from `lit` ends in marked literals only. `levels` is a set, up to
    /// collisions, of the levels of the clause: reasons that lead elsewhere never come back.
    fn is_implied(&mut self, lit: Lit, levels: u64) -> bool {
        if self.trail.reason(lit.var()) == Reason::Decision {
            return false;
        }
        let scratch = &mut self.scratch;
        let trail = &self.trail;
        let before = scratch.marked.len();
        scratch.stack.clear();
        scratch.stack.push(lit);
        while let Some(lit) = scratch.stack.pop() {
            let mut visit = |lit: Lit| -> bool {
                let var = lit.var();
                let level = trail.level(var);
                if level == 0 || scratch.seen[var.index()] {
                    return true;
                }
                if trail.reason(var) == Reason::Decision || levels & (1 << (level & 63)) == 0 {
                    return false;
                }
                scratch.seen[var.index()] = true;
                scratch.marked.push(var);
                scratch.stack.push(lit);
                true
            };
            let implied = match trail.reason(lit.var()) {
                Reason::Binary(other) => visit(other),
                Reason::Clause(clause) => self.arena.lits(clause).all(visit),
                Reason::Decision | Reason::Fact => unreachable!("not followed"),
            };
            if !implied {
                for var in scratch.marked.drain(before..) {
                    scratch.seen[var.index()] = false;
                }
                return false;
            }
        }
        true
    }

    /// Adds the decisions from which `lits`, all false, follow to the failed assumptions.
    pub(crate) fn blame(&mut self, lits: &[Lit]) {
        let mut failed = std::mem::take(&mut self.failed);
        self.decisions_behind(lits, &mut failed);
        self.failed = failed;
    }

    /// Adds the decisions from which it follows that `lits` are false.
    pub(crate) fn decisions_behind(&mut self, lits: &[Lit], decisions: &mut Vec<Lit>) {
        let scratch = &mut self.scratch;
        let trail = &self.trail;
        scratch.stack.clear();
        let mut mark = |stack: &mut Vec<Lit>, lit: Lit| {
            let var = lit.var();
            if trail.level(var) > 0 && !scratch.seen[var.index()] {
                scratch.seen[var.index()] = true;
                scratch.marked.push(var);
                stack.push(lit);
            }
        };
        for &lit in lits {
            mark(&mut scratch.stack, lit);
        }
        while let Some(lit) = scratch.stack.pop() {
            match trail.reason(lit.var()) {
                Reason::Decision => decisions.push(!lit),
                Reason::Fact => {}
                Reason::Binary(other) => mark(&mut scratch.stack, other),
                Reason::Clause(clause) => {
                    for other in self.arena.lits(clause) {
                        mark(&mut scratch.stack, other);
                    }
                }
            }
        }
        for var in scratch.marked.drain(..) {
            scratch.seen[var.index()] = false;
        }
    }
}
