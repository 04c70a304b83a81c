//! A compiler for whole projects: what clang does with the same arguments, and the bitcode is kept.
//!
//! The user's command is run as it is. Beside it, every source that it compiles is compiled once more, to bitcode
//! with debug information ([`jobs`]), and the bitcode is added to the object in a section that is not loaded
//! ([`elf`](crate::elf)). From there on it is the linker's work: whatever it takes into a program or a library, it takes
//! with its bitcode, through archives, partial links, copies and renames; the program itself carries the bitcode of
//! just what was linked. A command that compiles and links gets it added to what is linked.
//!
//! What a program calls to make input symbolic is there natively too ([`kit`]): without the engine it takes its input
//! from a test, or from nowhere.

mod jobs;
mod kit;

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use rustix::process::{Signal, set_parent_process_death_signal};

use crate::elf::{self, Elf};
use crate::{CompileError, Language, Options, clang, linked};
use jobs::{Compilation, Jobs, Link};
use kit::Kit;

/// The section with the places of shared libraries that have bitcode, for when they are not where a program looks.
pub(crate) const LIBRARIES: &str = ".refrain.libraries";

/// How it ended, and what there is to say beyond what clang has said.
#[derive(Default)]
pub struct Wrapped {
    pub status: ExitStatus,
    /// Worth knowing of a program that was linked.
    pub notes: Vec<String>,
    /// Why something has no bitcode, for those who look into it.
    pub log: Vec<String>,
}

/// Does what clang would do with these arguments, and keeps the bitcode. Where there is none to keep, clang takes the
/// place of this process.
pub fn wrap(
    language: Language,
    arguments: &[OsString],
    options: &Options,
) -> Result<Wrapped, CompileError> {
    let (clang, note) = clang::find_in(&options.environment, language)?;
    let plain = || {
        let mut command = clang.command();
        command.args(arguments);
        command
    };
    if arguments.is_empty() || arguments.iter().any(is_question) {
        return Err(become_it(plain()));
    }
    let kit = Kit::open(options)?;
    let with_headers = |mut command: Command| {
        for variable in ["C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"] {
            command.env(variable, with(variable, &kit.include()));
        }
        command
    };
    let jobs = jobs::ask(with_headers(clang.command()), arguments).unwrap_or_default();
    let mut command = with_headers(plain());
    if jobs == Jobs::default() {
        if kit.is_lasting() {
            return Err(become_it(command));
        }
        let status = status(command)?;
        return Ok(Wrapped {
            status,
            ..Wrapped::default()
        });
    }
    if let Some(link) = &jobs.link
        && link.is_ours()
        && !link.is_partial()
    {
        command.arg("-Xlinker").arg(kit.runtime());
    }
    let mut input = Vec::new();
    if jobs.compilations.iter().any(|job| job.reads_input) {
        { std::io::stdin().lock().read_to_end(&mut input) }.map_err(CompileError::Temporary)?;
        command.stdin(file_of(&input).map_err(CompileError::Temporary)?);
    }
    let Jobs { compilations, link } = jobs;
    let names: Vec<PathBuf> = compilations.iter().map(|job| job.object.clone()).collect();
    let first = { link.as_ref() }.is_some_and(|link| link.begins_with(&compilations));
    let compiling = Compiling::start(compilations, input);
    let status = status(command)?;
    let mut wrapped = Wrapped {
        status,
        log: note.into_iter().collect(),
        ..Wrapped::default()
    };
    if !status.success() {
        return Ok(wrapped);
    }
    let mut kept = Vec::new();
    for (name, made) in names.into_iter().zip(compiling.finish()) {
        match made {
            Ok(bitcode) => kept.push((name, bitcode)),
            Err(reason) => wrapped.log.push(format!("{}: {reason}", name.display())),
        }
    }
    match link {
        Some(link) => {
            let bitcode = kept.into_iter().flat_map(|(_, bitcode)| bitcode).collect();
            add_to_linked(&link, bitcode, first, &mut wrapped)?;
        }
        None => {
            for (object, bitcode) in kept {
                // Of `-fembed-bitcode`, it may have some of its own, which linkers drop.
                join(&object, elf::BITCODE, |_| bitcode)?;
            }
        }
    }
    Ok(wrapped)
}

/// Whether clang is only asked something.
fn is_question(word: &OsString) -> bool {
    let word = word.to_string_lossy();
    let asks = [
        "-###",
        "--version",
        "-dumpversion",
        "-dumpmachine",
        "--help",
        "-help",
    ];
    asks.contains(&&*word) || word.starts_with("-print-") || word.starts_with("--print-")
}

/// The value of a variable that lists folders, with another one at its end.
fn with(variable: &str, folder: &Path) -> OsString {
    let mut value = std::env::var_os(variable).unwrap_or_default();
    if !value.is_empty() {
        value.push(":");
    }
    value.push(folder);
    value
}

fn become_it(mut command: Command) -> CompileError {
    let source = command.exec();
    CompileError::CannotStart {
        command: command.get_program().to_string_lossy().into_owned(),
        source,
    }
}

/// A file with these contents and no name, to be read from its start.
fn file_of(bytes: &[u8]) -> std::io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file)
}

/// A process that does not outlive this one: what is interrupted writes no more files.
fn bound(command: &mut Command) -> &mut Command {
    // SAFETY: between fork and exec there is one system call.
    unsafe {
        command.pre_exec(|| Ok(set_parent_process_death_signal(Some(Signal::TERM))?));
    }
    command
}

fn status(mut command: Command) -> Result<ExitStatus, CompileError> {
    let name = command.get_program().to_string_lossy().into_owned();
    bound(&mut command)
        .status()
        .map_err(|source| CompileError::CannotStart {
            command: name,
            source,
        })
}

/// Bitcode that is being made of the sources, beside what clang does with them.
struct Compiling {
    workers: Vec<thread::JoinHandle<()>>,
    made: Arc<Mutex<Vec<Made>>>,
}

/// Bitcode, or why there is none.
type Made = Result<Vec<u8>, String>;

impl Compiling {
    fn start(jobs: Vec<Compilation>, input: Vec<u8>) -> Compiling {
        let made = Arc::new(Mutex::new(vec![
            Err("not compiled".to_string());
            jobs.len()
        ]));
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let workers = jobs.len().min(processors);
        let queue: VecDeque<_> = jobs.into_iter().enumerate().collect();
        let (queue, input) = (Arc::new(Mutex::new(queue)), Arc::new(input));
        let work = || {
            let (queue, input, made) = (queue.clone(), input.clone(), made.clone());
            move || {
                let next = || queue.lock().ok()?.pop_front();
                while let Some((index, job)) = next() {
                    let bitcode = bitcode(&job, &input);
                    if let Ok(mut made) = made.lock() {
                        made[index] = bitcode;
                    }
                }
            }
        };
        Compiling {
            workers: (0..workers).map(|_| thread::spawn(work())).collect(),
            made,
        }
    }

    /// In the order of the sources.
    fn finish(self) -> Vec<Made> {
        for worker in self.workers {
            let _ = worker.join();
        }
        { self.made.lock() }.map_or_else(|_| Vec::new(), |mut made| std::mem::take(&mut *made))
    }
}

fn bitcode(job: &Compilation, input: &[u8]) -> Made {
    let Some((program, arguments)) = job.bitcode.split_first() else {
        return Err("no command".into());
    };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null());
    if job.reads_input {
        command.stdin(file_of(input).map_err(|error| error.to_string())?);
    }
    let done = bound(&mut command)
        .output()
        .map_err(|error| error.to_string())?;
    if done.status.success() && done.stdout.starts_with(b"BC\xc0\xde") {
        Ok(done.stdout)
    } else {
        Err(String::from_utf8_lossy(&done.stderr).into_owned())
    }
}

/// What was linked gets the bitcode of the sources that were compiled for it, and the places of shared libraries.
fn add_to_linked(
    link: &Link,
    bitcode: Vec<u8>,
    first: bool,
    wrapped: &mut Wrapped,
) -> Result<(), CompileError> {
    let output = link.output();
    if !bitcode.is_empty() {
        add(&output, elf::BITCODE, bitcode, first)?;
    }
    let Some(elf) = Elf::read(&output) else {
        return Ok(());
    };
    let needed = elf.dynamic().needed;
    if needed.iter().all(|name| linked::is_of_the_system(name)) {
        return Ok(());
    }
    let mut places = Vec::new();
    let mut found = Vec::new();
    for path in link.shared_libraries() {
        let Some(library) = Elf::read(&path) else {
            continue;
        };
        let Some(name) = linked::name_of(&path, &library) else {
            continue;
        };
        if !needed.contains(&name) || found.contains(&name) || library.bitcode().is_none() {
            continue;
        }
        if let Ok(path) = path.canonicalize() {
            places.extend(path.as_os_str().as_bytes());
            places.push(0);
            found.push(name);
        }
    }
    if !places.is_empty() {
        add(&output, LIBRARIES, places, false)?;
    }
    let has_bitcode = elf.bitcode().is_some();
    if has_bitcode && !is_a_probe(&output) {
        let lacking = { needed.iter() }
            .filter(|name| !linked::is_of_the_system(name) && !found.contains(name));
        wrapped
            .notes
            .extend(lacking.map(|name| linked::lacks_bitcode(name)));
    }
    Ok(())
}

/// Programs by which a build finds out what there is: it may take anything that is said about them for a warning.
fn is_a_probe(output: &Path) -> bool {
    let name = output.file_name().unwrap_or_default().to_string_lossy();
    const PROBES: [&str; 6] = [
        "conftest",
        "a.out",
        "cmTC_",
        "testfile",
        "output.exe",
        "sanitycheck",
    ];
    PROBES.iter().any(|probe| name.starts_with(probe))
}

/// Adds to a section of a file. Where there is no such file, as with `/dev/null`, nothing is lost.
fn add(path: &Path, section: &str, bytes: Vec<u8>, first: bool) -> Result<(), CompileError> {
    join(path, section, |earlier: Option<Vec<u8>>| match earlier {
        Some(earlier) if first => [bytes, earlier].concat(),
        Some(earlier) => [earlier, bytes].concat(),
        None => bytes,
    })
}

fn join(
    path: &Path,
    section: &str,
    join: impl FnOnce(Option<Vec<u8>>) -> Vec<u8>,
) -> Result<(), CompileError> {
    elf::put_section(path, section, join)
        .map(drop)
        .map_err(|source| CompileError::Unwritable {
            path: path.to_path_buf(),
            source,
        })
}
