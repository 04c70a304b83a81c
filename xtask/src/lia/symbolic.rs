//! Values and conditions over the inputs of an execution. What is concrete is computed; all else stays as the program
//! wrote it, and is printed in full wherever it occurs, as a tool without common subexpressions does it.

use super::program::Relation;
use std::fmt::{self, Display, Formatter};
use std::rc::Rc;

#[derive(Clone)]
pub struct Value(Rc<Node>);

struct Node {
    kind: Kind,
    /// Nodes as printed.
    size: usize,
}

enum Kind {
    Constant(i64),
    Input(String),
    Sum(Value, Value),
    Difference(Value, Value),
    Product(i64, Value),
    Quotient(Value, i64),
    Remainder(Value, i64),
}

impl Value {
    pub fn constant(value: i64) -> Self {
        Value::new(Kind::Constant(value), 0)
    }

    pub fn input(name: &str) -> Self {
        Value::new(Kind::Input(name.to_string()), 0)
    }

    pub fn sum(left: &Value, right: &Value) -> Self {
        match (left.as_constant(), right.as_constant()) {
            (Some(left), Some(right)) => Value::constant(left.saturating_add(right)),
            (_, Some(0)) => left.clone(),
            (Some(0), _) => right.clone(),
            _ => Value::new(
                Kind::Sum(left.clone(), right.clone()),
                left.size() + right.size(),
            ),
        }
    }

    pub fn difference(left: &Value, right: &Value) -> Self {
        match (left.as_constant(), right.as_constant()) {
            (Some(left), Some(right)) => Value::constant(left.saturating_sub(right)),
            (_, Some(0)) => left.clone(),
            _ => Value::new(
                Kind::Difference(left.clone(), right.clone()),
                left.size() + right.size(),
            ),
        }
    }

    pub fn product(factor: i64, of: &Value) -> Self {
        match of.as_constant() {
            Some(constant) => Value::constant(constant.saturating_mul(factor)),
            None => Value::new(Kind::Product(factor, of.clone()), 1 + of.size()),
        }
    }

    /// Rounded as SMT-LIB does it: so that the remainder is not negative.
    pub fn quotient(of: &Value, divisor: i64) -> Self {
        match of.as_constant() {
            Some(constant) => Value::constant(constant.div_euclid(divisor)),
            None => Value::new(Kind::Quotient(of.clone(), divisor), 1 + of.size()),
        }
    }

    pub fn remainder(of: &Value, divisor: i64) -> Self {
        match of.as_constant() {
            Some(constant) => Value::constant(constant.rem_euclid(divisor)),
            None => Value::new(Kind::Remainder(of.clone(), divisor), 1 + of.size()),
        }
    }

    /// Nodes as printed.
    pub fn size(&self) -> usize {
        self.0.size
    }

    pub fn as_constant(&self) -> Option<i64> {
        match self.0.kind {
            Kind::Constant(value) => Some(value),
            _ => None,
        }
    }

    fn new(kind: Kind, operands: usize) -> Self {
        Value(Rc::new(Node {
            kind,
            size: 1 + operands,
        }))
    }
}

#[derive(Clone)]
pub enum Formula {
    Truth(bool),
    Compare(Relation, Value, Value),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
}

impl Formula {
    pub fn compare(relation: Relation, left: Value, right: Value) -> Self {
        match (left.as_constant(), right.as_constant()) {
            (Some(left), Some(right)) => Formula::Truth(holds(relation, left, right)),
            _ => Formula::Compare(relation, left, right),
        }
    }

    pub fn and(left: Formula, right: Formula) -> Self {
        match (left, right) {
            (Formula::Truth(true), other) | (other, Formula::Truth(true)) => other,
            (Formula::Truth(false), _) | (_, Formula::Truth(false)) => Formula::Truth(false),
            (left, right) => Formula::And(Box::new(left), Box::new(right)),
        }
    }

    pub fn or(left: Formula, right: Formula) -> Self {
        match (left, right) {
            (Formula::Truth(false), other) | (other, Formula::Truth(false)) => other,
            (Formula::Truth(true), _) | (_, Formula::Truth(true)) => Formula::Truth(true),
            (left, right) => Formula::Or(Box::new(left), Box::new(right)),
        }
    }

    pub fn negated(&self) -> Self {
        Formula::Not(Box::new(self.clone()))
    }
}

pub fn holds(relation: Relation, left: i64, right: i64) -> bool {
    match relation {
        Relation::Less => left < right,
        Relation::AtMost => left <= right,
        Relation::Greater => left > right,
        Relation::AtLeast => left >= right,
        Relation::Equal => left == right,
        Relation::Different => left != right,
    }
}

/// A number as SMT-LIB writes it.
pub fn numeral(value: i64) -> String {
    if value < 0 {
        format!("(- {})", value.unsigned_abs())
    } else {
        value.to_string()
    }
}

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.0.kind {
            Kind::Constant(value) => f.write_str(&numeral(*value)),
            Kind::Input(name) => f.write_str(name),
            Kind::Sum(left, right) => write!(f, "(+ {left} {right})"),
            Kind::Difference(left, right) => write!(f, "(- {left} {right})"),
            Kind::Product(factor, of) => write!(f, "(* {} {of})", numeral(*factor)),
            Kind::Quotient(of, divisor) => write!(f, "(div {of} {divisor})"),
            Kind::Remainder(of, divisor) => write!(f, "(mod {of} {divisor})"),
        }
    }
}

impl Display for Formula {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let sign = |relation: &Relation| match relation {
            Relation::Less => "<",
            Relation::AtMost => "<=",
            Relation::Greater => ">",
            Relation::AtLeast => ">=",
            Relation::Equal | Relation::Different => "=",
        };
        match self {
            Formula::Truth(truth) => write!(f, "{truth}"),
            Formula::Compare(Relation::Different, left, right) => {
                write!(f, "(not (= {left} {right}))")
            }
            Formula::Compare(relation, left, right) => {
                write!(f, "({} {left} {right})", sign(relation))
            }
            Formula::Not(of) => match &**of {
                Formula::Compare(Relation::Different, left, right) => {
                    write!(f, "(= {left} {right})")
                }
                of => write!(f, "(not {of})"),
            },
            Formula::And(left, right) => write!(f, "(and {left} {right})"),
            Formula::Or(left, right) => write!(f, "(or {left} {right})"),
        }
    }
}

#[cfg(test)]
impl Value {
    pub fn evaluate(&self, input: &dyn Fn(&str) -> i64) -> i64 {
        match &self.0.kind {
            Kind::Constant(value) => *value,
            Kind::Input(name) => input(name),
            Kind::Sum(left, right) => left.evaluate(input) + right.evaluate(input),
            Kind::Difference(left, right) => left.evaluate(input) - right.evaluate(input),
            Kind::Product(factor, of) => factor * of.evaluate(input),
            Kind::Quotient(of, divisor) => of.evaluate(input).div_euclid(*divisor),
            Kind::Remainder(of, divisor) => of.evaluate(input).rem_euclid(*divisor),
        }
    }
}

#[cfg(test)]
impl Formula {
    pub fn evaluate(&self, input: &dyn Fn(&str) -> i64) -> bool {
        match self {
            Formula::Truth(truth) => *truth,
            Formula::Compare(relation, left, right) => {
                holds(*relation, left.evaluate(input), right.evaluate(input))
            }
            Formula::Not(of) => !of.evaluate(input),
            Formula::And(left, right) => left.evaluate(input) && right.evaluate(input),
            Formula::Or(left, right) => left.evaluate(input) || right.evaluate(input),
        }
    }
}
