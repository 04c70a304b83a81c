//! Reading and writing through descriptors, and the place in a file.

use super::MOST_BYTES;
use crate::machine::Halt;
use crate::native::file_system::{Content, Target};
use crate::native::{Call, Flow, errno};

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

pub(super) fn read(call: &mut Call<'_>) -> Result<Flow, Halt> {
    read_placed(call, false)
}

pub(super) fn read_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
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

pub(super) fn write(call: &mut Call<'_>) -> Result<Flow, Halt> {
    write_placed(call, false)
}

pub(super) fn write_at(call: &mut Call<'_>) -> Result<Flow, Halt> {
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

pub(super) fn read_parts(call: &mut Call<'_>) -> Result<Flow, Halt> {
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

pub(super) fn write_parts(call: &mut Call<'_>) -> Result<Flow, Halt> {
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

pub(super) fn seek(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (descriptor, offset, whence) = (call.int(0)?, call.number(1)?, call.int(2)?);
    let place = call.files().seek(descriptor, offset as i64, whence);
    Ok(call.settle(place))
}

pub(super) fn truncate(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (descriptor, len) = (call.int(0)?, call.number(1)?);
    let result = call.files().truncate(descriptor, len as i64);
    call.settle_nothing(result)
}

pub(super) fn truncate_path(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (path, len) = (call.path(0)?, call.number(1)?);
    let result = call.with_host(|files, host| files.truncate_path(&path, len as i64, host));
    call.settle_nothing(result)
}

/// Gives its error as the result.
pub(super) fn allocate(call: &mut Call<'_>) -> Result<Flow, Halt> {
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
