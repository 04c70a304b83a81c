//! Symbolic execution up to the next decision: statements run over symbolic values, calls are inlined and loops
//! unrolled, both within bounds, and conditions that are concrete are followed. A state is cheap to copy: its values
//! are shared.

use super::program::{Condition, Expression, Place, Program, Statement};
use super::symbolic::{Formula, Value};

const DEEPEST_CALL: usize = 5;
const MOST_ROUNDS: usize = 5;
/// A path ends after so many statements.
const LONGEST_PATH: usize = 50_000;
/// An assignment of a larger value is left out: this is a benchmark of many decisions, not of large terms.
const LARGEST_VALUE: usize = 40;
const LARGEST_CONSTANT: i64 = 1_000_000;

#[derive(Clone)]
pub struct State<'p> {
    program: &'p Program,
    fields: Vec<Value>,
    calls: Vec<Activation>,
    todo: Vec<Todo<'p>>,
    executed: usize,
}

#[derive(Clone)]
struct Activation {
    parameters: Vec<Value>,
    locals: Vec<Value>,
}

#[derive(Clone)]
enum Todo<'p> {
    Block(&'p [Statement]),
    Loop {
        condition: &'p Condition,
        body: &'p [Statement],
        rounds: usize,
    },
    Return {
        result: &'p Expression,
        into: Place,
    },
}

/// A condition that depends on the inputs, and where either outcome leads.
pub struct Decision<'p> {
    pub condition: Formula,
    pub holds: State<'p>,
    pub fails: State<'p>,
}

impl<'p> State<'p> {
    pub fn new(
        program: &'p Program,
        entry: usize,
        parameters: Vec<Value>,
        fields: Vec<Value>,
    ) -> Self {
        let mut state = State {
            program,
            fields,
            calls: Vec::new(),
            todo: Vec::new(),
            executed: 0,
        };
        state.start(entry, parameters);
        state
    }

    /// Goes on to the next decision; none if the path ends before.
    pub fn advance(mut self) -> Option<Decision<'p>> {
        while self.executed < LONGEST_PATH {
            self.executed += 1;
            match self.todo.pop()? {
                Todo::Block([]) => {}
                Todo::Block([statement, rest @ ..]) => {
                    self.todo.push(Todo::Block(rest));
                    if let Some(decision) = self.execute(statement) {
                        return Some(decision);
                    }
                }
                Todo::Loop {
                    condition,
                    body,
                    rounds,
                } => {
                    if let Some(decision) = self.round(condition, body, rounds) {
                        return Some(decision);
                    }
                }
                Todo::Return { result, into } => {
                    let value = self.value(result);
                    self.calls.pop();
                    self.assign(into, value);
                }
            }
        }
        None
    }

    fn execute(&mut self, statement: &'p Statement) -> Option<Decision<'p>> {
        match statement {
            Statement::Assign(place, value) => {
                let value = self.value(value);
                self.assign(*place, value);
                None
            }
            Statement::Call {
                into,
                method,
                arguments,
            } => {
                if self.calls.len() < DEEPEST_CALL {
                    let arguments = arguments.iter().map(|value| self.value(value)).collect();
                    self.call(*method, arguments, *into);
                }
                None
            }
            Statement::While(condition, body) => self.round(condition, body, MOST_ROUNDS),
            Statement::If(condition, then, otherwise) => {
                self.decide(condition, &[Todo::Block(then)], &[Todo::Block(otherwise)])
            }
        }
    }

    fn round(
        &mut self,
        condition: &'p Condition,
        body: &'p [Statement],
        rounds: usize,
    ) -> Option<Decision<'p>> {
        if rounds == 0 {
            return None;
        }
        let next = Todo::Loop {
            condition,
            body,
            rounds: rounds - 1,
        };
        self.decide(condition, &[next, Todo::Block(body)], &[])
    }

    fn decide(
        &mut self,
        condition: &Condition,
        if_it_holds: &[Todo<'p>],
        if_it_fails: &[Todo<'p>],
    ) -> Option<Decision<'p>> {
        match self.formula(condition) {
            Formula::Truth(true) => self.todo.extend_from_slice(if_it_holds),
            Formula::Truth(false) => self.todo.extend_from_slice(if_it_fails),
            condition => {
                let (mut holds, mut fails) = (self.clone(), self.clone());
                holds.todo.extend_from_slice(if_it_holds);
                fails.todo.extend_from_slice(if_it_fails);
                return Some(Decision {
                    condition,
                    holds,
                    fails,
                });
            }
        }
        None
    }

    fn call(&mut self, method: usize, arguments: Vec<Value>, into: Place) {
        let result = &self.program.methods[method].result;
        self.todo.push(Todo::Return { result, into });
        self.start(method, arguments);
    }

    fn start(&mut self, method: usize, parameters: Vec<Value>) {
        let method = &self.program.methods[method];
        self.calls.push(Activation {
            parameters,
            locals: Vec::new(),
        });
        let locals = method
            .locals
            .iter()
            .map(|start| self.value(start))
            .collect();
        if let Some(activation) = self.calls.last_mut() {
            activation.locals = locals;
        }
        self.todo.push(Todo::Block(&method.body));
    }

    fn assign(&mut self, place: Place, value: Value) {
        let is_large = value.size() > LARGEST_VALUE
            || value
                .as_constant()
                .is_some_and(|constant| constant.abs() > LARGEST_CONSTANT);
        if !is_large {
            *self.place(place) = value;
        }
    }

    fn place(&mut self, place: Place) -> &mut Value {
        let activation = self.calls.last_mut().expect("statements run in a method");
        match place {
            Place::Field(field) => &mut self.fields[field],
            Place::Parameter(parameter) => &mut activation.parameters[parameter],
            Place::Local(local) => &mut activation.locals[local],
        }
    }

    fn value(&self, expression: &Expression) -> Value {
        match expression {
            Expression::Constant(value) => Value::constant(*value),
            Expression::Variable(place) => self.read(*place),
            Expression::Sum(left, right) => Value::sum(&self.value(left), &self.value(right)),
            Expression::Difference(left, right) => {
                Value::difference(&self.value(left), &self.value(right))
            }
            Expression::Product(factor, of) => Value::product(*factor, &self.value(of)),
            Expression::Quotient(of, divisor) => Value::quotient(&self.value(of), *divisor),
            Expression::Remainder(of, divisor) => Value::remainder(&self.value(of), *divisor),
        }
    }

    fn read(&self, place: Place) -> Value {
        let activation = self.calls.last().expect("statements run in a method");
        match place {
            Place::Field(field) => self.fields[field].clone(),
            Place::Parameter(parameter) => activation.parameters[parameter].clone(),
            Place::Local(local) => activation.locals[local].clone(),
        }
    }

    fn formula(&self, condition: &Condition) -> Formula {
        match condition {
            Condition::Compare(relation, left, right) => {
                Formula::compare(*relation, self.value(left), self.value(right))
            }
            Condition::Both(left, right) => Formula::and(self.formula(left), self.formula(right)),
            Condition::Either(left, right) => Formula::or(self.formula(left), self.formula(right)),
        }
    }
}
