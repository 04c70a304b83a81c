//! What is known of a file: `access`, `stat`, modes, owners and times.

use super::{Layout, Want};
use crate::machine::Halt;
use crate::native::file_system::{AT_FDCWD, Follow, SetTime, Stat, Time, Times};
use crate::native::{Call, Flow, NativeFn, errno};

pub(super) const TABLE: &[(&str, NativeFn)] = &[
    ("access", access),
    ("eaccess", access),
    ("euidaccess", access),
    ("faccessat", access_at),
    ("faccessat2", access_at),
    ("stat", |call| stat(call, 0, Follow::Links)),
    ("stat64", |call| stat(call, 0, Follow::Links)),
    ("lstat", |call| stat(call, 0, Follow::NotTheLast)),
    ("lstat64", |call| stat(call, 0, Follow::NotTheLast)),
    ("__xstat", |call| stat(call, 1, Follow::Links)),
    ("__xstat64", |call| stat(call, 1, Follow::Links)),
    ("__lxstat", |call| stat(call, 1, Follow::NotTheLast)),
    ("__lxstat64", |call| stat(call, 1, Follow::NotTheLast)),
    ("fstat", |call| stat_descriptor(call, 0)),
    ("fstat64", |call| stat_descriptor(call, 0)),
    ("__fxstat", |call| stat_descriptor(call, 1)),
    ("__fxstat64", |call| stat_descriptor(call, 1)),
    ("fstatat", |call| stat_at(call, 0)),
    ("fstatat64", |call| stat_at(call, 0)),
    ("__fxstatat", |call| stat_at(call, 1)),
    ("__fxstatat64", |call| stat_at(call, 1)),
    ("statx", extended_stat),
    ("chmod", change_mode),
    ("lchmod", change_mode),
    ("fchmod", change_mode_of),
    ("fchmodat", change_mode_at),
    ("chown", |call| change_owner(call, Follow::Links)),
    ("lchown", |call| change_owner(call, Follow::NotTheLast)),
    ("fchown", change_owner_of),
    ("fchownat", change_owner_at),
    ("utime", set_seconds),
    ("utimes", |call| set_microseconds(call, Follow::Links)),
    ("lutimes", |call| set_microseconds(call, Follow::NotTheLast)),
    ("futimes", set_microseconds_of),
    ("futimesat", set_microseconds_at),
    ("utimensat", set_times_at),
    ("futimens", set_times_of),
    ("umask", mask),
];

const AT_SYMLINK_NOFOLLOW: i32 = 0x100;
const AT_EACCESS: i32 = 0x200;
const AT_NO_AUTOMOUNT: i32 = 0x800;
const AT_EMPTY_PATH: i32 = 0x1000;

fn follow(flags: i32) -> Follow {
    match flags & AT_SYMLINK_NOFOLLOW {
        0 => Follow::Links,
        _ => Follow::NotTheLast,
    }
}

fn access(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let mode = call.int(1)?;
    let path = call.path(0, Want::Existing)?;
    let result = call.act_on(path, |files, (at, path), host| {
        files.access(at, path, mode, Follow::Links, host)
    })?;
    call.settle_nothing(result)
}

fn access_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (mode, flags) = (call.int(2)?, call.int(3)?);
    if flags & !(AT_SYMLINK_NOFOLLOW | AT_EACCESS | AT_EMPTY_PATH) != 0 {
        return Ok(call.fail(errno::EINVAL));
    }
    let path = call.path_at(0, Want::Existing)?;
    let result = call.act_on(path, |files, (at, path), host| {
        files.access(at, path, mode, follow(flags), host)
    })?;
    call.settle_nothing(result)
}

/// As `struct stat` of x86-64.
fn stat_bytes(stat: Stat) -> Vec<u8> {
    let mut layout = Layout::default()
        // Device, number, links.
        .u64(1)
        .u64(stat.inode)
        .u64(stat.links)
        .u32(stat.mode)
        .u32(stat.user)
        .u32(stat.group)
        .u32(0)
        .u64(stat.device)
        .u64(stat.size)
        .u64(4096)
        .u64(stat.blocks());
    for time in stat.times {
        layout = layout
            .u64(time.seconds as u64)
            .u64(u64::from(time.nanoseconds));
    }
    layout.u64(0).u64(0).u64(0).0
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

fn stat(call: &mut Call<'_>, first: usize, follow: Follow) -> Result<Flow, Halt> {
    let to = call.number(first + 1)?;
    let path = call.path(first, Want::Existing)?;
    let stat = call.act_on(path, |files, (at, path), host| {
        files.stat_path(at, path, follow, host)
    })?;
    tell(call, stat, to)
}

fn stat_descriptor(call: &mut Call<'_>, first: usize) -> Result<Flow, Halt> {
    let (descriptor, to) = (call.int(first)?, call.number(first + 1)?);
    let stat = call.act(|files, _| files.stat(descriptor))?;
    tell(call, stat, to)
}

/// What is known of a path or, where it is empty and may be, of what is open.
fn stat_named(call: &mut Call<'_>, first: usize, flags: i32) -> Result<Result<Stat, i32>, Halt> {
    let path = call.path_at(first, Want::Existing)?;
    call.act_on(path, |files, (at, path), host| {
        match path.is_empty() && flags & AT_EMPTY_PATH != 0 {
            true if at == AT_FDCWD => files.stat_path(at, b".", Follow::Links, host),
            true => files.stat(at),
            false => files.stat_path(at, path, follow(flags), host),
        }
    })
}

fn stat_at(call: &mut Call<'_>, first: usize) -> Result<Flow, Halt> {
    let (to, flags) = (call.number(first + 2)?, call.int(first + 3)?);
    if flags & !(AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH) != 0 {
        return Ok(call.fail(errno::EINVAL));
    }
    let stat = stat_named(call, first, flags)?;
    tell(call, stat, to)
}

/// As `struct statx`.
fn extended_stat(call: &mut Call<'_>) -> Result<Flow, Halt> {
    const BASIC: u32 = 0x7ff;
    let (flags, to) = (call.int(2)?, call.number(4)?);
    // That is how Rust's library finds out whether there is such a call.
    if call.number(1)? == 0 {
        return Ok(call.fail(errno::EFAULT));
    }
    let stat = match stat_named(call, 0, flags)? {
        Ok(stat) => stat,
        Err(error) => return Ok(call.fail(error)),
    };
    let mut layout = Layout::default()
        .u32(BASIC)
        .u32(4096)
        // Attributes.
        .u64(0)
        .u32(stat.links as u32)
        .u32(stat.user)
        .u32(stat.group)
        .u16(stat.mode as u16)
        .u16(0)
        .u64(stat.inode)
        .u64(stat.size)
        .u64(stat.blocks())
        .u64(0);
    let [read, modified, changed] = stat.times;
    // When a file was made is not known, and not said to be.
    let unknown = Time {
        seconds: 0,
        nanoseconds: 0,
    };
    for time in [read, unknown, changed, modified] {
        layout = layout.u64(time.seconds as u64).u32(time.nanoseconds).u32(0);
    }
    layout = layout
        .u32((stat.device >> 8) as u32)
        .u32(stat.device as u32 & 0xff)
        .u32(0)
        .u32(1);
    let mut bytes = layout.0;
    bytes.resize(256, 0);
    call.write_bytes(to, &bytes)?;
    Ok(call.signed(0))
}

fn change_mode(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let mode = call.number(1)? as u32;
    let path = call.path(0, Want::Existing)?;
    let result = call.act_on(path, |files, (at, path), host| {
        let node = files.node_of(at, Some(path), Follow::Links, host)?;
        files.change_mode(node, mode)
    })?;
    call.settle_nothing(result)
}

fn change_mode_of(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (descriptor, mode) = (call.int(0)?, call.number(1)? as u32);
    let result = call.act(|files, host| {
        let node = files.node_of(descriptor, None, Follow::Links, host)?;
        files.change_mode(node, mode)
    })?;
    call.settle_nothing(result)
}

fn change_mode_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (mode, flags) = (call.number(2)? as u32, call.int(3)?);
    if flags & !AT_SYMLINK_NOFOLLOW != 0 {
        return Ok(call.fail(errno::EINVAL));
    }
    let path = call.path_at(0, Want::Existing)?;
    let result = call.act_on(path, |files, (at, path), host| {
        let node = files.node_of(at, Some(path), follow(flags), host)?;
        // The mode of a link cannot be changed.
        match files.is_link(node) {
            true => Err(errno::ENOTSUP),
            false => files.change_mode(node, mode),
        }
    })?;
    call.settle_nothing(result)
}

fn change_owner(call: &mut Call<'_>, follow: Follow) -> Result<Flow, Halt> {
    let (user, group) = (call.number(1)? as u32, call.number(2)? as u32);
    let path = call.path(0, Want::Existing)?;
    let result = call.act_on(path, |files, (at, path), host| {
        let node = files.node_of(at, Some(path), follow, host)?;
        files.change_owner(node, user, group)
    })?;
    call.settle_nothing(result)
}

fn change_owner_of(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (descriptor, user, group) = (call.int(0)?, call.number(1)? as u32, call.number(2)? as u32);
    let result = call.act(|files, host| {
        let node = files.node_of(descriptor, None, Follow::Links, host)?;
        files.change_owner(node, user, group)
    })?;
    call.settle_nothing(result)
}

fn change_owner_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (user, group, flags) = (call.number(2)? as u32, call.number(3)? as u32, call.int(4)?);
    if flags & !(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) != 0 {
        return Ok(call.fail(errno::EINVAL));
    }
    let path = call.path_at(0, Want::Existing)?;
    let result = call.act_on(path, |files, (at, path), host| {
        let is_open = path.is_empty() && flags & AT_EMPTY_PATH != 0;
        let path = (!is_open).then_some(path);
        let node = files.node_of(at, path, follow(flags), host)?;
        files.change_owner(node, user, group)
    })?;
    call.settle_nothing(result)
}

/// The times at an address, each of seconds and of so many parts of one; now, where there are none.
fn times_at(call: &mut Call<'_>, at: u64, parts: u64) -> Result<Result<Times, i32>, Halt> {
    const NOW: u64 = (1 << 30) - 1;
    const KEPT: u64 = (1 << 30) - 2;
    if at == 0 {
        return Ok(Ok([SetTime::Now; 2]));
    }
    let words = call.words_at(at, 4)?;
    let mut times = [SetTime::Now; 2];
    for (time, pair) in times.iter_mut().zip(words.chunks(2)) {
        let is_special = parts == NANOSECONDS;
        *time = match pair[1] {
            NOW if is_special => SetTime::Now,
            KEPT if is_special => SetTime::Kept,
            part if part >= parts => return Ok(Err(errno::EINVAL)),
            part => SetTime::To(Time {
                seconds: pair[0] as i64,
                nanoseconds: (part * (NANOSECONDS / parts)) as u32,
            }),
        };
    }
    Ok(Ok(times))
}

const NANOSECONDS: u64 = 1_000_000_000;
const MICROSECONDS: u64 = 1_000_000;

fn set_path_times(
    call: &mut Call<'_>,
    path: super::Path,
    times: Result<Times, i32>,
    follow: Follow,
) -> Result<Flow, Halt> {
    let result = match times {
        Ok(times) => call.act_on(path, |files, (at, path), host| {
            let node = files.node_of(at, Some(path), follow, host)?;
            files.set_times(node, times)
        })?,
        Err(error) => Err(error),
    };
    call.settle_nothing(result)
}

fn set_descriptor_times(
    call: &mut Call<'_>,
    descriptor: i32,
    times: Result<Times, i32>,
) -> Result<Flow, Halt> {
    let result = match times {
        Ok(times) => call.act(|files, host| {
            let node = files.node_of(descriptor, None, Follow::Links, host)?;
            files.set_times(node, times)
        })?,
        Err(error) => Err(error),
    };
    call.settle_nothing(result)
}

fn set_seconds(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let at = call.number(1)?;
    let mut times = [SetTime::Now; 2];
    if at != 0 {
        for (time, word) in times.iter_mut().zip(call.words_at(at, 2)?) {
            *time = SetTime::To(Time {
                seconds: word as i64,
                nanoseconds: 0,
            });
        }
    }
    let path = call.path(0, Want::Existing)?;
    set_path_times(call, path, Ok(times), Follow::Links)
}

fn set_microseconds(call: &mut Call<'_>, follow: Follow) -> Result<Flow, Halt> {
    let at = call.number(1)?;
    let times = times_at(call, at, MICROSECONDS)?;
    let path = call.path(0, Want::Existing)?;
    set_path_times(call, path, times, follow)
}

fn set_microseconds_of(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (descriptor, at) = (call.int(0)?, call.number(1)?);
    let times = times_at(call, at, MICROSECONDS)?;
    set_descriptor_times(call, descriptor, times)
}

fn set_microseconds_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (descriptor, place, at) = (call.int(0)?, call.number(1)?, call.number(2)?);
    let times = times_at(call, at, MICROSECONDS)?;
    if place == 0 {
        return set_descriptor_times(call, descriptor, times);
    }
    let path = call.path_at(0, Want::Existing)?;
    set_path_times(call, path, times, Follow::Links)
}

fn set_times_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (descriptor, place) = (call.int(0)?, call.number(1)?);
    let (at, flags) = (call.number(2)?, call.int(3)?);
    if flags & !(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) != 0 {
        return Ok(call.fail(errno::EINVAL));
    }
    let times = times_at(call, at, NANOSECONDS)?;
    if place == 0 {
        // The C library takes no empty name here.
        return Ok(call.fail(errno::EINVAL));
    }
    let path = call.path_at(0, Want::Existing)?;
    if path.1.is_empty() && flags & AT_EMPTY_PATH != 0 {
        return set_descriptor_times(call, descriptor, times);
    }
    set_path_times(call, path, times, follow(flags))
}

fn set_times_of(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (descriptor, at) = (call.int(0)?, call.number(1)?);
    let times = times_at(call, at, NANOSECONDS)?;
    set_descriptor_times(call, descriptor, times)
}

fn mask(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let new = call.int(0)? & 0o777;
    let old = std::mem::replace(&mut call.files().mask, new as u32);
    Ok(call.signed(i64::from(old)))
}
