//! The functions of the theories Ints and Reals.
//!
//! An integer is the same number of sort Real where one is needed. Scripts write `(< x 3)` for a real `x` as often as
//! `(< x 3.0)`, and tools write `(/ 1 3)` and `(- 3)`.

use refrain_term::{Rational, Sort, Term, Terms};

use crate::builtin::{Builtin, at_least, exactly, one_sort_or_real};
use crate::sorts::with_article;

type Comparison = fn(&mut Terms, Term, Term) -> Term;

#[derive(Clone, Copy, Debug)]
pub enum Arithmetic {
    Sum,
    /// Of one argument it is the negation.
    Difference,
    Product,
    /// Of reals.
    Quotient,
    /// `div`, of integers.
    WholeQuotient,
    Remainder,
    Absolute,
    /// By the numeral it is indexed with.
    Divisible,
    /// Each argument and the next.
    Compare(Comparison),
    ToReal,
    ToInt,
    IsInt,
}

/// A term of sort Int as one of sort Real, where that is wanted; any other term as it is.
#[inline]
pub fn coerced(terms: &mut Terms, term: Term, wanted: Sort) -> Term {
    if wanted != Sort::Real || terms.sort(term) != Sort::Int {
        return term;
    }
    terms.to_real(term)
}

/// A function of numbers applied to arguments; the message if it does not fit them.
pub fn apply(
    terms: &mut Terms,
    builtin: &Builtin,
    function: Arithmetic,
    index: u32,
    args: &mut [Term],
) -> Result<Term, String> {
    match function {
        Arithmetic::Sum => {
            numbers(terms, builtin, args, 2)?;
            Ok(terms.sum(args))
        }
        Arithmetic::Difference => {
            numbers(terms, builtin, args, 1)?;
            Ok(difference(terms, args))
        }
        Arithmetic::Product => {
            numbers(terms, builtin, args, 2)?;
            Ok(from_the_left(args, |left, right| terms.mul(left, right)))
        }
        Arithmetic::Quotient => {
            at_least(builtin, args, 2)?;
            for arg in &mut *args {
                *arg = coerced(terms, *arg, Sort::Real);
            }
            all_of(terms, builtin, args, Sort::Real)?;
            Ok(from_the_left(args, |left, right| terms.div(left, right)))
        }
        Arithmetic::WholeQuotient => {
            at_least(builtin, args, 2)?;
            all_of(terms, builtin, args, Sort::Int)?;
            Ok(from_the_left(args, |left, right| terms.div(left, right)))
        }
        Arithmetic::Remainder => {
            let [a, b] = exactly(builtin, args)?;
            all_of(terms, builtin, args, Sort::Int)?;
            Ok(terms.modulo(a, b))
        }
        Arithmetic::Absolute => {
            let [a] = exactly(builtin, args)?;
            number(terms, builtin, a)?;
            Ok(terms.abs(a))
        }
        Arithmetic::Divisible => {
            let [a] = exactly(builtin, args)?;
            all_of(terms, builtin, args, Sort::Int)?;
            if index == 0 {
                return Err("nothing is divisible by zero: a positive numeral is needed".into());
            }
            Ok(terms.divisible(&Rational::from(i64::from(index)), a))
        }
        Arithmetic::Compare(compare) => {
            numbers(terms, builtin, args, 2)?;
            if let &mut [a, b] = args {
                return Ok(compare(terms, a, b));
            }
            let links: Vec<Term> = args
                .windows(2)
                .map(|pair| compare(terms, pair[0], pair[1]))
                .collect();
            Ok(terms.and(&links))
        }
        Arithmetic::ToReal | Arithmetic::ToInt | Arithmetic::IsInt => {
            let [a] = exactly(builtin, args)?;
            number(terms, builtin, a)?;
            Ok(converted(terms, function, a))
        }
    }
}

fn from_the_left(args: &[Term], build: impl FnMut(Term, Term) -> Term) -> Term {
    args[1..].iter().copied().fold(args[0], build)
}

/// The first argument without the others; the negation of a single one.
fn difference(terms: &mut Terms, args: &mut [Term]) -> Term {
    if let &mut [single] = args {
        return terms.neg(single);
    }
    for arg in &mut args[1..] {
        *arg = terms.neg(*arg);
    }
    terms.sum(args)
}

/// Conversions of what is of the right sort already change nothing.
fn converted(terms: &mut Terms, function: Arithmetic, a: Term) -> Term {
    match (function, terms.sort(a)) {
        (Arithmetic::IsInt, Sort::Int) => Term::TRUE,
        (Arithmetic::IsInt, _) => terms.is_int(a),
        (Arithmetic::ToReal, Sort::Int) => terms.to_real(a),
        (Arithmetic::ToInt, Sort::Real) => terms.to_int(a),
        _ => a,
    }
}

fn number(terms: &Terms, builtin: &Builtin, term: Term) -> Result<(), String> {
    match terms.sort(term) {
        sort if sort.is_number() => Ok(()),
        sort => Err(format!(
            "'{}' takes an Int or a Real, not {}",
            builtin.name,
            with_article(sort)
        )),
    }
}

/// So many numbers of one sort, or more.
fn numbers(
    terms: &mut Terms,
    builtin: &Builtin,
    args: &mut [Term],
    count: usize,
) -> Result<(), String> {
    at_least(builtin, args, count)?;
    number(terms, builtin, args[0])?;
    if args.len() == 1 {
        return Ok(());
    }
    one_sort_or_real(terms, builtin, args)
}

fn all_of(terms: &Terms, builtin: &Builtin, args: &[Term], wanted: Sort) -> Result<(), String> {
    let mut sorts = args.iter().map(|&arg| terms.sort(arg));
    let Some(other) = sorts.find(|&sort| sort != wanted) else {
        return Ok(());
    };
    let hint = match (other, wanted) {
        (Sort::Int, Sort::Real) => "; integers are divided by 'div'",
        _ => "",
    };
    Err(format!(
        "'{}' takes {}, not {}{hint}",
        builtin.name,
        with_article(wanted),
        with_article(other)
    ))
}
