//! A suggested assignment. Its values are taken over one by one: most are the same, and the model is not shared with
//! whoever suggests.

use refrain_term::{Assignment, FuncValue, Input, Op, Terms, Value, eval};

use super::inputs::{InputId, number_in, value_in};
use super::{Native, set_scalar};

impl Native {
    pub(super) fn take_value(&mut self, terms: &Terms, id: InputId, from: &Assignment) {
        let info = self.inputs.info(id);
        let input = info.input;
        match (input, info.bits) {
            (Input::Symbol(term) | Input::Cell(term), Some(bits)) if bits <= 64 => {
                let value = value_in(terms, from, term);
                if value != info.value {
                    self.set_value(terms, id, value);
                }
                return;
            }
            (Input::Symbol(term) | Input::Cell(term), Some(_)) => {
                if let Value::Bv(value) = eval(terms, term, from) {
                    set_scalar(self.model.change(), terms, term, value);
                }
            }
            (Input::Symbol(_) | Input::Cell(_), None) => {
                let number = number_in(terms, from, input);
                if number != info.number {
                    self.set_number(terms, id, number);
                }
                return;
            }
            (Input::Array(array), _) => {
                let Op::Var(var) = terms.op(array) else {
                    unreachable!("an array symbol")
                };
                let value = from.get(var).cloned();
                let value = value.unwrap_or_else(|| Value::zero(terms.sort(array)));
                self.model.change().set(var, value);
            }
            (Input::Func(func), _) => {
                let zero = || FuncValue::new(Value::zero(terms.func_decl(func).result));
                let value = from.func(func).cloned().unwrap_or_else(zero);
                self.model.change().set_func(func, value);
            }
        }
        self.evaluator.forget();
    }
}
