//! Reading a key back: its slots' sorts, and its atoms over other terms.
//!
//! The bytes may be anything. Sorts are checked before a constructor is called, and what constructors build is
//! counted against a budget, so that neither widths nor numbers nor tables grow out of hand.

use refrain_term::{Bv, FloatOp, FuncId, Op, Rational, Rounding, Sort, Term, Terms};

use super::bytes::{Reader, SlotSort};
use super::write::FORMAT;
use super::{MAX_KEY, MAX_NODES, MAX_NUMBER_WORDS, MAX_WIDTH, code};

/// What stands in place of a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SlotTerm {
    Term(Term),
    Func(FuncId),
}

/// The most words that constructors may be given or give.
const BUDGET: usize = 1 << 22;

/// The sorts of the slots of a key. `None` if the bytes are no key.
pub fn slot_sorts(key: &[u8]) -> Option<Vec<SlotSort>> {
    header(&mut Reader::new(key))
}

fn header(reader: &mut Reader<'_>) -> Option<Vec<SlotSort>> {
    if reader.byte()? != FORMAT {
        return None;
    }
    let count = reader.count()?;
    (0..count).map(|_| reader.slot_sort()).collect()
}

/// The atoms of a key, in its order, over these terms and functions in place of its slots, as the constructors build
/// them. `None` if the bytes are no key, or the slots are not of its sorts.
pub fn instantiate(terms: &mut Terms, key: &[u8], slots: &[SlotTerm]) -> Option<Vec<Term>> {
    if key.len() > MAX_KEY {
        return None;
    }
    let mut reader = Reader::new(key);
    let sorts = header(&mut reader)?;
    if sorts.len() != slots.len() || !sorts.iter().zip(slots).all(|(s, &t)| fits(terms, s, t)) {
        return None;
    }
    let count = reader.count()?;
    if count > MAX_NODES {
        return None;
    }
    let mut builder = Builder {
        terms,
        reader,
        slots: slots.iter().copied(),
        nodes: Vec::with_capacity(count),
        operands: Vec::new(),
        words: Vec::new(),
        numbers: Vec::new(),
        budget: BUDGET,
    };
    for _ in 0..count {
        let node = builder.node()?;
        builder.nodes.push(node);
    }
    builder.atoms()
}

fn fits(terms: &Terms, sort: &SlotSort, slot: SlotTerm) -> bool {
    match (sort, slot) {
        (SlotSort::Plain(sort), SlotTerm::Term(term)) => terms.sort(term) == *sort,
        (SlotSort::Func { args, result }, SlotTerm::Func(func)) => {
            let decl = terms.func_decl(func);
            decl.args == *args && decl.result == *result
        }
        _ => false,
    }
}

struct Builder<'a> {
    terms: &'a mut Terms,
    reader: Reader<'a>,
    slots: std::iter::Copied<std::slice::Iter<'a, SlotTerm>>,
    nodes: Vec<SlotTerm>,
    operands: Vec<Term>,
    /// Coefficients, of bit-vectors or of numbers.
    words: Vec<Bv>,
    numbers: Vec<Rational>,
    budget: usize,
}

impl Builder<'_> {
    fn pay(&mut self, words: usize) -> Option<()> {
        self.budget = self.budget.checked_sub(words)?;
        Some(())
    }

    fn atoms(mut self) -> Option<Vec<Term>> {
        let count = self.reader.count()?;
        let mut atoms = Vec::with_capacity(count);
        for _ in 0..count {
            let code = self.reader.varint()?;
            let node = usize::try_from(code >> 1).ok()?;
            let atom = self.signed(node, code & 1 == 1)?;
            if self.terms.sort(atom) != Sort::Bool {
                return None;
            }
            atoms.push(atom);
        }
        self.reader.is_at_end().then_some(atoms)
    }

    /// A node that is a term, negated or not.
    fn signed(&mut self, node: usize, is_negated: bool) -> Option<Term> {
        let SlotTerm::Term(term) = *self.nodes.get(node)? else {
            return None;
        };
        if !is_negated {
            return Some(term);
        }
        (self.terms.sort(term) == Sort::Bool).then(|| self.terms.not(term))
    }

    fn reference(&mut self) -> Option<(usize, bool)> {
        let code = self.reader.varint()?;
        let distance = usize::try_from(code >> 1).ok()?;
        let node = self.nodes.len().checked_sub(distance)?;
        Some((node, code & 1 == 1))
    }

    fn operand(&mut self) -> Option<Term> {
        let (node, is_negated) = self.reference()?;
        self.signed(node, is_negated)
    }

    fn node(&mut self) -> Option<SlotTerm> {
        let code = self.reader.byte()?;
        match code {
            code::SLOT => return self.slots.next(),
            code::APPLY => return self.apply().map(SlotTerm::Term),
            _ => {}
        }
        let count = match code::arity(code) {
            Some(arity) => arity,
            None => self.reader.count()?,
        };
        self.operands.clear();
        self.words.clear();
        self.numbers.clear();
        for _ in 0..count {
            let operand = self.operand()?;
            self.operands.push(operand);
            if code::is_weighted(code) {
                self.coefficient(operand)?;
            }
            let size = size(self.terms, operand)?;
            self.pay(size)?;
        }
        let term = match code {
            code::SUM | code::EQUATION | code::LE | code::LT => self.weighted(code)?,
            code::AND => {
                self.all_of(Sort::Bool)?;
                self.terms.and(&self.operands)
            }
            _ => self.plain(code)?,
        };
        let size = size(self.terms, term)?;
        self.pay(size)?;
        Some(SlotTerm::Term(term))
    }

    fn apply(&mut self) -> Option<Term> {
        let count = self.reader.count()?;
        let (node, is_negated) = self.reference()?;
        let SlotTerm::Func(func) = *self.nodes.get(node)? else {
            return None;
        };
        self.operands.clear();
        for _ in 1..count {
            let operand = self.operand()?;
            self.operands.push(operand);
        }
        self.pay(count)?;
        let sorts = self.operands.iter().map(|&term| self.terms.sort(term));
        if is_negated || !self.terms.func_decl(func).args.iter().copied().eq(sorts) {
            return None;
        }
        Some(self.terms.apply(func, &self.operands))
    }

    fn coefficient(&mut self, operand: Term) -> Option<()> {
        match self.terms.sort(operand) {
            Sort::BitVec(width) => {
                let word = self.reader.bv(width)?;
                self.words.push(word);
            }
            Sort::Int => {
                let number = self.reader.number().filter(Rational::is_integer)?;
                self.numbers.push(number);
            }
            Sort::Real => {
                let number = self.reader.number()?;
                self.numbers.push(number);
            }
            _ => return None,
        }
        Some(())
    }

    fn all_of(&self, sort: Sort) -> Option<()> {
        let mut operands = self.operands.iter();
        operands
            .all(|&term| self.terms.sort(term) == sort)
            .then_some(())
    }

    /// A sum, alone or against a constant.
    fn weighted(&mut self, code: u8) -> Option<Term> {
        let sort = self.terms.sort(*self.operands.first()?);
        self.all_of(sort)?;
        match (sort, code) {
            (Sort::BitVec(width), code::SUM) => {
                let constant = self.reader.bv(width)?;
                let parts: Vec<(Term, Bv)> = self.monomials().collect();
                Some(self.word_sum(constant, parts))
            }
            (Sort::BitVec(width), code::EQUATION) => {
                // What is subtracted goes to the other side.
                let constant = self.reader.bv(width)?;
                let (right, left): (Vec<_>, Vec<_>) = self.monomials().partition(|(_, c)| c.sign());
                let right = right.into_iter().map(|(term, c)| (term, c.neg())).collect();
                let left = self.word_sum(Bv::zero(width), left);
                let right = self.word_sum(constant, right);
                Some(self.terms.eq(left, right))
            }
            (Sort::Int | Sort::Real, _) => {
                let constant = self.reader.number()?;
                if sort == Sort::Int && !constant.is_integer() {
                    return None;
                }
                self.number_sum(sort, constant, code)
            }
            _ => None,
        }
    }

    fn monomials(&mut self) -> impl Iterator<Item = (Term, Bv)> {
        let words = std::mem::take(&mut self.words);
        std::mem::take(&mut self.operands).into_iter().zip(words)
    }

    fn word_sum(&mut self, constant: Bv, monomials: Vec<(Term, Bv)>) -> Term {
        let mut addends = vec![self.terms.constant(constant)];
        for (term, coefficient) in monomials {
            let coefficient = self.terms.constant(coefficient);
            addends.push(self.terms.bv_mul(coefficient, term));
        }
        self.terms.bv_sum(&addends)
    }

    fn number_sum(&mut self, sort: Sort, constant: Rational, code: u8) -> Option<Term> {
        let constant = self.terms.number(sort, constant);
        let mut addends = Vec::with_capacity(self.operands.len() + 1);
        for (&term, coefficient) in self.operands.iter().zip(&self.numbers) {
            addends.push(self.terms.num_scaled(coefficient, term));
        }
        let mut total = 0;
        for &addend in &addends {
            total += size(self.terms, addend)?;
        }
        // Sums of many large fractions become larger still.
        if total > MAX_NODES {
            return None;
        }
        self.pay(total)?;
        if code == code::SUM {
            addends.push(constant);
            return Some(self.terms.sum(&addends));
        }
        let sum = self.terms.sum(&addends);
        Some(match code {
            code::EQUATION => self.terms.eq(sum, constant),
            code::LE => self.terms.le(sum, constant),
            _ => self.terms.lt(sum, constant),
        })
    }

    fn width_of(&self, at: usize) -> Option<u32> {
        self.terms.sort(*self.operands.get(at)?).width()
    }

    /// Two bit-vectors of one width.
    fn words(&self) -> Option<(Term, Term)> {
        let &[a, b] = &self.operands[..] else {
            return None;
        };
        (self.width_of(0)? == self.width_of(1)?).then_some((a, b))
    }

    fn pair(&self) -> Option<(Term, Term)> {
        let &[a, b] = &self.operands[..] else {
            return None;
        };
        (self.terms.sort(a) == self.terms.sort(b)).then_some((a, b))
    }

    fn array_of(&self) -> Option<(Term, u32, u32)> {
        let &array = self.operands.first()?;
        match self.terms.sort(array) {
            Sort::Array { index, element } => Some((array, index, element)),
            _ => None,
        }
    }

    fn plain(&mut self, code: u8) -> Option<Term> {
        let binary: fn(&mut Terms, Term, Term) -> Term = match code {
            code::BV_AND => Terms::bv_and,
            code::BV_OR => Terms::bv_or,
            code::BV_XOR => Terms::bv_xor,
            code::UDIV => Terms::bv_udiv,
            code::UREM => Terms::bv_urem,
            code::SHL => Terms::bv_shl,
            code::LSHR => Terms::bv_lshr,
            code::ASHR => Terms::bv_ashr,
            code::ULT => Terms::bv_ult,
            code::SLT => Terms::bv_slt,
            _ => return self.special(code),
        };
        let (a, b) = self.words()?;
        Some(binary(self.terms, a, b))
    }

    fn special(&mut self, code: u8) -> Option<Term> {
        Some(match code {
            code::TRUE => Term::TRUE,
            code::CONST => {
                let width = self.reader.width()?;
                let value = self.reader.bv(width)?;
                self.terms.constant(value)
            }
            code::INT => {
                let value = self.reader.number().filter(Rational::is_integer)?;
                self.terms.number(Sort::Int, value)
            }
            code::REAL => {
                let value = self.reader.number()?;
                self.terms.number(Sort::Real, value)
            }
            code::IFF => {
                self.all_of(Sort::Bool)?;
                let (a, b) = self.pair()?;
                self.terms.eq(a, b)
            }
            code::EQ => {
                let (a, b) = self.pair()?;
                self.terms.eq(a, b)
            }
            code::ITE => {
                let &[c, t, e] = &self.operands[..] else {
                    return None;
                };
                if self.terms.sort(c) != Sort::Bool || self.terms.sort(t) != self.terms.sort(e) {
                    return None;
                }
                self.terms.ite(c, t, e)
            }
            code::MUL => {
                let (a, b) = self.pair()?;
                match self.terms.sort(a) {
                    Sort::BitVec(_) => self.terms.bv_mul(a, b),
                    Sort::Int | Sort::Real => self.terms.mul(a, b),
                    _ => return None,
                }
            }
            code::DIV => {
                let (a, b) = self.pair()?;
                if !self.terms.sort(a).is_number() {
                    return None;
                }
                quotient(self.terms, a, b)
            }
            code::TO_REAL | code::TO_INT => {
                let &[a] = &self.operands[..] else {
                    return None;
                };
                match (code, self.terms.sort(a)) {
                    (code::TO_REAL, Sort::Int) => self.terms.to_real(a),
                    (code::TO_INT, Sort::Real) => self.terms.to_int(a),
                    _ => return None,
                }
            }
            code::FLOAT => {
                let op = FloatOp::of_code(self.reader.byte()?)?;
                let exponent = u32::try_from(self.reader.varint()?).ok()?;
                let to = u32::try_from(self.reader.varint()?).ok()?;
                let width = self.reader.width()?;
                let mut operands = std::mem::take(&mut self.operands);
                match self.reader.byte()? {
                    code::ROUNDING_OPERAND => {}
                    code @ 0..=4 => {
                        let rounding = self.terms.rounding(Rounding::of_code(u64::from(code)));
                        operands.insert(0, rounding);
                    }
                    _ => return None,
                }
                self.terms
                    .float_checked(op, [exponent, to], width, &operands)?
            }
            code::BV_NOT | code::CONCAT | code::EXTRACT | code::SIGN_EXTEND => self.bits(code)?,
            _ => self.array(code)?,
        })
    }

    fn bits(&mut self, code: u8) -> Option<Term> {
        let a = *self.operands.first()?;
        let width = self.width_of(0)?;
        Some(match code {
            code::BV_NOT => self.terms.bv_not(a),
            code::CONCAT => {
                if width + self.width_of(1)? > MAX_WIDTH {
                    return None;
                }
                self.terms.concat(a, self.operands[1])
            }
            code::EXTRACT => {
                let low = u32::try_from(self.reader.varint()?).ok()?;
                let high = low.checked_add(self.reader.width()? - 1)?;
                if high >= width {
                    return None;
                }
                self.terms.extract(a, high, low)
            }
            _ => {
                let by = self.reader.width()?.checked_sub(width)?;
                self.terms.sign_extend(a, by)
            }
        })
    }

    fn array(&mut self, code: u8) -> Option<Term> {
        if code == code::CONST_ARRAY {
            self.width_of(0)?;
            let index = self.reader.width()?;
            return Some(self.terms.const_array(index, self.operands[0]));
        }
        let (array, index, element) = self.array_of()?;
        Some(match code {
            code::SELECT => {
                (self.width_of(1)? == index).then_some(())?;
                self.terms.select(array, self.operands[1])
            }
            code::STORE => {
                (self.width_of(1)? == index && self.width_of(2)? == element).then_some(())?;
                self.terms.store(array, self.operands[1], self.operands[2])
            }
            code::CELL => {
                let value = self.reader.bv(index)?;
                let at = self.terms.constant(value);
                self.terms.select(array, at)
            }
            code::TABLE => {
                let count = self.reader.count()?;
                self.pay(count.checked_mul(1 + (index as usize + element as usize) / 64)?)?;
                let mut cells = Vec::with_capacity(count);
                for _ in 0..count {
                    cells.push((self.reader.bv(index)?, self.reader.bv(element)?));
                }
                self.terms.table(array, cells)
            }
            _ => return None,
        })
    }
}

/// A quotient that is zero if the divisor is. The constructors give it only together with the case of division by
/// zero; rebuilding a quotient gives it alone.
fn quotient(terms: &mut Terms, a: Term, b: Term) -> Term {
    // A backslash cannot occur in a symbol that anyone else declares.
    let dividend = terms.var("\\dividend", Sort::Int);
    let divisor = terms.int(3);
    let pattern = terms.div(dividend, divisor);
    debug_assert_eq!(terms.op(pattern), Op::Div);
    terms.rebuild(pattern, &[a, b])
}

/// About how many words a term's own values take. `None` if one of them is too large.
fn size(terms: &Terms, term: Term) -> Option<usize> {
    let number = |term: Term| {
        let value = match terms.op(term) {
            Op::Mul => terms.number_value(terms.arg(term, 0)),
            _ => terms.number_value(term),
        };
        let words = value.map_or(0, |value| match value.to_i64() {
            Some(_) => 1,
            None => value.words().len(),
        });
        (words <= MAX_NUMBER_WORDS).then_some(words)
    };
    match (terms.sort(term), terms.op(term)) {
        (Sort::BitVec(width), _) => Some(1 + width as usize / 64),
        (Sort::Array { index, element }, Op::Table(id)) => {
            Some(terms.cells(id).len() * (1 + (index as usize + element as usize) / 64))
        }
        (Sort::Int | Sort::Real, Op::Add) => {
            let args = terms.args(term).iter();
            args.map(|&arg| number(arg))
                .try_fold(1, |sum, size| Some(sum + size?))
        }
        (Sort::Int | Sort::Real, _) => Some(1 + number(term)?),
        _ => Some(1),
    }
}
