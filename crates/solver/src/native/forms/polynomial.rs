//! Polynomials with integer coefficients over atoms, which are integers that are not negative.

use std::rc::Rc;

use refrain_term::Term;
use rustc_hash::FxHashMap;

/// Coefficients beyond this are not calculated with.
const LARGEST: i128 = 1 << 100;

/// A polynomial has at most so many monomials.
const MOST_MONOMIALS: usize = 96;

/// A product has at most so many factors.
const MOST_FACTORS: usize = 6;

/// An index into [`Atoms`].
pub type Atom = u32;

/// An interval of integers, both ends included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    pub min: i128,
    pub max: i128,
}

impl Range {
    pub fn new(min: i128, max: i128) -> Range {
        Range { min, max }
    }

    pub fn meet(self, other: Range) -> Range {
        Range::new(self.min.max(other.min), self.max.min(other.max))
    }

    /// `floor(x / by)` if that is the same for all.
    pub fn common_quotient(self, by: i128) -> Option<i128> {
        let quotient = self.min.div_euclid(by);
        (quotient == self.max.div_euclid(by)).then_some(quotient)
    }

    pub fn add(self, other: Range) -> Option<Range> {
        let (min, max) = (
            self.min.checked_add(other.min)?,
            self.max.checked_add(other.max)?,
        );
        Some(Range::new(min, max))
    }

    pub fn scale(self, by: i128) -> Option<Range> {
        let (a, b) = (self.min.checked_mul(by)?, self.max.checked_mul(by)?);
        Some(Range::new(a.min(b), a.max(b)))
    }

    /// The products of numbers that are not negative.
    pub fn multiply(self, other: Range) -> Option<Range> {
        let (min, max) = (
            self.min.checked_mul(other.min)?,
            self.max.checked_mul(other.max)?,
        );
        Some(Range::new(min, max))
    }
}

/// What an atom stands for.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Meaning {
    /// The value of a bit-vector, without sign.
    Term(Term),
    /// A polynomial, never negative, divided by a positive number and rounded down.
    Quotient(Rc<Polynomial>, i128),
}

/// The atoms met so far, each once.
#[derive(Default)]
pub struct Atoms {
    list: Vec<(Meaning, Range)>,
    places: FxHashMap<Meaning, Atom>,
}

impl Atoms {
    pub fn intern(&mut self, meaning: Meaning, range: Range) -> Atom {
        if let Some(&atom) = self.places.get(&meaning) {
            return atom;
        }
        let atom = self.list.len() as Atom;
        self.list.push((meaning.clone(), range));
        self.places.insert(meaning, atom);
        atom
    }

    pub fn meaning(&self, atom: Atom) -> &Meaning {
        &self.list[atom as usize].0
    }

    pub fn range(&self, atom: Atom) -> Range {
        self.list[atom as usize].1
    }
}

/// `constant + Σ coefficient * product of atoms`, products in their order, coefficients not zero.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Polynomial {
    pub constant: i128,
    pub monomials: Vec<(Vec<Atom>, i128)>,
}

impl Polynomial {
    pub fn constant(constant: i128) -> Polynomial {
        Polynomial {
            constant,
            monomials: Vec::new(),
        }
    }

    pub fn atom(atom: Atom) -> Polynomial {
        Polynomial {
            constant: 0,
            monomials: vec![(vec![atom], 1)],
        }
    }

    pub fn is_constant(&self) -> bool {
        self.monomials.is_empty()
    }

    /// Sorts and adds up monomials; `None` if the polynomial is too large.
    fn collected(constant: i128, mut monomials: Vec<(Vec<Atom>, i128)>) -> Option<Polynomial> {
        monomials.sort();
        let mut collected: Vec<(Vec<Atom>, i128)> = Vec::with_capacity(monomials.len());
        for (atoms, coefficient) in monomials {
            match collected.last_mut() {
                Some((last, sum)) if *last == atoms => *sum = sum.checked_add(coefficient)?,
                _ => collected.push((atoms, coefficient)),
            }
        }
        collected.retain(|(_, coefficient)| *coefficient != 0);
        let is_small = |number: i128| number.unsigned_abs() <= LARGEST.unsigned_abs();
        let fits = collected.len() <= MOST_MONOMIALS
            && is_small(constant)
            && collected
                .iter()
                .all(|&(_, coefficient)| is_small(coefficient));
        fits.then_some(Polynomial {
            constant,
            monomials: collected,
        })
    }

    /// `self + by * other`.
    pub fn add(&self, other: &Polynomial, by: i128) -> Option<Polynomial> {
        let mut monomials = self.monomials.clone();
        for (atoms, coefficient) in &other.monomials {
            monomials.push((atoms.clone(), coefficient.checked_mul(by)?));
        }
        let constant = self.constant.checked_add(other.constant.checked_mul(by)?)?;
        Polynomial::collected(constant, monomials)
    }

    pub fn plus(&self, constant: i128) -> Option<Polynomial> {
        self.add(&Polynomial::constant(constant), 1)
    }

    pub fn multiply(&self, other: &Polynomial) -> Option<Polynomial> {
        if (self.monomials.len() + 1) * (other.monomials.len() + 1) > 2 * MOST_MONOMIALS {
            return None;
        }
        let one = |polynomial: &Polynomial| {
            let constant = (Vec::new(), polynomial.constant);
            let mut all = polynomial.monomials.clone();
            all.push(constant);
            all
        };
        let mut monomials = Vec::new();
        let mut constant = 0;
        for (x, c) in one(self) {
            for (y, d) in one(other) {
                let coefficient = c.checked_mul(d)?;
                if coefficient == 0 {
                    continue;
                }
                let mut atoms = x.clone();
                atoms.extend_from_slice(&y);
                if atoms.is_empty() {
                    constant = coefficient;
                    continue;
                }
                if atoms.len() > MOST_FACTORS {
                    return None;
                }
                atoms.sort_unstable();
                monomials.push((atoms, coefficient));
            }
        }
        Polynomial::collected(constant, monomials)
    }

    /// Each coefficient replaced by another; those that become zero are gone.
    pub fn map(&self, of: impl Fn(i128) -> i128) -> Polynomial {
        let monomials = self.monomials.iter();
        let monomials = monomials.map(|(atoms, coefficient)| (atoms.clone(), of(*coefficient)));
        Polynomial {
            constant: of(self.constant),
            monomials: monomials
                .filter(|(_, coefficient)| *coefficient != 0)
                .collect(),
        }
    }

    /// Modulo two to this width, each coefficient the one closest to zero.
    pub fn modulo(&self, width: u32) -> Polynomial {
        self.map(|coefficient| centered(coefficient, 1 << width))
    }

    /// The values that it may have, as far as the ranges of atoms tell.
    pub fn range(&self, atoms: &Atoms) -> Option<Range> {
        let mut range = Range::new(self.constant, self.constant);
        for (factors, coefficient) in &self.monomials {
            let mut product = Range::new(1, 1);
            for &factor in factors {
                product = product.multiply(atoms.range(factor))?;
            }
            range = range.add(product.scale(*coefficient)?)?;
        }
        Some(range)
    }
}

/// The residue that is closest to zero, the positive one of two.
pub fn centered(number: i128, modulus: i128) -> i128 {
    let residue = number.rem_euclid(modulus);
    if residue > modulus / 2 {
        residue - modulus
    } else {
        residue
    }
}
