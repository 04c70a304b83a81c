//! Waiting for descriptors.

use crate::machine::Halt;
use crate::native::file_system;
use crate::native::{Call, Flow, NativeFn, clock, errno};

pub(super) const TABLE: &[(&str, NativeFn)] = &[
    ("poll", poll),
    ("__poll", poll),
    ("__poll_chk", poll),
    ("ppoll", poll),
    ("select", select),
    ("pselect", select),
];

const FOR_EVER: &str = "waiting for ever for what only the program itself could do";

/// Lets the time pass that a call waits where nothing is ready; none: for ever.
fn wait(call: &mut Call<'_>, nanoseconds: Option<u64>) -> Result<(), Halt> {
    match nanoseconds {
        Some(nanoseconds) => clock::sleep(call, nanoseconds),
        None => Err(call.unsupported(format!("{} {FOR_EVER}", call.name))),
    }
}

/// The seconds and parts of one at an address; none without an address.
fn span(call: &mut Call<'_>, at: u64, unit: u64) -> Result<Option<u64>, Halt> {
    if at == 0 {
        return Ok(None);
    }
    let words = call.words_at(at, 2)?;
    let seconds = words[0].saturating_mul(1_000_000_000);
    Ok(Some(seconds.saturating_add(words[1].saturating_mul(unit))))
}

fn poll(call: &mut Call<'_>) -> Result<Flow, Halt> {
    const IN: u16 = 0x1 | 0x40;
    const OUT: u16 = 0x4 | 0x100;
    const ERROR: u16 = 0x8;
    const HANG_UP: u16 = 0x10;
    const INVALID: u16 = 0x20;
    let (at, count) = (call.number(0)?, call.number(1)?);
    if count > file_system::MOST_DESCRIPTORS as u64 {
        return Ok(call.fail(errno::EINVAL));
    }
    let timeout = if call.name == "ppoll" {
        let place = call.number(2)?;
        span(call, place, 1)?
    } else {
        let milliseconds = call.int(2)?;
        u64::try_from(milliseconds)
            .ok()
            .map(|span| span * 1_000_000)
    };
    let mut entries = call.bytes(at, 8 * count)?;
    let mut ready = 0;
    for entry in entries.chunks_mut(8) {
        let descriptor = i32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]);
        let wanted = u16::from_le_bytes([entry[4], entry[5]]);
        let files = call.files();
        let events = match files.readiness(descriptor) {
            _ if descriptor < 0 => 0,
            Ok((reads, writes, is_alone)) => {
                let is_reader = files.get(descriptor).is_ok_and(|open| open.reads());
                let mut events = 0;
                events |= if reads { wanted & IN } else { 0 };
                events |= if writes { wanted & OUT } else { 0 };
                events |= match (is_alone, is_reader) {
                    (true, true) => HANG_UP,
                    (true, false) => ERROR,
                    (false, _) => 0,
                };
                events
            }
            Err(_) => INVALID,
        };
        ready += i64::from(events != 0);
        entry[6..8].copy_from_slice(&events.to_le_bytes());
    }
    if ready == 0 {
        wait(call, timeout)?;
    }
    call.write_bytes(at, &entries)?;
    Ok(call.signed(ready))
}

fn select(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let count = call.int(0)?;
    if count < 0 {
        return Ok(call.fail(errno::EINVAL));
    }
    let count = count.min(file_system::MOST_DESCRIPTORS as i32) as usize;
    let places = [call.number(1)?, call.number(2)?, call.number(3)?];
    let timeout = call.number(4)?;
    let unit = if call.name == "select" { 1000 } else { 1 };
    let timeout = span(call, timeout, unit)?;
    let mut sets = Vec::new();
    for (kind, &place) in places.iter().enumerate() {
        if place != 0 {
            let set = call.bytes(place, count.div_ceil(64) as u64 * 8)?;
            sets.push((kind, place, set));
        }
    }
    let mut ready = 0;
    for (kind, _, set) in &mut sets {
        for descriptor in 0..count {
            let bit = 1 << (descriptor % 8);
            if set[descriptor / 8] & bit == 0 {
                continue;
            }
            let is_ready = match (call.files().readiness(descriptor as i32), *kind) {
                (Err(_), _) => return Ok(call.fail(errno::EBADF)),
                (Ok((reads, _, is_alone)), 0) => reads || is_alone,
                (Ok((_, writes, _)), 1) => writes,
                // Nothing out of the ordinary happens.
                _ => false,
            };
            if is_ready {
                ready += 1;
            } else {
                set[descriptor / 8] &= !bit;
            }
        }
    }
    if ready == 0 {
        wait(call, timeout)?;
    }
    for (_, place, set) in sets {
        call.write_bytes(place, &set)?;
    }
    Ok(call.signed(ready))
}
