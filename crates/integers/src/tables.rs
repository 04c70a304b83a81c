//! Reads of arrays: a choice between their cells, as long as there are few.

use refrain_term::{Bv, Op, Rational, Term, Terms};

use crate::arithmetic::Number;
use crate::constants::{signed, unsigned};
use crate::{Inexpressible, Integers};

/// The most cells that a read chooses between. Neighbours with the same value are one.
const MAX_CASES: usize = 256;

/// What was written to an array, and what it holds elsewhere.
struct Layers {
    /// The last write first: stores, and tables of constants.
    written: Vec<Term>,
    elsewhere: Term,
}

fn layers(terms: &Terms, array: Term) -> Option<Layers> {
    let mut written = Vec::new();
    let mut rest = array;
    loop {
        match terms.op(rest) {
            Op::ConstArray => {
                return Some(Layers {
                    written,
                    elsewhere: terms.arg(rest, 0),
                });
            }
            Op::Store | Op::Table(_) if written.len() < MAX_CASES => {
                written.push(rest);
                rest = terms.arg(rest, 0);
            }
            _ => return None,
        }
    }
}

/// The terms whose translation that of a read needs.
pub(crate) fn operands(terms: &Terms, select: Term) -> Vec<Term> {
    let Some(layers) = layers(terms, terms.arg(select, 0)) else {
        return Vec::new();
    };
    let stores = layers
        .written
        .iter()
        .filter(|&&layer| terms.op(layer) == Op::Store);
    let mut operands: Vec<Term> = stores
        .flat_map(|&store| terms.args(store)[1..].to_vec())
        .collect();
    operands.extend([terms.arg(select, 1), layers.elsewhere]);
    operands
}

/// A value from an index on, up to the next case; or what is below the table.
type Case = (Rational, Option<Bv>);

impl Integers {
    pub(crate) fn read(
        &mut self,
        terms: &mut Terms,
        select: Term,
    ) -> Result<Number, Inexpressible> {
        let layers = layers(terms, terms.arg(select, 0)).ok_or(Inexpressible::SymbolicIndex)?;
        let at = terms.arg(select, 1);
        let index = self.unsigned(terms, at)?;
        let mut value = self.signed(terms, layers.elsewhere)?;
        for &layer in layers.written.iter().rev() {
            if terms.op(layer) == Op::Store {
                let (to, element) = (terms.arg(layer, 1), terms.arg(layer, 2));
                let to = self.unsigned(terms, to)?;
                let is_here = self.equation(terms, index, to, terms.width(at));
                let element = self.signed(terms, element)?;
                value = self.arithmetic.choice(terms, is_here, element, value);
                continue;
            }
            let cases = cases(terms, layer).ok_or(Inexpressible::SymbolicIndex)?;
            value = self.case(terms, index, &cases, value);
        }
        Ok(value)
    }

    /// The case that an index is in, by bisection. There are few, so this does not nest deep.
    fn case(&mut self, terms: &mut Terms, index: Number, cases: &[Case], below: Number) -> Number {
        if let [(_, value)] = cases {
            return match value {
                Some(value) => Number::constant(terms, signed(value)),
                None => below,
            };
        }
        let (lower, upper) = cases.split_at(cases.len() / 2);
        match self.arithmetic.at_least(terms, index, &upper[0].0) {
            Term::TRUE => self.case(terms, index, upper, below),
            Term::FALSE => self.case(terms, index, lower, below),
            is_upper => {
                let lower = self.case(terms, index, lower, below);
                let upper = self.case(terms, index, upper, below);
                self.arithmetic.choice(terms, is_upper, upper, lower)
            }
        }
    }
}

/// A table as cases by ascending index, from zero on; none if they are too many.
fn cases(terms: &Terms, layer: Term) -> Option<Vec<Case>> {
    let Op::Table(table) = terms.op(layer) else {
        return None;
    };
    let mut cases: Vec<Case> = vec![(Rational::ZERO, None)];
    let mut next = Rational::ZERO;
    for (index, value) in terms.cells(table) {
        let index = unsigned(index);
        if index != next {
            push(&mut cases, next, None);
        }
        next = &index + &Rational::ONE;
        push(&mut cases, index, Some(value.clone()));
        if cases.len() > MAX_CASES {
            return None;
        }
    }
    push(&mut cases, next, None);
    Some(cases)
}

/// The next case, unless it is the last one still.
fn push(cases: &mut Vec<Case>, from: Rational, value: Option<Bv>) {
    match cases.last() {
        Some((_, last)) if *last == value => {}
        Some((start, _)) if *start == from => {
            cases.pop();
            push(cases, from, value);
        }
        _ => cases.push((from, value)),
    }
}
