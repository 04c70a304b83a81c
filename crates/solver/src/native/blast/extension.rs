//! Extensionality: what an equation between arrays means for their elements.
//!
//! Arrays that differ do so somewhere: a witness index, a fresh symbol, is where. Arrays that are equal agree
//! everywhere: at all indices if those are few; else at the indices that turn out to matter (added by `refine` on
//! demand), and at *some index that no write ever touches*, the array's default. There is such an index as long as
//! fewer indices are written at than there are.

use refrain_term::{Bv, Op, Sort, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// Equations between arrays of at most this many index bits are expanded at all indices.
pub const EXPANDED_INDEX_BITS: u32 = 6;

/// The terms that stand for the elements of an equation `a = b`.
pub struct Extension {
    /// `a[k] = b[k]` at the witness k.
    pub witness: Term,
    /// What follows from the equation, so far.
    pub consequences: Vec<Term>,
}

impl Extension {
    pub fn new(terms: &mut Terms, equation: Term) -> Extension {
        let (a, b) = (terms.arg(equation, 0), terms.arg(equation, 1));
        let Sort::Array { index: width, .. } = terms.sort(a) else {
            unreachable!("an array equation")
        };
        // A backslash cannot occur in a symbol that anyone else declares.
        let name = format!("\\witness {:?}", equation);
        let at = terms.var(&name, Sort::BitVec(width));
        let witness = equal_at(terms, a, b, at);
        let mut consequences = Vec::new();
        if width <= EXPANDED_INDEX_BITS {
            for index in 0..1u64 << width {
                let at = terms.bv(width, index);
                consequences.push(equal_at(terms, a, b, at));
            }
        } else {
            let (a, b) = (default_element(terms, a), default_element(terms, b));
            consequences.push(terms.eq(a, b));
        }
        Extension {
            witness,
            consequences,
        }
    }

    /// All the terms that must be encoded with the equation.
    pub fn parts(&self) -> impl Iterator<Item = Term> + '_ {
        std::iter::once(self.witness).chain(self.consequences.iter().copied())
    }
}

/// Encoded arrays that write, all of one index width.
#[derive(Default)]
pub struct Writers {
    arrays: Vec<Term>,
    /// How many cells they write, counting those that several write several times.
    cells: u64,
}

impl Writers {
    pub fn add(&mut self, terms: &Terms, array: Term) {
        self.arrays.push(array);
        self.cells += match terms.op(array) {
            Op::Table(id) => terms.cells(id).len() as u64,
            _ => 1,
        };
    }

    /// Whether there is an index that none of them writes at, where that matters.
    pub fn leave_one(&self, terms: &Terms, width: u32) -> bool {
        width <= EXPANDED_INDEX_BITS
            || width >= u64::BITS
            || self.cells < 1 << width
            || self.indices(terms) < 1 << width
    }

    /// At how many indices they write at most.
    fn indices(&self, terms: &Terms) -> usize {
        let mut constants: FxHashSet<&Bv> = FxHashSet::default();
        let mut others: FxHashSet<Term> = FxHashSet::default();
        for &array in &self.arrays {
            if let Op::Table(id) = terms.op(array) {
                constants.extend(terms.cells(id).iter().map(|(at, _)| at));
                continue;
            }
            let at = terms.arg(array, 1);
            match terms.value(at) {
                Some(at) => _ = constants.insert(at),
                None => _ = others.insert(at),
            }
        }
        constants.len() + others.len()
    }
}

/// `a[at] = b[at]`.
pub fn equal_at(terms: &mut Terms, a: Term, b: Term, at: Term) -> Term {
    let (x, y) = (terms.select(a, at), terms.select(b, at));
    terms.eq(x, y)
}

/// The symbol for the default of an array symbol.
pub fn default_symbol(terms: &mut Terms, array: Term) -> Term {
    let (Op::Var(var), Sort::Array { index, element }) = (terms.op(array), terms.sort(array))
    else {
        unreachable!("an array symbol")
    };
    let name = format!("\\default {index} {}", terms.var_decl(var).name);
    terms.var(&name, Sort::BitVec(element))
}

/// The element of an array at an index that no write touches.
fn default_element(terms: &mut Terms, array: Term) -> Term {
    let mut done: FxHashMap<Term, Term> = FxHashMap::default();
    let mut stack = vec![array];
    while let Some(&term) = stack.last() {
        if done.contains_key(&term) {
            stack.pop();
            continue;
        }
        let result = match terms.op(term) {
            Op::Store | Op::Table(_) => done.get(&terms.arg(term, 0)).copied(),
            Op::ConstArray => Some(terms.arg(term, 0)),
            Op::Ite => match (done.get(&terms.arg(term, 1)), done.get(&terms.arg(term, 2))) {
                (Some(&a), Some(&b)) => Some(terms.ite(terms.arg(term, 0), a, b)),
                _ => None,
            },
            _ => Some(default_symbol(terms, term)),
        };
        match result {
            Some(element) => {
                done.insert(term, element);
                stack.pop();
            }
            None => {
                let arrays = terms
                    .args(term)
                    .iter()
                    .filter(|&&arg| terms.sort(arg).is_array());
                stack.extend(arrays);
            }
        }
    }
    done[&array]
}
