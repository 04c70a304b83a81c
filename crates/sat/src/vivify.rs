//! Vivification. The literals of a clause are made false one after the other, and propagated as if the clause did
//! not exist. If that makes another one false, it was not needed; if it leads to a conflict, or makes one true, the
//! literals which that follows from are clause enough (Piette, Hamadi and Saïs, "Vivifying Propositional Clausal
//! Formulae", ECAI 2008). Learned clauses that join few levels are those that matter, and one try is enough until
//! they join fewer (Luo, Li, Xiao, Manyà and Lü, "An Effective Learnt Clause Minimization Approach", IJCAI 2017).
//! Clauses are sorted so that many begin alike, and the decisions which that takes stay for the next (CaDiCaL).

use crate::Cdcl;
use crate::arena::ClauseRef;
use crate::lit::Lit;
use crate::propagate::{FUEL, Propagation};
use crate::solve::Search;

/// Learned clauses with a higher LBD are not worth it.
const HIGHEST_LBD: u32 = 6;
/// Propagation that may be spent, in percent of what the search spent.
const EFFORT: u64 = 10;

/// A clause to be tried.
struct Candidate {
    clause: ClauseRef,
    /// Its literals, those that are in most candidates first.
    lits: Vec<Lit>,
}

/// What a clause turned out to be.
enum Verdict {
    /// All of it is needed. (Also if it leads to a conflict without itself: what was learned always does.)
    Needed,
    /// A part of it, left in a buffer, is enough.
    Shorter,
    /// A limit of the query was reached.
    Unknown,
}

impl Cdcl {
    /// At level 0, with everything propagated: shortens learned clauses.
    pub(crate) fn vivify(&mut self, search: &Search<'_>) {
        let effort = self.share_of_search(EFFORT, search);
        let before = self.stats.propagations;
        let phases = self.trail.phases.clone();
        let mut replaced = Vec::new();
        let mut shorter = Vec::new();
        for candidate in self.candidates() {
            if self.refuted || self.stats.propagations - before > effort {
                break;
            }
            self.stats.vivification_tries += 1;
            let clause = candidate.clause;
            self.arena.set_vivified(clause);
            match self.try_without(&candidate, search, &mut shorter) {
                Verdict::Needed => continue,
                Verdict::Shorter => {
                    self.stats.vivified += 1;
                    self.backtrack(0);
                    self.replace_by(clause, &mut shorter);
                }
                Verdict::Unknown => break,
            }
            replaced.push(clause);
        }
        self.backtrack(0);
        self.trail.phases = phases;
        self.stats.deleted += replaced.len() as u64;
        self.delete(&replaced);
    }

    /// The clauses to try, those that begin alike together.
    fn candidates(&self) -> Vec<Candidate> {
        let arena = &self.arena;
        let worthwhile = |clause: &&ClauseRef| {
            arena.lbd(**clause) <= HIGHEST_LBD && !arena.is_vivified(**clause)
        };
        let mut candidates: Vec<Candidate> = { self.learned.iter().filter(worthwhile) }
            .map(|&clause| Candidate {
                clause,
                lits: arena.lits(clause).collect(),
            })
            .collect();
        let mut occurrences = vec![0u32; self.trail.values.len()];
        for lit in candidates.iter().flat_map(|candidate| &candidate.lits) {
            occurrences[lit.index()] += 1;
        }
        let rank = |lit: &Lit| (std::cmp::Reverse(occurrences[lit.index()]), *lit);
        for candidate in &mut candidates {
            candidate.lits.sort_unstable_by_key(rank);
        }
        candidates.sort_by(|a, b| a.lits.iter().map(rank).cmp(b.lits.iter().map(rank)));
        candidates
    }

    /// Tries whether the other clauses do without this one, or with a part of it.
    fn try_without(
        &mut self,
        candidate: &Candidate,
        search: &Search<'_>,
        shorter: &mut Vec<Lit>,
    ) -> Verdict {
        let Candidate { clause, lits } = candidate;
        shorter.clear();
        self.keep_common_decisions(*clause, lits);
        for &lit in lits {
            if self.trail.is_true(lit) {
                // One that holds for good leaves nothing; the next sweep sees to the clause.
                if self.trail.level(lit.var()) > 0 {
                    self.tried_lits_behind(&[!lit], shorter);
                    shorter.push(lit);
                }
                return Verdict::of(shorter, lits);
            }
            if self.trail.is_false(lit) {
                continue;
            }
            self.trail.open_level(!lit);
            loop {
                match self.propagate_without(*clause) {
                    Propagation::Done => break,
                    Propagation::Conflict(conflict) => {
                        let lits_of_conflict = self.conflict_lits(conflict);
                        self.tried_lits_behind(&lits_of_conflict, shorter);
                        self.backtrack(self.trail.depth() - 1);
                        return Verdict::of(shorter, lits);
                    }
                    Propagation::Paused => {
                        self.fuel = FUEL;
                        if search.out_of_time().is_some() {
                            return Verdict::Unknown;
                        }
                    }
                }
            }
        }
        self.tried_lits_behind(lits, shorter);
        Verdict::of(shorter, lits)
    }

    /// The literals that were made false and from which it follows that `lits` are.
    fn tried_lits_behind(&mut self, lits: &[Lit], tried: &mut Vec<Lit>) {
        self.decisions_behind(lits, tried);
        tried.iter_mut().for_each(|lit| *lit = !*lit);
    }

    /// Backtracks to where the decisions are no longer those that `lits` begin with, or depend on `clause`.
    fn keep_common_decisions(&mut self, clause: ClauseRef, lits: &[Lit]) {
        let mut common = 0;
        for &lit in lits {
            if self.trail.decision(common + 1) == Some(!lit) {
                common += 1;
            } else if !self.trail.is_false(lit) || self.trail.level(lit.var()) > common {
                break;
            }
        }
        for lit in self.arena.first_two(clause) {
            if self.trail.is_reason(clause, lit, lit) && self.trail.level(lit.var()) > 0 {
                common = common.min(self.trail.level(lit.var()) - 1);
            }
        }
        self.backtrack(common);
    }

    /// At level 0: puts what is left of a learned clause in force.
    fn replace_by(&mut self, clause: ClauseRef, lits: &mut [Lit]) {
        self.trace(lits);
        let lbd = self.arena.lbd(clause).min(lits.len() as u32 - 1);
        if let Some(new) = self.install(lits, Some(lbd)) {
            self.arena.set_vivified(new);
            self.arena.set_used(new, self.arena.used(clause));
            self.arena.set_activity(new, self.arena.activity(clause));
        }
        self.propagate_facts();
    }
}

impl Verdict {
    fn of(part: &[Lit], whole: &[Lit]) -> Verdict {
        if part.is_empty() || part.len() == whole.len() {
            Verdict::Needed
        } else {
            Verdict::Shorter
        }
    }
}
