//! Arithmetic, comparisons and selection, lane by lane.

use super::shape::{Class, Leaf};
use super::{Lowered, Lowerer};
use crate::code::{Calculation, Fields, Format, Op, Slow, Src, immediates, is_safe, mask};
use crate::ir::{BinaryOp, FCmpPredicate, ICmpPredicate, LocalId, Operand, Wrap};
use crate::ops::{ArithmeticError, IntOp};

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
            let (place, a, b) = (dst + leaf.word, part(&a, leaf), part(&b, leaf));
            if let Class::Float(format) = leaf.class {
                self.float_binary(op, format, place, a, b);
                continue;
            }
            let op = IntOp::of_binary(op).ok_or("a float operation on integers")?;
            if leaf.bits <= 64 && self.linked.options.check_overflow {
                self.check(op, leaf.bits, a[0], b[0], wrap);
            }
            self.wide_int(op, leaf.bits, place, vec![a, b]);
        }
        Ok(())
    }

    /// Ends the path where an operation is undefined.
    fn check(&mut self, op: IntOp, width: u32, a: Src, b: Src, wrap: Wrap) {
        for &(condition, error) in op.checks() {
            // What may wrap is defined.
            if error == ArithmeticError::SignedOverflow && !wrap.no_signed {
                continue;
            }
            let temporary = self.new_slots(2);
            self.int(condition, width, temporary, &[a, b]);
            let bit = temporary + u32::from(condition.overflow_of().is_some());
            let branch = self.emit(Op::BrUnless, 0, 0, bit, 0);
            self.slow(Slow::Error(error));
            self.code.instrs[branch].dst = self.pc();
        }
    }

    /// `dst = op(args)`, of any width. The overflow of a calculation goes behind the calculation's words.
    pub(super) fn wide_int(&mut self, op: IntOp, width: u32, dst: u32, args: Vec<Vec<Src>>) {
        if width > 64 {
            return self.slow(Slow::Int {
                op,
                width,
                dst,
                args,
            });
        }
        let args: Vec<Src> = args.iter().map(|words| words[0]).collect();
        self.int(op, width, dst, &args);
    }

    /// The same of at most 64 bits.
    pub(super) fn int(&mut self, op: IntOp, width: u32, dst: u32, args: &[Src]) {
        let x = width as u16;
        match *args {
            [a] => {
                if let Some(code) = Op::for_int(op, width, Fields::One) {
                    let a = self.reg(a);
                    self.emit(code, x, dst, a, 0);
                    return;
                }
            }
            [a, b] => {
                if let Some(code) = Op::for_overflow(op) {
                    let (a, b) = (self.reg(a), self.reg(b));
                    self.emit(code, x, dst, a, b);
                    return;
                }
                if let Some((code, a, b)) = self.encode(op, width, a, b, Op::for_int) {
                    self.emit(code, x, dst, a, b);
                    return;
                }
            }
            [a, b, c] => {
                if let Some(code) = Op::for_int(op, width, Fields::Three) {
                    let (a, b, c) = (self.reg(a), self.reg(b), self.reg(c));
                    self.emit(code, x, dst, a, b);
                    self.emit(Op::More, 0, 0, c, 0);
                    return;
                }
            }
            _ => {}
        }
        let args = args.iter().map(|&word| vec![word]).collect();
        self.slow(Slow::Int {
            op,
            width,
            dst,
            args,
        });
    }

    /// The opcode and fields of an operation on two words: with an immediate if one is constant and fits.
    fn encode(
        &mut self,
        op: IntOp,
        width: u32,
        a: Src,
        b: Src,
        find: fn(IntOp, u32, Fields) -> Option<Op>,
    ) -> Option<(Op, u32, u32)> {
        let (op, a, b) = constant_last(op, a, b);
        if let Src::Const(value) = b
            && let Some((code, immediate)) = with_immediate(op, width, value, find)
        {
            return Some((code, self.reg(a), immediate));
        }
        if let Some(code) = find(op, width, Fields::Two) {
            return Some((code, self.reg(a), self.reg(b)));
        }
        let code = find(op.swapped()?, width, Fields::Two)?;
        let (a, b) = (self.reg(a), self.reg(b));
        Some((code, b, a))
    }

    pub(super) fn float_binary(
        &mut self,
        op: BinaryOp,
        format: Format,
        dst: u32,
        a: Vec<Src>,
        b: Vec<Src>,
    ) {
        if op == BinaryOp::FDiv {
            self.check_divisor(format, &b);
        }
        let operands = vec![(format, a.clone()), (format, b.clone())];
        self.checked(
            Calculation::Binary(op),
            operands,
            format,
            dst,
            |lowerer, dst| {
                lowerer.unchecked_float_binary(op, format, dst, a, b);
            },
        );
    }

    fn unchecked_float_binary(
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
            // The sign is the highest bit.
            let mut sign = vec![Src::Const(0); leaf.words() as usize];
            sign[(leaf.bits - 1) as usize / 64] = Src::Const(1 << ((leaf.bits - 1) % 64));
            let args = vec![part(&a, leaf), sign];
            self.wide_int(IntOp::Xor, leaf.bits, dst + leaf.word, args);
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
        let op = IntOp::of_compare(predicate);
        let shape = self.operand_shape(a)?;
        let (a, b) = (self.words(a)?, self.words(b)?);
        let dst = self.result(result)?;
        for (lane, leaf) in shape.leaves.iter().enumerate() {
            let args = vec![part(&a, leaf), part(&b, leaf)];
            self.wide_int(op, leaf.bits, dst + lane as u32, args);
        }
        Ok(())
    }

    /// A branch to be patched, taken where the comparison holds. `None` where it must be worked out first.
    pub(super) fn branch_compare(
        &mut self,
        op: IntOp,
        width: u32,
        a: Src,
        b: Src,
    ) -> Option<usize> {
        let (code, a, b) = self.encode(op, width, a, b, Op::for_branch)?;
        Some(self.emit_counted(code, 0, a, b))
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

/// A constant comes second, where the operation has a counterpart for that.
fn constant_last(op: IntOp, a: Src, b: Src) -> (IntOp, Src, Src) {
    match (a, b, op.swapped()) {
        (Src::Const(_), Src::Reg(_), Some(swapped)) => (swapped, b, a),
        _ => (op, a, b),
    }
}

/// The opcode of an operation with an immediate that cannot be an error, and the immediate.
fn with_immediate(
    op: IntOp,
    width: u32,
    value: u64,
    find: fn(IntOp, u32, Fields) -> Option<Op>,
) -> Option<(Op, u32)> {
    let found = |(op, value): (IntOp, u64)| {
        immediates(width, value)
            .filter(|_| is_safe(op, width, value))
            .find_map(|(fields, immediate)| Some((find(op, width, fields)?, immediate)))
    };
    found((op, value)).or_else(|| found(of_neighbour(op, width, value)?))
}

/// `<=` and `>=` as `<` and `>` of the neighbour.
fn of_neighbour(op: IntOp, width: u32, value: u64) -> Option<(IntOp, u64)> {
    let (least, most) = (1 << (width - 1), mask(width) >> 1);
    match op {
        IntOp::Ule if value < mask(width) => Some((IntOp::Ult, value + 1)),
        IntOp::Uge if value > 0 => Some((IntOp::Ugt, value - 1)),
        IntOp::Sle if value != most => Some((IntOp::Slt, value.wrapping_add(1) & mask(width))),
        IntOp::Sge if value != least => Some((IntOp::Sgt, value.wrapping_sub(1) & mask(width))),
        _ => None,
    }
}
