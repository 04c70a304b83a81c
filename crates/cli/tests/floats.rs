//! Floats from script to answer, by every solver that has them.

mod common;

use common::{file, run};

/// What is answered to a script; the exit status must be as expected.
fn answers(name: &str, arguments: &[&str], script: &str, status: i32) -> String {
    let path = file(name, script.as_bytes());
    let mut all = vec!["smt"];
    all.extend(arguments);
    all.push(path.to_str().expect("UTF-8"));
    let found = run(&all);
    let remarks = String::from_utf8_lossy(&found.stderr);
    assert_eq!(found.status.code(), Some(status), "{name}: {remarks}");
    String::from_utf8_lossy(&found.stdout).into_owned()
}

const EVERY_SOLVER: [&str; 4] = ["native", "z3", "cvc5", "native,z3"];

const FLOATS: &str = "\
(set-logic QF_UFBVFP)
(set-option :produce-unsat-cores true)
(declare-const x Float32)
(declare-const d Float64)
(declare-const m RoundingMode)
(declare-fun f (Float32) Float32)
(assert (! (fp.isInfinite x) :named infinite))
(assert (! (fp.lt x (f x)) :named less))
(assert (! (= (f x) (fp #b0 #x7f #b10000000000000000000000)) :named value))
(assert (= d ((_ to_fp 11 53) m (f x))))
(assert (distinct m RNE RNA RTP RTN))
(check-sat)
(get-model)
(get-value ((fp.neg x) ((_ fp.to_sbv 8) m d) (fp.isNaN (fp.add m x (fp.neg x)))))
(push)
(assert (! (fp.isPositive x) :named positive))
(check-sat)
(get-unsat-core)
(pop)
; A sum that loses its smaller part, in one direction alone.
(declare-const y Float32)
(declare-const n RoundingMode)
(define-fun big () Float32 ((_ to_fp 8 24) RNE 16777216.0))
(assert (and (fp.lt (_ +zero 8 24) y) (fp.lt y ((_ to_fp 8 24) RNE 0.5))))
(check-sat-assuming ((fp.gt (fp.add n big y) big) (distinct n RTP)))
(check-sat-assuming ((fp.gt (fp.add n big y) big)))
(get-value (n))
; An integer that does not fit is anything, but of the same float the same.
(define-fun beyond () Float32 ((_ to_fp 8 24) RNE 256.0))
(check-sat-assuming ((= #x07 ((_ fp.to_ubv 8) n beyond))))
(declare-const other Float32)
(check-sat-assuming ((distinct ((_ fp.to_ubv 8) n beyond) ((_ fp.to_ubv 8) n other))))
(check-sat-assuming ((fp.eq other beyond) (distinct ((_ fp.to_ubv 8) n beyond) ((_ fp.to_ubv 8) n other))))
";

const FLOAT_ANSWERS: &str = "\
sat
(
  (define-fun x () (_ FloatingPoint 8 24)
    (_ -oo 8 24))
  (define-fun d () (_ FloatingPoint 11 53)
    (fp #b0 #b01111111111 #x8000000000000))
  (define-fun m () RoundingMode
    RTZ)
  (define-fun f ((x!0 (_ FloatingPoint 8 24))) (_ FloatingPoint 8 24)
    (ite (= x!0 (_ -oo 8 24)) (fp #b0 #x7f #b10000000000000000000000)
    (_ +zero 8 24)))
)
(((fp.neg x) (_ +oo 8 24))
 (((_ fp.to_sbv 8) m d) #x01)
 ((fp.isNaN (fp.add m x (fp.neg x))) true))
unsat
(infinite less positive)
unsat
sat
((n RTP))
sat
sat
unsat
";

#[test]
fn every_solver_has_floats() {
    for solver in EVERY_SOLVER {
        let found = answers("floats.smt2", &["--solver", solver], FLOATS, 0);
        // A core need not be a smallest one.
        let found = found.replace("(infinite less value positive)", "(infinite less positive)");
        assert_eq!(found, FLOAT_ANSWERS, "{solver}");
    }
}
