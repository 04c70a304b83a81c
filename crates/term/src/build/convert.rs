//! Conversions between bit-vectors and integers: sums of the bits' weights, and remainders by powers of two. They are
//! defined by what is there, so that every solver knows them.

use crate::{Bv, Op, Rational, Sort, Term, Terms};

impl Terms {
    /// The integer that a bit-vector stands for, in two's complement if it is signed.
    pub fn int_of_bv(&mut self, signed: bool, a: Term) -> Term {
        let Some(&integer) = self.integers.get(&a) else {
            return self.sum_of_bits(signed, a);
        };
        // A remainder; in two's complement that of what is half as much larger.
        let double = |weight: Rational, _| &weight * &Rational::from(2);
        let half = (1..self.width(a)).fold(Rational::from(1), double);
        let count = self.number(Sort::Int, &half * &Rational::from(2));
        let offset = if signed { half } else { Rational::ZERO };
        let offset = self.number(Sort::Int, offset);
        let integer = self.add(integer, offset);
        let rest = self.modulo(integer, count);
        self.sub(rest, offset)
    }

    /// The sum of the bits' weights.
    fn sum_of_bits(&mut self, signed: bool, a: Term) -> Term {
        let width = self.width(a);
        let zero = self.number(Sort::Int, Rational::from(0));
        let one = self.bv(1, 1);
        let mut weight = Rational::from(1);
        let mut addends = Vec::with_capacity(width as usize);
        for bit in 0..width {
            let signed_weight = match signed && bit + 1 == width {
                true => -weight.clone(),
                false => weight.clone(),
            };
            let at = self.extract(a, bit, bit);
            let (is_set, term) = (self.eq(one, at), self.number(Sort::Int, signed_weight));
            addends.push(self.ite(is_set, term, zero));
            weight = &weight * &Rational::from(2);
        }
        self.sum(&addends)
    }

    /// The last `width` bits of an integer, in two's complement.
    pub fn bv_of_int(&mut self, width: u32, a: Term) -> Term {
        if let Some(bits) = self.integer_of_bits(width, a) {
            return bits;
        }
        let (one, two) = (Rational::from(1), Rational::from(2));
        let (one, two) = (self.number(Sort::Int, one), self.number(Sort::Int, two));
        let bits = [1, 0].map(|bit| self.constant(Bv::new(1, bit)));
        let mut rest = a;
        let mut result = None;
        for _ in 0..width {
            let last = self.modulo(rest, two);
            let is_set = self.eq(one, last);
            let bit = self.ite(is_set, bits[0], bits[1]);
            result = Some(result.map_or(bit, |low| self.concat(bit, low)));
            rest = self.div(rest, two);
        }
        let result = result.expect("one bit or more");
        if !self.is_value(result) {
            self.integers.insert(result, a);
        }
        result
    }

    /// The bit-vector whose integer this is, in as many bits: zeros before it, or its last ones.
    fn integer_of_bits(&mut self, width: u32, a: Term) -> Option<Term> {
        let (constant, addends) = self.linear_form(a);
        let (first, _) = addends.first()?;
        // The weight may be within the choice or before it.
        let bits = |terms: &Terms, choice: Term| {
            let is_choice = terms.op(choice) == Op::Ite && terms.op(terms.arg(choice, 0)) == Op::Eq;
            let bit = is_choice.then(|| terms.arg(terms.arg(choice, 0), 1))?;
            match terms.op(bit) {
                Op::Extract { .. } => Some(terms.arg(bit, 0)),
                _ => None,
            }
        };
        let whole = bits(self, *first)?;
        let whole_width = self.width(whole);
        if !constant.is_zero() || addends.len() != whole_width as usize {
            return None;
        }
        let same = self.sum_of_bits(false, whole) == a;
        same.then(|| match whole_width.cmp(&width) {
            std::cmp::Ordering::Less => self.zero_extend(whole, width - whole_width),
            _ => self.extract(whole, width - 1, 0),
        })
    }
}
