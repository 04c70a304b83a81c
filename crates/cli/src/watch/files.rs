//! The files that a program is made of, and when they are saved. Folders are watched, not files: many editors replace
//! a file by another one of its name.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};

/// Something has happened to these files; none: to any.
pub struct Saved {
    pub files: Vec<PathBuf>,
    pub at: Instant,
}

pub struct Files {
    watcher: RecommendedWatcher,
    folders: BTreeSet<PathBuf>,
    files: BTreeSet<PathBuf>,
}

impl Files {
    /// None yet; whatever happens to them is told.
    pub fn new(tell: impl Fn(Saved) + Send + 'static) -> Result<Files, String> {
        let handler = move |event: notify::Result<Event>| {
            let at = Instant::now();
            match event {
                Ok(event) if !is_save(&event.kind) && !event.need_rescan() => {}
                Ok(event) => tell(Saved {
                    files: event.paths,
                    at,
                }),
                // Something may have been missed.
                Err(_) => tell(Saved {
                    files: Vec::new(),
                    at,
                }),
            }
        };
        let watcher = notify::recommended_watcher(handler)
            .map_err(|error| format!("files cannot be watched: {error}"))?;
        Ok(Files {
            watcher,
            folders: BTreeSet::new(),
            files: BTreeSet::new(),
        })
    }

    /// Watches more files. Whether one of them was saved since then, and nobody saw it.
    pub fn add<'a>(
        &mut self,
        files: impl IntoIterator<Item = &'a PathBuf>,
        since: SystemTime,
    ) -> Result<bool, String> {
        let mut is_missed = false;
        for file in files {
            for (folder, file) in names(file) {
                is_missed |= self.watch(&folder)? && is_newer(&file, since);
                self.files.insert(file);
            }
        }
        Ok(is_missed)
    }

    /// Whether the folder was not watched before.
    fn watch(&mut self, folder: &Path) -> Result<bool, String> {
        if !self.folders.insert(folder.to_path_buf()) {
            return Ok(false);
        }
        let watched = self.watcher.watch(folder, RecursiveMode::NonRecursive);
        watched.map_err(|error| format!("{} cannot be watched: {error}", folder.display()))?;
        Ok(true)
    }

    /// Whether one of these files was saved; or, after an error, anything that may be missing.
    pub fn are_touched(&self, saved: &Saved, is_broken: bool) -> bool {
        let is_visible = |file: &Path| {
            let name = file.file_name().map(|name| name.to_string_lossy());
            name.is_some_and(|name| !name.starts_with('.'))
        };
        let is_touched =
            |file: &PathBuf| self.files.contains(file) || (is_broken && is_visible(file));
        saved.files.is_empty() || saved.files.iter().any(is_touched)
    }
}

/// A file by its folder, and as events name it. Of a link both it and what it leads to may change.
fn names(file: &Path) -> Vec<(PathBuf, PathBuf)> {
    let mut names = Vec::new();
    let parent = file.parent().filter(|parent| *parent != Path::new(""));
    let folder = parent.unwrap_or(Path::new(".")).canonicalize();
    if let (Ok(folder), Some(name)) = (folder, file.file_name()) {
        names.push((folder.clone(), folder.join(name)));
    }
    if let Ok(target) = file.canonicalize()
        && let Some(folder) = target.parent()
    {
        names.push((folder.to_path_buf(), target));
    }
    names.dedup();
    names
}

fn is_newer(file: &Path, since: SystemTime) -> bool {
    let modified = file.metadata().and_then(|data| data.modified());
    modified.is_ok_and(|modified| modified >= since)
}

/// Reading is none, nor is a change of rights.
fn is_save(kind: &EventKind) -> bool {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) | EventKind::Modify(ModifyKind::Metadata(_)) => false,
        _ => true,
    }
}
