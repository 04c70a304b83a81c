//! A folder with a program in it, and what is done with it there.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use refrain_results::{Outcome, OutputDirectory, Run, Test, TestPack};

use crate::common::REFRAIN;

pub struct Scene {
    folder: tempfile::TempDir,
}

/// A status, and what is written to standard output.
pub type Behaviour = (i32, Vec<u8>);

impl Scene {
    /// With the program as `prog.c`.
    pub fn new(text: &str) -> Scene {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("prog.c"), text).expect("a file");
        Scene { folder }
    }

    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, contents).expect("a file");
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn refrain(&self, words: &[&str]) -> Output {
        Command::new(REFRAIN)
            .args(words)
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .output()
            .expect("the binary runs")
    }

    /// The same with something on standard input.
    pub fn refrain_reading(&self, words: &[&str], input: &[u8]) -> Output {
        let mut child = Command::new(REFRAIN)
            .args(words)
            .current_dir(self.folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        // It need not be read.
        let _ = child.stdin.take().expect("it is piped").write_all(input);
        child.wait_with_output().expect("it ends")
    }

    /// Explores the program with a test for every path. What was said.
    pub fn explore(&self, out: &str, words: &[&str]) -> String {
        let mut all = vec!["run", "--tests", "all", "--out", out];
        all.extend(words);
        let ran = self.refrain(&all);
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(
            matches!(ran.status.code(), Some(0 | 1)),
            "{words:?}: {said}"
        );
        said
    }

    /// Compiles the program natively, as `prog`.
    pub fn compile(&self, flags: &[&str]) {
        let compiled = Command::new(refrain_testing::program("clang"))
            .args(["-w", "-o", "prog", "prog.c"])
            .args(flags)
            .current_dir(self.folder.path())
            .status();
        assert!(compiled.expect("clang").success());
    }

    pub fn tests(&self, out: &str) -> Vec<Test> {
        let pack = TestPack::open(&self.path(out).join(refrain_results::PACK)).expect("tests");
        let read = |number| pack.read(number).expect("a test is whole");
        pack.numbers().into_iter().map(read).collect()
    }

    pub fn run_of(&self, out: &str) -> Run {
        let directory = OutputDirectory::open(&self.path(out)).expect("results");
        directory.read_run().expect("a run")
    }

    /// What the tests that exit do.
    pub fn exits(&self, out: &str) -> BTreeSet<Behaviour> {
        let behaviour = |test: Test| match test.outcome {
            Outcome::Exit { status, .. } => Some((status & 0xff, test.stdout)),
            _ => None,
        };
        self.tests(out).into_iter().filter_map(behaviour).collect()
    }

    /// What the tests do, all of which exit.
    pub fn behaviours(&self, out: &str) -> BTreeSet<Behaviour> {
        let behaviour = |test: Test| match test.outcome {
            Outcome::Exit { status, .. } => (status & 0xff, test.stdout),
            other => panic!("a path that does not exit: {other:?}"),
        };
        self.tests(out).into_iter().map(behaviour).collect()
    }
}

/// What was written, and the status.
pub fn said(output: &Output) -> (String, i32) {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    let status = output.status.code().unwrap_or(-1);
    (String::from_utf8_lossy(&text).into_owned(), status)
}
