//! What holds in the theories. A rule is an instance of a scheme; the clauses that it stands for are made here, never
//! taken from a proof. So nothing has to be believed but this file, `encode`, `linear` and `lrat`.

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use crate::builtin::MAX_WIDTH;
use crate::encode::Encoder;
use crate::error::Fault;
use crate::gates::Lit;
use crate::linear::{Combination, Constraint, refute};
use crate::ring::Polynomial;
use crate::terms::{Op, Sort, Term, Terms};

/// The widest bit-vector whose number is written as a sum.
const MAX_SUM: u32 = 1 << 10;

/// A formula, or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Literal {
    pub formula: Term,
    pub holds: bool,
}

impl Literal {
    pub fn negated(self) -> Literal {
        Literal {
            holds: !self.holds,
            ..self
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rule {
    /// A constant bit-vector is a term from here on.
    Bits { width: u32, value: UBig },
    /// An element of an array is a term from here on.
    Read { array: Term, index: Term },
    /// A formula or a bit-vector has bits from here on.
    Encode(Term),
    /// What the operator of a term means, for those that are defined by others: see [`Ground::define`].
    Define(Term),
    /// `i = j`, or the store reads at `j` as the array below it does.
    Row { store: Term, index: Term },
    /// A constant array reads as its element.
    Const { array: Term, index: Term },
    /// Two arrays are equal, or differ at their difference.
    Extensionality(Term, Term),
    /// Applications of one operator to arguments that are equal are equal.
    Congruence(Term, Term),
    /// Each equal to the next: the first is equal to the last.
    Transitivity(Vec<Term>),
    /// Two bit-vectors are the same polynomial, and equal, or one is the other plus a constant, and they differ.
    Ring(Term, Term),
    /// Two numbers are equal, or one is below the other.
    Trichotomy(Term, Term),
    /// An integer is at most a number, or at least the next.
    Branch { integer: Term, at: IBig },
    /// The negations of these cannot hold together, as combinations of them show.
    Linear {
        literals: Vec<Literal>,
        combinations: Vec<Combination>,
    },
}

/// The terms of a problem and their encoding, as far as a proof has come.
pub struct Ground {
    pub terms: Terms,
    pub encoder: Encoder,
}

impl Ground {
    pub fn new(terms: Terms) -> Ground {
        Ground {
            terms,
            encoder: Encoder::default(),
        }
    }

    /// Adds the clause of an assertion.
    pub fn assert(&mut self, formula: Term) -> Result<(), Fault> {
        let lit = self.encoder.lit(&self.terms, formula)?;
        self.encoder.gates.clauses.push(&[lit]);
        Ok(())
    }

    fn clause(&mut self, literals: &[(Term, bool)]) -> Result<(), Fault> {
        let mut clause = Vec::with_capacity(literals.len());
        for &(formula, holds) in literals {
            let lit = self.encoder.lit(&self.terms, formula)?;
            clause.push(if holds { lit } else { -lit });
        }
        self.encoder.gates.clauses.push(&clause);
        Ok(())
    }

    /// The literal of a formula that has been encoded.
    pub fn lit(&self, formula: Term) -> Option<Lit> {
        self.encoder.known(formula).map(|code| code[0])
    }

    /// Adds the clauses of a rule.
    pub fn apply(&mut self, rule: &Rule) -> Result<(), Fault> {
        match rule {
            Rule::Bits { width, value } => {
                let wide = !(1..=MAX_WIDTH).contains(&u64::from(*width));
                if wide || value.clone() >> *width as usize != UBig::ZERO {
                    return Err(Fault::wrong("a number that does not fit in its width"));
                }
                self.terms.bits(*width, value.clone());
                Ok(())
            }
            &Rule::Read { array, index } => {
                self.demand_index(array, index)?;
                self.terms.select(array, index);
                Ok(())
            }
            &Rule::Encode(term) => self.encoder.bits(&self.terms, term).map(|_| ()),
            &Rule::Define(term) => self.define(term),
            &Rule::Row { store, index } => {
                let &[array, place, _] = self.arguments(store, &Op::Store)?;
                self.demand_index(array, index)?;
                let same = self.terms.eq(place, index);
                let (above, below) = (
                    self.terms.select(store, index),
                    self.terms.select(array, index),
                );
                let equal = self.terms.eq(above, below);
                self.clause(&[(same, true), (equal, true)])
            }
            &Rule::Const { array, index } => {
                let &[element] = self.arguments(array, &Op::ConstArray)?;
                self.demand_index(array, index)?;
                let read = self.terms.select(array, index);
                let equal = self.terms.eq(read, element);
                self.clause(&[(equal, true)])
            }
            &Rule::Extensionality(a, b) => {
                let Sort::Array(sorts) = self.terms.sort(a).clone() else {
                    return Err(Fault::wrong("an array is needed"));
                };
                self.demand_same_sort(a, b)?;
                let index = self.terms.make(Op::Difference, &[a, b], sorts.0.clone());
                let (left, right) = (self.terms.select(a, index), self.terms.select(b, index));
                let same = self.terms.eq(a, b);
                let equal = self.terms.eq(left, right);
                self.clause(&[(same, true), (equal, false)])
            }
            &Rule::Congruence(a, b) => self.congruence(a, b),
            Rule::Transitivity(chain) => self.transitivity(chain),
            &Rule::Ring(a, b) => {
                self.demand_same_sort(a, b)?;
                if self.terms.width(a) == 0 {
                    return Err(Fault::wrong("a bit-vector is needed"));
                }
                let (left, right) = (
                    Polynomial::of(&self.terms, a),
                    Polynomial::of(&self.terms, b),
                );
                let different = || Fault::wrong("the polynomials are different");
                let holds = left.is_equal(&right).ok_or_else(different)?;
                let equal = self.terms.eq(a, b);
                self.clause(&[(equal, holds)])
            }
            &Rule::Trichotomy(a, b) => {
                self.demand_same_sort(a, b)?;
                if !self.terms.sort(a).is_number() {
                    return Err(Fault::wrong("a number is needed"));
                }
                let same = self.terms.eq(a, b);
                let (less, more) = (self.terms.le(a, b), self.terms.le(b, a));
                self.clause(&[(same, true), (less, false), (more, false)])
            }
            Rule::Branch { integer, at } => {
                if *self.terms.sort(*integer) != Sort::Int {
                    return Err(Fault::wrong("an integer is needed"));
                }
                let (low, high) = (
                    self.terms.integer(at.clone()),
                    self.terms.integer(at + IBig::ONE),
                );
                let (below, above) = (self.terms.le(*integer, low), self.terms.le(high, *integer));
                self.clause(&[(below, true), (above, true)])
            }
            Rule::Linear {
                literals,
                combinations,
            } => {
                let mut constraints = Vec::with_capacity(literals.len());
                for literal in literals {
                    let constraint = Constraint::of(&self.terms, literal.formula, !literal.holds);
                    let wrong = || Fault::wrong("a literal that is no linear constraint");
                    constraints.push(constraint.ok_or_else(wrong)?);
                }
                refute(&self.terms, constraints, combinations)?;
                let clause: Vec<(Term, bool)> = { literals.iter() }
                    .map(|literal| (literal.formula, literal.holds))
                    .collect();
                self.clause(&clause)
            }
        }
    }

    fn congruence(&mut self, a: Term, b: Term) -> Result<(), Fault> {
        let (left, right) = (self.terms.node(a), self.terms.node(b));
        let alike = left.op == right.op
            && left.sort == right.sort
            && left.args.len() == right.args.len()
            && { left.args.iter().zip(&right.args) }
                .all(|(&a, &b)| self.terms.sort(a) == self.terms.sort(b));
        if !alike {
            return Err(Fault::wrong("two applications of one operator are needed"));
        }
        let pairs: Vec<(Term, Term)> = { left.args.iter().copied() }
            .zip(right.args.iter().copied())
            .filter(|(a, b)| a != b)
            .collect();
        let mut clause = Vec::with_capacity(pairs.len() + 1);
        for (a, b) in pairs {
            clause.push((self.terms.eq(a, b), false));
        }
        clause.push((self.terms.eq(a, b), true));
        self.clause(&clause)
    }

    fn transitivity(&mut self, chain: &[Term]) -> Result<(), Fault> {
        let &[first, .., last] = chain else {
            return Err(Fault::wrong("two terms or more are needed"));
        };
        let mut clause = Vec::with_capacity(chain.len());
        for pair in chain.windows(2) {
            self.demand_same_sort(pair[0], pair[1])?;
            clause.push((self.terms.eq(pair[0], pair[1]), false));
        }
        clause.push((self.terms.eq(first, last), true));
        self.clause(&clause)
    }

    /// The operators that are defined by others:
    ///
    /// * `(ite c a b)` without bits: `c` and it is `a`, or not `c` and it is `b`; for numbers, what that says of it
    ///   whatever `c` is: see `choice_of_numbers`;
    /// * `(store a i v)`: reads as `v` at `i`;
    /// * `(div x k)` and `(mod x k)` for a number `k` other than 0: `k q <= x < k q + |k|`, and `x - k q`;
    /// * `(abs x)`; `(to_int x)`: `n <= x < n + 1`;
    /// * the number of a bit-vector: the sum of its bits; the bits of an integer: their number is the integer modulo a
    ///   power of two.
    fn define(&mut self, term: Term) -> Result<(), Fault> {
        let node = self.terms.node(term);
        let (op, args, sort) = (node.op.clone(), node.args.to_vec(), node.sort.clone());
        match (op, &args[..]) {
            (Op::Ite, &[condition, yes, no]) => {
                let (is_yes, is_no) = (self.terms.eq(term, yes), self.terms.eq(term, no));
                self.clause(&[(condition, false), (is_yes, true)])?;
                self.clause(&[(condition, true), (is_no, true)])?;
                match sort.is_number() {
                    true => self.choice_of_numbers(term, condition, [yes, no]),
                    false => Ok(()),
                }
            }
            (Op::Store, &[_, index, element]) => {
                let read = self.terms.select(term, index);
                let equal = self.terms.eq(read, element);
                self.clause(&[(equal, true)])
            }
            (Op::Div, &[x, by]) => {
                let by = self.divisor(by)?;
                let size = if by < IBig::ZERO {
                    -by.clone()
                } else {
                    by.clone()
                };
                let multiple = self.terms.times(by.into(), term);
                let next = self.terms.integer(size);
                let next = self.terms.add(&[multiple, next]);
                let (low, high) = (self.terms.le(multiple, x), self.terms.lt(x, next));
                self.clause(&[(low, true)])?;
                self.clause(&[(high, true)])
            }
            (Op::Mod, &[x, by]) => {
                let quotient = self.terms.make(Op::Div, &[x, by], Sort::Int);
                let by = self.divisor(by)?;
                let multiple = self.terms.times((-by).into(), quotient);
                let rest = self.terms.add(&[x, multiple]);
                let equal = self.terms.eq(term, rest);
                self.clause(&[(equal, true)])
            }
            (Op::Abs, &[x]) => {
                let zero = self.terms.number(sort, RBig::ZERO);
                let negative = self.terms.lt(x, zero);
                let minus = self.terms.times(RBig::NEG_ONE, x);
                let (as_it_is, negated) = (self.terms.eq(term, x), self.terms.eq(term, minus));
                self.clause(&[(negative, true), (as_it_is, true)])?;
                self.clause(&[(negative, false), (negated, true)])?;
                let (above, below) = (self.terms.le(x, term), self.terms.le(minus, term));
                self.clause(&[(above, true)])?;
                self.clause(&[(below, true)])
            }
            (Op::ToInt, &[x]) => {
                let floor = self.terms.make(Op::ToReal, &[term], Sort::Real);
                let one = self.terms.number(Sort::Real, RBig::ONE);
                let next = self.terms.add(&[floor, one]);
                let (low, high) = (self.terms.le(floor, x), self.terms.lt(x, next));
                self.clause(&[(low, true)])?;
                self.clause(&[(high, true)])
            }
            (Op::Natural, &[bits]) => {
                if self.terms.width(bits) > MAX_SUM {
                    return Err(Fault::wrong("a bit-vector that is too wide to be a sum"));
                }
                let (zero, set) = (
                    self.terms.integer(IBig::ZERO),
                    self.terms.bits(1, UBig::ONE),
                );
                let mut parts = vec![zero];
                for place in 0..self.terms.width(bits) {
                    let bit = self
                        .terms
                        .make(Op::Extract(place), &[bits], Sort::BitVec(1));
                    let is_set = self.terms.eq(bit, set);
                    let power = self.terms.integer(IBig::ONE << place as usize);
                    parts.push(self.terms.ite(is_set, power, zero));
                }
                let sum = self.terms.add(&parts);
                let equal = self.terms.eq(term, sum);
                self.clause(&[(equal, true)])
            }
            (Op::OfInt, &[x]) => {
                let number = self.terms.make(Op::Natural, &[term], Sort::Int);
                let power = IBig::ONE << self.terms.width(term) as usize;
                let power = self.terms.integer(power);
                let rest = self.terms.make(Op::Mod, &[x, power], Sort::Int);
                let equal = self.terms.eq(number, rest);
                self.clause(&[(equal, true)])
            }
            _ => Err(Fault::wrong("a term that is not defined by others")),
        }
    }

    /// What holds of a choice between numbers before its condition is decided. Of 1 and 0 it is between them; of two
    /// other numerals it is the sum of one of them and a multiple of a choice of 1 and 0; the greater of two numbers is
    /// at least both, the lesser at most.
    fn choice_of_numbers(
        &mut self,
        term: Term,
        condition: Term,
        choices: [Term; 2],
    ) -> Result<(), Fault> {
        let [yes, no] = choices;
        let values = choices.map(|choice| self.terms.number_value(choice).cloned());
        if let [Some(yes), Some(no)] = values {
            let sort = self.terms.sort(term).clone();
            let (zero, one) = (
                self.terms.integer(IBig::ZERO),
                self.terms.integer(IBig::ONE),
            );
            if sort == Sort::Int && yes == RBig::ONE && no == RBig::ZERO {
                let (low, high) = (self.terms.le(zero, term), self.terms.le(term, one));
                self.clause(&[(low, true)])?;
                return self.clause(&[(high, true)]);
            }
            let unit = self.terms.ite(condition, one, zero);
            let unit = match sort {
                Sort::Real => self.terms.make(Op::ToReal, &[unit], Sort::Real),
                _ => unit,
            };
            let multiple = self.terms.times(yes - &no, unit);
            let base = self.terms.number(sort, no);
            let sum = self.terms.add(&[base, multiple]);
            let equal = self.terms.eq(term, sum);
            return self.clause(&[(equal, true)]);
        }
        let compared = match (self.terms.op(condition), self.terms.args(condition)) {
            (Op::Le | Op::Lt, &[a, b]) if [a, b] == [yes, no] => false,
            (Op::Le | Op::Lt, &[a, b]) if [b, a] == [yes, no] => true,
            _ => return Ok(()),
        };
        for choice in choices {
            let bound = match compared {
                true => self.terms.le(choice, term),
                false => self.terms.le(term, choice),
            };
            self.clause(&[(bound, true)])?;
        }
        Ok(())
    }

    /// The value of an integer other than 0.
    fn divisor(&self, term: Term) -> Result<IBig, Fault> {
        match self.terms.number_value(term) {
            Some(value) if *value != RBig::ZERO && value.is_int() => Ok(value.numerator().clone()),
            _ => Err(Fault::wrong("the divisor must be a number other than 0")),
        }
    }

    fn arguments<const N: usize>(&self, term: Term, op: &Op) -> Result<&[Term; N], Fault> {
        let args = self.terms.args(term);
        match self.terms.op(term) == op {
            true => args
                .try_into()
                .map_err(|_| Fault::wrong("other arguments are needed")),
            false => Err(Fault::wrong("a term with another operator is needed")),
        }
    }

    fn demand_index(&self, array: Term, index: Term) -> Result<(), Fault> {
        match self.terms.sort(array) {
            Sort::Array(sorts) if sorts.0 == *self.terms.sort(index) => Ok(()),
            _ => Err(Fault::wrong("an index of the array is needed")),
        }
    }

    fn demand_same_sort(&self, a: Term, b: Term) -> Result<(), Fault> {
        match self.terms.sort(a) == self.terms.sort(b) {
            true => Ok(()),
            false => Err(Fault::wrong("terms of one sort are needed")),
        }
    }
}
