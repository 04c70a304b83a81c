//! What `--input` names: inputs that are followed first.
//!
//! A file is one test (`.ktest`, `.json`, `DIR:N`), or bytes. A directory is the results of a run of Refrain or KLEE, a
//! concrete run or several of them, or a fuzzer's corpus. A concrete run is a directory with any of `args` (an argument
//! a line; or with zeros behind each), `stdin`, `env` (`NAME=value` a line) and `files/`. In a corpus every file is the
//! bytes of a fuzz target, of standard input, or of the first file that is symbolic.

use std::fs;
use std::path::{Path, PathBuf};

use refrain_machine::{InputValue, Role, Surroundings, World};
use refrain_results::{OutputDirectory, Test, TestPack};

use crate::complain;

/// What inputs are for.
pub struct Subject<'a> {
    pub world: &'a World,
    /// The most bytes of a fuzz target.
    pub fuzzed: Option<u32>,
}

/// The inputs of everything that is named, in order.
pub fn read(paths: &[PathBuf], subject: &Subject<'_>) -> Result<Vec<Vec<InputValue>>, String> {
    let mut all = Vec::new();
    for path in paths {
        let before = all.len();
        subject.read(path, &mut all)?;
        if all.len() == before {
            return Err(format!("--input {}: no input of it fits", path.display()));
        }
    }
    Ok(all)
}

impl Subject<'_> {
    fn read(&self, path: &Path, all: &mut Vec<Vec<InputValue>>) -> Result<(), String> {
        let unreadable = |error: std::io::Error| format!("--input {}: {error}", path.display());
        if !path.is_dir() {
            let is_test = ["ktest", "json"]
                .iter()
                .any(|ending| has_ending(path, ending));
            if is_test || !path.is_file() {
                let test = Test::read(path).map_err(|error| error.to_string())?;
                all.push(self.of_test(test));
                return Ok(());
            }
            let bytes = fs::read(path).map_err(unreadable)?;
            return self.add(path, self.of_bytes(bytes), all);
        }
        if path.join("run.json").is_file() {
            let directory = OutputDirectory::open(path).map_err(|error| error.to_string())?;
            let pack: TestPack = directory.tests().map_err(|error| error.to_string())?;
            for number in pack.numbers() {
                let test = pack.read(number).map_err(|error| error.to_string())?;
                all.push(self.of_test(test));
            }
            return Ok(());
        }
        if is_concrete_run(path) {
            let run = concrete_run(path)?;
            return self.add(path, self.world.inputs_for(&run), all);
        }
        let entries = fs::read_dir(path).map_err(unreadable)?;
        let mut entries: Vec<PathBuf> = { entries.flatten() }.map(|entry| entry.path()).collect();
        entries.sort();
        // KLEE's directories have other files beside.
        if entries.iter().any(|entry| has_ending(entry, "ktest")) {
            entries.retain(|entry| has_ending(entry, "ktest"));
        }
        for entry in &entries {
            if entry.is_file() || is_concrete_run(entry) {
                self.read(entry, all)?;
            }
        }
        Ok(())
    }

    /// Adds what fits, and says what does not.
    fn add(
        &self,
        path: &Path,
        inputs: Result<Vec<InputValue>, String>,
        all: &mut Vec<Vec<InputValue>>,
    ) -> Result<(), String> {
        match inputs {
            Ok(inputs) => all.push(inputs),
            Err(why) => complain(format!("{} is left out: {why}", path.display())),
        }
        Ok(())
    }

    /// KLEE's files have names only.
    fn of_test(&self, test: Test) -> Vec<InputValue> {
        let mut inputs = test.inputs;
        for input in inputs.iter_mut().filter(|input| input.role == Role::Object) {
            input.role = self.world.role_of(&input.name).unwrap_or(input.role);
        }
        inputs
    }

    /// The bytes of a file of a corpus.
    fn of_bytes(&self, bytes: Vec<u8>) -> Result<Vec<InputValue>, String> {
        if let Some(most) = self.fuzzed {
            if bytes.len() > most as usize {
                return Err(format!("it has more than {most} bytes"));
            }
            let length = InputValue {
                role: Role::Length,
                ..InputValue::object("data-size", (bytes.len() as u32).to_le_bytes())
            };
            let data = InputValue {
                role: Role::Parameter,
                ..InputValue::object("data", bytes)
            };
            return Ok(vec![length, data]);
        }
        // The arguments are as few as they can be.
        let mut run = self.world.realise(&[]);
        run.environment.clear();
        let is_symbolic = |named: &&refrain_machine::Named| named.contents.is_symbolic();
        let file = self.world.files.iter().find(is_symbolic);
        run.files.clear();
        if self
            .world
            .stdin
            .as_ref()
            .is_some_and(|stdin| stdin.is_symbolic())
        {
            run.stdin = bytes;
        } else if let Some(file) = file {
            run.files = vec![(file.name.0.clone(), bytes)];
        } else {
            let why =
                "bytes are for --fuzz-target, --sym-stdin or --sym-files, none of which is given";
            return Err(why.into());
        }
        self.world.inputs_for(&run)
    }
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|found| found == ending)
}

fn is_concrete_run(path: &Path) -> bool {
    let has_file = |name: &str| path.join(name).is_file();
    has_file("args") || has_file("stdin") || has_file("env") || path.join("files").is_dir()
}

fn concrete_run(path: &Path) -> Result<Surroundings, String> {
    let read = |name: &str| {
        let file = path.join(name);
        match file.exists() {
            true => fs::read(&file).map_err(|error| format!("{}: {error}", file.display())),
            false => Ok(Vec::new()),
        }
    };
    let mut run = Surroundings {
        args: vec![Vec::new()],
        environment: lines(&read("env")?),
        stdin: read("stdin")?,
        files: Vec::new(),
    };
    run.args.extend(lines(&read("args")?));
    let files = path.join("files");
    if files.is_dir() {
        add_files(&files, "", &mut run)?;
    }
    Ok(run)
}

/// Pieces that end in a zero, if there is any, or in a new line.
fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    let end = if bytes.contains(&0) { 0 } else { b'\n' };
    let bytes = bytes.strip_suffix(&[end]).unwrap_or(bytes);
    if bytes.is_empty() {
        return Vec::new();
    }
    bytes.split(|&byte| byte == end).map(Vec::from).collect()
}

fn add_files(folder: &Path, front: &str, run: &mut Surroundings) -> Result<(), String> {
    let unreadable = |error: std::io::Error| format!("{}: {error}", folder.display());
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let mut entries: Vec<PathBuf> = { entries.flatten() }.map(|entry| entry.path()).collect();
    entries.sort();
    for entry in entries {
        let name = entry.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{front}{name}");
        if entry.is_dir() {
            add_files(&entry, &format!("{name}/"), run)?;
        } else {
            let contents = fs::read(&entry).map_err(unreadable)?;
            run.files.push((name.into_bytes(), contents));
        }
    }
    Ok(())
}
