//! Functions of floats in Rust: its casts that saturate, and the methods of `f32` and `f64`.

use std::fmt::Write;

use crate::support::random::Random;

/// What is there in every file: floats from few bytes, so that all exponents occur and paths are decided soon.
const PRELUDE: &str = r#"
use std::cmp::Ordering;
use std::num::FpCategory;
#[repr(align(16))] pub struct Input([u8; 16]); // as C has it
#[unsafe(export_name = "in")] pub static mut IN: Input = Input([0; 16]);
#[unsafe(export_name = "result")] pub static mut RESULT: u64 = 0;
#[unsafe(no_mangle)] pub extern "C" fn reset() {}
fn byte(index: usize) -> u8 { unsafe { IN.0[index] } }
fn f32_of(high: u8, low: u8) -> f32 { f32::from_bits((high as u32) << 24 | (low as u32) << 16) }
fn f64_of(high: u8, low: u8) -> f64 { f64::from_bits((high as u64) << 56 | (low as u64) << 48) }
fn bits32(f: f32) -> u64 { if f.is_nan() { 0x7fc0 } else { f.to_bits() as u64 } }
fn bits64(d: f64) -> u64 { if d.is_nan() { 0x7ff8 } else { d.to_bits() } }
fn class(category: FpCategory) -> u64 {
    match category {
        FpCategory::Nan => 1,
        FpCategory::Infinite => 2,
        FpCategory::Zero => 3,
        FpCategory::Subnormal => 4,
        FpCategory::Normal => 5,
    }
}
fn order(ordering: Option<Ordering>) -> u64 {
    match ordering {
        Some(Ordering::Less) => 1,
        Some(Ordering::Equal) => 2,
        Some(Ordering::Greater) => 3,
        None => 4,
    }
}
"#;

const INTEGERS: [&str; 12] = [
    "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "i128", "u128", "isize", "usize",
];

#[derive(Clone, Copy, PartialEq)]
enum Float {
    Single,
    Double,
}

use Float::{Double, Single};

impl Float {
    fn name(self) -> &'static str {
        match self {
            Single => "f32",
            Double => "f64",
        }
    }

    fn other(self) -> Float {
        match self {
            Single => Double,
            Double => Single,
        }
    }

    fn variable(self) -> &'static str {
        match self {
            Single => "f",
            Double => "d",
        }
    }

    fn constants(self) -> &'static [&'static str] {
        match self {
            Single => &["0.5", "-1.0", "-0.0", "1e38", "0.1", "1e-40", "16777217.0"],
            Double => &["0.0", "-0.0", "1.0", "0.1", "-2.5", "1e300", "1e-310"],
        }
    }
}

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

    fn byte(&mut self) -> String {
        format!("byte({})", self.below(4))
    }

    /// A float whose bits are all from the input: its sign is certain, even that of a NaN.
    fn leaf(&mut self, float: Float) -> String {
        format!("{}_of({}, {})", float.name(), self.byte(), self.byte())
    }

    fn float(&mut self, float: Float, depth: usize) -> String {
        let name = float.name();
        if depth == 0 || self.below(6) == 0 {
            return match self.below(7) {
                0 => format!("({}{name})", self.random.pick(float.constants())),
                1 | 2 => self.leaf(float),
                3 => format!("({} as i8 as {name})", self.byte()),
                4 => format!("({} as i8 as {name} * 0.25)", self.byte()),
                5 => format!("({} as {name})", self.leaf(float.other())),
                _ => float.variable().to_owned(),
            };
        }
        let next = depth - 1;
        let one = self.float(float, next);
        match self.below(20) {
            0..=3 => {
                let operator = self.random.pick(&["+", "-", "*", "+", "*"]);
                format!("({one} {operator} {})", self.float(float, next))
            }
            4 => format!("({one} / {})", self.float(float, next)),
            5 => format!("({one} % {:?}{name})", [1.0, 2.5, -4.0][self.below(3)]),
            6 => format!("(-{one})"),
            7 | 8 => {
                let method = self.random.pick(&[
                    "abs",
                    "floor",
                    "ceil",
                    "trunc",
                    "round",
                    "round_ties_even",
                    "fract",
                ]);
                format!("{one}.{method}()")
            }
            9 => format!("{one}.sqrt()"),
            10 => {
                // Which zero it is, is not said.
                let method = self.random.pick(&["min", "max"]);
                format!("({one}.{method}({}) + 0.0)", self.float(float, next))
            }
            11 => {
                let (low, high) =
                    self.random
                        .pick(&[("-1.5", "2.0"), ("0.0", "0.0"), ("-1e30", "1e-30")]);
                format!("{one}.clamp({low}, {high})")
            }
            12 => format!("{one}.copysign({})", self.leaf(float)),
            13 => format!(
                "{one}.mul_add({}, {})",
                self.float(float, next),
                self.float(float, next)
            ),
            14 | 15 => format!(
                "(if {} {{ {one} }} else {{ {} }})",
                self.condition(next),
                self.float(float, next)
            ),
            16 | 17 => format!("({} as {name})", self.float(float.other(), next)),
            18 => format!("({one} as {} as {name})", self.random.pick(&INTEGERS)),
            _ => {
                // Beside it: the float with the bits of the one next to it.
                format!("{name}::from_bits({}.to_bits() ^ 1)", self.leaf(float))
            }
        }
    }

    fn any_float(&mut self) -> Float {
        self.random.pick(&[Single, Double])
    }

    fn condition(&mut self, depth: usize) -> String {
        let float = self.any_float();
        match self.below(7) {
            0..=3 => {
                let compare = self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
                let one = self.float(float, depth);
                format!("({one} {compare} {})", self.float(float, depth))
            }
            4 => format!("{}.is_sign_negative()", self.leaf(float)),
            5 => format!(
                "({}.total_cmp(&{}) == Ordering::Less)",
                self.leaf(float),
                self.leaf(float)
            ),
            _ => {
                let test = self.random.pick(&[
                    "is_nan",
                    "is_infinite",
                    "is_finite",
                    "is_normal",
                    "is_subnormal",
                ]);
                format!("{}.{test}()", self.float(float, depth))
            }
        }
    }

    /// A number made of floats.
    fn number(&mut self) -> String {
        let float = self.any_float();
        match self.below(6) {
            0..=2 => {
                let integer = self.random.pick(&INTEGERS);
                format!("(({} as {integer}) as u64)", self.float(float, 2))
            }
            3 => format!("class({}.classify())", self.float(float, 1)),
            4 => format!(
                "order({}.partial_cmp(&{}))",
                self.float(float, 1),
                self.float(float, 1)
            ),
            _ => format!(
                "order(Some({}.total_cmp(&{})))",
                self.leaf(float),
                self.leaf(float)
            ),
        }
    }

    fn assignment(&mut self, depth: usize) -> String {
        let float = self.any_float();
        format!("{} = {};", float.variable(), self.float(float, depth))
    }

    pub fn function(&mut self, number: usize) -> String {
        let mut text = format!(
            "extern \"C\" fn f{number}() -> u64 {{\n    let mut d = {};\n    let mut f = {};\n    let mut r = 1u64;\n",
            self.leaf(Double),
            self.leaf(Single)
        );
        for _ in 0..1 + self.below(3) {
            let statement = match self.below(6) {
                0 | 1 => format!("if {} {{ r = r.wrapping_mul(3) + 1; }}", self.condition(2)),
                2 => self.assignment(2),
                3 | 4 => format!("r ^= {};", self.number()),
                _ => format!(
                    "if {} {{ {} }} else {{ {} }}",
                    self.condition(1),
                    self.assignment(1),
                    self.assignment(1)
                ),
            };
            let _ = writeln!(text, "    {statement}");
        }
        text.push_str("    r ^ bits64(d).wrapping_mul(5) ^ bits32(f).wrapping_mul(7)\n}\n");
        text
    }
}

/// A file of these functions.
pub fn file(functions: &[String]) -> String {
    let mut text = PRELUDE.to_owned();
    let mut names = Vec::new();
    for (number, function) in functions.iter().enumerate() {
        text.push_str(function);
        let _ = writeln!(
            text,
            "#[unsafe(no_mangle)] pub extern \"C\" fn main{number}() -> i32 {{ unsafe {{ RESULT = f{number}() }} 0 }}"
        );
        names.push(format!("f{number}"));
    }
    let _ = writeln!(
        text,
        "#[unsafe(no_mangle)] pub static functions: [extern \"C\" fn() -> u64; {}] = [{}];",
        names.len(),
        names.join(", ")
    );
    text
}
