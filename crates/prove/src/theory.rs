//! What a model of the clauses is in the theories. Bits have their values from the model; numbers get theirs from the
//! simplex; arrays and terms of declared sorts are told apart by the equations between them. Where this is no model of
//! the theories, instances of rules that say so are added.

use std::sync::Arc;

use dashu_ratio::RBig;
use refrain_proof::{Constraint, Ground, Linear, Literal, Op, Polynomial, Rule, Sort, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::equations;
use crate::search::{Limits, NotProved};
use crate::simplex::{Refutation, Simplex, Solution};

/// More branches on integers than this are a search without end.
const MAX_BRANCHES: usize = 3000;
/// Instances that one model adds at most.
pub const MAX_INSTANCES: usize = 400;

/// So many terms and equations are looked at as polynomials, at most.
const MAX_COMPARED: usize = 1000;

pub enum Judgement {
    /// Not a model; rules were added.
    Excluded,
    /// A model of all theories.
    Model,
    /// Not decided: what there is no rule for.
    Gap(String),
    Limit,
}

/// Formulas about numbers that hold, or do not, and what that says.
pub type Demanded = Vec<(Literal, Arc<Constraint>)>;

/// Values of bits under a model.
pub type Bits<'a> = dyn Fn(i32) -> bool + 'a;

#[derive(Default)]
pub struct Theory {
    rules: Vec<Rule>,
    /// What has been applied, as it is written.
    applied: FxHashSet<String>,
    /// Terms of the problem, as far as they matter.
    met: FxHashSet<Term>,
    /// How much of the encoder's order has been met.
    seen: usize,
    /// Formulas about numbers.
    constraints: Vec<Term>,
    /// Equations between terms without bits.
    pub equations: Vec<Term>,
    /// Applications by function, and others whose result is free.
    applications: FxHashMap<Op, Vec<Term>>,
    pub reads: Vec<Term>,
    pub arrays: Vec<Term>,
    /// Sums and products of bit-vectors, the first with each polynomial.
    polynomials: FxHashMap<(Sort, Polynomial), Term>,
    /// How many terms and equations were looked at as polynomials.
    compared: usize,
    simplex: Simplex,
    branches: usize,
    /// What formulas about numbers say, by whether they hold.
    known: FxHashMap<(Term, bool), Option<Arc<Constraint>>>,
    /// The formulas about numbers that were assigned when the simplex was last asked.
    last_asked: Vec<Option<bool>>,
    looks: u64,
    /// Something that no rule is about.
    gap: Option<String>,
}

/// The value of a term under a model: terms of one sort are equal if these are.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Value {
    Bits(Vec<bool>),
    Number(RBig),
    /// The first of the terms that it is equal to.
    Class(Term),
}

/// A model of the clauses, in the theories.
pub struct Model<'a> {
    pub bits: &'a Bits<'a>,
    pub numbers: Solution,
    classes: FxHashMap<Term, Term>,
}

impl Model<'_> {
    pub fn value(&self, ground: &Ground, term: Term) -> Value {
        match ground.terms.sort(term) {
            Sort::Bool | Sort::BitVec(_) => {
                let code = ground.encoder.known(term).unwrap_or_default();
                Value::Bits(code.iter().map(|&lit| (self.bits)(lit)).collect())
            }
            Sort::Int | Sort::Real => {
                Value::Number(self.numbers.value(&Linear::of(&ground.terms, term)))
            }
            _ => Value::Class(self.class(term)),
        }
    }

    fn class(&self, term: Term) -> Term {
        let mut term = term;
        while let Some(&above) = self.classes.get(&term) {
            term = above;
        }
        term
    }

    pub fn holds(&self, ground: &Ground, formula: Term) -> bool {
        ground.lit(formula).is_some_and(|lit| (self.bits)(lit))
    }
}

impl Theory {
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    pub fn has_numbers(&self) -> bool {
        !self.constraints.is_empty()
    }

    /// Applies a rule, once; whether this is the first time.
    pub fn apply(&mut self, ground: &mut Ground, rule: Rule) -> Result<bool, NotProved> {
        let mut key = String::new();
        refrain_proof::text::write_rule(&mut key, &rule);
        if !self.applied.insert(key) {
            return Ok(false);
        }
        ground.apply(&rule)?;
        self.rules.push(rule);
        Ok(true)
    }

    /// Meets the terms that the encoding has come to be about, and applies the rules that define them.
    pub fn meet_new_terms(&mut self, ground: &mut Ground) -> Result<(), NotProved> {
        while self.seen < ground.encoder.order().len() {
            let mut stack = vec![ground.encoder.order()[self.seen]];
            self.seen += 1;
            while let Some(term) = stack.pop() {
                if self.met.insert(term) {
                    stack.extend_from_slice(ground.terms.args(term));
                    self.meet(ground, term)?;
                }
            }
        }
        Ok(())
    }

    fn meet(&mut self, ground: &mut Ground, term: Term) -> Result<(), NotProved> {
        let node = ground.terms.node(term);
        let (op, args, sort) = (node.op.clone(), node.args.to_vec(), node.sort.clone());
        match &op {
            Op::Le | Op::Lt => self.constraints.push(term),
            Op::Eq => match ground.terms.sort(args[0]) {
                Sort::Int | Sort::Real => self.constraints.push(term),
                Sort::BitVec(_) => self.compare(ground, args[0], args[1])?,
                sort if sort.has_bits() => {}
                _ => self.equations.push(term),
            },
            Op::Ite if !sort.has_bits() => self.define(ground, term)?,
            Op::Apply(_) => self.apply_to(ground, op, term, &args)?,
            Op::Select => {
                self.reads.push(term);
                self.encode(ground, term)?;
                self.encode(ground, args[1])?;
            }
            Op::Store => {
                self.define(ground, term)?;
                self.encode(ground, args[1])?;
                self.encode(ground, args[2])?;
            }
            Op::ConstArray => self.encode(ground, args[0])?,
            Op::BvMul | Op::BvAdd | Op::BvSub | Op::BvNeg if self.compared < MAX_COMPARED => {
                self.compared += 1;
                let polynomial = Polynomial::of(&ground.terms, term);
                if polynomial.has_products() {
                    let key = (sort.clone(), polynomial);
                    let first = *self.polynomials.entry(key).or_insert(term);
                    if first != term {
                        self.apply(ground, Rule::Ring(first, term))?;
                    }
                }
            }
            Op::Natural => {
                self.encode(ground, args[0])?;
                self.define(ground, term)?;
            }
            Op::Abs | Op::ToInt | Op::OfInt => self.define(ground, term)?,
            Op::Div | Op::Mod => match ground.terms.number_value(args[1]) {
                Some(by) if *by != RBig::ZERO => self.define(ground, term)?,
                Some(_) => self.apply_to(ground, op, term, &args)?,
                None => self.nonlinear(ground, op, term, &args)?,
            },
            Op::Quotient => match ground.terms.number_value(args[1]) {
                Some(by) if *by != RBig::ZERO => {}
                Some(_) => self.apply_to(ground, op, term, &args)?,
                None => self.nonlinear(ground, op, term, &args)?,
            },
            Op::Mul
                if !args
                    .iter()
                    .any(|&arg| ground.terms.number_value(arg).is_some()) =>
            {
                self.nonlinear(ground, op, term, &args)?;
            }
            _ => {}
        }
        if matches!(sort, Sort::Array(_)) {
            self.arrays.push(term);
        }
        Ok(())
    }

    /// What polynomials say of an equation between bit-vectors, where there are products in it.
    fn compare(&mut self, ground: &mut Ground, a: Term, b: Term) -> Result<(), NotProved> {
        let is_sum =
            |term: Term| matches!(ground.terms.op(term), Op::BvMul | Op::BvAdd | Op::BvSub);
        if !is_sum(a) && !is_sum(b) || self.compared >= MAX_COMPARED {
            return Ok(());
        }
        self.compared += 1;
        let (left, right) = (
            Polynomial::of(&ground.terms, a),
            Polynomial::of(&ground.terms, b),
        );
        if left.is_equal(&right).is_some() {
            self.apply(ground, Rule::Ring(a, b))?;
        }
        Ok(())
    }

    fn define(&mut self, ground: &mut Ground, term: Term) -> Result<(), NotProved> {
        match self.apply(ground, Rule::Define(term)) {
            // What is too wide stays free.
            Err(NotProved::Internal(why)) => self.gap = Some(why),
            other => drop(other?),
        }
        Ok(())
    }

    fn nonlinear(
        &mut self,
        ground: &mut Ground,
        op: Op,
        term: Term,
        args: &[Term],
    ) -> Result<(), NotProved> {
        self.gap = Some("arithmetic that is not linear is not covered".into());
        self.apply_to(ground, op, term, args)
    }

    /// A term whose result is free, but the same for the same arguments.
    fn apply_to(
        &mut self,
        ground: &mut Ground,
        op: Op,
        term: Term,
        args: &[Term],
    ) -> Result<(), NotProved> {
        self.encode(ground, term)?;
        for &arg in args {
            self.encode(ground, arg)?;
        }
        self.applications.entry(op).or_default().push(term);
        Ok(())
    }

    fn encode(&mut self, ground: &mut Ground, term: Term) -> Result<(), NotProved> {
        if ground.terms.sort(term).has_bits() && ground.encoder.known(term).is_none() {
            self.apply(ground, Rule::Encode(term))?;
        }
        Ok(())
    }

    /// Looks at a model of the clauses; adds rules that exclude it if it is none of the theories.
    pub fn judge(
        &mut self,
        ground: &mut Ground,
        bits: &Bits,
        limits: &Limits,
    ) -> Result<Judgement, NotProved> {
        let demanded = self.demanded(ground, &|lit| Some(bits(lit)));
        let numbers = match self.solve_numbers(ground, &demanded, limits)? {
            Ok(numbers) => numbers,
            Err(judgement) => return Ok(judgement),
        };
        let mut model = Model {
            bits,
            numbers,
            classes: FxHashMap::default(),
        };
        self.join_classes(ground, &mut model);
        let before = self.rules.len();
        self.check_equations(ground, &model)?;
        if self.rules.len() == before {
            self.check_applications(ground, &model)?;
            self.check_arrays(ground, &model)?;
        }
        if self.rules.len() > before {
            return Ok(Judgement::Excluded);
        }
        if let Some(integer) = fraction(ground, &model.numbers) {
            let refuted = equations::refute(&ground.terms, &demanded);
            if let Some(rule) = refuted
                && self.apply(ground, rule)?
            {
                return Ok(Judgement::Excluded);
            }
            if self.branches < MAX_BRANCHES {
                self.branches += 1;
                let at = model.numbers.0[&integer].floor();
                self.apply(ground, Rule::Branch { integer, at })?;
                return Ok(Judgement::Excluded);
            }
        }
        if self.branches >= MAX_BRANCHES {
            return Ok(Judgement::Limit);
        }
        Ok(match &self.gap {
            Some(what) => Judgement::Gap(what.clone()),
            None => Judgement::Model,
        })
    }

    // Numbers.

    /// The constraints that hold, or whose negations do.
    fn demanded(&mut self, ground: &Ground, value: &dyn Fn(i32) -> Option<bool>) -> Demanded {
        let mut demanded = Demanded::new();
        for &formula in &self.constraints {
            let Some(holds) = ground.lit(formula).and_then(value) else {
                continue;
            };
            let constraint = self
                .known
                .entry((formula, holds))
                .or_insert_with(|| Constraint::of(&ground.terms, formula, holds).map(Arc::new));
            if let Some(constraint) = constraint {
                demanded.push((Literal { formula, holds }, constraint.clone()));
            }
        }
        demanded
    }

    /// Looks at a part of a model; a rule says what cannot hold already.
    pub fn look(
        &mut self,
        ground: &mut Ground,
        value: &dyn Fn(i32) -> Option<bool>,
        limits: &Limits,
    ) -> Result<(), NotProved> {
        let assigned = self.constraints.iter();
        let assigned: Vec<Option<bool>> = assigned
            .map(|&formula| ground.lit(formula).and_then(value))
            .collect();
        if assigned != self.last_asked {
            self.last_asked = assigned;
            let demanded = self.demanded(ground, value);
            let found = self.solve_numbers(ground, &demanded, limits)?;
            self.looks += 1;
            // Seldom: it is much work, and most is known from the first equations.
            if self.looks.is_power_of_two()
                && found.is_ok_and(|numbers| fraction(ground, &numbers).is_some())
                && let Some(rule) = equations::refute(&ground.terms, &demanded)
            {
                self.apply(ground, rule)?;
            }
        }
        Ok(())
    }

    /// Numbers that satisfy the constraints. Otherwise a rule says which cannot hold together.
    fn solve_numbers(
        &mut self,
        ground: &mut Ground,
        demanded: &Demanded,
        limits: &Limits,
    ) -> Result<Result<Solution, Judgement>, NotProved> {
        self.simplex.forget_bounds();
        let mut refutation = None;
        for (place, (_, constraint)) in demanded.iter().enumerate() {
            if let Err(found) = self.simplex.demand(constraint, place) {
                refutation = Some(found);
                break;
            }
        }
        if refutation.is_none() {
            let mut count = 0u32;
            let goes_on = || {
                count += 1;
                !count.is_multiple_of(64) || !limits.is_reached()
            };
            match self.simplex.solve(goes_on) {
                Ok(true) => return Ok(Ok(self.simplex.solution())),
                Ok(false) => return Ok(Err(Judgement::Limit)),
                Err(found) => refutation = Some(found),
            }
        }
        let refutation: Refutation = refutation.unwrap_or_default();
        let literals = refutation
            .iter()
            .map(|&(place, _)| demanded[place].0.negated());
        let factors = refutation.iter().enumerate();
        let combination = factors
            .map(|(place, (_, factor))| (place, factor.clone()))
            .collect();
        let rule = Rule::Linear {
            literals: literals.collect(),
            combinations: vec![combination],
        };
        match self.apply(ground, rule)? {
            true => Ok(Err(Judgement::Excluded)),
            false => Err(NotProved::Internal("a constraint is violated again".into())),
        }
    }

    // Equations.

    /// Joins terms without bits that equations make equal.
    fn join_classes(&self, ground: &Ground, model: &mut Model) {
        for &equation in &self.equations {
            if model.holds(ground, equation) {
                let &[a, b] = ground.terms.args(equation) else {
                    continue;
                };
                let (a, b) = (model.class(a), model.class(b));
                if a != b {
                    model.classes.insert(a.max(b), a.min(b));
                }
            }
        }
    }

    fn check_equations(&mut self, ground: &mut Ground, model: &Model) -> Result<(), NotProved> {
        let mut links: Option<FxHashMap<Term, Vec<Term>>> = None;
        for equation in self.equations.clone() {
            let &[a, b] = ground.terms.args(equation) else {
                continue;
            };
            if a == b || model.holds(ground, equation) {
                continue;
            }
            if model.class(a) == model.class(b) {
                let links = links.get_or_insert_with(|| self.links(ground, model));
                if let Some(chain) = chain(links, a, b) {
                    self.apply(ground, Rule::Transitivity(chain))?;
                }
            } else if matches!(ground.terms.sort(a), Sort::Array(_)) {
                self.apply(ground, Rule::Extensionality(a, b))?;
            }
        }
        for formula in self.constraints.clone() {
            if *ground.terms.op(formula) != Op::Eq || model.holds(ground, formula) {
                continue;
            }
            let &[a, b] = ground.terms.args(formula) else {
                continue;
            };
            if ground.lit(formula).is_some() && model.value(ground, a) == model.value(ground, b) {
                self.apply(ground, Rule::Trichotomy(a, b))?;
            }
        }
        Ok(())
    }

    /// What each term is equal to by an equation that holds.
    fn links(&self, ground: &Ground, model: &Model) -> FxHashMap<Term, Vec<Term>> {
        let mut links: FxHashMap<Term, Vec<Term>> = FxHashMap::default();
        for &equation in &self.equations {
            if let &[a, b] = ground.terms.args(equation)
                && model.holds(ground, equation)
            {
                links.entry(a).or_default().push(b);
                links.entry(b).or_default().push(a);
            }
        }
        links
    }

    /// The same function of the same arguments is the same.
    fn check_applications(&mut self, ground: &mut Ground, model: &Model) -> Result<(), NotProved> {
        let mut wrong = Vec::new();
        for applications in self.applications.values() {
            let mut first: FxHashMap<Vec<Value>, Term> = FxHashMap::default();
            for &term in applications {
                let args = ground.terms.args(term).iter();
                let args: Vec<Value> = args.map(|&arg| model.value(ground, arg)).collect();
                let known = *first.entry(args).or_insert(term);
                if known != term && model.value(ground, known) != model.value(ground, term) {
                    wrong.push((known, term));
                }
            }
        }
        wrong.sort_unstable();
        wrong.truncate(MAX_INSTANCES);
        for (a, b) in wrong {
            self.apply(ground, Rule::Congruence(a, b))?;
        }
        Ok(())
    }
}

/// An integer that has a fraction.
fn fraction(ground: &Ground, numbers: &Solution) -> Option<Term> {
    let whole = |term: &Term| *ground.terms.sort(*term) == Sort::Int;
    let mut values = numbers.0.iter();
    let found = values.find(|(term, value)| whole(term) && !value.is_int());
    found.map(|(&term, _)| term)
}

/// The shortest way from one term to another.
fn chain(links: &FxHashMap<Term, Vec<Term>>, from: Term, to: Term) -> Option<Vec<Term>> {
    let mut before: FxHashMap<Term, Term> = FxHashMap::default();
    let mut queue = std::collections::VecDeque::from([to]);
    while let Some(term) = queue.pop_front() {
        if term == from {
            let mut chain = vec![from];
            let mut at = from;
            while at != to {
                at = before[&at];
                chain.push(at);
            }
            return Some(chain);
        }
        for &next in links.get(&term).into_iter().flatten() {
            if next != to && !before.contains_key(&next) {
                before.insert(next, term);
                queue.push_back(next);
            }
        }
    }
    None
}
