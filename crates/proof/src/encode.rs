//! Terms as bits. A formula is a literal, a bit-vector a row of literals. What is neither (numbers, arrays, terms of
//! declared sorts) has no bits: a formula about such terms is a literal that nothing defines, and rules (`rules`) say
//! what holds between these. Bits of a function's result, or of an array's element, are free as well.
//!
//! The numbering follows from the order in which terms are encoded.

use dashu_int::{UBig, ops::BitTest};
use rustc_hash::FxHashMap;

use crate::circuits::{negated, sign_extended};
use crate::error::Fault;
use crate::gates::{FALSE, Gates, Lit, TRUE};
use crate::terms::{Op, Sort, Term, Terms};

#[derive(Default)]
pub struct Encoder {
    pub gates: Gates,
    codes: FxHashMap<Term, Box<[Lit]>>,
    /// What has been encoded, in this order.
    order: Vec<Term>,
}

impl Encoder {
    /// The bits of a formula or a bit-vector, if it has been encoded.
    pub fn known(&self, term: Term) -> Option<&[Lit]> {
        self.codes.get(&term).map(|code| &code[..])
    }

    /// What has been encoded, in this order.
    pub fn order(&self) -> &[Term] {
        &self.order
    }

    /// The literal of a formula.
    pub fn lit(&mut self, terms: &Terms, formula: Term) -> Result<Lit, Fault> {
        match terms.sort(formula) {
            Sort::Bool => Ok(self.bits(terms, formula)?[0]),
            _ => Err(Fault::wrong("a formula is needed")),
        }
    }

    /// The bits of a formula or a bit-vector.
    pub fn bits(&mut self, terms: &Terms, root: Term) -> Result<&[Lit], Fault> {
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            if self.codes.contains_key(&term) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            if is_made_of_bits(terms, term) {
                let args = terms.args(term).iter().rev().copied();
                stack.extend(args.filter(|arg| !self.codes.contains_key(arg)));
            }
            if stack.len() == before {
                let code = self.encode(terms, term)?;
                self.codes.insert(term, code.into());
                self.order.push(term);
                self.gates.check_size()?;
            }
        }
        Ok(&self.codes[&root])
    }

    /// Encodes a term whose arguments are encoded.
    fn encode(&mut self, terms: &Terms, term: Term) -> Result<Vec<Lit>, Fault> {
        let node = terms.node(term);
        let width = match node.sort {
            Sort::Bool => 1,
            Sort::BitVec(width) => width as usize,
            _ => return Err(Fault::wrong("a term without bits")),
        };
        if !is_made_of_bits(terms, term) {
            let gates = &mut self.gates;
            return Ok(match (&node.op, &node.args[..]) {
                (Op::Eq, [a, b]) if a == b => vec![TRUE],
                _ => (0..width).map(|_| gates.fresh()).collect(),
            });
        }
        let codes = &self.codes;
        let gates = &mut self.gates;
        let code = |place: usize| &codes[&node.args[place]][..];
        let lits = || {
            node.args
                .iter()
                .map(|arg| codes[arg][0])
                .collect::<Vec<Lit>>()
        };
        // So that `a * b` and `b * a` are the same circuit.
        let (least, most) = match node.args[..] {
            [a, b] => (&codes[&a.min(b)][..], &codes[&a.max(b)][..]),
            _ => (&[][..], &[][..]),
        };
        Ok(match &node.op {
            Op::True => vec![TRUE],
            Op::False => vec![FALSE],
            Op::Bits(value) => bits_of(value, width),
            Op::Not => vec![-code(0)[0]],
            Op::And => vec![gates.and_all(&lits())],
            Op::Or => vec![gates.or_all(&lits())],
            Op::Xor => vec![gates.xor(code(0)[0], code(1)[0])],
            Op::Eq => vec![gates.equal_bits(code(0), code(1))],
            Op::Ite => gates.choice(code(0)[0], code(1), code(2)),
            Op::BvNot => negated(code(0)),
            Op::BvNeg => gates.negation(code(0)),
            Op::BvAnd => pairwise(code(0), code(1), |a, b| gates.and(a, b)),
            Op::BvOr => pairwise(code(0), code(1), |a, b| gates.or(a, b)),
            Op::BvXor => pairwise(code(0), code(1), |a, b| gates.xor(a, b)),
            Op::BvAdd => gates.sum(least, most, FALSE).0,
            Op::BvSub => gates.difference(code(0), code(1)),
            Op::BvMul => gates.product(least, most)?,
            Op::BvUdiv => gates.division(code(0), code(1))?.0,
            Op::BvUrem => gates.division(code(0), code(1))?.1,
            Op::BvSdiv => gates.signed_division(code(0), code(1))?.0,
            Op::BvSrem => gates.signed_division(code(0), code(1))?.1,
            Op::BvSmod => gates.signed_modulo(code(0), code(1))?,
            Op::BvShl => gates.shift(code(0), code(1), true, FALSE)?,
            Op::BvLshr => gates.shift(code(0), code(1), false, FALSE)?,
            Op::BvAshr => gates.shift(code(0), code(1), false, code(0)[width - 1])?,
            Op::BvUlt => vec![gates.below(code(0), code(1))],
            Op::BvUle => vec![-gates.below(code(1), code(0))],
            Op::BvSlt => vec![gates.signed_below(code(0), code(1))],
            Op::BvSle => vec![-gates.signed_below(code(1), code(0))],
            Op::BvNego => vec![gates.is_lowest(code(0))],
            Op::BvUaddo => vec![gates.sum(code(0), code(1), FALSE).1],
            Op::BvSaddo => vec![gates.signed_sum_overflows(code(0), code(1))],
            Op::BvUmulo => vec![gates.product_overflows(least, most)?],
            Op::BvSmulo => vec![gates.signed_product_overflows(least, most)?],
            Op::BvUsubo => vec![gates.below(code(0), code(1))],
            Op::BvSsubo => vec![gates.signed_difference_overflows(code(0), code(1))],
            Op::BvSdivo => {
                let lowest = gates.is_lowest(code(0));
                let minus_one = gates.and_all(code(1));
                vec![gates.and(lowest, minus_one)]
            }
            Op::Concat => node
                .args
                .iter()
                .rev()
                .flat_map(|arg| codes[arg].iter().copied())
                .collect(),
            Op::Extract(low) => code(0)[*low as usize..][..width].to_vec(),
            Op::ZeroExtend => {
                let mut bits = code(0).to_vec();
                bits.resize(width, FALSE);
                bits
            }
            Op::SignExtend => sign_extended(code(0), width - code(0).len()),
            _ => unreachable!("everything else is free"),
        })
    }
}

/// Whether the bits of a term follow from those of its arguments.
fn is_made_of_bits(terms: &Terms, term: Term) -> bool {
    let node = terms.node(term);
    match node.op {
        Op::Eq => terms.sort(node.args[0]).has_bits(),
        Op::Var(_)
        | Op::Parameter(_)
        | Op::Apply(_)
        | Op::Select
        | Op::Difference
        | Op::Le
        | Op::Lt
        | Op::OfInt => false,
        _ => node.sort.has_bits(),
    }
}

fn pairwise(a: &[Lit], b: &[Lit], mut join: impl FnMut(Lit, Lit) -> Lit) -> Vec<Lit> {
    a.iter().zip(b).map(|(&a, &b)| join(a, b)).collect()
}

fn bits_of(value: &UBig, width: usize) -> Vec<Lit> {
    (0..width)
        .map(|place| Gates::constant(value.bit(place)))
        .collect()
}
