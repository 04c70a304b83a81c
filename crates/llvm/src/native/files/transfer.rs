//! Reading and writing through descriptors, and the place in a file.

use super::{MOST_BYTES, Want};
use crate::machine::Halt;
use crate::native::file_system::{Content, Device, Stream, Way};
use crate::native::kernel::Sleeps;
use crate::native::{Call, Flow, NativeFn, errno};

pub(super) const TABLE: &[(&str, NativeFn)] = &[
    ("read", |call| read(call, false)),
    ("__read", |call| read(call, false)),
    ("__read_chk", |call| read(call, false)),
    ("write", |call| write(call, false)),
    ("__write", |call| write(call, false)),
    ("pread", |call| read(call, true)),
    ("pread64", |call| read(call, true)),
    ("__pread_chk", |call| read(call, true)),
    ("__pread64_chk", |call| read(call, true)),
    ("pwrite", |call| write(call, true)),
    ("pwrite64", |call| write(call, true)),
    ("readv", read_parts),
    ("preadv", read_parts),
    ("preadv64", read_parts),
    ("preadv2", read_parts),
    ("preadv64v2", read_parts),
    ("writev", write_parts),
    ("pwritev", write_parts),
    ("pwritev64", write_parts),
    ("pwritev2", write_parts),
    ("pwritev64v2", write_parts),
    ("lseek", seek),
    ("lseek64", seek),
    ("__lseek", seek),
    ("llseek", seek),
    ("truncate", truncate_path),
    ("truncate64", truncate_path),
    ("ftruncate", truncate),
    ("ftruncate64", truncate),
    ("posix_fallocate", allocate),
    ("posix_fallocate64", allocate),
    ("fallocate", allocate_as_linux),
    ("fallocate64", allocate_as_linux),
];

/// Reads from any kind of file.
pub(super) fn read_from(
    call: &mut Call<'_>,
    descriptor: i32,
    len: u64,
    place: Option<u64>,
) -> Result<Result<Content, i32>, Halt> {
    let len = len.min(MOST_BYTES) as usize;
    let way = call.files().way(descriptor);
    let reads = call.files().get(descriptor).map(|open| open.reads());
    let bytes = match (way, reads) {
        (Err(error), _) | (_, Err(error)) => return Ok(Err(error)),
        (Ok(Way::Inside), _) => return call.act(|files, _| files.read(descriptor, len, place)),
        (Ok(Way::Stream(_)), _) if place.is_some() => return Ok(Err(errno::ESPIPE)),
        (_, Ok(false)) => return Ok(Err(errno::EBADF)),
        (Ok(Way::Stream(Stream::Input)), _) if len == 0 => Vec::new(),
        (Ok(Way::Stream(Stream::Input)), _) => call.machine.host.read(len),
        // As from a terminal at which nobody sits.
        (Ok(Way::Stream(Stream::Output(_)) | Way::Device(Device::Null)), _) => Vec::new(),
        (Ok(Way::Device(Device::Zero | Device::Full)), _) => vec![0; len.min(1 << 20)],
        (Ok(Way::Device(Device::Random)), _) => call.state.world.random_bytes(len),
        (Ok(Way::Device(Device::Terminal | Device::Foreign)), _) => return Ok(Err(errno::EIO)),
    };
    Ok(Ok(Content::from(&bytes[..])))
}

/// Bytes of output that a path may keep: one that writes for ever, as `yes` does, is to end before memory does.
const MOST_OUTPUT: u64 = 4 << 20;

/// Writes to any kind of file.
pub(super) fn write_to(
    call: &mut Call<'_>,
    descriptor: i32,
    content: &Content,
    place: Option<u64>,
) -> Result<Result<u64, i32>, Halt> {
    let way = call.files().way(descriptor);
    let writes = call.files().get(descriptor).map(|open| open.writes());
    match (way, writes) {
        (Err(error), _) | (_, Err(error)) => return Ok(Err(error)),
        (Ok(Way::Inside), _) => {
            return call.act(|files, _| files.write(descriptor, content, place));
        }
        (Ok(Way::Stream(_)), _) if place.is_some() => return Ok(Err(errno::ESPIPE)),
        (_, Ok(false)) => return Ok(Err(errno::EBADF)),
        (Ok(Way::Stream(Stream::Output(stream))), _) => {
            if call.state.output_len > MOST_OUTPUT {
                return Err(call.unsupported("more than 4 MiB of output"));
            }
            if !content.is_empty() {
                call.state.world.sleeps = Sleeps::default();
                call.output_content(stream, content);
            }
        }
        (Ok(Way::Stream(Stream::Input)), _) => return Ok(Err(errno::EBADF)),
        (Ok(Way::Device(Device::Full)), _) if !content.is_empty() => {
            return Ok(Err(errno::ENOSPC));
        }
        (Ok(Way::Device(_)), _) => {}
    }
    Ok(Ok(content.len() as u64))
}

/// How many bytes were written. Where nobody reads them, the program gets a signal first.
pub(super) fn settle_written(call: &mut Call<'_>, written: Result<u64, i32>) -> Result<Flow, Halt> {
    const BROKEN: &str = "__refrain_broken_pipe";
    if written == Err(errno::EPIPE) && call.machine.linked.find(BROKEN).is_some() {
        return call.enter(BROKEN, Vec::new());
    }
    Ok(call.settle(written))
}

fn read(call: &mut Call<'_>, is_placed: bool) -> Result<Flow, Halt> {
    let (descriptor, to, len) = (call.int(0)?, call.number(1)?, call.number(2)?);
    let place = if is_placed {
        Some(call.number(3)?)
    } else {
        None
    };
    if place.is_some_and(|place| place as i64 <= -1) {
        return Ok(call.fail(errno::EINVAL));
    }
    let piece = read_from(call, descriptor, len, place)?;
    if let Ok(piece) = &piece {
        call.scatter(to, piece)?;
    }
    Ok(call.settle(piece.map(|piece| piece.len() as u64)))
}

fn write(call: &mut Call<'_>, is_placed: bool) -> Result<Flow, Halt> {
    let (descriptor, from, len) = (call.int(0)?, call.number(1)?, call.number(2)?);
    let place = if is_placed {
        Some(call.number(3)?)
    } else {
        None
    };
    if place.is_some_and(|place| place as i64 <= -1) {
        return Ok(call.fail(errno::EINVAL));
    }
    let mut content = call.gather(from, len)?;
    call.check_written(&mut content)?;
    let written = write_to(call, descriptor, &content, place)?;
    settle_written(call, written)
}

/// The areas that an array of `struct iovec` names, and where in the file they go to or come from.
type Parts = (Vec<(u64, u64)>, Option<u64>);

fn parts(call: &mut Call<'_>) -> Result<Option<Parts>, Halt> {
    let (at, count) = (call.number(1)?, call.int(2)?);
    let place = match call.name.starts_with('p') {
        true => Some(call.number(3)?),
        false => None,
    };
    // The newest ones take -1 for where the file is.
    let is_here = call.name.ends_with("v2") && place == Some(u64::MAX);
    let place = place.filter(|_| !is_here);
    if !(0..=1024).contains(&count) || place.is_some_and(|place| place as i64 <= -1) {
        return Ok(None);
    }
    let words = call.words_at(at, 2 * count as usize)?;
    let areas = words.chunks(2).map(|area| (area[0], area[1]));
    Ok(Some((areas.collect(), place)))
}

fn read_parts(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let descriptor = call.int(0)?;
    let Some((areas, place)) = parts(call)? else {
        return Ok(call.fail(errno::EINVAL));
    };
    let len = areas
        .iter()
        .fold(0u64, |sum, &(_, len)| sum.saturating_add(len));
    let piece = match read_from(call, descriptor, len, place)? {
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

fn write_parts(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let descriptor = call.int(0)?;
    let Some((areas, place)) = parts(call)? else {
        return Ok(call.fail(errno::EINVAL));
    };
    let mut content = Content::default();
    for (from, len) in areas {
        let piece = call.gather(from, len)?;
        content.append(&piece);
    }
    call.check_written(&mut content)?;
    let written = write_to(call, descriptor, &content, place)?;
    settle_written(call, written)
}

fn seek(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (descriptor, offset, whence) = (call.int(0)?, call.number(1)?, call.int(2)?);
    let place = call.files().seek(descriptor, offset as i64, whence);
    Ok(call.settle(place))
}

fn truncate(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (descriptor, len) = (call.int(0)?, call.number(1)?);
    let result = call.act(|files, _| files.truncate(descriptor, len as i64))?;
    call.settle_nothing(result)
}

fn truncate_path(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let len = call.number(1)?;
    let path = call.path(0, Want::Existing)?;
    let result = call.act_on(path, |files, (_, path), host| {
        files.truncate_path(path, len as i64, host)
    })?;
    call.settle_nothing(result)
}

fn room(
    call: &mut Call<'_>,
    descriptor: i32,
    (offset, len): (u64, u64),
    grows: bool,
) -> Result<Result<(), i32>, Halt> {
    if (offset as i64) < 0 || len as i64 <= 0 {
        return Ok(Err(errno::EINVAL));
    }
    match offset.checked_add(len) {
        Some(end) => call.act(|files, _| files.allocate(descriptor, end, grows)),
        None => Ok(Err(errno::EFBIG)),
    }
}

/// Gives its error as the result.
fn allocate(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (descriptor, offset, len) = (call.int(0)?, call.number(1)?, call.number(2)?);
    let made = room(call, descriptor, (offset, len), true)?;
    Ok(call.signed(made.map_or_else(i64::from, |()| 0)))
}

fn allocate_as_linux(call: &mut Call<'_>) -> Result<Flow, Halt> {
    const KEEP_SIZE: i32 = 1;
    let (descriptor, mode) = (call.int(0)?, call.int(1)?);
    let (offset, len) = (call.number(2)?, call.number(3)?);
    if mode & !KEEP_SIZE != 0 {
        return Ok(call.fail(errno::ENOTSUP));
    }
    let made = room(call, descriptor, (offset, len), mode & KEEP_SIZE == 0)?;
    call.settle_nothing(made)
}
