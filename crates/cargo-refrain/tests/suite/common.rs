//! Projects in temporary folders, and `cargo refrain` on them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use tempfile::TempDir;

pub fn repository() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    here.canonicalize().expect("the repository is there")
}

/// A copy of a project that may be changed. There is one at a time: all are built in one place, where Cargo tells
/// copies of a project apart by when they were made.
pub struct Project {
    _turn: MutexGuard<'static, ()>,
    /// Removed in the end.
    _folder: TempDir,
    pub path: PathBuf,
}

/// What a command has said, and its status.
#[derive(Debug)]
pub struct Said {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Project {
    /// One of `tests/projects`.
    pub fn of_tests(name: &str) -> Project {
        let projects = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/projects");
        Project::copy(&projects.join(name))
    }

    pub fn copy(from: &Path) -> Project {
        static TURN: Mutex<()> = Mutex::new(());
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("project");
        copy(from, &path);
        Project {
            _turn: turn,
            _folder: folder,
            path,
        }
    }

    /// A file, changed.
    pub fn change(&self, file: &str, change: impl FnOnce(String) -> String) {
        let path = self.path.join(file);
        let before = std::fs::read_to_string(&path).expect("the file is there");
        let after = change(before.clone());
        assert_ne!(before, after, "nothing changed in {file}");
        std::fs::write(&path, after).expect("the file can be written");
    }

    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(&self.path)
            .env("CARGO_TARGET_DIR", target())
            .env("RUST_BACKTRACE", "0");
        command
    }

    /// `cargo refrain test`, with results of its own.
    pub fn refrain(&self, words: &[&str]) -> Said {
        let results = tempfile::tempdir().expect("a temporary folder");
        let mut command = self.command(cargo_refrain());
        command.args(["refrain", "test", "--out"]);
        command.arg(results.path().join("results")).args(words);
        said(&mut command)
    }

    /// `cargo test`.
    pub fn test(&self, words: &[&str]) -> Said {
        said(self.command(env!("CARGO")).arg("test").args(words))
    }
}

pub fn said(command: &mut Command) -> Said {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("the command starts");
    Said {
        status: status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&stdout).into_owned(),
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
    }
}

/// Where all projects are built: what they have in common is built once.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("projects")
}

/// The program, with the command `refrain` beside it, of the same profile.
pub fn cargo_refrain() -> &'static str {
    static BUILT: OnceLock<()> = OnceLock::new();
    let program = env!("CARGO_BIN_EXE_cargo-refrain");
    BUILT.get_or_init(|| {
        let folder = Path::new(program).parent().expect("it is in a folder");
        // Whoever tests the whole workspace has built it already.
        if std::env::var_os("REFRAIN_BUILT").is_some() && folder.join("refrain").exists() {
            return;
        }
        let mut command = Command::new(env!("CARGO"));
        command.current_dir(repository()).args([
            "build",
            "--package",
            "refrain-cli",
            "--bin",
            "refrain",
        ]);
        if folder.ends_with("release") {
            command.arg("--release");
        }
        let target = folder.parent().expect("a profile is in a folder");
        let built = said(command.arg("--target-dir").arg(target));
        assert_eq!(built.status, 0, "{}", built.stderr);
    });
    program
}

/// Copies a folder; the crate `refrain` is found at its full path then.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder can be made");
    let library = repository().join("crates/refrain").display().to_string();
    for entry in std::fs::read_dir(from)
        .expect("the folder is there")
        .flatten()
    {
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            if entry.file_name() != "target" {
                copy(&source, &target);
            }
            continue;
        }
        let mut text = std::fs::read_to_string(&source).expect("a text file");
        if entry.file_name() == "Cargo.toml" {
            text = text.replace("REFRAIN", &library);
            for up in ["../../../", "../../"] {
                text = text.replace(&format!("\"{up}crates/refrain\""), &format!("{library:?}"));
            }
        }
        std::fs::write(&target, text).expect("a file can be written");
    }
}

impl Said {
    /// The line of a property, without its name.
    pub fn of(&self, property: &str) -> &str {
        let start = format!("test {property}");
        let mut lines = self.stdout.lines();
        let line = lines.find_map(|line| line.strip_prefix(&start)?.split_once("... "));
        line.unwrap_or_else(|| panic!("no {property} in {self:?}"))
            .1
    }
}
