//! Scripts about floats: few variables of one or two formats, operators of every kind, corner values. Small formats
//! are drawn most, since all of their inputs can be tried; then those of the standard, which other solvers know; then
//! odd ones.

use super::Generator;
use crate::fuzz::ast::{
    Node, Notation, Op, Rounding, Sort, T, expand, float, mask, not, op, real, rounding,
};
use crate::fuzz::evaluate::{Function, Value, evaluate};
use crate::fuzz::floats::{self, Format};
use crate::fuzz::paths;
use num_bigint::BigInt;
use num_rational::BigRational;

const SMALL: &[(u32, u32)] = &[
    (2, 3),
    (2, 3),
    (3, 4),
    (3, 4),
    (2, 2),
    (3, 2),
    (3, 3),
    (2, 4),
    (4, 3),
    (4, 4),
    (3, 5),
    (2, 6),
    (5, 3),
];
const STANDARD: &[(u32, u32)] = &[
    (5, 11),
    (5, 11),
    (5, 11),
    (8, 24),
    (8, 24),
    (8, 24),
    (11, 53),
    (11, 53),
    (15, 113),
];
const ODD: &[(u32, u32)] = &[
    (4, 7),
    (5, 6),
    (6, 9),
    (8, 8),
    (3, 20),
    (2, 30),
    (9, 12),
    (8, 19),
    (11, 10),
    (15, 5),
    (15, 64),
    (7, 41),
];

impl Generator {
    pub(super) fn fill_with_floats(&mut self) {
        let pool = match self.rng.weighted(&[58, 27, 15]) {
            0 => SMALL,
            1 => STANDARD,
            _ => ODD,
        };
        for _ in 0..1 + self.rng.weighted(&[65, 30, 5]) {
            let &(exponent, significand) = self.rng.pick(pool);
            self.formats.push(Format {
                exponent,
                significand,
            });
        }
        let widths: &[u32] = match self.formats[0].width() {
            0..=10 => &[1, 2, 3, 4, 4, 5, 6],
            _ => &[4, 8, 8, 16, 32, 64],
        };
        self.widths = vec![self.formats[0].width(), *self.rng.pick(widths)];
        let with_arrays = self.rng.percent(8);
        let with_functions = self.rng.percent(25);
        if with_arrays {
            let index = self.rng.between(1, 4);
            let element = self.some_width();
            self.arrays.push((index, element));
            self.constant_arrays = self.rng.percent(60);
        }
        let fitting = match (with_arrays, with_functions) {
            (false, false) => "QF_BVFP",
            (true, false) => "QF_ABVFP",
            (false, true) => "QF_UFBVFP",
            (true, true) => "QF_AUFBVFP",
        };
        self.script.logic = if self.rng.percent(70) { fitting } else { "ALL" };
        self.declare_all(with_functions);
        if self.rng.percent(20) {
            paths::walk(self, &Generator::float_branch);
        } else {
            self.fill_with_checks(with_functions);
        }
    }

    pub(super) fn declare_floats(&mut self, with_functions: bool) {
        let mut bits = 0;
        for format in self.formats.clone() {
            for _ in 0..1 + self.rng.weighted(&[40, 45, 15]) {
                // Few enough for all of them to be tried, where that is possible at all.
                if bits == 0 || format.width() > 10 || bits + format.width() <= 15 {
                    self.declare(Vec::new(), sort_of(format));
                    bits += format.width();
                }
            }
        }
        if self.rng.percent(55) {
            self.declare(Vec::new(), Sort::Rounding);
        }
        if self.rng.percent(if bits < 10 { 60 } else { 25 }) {
            let width = *self.rng.pick(&self.widths);
            self.declare(Vec::new(), Sort::Bv(width));
        }
        self.declare(Vec::new(), Sort::Bool);
        for (index, element) in self.arrays.clone() {
            self.declare(Vec::new(), Sort::Array(index, element));
        }
        if with_functions {
            for _ in 0..1 + self.rng.below(2) {
                let parameters = (0..1 + self.rng.below(2))
                    .map(|_| self.scalar_sort())
                    .collect();
                let result = self.scalar_sort();
                self.declare(parameters, result);
            }
        }
    }

    pub(super) fn sort_beside_floats(&mut self) -> Sort {
        match self.rng.weighted(&[15, 60, 8, 17]) {
            0 => Sort::Bool,
            1 => sort_of(self.format()),
            2 => Sort::Rounding,
            _ => Sort::Bv(self.some_width()),
        }
    }

    pub fn format(&mut self) -> Format {
        *self.rng.pick(&self.formats)
    }

    /// The bits of a float, most of them on the edge of something.
    pub(super) fn float_bits(&mut self, format: Format) -> u128 {
        let fraction = format.significand - 1;
        let field = |exponent: u128| exponent << fraction;
        let bias = format.largest_exponent() as u128;
        let magnitude = match self.rng.weighted(&[6, 4, 4, 4, 3, 3, 4, 5, 5, 10]) {
            0 => 0,
            1 => format.infinity(false),
            2 => format.nan() | u128::from(self.rng.next()) & mask(fraction),
            3 => format.largest(false),
            4 => field(1),
            5 => 1,
            6 => mask(fraction),
            7 => field(bias),
            // Not far from one.
            8 => {
                let near = bias + 3 - self.rng.below(7).min(bias as usize + 3) as u128;
                let digits = self.rng.wide() & mask(fraction);
                let few = digits & !mask(fraction.saturating_sub(3));
                field(near.clamp(1, 2 * bias)) | if self.rng.percent(70) { few } else { digits }
            }
            _ => self.rng.wide() & mask(format.width() - 1),
        };
        let sign = u128::from(self.rng.percent(50)) << (format.width() - 1);
        magnitude & mask(format.width() - 1) | sign
    }

    fn float_literal(&mut self, format: Format) -> T {
        let bits = self.float_bits(format);
        float(bits, format.exponent, format.significand)
    }

    pub(super) fn float_leaf(&mut self, sort: Sort) -> T {
        let format = Format::of(sort);
        if self.rng.percent(75)
            && let Some(term) = self.visible(sort)
        {
            return term;
        }
        if self.rng.percent(15) {
            return self.float_of_real(format);
        }
        self.float_literal(format)
    }

    pub(super) fn rounding_leaf(&mut self) -> T {
        if self.rng.percent(45)
            && let Some(term) = self.visible(Sort::Rounding)
        {
            return term;
        }
        rounding(*self.rng.pick(&Rounding::ALL), self.rng.percent(20))
    }

    pub(super) fn rounding_term(&mut self, depth: u32) -> T {
        match self.rng.percent(85) {
            true => self.rounding_leaf(),
            false => self.ite(Sort::Rounding, depth),
        }
    }

    pub(super) fn mode(&mut self, depth: u32) -> T {
        match self.rng.percent(92) {
            true => self.rounding_leaf(),
            false => self.term(Sort::Rounding, depth - 1),
        }
    }

    /// A constant real, turned into a float: halfway between two of them, say.
    fn float_of_real(&mut self, format: Format) -> T {
        let bits = self.float_bits(format);
        let few_digits = format.exponent <= 8;
        let neighbours = [bits, bits ^ 1].map(|bits| floats::rational(format, bits));
        let value = match neighbours {
            [Some(one), Some(other)] if few_digits && self.rng.percent(60) => {
                match self.rng.below(3) {
                    0 => one,
                    1 => (one + other) / BigInt::from(2),
                    _ => (one * BigInt::from(3) + other) / BigInt::from(4),
                }
            }
            _ => {
                let above = BigInt::from(self.rng.below(2001)) - 1000;
                let below = *self.rng.pick(&[1, 1, 2, 3, 4, 7, 10, 1000]);
                BigRational::new(above, below.into())
            }
        };
        let mut value = real(value, Notation::Decimal);
        // The exact value of a literal is a constant as well.
        if few_digits && self.rng.percent(15) && floats::rational(format, bits).is_some() {
            value = op(
                Op::FpToReal,
                [float(bits, format.exponent, format.significand)],
            );
        }
        let mode = self.rounding_leaf();
        op(Op::ToFp(format.exponent, format.significand), [mode, value])
    }

    /// May an operator with a large circuit be used?
    fn affordable_float(&mut self, format: Format) -> bool {
        let chance = match format.significand {
            0..=5 => 100,
            6..=11 => 45,
            12..=30 => 12,
            31..=64 => 4,
            _ => 1,
        };
        self.rng.percent(chance)
    }

    /// The circuit of a remainder has a step for every difference of exponents.
    fn affordable_remainder(&mut self, format: Format) -> bool {
        let chance = match format.exponent {
            0..=3 => 100,
            4 => 50,
            5 => 15,
            6..=8 => 2,
            _ => 0,
        };
        self.rng.percent(chance)
    }

    /// An application of which the standard may leave the value open: the witness has an opinion.
    fn with_opinion(&mut self, term: T) -> T {
        if let Node::Op(operator) = term.node
            && floats::leaves_open(operator)
        {
            let (function, result) = floats::open_function(operator, term.args[1].sort);
            let seed = self.rng.next();
            self.witness
                .functions
                .entry(function)
                .or_insert(Function::Hashed(seed, result));
        }
        term
    }

    pub(super) fn float_term(&mut self, sort: Sort, depth: u32) -> T {
        use Op::*;
        let format = Format::of(sort);
        let to = [ToFp, ToFpUnsigned].map(|make| make(format.exponent, format.significand));
        match self
            .rng
            .weighted(&[20, 18, 8, 8, 5, 8, 6, 8, 10, 8, 4, 4, 3, 6])
        {
            0 => {
                let operator = *self.rng.pick(&[FpAdd, FpAdd, FpSub]);
                self.rounded(operator, sort, 2, depth)
            }
            1 if self.affordable_float(format) => {
                let operator = *self.rng.pick(&[FpMul, FpMul, FpDiv]);
                self.rounded(operator, sort, 2, depth)
            }
            2 if self.affordable_float(format) => self.rounded(FpFma, sort, 3, depth),
            3 if self.affordable_float(format) => self.rounded(FpSqrt, sort, 1, depth),
            4 if self.affordable_remainder(format) => {
                let args = [self.term(sort, depth - 1), self.term(sort, depth - 1)];
                op(FpRem, args)
            }
            4 => op(
                FpRem,
                [self.float_literal(format), self.float_literal(format)],
            ),
            5 => self.rounded(FpRound, sort, 1, depth),
            6 => {
                let operator = *self.rng.pick(&[FpMin, FpMax]);
                let args = [self.term(sort, depth - 1), self.term(sort, depth - 1)];
                self.with_opinion(op(operator, args))
            }
            7 => op(
                *self.rng.pick(&[FpAbs, FpNeg]),
                [self.term(sort, depth - 1)],
            ),
            8 => {
                let from = sort_of(self.format());
                let mode = self.mode(depth);
                op(to[0], [mode, self.term(from, depth - 1)])
            }
            9 => {
                let width = self.integer_width();
                let to = *self.rng.pick(&to);
                let mode = self.mode(depth);
                op(to, [mode, self.term(Sort::Bv(width), depth - 1)])
            }
            10 => op(to[0], [self.term(Sort::Bv(format.width()), depth - 1)]),
            11 => {
                let parts = [1, format.exponent, format.significand - 1];
                let parts = parts.map(|width| self.term(Sort::Bv(width), depth - 1));
                op(Fp, parts)
            }
            12 => self.float_of_real(format),
            _ => self.ite(sort, depth),
        }
    }

    fn integer_width(&mut self) -> u32 {
        match self.rng.percent(75) {
            true => self.some_width(),
            false => self.rng.between(1, 12),
        }
    }

    fn rounded(&mut self, operator: Op, sort: Sort, operands: usize, depth: u32) -> T {
        let mut args = vec![self.mode(depth)];
        args.extend((0..operands).map(|_| self.term(sort, depth - 1)));
        op(operator, args)
    }

    /// A bit-vector, perhaps one that a float is turned into.
    pub(super) fn word_of_floats(&mut self, width: u32, depth: u32) -> T {
        if self.rng.percent(60) {
            return self.bit_vector_term(width, depth);
        }
        let fitting: Vec<Format> = self
            .formats
            .iter()
            .copied()
            .filter(|format| format.width() == width)
            .collect();
        if !fitting.is_empty() && self.rng.percent(20) {
            let format = *self.rng.pick(&fitting);
            return op(Op::FpToIeee, [self.term(sort_of(format), depth - 1)]);
        }
        let of = sort_of(self.format());
        let operator = *self.rng.pick(&[Op::FpToUbv(width), Op::FpToSbv(width)]);
        let mode = self.mode(depth);
        let value = self.term(of, depth - 1);
        self.with_opinion(op(operator, [mode, value]))
    }

    /// A literal next to what the witness makes of the term.
    fn float_near(&mut self, term: &T) -> T {
        let format = Format::of(term.sort);
        if self.bound.is_empty()
            && let Ok(Value::Bv(bits)) = evaluate(&expand(term, &self.definitions), &self.witness)
        {
            let bits = match self.rng.below(4) {
                0 => bits.wrapping_add(1),
                1 => bits.wrapping_sub(1),
                _ => bits,
            };
            return float(bits, format.exponent, format.significand);
        }
        self.float_literal(format)
    }

    fn float_comparison(&mut self) -> Op {
        use Op::*;
        *self
            .rng
            .pick(&[FpLt, FpLt, FpLeq, FpLeq, FpGt, FpGeq, FpEq])
    }

    /// A condition as programs have them. It uses no names: a path outlives the levels they live on.
    fn float_branch(&mut self) -> T {
        let names = std::mem::take(&mut self.names);
        let branch = self.float_condition();
        self.names = names;
        branch
    }

    fn float_condition(&mut self) -> T {
        self.budget = 9;
        let sort = sort_of(self.format());
        let depth = self.rng.between(1, 2);
        let left = self.term(sort, depth);
        let right = match self.rng.percent(60) {
            true => self.float_near(&left),
            false => self.term(sort, 1),
        };
        let comparison = self.float_comparison();
        let atom = op(comparison, [left, right]);
        match self.rng.below(4) {
            0 => {
                let test = self.classification(1);
                let operator = *self.rng.pick(&[Op::And, Op::Or]);
                op(operator, [atom, test])
            }
            _ => atom,
        }
    }

    fn classification(&mut self, depth: u32) -> T {
        use Op::*;
        let operator = *self.rng.pick(&[
            FpIsNan,
            FpIsInfinite,
            FpIsZero,
            FpIsNormal,
            FpIsSubnormal,
            FpIsNegative,
            FpIsPositive,
        ]);
        let sort = sort_of(self.format());
        op(operator, [self.term(sort, depth - 1)])
    }

    pub(super) fn boolean_over_floats(&mut self, depth: u32) -> T {
        let sort = sort_of(self.format());
        match self.rng.weighted(&[34, 18, 14, 3, 12, 6, 5, 12]) {
            0 => {
                let operator = self.float_comparison();
                let left = self.term(sort, depth - 1);
                let right = match self.rng.percent(30) {
                    true => self.float_near(&left),
                    false => self.term(sort, depth - 1),
                };
                let mut args = vec![left, right];
                if self.rng.percent(10) {
                    args.push(self.term(sort, depth - 1));
                }
                op(operator, args)
            }
            1 => {
                let operator = *self.rng.pick(&[Op::Eq, Op::Eq, Op::Eq, Op::Distinct]);
                let mut args = match self.rng.percent(85) {
                    true => vec![self.term(sort, depth - 1), self.term(sort, depth - 1)],
                    false => self.several(sort, depth),
                };
                if self.rng.percent(50) {
                    let near = self.float_near(&args[0]);
                    args[1] = near;
                }
                op(operator, args)
            }
            2 => self.classification(depth),
            3 => {
                let args = [0; 2].map(|_| self.rounding_term(depth));
                op(*self.rng.pick(&[Op::Eq, Op::Distinct]), args)
            }
            4 => self.connective(depth),
            5 => not(self.term(Sort::Bool, depth - 1)),
            6 => self.ite(Sort::Bool, depth),
            _ => self.boolean_term(depth),
        }
    }

    /// An operand for a law.
    pub(super) fn float_operand(&mut self, format: Format) -> T {
        self.budget = 4;
        let depth = self.rng.between(0, 1);
        self.term(sort_of(format), depth)
    }
}

pub(super) fn sort_of(format: Format) -> Sort {
    Sort::Float(format.exponent, format.significand)
}
