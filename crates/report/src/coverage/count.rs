//! How much of how much.

use super::{Coverage, File};

/// What is covered, and what there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub covered: u64,
    pub total: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub lines: Count,
    /// Outcomes of branches.
    pub branches: Count,
    pub functions: Count,
}

impl Count {
    fn of(hits: impl Iterator<Item = u64>) -> Count {
        hits.fold(Count::default(), |count, tests| Count {
            covered: count.covered + u64::from(tests > 0),
            total: count.total + 1,
        })
    }

    /// To be shown with one digit after the point: only what is all covered has 100.0 then, only what is not at all
    /// 0.0.
    pub fn percent(self) -> Option<f64> {
        match self {
            Count { total: 0, .. } => None,
            Count { covered: 0, .. } => Some(0.0),
            Count { covered, total } if covered >= total => Some(100.0),
            Count { covered, total } => {
                Some((covered as f64 * 100.0 / total as f64).clamp(0.1, 99.9))
            }
        }
    }

    fn and(self, other: Count) -> Count {
        Count {
            covered: self.covered + other.covered,
            total: self.total + other.total,
        }
    }
}

impl File {
    pub fn totals(&self) -> Totals {
        let outcomes = self.branches.iter().flat_map(|branch| &branch.outcomes);
        Totals {
            lines: Count::of(self.lines.values().copied()),
            branches: Count::of(outcomes.copied()),
            functions: Count::of(self.functions.iter().map(|function| function.tests)),
        }
    }
}

impl Coverage {
    pub fn totals(&self) -> Totals {
        let files = self.files.iter().map(File::totals);
        files.fold(Totals::default(), |all, file| Totals {
            lines: all.lines.and(file.lines),
            branches: all.branches.and(file.branches),
            functions: all.functions.and(file.functions),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearly_all_is_not_all() {
        let shown = |covered, total| {
            let percent = Count { covered, total }.percent();
            percent.map(|percent| format!("{percent:.1}"))
        };
        assert_eq!(shown(0, 0), None);
        let counts = [
            ((0, 3), "0.0"),
            ((1, 3), "33.3"),
            ((2, 3), "66.7"),
            ((13, 16), "81.2"),
            ((3, 3), "100.0"),
            ((99_999, 100_000), "99.9"),
            ((1, 100_000), "0.1"),
        ];
        for ((covered, total), expected) in counts {
            assert_eq!(shown(covered, total).as_deref(), Some(expected));
        }
    }
}
