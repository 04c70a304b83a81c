//! Subsumption. A clause with all literals of another one says less, and is removed. One with all of them but one,
//! which it has negated, can do without that one: their resolvent is the rest of it (self-subsuming resolution; Eén
//! and Biere, "Effective Preprocessing in SAT through Variable and Clause Elimination", SAT 2005). Vivification
//! leaves many of both kinds behind, since what it shortens is often a clause that is there already.
//!
//! Each clause looks backward for those it does this to, among all clauses with that of its variables which is in the
//! fewest. Watches do not tell which those are. So the pass copies the clauses that concern it, binary ones too, works
//! on the copy, and at its end deletes what is outdated and puts in force what is new.

use crate::Cdcl;
use crate::arena::ClauseRef;
use crate::lit::{Lit, Var};
use crate::solve::Search;

/// Learned clauses with a higher LBD will be forgotten anyway.
const HIGHEST_LBD: u32 = 6;
/// Longer clauses hardly ever subsume another one.
const LONGEST: usize = 24;
/// Literals that may be compared, in percent of those that the search propagated.
const EFFORT: u64 = 100;

/// A clause of the copy.
struct Entry {
    lits: Vec<Lit>,
    /// Given for learned clauses.
    lbd: Option<u32>,
    /// One bit for each variable, up to collisions.
    signature: u64,
    /// Whether it waits to look for others.
    is_queued: bool,
    /// Whether it is subsumed.
    is_gone: bool,
    home: Home,
}

/// Where the clause of an entry is in force.
#[derive(Clone, Copy)]
enum Home {
    Arena(ClauseRef),
    Watches(Lit, Lit),
    Nowhere,
}

/// The copy, and the state of the pass.
struct Pass {
    entries: Vec<Entry>,
    /// For each variable the entries that contain it, and some that once did.
    of_var: Vec<Vec<u32>>,
    /// Clauses that have not looked yet.
    queue: Vec<u32>,
    /// For each literal whether it is in the clause that looks.
    is_marked: Vec<bool>,
    /// What is in force, but outdated.
    outdated: Vec<ClauseRef>,
    outdated_binary: Vec<(Lit, Lit)>,
    /// Literals that may still be compared.
    effort: u64,
}

/// What a clause does to another one.
enum Relation {
    None,
    Subsumes,
    /// It makes this literal of the other superfluous.
    Strengthens(Lit),
}

fn signature(lits: &[Lit]) -> u64 {
    let bit = |lit: &Lit| 1 << (lit.var().index() & 63);
    lits.iter().fold(0, |all, lit| all | bit(lit))
}

impl Pass {
    fn new(vars: usize, effort: u64) -> Pass {
        Pass {
            entries: Vec::new(),
            of_var: vec![Vec::new(); vars],
            queue: Vec::new(),
            is_marked: vec![false; 2 * vars],
            outdated: Vec::new(),
            outdated_binary: Vec::new(),
            effort,
        }
    }

    fn insert(&mut self, lits: Vec<Lit>, lbd: Option<u32>, home: Home) {
        let index = self.entries.len() as u32;
        for lit in &lits {
            self.of_var[lit.var().index()].push(index);
        }
        self.entries.push(Entry {
            signature: signature(&lits),
            lits,
            lbd,
            is_queued: false,
            is_gone: false,
            home,
        });
        // Clauses as they were added have nothing to do with each other: what is new is learned, or short.
        if lbd.is_some() || matches!(home, Home::Watches(..)) {
            self.enqueue(index);
        }
    }

    fn enqueue(&mut self, index: u32) {
        let is_queued = &mut self.entries[index as usize].is_queued;
        if !std::mem::replace(is_queued, true) {
            self.queue.push(index);
        }
    }

    /// The next clause to look, unless that was enough.
    fn next(&mut self) -> Option<u32> {
        loop {
            let index = self.queue.pop().filter(|_| self.effort > 0)?;
            let entry = &mut self.entries[index as usize];
            entry.is_queued = false;
            if !entry.is_gone && entry.lits.len() <= LONGEST {
                return Some(index);
            }
        }
    }

    fn spend(&mut self, effort: usize) {
        self.effort = self.effort.saturating_sub(effort as u64);
    }

    /// The variable of a clause that is in the fewest.
    fn rarest(&self, lits: &[Lit]) -> Option<Var> {
        let vars = lits.iter().map(|lit| lit.var());
        vars.min_by_key(|var| self.of_var[var.index()].len())
    }

    fn mark(&mut self, lits: &[Lit], is_marked: bool) {
        for lit in lits {
            self.is_marked[lit.index()] = is_marked;
        }
    }

    /// What the marked clause, of `len` literals, does to another one.
    fn relation(&self, len: usize, other: &[Lit]) -> Relation {
        let mut shared = 0;
        let mut negated = None;
        for &lit in other {
            if self.is_marked[lit.index()] {
                shared += 1;
            } else if self.is_marked[(!lit).index()] && negated.replace(lit).is_some() {
                return Relation::None;
            }
        }
        match negated {
            None if shared == len => Relation::Subsumes,
            Some(lit) if shared + 1 == len => Relation::Strengthens(lit),
            _ => Relation::None,
        }
    }

    /// `other` goes, since `index` says more. If it was to stay for good, that one has to.
    fn remove(&mut self, other: u32, index: u32) {
        let is_learned = |index: u32| self.entries[index as usize].lbd.is_some();
        if is_learned(index) && !is_learned(other) {
            self.leave_home(index);
            self.entries[index as usize].lbd = None;
        }
        self.leave_home(other);
        self.entries[other as usize].is_gone = true;
    }

    /// A clause goes on without `lit`, and looks for others again.
    fn strengthen(&mut self, index: u32, lit: Lit) {
        self.leave_home(index);
        let entry = &mut self.entries[index as usize];
        entry.lits.retain(|&other| other != lit);
        entry.signature = signature(&entry.lits);
        let most_levels = entry.lits.len().saturating_sub(1) as u32;
        entry.lbd = entry.lbd.map(|lbd| lbd.min(most_levels));
        self.enqueue(index);
    }

    fn leave_home(&mut self, index: u32) {
        let home = &mut self.entries[index as usize].home;
        match std::mem::replace(home, Home::Nowhere) {
            Home::Arena(clause) => self.outdated.push(clause),
            Home::Watches(a, b) => self.outdated_binary.push((a, b)),
            Home::Nowhere => {}
        }
    }
}

impl Cdcl {
    /// At level 0, with everything propagated and swept: removes and shortens clauses that others make superfluous.
    pub(crate) fn subsume(&mut self, search: &Search<'_>) {
        let effort = self.share_of_search(EFFORT, search);
        if effort < self.size() as u64 {
            return;
        }
        let mut pass = self.copied(effort);
        while let Some(index) = pass.next() {
            self.look_backward(index, &mut pass);
            if self.refuted {
                return;
            }
        }
        self.put_in_force(pass);
    }

    /// Copies all clauses but the worse learned ones.
    fn copied(&self, effort: u64) -> Pass {
        let mut pass = Pass::new(self.trail.phases.len(), effort);
        for (a, b) in self.watches.binary_clauses() {
            pass.insert(vec![a, b], None, Home::Watches(a, b));
        }
        for clause in self.arena.iter() {
            let is_learned = self.arena.is_learned(clause);
            let lbd = is_learned.then(|| self.arena.lbd(clause));
            if lbd.is_none_or(|lbd| lbd <= HIGHEST_LBD) {
                let lits = self.arena.lits(clause).collect();
                pass.insert(lits, lbd, Home::Arena(clause));
            }
        }
        pass
    }

    /// Removes and shortens what one clause makes superfluous.
    fn look_backward(&mut self, index: u32, pass: &mut Pass) {
        let Entry {
            lits, signature, ..
        } = &pass.entries[index as usize];
        let (lits, signature) = (lits.clone(), *signature);
        let Some(rarest) = pass.rarest(&lits) else {
            return;
        };
        pass.mark(&lits, true);
        pass.spend(pass.of_var[rarest.index()].len());
        for at in 0..pass.of_var[rarest.index()].len() {
            let other = pass.of_var[rarest.index()][at];
            let entry = &pass.entries[other as usize];
            let is_related = signature & !entry.signature == 0 && lits.len() <= entry.lits.len();
            if other == index || entry.is_gone || !is_related {
                continue;
            }
            let relation = pass.relation(lits.len(), &entry.lits);
            pass.spend(entry.lits.len());
            match relation {
                Relation::None => {}
                Relation::Subsumes => {
                    self.stats.subsumed += 1;
                    pass.remove(other, index);
                }
                Relation::Strengthens(lit) => {
                    self.stats.strengthened += 1;
                    pass.strengthen(other, lit);
                    match &pass.entries[other as usize].lits[..] {
                        [] => self.refuted = true,
                        shorter => self.trace(shorter),
                    }
                }
            }
        }
        pass.mark(&lits, false);
    }

    /// At level 0: makes the clauses in force those of the copy, and propagates.
    fn put_in_force(&mut self, pass: Pass) {
        self.delete(&pass.outdated);
        for &(a, b) in &pass.outdated_binary {
            self.watches.remove_binary(a, b);
        }
        for mut entry in pass.entries {
            let is_new = matches!(entry.home, Home::Nowhere) && !entry.is_gone;
            if is_new && !self.refuted && self.normalize(&mut entry.lits) {
                self.install(&mut entry.lits, entry.lbd);
            }
        }
        if !self.refuted {
            self.propagate_facts();
        }
    }
}
