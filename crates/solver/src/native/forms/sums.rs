//! Bit-vectors as integers: what terms are as polynomials over inputs and quotients.
//!
//! Where no addition, product or truncation overflows, which bounds tell, a term *is* an integer polynomial, also behind
//! extensions, slices and concatenations; elsewhere it is one modulo a power of two. A remainder is `x - c * (x / c)`, a
//! slice a remainder of a quotient, and quotients of sums by constants are taken apart until what is divided is small:
//! `(n % 10000) / 100` is `n / 100 - 100 * (n / 10000)`. So a number that is taken apart into digits and put together
//! again is what it was, and a sum modulo 65521 that stays below is a sum.

use std::rc::Rc;

use refrain_term::value::mask;
use refrain_term::{Op, Term, Terms};
use rustc_hash::FxHashMap;

use super::context::Context;
use super::polynomial::{Atom, Atoms, Meaning, Polynomial, Range, centered};

/// Divisors beyond this are not multiplied.
const LARGEST_DIVISOR: i128 = 1 << 62;

/// What a term is.
#[derive(Clone)]
pub struct Form {
    pub polynomial: Rc<Polynomial>,
    /// Whether it is that as an integer, and not just modulo two to the term's width.
    pub is_exact: bool,
}

/// The forms of terms met so far.
#[derive(Default)]
pub struct Sums {
    pub atoms: Atoms,
    forms: FxHashMap<Term, Form>,
}

impl Sums {
    /// The form of a bit-vector of at most 64 bits; `None` when no more work may be done.
    pub fn form(&mut self, terms: &Terms, context: &mut Context, root: Term) -> Option<Form> {
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            if self.forms.contains_key(&term) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            for operand in operands(terms, context, term) {
                if !self.forms.contains_key(&operand) {
                    stack.push(operand);
                }
            }
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let form = self.compute(terms, context, term);
            let form = form.unwrap_or_else(|| self.opaque(context, terms, term));
            if !context.spend(1 + form.polynomial.monomials.len()) {
                return None;
            }
            self.forms.insert(term, form);
        }
        self.forms.get(&root).cloned()
    }

    fn known(&self, term: Term) -> &Form {
        &self.forms[&term]
    }

    /// A term as an atom.
    fn opaque(&mut self, context: &Context, terms: &Terms, term: Term) -> Form {
        let range = context.range(terms, term);
        let atom = self.atoms.intern(Meaning::Term(term), range);
        Form {
            polynomial: Rc::new(Polynomial::atom(atom)),
            is_exact: true,
        }
    }

    /// The integer that a term is.
    pub fn exact(&mut self, terms: &Terms, context: &Context, term: Term) -> Rc<Polynomial> {
        let form = self.known(term);
        match form.is_exact {
            true => form.polynomial.clone(),
            false => self.opaque(context, terms, term).polynomial,
        }
    }

    /// What the integer of a term is within.
    fn range_of(&self, terms: &Terms, context: &Context, term: Term) -> Range {
        let range = context.range(terms, term);
        let form = self.known(term);
        let by_form = form.is_exact.then(|| form.polynomial.range(&self.atoms));
        by_form
            .flatten()
            .map_or(range, |by_form| range.meet(by_form))
    }

    /// A term that is a polynomial modulo two to a width; the polynomial's value is within a range, where one is given.
    /// If all its values are as many times around, the term is an integer.
    fn wrapped(&self, polynomial: &Polynomial, range: Option<Range>, width: u32) -> Option<Form> {
        let modulus = 1i128 << width;
        let own = polynomial.range(&self.atoms);
        let range = match (own, range) {
            (Some(own), Some(range)) => Some(own.meet(range)),
            (own, range) => own.or(range),
        };
        let turns = range.and_then(|range| range.common_quotient(modulus));
        Some(match turns {
            Some(turns) => Form {
                polynomial: Rc::new(polynomial.plus(-turns.checked_mul(modulus)?)?),
                is_exact: true,
            },
            None => Form {
                polynomial: Rc::new(polynomial.modulo(width)),
                is_exact: false,
            },
        })
    }

    fn integer(polynomial: Polynomial) -> Option<Form> {
        Some(Form {
            polynomial: Rc::new(polynomial),
            is_exact: true,
        })
    }

    fn compute(&mut self, terms: &Terms, context: &Context, term: Term) -> Option<Form> {
        let width = terms.width(term);
        if let Some(value) = terms.small_value(term) {
            return Self::integer(Polynomial::constant(i128::from(value)));
        }
        let needed = operands(terms, context, term);
        if needed.is_empty() {
            return None;
        }
        let arg = |index: usize| terms.arg(term, index);
        let are_exact = needed.iter().all(|&operand| self.known(operand).is_exact);
        match terms.op(term) {
            Op::BvAdd | Op::BvOr | Op::BvXor => {
                // Without a bit that two of them have, all three are the same.
                let mut sum = Polynomial::default();
                let mut range = Some(Range::new(0, 0));
                for &addend in terms.args(term) {
                    sum = sum.add(&self.known(addend).polynomial, 1)?;
                    let of = self.range_of(terms, context, addend);
                    range = range.and_then(|range| range.add(of));
                }
                if terms.op(term) != Op::BvAdd {
                    let all = Range::new(0, i128::from(mask(width)));
                    range = range.map(|range| range.meet(all));
                }
                self.wrapped(&sum, range.filter(|_| are_exact), width)
            }
            Op::BvMul => {
                let (a, b) = (self.known(arg(0)), self.known(arg(1)));
                let product = a.polynomial.multiply(&b.polynomial)?;
                let ranges = [0, 1].map(|index| self.range_of(terms, context, arg(index)));
                let range = ranges[0].multiply(ranges[1]);
                self.wrapped(&product, range.filter(|_| are_exact), width)
            }
            Op::BvNot => {
                let all = Polynomial::constant(i128::from(mask(width)));
                let difference = all.add(&self.known(arg(0)).polynomial, -1)?;
                match are_exact {
                    true => Self::integer(difference),
                    false => self.wrapped(&difference, None, width),
                }
            }
            Op::Concat => {
                let (high, low) = (arg(0), arg(1));
                let shift = 1i128 << terms.width(low);
                let below = self.exact(terms, context, low);
                let high = self.known(high).clone();
                let sum = below.add(&high.polynomial, shift)?;
                match high.is_exact {
                    true => Self::integer(sum),
                    false => self.wrapped(&sum, None, width),
                }
            }
            Op::Extract { lo } => {
                let whole = arg(0);
                if lo == 0 && !are_exact {
                    return self.wrapped(&self.known(whole).polynomial, None, width);
                }
                let range = self.range_of(terms, context, whole);
                let dividend = self.exact(terms, context, whole);
                let quotient = self.quotient(&dividend, range, 1 << lo)?;
                let range = Range::new(range.min >> lo, range.max >> lo);
                self.low_bits(quotient, range, width)
            }
            Op::BvLshr => {
                let by = terms.small_value(arg(1))?;
                let range = self.range_of(terms, context, arg(0));
                let dividend = self.exact(terms, context, arg(0));
                Self::integer(self.quotient(&dividend, range, 1 << by)?)
            }
            Op::BvUdiv | Op::BvUrem => {
                let divisor = i128::from(terms.small_value(arg(1))?);
                let range = self.range_of(terms, context, arg(0));
                let dividend = self.exact(terms, context, arg(0));
                let quotient = self.quotient(&dividend, range, divisor)?;
                match terms.op(term) {
                    Op::BvUdiv => Self::integer(quotient),
                    _ => Self::integer(dividend.add(&quotient, -divisor)?),
                }
            }
            Op::SignExtend => {
                let narrow = arg(0);
                let integer = self.exact(terms, context, narrow);
                let is_negative = context.sign(terms, narrow)?;
                let ones = mask(width) & !mask(terms.width(narrow));
                let above = if is_negative { i128::from(ones) } else { 0 };
                Self::integer(integer.plus(above)?)
            }
            Op::Ite => Some(self.known(needed[0]).clone()),
            _ => None,
        }
    }

    /// The low bits of an integer within a range.
    fn low_bits(&mut self, whole: Polynomial, range: Range, width: u32) -> Option<Form> {
        let form = self.wrapped(&whole, Some(range), width)?;
        if form.is_exact {
            return Some(form);
        }
        let modulus = 1i128 << width;
        let above = self.quotient(&whole, range, modulus)?;
        Self::integer(whole.add(&above, -modulus)?)
    }

    /// An integer within a range, not negative, divided by a constant and rounded down.
    fn quotient(
        &mut self,
        dividend: &Polynomial,
        range: Range,
        divisor: i128,
    ) -> Option<Polynomial> {
        if divisor == 1 {
            return Some(dividend.clone());
        }
        if let Some(quotient) = range.common_quotient(divisor) {
            return Some(Polynomial::constant(quotient));
        }
        // A multiple of the divisor, and a rest that is one of few, or none.
        let rests: [fn(i128, i128) -> i128; 2] = [i128::rem_euclid, centered];
        for rest in rests {
            let rest = dividend.map(|coefficient| rest(coefficient, divisor));
            let same = rest.range(&self.atoms)?.common_quotient(divisor);
            if let Some(same) = same {
                let whole = dividend.add(&rest, -1)?.map(|multiple| multiple / divisor);
                return whole.plus(same);
            }
        }
        let rest = dividend.map(|coefficient| coefficient.rem_euclid(divisor));
        let whole = dividend.add(&rest, -1)?.map(|multiple| multiple / divisor);
        whole.add(&self.proper_quotient(rest, divisor)?, 1)
    }

    /// A polynomial whose coefficients are not negative and less than the divisor, divided.
    fn proper_quotient(&mut self, mut rest: Polynomial, mut divisor: i128) -> Option<Polynomial> {
        loop {
            let range = rest.range(&self.atoms)?;
            if let Some(quotient) = range.common_quotient(divisor) {
                return Some(Polynomial::constant(quotient));
            }
            let coefficients = rest.monomials.iter().map(|(_, coefficient)| *coefficient);
            let common = coefficients.fold(divisor, gcd);
            if common > 1 {
                rest = rest.map(|coefficient| coefficient.div_euclid(common));
                divisor /= common;
                continue;
            }
            // (x / a + y) / b is (x + a * y) / (a * b).
            let inner = rest.monomials.iter().position(|(factors, coefficient)| {
                let is_quotient = |atom: &Atom| match self.atoms.meaning(*atom) {
                    Meaning::Quotient(_, by) => by * divisor <= LARGEST_DIVISOR,
                    Meaning::Term(_) => false,
                };
                *coefficient == 1 && factors.len() == 1 && is_quotient(&factors[0])
            });
            if let Some(place) = inner {
                let (factors, _) = rest.monomials.remove(place);
                let Meaning::Quotient(dividend, by) = self.atoms.meaning(factors[0]) else {
                    unreachable!("a quotient")
                };
                let by = *by;
                rest = dividend.add(&rest, by)?;
                divisor *= by;
                continue;
            }
            return Some(self.quotient_atom(rest, range, divisor));
        }
    }

    fn quotient_atom(&mut self, dividend: Polynomial, range: Range, divisor: i128) -> Polynomial {
        let range = Range::new(range.min.div_euclid(divisor), range.max.div_euclid(divisor));
        let meaning = Meaning::Quotient(Rc::new(dividend), divisor);
        Polynomial::atom(self.atoms.intern(meaning, range))
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The operands whose forms make that of a term; none if it stays as it is.
fn operands(terms: &Terms, context: &Context, term: Term) -> Vec<Term> {
    let narrow = |&operand: &Term| terms.sort(operand).width().is_some_and(|width| width <= 64);
    let args = terms.args(term);
    let needed: Vec<Term> = match terms.op(term) {
        Op::BvAdd | Op::BvMul | Op::BvNot | Op::Concat | Op::Extract { .. } => args.to_vec(),
        Op::BvOr | Op::BvXor if context.are_disjoint(terms, args[0], args[1]) => args.to_vec(),
        Op::BvUdiv | Op::BvUrem if terms.small_value(args[1]).is_some_and(|by| by > 0) => {
            vec![args[0]]
        }
        Op::BvLshr
            if terms
                .small_value(args[1])
                .is_some_and(|by| by < u64::from(terms.width(term))) =>
        {
            vec![args[0]]
        }
        Op::SignExtend if context.sign(terms, args[0]).is_some() => vec![args[0]],
        Op::Ite => match context.truth(args[0]) {
            Some(true) => vec![args[1]],
            Some(false) => vec![args[2]],
            None => Vec::new(),
        },
        _ => Vec::new(),
    };
    match needed.iter().all(narrow) {
        true => needed,
        false => Vec::new(),
    }
}
