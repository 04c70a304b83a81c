//! What cannot be done is said, with status 2.

use crate::common::{Project, cargo_refrain, said};

fn assert_says(said: &crate::common::Said, text: &str) {
    assert_eq!(said.status, 2, "{said:?}");
    assert!(said.stderr.contains(text), "{text}: {said:?}");
    assert!(!said.stderr.contains("panicked"), "{said:?}");
}

#[test]
fn a_folder_without_a_project() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let project = Project::copy(folder.path());
    assert_says(&project.refrain(&[]), "could not find `Cargo.toml`");
}

#[test]
fn a_project_that_does_not_compile() {
    let project = Project::of_tests("shapes");
    project.change("src/lib.rs", |text| {
        text + "fn broken() -> u8 { \"text\" }\n"
    });
    let said = project.refrain(&[]);
    assert_says(&said, "error[E0308]: mismatched types");
    assert_says(&said, "error: the project could not be built");
}

#[test]
fn properties_that_cannot_be() {
    let project = Project::of_tests("shapes");
    for (property, problem) in [
        ("fn p(&self) {}", "a property is a function, not a method"),
        ("fn p(x: &u8) {}", "a parameter of a property is owned"),
        ("fn p<T>(x: T) {}", "a property cannot be generic"),
        ("async fn p(x: u8) {}", "a property cannot be async"),
        (
            "fn p(#[refrain(least = 1)] x: u8) {}",
            "the only option is max_len",
        ),
        ("fn p(x: Vec<u8>) {}", "max_len"),
    ] {
        let file = project.path.join("src/lib.rs");
        std::fs::write(
            &file,
            format!("#![cfg(test)]\n#[refrain::test]\n{property}\n"),
        )
        .expect("a file");
        assert_says(&project.refrain(&[]), problem);
    }
}

#[test]
fn no_properties_and_none_that_match() {
    let project = Project::of_tests("house");
    let said = project.refrain(&["-p", "empty"]);
    assert_says(
        &said,
        "no properties found: mark functions with #[refrain::test]",
    );
    let said = project.refrain(&["-p", "price", "nowhere"]);
    assert_says(
        &said,
        "no property matches \"nowhere\"; there are tests::labels_are_short",
    );
    let said = project.refrain(&["-p", "nobody"]);
    assert_says(&said, "nobody");
}

#[test]
fn without_a_compiler() {
    let project = Project::of_tests("shapes");
    let mut command = project.command(cargo_refrain());
    command
        .args(["refrain", "test"])
        .env("RUSTC", "/nowhere/rustc");
    assert_says(&said(&mut command), "/nowhere/rustc");
}

#[test]
fn without_the_command_that_explores() {
    let project = Project::of_tests("shapes");
    let alone = project.path.join("cargo-refrain");
    std::fs::copy(cargo_refrain(), &alone).expect("a copy");
    let mut command = project.command(&alone.display().to_string());
    command
        .args(["refrain", "test"])
        .env("PATH", "/usr/bin:/bin");
    assert_says(&said(&mut command), "the command refrain was not found");
}

#[test]
fn results_where_there_are_some() {
    let project = Project::of_tests("shapes");
    let mut command = project.command(cargo_refrain());
    command.args(["refrain", "test", "--out", "src"]);
    assert_says(&said(&mut command), "src is not empty");
}

#[test]
fn options_that_make_no_sense() {
    let project = Project::of_tests("shapes");
    for (words, problem) in [
        (&["--max-time", "soon"][..], "not a number of seconds"),
        (&["--jobs", "0"], "--jobs"),
        (&["--ignored", "--include-ignored"], "cannot be used with"),
        (&["--colour"], "unexpected argument"),
    ] {
        assert_says(&project.refrain(words), problem);
    }
}
