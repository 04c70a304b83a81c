//! A compiler for whole projects: what clang does with the same arguments, and the bitcode is kept.
//!
//! Objects carry their bitcode (`-fembed-bitcode`), and so do archives of them. Linkers drop it: beside what is
//! linked, a folder `PROGRAM.refrain` gets the objects and archives that went into it, so that the program can be
//! explored whole. What a program calls to make input symbolic is linked into it natively too: without the engine it
//! takes its input from a test, or from nowhere.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use crate::session::Session;
use crate::{CompileError, Language, Options, clang};

/// What is beside a program whose bitcode was kept.
pub const ENDING: &str = "refrain";

/// The folder beside a program.
pub fn folder_of(program: &Path) -> PathBuf {
    let mut name = program.as_os_str().to_os_string();
    name.push(".");
    name.push(ENDING);
    name.into()
}

/// The objects and archives of a program that was linked by the wrapper; none if it was not.
pub fn parts_of(program: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder_of(program)) else {
        return Vec::new();
    };
    let mut parts: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    parts.sort();
    parts
}

/// Flags whose value is the next word.
const WITH_A_WORD: [&str; 28] = [
    "-o",
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-x",
    "-T",
    "-u",
    "-z",
    "-e",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-isysroot",
    "--sysroot",
    "-target",
    "-MF",
    "-MT",
    "-MQ",
    "-Xlinker",
    "-Xclang",
    "-Xassembler",
    "-Xpreprocessor",
    "-mllvm",
    "--param",
];

/// Flags after which nothing is linked, and no object is written.
const OTHER_ENDS: [&str; 5] = ["-E", "-S", "-M", "-MM", "-fsyntax-only"];

/// What the arguments say.
#[derive(Debug, Default, PartialEq)]
struct Job {
    /// Positions of sources among the arguments.
    sources: Vec<usize>,
    /// Objects, archives and libraries, in their order.
    parts: Vec<Part>,
    folders: Vec<PathBuf>,
    output: Option<PathBuf>,
    compiles_only: bool,
    ends_otherwise: bool,
    has_debug: bool,
}

#[derive(Debug, PartialEq)]
enum Part {
    File(PathBuf),
    /// Of `-lname`.
    Library(String),
    /// A source, by its place among the sources.
    Source(usize),
}

impl Job {
    fn of(arguments: &[OsString]) -> Job {
        let mut job = Job::default();
        let mut at = 0;
        while at < arguments.len() {
            let word = arguments[at].to_string_lossy();
            let next = arguments.get(at + 1).map(|word| word.to_string_lossy());
            let takes_next = WITH_A_WORD.contains(&word.as_ref());
            let value = |flag: &str| match word.strip_prefix(flag) {
                Some("") => next.clone().map(|next| next.into_owned()),
                Some(value) => Some(value.to_string()),
                None => None,
            };
            match word.as_ref() {
                "-c" => job.compiles_only = true,
                flag if OTHER_ENDS.contains(&flag) => job.ends_otherwise = true,
                flag if flag.starts_with("-o") && !flag.starts_with("-object") => {
                    job.output = value("-o").map(PathBuf::from);
                }
                flag if flag.starts_with("-L") => {
                    job.folders.extend(value("-L").map(PathBuf::from))
                }
                flag if flag.starts_with("-l") => job.parts.extend(value("-l").map(Part::Library)),
                flag if flag.starts_with("-g") => job.has_debug = true,
                flag if flag.starts_with('-') => {}
                file => job.add_file(file, at),
            }
            at += 1 + usize::from(takes_next);
        }
        job
    }

    fn add_file(&mut self, file: &str, at: usize) {
        let path = PathBuf::from(file);
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("c" | "i" | "cc" | "cpp" | "cxx" | "C" | "c++" | "CPP" | "cp" | "ii") => {
                self.parts.push(Part::Source(self.sources.len()));
                self.sources.push(at);
            }
            // Assembler has no bitcode.
            Some("s" | "S") => {}
            _ => self.parts.push(Part::File(path)),
        }
    }
}

/// Does what clang would do with these arguments, and keeps the bitcode.
pub fn wrap(
    language: Language,
    arguments: &[OsString],
    options: &Options,
) -> Result<ExitStatus, CompileError> {
    let mut session = Session::new(options)?;
    let job = Job::of(arguments);
    let has_work = !job.parts.is_empty();
    if job.ends_otherwise || !has_work {
        return plainly(&mut session, language, arguments);
    }
    if job.compiles_only {
        let mut command = kept(&mut session, language, &job)?;
        command.args(arguments);
        return status(command);
    }
    link(&mut session, language, arguments, &job)
}

fn plainly(
    session: &mut Session,
    language: Language,
    arguments: &[OsString],
) -> Result<ExitStatus, CompileError> {
    let mut command = clang::plain(session, language)?;
    command
        .args(arguments)
        .arg("-Qunused-arguments")
        .arg("-isystem")
        .arg(session.directory().join("include"));
    status(command)
}

/// A compiler whose objects carry their bitcode, with debug information for reports.
fn kept(session: &mut Session, language: Language, job: &Job) -> Result<Command, CompileError> {
    let mut command = clang::plain(session, language)?;
    command
        .args(["-fembed-bitcode", "-Qunused-arguments", "-isystem"])
        .arg(session.directory().join("include"));
    if !job.has_debug {
        command.arg("-g");
    }
    Ok(command)
}

/// Compiles each source by itself, links everything, and keeps what went into it.
fn link(
    session: &mut Session,
    language: Language,
    arguments: &[OsString],
    job: &Job,
) -> Result<ExitStatus, CompileError> {
    let mut linked = arguments.to_vec();
    let mut objects = Vec::new();
    for &source in &job.sources {
        let object = session.output("o");
        let mut command = kept(session, language, job)?;
        for (at, word) in arguments.iter().enumerate() {
            let is_file = job.sources.contains(&at) || names_file(job, word);
            let is_output_name = at > 0 && arguments[at - 1] == "-o";
            let is_for_linker = {
                let word = word.to_string_lossy();
                ["-o", "-l", "-Wl,"]
                    .iter()
                    .any(|flag| word.starts_with(flag))
            };
            if at == source || !(is_file || is_output_name || is_for_linker) {
                command.arg(word);
            }
        }
        command.arg("-c").arg("-o").arg(&object);
        let ended = status(command)?;
        if !ended.success() {
            return Ok(ended);
        }
        linked[source] = object.clone().into();
        objects.push(object);
    }
    let runtime = session.output("o");
    let mut command = clang::plain(session, Language::C)?;
    command
        .args(["-w", "-O1", "-fPIC", "-c"])
        .arg(session.directory().join("runtime/replay.c"))
        .arg("-o")
        .arg(&runtime);
    session.run(command, &runtime)?;
    let mut command = clang::plain(session, language)?;
    command
        .args(&linked)
        .arg(&runtime)
        .arg("-Qunused-arguments");
    let ended = status(command)?;
    if ended.success() {
        let output = job.output.clone().unwrap_or_else(|| "a.out".into());
        keep(job, &objects, &folder_of(&output)).map_err(|source| CompileError::Unwritable {
            path: folder_of(&output),
            source,
        })?;
    }
    Ok(ended)
}

fn names_file(job: &Job, word: &OsString) -> bool {
    job.parts
        .iter()
        .any(|part| matches!(part, Part::File(path) if path == Path::new(word)))
}

/// Copies everything that carries bitcode, in the order of the command.
fn keep(job: &Job, objects: &[PathBuf], folder: &Path) -> std::io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => std::fs::create_dir_all(folder)?,
    }
    let mut files: Vec<PathBuf> = Vec::new();
    for part in &job.parts {
        match part {
            Part::Source(place) => files.push(objects[*place].clone()),
            Part::File(path) => files.push(path.clone()),
            Part::Library(name) => files.extend(library(job, name)),
        }
    }
    let mut number = 0;
    for file in files {
        // What the wrapper linked itself is known by its own parts.
        let parts = parts_of(&file);
        for part in if parts.is_empty() { vec![file] } else { parts } {
            if !carries_bitcode(&part) {
                continue;
            }
            number += 1;
            let name = part.file_name().unwrap_or_default().to_string_lossy();
            std::fs::copy(&part, folder.join(format!("{number:04}-{name}")))?;
        }
    }
    Ok(())
}

/// The file of `-lname`, where it is one of the project's own.
fn library(job: &Job, name: &str) -> Option<PathBuf> {
    let mut files = job
        .folders
        .iter()
        .flat_map(|folder| ["so", "a"].map(|ending| folder.join(format!("lib{name}.{ending}"))));
    files.find(|file| file.exists())
}

/// Whether there is a section for bitcode in a file, or it is some.
fn carries_bitcode(path: &Path) -> bool {
    let Ok(bytes) = std::fs::read(path) else {
        return false;
    };
    let section = b".llvmbc\0";
    bytes.starts_with(b"BC\xc0\xde") || bytes.windows(section.len()).any(|part| part == section)
}

fn status(mut command: Command) -> Result<ExitStatus, CompileError> {
    let name = command.get_program().to_string_lossy().into_owned();
    command
        .status()
        .map_err(|source| CompileError::CannotStart {
            command: name,
            source,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(words: &str) -> Job {
        let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
        Job::of(&words)
    }

    #[test]
    fn arguments_are_understood() {
        let compiled = job("-O2 -I include -DX=1 -c a.c -o out/a.o -MF a.d");
        assert!(compiled.compiles_only && !compiled.has_debug);
        assert_eq!(compiled.sources, [5]);
        assert_eq!(compiled.output, Some("out/a.o".into()));
        let linked = job("-g a.o b.c lib/libx.a -Llib -L more -ly -lm -oprog");
        assert!(!linked.compiles_only && linked.has_debug);
        assert_eq!(linked.output, Some("prog".into()));
        assert_eq!(linked.folders, [Path::new("lib"), Path::new("more")]);
        let parts = [
            Part::File("a.o".into()),
            Part::Source(0),
            Part::File("lib/libx.a".into()),
            Part::Library("y".into()),
            Part::Library("m".into()),
        ];
        assert_eq!(linked.parts, parts);
        assert!(job("-E a.c").ends_otherwise);
        assert!(job("--version").parts.is_empty());
    }
}
