//! Opcodes: what each encodes, and which encodes an operation. Both are read off the table ([`super::table`]).

use std::collections::HashMap;
use std::sync::LazyLock;

use super::Instr;
use super::table::opcodes;
use crate::ops::word64::{mask, sext};
use crate::ops::{IntOp, Outcome};

/// What an opcode stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    Move,
    Immediate,
    /// `dst = op(fields)`.
    Int(IntOp, Width, Fields),
    /// A calculation of `x` bits, and the operation that says whether it overflows.
    Overflowing(IntOp, IntOp),
    /// To `dst` if `op(fields)` holds.
    Branch(IntOp, Width, Fields),
    BranchIf(bool),
    Jump,
    Switch,
    Select,
    Truncate,
    SignExtend(Width),
    Lea,
    /// Of so many bytes.
    Load(u32, Addressing),
    LoadBits,
    Store(u32, Addressing),
    StoreImmediate(u32),
    StoreBytes,
    Float,
    FloatCompare,
    FloatToInt,
    IntToFloat,
    FloatToFloat,
    Alloca,
    AllocaMany,
    Call,
    CallIndirect,
    CallNative,
    Return,
    ReturnVoid,
    Resume,
    Unreachable,
    Slow,
    Count,
    More,
}

/// Where the width of an operation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    Bits(u32),
    /// In the field `x`.
    X,
    /// In the field `x`, but words do not depend on it. A comparison has none.
    Any,
    /// In the field `b`.
    B,
}

impl Width {
    /// The width that words of an instruction are calculated with.
    pub fn of(self, i: Instr) -> u32 {
        match self {
            Width::Bits(bits) => bits,
            Width::X | Width::Any => u32::from(i.x),
            Width::B => i.b,
        }
    }
}

/// Where the operands of an operation are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fields {
    One,
    Two,
    Three,
    Signed,
    Unsigned,
}

impl Fields {
    /// The second operand, if it is an immediate.
    pub fn immediate(self, i: Instr) -> Option<u64> {
        match self {
            Fields::Signed => Some(i.signed()),
            Fields::Unsigned => Some(u64::from(i.b)),
            Fields::One | Fields::Two | Fields::Three => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Addressing {
    Offset,
    Indexed,
    Absolute,
}

macro_rules! define_op {
    (() $($op:ident = $family:ident($($arg:tt)*);)+) => {
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u16)]
        pub enum Op {
            $($op,)+
        }

        impl Op {
            pub const ALL: &[Op] = &[$(Op::$op),+];

            #[inline(always)]
            pub fn encoding(self) -> Encoding {
                // Made of the same rows as the opcodes.
                static ENCODINGS: [Encoding; Op::ALL.len()] = [$(encoding!($family($($arg)*))),+];
                ENCODINGS[self as usize]
            }
        }
    };
}

macro_rules! encoding {
    (mov()) => {
        Encoding::Move
    };
    (imm()) => {
        Encoding::Immediate
    };
    (int($op:ident, $width:tt, $fields:ident)) => {
        Encoding::Int(IntOp::$op, width!($width), fields!($fields))
    };
    (overflowing($op:ident, $overflow:ident)) => {
        Encoding::Overflowing(IntOp::$op, IntOp::$overflow)
    };
    (branch($op:ident, $width:tt, $fields:ident)) => {
        Encoding::Branch(IntOp::$op, width!($width), fields!($fields))
    };
    (branch_if($value:literal)) => {
        Encoding::BranchIf($value)
    };
    (jump()) => {
        Encoding::Jump
    };
    (switch()) => {
        Encoding::Switch
    };
    (select()) => {
        Encoding::Select
    };
    (truncate()) => {
        Encoding::Truncate
    };
    (sign_extend($to:tt)) => {
        Encoding::SignExtend(width!($to))
    };
    (lea()) => {
        Encoding::Lea
    };
    (load($bits:literal, $addressing:ident)) => {
        Encoding::Load($bits / 8, addressing!($addressing))
    };
    (load_bits()) => {
        Encoding::LoadBits
    };
    (store($bits:literal, $addressing:ident)) => {
        Encoding::Store($bits / 8, addressing!($addressing))
    };
    (store_immediate($bits:literal)) => {
        Encoding::StoreImmediate($bits / 8)
    };
    (store_bytes()) => {
        Encoding::StoreBytes
    };
    (float($format:ident, $op:tt)) => {
        Encoding::Float
    };
    (float_compare($format:ident)) => {
        Encoding::FloatCompare
    };
    (float_to_int($format:ident, $how:ident)) => {
        Encoding::FloatToInt
    };
    (int_to_float($sign:ident, $format:ident)) => {
        Encoding::IntToFloat
    };
    (float_to_float($from:ident, $to:ident)) => {
        Encoding::FloatToFloat
    };
    (alloca()) => {
        Encoding::Alloca
    };
    (alloca_many()) => {
        Encoding::AllocaMany
    };
    (call()) => {
        Encoding::Call
    };
    (call_indirect()) => {
        Encoding::CallIndirect
    };
    (call_native()) => {
        Encoding::CallNative
    };
    (ret()) => {
        Encoding::Return
    };
    (ret_void()) => {
        Encoding::ReturnVoid
    };
    (resume()) => {
        Encoding::Resume
    };
    (unreachable()) => {
        Encoding::Unreachable
    };
    (slow()) => {
        Encoding::Slow
    };
    (count()) => {
        Encoding::Count
    };
    (more()) => {
        Encoding::More
    };
}

macro_rules! width {
    (x) => {
        Width::X
    };
    (any) => {
        Width::Any
    };
    (b) => {
        Width::B
    };
    ($bits:literal) => {
        Width::Bits($bits)
    };
}

macro_rules! fields {
    (one) => {
        Fields::One
    };
    (two) => {
        Fields::Two
    };
    (three) => {
        Fields::Three
    };
    (signed) => {
        Fields::Signed
    };
    (unsigned) => {
        Fields::Unsigned
    };
}

macro_rules! addressing {
    (offset) => {
        Addressing::Offset
    };
    (indexed) => {
        Addressing::Indexed
    };
    (absolute) => {
        Addressing::Absolute
    };
}

opcodes!(define_op());

/// Opcodes by what they encode.
struct Encodings {
    calculations: HashMap<(IntOp, Fields), Vec<(Width, Op)>>,
    branches: HashMap<(IntOp, Fields), Vec<(Width, Op)>>,
    overflowing: HashMap<IntOp, Op>,
}

static ENCODINGS: LazyLock<Encodings> = LazyLock::new(|| {
    let mut encodings = Encodings {
        calculations: HashMap::new(),
        branches: HashMap::new(),
        overflowing: HashMap::new(),
    };
    for &code in Op::ALL {
        match code.encoding() {
            Encoding::Int(op, width, fields) => {
                let widths = encodings.calculations.entry((op, fields)).or_default();
                widths.push((width, code));
            }
            Encoding::Branch(op, width, fields) => {
                let widths = encodings.branches.entry((op, fields)).or_default();
                widths.push((width, code));
            }
            Encoding::Overflowing(_, overflow) => {
                encodings.overflowing.insert(overflow, code);
            }
            _ => {}
        }
    }
    encodings
});

/// The opcode for a width: one of its own is faster than one that looks it up.
fn for_width(widths: Option<&Vec<(Width, Op)>>, width: u32) -> Option<Op> {
    let widths = widths.filter(|_| (1..=64).contains(&width))?;
    let of = |wanted: Width| widths.iter().find(|&&(width, _)| width == wanted);
    let found = of(Width::Bits(width))
        .or_else(|| of(Width::Any))
        .or_else(|| of(Width::X));
    found.map(|&(_, code)| code)
}

impl Op {
    /// The opcode of an operation, with its operands in these fields.
    pub fn for_int(op: IntOp, width: u32, fields: Fields) -> Option<Op> {
        for_width(ENCODINGS.calculations.get(&(op, fields)), width)
    }

    /// The opcode of a branch on an operation.
    pub fn for_branch(op: IntOp, width: u32, fields: Fields) -> Option<Op> {
        for_width(ENCODINGS.branches.get(&(op, fields)), width)
    }

    /// The opcode of a calculation that also gives this overflow.
    pub fn for_overflow(overflow: IntOp) -> Option<Op> {
        ENCODINGS.overflowing.get(&overflow).copied()
    }

    /// `dst` is a place in the code.
    pub fn is_jump(self) -> bool {
        matches!(
            self.encoding(),
            Encoding::Branch(..) | Encoding::BranchIf(_) | Encoding::Jump
        )
    }

    /// Has a second half.
    pub fn is_double(self) -> bool {
        matches!(
            self.encoding(),
            Encoding::Int(_, _, Fields::Three)
                | Encoding::Select
                | Encoding::LoadBits
                | Encoding::AllocaMany
        )
    }

    /// Calculates one word from registers into `dst`, and nothing else, in one instruction.
    pub fn is_calculation(self) -> bool {
        match self.encoding() {
            Encoding::Int(_, _, fields) => fields != Fields::Three,
            Encoding::Move
            | Encoding::Immediate
            | Encoding::Truncate
            | Encoding::SignExtend(_)
            | Encoding::Lea
            | Encoding::Load(..)
            | Encoding::Float
            | Encoding::FloatCompare
            | Encoding::FloatToInt
            | Encoding::IntToFloat
            | Encoding::FloatToFloat => true,
            _ => false,
        }
    }
}

/// An immediate of a field of 32 bits, and how it is extended.
pub fn immediates(width: u32, value: u64) -> impl Iterator<Item = (Fields, u32)> {
    let signed = i32::try_from(sext(value, width)).ok();
    let signed = signed.map(|value| (Fields::Signed, value as u32));
    let unsigned = u32::try_from(value).ok();
    let unsigned = unsigned.map(|value| (Fields::Unsigned, value));
    signed.into_iter().chain(unsigned)
}

/// Whether an operation on this second operand is never an error.
pub fn is_safe(op: IntOp, width: u32, b: u64) -> bool {
    // Overflow has one case, and division by zero does not depend on the dividend.
    let least = 1 << (width - 1);
    op.error64([least, b & mask(width), 0], width).is_none()
}

/// A comparison whose words do not depend on the width.
pub fn has_no_width(op: IntOp, width: Width) -> bool {
    width == Width::Any && op.outcome() == Outcome::Bit
}
