//! The inputs of a session: everything the assertions depend on, numbered.
//!
//! An input is a scalar symbol, one cell of an array symbol, a whole array symbol, or a function. Cells and the whole
//! of one array belong to a *family*: as long as some active atom uses the array as a whole, its cells are not
//! independent of each other.

use refrain_term::{Assignment, Input, Op, Rational, Sort, Term, Terms, Value};
use rustc_hash::FxHashMap;

use crate::simplify::Seen;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct InputId(u32);

impl InputId {
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FamilyId(u32);

pub struct InputInfo {
    pub input: Input,
    /// How many bits an input of them has; `None` for numbers, arrays and functions.
    pub bits: Option<u32>,
    pub family: Option<FamilyId>,
    /// The current value of an input of at most 64 bits, mirroring the model.
    pub value: u64,
    /// The current value of an integer or real input, mirroring the model.
    pub number: Rational,
    /// Whether the input is an integer.
    pub integer: bool,
}

impl InputInfo {
    /// The term of a scalar input.
    pub fn term(&self) -> Option<Term> {
        match self.input {
            Input::Symbol(term) | Input::Cell(term) => Some(term),
            Input::Array(_) | Input::Func(_) => None,
        }
    }
}

/// The inputs that belong to one array symbol.
#[derive(Default)]
pub struct Family {
    /// The array itself, if it is an input.
    pub whole: Option<InputId>,
    pub members: Vec<InputId>,
    /// How many active atoms use the array as a whole.
    pub active_wholes: u32,
}

#[derive(Default)]
pub struct InputTable {
    ids: FxHashMap<Input, InputId>,
    infos: Vec<InputInfo>,
    family_ids: FxHashMap<Term, FamilyId>,
    families: Vec<Family>,
}

impl InputTable {
    pub fn len(&self) -> usize {
        self.infos.len()
    }

    pub fn ids(&self) -> impl Iterator<Item = InputId> + use<> {
        (0..self.infos.len() as u32).map(InputId)
    }

    #[inline]
    pub fn info(&self, id: InputId) -> &InputInfo {
        &self.infos[id.index()]
    }

    #[inline]
    pub fn info_mut(&mut self, id: InputId) -> &mut InputInfo {
        &mut self.infos[id.index()]
    }

    pub fn family(&self, id: FamilyId) -> &Family {
        &self.families[id.0 as usize]
    }

    pub fn family_mut(&mut self, id: FamilyId) -> &mut Family {
        &mut self.families[id.0 as usize]
    }

    /// Whether an array symbol occurs in anything seen so far.
    pub fn knows_array(&self, array: Term) -> bool {
        self.family_ids.contains_key(&array)
    }

    pub fn find(&self, input: Input) -> Option<InputId> {
        self.ids.get(&input).copied()
    }

    /// The input that a symbol is, if it is one.
    pub fn find_symbol(&self, term: Term) -> Option<InputId> {
        self.find(Input::Symbol(term))
    }

    /// The number of an input; a new one starts with the value it has in `model`.
    pub fn intern(&mut self, terms: &Terms, model: &Assignment, input: Input) -> InputId {
        if let Some(&id) = self.ids.get(&input) {
            return id;
        }
        let id = InputId(self.infos.len() as u32);
        let bits = match input {
            Input::Symbol(term) | Input::Cell(term) => match terms.sort(term) {
                Sort::Bool => Some(1),
                Sort::BitVec(width) => Some(width),
                Sort::Array { .. } | Sort::Int | Sort::Real => None,
            },
            Input::Array(_) | Input::Func(_) => None,
        };
        let family = input.array(terms).map(|array| {
            debug_assert!(matches!(terms.op(array), Op::Var(_)));
            let next = FamilyId(self.families.len() as u32);
            let family = *self.family_ids.entry(array).or_insert(next);
            if family == next {
                self.families.push(Family::default());
            }
            let entry = &mut self.families[family.0 as usize];
            entry.members.push(id);
            if matches!(input, Input::Array(_)) {
                entry.whole = Some(id);
            }
            family
        });
        let value = match input {
            Input::Symbol(term) | Input::Cell(term) => value_in(terms, model, term),
            Input::Array(_) | Input::Func(_) => 0,
        };
        self.infos.push(InputInfo {
            input,
            bits,
            family,
            value,
            number: number_in(terms, model, input),
            integer: matches!(input, Input::Symbol(term) if terms.sort(term) == Sort::Int),
        });
        self.ids.insert(input, id);
        id
    }
}

/// Inputs that are numbered as they are noted, with their values in a model.
pub struct Noting<'a> {
    pub inputs: &'a mut InputTable,
    pub model: &'a Assignment,
}

impl Seen for Noting<'_> {
    fn input(&self, input: Input) -> bool {
        self.inputs.find(input).is_some()
    }

    fn array(&self, array: Term) -> bool {
        self.inputs.knows_array(array)
    }

    fn note(&mut self, terms: &Terms, input: Input) {
        self.inputs.intern(terms, self.model, input);
    }
}

/// The value of an integer or real symbol; zero for other inputs.
pub fn number_in(terms: &Terms, model: &Assignment, input: Input) -> Rational {
    let Input::Symbol(term) = input else {
        return Rational::ZERO;
    };
    let value = match terms.op(term) {
        Op::Var(var) => model.get(var),
        _ => None,
    };
    value
        .and_then(Value::as_number)
        .cloned()
        .unwrap_or_default()
}

/// The value of a symbol or cell of at most 64 bits; zero for wider ones and for numbers.
pub fn value_in(terms: &Terms, model: &Assignment, term: Term) -> u64 {
    let value = match terms.op(term) {
        Op::Var(var) => model.get(var),
        _ => match terms.op(terms.arg(term, 0)) {
            Op::Var(var) => model.get(var),
            _ => unreachable!("a cell of a symbol"),
        },
    };
    match value {
        None => 0,
        Some(Value::Bool(value)) => u64::from(*value),
        Some(Value::Bv(value)) => value.small().unwrap_or(0),
        Some(Value::Int(_) | Value::Real(_)) => 0,
        Some(Value::Array(array)) => {
            let index = terms
                .value(terms.arg(term, 1))
                .expect("a cell has a constant index");
            array.get(index).small().unwrap_or(0)
        }
    }
}
