//! Floats beyond what the main loop computes: formats that the processor does not have, functions, and floats that
//! depend on input.
//!
//! Numbers are calculated with (`concrete`); where an operand depends on input, the result is a term (`terms`). Where
//! calculations leave the numbers is in `exceptions`; `checks` makes errors of that.

mod checks;
pub(crate) mod concrete;
pub(crate) mod exceptions;
pub(crate) mod terms;
#[cfg(test)]
mod tests;

use refrain_term::{Bv, Term, Terms};

use super::bits::Wide;
use super::{Halt, Machine, State};
use crate::code::{Encoding, Format, Instr, MathFn, Op as Opcode, Slow, Src};
use crate::ir::{BinaryOp, FCmpPredicate};
pub(crate) use concrete::{calculate, convert, from_integer, holds, to_integer};
use terms::OutOfRange;

/// A float: its bits, or a term of them.
enum Bits {
    Number(u128),
    Term(Term),
}

impl Machine {
    fn bits(&self, terms: &mut Terms, state: &State, words: &[Src], width: u32) -> Bits {
        match self.wide(terms, state, words, width) {
            Wide::Number(number) => Bits::Number(to_u128(&number)),
            Wide::Term(term) => Bits::Term(term),
        }
    }

    fn bits_term(&self, terms: &mut Terms, bits: &Bits, width: u32) -> Term {
        match bits {
            Bits::Number(number) => terms.constant(of_u128(*number, width)),
            Bits::Term(term) => *term,
        }
    }

    fn set_bits(&self, terms: &mut Terms, state: &mut State, dst: u32, bits: Bits, width: u32) {
        let value = match bits {
            Bits::Number(number) => Wide::Number(of_u128(number, width)),
            Bits::Term(term) => {
                terms.note_assigned(term);
                Wide::Term(term)
            }
        };
        self.set_wide(terms, state, dst, value);
    }

    /// An instruction of the main loop on floats of which some are terms. `None`: it is about something else.
    pub(super) fn float_on_terms(
        &self,
        terms: &mut Terms,
        state: &State,
        i: Instr,
        encoding: Encoding,
    ) -> Option<Term> {
        let formats = |op: Opcode| match op {
            Opcode::FAdd32 | Opcode::FSub32 | Opcode::FMul32 | Opcode::FDiv32 | Opcode::FRem32 => {
                Format::Single
            }
            Opcode::FCmp32 | Opcode::F32ToS | Opcode::F32ToU | Opcode::F32ToF64 => Format::Single,
            Opcode::SToF32 | Opcode::UToF32 => Format::Single,
            _ => Format::Double,
        };
        let format = formats(i.op);
        let width = format.bits();
        Some(match encoding {
            Encoding::Float => {
                let op = match i.op {
                    Opcode::FAdd32 | Opcode::FAdd64 => BinaryOp::FAdd,
                    Opcode::FSub32 | Opcode::FSub64 => BinaryOp::FSub,
                    Opcode::FMul32 | Opcode::FMul64 => BinaryOp::FMul,
                    Opcode::FDiv32 | Opcode::FDiv64 => BinaryOp::FDiv,
                    _ => BinaryOp::FRem,
                };
                let [a, b] =
                    [i.a, i.b].map(|register| self.term(terms, state.get(register), width));
                terms::binary(terms, op, format, a, b)
            }
            Encoding::FloatCompare => {
                let [a, b] =
                    [i.a, i.b].map(|register| self.term(terms, state.get(register), width));
                terms::compare(terms, FCmpPredicate(i.x as u8), format, a, b)
            }
            Encoding::FloatToInt => {
                let a = self.term(terms, state.get(i.a), width);
                let signed = matches!(i.op, Opcode::F32ToS | Opcode::F64ToS);
                terms::to_int(
                    terms,
                    format,
                    u32::from(i.x),
                    signed,
                    OutOfRange::AsTheProcessor,
                    a,
                )
            }
            Encoding::IntToFloat => {
                let signed = matches!(i.op, Opcode::SToF32 | Opcode::SToF64);
                let a = self.term(terms, state.get(i.a), u32::from(i.x));
                terms::from_int(terms, format, signed, a)
            }
            Encoding::FloatToFloat => {
                let to = if format == Format::Single {
                    Format::Double
                } else {
                    Format::Single
                };
                let a = self.term(terms, state.get(i.a), width);
                terms::convert(terms, format, to, a)
            }
            _ => return None,
        })
    }

    pub(super) fn float(
        &mut self,
        terms: &mut Terms,
        state: &mut State,
        slow: &Slow,
    ) -> Result<(), Halt> {
        match slow {
            Slow::FloatBinary {
                op,
                format,
                dst,
                a,
                b,
            } => {
                let width = format.bits();
                let (a, b) = (
                    self.bits(terms, state, a, width),
                    self.bits(terms, state, b, width),
                );
                let result = match (&a, &b) {
                    (Bits::Number(a), Bits::Number(b)) => {
                        Bits::Number(calculate(*op, *format, *a, *b))
                    }
                    _ => {
                        let [a, b] = [&a, &b].map(|bits| self.bits_term(terms, bits, width));
                        Bits::Term(terms::binary(terms, *op, *format, a, b))
                    }
                };
                self.set_bits(terms, state, *dst, result, width);
            }
            Slow::FloatCompare {
                predicate,
                format,
                dst,
                a,
                b,
            } => {
                let width = format.bits();
                let (a, b) = (
                    self.bits(terms, state, a, width),
                    self.bits(terms, state, b, width),
                );
                let result = match (&a, &b) {
                    (Bits::Number(a), Bits::Number(b)) => {
                        Term::bool(holds(*predicate, *format, *a, *b))
                    }
                    _ => {
                        let [a, b] = [&a, &b].map(|bits| self.bits_term(terms, bits, width));
                        terms::compare(terms, *predicate, *format, a, b)
                    }
                };
                let value = self.value_of(terms, result);
                state.set(*dst, value);
            }
            Slow::FloatCast { from, to, dst, a } => {
                let result = match self.bits(terms, state, a, from.bits()) {
                    Bits::Number(a) => Bits::Number(convert(a, *from, *to)),
                    Bits::Term(a) => Bits::Term(terms::convert(terms, *from, *to, a)),
                };
                self.set_bits(terms, state, *dst, result, to.bits());
            }
            Slow::FloatToInt {
                from,
                to,
                signed,
                saturating,
                dst,
                a,
            } => {
                let result = match self.bits(terms, state, a, from.bits()) {
                    Bits::Number(a) => Wide::Number(concrete::to_integer_of_any_width(
                        a,
                        *from,
                        *to,
                        *signed,
                        *saturating,
                    )),
                    Bits::Term(a) => {
                        let otherwise = match saturating {
                            true => OutOfRange::Saturates,
                            false => OutOfRange::HighestBit,
                        };
                        Wide::Term(terms::to_int(terms, *from, *to, *signed, otherwise, a))
                    }
                };
                self.set_wide(terms, state, *dst, result);
            }
            Slow::IntToFloat {
                from,
                signed,
                to,
                dst,
                a,
            } => {
                let result = match self.wide(terms, state, a, *from) {
                    Wide::Number(number) if *from > 128 => {
                        Bits::Number(concrete::from_integer_of_any_width(&number, *signed, *to))
                    }
                    Wide::Number(number) => {
                        Bits::Number(from_integer(to_u128(&number), *from, *signed, *to))
                    }
                    Wide::Term(a) => Bits::Term(terms::from_int(terms, *to, *signed, a)),
                };
                self.set_bits(terms, state, *dst, result, to.bits());
            }
            Slow::FloatMath {
                name,
                format,
                dst,
                args,
            } => return self.float_math(terms, state, *name, *format, *dst, args),
            _ => return Err(self.unsupported(state, "an operation that is not of floats")),
        }
        Ok(())
    }

    fn float_math(
        &mut self,
        terms: &mut Terms,
        state: &mut State,
        name: MathFn,
        format: Format,
        dst: u32,
        args: &[Vec<Src>],
    ) -> Result<(), Halt> {
        let width = |place: usize| match name {
            MathFn::LdExp | MathFn::Powi | MathFn::IsFpClass if place == 1 => 32,
            _ => format.bits(),
        };
        let operands: Vec<Bits> = args
            .iter()
            .enumerate()
            .map(|(place, arg)| self.bits(terms, state, arg, width(place)))
            .collect();
        let numbers: Option<Vec<u128>> = operands
            .iter()
            .map(|bits| match bits {
                Bits::Number(number) => Some(*number),
                Bits::Term(_) => None,
            })
            .collect();
        if name == MathFn::IsFpClass {
            let [a, Bits::Number(classes)] = &operands[..] else {
                return Err(
                    self.unsupported(state, "a class of floats that depends on symbolic input")
                );
            };
            let result = match a {
                Bits::Number(a) => Term::bool(concrete::is_class(format, *a, *classes as u32)),
                Bits::Term(a) => terms::is_class(terms, format, *a, *classes as u32),
            };
            let value = self.value_of(terms, result);
            state.set(dst, value);
            return Ok(());
        }
        let result = match numbers {
            Some(numbers) => Bits::Number(concrete::function(name, format, &numbers)),
            None => {
                let operands = operands.iter().enumerate();
                let operands: Vec<Term> = operands
                    .map(|(place, bits)| self.bits_term(terms, bits, width(place)))
                    .collect();
                match terms::math(terms, name, format, &operands) {
                    Some(term) => Bits::Term(term),
                    None => {
                        // What terms do not have is calculated for the input at hand.
                        let mut numbers = Vec::new();
                        for (place, arg) in args.iter().enumerate() {
                            numbers.push(self.fixed_float(terms, state, arg, width(place))?);
                        }
                        Bits::Number(concrete::function(name, format, &numbers))
                    }
                }
            }
        };
        self.set_bits(terms, state, dst, result, format.bits());
        Ok(())
    }

    /// The bits of a float as a number: inputs that give it others go elsewhere.
    fn fixed_float(
        &self,
        terms: &mut Terms,
        state: &mut State,
        words: &[Src],
        width: u32,
    ) -> Result<u128, Halt> {
        let mut bits = 0;
        for (index, &word) in words.iter().enumerate().take(2) {
            let value = self.source(state, word);
            let word = self.fixed_bits(terms, state, value, width.min(32))?;
            bits |= u128::from(word) << (64 * index);
        }
        Ok(bits)
    }
}

fn to_u128(number: &Bv) -> u128 {
    let words = number.words();
    u128::from(words[0]) | words.get(1).map_or(0, |&high| u128::from(high) << 64)
}

fn of_u128(bits: u128, width: u32) -> Bv {
    let words = [bits as u64, (bits >> 64) as u64];
    Bv::from_words(width, words[..width.div_ceil(64) as usize].to_vec())
}
