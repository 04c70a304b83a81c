//! Substitution of terms by terms.
//!
//! Whatever changes is rebuilt through the rewriting constructors, so a substitution of constants simplifies as it
//! goes. All replacements happen at once: what a replacement brings in is not looked at again.

use rustc_hash::FxHashMap;

use crate::{OneArena, Term, Terms};

/// `term` with every occurrence of a key replaced by its value.
pub fn substitute(terms: &mut Terms, term: Term, replacements: &FxHashMap<Term, Term>) -> Term {
    Substitution::new(replacements.iter().map(|(&from, &to)| (from, to))).apply(terms, term)
}

/// A substitution that remembers what it has rebuilt, for use on many terms of one arena.
pub struct Substitution {
    done: FxHashMap<Term, Term>,
    stack: Vec<Term>,
    arena: OneArena,
}

impl Substitution {
    /// Each first term is to be replaced by its second, which must have the same sort.
    pub fn new(replacements: impl IntoIterator<Item = (Term, Term)>) -> Substitution {
        Substitution {
            done: replacements.into_iter().collect(),
            stack: Vec::new(),
            arena: OneArena::new(),
        }
    }

    pub fn apply(&mut self, terms: &mut Terms, root: Term) -> Term {
        self.arena.check(terms);
        let mut operands = Vec::new();
        self.stack.clear();
        self.stack.push(root);
        while let Some(&term) = self.stack.last() {
            if self.done.contains_key(&term) {
                self.stack.pop();
                continue;
            }
            let before = self.stack.len();
            operands.clear();
            for &operand in terms.args(term) {
                match self.done.get(&operand) {
                    Some(&replaced) => operands.push(replaced),
                    None => self.stack.push(operand),
                }
            }
            if self.stack.len() > before {
                continue;
            }
            self.stack.pop();
            let same = terms.args(term) == &operands[..];
            let result = if same {
                term
            } else {
                terms.rebuild(term, &operands)
            };
            debug_assert_eq!(terms.sort(result), terms.sort(term));
            self.done.insert(term, result);
        }
        self.done[&root]
    }
}
