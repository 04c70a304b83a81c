//! The little language of the generated programs: integers only, and every expression linear by
//! construction (a product or a division has a constant on one side). A program is its methods and fields;
//! a method calls only methods before it, so there is no recursion. Printed, it looks like Java.

use std::fmt::{self, Display, Formatter};

pub struct Program {
    pub fields: usize,
    pub methods: Vec<Method>,
    /// The methods an execution may start at; their parameters and the fields are its inputs.
    pub entries: Vec<usize>,
}

pub struct Method {
    pub parameters: usize,
    /// What each local variable starts with.
    pub locals: Vec<Expression>,
    pub body: Vec<Statement>,
    pub result: Expression,
}

pub enum Statement {
    Assign(Place, Expression),
    If(Condition, Vec<Statement>, Vec<Statement>),
    While(Condition, Vec<Statement>),
    Call {
        into: Place,
        method: usize,
        arguments: Vec<Expression>,
    },
}

#[derive(Clone, Copy)]
pub enum Place {
    Field(usize),
    Parameter(usize),
    Local(usize),
}

pub enum Expression {
    Constant(i64),
    Variable(Place),
    Sum(Box<Expression>, Box<Expression>),
    Difference(Box<Expression>, Box<Expression>),
    Product(i64, Box<Expression>),
    Quotient(Box<Expression>, i64),
    Remainder(Box<Expression>, i64),
}

pub enum Condition {
    Compare(Relation, Expression, Expression),
    Both(Box<Condition>, Box<Condition>),
    Either(Box<Condition>, Box<Condition>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    Less,
    AtMost,
    Greater,
    AtLeast,
    Equal,
    Different,
}

/// Lines as printed.
pub fn lines(block: &[Statement]) -> usize {
    block.iter().map(Statement::lines).sum()
}

impl Statement {
    fn lines(&self) -> usize {
        match self {
            Statement::Assign(..) | Statement::Call { .. } => 1,
            Statement::If(_, then, otherwise) if otherwise.is_empty() => 2 + lines(then),
            Statement::If(_, then, otherwise) => 3 + lines(then) + lines(otherwise),
            Statement::While(_, body) => 2 + lines(body),
        }
    }
}

impl Method {
    /// The head, the locals, the body, the return and the closing brace.
    pub fn lines(&self) -> usize {
        3 + self.locals.len() + lines(&self.body)
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (number, method) in self.methods.iter().enumerate() {
            let parameters: Vec<String> = (0..method.parameters)
                .map(|parameter| format!("int {}", Place::Parameter(parameter)))
                .collect();
            writeln!(f, "int m{number}({}) {{", parameters.join(", "))?;
            for (local, start) in method.locals.iter().enumerate() {
                writeln!(f, "  int {} = {start};", Place::Local(local))?;
            }
            print_block(&method.body, 1, f)?;
            writeln!(f, "  return {};\n}}", method.result)?;
        }
        Ok(())
    }
}

fn print_block(block: &[Statement], depth: usize, f: &mut Formatter<'_>) -> fmt::Result {
    let margin = "  ".repeat(depth);
    for statement in block {
        match statement {
            Statement::Assign(place, value) => writeln!(f, "{margin}{place} = {value};")?,
            Statement::Call {
                into,
                method,
                arguments,
            } => {
                let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
                writeln!(f, "{margin}{into} = m{method}({});", arguments.join(", "))?;
            }
            Statement::While(condition, body) => {
                writeln!(f, "{margin}while ({condition}) {{")?;
                print_block(body, depth + 1, f)?;
                writeln!(f, "{margin}}}")?;
            }
            Statement::If(condition, then, otherwise) => {
                writeln!(f, "{margin}if ({condition}) {{")?;
                print_block(then, depth + 1, f)?;
                if !otherwise.is_empty() {
                    writeln!(f, "{margin}}} else {{")?;
                    print_block(otherwise, depth + 1, f)?;
                }
                writeln!(f, "{margin}}}")?;
            }
        }
    }
    Ok(())
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Place::Field(field) => write!(f, "f{field}"),
            Place::Parameter(parameter) => write!(f, "p{parameter}"),
            Place::Local(local) => write!(f, "v{local}"),
        }
    }
}

impl Display for Expression {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Expression::Constant(constant) => write!(f, "{constant}"),
            Expression::Variable(place) => write!(f, "{place}"),
            Expression::Sum(left, right) => write!(f, "({left} + {right})"),
            Expression::Difference(left, right) => write!(f, "({left} - {right})"),
            Expression::Product(factor, of) => write!(f, "{factor} * {of}"),
            Expression::Quotient(of, divisor) => write!(f, "{of} / {divisor}"),
            Expression::Remainder(of, divisor) => write!(f, "{of} % {divisor}"),
        }
    }
}

impl Display for Condition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Condition::Compare(relation, left, right) => {
                let sign = match relation {
                    Relation::Less => "<",
                    Relation::AtMost => "<=",
                    Relation::Greater => ">",
                    Relation::AtLeast => ">=",
                    Relation::Equal => "==",
                    Relation::Different => "!=",
                };
                write!(f, "{left} {sign} {right}")
            }
            Condition::Both(left, right) => write!(f, "({left}) && ({right})"),
            Condition::Either(left, right) => write!(f, "({left}) || ({right})"),
        }
    }
}
