//! A model together with the values that facts define.
//!
//! Solvers hold models without what facts define, and hand them out with it. Most checks change neither: then what was
//! handed out before is handed out again.

use std::sync::Arc;

use refrain_term::{Assignment, Terms};

use super::Simplifier;

#[derive(Default)]
pub struct CompletedModel {
    last: Option<Completed>,
}

struct Completed {
    /// What the model and the facts were then.
    model_changes: u64,
    facts: usize,
    assignment: Arc<Assignment>,
}

impl CompletedModel {
    /// The model and what facts define; the model itself if there are none. `model_changes` counts the changes of the
    /// model. Facts only ever become more.
    pub fn of(
        &mut self,
        simplifier: &Simplifier,
        terms: &Terms,
        model: &Arc<Assignment>,
        model_changes: u64,
    ) -> Arc<Assignment> {
        let facts = simplifier.facts();
        if facts == 0 {
            return model.clone();
        }
        if let Some(last) = &self.last
            && last.model_changes == model_changes
            && last.facts == facts
        {
            return last.assignment.clone();
        }
        let mut completed = Assignment::clone(model);
        simplifier.complete(terms, &mut completed);
        let assignment = Arc::new(completed);
        self.last = Some(Completed {
            model_changes,
            facts,
            assignment: assignment.clone(),
        });
        assignment
    }
}
