//! What sessions talk about: few variables of few sorts, few constants next to each other, and conditions
//! that compare the same few subjects with them. So conditions imply each other, and answers can be reused.

use crate::fuzz::ast::{Node, Notation, Op, Sort, T, apply, bv, int, mask, not, op, real, symbol};
use crate::fuzz::evaluate::{ArrayValue, Model, Value, evaluate};
use crate::fuzz::generate::Generator;
use crate::fuzz::theory::Theory;
use crate::random::Rng;
use num_bigint::BigInt;
use num_rational::BigRational;
use std::collections::HashMap;

const WIDTHS: &[u32] = &[1, 8, 8, 8, 16, 32, 32, 64, 70];
/// How many cells of an array are looked at.
const CELLS: usize = 4;

/// What a script declares, and the constants it uses.
pub struct Plan {
    /// Sorts of which there are variables, and how many of each.
    scalars: Vec<(Sort, usize)>,
    /// Arrays of one sort.
    arrays: Option<(Sort, usize)>,
    /// An array whose cells are asserted one by one.
    table: Option<Vec<u128>>,
    /// Functions of one argument.
    functions: Vec<(Sort, Sort)>,
    constants: HashMap<Sort, Vec<T>>,
}

impl Plan {
    pub fn draw(rng: &mut Rng) -> Plan {
        let mut scalars = Vec::new();
        let bits = rng.percent(75);
        if bits {
            for _ in 0..rng.between(1, 2) {
                scalars.push(Sort::Bv(*rng.pick(WIDTHS)));
            }
        }
        if !bits || rng.percent(25) {
            scalars.push(if rng.percent(65) {
                Sort::Int
            } else {
                Sort::Real
            });
        }
        if !bits && rng.percent(15) {
            scalars.push(*rng.pick(&[Sort::Int, Sort::Real]));
        }
        scalars.dedup();
        let arrays = (bits && rng.percent(55)).then(|| {
            let index = *rng.pick(&[8, 16, 32, 32]);
            let element = match rng.pick(&scalars) {
                Sort::Bv(width) if rng.percent(30) => *width,
                _ => 8,
            };
            (Sort::Array(index, element), rng.between(1, 2) as usize)
        });
        let mut sorts = scalars.clone();
        if let Some((Sort::Array(_, element), _)) = arrays {
            sorts.push(Sort::Bv(element));
        }
        let functions = if rng.percent(25) {
            vec![(*rng.pick(&sorts), *rng.pick(&sorts))]
        } else {
            Vec::new()
        };
        let constants = sorts
            .iter()
            .map(|&sort| (sort, neighbours(sort, rng)))
            .collect();
        let table = (arrays.is_some() && rng.percent(45)).then(|| {
            let kinds: Vec<u128> = (0..3).map(|_| rng.below(9) as u128).collect();
            let size = *rng.pick(&[4, 8, 16]);
            (0..size).map(|_| *rng.pick(&kinds)).collect()
        });
        let count = |rng: &mut Rng| rng.between(2, 3) as usize;
        let mut scalars: Vec<(Sort, usize)> =
            scalars.into_iter().map(|sort| (sort, count(rng))).collect();
        scalars.push((Sort::Bool, 2));
        Plan {
            scalars,
            arrays,
            table,
            functions,
            constants,
        }
    }

    pub fn theory(&self) -> Theory {
        let has = |sort: Sort| self.scalars.iter().any(|&(other, _)| other == sort);
        let bits = self.scalars.iter().any(|(sort, _)| is_bits(*sort));
        match (bits, has(Sort::Int), has(Sort::Real)) {
            (_, false, false) => Theory::Bv,
            (false, true, false) => Theory::Lia,
            (false, false, true) => Theory::Lra,
            _ => Theory::Mixed,
        }
    }

    /// The constants of a sort, if it has its own.
    pub fn constants(&self, sort: Sort) -> Option<&[T]> {
        self.constants.get(&sort).map(Vec::as_slice)
    }
}

fn is_bits(sort: Sort) -> bool {
    matches!(sort, Sort::Bv(_))
}

/// A few constants of a sort, most of them next to each other.
fn neighbours(sort: Sort, rng: &mut Rng) -> Vec<T> {
    match sort {
        Sort::Bv(width) => {
            let top = 1_u128 << (width - 1);
            let anywhere = rng.wide();
            let centre = *rng.pick(&[1, 5, 5, 0x30, 0x61, top, mask(width), anywhere]);
            let mut values: Vec<u128> = (0..5).map(|step| centre.wrapping_add(step)).collect();
            values.extend([*rng.pick(&[0, top]), *rng.pick(&[mask(width), top - 1])]);
            values.into_iter().map(|value| bv(value, width)).collect()
        }
        Sort::Real => {
            let centre = *rng.pick(&[0, 3, -2, 40]);
            let halves = (0..6).map(|step| BigRational::new((2 * centre + step).into(), 2.into()));
            halves.map(|value| real(value, Notation::Decimal)).collect()
        }
        _ => {
            let centre = *rng.pick(&[0, 4, -3, 100]);
            (0..6).map(|step| int(centre + step)).collect()
        }
    }
}

fn constant_value(term: &T) -> Value {
    evaluate(term, &Model::default()).unwrap_or(Value::Bool(false))
}

/// What is declared at the moment.
pub struct World<'p> {
    plan: &'p Plan,
    scalars: Vec<T>,
    inputs: Vec<T>,
    table: Option<T>,
    functions: Vec<T>,
}

impl<'p> World<'p> {
    /// Declares everything, and asserts the table.
    pub fn declare(generator: &mut Generator, plan: &'p Plan) -> World<'p> {
        let mut scalars = Vec::new();
        for &(sort, count) in &plan.scalars {
            for _ in 0..count {
                let variable = generator.declare(Vec::new(), sort);
                if let Some(constants) = plan.constants(sort) {
                    let value = constant_value(generator.rng.pick(constants));
                    generator.let_witness_know(&variable, value);
                }
                scalars.push(variable);
            }
        }
        let inputs = plan.arrays.map_or_else(Vec::new, |(sort, count)| {
            (0..count)
                .map(|_| declare_input(generator, plan, sort))
                .collect()
        });
        let functions = plan
            .functions
            .iter()
            .map(|&(from, to)| generator.declare(vec![from], to))
            .collect();
        let mut world = World {
            plan,
            scalars,
            inputs,
            table: None,
            functions,
        };
        if let (Some((sort, _)), Some(cells)) = (plan.arrays, &plan.table) {
            let table = generator.declare(Vec::new(), sort);
            world.table = Some(table.clone());
            assert_table(generator, &table, cells);
        }
        world
    }

    /// Asserts what holds on every path, after a reset of assertions.
    pub fn assert_base(&self, generator: &mut Generator) {
        if let (Some(table), Some(cells)) = (&self.table, &self.plan.table) {
            assert_table(generator, table, cells);
        }
    }

    fn declared(&self) -> impl Iterator<Item = &T> {
        let arrays = self.inputs.iter().chain(&self.table);
        self.scalars.iter().chain(arrays).chain(&self.functions)
    }

    /// The names of this world for those of another one with the same plan.
    pub fn names_for(&self, other: &World) -> HashMap<String, String> {
        let names =
            |world: &World| -> Vec<String> { world.declared().map(ToString::to_string).collect() };
        names(other).into_iter().zip(names(self)).collect()
    }

    /// Other variables for variables of the same sort.
    pub fn exchange(&self, rng: &mut Rng) -> HashMap<String, String> {
        let mut names = HashMap::new();
        for from in self.scalars.iter().chain(&self.inputs) {
            let others: Vec<&T> = self
                .scalars
                .iter()
                .chain(&self.inputs)
                .filter(|other| other.sort == from.sort)
                .filter(|other| !names.values().any(|taken| *taken == other.to_string()))
                .collect();
            names.insert(from.to_string(), rng.pick(&others).to_string());
        }
        names
    }

    fn constant(&self, rng: &mut Rng, sort: Sort) -> T {
        match (self.plan.constants(sort), sort) {
            (Some(constants), _) => rng.pick(constants).clone(),
            (None, Sort::Bv(width)) => bv(rng.below(8) as u128, width),
            (None, Sort::Real) => real(BigInt::from(rng.below(4)).into(), Notation::Decimal),
            (None, _) => int(rng.below(4)),
        }
    }

    fn variable(&self, rng: &mut Rng, sort: Sort) -> Option<T> {
        let fitting: Vec<&T> = self.scalars.iter().filter(|t| t.sort == sort).collect();
        (!fitting.is_empty()).then(|| (*rng.pick(&fitting)).clone())
    }

    /// A variable, or a cell of an array where there is none.
    fn leaf(&self, rng: &mut Rng, sort: Sort) -> T {
        self.variable(rng, sort)
            .or_else(|| self.read(rng, sort))
            .unwrap_or_else(|| self.constant(rng, sort))
    }

    /// A term that conditions are about.
    fn subject(&self, rng: &mut Rng, sort: Sort) -> T {
        if rng.percent(22)
            && let Some(read) = self.read(rng, sort)
        {
            return read;
        }
        if rng.percent(10)
            && let Some(application) = self.application(rng, sort)
        {
            return application;
        }
        if rng.percent(45) {
            return self.leaf(rng, sort);
        }
        match sort {
            Sort::Bv(width) => self.word(rng, width),
            _ => self.sum(rng, sort),
        }
    }

    fn word(&self, rng: &mut Rng, width: u32) -> T {
        let sort = Sort::Bv(width);
        let leaf = self.leaf(rng, sort);
        match rng.weighted(&[24, 14, 12, 8, 8, 24, 10]) {
            0 => op(Op::BvAdd, [leaf, self.constant(rng, sort)]),
            1 => op(Op::BvAdd, [leaf, self.leaf(rng, sort)]),
            2 => op(Op::BvSub, [leaf, self.leaf(rng, sort)]),
            3 => op(Op::BvMul, [bv(rng.between(2, 3).into(), width), leaf]),
            4 => op(Op::BvAnd, [leaf, bv(*rng.pick(&[1, 3, 15]), width)]),
            5 => self.resized(rng, width),
            _ => op(Op::BvNeg, [leaf]),
        }
    }

    /// A word of another width, made to fit.
    fn resized(&self, rng: &mut Rng, width: u32) -> T {
        let words: Vec<T> = self
            .scalars
            .iter()
            .filter(|t| is_bits(t.sort))
            .cloned()
            .collect();
        let mut word = match (&self.plan.arrays, rng.percent(50)) {
            (Some((Sort::Array(_, element), _)), true) => self.read(rng, Sort::Bv(*element)),
            _ => None,
        }
        .unwrap_or_else(|| match words.is_empty() {
            true => bv(1, width),
            false => rng.pick(&words).clone(),
        });
        // Two cells side by side, the way memory is read.
        if word.sort.width() * 2 <= width
            && let Some(next) = self.read(rng, word.sort)
        {
            word = op(Op::Concat, [next, word]);
        }
        let from = word.sort.width();
        match (from.cmp(&width), rng.percent(50)) {
            (std::cmp::Ordering::Less, true) => op(Op::ZeroExtend(width - from), [word]),
            (std::cmp::Ordering::Less, false) => op(Op::SignExtend(width - from), [word]),
            (std::cmp::Ordering::Equal, _) => word,
            (std::cmp::Ordering::Greater, true) => op(Op::Extract(width - 1, 0), [word]),
            (std::cmp::Ordering::Greater, false) => op(Op::Extract(from - 1, from - width), [word]),
        }
    }

    fn sum(&self, rng: &mut Rng, sort: Sort) -> T {
        let (left, right) = (self.leaf(rng, sort), self.leaf(rng, sort));
        let factor = |rng: &mut Rng| match sort {
            Sort::Int => int(*rng.pick(&[2, 3, -1])),
            _ => real(
                BigInt::from(*rng.pick(&[2, 3, -1])).into(),
                Notation::Decimal,
            ),
        };
        match rng.weighted(&[22, 26, 22, 10, 10, 10]) {
            0 => op(Op::Add, [left, right]),
            1 => op(Op::Sub, [left, right]),
            2 => {
                let (a, b) = (factor(rng), factor(rng));
                op(Op::Add, [op(Op::Mul, [a, left]), op(Op::Mul, [b, right])])
            }
            3 => op(Op::Mul, [factor(rng), left]),
            4 if sort == Sort::Int => {
                let operator = *rng.pick(&[Op::Div, Op::Mod]);
                op(operator, [left, int(rng.between(2, 3))])
            }
            _ => {
                let test = self.leaf(rng, Sort::Bool);
                op(Op::Ite, [test, left, right])
            }
        }
    }

    /// A cell of an array whose elements have this sort.
    fn read(&self, rng: &mut Rng, sort: Sort) -> Option<T> {
        let (Sort::Array(index, element), _) = self.plan.arrays? else {
            return None;
        };
        if sort != Sort::Bv(element) {
            return None;
        }
        let array = match &self.table {
            Some(table) if rng.percent(25) => table.clone(),
            _ => rng.pick(&self.inputs).clone(),
        };
        let array = if rng.percent(15) {
            let at = self.index(rng, index);
            let value = self.variable(rng, sort);
            let value = value.unwrap_or_else(|| self.constant(rng, sort));
            op(Op::Store, [array, at, value])
        } else {
            array
        };
        Some(op(Op::Select, [array, self.index(rng, index)]))
    }

    fn index(&self, rng: &mut Rng, width: u32) -> T {
        if rng.percent(70) {
            return bv(rng.below(CELLS) as u128, width);
        }
        let index = match self.variable(rng, Sort::Bv(width)) {
            Some(index) => index,
            None => {
                let words: Vec<&T> = self.scalars.iter().filter(|t| is_bits(t.sort)).collect();
                let word = (*rng.pick(&words)).clone();
                let from = word.sort.width();
                if from <= width {
                    op(Op::ZeroExtend(width - from), [word])
                } else {
                    op(Op::Extract(width - 1, 0), [word])
                }
            }
        };
        if rng.percent(50) {
            return op(Op::BvAnd, [index, bv(CELLS as u128 - 1, width)]);
        }
        index
    }

    fn application(&self, rng: &mut Rng, sort: Sort) -> Option<T> {
        let place = (0..self.functions.len()).find(|&i| self.functions[i].sort == sort)?;
        let (from, _) = self.plan.functions[place];
        let argument = if rng.percent(30) {
            self.constant(rng, from)
        } else {
            self.leaf(rng, from)
        };
        let name = self.functions[place].to_string();
        Some(apply(name, vec![argument], sort))
    }

    fn comparison(rng: &mut Rng, left: T, right: T) -> T {
        use Op::*;
        let operator = match left.sort {
            Sort::Bv(_) => *rng.pick(&[
                Eq, Eq, Distinct, BvUlt, BvUlt, BvUle, BvUgt, BvUge, BvSlt, BvSle, BvSgt, BvSge,
            ]),
            Sort::Bool => Eq,
            _ => *rng.pick(&[Eq, Distinct, Lt, Lt, Le, Gt, Ge]),
        };
        if rng.percent(75) {
            op(operator, [left, right])
        } else {
            op(operator, [right, left])
        }
    }

    fn sort(&self, rng: &mut Rng) -> Sort {
        let cells = self.plan.arrays.and_then(|(sort, _)| match sort {
            Sort::Array(_, element) => Some(Sort::Bv(element)),
            _ => None,
        });
        match cells {
            Some(sort) if rng.percent(35) => sort,
            _ => rng.pick(&self.plan.scalars).0,
        }
    }

    /// A comparison, most often with a constant.
    pub fn atom(&self, rng: &mut Rng) -> T {
        let sort = self.sort(rng);
        if sort == Sort::Bool {
            let truth = self.leaf(rng, sort);
            return if rng.percent(50) { truth } else { not(truth) };
        }
        let subject = self.subject(rng, sort);
        self.atom_about(rng, subject)
    }

    fn atom_about(&self, rng: &mut Rng, subject: T) -> T {
        let sort = subject.sort;
        let right = if rng.percent(85) {
            self.constant(rng, sort)
        } else {
            self.subject(rng, sort)
        };
        World::comparison(rng, subject, right)
    }

    /// What a branch tests.
    pub fn condition(&self, rng: &mut Rng) -> T {
        match rng.weighted(&[74, 9, 9, 5, 3]) {
            0 => self.atom(rng),
            // Several values of one subject, or a range of them.
            1 => self.several(rng, Op::Or),
            2 => self.several(rng, Op::And),
            3 => op(Op::Or, [self.atom(rng), self.atom(rng)]),
            _ => op(Op::Implies, [self.atom(rng), self.atom(rng)]),
        }
    }

    fn several(&self, rng: &mut Rng, connective: Op) -> T {
        let atoms = self.question(rng);
        op(connective, atoms)
    }

    /// A sort whose values can be compared.
    fn compared_sort(&self, rng: &mut Rng) -> Sort {
        loop {
            match self.sort(rng) {
                Sort::Bool => {}
                sort => return sort,
            }
        }
    }

    /// Two subjects, how they are related, and what each of them may be: together often too much, though no
    /// two atoms about the same subject are.
    pub fn linked_question(&self, rng: &mut Rng) -> Vec<T> {
        let sort = self.compared_sort(rng);
        let (left, right) = (self.subject(rng, sort), self.leaf(rng, sort));
        let constant = self.constant(rng, sort);
        let (add, subtract) = match sort {
            Sort::Bv(_) => (Op::BvAdd, Op::BvSub),
            _ => (Op::Add, Op::Sub),
        };
        let pair = [left.clone(), right.clone()];
        let link = match rng.below(4) {
            0 => World::comparison(rng, op(add, pair), constant),
            1 => World::comparison(rng, op(subtract, pair), constant),
            _ => World::comparison(rng, left.clone(), right.clone()),
        };
        let mut atoms = vec![link];
        for subject in [left, right] {
            let constant = self.constant(rng, sort);
            atoms.push(World::comparison(rng, subject, constant));
        }
        if rng.percent(30) {
            atoms.push(self.atom(rng));
        }
        atoms
    }

    /// Two to four atoms, most of them about the same subject.
    pub fn question(&self, rng: &mut Rng) -> Vec<T> {
        let sort = self.compared_sort(rng);
        let subject = self.subject(rng, sort);
        (0..rng.between(2, 4))
            .map(|_| match rng.percent(75) {
                true => self.atom_about(rng, subject.clone()),
                false => self.atom(rng),
            })
            .collect()
    }
}

fn declare_input(generator: &mut Generator, plan: &Plan, sort: Sort) -> T {
    let array = generator.declare(Vec::new(), sort);
    let Sort::Array(index_width, element) = sort else {
        return array;
    };
    let mut cell = || match plan.constants(Sort::Bv(element)) {
        Some(constants) => constant_value(generator.rng.pick(constants)).bits(),
        None => 0,
    };
    let default = cell();
    let entries = (0..CELLS as u128).map(|place| (place, cell())).collect();
    let value = ArrayValue {
        index_width,
        default,
        entries,
    };
    generator.let_witness_know(&array, Value::Array(value));
    array
}

fn assert_table(generator: &mut Generator, table: &T, cells: &[u128]) {
    let Sort::Array(index_width, element) = table.sort else {
        return;
    };
    let entries = cells
        .iter()
        .enumerate()
        .map(|(place, &cell)| (place as u128, cell & mask(element)))
        .collect();
    let value = ArrayValue {
        index_width,
        default: 0,
        entries,
    };
    generator.let_witness_know(table, Value::Array(value));
    for (place, &cell) in cells.iter().enumerate() {
        let read = op(Op::Select, [table.clone(), bv(place as u128, index_width)]);
        generator.assert(op(Op::Eq, [read, bv(cell, element)]));
    }
}

/// The term under other names.
pub fn renamed(term: &T, names: &HashMap<String, String>) -> T {
    let args: Vec<T> = term.args.iter().map(|arg| renamed(arg, names)).collect();
    match &term.node {
        Node::Symbol(name) if names.contains_key(name) => symbol(&names[name], term.sort),
        Node::Apply(name) if names.contains_key(name) => apply(&names[name], args, term.sort),
        _ if args.is_empty() => term.clone(),
        _ => crate::fuzz::ast::rebuild(term, args),
    }
}

/// The term with some constants replaced by others of the plan; divisors stay.
pub fn nudged(term: &T, plan: &Plan, chance: u32, rng: &mut Rng) -> T {
    if let Node::Bv(_) | Node::Int(_) | Node::Real(..) = term.node {
        return match plan.constants(term.sort) {
            Some(constants) if rng.percent(chance) => rng.pick(constants).clone(),
            _ => term.clone(),
        };
    }
    if term.args.is_empty() {
        return term.clone();
    }
    let divides = matches!(term.node, Node::Op(Op::Div | Op::Mod | Op::Over));
    let args = term.args.iter().enumerate().map(|(place, arg)| {
        if divides && place == 1 {
            arg.clone()
        } else {
            nudged(arg, plan, chance, rng)
        }
    });
    let args = args.collect();
    crate::fuzz::ast::rebuild(term, args)
}
