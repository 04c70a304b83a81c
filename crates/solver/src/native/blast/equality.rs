//! Equations between numbers: of the e-graph, of arithmetic, or of both.
//!
//! A number that is only ever compared by `=` or handed to functions is a node of the e-graph and no more. As soon as it
//! takes part in arithmetic, so does every number that it is compared with. What the formulas at hand will make of a
//! number is found out before they are encoded ([`Blaster::survey`]); what later ones make of it links the literals of
//! its equations to those of arithmetic ([`Blaster::spread`]).

use refrain_sat::Lit;
use refrain_term::{Op, Sort, Term, Terms};
use rustc_hash::FxHashMap;

use super::{Blaster, Cone};
use crate::native::congruence::{Shared, implied_equations, is_node, plain_sides};

impl Blaster {
    /// Looks through those formulas that are not yet encoded for numbers that take part in arithmetic.
    pub fn survey(&mut self, terms: &Terms, roots: &[Term]) {
        let new = roots.iter().copied().filter(|&root| !self.is_encoded(root));
        let mut stack: Vec<Term> = new.collect();
        if stack.is_empty() {
            return;
        }
        self.walk += 1;
        self.visited.resize(terms.len(), 0);
        let mut compared: FxHashMap<Term, Vec<Term>> = FxHashMap::default();
        let mut found = Vec::new();
        while let Some(term) = stack.pop() {
            if self.is_encoded(term)
                || std::mem::replace(&mut self.visited[term.index()], self.walk) == self.walk
            {
                continue;
            }
            let args = terms.args(term);
            let mut meet = |a: Term, b: Term| {
                compared.entry(a).or_default().push(b);
                compared.entry(b).or_default().push(a);
            };
            match terms.op(term) {
                Op::And | Op::Not => stack.extend_from_slice(args),
                Op::Le | Op::Lt => {
                    found.push(args[0]);
                    stack.push(args[0]);
                }
                Op::Eq if terms.sort(args[0]).is_number() => match plain_sides(terms, term) {
                    Some((a, b)) => {
                        meet(a, b);
                        stack.extend([a, b]);
                    }
                    None => {
                        found.extend_from_slice(args);
                        stack.extend_from_slice(args);
                    }
                },
                Op::Eq if terms.sort(args[0]) == Sort::Bool => stack.extend_from_slice(args),
                Op::Ite if terms.sort(term).is_number() => {
                    meet(term, args[1]);
                    meet(term, args[2]);
                    stack.extend_from_slice(args);
                }
                Op::Ite if terms.sort(term) == Sort::Bool => stack.extend_from_slice(args),
                Op::Apply(function) if is_node(terms, function) => {
                    for &arg in args.iter().filter(|&&arg| terms.sort(arg).is_number()) {
                        match terms.op(arg) {
                            Op::Var(_) | Op::Ite => self.congruence.add_leaf(terms, arg),
                            _ => {}
                        }
                    }
                    stack.extend_from_slice(args);
                }
                Op::Add | Op::Mul | Op::Div | Op::ToReal | Op::ToInt => {
                    found.extend_from_slice(args);
                    stack.extend_from_slice(args);
                }
                _ => {}
            }
        }
        while let Some(term) = found.pop() {
            if terms.number_value(term).is_some() || !self.expected.insert(term) {
                continue;
            }
            if is_sum(terms, term) {
                found.extend_from_slice(terms.args(term));
            }
            found.extend(compared.get(&term).into_iter().flatten());
        }
    }

    /// Whether a number takes part in arithmetic.
    fn is_arithmetic(&self, terms: &Terms, term: Term) -> bool {
        is_sum(terms, term) || self.arith.knows(term) || self.expected.contains(&term)
    }

    /// The literal of an equation between two numbers.
    pub fn equal_numbers(&mut self, terms: &Terms, a: Term, b: Term) -> Lit {
        if a == b {
            return self.gates.yes();
        }
        if let Some(lit) = self.congruence.equation(a, b) {
            return lit;
        }
        let is_arithmetic = self.is_arithmetic(terms, a) || self.is_arithmetic(terms, b);
        let lit = if is_arithmetic {
            self.arith.equal(terms, &mut self.gates, a, b)
        } else {
            self.gates.fresh()
        };
        let has_node = self.congruence.has_node(a) || self.congruence.has_node(b);
        if has_node || !is_arithmetic {
            for term in [a, b] {
                self.add_number_node(terms, term);
            }
            self.congruence.add_equation(a, b, lit);
        }
        self.spread(terms);
        lit
    }

    fn add_number_node(&mut self, terms: &Terms, term: Term) {
        if !self.congruence.has_node(term) {
            self.congruence.add_leaf(terms, term);
            if is_sum(terms, term) {
                self.arith.form(terms, term);
            }
        }
    }

    /// Links the equations of numbers that take part in arithmetic from now on.
    pub(super) fn spread(&mut self, terms: &Terms) {
        while let Some(term) = self.arith.newcomer() {
            if !self.congruence.has_node(term) {
                continue;
            }
            if terms.op(term) == Op::Ite && self.is_encoded(term) && !self.arith.is_defined(term) {
                let condition = self.lit(terms.arg(term, 0));
                self.arith
                    .define_ite(terms, &mut self.gates, term, condition);
            }
            for other in self.congruence.compared_with(term).to_vec() {
                let lit = self.congruence.equation(term, other).expect("compared");
                if self.arith.is_atom(lit.var()) || self.twins.contains_key(&lit.var()) {
                    continue;
                }
                let twin = self.arith.equal(terms, &mut self.gates, term, other);
                self.gates.clause(&[!lit, twin]);
                self.gates.clause(&[lit, !twin]);
                self.twins.insert(lit.var(), twin);
            }
        }
    }

    /// Whether a formula is an equation of the e-graph between numbers that do not take part in arithmetic.
    pub fn is_equation_of_nodes(&self, formula: Term) -> bool {
        let var = self.lit(formula).var();
        !self.arith.is_atom(var)
            && !self.twins.contains_key(&var)
            && self.congruence.atoms_of(var).next().is_some()
    }

    /// Says what an `ite` between numbers is.
    pub(super) fn define_number_ite(&mut self, terms: &Terms, term: Term) {
        let condition = self.lit(terms.arg(term, 0));
        let branches = [terms.arg(term, 1), terms.arg(term, 2)];
        let mut numbers = [term].into_iter().chain(branches);
        let is_arithmetic = numbers.any(|number| self.is_arithmetic(terms, number));
        if is_arithmetic {
            self.arith
                .define_ite(terms, &mut self.gates, term, condition);
            self.spread(terms);
            let mut numbers = [term].into_iter().chain(branches);
            if !numbers.any(|number| self.congruence.has_node(number)) {
                return;
            }
        }
        for (branch, premise) in branches.into_iter().zip([condition, !condition]) {
            let equal = self.equal_numbers(terms, term, branch);
            self.congruence.set_aside(term, branch, false);
            if !is_arithmetic {
                self.gates.clause(&[!premise, equal]);
            }
        }
    }

    /// Says which equations a formula implies that is encoded.
    pub fn add_implied_equations(&mut self, terms: &Terms, formula: Term) {
        for (a, b) in implied_equations(terms, formula) {
            let equal = self.equal_numbers(terms, a, b);
            self.congruence.set_aside(a, b, false);
            self.gates.clause(&[!self.lit(formula), equal]);
        }
    }

    /// Makes an application a node of the e-graph, with all its arguments.
    pub(super) fn add_application(&mut self, terms: &Terms, term: Term, word: &[Lit]) {
        for &arg in terms.args(term) {
            match terms.sort(arg) {
                Sort::Int | Sort::Real => self.add_number_node(terms, arg),
                Sort::Bool => {
                    self.congruence.add_leaf(terms, arg);
                    self.congruence.add_truth(arg, self.lit(arg));
                }
                _ => self.congruence.add_leaf(terms, arg),
            }
        }
        self.congruence.add_application(terms, term);
        if terms.sort(term) == Sort::Bool {
            self.congruence.add_truth(term, word[0]);
        }
        self.spread(terms);
    }

    /// Tells the e-graph which literal says that two terms have the same bits.
    pub(super) fn note_equal_bits(&mut self, a: Term, b: Term, equal: Lit) {
        if self.congruence.has_node(a) && self.congruence.has_node(b) {
            self.congruence.add_equation(a, b, equal);
            self.congruence.set_aside(a, b, false);
        }
    }

    /// Adds a number that a function is applied to, or its result, to what a cone has of arithmetic.
    pub(super) fn add_number(&mut self, terms: &Terms, cone: &mut Cone, term: Term) {
        if is_sum(terms, term) || self.arith.knows(term) {
            self.arith.add_number(terms, &mut cone.numbers, term);
        }
    }

    /// A number as arithmetic and the e-graph both know it, if they do.
    pub fn shared(&mut self, terms: &Terms, term: Term) -> Option<Shared> {
        let is_shared =
            is_sum(terms, term) || self.arith.knows(term) || terms.number_value(term).is_some();
        is_shared.then(|| Shared {
            term,
            form: self.arith.form(terms, term),
        })
    }

    /// Adds the node of a term, if it has one, to a cone.
    pub(super) fn add_node(&self, terms: &Terms, cone: &mut Cone, term: Term) {
        if !self.congruence.has_node(term) {
            return;
        }
        match terms.sort(term) {
            Sort::Int | Sort::Real => cone.equality.numbers.push(term),
            Sort::Bool => {
                let atoms = self.congruence.atoms_of(self.lit(term).var());
                cone.equality.atoms.extend(atoms);
            }
            _ => {}
        }
    }

    /// Adds the atoms of a variable of the SAT engine to a cone.
    pub(super) fn add_atoms(&self, cone: &mut Cone, var: refrain_sat::Var) {
        if self.arith.is_atom(var) {
            cone.numbers.atoms.push(var);
        }
        if self.congruence.is_empty() {
            return;
        }
        if let Some(twin) = self.twins.get(&var) {
            cone.numbers.atoms.push(twin.var());
        }
        cone.equality.atoms.extend(self.congruence.atoms_of(var));
    }

    /// Adds the equations between terms of a cone that no formula contains.
    pub(super) fn add_asides(&self, cone: &mut Cone) {
        let is_in = |term: Term| self.visited.get(term.index()) == Some(&self.walk);
        for aside in self.congruence.asides() {
            if is_in(aside.sides.0) && is_in(aside.sides.1) {
                let var = self.congruence.var(aside.atom);
                self.add_atoms(cone, var);
                if aside.is_choice {
                    cone.numbers.choices.push(var);
                }
            }
        }
    }
}

/// Whether a number is made of others by arithmetic.
fn is_sum(terms: &Terms, term: Term) -> bool {
    matches!(
        terms.op(term),
        Op::Add | Op::Mul | Op::Div | Op::ToReal | Op::ToInt
    )
}
