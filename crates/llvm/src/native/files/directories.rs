//! Directory streams: `opendir` and its kin.

use crate::machine::Halt;
use crate::native::file_system;
use crate::native::{Call, Flow, errno};

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

pub(super) fn open_directory(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let path = call.path(0)?;
    let flags = file_system::O_DIRECTORY;
    match call.with_host(|files, host| files.open(&path, flags, host)) {
        Ok(descriptor) => directory_stream(call, descriptor),
        Err(error) => Ok(call.settle_pointer(Err(error))),
    }
}

pub(super) fn directory_of(call: &mut Call<'_>) -> Result<Flow, Halt> {
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

pub(super) fn next_entry(call: &mut Call<'_>) -> Result<Flow, Halt> {
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

pub(super) fn rewind_directory(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let stream = call.number(0)?;
    let descriptor = stream_descriptor(call, stream)?;
    if let Ok(open) = call.files().get_mut(descriptor) {
        open.offset = 0;
    }
    Ok(Flow::void())
}

pub(super) fn close_directory(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let stream = call.number(0)?;
    let descriptor = stream_descriptor(call, stream)?;
    call.release(stream)?;
    let closed = call.files().close(descriptor);
    call.settle_nothing(closed)
}

pub(super) fn descriptor_of(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let stream = call.number(0)?;
    let descriptor = stream_descriptor(call, stream)?;
    Ok(call.signed(i64::from(descriptor)))
}
