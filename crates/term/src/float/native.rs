//! What the processor computes itself: `f32` and `f64`, rounded to the nearest.

use super::{FloatOp, Format, Function, HostFunction, Rounding};
use crate::Bv;

/// A float of the processor.
trait Hardware: Copy + PartialOrd {
    fn of(word: u64) -> Self;
    fn bits(self) -> u64;
    fn sum(self, other: Self) -> Self;
    fn product(self, other: Self) -> Self;
    fn quotient(self, other: Self) -> Self;
    fn root(self) -> Self;
    fn fused(self, factor: Self, addend: Self) -> Self;
    fn integral(self, rounding: Rounding) -> Self;
    fn function(self, function: Function, other: Self) -> Self;
}

macro_rules! hardware {
    ($float:ty, $bits:ty, $nan:expr, $cbrt:expr) => {
        impl Hardware for $float {
            #[inline(always)]
            fn of(word: u64) -> $float {
                <$float>::from_bits(word as $bits)
            }

            #[inline(always)]
            fn bits(self) -> u64 {
                if self.is_nan() {
                    $nan
                } else {
                    u64::from(self.to_bits())
                }
            }

            #[inline(always)]
            fn sum(self, other: $float) -> $float {
                self + other
            }

            #[inline(always)]
            fn product(self, other: $float) -> $float {
                self * other
            }

            #[inline(always)]
            fn quotient(self, other: $float) -> $float {
                self / other
            }

            fn root(self) -> $float {
                self.sqrt()
            }

            fn fused(self, factor: $float, addend: $float) -> $float {
                self.mul_add(factor, addend)
            }

            fn integral(self, rounding: Rounding) -> $float {
                match rounding {
                    Rounding::NearestEven => self.round_ties_even(),
                    Rounding::NearestAway => self.round(),
                    Rounding::Up => self.ceil(),
                    Rounding::Down => self.floor(),
                    Rounding::ToZero => self.trunc(),
                }
            }

            fn function(self, function: Function, other: $float) -> $float {
                match function {
                    Function::Sin => self.sin(),
                    Function::Cos => self.cos(),
                    Function::Tan => self.tan(),
                    Function::Asin => self.asin(),
                    Function::Acos => self.acos(),
                    Function::Atan => self.atan(),
                    Function::Sinh => self.sinh(),
                    Function::Cosh => self.cosh(),
                    Function::Tanh => self.tanh(),
                    Function::Exp => self.exp(),
                    Function::Exp2 => self.exp2(),
                    Function::ExpM1 => self.exp_m1(),
                    Function::Log => self.ln(),
                    Function::Log2 => self.log2(),
                    Function::Log10 => self.log10(),
                    Function::Log1P => self.ln_1p(),
                    Function::Cbrt => {
                        static CUBE_ROOT: HostFunction = HostFunction::new($cbrt);
                        // SAFETY: this is how C declares it.
                        let root: extern "C" fn($float) -> $float =
                            unsafe { std::mem::transmute(CUBE_ROOT.address()) };
                        root(self)
                    }
                    Function::Pow => self.powf(other),
                    Function::Atan2 => self.atan2(other),
                    Function::Hypot => self.hypot(other),
                }
            }
        }
    };
}

hardware!(f32, u32, 0x7fc0_0000, "cbrtf");
hardware!(f64, u64, 0x7ff8_0000_0000_0000, "cbrt");

/// The result in a word, if the processor computes it.
pub(super) fn operate(
    op: FloatOp,
    format: Format,
    result: (u32, u32),
    args: &[&Bv],
) -> Option<u64> {
    if format != Format::SINGLE && format != Format::DOUBLE || result.0 > 64 {
        return None;
    }
    let mut words = [0; 4];
    for (word, arg) in words.iter_mut().zip(args) {
        *word = arg.small()?;
    }
    let width = args.last().map_or(0, |arg| arg.width());
    operate_words(op, format, result, width, &words[..args.len()])
}

/// The same on words; `width` is that of the last operand.
#[inline]
pub(crate) fn operate_words(
    op: FloatOp,
    format: Format,
    result: (u32, u32),
    width: u32,
    args: &[u64],
) -> Option<u64> {
    match format {
        Format::SINGLE => of_type::<f32>(op, result, width, args),
        Format::DOUBLE => of_type::<f64>(op, result, width, args),
        _ => None,
    }
}

#[inline]
fn of_type<F: Hardware>(op: FloatOp, result: (u32, u32), width: u32, args: &[u64]) -> Option<u64> {
    let truth = |value: bool| Some(u64::from(value));
    match op {
        FloatOp::Eq => return truth(F::of(args[0]) == F::of(args[1])),
        FloatOp::Lt => return truth(F::of(args[0]) < F::of(args[1])),
        FloatOp::Le => return truth(F::of(args[0]) <= F::of(args[1])),
        FloatOp::Rem => return None,
        FloatOp::Function(function) => {
            // Of the two kinds of NaN some functions tell one from a number; terms have one kind only.
            let operand = |word: u64| F::of(F::of(word).bits());
            let other = operand(args[args.len() - 1]);
            return Some(operand(args[0]).function(function, other).bits());
        }
        _ => {}
    }
    let rounding = Rounding::of_code(args[0]);
    if op == FloatOp::RoundToIntegral {
        return Some(F::of(args[1]).integral(rounding).bits());
    }
    if rounding != Rounding::NearestEven {
        return None;
    }
    let is_single = size_of::<F>() == 4;
    match op {
        FloatOp::Add => Some(F::of(args[1]).sum(F::of(args[2])).bits()),
        FloatOp::Mul => Some(F::of(args[1]).product(F::of(args[2])).bits()),
        FloatOp::Div => Some(F::of(args[1]).quotient(F::of(args[2])).bits()),
        FloatOp::Fma => Some(F::of(args[1]).fused(F::of(args[2]), F::of(args[3])).bits()),
        FloatOp::Sqrt => Some(F::of(args[1]).root().bits()),
        FloatOp::Convert => match (is_single, result) {
            (true, (64, 11)) => Some(f64::from(f32::of(args[1])).bits()),
            (false, (32, 8)) => Some((f64::of(args[1]) as f32).bits()),
            _ => None,
        },
        FloatOp::FromSigned => {
            let integer = crate::value::sign_extend_u64(args[1], width);
            Some(match is_single {
                true => (integer as f32).bits(),
                false => (integer as f64).bits(),
            })
        }
        FloatOp::FromUnsigned => Some(match is_single {
            true => (args[1] as f32).bits(),
            false => (args[1] as f64).bits(),
        }),
        _ => None,
    }
}
