//! What the user has set up for all programs: the compilers and flags of the environment, and the search path.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The variables that matter, read once; an empty variable counts as missing.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    pub cc: Option<String>,
    pub cxx: Option<String>,
    pub cflags: Option<String>,
    pub cxxflags: Option<String>,
    pub rustc: Option<String>,
    pub rustflags: Option<String>,
    pub path: Option<OsString>,
    /// Where programs keep what can be made again.
    pub cache: Option<PathBuf>,
}

impl Environment {
    pub fn of_process() -> Self {
        let text = |name| {
            std::env::var(name)
                .ok()
                .filter(|value| !value.trim().is_empty())
        };
        Self {
            cc: text("CC"),
            cxx: text("CXX"),
            cflags: text("CFLAGS"),
            cxxflags: text("CXXFLAGS"),
            rustc: text("RUSTC"),
            rustflags: text("RUSTFLAGS"),
            path: std::env::var_os("PATH"),
            cache: cache(),
        }
    }

    /// The program of this name: a path, or the first one on the search path.
    pub(crate) fn find(&self, name: &str) -> Option<PathBuf> {
        if name.contains('/') {
            return Some(PathBuf::from(name)).filter(|path| is_program(path));
        }
        self.directories()
            .map(|directory| directory.join(name))
            .find(|path| is_program(path))
    }

    /// The programs `NAME-NUMBER` on the search path, those with the highest numbers first.
    pub(crate) fn versions(&self, name: &str) -> Vec<(u32, PathBuf)> {
        let mut found: Vec<(u32, PathBuf)> = Vec::new();
        for directory in self.directories() {
            let Ok(entries) = std::fs::read_dir(directory) else {
                continue;
            };
            for entry in entries.flatten() {
                let file = entry.file_name();
                let number = file
                    .to_str()
                    .and_then(|file| file.strip_prefix(name)?.strip_prefix('-')?.parse().ok());
                if let Some(number) = number
                    && found.iter().all(|(other, _)| *other != number)
                    && is_program(&entry.path())
                {
                    found.push((number, entry.path()));
                }
            }
        }
        found.sort_by_key(|found| std::cmp::Reverse(found.0));
        found
    }

    fn directories(&self) -> impl Iterator<Item = PathBuf> {
        let path = self.path.clone().unwrap_or_default();
        let directories: Vec<PathBuf> = std::env::split_paths(&path).collect();
        directories.into_iter()
    }
}

/// A relative path in the first variable is to be ignored, says its specification.
fn cache() -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).map(PathBuf::from);
    let named = folder("XDG_CACHE_HOME").filter(|path| path.is_absolute());
    named.or_else(|| {
        Some(
            folder("HOME")
                .filter(|home| home.is_absolute())?
                .join(".cache"),
        )
    })
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}
