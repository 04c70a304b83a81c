//! Which values a term may have, where its structure, and what is known of its parts, show that they are few: an address
//! that a condition chooses, an index of some bits.

use crate::{Op, Term, Terms};

/// So many terms are looked at, for one answer.
const VISITS: u32 = 128;

/// What somebody knows of a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// Its value; of a condition, 0 or 1.
    Is(u64),
    /// Values that it does not have, as bits: the lowest for 0. It has at most 3 bits itself.
    IsNot(u8),
}

impl Terms {
    /// All values that a term of up to 64 bits may have, in ascending order, if they are at most `most`. There may be
    /// some among them that it never has, and there is always one: what is known may contradict itself. `known` says
    /// what is known of terms it is made of.
    pub fn possible_values(
        &self,
        term: Term,
        most: usize,
        known: &dyn Fn(Term) -> Option<Known>,
    ) -> Option<Vec<u64>> {
        Search {
            terms: self,
            most,
            known,
            visits: VISITS,
        }
        .values(term)
    }
}

struct Search<'t> {
    terms: &'t Terms,
    most: usize,
    known: &'t dyn Fn(Term) -> Option<Known>,
    visits: u32,
}

impl Search<'_> {
    fn values(&mut self, term: Term) -> Option<Vec<u64>> {
        if let Some(value) = self.terms.small_value(term) {
            return Some(vec![value]);
        }
        self.visits = self.visits.checked_sub(1)?;
        let width = self.terms.width(term);
        if width > 64 {
            return None;
        }
        let excluded = match (self.known)(term) {
            Some(Known::Is(value)) => return Some(vec![value]),
            Some(Known::IsNot(excluded)) => excluded,
            None => 0,
        };
        // Whatever a few bits are made of.
        let is_small = width < 16 && 1 << width <= self.most;
        let mut values = match is_small {
            true => (0..1 << width).collect(),
            false => self.by_structure(term, u64::MAX >> (64 - width))?,
        };
        values.retain(|&value| value >= 8 || excluded >> value & 1 == 0);
        Some(values).filter(|values| !values.is_empty())
    }

    fn by_structure(&mut self, term: Term, mask: u64) -> Option<Vec<u64>> {
        let args = self.terms.args(term);
        match self.terms.op(term) {
            Op::Ite => match (self.known)(args[0]) {
                Some(Known::Is(holds)) => self.values(args[if holds == 1 { 1 } else { 2 }]),
                _ => {
                    let mut values = self.values(args[1])?;
                    values.extend(self.values(args[2])?);
                    self.few(values)
                }
            },
            Op::Concat => {
                let low = self.terms.width(args[1]);
                self.join(args, |high, part| high << low | part)
            }
            Op::Extract { lo } => self.map(args[0], |value| value >> lo & mask),
            Op::SignExtend => {
                let unused = 64 - self.terms.width(args[0]);
                self.map(args[0], |value| {
                    (((value << unused) as i64) >> unused) as u64 & mask
                })
            }
            Op::BvNot => self.map(args[0], |value| !value & mask),
            Op::BvAdd => self.join(args, |a, b| a.wrapping_add(b) & mask),
            Op::BvMul => self.join(args, |a, b| a.wrapping_mul(b) & mask),
            Op::BvAnd => self.join(args, |a, b| a & b),
            Op::BvOr => self.join(args, |a, b| a | b),
            Op::BvXor => self.join(args, |a, b| a ^ b),
            _ => None,
        }
    }

    fn map(&mut self, arg: Term, operation: impl Fn(u64) -> u64) -> Option<Vec<u64>> {
        let values = self.values(arg)?.into_iter().map(operation).collect();
        self.few(values)
    }

    fn join(&mut self, args: &[Term], operation: impl Fn(u64, u64) -> u64) -> Option<Vec<u64>> {
        let mut joined = self.values(*args.first()?)?;
        for &arg in &args[1..] {
            let values = self.values(arg)?;
            let pairs = joined
                .iter()
                .flat_map(|&a| values.iter().map(move |&b| (a, b)));
            let all = pairs.map(|(a, b)| operation(a, b)).collect();
            joined = self.few(all)?;
        }
        Some(joined)
    }

    fn few(&self, mut values: Vec<u64>) -> Option<Vec<u64>> {
        values.sort_unstable();
        values.dedup();
        (values.len() <= self.most).then_some(values)
    }
}
