//! How a condition uses inputs that no earlier one has used: what decides which bytes are one integer.
//!
//! Anything would be right. Good is what the program means: the bytes that it reads as one number are one integer,
//! and the bytes that it reads one by one are one each. A condition is looked at as a whole, because the arena takes
//! comparisons of numbers apart into bytes and bits.

use refrain_term::{Op, Term, Terms};

use crate::bits::Bits;
use crate::concat::{Part, as_bits, parts};
use crate::facts::facts;
use crate::inputs::Inputs;
use crate::segments::Segments;

/// Looks at each term once.
#[derive(Default)]
pub(crate) struct Uses {
    /// By term.
    seen: Vec<bool>,
    /// In the order in which they are met.
    found: Vec<Use>,
}

#[derive(Clone, Copy)]
struct Use {
    bits: Bits,
    /// As a number with a sign, or without one.
    is_signed: bool,
}

impl Use {
    fn is_run(self) -> bool {
        self.bits.bytes() > 1
    }

    fn is_one_byte(self) -> bool {
        self.bits.count == 8 && self.bits.low.is_multiple_of(8)
    }
}

impl Uses {
    /// Settles all inputs of a term.
    pub fn settle(
        &mut self,
        terms: &mut Terms,
        inputs: &mut Inputs,
        segments: &mut Segments,
        root: Term,
    ) {
        self.find(terms, inputs, root);
        let found = std::mem::take(&mut self.found);
        let mut of: Vec<(usize, Vec<Use>)> = Vec::new();
        for used in found {
            match of.iter_mut().find(|(input, _)| *input == used.bits.input) {
                Some((_, uses)) => uses.push(used),
                None => of.push((used.bits.input, vec![used])),
            }
        }
        for (input, uses) in of {
            decide(terms, inputs, segments, input, &uses);
        }
    }

    fn find(&mut self, terms: &Terms, inputs: &mut Inputs, root: Term) {
        if self.seen.len() < terms.len() {
            self.seen.resize(terms.len(), false);
        }
        let mut stack = vec![root];
        while let Some(term) = stack.pop() {
            if let Some(bits) = as_bits(terms, inputs, term) {
                self.note(bits, true);
                continue;
            }
            if std::mem::replace(&mut self.seen[term.index()], true) {
                continue;
            }
            match terms.op(term) {
                Op::And => {
                    let (facts, others) = facts(terms, inputs, term);
                    self.note_facts(facts.iter().flat_map(|fact| fact.bits()).collect());
                    stack.extend(others);
                }
                Op::Concat => {
                    let parts = parts(terms, inputs, term);
                    for (place, &part) in parts.iter().enumerate() {
                        match part {
                            Part::Bits(bits) => self.note(bits, place == 0),
                            Part::Term(part) => stack.push(part),
                        }
                    }
                }
                op => {
                    let is_signed = !matches!(op, Op::BvUlt | Op::BvUdiv | Op::BvUrem);
                    for &arg in terms.args(term) {
                        match as_bits(terms, inputs, arg) {
                            Some(bits) => self.note(bits, is_signed),
                            None => stack.push(arg),
                        }
                    }
                }
            }
        }
    }

    fn note(&mut self, bits: Bits, is_signed: bool) {
        self.found.push(Use { bits, is_signed });
    }

    /// Bits that one conjunction is about: neighbours are used as one.
    fn note_facts(&mut self, mut bits: Vec<Bits>) {
        bits.sort();
        bits.dedup();
        let mut joined: Vec<Bits> = Vec::new();
        for next in bits {
            match joined.last_mut() {
                Some(last) if next.above(*last).is_some() => {
                    last.count += next.count;
                }
                _ => joined.push(next),
            }
        }
        for bits in joined {
            self.note(bits, true);
        }
    }
}

/// Settles what a condition uses of one input.
fn decide(terms: &mut Terms, inputs: &Inputs, segments: &mut Segments, input: usize, uses: &[Use]) {
    segments.catch_up(terms, inputs, input);
    let has_runs = uses.iter().any(|used| used.is_run());
    let has_bytes = uses.iter().any(|used| used.is_one_byte());
    let size = inputs.byte_count(input);
    // An input of the size of a number is one, unless it is only seen byte by byte.
    if let Some(size @ (2 | 4 | 8)) = size
        && (has_runs || !has_bytes)
        && segments.is_untouched(input)
    {
        segments.settle(terms, inputs, Bits::of_bytes(input, 0, size), true);
        return;
    }
    let runs = uses.iter().filter(|used| used.is_run());
    let others = uses.iter().filter(|used| !used.is_run());
    for used in runs.chain(others) {
        let bits = match size {
            Some(_) => rounded(inputs, segments, used.bits),
            None => used.bits,
        };
        segments.settle(terms, inputs, bits, used.is_signed);
    }
}

/// Low bits of a number as the whole number, where there may be one.
fn rounded(inputs: &Inputs, segments: &Segments, bits: Bits) -> Bits {
    let (first, count) = (bits.first_byte(), bits.bytes());
    let size = count.next_power_of_two();
    let number = Bits::of_bytes(bits.input, first, size);
    let is_number = count > 1
        && size <= 8
        && bits.low.is_multiple_of(8)
        && first.is_multiple_of(size)
        && segments.are_free(inputs, number);
    if is_number { number } else { bits }
}
