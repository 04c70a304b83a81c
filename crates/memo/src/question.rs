//! What a node and a leaf say. Writers and trees speak of both in these types; ids are those of the writer or of the
//! tree.

/// The name of a function, or of whatever else has code or contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId(pub(crate) u32);

/// A piece of code that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnitId(pub(crate) u32);

/// A point of the program, as it is called in every version that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NamedPoint {
    pub symbol: SymbolId,
    pub block: u32,
    /// Counted from the start of its block.
    pub instruction: u32,
}

/// A piece of code, or contents, as it was when it ran: a block, or all of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CodeUnit {
    pub symbol: SymbolId,
    pub block: Option<u32>,
    pub hash: u64,
    /// What of it ran, in the caller's numbers. 0: any of it.
    pub part: u64,
}

/// What is asked, and how many alternatives there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AskKind {
    /// So many conditions, of which one holds.
    Choose(u32),
    /// 0: it holds; 1: it holds for no input of the path.
    Assume,
    /// 0: the value that the term may have.
    Witness,
    /// 0: the term has the value; 1: it has another.
    Fix,
    /// The same, for representative values.
    Sample,
}

impl AskKind {
    pub fn alternatives(self) -> u32 {
        match self {
            AskKind::Choose(alternatives) => alternatives,
            AskKind::Witness => 1,
            AskKind::Assume | AskKind::Fix | AskKind::Sample => 2,
        }
    }
}

/// A node: a question at its place in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question<'a> {
    pub point: NamedPoint,
    pub kind: AskKind,
    /// That was chosen, and is to be chosen again.
    pub value: Option<&'a [u8]>,
    /// The choices since the parent that the path condition left alone, in order.
    pub implied: &'a [u32],
    /// The code that ran since the parent: a set.
    pub ran: &'a [UnitId],
    /// A structural hash of the conditions, those of the implied choices among them.
    pub hash: u64,
}

/// A leaf: where a path ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf<'a> {
    pub ending: Ending<'a>,
    pub implied: &'a [u32],
    pub ran: &'a [UnitId],
    /// The number of its test.
    pub test: Option<u32>,
}

/// How a path ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending<'a> {
    /// With this status, if it is the same for all inputs.
    Exit(Option<i32>),
    Error(&'a str),
    Unsupported(&'a str),
    Silent,
    Boundary(Boundary<'a>),
}

/// What is not explored further, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Boundary<'a> {
    /// Empty: nothing was said.
    pub cause: &'a str,
    /// The call stack, innermost first.
    pub stack: &'a [NamedPoint],
}
