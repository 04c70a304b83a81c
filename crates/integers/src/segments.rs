//! Which integers stand for the bits of the inputs.
//!
//! A program reads the same bytes as a number here and one by one there, and what an earlier condition has said about
//! an integer cannot be revised. So every byte belongs to one *segment*, decided when it is first met and kept for
//! good: some neighbouring bytes that are one integer, within the bounds of its width. Any other way to read the
//! bytes is expressed by segments: a part of one by `div` and `mod`, several of them by a sum.

use std::collections::BTreeMap;

use refrain_term::{Rational, Sort, Term, Terms};

use crate::arithmetic::Number;
use crate::bits::Bits;
use crate::constants::power_of_two;
use crate::inputs::Inputs;
use crate::interval::Interval;
use crate::settled::{Settled, Span};

/// Bits that are one integer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    pub bits: Bits,
    /// The integer.
    pub var: Term,
    pub is_signed: bool,
    /// That the integer is not less than its least value, and not more than its greatest.
    pub bounds: [Term; 2],
}

impl Segment {
    /// The least value, and the first one beyond the greatest.
    pub fn limits(&self) -> (Rational, Rational) {
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

fn limits(bits: u32, is_signed: bool) -> (Rational, Rational) {
    match is_signed {
        true => (-&power_of_two(bits - 1), power_of_two(bits - 1)),
        false => (Rational::ZERO, power_of_two(bits)),
    }
}

/// All segments. None overlaps another one.
#[derive(Default)]
pub(crate) struct Segments {
    segments: Vec<Segment>,
    /// By their input and first bit.
    by_place: BTreeMap<(usize, u32), usize>,
    /// By their integers.
    by_var: BTreeMap<Term, usize>,
    /// What all workers of a run have settled.
    settled: Settled,
}

impl Segments {
    pub fn new(settled: Settled) -> Segments {
        Segments {
            settled,
            ..Segments::default()
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Segment> {
        self.segments.iter()
    }

    /// Whether no bit of an input is settled.
    pub fn is_untouched(&self, input: usize) -> bool {
        let mut all = self.by_place.range((input, 0)..=(input, u32::MAX));
        all.next().is_none()
    }

    /// The segment that has a bit.
    fn at(&self, input: usize, bit: u32) -> Option<&Segment> {
        let (_, &segment) = self.by_place.range((input, 0)..=(input, bit)).next_back()?;
        let segment = &self.segments[segment];
        (segment.bits.end() > bit).then_some(segment)
    }

    /// Whether segments have all of some bits.
    fn are_settled(&self, bits: Bits) -> bool {
        let mut low = bits.low;
        while low < bits.end() {
            match self.at(bits.input, low) {
                Some(segment) => low = segment.bits.end(),
                None => return false,
            }
        }
        true
    }

    /// Whether no segment has any of some bits.
    fn are_open(&self, bits: Bits) -> bool {
        let mut below = self
            .by_place
            .range((bits.input, 0)..(bits.input, bits.end()));
        let last = below.next_back();
        last.is_none_or(|(_, &segment)| self.segments[segment].bits.end() <= bits.low)
    }

    /// Whether some bits are all of several variables, and no segment has any of them.
    pub fn are_free(&self, inputs: &Inputs, bits: Bits) -> bool {
        let variables = inputs.variables(bits);
        let known: u32 = variables.iter().map(|(_, bits)| bits.count).sum();
        self.are_open(bits) && known == bits.count
    }

    /// Makes sure that segments have all of some bits, whole bytes at least.
    pub fn settle(&mut self, terms: &mut Terms, inputs: &Inputs, bits: Bits, is_signed: bool) {
        let bits = inputs.whole(bits);
        if self.are_settled(bits) {
            return;
        }
        let wanted = Span {
            low: bits.low,
            count: bits.count,
            is_signed,
        };
        let spans = self.settled.settle(inputs.key(bits.input), wanted);
        self.add_all(terms, inputs, bits.input, spans);
    }

    /// Takes over what other workers have settled of an input.
    pub fn catch_up(&mut self, terms: &mut Terms, inputs: &Inputs, input: usize) {
        let known = self.by_place.range((input, 0)..=(input, u32::MAX)).count();
        let spans = self.settled.more_than(known, &inputs.key(input));
        self.add_all(terms, inputs, input, spans);
    }

    fn add_all(&mut self, terms: &mut Terms, inputs: &Inputs, input: usize, spans: Vec<Span>) {
        for span in spans {
            if self.by_place.contains_key(&(input, span.low)) {
                continue;
            }
            let bits = Bits {
                input,
                low: span.low,
                count: span.count,
            };
            self.add(terms, inputs, bits, span.is_signed);
        }
    }

    fn add(&mut self, terms: &mut Terms, inputs: &Inputs, bits: Bits, is_signed: bool) {
        let var = self.new_var(terms, inputs, bits);
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
        self.by_place.insert((bits.input, bits.low), segment);
    }

    /// A variable that is named for some bits, and stands for no others.
    fn new_var(&self, terms: &mut Terms, inputs: &Inputs, bits: Bits) -> Term {
        let input = inputs.name(bits.input);
        let (first, count) = (bits.first_byte(), bits.bytes());
        let size = inputs.byte_count(bits.input);
        let is_whole = size.is_none_or(|size| first == 0 && count == size);
        let mut name = match count {
            _ if is_whole => input.to_string(),
            1 => format!("{input}[{first}]"),
            _ => format!("{input}[{first}..{}]", first + count),
        };
        loop {
            let var = terms.var(&name, Sort::Int);
            if !self.by_var.contains_key(&var) {
                return var;
            }
            name.push('\'');
        }
    }

    /// The segments of some bits, the highest first, each with the part of it that is among the bits.
    pub fn parts(
        &mut self,
        terms: &mut Terms,
        inputs: &Inputs,
        bits: Bits,
    ) -> Vec<(Segment, Bits)> {
        self.settle(terms, inputs, bits, true);
        let mut parts = Vec::new();
        let mut low = bits.low;
        while low < bits.end()
            && let Some(&segment) = self.at(bits.input, low)
        {
            let end = segment.bits.end().min(bits.end());
            let part = Bits {
                low,
                count: end - low,
                ..bits
            };
            parts.push((segment, part));
            low = end;
        }
        parts.reverse();
        parts
    }

    /// The segment that has all of some bits.
    pub fn around(&mut self, terms: &mut Terms, inputs: &Inputs, bits: Bits) -> Option<Segment> {
        match self.parts(terms, inputs, bits)[..] {
            [(segment, _)] => Some(segment),
            _ => None,
        }
    }

    /// The segment whose integer a variable is.
    pub fn of_var(&self, var: Term) -> Option<&Segment> {
        Some(&self.segments[*self.by_var.get(&var)?])
    }
}
