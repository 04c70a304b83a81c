//! Goes through the table: words, terms and folding must say the same of every operation.

use refrain_term::{Assignment, Bv, Evaluator, Op, Sort, Term, Terms, Value};
use refrain_testing::Random;

use super::{Cast, IntOp, Outcome};

/// Widths of registers, of wide integers that are words, and of those that are not.
const WIDTHS: &[u32] = &[
    1, 2, 5, 7, 8, 13, 16, 24, 31, 32, 33, 48, 63, 64, 65, 72, 80, 127, 128, 129, 192, 200,
];

/// All operands of these widths are tried.
const EXHAUSTIVE: u32 = 4;

trait Numbers {
    fn number(&mut self, width: u32) -> Bv;
}

impl Numbers for Random {
    fn number(&mut self, width: u32) -> Bv {
        let words = (0..width.div_ceil(64)).map(|_| self.next()).collect();
        let number = Bv::from_words(width, words);
        // Small ones and those with long runs of equal bits, too.
        let by = Bv::new(width.max(32), self.next() % u64::from(width));
        match self.next() % 4 {
            0 => number.lshr(&resized(&by, width)),
            1 => number.ashr(&resized(&by, width)),
            _ => number,
        }
    }
}

fn resized(number: &Bv, width: u32) -> Bv {
    Bv::from_words(width, number.words().to_vec())
}

/// Numbers at which something changes.
fn corners(width: u32) -> Vec<Bv> {
    let one = Bv::one(width);
    let (least, most) = (Bv::min_signed(width), Bv::max_signed(width));
    let mut corners = vec![
        Bv::zero(width),
        one.clone(),
        one.add(&one),
        Bv::ones(width),
        Bv::ones(width).sub(&one),
        least.clone(),
        least.add(&one),
        most.clone(),
        most.sub(&one),
        resized(&Bv::new(64, u64::from(width)), width),
        resized(&Bv::new(64, u64::from(width - 1)), width),
        resized(&Bv::new(64, 0x0123_4567_89ab_cdef), width),
    ];
    corners.sort_by(|a, b| a.ucmp(b));
    corners.dedup();
    corners
}

/// Every row of the table on the operands of one width.
struct Checker {
    width: u32,
    terms: Terms,
    variables: [Term; 3],
    evaluator: Evaluator,
}

impl Checker {
    fn new(width: u32) -> Checker {
        let mut terms = Terms::new();
        let variables = ["a", "b", "c"].map(|name| terms.var(name, Sort::BitVec(width)));
        Checker {
            width,
            terms,
            variables,
            evaluator: Evaluator::new(),
        }
    }

    /// The value of a term on variables, where these have values.
    fn evaluate(&mut self, term: Term, args: &[Bv]) -> Bv {
        let mut assignment = Assignment::default();
        for (&variable, arg) in self.variables.iter().zip(args) {
            if let Op::Var(variable) = self.terms.op(variable) {
                assignment.set(variable, Value::Bv(arg.clone()));
            }
        }
        self.evaluator.forget();
        match self.evaluator.value(&self.terms, &assignment, term) {
            Value::Bool(value) => Bv::new(1, u64::from(value)),
            Value::Bv(value) => value,
            other => panic!("{other:?} is no integer"),
        }
    }

    fn check(&mut self, op: IntOp, args: &[Bv]) {
        let width = self.width;
        let what = || format!("{op:?} of {width} bits on {args:?}");
        let on_variables = op.term(&mut self.terms, self.variables);
        let expected = self.evaluate(on_variables, args);
        let bits = match op.outcome() {
            Outcome::Word => width,
            Outcome::Bit => 1,
        };
        assert_eq!(expected.width(), bits, "{}", what());

        let mut constants = [Term::FALSE; 3];
        for (constant, arg) in constants.iter_mut().zip(args) {
            *constant = self.terms.constant(arg.clone());
        }
        let on_constants = op.term(&mut self.terms, constants);
        assert_eq!(self.evaluate(on_constants, &[]), expected, "{}", what());

        let error = op.errors().iter().find_map(|&(condition, error)| {
            let condition = condition.term(&mut self.terms, self.variables);
            (!self.evaluate(condition, args).is_zero()).then_some(error)
        });
        let folded = op.fold(args);
        assert_eq!(
            folded,
            error.map_or(Ok(expected.clone()), Err),
            "{}",
            what()
        );

        if width <= 128 {
            let words = words(args);
            let result = op.word128(words, width);
            assert_eq!(number(result, bits), expected, "{}", what());
            assert!(bits == 128 || result >> bits == 0, "{}", what());
            let folded = op.fold_words(words, width);
            assert_eq!(folded, error.map_or(Ok(result), Err), "{}", what());
        }
        if width <= 64 {
            let words = words(args).map(|word| word as u64);
            let result = op.word64(words, width);
            assert_eq!(number(u128::from(result), bits), expected, "{}", what());
            assert!(bits == 64 || result >> bits == 0, "{}", what());
            assert_eq!(op.error64(words, width), error, "{}", what());
        }
        if let Some(swapped) = op.swapped() {
            let other = swapped.fold(&[args[1].clone(), args[0].clone()]);
            assert_eq!(other, Ok(expected.clone()), "{}", what());
        }
        if let Some(negated) = op.negated() {
            assert_eq!(negated.fold(args), Ok(expected.not()), "{}", what());
        }
    }
}

fn words(args: &[Bv]) -> [u128; 3] {
    let mut words = [0; 3];
    for (word, arg) in words.iter_mut().zip(args) {
        let high = arg.words().get(1).copied().unwrap_or(0);
        *word = u128::from(high) << 64 | u128::from(arg.words()[0]);
    }
    words
}

fn number(word: u128, width: u32) -> Bv {
    Bv::from_words(width, vec![word as u64, (word >> 64) as u64])
}

/// All ways to choose so many of the numbers.
fn choices(numbers: &[Bv], count: usize) -> Vec<Vec<Bv>> {
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        all = all
            .into_iter()
            .flat_map(|chosen| {
                numbers.iter().map(move |number| {
                    let mut more = chosen.clone();
                    more.push(number.clone());
                    more
                })
            })
            .collect();
    }
    all
}

#[test]
fn every_operation_means_the_same_everywhere_at_small_widths() {
    for width in 1..=EXHAUSTIVE {
        let mut checker = Checker::new(width);
        let numbers: Vec<Bv> = (0..1 << width).map(|value| Bv::new(width, value)).collect();
        for &op in IntOp::ALL.iter().filter(|op| op.has_width(width)) {
            for args in choices(&numbers, op.operands()) {
                checker.check(op, &args);
            }
        }
    }
}

#[test]
fn every_operation_means_the_same_everywhere_at_all_widths() {
    let mut random = Random::new(1);
    for &width in WIDTHS {
        let mut checker = Checker::new(width);
        let corners = corners(width);
        for &op in IntOp::ALL.iter().filter(|op| op.has_width(width)) {
            for args in choices(&corners, op.operands().min(2)) {
                let mut args = args;
                args.resize_with(op.operands(), || random.number(width));
                checker.check(op, &args);
            }
            for _ in 0..100 {
                let args: Vec<Bv> = (0..op.operands()).map(|_| random.number(width)).collect();
                checker.check(op, &args);
            }
        }
    }
}

#[test]
fn every_operation_has_widths_that_are_tested() {
    for op in IntOp::ALL {
        for range in [1..=64, 65..=128, 129..=256] {
            let is_tested = WIDTHS
                .iter()
                .any(|width| range.contains(width) && op.has_width(*width));
            assert!(is_tested, "{op:?}");
        }
    }
}

#[test]
fn every_cast_means_the_same_everywhere() {
    let mut random = Random::new(2);
    for cast in Cast::ALL {
        for &from in WIDTHS {
            let mut checker = Checker::new(from);
            for &to in WIDTHS.iter().filter(|&&to| cast.fits(from, to)) {
                let [variable, ..] = checker.variables;
                let term = cast.term(&mut checker.terms, variable, to);
                let mut numbers = corners(from);
                numbers.resize_with(50, || random.number(from));
                for a in numbers {
                    let what = format!("{cast:?} of {a:?} to {to} bits");
                    let expected = checker.evaluate(term, std::slice::from_ref(&a));
                    assert_eq!(expected.width(), to, "{what}");
                    assert_eq!(cast.fold(&a, to), expected, "{what}");
                    let [word, ..] = words(std::slice::from_ref(&a));
                    if from.max(to) <= 128 {
                        let result = cast.word128(word, from, to);
                        assert_eq!(number(result, to), expected, "{what}");
                    }
                    if from.max(to) <= 64 {
                        let result = cast.word64(word as u64, from, to);
                        assert_eq!(number(u128::from(result), to), expected, "{what}");
                        assert!(to == 64 || result >> to == 0, "{what}");
                    }
                }
            }
        }
    }
}
