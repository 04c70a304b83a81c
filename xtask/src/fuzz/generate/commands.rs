//! The commands of a script, and what the generator keeps in mind of them: what is in scope, and whether the witness
//! still satisfies everything asserted.

use super::{Generator, LARGEST_EXPANSION, Mark, Signature};
use crate::fuzz::ast::{Op, Sort, T, boolean, expand, not, op, symbol};
use crate::fuzz::evaluate::{ArrayValue, Function, Value, evaluate};
use crate::fuzz::floats::Format;
use crate::fuzz::script::{Command, Probe};
use crate::fuzz::theory::Theory;
use crate::fuzz::{identities, laws};

impl Generator {
    pub(super) fn fresh(&mut self, prefix: &str) -> String {
        self.counter += 1;
        format!("{prefix}{}", self.counter)
    }

    /// Declares a symbol or function and gives it a value in the witness.
    pub fn declare(&mut self, parameters: Vec<Sort>, result: Sort) -> T {
        let name = self.fresh(match (parameters.is_empty(), result) {
            (false, _) => "f",
            (_, Sort::Bool) => "p",
            (_, Sort::Bv(_)) => "x",
            (_, Sort::Array(..)) => "a",
            (_, Sort::Int) => "i",
            (_, Sort::Real) => "r",
            (_, Sort::Float(..)) => "z",
            (_, Sort::Rounding) => "m",
        });
        let term = symbol(&name, result);
        if parameters.is_empty() {
            let value = self.random_value(result);
            self.witness.symbols.insert(name.clone(), value);
            self.symbols.push((name.clone(), result));
        } else {
            self.witness
                .functions
                .insert(name.clone(), Function::Hashed(self.rng.next(), result));
            self.functions.push(Signature {
                name: name.clone(),
                parameters: parameters.clone(),
                result,
            });
        }
        self.script.commands.push(Command::Declare {
            name,
            parameters,
            result,
        });
        term
    }

    /// Fixes what the witness takes a declared symbol to be.
    pub fn let_witness_know(&mut self, symbol: &T, value: Value) {
        self.witness.symbols.insert(symbol.to_string(), value);
    }

    /// Do declarations outlive reset-assertions?
    pub fn keeps_declarations(&self) -> bool {
        self.script.global_declarations
    }

    fn random_value(&mut self, sort: Sort) -> Value {
        match sort {
            Sort::Int | Sort::Real => self.number_value(sort),
            Sort::Float(..) => {
                let format = Format::of(sort);
                Value::Bv(format.canonical(self.float_bits(format)))
            }
            Sort::Rounding => Value::Bv(self.rng.below(5) as u128),
            Sort::Bool => Value::Bool(self.rng.percent(50)),
            Sort::Bv(width) => Value::Bv(self.constant(width)),
            Sort::Array(index_width, element) => {
                let default = self.constant(element);
                let entries = (0..3)
                    .map(|_| (self.constant(index_width), self.constant(element)))
                    .collect();
                Value::Array(ArrayValue {
                    index_width,
                    default,
                    entries,
                })
            }
        }
    }

    pub(super) fn define(&mut self) {
        let parameters: Vec<(String, Sort)> = (0..self.rng.below(3))
            .map(|_| (self.fresh("q"), self.scalar_sort()))
            .collect();
        let result = self.random_sort();
        self.bound = parameters.clone();
        self.budget = 10;
        let body = self.term(result, 2);
        self.bound.clear();
        if expand(&body, &self.definitions).size > 40 {
            return;
        }
        let name = self.fresh("d");
        let names = parameters.iter().map(|(name, _)| name.clone()).collect();
        self.definitions.insert(name.clone(), (names, body.clone()));
        if parameters.is_empty() {
            self.symbols.push((name.clone(), result));
        } else {
            let sorts = parameters.iter().map(|(_, sort)| *sort).collect();
            self.functions.push(Signature {
                name: name.clone(),
                parameters: sorts,
                result,
            });
        }
        self.script.commands.push(Command::Define {
            name,
            parameters,
            body,
        });
    }

    /// What the witness makes of a Boolean term.
    fn witness_holds(&self, term: &T) -> bool {
        matches!(
            evaluate(&expand(term, &self.definitions), &self.witness),
            Ok(Value::Bool(true))
        )
    }

    /// The term or its negation, as the witness likes it.
    pub fn bent(&mut self, term: T) -> T {
        if self.witness_holds(&term) {
            return term;
        }
        if self.rng.percent(20) {
            op(Op::Eq, [boolean(false), term])
        } else {
            not(term)
        }
    }

    pub fn assert(&mut self, term: T) {
        self.witnessed &= self.witness_holds(&term);
        let named = self
            .rng
            .percent(if self.script.unsat_cores { 75 } else { 8 });
        let name = named.then(|| self.fresh("n"));
        if let Some(name) = &name {
            self.definitions
                .insert(name.clone(), (Vec::new(), term.clone()));
            if expand(&term, &self.definitions).size < 30 {
                self.names.push(name.clone());
            }
        }
        self.script.commands.push(Command::Assert { term, name });
    }

    pub(super) fn assert_random(&mut self) {
        let term = self.fact();
        // The base level stays satisfiable: below it everything would be unsat for good.
        let bend = if self.marks.is_empty() { 97 } else { 45 };
        let term = if self.rng.percent(bend) {
            self.bent(term)
        } else {
            term
        };
        self.assert(term);
    }

    pub fn push(&mut self, levels: u32) {
        let mark = Mark {
            symbols: self.symbols.len(),
            functions: self.functions.len(),
            names: self.names.len(),
            witnessed: self.witnessed,
        };
        self.marks
            .extend(std::iter::repeat_n(mark, levels as usize));
        self.script.commands.push(Command::Push(levels));
    }

    pub fn depth(&self) -> u32 {
        self.marks.len() as u32
    }

    pub fn pop(&mut self, levels: u32) {
        let mark = self.marks[self.marks.len() - levels as usize];
        self.marks.truncate(self.marks.len() - levels as usize);
        self.return_to(mark);
        self.script.commands.push(Command::Pop(levels));
    }

    fn return_to(&mut self, mark: Mark) {
        if !self.script.global_declarations {
            self.symbols.truncate(mark.symbols);
            self.functions.truncate(mark.functions);
        } else {
            // A definition may speak of names that are gone; only what was declared is kept in use.
            let declared = |name: &str| !self.definitions.contains_key(name);
            let mut place = 0;
            self.symbols.retain(|(name, _)| {
                place += 1;
                place <= mark.symbols || declared(name)
            });
            place = 0;
            self.functions.retain(|function| {
                place += 1;
                place <= mark.functions || declared(&function.name)
            });
        }
        self.names.truncate(mark.names);
        self.witnessed = mark.witnessed;
    }

    pub(super) fn pop_some(&mut self) {
        if self.depth() > 0 {
            let most = if self.rng.percent(70) {
                1
            } else {
                self.depth()
            };
            let levels = self.rng.between(1, most);
            self.pop(levels);
        }
    }

    pub fn reset_assertions(&mut self) {
        self.marks.clear();
        self.return_to(Mark {
            symbols: 0,
            functions: 0,
            names: 0,
            witnessed: true,
        });
        self.script.commands.push(Command::ResetAssertions);
    }

    fn probe(&mut self) -> Probe {
        if self.rng.percent(70) {
            Probe::Values
        } else {
            Probe::Model
        }
    }

    pub fn check(&mut self) {
        let probe = self.probe();
        self.script.commands.push(Command::Check {
            assuming: None,
            probe,
        });
        // Probably unsat by now: do not linger.
        if !self.witnessed && self.rng.percent(55) {
            self.pop_some();
        }
    }

    pub fn check_assuming(&mut self, terms: Vec<T>) {
        let probe = self.probe();
        self.script.commands.push(Command::Check {
            assuming: Some(terms),
            probe,
        });
    }

    pub(super) fn check_assuming_random(&mut self) {
        let bend = *self.rng.pick(&[0, 50, 100]);
        let terms = (0..self.rng.below(5))
            .map(|_| {
                let term = if self.rng.percent(30) {
                    self.literal()
                } else {
                    self.fact()
                };
                if self.rng.percent(bend) {
                    self.bent(term)
                } else {
                    term
                }
            })
            .collect();
        self.check_assuming(terms);
    }

    /// A Boolean symbol or name, perhaps negated: what the standard calls a literal.
    pub(super) fn literal(&mut self) -> T {
        let named = !self.names.is_empty() && self.rng.percent(50);
        let term = if named {
            symbol(self.rng.pick(&self.names).clone(), Sort::Bool)
        } else {
            self.visible(Sort::Bool).unwrap_or_else(|| boolean(true))
        };
        if self.rng.percent(40) {
            not(term)
        } else {
            term
        }
    }

    pub(super) fn check_identity(&mut self) {
        let identity = match self.script.theory {
            Theory::Bv => identities::draw(self),
            Theory::Fp => self.law_of_floats(),
            Theory::Uf => self.law_of_equality(),
            theory => laws::draw(self, theory),
        };
        if expand(&identity, &self.definitions).size > 2 * LARGEST_EXPANSION {
            return;
        }
        if self.rng.percent(50) {
            self.check_assuming(vec![not(identity)]);
        } else {
            self.push(1);
            self.assert(not(identity));
            let probe = self.probe();
            self.script.commands.push(Command::Check {
                assuming: None,
                probe,
            });
            self.pop(1);
        }
    }
}
