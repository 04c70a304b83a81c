//! Rechecking: a reused answer is solved again, from scratch.

use refrain_path::AtomId;
use refrain_solver::{CheckResult, Query, Reason, Verdict};
use refrain_term::{Evaluator, Term, Terms, print};

use super::Chain;

impl Chain {
    /// Solves a reused answer again: everything if it is sat, its core if it is unsat. Its model is evaluated by an
    /// evaluator that has seen nothing else.
    pub(super) fn recheck(
        &mut self,
        terms: &mut Terms,
        query: &Query<'_>,
        core: &[AtomId],
        result: CheckResult,
    ) -> CheckResult {
        let assertions = self.path.assertions().formulas().iter();
        let asked: Vec<Term> = assertions.chain(query.assumptions).copied().collect();
        let (formulas, verdict) = match &result {
            CheckResult::Sat(model) => {
                let mut evaluator = Evaluator::new();
                let violated = |&&formula: &&Term| !evaluator.bool(terms, model, formula);
                if let Some(&formula) = asked.iter().find(violated) {
                    let formula = print(terms, formula);
                    return disagreement(format!(
                        "reused answer Sat, but its model does not satisfy {formula}"
                    ));
                }
                (asked, Verdict::Sat)
            }
            CheckResult::Unsat(_) => (self.path.conflict_of(terms, core), Verdict::Unsat),
            CheckResult::Unknown(_) => return result,
        };
        let Some(checker) = &mut self.checker else {
            return result;
        };
        checker.reset();
        for formula in formulas {
            checker.assert(terms, formula);
        }
        match checker
            .check(terms, &Query::new(&[], query.limits))
            .verdict()
        {
            Verdict::Unknown(_) => result,
            again if again == verdict => result,
            again => disagreement(format!("reused answer {verdict:?}, solved again {again:?}")),
        }
    }
}

fn disagreement(what: String) -> CheckResult {
    CheckResult::Unknown(Reason::Disagreement(what))
}
