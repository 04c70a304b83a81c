//! From what the user names to bitcode: sources go through the compilers of the machine the user sits at, bitcode and
//! objects pass through. The crate knows compilers and the headers and the runtime they are given; it does not know the
//! machine that runs what comes out.
//!
//! * C and C++ go through clang, at `-O0` with debug information unless the flags say otherwise. A C++ program gets
//!   the parts of the C++ library that are no header beside it (`cxx`).
//! * Rust goes through rustc as one program with the standard library in it, at `opt-level=1`: the checks of Rust are
//!   part of the code and survive, and the standard library comes optimised anyhow.
//! * Bitcode, object files and archives are handed on as they are; `.ll` files are assembled.
//! * Whole projects are built by a wrapper around clang that keeps the bitcode (`wrapper`).
//! * For replaying tests, the same inputs become a native program that reads them from a file (`replay`).

mod archive;
mod clang;
mod cxx;
mod dependencies;
mod elf;
mod environment;
mod error;
mod kind;
mod linked;
mod replay;
mod rustc;
mod scratch;
mod session;
mod words;
pub mod wrapper;

pub use environment::Environment;
pub use error::CompileError;
pub use kind::Language;
pub use replay::{Entry, Replay, replay, replay_checked};
pub use scratch::Scratch;
pub use session::HEADERS;
pub use words::{join as join_words, split as split_words};

use kind::Kind;
use session::Session;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// How to compile.
#[derive(Clone, Debug)]
pub struct Options {
    /// For C and C++, after what the environment says.
    pub cflags: Vec<String>,
    /// For Rust, after what the environment says.
    pub rustflags: Vec<String>,
    /// As the compilers write it after `-O` or `opt-level=`; when missing, 0 for C and C++ and 1 for Rust.
    pub opt_level: Option<String>,
    /// Calculations with floats stay where the program has them: optimisers execute none that the program does not.
    pub keep_float_operations: bool,
    /// What clang's sanitizers look for in replays, beyond what is always undefined.
    pub sanitizers: Vec<String>,
    /// Debug information: without it, reports have no lines.
    pub debug: bool,
    /// Where the temporary directory is made [default: the system's place].
    pub work_dir: Option<PathBuf>,
    /// Compilers and flags that the user has set for all programs.
    pub environment: Environment,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            cflags: Vec::new(),
            rustflags: Vec::new(),
            opt_level: None,
            keep_float_operations: false,
            sanitizers: Vec::new(),
            debug: true,
            work_dir: None,
            environment: Environment::of_process(),
        }
    }
}

/// A bitcode file, an object file or an archive.
#[derive(Clone, Debug)]
pub struct Module {
    /// What to call it in messages.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// A shared library that a program is linked with.
#[derive(Clone, Debug)]
pub struct SharedLibrary {
    /// As programs name it.
    pub name: String,
    pub path: PathBuf,
    /// What it defines for others; all else it keeps to itself.
    pub exports: BTreeSet<String>,
    pub modules: Vec<Module>,
}

/// What came out.
#[derive(Clone, Debug, Default)]
pub struct Built {
    /// In the order of the inputs; the C++ runtime, if any, is the last.
    pub modules: Vec<Module>,
    /// How many of them are of the runtime.
    pub runtime: usize,
    /// Of programs that were linked.
    pub shared: Vec<SharedLibrary>,
    /// Those of the sources.
    pub languages: BTreeSet<Language>,
    /// What the modules were made of: the inputs, and what they include, but for headers of the system and our own.
    pub files: BTreeSet<PathBuf>,
    /// The commands that were run, as one would type them.
    pub commands: Vec<String>,
    /// What the compilers had to say though they succeeded, verbatim.
    pub messages: String,
    /// What the user should know about how compilers were chosen.
    pub notes: Vec<String>,
}

/// Compiles what needs compiling, and reads the rest.
pub fn to_bitcode(inputs: &[PathBuf], options: &Options) -> Result<Built, CompileError> {
    let kinds = classify(inputs)?;
    let mut session = Session::new(options)?;
    let mut modules = Vec::new();
    let mut shared = Vec::new();
    for (path, kind) in inputs.iter().zip(&kinds) {
        session.depends_on([path.clone()]);
        if *kind == Kind::Binary
            && let Some(linked) = linked::read(path)?
        {
            modules.extend(session.take_in(linked, &mut shared));
            continue;
        }
        let bytes = match kind {
            Kind::Source(Language::Rust) => rustc::bitcode(&mut session, path)?,
            Kind::Source(language) => clang::bitcode(&mut session, path, *language)?,
            Kind::Assembly => clang::assemble(&mut session, path)?,
            Kind::Binary => {
                let bytes = read(path)?;
                match archive::filled(path, &bytes)? {
                    Some(filled) => {
                        session.depends_on(filled.files);
                        filled.bytes
                    }
                    None => bytes,
                }
            }
        };
        modules.push(Module {
            name: path.display().to_string(),
            bytes,
        });
    }
    let languages = languages(&kinds);
    let is_cxx = languages.contains(&Language::Cxx);
    if is_cxx {
        modules.push(cxx::core(&mut session)?);
    }
    Ok(Built {
        runtime: usize::from(is_cxx),
        shared,
        ..session.finish(modules, languages)
    })
}

/// Those parts of the C++ runtime that may define what a program leaves undefined, but for modules that are there:
/// `to_bitcode` adds the part that all programs of C++ need, and nothing to bitcode that the user has compiled. Empty
/// when there is nothing to add; parts may leave more undefined.
pub fn cxx_runtime(
    undefined: &[&str],
    there: &[Module],
    options: &Options,
) -> Result<Built, CompileError> {
    let parts = cxx::parts_for(undefined, there);
    if parts.is_empty() {
        return Ok(Built::default());
    }
    let mut session = Session::new(options)?;
    let modules = parts
        .into_iter()
        .map(|part| cxx::module(&mut session, part));
    let modules: Vec<Module> = modules.collect::<Result<_, _>>()?;
    Ok(Built {
        runtime: modules.len(),
        ..session.finish(modules, BTreeSet::from([Language::Cxx]))
    })
}

/// Builds the native program of the same inputs with the same compilers and flags.
pub fn native(inputs: &[PathBuf], options: &Options, output: &Path) -> Result<Built, CompileError> {
    let kinds = classify(inputs)?;
    let languages = languages(&kinds);
    let mut session = Session::new(options)?;
    match (inputs, &kinds[..]) {
        ([input], [Kind::Source(Language::Rust)]) => rustc::native(&mut session, input, output)?,
        _ if languages.contains(&Language::Rust) => return Err(CompileError::MixedRust),
        _ => clang::native(&mut session, inputs, &kinds, output)?,
    }
    Ok(session.finish(Vec::new(), languages))
}

fn classify(inputs: &[PathBuf]) -> Result<Vec<Kind>, CompileError> {
    if inputs.is_empty() {
        return Err(CompileError::NoInput);
    }
    inputs.iter().map(|path| kind::of(path)).collect()
}

fn languages(kinds: &[Kind]) -> BTreeSet<Language> {
    kinds
        .iter()
        .filter_map(|kind| match kind {
            Kind::Source(language) => Some(*language),
            _ => None,
        })
        .collect()
}

fn read(path: &Path) -> Result<Vec<u8>, CompileError> {
    std::fs::read(path).map_err(|source| CompileError::Unreadable {
        path: path.to_path_buf(),
        source,
    })
}
