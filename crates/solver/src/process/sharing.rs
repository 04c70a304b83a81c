//! Which subterms to name before they are used, for those who name across assertions.
//!
//! This is what sets *stackOpt* apart from *stack* in Liu et al., "A Comparative Study of Incremental Constraint
//! Solving Approaches in Symbolic Execution" (HVC 2014, §3.2): a value is defined once, on the level *below* the
//! branch that depends on it, so that all branches from there on refer to it by name, on either side. The paper takes
//! its names from the assignments of the program. Here they come from what is sent: a subterm is named when it turns
//! up under a second user, even if the first is long popped; a term that only ever turns up inside of one and the
//! same user is left to that user's name. Negation is no user: a condition and its negation are two uses of one term.
//!
//! A name is not free. It takes the text of a definition, and z3 goes through all definitions in force whenever it is
//! asked for values. So a term must be long to be worth one.

use refrain_term::{Op, Sort, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// A term of fewer bytes is written out.
pub(super) const SHORTEST: usize = 48;
/// The bytes of a name and of an operator with its parentheses, near enough.
const NAME: usize = 5;
const OPERATOR: usize = 8;

/// Who has used a term, since the program was started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Users {
    Assertion,
    Term(Term),
    Several,
}

/// Remembers across levels: what was popped is likely to come again.
#[derive(Default)]
pub(super) struct Sharing {
    users: FxHashMap<Term, Users>,
}

impl Sharing {
    /// Takes in what is about to be sent: `roots`, and the terms below that have no names yet, operands before users.
    /// Returns those of them that have been used by several.
    pub fn meet(&mut self, terms: &Terms, roots: &[Term], unknown: &[Term]) -> FxHashSet<Term> {
        for &root in roots {
            self.meet_one(terms, root, Users::Assertion);
        }
        for &user in unknown {
            if terms.op(user) == Op::Not {
                continue;
            }
            let args = terms.args(user);
            for (position, &arg) in args.iter().enumerate() {
                // Operands that may repeat are few: sums and conjunctions have each of theirs once.
                let repeated = args[position.saturating_sub(2)..position].contains(&arg);
                let by = if repeated {
                    Users::Several
                } else {
                    Users::Term(user)
                };
                self.meet_one(terms, arg, by);
            }
        }
        let shared = |term: &Term| self.users.get(term) == Some(&Users::Several);
        unknown.iter().copied().filter(shared).collect()
    }

    fn meet_one(&mut self, terms: &Terms, mut term: Term, by: Users) {
        while terms.op(term) == Op::Not {
            term = terms.arg(term, 0);
        }
        if terms.args(term).is_empty() {
            return;
        }
        // An assertion that comes again comes from another path.
        let before = self.users.insert(term, by);
        if before.is_some_and(|before| before != by || by == Users::Assertion) {
            self.users.insert(term, Users::Several);
        }
    }
}

/// The bytes of a term as it is written, those of its operands known.
pub(super) fn length(
    terms: &Terms,
    term: Term,
    of_operand: impl Fn(Term) -> Option<usize>,
) -> usize {
    let operands = terms.args(term).iter().map(|&arg| {
        let leaf = || match terms.sort(arg) {
            Sort::BitVec(width) if terms.is_value(arg) => 2 + width as usize / 4,
            _ => NAME,
        };
        1 + of_operand(arg).unwrap_or_else(leaf)
    });
    OPERATOR + operands.sum::<usize>()
}
