//! Waiting for descriptors, and sockets, of which there are none.

use crate::machine::Halt;
use crate::native::file_system;
use crate::native::{Call, Flow, errno};

/// Whatever is open is ready.
pub(super) fn poll(call: &mut Call<'_>) -> Result<Flow, Halt> {
    const READY: u16 = 0x1 | 0x4 | 0x40 | 0x100;
    const INVALID: u16 = 0x20;
    let (at, count) = (call.number(0)?, call.number(1)?);
    if count > file_system::MOST_DESCRIPTORS as u64 {
        return Ok(call.fail(errno::EINVAL));
    }
    let timeout = if call.name == "ppoll" {
        0
    } else {
        call.int(2)?
    };
    let mut entries = call.bytes(at, 8 * count)?;
    let mut ready = 0;
    for entry in entries.chunks_mut(8) {
        let descriptor = i32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]);
        let wanted = u16::from_le_bytes([entry[4], entry[5]]);
        let events = match call.files().get(descriptor) {
            _ if descriptor < 0 => 0,
            Ok(_) => wanted & READY,
            Err(_) => INVALID,
        };
        ready += i64::from(events != 0);
        entry[6..8].copy_from_slice(&events.to_le_bytes());
    }
    call.write_bytes(at, &entries)?;
    if ready == 0 {
        let nanoseconds = u64::try_from(timeout).unwrap_or(0) * 1_000_000;
        call.state.world.pass(nanoseconds);
    }
    Ok(call.signed(ready))
}

pub(super) fn select(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let count = call.int(0)?.clamp(0, file_system::MOST_DESCRIPTORS as i32) as usize;
    let places = [call.number(1)?, call.number(2)?, call.number(3)?];
    let timeout = call.number(4)?;
    let mut sets = Vec::new();
    for place in places.into_iter().filter(|&place| place != 0) {
        sets.push((place, call.bytes(place, count.div_ceil(64) as u64 * 8)?));
    }
    let wait = match timeout {
        0 => vec![0, 0],
        _ => call.words_at(timeout, 2)?,
    };
    let mut ready = 0;
    for (place, set) in &mut sets {
        let is_exceptions = *place == places[2];
        for descriptor in 0..count {
            let bit = 1 << (descriptor % 8);
            if set[descriptor / 8] & bit == 0 {
                continue;
            }
            if call.files().get(descriptor as i32).is_err() {
                return Ok(call.fail(errno::EBADF));
            }
            // Nothing out of the ordinary happens.
            if is_exceptions {
                set[descriptor / 8] &= !bit;
            } else {
                ready += 1;
            }
        }
    }
    for (place, set) in sets {
        call.write_bytes(place, &set)?;
    }
    if ready == 0 {
        let unit = if call.name == "select" { 1000 } else { 1 };
        let nanoseconds = wait[0]
            .saturating_mul(1_000_000_000)
            .saturating_add(wait[1].saturating_mul(unit));
        call.state.world.pass(nanoseconds);
    }
    Ok(call.signed(ready))
}

pub(super) fn no_network(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(call.fail(errno::EAFNOSUPPORT))
}

pub(super) fn no_socket(call: &mut Call<'_>) -> Result<Flow, Halt> {
    const ENOTSOCK: i32 = 88;
    let descriptor = call.int(0)?;
    let known = call.files().get(descriptor).map(|_| 0);
    Ok(call.settle(known.and(Err(ENOTSOCK))))
}
