//! Functions of floats in C.

use std::fmt::Write;

use crate::support::random::Random;
use crate::support::render;

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

pub struct Writer {
    random: Random,
}

impl Writer {
    pub fn new(seed: u64) -> Writer {
        Writer {
            random: Random::new(seed),
        }
    }

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

    pub fn function(&mut self, number: usize) -> String {
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

/// A file of these functions.
pub fn file(functions: &[String]) -> String {
    let mut text = format!("{}{PRELUDE}", render::PRELUDE);
    let mut names = Vec::new();
    for (number, function) in functions.iter().enumerate() {
        text.push_str(function);
        let _ = writeln!(
            text,
            "int main{number}(void) {{ result = f{number}(); return 0; }}"
        );
        names.push(format!("f{number}"));
    }
    let _ = writeln!(
        text,
        "u64 (*const functions[])(void) = {{ {} }};",
        names.join(", ")
    );
    text
}
