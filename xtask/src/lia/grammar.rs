//! Random programs from a weighted grammar, in the manner of the RUGRAT programs of "A Study of Incremental Solving
//! for Symbolic Execution" (HVC 2014, section 4.2): methods of some dozens of lines until the size asked for is
//! reached, the last of them entry methods that mostly call the others. Right-hand sides refer to less than one
//! assigned variable on average, so that values along a path do not grow without bounds.

use super::program::{Condition, Expression, Method, Place, Program, Relation, Statement, lines};
use crate::random::Rng;

/// Entry methods are one in this many.
const METHODS_PER_ENTRY: usize = 8;
const DEEPEST_NEST: usize = 4;

/// A program of at least `size` lines.
pub fn program(size: usize, rng: &mut Rng) -> Program {
    let fields = rng.between(5, 10) as usize + size / 1000;
    let mut program = Program {
        fields,
        methods: Vec::new(),
        entries: Vec::new(),
    };
    let mut written = 0;
    while written < size {
        let is_entry =
            program.methods.len() % METHODS_PER_ENTRY == METHODS_PER_ENTRY - 1 || size < 100;
        let method = Writer::new(&program, is_entry, rng).method(size);
        written += method.lines();
        if is_entry {
            program.entries.push(program.methods.len());
        }
        program.methods.push(method);
    }
    program
}

/// Writes one method.
struct Writer<'a> {
    rng: &'a mut Rng,
    before: &'a Program,
    is_entry: bool,
    parameters: usize,
    /// Locals that a statement may assign; counters of loops come after them.
    locals: usize,
    counters: usize,
}

impl<'a> Writer<'a> {
    fn new(before: &'a Program, is_entry: bool, rng: &'a mut Rng) -> Self {
        let parameters = if is_entry {
            rng.between(5, 20)
        } else {
            rng.between(1, 6)
        };
        Writer {
            parameters: parameters as usize,
            locals: rng.between(2, 6) as usize,
            counters: 0,
            rng,
            before,
            is_entry,
        }
    }

    fn method(mut self, program_size: usize) -> Method {
        let length = if self.is_entry {
            // The longer the program, the more an entry method has to call.
            30 + program_size / 200
        } else {
            self.rng.between(15, 60) as usize
        };
        let body = self.block(length, 0);
        let declared = self.locals;
        self.locals = 0; // A start value refers to no other local.
        let mut locals: Vec<Expression> = (0..declared).map(|_| self.right_hand_side()).collect();
        locals.extend((0..self.counters).map(|_| Expression::Constant(0)));
        self.locals = declared;
        let result = self.linear(1, 2);
        Method {
            parameters: self.parameters,
            locals,
            body,
            result,
        }
    }

    /// Statements of about `length` lines.
    fn block(&mut self, length: usize, nest: usize) -> Vec<Statement> {
        let mut block = Vec::new();
        while lines(&block) < length {
            let left = length - lines(&block);
            self.statement(left, nest, &mut block);
        }
        block
    }

    fn statement(&mut self, left: usize, nest: usize, block: &mut Vec<Statement>) {
        let may_nest = nest < DEEPEST_NEST && left > 3;
        let calls = match (self.before.methods.is_empty(), self.is_entry) {
            (true, _) => 0,
            (false, true) => 35,
            (false, false) => 6,
        };
        let weights = if may_nest {
            [40, calls, 36, 3, 3]
        } else {
            [90, calls, 0, 0, 0]
        };
        match self.rng.weighted(&weights) {
            0 => {
                let place = self.target();
                let value = self.right_hand_side();
                block.push(Statement::Assign(place, value));
            }
            1 => block.push(self.call()),
            2 => block.push(self.branch(left, nest)),
            3 => self.counted_loop(left, nest, block),
            _ => block.push(self.search_loop(left, nest)),
        }
    }

    fn branch(&mut self, left: usize, nest: usize) -> Statement {
        let condition = self.condition();
        let then = self.part_of(left, nest);
        let otherwise = if self.rng.percent(60) {
            self.part_of(left, nest)
        } else {
            Vec::new()
        };
        Statement::If(condition, then, otherwise)
    }

    /// A nested block of a good part of the lines left.
    fn part_of(&mut self, left: usize, nest: usize) -> Vec<Statement> {
        let length = 1 + self.rng.below((left / 3).clamp(1, 12));
        self.block(length, nest + 1)
    }

    fn counted_loop(&mut self, left: usize, nest: usize, block: &mut Vec<Statement>) {
        let counter = Place::Local(self.locals + self.counters);
        self.counters += 1;
        let rounds = i64::from(self.rng.between(2, 4));
        let mut body = self.part_of(left, nest);
        let next = Expression::Sum(variable(counter), constant(1));
        body.push(Statement::Assign(counter, next));
        block.push(Statement::Assign(counter, Expression::Constant(0)));
        let condition = Condition::Compare(Relation::Less, *variable(counter), *constant(rounds));
        block.push(Statement::While(condition, body));
    }

    /// A local moves by a step until it meets a bound.
    fn search_loop(&mut self, left: usize, nest: usize) -> Statement {
        let moving = Place::Local(self.rng.below(self.locals));
        let step = constant(i64::from(self.rng.between(1, 10)));
        let bound = self.linear(1, 1);
        let (relation, next) = if self.rng.percent(70) {
            (Relation::Less, Expression::Sum(variable(moving), step))
        } else {
            let next = Expression::Difference(variable(moving), step);
            (Relation::Greater, next)
        };
        let mut body = self.part_of(left, nest);
        body.push(Statement::Assign(moving, next));
        Statement::While(Condition::Compare(relation, *variable(moving), bound), body)
    }

    fn call(&mut self) -> Statement {
        let method = self.rng.below(self.before.methods.len());
        let arguments = (0..self.before.methods[method].parameters)
            .map(|_| self.argument())
            .collect();
        Statement::Call {
            into: self.target(),
            method,
            arguments,
        }
    }

    fn target(&mut self) -> Place {
        if self.rng.percent(80) {
            Place::Local(self.rng.below(self.locals))
        } else {
            Place::Field(self.rng.below(self.before.fields))
        }
    }

    fn variable(&mut self) -> Place {
        let locals = if self.locals == 0 { 0 } else { 25 };
        match self.rng.weighted(&[55, 20, locals]) {
            0 => Place::Parameter(self.rng.below(self.parameters)),
            1 => Place::Field(self.rng.below(self.before.fields)),
            _ => Place::Local(self.rng.below(self.locals)),
        }
    }

    fn argument(&mut self) -> Expression {
        match self.rng.weighted(&[20, 60, 20]) {
            0 => *self.constant(),
            1 => *variable(self.variable()),
            _ => self.linear(1, 2),
        }
    }

    fn right_hand_side(&mut self) -> Expression {
        match self.rng.weighted(&[20, 57, 20, 3]) {
            0 => *self.constant(),
            1 => self.linear(1, 1),
            2 => self.linear(2, 2),
            _ => self.linear(3, 3),
        }
    }

    /// `a*x + b*y - z + c`, say, now and then divided by a small constant.
    fn linear(&mut self, fewest: u32, most: u32) -> Expression {
        let mut sum = self.term();
        for _ in 1..self.rng.between(fewest, most) {
            let (left, right) = (Box::new(sum), Box::new(self.term()));
            sum = if self.rng.percent(60) {
                Expression::Sum(left, right)
            } else {
                Expression::Difference(left, right)
            };
        }
        if self.rng.percent(40) {
            sum = Expression::Sum(Box::new(sum), self.constant());
        }
        let divisor = i64::from(self.rng.between(2, 10));
        match self.rng.below(1000) {
            0..4 => Expression::Quotient(Box::new(sum), divisor),
            4..8 => Expression::Remainder(Box::new(sum), divisor),
            _ => sum,
        }
    }

    fn term(&mut self) -> Expression {
        let variable = variable(self.variable());
        if self.rng.percent(20) {
            Expression::Product(i64::from(self.rng.between(2, 5)), variable)
        } else {
            *variable
        }
    }

    fn condition(&mut self) -> Condition {
        let left = self.comparison();
        match self.rng.below(100) {
            0..6 => Condition::Both(Box::new(left), Box::new(self.comparison())),
            6..12 => Condition::Either(Box::new(left), Box::new(self.comparison())),
            _ => left,
        }
    }

    fn comparison(&mut self) -> Condition {
        use Relation::{AtLeast, AtMost, Different, Equal, Greater, Less};
        let relations = [Less, AtMost, Greater, AtLeast, Equal, Different];
        let relation = relations[self.rng.weighted(&[25, 20, 25, 20, 6, 4])];
        let most = [1, 2, 3][self.rng.weighted(&[40, 38, 22])];
        let left = self.linear(most, most);
        let right = if self.rng.percent(65) {
            *self.constant()
        } else {
            self.linear(1, 1)
        };
        Condition::Compare(relation, left, right)
    }

    /// Mostly small, as programmers write them.
    fn constant(&mut self) -> Box<Expression> {
        let reach = [5, 20, 100, 1000][self.rng.weighted(&[25, 40, 30, 5])];
        let value = i64::from(self.rng.between(0, 2 * reach)) - i64::from(reach);
        // Most constants of a program are positive.
        constant(if self.rng.percent(50) {
            value.abs()
        } else {
            value
        })
    }
}

fn constant(value: i64) -> Box<Expression> {
    Box::new(Expression::Constant(value))
}

fn variable(place: Place) -> Box<Expression> {
    Box::new(Expression::Variable(place))
}
