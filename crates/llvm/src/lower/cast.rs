//! Conversions. One that only says how bits are read costs nothing.

use super::arith::part;
use super::shape::Class;
use super::{Lowered, Lowerer};
use crate::code::{Calculation, Format, Op, Slow, Src, sext};
use crate::ir::{CastOp, LocalId, Operand};
use crate::ops::Cast;

impl Lowerer<'_> {
    pub(super) fn cast(
        &mut self,
        result: Option<LocalId>,
        op: CastOp,
        value: Operand,
    ) -> Lowered<()> {
        let Some(local) = result else { return Ok(()) };
        let from = self.operand_shape(value)?;
        let to = self.shape(self.type_of(local))?;
        let a = self.words(value)?;
        if matches!(op, CastOp::Bitcast | CastOp::AddrSpaceCast) {
            let same = from.leaves.len() == to.leaves.len()
                && from
                    .leaves
                    .iter()
                    .zip(&to.leaves)
                    .all(|(a, b)| a.bits == b.bits);
            if same {
                self.alias(result, a);
                return Ok(());
            }
            let dst = self.result(result)?;
            self.repack(&from, &a, &to, dst);
            return Ok(());
        }
        // Values are zero-extended already.
        let widens = |index: usize| from.leaves[index].bits <= to.leaves[index].bits;
        let is_free = match op {
            CastOp::ZExt | CastOp::PtrToInt | CastOp::IntToPtr => (0..to.leaves.len()).all(widens),
            _ => false,
        };
        if is_free && to.leaves.iter().all(|leaf| leaf.bits <= 64) {
            self.alias(result, a);
            return Ok(());
        }
        let dst = self.result(result)?;
        for (from, to) in from.leaves.iter().zip(&to.leaves) {
            let (place, a) = (dst + to.word, part(&a, from));
            match (op, from.class, to.class) {
                (CastOp::FpTrunc | CastOp::FpExt, Class::Float(from), Class::Float(to)) => {
                    self.float_cast(from, to, place, a);
                }
                (CastOp::FpToSi | CastOp::FpToUi, Class::Float(format), _) => {
                    self.float_to_int(format, to.bits, op == CastOp::FpToSi, place, a);
                }
                (CastOp::SiToFp | CastOp::UiToFp, _, Class::Float(format)) => {
                    self.int_to_float(from.bits, op == CastOp::SiToFp, format, place, a);
                }
                _ => {
                    let cast = Cast::of(op, from.bits, to.bits).ok_or("a cast of no integer")?;
                    self.resize(cast, from.bits, to.bits, place, a);
                }
            }
        }
        Ok(())
    }

    fn resize(&mut self, cast: Cast, from: u32, to: u32, dst: u32, a: Vec<Src>) {
        if from > 64 || to > 64 {
            return self.slow(Slow::IntCast {
                cast,
                from,
                to,
                dst,
                a,
            });
        }
        let a = match a[0] {
            Src::Const(value) => {
                return self.set(dst, Src::Const(cast.word64(value, from, to)));
            }
            Src::Reg(a) => a,
        };
        match (cast, to) {
            (Cast::Truncate, _) => self.emit(Op::Trunc, to as u16, dst, a, 0),
            (Cast::ZeroExtend, _) => self.emit(Op::Mov, 0, dst, a, 0),
            (Cast::SignExtend, 64) => self.emit(Op::SExt64, from as u16, dst, a, 0),
            (Cast::SignExtend, 32) => self.emit(Op::SExt32, from as u16, dst, a, 0),
            (Cast::SignExtend, _) => self.emit(Op::SExtN, from as u16, dst, a, to),
        };
    }

    /// `a` as a 64-bit index: narrower ones are signed.
    pub(super) fn index_word(&mut self, index: Operand) -> Lowered<Src> {
        let bits = self.scalar(self.operand_type(index))?.bits;
        let word = self.word(index)?;
        Ok(match word {
            Src::Const(value) => Src::Const(sext(value, bits.min(64)) as u64),
            Src::Reg(_) if bits >= 64 => word,
            Src::Reg(reg) => {
                let dst = self.new_slots(1);
                self.emit(Op::SExt64, bits as u16, dst, reg, 0);
                Src::Reg(dst)
            }
        })
    }

    pub(super) fn float_cast(&mut self, from: Format, to: Format, dst: u32, a: Vec<Src>) {
        if from.largest_exponent() <= to.largest_exponent() {
            return self.unchecked_float_cast(from, to, dst, a);
        }
        let operands = vec![(from, a.clone())];
        self.checked(
            Calculation::Conversion,
            operands,
            to,
            dst,
            |lowerer, dst| {
                lowerer.unchecked_float_cast(from, to, dst, a);
            },
        );
    }

    fn unchecked_float_cast(&mut self, from: Format, to: Format, dst: u32, a: Vec<Src>) {
        let op = match (from, to) {
            (Format::Single, Format::Double) => Op::F32ToF64,
            (Format::Double, Format::Single) => Op::F64ToF32,
            _ => return self.slow(Slow::FloatCast { from, to, dst, a }),
        };
        let a = self.reg(a[0]);
        self.emit(op, 0, dst, a, 0);
    }

    fn float_to_int(&mut self, from: Format, to: u32, signed: bool, dst: u32, a: Vec<Src>) {
        self.check_range(from, to, signed, &a);
        let op = match (from, signed) {
            (Format::Single, true) => Op::F32ToS,
            (Format::Single, false) => Op::F32ToU,
            (Format::Double, true) => Op::F64ToS,
            (Format::Double, false) => Op::F64ToU,
            _ => Op::Slow,
        };
        if to > 64 || op == Op::Slow {
            let saturating = false;
            return self.slow(Slow::FloatToInt {
                from,
                to,
                signed,
                saturating,
                dst,
                a,
            });
        }
        let a = self.reg(a[0]);
        self.emit(op, to as u16, dst, a, 0);
    }

    fn int_to_float(&mut self, from: u32, signed: bool, to: Format, dst: u32, a: Vec<Src>) {
        if from <= to.largest_exponent() {
            return self.unchecked_int_to_float(from, signed, to, dst, a);
        }
        self.checked(
            Calculation::Conversion,
            Vec::new(),
            to,
            dst,
            |lowerer, dst| {
                lowerer.unchecked_int_to_float(from, signed, to, dst, a);
            },
        );
    }

    fn unchecked_int_to_float(
        &mut self,
        from: u32,
        signed: bool,
        to: Format,
        dst: u32,
        a: Vec<Src>,
    ) {
        let op = match (to, signed) {
            (Format::Single, true) => Op::SToF32,
            (Format::Single, false) => Op::UToF32,
            (Format::Double, true) => Op::SToF64,
            (Format::Double, false) => Op::UToF64,
            _ => Op::Slow,
        };
        if from > 64 || op == Op::Slow {
            return self.slow(Slow::IntToFloat {
                from,
                signed,
                to,
                dst,
                a,
            });
        }
        let a = self.reg(a[0]);
        self.emit(op, from as u16, dst, a, 0);
    }
}
