//! The example: three mistakes are planted in it. All are found, and what is written about them is true.

use crate::common::{Project, repository};

fn example() -> Project {
    Project::copy(&repository().join("examples/crate"))
}

/// The same without the mistakes.
fn mend(text: String) -> String {
    for wrong in [
        "(low + high) / 2",
        "Some(100 / (percent - 10))",
        "year.is_multiple_of(4) && !year.is_multiple_of(100)",
    ] {
        assert!(text.contains(wrong), "{wrong}");
    }
    text.replace("(low + high) / 2", "low + (high - low) / 2")
        .replace(
            "Some(100 / (percent - 10))",
            "100u8.checked_div(percent.saturating_sub(10))",
        )
        .replace(
            "year.is_multiple_of(4) && !year.is_multiple_of(100)",
            "year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))",
        )
}

/// The tests that were found, in the module of the properties.
fn include(text: String) -> String {
    let end = text.rfind('}').expect("the module ends");
    format!("{}    include!(\"found.rs\");\n}}\n", &text[..end])
}

#[test]
fn mistakes_are_found_and_the_tests_written_for_them_tell_them_apart() {
    let project = example();
    let said = project.refrain(&["--emit-tests", "src/found.rs"]);
    assert_eq!(said.status, 101, "{said:?}");
    assert!(said.stdout.contains("running 6 tests"), "{said:?}");
    for (name, message) in [
        (
            "the_middle_is_between",
            "src/lib.rs:7:5: attempt to add with overflow",
        ),
        ("every_voucher_can_be_read", "attempt to divide by zero"),
        (
            "every_voucher_can_be_read",
            "attempt to subtract with overflow",
        ),
        (
            "leap_years_are_those_of_the_calendar",
            "assertion `left == right` failed",
        ),
    ] {
        assert!(said.of(&format!("tests::{name}")).starts_with("FAILED ("));
        assert!(said.stdout.contains(message), "{message}: {said:?}");
    }
    for name in [
        "a_code_is_not_longer_than_a_code",
        "digits_make_the_number",
        "stock_grows_only_by_buying",
    ] {
        let line = said.of(&format!("tests::{name}"));
        assert!(
            line.starts_with("ok (") && line.ends_with(" paths)"),
            "{line}"
        );
    }
    assert!(
        said.stdout
            .contains("  in shop::middle at src/lib.rs:7:5\n"),
        "{said:?}"
    );
    assert!(said.stdout.contains("  code = *b\"VS101\"\n"), "{said:?}");
    assert!(
        said.stdout
            .contains("test result: FAILED. 3 passed; 3 failed; 0 ignored; 0 filtered out")
    );

    // The guide shows the same.
    let guide = std::fs::read_to_string(repository().join("docs/src/rust.md")).expect("the guide");
    let is_line = |line: &&str| line.starts_with("test ") && line.contains(" ... ");
    let shown: Vec<&str> = guide.lines().filter(is_line).collect();
    assert_eq!(
        shown,
        said.stdout.lines().filter(is_line).collect::<Vec<_>>()
    );

    project.change("src/lib.rs", include);
    let before = project.test(&["regression"]);
    assert_eq!(before.status, 101, "{before:?}");
    assert!(before.stdout.contains("0 passed; 4 failed"), "{before:?}");

    project.change("src/lib.rs", mend);
    let after = project.test(&["regression"]);
    assert_eq!(after.status, 0, "{after:?}");
    assert!(after.stdout.contains("4 passed; 0 failed"), "{after:?}");
    let again = project.refrain(&[]);
    assert_eq!(again.status, 0, "{again:?}");
    assert!(
        again.stdout.contains("test result: ok. 6 passed; 0 failed"),
        "{again:?}"
    );
}

#[test]
fn without_the_tool_they_are_random_tests() {
    let project = example();
    let said = project.test(&["the_middle"]);
    assert_eq!(said.status, 101, "{said:?}");
    let input = said
        .stdout
        .find("shop::tests::the_middle_is_between fails for this input:\n  low = ");
    assert!(input.is_some(), "{said:?}");
    assert!(
        said.stdout
            .contains("fn the_middle_is_between_regression() {"),
        "{said:?}"
    );
    // The same again, and something else with another seed.
    let part = |text: &str| {
        text[text.find("  low = ").expect("an input")..text.find("as a test").expect("a test")]
            .to_string()
    };
    assert_eq!(
        part(&said.stdout),
        part(&project.test(&["the_middle"]).stdout)
    );
    let other = crate::common::said(
        project
            .command(env!("CARGO"))
            .args(["test", "the_middle"])
            .env("REFRAIN_SEED", "1"),
    );
    assert_ne!(part(&said.stdout), part(&other.stdout));
    // One case is not enough to find a leap year that is none.
    let few = crate::common::said(
        project
            .command(env!("CARGO"))
            .args(["test", "leap"])
            .env("REFRAIN_CASES", "0"),
    );
    assert_eq!(few.status, 0, "{few:?}");

    project.change("src/lib.rs", mend);
    let said = project.test(&[]);
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.stdout.contains("6 passed; 0 failed"), "{said:?}");
}
