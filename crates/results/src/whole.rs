//! Files that are there whole or not at all, however the process ends.
//!
//! A file is written without a name and then linked to its name, where the file system can; that leaves nothing
//! behind and never replaces anything. Elsewhere it is written under a hidden name, which is then changed.

use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, openat, renameat, unlinkat};

/// How a file comes to its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// `O_TMPFILE` and `linkat`.
    Link,
    /// The same through `/proc`, for kernels that let only the privileged link an open file.
    LinkThroughProc,
    /// A hidden file and `renameat`.
    Rename,
}

/// An open directory that whole files are put into. It stays the same directory when it is renamed.
#[derive(Debug)]
pub(crate) struct Folder {
    fd: OwnedFd,
    method: Method,
}

impl Folder {
    /// Finds out what the file system can do.
    pub fn open(path: &Path) -> io::Result<Folder> {
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::RDONLY;
        let fd = openat(CWD, path, flags, Mode::empty())?;
        // That a file without a name can be linked shows only when it is: such a file gets a hidden name here, and
        // loses it again.
        let mut folder = Folder {
            fd,
            method: Method::Rename,
        };
        let hidden = folder.hidden("probe");
        for method in [Method::Link, Method::LinkThroughProc] {
            folder.method = method;
            if folder.create(&hidden, b"").is_ok() {
                let _ = unlinkat(&folder.fd, hidden.as_str(), AtFlags::empty());
                return Ok(folder);
            }
        }
        folder.method = Method::Rename;
        Ok(folder)
    }

    pub fn with_method(path: &Path, method: Method) -> io::Result<Folder> {
        Ok(Folder {
            method,
            ..Folder::open(path)?
        })
    }

    /// A new file. One that is there already is an error where files are linked, and replaced elsewhere.
    pub fn create(&self, name: &str, contents: &[u8]) -> io::Result<()> {
        match self.method {
            Method::Link | Method::LinkThroughProc => {
                let file = unnamed(&self.fd)?;
                write(&file, contents)?;
                self.link(&file, name)
            }
            Method::Rename => self.replace(name, contents),
        }
    }

    /// A file that may be there already, and is the old or the new one at every moment.
    pub fn replace(&self, name: &str, contents: &[u8]) -> io::Result<()> {
        let hidden = self.hidden(name);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let file = openat(&self.fd, hidden.as_str(), flags, mode())?;
        let written = write(&file, contents)
            .and_then(|()| Ok(renameat(&self.fd, hidden.as_str(), &self.fd, name)?));
        if written.is_err() {
            let _ = unlinkat(&self.fd, hidden.as_str(), AtFlags::empty());
        }
        written
    }

    fn link(&self, file: &OwnedFd, name: &str) -> io::Result<()> {
        if self.method == Method::Link {
            linkat(file, "", &self.fd, name, AtFlags::EMPTY_PATH)?;
        } else {
            let source = format!("/proc/self/fd/{}", file.as_raw_fd());
            linkat(CWD, source, &self.fd, name, AtFlags::SYMLINK_FOLLOW)?;
        }
        Ok(())
    }

    /// A name that nobody else uses.
    fn hidden(&self, name: &str) -> String {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        format!(".{name}.{}.{count}", std::process::id())
    }
}

fn unnamed(folder: &impl AsFd) -> io::Result<OwnedFd> {
    let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
    Ok(openat(folder, ".", flags, mode())?)
}

fn mode() -> Mode {
    Mode::from_raw_mode(0o666)
}

fn write(file: &OwnedFd, contents: &[u8]) -> io::Result<()> {
    let mut left = contents;
    while !left.is_empty() {
        match rustix::io::write(file, left) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => left = &left[written..],
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
