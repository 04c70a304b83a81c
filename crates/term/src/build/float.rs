//! Operators on floats, which are bit-vectors.
//!
//! What only looks at bits (signs, classes, zeros) is made of operators on bits. Arithmetic has operators of its own,
//! in whose operands it does not matter which NaN is one.

use crate::float::Function;
use crate::{Bv, FloatOp, Format, Op, Rounding, Sort, Term, Terms, float};

/// How deep an operand is searched for reasons why it is always NaN.
const NAN_DEPTH: u32 = 3;

impl Terms {
    /// An operator's kind, the format that it works in, and the width and the exponent's bits of its result.
    pub fn float_op(&self, term: Term) -> Option<(FloatOp, Format, (u32, u32))> {
        let Op::Float { op, exponent, to } = self.op(term) else {
            return None;
        };
        let result = self.sort(term).width().unwrap_or(1);
        let width = match op.takes_floats() {
            true => self.width(*self.args(term).last().expect("an operand")),
            false => result,
        };
        let format = Format::of_width(width, u32::from(exponent));
        Some((op, format, (result, u32::from(to))))
    }

    /// An operator on operands that may be anything: `None` if it cannot have these. `width` is the result's, and
    /// formats are given by the bits of their exponents, as in [`Op::Float`].
    pub fn float_checked(
        &mut self,
        op: FloatOp,
        [exponent, to]: [u32; 2],
        width: u32,
        args: &[Term],
    ) -> Option<Term> {
        let widths: Vec<u32> = args
            .iter()
            .map(|&arg| self.sort(arg).width())
            .collect::<Option<_>>()?;
        let (rounding, operands) = widths.split_at(usize::from(op.is_rounded()).min(widths.len()));
        let of_width = |width: u32, exponent: u32| {
            let format = Format::new(exponent, width.checked_sub(exponent)?);
            format.is_supported().then_some(format)
        };
        let operand = *operands.first()?;
        let format = of_width(if op.takes_floats() { operand } else { width }, exponent)?;
        let fits = args.len() == op.arity()
            && rounding.iter().all(|&width| width == Rounding::WIDTH)
            && operands.iter().all(|&width| width == operand);
        let has_functions = format == Format::SINGLE || format == Format::DOUBLE;
        if !fits || width == 0 || matches!(op, FloatOp::Function(_)) && !has_functions {
            return None;
        }
        Some(match op {
            FloatOp::Convert => {
                let to = of_width(width, to)?;
                self.float_convert(format, to, args[0], args[1])
            }
            FloatOp::FromSigned | FloatOp::FromUnsigned => {
                self.float_from_integer(format, args[0], args[1], op == FloatOp::FromSigned)
            }
            FloatOp::ToSigned | FloatOp::ToUnsigned => {
                self.float_to_integer(format, args[0], args[1], width, op == FloatOp::ToSigned)
            }
            FloatOp::Eq | FloatOp::Lt | FloatOp::Le => {
                self.float_compare(op, format, args[0], args[1])
            }
            FloatOp::Div => self.float_div(format, args[0], args[1], args[2]),
            _ => self.float_arithmetic(op, format, args),
        })
    }

    /// The format of an operator's result, if that is a float.
    pub fn float_format(&self, term: Term) -> Option<Format> {
        match self.float_op(term)? {
            (FloatOp::Convert, _, (width, to)) => Some(Format::of_width(width, to)),
            (op, format, _) => op.gives_float().then_some(format),
        }
    }

    /// The constant that says how to round.
    pub fn rounding(&mut self, rounding: Rounding) -> Term {
        self.bv(Rounding::WIDTH, rounding.code())
    }

    pub fn float_add(&mut self, format: Format, rounding: Term, a: Term, b: Term) -> Term {
        self.float_arithmetic(FloatOp::Add, format, &[rounding, a, b])
    }

    pub fn float_sub(&mut self, format: Format, rounding: Term, a: Term, b: Term) -> Term {
        let b = self.float_neg(format, b);
        self.float_add(format, rounding, a, b)
    }

    pub fn float_mul(&mut self, format: Format, rounding: Term, a: Term, b: Term) -> Term {
        self.float_arithmetic(FloatOp::Mul, format, &[rounding, a, b])
    }

    pub fn float_div(&mut self, format: Format, rounding: Term, a: Term, b: Term) -> Term {
        if let Some(inverse) = self.exact_inverse(format, b) {
            self.fired("float-div-power");
            return self.float_mul(format, rounding, a, inverse);
        }
        self.float_arithmetic(FloatOp::Div, format, &[rounding, a, b])
    }

    pub fn float_fma(
        &mut self,
        format: Format,
        rounding: Term,
        factors: [Term; 2],
        addend: Term,
    ) -> Term {
        let [a, b] = factors;
        self.float_arithmetic(FloatOp::Fma, format, &[rounding, a, b, addend])
    }

    pub fn float_sqrt(&mut self, format: Format, rounding: Term, a: Term) -> Term {
        self.float_arithmetic(FloatOp::Sqrt, format, &[rounding, a])
    }

    /// A function of the host's library; in `f32` or `f64` only.
    pub fn float_function(&mut self, format: Format, function: Function, args: &[Term]) -> Term {
        debug_assert!(format == Format::SINGLE || format == Format::DOUBLE);
        self.float_arithmetic(FloatOp::Function(function), format, args)
    }

    /// The remainder by the nearest quotient.
    pub fn float_rem(&mut self, format: Format, a: Term, b: Term) -> Term {
        self.float_arithmetic(FloatOp::Rem, format, &[a, b])
    }

    pub fn float_round(&mut self, format: Format, rounding: Term, a: Term) -> Term {
        self.float_arithmetic(FloatOp::RoundToIntegral, format, &[rounding, a])
    }

    /// The same number in another format.
    pub fn float_convert(&mut self, from: Format, to: Format, rounding: Term, a: Term) -> Term {
        if from == to {
            self.fired("float-convert-same");
            return self.float_canonical(from, a);
        }
        if let Some((FloatOp::Convert, original, _)) = self.float_op(a)
            && original == to
            && from.holds(to)
        {
            self.fired("float-convert-back");
            let narrow = self.arg(a, 1);
            return self.float_canonical(to, narrow);
        }
        let a = self.float_operand(from, a);
        let op = Op::Float {
            op: FloatOp::Convert,
            exponent: from.exponent as u16,
            to: to.exponent as u16,
        };
        self.float_node(op, Sort::BitVec(to.width()), &[rounding, a])
    }

    /// The float nearest to an integer.
    pub fn float_from_integer(
        &mut self,
        to: Format,
        rounding: Term,
        a: Term,
        signed: bool,
    ) -> Term {
        let op = match signed {
            true => FloatOp::FromSigned,
            false => FloatOp::FromUnsigned,
        };
        let op = Op::Float {
            op,
            exponent: to.exponent as u16,
            to: 0,
        };
        self.float_node(op, Sort::BitVec(to.width()), &[rounding, a])
    }

    /// The integer that a float is rounded to; zero where it does not fit.
    pub fn float_to_integer(
        &mut self,
        from: Format,
        rounding: Term,
        a: Term,
        width: u32,
        signed: bool,
    ) -> Term {
        let a = self.float_operand(from, a);
        let op = match signed {
            true => FloatOp::ToSigned,
            false => FloatOp::ToUnsigned,
        };
        let op = Op::Float {
            op,
            exponent: from.exponent as u16,
            to: 0,
        };
        self.float_node(op, Sort::BitVec(width), &[rounding, a])
    }

    /// Whether a float, rounded, is an integer of this width.
    pub fn float_fits_integer(
        &mut self,
        from: Format,
        rounding: Term,
        a: Term,
        width: u32,
        signed: bool,
    ) -> Term {
        let integral = self.float_round(from, rounding, a);
        // Powers of two are exact, unless no number of the format is that large. The first of these is what the largest
        // numbers can be rounded to, which is infinite then.
        let bound = |terms: &mut Terms, power: u32, negative: bool| {
            let beyond = i64::from(power) - from.bias();
            if beyond > 1 {
                return None;
            }
            if beyond == 1 {
                return Some(terms.constant(from.infinity(negative)));
            }
            let one = Bv::one(power + 2).shl(&Bv::new(power + 2, u64::from(power)));
            let one = if negative { one.neg() } else { one };
            let code = Bv::new(Rounding::WIDTH, Rounding::ToZero.code());
            let op = FloatOp::FromSigned;
            Some(terms.constant(float::operate(op, from, (from.width(), 0), &[&code, &one])))
        };
        let (above, below) = match signed {
            true => (bound(self, width - 1, false), bound(self, width - 1, true)),
            false => (
                bound(self, width, false),
                Some(self.constant(from.zero(true))),
            ),
        };
        let infinite = self.float_is_infinite(from, a);
        let nan = self.float_is_nan(from, a);
        let finite = [self.not(infinite), self.not(nan)];
        let fits_above = above.map_or(Term::TRUE, |bound| self.float_lt(from, integral, bound));
        let fits_below = below.map_or(Term::TRUE, |bound| self.float_le(from, bound, integral));
        self.and(&[finite[0], finite[1], fits_above, fits_below])
    }

    pub fn float_eq(&mut self, format: Format, a: Term, b: Term) -> Term {
        self.float_compare(FloatOp::Eq, format, a, b)
    }

    pub fn float_lt(&mut self, format: Format, a: Term, b: Term) -> Term {
        self.float_compare(FloatOp::Lt, format, a, b)
    }

    pub fn float_le(&mut self, format: Format, a: Term, b: Term) -> Term {
        self.float_compare(FloatOp::Le, format, a, b)
    }

    fn float_compare(&mut self, op: FloatOp, format: Format, a: Term, b: Term) -> Term {
        let (a, b) = (self.float_operand(format, a), self.float_operand(format, b));
        for operand in [a, b] {
            if self
                .value(operand)
                .is_some_and(|value| format.is_nan(value))
            {
                self.fired("float-compare-nan");
                return Term::FALSE;
            }
        }
        if a == b {
            self.fired("float-compare-same");
            if op == FloatOp::Lt {
                return Term::FALSE;
            }
            let nan = self.float_is_nan(format, a);
            return self.not(nan);
        }
        if let Some((narrow, a, b)) = self.float_narrowed(format, a, b) {
            self.fired("float-compare-converted");
            return self.float_compare(op, narrow, a, b);
        }
        let (a, b) = match op == FloatOp::Eq && self.precedes(b, a) {
            true => (b, a),
            false => (a, b),
        };
        let op = Op::Float {
            op,
            exponent: format.exponent as u16,
            to: 0,
        };
        self.float_node(op, Sort::Bool, &[a, b])
    }

    /// Two floats in a smaller format that have been converted without loss, one of them maybe a constant.
    fn float_narrowed(&mut self, format: Format, a: Term, b: Term) -> Option<(Format, Term, Term)> {
        let widened = |terms: &Terms, term: Term| match terms.float_op(term)? {
            (FloatOp::Convert, narrow, _) if format.holds(narrow) => {
                Some((narrow, terms.arg(term, 1)))
            }
            _ => None,
        };
        let narrow = match (widened(self, a), widened(self, b)) {
            (Some((narrow, a)), Some((other, b))) if narrow == other => {
                return Some((narrow, a, b));
            }
            (Some((narrow, _)), None) | (None, Some((narrow, _))) => narrow,
            _ => return None,
        };
        let mut operand = |term: Term| match widened(self, term) {
            Some((_, inner)) => Some(inner),
            None => {
                let value = self.value(term)?;
                let rounding = Bv::new(Rounding::WIDTH, Rounding::ToZero.code());
                let down = (narrow.width(), narrow.exponent);
                let small = float::operate(FloatOp::Convert, format, down, &[&rounding, value]);
                let up = (format.width(), format.exponent);
                let back = float::operate(FloatOp::Convert, narrow, up, &[&rounding, &small]);
                (back == *value).then(|| self.constant(small))
            }
        };
        Some((narrow, operand(a)?, operand(b)?))
    }

    /// Arithmetic on operands and to a result of one format.
    fn float_arithmetic(&mut self, op: FloatOp, format: Format, args: &[Term]) -> Term {
        let first = usize::from(op.is_rounded());
        let mut operands = args.to_vec();
        for operand in &mut operands[first..] {
            *operand = self.float_operand(format, *operand);
            // Hardly a function of NaN is a number: 1 to any power, and what is infinitely far.
            let is_nan = self
                .value(*operand)
                .is_some_and(|value| format.is_nan(value));
            if is_nan && !matches!(op, FloatOp::Function(_)) {
                self.fired("float-nan-operand");
                return self.constant(format.nan());
            }
        }
        let commutes = matches!(op, FloatOp::Add | FloatOp::Mul | FloatOp::Fma);
        if commutes && self.precedes(operands[2], operands[1]) {
            operands.swap(1, 2);
        }
        if op == FloatOp::Mul
            && let Some(value) = self.value(operands[1])
            && let Some(negative) = format.is_unit(value)
        {
            self.fired("float-mul-one");
            let other = match negative {
                true => self.float_neg(format, operands[2]),
                false => operands[2],
            };
            return self.float_canonical(format, other);
        }
        let op = Op::Float {
            op,
            exponent: format.exponent as u16,
            to: 0,
        };
        self.float_node(op, Sort::BitVec(format.width()), &operands)
    }

    /// The node of an operator, or the constant that it gives.
    fn float_node(&mut self, op: Op, sort: Sort, args: &[Term]) -> Term {
        let values: Option<Vec<&Bv>> = args.iter().map(|&arg| self.value(arg)).collect();
        let Some(values) = values else {
            return self.intern(op, sort, args);
        };
        let Op::Float { op, exponent, to } = op else {
            unreachable!("an operator on floats")
        };
        let result = sort.width().unwrap_or(1);
        let width = match op.takes_floats() {
            true => values.last().map_or(0, |value| value.width()),
            false => result,
        };
        let format = Format::of_width(width, u32::from(exponent));
        let value = float::operate(op, format, (result, u32::from(to)), &values);
        self.fired("float-const");
        match sort {
            Sort::Bool => Term::bool(value.is_one()),
            _ => self.constant(value),
        }
    }

    /// An operator on other operands.
    pub(super) fn rebuild_float(&mut self, term: Term, args: &[Term]) -> Term {
        let Op::Float { op, exponent, to } = self.op(term) else {
            unreachable!("an operator on floats")
        };
        let width = self.sort(term).width().unwrap_or(1);
        let exponents = [exponent, to].map(u32::from);
        self.float_checked(op, exponents, width, args)
            .expect("operands of the same sorts")
    }

    /// One divided by a constant, where both are powers of two.
    fn exact_inverse(&mut self, format: Format, b: Term) -> Option<Term> {
        let value = self.value(b)?;
        let is_power = value.extract(format.fraction() - 1, 0).is_zero();
        let one = Bv::new(2, 1);
        let rounding = Bv::new(Rounding::WIDTH, Rounding::ToZero.code());
        let result = (format.width(), 0);
        let one = float::operate(FloatOp::FromSigned, format, result, &[&rounding, &one]);
        let inverse = float::operate(FloatOp::Div, format, result, &[&rounding, &one, value]);
        let back = float::operate(FloatOp::Mul, format, result, &[&rounding, &inverse, value]);
        (is_power && back == one).then(|| self.constant(inverse))
    }

    /// What an operand stands for as a number: where it is one NaN or another, this is any.
    pub(crate) fn float_operand(&mut self, format: Format, operand: Term) -> Term {
        if self.op(operand) != Op::Ite {
            return operand;
        }
        let [condition, then, other] = [0, 1, 2].map(|place| self.arg(operand, place));
        for (nan, value) in [(then, other), (other, then)] {
            if self.is_always_nan(format, nan, NAN_DEPTH) {
                let is_nan = self.float_is_nan(format, value);
                let holds = match nan == then {
                    true => condition,
                    false => self.not(condition),
                };
                if holds == is_nan {
                    self.fired("float-any-nan");
                    return self.float_operand(format, value);
                }
            }
        }
        operand
    }

    fn is_always_nan(&self, format: Format, term: Term, depth: u32) -> bool {
        match self.op(term) {
            Op::Const(id) => format.is_nan(self.const_value(id)),
            Op::BvOr => {
                let set = self.value(self.arg(term, 0));
                set.is_some_and(|set| format.is_nan(set))
            }
            Op::Ite if depth > 0 => {
                let [then, other] = [1, 2].map(|place| self.arg(term, place));
                self.is_always_nan(format, then, depth - 1)
                    && self.is_always_nan(format, other, depth - 1)
            }
            _ => false,
        }
    }

    /// Whether a term, if it is NaN, is the one that operators give.
    fn is_canonical(&self, format: Format, term: Term) -> bool {
        match self.op(term) {
            Op::Const(id) => {
                let value = self.const_value(id);
                !format.is_nan(value) || *value == format.nan()
            }
            Op::Float { .. } => self.float_format(term) == Some(format),
            Op::Ite => {
                let [condition, then, other] = [0, 1, 2].map(|place| self.arg(term, place));
                let nan = self.value(then).is_some_and(|value| *value == format.nan());
                nan && self.is_nan_test_of(format, condition, other)
                    || self.is_canonical_leaf(format, then) && self.is_canonical_leaf(format, other)
            }
            _ => false,
        }
    }

    fn is_canonical_leaf(&self, format: Format, term: Term) -> bool {
        self.op(term) != Op::Ite && self.is_canonical(format, term)
    }

    /// Whether a condition is what [`Terms::float_is_nan`] makes of a term.
    fn is_nan_test_of(&self, format: Format, condition: Term, term: Term) -> bool {
        self.op(condition) == Op::BvUlt
            && self.value(self.arg(condition, 0)).is_some_and(|bound| {
                *bound == format.infinity(false).extract(format.width() - 2, 0)
            })
            && self.op(self.arg(condition, 1)) == (Op::Extract { lo: 0 })
            && self.arg(self.arg(condition, 1), 0) == term
    }

    /// The same float, with the one NaN that operators give.
    pub fn float_canonical(&mut self, format: Format, a: Term) -> Term {
        if self.is_canonical(format, a) {
            return a;
        }
        let is_nan = self.float_is_nan(format, a);
        let nan = self.constant(format.nan());
        self.ite(is_nan, nan, a)
    }

    /// The bits but for the sign.
    fn float_magnitude(&mut self, format: Format, a: Term) -> Term {
        self.extract(a, format.width() - 2, 0)
    }

    pub fn float_is_nan(&mut self, format: Format, a: Term) -> Term {
        let magnitude = self.float_magnitude(format, a);
        let infinity = self.constant(format.infinity(false).extract(format.width() - 2, 0));
        self.bv_ult(infinity, magnitude)
    }

    pub fn float_is_infinite(&mut self, format: Format, a: Term) -> Term {
        let magnitude = self.float_magnitude(format, a);
        let infinity = self.constant(format.infinity(false).extract(format.width() - 2, 0));
        self.eq(infinity, magnitude)
    }

    pub fn float_is_zero(&mut self, format: Format, a: Term) -> Term {
        let magnitude = self.float_magnitude(format, a);
        let zero = self.constant(Bv::zero(format.width() - 1));
        self.eq(zero, magnitude)
    }

    /// Neither zero nor written in the normal way.
    pub fn float_is_subnormal(&mut self, format: Format, a: Term) -> Term {
        let exponent = self.extract(a, format.width() - 2, format.fraction());
        let least = self.constant(Bv::zero(format.exponent));
        let is_least = self.eq(least, exponent);
        let is_zero = self.float_is_zero(format, a);
        let is_not_zero = self.not(is_zero);
        self.and2(is_least, is_not_zero)
    }

    pub fn float_is_normal(&mut self, format: Format, a: Term) -> Term {
        let exponent = self.extract(a, format.width() - 2, format.fraction());
        let least = self.constant(Bv::zero(format.exponent));
        let most = self.constant(Bv::ones(format.exponent));
        let (low, high) = (self.eq(least, exponent), self.eq(most, exponent));
        let (low, high) = (self.not(low), self.not(high));
        self.and2(low, high)
    }

    /// Whether it is a number, or zero, with a minus.
    pub fn float_is_negative(&mut self, format: Format, a: Term) -> Term {
        self.has_sign(format, 1, a)
    }

    pub fn float_is_positive(&mut self, format: Format, a: Term) -> Term {
        self.has_sign(format, 0, a)
    }

    fn has_sign(&mut self, format: Format, sign: u64, a: Term) -> Term {
        let found = self.extract(a, format.width() - 1, format.width() - 1);
        let sign = self.bv(1, sign);
        let is_same = self.eq(sign, found);
        let is_nan = self.float_is_nan(format, a);
        let is_number = self.not(is_nan);
        self.and2(is_same, is_number)
    }

    /// The other sign, whatever it is a sign of.
    pub fn float_neg(&mut self, format: Format, a: Term) -> Term {
        let sign = self.constant(format.zero(true));
        self.bv_xor(sign, a)
    }

    pub fn float_abs(&mut self, format: Format, a: Term) -> Term {
        let magnitude = self.float_magnitude(format, a);
        self.zero_extend(magnitude, 1)
    }

    /// The smaller one; of a number and NaN the number; of two zeros the second.
    pub fn float_min(&mut self, format: Format, a: Term, b: Term) -> Term {
        let less = self.float_lt(format, a, b);
        let nan = self.float_is_nan(format, b);
        let takes_first = self.or2(less, nan);
        self.ite(takes_first, a, b)
    }

    /// The larger one, likewise.
    pub fn float_max(&mut self, format: Format, a: Term, b: Term) -> Term {
        let greater = self.float_lt(format, b, a);
        let nan = self.float_is_nan(format, b);
        let takes_first = self.or2(greater, nan);
        self.ite(takes_first, a, b)
    }

    /// Whether two floats are the same: there is one NaN, and zeros differ by their signs.
    pub(super) fn eq_floats(&mut self, format: Format, a: Term, b: Term) -> Term {
        let (x, y) = (self.below_surface(a), self.below_surface(b));
        let (x, y) = (
            self.float_canonical(format, x),
            self.float_canonical(format, y),
        );
        self.eq(x, y)
    }
}

impl Format {
    /// Whether every number of another format is one of this.
    pub fn holds(self, other: Format) -> bool {
        self.exponent >= other.exponent && self.significand >= other.significand
    }

    /// Whether these bits are one or minus one: which.
    fn is_unit(self, bits: &Bv) -> Option<bool> {
        // The exponent is the bias: all ones but for the first.
        let exponent = bits.extract(self.width() - 2, self.fraction());
        let is_one = exponent == Bv::max_signed(self.exponent)
            && bits.extract(self.fraction() - 1, 0).is_zero();
        is_one.then(|| bits.sign())
    }
}
