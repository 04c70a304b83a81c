//! The values of terms that depend on one small input, for all values of that input at once.

use std::rc::Rc;

use refrain_term::{Assignment, Batch, Bits, Bv, Input, Op, Sort, Support, Term, Terms};
use rustc_hash::FxHashMap;

use crate::values::bytes::{self, ByteSet};

/// What is made of no more terms than this is always evaluated for many values at once.
const SMALL: usize = 1 << 13;

/// What is larger, while all of it comes to no more than so many times the terms there are: a path whose conditions
/// grow step by step would have all of them evaluated at each step.
const SHARE: usize = 4;

/// How many terms large evaluations were of.
#[derive(Default)]
pub(crate) struct Spent(usize);

impl Spent {
    /// Of how many terms the next one may be.
    pub(crate) fn left(&self, terms: &Terms) -> usize {
        SMALL.max((SHARE * terms.len()).saturating_sub(self.0))
    }

    pub(crate) fn note(&mut self, evaluated: usize) {
        if evaluated > SMALL {
            self.0 += evaluated;
        }
    }
}

/// Tables computed so far, by term; none for those that are too large.
#[derive(Default)]
pub struct Tables {
    truths: FxHashMap<Term, Option<ByteSet>>,
    columns: FxHashMap<Term, Option<Rc<[u64]>>>,
    values: FxHashMap<Term, Rc<[Bv]>>,
    spent: Spent,
}

impl Tables {
    /// The single input of a term, with its width, if it is small enough to be tabulated.
    pub fn single_input(terms: &Terms, support: &mut Support, term: Term) -> Option<(Input, u32)> {
        let [single] = support.small_inputs(terms, term)?[..] else {
            return None;
        };
        let bits = match single {
            Input::Symbol(symbol) | Input::Cell(symbol) => match terms.sort(symbol) {
                Sort::Bool => 1,
                sort => sort.width()?,
            },
            Input::Array(_) | Input::Func(_) => return None,
        };
        (bits <= bytes::MAX_BITS).then_some((single, bits))
    }

    /// All values of the input, side by side.
    fn batch(terms: &Terms, input: Input, bits: u32) -> Batch {
        let values: Vec<u64> = (0..1 << bits).collect();
        let mut batch = Batch::new(values.len(), Assignment::new());
        set_input(&mut batch, terms, input, &values);
        batch
    }

    /// The values of its one input that make a Boolean term true, unless that is too large.
    pub fn truth(&mut self, terms: &Terms, term: Term, input: Input, bits: u32) -> Option<ByteSet> {
        if let Some(&known) = self.truths.get(&term) {
            return known;
        }
        let truth = match terms.op(term) {
            Op::Not => self
                .truth(terms, terms.arg(term, 0), input, bits)
                .map(|truth| truth.complement(bits)),
            Op::Eq
                if input == Input::Symbol(terms.arg(term, 1))
                    || input == Input::Cell(terms.arg(term, 1)) =>
            {
                match terms.small_value(terms.arg(term, 0)) {
                    Some(value) => {
                        let mut truth = ByteSet::NONE;
                        truth.insert(value);
                        Some(truth)
                    }
                    None => Self::tabulate(terms, term, input, bits, &mut self.spent),
                }
            }
            _ => Self::tabulate(terms, term, input, bits, &mut self.spent),
        };
        self.truths.insert(term, truth);
        truth
    }

    /// Evaluates a Boolean term for all values of its one input at once, unless it is too large.
    pub(crate) fn tabulate(
        terms: &Terms,
        term: Term,
        input: Input,
        bits: u32,
        spent: &mut Spent,
    ) -> Option<ByteSet> {
        let mut batch = Self::batch(terms, input, bits);
        let lanes = &batch.eval_within(terms, &[term], spent.left(terms))?[0];
        spent.note(batch.evaluated());
        Some(ByteSet::from_fn(bits, |lane| lanes.get(lane)))
    }

    /// The value of a bit-vector term of at most 64 bits for each value of its one input, unless it is too large.
    pub fn column(
        &mut self,
        terms: &Terms,
        term: Term,
        input: Input,
        bits: u32,
    ) -> Option<Rc<[u64]>> {
        let spent = &mut self.spent;
        let compute = || {
            let mut batch = Self::batch(terms, input, bits);
            let values = batch.values_within(terms, term, spent.left(terms))?;
            spent.note(batch.evaluated());
            Some(values.into())
        };
        self.columns.entry(term).or_insert_with(compute).clone()
    }

    /// All values a term can take, ascending, if it depends on one small input.
    pub fn possible_values(
        &mut self,
        terms: &Terms,
        support: &mut Support,
        term: Term,
    ) -> Option<Rc<[Bv]>> {
        if let Some(known) = self.values.get(&term) {
            return Some(known.clone());
        }
        let width = terms.width(term);
        if width > 64 {
            return None;
        }
        let (input, bits) = Self::single_input(terms, support, term)?;
        let mut values = self.column(terms, term, input, bits)?.to_vec();
        values.sort_unstable();
        values.dedup();
        let values: Rc<[Bv]> = values
            .into_iter()
            .map(|value| Bv::new(width, value))
            .collect();
        self.values.insert(term, values.clone());
        Some(values)
    }
}

/// Gives a scalar input one value in each lane.
pub fn set_input(batch: &mut Batch, terms: &Terms, input: Input, values: &[u64]) {
    let (Input::Symbol(term) | Input::Cell(term)) = input else {
        unreachable!("a scalar input")
    };
    match terms.op(term) {
        Op::Var(var) if terms.sort(term) == Sort::Bool => {
            let mut column = Bits::new(values.len());
            values
                .iter()
                .enumerate()
                .for_each(|(lane, &value)| column.set(lane, value == 1));
            batch.set_bool(var, &column);
        }
        Op::Var(var) => batch.set_bv(var, values.to_vec()),
        _ => {
            let Op::Var(var) = terms.op(terms.arg(term, 0)) else {
                unreachable!("a cell of a symbol")
            };
            let index = terms
                .value(terms.arg(term, 1))
                .expect("a cell has a constant index");
            batch.set_cell(var, index.clone(), values.to_vec());
        }
    }
}
