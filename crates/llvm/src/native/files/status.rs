//! What is known of a file: `access`, `stat`, and changes that only need it to be there.

use crate::machine::Halt;
use crate::native::file_system::Stat;
use crate::native::{Call, Flow, errno};

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

pub(super) fn access(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (path, mode) = (call.path(0)?, call.int(1)?);
    access_path(call, Ok(path), mode)
}

pub(super) fn access_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
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
        [
            crate::native::platform::USER,
            crate::native::platform::USER,
            0,
        ]
        .iter()
        .flat_map(|id| id.to_le_bytes()),
    );
    // Special device, size, size of a block, blocks.
    words(&mut bytes, &[0, stat.size, 4096, stat.size.div_ceil(512)]);
    // Last access, modification and change.
    let time = crate::native::clock::START_SECONDS;
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

pub(super) fn stat(call: &mut Call<'_>) -> Result<Flow, Halt> {
    stat_from(call, 0)
}

pub(super) fn stat_version(call: &mut Call<'_>) -> Result<Flow, Halt> {
    stat_from(call, 1)
}

fn stat_descriptor_from(call: &mut Call<'_>, first: usize) -> Result<Flow, Halt> {
    let (descriptor, to) = (call.int(first)?, call.number(first + 1)?);
    let stat = call.files().stat(descriptor);
    tell(call, stat, to)
}

pub(super) fn stat_descriptor(call: &mut Call<'_>) -> Result<Flow, Halt> {
    stat_descriptor_from(call, 0)
}

pub(super) fn stat_descriptor_version(call: &mut Call<'_>) -> Result<Flow, Halt> {
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

pub(super) fn stat_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
    stat_at_from(call, 0)
}

pub(super) fn stat_at_version(call: &mut Call<'_>) -> Result<Flow, Halt> {
    stat_at_from(call, 1)
}

pub(super) fn check_descriptor(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let descriptor = call.int(0)?;
    let known = call.files().get(descriptor).map(|_| ());
    call.settle_nothing(known)
}

pub(super) fn check_path(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let path = call.path(0)?;
    let known = call.with_host(|files, host| files.stat_path(&path, host));
    call.settle_nothing(known.map(|_| ()))
}

pub(super) fn check_path_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let path = call.path_at(0)?;
    let known = path.and_then(|path| call.with_host(|files, host| files.stat_path(&path, host)));
    call.settle_nothing(known.map(|_| ()))
}
