//! Conditions over bit-vectors and what they become over integers, held against each other by evaluation.

mod expressions;
mod forms;
mod inputs;

use expressions::{INPUTS, Inputs, Maker, Rng, set};
use refrain_integers::Integers;
use refrain_term::{Assignment, Bv, Evaluator, Rational, Sort, Term, Terms, Value, print};

/// The inputs of all tests, and a translation that knows them.
fn declared(terms: &mut Terms) -> (Inputs, Integers) {
    let inputs = Inputs::new(terms);
    let mut integers = Integers::new();
    integers.note_inputs(terms, &inputs.table);
    (inputs, integers)
}

/// Random conditions, several on one translator: how the first use the inputs must not matter to the others.
fn compare(seeds: std::ops::Range<u64>, depth: u32, scales: bool, spread: Option<i128>) {
    let (mut checked, mut overflowed, mut inexpressible) = (0, 0, 0);
    for seed in seeds {
        let mut rng = Rng::new(seed);
        let mut terms = Terms::new();
        let (inputs, mut integers) = declared(&mut terms);
        for _ in 0..4 {
            let condition = Maker {
                rng: &mut rng,
                scales,
            }
            .cond(depth);
            let on_words = condition.term(&mut terms, &inputs);
            let on_integers = match integers.condition(&mut terms, on_words) {
                Ok(translated) => translated,
                Err(_) => {
                    inexpressible += 1;
                    continue;
                }
            };
            for _ in 0..20 {
                let bytes = inputs.random(&terms, &mut rng, spread);
                let element = |input: usize, index: u32| {
                    let var = inputs.elements(input)[index as usize];
                    Evaluator::new().small(&terms, &bytes, var)
                };
                let holds = Evaluator::new().bool(&terms, &bytes, on_words);
                let Some(expected) = condition.holds(&element) else {
                    overflowed += 1;
                    continue;
                };
                assert_eq!(holds, expected, "seed {seed}: {condition:?}");
                let numbers = integers.to_integers(&terms, &bytes);
                let translated = Evaluator::new().bool(&terms, &numbers, on_integers);
                assert_eq!(
                    translated,
                    expected,
                    "seed {seed}: {condition:?}\n{}\n{}\n{}",
                    refrain_term::print_model(&terms, &numbers),
                    print(&terms, on_words),
                    print(&terms, on_integers)
                );
                for bound in integers.bounds(&terms, on_integers) {
                    assert!(Evaluator::new().bool(&terms, &numbers, bound));
                }
                checked += 1;
            }
        }
    }
    println!("{checked} checked, {overflowed} overflowed, {inexpressible} inexpressible");
    assert!(
        checked > 4 * (overflowed + 20 * inexpressible) / 3,
        "most say something"
    );
}

#[test]
fn small_numbers_agree() {
    compare(0..600, 2, true, Some(20));
    compare(1500..1900, 3, true, Some(5));
}

#[test]
fn numbers_of_any_size_agree_unless_something_overflows() {
    compare(10_000..10_600, 2, false, None);
    compare(12_000..12_400, 3, false, None);
}

/// Conditions on bytes, words and parts of words, in any order.
#[test]
fn bytes_and_words_agree_in_any_order() {
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let mut terms = Terms::new();
        let (inputs, mut integers) = declared(&mut terms);
        let mut conditions = Vec::new();
        for _ in 0..8 {
            let input = rng.below(INPUTS.len() as u64) as usize;
            let (_, bits, length) = INPUTS[input];
            let count = 1 + rng.below(u64::from(length.min(64 / bits))) as u32;
            let first = rng.below(u64::from(length - count + 1)) as u32;
            let mut value = inputs.word(&mut terms, input, first, count);
            let mut width = bits * count;
            if rng.below(3) == 0 {
                let low = rng.below(u64::from(width)) as u32;
                let high = low + rng.below(u64::from(width - low)) as u32;
                value = terms.extract(value, high, low);
                width = high - low + 1;
            }
            let constant = rng.next() >> rng.below(64);
            let constant = terms.bv(width, constant);
            let condition = match rng.below(4) {
                0 => terms.eq(value, constant),
                1 => terms.bv_ult(value, constant),
                2 => terms.bv_ult(constant, value),
                _ => terms.bv_slt(value, constant),
            };
            let translated = integers.condition(&mut terms, condition).expect("bytes");
            conditions.push((condition, translated));
        }
        for _ in 0..50 {
            let spread = [None, Some(3)][rng.below(2) as usize];
            let bytes = inputs.random(&terms, &mut rng, spread);
            let numbers = integers.to_integers(&terms, &bytes);
            assert!(integers.is_within_bounds(&terms, &numbers));
            for &(condition, translated) in &conditions {
                assert_eq!(
                    Evaluator::new().bool(&terms, &bytes, condition),
                    Evaluator::new().bool(&terms, &numbers, translated),
                    "seed {seed}: {}\n{}",
                    print(&terms, condition),
                    print(&terms, translated)
                );
            }
            // And back again: every element that a condition is about is what it was.
            let back = integers.to_words(&terms, &numbers);
            for var in conditions
                .iter()
                .flat_map(|&(condition, _)| refrain_term::free_vars(&terms, condition))
            {
                assert_eq!(back.get(var), bytes.get(var));
            }
        }
    }
}

#[test]
fn bytes_beyond_the_bounds_are_wrapped() {
    let mut terms = Terms::new();
    let (inputs, mut integers) = declared(&mut terms);
    let x = inputs.bytes(&mut terms, "x", 4);
    integers.number(&mut terms, x).expect("a number");
    let mut numbers = Assignment::new();
    let var = terms.find_var("x", Sort::Int).expect("one integer");
    let value = Value::Int(Rational::from((1i64 << 32) - 2));
    set(&terms, &mut numbers, var, value);
    assert!(!integers.is_within_bounds(&terms, &numbers));
    let words = integers.to_words(&terms, &numbers);
    assert_eq!(Evaluator::new().small(&terms, &words, x), 0xffff_fffe);
    assert_eq!(words.iter().count(), 4);
    assert_eq!(Integers::word(&Rational::from(-2), 16), 0xfffe);
    assert_eq!(Integers::word(&Rational::from((1i64 << 32) + 5), 32), 5);
}

/// Whatever overflows: of a condition and its negation one holds, and of the cases of a switch exactly one.
#[test]
fn exactly_one_way_is_taken_whatever_overflows() {
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let mut terms = Terms::new();
        let (inputs, mut integers) = declared(&mut terms);
        let mut maker = Maker {
            rng: &mut rng,
            scales: true,
        };
        let (condition, number) = (maker.cond(3), maker.expr(32, 3));
        let condition = condition.term(&mut terms, &inputs);
        let number = number.term(&mut terms, &inputs);
        let cases = [3, 4, 250, 1 << 31].map(|case| {
            let case = terms.bv(32, case);
            terms.eq(number, case)
        });
        let any = terms.or(&cases);
        let negation = terms.not(condition);
        let mut ways: Vec<Vec<Term>> = vec![vec![condition, negation], cases.to_vec()];
        ways[1].push(terms.not(any));
        for ways in &mut ways {
            ways.sort();
            ways.dedup();
            let translated: Result<Vec<Term>, _> = ways
                .iter()
                .map(|&way| integers.condition(&mut terms, way))
                .collect();
            let Ok(translated) = translated else { continue };
            for _ in 0..20 {
                let bytes = inputs.random(&terms, &mut rng, None);
                let numbers = integers.to_integers(&terms, &bytes);
                let taken = translated
                    .iter()
                    .filter(|&&way| Evaluator::new().bool(&terms, &numbers, way));
                assert_eq!(taken.count(), 1, "seed {seed}");
            }
        }
    }
}

/// A term is fixed to the word that its number has, even if that has overflowed, and the others are not.
#[test]
fn fixed_terms_have_the_word_they_are_fixed_to() {
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let mut terms = Terms::new();
        let (inputs, mut integers) = declared(&mut terms);
        let expr = Maker {
            rng: &mut rng,
            scales: true,
        }
        .expr(32, 3);
        let term = expr.term(&mut terms, &inputs);
        let Ok(number) = integers.number(&mut terms, term) else {
            continue;
        };
        for _ in 0..10 {
            let bytes = inputs.random(&terms, &mut rng, None);
            let numbers = integers.to_integers(&terms, &bytes);
            let value = Evaluator::new().number(&terms, &numbers, number).clone();
            let word = Integers::word(&value, 32);
            let fixed = integers.equals(&mut terms, term, word).expect("a number");
            let other = integers
                .equals(&mut terms, term, word ^ 1)
                .expect("a number");
            assert!(
                Evaluator::new().bool(&terms, &numbers, fixed),
                "seed {seed}"
            );
            assert!(
                !Evaluator::new().bool(&terms, &numbers, other),
                "seed {seed}"
            );
        }
    }
}

/// Who asks whether an operation overflows is told so, although nothing does.
#[test]
fn overflow_checks_ask_whether_the_result_fits() {
    type Check = fn(&mut Terms, Term, Term) -> Term;
    let checks: [(&str, Check); 9] = [
        ("saddo", Terms::bv_saddo),
        ("ssubo", Terms::bv_ssubo),
        ("smulo", Terms::bv_smulo),
        ("uaddo", Terms::bv_uaddo),
        ("usubo", Terms::bv_usubo),
        ("umulo", Terms::bv_umulo),
        ("sdivo", Terms::bv_sdivo),
        ("saddo constant", |terms, x, _| {
            let constant = terms.bv(32, 2_000_000_000);
            terms.bv_saddo(x, constant)
        }),
        ("smulo constant", |terms, x, _| {
            let constant = terms.bv(32, 1000);
            terms.bv_smulo(x, constant)
        }),
    ];
    for (name, check) in checks {
        let mut rng = Rng::new(7);
        let mut terms = Terms::new();
        let (inputs, mut integers) = declared(&mut terms);
        let (x, y) = (
            inputs.bytes(&mut terms, "x", 4),
            inputs.bytes(&mut terms, "y", 4),
        );
        let condition = check(&mut terms, x, y);
        let translated = integers.condition(&mut terms, condition).expect(name);
        for _ in 0..500 {
            let bytes = inputs.random(&terms, &mut rng, None);
            let numbers = integers.to_integers(&terms, &bytes);
            assert_eq!(
                Evaluator::new().bool(&terms, &bytes, condition),
                Evaluator::new().bool(&terms, &numbers, translated),
                "{name}: {}",
                print(&terms, translated)
            );
        }
    }
}

/// A sum that is cut is cut, also where its operands do not fit.
#[test]
fn truncation_wraps() {
    let mut rng = Rng::new(3);
    let mut terms = Terms::new();
    let (inputs, mut integers) = declared(&mut terms);
    let (x, y) = (
        inputs.bytes(&mut terms, "x", 4),
        inputs.bytes(&mut terms, "y", 4),
    );
    let sum = terms.bv_add(x, y);
    let product = terms.bv_mul(sum, y);
    let total = terms.bv_sub(product, x);
    let low = terms.extract(total, 7, 0);
    let ten = terms.bv(8, 10);
    let conditions = [
        terms.bv_slt(low, ten),
        terms.bv_ult(ten, low),
        terms.eq(low, ten),
    ];
    for condition in conditions {
        let translated = integers.condition(&mut terms, condition).expect("low bits");
        for _ in 0..500 {
            let bytes = inputs.random(&terms, &mut rng, None);
            let numbers = integers.to_integers(&terms, &bytes);
            assert_eq!(
                Evaluator::new().bool(&terms, &bytes, condition),
                Evaluator::new().bool(&terms, &numbers, translated)
            );
        }
    }
}

#[test]
fn division_by_a_symbolic_value_agrees() {
    let mut rng = Rng::new(5);
    let mut terms = Terms::new();
    let (inputs, mut integers) = declared(&mut terms);
    let (x, y) = (
        inputs.bytes(&mut terms, "x", 4),
        inputs.bytes(&mut terms, "y", 4),
    );
    let results = [
        terms.bv_udiv(x, y),
        terms.bv_urem(x, y),
        terms.bv_sdiv(x, y),
        terms.bv_srem(x, y),
    ];
    let three = terms.bv(32, 3);
    for result in results {
        let condition = terms.bv_slt(result, three);
        let translated = integers
            .condition(&mut terms, condition)
            .expect("a division");
        for round in 0..400 {
            let spread = [None, Some(9)][round % 2];
            let bytes = inputs.random(&terms, &mut rng, spread);
            let numbers = integers.to_integers(&terms, &bytes);
            assert_eq!(
                Evaluator::new().bool(&terms, &bytes, condition),
                Evaluator::new().bool(&terms, &numbers, translated),
                "{}",
                print(&terms, translated)
            );
        }
    }
}

/// Reads and writes of an array at symbolic places.
#[test]
fn arrays_of_few_cells_are_choices() {
    let mut rng = Rng::new(11);
    let mut terms = Terms::new();
    let (inputs, mut integers) = declared(&mut terms);
    let nine = terms.bv(8, 9);
    let elsewhere = terms.const_array(5, nine);
    let cells = [3u64, 4, 5, 11, 30, 31];
    let cells = cells.map(|at| (Bv::new(5, at), Bv::new(8, at % 3 + 250)));
    let table = terms.table(elsewhere, cells.to_vec());
    let (s, c) = (
        inputs.bytes(&mut terms, "s", 2),
        inputs.bytes(&mut terms, "c", 1),
    );
    let (to, from) = (terms.extract(s, 4, 0), terms.extract(s, 9, 5));
    let array = terms.store(table, to, c);
    let (six, y0) = (terms.bv(5, 6), inputs.bytes(&mut terms, "y", 1));
    let array = terms.store(array, six, y0);
    let read = terms.select(array, from);
    let limit = terms.bv(8, 5);
    let conditions = [terms.bv_slt(read, limit), terms.eq(read, nine)];
    for condition in conditions {
        let translated = integers
            .condition(&mut terms, condition)
            .expect("few cells");
        for _ in 0..1000 {
            let bytes = inputs.random(&terms, &mut rng, None);
            let numbers = integers.to_integers(&terms, &bytes);
            assert_eq!(
                Evaluator::new().bool(&terms, &bytes, condition),
                Evaluator::new().bool(&terms, &numbers, translated)
            );
        }
    }
}

/// Terms of 100,000 nodes, one inside the other, of all kinds.
#[test]
fn deep_terms_are_walked_without_recursion() {
    let mut terms = Terms::new();
    let (inputs, mut integers) = declared(&mut terms);
    let (x, y) = (
        inputs.bytes(&mut terms, "x", 4),
        inputs.bytes(&mut terms, "y", 4),
    );
    let mut number = x;
    let mut condition = Term::TRUE;
    for step in 0..100_000u64 {
        let constant = terms.bv(32, step % 7 + 3);
        number = match step % 6 {
            0 => terms.bv_add(number, y),
            1 => terms.bv_sub(y, number),
            2 => terms.bv_urem(number, constant),
            3 => {
                let is_less = terms.bv_slt(number, constant);
                condition = terms.eq(condition, is_less);
                terms.ite(condition, number, y)
            }
            4 => {
                let low = terms.extract(number, 15, 0);
                terms.sign_extend(low, 16)
            }
            _ => terms.bv_xor(number, constant),
        };
    }
    let zero = terms.bv(32, 0);
    let is_zero = terms.eq(number, zero);
    let condition = terms.eq(condition, is_zero);
    let translated = integers.condition(&mut terms, condition).expect("deep");
    assert_eq!(integers.bounds(&terms, translated).len(), 4);
    let mut rng = Rng::new(1);
    for _ in 0..3 {
        let bytes = inputs.random(&terms, &mut rng, Some(1000));
        let numbers = integers.to_integers(&terms, &bytes);
        assert_eq!(
            Evaluator::new().bool(&terms, &bytes, condition),
            Evaluator::new().bool(&terms, &numbers, translated)
        );
    }
}

/// What the solver finds for the integers is a solution on words too, where nothing overflows.
#[test]
fn solutions_are_inputs() {
    use refrain_solver::native::Native;
    use refrain_solver::{Limits, Query, Solver};
    let mut terms = Terms::new();
    let (inputs, mut integers) = declared(&mut terms);
    let (x, y, s) = (
        inputs.bytes(&mut terms, "x", 4),
        inputs.bytes(&mut terms, "y", 4),
        inputs.bytes(&mut terms, "s", 2),
    );
    let [seven, thousand, hundred] = [7, 1000, 100].map(|value| terms.bv(32, value));
    let wide = terms.sign_extend(s, 16);
    let sum = terms.bv_add(x, y);
    let quotient = terms.bv_sdiv(sum, seven);
    let low = terms.extract(y, 7, 0);
    let ninety = terms.bv(8, 200);
    let conditions = [
        terms.eq(quotient, wide),
        terms.bv_slt(thousand, sum),
        terms.bv_slt(x, hundred),
        terms.bv_ult(x, hundred),
        terms.eq(low, ninety),
    ];
    let mut asked = Vec::new();
    for condition in conditions {
        let translated = integers.condition(&mut terms, condition).expect("linear");
        asked.extend(integers.bounds(&terms, translated));
        asked.push(translated);
    }
    let mut solver = Native::new();
    let outcome = solver.check(&mut terms, &Query::new(&asked, &Limits::default()));
    let numbers = outcome.model().expect("sat");
    assert!(integers.is_within_bounds(&terms, numbers));
    let bytes = integers.to_words(&terms, numbers);
    for condition in conditions {
        assert!(Evaluator::new().bool(&terms, &bytes, condition));
    }
}
