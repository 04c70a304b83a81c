//! Shapes: terms as they look without names, ids and the choices that the constructors make by them.
//!
//! Every term is read once. Its *shape* has an operator, operands, and says in which ways it may be written:
//!
//! * Operands of commutative operators are a set. Sums are sets of operands with coefficients, and a constant.
//! * A negation is no node but a sign on the edge to its operand.
//! * `x - y = 3` is `y - x = -3`: an equation of sums has two sides that are written the same way. Which one a term
//!   has depends on the order of ids or of what was asked for, so both are kept, the second with all coefficients
//!   negated. On single bits, a sum is not zero where it is one.
//! * `x - y <= 3` is `not (y - x <= -4)` on integers and `not (y - x < -3)` on reals: likewise, with the sign of all
//!   edges to it turned. Signs under an "if and only if" move out of it, the sign of a condition exchanges the
//!   branches.
//!
//! A shape's hashes do not see which way its term is written, and take inputs by their sorts alone.

use refrain_term::{Bv, FloatOp, FuncId, Input, Op, Rational, Rounding, Sort, Term, Terms};
use rustc_hash::FxHashMap;

use super::bytes::{put_bv, put_number, put_signature, put_sort, put_varint};
use super::code;
use super::hash::{hash_bytes, mix};
use super::{MAX_KEY, MAX_NODES, MAX_WIDTH};

/// A shape and a sign: twice the shape's number, plus one if it is negated.
pub(super) type Target = u32;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A constant.
    Value,
    /// A symbol or function.
    Input,
    /// A read of an array symbol at a constant index: an input, unless its array is one.
    Cell,
    Ordered,
    Commutative,
    Sum,
    /// A sum equal to a constant.
    Equation,
    /// A sum at most, or less than, a constant.
    Order,
    Iff,
    Ite,
}

#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub target: Target,
    /// The coefficient; zero where there is none.
    pub weight: u32,
}

/// A coefficient and its opposite, each as hash and as bytes.
#[derive(Clone, Copy)]
pub(super) struct Weight {
    pub hashes: [u64; 2],
    pub bytes: [Span; 2],
    /// Whether it is preferred to its opposite (1), or the opposite to it (-1), or they are the same.
    pub sign: i8,
}

/// A part of a pool.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    #[inline]
    pub fn of<T>(self, pool: &[T]) -> &[T] {
        &pool[self.start as usize..self.end as usize]
    }
}

/// What a node is apart from its operands.
#[derive(Clone, Copy, Default)]
pub(super) struct Label {
    pub code: u8,
    pub hash: u64,
    /// What follows the operands. Of an input: its sort.
    pub payload: Span,
}

#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub kind: Kind,
    /// As the term has it, and the other way; they are the same where there is one way.
    pub labels: [Label; 2],
    pub edges: Span,
    /// Without names: as it is, and negated.
    pub hashes: [u64; 2],
    /// The place of an input in [`Shapes::inputs`].
    pub input: u32,
}

/// The shapes of the terms of one arena. An operand's number is below its user's.
#[derive(Default)]
pub(super) struct Shapes {
    /// By term: [`UNKNOWN`], [`TOO_LARGE`], or the target plus [`KNOWN`].
    of: Vec<u32>,
    funcs: FxHashMap<FuncId, Target>,
    subjects: FxHashMap<Term, Target>,
    pub shapes: Vec<Shape>,
    pub edges: Vec<Edge>,
    pub weights: Vec<Weight>,
    weight_ids: FxHashMap<(u32, Box<[u8]>), u32>,
    pub bytes: Vec<u8>,
    pub inputs: Vec<Input>,
    stack: Vec<Term>,
    scratch: Vec<u8>,
}

const UNKNOWN: u32 = 0;
const TOO_LARGE: u32 = 1;
const KNOWN: u32 = 2;

/// A coefficient of a sum of bit-vectors or of numbers.
trait Coefficient: Clone {
    fn negated(&self) -> Self;
    fn plus(&self, other: &Self) -> Self;
    fn is_nothing(&self) -> bool;
    /// What tells equal bytes apart.
    fn width(&self) -> u32;
    fn put(&self, out: &mut Vec<u8>) -> Option<()>;
    fn sign(&self) -> i8;
}

impl Coefficient for Bv {
    fn negated(&self) -> Bv {
        self.neg()
    }

    fn plus(&self, other: &Bv) -> Bv {
        self.add(other)
    }

    fn is_nothing(&self) -> bool {
        self.is_zero()
    }

    fn width(&self) -> u32 {
        self.width()
    }

    fn put(&self, out: &mut Vec<u8>) -> Option<()> {
        put_bv(out, self);
        Some(())
    }

    fn sign(&self) -> i8 {
        if *self == self.neg() {
            0
        } else if self.sign() {
            -1
        } else {
            1
        }
    }
}

impl Coefficient for Rational {
    fn negated(&self) -> Rational {
        -self
    }

    fn plus(&self, other: &Rational) -> Rational {
        self + other
    }

    fn is_nothing(&self) -> bool {
        self.is_zero()
    }

    fn width(&self) -> u32 {
        0
    }

    fn put(&self, out: &mut Vec<u8>) -> Option<()> {
        put_number(out, self)
    }

    fn sign(&self) -> i8 {
        self.signum() as i8
    }
}

/// `constant + Σ coefficient * term`.
struct Linear<C> {
    constant: C,
    monomials: Vec<(Term, C)>,
}

impl<C: Coefficient> Linear<C> {
    /// Each term once, none with the coefficient zero.
    fn merge(&mut self) {
        self.monomials.sort_by_key(|&(term, _)| term);
        self.monomials.dedup_by(|(term, coefficient), (last, sum)| {
            let is_same = term == last;
            if is_same {
                *sum = sum.plus(coefficient);
            }
            is_same
        });
        self.monomials
            .retain(|(_, coefficient)| !coefficient.is_nothing());
    }

    fn subtract(&mut self, other: Linear<C>) {
        self.constant = self.constant.plus(&other.constant.negated());
        for (term, coefficient) in other.monomials {
            self.monomials.push((term, coefficient.negated()));
        }
        self.merge();
    }
}

/// How a term is read, before its operands are shapes.
enum Reading {
    /// The negation of another term.
    Not(Term),
    Plain(Kind, u8),
    /// A function applied.
    Apply(FuncId),
    Words(Linear<Bv>, Kind, u8),
    Numbers(Linear<Rational>, Kind, u8),
}

impl Shapes {
    /// The shape of a term. `None`: something in it is too large for a key.
    pub fn target(&mut self, terms: &Terms, root: Term) -> Option<Target> {
        if self.of.len() < terms.len() {
            self.of.resize(terms.len(), UNKNOWN);
        }
        if self.of[root.index()] == UNKNOWN {
            self.read(terms, root);
        }
        self.of[root.index()].checked_sub(KNOWN)
    }

    /// A subject, so that it is the same written either way: a truth value as it is, negated or not; a number or word
    /// as the sum that it is, with its coefficients or their opposites. `None`: something in it is too large for a key.
    pub fn subject(&mut self, terms: &Terms, subject: Term) -> Option<Target> {
        let target = self.target(terms, subject)?;
        if let Some(&known) = self.subjects.get(&subject) {
            return Some(known);
        }
        let target = match terms.sort(subject) {
            Sort::Bool => target & !1,
            Sort::BitVec(_) => {
                let sum = words(terms, subject);
                self.linear(sum, Kind::Equation, [code::EQUATION; 2])?
            }
            Sort::Int | Sort::Real => {
                let sum = numbers(terms, subject);
                self.linear(sum, Kind::Equation, [code::EQUATION; 2])?
            }
            Sort::Array { .. } | Sort::Float(_) | Sort::RoundingMode | Sort::Coded(_) => {
                return None;
            }
        };
        self.subjects.insert(subject, target);
        Some(target)
    }

    fn read(&mut self, terms: &Terms, root: Term) {
        self.stack.clear();
        self.stack.push(root);
        let mut made = 0;
        while let Some(&term) = self.stack.last() {
            if self.of[term.index()] != UNKNOWN {
                self.stack.pop();
                continue;
            }
            // What is too large is not gone through to its end.
            if made > MAX_NODES || self.stack.len() > MAX_NODES {
                self.of[root.index()] = TOO_LARGE;
                return;
            }
            let before = self.stack.len();
            let reading = reading(terms, term);
            let (of, stack) = (&self.of, &mut self.stack);
            let mut need = |operand: Term| {
                if of[operand.index()] == UNKNOWN {
                    stack.push(operand);
                }
            };
            match &reading {
                Reading::Not(inner) => need(*inner),
                Reading::Words(linear, ..) => {
                    linear.monomials.iter().for_each(|&(base, _)| need(base));
                }
                Reading::Numbers(linear, ..) => {
                    linear.monomials.iter().for_each(|&(base, _)| need(base));
                }
                // A cell's index is part of its label.
                Reading::Plain(Kind::Cell, _) => need(terms.arg(term, 0)),
                Reading::Plain(..) | Reading::Apply(_) => {
                    terms.args(term).iter().for_each(|&operand| need(operand));
                }
            }
            if self.stack.len() > before {
                continue;
            }
            self.stack.pop();
            made += 1;
            self.of[term.index()] = match self.make(terms, term, reading) {
                Some(target) => target + KNOWN,
                None => TOO_LARGE,
            };
        }
    }

    fn known(&self, term: Term) -> Option<Target> {
        self.of[term.index()].checked_sub(KNOWN)
    }

    fn make(&mut self, terms: &Terms, term: Term, reading: Reading) -> Option<Target> {
        match reading {
            Reading::Not(inner) => Some(self.known(inner)? ^ 1),
            // A bit that is not zero is one.
            Reading::Words(mut linear, Kind::Equation, code)
                if linear.constant.width() == 1 && linear.constant.is_zero() =>
            {
                linear.constant = Bv::one(1);
                Some(self.linear(linear, Kind::Equation, [code; 2])? ^ 1)
            }
            Reading::Words(linear, kind, code) => self.linear(linear, kind, [code; 2]),
            Reading::Numbers(linear, Kind::Order, code) => {
                self.order(linear, code, terms.sort(terms.arg(term, 0)))
            }
            Reading::Numbers(linear, kind, code) => self.linear(linear, kind, [code; 2]),
            Reading::Apply(func) => {
                let func = self.func(terms, func)?;
                let start = self.edges.len() as u32;
                self.edges.push(plain(func));
                self.operands(terms.args(term), start)?;
                let label = self.label(code::APPLY, |_| Some(()))?;
                self.finish(Kind::Ordered, [label; 2], start)
            }
            Reading::Plain(kind, code) => self.plain(terms, term, kind, code),
        }
    }

    fn plain(&mut self, terms: &Terms, term: Term, kind: Kind, code: u8) -> Option<Target> {
        let sort = terms.sort(term);
        match kind {
            Kind::Input => {
                let input = match sort {
                    Sort::Array { .. } => Input::Array(term),
                    _ => Input::Symbol(term),
                };
                let label = self.label(code, |out| put_sort(out, sort))?;
                return self.input(kind, input, [label; 2]);
            }
            Kind::Cell => {
                let index = terms.value(terms.arg(term, 1))?;
                let start = self.edges.len() as u32;
                self.operands(&terms.args(term)[..1], start)?;
                let own = self.label(code::SLOT, |out| put_sort(out, sort))?;
                let read = self.label(code, |out| {
                    put_bv(out, index);
                    Some(())
                })?;
                let target = self.input(kind, Input::Cell(term), [own, read])?;
                self.shapes[target as usize >> 1].edges = Span {
                    start,
                    end: self.edges.len() as u32,
                };
                return Some(target);
            }
            _ => {}
        }
        let start = self.edges.len() as u32;
        let rounding = usize::from(known_rounding(terms, term).is_some());
        self.operands(&terms.args(term)[rounding..], start)?;
        let label = self.label(code, |out| put_payload(out, terms, term));
        let Some(label) = label else {
            self.edges.truncate(start as usize);
            return None;
        };
        self.finish(kind, [label; 2], start)
    }

    fn operands(&mut self, operands: &[Term], start: u32) -> Option<()> {
        for &operand in operands {
            match self.known(operand) {
                Some(target) => self.edges.push(plain(target)),
                None => {
                    self.edges.truncate(start as usize);
                    return None;
                }
            }
        }
        Some(())
    }

    fn func(&mut self, terms: &Terms, func: FuncId) -> Option<Target> {
        if let Some(&target) = self.funcs.get(&func) {
            return Some(target);
        }
        let decl = terms.func_decl(func);
        let label = self.label(code::SLOT, |out| {
            put_signature(out, &decl.args, decl.result)
        })?;
        let target = self.input(Kind::Input, Input::Func(func), [label; 2])?;
        self.funcs.insert(func, target);
        Some(target)
    }

    fn input(&mut self, kind: Kind, input: Input, labels: [Label; 2]) -> Option<Target> {
        let shape = Shape {
            kind,
            labels,
            edges: Span::default(),
            hashes: input_hashes(labels[0].hash),
            input: self.inputs.len() as u32,
        };
        self.inputs.push(input);
        self.push(shape)
    }

    /// A sum equal to minus the constant, or at most or less than it, or the sum itself.
    fn linear<C: Coefficient>(
        &mut self,
        linear: Linear<C>,
        kind: Kind,
        codes: [u8; 2],
    ) -> Option<Target> {
        let constants = match kind {
            Kind::Sum => [linear.constant.clone(), linear.constant.clone()],
            _ => [linear.constant.negated(), linear.constant.clone()],
        };
        self.weighted(&linear.monomials, kind, codes, &constants)
    }

    /// `sum + constant <= 0`, or less. Turned around, `<=` becomes the negation of `<`, which integers do not have.
    fn order(&mut self, linear: Linear<Rational>, code: u8, sort: Sort) -> Option<Target> {
        let limit = -&linear.constant;
        let (turned_code, turned_limit) = match (sort, code) {
            (Sort::Int, _) => (code::LE, &linear.constant - &Rational::ONE),
            (_, code::LE) => (code::LT, linear.constant.clone()),
            _ => (code::LE, linear.constant.clone()),
        };
        self.weighted(
            &linear.monomials,
            Kind::Order,
            [code, turned_code],
            &[limit, turned_limit],
        )
    }

    fn weighted<C: Coefficient>(
        &mut self,
        monomials: &[(Term, C)],
        kind: Kind,
        codes: [u8; 2],
        constants: &[C; 2],
    ) -> Option<Target> {
        if monomials.is_empty() {
            return None;
        }
        let mut edges = Vec::with_capacity(monomials.len());
        for (base, coefficient) in monomials {
            edges.push(Edge {
                target: self.known(*base)?,
                weight: self.weight(coefficient)?,
            });
        }
        let [one, other] = constants;
        let first = self.label(codes[0], |out| one.put(out))?;
        let second = self.label(codes[1], |out| other.put(out))?;
        let start = self.edges.len() as u32;
        self.edges.extend(edges);
        self.finish(kind, [first, second], start)
    }

    fn weight<C: Coefficient>(&mut self, coefficient: &C) -> Option<u32> {
        self.scratch.clear();
        coefficient.put(&mut self.scratch)?;
        let key = (coefficient.width(), self.scratch[..].into());
        if let Some(&weight) = self.weight_ids.get(&key) {
            return Some(weight);
        }
        let one = self.label(0, |out| coefficient.put(out))?;
        let other = self.label(0, |out| coefficient.negated().put(out))?;
        if self.weights.is_empty() {
            // Zero says that there is none.
            self.weights.push(Weight {
                hashes: [0; 2],
                bytes: [Span::default(); 2],
                sign: 0,
            });
        }
        let weight = self.weights.len() as u32;
        self.weights.push(Weight {
            hashes: [one.hash, other.hash],
            bytes: [one.payload, other.payload],
            sign: coefficient.sign(),
        });
        self.weight_ids.insert(key, weight);
        Some(weight)
    }

    fn label(&mut self, code: u8, put: impl FnOnce(&mut Vec<u8>) -> Option<()>) -> Option<Label> {
        let start = self.bytes.len();
        if put(&mut self.bytes).is_none() || self.bytes.len() - start > MAX_KEY {
            self.bytes.truncate(start);
            return None;
        }
        Some(Label {
            code,
            hash: mix(u64::from(code), hash_bytes(&self.bytes[start..])),
            payload: Span {
                start: start as u32,
                end: u32::try_from(self.bytes.len()).ok()?,
            },
        })
    }

    fn finish(&mut self, kind: Kind, labels: [Label; 2], start: u32) -> Option<Target> {
        let mut shape = Shape {
            kind,
            labels,
            edges: Span {
                start,
                end: u32::try_from(self.edges.len()).ok()?,
            },
            hashes: [0; 2],
            input: u32::MAX,
        };
        shape.hashes = self.hashes(&shape, |target| {
            self.shapes[target as usize >> 1].hashes[target as usize & 1]
        });
        self.push(shape)
    }

    fn push(&mut self, shape: Shape) -> Option<Target> {
        let number = u32::try_from(self.shapes.len()).ok()?;
        if number >= 1 << 30 {
            return None;
        }
        self.shapes.push(shape);
        Some(number << 1)
    }

    #[inline]
    pub fn edges_of(&self, shape: &Shape) -> &[Edge] {
        shape.edges.of(&self.edges)
    }

    /// The hashes of a node that is no input, as it is and negated, from those of its operands. Whichever way it is
    /// written, they are the same.
    #[inline]
    pub fn hashes(&self, shape: &Shape, hash: impl Fn(Target) -> u64) -> [u64; 2] {
        let edges = self.edges_of(shape);
        let label = shape.labels[0].hash;
        let one_way = match shape.kind {
            Kind::Value | Kind::Input => label,
            Kind::Cell => mix(shape.labels[1].hash, hash(edges[0].target)),
            Kind::Ordered => edges.iter().fold(label, |h, e| mix(h, hash(e.target))),
            Kind::Commutative => {
                let all = edges.iter().map(|e| mix(hash(e.target), SIBLING));
                mix(label, all.fold(0, u64::wrapping_add))
            }
            Kind::Sum => {
                let all = edges
                    .iter()
                    .map(|e| mix(self.weights[e.weight as usize].hashes[0], hash(e.target)));
                mix(label, all.fold(0, u64::wrapping_add))
            }
            Kind::Equation => {
                let [one, other] = self.both_ways(shape, hash);
                mix(one.wrapping_add(other), EITHER)
            }
            Kind::Order => {
                let [one, other] = self.both_ways(shape, hash);
                return [
                    mix(mix(one, AS_IS).wrapping_add(mix(other, NEGATED)), EITHER),
                    mix(mix(one, NEGATED).wrapping_add(mix(other, AS_IS)), EITHER),
                ];
            }
            Kind::Iff => {
                let [a, b] = [edges[0].target, edges[1].target];
                let pair = |a, b| {
                    let (a, b) = (mix(hash(a), SIBLING), mix(hash(b), SIBLING));
                    mix(label, a.wrapping_add(b))
                };
                return [
                    mix(pair(a, b).wrapping_add(pair(a ^ 1, b ^ 1)), EITHER),
                    mix(pair(a ^ 1, b).wrapping_add(pair(a, b ^ 1)), EITHER),
                ];
            }
            Kind::Ite => {
                let [c, t, e] = [edges[0].target, edges[1].target, edges[2].target];
                let branches = |c, t, e| mix(mix(mix(label, hash(c)), hash(t)), hash(e));
                let both = branches(c, t, e).wrapping_add(branches(c ^ 1, e, t));
                mix(both, EITHER)
            }
        };
        [one_way, mix(one_way, NEGATED)]
    }

    /// A sum against a constant, as it stands and turned around.
    #[inline]
    pub fn both_ways(&self, shape: &Shape, hash: impl Fn(Target) -> u64) -> [u64; 2] {
        let mut sums = [0u64; 2];
        for edge in self.edges_of(shape) {
            let base = hash(edge.target);
            let weight = &self.weights[edge.weight as usize];
            sums[0] = sums[0].wrapping_add(mix(weight.hashes[0], base));
            sums[1] = sums[1].wrapping_add(mix(weight.hashes[1], base));
        }
        [
            mix(shape.labels[0].hash, sums[0]),
            mix(shape.labels[1].hash, sums[1]),
        ]
    }
}

const SIBLING: u64 = 0x51b1_1235_7d6c_9e01;
const EITHER: u64 = 0xe17e_4a55_0c2b_7703;
const AS_IS: u64 = 0xa515_93c8_16f4_2b05;
const NEGATED: u64 = 0x2e6a_7ed3_f0c9_5d07;

/// The hashes of an input of this colour.
#[inline]
pub(super) fn input_hashes(colour: u64) -> [u64; 2] {
    [colour, mix(colour, NEGATED)]
}

fn plain(target: Target) -> Edge {
    Edge { target, weight: 0 }
}

fn reading(terms: &Terms, term: Term) -> Reading {
    let args = terms.args(term);
    let (kind, code) = match terms.op(term) {
        Op::True => (Kind::Value, code::TRUE),
        Op::False => return Reading::Not(Term::TRUE),
        Op::Const(_) => (Kind::Value, code::CONST),
        Op::Number(_) if terms.sort(term) == Sort::Int => (Kind::Value, code::INT),
        Op::Number(_) => (Kind::Value, code::REAL),
        Op::Var(_) => (Kind::Input, code::SLOT),
        Op::Apply(func) => return Reading::Apply(func),
        Op::Not => return Reading::Not(args[0]),
        Op::And => (Kind::Commutative, code::AND),
        Op::Eq => return equality(terms, args[0], args[1]),
        Op::Ite => (Kind::Ite, code::ITE),
        Op::BvNot => (Kind::Ordered, code::BV_NOT),
        Op::BvAnd => (Kind::Commutative, code::BV_AND),
        Op::BvOr => (Kind::Commutative, code::BV_OR),
        Op::BvXor => (Kind::Commutative, code::BV_XOR),
        Op::BvAdd => return Reading::Words(words(terms, term), Kind::Sum, code::SUM),
        Op::BvMul if terms.is_value(args[0]) => {
            return Reading::Words(words(terms, term), Kind::Sum, code::SUM);
        }
        Op::Add => return Reading::Numbers(numbers(terms, term), Kind::Sum, code::SUM),
        Op::Mul if terms.is_value(args[0]) => {
            return Reading::Numbers(numbers(terms, term), Kind::Sum, code::SUM);
        }
        Op::BvMul | Op::Mul => (Kind::Commutative, code::MUL),
        Op::BvUdiv => (Kind::Ordered, code::UDIV),
        Op::BvUrem => (Kind::Ordered, code::UREM),
        Op::BvShl => (Kind::Ordered, code::SHL),
        Op::BvLshr => (Kind::Ordered, code::LSHR),
        Op::BvAshr => (Kind::Ordered, code::ASHR),
        Op::Concat => (Kind::Ordered, code::CONCAT),
        Op::Extract { .. } => (Kind::Ordered, code::EXTRACT),
        Op::SignExtend => (Kind::Ordered, code::SIGN_EXTEND),
        Op::BvUlt => (Kind::Ordered, code::ULT),
        Op::BvSlt => (Kind::Ordered, code::SLT),
        Op::Select if matches!(terms.op(args[0]), Op::Var(_)) && terms.is_value(args[1]) => {
            (Kind::Cell, code::CELL)
        }
        Op::Select => (Kind::Ordered, code::SELECT),
        Op::Store => (Kind::Ordered, code::STORE),
        Op::ConstArray => (Kind::Ordered, code::CONST_ARRAY),
        Op::Table(_) => (Kind::Ordered, code::TABLE),
        Op::Div => (Kind::Ordered, code::DIV),
        Op::ToReal => (Kind::Ordered, code::TO_REAL),
        Op::ToInt => (Kind::Ordered, code::TO_INT),
        Op::Float {
            op: FloatOp::Add | FloatOp::Mul,
            ..
        } if known_rounding(terms, term).is_some() => (Kind::Commutative, code::FLOAT),
        Op::Float {
            op: FloatOp::Eq, ..
        } => (Kind::Commutative, code::FLOAT),
        Op::Float { .. } => (Kind::Ordered, code::FLOAT),
        Op::Surface => unreachable!("below the surface"),
        op @ (Op::Le | Op::Lt) => {
            let mut difference = numbers(terms, args[0]);
            difference.subtract(numbers(terms, args[1]));
            let code = if op == Op::Le { code::LE } else { code::LT };
            return Reading::Numbers(difference, Kind::Order, code);
        }
    };
    Reading::Plain(kind, code)
}

/// How an operator on floats rounds, if that is a constant: then it is no operand of the key's.
fn known_rounding(terms: &Terms, term: Term) -> Option<u8> {
    match terms.op(term) {
        Op::Float { op, .. } if op.is_rounded() => {
            let code = terms.small_value(terms.arg(term, 0))?;
            Some(Rounding::of_code(code).code() as u8)
        }
        _ => None,
    }
}

/// Equations of bit-vectors and of numbers are sums equal to constants.
fn equality(terms: &Terms, a: Term, b: Term) -> Reading {
    match terms.sort(a) {
        Sort::Bool => Reading::Plain(Kind::Iff, code::IFF),
        Sort::Array { .. } => Reading::Plain(Kind::Commutative, code::EQ),
        Sort::BitVec(_) => {
            let mut difference = words(terms, a);
            difference.subtract(words(terms, b));
            if difference.monomials.is_empty() {
                return Reading::Plain(Kind::Commutative, code::EQ);
            }
            Reading::Words(difference, Kind::Equation, code::EQUATION)
        }
        Sort::Int | Sort::Real => {
            let mut difference = numbers(terms, a);
            difference.subtract(numbers(terms, b));
            Reading::Numbers(difference, Kind::Equation, code::EQUATION)
        }
        sort @ (Sort::Float(_) | Sort::RoundingMode | Sort::Coded(_)) => {
            unreachable!("{sort} below the surface")
        }
    }
}

fn numbers(terms: &Terms, term: Term) -> Linear<Rational> {
    let (constant, monomials) = terms.linear_form(term);
    let mut linear = Linear {
        constant,
        monomials,
    };
    linear.merge();
    linear
}

/// A bit-vector as a sum, read the way the constructors read it.
fn words(terms: &Terms, term: Term) -> Linear<Bv> {
    let width = terms.width(term);
    let mut linear = Linear {
        constant: Bv::zero(width),
        monomials: Vec::new(),
    };
    let addends = match terms.op(term) {
        Op::BvAdd => terms.args(term),
        _ => &[term],
    };
    for &addend in addends {
        let (coefficient, base) = monomial(terms, addend, width);
        match terms.op(base) {
            Op::Const(id) => {
                let product = terms.const_value(id).mul(&coefficient);
                linear.constant = linear.constant.add(&product);
            }
            // ~x is -x - 1.
            Op::BvNot => {
                let negated = coefficient.neg();
                linear.constant = linear.constant.add(&negated);
                linear.monomials.push((terms.arg(base, 0), negated));
            }
            _ => linear.monomials.push((base, coefficient)),
        }
    }
    linear.merge();
    linear
}

/// A term as coefficient times base; a shift to the left is a multiplication.
fn monomial(terms: &Terms, term: Term, width: u32) -> (Bv, Term) {
    match terms.op(term) {
        Op::BvMul => {
            if let Some(value) = terms.value(terms.arg(term, 0)) {
                return (value.clone(), terms.arg(term, 1));
            }
        }
        Op::Concat => {
            let (high, low) = (terms.arg(term, 0), terms.arg(term, 1));
            if terms.value(low).is_some_and(Bv::is_zero)
                && terms.op(high) == (Op::Extract { lo: 0 })
                && terms.width(terms.arg(high, 0)) == width
            {
                let shift = Bv::new(64, u64::from(terms.width(low)));
                return (Bv::one(width).shl(&shift), terms.arg(high, 0));
            }
        }
        _ => {}
    }
    (Bv::one(width), term)
}

/// What a node needs besides its operands. `None`: too large.
fn put_payload(out: &mut Vec<u8>, terms: &Terms, term: Term) -> Option<()> {
    let width = match terms.sort(term) {
        Sort::BitVec(width) => width,
        Sort::Array { index, element } => index.max(element),
        _ => 1,
    };
    if width > MAX_WIDTH {
        return None;
    }
    match terms.op(term) {
        Op::Const(id) => {
            put_varint(out, u64::from(width));
            put_bv(out, terms.const_value(id));
        }
        Op::Number(id) => put_number(out, terms.number_of(id))?,
        Op::Extract { lo } => {
            put_varint(out, u64::from(lo));
            put_varint(out, u64::from(width));
        }
        Op::SignExtend => put_varint(out, u64::from(width)),
        Op::Float { op, exponent, to } => {
            out.push(op.code());
            for size in [u32::from(exponent), u32::from(to), width] {
                put_varint(out, u64::from(size));
            }
            out.push(known_rounding(terms, term).unwrap_or(code::ROUNDING_OPERAND));
        }
        Op::ConstArray => {
            if let Sort::Array { index, .. } = terms.sort(term) {
                put_varint(out, u64::from(index));
            }
        }
        Op::Table(id) => {
            let cells = terms.cells(id);
            if cells.len() > MAX_KEY {
                return None;
            }
            put_varint(out, cells.len() as u64);
            for (index, element) in cells {
                put_bv(out, index);
                put_bv(out, element);
            }
        }
        _ => {}
    }
    Some(())
}
