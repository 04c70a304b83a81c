//! Programs whose coverage is known line by line: it stands in them.

use std::collections::BTreeMap;

use refrain_machine::Parameter;
use refrain_results::Run;
use serde_json::Value;

use crate::scene::{KINDS, OVERLOADS, SHAPES, Scene, THROWN, exit, kinds, shapes};

/// By line: how many tests run it, and how many go each way of each of its branches.
type Lines = BTreeMap<u64, (u64, Vec<Vec<u64>>)>;

/// What the comments behind the lines say: `//= 3 [1, 2]`.
fn expected(text: &str) -> Lines {
    let lines = (1..).zip(text.lines());
    let lines = lines.filter_map(|(line, text)| {
        let (_, says) = text.split_once("//= ")?;
        let mut parts = says.split('[');
        let tests = parts.next()?.trim().parse().expect("a number");
        let branches = parts.map(|part| {
            let numbers = part.trim().trim_end_matches(']').split(", ");
            numbers.map(|n| n.parse().expect("a number")).collect()
        });
        Some((line, (tests, branches.collect())))
    });
    lines.collect()
}

fn found(file: &Value) -> Lines {
    let list = |name: &str| file[name].as_array().expect("a list").clone();
    let number = |value: &Value| value.as_u64().expect("a number");
    let mut lines: Lines = list("lines")
        .iter()
        .map(|line| (number(&line["line"]), (number(&line["tests"]), Vec::new())))
        .collect();
    for branch in list("branches") {
        let outcomes = branch["outcomes"].as_array().expect("a list");
        let line = lines.entry(number(&branch["line"])).or_default();
        line.1.push(outcomes.iter().map(number).collect());
    }
    lines
}

#[track_caller]
fn are_as_expected(text: &str, json: &Value) {
    let files = json["files"].as_array().expect("a list");
    assert_eq!(files.len(), 1, "{files:?}");
    let (found, expected) = (found(&files[0]), expected(text));
    for (line, code) in (1..).zip(text.lines()) {
        assert_eq!(found.get(&line), expected.get(&line), "{line}: {code}");
    }
    assert_eq!(found.len(), expected.len());
}

fn functions(file: &Value) -> Vec<(&str, u64, u64)> {
    let functions = file["functions"].as_array().expect("a list").iter();
    let functions = functions.map(|function| {
        let number = |name: &str| function[name].as_u64().expect("a number");
        let name = function["name"].as_str().expect("a name");
        (name, number("line"), number("tests"))
    });
    functions.collect()
}

#[test]
fn every_line_of_a_c_program() {
    let json = kinds().json(&[]);
    are_as_expected(KINDS, &json);
    assert_eq!(
        functions(&json["files"][0]),
        [
            ("leave", 7, 7),
            ("never", 12, 0),
            ("kind", 16, 6),
            ("main", 28, 7)
        ]
    );
}

#[test]
fn every_line_of_a_rust_program() {
    let json = shapes().json(&[]);
    are_as_expected(SHAPES, &json);
    assert_eq!(
        functions(&json["files"][0]),
        [
            ("shapes::read", 12, 4),
            ("shapes::larger", 21, 2),
            ("shapes::never", 29, 0),
            ("shapes::main", 33, 4),
            ("shapes::main::{{closure}}", 41, 2),
        ]
    );
}

#[test]
fn what_an_exception_jumps_over_has_not_run() {
    let tests = [(0, 3), (1, 0)].map(|(x, status)| ("x", vec![x, 0, 0, 0], exit(status)));
    let scene = Scene::new("thrown.cpp", THROWN, &tests, Run::default());
    are_as_expected(THROWN, &scene.json(&[]));
}

#[test]
fn overloads_are_told_apart_and_headers_left_out() {
    let tests = [1u8, 150, 200].map(|n| ("n", vec![n], exit(if n == 150 { 97 } else { 2 })));
    let scene = Scene::new("overloads.cpp", OVERLOADS, &tests, Run::default());
    let json = scene.json(&[]);
    let files = json["files"].as_array().expect("a list");
    assert_eq!(files.len(), 1, "{files:?}");
    let functions = functions(&files[0]);
    for known in [
        ("twice(int, char)", 17, 1),
        ("twice(int, int)", 18, 1),
        ("Stack<int>::pop()", 8, 3),
        ("Stack<char>::pop()", 8, 1),
    ] {
        assert!(functions.contains(&known), "{known:?} {functions:?}");
    }
    let all = scene.covered(&["--all-files"]);
    assert!(all.contains("/bits/stl_vector.h "), "{all}");
    assert!(!scene.covered(&[]).contains("stl_vector"));
}

/// What a test runs does not depend on the tests before it.
#[test]
fn a_test_by_itself_runs_what_it_runs_among_others() {
    let scene = kinds();
    let all = scene.json(&[]);
    for number in 1..=7u64 {
        let alone = scene.json(&["--test", &number.to_string()]);
        let tests = alone["tests"].as_array().expect("a list");
        assert_eq!(tests.len(), 1);
        let among = &all["tests"][number as usize - 1];
        for what in ["test", "outcome", "lines", "branches", "functions"] {
            assert_eq!(tests[0][what], among[what], "{number}: {what}");
        }
    }
    let two = scene.json(&["--test", "6", "--test", "2"]);
    assert_eq!(two["tests"].as_array().map(Vec::len), Some(2));
    assert_eq!(two["files"][0]["lines"][0]["tests"], 2);
}

/// Enough tests for several workers.
#[test]
fn many_tests_are_counted_once_each() {
    let text = "#include <klee/klee.h>\nint main(void) {\n  unsigned char x;\n  klee_make_symbolic(&x, 1, \"x\");\n  int n = 0;\n  if (x % 3 == 0)\n    n++;\n  return n;\n}\n";
    let tests: Vec<_> = (0..120u8)
        .map(|x| ("x", vec![x], exit(i32::from(x % 3 == 0))))
        .collect();
    let scene = Scene::new("third.c", text, &tests, Run::default());
    let json = scene.json(&[]);
    let lines = found(&json["files"][0]);
    assert_eq!(lines[&6], (120, vec![vec![40, 80]]));
    assert_eq!(lines[&7], (40, Vec::new()));
    let numbers = json["tests"].as_array().expect("a list").iter();
    let numbers: Vec<u64> = numbers.filter_map(|test| test["test"].as_u64()).collect();
    assert_eq!(numbers, (1..=120).collect::<Vec<u64>>());
}

#[test]
fn a_function_by_itself() {
    let text =
        "int parse(const char *text) {\n  if (text[0] == 'a')\n    return 1;\n  return 0;\n}\n";
    let run = Run {
        entry: "parse".into(),
        parameters: vec![Parameter {
            name: "text".into(),
            bits: 64,
            pointer: true,
            buffer: Some(2),
            ..Parameter::default()
        }],
        ..Run::default()
    };
    let tests = [
        ("text", b"a\0".to_vec(), exit(0)),
        ("text", b"b\0".to_vec(), exit(0)),
    ];
    let scene = Scene::new("parse.c", text, &tests, run);
    let lines = found(&scene.json(&[])["files"][0]);
    assert_eq!(lines[&2], (2, vec![vec![1, 1]]));
    assert_eq!(lines[&3].0, 1);
}
