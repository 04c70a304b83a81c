//! Terms as a script has them. Every term is there once, arguments before users; nothing is rewritten. What SMT-LIB
//! defines by other operators (`distinct`, `bvnand`, `rotate_left`, …) the reader writes in terms of those.

use std::sync::Arc;

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;

/// A term, by its place in the order of creation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Term(pub u32);

impl Term {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Sort {
    Bool,
    BitVec(u32),
    Int,
    Real,
    /// One that the script declares.
    Declared(u32),
    Array(Arc<(Sort, Sort)>),
}

impl Sort {
    pub fn array(index: Sort, element: Sort) -> Sort {
        Sort::Array(Arc::new((index, element)))
    }

    pub fn is_number(&self) -> bool {
        matches!(self, Sort::Int | Sort::Real)
    }

    /// Whether terms of this sort are encoded as bits.
    pub fn has_bits(&self) -> bool {
        matches!(self, Sort::Bool | Sort::BitVec(_))
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    True,
    False,
    Bits(UBig),
    Number(RBig),
    /// A constant that the script declares.
    Var(u32),
    /// A function that the script declares.
    Apply(u32),
    /// The parameter of a definition.
    Parameter(u32),
    Not,
    And,
    Or,
    Xor,
    Eq,
    Ite,
    BvNot,
    BvNeg,
    BvAnd,
    BvOr,
    BvXor,
    BvAdd,
    BvSub,
    BvMul,
    BvUdiv,
    BvUrem,
    BvSdiv,
    BvSrem,
    BvSmod,
    BvShl,
    BvLshr,
    BvAshr,
    BvUlt,
    BvUle,
    BvSlt,
    BvSle,
    BvNego,
    BvUaddo,
    BvSaddo,
    BvUmulo,
    BvSmulo,
    BvUsubo,
    BvSsubo,
    BvSdivo,
    Concat,
    /// From this bit up, as many as the sort has.
    Extract(u32),
    ZeroExtend,
    SignExtend,
    Select,
    Store,
    ConstArray,
    /// An index at which two arrays differ, if they do.
    Difference,
    Add,
    Mul,
    /// Of reals.
    Quotient,
    Div,
    Mod,
    Abs,
    Le,
    Lt,
    ToReal,
    ToInt,
    /// The number of a bit-vector.
    Natural,
    /// The last bits of an integer.
    OfInt,
}

#[derive(PartialEq, Eq, Hash, Debug)]
pub struct Node {
    pub op: Op,
    pub args: Box<[Term]>,
    pub sort: Sort,
}

/// All terms of a script.
#[derive(Clone, Default)]
pub struct Terms {
    nodes: Vec<Arc<Node>>,
    /// The value of what is a number whatever the symbols stand for.
    numbers: FxHashMap<Term, RBig>,
    index: FxHashMap<Arc<Node>, Term>,
}

impl Terms {
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The term with this number.
    pub fn get(&self, number: u64) -> Option<Term> {
        let exists = number < self.nodes.len() as u64;
        exists.then_some(Term(number as u32))
    }

    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term.index()]
    }

    pub fn op(&self, term: Term) -> &Op {
        &self.node(term).op
    }

    pub fn args(&self, term: Term) -> &[Term] {
        &self.node(term).args
    }

    pub fn sort(&self, term: Term) -> &Sort {
        &self.node(term).sort
    }

    /// The width of a bit-vector.
    pub fn width(&self, term: Term) -> u32 {
        match self.sort(term) {
            Sort::BitVec(width) => *width,
            _ => 0,
        }
    }

    /// The value of a numeral, or of a sum, product or quotient of them.
    pub fn number_value(&self, term: Term) -> Option<&RBig> {
        self.numbers.get(&term)
    }

    pub fn make(&mut self, op: Op, args: &[Term], sort: Sort) -> Term {
        let mut args: Box<[Term]> = args.into();
        if op == Op::Eq {
            args.sort_unstable();
        }
        let node = Node { op, args, sort };
        if let Some(&term) = self.index.get(&node) {
            return term;
        }
        let term = Term(self.nodes.len() as u32);
        if let Some(value) = self.value_of(&node) {
            self.numbers.insert(term, value);
        }
        let node = Arc::new(node);
        self.nodes.push(node.clone());
        self.index.insert(node, term);
        term
    }

    fn value_of(&self, node: &Node) -> Option<RBig> {
        let value = |term: &Term| self.numbers.get(term);
        let values = || node.args.iter().map(value).collect::<Option<Vec<&RBig>>>();
        Some(match &node.op {
            Op::Number(value) => value.clone(),
            Op::ToReal => values()?[0].clone(),
            Op::Add => values()?.into_iter().fold(RBig::ZERO, |sum, n| sum + n),
            Op::Mul => values()?.into_iter().fold(RBig::ONE, |all, n| all * n),
            Op::Quotient => match values()?[..] {
                [a, b] if *b != RBig::ZERO => a / b,
                _ => return None,
            },
            _ => return None,
        })
    }

    pub fn truth(&mut self, value: bool) -> Term {
        let op = if value { Op::True } else { Op::False };
        self.make(op, &[], Sort::Bool)
    }

    pub fn bits(&mut self, width: u32, value: UBig) -> Term {
        self.make(Op::Bits(value), &[], Sort::BitVec(width))
    }

    pub fn number(&mut self, sort: Sort, value: RBig) -> Term {
        self.make(Op::Number(value), &[], sort)
    }

    pub fn integer(&mut self, value: IBig) -> Term {
        self.number(Sort::Int, value.into())
    }

    pub fn not(&mut self, a: Term) -> Term {
        self.make(Op::Not, &[a], Sort::Bool)
    }

    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        self.make(Op::Eq, &[a, b], Sort::Bool)
    }

    pub fn ite(&mut self, condition: Term, a: Term, b: Term) -> Term {
        let sort = self.sort(a).clone();
        self.make(Op::Ite, &[condition, a, b], sort)
    }

    pub fn le(&mut self, a: Term, b: Term) -> Term {
        self.make(Op::Le, &[a, b], Sort::Bool)
    }

    pub fn lt(&mut self, a: Term, b: Term) -> Term {
        self.make(Op::Lt, &[a, b], Sort::Bool)
    }

    pub fn add(&mut self, args: &[Term]) -> Term {
        let sort = self.sort(args[0]).clone();
        self.make(Op::Add, args, sort)
    }

    /// A multiple of a number.
    pub fn times(&mut self, factor: RBig, a: Term) -> Term {
        let sort = self.sort(a).clone();
        let factor = self.number(sort.clone(), factor);
        self.make(Op::Mul, &[factor, a], sort)
    }

    /// The element of an array, which must be one.
    pub fn select(&mut self, array: Term, index: Term) -> Term {
        let Sort::Array(sorts) = self.sort(array) else {
            unreachable!("only arrays are read")
        };
        let element = sorts.1.clone();
        self.make(Op::Select, &[array, index], element)
    }
}
