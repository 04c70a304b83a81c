//! A tree as rows, or two trees side by side as one list of rows: an edge each, parents before their children.

use refrain_memo::{Below, Boundary, Edge, Subtrees, Tree};

/// Which of two trees a row is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// Both, or there is only one.
    Same,
    /// Only the first.
    Here,
    /// Only the other.
    There,
    /// Both, with different ends.
    Changed,
}

#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The row of the node that the edge starts at.
    pub parent: Option<u32>,
    pub alternative: u32,
    pub depth: u32,
    pub mark: Mark,
    /// Of the other tree, if the mark says so, else of the first.
    pub edge: Edge,
    /// What a changed end is in the other tree.
    pub other: Option<Edge>,
    /// It has children, which are too deep to have rows.
    pub is_cut: bool,
}

/// One tree, or two.
pub struct Forest<'a> {
    pub here: &'a Tree,
    pub there: Option<&'a Tree>,
    of_here: Subtrees,
    of_there: Option<Subtrees>,
}

/// An edge of either tree or both, to be visited.
struct Task {
    parent: Option<u32>,
    alternative: u32,
    depth: u32,
    pair: Pair,
}

enum Pair {
    Both(Edge, Edge),
    One(Mark, Edge),
}

impl<'a> Forest<'a> {
    pub fn new(here: &'a Tree, there: Option<&'a Tree>) -> Forest<'a> {
        Forest {
            here,
            there,
            of_here: here.subtrees(),
            of_there: there.map(Tree::subtrees),
        }
    }

    /// The tree that a row is of.
    pub fn tree(&self, mark: Mark) -> &'a Tree {
        match (mark, self.there) {
            (Mark::There, Some(there)) => there,
            _ => self.here,
        }
    }

    /// How much is below a row's edge.
    pub fn counts(&self, row: &Row) -> refrain_memo::Counts {
        match (row.mark, self.there, &self.of_there) {
            (Mark::There, Some(there), Some(subtrees)) => there.count(row.edge, subtrees),
            _ => self.here.count(row.edge, &self.of_here),
        }
    }

    /// All rows, or those down to a depth at which there are at most so many.
    pub fn rows(&self, most: usize) -> Vec<Row> {
        let mut by_depth: Vec<usize> = Vec::new();
        self.walk(u32::MAX, |row| {
            let depth = row.depth as usize;
            if by_depth.len() <= depth {
                by_depth.resize(depth + 1, 0);
            }
            by_depth[depth] += 1;
        });
        let mut sum = 0;
        let deepest = by_depth.iter().position(|rows| {
            sum += rows;
            sum > most
        });
        let deepest = deepest.map_or(u32::MAX, |depth| depth.saturating_sub(1) as u32);
        let mut rows = Vec::with_capacity(sum.min(most));
        self.walk(deepest, |row| rows.push(row));
        rows
    }

    fn walk(&self, deepest: u32, mut visit: impl FnMut(Row)) {
        let root = match self.there {
            None => Pair::One(Mark::Same, Edge::ROOT),
            Some(_) => Pair::Both(Edge::ROOT, Edge::ROOT),
        };
        let mut stack = Vec::new();
        self.push(None, (0, 0), root, &mut stack);
        let mut rows = 0;
        while let Some(task) = stack.pop() {
            let (mark, edge, other) = match task.pair {
                Pair::One(mark, edge) => (mark, edge, None),
                Pair::Both(here, there) => match self.is_same(here, there) {
                    true => (Mark::Same, here, None),
                    false => (Mark::Changed, here, Some(there)),
                },
            };
            let tree = self.tree(mark);
            let node = match tree.below(edge) {
                Below::Node(node) => Some(node),
                _ => None,
            };
            visit(Row {
                parent: task.parent,
                alternative: task.alternative,
                depth: task.depth,
                mark,
                edge,
                other,
                is_cut: node.is_some() && task.depth == deepest,
            });
            rows += 1;
            let Some(node) = node.filter(|_| task.depth < deepest) else {
                continue;
            };
            let twin = match task.pair {
                Pair::Both(_, there) => self.there.map(|tree| tree.below(there)),
                Pair::One(..) => None,
            };
            let first = stack.len();
            for edge in tree.edges(node) {
                let pair = match twin {
                    Some(Below::Node(twin)) => Pair::Both(edge, twin.edge(edge.alternative())),
                    _ => Pair::One(mark, edge),
                };
                let place = (edge.alternative(), task.depth + 1);
                self.push(Some(rows - 1), place, pair, &mut stack);
            }
            stack[first..].reverse();
        }
    }

    /// Ends that differ are one row. A subtree that the other tree has not is rows of its own.
    fn push(
        &self,
        parent: Option<u32>,
        (alternative, depth): (u32, u32),
        pair: Pair,
        stack: &mut Vec<Task>,
    ) {
        let mut add = |pair| {
            stack.push(Task {
                parent,
                alternative,
                depth,
                pair,
            });
        };
        let Pair::Both(here, there) = pair else {
            return add(pair);
        };
        let sides = self.below(here, there);
        let has_subtree = |below: &Below| matches!(below, Below::Node(_) | Below::Summary(_));
        if self.is_same(here, there) || !(has_subtree(&sides.0) || has_subtree(&sides.1)) {
            return add(pair);
        }
        let is_said = |below: &Below| *below != Below::Open(Boundary::default());
        if is_said(&sides.0) {
            add(Pair::One(Mark::Here, here));
        }
        if is_said(&sides.1) {
            add(Pair::One(Mark::There, there));
        }
    }

    fn below(&self, here: Edge, there: Edge) -> (Below<'a>, Below<'a>) {
        (self.here.below(here), self.tree(Mark::There).below(there))
    }

    /// Whether both trees have the same question or the same end. Tests have other numbers in other runs.
    fn is_same(&self, here: Edge, there: Edge) -> bool {
        match self.below(here, there) {
            (Below::Node(one), Below::Node(other)) => {
                let one = self.here.question(one);
                let other = self.tree(Mark::There).question(other);
                (one.kind, one.hash, one.implied, one.value)
                    == (other.kind, other.hash, other.implied, other.value)
            }
            (Below::Summary(_), Below::Node(_) | Below::Summary(_))
            | (Below::Node(_), Below::Summary(_)) => {
                let other = self.of_there.as_ref().zip(self.there);
                other.is_some_and(|(subtrees, tree)| {
                    self.here.count(here, &self.of_here) == tree.count(there, subtrees)
                })
            }
            (one, other) => super::said(&one) == super::said(&other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::fixture::trees;

    #[test]
    fn parents_come_first_and_depth_has_a_limit() {
        let trees = trees();
        let forest = Forest::new(&trees.here, None);
        let rows = forest.rows(100);
        let shape: Vec<_> = rows
            .iter()
            .map(|row| (row.parent, row.alternative, row.depth))
            .collect();
        let expected = [
            (None, 0, 0),
            (Some(0), 0, 1),
            (Some(0), 1, 1),
            (Some(2), 0, 2),
            (Some(2), 1, 2),
            (Some(0), 2, 1),
            (Some(5), 0, 2),
            (Some(5), 1, 2),
            (Some(0), 3, 1),
        ];
        assert_eq!(shape, expected);
        assert!(rows.iter().all(|row| !row.is_cut && row.mark == Mark::Same));
        let shallow = forest.rows(8);
        let cut: Vec<bool> = shallow.iter().map(|row| row.is_cut).collect();
        assert_eq!(cut, [false, false, true, true, false]);
        assert_eq!(forest.counts(&shallow[2]).errors, 1);
    }
}
