//! The functions of the theories: Core, FixedSizeBitVectors with its extensions, ArraysEx, and by name Ints, Reals and
//! FloatingPoint.
//!
//! A table from names to shapes; a shape says which arguments a function takes, and carries the constructor it stands
//! for.

use refrain_term::{Rounding, Sort, Term, Terms};

use crate::arithmetic::{self, Arithmetic, coerced};
use crate::coded::arrays;
use crate::counting::Bound;
use crate::floats::{self, Floats};
use crate::sorts::with_article;
use crate::surface::{above, below, canonical_below};

/// Wider bit-vectors than this are refused: a typing error in a width should not exhaust the memory.
pub const MAX_WIDTH: u32 = 1 << 24;

/// A function symbol of a theory.
#[derive(Debug)]
pub struct Builtin {
    pub name: &'static str,
    pub shape: Shape,
    /// How many numerals it is indexed with, as in `(_ extract 7 0)`.
    pub indices: usize,
    /// No script may declare a symbol of its own by this name.
    pub reserved: bool,
}

type Unary = fn(&mut Terms, Term) -> Term;
type Binary = fn(&mut Terms, Term, Term) -> Term;
type Nary = fn(&mut Terms, &[Term]) -> Term;

#[derive(Clone, Copy, Debug)]
pub enum Shape {
    Not,
    /// Any number of formulas.
    Connective(Nary),
    Implies,
    Xor,
    Equal,
    Distinct,
    Ite,
    /// One bit-vector.
    Unary(Unary),
    /// Two bit-vectors of one width.
    Binary(Binary),
    /// Two or more of one width, from the left.
    Chain(Binary),
    Sum,
    Concat,
    Extract,
    Repeat,
    ZeroExtend,
    SignExtend,
    RotateLeft,
    RotateRight,
    /// Rotation by a term; to the left if true.
    RotateBy(bool),
    Select,
    Store,
    /// Of integers or reals.
    Arithmetic(Arithmetic),
    Floats(Floats),
    /// The integer of a bit-vector, in two's complement if true.
    ToInt(bool),
    /// The last bits of an integer.
    OfInt,
    /// z3's tests of one bit.
    BitIs,
    /// z3's bounds on how many formulas hold.
    Counting(Bound),
}

const fn plain(name: &'static str, shape: Shape) -> Builtin {
    Builtin {
        name,
        shape,
        indices: 0,
        reserved: true,
    }
}

const fn indexed(name: &'static str, indices: usize, shape: Shape) -> Builtin {
    Builtin {
        name,
        shape,
        indices,
        reserved: true,
    }
}

/// Not in the standard's 2.6 edition.
const fn extension(name: &'static str, shape: Shape) -> Builtin {
    Builtin {
        name,
        shape,
        indices: 0,
        reserved: false,
    }
}

/// With as many numerals as it takes.
const fn counting(name: &'static str, bound: Bound) -> Builtin {
    Builtin {
        indices: 1,
        ..extension(name, Shape::Counting(bound))
    }
}

const fn of_int(name: &'static str) -> Builtin {
    Builtin {
        indices: 1,
        ..extension(name, Shape::OfInt)
    }
}

/// A script that is not about numbers may use the name for something else.
const fn arithmetic(name: &'static str, function: Arithmetic) -> Builtin {
    extension(name, Shape::Arithmetic(function))
}

/// A script that is not about floats may use the name for something else.
const fn floats(name: &'static str, indices: usize, function: Floats) -> Builtin {
    Builtin {
        name,
        shape: Shape::Floats(function),
        indices,
        reserved: false,
    }
}

pub static BUILTINS: &[Builtin] = &[
    plain("not", Shape::Not),
    plain("and", Shape::Connective(Terms::and)),
    plain("or", Shape::Connective(Terms::or)),
    plain("=>", Shape::Implies),
    plain("xor", Shape::Xor),
    plain("=", Shape::Equal),
    plain("distinct", Shape::Distinct),
    plain("ite", Shape::Ite),
    plain("concat", Shape::Concat),
    indexed("extract", 2, Shape::Extract),
    plain("bvnot", Shape::Unary(Terms::bv_not)),
    plain("bvneg", Shape::Unary(Terms::bv_neg)),
    plain("bvand", Shape::Chain(Terms::bv_and)),
    plain("bvor", Shape::Chain(Terms::bv_or)),
    plain("bvxor", Shape::Chain(Terms::bv_xor)),
    plain("bvnand", Shape::Binary(Terms::bv_nand)),
    plain("bvnor", Shape::Binary(Terms::bv_nor)),
    plain("bvxnor", Shape::Chain(Terms::bv_xnor)),
    plain("bvcomp", Shape::Binary(Terms::bv_comp)),
    plain("bvadd", Shape::Sum),
    plain("bvsub", Shape::Chain(Terms::bv_sub)),
    plain("bvmul", Shape::Chain(Terms::bv_mul)),
    plain("bvudiv", Shape::Binary(Terms::bv_udiv)),
    plain("bvurem", Shape::Binary(Terms::bv_urem)),
    plain("bvsdiv", Shape::Binary(Terms::bv_sdiv)),
    plain("bvsrem", Shape::Binary(Terms::bv_srem)),
    plain("bvsmod", Shape::Binary(Terms::bv_smod)),
    plain("bvshl", Shape::Binary(Terms::bv_shl)),
    plain("bvlshr", Shape::Binary(Terms::bv_lshr)),
    plain("bvashr", Shape::Binary(Terms::bv_ashr)),
    indexed("repeat", 1, Shape::Repeat),
    indexed("zero_extend", 1, Shape::ZeroExtend),
    indexed("sign_extend", 1, Shape::SignExtend),
    indexed("rotate_left", 1, Shape::RotateLeft),
    indexed("rotate_right", 1, Shape::RotateRight),
    plain("bvult", Shape::Binary(Terms::bv_ult)),
    plain("bvule", Shape::Binary(Terms::bv_ule)),
    plain("bvugt", Shape::Binary(Terms::bv_ugt)),
    plain("bvuge", Shape::Binary(Terms::bv_uge)),
    plain("bvslt", Shape::Binary(Terms::bv_slt)),
    plain("bvsle", Shape::Binary(Terms::bv_sle)),
    plain("bvsgt", Shape::Binary(Terms::bv_sgt)),
    plain("bvsge", Shape::Binary(Terms::bv_sge)),
    plain("select", Shape::Select),
    plain("store", Shape::Store),
    extension("bvnego", Shape::Unary(Terms::bv_nego)),
    extension("bvuaddo", Shape::Binary(Terms::bv_uaddo)),
    extension("bvsaddo", Shape::Binary(Terms::bv_saddo)),
    extension("bvumulo", Shape::Binary(Terms::bv_umulo)),
    extension("bvsmulo", Shape::Binary(Terms::bv_smulo)),
    extension("bvusubo", Shape::Binary(Terms::bv_usubo)),
    extension("bvssubo", Shape::Binary(Terms::bv_ssubo)),
    extension("bvsdivo", Shape::Binary(Terms::bv_sdivo)),
    extension("bvredor", Shape::Unary(any_bit)),
    extension("bvredand", Shape::Unary(all_bits)),
    extension("ext_rotate_left", Shape::RotateBy(true)),
    extension("ext_rotate_right", Shape::RotateBy(false)),
    arithmetic("+", Arithmetic::Sum),
    arithmetic("-", Arithmetic::Difference),
    arithmetic("*", Arithmetic::Product),
    arithmetic("/", Arithmetic::Quotient),
    arithmetic("div", Arithmetic::WholeQuotient),
    arithmetic("mod", Arithmetic::Remainder),
    arithmetic("abs", Arithmetic::Absolute),
    arithmetic("<=", Arithmetic::Compare(Terms::le)),
    arithmetic("<", Arithmetic::Compare(Terms::lt)),
    arithmetic(">=", Arithmetic::Compare(Terms::ge)),
    arithmetic(">", Arithmetic::Compare(Terms::gt)),
    Builtin {
        indices: 1,
        ..arithmetic("divisible", Arithmetic::Divisible)
    },
    arithmetic("to_real", Arithmetic::ToReal),
    arithmetic("to_int", Arithmetic::ToInt),
    arithmetic("is_int", Arithmetic::IsInt),
    floats(
        "roundNearestTiesToEven",
        0,
        Floats::Mode(Rounding::NearestEven),
    ),
    floats("RNE", 0, Floats::Mode(Rounding::NearestEven)),
    floats(
        "roundNearestTiesToAway",
        0,
        Floats::Mode(Rounding::NearestAway),
    ),
    floats("RNA", 0, Floats::Mode(Rounding::NearestAway)),
    floats("roundTowardPositive", 0, Floats::Mode(Rounding::Up)),
    floats("RTP", 0, Floats::Mode(Rounding::Up)),
    floats("roundTowardNegative", 0, Floats::Mode(Rounding::Down)),
    floats("RTN", 0, Floats::Mode(Rounding::Down)),
    floats("roundTowardZero", 0, Floats::Mode(Rounding::ToZero)),
    floats("RTZ", 0, Floats::Mode(Rounding::ToZero)),
    floats("fp.isNaN", 0, Floats::Test(Terms::float_is_nan)),
    floats("fp.isInfinite", 0, Floats::Test(Terms::float_is_infinite)),
    floats("fp.isZero", 0, Floats::Test(Terms::float_is_zero)),
    floats("fp.isNormal", 0, Floats::Test(Terms::float_is_normal)),
    floats("fp.isSubnormal", 0, Floats::Test(Terms::float_is_subnormal)),
    floats("fp.isNegative", 0, Floats::Test(Terms::float_is_negative)),
    floats("fp.isPositive", 0, Floats::Test(Terms::float_is_positive)),
    floats("fp", 0, Floats::Fp),
    floats("fp.abs", 0, Floats::Map(Terms::float_abs)),
    floats("fp.neg", 0, Floats::Map(Terms::float_neg)),
    floats("fp.add", 0, Floats::Operator(Terms::float_add)),
    floats("fp.sub", 0, Floats::Operator(Terms::float_sub)),
    floats("fp.mul", 0, Floats::Operator(Terms::float_mul)),
    floats("fp.div", 0, Floats::Operator(Terms::float_div)),
    floats("fp.fma", 0, Floats::Fma),
    floats("fp.sqrt", 0, Floats::Rounded(floats::sqrt)),
    floats(
        "fp.roundToIntegral",
        0,
        Floats::Rounded(floats::round_to_integral),
    ),
    floats("fp.rem", 0, Floats::Rem),
    floats("fp.min", 0, Floats::Least(false)),
    floats("fp.max", 0, Floats::Least(true)),
    floats("fp.leq", 0, Floats::Compare(Terms::float_le)),
    floats("fp.lt", 0, Floats::Compare(Terms::float_lt)),
    floats("fp.geq", 0, Floats::Compare(floats::greater_or_equal)),
    floats("fp.gt", 0, Floats::Compare(floats::greater)),
    floats("fp.eq", 0, Floats::Compare(Terms::float_eq)),
    floats("to_fp", 2, Floats::ToFp),
    floats("to_fp_unsigned", 2, Floats::ToFpUnsigned),
    floats("fp.to_ubv", 1, Floats::ToBits(false)),
    floats("fp.to_sbv", 1, Floats::ToBits(true)),
    floats("fp.to_real", 0, Floats::ToReal),
    floats("fp.to_ieee_bv", 0, Floats::ToIeee),
    extension("bv2nat", Shape::ToInt(false)),
    extension("bv2int", Shape::ToInt(false)),
    extension("ubv_to_int", Shape::ToInt(false)),
    extension("sbv_to_int", Shape::ToInt(true)),
    of_int("nat2bv"),
    of_int("int2bv"),
    of_int("int_to_bv"),
    // z3's own, as its scripts have them.
    extension("implies", Shape::Implies),
    extension("iff", Shape::Equal),
    extension("equiv", Shape::Equal),
    extension("if", Shape::Ite),
    extension("if_then_else", Shape::Ite),
    extension("&&", Shape::Connective(Terms::and)),
    extension("bvumul_noovfl", Shape::Binary(unsigned_product_fits)),
    extension("bvsmul_noovfl", Shape::Binary(signed_product_not_above)),
    extension("bvsmul_noudfl", Shape::Binary(signed_product_not_below)),
    extension("bvudiv_i", Shape::Binary(Terms::bv_udiv)),
    extension("bvurem_i", Shape::Binary(Terms::bv_urem)),
    extension("bvsdiv_i", Shape::Binary(Terms::bv_sdiv)),
    extension("bvsrem_i", Shape::Binary(Terms::bv_srem)),
    extension("bvsmod_i", Shape::Binary(Terms::bv_smod)),
    Builtin {
        indices: 1,
        ..extension("bit2bool", Shape::BitIs)
    },
    counting("at-most", Bound::AtMost),
    counting("at-least", Bound::AtLeast),
    counting("pble", Bound::AtMost),
    counting("pbge", Bound::AtLeast),
    counting("pbeq", Bound::Exactly),
];

fn unsigned_product_fits(terms: &mut Terms, a: Term, b: Term) -> Term {
    let overflows = terms.bv_umulo(a, b);
    terms.not(overflows)
}

/// Whether a signed product does not exceed the largest number of its bits.
fn signed_product_not_above(terms: &mut Terms, a: Term, b: Term) -> Term {
    let (overflows, differ) = (terms.bv_smulo(a, b), signs_differ(terms, a, b));
    let fits = terms.not(overflows);
    terms.or(&[fits, differ])
}

/// Whether a signed product is not less than the smallest number of its bits.
fn signed_product_not_below(terms: &mut Terms, a: Term, b: Term) -> Term {
    let (overflows, differ) = (terms.bv_smulo(a, b), signs_differ(terms, a, b));
    let is_below = terms.and(&[overflows, differ]);
    terms.not(is_below)
}

fn signs_differ(terms: &mut Terms, a: Term, b: Term) -> Term {
    let top = terms.width(a) - 1;
    let (a, b) = (terms.extract(a, top, top), terms.extract(b, top, top));
    let same = terms.eq(a, b);
    terms.not(same)
}

fn any_bit(terms: &mut Terms, a: Term) -> Term {
    let zero = terms.bv(terms.width(a), 0);
    let none = terms.bv_comp(a, zero);
    terms.bv_not(none)
}

fn all_bits(terms: &mut Terms, a: Term) -> Term {
    let ones = terms.constant(refrain_term::Bv::ones(terms.width(a)));
    terms.bv_comp(a, ones)
}

/// Rotation by a term is two shifts by amounts that add up to the width, which a vector of that width can always hold.
fn rotate_by(terms: &mut Terms, left: bool, a: Term, by: Term) -> Term {
    let width = terms.width(a);
    let total = terms.bv(width, u64::from(width));
    let amount = terms.bv_urem(by, total);
    let rest = terms.bv_sub(total, amount);
    let (to_left, to_right) = if left { (amount, rest) } else { (rest, amount) };
    let (high, low) = (terms.bv_shl(a, to_left), terms.bv_lshr(a, to_right));
    terms.bv_or(high, low)
}

/// As many parts as this are joined one by one; more in a balanced tree, so that long constants are not copied for
/// each.
const JOIN_ONE_BY_ONE: usize = 64;

/// Parts side by side, the highest first.
fn join(terms: &mut Terms, parts: &[Term]) -> Term {
    let mut parts = parts.to_vec();
    while parts.len() > JOIN_ONE_BY_ONE {
        parts = parts
            .chunks(2)
            .map(|pair| match *pair {
                [high, low] => terms.concat(high, low),
                _ => pair[0],
            })
            .collect();
    }
    let (&last, first) = parts.split_last().expect("one part or more");
    first
        .iter()
        .rev()
        .fold(last, |low, &high| terms.concat(high, low))
}

/// `times` copies, by doubling where they are many.
fn repeat(terms: &mut Terms, a: Term, times: u32) -> Term {
    if times as usize <= JOIN_ONE_BY_ONE {
        return terms.repeat(a, times);
    }
    let bits = u32::BITS - times.leading_zeros();
    (0..bits - 1).rev().fold(a, |result, bit| {
        let doubled = terms.concat(result, result);
        if times >> bit & 1 == 1 {
            terms.concat(a, doubled)
        } else {
            doubled
        }
    })
}

/// A function of a theory applied to arguments; the message if it does not fit them.
#[inline]
pub fn apply(
    terms: &mut Terms,
    builtin: &Builtin,
    indices: [u32; 2],
    args: &mut [Term],
) -> Result<Term, String> {
    match builtin.shape {
        Shape::Not => {
            let [a] = exactly(builtin, args)?;
            formula(terms, builtin, a)?;
            Ok(terms.not(a))
        }
        Shape::Connective(build) => {
            formulas(terms, builtin, args, 1)?;
            Ok(build(terms, args))
        }
        Shape::Implies => {
            formulas(terms, builtin, args, 2)?;
            let (&last, first) = args.split_last().expect("two or more");
            Ok(first
                .iter()
                .rev()
                .fold(last, |right, &left| terms.implies(left, right)))
        }
        Shape::Xor => {
            formulas(terms, builtin, args, 2)?;
            Ok(args[1..]
                .iter()
                .fold(args[0], |left, &right| terms.xor(left, right)))
        }
        Shape::Equal => {
            one_sort_or_real(terms, builtin, args)?;
            if let &mut [a, b] = args {
                return Ok(terms.eq(a, b));
            }
            let links: Vec<Term> = args
                .windows(2)
                .map(|pair| terms.eq(pair[0], pair[1]))
                .collect();
            Ok(terms.and(&links))
        }
        Shape::Distinct => {
            one_sort_or_real(terms, builtin, args)?;
            Ok(terms.distinct(args))
        }
        Shape::Ite => {
            let [condition, ..]: [Term; 3] = exactly(builtin, args)?;
            formula(terms, builtin, condition)?;
            one_sort_or_real(terms, builtin, &mut args[1..])?;
            Ok(terms.ite(condition, args[1], args[2]))
        }
        Shape::Unary(build) => {
            let [a] = exactly(builtin, args)?;
            width(terms, builtin, a)?;
            Ok(build(terms, a))
        }
        Shape::Binary(build) => {
            let [a, b] = exactly(builtin, args)?;
            one_width(terms, builtin, args)?;
            Ok(build(terms, a, b))
        }
        Shape::Chain(build) => {
            one_width(terms, builtin, args)?;
            Ok(args[1..]
                .iter()
                .fold(args[0], |left, &right| build(terms, left, right)))
        }
        Shape::Sum => {
            one_width(terms, builtin, args)?;
            Ok(terms.bv_sum(args))
        }
        Shape::Concat => {
            at_least(builtin, args, 2)?;
            let mut total = 0u64;
            for &arg in &*args {
                total += u64::from(width(terms, builtin, arg)?);
            }
            fits(total)?;
            Ok(join(terms, args))
        }
        Shape::Extract => {
            let [a] = exactly(builtin, args)?;
            let width = width(terms, builtin, a)?;
            let [high, low] = indices;
            if high >= width || low > high {
                return Err(format!(
                    "cannot extract bits {high} to {low} of a bit-vector of {width} bits"
                ));
            }
            Ok(terms.extract(a, high, low))
        }
        Shape::Repeat => {
            let [a] = exactly(builtin, args)?;
            let width = width(terms, builtin, a)?;
            if indices[0] == 0 {
                return Err("cannot repeat a bit-vector zero times".into());
            }
            fits(u64::from(width) * u64::from(indices[0]))?;
            Ok(repeat(terms, a, indices[0]))
        }
        Shape::ZeroExtend | Shape::SignExtend => {
            let [a] = exactly(builtin, args)?;
            let width = width(terms, builtin, a)?;
            fits(u64::from(width) + u64::from(indices[0]))?;
            Ok(match (builtin.shape, indices[0]) {
                (_, 0) => a,
                (Shape::ZeroExtend, by) => terms.zero_extend(a, by),
                (_, by) => terms.sign_extend(a, by),
            })
        }
        Shape::RotateLeft | Shape::RotateRight => {
            let [a] = exactly(builtin, args)?;
            width(terms, builtin, a)?;
            Ok(match builtin.shape {
                Shape::RotateLeft => terms.rotate_left(a, indices[0]),
                _ => terms.rotate_right(a, indices[0]),
            })
        }
        Shape::RotateBy(left) => {
            let [a, by] = exactly(builtin, args)?;
            one_width(terms, builtin, args)?;
            Ok(rotate_by(terms, left, a, by))
        }
        Shape::Select => {
            let [array, index] = exactly(builtin, args)?;
            let (index_sort, element_sort) = array_sides(terms, builtin, array)?;
            let index = of_side(terms, index, index_sort, "the index")?;
            let Sort::Coded(coded) = terms.sort(array) else {
                return Ok(terms.select(array, index));
            };
            let (array, index) = (below(terms, array), canonical_below(terms, index));
            let element = arrays::select(terms, coded, array, index);
            Ok(above(terms, element_sort, element))
        }
        Shape::Store => {
            let [array, index, element] = exactly(builtin, args)?;
            let (index_sort, element_sort) = array_sides(terms, builtin, array)?;
            let index = of_side(terms, index, index_sort, "the index")?;
            let element = of_side(terms, element, element_sort, "the element")?;
            let sort = terms.sort(array);
            let Sort::Coded(coded) = sort else {
                return Ok(terms.store(array, index, element));
            };
            let (index, element) = (
                canonical_below(terms, index),
                canonical_below(terms, element),
            );
            let array = below(terms, array);
            let stored = arrays::store(terms, coded, array, index, element);
            Ok(above(terms, sort, stored))
        }
        Shape::Arithmetic(function) => {
            arithmetic::apply(terms, builtin, function, indices[0], args)
        }
        Shape::Floats(function) => floats::apply(terms, builtin, function, indices, args),
        Shape::ToInt(signed) => {
            let [a] = exactly(builtin, args)?;
            let width = width(terms, builtin, a)?;
            converts(terms, width, a)?;
            Ok(terms.int_of_bv(signed, a))
        }
        Shape::OfInt => {
            let [a] = exactly(builtin, args)?;
            has_sort(terms, a, Sort::Int, "the argument")?;
            let [width, _] = indices;
            if width == 0 {
                return Err("bit-vectors have at least one bit".into());
            }
            fits(u64::from(width))?;
            converts(terms, width, a)?;
            Ok(terms.bv_of_int(width, a))
        }
        Shape::BitIs => {
            let [a] = exactly(builtin, args)?;
            let (width, [place, _]) = (width(terms, builtin, a)?, indices);
            if place >= width {
                return Err(format!("a bit-vector of {width} bits has no bit {place}"));
            }
            let (bit, one) = (terms.extract(a, place, place), terms.bv(1, 1));
            Ok(terms.eq(bit, one))
        }
        Shape::Counting(_) => unreachable!("the reader has its numerals"),
    }
}

#[inline]
pub fn exactly<const N: usize>(builtin: &Builtin, args: &[Term]) -> Result<[Term; N], String> {
    args.try_into().map_err(|_| {
        let plural = if N == 1 { "" } else { "s" };
        format!(
            "'{}' takes {N} argument{plural}, {} given",
            builtin.name,
            args.len()
        )
    })
}

#[inline]
pub fn at_least(builtin: &Builtin, args: &[Term], count: usize) -> Result<(), String> {
    if args.len() < count {
        let plural = if count == 1 { "" } else { "s" };
        return Err(format!(
            "'{}' takes at least {count} argument{plural}, {} given",
            builtin.name,
            args.len()
        ));
    }
    Ok(())
}

#[inline]
fn formula(terms: &Terms, builtin: &Builtin, term: Term) -> Result<(), String> {
    match terms.sort(term) {
        Sort::Bool => Ok(()),
        sort => Err(format!(
            "'{}' takes a Bool, not {}",
            builtin.name,
            with_article(sort)
        )),
    }
}

pub fn formulas(
    terms: &Terms,
    builtin: &Builtin,
    args: &[Term],
    count: usize,
) -> Result<(), String> {
    at_least(builtin, args, count)?;
    args.iter()
        .try_for_each(|&arg| formula(terms, builtin, arg))
}

#[inline]
fn width(terms: &Terms, builtin: &Builtin, term: Term) -> Result<u32, String> {
    match terms.sort(term) {
        Sort::BitVec(width) => Ok(width),
        sort => Err(format!(
            "'{}' takes a bit-vector, not {}",
            builtin.name,
            with_article(sort)
        )),
    }
}

/// Two or more bit-vectors of one width.
#[inline]
fn one_width(terms: &Terms, builtin: &Builtin, args: &[Term]) -> Result<(), String> {
    at_least(builtin, args, 2)?;
    width(terms, builtin, args[0])?;
    one_sort(terms, builtin, args)
}

/// Two or more terms of one sort.
#[inline]
fn one_sort(terms: &Terms, builtin: &Builtin, args: &[Term]) -> Result<(), String> {
    at_least(builtin, args, 2)?;
    let sort = terms.sort(args[0]);
    match args.iter().find(|&&arg| terms.sort(arg) != sort) {
        None => Ok(()),
        Some(&other) => Err(incompatible(terms, builtin, [args[0], other])),
    }
}

/// Two or more terms of one sort, once integers next to a real are real.
#[inline]
pub fn one_sort_or_real(
    terms: &mut Terms,
    builtin: &Builtin,
    args: &mut [Term],
) -> Result<(), String> {
    at_least(builtin, args, 2)?;
    if terms.sort(args[0]).is_number() && args.iter().any(|&arg| terms.sort(arg) == Sort::Real) {
        for arg in &mut *args {
            *arg = coerced(terms, *arg, Sort::Real);
        }
    }
    one_sort(terms, builtin, args)
}

#[cold]
fn incompatible(terms: &Terms, builtin: &Builtin, pair: [Term; 2]) -> String {
    let sorts = pair.map(|term| terms.sort(term));
    let hint = match sorts {
        [Sort::BitVec(_), Sort::Int] | [Sort::Int, Sort::BitVec(_)] => {
            "; a bit-vector is written (_ bvN w)".to_owned()
        }
        _ => String::new(),
    };
    let [one, other] = sorts;
    let name = builtin.name;
    format!("sorts {one} and {other} are incompatible in '{name}'{hint}")
}

/// The sorts of index and elements.
fn array_sides(terms: &Terms, builtin: &Builtin, term: Term) -> Result<(Sort, Sort), String> {
    let sort = terms.sort(term);
    let sides = match sort {
        Sort::Array { index, element } => Some((Sort::BitVec(index), Sort::BitVec(element))),
        Sort::Coded(coded) => coded.sides(),
        _ => None,
    };
    sides.ok_or_else(|| {
        let sort = with_article(sort);
        format!("'{}' takes an array, not {sort}", builtin.name)
    })
}

/// A term as an index or an element of this sort.
pub fn of_side(terms: &mut Terms, term: Term, wanted: Sort, what: &str) -> Result<Term, String> {
    let term = coerced(terms, term, wanted);
    has_sort(terms, term, wanted, what)?;
    Ok(term)
}

fn has_sort(terms: &Terms, term: Term, wanted: Sort, what: &str) -> Result<(), String> {
    match terms.sort(term) {
        sort if sort == wanted => Ok(()),
        sort => Err(format!(
            "{what} is {} where {} is needed",
            with_article(sort),
            with_article(wanted)
        )),
    }
}

fn fits(width: u64) -> Result<(), String> {
    if width > u64::from(MAX_WIDTH) {
        return Err(format!(
            "bit-vectors have at most {MAX_WIDTH} bits, not {width}"
        ));
    }
    Ok(())
}

/// Wider bit-vectors are made of integers, and integers of them, only where they are constants: each bit has a weight
/// of as many bits.
const MOST_CONVERTED: u32 = 1 << 12;

fn converts(terms: &Terms, width: u32, argument: Term) -> Result<(), String> {
    if width > MOST_CONVERTED && !terms.is_value(argument) && terms.number_value(argument).is_none()
    {
        return Err(format!(
            "integers of at most {MOST_CONVERTED} bits are converted, not of {width}"
        ));
    }
    Ok(())
}
