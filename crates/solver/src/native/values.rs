//! Repair by values: another value for one input of a violated atom.
//!
//! The atoms about an input alone leave it a domain. If that is empty they are in conflict. Otherwise its values (or
//! some of them) are tried all at once, by column evaluation, on every other atom that depends on the input: one that
//! satisfies the violated atom and spoils none is a repair. Most branches of a program are decided here, without a
//! clause.

use refrain_term::{Batch, Bv, Term, Terms};

use super::domain::{Allowed, Domain};
use super::inputs::InputId;
use super::work::Kind;
use super::{Native, Repair, set_scalar};
use crate::Limits;
use crate::simplify::tables::set_input;

/// How many inputs of a violated atom are tried.
const MAX_INPUTS: usize = 8;

/// How many values of a wide input are tried.
const WIDE_VALUES: usize = 64;

/// About how many evaluations of atoms one check may cause, if it has few atoms; others may cause a few for each.
pub(super) const EVALUATIONS_PER_CHECK: usize = 1 << 20;

/// About how many evaluations of atoms one input may cost.
const EVALUATIONS: usize = 1 << 18;

impl Native {
    /// Repairs the violated atom at `seed` by changing one of its inputs, or shows that this cannot be. `None`:
    /// neither.
    pub(super) fn repair_by_values(
        &mut self,
        terms: &Terms,
        seed: u32,
        limits: &Limits,
    ) -> Option<Repair> {
        // Those that the fewest atoms depend on first: they are the cheapest to try, and the least in the way.
        let mut inputs = self.atoms.at(seed).inputs.to_vec();
        inputs.sort_by_key(|&input| self.atoms.occurrences(input).len());
        for &input in inputs.iter().take(MAX_INPUTS) {
            if let Some(reason) = limits.exceeded() {
                return Some(Repair::Gave(reason));
            }
            let Some(bits) = self.inputs.info(input).bits.filter(|&bits| bits <= 64) else {
                continue;
            };
            // What many atoms depend on is tried only while the check has not spent too much on it.
            let occurrences = self.atoms.occurrences(input).len();
            if occurrences > self.evaluations_left && self.atoms.at(seed).allowed.is_none() {
                continue;
            }
            self.evaluations_left = self.evaluations_left.saturating_sub(occurrences);
            let domain = self.domain_of(input, bits);
            let Some(first) = domain.first() else {
                self.core_of_values(input, bits);
                return Some(Repair::Impossible);
            };
            let affected = self.affected(terms, seed, input);
            if affected.is_empty() {
                self.set_value(terms, input, first);
                return Some(Repair::Done);
            }
            if let Some(value) = self.value_for(terms, input, &domain, &affected) {
                self.note_samples(terms, seed, &affected);
                self.set_value(terms, input, value);
                return Some(Repair::Done);
            }
        }
        None
    }

    /// What the atoms about an input alone leave it.
    pub(super) fn domain_of(&self, input: InputId, bits: u32) -> Domain {
        let mut domain = Domain::all(bits);
        for &place in self.atoms.occurrences(input) {
            if let Some(allowed) = &self.atoms.at(place).allowed {
                domain.intersect(allowed);
            }
        }
        domain
    }

    /// The atoms of several inputs that a new value of `input` must satisfy: the violated one, and those satisfied now.
    fn affected(&mut self, terms: &Terms, seed: u32, input: InputId) -> Vec<Term> {
        let mut places = self.atoms.occurrences(input).to_vec();
        // An array used as a whole depends on each of its cells.
        if let Some(family) = self.inputs.info(input).family
            && let Some(whole) = self.inputs.family(family).whole
            && whole != input
        {
            places.extend_from_slice(self.atoms.occurrences(whole));
        }
        places.retain(|&place| {
            self.atoms.at(place).allowed.is_none() && (place == seed || self.holds(terms, place))
        });
        places.sort_unstable();
        places.dedup();
        self.work.note(Kind::Evaluated, places.len());
        places
            .iter()
            .map(|&place| self.atoms.at(place).term)
            .collect()
    }

    /// A value of the domain under which all of these atoms are true, everything else being as it is.
    fn value_for(
        &mut self,
        terms: &Terms,
        input: InputId,
        domain: &Domain,
        atoms: &[Term],
    ) -> Option<u64> {
        let mut random = || {
            self.random ^= self.random << 13;
            self.random ^= self.random >> 7;
            self.random ^= self.random << 17;
            self.random
        };
        let most = match domain {
            Domain::Small(_) => 256,
            Domain::Wide { .. } => WIDE_VALUES,
        };
        let values = domain.candidates(most.min(EVALUATIONS / atoms.len()).max(4), &mut random);
        if values.is_empty() {
            return None;
        }
        self.work.note(Kind::Batch, 1);
        self.work.note(Kind::Column, values.len() * atoms.len());
        let mut batch = Batch::new(values.len(), self.model.clone());
        set_input(&mut batch, terms, self.inputs.info(input).input, &values);
        let lanes = batch.eval(terms, atoms);
        if self.wants_tried() {
            self.note_tried(terms, &[(input, values.clone())], &lanes);
        }
        let lane = (0..values.len()).find(|&lane| lanes.iter().all(|bits| bits.get(lane)))?;
        Some(values[lane])
    }

    pub(super) fn set_value(&mut self, terms: &Terms, input: InputId, value: u64) {
        let info = self.inputs.info_mut(input);
        info.value = value;
        let (bits, term) = (
            info.bits.expect("a scalar input"),
            info.term().expect("a scalar input"),
        );
        set_scalar(self.model.change(), terms, term, Bv::new(bits, value));
        self.evaluator.forget();
    }

    /// Atoms that together leave an input no value.
    fn core_of_values(&mut self, input: InputId, bits: u32) {
        let allowed = self.atoms.occurrences(input).iter().filter_map(|&place| {
            let allowed = self.atoms.at(place).allowed?;
            Some((place, allowed))
        });
        let (points, sets): (Vec<_>, Vec<_>) =
            allowed.partition(|(_, allowed)| matches!(allowed, Allowed::Not(_)));
        let leave = |some: &[(u32, Allowed)], others: &[(u32, Allowed)]| {
            let mut domain = Domain::all(bits);
            for (_, allowed) in some.iter().chain(others) {
                domain.intersect(allowed);
            }
            domain
        };
        // Single points may be many: all of them count until the sets are chosen. Each round finds the set that takes
        // the last value away, with those found before it already there.
        let mut core: Vec<(u32, Allowed)> = Vec::new();
        loop {
            let mut domain = leave(&points, &core);
            let Some(mut first) = domain.first() else {
                break;
            };
            let last = sets.iter().find(|(_, allowed)| {
                domain.intersect(allowed);
                // As long as the smallest value is left, there is no need to look for it.
                if !allowed.contains(first) {
                    match domain.first() {
                        Some(next) => first = next,
                        None => return true,
                    }
                }
                false
            });
            core.push(*last.expect("all of them together leave no value"));
        }
        // What the sets leave, the points must take away, one by one.
        let mut domain = leave(&core, &[]);
        for (place, allowed) in points {
            if let Allowed::Not(point) = allowed
                && domain.contains(point)
            {
                domain.intersect(&allowed);
                core.push((place, allowed));
            }
        }
        self.core = core
            .iter()
            .map(|&(place, _)| self.atoms.active()[place as usize].source)
            .collect();
        self.core.sort_unstable();
        self.core.dedup();
    }
}
