//! Bit-blasting: terms to literals, each once.
//!
//! A Boolean term becomes one literal, a bit-vector a word of them, an array nothing: reads are leaves with free bits
//! of their own, and so are function applications; `refine` makes them agree with what arrays and functions are. A
//! term that depends on one small input becomes, where that is the smaller encoding, a function of that input's bits
//! by its truth table.

mod equality;
mod extension;
pub mod float;
mod function;
pub mod gates;
mod lookup;
pub mod words;

use refrain_sat::{Engine, Lit, Var};
use refrain_term::{Bv, FloatOp, Input, Op, Sort, Support, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::arith::{Arith, Scope};
use super::congruence::{self, Congruence, is_node, plain_sides};
use crate::Reason;
use extension::{Extension, Writers};
pub use extension::{default_symbol, equal_at};
use gates::Gates;
use lookup::BlockRead;
use refrain_path::simplify::{Tables, is_cell};
use refrain_path::values::bytes::ByteSet;
use words::Word;

pub struct Blaster {
    pub gates: Gates,
    pub arith: Arith,
    pub congruence: Congruence,
    /// Numbers that the formulas at hand do arithmetic with.
    expected: FxHashSet<Term>,
    /// By variable of an equation of the e-graph: the literal that arithmetic has for it, where that is another one.
    twins: FxHashMap<Var, Lit>,
    pub literals: Literals,
    /// Terms encoded by their truth table, and the input they are a function of.
    by_table: FxHashMap<Term, Term>,
    /// Functions of the lowest bits of one input that have been defined.
    functions: FxHashMap<(Term, u32, ByteSet), Lit>,
    extensions: FxHashMap<Term, Extension>,
    equalities: FxHashMap<(Term, Term), Lit>,
    /// How often candidates had a read of a table wrong, by table and index.
    refuted_look_ups: FxHashMap<(Term, Term), u32>,
    look_ups: FxHashMap<BlockRead, Word>,
    /// Operators on floats whose result is still free.
    free_floats: FxHashSet<Term>,
    /// Encoded arrays that write, by index width.
    writers: FxHashMap<u32, Writers>,
    stack: Vec<Term>,
    visited: Vec<u32>,
    walk: u32,
}

/// What a set of encoded terms rests on.
#[derive(Default)]
pub struct Cone {
    /// How many terms there are in it.
    pub terms: usize,
    /// How large their circuits are.
    pub size: usize,
    /// Free bits: once these are assigned, everything is.
    pub leaves: Vec<Var>,
    /// Reads of arrays, at constant and other indices.
    pub reads: Vec<Term>,
    pub applications: Vec<Term>,
    pub array_equations: Vec<Term>,
    /// Operators on floats whose result is still free.
    pub free_floats: Vec<Term>,
    /// What there is of arithmetic: its atoms as terms, and all that the theory must know.
    pub number_atoms: Vec<Term>,
    pub numbers: Scope,
    /// What there is of equality.
    pub equality: congruence::Scope,
}

impl Blaster {
    pub fn new() -> Blaster {
        Blaster {
            gates: Gates::new(),
            arith: Arith::default(),
            congruence: Congruence::default(),
            expected: FxHashSet::default(),
            twins: FxHashMap::default(),
            literals: Literals::default(),
            by_table: FxHashMap::default(),
            functions: FxHashMap::default(),
            extensions: FxHashMap::default(),
            equalities: FxHashMap::default(),
            refuted_look_ups: FxHashMap::default(),
            look_ups: FxHashMap::default(),
            free_floats: FxHashSet::default(),
            writers: FxHashMap::default(),
            stack: Vec::new(),
            visited: Vec::new(),
            walk: 0,
        }
    }

    #[inline]
    pub fn is_encoded(&self, term: Term) -> bool {
        self.literals.contain(term)
    }

    /// The literals of an encoded term.
    #[inline]
    pub fn bits(&self, terms: &Terms, term: Term) -> &[Lit] {
        self.literals.of(terms, term)
    }

    /// The literal of an encoded Boolean term.
    #[inline]
    pub fn lit(&self, term: Term) -> Lit {
        self.literals.first(term)
    }

    /// The value of a constant, or of an encoded term in the engine's model; open bits are zero.
    pub fn value(&self, terms: &Terms, term: Term) -> Bv {
        if let Some(constant) = terms.value(term) {
            return constant.clone();
        }
        let bits = self.bits(terms, term);
        let mut words = vec![0u64; bits.len().div_ceil(64)];
        for (i, &lit) in bits.iter().enumerate() {
            if self.is_true(lit) {
                words[i / 64] |= 1 << (i % 64);
            }
        }
        Bv::from_words(bits.len() as u32, words)
    }

    #[inline]
    pub fn is_true(&self, lit: Lit) -> bool {
        self.gates.engine.value(lit) == Some(true)
    }

    /// Encodes a term and all it is made of, unless a limit is reached first; what is encoded until then stays.
    pub fn encode(
        &mut self,
        terms: &mut Terms,
        support: &mut Support,
        tables: &mut Tables,
        root: Term,
    ) -> Result<(), Reason> {
        let mut stack = std::mem::take(&mut self.stack);
        stack.push(root);
        while let Some(&term) = stack.last() {
            if self.is_encoded(term) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            if let Some((input, bits)) = Self::tabulated(terms, support, term) {
                let (Input::Symbol(leaf) | Input::Cell(leaf)) = input else {
                    unreachable!("a scalar input")
                };
                if !self.is_encoded(leaf) {
                    stack.push(leaf);
                    continue;
                }
                if let Some(word) = self.function_word(terms, tables, term, input, leaf, bits) {
                    self.by_table.insert(term, leaf);
                    self.literals
                        .insert(terms, term, &word, self.gates.engine.num_vars());
                    continue;
                }
            }
            if terms.op(term) == Op::Eq && terms.sort(terms.arg(term, 0)).is_array() {
                let extension = self
                    .extensions
                    .entry(term)
                    .or_insert_with(|| Extension::new(terms, term));
                let parts = extension.parts();
                stack.extend(parts.filter(|&part| !self.literals.contain(part)));
            }
            stack.extend(operands(terms, term).filter(|&arg| !self.is_encoded(arg)));
            if stack.len() == before {
                let word = self.circuit(terms, term);
                self.spread(terms);
                // A circuit that took too long may be unfinished. Constants have none.
                if let Some(reason) = self.gates.gave_up()
                    && !terms.is_value(term)
                {
                    return Err(reason.clone());
                }
                self.literals
                    .insert(terms, term, &word, self.gates.engine.num_vars());
            }
        }
        self.stack = stack;
        Ok(())
    }

    /// The input of a term that its truth table encodes better than a circuit would.
    fn tabulated(terms: &Terms, support: &mut Support, term: Term) -> Option<(Input, u32)> {
        let worth = match terms.op(term) {
            Op::And | Op::Eq | Op::BvUlt | Op::BvSlt => true,
            Op::Ite => terms.sort(term) == Sort::Bool,
            Op::BvMul | Op::BvUdiv | Op::BvUrem | Op::BvShl | Op::BvLshr | Op::BvAshr => {
                terms.width(term) <= 64
            }
            // A part of what is wider than a word, as both halves of a product are.
            Op::Extract { .. } => terms.width(term) <= 64 && terms.width(terms.arg(term, 0)) > 64,
            // A cell is a leaf itself; the others look up.
            Op::Select => terms.width(term) <= 64 && !is_cell(terms, term),
            _ => false,
        };
        if worth {
            Tables::single_input(terms, support, term)
        } else {
            None
        }
    }

    /// The literals of a term whose operands are encoded.
    fn circuit(&mut self, terms: &Terms, term: Term) -> Word {
        let word = |blaster: &Blaster, i: usize| blaster.bits(terms, terms.arg(term, i)).to_vec();
        let width = terms.sort(term).width().unwrap_or(1);
        match terms.op(term) {
            Op::True => vec![self.gates.yes()],
            Op::False => vec![self.gates.no()],
            Op::Const(id) => self.gates.word(terms.const_value(id)),
            Op::Var(_) | Op::Select | Op::Apply(_) => {
                let word = match terms.sort(term) {
                    Sort::Array { .. } | Sort::Int | Sort::Real => Vec::new(),
                    _ => (0..width).map(|_| self.gates.fresh()).collect(),
                };
                if let Op::Apply(function) = terms.op(term)
                    && is_node(terms, function)
                {
                    self.add_application(terms, term, &word);
                }
                word
            }
            Op::Number(_) | Op::Add => Vec::new(),
            Op::Mul => {
                if !terms.is_value(terms.arg(term, 0)) {
                    self.arith.define_product(terms, term);
                }
                Vec::new()
            }
            Op::Div => {
                self.arith.define_division(terms, &mut self.gates, term);
                Vec::new()
            }
            Op::ToReal => Vec::new(),
            Op::ToInt => {
                self.arith.define_floor(terms, &mut self.gates, term);
                Vec::new()
            }
            Op::Le | Op::Lt => vec![self.arith.atom(terms, &mut self.gates, term)],
            Op::Eq if terms.sort(terms.arg(term, 0)).is_number() => {
                vec![match plain_sides(terms, term) {
                    Some((a, b)) => self.equal_numbers(terms, a, b),
                    None => self.arith.atom(terms, &mut self.gates, term),
                }]
            }
            Op::Ite if terms.sort(term).is_number() => {
                self.define_number_ite(terms, term);
                Vec::new()
            }
            Op::Not => vec![!self.lit(terms.arg(term, 0))],
            Op::And => {
                let lits: Word = terms.args(term).iter().map(|&arg| self.lit(arg)).collect();
                vec![self.gates.all(&lits)]
            }
            Op::Eq if terms.sort(terms.arg(term, 0)).is_array() => vec![self.array_equation(term)],
            Op::Eq => {
                let (a, b) = (word(self, 0), word(self, 1));
                let equal = self.gates.equal(&a, &b);
                self.note_equal_bits(terms.arg(term, 0), terms.arg(term, 1), equal);
                vec![equal]
            }
            Op::Ite if terms.sort(term).is_array() => Vec::new(),
            Op::Ite => {
                let (condition, a, b) =
                    (self.lit(terms.arg(term, 0)), word(self, 1), word(self, 2));
                self.gates.mux_word(condition, &a, &b)
            }
            Op::BvNot => word(self, 0).into_iter().map(|lit| !lit).collect(),
            Op::BvAnd => {
                let (a, b) = (word(self, 0), word(self, 1));
                a.iter()
                    .zip(&b)
                    .map(|(&x, &y)| self.gates.and(x, y))
                    .collect()
            }
            Op::BvOr => {
                let (a, b) = (word(self, 0), word(self, 1));
                a.iter()
                    .zip(&b)
                    .map(|(&x, &y)| self.gates.or(x, y))
                    .collect()
            }
            Op::BvXor => {
                let (a, b) = (word(self, 0), word(self, 1));
                a.iter()
                    .zip(&b)
                    .map(|(&x, &y)| self.gates.xor(x, y))
                    .collect()
            }
            Op::BvAdd => self.sum(terms, term),
            Op::BvMul => {
                let (a, b) = (word(self, 0), word(self, 1));
                self.gates.multiply(&a, &b)
            }
            Op::BvUdiv | Op::BvUrem => {
                let (a, b) = (word(self, 0), word(self, 1));
                let (quotient, remainder) = self.gates.divide(&a, &b);
                if terms.op(term) == Op::BvUdiv {
                    quotient
                } else {
                    remainder
                }
            }
            Op::BvShl => {
                let (a, b) = (word(self, 0), word(self, 1));
                self.gates.shl(&a, &b)
            }
            Op::BvLshr => {
                let (a, b, fill) = (word(self, 0), word(self, 1), self.gates.no());
                self.gates.shift_right(&a, &b, fill)
            }
            Op::BvAshr => {
                let (a, b) = (word(self, 0), word(self, 1));
                let sign = a[a.len() - 1];
                self.gates.shift_right(&a, &b, sign)
            }
            Op::Concat => {
                let (mut low, high) = (word(self, 1), word(self, 0));
                low.extend(high);
                low
            }
            Op::Extract { lo } => word(self, 0)[lo as usize..][..width as usize].to_vec(),
            Op::SignExtend => {
                let mut bits = word(self, 0);
                let sign = bits[bits.len() - 1];
                bits.resize(width as usize, sign);
                bits
            }
            Op::BvUlt => {
                let (a, b) = (word(self, 0), word(self, 1));
                vec![self.gates.less(&a, &b)]
            }
            Op::BvSlt => {
                let (mut a, mut b) = (word(self, 0), word(self, 1));
                // Flipping the signs turns signed order into unsigned order.
                for bits in [&mut a, &mut b] {
                    let top = bits.len() - 1;
                    bits[top] = !bits[top];
                }
                vec![self.gates.less(&a, &b)]
            }
            Op::Store | Op::Table(_) => {
                let Sort::Array { index, .. } = terms.sort(term) else {
                    unreachable!("an array")
                };
                self.writers.entry(index).or_default().add(terms, term);
                Vec::new()
            }
            Op::ConstArray => Vec::new(),
            Op::Float { op, .. } if float::is_lazy(op) => {
                self.free_floats.insert(term);
                (0..width).map(|_| self.gates.fresh()).collect()
            }
            Op::Float { .. } => self.float_circuit(terms, term),
            Op::Surface => unreachable!("below the surface"),
        }
    }

    /// The circuit of an operator on floats.
    fn float_circuit(&mut self, terms: &Terms, term: Term) -> Word {
        let (op, format, result) = terms.float_op(term).expect("an operator on floats");
        let args = terms.args(term).iter();
        let operands: Vec<Word> = args.map(|&arg| self.bits(terms, arg).to_vec()).collect();
        self.gates.float(op, format, result, &operands)
    }

    /// What a function is at one point.
    fn function_point(&mut self, terms: &Terms, term: Term, values: &[&Bv], result: &Bv) {
        let mut elsewhere = Vec::new();
        for (&arg, value) in terms.args(term).iter().zip(values) {
            for (&lit, place) in self.bits(terms, arg).iter().zip(0..) {
                elsewhere.push(if value.bit(place) { !lit } else { lit });
            }
        }
        for (lit, place) in self.bits(terms, term).to_vec().into_iter().zip(0..) {
            let mut clause = elsewhere.clone();
            clause.push(if result.bit(place) { lit } else { !lit });
            self.gates.clause(&clause);
        }
    }

    /// Whether a candidate has the result of an operator wrong that is free; if so it is told: what a function is at
    /// this point, or the circuit, after which it is free no more.
    pub fn refute_float(&mut self, terms: &Terms, term: Term) -> bool {
        let (op, format, result) = terms.float_op(term).expect("an operator on floats");
        let args = terms.args(term).iter();
        let values: Vec<Bv> = args.map(|&arg| self.value(terms, arg)).collect();
        let values: Vec<&Bv> = values.iter().collect();
        let expected = refrain_term::float::operate(op, format, result, &values);
        if expected == self.value(terms, term) {
            return false;
        }
        if let FloatOp::Function(_) = op {
            self.function_point(terms, term, &values, &expected);
            return true;
        }
        let exact = self.float_circuit(terms, term);
        // Where a limit stops this, the check ends before it is missed.
        if self.gates.gave_up().is_none() {
            for (&free, exact) in self.bits(terms, term).to_vec().iter().zip(exact) {
                self.gates.clause(&[!free, exact]);
                self.gates.clause(&[free, !exact]);
            }
            self.free_floats.remove(&term);
        }
        true
    }

    /// A sum; negated addends are subtracted, their "plus one" gathered in the constant.
    fn sum(&mut self, terms: &Terms, term: Term) -> Word {
        let width = terms.width(term);
        let mut constant = Bv::zero(width);
        let mut addends: Vec<Word> = Vec::new();
        for &addend in terms.args(term) {
            if let Some(value) = terms.value(addend) {
                constant = constant.add(value);
            } else if let Some(negated) = negated(terms, addend) {
                constant = constant.add(&Bv::one(width));
                addends.push(self.bits(terms, negated).iter().map(|&lit| !lit).collect());
            } else {
                addends.push(self.bits(terms, addend).to_vec());
            }
        }
        // One unit of the constant rides along as a carry for free.
        let mut carry = self.gates.no();
        if constant.is_one() {
            constant = Bv::zero(width);
            carry = self.gates.yes();
        }
        if !constant.is_zero() {
            addends.push(self.gates.word(&constant));
        }
        let mut sum = addends.swap_remove(0);
        if addends.is_empty() {
            addends.push(vec![self.gates.no(); width as usize]);
        }
        for addend in addends {
            sum = self.gates.add(&sum, &addend, carry);
            carry = self.gates.no();
        }
        sum
    }

    /// Whether every default stands for an index that no write touches, as `extension` assumes.
    pub fn defaults_exist(&self, terms: &Terms) -> bool {
        self.extensions.is_empty() || { self.writers.iter() }
            .all(|(&width, writers)| writers.leave_one(terms, width))
    }

    fn array_equation(&mut self, term: Term) -> Lit {
        let equal = self.gates.fresh();
        let extension = &self.extensions[&term];
        let witness = self.lit(extension.witness);
        let consequences: Vec<Lit> = extension
            .consequences
            .iter()
            .map(|&c| self.lit(c))
            .collect();
        // Arrays that agree where they would differ first are equal.
        self.gates.clause(&[equal, !witness]);
        for consequence in consequences {
            self.gates.clause(&[!equal, consequence]);
        }
        equal
    }

    /// A literal that is true just when two encoded terms have the same bits. Unlike the encoding of their equation,
    /// which may be a function of what they depend on, it speaks of these bits.
    pub fn equal_bits(&mut self, terms: &Terms, a: Term, b: Term) -> Lit {
        let pair = (a.min(b), a.max(b));
        if let Some(&known) = self.equalities.get(&pair) {
            // One of them may be a node only since then.
            self.note_equal_bits(a, b, known);
            return known;
        }
        let (x, y) = (self.bits(terms, a).to_vec(), self.bits(terms, b).to_vec());
        let equal = self.gates.equal(&x, &y);
        self.equalities.insert(pair, equal);
        self.note_equal_bits(a, b, equal);
        equal
    }

    /// Adds "if these arrays are equal, then `consequence`" for good.
    pub fn add_consequence(&mut self, equation: Term, consequence: Term) {
        let clause = [!self.lit(equation), self.lit(consequence)];
        self.gates.clause(&clause);
        let extension = self
            .extensions
            .get_mut(&equation)
            .expect("an encoded array equation");
        extension.consequences.push(consequence);
    }

    /// What encoded terms rest on.
    pub fn cone(&mut self, terms: &Terms, roots: impl IntoIterator<Item = Term>) -> Cone {
        self.walk += 1;
        self.visited.resize(terms.len(), 0);
        let mut cone = Cone::default();
        let has_nodes = !self.congruence.is_empty();
        let mut stack: Vec<Term> = roots.into_iter().collect();
        while let Some(term) = stack.pop() {
            if std::mem::replace(&mut self.visited[term.index()], self.walk) == self.walk {
                continue;
            }
            cone.terms += 1;
            cone.size += self.literals.size_of(term);
            if has_nodes {
                self.add_node(terms, &mut cone, term);
            }
            if let Some(&leaf) = self.by_table.get(&term) {
                stack.push(leaf);
                continue;
            }
            match terms.op(term) {
                Op::Var(_) => {}
                Op::Select => cone.reads.push(term),
                Op::Apply(_) => {
                    cone.applications.push(term);
                    self.arith.add_definition(&mut cone.numbers, term);
                    let numbers = terms.args(term).iter().copied().chain([term]);
                    for number in numbers.filter(|&term| terms.sort(term).is_number()) {
                        self.add_number(terms, &mut cone, number);
                    }
                }
                Op::Le | Op::Lt => {
                    self.add_number_atom(&mut cone, term);
                    stack.push(terms.arg(term, 0));
                    continue;
                }
                Op::Eq if terms.sort(terms.arg(term, 0)).is_number() => {
                    self.add_number_atom(&mut cone, term);
                    stack.extend_from_slice(terms.args(term));
                    continue;
                }
                Op::Eq => {
                    if let Some(extension) = self.extensions.get(&term) {
                        cone.array_equations.push(term);
                        stack.extend(extension.parts());
                        cone.leaves.push(self.lit(term).var());
                    }
                    stack.extend_from_slice(terms.args(term));
                    continue;
                }
                Op::Float { .. } if self.free_floats.contains(&term) => {
                    cone.free_floats.push(term);
                }
                _ => {
                    self.arith.add_definition(&mut cone.numbers, term);
                    stack.extend(operands(terms, term));
                    continue;
                }
            }
            cone.leaves
                .extend(self.bits(terms, term).iter().map(|lit| lit.var()));
            stack.extend_from_slice(terms.args(term));
        }
        self.add_asides(&mut cone);
        cone.leaves.extend_from_slice(&cone.numbers.choices);
        cone
    }

    fn add_number_atom(&self, cone: &mut Cone, term: Term) {
        let lit = self.lit(term);
        if self.gates.known(lit).is_none() {
            cone.number_atoms.push(term);
            cone.numbers.choices.push(lit.var());
            self.add_atoms(cone, lit.var());
        }
    }
}

/// The operand of a multiplication by minus one.
fn negated(terms: &Terms, term: Term) -> Option<Term> {
    let minus_one = |term| terms.value(term).is_some_and(Bv::is_ones);
    (terms.op(term) == Op::BvMul && minus_one(terms.arg(term, 0))).then(|| terms.arg(term, 1))
}

/// The terms that a term's circuit is made from. A sum subtracts the operands of its negated addends.
fn operands(terms: &Terms, term: Term) -> impl Iterator<Item = Term> + '_ {
    let sum = terms.op(term) == Op::BvAdd;
    terms.args(term).iter().map(move |&arg| {
        if sum {
            negated(terms, arg).unwrap_or(arg)
        } else {
            arg
        }
    })
}

/// The literals of encoded terms.
#[derive(Default)]
pub struct Literals {
    /// By term: where its literals start in the pool, plus one; 0 if it is not encoded.
    starts: Vec<u32>,
    pool: Vec<Lit>,
    /// By term: how many variables of the engine its circuit took, and one.
    sizes: Vec<u32>,
    /// How many terms are encoded.
    pub terms: usize,
    /// The sum of their sizes.
    pub size: usize,
}

impl Literals {
    #[inline]
    pub fn contain(&self, term: Term) -> bool {
        self.starts
            .get(term.index())
            .is_some_and(|&start| start != 0)
    }

    #[inline]
    pub fn of(&self, terms: &Terms, term: Term) -> &[Lit] {
        let start = self.starts[term.index()] as usize - 1;
        let length = match terms.sort(term) {
            Sort::Bool => 1,
            Sort::BitVec(width) => width as usize,
            Sort::Array { .. } | Sort::Int | Sort::Real => 0,
            sort => unreachable!("{sort} below the surface"),
        };
        &self.pool[start..start + length]
    }

    #[inline]
    fn first(&self, term: Term) -> Lit {
        self.pool[self.starts[term.index()] as usize - 1]
    }

    #[inline]
    fn size_of(&self, term: Term) -> usize {
        self.sizes
            .get(term.index())
            .map_or(0, |&size| size as usize)
    }

    /// Notes the literals of a term, when the engine has so many variables.
    fn insert(&mut self, terms: &Terms, term: Term, word: &[Lit], variables: usize) {
        if self.starts.len() < terms.len() {
            self.starts.resize(terms.len(), 0);
            self.sizes.resize(terms.len(), 0);
        }
        let size = variables - (self.size - self.terms) + 1;
        self.sizes[term.index()] = size as u32;
        self.size += size;
        self.starts[term.index()] = self.pool.len() as u32 + 1;
        self.pool.extend_from_slice(word);
        self.terms += 1;
    }
}
