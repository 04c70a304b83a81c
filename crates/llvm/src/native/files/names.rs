//! Names of files: removing and renaming them, and the current directory.

use crate::machine::Halt;
use crate::native::{Call, Flow, errno};

pub(super) fn unlink(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let path = call.path(0)?;
    let result = call.with_host(|files, host| files.unlink(&path, host));
    call.settle_nothing(result)
}

pub(super) fn unlink_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
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

pub(super) fn make_directory(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let path = call.path(0)?;
    let result = call.with_host(|files, host| files.make_directory(&path, host));
    call.settle_nothing(result)
}

pub(super) fn make_directory_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let path = call.path_at(0)?;
    let result =
        path.and_then(|path| call.with_host(|files, host| files.make_directory(&path, host)));
    call.settle_nothing(result)
}

pub(super) fn remove_directory(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let path = call.path(0)?;
    let result = call.with_host(|files, host| files.remove_directory(&path, host));
    call.settle_nothing(result)
}

pub(super) fn change_directory(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let path = call.path(0)?;
    let result = call.with_host(|files, host| files.change_directory(&path, host));
    call.settle_nothing(result)
}

pub(super) fn change_to_descriptor(call: &mut Call<'_>) -> Result<Flow, Halt> {
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

pub(super) fn current_directory(call: &mut Call<'_>) -> Result<Flow, Halt> {
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

pub(super) fn real_path(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (path, buffer) = (call.path(0)?, call.number(1)?);
    match call.with_host(|files, host| files.stat_path(&path, host)) {
        Ok(_) => {
            let name = call.files().absolute(&path);
            give_text(call, buffer, &name)
        }
        Err(error) => Ok(call.settle_pointer(Err(error))),
    }
}

pub(super) fn rename(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (from, to) = (call.path(0)?, call.path(1)?);
    let result = call.with_host(|files, host| files.rename(&from, &to, host));
    call.settle_nothing(result)
}

pub(super) fn rename_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
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

pub(super) fn read_link(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let path = call.path(0)?;
    no_link(call, Ok(path))
}

pub(super) fn read_link_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let path = call.path_at(0)?;
    no_link(call, path)
}

pub(super) fn refuse(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(call.fail(errno::EPERM))
}
