//! The plan of a pass: which terms have columns, in which order, and how often each is used.

use rustc_hash::FxHashMap;

use crate::{Op, Sort, Term, Terms};

use super::{Batch, Leaf};

/// What is to be computed, in order.
pub(super) struct Plan {
    pub(super) nodes: Vec<PlanNode>,
    /// Places of operands; a node has a range of them.
    operands: Vec<u32>,
    /// By place: how many nodes and roots use it.
    pub(super) uses: Vec<u32>,
    pub(super) roots: Vec<u32>,
}

pub(super) struct PlanNode {
    pub(super) term: Term,
    /// One for a truth value, zero for an array or a number.
    pub(super) width: u32,
    pub(super) is_array: bool,
    pub(super) is_number: bool,
    /// The column of a leaf, which has no operands.
    pub(super) leaf: Option<u32>,
    operands: (u32, u32),
}

impl Plan {
    /// The plan for some roots; none if it has more than `most` terms.
    pub(super) fn new(
        batch: &mut Batch,
        terms: &Terms,
        roots: &[Term],
        most: usize,
    ) -> Option<Plan> {
        // By hash, not by id: a batch over a few terms of a large arena costs what it evaluates.
        let mut places: FxHashMap<Term, u32> = FxHashMap::default();
        let mut stack = roots.to_vec();
        while let Some(term) = stack.pop() {
            if places.insert(term, 0).is_none() && leaf_of(terms, term).is_none() {
                stack.extend_from_slice(terms.args(term));
            }
            if places.len() > most {
                return None;
            }
        }
        let mut order: Vec<Term> = places.keys().copied().collect();
        order.sort_unstable();
        let mut leaves: Vec<Option<Leaf>> = Vec::with_capacity(order.len());
        for (place, &term) in order.iter().enumerate() {
            places.insert(term, place as u32);
            leaves.push(leaf_of(terms, term));
        }
        let of_terms = order
            .iter()
            .zip(&leaves)
            .filter(|(_, leaf)| matches!(leaf, Some(Leaf::Term(_))));
        batch.read_lane_by_lane(terms, of_terms.map(|(&term, _)| term).collect());
        let with_sort =
            |(&term, leaf): (&Term, &Option<Leaf>)| Some((leaf.clone()?, terms.sort(term)));
        batch.read_leaves(order.iter().zip(&leaves).filter_map(with_sort).collect());

        let mut plan = Plan {
            nodes: Vec::with_capacity(order.len()),
            operands: Vec::with_capacity(2 * order.len()),
            uses: vec![0; order.len()],
            roots: roots.iter().map(|root| places[root]).collect(),
        };
        for (&term, leaf) in order.iter().zip(leaves) {
            let leaf = leaf.map(|leaf| batch.leaf(leaf, terms.sort(term)));
            let first = plan.operands.len() as u32;
            if leaf.is_none() {
                plan.operands
                    .extend(terms.args(term).iter().map(|operand| places[operand]));
            }
            plan.nodes.push(PlanNode {
                term,
                width: match terms.sort(term) {
                    Sort::Bool => 1,
                    Sort::BitVec(width) => width,
                    Sort::Array { .. } | Sort::Int | Sort::Real => 0,
                    sort => unreachable!("{sort} below the surface"),
                },
                is_array: terms.sort(term).is_array(),
                is_number: terms.sort(term).is_number(),
                leaf,
                operands: (first, plan.operands.len() as u32),
            });
        }
        for &place in plan.operands.iter().chain(&plan.roots) {
            plan.uses[place as usize] += 1;
        }
        Some(plan)
    }

    pub(super) fn operands(&self, place: usize) -> &[u32] {
        let (first, end) = self.nodes[place].operands;
        &self.operands[first as usize..end as usize]
    }
}

/// The leaf that a term is: a scalar symbol, a read of an array symbol at a constant index, or a term that goes lane
/// by lane.
pub(super) fn leaf_of(terms: &Terms, term: Term) -> Option<Leaf> {
    match terms.op(term) {
        Op::Var(var) if !terms.sort(term).is_array() => Some(Leaf::Symbol(var)),
        Op::Select => match (
            terms.op(terms.arg(term, 0)),
            terms.value(terms.arg(term, 1)),
        ) {
            (Op::Var(array), Some(index)) => Some(Leaf::Cell(array, index.clone())),
            _ => needs_whole_arrays(terms, term).then_some(Leaf::Term(term)),
        },
        _ => needs_whole_arrays(terms, term).then_some(Leaf::Term(term)),
    }
}

/// Functions, equality of arrays, and reads from arrays that functions may return.
fn needs_whole_arrays(terms: &Terms, term: Term) -> bool {
    match terms.op(term) {
        Op::Apply(_) => !terms.sort(term).is_array(),
        Op::Eq => terms.sort(terms.arg(term, 0)).is_array(),
        Op::Select => {
            terms.has_array_functions() && !matches!(terms.op(terms.arg(term, 0)), Op::Var(_))
        }
        _ => false,
    }
}
