//! What is said to be infeasible: believed, or decided again.

use refrain_machine::Machine;
use refrain_memo::Edge;
use refrain_solver::{CheckResult, Limits, Query, Solver};
use refrain_term::Term;

use super::{Certifier, Difference};
use crate::memo::core::conditions_of;

/// Who decides again what is said to be infeasible, and how far each query may go.
pub struct Recheck<'a> {
    pub solver: &'a mut dyn Solver,
    pub limits: Limits,
}

impl<M: Machine> Certifier<'_, '_, M> {
    pub(super) fn infeasible(
        &mut self,
        edge: Edge,
        core: Option<&[u8]>,
        condition: Term,
    ) -> Result<(), Difference> {
        let alternative = edge.alternative();
        let path: Vec<Term> = self.path.conditions().collect();
        let core = core.map(|core| conditions_of(core, &path));
        if core == Some(None) {
            return Err(Difference::OtherCore(alternative));
        }
        match condition {
            Term::FALSE => {
                self.certificate.evident += 1;
                return Ok(());
            }
            Term::TRUE => return Err(Difference::Certain(alternative)),
            _ => {}
        }
        let Some(recheck) = &mut self.options.recheck else {
            self.certificate.trusted.push(edge);
            return Ok(());
        };
        let mut answer = Ok(());
        // A core that was found elsewhere may be none here.
        for mut conditions in core.flatten().into_iter().chain([path]) {
            conditions.push(condition);
            let query = Query::new(&conditions, &recheck.limits);
            match recheck.solver.check(&mut self.terms, &query).result {
                CheckResult::Unsat(_) => {
                    self.certificate.rechecked += 1;
                    return Ok(());
                }
                CheckResult::Sat(_) => answer = Err(Difference::Feasible(alternative)),
                CheckResult::Unknown(reason) => {
                    answer = Err(Difference::Undecided(alternative, reason))
                }
            }
        }
        answer
    }
}
