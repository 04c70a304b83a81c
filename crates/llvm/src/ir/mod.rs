//! A program as LLVM's intermediate language says it: what the bitcode reader gives and what lowering takes.
//!
//! A [`Module`] keeps its own types and constants; modules are joined by symbol (`link`), never merged. Nothing here
//! executes.

mod inst;
mod layout;
mod types;

pub use inst::*;
pub use layout::DataLayout;
pub use types::{Type, TypeId, Types};

/// An index into [`Module::constants`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct ConstId(pub u32);

/// An index into [`Module::symbols`]: a global variable, a function or an alias.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct SymbolId(pub u32);

/// An argument or the result of an instruction, numbered within its function: arguments first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct LocalId(pub u32);

/// A basic block within its function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct BlockId(pub u32);

/// One translation unit.
#[derive(Debug, Default)]
pub struct Module {
    /// Where it came from: a path, or `archive.a(member.o)`.
    pub name: String,
    pub source_file: String,
    pub triple: String,
    pub layout: DataLayout,
    pub types: Types,
    pub constants: Vec<Constant>,
    pub symbols: Vec<Symbol>,
    /// Names of functions that it defines and that were not read, because nothing needs them.
    pub left_out: Vec<String>,
    pub debug: DebugInfo,
}

/// A named thing at module level.
#[derive(Debug)]
pub struct Symbol {
    /// Empty for a private symbol without a name.
    pub name: String,
    pub linkage: Linkage,
    /// The group that is kept or dropped as a whole; a symbol of a group that another module won is a declaration.
    pub comdat: Option<String>,
    pub section: Option<String>,
    pub kind: SymbolKind,
}

#[derive(Debug)]
pub enum SymbolKind {
    Variable(Variable),
    Function(Function),
    /// Another name for `target` (an address expression).
    Alias(ConstId),
    /// An address that a resolver function computes.
    Ifunc(ConstId),
}

impl Symbol {
    pub fn is_declaration(&self) -> bool {
        match &self.kind {
            SymbolKind::Variable(variable) => variable.initializer.is_none(),
            SymbolKind::Function(function) => function.body.is_none(),
            SymbolKind::Alias(_) | SymbolKind::Ifunc(_) => false,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Linkage {
    External,
    AvailableExternally,
    LinkOnceAny,
    LinkOnceOdr,
    WeakAny,
    WeakOdr,
    Appending,
    Internal,
    Private,
    ExternWeak,
    Common,
}

impl Linkage {
    /// Seen by no other module.
    pub fn is_local(self) -> bool {
        matches!(self, Linkage::Internal | Linkage::Private)
    }

    /// A definition that gives way to another.
    pub fn is_weak(self) -> bool {
        matches!(
            self,
            Linkage::LinkOnceAny
                | Linkage::LinkOnceOdr
                | Linkage::WeakAny
                | Linkage::WeakOdr
                | Linkage::Common
                | Linkage::AvailableExternally
        )
    }
}

#[derive(Debug)]
pub struct Variable {
    /// The type of the contents (not the pointer).
    pub ty: TypeId,
    pub constant: bool,
    pub thread_local: bool,
    pub initializer: Option<ConstId>,
    /// In bytes; 0 is the type's own.
    pub align: u64,
}

#[derive(Debug)]
pub struct Function {
    /// The function type.
    pub ty: TypeId,
    pub params: Vec<ParamAttrs>,
    pub personality: Option<ConstId>,
    pub body: Option<Body>,
    /// The line its definition starts at, where debug information says so.
    pub debug: Option<ScopeId>,
}

/// What a call needs to know of one parameter.
#[derive(Clone, Copy, Default, Debug)]
pub struct ParamAttrs {
    /// The callee gets its own copy of what the argument points to, of this type.
    pub by_value: Option<TypeId>,
    /// The result is put where the argument points to, of this type.
    pub struct_return: Option<TypeId>,
    /// What the caller promises of the address, in bytes; 0 is nothing.
    pub align: u64,
    pub sign_extend: bool,
    pub zero_extend: bool,
}

#[derive(Debug, Default)]
pub struct Body {
    /// The type of every local; the first are the parameters.
    pub locals: Vec<TypeId>,
    /// The first block is the entry.
    pub blocks: Vec<Block>,
    /// Source names of stack variables, by the local that holds their address; sorted by local.
    pub variables: Vec<(LocalId, String)>,
    /// Source names of parameters by the local that is one, or a part of one, as debug information says first.
    pub parameters: Vec<(LocalId, String)>,
}

#[derive(Debug, Default)]
pub struct Block {
    /// The last one, and no other, is a terminator.
    pub insts: Vec<Inst>,
}

#[derive(Clone, Debug)]
pub struct Constant {
    pub ty: TypeId,
    pub kind: ConstKind,
}

#[derive(Clone, Debug)]
pub enum ConstKind {
    /// All bits zero, of any type.
    Zero,
    Undef,
    Poison,
    /// An integer of at most 64 bits, zero-extended.
    Int(u64),
    /// A wider integer, least significant word first.
    Wide(Vec<u64>),
    /// The bits of a floating-point number of any format.
    Float(u128),
    /// An array or vector of integers or floats of 8, 16, 32 or 64 bits: its bytes, little-endian.
    Data(Vec<u8>),
    /// A structure, array or vector, element by element.
    Aggregate(Vec<ConstId>),
    /// The address of a symbol.
    Symbol(SymbolId),
    BlockAddress {
        function: SymbolId,
        block: BlockId,
    },
    Cast {
        op: CastOp,
        value: ConstId,
    },
    Binary {
        op: BinaryOp,
        a: ConstId,
        b: ConstId,
    },
    Compare {
        predicate: ICmpPredicate,
        a: ConstId,
        b: ConstId,
    },
    FCompare {
        predicate: FCmpPredicate,
        a: ConstId,
        b: ConstId,
    },
    Select {
        condition: ConstId,
        then: ConstId,
        other: ConstId,
    },
    /// `source` is the type that the first index steps over.
    Gep {
        source: TypeId,
        base: ConstId,
        indices: Vec<ConstId>,
    },
    ExtractElement {
        vector: ConstId,
        index: ConstId,
    },
    InsertElement {
        vector: ConstId,
        value: ConstId,
        index: ConstId,
    },
    Shuffle {
        a: ConstId,
        b: ConstId,
        /// -1 is undefined.
        mask: Vec<i32>,
    },
    InlineAsm(InlineAsm),
}

impl ConstKind {
    /// The constants that a constant is made of.
    pub fn operands(&self) -> Vec<ConstId> {
        match self {
            ConstKind::Aggregate(elements) => elements.clone(),
            ConstKind::Cast { value, .. } => vec![*value],
            ConstKind::Binary { a, b, .. }
            | ConstKind::Compare { a, b, .. }
            | ConstKind::FCompare { a, b, .. }
            | ConstKind::Shuffle { a, b, .. } => vec![*a, *b],
            ConstKind::Select {
                condition,
                then,
                other,
            } => vec![*condition, *then, *other],
            ConstKind::Gep { base, indices, .. } => std::iter::once(*base)
                .chain(indices.iter().copied())
                .collect(),
            ConstKind::ExtractElement { vector, index } => vec![*vector, *index],
            ConstKind::InsertElement {
                vector,
                value,
                index,
            } => vec![*vector, *value, *index],
            ConstKind::Zero
            | ConstKind::Undef
            | ConstKind::Poison
            | ConstKind::Int(_)
            | ConstKind::Wide(_)
            | ConstKind::Float(_)
            | ConstKind::Data(_)
            | ConstKind::Symbol(_)
            | ConstKind::BlockAddress { .. }
            | ConstKind::InlineAsm(_) => Vec::new(),
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct InlineAsm {
    pub text: String,
    pub constraints: String,
    pub side_effects: bool,
    /// In the syntax of Intel, where the first operand is written.
    pub is_intel: bool,
}

/// An index into [`DebugInfo::scopes`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ScopeId(pub u32);

/// An index into [`DebugInfo::locations`]; 0 is "nowhere".
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct LocId(pub u32);

/// Where code comes from.
#[derive(Debug)]
pub struct DebugInfo {
    /// The first stands for "nowhere".
    pub locations: Vec<Location>,
    /// Functions of the source, inlined ones too.
    pub scopes: Vec<Scope>,
}

impl Default for DebugInfo {
    fn default() -> DebugInfo {
        DebugInfo {
            locations: vec![Location::default()],
            scopes: Vec::new(),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Location {
    /// 0 is unknown.
    pub line: u32,
    pub column: u32,
    /// The function (lexical blocks are resolved away).
    pub scope: Option<ScopeId>,
    pub inlined_at: LocId,
}

#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// As in the source.
    pub name: String,
    pub linkage_name: String,
    /// Directory and file name joined where the name is relative.
    pub file: String,
    pub line: u32,
}
