//! Functions of a small value: terms that depend on nothing but one term with few values.
//!
//! The digits of a number below 100 may come from a table, by comparisons or by a division: whatever it is, there are
//! no more than 100 values to look at. Here those functions of one value that a sum has are added up for each of
//! its values. Where the result is a multiple of the value, the functions are gone: `10 * tens(d) + ones(d)` is `d`.

use std::rc::Rc;

use refrain_term::{Assignment, Batch, Op, Sort, Substitution, Term, Terms};
use rustc_hash::FxHashMap;

use super::context::Context;
use super::polynomial::{Atoms, Meaning, Polynomial};
use crate::native::enumerate::all_evaluations;

/// A value that is one of so many, side by side, is small.
const FEW: u64 = 1 << 10;

/// As many values that a term depends on are told apart.
const MOST_VALUES: usize = 6;

/// What a term depends on.
#[derive(Clone, Debug)]
enum Cut {
    Nothing,
    /// On each of these alone, terms with few values; each depends on the one before it.
    Values(Rc<[Term]>),
    More,
}

/// What terms depend on, and the values of those that depend on little.
#[derive(Default)]
pub struct Functions {
    cuts: FxHashMap<Term, Cut>,
    columns: FxHashMap<(Term, Term), Option<Rc<[u64]>>>,
}

impl Functions {
    /// The terms with few values that a term depends on, each alone, the innermost first.
    pub fn cuts(&mut self, terms: &Terms, context: &Context, root: Term) -> Rc<[Term]> {
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            if self.cuts.contains_key(&term) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let open = |operand: &&Term| !self.cuts.contains_key(operand);
            stack.extend(terms.args(term).iter().filter(open));
            if stack.len() == before {
                stack.pop();
                let cut = self.compute(terms, context, term);
                self.cuts.insert(term, cut);
            }
        }
        match &self.cuts[&root] {
            Cut::Values(values) => values.clone(),
            _ => Rc::from([]),
        }
    }

    fn compute(&self, terms: &Terms, context: &Context, term: Term) -> Cut {
        let mut cut = match terms.op(term) {
            Op::Var(_) | Op::Apply(_) => Cut::More,
            _ => Cut::Nothing,
        };
        for operand in terms.args(term) {
            cut = match (cut, &self.cuts[operand]) {
                (Cut::Nothing, other) => other.clone(),
                (one, Cut::Nothing) => one,
                (Cut::Values(one), Cut::Values(other)) => {
                    let both = one.iter().filter(|value| other.contains(value));
                    match both.copied().collect::<Rc<[Term]>>() {
                        both if both.is_empty() => Cut::More,
                        both => Cut::Values(both),
                    }
                }
                _ => Cut::More,
            };
        }
        let is_word = matches!(terms.sort(term), Sort::BitVec(width) if width <= 64);
        let bounds = is_word.then(|| context.bounds(terms, term));
        let is_small = bounds.is_some_and(|bounds| bounds.max - bounds.min < FEW);
        // What is cut out of a value is a value of its own.
        let is_part = matches!(terms.op(term), Op::BvUdiv | Op::BvUrem | Op::Extract { .. });
        match cut {
            Cut::More if is_small => Cut::Values(Rc::from([term])),
            Cut::Values(values) if is_small && is_part && values.len() < MOST_VALUES => {
                Cut::Values(values.iter().copied().chain([term]).collect())
            }
            cut => cut,
        }
    }

    /// The values of a term for all those of the one it depends on, in ascending order.
    pub fn column(
        &mut self,
        terms: &mut Terms,
        context: &mut Context,
        term: Term,
        cut: Term,
    ) -> Option<Rc<[u64]>> {
        if let Some(column) = self.columns.get(&(term, cut)) {
            return column.clone();
        }
        let bounds = context.bounds(terms, cut);
        let is_word = matches!(terms.sort(term), Sort::BitVec(width) if width <= 64);
        // Evaluations side by side are so much faster than steps.
        let values = bounds.max - bounds.min + 1;
        let steps = all_evaluations(terms, &[term]).saturating_mul(values) >> 8;
        let column = (is_word && context.spend(steps as usize)).then(|| {
            let name = format!(r"\\value {}", bounds.width);
            let value = terms.var(&name, Sort::BitVec(bounds.width));
            let function = Substitution::new([(cut, value)]).apply(terms, term);
            let Op::Var(value) = terms.op(value) else {
                unreachable!("a symbol")
            };
            let values: Vec<u64> = (bounds.min..=bounds.max).collect();
            let mut batch = Batch::new(values.len(), Assignment::new());
            batch.set_bv(value, values);
            Rc::from(batch.values(terms, function))
        });
        self.columns.insert((term, cut), column.clone());
        column
    }

    /// The functions of one value that a polynomial has; by the innermost value, with all that they share.
    fn grouped(
        &mut self,
        terms: &Terms,
        context: &Context,
        atoms: &Atoms,
        polynomial: &Polynomial,
    ) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for (place, (factors, coefficient)) in polynomial.monomials.iter().enumerate() {
            let [atom] = factors[..] else { continue };
            let Meaning::Term(term) = *atoms.meaning(atom) else {
                continue;
            };
            let cuts = self.cuts(terms, context, term);
            let Some(innermost) = cuts.first() else {
                continue;
            };
            let member = (term, *coefficient, place);
            match groups
                .iter_mut()
                .find(|group| group.cuts.first() == Some(innermost))
            {
                Some(group) => {
                    group.cuts.retain(|cut| cuts.contains(cut));
                    group.members.push(member);
                }
                None => groups.push(Group {
                    cuts: cuts.to_vec(),
                    members: vec![member],
                }),
            }
        }
        groups.retain(|group| {
            let mut members = group.members.iter();
            members.any(|(term, ..)| !group.cuts.contains(term))
        });
        groups
    }

    /// Sums of functions of one value that are multiples of it, beside a constant, in a polynomial. Modulo a number,
    /// or as integers.
    pub fn multiples(
        &mut self,
        terms: &mut Terms,
        context: &mut Context,
        atoms: &Atoms,
        polynomial: &Polynomial,
        modulus: Option<i128>,
    ) -> Option<Vec<Multiple>> {
        let mut multiples = Vec::new();
        for group in self.grouped(terms, context, atoms, polynomial) {
            for &cut in group.cuts.iter().rev() {
                let found = self.multiple(terms, context, &group.members, cut, modulus)?;
                if let Some((factor, constant)) = found {
                    multiples.push(Multiple {
                        of: cut,
                        places: group.members.iter().map(|&(.., place)| place).collect(),
                        factor,
                        constant,
                    });
                    break;
                }
            }
        }
        Some(multiples)
    }

    /// Factor and constant, if a sum of functions of a value is a multiple of it.
    fn multiple(
        &mut self,
        terms: &mut Terms,
        context: &mut Context,
        members: &[Member],
        cut: Term,
        modulus: Option<i128>,
    ) -> Option<Option<(i128, i128)>> {
        let least = i128::from(context.bounds(terms, cut).min);
        let mut sums: Vec<i128> = Vec::new();
        for &(term, coefficient, _) in members {
            let Some(column) = self.column(terms, context, term, cut) else {
                return Some(None);
            };
            sums.resize(column.len(), 0);
            for (sum, &value) in sums.iter_mut().zip(column.iter()) {
                let product = coefficient.checked_mul(i128::from(value))?;
                *sum = sum.checked_add(product)?;
            }
        }
        let factor = match sums[..] {
            [] => return Some(None),
            [_] => 0,
            [first, second, ..] => second.checked_sub(first)?,
        };
        let constant = sums[0].checked_sub(factor.checked_mul(least)?)?;
        for (place, &sum) in sums.iter().enumerate() {
            let expected = factor.checked_mul(least + place as i128)?;
            let off = expected.checked_add(constant)?.checked_sub(sum)?;
            if modulus.map_or(off, |modulus| off.rem_euclid(modulus)) != 0 {
                return Some(None);
            }
        }
        Some(Some((factor, constant)))
    }
}

/// A function of a value, its coefficient and the place of its monomial.
type Member = (Term, i128, usize);

/// Functions of the same values.
struct Group {
    cuts: Vec<Term>,
    members: Vec<Member>,
}

/// Monomials that are together `factor * of + constant`.
pub struct Multiple {
    pub of: Term,
    pub places: Vec<usize>,
    pub factor: i128,
    pub constant: i128,
}
