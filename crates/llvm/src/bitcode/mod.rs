//! Reads LLVM bitcode, of any version from 4 on, into [`ir::Module`](crate::ir::Module).
//!
//! [`read_file`] takes whatever a compiler leaves behind: bitcode, with or without a wrapper, archives of it, and
//! object files that carry it in a section. The bytes are not trusted, and what is returned has been checked by
//! `validate` for all that lowering relies on.

mod archive;
mod attributes;
mod bitstream;
mod calls;
mod codes;
mod constants;
mod constexpr;
mod dominance;
mod function;
mod globals;
mod memory;
mod metadata;
mod module;
mod types;
mod validate;
mod validate_body;

use thiserror::Error;

use crate::ir::Module;
use bitstream::{Entry, Record, Stream};
use codes::block;

pub use bitstream::StreamProblem;

/// Why a file cannot be read.
#[derive(Debug, Error)]
pub enum ReadError {
    #[error("{file}: malformed bitcode at bit {bit} ({block} block): {problem}")]
    Stream {
        file: String,
        bit: u64,
        block: &'static str,
        problem: StreamProblem,
    },
    #[error("{file}: bad record {code} at bit {bit} ({block} block): {what}")]
    Record {
        file: String,
        bit: u64,
        block: &'static str,
        code: u32,
        what: String,
    },
    /// A module that is well formed and means nothing.
    #[error("{file}: invalid module: {what}")]
    Invalid { file: String, what: String },
    #[error("{file}: made for a target that cannot be run: {what}")]
    Target { file: String, what: String },
    #[error("{file}: {what}")]
    NotBitcode { file: String, what: String },
}

type Result<T> = std::result::Result<T, ReadError>;

/// The modules of a file.
#[derive(Debug, Default)]
pub struct FileContents {
    pub modules: Vec<Module>,
    /// It was an archive: its modules are to be linked when they are needed.
    pub archive: bool,
    /// What was left out and why, one line each.
    pub notes: Vec<String>,
}

/// Reads the one module of a bitcode file.
pub fn read_module(name: &str, bytes: &[u8]) -> Result<Module> {
    let mut modules = read_bitcode(name, bytes)?;
    if modules.len() > 1 {
        return Err(ReadError::NotBitcode {
            file: name.into(),
            what: format!(
                "a bitcode file of {} modules where one is expected",
                modules.len()
            ),
        });
    }
    modules.pop().ok_or_else(|| no_module(name))
}

/// Reads of the one module of a bitcode file what a program needs: its variables, the functions of names that are
/// wanted, and what those need.
pub fn read_wanted(name: &str, bytes: &[u8], is_wanted: &dyn Fn(&str) -> bool) -> Result<Module> {
    let data = unwrapped(name, bytes)?;
    match &find_modules(name, data)?[..] {
        [place] => module::read_wanted(name.into(), data, place.byte, place.strtab, is_wanted),
        _ => Err(no_module(name)),
    }
}

/// Reads all modules of a bitcode file, an archive, or an object file with embedded bitcode.
pub fn read_file_bytes(name: &str, bytes: &[u8]) -> Result<Vec<Module>> {
    read_file(name, bytes).map(|contents| contents.modules)
}

/// As [`read_file_bytes`], and says what was left out.
pub fn read_file(name: &str, bytes: &[u8]) -> Result<FileContents> {
    if is_bitcode(bytes) {
        return Ok(FileContents {
            modules: read_bitcode(name, bytes)?,
            ..FileContents::default()
        });
    }
    archive::read(name, bytes)
}

fn no_module(name: &str) -> ReadError {
    ReadError::NotBitcode {
        file: name.into(),
        what: "a bitcode file without a module".into(),
    }
}

const MAGIC: [u8; 4] = [b'B', b'C', 0xc0, 0xde];
const WRAPPER_MAGIC: u32 = 0x0b17_c0de;

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let word = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(word.try_into().ok()?))
}

fn is_bitcode(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC) || word(bytes, 0) == Some(WRAPPER_MAGIC)
}

/// The bitcode within its wrapper, where it has one.
fn unwrapped<'a>(name: &str, bytes: &'a [u8]) -> Result<&'a [u8]> {
    if word(bytes, 0) != Some(WRAPPER_MAGIC) {
        return Ok(bytes);
    }
    let inner = word(bytes, 8)
        .zip(word(bytes, 12))
        .and_then(|(offset, size)| {
            let start = offset as usize;
            bytes.get(start..start.checked_add(size as usize)?)
        });
    inner.ok_or_else(|| ReadError::NotBitcode {
        file: name.into(),
        what: "a bitcode wrapper that points outside of the file".into(),
    })
}

/// Reads every module of some bitcode.
fn read_bitcode(name: &str, bytes: &[u8]) -> Result<Vec<Module>> {
    let data = unwrapped(name, bytes)?;
    if !data.starts_with(&MAGIC) {
        return Err(ReadError::NotBitcode {
            file: name.into(),
            what: "not LLVM bitcode".into(),
        });
    }
    // Names are in a table behind the modules that use them, so it is found first.
    let places = find_modules(name, data)?;
    let several = places.len() > 1;
    let mut modules = Vec::new();
    for (index, place) in places.iter().enumerate() {
        let shown = if several {
            format!("{name}[{index}]")
        } else {
            name.to_string()
        };
        modules.push(module::read(shown, data, place.byte, place.strtab)?);
    }
    if modules.is_empty() {
        return Err(no_module(name));
    }
    Ok(modules)
}

struct ModulePlace<'a> {
    /// Where its block starts.
    byte: usize,
    strtab: &'a [u8],
}

fn find_modules<'a>(name: &str, data: &'a [u8]) -> Result<Vec<ModulePlace<'a>>> {
    let mut places: Vec<ModulePlace> = Vec::new();
    // Modules that no string table has been seen for.
    let mut open = 0;
    let mut byte = MAGIC.len();
    let mut record = Record::default();
    loop {
        let rest = data.get(byte..).unwrap_or_default();
        if rest.starts_with(&MAGIC) {
            // Files that were simply put behind each other.
            byte += MAGIC.len();
            open = places.len();
            continue;
        }
        let mut stream = Stream::new(data, byte);
        if stream.at_end() || rest.iter().all(|&byte| byte == 0) {
            return Ok(places);
        }
        let step = (|| {
            let Entry::Block(kind) = stream.next(&mut record)? else {
                return Err(StreamProblem::StrayEnd);
            };
            match kind {
                block::MODULE => {
                    places.push(ModulePlace { byte, strtab: &[] });
                    stream.skip()?;
                }
                block::STRTAB => {
                    stream.enter(kind)?;
                    loop {
                        match stream.next(&mut record)? {
                            Entry::EndBlock => break,
                            Entry::Block(_) => stream.skip()?,
                            Entry::Record => {
                                let blob = record.blob.clone().and_then(|blob| data.get(blob));
                                if let (1, Some(blob)) = (record.code, blob) {
                                    for place in &mut places[open..] {
                                        place.strtab = blob;
                                    }
                                    open = places.len();
                                }
                            }
                        }
                    }
                }
                _ => stream.skip()?,
            }
            Ok(())
        })();
        step.map_err(|problem| stream_error(name, &stream, problem))?;
        byte = stream.byte();
    }
}

fn stream_error(name: &str, stream: &Stream, problem: StreamProblem) -> ReadError {
    ReadError::Stream {
        file: name.into(),
        bit: stream.entry_bit(),
        block: block::name(stream.block()),
        problem,
    }
}
