//! How many of some formulas hold, or what those that hold weigh: z3's `at-most`, `at-least`, `pble`, `pbge`, `pbeq`.
//!
//! A bound becomes a decision diagram whose nodes are formulas and weights still allowed (Eén and Sörensson,
//! "Translating Pseudo-Boolean Constraints into SAT", JSAT 2006, section 5.3); where that is large, a sum of
//! bit-vectors (5.4).

use std::collections::BTreeMap;

use refrain_term::{Term, Terms};

use crate::builtin::{Builtin, formulas};

/// How a weight compares with its bound.
#[derive(Clone, Copy, Debug)]
pub enum Bound {
    AtMost,
    AtLeast,
    Exactly,
}

/// A diagram with more nodes than this is larger than what adds up weights.
const MAX_NODES: usize = 1 << 14;

/// The numerals of a bound: the first, and the weights of the formulas; all weigh one if there are none.
pub fn apply(
    terms: &mut Terms,
    builtin: &Builtin,
    bound: Bound,
    numerals: &[u64],
    args: &[Term],
) -> Result<Term, String> {
    formulas(terms, builtin, args, 1)?;
    let (&limit, weights) = numerals.split_first().expect("the reader demands one");
    if !weights.is_empty() && weights.len() != args.len() {
        return Err(format!(
            "'{}' has {} weights for {} formulas",
            builtin.name,
            weights.len(),
            args.len()
        ));
    }
    let weight = |place: usize| weights.get(place).copied().unwrap_or(1);
    let weighed = args.iter().enumerate();
    let mut weighed: Vec<(u64, Term)> = weighed.map(|(at, &arg)| (weight(at), arg)).collect();
    weighed.retain(|&(weight, _)| weight > 0);
    // Heavy ones first: then fewer sums are told apart.
    weighed.sort_by_key(|&(weight, _)| std::cmp::Reverse(weight));
    let limit = u128::from(limit);
    Ok(match bound {
        Bound::AtMost => at_most(terms, &weighed, limit),
        Bound::AtLeast => at_least(terms, &weighed, limit),
        Bound::Exactly => {
            let bounds = [
                at_most(terms, &weighed, limit),
                at_least(terms, &weighed, limit),
            ];
            terms.and(&bounds)
        }
    })
}

fn at_least(terms: &mut Terms, weighed: &[(u64, Term)], limit: u128) -> Term {
    match limit.checked_sub(1) {
        Some(below) => {
            let less = at_most(terms, weighed, below);
            terms.not(less)
        }
        None => Term::TRUE,
    }
}

fn at_most(terms: &mut Terms, weighed: &[(u64, Term)], limit: u128) -> Term {
    // What the formulas from each place on weigh together.
    let mut rest = vec![0u128; weighed.len() + 1];
    for (place, &(weight, _)) in weighed.iter().enumerate().rev() {
        rest[place] = rest[place + 1] + u128::from(weight);
    }
    if limit >= rest[0] {
        return Term::TRUE;
    }
    match diagram(terms, weighed, &rest, limit) {
        Some(formula) => formula,
        None => sum_at_most(terms, weighed, rest[0], limit),
    }
}

/// The diagram, unless it is large. Each layer has the weights that may be allowed from a place on, where that is not
/// settled.
fn diagram(terms: &mut Terms, weighed: &[(u64, Term)], rest: &[u128], limit: u128) -> Option<Term> {
    let mut layers: Vec<BTreeMap<u128, Term>> = vec![BTreeMap::from([(limit, Term::TRUE)])];
    let mut nodes = 1;
    for (place, &(weight, _)) in weighed.iter().enumerate() {
        let allowed = layers[place].keys();
        let next = allowed.flat_map(|&left| [Some(left), left.checked_sub(u128::from(weight))]);
        let open = next.flatten().filter(|&left| left < rest[place + 1]);
        let layer: BTreeMap<u128, Term> = open.map(|left| (left, Term::TRUE)).collect();
        nodes += layer.len();
        if nodes > MAX_NODES {
            return None;
        }
        layers.push(layer);
    }
    let mut after = layers.pop()?;
    for &(weight, formula) in weighed.iter().rev() {
        let mut layer = layers.pop()?;
        for (&left, node) in &mut layer {
            // More than all is allowed where the next layer has no node.
            let allowed = |left: u128| after.get(&left).copied().unwrap_or(Term::TRUE);
            let with = left
                .checked_sub(u128::from(weight))
                .map_or(Term::FALSE, allowed);
            let without = allowed(left);
            // What is allowed with the formula is so without it.
            let not = terms.not(formula);
            let with = terms.or(&[not, with]);
            *node = terms.and(&[without, with]);
        }
        after = layer;
    }
    after.get(&limit).copied()
}

/// By addition of bit-vectors that hold the total.
fn sum_at_most(terms: &mut Terms, weighed: &[(u64, Term)], total: u128, limit: u128) -> Term {
    let width = u128::BITS - total.leading_zeros();
    let zero = terms.bv(width, 0);
    let parts: Vec<Term> = weighed
        .iter()
        .map(|&(weight, formula)| {
            let weight = terms.bv(width, weight);
            terms.ite(formula, weight, zero)
        })
        .collect();
    let sum = terms.bv_sum(&parts);
    // A limit below the total may have more than 64 bits where there are many weights.
    let high = terms.bv(64, (limit >> 64) as u64);
    let low = terms.bv(64, limit as u64);
    let limit = terms.concat(high, low);
    let limit = terms.extract(limit, width - 1, 0);
    terms.bv_ule(sum, limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use refrain_term::{Assignment, Evaluator, Op, Sort, Value};

    #[test]
    fn both_ways_agree_with_arithmetic() {
        let mut terms = Terms::new();
        let formulas: Vec<Term> = (0..6)
            .map(|at| terms.var(&format!("p{at}"), Sort::Bool))
            .collect();
        let mut seed = 1u64;
        for _ in 0..100 {
            let weighed: Vec<(u64, Term)> = formulas
                .iter()
                .map(|&formula| {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (1 + (seed >> 33) % 9, formula)
                })
                .collect();
            let total: u128 = weighed.iter().map(|&(weight, _)| u128::from(weight)).sum();
            let limit = u128::from(seed >> 40) % total;
            let mut rest = vec![0; weighed.len() + 1];
            for place in (0..weighed.len()).rev() {
                rest[place] = rest[place + 1] + u128::from(weighed[place].0);
            }
            let by_diagram = diagram(&mut terms, &weighed, &rest, limit).expect("it is small");
            let by_sum = sum_at_most(&mut terms, &weighed, total, limit);
            for bits in 0..1 << formulas.len() {
                let holds = |place: usize| bits >> place & 1 == 1;
                let mut model = Assignment::new();
                let mut weight = 0;
                for (place, &(own, formula)) in weighed.iter().enumerate() {
                    let Op::Var(var) = terms.op(formula) else {
                        unreachable!("a symbol");
                    };
                    model.set(var, Value::Bool(holds(place)));
                    weight += if holds(place) { u128::from(own) } else { 0 };
                }
                let mut evaluator = Evaluator::new();
                for formula in [by_diagram, by_sum] {
                    assert_eq!(evaluator.bool(&terms, &model, formula), weight <= limit);
                }
            }
        }
    }
}
