//! Scripts beside the answers they must get: `fixtures/NAME.smt2` and `fixtures/NAME.out`, where the lines of the
//! diagnostic channel begin with `# `.
//!
//! `UPDATE_FIXTURES=1 cargo test -p refrain-smtlib --test fixtures` writes what the answers are now.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let entries = fs::read_dir(folder).expect("the fixtures are there");
    let mut scripts: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a readable entry").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "smt2")
        })
        .collect();
    scripts.sort();
    assert!(scripts.len() > 10, "the fixtures are there");
    scripts
}

/// Everything that a session has to say about a script.
fn transcript(run: impl FnOnce(&mut refrain_smtlib::Session)) -> Vec<u8> {
    let (mut session, regular, diagnostic) = common::session();
    run(&mut session);
    let outcome = session.outcome();
    let mut bytes = regular.bytes();
    for line in diagnostic.bytes().split_inclusive(|&byte| byte == b'\n') {
        bytes.extend([b"# ", line].concat());
    }
    if outcome != Default::default() {
        bytes.extend(format!("# {outcome:?}\n").bytes());
    }
    bytes
}

/// As text, whose other bytes are escaped.
fn shown(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text += chunk.valid();
        text += &chunk.invalid().escape_ascii().to_string();
    }
    text
}

/// Gives a few bytes at a time.
struct Trickle<'a> {
    bytes: &'a [u8],
    step: usize,
}

impl std::io::Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.step.min(self.bytes.len()).min(buffer.len());
        buffer[..count].copy_from_slice(&self.bytes[..count]);
        self.bytes = &self.bytes[count..];
        Ok(count)
    }
}

#[test]
fn scripts_get_their_expected_answers() {
    let update = std::env::var_os("UPDATE_FIXTURES").is_some();
    let mut wrong = Vec::new();
    for path in fixtures() {
        let script = fs::read(&path).expect("a readable script");
        let found =
            transcript(|session| session.run_script(&script).expect("memory can be written"));
        let expected_path = path.with_extension("out");
        if update {
            fs::write(&expected_path, &found).expect("a writable folder");
            continue;
        }
        let expected = fs::read(&expected_path).unwrap_or_default();
        if found != expected {
            let (expected, found) = (shown(&expected), shown(&found));
            wrong.push(format!(
                "{}:\nexpected\n{expected}\nfound\n{found}",
                path.display()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_stream_of_any_grain_gets_the_same_answers() {
    for path in fixtures() {
        let script = fs::read(&path).expect("a readable script");
        let whole =
            transcript(|session| session.run_script(&script).expect("memory can be written"));
        for step in [1, 2, 7, 64, usize::MAX] {
            let stream = Trickle {
                bytes: &script,
                step,
            };
            let found =
                transcript(|session| session.run_stream(stream).expect("memory can be read"));
            assert_eq!(
                shown(&found),
                shown(&whole),
                "{} by {step} bytes",
                path.display()
            );
        }
    }
}
