//! Files and descriptors, as the program calls them; [`super::file_system`] is what they do.

mod directories;
mod names;
mod open;
mod ready;
mod status;
mod transfer;

use std::rc::Rc;

use super::file_system::{self, Content, FileSystem};
use super::{Call, Flow, NativeFn};
use crate::machine::Halt;
use crate::memory::Value;

pub const TABLE: &[(&str, NativeFn)] = &[
    ("read", transfer::read),
    ("__read", transfer::read),
    ("write", transfer::write),
    ("__write", transfer::write),
    ("pread", transfer::read_at),
    ("pread64", transfer::read_at),
    ("pwrite", transfer::write_at),
    ("pwrite64", transfer::write_at),
    ("readv", transfer::read_parts),
    ("preadv", transfer::read_parts),
    ("preadv64", transfer::read_parts),
    ("writev", transfer::write_parts),
    ("pwritev", transfer::write_parts),
    ("pwritev64", transfer::write_parts),
    ("lseek", transfer::seek),
    ("lseek64", transfer::seek),
    ("__lseek", transfer::seek),
    ("llseek", transfer::seek),
    ("__refrain_open", open::open),
    ("open", open::open),
    ("open64", open::open),
    ("__open", open::open),
    ("__open_2", open::open),
    ("__open64_2", open::open),
    ("openat", open::open_at),
    ("openat64", open::open_at),
    ("creat", open::create),
    ("creat64", open::create),
    ("__refrain_tmpfile", open::temporary),
    ("mkstemp", open::unique_file),
    ("mkstemp64", open::unique_file),
    ("mkostemp", open::unique_file),
    ("mkdtemp", open::unique_directory),
    ("close", open::close),
    ("__close", open::close),
    ("dup", open::duplicate),
    ("dup2", open::duplicate_to),
    ("dup3", open::duplicate_to),
    ("pipe", open::pipe),
    ("pipe2", open::pipe),
    ("fcntl", open::control),
    ("fcntl64", open::control),
    ("ioctl", open::no_terminal),
    ("isatty", open::no_terminal_here),
    ("tcgetattr", open::no_terminal),
    ("tcsetattr", open::no_terminal),
    ("ttyname", open::no_name),
    ("access", status::access),
    ("eaccess", status::access),
    ("euidaccess", status::access),
    ("faccessat", status::access_at),
    ("stat", status::stat),
    ("stat64", status::stat),
    ("lstat", status::stat),
    ("lstat64", status::stat),
    ("__xstat", status::stat_version),
    ("__xstat64", status::stat_version),
    ("__lxstat", status::stat_version),
    ("__lxstat64", status::stat_version),
    ("fstat", status::stat_descriptor),
    ("fstat64", status::stat_descriptor),
    ("__fxstat", status::stat_descriptor_version),
    ("__fxstat64", status::stat_descriptor_version),
    ("fstatat", status::stat_at),
    ("fstatat64", status::stat_at),
    ("__fxstatat", status::stat_at_version),
    ("__fxstatat64", status::stat_at_version),
    ("truncate", transfer::truncate_path),
    ("truncate64", transfer::truncate_path),
    ("ftruncate", transfer::truncate),
    ("ftruncate64", transfer::truncate),
    ("posix_fallocate", transfer::allocate),
    ("posix_fallocate64", transfer::allocate),
    ("fsync", status::check_descriptor),
    ("fdatasync", status::check_descriptor),
    ("flock", status::check_descriptor),
    ("lockf", status::check_descriptor),
    ("fchmod", status::check_descriptor),
    ("fchown", status::check_descriptor),
    ("futimens", status::check_descriptor),
    ("posix_fadvise", status::check_descriptor),
    ("posix_fadvise64", status::check_descriptor),
    ("sync", nothing),
    ("chmod", status::check_path),
    ("chown", status::check_path),
    ("lchown", status::check_path),
    ("utime", status::check_path),
    ("utimes", status::check_path),
    ("utimensat", status::check_path_at),
    ("fchmodat", status::check_path_at),
    ("fchownat", status::check_path_at),
    ("unlink", names::unlink),
    ("unlinkat", names::unlink_at),
    ("mkdir", names::make_directory),
    ("mkdirat", names::make_directory_at),
    ("rmdir", names::remove_directory),
    ("chdir", names::change_directory),
    ("fchdir", names::change_to_descriptor),
    ("getcwd", names::current_directory),
    ("get_current_dir_name", names::current_directory),
    ("rename", names::rename),
    ("renameat", names::rename_at),
    ("renameat2", names::rename_at),
    ("readlink", names::read_link),
    ("readlinkat", names::read_link_at),
    ("realpath", names::real_path),
    ("canonicalize_file_name", names::real_path),
    ("link", names::refuse),
    ("linkat", names::refuse),
    ("symlink", names::refuse),
    ("symlinkat", names::refuse),
    ("mkfifo", names::refuse),
    ("mknod", names::refuse),
    ("opendir", directories::open_directory),
    ("fdopendir", directories::directory_of),
    ("readdir", directories::next_entry),
    ("readdir64", directories::next_entry),
    ("rewinddir", directories::rewind_directory),
    ("closedir", directories::close_directory),
    ("dirfd", directories::descriptor_of),
    ("poll", ready::poll),
    ("__poll", ready::poll),
    ("ppoll", ready::poll),
    ("select", ready::select),
    ("pselect", ready::select),
    ("socket", ready::no_network),
    ("socketpair", ready::no_network),
    ("shutdown", ready::no_socket),
    ("connect", ready::no_socket),
    ("bind", ready::no_socket),
    ("listen", ready::no_socket),
    ("send", ready::no_socket),
    ("recv", ready::no_socket),
];

/// No call reads or writes more at once.
const MOST_BYTES: u64 = 0x7fff_f000;

impl Call<'_> {
    pub(super) fn files(&mut self) -> &mut FileSystem {
        Rc::make_mut(&mut self.state.world.files)
    }

    /// Does something with files that may need one of the host's.
    fn with_host<T>(
        &mut self,
        action: impl FnOnce(&mut FileSystem, file_system::HostFile<'_>) -> Result<T, i32>,
    ) -> Result<T, i32> {
        let files = Rc::make_mut(&mut self.state.world.files);
        let host = &mut self.machine.host;
        action(files, &mut |path| host.read_file(path))
    }

    /// Bytes of memory as they are.
    pub(super) fn gather(&mut self, address: u64, len: u64) -> Result<Content, Halt> {
        let mut content = Content::default();
        let concrete = self
            .state
            .memory
            .concrete_bytes(address, len, &mut content.bytes)
            .map_err(|fault| self.fault(fault, len, false))?;
        if !concrete {
            content.bytes.clear();
            for offset in 0..len {
                let at = Value::Concrete(address + offset);
                content.push(self.machine.read(self.terms, self.state, at, 1)?);
            }
        }
        Ok(content)
    }

    /// Puts bytes into memory as they are.
    pub(super) fn scatter(&mut self, address: u64, content: &Content) -> Result<(), Halt> {
        self.write_bytes(address, &content.bytes)?;
        for (&offset, &term) in &content.terms {
            let at = Value::Concrete(address + offset as u64);
            let value = Value::Symbolic(term);
            self.machine.write(self.terms, self.state, at, 1, value)?;
        }
        Ok(())
    }

    /// A path that an argument points to.
    fn path(&mut self, index: usize) -> Result<Vec<u8>, Halt> {
        let address = self.number(index)?;
        self.string(address)
    }

    /// A path that two arguments stand for: an open directory, and a path from there on.
    fn path_at(&mut self, index: usize) -> Result<Result<Vec<u8>, i32>, Halt> {
        let directory = self.int(index)?;
        let path = self.path(index + 1)?;
        Ok(self.files().at(directory, &path))
    }

    fn settle_nothing(&mut self, result: Result<(), i32>) -> Result<Flow, Halt> {
        Ok(self.settle(result.map(|()| 0)))
    }

    fn words_at(&mut self, address: u64, count: usize) -> Result<Vec<u64>, Halt> {
        let bytes = self.bytes(address, 8 * count as u64)?;
        let word = |chunk: &[u8]| {
            chunk
                .iter()
                .rev()
                .fold(0, |sum, &byte| sum << 8 | u64::from(byte))
        };
        Ok(bytes.chunks(8).map(word).collect())
    }
}

fn nothing(_call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(Flow::void())
}
