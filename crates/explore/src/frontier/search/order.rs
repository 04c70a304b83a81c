//! By order of coming, and by chance.

use std::collections::VecDeque;

use fastrand::Rng;

use super::{Id, Searcher, View};

/// Depth first: the last that came.
#[derive(Default)]
pub struct Stack(Vec<Id>);

impl Searcher for Stack {
    fn add(&mut self, id: Id, _view: &mut dyn View) {
        self.0.push(id);
    }

    fn remove(&mut self, id: Id) {
        if let Some(at) = self.0.iter().rposition(|&known| known == id) {
            self.0.remove(at);
        }
    }

    fn pick(&mut self, _view: &mut dyn View) -> Id {
        *self.0.last().expect("something is pending")
    }

    fn go_on(&mut self, _choices: usize) -> Option<usize> {
        Some(0)
    }

    fn slice(&self) -> u64 {
        u64::MAX
    }
}

/// Breadth first: the first that came.
#[derive(Default)]
pub struct Queue(VecDeque<Id>);

impl Searcher for Queue {
    fn add(&mut self, id: Id, _view: &mut dyn View) {
        self.0.push_back(id);
    }

    fn remove(&mut self, id: Id) {
        if self.0.front() == Some(&id) {
            self.0.pop_front();
        } else if let Some(at) = self.0.iter().position(|&known| known == id) {
            self.0.remove(at);
        }
    }

    fn pick(&mut self, _view: &mut dyn View) -> Id {
        *self.0.front().expect("something is pending")
    }

    fn go_on(&mut self, _choices: usize) -> Option<usize> {
        None
    }

    fn slice(&self) -> u64 {
        0
    }
}

/// Any of them, with equal chances.
pub struct RandomState {
    random: Rng,
    ids: Vec<Id>,
    /// By id: where it is in the list.
    places: Vec<u32>,
}

impl RandomState {
    pub fn new(seed: u64) -> RandomState {
        RandomState {
            random: Rng::with_seed(seed),
            ids: Vec::new(),
            places: Vec::new(),
        }
    }
}

impl Searcher for RandomState {
    fn add(&mut self, id: Id, _view: &mut dyn View) {
        if self.places.len() <= id as usize {
            self.places.resize(id as usize + 1, u32::MAX);
        }
        self.places[id as usize] = self.ids.len() as u32;
        self.ids.push(id);
    }

    fn remove(&mut self, id: Id) {
        let Some(place) = self.places.get_mut(id as usize) else {
            return;
        };
        let at = std::mem::replace(place, u32::MAX);
        if at == u32::MAX {
            return;
        }
        self.ids.swap_remove(at as usize);
        if let Some(&moved) = self.ids.get(at as usize) {
            self.places[moved as usize] = at;
        }
    }

    fn pick(&mut self, _view: &mut dyn View) -> Id {
        self.ids[self.random.usize(..self.ids.len())]
    }

    fn go_on(&mut self, choices: usize) -> Option<usize> {
        Some(self.random.usize(..choices))
    }
}
