//! Ranges and refutations against brute force in small formats.

use refrain_term::float::operate;
use refrain_term::{
    Assignment, Bv, Evaluator, FloatOp, Format, Rounding, Sort, Term, Terms, Value, VarId,
};
use refrain_testing::{Random, effort};

use super::range::{Places, Range, word};
use super::{Effort, refute};

const FORMATS: [Format; 3] = [Format::new(2, 3), Format::new(3, 3), Format::new(3, 4)];

const OPERATORS: [(FloatOp, usize); 7] = [
    (FloatOp::Add, 2),
    (FloatOp::Mul, 2),
    (FloatOp::Div, 2),
    (FloatOp::Rem, 2),
    (FloatOp::Sqrt, 1),
    (FloatOp::RoundToIntegral, 1),
    (FloatOp::Fma, 3),
];

fn any_range(random: &mut Random, places: Places) -> Range {
    let infinity = places.infinity();
    let mut place = || match random.below(4) {
        0 => [0, 1, -1, infinity, -infinity][random.below(5) as usize],
        _ => i128::from(random.below(2 * infinity as u64 + 1)) - infinity,
    };
    let (a, b) = (place(), place());
    Range {
        nan: random.below(2) == 0,
        ..Range::between(a.min(b), a.max(b))
    }
}

fn holds(places: Places, range: Range, bits: u64) -> bool {
    places
        .place(bits.into())
        .map_or(range.nan, |place| range.has(place))
}

fn result(op: FloatOp, format: Format, mode: Rounding, operands: &[u64]) -> u64 {
    let mode = Bv::new(Rounding::WIDTH, mode.code());
    let operands: Vec<Bv> = operands
        .iter()
        .map(|&bits| Bv::new(format.width(), bits))
        .collect();
    let mut args: Vec<&Bv> = operands.iter().collect();
    if op.is_rounded() {
        args.insert(0, &mode);
    }
    let result = operate(op, format, (format.width(), 0), &args);
    result.small().expect("a small format")
}

/// All floats of a range.
fn floats(places: Places, range: Range) -> Vec<u64> {
    let all = 0..1u64 << places.format.width();
    all.filter(|&bits| holds(places, range, bits)).collect()
}

/// Every result of operands in ranges is in the range of the result, and operands whose result is in a range are in what
/// that leaves of theirs.
#[test]
fn ranges_hold_all_that_operators_give() {
    let mut random = Random::new(1);
    for case in 0..effort(2000, 50_000) {
        let format = FORMATS[case % FORMATS.len()];
        let places = Places::of(format).expect("a small format");
        let (op, arity) = OPERATORS[random.below(OPERATORS.len() as u64) as usize];
        // Brute force over three operands is for the smallest format.
        if arity == 3 && format != FORMATS[0] {
            continue;
        }
        let mode = Rounding::ALL[random.below(5) as usize];
        let known = (random.below(3) > 0).then_some(mode);
        let ranges: Vec<Range> = (0..arity).map(|_| any_range(&mut random, places)).collect();
        let given = places.forward(op, known, &ranges);
        let wanted = Range {
            nan: false,
            ..any_range(&mut random, places)
        };
        let numbers: Vec<Range> = ranges
            .iter()
            .map(|&range| Range {
                nan: false,
                ..range
            })
            .collect();
        let left: Vec<Range> = (0..arity)
            .map(|at| places.backward(op, at, &numbers, wanted))
            .collect();
        let check = |operands: &[u64]| {
            let result = result(op, format, mode, operands);
            assert!(
                holds(places, given, result),
                "{op:?} {format:?} {mode:?} {ranges:?}: {operands:?} gives {result} outside {given:?}"
            );
            let are_numbers = operands
                .iter()
                .all(|&operand| places.place(operand.into()).is_some());
            if are_numbers && holds(places, wanted, result) {
                for (&operand, &left) in operands.iter().zip(&left) {
                    assert!(
                        holds(places, left, operand),
                        "{op:?} {format:?} {mode:?} {ranges:?} to {wanted:?}: {operands:?} outside {left:?}"
                    );
                }
            }
        };
        let sets: Vec<Vec<u64>> = ranges.iter().map(|&range| floats(places, range)).collect();
        for &a in &sets[0] {
            match arity {
                1 => check(&[a]),
                2 => sets[1].iter().for_each(|&b| check(&[a, b])),
                _ => sets[1]
                    .iter()
                    .for_each(|&b| sets[2].iter().for_each(|&c| check(&[a, b, c]))),
            }
        }
    }
}

/// The same for some numbers of wide formats.
#[test]
fn ranges_hold_what_operators_give_in_wide_formats() {
    let mut random = Random::new(4);
    let formats = [
        Format::SINGLE,
        Format::DOUBLE,
        Format::EXTENDED,
        Format::QUAD,
    ];
    for case in 0..effort(8_000, 200_000) {
        let places =
            Places::of(formats[case % formats.len()]).expect("a format of at most 128 bits");
        let format = places.format;
        let (op, arity) = OPERATORS[random.below(OPERATORS.len() as u64) as usize];
        let mode = Rounding::ALL[random.below(5) as usize];
        // Exponents near one another, so that something is left of either operand.
        let mut place = || {
            let word = u128::from(random.next()) << 64 | u128::from(random.next());
            let fraction = word >> (128 - format.fraction());
            let exponent = (1 << (format.exponent - 1)) - 20 + random.below(40u64);
            let magnitude = (exponent as i128) << format.fraction() | fraction as i128;
            [magnitude, -magnitude, 0, places.infinity()]
                [[0, 0, 0, 1, 1, 1, 2, 3][random.below(8u64) as usize]]
        };
        let points: Vec<[i128; 3]> = (0..arity)
            .map(|_| {
                let mut points = [place(), place(), place()];
                points.sort_unstable();
                points
            })
            .collect();
        let ranges: Vec<Range> = points
            .iter()
            .map(|&[low, _, high]| Range::between(low, high))
            .collect();
        let operands: Vec<Bv> = points
            .iter()
            .map(|&[_, middle, _]| places.bits(middle))
            .collect();
        let code = Bv::new(Rounding::WIDTH, mode.code());
        let mut args: Vec<&Bv> = operands.iter().collect();
        if op.is_rounded() {
            args.insert(0, &code);
        }
        let result = operate(op, format, (format.width(), 0), &args);
        let result = places.range_of(word(&result).expect("at most 128 bits"));
        let given = places.forward(op, Some(mode), &ranges);
        assert!(
            !given.intersection(result).is_empty(),
            "{op:?} {format:?} {mode:?} {points:?}: {result:?} outside {given:?}"
        );
        if result.has_numbers() {
            let wanted = Range::between(
                result.low.saturating_sub(1).max(-places.infinity()),
                result.high,
            );
            for (at, &[_, middle, _]) in points.iter().enumerate() {
                let left = places.backward(op, at, &ranges, wanted);
                assert!(
                    left.has(middle),
                    "{op:?} {format:?} {mode:?} {points:?} to {wanted:?}: {left:?}"
                );
            }
        }
    }
}

/// The same for conversions between formats.
#[test]
fn ranges_hold_all_that_is_converted() {
    let mut random = Random::new(2);
    for _ in 0..2000 {
        let [from, to] = [0, 1].map(|_| FORMATS[random.below(3) as usize]);
        let [from, to] = [from, to].map(|format| Places::of(format).expect("a small format"));
        let mode = Rounding::ALL[random.below(5) as usize];
        let range = any_range(&mut random, from);
        let given = from.converted(to, Some(mode), range);
        let unknown = from.converted(to, None, range);
        let code = Bv::new(Rounding::WIDTH, mode.code());
        for bits in floats(from, range) {
            let result = (to.format.width(), to.format.exponent);
            let value = Bv::new(from.format.width(), bits);
            let result = operate(FloatOp::Convert, from.format, result, &[&code, &value]);
            let result = result.small().expect("a small format");
            assert!(holds(to, given, result) && holds(to, unknown, result));
        }
    }
}

/// Random atoms about two floats: what is refuted has no solution, with the atoms that were named alone.
#[test]
fn what_is_refuted_has_no_solution() {
    let mut random = Random::new(3);
    let (mut refuted, mut unsatisfiable) = (0, 0);
    for case in 0..effort(400, 20_000) {
        let format = FORMATS[case % FORMATS.len()];
        let mut terms = Terms::new();
        let sort = Sort::BitVec(format.width());
        let inputs = ["x", "y"].map(|name| terms.var(name, sort));
        let atoms: Vec<Term> = (0..3 + random.below(4))
            .map(|_| atom(&mut terms, &mut random, format, &inputs, 2))
            .collect();
        let solutions = |terms: &Terms, atoms: &[Term]| {
            let count = 1u64 << format.width();
            (0..count * count).any(|both| {
                let mut assignment = Assignment::new();
                for (&input, value) in inputs.iter().zip([both % count, both / count]) {
                    assignment.set(
                        var_of(terms, input),
                        Value::Bv(Bv::new(format.width(), value)),
                    );
                }
                let mut evaluator = Evaluator::new();
                atoms
                    .iter()
                    .all(|&atom| evaluator.bool(terms, &assignment, atom))
            })
        };
        let is_satisfiable = solutions(&terms, &atoms);
        unsatisfiable += u32::from(!is_satisfiable);
        for effort in [Effort::Once, Effort::Halving] {
            if let Some(core) = refute(&terms, &atoms, effort) {
                let core: Vec<Term> = core.iter().map(|&at| atoms[at]).collect();
                assert!(!is_satisfiable, "case {case}");
                assert!(!solutions(&terms, &core), "case {case}: the core");
                refuted += u32::from(effort == Effort::Halving);
            }
        }
    }
    assert!(refuted * 4 > unsatisfiable, "{refuted} of {unsatisfiable}");
}

fn var_of(terms: &Terms, term: Term) -> VarId {
    match terms.op(term) {
        refrain_term::Op::Var(var) => var,
        op => panic!("{op:?} is no variable"),
    }
}

fn atom(
    terms: &mut Terms,
    random: &mut Random,
    format: Format,
    inputs: &[Term],
    depth: u32,
) -> Term {
    let a = float(terms, random, format, inputs, depth);
    let b = float(terms, random, format, inputs, depth);
    let atom = match random.below(9) {
        0 => terms.float_lt(format, a, b),
        1 | 2 => terms.float_le(format, a, b),
        3 => terms.float_eq(format, a, b),
        4 => terms.eq(a, b),
        5 => terms.float_is_nan(format, a),
        6 => terms.float_is_infinite(format, a),
        7 => terms.float_is_negative(format, a),
        _ => {
            let (one, other) = (terms.float_lt(format, a, b), terms.float_is_zero(format, b));
            terms.or2(one, other)
        }
    };
    match random.below(3) {
        0 => terms.not(atom),
        _ => atom,
    }
}

fn float(
    terms: &mut Terms,
    random: &mut Random,
    format: Format,
    inputs: &[Term],
    depth: u32,
) -> Term {
    if depth == 0 || random.below(4) == 0 {
        return match random.below(3) {
            0 => terms.bv(format.width(), random.below(1 << format.width())),
            _ => inputs[random.below(inputs.len() as u64) as usize],
        };
    }
    let a = float(terms, random, format, inputs, depth - 1);
    let b = float(terms, random, format, inputs, depth - 1);
    let mode = terms.bv(Rounding::WIDTH, random.below(5));
    match random.below(9) {
        0 | 1 => terms.float_add(format, mode, a, b),
        2 | 3 => terms.float_mul(format, mode, a, b),
        4 => terms.float_div(format, mode, a, b),
        5 => terms.float_neg(format, a),
        6 => terms.float_abs(format, a),
        7 => terms.float_min(format, a, b),
        _ => terms.float_sqrt(format, mode, a),
    }
}
