//! What a tree has that another has not.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use refrain_memo::Tree;
use serde_json::{Value, json};

use super::rows::{Forest, Mark};
use super::{Class, said};

/// Two trees, compared edge by edge: the same question is one with the same conditions on the same path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Edges that both have, with the same at their ends.
    pub same: u64,
    /// Those with different ends: what each was and is, and how often.
    pub changed: BTreeMap<(String, String), u64>,
    /// Edges that only the first has, and what is at their ends.
    pub here: BTreeMap<String, u64>,
    /// The same for the other.
    pub there: BTreeMap<String, u64>,
}

impl Difference {
    pub fn of(here: &Tree, there: &Tree) -> Difference {
        let forest = Forest::new(here, Some(there));
        let mut difference = Difference::default();
        for row in forest.rows(usize::MAX) {
            let below = forest.tree(row.mark).below(row.edge);
            let kind = || match Class::of(&below) {
                Class::Node => "node".to_string(),
                _ => said(&below),
            };
            match row.mark {
                Mark::Same => difference.same += 1,
                Mark::Here => *difference.here.entry(kind()).or_default() += 1,
                Mark::There => *difference.there.entry(kind()).or_default() += 1,
                Mark::Changed => {
                    let before = row.other.map(|edge| said(&there.below(edge)));
                    let change = (before.unwrap_or_default(), said(&below));
                    *difference.changed.entry(change).or_default() += 1;
                }
            }
        }
        difference
    }

    pub fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.here.is_empty() && self.there.is_empty()
    }

    pub fn text(&self) -> String {
        let mut text = format!("same        {}\n", self.same);
        // Writing to a string does not fail.
        let changed: u64 = self.changed.values().sum();
        let _ = writeln!(text, "changed     {changed}");
        for ((before, now), count) in &self.changed {
            let _ = writeln!(text, "  {count:<9} {before} -> {now}");
        }
        for (name, edges) in [("only here", &self.here), ("only there", &self.there)] {
            let sum: u64 = edges.values().sum();
            let _ = writeln!(text, "{name:<11} {sum}");
            for (what, count) in edges {
                let _ = writeln!(text, "  {count:<9} {what}");
            }
        }
        text
    }

    pub fn json(&self) -> Value {
        let changed = self
            .changed
            .iter()
            .map(|((before, now), count)| json!({ "before": before, "now": now, "count": count }));
        json!({
            "same": self.same,
            "changed": changed.collect::<Vec<Value>>(),
            "only_here": self.here,
            "only_there": self.there,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::fixture::trees;

    #[test]
    fn edges_are_compared_one_by_one() {
        let trees = trees();
        let difference = Difference::of(&trees.here, &trees.there);
        let expected = "\
same        2
changed     1
  1         exit 1 -> exit 0
only here   6
  1         error: panic: </script>
  1         exit 3
  1         infeasible
  2         node
  1         open
only there  4
  1         boundary: depth
  1         infeasible
  1         node
  1         open
";
        assert_eq!(difference.text(), expected);
        let json = difference.json();
        assert_eq!(json["only_here"]["node"], 2);
        assert_eq!(json["changed"][0]["before"], "exit 1");
    }

    #[test]
    fn a_tree_is_like_itself_also_in_short() {
        let (one, other) = (trees(), trees());
        assert!(Difference::of(&one.here, &other.here).is_empty());
        let short = other.here.compress().expect("a tree");
        assert!(Difference::of(&one.here, &short).is_empty());
        assert!(Difference::of(&short, &one.here).is_empty());
        assert!(!Difference::of(&short, &one.there).is_empty());
    }
}
