//! From learned clauses to a derivation with hints. The clauses are gone through from the last to the first; only those
//! that something later needs are derived again, by unit propagation from what came before them, and what propagated
//! becomes their hints (Goldberg and Novikov, "Verification of Proofs of Unsatisfiability for CNF Formulas", DATE 2003;
//! Wetzler, Heule and Hunt, "DRAT-trim", SAT 2014). Clauses that the engine forgot take part: more can only propagate
//! more.

use std::collections::BinaryHeap;

use refrain_proof::{Clauses, Lit};

use crate::search::Limits;

/// A derived clause and its hints: numbers of clauses, from 1, the given ones first.
pub struct Step {
    pub clause: Vec<Lit>,
    pub hints: Vec<u64>,
}

/// Why there is no derivation.
#[derive(Debug)]
pub enum Failure {
    /// A clause does not follow from those before it.
    Gap,
    Limit,
}

type ClauseId = u32;

/// A watching clause, and another literal of it.
#[derive(Clone, Copy)]
struct Watch {
    clause: ClauseId,
    blocker: Lit,
}

struct Propagator {
    lits: Vec<Lit>,
    ranges: Vec<(usize, usize)>,
    is_active: Vec<bool>,
    /// By literal: the clauses that watch it.
    watches: Vec<Vec<Watch>>,
    units: Vec<ClauseId>,
    values: Vec<i8>,
    reasons: Vec<Option<ClauseId>>,
    /// The place of each variable on the trail.
    places: Vec<u32>,
    trail: Vec<Lit>,
    head: usize,
}

fn index(lit: Lit) -> usize {
    2 * lit.unsigned_abs() as usize + usize::from(lit < 0)
}

fn var(lit: Lit) -> usize {
    lit.unsigned_abs() as usize
}

impl Propagator {
    fn new(vars: i32) -> Propagator {
        let vars = vars as usize + 1;
        Propagator {
            lits: Vec::new(),
            ranges: Vec::new(),
            is_active: Vec::new(),
            watches: vec![Vec::new(); 2 * vars],
            units: Vec::new(),
            values: vec![0; vars],
            reasons: vec![None; vars],
            places: vec![0; vars],
            trail: Vec::new(),
            head: 0,
        }
    }

    fn value(&self, lit: Lit) -> i8 {
        let value = self.values[var(lit)];
        if lit < 0 { -value } else { value }
    }

    fn clause(&self, id: ClauseId) -> &[Lit] {
        let (start, end) = self.ranges[id as usize];
        &self.lits[start..end]
    }

    /// Adds a clause, with everything propagated before; a clause that is false then, if there is one.
    fn add(&mut self, clause: &[Lit]) -> Option<ClauseId> {
        let id = self.ranges.len() as ClauseId;
        let start = self.lits.len();
        let mut lits = clause.to_vec();
        lits.sort_unstable_by_key(|lit| (lit.abs(), *lit));
        lits.dedup();
        let tautology = lits.windows(2).any(|pair| pair[0] == -pair[1]);
        // The best to watch come first: what is not false, then what became false last.
        lits.sort_by_key(|&lit| match self.value(lit) {
            -1 => u32::MAX - self.places[var(lit)],
            _ => 0,
        });
        self.lits.extend_from_slice(&lits);
        self.ranges.push((start, self.lits.len()));
        self.is_active.push(!tautology);
        if tautology {
            return None;
        }
        match lits[..] {
            [] => return Some(id),
            [_] => self.units.push(id),
            [a, b, ..] => {
                self.watches[index(a)].push(Watch {
                    clause: id,
                    blocker: b,
                });
                self.watches[index(b)].push(Watch {
                    clause: id,
                    blocker: a,
                });
            }
        }
        match self.value(lits[0]) {
            -1 => Some(id),
            0 if lits.get(1).is_none_or(|&lit| self.value(lit) < 0) => {
                self.assign(lits[0], Some(id));
                self.propagate()
            }
            _ => None,
        }
    }

    fn assign(&mut self, lit: Lit, reason: Option<ClauseId>) {
        let var = var(lit);
        self.values[var] = if lit < 0 { -1 } else { 1 };
        self.reasons[var] = reason;
        self.places[var] = self.trail.len() as u32;
        self.trail.push(lit);
    }

    fn undo_to(&mut self, length: usize) {
        for lit in self.trail.drain(length..) {
            self.values[var(lit)] = 0;
        }
        self.head = self.head.min(length);
    }

    /// Propagates; a false clause, if there is one.
    fn propagate(&mut self) -> Option<ClauseId> {
        while let Some(&lit) = self.trail.get(self.head) {
            self.head += 1;
            let mut watches = std::mem::take(&mut self.watches[index(-lit)]);
            let (mut kept, mut at) = (0, 0);
            let mut conflict = None;
            while at < watches.len() {
                let watch = watches[at];
                at += 1;
                if !self.is_active[watch.clause as usize] {
                    continue; // It never comes back.
                }
                if self.value(watch.blocker) > 0 {
                    watches[kept] = watch;
                    kept += 1;
                    continue;
                }
                let (start, end) = self.ranges[watch.clause as usize];
                if self.lits[start] == -lit {
                    self.lits.swap(start, start + 1);
                }
                let first = self.lits[start];
                let moved = Watch {
                    clause: watch.clause,
                    blocker: first,
                };
                if self.value(first) <= 0
                    && let Some(other) = (start + 2..end).find(|&at| self.value(self.lits[at]) >= 0)
                {
                    self.lits.swap(start + 1, other);
                    self.watches[index(self.lits[start + 1])].push(moved);
                    continue;
                }
                watches[kept] = moved;
                kept += 1;
                match self.value(first) {
                    0 => self.assign(first, Some(watch.clause)),
                    -1 => {
                        conflict = Some(watch.clause);
                        break;
                    }
                    _ => {}
                }
            }
            watches.copy_within(at.., kept);
            watches.truncate(kept + watches.len() - at);
            self.watches[index(-lit)] = watches;
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// Takes a clause back, and what follows by it.
    fn remove(&mut self, id: ClauseId) {
        self.is_active[id as usize] = false;
        let is_reason = |lit: &Lit| self.value(*lit) > 0 && self.reasons[var(*lit)] == Some(id);
        let implied = self.clause(id).iter().copied().find(is_reason);
        if let Some(lit) = implied {
            self.undo_to(self.places[var(lit)] as usize);
            // It may follow by another clause, all of whose other literals have been passed.
            self.head = 0;
            for unit in 0..self.units.len() {
                let unit = self.units[unit];
                let lit = self.clause(unit)[0];
                if self.is_active[unit as usize] && self.value(lit) == 0 {
                    self.assign(lit, Some(unit));
                }
            }
            let conflict = self.propagate();
            debug_assert!(
                conflict.is_none(),
                "the clauses before the last are consistent"
            );
        }
    }

    /// The clauses that make `conflict` false, in the order in which they propagate, `conflict` last. Variables that
    /// are `given` need no reason.
    fn antecedents(&self, conflict: ClauseId, is_given: impl Fn(usize) -> bool) -> Vec<ClauseId> {
        let mut hints = vec![conflict];
        let mut open: BinaryHeap<u32> = BinaryHeap::new();
        let mut last = None;
        let blame = |clause: ClauseId, but: Option<Lit>, open: &mut BinaryHeap<u32>| {
            for &lit in self.clause(clause) {
                if Some(lit) != but && !is_given(var(lit)) {
                    open.push(self.places[var(lit)]);
                }
            }
        };
        blame(conflict, None, &mut open);
        while let Some(place) = open.pop() {
            if last == Some(place) {
                continue;
            }
            last = Some(place);
            let lit = self.trail[place as usize];
            if let Some(reason) = self.reasons[var(lit)] {
                hints.push(reason);
                blame(reason, Some(lit), &mut open);
            }
        }
        hints.reverse();
        hints
    }
}

/// The derivation of a contradiction.
pub fn derivation<'a>(
    given: &Clauses,
    vars: i32,
    learned: impl Iterator<Item = &'a [Lit]>,
    limits: &Limits,
) -> Result<Vec<Step>, Failure> {
    let mut propagator = Propagator::new(vars);
    let mut conflict = None;
    for place in 0..given.len() {
        let found = propagator.add(given.get(place));
        conflict = conflict.or(found);
        if conflict.is_some() {
            // The others are numbered, and not needed.
            let rest = place + 1..given.len();
            for _ in rest {
                propagator.ranges.push((0, 0));
                propagator.is_active.push(false);
            }
            break;
        }
    }
    let first_learned = given.len() as ClauseId;
    for clause in learned {
        if conflict.is_some() {
            break;
        }
        conflict = propagator.add(clause);
    }
    let conflict = conflict.ok_or(Failure::Gap)?;
    let mut is_needed = vec![false; propagator.ranges.len()];
    let mut need = |hints: &[ClauseId]| {
        for &hint in hints {
            is_needed[hint as usize] = true;
        }
    };
    let hints = propagator.antecedents(conflict, |_| false);
    need(&hints);
    let mut steps = vec![(None, hints)];
    let mut is_given = vec![false; vars as usize + 1];
    for id in (first_learned..propagator.ranges.len() as ClauseId).rev() {
        propagator.remove(id);
        if !is_needed[id as usize] {
            continue;
        }
        if limits.is_reached() {
            return Err(Failure::Limit);
        }
        let root = propagator.trail.len();
        let clause = propagator.clause(id).to_vec();
        let mut conflict = None;
        for &lit in &clause {
            is_given[var(lit)] = true;
            match propagator.value(lit) {
                0 => propagator.assign(-lit, None),
                1 => conflict = propagator.reasons[var(lit)],
                _ => {}
            }
        }
        let conflict = conflict
            .or_else(|| propagator.propagate())
            .ok_or(Failure::Gap)?;
        let hints = propagator.antecedents(conflict, |var| is_given[var]);
        propagator.undo_to(root);
        for &lit in &clause {
            is_given[var(lit)] = false;
        }
        for &hint in &hints {
            is_needed[hint as usize] = true;
        }
        steps.push((Some(id), hints));
    }
    Ok(in_order(&propagator, first_learned, steps))
}

/// The steps from the first to the last, numbered one after another.
fn in_order(
    propagator: &Propagator,
    first_learned: ClauseId,
    steps: Vec<(Option<ClauseId>, Vec<ClauseId>)>,
) -> Vec<Step> {
    let mut numbers = vec![0u64; propagator.ranges.len()];
    let mut next = u64::from(first_learned);
    let mut ordered = Vec::with_capacity(steps.len());
    for (id, hints) in steps.into_iter().rev() {
        next += 1;
        let number = |&hint: &ClauseId| match hint < first_learned {
            true => u64::from(hint) + 1,
            false => numbers[hint as usize],
        };
        let hints = hints.iter().map(number).collect();
        let clause = match id {
            Some(id) => {
                numbers[id as usize] = next;
                propagator.clause(id).to_vec()
            }
            None => Vec::new(),
        };
        ordered.push(Step { clause, hints });
    }
    ordered
}
