//! What the main loop takes on trust, looked at once: register code that names no register, place or table that is
//! not there.
//!
//! The loop reads registers and instructions without asking whether they exist. Lowering is meant to make only code
//! where they do; here that is made sure of for every function, so that a mistake there ends a path instead of being
//! undefined.

use crate::code::{
    Arg, ArgClass, CallSite, Code, Instr, IntIntrinsic, JumpTable, MOST_INSTRS, MathFn, Op, Slow,
    Src,
};

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

/// Has a second half.
fn is_double(op: Op) -> bool {
    matches!(
        op,
        Op::Select | Op::LoadN | Op::FShl | Op::FShr | Op::AllocaN
    )
}

fn within(op: Op, first: Op, last: Op) -> Option<u16> {
    (first as u16..=last as u16)
        .contains(&(op as u16))
        .then(|| op as u16 - first as u16)
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
            Some(next) if is_double(i.op) && next.op == Op::More => *next,
            _ if is_double(i.op) => return Err("half an instruction".into()),
            Some(next) if next.op == Op::More => return Err("a second half too many".into()),
            _ => i,
        };
        if let Some(index) = within(i.op, Op::Add32, Op::AShrNI) {
            if index % 3 == 2 {
                width(bits)?;
            }
            return self.operands(i, index % 6 >= 3);
        }
        if let Some(index) = within(i.op, Op::LShr, Op::SRemI) {
            width(bits)?;
            let is_immediate = index % 2 == 1;
            if is_immediate
                && within(i.op, Op::UDiv, Op::SRemI).is_some()
                && within(i.op, Op::SDiv, Op::SRemI).is_none()
            {
                ensure(i.b != 0, "a division by zero")?;
            }
            if is_immediate && within(i.op, Op::SDiv, Op::SRemI).is_some() {
                ensure(
                    i.b != 0 && i.b != u32::MAX,
                    "a division by zero or minus one",
                )?;
            }
            return self.operands(i, is_immediate);
        }
        if let Some(index) = within(i.op, Op::SetEq, Op::SetSgtNI) {
            if matches!(
                i.op,
                Op::SetSltN | Op::SetSleN | Op::SetSltNI | Op::SetSgtNI
            ) {
                width(bits)?;
            }
            return self.operands(i, index >= 10);
        }
        if let Some(index) = within(i.op, Op::BrEq, Op::BrSgt64I) {
            self.reg(i.a)?;
            if index < 8 {
                self.reg(i.b)?;
            }
            return self.target(i.dst);
        }
        match i.op {
            Op::Mov => self.all(&[i.dst, i.a]),
            Op::Imm => self.reg(i.dst),
            Op::Select => self.all(&[i.dst, i.a, i.b, more.a]),
            Op::BrIf | Op::BrUnless => {
                self.reg(i.a)?;
                self.target(i.dst)
            }
            Op::Jump => self.target(i.dst),
            Op::Switch => {
                self.reg(i.a)?;
                ensure(
                    (i.b as usize) < self.code.tables.len(),
                    "no such jump table",
                )
            }
            Op::Trunc | Op::SExt64 => {
                width(bits)?;
                self.all(&[i.dst, i.a])
            }
            Op::SExt32 | Op::SExtN => {
                let to = if i.op == Op::SExt32 { 32 } else { i.b };
                width(bits)?;
                width(to)?;
                ensure(bits <= to, "an extension to fewer bits")?;
                self.all(&[i.dst, i.a])
            }
            Op::Lea => self.all(&[i.dst, i.a, i.b]),
            Op::Load8 | Op::Load16 | Op::Load32 | Op::Load64 => self.all(&[i.dst, i.a]),
            Op::LoadX8 | Op::LoadX16 | Op::LoadX32 | Op::LoadX64 => self.all(&[i.dst, i.a, i.b]),
            Op::LoadAbs8 | Op::LoadAbs16 | Op::LoadAbs32 | Op::LoadAbs64 => self.reg(i.dst),
            Op::LoadN => {
                width(bits)?;
                ensure((1..=8).contains(&more.a), "a load of no or too many bytes")?;
                self.all(&[i.dst, i.a])
            }
            Op::Store8 | Op::Store16 | Op::Store32 | Op::Store64 => self.all(&[i.a, i.b]),
            Op::Store8I | Op::Store16I | Op::Store32I | Op::Store64I => self.reg(i.a),
            Op::StoreX8 | Op::StoreX16 | Op::StoreX32 | Op::StoreX64 => {
                self.all(&[i.a, i.b, i.dst])
            }
            Op::StoreAbs8 | Op::StoreAbs16 | Op::StoreAbs32 | Op::StoreAbs64 => self.reg(i.dst),
            Op::StoreN => {
                ensure((1..=8).contains(&i.x), "a store of no or too many bytes")?;
                self.all(&[i.a, i.b])
            }
            Op::UMin
            | Op::UMax
            | Op::SMin
            | Op::SMax
            | Op::UAddSat
            | Op::USubSat
            | Op::SAddSat
            | Op::SSubSat => {
                width(bits)?;
                self.all(&[i.dst, i.a, i.b])
            }
            Op::UAddO | Op::USubO | Op::UMulO | Op::SAddO | Op::SSubO | Op::SMulO => {
                width(bits)?;
                self.regs(i.dst, 2)?;
                self.all(&[i.a, i.b])
            }
            Op::CtPop | Op::Ctlz | Op::Cttz | Op::BSwap | Op::BitReverse | Op::Abs => {
                width(bits)?;
                self.all(&[i.dst, i.a])
            }
            Op::FShl | Op::FShr => {
                width(bits)?;
                self.all(&[i.dst, i.a, i.b, more.a])
            }
            Op::FAdd32 | Op::FSub32 | Op::FMul32 | Op::FDiv32 | Op::FRem32 => {
                self.all(&[i.dst, i.a, i.b])
            }
            Op::FAdd64 | Op::FSub64 | Op::FMul64 | Op::FDiv64 | Op::FRem64 => {
                self.all(&[i.dst, i.a, i.b])
            }
            Op::FCmp32 | Op::FCmp64 => self.all(&[i.dst, i.a, i.b]),
            Op::FNeg32 | Op::FNeg64 | Op::F32ToF64 | Op::F64ToF32 => self.all(&[i.dst, i.a]),
            Op::F32ToS
            | Op::F32ToU
            | Op::F64ToS
            | Op::F64ToU
            | Op::SToF32
            | Op::UToF32
            | Op::SToF64
            | Op::UToF64 => {
                width(bits)?;
                self.all(&[i.dst, i.a])
            }
            Op::Alloca => {
                ensure(i.x < 64, "an alignment beyond all memory")?;
                self.reg(i.dst)
            }
            Op::AllocaN => {
                ensure(i.x < 64, "an alignment beyond all memory")?;
                self.all(&[i.dst, i.a, more.a])
            }
            Op::Call | Op::CallNative | Op::CallIndirect => {
                if i.op == Op::CallIndirect {
                    self.reg(i.a)?;
                }
                let site = self.code.calls.get(i.b as usize).ok_or("no such call")?;
                self.regs(i.dst, site.results)
            }
            Op::Ret => self.regs(i.a, bits),
            Op::Resume => self.reg(i.a),
            Op::Slow => ensure((i.a as usize) < self.code.slow.len(), "no such descriptor"),
            Op::More => ensure(
                pc > 0 && is_double(self.code.instrs[pc - 1].op),
                "a second half alone",
            ),
            Op::RetVoid | Op::Unreachable | Op::Count => Ok(()),
            _ => Err("an operation that is not known here".into()),
        }
    }

    /// `dst = a op b`, where `b` may be an immediate.
    fn operands(&self, i: Instr, is_immediate: bool) -> Checked {
        self.all(&[i.dst, i.a])?;
        if is_immediate { Ok(()) } else { self.reg(i.b) }
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
            Slow::WideBinary {
                width, dst, a, b, ..
            } => {
                self.wide(a, *width)?;
                self.wide(b, *width)?;
                // Two words are written at least.
                self.regs(*dst, words(*width).max(2))
            }
            Slow::WideCompare {
                width, dst, a, b, ..
            } => {
                self.wide(a, *width)?;
                self.wide(b, *width)?;
                self.reg(*dst)
            }
            Slow::WideCast {
                from, to, dst, a, ..
            } => {
                self.wide(a, *from)?;
                ensure(*to > 0, "an integer of no bits")?;
                self.regs(*dst, words(*to))
            }
            Slow::Intrinsic {
                name,
                width,
                dst,
                args,
            } => {
                ensure(
                    args.len() >= operands_of(*name),
                    "an intrinsic without its operands",
                )?;
                args.iter().try_for_each(|arg| self.wide(arg, *width))?;
                self.regs(*dst, words(*width) + u32::from(overflows(*name)))
            }
            Slow::FloatBinary {
                format, dst, a, b, ..
            } => {
                self.srcs(a)?;
                self.srcs(b)?;
                self.regs(*dst, words(format.bits()))
            }
            Slow::FloatNeg { format, dst, a } => {
                self.srcs(a)?;
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
            Slow::Overflow | Slow::ShiftTooFar | Slow::BadGoto | Slow::Unsupported(_) => Ok(()),
        }
    }
}

fn operands_of(name: IntIntrinsic) -> usize {
    use IntIntrinsic::*;
    match name {
        CtPop | Ctlz | Cttz | BSwap | BitReverse | Abs => 1,
        FShl | FShr => 3,
        _ => 2,
    }
}

fn overflows(name: IntIntrinsic) -> bool {
    use IntIntrinsic::*;
    matches!(name, UAddO | USubO | UMulO | SAddO | SSubO | SMulO)
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
        refused(&one(instr(Op::SDivI, 32, 0, 0, u32::MAX)), "minus one");
        refused(&one(instr(Op::URemI, 32, 0, 0, 0)), "by zero");
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
