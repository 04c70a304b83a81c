//! The propositional part: clauses that follow from others by unit propagation, each with the clauses that propagate, in
//! their order (LRAT; Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp, "Efficient Certified RAT Verification",
//! CADE 2017; without RAT). Nothing is searched for.

use rustc_hash::FxHashMap;

use crate::error::Fault;
use crate::gates::{Clauses, Lit};

pub struct Lrat<'a> {
    given: &'a Clauses,
    /// Clauses that were derived, by number.
    derived: FxHashMap<u64, Box<[Lit]>>,
    last: u64,
    /// The value of each variable during a step; 0: none.
    values: Vec<i8>,
    assigned: Vec<Lit>,
    is_refuted: bool,
}

impl<'a> Lrat<'a> {
    pub fn new(given: &'a Clauses, vars: i32) -> Lrat<'a> {
        Lrat {
            given,
            derived: FxHashMap::default(),
            last: given.len() as u64,
            values: vec![0; vars as usize + 1],
            assigned: Vec::new(),
            is_refuted: false,
        }
    }

    /// Whether the empty clause was derived.
    pub fn is_refuted(&self) -> bool {
        self.is_refuted
    }

    /// Derives a clause.
    pub fn derive(&mut self, number: u64, clause: &[Lit], hints: &[u64]) -> Result<(), Fault> {
        if self.is_refuted {
            return Err(Fault::wrong("a step after the contradiction"));
        }
        if number <= self.last {
            return Err(Fault::wrong(format!(
                "clause {number} comes after {}",
                self.last
            )));
        }
        let result = self.propagate(clause, hints);
        for lit in self.assigned.drain(..) {
            self.values[lit.unsigned_abs() as usize] = 0;
        }
        result?;
        self.last = number;
        self.is_refuted = clause.is_empty();
        self.derived.insert(number, clause.into());
        Ok(())
    }

    fn value(&self, lit: Lit) -> i8 {
        let value = self.values[lit.unsigned_abs() as usize];
        if lit < 0 { -value } else { value }
    }

    fn assign(&mut self, lit: Lit) {
        self.values[lit.unsigned_abs() as usize] = if lit < 0 { -1 } else { 1 };
        self.assigned.push(lit);
    }

    /// Assumes the negation of a clause and propagates by the hints, which must end in a clause that is false.
    fn propagate(&mut self, clause: &[Lit], hints: &[u64]) -> Result<(), Fault> {
        for &lit in clause {
            if lit == 0 || lit.unsigned_abs() as usize >= self.values.len() {
                return Err(Fault::wrong(format!("there is no literal {lit}")));
            }
            match self.value(lit) {
                0 => self.assign(-lit),
                1 => return Err(Fault::wrong("the clause is a tautology")),
                _ => {}
            }
        }
        for (place, &hint) in hints.iter().enumerate() {
            let Some(lits) = self.clause(hint) else {
                return Err(Fault::wrong(format!("there is no clause {hint}")));
            };
            let mut unit = None;
            for &lit in lits {
                match self.value(lit) {
                    0 if unit.is_none_or(|unit| unit == lit) => unit = Some(lit),
                    -1 => {}
                    _ => return Err(Fault::wrong(format!("clause {hint} does not propagate"))),
                }
            }
            match unit {
                Some(lit) => self.assign(lit),
                None if place + 1 == hints.len() => return Ok(()),
                None => return Err(Fault::wrong("hints after the conflict")),
            }
        }
        Err(Fault::wrong("the clause does not follow by its hints"))
    }

    fn clause(&self, number: u64) -> Option<&[Lit]> {
        match number {
            0 => None,
            given if given <= self.given.len() as u64 => Some(self.given.get(given as usize - 1)),
            derived => self.derived.get(&derived).map(|clause| &clause[..]),
        }
    }
}
