//! Every constructor of integers and reals against its definition, on operands made to set off the rewriting rules.
//!
//! As for bit-vectors, terms are drawn from pools that feed on themselves, and the value of each new term is compared
//! with the operator's definition, here by big rationals. At the end every rule that the source names must have
//! applied, and every node of the arena must be in normal form.

mod common;

use std::collections::BTreeMap;

use common::*;
use dashu_int::IBig;
use dashu_ratio::RBig;
use refrain_term::{
    Assignment, Evaluator, FuncId, Op, Rational, Sort, Term, Terms, Value, VarId, eval, substitute,
};
use rustc_hash::FxHashMap;

/// The definitions.
mod definition {
    use super::*;

    pub fn integer(value: &RBig) -> IBig {
        assert!(value.is_int());
        value.numerator().clone()
    }

    /// The remainder that is not negative.
    pub fn modulo(a: &RBig, b: &RBig) -> RBig {
        let (a, b) = (integer(a), integer(b));
        let magnitude = if b < IBig::from(0) { -b } else { b };
        let remainder = a % &magnitude;
        RBig::from((remainder + &magnitude) % magnitude)
    }

    pub fn div(a: &RBig, b: &RBig) -> RBig {
        (a - modulo(a, b)) / b
    }
}

type Relation = (
    &'static str,
    fn(&mut Terms, Term, Term) -> Term,
    fn(&RBig, &RBig) -> bool,
);
const RELATIONS: &[Relation] = &[
    ("<=", Terms::le, |a, b| a <= b),
    ("<", Terms::lt, |a, b| a < b),
    (">=", Terms::ge, |a, b| a >= b),
    (">", Terms::gt, |a, b| a > b),
    ("=", Terms::eq, |a, b| a == b),
    (
        "distinct",
        |terms, a, b| terms.distinct(&[a, b]),
        |a, b| a != b,
    ),
];

const SORTS: [Sort; 2] = [Sort::Int, Sort::Real];
const POOL: usize = 48;
/// Symbols, and the sum of many: these stay in the pool.
const FIXED: usize = 4;
const ASSIGNMENTS: usize = 8;
/// Products of products become long; terms with longer values are not built upon.
const MOST_BITS: usize = 400;

struct Round {
    rng: Rng,
    terms: Terms,
    pools: BTreeMap<Sort, Vec<Term>>,
    lanes: Vec<(Assignment, Evaluator)>,
}

impl Round {
    fn new(seed: u64) -> Round {
        let mut rng = Rng::new(seed);
        let mut terms = Terms::new();
        let mut pools: BTreeMap<Sort, Vec<Term>> = BTreeMap::new();
        let mut vars: Vec<VarId> = Vec::new();
        let mut symbol = |terms: &mut Terms, name: &str, sort| {
            let term = terms.var(name, sort);
            vars.push(var_of(terms, term));
            term
        };
        for sort in [Sort::Int, Sort::Real, Sort::Bool] {
            let pool = pools.entry(sort).or_default();
            pool.extend((0..3).map(|number| symbol(&mut terms, &format!("v{number}"), sort)));
        }
        for sort in SORTS {
            // More addends than are flattened.
            let many: Vec<Term> = (0..70)
                .map(|number| symbol(&mut terms, &format!("w{number}"), sort))
                .collect();
            let sum = terms.sum(&many);
            pools.entry(sort).or_default().push(sum);
        }
        let flag = pools[&Sort::Bool][0];
        pools.entry(Sort::Bool).or_default().push(flag);
        let undefined: Vec<(FuncId, Sort)> = vec![
            by_zero(&mut terms, Sort::Int, Terms::div),
            by_zero(&mut terms, Sort::Int, Terms::modulo),
            by_zero(&mut terms, Sort::Real, Terms::div),
        ];
        let lanes = (0..ASSIGNMENTS)
            .map(|_| {
                let mut assignment = rng.assignment(&terms, &vars);
                for &(func, sort) in &undefined {
                    assignment.set_func(func, rng.func(&[sort], sort));
                }
                (assignment, Evaluator::new())
            })
            .collect();
        Round {
            rng,
            terms,
            pools,
            lanes,
        }
    }

    fn values(&mut self, term: Term) -> Vec<Value> {
        let terms = &self.terms;
        self.lanes
            .iter_mut()
            .map(|(assignment, evaluator)| evaluator.value(terms, assignment, term))
            .collect()
    }

    fn numbers(&mut self, term: Term) -> Vec<RBig> {
        let values = self.values(term);
        let number = |value: &Value| value.as_number().expect("a number").to_big();
        values.iter().map(number).collect()
    }

    fn bools(&mut self, term: Term) -> Vec<bool> {
        let values = self.values(term);
        values.iter().filter_map(Value::as_bool).collect()
    }

    /// Compares with the definition, and keeps the term as an operand for later.
    fn check(&mut self, what: &str, operands: &[Term], term: Term, wanted: &[Value]) {
        let found = self.values(term);
        if found != wanted {
            let text = |&term: &Term| refrain_term::print(&self.terms, term);
            let texts: Vec<String> = operands.iter().map(text).collect();
            let text = text(&term);
            panic!("{what} {texts:#?}\nbuilt as {text}\nis {found:?}\nnot {wanted:?}");
        }
        let length = |value: &Value| match value.as_number() {
            Some(number) => 64 * number.words().len(),
            None => 0,
        };
        if self.terms.is_value(term) || found.iter().any(|value| length(value) > MOST_BITS) {
            return;
        }
        let pool = self.pools.entry(self.terms.sort(term)).or_default();
        if pool.len() < POOL {
            pool.push(term);
        } else {
            let place = FIXED + self.rng.below(POOL - FIXED);
            pool[place] = term;
        }
    }

    fn check_numbers(
        &mut self,
        what: &str,
        operands: &[Term],
        term: Term,
        definition: impl Fn(&[&RBig]) -> RBig,
    ) {
        let sort = self.terms.sort(operands[0]);
        let columns: Vec<Vec<RBig>> = operands.iter().map(|&t| self.numbers(t)).collect();
        let lane = |lane: usize| {
            columns
                .iter()
                .map(|column| &column[lane])
                .collect::<Vec<_>>()
        };
        let wanted: Vec<Value> = (0..ASSIGNMENTS)
            .map(|at| Value::number(sort, Rational::from_big(definition(&lane(at)))))
            .collect();
        self.check(what, operands, term, &wanted);
    }

    fn number(&mut self, sort: Sort) -> Rational {
        let value = match self.rng.below(3) {
            0 => self.rng.value(sort),
            _ => Value::number(sort, Rational::from(self.rng.below(15) as i64 - 7)),
        };
        value.as_number().expect("a number").clone()
    }

    fn constant(&mut self, sort: Sort) -> Term {
        let value = self.number(sort);
        self.terms.number(sort, value)
    }

    fn operand(&mut self, sort: Sort) -> Term {
        match self.rng.below(10) {
            0..2 if sort != Sort::Bool => self.constant(sort),
            2..4 => {
                let place = self.rng.below(FIXED);
                self.pools[&sort][place]
            }
            _ => *self.rng.pick(&self.pools[&sort]),
        }
    }

    /// A second operand: often one that has to do with the first.
    fn partner(&mut self, a: Term) -> Term {
        let sort = self.terms.sort(a);
        match self.rng.below(10) {
            0 => a,
            1 => self.terms.neg(a),
            2 => {
                let constant = self.constant(sort);
                self.terms.add(a, constant)
            }
            3 => {
                let factor = self.number(sort);
                self.terms.num_scaled(&factor, a)
            }
            4 => {
                let other = self.operand(sort);
                self.terms.sub(a, other)
            }
            5..7 => {
                let same = |t: &Term| self.terms.sort(*t) == sort;
                let args = self.terms.args(a).iter().copied().filter(same);
                match args.collect::<Vec<_>>()[..] {
                    [] => self.operand(sort),
                    ref args => *self.rng.pick(args),
                }
            }
            _ => self.operand(sort),
        }
    }

    fn pair(&mut self, sort: Sort) -> (Term, Term) {
        let a = self.operand(sort);
        let b = self.partner(a);
        if self.rng.chance(50) { (a, b) } else { (b, a) }
    }

    fn step(&mut self) {
        let sort = *self.rng.pick(&SORTS);
        match self.rng.below(23) {
            20.. => self.conversion(),
            0..6 => self.sum_or_product(sort),
            6..10 => self.relation(sort),
            10..14 => self.division(sort),
            14 => self.absolute(sort),
            15 => self.divisibility(),
            16..18 => self.ite(sort),
            _ => self.substitution(),
        }
    }

    fn sum_or_product(&mut self, sort: Sort) {
        let (a, b) = self.pair(sort);
        match self.rng.below(6) {
            0 => {
                let term = self.terms.add(a, b);
                self.check_numbers("+", &[a, b], term, |x| x[0] + x[1]);
            }
            1 => {
                let term = self.terms.sub(a, b);
                self.check_numbers("-", &[a, b], term, |x| x[0] - x[1]);
            }
            2 => {
                let term = self.terms.neg(a);
                self.check_numbers("-", &[a], term, |x| -x[0]);
            }
            3 => {
                let operands = [a, b, self.operand(sort), self.operand(sort)];
                let term = self.terms.sum(&operands);
                self.check_numbers("+", &operands, term, |x| x[0] + x[1] + x[2] + x[3]);
            }
            4 => {
                let factor = self.number(sort);
                let term = self.terms.num_scaled(&factor, a);
                self.check_numbers("scaled", &[a], term, |x| x[0] * factor.to_big());
            }
            _ => {
                let term = self.terms.mul(a, b);
                self.check_numbers("*", &[a, b], term, |x| x[0] * x[1]);
            }
        }
    }

    fn relation(&mut self, sort: Sort) {
        let (mut a, mut b) = self.pair(sort);
        if self.rng.chance(30) {
            // A sum whose coefficients have a common factor, with a constant that may not.
            let factor = Rational::from(i64::from(self.rng.range(2, 6)));
            a = self.terms.num_scaled(&factor, a);
            b = self.constant(sort);
        }
        let (x, y) = (self.numbers(a), self.numbers(b));
        let &(name, build, holds) = self.rng.pick(RELATIONS);
        let term = build(&mut self.terms, a, b);
        let wanted: Vec<Value> = (0..ASSIGNMENTS)
            .map(|lane| Value::Bool(holds(&x[lane], &y[lane])))
            .collect();
        self.check(name, &[a, b], term, &wanted);
    }

    fn division(&mut self, sort: Sort) {
        let (a, mut b) = self.pair(sort);
        if self.rng.chance(50) {
            let small = Rational::from(self.rng.below(13) as i64 - 6);
            b = self.terms.number(sort, small);
        }
        let (name, build, define): Division = match sort {
            Sort::Real => ("/", Terms::div, |a, b| a / b),
            _ if self.rng.chance(50) => ("div", Terms::div, definition::div),
            _ => ("mod", Terms::modulo, definition::modulo),
        };
        // What division by zero gives is a function of the dividend, the same for all ways to come by the zero.
        let zero = self.terms.number(sort, Rational::ZERO);
        let undefined = build(&mut self.terms, a, zero);
        assert!(matches!(self.terms.op(undefined), Op::Apply(_)));
        let term = build(&mut self.terms, a, b);
        self.check_numbers(name, &[a, b, undefined], term, |x| {
            if *x[1] == RBig::ZERO {
                x[2].clone()
            } else {
                define(x[0], x[1])
            }
        });
    }

    fn absolute(&mut self, sort: Sort) {
        let a = self.operand(sort);
        let term = self.terms.abs(a);
        self.check_numbers("abs", &[a], term, |x| {
            if *x[0] < RBig::ZERO {
                -x[0]
            } else {
                x[0].clone()
            }
        });
    }

    fn divisibility(&mut self) {
        let a = self.operand(Sort::Int);
        let divisor = Rational::from(i64::from(self.rng.range(1, 6)));
        let term = self.terms.divisible(&divisor, a);
        let is_multiple = |x: RBig| definition::modulo(&x, &divisor.to_big()) == RBig::ZERO;
        let wanted: Vec<Value> = self
            .numbers(a)
            .into_iter()
            .map(|x| Value::Bool(is_multiple(x)))
            .collect();
        self.check("divisible", &[a], term, &wanted);
    }

    fn conversion(&mut self) {
        let sort = *self.rng.pick(&SORTS);
        let a = self.operand(sort);
        let value = |sort: Sort, number: RBig| Value::number(sort, Rational::from_big(number));
        let values = self.numbers(a).into_iter();
        if sort == Sort::Int {
            let wanted: Vec<Value> = values.map(|x| value(Sort::Real, x)).collect();
            let term = self.terms.to_real(a);
            self.check("to_real", &[a], term, &wanted);
            return;
        }
        let wanted: Vec<Value> = values
            .clone()
            .map(|x| value(Sort::Int, RBig::from(x.floor())))
            .collect();
        let term = self.terms.to_int(a);
        self.check("to_int", &[a], term, &wanted);
        let wanted: Vec<Value> = values.map(|x| Value::Bool(x.is_int())).collect();
        let term = self.terms.is_int(a);
        self.check("is_int", &[a], term, &wanted);
    }

    fn ite(&mut self, sort: Sort) {
        let condition = self.operand(Sort::Bool);
        let branch = |round: &mut Round| {
            if round.rng.chance(50) {
                round.constant(sort)
            } else {
                round.operand(sort)
            }
        };
        let (then, other) = (branch(self), branch(self));
        let term = self.terms.ite(condition, then, other);
        let (c, t, e) = (self.bools(condition), self.values(then), self.values(other));
        let wanted: Vec<Value> = (0..ASSIGNMENTS)
            .map(|lane| if c[lane] { &t[lane] } else { &e[lane] }.clone())
            .collect();
        self.check("ite", &[condition, then, other], term, &wanted);
        // Compared with a constant, one of its own often.
        let constant = match self.rng.below(3) {
            0 if self.terms.is_value(then) => then,
            1 if self.terms.is_value(other) => other,
            _ => self.constant(sort),
        };
        let (x, y) = (self.numbers(term), self.numbers(constant));
        let &(name, build, holds) = self.rng.pick(RELATIONS);
        let relation = build(&mut self.terms, term, constant);
        let wanted: Vec<Value> = (0..ASSIGNMENTS)
            .map(|lane| Value::Bool(holds(&x[lane], &y[lane])))
            .collect();
        self.check(name, &[term, constant], relation, &wanted);
    }

    /// Another term for a symbol: the value is that with the symbol's value changed.
    fn substitution(&mut self) {
        let sort = *self.rng.pick(&[Sort::Int, Sort::Real, Sort::Bool]);
        let term = self.operand(sort);
        let from_sort = *self.rng.pick(&SORTS);
        let from = self.pools[&from_sort][self.rng.below(3)];
        let to = match self.rng.below(3) {
            0 => self.terms.number(from_sort, Rational::ZERO),
            1 => self.constant(from_sort),
            _ => self.operand(from_sort),
        };
        let replaced = substitute(&mut self.terms, term, &FxHashMap::from_iter([(from, to)]));
        let values = self.values(to);
        let wanted: Vec<Value> = self
            .lanes
            .iter()
            .zip(values)
            .map(|((assignment, _), value)| {
                let mut changed = assignment.clone();
                changed.set(var_of(&self.terms, from), value);
                eval(&self.terms, term, &changed)
            })
            .collect();
        self.check("substitution", &[term, from, to], replaced, &wanted);
    }
}

type Division = (
    &'static str,
    fn(&mut Terms, Term, Term) -> Term,
    fn(&RBig, &RBig) -> RBig,
);

fn var_of(terms: &Terms, term: Term) -> VarId {
    match terms.op(term) {
        Op::Var(var) => var,
        op => panic!("{op:?} is no symbol"),
    }
}

/// The function that tells what an operator gives if the divisor is zero.
fn by_zero(
    terms: &mut Terms,
    sort: Sort,
    operator: fn(&mut Terms, Term, Term) -> Term,
) -> (FuncId, Sort) {
    let (one, zero) = (
        terms.number(sort, Rational::ONE),
        terms.number(sort, Rational::ZERO),
    );
    let undefined = operator(terms, one, zero);
    match terms.op(undefined) {
        Op::Apply(func) => (func, sort),
        op => panic!("{op:?} is no function"),
    }
}

/// A sum without a constant, of coprime integer coefficients, the first of them positive.
fn assert_normal_sum(terms: &Terms, sum: Term) {
    let (constant, monomials) = terms.linear_form(sum);
    assert!(constant.is_zero() && !monomials.is_empty());
    assert!(monomials[0].1.is_positive());
    let common = monomials
        .iter()
        .fold(Rational::ZERO, |common, (_, factor)| {
            assert!(factor.is_integer());
            common.gcd(factor)
        });
    assert!(common.is_one());
}

fn is_multiple(terms: &Terms, term: Term) -> bool {
    terms.op(term) == Op::Mul && terms.is_value(terms.arg(term, 0))
}

/// The normal form of every node.
fn assert_normal(terms: &Terms, term: Term) {
    let args = terms.args(term);
    match terms.op(term) {
        Op::Number(_) => {
            let value = terms.number_value(term).expect("a number");
            assert!(terms.sort(term) == Sort::Real || value.is_integer());
        }
        Op::Add => {
            assert!(args.len() >= 2);
            assert!(
                terms
                    .number_value(args[0])
                    .is_none_or(|value| !value.is_zero())
            );
            assert!(args[1..].iter().all(|&addend| !terms.is_value(addend)));
            let (_, monomials) = terms.linear_form(term);
            let key = |&(base, _): &(Term, Rational)| (terms.structural_hash(base), base);
            assert!(monomials.is_sorted_by(|a, b| key(a) < key(b)));
        }
        Op::Mul => {
            let factor = terms.number_value(args[0]);
            assert!(factor.is_none_or(|factor| !factor.is_zero() && !factor.is_one()));
            assert!(!terms.is_value(args[1]) && args.len() == 2);
            assert!(!args.iter().any(|&operand| is_multiple(terms, operand)));
        }
        Op::Div => match (terms.number_value(args[1]), terms.sort(term)) {
            (Some(divisor), Sort::Int) => assert!(*divisor > Rational::ONE),
            (divisor, _) => assert!(divisor.is_none()),
        },
        Op::Le | Op::Lt => {
            let sort = terms.sort(args[0]);
            assert!(terms.op(term) == Op::Le || sort == Sort::Real);
            assert!(terms.is_value(args[1]));
            assert_normal_sum(terms, args[0]);
        }
        Op::Eq if terms.sort(args[0]).is_number() => {
            assert!(terms.is_value(args[0]));
            assert_normal_sum(terms, args[1]);
        }
        _ => {}
    }
}

const SOURCES: &[&str] = &[
    include_str!("../src/build/number.rs"),
    include_str!("../src/build/order.rs"),
    include_str!("../src/build/quotient.rs"),
];

#[test]
fn every_rule_is_an_equivalence_and_every_rule_applies() {
    let rounds = refrain_testing::count("REFRAIN_RULE_ROUNDS", 100, 2000);
    let mut applied: BTreeMap<&'static str, u64> = BTreeMap::new();
    for seed in 0..rounds {
        let mut round = Round::new(seed);
        for _ in 0..500 {
            round.step();
        }
        for term in round.terms.iter() {
            assert_normal(&round.terms, term);
        }
        #[cfg(debug_assertions)]
        for (&rule, &count) in round.terms.rule_counts() {
            *applied.entry(rule).or_default() += count;
        }
    }
    if cfg!(debug_assertions) {
        let names = rule_names(SOURCES);
        assert!(names.len() > 15);
        assert_all_applied(&names, &applied);
    }
}
