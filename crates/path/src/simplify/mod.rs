//! Simplification before anything is encoded: base-level facts, and reads whose index has few values.
//!
//! An equation at the base level (no push can take it back) that defines a symbol not seen before is a *fact*: the
//! symbol is replaced by its definition everywhere, and given its value again when a model is asked for. That is how
//! a constant table asserted cell by cell becomes a table. A read at an index that depends on one small input is then
//! a choice among the few cells that the index can reach.

pub mod bounds;
pub mod tables;

use refrain_term::{
    ArrayValue, Assignment, Bv, Evaluator, Input, OneArena, Op, RingForm, Sort, Support, Term,
    Terms, VarId, free_symbols,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::limits::{Limits, Reason};
use bounds::BoundsCache;
pub use tables::Tables;

/// What has been seen so far: a symbol that something depends on can be defined no more.
pub trait Seen {
    fn input(&self, input: Input) -> bool;

    /// Whether something depends on an array symbol, or on a cell of it.
    fn array(&self, array: Term) -> bool;

    /// Something depends on an input from now on.
    fn note(&mut self, terms: &Terms, input: Input);
}

/// A read that can reach at most this many cells becomes a chain of choices.
const FEW_CELLS: usize = 4;

/// A read may have at most this many cells that are not constant, beside a table of those that are.
const FEW_SYMBOLIC_CELLS: usize = 24;

/// After so many steps the limits of the check are looked at.
const LOOK_AT_LIMITS: u32 = 4096;

/// Cells of an array that facts define, as a list and as an array that is zero elsewhere.
struct KnownCells {
    list: Vec<(Bv, Bv)>,
    array: ArrayValue,
}

#[derive(Default)]
pub struct Simplifier {
    /// Symbols and cells with a fact, and what they are replaced by.
    facts: FxHashMap<Term, Term>,
    /// The constant cells of array symbols among them, by symbol.
    cells: FxHashMap<Term, KnownCells>,
    /// Symbols with a fact whose value depends on a model, and those with one that does not.
    dependent: Vec<(Term, Term)>,
    constant: Vec<(Term, Term)>,
    /// Large parts of definitions: everything they depend on is an input, and can be defined no more.
    settled: FxHashSet<Term>,
    /// By symbol: the assertions that define it, or cells of it.
    sources: FxHashMap<Term, Vec<Term>>,
    bounds: BoundsCache,
    done: FxHashMap<Term, Term>,
    /// The first of the sums of products that are the same polynomial: it stands for the others.
    polynomials: FxHashMap<RingForm, Term>,
    stack: Vec<Term>,
    arena: OneArena,
}

impl Simplifier {
    /// An equivalent of `root` under the facts, unless a limit is reached first; what is simplified until then stays.
    pub fn apply(
        &mut self,
        terms: &mut Terms,
        support: &mut Support,
        tables: &mut Tables,
        root: Term,
        limits: &Limits,
    ) -> Result<Term, Reason> {
        self.arena.check(terms);
        if let Some(&known) = self.done.get(&root) {
            return Ok(known);
        }
        let mut operands = Vec::new();
        self.stack.clear();
        self.stack.push(root);
        let mut steps = 0u32;
        while let Some(&term) = self.stack.last() {
            steps += 1;
            if steps.is_multiple_of(LOOK_AT_LIMITS)
                && let Some(reason) = limits.exceeded()
            {
                return Err(reason);
            }
            if self.done.contains_key(&term) {
                self.stack.pop();
                continue;
            }
            if let Some(&fact) = self.facts.get(&term) {
                self.done.insert(term, fact);
                continue;
            }
            // A cell of a symbol that stands for itself is an input; one of a defined array is a read of its
            // definition.
            if is_cell(terms, term) && !self.facts.contains_key(&terms.arg(term, 0)) {
                self.done.insert(term, term);
                continue;
            }
            let before = self.stack.len();
            operands.clear();
            for &operand in terms.args(term) {
                match self.done.get(&operand) {
                    Some(&known) => operands.push(known),
                    None => self.stack.push(operand),
                }
            }
            if self.stack.len() > before {
                continue;
            }
            self.stack.pop();
            let result = match terms.op(term) {
                Op::Var(_) => match self.cells.get(&term) {
                    Some(cells) => terms.table(term, cells.list.clone()),
                    None => term,
                },
                _ if terms.args(term) == &operands[..] => term,
                _ => terms.rebuild(term, &operands),
            };
            let result = match terms.op(result) {
                Op::Select => self.resolve_read(terms, support, tables, result),
                Op::BvMul | Op::BvAdd => match terms.ring_form_of(result) {
                    Some(form) => *self.polynomials.entry(form).or_insert(result),
                    None => result,
                },
                Op::Eq | Op::BvUlt | Op::BvSlt => {
                    self.bounds.decide(terms, result).map_or(result, Term::bool)
                }
                _ => result,
            };
            self.bounds.of(terms, result);
            self.done.insert(term, result);
        }
        Ok(self.done[&root])
    }

    /// Plants a fault: from now on a formula is simplified to another one.
    #[cfg(test)]
    pub(crate) fn rewrite_wrongly(&mut self, formula: Term, into: Term) {
        self.done.insert(formula, into);
    }

    /// A read at an index with few possible values, by those values.
    fn resolve_read(
        &mut self,
        terms: &mut Terms,
        support: &mut Support,
        tables: &mut Tables,
        read: Term,
    ) -> Term {
        let (array, index) = (terms.arg(read, 0), terms.arg(read, 1));
        if terms.is_value(index) {
            return read;
        }
        let Some(values) = tables.possible_values(terms, support, index) else {
            return read;
        };
        let Sort::Array { element: width, .. } = terms.sort(array) else {
            unreachable!("an array")
        };
        let mut constant = Vec::new();
        let mut symbolic = Vec::new();
        for value in values.iter() {
            let at = terms.constant(value.clone());
            let element = terms.select(array, at);
            match terms.value(element) {
                Some(known) => constant.push((value.clone(), known.clone())),
                None => symbolic.push((at, element)),
            }
            if symbolic.len() > FEW_SYMBOLIC_CELLS {
                return read;
            }
        }
        if values.len() <= FEW_CELLS {
            for (at, element) in constant.drain(..) {
                let (at, element) = (terms.constant(at), terms.constant(element));
                symbolic.push((at, element));
            }
        }
        let mut result = if constant.is_empty() {
            let (_, last) = symbolic.pop().expect("an index has a value");
            last
        } else {
            let zero = terms.bv(width, 0);
            let nothing = terms.const_array(terms.width(index), zero);
            let table = terms.table(nothing, constant);
            terms.select(table, index)
        };
        for (at, element) in symbolic {
            let here = terms.eq(at, index);
            result = terms.ite(here, element, result);
        }
        result
    }

    /// Makes a fact of a conjunct of a base-level assertion, if it defines a symbol that nothing depends on so far,
    /// or a cell of one.
    pub fn learn(
        &mut self,
        terms: &mut Terms,
        support: &mut Support,
        seen: &mut impl Seen,
        assertion: Term,
        conjunct: Term,
    ) -> bool {
        self.arena.check(terms);
        let candidates = match terms.op(conjunct) {
            Op::Var(_) => vec![(conjunct, Term::TRUE)],
            Op::Not if matches!(terms.op(terms.arg(conjunct, 0)), Op::Var(_)) => {
                vec![(terms.arg(conjunct, 0), Term::FALSE)]
            }
            Op::Eq if terms.sort(terms.arg(conjunct, 0)).is_number() => {
                solutions(terms, seen, conjunct)
            }
            Op::Eq => {
                let (a, b) = (terms.arg(conjunct, 0), terms.arg(conjunct, 1));
                vec![(a, b), (b, a)]
            }
            _ => return false,
        };
        for (symbol, definition) in candidates {
            let accepted = match terms.op(symbol) {
                Op::Var(_) => self.learn_symbol(terms, support, seen, symbol, definition),
                Op::Select => self.learn_cell(terms, seen, symbol, definition),
                _ => false,
            };
            if accepted {
                // What was simplified before may still mention it.
                self.done = FxHashMap::default();
                self.polynomials = FxHashMap::default();
                let symbol = match terms.op(symbol) {
                    Op::Select => terms.arg(symbol, 0),
                    _ => symbol,
                };
                self.sources.entry(symbol).or_default().push(assertion);
                return true;
            }
        }
        false
    }

    /// Whether facts say something about an input.
    pub fn defines(&self, terms: &Terms, input: Input) -> bool {
        match input {
            Input::Symbol(symbol) => self.facts.contains_key(&symbol),
            Input::Cell(read) => {
                self.facts.contains_key(&read) || self.facts.contains_key(&terms.arg(read, 0))
            }
            Input::Array(array) => {
                self.facts.contains_key(&array) || self.cells.contains_key(&array)
            }
            Input::Func(_) => false,
        }
    }

    /// Adds the assertions that define symbols of these, and of those, to a list of assertions that cannot hold
    /// together. Simplified forms do not say which facts they are made with.
    pub fn add_sources(&self, terms: &Terms, conflict: &mut Vec<Term>) {
        let mut seen = FxHashSet::default();
        let mut place = 0;
        while !self.sources.is_empty() && place < conflict.len() {
            for symbol in free_symbols(terms, &conflict[place..place + 1]).0 {
                let term = terms.var_term(symbol);
                if let Some(sources) = self.sources.get(&term)
                    && seen.insert(term)
                {
                    conflict.extend_from_slice(sources);
                }
            }
            place += 1;
        }
        conflict.sort_unstable();
        conflict.dedup();
    }

    fn learn_symbol(
        &mut self,
        terms: &mut Terms,
        support: &mut Support,
        seen: &mut impl Seen,
        symbol: Term,
        definition: Term,
    ) -> bool {
        let is_seen = if terms.sort(symbol).is_array() {
            seen.array(symbol) || self.cells.contains_key(&symbol)
        } else {
            seen.input(Input::Symbol(symbol))
        };
        if is_seen {
            return false;
        }
        let Some(depends_on) = self.inputs_without(terms, support, symbol, definition) else {
            return false;
        };
        let is_constant = support
            .small_inputs(terms, definition)
            .is_some_and(|inputs| inputs.is_empty());
        // In an order that does not depend on how a machine lays out its hash tables.
        let mut depends_on: Vec<Input> = depends_on.into_iter().collect();
        depends_on.sort_unstable();
        for input in depends_on {
            seen.note(terms, input);
        }
        self.facts.insert(symbol, definition);
        match is_constant {
            true => self.constant.push((symbol, definition)),
            false => self.dependent.push((symbol, definition)),
        }
        true
    }

    /// What a definition depends on, as far as it is not settled; `None` if the symbol itself is among it.
    /// Definitions are often made from one another: no part of them is gone through twice.
    fn inputs_without(
        &mut self,
        terms: &Terms,
        support: &mut Support,
        symbol: Term,
        definition: Term,
    ) -> Option<FxHashSet<Input>> {
        let mut inputs = FxHashSet::default();
        let mut large = FxHashSet::default();
        let mut stack = vec![definition];
        while let Some(term) = stack.pop() {
            if let Some(few) = support.small_inputs(terms, term) {
                inputs.extend(few.iter().copied());
            } else if !self.settled.contains(&term) && large.insert(term) {
                if let Op::Apply(func) = terms.op(term) {
                    inputs.insert(Input::Func(func));
                }
                stack.extend_from_slice(terms.args(term));
            }
        }
        let itself = |&input: &Input| match input {
            Input::Symbol(term) | Input::Array(term) => term == symbol,
            Input::Cell(_) => input.array(terms) == Some(symbol),
            Input::Func(_) => false,
        };
        if inputs.iter().any(itself) {
            return None;
        }
        self.settled.extend(large);
        Some(inputs)
    }

    fn learn_cell(
        &mut self,
        terms: &Terms,
        seen: &impl Seen,
        read: Term,
        definition: Term,
    ) -> bool {
        let (array, index) = (terms.arg(read, 0), terms.arg(read, 1));
        if !matches!(terms.op(array), Op::Var(_)) {
            return false;
        }
        let (Some(index), Some(value)) = (terms.value(index), terms.value(definition)) else {
            return false;
        };
        if seen.input(Input::Array(array)) || seen.input(Input::Cell(read)) {
            return false;
        }
        let Sort::Array {
            index: index_width,
            element,
        } = terms.sort(array)
        else {
            unreachable!("an array")
        };
        let cells = self.cells.entry(array).or_insert_with(|| KnownCells {
            list: Vec::new(),
            array: ArrayValue::new(index_width, element),
        });
        cells.list.push((index.clone(), value.clone()));
        cells.array.set(index.clone(), value.clone());
        self.facts.insert(read, definition);
        true
    }

    /// The cells of an array symbol that facts define.
    pub fn known_cells(&self, array: Term) -> &[(Bv, Bv)] {
        self.cells.get(&array).map_or(&[], |cells| &cells.list)
    }

    /// How many facts there are.
    pub fn len(&self) -> usize {
        self.facts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }

    /// The symbols whose values depend on those of others.
    pub fn dependent(&self) -> &[(Term, Term)] {
        &self.dependent
    }

    /// The array symbols of which facts define cells.
    pub fn arrays(&self) -> impl Iterator<Item = Term> {
        self.cells.keys().copied()
    }

    /// What a symbol, or a cell of one, is replaced by.
    pub fn definition(&self, term: Term) -> Option<Term> {
        self.facts.get(&term).copied()
    }

    /// Gives the symbols whose values depend on those of others their values in `model`.
    pub fn complete_dependent(&self, terms: &Terms, model: &mut Assignment) {
        // Definitions do not mention defined symbols: what is evaluated stays true as the model grows.
        let mut evaluator = Evaluator::new();
        for &(symbol, definition) in &self.dependent {
            let value = evaluator.value(terms, model, definition);
            model.set(symbol_of(terms, symbol), value);
        }
    }

    /// Gives all symbols and cells that facts define their values in `model`.
    pub fn complete(&self, terms: &Terms, model: &mut Assignment) {
        self.complete_dependent(terms, model);
        let mut evaluator = Evaluator::new();
        for &(symbol, definition) in &self.constant {
            let value = evaluator.value(terms, model, definition);
            model.set(symbol_of(terms, symbol), value);
        }
        for (&array, cells) in &self.cells {
            let var = symbol_of(terms, array);
            if model.get(var).is_none() {
                model.set(var, cells.array.clone());
                continue;
            }
            for (index, value) in &cells.list {
                model.set_cell(var, index.clone(), value.clone(), terms.sort(array));
            }
        }
    }
}

/// What an equation between numbers makes of a symbol that is new and whose coefficient can be divided by.
fn solutions(terms: &mut Terms, seen: &impl Seen, equation: Term) -> Vec<(Term, Term)> {
    let (constant, sum) = (terms.arg(equation, 0), terms.arg(equation, 1));
    let (_, addends) = terms.linear_form(sum);
    let solvable = addends.iter().find(|(term, coefficient)| {
        let divides = terms.sort(*term) == Sort::Real || coefficient.abs().is_one();
        let is_new = !seen.input(Input::Symbol(*term));
        divides && is_new && matches!(terms.op(*term), Op::Var(_))
    });
    let Some((symbol, coefficient)) = solvable.cloned() else {
        return Vec::new();
    };
    // constant = coefficient * symbol + rest.
    let own = terms.num_scaled(&coefficient, symbol);
    let rest = terms.sub(sum, own);
    let difference = terms.sub(constant, rest);
    let definition = terms.num_scaled(&coefficient.inverse(), difference);
    vec![(symbol, definition)]
}

/// Whether a term is a read of a symbol at a constant index.
pub fn is_cell(terms: &Terms, term: Term) -> bool {
    terms.op(term) == Op::Select
        && matches!(terms.op(terms.arg(term, 0)), Op::Var(_))
        && terms.is_value(terms.arg(term, 1))
}

fn symbol_of(terms: &Terms, term: Term) -> VarId {
    match terms.op(term) {
        Op::Var(var) => var,
        _ => unreachable!("facts are about symbols"),
    }
}
