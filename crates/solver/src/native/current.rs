//! The model that the native solver repairs: an assignment that it shares with whoever it has answered, and how often it
//! has changed.

use std::ops::Deref;
use std::sync::Arc;

use refrain_term::Assignment;

#[derive(Default)]
pub struct CurrentModel {
    assignment: Arc<Assignment>,
    changes: u64,
}

impl CurrentModel {
    /// The assignment, to be changed. Others that hold it keep what they have.
    pub fn change(&mut self) -> &mut Assignment {
        self.changes += 1;
        Arc::make_mut(&mut self.assignment)
    }

    pub fn changes(&self) -> u64 {
        self.changes
    }
}

impl Deref for CurrentModel {
    type Target = Arc<Assignment>;

    fn deref(&self) -> &Arc<Assignment> {
        &self.assignment
    }
}
