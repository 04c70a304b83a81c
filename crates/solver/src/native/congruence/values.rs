//! Numbers for classes.
//!
//! A class has the number that a constant in it is, or that arithmetic gives to one of its members. Any other class has
//! one of its own, different from all numbers in use: the one that a member had in the model before, if it is free.

use refrain_term::{Rational, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::egraph::Node;
use super::{Congruence, Scope};

/// The numbers of classes in one assignment.
#[derive(Default)]
pub struct Values {
    by_root: FxHashMap<Node, Rational>,
}

impl Congruence {
    /// The numbers of all classes that a query is about, given those of arithmetic and those of the model before.
    pub fn values(
        &self,
        scope: &Scope,
        arithmetic: impl Fn(Term) -> Option<Rational>,
        before: impl Fn(Term) -> Option<Rational>,
    ) -> Values {
        let graph = self.graph();
        let mut by_root: FxHashMap<Node, Rational> = FxHashMap::default();
        let mut used: FxHashSet<Rational> = self.constants.values().cloned().collect();
        for &term in &scope.numbers {
            let root = graph.root(self.nodes[&term]);
            if by_root.contains_key(&root) {
                continue;
            }
            let constant = graph
                .constant_of(root)
                .and_then(|node| self.constants.get(&node));
            if let Some(value) = constant.cloned().or_else(|| arithmetic(term)) {
                used.insert(value.clone());
                by_root.insert(root, value);
            }
        }
        for &term in &scope.numbers {
            let root = graph.root(self.nodes[&term]);
            if !by_root.contains_key(&root)
                && let Some(value) = before(term).filter(|value| !used.contains(value))
            {
                used.insert(value.clone());
                by_root.insert(root, value);
            }
        }
        // Zero is left to those that nobody has asked about.
        let mut free = Rational::ONE;
        for &term in &scope.numbers {
            let root = graph.root(self.nodes[&term]);
            by_root.entry(root).or_insert_with(|| {
                while !used.insert(free.clone()) {
                    free += &Rational::ONE;
                }
                free.clone()
            });
        }
        Values { by_root }
    }

    /// The number of a term, if it has a node and the query is about it.
    pub fn value<'a>(&self, values: &'a Values, term: Term) -> Option<&'a Rational> {
        let node = self.nodes.get(&term)?;
        values.by_root.get(&self.graph().root(*node))
    }
}
