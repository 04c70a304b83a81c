//! Inputs, and random expressions as C has them: as terms, and calculated by themselves in 128 bits, which tells
//! where one overflows.

use refrain_machine::{InputId, InputTable, Role, join_bytes};
use refrain_term::{Assignment, Bv, Op, Term, Terms, Value};
use refrain_testing::Random;

/// Random numbers, also from ranges of integers.
pub struct Rng(Random);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(Random::new(seed))
    }

    pub fn next(&mut self) -> u64 {
        self.0.next()
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.0.below(bound)
    }

    pub fn between(&mut self, low: i128, high: i128) -> i128 {
        low + i128::from(self.below((high - low + 1) as u64))
    }
}

/// The inputs of all tests: names, bits of an element, and how many elements there are.
/// Some have the same name and other elements.
pub const INPUTS: [(&str, u32, u32); 9] = [
    ("x", 8, 4),
    ("y", 8, 4),
    ("s", 8, 2),
    ("c", 8, 1),
    ("l", 8, 8),
    ("buf", 8, 12),
    ("x", 32, 2),
    ("s", 16, 1),
    ("x", 16, 4),
];

/// The inputs, as a machine declares them.
pub struct Inputs {
    pub table: InputTable,
    ids: Vec<InputId>,
}

impl Inputs {
    pub fn new(terms: &mut Terms) -> Inputs {
        let mut table = InputTable::new();
        let declare = |(name, bits, length)| table.declare(terms, name, Role::Object, bits, length);
        Inputs {
            ids: INPUTS.map(declare).to_vec(),
            table,
        }
    }

    pub fn elements(&self, input: usize) -> &[Term] {
        self.table.elements(self.ids[input])
    }

    /// Elements of an input as one bit-vector, the first one lowest.
    pub fn word(&self, terms: &mut Terms, input: usize, first: u32, count: u32) -> Term {
        let elements = &self.elements(input)[first as usize..][..count as usize];
        join_bytes(terms, elements).expect("some elements")
    }

    /// Bytes of an input of bytes as one bit-vector.
    pub fn bytes(&self, terms: &mut Terms, name: &str, count: u32) -> Term {
        let named = |&(other, bits, _): &(&str, u32, u32)| other == name && bits == 8;
        let input = INPUTS.iter().position(named).expect("one of the inputs");
        self.word(terms, input, 0, count)
    }

    /// A value of every input: `spread` bounds it, or not.
    pub fn random(&self, terms: &Terms, rng: &mut Rng, spread: Option<i128>) -> Assignment {
        let mut words = Assignment::new();
        for (input, (name, bits, length)) in INPUTS.into_iter().enumerate() {
            let size = u64::from(bits * length);
            let number = match (spread, rng.below(4)) {
                (None, 0) => rng.between(-3, 3),
                (None, 1) => (1i128 << rng.below(size)) - rng.between(0, 1),
                (None, _) => i128::from(rng.next()),
                (Some(spread), _) => rng.between(-spread, spread),
            };
            let elements = self.elements(input);
            for (index, &element) in (0..length).zip(elements) {
                let value = match (name, spread) {
                    ("buf", Some(spread)) => rng.between(-spread, spread) as u64,
                    ("buf", None) => rng.next(),
                    _ => (number >> (bits * index)) as u64,
                };
                set(terms, &mut words, element, Bv::new(bits, value));
            }
        }
        words
    }
}

/// Gives a variable a value.
pub fn set(terms: &Terms, assignment: &mut Assignment, variable: Term, value: impl Into<Value>) {
    let Op::Var(var) = terms.op(variable) else {
        panic!("no variable");
    };
    assignment.set(var, value);
}

/// An expression of a width: a number of so many bits.
#[derive(Clone, Debug)]
pub enum Expr {
    /// Elements of an input.
    Input(usize, u32, u32),
    Constant(u32, u64),
    Extended {
        signed: bool,
        width: u32,
        of: Box<Expr>,
    },
    Low(u32, Box<Expr>),
    Add(Box<Expr>, Box<Expr>),
    Sub(Box<Expr>, Box<Expr>),
    Mul(Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    And(u64, Box<Expr>),
    Or(u64, Box<Expr>),
    Xor(u64, Box<Expr>),
    Shl(u32, Box<Expr>),
    Lshr(u32, Box<Expr>),
    Ashr(u32, Box<Expr>),
    /// A shift by the lowest bits of something.
    ShiftBy(Box<Expr>, Box<Expr>),
    Udiv(u64, Box<Expr>),
    Urem(u64, Box<Expr>),
    Sdiv(i64, Box<Expr>),
    Srem(i64, Box<Expr>),
    Choice(Box<Cond>, Box<Expr>, Box<Expr>),
    /// A table of bytes at the lowest three bits of something.
    Table([u8; 8], Box<Expr>),
    /// The exclusive or with a sign that is spread over all bits.
    XorSign(Box<Expr>, Box<Expr>),
}

#[derive(Clone, Debug)]
pub enum Cond {
    Eq(Expr, Expr),
    Ult(Expr, Expr),
    Slt(Expr, Expr),
    Not(Box<Cond>),
    And(Box<Cond>, Box<Cond>),
    Or(Box<Cond>, Box<Cond>),
    Iff(Box<Cond>, Box<Cond>),
}

impl Expr {
    fn width(&self) -> u32 {
        match self {
            Expr::Input(input, _, count) => INPUTS[*input].1 * count,
            Expr::Constant(width, _) | Expr::Low(width, _) => *width,
            Expr::Extended { width, .. } => *width,
            Expr::Table(..) => 8,
            Expr::Add(a, _) | Expr::Sub(a, _) | Expr::Mul(a, _) | Expr::Not(a) => a.width(),
            Expr::And(_, a) | Expr::Or(_, a) | Expr::Xor(_, a) => a.width(),
            Expr::Shl(_, a) | Expr::Lshr(_, a) | Expr::Ashr(_, a) => a.width(),
            Expr::ShiftBy(a, _) | Expr::XorSign(a, _) => a.width(),
            Expr::Udiv(_, a) | Expr::Urem(_, a) => a.width(),
            Expr::Sdiv(_, a) | Expr::Srem(_, a) => a.width(),
            Expr::Choice(_, a, _) => a.width(),
        }
    }

    pub fn term(&self, terms: &mut Terms, inputs: &Inputs) -> Term {
        let width = self.width();
        match self {
            Expr::Input(input, first, count) => inputs.word(terms, *input, *first, *count),
            Expr::Constant(width, value) => terms.bv(*width, *value),
            Expr::Extended { signed, width, of } => {
                let by = width - of.width();
                let of = of.term(terms, inputs);
                match signed {
                    true => terms.sign_extend(of, by),
                    false => terms.zero_extend(of, by),
                }
            }
            Expr::Low(width, of) => {
                let of = of.term(terms, inputs);
                terms.extract(of, width - 1, 0)
            }
            Expr::Add(a, b) | Expr::Sub(a, b) | Expr::Mul(a, b) => {
                let (x, y) = (a.term(terms, inputs), b.term(terms, inputs));
                match self {
                    Expr::Add(..) => terms.bv_add(x, y),
                    Expr::Sub(..) => terms.bv_sub(x, y),
                    _ => terms.bv_mul(x, y),
                }
            }
            Expr::Not(a) => {
                let a = a.term(terms, inputs);
                terms.bv_not(a)
            }
            Expr::And(value, a) | Expr::Or(value, a) | Expr::Xor(value, a) => {
                let (a, value) = (a.term(terms, inputs), terms.bv(width, *value));
                match self {
                    Expr::And(..) => terms.bv_and(a, value),
                    Expr::Or(..) => terms.bv_or(a, value),
                    _ => terms.bv_xor(a, value),
                }
            }
            Expr::Shl(by, a) | Expr::Lshr(by, a) | Expr::Ashr(by, a) => {
                let (a, by) = (a.term(terms, inputs), terms.bv(width, u64::from(*by)));
                match self {
                    Expr::Shl(..) => terms.bv_shl(a, by),
                    Expr::Lshr(..) => terms.bv_lshr(a, by),
                    _ => terms.bv_ashr(a, by),
                }
            }
            Expr::ShiftBy(a, by) => {
                let (a, by) = (a.term(terms, inputs), by.term(terms, inputs));
                let low = terms.extract(by, 2, 0);
                let low = terms.zero_extend(low, width - 3);
                terms.bv_ashr(a, low)
            }
            Expr::Udiv(value, a) | Expr::Urem(value, a) => {
                let (a, value) = (a.term(terms, inputs), terms.bv(width, *value));
                match self {
                    Expr::Udiv(..) => terms.bv_udiv(a, value),
                    _ => terms.bv_urem(a, value),
                }
            }
            Expr::Sdiv(value, a) | Expr::Srem(value, a) => {
                let (a, value) = (a.term(terms, inputs), terms.bv(width, *value as u64));
                match self {
                    Expr::Sdiv(..) => terms.bv_sdiv(a, value),
                    _ => terms.bv_srem(a, value),
                }
            }
            Expr::Choice(condition, a, b) => {
                let condition = condition.term(terms, inputs);
                let (a, b) = (a.term(terms, inputs), b.term(terms, inputs));
                terms.ite(condition, a, b)
            }
            Expr::Table(cells, at) => {
                let at = at.term(terms, inputs);
                let low = terms.extract(at, 2, 0);
                let zero = terms.bv(8, 0);
                let zeros = terms.const_array(3, zero);
                let cells = (0..).zip(cells);
                let cells = cells.map(|(i, &v)| (Bv::new(3, i), Bv::new(8, u64::from(v))));
                let table = terms.table(zeros, cells.collect());
                terms.select(table, low)
            }
            Expr::XorSign(a, sign) => {
                let (a, sign) = (a.term(terms, inputs), sign.term(terms, inputs));
                let by = terms.bv(width, u64::from(width - 1));
                let sign = terms.bv_ashr(sign, by);
                terms.bv_xor(a, sign)
            }
        }
    }

    /// The signed value on elements; `None` if something overflows on the way.
    pub fn value(&self, element: &dyn Fn(usize, u32) -> u64) -> Option<i128> {
        let width = self.width();
        let fits = |value: i128| (wrap(value, width) == value).then_some(value);
        let unsigned = |value: i128| value & ((1 << width) - 1);
        Some(match self {
            Expr::Input(input, first, count) => {
                let indices = (*first..first + count).rev();
                let joined = indices.fold(0, |high: i128, index| {
                    high << INPUTS[*input].1 | i128::from(element(*input, index))
                });
                wrap(joined, width)
            }
            Expr::Constant(width, value) => wrap(i128::from(*value), *width),
            Expr::Extended { signed, of, .. } => match signed {
                true => of.value(element)?,
                false => of.value(element)? & ((1 << of.width()) - 1),
            },
            Expr::Low(width, of) => {
                of.low(*width, element)?;
                wrap(of.value(element)?, *width)
            }
            Expr::Add(a, b) => fits(a.value(element)? + b.value(element)?)?,
            Expr::Sub(a, b) => fits(a.value(element)? - b.value(element)?)?,
            Expr::Mul(a, b) => fits(a.value(element)?.checked_mul(b.value(element)?)?)?,
            Expr::Not(a) => !a.value(element)?,
            Expr::And(value, a) => wrap(a.value(element)? & i128::from(*value), width),
            Expr::Or(value, a) => wrap(a.value(element)? | i128::from(*value), width),
            Expr::Xor(value, a) => wrap(a.value(element)? ^ i128::from(*value), width),
            Expr::Shl(by, a) => fits(a.value(element)? << by)?,
            Expr::Lshr(by, a) => wrap(unsigned(a.value(element)?) >> by, width),
            Expr::Ashr(by, a) => a.value(element)? >> by,
            Expr::ShiftBy(a, by) => a.value(element)? >> (by.value(element)? & 7),
            Expr::Udiv(value, a) => wrap(unsigned(a.value(element)?) / i128::from(*value), width),
            Expr::Urem(value, a) => wrap(unsigned(a.value(element)?) % i128::from(*value), width),
            Expr::Sdiv(value, a) => fits(a.value(element)? / i128::from(*value))?,
            Expr::Srem(value, a) => a.value(element)? % i128::from(*value),
            Expr::Choice(condition, a, b) => {
                let (a, b) = (a.value(element)?, b.value(element)?);
                if condition.holds(element)? { a } else { b }
            }
            Expr::Table(cells, at) => wrap(i128::from(cells[(at.value(element)? & 7) as usize]), 8),
            Expr::XorSign(a, sign) => match sign.value(element)? < 0 {
                true => !a.value(element)?,
                false => a.value(element)?,
            },
        })
    }
}

impl Expr {
    /// The low bits, calculated from the low bits of the operands: as the arena does it, which knows no overflow.
    /// `None` if that overflows.
    fn low(&self, width: u32, element: &dyn Fn(usize, u32) -> u64) -> Option<i128> {
        let fits = |value: i128| (wrap(value, width) == value).then_some(value);
        match self {
            Expr::Add(a, b) => fits(a.low(width, element)? + b.low(width, element)?),
            Expr::Sub(a, b) => fits(a.low(width, element)? - b.low(width, element)?),
            Expr::Mul(a, b) => fits(a.low(width, element)?.checked_mul(b.low(width, element)?)?),
            Expr::Shl(by, a) => fits(a.low(width, element)? << by),
            Expr::Not(a) => Some(!a.low(width, element)?),
            Expr::And(value, a) => Some(wrap(a.low(width, element)? & i128::from(*value), width)),
            Expr::Or(value, a) => Some(wrap(a.low(width, element)? | i128::from(*value), width)),
            Expr::Xor(value, a) => Some(wrap(a.low(width, element)? ^ i128::from(*value), width)),
            Expr::Low(_, of) => of.low(width, element),
            Expr::Extended { of, .. } if of.width() >= width => of.low(width, element),
            _ => Some(wrap(self.value(element)?, width)),
        }
    }
}

/// The low bits as a signed number.
pub fn wrap(value: i128, width: u32) -> i128 {
    value << (128 - width) >> (128 - width)
}

impl Cond {
    pub fn term(&self, terms: &mut Terms, inputs: &Inputs) -> Term {
        match self {
            Cond::Eq(a, b) | Cond::Ult(a, b) | Cond::Slt(a, b) => {
                let (a, b) = (a.term(terms, inputs), b.term(terms, inputs));
                match self {
                    Cond::Eq(..) => terms.eq(a, b),
                    Cond::Ult(..) => terms.bv_ult(a, b),
                    _ => terms.bv_slt(a, b),
                }
            }
            Cond::Not(of) => {
                let of = of.term(terms, inputs);
                terms.not(of)
            }
            Cond::And(a, b) | Cond::Or(a, b) | Cond::Iff(a, b) => {
                let (a, b) = (a.term(terms, inputs), b.term(terms, inputs));
                match self {
                    Cond::And(..) => terms.and2(a, b),
                    Cond::Or(..) => terms.or2(a, b),
                    _ => terms.eq(a, b),
                }
            }
        }
    }

    pub fn holds(&self, element: &dyn Fn(usize, u32) -> u64) -> Option<bool> {
        Some(match self {
            Cond::Eq(a, b) => a.value(element)? == b.value(element)?,
            Cond::Slt(a, b) => a.value(element)? < b.value(element)?,
            Cond::Ult(a, b) => {
                let mask = (1 << a.width()) - 1;
                a.value(element)? & mask < b.value(element)? & mask
            }
            Cond::Not(of) => !of.holds(element)?,
            Cond::And(a, b) => a.holds(element)? & b.holds(element)?,
            Cond::Or(a, b) => a.holds(element)? | b.holds(element)?,
            Cond::Iff(a, b) => a.holds(element)? == b.holds(element)?,
        })
    }
}

/// Makes random expressions.
pub struct Maker<'a> {
    pub rng: &'a mut Rng,
    /// Whether there are shifts to the left and multiplications, which are not told from masks if they have truncated
    /// operands.
    pub scales: bool,
}

impl Maker<'_> {
    fn leaf(&mut self, width: u32) -> Expr {
        if self.rng.below(4) == 0 {
            return Expr::Constant(width, self.rng.between(-20, 20) as u64 & mask(width));
        }
        loop {
            let input = self.rng.below(INPUTS.len() as u64) as usize;
            let (_, bits, length) = INPUTS[input];
            let count = width / bits;
            if width.is_multiple_of(bits) && length >= count {
                let first = match self.rng.below(3) {
                    0 => self.rng.below(u64::from(length - count + 1)) as u32,
                    _ => 0,
                };
                return Expr::Input(input, first, count);
            }
        }
    }

    pub fn expr(&mut self, width: u32, depth: u32) -> Expr {
        if depth == 0 {
            return self.leaf(width);
        }
        let sub = |maker: &mut Self| Box::new(maker.expr(width, depth - 1));
        let constant = match self.rng.below(3) {
            0 => self.rng.next() & mask(width),
            1 => (1u64 << self.rng.below(u64::from(width))) - self.rng.below(2),
            _ => self.rng.between(-9, 9) as u64 & mask(width),
        };
        match self.rng.below(24) {
            0..=2 if width > 8 => {
                let narrow = [8, 16, 32][self.rng.below(3) as usize];
                if narrow >= width {
                    return self.leaf(width);
                }
                Expr::Extended {
                    signed: self.rng.below(2) == 0,
                    width,
                    of: Box::new(self.expr(narrow, depth - 1)),
                }
            }
            3 if width < 64 => Expr::Low(width, Box::new(self.expr(2 * width, depth - 1))),
            4..=6 => Expr::Add(sub(self), sub(self)),
            7..=8 => Expr::Sub(sub(self), sub(self)),
            9 if self.scales => Expr::Mul(
                sub(self),
                Box::new(Expr::Constant(
                    width,
                    self.rng.between(-9, 9) as u64 & mask(width),
                )),
            ),
            10 if self.scales => Expr::Mul(sub(self), sub(self)),
            11 => Expr::Not(sub(self)),
            12 => Expr::And(constant, sub(self)),
            13 => Expr::Or(constant, sub(self)),
            14 => Expr::Xor(constant, sub(self)),
            15 if self.scales => Expr::Shl(self.rng.below(u64::from(width)) as u32 / 3, sub(self)),
            16 => Expr::Lshr(self.rng.below(u64::from(width)) as u32, sub(self)),
            17 => Expr::Ashr(self.rng.below(u64::from(width)) as u32, sub(self)),
            18 => Expr::Udiv(constant.max(1), sub(self)),
            19 => Expr::Urem(constant.max(1), sub(self)),
            20 | 21 => {
                let by = self.rng.between(1, 40) as i64;
                let by = if self.rng.below(3) == 0 { -by } else { by };
                match self.rng.below(2) {
                    0 => Expr::Sdiv(by, sub(self)),
                    _ => Expr::Srem(by, sub(self)),
                }
            }
            22 => {
                let condition = Box::new(self.cond(depth - 1));
                Expr::Choice(condition, sub(self), sub(self))
            }
            23 => match self.rng.below(3) {
                0 => Expr::ShiftBy(sub(self), sub(self)),
                1 => Expr::XorSign(sub(self), sub(self)),
                _ if width == 8 => {
                    let cells = self.rng.next().to_le_bytes().map(|cell| cell % 3);
                    Expr::Table(cells, sub(self))
                }
                _ => self.leaf(width),
            },
            _ => self.leaf(width),
        }
    }

    pub fn cond(&mut self, depth: u32) -> Cond {
        let width = [8, 16, 32, 32, 64][self.rng.below(5) as usize];
        let inner = depth.saturating_sub(1);
        match self.rng.below(12) {
            0..=2 => Cond::Eq(self.expr(width, depth), self.expr(width, inner)),
            3..=5 => Cond::Slt(self.expr(width, depth), self.expr(width, inner)),
            6..=7 => Cond::Ult(self.expr(width, depth), self.expr(width, inner)),
            8 if depth > 0 => Cond::And(Box::new(self.cond(inner)), Box::new(self.cond(inner))),
            9 if depth > 0 => Cond::Or(Box::new(self.cond(inner)), Box::new(self.cond(inner))),
            10 if depth > 0 => Cond::Iff(Box::new(self.cond(inner)), Box::new(self.cond(inner))),
            _ => Cond::Not(Box::new(Cond::Eq(self.leaf(width), self.leaf(width)))),
        }
    }
}

pub fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}
