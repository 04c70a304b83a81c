//! Every circuit against the evaluator: all operands of a small format, and many of those in use.

use refrain_sat::{Engine, Lit, Outcome, Query};
use refrain_term::float::operate;
use refrain_term::{Bv, FloatOp, Format, Rounding};
use refrain_testing::{Random, effort};

use super::super::gates::Gates;
use super::super::words::Word;

/// A circuit and its inputs.
struct Circuit {
    gates: Gates,
    op: FloatOp,
    format: Format,
    result: (u32, u32),
    inputs: Vec<Word>,
    output: Word,
}

impl Circuit {
    /// `integer` is the width of the operand or of the result that is none of a float.
    fn new(op: FloatOp, format: Format, to: Format, integer: u32) -> Circuit {
        let mut gates = Gates::new();
        let operand = if op.takes_floats() {
            format.width()
        } else {
            integer
        };
        let result = match op {
            FloatOp::Convert => (to.width(), to.exponent),
            FloatOp::ToSigned | FloatOp::ToUnsigned => (integer, 0),
            FloatOp::Eq | FloatOp::Lt | FloatOp::Le => (1, 0),
            _ => (format.width(), 0),
        };
        let widths = (0..op.arity()).map(|place| match place {
            0 if op.is_rounded() => Rounding::WIDTH,
            _ => operand,
        });
        let inputs: Vec<Word> = widths
            .collect::<Vec<u32>>()
            .into_iter()
            .map(|width| (0..width).map(|_| gates.fresh()).collect())
            .collect();
        let output = gates.float(op, format, result, &inputs);
        assert_eq!(output.len() as u32, result.0);
        Circuit {
            gates,
            op,
            format,
            result,
            inputs,
            output,
        }
    }

    fn check(&mut self, operands: &[Bv]) {
        let bits = self.inputs.iter().zip(operands).flat_map(|(word, value)| {
            let bits = word.iter().enumerate();
            bits.map(|(place, &lit)| if value.bit(place as u32) { lit } else { !lit })
        });
        let assumptions: Vec<Lit> = bits.collect();
        let query = Query {
            assumptions: &assumptions,
            ..Query::default()
        };
        let outcome = self.gates.engine.solve(query);
        assert!(
            matches!(outcome, Outcome::Sat),
            "{:?} has no result",
            self.op
        );
        let mut found = Bv::zero(self.result.0);
        for (place, &lit) in self.output.iter().enumerate() {
            if self.gates.engine.value(lit) == Some(true) {
                let bit = Bv::one(self.result.0).shl(&Bv::new(self.result.0, place as u64));
                found = found.or(&bit);
            }
        }
        let values: Vec<&Bv> = operands.iter().collect();
        let expected = operate(self.op, self.format, self.result, &values);
        assert_eq!(
            found, expected,
            "{:?} {operands:?} in {:?}",
            self.op, self.format
        );
    }
}

#[test]
fn circuits_of_a_small_format_are_right_everywhere() {
    let format = Format::new(3, 4);
    let all = 1u64 << format.width();
    let step = effort(7, 1);
    for op in FloatOp::ALL {
        for to in [
            Format::new(2, 2),
            Format::new(2, 6),
            Format::new(4, 3),
            Format::new(5, 7),
        ] {
            let integer = to.width();
            let mut circuit = Circuit::new(op, format, to, integer);
            let operands = op.arity() - usize::from(op.is_rounded());
            let mut count = 0u64;
            for rounding in Rounding::ALL {
                let mode = Bv::new(Rounding::WIDTH, rounding.code());
                let values = if op.takes_floats() { all } else { 1 << integer };
                for first in 0..values {
                    let seconds = if operands > 1 { all } else { 1 };
                    for second in 0..seconds {
                        count += 1;
                        if !count.is_multiple_of(step * if op == FloatOp::Fma { 3 } else { 1 }) {
                            continue;
                        }
                        let mut args = Vec::new();
                        if op.is_rounded() {
                            args.push(mode.clone());
                        }
                        let width = if op.takes_floats() {
                            format.width()
                        } else {
                            integer
                        };
                        let third = first.wrapping_mul(2_654_435_761) ^ second.wrapping_mul(40_503);
                        let values = [first, second, third];
                        args.extend(
                            values[..operands]
                                .iter()
                                .map(|&value| Bv::new(width, value)),
                        );
                        circuit.check(&args);
                    }
                }
                if !op.is_rounded() {
                    break;
                }
            }
            if !matches!(
                op,
                FloatOp::Convert
                    | FloatOp::FromSigned
                    | FloatOp::FromUnsigned
                    | FloatOp::ToSigned
                    | FloatOp::ToUnsigned
            ) {
                break;
            }
        }
    }
}

/// A float of some format, close to its corners or to one.
fn float(random: &mut Random, format: Format) -> Bv {
    let width = format.width();
    let bits = |random: &mut Random, width: u32| {
        let words = (0..width.div_ceil(64)).map(|_| random.next()).collect();
        Bv::from_words(width, words)
    };
    let negative = random.below(2) == 0;
    let step = Bv::new(width, random.next() % 4);
    match random.below(8) {
        0 => format.zero(negative).add(&step),
        1 => format.infinity(negative).sub(&Bv::one(width)).add(&step),
        2 => format.largest(negative).sub(&step),
        3 => Bv::one(width)
            .shl(&Bv::new(width, u64::from(format.fraction())))
            .sub(&step),
        4 | 5 => {
            let one = Bv::max_signed(format.exponent);
            let by = Bv::new(format.exponent, random.next() % 7);
            let exponent = one.add(&by).sub(&Bv::new(format.exponent, 3));
            let fraction = bits(random, format.fraction());
            Bv::new(1, negative.into())
                .concat(&exponent)
                .concat(&fraction)
        }
        _ => bits(random, width),
    }
}

#[test]
fn circuits_of_formats_in_use_are_right() {
    let formats = [
        Format::HALF,
        Format::BRAIN,
        Format::SINGLE,
        Format::DOUBLE,
        Format::EXTENDED,
        Format::new(2, 3),
        Format::new(2, 11),
        Format::new(6, 2),
        Format::new(11, 5),
    ];
    let mut random = Random::new(19);
    for format in formats {
        for op in FloatOp::ALL {
            // A step for each exponent.
            if op == FloatOp::Rem && format.exponent > 8 {
                continue;
            }
            let to = formats[random.below(formats.len())];
            let integer = [8, 32, 33, 64][random.below(4)];
            let mut circuit = Circuit::new(op, format, to, integer);
            for _ in 0..effort(40, 4_000) {
                let mut args = Vec::new();
                if op.is_rounded() {
                    args.push(Bv::new(Rounding::WIDTH, random.next() % 5));
                }
                while args.len() < op.arity() {
                    args.push(match op.takes_floats() {
                        true => float(&mut random, format),
                        false => {
                            let value = Bv::new(integer, random.next());
                            value.lshr(&Bv::new(integer, random.next() % u64::from(integer)))
                        }
                    });
                }
                circuit.check(&args);
            }
        }
    }
}
