//! Clause memory. All clauses of three literals or more live in one flat vector of words, so that
//! a clause is named by a 32-bit offset and visiting it touches adjacent memory (MiniSat's region
//! allocator). Binary clauses live in the watch lists alone. Deleted clauses leave holes, which
//! [`Arena::compact`] squeezes out by copying.
//!
//! Layout of a clause: `length`, `flags and LBD`, the literals, and for a learned clause its
//! activity.

use crate::lit::Lit;

/// The offset of a clause in the arena.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ClauseRef(pub u32);

const HEADER: usize = 2;
const LEARNED: u32 = 1;
const DELETED: u32 = 2;
const MOVED: u32 = 4;
const VIVIFIED: u32 = 8;
const USED_SHIFT: u32 = 4;
const USED_MASK: u32 = 7 << USED_SHIFT;
const LBD_SHIFT: u32 = 7;
const LBD_MAX: u32 = u32::MAX >> LBD_SHIFT;

/// Clause offsets must stay below this: in a watch it stands for a binary clause.
pub(crate) const OFFSET_LIMIT: u32 = u32::MAX;

#[derive(Default)]
pub(crate) struct Arena {
    words: Vec<u32>,
    wasted: usize,
    live: usize,
}

impl Arena {
    /// Stores a clause; `lbd` is given for learned ones.
    pub fn alloc(&mut self, lits: &[Lit], lbd: Option<u32>) -> ClauseRef {
        let at = self.words.len();
        assert!(at < OFFSET_LIMIT as usize, "clause memory is full");
        self.words.push(lits.len() as u32);
        self.words.push(match lbd {
            Some(lbd) => LEARNED | lbd.min(LBD_MAX) << LBD_SHIFT,
            None => 0,
        });
        self.words.extend(lits.iter().map(|lit| lit.code()));
        if lbd.is_some() {
            self.words.push(0f32.to_bits());
        }
        self.live += 1;
        ClauseRef(at as u32)
    }

    #[inline]
    pub fn len(&self, clause: ClauseRef) -> usize {
        self.words[clause.0 as usize] as usize
    }

    /// The codes of the literals.
    #[inline]
    pub fn codes_mut(&mut self, clause: ClauseRef) -> &mut [u32] {
        let at = clause.0 as usize;
        let len = self.words[at] as usize;
        &mut self.words[at + HEADER..at + HEADER + len]
    }

    #[inline]
    pub fn lits(&self, clause: ClauseRef) -> impl Iterator<Item = Lit> + '_ {
        let at = clause.0 as usize;
        let len = self.words[at] as usize;
        self.words[at + HEADER..at + HEADER + len]
            .iter()
            .map(|&code| Lit::from_code(code))
    }

    #[inline]
    pub fn lit(&self, clause: ClauseRef, index: usize) -> Lit {
        Lit::from_code(self.words[clause.0 as usize + HEADER + index])
    }

    /// The literals that are watched.
    pub fn first_two(&self, clause: ClauseRef) -> [Lit; 2] {
        [self.lit(clause, 0), self.lit(clause, 1)]
    }

    #[inline]
    fn meta(&self, clause: ClauseRef) -> u32 {
        self.words[clause.0 as usize + 1]
    }

    #[inline]
    fn meta_mut(&mut self, clause: ClauseRef) -> &mut u32 {
        &mut self.words[clause.0 as usize + 1]
    }

    #[inline]
    pub fn is_learned(&self, clause: ClauseRef) -> bool {
        self.meta(clause) & LEARNED != 0
    }

    pub fn is_deleted(&self, clause: ClauseRef) -> bool {
        self.meta(clause) & DELETED != 0
    }

    #[inline]
    pub fn lbd(&self, clause: ClauseRef) -> u32 {
        self.meta(clause) >> LBD_SHIFT
    }

    pub fn set_lbd(&mut self, clause: ClauseRef, lbd: u32) {
        let meta = self.meta_mut(clause);
        *meta = *meta & ((1 << LBD_SHIFT) - 1) & !VIVIFIED | lbd.min(LBD_MAX) << LBD_SHIFT;
    }

    /// For how many more reductions the clause is safe because it was used.
    pub fn used(&self, clause: ClauseRef) -> u32 {
        (self.meta(clause) & USED_MASK) >> USED_SHIFT
    }

    pub fn set_used(&mut self, clause: ClauseRef, used: u32) {
        let meta = self.meta_mut(clause);
        *meta = *meta & !USED_MASK | used << USED_SHIFT;
    }

    /// Whether vivification has tried the clause since its LBD was last set.
    pub fn is_vivified(&self, clause: ClauseRef) -> bool {
        self.meta(clause) & VIVIFIED != 0
    }

    pub fn set_vivified(&mut self, clause: ClauseRef) {
        *self.meta_mut(clause) |= VIVIFIED;
    }

    pub fn activity(&self, clause: ClauseRef) -> f32 {
        debug_assert!(self.is_learned(clause));
        f32::from_bits(self.words[clause.0 as usize + HEADER + self.len(clause)])
    }

    pub fn set_activity(&mut self, clause: ClauseRef, activity: f32) {
        debug_assert!(self.is_learned(clause));
        let at = clause.0 as usize + HEADER + self.len(clause);
        self.words[at] = activity.to_bits();
    }

    /// Marks a clause as deleted. Its watches must go before the next [`Arena::compact`].
    pub fn delete(&mut self, clause: ClauseRef) {
        debug_assert!(!self.is_deleted(clause));
        *self.meta_mut(clause) |= DELETED;
        self.wasted += self.extent(clause);
        self.live -= 1;
    }

    fn extent(&self, clause: ClauseRef) -> usize {
        HEADER + self.len(clause) + usize::from(self.is_learned(clause))
    }

    /// All clauses that are not deleted, in memory order.
    pub fn iter(&self) -> impl Iterator<Item = ClauseRef> + '_ {
        let mut at = 0;
        std::iter::from_fn(move || {
            while at < self.words.len() {
                let clause = ClauseRef(at as u32);
                at += self.extent(clause);
                if !self.is_deleted(clause) {
                    return Some(clause);
                }
            }
            None
        })
    }

    /// Clauses in force.
    pub fn live(&self) -> usize {
        self.live
    }

    /// Words in use, holes included.
    pub fn words(&self) -> usize {
        self.words.len()
    }

    /// Whether holes take up enough memory to be worth a copy.
    pub fn wants_compaction(&self) -> bool {
        self.wasted > 4096 && self.wasted * 4 > self.words.len()
    }

    /// Moves every live clause to fresh memory, without the literals for which `drop_lit` holds
    /// (never among the first two). The result maps old references to new ones.
    pub fn compact(&mut self, drop_lit: impl Fn(Lit) -> bool) -> Moves {
        let mut new = Arena {
            words: Vec::with_capacity(self.words.len() - self.wasted),
            wasted: 0,
            live: self.live,
        };
        let mut at = 0;
        while at < self.words.len() {
            let clause = ClauseRef(at as u32);
            let extent = self.extent(clause);
            if !self.is_deleted(clause) {
                let to = new.words.len();
                let body = at + HEADER..at + HEADER + self.len(clause);
                new.words.extend_from_slice(&self.words[at..body.end]);
                let mut kept = HEADER;
                for (index, word) in body.clone().enumerate() {
                    let code = self.words[word];
                    if index < 2 || !drop_lit(Lit::from_code(code)) {
                        new.words[to + kept] = code;
                        kept += 1;
                    }
                }
                new.words.truncate(to + kept);
                new.words[to] = (kept - HEADER) as u32;
                new.words
                    .extend_from_slice(&self.words[body.end..at + extent]);
                *self.meta_mut(clause) |= MOVED;
                self.words[at + HEADER] = to as u32;
            }
            at += extent;
        }
        Moves {
            old: std::mem::replace(self, new),
        }
    }
}

/// Where clauses went in a compaction.
pub(crate) struct Moves {
    old: Arena,
}

impl Moves {
    /// The new place of a clause; `None` if it was deleted.
    #[inline]
    pub fn get(&self, clause: ClauseRef) -> Option<ClauseRef> {
        (self.old.meta(clause) & MOVED != 0)
            .then(|| ClauseRef(self.old.words[clause.0 as usize + HEADER]))
    }
}
