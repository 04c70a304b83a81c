//! Whether linear inequalities over the rationals have a solution, by Fourier and Motzkin's elimination: slow, short,
//! and without anything in common with the simplex that it is held against.

use refrain_term::Rational;

/// `Σ coefficient * variable <= limit`, or `<`; all with the same number of coefficients.
#[derive(Clone, Debug)]
pub struct Inequality {
    pub coefficients: Vec<Rational>,
    pub limit: Rational,
    pub strict: bool,
}

impl Inequality {
    /// `Σ coefficient * variable >= limit`, or `>`.
    pub fn at_least(coefficients: &[Rational], limit: &Rational, strict: bool) -> Inequality {
        Inequality {
            coefficients: coefficients.iter().map(|c| -c).collect(),
            limit: -limit,
            strict,
        }
    }

    pub fn at_most(coefficients: &[Rational], limit: &Rational, strict: bool) -> Inequality {
        Inequality {
            coefficients: coefficients.to_vec(),
            limit: limit.clone(),
            strict,
        }
    }

    /// `self + factor * other`, for a factor that is positive.
    fn plus(&self, factor: &Rational, other: &Inequality) -> Inequality {
        let mut sum = self.clone();
        for (own, others) in sum.coefficients.iter_mut().zip(&other.coefficients) {
            own.add_mul(factor, others);
        }
        sum.limit.add_mul(factor, &other.limit);
        sum.strict |= other.strict;
        sum
    }

    /// Divided by the size of the first coefficient, so that parallel ones can be compared.
    fn scaled(mut self) -> Inequality {
        if let Some(first) = self.coefficients.iter().find(|c| !c.is_zero()) {
            let size = first.abs();
            for coefficient in &mut self.coefficients {
                *coefficient = &*coefficient / &size;
            }
            self.limit = &self.limit / &size;
        }
        self
    }

    fn is_tighter(&self, other: &Inequality) -> bool {
        (&self.limit, !self.strict) < (&other.limit, !other.strict)
    }
}

/// Adds an inequality to those that differ in their coefficients.
fn add(system: &mut Vec<Inequality>, new: Inequality) {
    let new = new.scaled();
    let parallel = system
        .iter_mut()
        .find(|old| old.coefficients == new.coefficients);
    match parallel {
        Some(old) if new.is_tighter(old) => *old = new,
        Some(_) => {}
        None => system.push(new),
    }
}

pub fn is_feasible(inequalities: &[Inequality]) -> bool {
    let vars = inequalities.first().map_or(0, |i| i.coefficients.len());
    let mut system = Vec::new();
    for inequality in inequalities {
        add(&mut system, inequality.clone());
    }
    for var in 0..vars {
        let sign = |inequality: &Inequality| inequality.coefficients[var].signum();
        let (free, with): (Vec<_>, Vec<_>) = system.into_iter().partition(|i| sign(i) == 0);
        system = free;
        for upper in with.iter().filter(|i| sign(i) > 0) {
            for lower in with.iter().filter(|i| sign(i) < 0) {
                let factor = -&(&upper.coefficients[var] / &lower.coefficients[var]);
                add(&mut system, upper.plus(&factor, lower));
            }
        }
    }
    system
        .iter()
        .all(|i| i.limit.is_positive() || (i.limit.is_zero() && !i.strict))
}
