//! `--arithmetic integers`: conditions on machine integers as conditions on mathematical ones.
//!
//! The machine builds bit-vector terms over the bytes of its inputs. Here they become terms over integers, each
//! within the bounds of the bytes it stands for (`inputs`). The value of a bit-vector is its signed one. Additions,
//! subtractions and multiplications, shifts to the left among them, *do not overflow*; what takes bits apart,
//! truncation, extension, masks, shifts to the right, unsigned comparison, is exact, by `div` and `mod` where the
//! intervals of the operands do not show that nothing happens (`arithmetic`). Sums of less than 32 bits are truncated
//! ones. What has no such form is [`Inexpressible`], with its name.
//!
//! Terms come as the arena has rewritten them, modulo their width. What it cannot tell apart is not told apart here:
//! `x << 8` and `(x & 0xffffff) << 8` are one term, and become `256 x`; constants have been added with their
//! overflow.
//!
//! Boolean structure is kept: the negation of a condition becomes the negation of what the condition becomes, so that
//! of the ways a program can go on exactly one is taken by every assignment of the integers, whatever overflows.
//!
//! * `uses`: which bytes are one integer, by how the first condition that has them uses them;
//! * `settled`: the same for all workers of a run;
//! * `inputs`: integers and bytes, in both directions;
//! * `facts`: comparisons of whole numbers, which come byte by byte;
//! * `compare`, `bitwise`, `tables`: a family of operators each.

mod arithmetic;
mod bitwise;
mod compare;
mod facts;
mod inputs;
mod interval;
mod number;
mod parts;
mod settled;
mod tables;
mod uses;

use std::fmt;

use refrain_term::{Assignment, Bv, Input, OneArena, Op, Rational, Sort, Support, Term, Terms};

use arithmetic::{Arithmetic, Number};
use inputs::{Bits, Inputs};
use interval::Interval;
use number::signed;
use parts::{Part, as_bits, parts};
pub use settled::Settled;
use uses::Uses;

/// What a condition has that integers cannot express: `an array at a symbolic index`, for example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inexpressible(&'static str);

impl Inexpressible {
    /// Its name, to be read after "cannot be expressed over integers:".
    pub fn name(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Inexpressible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Inexpressible {}

/// What became of a term.
#[derive(Clone, Copy)]
enum Done {
    Condition(Term),
    Number(Number),
    Not(Inexpressible),
}

/// The translation of the terms of one arena.
#[derive(Default)]
pub struct Integers {
    /// By term: one more than its position in `done`.
    at: Vec<u32>,
    done: Vec<Done>,
    arithmetic: Arithmetic,
    inputs: Inputs,
    uses: Uses,
    support: Support,
    arena: OneArena,
}

impl Integers {
    pub fn new() -> Integers {
        Integers::default()
    }

    /// A translation that takes over what is settled about inputs, and settles more for the others.
    pub fn with(settled: Settled) -> Integers {
        Integers {
            inputs: Inputs::new(settled),
            ..Integers::default()
        }
    }

    /// A condition over integers. The [bounds](Integers::bounds) of its variables belong on the path before it.
    pub fn condition(&mut self, terms: &mut Terms, condition: Term) -> Result<Term, Inexpressible> {
        self.translate(terms, condition);
        self.known_condition(condition)
    }

    /// A number over integers: its signed value, or 1 and 0 for a condition.
    ///
    /// It may be one that the machine would have wrapped: [`Integers::word`] is what the machine has.
    pub fn number(&mut self, terms: &mut Terms, term: Term) -> Result<Term, Inexpressible> {
        self.translate(terms, term);
        if terms.sort(term) == Sort::Bool {
            let condition = self.known_condition(term)?;
            let (one, zero) = (terms.int(1), terms.int(0));
            return Ok(terms.ite(condition, one, zero));
        }
        Ok(self.signed(terms, term)?.term)
    }

    /// That a term has a value, as the machine knows it: that its number has these low bits. It is what fixes a term
    /// to the [word](Integers::word) that its number evaluates to, even where that has overflowed.
    pub fn equals(
        &mut self,
        terms: &mut Terms,
        term: Term,
        value: u64,
    ) -> Result<Term, Inexpressible> {
        self.translate(terms, term);
        let Sort::BitVec(width) = terms.sort(term) else {
            let condition = self.known_condition(term)?;
            return Ok(match value & 1 {
                1 => condition,
                _ => terms.not(condition),
            });
        };
        let number = self.known(term)?;
        let value = number::unsigned(&Bv::new(width, value));
        Ok(self.has_low_bits(terms, number, width, &value))
    }

    /// The bounds of the variables that a translated term has: two atoms for each of them, which say nothing about
    /// any other. They belong on every path that the term is on.
    pub fn bounds(&mut self, terms: &Terms, translated: Term) -> Vec<Term> {
        let inputs = self.support.inputs(terms, translated);
        let symbols = inputs.iter().filter_map(|&input| match input {
            Input::Symbol(var) => self.inputs.segment_of_var(var),
            _ => None,
        });
        symbols.flat_map(|segment| segment.bounds).collect()
    }

    /// What a byte of an input is under an assignment of the integers.
    pub fn byte(&self, terms: &Terms, assignment: &Assignment, byte: Term) -> u8 {
        self.inputs.word(terms, assignment, byte) as u8
    }

    /// The bytes of all inputs met so far under an assignment of the integers.
    pub fn bytes(&self, terms: &Terms, assignment: &Assignment) -> Assignment {
        self.inputs.bytes(terms, assignment)
    }

    /// The integers of all inputs met so far, under an assignment of their bytes: the way back from [`Integers::byte`].
    pub fn assignment(&self, terms: &Terms, bytes: &Assignment) -> Assignment {
        self.inputs.integers(terms, bytes)
    }

    /// Decides which integers stand for an input of so many bytes before any condition uses it: one if it has the
    /// size of a number, else one for each byte. Then [`Integers::assignment`] knows it.
    pub fn declare(&mut self, terms: &mut Terms, name: &str, bytes: u32) {
        let variables: Vec<Term> = (0..bytes)
            .map(|index| terms.var(&format!("{name}[{index}]"), Sort::BitVec(8)))
            .collect();
        let Some(first) = variables
            .first()
            .and_then(|&first| self.inputs.bits_of(terms, first))
        else {
            return;
        };
        let count = if matches!(bytes, 2 | 4 | 8) { bytes } else { 1 };
        for index in (0..bytes).step_by(count as usize) {
            let bits = Bits {
                input: first.input,
                low: 8 * index,
                count: 8 * count,
            };
            self.inputs.settle(terms, bits, true);
        }
    }

    /// Whether every integer of an assignment is within its bounds, so that bytes can be it.
    pub fn is_input(&self, terms: &Terms, assignment: &Assignment) -> bool {
        self.inputs.are_within_bounds(terms, assignment)
    }

    /// The machine's word, of at most 64 bits, for an integer: two's complement, wrapped.
    pub fn word(value: &Rational, width: u32) -> u64 {
        number::wrapped(value, width.min(64))
    }

    fn get(&self, term: Term) -> Option<Done> {
        match self.at.get(term.index()) {
            Some(&at) if at > 0 => Some(self.done[at as usize - 1]),
            _ => None,
        }
    }

    fn set(&mut self, term: Term, done: Done) {
        if self.at.len() <= term.index() {
            self.at.resize(term.index() + 1, 0);
        }
        self.done.push(done);
        self.at[term.index()] = self.done.len() as u32;
    }

    fn known_condition(&self, term: Term) -> Result<Term, Inexpressible> {
        match self.get(term) {
            Some(Done::Condition(condition)) => Ok(condition),
            Some(Done::Not(name)) => Err(name),
            _ => Err(Inexpressible("a term of another sort")),
        }
    }

    /// The number of an operand, perhaps cut.
    fn known(&self, term: Term) -> Result<Number, Inexpressible> {
        match self.get(term) {
            Some(Done::Number(number)) => Ok(number),
            Some(Done::Not(name)) => Err(name),
            _ => Err(Inexpressible("a term of another sort")),
        }
    }

    /// The signed value of an operand.
    fn signed(&mut self, terms: &mut Terms, term: Term) -> Result<Number, Inexpressible> {
        let number = self.known(term)?;
        Ok(self.arithmetic.signed(terms, number, terms.width(term)))
    }

    /// The unsigned value of an operand.
    fn unsigned(&mut self, terms: &mut Terms, term: Term) -> Result<Number, Inexpressible> {
        let number = self.known(term)?;
        Ok(self.arithmetic.unsigned(terms, number, terms.width(term)))
    }

    /// Translates a term and all that it needs, operands first.
    fn translate(&mut self, terms: &mut Terms, root: Term) {
        self.arena.check(terms);
        if self.get(root).is_some() {
            return;
        }
        self.uses.settle(terms, &mut self.inputs, root);
        let mut stack = vec![(root, false)];
        while let Some((term, is_ready)) = stack.pop() {
            if self.get(term).is_some() {
                continue;
            }
            if !is_ready {
                stack.push((term, true));
                let operands = self.operands(terms, term);
                stack.extend(operands.into_iter().map(|operand| (operand, false)));
                continue;
            }
            let done = match terms.sort(term) {
                Sort::Bool => self.make_condition(terms, term).map(Done::Condition),
                _ => self.make_number(terms, term).map(Done::Number),
            };
            self.set(term, done.unwrap_or_else(Done::Not));
        }
    }

    /// The terms whose translation a term's needs.
    fn operands(&mut self, terms: &Terms, term: Term) -> Vec<Term> {
        match terms.op(term) {
            Op::Concat => parts(terms, &mut self.inputs, term)
                .into_iter()
                .filter_map(|part| match part {
                    Part::Term(term) => Some(term),
                    Part::Bits(_) => None,
                })
                .collect(),
            Op::Extract { .. } if as_bits(terms, &mut self.inputs, term).is_some() => Vec::new(),
            Op::And => facts::facts(terms, &mut self.inputs, term).1,
            Op::Select => tables::operands(terms, term),
            Op::Store | Op::ConstArray | Op::Table(_) => Vec::new(),
            _ => terms.args(term).to_vec(),
        }
    }

    fn make_number(&mut self, terms: &mut Terms, term: Term) -> Result<Number, Inexpressible> {
        let Sort::BitVec(width) = terms.sort(term) else {
            return Err(Inexpressible("an array as a whole"));
        };
        if let Some(bits) = as_bits(terms, &mut self.inputs, term) {
            return Ok(self.bits(terms, bits));
        }
        let args = terms.args(term).to_vec();
        match (terms.op(term), &args[..]) {
            (Op::Const(id), _) => {
                let value = signed(terms.const_value(id));
                Ok(Number::constant(terms, value))
            }
            (Op::Concat, _) => self.concat(terms, term),
            (Op::Extract { lo }, &[of]) => {
                let number = self.known(of)?;
                let from = terms.width(of);
                Ok(self.arithmetic.slice(terms, number, from, lo, width))
            }
            (Op::SignExtend, &[of]) => self.signed(terms, of),
            (Op::BvNot, &[of]) => {
                let number = self.known(of)?;
                Ok(self.complement(terms, number))
            }
            (Op::BvAdd, addends) => {
                let numbers: Result<Vec<Number>, _> =
                    addends.iter().map(|&addend| self.known(addend)).collect();
                let numbers = numbers?;
                let sum = self.arithmetic.sum(terms, &numbers);
                Ok(calculated(sum, &numbers, width))
            }
            (Op::BvMul, &[a, b]) => {
                let (a, b) = (self.known(a)?, self.known(b)?);
                let product = self.arithmetic.product(terms, a, b);
                Ok(calculated(product, &[a, b], width))
            }
            (Op::BvUdiv | Op::BvUrem, &[a, b]) => self.division(terms, term, a, b),
            (Op::BvAnd | Op::BvOr | Op::BvXor, &[a, b]) => self.bitwise(terms, term, a, b),
            (Op::BvShl | Op::BvLshr | Op::BvAshr, &[a, by]) => self.shift(terms, term, a, by),
            (Op::Ite, &[condition, then, other]) => {
                let condition = self.known_condition(condition)?;
                let then = self.signed(terms, then)?;
                let other = self.signed(terms, other)?;
                Ok(self.arithmetic.choice(terms, condition, then, other))
            }
            (Op::Select, _) => self.read(terms, term),
            (Op::Apply(_), _) => Err(Inexpressible("a function that nothing is known of")),
            _ => Err(Inexpressible("an operation that integers do not have")),
        }
    }

    /// The number that bits of an input are.
    fn bits(&mut self, terms: &mut Terms, bits: Bits) -> Number {
        let mut parts = Vec::new();
        for (segment, part) in self.inputs.parts(terms, bits) {
            let (whole, low) = (segment.number(), part.low - segment.bits.low);
            let number = if segment.is_signed {
                let width = segment.bits.count;
                self.arithmetic.slice(terms, whole, width, low, part.count)
            } else {
                // An unsigned integer is not the value of its own bits: they are always a part of it.
                let shifted = self
                    .arithmetic
                    .quotient(terms, whole, &number::power_of_two(low));
                Number {
                    cut: Some(0),
                    ..shifted
                }
            };
            parts.push((number, part.count));
        }
        self.joined(terms, &parts)
    }

    /// The number of a concatenation.
    fn concat(&mut self, terms: &mut Terms, term: Term) -> Result<Number, Inexpressible> {
        let mut numbers = Vec::new();
        let mut is_shift = false;
        let parts = parts(terms, &mut self.inputs, term);
        for (place, &part) in parts.iter().enumerate() {
            numbers.push(match part {
                Part::Bits(bits) => (self.bits(terms, bits), bits.count),
                Part::Term(part) => {
                    is_shift = place == 1 && parts.len() == 2 && terms.is_value(part);
                    (self.known(part)?, terms.width(part))
                }
            });
        }
        let mut joined = self.joined(terms, &numbers);
        // The low bits of a number above a constant, as many in all as it has itself: a multiplication, which does
        // not overflow.
        let width = terms.width(term);
        if is_shift && numbers[0].0.cut == Some(width) && width >= ARITHMETIC_WIDTH {
            joined.cut = None;
        }
        Ok(joined)
    }

    /// Numbers with their widths side by side, the highest first.
    fn joined(&mut self, terms: &mut Terms, parts: &[(Number, u32)]) -> Number {
        let Some((&(highest, _), lower)) = parts.split_first() else {
            return Number::small(terms, 0);
        };
        let mut sum = highest;
        for &(part, width) in lower {
            let part = self.arithmetic.unsigned(terms, part, width);
            sum = self
                .arithmetic
                .scaled(terms, &number::power_of_two(width), sum);
            sum = self.arithmetic.sum(terms, &[sum, part]);
        }
        if !lower.is_empty() {
            sum.cut = sum.cut.map(|_| 0);
        }
        sum
    }
}

/// The narrowest numbers that programs calculate with. A narrower sum is the low part of one.
const ARITHMETIC_WIDTH: u32 = 32;

/// What is calculated from operands of a width, with the cut that it has.
fn calculated(number: Number, operands: &[Number], width: u32) -> Number {
    let is_narrow = |operand: &Number| operand.range.is_within(Interval::signed(width.max(2) - 1));
    // An operand that is not cut but has as many bits may be the low bits of a number that has several segments.
    let is_clear = operands
        .iter()
        .all(|operand| operand.cut.is_some() || is_narrow(operand));
    let cut = match number.cut {
        Some(whole) if is_clear => Some(whole),
        Some(_) => Some(0),
        None => (width < ARITHMETIC_WIDTH).then_some(0),
    };
    Number { cut, ..number }
}
