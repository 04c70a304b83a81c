//! What the tests share: a seeded random generator, a truth-table oracle, instance families, a theory.
#![allow(dead_code)]

pub mod difference;

use refrain_sat::{Cdcl, Engine, Lit, Var};

/// A small random generator (splitmix64), seeded so that every failure can be repeated. Not that of all tests: a seed of
/// `brute_force.rs` stands for a wrong answer that was found with this one.
pub struct Rng(u64);

impl Rng {
    /// A generator with a fixed seed. Set `SEED` to run the same tests on other instances.
    pub fn seeded(seed: u64) -> Rng {
        let other = std::env::var("SEED").ok().and_then(|s| s.parse().ok());
        Rng(seed.wrapping_add(other.unwrap_or(0u64).wrapping_mul(0x1234_5678_9abc_def1)))
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub fn coin(&mut self) -> bool {
        self.next() & 1 == 1
    }

    pub fn lit(&mut self, vars: usize) -> Lit {
        Lit::new(Var::from_index(self.below(vars)), self.coin())
    }
}

/// The set of satisfying assignments of a clause set, one bit for each of the `2^vars` assignments.
#[derive(Clone)]
pub struct TruthTable {
    vars: usize,
    rows: Vec<u64>,
}

impl TruthTable {
    pub fn new(vars: usize) -> TruthTable {
        let words = (1usize << vars).div_ceil(64);
        let mut rows = vec![!0; words];
        if vars < 6 {
            rows[0] = (1 << (1 << vars)) - 1;
        }
        TruthTable { vars, rows }
    }

    /// The rows of `word` in which `lit` holds.
    fn pattern(lit: Lit, word: usize) -> u64 {
        const LOW: [u64; 6] = [
            0xaaaa_aaaa_aaaa_aaaa,
            0xcccc_cccc_cccc_cccc,
            0xf0f0_f0f0_f0f0_f0f0,
            0xff00_ff00_ff00_ff00,
            0xffff_0000_ffff_0000,
            0xffff_ffff_0000_0000,
        ];
        let var = lit.var().index();
        let bits = match LOW.get(var) {
            Some(&bits) => bits,
            None if word >> (var - 6) & 1 == 1 => !0,
            None => 0,
        };
        if lit.is_negative() { !bits } else { bits }
    }

    pub fn and_clause(&mut self, clause: &[Lit]) {
        for (word, rows) in self.rows.iter_mut().enumerate() {
            let patterns = clause.iter().map(|&lit| TruthTable::pattern(lit, word));
            *rows &= patterns.fold(0, |all, pattern| all | pattern);
        }
    }

    pub fn satisfiable_with(&self, lits: &[Lit]) -> bool {
        self.rows.iter().enumerate().any(|(word, &rows)| {
            let patterns = lits.iter().map(|&lit| TruthTable::pattern(lit, word));
            patterns.fold(rows, |all, pattern| all & pattern) != 0
        })
    }

    pub fn vars(&self) -> usize {
        self.vars
    }
}

/// `pigeons` pigeons do not fit in `holes` holes unless there are as many.
pub fn pigeonhole(engine: &mut dyn Engine, pigeons: usize, holes: usize) {
    let at: Vec<Vec<Lit>> = (0..pigeons)
        .map(|_| (0..holes).map(|_| engine.new_var().positive()).collect())
        .collect();
    for pigeon in &at {
        engine.add_clause(pigeon);
    }
    for hole in 0..holes {
        for (index, first) in at.iter().enumerate() {
            for second in &at[index + 1..] {
                engine.add_clause(&[!first[hole], !second[hole]]);
            }
        }
    }
}

/// Random clauses of three literals.
pub fn random_3sat(rng: &mut Rng, vars: usize, clauses: usize) -> Vec<Vec<Lit>> {
    (0..clauses)
        .map(|_| (0..3).map(|_| rng.lit(vars)).collect())
        .collect()
}

/// An engine with variables and clauses.
pub fn with_clauses<E: Engine + Default>(vars: usize, clauses: &[Vec<Lit>]) -> E {
    filled(E::default(), vars, clauses)
}

/// `engine`, with variables and clauses.
pub fn filled<E: Engine>(mut engine: E, vars: usize, clauses: &[Vec<Lit>]) -> E {
    for _ in 0..vars {
        engine.new_var();
    }
    for clause in clauses {
        engine.add_clause(clause);
    }
    engine
}

/// An engine that simplifies its clauses after every conflict.
pub fn eager() -> Cdcl {
    let mut engine = Cdcl::new();
    engine.inprocess_eagerly();
    engine
}

/// Whether every clause has a literal that `engine` gives the value true.
pub fn model_satisfies(engine: &dyn Engine, clauses: &[Vec<Lit>]) -> bool {
    let holds = |lit: &Lit| engine.value(*lit) == Some(true);
    clauses.iter().all(|clause| clause.iter().any(holds))
}
