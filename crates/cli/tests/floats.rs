//! Floats from script to answer, by every solver that has them.

mod common;

use std::path::Path;
use std::process::Command;

use common::{answers, file, run};

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

/// Functions of `math.h` chosen by input: which error number they leave shows in the exit status.
const ERRORS: &str = r#"
#include <errno.h>
#include <math.h>
#include <klee/klee.h>
int main(void) {
    unsigned char which; double a;
    klee_make_symbolic(&which, 1, "which");
    klee_make_symbolic(&a, 8, "a");
    volatile double r = 0;
    errno = 0;
    switch (which) {
    case 0: r = sqrt(a); break;
    case 1: r = sin(a); break;
    case 2: r = acos(a); break;
    case 3: r = exp(a); break;
    case 4: r = exp2(a); break;
    case 5: r = expm1(a); break;
    case 6: r = cosh(a); break;
    case 7: r = log(a); break;
    case 8: r = log1p(a); break;
    case 9: r = fmod(a, 0.0); break;
    case 10: r = ldexp(a, -1060); break;
    case 11: r = fdim(a, -1.7e308); break;
    case 12: r = atan(a); break;
    default: return 1;
    }
    return errno;
}
"#;

/// Every test has the status that the native program has, and the errors are among them.
#[test]
fn functions_leave_the_error_numbers_that_they_leave_natively() {
    let program = file("errors.c", ERRORS.as_bytes());
    let results = program.with_extension("out");
    let _ = std::fs::remove_dir_all(&results);
    let of = |arguments: &[&str]| {
        let found = run(arguments);
        let remarks = String::from_utf8_lossy(&found.stderr).into_owned();
        (
            found.status.code(),
            String::from_utf8_lossy(&found.stdout).into_owned() + &remarks,
        )
    };
    let (program, results) = (
        program.to_str().expect("UTF-8"),
        results.to_str().expect("UTF-8"),
    );
    let explored = of(&["run", "--tests", "all", "--out", results, program]);
    assert_eq!(explored.0, Some(0), "{}", explored.1);
    let replayed = of(&["replay", results]);
    assert_eq!(replayed.0, Some(0), "{}", replayed.1);
    assert!(replayed.1.contains(", 0 differ"), "{}", replayed.1);
    let shown = of(&["show", results]).1;
    for (status, least) in [("exit: 33\n", 5), ("exit: 34\n", 8)] {
        let found = shown.matches(status).count();
        assert!(found >= least, "{found} of {status}: {shown}");
    }
}

/// Calculates with the host's functions on many numbers, without any input.
const HOST: &str = r#"
#include <math.h>
#include <stdio.h>
#include <string.h>
static unsigned long hash;
static void note(double value) {
    unsigned long bits;
    memcpy(&bits, &value, 8);
    hash = hash * 31 + bits;
}
int main(void) {
    unsigned long seed = 1;
    for (int i = 0; i < 2000; i++) {
        seed = seed * 6364136223846793005ul + 1442695040888963407ul;
        double x = (double)(seed >> 11) / 1e13, y = (double)(seed >> 40) / 1e5;
        note(cbrt(x)), note(cbrtf(x)), note(exp(x / 100)), note(log(x)), note(pow(x, y / 100));
        note(sin(x)), note(tan(y)), note(atan2(x, y)), note(hypot(x, y)), note(fmod(x, y));
        note(tgamma(y / 10)), note(erf(y)), note(sqrt(x)), note(fma(x, y, -x)), note(expm1(y / 10));
    }
    printf("%lx\n", hash);
    return 0;
}
"#;

#[test]
fn functions_give_what_they_give_natively() {
    let program = file("host.c", HOST.as_bytes());
    let native = program.with_extension("exe");
    let built = Command::new("clang")
        .args([&program, Path::new("-lm"), Path::new("-o"), &native])
        .status();
    assert!(
        built.is_ok_and(|status| status.success()),
        "clang builds it"
    );
    let expected = Command::new(&native).output().expect("it runs");
    let results = program.with_extension("out");
    let _ = std::fs::remove_dir_all(&results);
    let [program, results] = [&program, &results].map(|path| path.to_str().expect("UTF-8"));
    let found = run(&["run", "--out", results, program]);
    assert_eq!(
        String::from_utf8_lossy(&found.stdout),
        String::from_utf8_lossy(&expected.stdout)
    );
}
