//! Numbers and terms over them: constants from three sizes, drawn again and again so that they meet, and
//! arithmetic of every operator that the theory has.

use super::Generator;
use crate::fuzz::ast::{Notation, Op, Sort, T, int, not, op, real};
use crate::fuzz::evaluate::Value;
use crate::fuzz::theory::Theory;
use crate::random::Rng;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// Where machine integers end.
const BOUNDARIES: &[u32] = &[31, 31, 32, 63, 63, 63, 64, 64, 127, 128];
const MOST_DIGITS: u32 = 40;

/// What a script's numbers are like.
pub(super) struct Numbers {
    pub sort: Sort,
    /// Weights of small constants, of those used before, of medium ones, boundaries, and huge ones.
    weights: [u32; 5],
    pool: Vec<BigInt>,
    /// How many of a hundred factors are small.
    small_factors: u32,
    /// May whole reals be written as numerals?
    numerals: bool,
    divides_by_zero: bool,
}

impl Numbers {
    /// Scripts about bit-vectors have none, and draw nothing for them.
    pub fn draw(theory: Theory, rng: &mut Rng) -> Numbers {
        let mut numbers = Numbers {
            sort: theory.number_sort().unwrap_or(Sort::Int),
            weights: [1, 0, 0, 0, 0],
            pool: vec![BigInt::zero()],
            small_factors: 100,
            numerals: false,
            divides_by_zero: false,
        };
        if theory == Theory::Bv {
            return numbers;
        }
        numbers.weights = match (theory, rng.below(10)) {
            (Theory::Nia, _) | (_, 0..=3) => [60, 25, 15, 0, 0],
            (_, 4..=7) => [30, 25, 43, 2, 0],
            _ => [25, 30, 10, 22, 13],
        };
        numbers.small_factors = *rng.pick(&[95, 80, 80, 40]);
        numbers.divides_by_zero = theory != Theory::Idl && rng.percent(7);
        numbers.pool = (0..3).map(|_| fresh(&numbers.weights, rng)).collect();
        numbers
    }

    pub fn allow_numerals(&mut self) {
        self.numerals = true;
    }
}

fn signed(magnitude: BigInt, rng: &mut Rng) -> BigInt {
    if rng.percent(50) {
        -magnitude
    } else {
        magnitude
    }
}

/// A number that need not have been used before.
fn fresh(weights: &[u32; 5], rng: &mut Rng) -> BigInt {
    let mut weights = *weights;
    weights[1] = 0;
    match rng.weighted(&weights) {
        0 => BigInt::from(rng.below(7)) - 3,
        2 => BigInt::from(rng.below(401)) - 200,
        3 => {
            let power = BigInt::one() << *rng.pick(BOUNDARIES);
            let near = power + BigInt::from(rng.below(3)) - 1;
            signed(near, rng)
        }
        _ => {
            let digits = rng.between(12, MOST_DIGITS);
            let wide = BigInt::from(rng.wide()) * BigInt::from(rng.wide());
            signed(wide % BigInt::from(10).pow(digits), rng)
        }
    }
}

impl Generator {
    pub(super) fn whole(&mut self) -> BigInt {
        let weights = self.numbers.weights;
        if self.rng.weighted(&weights) == 1 {
            return self.rng.pick(&self.numbers.pool).clone();
        }
        fresh(&weights, &mut self.rng)
    }

    /// A factor: not zero, mostly small.
    pub(super) fn coefficient(&mut self) -> BigInt {
        if self.rng.percent(self.numbers.small_factors) {
            return BigInt::from(*self.rng.pick(&[1, 1, 2, 3, -1, -1, -2, -3, 5]));
        }
        let drawn = self.whole();
        if drawn.is_zero() {
            BigInt::one()
        } else {
            drawn
        }
    }

    fn rational(&mut self) -> BigRational {
        let above = self.whole();
        if self.rng.percent(55) {
            return above.into();
        }
        let below = match self.rng.percent(85) {
            true => BigInt::from(*self.rng.pick(&[2, 3, 4, 5, 7, 8, 10, 100])),
            false => self.coefficient(),
        };
        BigRational::new(above, below)
    }

    pub(super) fn number_value(&mut self, sort: Sort) -> Value {
        match sort {
            Sort::Int if self.rng.percent(60) => Value::Int(BigInt::from(self.rng.below(21)) - 10),
            Sort::Int => Value::Int(self.whole()),
            _ => Value::Real(self.rational()),
        }
    }

    /// A constant term; reals in the notations that the logic allows.
    pub fn numeral(&mut self, value: BigRational) -> T {
        if self.numbers.sort == Sort::Int {
            return int(value.floor().to_integer());
        }
        let numeral = self.numbers.numerals && self.rng.percent(40);
        let notation = if numeral {
            Notation::Numeral
        } else {
            Notation::Decimal
        };
        real(value, notation)
    }

    pub(super) fn literal_number(&mut self) -> T {
        let value = match self.numbers.sort {
            Sort::Int => self.whole().into(),
            _ => self.rational(),
        };
        self.numeral(value)
    }

    /// A variable, or what else is a leaf.
    pub(super) fn number_leaf(&mut self) -> T {
        let constants = self.script.theory != Theory::Idl;
        if (!constants || self.rng.percent(75))
            && let Some(term) = self.visible(self.numbers.sort)
        {
            return term;
        }
        self.literal_number()
    }

    /// Variables, mostly different ones.
    pub(super) fn variables(&mut self, count: u32) -> Vec<T> {
        let mut chosen: Vec<T> = Vec::new();
        for _ in 0..count {
            let draw = |generator: &mut Self| {
                let variable = generator.visible(generator.numbers.sort);
                variable.unwrap_or_else(|| generator.literal_number())
            };
            let mut variable = draw(self);
            for _ in 0..3 {
                if chosen.contains(&variable) {
                    variable = draw(self);
                }
            }
            chosen.push(variable);
        }
        chosen
    }

    /// A term times a constant, in one of the ways to write it.
    fn multiple(&mut self, term: T) -> T {
        let factor = match self.numbers.sort {
            Sort::Real if self.rng.percent(30) => self.rational(),
            _ => self.coefficient().into(),
        };
        if factor.is_one() && self.rng.percent(80) {
            return term;
        }
        if (-&factor).is_one() && self.rng.percent(80) {
            return op(Op::Sub, [term]);
        }
        let factor = self.numeral(factor);
        if self.rng.percent(80) {
            op(Op::Mul, [factor, term])
        } else {
            op(Op::Mul, [term, factor])
        }
    }

    /// A sum of multiples of variables.
    pub(super) fn linear(&mut self, most: u32) -> T {
        let count = self.rng.between(1, most);
        let variables = self.variables(count);
        let mut terms: Vec<T> = variables
            .into_iter()
            .map(|variable| self.multiple(variable))
            .collect();
        if self.rng.percent(12) {
            terms.push(self.literal_number());
        }
        match (terms.len(), self.rng.below(6)) {
            (1, _) => terms.remove(0),
            (_, 0) => op(Op::Sub, terms),
            (_, 1) => {
                let last = terms.remove(0);
                op(
                    Op::Sub,
                    [op(Op::Add, [terms, vec![last.clone()]].concat()), last],
                )
            }
            _ => op(Op::Add, terms),
        }
    }

    /// A Boolean term in a script about numbers.
    pub(super) fn boolean_over_numbers(&mut self, depth: u32) -> T {
        match self.rng.weighted(&[30, 58, 6, 6]) {
            0 => self.connective(depth),
            1 => self.number_atom(depth),
            2 => not(self.term(Sort::Bool, depth - 1)),
            _ => self.ite(Sort::Bool, depth),
        }
    }

    /// An operand for a law of numbers.
    pub fn number_operand(&mut self) -> T {
        self.budget = 4;
        let depth = self.rng.between(0, 1);
        self.term(self.numbers.sort, depth)
    }

    pub(super) fn number_term(&mut self, depth: u32) -> T {
        let sort = self.numbers.sort;
        if self.script.theory == Theory::Uf {
            return self.term_of_functions(depth);
        }
        if self.script.theory == Theory::Idl {
            return match self.rng.percent(25) {
                true => self.ite(sort, depth),
                false => self.number_leaf(),
            };
        }
        match self.rng.weighted(&[26, 14, 10, 6, 14, 12, 20, 12]) {
            0 => self.linear(3),
            1 => {
                let terms = self.several(sort, depth);
                let operator = *self.rng.pick(&[Op::Add, Op::Add, Op::Sub]);
                op(operator, terms)
            }
            2 => {
                let term = self.term(sort, depth - 1);
                self.multiple(term)
            }
            3 => op(Op::Sub, [self.term(sort, depth - 1)]),
            4 => self.ite(sort, depth),
            5 if sort == Sort::Int => op(Op::Abs, [self.term(sort, depth - 1)]),
            6 => self.quotient(depth),
            7 if self.script.theory == Theory::Nia => {
                op(Op::Mul, [self.number_leaf(), self.number_leaf()])
            }
            _ => self.number_leaf(),
        }
    }

    /// A division by a constant; in products' company now and then by a variable.
    fn quotient(&mut self, depth: u32) -> T {
        let sort = self.numbers.sort;
        let dividend = self.term(sort, depth - 1);
        let operator = match sort {
            Sort::Int => *self.rng.pick(&[Op::Div, Op::Mod]),
            _ => Op::Over,
        };
        if self.script.theory == Theory::Nia && self.rng.percent(20) {
            return op(operator, [dividend, self.number_leaf()]);
        }
        let divisor = match sort {
            _ if self.numbers.divides_by_zero && self.rng.percent(50) => BigRational::zero(),
            Sort::Int => self.divisor().into(),
            _ => self.coefficient().into(),
        };
        let divisor = self.numeral(divisor);
        op(operator, [dividend, divisor])
    }

    /// Divisors of integers: a huge one is rare, it takes long to reason about.
    pub fn divisor(&mut self) -> BigInt {
        if self.rng.percent(88) {
            return BigInt::from(
                *self
                    .rng
                    .pick(&[2, 2, 3, 4, 5, 7, 10, 16, -2, -3, -7, 1, -1]),
            );
        }
        self.coefficient()
    }

    /// The index of `divisible`: at least 1.
    pub(super) fn modulus(&mut self) -> u32 {
        let divisor = self.divisor().abs();
        u32::try_from(divisor).unwrap_or(6)
    }
}
