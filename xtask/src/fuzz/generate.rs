//! Random scripts: well-sorted terms over every operator, on stacks that grow and shrink.
//!
//! Scripts draw from few variables and from constants that matter, and keep a hidden witness: an
//! assignment that most assertions are bent to satisfy, so that both answers stay frequent on long
//! stacks. Three styles: random terms, questions as a symbolic executor asks them (see `paths`), and
//! identities from the standard's definitions (see `identities`), whose negation is unsat.

use super::ast::{
    self, Definitions, Op, Sort, T, apply, boolean, bv, expand, let_in, mask, not, op, symbol,
};
use super::evaluate::{ArrayValue, Function, Model, Value, evaluate};
use super::identities;
use super::paths;
use super::random::Rng;
use super::script::{Command, Probe, Script};

/// Widths that scripts prefer; now and then any width up to 128 is drawn instead.
const WIDTHS: &[u32] = &[
    1, 1, 2, 2, 3, 3, 4, 4, 4, 5, 6, 7, 8, 8, 8, 8, 9, 16, 16, 32, 32, 64,
];
const LARGEST_EXPANSION: usize = 250;

#[derive(Clone)]
struct Signature {
    name: String,
    parameters: Vec<Sort>,
    result: Sort,
}

/// Lengths of the scope's lists at a push, to return to at the pop.
#[derive(Clone, Copy)]
struct Mark {
    symbols: usize,
    functions: usize,
    names: usize,
    /// Does the witness satisfy everything asserted on the levels below?
    witnessed: bool,
}

pub struct Generator {
    pub rng: Rng,
    script: Script,
    symbols: Vec<(String, Sort)>,
    /// Let variables and parameters in scope of the term under construction.
    bound: Vec<(String, Sort)>,
    functions: Vec<Signature>,
    /// Named assertions.
    names: Vec<String>,
    definitions: Definitions,
    witness: Model,
    witnessed: bool,
    marks: Vec<Mark>,
    counter: usize,
    /// Nodes the term under construction may still have.
    budget: usize,
    constants: Vec<u128>,
    widths: Vec<u32>,
    arrays: Vec<(u32, u32)>,
    constant_arrays: bool,
}

pub fn script(seed: u64, index: u64) -> Script {
    let mut generator = Generator::new(Rng::for_script(seed, index));
    if generator.rng.percent(30) {
        paths::fill(&mut generator)
    } else {
        generator.fill()
    }
    generator.script
}

impl Generator {
    fn new(mut rng: Rng) -> Generator {
        let pool = 1 + rng.below(3);
        let widths = (0..pool)
            .map(|_| {
                if rng.percent(8) {
                    rng.between(1, 128)
                } else {
                    *rng.pick(WIDTHS)
                }
            })
            .collect();
        let constants = (0..3).map(|_| rng.wide()).collect();
        let script = Script {
            logic: "ALL",
            unsat_cores: rng.percent(35),
            global_declarations: rng.percent(15),
            commands: Vec::new(),
        };
        Generator {
            rng,
            script,
            symbols: Vec::new(),
            bound: Vec::new(),
            functions: Vec::new(),
            names: Vec::new(),
            definitions: Definitions::new(),
            witness: Model::default(),
            witnessed: true,
            marks: Vec::new(),
            counter: 0,
            budget: 0,
            constants,
            widths,
            arrays: Vec::new(),
            constant_arrays: false,
        }
    }

    // ---- whole scripts ----

    fn fill(&mut self) {
        let with_arrays = self.rng.percent(45);
        let with_functions = self.rng.percent(35);
        self.constant_arrays = self.rng.percent(40);
        if with_arrays {
            for _ in 0..1 + self.rng.below(2) {
                let index = if self.rng.percent(40) {
                    *self.rng.pick(&self.widths)
                } else {
                    self.rng.between(1, 8)
                };
                let element = if self.rng.percent(70) {
                    *self.rng.pick(&self.widths)
                } else {
                    self.rng.between(1, 9)
                };
                self.arrays.push((index, element));
                self.widths.push(index);
            }
        }
        let fitting = match (with_arrays, with_functions) {
            (false, false) => "QF_BV",
            (true, false) => "QF_ABV",
            (false, true) => "QF_UFBV",
            (true, true) => "QF_AUFBV",
        };
        self.script.logic = if self.rng.percent(70) { fitting } else { "ALL" };
        self.declare_all(with_functions);

        let checks = 8 + self.rng.below(32);
        while self.script.checks() < checks {
            match self.rng.weighted(&[34, 14, 7, 14, 14, 3, 2, 1, 8]) {
                0 => self.assert_random(),
                1 => {
                    let levels = if self.rng.percent(85) {
                        1
                    } else {
                        self.rng.between(2, 5)
                    };
                    self.push(levels);
                    self.assert_random();
                }
                2 => self.pop_some(),
                3 => self.check(),
                4 => self.check_assuming_random(),
                5 => self.define(),
                6 => {
                    let sort = self.random_sort();
                    self.declare(Vec::new(), sort);
                }
                7 => {
                    self.reset_assertions();
                    if !self.script.global_declarations {
                        self.declare_all(with_functions);
                    }
                }
                _ => self.check_identity(),
            }
        }
    }

    fn declare_all(&mut self, with_functions: bool) {
        for _ in 0..2 + self.rng.below(3) {
            let width = *self.rng.pick(&self.widths);
            self.declare(Vec::new(), Sort::Bv(width));
        }
        for _ in 0..1 + self.rng.below(2) {
            self.declare(Vec::new(), Sort::Bool);
        }
        for (index, element) in self.arrays.clone() {
            for _ in 0..1 + self.rng.below(3) {
                self.declare(Vec::new(), Sort::Array(index, element));
            }
            self.declare(Vec::new(), Sort::Bv(index));
        }
        if with_functions {
            for _ in 0..1 + self.rng.below(3) {
                let parameters = (0..1 + self.rng.below(3))
                    .map(|_| self.scalar_sort())
                    .collect();
                let result = self.scalar_sort();
                self.declare(parameters, result);
            }
        }
    }

    fn scalar_sort(&mut self) -> Sort {
        if self.rng.percent(25) {
            Sort::Bool
        } else {
            Sort::Bv(*self.rng.pick(&self.widths))
        }
    }

    fn random_sort(&mut self) -> Sort {
        if !self.arrays.is_empty() && self.rng.percent(30) {
            let &(index, element) = self.rng.pick(&self.arrays);
            Sort::Array(index, element)
        } else {
            self.scalar_sort()
        }
    }

    // ---- commands ----

    fn fresh(&mut self, prefix: &str) -> String {
        self.counter += 1;
        format!("{prefix}{}", self.counter)
    }

    /// Declares a symbol or function and gives it a value in the witness.
    pub fn declare(&mut self, parameters: Vec<Sort>, result: Sort) -> T {
        let name = self.fresh(match (parameters.is_empty(), result) {
            (false, _) => "f",
            (_, Sort::Bool) => "p",
            (_, Sort::Bv(_)) => "x",
            (_, Sort::Array(..)) => "a",
        });
        let term = symbol(&name, result);
        if parameters.is_empty() {
            let value = self.random_value(result);
            self.witness.symbols.insert(name.clone(), value);
            self.symbols.push((name.clone(), result));
        } else {
            self.witness
                .functions
                .insert(name.clone(), Function::Hashed(self.rng.next(), result));
            self.functions.push(Signature {
                name: name.clone(),
                parameters: parameters.clone(),
                result,
            });
        }
        self.script.commands.push(Command::Declare {
            name,
            parameters,
            result,
        });
        term
    }

    /// Fixes what the witness takes a declared array to be.
    pub fn let_witness_know(&mut self, array: &T, value: ArrayValue) {
        self.witness
            .symbols
            .insert(array.to_string(), Value::Array(value));
    }

    fn random_value(&mut self, sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(self.rng.percent(50)),
            Sort::Bv(width) => Value::Bv(self.constant(width)),
            Sort::Array(index_width, element) => {
                let default = self.constant(element);
                let entries = (0..3)
                    .map(|_| (self.constant(index_width), self.constant(element)))
                    .collect();
                Value::Array(ArrayValue {
                    index_width,
                    default,
                    entries,
                })
            }
        }
    }

    fn define(&mut self) {
        let parameters: Vec<(String, Sort)> = (0..self.rng.below(3))
            .map(|_| (self.fresh("q"), self.scalar_sort()))
            .collect();
        let result = self.random_sort();
        self.bound = parameters.clone();
        self.budget = 10;
        let body = self.term(result, 2);
        self.bound.clear();
        if expand(&body, &self.definitions).size > 40 {
            return;
        }
        let name = self.fresh("d");
        let names = parameters.iter().map(|(name, _)| name.clone()).collect();
        self.definitions.insert(name.clone(), (names, body.clone()));
        if parameters.is_empty() {
            self.symbols.push((name.clone(), result));
        } else {
            let sorts = parameters.iter().map(|(_, sort)| *sort).collect();
            self.functions.push(Signature {
                name: name.clone(),
                parameters: sorts,
                result,
            });
        }
        self.script.commands.push(Command::Define {
            name,
            parameters,
            body,
        });
    }

    /// What the witness makes of a Boolean term.
    fn witness_holds(&self, term: &T) -> bool {
        matches!(
            evaluate(&expand(term, &self.definitions), &self.witness),
            Ok(Value::Bool(true))
        )
    }

    /// The term or its negation, as the witness likes it.
    pub fn bent(&mut self, term: T) -> T {
        if self.witness_holds(&term) {
            return term;
        }
        if self.rng.percent(20) {
            op(Op::Eq, [boolean(false), term])
        } else {
            not(term)
        }
    }

    pub fn assert(&mut self, term: T) {
        self.witnessed &= self.witness_holds(&term);
        let named = self
            .rng
            .percent(if self.script.unsat_cores { 75 } else { 8 });
        let name = named.then(|| self.fresh("n"));
        if let Some(name) = &name {
            self.definitions
                .insert(name.clone(), (Vec::new(), term.clone()));
            if expand(&term, &self.definitions).size < 30 {
                self.names.push(name.clone());
            }
        }
        self.script.commands.push(Command::Assert { term, name });
    }

    fn assert_random(&mut self) {
        let term = self.fact();
        // The base level stays satisfiable: below it everything would be unsat for good.
        let bend = if self.marks.is_empty() { 97 } else { 45 };
        let term = if self.rng.percent(bend) {
            self.bent(term)
        } else {
            term
        };
        self.assert(term);
    }

    pub fn push(&mut self, levels: u32) {
        let mark = Mark {
            symbols: self.symbols.len(),
            functions: self.functions.len(),
            names: self.names.len(),
            witnessed: self.witnessed,
        };
        self.marks
            .extend(std::iter::repeat_n(mark, levels as usize));
        self.script.commands.push(Command::Push(levels));
    }

    pub fn depth(&self) -> u32 {
        self.marks.len() as u32
    }

    pub fn pop(&mut self, levels: u32) {
        let mark = self.marks[self.marks.len() - levels as usize];
        self.marks.truncate(self.marks.len() - levels as usize);
        self.return_to(mark);
        self.script.commands.push(Command::Pop(levels));
    }

    fn return_to(&mut self, mark: Mark) {
        if !self.script.global_declarations {
            self.symbols.truncate(mark.symbols);
            self.functions.truncate(mark.functions);
        } else {
            // A definition may speak of names that are gone; only what was declared is kept in use.
            let declared = |name: &str| !self.definitions.contains_key(name);
            let mut place = 0;
            self.symbols.retain(|(name, _)| {
                place += 1;
                place <= mark.symbols || declared(name)
            });
            place = 0;
            self.functions.retain(|function| {
                place += 1;
                place <= mark.functions || declared(&function.name)
            });
        }
        self.names.truncate(mark.names);
        self.witnessed = mark.witnessed;
    }

    fn pop_some(&mut self) {
        if self.depth() > 0 {
            let most = if self.rng.percent(70) {
                1
            } else {
                self.depth()
            };
            let levels = self.rng.between(1, most);
            self.pop(levels);
        }
    }

    fn reset_assertions(&mut self) {
        self.marks.clear();
        self.return_to(Mark {
            symbols: 0,
            functions: 0,
            names: 0,
            witnessed: true,
        });
        self.script.commands.push(Command::ResetAssertions);
    }

    fn probe(&mut self) -> Probe {
        if self.rng.percent(70) {
            Probe::Values
        } else {
            Probe::Model
        }
    }

    pub fn check(&mut self) {
        let probe = self.probe();
        self.script.commands.push(Command::Check {
            assuming: None,
            probe,
        });
        // Probably unsat by now: do not linger.
        if !self.witnessed && self.rng.percent(55) {
            self.pop_some();
        }
    }

    pub fn check_assuming(&mut self, terms: Vec<T>) {
        let probe = self.probe();
        self.script.commands.push(Command::Check {
            assuming: Some(terms),
            probe,
        });
    }

    fn check_assuming_random(&mut self) {
        let bend = *self.rng.pick(&[0, 50, 100]);
        let terms = (0..self.rng.below(5))
            .map(|_| {
                let term = if self.rng.percent(30) {
                    self.literal()
                } else {
                    self.fact()
                };
                if self.rng.percent(bend) {
                    self.bent(term)
                } else {
                    term
                }
            })
            .collect();
        self.check_assuming(terms);
    }

    /// A Boolean symbol or name, perhaps negated: what the standard calls a literal.
    fn literal(&mut self) -> T {
        let named = !self.names.is_empty() && self.rng.percent(50);
        let term = if named {
            symbol(self.rng.pick(&self.names).clone(), Sort::Bool)
        } else {
            self.visible(Sort::Bool).unwrap_or_else(|| boolean(true))
        };
        if self.rng.percent(40) {
            not(term)
        } else {
            term
        }
    }

    fn check_identity(&mut self) {
        let identity = identities::draw(self);
        if expand(&identity, &self.definitions).size > 2 * LARGEST_EXPANSION {
            return;
        }
        if self.rng.percent(50) {
            self.check_assuming(vec![not(identity)]);
        } else {
            self.push(1);
            self.assert(not(identity));
            let probe = self.probe();
            self.script.commands.push(Command::Check {
                assuming: None,
                probe,
            });
            self.pop(1);
        }
    }

    // ---- terms ----

    pub fn constant(&mut self, width: u32) -> u128 {
        let value = match self.rng.weighted(&[4, 3, 2, 2, 2, 2, 3, 4, 1]) {
            0 => 0,
            1 => 1,
            2 => mask(width),
            3 => 1 << (width - 1),
            4 => mask(width) >> 1,
            5 => 1 << self.rng.below(width as usize),
            6 => self.rng.below(12) as u128,
            7 => *self.rng.pick(&self.constants),
            _ => self.rng.wide(),
        };
        value & mask(width)
    }

    fn literal_constant(&mut self, width: u32) -> T {
        bv(self.constant(width), width)
    }

    /// A symbol of this sort that is in scope and not shadowed.
    fn visible(&mut self, sort: Sort) -> Option<T> {
        let shadowed = |name: &str| self.bound.iter().any(|(bound, _)| bound == name);
        let mut choices: Vec<&str> = Vec::new();
        for (place, (name, of)) in self.bound.iter().enumerate() {
            if *of == sort
                && !self.bound[place + 1..]
                    .iter()
                    .any(|(later, _)| later == name)
            {
                // Bound variables are there to be used.
                choices.extend([name.as_str(), name.as_str(), name.as_str()]);
            }
        }
        choices.extend(
            self.symbols
                .iter()
                .filter(|(name, of)| *of == sort && !shadowed(name))
                .map(|(name, _)| name.as_str()),
        );
        if choices.is_empty() {
            return None;
        }
        let name = choices[self.rng.below(choices.len())].to_string();
        Some(symbol(name, sort))
    }

    /// A Boolean term of moderate size, as an assertion or an assumption.
    pub fn fact(&mut self) -> T {
        for budget in [24, 14, 8] {
            self.budget = self.rng.between(4, budget) as usize;
            let depth = self.rng.between(1, 4);
            let term = self.term(Sort::Bool, depth);
            if expand(&term, &self.definitions).size <= LARGEST_EXPANSION {
                return term;
            }
        }
        boolean(true)
    }

    /// An operand for an identity.
    pub fn operand(&mut self, width: u32) -> T {
        self.budget = 5;
        let depth = self.rng.between(0, 2);
        self.term(Sort::Bv(width), depth)
    }

    pub fn array_operand(&mut self) -> Option<T> {
        if self.arrays.is_empty() {
            return None;
        }
        let &(index, element) = self.rng.pick(&self.arrays);
        self.budget = 5;
        Some(self.term(Sort::Array(index, element), 1))
    }

    pub fn some_width(&mut self) -> u32 {
        *self.rng.pick(&self.widths)
    }

    fn term(&mut self, sort: Sort, depth: u32) -> T {
        self.budget = self.budget.saturating_sub(1);
        if depth == 0 || self.budget == 0 {
            return self.leaf(sort);
        }
        if self.rng.percent(5) {
            return self.let_term(sort, depth);
        }
        if self.rng.percent(12)
            && let Some(term) = self.application(sort, depth)
        {
            return term;
        }
        match sort {
            Sort::Bool => self.boolean_term(depth),
            Sort::Bv(width) => self.bit_vector_term(width, depth),
            Sort::Array(index, element) => self.array_term(index, element, depth),
        }
    }

    fn leaf(&mut self, sort: Sort) -> T {
        match sort {
            Sort::Bool => match self.rng.weighted(&[8, 2, 1]) {
                0 => self.literal(),
                1 => match self.visible(Sort::Bool) {
                    Some(term) => term,
                    None => boolean(self.rng.percent(50)),
                },
                _ => boolean(self.rng.percent(50)),
            },
            Sort::Bv(width) => {
                if self.rng.percent(72) {
                    if let Some(term) = self.visible(sort) {
                        return term;
                    }
                    if let Some(term) = self.resized(width) {
                        return term;
                    }
                }
                self.literal_constant(width)
            }
            Sort::Array(index, element) => match self.visible(sort) {
                Some(term) => term,
                None => {
                    self.constant_arrays = true;
                    op(Op::ConstArray(index), [self.literal_constant(element)])
                }
            },
        }
    }

    /// A variable of another width, cut or extended to fit.
    fn resized(&mut self, width: u32) -> Option<T> {
        let from = *self.rng.pick(&self.widths);
        let variable = self.visible(Sort::Bv(from))?;
        Some(self.fit(variable, width))
    }

    pub fn fit(&mut self, term: T, width: u32) -> T {
        let from = term.sort.width();
        if from > width {
            let low = self.rng.between(0, from - width);
            op(Op::Extract(low + width - 1, low), [term])
        } else if self.rng.percent(50) {
            op(Op::ZeroExtend(width - from), [term])
        } else {
            op(Op::SignExtend(width - from), [term])
        }
    }

    fn let_term(&mut self, sort: Sort, depth: u32) -> T {
        let mut names: Vec<String> = Vec::new();
        let mut values = Vec::new();
        for _ in 0..1 + self.rng.below(2) {
            let of = self.random_sort();
            values.push(self.term(of, depth - 1));
            // Sometimes an outer symbol is shadowed.
            let outer: Vec<String> = self.symbols.iter().map(|(name, _)| name.clone()).collect();
            let shadow =
                (!outer.is_empty() && self.rng.percent(15)).then(|| self.rng.pick(&outer).clone());
            let name = shadow
                .filter(|name| !names.contains(name))
                .unwrap_or_else(|| self.fresh("l"));
            names.push(name);
        }
        let before = self.bound.len();
        self.bound.extend(
            names
                .iter()
                .cloned()
                .zip(values.iter().map(|value| value.sort)),
        );
        let body = self.term(sort, depth - 1);
        self.bound.truncate(before);
        let_in(names, values, body)
    }

    fn application(&mut self, sort: Sort, depth: u32) -> Option<T> {
        let fitting: Vec<Signature> = self
            .functions
            .iter()
            .filter(|f| f.result == sort)
            .cloned()
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let function = self.rng.pick(&fitting).clone();
        let args = function
            .parameters
            .iter()
            .map(|&sort| self.term(sort, depth - 1))
            .collect();
        Some(apply(function.name, args, sort))
    }

    fn several(&mut self, sort: Sort, depth: u32) -> Vec<T> {
        let count = if self.rng.percent(75) {
            2
        } else {
            3 + self.rng.below(2)
        };
        (0..count).map(|_| self.term(sort, depth - 1)).collect()
    }

    fn boolean_term(&mut self, depth: u32) -> T {
        use Op::*;
        match self.rng.weighted(&[22, 22, 24, 12, 6, 6]) {
            0 => {
                let operator = *self
                    .rng
                    .pick(&[And, Or, And, Or, Xor, Implies, Eq, Distinct]);
                let args = match operator {
                    Distinct => vec![
                        self.term(Sort::Bool, depth - 1),
                        self.term(Sort::Bool, depth - 1),
                    ],
                    _ => self.several(Sort::Bool, depth),
                };
                op(operator, args)
            }
            1 => {
                let width = self.some_width();
                let operator = *self.rng.pick(&[Eq, Eq, Eq, Distinct]);
                let mut args = if self.rng.percent(80) {
                    vec![
                        self.term(Sort::Bv(width), depth - 1),
                        self.term(Sort::Bv(width), depth - 1),
                    ]
                } else {
                    self.several(Sort::Bv(width), depth)
                };
                if self.rng.percent(45) {
                    let last = args.len() - 1;
                    args[last] = self.literal_constant(width);
                }
                op(operator, args)
            }
            2 => {
                let operator = *self
                    .rng
                    .pick(&[BvUlt, BvUle, BvUgt, BvUge, BvSlt, BvSle, BvSgt, BvSge]);
                let width = self.some_width();
                let left = self.term(Sort::Bv(width), depth - 1);
                let right = if self.rng.percent(45) {
                    self.literal_constant(width)
                } else {
                    self.term(Sort::Bv(width), depth - 1)
                };
                if self.rng.percent(80) {
                    op(operator, [left, right])
                } else {
                    op(operator, [right, left])
                }
            }
            3 => self.overflow_term(depth),
            4 if !self.arrays.is_empty() => {
                let &(index, element) = self.rng.pick(&self.arrays);
                let operator = *self.rng.pick(&[Eq, Eq, Distinct]);
                let args = match self.rng.percent(85) {
                    true => (0..2)
                        .map(|_| self.term(Sort::Array(index, element), depth - 1))
                        .collect(),
                    false => self.several(Sort::Array(index, element), depth),
                };
                op(operator, args)
            }
            _ => match self.rng.percent(50) {
                true => not(self.term(Sort::Bool, depth - 1)),
                false => self.ite(Sort::Bool, depth),
            },
        }
    }

    fn overflow_term(&mut self, depth: u32) -> T {
        use Op::*;
        let width = self.some_width();
        let operator = *self.rng.pick(&[
            BvNegO, BvUaddO, BvSaddO, BvUmulO, BvSmulO, BvUsubO, BvSsubO, BvSdivO,
        ]);
        let operator = if matches!(operator, BvUmulO | BvSmulO) && !self.affordable(width) {
            BvSaddO
        } else {
            operator
        };
        let left = self.term(Sort::Bv(width), depth - 1);
        if operator == BvNegO {
            return op(operator, [left]);
        }
        let right = self.term(Sort::Bv(width), depth - 1);
        op(operator, [left, right])
    }

    fn ite(&mut self, sort: Sort, depth: u32) -> T {
        let test = self.term(Sort::Bool, depth - 1);
        let yes = self.term(sort, depth - 1);
        let no = self.term(sort, depth - 1);
        op(Op::Ite, [test, yes, no])
    }

    /// May a multiplication or division of this width be used? Wide ones are rare, or checks get slow.
    fn affordable(&mut self, width: u32) -> bool {
        let chance = match width {
            0..=5 => 100,
            6..=8 => 40,
            9..=12 => 10,
            13..=32 => 3,
            _ => 1,
        };
        self.rng.percent(chance)
    }

    fn bit_vector_term(&mut self, width: u32, depth: u32) -> T {
        use Op::*;
        let sort = Sort::Bv(width);
        let simple = |generator: &mut Self| {
            let operator = *generator.rng.pick(&[BvAnd, BvOr, BvXor, BvAdd, BvAdd]);
            let args = generator.several(sort, depth);
            op(operator, args)
        };
        match self.rng.weighted(&[8, 18, 12, 9, 14, 9, 8, 8, 5, 4, 8, 12]) {
            0 => op(
                *self.rng.pick(&[BvNot, BvNeg]),
                [self.term(sort, depth - 1)],
            ),
            1 => simple(self),
            2 => {
                let operator = *self.rng.pick(&[BvSub, BvSub, BvNand, BvNor, BvXnor]);
                op(
                    operator,
                    [self.term(sort, depth - 1), self.term(sort, depth - 1)],
                )
            }
            3 => {
                let operator = *self.rng.pick(&[BvShl, BvLshr, BvAshr]);
                let by = if self.rng.percent(40) {
                    bv(self.rng.below(width as usize + 2) as u128, width)
                } else {
                    self.term(sort, depth - 1)
                };
                op(operator, [self.term(sort, depth - 1), by])
            }
            4 => {
                let operator = *self
                    .rng
                    .pick(&[BvMul, BvMul, BvUdiv, BvUrem, BvSdiv, BvSrem, BvSmod]);
                if self.affordable(width) {
                    let args = match operator {
                        BvMul if width < 6 => self.several(sort, depth),
                        _ => vec![self.term(sort, depth - 1), self.term(sort, depth - 1)],
                    };
                    return op(operator, args);
                }
                if width <= 64 && self.rng.percent(30) {
                    // By a constant: wide ones stay cheap enough.
                    let by = bv(*self.rng.pick(&[2, 3, 4, 8, 10, 16, 0, 1]), width);
                    return op(operator, [self.leaf(sort), by]);
                }
                simple(self)
            }
            5 if width >= 2 => {
                let cut = self.rng.between(1, width - 1);
                let mut parts = vec![cut, width - cut];
                if parts[1] >= 2 && self.rng.percent(25) {
                    let again = self.rng.between(1, parts[1] - 1);
                    parts = vec![cut, again, width - cut - again];
                }
                let args: Vec<T> = parts
                    .into_iter()
                    .map(|part| self.term(Sort::Bv(part), depth - 1))
                    .collect();
                op(Concat, args)
            }
            6 if width < 128 => {
                let wider = if self.rng.percent(60) {
                    self.some_width().clamp(width, 128)
                } else {
                    (width + self.rng.between(1, 8)).min(128)
                };
                let low = self.rng.between(0, wider - width);
                op(
                    Extract(low + width - 1, low),
                    [self.term(Sort::Bv(wider), depth - 1)],
                )
            }
            7 => {
                let from = if self.rng.percent(60) {
                    self.some_width().min(width)
                } else {
                    self.rng.between(1, width)
                };
                let extend = *self.rng.pick(&[ZeroExtend as fn(u32) -> Op, SignExtend]);
                op(extend(width - from), [self.term(Sort::Bv(from), depth - 1)])
            }
            8 => {
                let by = self.rng.between(0, 2 * width);
                let rotate = *self.rng.pick(&[RotateLeft as fn(u32) -> Op, RotateRight]);
                op(rotate(by), [self.term(sort, depth - 1)])
            }
            9 => {
                let divisors: Vec<u32> = (1..=width)
                    .filter(|times| width.is_multiple_of(*times))
                    .collect();
                let times = *self.rng.pick(&divisors);
                op(
                    Repeat(times),
                    [self.term(Sort::Bv(width / times), depth - 1)],
                )
            }
            10 if width == 1 => {
                let of = Sort::Bv(self.some_width());
                op(BvComp, [self.term(of, depth - 1), self.term(of, depth - 1)])
            }
            11 => {
                let fitting: Vec<(u32, u32)> = self
                    .arrays
                    .iter()
                    .copied()
                    .filter(|&(_, element)| element == width)
                    .collect();
                if fitting.is_empty() {
                    return self.ite(sort, depth);
                }
                let &(index, element) = self.rng.pick(&fitting);
                let array = self.term(Sort::Array(index, element), depth - 1);
                let at = self.term(Sort::Bv(index), depth - 1);
                op(Select, [array, at])
            }
            _ => self.ite(sort, depth),
        }
    }

    fn array_term(&mut self, index: u32, element: u32, depth: u32) -> T {
        let sort = Sort::Array(index, element);
        match self.rng.weighted(&[25, 45, 15, 15]) {
            1 => {
                let array = self.term(sort, depth - 1);
                let at = self.term(Sort::Bv(index), depth - 1);
                let value = self.term(Sort::Bv(element), depth - 1);
                op(Op::Store, [array, at, value])
            }
            2 if self.constant_arrays => {
                let value = self.term(Sort::Bv(element), 1.min(depth - 1));
                // z3 and cvc5 want the element of a constant array to be a value.
                let value = if value.args.is_empty() && matches!(value.node, ast::Node::Bv(_)) {
                    value
                } else {
                    self.literal_constant(element)
                };
                op(Op::ConstArray(index), [value])
            }
            3 => self.ite(sort, depth),
            _ => self.leaf(sort),
        }
    }
}
