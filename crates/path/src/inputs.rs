//! The inputs that atoms depend on, numbered.
//!
//! An input is a symbol, one cell of an array symbol, an array symbol as a whole, or a function. The cells and the
//! whole of one array are a *family*: they are independent of each other as long as nothing on the path uses the
//! array as a whole.

use refrain_term::{Bv, FuncId, Input, Op, Sort, Term, Terms, VarId};
use rustc_hash::FxHashMap;

use crate::simplify::Seen;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct InputId(pub u32);

impl InputId {
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where the value of an input is, and what it can be.
#[derive(Clone, Debug)]
pub enum Place {
    Bool(VarId),
    /// A bit-vector of at most 64 bits.
    Word {
        var: VarId,
        width: u32,
    },
    /// A cell of an array of elements of at most 64 bits.
    Cell {
        array: VarId,
        index: Bv,
        width: u32,
        sort: Sort,
    },
    /// A cell of wider elements.
    WideCell {
        array: VarId,
        index: Bv,
        sort: Sort,
    },
    /// Any other symbol.
    Value {
        var: VarId,
        sort: Sort,
    },
    Func {
        func: FuncId,
        result: Sort,
    },
}

impl Place {
    /// Whether it is a bit-vector of at most 8 bits.
    pub fn is_byte(&self) -> bool {
        match self {
            Place::Word { width, .. } | Place::Cell { width, .. } => *width <= 8,
            _ => false,
        }
    }

    /// How many bits it has, if it is a truth value or a bit-vector of at most 64.
    pub fn word_bits(&self) -> Option<u32> {
        match self {
            Place::Bool(_) => Some(1),
            Place::Word { width, .. } | Place::Cell { width, .. } => Some(*width),
            _ => None,
        }
    }

    pub fn is_word(&self) -> bool {
        matches!(
            self,
            Place::Bool(_) | Place::Word { .. } | Place::Cell { .. }
        )
    }
}

/// An array symbol, and the inputs that belong to it.
#[derive(Debug)]
pub struct Family {
    pub array: Term,
    pub whole: Option<InputId>,
    pub cells: Vec<InputId>,
}

#[derive(Default)]
pub struct InputTable {
    ids: FxHashMap<Input, InputId>,
    inputs: Vec<Input>,
    places: Vec<Place>,
    families: Vec<Family>,
    family_ids: FxHashMap<Term, u32>,
    /// By input: its family.
    family_of: Vec<Option<u32>>,
    /// By input: when an assertion last depended on it, in resets.
    noted: Vec<Option<u32>>,
    resets: u32,
}

impl InputTable {
    pub fn len(&self) -> usize {
        self.inputs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }

    pub fn get(&self, id: InputId) -> Input {
        self.inputs[id.index()]
    }

    #[inline]
    pub fn place(&self, id: InputId) -> &Place {
        &self.places[id.index()]
    }

    /// The term of a scalar input.
    pub fn term(&self, id: InputId) -> Option<Term> {
        match self.get(id) {
            Input::Symbol(term) | Input::Cell(term) => Some(term),
            Input::Array(_) | Input::Func(_) => None,
        }
    }

    /// The input that is this symbol, no array, or this cell of an array.
    pub fn find_term(&self, term: Term) -> Option<InputId> {
        let symbol = self.find(Input::Symbol(term));
        symbol.or_else(|| self.find(Input::Cell(term)))
    }

    /// The array that an input is a cell of, used as a whole.
    pub fn whole_of(&self, id: InputId) -> Option<InputId> {
        let family = self.family_of(id)?;
        self.family(family).whole.filter(|&whole| whole != id)
    }

    /// The number of the family that an input belongs to.
    #[inline]
    pub fn family_of(&self, id: InputId) -> Option<u32> {
        self.family_of[id.index()]
    }

    #[inline]
    pub fn family(&self, family: u32) -> &Family {
        &self.families[family as usize]
    }

    pub fn families(&self) -> usize {
        self.families.len()
    }

    pub fn find(&self, input: Input) -> Option<InputId> {
        self.ids.get(&input).copied()
    }

    /// The number of an input.
    pub fn id(&mut self, terms: &Terms, input: Input) -> InputId {
        self.find(input).unwrap_or_else(|| self.add(terms, input))
    }

    /// An assertion depends on an input.
    pub fn note_id(&mut self, id: InputId) {
        self.noted[id.index()] = Some(self.resets);
    }

    fn add(&mut self, terms: &Terms, input: Input) -> InputId {
        let id = InputId(self.inputs.len() as u32);
        self.ids.insert(input, id);
        self.inputs.push(input);
        self.places.push(place(terms, input));
        let family = input.array(terms).map(|array| {
            let next = self.families.len() as u32;
            let family = *self.family_ids.entry(array).or_insert(next);
            if family == next {
                self.families.push(Family {
                    array,
                    whole: None,
                    cells: Vec::new(),
                });
            }
            match input {
                Input::Cell(_) => self.families[family as usize].cells.push(id),
                _ => self.families[family as usize].whole = Some(id),
            }
            family
        });
        self.family_of.push(family);
        self.noted.push(None);
        id
    }

    /// No assertion depends on anything any more.
    pub fn reset(&mut self) {
        self.resets += 1;
    }

    fn is_noted(&self, id: InputId) -> bool {
        self.noted[id.index()] == Some(self.resets)
    }
}

impl Seen for InputTable {
    fn input(&self, input: Input) -> bool {
        self.find(input).is_some_and(|id| self.is_noted(id))
    }

    fn array(&self, array: Term) -> bool {
        self.family_ids.get(&array).is_some_and(|&family| {
            let Family { whole, cells, .. } = self.family(family);
            whole.iter().chain(cells).any(|&id| self.is_noted(id))
        })
    }

    fn note(&mut self, terms: &Terms, input: Input) {
        let id = self.id(terms, input);
        self.note_id(id);
    }
}

fn place(terms: &Terms, input: Input) -> Place {
    match input {
        Input::Func(func) => Place::Func {
            func,
            result: terms.func_decl(func).result,
        },
        Input::Symbol(term) | Input::Array(term) => {
            let var = symbol(terms, term);
            match terms.sort(term) {
                Sort::Bool => Place::Bool(var),
                Sort::BitVec(width) if width <= 64 => Place::Word { var, width },
                sort => Place::Value { var, sort },
            }
        }
        Input::Cell(read) => {
            let (array, index) = (terms.arg(read, 0), terms.arg(read, 1));
            let sort = terms.sort(array);
            let array = symbol(terms, array);
            let index = terms.value(index).expect("a cell has a constant index");
            let (index, width) = (index.clone(), terms.width(read));
            if width <= 64 {
                Place::Cell {
                    array,
                    index,
                    width,
                    sort,
                }
            } else {
                Place::WideCell { array, index, sort }
            }
        }
    }
}

fn symbol(terms: &Terms, term: Term) -> VarId {
    match terms.op(term) {
        Op::Var(var) => var,
        _ => unreachable!("a symbol"),
    }
}
