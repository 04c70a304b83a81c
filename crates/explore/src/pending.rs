//! What is to be explored later: a state that waits, or only how to get there again.

use std::sync::Arc;

use refrain_term::{Assignment, Term, Terms};

use crate::arithmetic::Arithmetic;
use crate::search::Id;
use crate::trail::{Decision, Trail};
use crate::tree::NodeId;

/// A place that inputs lead to, or may lead to.
pub struct Pending<S> {
    /// As it was at its last question, which is not answered yet. None: it is to be executed again.
    pub state: Option<S>,
    /// Up to that question.
    pub trail: Trail,
    /// The answer, and what it says, if there is a question.
    pub next: Option<(Decision, Term)>,
    /// Goes there, if that is known; else it went another way at the question.
    pub input: Arc<Assignment>,
    pub is_feasible: bool,
    pub node: Option<NodeId>,
    /// Functions that ran since the last question.
    pub ran: Vec<u32>,
    /// Code ran that had not run before, and no path that has ended was told so.
    pub is_new: bool,
}

/// The same for somebody else, who has other terms.
#[derive(Clone, Debug)]
pub struct Portable {
    pub decisions: Vec<Decision>,
    pub next: Option<Decision>,
    /// By byte.
    pub input: Vec<(String, u8)>,
    pub is_feasible: bool,
    pub is_new: bool,
}

impl<S> Pending<S> {
    pub fn portable(&self, terms: &Terms, arithmetic: &Arithmetic) -> Portable {
        Portable {
            decisions: self.trail.decisions(),
            next: self.next.map(|(decision, _)| decision),
            input: arithmetic.to_bytes(terms, &self.input),
            is_feasible: self.is_feasible,
            is_new: self.is_new,
        }
    }
}

impl Portable {
    /// Its decisions, without what they say.
    pub fn trail(&self) -> Trail {
        let decisions = self.decisions.iter().copied().chain(self.next);
        decisions.fold(Trail::default(), |trail, decision| {
            trail.with(decision, Term::TRUE)
        })
    }
}

/// All of them, by number.
pub struct Slab<S> {
    places: Vec<Option<Pending<S>>>,
    free: Vec<Id>,
}

impl<S> Slab<S> {
    pub fn new() -> Slab<S> {
        Slab {
            places: Vec::new(),
            free: Vec::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn add(&mut self, pending: Pending<S>) -> Id {
        match self.free.pop() {
            Some(id) => {
                self.places[id as usize] = Some(pending);
                id
            }
            None => {
                self.places.push(Some(pending));
                (self.places.len() - 1) as Id
            }
        }
    }

    pub fn has(&self, id: Id) -> bool {
        let place = self.places.get(id as usize);
        place.is_some_and(Option::is_some)
    }

    pub fn get(&self, id: Id) -> &Pending<S> {
        self.places[id as usize].as_ref().expect("it is pending")
    }

    pub fn get_mut(&mut self, id: Id) -> &mut Pending<S> {
        self.places[id as usize].as_mut().expect("it is pending")
    }

    pub fn take(&mut self, id: Id) -> Pending<S> {
        let pending = self.places[id as usize].take().expect("it is pending");
        self.free.push(id);
        pending
    }

    pub fn ids(&self) -> Vec<Id> {
        let ids = 0..self.places.len() as Id;
        ids.filter(|&id| self.places[id as usize].is_some())
            .collect()
    }
}
