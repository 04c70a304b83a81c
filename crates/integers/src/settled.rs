//! Which bits of the inputs are one integer, once for a whole run: for all workers, and whatever terms they have.
//!
//! What is settled first says what overflows and what does not, and so which paths there are. A worker that settles
//! for itself, or one that has forgotten, would follow paths of another program than the others have.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Neighbouring bits of an input that are one integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub low: u32,
    pub count: u32,
    pub is_signed: bool,
}

impl Span {
    fn end(self) -> u32 {
        self.low + self.count
    }
}

/// The spans of an input, by their first bit.
type Spans = BTreeMap<u32, Span>;

/// An input by its name and the width of its only variable; none where it consists of bytes.
pub(crate) type Key = (Box<str>, Option<u32>);

/// What is settled so far. A clone is the same.
#[derive(Clone, Default)]
pub struct Settled(Arc<Mutex<BTreeMap<Key, Spans>>>);

impl Settled {
    fn inputs(&self) -> MutexGuard<'_, BTreeMap<Key, Spans>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All that is settled of an input, unless it is no more than so many spans.
    pub(crate) fn more_than(&self, known: usize, input: &Key) -> Vec<Span> {
        let inputs = self.inputs();
        let spans = inputs.get(input);
        let spans = spans.filter(|spans| spans.len() > known).into_iter();
        spans.flat_map(|spans| spans.values().copied()).collect()
    }

    /// Settles what is open of some bits: what lies together becomes one span. The highest is signed or not, as asked
    /// for, those below others are not. Gives all spans of these bits, in order.
    pub(crate) fn settle(&self, input: Key, wanted: Span) -> Vec<Span> {
        let mut inputs = self.inputs();
        let spans = inputs.entry(input).or_default();
        for gap in gaps(spans, wanted) {
            let is_signed = wanted.is_signed && gap.end() == wanted.end();
            spans.insert(gap.low, Span { is_signed, ..gap });
        }
        let from_above = spans.range(..wanted.end()).rev().map(|(_, span)| *span);
        let overlapping = from_above.take_while(|span| span.end() > wanted.low);
        let mut spans: Vec<Span> = overlapping.collect();
        spans.reverse();
        spans
    }
}

/// The parts that no span has.
fn gaps(spans: &Spans, wanted: Span) -> Vec<Span> {
    let mut gaps = Vec::new();
    let mut at = wanted.low;
    while at < wanted.end() {
        if let Some((_, span)) = spans.range(..=at).next_back()
            && span.end() > at
        {
            at = span.end();
            continue;
        }
        let next = spans.range(at..).next();
        let end = next.map_or(wanted.end(), |(&low, _)| low.min(wanted.end()));
        gaps.push(Span {
            low: at,
            count: end - at,
            ..wanted
        });
        at = end;
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(low: u32, count: u32, is_signed: bool) -> Span {
        Span {
            low,
            count,
            is_signed,
        }
    }

    #[test]
    fn what_is_settled_stays_so_for_all_workers() {
        let settled = Settled::default();
        let other = settled.clone();
        let key = || -> Key { ("x".into(), None) };
        settled.settle(key(), span(8, 8, false));
        let spans = other.settle(key(), span(0, 32, true));
        let all = [span(0, 8, false), span(8, 8, false), span(16, 16, true)];
        assert_eq!(spans, all);
        assert_eq!(settled.more_than(2, &key()), all);
        assert!(settled.more_than(3, &key()).is_empty());
        let spans = settled.settle(key(), span(24, 40, false));
        assert_eq!(spans, [span(16, 16, true), span(32, 32, false)]);
        assert_eq!(other.more_than(3, &key())[..3], all);
        assert!(settled.more_than(0, &("x".into(), Some(32))).is_empty());
        assert!(settled.more_than(0, &("y".into(), None)).is_empty());
    }
}
