//! What a run sees of the host's files: `--world`.
//!
//! Files are looked up, listed and read when a path first asks for them, once for the whole run; nothing is ever written.
//! What was found out is noted with the results (`host.txt`), for whoever goes on with them: another file is another
//! program.

mod copies;
mod notes;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use refrain_compile::Scratch;
use refrain_llvm::native::file_system::{HOME, HostEntry, HostKind, NameShape, Seen, Time, USER};
use refrain_llvm::native::{Host, errno};
use refrain_results::Run;

pub use self::copies::remove_tree;
use self::notes::{
    Fact, NOTES, Question, facts_of, hash_of_content, hash_of_entry, hash_of_names, line_of,
};
use crate::given::Given;
use crate::run::PipedInput;

/// `--world`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostView {
    /// All files.
    Host,
    Empty,
    /// What is in one directory.
    Directory(PathBuf),
}

impl HostView {
    pub fn parse(text: &str) -> Result<HostView, String> {
        match text {
            "host" => Ok(HostView::Host),
            "empty" => Ok(HostView::Empty),
            path if Path::new(path).is_dir() => {
                let path = std::path::absolute(path).map_err(|error| error.to_string())?;
                Ok(HostView::Directory(path))
            }
            path => Err(format!(
                "--world {path}: not a directory, nor 'host' or 'empty'"
            )),
        }
    }

    /// What a run that was recorded has seen.
    pub fn of(run: &Run) -> Result<HostView, String> {
        match Given::read(&run.switches).value("world") {
            None => Ok(HostView::Host),
            Some(text) if matches!(text, "host" | "empty") => HostView::parse(text),
            Some(text) => HostView::parse(&run.directory.join(text).to_string_lossy()),
        }
    }
}

/// What has results in it, and is not shown to a program.
const OWN_RESULTS: [&[u8]; 2] = [b"refrain-out", b"refrain-last"];

#[derive(Default)]
struct Known {
    entries: BTreeMap<Vec<u8>, Result<HostEntry, i32>>,
    /// All names in directories, also where no more than some of them were asked for.
    lists: BTreeMap<Vec<u8>, Result<Vec<Vec<u8>>, i32>>,
    contents: BTreeMap<Vec<u8>, Result<Vec<u8>, i32>>,
    /// What was asked, of which path, and a hash of the answer.
    facts: BTreeMap<(Question, Vec<u8>), String>,
    notes: Option<File>,
}

/// The files of the host as one run sees them, the same for all its workers.
#[derive(Clone)]
pub struct HostFiles {
    world: HostView,
    /// Where the program is.
    directory: PathBuf,
    /// Whoever runs this, and the groups that he is in.
    user: u32,
    groups: Arc<Vec<u32>>,
    known: Arc<Mutex<Known>>,
}

impl HostFiles {
    /// The program is in the current directory.
    pub fn new(world: HostView) -> Result<HostFiles, String> {
        let directory = std::env::current_dir().map_err(|error| error.to_string())?;
        Ok(HostFiles::at(world, directory))
    }

    pub fn at(world: HostView, directory: PathBuf) -> HostFiles {
        // Who owns the process owns its entry.
        let own = fs::metadata("/proc/self");
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("Groups:"));
        let others = line.unwrap_or_default().split_whitespace();
        let mut groups: Vec<u32> = others.filter_map(|group| group.parse().ok()).collect();
        groups.extend(own.as_ref().map(MetadataExt::gid));
        HostFiles {
            world,
            directory,
            user: own.map_or(u32::MAX, |own| own.uid()),
            groups: Arc::new(groups),
            known: Arc::default(),
        }
    }

    /// What a run that was recorded has seen.
    pub fn of(run: &Run) -> Result<HostFiles, String> {
        Ok(HostFiles::at(HostView::of(run)?, run.directory.clone()))
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where a path of the program's is.
    fn place(&self, path: &[u8]) -> PathBuf {
        let path = Path::new(OsStr::from_bytes(path));
        match &self.world {
            HostView::Directory(root) => root.join(path),
            HostView::Host | HostView::Empty => path.to_path_buf(),
        }
    }

    /// Results are nothing that a program sees: they would change by being written. Nor are temporary files of ours.
    fn is_hidden(&self, path: &[u8]) -> bool {
        let place = self.place(path);
        let is_here = place.parent() == Some(&self.directory);
        let is_ours = |name: &OsStr| OWN_RESULTS.contains(&name.as_bytes()) && is_here;
        place.file_name().is_some_and(is_ours)
            || (place.join("run.json").is_file() && place.join("tree").is_dir())
            || Scratch::is_one(&place)
    }

    /// Where a native program starts, and what it finds there in place of the host's files: those of a directory, or
    /// none, which is an empty path.
    pub fn start(&self) -> (PathBuf, Option<PathBuf>) {
        let home = PathBuf::from(OsStr::from_bytes(HOME));
        match &self.world {
            HostView::Host if self.directory.is_absolute() => (self.directory.clone(), None),
            // Of a run that does not say where it was, too.
            HostView::Host | HostView::Empty => (home, Some(PathBuf::new())),
            HostView::Directory(root) => (home, Some(root.clone())),
        }
    }

    /// What was not shown to the program: in its directory, and in those that it has looked into by what is noted with
    /// these results.
    pub fn hidden(&self, results: &Path) -> Result<Vec<PathBuf>, String> {
        let mut directories = BTreeSet::from([self.directory.clone()]);
        for (question, path, _) in facts_of(results)? {
            if matches!(question, Question::List | Question::Fit) {
                directories.insert(self.place(asked_names(&path).0));
            }
        }
        let mut hidden = Vec::new();
        for directory in directories {
            let entries = fs::read_dir(directory).into_iter().flatten().flatten();
            let paths = entries.map(|entry| entry.path());
            hidden.extend(paths.filter(|path| self.is_hidden(path.as_os_str().as_bytes())));
        }
        Ok(hidden)
    }

    fn seen(&self) -> Seen {
        match &self.world {
            HostView::Host => Seen::All {
                directory: self.directory.clone().into_os_string().into_vec(),
            },
            HostView::Empty => Seen::Nothing,
            HostView::Directory(_) => Seen::Below,
        }
    }

    fn look(&self, path: &[u8]) -> Result<HostEntry, i32> {
        let mut known = self.known();
        if let Some(entry) = known.entries.get(path) {
            return entry.clone();
        }
        let entry = match self.is_hidden(path) {
            true => Err(errno::ENOENT),
            false => self.entry(&self.place(path)),
        };
        known.note(Question::Look, path, hash_of_entry(&entry));
        known.entries.insert(path.to_vec(), entry.clone());
        entry
    }

    fn entry(&self, place: &Path) -> Result<HostEntry, i32> {
        let found = fs::symlink_metadata(place).map_err(|error| number(&error))?;
        let kind = match found.file_type() {
            kind if kind.is_file() => HostKind::File,
            kind if kind.is_dir() => HostKind::Directory,
            kind if kind.is_symlink() => {
                let target = fs::read_link(place).map_err(|error| number(&error))?;
                HostKind::Link(target.into_os_string().into_vec())
            }
            _ => HostKind::Other,
        };
        let time = |seconds, nanoseconds: i64| Time {
            seconds,
            nanoseconds: nanoseconds as u32,
        };
        // What is the user's is the program's, and what is a group's that he is in; what is root's is root's, unless
        // that is the user.
        let own = |number: u32, is_own: bool| if is_own { USER } else { number };
        Ok(HostEntry {
            kind,
            mode: found.permissions().mode() & 0o7777,
            user: own(found.uid(), found.uid() == self.user),
            group: own(found.gid(), self.groups.contains(&found.gid())),
            links: found.nlink() as u32,
            size: found.len(),
            identity: (found.dev(), found.ino()),
            times: [
                time(found.atime(), found.atime_nsec()),
                time(found.mtime(), found.mtime_nsec()),
                time(found.ctime(), found.ctime_nsec()),
            ],
        })
    }

    fn list(&self, path: &[u8]) -> Result<Vec<Vec<u8>>, i32> {
        let mut known = self.known();
        let names = self.all_names(&mut known, path);
        known.note(Question::List, path, hash_of_names(&names));
        names
    }

    /// The names that a text of a shape can begin with: whatever others there are does not matter.
    fn list_fitting(&self, path: &[u8], shape: &NameShape) -> Result<Vec<Vec<u8>>, i32> {
        let mut known = self.known();
        let mut names = self.all_names(&mut known, path);
        if let Ok(names) = &mut names {
            names.retain(|name| shape.fits(name));
        }
        let asked = [path, b"\0", &shape.encoded()].concat();
        known.note(Question::Fit, &asked, hash_of_names(&names));
        names
    }

    /// The same for the whole run.
    fn all_names(&self, known: &mut Known, path: &[u8]) -> Result<Vec<Vec<u8>>, i32> {
        let names = known.lists.entry(path.to_vec());
        names.or_insert_with(|| self.names(path)).clone()
    }

    fn names(&self, path: &[u8]) -> Result<Vec<Vec<u8>>, i32> {
        let mut names = Vec::new();
        for entry in fs::read_dir(self.place(path)).map_err(|error| number(&error))? {
            let name = entry.map_err(|error| number(&error))?.file_name();
            let whole = Path::new(OsStr::from_bytes(path)).join(&name);
            if !self.is_hidden(whole.as_os_str().as_bytes()) {
                names.push(name.into_vec());
            }
        }
        names.sort();
        Ok(names)
    }

    fn read_file(&self, path: &[u8]) -> Result<Vec<u8>, i32> {
        let mut known = self.known();
        if let Some(content) = known.contents.get(path) {
            return content.clone();
        }
        let content = fs::read(self.place(path)).map_err(|error| number(&error));
        known.note(Question::Read, path, hash_of_content(&content));
        known.contents.insert(path.to_vec(), content.clone());
        content
    }

    /// Notes what was found out, and what will be, with the results in a directory. What an earlier run noted there,
    /// or in the directory of the version before, still counts.
    pub fn note_in(&self, results: &Path, earlier: Option<&Path>) -> Result<(), String> {
        let file = results.join(NOTES);
        let failed = |error: io::Error| format!("{}: {error}", file.display());
        let before = earlier.map_or(Ok(Vec::new()), facts_of)?;
        let mut known = self.known();
        for (question, path, hash) in before {
            known.facts.entry((question, path)).or_insert(hash);
        }
        let mut text = String::new();
        for ((question, path), hash) in &known.facts {
            text += &line_of(*question, path, hash);
        }
        fs::write(&file, text).map_err(failed)?;
        let notes = File::options().append(true).open(&file).map_err(failed)?;
        known.notes = Some(notes);
        Ok(())
    }

    /// The first thing that is not any more as a run found it.
    pub fn change_since(&self, results: &Path) -> Result<Option<String>, String> {
        for (question, path, hash) in facts_of(results)? {
            let now = match question {
                Question::Look => hash_of_entry(&self.look(&path)),
                Question::List => hash_of_names(&self.list(&path)),
                Question::Fit => {
                    let (directory, shape) = asked_names(&path);
                    hash_of_names(&self.list_fitting(directory, &NameShape::decoded(shape)))
                }
                Question::Read => hash_of_content(&self.read_file(&path)),
            };
            if now != hash {
                let (path, _) = asked_names(&path);
                return Ok(Some(self.place(path).display().to_string()));
            }
        }
        Ok(None)
    }

    /// That the host still shows what an earlier run saw, in the directory of these results.
    pub fn check(&self, run: &Run, results: &Path) -> Result<(), String> {
        if self.world == HostView::Host && run.directory != self.directory {
            let is_below = |(_, path, _): &Fact| {
                let path = Path::new(OsStr::from_bytes(asked_names(path).0));
                path.starts_with(&run.directory) && path.as_os_str() != run.directory.as_os_str()
            };
            if facts_of(results)?.iter().any(is_below) {
                return Err(format!(
                    "the run was started in {}, and its program has looked at files there: go there",
                    run.directory.display()
                ));
            }
        }
        match self.change_since(results)? {
            Some(changed) => Err(format!(
                "{changed} has changed since the run, which saw it: what is known of its paths may not hold any more"
            )),
            None => Ok(()),
        }
    }
}

impl Known {
    fn note(&mut self, question: Question, path: &[u8], hash: String) {
        let asked = (question, path.to_vec());
        if self.facts.contains_key(&asked) {
            return;
        }
        let line = line_of(question, path, &hash);
        if let Some(notes) = &mut self.notes {
            // A disk that is full shows elsewhere, too.
            let _ = notes.write_all(line.as_bytes());
        }
        self.facts.insert(asked, hash);
    }
}

/// The path of a question, and behind a zero byte the shape of names, if it is about some.
fn asked_names(path: &[u8]) -> (&[u8], &[u8]) {
    let end = path
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(path.len());
    (&path[..end], path.get(end + 1..).unwrap_or_default())
}

/// The number of what went wrong.
fn number(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(errno::EIO)
}

/// A program's connection to the host.
pub struct Connection {
    files: HostFiles,
    /// What every path reads.
    piped: Option<Arc<PipedInput>>,
    /// Standard input and output are the process's; otherwise what is written stays with its path.
    is_console: bool,
}

impl Connection {
    pub fn console(files: &HostFiles) -> Box<Connection> {
        Box::new(Connection {
            files: files.clone(),
            piped: None,
            is_console: true,
        })
    }

    /// Output stays with its path, and there is no input.
    pub fn detached(files: &HostFiles) -> Box<Connection> {
        Box::new(Connection {
            files: files.clone(),
            piped: None,
            is_console: false,
        })
    }

    /// Output stays with its path, and every path reads what was piped into the command.
    pub fn exploring(files: &HostFiles, piped: &Arc<PipedInput>) -> Box<Connection> {
        Box::new(Connection {
            files: files.clone(),
            piped: Some(piped.clone()),
            is_console: false,
        })
    }
}

/// What becomes of a native program whose reader has gone away: `yes | head` comes to an end.
fn end_by_broken_pipe() {
    // SAFETY: neither call touches memory; the first undoes what Rust's runtime has set.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        libc::raise(libc::SIGPIPE);
    }
}

impl Host for Connection {
    fn write(&mut self, descriptor: i32, bytes: &[u8]) -> bool {
        if !self.is_console {
            return false;
        }
        let written = match descriptor {
            1 => io::stdout()
                .write_all(bytes)
                .and_then(|()| io::stdout().flush()),
            _ => io::stderr().write_all(bytes),
        };
        if written.is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            end_by_broken_pipe();
        }
        true
    }

    fn input(&mut self) -> Vec<u8> {
        let piped = self.piped.as_ref();
        piped.map_or(Vec::new(), |piped| piped.bytes().to_vec())
    }

    fn read(&mut self, len: usize) -> Vec<u8> {
        if !self.is_console {
            return Vec::new();
        }
        let mut buffer = vec![0; len.min(1 << 16)];
        let read = io::stdin().read(&mut buffer).unwrap_or(0);
        buffer.truncate(read);
        buffer
    }

    fn seen(&self) -> Seen {
        self.files.seen()
    }

    fn look(&mut self, path: &[u8]) -> Result<HostEntry, i32> {
        self.files.look(path)
    }

    fn list(&mut self, path: &[u8]) -> Result<Vec<Vec<u8>>, i32> {
        self.files.list(path)
    }

    fn list_fitting(&mut self, path: &[u8], shape: &NameShape) -> Result<Vec<Vec<u8>>, i32> {
        self.files.list_fitting(path, shape)
    }

    fn read_file(&mut self, path: &[u8]) -> Result<Vec<u8>, i32> {
        self.files.read_file(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_noted_is_read_back_and_changes_show() {
        let place = tempfile::tempdir().unwrap();
        let (root, results) = (place.path().join("root"), place.path().join("results"));
        fs::create_dir(&root).unwrap();
        fs::create_dir(&results).unwrap();
        let odd = "a\\b \n";
        fs::write(root.join(odd), "one").unwrap();
        let files = || HostFiles::at(HostView::Directory(root.clone()), root.clone());
        let first = files();
        first.note_in(&results, None).unwrap();
        assert_eq!(first.read_file(odd.as_bytes()), Ok(b"one".to_vec()));
        assert_eq!(first.list(b""), Ok(vec![odd.as_bytes().to_vec()]));
        assert_eq!(first.look(b"none"), Err(errno::ENOENT));
        assert_eq!(files().change_since(&results), Ok(None));
        let is_changed = || files().change_since(&results).unwrap().is_some();
        fs::write(root.join(odd), "two").unwrap();
        assert!(is_changed());
        fs::write(root.join(odd), "one").unwrap();
        assert!(!is_changed());
        fs::write(root.join("none"), "").unwrap();
        assert!(is_changed());
        // What another run goes on with counts for it, too.
        let later = place.path().join("later");
        fs::create_dir(&later).unwrap();
        files().note_in(&later, Some(&results)).unwrap();
        assert_eq!(
            facts_of(&later),
            facts_of(&results).map(|mut facts| {
                facts.sort();
                facts
            })
        );
    }
}
