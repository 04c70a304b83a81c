//! What a build is given beside clang: the headers that programs may include, and the functions that they declare for
//! programs that run natively. Both lie in the user's cache directory, made once: a build's rules name headers by their
//! paths, and these must still be there when it is built again.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use crate::elf::Elf;
use crate::session::Session;
use crate::{CompileError, HEADERS, Options, Scratch, read, replay};

/// A folder with all of it.
pub struct Kit {
    folder: PathBuf,
    /// It is no cache directory: it goes when the compiler is done.
    own: Option<Scratch>,
}

impl Kit {
    /// The one in the cache directory, made if need be; one for this call where there is no such directory, or it
    /// cannot be written.
    pub fn open(options: &Options) -> Result<Kit, CompileError> {
        let mut hasher = DefaultHasher::new();
        crate::session::sources().hash(&mut hasher);
        let name = format!("cc-{:016x}", hasher.finish());
        let cache = options.environment.cache.as_ref();
        if let Some(cache) = cache.map(|cache| cache.join("refrain")) {
            let folder = cache.join(name);
            if folder.is_dir() || place(options, &cache, &folder) {
                return Ok(Kit { folder, own: None });
            }
        }
        let own = Scratch::new().map_err(CompileError::Temporary)?;
        make(options, own.path())?;
        Ok(Kit {
            folder: own.path().to_path_buf(),
            own: Some(own),
        })
    }

    /// Whether it stays when this process is gone.
    pub fn is_lasting(&self) -> bool {
        self.own.is_none()
    }

    pub fn include(&self) -> PathBuf {
        self.folder.join("include")
    }

    /// An archive: linkers take from it what a program asks for, which mostly is nothing.
    pub fn runtime(&self) -> PathBuf {
        self.folder.join("runtime.a")
    }
}

/// Makes the folder elsewhere and moves it there at once: others may be about to do the same.
fn place(options: &Options, cache: &Path, folder: &Path) -> bool {
    let making = || -> Result<(), CompileError> {
        std::fs::create_dir_all(cache).map_err(CompileError::Temporary)?;
        let draft = tempfile::Builder::new().prefix("cc-").tempdir_in(cache);
        let draft = draft.map_err(CompileError::Temporary)?;
        make(options, draft.path())?;
        if std::fs::rename(draft.path(), folder).is_ok() {
            let _ = draft.keep();
        }
        Ok(())
    };
    making().is_ok() && folder.is_dir()
}

fn make(options: &Options, folder: &Path) -> Result<(), CompileError> {
    let mut session = Session::new(options)?;
    let object = replay::c_object(
        &mut session,
        "runtime/replay.c",
        &["-O1", "-DREFRAIN_NO_TRACE"],
    )?;
    let defined = Elf::read(&object).map(|elf| elf.definitions());
    let archive = archive(&defined.unwrap_or_default(), &read(&object)?);
    let written = || -> std::io::Result<()> {
        for (name, text) in HEADERS {
            let path = folder.join("include").join(name);
            std::fs::create_dir_all(path.parent().unwrap_or(folder))?;
            std::fs::write(path, text)?;
        }
        std::fs::write(folder.join("runtime.a"), archive)
    };
    written().map_err(|source| CompileError::Unwritable {
        path: folder.to_path_buf(),
        source,
    })
}

/// An archive of one object, with the index that linkers look names up in.
fn archive(names: &BTreeSet<String>, object: &[u8]) -> Vec<u8> {
    const HEADER: usize = 60;
    let head = |name: &str, size: usize| {
        format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, 644)
    };
    let mut index = Vec::new();
    let texts: Vec<u8> = { names.iter() }
        .flat_map(|name| [name.as_bytes(), &[0]].concat())
        .collect();
    let mut size = 4 + 4 * names.len() + texts.len();
    size += size % 2;
    let member = b"!<arch>\n".len() + HEADER + size;
    index.extend((names.len() as u32).to_be_bytes());
    for _ in names {
        index.extend((member as u32).to_be_bytes());
    }
    index.extend(texts);
    index.resize(size, 0);
    let mut archive = b"!<arch>\n".to_vec();
    archive.extend(head("/", size).bytes());
    archive.extend(index);
    archive.extend(head("replay.o/", object.len()).bytes());
    archive.extend(object);
    archive.resize(archive.len().next_multiple_of(2), b'\n');
    archive
}
