//! How large a tree is, what its paths end in, and where its nodes are.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use refrain_memo::{AskKind, Below, Counts, Edge, NamedPoint, Tree};
use serde_json::{Value, json};

use super::{Class, Program, words};

/// Numbers of a tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape {
    /// Of everything, subtrees that are only summaries among it.
    pub counts: Counts,
    /// Finished subtrees of which only the numbers are left.
    pub summaries: u64,
    /// Open alternatives and cut paths, by cause.
    pub open: BTreeMap<String, u64>,
    /// Alternatives that the solver could not decide, by reason.
    pub unknown: BTreeMap<String, u64>,
    pub errors: BTreeMap<String, u64>,
    /// Infeasible alternatives with their reasons.
    pub cores: u64,
    /// Nodes by what is asked.
    pub questions: BTreeMap<&'static str, u64>,
    /// Choices that the path condition left alone.
    pub implied: u64,
    /// Nodes on the longest path.
    pub depth: u64,
    /// Nodes by point, most first: function, block and instruction.
    pub points: Vec<(String, u64)>,
    /// Bytes on disk.
    pub bytes: u64,
}

/// Points that the text names.
const MOST_POINTS: usize = 10;

impl Shape {
    pub fn of(tree: &Tree, program: &dyn Program, bytes: u64) -> Shape {
        let mut shape = Shape {
            counts: tree.count(Edge::ROOT, &tree.subtrees()),
            bytes,
            ..Shape::default()
        };
        let mut points: HashMap<NamedPoint, u64> = HashMap::new();
        let mut stack = vec![(Edge::ROOT, 0)];
        while let Some((edge, depth)) = stack.pop() {
            let below = tree.below(edge);
            match &below {
                Below::Node(node) => {
                    let question = tree.question(*node);
                    *shape.questions.entry(asked(question.kind)).or_default() += 1;
                    *points.entry(question.point).or_default() += 1;
                    shape.implied += question.implied.len() as u64;
                    shape.depth = shape.depth.max(depth + 1);
                    stack.extend(tree.edges(*node).map(|edge| (edge, depth + 1)));
                }
                Below::Leaf(leaf) => shape.implied += leaf.implied.len() as u64,
                Below::Summary(_) => shape.summaries += 1,
                Below::Infeasible { core } => shape.cores += u64::from(core.is_some()),
                Below::Open(_) | Below::Unknown { .. } => {}
            }
            let by_words = match Class::of(&below) {
                Class::Open | Class::Boundary => &mut shape.open,
                Class::Unknown => &mut shape.unknown,
                Class::Error => &mut shape.errors,
                _ => continue,
            };
            *by_words.entry(words(&below)).or_default() += 1;
        }
        let name = |point: NamedPoint| {
            let function = program.name(tree.symbol(point.symbol));
            format!("{function} {}:{}", point.block, point.instruction)
        };
        let points = points.into_iter();
        shape.points = points.map(|(point, nodes)| (name(point), nodes)).collect();
        shape
            .points
            .sort_by(|(one, most), (other, more)| (more, one).cmp(&(most, other)));
        shape
    }

    pub fn bytes_a_node(&self) -> f64 {
        self.bytes as f64 / self.counts.nodes.max(1) as f64
    }

    pub fn text(&self) -> String {
        let counts = &self.counts;
        let mut lines = vec![
            ("nodes", format!("{}, {} deep", counts.nodes, self.depth)),
            ("paths", self.paths()),
        ];
        for (text, paths) in &self.errors {
            lines.push(("", format!("{paths} {text}")));
        }
        lines.push(("infeasible", self.infeasible()));
        lines.push(("open", listed(&self.open, "no cause")));
        lines.push(("unknown", listed(&self.unknown, "no reason")));
        lines.push(("questions", self.asked()));
        if self.summaries > 0 {
            lines.push(("summaries", self.summaries.to_string()));
        }
        let size = format!("{} bytes, {:.1} a node", self.bytes, self.bytes_a_node());
        lines.push(("on disk", size));
        let mut key = "most nodes";
        for (point, nodes) in self.points.iter().take(MOST_POINTS) {
            lines.push((std::mem::take(&mut key), format!("{nodes} at {point}")));
        }
        let mut text = String::new();
        for (key, value) in lines {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{key:<11} {value}");
        }
        text
    }

    fn paths(&self) -> String {
        let counts = &self.counts;
        let kinds = [
            (counts.exits, "exit"),
            (counts.errors, "end in an error"),
            (counts.unsupported, "end at something unsupported"),
            (counts.silent, "end silently"),
            (counts.boundaries, "are cut"),
        ];
        let kinds = kinds.into_iter().filter(|(paths, _)| *paths > 0);
        let kinds: Vec<String> = kinds.map(|(paths, how)| format!("{paths} {how}")).collect();
        match kinds.is_empty() {
            true => "0".into(),
            false => format!("{}: {}", counts.leaves(), kinds.join(", ")),
        }
    }

    fn infeasible(&self) -> String {
        match self.cores {
            0 => self.counts.infeasible.to_string(),
            cores => format!("{}, {cores} with a core", self.counts.infeasible),
        }
    }

    fn asked(&self) -> String {
        let mut kinds: Vec<String> = Vec::new();
        for (kind, nodes) in &self.questions {
            kinds.push(format!("{nodes} {kind}"));
        }
        kinds.push(format!("{} choices implied", self.implied));
        kinds.join(", ")
    }

    pub fn json(&self) -> Value {
        let counts = &self.counts;
        let points = self.points.iter();
        json!({
            "nodes": counts.nodes,
            "depth": self.depth,
            "paths": {
                "exit": counts.exits,
                "error": counts.errors,
                "unsupported": counts.unsupported,
                "silent": counts.silent,
                "boundary": counts.boundaries,
            },
            "errors": self.errors,
            "infeasible": counts.infeasible,
            "cores": self.cores,
            "open": self.open,
            "unknown": self.unknown,
            "questions": self.questions,
            "implied": self.implied,
            "summaries": self.summaries,
            "bytes": self.bytes,
            "points": points.map(|(point, nodes)| json!({ "point": point, "nodes": nodes })).collect::<Vec<Value>>(),
        })
    }
}

pub(super) fn asked(kind: AskKind) -> &'static str {
    match kind {
        AskKind::Choose(_) => "choose",
        AskKind::Assume => "assume",
        AskKind::Witness => "witness",
        AskKind::Fix => "fix",
        AskKind::Sample => "sample",
    }
}

/// `8: 5 depth, 3 time`.
fn listed(counts: &BTreeMap<String, u64>, nothing: &str) -> String {
    let sum: u64 = counts.values().sum();
    let mut parts: Vec<String> = Vec::new();
    for (words, count) in counts {
        let words = if words.is_empty() { nothing } else { words };
        parts.push(format!("{count} {words}"));
    }
    match parts.is_empty() {
        true => "0".into(),
        false => format!("{sum}: {}", parts.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Stranger;
    use crate::tree::fixture::trees;

    #[test]
    fn everything_is_counted() {
        let trees = trees();
        let shape = Shape::of(&trees.here, &Stranger, 300);
        let expected = "\
nodes       3, 2 deep
paths       3: 2 exit, 1 end in an error
            1 panic: </script>
infeasible  1
open        1: 1 no cause
unknown     1: 1 time is up
questions   1 assume, 1 choose, 1 fix, 6 choices implied
on disk     300 bytes, 100.0 a node
most nodes  2 at f 1:0
            1 at f 2:0
";
        assert_eq!(shape.text(), expected);
        let json = Shape::of(&trees.there, &Stranger, 0).json();
        assert_eq!(json["nodes"], 2);
        assert_eq!(json["paths"]["boundary"], 1);
        assert_eq!(json["open"], json!({ "": 1, "depth": 1 }));
        assert_eq!(json["points"], json!([{ "point": "f 1:0", "nodes": 2 }]));
    }

    #[test]
    fn what_is_compressed_still_counts() {
        let trees = trees();
        let before = Shape::of(&trees.here, &Stranger, 0);
        let after = Shape::of(&trees.here.compress().expect("a tree"), &Stranger, 0);
        assert_eq!(after.counts, before.counts);
        assert_eq!((before.summaries, after.summaries), (0, 1));
    }
}
