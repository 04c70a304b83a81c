//! What cannot be done is said, with status 2; of what nothing is known, with status 3.

use crate::common::{Project, cargo_refrain, said};

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

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

/// Results that cannot be read are no proof of anything: a command that ends well and leaves nonsense behind.
#[test]
fn statistics_that_cannot_be_read() {
    let project = Project::of_tests("house");
    let beside = project.path.join("bin");
    std::fs::create_dir(&beside).expect("a folder");
    let copy = beside.join("cargo-refrain");
    std::fs::copy(cargo_refrain(), &copy).expect("a copy");
    let real = Path::new(cargo_refrain()).with_file_name("refrain");
    for (file, contents, reason) in [
        (
            "stats.json",
            "{}",
            "it does not say how many paths are completed",
        ),
        ("stats.json", "{", "EOF while parsing"),
        ("boundary.json", "[{}]", "missing field `cause`"),
        ("stats.json", "", "EOF while parsing"),
    ] {
        let script = format!(
            "#!/bin/sh\n{:?} \"$@\"\nwhile [ \"$1\" != --out ]; do shift; done\nprintf '%s' '{contents}' > \"$2\"/{file}\n",
            real.display()
        );
        let fake = beside.join("refrain");
        std::fs::write(&fake, script).expect("a file");
        std::fs::set_permissions(&fake, PermissionsExt::from_mode(0o755)).expect("a program");
        let mut command = project.command(&copy.display().to_string());
        command.args(["refrain", "test", "--fresh", "-p", "price", "labels"]);
        let said = said(&mut command);
        assert_says(&said, reason);
        assert_eq!(said.of("tests::labels_are_short"), "FAILED TO RUN");
        let summary = "test result: FAILED. 0 passed; 1 failed; 0 ignored";
        assert!(said.stdout.contains(summary), "{said:?}");
    }
}

/// A property none of whose paths gets anywhere: that is said, and the status is not 0.
#[test]
fn a_property_of_which_nothing_is_known() {
    let project = Project::of_tests("house");
    project.change("price/src/lib.rs", |text| {
        text + "
#[cfg(test)]
mod more {
    #[refrain::test]
    fn nothing_fits(x: u8) {
        refrain::assume(x > 7);
        refrain::assume(x < 5);
        panic!(\"{x}\");
    }

    #[refrain::test]
    fn the_processor_halts(x: f64) {
        unsafe { core::arch::asm!(\"hlt\") };
        assert!(x.to_bits() != 7);
    }
}
"
    });
    let said = project.refrain(&["-p", "price", "more::"]);
    assert_eq!(said.status, 3, "{said:?}");
    assert_eq!(
        said.of("more::nothing_fits"),
        "NOTHING PROVED (no input meets its assumptions)"
    );
    let given_up = said.of("more::the_processor_halts");
    assert!(given_up.starts_with("NOTHING PROVED ("), "{given_up}");
    assert!(!given_up.contains("no input"), "{given_up}");
    assert!(
        said.stdout
            .contains("\nnothing proved, since no path came to an end:\n"),
        "{said:?}"
    );
    let summary = "test result: NOTHING PROVED. 0 passed; 0 failed; 2 without proof; 0 ignored";
    assert!(said.stdout.contains(summary), "{said:?}");
    // What fails weighs more.
    project.change("price/src/lib.rs", |text| {
        text.replace("unsafe { core::arch::asm!(\"hlt\") };", "")
    });
    let said = project.refrain(&["-p", "price", "more::", "--quiet"]);
    assert_eq!(said.status, 101, "{said:?}");
    let summary = "test result: FAILED. 0 passed; 1 failed; 1 without proof; 0 ignored";
    assert!(said.stdout.contains(summary), "{said:?}");
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
