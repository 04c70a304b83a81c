//! Pending states: what is to be explored later. A state that was evicted is known by its trail only, and is executed
//! again.

use std::sync::Arc;

use refrain_machine::InputValue;
use refrain_memo::Edge;
use refrain_term::{Assignment, Term};

use super::search::Id;
use super::tree::NodeId;
use crate::ran::Ran;
use crate::trail::{Decision, Trail};

/// A place that inputs lead to, or may lead to.
pub struct Pending<S> {
    /// As it was at its last question, which is not answered yet. None: it was evicted.
    pub state: Option<S>,
    /// Up to that question.
    pub trail: Trail,
    /// The answer, and what it adds to the path condition, if there is a question.
    pub next: Option<(Decision, Term)>,
    /// Leads there, if that is known; else it took another decision at the question.
    pub input: Arc<Assignment>,
    pub is_feasible: bool,
    pub node: Option<NodeId>,
    /// Where it is in the memo tree, its next decision taken.
    pub edge: Edge,
    /// Code that ran since the last question that was told.
    pub ran: Ran,
    /// Code ran that had not run before, and no path that has ended was told so.
    pub is_new: bool,
}

impl<S> Pending<S> {
    /// The trail to it, its next decision included.
    pub fn whole_trail(&self) -> Trail {
        match &self.next {
            Some((decision, condition)) => self.trail.with(decision.clone(), *condition),
            None => self.trail.clone(),
        }
    }
}

/// A pending state in a form that any worker understands: it is executed again from its decisions.
#[derive(Clone, Debug)]
pub struct WorkItem {
    pub decisions: Vec<Decision>,
    pub next: Option<Decision>,
    pub edge: Edge,
    pub input: Vec<InputValue>,
    pub is_feasible: bool,
    /// More inputs that lead there, and which of the partial solutions of its solve each was.
    pub surplus: Vec<(usize, Vec<InputValue>)>,
    pub is_new: bool,
}

impl WorkItem {
    /// Its decisions, without their conditions.
    pub fn trail(&self) -> Trail {
        let decisions = self.decisions.iter().chain(&self.next).cloned();
        decisions.fold(Trail::default(), |trail, decision| {
            trail.with(decision, Term::TRUE)
        })
    }
}

/// All pending states, by id.
pub struct Slab<S> {
    slots: Vec<Option<Pending<S>>>,
    free: Vec<Id>,
}

impl<S> Slab<S> {
    pub fn new() -> Slab<S> {
        Slab {
            slots: Vec::new(),
            free: Vec::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn add(&mut self, pending: Pending<S>) -> Id {
        match self.free.pop() {
            Some(id) => {
                self.slots[id as usize] = Some(pending);
                id
            }
            None => {
                self.slots.push(Some(pending));
                (self.slots.len() - 1) as Id
            }
        }
    }

    pub fn has(&self, id: Id) -> bool {
        let slot = self.slots.get(id as usize);
        slot.is_some_and(Option::is_some)
    }

    pub fn get(&self, id: Id) -> &Pending<S> {
        self.slots[id as usize].as_ref().expect("it is pending")
    }

    pub fn get_mut(&mut self, id: Id) -> &mut Pending<S> {
        self.slots[id as usize].as_mut().expect("it is pending")
    }

    pub fn take(&mut self, id: Id) -> Pending<S> {
        let pending = self.slots[id as usize].take().expect("it is pending");
        self.free.push(id);
        pending
    }

    pub fn ids(&self) -> Vec<Id> {
        let ids = 0..self.slots.len() as Id;
        ids.filter(|&id| self.slots[id as usize].is_some())
            .collect()
    }
}
