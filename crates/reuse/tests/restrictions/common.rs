//! What all tests of restrictions use.

use refrain_path::restriction::{Restriction, Restrictions};
use refrain_term::{Assignment, Op, Sort, Support, Term, Terms, Value, VarId, eval, print};

/// An arena with everything that restrictions are computed from.
#[derive(Default)]
pub struct World {
    pub terms: Terms,
    pub support: Support,
    pub restrictions: Restrictions,
}

impl World {
    pub fn of(&mut self, atom: Term) -> Restriction {
        let World {
            terms,
            support,
            restrictions,
        } = self;
        restrictions.of(terms, support, atom).clone()
    }

    pub fn all(&mut self, atoms: &[Term]) -> Vec<Restriction> {
        atoms.iter().map(|&atom| self.of(atom)).collect()
    }

    pub fn int(&mut self, name: &str) -> Term {
        self.terms.var(name, Sort::Int)
    }

    /// `sum + constant op 0`, as the paper writes atoms.
    pub fn paper(&mut self, sum: Term, constant: i64, op: &str) -> Term {
        let terms = &mut self.terms;
        let (constant, zero) = (terms.int(constant), terms.int(0));
        let left = terms.add(sum, constant);
        match op {
            "=" => terms.eq(left, zero),
            "≠" => {
                let equal = terms.eq(left, zero);
                terms.not(equal)
            }
            "≤" => terms.le(left, zero),
            "≥" => terms.ge(left, zero),
            ">" => terms.gt(left, zero),
            "<" => terms.lt(left, zero),
            _ => panic!("no operator: {op}"),
        }
    }

    /// Holds a restriction against the evaluator under one assignment.
    pub fn check(&mut self, atom: Term, assignment: &Assignment) {
        let Restriction { subject, values } = self.of(atom);
        let truth = eval(&self.terms, atom, assignment) == Value::Bool(true);
        let value = eval(&self.terms, subject, assignment);
        assert_eq!(
            values.contains(&value),
            truth,
            "{} by {} = {value:?} in {values:?}",
            print(&self.terms, atom),
            print(&self.terms, subject),
        );
        assert_eq!(values.complement().contains(&value), !truth);
    }
}

pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 8
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

pub fn var_id(terms: &Terms, symbol: Term) -> VarId {
    match terms.op(symbol) {
        Op::Var(var) => var,
        op => panic!("{op:?} is no symbol"),
    }
}
