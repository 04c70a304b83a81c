//! Slices of few values against brute force: numbers written in digits, which the bytes around them decide, and words
//! within ranges. Answers, models and cores.

use refrain_solver::native::{Native, Tuning};
use refrain_solver::{CheckResult, Limits, Query, Solver, Wants};
use refrain_term::{Assignment, Bv, Evaluator, Op, Sort, Term, Terms, Value};
use refrain_testing::{Random, effort};

struct Question {
    terms: Terms,
    /// Each with the values that it may have.
    inputs: Vec<(Term, Vec<u64>)>,
    formulas: Vec<Term>,
}

impl Question {
    /// Bytes of a number, after a sign that may be there, and what is to be true of it.
    fn digits(random: &mut Random) -> Question {
        let mut terms = Terms::new();
        let count = 2 + random.below(2);
        let inputs: Vec<Term> = (0..count)
            .map(|place| terms.var(&format!("b{place}"), Sort::BitVec(8)))
            .collect();
        let mut formulas = Vec::new();
        let mut number = terms.bv(32, 0);
        let plus = terms.bv(8, u64::from(b'+'));
        let is_signed = terms.eq(inputs[0], plus);
        for (place, &input) in inputs.iter().enumerate() {
            // The second byte stands for the first one where that is a sign.
            let byte = match place {
                0 => terms.ite(is_signed, inputs[1], input),
                _ => input,
            };
            let zero = terms.bv(8, u64::from(b'0'));
            let digit = terms.bv_sub(byte, zero);
            let ten = terms.bv(8, 10);
            formulas.push(terms.bv_ult(digit, ten));
            let digit = terms.zero_extend(digit, 24);
            let factor = terms.bv(32, 10);
            number = terms.bv_mul(number, factor);
            number = terms.bv_add(number, digit);
        }
        let inverse = terms.bv(32, random.next() | 1);
        let product = terms.bv_mul(number, inverse);
        let limit = terms.bv(32, random.next() >> (32 + random.below(24)));
        formulas.push(terms.bv_ult(product, limit));
        let least = terms.bv(32, random.next() % 200);
        formulas.push(terms.bv_ult(least, number));
        let values: Vec<u64> = (0..256).collect();
        let some = |place| match place {
            // Otherwise there would be too many to try them all here.
            2 => (u64::from(b'0')..=u64::from(b'9')).collect(),
            _ => values.clone(),
        };
        let inputs = { inputs.into_iter().enumerate() }
            .map(|(place, input)| (input, some(place)))
            .collect();
        Question {
            terms,
            inputs,
            formulas,
        }
    }

    /// Words within ranges, and relations between any of them.
    fn ranges(random: &mut Random) -> Question {
        let mut terms = Terms::new();
        let width = 16 + 16 * random.below(2) as u32;
        let mut inputs = Vec::new();
        let mut formulas = Vec::new();
        for place in 0..2 + random.below(3) {
            let input = terms.var(&format!("x{place}"), Sort::BitVec(width));
            let (low, size) = (random.next() % 50, 1 + random.next() % 12);
            let [below, above] = [low, low + size].map(|bound| terms.bv(width, bound));
            let too_low = terms.bv_ult(input, below);
            formulas.push(terms.not(too_low));
            formulas.push(terms.bv_ult(input, above));
            inputs.push((input, (low..low + size).collect::<Vec<u64>>()));
        }
        for _ in 0..1 + random.below(4) {
            let [a, b, c] = [(); 3].map(|()| inputs[random.below(inputs.len())].0);
            let left = match random.below(3) {
                0 => terms.bv_sub(a, b),
                1 => terms.bv_mul(a, b),
                _ => terms.bv_urem(a, b),
            };
            let formula = match random.below(2) {
                0 => terms.bv_ult(left, c),
                _ => {
                    let right = terms.bv(width, random.next() % 60);
                    terms.eq(left, right)
                }
            };
            formulas.push(match random.below(2) {
                0 => formula,
                _ => terms.not(formula),
            });
        }
        Question {
            terms,
            inputs,
            formulas,
        }
    }

    /// Hashes of words, which depend on one of them each, compared with each other.
    fn hashes(random: &mut Random) -> Question {
        let mut terms = Terms::new();
        let count = 2 + random.below(2);
        let width = if count == 2 { 8 } else { 5 };
        let inputs: Vec<Term> = (0..count)
            .map(|place| terms.var(&format!("b{place}"), Sort::BitVec(width)))
            .collect();
        let mut hashes = Vec::new();
        for &input in &inputs {
            let mut hash = terms.zero_extend(input, 64 - width);
            for _ in 0..1 + random.below(3) {
                let factor = terms.bv(64, random.next() | 1);
                hash = match random.below(3) {
                    0 => terms.bv_mul(hash, factor),
                    1 => terms.bv_xor(hash, factor),
                    // Both halves of a product, as fast hashes have them.
                    _ => {
                        let [a, b] = [hash, factor].map(|word| terms.zero_extend(word, 64));
                        let product = terms.bv_mul(a, b);
                        let [low, high] = [0, 64].map(|low| terms.extract(product, low + 63, low));
                        terms.bv_xor(low, high)
                    }
                };
            }
            hashes.push(hash);
        }
        let mut formulas = Vec::new();
        for _ in 0..2 + random.below(4) {
            let [a, b] = [(); 2].map(|()| hashes[random.below(count)]);
            let low = random.below(57) as u32;
            let high = low + random.below(7) as u32;
            let [x, y] = [a, b].map(|hash| terms.extract(hash, high, low));
            let limit = terms.bv(high - low + 1, random.next() % (1 << (high - low + 1)));
            let formula = match random.below(4) {
                0 => terms.eq(x, y),
                1 => terms.bv_ult(x, y),
                // Truths of one word each.
                2 => {
                    let [x, y] = [x, y].map(|part| terms.bv_ult(part, limit));
                    terms.eq(x, y)
                }
                _ => {
                    let sum = terms.bv_add(a, b);
                    let part = terms.extract(sum, high, low);
                    terms.bv_ult(limit, part)
                }
            };
            formulas.push(match random.below(3) {
                0 => terms.not(formula),
                _ => formula,
            });
        }
        let values: Vec<u64> = (0..1 << width).collect();
        let inputs = inputs.into_iter();
        Question {
            terms,
            inputs: inputs.map(|input| (input, values.clone())).collect(),
            formulas,
        }
    }

    /// Whether some values make all of these true.
    fn can_hold(&self, formulas: &[Term]) -> bool {
        let mut evaluator = Evaluator::new();
        let total: usize = self.inputs.iter().map(|(_, values)| values.len()).product();
        (0..total).any(|mut place| {
            let mut assignment = Assignment::new();
            for (input, values) in &self.inputs {
                let Op::Var(var) = self.terms.op(*input) else {
                    unreachable!("a symbol")
                };
                let value = Bv::new(self.terms.width(*input), values[place % values.len()]);
                assignment.set(var, Value::Bv(value));
                place /= values.len();
            }
            evaluator.forget();
            let mut formulas = formulas.iter();
            formulas.all(|&formula| evaluator.bool(&self.terms, &assignment, formula))
        })
    }
}

#[test]
fn slices_of_few_values_agree_with_brute_force() {
    let (mut sat, mut unsat, mut enumerated) = (0, 0, 0);
    for seed in 0..effort(60, 20_000) {
        let mut random = Random::new(seed);
        // Values that brute force does not try are excluded by what is about one input.
        let mut question = match seed % 4 {
            0 => Question::digits(&mut random),
            1 => Question::hashes(&mut random),
            _ => Question::ranges(&mut random),
        };
        let expected = question.can_hold(&question.formulas);
        let mut solver = Native::with_tuning(Tuning {
            values: false,
            forms: false,
            ..Tuning::default()
        });
        let limits = Limits::default();
        let mut query = Query::new(&question.formulas, &limits);
        query.wants = Wants {
            core: true,
            ..Wants::default()
        };
        let outcome = solver.check(&mut question.terms, &query);
        match outcome.result {
            CheckResult::Sat(model) => {
                for &formula in &question.formulas {
                    let value = refrain_term::eval(&question.terms, formula, &model);
                    assert_eq!(value, Value::Bool(true), "seed {seed}");
                }
                assert!(expected, "seed {seed}");
                sat += 1;
            }
            CheckResult::Unsat(conflict) => {
                assert!(!expected, "seed {seed}");
                // The core may leave out what excludes other values: it is held against circuits.
                let mut other = Native::with_tuning(Tuning {
                    values: false,
                    forms: false,
                    enumerate: false,
                    ..Tuning::default()
                });
                let query = Query::new(&conflict.core, &limits);
                let again = other.check(&mut question.terms, &query);
                assert!(matches!(again.result, CheckResult::Unsat(_)), "seed {seed}");
                unsat += 1;
            }
            CheckResult::Unknown(reason) => panic!("seed {seed}: {reason:?}"),
        }
        enumerated += solver.native_stats().engine.enumerated;
    }
    assert!(sat > 10 && unsat > 10, "{sat} and {unsat}");
    assert!(enumerated > 30, "{enumerated}");
}

/// What trying all values takes is known beforehand: nothing that may be tried is given up shortly before its end.
#[test]
fn what_is_worth_trying_is_tried_to_its_end() {
    for size in [3_000, 20_000, 146_097] {
        let mut terms = Terms::new();
        let bytes: Vec<Term> = (0..4)
            .map(|place| terms.var(&format!("b{place}"), Sort::BitVec(8)))
            .collect();
        let high = terms.concat(bytes[3], bytes[2]);
        let low = terms.concat(bytes[1], bytes[0]);
        let number = terms.concat(high, low);
        let end = terms.bv(32, size);
        let mut formulas = vec![terms.bv_ult(number, end)];
        // Quotients of quotients, hashed: nothing but trying shows which values they have.
        let mut hash = number;
        for (factor, divisor) in [(2_654_435_761, 1_461), (40_503, 153), (2_246_822_519, 365)] {
            let factor = terms.bv(32, factor);
            let product = terms.bv_mul(hash, factor);
            let divisor = terms.bv(32, divisor);
            let quotient = terms.bv_udiv(product, divisor);
            hash = terms.bv_xor(quotient, number);
        }
        let hash_of = |mut number: u32| {
            let all = number;
            for (factor, divisor) in [
                (2_654_435_761u32, 1_461),
                (40_503, 153),
                (2_246_822_519, 365),
            ] {
                number = (number.wrapping_mul(factor) / divisor) ^ all;
            }
            number
        };
        let values: std::collections::HashSet<u32> = (0..size as u32).map(hash_of).collect();
        let missing = (0..)
            .find(|value| !values.contains(value))
            .expect("a value");
        let missing = terms.bv(32, u64::from(missing));
        formulas.push(terms.eq(hash, missing));
        let mut solver = Native::new();
        let limits = Limits {
            conflicts: Some(1_000),
            ..Limits::default()
        };
        let outcome = solver.check(&mut terms, &Query::new(&formulas, &limits));
        assert!(
            matches!(outcome.result, CheckResult::Unsat(_)),
            "{size}: {:?}",
            outcome.result
        );
    }
}
