//! Deep and long scripts: as deep as memory goes, in time and memory linear in their size.
//!
//! A million nested terms and a million assertions; `SCRIPT_SIZE=N` sets another size.

mod common;

use std::fmt::Write;

fn size() -> usize {
    std::env::var("SCRIPT_SIZE")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1_000_000)
}

fn answers(script: &str) -> String {
    // On a small stack: depth of a term must not be depth of calls.
    let script = script.to_owned();
    let run = move || {
        let (mut session, regular, _) = common::session();
        session
            .run_script(script.as_bytes())
            .expect("memory can be written");
        regular.text()
    };
    let thread = std::thread::Builder::new()
        .stack_size(512 << 10)
        .spawn(run)
        .expect("a thread");
    thread.join().expect("no panic")
}

fn nested(open: &str, inside: &str, close: &str) -> String {
    nested_by(size(), open, inside, close)
}

fn nested_by(size: usize, open: &str, inside: &str, close: &str) -> String {
    let mut text = String::with_capacity((open.len() + close.len()) * size + inside.len());
    (0..size).for_each(|_| text.push_str(open));
    text.push_str(inside);
    (0..size).for_each(|_| text.push_str(close));
    text
}

const HEADER: &str =
    "(declare-const x (_ BitVec 4))(declare-const y (_ BitVec 4))(declare-const p Bool)";

#[test]
fn deep_terms() {
    let cases = [
        nested("(ite (bvult x y) x (bvudiv y ", "x", "))"),
        nested("(bvadd x (bvmul y ", "x", "))"),
        nested("(bvudiv x ", "y", ")"),
        nested("(let ((x (bvnot (bvudiv x y)))) ", "x", ")"),
        nested("((_ extract 3 0) (concat x ", "y", "))"),
    ];
    for term in cases {
        let script = format!("{HEADER}(assert (= x {term}))(check-sat)(exit)");
        let found = answers(&script);
        assert!(
            found == "sat\n" || found == "unsat\n",
            "{found} for {}",
            &term[..40]
        );
    }
    let formula = nested("(xor p (and (= x y) ", "p", "))");
    let script = format!("{HEADER}(assert {formula})(check-sat)");
    assert!(["sat\n", "unsat\n"].contains(&&*answers(&script)));
}

/// Where coefficients grow with depth, their digits alone are quadratic in it: those nest less.
#[test]
fn deep_numbers() {
    let (deep, shallow) = (size() / 10, size() / 200);
    let header = "(declare-const i Int)(declare-const r Real)(declare-const p Bool)";
    let cases = [
        ("i", nested_by(deep, "(+ i ", "1", ")")),
        ("i", nested_by(deep, "(- ", "i", " 2)")),
        ("i", nested_by(shallow, "(+ (* 2 ", "i", ") 1)")),
        (
            "i",
            nested_by(deep, "(ite p 0 (ite (< i 3) i (- ", "i", ")))"),
        ),
        ("i", nested_by(deep, "(ite (< i 5) (div ", "i", " 2) i)")),
        ("i", nested_by(deep, "(mod (* i ", "i", ") 7)")),
        ("i", nested_by(deep, "(let ((i (+ (abs i) 1))) ", "i", ")")),
        ("r", nested_by(shallow, "(/ ", "r", " 2.0)")),
        ("r", nested_by(deep, "(- ", "r", ")")),
    ];
    for (symbol, term) in cases {
        let script = format!("{header}(assert (= {symbol} {term}))(check-sat)(exit)");
        let found = answers(&script);
        assert!(
            ["sat\n", "unsat\n", "unknown\n"].contains(&&*found),
            "{found} for {}",
            &term[..20]
        );
    }
}

#[test]
fn deep_nonsense() {
    let size = size();
    for open in [
        "(",
        "(assert (",
        "(assert (not ",
        "(assert (let ((x ",
        "(declare-const z (Array ",
        "(set-info :x (",
    ] {
        let found = answers(&format!("{HEADER}{}", open.repeat(size)));
        assert!(found.starts_with("(error \"line 1 column "), "{found}");
    }
}

#[test]
fn many_assertions() {
    let mut script = HEADER.to_owned();
    for number in 0..size() {
        writeln!(script, "(assert (bvuge x #x{:x}))", number % 3).expect("memory can be written");
    }
    script.push_str("(check-sat)(get-value (x))");
    assert_eq!(answers(&script), "sat\n((x #x2))\n");
}

#[test]
fn many_declarations_scopes_and_bindings() {
    let size = size() / 10;
    let mut script = String::new();
    for number in 0..size {
        writeln!(
            script,
            "(push)(declare-const v{number} Bool)(define-fun d{number} () Bool (not v{number}))"
        )
        .expect("memory");
    }
    script.push_str("(assert (let (");
    for number in 0..size {
        write!(script, "(l{number} d{number})").expect("memory can be written");
    }
    writeln!(
        script,
        ") l7))(check-sat)(get-value (v7))(pop {size})(check-sat)(get-info :assertion-stack-levels)"
    )
    .expect("memory");
    assert_eq!(
        answers(&script),
        "sat\n((v7 false))\nsat\n(:assertion-stack-levels 0)\n"
    );
}

#[test]
fn long_sums_and_numerals() {
    let size = size() / 10;
    let header = "(declare-const i Int)(declare-const r Real)";
    let addends = "i 1 ".repeat(size);
    let links: String = (0..size).map(|link| format!("{link} ")).collect();
    let script = format!("{header}(assert (= (+ {addends}) (- {addends})))(assert (< {links}i))");
    assert_eq!(answers(&script), "");
    // A number of so many digits, there and back.
    let digits = "1234567890".repeat(size / 10);
    let script = format!(
        "{header}(check-sat)(get-value ({digits}))(get-value ((- {digits} {digits})))\
         (get-value (0.{digits}))(assert (= i (* {digits} {digits})))(assert (< r {digits}.{digits}))"
    );
    let found = answers(&script);
    let mut lines = found.lines();
    assert_eq!(lines.next(), Some("sat"));
    assert_eq!(
        lines.next(),
        Some(&*format!("(({digits} {digits}))")),
        "as it was written"
    );
    assert!(lines.next().is_some_and(|line| line.ends_with(" 0))")));
    assert!(lines.next().is_some_and(|line| line.contains(" (/ ")));
    assert_eq!(lines.next(), None);
}
