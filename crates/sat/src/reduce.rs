//! Forgetting. Learned clauses slow propagation down, and most are never of use again. Every few
//! thousand conflicts those that were not used lately are ranked by the number of levels they join
//! (LBD) and then by activity, and the worse half is deleted (Glucose; the grace given to clauses that
//! were used is CaDiCaL's). The lemmas of a theory count as well, since they can come without a conflict.
//! Now and then, when the facts have grown and enough propagation has been done since to pay for a pass
//! over all clauses, those that facts satisfy are swept out as well.

use crate::Cdcl;
use crate::arena::ClauseRef;
use crate::lit::Lit;

/// When to forget, and how active clauses are.
pub(crate) struct Forgetting {
    next_reduction: u64,
    interval: u64,
    /// Lemmas that may be forgotten, other than conflicts.
    pub lemmas: u64,
    increment: f32,
    facts_at_sweep: usize,
    propagations_at_sweep: u64,
}

const FIRST_INTERVAL: u64 = 2000;
const INTERVAL_GROWTH: u64 = 300;
/// Lemmas of a theory that bring a reduction as near as a conflict does.
const LEMMAS_LIKE_A_CONFLICT: u64 = 2;
const CLAUSE_DECAY: f32 = 0.999;
const RESCALE: f32 = 1e20;
/// Reductions that a clause outlives after a use, by LBD.
const GRACE: [(u32, u32); 2] = [(2, 7), (6, 2)];
/// Facts that make a sweep worthwhile.
const SWEEP_FACTS: usize = 64;

impl Default for Forgetting {
    fn default() -> Forgetting {
        Forgetting {
            next_reduction: FIRST_INTERVAL,
            interval: FIRST_INTERVAL,
            lemmas: 0,
            increment: 1.0,
            facts_at_sweep: 0,
            propagations_at_sweep: 0,
        }
    }
}

impl Cdcl {
    /// Gives a learned clause the grace its quality earns.
    pub(crate) fn note_use(&mut self, clause: ClauseRef) {
        let lbd = self.arena.lbd(clause);
        let grace = GRACE.iter().find(|(bound, _)| lbd <= *bound);
        self.arena
            .set_used(clause, grace.map_or(1, |(_, grace)| *grace));
    }

    pub(crate) fn bump_clause(&mut self, clause: ClauseRef) {
        let activity = self.arena.activity(clause) + self.forgetting.increment;
        self.arena.set_activity(clause, activity);
        if activity > RESCALE {
            for &clause in &self.learned {
                let activity = self.arena.activity(clause);
                self.arena.set_activity(clause, activity / RESCALE);
            }
            self.forgetting.increment /= RESCALE;
        }
    }

    pub(crate) fn decay_clauses(&mut self) {
        self.forgetting.increment /= CLAUSE_DECAY;
    }

    /// Whether it is time to delete learned clauses.
    pub(crate) fn wants_reduction(&self) -> bool {
        self.clauses_to_forget() >= self.forgetting.next_reduction
    }

    /// How many clauses came that may be forgotten: one with each conflict, and those of a theory.
    fn clauses_to_forget(&self) -> u64 {
        self.stats.conflicts + self.forgetting.lemmas / LEMMAS_LIKE_A_CONFLICT
    }

    /// Deletes the worse half of the learned clauses that were not used lately.
    pub(crate) fn reduce(&mut self) {
        self.stats.reductions += 1;
        self.forgetting.interval += INTERVAL_GROWTH;
        self.forgetting.next_reduction = self.clauses_to_forget() + self.forgetting.interval;
        let mut candidates = Vec::new();
        for &clause in &self.learned {
            let used = self.arena.used(clause);
            if used > 0 {
                self.arena.set_used(clause, used - 1);
            } else if !self.is_locked(clause) {
                let rank = (self.arena.lbd(clause), self.arena.activity(clause));
                candidates.push((rank.0, rank.1, clause));
            }
        }
        candidates.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.total_cmp(&b.1)));
        candidates.truncate(candidates.len().div_ceil(2));
        let worst: Vec<ClauseRef> = candidates.into_iter().map(|c| c.2).collect();
        self.stats.deleted += worst.len() as u64;
        self.delete(&worst);
        self.compact_if_worthwhile();
    }

    fn is_locked(&self, clause: ClauseRef) -> bool {
        let [first, second] = self.arena.first_two(clause);
        self.trail.is_reason(clause, first, second)
    }

    /// Deletes clauses, walking only the watch lists they are in.
    pub(crate) fn delete(&mut self, clauses: &[ClauseRef]) {
        let mut watched: Vec<Lit> = Vec::with_capacity(2 * clauses.len());
        for &clause in clauses {
            watched.extend(self.arena.first_two(clause));
            self.arena.delete(clause);
        }
        watched.sort_unstable();
        watched.dedup();
        let arena = &self.arena;
        for lit in watched {
            self.watches.due(!lit).retain(|watch| {
                let clause = watch.clause();
                !clause.is_some_and(|clause| arena.is_deleted(clause))
            });
        }
        self.learned.retain(|&clause| !arena.is_deleted(clause));
        self.trail.forget_late(|clause| arena.is_deleted(clause));
    }

    fn compact_if_worthwhile(&mut self) {
        if self.arena.wants_compaction() {
            self.compact(|_| false);
        }
    }

    fn compact(&mut self, drop_lit: impl Fn(Lit) -> bool) {
        let moves = self.arena.compact(drop_lit);
        let moved = |clause| {
            moves
                .get(clause)
                .expect("deleted clauses are not referred to")
        };
        for (_, list) in self.watches.iter_mut() {
            for watch in list {
                if let Some(clause) = watch.clause() {
                    *watch = crate::watch::Watch::long(moved(clause), watch.blocker);
                }
            }
        }
        for clause in &mut self.learned {
            *clause = moved(*clause);
        }
        self.trail.relocate(&moves);
    }

    /// Whether a pass over all clauses would pay for itself.
    pub(crate) fn wants_sweep(&self) -> bool {
        let done = self.stats.propagations - self.forgetting.propagations_at_sweep;
        let cost = self.arena.words() + 8 * self.num_vars_and_binaries();
        self.fact_count() > self.forgetting.facts_at_sweep + SWEEP_FACTS && done > cost as u64
    }

    /// What a pass over all clauses has to look at.
    pub(crate) fn size(&self) -> usize {
        self.arena.words() + self.num_vars_and_binaries()
    }

    fn num_vars_and_binaries(&self) -> usize {
        self.trail.phases.len() + self.watches.binary
    }

    fn fact_count(&self) -> usize {
        self.trail.root_len() + self.facts_waiting
    }

    /// At level 0, with everything propagated: sweeps out clauses that facts satisfy, and literals that
    /// facts make false.
    pub(crate) fn sweep(&mut self) {
        debug_assert_eq!(self.trail.depth(), 0);
        self.stats.simplifications += 1;
        self.trail.forget_root_reasons();
        let trail = &self.trail;
        let arena = &self.arena;
        let holds = |clause: &ClauseRef| arena.lits(*clause).any(|lit| trail.is_true(lit));
        let satisfied: Vec<ClauseRef> = arena.iter().filter(holds).collect();
        self.delete(&satisfied);
        let trail = &self.trail;
        let mut binary = 0;
        for (watched, list) in self.watches.iter_mut() {
            let holds = trail.is_true(watched);
            list.retain(|watch| {
                watch.clause().is_some() || !holds && !trail.is_true(watch.blocker)
            });
            binary += list.iter().filter(|w| w.clause().is_none()).count();
            if list.len() * 4 < list.capacity() {
                list.shrink_to_fit();
            }
        }
        self.watches.binary = binary / 2;
        let values = std::mem::take(&mut self.trail.values);
        self.compact(|lit| values[lit.index()] < 0);
        self.trail.values = values;
        self.facts_waiting = 0;
        self.forgetting.facts_at_sweep = self.trail.lits.len();
        self.forgetting.propagations_at_sweep = self.stats.propagations;
    }
}
