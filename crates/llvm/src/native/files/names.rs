//! Names of files: making, removing and renaming them, links, and the current directory.

use super::Want;
use crate::machine::Halt;
use crate::native::file_system::{AT_FDCWD, Follow, Rename, S_IFIFO, Seen};
use crate::native::{Call, Flow, NativeFn, errno};

pub(super) const TABLE: &[(&str, NativeFn)] = &[
    ("unlink", unlink),
    ("unlinkat", unlink_at),
    ("mkdir", make_directory),
    ("mkdirat", make_directory_at),
    ("rmdir", remove_directory),
    ("chdir", change_directory),
    ("fchdir", change_to_descriptor),
    ("getcwd", current_directory),
    ("__getcwd_chk", current_directory),
    ("getwd", current_directory_unchecked),
    ("get_current_dir_name", current_directory_new),
    ("rename", rename),
    ("renameat", rename_at),
    ("renameat2", rename_at),
    ("readlink", read_link),
    ("__readlink_chk", read_link),
    ("readlinkat", read_link_at),
    ("__readlinkat_chk", read_link_at),
    ("realpath", real_path),
    ("__realpath_chk", real_path),
    ("canonicalize_file_name", real_path),
    ("link", link),
    ("linkat", link_at),
    ("symlink", symbolic_link),
    ("symlinkat", symbolic_link_at),
    ("mkfifo", make_fifo),
    ("mkfifoat", make_fifo_at),
    ("mknod", make_node),
    ("__xmknod", make_node_version),
    ("mknodat", make_node_at),
    ("__xmknodat", make_node_at_version),
    ("chroot", forbidden),
    ("mount", forbidden),
    ("umount", forbidden),
    ("umount2", forbidden),
];

fn unlink(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let path = call.path(0, Want::Existing)?;
    let result = call.act_on(path, |files, (at, path), host| files.unlink(at, path, host))?;
    call.settle_nothing(result)
}

fn unlink_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
    const AT_REMOVEDIR: i32 = 0x200;
    let flags = call.int(2)?;
    if flags & !AT_REMOVEDIR != 0 {
        return Ok(call.fail(errno::EINVAL));
    }
    let path = call.path_at(0, Want::Existing)?;
    let result = call.act_on(path, |files, (at, path), host| match flags {
        0 => files.unlink(at, path, host),
        _ => files.remove_directory(at, path, host),
    })?;
    call.settle_nothing(result)
}

fn make_directory_with(call: &mut Call<'_>, path: super::Path, mode: u32) -> Result<Flow, Halt> {
    let result = call.act_on(path, |files, (at, path), host| {
        files.make_directory(at, path, mode, host)
    })?;
    call.settle_nothing(result)
}

fn make_directory(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let mode = call.number(1)? as u32;
    let path = call.path(0, Want::New)?;
    make_directory_with(call, path, mode)
}

fn make_directory_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let mode = call.number(2)? as u32;
    let path = call.path_at(0, Want::New)?;
    make_directory_with(call, path, mode)
}

fn remove_directory(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let path = call.path(0, Want::Existing)?;
    let result = call.act_on(path, |files, (at, path), host| {
        files.remove_directory(at, path, host)
    })?;
    call.settle_nothing(result)
}

fn change_directory(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let path = call.path(0, Want::Existing)?;
    let result = call.act_on(path, |files, (at, path), host| {
        files.change_directory(at, path, host)
    })?;
    call.settle_nothing(result)
}

fn change_to_descriptor(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let descriptor = call.int(0)?;
    let result = call.act(|files, _| files.change_to_descriptor(descriptor))?;
    call.settle_nothing(result)
}

/// The host is asked about the directory, so that it knows that the program has asked.
fn note_place(call: &mut Call<'_>, path: &[u8]) {
    if let Seen::All { .. } = call.machine.host.seen() {
        let inside = [path, b"/."].concat();
        let _ = call.machine.host.look(&inside);
    }
}

fn current_directory(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (buffer, size) = (call.number(0)?, call.number(1)?);
    let text = match call.files().current_directory() {
        Ok(text) => text,
        Err(error) => return Ok(call.settle_pointer(Err(error))),
    };
    note_place(call, &text);
    let is_new = buffer == 0 && size == 0;
    if !is_new && size <= text.len() as u64 {
        let error = match (buffer, size) {
            (1.., 0) => errno::EINVAL,
            _ => errno::ERANGE,
        };
        return Ok(call.settle_pointer(Err(error)));
    }
    call.give_text(buffer, &text)
}

fn current_directory_unchecked(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let buffer = call.number(0)?;
    match call.files().current_directory() {
        Ok(_) if buffer == 0 => Ok(call.settle_pointer(Err(errno::EINVAL))),
        Ok(text) => {
            note_place(call, &text);
            call.give_text(buffer, &text)
        }
        Err(error) => Ok(call.settle_pointer(Err(error))),
    }
}

fn current_directory_new(call: &mut Call<'_>) -> Result<Flow, Halt> {
    match call.files().current_directory() {
        Ok(text) => {
            note_place(call, &text);
            call.give_text(0, &text)
        }
        Err(error) => Ok(call.settle_pointer(Err(error))),
    }
}

fn real_path(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (place, mut buffer) = (call.number(0)?, call.number(1)?);
    if place == 0 {
        return Ok(call.settle_pointer(Err(errno::EINVAL)));
    }
    if call.name == "canonicalize_file_name" {
        buffer = 0;
    }
    let path = call.path(0, Want::Existing)?;
    match call.act_on(path, |files, (_, path), host| files.real_path(path, host))? {
        Ok(text) => {
            note_place(call, &text);
            call.give_text(buffer, &text)
        }
        Err(error) => Ok(call.settle_pointer(Err(error))),
    }
}

fn rename_with(
    call: &mut Call<'_>,
    from: super::Path,
    to: super::Path,
    how: Rename,
) -> Result<Flow, Halt> {
    let ((from_at, from), (to_at, to)) = (from, to);
    let result = call.act(|files, host| files.rename((from_at, &from), (to_at, &to), how, host))?;
    call.settle_nothing(result)
}

fn rename(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (from, to) = (call.path(0, Want::Existing)?, call.path(1, Want::New)?);
    rename_with(call, from, to, Rename::Replace)
}

fn rename_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let flags = match call.name {
        "renameat2" => call.int(4)?,
        _ => 0,
    };
    let how = match flags {
        0 => Rename::Replace,
        1 => Rename::New,
        2 => Rename::Exchange,
        _ => return Ok(call.fail(errno::EINVAL)),
    };
    let (from, to) = (
        call.path_at(0, Want::Existing)?,
        call.path_at(2, Want::New)?,
    );
    rename_with(call, from, to, how)
}

/// As much of a link's target as fits, without an end.
fn read_link_with(
    call: &mut Call<'_>,
    path: super::Path,
    to: u64,
    room: u64,
) -> Result<Flow, Halt> {
    if room as i64 <= 0 {
        return Ok(call.fail(errno::EINVAL));
    }
    let target = call.act_on(path, |files, (at, path), host| {
        match path.is_empty() && at != AT_FDCWD {
            true => Err(errno::ENOENT),
            false => files.read_link(at, path, host),
        }
    })?;
    match target {
        Ok(mut target) => {
            target.truncate(usize::try_from(room).unwrap_or(usize::MAX));
            call.write_bytes(to, &target)?;
            Ok(call.signed(target.len() as i64))
        }
        Err(error) => Ok(call.fail(error)),
    }
}

fn read_link(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (to, room) = (call.number(1)?, call.number(2)?);
    let path = call.path(0, Want::Existing)?;
    read_link_with(call, path, to, room)
}

fn read_link_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (to, room) = (call.number(2)?, call.number(3)?);
    let path = call.path_at(0, Want::Existing)?;
    read_link_with(call, path, to, room)
}

fn link_with(
    call: &mut Call<'_>,
    from: super::Path,
    to: super::Path,
    flags: i32,
) -> Result<Flow, Halt> {
    const AT_SYMLINK_FOLLOW: i32 = 0x400;
    const AT_EMPTY_PATH: i32 = 0x1000;
    let follow = match flags & AT_SYMLINK_FOLLOW {
        0 => Follow::NotTheLast,
        _ => Follow::Links,
    };
    let ((from_at, from), (to_at, to)) = (from, to);
    let is_open = flags & AT_EMPTY_PATH != 0 && from.is_empty();
    let result = call.act(|files, host| match is_open {
        true => files.link_descriptor(from_at, to_at, &to, host),
        false => files.link((from_at, &from), (to_at, &to), follow, host),
    })?;
    call.settle_nothing(result)
}

fn link(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (from, to) = (call.path(0, Want::Existing)?, call.path(1, Want::New)?);
    link_with(call, from, to, 0)
}

fn link_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let flags = call.int(4)?;
    if flags & !0x1400 != 0 {
        return Ok(call.fail(errno::EINVAL));
    }
    let (from, to) = (
        call.path_at(0, Want::Existing)?,
        call.path_at(2, Want::New)?,
    );
    link_with(call, from, to, flags)
}

fn symbolic_link_with(call: &mut Call<'_>, path: super::Path) -> Result<Flow, Halt> {
    let target = call.number(0)?;
    let target = call.sampled_string(target)?;
    let result = call.act_on(path, |files, (at, path), host| {
        files.make_link(&target, at, path, host)
    })?;
    call.settle_nothing(result)
}

fn symbolic_link(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let path = call.path(1, Want::New)?;
    symbolic_link_with(call, path)
}

fn symbolic_link_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let path = call.path_at(1, Want::New)?;
    symbolic_link_with(call, path)
}

fn make_node_with(call: &mut Call<'_>, path: super::Path, mode: u32) -> Result<Flow, Halt> {
    let result = call.act_on(path, |files, (at, path), host| {
        files.make_node(at, path, mode, host)
    })?;
    call.settle_nothing(result)
}

fn make_fifo(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let mode = call.number(1)? as u32;
    let path = call.path(0, Want::New)?;
    make_node_with(call, path, mode & 0o7777 | S_IFIFO)
}

fn make_fifo_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let mode = call.number(2)? as u32;
    let path = call.path_at(0, Want::New)?;
    make_node_with(call, path, mode & 0o7777 | S_IFIFO)
}

fn make_node(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let mode = call.number(1)? as u32;
    let path = call.path(0, Want::New)?;
    make_node_with(call, path, mode)
}

fn make_node_version(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let mode = call.number(2)? as u32;
    let path = call.path(1, Want::New)?;
    make_node_with(call, path, mode)
}

fn make_node_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let mode = call.number(2)? as u32;
    let path = call.path_at(0, Want::New)?;
    make_node_with(call, path, mode)
}

fn make_node_at_version(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let mode = call.number(3)? as u32;
    let path = call.path_at(1, Want::New)?;
    make_node_with(call, path, mode)
}

fn forbidden(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(call.fail(errno::EPERM))
}
