//! What the validity of a store says of the sources: every change of what gives answers their meaning, and nothing else.

#[path = "../build/answers.rs"]
mod answers;
#[path = "../build/sources.rs"]
mod sources;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn the_validity_names_the_sources_as_they_are() {
    let digest = sources::digest(&crates(), &answers::CRATES).expect("the sources are here");
    let validity = String::from_utf8(refrain_reuse::lasting::validity()).expect("text");
    let expected = format!("sources {digest:016x}");
    assert!(validity.ends_with(&expected), "{validity}: not {expected}");
}

/// The packages of the workspace that a crate depends on, not counting tests.
fn dependencies(name: &str) -> Vec<String> {
    let manifest = fs::read_to_string(crates().join(name).join("Cargo.toml"))
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let lines = manifest.lines().map(str::trim);
    let lines = lines.skip_while(|line| *line != "[dependencies]").skip(1);
    let own = lines.take_while(|line| !line.starts_with('['));
    own.filter_map(|line| {
        let package = line.split(['.', ' ', '=']).next()?;
        package.strip_prefix("refrain-").map(str::to_owned)
    })
    .collect()
}

#[test]
fn every_crate_that_has_a_say_in_answers_is_listed() {
    let mut reached = BTreeSet::new();
    let mut open = vec!["reuse".to_owned()];
    while let Some(name) = open.pop() {
        if reached.insert(name.clone()) {
            open.extend(dependencies(&name));
        }
    }
    assert!(reached.contains("sat"), "{reached:?}");
    // The store does not know what entries mean.
    reached.remove("store");
    let listed: BTreeSet<String> = answers::CRATES.map(str::to_owned).into();
    let unlisted: Vec<&String> = reached.difference(&listed).collect();
    assert!(unlisted.is_empty(), "not in build/sources.rs: {unlisted:?}");
}

/// Some crates with some sources.
fn write(root: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a new folder");
        fs::write(path, text).expect("a new file");
    }
}

fn digest_of(files: &[(&str, &str)]) -> u64 {
    let root = tempfile::tempdir().expect("a folder for the test");
    write(root.path(), files);
    sources::digest(root.path(), &answers::CRATES).expect("it can be read")
}

#[test]
fn every_change_of_a_source_changes_the_digest() {
    let files = [
        ("term/src/lib.rs", "one"),
        ("term/src/build/add.rs", "two"),
        ("sat/src/lib.rs", "three"),
    ];
    let changes: [&[(&str, &str)]; 7] = [
        &files,
        &[("term/src/lib.rs", "One"), files[1], files[2]],
        &[("term/src/main.rs", "one"), files[1], files[2]],
        &[("solver/src/lib.rs", "one"), files[1], files[2]],
        &[files[0], ("term/src/add.rs", "two"), files[2]],
        &[files[0], files[1]],
        &[files[0], files[1], files[2], ("path/src/lib.rs", "")],
    ];
    let digests: BTreeSet<u64> = changes.map(digest_of).into();
    assert_eq!(digests.len(), changes.len());
}

#[test]
fn nothing_else_changes_the_digest() {
    let files = [("term/src/lib.rs", "one"), ("sat/src/lib.rs", "three")];
    let reversed = [files[1], files[0]];
    let more = [
        files[0],
        files[1],
        ("term/tests/all.rs", "a test"),
        ("term/src/notes.txt", "no source"),
        ("llvm/src/lib.rs", "has no say in answers"),
    ];
    assert_eq!(digest_of(&files), digest_of(&reversed));
    assert_eq!(digest_of(&files), digest_of(&more));
}
