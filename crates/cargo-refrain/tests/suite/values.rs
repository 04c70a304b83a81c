//! All values of all kinds of types, none that is not valid, and all of them written as Rust.

use crate::common::Project;

/// The properties end in the number of paths they must have.
#[test]
fn every_value_is_explored_and_no_other() {
    let project = Project::of_tests("shapes");
    let said = project.refrain(&[]);
    // Of a property that no input gets to, nothing is proved.
    assert_eq!(said.status, 3, "{said:?}");
    let mut seen = 0;
    for line in said.stdout.lines() {
        let Some((name, result)) = line
            .strip_prefix("test ")
            .and_then(|line| line.split_once(" ... "))
        else {
            continue;
        };
        let paths = name.rsplit('_').next().expect("a number");
        let expected = match paths {
            "0" => "NOTHING PROVED (no input meets its assumptions)".to_string(),
            "1" => "ok (1 path)".to_string(),
            _ => format!("ok ({paths} paths)"),
        };
        assert_eq!(result, expected, "{name}");
        seen += 1;
    }
    assert_eq!(seen, 21, "{said:?}");
    let summary = "test result: NOTHING PROVED. 20 passed; 0 failed; 1 without proof; 0 ignored";
    assert!(said.stdout.contains(summary), "{said:?}");
    let native = project.test(&["--lib"]);
    assert_eq!(native.status, 0, "{native:?}");
    assert!(native.stdout.contains("21 passed"), "{native:?}");
}

#[test]
fn inputs_are_written_as_rust() {
    let project = Project::of_tests("written");
    let said = project.refrain(&["--emit-tests", "src/all.rs"]);
    assert_eq!(said.status, 101, "{said:?}");
    for call in [
        r#"kinds(Kind::Plain, Kind::Pair(-128, true), Kind::Named { letter: '\'', half: [0, 65535] });"#,
        r#"wrapped(Wrapper { inner: Some((3, -9223372036854775808)), name: String::from("a\"\u{e9}") }, Vec::from([120, 0, 121]));"#,
        r#"bits(f32::from_bits(0x7fc00001), *b"a\\\"~", (9,));"#,
        r#"refrain::with_inputs(&[("y", &[4, 3]), ("any", &[1])], || asked(1));"#,
        "returns(4711).unwrap();",
        "panics(100);",
    ] {
        assert!(
            said.stdout.contains(&format!("      {call}\n")),
            "{call}: {said:?}"
        );
    }
    assert!(
        said.stdout
            .contains(r#"the property returned an error: "4711 it is""#),
        "{said:?}"
    );
    assert_eq!(said.of("tests::ignored"), "ignored");
    assert!(said.of("tests::panics").starts_with("FAILED"));
    assert_eq!(said.of("maps_keep_what_they_are_given"), "ok (10 paths)");
    // What Rust does not check is seen all the same.
    assert!(
        said.stdout.contains("out-of-bounds read\n  object: "),
        "{said:?}"
    );
    assert!(said.stdout.contains("memory_is_watched(3);"), "{said:?}");
    // Natively, the tests show the same: those of the library are in a file of their own, since there are several
    // modules.
    let found = project.path.join("src/all.written.tests.rs");
    std::fs::rename(found, project.path.join("src/found.rs")).expect("the tests were written");
    let native = project.test(&["--lib", "regression"]);
    assert!(native.stdout.contains("0 passed; 6 failed"), "{native:?}");
    assert!(native.stdout.contains("found 1 and 772"), "{native:?}");
}

#[test]
fn ignored_properties_run_when_they_are_asked_for() {
    let project = Project::of_tests("written");
    let said = project.refrain(&["--ignored", "tests::ignored", "--exact"]);
    assert_eq!(said.status, 101, "{said:?}");
    assert!(said.of("tests::ignored").starts_with("FAILED"));
    assert!(
        said.stdout.contains("attempt to add with overflow"),
        "{said:?}"
    );
}
