//! The search and the theory take turns. Whenever propagation has come to rest on a trail that the theory has
//! not seen, it is shown what is new; when the search has nothing left to decide, the theory has the last
//! word. Its lemmas go in force under the trail as it is (`install.rs`). One that is false is a conflict, and
//! analysed like any other, except that it can be false at a single literal of its highest level: then the
//! first implication point is that literal, what is learned is the lemma itself or a part of it, and takes
//! its place.

use crate::Cdcl;
use crate::engine::{Engine, Outcome, StopReason};
use crate::lit::Lit;
use crate::propagate::{Conflict, FUEL};
use crate::solve::Search;
use crate::theory::{Completion, Lemmas};

/// What a look of the theory at the trail counts as, in visited watches.
const FUEL_OF_A_LOOK: i64 = FUEL / 8;

impl Cdcl {
    /// Whether there is a theory, and it has not seen the trail as it is.
    #[inline]
    pub(crate) fn has_news(&self, search: &Search<'_>) -> bool {
        search.query.theory.is_some() && self.trail.is_news()
    }

    /// Shows the trail to the theory. Returns the answer, if this ends the search.
    pub(crate) fn tell_theory(&mut self, search: &mut Search<'_>) -> Option<Outcome> {
        let theory = search.query.theory.as_deref_mut()?;
        let mut lemmas = std::mem::take(&mut self.lemmas);
        lemmas.begin(self.num_vars());
        theory.propagate(&self.trail.view(&[]), self.trail.seen(), &mut lemmas);
        self.fuel -= FUEL_OF_A_LOOK;
        let outcome = self.take_in(lemmas, search);
        outcome.or_else(|| self.limit_reached(search))
    }

    /// Asks the theory, if there is one, whether the trail, to which the clauses have no objection, is a
    /// model. Returns the answer, or nothing if the search has to go on.
    pub(crate) fn confirm(&mut self, search: &mut Search<'_>) -> Option<Outcome> {
        let Some(theory) = search.query.theory.as_deref_mut() else {
            return Some(Outcome::Sat);
        };
        let mut lemmas = std::mem::take(&mut self.lemmas);
        lemmas.begin(self.num_vars());
        let completion = theory.complete(&self.trail.view(&[]), self.trail.seen(), &mut lemmas);
        self.fuel = 0; // Rare, and often long: a reason to look at the clock.
        let outcome = self.take_in(lemmas, search);
        if outcome.is_some() {
            return outcome;
        }
        let goes_on = self.trail.is_news()
            || search.asked.any_open(&self.trail)
            || search
                .branch
                .is_some_and(|lit| !self.trail.is_assigned(lit.var()));
        match completion {
            Completion::GiveUp => Some(Outcome::Unknown(StopReason::Theory)),
            _ if goes_on => self.limit_reached(search),
            Completion::Accept => Some(Outcome::Sat),
            Completion::Refine => Some(Outcome::Unknown(StopReason::Theory)),
        }
    }

    fn limit_reached(&mut self, search: &Search<'_>) -> Option<Outcome> {
        if self.fuel > 0 {
            return None;
        }
        self.fuel = FUEL;
        search.out_of_time().map(Outcome::Unknown)
    }

    /// Does what the theory asks for, having shown it the trail. Puts all lemmas in force, also when the
    /// first ones decide the query.
    fn take_in(&mut self, lemmas: Lemmas, search: &mut Search<'_>) -> Option<Outcome> {
        self.trail.was_seen();
        self.stats.theory_calls += 1;
        self.stats.lemmas += lemmas.clause_count() as u64;
        while self.num_vars() < lemmas.var_count() {
            self.new_var();
        }
        for &(var, value) in lemmas.phases() {
            self.set_phase(var, value);
        }
        for &var in lemmas.asked() {
            search.asked.add(var, &mut self.order, &self.trail);
        }
        search.branch = lemmas.next_decision();
        let mut outcome = None;
        let mut lits = std::mem::take(&mut self.adding);
        for (clause, for_good) in lemmas.clauses() {
            lits.clear();
            lits.extend_from_slice(clause);
            self.add_lemma(&mut lits, for_good, search, &mut outcome);
        }
        self.adding = lits;
        self.lemmas = lemmas;
        if self.refuted {
            self.failed.clear();
            return Some(Outcome::Unsat);
        }
        outcome
    }

    /// Puts a lemma in force; learns from it where it is false, unless the outcome is known.
    fn add_lemma(
        &mut self,
        lits: &mut Vec<Lit>,
        for_good: bool,
        search: &mut Search<'_>,
        outcome: &mut Option<Outcome>,
    ) {
        while !self.refuted && self.normalize(lits) {
            let is_false = lits.iter().all(|&lit| self.trail.is_false(lit));
            if !is_false || outcome.is_some() {
                let lbd = (!for_good).then(|| self.expected_lbd(lits));
                self.forgetting.lemmas += u64::from(!for_good);
                self.facts_waiting += usize::from(lits.len() == 1);
                self.install(lits, lbd);
                return;
            }
            let replaced = self.count_at_top(lits) <= 1;
            *outcome = self.learn_from_lemma(lits, for_good && replaced, search);
            if replaced {
                return;
            }
        }
    }

    fn learn_from_lemma(
        &mut self,
        lits: &[Lit],
        for_good: bool,
        search: &mut Search<'_>,
    ) -> Option<Outcome> {
        self.scratch.lemma.clear();
        self.scratch.lemma.extend_from_slice(lits);
        if self.learn(Conflict::Lemma { for_good }, search) {
            Some(Outcome::Unsat)
        } else if search.out_of_conflicts() {
            Some(Outcome::Unknown(StopReason::Conflicts))
        } else {
            None
        }
    }

    /// How many literals of a false clause are at the highest level of them all.
    fn count_at_top(&self, lits: &[Lit]) -> usize {
        let levels = lits.iter().map(|lit| self.trail.level(lit.var()));
        let top = levels.clone().max();
        levels.filter(|&level| Some(level) == top).count()
    }

    /// The levels of the false literals, and one for each other: those may be anywhere some day.
    fn expected_lbd(&mut self, lits: &[Lit]) -> u32 {
        let mut of_false = std::mem::take(&mut self.scratch.stack);
        of_false.clear();
        of_false.extend(lits.iter().filter(|&&lit| self.trail.is_false(lit)));
        let lbd = self.count_levels(&of_false) + (lits.len() - of_false.len()) as u32;
        self.scratch.stack = of_false;
        lbd
    }
}
