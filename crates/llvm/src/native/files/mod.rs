//! Files and descriptors.

use std::rc::Rc;

use super::file_system::{self, Content, FileSystem, Stat, Target};
use super::{Call, Flow, NativeFn, errno};
use crate::machine::Halt;
use crate::memory::Value;

pub const TABLE: &[(&str, NativeFn)] = &[
    ("read", read),
    ("__read", read),
    ("write", write),
    ("__write", write),
    ("pread", read_at),
    ("pread64", read_at),
    ("pwrite", write_at),
    ("pwrite64", write_at),
    ("readv", read_parts),
    ("preadv", read_parts),
    ("preadv64", read_parts),
    ("writev", write_parts),
    ("pwritev", write_parts),
    ("pwritev64", write_parts),
    ("lseek", seek),
    ("lseek64", seek),
    ("__lseek", seek),
    ("llseek", seek),
    ("__refrain_open", open),
    ("open", open),
    ("open64", open),
    ("__open", open),
    ("__open_2", open),
    ("__open64_2", open),
    ("openat", open_at),
    ("openat64", open_at),
    ("creat", create),
    ("creat64", create),
    ("__refrain_tmpfile", temporary),
    ("mkstemp", unique_file),
    ("mkstemp64", unique_file),
    ("mkostemp", unique_file),
    ("mkdtemp", unique_directory),
    ("close", close),
    ("__close", close),
    ("dup", duplicate),
    ("dup2", duplicate_to),
    ("dup3", duplicate_to),
    ("pipe", pipe),
    ("pipe2", pipe),
    ("fcntl", control),
    ("fcntl64", control),
    ("ioctl", no_terminal),
    ("isatty", no_terminal_here),
    ("tcgetattr", no_terminal),
    ("tcsetattr", no_terminal),
    ("ttyname", no_name),
    ("access", access),
    ("eaccess", access),
    ("euidaccess", access),
    ("faccessat", access_at),
    ("stat", stat),
    ("stat64", stat),
    ("lstat", stat),
    ("lstat64", stat),
    ("__xstat", stat_version),
    ("__xstat64", stat_version),
    ("__lxstat", stat_version),
    ("__lxstat64", stat_version),
    ("fstat", stat_descriptor),
    ("fstat64", stat_descriptor),
    ("__fxstat", stat_descriptor_version),
    ("__fxstat64", stat_descriptor_version),
    ("fstatat", stat_at),
    ("fstatat64", stat_at),
    ("__fxstatat", stat_at_version),
    ("__fxstatat64", stat_at_version),
    ("truncate", truncate_path),
    ("truncate64", truncate_path),
    ("ftruncate", truncate),
    ("ftruncate64", truncate),
    ("posix_fallocate", allocate),
    ("posix_fallocate64", allocate),
    ("fsync", check_descriptor),
    ("fdatasync", check_descriptor),
    ("flock", check_descriptor),
    ("lockf", check_descriptor),
    ("fchmod", check_descriptor),
    ("fchown", check_descriptor),
    ("futimens", check_descriptor),
    ("posix_fadvise", check_descriptor),
    ("posix_fadvise64", check_descriptor),
    ("sync", nothing),
    ("chmod", check_path),
    ("chown", check_path),
    ("lchown", check_path),
    ("utime", check_path),
    ("utimes", check_path),
    ("utimensat", check_path_at),
    ("fchmodat", check_path_at),
    ("fchownat", check_path_at),
    ("unlink", unlink),
    ("unlinkat", unlink_at),
    ("mkdir", make_directory),
    ("mkdirat", make_directory_at),
    ("rmdir", remove_directory),
    ("chdir", change_directory),
    ("fchdir", change_to_descriptor),
    ("getcwd", current_directory),
    ("get_current_dir_name", current_directory),
    ("rename", rename),
    ("renameat", rename_at),
    ("renameat2", rename_at),
    ("readlink", read_link),
    ("readlinkat", read_link_at),
    ("realpath", real_path),
    ("canonicalize_file_name", real_path),
    ("link", refuse),
    ("linkat", refuse),
    ("symlink", refuse),
    ("symlinkat", refuse),
    ("mkfifo", refuse),
    ("mknod", refuse),
    ("opendir", open_directory),
    ("fdopendir", directory_of),
    ("readdir", next_entry),
    ("readdir64", next_entry),
    ("rewinddir", rewind_directory),
    ("closedir", close_directory),
    ("dirfd", descriptor_of),
    ("poll", poll),
    ("__poll", poll),
    ("ppoll", poll),
    ("select", select),
    ("pselect", select),
    ("socket", no_network),
    ("socketpair", no_network),
    ("shutdown", no_socket),
    ("connect", no_socket),
    ("bind", no_socket),
    ("listen", no_socket),
    ("send", no_socket),
    ("recv", no_socket),
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

/// Reads from any kind of file.
pub(super) fn read_from(
    call: &mut Call<'_>,
    descriptor: i32,
    len: u64,
    place: Option<u64>,
) -> Result<Content, i32> {
    let len = len.min(MOST_BYTES) as usize;
    let open = call.files().get(descriptor)?;
    let (target, reads) = (open.target, open.reads());
    if !reads {
        return Err(errno::EBADF);
    }
    let bytes = match target {
        Target::Input if place.is_some() => return Err(errno::ESPIPE),
        Target::Input if len == 0 => Vec::new(),
        Target::Input => call.machine.host.read(len),
        // As from a terminal at which nobody sits.
        Target::Output(_) | Target::Null => Vec::new(),
        Target::Zero => vec![0; len.min(1 << 20)],
        Target::Random => call.state.world.random_bytes(len),
        Target::Node(_) => return call.files().read(descriptor, len, place),
    };
    Ok(Content::from(&bytes[..]))
}

/// Writes to any kind of file.
pub(super) fn write_to(
    call: &mut Call<'_>,
    descriptor: i32,
    content: &Content,
    place: Option<u64>,
) -> Result<u64, i32> {
    let open = call.files().get(descriptor)?;
    let (target, writes) = (open.target, open.writes());
    if !writes {
        return Err(errno::EBADF);
    }
    match target {
        Target::Output(_) if place.is_some() => return Err(errno::ESPIPE),
        Target::Output(stream) => {
            if !content.is_empty() {
                call.output_content(stream, content);
            }
        }
        Target::Input => return Err(errno::EBADF),
        Target::Null | Target::Zero | Target::Random => {}
        Target::Node(_) => return call.files().write(descriptor, content, place),
    }
    Ok(content.len() as u64)
}

fn read_placed(call: &mut Call<'_>, placed: bool) -> Result<Flow, Halt> {
    let (descriptor, to, len) = (call.int(0)?, call.number(1)?, call.number(2)?);
    let place = if placed { Some(call.number(3)?) } else { None };
    if place.is_some_and(|place| place as i64 <= -1) {
        return Ok(call.fail(errno::EINVAL));
    }
    let piece = read_from(call, descriptor, len, place);
    if let Ok(piece) = &piece {
        call.scatter(to, piece)?;
    }
    Ok(call.settle(piece.map(|piece| piece.len() as u64)))
}

fn read(call: &mut Call<'_>) -> Result<Flow, Halt> {
    read_placed(call, false)
}

fn read_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
    read_placed(call, true)
}

fn write_placed(call: &mut Call<'_>, placed: bool) -> Result<Flow, Halt> {
    let (descriptor, from, len) = (call.int(0)?, call.number(1)?, call.number(2)?);
    let place = if placed { Some(call.number(3)?) } else { None };
    if place.is_some_and(|place| place as i64 <= -1) {
        return Ok(call.fail(errno::EINVAL));
    }
    let content = call.gather(from, len)?;
    let written = write_to(call, descriptor, &content, place);
    Ok(call.settle(written))
}

fn write(call: &mut Call<'_>) -> Result<Flow, Halt> {
    write_placed(call, false)
}

fn write_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
    write_placed(call, true)
}

/// The areas that an array of `struct iovec` names, and where in the file they go to or come from.
type Parts = (Vec<(u64, u64)>, Option<u64>);

fn parts(call: &mut Call<'_>) -> Result<Option<Parts>, Halt> {
    let (at, count) = (call.number(1)?, call.int(2)?);
    let place = match call.name.starts_with('p') {
        true => Some(call.number(3)?),
        false => None,
    };
    if !(0..=1024).contains(&count) || place.is_some_and(|place| place as i64 <= -1) {
        return Ok(None);
    }
    let words = call.words_at(at, 2 * count as usize)?;
    let areas = words.chunks(2).map(|area| (area[0], area[1]));
    Ok(Some((areas.collect(), place)))
}

fn read_parts(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let descriptor = call.int(0)?;
    let Some((areas, place)) = parts(call)? else {
        return Ok(call.fail(errno::EINVAL));
    };
    let len = areas
        .iter()
        .fold(0u64, |sum, &(_, len)| sum.saturating_add(len));
    let piece = match read_from(call, descriptor, len, place) {
        Ok(piece) => piece,
        Err(error) => return Ok(call.fail(error)),
    };
    let mut done = 0;
    for (to, len) in areas {
        let here = piece.slice(done, usize::try_from(len).unwrap_or(usize::MAX));
        call.scatter(to, &here)?;
        done += here.len();
    }
    Ok(call.signed(piece.len() as i64))
}

fn write_parts(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let descriptor = call.int(0)?;
    let Some((areas, place)) = parts(call)? else {
        return Ok(call.fail(errno::EINVAL));
    };
    let mut content = Content::default();
    for (from, len) in areas {
        let piece = call.gather(from, len)?;
        content.append(&piece);
    }
    let written = write_to(call, descriptor, &content, place);
    Ok(call.settle(written))
}

fn seek(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (descriptor, offset, whence) = (call.int(0)?, call.number(1)?, call.int(2)?);
    let place = call.files().seek(descriptor, offset as i64, whence);
    Ok(call.settle(place))
}

fn open_path(call: &mut Call<'_>, path: &[u8], flags: i32) -> Result<Flow, Halt> {
    let descriptor = call.with_host(|files, host| files.open(path, flags, host));
    Ok(call.settle(descriptor.map(|descriptor| descriptor as u64)))
}

fn open(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (path, flags) = (call.path(0)?, call.int(1)?);
    open_path(call, &path, flags)
}

fn open_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (path, flags) = (call.path_at(0)?, call.int(2)?);
    match path {
        Ok(path) => open_path(call, &path, flags),
        Err(error) => Ok(call.fail(error)),
    }
}

fn create(call: &mut Call<'_>) -> Result<Flow, Halt> {
    use file_system::{O_CREAT, O_TRUNC, O_WRONLY};
    let path = call.path(0)?;
    open_path(call, &path, O_WRONLY | O_CREAT | O_TRUNC)
}

fn temporary(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let descriptor = call.files().temporary();
    Ok(call.settle(descriptor.map(|descriptor| descriptor as u64)))
}

/// Fills in the end of a name that is to be unique.
fn unique(call: &mut Call<'_>) -> Result<Option<Vec<u8>>, Halt> {
    let at = call.number(0)?;
    let mut path = call.string(at)?;
    let Some(start) = path.len().checked_sub(6) else {
        return Ok(None);
    };
    if &path[start..] != b"XXXXXX" {
        return Ok(None);
    }
    let end = call.files().unique();
    path[start..].copy_from_slice(&end);
    call.write_bytes(at + start as u64, &end)?;
    Ok(Some(path))
}

fn unique_file(call: &mut Call<'_>) -> Result<Flow, Halt> {
    use file_system::{O_CREAT, O_EXCL, O_RDWR};
    match unique(call)? {
        Some(path) => open_path(call, &path, O_RDWR | O_CREAT | O_EXCL),
        None => Ok(call.fail(errno::EINVAL)),
    }
}

fn unique_directory(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let template = call.number(0)?;
    let made = match unique(call)? {
        Some(path) => call.with_host(|files, host| files.make_directory(&path, host)),
        None => Err(errno::EINVAL),
    };
    Ok(call.settle_pointer(made.map(|()| template)))
}

fn close(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let descriptor = call.int(0)?;
    let closed = call.files().close(descriptor);
    call.settle_nothing(closed)
}

fn duplicate(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let descriptor = call.int(0)?;
    let copy = call.files().duplicate(descriptor, 0);
    Ok(call.settle(copy.map(|copy| copy as u64)))
}

fn duplicate_to(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (descriptor, to) = (call.int(0)?, call.int(1)?);
    let copy = call.files().duplicate_to(descriptor, to);
    Ok(call.settle(copy.map(|copy| copy as u64)))
}

fn pipe(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let to = call.number(0)?;
    match call.files().pipe() {
        Ok((read, write)) => {
            let mut bytes = read.to_le_bytes().to_vec();
            bytes.extend(write.to_le_bytes());
            call.write_bytes(to, &bytes)?;
            Ok(call.signed(0))
        }
        Err(error) => Ok(call.fail(error)),
    }
}

fn control(call: &mut Call<'_>) -> Result<Flow, Halt> {
    const CHANGEABLE: i32 = 0o2_006_000;
    let (descriptor, command, value) = (call.int(0)?, call.int(1)?, call.number(2)?);
    let result = match command {
        // F_DUPFD, F_DUPFD_CLOEXEC
        0 | 1030 => call
            .files()
            .duplicate(descriptor, value as i32)
            .map(|copy| copy as u64),
        // F_GETFL
        3 => call.files().get(descriptor).map(|open| open.flags as u64),
        // F_SETFL
        4 => call.files().get_mut(descriptor).map(|open| {
            open.flags = open.flags & !CHANGEABLE | value as i32 & CHANGEABLE;
            0
        }),
        // F_GETLK: nobody holds a lock.
        5 => {
            let known = call.files().get(descriptor).map(|_| 0);
            const F_UNLCK: u16 = 2;
            if known.is_ok() {
                call.write_bytes(value, &F_UNLCK.to_le_bytes())?;
            }
            known
        }
        // Flags of the descriptor, locks, owners: nobody could tell.
        1 | 2 | 6..=11 => call.files().get(descriptor).map(|_| 0),
        _ => Err(errno::EINVAL),
    };
    Ok(call.settle(result))
}

fn no_terminal(call: &mut Call<'_>) -> Result<Flow, Halt> {
    const FIONBIO: u32 = 0x5421;
    const FIOCLEX: u32 = 0x5451;
    let descriptor = call.int(0)?;
    let request = call.number(1)? as u32;
    let known = call.files().get(descriptor).map(|_| 0);
    let is_harmless = call.name == "ioctl" && (request == FIONBIO || request == FIOCLEX);
    let result = if is_harmless {
        known
    } else {
        known.and(Err(errno::ENOTTY))
    };
    Ok(call.settle(result))
}

fn no_terminal_here(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let descriptor = call.int(0)?;
    let error = match call.files().get(descriptor) {
        Ok(_) => errno::ENOTTY,
        Err(error) => error,
    };
    call.set_errno(error);
    Ok(call.signed(0))
}

fn no_name(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(call.settle_pointer(Err(errno::ENOTTY)))
}

fn access_path(call: &mut Call<'_>, path: Result<Vec<u8>, i32>, mode: i32) -> Result<Flow, Halt> {
    const WRITE: i32 = 2;
    const EXECUTE: i32 = 1;
    let stat = path.and_then(|path| call.with_host(|files, host| files.stat_path(&path, host)));
    let result = match stat {
        Ok(stat) if mode & WRITE != 0 && stat.mode & 0o200 == 0 => Err(errno::EACCES),
        Ok(stat) if mode & EXECUTE != 0 && stat.mode & 0o100 == 0 => Err(errno::EACCES),
        Ok(_) => Ok(0),
        Err(error) => Err(error),
    };
    Ok(call.settle(result))
}

fn access(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (path, mode) = (call.path(0)?, call.int(1)?);
    access_path(call, Ok(path), mode)
}

fn access_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (path, mode) = (call.path_at(0)?, call.int(2)?);
    access_path(call, path, mode)
}

/// As `struct stat` of x86-64.
fn stat_bytes(stat: Stat) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(144);
    let words = |bytes: &mut Vec<u8>, words: &[u64]| {
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    };
    // Device, number, links.
    words(&mut bytes, &[1, stat.inode, 1]);
    bytes.extend(stat.mode.to_le_bytes());
    // User, group, padding.
    bytes.extend(
        [super::platform::USER, super::platform::USER, 0]
            .iter()
            .flat_map(|id| id.to_le_bytes()),
    );
    // Special device, size, size of a block, blocks.
    words(&mut bytes, &[0, stat.size, 4096, stat.size.div_ceil(512)]);
    // Last access, modification and change.
    let time = super::clock::START_SECONDS;
    words(&mut bytes, &[time, 0, time, 0, time, 0]);
    words(&mut bytes, &[0, 0, 0]);
    bytes
}

fn tell(call: &mut Call<'_>, stat: Result<Stat, i32>, to: u64) -> Result<Flow, Halt> {
    match stat {
        Ok(stat) => {
            call.write_bytes(to, &stat_bytes(stat))?;
            Ok(call.signed(0))
        }
        Err(error) => Ok(call.fail(error)),
    }
}

fn stat_from(call: &mut Call<'_>, first: usize) -> Result<Flow, Halt> {
    let (path, to) = (call.path(first)?, call.number(first + 1)?);
    let stat = call.with_host(|files, host| files.stat_path(&path, host));
    tell(call, stat, to)
}

fn stat(call: &mut Call<'_>) -> Result<Flow, Halt> {
    stat_from(call, 0)
}

fn stat_version(call: &mut Call<'_>) -> Result<Flow, Halt> {
    stat_from(call, 1)
}

fn stat_descriptor_from(call: &mut Call<'_>, first: usize) -> Result<Flow, Halt> {
    let (descriptor, to) = (call.int(first)?, call.number(first + 1)?);
    let stat = call.files().stat(descriptor);
    tell(call, stat, to)
}

fn stat_descriptor(call: &mut Call<'_>) -> Result<Flow, Halt> {
    stat_descriptor_from(call, 0)
}

fn stat_descriptor_version(call: &mut Call<'_>) -> Result<Flow, Halt> {
    stat_descriptor_from(call, 1)
}

fn stat_at_from(call: &mut Call<'_>, first: usize) -> Result<Flow, Halt> {
    const AT_EMPTY_PATH: i32 = 0x1000;
    let descriptor = call.int(first)?;
    let (written, to, flags) = (
        call.path(first + 1)?,
        call.number(first + 2)?,
        call.int(first + 3)?,
    );
    let stat = if written.is_empty() && flags & AT_EMPTY_PATH != 0 {
        call.files().stat(descriptor)
    } else {
        let path = call.files().at(descriptor, &written);
        path.and_then(|path| call.with_host(|files, host| files.stat_path(&path, host)))
    };
    tell(call, stat, to)
}

fn stat_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
    stat_at_from(call, 0)
}

fn stat_at_version(call: &mut Call<'_>) -> Result<Flow, Halt> {
    stat_at_from(call, 1)
}

fn truncate(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (descriptor, len) = (call.int(0)?, call.number(1)?);
    let result = call.files().truncate(descriptor, len as i64);
    call.settle_nothing(result)
}

fn truncate_path(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (path, len) = (call.path(0)?, call.number(1)?);
    let result = call.with_host(|files, host| files.truncate_path(&path, len as i64, host));
    call.settle_nothing(result)
}

/// Gives its error as the result.
fn allocate(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (descriptor, offset, len) = (call.int(0)?, call.number(1)?, call.number(2)?);
    let files = call.files();
    let grown = files.stat(descriptor).and_then(|stat| {
        let end = offset.checked_add(len).ok_or(errno::EFBIG)?;
        let is_enough = end <= stat.size;
        if is_enough {
            Ok(())
        } else {
            files.truncate(descriptor, end as i64)
        }
    });
    Ok(call.signed(grown.map_or_else(i64::from, |()| 0)))
}

fn check_descriptor(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let descriptor = call.int(0)?;
    let known = call.files().get(descriptor).map(|_| ());
    call.settle_nothing(known)
}

fn nothing(_call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(Flow::void())
}

fn check_path(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let path = call.path(0)?;
    let known = call.with_host(|files, host| files.stat_path(&path, host));
    call.settle_nothing(known.map(|_| ()))
}

fn check_path_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let path = call.path_at(0)?;
    let known = path.and_then(|path| call.with_host(|files, host| files.stat_path(&path, host)));
    call.settle_nothing(known.map(|_| ()))
}

fn unlink(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let path = call.path(0)?;
    let result = call.with_host(|files, host| files.unlink(&path, host));
    call.settle_nothing(result)
}

fn unlink_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
    const AT_REMOVEDIR: i32 = 0x200;
    let (path, flags) = (call.path_at(0)?, call.int(2)?);
    let result = path.and_then(|path| {
        call.with_host(|files, host| match flags & AT_REMOVEDIR {
            0 => files.unlink(&path, host),
            _ => files.remove_directory(&path, host),
        })
    });
    call.settle_nothing(result)
}

fn make_directory(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let path = call.path(0)?;
    let result = call.with_host(|files, host| files.make_directory(&path, host));
    call.settle_nothing(result)
}

fn make_directory_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let path = call.path_at(0)?;
    let result =
        path.and_then(|path| call.with_host(|files, host| files.make_directory(&path, host)));
    call.settle_nothing(result)
}

fn remove_directory(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let path = call.path(0)?;
    let result = call.with_host(|files, host| files.remove_directory(&path, host));
    call.settle_nothing(result)
}

fn change_directory(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let path = call.path(0)?;
    let result = call.with_host(|files, host| files.change_directory(&path, host));
    call.settle_nothing(result)
}

fn change_to_descriptor(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let descriptor = call.int(0)?;
    let path = call.files().at(descriptor, b".");
    let result =
        path.and_then(|path| call.with_host(|files, host| files.change_directory(&path, host)));
    call.settle_nothing(result)
}

/// Hands text to the program: into its buffer, or a new one where it has none.
fn give_text(call: &mut Call<'_>, buffer: u64, text: &[u8]) -> Result<Flow, Halt> {
    let mut text = text.to_vec();
    text.push(0);
    let to = match buffer {
        0 => call.allocate(text.len() as u64, 16),
        _ => buffer,
    };
    if to == 0 {
        return Ok(call.settle_pointer(Err(errno::ENOMEM)));
    }
    call.write_bytes(to, &text)?;
    Ok(Flow::value(to))
}

fn current_directory(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (buffer, size) = (call.number(0)?, call.number(1)?);
    let text = call.files().directory().to_vec();
    if buffer != 0 && size <= text.len() as u64 {
        let error = if size == 0 {
            errno::EINVAL
        } else {
            errno::ERANGE
        };
        return Ok(call.settle_pointer(Err(error)));
    }
    give_text(call, buffer, &text)
}

fn real_path(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (path, buffer) = (call.path(0)?, call.number(1)?);
    match call.with_host(|files, host| files.stat_path(&path, host)) {
        Ok(_) => {
            let name = call.files().absolute(&path);
            give_text(call, buffer, &name)
        }
        Err(error) => Ok(call.settle_pointer(Err(error))),
    }
}

fn rename(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (from, to) = (call.path(0)?, call.path(1)?);
    let result = call.with_host(|files, host| files.rename(&from, &to, host));
    call.settle_nothing(result)
}

fn rename_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (from, to) = (call.path_at(0)?, call.path_at(2)?);
    let result = from.and_then(|from| {
        let to = to?;
        call.with_host(|files, host| files.rename(&from, &to, host))
    });
    call.settle_nothing(result)
}

/// There are no symbolic links.
fn no_link(call: &mut Call<'_>, path: Result<Vec<u8>, i32>) -> Result<Flow, Halt> {
    let known = path.and_then(|path| call.with_host(|files, host| files.stat_path(&path, host)));
    Ok(call.settle(known.and(Err(errno::EINVAL))))
}

fn read_link(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let path = call.path(0)?;
    no_link(call, Ok(path))
}

fn read_link_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let path = call.path_at(0)?;
    no_link(call, path)
}

fn refuse(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(call.fail(errno::EPERM))
}

// A directory stream is an object with the descriptor and, behind it, the entry that was read last.

const ENTRY: u64 = 16;
const ENTRY_BYTES: u64 = 280;

fn directory_stream(call: &mut Call<'_>, descriptor: i32) -> Result<Flow, Halt> {
    let stream = call.allocate(ENTRY + ENTRY_BYTES, 16);
    if stream == 0 {
        return Ok(call.settle_pointer(Err(errno::ENOMEM)));
    }
    let mut bytes = descriptor.to_le_bytes().to_vec();
    bytes.resize((ENTRY + ENTRY_BYTES) as usize, 0);
    call.write_bytes(stream, &bytes)?;
    Ok(Flow::value(stream))
}

fn open_directory(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let path = call.path(0)?;
    let flags = file_system::O_DIRECTORY;
    match call.with_host(|files, host| files.open(&path, flags, host)) {
        Ok(descriptor) => directory_stream(call, descriptor),
        Err(error) => Ok(call.settle_pointer(Err(error))),
    }
}

fn directory_of(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let descriptor = call.int(0)?;
    match call.files().at(descriptor, b".") {
        Ok(_) => directory_stream(call, descriptor),
        Err(error) => Ok(call.settle_pointer(Err(error))),
    }
}

fn stream_descriptor(call: &mut Call<'_>, stream: u64) -> Result<i32, Halt> {
    let bytes = call.bytes(stream, 4)?;
    Ok(bytes
        .iter()
        .rev()
        .fold(0, |sum, &byte| sum << 8 | i32::from(byte)))
}

fn next_entry(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let stream = call.number(0)?;
    let descriptor = stream_descriptor(call, stream)?;
    let (name, stat) = match call.files().next_entry(descriptor) {
        Ok(Some(entry)) => entry,
        Ok(None) => return Ok(Flow::value(0)),
        Err(error) => return Ok(call.settle_pointer(Err(error))),
    };
    let place = call.files().get(descriptor).map_or(0, |open| open.offset);
    let mut bytes = stat.inode.to_le_bytes().to_vec();
    bytes.extend(place.to_le_bytes());
    bytes.extend((ENTRY_BYTES as u16).to_le_bytes());
    // The kind of a file is the top of its mode.
    bytes.push((stat.mode >> 12) as u8);
    bytes.extend(name.iter().take(255));
    bytes.push(0);
    call.write_bytes(stream + ENTRY, &bytes)?;
    Ok(Flow::value(stream + ENTRY))
}

fn rewind_directory(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let stream = call.number(0)?;
    let descriptor = stream_descriptor(call, stream)?;
    if let Ok(open) = call.files().get_mut(descriptor) {
        open.offset = 0;
    }
    Ok(Flow::void())
}

fn close_directory(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let stream = call.number(0)?;
    let descriptor = stream_descriptor(call, stream)?;
    call.release(stream)?;
    let closed = call.files().close(descriptor);
    call.settle_nothing(closed)
}

fn descriptor_of(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let stream = call.number(0)?;
    let descriptor = stream_descriptor(call, stream)?;
    Ok(call.signed(i64::from(descriptor)))
}

/// Whatever is open is ready.
fn poll(call: &mut Call<'_>) -> Result<Flow, Halt> {
    const READY: u16 = 0x1 | 0x4 | 0x40 | 0x100;
    const INVALID: u16 = 0x20;
    let (at, count) = (call.number(0)?, call.number(1)?);
    if count > file_system::MOST_DESCRIPTORS as u64 {
        return Ok(call.fail(errno::EINVAL));
    }
    let timeout = if call.name == "ppoll" {
        0
    } else {
        call.int(2)?
    };
    let mut entries = call.bytes(at, 8 * count)?;
    let mut ready = 0;
    for entry in entries.chunks_mut(8) {
        let descriptor = i32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]);
        let wanted = u16::from_le_bytes([entry[4], entry[5]]);
        let events = match call.files().get(descriptor) {
            _ if descriptor < 0 => 0,
            Ok(_) => wanted & READY,
            Err(_) => INVALID,
        };
        ready += i64::from(events != 0);
        entry[6..8].copy_from_slice(&events.to_le_bytes());
    }
    call.write_bytes(at, &entries)?;
    if ready == 0 {
        let nanoseconds = u64::try_from(timeout).unwrap_or(0) * 1_000_000;
        call.state.world.pass(nanoseconds);
    }
    Ok(call.signed(ready))
}

fn select(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let count = call.int(0)?.clamp(0, file_system::MOST_DESCRIPTORS as i32) as usize;
    let places = [call.number(1)?, call.number(2)?, call.number(3)?];
    let timeout = call.number(4)?;
    let mut sets = Vec::new();
    for place in places.into_iter().filter(|&place| place != 0) {
        sets.push((place, call.bytes(place, count.div_ceil(64) as u64 * 8)?));
    }
    let wait = match timeout {
        0 => vec![0, 0],
        _ => call.words_at(timeout, 2)?,
    };
    let mut ready = 0;
    for (place, set) in &mut sets {
        let is_exceptions = *place == places[2];
        for descriptor in 0..count {
            let bit = 1 << (descriptor % 8);
            if set[descriptor / 8] & bit == 0 {
                continue;
            }
            if call.files().get(descriptor as i32).is_err() {
                return Ok(call.fail(errno::EBADF));
            }
            // Nothing out of the ordinary happens.
            if is_exceptions {
                set[descriptor / 8] &= !bit;
            } else {
                ready += 1;
            }
        }
    }
    for (place, set) in sets {
        call.write_bytes(place, &set)?;
    }
    if ready == 0 {
        let unit = if call.name == "select" { 1000 } else { 1 };
        let nanoseconds = wait[0]
            .saturating_mul(1_000_000_000)
            .saturating_add(wait[1].saturating_mul(unit));
        call.state.world.pass(nanoseconds);
    }
    Ok(call.signed(ready))
}

fn no_network(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(call.fail(errno::EAFNOSUPPORT))
}

fn no_socket(call: &mut Call<'_>) -> Result<Flow, Halt> {
    const ENOTSOCK: i32 = 88;
    let descriptor = call.int(0)?;
    let known = call.files().get(descriptor).map(|_| 0);
    Ok(call.settle(known.and(Err(ENOTSOCK))))
}
