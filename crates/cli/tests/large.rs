//! Deep and long scripts: answered in memory linear in their size.
//!
//! A million of everything in release builds, less where checks of the builds for tests slow things down.

mod common;

use std::fmt::Write;

use common::run_counted;

/// The size of the small scripts; the large ones are four times as large.
const SIZE: usize = if cfg!(debug_assertions) {
    50_000
} else {
    250_000
};
const TIMES: usize = 4;

/// No shape here takes more for each of its parts, with as much again to spare.
const BYTES_EACH: usize = 4_000;

const HEADER: &str =
    "(declare-const x (_ BitVec 32))(declare-const y (_ BitVec 32))(declare-const p Bool)\n";

/// One assertion of a term that is nested `size` deep.
fn deep(before: &str, open: &str, inside: &str, close: &str, after: &str, size: usize) -> String {
    let (open, close) = (open.repeat(size), close.repeat(size));
    format!("{HEADER}(assert {before}{open}{inside}{close}{after})(check-sat)")
}

/// `size` lines.
fn long(size: usize, line: impl Fn(&mut String, usize)) -> String {
    let mut script = HEADER.to_owned();
    for number in 0..size {
        line(&mut script, number);
        script.push('\n');
    }
    script + "(check-sat)"
}

fn put(script: &mut String, text: std::fmt::Arguments) {
    script.write_fmt(text).expect("memory can be written");
}

type Shape = (&'static str, fn(usize) -> String);

const SHAPES: [Shape; 6] = [
    ("deep-sum", |size| {
        deep("(= y ", "(bvadd x (bvxor y ", "x", "))", ")", size)
    }),
    ("deep-choice", |size| {
        deep("(bvult y ", "(ite p x (bvnot ", "x", "))", ")", size)
    }),
    ("deep-formula", |size| {
        deep("", "(and p (or (= x y) ", "p", "))", "", size)
    }),
    ("long-repeated", |size| {
        long(size, |script, i| {
            put(
                script,
                format_args!("(assert (bvuge x (_ bv{} 32)))", i % 1000),
            );
        })
    }),
    ("long-distinct", |size| {
        long(size, |script, i| {
            put(script, format_args!("(assert (bvuge x (_ bv{i} 32)))"));
        })
    }),
    ("long-variables", |size| {
        long(size, |script, i| {
            put(
                script,
                format_args!("(declare-const v{i} (_ BitVec 32))(assert (bvult v{i} y))"),
            );
        })
    }),
];

/// The most memory that a script of this size took.
fn memory(name: &str, shape: fn(usize) -> String, size: usize) -> f64 {
    let (found, stats) = run_counted(&format!("{name}-{size}.smt2"), &shape(size), &[]);
    let errors = String::from_utf8_lossy(&found.stderr);
    assert_eq!(found.status.code(), Some(0), "{name}: {errors}");
    assert_eq!(String::from_utf8_lossy(&found.stdout), "sat\n", "{name}");
    let memory = stats.pointer("/memory/peak_bytes");
    memory
        .and_then(serde_json::Value::as_f64)
        .expect("a number")
}

#[test]
fn deep_and_long_scripts_take_memory_linear_in_their_size() {
    for (name, shape) in SHAPES {
        let small = memory(name, shape, SIZE);
        let large = memory(name, shape, SIZE * TIMES);
        let growth = large / small;
        assert!(
            growth < 1.5 * TIMES as f64,
            "{name}: {TIMES} times the size takes {growth:.1} times the memory"
        );
        let most = BYTES_EACH * SIZE * TIMES;
        assert!(large < most as f64, "{name}: {large} bytes");
    }
}
