//! Linear arithmetic over integers and reals, beside the SAT engine.
//!
//! Atoms (`atoms`) are bounds on variables of the simplex (`simplex`, over `tableau`; for schedules, over a graph), each
//! with a literal. As the engine assigns them, the theory (`theory`, `follower`) tightens and loosens the bounds and says
//! which sets of literals cannot hold together. Integers (`integers`) need more than the simplex: equations solved
//! exactly (`equations`), `cuts`, and branching on new atoms. What is implied need not be guessed (`implied`), what must
//! differ is split when it does not (`differences`), what need not be equal is moved apart (`diversity`). Choices
//! (`choice`) and products of two unknowns (`products`) are variables of their own, held to what they stand for. Every
//! clause that the theory adds is valid whatever is assumed, so what is learned from it stays.

mod atoms;
mod choice;
mod cuts;
mod delta;
mod differences;
mod diversity;
mod equations;
mod follower;
mod implied;
mod integers;
mod products;
mod simplex;
mod tableau;
mod theory;

use refrain_sat::{Lemmas, Lit, TrailView};
use refrain_term::{Op, Rational, Sort, Term, Terms};
use rustc_hash::FxHashMap;

use super::blast::gates::Gates;
pub use atoms::Form;
use atoms::{AtomId, Atoms, Comparison, FormKey, Relation};
use choice::Range;
use follower::Follower;
use products::{Product, ProductId};
use simplex::{Simplex, Var};
pub use theory::Session;
use theory::rounded;

/// The arithmetic of one encoding epoch.
#[derive(Default)]
pub struct Arith {
    simplex: Simplex,
    atoms: Atoms,
    /// The variable of each number term that is no sum.
    vars: FxHashMap<Term, Var>,
    /// Terms that have got a variable since somebody asked.
    newcomers: Vec<Term>,
    definitions: FxHashMap<Term, Definition>,
    products: Vec<Product>,
    product_ids: FxHashMap<(FormKey, FormKey), ProductId>,
    /// By variable: bounds that it has by definition.
    ranges: FxHashMap<Var, Range>,
    follower: Follower,
    /// What the infinitesimal stands for in the last answer.
    delta: Rational,
    /// A literal that is always true, once one was needed.
    yes: Option<Lit>,
}

/// What must hold for a term to have its value.
#[derive(Default)]
struct Definition {
    atoms: Vec<AtomId>,
    /// Those of them that nothing else decides.
    choices: Vec<AtomId>,
    /// The product that it is, or that it is defined by.
    product: Option<ProductId>,
}

/// What a query is about: the SAT variables of its atoms, and its products.
#[derive(Default)]
pub struct Scope {
    pub atoms: Vec<refrain_sat::Var>,
    /// Those of the atoms that must be decided; the others follow from conditions.
    pub choices: Vec<refrain_sat::Var>,
    products: Vec<ProductId>,
    /// Numbers that count beside those of atoms and products.
    vars: Vec<Var>,
}

impl Scope {
    pub fn is_empty(&self) -> bool {
        self.atoms.is_empty() && self.products.is_empty() && self.vars.is_empty()
    }
}

impl Arith {
    /// The variable of a term that is no sum and no multiple.
    pub fn var(&mut self, terms: &Terms, term: Term) -> Var {
        let (simplex, newcomers) = (&mut self.simplex, &mut self.newcomers);
        let is_integer = terms.sort(term) == Sort::Int;
        *self.vars.entry(term).or_insert_with(|| {
            newcomers.push(term);
            simplex.new_var(is_integer)
        })
    }

    /// Whether a term that is no sum takes part in arithmetic.
    pub fn knows(&self, term: Term) -> bool {
        self.vars.contains_key(&term)
    }

    /// A term that takes part in arithmetic from now on; each is told once.
    pub fn newcomer(&mut self) -> Option<Term> {
        self.newcomers.pop()
    }

    pub fn is_defined(&self, term: Term) -> bool {
        self.definitions.contains_key(&term)
    }

    /// A number term as a sum of variables.
    pub fn form(&mut self, terms: &Terms, term: Term) -> Form {
        let mut form = Form::default();
        let mut parts = vec![(term, Rational::ONE)];
        while let Some((part, factor)) = parts.pop() {
            if terms.op(part) == Op::ToReal {
                parts.push((terms.arg(part, 0), factor));
                continue;
            }
            if !matches!(terms.op(part), Op::Number(_) | Op::Add | Op::Mul) {
                let var = self.var(terms, part);
                form.add(&factor, var);
                continue;
            }
            let (constant, addends) = terms.linear_form(part);
            form.constant.add_mul(&factor, &constant);
            for (addend, coefficient) in addends {
                let factor = &factor * &coefficient;
                if addend == part || !matches!(terms.op(addend), Op::Add | Op::ToReal) {
                    let var = self.var(terms, addend);
                    form.add(&factor, var);
                } else {
                    parts.push((addend, factor));
                }
            }
        }
        form
    }

    /// The literal of a comparison, new if need be.
    fn literal(&mut self, gates: &mut Gates, comparison: Comparison) -> Lit {
        match comparison {
            Comparison::Known(holds) => gates.constant(holds),
            Comparison::Atom(var, relation, number, negated) => {
                let id = self.atoms.intern(var, relation, number, || gates.fresh());
                let lit = self.atoms.get(id).lit;
                if negated { !lit } else { lit }
            }
        }
    }

    /// The literal of `form <= 0`, or of `form < 0`.
    fn at_most_zero(&mut self, gates: &mut Gates, form: &Form, strict: bool) -> Lit {
        let comparison = self.atoms.at_most_zero(&mut self.simplex, form, strict);
        self.literal(gates, comparison)
    }

    fn equals_zero(&mut self, gates: &mut Gates, form: &Form) -> Lit {
        let comparison = self.atoms.equals_zero(&mut self.simplex, form);
        self.literal(gates, comparison)
    }

    /// The literal of an atomic formula about numbers.
    pub fn atom(&mut self, terms: &Terms, gates: &mut Gates, atom: Term) -> Lit {
        let (left, right) = (terms.arg(atom, 0), terms.arg(atom, 1));
        match terms.op(atom) {
            Op::Le | Op::Lt => {
                let form = self.form(terms, left).minus(&self.form(terms, right));
                self.at_most_zero(gates, &form, terms.op(atom) == Op::Lt)
            }
            Op::Eq => self.equal(terms, gates, left, right),
            _ => unreachable!("a comparison of numbers"),
        }
    }

    /// The literal of an equation between two number terms.
    pub fn equal(&mut self, terms: &Terms, gates: &mut Gates, a: Term, b: Term) -> Lit {
        let form = self.form(terms, a).minus(&self.form(terms, b));
        self.equals_zero(gates, &form)
    }

    /// Says what a division is. By a constant: `k * q <= t <= k * q + k - 1`.
    pub fn define_division(&mut self, terms: &Terms, gates: &mut Gates, term: Term) {
        let quotient = Form::from(self.var(terms, term));
        let dividend = self.form(terms, terms.arg(term, 0));
        let definition = match terms.number_value(terms.arg(term, 1)) {
            Some(number) => {
                let mut definition = Definition::default();
                let rest = dividend.minus(&quotient.times(number));
                let not_negative = rest.times(&Rational::MINUS_ONE);
                let mut below_divisor = rest;
                below_divisor.constant -= &(number - &Rational::ONE);
                for form in [not_negative, below_divisor] {
                    let fact = self.at_most_zero(gates, &form, false);
                    self.define(gates, &mut definition, &[fact]);
                }
                definition
            }
            None => {
                let divisor = self.form(terms, terms.arg(term, 1));
                let is_integer = terms.sort(term) == Sort::Int;
                self.define_by_product(gates, &dividend, &divisor, &quotient, is_integer)
            }
        };
        self.definitions.insert(term, definition);
    }

    /// Says what the floor of a real is: `q <= t < q + 1`.
    pub fn define_floor(&mut self, terms: &Terms, gates: &mut Gates, term: Term) {
        let floor = Form::from(self.var(terms, term));
        let number = self.form(terms, terms.arg(term, 0));
        let mut definition = Definition::default();
        let not_above = floor.clone().minus(&number);
        let mut below_next = number.minus(&floor);
        below_next.constant -= &Rational::ONE;
        for (form, strict) in [(not_above, false), (below_next, true)] {
            let fact = self.at_most_zero(gates, &form, strict);
            self.define(gates, &mut definition, &[fact]);
        }
        self.definitions.insert(term, definition);
    }

    /// Division by what is not constant, through the product of quotient and divisor; by zero it gives zero.
    fn define_by_product(
        &mut self,
        gates: &mut Gates,
        dividend: &Form,
        divisor: &Form,
        quotient: &Form,
        is_integer: bool,
    ) -> Definition {
        let id = self.product(divisor.clone(), quotient.clone(), |arith| {
            arith.simplex.new_var(is_integer)
        });
        let product = self.products[id.index()].var;
        let mut definition = Definition {
            product: Some(id),
            ..Definition::default()
        };
        let negated_divisor = divisor.times(&Rational::MINUS_ONE);
        let rest = dividend.clone().minus(&Form::from(product));
        let negative = self.at_most_zero(gates, divisor, true);
        let positive = self.at_most_zero(gates, &negated_divisor, true);
        let zero = self.equals_zero(gates, divisor);
        self.define(gates, &mut definition, &[negative, positive, zero]);
        definition.choices = definition.atoms.clone();
        let no_quotient = self.equals_zero(gates, quotient);
        self.define(gates, &mut definition, &[!zero, no_quotient]);
        if !is_integer {
            let exact = self.equals_zero(gates, &rest);
            self.define(gates, &mut definition, &[zero, exact]);
            return definition;
        }
        let not_negative = self.at_most_zero(gates, &rest.times(&Rational::MINUS_ONE), false);
        self.define(gates, &mut definition, &[zero, not_negative]);
        for (premise, magnitude) in [(positive, divisor), (negative, &negated_divisor)] {
            let below = self.at_most_zero(gates, &rest.clone().minus(magnitude), true);
            self.define(gates, &mut definition, &[!premise, below]);
        }
        definition
    }

    /// Says that a variable stands for the product of two terms.
    pub fn define_product(&mut self, terms: &Terms, term: Term) {
        let left = self.form(terms, terms.arg(term, 0));
        let right = self.form(terms, terms.arg(term, 1));
        let id = self.product(left, right, |arith| arith.var(terms, term));
        // A division may have made the product before.
        let var = self.products[id.index()].var;
        let known = *self.vars.entry(term).or_insert(var);
        debug_assert_eq!(known, var, "operands are encoded before their users");
        self.definitions.insert(
            term,
            Definition {
                product: Some(id),
                ..Definition::default()
            },
        );
    }

    /// Adds a clause that a definition consists of.
    fn define(&self, gates: &mut Gates, definition: &mut Definition, clause: &[Lit]) {
        gates.clause(clause);
        let atoms = clause.iter().filter_map(|lit| self.atoms.of(lit.var()));
        definition.atoms.extend(atoms);
    }

    /// Adds what the definition of a term is about to a scope.
    pub fn add_definition(&self, scope: &mut Scope, term: Term) {
        let sat_var = |&atom: &AtomId| self.atoms.get(atom).lit.var();
        if let Some(definition) = self.definitions.get(&term) {
            scope.atoms.extend(definition.atoms.iter().map(sat_var));
            scope.choices.extend(definition.choices.iter().map(sat_var));
            scope.products.extend(definition.product);
        }
    }

    /// Adds a number that takes part in arithmetic to a scope.
    pub fn add_number(&mut self, terms: &Terms, scope: &mut Scope, term: Term) {
        let form = self.form(terms, term);
        scope.vars.extend(form.terms.iter().map(|(var, _)| *var));
    }

    pub fn is_atom(&self, var: refrain_sat::Var) -> bool {
        self.atoms.of(var).is_some()
    }

    /// The value of a number term, after a query that was satisfied.
    pub fn number(&mut self, terms: &Terms, term: Term) -> Rational {
        let form = self.form(terms, term);
        self.value_of(&form)
    }

    /// The value of a symbol after a query that was satisfied, if the query was about it.
    pub fn symbol(&self, term: Term) -> Option<Rational> {
        let var = *self.vars.get(&term)?;
        let is_relevant = self.follower.is_about(var);
        is_relevant.then(|| self.simplex.value(var).at(&self.delta))
    }

    /// The value of a form after a query that was satisfied, if the query was about all of it.
    pub fn value_if_about(&self, form: &Form) -> Option<Rational> {
        let mut vars = form.terms.iter().map(|(var, _)| *var);
        vars.all(|var| self.follower.is_about(var))
            .then(|| self.value_of(form))
    }

    /// The literal of an equation, which counts from now on; `None` if it cannot hold.
    pub fn equal_forms(
        &mut self,
        a: &Form,
        b: &Form,
        trail: &TrailView<'_>,
        lemmas: &mut Lemmas,
    ) -> Option<Lit> {
        let difference = a.clone().minus(b);
        match self.atoms.equals_zero(&mut self.simplex, &difference) {
            Comparison::Known(_) => None,
            Comparison::Atom(var, _, number, _) => {
                Some(self.relevant_atom(var, Relation::Equal, number, trail, lemmas))
            }
        }
    }

    /// How many entries of the tableau have been looked at to change it.
    pub fn touched(&self) -> u64 {
        self.simplex.touched()
    }

    /// The present value of a symbol, on the way: rounded if it is an integer.
    pub fn present(&self, term: Term) -> Option<Rational> {
        let var = *self.vars.get(&term)?;
        Some(rounded(
            &self.simplex,
            var,
            &self.simplex.value(var).standard,
        ))
    }
}
