//! The walk over terms: every term is translated once, operands first.

use refrain_term::{Op, Sort, Term, Terms};

use crate::arithmetic::Number;
use crate::concat::{Part, as_bits, parts};
use crate::{Inexpressible, Integers, facts, tables};

/// What a term becomes.
#[derive(Clone, Copy)]
enum Translated {
    Condition(Term),
    Number(Number),
    Inexpressible(Inexpressible),
}

/// What has been translated so far.
#[derive(Default)]
pub(crate) struct Translations {
    /// By term: one more than its index in `all`.
    at: Vec<u32>,
    all: Vec<Translated>,
}

impl Translations {
    fn get(&self, term: Term) -> Option<Translated> {
        match self.at.get(term.index()) {
            Some(&at) if at > 0 => Some(self.all[at as usize - 1]),
            _ => None,
        }
    }

    fn set(&mut self, term: Term, translated: Translated) {
        if self.at.len() <= term.index() {
            self.at.resize(term.index() + 1, 0);
        }
        self.all.push(translated);
        self.at[term.index()] = self.all.len() as u32;
    }

    /// What a condition has become.
    pub fn condition(&self, term: Term) -> Result<Term, Inexpressible> {
        match self.get(term) {
            Some(Translated::Condition(condition)) => Ok(condition),
            Some(Translated::Inexpressible(reason)) => Err(reason),
            _ => Err(Inexpressible::Sort),
        }
    }

    /// What a bit-vector has become, perhaps truncated.
    pub fn number(&self, term: Term) -> Result<Number, Inexpressible> {
        match self.get(term) {
            Some(Translated::Number(number)) => Ok(number),
            Some(Translated::Inexpressible(reason)) => Err(reason),
            _ => Err(Inexpressible::Sort),
        }
    }
}

impl Integers {
    /// The signed value of an operand.
    pub(crate) fn signed(
        &mut self,
        terms: &mut Terms,
        term: Term,
    ) -> Result<Number, Inexpressible> {
        let number = self.translations.number(term)?;
        Ok(self.arithmetic.signed(terms, number, terms.width(term)))
    }

    /// The unsigned value of an operand.
    pub(crate) fn unsigned(
        &mut self,
        terms: &mut Terms,
        term: Term,
    ) -> Result<Number, Inexpressible> {
        let number = self.translations.number(term)?;
        Ok(self.arithmetic.unsigned(terms, number, terms.width(term)))
    }

    /// Translates a term and all that it needs, operands first.
    pub(crate) fn translate(&mut self, terms: &mut Terms, root: Term) {
        self.arena.check(terms);
        if self.translations.get(root).is_some() {
            return;
        }
        self.uses
            .settle(terms, &mut self.inputs, &mut self.segments, root);
        let mut stack = vec![(root, false)];
        while let Some((term, is_ready)) = stack.pop() {
            if self.translations.get(term).is_some() {
                continue;
            }
            if !is_ready {
                stack.push((term, true));
                let operands = self.operands(terms, term);
                stack.extend(operands.into_iter().map(|operand| (operand, false)));
                continue;
            }
            let translated = match terms.sort(term) {
                Sort::Bool => self.make_condition(terms, term).map(Translated::Condition),
                _ => self.make_number(terms, term).map(Translated::Number),
            };
            let translated = translated.unwrap_or_else(Translated::Inexpressible);
            if let Translated::Number(number) = translated
                && terms.is_assigned(term)
            {
                terms.note_assigned(number.term);
            }
            self.translations.set(term, translated);
        }
    }

    /// The terms whose translation a term's needs.
    pub(crate) fn operands(&mut self, terms: &Terms, term: Term) -> Vec<Term> {
        match terms.op(term) {
            Op::Concat => parts(terms, &mut self.inputs, term)
                .into_iter()
                .filter_map(|part| match part {
                    Part::Term(term) => Some(term),
                    Part::Bits(_) => None,
                })
                .collect(),
            Op::Extract { .. } if as_bits(terms, &mut self.inputs, term).is_some() => Vec::new(),
            Op::And => facts::facts(terms, &mut self.inputs, term).1,
            Op::Select => tables::operands(terms, term),
            Op::Store | Op::ConstArray | Op::Table(_) => Vec::new(),
            _ => terms.args(term).to_vec(),
        }
    }
}
