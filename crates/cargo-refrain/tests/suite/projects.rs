//! Workspaces, features, programs, integration tests, build scripts; and limits.

use crate::common::{Project, repository};

#[test]
fn packages_of_a_workspace_are_built_and_explored() {
    let project = Project::of_tests("house");
    let said = project.refrain(&["--workspace", "--max-time", "1"]);
    assert_eq!(said.status, 0, "{said:?}");
    for name in [
        "tests::prices_are_not_too_high",
        "tests::labels_are_short",
        "tests::the_currency_is_found",
        "sums_are_small",
        "prices_are_prices",
    ] {
        assert!(said.of(name).starts_with("ok ("), "{said:?}");
        assert!(!said.of(name).contains("incomplete"), "{said:?}");
    }
    // What was not finished is not called finished.
    let line = said.of("steps_come_to_an_end");
    assert!(
        line.starts_with("incomplete (") && line.contains("the time was up"),
        "{line}"
    );
    let summary = "test result: incomplete. 1 passed; 0 failed; 1 incomplete; 0 ignored";
    assert!(said.stdout.contains(summary), "{said:?}");
}

#[test]
fn features_and_packages_are_chosen() {
    let project = Project::of_tests("house");
    let said = project.refrain(&["-p", "price", "--features", "rebate", "too_high", "--quiet"]);
    assert_eq!(said.status, 101, "{said:?}");
    assert!(
        said.stdout
            .contains("price/src/lib.rs:10:9: attempt to subtract with overflow"),
        "{said:?}"
    );
    assert!(said.stdout.contains("  pieces = 0\n"), "{said:?}");
    assert!(said.stdout.contains("2 filtered out"), "{said:?}");
    assert_eq!(said.stderr, "", "{said:?}");
}

/// What Cargo is told goes to Cargo: with all features the mistake of one shows, without any it does not; a lock file
/// that is missing cannot be kept to.
#[test]
fn cargo_gets_its_switches() {
    let project = Project::of_tests("house");
    let manifest = project.path.join("price/Cargo.toml");
    let manifest = [
        "--manifest-path",
        manifest.to_str().expect("UTF-8"),
        "too_high",
    ];
    let lock = project.path.join("Cargo.lock");
    if lock.exists() {
        std::fs::remove_file(&lock).expect("it can be removed");
    }
    let said = project.refrain(&[&manifest[..], &["--locked"]].concat());
    assert_eq!(said.status, 2, "{said:?}");
    assert!(said.stderr.contains("--locked"), "{said:?}");
    let said = project.refrain(&[&manifest[..], &["--all-features"]].concat());
    assert_eq!(said.status, 101, "{said:?}");
    let said = project.refrain(&[&manifest[..], &["--no-default-features", "--offline"]].concat());
    assert_eq!(said.status, 0, "{said:?}");
}

/// Two at once in one project take turns.
#[test]
fn two_at_once_take_turns() {
    let project = Project::of_tests("house");
    let start = || {
        let mut command = project.command(crate::common::cargo_refrain());
        command.args(["refrain", "test", "-p", "price"]);
        command.stdout(std::process::Stdio::piped());
        command.stderr(std::process::Stdio::piped());
        command.spawn().expect("it starts")
    };
    for running in [start(), start()] {
        let output = running.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.contains("test result: ok"), "{said}");
    }
}

/// Numbers as text and geometry, by published crates.
#[test]
fn crates_that_calculate_with_floats_are_explored() {
    let project = Project::copy(&repository().join("tests/real/floats"));
    let said = project.refrain(&["json"]);
    assert_eq!(said.status, 0, "{said:?}");
    for name in [
        "json_is_read_or_refused",
        "json_numbers_are_those_of_the_library",
        "small_numbers_survive_json",
    ] {
        assert!(said.of(name).starts_with("ok ("), "{said:?}");
    }
    let said = project.refrain(&["angle"]);
    assert_eq!(said.status, 101, "{said:?}");
    assert!(
        said.of("a_positive_angle_is_within_a_turn")
            .starts_with("FAILED")
    );
}
