//! Arithmetic, comparisons and selection, lane by lane.

use super::shape::{Class, Leaf};
use super::{Lowered, Lowerer};
use crate::code::{Format, Op, Slow, Src, mask, sext};
use crate::ir::{BinaryOp, FCmpPredicate, ICmpPredicate, LocalId, Operand, Wrap};

impl Lowerer<'_> {
    pub(super) fn binary(
        &mut self,
        result: Option<LocalId>,
        op: BinaryOp,
        a: Operand,
        b: Operand,
        wrap: Wrap,
    ) -> Lowered<()> {
        let shape = self.operand_shape(a)?;
        let (a, b) = (self.words(a)?, self.words(b)?);
        let dst = self.result(result)?;
        for leaf in &shape.leaves {
            let place = dst + leaf.word;
            match leaf.class {
                Class::Float(format) => {
                    self.float_binary(op, format, place, part(&a, leaf), part(&b, leaf))
                }
                _ if leaf.bits > 64 => self.slow(Slow::WideBinary {
                    op,
                    width: leaf.bits,
                    dst: place,
                    a: part(&a, leaf),
                    b: part(&b, leaf),
                }),
                _ => {
                    let (a, b) = (a[leaf.word as usize], b[leaf.word as usize]);
                    if wrap.no_signed && self.linked.options.check_overflow {
                        self.check_overflow(op, leaf.bits, a, b);
                    }
                    if self.linked.options.check_overflow {
                        self.check_shift(op, leaf.bits, b);
                    }
                    self.int_binary(op, leaf.bits, place, a, b);
                }
            }
        }
        Ok(())
    }

    /// Ends the path where a shift is by the width or more.
    fn check_shift(&mut self, op: BinaryOp, width: u32, by: Src) {
        if !matches!(op, BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr) {
            return;
        }
        let by = self.reg(by);
        let within = self.new_slots(1);
        self.emit(Op::SetUltI, 64, within, by, width);
        let branch = self.emit(Op::BrIf, 0, 0, within, 0);
        self.slow(Slow::ShiftTooFar);
        self.code.instrs[branch].dst = self.pc();
    }

    /// Ends the path where a signed calculation leaves its range.
    fn check_overflow(&mut self, op: BinaryOp, width: u32, a: Src, b: Src) {
        let op = match op {
            BinaryOp::Add => Op::SAddO,
            BinaryOp::Sub => Op::SSubO,
            BinaryOp::Mul => Op::SMulO,
            _ => return,
        };
        let (a, b) = (self.reg(a), self.reg(b));
        let temporary = self.new_slots(2);
        self.emit(op, width as u16, temporary, a, b);
        let branch = self.emit(Op::BrUnless, 0, 0, temporary + 1, 0);
        self.slow(Slow::Overflow);
        self.code.instrs[branch].dst = self.pc();
    }

    pub(super) fn int_binary(&mut self, op: BinaryOp, width: u32, dst: u32, a: Src, b: Src) {
        use BinaryOp::*;
        let commutes = matches!(op, Add | Mul | And | Or | Xor);
        let (a, b) = match (a, b) {
            (Src::Const(_), Src::Reg(_)) if commutes => (b, a),
            _ => (a, b),
        };
        let width_of = |base: [Op; 3]| match width {
            32 => base[0],
            64 => base[1],
            _ => base[2],
        };
        let x = width as u16;
        if let Src::Const(value) = b {
            let small = u32::try_from(value).ok();
            let signed = i32::try_from(sext(value, width))
                .ok()
                .map(|value| value as u32);
            let immediate = match op {
                Add => signed.map(|b| (width_of([Op::Add32I, Op::Add64I, Op::AddNI]), b)),
                Sub => signed.map(|b| (width_of([Op::Sub32I, Op::Sub64I, Op::SubNI]), b)),
                Mul => signed.map(|b| (width_of([Op::Mul32I, Op::Mul64I, Op::MulNI]), b)),
                Shl if value < u64::from(width) => {
                    small.map(|b| (width_of([Op::Shl32I, Op::Shl64I, Op::ShlNI]), b))
                }
                AShr if value < u64::from(width) => {
                    small.map(|b| (width_of([Op::AShr32I, Op::AShr64I, Op::AShrNI]), b))
                }
                LShr if value < u64::from(width) => small.map(|b| (Op::LShrI, b)),
                And => small.map(|b| (Op::AndI, b)),
                Or => small.map(|b| (Op::OrI, b)),
                Xor => small.map(|b| (Op::XorI, b)),
                UDiv if value != 0 => small.map(|b| (Op::UDivI, b)),
                URem if value != 0 => small.map(|b| (Op::URemI, b)),
                SDiv if value != 0 && value != mask(width) => signed.map(|b| (Op::SDivI, b)),
                SRem if value != 0 && value != mask(width) => signed.map(|b| (Op::SRemI, b)),
                _ => None,
            };
            if let Some((op, b)) = immediate {
                let a = self.reg(a);
                self.emit(op, x, dst, a, b);
                return;
            }
        }
        let op = match op {
            Add => width_of([Op::Add32, Op::Add64, Op::AddN]),
            Sub => width_of([Op::Sub32, Op::Sub64, Op::SubN]),
            Mul => width_of([Op::Mul32, Op::Mul64, Op::MulN]),
            Shl => width_of([Op::Shl32, Op::Shl64, Op::ShlN]),
            AShr => width_of([Op::AShr32, Op::AShr64, Op::AShrN]),
            LShr => Op::LShr,
            And => Op::And,
            Or => Op::Or,
            Xor => Op::Xor,
            UDiv => Op::UDiv,
            URem => Op::URem,
            SDiv => Op::SDiv,
            SRem => Op::SRem,
            FAdd | FSub | FMul | FDiv | FRem => unreachable!("integers have no float operations"),
        };
        let (a, b) = (self.reg(a), self.reg(b));
        self.emit(op, x, dst, a, b);
    }

    pub(super) fn float_binary(
        &mut self,
        op: BinaryOp,
        format: Format,
        dst: u32,
        a: Vec<Src>,
        b: Vec<Src>,
    ) {
        let index = match op {
            BinaryOp::FAdd => 0,
            BinaryOp::FSub => 1,
            BinaryOp::FMul => 2,
            BinaryOp::FDiv => 3,
            _ => 4,
        };
        let ops = match format {
            Format::Single => [Op::FAdd32, Op::FSub32, Op::FMul32, Op::FDiv32, Op::FRem32],
            Format::Double => [Op::FAdd64, Op::FSub64, Op::FMul64, Op::FDiv64, Op::FRem64],
            _ => {
                return self.slow(Slow::FloatBinary {
                    op,
                    format,
                    dst,
                    a,
                    b,
                });
            }
        };
        let (a, b) = (self.reg(a[0]), self.reg(b[0]));
        self.emit(ops[index], 0, dst, a, b);
    }

    pub(super) fn float_negate(&mut self, result: Option<LocalId>, a: Operand) -> Lowered<()> {
        let shape = self.operand_shape(a)?;
        let a = self.words(a)?;
        let dst = self.result(result)?;
        for leaf in &shape.leaves {
            let Class::Float(format) = leaf.class else {
                continue;
            };
            let place = dst + leaf.word;
            match format {
                Format::Single | Format::Double => {
                    let op = if format == Format::Single {
                        Op::FNeg32
                    } else {
                        Op::FNeg64
                    };
                    let a = self.reg(a[leaf.word as usize]);
                    self.emit(op, 0, place, a, 0);
                }
                _ => self.slow(Slow::FloatNeg {
                    format,
                    dst: place,
                    a: part(&a, leaf),
                }),
            }
        }
        Ok(())
    }

    pub(super) fn compare(
        &mut self,
        result: Option<LocalId>,
        predicate: ICmpPredicate,
        a: Operand,
        b: Operand,
    ) -> Lowered<()> {
        if let Some(result) = result
            && self.is_branch_condition(result)
        {
            return Ok(());
        }
        let shape = self.operand_shape(a)?;
        let (a, b) = (self.words(a)?, self.words(b)?);
        let dst = self.result(result)?;
        for (lane, leaf) in shape.leaves.iter().enumerate() {
            let place = dst + lane as u32;
            if leaf.bits > 64 {
                self.slow(Slow::WideCompare {
                    predicate,
                    width: leaf.bits,
                    dst: place,
                    a: part(&a, leaf),
                    b: part(&b, leaf),
                });
            } else {
                let word = leaf.word as usize;
                self.set_compare(predicate, leaf.bits, place, a[word], b[word]);
            }
        }
        Ok(())
    }

    fn set_compare(&mut self, predicate: ICmpPredicate, width: u32, dst: u32, a: Src, b: Src) {
        let (predicate, a, b) = constant_last(predicate, a, b);
        if let Src::Const(value) = b
            && let Some((op, immediate)) = set_immediate(predicate, width, value)
        {
            let a = self.reg(a);
            self.emit(op, width as u16, dst, a, immediate);
            return;
        }
        let (op, swapped) = set_registers(predicate, width);
        let (a, b) = (self.reg(a), self.reg(b));
        let (a, b) = if swapped { (b, a) } else { (a, b) };
        self.emit(op, width as u16, dst, a, b);
    }

    /// A branch to be patched, taken where the comparison holds. `None` where it must be worked out first.
    pub(super) fn branch_compare(
        &mut self,
        predicate: ICmpPredicate,
        width: u32,
        a: Src,
        b: Src,
    ) -> Option<usize> {
        let signed = matches!(
            predicate,
            ICmpPredicate::Slt | ICmpPredicate::Sle | ICmpPredicate::Sgt | ICmpPredicate::Sge
        );
        if width > 64 || (signed && width != 32 && width != 64) {
            return None;
        }
        let (predicate, a, b) = constant_last(predicate, a, b);
        if let Src::Const(value) = b
            && let Some((op, immediate)) = set_immediate(predicate, width, value)
        {
            let a = self.reg(a);
            return Some(self.emit_counted(as_branch(op)?, 0, a, immediate));
        }
        let (op, swapped) = set_registers(predicate, width);
        let (a, b) = (self.reg(a), self.reg(b));
        let (a, b) = if swapped { (b, a) } else { (a, b) };
        Some(self.emit_counted(as_branch(op)?, 0, a, b))
    }

    pub(super) fn float_compare(
        &mut self,
        result: Option<LocalId>,
        predicate: FCmpPredicate,
        a: Operand,
        b: Operand,
    ) -> Lowered<()> {
        let shape = self.operand_shape(a)?;
        let (a, b) = (self.words(a)?, self.words(b)?);
        let dst = self.result(result)?;
        for (lane, leaf) in shape.leaves.iter().enumerate() {
            let Class::Float(format) = leaf.class else {
                continue;
            };
            let place = dst + lane as u32;
            match format {
                Format::Single | Format::Double => {
                    let op = if format == Format::Single {
                        Op::FCmp32
                    } else {
                        Op::FCmp64
                    };
                    let (a, b) = (
                        self.reg(a[leaf.word as usize]),
                        self.reg(b[leaf.word as usize]),
                    );
                    self.emit(op, u16::from(predicate.0), place, a, b);
                }
                _ => self.slow(Slow::FloatCompare {
                    predicate,
                    format,
                    dst: place,
                    a: part(&a, leaf),
                    b: part(&b, leaf),
                }),
            }
        }
        Ok(())
    }

    pub(super) fn select(
        &mut self,
        result: Option<LocalId>,
        condition: Operand,
        then: Operand,
        other: Operand,
    ) -> Lowered<()> {
        let lanes = self.operand_shape(condition)?.leaves.len();
        let conditions = self.words(condition)?;
        let (then, other) = (self.words(then)?, self.words(other)?);
        let dst = self.result(result)?;
        let words = then.len();
        for (word, (&then, &other)) in then.iter().zip(&other).enumerate() {
            // One condition for all, or one a lane.
            let condition = conditions[word * lanes / words];
            self.choose(dst + word as u32, condition, then, other);
        }
        Ok(())
    }

    /// `dst = condition ? then : other`, one word.
    pub(super) fn choose(&mut self, dst: u32, condition: Src, then: Src, other: Src) {
        let condition = match condition {
            Src::Const(value) => return self.set(dst, if value & 1 == 1 { then } else { other }),
            Src::Reg(condition) => condition,
        };
        let (then, other) = (self.reg(then), self.reg(other));
        self.emit(Op::Select, 0, dst, condition, then);
        self.emit(Op::More, 0, 0, other, 0);
    }
}

/// The words of one scalar.
pub(super) fn part(words: &[Src], leaf: &Leaf) -> Vec<Src> {
    words[leaf.word as usize..(leaf.word + leaf.words()) as usize].to_vec()
}

pub(super) fn swap(predicate: ICmpPredicate) -> ICmpPredicate {
    use ICmpPredicate::*;
    match predicate {
        Eq => Eq,
        Ne => Ne,
        Ult => Ugt,
        Ule => Uge,
        Ugt => Ult,
        Uge => Ule,
        Slt => Sgt,
        Sle => Sge,
        Sgt => Slt,
        Sge => Sle,
    }
}

fn constant_last(predicate: ICmpPredicate, a: Src, b: Src) -> (ICmpPredicate, Src, Src) {
    match (a, b) {
        (Src::Const(_), Src::Reg(_)) => (swap(predicate), b, a),
        _ => (predicate, a, b),
    }
}

/// The operation that compares with an immediate: `<=` and `>=` are `<` and `>` of the neighbour.
fn set_immediate(predicate: ICmpPredicate, width: u32, value: u64) -> Option<(Op, u32)> {
    use ICmpPredicate::*;
    let by_width = |ops: [Op; 3]| match width {
        32 => ops[0],
        64 => ops[1],
        _ => ops[2],
    };
    let unsigned = |op: Op, value: u64| u32::try_from(value).ok().map(|value| (op, value));
    let signed = |op: Op, value: i64| i32::try_from(value).ok().map(|value| (op, value as u32));
    let less = by_width([Op::SetSlt32I, Op::SetSlt64I, Op::SetSltNI]);
    let greater = by_width([Op::SetSgt32I, Op::SetSgt64I, Op::SetSgtNI]);
    let signed_value = sext(value, width);
    match predicate {
        Eq => unsigned(Op::SetEqI, value),
        Ne => unsigned(Op::SetNeI, value),
        Ult => unsigned(Op::SetUltI, value),
        Ule if value < mask(width) => unsigned(Op::SetUltI, value + 1),
        Ugt => unsigned(Op::SetUgtI, value),
        Uge if value > 0 => unsigned(Op::SetUgtI, value - 1),
        Slt => signed(less, signed_value),
        Sle if signed_value < sext(mask(width) >> 1, width) => signed(less, signed_value + 1),
        Sgt => signed(greater, signed_value),
        Sge if signed_value > sext(1 << (width - 1), width) => signed(greater, signed_value - 1),
        _ => None,
    }
}

/// The operation on registers, and whether it takes them the other way round.
fn set_registers(predicate: ICmpPredicate, width: u32) -> (Op, bool) {
    use ICmpPredicate::*;
    let by_width = |ops: [Op; 3]| match width {
        32 => ops[0],
        64 => ops[1],
        _ => ops[2],
    };
    let less = by_width([Op::SetSlt32, Op::SetSlt64, Op::SetSltN]);
    let at_most = by_width([Op::SetSle32, Op::SetSle64, Op::SetSleN]);
    match predicate {
        Eq => (Op::SetEq, false),
        Ne => (Op::SetNe, false),
        Ult => (Op::SetUlt, false),
        Ule => (Op::SetUle, false),
        Ugt => (Op::SetUlt, true),
        Uge => (Op::SetUle, true),
        Slt => (less, false),
        Sle => (at_most, false),
        Sgt => (less, true),
        Sge => (at_most, true),
    }
}

fn as_branch(op: Op) -> Option<Op> {
    Some(match op {
        Op::SetEq => Op::BrEq,
        Op::SetNe => Op::BrNe,
        Op::SetUlt => Op::BrUlt,
        Op::SetUle => Op::BrUle,
        Op::SetSlt32 => Op::BrSlt32,
        Op::SetSlt64 => Op::BrSlt64,
        Op::SetSle32 => Op::BrSle32,
        Op::SetSle64 => Op::BrSle64,
        Op::SetEqI => Op::BrEqI,
        Op::SetNeI => Op::BrNeI,
        Op::SetUltI => Op::BrUltI,
        Op::SetUgtI => Op::BrUgtI,
        Op::SetSlt32I => Op::BrSlt32I,
        Op::SetSlt64I => Op::BrSlt64I,
        Op::SetSgt32I => Op::BrSgt32I,
        Op::SetSgt64I => Op::BrSgt64I,
        _ => return None,
    })
}
