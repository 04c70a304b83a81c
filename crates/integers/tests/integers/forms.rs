//! What conditions look like over integers, and the names of what they cannot be.

use refrain_integers::Integers;
use refrain_term::{Sort, Term, Terms, print};

use crate::declared;

/// What a condition becomes, printed.
fn translated(terms: &mut Terms, integers: &mut Integers, condition: Term) -> String {
    let condition = integers.condition(terms, condition).expect("expressible");
    print(terms, condition)
}

#[test]
fn linear_conditions_are_linear_atoms() {
    let mut terms = Terms::new();
    let (inputs, mut integers) = declared(&mut terms);
    let (x, y) = (
        inputs.bytes(&mut terms, "x", 4),
        inputs.bytes(&mut terms, "y", 4),
    );
    let (zero, one, two) = (terms.bv(32, 0), terms.bv(32, 1), terms.bv(32, 2));
    let (twice_x, twice_y) = (terms.bv_mul(two, x), terms.bv_mul(two, y));
    let sum = terms.bv_add(x, y);
    let first = terms.bv_sub(twice_y, x);
    let second = terms.bv_sub(twice_x, y);
    let conditions = [
        terms.bv_sge(sum, two),
        terms.bv_sge(first, one),
        terms.bv_sge(second, zero),
    ];
    let [a, b, c] = conditions.map(|condition| translated(&mut terms, &mut integers, condition));
    assert_eq!(a, "(not (<= (+ y x) 1))");
    assert_eq!(b, "(not (<= (+ (* 2 y) (* (- 1) x)) 0))");
    // 2x - y >= 0, the other way round: the first coefficient is positive.
    assert_eq!(c, "(<= (+ y (* (- 2) x)) 0)");
    let sum = integers
        .condition(&mut terms, conditions[0])
        .expect("linear");
    let bounds = integers.bounds(&terms, sum).into_iter();
    let mut bounds: Vec<String> = bounds.map(|bound| print(&terms, bound)).collect();
    bounds.sort();
    assert_eq!(
        bounds,
        [
            "(<= x 2147483647)",
            "(<= y 2147483647)",
            "(not (<= x (- 2147483649)))",
            "(not (<= y (- 2147483649)))"
        ]
    );
}

#[test]
fn what_the_arena_takes_apart_is_put_together() {
    let mut terms = Terms::new();
    let (inputs, mut integers) = declared(&mut terms);
    let (x, y) = (
        inputs.bytes(&mut terms, "x", 4),
        inputs.bytes(&mut terms, "y", 4),
    );
    let mut check = |condition: Term, terms: &mut Terms, expected: &str| {
        assert_eq!(translated(terms, &mut integers, condition), expected);
    };
    let [zero, seven, sixteen] = [0, 7, 16].map(|value| terms.bv(32, value));
    let minus_three = terms.bv(32, u64::from(-3i32 as u32));
    let condition = terms.eq(x, seven);
    check(condition, &mut terms, "(= 7 x)");
    let condition = terms.eq(minus_three, x);
    check(condition, &mut terms, "(= (- 3) x)");
    let condition = terms.eq(x, y);
    check(condition, &mut terms, "(= 0 (+ y (* (- 1) x)))");
    let condition = terms.bv_slt(x, zero);
    check(condition, &mut terms, "(<= x (- 1))");
    let condition = terms.bv_ult(x, sixteen);
    check(condition, &mut terms, "(and (<= x 15) (not (<= x (- 1))))");
    let condition = terms.bv_uge(x, sixteen);
    check(condition, &mut terms, "(or (not (<= x 15)) (<= x (- 1)))");
    // An index times the size of an element, within an object.
    let wide = terms.sign_extend(x, 32);
    let (four, forty) = (terms.bv(64, 4), terms.bv(64, 40));
    let offset = terms.bv_mul(four, wide);
    let condition = terms.bv_ult(offset, forty);
    check(condition, &mut terms, "(and (<= x 9) (not (<= x (- 1))))");
    // Truncating division is a choice between two divisions.
    let ten = terms.bv(32, 10);
    let quotient = terms.bv_sdiv(x, ten);
    let condition = terms.bv_slt(quotient, y);
    check(
        condition,
        &mut terms,
        "(not (<= (+ y (* (- 1) (ite (<= x (- 1)) (* (- 1) (div (* (- 1) x) 10)) (div x 10)))) 0))",
    );
    let condition = {
        let one = terms.bv(32, 1);
        let bit = terms.bv_and(x, one);
        terms.eq(bit, one)
    };
    check(condition, &mut terms, "(= 1 (+ x (* (- 2) (div x 2))))");
}

#[test]
fn what_cannot_be_expressed_has_a_name() {
    let mut terms = Terms::new();
    let (inputs, mut integers) = declared(&mut terms);
    let (x, y) = (
        inputs.bytes(&mut terms, "x", 4),
        inputs.bytes(&mut terms, "y", 4),
    );
    let array = Sort::Array {
        index: 32,
        element: 32,
    };
    let array = terms.var("array", array);
    let cases = [
        (terms.bv_and(x, y), "bitwise and of two symbolic values"),
        (terms.bv_or(x, y), "bitwise or of two symbolic values"),
        (
            terms.bv_xor(x, y),
            "bitwise exclusive or of two symbolic values",
        ),
        (terms.bv_shl(x, y), "a shift by a symbolic amount"),
        (terms.select(array, x), "an array at a symbolic index"),
    ];
    let five = terms.bv(32, 5);
    for (term, name) in cases {
        let condition = terms.bv_slt(term, five);
        let sum = terms.bv_add(term, x);
        let failed = [
            integers.condition(&mut terms, condition),
            integers.number(&mut terms, sum),
        ];
        for result in failed {
            assert_eq!(result.expect_err("not expressible").to_string(), name);
        }
    }
}
