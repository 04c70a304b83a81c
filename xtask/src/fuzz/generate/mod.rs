//! Random scripts: well-sorted terms over every operator, on stacks that grow and shrink.
//!
//! Scripts draw from few variables and from constants that matter, and keep a hidden witness: an
//! assignment that most assertions are bent to satisfy, so that both answers stay frequent on long
//! stacks. Three styles: random terms, questions as a symbolic executor asks them (see `paths`), and
//! identities from the standard's definitions (see `identities`), whose negation is unsat.
//!
//! Here is what a script is made of as a whole; `commands` writes them and `terms` fills them. Scripts
//! about numbers are laid out in `linear`, over terms of `numbers`; their identities are in `laws`. Scripts
//! about equality and functions are in `equality`. Scripts
//! about floats are in `floats`, their identities in `float_laws`.

mod commands;
mod equality;
mod float_laws;
mod floats;
mod linear;
mod numbers;
mod terms;

use super::ast::{Definitions, Sort};
use super::evaluate::Model;
use super::floats::Format;
use super::paths;
use super::script::Script;
use super::theory::{Family, Theory};
use crate::random::Rng;
use numbers::Numbers;

/// Widths that scripts prefer; now and then any width up to 128 is drawn instead.
const WIDTHS: &[u32] = &[
    1, 1, 2, 2, 3, 3, 4, 4, 4, 5, 6, 7, 8, 8, 8, 8, 9, 16, 16, 32, 32, 64,
];
const LARGEST_EXPANSION: usize = 250;

#[derive(Clone)]
struct Signature {
    name: String,
    parameters: Vec<Sort>,
    result: Sort,
}

/// Lengths of the scope's lists at a push, to return to at the pop.
#[derive(Clone, Copy)]
struct Mark {
    symbols: usize,
    functions: usize,
    names: usize,
    /// Does the witness satisfy everything asserted on the levels below?
    witnessed: bool,
}

pub struct Generator {
    pub rng: Rng,
    script: Script,
    symbols: Vec<(String, Sort)>,
    /// Let variables and parameters in scope of the term under construction.
    bound: Vec<(String, Sort)>,
    functions: Vec<Signature>,
    /// Named assertions.
    names: Vec<String>,
    definitions: Definitions,
    witness: Model,
    witnessed: bool,
    marks: Vec<Mark>,
    counter: usize,
    /// Nodes the term under construction may still have.
    budget: usize,
    constants: Vec<u128>,
    widths: Vec<u32>,
    arrays: Vec<(u32, u32)>,
    constant_arrays: bool,
    numbers: Numbers,
    /// How often which kind of atom over numbers is drawn.
    preferences: [u32; 7],
    /// Does a script about equality do sums?
    has_sums: bool,
    /// The formats of a script about floats.
    formats: Vec<Format>,
}

pub fn script(family: Family, seed: u64, index: u64) -> Script {
    let theory = family.theory(seed, index);
    let mut generator = Generator::new(theory, Rng::for_script(seed, index));
    if theory == Theory::Fp {
        generator.fill_with_floats()
    } else if theory == Theory::Uf {
        generator.fill_with_equality()
    } else if theory != Theory::Bv {
        generator.fill_with_numbers()
    } else if generator.rng.percent(30) {
        paths::fill(&mut generator)
    } else {
        generator.fill()
    }
    generator.script
}

/// A script that someone else lays out.
pub fn laid_out(theory: Theory, rng: Rng, lay: impl FnOnce(&mut Generator)) -> Script {
    let mut generator = Generator::new(theory, rng);
    lay(&mut generator);
    generator.script
}

impl Generator {
    fn new(theory: Theory, mut rng: Rng) -> Generator {
        let pool = 1 + rng.below(3);
        let widths = (0..pool)
            .map(|_| {
                if rng.percent(8) {
                    rng.between(1, 128)
                } else {
                    *rng.pick(WIDTHS)
                }
            })
            .collect();
        let constants = (0..3).map(|_| rng.wide()).collect();
        let script = Script {
            theory,
            logic: "ALL",
            unsat_cores: rng.percent(35),
            global_declarations: rng.percent(15),
            commands: Vec::new(),
        };
        Generator {
            numbers: Numbers::draw(Theory::Bv, &mut rng),
            preferences: [1; 7],
            has_sums: false,
            formats: Vec::new(),
            rng,
            script,
            symbols: Vec::new(),
            bound: Vec::new(),
            functions: Vec::new(),
            names: Vec::new(),
            definitions: Definitions::new(),
            witness: Model::default(),
            witnessed: true,
            marks: Vec::new(),
            counter: 0,
            budget: 0,
            constants,
            widths,
            arrays: Vec::new(),
            constant_arrays: false,
        }
    }

    fn fill(&mut self) {
        let with_arrays = self.rng.percent(45);
        let with_functions = self.rng.percent(35);
        self.constant_arrays = self.rng.percent(40);
        if with_arrays {
            for _ in 0..1 + self.rng.below(2) {
                let index = if self.rng.percent(40) {
                    *self.rng.pick(&self.widths)
                } else {
                    self.rng.between(1, 8)
                };
                let element = if self.rng.percent(70) {
                    *self.rng.pick(&self.widths)
                } else {
                    self.rng.between(1, 9)
                };
                self.arrays.push((index, element));
                self.widths.push(index);
            }
        }
        let fitting = match (with_arrays, with_functions) {
            (false, false) => "QF_BV",
            (true, false) => "QF_ABV",
            (false, true) => "QF_UFBV",
            (true, true) => "QF_AUFBV",
        };
        self.script.logic = if self.rng.percent(70) { fitting } else { "ALL" };
        self.declare_all(with_functions);
        self.fill_with_checks(with_functions);
    }

    fn fill_with_checks(&mut self, with_functions: bool) {
        let checks = 8 + self.rng.below(32);
        while self.script.checks() < checks {
            match self.rng.weighted(&[34, 14, 7, 14, 14, 3, 2, 1, 8]) {
                0 => self.assert_random(),
                1 => {
                    let levels = if self.rng.percent(85) {
                        1
                    } else {
                        self.rng.between(2, 5)
                    };
                    self.push(levels);
                    self.assert_random();
                }
                2 => self.pop_some(),
                3 => self.check(),
                4 => self.check_assuming_random(),
                5 => self.define(),
                6 => {
                    let sort = self.random_sort();
                    self.declare(Vec::new(), sort);
                }
                7 => {
                    self.reset_assertions();
                    if !self.script.global_declarations {
                        self.declare_all(with_functions);
                    }
                }
                _ => self.check_identity(),
            }
        }
    }

    fn declare_all(&mut self, with_functions: bool) {
        match self.script.theory {
            Theory::Bv => {}
            Theory::Fp => return self.declare_floats(with_functions),
            Theory::Uf => return self.declare_functions(),
            _ => return self.declare_numbers(),
        }
        for _ in 0..2 + self.rng.below(3) {
            let width = *self.rng.pick(&self.widths);
            self.declare(Vec::new(), Sort::Bv(width));
        }
        for _ in 0..1 + self.rng.below(2) {
            self.declare(Vec::new(), Sort::Bool);
        }
        for (index, element) in self.arrays.clone() {
            for _ in 0..1 + self.rng.below(3) {
                self.declare(Vec::new(), Sort::Array(index, element));
            }
            self.declare(Vec::new(), Sort::Bv(index));
        }
        if with_functions {
            for _ in 0..1 + self.rng.below(3) {
                let parameters = (0..1 + self.rng.below(3))
                    .map(|_| self.scalar_sort())
                    .collect();
                let result = self.scalar_sort();
                self.declare(parameters, result);
            }
        }
    }

    fn scalar_sort(&mut self) -> Sort {
        if self.script.theory == Theory::Fp {
            return self.sort_beside_floats();
        }
        if self.rng.percent(25) {
            Sort::Bool
        } else if self.script.theory != Theory::Bv {
            self.numbers.sort
        } else {
            Sort::Bv(*self.rng.pick(&self.widths))
        }
    }

    fn random_sort(&mut self) -> Sort {
        if !self.arrays.is_empty() && self.rng.percent(30) {
            let &(index, element) = self.rng.pick(&self.arrays);
            Sort::Array(index, element)
        } else {
            self.scalar_sort()
        }
    }
}
