//! What numbers are: words as the machine has them, or mathematical integers.

use refrain_term::{Assignment, Evaluator, Sort, Term, Terms};

use crate::options::Numbers;

pub enum Arithmetic {
    Machine,
}

impl Arithmetic {
    pub fn new(numbers: Numbers) -> Arithmetic {
        match numbers {
            Numbers::Machine => Arithmetic::Machine,
            Numbers::Integers => Arithmetic::Machine,
        }
    }

    /// A condition as it joins the path, or what in it cannot be said.
    pub fn condition(&mut self, _terms: &mut Terms, condition: Term) -> Result<Term, String> {
        Ok(condition)
    }

    /// The condition that a term has a value.
    pub fn equals(&mut self, terms: &mut Terms, term: Term, value: u64) -> Result<Term, String> {
        let condition = match terms.sort(term) {
            Sort::Bool if value == 1 => term,
            Sort::Bool => terms.not(term),
            _ => {
                let value = terms.bv(terms.width(term), value);
                terms.eq(term, value)
            }
        };
        self.condition(terms, condition)
    }

    /// The value of a term, as a machine knows it.
    pub fn value(
        &mut self,
        terms: &mut Terms,
        evaluator: &mut Evaluator,
        input: &Assignment,
        term: Term,
    ) -> Result<u64, String> {
        Ok(match terms.sort(term) {
            Sort::Bool => u64::from(evaluator.bool(terms, input, term)),
            _ => evaluator.small(terms, input, term),
        })
    }

    /// An input from the bytes of named ones.
    pub fn first_input(&mut self, terms: &mut Terms, bytes: &[(String, Vec<u8>)]) -> Assignment {
        let mut input = Assignment::new();
        for (name, bytes) in bytes {
            for (index, &byte) in bytes.iter().enumerate() {
                let term = terms.var(&format!("{name}[{index}]"), Sort::BitVec(8));
                for var in refrain_term::free_vars(terms, term) {
                    input.set(var, refrain_term::Bv::new(8, u64::from(byte)));
                }
            }
        }
        input
    }

    /// Whether every input has a value that it can have.
    pub fn is_input(&self, _terms: &Terms, _input: &Assignment) -> bool {
        true
    }

    /// A byte of an input.
    pub fn byte(&self, terms: &Terms, input: &Assignment, var: Term) -> u8 {
        let value = refrain_term::eval::eval(terms, var, input);
        value.as_bv().and_then(|bv| bv.to_u64()).unwrap_or(0) as u8
    }
}
