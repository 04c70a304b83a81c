//! Scripts about equality: few integers, functions and predicates over them, nested, compared and chosen between. In
//! half of the scripts sums and comparisons join in, so that what functions imply must reach arithmetic and back.

use super::Generator;
use super::numbers::Numbers;
use crate::fuzz::ast::{Op, Sort, T, apply, op};
use crate::fuzz::paths;
use crate::fuzz::theory::Theory;

impl Generator {
    pub(super) fn fill_with_equality(&mut self) {
        self.numbers = Numbers::draw(Theory::Uf, &mut self.rng);
        self.has_sums = self.rng.percent(50);
        if self.rng.percent(70) {
            self.script.logic = Theory::Uf.logic();
        }
        self.declare_functions();
        if self.rng.percent(30) {
            paths::walk(self, &Generator::branch_on_equality);
        } else {
            self.fill_with_checks(true);
        }
    }

    /// A condition without names: a path outlives the levels they live on.
    fn branch_on_equality(&mut self) -> T {
        let names = std::mem::take(&mut self.names);
        self.budget = 16;
        let atom = self.equality_atom(3);
        self.names = names;
        atom
    }

    pub(super) fn declare_functions(&mut self) {
        for _ in 0..self.rng.between(2, 6) {
            self.declare(Vec::new(), Sort::Int);
        }
        for _ in 0..self.rng.between(1, 2) {
            self.declare(Vec::new(), Sort::Bool);
        }
        for _ in 0..self.rng.between(1, 3) {
            let parameters = (0..self.rng.between(1, 3))
                .map(|_| match self.rng.percent(88) {
                    true => Sort::Int,
                    false => Sort::Bool,
                })
                .collect();
            let result = match self.rng.percent(70) {
                true => Sort::Int,
                false => Sort::Bool,
            };
            self.declare(parameters, result);
        }
    }

    /// An integer: mostly an application of a function.
    pub(super) fn term_of_functions(&mut self, depth: u32) -> T {
        let sums = if self.has_sums { 12 } else { 0 };
        match self.rng.weighted(&[45, 15, 28, sums]) {
            0 => {
                let application = self.application(Sort::Int, depth);
                application.unwrap_or_else(|| self.number_leaf())
            }
            1 => self.ite(Sort::Int, depth),
            2 => self.number_leaf(),
            _ => self.linear(2),
        }
    }

    /// An equation, several, a predicate, or in some scripts a comparison.
    pub(super) fn equality_atom(&mut self, depth: u32) -> T {
        let depth = depth.saturating_sub(1);
        let sums = if self.has_sums { 20 } else { 0 };
        match self.rng.weighted(&[55, 12, 15, sums]) {
            0 => {
                let sides = [self.term(Sort::Int, depth), self.term(Sort::Int, depth)];
                op(*self.rng.pick(&[Op::Eq, Op::Eq, Op::Distinct]), sides)
            }
            1 => {
                let count = self.rng.between(3, 5);
                let terms: Vec<T> = (0..count).map(|_| self.term(Sort::Int, depth)).collect();
                op(*self.rng.pick(&[Op::Eq, Op::Distinct, Op::Distinct]), terms)
            }
            2 => {
                let predicate = self.application(Sort::Bool, depth + 1);
                predicate.unwrap_or_else(|| self.literal())
            }
            _ => {
                let sides = [self.term(Sort::Int, depth), self.term(Sort::Int, depth)];
                op(self.comparison(), sides)
            }
        }
    }

    /// Equal arguments give equal results, or what is equal to the same is equal.
    pub(super) fn law_of_equality(&mut self) -> T {
        let [a, b, c] = [0; 3].map(|_| self.number_operand());
        let equal = |left: &T, right: &T| op(Op::Eq, [left.clone(), right.clone()]);
        let unary = |function: &&super::Signature| function.parameters == [Sort::Int];
        let function = self.functions.iter().find(unary).cloned();
        let conclusion = match function {
            Some(function) if self.rng.percent(60) => {
                let [left, right] = [&a, &c].map(|operand| {
                    apply(
                        function.name.clone(),
                        vec![operand.clone()],
                        function.result,
                    )
                });
                equal(&left, &right)
            }
            _ => equal(&a, &c),
        };
        let premises = op(Op::And, [equal(&a, &b), equal(&b, &c)]);
        op(Op::Implies, [premises, conclusion])
    }
}
