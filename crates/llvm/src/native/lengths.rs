//! How long standard input and files are, where that is for inputs to choose, and what the user has piped: it is asked
//! once, when the program calls the first function whose effect depends on it.

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::LazyLock;

use super::file_system::Content;
use super::{Call, files};
use crate::machine::{Halt, Unknown};
use crate::memory::Value;

/// Functions on files that do the same however long these are.
const HARMLESS: &[&str] = &[
    "__refrain_open",
    "open",
    "open64",
    "__open",
    "__open_2",
    "__open64_2",
    "openat",
    "openat64",
    "creat",
    "creat64",
    "__refrain_tmpfile",
    "mkstemp",
    "mkstemp64",
    "mkostemp",
    "mkdtemp",
    "close",
    "__close",
    "dup",
    "dup2",
    "dup3",
    "pipe",
    "pipe2",
    "fcntl",
    "fcntl64",
    "isatty",
    "tcgetattr",
    "tcsetattr",
    "ttyname",
    "access",
    "eaccess",
    "euidaccess",
    "faccessat",
    "fsync",
    "fdatasync",
    "flock",
    "lockf",
    "posix_fadvise",
    "posix_fadvise64",
    "sync",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
    "rmdir",
    "chdir",
    "fchdir",
    "getcwd",
    "get_current_dir_name",
    "readlink",
    "readlinkat",
    "realpath",
    "canonicalize_file_name",
    "opendir",
    "fdopendir",
    "readdir",
    "readdir64",
    "rewinddir",
    "closedir",
    "dirfd",
];

/// Functions on the file that their first argument has open.
const OF_DESCRIPTOR: &[&str] = &[
    "read",
    "__read",
    "write",
    "__write",
    "pread",
    "pread64",
    "pwrite",
    "pwrite64",
    "readv",
    "preadv",
    "preadv64",
    "writev",
    "pwritev",
    "pwritev64",
    "lseek",
    "lseek64",
    "__lseek",
    "llseek",
    "fstat",
    "fstat64",
    "ftruncate",
    "ftruncate64",
    "posix_fallocate",
    "posix_fallocate64",
    "fchmod",
    "fchown",
    "futimens",
];

/// Functions on a file by its name, which standard input has not.
const OF_NAME: &[&str] = &[
    "stat",
    "stat64",
    "lstat",
    "lstat64",
    "fstatat",
    "fstatat64",
    "truncate",
    "truncate64",
    "rename",
    "renameat",
    "renameat2",
    "chmod",
    "chown",
    "lchown",
    "utime",
    "utimes",
    "utimensat",
    "fchmodat",
    "fchownat",
];

/// Which contents a function depends on the length of.
enum Whose {
    None,
    Descriptor(usize),
    Files,
    All,
}

/// System calls on the file that their second argument has open: read, write, lseek and writev.
const SYSTEM_CALLS: [u64; 4] = [0, 1, 8, 20];

/// The system call `mmap`.
const MAP: u64 = 9;

fn whose(name: &str, first: Value) -> Whose {
    static OF_FILES: LazyLock<HashSet<&str>> = LazyLock::new(|| {
        let functions = files::TABLES.iter().copied().flatten();
        functions.map(|&(name, _)| name).collect()
    });
    match name {
        "mmap" | "mmap64" => Whose::Descriptor(4),
        "syscall" => match first {
            Value::Concrete(MAP) => Whose::Descriptor(5),
            Value::Concrete(number) if SYSTEM_CALLS.contains(&number) => Whose::Descriptor(1),
            _ => Whose::All,
        },
        name if HARMLESS.contains(&name) => Whose::None,
        name if OF_DESCRIPTOR.contains(&name) => Whose::Descriptor(0),
        name if OF_NAME.contains(&name) => Whose::Files,
        // What is not known to be harmless may tell.
        name if OF_FILES.contains(name) => Whose::All,
        _ => Whose::None,
    }
}

impl Call<'_> {
    /// Settles what this call depends on, before it has done anything.
    #[cold]
    pub(crate) fn settle_contents(&mut self) -> Result<(), Halt> {
        let input = self.state.world.files.node_behind(0);
        let unsettled = self.state.world.unsettled.clone();
        let all = unsettled.iter().map(|contents| contents.node);
        let nodes: Vec<usize> = match whose(self.name, self.arg(0)) {
            Whose::None => return Ok(()),
            Whose::Descriptor(index) => match self.arg(index) {
                Value::Concrete(descriptor) => {
                    let node = self.state.world.files.node_behind(descriptor as i32);
                    node.into_iter().collect()
                }
                Value::Symbolic(_) => all.collect(),
            },
            Whose::Files => all.filter(|&node| Some(node) != input).collect(),
            Whose::All => all.collect(),
        };
        for contents in unsettled.iter() {
            if !nodes.contains(&contents.node) {
                continue;
            }
            match &contents.what {
                Unknown::Length(length) => {
                    let machine = &mut *self.machine;
                    let length = machine.choose_number(self.terms, self.state, length)?;
                    // The answer is used up: from here on, the state has the length.
                    self.state.answers.drain(..self.state.asked);
                    self.state.asked = 0;
                    self.files().shorten(contents.node, length as usize);
                }
                Unknown::Everything => {
                    let bytes = self.machine.host.input();
                    self.files().fill(contents.node, Content::from(&bytes[..]));
                }
            }
            let left = Rc::make_mut(&mut self.state.world.unsettled);
            left.retain(|other| other.node != contents.node);
        }
        Ok(())
    }
}
