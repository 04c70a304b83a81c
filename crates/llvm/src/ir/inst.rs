//! Instructions.

use super::{BlockId, ConstId, InlineAsm, LocId, LocalId, TypeId};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    Const(ConstId),
    Local(LocalId),
}

#[derive(Clone, Debug)]
pub struct Inst {
    /// The local it defines, unless it is void.
    pub result: Option<LocalId>,
    pub kind: InstKind,
    pub loc: LocId,
    /// What it says beyond that, packed: fast-math, `exact`, `inbounds`, alignment, `volatile`, ordering, calling
    /// convention. Running does not depend on it; it tells versions of the code apart.
    pub flags: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    FAdd,
    FSub,
    FMul,
    FDiv,
    FRem,
}

/// What an arithmetic instruction promises not to do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Wrap {
    pub no_signed: bool,
    pub no_unsigned: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CastOp {
    Trunc,
    ZExt,
    SExt,
    FpToUi,
    FpToSi,
    UiToFp,
    SiToFp,
    FpTrunc,
    FpExt,
    PtrToInt,
    IntToPtr,
    Bitcast,
    AddrSpaceCast,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ICmpPredicate {
    Eq,
    Ne,
    Ugt,
    Uge,
    Ult,
    Ule,
    Sgt,
    Sge,
    Slt,
    Sle,
}

/// As LLVM numbers them: bit 0 equal, bit 1 greater, bit 2 less, bit 3 unordered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FCmpPredicate(pub u8);

impl FCmpPredicate {
    /// The predicate of a name of LLVM's.
    pub fn named(name: &[u8]) -> Option<FCmpPredicate> {
        const NAMES: [&[u8]; 16] = [
            b"false", b"oeq", b"ogt", b"oge", b"olt", b"ole", b"one", b"ord", b"uno", b"ueq",
            b"ugt", b"uge", b"ult", b"ule", b"une", b"true",
        ];
        let number = NAMES.iter().position(|known| *known == name)?;
        Some(FCmpPredicate(number as u8))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RmwOp {
    Xchg,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
    FAdd,
    FSub,
    FMax,
    FMin,
    UIncWrap,
    UDecWrap,
    USubCond,
    USubSat,
}

#[derive(Clone, Debug)]
pub enum Callee {
    Value(Operand),
    Asm(InlineAsm),
}

#[derive(Clone, Debug)]
pub struct Call {
    pub callee: Callee,
    /// The function type of the call site.
    pub ty: TypeId,
    /// Metadata arguments (of debug intrinsics and the like) stand as undefined constants.
    pub args: Vec<Operand>,
    /// Which arguments' pointees are passed by value, as the call site says; empty where none is.
    pub by_value: Vec<Option<ByValueArg>>,
    /// The predicate that a metadata argument names, as in `llvm.experimental.constrained.fcmp`.
    pub predicate: Option<FCmpPredicate>,
}

/// An argument of which the callee gets a copy.
#[derive(Clone, Copy, Debug)]
pub struct ByValueArg {
    /// What the argument points to.
    pub ty: TypeId,
    /// In bytes; 0 is the type's own.
    pub align: u64,
}

#[derive(Clone, Debug)]
pub enum Clause {
    Catch(Operand),
    /// An array of what may pass.
    Filter(Operand),
}

#[derive(Clone, Debug)]
pub enum InstKind {
    Binary {
        op: BinaryOp,
        a: Operand,
        b: Operand,
        wrap: Wrap,
    },
    FNeg(Operand),
    Cast {
        op: CastOp,
        value: Operand,
    },
    ICmp {
        predicate: ICmpPredicate,
        a: Operand,
        b: Operand,
    },
    FCmp {
        predicate: FCmpPredicate,
        a: Operand,
        b: Operand,
    },
    Select {
        condition: Operand,
        then: Operand,
        other: Operand,
    },
    Freeze(Operand),
    ExtractElement {
        vector: Operand,
        index: Operand,
    },
    InsertElement {
        vector: Operand,
        value: Operand,
        index: Operand,
    },
    Shuffle {
        a: Operand,
        b: Operand,
        /// -1 is undefined.
        mask: Vec<i32>,
    },
    ExtractValue {
        aggregate: Operand,
        path: Vec<u32>,
    },
    InsertValue {
        aggregate: Operand,
        value: Operand,
        path: Vec<u32>,
    },
    Phi(Vec<(Operand, BlockId)>),

    Alloca {
        ty: TypeId,
        count: Operand,
        /// In bytes; 0 is the type's own.
        align: u64,
    },
    Load {
        pointer: Operand,
        ty: TypeId,
    },
    Store {
        pointer: Operand,
        value: Operand,
    },
    Gep {
        /// The type that the first index steps over.
        source: TypeId,
        base: Operand,
        indices: Vec<Operand>,
    },
    /// The result is `{ old value, whether it was replaced }`.
    CmpXchg {
        pointer: Operand,
        expected: Operand,
        new: Operand,
    },
    AtomicRmw {
        op: RmwOp,
        pointer: Operand,
        value: Operand,
    },
    Fence,
    VaArg {
        list: Operand,
        ty: TypeId,
    },

    Call(Call),
    Invoke {
        call: Call,
        normal: BlockId,
        unwind: BlockId,
    },
    CallBr {
        call: Call,
        normal: BlockId,
        indirect: Vec<BlockId>,
    },
    LandingPad {
        cleanup: bool,
        clauses: Vec<Clause>,
    },
    Resume(Operand),

    Ret(Option<Operand>),
    Br(BlockId),
    CondBr {
        condition: Operand,
        then: BlockId,
        other: BlockId,
    },
    Switch {
        value: Operand,
        default: BlockId,
        cases: Vec<(ConstId, BlockId)>,
    },
    IndirectBr {
        address: Operand,
        targets: Vec<BlockId>,
    },
    Unreachable,
    /// Something of the language that is read and cannot be run (a funclet pad, say): its name.
    Unsupported(&'static str),
}

impl InstKind {
    pub fn is_terminator(&self) -> bool {
        matches!(
            self,
            InstKind::Invoke { .. }
                | InstKind::CallBr { .. }
                | InstKind::Resume(_)
                | InstKind::Ret(_)
                | InstKind::Br(_)
                | InstKind::CondBr { .. }
                | InstKind::Switch { .. }
                | InstKind::IndirectBr { .. }
                | InstKind::Unreachable
        )
    }
}
