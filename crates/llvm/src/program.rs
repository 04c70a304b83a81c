//! From files to a program: the user's modules, linked, over the C library.

use std::collections::BTreeSet;

use thiserror::Error;

use crate::bitcode::{self, ReadError};
use crate::ir::Module;
use crate::link::{self, LinkError, Program};
use crate::runtime::library::LIBRARY;

#[derive(Debug, Error)]
pub enum ProgramError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Link(#[from] LinkError),
    #[error("none of the files has any code")]
    Empty,
}

/// What was put together, and what was left out of it.
pub struct Assembled {
    pub program: Program,
    pub notes: Vec<String>,
}

/// A file by name and contents.
pub type File<'a> = (&'a str, &'a [u8]);

/// A shared library: all of it is part of the program.
pub struct Shared<'a> {
    /// What it defines for others.
    pub exports: BTreeSet<String>,
    pub files: Vec<File<'a>>,
}

/// Reads and links files: bitcode, objects that carry bitcode, and archives of them. Libraries give only what is
/// missing.
pub fn assemble<'a>(
    files: impl IntoIterator<Item = File<'a>>,
    libraries: &[File<'a>],
) -> Result<Assembled, ProgramError> {
    assemble_with(files, [], libraries)
}

/// The same with shared libraries, in the order in which names are looked up in them.
pub fn assemble_with<'a>(
    files: impl IntoIterator<Item = File<'a>>,
    shared: impl IntoIterator<Item = Shared<'a>>,
    libraries: &[File<'a>],
) -> Result<Assembled, ProgramError> {
    let (mut modules, mut archives, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for (name, bytes) in files {
        let contents = bitcode::read_file(name, bytes)?;
        notes.extend(contents.notes);
        if contents.archive {
            archives.push(contents.modules);
        } else {
            modules.extend(contents.modules);
        }
    }
    if modules.is_empty() {
        return Err(ProgramError::Empty);
    }
    let mut program = link::link(modules)?;
    for archive in archives {
        program.add_library(archive);
    }
    for library in shared {
        let mut modules = Vec::new();
        for (name, bytes) in library.files {
            modules.extend(bitcode::read_file(name, bytes)?.modules);
        }
        program.add_shared(modules, &library.exports);
    }
    for (name, bytes) in libraries {
        program.add_library(bitcode::read_file(name, bytes)?.modules);
    }
    program.add_library(vec![c_library(&program)?]);
    // What the machine itself calls or touches.
    for name in [
        "exit",
        "__refrain_errno",
        "__refrain_stream_write",
        "environ",
    ] {
        program.require(name);
    }
    Ok(Assembled { program, notes })
}

/// Functions of the C library that the machine calls by their names, whatever the program does.
const CALLED: [&str; 5] = ["exit", "atexit", "gettid", "nanosleep", "sched_yield"];

/// Those that it calls only for functions of its own whose names have this in them.
const CALLED_FOR: [(&str, &str); 4] = [
    ("__refrain_scan_", "scanf"),
    ("__refrain_argp_", "argp_"),
    ("__refrain_obstack_", "obstack"),
    ("__refrain_error", "error"),
];

/// By these a program calls functions whose names nobody knows before.
const CALLS_ANY: [&str; 4] = [
    "syscall",
    "dlsym",
    "klee_alias_function",
    "klee_alias_function_regex",
];

/// The C library, as much of it as a program needs.
fn c_library(program: &Program) -> Result<Module, ReadError> {
    let declared = program.declared();
    let calls_any = CALLS_ANY.iter().any(|name| declared.contains(name));
    let is_wanted = |name: &str| {
        if declared.contains(name) || calls_any {
            return true;
        }
        if !name.starts_with("__refrain_") {
            return CALLED.contains(&name);
        }
        match CALLED_FOR
            .iter()
            .find(|(prefix, _)| name.starts_with(prefix))
        {
            Some((_, part)) => declared.iter().any(|name| name.contains(part)),
            None => true,
        }
    };
    bitcode::read_wanted("refrain/libc", LIBRARY, &is_wanted)
}
