//! `refrain cc` and `refrain c++`: compilers for whole projects.

use std::ffi::OsString;

use clap::Args;
use refrain_compile::wrapper::wrap;
use refrain_compile::{Language, Options};
use tracing::info;

use crate::{complain, log};

/// Compile and link as clang does, and keep the bitcode: for make, CMake and the like
///
/// Objects, archives, libraries and programs carry the bitcode of what they are made of in a section that is not
/// loaded, so that `refrain run PROGRAM` explores it whole. <klee/klee.h> is found, and what it declares is linked.
///
/// Examples:
///   make CC="refrain cc"
///   CC="refrain cc" CXX="refrain c++" cmake -S . -B build && cmake --build build
///   refrain run build/prog
#[derive(Args)]
#[command(verbatim_doc_comment, disable_help_flag = true)]
pub struct Arguments {
    /// What clang takes
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGS"
    )]
    arguments: Vec<OsString>,
}

pub fn run(arguments: &Arguments, language: Language) -> Result<u8, String> {
    // The variables name this wrapper.
    let mut options = Options::default();
    let is_own = |line: &Option<String>| {
        let words = line.as_deref().unwrap_or_default().split_whitespace();
        words.take(1).any(|word| word.ends_with("refrain"))
    };
    if is_own(&options.environment.cc) {
        options.environment.cc = None;
    }
    if is_own(&options.environment.cxx) {
        options.environment.cxx = None;
    }
    let wrapped =
        wrap(language, &arguments.arguments, &options).map_err(|error| error.to_string())?;
    for line in &wrapped.log {
        info!(target: log::PROGRAM, "{line}");
    }
    for note in &wrapped.notes {
        complain(note);
    }
    Ok(wrapped.status.code().map_or(1, |code| code as u8))
}
