//! What terms depend on.
//!
//! Slicing a path condition asks, for every atom, which inputs it shares with others. Variables are too coarse for
//! that: a program's input is often one array of bytes, of which an atom reads two. So an [`Input`] is a scalar
//! symbol, or one cell of an array symbol read at a constant index, or a whole array symbol where it is used in any
//! other way.
//!
//! A [`Support`] remembers the inputs of every term it has seen. Sets of up to [`SMALL`] inputs are interned and
//! shared, so that a union costs one look-up for each new pair of sets. A term with more inputs is only marked as
//! large, and its inputs are collected by a walk that stops at small terms: memory stays linear in the number of
//! terms.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{FuncId, OneArena, Op, Sort, Term, Terms, VarId};

/// Something a term's value depends on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Input {
    /// A symbol of any sort but an array's.
    Symbol(Term),
    /// A read of an array symbol at a constant index.
    Cell(Term),
    /// An array symbol used in any way but reads at constant indices.
    Array(Term),
    /// A function symbol.
    Func(FuncId),
}

impl Input {
    /// The array symbol that a cell or array belongs to.
    pub fn array(self, terms: &Terms) -> Option<Term> {
        match self {
            Input::Cell(read) => Some(terms.arg(read, 0)),
            Input::Array(array) => Some(array),
            Input::Symbol(_) | Input::Func(_) => None,
        }
    }

    /// Whether changing one may change the other: the same input, or a cell and the array it is in.
    pub fn overlaps(self, other: Input, terms: &Terms) -> bool {
        match (self, other) {
            (Input::Cell(_), Input::Array(array)) => self.array(terms) == Some(array),
            (Input::Array(array), Input::Cell(_)) => other.array(terms) == Some(array),
            _ => self == other,
        }
    }
}

/// A set of inputs, in ascending order.
pub type Inputs = Arc<[Input]>;

/// The most inputs of a set that is kept for each term.
pub const SMALL: usize = 16;

/// The inputs of terms of one arena, computed when first asked for.
pub struct Support {
    /// By term: [`UNKNOWN`], [`LARGE`], or a set.
    of: Vec<u32>,
    sets: Vec<Inputs>,
    set_ids: FxHashMap<Inputs, u32>,
    unions: FxHashMap<(u32, u32), u32>,
    stack: Vec<Term>,
    /// By term: the last walk over large terms that came here.
    visited: Vec<u32>,
    walk: u32,
    arena: OneArena,
}

const UNKNOWN: u32 = u32::MAX;
const LARGE: u32 = u32::MAX - 1;
const EMPTY: u32 = 0;

impl Default for Support {
    fn default() -> Support {
        Support::new()
    }
}

impl Support {
    pub fn new() -> Support {
        let empty: Inputs = Arc::new([]);
        Support {
            of: Vec::new(),
            sets: vec![empty.clone()],
            set_ids: FxHashMap::from_iter([(empty, EMPTY)]),
            unions: FxHashMap::default(),
            stack: Vec::new(),
            visited: Vec::new(),
            walk: 0,
            arena: OneArena::new(),
        }
    }

    /// The inputs of a term.
    pub fn inputs(&mut self, terms: &Terms, term: Term) -> Inputs {
        match self.set_of(terms, term) {
            LARGE => self.collect(terms, term),
            set => self.sets[set as usize].clone(),
        }
    }

    /// The inputs of a term, if they are at most [`SMALL`].
    pub fn small_inputs(&mut self, terms: &Terms, term: Term) -> Option<&Inputs> {
        match self.set_of(terms, term) {
            LARGE => None,
            set => Some(&self.sets[set as usize]),
        }
    }

    fn set_of(&mut self, terms: &Terms, root: Term) -> u32 {
        self.arena.check(terms);
        if self.of.len() <= root.index() {
            self.of.resize(root.index() + 1, UNKNOWN);
        }
        if self.of[root.index()] != UNKNOWN {
            return self.of[root.index()];
        }
        self.stack.clear();
        self.stack.push(root);
        while let Some(&term) = self.stack.last() {
            if self.of[term.index()] != UNKNOWN {
                self.stack.pop();
                continue;
            }
            let before = self.stack.len();
            for &operand in terms.args(term) {
                if self.of[operand.index()] == UNKNOWN {
                    self.stack.push(operand);
                }
            }
            if self.stack.len() == before {
                self.stack.pop();
                self.of[term.index()] = self.compute(terms, term);
            }
        }
        self.of[root.index()]
    }

    fn compute(&mut self, terms: &Terms, term: Term) -> u32 {
        if let Some(input) = own_input(terms, term) {
            return self.intern(&[input]);
        }
        let start = match terms.op(term) {
            Op::Apply(func) => self.intern(&[Input::Func(func)]),
            _ => EMPTY,
        };
        terms.args(term).iter().fold(start, |set, operand| {
            self.union(set, self.of[operand.index()])
        })
    }

    fn intern(&mut self, inputs: &[Input]) -> u32 {
        if let Some(&set) = self.set_ids.get(inputs) {
            return set;
        }
        let set = self.sets.len() as u32;
        let inputs: Inputs = inputs.into();
        self.sets.push(inputs.clone());
        self.set_ids.insert(inputs, set);
        set
    }

    fn union(&mut self, a: u32, b: u32) -> u32 {
        if a == LARGE || b == LARGE {
            return LARGE;
        }
        if a == b || b == EMPTY {
            return a;
        }
        if a == EMPTY {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&set) = self.unions.get(&key) {
            return set;
        }
        let mut all: Vec<Input> = [&self.sets[a as usize][..], &self.sets[b as usize][..]].concat();
        all.sort_unstable();
        all.dedup();
        let set = if all.len() > SMALL {
            LARGE
        } else {
            self.intern(&all)
        };
        self.unions.insert(key, set);
        set
    }

    /// The inputs of a large term.
    fn collect(&mut self, terms: &Terms, root: Term) -> Inputs {
        if self.visited.len() < self.of.len() {
            self.visited.resize(self.of.len(), 0);
        }
        if self.walk == u32::MAX {
            self.visited.fill(0);
            self.walk = 0;
        }
        self.walk += 1;
        let mut inputs: FxHashSet<Input> = FxHashSet::default();
        let mut seen_sets: FxHashSet<u32> = FxHashSet::default();
        self.stack.clear();
        self.stack.push(root);
        while let Some(term) = self.stack.pop() {
            if self.visited[term.index()] == self.walk {
                continue;
            }
            self.visited[term.index()] = self.walk;
            match self.of[term.index()] {
                LARGE => {
                    if let Op::Apply(func) = terms.op(term) {
                        inputs.insert(Input::Func(func));
                    }
                    self.stack.extend_from_slice(terms.args(term));
                }
                set => {
                    if seen_sets.insert(set) {
                        inputs.extend(self.sets[set as usize].iter().copied());
                    }
                }
            }
        }
        let mut inputs: Vec<Input> = inputs.into_iter().collect();
        inputs.sort_unstable();
        inputs.into()
    }
}

/// The input that a term is, by itself.
fn own_input(terms: &Terms, term: Term) -> Option<Input> {
    match terms.op(term) {
        Op::Var(_) => Some(match terms.sort(term) {
            Sort::Array { .. } => Input::Array(term),
            _ => Input::Symbol(term),
        }),
        Op::Select => {
            let (array, index) = (terms.arg(term, 0), terms.arg(term, 1));
            (matches!(terms.op(array), Op::Var(_)) && terms.is_value(index))
                .then_some(Input::Cell(term))
        }
        _ => None,
    }
}

/// Every term that `roots` are made of, themselves included, operands before users.
pub fn reachable(terms: &Terms, roots: &[Term]) -> Vec<Term> {
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    let mut stack: Vec<Term> = roots.to_vec();
    while let Some(term) = stack.pop() {
        if seen.insert(term) {
            stack.extend_from_slice(terms.args(term));
        }
    }
    let mut all: Vec<Term> = seen.into_iter().collect();
    all.sort_unstable();
    all
}

/// The symbols in a term, in order.
pub fn free_vars(terms: &Terms, term: Term) -> Vec<VarId> {
    free_symbols(terms, &[term]).0
}

/// The functions in a term, in order.
pub fn free_funcs(terms: &Terms, term: Term) -> Vec<FuncId> {
    free_symbols(terms, &[term]).1
}

/// The symbols and the functions in several terms, in order.
pub fn free_symbols(terms: &Terms, roots: &[Term]) -> (Vec<VarId>, Vec<FuncId>) {
    let (mut vars, mut funcs) = (Vec::new(), Vec::new());
    for term in reachable(terms, roots) {
        match terms.op(term) {
            Op::Var(var) => vars.push(var),
            Op::Apply(func) => funcs.push(func),
            _ => {}
        }
    }
    vars.sort_unstable();
    funcs.sort_unstable();
    funcs.dedup();
    (vars, funcs)
}
