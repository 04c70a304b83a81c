//! Gates that are added as they are needed, and queries that decide on the inputs of their cone only:
//! how a bit-blasting solver uses the engine. The oracle evaluates the circuit.

mod common;

use common::Rng;
use refrain_sat::{Cdcl, Engine, Limits, Lit, Outcome, Query, Var};

#[derive(Clone, Copy)]
enum Gate {
    Input,
    And(Lit, Lit),
    Xor(Lit, Lit),
    Ite(Lit, Lit, Lit),
}

#[derive(Default)]
struct Circuit {
    gates: Vec<Gate>,
    inputs: Vec<Var>,
}

impl Circuit {
    fn add(&mut self, engine: &mut Cdcl, gate: Gate) -> Lit {
        let var = engine.new_var();
        assert_eq!(var.index(), self.gates.len());
        self.gates.push(gate);
        let out = var.positive();
        match gate {
            Gate::Input => self.inputs.push(var),
            Gate::And(a, b) => {
                engine.add_clause(&[!out, a]);
                engine.add_clause(&[!out, b]);
                engine.add_clause(&[out, !a, !b]);
            }
            Gate::Xor(a, b) => {
                engine.add_clause(&[!out, a, b]);
                engine.add_clause(&[!out, !a, !b]);
                engine.add_clause(&[out, !a, b]);
                engine.add_clause(&[out, a, !b]);
            }
            Gate::Ite(c, t, e) => {
                engine.add_clause(&[!c, !t, out]);
                engine.add_clause(&[!c, t, !out]);
                engine.add_clause(&[c, !e, out]);
                engine.add_clause(&[c, e, !out]);
            }
        }
        out
    }

    fn random_lit(&self, rng: &mut Rng) -> Lit {
        // Recent gates more often, for depth.
        let count = self.gates.len();
        let span = if rng.coin() { count } else { count.min(12) };
        Lit::new(Var::from_index(count - 1 - rng.below(span)), rng.coin())
    }

    fn grow(&mut self, engine: &mut Cdcl, rng: &mut Rng) -> Lit {
        let [a, b, c] = [(); 3].map(|()| self.random_lit(rng));
        let gate = match rng.below(3) {
            0 => Gate::And(a, b),
            1 => Gate::Xor(a, b),
            _ => Gate::Ite(a, b, c),
        };
        self.add(engine, gate)
    }

    /// The values of all gates for each assignment of the inputs, one bit an assignment.
    fn columns(&self) -> Vec<Vec<u64>> {
        let rows = 1usize << self.inputs.len();
        let words = rows.div_ceil(64);
        let mut columns: Vec<Vec<u64>> = Vec::new();
        for (index, gate) in self.gates.iter().enumerate() {
            let of = |lit: Lit, word: usize| {
                let bits = columns[lit.var().index()][word];
                if lit.is_negative() { !bits } else { bits }
            };
            let column = (0..words)
                .map(|word| match *gate {
                    Gate::Input => {
                        let input = self.inputs.iter().position(|v| v.index() == index);
                        let input = input.expect("listed");
                        (0..64)
                            .map(|bit| (((word * 64 + bit) >> input & 1) as u64) << bit)
                            .sum()
                    }
                    Gate::And(a, b) => of(a, word) & of(b, word),
                    Gate::Xor(a, b) => of(a, word) ^ of(b, word),
                    Gate::Ite(c, t, e) => of(c, word) & of(t, word) | !of(c, word) & of(e, word),
                })
                .collect();
            columns.push(column);
        }
        columns
    }

    /// The inputs that some of `lits` depend on.
    fn cone(&self, lits: &[Lit]) -> Vec<Var> {
        let mut seen = vec![false; self.gates.len()];
        let mut stack: Vec<Var> = lits.iter().map(|lit| lit.var()).collect();
        let mut inputs = Vec::new();
        while let Some(var) = stack.pop() {
            if std::mem::replace(&mut seen[var.index()], true) {
                continue;
            }
            match self.gates[var.index()] {
                Gate::Input => inputs.push(var),
                Gate::And(a, b) | Gate::Xor(a, b) => stack.extend([a.var(), b.var()]),
                Gate::Ite(a, b, c) => stack.extend([a.var(), b.var(), c.var()]),
            }
        }
        inputs
    }

    /// The row in which the inputs have the engine's values, those it leaves open being false.
    fn row(&self, engine: &Cdcl) -> usize {
        let value = |input: &Var| engine.value(input.positive()) == Some(true);
        let bits = self.inputs.iter().enumerate();
        bits.map(|(at, input)| usize::from(value(input)) << at)
            .sum()
    }
}

fn holds(columns: &[Vec<u64>], lit: Lit, row: usize) -> bool {
    let bit = columns[lit.var().index()][row / 64] >> (row % 64) & 1;
    (bit == 1) != lit.is_negative()
}

fn satisfiable(columns: &[Vec<u64>], rows: usize, lits: &[Lit]) -> bool {
    (0..rows).any(|row| lits.iter().all(|&lit| holds(columns, lit, row)))
}

#[test]
fn cone_queries_match_evaluation() {
    cone_queries(Rng::seeded(11), Cdcl::new);
}

#[test]
fn cone_queries_match_evaluation_with_inprocessing() {
    cone_queries(Rng::seeded(12), common::eager);
}

fn cone_queries(mut rng: Rng, new: fn() -> Cdcl) {
    let mut answers = [0; 2];
    for _ in 0..refrain_testing::effort(80, 2_000) {
        let mut engine = new();
        let mut circuit = Circuit::default();
        for _ in 0..2 + rng.below(9) {
            circuit.add(&mut engine, Gate::Input);
        }
        let rows = 1 << circuit.inputs.len();
        let mut path: Vec<Lit> = Vec::new();
        for _ in 0..60 {
            for _ in 0..rng.below(8) {
                circuit.grow(&mut engine, &mut rng);
            }
            let columns = circuit.columns();
            // Some paths end early, branches flip, the path goes on.
            match rng.below(6) {
                0 => path.truncate(rng.below(path.len() + 1)),
                1 => {
                    if let Some(lit) = path.last_mut() {
                        *lit = !*lit;
                    }
                }
                _ => path.push(circuit.random_lit(&mut rng)),
            }
            let cone = circuit.cone(&path);
            let everything = rng.below(10) == 0;
            let query = Query::new(&path);
            let query = if everything {
                query
            } else {
                query.deciding(&cone)
            };
            let limits = Limits {
                // Now and then the search is left half way, with decisions of its own on the trail.
                conflicts: (rng.below(5) == 0).then(|| rng.below(3) as u64),
                ..Limits::default()
            };
            let outcome = engine.solve(query.within(limits));
            engine.check_invariants();
            if matches!(outcome, Outcome::Unknown(_)) {
                continue;
            }
            answers[usize::from(outcome == Outcome::Sat)] += 1;
            match outcome {
                Outcome::Sat => {
                    let row = circuit.row(&engine);
                    for &lit in &path {
                        assert_eq!(engine.value(lit), Some(true));
                        assert!(holds(&columns, lit, row), "{lit:?} in row {row}");
                    }
                }
                Outcome::Unsat => {
                    assert!(!satisfiable(&columns, rows, &path));
                    let failed = engine.failed();
                    assert!(failed.iter().all(|lit| path.contains(lit)));
                    assert!(!satisfiable(&columns, rows, failed));
                    path.pop();
                }
                Outcome::Unknown(_) => unreachable!("handled above"),
            }
        }
    }
    assert!(answers.iter().all(|&count| count > 500), "{answers:?}");
}

/// A session with very many variables must not slow a small query down.
#[test]
fn a_small_query_touches_only_its_cone() {
    let mut engine = Cdcl::new();
    let mut circuit = Circuit::default();
    for _ in 0..2_000 {
        let a = circuit.add(&mut engine, Gate::Input);
        let b = circuit.add(&mut engine, Gate::Input);
        let c = circuit.add(&mut engine, Gate::Xor(a, b));
        circuit.add(&mut engine, Gate::And(c, a));
    }
    let before = engine.stats();
    for block in 0..2_000 {
        let out = Var::from_index(4 * block + 3).positive();
        let cone = [4 * block, 4 * block + 1].map(Var::from_index);
        let query = [out];
        assert_eq!(
            engine.solve(Query::new(&query).deciding(&cone)),
            Outcome::Sat
        );
        assert_eq!(engine.value(cone[0].positive()), Some(true));
        assert_eq!(engine.value(cone[1].positive()), Some(false));
    }
    let after = engine.stats();
    assert!(after.propagations - before.propagations <= 4 * 2_000);
    assert!(after.decisions - before.decisions <= 2 * 2_000);
}
