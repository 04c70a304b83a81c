//! What numbers are: words as the machine has them, or mathematical integers.

use refrain_integers::Integers;
use refrain_machine::{InputTable, Role};
use refrain_term::{Assignment, Bv, Evaluator, Input, Op, Sort, Support, Term, Terms};

use crate::options::Numbers;

/// How what a machine says becomes conditions of a path, and inputs become bytes.
pub enum Arithmetic {
    Machine,
    Integers(Box<Translation>),
}

/// The translation to integers, and the inputs that it knows.
#[derive(Default)]
pub struct Translation {
    integers: Integers,
    table: InputTable,
    support: Support,
}

impl Translation {
    /// The translation, after it has been told of all inputs that a term has. Machines call byte `i` of an input `x`
    /// `x[i]`, and make all of its bytes at once.
    fn knowing(&mut self, terms: &mut Terms, term: Term) -> &mut Integers {
        for &input in self.support.inputs(terms, term).iter() {
            let Input::Symbol(symbol) = input else {
                continue;
            };
            let Op::Var(var) = terms.op(symbol) else {
                continue;
            };
            if terms.sort(symbol) != Sort::BitVec(8) || self.table.element_of(var).is_some() {
                continue;
            }
            if let Some((name, index)) = byte_name(&terms.var_decl(var).name) {
                let name = name.to_string();
                let exists = |index: &u32| {
                    let byte = format!("{name}[{index}]");
                    terms.find_var(&byte, Sort::BitVec(8)).is_some()
                };
                let length = index + (index..).take_while(exists).count() as u32;
                let table = &mut self.table;
                table.declare(terms, &name, Role::Object, 8, length);
            }
        }
        self.integers.note_inputs(terms, &self.table);
        &mut self.integers
    }
}

/// The input and the index that the name of a byte says.
fn byte_name(name: &str) -> Option<(&str, u32)> {
    let (input, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    let is_plain = index.bytes().all(|digit| digit.is_ascii_digit())
        && (index == "0" || !index.starts_with('0'));
    Some((input, index.parse().ok().filter(|_| is_plain)?))
}

impl Arithmetic {
    pub fn new(numbers: Numbers) -> Arithmetic {
        match numbers {
            Numbers::Machine => Arithmetic::Machine,
            Numbers::Integers => Arithmetic::Integers(Box::default()),
        }
    }

    /// A condition as it joins the path, or what in it cannot be said.
    pub fn condition(&mut self, terms: &mut Terms, condition: Term) -> Result<Term, String> {
        let Arithmetic::Integers(translation) = self else {
            return Ok(condition);
        };
        let integers = translation.knowing(terms, condition);
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
            Arithmetic::Integers(translation) => {
                let integers = translation.knowing(terms, term);
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
        let Arithmetic::Integers(translation) = self else {
            return Ok(match sort {
                Sort::Bool => u64::from(evaluator.bool(terms, input, term)),
                _ => evaluator.small(terms, input, term),
            });
        };
        let number = translation.knowing(terms, term).number(terms, term);
        let number = number.map_err(|what| what.to_string())?;
        let value = evaluator.number(terms, input, number);
        Ok(Integers::word(value, sort.width().unwrap_or(1)))
    }

    /// An input from the bytes of named ones.
    pub fn first_input(&mut self, terms: &mut Terms, named: &[(String, Vec<u8>)]) -> Assignment {
        let mut bytes = Vec::new();
        for (name, contents) in named {
            if let Arithmetic::Integers(translation) = self {
                let Translation {
                    integers, table, ..
                } = &mut **translation;
                let length = contents.len() as u32;
                let id = table.declare(terms, name, Role::Object, 8, length);
                integers.settle_input(terms, table, id);
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
            Arithmetic::Integers(translation) => translation.integers.to_integers(terms, &input),
        }
    }

    /// The bytes of an input; those that are not there are zero.
    pub fn to_bytes(&self, terms: &Terms, input: &Assignment) -> Vec<(String, u8)> {
        let bytes = match self {
            Arithmetic::Machine => input,
            Arithmetic::Integers(translation) => &translation.integers.to_words(terms, input),
        };
        let is_byte = |var| terms.var_decl(var).sort == Sort::BitVec(8);
        let bytes = bytes.iter().filter(|&(var, _)| is_byte(var));
        let bytes = bytes.map(|(var, value)| {
            let byte = value.as_bv().and_then(Bv::to_u64).unwrap_or(0);
            (terms.var_decl(var).name.to_string(), byte as u8)
        });
        bytes.collect()
    }

    /// An input in terms of the machine.
    pub fn machine_input(&self, terms: &Terms, input: &Assignment) -> Option<Assignment> {
        match self {
            Arithmetic::Machine => None,
            Arithmetic::Integers(translation) => Some(translation.integers.to_words(terms, input)),
        }
    }

    /// Whether every input has a value that it can have.
    pub fn is_input(&self, terms: &Terms, input: &Assignment) -> bool {
        match self {
            Arithmetic::Machine => true,
            Arithmetic::Integers(translation) => {
                translation.integers.is_within_bounds(terms, input)
            }
        }
    }
}

/// A condition together with the bounds of the numbers in it.
fn within_bounds(integers: &mut Integers, terms: &mut Terms, condition: Term) -> Term {
    let mut all = integers.bounds(terms, condition);
    all.push(condition);
    terms.and(&all)
}
