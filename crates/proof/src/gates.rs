//! Gates: literals joined to others, with the clauses that define them (Tseitin). A gate that is there already is used
//! again, one whose result is known from its inputs is none.
//!
//! Literals are as in DIMACS: a variable from 1 up, negative for its negation. Variable 1 is true.

use rustc_hash::FxHashMap;

use crate::error::{Fault, Outgrown};

pub type Lit = i32;

pub const TRUE: Lit = 1;
pub const FALSE: Lit = -1;

/// Clauses one after another. The number of a clause is its place, from 1.
#[derive(Clone, Default)]
pub struct Clauses {
    lits: Vec<Lit>,
    ends: Vec<usize>,
}

impl Clauses {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The clause at a place, from 0.
    pub fn get(&self, place: usize) -> &[Lit] {
        let start = match place {
            0 => 0,
            _ => self.ends[place - 1],
        };
        &self.lits[start..self.ends[place]]
    }

    pub fn push(&mut self, clause: &[Lit]) {
        self.lits.extend_from_slice(clause);
        self.ends.push(self.lits.len());
    }

    pub fn literals(&self) -> usize {
        self.lits.len()
    }
}

/// How large an encoding may be, in literals of clauses and in variables.
const MAX_LITERALS: usize = 60_000_000;
const MAX_VARS: i32 = 10_000_000;

pub struct Gates {
    vars: i32,
    pub clauses: Clauses,
    ands: FxHashMap<Box<[Lit]>, Lit>,
    xors: FxHashMap<(Lit, Lit), Lit>,
    muxes: FxHashMap<(Lit, Lit, Lit), Lit>,
    majorities: FxHashMap<[Lit; 3], Lit>,
}

impl Default for Gates {
    fn default() -> Gates {
        let mut gates = Gates {
            vars: 1,
            clauses: Clauses::default(),
            ands: FxHashMap::default(),
            xors: FxHashMap::default(),
            muxes: FxHashMap::default(),
            majorities: FxHashMap::default(),
        };
        gates.clauses.push(&[TRUE]);
        gates
    }
}

impl Gates {
    pub fn vars(&self) -> i32 {
        self.vars
    }

    /// Fails when the encoding has become too large.
    pub fn check_size(&self) -> Result<(), Fault> {
        if self.clauses.literals() > MAX_LITERALS || self.vars > MAX_VARS {
            return Err(Outgrown.into());
        }
        Ok(())
    }

    pub fn fresh(&mut self) -> Lit {
        self.vars += 1;
        self.vars
    }

    pub fn constant(value: bool) -> Lit {
        if value { TRUE } else { FALSE }
    }

    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        self.and_all(&[a, b])
    }

    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        -self.and_all(&[-a, -b])
    }

    pub fn or_all(&mut self, lits: &[Lit]) -> Lit {
        let negated: Vec<Lit> = lits.iter().map(|lit| -lit).collect();
        -self.and_all(&negated)
    }

    pub fn and_all(&mut self, lits: &[Lit]) -> Lit {
        let mut inputs: Vec<Lit> = lits.iter().copied().filter(|&lit| lit != TRUE).collect();
        inputs.sort_unstable_by_key(|lit| (lit.abs(), *lit));
        inputs.dedup();
        let clash = inputs.windows(2).any(|pair| pair[0] == -pair[1]);
        if clash || inputs.contains(&FALSE) {
            return FALSE;
        }
        match inputs[..] {
            [] => return TRUE,
            [single] => return single,
            _ => {}
        }
        if let Some(&gate) = self.ands.get(&inputs[..]) {
            return gate;
        }
        let gate = self.fresh();
        for &input in &inputs {
            self.clauses.push(&[-gate, input]);
        }
        let mut last: Vec<Lit> = inputs.iter().map(|input| -input).collect();
        last.push(gate);
        self.clauses.push(&last);
        self.ands.insert(inputs.into(), gate);
        gate
    }

    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let negated = (a < 0) != (b < 0);
        let (low, high) = (a.abs().min(b.abs()), a.abs().max(b.abs()));
        let gate = if low == high {
            FALSE
        } else if low == TRUE {
            -high
        } else if let Some(&gate) = self.xors.get(&(low, high)) {
            gate
        } else {
            let gate = self.fresh();
            self.clauses.push(&[-gate, low, high]);
            self.clauses.push(&[-gate, -low, -high]);
            self.clauses.push(&[gate, -low, high]);
            self.clauses.push(&[gate, low, -high]);
            self.xors.insert((low, high), gate);
            gate
        };
        if negated { -gate } else { gate }
    }

    pub fn equal(&mut self, a: Lit, b: Lit) -> Lit {
        -self.xor(a, b)
    }

    /// `yes` if `condition`, else `no`.
    pub fn mux(&mut self, condition: Lit, yes: Lit, no: Lit) -> Lit {
        if condition < 0 {
            return self.mux(-condition, no, yes);
        }
        if condition == TRUE || yes == no {
            return yes;
        }
        if yes == TRUE || yes == condition {
            return self.or(condition, no);
        }
        if yes == FALSE || yes == -condition {
            return self.and(-condition, no);
        }
        if no == TRUE || no == -condition {
            return self.or(-condition, yes);
        }
        if no == FALSE || no == condition {
            return self.and(condition, yes);
        }
        if yes == -no {
            return self.equal(condition, yes);
        }
        if yes < 0 {
            return -self.mux(condition, -yes, -no);
        }
        let key = (condition, yes, no);
        if let Some(&gate) = self.muxes.get(&key) {
            return gate;
        }
        let gate = self.fresh();
        self.clauses.push(&[-condition, -yes, gate]);
        self.clauses.push(&[-condition, yes, -gate]);
        self.clauses.push(&[condition, -no, gate]);
        self.clauses.push(&[condition, no, -gate]);
        self.clauses.push(&[-yes, -no, gate]);
        self.clauses.push(&[yes, no, -gate]);
        self.muxes.insert(key, gate);
        gate
    }

    /// Whether two or more of three hold.
    pub fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut inputs = [a, b, c];
        inputs.sort_unstable_by_key(|lit| (lit.abs(), *lit));
        let [a, b, c] = inputs;
        // What is true or false has come to the front; two that are equal or opposite are side by side.
        match a {
            TRUE => return self.or(b, c),
            FALSE => return self.and(b, c),
            _ => {}
        }
        if a == b || b == -c {
            return a;
        }
        if b == c || a == -b {
            return c;
        }
        if let Some(&gate) = self.majorities.get(&inputs) {
            return gate;
        }
        let gate = self.fresh();
        for (x, y) in [(a, b), (a, c), (b, c)] {
            self.clauses.push(&[-x, -y, gate]);
            self.clauses.push(&[x, y, -gate]);
        }
        self.majorities.insert(inputs, gate);
        gate
    }
}
