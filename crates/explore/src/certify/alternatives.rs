//! What the tree says of the alternatives of a question: each leads on, is a boundary with its cause, or is infeasible.

use refrain_machine::Machine;
use refrain_memo::{Below, Boundary, Edge, NodeId};
use refrain_solver::{CheckResult, Limits, Query, Solver};
use refrain_term::Term;

use super::asked::Asked;
use super::{Certifier, Difference, Running};
use crate::memo::core::conditions_of;
use crate::ran::Ran;
use crate::trail::Decision;

/// Who decides again what is said to be infeasible, and how far each query may go.
pub struct Recheck<'a> {
    pub solver: &'a mut dyn Solver,
    pub limits: Limits,
}

impl<M: Machine> Certifier<'_, '_, M> {
    pub(super) fn alternatives(
        &mut self,
        running: &mut Running<M::State>,
        node: NodeId,
        asked: Asked,
    ) -> Result<(), Difference> {
        let mut is_anything_feasible = false;
        // The first alternative is followed first.
        for (alternative, (decision, condition)) in asked.alternatives.into_iter().enumerate().rev()
        {
            let edge = node.edge(alternative as u32);
            match self.tree.below(edge) {
                Below::Infeasible { core } => self.infeasible(edge, core, condition)?,
                _ => {
                    is_anything_feasible = true;
                    if self.leads_on(edge, condition)? {
                        self.fork(running, edge, decision, condition);
                    }
                }
            }
        }
        match is_anything_feasible {
            true => Ok(()),
            false => Err(Difference::NoWay),
        }
    }

    /// The second alternative of an assumption is there if the first is infeasible, and only then.
    pub(super) fn assumption(
        &mut self,
        running: &mut Running<M::State>,
        node: NodeId,
        condition: Term,
    ) -> Result<(), Difference> {
        let [holds, fails] = [0, 1].map(|alternative| node.edge(alternative));
        if let Below::Infeasible { core } = self.tree.below(holds) {
            self.infeasible(holds, core, condition)?;
            if matches!(self.tree.below(fails), Below::Infeasible { .. }) {
                return Err(Difference::NoWay);
            }
            if self.leads_on(fails, Term::TRUE)? {
                self.fork(running, fails, Decision::Assumed(false), Term::TRUE);
            }
            return Ok(());
        }
        let leads_on = self.leads_on(holds, condition)?;
        match self.tree.below(fails) {
            Below::Infeasible { core: None } => self.certificate.evident += 1,
            Below::Infeasible { .. } => return Err(Difference::OtherCore(1)),
            // As long as it is not known whether the assumption holds for any input, nothing is said of this.
            Below::Open(_) if !leads_on && self.is_blank(fails) => {}
            _ => return Err(Difference::Open(1)),
        }
        if leads_on {
            self.fork(running, holds, Decision::Assumed(true), condition);
        }
        Ok(())
    }

    /// Whether nothing at all is said of an edge.
    fn is_blank(&self, edge: Edge) -> bool {
        let nothing = Below::Open(Boundary::default());
        self.tree.below(edge) == nothing && self.tree.input(edge).is_none()
    }

    /// Whether there is something to be followed at the end of an edge. If it is not infeasible either, the cause is
    /// said.
    pub(super) fn leads_on(&mut self, edge: Edge, condition: Term) -> Result<bool, Difference> {
        let alternative = edge.alternative();
        if condition == Term::FALSE {
            return Err(Difference::False(alternative));
        }
        let cause = match self.tree.below(edge) {
            Below::Node(_) | Below::Leaf(_) => return Ok(true),
            Below::Infeasible { .. } => return Ok(false),
            Below::Summary(_) => return Err(Difference::Summary),
            Below::Unknown { reason } => reason,
            Below::Open(boundary) => boundary.cause,
        };
        if cause.is_empty() {
            return Err(Difference::Open(alternative));
        }
        self.note_boundary(cause);
        if self.tree.input(edge).is_some() {
            self.check_input(edge, condition)?;
        }
        Ok(false)
    }

    pub(super) fn note_boundary(&mut self, cause: &str) {
        let boundaries = &mut self.certificate.boundaries;
        *boundaries.entry(cause.to_string()).or_default() += 1;
    }

    fn fork(
        &mut self,
        running: &mut Running<M::State>,
        edge: Edge,
        decision: Decision,
        condition: Term,
    ) {
        let mut state = self.machine.fork(&mut running.state);
        if let Some(answer) = decision.answer() {
            self.machine.answer(&mut state, &answer);
        }
        self.machine.park(&mut state);
        self.pending.push(Running {
            state,
            edge,
            depth: self.path.len(),
            taken: Some((decision, condition)),
            implied: Vec::new(),
            ran: Ran::default(),
        });
    }

    /// An alternative is said to be infeasible: that is evident, decided again, or trusted.
    fn infeasible(
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
        let core = core.flatten().map(|core| (core, 1));
        for (mut conditions, by_core) in core.into_iter().chain([(path, 0)]) {
            conditions.push(condition);
            let query = Query::new(&conditions, &recheck.limits);
            match recheck.solver.check(&mut self.terms, &query).result {
                CheckResult::Unsat(_) => {
                    self.certificate.rechecked += 1;
                    self.certificate.by_core += by_core;
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
