//! Which integers stand for the bits of the inputs.
//!
//! A program reads the same bytes as a number here and one by one there, and what an earlier condition has said about
//! an integer cannot be revised. So every byte belongs to one *segment*, decided when it is first met and kept for
//! good: some neighbouring bytes that are one integer, within the bounds of its width. Any other way to read the
//! bytes is expressed by segments: a part of one by `div` and `mod`, several of them by a sum.

use std::collections::BTreeMap;

use refrain_term::{Assignment, Bv, Op, Rational, Sort, Term, Terms, Value};

use super::arithmetic::Number;
use super::interval::Interval;
use super::number::{power_of_two, whole, wrapped};
use super::settled::{Settled, Span};

/// Some neighbouring bits of one input.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Bits {
    pub input: usize,
    pub low: u32,
    pub count: u32,
}

impl Bits {
    pub fn end(self) -> u32 {
        self.low + self.count
    }

    /// The bits directly below, and these, as one.
    pub fn above(self, lower: Bits) -> Option<Bits> {
        (self.input == lower.input && lower.end() == self.low).then(|| Bits {
            count: lower.count + self.count,
            ..lower
        })
    }

    pub fn first_byte(self) -> u32 {
        self.low / 8
    }

    /// How many bytes have one of these bits.
    pub fn bytes(self) -> u32 {
        self.end().div_ceil(8) - self.first_byte()
    }
}

/// Bits that are one integer.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub bits: Bits,
    pub var: Term,
    pub is_signed: bool,
    /// That the integer is not less than its least value, and not more than its greatest.
    pub bounds: [Term; 2],
}

impl Segment {
    /// The least value, and the first one beyond the greatest.
    fn limits(&self) -> (Rational, Rational) {
        limits(self.bits.count, self.is_signed)
    }

    pub fn number(&self) -> Number {
        let range = match self.is_signed {
            true => Interval::signed(self.bits.count),
            false => Interval::unsigned(self.bits.count),
        };
        Number::new(self.var, range)
    }
}

/// What the variables of an input are: its bytes, or a single one of so many bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    Bytes,
    Single(u32),
}

struct Input {
    name: Box<str>,
    kind: Kind,
    /// By their first bit.
    segments: BTreeMap<u32, usize>,
}

/// The inputs met so far.
#[derive(Default)]
pub(super) struct Inputs {
    inputs: Vec<Input>,
    by_name: BTreeMap<(Box<str>, Kind), usize>,
    /// What bit-vector variables are, so that their names are read once.
    by_variable: BTreeMap<Term, Bits>,
    segments: Vec<Segment>,
    /// Segments by their integers.
    by_var: BTreeMap<Term, usize>,
    settled: Settled,
}

/// Bytes beyond this many are variables by themselves: bits are counted in 32 bits.
const MAX_BYTES: u32 = 1 << 28;

/// The input and the position that the name of a byte says.
fn byte_name(name: &str) -> Option<(&str, u32)> {
    let (input, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    let is_plain = index.bytes().all(|digit| digit.is_ascii_digit())
        && (index == "0" || !index.starts_with('0'));
    let index = index.parse().ok()?;
    (is_plain && index < MAX_BYTES).then_some((input, index))
}

impl Inputs {
    pub fn new(settled: Settled) -> Inputs {
        Inputs {
            settled,
            ..Inputs::default()
        }
    }

    /// The bits of a bit-vector variable.
    pub fn bits_of(&mut self, terms: &Terms, var: Term) -> Option<Bits> {
        if let Some(&bits) = self.by_variable.get(&var) {
            return Some(bits);
        }
        let (name, kind, low, count) = whose(terms, var)?;
        let input = match self.by_name.get(&(name.into(), kind)) {
            Some(&input) => input,
            None => {
                self.inputs.push(Input {
                    name: name.into(),
                    kind,
                    segments: BTreeMap::new(),
                });
                let input = self.inputs.len() - 1;
                self.by_name.insert((name.into(), kind), input);
                input
            }
        };
        let bits = Bits { input, low, count };
        self.by_variable.insert(var, bits);
        Some(bits)
    }

    /// The number of bytes, if there are at most `limit`.
    pub fn size(&self, terms: &Terms, input: usize, limit: u32) -> Option<u32> {
        let exists = |index: u32| self.byte_var(terms, input, index).is_some();
        (0..=limit).find(|&index| !exists(index))
    }

    fn byte_var(&self, terms: &Terms, input: usize, index: u32) -> Option<Term> {
        let input = &self.inputs[input];
        match input.kind {
            Kind::Bytes => terms.find_var(&format!("{}[{index}]", input.name), Sort::BitVec(8)),
            Kind::Single(_) => None,
        }
    }

    pub fn is_bytes(&self, input: usize) -> bool {
        self.inputs[input].kind == Kind::Bytes
    }

    pub fn is_untouched(&self, input: usize) -> bool {
        self.inputs[input].segments.is_empty()
    }

    /// Whether bytes of an input exist, and no segment has any of them.
    pub fn are_free(&self, terms: &Terms, input: usize, first: u32, count: u32) -> bool {
        let bits = Bits {
            input,
            low: 8 * first,
            count: 8 * count,
        };
        let segments = &self.inputs[input].segments;
        let last = segments.range(..bits.end()).next_back();
        last.is_none_or(|(_, &segment)| self.segments[segment].bits.end() <= bits.low)
            && (first..first + count).all(|index| self.byte_var(terms, input, index).is_some())
    }

    /// Makes sure that segments have all of some bits, whole bytes at least.
    pub fn settle(&mut self, terms: &mut Terms, bits: Bits, is_signed: bool) {
        let input = bits.input;
        let bits = match self.inputs[input].kind {
            Kind::Bytes => Bits {
                input,
                low: bits.first_byte() * 8,
                count: bits.bytes() * 8,
            },
            Kind::Single(count) => Bits {
                input,
                low: 0,
                count,
            },
        };
        if self.are_settled(bits) {
            return;
        }
        let Input { name, kind, .. } = &self.inputs[input];
        let wanted = Span {
            low: bits.low,
            count: bits.count,
            is_signed,
        };
        let spans = self.settled.settle(name, *kind, wanted);
        self.add_segments(terms, input, spans);
    }

    /// Whether segments have all of some bits.
    fn are_settled(&self, bits: Bits) -> bool {
        let mut at = bits.low;
        while at < bits.end() {
            match self.segment_at(bits.input, at) {
                Some(segment) => at = segment.bits.end(),
                None => return false,
            }
        }
        true
    }

    /// Makes segments of what others have settled of an input.
    pub fn catch_up(&mut self, terms: &mut Terms, input: usize) {
        let Input {
            name,
            kind,
            segments,
        } = &self.inputs[input];
        let spans = self.settled.more_than(segments.len(), name, *kind);
        self.add_segments(terms, input, spans);
    }

    fn add_segments(&mut self, terms: &mut Terms, input: usize, spans: Vec<Span>) {
        for span in spans {
            if self.inputs[input].segments.contains_key(&span.low) {
                continue;
            }
            let bits = Bits {
                input,
                low: span.low,
                count: span.count,
            };
            self.add_segment(terms, bits, span.is_signed);
        }
    }

    fn add_segment(&mut self, terms: &mut Terms, bits: Bits, is_signed: bool) {
        let var = self.new_var(terms, bits);
        let (least, end) = limits(bits.count, is_signed);
        let (least, end) = (terms.number(Sort::Int, least), terms.number(Sort::Int, end));
        let bounds = [terms.ge(var, least), terms.lt(var, end)];
        let segment = self.segments.len();
        self.segments.push(Segment {
            bits,
            var,
            is_signed,
            bounds,
        });
        self.by_var.insert(var, segment);
        self.inputs[bits.input].segments.insert(bits.low, segment);
    }

    /// A variable that is named for some bits, and stands for no others.
    fn new_var(&self, terms: &mut Terms, bits: Bits) -> Term {
        let input = &self.inputs[bits.input];
        let (first, count) = (bits.first_byte(), bits.bytes());
        let is_whole = match input.kind {
            Kind::Bytes => first == 0 && self.size(terms, bits.input, count) == Some(count),
            Kind::Single(_) => true,
        };
        let mut name = match count {
            _ if is_whole => input.name.to_string(),
            1 => format!("{}[{first}]", input.name),
            _ => format!("{}[{first}..{}]", input.name, first + count),
        };
        loop {
            let var = terms.var(&name, Sort::Int);
            if !self.by_var.contains_key(&var) {
                return var;
            }
            name.push('\'');
        }
    }

    /// The segment that has a bit. The bit must be settled.
    fn segment_at(&self, input: usize, bit: u32) -> Option<&Segment> {
        let segments = &self.inputs[input].segments;
        let (_, &segment) = segments.range(..=bit).next_back()?;
        let segment = &self.segments[segment];
        (segment.bits.end() > bit).then_some(segment)
    }

    /// The segments of some bits, the highest first, each with the part of it that is among the bits.
    pub fn parts(&mut self, terms: &mut Terms, bits: Bits) -> Vec<(Segment, Bits)> {
        self.settle(terms, bits, true);
        let mut parts = Vec::new();
        let mut at = bits.low;
        while at < bits.end()
            && let Some(segment) = self.segment_at(bits.input, at)
        {
            let end = segment.bits.end().min(bits.end());
            let part = Bits {
                input: bits.input,
                low: at,
                count: end - at,
            };
            parts.push((segment.clone(), part));
            at = end;
        }
        parts.reverse();
        parts
    }

    /// The segment that has all of some bits.
    pub fn segment_of(&mut self, terms: &mut Terms, bits: Bits) -> Option<Segment> {
        match &self.parts(terms, bits)[..] {
            [(segment, _)] => Some(segment.clone()),
            _ => None,
        }
    }

    /// The segment whose integer a variable is.
    pub fn segment_of_var(&self, var: Term) -> Option<&Segment> {
        Some(&self.segments[*self.by_var.get(&var)?])
    }

    /// The low bits, at most 64, of a bit-vector variable under an assignment of integers.
    pub fn word(&self, terms: &Terms, assignment: &Assignment, var: Term) -> u64 {
        let Some((name, kind, low, count)) = whose(terms, var) else {
            return 0;
        };
        let Some(&input) = self.by_name.get(&(name.into(), kind)) else {
            return 0;
        };
        let Some(segment) = self.segment_at(input, low) else {
            return 0;
        };
        let integer = integer(terms, assignment, segment.var);
        let shifted = integer.div_euclid(&power_of_two(low - segment.bits.low));
        wrapped(&shifted, count.min(64))
    }

    /// The bit-vector variables of all segments, which an assignment of the integers gives values.
    pub fn bytes(&self, terms: &Terms, assignment: &Assignment) -> Assignment {
        let mut bytes = Assignment::new();
        for segment in &self.segments {
            let Bits { input, .. } = segment.bits;
            let first = segment.bits.first_byte();
            for index in first..first + segment.bits.bytes() {
                let Some(var) = self.byte_var(terms, input, index) else {
                    continue;
                };
                if let Op::Var(id) = terms.op(var) {
                    bytes.set(id, Bv::new(8, self.word(terms, assignment, var)));
                }
            }
        }
        bytes
    }

    /// Whether the integers of an assignment are such as bits can be.
    pub fn are_within_bounds(&self, terms: &Terms, assignment: &Assignment) -> bool {
        assignment.iter().all(|(var, value)| {
            let segment = self.segment_of_var(terms.var_term(var));
            match (segment, value.as_number()) {
                (Some(segment), Some(value)) => {
                    let (least, end) = segment.limits();
                    least <= *value && *value < end
                }
                _ => true,
            }
        })
    }

    /// The integers for an assignment of the bit-vector variables.
    pub fn integers(&self, terms: &Terms, assignment: &Assignment) -> Assignment {
        let mut integers = Assignment::new();
        for segment in &self.segments {
            let Op::Var(var) = terms.op(segment.var) else {
                continue;
            };
            integers.set(var, Value::Int(self.read(terms, assignment, segment)));
        }
        integers
    }

    /// What a segment's bits are under an assignment of the bit-vector variables.
    fn read(&self, terms: &Terms, assignment: &Assignment, segment: &Segment) -> Rational {
        let Bits { input, count, .. } = segment.bits;
        let value = |var: Option<Term>| match terms.op(var?) {
            Op::Var(id) => assignment.get(id)?.as_bv().map(super::number::unsigned),
            _ => None,
        };
        let unsigned = match self.inputs[input].kind {
            Kind::Bytes => {
                let first = segment.bits.first_byte();
                let indices = (first..first + segment.bits.bytes()).rev();
                indices.fold(Rational::ZERO, |high, index| {
                    let byte = value(self.byte_var(terms, input, index)).unwrap_or_default();
                    &(&high * &whole(256)) + &byte
                })
            }
            Kind::Single(width) => {
                let var = terms.find_var(&self.inputs[input].name, Sort::BitVec(width));
                value(var).unwrap_or_default()
            }
        };
        match segment.is_signed && unsigned >= power_of_two(count - 1) {
            true => &unsigned - &power_of_two(count),
            false => unsigned,
        }
    }
}

fn limits(bits: u32, is_signed: bool) -> (Rational, Rational) {
    match is_signed {
        true => (-&power_of_two(bits - 1), power_of_two(bits - 1)),
        false => (Rational::ZERO, power_of_two(bits)),
    }
}

/// The name and kind of the input that a variable belongs to, which is its lowest bit there, and how many it has.
fn whose(terms: &Terms, var: Term) -> Option<(&str, Kind, u32, u32)> {
    let (Op::Var(id), Sort::BitVec(width)) = (terms.op(var), terms.sort(var)) else {
        return None;
    };
    let name = &terms.var_decl(id).name;
    Some(match byte_name(name) {
        Some((input, index)) if width == 8 => (input, Kind::Bytes, 8 * index, 8),
        _ => (name, Kind::Single(width), 0, width),
    })
}

fn integer(terms: &Terms, assignment: &Assignment, var: Term) -> Rational {
    match terms.op(var) {
        Op::Var(id) => assignment.get(id).and_then(Value::as_number).cloned(),
        _ => None,
    }
    .unwrap_or_default()
}
