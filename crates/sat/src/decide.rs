//! Which variable to decide on next. Variables met in recent conflicts come first: each conflict
//! bumps the activity of those it met, by an amount that grows with every conflict (VSIDS, in
//! MiniSat's exponential form). A heap keeps the most active candidate on top.
//!
//! The heap holds *candidates* only. A query that names its decision variables makes just those
//! candidates, and analysis adds what it meets; all others do not exist as far as this query
//! is concerned, so a small query in a large session stays small. A query about everything keeps the
//! heap of the query before.

use crate::Cdcl;
use crate::lit::{Lit, Var};
use crate::trail::Trail;

const ABSENT: u32 = u32::MAX;
const RESCALE: f64 = 1e100;
const DECAY: f64 = 0.95;

/// Candidates and their activity.
pub(crate) struct Order {
    activity: Vec<f64>,
    increment: f64,
    heap: Vec<Var>,
    position: Vec<u32>,
    /// `2 * round` for a variable met in analysis this round, one more for one that was asked for.
    stamp: Vec<u32>,
    round: u32,
    everything: bool,
}

impl Default for Order {
    fn default() -> Order {
        Order {
            activity: Vec::new(),
            increment: 1.0,
            heap: Vec::new(),
            position: Vec::new(),
            stamp: Vec::new(),
            round: 1,
            everything: true,
        }
    }
}

impl Order {
    /// Room for one more variable.
    pub fn grow(&mut self) {
        let var = Var::from_index(self.activity.len());
        self.activity.push(0.0);
        self.position.push(ABSENT);
        self.stamp.push(0);
        if self.everything {
            self.insert(var);
        }
    }

    /// Starts a query about everything.
    pub fn begin_everything(&mut self, trail: &Trail) {
        if !self.everything {
            self.clear();
            self.everything = true;
            for index in 0..self.activity.len() {
                let var = Var::from_index(index);
                if !trail.is_assigned(var) {
                    self.insert(var);
                }
            }
        }
    }

    /// Starts a query about some variables: no candidates yet.
    pub fn begin_some(&mut self) {
        self.clear();
        self.everything = false;
        self.round += 1;
        if self.round == u32::MAX >> 1 {
            self.stamp.fill(0);
            self.round = 1;
        }
    }

    fn clear(&mut self) {
        for var in self.heap.drain(..) {
            self.position[var.index()] = ABSENT;
        }
    }

    /// Makes a variable that was asked for a candidate.
    pub fn ask(&mut self, var: Var, trail: &Trail) {
        self.stamp[var.index()] = 2 * self.round + 1;
        if !trail.is_assigned(var) {
            self.insert(var);
        }
    }

    #[inline]
    fn was_asked(&self, var: Var) -> bool {
        self.everything || self.stamp[var.index()] == 2 * self.round + 1
    }

    /// Makes a variable that lost its value available again, if it is a candidate.
    #[inline]
    pub fn unassigned(&mut self, var: Var) {
        if self.everything || self.stamp[var.index()] >> 1 == self.round {
            self.insert(var);
        }
    }

    /// An assigned variable was met in analysis.
    #[inline]
    pub fn bump(&mut self, var: Var) {
        let index = var.index();
        if self.stamp[index] >> 1 != self.round {
            self.stamp[index] = 2 * self.round;
        }
        self.activity[index] += self.increment;
        if self.activity[index] > RESCALE {
            for activity in &mut self.activity {
                *activity /= RESCALE;
            }
            self.increment /= RESCALE;
        }
        if self.position[index] != ABSENT {
            self.sift_up(self.position[index] as usize);
        }
    }

    /// Lets all activities fade, by making the next bumps larger.
    pub fn decay(&mut self) {
        self.increment /= DECAY;
    }

    fn insert(&mut self, var: Var) {
        if self.position[var.index()] == ABSENT {
            self.position[var.index()] = self.heap.len() as u32;
            self.heap.push(var);
            self.sift_up(self.heap.len() - 1);
        }
    }

    fn pop(&mut self) -> Option<Var> {
        let top = *self.heap.first()?;
        let last = self.heap.pop()?;
        self.position[top.index()] = ABSENT;
        if !self.heap.is_empty() {
            self.heap[0] = last;
            self.position[last.index()] = 0;
            self.sift_down(0);
        }
        Some(top)
    }

    fn sift_up(&mut self, mut at: usize) {
        let var = self.heap[at];
        let activity = self.activity[var.index()];
        while at > 0 {
            let parent = (at - 1) / 2;
            let above = self.heap[parent];
            if self.activity[above.index()] >= activity {
                break;
            }
            self.heap[at] = above;
            self.position[above.index()] = at as u32;
            at = parent;
        }
        self.heap[at] = var;
        self.position[var.index()] = at as u32;
    }

    fn sift_down(&mut self, mut at: usize) {
        let var = self.heap[at];
        let activity = self.activity[var.index()];
        loop {
            let mut child = 2 * at + 1;
            if child >= self.heap.len() {
                break;
            }
            let key = |at: usize| self.activity[self.heap[at].index()];
            if child + 1 < self.heap.len() && key(child + 1) > key(child) {
                child += 1;
            }
            if key(child) <= activity {
                break;
            }
            let below = self.heap[child];
            self.heap[at] = below;
            self.position[below.index()] = at as u32;
            at = child;
        }
        self.heap[at] = var;
        self.position[var.index()] = at as u32;
    }
}

/// The variables that a query asks for.
pub(crate) struct Asked<'a> {
    /// Those it names; `None` for all there are.
    named: Option<&'a [Var]>,
    named_cursor: Cursor,
    /// Those the theory added.
    added: Vec<Var>,
    added_cursor: Cursor,
}

impl<'a> Asked<'a> {
    pub fn new(named: Option<&'a [Var]>) -> Asked<'a> {
        Asked {
            named,
            named_cursor: Cursor::default(),
            added: Vec::new(),
            added_cursor: Cursor::default(),
        }
    }

    /// Asks for one variable more.
    pub fn add(&mut self, var: Var, order: &mut Order, trail: &Trail) {
        if !order.was_asked(var) {
            self.added.push(var);
            order.ask(var, trail);
        }
    }

    /// Whether a variable that is asked for is unassigned.
    pub fn any_open(&mut self, trail: &Trail) -> bool {
        match self.named {
            None => trail.lits.len() < trail.phases.len(),
            Some(named) => {
                self.named_cursor.any_open(named, trail)
                    || self.added_cursor.any_open(&self.added, trail)
            }
        }
    }
}

/// Finds variables of a list that are unassigned, starting where it last found one.
#[derive(Default)]
struct Cursor(usize);

impl Cursor {
    fn any_open(&mut self, vars: &[Var], trail: &Trail) -> bool {
        let (before, after) = vars.split_at(self.0.min(vars.len()));
        let mut turn = after.iter().chain(before);
        match turn.position(|&var| !trail.is_assigned(var)) {
            Some(steps) => {
                self.0 = (self.0 + steps) % vars.len();
                true
            }
            None => false,
        }
    }
}

impl Cdcl {
    /// The literal to decide on next; `None` if everything that was asked for is assigned.
    pub(crate) fn pick(&mut self, asked: &mut Asked<'_>) -> Option<Lit> {
        while let Some(var) = self.order.pop() {
            if self.trail.is_assigned(var) {
                continue;
            }
            if !self.order.was_asked(var) && !asked.any_open(&self.trail) {
                self.order.insert(var);
                return None;
            }
            return Some(Lit::new(var, !self.trail.phases[var.index()]));
        }
        None
    }
}
