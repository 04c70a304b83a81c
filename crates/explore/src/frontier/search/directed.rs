//! Towards a goal: the nearest first, and of several as near, the one that came last. What cannot get there comes
//! when nothing else is left.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use super::{Id, Searcher, View};
use refrain_machine::Goal;

type Rank = (u32, Reverse<u64>, Id);

#[derive(Default)]
pub struct Directed {
    order: BTreeSet<Rank>,
    ranks: HashMap<Id, Rank>,
    came: u64,
}

impl Searcher for Directed {
    fn add(&mut self, id: Id, view: &mut dyn View) {
        let distance = view.distance(id, Goal::Target).unwrap_or(u32::MAX);
        self.came += 1;
        let rank = (distance, Reverse(self.came), id);
        self.order.insert(rank);
        self.ranks.insert(id, rank);
    }

    fn remove(&mut self, id: Id) {
        if let Some(rank) = self.ranks.remove(&id) {
            self.order.remove(&rank);
        }
    }

    fn pick(&mut self, _view: &mut dyn View) -> Id {
        let (_, _, id) = self.order.first().expect("something is pending");
        *id
    }

    fn go_on(&mut self, _choices: usize) -> Option<usize> {
        None
    }
}
