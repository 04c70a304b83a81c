//! Random C functions as trees. Whatever subtree replaces another of its kind, the program stays free of undefined
//! behaviour: indices are masked and divisors guarded (or meant to trap) where they are written down, not where they
//! are generated.

use super::random::Random;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ty(pub &'static str, pub u32, pub bool);

pub const I8: Ty = Ty("i8", 8, true);
pub const U8: Ty = Ty("u8", 8, false);
pub const I16: Ty = Ty("i16", 16, true);
pub const U16: Ty = Ty("u16", 16, false);
pub const I32: Ty = Ty("i32", 32, true);
pub const U32: Ty = Ty("u32", 32, false);
pub const I64: Ty = Ty("i64", 64, true);
pub const U64: Ty = Ty("u64", 64, false);
pub const BOOL: Ty = Ty("_Bool", 1, false);

pub const INTS: &[Ty] = &[I8, U8, I16, U16, I32, U32, I64, U64];
/// What is multiplied and divided: solvers are not what is tested.
const NARROW: &[Ty] = &[I8, U8, I8, U8, I16, U16];

/// What can be indexed: how it is written, and how many elements it has.
pub const PLACES: &[(&str, u64)] = &[
    ("A0[#]", 8),
    ("A1[#]", 4),
    ("A2[#]", 4),
    ("A3[#]", 4),
    ("A4[#]", 16),
    ("G0[#]", 8),
    ("G1[#]", 4),
    ("U.b[#]", 8),
    ("U.c[#]", 4),
    ("U.d[#]", 2),
    ("S[#].a", 4),
    ("S[#].b", 4),
    ("S[#].c", 4),
    ("S[#].d", 4),
    ("S[#].f", 4),
    ("S[#].g", 4),
    ("S[#].h", 4),
    ("S[#].w", 4),
    ("S[#].e", 4),
    ("P[#].b", 4),
    ("P[#].c", 4),
    ("P[#].d", 4),
    ("M[#][1]", 4),
    ("M[2][#]", 4),
    ("H[#]", 8),
];

/// What can only be read.
pub const TABLES: &[(&str, u64)] = &[
    ("T0[#]", 16),
    ("T1[#]", 8),
    ("T2[#]", 256),
    ("T3[#].y", 4),
    ("in[#]", 8),
    ("\"refrain\"[#]", 8),
];

/// Pointers: their names, and where they may point.
pub const POINTERS: &[(&str, &[usize])] = &[("p0", &[0, 5, 7]), ("p1", &[2, 6]), ("p2", &[1, 8])];

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    // Expressions.
    Const(Ty, u64),
    In(Ty, usize),
    Var(usize),
    Parameter(usize),
    Unary(&'static str, Ty),
    Binary(&'static str, Ty),
    Shift(&'static str, Ty),
    Div(&'static str, Ty, Guard),
    Compare(&'static str, Ty),
    Logic(&'static str),
    Cond(Ty),
    Cast(Ty),
    Table(usize),
    Read(usize),
    Deref(usize),
    Call(usize),
    FnPtr,
    /// Something of the prelude: a function or a macro of so many arguments.
    Macro(&'static str),
    Typed(&'static str, Ty),
    // Statements.
    Block,
    Set(usize, &'static str),
    Write(usize, &'static str),
    SetPtr(usize, usize, usize),
    SetDeref(usize),
    If,
    Switch(&'static [&'static str]),
    For,
    While,
    Break,
    Return,
    Do(&'static str),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Guard {
    /// Both division by zero and overflow are avoided.
    Full,
    /// Only division by zero is.
    Zero,
    None,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    pub kind: Kind,
    pub kids: Vec<Node>,
}

impl Node {
    pub fn new(kind: Kind, kids: Vec<Node>) -> Node {
        Node { kind, kids }
    }

    pub fn leaf(kind: Kind) -> Node {
        Node::new(kind, Vec::new())
    }

    pub fn is_statement(&self) -> bool {
        use Kind::*;
        matches!(
            self.kind,
            Block
                | Set(..)
                | Write(..)
                | SetPtr(..)
                | SetDeref(_)
                | If
                | Switch(_)
                | For
                | While
                | Break
                | Return
                | Do(_)
        )
    }

    pub fn size(&self) -> usize {
        1 + self.kids.iter().map(Node::size).sum::<usize>()
    }
}

/// One function with its helpers.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    pub vars: Vec<Ty>,
    pub helpers: Vec<Node>,
    pub body: Node,
}

/// What the prelude offers, with the number of arguments.
const MACROS: &[(&str, usize)] = &[
    ("WMULH", 2),
    ("WMULS", 2),
    ("WSHIFT", 3),
    ("WDIV", 2),
    ("WCMP", 2),
    ("WSDIV", 1),
    ("BITS17", 2),
    ("BITS37", 2),
    ("BITS3", 2),
    ("BITS128", 2),
    ("BITDIV", 2),
    ("MIXED1", 2),
    ("MIXED2", 2),
    ("MIXED3", 2),
    ("VEC8", 2),
    ("VEC16", 2),
    ("VEC32", 2),
    ("VECCMP", 2),
    ("VECSET", 3),
    ("byval", 2),
    ("rec", 2),
    ("varsum", 3),
    ("FLOAT", 0),
    ("FLOATSEL", 1),
    ("ENUM", 1),
    ("COMPOUND", 2),
    ("PTRDIFF", 2),
    ("PTRCMP", 2),
    ("LOCALARRAY", 2),
    ("PTRPTR", 2),
    ("GOTO", 1),
    ("PAIR", 2),
    ("ATOMIC", 2),
    ("VLA", 1),
    ("JUMP", 1),
    ("SMALL", 2),
    ("MIXEDSTRUCT", 2),
    ("PTRINT", 1),
    ("PTRSEL", 2),
    ("SELFREF", 1),
];

/// The same where the C library is called on symbolic bytes.
const LIBRARY: &[(&str, usize)] = &[
    ("S_memcmp", 2),
    ("S_strlen", 1),
    ("S_strcmp", 1),
    ("S_strncmp", 2),
    ("S_isdigit", 1),
    ("S_isalpha", 1),
    ("S_toupper", 1),
    ("S_atoi", 1),
    ("S_strtol", 1),
    ("S_strchr", 1),
    ("S_memchr", 1),
    ("S_abs", 1),
    ("S_qsort", 2),
    ("S_bcmp", 1),
    ("S_snprintf", 1),
];

const TYPED: &[(&str, usize)] = &[
    ("CLZ", 1),
    ("CTZ", 1),
    ("POPCOUNT", 1),
    ("PARITY", 1),
    ("ADDO", 2),
    ("SUBO", 2),
    ("MULO", 2),
    ("ADDSAT", 2),
    ("SUBSAT", 2),
    ("MIN", 2),
    ("MAX", 2),
    ("ABS", 1),
    ("ROTL", 2),
    ("ROTR", 2),
];

const STATEMENTS: &[(&str, usize)] = &[
    ("COPY01", 1),
    ("COPY10", 1),
    ("COPYG", 2),
    ("MOVE", 2),
    ("FILL", 2),
    ("FILLAT", 2),
    ("STRUCTCOPY", 2),
    ("STRUCTMAKE", 2),
    ("LOOPMAP", 1),
    ("LOOPSUM", 1),
    ("LOOPMAX", 1),
    ("LOOPSHORT", 1),
    ("SWAP", 2),
    ("HEAP", 1),
    ("REALLOC", 1),
    ("UNALIGNED", 2),
];

const SWITCHES: &[&[&str]] = &[
    &["case 0:", "case 1: case 2: case 3:", "case 200:"],
    &["case 7: case 9:", "case -1:", "case 128 ... 160:"],
    &[
        "case 0:",
        "case 1:",
        "case 2:",
        "case 3:",
        "case 4: case 250:",
    ],
    &["case 'a': case 'A':", "case '0' ... '9':"],
];

struct Generator<'a> {
    random: &'a mut Random,
    vars: usize,
    parameters: bool,
    traps: bool,
    library: bool,
}

/// A function; `seed` decides all of it.
pub fn function(seed: u64) -> Function {
    let mut random = Random::new(seed);
    let random = &mut random;
    let vars: Vec<Ty> = (0..3 + random.below(3))
        .map(|_| {
            if random.one_in(12) {
                BOOL
            } else {
                random.pick(INTS)
            }
        })
        .collect();
    let (traps, library) = (random.one_in(5), random.one_in(4));
    let mut generator = Generator {
        random,
        vars: vars.len(),
        parameters: true,
        traps: false,
        library: false,
    };
    let helpers = (0..2).map(|_| generator.expression(3)).collect();
    generator.parameters = false;
    generator.traps = traps;
    generator.library = library;
    let budget = 1 + generator.random.below(5);
    let body = generator.block(budget, 2);
    Function {
        vars,
        helpers,
        body,
    }
}

impl Generator<'_> {
    fn leaf(&mut self) -> Node {
        let choice = self.random.below(8);
        let kind = match choice {
            0 => {
                let ty = self.random.pick(INTS);
                let value = match self.random.below(4) {
                    0 => self.random.pick(&[
                        0,
                        1,
                        2,
                        0x7f,
                        0x80,
                        0xff,
                        0x7fff,
                        0x8000,
                        0x7fff_ffff,
                        0x8000_0000,
                        u64::MAX,
                        1 << 63,
                    ]),
                    1 => self.random.below(20) as u64,
                    2 => self.random.below(256) as u64,
                    _ => self.random.next() >> self.random.below(64),
                };
                Kind::Const(ty, value)
            }
            _ if self.parameters => Kind::Parameter(self.random.below(2)),
            1..=3 => {
                let ty = self.random.pick(&[U8, I8, U8, I8, U16, I16, U32, I32, U64]);
                Kind::In(ty, self.random.below(9 - (ty.1 / 8) as usize))
            }
            _ => Kind::Var(self.random.below(self.vars)),
        };
        Node::leaf(kind)
    }

    fn many(&mut self, count: usize, depth: usize) -> Vec<Node> {
        (0..count).map(|_| self.expression(depth)).collect()
    }

    fn expression(&mut self, depth: usize) -> Node {
        if depth == 0 || self.random.one_in(6) {
            return self.leaf();
        }
        let depth = depth - 1;
        let ty = self.random.pick(INTS);
        let (kind, kids) = match self.random.below(34) {
            0..=3 => (
                Kind::Binary(self.random.pick(&["+", "-", "&", "|", "^"]), ty),
                2,
            ),
            4 => {
                let ty = self.random.pick(NARROW);
                (Kind::Binary("*", ty), 2)
            }
            5 | 6 => (Kind::Shift(self.random.pick(&["<<", ">>"]), ty), 2),
            7 | 8 => {
                let guard = match self.random.below(4) {
                    0 if self.traps => Guard::None,
                    1 if self.traps => Guard::Zero,
                    _ => Guard::Full,
                };
                let op = self.random.pick(&["/", "%"]);
                // By a constant, or of narrow operands.
                if self.random.one_in(2) {
                    let divisor = self.random.pick(&[
                        1,
                        2,
                        3,
                        5,
                        7,
                        8,
                        10,
                        16,
                        100,
                        127,
                        128,
                        255,
                        1000,
                        u64::MAX,
                        1 << 31,
                    ]);
                    let ty = self.random.pick(&[I8, U8, I16, U16, I32, U32]);
                    let kids = vec![self.expression(depth), Node::leaf(Kind::Const(ty, divisor))];
                    return Node::new(Kind::Div(op, ty, guard), kids);
                }
                let ty = self.random.pick(NARROW);
                if guard != Guard::Full && self.random.one_in(2) {
                    // Wide enough to overflow, from operands that are not.
                    let ty = self.random.pick(&[I32, I64]);
                    let narrow = self.random.pick(&[I8, I16]);
                    let shift = Node::leaf(Kind::Const(U8, u64::from(ty.1 - narrow.1)));
                    let kids = self.many(2, depth);
                    let mut kids = kids.into_iter();
                    let high = Node::new(Kind::Cast(narrow), kids.next().into_iter().collect());
                    let high = Node::new(Kind::Shift("<<", ty), vec![high, shift]);
                    let low = Node::new(Kind::Cast(narrow), kids.next().into_iter().collect());
                    return Node::new(Kind::Div(op, ty, guard), vec![high, low]);
                }
                (Kind::Div(op, ty, guard), 2)
            }
            9 | 10 => (
                Kind::Compare(self.random.pick(&["==", "!=", "<", "<=", ">", ">="]), ty),
                2,
            ),
            11 => (Kind::Logic(self.random.pick(&["&&", "||"])), 2),
            12 | 13 => (Kind::Cond(ty), 3),
            14 | 15 => {
                let ty = if self.random.one_in(6) { BOOL } else { ty };
                (Kind::Cast(ty), 1)
            }
            16 => (Kind::Unary(self.random.pick(&["~", "-", "!"]), ty), 1),
            17 | 18 => (
                Kind::Table(
                    self.random
                        .below(TABLES.len() - usize::from(self.parameters)),
                ),
                1,
            ),
            19..=22 if !self.parameters => (Kind::Read(self.random.below(PLACES.len())), 1),
            23 if !self.parameters => (Kind::Deref(self.random.below(POINTERS.len())), 0),
            24 if !self.parameters => (Kind::Call(self.random.below(2)), 2),
            25 if !self.parameters => (Kind::FnPtr, 3),
            26..=28 => {
                let (name, kids) = self.random.pick(TYPED);
                (Kind::Typed(name, ty), kids)
            }
            29 if self.library => {
                let (name, kids) = self.random.pick(LIBRARY);
                (Kind::Macro(name), kids)
            }
            29..=31 if !self.parameters => {
                let (name, kids) = self.random.pick(MACROS);
                (Kind::Macro(name), kids)
            }
            _ => (
                Kind::Binary(self.random.pick(&["+", "-", "&", "|", "^"]), ty),
                2,
            ),
        };
        let kids = self.many(kids, depth);
        Node::new(kind, kids)
    }

    fn block(&mut self, statements: usize, depth: usize) -> Node {
        let kids = (0..statements).map(|_| self.statement(depth)).collect();
        Node::new(Kind::Block, kids)
    }

    fn statement(&mut self, depth: usize) -> Node {
        let choice = self.random.below(if depth == 0 { 14 } else { 22 });
        let (kind, kids) = match choice {
            0..=3 => {
                let op = self.random.pick(&["=", "=", "+=", "^=", "-=", "|="]);
                (Kind::Set(self.random.below(self.vars), op), 1)
            }
            4..=7 => {
                let op = self.random.pick(&["=", "=", "=", "+=", "^="]);
                (Kind::Write(self.random.below(PLACES.len()), op), 2)
            }
            8 => {
                let pointer = self.random.below(POINTERS.len());
                let targets = POINTERS[pointer].1;
                (
                    Kind::SetPtr(
                        pointer,
                        self.random.pick(targets),
                        self.random.pick(targets),
                    ),
                    3,
                )
            }
            9 => (Kind::SetDeref(self.random.below(POINTERS.len())), 1),
            10..=12 => {
                let (name, kids) = self.random.pick(STATEMENTS);
                (Kind::Do(name), kids)
            }
            13 => (
                self.random.pick(&[Kind::Break, Kind::Break, Kind::Return]),
                2,
            ),
            14..=17 => {
                let kids = vec![
                    self.expression(3),
                    self.block(2, depth - 1),
                    self.block(1, depth - 1),
                ];
                return Node::new(Kind::If, kids);
            }
            18 | 19 => {
                let cases = self.random.pick(SWITCHES);
                let mut kids = vec![self.expression(2)];
                for _ in 0..=cases.len() {
                    kids.push(self.block(1, depth - 1));
                }
                return Node::new(Kind::Switch(cases), kids);
            }
            _ => {
                let kind = self.random.pick(&[Kind::For, Kind::While]);
                let kids = vec![self.expression(2), self.block(2, depth - 1)];
                return Node::new(kind, kids);
            }
        };
        let depth = 2 + self.random.below(2);
        let kids = self.many(kids, depth);
        Node::new(kind, kids)
    }
}
