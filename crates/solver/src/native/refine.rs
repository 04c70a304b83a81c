//! Arrays and functions by abstraction and refinement (paper 5, algorithm 3).
//!
//! The encoding leaves the value of every read and every application free. A candidate from the SAT engine is held
//! against what arrays and functions are: each read is followed down its array through the writes that the candidate
//! says do not matter, to the write that it hits or to a symbol, where all reads at one index must agree. Each
//! disagreement is a lemma that the candidate violates. A refuted candidate is a partial solution.

use refrain_path::simplify::is_cell;
use refrain_path::solution::Datum;
use refrain_path::{InputId, Path};
use refrain_sat::{Engine as _, Lit};
use refrain_term::{ArrayValue, Bv, FuncId, FuncValue, Input, Op, Sort, Term, Terms, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::blast::{Blaster, Cone, default_symbol, equal_at};
use super::congruence::{Values, is_node};
use super::engine::{Component, Engine, numbers_before};
use super::partial::PartialSolutions;

/// A valid implication: if all premises hold, so does the conclusion.
struct Lemma {
    premises: Vec<Premise>,
    conclusion: Conclusion,
}

enum Conclusion {
    Equal(Term, Term),
    /// What the e-graph sees by itself once the premises are decided.
    Congruence,
    /// A read is what its table has at its index, if that is near the one that the candidate has.
    LookUp {
        read: Term,
        table: Term,
        at: Bv,
    },
}

/// Something that is true of the candidate.
#[derive(Clone, Copy)]
enum Premise {
    Equal(Term, Term),
    Different(Term, Term),
    Condition(Term, bool),
}

/// Where a read ends: what it is equal to, and why.
struct Landing {
    premises: Vec<Premise>,
    target: Target,
}

enum Target {
    /// The element written or filled in.
    Element(Term),
    /// The element that a table has at the read's index.
    Cell { table: Term, element: Term },
    /// An array symbol.
    Symbol(Term),
}

/// Reads of array symbols in a candidate, by symbol and index; each with why it got there.
type Reads = FxHashMap<(Term, Bv), (Term, Vec<Premise>)>;

/// Applications in a candidate, by function and the values of its arguments.
type Applications = FxHashMap<(FuncId, Vec<Value>), Term>;

impl Engine {
    /// Holds the candidate that the engine found against arrays and functions. Returns whether it stands; if so, the
    /// model has the values of the component, otherwise lemmas have been added.
    pub(super) fn refine(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        component: &Component,
        cone: &Cone,
        partial: &mut PartialSolutions,
    ) -> bool {
        let mut lemmas = Vec::new();
        let mut reads = Reads::default();
        // Cells of symbols that are only ever read at constant indices are plain inputs.
        let whole = |input: &InputId| matches!(path.atoms.inputs.get(*input), Input::Array(_));
        let array_read = |&read: &Term| !is_cell(terms, read);
        if cone.reads.iter().any(array_read) || component.inputs.iter().any(whole) {
            for &read in &cone.reads {
                self.check_read(terms, read, &mut reads, &mut lemmas);
            }
        }
        let values = self.class_values(terms, path, component, cone);
        let mut applications = Applications::default();
        for &application in &cone.applications {
            self.check_application(terms, application, &values, &mut applications, &mut lemmas);
        }
        let mut consequences = Vec::new();
        let wrong_floats = cone
            .free_floats
            .iter()
            .filter(|&&term| self.blaster.refute_float(terms, term))
            .count();
        if lemmas.is_empty() && wrong_floats == 0 {
            self.in_doubt = true;
            self.store_inputs(terms, path, component, &values);
            self.assign_arrays(terms, path, component, &reads);
            self.assign_functions(terms, path, component, &values, &applications);
            consequences = self.check_equations(terms, path, cone);
            if consequences.is_empty() {
                return true;
            }
        }
        self.stats.refinements += 1;
        // A candidate that arrays or functions refute is a partial solution.
        let Blaster {
            gates,
            arith,
            congruence,
            literals,
            ..
        } = &self.blaster;
        let value = |lit| gates.engine.value(lit);
        let number = |term| {
            let of_class = congruence.value(&values, term).cloned();
            of_class.or_else(|| arith.present(term))
        };
        partial.note(terms, path, literals, &component.inputs, value, &number);
        for lemma in lemmas {
            self.add_lemma(terms, path, &lemma);
        }
        for (equation, consequence) in consequences {
            // Where a limit stops this, the check ends before it is missed.
            if self.encode(terms, path, consequence).is_ok() {
                self.blaster.add_consequence(equation, consequence);
            }
        }
        false
    }

    /// The numbers of the classes in the candidate; where they are free, those of the model.
    fn class_values(
        &mut self,
        terms: &Terms,
        path: &Path,
        component: &Component,
        cone: &Cone,
    ) -> Values {
        let before = numbers_before(path, component, cone);
        let mut arithmetic = FxHashMap::default();
        for number in self.shared_numbers(terms, cone) {
            if let Some(value) = self.blaster.arith.value_if_about(&number.form) {
                arithmetic.insert(number.term, value);
            }
        }
        self.blaster.congruence.values(
            &cone.equality,
            |term| arithmetic.get(&term).cloned(),
            |term| before.get(&term).cloned(),
        )
    }

    fn check_read(
        &mut self,
        terms: &mut Terms,
        read: Term,
        reads: &mut Reads,
        lemmas: &mut Vec<Lemma>,
    ) {
        let landing = land(&self.blaster, terms, read);
        let value = self.blaster.value(terms, read);
        match landing.target {
            Target::Element(element) => {
                if self.blaster.value(terms, element) != value {
                    lemmas.push(Lemma {
                        premises: landing.premises,
                        conclusion: Conclusion::Equal(read, element),
                    });
                }
            }
            Target::Cell { table, element } => {
                if self.blaster.value(terms, element) != value {
                    lemmas.push(self.wrong_cell(terms, read, table, element, landing.premises));
                }
            }
            Target::Symbol(array) => {
                let index = self.blaster.value(terms, terms.arg(read, 1));
                let Some((other, reasons)) = reads.get(&(array, index.clone())) else {
                    reads.insert((array, index), (read, landing.premises));
                    return;
                };
                if self.blaster.value(terms, *other) != value {
                    let mut premises = landing.premises;
                    premises.extend(reasons);
                    let (i, j) = (terms.arg(read, 1), terms.arg(*other, 1));
                    premises.push(Premise::Equal(i, j));
                    lemmas.push(Lemma {
                        premises,
                        conclusion: Conclusion::Equal(read, *other),
                    });
                }
            }
        }
    }

    /// Why a read is not what a candidate says: the cell of the table that it comes to, or the whole table.
    fn wrong_cell(
        &mut self,
        terms: &mut Terms,
        read: Term,
        table: Term,
        element: Term,
        mut premises: Vec<Premise>,
    ) -> Lemma {
        let index = terms.arg(read, 1);
        let at = self.blaster.value(terms, index);
        let lemmas = self.tuning.table_lemmas;
        if self
            .blaster
            .refute_look_up(terms, table, index, &at, lemmas)
        {
            return Lemma {
                premises,
                conclusion: Conclusion::LookUp { read, table, at },
            };
        }
        let Op::Table(id) = terms.op(table) else {
            unreachable!("a table")
        };
        if terms.cell(id, &at).is_some() {
            let here = terms.constant(at);
            premises.push(Premise::Equal(index, here));
        } else {
            for cell in 0..terms.cells(id).len() {
                let other = terms.constant(terms.cells(id)[cell].0.clone());
                premises.push(Premise::Different(index, other));
            }
        }
        Lemma {
            premises,
            conclusion: Conclusion::Equal(read, element),
        }
    }

    fn check_application(
        &mut self,
        terms: &mut Terms,
        application: Term,
        values: &Values,
        applications: &mut Applications,
        lemmas: &mut Vec<Lemma>,
    ) {
        let Op::Apply(func) = terms.op(application) else {
            unreachable!("an application")
        };
        let args = terms
            .args(application)
            .iter()
            .map(|&arg| self.candidate_value(terms, values, arg))
            .collect();
        let other = *applications.entry((func, args)).or_insert(application);
        let [result, expected] =
            [application, other].map(|term| self.candidate_value(terms, values, term));
        if result != expected {
            let pairs = terms.args(other).iter().zip(terms.args(application));
            let premises = pairs
                .filter(|(a, b)| a != b)
                .map(|(&a, &b)| Premise::Equal(a, b))
                .collect();
            let congruence = &self.blaster.congruence;
            let is_seen = is_node(terms, func)
                && terms.sort(application).width().is_none()
                && congruence.equation(other, application).is_none();
            let conclusion = match is_seen {
                true => Conclusion::Congruence,
                false => Conclusion::Equal(other, application),
            };
            lemmas.push(Lemma {
                premises,
                conclusion,
            });
        }
    }

    /// The value of a term that is no array in the candidate.
    fn candidate_value(&mut self, terms: &Terms, values: &Values, term: Term) -> Value {
        if let Some(number) = self.blaster.congruence.value(values, term) {
            return Value::number(terms.sort(term), number.clone());
        }
        match terms.sort(term) {
            Sort::Bool => Value::Bool(self.blaster.value(terms, term).is_one()),
            Sort::Int => Value::Int(self.blaster.arith.number(terms, term)),
            Sort::Real => Value::Real(self.blaster.arith.number(terms, term)),
            Sort::BitVec(_) => Value::Bv(self.blaster.value(terms, term)),
            Sort::Array { .. } => unreachable!("functions of arrays are not decided"),
            sort => unreachable!("{sort} below the surface"),
        }
    }

    /// Adds a lemma, over the very bits that the candidate got wrong.
    fn add_lemma(&mut self, terms: &mut Terms, path: &mut Path, lemma: &Lemma) {
        let mut clause = Vec::with_capacity(lemma.premises.len() + 1);
        for &premise in &lemma.premises {
            clause.push(match premise {
                Premise::Equal(a, b) => !self.equal_bits(terms, path, a, b),
                Premise::Different(a, b) => self.equal_bits(terms, path, a, b),
                Premise::Condition(condition, true) => !self.blaster.lit(condition),
                Premise::Condition(condition, false) => self.blaster.lit(condition),
            });
        }
        match &lemma.conclusion {
            Conclusion::Congruence => return,
            &Conclusion::Equal(a, b) => {
                clause.push(self.equal_bits(terms, path, a, b));
            }
            Conclusion::LookUp { read, table, at } => {
                // Where a limit stops this, the check ends before it is missed.
                if !self.blaster.look_up(terms, *read, *table, at, &mut clause) {
                    return;
                }
            }
        }
        self.blaster.gates.clause(&clause);
    }

    fn equal_bits(&mut self, terms: &mut Terms, path: &mut Path, a: Term, b: Term) -> Lit {
        if terms.sort(a).is_number() {
            let equal = self.blaster.equal_numbers(terms, a, b);
            self.blaster.congruence.set_aside(a, b, true);
            // So they are in the candidate.
            let engine = &mut self.blaster.gates.engine;
            engine.set_phase(equal.var(), !equal.is_negative());
            return equal;
        }
        for term in [a, b] {
            self.encode(terms, path, term)
                .expect("only constants can be new, and they need no gates");
        }
        self.blaster.equal_bits(terms, a, b)
    }

    /// Gives the array symbols of the component the cells that reads found.
    fn assign_arrays(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        component: &Component,
        reads: &Reads,
    ) {
        for &input in &component.inputs {
            let Input::Array(array) = path.atoms.inputs.get(input) else {
                continue;
            };
            let Sort::Array { index, element } = terms.sort(array) else {
                unreachable!("an array symbol")
            };
            let default = default_symbol(terms, array);
            let mut value = if self.blaster.is_encoded(default) {
                ArrayValue::filled(index, self.blaster.value(terms, default))
            } else {
                ArrayValue::new(index, element)
            };
            let known = path.atoms.facts().map(|facts| facts.known_cells(array));
            for (at, known) in known.into_iter().flatten() {
                value.set(at.clone(), known.clone());
            }
            for ((read_array, at), (read, _)) in reads {
                if *read_array == array {
                    value.set(at.clone(), self.blaster.value(terms, *read));
                }
            }
            let value = Datum::Value(Value::Array(value));
            path.model.set_datum(&path.atoms.inputs, input, value);
        }
    }

    fn assign_functions(
        &mut self,
        terms: &Terms,
        path: &mut Path,
        component: &Component,
        values: &Values,
        applications: &Applications,
    ) {
        for &input in &component.inputs {
            let Input::Func(func) = path.atoms.inputs.get(input) else {
                continue;
            };
            let decl = terms.func_decl(func);
            let mut value = FuncValue::new(Value::zero(decl.result));
            for ((applied, args), application) in applications {
                if *applied == func {
                    let result = self.candidate_value(terms, values, *application);
                    value.set(args.clone(), result);
                }
            }
            path.model
                .set_datum(&path.atoms.inputs, input, Datum::Func(value));
        }
    }

    /// Arrays said to be equal that are not, and their equality at the first difference.
    fn check_equations(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        cone: &Cone,
    ) -> Vec<(Term, Term)> {
        let mut consequences = Vec::new();
        for &equation in &cone.array_equations {
            if !self.blaster.is_true(self.blaster.lit(equation)) {
                continue;
            }
            let (a, b) = (terms.arg(equation, 0), terms.arg(equation, 1));
            let [x, y] = [a, b].map(|array| path.model.value(terms, array));
            if let Some(index) = first_difference(&x, &y) {
                let at = index_term(&self.blaster, terms, cone, &index);
                consequences.push((equation, equal_at(terms, a, b, at)));
            }
        }
        consequences
    }
}

/// Follows a read down its array, as the candidate tells.
fn land(blaster: &Blaster, terms: &mut Terms, read: Term) -> Landing {
    let (mut array, at) = (terms.arg(read, 0), terms.arg(read, 1));
    let index = blaster.value(terms, at);
    let mut premises = Vec::new();
    loop {
        match terms.op(array) {
            Op::Store => {
                let written = terms.arg(array, 1);
                let hit = blaster.value(terms, written) == index;
                premises.push(if hit {
                    Premise::Equal(at, written)
                } else {
                    Premise::Different(at, written)
                });
                if hit {
                    return Landing {
                        premises,
                        target: Target::Element(terms.arg(array, 2)),
                    };
                }
                array = terms.arg(array, 0);
            }
            Op::Table(id) => {
                let table = array;
                let element = match terms.cell(id, &index).cloned() {
                    Some(cell) => Some(terms.constant(cell)),
                    None => filled_with(terms, terms.arg(table, 0)),
                };
                if let Some(element) = element {
                    let target = Target::Cell { table, element };
                    return Landing { premises, target };
                }
                for cell in 0..terms.cells(id).len() {
                    let other = terms.constant(terms.cells(id)[cell].0.clone());
                    premises.push(Premise::Different(at, other));
                }
                array = terms.arg(array, 0);
            }
            Op::Ite => {
                let condition = terms.arg(array, 0);
                let holds = blaster.is_true(blaster.lit(condition));
                premises.push(Premise::Condition(condition, holds));
                array = terms.arg(array, if holds { 1 } else { 2 });
            }
            Op::ConstArray => {
                return Landing {
                    premises,
                    target: Target::Element(terms.arg(array, 0)),
                };
            }
            _ => {
                return Landing {
                    premises,
                    target: Target::Symbol(array),
                };
            }
        }
    }
}

/// The element that an array has everywhere, if it is written like that.
fn filled_with(terms: &Terms, array: Term) -> Option<Term> {
    (terms.op(array) == Op::ConstArray).then(|| terms.arg(array, 0))
}

/// An index at which two array values differ.
fn first_difference(a: &Value, b: &Value) -> Option<Bv> {
    let (Value::Array(a), Value::Array(b)) = (a, b) else {
        unreachable!("array values")
    };
    if a == b {
        return None;
    }
    let mut indices: Vec<Bv> = a
        .cells()
        .into_iter()
        .chain(b.cells())
        .map(|(index, _)| index)
        .collect();
    indices.sort_unstable();
    indices
        .into_iter()
        .find(|index| a.get(index) != b.get(index))
        .or_else(|| {
            // Only the defaults differ: an index that neither mentions.
            let mut index = Bv::zero(a.index_width());
            while a.get(&index) == b.get(&index) {
                index = index.add(&Bv::one(a.index_width()));
            }
            Some(index)
        })
}

/// A term of the cone that has this value as an index: a lemma on it says more than one on the constant.
fn index_term(blaster: &Blaster, terms: &mut Terms, cone: &Cone, index: &Bv) -> Term {
    let has_value = |terms: &Terms, at: Term| {
        terms.width(at) == index.width() && blaster.value(terms, at) == *index
    };
    let mut stack: Vec<Term> = cone.array_equations.clone();
    let mut seen = FxHashSet::default();
    while let Some(term) = stack.pop() {
        if !seen.insert(term) {
            continue;
        }
        if terms.op(term) == Op::Store && has_value(terms, terms.arg(term, 1)) {
            return terms.arg(term, 1);
        }
        stack.extend(
            terms
                .args(term)
                .iter()
                .filter(|&&arg| terms.sort(arg).is_array()),
        );
    }
    let at = cone
        .reads
        .iter()
        .map(|&read| terms.arg(read, 1))
        .find(|&at| has_value(terms, at));
    at.unwrap_or_else(|| terms.constant(index.clone()))
}
