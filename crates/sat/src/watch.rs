//! Watch lists. A clause is visited only when one of two watched literals becomes false (Chaff).
//! Each watch carries a *blocker*, some other literal of the clause: while that is true the clause
//! need not be looked at (MiniSat). For a binary clause the blocker is the whole rest of the
//! clause, so it needs no clause memory at all.

use crate::arena::{ClauseRef, OFFSET_LIMIT};
use crate::lit::Lit;

/// One entry of the list that is walked when the watched literal becomes false.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watch {
    clause: u32,
    pub blocker: Lit,
}

/// Not the offset of any clause.
const BINARY: u32 = OFFSET_LIMIT;

impl Watch {
    #[inline]
    pub fn binary(other: Lit) -> Watch {
        Watch {
            clause: BINARY,
            blocker: other,
        }
    }

    #[inline]
    pub fn long(clause: ClauseRef, blocker: Lit) -> Watch {
        Watch {
            clause: clause.0,
            blocker,
        }
    }

    /// The clause, unless it is binary.
    #[inline]
    pub fn clause(self) -> Option<ClauseRef> {
        (self.clause != BINARY).then_some(ClauseRef(self.clause))
    }
}

/// The lists, indexed by the literal whose becoming *true* makes them due.
#[derive(Default)]
pub(crate) struct Watches {
    lists: Vec<Vec<Watch>>,
    /// Binary clauses in force.
    pub binary: usize,
}

impl Watches {
    /// Room for one more variable.
    pub fn grow(&mut self) {
        self.lists.push(Vec::new());
        self.lists.push(Vec::new());
    }

    /// The clauses to visit now that `lit` is true.
    #[inline]
    pub fn due(&mut self, lit: Lit) -> &mut Vec<Watch> {
        &mut self.lists[lit.index()]
    }

    /// Watches `lit` in a clause.
    #[inline]
    pub fn add(&mut self, lit: Lit, watch: Watch) {
        self.lists[(!lit).index()].push(watch);
    }

    pub fn add_binary(&mut self, a: Lit, b: Lit) {
        self.add(a, Watch::binary(b));
        self.add(b, Watch::binary(a));
        self.binary += 1;
    }

    pub fn add_long(&mut self, clause: ClauseRef, a: Lit, b: Lit) {
        self.add(a, Watch::long(clause, b));
        self.add(b, Watch::long(clause, a));
    }

    /// All binary clauses, once each.
    pub fn binary_clauses(&self) -> impl Iterator<Item = (Lit, Lit)> {
        self.lists.iter().enumerate().flat_map(|(index, list)| {
            let lit = !Lit::from_code(index as u32);
            let others = list
                .iter()
                .filter(move |w| w.clause().is_none() && lit < w.blocker);
            others.map(move |watch| (lit, watch.blocker))
        })
    }

    /// Removes a binary clause, once.
    pub fn remove_binary(&mut self, a: Lit, b: Lit) {
        for (lit, other) in [(a, b), (b, a)] {
            let list = self.due(!lit);
            let is_it = |w: &Watch| w.clause().is_none() && w.blocker == other;
            if let Some(at) = list.iter().position(is_it) {
                list.swap_remove(at);
            }
        }
        self.binary -= 1;
    }

    /// All lists, each with the literal it watches for *falsity*.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (Lit, &mut Vec<Watch>)> {
        self.lists
            .iter_mut()
            .enumerate()
            .map(|(index, list)| (!Lit::from_code(index as u32), list))
    }

    pub fn watched(&self, lit: Lit) -> &[Watch] {
        &self.lists[(!lit).index()]
    }
}
