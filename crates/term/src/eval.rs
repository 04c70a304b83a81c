//! Evaluation under one assignment: what every sat answer is checked with.
//!
//! An [`Evaluator`] keeps the value of each term it has been through, indexed by term id, as one machine word: a
//! truth value, the bits of a bit-vector of at most 64, or else the place of a wider value or a number in a side
//! list. Forgetting them all is one increment of a generation number.
//!
//! Arrays are not computed. A read walks down the writes until one has its index, taking only the branch of an `ite`
//! that applies, and ends in a cell of the assignment. Only equality between arrays, and arrays given to functions,
//! need an array as a whole; those are put together from the same walk.
//!
//! The walk keeps its own stack of frames: a frame is a term that waits for others. A frame asks for one thing at a
//! time, so whatever a short-circuit or an `ite` makes irrelevant is never looked at.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::float;
use crate::value::{mask, sign_extend_u64};
use crate::{ArrayValue, Assignment, Bv, OneArena, Op, Rational, Sort, Term, Terms, Value};

/// The value of `term`; symbols that the assignment leaves out are zero.
pub fn eval(terms: &Terms, term: Term, assignment: &Assignment) -> Value {
    Evaluator::new().value(terms, assignment, term)
}

/// Evaluates terms of one arena under one assignment at a time, remembering what it has computed.
#[derive(Default)]
pub struct Evaluator {
    /// `words[t]` is the value of term t if `stamps[t]` is the current generation.
    stamps: Vec<u32>,
    words: Vec<u64>,
    generation: u32,
    /// Bit-vectors of more than 64 bits; the word is the place here.
    wide: Vec<Bv>,
    /// Numbers; the word is the place here.
    numbers: Vec<Rational>,
    /// Arrays that functions returned; the word is the place here.
    arrays: Vec<ArrayValue>,
    stack: Vec<Frame>,
    arena: OneArena,
}

/// A term that waits for the values of others.
#[derive(Clone, Copy)]
struct Frame {
    term: Term,
    /// How many operands have been asked for.
    next: u32,
    /// For a read, or an array as a whole: the array that the walk down has come to.
    at: Term,
}

/// What a frame came to: its value, or what it must know first.
enum Step {
    Done(u64),
    /// An array as a whole: everything its value depends on is known.
    Gathered,
    Need(Term),
}

impl Evaluator {
    pub fn new() -> Evaluator {
        Evaluator {
            generation: 1,
            ..Evaluator::default()
        }
    }

    /// To be called whenever the assignment is another one, or has changed.
    pub fn forget(&mut self) {
        self.wide.clear();
        self.numbers.clear();
        self.arrays.clear();
        if self.generation == u32::MAX {
            self.stamps.fill(0);
            self.generation = 0;
        }
        self.generation += 1;
    }

    /// The truth value of a term of sort Bool.
    pub fn bool(&mut self, terms: &Terms, assignment: &Assignment, term: Term) -> bool {
        debug_assert_eq!(terms.sort(term), Sort::Bool);
        self.run(terms, assignment, term);
        self.words[term.index()] != 0
    }

    /// The value of a bit-vector of at most 64 bits.
    pub fn small(&mut self, terms: &Terms, assignment: &Assignment, term: Term) -> u64 {
        debug_assert!(terms.width(term) <= 64);
        self.run(terms, assignment, term);
        self.words[term.index()]
    }

    /// The value of a term of sort Int or Real.
    pub fn number(&mut self, terms: &Terms, assignment: &Assignment, term: Term) -> &Rational {
        debug_assert!(terms.sort(term).is_number());
        self.run(terms, assignment, term);
        &self.numbers[self.words[term.index()] as usize]
    }

    /// The value of a term of any sort.
    pub fn value(&mut self, terms: &Terms, assignment: &Assignment, term: Term) -> Value {
        self.run(terms, assignment, term);
        Run {
            evaluator: self,
            terms,
            assignment,
        }
        .value(term)
    }

    fn run(&mut self, terms: &Terms, assignment: &Assignment, root: Term) {
        self.arena.check(terms);
        if self.generation == 0 {
            self.generation = 1;
        }
        // Operands have smaller ids than their users: nothing beyond the root is touched.
        let size = root.index() + 1;
        if self.stamps.is_empty() {
            self.stamps = vec![0; size];
            self.words = vec![0; size];
        } else if self.stamps.len() < size {
            self.stamps.resize(size, 0);
            self.words.resize(size, 0);
        }
        Run {
            evaluator: self,
            terms,
            assignment,
        }
        .run(root);
    }
}

/// One run of an evaluator: the evaluator with its inputs.
struct Run<'a> {
    evaluator: &'a mut Evaluator,
    terms: &'a Terms,
    assignment: &'a Assignment,
}

impl<'a> Run<'a> {
    fn run(&mut self, root: Term) {
        if self.known(root).is_some() {
            return;
        }
        self.evaluator.stack.clear();
        self.wait_for(root);
        while let Some(&frame) = self.evaluator.stack.last() {
            let mut frame = frame;
            let step = self.step(&mut frame);
            let top = self.evaluator.stack.len() - 1;
            match step {
                Step::Done(word) => {
                    self.evaluator.stack.truncate(top);
                    self.remember(frame.term, word);
                }
                Step::Gathered => self.evaluator.stack.truncate(top),
                Step::Need(term) => {
                    self.evaluator.stack[top] = frame;
                    self.wait_for(term);
                }
            }
        }
    }

    fn wait_for(&mut self, term: Term) {
        let at = if self.terms.op(term) == Op::Select {
            self.terms.arg(term, 0)
        } else {
            term
        };
        self.evaluator.stack.push(Frame { term, next: 0, at });
    }

    fn remember(&mut self, term: Term, word: u64) {
        self.evaluator.stamps[term.index()] = self.evaluator.generation;
        self.evaluator.words[term.index()] = word;
    }

    /// The word of a term, if it has been computed or needs no computing.
    #[inline]
    fn known(&mut self, term: Term) -> Option<u64> {
        if self.evaluator.stamps[term.index()] == self.evaluator.generation {
            return Some(self.evaluator.words[term.index()]);
        }
        let word = match self.terms.op(term) {
            Op::True => 1,
            Op::False => 0,
            Op::Const(id) => self.word_of_bv(Cow::Borrowed(self.terms.const_value(id))),
            Op::Number(id) => self.word_of_number(self.terms.number_of(id).clone()),
            Op::Var(id) => match (self.terms.sort(term), self.assignment.get(id)) {
                (Sort::Bool, Some(Value::Bool(value))) => u64::from(*value),
                (Sort::BitVec(width), Some(Value::Bv(value))) => {
                    assert_eq!(
                        value.width(),
                        width,
                        "a value of another sort than its symbol"
                    );
                    self.word_of_bv(Cow::Borrowed(value))
                }
                (Sort::Bool, None) => 0,
                (Sort::BitVec(width), None) => self.word_of_bv(Cow::Owned(Bv::zero(width))),
                (Sort::Int, Some(Value::Int(value))) | (Sort::Real, Some(Value::Real(value))) => {
                    self.word_of_number(value.clone())
                }
                (Sort::Int | Sort::Real, None) => self.word_of_number(Rational::ZERO),
                (Sort::Array { .. } | Sort::Float(_) | Sort::RoundingMode | Sort::Coded(_), _) => {
                    return None;
                }
                (sort, Some(value)) => panic!("a {} where a {sort} belongs", value.sort()),
            },
            _ => return None,
        };
        self.remember(term, word);
        Some(word)
    }

    fn word_of_bv(&mut self, value: Cow<'_, Bv>) -> u64 {
        value.small().unwrap_or_else(|| {
            self.evaluator.wide.push(value.into_owned());
            self.evaluator.wide.len() as u64 - 1
        })
    }

    fn word_of_number(&mut self, value: Rational) -> u64 {
        self.evaluator.numbers.push(value);
        self.evaluator.numbers.len() as u64 - 1
    }

    /// The value of a known number term.
    fn number(&self, term: Term) -> &Rational {
        &self.evaluator.numbers[self.word(term) as usize]
    }

    /// The word of a term that is known.
    #[inline]
    fn word(&self, term: Term) -> u64 {
        debug_assert_eq!(
            self.evaluator.stamps[term.index()],
            self.evaluator.generation
        );
        self.evaluator.words[term.index()]
    }

    /// The value of a known bit-vector term.
    fn bv(&self, term: Term) -> Cow<'_, Bv> {
        self.bv_of_word(self.terms.width(term), self.word(term))
    }

    fn bv_of_word(&self, width: u32, word: u64) -> Cow<'_, Bv> {
        if width <= 64 {
            Cow::Owned(Bv::new(width, word))
        } else {
            Cow::Borrowed(&self.evaluator.wide[word as usize])
        }
    }

    /// Whether two words of bit-vectors of the same width mean the same.
    #[inline]
    fn same(&self, width: u32, a: u64, b: u64) -> bool {
        a == b || width > 64 && self.evaluator.wide[a as usize] == self.evaluator.wide[b as usize]
    }

    /// The value of a term that a run has gone through.
    fn value(&self, term: Term) -> Value {
        match self.terms.sort(term) {
            Sort::Bool => Value::Bool(self.word(term) != 0),
            Sort::BitVec(_) => Value::Bv(self.bv(term).into_owned()),
            Sort::Array { .. } => Value::Array(self.array(term)),
            Sort::Int => Value::Int(self.number(term).clone()),
            Sort::Real => Value::Real(self.number(term).clone()),
            Sort::Float(_) | Sort::RoundingMode | Sort::Coded(_) => {
                self.value(self.terms.below_surface(term))
            }
        }
    }

    fn step(&mut self, frame: &mut Frame) -> Step {
        let term = frame.term;
        match self.terms.op(term) {
            Op::And => self.and(frame),
            Op::Ite if !self.terms.sort(term).is_array() => self.ite(term),
            Op::Select => self.select(frame),
            Op::Apply(_) => match self.next_operand(frame) {
                Some(operand) => Step::Need(operand),
                None => Step::Done(self.apply(term)),
            },
            _ if self.terms.sort(term).is_array() => self.gather(frame),
            Op::Surface => self.done_with(self.terms.arg(term, 0)),
            _ => match self.next_operand(frame) {
                Some(operand) => Step::Need(operand),
                None => Step::Done(self.compute(term)),
            },
        }
    }

    /// The next operand that is not known yet. An array is asked for once, to be gathered.
    fn next_operand(&mut self, frame: &mut Frame) -> Option<Term> {
        let terms = self.terms;
        let args = terms.args(frame.term);
        while let Some(&operand) = args.get(frame.next as usize) {
            frame.next += 1;
            if self.known(operand).is_none() {
                return Some(operand);
            }
        }
        None
    }

    fn and(&mut self, frame: &mut Frame) -> Step {
        let terms = self.terms;
        let args = terms.args(frame.term);
        while let Some(&operand) = args.get(frame.next as usize) {
            match self.known(operand) {
                None => return Step::Need(operand),
                Some(0) => return Step::Done(0),
                Some(_) => frame.next += 1,
            }
        }
        Step::Done(1)
    }

    fn ite(&mut self, term: Term) -> Step {
        let condition = self.terms.arg(term, 0);
        let Some(word) = self.known(condition) else {
            return Step::Need(condition);
        };
        let branch = self.terms.arg(term, if word != 0 { 1 } else { 2 });
        match self.known(branch) {
            Some(word) => Step::Done(word),
            None => Step::Need(branch),
        }
    }

    /// Reads: from the outermost write inwards.
    fn select(&mut self, frame: &mut Frame) -> Step {
        let terms = self.terms;
        let index = terms.arg(frame.term, 1);
        let width = terms.width(index);
        let Some(word) = self.known(index) else {
            return Step::Need(index);
        };
        loop {
            let array = frame.at;
            match terms.op(array) {
                Op::Store => {
                    let written = terms.arg(array, 1);
                    let Some(written_word) = self.known(written) else {
                        return Step::Need(written);
                    };
                    if self.same(width, word, written_word) {
                        return self.done_with(terms.arg(array, 2));
                    }
                    frame.at = terms.arg(array, 0);
                }
                Op::Table(id) => {
                    let cell = terms.cell(id, &self.bv_of_word(width, word));
                    if let Some(cell) = cell {
                        return Step::Done(self.word_of_bv(Cow::Borrowed(cell)));
                    }
                    frame.at = terms.arg(array, 0);
                }
                Op::Ite => {
                    let condition = terms.arg(array, 0);
                    let Some(taken) = self.known(condition) else {
                        return Step::Need(condition);
                    };
                    frame.at = terms.arg(array, if taken != 0 { 1 } else { 2 });
                }
                Op::ConstArray => return self.done_with(terms.arg(array, 0)),
                Op::Var(_) => {
                    let value = self.array_symbol(array);
                    return Step::Done(self.element(value, frame.term, word));
                }
                Op::Apply(_) => {
                    let Some(place) = self.known(array) else {
                        return Step::Need(array);
                    };
                    let arrays = std::mem::take(&mut self.evaluator.arrays);
                    let element = self.element(Some(&arrays[place as usize]), frame.term, word);
                    self.evaluator.arrays = arrays;
                    return Step::Done(element);
                }
                op => unreachable!("{op:?} is no array"),
            }
        }
    }

    /// What a read finds in an array value at the index of this word; an array that is missing is zero.
    fn element(&mut self, array: Option<&ArrayValue>, read: Term, index: u64) -> u64 {
        let (width, index_width) = (
            self.terms.width(read),
            self.terms.width(self.terms.arg(read, 1)),
        );
        match array {
            Some(array) if width <= 64 && index_width <= 64 => array.word(index),
            None if width <= 64 => 0,
            Some(array) => {
                let element = array.get(&self.bv_of_word(index_width, index));
                self.word_of_bv(Cow::Owned(element))
            }
            None => self.word_of_bv(Cow::Owned(Bv::zero(width))),
        }
    }

    /// The frame has the value of this other term.
    fn done_with(&mut self, other: Term) -> Step {
        match self.known(other) {
            Some(word) => Step::Done(word),
            None => Step::Need(other),
        }
    }

    /// The value of an array symbol, if the assignment has one.
    fn array_symbol(&self, array: Term) -> Option<&'a ArrayValue> {
        let Op::Var(id) = self.terms.op(array) else {
            unreachable!("a symbol")
        };
        match self.assignment.get(id)? {
            Value::Array(value) => {
                assert_eq!(
                    value.sort(),
                    self.terms.sort(array),
                    "a value of another sort than its symbol"
                );
                Some(value)
            }
            other => panic!("a {} where an array belongs", other.sort()),
        }
    }

    /// Asks for everything that the value of a whole array depends on.
    fn gather(&mut self, frame: &mut Frame) -> Step {
        let terms = self.terms;
        loop {
            let array = frame.at;
            match terms.op(array) {
                Op::Store => {
                    for operand in [terms.arg(array, 1), terms.arg(array, 2)] {
                        if self.known(operand).is_none() {
                            return Step::Need(operand);
                        }
                    }
                    frame.at = terms.arg(array, 0);
                }
                Op::Table(_) => frame.at = terms.arg(array, 0),
                Op::Ite => {
                    let condition = terms.arg(array, 0);
                    let Some(taken) = self.known(condition) else {
                        return Step::Need(condition);
                    };
                    frame.at = terms.arg(array, if taken != 0 { 1 } else { 2 });
                }
                Op::ConstArray | Op::Apply(_) => {
                    let needed = if terms.op(array) == Op::ConstArray {
                        terms.arg(array, 0)
                    } else {
                        array
                    };
                    return match self.known(needed) {
                        Some(_) => Step::Gathered,
                        None => Step::Need(needed),
                    };
                }
                Op::Var(_) => return Step::Gathered,
                op => unreachable!("{op:?} is no array"),
            }
        }
    }

    /// The value of an array that has been gathered: what is written, outermost first, over what is below.
    fn array(&self, array: Term) -> ArrayValue {
        let terms = self.terms;
        let mut written: FxHashMap<Bv, Bv> = FxHashMap::default();
        let mut at = array;
        let mut value = loop {
            match terms.op(at) {
                Op::Store => {
                    let (index, element) = (self.bv(terms.arg(at, 1)), self.bv(terms.arg(at, 2)));
                    written
                        .entry(index.into_owned())
                        .or_insert_with(|| element.into_owned());
                    at = terms.arg(at, 0);
                }
                Op::Table(id) => {
                    for (index, element) in terms.cells(id) {
                        written
                            .entry(index.clone())
                            .or_insert_with(|| element.clone());
                    }
                    at = terms.arg(at, 0);
                }
                Op::Ite => {
                    let taken = self.word(terms.arg(at, 0)) != 0;
                    at = terms.arg(at, if taken { 1 } else { 2 });
                }
                Op::ConstArray => {
                    let Sort::Array { index, .. } = terms.sort(at) else {
                        unreachable!("an array")
                    };
                    break ArrayValue::filled(index, self.bv(terms.arg(at, 0)).into_owned());
                }
                Op::Apply(_) => break self.evaluator.arrays[self.word(at) as usize].clone(),
                Op::Var(_) => match (self.array_symbol(at), terms.sort(at)) {
                    (Some(value), _) => break value.clone(),
                    (None, Sort::Array { index, element }) => {
                        break ArrayValue::new(index, element);
                    }
                    (None, sort) => unreachable!("{sort} is no array"),
                },
                op => unreachable!("{op:?} is no array"),
            }
        };
        for (index, element) in written {
            value.set(index, element);
        }
        value
    }

    /// A function, its arguments known.
    fn apply(&mut self, term: Term) -> u64 {
        let Op::Apply(func) = self.terms.op(term) else {
            unreachable!("an application")
        };
        let result = match self.assignment.func(func) {
            Some(value) => {
                let args: Vec<Value> = self
                    .terms
                    .args(term)
                    .iter()
                    .map(|&arg| self.value(arg))
                    .collect();
                value.get(&args).clone()
            }
            None => Value::zero(self.terms.sort(term)),
        };
        assert_eq!(
            result.sort(),
            self.terms.sort(term),
            "a function result of another sort than declared"
        );
        match result {
            Value::Bool(value) => u64::from(value),
            Value::Bv(value) => self.word_of_bv(Cow::Owned(value)),
            Value::Array(value) => {
                self.evaluator.arrays.push(value);
                self.evaluator.arrays.len() as u64 - 1
            }
            Value::Int(value) | Value::Real(value) => self.word_of_number(value),
        }
    }

    /// An operator on floats, its operands known.
    fn compute_float(&mut self, term: Term) -> u64 {
        let terms = self.terms;
        let (op, format, result) = terms.float_op(term).expect("an operator on floats");
        let args = terms.args(term);
        let width = terms.width(*args.last().expect("an operand"));
        if width <= 64 && result.0 <= 64 {
            let mut words = [0; 4];
            for (word, &arg) in words.iter_mut().zip(args) {
                *word = self.word(arg);
            }
            let words = &words[..args.len()];
            if let Some(word) = float::operate_words(op, format, result, width, words) {
                return word;
            }
        }
        let values: Vec<Cow<'_, Bv>> = args.iter().map(|&arg| self.bv(arg)).collect();
        let values: Vec<&Bv> = values.iter().map(|value| &**value).collect();
        let value = float::operate(op, format, result, &values);
        self.word_of_bv(Cow::Owned(value))
    }

    /// Any other operator, its operands known.
    fn compute(&mut self, term: Term) -> u64 {
        let terms = self.terms;
        let args = terms.args(term);
        let width_of = |t: Term| terms.sort(t).width().unwrap_or(1);
        match terms.op(term) {
            Op::Not => u64::from(self.word(args[0]) == 0),
            Op::Eq => match terms.sort(args[0]) {
                Sort::Bool => u64::from(self.word(args[0]) == self.word(args[1])),
                Sort::BitVec(width) => {
                    u64::from(self.same(width, self.word(args[0]), self.word(args[1])))
                }
                Sort::Array { .. } => u64::from(self.array(args[0]) == self.array(args[1])),
                Sort::Int | Sort::Real => u64::from(self.number(args[0]) == self.number(args[1])),
                sort => unreachable!("{sort} below the surface"),
            },
            Op::Le => u64::from(self.number(args[0]) <= self.number(args[1])),
            Op::Lt => u64::from(self.number(args[0]) < self.number(args[1])),
            Op::Float { .. } => self.compute_float(term),
            op @ (Op::Add | Op::Mul | Op::Div | Op::ToReal | Op::ToInt) => {
                let operands = args.iter().map(|&arg| self.number(arg));
                let value = operate_on_numbers(op, terms.sort(term), operands);
                self.word_of_number(value)
            }
            op if width_of(term) <= 64 && width_of(args[0]) <= 64 => {
                let a = self.word(args[0]);
                let operand_width = width_of(args[0]);
                match *args {
                    [_] => small_unary(op, terms, term, operand_width, a),
                    [_, b] if op == Op::Concat => a << width_of(b) | self.word(b),
                    [_, b] => small_binary(op, operand_width, a, self.word(b)),
                    _ => {
                        debug_assert_eq!(op, Op::BvAdd);
                        args.iter()
                            .fold(0, |sum: u64, &t| sum.wrapping_add(self.word(t)))
                            & mask(operand_width)
                    }
                }
            }
            op => {
                let operands: Vec<Cow<'_, Bv>> = args.iter().map(|&arg| self.bv(arg)).collect();
                match operate(op, width_of(term), &operands) {
                    Value::Bool(value) => u64::from(value),
                    Value::Bv(value) => self.word_of_bv(Cow::Owned(value)),
                    value => unreachable!("a {} of bit-vectors", value.sort()),
                }
            }
        }
    }
}

/// Operators on bit-vectors of any width, by the operations of [`Bv`]; `width` is that of the result.
pub(crate) fn operate(op: Op, width: u32, args: &[Cow<'_, Bv>]) -> Value {
    let a = &*args[0];
    let b = || &*args[1];
    Value::Bv(match op {
        Op::BvUlt => return Value::Bool(a.ult(b())),
        Op::BvSlt => return Value::Bool(a.slt(b())),
        Op::BvNot => a.not(),
        Op::BvAnd => a.and(b()),
        Op::BvOr => a.or(b()),
        Op::BvXor => a.xor(b()),
        Op::BvAdd => args[1..]
            .iter()
            .fold(a.clone(), |sum, addend| sum.add(addend)),
        Op::BvMul => a.mul(b()),
        Op::BvUdiv => a.udiv(b()),
        Op::BvUrem => a.urem(b()),
        Op::BvShl => a.shl(b()),
        Op::BvLshr => a.lshr(b()),
        Op::BvAshr => a.ashr(b()),
        Op::Concat => a.concat(b()),
        Op::Extract { lo } => a.extract(lo + width - 1, lo),
        Op::SignExtend => a.sign_extend(width - a.width()),
        op => unreachable!("{op:?} is no bit-vector operation"),
    })
}

/// Sums, products and quotients of numbers of this sort.
pub(crate) fn operate_on_numbers<'a>(
    op: Op,
    sort: Sort,
    mut args: impl Iterator<Item = &'a Rational>,
) -> Rational {
    if op == Op::Add {
        return args.fold(Rational::ZERO, |mut sum, addend| {
            sum += addend;
            sum
        });
    }
    let a = args.next().expect("an operand");
    match op {
        Op::ToReal => return a.clone(),
        Op::ToInt => return a.floor(),
        _ => {}
    }
    let b = args.next().expect("two operands");
    match op {
        Op::Mul => a * b,
        Op::Div if b.is_zero() => Rational::ZERO,
        Op::Div if sort == Sort::Int => a.div_euclid(b),
        Op::Div => a / b,
        op => unreachable!("{op:?} gives no number"),
    }
}

/// Unary operators on bit-vectors of at most 64 bits, to at most 64 bits.
fn small_unary(op: Op, terms: &Terms, term: Term, operand_width: u32, a: u64) -> u64 {
    let result = mask(terms.width(term));
    match op {
        Op::BvNot => !a & result,
        Op::Extract { lo } => a >> lo & result,
        Op::SignExtend => sign_extend_u64(a, operand_width) as u64 & result,
        op => unreachable!("{op:?} is not unary"),
    }
}

/// Binary operators on bit-vectors of `width` at most 64, both operands of the same width.
#[inline]
fn small_binary(op: Op, width: u32, a: u64, b: u64) -> u64 {
    let all = mask(width);
    match op {
        Op::BvAnd => a & b,
        Op::BvOr => a | b,
        Op::BvXor => a ^ b,
        Op::BvAdd => a.wrapping_add(b) & all,
        Op::BvMul => a.wrapping_mul(b) & all,
        Op::BvUdiv => a.checked_div(b).unwrap_or(all),
        Op::BvUrem => a.checked_rem(b).unwrap_or(a),
        Op::BvShl => {
            if b < u64::from(width) {
                a << b & all
            } else {
                0
            }
        }
        Op::BvLshr => {
            if b < u64::from(width) {
                a >> b
            } else {
                0
            }
        }
        Op::BvAshr => (sign_extend_u64(a, width) >> b.min(u64::from(width) - 1)) as u64 & all,
        Op::BvUlt => u64::from(a < b),
        Op::BvSlt => u64::from(sign_extend_u64(a, width) < sign_extend_u64(b, width)),
        op => unreachable!("{op:?} is not binary"),
    }
}
