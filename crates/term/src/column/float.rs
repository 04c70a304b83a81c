//! Columns of floats: loops over what the processor computes itself, lane by lane elsewhere.

use std::borrow::Cow;

use crate::{Bv, FloatOp, Format, Rounding, float};

use super::block::{Block, Column};
use super::words::Words;

impl Block<'_> {
    pub(super) fn compute_float(&mut self, place: usize) -> Column {
        let term = self.plan.nodes[place].term;
        let (op, format, result) = self.terms.float_op(term).expect("an operator on floats");
        if let Some(column) = self.hardware(place, op, format) {
            return column;
        }
        let operands = self.plan.operands(place);
        let is_uniform = |&operand: &u32| self.is_uniform(operand as usize);
        let lanes = match operands.iter().all(is_uniform) {
            true => 1,
            false => self.len,
        };
        let mut small = Words::with_capacity(result.0, lanes);
        let mut wide = Vec::new();
        for lane in 0..lanes {
            let values: Vec<Cow<'_, Bv>> = operands
                .iter()
                .map(|&operand| self.bv(operand as usize, lane))
                .collect();
            let values: Vec<&Bv> = values.iter().map(|value| &**value).collect();
            let value = float::operate(op, format, result, &values);
            match value.small() {
                Some(word) => small.push(word),
                None => wide.push(value),
            }
        }
        match small.len() {
            0 => Column::Wide(wide),
            1 if lanes == 1 => Column::Uniform(small.get(0)),
            _ => Column::Small(small),
        }
    }

    /// The column of an operator that the processor has, if its operands are in a format that it has.
    fn hardware(&mut self, place: usize, op: FloatOp, format: Format) -> Option<Column> {
        let operands = self.plan.operands(place);
        if op.is_rounded()
            && self.uniform(operands[0] as usize) != Some(Rounding::NearestEven.code())
        {
            return None;
        }
        let first = usize::from(op.is_rounded());
        let (a, b) = match operands[first..] {
            [a, b] => (a as usize, b as usize),
            _ => return None,
        };
        let single = |word: u32| f32::from_bits(word);
        let double = |word: u64| f64::from_bits(word);
        let bits = |value: f32| match value.is_nan() {
            true => f32::NAN.to_bits() & 0x7fff_ffff,
            false => value.to_bits(),
        };
        let double_bits = |value: f64| match value.is_nan() {
            true => f64::NAN.to_bits() & (u64::MAX >> 1),
            false => value.to_bits(),
        };
        Some(match (format, op) {
            (Format::SINGLE, FloatOp::Add) => {
                self.zip::<u32, u32>(a, b, |a, b| bits(single(a) + single(b)))
            }
            (Format::SINGLE, FloatOp::Mul) => {
                self.zip::<u32, u32>(a, b, |a, b| bits(single(a) * single(b)))
            }
            (Format::SINGLE, FloatOp::Div) => {
                self.zip::<u32, u32>(a, b, |a, b| bits(single(a) / single(b)))
            }
            (Format::SINGLE, FloatOp::Eq) => {
                self.zip::<u32, u8>(a, b, |a, b| u8::from(single(a) == single(b)))
            }
            (Format::SINGLE, FloatOp::Lt) => {
                self.zip::<u32, u8>(a, b, |a, b| u8::from(single(a) < single(b)))
            }
            (Format::SINGLE, FloatOp::Le) => {
                self.zip::<u32, u8>(a, b, |a, b| u8::from(single(a) <= single(b)))
            }
            (Format::DOUBLE, FloatOp::Add) => {
                self.zip::<u64, u64>(a, b, |a, b| double_bits(double(a) + double(b)))
            }
            (Format::DOUBLE, FloatOp::Mul) => {
                self.zip::<u64, u64>(a, b, |a, b| double_bits(double(a) * double(b)))
            }
            (Format::DOUBLE, FloatOp::Div) => {
                self.zip::<u64, u64>(a, b, |a, b| double_bits(double(a) / double(b)))
            }
            (Format::DOUBLE, FloatOp::Eq) => {
                self.zip::<u64, u8>(a, b, |a, b| u8::from(double(a) == double(b)))
            }
            (Format::DOUBLE, FloatOp::Lt) => {
                self.zip::<u64, u8>(a, b, |a, b| u8::from(double(a) < double(b)))
            }
            (Format::DOUBLE, FloatOp::Le) => {
                self.zip::<u64, u8>(a, b, |a, b| u8::from(double(a) <= double(b)))
            }
            _ => return None,
        })
    }
}
