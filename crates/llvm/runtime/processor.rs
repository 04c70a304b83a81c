//! Instructions of the processor that take a loop to say: what intrinsics of
//! these names become. No branch depends on data.

/// One step of CRC-32C over the low `bits` of a value.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_crc32(crc: u64, value: u64, bits: u64) -> u64 {
    let mut crc = crc as u32 as u64;
    let mut index = 0;
    while index < bits {
        let top = (crc ^ value >> index) & 1;
        crc = crc >> 1 ^ (0x82f6_3b78 & top.wrapping_neg());
        index += 1;
    }
    crc
}

/// The lower or, for `high`, the upper half of a product without carries.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_clmul(a: u64, b: u64, high: u64) -> u64 {
    let (mut low, mut upper) = (0, 0);
    let mut index = 0;
    while index < 64 {
        let taken = (b >> index & 1).wrapping_neg();
        low ^= a << index & taken;
        if index > 0 {
            upper ^= a >> (64 - index) & taken;
        }
        index += 1;
    }
    if high != 0 { upper } else { low }
}

/// The low bits of a value, put where the mask has bits.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_pdep(value: u64, mask: u64) -> u64 {
    let (mut result, mut taken, mut index) = (0, 0u64, 0);
    while index < 64 {
        let bit = mask >> index & 1;
        result |= (value >> (taken & 63) & bit) << index;
        taken += bit;
        index += 1;
    }
    result
}

/// The bits of a value that the mask has, side by side.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_pext(value: u64, mask: u64) -> u64 {
    let (mut result, mut taken, mut index) = (0, 0u64, 0);
    while index < 64 {
        let bit = mask >> index & 1;
        result |= (value >> index & bit) << (taken & 63);
        taken += bit;
        index += 1;
    }
    result
}

/// A string in a register of 16 bytes: its two words, how wide its elements are, and how many of them it has.
#[derive(Clone, Copy)]
struct Elements {
    words: (u64, u64),
    is_wide: bool,
    is_signed: bool,
    len: u64,
}

impl Elements {
    fn new(words: (u64, u64), mode: u64) -> Elements {
        Elements {
            words,
            is_wide: mode & 1 != 0,
            is_signed: mode & 2 != 0,
            len: 0,
        }
    }

    fn count(self) -> u64 {
        if self.is_wide { 8 } else { 16 }
    }

    fn get(self, index: u64) -> i64 {
        let bits = if self.is_wide { 16 } else { 8 };
        let at = index * bits;
        let word = if at < 64 { self.words.0 } else { self.words.1 };
        let up = word << (64 - bits - (at & 63));
        if self.is_signed {
            up as i64 >> (64 - bits)
        } else {
            (up >> (64 - bits)) as i64
        }
    }

    fn is_valid(self, index: u64) -> u64 {
        (index < self.len) as u64
    }

    /// Up to the first zero.
    fn with_own_len(self) -> Elements {
        let (mut len, mut goes_on, mut index) = (0, 1, 0);
        while index < self.count() {
            goes_on &= (self.get(index) != 0) as u64;
            len += goes_on;
            index += 1;
        }
        Elements { len, ..self }
    }

    /// As many as a register of 32 bits says, either sign.
    fn with_len(self, len: u64) -> Elements {
        let len = (len as u32 as i32 as i64).unsigned_abs();
        let most = self.count();
        let len = if len > most { most } else { len };
        Elements { len, ..self }
    }
}

/// Which elements of `b` compare as the mode says, one bit each.
fn compare_strings(a: Elements, b: Elements, mode: u64) -> u64 {
    let count = a.count();
    let (mut result, mut j) = (0, 0);
    while j < count {
        let mut bit = 0;
        match mode >> 2 & 3 {
            0 => {
                let mut i = 0;
                while i < count {
                    bit |= (a.get(i) == b.get(j)) as u64 & a.is_valid(i);
                    i += 1;
                }
                bit &= b.is_valid(j);
            }
            1 => {
                let mut i = 0;
                while i < count {
                    let low = (a.get(i) <= b.get(j)) as u64;
                    let high = (b.get(j) <= a.get(i + 1)) as u64;
                    bit |= low & high & a.is_valid(i + 1);
                    i += 2;
                }
                bit &= b.is_valid(j);
            }
            2 => {
                let (in_a, in_b) = (a.is_valid(j), b.is_valid(j));
                let both = in_a & in_b;
                bit = both & (a.get(j) == b.get(j)) as u64 | (in_a | in_b) ^ 1;
            }
            _ => {
                bit = 1;
                let mut i = 0;
                while i + j < count {
                    let same = b.is_valid(i + j) & (a.get(i) == b.get(i + j)) as u64;
                    bit &= same | a.is_valid(i) ^ 1;
                    i += 1;
                }
            }
        }
        let negated = match mode >> 4 & 3 {
            1 => 1,
            3 => b.is_valid(j),
            _ => 0,
        };
        result |= (bit ^ negated) << j;
        j += 1;
    }
    result
}

/// The comparison of strings in registers. `what`: the index (0), the flags A, C, O, S and Z (1 to 5), and the lower
/// and upper half of the mask (6, 7). Lengths of `u64::MAX` are those of the strings themselves.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn __refrain_pcmpstr(
    a_low: u64,
    a_high: u64,
    a_len: u64,
    b_low: u64,
    b_high: u64,
    b_len: u64,
    mode: u64,
    has_lens: u64,
    what: u64,
) -> u64 {
    let mut a = Elements::new((a_low, a_high), mode);
    let mut b = Elements::new((b_low, b_high), mode);
    if has_lens != 0 {
        a = a.with_len(a_len);
        b = b.with_len(b_len);
    } else {
        a = a.with_own_len();
        b = b.with_own_len();
    }
    let count = a.count();
    let result = compare_strings(a, b, mode);
    let ends_a = (a.len < count) as u64;
    let ends_b = (b.len < count) as u64;
    let any = (result != 0) as u64;
    match what {
        0 => {
            // The first or the last of the bits, or behind them.
            let (mut found, mut at, mut step) = (0, count, 0);
            while step < count {
                let index = if mode & 64 != 0 {
                    count - 1 - step
                } else {
                    step
                };
                let bit = result >> index & 1 & (found ^ 1);
                at = at & bit.wrapping_sub(1) | index & bit.wrapping_neg();
                found |= bit;
                step += 1;
            }
            at
        }
        1 => (any | ends_b) ^ 1,
        2 => any,
        3 => result & 1,
        4 => ends_a,
        5 => ends_b,
        _ if mode & 64 == 0 => {
            if what == 6 {
                result
            } else {
                0
            }
        }
        _ => {
            let width = if a.is_wide { 16 } else { 8 };
            let (ones, half) = ((1u64 << width) - 1, 64 / width);
            let (mut mask, mut index) = (0, 0);
            while index < half {
                let from = if what == 7 { half + index } else { index };
                let bit = result >> from & 1;
                mask |= (ones & bit.wrapping_neg()) << (index * width);
                index += 1;
            }
            mask
        }
    }
}
