//! A program with an output directory beside it, whose tests are written by hand, and what `refrain cover` makes of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use refrain_machine::{ErrorKind, Fault, InputValue};
use refrain_results::{Outcome, OutputDirectory, Run, Source, Test};
use serde_json::Value;

use crate::common::REFRAIN;

pub const KINDS: &str = include_str!("programs/kinds.c");
pub const SHAPES: &str = include_str!("programs/shapes.rs");
pub const THROWN: &str = include_str!("programs/thrown.cpp");
pub const OVERLOADS: &str = include_str!("programs/overloads.cpp");

pub struct Scene {
    pub folder: tempfile::TempDir,
    pub source: PathBuf,
}

pub fn exit(status: i32) -> Outcome {
    Outcome::exit(status)
}

pub fn error(kind: ErrorKind) -> Outcome {
    Outcome::Error(Fault::new(kind, ""))
}

/// The tests that the comments in `kinds.c` speak of.
pub fn kinds() -> Scene {
    let outcomes = [
        (0, exit(0)),
        (1, exit(0)),
        (2, exit(0)),
        (3, exit(3)),
        (7, exit(0)),
        (77, error(ErrorKind::NullDereference)),
        (78, error(ErrorKind::Assertion)),
    ];
    let tests = outcomes.map(|(x, outcome)| ("x", vec![x, 0, 0, 0], outcome));
    Scene::new("kinds.c", KINDS, &tests, Run::default())
}

pub fn shapes() -> Scene {
    let outcomes = [
        (0, exit(0)),
        (1, exit(0)),
        (2, error(ErrorKind::Panic)),
        (9, error(ErrorKind::Panic)),
    ];
    let tests = outcomes.map(|(shape, outcome)| ("shape", vec![shape], outcome));
    Scene::new("shapes.rs", SHAPES, &tests, Run::default())
}

impl Scene {
    /// `out` holds a test for each of these inputs.
    pub fn new(name: &str, text: &str, tests: &[(&str, Vec<u8>, Outcome)], run: Run) -> Scene {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let source = folder.path().join(name);
        fs::write(&source, text).expect("a writable folder");
        let entry = match run.entry.is_empty() {
            true => "main".into(),
            false => run.entry.clone(),
        };
        let run = Run {
            program: source.clone(),
            entry,
            sources: vec![Source {
                path: source.clone(),
                hash: Source::hash_of(text.as_bytes()),
            }],
            ..run
        };
        let directory = OutputDirectory::create(&folder.path().join("out")).expect("a directory");
        directory.write_run(&run).expect("it can be written");
        let writer = directory.test_writer().expect("a writer");
        for (number, (input, bytes, outcome)) in (1..).zip(tests) {
            let input = InputValue::object(*input, bytes.clone());
            assert!(writer.write(Test {
                number,
                inputs: vec![input],
                args: vec![name.into()],
                outcome: outcome.clone(),
                ..Test::default()
            }));
        }
        writer.finish().expect("all can be written");
        Scene { folder, source }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn cover(&self, arguments: &[&str]) -> Output {
        cover(self.folder.path(), "out", arguments)
    }

    /// What is said on standard output where all is well.
    #[track_caller]
    pub fn covered(&self, arguments: &[&str]) -> String {
        let output = self.cover(arguments);
        let complaints = String::from_utf8_lossy(&output.stderr);
        assert_eq!(complaints, "");
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).expect("text")
    }

    #[track_caller]
    pub fn json(&self, arguments: &[&str]) -> Value {
        self.covered(&[&["--json", "cover.json"], arguments].concat());
        let json = fs::read(self.path("cover.json")).expect("a file");
        serde_json::from_slice(&json).expect("JSON")
    }
}

pub fn cover(folder: &Path, directory: &str, arguments: &[&str]) -> Output {
    Command::new(REFRAIN)
        .arg("cover")
        .arg(directory)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("refrain starts")
}
