//! Opening files, and what can be done with a descriptor besides reading and writing.

use super::{Want, check_descriptor};
use crate::machine::Halt;
use crate::native::file_system::{
    AT_FDCWD, O_CLOEXEC, O_CREAT, O_EXCL, O_RDWR, O_TRUNC, O_WRONLY, Way,
};
use crate::native::{Call, Flow, NativeFn, errno};

pub(super) const TABLE: &[(&str, NativeFn)] = &[
    ("__refrain_open", open),
    ("open", open),
    ("open64", open),
    ("__open", open),
    ("__open64", open),
    ("__open_2", open),
    ("__open64_2", open),
    ("openat", open_at),
    ("openat64", open_at),
    ("__openat_2", open_at),
    ("__openat64_2", open_at),
    ("creat", create),
    ("creat64", create),
    ("__refrain_tmpfile", temporary),
    ("memfd_create", memory_file),
    ("mkstemp", |call| unique_file(call, None, None)),
    ("mkstemp64", |call| unique_file(call, None, None)),
    ("mkostemp", |call| unique_file(call, None, Some(1))),
    ("mkostemp64", |call| unique_file(call, None, Some(1))),
    ("mkstemps", |call| unique_file(call, Some(1), None)),
    ("mkstemps64", |call| unique_file(call, Some(1), None)),
    ("mkostemps", |call| unique_file(call, Some(1), Some(2))),
    ("mkostemps64", |call| unique_file(call, Some(1), Some(2))),
    ("mkdtemp", unique_directory),
    ("mktemp", unique_name),
    ("close", close),
    ("__close", close),
    ("close_range", close_range),
    ("closefrom", close_from),
    ("dup", duplicate),
    ("dup2", duplicate_to),
    ("dup3", duplicate_to),
    ("pipe", pipe),
    ("pipe2", pipe),
    ("socketpair", socket_pair),
    ("fcntl", control),
    ("fcntl64", control),
    ("__fcntl", control),
    ("ioctl", device_control),
    ("isatty", no_terminal_here),
    ("tcgetattr", no_terminal),
    ("tcsetattr", no_terminal),
    ("tcflush", no_terminal),
    ("tcdrain", no_terminal),
    ("tcsendbreak", no_terminal),
    ("tcflow", no_terminal),
    ("tcgetpgrp", no_terminal),
    ("tcsetpgrp", no_terminal),
    ("ttyname", no_name),
    ("ttyname_r", no_name_here),
    ("fsync", check_descriptor),
    ("fdatasync", check_descriptor),
    ("syncfs", check_descriptor),
    ("flock", check_descriptor),
    ("lockf", check_descriptor),
    ("lockf64", check_descriptor),
    ("posix_fadvise", advise),
    ("posix_fadvise64", advise),
    ("readahead", check_descriptor),
    ("sync_file_range", check_descriptor),
    ("sync", super::nothing),
];

fn open_with(call: &mut Call<'_>, path: super::Path, flags: i32, mode: u32) -> Result<Flow, Halt> {
    let opened = call.act_on(path, |files, (at, path), host| {
        files.open(at, path, flags, mode, host)
    })?;
    call.settle_descriptor(opened)
}

/// What `open` does with a name that is not there.
fn want(flags: i32) -> Want {
    match flags & O_CREAT {
        0 => Want::Existing,
        _ => Want::New,
    }
}

fn open(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (flags, mode) = (call.int(1)?, call.number(2)? as u32);
    let path = call.path(0, want(flags))?;
    open_with(call, path, flags, mode)
}

fn open_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (flags, mode) = (call.int(2)?, call.number(3)? as u32);
    let path = call.path_at(0, want(flags))?;
    open_with(call, path, flags, mode)
}

fn create(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let mode = call.number(1)? as u32;
    let path = call.path(0, Want::New)?;
    open_with(call, path, O_WRONLY | O_CREAT | O_TRUNC, mode)
}

fn temporary(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let descriptor = call.act(|files, _| files.temporary(0o600))?;
    call.settle_descriptor(descriptor)
}

fn memory_file(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let descriptor = call.act(|files, _| files.mask_nothing(|files| files.temporary(0o777)))?;
    call.settle_descriptor(descriptor)
}

/// A template whose end, but for so many bytes, is filled in. Where these are, and the whole.
fn unique(call: &mut Call<'_>, suffix: usize) -> Result<Option<(u64, Vec<u8>)>, Halt> {
    let at = call.number(0)?;
    let mut path = call.string(at)?;
    let end = path.len().checked_sub(suffix);
    let Some(start) = end.and_then(|end| end.checked_sub(6)) else {
        return Ok(None);
    };
    if &path[start..start + 6] != b"XXXXXX" {
        return Ok(None);
    }
    loop {
        let end = call.files().unique();
        path[start..start + 6].copy_from_slice(&end);
        let follow = crate::native::file_system::Follow::NotTheLast;
        let there = call.act(|files, host| files.stat_path(AT_FDCWD, &path, follow, host))?;
        if there.is_err() {
            return Ok(Some((at + start as u64, path)));
        }
    }
}

/// Arguments say how many bytes are behind the place to fill in, and with which flags the file is opened.
fn unique_file(
    call: &mut Call<'_>,
    suffix: Option<usize>,
    flags: Option<usize>,
) -> Result<Flow, Halt> {
    let suffix = suffix.map_or(Ok(0), |index| call.int(index))?;
    let flags = flags.map_or(Ok(0), |index| call.int(index))?;
    let made = match usize::try_from(suffix) {
        Ok(suffix) => unique(call, suffix)?,
        Err(_) => None,
    };
    let Some((place, path)) = made else {
        return Ok(call.fail(errno::EINVAL));
    };
    let start = path.len() - suffix as usize - 6;
    call.write_bytes(place, &path[start..start + 6])?;
    open_with(
        call,
        (AT_FDCWD, path),
        flags | O_RDWR | O_CREAT | O_EXCL,
        0o600,
    )
}

fn unique_directory(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let template = call.number(0)?;
    let Some((place, path)) = unique(call, 0)? else {
        return Ok(call.settle_pointer(Err(errno::EINVAL)));
    };
    call.write_bytes(place, &path[path.len() - 6..])?;
    let made = call.act(|files, host| files.make_directory(AT_FDCWD, &path, 0o700, host))?;
    Ok(call.settle_pointer(made.map(|()| template)))
}

fn unique_name(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let template = call.number(0)?;
    match unique(call, 0)? {
        Some((place, path)) => call.write_bytes(place, &path[path.len() - 6..])?,
        None => {
            call.set_errno(errno::EINVAL);
            call.write_bytes(template, &[0])?;
        }
    }
    Ok(Flow::value(template))
}

fn close(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let descriptor = call.int(0)?;
    let closed = call.act(|files, _| files.close(descriptor))?;
    call.settle_nothing(closed)
}

fn close_all(call: &mut Call<'_>, first: u32, last: u32) -> Result<(), Halt> {
    let most = crate::native::file_system::MOST_DESCRIPTORS as u32;
    let closed = call.act(|files, _| {
        for descriptor in first..=last.min(most) {
            // Those that are not open need no closing.
            let _ = files.close(descriptor as i32);
        }
        Ok(())
    })?;
    debug_assert!(closed.is_ok());
    Ok(())
}

fn close_range(call: &mut Call<'_>) -> Result<Flow, Halt> {
    const CLOSE_ON_EXEC: i32 = 4;
    let (first, last, flags) = (call.number(0)? as u32, call.number(1)? as u32, call.int(2)?);
    if first > last {
        return Ok(call.fail(errno::EINVAL));
    }
    if flags & CLOSE_ON_EXEC == 0 {
        close_all(call, first, last)?;
    }
    Ok(call.signed(0))
}

fn close_from(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let first = call.int(0)?.max(0) as u32;
    close_all(call, first, u32::MAX)?;
    Ok(Flow::void())
}

fn duplicate(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let descriptor = call.int(0)?;
    let copy = call.files().duplicate(descriptor, 0, false);
    call.settle_descriptor(copy)
}

fn duplicate_to(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (descriptor, to) = (call.int(0)?, call.int(1)?);
    let flags = if call.name == "dup3" { call.int(2)? } else { 0 };
    if call.name == "dup3" && (descriptor == to || flags & !O_CLOEXEC != 0) {
        return Ok(call.fail(errno::EINVAL));
    }
    let copy = call.act(|files, _| files.duplicate_to(descriptor, to, flags != 0))?;
    call.settle_descriptor(copy)
}

/// Two descriptors for an array.
fn give_pair(call: &mut Call<'_>, pair: Result<(i32, i32), i32>, to: u64) -> Result<Flow, Halt> {
    match pair {
        Ok((first, second)) => {
            let mut bytes = first.to_le_bytes().to_vec();
            bytes.extend(second.to_le_bytes());
            call.write_bytes(to, &bytes)?;
            Ok(call.signed(0))
        }
        Err(error) => Ok(call.fail(error)),
    }
}

fn pipe(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let to = call.number(0)?;
    let flags = if call.name == "pipe2" {
        call.int(1)?
    } else {
        0
    };
    let pair = call.files().pipe(flags);
    give_pair(call, pair, to)
}

/// Between the two ends nobody sees a difference to a pair of pipes.
fn socket_pair(call: &mut Call<'_>) -> Result<Flow, Halt> {
    const AF_UNIX: i32 = 1;
    const STREAM: i32 = 1;
    const EOPNOTSUPP: i32 = 95;
    let (family, kind, to) = (call.int(0)?, call.int(1)?, call.number(3)?);
    if family != AF_UNIX {
        return Ok(call.fail(EOPNOTSUPP));
    }
    if kind & 0xf != STREAM {
        return Err(call.unsupported("a pair of sockets that keeps messages apart (socketpair)"));
    }
    let pair = call.files().socket_pair(kind & !0xf);
    give_pair(call, pair, to)
}

fn control(call: &mut Call<'_>) -> Result<Flow, Halt> {
    const CLOSES: u64 = 1;
    let (descriptor, command, value) = (call.int(0)?, call.int(1)?, call.number(2)?);
    let files = call.files();
    let result = match command {
        // F_DUPFD, F_DUPFD_CLOEXEC
        0 | 1030 => files
            .duplicate(descriptor, value as i32, command != 0)
            .map(|copy| copy as u64),
        // F_GETFD, F_SETFD
        1 => files
            .closes_on_exec(descriptor)
            .map(|closes| u64::from(*closes)),
        2 => files.closes_on_exec(descriptor).map(|closes| {
            *closes = value & CLOSES != 0;
            0
        }),
        // F_GETFL, F_SETFL
        3 => files.get(descriptor).map(|open| open.flags as u64),
        4 => files.set_flags(descriptor, value as i32).map(|()| 0),
        // F_GETLK, F_OFD_GETLK: nobody holds a lock.
        5 | 36 => {
            let known = files.get(descriptor).map(|_| 0);
            const F_UNLCK: u16 = 2;
            if known.is_ok() {
                call.write_bytes(value, &F_UNLCK.to_le_bytes())?;
            }
            known
        }
        // Locks, owners, signals: nobody could tell.
        6..=11 | 37 | 38 | 1024..=1026 => files.get(descriptor).map(|_| 0),
        // F_SETPIPE_SZ, F_GETPIPE_SZ
        1031 | 1032 => files.get(descriptor).map(|_| 65536),
        _ => files.get(descriptor).and(Err(errno::EINVAL)),
    };
    Ok(call.settle(result))
}

fn device_control(call: &mut Call<'_>) -> Result<Flow, Halt> {
    const FIONREAD: u32 = 0x541b;
    const FIONBIO: u32 = 0x5421;
    const FIONCLEX: u32 = 0x5450;
    const FIOCLEX: u32 = 0x5451;
    let (descriptor, request, to) = (call.int(0)?, call.number(1)? as u32, call.number(2)?);
    let files = call.files();
    let result = match request {
        FIONREAD => match files.waiting(descriptor) {
            Ok(bytes) => {
                let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
                call.write_bytes(to, &bytes.to_le_bytes())?;
                Ok(0)
            }
            Err(error) => Err(error),
        },
        FIONBIO => {
            use crate::native::file_system::O_NONBLOCK;
            let flags = files.get(descriptor).map(|open| open.flags);
            let on = call.bytes(to, 4)?.iter().any(|&byte| byte != 0);
            let set = |flags: i32| match on {
                true => flags | O_NONBLOCK,
                false => flags & !O_NONBLOCK,
            };
            let flags = flags.map(set);
            flags
                .and_then(|flags| call.files().set_flags(descriptor, flags))
                .map(|()| 0)
        }
        FIOCLEX | FIONCLEX => files.closes_on_exec(descriptor).map(|closes| {
            *closes = request == FIOCLEX;
            0
        }),
        _ => files.get(descriptor).and(Err(errno::ENOTTY)),
    };
    Ok(call.settle(result))
}

fn no_terminal(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let descriptor = call.int(0)?;
    let known = call.files().get(descriptor).map(|_| 0);
    Ok(call.settle(known.and(Err(errno::ENOTTY))))
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
    let descriptor = call.int(0)?;
    let error = call.files().get(descriptor).err();
    Ok(call.settle_pointer(Err(error.unwrap_or(errno::ENOTTY))))
}

/// Gives its error as the result.
fn no_name_here(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let descriptor = call.int(0)?;
    let error = call.files().get(descriptor).err();
    Ok(call.signed(i64::from(error.unwrap_or(errno::ENOTTY))))
}

/// Gives its error as the result.
fn advise(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (descriptor, advice) = (call.int(0)?, call.int(3)?);
    let files = call.files();
    let is_pipe = files
        .way(descriptor)
        .is_ok_and(|way| matches!(way, Way::Stream(_)));
    let error = match files.get(descriptor) {
        Err(error) => error,
        Ok(_) if is_pipe || files.is_pipe(descriptor) => errno::ESPIPE,
        Ok(_) if !(0..=5).contains(&advice) => errno::EINVAL,
        Ok(_) => 0,
    };
    Ok(call.signed(i64::from(error)))
}
