//! Columns of numbers: lane by lane, as most of the time goes into the arithmetic itself.

use crate::eval::operate_on_numbers;
use crate::{Op, Rational};

use super::block::{Block, Column};
use super::words::Words;

impl Block<'_> {
    /// Operators that take numbers.
    pub(super) fn compute_numbers(&mut self, place: usize) -> Column {
        let term = self.plan.nodes[place].term;
        let (op, sort) = (self.terms.op(term), self.terms.sort(term));
        match op {
            Op::Eq => self.compare(place, Rational::eq),
            Op::Le => self.compare(place, Rational::le),
            Op::Lt => self.compare(place, Rational::lt),
            op => {
                let operands = self.plan.operands(place);
                let value = |lane| {
                    let values = operands
                        .iter()
                        .map(|&operand| self.number(operand as usize, lane));
                    operate_on_numbers(op, sort, values)
                };
                Column::Number((0..self.lanes_of(operands)).map(value).collect())
            }
        }
    }

    /// How many lanes there are to compute: one if the operands are the same in all.
    fn lanes_of(&self, operands: &[u32]) -> usize {
        let is_uniform = |&operand: &u32| self.numbers(operand as usize).len() == 1;
        if operands.iter().all(is_uniform) {
            1
        } else {
            self.len
        }
    }

    /// The truth values of a relation between two numbers.
    fn compare(&mut self, place: usize, holds: fn(&Rational, &Rational) -> bool) -> Column {
        let operands = self.plan.operands(place);
        let (a, b) = (operands[0] as usize, operands[1] as usize);
        if self.lanes_of(operands) == 1 {
            return Column::Uniform(holds(self.number(a, 0), self.number(b, 0)).into());
        }
        let mut out = self.buffer::<u8>();
        for (lane, out) in out.iter_mut().enumerate() {
            *out = holds(self.number(a, lane), self.number(b, lane)).into();
        }
        Column::Small(Words::W8(out))
    }

    pub(super) fn ite_of_numbers(&mut self, place: usize) -> Column {
        let [c, t, e] = *self.plan.operands(place) else {
            unreachable!("three operands")
        };
        let [c, t, e] = [c, t, e].map(|operand| operand as usize);
        if let Some(condition) = self.uniform(c) {
            let taken = if condition != 0 { t } else { e };
            return Column::Number(self.numbers(taken).to_vec());
        }
        let pick = |lane| {
            let taken = if self.word(c, lane) != 0 { t } else { e };
            self.number(taken, lane).clone()
        };
        Column::Number((0..self.len).map(pick).collect())
    }
}
