//! Integers and reals from script to answer.

mod common;

use common::answers;

const EVERY_SOLVER: [&str; 5] = ["native", "z3", "cvc5", "yices", "native,z3"];

const INTEGERS: &str = "\
(set-logic QF_LIA)
(set-option :produce-unsat-cores true)
(set-option :produce-unsat-assumptions true)
(declare-const x Int)
(declare-const y Int)
(declare-const aside Int)
(assert (! (<= 0 x 10) :named range))
(assert (! (= (+ (* 3 x) (* 5 y)) 7) :named line))
(check-sat)
(get-value ((+ (* 3 x) (* 5 y)) (<= 0 x 10)))
(push)
(assert (! (< y (- 4)) :named low))
(assert (! (> aside 3) :named needless))
(check-sat)
(get-unsat-core)
(pop)
(check-sat-assuming ((> aside 3) (= (mod x 5) 0)))
(check-sat-assuming ((= aside (- 3)) (= (mod x 5) 4) (> x 4)))
(get-model)
";

const INTEGER_ANSWERS: &str = "\
sat
(((+ (* 3 x) (* 5 y)) 7)
 ((<= 0 x 10) true))
unsat
(range line low)
unsat
sat
(
  (define-fun x () Int
    9)
  (define-fun y () Int
    (- 4))
  (define-fun aside () Int
    (- 3))
)
";

#[test]
fn integers() {
    for solver in EVERY_SOLVER {
        let found = answers("integers.smt2", &["--solver", solver], INTEGERS, 0);
        // cvc5 need not leave anything out of a core.
        let found = found.replace("(range line low needless)", "(range line low)");
        assert_eq!(found, INTEGER_ANSWERS, "{solver}");
    }
}

#[test]
fn reals() {
    let script = "(set-logic QF_UFLRA)(declare-const x Real)(declare-fun f (Real Real) Real)\
        (assert (= (* 3 x) (- 2)))(assert (= (f x 1) 0.5))(check-sat)(get-model)\
        (get-value ((f (/ (- 2) 3) 1) (/ x 4) (< x 0)))\
        (assert (< (f (- (/ 4 6)) 1.0) (/ 1 2)))(check-sat)";
    let expected = "\
sat
(
  (define-fun x () Real
    (- (/ 2.0 3.0)))
  (define-fun f ((x!0 Real) (x!1 Real)) Real
    (ite (and (= x!0 (- (/ 2.0 3.0))) (= x!1 1.0)) (/ 1.0 2.0)
    0.0))
)
(((f (/ (- 2) 3) 1) (/ 1.0 2.0))
 ((/ x 4) (- (/ 1.0 6.0)))
 ((< x 0) true))
unsat
";
    for solver in EVERY_SOLVER {
        let found = answers("reals.smt2", &["--solver", solver], script, 0);
        assert_eq!(found, expected, "{solver}");
    }
}

/// A quotient by zero is the same whenever the dividend is, and nothing else is known of it.
#[test]
fn division_by_zero() {
    let script = "(set-logic QF_UFLIA)(declare-const x Int)(declare-const y Int)\
        (define-fun quotient ((a Int) (b Int)) Int (div a b))\
        (push)(assert (and (= (quotient x 0) 3) (= (mod 4 (- x x)) 9)))(check-sat)\
        (get-value ((div x 0) (mod 4 0) (quotient x (- y y))))(pop)\
        (assert (and (<= x y) (<= y x)))(assert (distinct (div x 0) (div y 0)))(check-sat)";
    let expected = "\
sat
(((div x 0) 3)
 ((mod 4 0) 9)
 ((quotient x (- y y)) 3))
unsat
";
    for solver in EVERY_SOLVER {
        let found = answers("by-zero.smt2", &["--solver", solver], script, 0);
        assert_eq!(found, expected, "{solver}");
    }
}

#[test]
fn products_are_handed_to_another_solver() {
    let script = "(set-logic QF_NIA)(declare-const x Int)(declare-const y Int)\
        (assert (= (* x y) 8051))(assert (< 1 x y))(check-sat)(get-value (x y))\
        (push)(assert (> x 83))(check-sat)(pop)(check-sat-assuming ((= x 83)))";
    let found = answers("products.smt2", &["--solver", "native,z3"], script, 0);
    assert_eq!(found, "sat\n((x 83)\n (y 97))\nunsat\nsat\n");
}

/// Bit-vectors as integers and back, by both editions' names.
#[test]
fn bits_are_converted() {
    let script = "(set-logic ALL)(declare-const b (_ BitVec 8))(declare-const c (_ BitVec 4))(declare-const n Int)\n\
        (assert (= n (+ (bv2nat b) (* 3 (sbv_to_int c)))))(assert (= n 276))(check-sat)\n\
        (get-value (b c ((_ int2bv 4) n) ((_ int_to_bv 4) (- 1)) (ubv_to_int #xff) (sbv_to_int #xff)))\n\
        (push)(assert (distinct ((_ int2bv 8) (ubv_to_int b)) b))(check-sat)(pop)\n\
        (push)(assert (distinct ((_ int2bv 8) (+ 256 (bv2nat b))) b))(check-sat)(pop)\n\
        (assert (< n (bv2nat c)))(check-sat)\n";
    let expected = "\
sat
((b #xff)
 (c #x7)
 (((_ int2bv 4) n) #x4)
 (((_ int_to_bv 4) (- 1)) #xf)
 ((ubv_to_int #xff) 255)
 ((sbv_to_int #xff) (- 1)))
unsat
unsat
unsat
";
    for solver in ["native", "z3", "cvc5"] {
        let found = answers("converted.smt2", &["--solver", solver], script, 0);
        assert_eq!(found, expected, "{solver}");
    }
}

#[test]
fn mistakes_are_placed() {
    let script = "(declare-const x Int)\n(declare-const b Bool)(push)\n(assert (= x b))\n\
        (assert (> (to_real b) 1.5))\n(assert (= x (bv2nat true)))\n\
        (declare-const a (Array Int Text))(check-sat)(pop)\n(assert (= x 1))\n(check-sat)\n(get-value (x))\n";
    let expected = "\
(error \"line 3 column 9: sorts Int and Bool are incompatible in '='\")
(error \"line 4 column 12: 'to_real' takes an Int or a Real, not a Bool\")
(error \"line 5 column 14: 'bv2nat' takes a bit-vector, not a Bool\")
(error \"line 6 column 29: unknown sort 'Text'\")
unknown
sat
((x 1))
";
    assert_eq!(answers("mistakes.smt2", &[], script, 1), expected);
}
