//! Reading a solver's answers: S-expressions, values, and the bodies of functions in a model.

use super::ast::{self, Notation, Op, Rounding, Sort, T};
use super::evaluate::{Function, Model, Value, evaluate};
use super::floats::Format;
use num_bigint::BigInt;
use num_rational::BigRational;
use std::collections::HashMap;

#[derive(Clone, Debug, PartialEq)]
pub enum Sexp {
    Atom(String),
    List(Vec<Sexp>),
}

impl std::fmt::Display for Sexp {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Sexp::Atom(text) => f.write_str(text),
            Sexp::List(items) => {
                f.write_str("(")?;
                for (index, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if index > 0 { " " } else { "" })?;
                }
                f.write_str(")")
            }
        }
    }
}

impl Sexp {
    pub fn list(&self) -> Result<&[Sexp], String> {
        match self {
            Sexp::List(items) => Ok(items),
            Sexp::Atom(text) => Err(format!("expected a list, found {text}")),
        }
    }

    pub fn atom(&self) -> Option<&str> {
        match self {
            Sexp::Atom(text) => Some(text),
            Sexp::List(_) => None,
        }
    }

    /// The one expression in the text.
    pub fn parse(text: &str) -> Result<Sexp, String> {
        let mut open: Vec<Vec<Sexp>> = Vec::new();
        let mut rest = text.trim_start();
        loop {
            let done = if let Some(after) = rest.strip_prefix('(') {
                open.push(Vec::new());
                rest = after.trim_start();
                continue;
            } else if let Some(after) = rest.strip_prefix(')') {
                rest = after;
                Sexp::List(open.pop().ok_or("a closing parenthesis too many")?)
            } else if rest.is_empty() {
                return Err(format!("the answer ends early: {text}"));
            } else {
                let length = token_length(rest);
                let token = &rest[..length];
                rest = &rest[length..];
                Sexp::Atom(token.trim_matches('|').to_string())
            };
            rest = rest.trim_start();
            match open.last_mut() {
                Some(list) => list.push(done),
                None if rest.is_empty() => return Ok(done),
                None => return Err(format!("unexpected text after the answer: {rest}")),
            }
        }
    }
}

fn token_length(text: &str) -> usize {
    for quote in ['"', '|'] {
        if let Some(after) = text.strip_prefix(quote) {
            return after.find(quote).map_or(text.len(), |end| end + 2);
        }
    }
    text.find(|c: char| c.is_whitespace() || c == '(' || c == ')')
        .unwrap_or(text.len())
}

/// Open parentheses minus closing ones, outside strings and quoted symbols; `quote` is carried across lines.
pub fn balance(line: &str, quote: &mut Option<char>) -> i64 {
    let mut balance = 0;
    for c in line.chars() {
        match (*quote, c) {
            (Some(open), c) if c == open => *quote = None,
            (Some(_), _) => {}
            (None, '"' | '|') => *quote = Some(c),
            (None, '(') => balance += 1,
            (None, ')') => balance -= 1,
            _ => {}
        }
    }
    balance
}

pub fn value(sexp: &Sexp, sort: Sort) -> Result<Value, String> {
    let term = term(sexp, &HashMap::new())?;
    let term = coerced(term, sort).ok_or_else(|| format!("{sexp} is not of sort {sort}"))?;
    evaluate(&term, &Model::default()).map_err(|why| why.to_string())
}

/// The term as one of this sort: whole numbers of sort Real may be written as numerals.
fn coerced(term: T, sort: Sort) -> Option<T> {
    if term.sort == sort {
        return Some(term);
    }
    if (term.sort, sort) != (Sort::Int, Sort::Real) {
        return None;
    }
    match evaluate(&term, &Model::default()) {
        Ok(Value::Int(value)) => Some(ast::real(value.into(), Notation::Numeral)),
        _ => None,
    }
}

/// One `define-fun` of a model.
pub fn definition(sexp: &Sexp) -> Result<(String, Function), String> {
    let items = sexp.list()?;
    let [
        Sexp::Atom(keyword),
        Sexp::Atom(name),
        parameters,
        result,
        body,
    ] = items
    else {
        return Err(format!("not a definition: {sexp}"));
    };
    if keyword != "define-fun" {
        return Err(format!("not a definition: {sexp}"));
    }
    let mut scope = HashMap::new();
    let mut names = Vec::new();
    for parameter in parameters.list()? {
        let [Sexp::Atom(name), of] = parameter.list()? else {
            return Err(format!("not a parameter: {parameter}"));
        };
        scope.insert(name.clone(), sort(of)?);
        names.push(name.clone());
    }
    let body = term(body, &scope)?;
    let of = body.sort;
    let body = coerced(body, sort(result)?)
        .ok_or_else(|| format!("{name} is defined with a body of sort {of}"))?;
    Ok((name.clone(), Function::Body(names, body)))
}

fn sort(sexp: &Sexp) -> Result<Sort, String> {
    let text = sexp.to_string();
    match text.as_str() {
        "Bool" => return Ok(Sort::Bool),
        "Int" => return Ok(Sort::Int),
        "Real" => return Ok(Sort::Real),
        "RoundingMode" => return Ok(Sort::Rounding),
        "Float16" => return Ok(Sort::Float(5, 11)),
        "Float32" => return Ok(Sort::Float(8, 24)),
        "Float64" => return Ok(Sort::Float(11, 53)),
        "Float128" => return Ok(Sort::Float(15, 113)),
        _ => {}
    }
    let items = sexp.list()?;
    match items {
        [Sexp::Atom(head), index, element] if head == "Array" => {
            Ok(Sort::Array(sort(index)?.width(), sort(element)?.width()))
        }
        [_, Sexp::Atom(head), Sexp::Atom(width)] if head == "BitVec" => Ok(Sort::Bv(
            width.parse().map_err(|_| format!("not a width: {width}"))?,
        )),
        [
            _,
            Sexp::Atom(head),
            Sexp::Atom(exponent),
            Sexp::Atom(significand),
        ] if head == "FloatingPoint" => format(exponent, significand)
            .map(|(exponent, significand)| Sort::Float(exponent, significand))
            .ok_or_else(|| format!("not a format: {text}")),
        _ => Err(format!("not a sort: {text}")),
    }
}

fn format(exponent: &str, significand: &str) -> Option<(u32, u32)> {
    let (exponent, significand): (u32, u32) = (exponent.parse().ok()?, significand.parse().ok()?);
    let fits = exponent >= 2 && significand >= 2 && exponent.checked_add(significand)? <= 128;
    fits.then_some((exponent, significand))
}

/// `(_ NaN eb sb)` and its like.
fn special_float(name: &str, exponent: &str, significand: &str) -> Option<T> {
    let (exponent, significand) = format(exponent, significand)?;
    let format = Format::of(Sort::Float(exponent, significand));
    let bits = match name {
        "NaN" => format.nan(),
        "+oo" => format.infinity(false),
        "-oo" => format.infinity(true),
        "+zero" => format.zero(false),
        "-zero" => format.zero(true),
        _ => return None,
    };
    Some(ast::float(bits, exponent, significand))
}

/// The few kinds of term that solvers print in models.
fn term(sexp: &Sexp, scope: &HashMap<String, Sort>) -> Result<T, String> {
    let unknown = || format!("not understood in a model: {sexp}");
    match sexp {
        Sexp::Atom(text) => atom(text, scope).ok_or_else(unknown),
        Sexp::List(items) => match items.as_slice() {
            [
                Sexp::Atom(underscore),
                Sexp::Atom(number),
                Sexp::Atom(width),
            ] if underscore == "_" => {
                let number = number
                    .strip_prefix("bv")
                    .and_then(|n| n.parse().ok())
                    .ok_or_else(unknown)?;
                let width: u32 = width.parse().map_err(|_| unknown())?;
                if (1..=128).contains(&width) {
                    Ok(ast::bv(number, width))
                } else {
                    Err(unknown())
                }
            }
            [
                Sexp::Atom(underscore),
                Sexp::Atom(name),
                Sexp::Atom(exponent),
                Sexp::Atom(significand),
            ] if underscore == "_" => {
                special_float(name, exponent, significand).ok_or_else(unknown)
            }
            [Sexp::List(head), element] if matches!(head.as_slice(), [Sexp::Atom(a), Sexp::Atom(c), _] if a == "as" && c == "const") =>
            {
                let element = term(element, scope)?;
                match sort(&head[2])? {
                    Sort::Array(index, width) if element.sort == Sort::Bv(width) => {
                        Ok(ast::op(Op::ConstArray(index), [element]))
                    }
                    _ => Err(unknown()),
                }
            }
            [Sexp::Atom(head), args @ ..] => {
                let args = args
                    .iter()
                    .map(|arg| term(arg, scope))
                    .collect::<Result<Vec<_>, _>>()?;
                if let Some(operator) = operator_of_numbers(head) {
                    return arithmetic(operator, args).ok_or_else(unknown);
                }
                let (operator, well_sorted) = match (head.as_str(), args.as_slice()) {
                    ("ite", [test, yes, no]) => {
                        (Op::Ite, test.sort == Sort::Bool && yes.sort == no.sort)
                    }
                    ("=", [left, right]) => (Op::Eq, left.sort == right.sort),
                    ("and", [_, ..]) => (Op::And, args.iter().all(|arg| arg.sort == Sort::Bool)),
                    ("or", [_, ..]) => (Op::Or, args.iter().all(|arg| arg.sort == Sort::Bool)),
                    ("not", [arg]) => (Op::Not, arg.sort == Sort::Bool),
                    ("fp", [sign, exponent, fraction]) => {
                        let widths = [sign, exponent, fraction].map(|part| match part.sort {
                            Sort::Bv(width) => width,
                            _ => 0,
                        });
                        let [one, exponent, fraction] = widths;
                        let fits = exponent >= 2 && fraction >= 1 && exponent + fraction < 128;
                        (Op::Fp, one == 1 && fits)
                    }
                    ("store", [array, index, element]) => {
                        let expected = match (index.sort, element.sort) {
                            (Sort::Bv(index), Sort::Bv(element)) => {
                                Some(Sort::Array(index, element))
                            }
                            _ => None,
                        };
                        (Op::Store, Some(array.sort) == expected)
                    }
                    _ => return Err(unknown()),
                };
                if well_sorted {
                    Ok(ast::op(operator, args))
                } else {
                    Err(format!("ill-sorted in a model: {sexp}"))
                }
            }
            _ => Err(unknown()),
        },
    }
}

fn operator_of_numbers(head: &str) -> Option<Op> {
    Some(match head {
        "+" => Op::Add,
        "-" => Op::Sub,
        "*" => Op::Mul,
        "/" => Op::Over,
        "<=" => Op::Le,
        "<" => Op::Lt,
        ">=" => Op::Ge,
        ">" => Op::Gt,
        _ => return None,
    })
}

/// The application, its operands brought to one sort.
fn arithmetic(operator: Op, args: Vec<T>) -> Option<T> {
    let real = operator == Op::Over || args.iter().any(|arg| arg.sort == Sort::Real);
    let sort = if real { Sort::Real } else { Sort::Int };
    let args: Option<Vec<T>> = args.into_iter().map(|arg| coerced(arg, sort)).collect();
    let args = args.filter(|args| args.len() > usize::from(operator != Op::Sub))?;
    (operator != Op::Over || args.len() == 2).then(|| ast::op(operator, args))
}

/// A numeral, or a decimal: digits on both sides of the point.
fn number(text: &str) -> Option<T> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits(text) {
        return text.parse::<BigInt>().ok().map(ast::int);
    }
    let (whole, fraction) = text.split_once('.')?;
    if !digits(whole) || !digits(fraction) {
        return None;
    }
    let above: BigInt = format!("{whole}{fraction}").parse().ok()?;
    let below = BigInt::from(10).pow(fraction.len() as u32);
    Some(ast::real(BigRational::new(above, below), Notation::Decimal))
}

fn rounding(text: &str) -> Option<T> {
    let mode = Rounding::ALL
        .into_iter()
        .find(|mode| mode.names().contains(&text))?;
    Some(ast::rounding(mode, false))
}

fn atom(text: &str, scope: &HashMap<String, Sort>) -> Option<T> {
    let constant = |digits: &str, radix: u32, bits: usize| {
        let width = digits.len() * bits;
        let value = u128::from_str_radix(digits, radix).ok()?;
        (1..=128)
            .contains(&width)
            .then(|| ast::bv(value, width as u32))
    };
    match text {
        "true" => Some(ast::boolean(true)),
        "false" => Some(ast::boolean(false)),
        _ if rounding(text).is_some() => rounding(text),
        _ if text.starts_with("#x") => constant(&text[2..], 16, 4),
        _ if text.starts_with("#b") => constant(&text[2..], 2, 1),
        _ => match scope.get(text) {
            Some(&sort) => Some(ast::symbol(text, sort)),
            None => number(text),
        },
    }
}
