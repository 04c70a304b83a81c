//! Opening files, and what can be done with a descriptor besides reading and writing.

use crate::machine::Halt;
use crate::native::file_system;
use crate::native::{Call, Flow, errno};

fn open_path(call: &mut Call<'_>, path: &[u8], flags: i32) -> Result<Flow, Halt> {
    let descriptor = call.with_host(|files, host| files.open(path, flags, host));
    Ok(call.settle(descriptor.map(|descriptor| descriptor as u64)))
}

pub(super) fn open(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (path, flags) = (call.path(0)?, call.int(1)?);
    open_path(call, &path, flags)
}

pub(super) fn open_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (path, flags) = (call.path_at(0)?, call.int(2)?);
    match path {
        Ok(path) => open_path(call, &path, flags),
        Err(error) => Ok(call.fail(error)),
    }
}

pub(super) fn create(call: &mut Call<'_>) -> Result<Flow, Halt> {
    use file_system::{O_CREAT, O_TRUNC, O_WRONLY};
    let path = call.path(0)?;
    open_path(call, &path, O_WRONLY | O_CREAT | O_TRUNC)
}

pub(super) fn temporary(call: &mut Call<'_>) -> Result<Flow, Halt> {
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

pub(super) fn unique_file(call: &mut Call<'_>) -> Result<Flow, Halt> {
    use file_system::{O_CREAT, O_EXCL, O_RDWR};
    match unique(call)? {
        Some(path) => open_path(call, &path, O_RDWR | O_CREAT | O_EXCL),
        None => Ok(call.fail(errno::EINVAL)),
    }
}

pub(super) fn unique_directory(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let template = call.number(0)?;
    let made = match unique(call)? {
        Some(path) => call.with_host(|files, host| files.make_directory(&path, host)),
        None => Err(errno::EINVAL),
    };
    Ok(call.settle_pointer(made.map(|()| template)))
}

pub(super) fn close(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let descriptor = call.int(0)?;
    let closed = call.files().close(descriptor);
    call.settle_nothing(closed)
}

pub(super) fn duplicate(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let descriptor = call.int(0)?;
    let copy = call.files().duplicate(descriptor, 0);
    Ok(call.settle(copy.map(|copy| copy as u64)))
}

pub(super) fn duplicate_to(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (descriptor, to) = (call.int(0)?, call.int(1)?);
    let copy = call.files().duplicate_to(descriptor, to);
    Ok(call.settle(copy.map(|copy| copy as u64)))
}

pub(super) fn pipe(call: &mut Call<'_>) -> Result<Flow, Halt> {
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

pub(super) fn control(call: &mut Call<'_>) -> Result<Flow, Halt> {
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

pub(super) fn no_terminal(call: &mut Call<'_>) -> Result<Flow, Halt> {
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

pub(super) fn no_terminal_here(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let descriptor = call.int(0)?;
    let error = match call.files().get(descriptor) {
        Ok(_) => errno::ENOTTY,
        Err(error) => error,
    };
    call.set_errno(error);
    Ok(call.signed(0))
}

pub(super) fn no_name(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(call.settle_pointer(Err(errno::ENOTTY)))
}
