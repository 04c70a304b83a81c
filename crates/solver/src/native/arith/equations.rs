//! Systems of linear equations over the integers, solved exactly.
//!
//! Each equation is solved for one of its variables and substituted in what follows. Where no coefficient is one, a
//! new variable takes the place of an old one such that the coefficients shrink, as in Euclid's algorithm; the change
//! of variables goes both ways over the integers. An equation whose constant is no multiple of the greatest common
//! divisor of its coefficients has no solution, and then neither have those it came from together. (Griggio, "A
//! Practical Approach to Satisfiability Modulo Linear Integer Arithmetic", JSAT 2012.)

use refrain_term::Rational;
use rustc_hash::FxHashMap;

use crate::Limits;

/// `constant + Σ coefficient * variable`, with integer coefficients, ascending by variable. Numbers stand for
/// variables.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Affine {
    pub constant: Rational,
    pub terms: Vec<(u32, Rational)>,
}

impl Affine {
    /// `self + factor * other`.
    fn plus(&self, factor: &Rational, other: &Affine) -> Affine {
        let mut constant = self.constant.clone();
        constant.add_mul(factor, &other.constant);
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let take_left = match (left.peek(), right.peek()) {
                (Some((a, _)), Some((b, _))) if a == b => {
                    let (var, coefficient) = left.next().expect("peeked");
                    let mut sum = coefficient.clone();
                    sum.add_mul(factor, &right.next().expect("peeked").1);
                    if !sum.is_zero() {
                        terms.push((*var, sum));
                    }
                    continue;
                }
                (Some((a, _)), Some((b, _))) => a < b,
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (None, None) => return Affine { constant, terms },
            };
            if take_left {
                terms.push(left.next().expect("peeked").clone());
            } else {
                let (var, coefficient) = right.next().expect("peeked");
                terms.push((*var, coefficient * factor));
            }
        }
    }

    /// The greatest common divisor of the coefficients; zero if there are none.
    pub fn divisor(&self) -> Rational {
        let coefficients = self.terms.iter().map(|(_, coefficient)| coefficient);
        coefficients.fold(Rational::ZERO, |divisor, coefficient| {
            divisor.gcd(coefficient)
        })
    }

    fn without(mut self, place: usize) -> Affine {
        self.terms.remove(place);
        self
    }
}

/// What a variable is equal to, and the equations it follows from.
struct Solution {
    value: Affine,
    sources: Vec<u32>,
}

/// Equations in solved form.
#[derive(Default)]
pub struct Equations {
    solutions: FxHashMap<u32, Solution>,
    next_var: u32,
}

/// After so many steps it is given up.
const MAX_STEPS: usize = 4_000;

impl Equations {
    /// No equations yet, over variables below `vars`.
    pub fn new(vars: u32) -> Equations {
        Equations {
            solutions: FxHashMap::default(),
            next_var: vars,
        }
    }

    /// Adds `equation = 0`. An error names the sources that have no solution together. `budget` bounds the work; once
    /// it is used up equations are left out.
    pub fn add(
        &mut self,
        equation: Affine,
        source: u32,
        budget: &mut Budget<'_>,
    ) -> Result<(), Vec<u32>> {
        let mut sources = vec![source];
        let Some(mut equation) = self.substitute(equation, &mut sources, budget) else {
            return Ok(());
        };
        loop {
            let divisor = equation.divisor();
            if divisor.is_zero() {
                let holds = equation.constant.is_zero();
                return if holds { Ok(()) } else { Err(sources) };
            }
            if !divisor.is_one() {
                if !(&equation.constant / &divisor).is_integer() {
                    return Err(sources);
                }
                equation = scaled(&equation, &divisor.inverse());
            }
            let place = (0..equation.terms.len())
                .min_by_key(|&place| equation.terms[place].1.abs())
                .expect("not constant");
            let (var, coefficient) = equation.terms[place].clone();
            if coefficient.abs().is_one() {
                // c * x + rest = 0, and c is its own inverse.
                let value = scaled(&equation.without(place), &-&coefficient);
                self.solutions.insert(var, Solution { value, sources });
                return Ok(());
            }
            if !budget.step() {
                return Ok(());
            }
            equation = self.shrink(equation, place);
        }
    }

    /// Replaces the variable at `place` by a new one such that the other coefficients become smaller than its own.
    fn shrink(&mut self, equation: Affine, place: usize) -> Affine {
        let (var, coefficient) = equation.terms[place].clone();
        let fresh = self.next_var;
        self.next_var += 1;
        let rest = equation.without(place);
        let quotient = |number: &Rational| (number / &coefficient).round();
        // With a = c * q + r for every other coefficient: fresh = x + Σ q * y, so c * fresh + Σ r * y = 0.
        let quotients = Affine {
            constant: quotient(&rest.constant),
            terms: rest
                .terms
                .iter()
                .map(|(other, number)| (*other, quotient(number)))
                .filter(|(_, number)| !number.is_zero())
                .collect(),
        };
        let mut smaller = rest.plus(&-&coefficient, &quotients);
        smaller.terms.push((fresh, coefficient));
        let mut value = scaled(&quotients, &Rational::MINUS_ONE);
        value.terms.push((fresh, Rational::ONE));
        let sources = Vec::new();
        self.solutions.insert(var, Solution { value, sources });
        smaller
    }

    /// Replaces all variables that are solved for; `None` if that takes too long.
    pub fn substitute(
        &self,
        mut sum: Affine,
        sources: &mut Vec<u32>,
        budget: &mut Budget<'_>,
    ) -> Option<Affine> {
        loop {
            let found = sum.terms.iter().enumerate().find_map(|(place, (var, _))| {
                let solution = self.solutions.get(var)?;
                Some((place, solution))
            });
            let Some((place, solution)) = found else {
                return Some(sum);
            };
            if !budget.step() {
                return None;
            }
            sources.extend_from_slice(&solution.sources);
            sources.sort_unstable();
            sources.dedup();
            let coefficient = sum.terms[place].1.clone();
            sum = sum.without(place).plus(&coefficient, &solution.value);
        }
    }
}

fn scaled(sum: &Affine, factor: &Rational) -> Affine {
    Affine::default().plus(factor, sum)
}

/// How much work is left.
pub struct Budget<'a> {
    steps: usize,
    limits: &'a Limits,
}

impl Budget<'_> {
    pub fn new(limits: &Limits) -> Budget<'_> {
        Budget {
            steps: MAX_STEPS,
            limits,
        }
    }

    fn step(&mut self) -> bool {
        self.steps = self.steps.saturating_sub(1);
        // Numbers can grow, and a step with them.
        if self.limits.exceeded().is_some() {
            self.steps = 0;
        }
        self.steps > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn affine(constant: i64, terms: &[(u32, i64)]) -> Affine {
        Affine {
            constant: Rational::from(constant),
            terms: terms
                .iter()
                .map(|&(var, coefficient)| (var, Rational::from(coefficient)))
                .collect(),
        }
    }

    fn solve(vars: u32, system: &[Affine]) -> Result<(), Vec<u32>> {
        let mut equations = Equations::new(vars);
        let limits = Limits::default();
        let mut budget = Budget::new(&limits);
        for (source, equation) in system.iter().enumerate() {
            equations.add(equation.clone(), source as u32, &mut budget)?;
        }
        Ok(())
    }

    #[test]
    fn parity_is_found_across_equations() {
        // x + y = 2z, x - y = 2w + 1, and one that has no part in it.
        let system = [
            affine(0, &[(0, 1), (1, 1), (2, -2)]),
            affine(-4, &[(4, 3)]),
            affine(-1, &[(0, 1), (1, -1), (3, -2)]),
        ];
        let mut conflict = solve(5, &[system[0].clone(), system[2].clone()]).expect_err("parity");
        conflict.sort_unstable();
        assert_eq!(conflict, [0, 1]);
        assert_eq!(solve(5, &system[1..2]), Err(vec![0]));
    }

    #[test]
    fn coefficients_without_one_are_solved() {
        assert_eq!(
            solve(3, &[affine(-1, &[(0, 12), (1, 21), (2, 35)])]),
            Ok(())
        );
        assert!(solve(2, &[affine(-1, &[(0, 6), (1, 15)])]).is_err());
        let fine = [affine(-5, &[(0, 3), (1, 5)]), affine(-1, &[(0, 2), (1, 3)])];
        assert_eq!(solve(2, &fine), Ok(()));
        // 3x + 5y = 5 and 6x + 10y = 11.
        let bad = [
            affine(-5, &[(0, 3), (1, 5)]),
            affine(-11, &[(0, 6), (1, 10)]),
        ];
        assert!(solve(2, &bad).is_err());
    }

    /// Small systems against trying all values modulo several numbers and in a box.
    #[test]
    fn agrees_with_search() {
        let mut seed = 7u64;
        let mut next = |span: i64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as i64 % (2 * span + 1) - span
        };
        let mut refuted = 0;
        for _ in 0..400 {
            let system: Vec<[i64; 4]> = (0..2)
                .map(|_| [next(6), next(4), next(4), next(4)])
                .collect();
            let equations: Vec<Affine> = system
                .iter()
                .map(|&[c, a, b, d]| {
                    let mut sum = affine(c, &[(0, a), (1, b), (2, d)]);
                    sum.terms.retain(|(_, coefficient)| !coefficient.is_zero());
                    sum
                })
                .collect();
            let holds = |x: i64, y: i64, z: i64, modulus: i64| {
                system
                    .iter()
                    .all(|&[c, a, b, d]| match c + a * x + b * y + d * z {
                        value if modulus > 0 => value % modulus == 0,
                        value => value == 0,
                    })
            };
            let box_has_one =
                (-30..=30).any(|x| (-30..=30).any(|y| (-30..=30).any(|z| holds(x, y, z, 0))));
            match solve(3, &equations) {
                Ok(()) => {
                    for modulus in 2..8 {
                        let solvable = (0..modulus).any(|x| {
                            (0..modulus).any(|y| (0..modulus).any(|z| holds(x, y, z, modulus)))
                        });
                        assert!(solvable, "{system:?} modulo {modulus}");
                    }
                }
                Err(_) => {
                    refuted += 1;
                    assert!(!box_has_one, "{system:?}");
                }
            }
        }
        assert!(refuted > 20);
    }
}
