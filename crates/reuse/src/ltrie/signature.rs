//! Signatures of sets of labels: two words of bits in which each label, and each subject, has one. Where the bits do
//! not fit, the sets do not; where they do, the sets must be compared.

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Signature {
    pub labels: u64,
    pub subjects: u64,
}

impl Signature {
    pub const EMPTY: Signature = Signature {
        labels: 0,
        subjects: 0,
    };
    pub const FULL: Signature = Signature {
        labels: u64::MAX,
        subjects: u64::MAX,
    };

    pub fn label_bit(label: u32) -> u64 {
        1 << (label.wrapping_mul(0x9e37_79b1) >> 26)
    }

    pub fn subject_bit(subject: u32) -> u64 {
        1 << (subject & 63)
    }

    pub fn of(label: u32, subject: u32) -> Signature {
        Signature {
            labels: Self::label_bit(label),
            subjects: Self::subject_bit(subject),
        }
    }

    pub fn union(self, other: Signature) -> Signature {
        Signature {
            labels: self.labels | other.labels,
            subjects: self.subjects | other.subjects,
        }
    }

    pub fn intersection(self, other: Signature) -> Signature {
        Signature {
            labels: self.labels & other.labels,
            subjects: self.subjects & other.subjects,
        }
    }

    pub fn is_within(self, other: Signature) -> bool {
        (self.labels & !other.labels) | (self.subjects & !other.subjects) == 0
    }
}
