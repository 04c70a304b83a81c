//! Bit-vectors as polynomials: sums, products and shifts by constants, modulo a power of two. Terms with the same
//! polynomial are equal, whatever their circuits look like.

use std::collections::BTreeMap;

use dashu_int::UBig;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::terms::{Op, Term, Terms};

/// A term whose polynomial has more monomials, or factors in one, stands for itself.
const MAX_MONOMIALS: usize = 300;
const MAX_DEGREE: usize = 40;
/// More terms than this are not looked at.
const MAX_TERMS: usize = 2000;

/// Multiples of products of terms, none of which is zero.
#[derive(Clone, Default, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Polynomial(BTreeMap<Vec<Term>, UBig>);

impl Polynomial {
    fn constant(value: UBig, width: u32) -> Polynomial {
        Polynomial::default().plus(&Polynomial(BTreeMap::from([(Vec::new(), value)])), width)
    }

    fn of_term(term: Term) -> Polynomial {
        Polynomial(BTreeMap::from([(vec![term], UBig::ONE)]))
    }

    /// The polynomial of a bit-vector.
    pub fn of(terms: &Terms, root: Term) -> Polynomial {
        let width = terms.width(root);
        let mut met: FxHashSet<Term> = FxHashSet::default();
        let mut stack = vec![root];
        while let Some(term) = stack.pop() {
            if met.insert(term) {
                stack.extend_from_slice(operands(terms, term));
            }
        }
        if met.len() > MAX_TERMS {
            return Polynomial::of_term(root);
        }
        // Arguments come before their users.
        let mut order: Vec<Term> = met.into_iter().collect();
        order.sort_unstable();
        let mut known: FxHashMap<Term, Polynomial> = FxHashMap::default();
        for term in order {
            let polynomial = Polynomial::apply(terms, term, width, &known);
            let polynomial = polynomial.filter(|polynomial| polynomial.0.len() <= MAX_MONOMIALS);
            known.insert(
                term,
                polynomial.unwrap_or_else(|| Polynomial::of_term(term)),
            );
        }
        known.remove(&root).unwrap_or_default()
    }

    fn apply(
        terms: &Terms,
        term: Term,
        width: u32,
        known: &FxHashMap<Term, Polynomial>,
    ) -> Option<Polynomial> {
        let args = operands(terms, term);
        let arg = |place: usize| &known[&args[place]];
        let minus_one = || Polynomial::constant((UBig::ONE << width as usize) - UBig::ONE, width);
        Some(match terms.op(term) {
            Op::Bits(value) => Polynomial::constant(value.clone(), width),
            Op::BvAdd => arg(0).plus(arg(1), width),
            Op::BvSub => arg(0).plus(&arg(1).times(&minus_one(), width)?, width),
            Op::BvNeg => arg(0).times(&minus_one(), width)?,
            Op::BvNot => arg(0).times(&minus_one(), width)?.plus(&minus_one(), width),
            Op::BvMul => arg(0).times(arg(1), width)?,
            Op::BvShl if args.len() == 2 => {
                let by = arg(1).value()?;
                let by = u32::try_from(by).ok().filter(|by| *by < width);
                match by {
                    Some(by) => {
                        let power = Polynomial::constant(UBig::ONE << by as usize, width);
                        arg(0).times(&power, width)?
                    }
                    None => Polynomial::default(),
                }
            }
            _ => return None,
        })
    }

    fn plus(&self, other: &Polynomial, width: u32) -> Polynomial {
        let mut sum = self.clone();
        for (monomial, factor) in &other.0 {
            sum.add(monomial.clone(), factor, width);
        }
        sum
    }

    fn add(&mut self, monomial: Vec<Term>, factor: &UBig, width: u32) {
        let modulus = UBig::ONE << width as usize;
        let sum = self.0.remove(&monomial).unwrap_or_default() + factor;
        let sum = sum % modulus;
        if sum != UBig::ZERO {
            self.0.insert(monomial, sum);
        }
    }

    fn times(&self, other: &Polynomial, width: u32) -> Option<Polynomial> {
        if self.0.len() * other.0.len() > MAX_MONOMIALS {
            return None;
        }
        let mut product = Polynomial::default();
        for (left, a) in &self.0 {
            for (right, b) in &other.0 {
                let mut monomial = [&left[..], &right[..]].concat();
                if monomial.len() > MAX_DEGREE {
                    return None;
                }
                monomial.sort_unstable();
                product.add(monomial, &(a * b), width);
            }
        }
        Some(product)
    }

    /// Its value, if that depends on no term.
    fn value(&self) -> Option<UBig> {
        match self.0.first_key_value() {
            None => Some(UBig::ZERO),
            Some((monomial, value)) if monomial.is_empty() && self.0.len() == 1 => {
                Some(value.clone())
            }
            _ => None,
        }
    }

    /// Whether terms are multiplied in it.
    pub fn has_products(&self) -> bool {
        self.0.keys().any(|monomial| monomial.len() > 1)
    }

    /// Whether two bit-vectors with these polynomials are equal, if that follows: one is the other plus a constant.
    pub fn is_equal(&self, other: &Polynomial) -> Option<bool> {
        let without = |polynomial: &Polynomial| {
            let mut rest = polynomial.clone();
            let constant = rest.0.remove(&Vec::new()).unwrap_or_default();
            (rest, constant)
        };
        let ((left, a), (right, b)) = (without(self), without(other));
        (left == right).then(|| a == b)
    }
}

/// The arguments of which the polynomial of a term is made.
fn operands(terms: &Terms, term: Term) -> &[Term] {
    match terms.op(term) {
        Op::BvAdd | Op::BvSub | Op::BvNeg | Op::BvNot | Op::BvMul => terms.args(term),
        Op::BvShl if matches!(terms.op(terms.args(term)[1]), Op::Bits(_)) => terms.args(term),
        _ => &[],
    }
}
