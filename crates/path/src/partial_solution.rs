//! Partial solutions: assignments that a search went through and left again.
//!
//! A check may bring hundreds of them, of which few are ever looked at as a whole. So they are rows of machine words over
//! a list of inputs that those of one search share, or a few changes of an assignment that they share.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use refrain_term::{Assignment, Bv, Op, Sort, Term, Terms, Value, VarId};
use rustc_hash::FxHasher;

use crate::atoms::AtomTable;

#[derive(Clone, Debug)]
pub struct PartialSolution {
    /// What all other symbols have. None if it is about these inputs only.
    base: Option<Arc<Assignment>>,
    inputs: Arc<[Term]>,
    words: Box<[u64]>,
    others: Box<[(Term, Value)]>,
}

impl From<Assignment> for PartialSolution {
    fn from(assignment: Assignment) -> PartialSolution {
        PartialSolution::changed(&Arc::new(assignment), Arc::default(), Box::default())
    }
}

impl PartialSolution {
    /// Of inputs, which are symbols and cells of array symbols: Bool and up to 64 bits, each with its word, and others.
    pub fn new(
        inputs: Arc<[Term]>,
        words: Box<[u64]>,
        others: Box<[(Term, Value)]>,
    ) -> PartialSolution {
        PartialSolution {
            base: None,
            inputs,
            words,
            others,
        }
    }

    /// An assignment in which these inputs have other words.
    pub fn changed(
        base: &Arc<Assignment>,
        inputs: Arc<[Term]>,
        words: Box<[u64]>,
    ) -> PartialSolution {
        PartialSolution {
            base: Some(base.clone()),
            inputs,
            words,
            others: Box::default(),
        }
    }

    pub fn base(&self) -> Option<&Arc<Assignment>> {
        self.base.as_ref()
    }

    /// The inputs that have words here.
    pub fn inputs(&self) -> &Arc<[Term]> {
        &self.inputs
    }

    /// By input: its word.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// All its values, as an assignment.
    pub fn assignment(&self, terms: &Terms) -> Assignment {
        let mut assignment = match &self.base {
            Some(base) => base.as_ref().clone(),
            None => Assignment::new(),
        };
        for (&input, &word) in self.inputs.iter().zip(&self.words) {
            let value = match terms.sort(input) {
                Sort::Bool => Value::Bool(word != 0),
                _ => Value::Bv(Bv::new(terms.width(input), word)),
            };
            set(&mut assignment, terms, input, value);
        }
        for (input, value) in &self.others {
            set(&mut assignment, terms, *input, value.clone());
        }
        assignment
    }

    /// Tells partial solutions with different values apart; what has no value is zero. With a hash of the base, if there
    /// is one ([`base_fingerprint`]).
    pub fn fingerprint(&self, terms: &Terms, base: u64) -> u64 {
        let words = self.inputs.iter().zip(&self.words);
        let words = words.map(|(&input, &word)| {
            let leaf = Leaf::of(terms, input);
            let before = self.base.as_ref().map_or(0, |base| leaf.word(base));
            leaf.hash_word(word).wrapping_sub(leaf.hash_word(before))
        });
        let others = self.others.iter().map(|(input, value)| {
            let leaf = Leaf::of(terms, *input);
            let before = self.base.as_ref().and_then(|base| leaf.value(base));
            let before = before.map_or(0, |before| leaf.hash_value(&before));
            leaf.hash_value(value).wrapping_sub(before)
        });
        words.chain(others).fold(base, u64::wrapping_add)
    }
}

/// Gives partial solutions the values of what facts define, if there are facts.
pub fn completed(
    terms: &Terms,
    atoms: &AtomTable,
    found: Vec<PartialSolution>,
) -> Vec<PartialSolution> {
    let Some(facts) = atoms.facts() else {
        return found;
    };
    let complete = |found: PartialSolution| {
        let mut assignment = found.assignment(terms);
        facts.complete(terms, &mut assignment);
        assignment.into()
    };
    found.into_iter().map(complete).collect()
}

/// The fingerprint of an assignment.
pub fn base_fingerprint(base: &Assignment) -> u64 {
    let mut sum = 0u64;
    for (var, value) in base.iter() {
        match value {
            Value::Array(array) => {
                let default = Value::Bv(array.default().clone());
                sum = sum.wrapping_add(Leaf::Symbol(var).hash_value(&default));
                for (index, element) in array.cells() {
                    let leaf = Leaf::Cell(var, index);
                    sum = sum.wrapping_add(leaf.hash_value(&Value::Bv(element)));
                }
            }
            value => sum = sum.wrapping_add(Leaf::Symbol(var).hash_value(value)),
        }
    }
    sum
}

/// Where a value is.
#[derive(Hash)]
enum Leaf {
    Symbol(VarId),
    Cell(VarId, Bv),
}

impl Leaf {
    fn of(terms: &Terms, input: Term) -> Leaf {
        match terms.op(input) {
            Op::Var(var) => Leaf::Symbol(var),
            _ => {
                let (array, index) = (terms.arg(input, 0), terms.arg(input, 1));
                let Op::Var(var) = terms.op(array) else {
                    unreachable!("a cell of a symbol")
                };
                let index = terms.value(index).expect("a cell has a constant index");
                Leaf::Cell(var, index.clone())
            }
        }
    }

    fn value(&self, assignment: &Assignment) -> Option<Value> {
        match self {
            Leaf::Symbol(var) => assignment.get(*var).cloned(),
            Leaf::Cell(array, index) => {
                let array = assignment.get(*array).and_then(Value::as_array)?;
                Some(Value::Bv(array.get(index)))
            }
        }
    }

    fn word(&self, assignment: &Assignment) -> u64 {
        self.value(assignment).as_ref().map_or(0, word)
    }

    fn hash_word(&self, word: u64) -> u64 {
        if word == 0 {
            return 0;
        }
        let mut hasher = FxHasher::default();
        (self, word).hash(&mut hasher);
        spread(hasher.finish())
    }

    fn hash_value(&self, value: &Value) -> u64 {
        match value {
            Value::Bool(_) => self.hash_word(word(value)),
            Value::Bv(bv) if bv.small().is_some() => self.hash_word(word(value)),
            value if *value == Value::zero(value.sort()) => 0,
            value => {
                let mut hasher = FxHasher::default();
                (self, value).hash(&mut hasher);
                spread(hasher.finish())
            }
        }
    }
}

fn word(value: &Value) -> u64 {
    match value {
        Value::Bool(value) => u64::from(*value),
        Value::Bv(value) => value.small().unwrap_or(0),
        _ => 0,
    }
}

/// Sums of hashes are to tell sets apart.
fn spread(hash: u64) -> u64 {
    let hash = (hash ^ hash >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^ hash >> 32
}

fn set(assignment: &mut Assignment, terms: &Terms, input: Term, value: Value) {
    match (Leaf::of(terms, input), value) {
        (Leaf::Symbol(var), value) => assignment.set(var, value),
        (Leaf::Cell(array, index), Value::Bv(value)) => {
            let sort = terms.sort(terms.arg(input, 0));
            assignment.set_cell(array, index, value, sort);
        }
        (Leaf::Cell(..), value) => unreachable!("a {} in an array", value.sort()),
    }
}
