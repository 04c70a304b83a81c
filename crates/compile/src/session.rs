//! One call's state: the temporary directory with headers and runtime, and what was run and said so far.

use refrain_machine::abi;

use crate::linked::{self, Linked};
use crate::scratch::Scratch;
use crate::{Built, CompileError, Language, Module, Options, SharedLibrary, dependencies, words};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// `klee/klee.h` and `refrain.h`, which programs can include without having them.
pub const HEADERS: [(&str, &str); 2] = [
    ("klee/klee.h", include_str!("../include/klee/klee.h")),
    ("refrain.h", include_str!("../include/refrain.h")),
];

const FILES: [(&str, &str); 5] = [
    ("include/klee/klee.h", HEADERS[0].1),
    ("include/refrain.h", HEADERS[1].1),
    (
        "include/refrain/instantiate.h",
        include_str!("../include/refrain/instantiate.h"),
    ),
    ("runtime/replay.c", include_str!("../runtime/replay.c")),
    ("runtime/names.c", abi::c::NAMES),
];

/// All files that compilers are given, by their paths in the directory; the C++ runtime has more (`cxx`).
pub(crate) fn sources() -> Vec<(&'static str, String)> {
    let files = FILES.map(|(name, text)| (name, text.to_string()));
    let functions = ("runtime/functions.c", abi::c::code(|_| true));
    files.into_iter().chain([functions]).collect()
}

pub(crate) struct Session<'a> {
    pub options: &'a Options,
    directory: Scratch,
    outputs: usize,
    files: BTreeSet<PathBuf>,
    commands: Vec<String>,
    messages: String,
    pub notes: Vec<String>,
}

impl<'a> Session<'a> {
    pub fn new(options: &'a Options) -> Result<Self, CompileError> {
        let directory = match &options.work_dir {
            Some(place) => Scratch::new_in(place),
            None => Scratch::new(),
        }
        .map_err(CompileError::Temporary)?;
        let session = Self {
            options,
            directory,
            outputs: 0,
            files: BTreeSet::new(),
            commands: Vec::new(),
            messages: String::new(),
            notes: Vec::new(),
        };
        for (name, text) in sources() {
            session.put(name, &text)?;
        }
        Ok(session)
    }

    /// Writes a file of our own into the temporary directory.
    pub fn put(&self, name: &str, text: &str) -> Result<(), CompileError> {
        let path = self.directory().join(name);
        path.parent()
            .map_or(Ok(()), std::fs::create_dir_all)
            .and_then(|()| std::fs::write(&path, text))
            .map_err(CompileError::Temporary)
    }

    /// The temporary directory.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// A path for the next output.
    pub fn output(&mut self, ending: &str) -> PathBuf {
        self.outputs += 1;
        self.directory().join(format!("{}.{ending}", self.outputs))
    }

    /// Takes note of files that are compiled, unless they are our own.
    pub fn depends_on(&mut self, files: impl IntoIterator<Item = PathBuf>) {
        let own = self.directory.path();
        let others = files.into_iter().filter(|file| !file.starts_with(own));
        self.files.extend(others);
    }

    /// The same by what a compiler has written.
    pub fn depends_by(&mut self, rule: &Path) {
        // Without it nothing is missing but what somebody may want to watch.
        let text = std::fs::read(rule).unwrap_or_default();
        self.depends_on(dependencies::of_rule(&String::from_utf8_lossy(&text)));
    }

    pub fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// The modules of a program that was linked. Its libraries go to the others.
    pub fn take_in(&mut self, linked: Linked, shared: &mut Vec<SharedLibrary>) -> Vec<Module> {
        self.depends_on(linked.files);
        for name in &linked.lacking {
            self.note(linked::lacks_bitcode(name));
        }
        for library in linked.shared {
            if shared.iter().all(|known| known.name != library.name) {
                shared.push(library);
            }
        }
        linked.modules
    }

    /// Runs a compiler to its end and checks that it has written `output`.
    pub fn run(&mut self, mut command: Command, output: &Path) -> Result<(), CompileError> {
        let line = words::join(
            std::iter::once(command.get_program())
                .chain(command.get_args())
                .map(|word| word.to_string_lossy()),
        );
        self.commands.push(line.clone());
        let finished =
            command
                .stdin(Stdio::null())
                .output()
                .map_err(|source| CompileError::CannotStart {
                    command: line.clone(),
                    source,
                })?;
        let said = String::from_utf8_lossy(&finished.stderr);
        if !finished.status.success() {
            return Err(CompileError::Failed {
                command: line,
                status: finished.status,
                stderr: said.into_owned(),
            });
        }
        self.messages.push_str(&said);
        if !output.exists() {
            return Err(CompileError::NoOutput {
                command: line,
                path: output.to_path_buf(),
            });
        }
        Ok(())
    }

    pub fn finish(mut self, modules: Vec<Module>, languages: BTreeSet<Language>) -> Built {
        self.take(modules, languages)
    }

    /// What was run and said so far.
    pub fn take(&mut self, modules: Vec<Module>, languages: BTreeSet<Language>) -> Built {
        Built {
            modules,
            runtime: 0,
            shared: Vec::new(),
            languages,
            files: std::mem::take(&mut self.files),
            commands: std::mem::take(&mut self.commands),
            messages: std::mem::take(&mut self.messages),
            notes: std::mem::take(&mut self.notes),
        }
    }
}
