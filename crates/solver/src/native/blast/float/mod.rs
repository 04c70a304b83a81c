//! Circuits of operators on floats.
//!
//! Operands are taken apart (`unpacked`): a sign, an exponent in two's complement, and a significand whose first bit is
//! set, so that subnormal numbers are as good as others. Arithmetic gives the same kind of thing with more bits, the
//! last of which says whether anything follows; `round` puts it back into a format.
//!
//! Circuits that are large and seldom needed exactly are left out at first ([`is_lazy`]): the result is free, and
//! `refine` asks for the circuit once a candidate has it wrong.

mod arithmetic;
mod convert;
mod remainder;
mod round;
#[cfg(test)]
mod tests;
mod unpacked;

use refrain_sat::Lit;
use refrain_term::{FloatOp, Format};

use super::gates::Gates;
use super::words::Word;
use round::Mode;

/// Whether the circuit of an operator waits until a candidate has its result wrong.
pub fn is_lazy(op: FloatOp) -> bool {
    matches!(
        op,
        FloatOp::Div | FloatOp::Fma | FloatOp::Sqrt | FloatOp::Rem | FloatOp::Function(_)
    )
}

impl Gates {
    /// The result of an operator on encoded operands: a word, of one bit for a comparison.
    pub fn float(
        &mut self,
        op: FloatOp,
        format: Format,
        result: (u32, u32),
        operands: &[Word],
    ) -> Word {
        let mode = match op.is_rounded() {
            true => Mode::new(self, &operands[0]),
            false => Mode::nearest_even(self),
        };
        let operands = &operands[usize::from(op.is_rounded())..];
        match op {
            FloatOp::Function(_) => unreachable!("functions have no circuits"),
            FloatOp::Eq => vec![self.float_equal(format, &operands[0], &operands[1])],
            FloatOp::Lt => vec![self.float_less(format, &operands[0], &operands[1], false)],
            FloatOp::Le => vec![self.float_less(format, &operands[0], &operands[1], true)],
            FloatOp::Add => self.float_add(format, mode, &operands[0], &operands[1]),
            FloatOp::Mul => self.float_mul(format, mode, &operands[0], &operands[1]),
            FloatOp::Div => self.float_div(format, mode, &operands[0], &operands[1]),
            FloatOp::Fma => self.float_fma(format, mode, &operands[0], &operands[1], &operands[2]),
            FloatOp::Sqrt => self.float_sqrt(format, mode, &operands[0]),
            FloatOp::Rem => self.float_rem(format, mode, &operands[0], &operands[1]),
            FloatOp::RoundToIntegral => self.float_integral(format, mode, &operands[0]),
            FloatOp::Convert => {
                let to = Format::of_width(result.0, result.1);
                self.float_convert(format, to, mode, &operands[0])
            }
            FloatOp::FromSigned | FloatOp::FromUnsigned => {
                let signed = op == FloatOp::FromSigned;
                self.float_of_integer(format, mode, &operands[0], signed)
            }
            FloatOp::ToSigned | FloatOp::ToUnsigned => {
                let signed = op == FloatOp::ToSigned;
                self.integer_of_float(format, mode, &operands[0], result.0 as usize, signed)
            }
        }
    }

    fn is_nan(&mut self, format: Format, bits: &[Lit]) -> Lit {
        let infinity = self.word(&format.infinity(false));
        let magnitude = bits.len() - 1;
        self.less(&infinity[..magnitude], &bits[..magnitude])
    }

    fn both_zero(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let magnitudes = a[..a.len() - 1].iter().chain(&b[..b.len() - 1]);
        let clear: Word = magnitudes.map(|&lit| !lit).collect();
        self.all(&clear)
    }

    fn neither_is_nan(&mut self, format: Format, a: &[Lit], b: &[Lit]) -> Lit {
        let (a, b) = (self.is_nan(format, a), self.is_nan(format, b));
        self.and(!a, !b)
    }

    fn float_equal(&mut self, format: Format, a: &[Lit], b: &[Lit]) -> Lit {
        let are_numbers = self.neither_is_nan(format, a, b);
        let (same, zeros) = (self.equal(a, b), self.both_zero(a, b));
        let equal = self.or(same, zeros);
        self.and(are_numbers, equal)
    }

    /// Less, or less or equal: magnitudes are ordered as their bits are.
    fn float_less(&mut self, format: Format, a: &[Lit], b: &[Lit], or_equal: bool) -> Lit {
        let are_numbers = self.neither_is_nan(format, a, b);
        let zeros = self.both_zero(a, b);
        // What is negative has its bits flipped, what is not only its sign: then all are in one order.
        let ordered = |gates: &mut Gates, word: &[Lit]| -> Word {
            let sign = word[word.len() - 1];
            let mut bits: Word = word.iter().map(|&lit| gates.xor(lit, sign)).collect();
            bits[word.len() - 1] = !sign;
            bits
        };
        let (x, y) = (ordered(self, a), ordered(self, b));
        let less = match or_equal {
            true => {
                let greater = self.less(&y, &x);
                self.or(!greater, zeros)
            }
            false => {
                let less = self.less(&x, &y);
                self.and(less, !zeros)
            }
        };
        self.and(are_numbers, less)
    }
}
