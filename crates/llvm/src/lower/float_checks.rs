//! Where calculations with floats are errors, if that is asked for: code beside the calculation that ends the path.

use super::Lowerer;
use crate::code::{Calculation, FloatCheck, Format, Slow, Special, Src};

impl Lowerer<'_> {
    /// A calculation whose result is looked at before it is assigned: the place for it may be that of an operand.
    pub(super) fn checked(
        &mut self,
        calculation: Calculation,
        operands: Vec<(Format, Vec<Src>)>,
        format: Format,
        dst: u32,
        calculate: impl FnOnce(&mut Self, u32),
    ) {
        let checks = self.linked.options.floats;
        let specials = calculation.specials().iter().copied();
        let wanted: Vec<Special> = specials.filter(|&special| checks.has(special)).collect();
        if wanted.is_empty() {
            return calculate(self, dst);
        }
        let words = format.bits().div_ceil(64);
        let place = self.new_slots(words);
        calculate(self, place);
        for special in wanted {
            self.slow(Slow::CheckFloat(FloatCheck::Result {
                special,
                calculation,
                operands: operands.clone(),
                format,
                result: (place..place + words).map(Src::Reg).collect(),
            }));
        }
        for word in 0..words {
            self.set(dst + word, Src::Reg(place + word));
        }
    }

    pub(super) fn check_divisor(&mut self, format: Format, a: &[Src]) {
        if self.linked.options.floats.division {
            let a = a.to_vec();
            self.slow(Slow::CheckFloat(FloatCheck::Divisor { format, a }));
        }
    }

    pub(super) fn check_range(&mut self, from: Format, to: u32, signed: bool, a: &[Src]) {
        if self.linked.options.floats.to_integer {
            self.slow(Slow::CheckFloat(FloatCheck::Range {
                from,
                to,
                signed,
                a: a.to_vec(),
            }));
        }
    }
}
