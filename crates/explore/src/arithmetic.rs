//! What numbers are: words as the machine has them, or mathematical integers.

use refrain_integers::{Inexpressible, Integers, Settled};
use refrain_machine::{InputTable, InputValue};
use refrain_term::{Assignment, Bv, Evaluator, Sort, Term, Terms, Value};

use crate::options::Numbers;

/// How what a machine says becomes part of the path condition, and inputs become values of the machine.
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

    /// A condition as it joins the path condition.
    pub fn condition(
        &mut self,
        terms: &mut Terms,
        inputs: &InputTable,
        condition: Term,
    ) -> Result<Term, Inexpressible> {
        let Arithmetic::Integers(integers) = self else {
            return Ok(condition);
        };
        integers.note_inputs(terms, inputs);
        let condition = integers.condition(terms, condition)?;
        Ok(within_bounds(integers, terms, condition))
    }

    /// The condition that a term has a value, and the one that it has not.
    pub fn equals(
        &mut self,
        terms: &mut Terms,
        inputs: &InputTable,
        term: Term,
        value: &Value,
    ) -> Result<[Term; 2], Inexpressible> {
        match self {
            Arithmetic::Machine => {
                let value = terms.of_value(value);
                let equal = terms.eq(term, value);
                let other = terms.not(equal);
                Ok([equal, other])
            }
            Arithmetic::Integers(integers) => {
                integers.note_inputs(terms, inputs);
                let equal = integers.equals(terms, term, word(value))?;
                let other = terms.not(equal);
                Ok([equal, other].map(|term| within_bounds(integers, terms, term)))
            }
        }
    }

    /// The value of a term, as a machine knows it.
    pub fn value(
        &mut self,
        terms: &mut Terms,
        inputs: &InputTable,
        evaluator: &mut Evaluator,
        input: &Assignment,
        term: Term,
    ) -> Result<Value, Inexpressible> {
        let Arithmetic::Integers(integers) = self else {
            return Ok(evaluator.value(terms, input, term));
        };
        integers.note_inputs(terms, inputs);
        let number = integers.number(terms, term)?;
        let value = evaluator.number(terms, input, number);
        Ok(match terms.sort(term) {
            Sort::BitVec(width) => Value::Bv(Bv::new(width, Integers::word(value, width))),
            _ => Value::Bool(Integers::word(value, 1) == 1),
        })
    }

    /// Decides how inputs are numbers before any condition uses them.
    pub fn settle(&mut self, terms: &mut Terms, inputs: &mut InputTable, values: &[InputValue]) {
        let Arithmetic::Integers(integers) = self else {
            return;
        };
        for value in values {
            let length = value.elements().len() as u32;
            let id = inputs.declare(terms, &value.name, value.role, value.element_bits, length);
            integers.note_inputs(terms, inputs);
            integers.settle_input(terms, inputs, id);
        }
    }

    /// An input from the values that a machine has; over the integers, of what has been met so far.
    pub fn input(
        &mut self,
        terms: &mut Terms,
        inputs: &mut InputTable,
        values: &[InputValue],
    ) -> Assignment {
        let assignment = inputs.assignment(terms, values);
        match self {
            Arithmetic::Machine => assignment,
            Arithmetic::Integers(integers) => {
                integers.note_inputs(terms, inputs);
                integers.to_integers(terms, &assignment)
            }
        }
    }

    /// The values that a machine has of an input.
    pub fn values(
        &self,
        terms: &Terms,
        inputs: &InputTable,
        input: &Assignment,
    ) -> Vec<InputValue> {
        match self.machine_input(terms, input) {
            None => inputs.values(terms, input),
            Some(input) => inputs.values(terms, &input),
        }
    }

    /// An input in terms of the machine, where it is another.
    pub fn machine_input(&self, terms: &Terms, input: &Assignment) -> Option<Assignment> {
        match self {
            Arithmetic::Machine => None,
            Arithmetic::Integers(integers) => Some(integers.to_words(terms, input)),
        }
    }

    /// Whether every input has a value that it can have.
    pub fn is_input(&self, terms: &Terms, input: &Assignment) -> bool {
        match self {
            Arithmetic::Machine => true,
            Arithmetic::Integers(integers) => integers.is_within_bounds(terms, input),
        }
    }
}

fn word(value: &Value) -> u64 {
    match value {
        Value::Bool(value) => u64::from(*value),
        value => value.as_bv().and_then(Bv::to_u64).unwrap_or(0),
    }
}

/// A condition together with the bounds of the numbers in it.
fn within_bounds(integers: &mut Integers, terms: &mut Terms, condition: Term) -> Term {
    let mut all = integers.bounds(terms, condition);
    all.push(condition);
    terms.and(&all)
}
