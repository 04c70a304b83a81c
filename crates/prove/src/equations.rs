//! Equations between integers that have no solution, though they have one in the rationals. Columns are combined until
//! each row has one entry that those before it have not (Hermite's normal form); then the unknowns follow one after the
//! other, and the first that is a fraction gives a combination of the equations whose factors are whole and whose
//! constant is not.

use std::collections::BTreeMap;

use dashu_int::IBig;
use dashu_int::ops::{Abs, DivRemEuclid};
use dashu_ratio::RBig;
use refrain_proof::{Combination, Constraint, Literal, Relation, Rule, Sort, Term, Terms};

use crate::theory::Demanded;

/// More equations, and more unknowns, are not looked at.
const MAX_ROWS: usize = 150;
const MAX_COLUMNS: usize = 300;

/// An equation: one constraint, or two that are opposite.
struct Equation<'a> {
    sum: &'a Constraint,
    /// The places of what says that the sum is at most zero, and at least.
    most: usize,
    least: usize,
}

/// The rule by which integer equations among the constraints cannot hold together, if there is one.
pub fn refute(terms: &Terms, demanded: &Demanded) -> Option<Rule> {
    let equations = equations(terms, demanded);
    let factors = fractional_combination(&equations)?;
    let mut literals: Vec<Literal> = Vec::new();
    let mut places: BTreeMap<usize, usize> = BTreeMap::new();
    let mut place_of = |place: usize| {
        *places.entry(place).or_insert_with(|| {
            literals.push(demanded[place].0.negated());
            literals.len() - 1
        })
    };
    // The combination is at most zero, rounded; it is at least zero, rounded; that is a contradiction.
    let mut sides: [Combination; 2] = Default::default();
    for (equation, factor) in equations.iter().zip(factors) {
        if factor == RBig::ZERO {
            continue;
        }
        for (side, factor) in sides.iter_mut().zip([factor.clone(), -factor]) {
            let is_one = equation.most == equation.least;
            side.push(match is_one || factor > RBig::ZERO {
                true => (place_of(equation.most), factor),
                false => (place_of(equation.least), -factor),
            });
        }
    }
    let first = literals.len();
    let [most, least] = sides;
    let both = vec![(first, RBig::ONE), (first + 1, RBig::ONE)];
    Some(Rule::Linear {
        literals,
        combinations: vec![most, least, both],
    })
}

/// The equations between integers.
fn equations<'a>(terms: &Terms, demanded: &'a Demanded) -> Vec<Equation<'a>> {
    let mut found = Vec::new();
    let mut inequalities: BTreeMap<Vec<(Term, &RBig)>, usize> = BTreeMap::new();
    for (place, (_, constraint)) in demanded.iter().enumerate() {
        let parts = &constraint.sum.parts;
        if parts.is_empty() || !parts.keys().all(|&term| *terms.sort(term) == Sort::Int) {
            continue;
        }
        match constraint.relation {
            Relation::Equal => found.push(Equation {
                sum: constraint,
                most: place,
                least: place,
            }),
            Relation::AtMost => {
                let key = parts.iter().map(|(&term, factor)| (term, factor)).collect();
                let known = *inequalities.entry(key).or_insert(place);
                if demanded[known].1.sum.constant < constraint.sum.constant {
                    let key = parts.iter().map(|(&term, factor)| (term, factor)).collect();
                    inequalities.insert(key, place);
                }
            }
            Relation::Below => {}
        }
    }
    let negated: Vec<(Vec<(Term, RBig)>, usize)> = { inequalities.iter() }
        .map(|(key, &place)| {
            (
                key.iter().map(|(term, factor)| (*term, -*factor)).collect(),
                place,
            )
        })
        .collect();
    for (key, least) in negated {
        let key: Vec<(Term, &RBig)> = key.iter().map(|(term, factor)| (*term, factor)).collect();
        if let Some(&most) = inequalities.get(&key)
            && most < least
            && -&demanded[least].1.sum.constant == demanded[most].1.sum.constant
        {
            found.push(Equation {
                sum: &demanded[most].1,
                most,
                least,
            });
        }
    }
    found
}

/// Factors of the equations, such that the sum has whole factors and a constant that is not whole.
fn fractional_combination(equations: &[Equation]) -> Option<Vec<RBig>> {
    let mut columns: BTreeMap<Term, usize> = BTreeMap::new();
    for equation in equations {
        for &term in equation.sum.sum.parts.keys() {
            let next = columns.len();
            columns.entry(term).or_insert(next);
        }
    }
    if equations.len() > MAX_ROWS || columns.len() > MAX_COLUMNS {
        return None;
    }
    let mut rows: Vec<Vec<IBig>> = Vec::with_capacity(equations.len());
    for equation in equations {
        let mut row = vec![IBig::ZERO; columns.len()];
        for (term, factor) in &equation.sum.sum.parts {
            // Constraints of integers have whole factors.
            row[columns[term]] = factor.numerator().clone();
        }
        rows.push(row);
    }
    let mut is_pivot = vec![false; columns.len()];
    // Rows with a pivot, its column, and the value of the unknown there.
    let mut solved: Vec<(usize, usize, IBig)> = Vec::new();
    for at in 0..rows.len() {
        let column = reduce(&mut rows, at, &is_pivot);
        let mut rest = -equations[at].sum.sum.constant.numerator().clone();
        for (_, column, value) in &solved {
            rest -= &rows[at][*column] * value;
        }
        let Some(column) = column else {
            continue;
        };
        let (value, fraction) = rest.div_rem_euclid(&rows[at][column]);
        is_pivot[column] = true;
        solved.push((at, column, value));
        if fraction != Default::default() {
            return Some(solution(&rows, &solved));
        }
    }
    None
}

/// Combines the columns that are no pivots until the row has at most one entry in them; its column.
fn reduce(rows: &mut [Vec<IBig>], at: usize, is_pivot: &[bool]) -> Option<usize> {
    loop {
        let row = &rows[at];
        let entries =
            (0..row.len()).filter(|&column| !is_pivot[column] && row[column] != IBig::ZERO);
        let least = entries
            .clone()
            .min_by_key(|&column| row[column].clone().abs())?;
        let others: Vec<usize> = entries.filter(|&column| column != least).collect();
        if others.is_empty() {
            return Some(least);
        }
        for column in others {
            let times = &rows[at][column] / &rows[at][least];
            for row in &mut rows[at..] {
                let part = &row[least] * &times;
                row[column] -= part;
            }
        }
    }
}

/// The factors by which the last unknown that was solved is a combination of the equations.
fn solution(rows: &[Vec<IBig>], solved: &[(usize, usize, IBig)]) -> Vec<RBig> {
    let mut factors = vec![RBig::ZERO; rows.len()];
    for (place, (at, column, _)) in solved.iter().enumerate().rev() {
        let pivot = RBig::from(rows[*at][*column].clone());
        let mut sum = if place + 1 == solved.len() {
            RBig::ONE
        } else {
            RBig::ZERO
        };
        for (later, _, _) in &solved[place + 1..] {
            sum -= &factors[*later] * RBig::from(rows[*later][*column].clone());
        }
        factors[*at] = sum / pivot;
    }
    factors
}
