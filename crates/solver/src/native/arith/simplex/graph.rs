//! Bounds on differences alone, as a graph (Cotton and Maler, "Fast and Flexible Difference Constraint Propagation for
//! DPLL(T)", SAT 2006).
//!
//! Where all bounds are on integers and on differences of two, as in schedules, no tableau is needed: `a - b <= k` says
//! that `a` is at most `k` above `b`. Every variable is a node with a place, and zero is one too. A bound that is violated
//! moves one of its nodes down, and that the nodes which are held by it; a cycle back to the other end of the bound is a
//! conflict. Places are integers, and so nothing is left to be rounded.
//!
//! Bounds that may be violated wait; all others hold wherever the nodes are between two repairs.

use std::collections::BinaryHeap;

use refrain_sat::Lit;
use refrain_term::Rational;

use super::{Bound, Check, Conflict, Observer, Side, Simplex, Var};

/// Zero, or a variable that is no sum.
type Node = u32;

const ZERO: Node = 0;

/// Bounds beyond this are no bounds of a graph.
const LONGEST: u64 = 1 << 62;

fn node(var: Var) -> Node {
    var.0 + 1
}

/// A variable with bounds, seen from one end of the difference that it is.
struct Span {
    var: Var,
    other: Node,
    /// Which of its bounds holds the other end down.
    side: Side,
}

/// A node that one repair moves down.
#[derive(Clone, Copy, Default)]
struct Step {
    /// The repair that it belongs to.
    repair: u64,
    is_done: bool,
    by: i128,
    /// The node that holds it down, and the literal that says so.
    held_by: Option<(Node, Lit)>,
}

#[derive(Default)]
pub(super) struct Graph {
    pub(super) is_on: bool,
    places: Vec<i128>,
    spans: Vec<Vec<Span>>,
    /// By variable: whether its spans are known.
    is_known: Vec<bool>,
    /// Bounds that may be violated.
    waiting: Vec<(Var, Side)>,
    is_waiting: Vec<[bool; 2]>,
    steps: Vec<Step>,
    repairs: u64,
    /// How many spans have been looked at.
    pub(super) touched: u64,
}

impl Graph {
    /// Makes room for one more variable.
    pub(super) fn grow(&mut self) {
        if self.places.is_empty() {
            self.add_node();
        }
        self.add_node();
        self.is_known.push(false);
        self.is_waiting.push([false; 2]);
    }

    fn add_node(&mut self) {
        self.places.push(self.places.first().copied().unwrap_or(0));
        self.spans.push(Vec::new());
        self.steps.push(Step::default());
    }

    fn place(&self, node: Node) -> i128 {
        self.places[node as usize]
    }

    pub(super) fn value(&self, var: Var) -> i128 {
        self.place(node(var)) - self.place(ZERO)
    }

    pub(super) fn wait(&mut self, var: Var, side: Side) {
        if !std::mem::replace(&mut self.is_waiting[var.index()][side as usize], true) {
            self.waiting.push((var, side));
        }
    }
}

/// A bound of a graph as a number.
fn length(bound: &Bound) -> i128 {
    let length = bound.value.standard.to_i64();
    i128::from(length.expect("differences have short bounds"))
}

/// The number of a place.
pub(super) fn number(place: i128) -> Rational {
    match i64::try_from(place) {
        Ok(place) => Rational::from(place),
        Err(_) => Rational::from_ibig(place.into()),
    }
}

impl Simplex {
    /// Whether a variable that is compared with a number may be bounded in a graph: an integer, or the difference of two.
    pub fn suits_graph(&self, var: Var, number: &Rational) -> bool {
        let is_two = match self.definition(var) {
            None => true,
            Some(sum) => matches!(&sum[..], [(_, a), (_, b)] if a.is_one() && b.is_minus_one()),
        };
        let number = number.to_i64().map(i64::unsigned_abs);
        is_two && self.is_integer(var) && number.is_some_and(|number| number < LONGEST)
    }

    /// From now on bounds are a graph, if nothing is bounded and the tableau can be emptied.
    pub fn enter_graph(&mut self) {
        if self.graph.is_on || !self.undo.is_empty() {
            return;
        }
        self.sleep(|_| false);
        if self.len() > 0 {
            return;
        }
        self.suspects.clear();
        self.is_suspect.fill(false);
        self.graph.is_on = true;
        self.graph.places[ZERO as usize] = 0;
        for var in self.vars() {
            let info = &mut self.vars[var.index()];
            if info.integer && info.definition.is_none() {
                let place = info.value.standard.round().to_i64().unwrap_or(0);
                self.graph.places[node(var) as usize] = place.into();
                info.value = Rational::from(place).into();
            }
        }
    }

    /// From now on bounds are rows of the tableau.
    pub fn leave_graph(&mut self) {
        if !self.graph.is_on {
            return;
        }
        for (var, side) in std::mem::take(&mut self.graph.waiting) {
            self.graph.is_waiting[var.index()][side as usize] = false;
        }
        for var in self.vars() {
            if self.is_integer(var) && self.definition(var).is_none() {
                let value = number(self.graph.value(var)).into();
                self.vars[var.index()].value = value;
            }
        }
        self.graph.is_on = false;
        for var in self.vars() {
            if let (None, Some(side)) = (self.definition(var), self.violation(var)) {
                self.vars[var.index()].value = self.violated_bound(var, side).value.clone();
            }
        }
        for var in self.vars() {
            if self.definition(var).is_some() && !self.info(var).is_idle() {
                self.wake(var);
                self.suspect(var);
            }
        }
    }

    /// The two ends of a difference: what is taken from the first is the second.
    fn ends(&self, var: Var) -> (Node, Node) {
        match self.definition(var) {
            Some(sum) => (node(sum[0].0), node(sum[1].0)),
            None => (node(var), ZERO),
        }
    }

    /// The value of a difference.
    pub(super) fn difference(&self, var: Var) -> i128 {
        let (plus, minus) = self.ends(var);
        self.graph.place(plus) - self.graph.place(minus)
    }

    /// Makes the spans of a variable known to both of its ends.
    pub(super) fn join_graph(&mut self, var: Var) {
        if std::mem::replace(&mut self.graph.is_known[var.index()], true) {
            return;
        }
        let (plus, minus) = self.ends(var);
        for (end, other, side) in [(plus, minus, Side::Lower), (minus, plus, Side::Upper)] {
            self.graph.spans[end as usize].push(Span { var, other, side });
        }
    }

    /// Moves nodes until no bound is violated, or some cannot hold together.
    pub(super) fn check_graph(&mut self, observer: &mut impl Observer) -> Check {
        while let Some((var, side)) = self.graph.waiting.pop() {
            if !self.is_violated(var, side) {
                self.graph.is_waiting[var.index()][side as usize] = false;
                continue;
            }
            if observer.stop() {
                self.graph.waiting.push((var, side));
                return Check::Stopped;
            }
            if observer.watches() {
                observer.before_pivot(self, &[]);
            }
            if let Err(conflict) = self.repair(var, side) {
                self.graph.waiting.push((var, side));
                return Check::Conflict(conflict);
            }
            self.graph.is_waiting[var.index()][side as usize] = false;
        }
        Check::Feasible
    }

    fn side(&self, var: Var, side: Side) -> Option<&Bound> {
        match side {
            Side::Lower => self.lower(var),
            Side::Upper => self.upper(var),
        }
    }

    fn is_violated(&self, var: Var, side: Side) -> bool {
        self.side(var, side).is_some_and(|bound| match side {
            Side::Lower => self.difference(var) < length(bound),
            Side::Upper => self.difference(var) > length(bound),
        })
    }

    /// Moves the end of a violated bound that is too high, and all that it holds, as far down as they have to be. A
    /// conflict changes nothing.
    fn repair(&mut self, var: Var, side: Side) -> Result<(), Conflict> {
        let (plus, minus) = self.ends(var);
        let bound = self.side(var, side).expect("a violated bound");
        let (reason, length) = (bound.reason, length(bound));
        let difference = self.difference(var);
        let (first, last, by) = match side {
            Side::Upper => (plus, minus, difference - length),
            Side::Lower => (minus, plus, length - difference),
        };
        let mut graph = std::mem::take(&mut self.graph);
        graph.repairs += 1;
        let repair = graph.repairs;
        graph.steps[first as usize] = Step {
            repair,
            is_done: false,
            by,
            held_by: None,
        };
        // The farthest first: then each is moved once.
        let mut open = BinaryHeap::from([(by, first)]);
        let mut moved = Vec::new();
        let mut outcome = Ok(());
        'repair: while let Some((by, node)) = open.pop() {
            let step = &mut graph.steps[node as usize];
            if std::mem::replace(&mut step.is_done, true) {
                continue;
            }
            moved.push(node);
            let place = graph.places[node as usize] - by;
            graph.touched += graph.spans[node as usize].len() as u64;
            for span in &graph.spans[node as usize] {
                if graph.is_waiting[span.var.index()][span.side as usize] {
                    continue;
                }
                let Some(bound) = self.side(span.var, span.side) else {
                    continue;
                };
                let highest = match span.side {
                    Side::Upper => place + self::length(bound),
                    Side::Lower => place - self::length(bound),
                };
                let by = graph.places[span.other as usize] - highest;
                let step = &mut graph.steps[span.other as usize];
                let is_met = step.repair == repair;
                if by <= 0 || is_met && (step.is_done || step.by >= by) {
                    continue;
                }
                *step = Step {
                    repair,
                    is_done: false,
                    by,
                    held_by: Some((node, bound.reason)),
                };
                if span.other == last {
                    outcome = Err(cycle(&graph.steps, last, reason));
                    break 'repair;
                }
                open.push((by, span.other));
            }
        }
        if outcome.is_ok() {
            for node in moved {
                graph.places[node as usize] -= graph.steps[node as usize].by;
            }
        }
        self.graph = graph;
        outcome
    }
}

/// The literals by which a node is held down, and the one that began it.
fn cycle(steps: &[Step], last: Node, reason: Lit) -> Conflict {
    let mut conflict = vec![reason];
    let mut node = last;
    while let Some((next, reason)) = steps[node as usize].held_by {
        conflict.push(reason);
        node = next;
    }
    conflict
}
