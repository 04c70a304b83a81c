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
