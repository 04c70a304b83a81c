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

/// Set for whatever the wrapper starts: one that starts itself would do so for ever.
const STARTED: &str = "REFRAIN_CC_STARTED";

pub fn run(arguments: &Arguments, language: Language) -> Result<u8, String> {
    if std::env::var_os(STARTED).is_some() {
        return Err(
            "started by itself: CC or CXX names this wrapper in a way that it does not understand"
                .into(),
        );
    }
    // SAFETY: the process has a single thread here.
    unsafe { std::env::set_var(STARTED, "1") };
    let options = Options::default();
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
