//! Products of two unknowns: variables of their own, held against what they stand for.
//!
//! Where the assignment has another value for a product than its factors make, lemmas say what it violates: the sign
//! of a product, how large a square is, and what the product is while one factor has the value it has now. The last kind
//! decides whatever bounds keep finite; where it does not come to an end, the query is given up.

use refrain_sat::{Lemmas, Lit, TrailView};
use refrain_term::Rational;

use super::Arith;
use super::atoms::{Comparison, Form};
use super::simplex::Var;
use super::theory::Step;
use crate::Reason;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProductId(u32);

impl ProductId {
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// `var = left * right`.
pub struct Product {
    pub var: Var,
    pub left: Form,
    pub right: Form,
}

/// Factors up to here are tried first: pairs of them are a few hundred, fewer than the lemmas of a query.
const SMALL: i64 = 10;

/// A tangent doubles the length of a denominator: what has grown by so much on its way to a root goes on growing.
const MOST_GROWTH: usize = 8;

/// How many lemmas about products a query may need.
const MAX_LEMMAS: u32 = 1_000;

impl Arith {
    /// The product of two forms; `var` makes its variable if it is new.
    pub(super) fn product(
        &mut self,
        left: Form,
        right: Form,
        var: impl FnOnce(&mut Arith) -> Var,
    ) -> ProductId {
        let (a, b) = (left.key(), right.key());
        let key = if a <= b { (a, b) } else { (b, a) };
        if let Some(&known) = self.product_ids.get(&key) {
            return known;
        }
        let var = var(self);
        let id = ProductId(self.products.len() as u32);
        self.products.push(Product { var, left, right });
        self.product_ids.insert(key, id);
        id
    }

    /// Holds the products of the query against their factors; `None` if all agree.
    pub(super) fn check_products(
        &mut self,
        trail: &TrailView<'_>,
        lemmas: &mut Lemmas,
    ) -> Option<Step> {
        // Strict bounds make values infinitesimally different: those of the factors are compared as they will be in
        // the model.
        self.choose_delta();
        let wrong = self.follower.products.iter().copied().find(|id| {
            let product = &self.products[id.index()];
            let value = &self.value_of(&product.left) * &self.value_of(&product.right);
            self.value_of(&Form::from(product.var)) != value
        })?;
        if self.follower.product_lemmas == 0 {
            self.prefer_small_factors(trail, lemmas);
            self.follower.first_length = self.longest_denominator();
        }
        self.follower.product_lemmas += 1;
        if self.follower.product_lemmas > MAX_LEMMAS || self.is_endless() {
            self.give_up(Reason::Incomplete("non-linear arithmetic".into()));
            return Some(Step::GiveUp);
        }
        self.add_product_lemmas(wrong, trail, lemmas);
        Some(Step::Refine)
    }

    /// Whether denominators have grown so much that a factor seems to come closer and closer to what is no fraction.
    fn is_endless(&self) -> bool {
        self.longest_denominator() > MOST_GROWTH * self.follower.first_length
    }

    /// How many words the denominators of factors take, at most.
    fn longest_denominator(&self) -> usize {
        let products = self.follower.products.iter();
        let products = products.map(|id| &self.products[id.index()]);
        let factors = products.flat_map(|product| [&product.left, &product.right]);
        let length = |factor: &Form| self.value_of(factor).denominator().words().len();
        factors.map(length).max().unwrap_or(0)
    }

    /// Products of small factors are looked at first: they are few, and whatever grows may grow without an end.
    fn prefer_small_factors(&mut self, trail: &TrailView<'_>, lemmas: &mut Lemmas) {
        for id in self.follower.products.clone() {
            let product = &self.products[id.index()];
            for factor in [product.left.clone(), product.right.clone()] {
                for mut excess in [factor.times(&Rational::MINUS_ONE), factor] {
                    excess.constant -= &Rational::from(SMALL);
                    let is_small = self.decided_at_most(&excess, false, trail, lemmas);
                    lemmas.set_phase(is_small.var(), !is_small.is_negative());
                }
            }
        }
    }

    fn add_product_lemmas(&mut self, id: ProductId, trail: &TrailView<'_>, lemmas: &mut Lemmas) {
        let product = &self.products[id.index()];
        let (own, left, right) = (
            Form::from(product.var),
            product.left.clone(),
            product.right.clone(),
        );
        self.add_sign_lemmas(&own, &left, &right, trail, lemmas);
        if left.key() == right.key() {
            self.add_square_lemma(&own, &left, trail, lemmas);
        }
        // The factor with the fewer values left takes the one it has now.
        let (fixed, other) = if self.room(&left) <= self.room(&right) {
            (left, right)
        } else {
            (right, left)
        };
        let value = self.value_of(&fixed);
        let difference = own.minus(&other.times(&value));
        let mut at_value = fixed;
        at_value.constant -= &value;
        let at_most = self.decided_at_most(&at_value, false, trail, lemmas);
        let at_least =
            self.decided_at_most(&at_value.times(&Rational::MINUS_ONE), false, trail, lemmas);
        // The search is to stay where it is, and see what the product makes of it.
        for lit in [at_most, at_least] {
            lemmas.set_phase(lit.var(), !lit.is_negative());
        }
        let negated = difference.times(&Rational::MINUS_ONE);
        for form in [difference, negated] {
            let bound = self.at_most(&form, false, trail, lemmas);
            lemmas.keep(&[!at_most, !at_least, bound]);
        }
    }

    /// The sign of a product follows from those of its factors.
    fn add_sign_lemmas(
        &mut self,
        own: &Form,
        left: &Form,
        right: &Form,
        trail: &TrailView<'_>,
        lemmas: &mut Lemmas,
    ) {
        let minus = Rational::MINUS_ONE;
        let mut sides = |form: &Form| {
            let negative = self.decided_at_most(form, true, trail, lemmas);
            let positive = self.decided_at_most(&form.times(&minus), true, trail, lemmas);
            (negative, positive)
        };
        let (left_negative, left_positive) = sides(left);
        let (right_negative, right_positive) = sides(right);
        let own_negative = self.at_most(own, true, trail, lemmas);
        let own_positive = self.at_most(&own.times(&minus), true, trail, lemmas);
        for (a, b, result) in [
            (left_negative, right_negative, own_positive),
            (left_positive, right_positive, own_positive),
            (left_negative, right_positive, own_negative),
            (left_positive, right_negative, own_negative),
        ] {
            lemmas.keep(&[!a, !b, result]);
        }
        for (negative, positive) in [
            (left_negative, left_positive),
            (right_negative, right_positive),
        ] {
            lemmas.keep(&[negative, positive, !own_negative]);
            lemmas.keep(&[negative, positive, !own_positive]);
        }
    }

    /// Squares grow with the distance from zero: one that is too large is not that of so small a number, and one that is
    /// too small is below a tangent.
    fn add_square_lemma(
        &mut self,
        own: &Form,
        root: &Form,
        trail: &TrailView<'_>,
        lemmas: &mut Lemmas,
    ) {
        let (value, square) = (self.value_of(root), self.value_of(own));
        if square < &value * &value {
            let mut tangent = root.times(&(&value * &Rational::from(2))).minus(own);
            tangent.constant -= &(&value * &value);
            let bound = self.at_most(&tangent, false, trail, lemmas);
            lemmas.keep(&[bound]);
        } else {
            let is_integer = |(var, _): &(Var, Rational)| self.simplex.is_integer(*var);
            let is_integer_root = root.is_integral() && root.terms.iter().all(is_integer);
            let least = if is_integer_root {
                // The largest integer whose square is smaller.
                (&square.ceil() - &Rational::ONE).integer_root()
            } else {
                value.abs()
            };
            // Either it is further away, or the square is no larger than that of this distance.
            let (mut above, mut below) = (root.times(&Rational::MINUS_ONE), root.clone());
            above.constant += &least;
            below.constant += &least;
            let above = self.decided_at_most(&above, true, trail, lemmas);
            let below = self.decided_at_most(&below, true, trail, lemmas);
            let mut excess = own.clone();
            excess.constant -= &(&least * &least);
            let bound = self.at_most(&excess, false, trail, lemmas);
            lemmas.keep(&[above, below, bound]);
        }
    }

    /// How many values the bounds of a factor leave, if it is one variable.
    fn room(&self, form: &Form) -> (bool, Rational) {
        let unbounded = (true, Rational::ZERO);
        let [(var, factor)] = &form.terms[..] else {
            return unbounded;
        };
        match (self.simplex.lower(*var), self.simplex.upper(*var)) {
            (Some(lower), Some(upper)) => {
                let span = &upper.value.standard - &lower.value.standard;
                (false, (&span * factor).abs())
            }
            _ => unbounded,
        }
    }

    /// The literal of `form <= 0`, or of `form < 0`, to be decided on.
    fn decided_at_most(
        &mut self,
        form: &Form,
        strict: bool,
        trail: &TrailView<'_>,
        lemmas: &mut Lemmas,
    ) -> Lit {
        let lit = self.at_most(form, strict, trail, lemmas);
        lemmas.decide(lit.var());
        lit
    }

    /// The literal of `form <= 0`, or of `form < 0`, for what follows from others.
    fn at_most(
        &mut self,
        form: &Form,
        strict: bool,
        trail: &TrailView<'_>,
        lemmas: &mut Lemmas,
    ) -> Lit {
        match self.atoms.at_most_zero(&mut self.simplex, form, strict) {
            Comparison::Known(holds) => self.constant_literal(holds, lemmas),
            Comparison::Atom(var, relation, number, negated) => {
                let lit = self.relevant_atom(var, relation, number, trail, lemmas);
                if negated { !lit } else { lit }
            }
        }
    }

    /// A literal that is always true, or always false.
    fn constant_literal(&mut self, holds: bool, lemmas: &mut Lemmas) -> Lit {
        let yes = *self.yes.get_or_insert_with(|| {
            let yes = lemmas.new_var().positive();
            lemmas.keep(&[yes]);
            yes
        });
        if holds { yes } else { !yes }
    }
}
