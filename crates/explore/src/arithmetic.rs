//! What numbers are: words as the machine has them, or mathematical integers.

use refrain_term::{Assignment, Bv, Evaluator, Sort, Term, Terms};

use crate::integers::{Integers, Settled};
use crate::options::Numbers;

/// How what a machine says becomes conditions of a path, and inputs become bytes.
pub enum Arithmetic {
    Machine,
    Integers(Box<Integers>),
}

impl Arithmetic {
    pub fn new(numbers: Numbers, settled: &Settled) -> Arithmetic {
        match numbers {
            Numbers::Machine => Arithmetic::Machine,
            Numbers::Integers => Arithmetic::Integers(Box::new(Integers::with(settled.clone()))),
        }
    }

    /// A condition as it joins the path, or what in it cannot be said.
    pub fn condition(&mut self, terms: &mut Terms, condition: Term) -> Result<Term, String> {
        let Arithmetic::Integers(integers) = self else {
            return Ok(condition);
        };
        let condition = integers.condition(terms, condition);
        let condition = condition.map_err(|what| what.to_string())?;
        Ok(within_bounds(integers, terms, condition))
    }

    /// The condition that a term has a value, and the one that it has not.
    pub fn equals(
        &mut self,
        terms: &mut Terms,
        term: Term,
        value: u64,
    ) -> Result<[Term; 2], String> {
        match self {
            Arithmetic::Machine => {
                let condition = match terms.sort(term) {
                    Sort::Bool if value == 1 => term,
                    Sort::Bool => terms.not(term),
                    _ => {
                        let value = terms.bv(terms.width(term), value);
                        terms.eq(term, value)
                    }
                };
                let other = terms.not(condition);
                Ok([condition, other])
            }
            Arithmetic::Integers(integers) => {
                let condition = integers.equals(terms, term, value);
                let condition = condition.map_err(|what| what.to_string())?;
                let other = terms.not(condition);
                Ok([condition, other].map(|term| within_bounds(integers, terms, term)))
            }
        }
    }

    /// The value of a term, as a machine knows it.
    pub fn value(
        &mut self,
        terms: &mut Terms,
        evaluator: &mut Evaluator,
        input: &Assignment,
        term: Term,
    ) -> Result<u64, String> {
        let sort = terms.sort(term);
        let Arithmetic::Integers(integers) = self else {
            return Ok(match sort {
                Sort::Bool => u64::from(evaluator.bool(terms, input, term)),
                _ => evaluator.small(terms, input, term),
            });
        };
        let number = integers.number(terms, term);
        let number = number.map_err(|what| what.to_string())?;
        let value = evaluator.number(terms, input, number);
        Ok(Integers::word(value, sort.width().unwrap_or(1)))
    }

    /// An input from the bytes of named ones.
    pub fn first_input(&mut self, terms: &mut Terms, named: &[(String, Vec<u8>)]) -> Assignment {
        let mut bytes = Vec::new();
        for (name, contents) in named {
            if let Arithmetic::Integers(integers) = self {
                integers.declare(terms, name, contents.len() as u32);
            }
            let each = contents.iter().enumerate();
            bytes.extend(each.map(|(index, &byte)| (format!("{name}[{index}]"), byte)));
        }
        self.of_bytes(terms, &bytes)
    }

    /// An input from its bytes; over the integers, of what has been met so far.
    pub fn of_bytes(&mut self, terms: &mut Terms, bytes: &[(String, u8)]) -> Assignment {
        let mut input = Assignment::new();
        for (name, byte) in bytes {
            let term = terms.var(name, Sort::BitVec(8));
            for var in refrain_term::free_vars(terms, term) {
                input.set(var, Bv::new(8, u64::from(*byte)));
            }
        }
        match self {
            Arithmetic::Machine => input,
            Arithmetic::Integers(integers) => integers.assignment(terms, &input),
        }
    }

    /// The bytes of an input; those that are not there are zero.
    pub fn to_bytes(&self, terms: &Terms, input: &Assignment) -> Vec<(String, u8)> {
        let bytes = match self {
            Arithmetic::Machine => input,
            Arithmetic::Integers(integers) => &integers.bytes(terms, input),
        };
        let bytes = bytes.iter().map(|(var, value)| {
            let byte = value.as_bv().and_then(Bv::to_u64).unwrap_or(0);
            (terms.var_decl(var).name.to_string(), byte as u8)
        });
        bytes.collect()
    }

    /// An input in terms of the machine.
    pub fn machine_input(&self, terms: &Terms, input: &Assignment) -> Option<Assignment> {
        match self {
            Arithmetic::Machine => None,
            Arithmetic::Integers(integers) => Some(integers.bytes(terms, input)),
        }
    }

    /// Whether every input has a value that it can have.
    pub fn is_input(&self, terms: &Terms, input: &Assignment) -> bool {
        match self {
            Arithmetic::Machine => true,
            Arithmetic::Integers(integers) => integers.is_input(terms, input),
        }
    }
}

/// A condition together with the bounds of the numbers in it.
fn within_bounds(integers: &mut Integers, terms: &mut Terms, condition: Term) -> Term {
    let mut all = integers.bounds(terms, condition);
    all.push(condition);
    terms.and(&all)
}
