//! Where bits lie in an input.

/// Some neighbouring bits of one input.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Bits {
    /// An index of [`Inputs`](crate::inputs::Inputs).
    pub input: usize,
    pub low: u32,
    pub count: u32,
}

impl Bits {
    pub fn of_bytes(input: usize, first: u32, count: u32) -> Bits {
        Bits {
            input,
            low: 8 * first,
            count: 8 * count,
        }
    }

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
