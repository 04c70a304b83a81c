//! Linear constraints over the rationals, exactly (Dutertre and de Moura, "A Fast Linear-Arithmetic Solver for
//! DPLL(T)", CAV 2006). A bound below or above another by less than any rational is one with an infinitesimal part. What
//! cannot hold comes with the multiples of the constraints whose sum is a contradiction.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::{Add, Mul, Sub};

use dashu_ratio::RBig;
use refrain_proof::{Constraint, Linear, Relation, Term};
use rustc_hash::FxHashMap;

/// A rational and a multiple of an infinitesimal.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Value(RBig, RBig);

impl Add<&Value> for &Value {
    type Output = Value;

    fn add(self, other: &Value) -> Value {
        Value(&self.0 + &other.0, &self.1 + &other.1)
    }
}

impl Sub<&Value> for &Value {
    type Output = Value;

    fn sub(self, other: &Value) -> Value {
        Value(&self.0 - &other.0, &self.1 - &other.1)
    }
}

impl Mul<&RBig> for &Value {
    type Output = Value;

    fn mul(self, factor: &RBig) -> Value {
        Value(&self.0 * factor, &self.1 * factor)
    }
}

/// A limit to a variable, and the constraint it is from, by its place and the leading factor of its sum.
#[derive(Clone)]
struct Bound {
    value: Value,
    place: usize,
    lead: RBig,
}

type Var = usize;
type Row = BTreeMap<Var, RBig>;

/// The constraints that cannot hold together, by their places, and by what they are multiplied.
pub type Refutation = Vec<(usize, RBig)>;

#[derive(Default)]
pub struct Simplex {
    /// What each variable is: a term, or a sum of others.
    terms: FxHashMap<Term, Var>,
    sums: FxHashMap<Vec<(Term, RBig)>, Var>,
    /// Basic variables, by the others.
    rows: BTreeMap<Var, Row>,
    values: Vec<Value>,
    lower: Vec<Option<Bound>>,
    upper: Vec<Option<Bound>>,
    pub pivots: u64,
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Lower,
    Upper,
}

impl Simplex {
    fn new_var(&mut self, value: Value) -> Var {
        self.values.push(value);
        self.lower.push(None);
        self.upper.push(None);
        self.values.len() - 1
    }

    fn var_of(&mut self, term: Term) -> Var {
        if let Some(&var) = self.terms.get(&term) {
            return var;
        }
        let var = self.new_var(Value(RBig::ZERO, RBig::ZERO));
        self.terms.insert(term, var);
        var
    }

    /// The variable that is a sum whose first factor is 1.
    fn var_of_sum(&mut self, parts: Vec<(Term, RBig)>) -> Var {
        if let [(term, _)] = parts[..] {
            return self.var_of(term);
        }
        if let Some(&var) = self.sums.get(&parts) {
            return var;
        }
        let mut row = Row::new();
        let mut value = Value(RBig::ZERO, RBig::ZERO);
        for (term, factor) in &parts {
            let part = self.var_of(*term);
            value = &value + &(&self.values[part] * factor);
            match self.rows.get(&part) {
                Some(basic) => {
                    let basic = basic.clone();
                    add_multiple(&mut row, &basic, factor);
                }
                None => add_multiple(&mut row, &Row::from([(part, RBig::ONE)]), factor),
            }
        }
        let var = self.new_var(value);
        self.rows.insert(var, row);
        self.sums.insert(parts, var);
        var
    }

    /// Takes all bounds back.
    pub fn forget_bounds(&mut self) {
        self.lower.fill(None);
        self.upper.fill(None);
    }

    /// Demands a constraint, known by its place.
    pub fn demand(&mut self, constraint: &Constraint, place: usize) -> Result<(), Refutation> {
        let sum = &constraint.sum;
        let Some((_, lead)) = sum.parts.first_key_value() else {
            return match constraint.is_contradiction() {
                true => Err(vec![(place, RBig::ONE)]),
                false => Ok(()),
            };
        };
        let lead = lead.clone();
        let parts = sum
            .parts
            .iter()
            .map(|(&term, factor)| (term, factor / &lead));
        let var = self.var_of_sum(parts.collect());
        let limit = -&sum.constant / &lead;
        // `lead * var + constant` is at most zero.
        let is_upper = lead > RBig::ZERO;
        let below = match (constraint.relation, is_upper) {
            (Relation::Below, true) => RBig::NEG_ONE,
            (Relation::Below, false) => RBig::ONE,
            _ => RBig::ZERO,
        };
        let bound = Bound {
            value: Value(limit, below),
            place,
            lead,
        };
        match constraint.relation {
            Relation::Equal => {
                self.bound(var, bound.clone(), Side::Upper)?;
                self.bound(var, bound, Side::Lower)
            }
            _ if is_upper => self.bound(var, bound, Side::Upper),
            _ => self.bound(var, bound, Side::Lower),
        }
    }

    fn bound(&mut self, var: Var, bound: Bound, side: Side) -> Result<(), Refutation> {
        let (own, other) = match side {
            Side::Lower => (&mut self.lower[var], &self.upper[var]),
            Side::Upper => (&mut self.upper[var], &self.lower[var]),
        };
        let tightens = |than: &Bound| match side {
            Side::Lower => bound.value > than.value,
            Side::Upper => bound.value < than.value,
        };
        if own.as_ref().is_some_and(|own| !tightens(own)) {
            return Ok(());
        }
        if let Some(other) = other
            && match side {
                Side::Lower => bound.value > other.value,
                Side::Upper => bound.value < other.value,
            }
        {
            let (low, high) = match side {
                Side::Lower => (&bound, other),
                Side::Upper => (other, &bound),
            };
            let mut sum = Sum::default();
            sum.add(low, Side::Lower, &RBig::ONE);
            sum.add(high, Side::Upper, &RBig::ONE);
            return Err(sum.done());
        }
        let value = bound.value.clone();
        *own = Some(bound);
        let outside = match side {
            Side::Lower => self.values[var] < value,
            Side::Upper => self.values[var] > value,
        };
        if outside && !self.rows.contains_key(&var) {
            self.move_to(var, value);
        }
        Ok(())
    }

    /// Gives a variable that is not basic another value.
    fn move_to(&mut self, var: Var, value: Value) {
        let change = &value - &self.values[var];
        self.values[var] = value;
        for (&basic, row) in &self.rows {
            if let Some(factor) = row.get(&var) {
                self.values[basic] = &self.values[basic] + &(&change * factor);
            }
        }
    }

    /// Looks for values within all bounds.
    pub fn solve(&mut self, mut goes_on: impl FnMut() -> bool) -> Result<bool, Refutation> {
        loop {
            // The first variable that is out of its bounds: Bland's rule, by which this ends.
            let violated = self.rows.keys().copied().find_map(|var| {
                let value = &self.values[var];
                if self.lower[var]
                    .as_ref()
                    .is_some_and(|low| *value < low.value)
                {
                    Some((var, Side::Lower))
                } else if self.upper[var]
                    .as_ref()
                    .is_some_and(|high| *value > high.value)
                {
                    Some((var, Side::Upper))
                } else {
                    None
                }
            });
            let Some((basic, side)) = violated else {
                return Ok(true);
            };
            if !goes_on() {
                return Ok(false);
            }
            let row = &self.rows[&basic];
            let entering = row.iter().find(|&(&var, factor)| {
                let up = (side == Side::Lower) == (*factor > RBig::ZERO);
                match up {
                    true => self.has_room(var, Side::Upper),
                    false => self.has_room(var, Side::Lower),
                }
            });
            let Some((&entering, _)) = entering else {
                return Err(self.explain(basic, side));
            };
            self.pivot(basic, entering, side);
        }
    }

    fn has_room(&self, var: Var, side: Side) -> bool {
        match side {
            Side::Lower => self.lower[var]
                .as_ref()
                .is_none_or(|low| self.values[var] > low.value),
            Side::Upper => self.upper[var]
                .as_ref()
                .is_none_or(|high| self.values[var] < high.value),
        }
    }

    /// Brings a basic variable to its bound, and another into the basis in its place.
    fn pivot(&mut self, basic: Var, entering: Var, side: Side) {
        self.pivots += 1;
        let target = match side {
            Side::Lower => &self.lower[basic],
            Side::Upper => &self.upper[basic],
        };
        let target = target
            .as_ref()
            .expect("a bound that is violated")
            .value
            .clone();
        let mut row = self.rows.remove(&basic).expect("a basic variable");
        let factor = row.remove(&entering).expect("a part of its row");
        let change = &(&target - &self.values[basic]) * &(RBig::ONE / &factor);
        // entering = basic / factor - rest / factor
        let mut solved = Row::from([(basic, RBig::ONE / &factor)]);
        add_multiple(&mut solved, &row, &(RBig::NEG_ONE / &factor));
        self.values[basic] = target;
        self.values[entering] = &self.values[entering] + &change;
        for (&other, row) in &mut self.rows {
            if let Some(factor) = row.remove(&entering) {
                self.values[other] = &self.values[other] + &(&change * &factor);
                add_multiple(row, &solved, &factor);
            }
        }
        self.rows.insert(entering, solved);
    }

    /// Why a basic variable cannot be brought within its bound.
    fn explain(&self, basic: Var, side: Side) -> Refutation {
        let mut sum = Sum::default();
        let bound = |var: Var, side: Side| {
            let bound = match side {
                Side::Lower => &self.lower[var],
                Side::Upper => &self.upper[var],
            };
            bound.as_ref().expect("a bound without room")
        };
        sum.add(bound(basic, side), side, &RBig::ONE);
        for (&var, factor) in &self.rows[&basic] {
            let up = (side == Side::Lower) == (*factor > RBig::ZERO);
            let side = if up { Side::Upper } else { Side::Lower };
            let size = if *factor < RBig::ZERO {
                -factor
            } else {
                factor.clone()
            };
            sum.add(bound(var, side), side, &size);
        }
        sum.done()
    }

    /// An infinitesimal that is small enough for all bounds to hold.
    fn infinitesimal(&self) -> RBig {
        let mut small = RBig::ONE;
        for var in 0..self.values.len() {
            let value = &self.values[var];
            let mut within = |low: &Value, high: &Value| {
                if low.0.cmp(&high.0) == Ordering::Less && low.1 > high.1 {
                    let most = (&high.0 - &low.0) / (&low.1 - &high.1);
                    if most < small {
                        small = most;
                    }
                }
            };
            if let Some(low) = &self.lower[var] {
                within(&low.value, value);
            }
            if let Some(high) = &self.upper[var] {
                within(value, &high.value);
            }
        }
        small
    }

    /// The values of the terms.
    pub fn solution(&self) -> Solution {
        let small = self.infinitesimal();
        let values = self.terms.iter().map(|(&term, &var)| {
            let value = &self.values[var];
            (term, &value.0 + &value.1 * &small)
        });
        Solution(values.collect())
    }
}

/// Numbers for terms; 0 for all others.
#[derive(Default)]
pub struct Solution(pub BTreeMap<Term, RBig>);

impl Solution {
    pub fn value(&self, sum: &Linear) -> RBig {
        let mut value = sum.constant.clone();
        for (term, factor) in &sum.parts {
            if let Some(part) = self.0.get(term) {
                value += part * factor;
            }
        }
        value
    }
}

fn add_multiple(row: &mut Row, other: &Row, factor: &RBig) {
    for (&var, part) in other {
        let sum = row.entry(var).or_insert(RBig::ZERO);
        *sum += part * factor;
        if *sum == RBig::ZERO {
            row.remove(&var);
        }
    }
}

/// A sum of multiples of constraints.
#[derive(Default)]
struct Sum(BTreeMap<usize, RBig>);

impl Sum {
    /// Adds a multiple of what a bound says, as an inequality to zero.
    fn add(&mut self, bound: &Bound, side: Side, factor: &RBig) {
        let factor = match side {
            Side::Upper => factor / &bound.lead,
            Side::Lower => -(factor / &bound.lead),
        };
        *self.0.entry(bound.place).or_insert(RBig::ZERO) += factor;
    }

    fn done(self) -> Refutation {
        let parts = self.0.into_iter();
        parts.filter(|(_, factor)| *factor != RBig::ZERO).collect()
    }
}
