//! Text of terms, values and models, beside what it must be.

use refrain_term::print::{declare_func, define_func};
use refrain_term::{
    ArrayValue, Assignment, Bv, FuncValue, Op, Rational, Sort, Term, Terms, Value, VarId,
    declarations, print, print_model, print_value, quote_symbol,
};

fn var_id(terms: &Terms, term: Term) -> VarId {
    match terms.op(term) {
        Op::Var(var) => var,
        op => panic!("{op:?} is no symbol"),
    }
}

#[test]
fn symbols_are_quoted_where_needed() {
    for (name, quoted) in [
        ("x", "x"),
        ("x!0", "x!0"),
        ("a.b/c", "a.b/c"),
        ("", "||"),
        ("0x", "|0x|"),
        ("a b", "|a b|"),
        ("a(", "|a(|"),
        ("let", "|let|"),
        ("true", "|true|"),
        ("ä", "|ä|"),
        ("a|b\\c", "|a_b_c|"),
    ] {
        assert_eq!(quote_symbol(name), quoted);
    }
}

#[test]
fn terms_as_text() {
    let mut t = Terms::new();
    let byte = Sort::BitVec(8);
    let (x, y) = (t.var("x", byte), t.var("y z", byte));
    let (p, q) = (t.var("p", Sort::Bool), t.var("q", Sort::Bool));
    let a = t.var(
        "a",
        Sort::Array {
            index: 8,
            element: 8,
        },
    );
    let f = t.func("f", &[byte, Sort::Bool], byte);

    let or = t.or2(p, q);
    assert!(["(or p q)", "(or q p)"].contains(&&*print(&t, or)));
    let not_p = t.not(p);
    assert_eq!(print(&t, not_p), "(not p)");
    let extracted = t.extract(x, 6, 2);
    assert_eq!(print(&t, extracted), "((_ extract 6 2) x)");
    let extended = t.sign_extend(x, 24);
    assert_eq!(print(&t, extended), "((_ sign_extend 24) x)");
    let shifted = t.bv_shl(x, y);
    assert_eq!(print(&t, shifted), "(bvshl x |y z|)");
    let applied = t.apply(f, &[x, p]);
    assert_eq!(print(&t, applied), "(f x p)");
    let three = t.bv(8, 3);
    let sum = t.bv_sum(&[three, x, y]);
    let texts = [
        "(bvadd (bvadd #x03 x) |y z|)",
        "(bvadd (bvadd #x03 |y z|) x)",
    ];
    assert!(texts.contains(&&*print(&t, sum)));
    let cells = vec![
        (Bv::new(8, 1), Bv::new(8, 2)),
        (Bv::new(8, 3), Bv::new(8, 4)),
    ];
    let table = t.table(a, cells);
    assert_eq!(print(&t, table), "(store (store a #x01 #x02) #x03 #x04)");
    let constant = t.const_array(8, x);
    assert_eq!(
        print(&t, constant),
        "((as const (Array (_ BitVec 8) (_ BitVec 8))) x)"
    );
    let stored = t.store(constant, y, x);
    let read = t.select(stored, x);
    assert_eq!(
        print(&t, read),
        "(select (store ((as const (Array (_ BitVec 8) (_ BitVec 8))) x) |y z| x) x)"
    );
    assert_eq!(
        declarations(&t, &[read, applied]),
        "(declare-fun x () (_ BitVec 8))\n(declare-fun |y z| () (_ BitVec 8))\n(declare-fun p () Bool)\n\
         (declare-fun f ((_ BitVec 8) Bool) (_ BitVec 8))\n"
    );
    assert_eq!(
        declare_func(&t, f),
        "(declare-fun f ((_ BitVec 8) Bool) (_ BitVec 8))"
    );
}

#[test]
fn shared_terms_are_bound_under_fresh_names() {
    let mut t = Terms::new();
    let x = t.var("x", Sort::BitVec(8));
    let square = t.bv_mul(x, x);
    let fourth = t.bv_mul(square, square);
    assert_eq!(print(&t, fourth), "(let ((?1 (bvmul x x))) (bvmul ?1 ?1))");
    let taken = t.var("?1", Sort::BitVec(8));
    let square = t.bv_mul(taken, taken);
    let fourth = t.bv_mul(square, square);
    assert_eq!(
        print(&t, fourth),
        "(let ((??1 (bvmul ?1 ?1))) (bvmul ??1 ??1))"
    );
}

#[test]
fn models_as_text() {
    let mut t = Terms::new();
    let x = t.var("x", Sort::BitVec(8));
    let p = t.var("p", Sort::Bool);
    let sort = Sort::Array {
        index: 8,
        element: 4,
    };
    let a = t.var("a", sort);
    let f = t.func("f", &[Sort::BitVec(8), Sort::Bool], Sort::BitVec(3));
    let g = t.func("g", &[Sort::BitVec(4)], Sort::Bool);
    let mut model = Assignment::new();
    model.set_cell(var_id(&t, a), Bv::new(8, 9), Bv::new(4, 3), sort);
    model.set_cell(var_id(&t, a), Bv::new(8, 2), Bv::new(4, 1), sort);
    model.set_cell(var_id(&t, a), Bv::new(8, 7), Bv::new(4, 0), sort);
    model.set(var_id(&t, p), true);
    model.set(var_id(&t, x), Bv::new(8, 16));
    let mut func = FuncValue::new(Value::Bv(Bv::new(3, 1)));
    func.set(
        [Value::Bv(Bv::new(8, 2)), Value::Bool(true)],
        Value::Bv(Bv::new(3, 5)),
    );
    func.set(
        [Value::Bv(Bv::new(8, 1)), Value::Bool(false)],
        Value::Bv(Bv::new(3, 6)),
    );
    func.set(
        [Value::Bv(Bv::new(8, 0)), Value::Bool(false)],
        Value::Bv(Bv::new(3, 1)),
    );
    model.set_func(f, func);
    assert_eq!(
        print_model(&t, &model),
        "(
  (define-fun x () (_ BitVec 8) #x10)
  (define-fun p () Bool true)
  (define-fun a () (Array (_ BitVec 8) (_ BitVec 4)) \
(store (store ((as const (Array (_ BitVec 8) (_ BitVec 4))) #x0) #x02 #x1) #x09 #x3))
  (define-fun f ((x!0 (_ BitVec 8)) (x!1 Bool)) (_ BitVec 3) \
(ite (and (= x!0 #x01) (= x!1 false)) #b110 (ite (and (= x!0 #x02) (= x!1 true)) #b101 #b001)))
)
"
    );
    let mut func = FuncValue::new(Value::Bool(false));
    func.set([Value::Bv(Bv::new(4, 2))], Value::Bool(true));
    assert_eq!(
        define_func(&t, g, &func),
        "(define-fun g ((x!0 (_ BitVec 4))) Bool (ite (= x!0 #x2) true false))"
    );
    assert_eq!(
        print_value(&Value::Array(ArrayValue::filled(1, Bv::ones(1)))),
        "((as const (Array (_ BitVec 1) (_ BitVec 1))) #b1)"
    );
}

#[test]
fn numbers_as_text() {
    for (numerator, denominator, int, real) in [
        (5, 1, "5", "5.0"),
        (-5, 1, "(- 5)", "(- 5.0)"),
        (0, 1, "0", "0.0"),
        (1, 3, "", "(/ 1.0 3.0)"),
        (-1, 3, "", "(- (/ 1.0 3.0))"),
        (
            i64::MIN,
            1,
            "(- 9223372036854775808)",
            "(- 9223372036854775808.0)",
        ),
    ] {
        let number = Rational::new(numerator, denominator);
        assert_eq!(print_value(&Value::Real(number.clone())), real);
        if number.is_integer() {
            assert_eq!(print_value(&Value::Int(number)), int);
        }
    }
}

#[test]
fn arithmetic_as_text() {
    let mut t = Terms::new();
    let (x, y) = (t.var("x", Sort::Int), t.var("y", Sort::Real));
    let five = t.int(5);
    let minus_two = Rational::from(-2);
    let scaled = t.num_scaled(&minus_two, x);
    let sum = t.add(scaled, five);
    assert_eq!(print(&t, sum), "(+ 5 (* (- 2) x))");
    let bound = t.le(x, five);
    assert_eq!(print(&t, bound), "(<= x 5)");
    let quotient = t.div(x, five);
    assert_eq!(print(&t, quotient), "(div x 5)");
    let third = t.num_scaled(&Rational::new(1, 3), y);
    assert_eq!(print(&t, third), "(* (/ 1.0 3.0) y)");
    let two = t.number(Sort::Real, Rational::from(2));
    let below = t.lt(y, two);
    assert_eq!(print(&t, below), "(< y 2.0)");
    let inverse = t.div(two, y);
    assert_eq!(
        print(&t, inverse),
        "(ite (= 0.0 y) (|_/ by zero| 2.0) (/ 2.0 y))"
    );
    assert_eq!(
        declarations(&t, &[bound, below]),
        "(declare-fun x () Int)\n(declare-fun y () Real)\n"
    );
}
