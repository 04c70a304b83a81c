//! Gates over literals, in clauses.
//!
//! Constants and repeated inputs fold away, equal gates are built once, and every gate is defined in both directions:
//! once its inputs are assigned, propagation assigns its output. The search relies on that to decide on inputs alone.

use refrain_sat::{Engine, Lit};
use rustc_hash::FxHashMap;

use crate::{Limits, Reason};

/// Beyond this many clauses an encoding would not fit the memory of ordinary machines.
const MAX_CLAUSES: usize = 100_000_000;

/// The SAT engine: our own, or batsat to compare with.
#[cfg(not(feature = "batsat"))]
type SatEngine = refrain_sat::Cdcl;
#[cfg(feature = "batsat")]
type SatEngine = refrain_sat::Batsat;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Gate {
    And(Lit, Lit),
    Xor(Lit, Lit),
    Mux(Lit, Lit, Lit),
    Sum(Lit, Lit, Lit),
    Majority(Lit, Lit, Lit),
}

/// The clauses built so far, and the engine that holds them.
pub struct Gates {
    pub engine: SatEngine,
    yes: Lit,
    built: FxHashMap<Gate, Lit>,
    /// How many clauses have been added; a measure of the encoding's size.
    clauses: usize,
    limits: Limits,
    /// Why no more gates should be built: circuits that notice end unfinished.
    gave_up: Option<Reason>,
}

impl Gates {
    pub fn new() -> Gates {
        let mut engine = SatEngine::default();
        let yes = engine.new_var().positive();
        engine.add_clause(&[yes]);
        Gates {
            engine,
            yes,
            built: FxHashMap::default(),
            clauses: 1,
            limits: Limits::default(),
            gave_up: None,
        }
    }

    #[inline]
    pub fn yes(&self) -> Lit {
        self.yes
    }

    #[inline]
    pub fn no(&self) -> Lit {
        !self.yes
    }

    #[inline]
    pub fn constant(&self, value: bool) -> Lit {
        if value { self.yes } else { !self.yes }
    }

    /// The value of a constant literal.
    #[inline]
    pub fn known(&self, lit: Lit) -> Option<bool> {
        (lit.var() == self.yes.var()).then_some(lit == self.yes)
    }

    pub fn fresh(&mut self) -> Lit {
        self.engine.new_var().positive()
    }

    /// Sets the limits of the check that gates are built for.
    pub fn begin(&mut self, limits: &Limits) {
        self.limits = limits.clone();
        self.gave_up = None;
    }

    /// Why building has stopped, if it has.
    pub fn gave_up(&self) -> Option<&Reason> {
        self.gave_up.as_ref()
    }

    pub fn clause(&mut self, lits: &[Lit]) {
        self.clauses += 1;
        if self.clauses.is_multiple_of(4096) && self.gave_up.is_none() {
            self.gave_up = self.limits.exceeded();
            if self.clauses > MAX_CLAUSES {
                self.gave_up = Some(Reason::ResourceLimit("the encoding is too large".into()));
            }
        }
        self.engine.add_clause(lits);
    }

    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        if a == b || b == self.yes {
            return a;
        }
        if a == self.yes {
            return b;
        }
        if a == !b || a == !self.yes || b == !self.yes {
            return !self.yes;
        }
        let (a, b) = if b < a { (b, a) } else { (a, b) };
        if let Some(&output) = self.built.get(&Gate::And(a, b)) {
            return output;
        }
        let output = self.fresh();
        self.clause(&[!output, a]);
        self.clause(&[!output, b]);
        self.clause(&[output, !a, !b]);
        self.built.insert(Gate::And(a, b), output);
        output
    }

    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// The conjunction of many literals, as one gate.
    pub fn all(&mut self, lits: &[Lit]) -> Lit {
        let mut inputs: Vec<Lit> = lits
            .iter()
            .copied()
            .filter(|&lit| lit != self.yes)
            .collect();
        inputs.sort_unstable();
        inputs.dedup();
        // A literal and its negation are neighbours after sorting.
        if inputs.contains(&!self.yes) || inputs.windows(2).any(|pair| pair[0] == !pair[1]) {
            return !self.yes;
        }
        match inputs[..] {
            [] => self.yes,
            [single] => single,
            [a, b] => self.and(a, b),
            _ => {
                let output = self.fresh();
                for &input in &inputs {
                    self.clause(&[!output, input]);
                }
                for input in &mut inputs {
                    *input = !*input;
                }
                inputs.push(output);
                self.clause(&inputs);
                output
            }
        }
    }

    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        if let Some(value) = self.known(a) {
            return if value { !b } else { b };
        }
        if let Some(value) = self.known(b) {
            return if value { !a } else { a };
        }
        // Negations move to the output, so that one gate serves all four polarities.
        let flip = a.is_negative() != b.is_negative();
        let (a, b) = (a.var().positive(), b.var().positive());
        if a == b {
            return self.constant(flip);
        }
        let (a, b) = if b < a { (b, a) } else { (a, b) };
        let output = match self.built.get(&Gate::Xor(a, b)) {
            Some(&output) => output,
            None => {
                let output = self.fresh();
                self.clause(&[!output, a, b]);
                self.clause(&[!output, !a, !b]);
                self.clause(&[output, !a, b]);
                self.clause(&[output, a, !b]);
                self.built.insert(Gate::Xor(a, b), output);
                output
            }
        };
        if flip { !output } else { output }
    }

    /// `condition ? a : b`.
    pub fn mux(&mut self, condition: Lit, a: Lit, b: Lit) -> Lit {
        if let Some(value) = self.known(condition) {
            return if value { a } else { b };
        }
        if a == b {
            return a;
        }
        if a == !b {
            return self.xor(condition, b);
        }
        if a == self.yes || a == condition {
            return self.or(condition, b);
        }
        if a == !self.yes || a == !condition {
            return self.and(!condition, b);
        }
        if b == self.yes || b == !condition {
            return self.or(!condition, a);
        }
        if b == !self.yes || b == condition {
            return self.and(condition, a);
        }
        let (condition, a, b) = if condition.is_negative() {
            (!condition, b, a)
        } else {
            (condition, a, b)
        };
        let flip = a.is_negative();
        let (a, b) = if flip { (!a, !b) } else { (a, b) };
        let output = match self.built.get(&Gate::Mux(condition, a, b)) {
            Some(&output) => output,
            None => {
                let output = self.fresh();
                self.clause(&[!condition, !a, output]);
                self.clause(&[!condition, a, !output]);
                self.clause(&[condition, !b, output]);
                self.clause(&[condition, b, !output]);
                // Redundant, but lets the output propagate when both branches agree.
                self.clause(&[!a, !b, output]);
                self.clause(&[a, b, !output]);
                self.built.insert(Gate::Mux(condition, a, b), output);
                output
            }
        };
        if flip { !output } else { output }
    }

    /// The sum bit of a full adder.
    pub fn sum(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let [a, b, c] = sorted([a, b, c]);
        if [a, b, c].iter().any(|&lit| self.known(lit).is_some())
            || a.var() == b.var()
            || b.var() == c.var()
        {
            let half = self.xor(a, b);
            return self.xor(half, c);
        }
        let flip = a.is_negative() ^ b.is_negative() ^ c.is_negative();
        let [a, b, c] = [a.var().positive(), b.var().positive(), c.var().positive()];
        let output = match self.built.get(&Gate::Sum(a, b, c)) {
            Some(&output) => output,
            None => {
                let output = self.fresh();
                for pattern in 0..8u32 {
                    let flipped =
                        |lit: Lit, bit: u32| if pattern >> bit & 1 == 1 { !lit } else { lit };
                    let odd = pattern.count_ones() % 2 == 1;
                    let result = if odd { output } else { !output };
                    // Inputs equal to the pattern give its parity.
                    self.clause(&[flipped(a, 0), flipped(b, 1), flipped(c, 2), result]);
                }
                self.built.insert(Gate::Sum(a, b, c), output);
                output
            }
        };
        if flip { !output } else { output }
    }

    /// The carry bit of a full adder: at least two of three.
    pub fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let [a, b, c] = sorted([a, b, c]);
        for (x, y, z) in [(a, b, c), (b, a, c), (c, a, b)] {
            if let Some(value) = self.known(x) {
                return if value { self.or(y, z) } else { self.and(y, z) };
            }
        }
        if a == b || a == c {
            return a;
        }
        if b == c {
            return b;
        }
        if a == !b {
            return c;
        }
        if b == !c {
            return a;
        }
        if a == !c {
            return b;
        }
        if let Some(&output) = self.built.get(&Gate::Majority(a, b, c)) {
            return output;
        }
        let output = self.fresh();
        for (x, y) in [(a, b), (a, c), (b, c)] {
            self.clause(&[!x, !y, output]);
            self.clause(&[x, y, !output]);
        }
        self.built.insert(Gate::Majority(a, b, c), output);
        output
    }
}

fn sorted(mut lits: [Lit; 3]) -> [Lit; 3] {
    lits.sort_unstable();
    lits
}
