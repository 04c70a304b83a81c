//! Scripts about numbers: what path conditions, schedules and puzzles are made of. Bounds, sums near what
//! the witness makes of them, equations that parity refutes, knapsacks, differences, remainders; in boxes
//! or without any bound. A script prefers some of these, so that they meet.

use super::Generator;
use super::numbers::Numbers;
use crate::fuzz::ast::{Node, Op, Sort, T, expand, not, op, subterms, symbol};
use crate::fuzz::evaluate::{Value, evaluate};
use crate::fuzz::paths;
use crate::fuzz::theory::Theory;
use num_bigint::BigInt;
use num_rational::BigRational;

/// How often a script draws a bound, a tight inequality, a comparison of any terms, an equation, a parity
/// conflict, a chain, a remainder.
type Preferences = [u32; 7];

const BOXES: Preferences = [20, 32, 10, 15, 8, 5, 10];
const KNAPSACKS: Preferences = [10, 10, 5, 60, 5, 5, 5];
const PARITIES: Preferences = [5, 10, 5, 20, 45, 5, 10];
const ANY_TERMS: Preferences = [10, 12, 48, 10, 3, 7, 10];
const PATHS: Preferences = [32, 45, 6, 8, 0, 6, 3];

impl Generator {
    pub(super) fn fill_with_numbers(&mut self) {
        let theory = self.script.theory;
        self.numbers = Numbers::draw(theory, &mut self.rng);
        self.script.logic = if self.rng.percent(70) {
            theory.logic()
        } else {
            "ALL"
        };
        if self.script.logic == "QF_LRA" {
            self.numbers.allow_numerals();
        }
        let along_paths = self.rng.percent(30);
        self.preferences = match along_paths {
            true => PATHS,
            false => *self.rng.pick(&[BOXES, KNAPSACKS, PARITIES, ANY_TERMS]),
        };
        self.declare_numbers();
        let bounded = self.rng.percent(match theory {
            Theory::Nia => 80,
            Theory::Lia | Theory::Uflia => 65,
            _ => 35,
        });
        if bounded {
            self.assert_box();
        }
        if along_paths {
            paths::walk(self, &Generator::branch);
        } else {
            self.fill_with_checks(theory == Theory::Uflia);
        }
    }

    pub(super) fn declare_numbers(&mut self) {
        let most = if self.script.theory == Theory::Idl {
            7
        } else {
            5
        };
        for _ in 0..self.rng.between(2, most) {
            self.declare(Vec::new(), self.numbers.sort);
        }
        for _ in 0..self.rng.between(1, 2) {
            self.declare(Vec::new(), Sort::Bool);
        }
        if self.script.theory == Theory::Uflia {
            for _ in 0..self.rng.between(1, 2) {
                let parameters = (0..self.rng.between(1, 2)).map(|_| Sort::Int).collect();
                let result = if self.rng.percent(85) {
                    Sort::Int
                } else {
                    Sort::Bool
                };
                self.declare(parameters, result);
            }
        }
    }

    /// Bounds of every variable, around the witness.
    fn assert_box(&mut self) {
        let wide = *self.rng.pick(&[3_u32, 10, 10, 100]);
        let names: Vec<(String, Sort)> = self.symbols.clone();
        for (name, sort) in names.into_iter().filter(|(_, sort)| sort.is_number()) {
            let variable = symbol(name, sort);
            let (low, high) = (self.rng.between(0, wide), self.rng.between(0, wide));
            let low = self.near(&variable, -i64::from(low));
            let high = self.near(&variable, i64::from(high));
            if self.script.theory == Theory::Idl {
                // Differences know no bounds of a single variable.
                let difference = op(Op::Sub, self.variables(2));
                let high = self.near(&difference, i64::from(wide));
                self.assert(op(Op::Le, [difference, high]));
            } else if self.rng.percent(30) {
                self.assert(op(Op::Le, [low, variable, high]));
            } else {
                self.assert(op(Op::Ge, [variable.clone(), low]));
                self.assert(op(Op::Le, [variable, high]));
            }
        }
    }

    /// A constant at some distance from what the witness makes of the term; any constant where bound
    /// variables, of which it knows nothing, occur.
    fn near(&mut self, term: &T, distance: i64) -> T {
        let mut knows = true;
        subterms(term, &mut |term| {
            if let Node::Symbol(name) = &term.node {
                knows &= self.bound.iter().all(|(bound, _)| bound != name);
            }
        });
        let expanded = expand(term, &self.definitions);
        let distance = BigRational::from(BigInt::from(distance));
        match knows.then(|| evaluate(&expanded, &self.witness)) {
            Some(Ok(Value::Int(value))) => self.numeral(BigRational::from(value) + distance),
            Some(Ok(Value::Real(value))) => self.numeral(value + distance),
            _ => self.literal_number(),
        }
    }

    /// A condition as programs have them. It uses no names: a path outlives the levels they live on.
    fn branch(&mut self) -> T {
        let operator = match self.rng.below(10) {
            0 => Op::And,
            1 | 2 => Op::Or,
            3 => Op::Implies,
            _ => return self.number_atom(1),
        };
        let atoms: Vec<T> = (0..self.rng.between(2, 3))
            .map(|_| self.number_atom(1))
            .collect();
        op(operator, atoms)
    }

    pub(super) fn comparison(&mut self) -> Op {
        *self
            .rng
            .pick(&[Op::Le, Op::Le, Op::Lt, Op::Ge, Op::Ge, Op::Gt])
    }

    /// An atom over numbers, of the kinds that the script prefers.
    pub(super) fn number_atom(&mut self, depth: u32) -> T {
        if self.script.theory == Theory::Idl {
            return self.difference_atom(depth);
        }
        if self.script.theory == Theory::Uf {
            return self.equality_atom(depth);
        }
        let preferences = self.preferences;
        match self.rng.weighted(&preferences) {
            0 => self.bound(),
            1 => {
                let sum = self.linear(3);
                let distance = *self.rng.pick(&[0, 0, 0, 1, -1, 2, -5, 20]);
                let limit = self.near(&sum, distance);
                op(self.comparison(), [sum, limit])
            }
            2 => {
                let (left, right) = (
                    self.term(self.numbers.sort, depth.saturating_sub(1)),
                    self.term(self.numbers.sort, depth.saturating_sub(1)),
                );
                let equate = [Op::Eq, Op::Distinct];
                let operator = match self.rng.percent(35) {
                    true => *self.rng.pick(&equate),
                    false => self.comparison(),
                };
                op(operator, [left, right])
            }
            3 => self.equation(),
            4 => self.parity(),
            5 => self.chain(),
            _ => self.remainder_atom(),
        }
    }

    fn bound(&mut self) -> T {
        let variable = self.variables(1).remove(0);
        let limit = if self.rng.percent(50) {
            let distance = *self.rng.pick(&[0, 0, 1, -1, 3, -3, 30]);
            self.near(&variable, distance)
        } else {
            self.literal_number()
        };
        let operator = match self.rng.percent(12) {
            true => *self.rng.pick(&[Op::Eq, Op::Distinct]),
            false => self.comparison(),
        };
        if self.rng.percent(80) {
            op(operator, [variable, limit])
        } else {
            op(operator, [limit, variable])
        }
    }

    /// A knapsack: the sum is something exactly, mostly what the witness makes it.
    fn equation(&mut self) -> T {
        let sum = self.linear(4);
        let distance = *self.rng.pick(&[0, 0, 0, 0, 1, -1, 2, 7]);
        let total = self.near(&sum, distance);
        let equation = op(Op::Eq, [sum, total]);
        if self.rng.percent(15) {
            not(equation)
        } else {
            equation
        }
    }

    /// x + y = 2z beside x - y = 2w + 1, and their like with other moduli: few variables, one of the
    /// equations alone is harmless.
    fn parity(&mut self) -> T {
        let modulus = BigRational::from(BigInt::from(*self.rng.pick(&[2, 2, 2, 3, 4, 6])));
        let mut variables = self.variables(3);
        let modulus = self.numeral(modulus);
        let multiple = op(Op::Mul, [modulus, variables.remove(0)]);
        let operator = *self.rng.pick(&[Op::Add, Op::Sub]);
        let left = op(operator, variables);
        let rest = BigRational::from(BigInt::from(self.rng.below(3)));
        let rest = self.numeral(rest);
        let right = if self.rng.percent(40) {
            multiple
        } else {
            op(Op::Add, [multiple, rest])
        };
        op(Op::Eq, [left, right])
    }

    /// Several terms in a row, or all different.
    fn chain(&mut self) -> T {
        let terms: Vec<T> = (0..self.rng.between(3, 4))
            .map(|_| match self.rng.percent(70) {
                true => self.number_leaf(),
                false => self.linear(2),
            })
            .collect();
        let operator = match self.rng.below(4) {
            0 => Op::Distinct,
            1 => Op::Eq,
            _ => self.comparison(),
        };
        op(operator, terms)
    }

    fn remainder_atom(&mut self) -> T {
        let subject = self.linear(2);
        if self.numbers.sort == Sort::Real {
            let divisor = self.coefficient().into();
            let divisor = self.numeral(divisor);
            let quotient = op(Op::Over, [subject, divisor]);
            let limit = self.near(&quotient, 0);
            return op(self.comparison(), [quotient, limit]);
        }
        if self.rng.percent(35) {
            return op(Op::Divisible(self.modulus()), [subject]);
        }
        let divisor = self.divisor().into();
        let divisor = self.numeral(divisor);
        let operator = *self.rng.pick(&[Op::Mod, Op::Mod, Op::Div]);
        let result = op(operator, [subject, divisor]);
        let distance = *self.rng.pick(&[0, 0, 0, 1, -1]);
        let limit = self.near(&result, distance);
        let compare = self.comparison();
        let operator = *self.rng.pick(&[Op::Eq, Op::Eq, Op::Distinct, compare]);
        op(operator, [result, limit])
    }

    /// x - y against a constant, x against y, or all different.
    fn difference_atom(&mut self, depth: u32) -> T {
        if self.rng.percent(12) {
            let count = self.rng.between(2, 4);
            let terms = self.variables(count);
            return op(*self.rng.pick(&[Op::Distinct, Op::Distinct, Op::Eq]), terms);
        }
        let operator = match self.rng.percent(18) {
            true => *self.rng.pick(&[Op::Eq, Op::Distinct]),
            false => self.comparison(),
        };
        let sides = if depth > 1 && self.rng.percent(15) {
            vec![self.number_term(depth - 1), self.number_leaf()]
        } else {
            self.variables(2)
        };
        if self.rng.percent(20) {
            return op(operator, sides);
        }
        let difference = op(Op::Sub, sides);
        let limit = if self.rng.percent(75) {
            let distance = *self.rng.pick(&[0, 0, 0, 1, -1, 2, -2, 10]);
            self.near(&difference, distance)
        } else {
            self.literal_number()
        };
        op(operator, [difference, limit])
    }
}
