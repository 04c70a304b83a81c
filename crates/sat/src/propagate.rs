//! Unit propagation: the inner loop, where nearly all time goes. Each newly true literal visits the
//! clauses that watch its negation; each of those finds another literal to watch, or is satisfied,
//! or implies its last literal, or is the conflict. Works on a tank of *fuel*, so that a long stretch
//! of propagation pauses now and then and the search can look at its limits.

use crate::Cdcl;
use crate::arena::{ClauseRef, OFFSET_LIMIT};
use crate::lit::Lit;
use crate::trail::Reason;
use crate::watch::Watch;

/// A clause all of whose literals are false.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Conflict {
    Binary(Lit, Lit),
    Clause(ClauseRef),
    /// The clause in [`Scratch::lemma`](crate::analyze::Scratch::lemma), which is not in force. Whether what
    /// is learned from it has to be kept for good.
    Lemma {
        for_good: bool,
    },
}

/// How a call of [`Cdcl::propagate`] ended.
pub(crate) enum Propagation {
    /// Nothing is left to propagate.
    Done,
    /// A clause is false.
    Conflict(Conflict),
    /// Fuel ran out.
    Paused,
}

/// Watches visited between two looks at the limits: some tenths of a millisecond.
pub(crate) const FUEL: i64 = 20_000;

/// No clause at all.
const NONE: ClauseRef = ClauseRef(OFFSET_LIMIT);

impl Cdcl {
    pub(crate) fn propagate(&mut self) -> Propagation {
        self.propagate_past::<false>(NONE)
    }

    /// Propagates as if `clause` did not exist.
    pub(crate) fn propagate_without(&mut self, clause: ClauseRef) -> Propagation {
        self.propagate_past::<true>(clause)
    }

    fn propagate_past<const PASSING: bool>(&mut self, passed: ClauseRef) -> Propagation {
        let trail = &mut self.trail;
        while trail.propagated < trail.lits.len() {
            if self.fuel <= 0 {
                return Propagation::Paused;
            }
            let now_true = trail.lits[trail.propagated];
            let now_false = !now_true;
            trail.propagated += 1;
            self.stats.propagations += 1;

            // No clause starts watching `now_false` while we walk, so the list can be taken out.
            let mut list = std::mem::take(self.watches.due(now_true));
            self.fuel -= 1 + list.len() as i64;
            let mut conflict = None;
            let mut read = 0;
            let mut kept = 0;
            'visit: while read < list.len() {
                let watch = list[read];
                read += 1;
                let blocker = trail.values[watch.blocker.index()];
                if blocker > 0 {
                    list[kept] = watch;
                    kept += 1;
                    continue;
                }
                let Some(clause) = watch.clause() else {
                    list[kept] = watch;
                    kept += 1;
                    if blocker < 0 {
                        conflict = Some(Conflict::Binary(watch.blocker, now_false));
                        break;
                    }
                    trail.assign(watch.blocker, Reason::Binary(now_false));
                    continue;
                };
                if PASSING && clause == passed {
                    list[kept] = watch;
                    kept += 1;
                    continue;
                }
                let lits = self.arena.codes_mut(clause);
                let other = Lit::from_code(lits[0] ^ lits[1] ^ now_false.code());
                let other_value = trail.values[other.index()];
                if other_value > 0 {
                    list[kept] = Watch::long(clause, other);
                    kept += 1;
                    continue;
                }
                let replacement = lits[2..]
                    .iter()
                    .position(|&code| trail.values[code as usize] >= 0);
                if let Some(index) = replacement {
                    let next = Lit::from_code(lits[2 + index]);
                    lits[0] = other.code();
                    lits[1] = next.code();
                    lits[2 + index] = now_false.code();
                    self.watches.add(next, Watch::long(clause, other));
                    continue 'visit;
                }
                list[kept] = Watch::long(clause, other);
                kept += 1;
                if other_value < 0 {
                    conflict = Some(Conflict::Clause(clause));
                    break;
                }
                trail.assign(other, Reason::Clause(clause));
            }
            list.copy_within(read.., kept);
            list.truncate(kept + list.len() - read);
            *self.watches.due(now_true) = list;
            if let Some(conflict) = conflict {
                return Propagation::Conflict(conflict);
            }
        }
        Propagation::Done
    }
}
