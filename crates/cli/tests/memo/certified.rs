//! `refrain certify`: what runs leave is accepted, and nothing else.

use std::fs;
use std::path::{Path, PathBuf};

use refrain_testing::{Random, effort};

use crate::common::run;
use crate::going_on::{Folder, said};

/// Certifies a directory: the exit status, and what was said.
fn certify(directory: &Path, more: &[&str]) -> (Option<i32>, String) {
    let mut arguments = vec!["certify", directory.to_str().expect("UTF-8")];
    arguments.extend(more);
    let output = run(&arguments);
    (output.status.code(), said(&output))
}

fn accepts(directory: &Path, more: &[&str]) -> String {
    let (status, said) = certify(directory, more);
    assert_eq!(status, Some(0), "{said}");
    said
}

#[test]
fn what_runs_leave_is_accepted() {
    let folder = Folder::new();
    for (out, more) in [
        ("whole", &[][..]),
        ("depth", &["--max-depth=5"]),
        ("instructions", &["--max-instructions=300"]),
        ("unrolled", &["--max-unroll=2"]),
        ("workers", &["--jobs=2", "--mode=concolic"]),
        ("stopped", &["--max-paths=9", "--tests=covering"]),
    ] {
        folder.explore(out, more);
        let text = accepts(&folder.at(out), &[]);
        assert!(text.contains("trusted: "), "{text}");
    }
    folder.command("deepen", "depth", &["--max-depth=9"]);
    accepts(&folder.at("depth"), &[]);
    for solver in ["native", "z3"] {
        let text = accepts(&folder.at("whole"), &["--recheck", "--solver", solver]);
        assert!(text.contains("trusted: none"), "{text}");
    }
    let (old, new, program) = (
        folder.text("whole"),
        folder.text("new"),
        folder.text("prog.c"),
    );
    let text = fs::read_to_string(&program).expect("a text");
    fs::write(&program, text.replace("depth > 1", "depth > 0")).expect("a file");
    let (status, said) = certify(&folder.at("whole"), &[]);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("the program is not the one"), "{said}");
    let output = run(&["diff", "-q", &old, &program, "--out", &new]);
    assert!(matches!(output.status.code(), Some(0 | 1)));
    accepts(&folder.at("new"), &[]);
    accepts(&folder.at("new"), &["--recheck"]);
    let (status, _) = certify(&folder.at("missing"), &[]);
    assert_eq!(status, Some(2));
}

/// All files that say something of the paths.
fn files(directory: &Path) -> Vec<PathBuf> {
    let mut files = vec![directory.join("tests.pack")];
    for entry in fs::read_dir(directory.join("tree")).expect("a directory") {
        let path = entry.expect("a file").path();
        if path.file_name().is_some_and(|name| name != "lock") {
            files.push(path);
        }
    }
    files.sort();
    files
}

#[test]
fn whatever_is_corrupted_is_refused() {
    let folder = Folder::new();
    folder.explore("out", &["--max-depth=6"]);
    folder.command("deepen", "out", &["--max-depth=9"]);
    accepts(&folder.at("out"), &[]);
    let mut random = Random::new(5);
    for corruption in 0..effort(25, 1_000) {
        let files = files(&folder.at("out"));
        let path = &files[random.below(files.len())];
        let bytes = fs::read(path).expect("a file");
        let mut changed = bytes.clone();
        let at = random.below(bytes.len());
        match random.below(4u32) {
            0 => changed[at] ^= 1 << random.below(8u32),
            1 => changed.truncate(at),
            2 => drop(changed.remove(at)),
            _ => changed.insert(at, random.below(256u32) as u8),
        }
        if changed == bytes {
            continue;
        }
        fs::write(path, &changed).expect("a file");
        let (status, said) = certify(&folder.at("out"), &[]);
        let name = path.display();
        assert!(
            matches!(status, Some(1 | 2)) && !said.contains("panicked"),
            "{corruption}, {name} at {at}: {status:?} {said}"
        );
        fs::write(path, &bytes).expect("a file");
    }
    accepts(&folder.at("out"), &[]);
}
