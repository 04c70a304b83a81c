//! Functions of one small input: their values are looked up, not computed for each assignment.
//!
//! The hash of a byte is made of a dozen products of wide words, and has 256 values. Where atoms compare the hashes of
//! three bytes, each of these values would be computed 65,536 times. Here such a term is computed once for each value
//! of its input, and in what is evaluated for all assignments a symbol stands for it.

use std::rc::Rc;
use std::sync::Arc;

use refrain_path::simplify::tables::set_input;
use refrain_path::{InputId, Path};
use refrain_term::{Batch, Bits, Op, Sort, Substitution, Term, Terms, reachable};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{EVALUATIONS_AT_ONCE, all_evaluations, evaluations};

/// Inputs of more bits have no tables.
const MOST_BITS: u32 = 12;

/// What takes fewer evaluations is computed.
const WORTH_A_TABLE: u64 = 4;

/// As many terms are looked up in one slice, at most.
const MOST_FUNCTIONS: usize = 64;

/// As many tables are kept, at most.
const MOST_TABLES: usize = 1 << 10;

/// A term that depends on one input alone.
pub struct Function {
    pub input: InputId,
    term: Term,
    /// What stands for it.
    symbol: Term,
    /// How many evaluations its table takes.
    pub evaluations: u64,
}

/// What terms depend on.
#[derive(Clone, Copy, PartialEq)]
enum Support {
    Nothing,
    One(InputId),
    More,
}

impl Support {
    fn with(self, other: Support) -> Support {
        match (self, other) {
            (Support::Nothing, other) => other,
            (one, Support::Nothing) => one,
            (one, other) if one == other => one,
            _ => Support::More,
        }
    }
}

/// The largest terms that depend on one small input and are worth a table, in some formulas.
pub fn functions_in(terms: &mut Terms, path: &Path, roots: &[Term]) -> Vec<Function> {
    // The support of terms, and about how many evaluations they take.
    let mut known: FxHashMap<Term, (Support, u64)> = FxHashMap::default();
    for term in reachable(terms, roots) {
        let inputs = &path.atoms.inputs;
        let found = match (inputs.find_term(term), terms.op(term)) {
            (Some(input), _) => (Support::One(input), 0),
            (None, Op::Var(_) | Op::Apply(_)) => (Support::More, 0),
            _ => {
                let args = terms.args(term).iter().map(|arg| known[arg]);
                let own = (Support::Nothing, evaluations(terms, term));
                args.fold(own, |(support, cost), (other, more)| {
                    (support.with(other), cost.saturating_add(more))
                })
            }
        };
        known.insert(term, found);
    }
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut stack = roots.to_vec();
    while let Some(term) = stack.pop() {
        if !seen.insert(term) {
            continue;
        }
        let is_word = matches!(terms.sort(term), Sort::Bool | Sort::BitVec(1..=64));
        match known[&term] {
            (Support::Nothing, _) => {}
            (Support::One(_), cost) if is_word && cost < WORTH_A_TABLE => {}
            (Support::One(input), _) if is_word && is_small(path, input) => {
                if found.len() == MOST_FUNCTIONS {
                    return found;
                }
                let function = Function::new(terms, path, term, input);
                if function.evaluations <= EVALUATIONS_AT_ONCE {
                    found.push(function);
                }
            }
            _ => stack.extend_from_slice(terms.args(term)),
        }
    }
    found
}

fn is_small(path: &Path, input: InputId) -> bool {
    let bits = path.atoms.inputs.place(input).word_bits();
    bits.is_some_and(|bits| bits <= MOST_BITS)
}

/// Formulas in which symbols stand for functions.
pub fn replaced(terms: &mut Terms, functions: &[Function], roots: &[Term]) -> Vec<Term> {
    let pairs = functions
        .iter()
        .map(|function| (function.term, function.symbol));
    let mut substitution = Substitution::new(pairs);
    let roots = roots.iter();
    roots.map(|&root| substitution.apply(terms, root)).collect()
}

/// Which functions formulas mention, by their places.
pub fn mentioned(terms: &Terms, functions: &[Function], roots: &[Term]) -> Vec<usize> {
    let parts: FxHashSet<Term> = reachable(terms, roots).into_iter().collect();
    let is_mentioned = |&place: &usize| parts.contains(&functions[place].symbol);
    (0..functions.len()).filter(is_mentioned).collect()
}

impl Function {
    fn new(terms: &mut Terms, path: &Path, term: Term, input: InputId) -> Function {
        let name = format!(r"\\function {}", term.index());
        let bits = path.atoms.inputs.place(input).word_bits().expect("a word");
        Function {
            input,
            term,
            symbol: terms.var(&name, terms.sort(term)),
            evaluations: all_evaluations(terms, &[term]).saturating_mul(1 << bits),
        }
    }

    /// Sets its column, where this is that of its input.
    pub fn set(&self, batch: &mut Batch, terms: &Terms, table: &[u64], inputs: &[u64]) {
        let Op::Var(symbol) = terms.op(self.symbol) else {
            unreachable!("a symbol")
        };
        let values = inputs.iter().map(|&input| table[input as usize]);
        match terms.sort(self.symbol) {
            Sort::Bool => {
                let mut column = Bits::new(inputs.len());
                values
                    .enumerate()
                    .for_each(|(lane, value)| column.set(lane, value == 1));
                batch.set_bool(symbol, &column);
            }
            _ => batch.set_bv(symbol, values.collect()),
        }
    }
}

/// The values of functions, by term, for all values of their inputs.
#[derive(Default)]
pub struct FunctionTables {
    known: FxHashMap<Term, Rc<[u64]>>,
}

impl FunctionTables {
    /// Whether the table of a function is at hand.
    pub fn has(&self, function: &Function) -> bool {
        self.known.contains_key(&function.term)
    }

    /// The table of a function.
    pub fn of(&mut self, terms: &Terms, path: &Path, function: &Function) -> Rc<[u64]> {
        if let Some(known) = self.known.get(&function.term) {
            return Rc::clone(known);
        }
        if self.known.len() >= MOST_TABLES {
            self.known.clear();
        }
        let inputs = &path.atoms.inputs;
        let bits = inputs.place(function.input).word_bits().expect("a word");
        let values: Vec<u64> = (0..1 << bits).collect();
        let mut batch = Batch::new(values.len(), Arc::clone(path.model.assignment()));
        set_input(&mut batch, terms, inputs.get(function.input), &values);
        let table: Rc<[u64]> = match terms.sort(function.term) {
            Sort::Bool => {
                let truths = batch.eval(terms, &[function.term]);
                let lanes = 0..values.len();
                lanes.map(|lane| u64::from(truths[0].get(lane))).collect()
            }
            _ => batch.values(terms, function.term).into(),
        };
        self.known.insert(function.term, Rc::clone(&table));
        table
    }
}
