//! The fuzzer's own terms: sorts, operators, well-sorted construction, printing.
//!
//! Deliberately independent of the product's term crate, so that the two cannot share a mistake.
//! Terms are small trees (the generator bounds them), so walks here may recurse.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use std::collections::HashMap;
use std::fmt::Write;
use std::rc::Rc;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    Bool,
    Bv(u32),
    /// Index width, element width.
    Array(u32, u32),
    Int,
    Real,
    /// Bits of exponent and of significand.
    Float(u32, u32),
    Rounding,
}

impl Sort {
    /// Of bit-vectors, and of the bits of floats.
    pub fn width(self) -> u32 {
        match self {
            Sort::Bv(width) => width,
            Sort::Float(exponent, significand) => exponent + significand,
            other => panic!("{other:?} has no width"),
        }
    }

    pub fn is_number(self) -> bool {
        matches!(self, Sort::Int | Sort::Real)
    }
}

impl std::fmt::Display for Sort {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Sort::Bool => write!(f, "Bool"),
            Sort::Bv(w) => write!(f, "(_ BitVec {w})"),
            Sort::Array(i, e) => write!(f, "(Array (_ BitVec {i}) (_ BitVec {e}))"),
            Sort::Int => write!(f, "Int"),
            Sort::Real => write!(f, "Real"),
            Sort::Float(5, 11) => write!(f, "Float16"),
            Sort::Float(8, 24) => write!(f, "Float32"),
            Sort::Float(e, s) => write!(f, "(_ FloatingPoint {e} {s})"),
            Sort::Rounding => write!(f, "RoundingMode"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    NearestEven,
    NearestAway,
    Positive,
    Negative,
    Zero,
}

impl Rounding {
    pub const ALL: [Rounding; 5] = [
        Rounding::NearestEven,
        Rounding::NearestAway,
        Rounding::Positive,
        Rounding::Negative,
        Rounding::Zero,
    ];

    /// The short name and the long one.
    pub fn names(self) -> [&'static str; 2] {
        match self {
            Rounding::NearestEven => ["RNE", "roundNearestTiesToEven"],
            Rounding::NearestAway => ["RNA", "roundNearestTiesToAway"],
            Rounding::Positive => ["RTP", "roundTowardPositive"],
            Rounding::Negative => ["RTN", "roundTowardNegative"],
            Rounding::Zero => ["RTZ", "roundTowardZero"],
        }
    }

    /// The mode that rounds -x to the negative of what this one makes of x.
    pub fn mirrored(self) -> Rounding {
        match self {
            Rounding::Positive => Rounding::Negative,
            Rounding::Negative => Rounding::Positive,
            other => other,
        }
    }
}

macro_rules! operators {
    (plain { $($plain:ident $plain_name:literal,)* } indexed { $($indexed:ident ( $($index:ident),* ) $indexed_name:literal,)* }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Op { $($plain,)* $($indexed($(operators!(@u32 $index)),*),)* }

        impl Op {
            /// The name in SMT-LIB, without indices.
            pub fn name(self) -> &'static str {
                match self { $(Op::$plain => $plain_name,)* $(Op::$indexed(..) => $indexed_name,)* }
            }

            fn indices(self) -> Vec<u32> {
                match self { $(Op::$indexed($($index),*) => vec![$($index),*],)* _ => Vec::new() }
            }
        }

        /// Every operator; a run that did not use them all has not tested what it claims.
        pub const EVERY_OPERATOR: &[&str] = &[$($plain_name,)* $($indexed_name,)*];
    };
    (@u32 $index:ident) => { u32 };
}

operators! {
    plain {
        Not "not", And "and", Or "or", Xor "xor", Implies "=>", Eq "=", Distinct "distinct", Ite "ite",
        Concat "concat", BvNot "bvnot", BvNeg "bvneg", BvAnd "bvand", BvOr "bvor", BvXor "bvxor",
        BvNand "bvnand", BvNor "bvnor", BvXnor "bvxnor", BvAdd "bvadd", BvSub "bvsub", BvMul "bvmul",
        BvUdiv "bvudiv", BvUrem "bvurem", BvSdiv "bvsdiv", BvSrem "bvsrem", BvSmod "bvsmod",
        BvShl "bvshl", BvLshr "bvlshr", BvAshr "bvashr", BvComp "bvcomp",
        BvUlt "bvult", BvUle "bvule", BvUgt "bvugt", BvUge "bvuge",
        BvSlt "bvslt", BvSle "bvsle", BvSgt "bvsgt", BvSge "bvsge",
        BvNegO "bvnego", BvUaddO "bvuaddo", BvSaddO "bvsaddo", BvUmulO "bvumulo", BvSmulO "bvsmulo",
        BvUsubO "bvusubo", BvSsubO "bvssubo", BvSdivO "bvsdivo",
        Select "select", Store "store",
        Add "+", Sub "-", Mul "*", Div "div", Mod "mod", Abs "abs", Over "/",
        Le "<=", Lt "<", Ge ">=", Gt ">",
        Fp "fp", FpAbs "fp.abs", FpNeg "fp.neg", FpAdd "fp.add", FpSub "fp.sub", FpMul "fp.mul",
        FpDiv "fp.div", FpFma "fp.fma", FpSqrt "fp.sqrt", FpRem "fp.rem", FpRound "fp.roundToIntegral",
        FpMin "fp.min", FpMax "fp.max", FpLeq "fp.leq", FpLt "fp.lt", FpGeq "fp.geq", FpGt "fp.gt",
        FpEq "fp.eq", FpIsNormal "fp.isNormal", FpIsSubnormal "fp.isSubnormal", FpIsZero "fp.isZero",
        FpIsInfinite "fp.isInfinite", FpIsNan "fp.isNaN", FpIsNegative "fp.isNegative",
        FpIsPositive "fp.isPositive", FpToReal "fp.to_real", FpToIeee "fp.to_ieee_bv",
    }
    indexed {
        Extract(high, low) "extract", ZeroExtend(by) "zero_extend", SignExtend(by) "sign_extend",
        RotateLeft(by) "rotate_left", RotateRight(by) "rotate_right", Repeat(times) "repeat",
        ConstArray(index_width) "as const", Divisible(by) "divisible",
        ToFp(exponent, significand) "to_fp", ToFpUnsigned(exponent, significand) "to_fp_unsigned",
        FpToUbv(width) "fp.to_ubv", FpToSbv(width) "fp.to_sbv",
    }
}

pub type T = Rc<Term>;

#[derive(Debug, PartialEq)]
pub struct Term {
    pub node: Node,
    pub args: Vec<T>,
    pub sort: Sort,
    /// Nodes of the tree.
    pub size: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    Bool(bool),
    Bv(u128),
    Int(BigInt),
    Real(BigRational, Notation),
    /// The bits; a NaN may have any payload.
    Float(u128),
    /// The mode, and whether its name is spelled out.
    Rounding(Rounding, bool),
    /// A declared or defined constant, a bound variable, or the name of a named term.
    Symbol(String),
    /// A declared or defined function.
    Apply(String),
    Op(Op),
    /// Parallel let: the values, then the body.
    Let(Vec<String>),
}

/// How a whole number of sort Real is written: `2.0`, or `2` as logics without Int allow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Notation {
    Decimal,
    Numeral,
}

fn make(node: Node, args: Vec<T>, sort: Sort) -> T {
    let size = 1 + args.iter().map(|arg| arg.size).sum::<usize>();
    Rc::new(Term {
        node,
        args,
        sort,
        size,
    })
}

pub fn mask(width: u32) -> u128 {
    if width >= 128 {
        u128::MAX
    } else {
        (1 << width) - 1
    }
}

pub fn boolean(value: bool) -> T {
    make(Node::Bool(value), Vec::new(), Sort::Bool)
}

pub fn bv(value: u128, width: u32) -> T {
    make(Node::Bv(value & mask(width)), Vec::new(), Sort::Bv(width))
}

pub fn int(value: impl Into<BigInt>) -> T {
    make(Node::Int(value.into()), Vec::new(), Sort::Int)
}

pub fn real(value: BigRational, notation: Notation) -> T {
    make(Node::Real(value, notation), Vec::new(), Sort::Real)
}

pub fn float(bits: u128, exponent: u32, significand: u32) -> T {
    let bits = bits & mask(exponent + significand);
    make(
        Node::Float(bits),
        Vec::new(),
        Sort::Float(exponent, significand),
    )
}

pub fn rounding(mode: Rounding, spelled_out: bool) -> T {
    make(
        Node::Rounding(mode, spelled_out),
        Vec::new(),
        Sort::Rounding,
    )
}

pub fn symbol(name: impl Into<String>, sort: Sort) -> T {
    make(Node::Symbol(name.into()), Vec::new(), sort)
}

pub fn apply(name: impl Into<String>, args: Vec<T>, sort: Sort) -> T {
    make(Node::Apply(name.into()), args, sort)
}

pub fn let_in(names: Vec<String>, mut values: Vec<T>, body: T) -> T {
    let sort = body.sort;
    values.push(body);
    make(Node::Let(names), values, sort)
}

pub fn not(term: T) -> T {
    op(Op::Not, [term])
}

pub fn op(op: Op, args: impl Into<Vec<T>>) -> T {
    let args = args.into();
    let sort = result_sort(op, &args);
    make(Node::Op(op), args, sort)
}

fn result_sort(op: Op, args: &[T]) -> Sort {
    let first = args[0].sort;
    match op {
        Op::Not | Op::And | Op::Or | Op::Xor | Op::Implies | Op::Eq | Op::Distinct => Sort::Bool,
        Op::BvUlt
        | Op::BvUle
        | Op::BvUgt
        | Op::BvUge
        | Op::BvSlt
        | Op::BvSle
        | Op::BvSgt
        | Op::BvSge => Sort::Bool,
        Op::BvNegO | Op::BvUaddO | Op::BvSaddO | Op::BvUmulO | Op::BvSmulO => Sort::Bool,
        Op::BvUsubO | Op::BvSsubO | Op::BvSdivO => Sort::Bool,
        Op::Le | Op::Lt | Op::Ge | Op::Gt | Op::Divisible(_) => Sort::Bool,
        Op::FpLeq | Op::FpLt | Op::FpGeq | Op::FpGt | Op::FpEq => Sort::Bool,
        Op::FpIsNormal | Op::FpIsSubnormal | Op::FpIsZero | Op::FpIsInfinite => Sort::Bool,
        Op::FpIsNan | Op::FpIsNegative | Op::FpIsPositive => Sort::Bool,
        Op::FpAdd | Op::FpSub | Op::FpMul | Op::FpDiv | Op::FpFma | Op::FpSqrt | Op::FpRound => {
            args[1].sort
        }
        Op::Fp => Sort::Float(args[1].sort.width(), args[2].sort.width() + 1),
        Op::ToFp(e, s) | Op::ToFpUnsigned(e, s) => Sort::Float(e, s),
        Op::FpToUbv(width) | Op::FpToSbv(width) => Sort::Bv(width),
        Op::FpToIeee => Sort::Bv(first.width()),
        Op::FpToReal => Sort::Real,
        Op::Ite => args[1].sort,
        Op::Concat => Sort::Bv(args.iter().map(|arg| arg.sort.width()).sum()),
        Op::BvComp => Sort::Bv(1),
        Op::Extract(high, low) => Sort::Bv(high - low + 1),
        Op::ZeroExtend(by) | Op::SignExtend(by) => Sort::Bv(first.width() + by),
        Op::Repeat(times) => Sort::Bv(first.width() * times),
        Op::Select => match first {
            Sort::Array(_, element) => Sort::Bv(element),
            other => panic!("select from {other:?}"),
        },
        Op::ConstArray(index) => Sort::Array(index, first.width()),
        _ => first,
    }
}

/// The same node over other arguments of the same sorts.
pub fn rebuild(term: &Term, args: Vec<T>) -> T {
    make(term.node.clone(), args, term.sort)
}

impl std::fmt::Display for Term {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let mut text = String::new();
        print(self, &mut text);
        f.write_str(&text)
    }
}

fn print(term: &Term, out: &mut String) {
    match &term.node {
        Node::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Node::Bv(value) => print_constant(*value, term.sort.width(), out),
        Node::Int(value) => print_signed(&value.abs().to_string(), value.is_negative(), out),
        Node::Real(value, notation) => print_rational(value, *notation, out),
        Node::Float(bits) => print_float(*bits, term.sort, out),
        Node::Rounding(mode, spelled_out) => out.push_str(mode.names()[usize::from(*spelled_out)]),
        Node::Symbol(name) => out.push_str(name),
        Node::Apply(name) => print_application(name, &term.args, out),
        Node::Op(op @ Op::ConstArray(_)) => {
            print_application(&format!("({} {})", op.name(), term.sort), &term.args, out);
        }
        Node::Op(op) => {
            let indices = op.indices();
            if indices.is_empty() {
                print_application(op.name(), &term.args, out);
            } else {
                let mut head = format!("(_ {}", op.name());
                for index in indices {
                    let _ = write!(head, " {index}");
                }
                head.push(')');
                print_application(&head, &term.args, out);
            }
        }
        Node::Let(names) => {
            out.push_str("(let (");
            for (name, value) in names.iter().zip(&term.args) {
                let _ = write!(out, "({name} ");
                print(value, out);
                out.push(')');
            }
            out.push_str(") ");
            print(&term.args[names.len()], out);
            out.push(')');
        }
    }
}

fn print_application(head: &str, args: &[T], out: &mut String) {
    out.push('(');
    out.push_str(head);
    for arg in args {
        out.push(' ');
        print(arg, out);
    }
    out.push(')');
}

/// Constants appear in all three notations; which one depends on the constant alone.
fn print_constant(value: u128, width: u32, out: &mut String) {
    let _ = match value.wrapping_add(u128::from(width)) % 3 {
        0 if width <= 128 => write!(out, "(_ bv{value} {width})"),
        _ if width.is_multiple_of(4) => {
            write!(out, "#x{value:0digits$x}", digits = width as usize / 4)
        }
        _ => write!(out, "#b{value:0digits$b}", digits = width as usize),
    };
}

/// Zeros, infinities and the plainest NaN have names of their own; which notation zeros and infinities get
/// depends on the format alone.
fn print_float(bits: u128, sort: Sort, out: &mut String) {
    let Sort::Float(exponent, significand) = sort else {
        panic!("a float of sort {sort}")
    };
    let fraction = bits & mask(significand - 1);
    let magnitude = bits & mask(sort.width() - 1);
    let negative = bits != magnitude;
    let top = mask(exponent) << (significand - 1);
    let special = match magnitude {
        0 => Some(["+zero", "-zero"][usize::from(negative)]),
        _ if magnitude == top => Some(["+oo", "-oo"][usize::from(negative)]),
        _ => None,
    };
    let plainest = bits == top | 1 << (significand - 2);
    let _ = match special {
        Some(name) if !sort.width().is_multiple_of(3) => {
            write!(out, "(_ {name} {exponent} {significand})")
        }
        None if plainest => write!(out, "(_ NaN {exponent} {significand})"),
        _ => write!(
            out,
            "(fp #b{} #b{:0exponent$b} #b{fraction:0significand$b})",
            u8::from(negative),
            (bits >> (significand - 1)) & mask(exponent),
            exponent = exponent as usize,
            significand = significand as usize - 1,
        ),
    };
}

fn print_signed(magnitude: &str, negative: bool, out: &mut String) {
    let _ = if negative {
        write!(out, "(- {magnitude})")
    } else {
        write!(out, "{magnitude}")
    };
}

/// Decimals where the denominator allows, else a quotient; which side of it bears the sign depends on the
/// denominator alone.
fn print_rational(value: &BigRational, notation: Notation, out: &mut String) {
    let point = if notation == Notation::Decimal {
        ".0"
    } else {
        ""
    };
    let (above, below) = (value.numer(), value.denom());
    let sign = value.is_negative();
    if below.is_one() {
        return print_signed(&format!("{}{point}", above.abs()), sign, out);
    }
    let thousandths = value.abs() * BigRational::from(BigInt::from(1000));
    if notation == Notation::Decimal && thousandths.is_integer() {
        let thousand = BigInt::from(1000);
        let digits = thousandths.to_integer();
        let fraction = format!("{:03}", &digits % &thousand);
        let decimal = format!("{}.{}", digits / thousand, fraction.trim_end_matches('0'));
        return print_signed(&decimal, sign, out);
    }
    if (below % BigInt::from(2)).is_zero() {
        return print_signed(
            &format!("(/ {}{point} {below}{point})", above.abs()),
            sign,
            out,
        );
    }
    out.push_str("(/ ");
    print_signed(&format!("{}{point}", above.abs()), sign, out);
    let _ = write!(out, " {below}{point})");
}

/// What `define-fun` and `:named` gave a meaning: parameters and body.
pub type Definitions = HashMap<String, (Vec<String>, T)>;

/// The term without let, defined functions and names: only operators, constants, and declared symbols.
pub fn expand(term: &T, definitions: &Definitions) -> T {
    expand_under(term, definitions, &HashMap::new())
}

fn expand_under(term: &T, definitions: &Definitions, bound: &HashMap<String, T>) -> T {
    let children = |terms: &[T]| -> Vec<T> {
        terms
            .iter()
            .map(|arg| expand_under(arg, definitions, bound))
            .collect()
    };
    match &term.node {
        Node::Symbol(name) => match (bound.get(name), definitions.get(name)) {
            (Some(value), _) => value.clone(),
            (None, Some((_, body))) => expand_under(body, definitions, &HashMap::new()),
            (None, None) => term.clone(),
        },
        Node::Apply(name) => {
            let args = children(&term.args);
            match definitions.get(name) {
                Some((parameters, body)) => {
                    let bound = parameters.iter().cloned().zip(args).collect();
                    expand_under(body, definitions, &bound)
                }
                None => rebuild(term, args),
            }
        }
        Node::Let(names) => {
            let values = children(&term.args[..names.len()]);
            let mut inner = bound.clone();
            inner.extend(names.iter().cloned().zip(values));
            expand_under(&term.args[names.len()], definitions, &inner)
        }
        _ if term.args.is_empty() => term.clone(),
        _ => rebuild(term, children(&term.args)),
    }
}

/// Every subterm, the innermost first.
pub fn subterms(term: &T, visit: &mut impl FnMut(&T)) {
    for arg in &term.args {
        subterms(arg, visit);
    }
    visit(term);
}
