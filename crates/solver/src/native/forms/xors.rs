//! Bits as sums over GF(2): what terms are where they are nothing but exclusive ors of input bits.
//!
//! Checksums by polynomials (CRC), Gray codes, parities and shift registers are linear over GF(2), and however they are
//! calculated (bit by bit, by tables, or put together from parts) each bit is the same set of input bits. To a SAT
//! engine chains of exclusive ors are about the hardest there is; as sets, they are compared. A table is linear if all
//! its entries are sums of those at powers of two, which is looked up.

use std::rc::Rc;

use refrain_term::{Bv, Op, Sort, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::context::Context;
use super::functions::Functions;

/// Input bits, and the constant one above them.
const WORDS: usize = 5;
const ONE: usize = 64 * WORDS - 1;

/// An index of a table has at most so many bits that vary.
const MOST_INDEX_BITS: usize = 12;

/// A sum of bits over GF(2).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Xor([u64; WORDS]);

impl Xor {
    const ZERO: Xor = Xor([0; WORDS]);

    fn bit(index: usize) -> Xor {
        let mut words = [0; WORDS];
        words[index / 64] |= 1 << (index % 64);
        Xor(words)
    }

    fn constant(value: bool) -> Xor {
        if value { Xor::bit(ONE) } else { Xor::ZERO }
    }

    fn add(self, other: Xor) -> Xor {
        let mut words = self.0;
        for (word, other) in words.iter_mut().zip(other.0) {
            *word ^= other;
        }
        Xor(words)
    }

    fn not(self) -> Xor {
        self.add(Xor::bit(ONE))
    }

    /// Its value, if it has no input bit.
    fn value(self) -> Option<bool> {
        if self == Xor::ZERO {
            Some(false)
        } else {
            (self == Xor::bit(ONE)).then_some(true)
        }
    }
}

type Bits = Rc<[Xor]>;

/// The bits of terms met so far, the lowest first.
#[derive(Default)]
pub struct Xors {
    bits: FxHashMap<Term, Bits>,
    /// Those that are not linear in any.
    opaque: FxHashSet<Term>,
    /// Those that were looked at as functions of a small value.
    tried: FxHashSet<Term>,
    /// How many input bits there are.
    inputs: usize,
}

impl Xors {
    /// Whether two terms are always the same, or never.
    pub fn equal(
        &mut self,
        terms: &mut Terms,
        context: &mut Context,
        functions: &mut Functions,
        a: Term,
        b: Term,
    ) -> Option<bool> {
        let a = self.of(terms, context, functions, a)?;
        let b = self.of(terms, context, functions, b)?;
        let differences = a.iter().zip(b.iter()).map(|(&a, &b)| a.add(b).value());
        let mut equal = Some(true);
        for difference in differences {
            match difference {
                Some(true) => return Some(false),
                Some(false) => {}
                None => equal = None,
            }
        }
        equal
    }

    /// The bits of a term; `None` where there are too many inputs, or no more work may be done.
    fn of(
        &mut self,
        terms: &mut Terms,
        context: &mut Context,
        functions: &mut Functions,
        root: Term,
    ) -> Option<Bits> {
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            if self.met(term) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            for operand in self.operands(terms, term) {
                if !self.met(operand) {
                    stack.push(operand);
                }
            }
            // A table of many choices is looked at as a whole first.
            let is_choice = matches!(terms.op(term), Op::Ite | Op::Select);
            let is_new = before < stack.len() || self.operands(terms, term).is_empty();
            if is_choice && is_new && self.tried.insert(term) {
                match self.function(terms, context, functions, term) {
                    // What the function is of was not met yet.
                    Some(Err(cut)) => {
                        self.tried.remove(&term);
                        stack.truncate(before);
                        stack.push(cut);
                        continue;
                    }
                    Some(Ok(bits)) => {
                        stack.truncate(before);
                        self.bits.insert(term, bits.into());
                        continue;
                    }
                    None => {}
                }
            }
            if stack.len() > before {
                continue;
            }
            stack.pop();
            if !context.spend(4) {
                return None;
            }
            self.open_up(terms, term)?;
            match self.compute(terms, term) {
                Some(bits) => {
                    self.bits.insert(term, bits.into());
                }
                None => {
                    self.opaque.insert(term);
                }
            }
        }
        self.open(terms, root)?;
        self.bits.get(&root).cloned()
    }

    fn met(&self, term: Term) -> bool {
        self.bits.contains_key(&term) || self.opaque.contains(&term)
    }

    /// Makes inputs of those operands that are not linear, where a term may be linear in their bits.
    fn open_up(&mut self, terms: &Terms, term: Term) -> Option<()> {
        let first = match terms.op(term) {
            Op::BvNot | Op::BvXor | Op::BvAnd | Op::BvOr | Op::BvAdd | Op::BvMul => 0,
            Op::Concat | Op::Extract { .. } | Op::SignExtend => 0,
            // Not the condition.
            Op::Ite if self.bits.contains_key(&terms.arg(term, 0)) => 1,
            _ => return Some(()),
        };
        for &operand in &terms.args(term)[first..] {
            self.open(terms, operand)?;
        }
        Some(())
    }

    /// Makes inputs of the bits of a term that is not linear.
    fn open(&mut self, terms: &Terms, term: Term) -> Option<()> {
        if self.opaque.remove(&term) {
            let bits = self.leaf(terms, term)?;
            self.bits.insert(term, bits.into());
        }
        Some(())
    }

    /// New input bits.
    fn leaf(&mut self, terms: &Terms, term: Term) -> Option<Vec<Xor>> {
        let width = terms.sort(term).width().unwrap_or(1) as usize;
        let first = self.inputs;
        self.inputs += width;
        (self.inputs <= ONE).then(|| (first..self.inputs).map(Xor::bit).collect())
    }

    /// The operands whose bits make those of a term.
    fn operands(&self, terms: &Terms, term: Term) -> Vec<Term> {
        let args = terms.args(term);
        let is_word = |&operand: &Term| matches!(terms.sort(operand), Sort::BitVec(1..=64));
        match terms.op(term) {
            Op::BvNot | Op::BvXor | Op::BvAnd | Op::BvOr | Op::BvAdd | Op::BvMul => args.to_vec(),
            Op::Concat | Op::Extract { .. } | Op::SignExtend => args.to_vec(),
            Op::Eq if args.iter().all(is_word) => args.to_vec(),
            Op::Not => args.to_vec(),
            Op::Ite if matches!(terms.sort(term), Sort::BitVec(_) | Sort::Bool) => args.to_vec(),
            Op::Select if matches!(terms.op(args[0]), Op::Table(_)) => vec![args[1]],
            _ => Vec::new(),
        }
    }

    /// The bits of a term by those of its operands, if that is what they are.
    fn compute(&self, terms: &Terms, term: Term) -> Option<Vec<Xor>> {
        let width = terms.sort(term).width().unwrap_or(1);
        let operands = self.operands(terms, term);
        if operands
            .iter()
            .any(|operand| !self.bits.contains_key(operand))
        {
            return None;
        }
        let arg = |index: usize| &self.bits[&terms.arg(term, index)];
        let pairs = |of: fn(Xor, Xor) -> Option<Xor>| -> Option<Vec<Xor>> {
            let pairs = arg(0).iter().zip(arg(1).iter());
            pairs.map(|(&a, &b)| of(a, b)).collect()
        };
        match terms.op(term) {
            Op::True => Some(vec![Xor::constant(true)]),
            Op::False => Some(vec![Xor::constant(false)]),
            Op::Const(id) => {
                let value = terms.const_value(id);
                Some((0..width).map(|at| Xor::constant(value.bit(at))).collect())
            }
            Op::BvNot | Op::Not => Some(arg(0).iter().map(|bit| bit.not()).collect()),
            Op::BvXor => pairs(|a, b| Some(a.add(b))),
            Op::BvAnd => pairs(and),
            Op::BvOr => pairs(|a, b| and(a.not(), b.not()).map(Xor::not)),
            Op::BvAdd => {
                // Without a bit that two of them may have there is no carry.
                let mut sum = vec![Xor::ZERO; width as usize];
                for addend in terms.args(term) {
                    for (sum, &bit) in sum.iter_mut().zip(self.bits[addend].iter()) {
                        if *sum != Xor::ZERO && bit != Xor::ZERO {
                            return None;
                        }
                        *sum = sum.add(bit);
                    }
                }
                Some(sum)
            }
            Op::BvMul => {
                // A constant times something that has one bit at most.
                let factor = terms.value(terms.arg(term, 0))?;
                let bits = arg(1);
                let mut set = (0..width).filter(|&at| bits[at as usize] != Xor::ZERO);
                let (place, None) = (set.next()?, set.next()) else {
                    return None;
                };
                let product = |at: u32| at >= place && factor.bit(at - place);
                let bit = |at| {
                    if product(at) {
                        bits[place as usize]
                    } else {
                        Xor::ZERO
                    }
                };
                Some((0..width).map(bit).collect())
            }
            Op::Concat => Some(arg(1).iter().chain(arg(0).iter()).copied().collect()),
            Op::Extract { lo } => Some(arg(0)[lo as usize..][..width as usize].to_vec()),
            Op::SignExtend => {
                let mut bits = arg(0).to_vec();
                let sign = *bits.last()?;
                bits.resize(width as usize, sign);
                Some(bits)
            }
            Op::Eq => self.equation(terms, term),
            Op::Ite if operands.is_empty() => None,
            Op::Ite => {
                let condition = arg(0)[0];
                let arms = arg(1).iter().zip(arg(2).iter());
                arms.map(|(&a, &b)| {
                    let difference = and(condition, a.add(b))?;
                    Some(b.add(difference))
                })
                .collect()
            }
            Op::Select => self.look_up(terms, term),
            _ => None,
        }
    }

    /// An equation that is decided but for one bit.
    fn equation(&self, terms: &Terms, term: Term) -> Option<Vec<Xor>> {
        let (a, b) = (
            self.bits.get(&terms.arg(term, 0))?,
            self.bits.get(&terms.arg(term, 1))?,
        );
        let mut differs = Xor::ZERO;
        for (&a, &b) in a.iter().zip(b.iter()) {
            let difference = a.add(b);
            match difference.value() {
                Some(false) => {}
                Some(true) => return Some(vec![Xor::constant(false)]),
                None if differs == Xor::ZERO || differs == difference => differs = difference,
                None => return None,
            }
        }
        Some(vec![differs.not()])
    }

    /// A table at an index some of whose bits vary.
    fn look_up(&self, terms: &Terms, term: Term) -> Option<Vec<Xor>> {
        let (table, index) = (terms.arg(term, 0), terms.arg(term, 1));
        let Op::Table(id) = terms.op(table) else {
            return None;
        };
        let below = terms.arg(table, 0);
        let rest = match terms.op(below) {
            Op::ConstArray => terms.value(terms.arg(below, 0))?.small()?,
            _ => return None,
        };
        let index_width = terms.width(index);
        let bits = self.bits.get(&index)?;
        let mut fixed = 0u64;
        let mut varying = Vec::new();
        for (place, bit) in bits.iter().enumerate() {
            match bit.value() {
                Some(value) if place < 64 => fixed |= u64::from(value) << place,
                Some(false) => {}
                Some(true) => return None,
                None if place < 64 => varying.push((place, *bit)),
                None => return None,
            }
        }
        if varying.len() > MOST_INDEX_BITS || index_width > 64 {
            return None;
        }
        let entry = |places: u64| -> Option<u64> {
            let picked = varying.iter().enumerate();
            let picked = picked.filter(|(number, _)| places >> number & 1 == 1);
            let index = picked.fold(fixed, |index, (_, (place, _))| index | 1 << place);
            match terms.cell(id, &Bv::new(index_width, index)) {
                Some(cell) => cell.small(),
                None => Some(rest),
            }
        };
        let inputs: Vec<Xor> = varying.iter().map(|&(_, bit)| bit).collect();
        linear(terms.width(term), &inputs, entry)
    }

    /// A function of a small value, if it is linear in that value's bits. The value, if its bits are not known yet.
    fn function(
        &mut self,
        terms: &mut Terms,
        context: &mut Context,
        functions: &mut Functions,
        term: Term,
    ) -> Option<Result<Vec<Xor>, Term>> {
        let width = terms.sort(term).width().filter(|&width| width <= 64)?;
        // The outermost value all of whose bits vary.
        let cuts = functions.cuts(terms, context, term);
        let whole = |&&cut: &&Term| {
            let bits = terms.width(cut) as usize;
            let bounds = context.bounds(terms, cut);
            let is_whole = bits <= MOST_INDEX_BITS && bounds.max - bounds.min == (1 << bits) - 1;
            cut != term && is_whole
        };
        let cut = *cuts.iter().rev().find(whole)?;
        if !self.met(cut) {
            return Some(Err(cut));
        }
        self.open(terms, cut)?;
        let inputs = self.bits.get(&cut)?;
        let column = functions.column(terms, context, term, cut)?;
        let entry = |value: u64| column.get(value as usize).copied();
        linear(width, inputs, entry).map(Ok)
    }
}

/// The product of two bits, where it is linear.
fn and(a: Xor, b: Xor) -> Option<Xor> {
    match (a.value(), b.value()) {
        (Some(false), _) | (_, Some(false)) => Some(Xor::ZERO),
        (Some(true), _) => Some(b),
        (_, Some(true)) => Some(a),
        _ if a == b => Some(a),
        _ if a == b.not() => Some(Xor::ZERO),
        _ => None,
    }
}

/// The bits of a function of bits, by its values for all of them, if it is linear.
fn linear(width: u32, inputs: &[Xor], entry: impl Fn(u64) -> Option<u64>) -> Option<Vec<Xor>> {
    let constant = entry(0)?;
    let columns: Option<Vec<u64>> = (0..inputs.len()).map(|bit| entry(1 << bit)).collect();
    let columns: Vec<u64> = columns?.iter().map(|column| column ^ constant).collect();
    for value in 0..1u64 << inputs.len() {
        let picked = columns.iter().enumerate();
        let picked = picked.filter(|(bit, _)| value >> bit & 1 == 1);
        if picked.fold(constant, |sum, (_, column)| sum ^ column) != entry(value)? {
            return None;
        }
    }
    let bit = |at: u32| {
        let inputs = inputs.iter().zip(&columns);
        let inputs = inputs.filter(|(_, column)| **column >> at & 1 == 1);
        let constant = Xor::constant(constant >> at & 1 == 1);
        inputs.fold(constant, |sum, (&input, _)| sum.add(input))
    };
    Some((0..width).map(bit).collect())
}
