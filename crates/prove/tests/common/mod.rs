//! Scripts and their proofs.

#![allow(dead_code)]

use std::time::{Duration, Instant};

use refrain_proof::Script;
use refrain_prove::{Limits, NotProved, Proof, prove};

/// The proof of a check of a script.
pub fn proof_of(script: &str, check: u32) -> Result<Proof, NotProved> {
    let problem = Script::problem_of(script.as_bytes(), check).expect("there is such a check");
    let limits = Limits {
        deadline: Some(Instant::now() + Duration::from_secs(60)),
        stop: None,
    };
    prove(problem, limits)
}

/// Scripts whose checks are all unsatisfiable, of all theories.
pub const REFUTED: &[(&str, &str)] = &[
    (
        "bits",
        "(declare-const x (_ BitVec 8)) (declare-const y (_ BitVec 8))
         (assert (bvult x y)) (assert (bvult y x)) (check-sat)",
    ),
    (
        "products",
        "(declare-const x (_ BitVec 5)) (declare-const y (_ BitVec 5))
         (assert (not (= (bvmul x (bvadd y #b00001)) (bvadd (bvmul y x) x)))) (check-sat)",
    ),
    (
        "polynomials",
        "(declare-const x (_ BitVec 32)) (declare-const y (_ BitVec 32)) (declare-const z (_ BitVec 32))
         (assert (distinct (bvmul x (bvmul y z)) (bvmul (bvmul z x) y))) (check-sat)
         (reset) (declare-const x (_ BitVec 32)) (declare-const y (_ BitVec 32))
         (assert (bvult (bvmul (bvadd x y) (bvsub x y)) (bvsub (bvmul x x) (bvmul y y)))) (check-sat)
         (reset) (declare-const x (_ BitVec 64)) (declare-const y (_ BitVec 64))
         (assert (= (bvmul x (bvneg y)) (bvsub #x0000000000000007 (bvmul y x)))) (check-sat)",
    ),
    (
        "division",
        "(declare-const x (_ BitVec 4)) (declare-const y (_ BitVec 4))
         (assert (not (= x (bvadd (bvmul (bvudiv x y) y) (bvurem x y))))) (check-sat)",
    ),
    (
        "signed division",
        "(declare-const x (_ BitVec 4)) (declare-const y (_ BitVec 4))
         (assert (distinct y #x0))
         (assert (not (= x (bvadd (bvmul (bvsdiv x y) y) (bvsrem x y))))) (check-sat)",
    ),
    (
        "shifts",
        "(declare-const x (_ BitVec 8)) (declare-const y (_ BitVec 8))
         (assert (bvult (bvlshr (bvshl x y) y) (bvand x (bvlshr #xff y))))
         (check-sat)",
    ),
    (
        "rows",
        "(declare-const a (Array (_ BitVec 8) (_ BitVec 8))) (declare-const b (Array (_ BitVec 8) (_ BitVec 8)))
         (declare-const x (_ BitVec 8)) (declare-const y (_ BitVec 8))
         (assert (= b (store a x y))) (assert (not (= (select b #x03) (select a #x03))))
         (assert (not (= x #x03))) (check-sat)",
    ),
    (
        "extensionality",
        "(declare-const a (Array (_ BitVec 8) (_ BitVec 8)))
         (declare-const x (_ BitVec 8)) (declare-const y (_ BitVec 8))
         (assert (not (= (store (store a x y) y x) (store (store a y x) x y)))) (assert (not (= x y)))
         (check-sat)",
    ),
    (
        "constant arrays",
        "(declare-const x (_ BitVec 8)) (declare-const y (_ BitVec 8))
         (define-sort A () (Array (_ BitVec 8) (_ BitVec 8)))
         (assert (= ((as const A) x) (store ((as const A) y) x y))) (assert (not (= x y))) (check-sat)",
    ),
    (
        "arrays of arrays",
        "(declare-sort I 0) (declare-const a (Array I (Array I Bool))) (declare-const i I) (declare-const j I)
         (declare-const k I) (assert (= i j))
         (assert (select (select (store a i (store (select a i) k true)) j) k))
         (assert (not (select (store (select a j) k true) k))) (check-sat)",
    ),
    (
        "functions",
        "(declare-fun f ((_ BitVec 8)) (_ BitVec 8)) (declare-const x (_ BitVec 8))
         (assert (= (f (f x)) x)) (assert (= (f (f (f x))) x)) (assert (not (= (f x) x))) (check-sat)",
    ),
    (
        "congruence",
        "(declare-sort U 0) (declare-fun g (U U) U) (declare-const u U) (declare-const v U)
         (assert (= (g u v) u)) (assert (= (g (g u v) v) v)) (assert (distinct u v)) (check-sat)",
    ),
    (
        "predicates",
        "(declare-sort U 0) (declare-fun p (U Bool) Bool) (declare-const u U) (declare-const v U)
         (declare-const b Bool)
         (assert (p u b)) (assert (not (p v true))) (assert b) (assert (= v u)) (check-sat)",
    ),
    (
        "bounds",
        "(declare-const x Int) (assert (< (* 2 x) 3)) (assert (> x 1)) (check-sat)",
    ),
    (
        "parity",
        "(declare-const x Int) (declare-const y Int) (assert (= (+ (* 2 x) (* 4 y)) 3)) (check-sat)",
    ),
    (
        "residues",
        "(declare-const x Int) (assert (= (mod x 3) 2)) (assert (= (mod (+ x 1) 3) 1)) (check-sat)",
    ),
    (
        "branches",
        "(declare-const x Int) (declare-const y Int) (assert (<= 1 x 2)) (assert (<= 0 y 1))
         (assert (<= 1 (- (* 5 x) (* 7 y)) 2)) (check-sat)",
    ),
    (
        "reals",
        "(declare-const x Real) (declare-const y Real)
         (assert (< x y)) (assert (< (* 2.0 y) (+ x y))) (check-sat)",
    ),
    (
        "functions of integers",
        "(declare-fun f (Int) Int) (declare-const x Int) (declare-const y Int)
         (assert (< x y)) (assert (< y (+ x 2))) (assert (not (= (f (+ x 1)) (f y)))) (check-sat)",
    ),
    (
        "choices",
        "(declare-const x Int) (assert (distinct (ite (< x 3) x 3) (ite (>= x 3) 3 x))) (check-sat)",
    ),
    (
        "absolute values",
        "(declare-const x Int) (assert (> (abs x) 4)) (assert (< x 5)) (assert (> x (- 5))) (check-sat)",
    ),
    (
        "mixed numbers",
        "(declare-const x Int) (declare-const y Real)
         (assert (< (to_real (to_int y)) (to_real x))) (assert (>= y (to_real x))) (check-sat)",
    ),
    (
        "conversions",
        "(declare-const x Int) (assert (distinct (bv2nat ((_ int2bv 8) x)) (mod x 256))) (check-sat)",
    ),
    (
        "levels, names and assumptions",
        "(declare-const p Bool) (declare-const q Bool) (push 1) (assert (! (=> p q) :named implied))
         (define-fun both ((a Bool) (b Bool)) Bool (and a b))
         (check-sat-assuming (p (not q)))
         (assert (let ((q p) (p (not q))) (both q p)))
         (check-sat) (pop 1)",
    ),
];
