//! Random sets of atoms as recipes, which can be followed in any arena, over any names, with operands of commutative
//! operators either way round.

use refrain_term::{
    ArrayValue, Assignment, Bv, Format, FuncId, FuncValue, Rational, Rounding, Sort, Term, Terms,
    Value, free_symbols,
};
pub use refrain_testing::Random;

const ARRAY: Sort = Sort::Array {
    index: 8,
    element: 8,
};

const WIDE_ARRAY: Sort = Sort::Array {
    index: 32,
    element: 8,
};

/// The symbols, by number.
const SYMBOLS: [Sort; 24] = [
    Sort::Bool,
    Sort::Bool,
    Sort::Bool,
    Sort::BitVec(1),
    Sort::BitVec(1),
    Sort::BitVec(8),
    Sort::BitVec(8),
    Sort::BitVec(8),
    Sort::BitVec(32),
    Sort::BitVec(32),
    Sort::BitVec(32),
    Sort::BitVec(64),
    Sort::BitVec(64),
    Sort::BitVec(70),
    Sort::BitVec(70),
    ARRAY,
    ARRAY,
    WIDE_ARRAY,
    Sort::Int,
    Sort::Int,
    Sort::Int,
    Sort::Real,
    Sort::Real,
    Sort::Real,
];

const FUNCS: [(&[Sort], Sort); 4] = [
    (&[Sort::BitVec(8)], Sort::BitVec(8)),
    (&[Sort::BitVec(8)], Sort::BitVec(8)),
    (&[Sort::Int, Sort::Int], Sort::Int),
    (&[Sort::BitVec(8), Sort::Bool], Sort::Bool),
];

/// The symbols of one arena.
pub struct World {
    symbols: Vec<Term>,
    funcs: Vec<FuncId>,
}

impl World {
    /// Declares all symbols in some order under some names.
    pub fn declare(terms: &mut Terms, random: &mut Random) -> World {
        let mut order: Vec<usize> = (0..SYMBOLS.len() + FUNCS.len()).collect();
        random.shuffle(&mut order);
        let mut symbols = vec![Term::TRUE; SYMBOLS.len()];
        let mut funcs = vec![None; FUNCS.len()];
        for (at, which) in order.into_iter().enumerate() {
            let name = format!("v{at}_{}", random.below(1000));
            match SYMBOLS.get(which) {
                Some(&sort) => symbols[which] = terms.var(&name, sort),
                None => {
                    let func = which - SYMBOLS.len();
                    let (args, result) = FUNCS[func];
                    funcs[func] = Some(terms.func(&name, args, result));
                }
            }
        }
        let funcs = funcs.into_iter().flatten().collect();
        World { symbols, funcs }
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Symbol(usize),
    Const(u64),
    Number(i64, i64),
    Unary(fn(&mut Terms, Term) -> Term, usize),
    Binary(fn(&mut Terms, Term, Term) -> Term, usize, usize),
    Commutative(fn(&mut Terms, Term, Term) -> Term, usize, usize),
    Ite(usize, usize, usize),
    Extract(usize, u32, u32),
    Extend(usize, u32, bool),
    Store(usize, usize, usize),
    ConstArray(u32, usize),
    Table(usize, u64),
    Apply(usize, usize, usize),
}

/// Steps, each with the sort of what it gives, and the numbers of those that give atoms.
#[derive(Clone)]
pub struct Recipe {
    steps: Vec<(Step, Sort)>,
    atoms: Vec<usize>,
}

impl Recipe {
    pub fn random(random: &mut Random) -> Recipe {
        let mut recipe = Recipe {
            steps: Vec::new(),
            atoms: Vec::new(),
        };
        // Few symbols at a time, so that they meet.
        let themes: [&[usize]; 8] = [
            &[0, 1, 2, 3, 4],
            &[5, 6, 7, 0],
            &[8, 9, 10, 3],
            &[11, 12, 13, 14],
            &[15, 16, 5, 6],
            &[18, 19, 20, 0],
            &[21, 22, 23, 1],
            &[17, 8, 9, 18, 19],
        ];
        for _ in 0..=random.below(2) {
            let theme = themes[random.below(8) as usize];
            for &symbol in theme {
                recipe.push(Step::Symbol(symbol), SYMBOLS[symbol]);
            }
        }
        for _ in 0..4 + random.below(14) {
            recipe.grow(random);
        }
        for _ in 0..=random.below(6) {
            recipe.add_atom(random);
        }
        recipe
    }

    fn push(&mut self, step: Step, sort: Sort) -> usize {
        self.steps.push((step, sort));
        self.steps.len() - 1
    }

    fn pick(&self, random: &mut Random, sort: Sort) -> Option<usize> {
        let steps = self.steps.iter().enumerate();
        let fitting: Vec<usize> = steps
            .filter(|(_, s)| s.1 == sort)
            .map(|(at, _)| at)
            .collect();
        (!fitting.is_empty()).then(|| fitting[random.below(fitting.len() as u64) as usize])
    }

    /// Something of this sort: an earlier step or a constant.
    fn some(&mut self, random: &mut Random, sort: Sort) -> usize {
        let known = self.pick(random, sort);
        if let Some(at) = known
            && random.below(4) > 0
        {
            return at;
        }
        match sort {
            Sort::BitVec(_) => {
                let values = [0, 1, 2, 3, 4, 5, 7, 16, 100, 255, u64::MAX, u64::MAX - 2];
                let value = values[random.below(values.len() as u64) as usize];
                self.push(Step::Const(value), sort)
            }
            Sort::Int => {
                let value = random.below(9) as i64 - 4;
                self.push(Step::Number(value, 1), sort)
            }
            Sort::Real => {
                let (p, q) = (random.below(9) as i64 - 4, 1 + random.below(3) as i64);
                self.push(Step::Number(p, q), sort)
            }
            Sort::Bool => known.unwrap_or_else(|| self.push(Step::Symbol(0), Sort::Bool)),
            Sort::Array { index, element } => known.unwrap_or_else(|| {
                let value = self.some(random, Sort::BitVec(element));
                self.push(Step::ConstArray(index, value), sort)
            }),
            Sort::Float(_) | Sort::RoundingMode | Sort::Coded(_) => {
                unreachable!("below the surface")
            }
        }
    }

    fn grow(&mut self, random: &mut Random) {
        let sort = self.steps[random.below(self.steps.len() as u64) as usize].1;
        let a = self.some(random, sort);
        let b = self.some(random, sort);
        match sort {
            Sort::Bool => self.grow_bool(random, a, b),
            Sort::BitVec(width) => self.grow_word(random, a, b, width),
            Sort::Int | Sort::Real => self.grow_number(random, a, b, sort),
            Sort::Array { .. } => self.grow_array(random, a, b, sort),
            Sort::Float(_) | Sort::RoundingMode | Sort::Coded(_) => {
                unreachable!("below the surface")
            }
        }
    }

    fn grow_bool(&mut self, random: &mut Random, a: usize, b: usize) {
        let step = match random.below(6) {
            0 => Step::Commutative(Terms::and2, a, b),
            1 => Step::Commutative(Terms::or2, a, b),
            2 => Step::Commutative(Terms::eq, a, b),
            3 => Step::Commutative(Terms::xor, a, b),
            4 => Step::Unary(Terms::not, a),
            _ => Step::Ite(a, b, self.some(random, Sort::Bool)),
        };
        self.push(step, Sort::Bool);
    }

    fn grow_word(&mut self, random: &mut Random, a: usize, b: usize, width: u32) {
        let sort = Sort::BitVec(width);
        let floats = width >= 5 && random.below(6) == 0;
        let (step, sort) = match random.below(if floats { 6 } else { 22 }) {
            0 if floats => (Step::Commutative(float_add, a, b), sort),
            1 if floats => (Step::Commutative(float_mul, a, b), sort),
            2 if floats => (Step::Binary(float_div, a, b), sort),
            3 if floats => (Step::Commutative(float_eq, a, b), Sort::Bool),
            4 if floats => (Step::Binary(float_lt, a, b), Sort::Bool),
            5 if floats => (Step::Binary(float_rounded, a, b), sort),
            0..=2 => (Step::Commutative(Terms::bv_add, a, b), sort),
            3 | 4 => (Step::Binary(Terms::bv_sub, a, b), sort),
            5 | 6 => (Step::Commutative(Terms::bv_mul, a, b), sort),
            7 => (Step::Commutative(Terms::bv_and, a, b), sort),
            8 => (Step::Commutative(Terms::bv_or, a, b), sort),
            9 => (Step::Commutative(Terms::bv_xor, a, b), sort),
            10 => (Step::Unary(Terms::bv_not, a), sort),
            11 => (Step::Binary(Terms::bv_udiv, a, b), sort),
            12 => (Step::Binary(Terms::bv_urem, a, b), sort),
            13 => (Step::Binary(Terms::bv_shl, a, b), sort),
            14 => (Step::Binary(Terms::bv_lshr, a, b), sort),
            15 => (Step::Binary(Terms::bv_ashr, a, b), sort),
            16 => {
                let condition = self.some(random, Sort::Bool);
                (Step::Ite(condition, a, b), sort)
            }
            17 if width > 8 => {
                let low = random.below(u64::from(width) - 7) as u32;
                (Step::Extract(a, low + 7, low), Sort::BitVec(8))
            }
            18 if width == 8 => (Step::Extend(a, 24, random.below(2) == 0), Sort::BitVec(32)),
            19 if width == 32 => (Step::Extend(a, 32, random.below(2) == 0), Sort::BitVec(64)),
            20 if width == 8 => (Step::Apply(random.below(2) as usize, a, a), sort),
            20 if width == 32 => (Step::Binary(Terms::concat, a, b), Sort::BitVec(64)),
            _ => (Step::Unary(Terms::bv_neg, a), sort),
        };
        self.push(step, sort);
    }

    fn grow_number(&mut self, random: &mut Random, a: usize, b: usize, sort: Sort) {
        let step = match random.below(10) {
            0..=2 => Step::Commutative(Terms::add, a, b),
            3..=5 => Step::Binary(Terms::sub, a, b),
            6 => Step::Commutative(Terms::mul, a, b),
            7 => Step::Binary(Terms::div, a, b),
            8 => Step::Ite(self.some(random, Sort::Bool), a, b),
            _ if sort == Sort::Int && random.below(2) == 0 => Step::Apply(2, a, b),
            _ if sort == Sort::Int => Step::Binary(Terms::modulo, a, b),
            _ => Step::Unary(Terms::neg, a),
        };
        self.push(step, sort);
    }

    fn grow_array(&mut self, random: &mut Random, a: usize, b: usize, sort: Sort) {
        let Sort::Array { index, element } = sort else {
            return;
        };
        let at = match random.below(4) {
            0 => self.some(random, Sort::BitVec(index)),
            _ => {
                let at = random.below(4);
                self.push(Step::Const(at), Sort::BitVec(index))
            }
        };
        let (step, sort) = match random.below(12) {
            0 => {
                let value = self.some(random, Sort::BitVec(element));
                (Step::Store(a, at, value), sort)
            }
            1 => {
                let condition = self.some(random, Sort::Bool);
                (Step::Ite(condition, a, b), sort)
            }
            2 => (Step::Table(a, random.below(1000)), sort),
            _ => (Step::Binary(Terms::select, a, at), Sort::BitVec(element)),
        };
        self.push(step, sort);
    }

    fn add_atom(&mut self, random: &mut Random) {
        let sort = self.steps[random.below(self.steps.len() as u64) as usize].1;
        let a = self.some(random, sort);
        let b = self.some(random, sort);
        let step = match (sort, random.below(3)) {
            (_, 0) => Step::Commutative(Terms::eq, a, b),
            (Sort::Bool, _) if random.below(4) == 0 => {
                let byte = self.some(random, Sort::BitVec(8));
                Step::Apply(3, byte, a)
            }
            (Sort::Bool, _) => Step::Commutative(Terms::or2, a, b),
            (Sort::BitVec(_), 1) => Step::Binary(Terms::bv_ult, a, b),
            (Sort::BitVec(_), _) => Step::Binary(Terms::bv_slt, a, b),
            (Sort::Array { .. }, _) => Step::Commutative(Terms::eq, a, b),
            (_, 1) => Step::Binary(Terms::le, a, b),
            _ => Step::Binary(Terms::lt, a, b),
        };
        let mut atom = self.push(step, Sort::Bool);
        if random.below(2) == 0 {
            atom = self.push(Step::Unary(Terms::not, atom), Sort::Bool);
        }
        self.atoms.push(atom);
    }

    /// The same with one constant changed, if there is one.
    pub fn mutated(&self, random: &mut Random) -> Option<Recipe> {
        let mut recipe = self.clone();
        let steps = recipe.steps.iter_mut();
        let mut constants: Vec<&mut Step> = steps
            .map(|(step, _)| step)
            .filter(|step| matches!(step, Step::Const(_) | Step::Number(..)))
            .collect();
        if constants.is_empty() {
            return None;
        }
        let at = random.below(constants.len() as u64) as usize;
        match &mut *constants[at] {
            Step::Const(value) => *value = value.wrapping_add(1),
            Step::Number(value, _) => *value += 5,
            _ => {}
        }
        Some(recipe)
    }

    /// The atoms; with `swaps`, operands that can be swapped are, at random.
    pub fn build(&self, terms: &mut Terms, world: &World, swaps: Option<&mut Random>) -> Vec<Term> {
        let mut built: Vec<Term> = Vec::with_capacity(self.steps.len());
        let mut swaps = swaps;
        for &(step, sort) in &self.steps {
            let width = sort.width().unwrap_or(0);
            let term = match step {
                Step::Symbol(symbol) => world.symbols[symbol],
                Step::Const(value) if value > 1 << 63 => {
                    let constant = Bv::ones(width).sub(&Bv::new(width, !value));
                    terms.constant(constant)
                }
                Step::Const(value) => terms.bv(width, value),
                Step::Number(p, q) => terms.number(sort, Rational::new(p, q)),
                Step::Unary(make, a) => make(terms, built[a]),
                Step::Binary(make, a, b) => make(terms, built[a], built[b]),
                Step::Commutative(make, a, b) => {
                    match swaps.as_mut().map(|random| random.below(2)) {
                        Some(1) => make(terms, built[b], built[a]),
                        _ => make(terms, built[a], built[b]),
                    }
                }
                Step::Ite(c, t, e) => terms.ite(built[c], built[t], built[e]),
                Step::Extract(a, high, low) => terms.extract(built[a], high, low),
                Step::Extend(a, by, true) => terms.sign_extend(built[a], by),
                Step::Extend(a, by, false) => terms.zero_extend(built[a], by),
                Step::Store(a, at, value) => terms.store(built[a], built[at], built[value]),
                Step::ConstArray(index, a) => terms.const_array(index, built[a]),
                Step::Table(a, seed) => {
                    let Sort::Array { index, element } = sort else {
                        unreachable!("an array")
                    };
                    let cell = |i: u64| (Bv::new(index, i * 3), Bv::new(element, seed + i));
                    terms.table(built[a], (0..1 + seed % 3).map(cell).collect())
                }
                Step::Apply(2, a, b) => terms.apply(world.funcs[2], &[built[a], built[b]]),
                Step::Apply(3, a, b) => terms.apply(world.funcs[3], &[built[a], built[b]]),
                Step::Apply(func, a, _) => terms.apply(world.funcs[func], &[built[a]]),
            };
            assert_eq!(terms.sort(term), sort);
            built.push(term);
        }
        self.atoms.iter().map(|&atom| built[atom]).collect()
    }
}

/// Bit-vectors as floats of some format.
fn format(terms: &Terms, a: Term) -> Format {
    Format::of_width(terms.width(a), 3)
}

fn float_add(terms: &mut Terms, a: Term, b: Term) -> Term {
    let (format, rounding) = (format(terms, a), terms.rounding(Rounding::Up));
    terms.float_add(format, rounding, a, b)
}

fn float_mul(terms: &mut Terms, a: Term, b: Term) -> Term {
    let (format, rounding) = (format(terms, a), terms.rounding(Rounding::NearestEven));
    terms.float_mul(format, rounding, a, b)
}

fn float_div(terms: &mut Terms, a: Term, b: Term) -> Term {
    let (format, rounding) = (format(terms, a), terms.rounding(Rounding::ToZero));
    terms.float_div(format, rounding, a, b)
}

/// How to round depends on the second operand.
fn float_rounded(terms: &mut Terms, a: Term, b: Term) -> Term {
    let (format, rounding) = (format(terms, a), terms.extract(b, 2, 0));
    terms.float_add(format, rounding, a, a)
}

fn float_eq(terms: &mut Terms, a: Term, b: Term) -> Term {
    let format = format(terms, a);
    terms.float_eq(format, a, b)
}

fn float_lt(terms: &mut Terms, a: Term, b: Term) -> Term {
    let format = format(terms, a);
    terms.float_lt(format, a, b)
}

fn value(random: &mut Random, sort: Sort) -> Value {
    let small = random.below(6);
    match sort {
        Sort::Bool => Value::Bool(small < 3),
        Sort::BitVec(width) => Value::Bv(match small {
            0 => Bv::ones(width),
            1 => Bv::from_words(width, vec![random.below(1 << 30) << 34 | 5, 3]),
            2 => Bv::new(width, random.below(256)),
            _ => Bv::new(width, small),
        }),
        Sort::Array { index, element } => {
            let mut array = ArrayValue::filled(index, Bv::new(element, random.below(256)));
            for at in 0..4 {
                array.set(Bv::new(index, at), Bv::new(element, random.below(256)));
            }
            Value::Array(array)
        }
        Sort::Int => Value::Int(Rational::from(random.below(13) as i64 - 6)),
        Sort::Real => Value::Real(Rational::new(
            random.below(13) as i64 - 6,
            1 + random.below(3) as i64,
        )),
        Sort::Float(_) | Sort::RoundingMode | Sort::Coded(_) => unreachable!("below the surface"),
    }
}

/// Random values of all symbols and functions in some terms.
pub fn assignment(random: &mut Random, terms: &Terms, roots: &[Term]) -> Assignment {
    let (vars, funcs) = free_symbols(terms, roots);
    let mut values = Assignment::new();
    for var in vars {
        values.set(var, value(random, terms.var_decl(var).sort));
    }
    for func in funcs {
        let decl = terms.func_decl(func);
        let mut table = FuncValue::new(value(random, decl.result));
        for _ in 0..6 {
            let args: Vec<Value> = decl.args.iter().map(|&sort| value(random, sort)).collect();
            table.set(args, value(random, decl.result));
        }
        values.set_func(func, table);
    }
    values
}
