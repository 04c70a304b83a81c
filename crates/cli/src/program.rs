//! A program from what the user names: compiled where it is source, linked with the runtime it needs.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Mutex;

use clap::Args;
use refrain_compile as compile;
use refrain_llvm::load::{FloatChecks, Options};
use refrain_llvm::machine::{Machine, State};
use refrain_llvm::native::Host;
use refrain_llvm::program;
use refrain_results::Run;
use tracing::info;

use crate::{complain, log};

const CHECKS: [&str; 6] = [
    "overflow",
    "uninitialised",
    "nan",
    "inf",
    "float-division",
    "float-to-int",
];

/// What a program is made of, and how.
#[derive(Args, Clone, Default)]
pub struct Sources {
    /// More sources or bitcode of the same program
    #[arg(long, value_name = "FILE")]
    pub with: Vec<PathBuf>,

    /// Flags for clang, after $CFLAGS
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub cflags: Vec<String>,

    /// Flags for rustc, after $RUSTFLAGS
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub rustflags: Vec<String>,

    /// Also look for: overflow (of signed calculations), uninitialised (reads), nan and inf (results of floats that are
    /// neither), float-division (by zero), float-to-int (conversions out of range)
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = CHECKS)]
    pub check: Vec<String>,
}

impl Sources {
    /// All files, the one that was named first in front.
    pub fn inputs(&self, program: PathBuf) -> Vec<PathBuf> {
        [&[program], &self.with[..]].concat()
    }

    pub fn compile_options(&self) -> Result<compile::Options, String> {
        Ok(compile::Options {
            cflags: split(&self.cflags)?,
            rustflags: split(&self.rustflags)?,
            ..for_checks(&self.check)
        })
    }

    pub fn machine_options(&self) -> Options {
        let checks = |what: &str| self.check.iter().any(|check| check == what);
        Options {
            check_overflow: checks("overflow"),
            check_uninitialised: checks("uninitialised"),
            keep_variables_in_memory: checks("uninitialised"),
            floats: FloatChecks {
                nan: checks("nan"),
                infinity: checks("inf"),
                division: checks("float-division"),
                to_integer: checks("float-to-int"),
            },
        }
    }
}

/// How the program of a run was compiled.
pub fn options_of(run: &Run) -> compile::Options {
    compile::Options {
        cflags: run.cflags.clone(),
        rustflags: run.rustflags.clone(),
        ..for_checks(&run.checks)
    }
}

/// What compilers are told so that a check sees what the source says.
fn for_checks(checks: &[String]) -> compile::Options {
    let sanitizer = |check: &String| match check.as_str() {
        "float-division" => Some("float-divide-by-zero".to_string()),
        "float-to-int" => Some("float-cast-overflow".to_string()),
        _ => None,
    };
    let is_of_floats =
        |check: &String| matches!(check.as_str(), "nan" | "inf") || sanitizer(check).is_some();
    compile::Options {
        keep_float_operations: checks.iter().any(is_of_floats),
        sanitizers: checks.iter().filter_map(sanitizer).collect(),
        ..compile::Options::default()
    }
}

/// The bitcode of a program, from which every worker makes its own machine.
pub struct Bitcode {
    files: Vec<(String, Vec<u8>)>,
    shared: Vec<compile::SharedLibrary>,
    runtime: Vec<compile::Module>,
    /// What was read already, for the first machine.
    assembled: Mutex<Option<program::Assembled>>,
}

impl Bitcode {
    /// Compiles and reads what the user has named, saying what there is to say.
    pub fn build(
        inputs: &[PathBuf],
        options: &compile::Options,
        verbose: bool,
    ) -> Result<Bitcode, String> {
        let built = compile::to_bitcode(inputs, options).map_err(|error| error.to_string())?;
        Bitcode::of_built(built, options, verbose)
    }

    /// What was compiled.
    pub fn of_built(
        built: compile::Built,
        options: &compile::Options,
        verbose: bool,
    ) -> Result<Bitcode, String> {
        let _ = io::stderr().write_all(built.messages.as_bytes());
        for note in &built.notes {
            complain(note);
        }
        for command in &built.commands {
            info!(target: log::PROGRAM, "{command}");
            if verbose {
                complain(command);
            }
        }
        // The C++ runtime comes last, and gives way to what the program defines itself.
        let own = built.modules.len() - built.runtime;
        let (modules, runtime) = built.modules.split_at(own);
        let file = |module: &compile::Module| (module.name.clone(), module.bytes.clone());
        let mut bitcode = Bitcode {
            files: modules.iter().map(file).collect(),
            shared: built.shared,
            runtime: runtime.to_vec(),
            assembled: Mutex::new(None),
        };
        let mut assembled = bitcode.assemble()?;
        loop {
            let undefined = assembled.program.undefined();
            match compile::cxx_runtime(&undefined, &bitcode.runtime, options) {
                Ok(more) if more.modules.is_empty() => break,
                Ok(more) => bitcode.runtime.extend(more.modules),
                Err(error) => {
                    complain(format!(
                        "the program is C++, and its runtime could not be compiled: {error}"
                    ));
                    break;
                }
            }
            assembled = bitcode.assemble()?;
        }
        for note in &assembled.notes {
            complain(note);
        }
        bitcode.assembled = Mutex::new(Some(assembled));
        Ok(bitcode)
    }

    fn assemble(&self) -> Result<program::Assembled, String> {
        let files = self
            .files
            .iter()
            .map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
        fn of(modules: &[compile::Module]) -> Vec<program::File<'_>> {
            let files = modules.iter();
            files
                .map(|module| (module.name.as_str(), module.bytes.as_slice()))
                .collect()
        }
        let shared = self.shared.iter().map(|library| program::Shared {
            exports: library.exports.clone(),
            files: of(&library.modules),
        });
        program::assemble_with(files, shared, &of(&self.runtime)).map_err(|error| error.to_string())
    }

    /// Of all code.
    pub fn digest(&self) -> String {
        let files = { self.files.iter() }.map(|(_, bytes)| bytes.as_slice());
        let shared = self.shared.iter().flat_map(|library| &library.modules);
        let others = shared.chain(&self.runtime);
        Run::digest_of(files.chain(others.map(|module| module.bytes.as_slice())))
    }

    /// A machine, and the state right before the program's first instruction.
    pub fn load(&self, options: Options, host: Box<dyn Host>) -> Result<(Machine, State), String> {
        let read = self.assembled.lock().ok().and_then(|mut read| read.take());
        let assembled = match read {
            Some(assembled) => assembled,
            None => self.assemble()?,
        };
        Machine::new(assembled.program, options, host).map_err(|error| error.to_string())
    }
}

pub fn split(flags: &[String]) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    for text in flags {
        words.extend(compile::split_words("flags", text).map_err(|error| error.to_string())?);
    }
    Ok(words)
}
