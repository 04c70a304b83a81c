//! How useful an entry has been: what it cost to find, how often it served, when it last did.
//!
//! Usage lies beside the entries, in rows of their own, so that counting a use does not rewrite an answer. It decides
//! nothing but who goes first when room is needed: a damaged row costs an entry its place, never its truth.

/// In this time without use, usefulness halves.
const HALF_LIFE: f64 = 14.0 * 24.0 * 3600.0;

/// What the store knows about the use of one entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Microseconds that the answer cost to find.
    pub cost: u32,
    pub uses: u32,
    /// Seconds of Unix time: of the last use, or of writing.
    pub last: u32,
    /// About how many bytes the entry takes, with its rows.
    pub weight: u32,
}

impl Usage {
    pub(crate) fn encode(&self) -> [u8; 16] {
        let mut bytes = [0; 16];
        let numbers = [self.cost, self.uses, self.last, self.weight];
        for (chunk, number) in bytes.chunks_exact_mut(4).zip(numbers) {
            chunk.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Usage> {
        let bytes: &[u8; 16] = bytes.try_into().ok()?;
        let number = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        Some(Usage {
            cost: number(0),
            uses: number(4),
            last: number(8),
            weight: number(12),
        })
    }

    /// The time that the entry has saved and will likely save, for each byte it takes: cost × (1 + uses), halved for
    /// every two weeks without use.
    pub fn usefulness(&self, now: u32) -> f64 {
        let saved = (f64::from(self.cost) + 1.0) * (f64::from(self.uses) + 1.0);
        let idle = f64::from(now.saturating_sub(self.last));
        saved * (-idle / HALF_LIFE).exp2() / f64::from(self.weight.max(64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dear_used_recent_and_small_entries_are_more_useful() {
        let usage = Usage {
            cost: 1000,
            uses: 3,
            last: 1_000_000,
            weight: 200,
        };
        assert_eq!(Usage::decode(&usage.encode()), Some(usage));
        let now = 2_000_000;
        let base = usage.usefulness(now);
        let change = |change: fn(&mut Usage)| {
            let mut changed = usage;
            change(&mut changed);
            changed.usefulness(now)
        };
        assert!(change(|usage| usage.cost *= 2) > base);
        assert!(change(|usage| usage.uses += 1) > base);
        assert!(change(|usage| usage.last += 1000) > base);
        assert!(change(|usage| usage.weight *= 2) < base);
    }
}
