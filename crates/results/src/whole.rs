//! Files that are there whole or not at all, however the process ends.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// A file that may be there already, and is the old or the new one at every moment: it is written under a hidden name,
/// which is then changed.
pub(crate) fn replace(folder: &Path, name: &str, contents: &[u8]) -> io::Result<()> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    // Nobody else uses it.
    let hidden = folder.join(format!(".{name}.{}.{count}", std::process::id()));
    let written = fs::File::create_new(&hidden)
        .and_then(|mut file| file.write_all(contents))
        .and_then(|()| fs::rename(&hidden, folder.join(name)));
    if written.is_err() {
        let _ = fs::remove_file(&hidden);
    }
    written
}

/// Removes the hidden files of processes that are gone: what such a process was writing when it was killed.
pub(crate) fn remove_leftovers(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let writer = name.to_str().and_then(writer_of);
        if writer.is_some_and(|process| !Path::new("/proc").join(process).exists()) {
            // Another process may be about it, too.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The process that writes under a hidden name: `.name.process`, or with a number behind it.
fn writer_of(name: &str) -> Option<&str> {
    const NAMES: [&str; 7] = [
        "run.json",
        "stats.json",
        "boundary.json",
        "part.json",
        "stdin",
        "tests.pack",
        "header",
    ];
    let hidden = name.strip_prefix('.')?;
    let rest = NAMES
        .iter()
        .find_map(|name| hidden.strip_prefix(name)?.strip_prefix('.'))?;
    let mut numbers = rest.split('.');
    let process = numbers.next()?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(process) && numbers.all(is_number)).then_some(process)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leftovers_of_processes_that_are_gone_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        let (gone, own) = (child.id(), std::process::id());
        let removed = [format!(".run.json.{gone}.0"), format!(".tests.pack.{gone}")];
        let kept = [
            format!(".run.json.{own}.0"),
            format!(".other.{gone}.0"),
            format!(".run.json.{gone}.x"),
            "run.json".to_string(),
        ];
        for name in removed.iter().chain(&kept) {
            fs::write(folder.path().join(name), "").unwrap();
        }
        remove_leftovers(folder.path());
        for name in &removed {
            assert!(!folder.path().join(name).exists(), "{name}");
        }
        for name in &kept {
            assert!(folder.path().join(name).exists(), "{name}");
        }
    }
}
