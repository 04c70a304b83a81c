//! Atoms about floats, as far as intervals understand them.

use refrain_term::{FloatOp, Op, Rounding, Sort, Term, Terms};
use rustc_hash::FxHashMap;

use super::range::{Places, Range, word};

/// Terms nested deeper are not looked into.
const DEEPEST: u32 = 200;

/// More nodes and formulas than these are not made.
const MOST: usize = 1 << 12;

/// A float in the atoms.
pub struct Node {
    pub kind: Kind,
    pub places: Places,
    /// What it is, whatever its operands are.
    pub range: Range,
}

/// What a float is made of; operands are nodes.
#[derive(PartialEq)]
pub enum Kind {
    /// An input, a constant, or something that is not looked into.
    Leaf,
    Negated(usize),
    Magnitude(usize),
    Choice(Formula, usize, usize),
    /// From the format of the operand. How to round may depend on input.
    Converted(Option<Rounding>, usize),
    Operator(FloatOp, Option<Rounding>, Vec<usize>),
}

/// A condition on floats.
#[derive(PartialEq)]
pub enum Formula {
    /// Anything.
    Opaque,
    Not(Box<Formula>),
    And(Vec<Formula>),
    /// Lt, Le or Eq.
    Compare(FloatOp, usize, usize),
    /// The same number, but for the sign of zero, or both NaN.
    Same(usize, usize),
    /// The magnitude's bits are above these. Those of NaN are above infinity's.
    Above(usize, i128),
    /// The magnitude's bits are these.
    Magnitude(usize, i128),
    /// The sign is set.
    Negative(usize),
}

/// The floats in atoms, and the atoms; nothing if there are no operators on floats.
pub fn compile(terms: &Terms, atoms: &[Term]) -> Option<(Vec<Node>, Vec<Formula>)> {
    let mut compiler = Compiler {
        terms,
        nodes: Vec::new(),
        known: FxHashMap::default(),
        formats: FxHashMap::default(),
        formulas: 0,
    };
    // Bits say nothing about the format of a float: only operators do, wherever they are.
    let mut formulas: Vec<Formula> = atoms
        .iter()
        .map(|&atom| compiler.formula(atom, 0))
        .collect();
    if compiler.nodes.is_empty() {
        return None;
    }
    for (formula, &atom) in formulas.iter_mut().zip(atoms) {
        *formula = compiler.formula(atom, 0);
    }
    Some((compiler.nodes, formulas))
}

struct Compiler<'a> {
    terms: &'a Terms,
    nodes: Vec<Node>,
    known: FxHashMap<(Term, Places), usize>,
    /// What operators take terms for.
    formats: FxHashMap<Term, Places>,
    formulas: usize,
}

impl Compiler<'_> {
    fn formula(&mut self, term: Term, depth: u32) -> Formula {
        self.formulas += 1;
        if depth > DEEPEST || self.formulas > MOST || self.nodes.len() > MOST {
            return Formula::Opaque;
        }
        let terms = self.terms;
        let arg = |place| terms.arg(term, place);
        match terms.op(term) {
            Op::Not => Formula::Not(Box::new(self.formula(arg(0), depth + 1))),
            Op::And => {
                let all = terms.args(term).iter();
                Formula::And(all.map(|&each| self.formula(each, depth + 1)).collect())
            }
            Op::Float { .. } => self.comparison(term, depth),
            Op::Eq => self.equality(arg(0), arg(1), depth),
            Op::BvUlt => self.order(arg(0), arg(1), depth),
            _ => Formula::Opaque,
        }
    }

    fn comparison(&mut self, term: Term, depth: u32) -> Formula {
        let Some((op @ (FloatOp::Lt | FloatOp::Le | FloatOp::Eq), format, _)) =
            self.terms.float_op(term)
        else {
            return Formula::Opaque;
        };
        let Some(places) = Places::of(format) else {
            return Formula::Opaque;
        };
        let [a, b] = [0, 1].map(|place| self.terms.arg(term, place));
        let (a, b) = (
            self.node(a, places, depth + 1),
            self.node(b, places, depth + 1),
        );
        Formula::Compare(op, a, b)
    }

    /// Equality of bits.
    fn equality(&mut self, a: Term, b: Term, depth: u32) -> Formula {
        for (constant, other) in [(a, b), (b, a)] {
            let Some(value) = self.terms.value(constant).and_then(word) else {
                continue;
            };
            if let Some((whole, lo, width)) = self.part(other)
                && let Some(&places) = self.formats.get(&whole)
            {
                let format = places.format;
                if lo == 0 && width == format.width() - 1 {
                    let node = self.node(whole, places, depth + 1);
                    return Formula::Magnitude(node, value as i128);
                }
                if lo == format.width() - 1 && width == 1 {
                    let negative = Formula::Negative(self.node(whole, places, depth + 1));
                    return match value == 1 {
                        true => negative,
                        false => Formula::Not(Box::new(negative)),
                    };
                }
            }
        }
        let format = |term| self.format_of(term);
        match format(a).or_else(|| format(b)) {
            Some(places) => {
                let (a, b) = (
                    self.node(a, places, depth + 1),
                    self.node(b, places, depth + 1),
                );
                Formula::Same(a, b)
            }
            None => Formula::Opaque,
        }
    }

    /// An order of unsigned bits: of a magnitude and a constant.
    fn order(&mut self, a: Term, b: Term, depth: u32) -> Formula {
        let constant = |term| self.terms.value(term).and_then(word);
        let magnitude = |term| {
            let (whole, lo, width) = self.part(term)?;
            let places = *self.formats.get(&whole)?;
            (lo == 0 && width == places.format.width() - 1).then_some((whole, places))
        };
        match (constant(a), constant(b), magnitude(a), magnitude(b)) {
            (Some(bound), _, _, Some((whole, places))) => {
                Formula::Above(self.node(whole, places, depth + 1), bound as i128)
            }
            (_, Some(bound @ 1..), Some((whole, places)), _) => {
                let node = self.node(whole, places, depth + 1);
                Formula::Not(Box::new(Formula::Above(node, bound as i128 - 1)))
            }
            _ => Formula::Opaque,
        }
    }

    /// A term as a part of another one: that, the first bit and the width.
    fn part(&self, term: Term) -> Option<(Term, u32, u32)> {
        let Op::Extract { lo } = self.terms.op(term) else {
            return None;
        };
        let width = self.terms.sort(term).width()?;
        Some((self.terms.arg(term, 0), lo, width))
    }

    fn format_of(&self, term: Term) -> Option<Places> {
        let format = self.terms.float_format(term).and_then(Places::of);
        format.or_else(|| self.formats.get(&term).copied())
    }

    /// The node of a term that is taken for a float of this format.
    fn node(&mut self, term: Term, places: Places, depth: u32) -> usize {
        if let Some(&node) = self.known.get(&(term, places)) {
            return node;
        }
        self.formats.entry(term).or_insert(places);
        let (kind, range) = match depth > DEEPEST || self.nodes.len() > MOST {
            true => (Kind::Leaf, places.all()),
            false => self.kind(term, places, depth),
        };
        self.nodes.push(Node {
            kind,
            places,
            range,
        });
        let node = self.nodes.len() - 1;
        self.known.insert((term, places), node);
        node
    }

    fn kind(&mut self, term: Term, places: Places, depth: u32) -> (Kind, Range) {
        let (terms, all) = (self.terms, places.all());
        let format = places.format;
        let leaf = (Kind::Leaf, all);
        match terms.op(term) {
            Op::Const(_) => {
                let value = terms.value(term).and_then(word);
                let range = value.map_or(all, |value| places.range_of(value));
                (Kind::Leaf, range)
            }
            Op::BvXor => {
                let [a, b] = [0, 1].map(|place| terms.arg(term, place));
                let is_sign = terms
                    .value(a)
                    .is_some_and(|value| *value == format.zero(true));
                match is_sign && terms.args(term).len() == 2 {
                    true => (Kind::Negated(self.node(b, places, depth + 1)), all),
                    false => leaf,
                }
            }
            Op::Concat => {
                let [high, low] = [0, 1].map(|place| terms.arg(term, place));
                let is_positive = terms.value(high).is_some_and(|value| value.is_zero())
                    && terms.sort(high) == Sort::BitVec(1);
                match self.part(low) {
                    Some((whole, 0, width))
                        if is_positive
                            && width == format.width() - 1
                            && terms.sort(whole) == terms.sort(term) =>
                    {
                        (Kind::Magnitude(self.node(whole, places, depth + 1)), all)
                    }
                    _ => leaf,
                }
            }
            Op::Ite => {
                let [condition, then, other] = [0, 1, 2].map(|place| terms.arg(term, place));
                let then = self.node(then, places, depth + 1);
                let other = self.node(other, places, depth + 1);
                // After the branches, which tell what floats the condition is about.
                let condition = self.formula(condition, depth + 1);
                (Kind::Choice(condition, then, other), all)
            }
            Op::Float { .. } if terms.float_format(term) == Some(format) => {
                self.operator(term, places, depth).unwrap_or(leaf)
            }
            _ => leaf,
        }
    }

    fn operator(&mut self, term: Term, places: Places, depth: u32) -> Option<(Kind, Range)> {
        let terms = self.terms;
        let (op, from, _) = terms.float_op(term)?;
        let (mode, operands) = match op.is_rounded() {
            true => {
                let code = terms
                    .value(terms.arg(term, 0))
                    .and_then(|code| code.small());
                (code.map(Rounding::of_code), &terms.args(term)[1..])
            }
            // What has no mode is not rounded.
            false => (Some(Rounding::NearestEven), terms.args(term)),
        };
        let kind = match op {
            FloatOp::FromSigned | FloatOp::FromUnsigned => {
                let bits = self.significant_bits(operands[0])?;
                let most = 2f64.powi(bits as i32);
                let least = if op == FloatOp::FromSigned {
                    -most
                } else {
                    0.0
                };
                let range = Range::between(places.nearest(least), places.nearest(most));
                return Some((Kind::Leaf, range));
            }
            FloatOp::Convert => {
                let from = Places::of(from)?;
                Kind::Converted(mode, self.node(operands[0], from, depth + 1))
            }
            _ => {
                let operands = operands.iter();
                let operands = operands.map(|&operand| self.node(operand, places, depth + 1));
                Kind::Operator(op, mode, operands.collect())
            }
        };
        Some((kind, places.all()))
    }

    /// All bits of an integer but for zeros before them.
    fn significant_bits(&self, term: Term) -> Option<u32> {
        let (terms, width) = (self.terms, self.terms.sort(term).width()?);
        let high = (terms.op(term) == Op::Concat).then(|| terms.arg(term, 0));
        match high.filter(|&high| terms.value(high).is_some_and(|value| value.is_zero())) {
            Some(high) => Some(width - terms.sort(high).width()?),
            None => Some(width),
        }
    }
}
