//! Rust, whose symbols have hashes, and whose panics know their lines.

use super::build::{Known, assert_same, compile, known_of};

use std::collections::BTreeMap;

const PIECES: [&str; 6] = [
    r#"pub struct Meter { pub total: u32, limit: u32 }
    impl Meter {
        #[inline(never)] pub fn add(&mut self, by: u32) -> Result<u32, &'static str> {
            self.total += by;
            if self.total > self.limit { return Err("too much"); }
            Ok(self.total)
        }
    }"#,
    r#"pub trait Shape { fn area(&self) -> u64; fn name(&self) -> &'static str { "shape" } }
    pub struct Square(pub u64);
    impl Shape for Square {
        #[inline(never)] fn area(&self) -> u64 { self.0.checked_mul(self.0).expect("it fits") }
    }
    static SQUARE: Square = Square(3);
    #[inline(never)] pub fn boxed() -> &'static dyn Shape { &SQUARE }"#,
    r#"#[inline(never)] pub fn widest<T: Into<u64> + Copy>(of: &[T]) -> u64 {
        let mut most = 0;
        for &one in of { let one: u64 = one.into(); if one > most { most = one; } }
        most / (of.len() as u64)
    }"#,
    r#"static NAMES: [&str; 3] = ["none", "one", "many"];
    #[inline(never)] pub fn name(count: usize) -> &'static str { NAMES[count] }"#,
    r#"static COUNTER: core::sync::atomic::AtomicU32 = core::sync::atomic::AtomicU32::new(7);
    #[inline(never)] pub fn counted(x: u32) -> u32 {
        let twice = |y: u32| y * 2;
        let all = COUNTER.fetch_add(twice(x), core::sync::atomic::Ordering::Relaxed);
        assert!(all > 3, "a counter of {}", all);
        all
    }"#,
    r#"#[inline(never)] pub fn parsed(text: &[u8]) -> Option<i32> {
        match text {
            [b'-', rest @ ..] => Some(-(rest.len() as i32)),
            [first, ..] => Some(i32::from(*first) / 2),
            [] => None,
        }
    }"#,
];

const MAIN: &str = r#"
pub fn all(x: u32, text: &[u8]) -> u64 {
    let mut meter = Meter { total: 1, limit: 9 };
    let added = meter.add(x).unwrap();
    u64::from(added) + boxed().area() + boxed().name().len() as u64 + widest(&[1u8, 2]) + widest(&[3u32, x])
        + name(x as usize).len() as u64 + u64::from(counted(x)) + parsed(text).unwrap_or(0) as u64
}
"#;

fn program(pieces: &[&str]) -> String {
    format!("#![no_std]\n{}\n{MAIN}", pieces.join("\n"))
}

fn build(options: &str, text: &str) -> BTreeMap<String, Known> {
    let options = format!("--crate-type=lib --crate-name=sample -Awarnings {options}");
    known_of(&compile("rustc", &options, "sample.rs", text))
}

const LEVELS: [&str; 3] = [
    "-Copt-level=0",
    "-Copt-level=0 -g",
    "-Copt-level=1 -Coverflow-checks=on",
];

#[test]
fn edits_elsewhere_leave_functions_alone() {
    let inserted = r#"
        pub struct Early(u8);
        impl Early { #[inline(never)] pub fn get(&self, at: &[u8]) -> u8 { at[usize::from(self.0)] } }
        impl Default for Early { #[inline(never)] fn default() -> Early { Early(b"early"[0]) } }
        impl Shape for Early { #[inline(never)] fn area(&self) -> u64 { u64::from(self.0) } }
        static EARLY: [&str; 2] = ["early", "none"];
        #[inline(never)] pub fn early(x: usize) -> &'static str { let same = |y: usize| y; EARLY[same(x)] }"#;
    let mut reversed = PIECES;
    reversed.reverse();
    let mut before = vec![inserted];
    before.extend(PIECES);
    let plain = program(&PIECES);
    let edits = [
        ("nothing", plain.clone()),
        ("comments", plain.replacen('\n', "\n// a\n// b\n\n", 1)),
        ("a function before", program(&before)),
        ("another order", program(&reversed)),
    ];
    for level in LEVELS {
        let known = build(level, &plain);
        for wanted in ["sample::Meter::add", "sample::name", "sample::parsed"] {
            assert!(known.contains_key(wanted), "{wanted}: {:?}", known.keys());
        }
        for (what, text) in &edits {
            let after = build(level, text);
            assert_same(&known, &after, &[], &format!("{what} {level}"));
        }
    }
}

#[test]
fn edits_change_the_functions_they_touch() {
    let edits: [(&str, &str, &[&str]); 7] = [
        (
            "total > self.limit",
            "total >= self.limit",
            &["sample::Meter::add"],
        ),
        (
            "self.total += by",
            "self.total = self.total.wrapping_add(by)",
            &["sample::Meter::add"],
        ),
        ("\"too much\"", "\"too many\"", &["sample::Meter::add"]),
        ("\"many\"", "\"some\"", &["sample::name"]),
        ("new(7)", "new(8)", &["sample::counted"]),
        ("a counter of", "the counter is", &["sample::counted"]),
        ("/ 2)", "/ 3)", &["sample::parsed"]),
    ];
    let plain = program(&PIECES);
    for level in LEVELS {
        let known = build(level, &plain);
        for (from, to, touched) in edits {
            assert_eq!(plain.matches(from).count(), 1, "{from}");
            let after = build(level, &plain.replace(from, to));
            let what = format!("{from} is {to} {level}");
            assert_same(&known, &after, touched, &what);
            for symbol in touched {
                assert_ne!(known[*symbol].hash, after[*symbol].hash, "{what}: {symbol}");
            }
        }
    }
}
