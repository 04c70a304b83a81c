//! Rechecking: a reused answer is solved again, from scratch, and its model evaluated.

use refrain_solver::{Limits, Query, Reason, Verdict};
use refrain_term::{Evaluator, Term, Terms, print};

use super::Chain;

impl Chain {
    /// An assertion or assumption that the model does not satisfy.
    fn violated(&mut self, terms: &mut Terms, assumptions: &[Term]) -> Option<Term> {
        let model = self.completed_model(terms);
        let mut evaluator = Evaluator::new();
        let formulas = self.assertions.formulas().iter().chain(assumptions);
        let mut formulas = formulas.copied();
        formulas.find(|&formula| !evaluator.bool(terms, &model, formula))
    }

    /// Solves a reused answer again, from scratch: everything if it is sat, its core if it is unsat.
    pub(super) fn recheck(
        &mut self,
        terms: &mut Terms,
        assumptions: &[Term],
        verdict: Verdict,
        limits: &Limits,
    ) -> Verdict {
        if self.checker.is_none() || matches!(verdict, Verdict::Unknown(_)) {
            return verdict;
        }
        let formulas: Vec<Term> = match verdict {
            Verdict::Unsat => self.conflicting(terms),
            _ => {
                let assertions = self.assertions.formulas().iter();
                assertions.chain(assumptions).copied().collect()
            }
        };
        let checker = self.checker.as_mut().expect("asked above");
        checker.reset();
        for formula in formulas {
            checker.assert(terms, formula);
        }
        let again = checker.check(terms, &Query::new(&[], limits)).verdict();
        if verdict == Verdict::Sat
            && let Some(formula) = self.violated(terms, assumptions)
        {
            let formula = print(terms, formula);
            let what = format!("reused answer Sat, but its model does not satisfy {formula}");
            return Verdict::Unknown(Reason::Disagreement(what));
        }
        match again {
            Verdict::Unknown(_) => verdict,
            again if again == verdict => verdict,
            again => Verdict::Unknown(Reason::Disagreement(format!(
                "reused answer {verdict:?}, solved again {again:?}"
            ))),
        }
    }
}
