//! The main loop: register code, as fast as it goes.
//!
//! It exists twice: once for frames none of whose registers can hold a term, which looks at numbers only, and once
//! for the others, which looks at the terms beside them first. Whatever is not plain and concrete leaves the loop for
//! a function of its own (`slow!`): that one finds the state up to date, does one instruction, and the loop goes on
//! from what it left.
//!
//! Safety: lowering numbers registers below `Code::slots`, and a frame's window has that many slots in `registers`
//! (and in `terms`, for a symbolic frame); program counters stay within the code, which ends in a jump or an end.

use refrain_machine::Stop;
use refrain_term::{Term, Terms};

use super::state::{CONCRETE, State};
use super::{Halt, Machine};
use crate::code::{Instr, NEVER_PASSED, NEVER_REACHED, NEVER_TAKEN, Op, mask, sext};
use crate::machine::End;

/// Why the loop was left.
pub(super) enum Left {
    /// The frame on top wants the other loop.
    OtherLoop,
    Stop(Stop),
}

impl Machine {
    /// Runs the frame on top, and those it calls, as long as they are (`SYM`) symbolic or not.
    pub(super) fn steps<const SYM: bool>(
        &mut self,
        terms: &mut Terms,
        state: &mut State,
        limit: u64,
    ) -> Left {
        let linked = self.linked.clone();
        // None yet.
        let mut function = u32::MAX;
        let mut start: *const Instr = std::ptr::null();
        let mut ip: *const Instr;
        let mut registers: *mut u64;
        let mut tags: *mut Term;
        // Counts up to the limit.
        let mut executed = state.instructions;

        macro_rules! reload {
            () => {{
                let Some(frame) = state.frames.last() else {
                    return Left::Stop(Stop::End(End::Internal("no frame to run".into())));
                };
                if frame.symbolic != SYM {
                    return Left::OtherLoop;
                }
                if function != frame.function {
                    function = frame.function;
                    start = match self.covered.current(function) {
                        Some(start) => start,
                        // A frame's function was lowered when it was entered.
                        None if self.covered.enter(&linked, function) => {
                            self.covered.functions[function as usize].instrs.as_ptr()
                        }
                        None => {
                            return Left::Stop(Stop::End(End::Internal(
                                "a frame without code".into(),
                            )));
                        }
                    };
                }
                // SAFETY: see the module's words.
                unsafe {
                    ip = start.add(frame.pc as usize);
                    registers = state.registers.as_mut_ptr().add(frame.base as usize);
                    tags = if SYM {
                        state.terms.as_mut_ptr().add(frame.base as usize)
                    } else {
                        std::ptr::null_mut()
                    };
                }
            }};
        }
        macro_rules! save {
            () => {{
                // SAFETY: both point into the same code.
                let pc = unsafe { ip.offset_from(start) } as u32;
                state.frames.last_mut().expect("a frame is running").pc = pc;
                state.instructions = executed;
            }};
        }
        reload!();

        loop {
            let done: Result<(), Halt> = loop {
                // SAFETY: see the module's words.
                let i = unsafe { *ip };
                // Does one instruction outside the loop.
                macro_rules! slow {
                    ($call:expr) => {{
                        save!();
                        break $call;
                    }};
                }
                macro_rules! r {
                    ($register:expr) => {
                        // SAFETY: see the module's words.
                        unsafe { *registers.add($register as usize) }
                    };
                }
                macro_rules! is_symbolic {
                ($($register:expr),*) => {
                    // SAFETY: see the module's words.
                    SYM && unsafe { $(*tags.add($register as usize) != CONCRETE)||* }
                };
            }
                macro_rules! set {
                    ($register:expr, $value:expr) => {
                        // SAFETY: see the module's words.
                        unsafe {
                            *registers.add($register as usize) = $value;
                            if SYM {
                                *tags.add($register as usize) = CONCRETE;
                            }
                        }
                    };
                }
                macro_rules! next {
                    ($by:expr) => {{
                        // SAFETY: see the module's words.
                        ip = unsafe { ip.add($by) };
                        continue;
                    }};
                }
                macro_rules! jump {
                    ($bytes:expr) => {{
                        // SAFETY: see the module's words.
                        ip = unsafe { start.byte_add($bytes) };
                        if executed >= limit {
                            save!();
                            return Left::Stop(Stop::OutOfFuel);
                        }
                        continue;
                    }};
                }
                macro_rules! take {
                    () => {{
                        if i.dst & NEVER_TAKEN != 0 {
                            slow!(self.go(state, i, true));
                        }
                        executed += u64::from(i.x);
                        jump!(i.target_bytes())
                    }};
                }
                // By a condition: to `dst`, or on.
                macro_rules! decide {
                    ($condition:expr) => {{
                        if $condition {
                            take!()
                        }
                        if i.dst & NEVER_PASSED != 0 {
                            slow!(self.go(state, i, false));
                        }
                        executed += u64::from(i.x);
                        next!(1)
                    }};
                }
                macro_rules! symbolic {
                    () => {
                        slow!(self.symbolic(terms, state, i))
                    };
                }
                macro_rules! binary {
                    (|$a:ident, $b:ident| $value:expr) => {{
                        if is_symbolic!(i.a, i.b) {
                            symbolic!();
                        }
                        let ($a, $b) = (r!(i.a), r!(i.b));
                        set!(i.dst, $value);
                        next!(1)
                    }};
                }
                // The second operand is an immediate: sign-extended, or not.
                macro_rules! immediate {
                    (|$a:ident, $b:ident| $value:expr) => {{
                        if is_symbolic!(i.a) {
                            symbolic!();
                        }
                        let ($a, $b) = (r!(i.a), i.signed());
                        set!(i.dst, $value);
                        next!(1)
                    }};
                }
                macro_rules! unsigned {
                    (|$a:ident, $b:ident| $value:expr) => {{
                        if is_symbolic!(i.a) {
                            symbolic!();
                        }
                        let ($a, $b) = (r!(i.a), u64::from(i.b));
                        set!(i.dst, $value);
                        next!(1)
                    }};
                }
                macro_rules! branch {
                    (|$a:ident, $b:ident| $value:expr) => {{
                        if is_symbolic!(i.a, i.b) {
                            symbolic!();
                        }
                        let ($a, $b) = (r!(i.a), r!(i.b));
                        decide!($value)
                    }};
                }
                macro_rules! branch_immediate {
                    (|$a:ident, $b:ident| $value:expr) => {{
                        if is_symbolic!(i.a) {
                            symbolic!();
                        }
                        let ($a, $b) = (r!(i.a), i.signed());
                        decide!($value)
                    }};
                }
                macro_rules! branch_unsigned {
                    (|$a:ident, $b:ident| $value:expr) => {{
                        if is_symbolic!(i.a) {
                            symbolic!();
                        }
                        let ($a, $b) = (r!(i.a), u64::from(i.b));
                        decide!($value)
                    }};
                }
                macro_rules! load {
                    ($read:ident, $address:expr) => {{
                        if is_symbolic!(i.a) {
                            symbolic!();
                        }
                        match state.memory.$read($address) {
                            Some(value) => {
                                set!(i.dst, value);
                                next!(1)
                            }
                            None => slow!(self.load(terms, state, i)),
                        }
                    }};
                }
                macro_rules! load_indexed {
                    ($read:ident) => {{
                        if is_symbolic!(i.a, i.b) {
                            symbolic!();
                        }
                        let address = r!(i.a).wrapping_add(r!(i.b).wrapping_mul(u64::from(i.x)));
                        match state.memory.$read(address) {
                            Some(value) => {
                                set!(i.dst, value);
                                next!(1)
                            }
                            None => slow!(self.load(terms, state, i)),
                        }
                    }};
                }
                macro_rules! load_absolute {
                    ($read:ident) => {{
                        match state.memory.$read(i.wide()) {
                            Some(value) => {
                                set!(i.dst, value);
                                next!(1)
                            }
                            None => slow!(self.load(terms, state, i)),
                        }
                    }};
                }
                macro_rules! store {
                    ($write:ident) => {{
                        if is_symbolic!(i.a, i.b) {
                            symbolic!();
                        }
                        let address = r!(i.a).wrapping_add(i.dst as i32 as i64 as u64);
                        if state.memory.$write(address, r!(i.b)) {
                            next!(1)
                        }
                        slow!(self.store(terms, state, i))
                    }};
                }
                macro_rules! store_immediate {
                    ($write:ident) => {{
                        if is_symbolic!(i.a) {
                            symbolic!();
                        }
                        let address = r!(i.a).wrapping_add(i.dst as i32 as i64 as u64);
                        if state.memory.$write(address, u64::from(i.b)) {
                            next!(1)
                        }
                        slow!(self.store(terms, state, i))
                    }};
                }
                macro_rules! store_indexed {
                    ($write:ident) => {{
                        if is_symbolic!(i.a, i.b, i.dst) {
                            symbolic!();
                        }
                        let address = r!(i.a).wrapping_add(r!(i.b).wrapping_mul(u64::from(i.x)));
                        if state.memory.$write(address, r!(i.dst)) {
                            next!(1)
                        }
                        slow!(self.store(terms, state, i))
                    }};
                }
                macro_rules! store_absolute {
                    ($write:ident) => {{
                        if is_symbolic!(i.dst) {
                            symbolic!();
                        }
                        if state.memory.$write(i.wide(), r!(i.dst)) {
                            next!(1)
                        }
                        slow!(self.store(terms, state, i))
                    }};
                }
                // One operand, of `x` bits.
                macro_rules! unary {
                    (|$a:ident| $value:expr) => {{
                        if is_symbolic!(i.a) {
                            symbolic!();
                        }
                        let $a = r!(i.a);
                        set!(i.dst, $value);
                        next!(1)
                    }};
                }
                // A value and whether it overflowed.
                macro_rules! overflowing {
                    (|$a:ident, $b:ident| $value:expr) => {{
                        if is_symbolic!(i.a, i.b) {
                            symbolic!();
                        }
                        let ($a, $b) = (r!(i.a), r!(i.b));
                        let (value, overflow): (u64, bool) = $value;
                        set!(i.dst, value);
                        set!(i.dst + 1, u64::from(overflow));
                        next!(1)
                    }};
                }
                let width = u32::from(i.x);
                match i.op {
                    Op::Mov => {
                        // SAFETY: see the module's words.
                        unsafe {
                            *registers.add(i.dst as usize) = *registers.add(i.a as usize);
                            if SYM {
                                *tags.add(i.dst as usize) = *tags.add(i.a as usize);
                            }
                        }
                        next!(1)
                    }
                    Op::Imm => {
                        set!(i.dst, i.wide());
                        next!(1)
                    }
                    Op::Add32 => binary!(|a, b| u64::from((a as u32).wrapping_add(b as u32))),
                    Op::Add64 => binary!(|a, b| a.wrapping_add(b)),
                    Op::AddN => binary!(|a, b| a.wrapping_add(b) & mask(u32::from(i.x))),
                    Op::Add32I => immediate!(|a, b| u64::from((a as u32).wrapping_add(b as u32))),
                    Op::Add64I => immediate!(|a, b| a.wrapping_add(b)),
                    Op::AddNI => immediate!(|a, b| a.wrapping_add(b) & mask(u32::from(i.x))),
                    Op::Sub32 => binary!(|a, b| u64::from((a as u32).wrapping_sub(b as u32))),
                    Op::Sub64 => binary!(|a, b| a.wrapping_sub(b)),
                    Op::SubN => binary!(|a, b| a.wrapping_sub(b) & mask(u32::from(i.x))),
                    Op::Sub32I => immediate!(|a, b| u64::from((a as u32).wrapping_sub(b as u32))),
                    Op::Sub64I => immediate!(|a, b| a.wrapping_sub(b)),
                    Op::SubNI => immediate!(|a, b| a.wrapping_sub(b) & mask(u32::from(i.x))),
                    Op::Mul32 => binary!(|a, b| u64::from((a as u32).wrapping_mul(b as u32))),
                    Op::Mul64 => binary!(|a, b| a.wrapping_mul(b)),
                    Op::MulN => binary!(|a, b| a.wrapping_mul(b) & mask(u32::from(i.x))),
                    Op::Mul32I => immediate!(|a, b| u64::from((a as u32).wrapping_mul(b as u32))),
                    Op::Mul64I => immediate!(|a, b| a.wrapping_mul(b)),
                    Op::MulNI => immediate!(|a, b| a.wrapping_mul(b) & mask(u32::from(i.x))),
                    Op::Shl32 => binary!(|a, b| shift_left(a, b, 32)),
                    Op::Shl64 => binary!(|a, b| shift_left(a, b, 64)),
                    Op::ShlN => binary!(|a, b| shift_left(a, b, u32::from(i.x))),
                    Op::Shl32I => immediate!(|a, b| shift_left(a, b, 32)),
                    Op::Shl64I => immediate!(|a, b| shift_left(a, b, 64)),
                    Op::ShlNI => immediate!(|a, b| shift_left(a, b, u32::from(i.x))),
                    Op::AShr32 => binary!(|a, b| shift_right(a, b, 32)),
                    Op::AShr64 => binary!(|a, b| shift_right(a, b, 64)),
                    Op::AShrN => binary!(|a, b| shift_right(a, b, u32::from(i.x))),
                    Op::AShr32I => immediate!(|a, b| shift_right(a, b, 32)),
                    Op::AShr64I => immediate!(|a, b| shift_right(a, b, 64)),
                    Op::AShrNI => immediate!(|a, b| shift_right(a, b, u32::from(i.x))),
                    Op::LShr => binary!(|a, b| if b < 64 { a >> b } else { 0 }),
                    Op::LShrI => unsigned!(|a, b| if b < 64 { a >> b } else { 0 }),
                    Op::And => binary!(|a, b| a & b),
                    Op::AndI => unsigned!(|a, b| a & b),
                    Op::Or => binary!(|a, b| a | b),
                    Op::OrI => unsigned!(|a, b| a | b),
                    Op::Xor => binary!(|a, b| a ^ b),
                    Op::XorI => unsigned!(|a, b| a ^ b),
                    Op::UDivI => unsigned!(|a, b| a / b),
                    Op::URemI => unsigned!(|a, b| a % b),
                    Op::SDivI => {
                        immediate!(|a, b| (sext(a, u32::from(i.x)) / b as i64) as u64
                            & mask(u32::from(i.x)))
                    }
                    Op::SRemI => {
                        immediate!(|a, b| (sext(a, u32::from(i.x)) % b as i64) as u64
                            & mask(u32::from(i.x)))
                    }
                    Op::SetEq => binary!(|a, b| u64::from(a == b)),
                    Op::SetNe => binary!(|a, b| u64::from(a != b)),
                    Op::SetUlt => binary!(|a, b| u64::from(a < b)),
                    Op::SetUle => binary!(|a, b| u64::from(a <= b)),
                    Op::SetSlt32 => binary!(|a, b| u64::from((a as i32) < b as i32)),
                    Op::SetSlt64 => binary!(|a, b| u64::from((a as i64) < b as i64)),
                    Op::SetSltN => {
                        binary!(|a, b| u64::from(sext(a, u32::from(i.x)) < sext(b, u32::from(i.x))))
                    }
                    Op::SetSle32 => binary!(|a, b| u64::from(a as i32 <= b as i32)),
                    Op::SetSle64 => binary!(|a, b| u64::from(a as i64 <= b as i64)),
                    Op::SetSleN => {
                        binary!(|a, b| u64::from(
                            sext(a, u32::from(i.x)) <= sext(b, u32::from(i.x))
                        ))
                    }
                    Op::SetEqI => unsigned!(|a, b| u64::from(a == b)),
                    Op::SetNeI => unsigned!(|a, b| u64::from(a != b)),
                    Op::SetUltI => unsigned!(|a, b| u64::from(a < b)),
                    Op::SetUgtI => unsigned!(|a, b| u64::from(a > b)),
                    Op::SetSlt32I => immediate!(|a, b| u64::from((a as i32) < b as i32)),
                    Op::SetSlt64I => immediate!(|a, b| u64::from((a as i64) < b as i64)),
                    Op::SetSltNI => {
                        immediate!(|a, b| u64::from(sext(a, u32::from(i.x)) < b as i64))
                    }
                    Op::SetSgt32I => immediate!(|a, b| u64::from(a as i32 > b as i32)),
                    Op::SetSgt64I => immediate!(|a, b| u64::from(a as i64 > b as i64)),
                    Op::SetSgtNI => {
                        immediate!(|a, b| u64::from(sext(a, u32::from(i.x)) > b as i64))
                    }
                    Op::BrEq => branch!(|a, b| a == b),
                    Op::BrNe => branch!(|a, b| a != b),
                    Op::BrUlt => branch!(|a, b| a < b),
                    Op::BrUle => branch!(|a, b| a <= b),
                    Op::BrSlt32 => branch!(|a, b| (a as i32) < b as i32),
                    Op::BrSlt64 => branch!(|a, b| (a as i64) < b as i64),
                    Op::BrSle32 => branch!(|a, b| a as i32 <= b as i32),
                    Op::BrSle64 => branch!(|a, b| a as i64 <= b as i64),
                    Op::BrEqI => branch_unsigned!(|a, b| a == b),
                    Op::BrNeI => branch_unsigned!(|a, b| a != b),
                    Op::BrUltI => branch_unsigned!(|a, b| a < b),
                    Op::BrUgtI => branch_unsigned!(|a, b| a > b),
                    Op::BrSlt32I => branch_immediate!(|a, b| (a as i32) < b as i32),
                    Op::BrSlt64I => branch_immediate!(|a, b| (a as i64) < b as i64),
                    Op::BrSgt32I => branch_immediate!(|a, b| a as i32 > b as i32),
                    Op::BrSgt64I => branch_immediate!(|a, b| a as i64 > b as i64),
                    Op::Load8 => load!(read8, r!(i.a).wrapping_add(i.signed())),
                    Op::Load16 => load!(read16, r!(i.a).wrapping_add(i.signed())),
                    Op::Load32 => load!(read32, r!(i.a).wrapping_add(i.signed())),
                    Op::Load64 => load!(read64, r!(i.a).wrapping_add(i.signed())),
                    Op::LoadX8 => load_indexed!(read8),
                    Op::LoadX16 => load_indexed!(read16),
                    Op::LoadX32 => load_indexed!(read32),
                    Op::LoadX64 => load_indexed!(read64),
                    Op::LoadAbs8 => load_absolute!(read8),
                    Op::LoadAbs16 => load_absolute!(read16),
                    Op::LoadAbs32 => load_absolute!(read32),
                    Op::LoadAbs64 => load_absolute!(read64),
                    Op::Store8 => store!(write8),
                    Op::Store16 => store!(write16),
                    Op::Store32 => store!(write32),
                    Op::Store64 => store!(write64),
                    Op::Store8I => store_immediate!(write8),
                    Op::Store16I => store_immediate!(write16),
                    Op::Store32I => store_immediate!(write32),
                    Op::Store64I => store_immediate!(write64),
                    Op::StoreX8 => store_indexed!(write8),
                    Op::StoreX16 => store_indexed!(write16),
                    Op::StoreX32 => store_indexed!(write32),
                    Op::StoreX64 => store_indexed!(write64),
                    Op::StoreAbs8 => store_absolute!(write8),
                    Op::StoreAbs16 => store_absolute!(write16),
                    Op::StoreAbs32 => store_absolute!(write32),
                    Op::StoreAbs64 => store_absolute!(write64),
                    Op::FAdd32 => binary!(|a, b| u64::from((single(a) + single(b)).to_bits())),
                    Op::FAdd64 => binary!(|a, b| (double(a) + double(b)).to_bits()),
                    Op::FSub32 => binary!(|a, b| u64::from((single(a) - single(b)).to_bits())),
                    Op::FSub64 => binary!(|a, b| (double(a) - double(b)).to_bits()),
                    Op::FMul32 => binary!(|a, b| u64::from((single(a) * single(b)).to_bits())),
                    Op::FMul64 => binary!(|a, b| (double(a) * double(b)).to_bits()),
                    Op::FDiv32 => binary!(|a, b| u64::from((single(a) / single(b)).to_bits())),
                    Op::FDiv64 => binary!(|a, b| (double(a) / double(b)).to_bits()),
                    Op::FRem32 => binary!(|a, b| u64::from((single(a) % single(b)).to_bits())),
                    Op::FRem64 => binary!(|a, b| (double(a) % double(b)).to_bits()),
                    Op::UDiv | Op::URem => {
                        if is_symbolic!(i.a, i.b) {
                            symbolic!();
                        }
                        let (a, b) = (r!(i.a), r!(i.b));
                        if b == 0 {
                            slow!(Err(self.division_by_zero(state)))
                        }
                        set!(i.dst, if i.op == Op::UDiv { a / b } else { a % b });
                        next!(1)
                    }
                    Op::SDiv | Op::SRem => {
                        if is_symbolic!(i.a, i.b) {
                            symbolic!();
                        }
                        let (a, b) = (sext(r!(i.a), width), sext(r!(i.b), width));
                        if b == 0 {
                            slow!(Err(self.division_by_zero(state)))
                        }
                        if b == -1 && a == sext(1 << (width - 1), width) {
                            slow!(Err(self.division_overflow(state)))
                        }
                        let value = if i.op == Op::SDiv { a / b } else { a % b };
                        set!(i.dst, value as u64 & mask(width));
                        next!(1)
                    }
                    Op::Select => {
                        if is_symbolic!(i.a) {
                            symbolic!();
                        }
                        // SAFETY: see the module's words.
                        unsafe {
                            let other = (*ip.add(1)).a;
                            let chosen = if *registers.add(i.a as usize) & 1 == 1 {
                                i.b
                            } else {
                                other
                            };
                            *registers.add(i.dst as usize) = *registers.add(chosen as usize);
                            if SYM {
                                *tags.add(i.dst as usize) = *tags.add(chosen as usize);
                            }
                        }
                        next!(2)
                    }
                    Op::BrIf => {
                        if is_symbolic!(i.a) {
                            symbolic!();
                        }
                        decide!(r!(i.a) & 1 == 1)
                    }
                    Op::BrUnless => {
                        if is_symbolic!(i.a) {
                            symbolic!();
                        }
                        decide!(r!(i.a) & 1 == 0)
                    }
                    Op::Jump => take!(),
                    Op::Switch => {
                        if is_symbolic!(i.a) {
                            symbolic!();
                        }
                        let table = &self.covered.functions[function as usize].tables[i.b as usize];
                        let target = table.target(r!(i.a));
                        if target & NEVER_REACHED != 0 {
                            slow!(self.switch_to(state, i, target & !NEVER_REACHED));
                        }
                        executed += u64::from(table.count);
                        jump!(target as usize * size_of::<Instr>())
                    }
                    Op::Trunc => unary!(|a| a & mask(width)),
                    Op::SExt32 => unary!(|a| u64::from(sext(a, width) as u32)),
                    Op::SExt64 => unary!(|a| sext(a, width) as u64),
                    Op::SExtN => unary!(|a| sext(a, width) as u64 & mask(i.b)),
                    Op::Lea => binary!(|a, b| a.wrapping_add(b.wrapping_mul(u64::from(i.x)))),
                    Op::LoadN => {
                        if is_symbolic!(i.a) {
                            symbolic!();
                        }
                        slow!(self.load(terms, state, i))
                    }
                    Op::StoreN => {
                        if is_symbolic!(i.a, i.b) {
                            symbolic!();
                        }
                        slow!(self.store(terms, state, i))
                    }
                    Op::UMin => binary!(|a, b| a.min(b)),
                    Op::UMax => binary!(|a, b| a.max(b)),
                    Op::SMin => {
                        binary!(|a, b| sext(a, width).min(sext(b, width)) as u64 & mask(width))
                    }
                    Op::SMax => {
                        binary!(|a, b| sext(a, width).max(sext(b, width)) as u64 & mask(width))
                    }
                    Op::UAddSat => binary!(|a, b| a.saturating_add(b).min(mask(width))),
                    Op::USubSat => binary!(|a, b| a.saturating_sub(b)),
                    Op::SAddSat => binary!(|a, b| {
                        clamp(
                            i128::from(sext(a, width)) + i128::from(sext(b, width)),
                            width,
                        )
                    }),
                    Op::SSubSat => binary!(|a, b| {
                        clamp(
                            i128::from(sext(a, width)) - i128::from(sext(b, width)),
                            width,
                        )
                    }),
                    Op::UAddO => overflowing!(|a, b| {
                        let sum = u128::from(a) + u128::from(b);
                        (sum as u64 & mask(width), sum > u128::from(mask(width)))
                    }),
                    Op::USubO => overflowing!(|a, b| (a.wrapping_sub(b) & mask(width), a < b)),
                    Op::UMulO => overflowing!(|a, b| {
                        let product = u128::from(a) * u128::from(b);
                        (
                            product as u64 & mask(width),
                            product > u128::from(mask(width)),
                        )
                    }),
                    Op::SAddO => overflowing!(|a, b| {
                        fit(
                            i128::from(sext(a, width)) + i128::from(sext(b, width)),
                            width,
                        )
                    }),
                    Op::SSubO => overflowing!(|a, b| {
                        fit(
                            i128::from(sext(a, width)) - i128::from(sext(b, width)),
                            width,
                        )
                    }),
                    Op::SMulO => overflowing!(|a, b| {
                        fit(
                            i128::from(sext(a, width)) * i128::from(sext(b, width)),
                            width,
                        )
                    }),
                    Op::CtPop => unary!(|a| u64::from(a.count_ones())),
                    Op::Ctlz => unary!(|a| u64::from(a.leading_zeros() - (64 - width))),
                    Op::Cttz => unary!(|a| u64::from(a.trailing_zeros().min(width))),
                    Op::BSwap => unary!(|a| a.swap_bytes() >> (64 - width)),
                    Op::BitReverse => unary!(|a| a.reverse_bits() >> (64 - width)),
                    Op::Abs => unary!(|a| sext(a, width).wrapping_abs() as u64 & mask(width)),
                    Op::FShl | Op::FShr => {
                        // SAFETY: see the module's words.
                        let by = unsafe { (*ip.add(1)).a };
                        if is_symbolic!(i.a, i.b, by) {
                            symbolic!();
                        }
                        let by = r!(by) % u64::from(width);
                        let both = u128::from(r!(i.a)) << width | u128::from(r!(i.b));
                        let value = if i.op == Op::FShl {
                            (both << by) >> width
                        } else {
                            both >> by
                        };
                        set!(i.dst, value as u64 & mask(width));
                        next!(2)
                    }
                    Op::FNeg32 => unary!(|a| a ^ 1 << 31),
                    Op::FNeg64 => unary!(|a| a ^ 1 << 63),
                    Op::FCmp32 => binary!(|a, b| {
                        u64::from(i.x & float_order(single(a).partial_cmp(&single(b))) != 0)
                    }),
                    Op::FCmp64 => binary!(|a, b| {
                        u64::from(i.x & float_order(double(a).partial_cmp(&double(b))) != 0)
                    }),
                    Op::F32ToS => unary!(|a| to_signed(f64::from(single(a)), width)),
                    Op::F64ToS => unary!(|a| to_signed(double(a), width)),
                    Op::F32ToU => unary!(|a| to_unsigned(f64::from(single(a)), width)),
                    Op::F64ToU => unary!(|a| to_unsigned(double(a), width)),
                    Op::SToF32 => unary!(|a| u64::from((sext(a, width) as f32).to_bits())),
                    Op::SToF64 => unary!(|a| (sext(a, width) as f64).to_bits()),
                    Op::UToF32 => unary!(|a| u64::from((a as f32).to_bits())),
                    Op::UToF64 => unary!(|a| (a as f64).to_bits()),
                    Op::F32ToF64 => unary!(|a| f64::from(single(a)).to_bits()),
                    Op::F64ToF32 => unary!(|a| u64::from((double(a) as f32).to_bits())),
                    Op::Alloca => slow!(self.alloca(state, i)),
                    Op::AllocaN => slow!(self.alloca_many(state, i)),
                    Op::Call => slow!(self.call(terms, state, i)),
                    Op::CallIndirect => slow!(self.call_indirect(terms, state, i)),
                    Op::CallNative => slow!(self.call_native(terms, state, i)),
                    Op::Ret | Op::RetVoid => {
                        executed += u64::from(if i.op == Op::Ret { i.b } else { u32::from(i.x) });
                        slow!(self.ret(terms, state, i))
                    }
                    Op::Resume => slow!(self.resume(terms, state, i)),
                    Op::Unreachable => slow!(Err(self.unreachable(state))),
                    Op::Slow => slow!(self.rare(terms, state, i)),
                    Op::Count => {
                        executed += u64::from(i.a);
                        next!(1)
                    }
                    // Stepped over by the instruction before.
                    Op::More => next!(1),
                }
            };
            // What was done there, for all of them at one place: this code would be most of the loop otherwise.
            executed = state.instructions;
            if let Err(halt) = done {
                return Left::Stop(halt.into());
            }
            if state.keep_answers {
                state.keep_answers = false;
            } else {
                state.answers.clear();
            }
            state.asked = 0;
            // Calls alone can take for ever, without a jump.
            if executed >= limit {
                return Left::Stop(Stop::OutOfFuel);
            }
            reload!();
        }
    }
}

#[inline(always)]
fn single(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

#[inline(always)]
fn double(bits: u64) -> f64 {
    f64::from_bits(bits)
}

/// A shift by the width or more is undefined; here it gives what the term of the same name gives.
#[inline(always)]
fn shift_left(a: u64, by: u64, width: u32) -> u64 {
    if by < u64::from(width) {
        a << by & mask(width)
    } else {
        0
    }
}

#[inline(always)]
fn shift_right(a: u64, by: u64, width: u32) -> u64 {
    let by = by.min(u64::from(width) - 1);
    (sext(a, width) >> by) as u64 & mask(width)
}

/// Into the range of a signed integer.
fn clamp(value: i128, width: u32) -> u64 {
    let high = (1i128 << (width - 1)) - 1;
    value.clamp(-high - 1, high) as u64 & mask(width)
}

fn fit(value: i128, width: u32) -> (u64, bool) {
    let high = (1i128 << (width - 1)) - 1;
    (
        value as u64 & mask(width),
        value > high || value < -high - 1,
    )
}

/// The bits of a predicate that an order satisfies.
pub(super) fn float_order(order: Option<std::cmp::Ordering>) -> u16 {
    match order {
        Some(std::cmp::Ordering::Equal) => 1,
        Some(std::cmp::Ordering::Greater) => 2,
        Some(std::cmp::Ordering::Less) => 4,
        None => 8,
    }
}

/// Out of range is undefined; here as the processor does it.
fn to_signed(value: f64, width: u32) -> u64 {
    let high = if width > 32 { 63 } else { 31 };
    let in_range = value.trunc() >= -(2f64.powi(high)) && value.trunc() < 2f64.powi(high);
    let converted = if in_range {
        value as i64
    } else {
        i64::MIN >> (63 - high)
    };
    converted as u64 & mask(width)
}

fn to_unsigned(value: f64, width: u32) -> u64 {
    if width < 64 {
        return to_signed(value, 64) & mask(width);
    }
    if value >= 9_223_372_036_854_775_808.0 {
        value as u64
    } else {
        to_signed(value, 64)
    }
}
