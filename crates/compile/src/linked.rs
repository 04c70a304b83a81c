//! Programs that the wrapper has linked, and the shared libraries they are linked with: the bitcode in them.
//!
//! Shared libraries are found as the dynamic linker finds them, so that it is the same library that runs natively;
//! then where they were when the program was linked. What the system has is left out: the engine has its own.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::elf::{Dynamic, Elf, Type, split_bitcode};
use crate::wrapper::LIBRARIES;
use crate::{CompileError, Module, SharedLibrary};

/// What a program is made of.
#[derive(Debug, Default)]
pub(crate) struct Linked {
    pub modules: Vec<Module>,
    pub shared: Vec<SharedLibrary>,
    /// All files that were read.
    pub files: Vec<PathBuf>,
    /// The names of shared libraries without bitcode.
    pub lacking: Vec<String>,
    /// Everything of the system it is linked with too.
    pub needed: Vec<String>,
}

/// The parts of a program or a shared library. `None`: it is neither.
pub(crate) fn read(path: &Path) -> Result<Option<Linked>, CompileError> {
    let Some(elf) = Elf::read(path).filter(is_linked) else {
        return Ok(None);
    };
    let mut linked = Linked {
        modules: modules(path, &elf)?,
        ..Linked::default()
    };
    if linked.modules.is_empty() {
        return Err(CompileError::NotKept {
            path: path.to_path_buf(),
        });
    }
    let mut seen = BTreeSet::new();
    let mut open = vec![Wanting::of(path, &elf)];
    while let Some(wanting) = open.pop() {
        for name in &wanting.dynamic.needed {
            if !seen.insert(name.clone()) {
                continue;
            }
            if is_of_the_system(name) {
                linked.needed.push(name.clone());
                continue;
            }
            match wanting.find(name) {
                Some((path, library)) => {
                    linked.shared.push(SharedLibrary {
                        name: name.clone(),
                        path: path.clone(),
                        exports: library.exports(),
                        modules: modules(&path, &library)?,
                    });
                    open.insert(0, Wanting::of(&path, &library));
                    linked.files.push(path);
                }
                None => linked.lacking.push(name.clone()),
            }
        }
    }
    Ok(Some(linked))
}

fn is_linked(elf: &Elf) -> bool {
    matches!(elf.kind(), Some(Type::Program | Type::Dynamic))
}

fn modules(path: &Path, elf: &Elf) -> Result<Vec<Module>, CompileError> {
    let joined = elf.bitcode().unwrap_or_default();
    let Some(files) = split_bitcode(&joined) else {
        return Err(CompileError::NotKept {
            path: path.to_path_buf(),
        });
    };
    let modules = files.into_iter().enumerate().map(|(index, bytes)| Module {
        name: format!("{}[{index}]", path.display()),
        bytes: bytes.to_vec(),
    });
    Ok(modules.collect())
}

/// A file that is linked with libraries, and where it would have them looked for.
struct Wanting {
    folder: PathBuf,
    dynamic: Dynamic,
    /// Where libraries were when it was linked.
    places: Vec<PathBuf>,
}

impl Wanting {
    fn of(path: &Path, elf: &Elf) -> Wanting {
        let places = elf.section(LIBRARIES).unwrap_or_default();
        let folder = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        Wanting {
            folder: folder.parent().unwrap_or(Path::new("/")).to_path_buf(),
            dynamic: elf.dynamic(),
            places: { places.split(|&byte| byte == 0) }
                .filter(|place| !place.is_empty())
                .map(|place| OsStr::from_bytes(place).into())
                .collect(),
        }
    }

    /// The first library of this name that has bitcode.
    fn find(&self, name: &str) -> Option<(PathBuf, Elf)> {
        const SYSTEM: [&str; 6] = [
            "/usr/local/lib",
            "/lib/x86_64-linux-gnu",
            "/usr/lib/x86_64-linux-gnu",
            "/lib64",
            "/lib",
            "/usr/lib",
        ];
        let variable = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        let own = self.folder.to_string_lossy();
        let search = self.dynamic.search.iter().map(|folder| {
            PathBuf::from(folder.replace("${ORIGIN}", &own).replace("$ORIGIN", &own))
        });
        let folders = std::env::split_paths(&variable)
            .filter(|folder| !folder.as_os_str().is_empty())
            .chain(search)
            .chain(SYSTEM.map(PathBuf::from));
        let in_folders: Vec<PathBuf> = if name.contains('/') {
            vec![PathBuf::from(name)]
        } else {
            folders.map(|folder| folder.join(name)).collect()
        };
        let is_it = |path: &PathBuf, elf: &Elf| name_of(path, elf).as_deref() == Some(name);
        in_folders
            .into_iter()
            .chain(self.places.iter().cloned())
            .filter_map(|path| Elf::read(&path).map(|elf| (path, elf)))
            .find(|(path, elf)| is_it(path, elf) && elf.bitcode().is_some())
    }
}

/// The name that programs know a shared library by. `None`: it is none.
pub(crate) fn name_of(path: &Path, library: &Elf) -> Option<String> {
    if library.kind() != Some(Type::Dynamic) {
        return None;
    }
    let file = || Some(path.file_name()?.to_string_lossy().into_owned());
    library.dynamic().name.or_else(file)
}

/// Whether the engine has its own in place of a shared library.
pub(crate) fn is_of_the_system(name: &str) -> bool {
    const NAMES: [&str; 11] = [
        "libc",
        "libm",
        "libpthread",
        "libdl",
        "librt",
        "libutil",
        "libresolv",
        "libanl",
        "libgcc_s",
        "libstdc++",
        "ld-linux-x86-64",
    ];
    name.split_once(".so")
        .is_some_and(|(name, _)| NAMES.contains(&name))
}

/// What to say of a shared library that cannot be part of what is explored.
pub(crate) fn lacks_bitcode(name: &str) -> String {
    format!(
        "{name} has no bitcode: a call into it ends its path; build that library with `refrain cc` too, and link it"
    )
}
