//! What the program at hand has bound to names: registers, variables, definitions.
//!
//! A term says nothing of how it came about. But a program computes in steps, and what it has given a name once it is
//! likely to use again: that is worth knowing to whoever writes terms down for another solver. Nothing depends on it
//! for its meaning.

use crate::{Sort, Term, Terms};

#[derive(Default)]
pub(crate) struct AssignedTerms {
    /// In the order of their first assignment.
    list: Vec<Term>,
    /// By index: one bit for each term.
    known: Vec<u64>,
}

impl Terms {
    /// The program has bound this term to a name. Symbols and constants are names already, and conditions are not
    /// what values are computed from: of those nothing is noted.
    pub fn note_assigned(&mut self, term: Term) {
        if self.sort(term) == Sort::Bool || self.args(term).is_empty() {
            return;
        }
        let (word, bit) = place(term);
        let assigned = &mut self.assigned;
        if assigned.known.len() <= word {
            assigned.known.resize(word + 1, 0);
        }
        if assigned.known[word] & bit == 0 {
            assigned.known[word] |= bit;
            assigned.list.push(term);
        }
    }

    pub fn is_assigned(&self, term: Term) -> bool {
        let (word, bit) = place(term);
        let known = self.assigned.known.get(word);
        known.is_some_and(|known| known & bit != 0)
    }

    /// All terms that the program has bound to names, in the order in which it did so first.
    pub fn assigned(&self) -> &[Term] {
        &self.assigned.list
    }
}

fn place(term: Term) -> (usize, u64) {
    (term.index() / 64, 1 << (term.index() % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_noted_once_and_in_order() {
        let mut terms = Terms::new();
        let (x, y) = (terms.var("x", Sort::Int), terms.var("y", Sort::Int));
        let (sum, one) = (terms.add(x, y), terms.int(1));
        let (next, less) = (terms.add(x, one), terms.lt(x, y));
        for term in [next, x, one, less, sum, next] {
            terms.note_assigned(term);
        }
        assert_eq!(terms.assigned(), [next, sum]);
        let are_assigned = [x, y, one, less, sum, next].map(|term| terms.is_assigned(term));
        assert_eq!(are_assigned, [false, false, false, false, true, true]);
    }
}
