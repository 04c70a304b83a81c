//! Normal forms of sums, products, quotients and comparisons of numbers: what means the same by linear arithmetic is
//! the same term, however it is written.

use refrain_term::{Op, Rational, Sort, Term, Terms, print};

/// An arena with two symbols.
fn symbols(sort: Sort) -> (Terms, Term, Term) {
    let mut terms = Terms::new();
    let (x, y) = (terms.var("x", sort), terms.var("y", sort));
    (terms, x, y)
}

fn scaled(terms: &mut Terms, factor: i64, term: Term) -> Term {
    terms.num_scaled(&Rational::from(factor), term)
}

fn assert_all_same(terms: &Terms, all: &[Term]) {
    for &term in all {
        assert_eq!(print(terms, term), print(terms, all[0]));
        assert_eq!(term, all[0]);
    }
}

#[test]
fn inequalities_of_integers_are_one_term() {
    let (mut t, x, y) = symbols(Sort::Int);
    let (one, two) = (t.int(1), t.int(2));
    let x1 = t.add(x, one);
    let (xx, yy) = (scaled(&mut t, 2, x), scaled(&mut t, 2, y));
    let xx2 = t.add(xx, two);
    let xx1 = t.add(xx, one);
    let difference = t.sub(x, y);
    let minus_one = t.int(-1);
    let above = t.ge(x, y);
    let all = [
        t.le(x1, y),
        t.ge(y, x1),
        t.lt(x, y),
        t.gt(y, x),
        t.le(xx2, yy),
        // Odd and even: one more than x + x is at most y + y just if it is less.
        t.le(xx1, yy),
        t.lt(xx1, yy),
        t.le(difference, minus_one),
        t.not(above),
    ];
    assert_all_same(&t, &all);

    let (three, four) = (t.int(3), t.int(4));
    let small = t.le(x, three);
    let all = [t.not(small), t.ge(x, four), t.gt(x, three)];
    assert_all_same(&t, &all);
    assert_eq!(t.op(small), Op::Le);
    assert_eq!(t.args(small), [x, three]);
}

#[test]
fn bounds_of_integers_are_rounded() {
    let (mut t, x, y) = symbols(Sort::Int);
    let (xx, yyyy) = (scaled(&mut t, 2, x), scaled(&mut t, 4, y));
    let sum = t.add(xx, yyyy);
    let seven = t.int(7);
    let bound = t.le(sum, seven);
    let yy = scaled(&mut t, 2, y);
    let small = t.add(x, yy);
    let three = t.int(3);
    let all = [bound, t.le(small, three)];
    assert_all_same(&t, &all);
    assert_eq!(t.eq(sum, seven), Term::FALSE);
    let eight = t.int(8);
    let four = t.int(4);
    let all = [t.eq(sum, eight), t.eq(four, small)];
    assert_all_same(&t, &all);
}

#[test]
fn inequalities_of_reals_are_one_term() {
    let (mut t, x, y) = symbols(Sort::Real);
    let (half, two) = (Rational::new(1, 2), t.number(Sort::Real, Rational::from(2)));
    let (half_x, half_y) = (t.num_scaled(&half, x), t.num_scaled(&half, y));
    let one = t.number(Sort::Real, Rational::ONE);
    let half_x1 = t.add(half_x, one);
    let x2 = t.add(x, two);
    let at_least = t.ge(x2, y);
    let all = [
        t.lt(x2, y),
        t.gt(y, x2),
        t.lt(half_x1, half_y),
        t.not(at_least),
    ];
    assert_all_same(&t, &all);
    let below = t.lt(x, two);
    let up_to = t.le(x, two);
    assert_eq!((t.op(below), t.op(up_to)), (Op::Lt, Op::Le));
    assert_eq!(
        (t.args(below), t.args(up_to)),
        (&[x, two][..], &[x, two][..])
    );
    let quotient = t.div(x, two);
    assert_eq!(quotient, half_x);
}

#[test]
fn sums_are_in_linear_normal_form() {
    let (mut t, x, y) = symbols(Sort::Int);
    let five = t.int(5);
    let sum = t.sum(&[x, five, y, x]);
    let (constant, monomials) = t.linear_form(sum);
    assert_eq!(constant, Rational::from(5));
    let coefficient = |of: Term| monomials.iter().find(|(term, _)| *term == of).unwrap();
    assert_eq!(coefficient(x).1, Rational::from(2));
    assert_eq!(coefficient(y).1, Rational::ONE);
    assert_eq!(t.arg(sum, 0), five);

    let back = t.sub(sum, x);
    let back = t.sub(back, five);
    let all = [back, t.add(x, y), t.add(y, x)];
    assert_all_same(&t, &all);
    let nothing = t.sub(sum, sum);
    assert_eq!(nothing, t.int(0));

    // Constants go over sums, and out of products.
    let sum = t.add(x, five);
    let doubled = scaled(&mut t, 2, sum);
    let (xx, ten) = (scaled(&mut t, 2, x), t.int(10));
    assert_eq!(doubled, t.add(xx, ten));
    let yyy = scaled(&mut t, -3, y);
    let product = t.mul(x, y);
    let all = [t.mul(xx, yyy), scaled(&mut t, -6, product), t.mul(yyy, xx)];
    assert_all_same(&t, &all);
    assert_eq!(t.linear_form(all[0]).1, [(product, Rational::from(-6))]);
    let wide = t.mul(sum, y);
    assert_eq!(t.op(wide), Op::Mul);
}

#[test]
fn quotients_and_remainders_give_up_whole_parts() {
    let (mut t, x, y) = symbols(Sort::Int);
    let three = t.int(3);
    let seven = t.int(7);
    let (six_x, one, two) = (scaled(&mut t, 6, x), t.int(1), t.int(2));
    let dividend = t.sum(&[six_x, y, seven]);
    let y1 = t.add(y, one);
    let rest = t.div(y1, three);
    let xx = scaled(&mut t, 2, x);
    let all = [t.div(dividend, three), t.sum(&[xx, two, rest])];
    assert_all_same(&t, &all);
    let all = [t.modulo(dividend, three), t.modulo(y1, three)];
    assert_all_same(&t, &all);
    // 6x + 1 is odd.
    let odd = t.add(six_x, one);
    assert_eq!(t.divisible(&Rational::from(2), odd), Term::FALSE);
    assert_eq!(t.divisible(&Rational::from(3), six_x), Term::TRUE);
    // Step by step, and at once.
    let half = t.div(x, two);
    let (six, minus_six) = (t.int(6), t.int(-6));
    let sixth = t.div(half, three);
    assert_eq!(sixth, t.div(x, six));
    let opposite = t.div(x, minus_six);
    assert_eq!(opposite, t.neg(sixth));
    // A divisor that cannot be zero needs no case for it.
    let odd_divisor = t.div(y, odd);
    assert_eq!(t.op(odd_divisor), Op::Div);
    let any_divisor = t.div(y, x);
    assert_eq!(t.op(any_divisor), Op::Ite);
}

#[test]
fn division_by_zero_is_a_function_of_the_dividend() {
    let (mut t, x, y) = symbols(Sort::Int);
    let zero = t.int(0);
    let (div, modulo) = (t.div(x, zero), t.modulo(x, zero));
    assert_ne!(div, modulo);
    let function = |term: Term| match t.op(term) {
        Op::Apply(func) => t.func_decl(func).name.clone(),
        op => panic!("{op:?} is no function"),
    };
    for name in [function(div), function(modulo)] {
        assert!(name.contains('\\'), "{name} can be declared");
    }
    let general = t.div(x, y);
    assert!(t.args(general).contains(&div));
}

/// Sums of more addends than are flattened: still taken apart where they are compared or multiplied.
#[test]
fn long_sums() {
    let (mut t, x, y) = symbols(Sort::Int);
    let many: Vec<Term> = (0..200)
        .map(|number| t.var(&format!("w{number}"), Sort::Int))
        .collect();
    let long = t.sum(&many);
    assert_eq!(t.args(long).len(), 200);
    let longer = t.add(long, x);
    assert_eq!(t.args(longer).len(), 2);
    let negated = t.neg(long);
    assert_eq!(t.args(negated).len(), 200);
    assert_eq!(t.neg(negated), long);
    // What is the same on both sides goes, and what is left is taken apart.
    let zero = t.int(0);
    let all = [t.le(longer, x), t.le(long, zero)];
    assert_all_same(&t, &all);
    let other = t.add(long, y);
    let all = [t.lt(longer, other), t.lt(x, y)];
    assert_all_same(&t, &all);
}

#[test]
fn comparisons_of_choices_between_constants() {
    let (mut t, x, _) = symbols(Sort::Int);
    let p = t.var("p", Sort::Bool);
    let (one, five, three) = (t.int(1), t.int(5), t.int(3));
    let choice = t.ite(p, one, five);
    assert_eq!(t.le(choice, three), p);
    assert_eq!(t.eq(choice, one), p);
    assert_eq!(t.eq(choice, three), Term::FALSE);
    let half_known = t.ite(p, one, x);
    let (is_three, not_p) = (t.eq(x, three), t.not(p));
    let all = [t.eq(half_known, three), t.and2(not_p, is_three)];
    assert_all_same(&t, &all);
}

#[test]
fn numbers_of_any_size() {
    let (mut t, x, _) = symbols(Sort::Int);
    let huge = Rational::parse("123456789012345678901234567890").expect("a numeral");
    let scaled = t.num_scaled(&huge, x);
    let limit = t.number(Sort::Int, &(&huge * &Rational::from(3)) + &Rational::ONE);
    let three = t.int(3);
    let all = [t.le(scaled, limit), t.le(x, three)];
    assert_all_same(&t, &all);
    assert_eq!(t.eq(scaled, limit), Term::FALSE);
    let divisor = t.number(Sort::Int, huge);
    assert_eq!(t.div(scaled, divisor), x);
    assert_eq!(t.div(limit, divisor), three);
}
