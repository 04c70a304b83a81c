//! Reads of tables and constant arrays, without arrays.
//!
//! A program's constant data reach the solver as tables: arrays with constant cells over a constant. Array solvers do
//! badly on the long `store` chains these stand for (z3 4.8 takes more than a minute for 150 cells), and yices has no
//! constant arrays at all. So a read from such an array becomes a search tree over the index, of depth logarithmic in
//! the number of cells. Reads from symbols, and equalities between arrays, stay.

use refrain_term::{Bv, Op, Sort, TableId, Term, Terms, reachable};
use rustc_hash::FxHashMap;

/// A table of more cells stays an array: the tree is paid for by every read.
const MOST_CELLS: usize = 4096;

#[derive(Default)]
pub(super) struct Lowering {
    lowered: FxHashMap<Term, Term>,
    /// Whether an array has a table or a constant below its writes.
    has_constant: FxHashMap<Term, bool>,
    /// By array and index.
    reads: FxHashMap<(Term, Term), Term>,
}

impl Lowering {
    /// An equivalent formula.
    pub fn lower(&mut self, terms: &mut Terms, formula: Term) -> Term {
        if let Some(&known) = self.lowered.get(&formula) {
            return known;
        }
        for term in reachable(terms, &[formula]) {
            if self.lowered.contains_key(&term) {
                continue;
            }
            let args: Vec<Term> = terms
                .args(term)
                .iter()
                .map(|arg| self.lowered[arg])
                .collect();
            let lowered = match terms.op(term) {
                Op::Select => self.read(terms, args[0], args[1]),
                _ if args == terms.args(term) => term,
                _ => terms.rebuild(term, &args),
            };
            if terms.is_assigned(term) {
                terms.note_assigned(lowered);
            }
            self.lowered.insert(term, lowered);
        }
        self.lowered[&formula]
    }

    fn read(&mut self, terms: &mut Terms, array: Term, index: Term) -> Term {
        let mut stack = vec![array];
        while let Some(&array) = stack.last() {
            if self.reads.contains_key(&(array, index)) {
                stack.pop();
                continue;
            }
            let below = if self.has_constant(terms, array) {
                arrays_below(terms, array)
            } else {
                Vec::new()
            };
            let waiting = stack.len();
            stack.extend(
                below
                    .iter()
                    .filter(|&&below| !self.reads.contains_key(&(below, index))),
            );
            if stack.len() == waiting {
                let read = self.read_over(terms, array, index, &below);
                self.reads.insert((array, index), read);
                stack.pop();
            }
        }
        self.reads[&(array, index)]
    }

    /// The read of one array, the reads of those below it known.
    fn read_over(&self, terms: &mut Terms, array: Term, index: Term, below: &[Term]) -> Term {
        let read = |below: Term| self.reads[&(below, index)];
        match (terms.op(array), below) {
            (Op::ConstArray, _) => terms.arg(array, 0),
            (Op::Store, &[below]) => {
                let (at, element) = (terms.arg(array, 1), terms.arg(array, 2));
                let hit = terms.eq(at, index);
                terms.ite(hit, element, read(below))
            }
            (Op::Ite, &[then, other]) => {
                let condition = terms.arg(array, 0);
                terms.ite(condition, read(then), read(other))
            }
            (Op::Table(table), &[below]) => search_tree(terms, table, index, read(below)),
            _ => terms.select(array, index),
        }
    }

    fn has_constant(&mut self, terms: &Terms, array: Term) -> bool {
        let mut stack = vec![array];
        while let Some(&array) = stack.last() {
            let below = arrays_below(terms, array);
            let unknown: Vec<Term> = below
                .iter()
                .copied()
                .filter(|below| !self.has_constant.contains_key(below))
                .collect();
            if unknown.is_empty() {
                let here = match terms.op(array) {
                    Op::ConstArray => true,
                    Op::Table(table) if terms.cells(table).len() > MOST_CELLS => false,
                    Op::Table(_) => true,
                    _ => below.iter().any(|below| self.has_constant[below]),
                };
                self.has_constant.insert(array, here);
                stack.pop();
            }
            stack.extend(unknown);
        }
        self.has_constant[&array]
    }
}

/// The arrays that an array is made from.
fn arrays_below(terms: &Terms, array: Term) -> Vec<Term> {
    match terms.op(array) {
        Op::Store | Op::Table(_) => vec![terms.arg(array, 0)],
        Op::Ite => vec![terms.arg(array, 1), terms.arg(array, 2)],
        _ => Vec::new(),
    }
}

/// The cell of a table at `index`, or `default` where it has none.
fn search_tree(terms: &mut Terms, table: TableId, index: Term, default: Term) -> Term {
    let Sort::BitVec(width) = terms.sort(index) else {
        return default;
    };
    // Where each run of equal elements starts.
    let mut runs: Vec<(Bv, Term)> = Vec::new();
    let mut next = Some(Bv::zero(width));
    for (at, element) in terms.cells(table).to_vec() {
        let element = terms.constant(element);
        let gap = next.take().filter(|next| next.ult(&at));
        runs.extend(gap.map(|next| (next, default)));
        next = (!at.is_ones()).then(|| at.add(&Bv::one(width)));
        runs.push((at, element));
    }
    runs.extend(next.map(|next| (next, default)));
    runs.dedup_by_key(|(_, element)| *element);
    // Pairs of neighbours are joined, level by level, until one tree is left.
    while runs.len() > 1 {
        let mut joined = Vec::with_capacity(runs.len().div_ceil(2));
        let mut halves = runs.into_iter();
        while let Some((start, low)) = halves.next() {
            let tree = match halves.next() {
                Some((middle, high)) => {
                    let middle = terms.constant(middle);
                    let is_low = terms.bv_ult(index, middle);
                    terms.ite(is_low, low, high)
                }
                None => low,
            };
            joined.push((start, tree));
        }
        runs = joined;
    }
    runs.pop().map_or(default, |(_, tree)| tree)
}

#[cfg(test)]
mod tests {
    use refrain_term::{Assignment, Value, eval};

    use super::*;

    /// Every index of a small array, before and after.
    #[test]
    fn reads_stay_what_they_are() {
        let mut terms = Terms::new();
        let index = terms.var("i", Sort::BitVec(4));
        let other = terms.var("j", Sort::BitVec(4));
        let base = terms.var(
            "a",
            Sort::Array {
                index: 4,
                element: 8,
            },
        );
        let seven = terms.bv(8, 7);
        let constant = terms.const_array(4, seven);
        let cells = |at: &[u64]| {
            at.iter()
                .map(|&at| (Bv::new(4, at), Bv::new(8, at * 3 / 2)))
                .collect()
        };
        let tables: Vec<Vec<(Bv, Bv)>> = vec![
            cells(&[0]),
            cells(&[15]),
            cells(&[3, 4, 9]),
            (0..16).map(|at| (Bv::new(4, at), Bv::new(8, at))).collect(),
        ];
        for cells in tables {
            for base in [base, constant] {
                let table = terms.table(base, cells.clone());
                let written = terms.store(table, other, seven);
                let low = terms.bv_ult(index, other);
                let chosen = terms.ite(low, written, constant);
                for array in [table, written, chosen] {
                    let read = terms.select(array, index);
                    let lowered = Lowering::default().lower(&mut terms, read);
                    let mut arrays = reachable(&terms, &[lowered]);
                    arrays.retain(|&term| terms.sort(term).is_array());
                    assert!(
                        arrays.iter().all(|&array| array == base),
                        "only reads of symbols stay"
                    );
                    let ids =
                        [index, other].map(|symbol| refrain_term::free_vars(&terms, symbol)[0]);
                    let array_id = refrain_term::free_vars(&terms, base).first().copied();
                    for values in 0..256 {
                        let mut assignment = Assignment::new();
                        assignment.set(ids[0], Bv::new(4, values & 15));
                        assignment.set(ids[1], Bv::new(4, values >> 4));
                        if let Some(array) = array_id {
                            let sort = Sort::Array {
                                index: 4,
                                element: 8,
                            };
                            assignment.set_cell(array, Bv::new(4, 5), Bv::new(8, 99), sort);
                        }
                        let value = |term| -> Value { eval(&terms, term, &assignment) };
                        assert_eq!(value(lowered), value(read), "{values}");
                    }
                }
            }
        }
    }
}
