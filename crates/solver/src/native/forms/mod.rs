//! Word-level refutation: shows that atoms cannot hold together, by what their words are, without circuits.
//!
//! Multipliers, dividers and chains of exclusive ors are what SAT engines are worst at, and programs ask about them in
//! ways that arithmetic settles at once: a number printed and read back is itself, a checksum of parts is that of the
//! whole. Each bit-vector of at most 64 bits has three views here. Its *bounds*, under what the atoms say of it
//! (`context`). Its *sum*, a polynomial over inputs and quotients, as an integer where nothing overflows (`sums`), in
//! which functions of a small value are looked through (`functions`). And its *bits*, as sets of input bits (`xors`).
//! Comparisons that a view decides are decided, and the atoms that then are false are refuted.
//!
//! Nothing is rewritten and no case is split, so this takes time in proportion to the terms, and a bound on steps cuts
//! it short. It pays where the alternative is a divider or a search, and is asked then only (`engine`).

mod context;
mod functions;
mod hardness;
mod polynomial;
mod sums;
#[cfg(test)]
mod tests;
mod xors;

use refrain_term::{Op, Sort, Term, Terms, reachable};
use rustc_hash::FxHashSet;

use context::Context;
use functions::Functions;
pub use hardness::Hardness;
use polynomial::{Polynomial, Range};
use sums::Sums;
use xors::Xors;

/// What is made of more terms is not looked at.
const MOST_TERMS: usize = 1 << 15;

/// Which of some formulas cannot hold together, by their places; nothing if that is not seen.
pub fn refute(terms: &mut Terms, formulas: &[Term]) -> Option<Vec<usize>> {
    let mut order = reachable(terms, formulas);
    if order.len() > MOST_TERMS {
        return None;
    }
    order.sort_unstable();
    let has_xors = order.iter().any(|&term| terms.op(term) == Op::BvXor);
    let mut views = Views {
        has_xors,
        context: Context::new(terms, formulas),
        sums: Sums::default(),
        functions: Functions::default(),
        xors: Xors::default(),
    };
    for &term in &order {
        if !views.context.note(terms, term) {
            return Some(views.core(terms, term, None));
        }
        views.decide(terms, term);
    }
    let refuted = (0..formulas.len()).find(|&place| views.is_refuted(terms, formulas[place]))?;
    Some(views.core(terms, formulas[refuted], Some(refuted)))
}

/// All that is known of terms under some formulas.
struct Views {
    /// Whether bits are worth a look.
    has_xors: bool,
    context: Context,
    sums: Sums,
    functions: Functions,
    xors: Xors,
}

impl Views {
    /// A formula, if one is refuted, and all that say something of what a term is made of.
    fn core(&self, terms: &Terms, term: Term, refuted: Option<usize>) -> Vec<usize> {
        let parts = reachable(terms, &[term]);
        let said = parts.iter().flat_map(|&part| self.context.sources(part));
        let core: FxHashSet<usize> = said.chain(refuted).collect();
        let mut core: Vec<usize> = core.into_iter().collect();
        core.sort_unstable();
        core
    }

    /// Whether a formula is false, now that all terms have been looked at.
    fn is_refuted(&mut self, terms: &mut Terms, formula: Term) -> bool {
        if self.context.truth(formula) == Some(false) {
            return true;
        }
        if terms.op(formula) != Op::Not || terms.op(terms.arg(formula, 0)) != Op::Eq {
            return false;
        }
        // Where the bounds of what is not zero have decided the comparison, nothing else was asked.
        let equation = terms.arg(formula, 0);
        if self.context.truth(equation) != Some(false) {
            return false;
        }
        let (a, b) = (terms.arg(equation, 0), terms.arg(equation, 1));
        matches!(terms.sort(a), Sort::BitVec(1..=64))
            && (self.equal_sums(terms, a, b) == Some(true)
                || self.same_bits(terms, a, b) == Some(true))
    }

    /// Notes the truth of a formula whose operands' truths have been noted, if it is known.
    fn decide(&mut self, terms: &mut Terms, term: Term) {
        let truth = |term: Term| self.context.truth(term);
        let arg = |index: usize| terms.arg(term, index);
        let decided = match terms.op(term) {
            Op::Not => truth(arg(0)).map(|truth| !truth),
            Op::And => {
                let args = terms.args(term);
                if args.iter().any(|&arg| truth(arg) == Some(false)) {
                    Some(false)
                } else {
                    let all = args.iter().all(|&arg| truth(arg) == Some(true));
                    all.then_some(true)
                }
            }
            Op::Ite if terms.sort(term) == Sort::Bool => match truth(arg(0)) {
                Some(chosen) => truth(arg(if chosen { 1 } else { 2 })),
                None => match (truth(arg(1)), truth(arg(2))) {
                    (Some(a), Some(b)) if a == b => Some(a),
                    _ => None,
                },
            },
            Op::Eq | Op::BvUlt | Op::BvSlt => {
                let (a, b) = (arg(0), arg(1));
                match terms.sort(a) {
                    Sort::BitVec(1..=64) => self.compare(terms, term, a, b),
                    Sort::BitVec(_) if terms.op(term) == Op::Eq => self.same_bits(terms, a, b),
                    Sort::Bool => match (truth(a), truth(b)) {
                        (Some(a), Some(b)) => Some(a == b),
                        _ => None,
                    },
                    _ => None,
                }
            }
            _ => None,
        };
        if let Some(truth) = decided {
            self.context.decide(term, truth);
        }
    }

    fn compare(&mut self, terms: &mut Terms, comparison: Term, a: Term, b: Term) -> Option<bool> {
        let (of_a, of_b) = (self.context.bounds(terms, a), self.context.bounds(terms, b));
        match terms.op(comparison) {
            Op::Eq => of_a
                .equal(&of_b)
                .or_else(|| self.equal_sums(terms, a, b))
                .or_else(|| self.same_bits(terms, a, b)),
            Op::BvUlt => of_a.less(&of_b).or_else(|| self.less(terms, a, b)),
            _ => of_a.signed_less(&of_b).or_else(|| {
                let context = &self.context;
                let signs = (context.sign(terms, a)?, context.sign(terms, b)?);
                (signs.0 == signs.1).then(|| self.less(terms, a, b))?
            }),
        }
    }

    fn same_bits(&mut self, terms: &mut Terms, a: Term, b: Term) -> Option<bool> {
        if !self.has_xors {
            return None;
        }
        let (context, functions) = (&mut self.context, &mut self.functions);
        self.xors.equal(terms, context, functions, a, b)
    }

    fn equal_sums(&mut self, terms: &mut Terms, a: Term, b: Term) -> Option<bool> {
        let x = self.sums.form(terms, &mut self.context, a)?;
        let y = self.sums.form(terms, &mut self.context, b)?;
        let width = terms.width(a);
        let difference = x.polynomial.add(&y.polynomial, -1)?.modulo(width);
        let difference = self.without_functions(terms, difference, Some(width))?;
        if difference.is_constant() {
            return Some(difference.constant == 0);
        }
        // Multiples of a power of two do not make up for what is none.
        let coefficients = difference
            .monomials
            .iter()
            .map(|(_, coefficient)| coefficient);
        let zeros = coefficients
            .map(|coefficient| coefficient.trailing_zeros())
            .min()?;
        if difference.constant.trailing_zeros() < zeros.min(width) {
            return Some(false);
        }
        if x.is_exact && y.is_exact {
            let difference = x.polynomial.add(&y.polynomial, -1)?;
            let difference = self.without_functions(terms, difference, None)?;
            let Range { min, max } = difference.range(&self.sums.atoms)?;
            return (min > 0 || max < 0).then_some(false);
        }
        None
    }

    fn less(&mut self, terms: &mut Terms, a: Term, b: Term) -> Option<bool> {
        self.sums.form(terms, &mut self.context, a)?;
        self.sums.form(terms, &mut self.context, b)?;
        let x = self.sums.exact(terms, &self.context, a);
        let y = self.sums.exact(terms, &self.context, b);
        let difference = y.add(&x, -1)?;
        let difference = self.without_functions(terms, difference, None)?;
        let Range { min, max } = difference.range(&self.sums.atoms)?;
        if min > 0 {
            return Some(true);
        }
        (max <= 0).then_some(false)
    }

    /// A polynomial without those functions of one value that are a multiple of it; modulo two to a width, or as an
    /// integer.
    fn without_functions(
        &mut self,
        terms: &mut Terms,
        polynomial: Polynomial,
        width: Option<u32>,
    ) -> Option<Polynomial> {
        let modulus = width.map(|width| 1i128 << width);
        let multiples = self.functions.multiples(
            terms,
            &mut self.context,
            &self.sums.atoms,
            &polynomial,
            modulus,
        )?;
        let mut result = polynomial.clone();
        for multiple in multiples {
            for place in multiple.places {
                let (factors, coefficient) = &polynomial.monomials[place];
                let gone = Polynomial {
                    constant: 0,
                    monomials: vec![(factors.clone(), *coefficient)],
                };
                result = result.add(&gone, -1)?;
            }
            self.sums.form(terms, &mut self.context, multiple.of)?;
            let value = self.sums.exact(terms, &self.context, multiple.of);
            result = result
                .add(&value, multiple.factor)?
                .plus(multiple.constant)?;
        }
        Some(match width {
            Some(width) => result.modulo(width),
            None => result,
        })
    }
}
