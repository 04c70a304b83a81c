//! Which integers stand for inputs, whatever their elements are and whenever they are declared.

use refrain_integers::Integers;
use refrain_machine::{InputTable, Role, join_bytes};
use refrain_term::{
    Assignment, Bv, Evaluator, Op, Sort, Term, Terms, Value, VarId, free_vars, print,
};

use crate::expressions::{Rng, set};

/// Random words of any width, small ones and extreme ones among them.
fn random_word(rng: &mut Rng, width: u32) -> Bv {
    let words = (0..width.div_ceil(64)).map(|_| rng.next()).collect();
    let small = Bv::new(width, rng.below(4));
    match rng.below(4) {
        0 => small,
        1 => small.not(),
        2 => Bv::min_signed(width).add(&small),
        _ => Bv::from_words(width, words),
    }
}

/// Random words for some variables.
fn random_words(terms: &Terms, rng: &mut Rng, variables: &[VarId]) -> Assignment {
    let mut words = Assignment::new();
    for &var in variables {
        let width = terms.width(terms.var_term(var));
        words.set(var, random_word(rng, width));
    }
    words
}

/// Holds a translation against the evaluator, on random words and on random integers.
fn agree(terms: &Terms, integers: &Integers, condition: Term, translated: Term) {
    let variables = free_vars(terms, condition);
    let mut rng = Rng::new(1);
    let mut held = 0;
    for _ in 0..300 {
        let words = random_words(terms, &mut rng, &variables);
        let numbers = integers.to_integers(terms, &words);
        assert!(integers.is_within_bounds(terms, &numbers));
        let holds = Evaluator::new().bool(terms, &words, condition);
        assert_eq!(
            Evaluator::new().bool(terms, &numbers, translated),
            holds,
            "{}\n{}",
            print(terms, condition),
            print(terms, translated)
        );
        held += u32::from(holds);
        let back = integers.to_words(terms, &numbers);
        for &var in &variables {
            assert_eq!(back.get(var), words.get(var));
        }
        // Integers are independent of each other: some from these words and some from others are words again.
        let others = random_words(terms, &mut rng, &variables);
        let mut mixed = integers.to_integers(terms, &others);
        for (var, value) in numbers.iter() {
            if rng.below(2) == 0 {
                mixed.set(var, value.clone());
            }
        }
        let words = integers.to_words(terms, &mixed);
        assert_eq!(
            Evaluator::new().bool(terms, &mixed, translated),
            Evaluator::new().bool(terms, &words, condition)
        );
        let back = integers.to_integers(terms, &words);
        assert!(
            mixed
                .iter()
                .all(|(var, value)| back.get(var) == Some(value))
        );
    }
    assert!((1..300).contains(&held), "it depends on the words");
}

/// Translates comparisons of two numbers of one width, and holds them against the evaluator.
fn compare(terms: &mut Terms, integers: &mut Integers, a: Term, b: Term) {
    let (low, top) = (terms.extract(a, 2, 0), terms.width(a) - 1);
    let sign = terms.extract(b, top, top);
    let (five, one) = (terms.bv(3, 5), terms.bv(1, 1));
    let conditions = [
        terms.bv_slt(a, b),
        terms.bv_ult(a, b),
        terms.eq(low, five),
        terms.eq(sign, one),
    ];
    for condition in conditions {
        let translated = integers.condition(terms, condition).expect("a comparison");
        agree(terms, integers, condition, translated);
    }
}

/// The integers that have been made, by name.
fn names(terms: &Terms, integers: &Integers) -> Vec<String> {
    let known = integers.to_integers(terms, &Assignment::new());
    let names = known
        .iter()
        .map(|(var, _)| terms.var_decl(var).name.to_string());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn elements_of_any_width_agree() {
    for bits in [5, 7, 16, 32, 33, 64, 80, 128, 200] {
        let mut terms = Terms::new();
        let mut table = InputTable::new();
        let mut integers = Integers::new();
        let id = table.declare(&mut terms, "w", Role::Parameter, bits, 3);
        integers.note_inputs(&terms, &table);
        let [a, b, c] = table.elements(id).try_into().expect("three elements");
        compare(&mut terms, &mut integers, a, b);
        // Elements side by side are as many integers.
        let (ab, cb) = (terms.concat(a, b), terms.concat(c, b));
        compare(&mut terms, &mut integers, ab, cb);
        assert_eq!(names(&terms, &integers), ["w[0]", "w[1]", "w[2]"]);
    }
}

/// Inputs of one name but other elements have variables of one name; none of them is taken for another.
#[test]
fn inputs_of_one_name_are_apart() {
    let mut terms = Terms::new();
    let mut table = InputTable::new();
    let mut integers = Integers::new();
    let ids = [8, 16, 32].map(|bits| table.declare(&mut terms, "x", Role::Object, bits, 32 / bits));
    integers.note_inputs(&terms, &table);
    let [bytes, halves, whole] =
        ids.map(|id| join_bytes(&mut terms, table.elements(id)).expect("elements"));
    // The first byte by itself, so that it is an integer called as the others are.
    let (first, ten) = (table.elements(ids[0])[0], terms.bv(8, 10));
    let condition = terms.bv_ult(first, ten);
    let translated = integers.condition(&mut terms, condition).expect("a byte");
    agree(&terms, &integers, condition, translated);
    compare(&mut terms, &mut integers, bytes, halves);
    compare(&mut terms, &mut integers, halves, whole);
    compare(&mut terms, &mut integers, whole, bytes);
    let expected = ["x[0]", "x[0]'", "x[0]''", "x[1..4]", "x[1]"];
    assert_eq!(names(&terms, &integers), expected);
}

/// What no table has declared is an input by itself, whatever it is called.
#[test]
fn names_say_nothing() {
    let mut terms = Terms::new();
    let mut integers = Integers::new();
    let bytes = [0, 1, 2, 3].map(|index| terms.var(&format!("z[{index}]"), Sort::BitVec(8)));
    let z = join_bytes(&mut terms, &bytes).expect("four bytes");
    let other = terms.var("other", Sort::BitVec(32));
    compare(&mut terms, &mut integers, z, other);
    assert_eq!(
        names(&terms, &integers),
        ["other", "z[0]", "z[1]", "z[2]", "z[3]"]
    );
}

/// A byte that was met before its input was declared stays what it was, and the others are the input.
#[test]
fn inputs_may_be_declared_late() {
    for late in 0..4 {
        let mut terms = Terms::new();
        let mut table = InputTable::new();
        let mut integers = Integers::new();
        let byte = terms.var(&format!("x[{late}]"), Sort::BitVec(8));
        let ten = terms.bv(8, 10);
        let condition = terms.bv_ult(byte, ten);
        let translated = integers.condition(&mut terms, condition).expect("a byte");
        let [x, y] = ["x", "y"].map(|name| table.declare(&mut terms, name, Role::Object, 8, 4));
        integers.note_inputs(&terms, &table);
        let [x, y] = [x, y].map(|id| join_bytes(&mut terms, table.elements(id)).expect("bytes"));
        compare(&mut terms, &mut integers, x, y);
        agree(&terms, &integers, condition, translated);
    }
}

/// Another path may make an input longer than the one that was noted.
#[test]
fn inputs_grow() {
    let mut terms = Terms::new();
    let mut table = InputTable::new();
    let mut integers = Integers::new();
    let mut word = |terms: &mut Terms, integers: &mut Integers, name, length| {
        let id = table.declare(terms, name, Role::Object, 8, length);
        integers.note_inputs(terms, &table);
        integers.note_inputs(terms, &table);
        join_bytes(terms, &table.elements(id)[..length as usize]).expect("bytes")
    };
    let (short, other) = (
        word(&mut terms, &mut integers, "x", 2),
        word(&mut terms, &mut integers, "y", 2),
    );
    compare(&mut terms, &mut integers, short, other);
    assert_eq!(names(&terms, &integers), ["x", "y"]);
    let (long, other) = (
        word(&mut terms, &mut integers, "x", 8),
        word(&mut terms, &mut integers, "z", 8),
    );
    compare(&mut terms, &mut integers, long, other);
    assert_eq!(names(&terms, &integers), ["x", "x[2..8]", "y", "z"]);
}

/// An input that is settled before a condition uses it has its integers: what they are follows from its size alone.
#[test]
fn settled_inputs_are_known() {
    let cases: [(u32, u32, &[&str]); 7] = [
        (8, 0, &[]),
        (8, 1, &["n"]),
        (8, 3, &["n[0]", "n[1]", "n[2]"]),
        (8, 4, &["n"]),
        (8, 8, &["n"]),
        (32, 1, &["n[0]"]),
        (16, 2, &["n[0]", "n[1]"]),
    ];
    for (bits, length, expected) in cases {
        let mut terms = Terms::new();
        let mut table = InputTable::new();
        let mut integers = Integers::new();
        let id = table.declare(&mut terms, "n", Role::Object, bits, length);
        integers.settle_input(&mut terms, &table, id);
        assert_eq!(names(&terms, &integers), expected);
        let mut words = Assignment::new();
        for &element in table.elements(id) {
            set(&terms, &mut words, element, Bv::ones(bits));
        }
        let numbers = integers.to_integers(&terms, &words);
        for (_, value) in numbers.iter() {
            let value = value.as_number().expect("an integer");
            assert_eq!(value.to_i64(), Some(-1));
        }
        let back = integers.to_words(&terms, &numbers);
        for &element in table.elements(id) {
            let Op::Var(var) = terms.op(element) else {
                panic!("no variable");
            };
            assert_eq!(back.get(var).and_then(Value::as_bv), Some(&Bv::ones(bits)));
        }
    }
}
