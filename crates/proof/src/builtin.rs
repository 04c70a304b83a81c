//! The functions of the theories, applied to arguments. What is sugar in the standard is written out here.

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use crate::terms::{Op, Sort, Term, Terms};

/// Wider bit-vectors are not read.
pub const MAX_WIDTH: u64 = 1 << 24;

/// More terms than these are not written out as pairs.
const MAX_DISTINCT: usize = 1000;

type Made = Result<Term, String>;

/// The function `name`, with the numerals it is indexed by, applied to `args`.
pub fn apply(terms: &mut Terms, name: &[u8], indices: &[u32], args: &mut [Term]) -> Made {
    let fits = Arguments { name, args };
    match (name, indices) {
        (b"not", []) => {
            let [a] = fits.formulas(terms)?;
            Ok(terms.not(a))
        }
        (b"and", []) => connective(terms, Op::And, &fits),
        (b"or", []) => connective(terms, Op::Or, &fits),
        (b"=>" | b"implies", []) => {
            fits.all(terms, &Sort::Bool, 2)?;
            let (&last, first) = args.split_last().expect("two or more");
            Ok(first.iter().rev().fold(last, |right, &left| {
                let left = terms.not(left);
                terms.make(Op::Or, &[left, right], Sort::Bool)
            }))
        }
        (b"xor", []) => {
            fits.all(terms, &Sort::Bool, 2)?;
            Ok(chain(args, |a, b| terms.make(Op::Xor, &[a, b], Sort::Bool)))
        }
        (b"=" | b"iff", []) => {
            one_sort(terms, name, args, 2)?;
            Ok(links(terms, args, |terms, a, b| terms.eq(a, b)))
        }
        (b"distinct", []) => {
            one_sort(terms, name, args, 2)?;
            if args.len() > MAX_DISTINCT {
                return Err("'distinct' of so many is not covered".into());
            }
            let mut all = Vec::new();
            for (place, &a) in args.iter().enumerate() {
                for &b in &args[place + 1..] {
                    let equal = terms.eq(a, b);
                    all.push(terms.not(equal));
                }
            }
            Ok(conjunction(terms, &all))
        }
        (b"ite", []) => {
            let [condition, ..] = fits.exactly::<3>()?;
            if *terms.sort(condition) != Sort::Bool {
                return fits.wrong();
            }
            one_sort(terms, name, &mut args[1..], 2)?;
            Ok(terms.ite(condition, args[1], args[2]))
        }
        (b"select", []) => {
            let [array, index] = fits.exactly()?;
            match terms.sort(array) {
                Sort::Array(sorts) if sorts.0 == *terms.sort(index) => {
                    Ok(terms.select(array, index))
                }
                _ => fits.wrong(),
            }
        }
        (b"store", []) => {
            let [array, index, element] = fits.exactly()?;
            let sort = terms.sort(array).clone();
            match &sort {
                Sort::Array(sorts)
                    if sorts.0 == *terms.sort(index) && sorts.1 == *terms.sort(element) =>
                {
                    Ok(terms.make(Op::Store, args, sort))
                }
                _ => fits.wrong(),
            }
        }
        _ if args.first().is_some_and(|&a| is_vector(terms, a)) => {
            vectors(terms, name, indices, args)
        }
        _ => numbers(terms, name, indices, args),
    }
}

fn is_vector(terms: &Terms, term: Term) -> bool {
    matches!(terms.sort(term), Sort::BitVec(_))
}

/// The arguments of a function, and ways to demand what it needs.
struct Arguments<'a> {
    name: &'a [u8],
    args: &'a [Term],
}

impl Arguments<'_> {
    fn wrong<T>(&self) -> Result<T, String> {
        let name = String::from_utf8_lossy(self.name);
        Err(format!("'{name}' is not covered for these arguments"))
    }

    fn exactly<const N: usize>(&self) -> Result<[Term; N], String> {
        self.args.try_into().or_else(|_| self.wrong())
    }

    fn all(&self, terms: &Terms, sort: &Sort, count: usize) -> Result<(), String> {
        let fit = self.args.len() >= count && self.args.iter().all(|&a| terms.sort(a) == sort);
        if fit { Ok(()) } else { self.wrong() }
    }

    fn formulas<const N: usize>(&self, terms: &Terms) -> Result<[Term; N], String> {
        self.all(terms, &Sort::Bool, N)?;
        self.exactly()
    }
}

fn chain(args: &[Term], join: impl FnMut(Term, Term) -> Term) -> Term {
    args[1..].iter().copied().fold(args[0], join)
}

fn conjunction(terms: &mut Terms, all: &[Term]) -> Term {
    match *all {
        [single] => single,
        _ => terms.make(Op::And, all, Sort::Bool),
    }
}

/// Each argument and the next.
fn links(
    terms: &mut Terms,
    args: &[Term],
    mut link: impl FnMut(&mut Terms, Term, Term) -> Term,
) -> Term {
    let mut all = Vec::new();
    for pair in args.windows(2) {
        all.push(link(terms, pair[0], pair[1]));
    }
    conjunction(terms, &all)
}

fn connective(terms: &mut Terms, op: Op, fits: &Arguments) -> Made {
    fits.all(terms, &Sort::Bool, 1)?;
    Ok(match *fits.args {
        [single] => single,
        _ => terms.make(op, fits.args, Sort::Bool),
    })
}

pub fn to_real(terms: &mut Terms, term: Term) -> Term {
    match terms.sort(term) {
        Sort::Int => terms.make(Op::ToReal, &[term], Sort::Real),
        _ => term,
    }
}

/// Makes arguments of one sort, integers beside reals real.
fn one_sort(terms: &mut Terms, name: &[u8], args: &mut [Term], count: usize) -> Result<(), String> {
    if args.iter().any(|&a| *terms.sort(a) == Sort::Real) {
        for arg in &mut *args {
            *arg = to_real(terms, *arg);
        }
    }
    let fits = Arguments { name, args };
    match args.first() {
        Some(&first) => fits.all(terms, &terms.sort(first).clone(), count),
        None => fits.wrong(),
    }
}

fn two_power(exponent: usize) -> UBig {
    UBig::ONE << exponent
}

fn vectors(terms: &mut Terms, name: &[u8], indices: &[u32], args: &[Term]) -> Made {
    let fits = Arguments { name, args };
    let first = args[0];
    let sort = terms.sort(first).clone();
    let width = terms.width(first);
    let of_width = |width: u64| match width {
        1..=MAX_WIDTH => Ok(Sort::BitVec(width as u32)),
        _ => Err(format!("bit-vectors of {width} bits are not covered")),
    };
    let zero = |terms: &mut Terms| terms.bits(width, UBig::ZERO);
    match (name, indices) {
        (b"concat", []) => {
            if args.len() < 2 || !args.iter().all(|&a| is_vector(terms, a)) {
                return fits.wrong();
            }
            let total = args.iter().map(|&a| u64::from(terms.width(a))).sum();
            let sort = of_width(total)?;
            Ok(terms.make(Op::Concat, args, sort))
        }
        (b"extract", &[high, low]) => {
            let [a] = fits.exactly()?;
            if high >= width || low > high {
                return fits.wrong();
            }
            Ok(terms.make(Op::Extract(low), &[a], Sort::BitVec(high - low + 1)))
        }
        (b"zero_extend" | b"sign_extend", &[by]) => {
            let [a] = fits.exactly()?;
            let sort = of_width(u64::from(width) + u64::from(by))?;
            let op = match name {
                b"zero_extend" => Op::ZeroExtend,
                _ => Op::SignExtend,
            };
            Ok(terms.make(op, &[a], sort))
        }
        (b"repeat", &[times]) => {
            let [a] = fits.exactly()?;
            let sort = of_width(u64::from(width) * u64::from(times))?;
            match times {
                1 => Ok(a),
                _ => Ok(terms.make(Op::Concat, &vec![a; times as usize], sort)),
            }
        }
        (b"rotate_left" | b"rotate_right", &[by]) => {
            let [a] = fits.exactly()?;
            let by = by % width;
            Ok(match (name, by) {
                (_, 0) => a,
                (b"rotate_left", _) => rotate_left(terms, a, by),
                _ => rotate_left(terms, a, width - by),
            })
        }
        (b"bvnot", []) => fits
            .exactly()
            .map(|a: [Term; 1]| terms.make(Op::BvNot, &a, sort)),
        (b"bvneg", []) => fits
            .exactly()
            .map(|a: [Term; 1]| terms.make(Op::BvNeg, &a, sort)),
        (b"bvnego", []) => fits
            .exactly()
            .map(|a: [Term; 1]| terms.make(Op::BvNego, &a, Sort::Bool)),
        (b"bvredor" | b"bvredand", []) => {
            let [a] = fits.exactly()?;
            let or = name == b"bvredor";
            let other = match or {
                true => zero(terms),
                false => terms.bits(width, two_power(width as usize) - UBig::ONE),
            };
            let equal = terms.eq(a, other);
            let (one, none) = (terms.bits(1, UBig::ONE), terms.bits(1, UBig::ZERO));
            Ok(match or {
                true => terms.ite(equal, none, one),
                false => terms.ite(equal, one, none),
            })
        }
        (b"bv2nat" | b"bv2int" | b"ubv_to_int", []) => fits
            .exactly()
            .map(|a: [Term; 1]| terms.make(Op::Natural, &a, Sort::Int)),
        (b"sbv_to_int", []) => {
            let [a] = fits.exactly()?;
            let natural = terms.make(Op::Natural, &[a], Sort::Int);
            let below = terms.integer(-IBig::from(two_power(width as usize)));
            let negative = terms.add(&[natural, below]);
            let zero = zero(terms);
            let is_negative = terms.make(Op::BvSlt, &[a, zero], Sort::Bool);
            Ok(terms.ite(is_negative, negative, natural))
        }
        (_, []) => {
            fits.all(terms, &sort, 2)?;
            pairs(terms, &fits, sort, width)
        }
        _ => fits.wrong(),
    }
}

fn rotate_left(terms: &mut Terms, a: Term, by: u32) -> Term {
    let width = terms.width(a);
    let low = terms.make(Op::Extract(0), &[a], Sort::BitVec(width - by));
    let high = terms.make(Op::Extract(width - by), &[a], Sort::BitVec(by));
    terms.make(Op::Concat, &[low, high], Sort::BitVec(width))
}

/// The functions of two bit-vectors of one width, and those that chain.
fn pairs(terms: &mut Terms, fits: &Arguments, sort: Sort, width: u32) -> Made {
    let chained = match fits.name {
        b"bvand" => Some(Op::BvAnd),
        b"bvor" => Some(Op::BvOr),
        b"bvxor" => Some(Op::BvXor),
        b"bvadd" => Some(Op::BvAdd),
        b"bvmul" => Some(Op::BvMul),
        b"bvsub" => Some(Op::BvSub),
        _ => None,
    };
    if let Some(op) = chained {
        return Ok(chain(fits.args, |a, b| {
            terms.make(op.clone(), &[a, b], sort.clone())
        }));
    }
    if fits.name == b"bvxnor" {
        return Ok(chain(fits.args, |a, b| {
            let differ = terms.make(Op::BvXor, &[a, b], sort.clone());
            terms.make(Op::BvNot, &[differ], sort.clone())
        }));
    }
    let [a, b] = fits.exactly()?;
    let (op, order, sort) = match fits.name {
        b"bvudiv" => (Op::BvUdiv, [a, b], sort),
        b"bvurem" => (Op::BvUrem, [a, b], sort),
        b"bvsdiv" => (Op::BvSdiv, [a, b], sort),
        b"bvsrem" => (Op::BvSrem, [a, b], sort),
        b"bvsmod" => (Op::BvSmod, [a, b], sort),
        b"bvshl" => (Op::BvShl, [a, b], sort),
        b"bvlshr" => (Op::BvLshr, [a, b], sort),
        b"bvashr" => (Op::BvAshr, [a, b], sort),
        b"bvult" => (Op::BvUlt, [a, b], Sort::Bool),
        b"bvule" => (Op::BvUle, [a, b], Sort::Bool),
        b"bvugt" => (Op::BvUlt, [b, a], Sort::Bool),
        b"bvuge" => (Op::BvUle, [b, a], Sort::Bool),
        b"bvslt" => (Op::BvSlt, [a, b], Sort::Bool),
        b"bvsle" => (Op::BvSle, [a, b], Sort::Bool),
        b"bvsgt" => (Op::BvSlt, [b, a], Sort::Bool),
        b"bvsge" => (Op::BvSle, [b, a], Sort::Bool),
        b"bvuaddo" => (Op::BvUaddo, [a, b], Sort::Bool),
        b"bvsaddo" => (Op::BvSaddo, [a, b], Sort::Bool),
        b"bvumulo" => (Op::BvUmulo, [a, b], Sort::Bool),
        b"bvsmulo" => (Op::BvSmulo, [a, b], Sort::Bool),
        b"bvusubo" => (Op::BvUsubo, [a, b], Sort::Bool),
        b"bvssubo" => (Op::BvSsubo, [a, b], Sort::Bool),
        b"bvsdivo" => (Op::BvSdivo, [a, b], Sort::Bool),
        b"bvnand" | b"bvnor" => {
            let op = if fits.name == b"bvnand" {
                Op::BvAnd
            } else {
                Op::BvOr
            };
            let both = terms.make(op, &[a, b], sort.clone());
            return Ok(terms.make(Op::BvNot, &[both], sort));
        }
        b"bvcomp" => {
            let equal = terms.eq(a, b);
            let (one, none) = (terms.bits(1, UBig::ONE), terms.bits(1, UBig::ZERO));
            return Ok(terms.ite(equal, one, none));
        }
        b"ext_rotate_left" | b"ext_rotate_right" => {
            // Two shifts by amounts that add up to the width, which a vector of that width can always hold.
            let total = terms.bits(width, UBig::from(width));
            let amount = terms.make(Op::BvUrem, &[b, total], sort.clone());
            let rest = terms.make(Op::BvSub, &[total, amount], sort.clone());
            let (up, down) = match fits.name {
                b"ext_rotate_left" => (amount, rest),
                _ => (rest, amount),
            };
            let high = terms.make(Op::BvShl, &[a, up], sort.clone());
            let low = terms.make(Op::BvLshr, &[a, down], sort.clone());
            return Ok(terms.make(Op::BvOr, &[high, low], sort));
        }
        _ => return fits.wrong(),
    };
    Ok(terms.make(op, &order, sort))
}

fn numbers(terms: &mut Terms, name: &[u8], indices: &[u32], args: &mut [Term]) -> Made {
    let wrong = |args: &[Term]| Arguments { name, args }.wrong();
    if args.is_empty() || !args.iter().all(|&a| terms.sort(a).is_number()) {
        return wrong(args);
    }
    match (name, indices) {
        (b"+", []) => {
            one_sort(terms, name, args, 1)?;
            Ok(terms.add(args))
        }
        (b"-", []) => {
            one_sort(terms, name, args, 1)?;
            let skip = usize::from(args.len() > 1);
            for arg in &mut args[skip..] {
                *arg = terms.times(RBig::NEG_ONE, *arg);
            }
            Ok(match *args {
                [single] => single,
                _ => terms.add(args),
            })
        }
        (b"*", []) => {
            one_sort(terms, name, args, 2)?;
            let sort = terms.sort(args[0]).clone();
            Ok(chain(args, |a, b| {
                terms.make(Op::Mul, &[a, b], sort.clone())
            }))
        }
        (b"/", []) if args.len() >= 2 => {
            for arg in &mut *args {
                *arg = to_real(terms, *arg);
            }
            Ok(chain(args, |a, b| {
                terms.make(Op::Quotient, &[a, b], Sort::Real)
            }))
        }
        (b"div", []) if args.len() >= 2 && whole(terms, args) => {
            Ok(chain(args, |a, b| terms.make(Op::Div, &[a, b], Sort::Int)))
        }
        (b"mod", []) if args.len() == 2 && whole(terms, args) => {
            Ok(terms.make(Op::Mod, args, Sort::Int))
        }
        (b"abs", []) if args.len() == 1 => {
            let sort = terms.sort(args[0]).clone();
            Ok(terms.make(Op::Abs, args, sort))
        }
        (b"<=" | b"<" | b">=" | b">", []) => {
            one_sort(terms, name, args, 2)?;
            Ok(links(terms, args, |terms, a, b| match name {
                b"<=" => terms.le(a, b),
                b"<" => terms.lt(a, b),
                b">=" => terms.le(b, a),
                _ => terms.lt(b, a),
            }))
        }
        (b"divisible", &[by]) if args.len() == 1 && by > 0 && whole(terms, args) => {
            let by = terms.integer(by.into());
            let rest = terms.make(Op::Mod, &[args[0], by], Sort::Int);
            let zero = terms.integer(IBig::ZERO);
            Ok(terms.eq(rest, zero))
        }
        (b"to_real", []) if args.len() == 1 => Ok(to_real(terms, args[0])),
        (b"to_int", []) if args.len() == 1 => Ok(match terms.sort(args[0]) {
            Sort::Int => args[0],
            _ => terms.make(Op::ToInt, args, Sort::Int),
        }),
        (b"is_int", []) if args.len() == 1 => Ok(match terms.sort(args[0]) {
            Sort::Int => terms.truth(true),
            _ => {
                let floor = terms.make(Op::ToInt, args, Sort::Int);
                let floor = to_real(terms, floor);
                terms.eq(args[0], floor)
            }
        }),
        (b"nat2bv" | b"int2bv" | b"int_to_bv", &[width])
            if args.len() == 1 && whole(terms, args) && (1..=MAX_WIDTH).contains(&width.into()) =>
        {
            Ok(terms.make(Op::OfInt, args, Sort::BitVec(width)))
        }
        _ => wrong(args),
    }
}

fn whole(terms: &Terms, args: &[Term]) -> bool {
    args.iter().all(|&a| *terms.sort(a) == Sort::Int)
}
