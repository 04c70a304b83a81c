//! Directory streams: `opendir` and its kin.

use super::Want;
use crate::machine::Halt;
use crate::native::file_system::O_DIRECTORY;
use crate::native::{Call, Flow, NativeFn, errno};

pub(super) const TABLE: &[(&str, NativeFn)] = &[
    ("opendir", open_directory),
    ("fdopendir", directory_of),
    ("readdir", next_entry),
    ("readdir64", next_entry),
    ("readdir_r", next_entry_into),
    ("readdir64_r", next_entry_into),
    ("getdents64", entries),
    ("rewinddir", rewind_directory),
    ("telldir", tell_directory),
    ("seekdir", seek_directory),
    ("closedir", close_directory),
    ("dirfd", descriptor_of),
];

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
    let path = call.path(0, Want::Existing)?;
    let opened = call.act_on(path, |files, (at, path), host| {
        files.open(at, path, O_DIRECTORY, 0, host)
    })?;
    match opened {
        Ok(descriptor) => directory_stream(call, descriptor),
        Err(error) => Ok(call.settle_pointer(Err(error))),
    }
}

fn directory_of(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let descriptor = call.int(0)?;
    match call.files().check_directory(descriptor) {
        Ok(()) => directory_stream(call, descriptor),
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

/// The next entry as `struct dirent64`.
fn next(call: &mut Call<'_>, descriptor: i32) -> Result<Result<Option<Vec<u8>>, i32>, Halt> {
    let entry = call.act(|files, host| files.next_entry(descriptor, host))?;
    let (name, inode, kind) = match entry {
        Ok(Some(entry)) => entry,
        Ok(None) => return Ok(Ok(None)),
        Err(error) => return Ok(Err(error)),
    };
    let place = call.files().get(descriptor).map_or(0, |open| open.offset);
    let size = (19 + name.len() + 1).next_multiple_of(8);
    let mut bytes = super::Layout::default()
        .u64(inode)
        .u64(place)
        .u16(size as u16)
        .0;
    // The kind of a file is the top of its mode.
    bytes.push((kind >> 12) as u8);
    bytes.extend(name.iter().take(255));
    bytes.resize(size, 0);
    Ok(Ok(Some(bytes)))
}

fn next_entry(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let stream = call.number(0)?;
    let descriptor = stream_descriptor(call, stream)?;
    match next(call, descriptor)? {
        Ok(Some(bytes)) => {
            call.write_bytes(stream + ENTRY, &bytes)?;
            Ok(Flow::value(stream + ENTRY))
        }
        Ok(None) => Ok(Flow::value(0)),
        Err(error) => Ok(call.settle_pointer(Err(error))),
    }
}

/// Gives its error as the result.
fn next_entry_into(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (stream, to, result) = (call.number(0)?, call.number(1)?, call.number(2)?);
    let descriptor = stream_descriptor(call, stream)?;
    let (error, place) = match next(call, descriptor)? {
        Ok(Some(bytes)) => {
            call.write_bytes(to, &bytes)?;
            (0, to)
        }
        Ok(None) => (0, 0),
        Err(error) => (error, 0),
    };
    call.write_bytes(result, &place.to_le_bytes())?;
    Ok(call.signed(i64::from(error)))
}

/// As many entries as fit.
fn entries(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (descriptor, to, room) = (call.int(0)?, call.number(1)?, call.number(2)?);
    let mut all = Vec::new();
    loop {
        let position = call.files().get(descriptor).map_or(0, |open| open.offset);
        match next(call, descriptor)? {
            Err(error) => return Ok(call.fail(error)),
            Ok(None) => break,
            Ok(Some(bytes)) if (all.len() + bytes.len()) as u64 > room => {
                call.files().seek_entry(descriptor, position);
                if all.is_empty() {
                    return Ok(call.fail(errno::EINVAL));
                }
                break;
            }
            Ok(Some(bytes)) => all.extend(bytes),
        }
    }
    call.write_bytes(to, &all)?;
    Ok(call.signed(all.len() as i64))
}

fn seek_to(call: &mut Call<'_>, position: u64) -> Result<Flow, Halt> {
    let stream = call.number(0)?;
    let descriptor = stream_descriptor(call, stream)?;
    call.files().seek_entry(descriptor, position);
    Ok(Flow::void())
}

fn rewind_directory(call: &mut Call<'_>) -> Result<Flow, Halt> {
    seek_to(call, 0)
}

fn tell_directory(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let stream = call.number(0)?;
    let descriptor = stream_descriptor(call, stream)?;
    let place = call.files().get(descriptor).map(|open| open.offset);
    Ok(call.settle(place))
}

fn seek_directory(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let position = call.number(1)?;
    seek_to(call, position)
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
