//! Conversions between bit-vectors and integers, by evaluation.

use refrain_term::{Assignment, Bv, Op, Rational, Sort, Terms, Value, eval};

#[test]
fn integers_of_all_bits() {
    let mut terms = Terms::new();
    let x = terms.var("x", Sort::BitVec(8));
    let Op::Var(var) = terms.op(x) else {
        panic!("a variable")
    };
    let unsigned = terms.int_of_bv(false, x);
    let signed = terms.int_of_bv(true, x);
    let shifted = {
        let number = terms.number(Sort::Int, Rational::from(-300));
        let sum = terms.add(unsigned, number);
        terms.bv_of_int(12, sum)
    };
    for value in 0..=255u8 {
        let mut assignment = Assignment::new();
        assignment.set(var, Value::Bv(Bv::new(8, value.into())));
        let number = |term| eval(&terms, term, &assignment).as_number().cloned();
        assert_eq!(number(unsigned), Some(Rational::from(i64::from(value))));
        assert_eq!(number(signed), Some(Rational::from(i64::from(value as i8))));
        let bits = (i64::from(value) - 300) as u64 & 0xfff;
        let found = eval(&terms, shifted, &assignment);
        assert_eq!(found.as_bv(), Some(&Bv::new(12, bits)));
    }
}

/// There and back is the same, longer or shorter.
#[test]
fn bits_of_the_integer_of_bits() {
    let mut terms = Terms::new();
    let x = terms.var("x", Sort::BitVec(8));
    let number = terms.int_of_bv(false, x);
    assert_eq!(terms.bv_of_int(8, number), x);
    let (longer, shorter) = (terms.zero_extend(x, 8), terms.extract(x, 3, 0));
    assert_eq!(terms.bv_of_int(16, number), longer);
    assert_eq!(terms.bv_of_int(4, number), shorter);
    let constant = terms.number(Sort::Int, Rational::from(-1));
    let ones = terms.constant(Bv::ones(100));
    assert_eq!(terms.bv_of_int(100, constant), ones);
}

/// The other way round it is a remainder, and floors of floors are one.
#[test]
fn integers_of_bits_of_integers() {
    let mut terms = Terms::new();
    let x = terms.var("x", Sort::Int);
    let Op::Var(var) = terms.op(x) else {
        panic!("a variable")
    };
    let [two, seven, weight, both] =
        [2, 7, 128, 14].map(|value| terms.number(Sort::Int, Rational::from(value)));
    let bits = terms.bv_of_int(7, x);
    let number = terms.int_of_bv(false, bits);
    assert_eq!(number, terms.modulo(x, weight));
    let signed = terms.int_of_bv(true, bits);
    let sum = terms.add(x, two);
    let half = terms.div(sum, two);
    let sum = terms.add(half, seven);
    let quotient = terms.div(sum, seven);
    assert_eq!(quotient, {
        let sum = terms.add(x, two);
        let sum = terms.add(sum, both);
        terms.div(sum, both)
    });
    for value in -300..300 {
        let mut assignment = Assignment::new();
        assignment.set(var, Value::Int(Rational::from(value)));
        let number = |term| eval(&terms, term, &assignment).as_number().cloned();
        let rest = value.rem_euclid(128);
        let least = if rest < 64 { rest } else { rest - 128 };
        assert_eq!(number(signed), Some(Rational::from(least)));
        let floors = ((value + 2).div_euclid(2) + 7).div_euclid(7);
        assert_eq!(number(quotient), Some(Rational::from(floors)));
    }
}
