//! The arena: every term is interned once, so that equality of terms is equality of ids.
//!
//! A node carries a *structural hash* made from operators, values and names, never from ids or addresses: it is the
//! same in every run, and it orders the operands of commutative operators, so that a term's shape does
//! not depend on what was built before it.

use hashbrown::HashTable;
use rustc_hash::FxHashMap;

use crate::assigned::AssignedTerms;
use crate::epoch::{Epoch, Tag};
use crate::{Bv, FloatOp, Format, Rational, Sort};

/// A term: an index into its arena. Ids are small, copyable, and grow with creation: an operand's id is below its
/// user's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(u32, Tag);

impl Term {
    pub const TRUE: Term = Term(0, Tag::EVERY);
    pub const FALSE: Term = Term(1, Tag::EVERY);

    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    #[inline]
    pub fn bool(value: bool) -> Term {
        if value { Term::TRUE } else { Term::FALSE }
    }

    /// The term at an index of an arena.
    #[inline]
    fn at(index: u32, epoch: Epoch) -> Term {
        match index {
            0 => Term::TRUE,
            1 => Term::FALSE,
            _ => Term(index, Tag::of(epoch)),
        }
    }
}

impl std::fmt::Debug for Term {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "t{}", self.0)
    }
}

/// A declared constant symbol (a "variable" to everyone but SMT-LIB).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VarId(u32, Tag);

impl VarId {
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    #[inline]
    pub(crate) fn tag(self) -> Tag {
        self.1
    }
}

/// A declared function symbol of one or more arguments.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FuncId(u32, Tag);

impl FuncId {
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    #[inline]
    pub(crate) fn tag(self) -> Tag {
        self.1
    }
}

impl std::fmt::Debug for VarId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "VarId({})", self.0)
    }
}

impl std::fmt::Debug for FuncId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FuncId({})", self.0)
    }
}

/// A bit-vector constant of the arena.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConstId(u32);

/// The value of an Int or Real constant of the arena.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NumberId(u32);

/// The cells of a [`Op::Table`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TableId(u32);

/// The operators that remain after rewriting; all of SMT-LIB's others are built from these.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    True,
    False,
    Const(ConstId),
    Var(VarId),
    /// A function applied to its arguments.
    Apply(FuncId),
    Not,
    /// Conjunction of two or more operands. Disjunction is its dual.
    And,
    /// Equality at any sort; at Bool it is "if and only if".
    Eq,
    Ite,
    BvNot,
    BvAnd,
    BvOr,
    BvXor,
    /// A sum of two or more addends, in linear normal form (see `build::linear`).
    BvAdd,
    /// A product; a constant factor comes first.
    BvMul,
    BvUdiv,
    BvUrem,
    BvShl,
    BvLshr,
    BvAshr,
    /// High part, low part. Zero extension is a concatenation with zero.
    Concat,
    /// Bits `lo` and up; how many, the sort says.
    Extract {
        lo: u32,
    },
    /// To the width of the sort.
    SignExtend,
    BvUlt,
    BvSlt,
    /// Array, index.
    Select,
    /// Array, index, element.
    Store,
    /// All elements equal to the operand.
    ConstArray,
    /// The operand array with some constant cells written over it.
    Table(TableId),
    /// A constant of sort Int or Real, as the term's sort says; of sort Int it is an integer.
    Number(NumberId),
    /// A sum of two or more Int or Real addends, in linear normal form (see `build::number`).
    Add,
    /// A constant that is neither 0 nor 1 times a term, or a product of two terms that are no constants.
    Mul,
    /// Dividend, divisor; zero if the divisor is. On Int the remainder is never negative; on Real the divisor is no
    /// constant.
    Div,
    /// An integer as a real.
    ToReal,
    /// The greatest integer that a real is not less than.
    ToInt,
    /// `[sum, constant]`: the sum is at most the constant (see `build::order`).
    Le,
    /// `[sum, constant]`, on Real only: the sum is less than the constant.
    Lt,
    /// An operator on floats, which are bit-vectors; see [`Terms::float_op`].
    Float {
        op: FloatOp,
        /// Bits of the exponent: of the operands, or of the result where they are integers.
        exponent: u16,
        /// Bits of the result's exponent where the operator converts to another format, otherwise zero.
        to: u16,
    },
    /// A term of a sort that only scripts have, by what it is below that surface. No assertion contains one.
    Surface,
}

#[derive(Clone, Copy)]
struct Node {
    hash: u64,
    op: Op,
    sort: Sort,
    len: u32,
    /// The operands themselves up to three; beyond that the first is where they start in the pool.
    args: [Term; 3],
}

const INLINE: usize = 3;

/// A declared symbol.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VarDecl {
    pub name: Box<str>,
    pub sort: Sort,
}

/// A declared function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FuncDecl {
    pub name: Box<str>,
    pub args: Box<[Sort]>,
    pub result: Sort,
}

/// Constant cells of an array, by index in ascending order.
pub type Cells = Box<[(Bv, Bv)]>;

/// The arena of terms. All constructors live here; `build` holds those that rewrite.
pub struct Terms {
    epoch: Epoch,
    nodes: Vec<Node>,
    pool: Vec<Term>,
    table: HashTable<Term>,
    consts: Vec<Bv>,
    small_consts: FxHashMap<(u32, u64), Term>,
    big_consts: FxHashMap<Bv, Term>,
    vars: Vec<(VarDecl, Term)>,
    var_ids: FxHashMap<VarDecl, VarId>,
    funcs: Vec<FuncDecl>,
    func_ids: FxHashMap<FuncDecl, FuncId>,
    cells: Vec<Cells>,
    cell_ids: FxHashMap<Cells, TableId>,
    /// What writes of constants are as tables.
    pub(crate) tables: FxHashMap<Term, Term>,
    /// The integers whose last bits bit-vectors are.
    pub(crate) integers: FxHashMap<Term, Term>,
    numbers: Vec<Rational>,
    number_ids: FxHashMap<Rational, NumberId>,
    /// Whether a term is an operator on floats.
    has_floats: bool,
    pub(crate) assigned: AssignedTerms,
    /// How deep rewriting rules currently nest; see [`Terms::rewriting`].
    pub(crate) depth: u32,
    /// How many more rules the outermost constructor call may apply.
    fuel: u32,
    #[cfg(debug_assertions)]
    pub(crate) rule_counts: std::collections::BTreeMap<&'static str, u64>,
}

/// Beyond this many nested rule applications a node is built as it stands. Rules call constructors, which apply
/// rules: the bound keeps the stack small on terms of any depth, and stops pushing operators through large DAGs.
const MAX_REWRITE_DEPTH: u32 = 12;

/// The most rules that nest in one call of a constructor. A rule that rewrites several operands branches, and on a DAG
/// the branches meet the same terms again: without this bound their number is exponential in the depth.
const MAX_REWRITES: u32 = 64;

impl Default for Terms {
    fn default() -> Self {
        Terms::new()
    }
}

impl Terms {
    pub fn new() -> Terms {
        let mut terms = Terms {
            epoch: Epoch::next(),
            nodes: Vec::new(),
            pool: Vec::new(),
            table: HashTable::new(),
            consts: Vec::new(),
            small_consts: FxHashMap::default(),
            big_consts: FxHashMap::default(),
            vars: Vec::new(),
            var_ids: FxHashMap::default(),
            funcs: Vec::new(),
            func_ids: FxHashMap::default(),
            cells: Vec::new(),
            cell_ids: FxHashMap::default(),
            tables: FxHashMap::default(),
            integers: FxHashMap::default(),
            numbers: Vec::new(),
            number_ids: FxHashMap::default(),
            has_floats: false,
            assigned: AssignedTerms::default(),
            depth: 0,
            fuel: 0,
            #[cfg(debug_assertions)]
            rule_counts: Default::default(),
        };
        let yes = terms.intern(Op::True, Sort::Bool, &[]);
        let no = terms.intern(Op::False, Sort::Bool, &[]);
        debug_assert!(yes == Term::TRUE && no == Term::FALSE);
        terms
    }

    /// Which arena this is: no other one in this process has the same epoch.
    #[inline]
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    #[inline]
    fn node(&self, term: Term) -> &Node {
        term.1.check(self.epoch);
        &self.nodes[term.index()]
    }

    /// How many terms there are; ids run from 0 to this.
    #[inline]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All terms, operands before users.
    pub fn iter(&self) -> impl Iterator<Item = Term> + use<> {
        let epoch = self.epoch;
        (0..self.nodes.len() as u32).map(move |index| Term::at(index, epoch))
    }

    #[inline]
    pub fn op(&self, term: Term) -> Op {
        self.node(term).op
    }

    #[inline]
    pub fn sort(&self, term: Term) -> Sort {
        self.node(term).sort
    }

    /// The width of a bit-vector term.
    ///
    /// # Panics
    /// On terms of other sorts.
    #[inline]
    pub fn width(&self, term: Term) -> u32 {
        match self.sort(term) {
            Sort::BitVec(width) => width,
            sort => panic!("a {sort} has no width"),
        }
    }

    /// Whether any term is an operator on floats.
    pub fn has_floats(&self) -> bool {
        self.has_floats
    }

    #[inline]
    pub fn args(&self, term: Term) -> &[Term] {
        let node = self.node(term);
        let len = node.len as usize;
        if len <= INLINE {
            &node.args[..len]
        } else {
            let start = node.args[0].index();
            &self.pool[start..start + len]
        }
    }

    /// The `index`-th operand.
    #[inline]
    pub fn arg(&self, term: Term, index: usize) -> Term {
        self.args(term)[index]
    }

    /// The same in every run and whatever was built before: a function of the term's structure and names alone.
    #[inline]
    pub fn structural_hash(&self, term: Term) -> u64 {
        self.node(term).hash
    }

    /// The value of a constant bit-vector.
    #[inline]
    pub fn value(&self, term: Term) -> Option<&Bv> {
        match self.op(term) {
            Op::Const(id) => Some(&self.consts[id.0 as usize]),
            _ => None,
        }
    }

    /// The value of a constant of at most 64 bits.
    #[inline]
    pub fn small_value(&self, term: Term) -> Option<u64> {
        self.value(term).and_then(Bv::small)
    }

    /// The value of a constant of sort Int or Real.
    #[inline]
    pub fn number_value(&self, term: Term) -> Option<&Rational> {
        match self.op(term) {
            Op::Number(id) => Some(self.number_of(id)),
            _ => None,
        }
    }

    pub fn is_value(&self, term: Term) -> bool {
        matches!(
            self.op(term),
            Op::Const(_) | Op::Number(_) | Op::True | Op::False
        )
    }

    pub fn number_of(&self, id: NumberId) -> &Rational {
        &self.numbers[id.0 as usize]
    }

    pub fn const_value(&self, id: ConstId) -> &Bv {
        &self.consts[id.0 as usize]
    }

    pub fn var_decl(&self, var: VarId) -> &VarDecl {
        var.1.check(self.epoch);
        &self.vars[var.index()].0
    }

    /// The term of a declared symbol.
    pub fn var_term(&self, var: VarId) -> Term {
        var.1.check(self.epoch);
        self.vars[var.index()].1
    }

    pub fn func_decl(&self, func: FuncId) -> &FuncDecl {
        func.1.check(self.epoch);
        &self.funcs[func.index()]
    }

    /// Whether any declared function returns an array.
    pub(crate) fn has_array_functions(&self) -> bool {
        self.funcs.iter().any(|func| func.result.is_array())
    }

    pub fn cells(&self, table: TableId) -> &[(Bv, Bv)] {
        &self.cells[table.0 as usize]
    }

    /// The cell of a table at `index`.
    pub fn cell(&self, table: TableId, index: &Bv) -> Option<&Bv> {
        let cells = self.cells(table);
        let at = cells.binary_search_by(|(i, _)| i.cmp(index)).ok()?;
        Some(&cells[at].1)
    }

    /// The symbol `name` of this sort; the same name and sort is the same term.
    pub fn var(&mut self, name: &str, sort: Sort) -> Term {
        let decl = VarDecl {
            name: name.into(),
            sort,
        };
        if let Some(&id) = self.var_ids.get(&decl) {
            return self.vars[id.index()].1;
        }
        let id = VarId(self.vars.len() as u32, Tag::of(self.epoch));
        self.var_ids.insert(decl.clone(), id);
        // Interning hashes the name, so the declaration comes first and learns its term after.
        self.vars.push((decl, Term::TRUE));
        let term = self.intern(Op::Var(id), sort, &[]);
        self.vars[id.index()].1 = term;
        term
    }

    /// The symbol with this name and sort, if it is declared.
    pub fn find_var(&self, name: &str, sort: Sort) -> Option<Term> {
        let name = name.into();
        let id = self.var_ids.get(&VarDecl { name, sort })?;
        Some(self.vars[id.index()].1)
    }

    /// The function with this name and these sorts, if it is declared.
    pub fn find_func(&self, name: &str, args: &[Sort], result: Sort) -> Option<FuncId> {
        let (name, args) = (name.into(), args.into());
        let decl = FuncDecl { name, args, result };
        self.func_ids.get(&decl).copied()
    }

    /// The function `name` of these sorts; the same name and sorts is the same function.
    pub fn func(&mut self, name: &str, args: &[Sort], result: Sort) -> FuncId {
        let decl = FuncDecl {
            name: name.into(),
            args: args.into(),
            result,
        };
        if let Some(&id) = self.func_ids.get(&decl) {
            return id;
        }
        let id = FuncId(self.funcs.len() as u32, Tag::of(self.epoch));
        self.func_ids.insert(decl.clone(), id);
        self.funcs.push(decl);
        id
    }

    pub fn apply(&mut self, func: FuncId, args: &[Term]) -> Term {
        debug_assert!(
            self.funcs[func.index()].args.iter().eq(args
                .iter()
                .map(|&t| self.sort(t))
                .collect::<Vec<_>>()
                .iter())
        );
        self.intern(Op::Apply(func), self.funcs[func.index()].result, args)
    }

    #[inline]
    pub fn bv(&mut self, width: u32, value: u64) -> Term {
        if width <= 64 {
            let key = (width, value & crate::value::mask(width));
            if let Some(&term) = self.small_consts.get(&key) {
                return term;
            }
        }
        self.constant(Bv::new(width, value))
    }

    pub fn constant(&mut self, value: Bv) -> Term {
        let found = match value.small() {
            Some(small) => self.small_consts.get(&(value.width(), small)),
            None => self.big_consts.get(&value),
        };
        if let Some(&term) = found {
            return term;
        }
        let id = ConstId(self.consts.len() as u32);
        self.consts.push(value.clone());
        let term = self.intern(Op::Const(id), Sort::BitVec(value.width()), &[]);
        match value.small() {
            Some(small) => self.small_consts.insert((value.width(), small), term),
            None => self.big_consts.insert(value, term),
        };
        term
    }

    /// The constant of this sort, Int or Real, and value; of sort Int it must be an integer.
    pub fn number(&mut self, sort: Sort, value: Rational) -> Term {
        debug_assert!(sort == Sort::Real || sort == Sort::Int && value.is_integer());
        let id = match self.number_ids.get(&value) {
            Some(&id) => id,
            None => {
                let id = NumberId(self.numbers.len() as u32);
                self.numbers.push(value.clone());
                self.number_ids.insert(value, id);
                id
            }
        };
        self.intern(Op::Number(id), sort, &[])
    }

    /// The constant of sort Int.
    pub fn int(&mut self, value: i64) -> Term {
        self.number(Sort::Int, Rational::from(value))
    }

    /// The identity of a set of constant cells, sorted by index and without repetition.
    pub(crate) fn table_id(&mut self, cells: Cells) -> TableId {
        if let Some(&id) = self.cell_ids.get(&cells) {
            return id;
        }
        let id = TableId(self.cells.len() as u32);
        self.cells.push(cells.clone());
        self.cell_ids.insert(cells, id);
        id
    }

    /// The node of this operator and these operands, as it stands: no rewriting.
    pub(crate) fn intern(&mut self, op: Op, sort: Sort, args: &[Term]) -> Term {
        let hash = self.hash_of(op, sort, args);
        let (nodes, pool) = (&self.nodes, &self.pool);
        let same = |&candidate: &Term| {
            let node = &nodes[candidate.index()];
            let len = node.len as usize;
            node.hash == hash
                && node.op == op
                && node.sort == sort
                && len == args.len()
                && (if len <= INLINE {
                    &node.args[..len] == args
                } else {
                    &pool[node.args[0].index()..node.args[0].index() + len] == args
                })
        };
        if let Some(&found) = self.table.find(hash, same) {
            return found;
        }
        self.has_floats |= matches!(op, Op::Float { .. });
        let index = u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms");
        let term = Term::at(index, self.epoch);
        let mut inline = [Term::TRUE; INLINE];
        if args.len() <= INLINE {
            inline[..args.len()].copy_from_slice(args);
        } else {
            let start = u32::try_from(self.pool.len()).expect("fewer than 2^32 operands");
            inline[0] = Term(start, Tag::EVERY);
            self.pool.extend_from_slice(args);
        }
        self.nodes.push(Node {
            hash,
            op,
            sort,
            len: args.len() as u32,
            args: inline,
        });
        let nodes = &self.nodes;
        self.table
            .insert_unique(hash, term, |t| nodes[t.index()].hash);
        term
    }

    fn hash_of(&self, op: Op, sort: Sort, args: &[Term]) -> u64 {
        let sort_code = match sort {
            Sort::Bool => 1,
            Sort::BitVec(width) => u64::from(width) << 2 | 2,
            Sort::Array { index, element } => u64::from(index) << 34 | u64::from(element) << 2 | 3,
            Sort::Int => 1 << 2,
            Sort::Real => 2 << 2,
            Sort::RoundingMode => 3 << 2,
            Sort::Coded(coded) => coded.hash() << 4 | 1 << 3 | 3,
            Sort::Float(Format {
                exponent,
                significand,
            }) => u64::from(exponent) << 34 | u64::from(significand) << 4 | 1 << 3 | 1,
        };
        let (code, payload) = match op {
            Op::True => (1, 0),
            Op::False => (2, 0),
            Op::Const(id) => (
                3,
                self.consts[id.0 as usize]
                    .words()
                    .iter()
                    .fold(0, |h, &w| mix(h, w)),
            ),
            Op::Var(id) => (4, hash_str(&self.vars[id.index()].0.name)),
            Op::Apply(id) => (5, hash_str(&self.funcs[id.index()].name)),
            Op::Not => (6, 0),
            Op::And => (7, 0),
            Op::Eq => (8, 0),
            Op::Ite => (9, 0),
            Op::BvNot => (10, 0),
            Op::BvAnd => (11, 0),
            Op::BvOr => (12, 0),
            Op::BvXor => (13, 0),
            Op::BvAdd => (14, 0),
            Op::BvMul => (15, 0),
            Op::BvUdiv => (16, 0),
            Op::BvUrem => (17, 0),
            Op::BvShl => (18, 0),
            Op::BvLshr => (19, 0),
            Op::BvAshr => (20, 0),
            Op::Concat => (21, 0),
            Op::Extract { lo } => (22, u64::from(lo)),
            Op::SignExtend => (23, 0),
            Op::BvUlt => (24, 0),
            Op::BvSlt => (25, 0),
            Op::Select => (26, 0),
            Op::Store => (27, 0),
            Op::ConstArray => (28, 0),
            Op::Table(id) => {
                let cells = self.cells(id).iter();
                let words = cells.flat_map(|(i, e)| i.words().iter().chain(e.words()));
                (29, words.fold(0, |h, &w| mix(h, w)))
            }
            Op::Number(id) => {
                let words = self.number_of(id).words();
                (30, words.iter().fold(0, |h, &w| mix(h, w)))
            }
            Op::Add => (31, 0),
            Op::Mul => (32, 0),
            Op::Div => (33, 0),
            Op::Le => (34, 0),
            Op::Lt => (35, 0),
            Op::Float { op, exponent, to } => (
                36,
                u64::from(op.code()) << 32 | u64::from(exponent) << 16 | u64::from(to),
            ),
            Op::Surface => (37, 0),
            Op::ToReal => (38, 0),
            Op::ToInt => (39, 0),
        };
        let mut hash = mix(mix(code, sort_code), payload);
        for &arg in args {
            hash = mix(hash, self.structural_hash(arg));
        }
        hash
    }

    /// The order of commutative operands: by structure, so that it does not depend on history.
    #[inline]
    pub(crate) fn precedes(&self, a: Term, b: Term) -> bool {
        let key = |t: Term| (!self.is_value(t), self.structural_hash(t), t);
        key(a) < key(b)
    }

    /// Runs a rewriting rule one level deeper, or says that rules nest too deep already.
    pub(crate) fn rewriting(
        &mut self,
        rule: impl FnOnce(&mut Terms) -> Option<Term>,
    ) -> Option<Term> {
        if self.depth == 0 {
            self.fuel = MAX_REWRITES;
        }
        if self.depth >= MAX_REWRITE_DEPTH || self.fuel == 0 {
            return None;
        }
        self.fuel -= 1;
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }
}

/// One step of the structural hash: a 128-bit multiplication folded to 64 bits.
#[inline]
fn mix(hash: u64, word: u64) -> u64 {
    let product = u128::from(hash ^ 0x9e37_79b9_7f4a_7c15)
        * u128::from(word ^ 0xd6e8_feb8_6659_fd93 | 1 << 63);
    (product as u64) ^ (product >> 64) as u64 ^ word.rotate_left(32)
}

fn hash_str(text: &str) -> u64 {
    text.as_bytes()
        .chunks(8)
        .fold(text.len() as u64, |hash, chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            mix(hash, u64::from_le_bytes(word))
        })
}
