//! Register code: what lowering makes of a function and the machine runs.
//!
//! A frame is a window of 64-bit slots. Every value is cut into scalars of at most 64 bits, one slot each, kept
//! zero-extended: vectors and structures element by element, wide integers word by word. An instruction is 16 bytes
//! with a destination and two operands; what is rare goes through [`Op::Slow`] and a descriptor. The source's
//! instructions are counted by the branch that ends their block.

use std::ops::Range;

use crate::ir::{BinaryOp, CastOp, FCmpPredicate, ICmpPredicate, LocId};

/// One instruction. Which fields mean what, the operation says.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Instr {
    pub op: Op,
    pub x: u16,
    pub dst: u32,
    pub a: u32,
    pub b: u32,
}

impl Instr {
    pub fn new(op: Op, x: u16, dst: u32, a: u32, b: u32) -> Instr {
        Instr { op, x, dst, a, b }
    }

    /// The 64-bit immediate of [`Op::Imm`] and of absolute addresses.
    #[inline(always)]
    pub fn wide(self) -> u64 {
        u64::from(self.b) << 32 | u64::from(self.a)
    }

    /// Where a branch or jump leads to, in bytes from the start of the code. What it says of ways that were never
    /// gone is beyond the highest bit.
    #[inline(always)]
    pub fn target_bytes(self) -> usize {
        const { assert!(size_of::<Instr>() == 16) };
        (self.dst << 4) as usize
    }

    /// Where a branch or jump leads to.
    pub fn target(self) -> u32 {
        self.dst & !(NEVER_TAKEN | NEVER_PASSED)
    }

    /// `b` as a signed immediate.
    #[inline(always)]
    pub fn signed(self) -> u64 {
        self.b as i32 as i64 as u64
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u16)]
#[rustfmt::skip]
pub enum Op {
    // Moves: `dst = a`, `dst = b:a` as an immediate.
    Mov, Imm,
    // Add: registers, then `b` an immediate; of 32, 64 and `x` bits.
    Add32, Add64, AddN, Add32I, Add64I, AddNI,
    // Sub: registers, then `b` an immediate; of 32, 64 and `x` bits.
    Sub32, Sub64, SubN, Sub32I, Sub64I, SubNI,
    // Mul: registers, then `b` an immediate; of 32, 64 and `x` bits.
    Mul32, Mul64, MulN, Mul32I, Mul64I, MulNI,
    // Shl: registers, then `b` an immediate; of 32, 64 and `x` bits.
    Shl32, Shl64, ShlN, Shl32I, Shl64I, ShlNI,
    // AShr: registers, then `b` an immediate; of 32, 64 and `x` bits.
    AShr32, AShr64, AShrN, AShr32I, AShr64I, AShrNI,
    // Of any width, since values are zero-extended.
    LShr, LShrI, And, AndI, Or, OrI, Xor, XorI, UDiv, UDivI, URem, URemI,
    // Signed division of `x` bits.
    SDiv, SDivI, SRem, SRemI,
    // Comparisons: unsigned immediates are zero-extended, signed ones sign-extended.
    SetEq, SetNe, SetUlt, SetUle, SetSlt32, SetSlt64, SetSltN, SetSle32, SetSle64, SetSleN, SetEqI,
    SetNeI, SetUltI, SetUgtI, SetSlt32I, SetSlt64I, SetSltNI, SetSgt32I, SetSgt64I, SetSgtNI,
    // The same as branches: to `dst` if it holds, else to the next instruction. `x` counts instructions of the block.
    BrEq, BrNe, BrUlt, BrUle, BrSlt32, BrSlt64, BrSle32, BrSle64, BrEqI, BrNeI, BrUltI, BrUgtI,
    BrSlt32I, BrSlt64I, BrSgt32I, BrSgt64I,
    // `dst = a != 0 ? b : next.a`; takes two instructions' room.
    Select,
    // To `dst` if bit `a` is set, if it is not.
    BrIf, BrUnless,
    // To `dst`.
    Jump,
    // `a` selects in jump table `b`.
    Switch,
    // `dst = a` cut to `x` bits; sign-extended from `x` bits to 32, to 64, to `b` bits.
    Trunc, SExt32, SExt64, SExtN,
    // `dst = a + b * x`.
    Lea,
    // `dst = [a + b]`, `b` signed.
    Load8, Load16, Load32, Load64,
    // `dst = [a + b * x]`.
    LoadX8, LoadX16, LoadX32, LoadX64,
    // `dst = [b:a]`.
    LoadAbs8, LoadAbs16, LoadAbs32, LoadAbs64,
    // `dst = [a + b]` of `next.a` bytes, cut to `x` bits.
    LoadN,
    // `[a + dst] = b`, `dst` signed.
    Store8, Store16, Store32, Store64,
    // `[a + dst] = b`, an immediate.
    Store8I, Store16I, Store32I, Store64I,
    // `[a + b * x] = dst`.
    StoreX8, StoreX16, StoreX32, StoreX64,
    // `[b:a] = dst`.
    StoreAbs8, StoreAbs16, StoreAbs32, StoreAbs64,
    // `[a + dst] = b` of `x` bytes.
    StoreN,
    // `dst = a op b` of `x` bits.
    UMin, UMax, SMin, SMax,
    UAddSat, USubSat, SAddSat, SSubSat,
    // The same with the overflow bit in `dst + 1`.
    UAddO, USubO, UMulO, SAddO, SSubO, SMulO,
    // `dst = op a` of `x` bits.
    CtPop, Ctlz, Cttz, BSwap, BitReverse, Abs,
    // `dst = a:b` shifted by `next.a`, of `x` bits; takes two instructions' room.
    FShl, FShr,
    // Floats: bits in, bits out.
    FAdd32, FSub32, FMul32, FDiv32, FRem32,
    FAdd64, FSub64, FMul64, FDiv64, FRem64,
    FNeg32, FNeg64,
    // `x` is the predicate.
    FCmp32, FCmp64,
    // `x` bits on the side of the integer.
    F32ToS, F32ToU, F64ToS, F64ToU, SToF32, UToF32, SToF64, UToF64, F32ToF64, F64ToF32,
    // A new object of `wide` bytes in `dst`, aligned to `1 << x`; its name is in the function's table.
    Alloca,
    // The same of `a` times `next.a` bytes.
    AllocaN,
    // Function `a` with the arguments of call `b`; results from `dst` on.
    Call,
    // The address in `a`.
    CallIndirect,
    // A function of the machine's own.
    CallNative,
    // `x` slots from `a` on.
    Ret,
    RetVoid,
    // Goes on unwinding with the exception in `a`.
    Resume,
    Unreachable,
    // Descriptor `a`.
    Slow,
    // Counts `a` instructions, where a block is too long for its branch to.
    Count,
    // The second half of an instruction that takes two.
    More,
}

/// How an operation of two operands takes its second, and its width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Binary {
    pub op: BinaryOp,
    pub width: u32,
    pub immediate: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Compare {
    pub predicate: ICmpPredicate,
    pub width: u32,
    pub immediate: Option<u64>,
}

impl Op {
    fn within(self, first: Op, last: Op) -> Option<u16> {
        ((first as u16..=last as u16).contains(&(self as u16))).then(|| self as u16 - first as u16)
    }
}

impl Instr {
    /// The integer operation this is, if it is one of two operands. The width is what its terms must have at least.
    pub fn binary(self) -> Option<Binary> {
        use BinaryOp::*;
        if let Some(index) = self.op.within(Op::Add32, Op::AShrNI) {
            let op = [Add, Sub, Mul, Shl, AShr][usize::from(index / 6)];
            let width = [32, 64, u32::from(self.x)][usize::from(index % 3)];
            let immediate = (index % 6 >= 3).then(|| self.signed() & mask(width));
            return Some(Binary {
                op,
                width,
                immediate,
            });
        }
        if let Some(index) = self.op.within(Op::LShr, Op::URemI) {
            let op = [LShr, And, Or, Xor, UDiv, URem][usize::from(index / 2)];
            let immediate = (index % 2 == 1).then_some(u64::from(self.b));
            let width = u32::from(self.x);
            return Some(Binary {
                op,
                width,
                immediate,
            });
        }
        if let Some(index) = self.op.within(Op::SDiv, Op::SRemI) {
            let op = [SDiv, SRem][usize::from(index / 2)];
            let width = u32::from(self.x);
            let immediate = (index % 2 == 1).then(|| self.signed() & mask(width));
            return Some(Binary {
                op,
                width,
                immediate,
            });
        }
        None
    }

    /// The comparison this is or branches on. Equality and unsigned order hold at any width.
    pub fn compare(self) -> Option<Compare> {
        use ICmpPredicate::*;
        let odd = u32::from(self.x);
        if let Some(index) = self.op.within(Op::SetEq, Op::SetSgtNI) {
            let kinds = [
                (Eq, 64, false),
                (Ne, 64, false),
                (Ult, 64, false),
                (Ule, 64, false),
                (Slt, 32, false),
                (Slt, 64, false),
                (Slt, odd, false),
                (Sle, 32, false),
                (Sle, 64, false),
                (Sle, odd, false),
                (Eq, 64, true),
                (Ne, 64, true),
                (Ult, 64, true),
                (Ugt, 64, true),
                (Slt, 32, true),
                (Slt, 64, true),
                (Slt, odd, true),
                (Sgt, 32, true),
                (Sgt, 64, true),
                (Sgt, odd, true),
            ];
            return Some(self.comparison(kinds[usize::from(index)]));
        }
        let kinds = [
            (Eq, 64, false),
            (Ne, 64, false),
            (Ult, 64, false),
            (Ule, 64, false),
            (Slt, 32, false),
            (Slt, 64, false),
            (Sle, 32, false),
            (Sle, 64, false),
            (Eq, 64, true),
            (Ne, 64, true),
            (Ult, 64, true),
            (Ugt, 64, true),
            (Slt, 32, true),
            (Slt, 64, true),
            (Sgt, 32, true),
            (Sgt, 64, true),
        ];
        let index = self.op.within(Op::BrEq, Op::BrSgt64I)?;
        Some(self.comparison(kinds[usize::from(index)]))
    }

    fn comparison(self, (predicate, width, immediate): (ICmpPredicate, u32, bool)) -> Compare {
        let signed = matches!(
            predicate,
            ICmpPredicate::Slt | ICmpPredicate::Sle | ICmpPredicate::Sgt
        );
        let value = if signed {
            self.signed() & mask(width)
        } else {
            u64::from(self.b)
        };
        Compare {
            predicate,
            width,
            immediate: immediate.then_some(value),
        }
    }
}

/// The low `width` bits.
#[inline(always)]
pub fn mask(width: u32) -> u64 {
    if width >= 64 { !0 } else { !(!0 << width) }
}

/// A value of `width` bits, sign-extended.
#[inline(always)]
pub fn sext(value: u64, width: u32) -> i64 {
    let shift = 64 - width.clamp(1, 64);
    ((value << shift) as i64) >> shift
}

/// Where an operand comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Src {
    Reg(u32),
    Const(u64),
}

/// A floating-point format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Half,
    BFloat,
    Single,
    Double,
    X87,
    Quad,
}

impl Format {
    pub fn bits(self) -> u32 {
        match self {
            Format::Half | Format::BFloat => 16,
            Format::Single => 32,
            Format::Double => 64,
            Format::X87 => 80,
            Format::Quad => 128,
        }
    }
}

/// One argument of a call: its words, and what a variadic callee must know of its type.
#[derive(Clone, Debug)]
pub struct Arg {
    pub words: Vec<Src>,
    pub class: ArgClass,
    /// Where each word of an aggregate lies in memory, and its bytes there.
    pub layout: Vec<(u64, u32)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArgClass {
    /// An integer or pointer of so many bits.
    Int(u32),
    Float(Format),
    /// The callee gets a copy of so many bytes, so aligned.
    ByValue {
        size: u64,
        align: u64,
    },
    /// A structure or vector in slots, so big in memory.
    Aggregate {
        size: u64,
    },
}

/// The arguments of one call site and the shape of its result.
#[derive(Clone, Debug)]
pub struct CallSite {
    pub args: Vec<Arg>,
    /// How many arguments are named by the callee's type; the rest are variadic.
    pub fixed: usize,
    pub variadic: bool,
    /// Slots of the result.
    pub results: u32,
    /// What the result is, if it is one scalar.
    pub result: Option<ArgClass>,
    /// Nobody looks at the result.
    pub is_ignored: bool,
}

impl CallSite {
    /// The bits of a result that is one integer of one word; 64 for anything else.
    pub fn result_bits(&self) -> u32 {
        match self.result {
            Some(ArgClass::Int(bits)) => bits.min(64),
            _ => 64,
        }
    }
}

/// One case of a switch: every value that leads to `target`.
#[derive(Clone, Debug)]
pub struct JumpTable {
    pub width: u32,
    /// Sorted by value. Values of more than 64 bits are compared before (see lowering).
    pub cases: Vec<(u64, u32)>,
    /// Targets by value from `low` on, where the values are dense.
    pub dense: Option<(u64, Vec<u32>)>,
    pub default: u32,
    pub count: u32,
}

impl JumpTable {
    /// Where it can lead to, each place once, in the order in which somebody who has to choose is asked; the last one
    /// is the default.
    pub fn targets(&self) -> Vec<u32> {
        let mut targets: Vec<u32> = Vec::new();
        for &(_, target) in &self.cases {
            if target != self.default && !targets.contains(&target) {
                targets.push(target);
            }
        }
        targets.push(self.default);
        targets
    }

    #[inline]
    pub fn target(&self, value: u64) -> u32 {
        if let Some((low, targets)) = &self.dense {
            let index = value.wrapping_sub(*low);
            return targets
                .get(index as usize)
                .copied()
                .filter(|_| index < targets.len() as u64)
                .unwrap_or(self.default);
        }
        match self.cases.binary_search_by_key(&value, |&(value, _)| value) {
            Ok(index) => self.cases[index].1,
            Err(_) => self.default,
        }
    }
}

/// What is too rare for an operation of its own.
#[derive(Clone, Debug)]
pub enum Slow {
    /// Integers of more than 64 bits.
    WideBinary {
        op: BinaryOp,
        width: u32,
        dst: u32,
        a: Vec<Src>,
        b: Vec<Src>,
    },
    WideCompare {
        predicate: ICmpPredicate,
        width: u32,
        dst: u32,
        a: Vec<Src>,
        b: Vec<Src>,
    },
    WideCast {
        op: CastOp,
        from: u32,
        to: u32,
        dst: u32,
        a: Vec<Src>,
    },
    /// An intrinsic on integers of more than 64 bits, or a rare one of any width.
    Intrinsic {
        name: IntIntrinsic,
        width: u32,
        dst: u32,
        args: Vec<Vec<Src>>,
    },
    /// Floats of a format that the processor does not compute in, or rare operations.
    FloatBinary {
        op: BinaryOp,
        format: Format,
        dst: u32,
        a: Vec<Src>,
        b: Vec<Src>,
    },
    FloatNeg {
        format: Format,
        dst: u32,
        a: Vec<Src>,
    },
    FloatCompare {
        predicate: FCmpPredicate,
        format: Format,
        dst: u32,
        a: Vec<Src>,
        b: Vec<Src>,
    },
    FloatCast {
        from: Format,
        to: Format,
        dst: u32,
        a: Vec<Src>,
    },
    FloatToInt {
        from: Format,
        to: u32,
        signed: bool,
        saturating: bool,
        dst: u32,
        a: Vec<Src>,
    },
    IntToFloat {
        from: u32,
        signed: bool,
        to: Format,
        dst: u32,
        a: Vec<Src>,
    },
    FloatMath {
        name: MathFn,
        format: Format,
        dst: u32,
        args: Vec<Vec<Src>>,
    },
    /// The same bits in scalars of other widths.
    Repack {
        from: Vec<(Src, u32)>,
        to: Vec<(u32, u32)>,
    },
    /// `dst.. = lanes[index]`, `words` slots a lane.
    ExtractLane {
        lanes: Vec<Src>,
        words: u32,
        index: Src,
        dst: u32,
    },
    InsertLane {
        lanes: Vec<Src>,
        words: u32,
        index: Src,
        value: Vec<Src>,
        dst: u32,
    },
    VaStart {
        list: Src,
    },
    StackSave {
        dst: u32,
    },
    StackRestore {
        a: Src,
    },
    /// The exception and its selector, at a landing pad.
    LandingPad {
        dst: u32,
    },
    FrameAddress {
        dst: u32,
        level: Src,
    },
    /// A signed calculation left its range, where that is asked for.
    Overflow,
    /// A shift by the width or more, where that is asked for.
    ShiftTooFar,
    /// A computed goto whose address is none of its labels'.
    BadGoto,
    /// Ends the path with these words.
    Unsupported(String),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IntIntrinsic {
    CtPop,
    Ctlz,
    Cttz,
    BSwap,
    BitReverse,
    Abs,
    FShl,
    FShr,
    UMin,
    UMax,
    SMin,
    SMax,
    UAddSat,
    USubSat,
    SAddSat,
    SSubSat,
    UShlSat,
    SShlSat,
    UAddO,
    USubO,
    UMulO,
    SAddO,
    SSubO,
    SMulO,
    /// -1, 0 or 1.
    UCmp,
    SCmp,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MathFn {
    Sqrt,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Pow,
    Powi,
    Exp,
    Exp2,
    Exp10,
    Log,
    Log2,
    Log10,
    Fma,
    FAbs,
    MinNum,
    MaxNum,
    Minimum,
    Maximum,
    CopySign,
    Floor,
    Ceil,
    Trunc,
    Rint,
    Round,
    RoundEven,
    LdExp,
    IsFpClass,
}

/// One clause of a landing pad, as the unwinder reads it.
#[derive(Clone, Debug)]
pub enum Clause {
    /// The address of the type caught; 0 catches all.
    Catch(u64),
    /// The types that may pass.
    Filter(Vec<u64>),
}

#[derive(Clone, Debug)]
pub struct LandingPad {
    pub pc: u32,
    pub cleanup: bool,
    pub clauses: Vec<Clause>,
}

/// A function, ready to run.
#[derive(Debug, Default)]
pub struct Code {
    pub instrs: Vec<Instr>,
    /// Slots of a frame.
    pub slots: u32,
    /// Slots of the parameters, which come first.
    pub params: u32,
    /// The bits of what each of them holds.
    pub param_bits: Vec<u32>,
    /// How many parameters have a name; arguments beyond them are variadic.
    pub named: u32,
    pub variadic: bool,
    pub calls: Vec<CallSite>,
    pub tables: Vec<JumpTable>,
    pub slow: Vec<Slow>,
    /// Landing pads by the program counter of the call that leads there; sorted.
    pub pads: Vec<(u32, LandingPad)>,
    /// Where code comes from: from this program counter on; sorted.
    pub locs: Vec<(u32, LocId)>,
    /// Names of stack objects (ids of the machine's strings), by the program counter of their allocation; sorted.
    pub names: Vec<(u32, u32)>,
    /// Blocks of the source by the program counter they start at; sorted.
    pub blocks: Vec<u32>,
    /// What leads from block to block and can be seen being taken; sorted by place and way.
    pub edges: Vec<Edge>,
    /// By block: whoever gets into it gets into the next one too, with nothing in between that could be seen.
    pub follows: Vec<bool>,
    /// Moves of an edge that stand behind the blocks: where they start, and the block they lead to; sorted.
    pub trampolines: Vec<(u32, u32)>,
    /// Calls of functions: where they are, and which instruction of its block each is; sorted.
    pub sites: Vec<(u32, u32)>,
    /// Which instruction of its block code is made of, from this program counter on; sorted. See [`Code::point`].
    pub insts: Vec<(u32, u32)>,
}

/// A way from one block of the source to another, and the instruction that takes it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Edge {
    /// The branch, jump or switch.
    pub pc: u32,
    /// [`Edge::PASSED`], [`Edge::TAKEN`], or where a switch leads to.
    pub way: u32,
    pub from: u32,
    pub to: u32,
    /// One of several outcomes of a branch or a switch, rather than the only way on.
    pub is_outcome: bool,
}

impl Edge {
    pub const PASSED: u32 = 0;
    pub const TAKEN: u32 = 1;
}

/// Instructions that a function may have: the place of one fits into the low bits of `dst`, also when it is counted
/// in bytes.
pub const MOST_INSTRS: usize = 1 << 28;
/// In `dst` of a branch or jump that is run: it has not been taken so far.
pub const NEVER_TAKEN: u32 = 1 << 31;
/// The same, passed by.
pub const NEVER_PASSED: u32 = 1 << 30;
/// In a target of a jump table that is run: it has not led there so far.
pub const NEVER_REACHED: u32 = 1 << 31;

impl Code {
    pub fn loc(&self, pc: u32) -> LocId {
        let after = self.locs.partition_point(|&(from, _)| from <= pc);
        after
            .checked_sub(1)
            .map_or(LocId(0), |index| self.locs[index].1)
    }

    /// The block of the source and the instruction of it that a program counter belongs to. Instructions for debuggers
    /// are not counted. One that is lowered into several that can ask counts as so many, so that no two of those share
    /// a point. Moves of an edge behind the blocks are at the start of the block that they lead to.
    pub fn point(&self, pc: u32) -> (u32, u32) {
        let last = |from: usize| from.checked_sub(1);
        if let Some(index) = last(self.trampolines.partition_point(|&(from, _)| from <= pc)) {
            return (self.trampolines[index].1, 0);
        }
        let block = last(self.blocks.partition_point(|&from| from <= pc));
        let inst = last(self.insts.partition_point(|&(from, _)| from <= pc));
        let (Some(block), Some(inst)) = (block, inst) else {
            return (0, 0);
        };
        let (start, number) = self.insts[inst];
        (block as u32, number + self.asking(start..pc))
    }

    /// How many of these instructions can ask.
    pub fn asking(&self, range: Range<u32>) -> u32 {
        range.filter(|&pc| self.can_ask(pc)).count() as u32
    }

    /// Whether an instruction can need to know something about a term.
    pub fn can_ask(&self, pc: u32) -> bool {
        let Some(instr) = self.instrs.get(pc as usize) else {
            return false;
        };
        match instr.op {
            Op::Slow => matches!(
                self.slow[instr.a as usize],
                Slow::WideBinary { .. }
                    | Slow::ExtractLane { .. }
                    | Slow::InsertLane { .. }
                    | Slow::VaStart { .. }
                    | Slow::FrameAddress { .. }
            ),
            Op::UDiv | Op::UDivI | Op::URem | Op::URemI => true,
            Op::SDiv | Op::SDivI | Op::SRem | Op::SRemI => true,
            Op::BrIf | Op::BrUnless | Op::Switch => true,
            Op::Call | Op::CallIndirect | Op::CallNative => true,
            Op::AllocaN | Op::Ret | Op::Resume => true,
            op => {
                op.within(Op::BrEq, Op::BrSgt64I).is_some()
                    || op.within(Op::Load8, Op::StoreN).is_some()
            }
        }
    }
}
