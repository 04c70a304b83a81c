//! Assignments of the integers and of the variables they stand for, in both directions.

use refrain_term::{Assignment, Op, Rational, Terms, Value};

use crate::constants::{power_of_two, to_bit_vector, unsigned};
use crate::inputs::Inputs;
use crate::segments::{Segment, Segments};

/// The bit-vector variables of all segments under an assignment of the integers. An integer without a value is zero.
pub(crate) fn words(
    terms: &Terms,
    inputs: &Inputs,
    segments: &Segments,
    integers: &Assignment,
) -> Assignment {
    let mut words = Assignment::new();
    for segment in segments.iter() {
        let integer = match terms.op(segment.var) {
            Op::Var(id) => integers.get(id).and_then(Value::as_number).cloned(),
            _ => None,
        };
        let integer = integer.unwrap_or_default();
        for (var, bits) in inputs.variables(segment.bits) {
            let shifted = integer.div_euclid(&power_of_two(bits.low - segment.bits.low));
            words.set(var, to_bit_vector(&shifted, bits.count));
        }
    }
    words
}

/// The integers of all segments under an assignment of the bit-vector variables. One without a value is zero.
pub(crate) fn integers(
    terms: &Terms,
    inputs: &Inputs,
    segments: &Segments,
    words: &Assignment,
) -> Assignment {
    let mut integers = Assignment::new();
    for segment in segments.iter() {
        if let Op::Var(var) = terms.op(segment.var) {
            integers.set(var, Value::Int(integer(inputs, segment, words)));
        }
    }
    integers
}

fn integer(inputs: &Inputs, segment: &Segment, words: &Assignment) -> Rational {
    let mut integer = Rational::ZERO;
    for (var, bits) in inputs.variables(segment.bits) {
        if let Some(word) = words.get(var).and_then(Value::as_bv) {
            let place = power_of_two(bits.low - segment.bits.low);
            integer = &integer + &(&unsigned(word) * &place);
        }
    }
    let (_, end) = segment.limits();
    match integer >= end {
        true => &integer - &power_of_two(segment.bits.count),
        false => integer,
    }
}

/// Whether every integer of an assignment has a value that its bits can have.
pub(crate) fn are_within_bounds(terms: &Terms, segments: &Segments, integers: &Assignment) -> bool {
    integers.iter().all(|(var, value)| {
        let segment = segments.of_var(terms.var_term(var));
        match (segment, value.as_number()) {
            (Some(segment), Some(value)) => {
                let (least, end) = segment.limits();
                least <= *value && *value < end
            }
            _ => true,
        }
    })
}
