//! Calculations with floats that are errors, where that is asked for.

use refrain_machine::ErrorKind;
use refrain_term::{Rounding, Term, Terms};

use super::{Bits, concrete, exceptions, terms};
use crate::code::{Calculation, FloatCheck, Format, Special, Src};
use crate::machine::{Halt, Machine, State};

/// The bits of `llvm.is.fpclass`.
const NAN: u32 = 1 | 2;
const INFINITE: u32 = 4 | 512;
const ZERO: u32 = 32 | 64;

fn kind(special: Special) -> ErrorKind {
    match special {
        Special::Nan => ErrorKind::NotANumber,
        Special::Infinity => ErrorKind::InfiniteResult,
    }
}

fn is_special(special: Special, format: Format, bits: u128) -> bool {
    let classes = match special {
        Special::Nan => NAN,
        Special::Infinity => INFINITE,
    };
    concrete::is_class(format, bits, classes)
}

impl Machine {
    /// Ends the path where what is looked for is the case.
    pub(in crate::machine) fn check_float(
        &self,
        terms: &mut Terms,
        state: &mut State,
        check: &FloatCheck,
    ) -> Result<(), Halt> {
        let bits = |terms: &mut Terms, state: &State, format: Format, words: &[Src]| {
            self.bits(terms, state, words, format.bits())
        };
        match check {
            FloatCheck::Divisor { format, a } => {
                let is_zero = match bits(terms, state, *format, a) {
                    Bits::Number(a) => Term::bool(concrete::is_class(*format, a, ZERO)),
                    Bits::Term(a) => exceptions::is_zero(terms, *format, a),
                };
                self.refuse(terms, state, is_zero, ErrorKind::FloatDivisionByZero)
            }
            FloatCheck::Range {
                from,
                to,
                signed,
                a,
            } => {
                let fits = match bits(terms, state, *from, a) {
                    Bits::Number(a) => Term::bool(concrete::fits(a, *from, *to, *signed)),
                    Bits::Term(a) => {
                        let shape = terms::shape(*from);
                        let a = terms::unpacked(terms, *from, a);
                        let rounding = terms.rounding(Rounding::ToZero);
                        terms.float_fits_integer(shape, rounding, a, *to, *signed)
                    }
                };
                let outside = terms.not(fits);
                self.refuse(terms, state, outside, ErrorKind::FloatToInteger)
            }
            FloatCheck::Result {
                special,
                calculation,
                operands,
                format,
                result,
            } => {
                let result = bits(terms, state, *format, result);
                if let Bits::Number(result) = result
                    && !is_special(*special, *format, result)
                {
                    return Ok(());
                }
                let mut of = Vec::new();
                for (format, words) in operands {
                    let operand = bits(terms, state, *format, words);
                    of.push((*format, self.bits_term(terms, &operand, format.bits())));
                }
                let result = self.bits_term(terms, &result, format.bits());
                let result = (*format, result);
                let appears = exceptions::appears(terms, *special, *calculation, &of, result);
                self.refuse(terms, state, appears, kind(*special))
            }
        }
    }

    /// Looks at a calculation of a native function, where an operand depends on input.
    pub(crate) fn check_calculation(
        &self,
        terms: &mut Terms,
        state: &mut State,
        calculation: Calculation,
        operands: &[(Format, Term)],
        result: (Format, Term),
    ) -> Result<(), Halt> {
        for &special in calculation.specials() {
            if self.linked.options.floats.has(special) {
                let appears = exceptions::appears(terms, special, calculation, operands, result);
                self.refuse(terms, state, appears, kind(special))?;
            }
        }
        Ok(())
    }

    /// The same on numbers.
    pub(crate) fn check_numbers(
        &self,
        state: &State,
        operands: &[(Format, u128)],
        (format, result): (Format, u128),
    ) -> Result<(), Halt> {
        for special in [Special::Nan, Special::Infinity] {
            let is = |&(format, bits): &(Format, u128)| is_special(special, format, bits);
            if self.linked.options.floats.has(special)
                && is(&(format, result))
                && !operands.iter().any(is)
            {
                return Err(self.error(state, kind(special), ""));
            }
        }
        Ok(())
    }

    /// Where a condition surely holds, the path ends.
    fn refuse(
        &self,
        terms: &mut Terms,
        state: &mut State,
        condition: Term,
        kind: ErrorKind,
    ) -> Result<(), Halt> {
        let condition = self.surely(terms, condition);
        match self.decide(terms, state, condition)? {
            true => Err(self.error(state, kind, "")),
            false => Ok(()),
        }
    }
}
