//! Calculations with symbolic floats, one at a time: results are the host's.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod support;

use std::ffi::c_int;

use refrain_term::float::HostFunction;
use support::explored::explore;

#[test]
fn symbolic_floats_have_the_bits_that_native_code_gives() {
    type Native = fn(&[u8; 8]) -> u64;
    let programs: [(&str, Native); 10] = [
        ("result = (u64)((double)x[0] * 1.5);", |x| {
            (f64::from(x[0]) * 1.5) as u64
        }),
        ("float f; memcpy(&f, x, 4); result = f > 1.0f;", |x| {
            u64::from(single_of(x) > 1.0)
        }),
        (
            "double d; memcpy(&d, x, 8); result = d > -9e15 && d < 9e15 ? (u64)(i64)d : 7;",
            |x| {
                let d = f64::from_le_bytes(*x);
                if d > -9e15 && d < 9e15 {
                    d as i64 as u64
                } else {
                    7
                }
            },
        ),
        (
            "double d; memcpy(&d, x, 8); d = __builtin_sqrt(d); if (d == d) memcpy(&result, &d, 8); else result = 1;",
            |x| {
                let root = f64::from_le_bytes(*x).sqrt();
                if root.is_nan() { 1 } else { root.to_bits() }
            },
        ),
        ("long double d = x[0]; result = (u64)(d + 0.5L);", |x| {
            u64::from(x[0])
        }),
        (
            "float f = x[0] ? 1.5f : 2.5f; f += 1; memcpy(&result, &f, 4);",
            |x| {
                let f: f32 = if x[0] != 0 { 2.5 } else { 3.5 };
                u64::from(f.to_bits())
            },
        ),
        (
            "i32 n; memcpy(&n, x, 4); float f = (float)n; result = 0; memcpy(&result, &f, 4);",
            |x| {
                let n = i32::from_le_bytes([x[0], x[1], x[2], x[3]]);
                u64::from((n as f32).to_bits())
            },
        ),
        ("_Float16 h; memcpy(&h, x, 2); result = h > 3;", |x| {
            let bits = u16::from_le_bytes([x[0], x[1]]);
            u64::from(bits > 0x4200 && bits <= 0x7c00)
        }),
        (
            "double d; memcpy(&d, x, 8); result = !!__builtin_isnan(d);",
            |x| u64::from(f64::from_le_bytes(*x).is_nan()),
        ),
        (
            "float v[4]; memcpy(v, x, 8); v[2] = v[3] = 1; float s = 0; for (int k = 0; k < 4; k++) s += v[k]; result = s > 3;",
            |x| {
                let other = f32::from_le_bytes([x[4], x[5], x[6], x[7]]);
                let sum = ((0.0 + single_of(x)) + other + 1.0) + 1.0;
                u64::from(sum > 3.0)
            },
        ),
    ];
    let inputs: Vec<[u8; 8]> = [
        0u64,
        1,
        0xff,
        0x3ff0_0000_0000_0000,
        0x4059_0000_0000_0007,
        0xc059_1234_5678_9abc,
        0x7ff0_0000_0000_0000,
        0x7ff8_0000_0000_0001,
        0x3f80_0001_4000_0000,
        0x7f80_0000_ff80_0000,
        0x0000_4201_0000_4300,
        0x8000_0000_0000_7c01,
    ]
    .map(u64::to_le_bytes)
    .to_vec();
    for (body, native) in programs {
        let text = format!(
            "int main(void) {{ u8 x[8]; klee_make_symbolic(x, 8, \"x\"); {body} return 0; }}"
        );
        for level in ["-O0", "-O1", "-O2"] {
            let explored = explore(&text, level, 8);
            assert_eq!(explored.exits(), explored.paths.len(), "{body} {level}");
            for input in &inputs {
                let found = explored.result(input);
                assert_eq!(found, native(input), "{body} {level} {input:?}");
            }
        }
    }
}

fn single_of(x: &[u8; 8]) -> f32 {
    f32::from_le_bytes([x[0], x[1], x[2], x[3]])
}

unsafe extern "C" {
    fn sqrt(a: f64) -> f64;
    fn sin(a: f64) -> f64;
    fn acos(a: f64) -> f64;
    fn atan(a: f64) -> f64;
    fn sinh(a: f64) -> f64;
    fn exp(a: f64) -> f64;
    fn exp2(a: f64) -> f64;
    fn expm1(a: f64) -> f64;
    fn log(a: f64) -> f64;
    fn log1p(a: f64) -> f64;
    fn pow(a: f64, b: f64) -> f64;
    fn atan2(a: f64, b: f64) -> f64;
    fn hypot(a: f64, b: f64) -> f64;
    fn fmod(a: f64, b: f64) -> f64;
    fn remainder(a: f64, b: f64) -> f64;
    fn fdim(a: f64, b: f64) -> f64;
    fn ldexp(a: f64, n: c_int) -> f64;
    fn __signbit(a: f64) -> c_int;
    fn __signbitf(a: f32) -> c_int;
    fn __isinf(a: f64) -> c_int;
    fn __fpclassify(a: f64) -> c_int;
}

/// The linker finds Rust's own under this name, which rounds otherwise.
fn cbrt(a: f64) -> f64 {
    static CBRT: HostFunction = HostFunction::new("cbrt");
    // SAFETY: this is how C declares it.
    let cbrt: extern "C" fn(f64) -> f64 = unsafe { std::mem::transmute(CBRT.address()) };
    cbrt(a)
}

const NUMBERS: [f64; 22] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    2.0,
    -2.5,
    3.0,
    1e-300,
    5e-324,
    1e300,
    -1e308,
    700.0,
    710.0,
    712.0,
    -745.0,
    -746.0,
    -1080.0,
    1024.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

#[test]
fn functions_are_the_hosts() {
    type Native = fn(f64) -> f64;
    // SAFETY: functions of numbers.
    let functions: [(&str, Native); 22] = unsafe {
        [
            ("sqrt(a)", |a| sqrt(a)),
            ("sin(a)", |a| sin(a)),
            ("acos(a)", |a| acos(a)),
            ("atan(a)", |a| atan(a)),
            ("sinh(a)", |a| sinh(a)),
            ("exp(a)", |a| exp(a)),
            ("exp2(a)", |a| exp2(a)),
            ("expm1(a)", |a| expm1(a)),
            ("log(a)", |a| log(a)),
            ("log1p(a)", |a| log1p(a)),
            ("cbrt(a)", |a| cbrt(a)),
            ("pow(a, 2.0)", |a| pow(a, 2.0)),
            ("pow(a, 0.5)", |a| pow(a, 0.5)),
            ("pow(a, -1.0)", |a| pow(a, -1.0)),
            ("atan2(a, 1e10)", |a| atan2(a, 1e10)),
            ("hypot(a, 1.5e308)", |a| hypot(a, 1.5e308)),
            ("fmod(a, 0.75)", |a| fmod(a, 0.75)),
            ("fmod(a, 0.0)", |a| fmod(a, 0.0)),
            ("remainder(a, 3.0)", |a| remainder(a, 3.0)),
            ("fdim(a, -1.7e308)", |a| fdim(a, -1.7e308)),
            ("ldexp(a, 30)", |a| ldexp(a, 30)),
            ("ldexp(a, -1000)", |a| ldexp(a, -1000)),
        ]
    };
    let mut compared = 0;
    for (call, native) in functions {
        let text = format!(
            "#include <math.h>\n
             int main(void) {{ double a; klee_make_symbolic(&a, 8, \"x\"); double r = {call};
             u64 b = 1; if (r == r) memcpy(&b, &r, 8); result = b; return 0; }}"
        );
        let explored = explore(&text, "-O0", 8);
        for number in NUMBERS {
            let value = native(number);
            let bits = if value.is_nan() { 1 } else { value.to_bits() };
            let input = number.to_bits().to_le_bytes();
            // What nobody could decide may leave an input without an end, never with two.
            let taken = explored.all_taken(&input);
            assert!(taken.len() <= 1, "{call} of {number}");
            if !taken.iter().any(|path| path.exits()) {
                continue;
            }
            compared += 1;
            assert_eq!(explored.result(&input), bits, "{call} of {number}");
        }
    }
    eprintln!("{compared} compared");
    assert!(compared > 450, "{compared}");
}

#[test]
fn classes_are_the_hosts() {
    type Native = fn(f64) -> c_int;
    // SAFETY: functions of numbers.
    let functions: [(&str, Native); 4] = unsafe {
        [
            ("__signbit(a)", |a| __signbit(a)),
            ("__signbitf((float)a)", |a| __signbitf(a as f32)),
            ("__isinf(a)", |a| __isinf(a)),
            ("__fpclassify(a)", |a| __fpclassify(a)),
        ]
    };
    for (call, native) in functions {
        let text = format!(
            "int __signbit(double); int __signbitf(float); int __isinf(double); int __fpclassify(double);
             int main(void) {{ double a; klee_make_symbolic(&a, 8, \"x\"); result = (u64)(i64){call}; return 0; }}"
        );
        let explored = explore(&text, "-O0", 8);
        for number in NUMBERS {
            let found = explored.result(&number.to_bits().to_le_bytes());
            assert_eq!(found, native(number) as i64 as u64, "{call} of {number}");
        }
    }
}
