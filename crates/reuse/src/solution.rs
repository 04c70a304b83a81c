//! Solutions: the values of the inputs that some atoms depend on, taken out of a model and put into another.

use refrain_term::{Assignment, Bv, FuncValue, Input, Op, Sort, Term, Terms, Value, VarId};

/// Values of some inputs.
#[derive(Clone, Debug, Default)]
pub struct Solution(Box<[(Input, Datum)]>);

#[derive(Clone, Debug)]
enum Datum {
    /// Of Bool, and of up to 64 bits.
    Word(u64),
    Value(Value),
    Func(FuncValue),
}

impl Solution {
    /// The values that these inputs have in a model.
    pub fn of(
        terms: &Terms,
        model: &Assignment,
        inputs: impl IntoIterator<Item = Input>,
    ) -> Solution {
        let values = inputs
            .into_iter()
            .map(|input| (input, datum(terms, model, input)));
        Solution(values.collect())
    }

    /// Gives all these inputs their values in `model`.
    pub fn put_all_into(&self, terms: &Terms, model: &mut Assignment) {
        for (input, datum) in &self.0 {
            put(terms, model, *input, datum);
        }
    }

    /// Gives those of these inputs that are among `wanted`, which is ascending, their values in `model`. The others may be somebody else's.
    pub fn put_into(&self, terms: &Terms, model: &mut Assignment, wanted: &[Input]) {
        for (input, datum) in &self.0 {
            if wanted.binary_search(input).is_ok() {
                put(terms, model, *input, datum);
            }
        }
    }
}

fn put(terms: &Terms, model: &mut Assignment, input: Input, datum: &Datum) {
    match (input, datum) {
        (Input::Func(func), Datum::Func(value)) => model.set_func(func, value.clone()),
        (Input::Cell(read), datum) => set_cell(terms, model, read, datum),
        (Input::Symbol(term) | Input::Array(term), Datum::Value(value)) => {
            model.set(symbol(terms, term), value.clone());
        }
        (Input::Symbol(term), Datum::Word(word)) => {
            let value = match terms.sort(term) {
                Sort::Bool => Value::Bool(*word != 0),
                sort => Value::Bv(Bv::new(sort.width().expect("bits"), *word)),
            };
            model.set(symbol(terms, term), value);
        }
        _ => unreachable!("made by `datum`"),
    }
}

fn symbol(terms: &Terms, term: Term) -> VarId {
    match terms.op(term) {
        Op::Var(var) => var,
        _ => unreachable!("a symbol"),
    }
}

fn datum(terms: &Terms, model: &Assignment, input: Input) -> Datum {
    let pack = |value: Value| match value {
        Value::Bool(value) => Datum::Word(u64::from(value)),
        Value::Bv(value) => match value.small() {
            Some(word) => Datum::Word(word),
            None => Datum::Value(Value::Bv(value)),
        },
        value => Datum::Value(value),
    };
    match input {
        Input::Symbol(term) | Input::Array(term) => {
            let value = model.get(symbol(terms, term)).cloned();
            pack(value.unwrap_or_else(|| Value::zero(terms.sort(term))))
        }
        Input::Cell(read) => {
            let (array, index) = (terms.arg(read, 0), terms.arg(read, 1));
            let index = terms.value(index).expect("a cell has a constant index");
            let element = match model.get(symbol(terms, array)) {
                Some(Value::Array(array)) => array.get(index),
                _ => Bv::zero(terms.width(read)),
            };
            pack(Value::Bv(element))
        }
        Input::Func(func) => {
            let zero = || FuncValue::new(Value::zero(terms.func_decl(func).result));
            Datum::Func(model.func(func).cloned().unwrap_or_else(zero))
        }
    }
}

fn set_cell(terms: &Terms, model: &mut Assignment, read: Term, datum: &Datum) {
    let (array, index) = (terms.arg(read, 0), terms.arg(read, 1));
    let index = terms.value(index).expect("a cell has a constant index");
    let element = match datum {
        Datum::Word(word) => Bv::new(terms.width(read), *word),
        Datum::Value(Value::Bv(value)) => value.clone(),
        _ => unreachable!("the value of a cell"),
    };
    model.set_cell(
        symbol(terms, array),
        index.clone(),
        element,
        terms.sort(array),
    );
}
