//! The file system as a whole: how much room it has, and what it does not keep.

use super::{Layout, Want};
use crate::machine::Halt;
use crate::native::file_system::{Follow, MOST_NAME};
use crate::native::{Call, Flow, NativeFn, errno};

pub(super) const TABLE: &[(&str, NativeFn)] = &[
    ("statfs", |call| tell_path(call, room_as_statfs)),
    ("statfs64", |call| tell_path(call, room_as_statfs)),
    ("statvfs", |call| tell_path(call, room_as_statvfs)),
    ("statvfs64", |call| tell_path(call, room_as_statvfs)),
    ("fstatfs", |call| tell_descriptor(call, room_as_statfs)),
    ("fstatfs64", |call| tell_descriptor(call, room_as_statfs)),
    ("fstatvfs", |call| tell_descriptor(call, room_as_statvfs)),
    ("fstatvfs64", |call| tell_descriptor(call, room_as_statvfs)),
    ("getxattr", no_attributes),
    ("lgetxattr", no_attributes),
    ("setxattr", no_attributes),
    ("lsetxattr", no_attributes),
    ("listxattr", no_attributes),
    ("llistxattr", no_attributes),
    ("removexattr", no_attributes),
    ("lremovexattr", no_attributes),
    ("fgetxattr", no_attributes_of),
    ("fsetxattr", no_attributes_of),
    ("flistxattr", no_attributes_of),
    ("fremovexattr", no_attributes_of),
    ("name_to_handle_at", unavailable),
    ("open_by_handle_at", unavailable),
    ("inotify_init", unavailable),
    ("inotify_init1", unavailable),
    ("fanotify_init", unavailable),
    ("swapon", unavailable),
    ("quotactl", unavailable),
    ("acct", unavailable),
];

const BLOCK: u64 = 4096;
/// A gigabyte, half of it free.
const BLOCKS: u64 = 1 << 18;
const NODES: u64 = 1 << 20;

/// As `struct statfs`: a file system in memory.
fn room_as_statfs() -> Vec<u8> {
    const TMPFS: u64 = 0x0102_1994;
    let layout = Layout::default()
        .u64(TMPFS)
        .u64(BLOCK)
        .u64(BLOCKS)
        .u64(BLOCKS / 2)
        .u64(BLOCKS / 2)
        .u64(NODES)
        .u64(NODES / 2)
        .u64(1)
        .u64(MOST_NAME as u64)
        .u64(BLOCK);
    let mut bytes = layout.0;
    bytes.resize(120, 0);
    bytes
}

/// As `struct statvfs`.
fn room_as_statvfs() -> Vec<u8> {
    let layout = Layout::default()
        .u64(BLOCK)
        .u64(BLOCK)
        .u64(BLOCKS)
        .u64(BLOCKS / 2)
        .u64(BLOCKS / 2)
        .u64(NODES)
        .u64(NODES / 2)
        .u64(NODES / 2)
        .u64(1)
        .u64(0)
        .u64(MOST_NAME as u64);
    let mut bytes = layout.0;
    bytes.resize(112, 0);
    bytes
}

fn there(call: &mut Call<'_>) -> Result<Result<(), i32>, Halt> {
    let path = call.path(0, Want::Existing)?;
    let stat = call.act_on(path, |files, (at, path), host| {
        files.stat_path(at, path, Follow::Links, host)
    })?;
    Ok(stat.map(drop))
}

fn tell_path(call: &mut Call<'_>, room: fn() -> Vec<u8>) -> Result<Flow, Halt> {
    let to = call.number(1)?;
    let there = there(call)?;
    if there.is_ok() {
        call.write_bytes(to, &room())?;
    }
    call.settle_nothing(there)
}

fn tell_descriptor(call: &mut Call<'_>, room: fn() -> Vec<u8>) -> Result<Flow, Halt> {
    let (descriptor, to) = (call.int(0)?, call.number(1)?);
    let there = call.files().get(descriptor).map(|_| ());
    if there.is_ok() {
        call.write_bytes(to, &room())?;
    }
    call.settle_nothing(there)
}

fn no_attributes(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let there = there(call)?;
    call.settle_nothing(there.and(Err(errno::ENOTSUP)))
}

fn no_attributes_of(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let descriptor = call.int(0)?;
    let there = call.files().get(descriptor).map(|_| ());
    call.settle_nothing(there.and(Err(errno::ENOTSUP)))
}

fn unavailable(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(call.fail(errno::ENOSYS))
}
