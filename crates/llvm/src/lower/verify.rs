//! What the main loop takes on trust, looked at once: register code that names no register, place or table that is
//! not there.
//!
//! The loop reads registers and instructions without asking whether they exist. Lowering is meant to make only code
//! where they do; here that is made sure of for every function, so that a mistake there ends a path instead of being
//! undefined.

use crate::code::{
    Addressing, Arg, ArgClass, CallSite, Code, Encoding, Fields, FloatCheck, Instr, JumpTable,
    MOST_INSTRS, MathFn, Op, Slow, Src, Width, has_no_width, is_safe,
};
use crate::ops::{Cast, IntOp, Outcome};

/// Registers that a frame may have; the machine's stack has no more either.
pub(super) const MOST_SLOTS: u32 = 1 << 23;

/// What is passed by value is not bigger.
const MOST_BYTES: u64 = 1 << 40;

type Checked = Result<(), String>;

/// Whether the main loop may run this code.
pub fn verify(code: &Code) -> Checked {
    if code.slots > MOST_SLOTS || code.params > code.slots {
        return Err(format!(
            "{} parameters in {} slots",
            code.params, code.slots
        ));
    }
    if code.instrs.len() > MOST_INSTRS {
        return Err("too many instructions".into());
    }
    let checker = Checker { code };
    for pc in 0..code.instrs.len() {
        checker
            .instr(pc)
            .map_err(|what| format!("bad code at {pc} ({:?}): {what}", code.instrs[pc].op))?;
    }
    for (index, site) in code.calls.iter().enumerate() {
        checker
            .call_site(site)
            .map_err(|what| format!("bad call {index}: {what}"))?;
    }
    for (index, table) in code.tables.iter().enumerate() {
        checker
            .table(table)
            .map_err(|what| format!("bad jump table {index}: {what}"))?;
    }
    for (index, slow) in code.slow.iter().enumerate() {
        checker
            .slow(slow)
            .map_err(|what| format!("bad descriptor {index} ({slow:?}): {what}"))?;
    }
    for (pc, pad) in &code.pads {
        let is_call = matches!(
            code.instrs.get(*pc as usize),
            Some(Instr {
                op: Op::Call | Op::CallIndirect | Op::CallNative,
                ..
            })
        );
        if !is_call {
            return Err(format!("bad landing pad of {pc}, which is no call"));
        }
        checker
            .target(pad.pc)
            .map_err(|what| format!("bad landing pad: {what}"))?;
    }
    match code.instrs.last() {
        Some(last) if ends(last.op) => Ok(()),
        _ => Err("bad code that runs off its end".into()),
    }
}

/// Never goes on with the next instruction.
fn ends(op: Op) -> bool {
    matches!(
        op,
        Op::Jump | Op::Switch | Op::Ret | Op::RetVoid | Op::Unreachable
    )
}

fn words(bits: u32) -> u32 {
    bits.div_ceil(64)
}

fn width(bits: u32) -> Checked {
    if (1..=64).contains(&bits) {
        Ok(())
    } else {
        Err(format!("{bits} bits in a register"))
    }
}

fn ensure(holds: bool, what: &str) -> Checked {
    if holds { Ok(()) } else { Err(what.into()) }
}

struct Checker<'a> {
    code: &'a Code,
}

impl Checker<'_> {
    fn reg(&self, register: u32) -> Checked {
        self.regs(register, 1)
    }

    /// So many registers from one on.
    fn regs(&self, first: u32, count: u32) -> Checked {
        let end = u64::from(first) + u64::from(count);
        if end <= u64::from(self.code.slots) {
            return Ok(());
        }
        Err(format!(
            "register {} of {}",
            end.saturating_sub(1),
            self.code.slots
        ))
    }

    fn all(&self, registers: &[u32]) -> Checked {
        registers
            .iter()
            .try_for_each(|&register| self.reg(register))
    }

    fn src(&self, src: Src) -> Checked {
        match src {
            Src::Reg(register) => self.reg(register),
            Src::Const(_) => Ok(()),
        }
    }

    fn srcs(&self, words: &[Src]) -> Checked {
        words.iter().try_for_each(|&src| self.src(src))
    }

    /// Words that hold an integer of so many bits.
    fn wide(&self, value: &[Src], bits: u32) -> Checked {
        ensure(
            bits > 0 && value.len() == words(bits) as usize,
            "an integer in the wrong number of words",
        )?;
        self.srcs(value)
    }

    fn target(&self, pc: u32) -> Checked {
        match self.code.instrs.get(pc as usize) {
            Some(Instr { op: Op::More, .. }) => {
                Err(format!("a jump into the middle of the instruction at {pc}"))
            }
            Some(_) => Ok(()),
            None => Err(format!("a jump to {pc}")),
        }
    }

    fn instr(&self, pc: usize) -> Checked {
        let i = self.code.instrs[pc];
        let bits = u32::from(i.x);
        let after = self.code.instrs.get(pc + 1);
        let more = match after {
            Some(next) if i.op.is_double() && next.op == Op::More => *next,
            _ if i.op.is_double() => return Err("half an instruction".into()),
            Some(next) if next.op == Op::More => return Err("a second half too many".into()),
            _ => i,
        };
        match i.op.encoding() {
            Encoding::Move => self.all(&[i.dst, i.a]),
            Encoding::Immediate => self.reg(i.dst),
            Encoding::Int(op, bits, fields) => {
                self.reg(i.dst)?;
                self.operation(i, more, op, bits, fields)
            }
            Encoding::Overflowing(op, overflow) => {
                ensure(
                    overflow.overflow_of() == Some(op),
                    "the overflow of another calculation",
                )?;
                self.regs(i.dst, 2)?;
                self.operation(i, more, op, Width::X, Fields::Two)
            }
            Encoding::Branch(op, bits, fields) => {
                ensure(op.outcome() == Outcome::Bit, "a branch on more than a bit")?;
                self.operation(i, more, op, bits, fields)?;
                self.target(i.dst)
            }
            Encoding::BranchIf(_) => {
                self.reg(i.a)?;
                self.target(i.dst)
            }
            Encoding::Jump => self.target(i.dst),
            Encoding::Switch => {
                self.reg(i.a)?;
                ensure(
                    (i.b as usize) < self.code.tables.len(),
                    "no such jump table",
                )
            }
            Encoding::Select => self.all(&[i.dst, i.a, i.b, more.a]),
            Encoding::Truncate => {
                width(bits)?;
                self.all(&[i.dst, i.a])
            }
            Encoding::SignExtend(to) => {
                let to = to.of(i);
                width(bits)?;
                width(to)?;
                ensure(
                    Cast::SignExtend.fits(bits, to),
                    "an extension to fewer bits",
                )?;
                self.all(&[i.dst, i.a])
            }
            Encoding::Lea => self.all(&[i.dst, i.a, i.b]),
            Encoding::Load(_, addressing) => {
                self.reg(i.dst)?;
                self.address(i, addressing)
            }
            Encoding::LoadBits => {
                width(bits)?;
                ensure((1..=8).contains(&more.a), "a load of no or too many bytes")?;
                self.all(&[i.dst, i.a])
            }
            Encoding::Store(_, addressing) => {
                self.reg(match addressing {
                    Addressing::Offset => i.b,
                    Addressing::Indexed | Addressing::Absolute => i.dst,
                })?;
                self.address(i, addressing)
            }
            Encoding::StoreImmediate(_) => self.reg(i.a),
            Encoding::StoreBytes => {
                ensure((1..=8).contains(&i.x), "a store of no or too many bytes")?;
                self.all(&[i.a, i.b])
            }
            Encoding::Float | Encoding::FloatCompare => self.all(&[i.dst, i.a, i.b]),
            Encoding::FloatToFloat => self.all(&[i.dst, i.a]),
            Encoding::FloatToInt | Encoding::IntToFloat => {
                width(bits)?;
                self.all(&[i.dst, i.a])
            }
            Encoding::Alloca => {
                ensure(i.x < 64, "an alignment beyond all memory")?;
                self.reg(i.dst)
            }
            Encoding::AllocaMany => {
                ensure(i.x < 64, "an alignment beyond all memory")?;
                self.all(&[i.dst, i.a, more.a])
            }
            Encoding::Call | Encoding::CallNative => self.call(i),
            Encoding::CallIndirect => {
                self.reg(i.a)?;
                self.call(i)
            }
            Encoding::Return => self.regs(i.a, bits),
            Encoding::Resume => self.reg(i.a),
            Encoding::Slow => ensure((i.a as usize) < self.code.slow.len(), "no such descriptor"),
            Encoding::More => ensure(
                pc > 0 && self.code.instrs[pc - 1].op.is_double(),
                "a second half alone",
            ),
            Encoding::ReturnVoid | Encoding::Unreachable | Encoding::Count => Ok(()),
        }
    }

    /// The operands of an operation on integers.
    fn operation(&self, i: Instr, more: Instr, op: IntOp, bits: Width, fields: Fields) -> Checked {
        let count = match fields {
            Fields::One => 1,
            Fields::Two | Fields::Signed | Fields::Unsigned => 2,
            Fields::Three => 3,
        };
        ensure(op.operands() == count, "the wrong number of operands")?;
        if !has_no_width(op, bits) {
            width(bits.of(i))?;
            ensure(op.has_width(bits.of(i)), "an operation of another width")?;
        }
        if let Some(immediate) = fields.immediate(i)
            && !op.errors().is_empty()
            && !is_safe(op, bits.of(i), immediate)
        {
            return Err("an immediate that is an error".into());
        }
        match fields {
            Fields::One | Fields::Signed | Fields::Unsigned => self.reg(i.a),
            Fields::Two => self.all(&[i.a, i.b]),
            Fields::Three => self.all(&[i.a, i.b, more.a]),
        }
    }

    fn address(&self, i: Instr, addressing: Addressing) -> Checked {
        match addressing {
            Addressing::Offset => self.reg(i.a),
            Addressing::Indexed => self.all(&[i.a, i.b]),
            Addressing::Absolute => Ok(()),
        }
    }

    fn call(&self, i: Instr) -> Checked {
        let site = self.code.calls.get(i.b as usize).ok_or("no such call")?;
        self.regs(i.dst, site.results)
    }

    fn call_site(&self, site: &CallSite) -> Checked {
        site.args.iter().try_for_each(|arg: &Arg| {
            if let ArgClass::ByValue { size, align } = arg.class {
                let is_sound = size <= MOST_BYTES && align.is_power_of_two() && align <= MOST_BYTES;
                ensure(
                    is_sound && !arg.words.is_empty(),
                    "an argument by value of no size or place",
                )?;
            }
            if let ArgClass::Aggregate { size } = arg.class {
                ensure(size <= MOST_BYTES, "an argument of no size")?;
                ensure(
                    arg.words.len() as u64 <= size.div_ceil(8).max(1) * 64,
                    "an argument of more words than bytes",
                )?;
            }
            self.srcs(&arg.words)
        })
    }

    fn table(&self, table: &JumpTable) -> Checked {
        width(table.width)?;
        self.target(table.default)?;
        ensure(
            table.cases.is_sorted_by(|a, b| a.0 < b.0),
            "cases out of order",
        )?;
        table
            .cases
            .iter()
            .try_for_each(|&(_, target)| self.target(target))?;
        let dense = table.dense.as_ref().map_or(&[][..], |(_, targets)| targets);
        dense.iter().try_for_each(|&target| self.target(target))
    }

    fn slow(&self, slow: &Slow) -> Checked {
        match slow {
            Slow::Int {
                op,
                width,
                dst,
                args,
            } => {
                ensure(
                    args.len() == op.operands() && op.has_width(*width),
                    "an operation of another kind",
                )?;
                args.iter().try_for_each(|arg| self.wide(arg, *width))?;
                self.regs(
                    *dst,
                    match (op.outcome(), op.overflow_of()) {
                        (Outcome::Bit, None) => 1,
                        (Outcome::Bit, Some(_)) => words(*width) + 1,
                        (Outcome::Word, _) => words(*width),
                    },
                )
            }
            Slow::IntCast {
                cast,
                from,
                to,
                dst,
                a,
            } => {
                self.wide(a, *from)?;
                ensure(*to > 0 && cast.fits(*from, *to), "a cast to another width")?;
                self.regs(*dst, words(*to))
            }
            Slow::FloatBinary {
                format, dst, a, b, ..
            } => {
                self.srcs(a)?;
                self.srcs(b)?;
                self.regs(*dst, words(format.bits()))
            }
            Slow::FloatCompare { dst, a, b, .. } => {
                self.srcs(a)?;
                self.srcs(b)?;
                self.reg(*dst)
            }
            Slow::FloatCast { to, dst, a, .. } => {
                self.srcs(a)?;
                self.regs(*dst, words(to.bits()))
            }
            Slow::FloatToInt { to, dst, a, .. } => {
                self.srcs(a)?;
                ensure(*to > 0, "an integer of no bits")?;
                self.regs(*dst, words(*to))
            }
            Slow::IntToFloat {
                from, to, dst, a, ..
            } => {
                self.srcs(a)?;
                ensure(*from > 0, "an integer of no bits")?;
                self.regs(*dst, words(to.bits()))
            }
            Slow::FloatMath {
                name,
                format,
                dst,
                args,
            } => {
                let least = if *name == MathFn::IsFpClass { 2 } else { 1 };
                let is_whole = args.len() >= least && args.iter().all(|arg| !arg.is_empty());
                ensure(is_whole, "a function without its arguments")?;
                args.iter().try_for_each(|arg| self.srcs(arg))?;
                self.regs(
                    *dst,
                    if *name == MathFn::IsFpClass {
                        1
                    } else {
                        words(format.bits())
                    },
                )
            }
            Slow::CheckFloat(check) => match check {
                FloatCheck::Result {
                    operands, result, ..
                } => {
                    operands
                        .iter()
                        .try_for_each(|(_, words)| self.srcs(words))?;
                    self.srcs(result)
                }
                FloatCheck::Divisor { a, .. } => self.srcs(a),
                FloatCheck::Range { to, a, .. } => {
                    ensure(*to > 0, "an integer of no bits")?;
                    self.srcs(a)
                }
            },
            Slow::Repack { from, to } => {
                for &(src, bits) in from {
                    width(bits)?;
                    self.src(src)?;
                }
                to.iter().try_for_each(|&(dst, bits)| {
                    width(bits)?;
                    self.reg(dst)
                })
            }
            Slow::ExtractLane {
                lanes,
                words,
                index,
                dst,
            } => {
                self.srcs(lanes)?;
                self.src(*index)?;
                self.regs(*dst, *words)
            }
            Slow::InsertLane {
                lanes,
                words,
                index,
                value,
                dst,
            } => {
                ensure(value.len() == *words as usize, "a lane of the wrong size")?;
                self.srcs(lanes)?;
                self.srcs(value)?;
                self.src(*index)?;
                self.regs(*dst, lanes.len() as u32)
            }
            Slow::VaStart { list } => self.src(*list),
            Slow::StackRestore { a } => self.src(*a),
            Slow::StackSave { dst } => self.reg(*dst),
            Slow::LandingPad { dst } => self.regs(*dst, 2),
            Slow::FrameAddress { dst, level } => {
                self.src(*level)?;
                self.reg(*dst)
            }
            Slow::Error(_) | Slow::BadGoto | Slow::Unsupported(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::LandingPad;

    fn code(instrs: Vec<Instr>) -> Code {
        Code {
            instrs,
            slots: 4,
            ..Code::default()
        }
    }

    fn instr(op: Op, x: u16, dst: u32, a: u32, b: u32) -> Instr {
        Instr::new(op, x, dst, a, b)
    }

    fn refused(code: &Code, expected: &str) {
        let error = verify(code).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn sound_code_passes() {
        let sound = code(vec![
            instr(Op::Imm, 0, 3, 0, 0),
            instr(Op::Select, 0, 0, 1, 2),
            instr(Op::More, 0, 0, 3, 0),
            instr(Op::BrEqI, 1, 0, 3, 99),
            instr(Op::Ret, 2, 0, 2, 1),
        ]);
        assert_eq!(verify(&sound), Ok(()));
    }

    #[test]
    fn registers_and_places_must_be_there() {
        let end = instr(Op::RetVoid, 0, 0, 0, 0);
        let one = |first: Instr| code(vec![first, end]);
        refused(&one(instr(Op::Mov, 0, 4, 0, 0)), "register 4 of 4");
        refused(&one(instr(Op::Add64, 0, 0, 0, 4)), "register 4 of 4");
        refused(&one(instr(Op::UAddO, 8, 3, 0, 0)), "register 4 of 4");
        refused(&one(instr(Op::AddN, 65, 0, 0, 0)), "65 bits");
        refused(&one(instr(Op::SDivI, 32, 0, 0, u32::MAX)), "an immediate");
        refused(&one(instr(Op::URemI, 32, 0, 0, 0)), "an immediate");
        refused(&one(instr(Op::Jump, 0, 2, 0, 0)), "a jump to 2");
        refused(&one(instr(Op::Switch, 0, 0, 0, 0)), "no such jump table");
        refused(&one(instr(Op::Slow, 0, 0, 0, 0)), "no such descriptor");
        refused(&one(instr(Op::Call, 0, 0, 0, 0)), "no such call");
        refused(&one(instr(Op::Select, 0, 0, 0, 0)), "half an instruction");
        refused(&one(instr(Op::More, 0, 0, 0, 0)), "a second half alone");
        refused(&code(vec![instr(Op::Ret, 3, 0, 2, 0)]), "register 4 of 4");
        refused(&code(vec![instr(Op::Imm, 0, 0, 0, 0)]), "off its end");
        refused(&code(vec![instr(Op::Resume, 0, 0, 0, 0)]), "off its end");
        refused(&code(Vec::new()), "off its end");
        let into = code(vec![
            instr(Op::Select, 0, 0, 0, 0),
            instr(Op::More, 0, 0, 0, 0),
            instr(Op::Jump, 0, 1, 0, 0),
        ]);
        refused(&into, "into the middle");
    }

    #[test]
    fn what_instructions_refer_to_is_looked_at() {
        let mut bad = code(vec![instr(Op::RetVoid, 0, 0, 0, 0)]);
        bad.slow.push(Slow::LandingPad { dst: 3 });
        refused(&bad, "register 4 of 4");
        let mut bad = code(vec![instr(Op::RetVoid, 0, 0, 0, 0)]);
        bad.tables.push(JumpTable {
            width: 8,
            cases: vec![(1, 0), (1, 0)],
            dense: None,
            default: 0,
            count: 1,
        });
        refused(&bad, "out of order");
        let mut bad = code(vec![instr(Op::RetVoid, 0, 0, 0, 0)]);
        bad.pads.push((
            0,
            LandingPad {
                pc: 0,
                cleanup: true,
                clauses: Vec::new(),
            },
        ));
        refused(&bad, "no call");
        let mut bad = code(vec![instr(Op::RetVoid, 0, 0, 0, 0)]);
        bad.params = 5;
        refused(&bad, "5 parameters");
    }
}
