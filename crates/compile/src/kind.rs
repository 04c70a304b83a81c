//! What a file is: by its ending, and by its first bytes when the ending says nothing.

use crate::CompileError;
use std::fmt;
use std::io::Read;
use std::path::Path;

/// A language that is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    C,
    Cxx,
    Rust,
}

impl fmt::Display for Language {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(match self {
            Self::C => "C",
            Self::Cxx => "C++",
            Self::Rust => "Rust",
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Source(Language),
    /// The textual form of bitcode.
    Assembly,
    /// Bitcode, an object file, an archive.
    Binary,
}

pub(crate) fn of(path: &Path) -> Result<Kind, CompileError> {
    let unreadable = |source: std::io::Error| match source.kind() {
        std::io::ErrorKind::NotFound => CompileError::Missing {
            path: path.to_path_buf(),
        },
        _ => CompileError::Unreadable {
            path: path.to_path_buf(),
            source,
        },
    };
    let data = path.metadata().map_err(unreadable)?;
    if data.is_dir() {
        return Err(CompileError::Directory {
            path: path.to_path_buf(),
        });
    }
    let mut start = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(8).read_to_end(&mut start))
        .map_err(unreadable)?;
    if start.is_empty() && data.is_file() {
        return Err(CompileError::Empty {
            path: path.to_path_buf(),
        });
    }
    let ending = path.extension().and_then(|ending| ending.to_str());
    match ending {
        Some("c" | "i") => return Ok(Kind::Source(Language::C)),
        Some("cc" | "cpp" | "cxx" | "C" | "c++" | "CPP" | "cp" | "ii") => {
            return Ok(Kind::Source(Language::Cxx));
        }
        Some("rs") => return Ok(Kind::Source(Language::Rust)),
        Some("ll") => return Ok(Kind::Assembly),
        Some("bc" | "o" | "a") => return Ok(Kind::Binary),
        _ => {}
    }
    const MAGIC: [&[u8]; 5] = [
        b"BC\xc0\xde",
        b"\xde\xc0\x17\x0b",
        b"\x7fELF",
        b"!<arch>\n",
        b"!<thin>\n",
    ];
    if MAGIC.iter().any(|magic| start.starts_with(magic)) {
        return Ok(Kind::Binary);
    }
    Err(CompileError::Unknown {
        path: path.to_path_buf(),
    })
}
