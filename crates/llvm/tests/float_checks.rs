//! Checks of calculations with floats. Each case is a pair of programs: one has the error for some input, the other
//! tests its input first, at every level of optimisation.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod support;

use refrain_llvm::load::{FloatChecks, Options};
use support::explored::explore_with;

const LEVELS: [&str; 3] = ["-O0", "-O1", "-O2"];

const NAN: FloatChecks = FloatChecks { nan: true, ..NONE };
const INFINITY: FloatChecks = FloatChecks {
    infinity: true,
    ..NONE
};
const DIVISION: FloatChecks = FloatChecks {
    division: true,
    ..NONE
};
const TO_INTEGER: FloatChecks = FloatChecks {
    to_integer: true,
    ..NONE
};
const NONE: FloatChecks = FloatChecks {
    nan: false,
    infinity: false,
    division: false,
    to_integer: false,
};

struct Pair {
    checks: FloatChecks,
    /// Of the two inputs, `a` and `b`.
    ty: &'static str,
    bad: &'static str,
    /// What good inputs satisfy.
    test: &'static str,
}

const fn pair(
    checks: FloatChecks,
    ty: &'static str,
    bad: &'static str,
    test: &'static str,
) -> Pair {
    Pair {
        checks,
        ty,
        bad,
        test,
    }
}

const PAIRS: &[Pair] = &[
    pair(NAN, "double", "seen(a + b);", "!isinf(a)"),
    pair(NAN, "double", "seen(a - b);", "isfinite(b)"),
    pair(
        NAN,
        "float",
        "seen(a * b);",
        "a < 1e30f && a > -1e30f && isfinite(b)",
    ),
    pair(NAN, "float", "seen(a / b);", "b > 0 && b < 10"),
    pair(NAN, "long double", "seen(a - b);", "a > -1 && a < 1"),
    pair(
        NAN,
        "long double",
        "seen(a / b);",
        "a > 0 && b < 1 && b > -1",
    ),
    pair(NAN, "_Float16", "seen(a - b);", "a > -9 && a < 9"),
    pair(
        NAN,
        "_Float16",
        "seen(a * b);",
        "a > -9 && a < 9 && b > -9 && b < 9",
    ),
    pair(NAN, "double", "seen(fmod(a, b));", "b > 0 && isfinite(a)"),
    pair(NAN, "float", "seen(__builtin_sqrtf(a));", "a >= 0"),
    pair(NAN, "long double", "seen(__builtin_sqrtl(a));", "!(a < 0)"),
    pair(NAN, "double", "seen(log(a));", "a > 0"),
    pair(NAN, "double", "seen(acos(a));", "a >= -1 && a <= 1"),
    pair(NAN, "double", "seen(sin(a));", "isfinite(a)"),
    pair(NAN, "double", "seen(pow(a, b));", "a > 0"),
    pair(
        NAN,
        "double",
        "seen(fma(a, b, 1));",
        "a > 1 && a < 9 && b > 1 && b < 9",
    ),
    pair(
        NAN,
        "v2",
        "v2 r = a - b; seen(r[0]);",
        "isfinite(a[0]) && isfinite(a[1])",
    ),
    pair(
        NAN,
        "double",
        "volatile double z = 0; if (a > 4) seen(z / z);",
        "a < 4",
    ),
    pair(
        INFINITY,
        "double",
        "seen(a + b);",
        "a < 1e300 && a > -1e300 && b < 1e300 && b > -1e300",
    ),
    pair(
        INFINITY,
        "_Float16",
        "seen(a * b);",
        "a < 200 && a > -200 && b < 200 && b > -200",
    ),
    pair(
        INFINITY,
        "_Float16",
        "seen(a / b);",
        "a < 200 && a > -200 && b > 1",
    ),
    pair(
        INFINITY,
        "float",
        "seen(a * 1e10f);",
        "a < 1e20f && a > -1e20f",
    ),
    pair(
        INFINITY,
        "float",
        "seen(a / 0.25f);",
        "a < 1e37f && a > -1e37f",
    ),
    pair(
        INFINITY,
        "long double",
        "seen(a + a);",
        "a < 1e4000L && a > -1e4000L",
    ),
    pair(
        INFINITY,
        "double",
        "seen((float)a);",
        "a < 3e38 && a > -3e38",
    ),
    pair(
        INFINITY,
        "long double",
        "seen((double)a);",
        "a < 1e308L && a > -1e308L",
    ),
    pair(
        INFINITY,
        "unsigned short",
        "seen((_Float16)a);",
        "a < 65520",
    ),
    pair(INFINITY, "double", "seen(exp(a));", "a < 709"),
    pair(INFINITY, "double", "seen(log(a));", "a != 0"),
    pair(
        INFINITY,
        "float",
        "seen(ldexpf(a, 100));",
        "a < 1e5f && a > -1e5f",
    ),
    pair(
        INFINITY,
        "v2",
        "v2 r = a + a; seen(r[0]);",
        "a[0] < 9 && a[0] > -9 && a[1] < 9 && a[1] > -9",
    ),
    pair(DIVISION, "double", "seen(a / b);", "b != 0"),
    pair(DIVISION, "float", "seen(1 / a);", "a > 0 || a < 0"),
    pair(DIVISION, "long double", "seen(a / b);", "b > 0"),
    pair(DIVISION, "_Float16", "seen(a / b);", "b"),
    pair(
        DIVISION,
        "v2",
        "v2 r = a / b; seen(r[0]);",
        "b[0] != 0 && b[1] != 0",
    ),
    pair(TO_INTEGER, "float", "seen((i8)a);", "a > -129 && a < 128"),
    pair(TO_INTEGER, "float", "seen((u8)a);", "a > -1 && a < 256"),
    pair(
        TO_INTEGER,
        "_Float16",
        "seen((i16)a);",
        "a >= -32768 && a < 32768",
    ),
    pair(
        TO_INTEGER,
        "_Float16",
        "seen((u16)a);",
        "a > -1 && !isinf(a)",
    ),
    pair(TO_INTEGER, "_Float16", "seen((i64)a);", "isfinite(a)"),
    pair(
        TO_INTEGER,
        "double",
        "seen((i32)a);",
        "a > -2147483649.0 && a < 2147483648.0",
    ),
    pair(
        TO_INTEGER,
        "double",
        "seen((u32)a);",
        "a > -1 && a < 4294967296.0",
    ),
    pair(
        TO_INTEGER,
        "float",
        "seen((i64)a);",
        "a >= -9223372036854775808.0f && a < 9223372036854775808.0f",
    ),
    pair(
        TO_INTEGER,
        "double",
        "seen((u64)a);",
        "a > -1 && a < 18446744073709551616.0",
    ),
    pair(
        TO_INTEGER,
        "long double",
        "seen((i64)a);",
        "a > -9223372036854775809.0L && a < 9223372036854775808.0L",
    ),
    pair(
        TO_INTEGER,
        "long double",
        "seen((u16)a);",
        "a > -1 && a < 65536",
    ),
    pair(
        TO_INTEGER,
        "v2",
        "w2 r = __builtin_convertvector(a, w2); seen(r[0]);",
        "a[0] < 9 && a[0] > -9 && a[1] < 9 && a[1] > -9",
    ),
    pair(
        TO_INTEGER,
        "double",
        "volatile double z = 1e10; if (a > 4) seen((int)z);",
        "a < 4",
    ),
];

const COMMON: &str = "
#include <math.h>
typedef float v2 __attribute__((vector_size(8)));
typedef int w2 __attribute__((vector_size(8)));
volatile long double sink;
static inline __attribute__((always_inline)) void seen(long double value) { sink = value; }
";

fn name(checks: FloatChecks) -> &'static str {
    match checks {
        FloatChecks { nan: true, .. } => "not a number",
        FloatChecks { infinity: true, .. } => "infinite result",
        FloatChecks { division: true, .. } => "float division by zero",
        _ => "float-to-integer overflow",
    }
}

#[test]
fn errors_are_found_and_what_is_tested_has_none() {
    let mut wrong = Vec::new();
    for pair in PAIRS {
        let Pair { ty, bad, test, .. } = pair;
        for level in LEVELS {
            let level = format!("{level} -ffp-exception-behavior=maytrap");
            let found = ["1", test].map(|test| {
                let text = format!(
                    "{COMMON} static struct {{ {ty} a, b; }} x; int main(void) {{
                     klee_make_symbolic(&x, sizeof x, \"x\"); {ty} a = x.a, b = x.b;
                     if ({test}) {{ {bad} }} return 0; }}"
                );
                let options = Options {
                    floats: pair.checks,
                    ..Options::default()
                };
                let explored = explore_with(&text, &level, 32, options);
                let mut errors = explored.errors();
                errors.dedup();
                let others = explored.paths.len() - explored.exits();
                (errors, explored.exits() > 0, others)
            });
            let is_right = found[0].0 == [name(pair.checks)]
                && found[0].1
                && found[1] == (Vec::new(), true, 0);
            if !is_right {
                wrong.push(format!("{ty} {bad} {test} {level}: {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What saturates is defined, and so is what no operand of is a number.
#[test]
fn what_is_no_error() {
    let all = FloatChecks {
        nan: true,
        infinity: true,
        division: true,
        to_integer: true,
    };
    let text = format!(
        "{COMMON} static float x; int main(void) {{ klee_make_symbolic(&x, sizeof x, \"x\");
         volatile double nan = __builtin_nan(\"\"), inf = __builtin_inf(); volatile float one = 1;
         if (x == 3) seen(nan + 1); if (x == 4) seen(inf * 2); if (x == 5) seen(sqrt(nan));
         if (x == 6) seen(one / 3); if (x == 7) seen((float)nan); if (x == 8) seen((int)(one * -7.9f));
         if (x == 9) seen(exp(-inf)); if (x == 10) seen(-inf); if (x == 11) seen(fabs(-nan)); return 0; }}"
    );
    let options = Options {
        floats: all,
        ..Options::default()
    };
    for level in LEVELS {
        let level = format!("{level} -ffp-exception-behavior=maytrap");
        let explored = explore_with(&text, &level, 4, options.clone());
        assert_eq!(explored.errors(), Vec::<&str>::new(), "{level}");
        assert_eq!(explored.exits(), 10, "{level}");
    }
}
