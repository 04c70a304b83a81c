//! Terms of a given sort over what is in scope.

use super::{Generator, LARGEST_EXPANSION, Signature};
use crate::fuzz::ast::{
    self, Op, Sort, T, apply, boolean, bv, expand, let_in, mask, not, op, symbol,
};
use crate::fuzz::theory::Theory;

impl Generator {
    pub fn constant(&mut self, width: u32) -> u128 {
        let value = match self.rng.weighted(&[4, 3, 2, 2, 2, 2, 3, 4, 1]) {
            0 => 0,
            1 => 1,
            2 => mask(width),
            3 => 1 << (width - 1),
            4 => mask(width) >> 1,
            5 => 1 << self.rng.below(width as usize),
            6 => self.rng.below(12) as u128,
            7 => *self.rng.pick(&self.constants),
            _ => self.rng.wide(),
        };
        value & mask(width)
    }

    pub(super) fn literal_constant(&mut self, width: u32) -> T {
        bv(self.constant(width), width)
    }

    /// A symbol of this sort that is in scope and not shadowed.
    pub(super) fn visible(&mut self, sort: Sort) -> Option<T> {
        let shadowed = |name: &str| self.bound.iter().any(|(bound, _)| bound == name);
        let mut choices: Vec<&str> = Vec::new();
        for (place, (name, of)) in self.bound.iter().enumerate() {
            if *of == sort
                && !self.bound[place + 1..]
                    .iter()
                    .any(|(later, _)| later == name)
            {
                // Bound variables are there to be used.
                choices.extend([name.as_str(), name.as_str(), name.as_str()]);
            }
        }
        choices.extend(
            self.symbols
                .iter()
                .filter(|(name, of)| *of == sort && !shadowed(name))
                .map(|(name, _)| name.as_str()),
        );
        if choices.is_empty() {
            return None;
        }
        let name = choices[self.rng.below(choices.len())].to_string();
        Some(symbol(name, sort))
    }

    /// A Boolean term of moderate size, as an assertion or an assumption.
    pub fn fact(&mut self) -> T {
        for budget in [24, 14, 8] {
            self.budget = self.rng.between(4, budget) as usize;
            let depth = self.rng.between(1, 4);
            let term = self.term(Sort::Bool, depth);
            if expand(&term, &self.definitions).size <= LARGEST_EXPANSION {
                return term;
            }
        }
        boolean(true)
    }

    /// An operand for an identity.
    pub fn operand(&mut self, width: u32) -> T {
        self.budget = 5;
        let depth = self.rng.between(0, 2);
        self.term(Sort::Bv(width), depth)
    }

    pub fn array_operand(&mut self) -> Option<T> {
        if self.arrays.is_empty() {
            return None;
        }
        let &(index, element) = self.rng.pick(&self.arrays);
        self.budget = 5;
        Some(self.term(Sort::Array(index, element), 1))
    }

    pub fn some_width(&mut self) -> u32 {
        *self.rng.pick(&self.widths)
    }

    pub(super) fn term(&mut self, sort: Sort, depth: u32) -> T {
        self.budget = self.budget.saturating_sub(1);
        if depth == 0 || self.budget == 0 {
            return self.leaf(sort);
        }
        if self.rng.percent(5) {
            return self.let_term(sort, depth);
        }
        if self.rng.percent(12)
            && let Some(term) = self.application(sort, depth)
        {
            return term;
        }
        match sort {
            Sort::Int | Sort::Real => self.number_term(depth),
            Sort::Float(..) => self.float_term(sort, depth),
            Sort::Rounding => self.rounding_term(depth),
            Sort::Bool if self.script.theory == Theory::Fp => self.boolean_over_floats(depth),
            Sort::Bool if self.script.theory != Theory::Bv => self.boolean_over_numbers(depth),
            Sort::Bv(width) if self.script.theory == Theory::Fp => {
                self.word_of_floats(width, depth)
            }
            Sort::Bool => self.boolean_term(depth),
            Sort::Bv(width) => self.bit_vector_term(width, depth),
            Sort::Array(index, element) => self.array_term(index, element, depth),
        }
    }

    pub(super) fn leaf(&mut self, sort: Sort) -> T {
        match sort {
            Sort::Bool => match self.rng.weighted(&[8, 2, 1]) {
                0 => self.literal(),
                1 => match self.visible(Sort::Bool) {
                    Some(term) => term,
                    None => boolean(self.rng.percent(50)),
                },
                _ => boolean(self.rng.percent(50)),
            },
            Sort::Int | Sort::Real => self.number_leaf(),
            Sort::Float(..) => self.float_leaf(sort),
            Sort::Rounding => self.rounding_leaf(),
            Sort::Bv(width) => {
                if self.rng.percent(72) {
                    if let Some(term) = self.visible(sort) {
                        return term;
                    }
                    if let Some(term) = self.resized(width) {
                        return term;
                    }
                }
                self.literal_constant(width)
            }
            Sort::Array(index, element) => match self.visible(sort) {
                Some(term) => term,
                None => {
                    self.constant_arrays = true;
                    op(Op::ConstArray(index), [self.literal_constant(element)])
                }
            },
        }
    }

    /// A variable of another width, cut or extended to fit.
    fn resized(&mut self, width: u32) -> Option<T> {
        let from = *self.rng.pick(&self.widths);
        let variable = self.visible(Sort::Bv(from))?;
        Some(self.fit(variable, width))
    }

    pub fn fit(&mut self, term: T, width: u32) -> T {
        let from = term.sort.width();
        if from > width {
            let low = self.rng.between(0, from - width);
            op(Op::Extract(low + width - 1, low), [term])
        } else if self.rng.percent(50) {
            op(Op::ZeroExtend(width - from), [term])
        } else {
            op(Op::SignExtend(width - from), [term])
        }
    }

    fn let_term(&mut self, sort: Sort, depth: u32) -> T {
        let mut names: Vec<String> = Vec::new();
        let mut values = Vec::new();
        for _ in 0..1 + self.rng.below(2) {
            let of = self.random_sort();
            values.push(self.term(of, depth - 1));
            // Sometimes an outer symbol is shadowed.
            let outer: Vec<String> = self.symbols.iter().map(|(name, _)| name.clone()).collect();
            let shadow =
                (!outer.is_empty() && self.rng.percent(15)).then(|| self.rng.pick(&outer).clone());
            let name = shadow
                .filter(|name| !names.contains(name))
                .unwrap_or_else(|| self.fresh("l"));
            names.push(name);
        }
        let before = self.bound.len();
        self.bound.extend(
            names
                .iter()
                .cloned()
                .zip(values.iter().map(|value| value.sort)),
        );
        let body = self.term(sort, depth - 1);
        self.bound.truncate(before);
        let_in(names, values, body)
    }

    pub(super) fn application(&mut self, sort: Sort, depth: u32) -> Option<T> {
        let fitting: Vec<Signature> = self
            .functions
            .iter()
            .filter(|f| f.result == sort)
            .cloned()
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let function = self.rng.pick(&fitting).clone();
        let args = function
            .parameters
            .iter()
            .map(|&sort| self.term(sort, depth - 1))
            .collect();
        Some(apply(function.name, args, sort))
    }

    pub(super) fn several(&mut self, sort: Sort, depth: u32) -> Vec<T> {
        let count = if self.rng.percent(75) {
            2
        } else {
            3 + self.rng.below(2)
        };
        (0..count).map(|_| self.term(sort, depth - 1)).collect()
    }

    pub(super) fn connective(&mut self, depth: u32) -> T {
        use Op::*;
        let operator = *self
            .rng
            .pick(&[And, Or, And, Or, Xor, Implies, Eq, Distinct]);
        let args = match operator {
            Distinct => vec![
                self.term(Sort::Bool, depth - 1),
                self.term(Sort::Bool, depth - 1),
            ],
            _ => self.several(Sort::Bool, depth),
        };
        op(operator, args)
    }

    pub(super) fn boolean_term(&mut self, depth: u32) -> T {
        use Op::*;
        match self.rng.weighted(&[22, 22, 24, 12, 6, 6]) {
            0 => self.connective(depth),
            1 => {
                let width = self.some_width();
                let operator = *self.rng.pick(&[Eq, Eq, Eq, Distinct]);
                let mut args = if self.rng.percent(80) {
                    vec![
                        self.term(Sort::Bv(width), depth - 1),
                        self.term(Sort::Bv(width), depth - 1),
                    ]
                } else {
                    self.several(Sort::Bv(width), depth)
                };
                if self.rng.percent(45) {
                    let last = args.len() - 1;
                    args[last] = self.literal_constant(width);
                }
                op(operator, args)
            }
            2 => {
                let operator = *self
                    .rng
                    .pick(&[BvUlt, BvUle, BvUgt, BvUge, BvSlt, BvSle, BvSgt, BvSge]);
                let width = self.some_width();
                let left = self.term(Sort::Bv(width), depth - 1);
                let right = if self.rng.percent(45) {
                    self.literal_constant(width)
                } else {
                    self.term(Sort::Bv(width), depth - 1)
                };
                if self.rng.percent(80) {
                    op(operator, [left, right])
                } else {
                    op(operator, [right, left])
                }
            }
            3 => self.overflow_term(depth),
            4 if !self.arrays.is_empty() => {
                let &(index, element) = self.rng.pick(&self.arrays);
                let operator = *self.rng.pick(&[Eq, Eq, Distinct]);
                let args = match self.rng.percent(85) {
                    true => (0..2)
                        .map(|_| self.term(Sort::Array(index, element), depth - 1))
                        .collect(),
                    false => self.several(Sort::Array(index, element), depth),
                };
                op(operator, args)
            }
            _ => match self.rng.percent(50) {
                true => not(self.term(Sort::Bool, depth - 1)),
                false => self.ite(Sort::Bool, depth),
            },
        }
    }

    fn overflow_term(&mut self, depth: u32) -> T {
        use Op::*;
        let width = self.some_width();
        let operator = *self.rng.pick(&[
            BvNegO, BvUaddO, BvSaddO, BvUmulO, BvSmulO, BvUsubO, BvSsubO, BvSdivO,
        ]);
        let operator = if matches!(operator, BvUmulO | BvSmulO) && !self.affordable(width) {
            BvSaddO
        } else {
            operator
        };
        let left = self.term(Sort::Bv(width), depth - 1);
        if operator == BvNegO {
            return op(operator, [left]);
        }
        let right = self.term(Sort::Bv(width), depth - 1);
        op(operator, [left, right])
    }

    pub(super) fn ite(&mut self, sort: Sort, depth: u32) -> T {
        let test = self.term(Sort::Bool, depth - 1);
        let yes = self.term(sort, depth - 1);
        let no = self.term(sort, depth - 1);
        op(Op::Ite, [test, yes, no])
    }

    /// May a multiplication or division of this width be used? Wide ones are rare, or checks get slow.
    fn affordable(&mut self, width: u32) -> bool {
        let chance = match width {
            0..=5 => 100,
            6..=8 => 40,
            9..=12 => 10,
            13..=32 => 3,
            _ => 1,
        };
        self.rng.percent(chance)
    }

    pub(super) fn bit_vector_term(&mut self, width: u32, depth: u32) -> T {
        use Op::*;
        let sort = Sort::Bv(width);
        let simple = |generator: &mut Self| {
            let operator = *generator.rng.pick(&[BvAnd, BvOr, BvXor, BvAdd, BvAdd]);
            let args = generator.several(sort, depth);
            op(operator, args)
        };
        match self.rng.weighted(&[8, 18, 12, 9, 14, 9, 8, 8, 5, 4, 8, 12]) {
            0 => op(
                *self.rng.pick(&[BvNot, BvNeg]),
                [self.term(sort, depth - 1)],
            ),
            1 => simple(self),
            2 => {
                let operator = *self.rng.pick(&[BvSub, BvSub, BvNand, BvNor, BvXnor]);
                op(
                    operator,
                    [self.term(sort, depth - 1), self.term(sort, depth - 1)],
                )
            }
            3 => {
                let operator = *self.rng.pick(&[BvShl, BvLshr, BvAshr]);
                let by = if self.rng.percent(40) {
                    bv(self.rng.below(width as usize + 2) as u128, width)
                } else {
                    self.term(sort, depth - 1)
                };
                op(operator, [self.term(sort, depth - 1), by])
            }
            4 => {
                let operator = *self
                    .rng
                    .pick(&[BvMul, BvMul, BvUdiv, BvUrem, BvSdiv, BvSrem, BvSmod]);
                if self.affordable(width) {
                    let args = match operator {
                        BvMul if width < 6 => self.several(sort, depth),
                        _ => vec![self.term(sort, depth - 1), self.term(sort, depth - 1)],
                    };
                    return op(operator, args);
                }
                if width <= 64 && self.rng.percent(30) {
                    // By a constant: wide ones stay cheap enough.
                    let by = bv(*self.rng.pick(&[2, 3, 4, 8, 10, 16, 0, 1]), width);
                    return op(operator, [self.leaf(sort), by]);
                }
                simple(self)
            }
            5 if width >= 2 => {
                let cut = self.rng.between(1, width - 1);
                let mut parts = vec![cut, width - cut];
                if parts[1] >= 2 && self.rng.percent(25) {
                    let again = self.rng.between(1, parts[1] - 1);
                    parts = vec![cut, again, width - cut - again];
                }
                let args: Vec<T> = parts
                    .into_iter()
                    .map(|part| self.term(Sort::Bv(part), depth - 1))
                    .collect();
                op(Concat, args)
            }
            6 if width < 128 => {
                let wider = if self.rng.percent(60) {
                    self.some_width().clamp(width, 128)
                } else {
                    (width + self.rng.between(1, 8)).min(128)
                };
                let low = self.rng.between(0, wider - width);
                op(
                    Extract(low + width - 1, low),
                    [self.term(Sort::Bv(wider), depth - 1)],
                )
            }
            7 => {
                let from = if self.rng.percent(60) {
                    self.some_width().min(width)
                } else {
                    self.rng.between(1, width)
                };
                let extend = *self.rng.pick(&[ZeroExtend as fn(u32) -> Op, SignExtend]);
                op(extend(width - from), [self.term(Sort::Bv(from), depth - 1)])
            }
            8 => {
                let by = self.rng.between(0, 2 * width);
                let rotate = *self.rng.pick(&[RotateLeft as fn(u32) -> Op, RotateRight]);
                op(rotate(by), [self.term(sort, depth - 1)])
            }
            9 => {
                let divisors: Vec<u32> = (1..=width)
                    .filter(|times| width.is_multiple_of(*times))
                    .collect();
                let times = *self.rng.pick(&divisors);
                op(
                    Repeat(times),
                    [self.term(Sort::Bv(width / times), depth - 1)],
                )
            }
            10 if width == 1 => {
                let of = Sort::Bv(self.some_width());
                op(BvComp, [self.term(of, depth - 1), self.term(of, depth - 1)])
            }
            11 => {
                let fitting: Vec<(u32, u32)> = self
                    .arrays
                    .iter()
                    .copied()
                    .filter(|&(_, element)| element == width)
                    .collect();
                if fitting.is_empty() {
                    return self.ite(sort, depth);
                }
                let &(index, element) = self.rng.pick(&fitting);
                let array = self.term(Sort::Array(index, element), depth - 1);
                let at = self.term(Sort::Bv(index), depth - 1);
                op(Select, [array, at])
            }
            _ => self.ite(sort, depth),
        }
    }

    fn array_term(&mut self, index: u32, element: u32, depth: u32) -> T {
        let sort = Sort::Array(index, element);
        match self.rng.weighted(&[25, 45, 15, 15]) {
            1 => {
                let array = self.term(sort, depth - 1);
                let at = self.term(Sort::Bv(index), depth - 1);
                let value = self.term(Sort::Bv(element), depth - 1);
                op(Op::Store, [array, at, value])
            }
            2 if self.constant_arrays => {
                let value = self.term(Sort::Bv(element), 1.min(depth - 1));
                // z3 and cvc5 want the element of a constant array to be a value.
                let value = if value.args.is_empty() && matches!(value.node, ast::Node::Bv(_)) {
                    value
                } else {
                    self.literal_constant(element)
                };
                op(Op::ConstArray(index), [value])
            }
            3 => self.ite(sort, depth),
            _ => self.leaf(sort),
        }
    }
}
