//! Register code: what lowering makes of a function and the machine runs.
//!
//! A frame is a window of 64-bit slots. Every value is cut into scalars of at most 64 bits, one slot each, kept
//! zero-extended: vectors and structures element by element, wide integers word by word. An instruction is 16 bytes
//! with a destination and two operands; what is rare goes through [`Op::Slow`] and a descriptor. The source's
//! instructions are counted by the branch that ends their block.

mod op;
mod slow;
mod table;

pub use op::{Addressing, Encoding, Fields, Op, Width};
pub(crate) use op::{has_no_width, immediates, is_safe};
pub use slow::{Calculation, FloatCheck, MathFn, Slow, Special};
pub(crate) use table::opcodes;

use std::ops::Range;

use crate::ir::LocId;
pub use crate::ops::word64::{mask, sext};

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

    /// Where a branch or jump leads to, in bytes from the start of the code. The bits that say which edges are not
    /// covered yet are shifted out.
    #[inline(always)]
    pub fn target_bytes(self) -> usize {
        const { assert!(size_of::<Instr>() == 16) };
        (self.dst << 4) as usize
    }

    /// Where a branch or jump leads to.
    pub fn target(self) -> u32 {
        self.dst & !(NEVER_TAKEN | NEVER_FELL_THROUGH)
    }

    /// `b` as a signed immediate.
    #[inline(always)]
    pub fn signed(self) -> u64 {
        self.b as i32 as i64 as u64
    }

    /// `dst` as a signed immediate.
    #[inline(always)]
    pub fn signed_dst(self) -> u64 {
        self.dst as i32 as i64 as u64
    }
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

    /// The exponent of the largest numbers.
    pub fn largest_exponent(self) -> u32 {
        match self {
            Format::Half => 15,
            Format::BFloat | Format::Single => 127,
            Format::Double => 1023,
            Format::X87 | Format::Quad => 16383,
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
    /// The result is not used.
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
    /// Where it can lead to, each place once, in the order of the conditions that a symbolic value is asked about; the
    /// last one is the default.
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
    /// Stack objects that are floats of so many bits, by the program counter of their allocation; sorted.
    pub floats: Vec<(u32, u32)>,
    /// Loads of pointers; sorted.
    pub pointers: Vec<u32>,
    /// Blocks of the source by the program counter they start at; sorted.
    pub blocks: Vec<u32>,
    /// Edges between blocks that the machine can see being taken; sorted by instruction and way.
    pub edges: Vec<Edge>,
    /// By block: control goes on to the next block without an edge that the machine could see.
    pub follows: Vec<bool>,
    /// Moves of an edge that stand behind the blocks: where they start, and the block they lead to; sorted.
    pub trampolines: Vec<(u32, u32)>,
    /// Calls of functions: where they are, and which instruction of its block each is; sorted.
    pub sites: Vec<(u32, u32)>,
    /// Which instruction of its block code is made of, from this program counter on; sorted. See [`Code::point`].
    pub insts: Vec<(u32, u32)>,
}

/// An edge from one block of the source to another, and the instruction that takes it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Edge {
    /// The branch, jump or switch.
    pub pc: u32,
    /// [`Edge::NOT_TAKEN`], [`Edge::TAKEN`], or where a switch leads to.
    pub way: u32,
    pub from: u32,
    pub to: u32,
    /// One of several outcomes of a branch or a switch, rather than its only successor.
    pub is_outcome: bool,
}

impl Edge {
    pub const NOT_TAKEN: u32 = 0;
    pub const TAKEN: u32 = 1;
}

/// Instructions that a function may have: the place of one fits into the low bits of `dst`, also when it is counted
/// in bytes.
pub const MOST_INSTRS: usize = 1 << 28;
/// In `dst` of a branch or jump that is run: it has not been taken so far.
pub const NEVER_TAKEN: u32 = 1 << 31;
/// The same, not taken.
pub const NEVER_FELL_THROUGH: u32 = 1 << 30;
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
        let block = self.block(pc);
        let first = self.trampolines.first();
        let inst = self.insts.partition_point(|&(from, _)| from <= pc);
        match inst.checked_sub(1).map(|last| self.insts[last]) {
            Some((start, number)) if first.is_none_or(|&(trampoline, _)| pc < trampoline) => {
                (block, number + self.asking(start..pc))
            }
            _ => (block, 0),
        }
    }

    /// The block of a point.
    pub fn block(&self, pc: u32) -> u32 {
        let last = |from: usize| from.checked_sub(1);
        match last(self.trampolines.partition_point(|&(from, _)| from <= pc)) {
            Some(index) => self.trampolines[index].1,
            None => last(self.blocks.partition_point(|&from| from <= pc)).unwrap_or(0) as u32,
        }
    }

    /// The instruction at a point that can ask, or the first there or behind it.
    pub fn asking_at(&self, block: u32, instruction: u32) -> Option<u32> {
        let start = *self.blocks.get(block as usize)?;
        let next = self.blocks.get(block as usize + 1).copied();
        let trampoline = self.trampolines.first().map(|&(pc, _)| pc);
        let end = next.or(trampoline).unwrap_or(self.instrs.len() as u32);
        let first = (start..end).find(|&pc| self.point(pc) >= (block, instruction))?;
        let mut there = (first..end).take_while(|&pc| self.point(pc) == (block, instruction));
        Some(there.find(|&pc| self.can_ask(pc)).unwrap_or(first))
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
        match instr.op.encoding() {
            Encoding::Slow => match &self.slow[instr.a as usize] {
                Slow::Int { op, .. } => !op.errors().is_empty(),
                Slow::ExtractLane { .. }
                | Slow::InsertLane { .. }
                | Slow::VaStart { .. }
                | Slow::CheckFloat(_)
                | Slow::FrameAddress { .. } => true,
                _ => false,
            },
            Encoding::Int(op, ..) => !op.errors().is_empty(),
            Encoding::Branch(..)
            | Encoding::BranchIf(_)
            | Encoding::Switch
            | Encoding::Load(..)
            | Encoding::LoadBits
            | Encoding::Store(..)
            | Encoding::StoreImmediate(_)
            | Encoding::StoreBytes
            | Encoding::Call
            | Encoding::CallIndirect
            | Encoding::CallNative
            | Encoding::AllocaMany
            | Encoding::Return
            | Encoding::Resume => true,
            _ => false,
        }
    }
}
