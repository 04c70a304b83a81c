//! What instructions calculate, and the flags that they leave.

use super::super::Lowerer;
use super::{Flags, Given, Registers};
use crate::code::{Op, Slow, Src, mask};
use crate::ops::{ArithmeticError, IntOp};

impl Lowerer<'_> {
    /// `a + b + carry` or `a - b - carry`, and the flags.
    pub(in crate::lower) fn sum_with_carry(
        &mut self,
        bits: u32,
        a: Src,
        b: Src,
        carry: Src,
        subtracts: bool,
    ) -> (Src, Src) {
        let (op, over) = if subtracts {
            (IntOp::Sub, IntOp::Ult)
        } else {
            (IntOp::Add, IntOp::Ult)
        };
        let half = self.two(op, bits, a, b);
        let sum = self.two(op, bits, half, carry);
        let (first, second) = if subtracts {
            (
                self.two(over, bits, a, b),
                self.two(over, bits, half, carry),
            )
        } else {
            (
                self.two(over, bits, half, a),
                self.two(over, bits, sum, half),
            )
        };
        (sum, self.two(IntOp::Or, 1, first, second))
    }

    pub(super) fn carried(
        &mut self,
        bits: u32,
        a: Src,
        b: Src,
        carry: Src,
        subtracts: bool,
    ) -> (Src, Flags) {
        let (sum, out) = self.sum_with_carry(bits, a, b, carry, subtracts);
        let mut flags = self.plain_flags(bits, sum);
        flags.carry = Some(out);
        // The signs of what is added are the same, and that of the sum is another.
        let differ = self.two(IntOp::Xor, bits, a, b);
        let same = if subtracts {
            differ
        } else {
            self.two(IntOp::Xor, bits, differ, Src::Const(mask(bits)))
        };
        let changed = self.two(IntOp::Xor, bits, a, sum);
        let both = self.two(IntOp::And, bits, same, changed);
        flags.overflow = Some(self.two(IntOp::Slt, bits, both, Src::Const(0)));
        (sum, flags)
    }

    pub(super) fn plain_flags(&mut self, bits: u32, value: Src) -> Flags {
        Flags {
            zero: Some(self.two(IntOp::Eq, bits, value, Src::Const(0))),
            sign: Some(self.two(IntOp::Slt, bits, value, Src::Const(0))),
            ..Flags::default()
        }
    }

    pub(super) fn condition(&mut self, flags: &Flags, name: &str) -> Option<Src> {
        let (name, is_negated) = match name.strip_prefix('n') {
            Some(rest) if !rest.is_empty() => (rest, true),
            _ => (name, false),
        };
        let or = |lowerer: &mut Self, a, b| lowerer.two(IntOp::Or, 1, a, b);
        let value = match name {
            "c" | "b" => flags.carry?,
            "ae" => return self.condition(flags, "nc"),
            "z" | "e" => flags.zero?,
            "s" => flags.sign?,
            "o" => flags.overflow?,
            "be" => or(self, flags.carry?, flags.zero?),
            "a" => return self.condition(flags, "nbe"),
            "l" => self.two(IntOp::Xor, 1, flags.sign?, flags.overflow?),
            "ge" => return self.condition(flags, "nl"),
            "le" => {
                let less = self.two(IntOp::Xor, 1, flags.sign?, flags.overflow?);
                or(self, less, flags.zero?)
            }
            "g" => return self.condition(flags, "nle"),
            _ => return None,
        };
        Some(if is_negated {
            self.two(IntOp::Xor, 1, value, Src::Const(1))
        } else {
            value
        })
    }

    pub(super) fn scan(
        &mut self,
        registers: &mut Registers,
        name: &str,
        bits: u32,
        a: Src,
        to: &Given,
    ) -> Src {
        let is_zero = self.two(IntOp::Eq, bits, a, Src::Const(0));
        registers.flags = Flags::default();
        match name {
            "popcnt" => {
                registers.flags.zero = Some(is_zero);
                self.one(IntOp::CtPop, bits, a)
            }
            "tzcnt" | "lzcnt" => {
                registers.flags.carry = Some(is_zero);
                let op = if name == "tzcnt" {
                    IntOp::Cttz
                } else {
                    IntOp::Ctlz
                };
                let count = self.one(op, bits, a);
                registers.flags.zero = Some(self.two(IntOp::Eq, bits, count, Src::Const(0)));
                count
            }
            _ => {
                registers.flags.zero = Some(is_zero);
                let found = if name == "bsf" {
                    self.one(IntOp::Cttz, bits, a)
                } else {
                    let zeros = self.one(IntOp::Ctlz, bits, a);
                    self.two(IntOp::Xor, bits, zeros, Src::Const(u64::from(bits - 1)))
                };
                // Without a bit the processor leaves the register as it was.
                let old = self.read(registers, to, bits);
                self.selected(is_zero, old, found)
            }
        }
    }

    pub(super) fn product(&mut self, bits: u32, a: Src, b: Src, is_signed: bool) -> (Src, Src) {
        if bits < 64 {
            let (a, b) = if is_signed {
                (self.widened(a, bits, 64), self.widened(b, bits, 64))
            } else {
                (a, b)
            };
            let product = self.two(IntOp::Mul, 64, a, b);
            let high = self.two(IntOp::LShr, 64, product, Src::Const(u64::from(bits)));
            return (self.cut(product, bits), self.cut(high, bits));
        }
        let high_half = |lowerer: &mut Self, a: Src| {
            if is_signed {
                lowerer.two(IntOp::AShr, 64, a, Src::Const(63))
            } else {
                Src::Const(0)
            }
        };
        let wide = vec![vec![a, high_half(self, a)], vec![b, high_half(self, b)]];
        let dst = self.new_slots(2);
        self.wide_int(IntOp::Mul, 128, dst, wide);
        (Src::Reg(dst), Src::Reg(dst + 1))
    }

    /// Divides `dx:ax`. A quotient that does not fit is an error of the processor's.
    pub(super) fn divide(
        &mut self,
        registers: &mut Registers,
        bits: u32,
        divisor: Src,
        is_signed: bool,
    ) -> Option<()> {
        let low = self.cut(registers.get("ax")?, bits);
        let high = self.cut(registers.get("dx")?, bits);
        let (divide, remain) = if is_signed {
            (IntOp::SDiv, IntOp::SRem)
        } else {
            (IntOp::UDiv, IntOp::URem)
        };
        let double = 2 * bits;
        let (number, by) = if bits == 64 {
            let sign = match is_signed {
                true => self.two(IntOp::AShr, 64, divisor, Src::Const(63)),
                false => Src::Const(0),
            };
            (vec![low, high], vec![divisor, sign])
        } else {
            let shifted = self.two(IntOp::Shl, double, high, Src::Const(u64::from(bits)));
            let number = self.two(IntOp::Or, double, shifted, low);
            let by = match is_signed {
                true => self.widened(divisor, bits, double),
                false => divisor,
            };
            (vec![number], vec![by])
        };
        let words = number.len() as u32;
        let (quotient, rest) = (self.new_slots(words), self.new_slots(words));
        let args = vec![number, by];
        self.wide_int(divide, double, quotient, args.clone());
        self.wide_int(remain, double, rest, args);
        let fits = if bits == 64 {
            let expected = match is_signed {
                true => self.two(IntOp::AShr, 64, Src::Reg(quotient), Src::Const(63)),
                false => Src::Const(0),
            };
            self.two(IntOp::Eq, 64, Src::Reg(quotient + 1), expected)
        } else {
            let low = self.cut(Src::Reg(quotient), bits);
            let again = match is_signed {
                true => self.widened(low, bits, double),
                false => low,
            };
            self.two(IntOp::Eq, double, Src::Reg(quotient), again)
        };
        let is_too_large = self.two(IntOp::Xor, 1, fits, Src::Const(1));
        let is_too_large = self.reg(is_too_large);
        let branch = self.emit(Op::BrUnless, 0, 0, is_too_large, 0);
        self.slow(Slow::Error(ArithmeticError::DivisionOverflow));
        self.code.instrs[branch].dst = self.pc();
        let (quotient, rest) = (
            self.cut(Src::Reg(quotient), bits),
            self.cut(Src::Reg(rest), bits),
        );
        registers.flags = Flags::default();
        self.write(registers, &Given::register("ax"), bits, quotient);
        self.write(registers, &Given::register("dx"), bits, rest);
        Some(())
    }

    /// Fills `dx` with the sign of `ax`.
    pub(super) fn spread_sign(&mut self, registers: &mut Registers, bits: u32) -> Option<()> {
        let value = self.cut(registers.get("ax")?, bits);
        let sign = self.two(IntOp::AShr, bits, value, Src::Const(u64::from(bits - 1)));
        self.write(registers, &Given::register("dx"), bits, sign);
        Some(())
    }
}
