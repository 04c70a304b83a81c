//! Files as addresses: relative to a root where they lie below it.

use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// A path without `.` and, as far as names tell, without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// The path below the root, if it is there. A relative path is taken to be below it.
pub fn below(root: &Path, path: &Path) -> Option<PathBuf> {
    let path = plain(path);
    let path = match path.is_absolute() {
        true => path.strip_prefix(plain(root)).ok()?.to_path_buf(),
        false => path,
    };
    let is_within = !path.as_os_str().is_empty() && !path.starts_with("..");
    is_within.then_some(path)
}

/// A path as seen from a folder; both are absolute.
pub fn from(folder: &Path, path: &Path) -> PathBuf {
    let (folder, path) = (plain(folder), plain(path));
    let common = folder.components().zip(path.components());
    let common = common.take_while(|(ours, theirs)| ours == theirs).count();
    let up = folder
        .components()
        .skip(common)
        .map(|_| Component::ParentDir);
    up.chain(path.components().skip(common)).collect()
}

/// As a user at the root would write it.
pub fn shown(root: &Path, path: &Path) -> String {
    let below = below(root, path);
    let path = below.as_deref().unwrap_or(path);
    path.to_string_lossy().into_owned()
}

/// A relative reference.
pub fn reference(path: &Path) -> String {
    escaped(path.as_os_str().as_bytes())
}

/// `file:///a/b.c`
pub fn address(path: &Path) -> String {
    format!("file://{}", reference(&plain(path)))
}

/// Bytes that are not plain in an address as `%NN`.
fn escaped(path: &[u8]) -> String {
    let mut text = String::with_capacity(path.len());
    for &byte in path {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                text.push(char::from(byte));
            }
            // Writing to a string does not fail.
            _ => drop(write!(text, "%{byte:02X}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_addresses() {
        let root = Path::new("/home/me/./work");
        let path = |text: &str| below(root, Path::new(text)).map(|path| reference(&path));
        assert_eq!(
            path("/home/me/work/a b/../c:d%.c"),
            Some("c%3Ad%25.c".into())
        );
        assert_eq!(path("src/ü.rs"), Some("src/%C3%BC.rs".into()));
        assert_eq!(path("/home/me/other.c"), None);
        assert_eq!(path("../other.c"), None);
        assert_eq!(path(""), None);
        assert_eq!(
            from(Path::new("/a/b/c"), Path::new("/a/d/e.c")),
            Path::new("../../d/e.c")
        );
        assert_eq!(from(Path::new("/a"), Path::new("/a/e.c")), Path::new("e.c"));
        assert_eq!(address(Path::new("/a/./b c.c")), "file:///a/b%20c.c");
    }
}
