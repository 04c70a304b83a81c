//! Random functions of symbolic floats: every input takes exactly one path, and that path's result is bit for bit what
//! native code gives, but for which NaN it is.
//!
//! `REFRAIN_FLOAT_FILES` and `REFRAIN_FLOAT_SEED` have it try others.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod support;

use std::fmt::Write;

use refrain_testing::count;
use support::check::{Count, Setup, check_text};
use support::random::Random;
use support::{compile, render};

const FUNCTIONS: usize = 6;

/// What is there in every file: floats from few bytes, so that all exponents occur and paths are decided soon.
const PRELUDE: &str = r#"
#include <math.h>
static float f32_of(u8 high, u8 low) { u32 b = (u32)high << 24 | (u32)low << 16; float f; memcpy(&f, &b, 4); return f; }
static double f64_of(u8 high, u8 low) { u64 b = (u64)high << 56 | (u64)low << 48; double d; memcpy(&d, &b, 8); return d; }
static u64 bits64(double d) { u64 b; if (d != d) return 0x7ff8; memcpy(&b, &d, 8); return b; }
static u64 bits32(float f) { u32 b; if (f != f) return 0x7fc0; memcpy(&b, &f, 4); return b; }
static i64 int_of(double d) { return d > -1e15 && d < 1e15 ? (i64)d : 77; }
static u32 unsigned_of(double d) { return d > -0.5 && d < 4e9 ? (u32)d : 99; }
static int narrow_of(float f) { return f > -2e9f && f < 2e9f ? (int)f : 55; }
"#;

struct Writer {
    random: Random,
}

impl Writer {
    fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound)
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }

    fn byte(&mut self) -> String {
        format!("in[{}]", self.below(4))
    }

    fn double(&mut self, depth: usize) -> String {
        if depth == 0 || self.below(6) == 0 {
            return match self.below(7) {
                0 => self
                    .pick(&[
                        "0.0", "-0.0", "1.0", "0.1", "-2.5", "1e300", "4.0", "1e-310", "INFINITY",
                    ])
                    .to_owned(),
                1 | 2 => format!("f64_of({}, {})", self.byte(), self.byte()),
                3 => format!("(double)(i8){}", self.byte()),
                4 => format!("(i8){} * 0.25", self.byte()),
                5 => "d".to_owned(),
                _ => format!("(double)f32_of({}, {})", self.byte(), self.byte()),
            };
        }
        let next = depth - 1;
        match self.below(16) {
            0..=2 => format!("({} + {})", self.double(next), self.double(next)),
            3 => format!("({} - {})", self.double(next), self.double(next)),
            4 | 5 => format!("({} * {})", self.double(next), self.double(next)),
            6 => format!("({} / {})", self.double(next), self.double(next)),
            7 => format!("-({})", self.double(next)),
            8 | 9 => {
                let function =
                    self.pick(&["fabs", "floor", "ceil", "trunc", "rint", "round", "sqrt"]);
                format!("{function}({})", self.double(next))
            }
            10 => {
                let function = self.pick(&["fmin", "fmax"]);
                format!(
                    "({function}({}, {}) + 0.0)",
                    self.double(next),
                    self.double(next)
                )
            }
            11 => format!("copysign({}, {})", self.double(next), self.double(next)),
            12 => format!("(double)({})", self.float(next)),
            13 => format!(
                "({} ? {} : {})",
                self.condition(next),
                self.double(next),
                self.double(next)
            ),
            14 => format!("(double)int_of({})", self.double(next)),
            _ => format!("ldexp({}, (i8){} / 4)", self.double(next), self.byte()),
        }
    }

    fn float(&mut self, depth: usize) -> String {
        if depth == 0 || self.below(5) == 0 {
            return match self.below(5) {
                0 => self
                    .pick(&["0.5f", "-1.0f", "3.0f", "1e38f", "0.1f"])
                    .to_owned(),
                1 | 2 => format!("f32_of({}, {})", self.byte(), self.byte()),
                3 => format!("(float)(i8){}", self.byte()),
                _ => "f".to_owned(),
            };
        }
        let next = depth - 1;
        match self.below(10) {
            0 | 1 => format!("({} + {})", self.float(next), self.float(next)),
            2 | 3 => format!("({} * {})", self.float(next), self.float(next)),
            4 => format!("({} / {})", self.float(next), self.float(next)),
            5 => format!("(float)({})", self.double(next)),
            6 => {
                let function =
                    self.pick(&["fabsf", "floorf", "ceilf", "truncf", "roundf", "sqrtf"]);
                format!("{function}({})", self.float(next))
            }
            7 => format!(
                "fmaf({}, {}, {})",
                self.float(next),
                self.float(next),
                self.float(next)
            ),
            8 => format!(
                "({} ? {} : {})",
                self.condition(next),
                self.float(next),
                self.float(next)
            ),
            _ => format!("(float)narrow_of({})", self.float(next)),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        let compare = self.pick(&["<", "<=", ">", ">=", "==", "!="]);
        match self.below(6) {
            0..=2 => format!("({} {compare} {})", self.double(depth), self.double(depth)),
            3 | 4 => format!("({} {compare} {})", self.float(depth), self.float(depth)),
            _ => {
                let test = self.pick(&["isnan", "isinf", "signbit", "isfinite", "isnormal"]);
                format!("(!!{test}({}))", self.double(depth))
            }
        }
    }

    fn function(&mut self, number: usize) -> String {
        let mut text = format!(
            "u64 f{number}(void) {{\n  double d = {};\n",
            self.double_leaf()
        );
        let _ = writeln!(
            text,
            "  float f = f32_of({}, {});\n  u64 r = 1;",
            self.byte(),
            self.byte()
        );
        for _ in 0..1 + self.below(3) {
            let statement = match self.below(6) {
                0 | 1 => format!("if ({}) r = r * 3 + 1;", self.condition(2)),
                2 => format!("d = {};", self.double(2)),
                3 => format!("f = {};", self.float(2)),
                4 => format!("r ^= unsigned_of({});", self.double(1)),
                _ => format!(
                    "if ({}) d = {}; else f = {};",
                    self.condition(1),
                    self.double(1),
                    self.float(1)
                ),
            };
            let _ = writeln!(text, "  {statement}");
        }
        text.push_str("  return r ^ bits64(d) * 5 ^ bits32(f) * 7;\n}\n");
        text
    }

    fn double_leaf(&mut self) -> String {
        format!("f64_of({}, {})", self.byte(), self.byte())
    }
}

fn file(seed: u64) -> String {
    let mut text = format!("{}{PRELUDE}", render::PRELUDE);
    for number in 0..FUNCTIONS {
        let mut writer = Writer {
            random: Random::new(seed * 100 + number as u64),
        };
        text.push_str(&writer.function(number));
        let _ = writeln!(
            text,
            "int main{number}(void) {{ result = f{number}(); return 0; }}"
        );
    }
    let names: Vec<String> = (0..FUNCTIONS).map(|number| format!("f{number}")).collect();
    let _ = writeln!(
        text,
        "u64 (*const functions[])(void) = {{ {} }};",
        names.join(", ")
    );
    text
}

#[test]
fn paths_agree_with_native_code() {
    let clangs = compile::clangs();
    let files = count("REFRAIN_FLOAT_FILES", 9, 300);
    let first = count("REFRAIN_FLOAT_SEED", 400, 400);
    let directory = tempfile::tempdir().expect("a directory for the compiler");
    let mut total = Count::default();
    let mut wrong = Vec::new();
    for seed in first..first + files {
        let setup = Setup {
            clang: &clangs[(seed / 3) as usize % clangs.len()],
            level: ["-O0", "-O1", "-O2"][seed as usize % 3],
            directory: directory.path(),
            inputs: 200,
            options: Default::default(),
        };
        let text = file(seed);
        let (checked, failures) = check_text(&setup, &text, FUNCTIONS, seed)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        total.add(checked);
        wrong.extend(failures.into_iter().map(|failure| {
            let mut writer = Writer {
                random: Random::new(seed * 100 + failure.function as u64),
            };
            let (clang, level) = (setup.clang.display(), setup.level);
            let function = writer.function(failure.function);
            format!("seed {seed}, {clang} {level}: {}\n{function}", failure.what)
        }));
    }
    eprintln!("{total:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Most programs are gone through to the end, or little is tested.
    assert!(
        total.incomplete * 2 <= files as usize * FUNCTIONS,
        "{total:?}"
    );
    assert_eq!(total.refused, 0, "{total:?}");
}
