//! The output directory: everything a run leaves behind, and how it is found again.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use refrain_machine::Contents;

use crate::whole::{remove_leftovers, replace};
use crate::{
    Boundary, Cause, KTest, Outcome, OutputError, PACK, ReadError, Run, Test, TestPack, TestWriter,
    Timeline,
};

/// Where the results of one run are.
#[derive(Debug)]
pub struct OutputDirectory {
    path: PathBuf,
    /// Why the link to the last results could not be set.
    note: Option<String>,
}

/// Which part of another directory's open places this one has.
const PART: &str = "part.json";
/// What the program was given on standard input, if that was not symbolic.
const INPUT: &str = "stdin";

impl OutputDirectory {
    /// A directory that the user names: it must be new, or empty.
    pub fn create(path: &Path) -> Result<OutputDirectory, OutputError> {
        let path = path.to_path_buf();
        match fs::read_dir(&path) {
            Ok(mut entries) => {
                if path.join("run.json").exists() {
                    return Err(OutputError::EarlierRun { path });
                }
                if entries.next().is_some() {
                    return Err(OutputError::NotEmpty { path });
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(&path).map_err(|source| OutputError::Create {
                    path: path.clone(),
                    source,
                })?;
            }
            Err(_) if path.metadata().is_ok_and(|data| !data.is_dir()) => {
                return Err(OutputError::NoDirectory { path });
            }
            Err(source) => return Err(OutputError::Create { path, source }),
        }
        Ok(OutputDirectory { path, note: None })
    }

    /// The next free `refrain-out/N` below `base`, and `refrain-last` beside it set to it.
    pub fn create_next(base: &Path) -> Result<OutputDirectory, OutputError> {
        let all = base.join("refrain-out");
        let error = |path: &Path, source| OutputError::Create {
            path: path.to_path_buf(),
            source,
        };
        fs::create_dir_all(&all).map_err(|source| error(&all, source))?;
        let entries = fs::read_dir(&all).map_err(|source| error(&all, source))?;
        let numbers = entries
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let mut number = numbers.max().unwrap_or(0);
        // Another run may take the same number first: whoever creates the directory has it.
        let path = loop {
            number = number.saturating_add(1);
            let path = all.join(number.to_string());
            match fs::create_dir(&path) {
                Ok(()) => break path,
                Err(source)
                    if source.kind() == io::ErrorKind::AlreadyExists && number < u32::MAX => {}
                Err(source) => return Err(error(&path, source)),
            }
        };
        let note = link_last(base, number).err().map(|error| {
            format!(
                "cannot set {}: {error}",
                base.join("refrain-last").display()
            )
        });
        Ok(OutputDirectory { path, note })
    }

    /// One that a run has written.
    pub fn open(path: &Path) -> Result<OutputDirectory, ReadError> {
        let path = path.to_path_buf();
        if let Err(source) = fs::read_dir(&path) {
            return Err(ReadError::Read { path, source });
        }
        if !path.join("run.json").exists() {
            return Err(ReadError::NoRun { path });
        }
        Ok(OutputDirectory { path, note: None })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the user should know about how the directory was made.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    pub fn write_run(&self, run: &Run) -> Result<(), OutputError> {
        self.write_json("run.json", run)
    }

    pub fn read_run(&self) -> Result<Run, ReadError> {
        let path = self.path.join("run.json");
        let bytes = read(&path)?;
        let run: Result<Run, _> = serde_json::from_slice(&bytes);
        let mut run = run.map_err(|error| ReadError::Format {
            path,
            what: "description of a run",
            reason: error.to_string(),
        })?;
        let input = self.path.join(INPUT);
        if run.world.stdin == Some(Contents::Piped) && input.exists() {
            run.piped = Some(read(&input)?);
        }
        Ok(run)
    }

    /// Keeps what was given on standard input, and that a path has read.
    pub fn write_input(&self, bytes: &[u8]) -> Result<(), OutputError> {
        replace(&self.path, INPUT, bytes).map_err(|source| self.cannot_write(INPUT, source))
    }

    /// Says that this is one part of what a run has left open: the answers that lead to each place in it.
    pub fn write_part(&self, ways: &[Vec<u32>]) -> Result<(), OutputError> {
        self.write_json(PART, &ways)
    }

    /// What is said so, if anything is.
    pub fn read_part(&self) -> Result<Option<Vec<Vec<u32>>>, ReadError> {
        let path = self.path.join(PART);
        if !path.exists() {
            return Ok(None);
        }
        let ways = serde_json::from_slice(&read(&path)?);
        ways.map(Some).map_err(|error| ReadError::Format {
            path,
            what: "part of a run",
            reason: error.to_string(),
        })
    }

    pub fn write_stats(&self, stats: &serde_json::Value) -> Result<(), OutputError> {
        self.write_json("stats.json", stats)
    }

    pub fn write_boundary(&self, boundary: &[Boundary]) -> Result<(), OutputError> {
        self.write_json("boundary.json", &boundary)
    }

    /// Any other file of the directory, whole.
    pub fn write_json(&self, name: &str, value: &impl Serialize) -> Result<(), OutputError> {
        let json = serde_json::to_string_pretty(value)
            .map_err(|error| self.cannot_write(name, error.into()))?;
        replace(&self.path, name, format!("{json}\n").as_bytes())
            .map_err(|source| self.cannot_write(name, source))
    }

    /// An error, as a report of its own: `errors/NNNNNN.txt`.
    pub fn write_error(&self, number: u32, report: &str) -> Result<(), OutputError> {
        let errors = self.path.join("errors");
        let name = format!("{number:06}.txt");
        match fs::create_dir(&errors) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => replace(&errors, &name, report.as_bytes()),
        }
        .map_err(|source| self.cannot_write(&format!("errors/{name}"), source))
    }

    /// There are no reports of errors.
    pub fn clear_errors(&self) -> Result<(), OutputError> {
        match fs::remove_dir_all(self.path.join("errors")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(self.cannot_write("errors", error))
            }
            _ => Ok(()),
        }
    }

    /// `timeline.csv`, with its first line written; a table that is there is continued.
    pub fn timeline(&self, columns: &[&str]) -> Result<Timeline, OutputError> {
        let path = self.path.join("timeline.csv");
        let file = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(|source| self.cannot_write("timeline.csv", source))?;
        let is_new = file.metadata().is_ok_and(|data| data.len() == 0);
        let mut timeline = Timeline { file, path };
        if is_new {
            let columns: Vec<&dyn std::fmt::Display> =
                columns.iter().map(|name| name as _).collect();
            timeline.append(&columns)?;
        }
        Ok(timeline)
    }

    /// Starts the thread that writes tests.
    pub fn test_writer(&self) -> Result<TestWriter, OutputError> {
        TestWriter::start(self.path.join(PACK))
    }

    /// Where the memo tree is.
    pub fn tree(&self) -> PathBuf {
        self.path.join("tree")
    }

    /// Removes what processes have left here that were killed.
    pub fn remove_leftovers(&self) {
        remove_leftovers(&self.path);
        remove_leftovers(&self.tree());
    }

    /// The tests that were written until now.
    pub fn tests(&self) -> Result<TestPack, ReadError> {
        TestPack::open(&self.path.join(PACK))
    }

    /// Has these tests of a run and no others, whole or not at all: its own, or those of another directory.
    pub fn keep_tests(&self, of: &TestPack, numbers: &BTreeSet<u32>) -> Result<(), OutputError> {
        let hidden = self.path.join(format!(".{PACK}.{}", std::process::id()));
        let write = || -> io::Result<()> {
            let mut file = io::BufWriter::new(fs::File::create(&hidden)?);
            of.copy(numbers, &mut file)?;
            file.flush()?;
            fs::rename(&hidden, self.path.join(PACK))
        };
        write().map_err(|source| {
            let _ = fs::remove_file(&hidden);
            self.cannot_write(PACK, source)
        })
    }

    fn cannot_write(&self, name: &str, source: io::Error) -> OutputError {
        OutputError::Write {
            path: self.path.join(name),
            source,
        }
    }
}

impl Test {
    /// A test that the user names: a `.json` file, a `.ktest` file, which knows inputs and arguments only, or test N of
    /// an output directory, as `DIR:N`.
    pub fn read(path: &Path) -> Result<Test, ReadError> {
        if let Some((directory, number)) = numbered(path) {
            return OutputDirectory::open(directory)?.tests()?.read(number);
        }
        let bytes = read(path)?;
        let format = |reason| ReadError::Format {
            path: path.to_path_buf(),
            what: "test",
            reason,
        };
        if path.extension().is_some_and(|ending| ending == "json") {
            return Test::from_json(&bytes).map_err(format);
        }
        let test = KTest::decode(&bytes).map_err(format)?;
        Ok(Test {
            inputs: test.objects,
            args: test.args,
            outcome: Outcome::Unfinished(Cause::NotRecorded),
            ..Test::default()
        })
    }
}

/// The parts of `DIR:N`, where there is no file of this name.
fn numbered(path: &Path) -> Option<(&Path, u32)> {
    let (directory, number) = path.to_str()?.rsplit_once(':')?;
    let (directory, number) = (Path::new(directory), number.parse().ok()?);
    (!path.exists() && directory.is_dir()).then_some((directory, number))
}

fn read(path: &Path) -> Result<Vec<u8>, ReadError> {
    fs::read(path).map_err(|source| ReadError::Read {
        path: path.to_path_buf(),
        source,
    })
}

/// A link is made under another name and then moved over the old one, which is a link or nothing.
fn link_last(base: &Path, number: u32) -> io::Result<()> {
    let link = base.join("refrain-last");
    if let Ok(data) = link.symlink_metadata()
        && !data.is_symlink()
    {
        return Err(io::Error::other("it is there, and no link"));
    }
    let new = base.join(format!(".refrain-last.{}.{number}", std::process::id()));
    std::os::unix::fs::symlink(Path::new("refrain-out").join(number.to_string()), &new)?;
    fs::rename(&new, &link).inspect_err(|_| {
        let _ = fs::remove_file(&new);
    })
}
