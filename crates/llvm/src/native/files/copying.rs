//! From one descriptor to another without passing through the program.

use super::transfer::{read_from, settle_written, write_to};
use crate::machine::Halt;
use crate::native::file_system::{O_APPEND, S_IFDIR, S_IFMT, S_IFREG};
use crate::native::{Call, Flow, NativeFn, errno};

pub(super) const TABLE: &[(&str, NativeFn)] = &[
    ("sendfile", send_file),
    ("sendfile64", send_file),
    ("copy_file_range", copy_range),
    ("splice", unavailable),
    ("tee", unavailable),
    ("vmsplice", unavailable),
];

/// A place in a file that the program keeps itself, if it gives where.
fn place_at(call: &mut Call<'_>, at: u64) -> Result<Option<u64>, Halt> {
    match at {
        0 => Ok(None),
        _ => Ok(Some(call.words_at(at, 1)?[0])),
    }
}

struct Side {
    descriptor: i32,
    /// Where the program keeps the place.
    kept_at: u64,
}

/// Copies so many bytes at most, and moves the places.
fn copy(call: &mut Call<'_>, from: Side, to: Side, len: u64) -> Result<Flow, Halt> {
    let (read_at, write_at) = (place_at(call, from.kept_at)?, place_at(call, to.kept_at)?);
    if [read_at, write_at]
        .iter()
        .flatten()
        .any(|&place| (place as i64) < 0)
    {
        return Ok(call.fail(errno::EINVAL));
    }
    match call.files().get(to.descriptor).map(|open| open.writes()) {
        Ok(true) => {}
        Ok(false) => return Ok(call.fail(errno::EBADF)),
        Err(error) => return Ok(call.fail(error)),
    }
    let piece = match read_from(call, from.descriptor, len, read_at)? {
        Ok(piece) => piece,
        Err(error) => return Ok(call.fail(error)),
    };
    let written = write_to(call, to.descriptor, &piece, write_at)?;
    if let Ok(written) = written {
        for (place, side) in [(read_at, &from), (write_at, &to)] {
            if let Some(place) = place {
                call.write_bytes(side.kept_at, &(place + written).to_le_bytes())?;
            }
        }
    }
    settle_written(call, written)
}

fn send_file(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (to, from) = (call.int(0)?, call.int(1)?);
    let (kept_at, len) = (call.number(2)?, call.number(3)?);
    let kind = match call.files().stat(from) {
        Ok(stat) => stat.mode & S_IFMT,
        Err(error) => return Ok(call.fail(error)),
    };
    let appends = call
        .files()
        .get(to)
        .is_ok_and(|open| open.flags & O_APPEND != 0);
    if kind != S_IFREG || appends {
        return Ok(call.fail(errno::EINVAL));
    }
    let from = Side {
        descriptor: from,
        kept_at,
    };
    let to = Side {
        descriptor: to,
        kept_at: 0,
    };
    copy(call, from, to, len)
}

/// Whether what is copied and where it goes are of one file, and have bytes in common.
fn overlaps(call: &mut Call<'_>, from: &Side, to: &Side, len: u64) -> Result<bool, Halt> {
    let mut places = [0; 2];
    let mut nodes = [0; 2];
    for (at, side) in [from, to].into_iter().enumerate() {
        let kept = place_at(call, side.kept_at)?;
        let Ok(open) = call.files().get(side.descriptor) else {
            return Ok(false);
        };
        (places[at], nodes[at]) = (kept.unwrap_or(open.offset), open.node);
    }
    let size = call
        .files()
        .stat(from.descriptor)
        .map_or(0, |stat| stat.size);
    let len = len.min(size.saturating_sub(places[0]));
    let [read_at, write_at] = places;
    let meet = write_at.saturating_add(len) > read_at && write_at < read_at.saturating_add(len);
    Ok(nodes[0] == nodes[1] && meet)
}

fn copy_range(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let from = Side {
        descriptor: call.int(0)?,
        kept_at: call.number(1)?,
    };
    let to = Side {
        descriptor: call.int(2)?,
        kept_at: call.number(3)?,
    };
    let (len, flags) = (call.number(4)?, call.number(5)? as u32);
    if flags != 0 {
        return Ok(call.fail(errno::EINVAL));
    }
    let mut kinds = Vec::new();
    for side in [&from, &to] {
        match call.files().stat(side.descriptor) {
            Ok(stat) => kinds.push(stat.mode & S_IFMT),
            Err(error) => return Ok(call.fail(error)),
        }
    }
    if kinds.contains(&S_IFDIR) {
        return Ok(call.fail(errno::EISDIR));
    }
    if kinds.iter().any(|&kind| kind != S_IFREG) {
        return Ok(call.fail(errno::EINVAL));
    }
    let files = call.files();
    let reads = files.get(from.descriptor).is_ok_and(|open| open.reads());
    let writes =
        { files.get(to.descriptor) }.is_ok_and(|open| open.writes() && open.flags & O_APPEND == 0);
    if !reads || !writes {
        return Ok(call.fail(errno::EBADF));
    }
    if overlaps(call, &from, &to, len)? {
        return Ok(call.fail(errno::EINVAL));
    }
    copy(call, from, to, len)
}

fn unavailable(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(call.fail(errno::ENOSYS))
}
