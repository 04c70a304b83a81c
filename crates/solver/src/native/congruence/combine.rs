//! What the e-graph finds equal or different, for arithmetic.
//!
//! Numbers that both know, of one class, must have one value, and those of classes that are different must not. Where
//! the simplex has it otherwise, a clause says why, with a new atom if need be, which from then on both follow.

use refrain_sat::{Completion, Lemmas, Lit, TrailView};
use refrain_term::{Rational, Term};
use rustc_hash::FxHashMap;

use super::Congruence;
use super::egraph::Node;
use super::follower::refuting;
use crate::native::arith::{Arith, Form};

/// A number of the e-graph and of the simplex.
pub struct Shared {
    pub term: Term,
    pub form: Form,
}

/// Numbers about which the simplex is wrong.
struct Disagreement<'a> {
    numbers: (&'a Shared, &'a Shared),
    are_equal: bool,
    /// The true literals that make them equal or different.
    reasons: Vec<Lit>,
}

/// By root: a number of the class that arithmetic knows, and its value there.
type Valued<'a> = FxHashMap<Node, (&'a Shared, Rational)>;

impl Congruence {
    /// Moves the arguments of functions apart in arithmetic that need not be equal. Returns whether any was moved.
    pub fn diversify(&self, arith: &mut Arith, shared: &[Shared]) -> bool {
        let arguments = shared.iter().filter(|number| {
            let is_about = arith.value_if_about(&number.form).is_some();
            is_about && self.arguments.contains(&number.term)
        });
        let numbers: Vec<(Node, &Form)> = arguments
            .map(|number| (self.graph.root(self.nodes[&number.term]), &number.form))
            .collect();
        arith.diversify(&numbers)
    }

    /// Accepts the values of the simplex, or adds clauses for what is wrong with them.
    pub fn combine(
        &mut self,
        arith: &mut Arith,
        shared: &[Shared],
        trail: &TrailView<'_>,
        lemmas: &mut Lemmas,
    ) -> Completion {
        let disagreements = self.disagreements(arith, shared);
        if disagreements.is_empty() {
            return Completion::Accept;
        }
        let mut equations = Vec::new();
        for disagreement in disagreements {
            let (a, b) = disagreement.numbers;
            let mut clause = refuting(disagreement.reasons);
            if let Some(lit) = arith.equal_forms(&a.form, &b.form, trail, lemmas) {
                clause.push(if disagreement.are_equal { lit } else { !lit });
                equations.push((a.term, b.term, lit));
            }
            lemmas.learn(&clause);
        }
        for (a, b, lit) in equations {
            let atom = self.add_equation(a, b, lit);
            self.set_aside(a, b, false);
            self.make_relevant(atom);
        }
        Completion::Refine
    }

    fn disagreements<'a>(&mut self, arith: &Arith, shared: &'a [Shared]) -> Vec<Disagreement<'a>> {
        let mut found = Vec::new();
        let mut valued: Valued<'a> = FxHashMap::default();
        for number in shared {
            let Some(value) = arith.value_if_about(&number.form) else {
                continue;
            };
            let node = self.nodes[&number.term];
            match valued.get(&self.graph.root(node)) {
                Some((other, expected)) if *expected != value => {
                    let reasons = self.graph.explain(self.nodes[&other.term], node);
                    found.push(Disagreement {
                        numbers: (other, number),
                        are_equal: true,
                        reasons,
                    });
                }
                Some(_) => {}
                None => {
                    valued.insert(self.graph.root(node), (number, value));
                }
            }
        }
        for (a, b, lit) in self.different().collect::<Vec<_>>() {
            let [x, y] = [a, b].map(|side| valued.get(&self.graph.root(side)));
            if let (Some((x, value)), Some((y, other))) = (x, y)
                && value == other
            {
                let mut reasons = vec![lit];
                for (side, number) in [(a, x), (b, y)] {
                    reasons.extend(self.graph.explain(side, self.nodes[&number.term]));
                }
                found.push(Disagreement {
                    numbers: (x, y),
                    are_equal: false,
                    reasons,
                });
            }
        }
        found
    }
}
