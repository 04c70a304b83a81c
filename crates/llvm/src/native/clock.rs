//! Time, which is the same in every run: it goes on when the program looks at it or sleeps.

use super::kernel::{LOOK, SECOND, START_SECONDS, UPTIME_SECONDS, clock_start};
use super::{Call, Flow, NativeFn, World, errno};
use crate::machine::Halt;
use crate::memory::Value;

pub const TABLE: &[(&str, NativeFn)] = &[
    ("time", time),
    ("clock", clock),
    ("clock_gettime", clock_time),
    ("__clock_gettime", clock_time),
    ("clock_getres", resolution),
    ("__refrain_clock_sleep", clock_sleep),
    ("gettimeofday", time_of_day),
    ("ftime", old_time),
    ("times", times),
    ("getrusage", usage),
    ("alarm", no_timer),
    ("ualarm", no_timer),
    ("setitimer", set_timer),
    ("getitimer", get_timer),
    ("settimeofday", forbidden),
    ("clock_settime", forbidden),
];

impl World {
    /// Lets time pass, in nanoseconds.
    pub fn pass(&mut self, nanoseconds: u64) {
        self.clock = self.clock.saturating_add(nanoseconds).min(1 << 62);
    }

    /// Nanoseconds since the start.
    fn look(&mut self) -> u64 {
        self.pass(LOOK);
        self.clock
    }
}

/// What a clock shows, in nanoseconds.
fn shown(call: &mut Call<'_>, clock: i32) -> Option<u64> {
    Some(clock_start(clock)? * SECOND + call.state.world.look())
}

pub(super) fn monotonic(call: &mut Call<'_>) -> u64 {
    UPTIME_SECONDS * SECOND + call.state.world.look()
}

fn pair(seconds: u64, rest: u64) -> Vec<u8> {
    let mut bytes = seconds.to_le_bytes().to_vec();
    bytes.extend(rest.to_le_bytes());
    bytes
}

fn time(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let to = call.number(0)?;
    let seconds = START_SECONDS + call.state.world.look() / SECOND;
    if to != 0 {
        call.write_bytes(to, &seconds.to_le_bytes())?;
    }
    Ok(Flow::value(seconds))
}

/// Microseconds of work.
fn clock(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(Flow::value(call.state.world.look() / 1000))
}

fn clock_time(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (clock, to) = (call.int(0)?, call.number(1)?);
    let Some(now) = shown(call, clock) else {
        return Ok(call.fail(errno::EINVAL));
    };
    call.write_bytes(to, &pair(now / SECOND, now % SECOND))?;
    Ok(call.signed(0))
}

fn resolution(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (clock, to) = (call.int(0)?, call.number(1)?);
    if shown(call, clock).is_none() {
        return Ok(call.fail(errno::EINVAL));
    }
    if to != 0 {
        call.write_bytes(to, &pair(0, 1))?;
    }
    Ok(call.signed(0))
}

fn time_of_day(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (to, zone) = (call.number(0)?, call.number(1)?);
    let now = START_SECONDS * SECOND + call.state.world.look();
    if to != 0 {
        call.write_bytes(to, &pair(now / SECOND, now % SECOND / 1000))?;
    }
    if zone != 0 {
        call.write_bytes(zone, &[0; 8])?;
    }
    Ok(call.signed(0))
}

fn old_time(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let to = call.number(0)?;
    let now = START_SECONDS * SECOND + call.state.world.look();
    let mut bytes = (now / SECOND).to_le_bytes().to_vec();
    bytes.extend(((now % SECOND / 1_000_000) as u16).to_le_bytes());
    bytes.extend([0; 4]);
    call.write_bytes(to, &bytes)?;
    Ok(call.signed(0))
}

/// The seconds and nanoseconds at an address, if they are valid.
pub(super) fn span(call: &mut Call<'_>, at: u64) -> Result<Option<u64>, Halt> {
    let mut words = [0; 2];
    for (index, word) in words.iter_mut().enumerate() {
        let place = Value::Concrete(at.wrapping_add(8 * index as u64));
        let value = call.machine.read(call.terms, call.state, place, 8)?;
        *word = call.machine.fixed(call.terms, call.state, value)?;
    }
    let is_valid = (words[0] as i64) >= 0 && words[1] < SECOND;
    Ok(is_valid.then(|| words[0].saturating_mul(SECOND).saturating_add(words[1])))
}

/// Lets time pass in which the program waits.
pub(super) fn sleep(call: &mut Call<'_>, nanoseconds: u64) -> Result<(), Halt> {
    call.state.world.pass(nanoseconds);
    if call.state.world.sleeps.note(nanoseconds) {
        let what = "sleeping again and again, for what nobody does";
        return Err(call.unsupported(what));
    }
    Ok(())
}

/// Gives its error as the result.
fn clock_sleep(call: &mut Call<'_>) -> Result<Flow, Halt> {
    const TIMER_ABSTIME: i32 = 1;
    let (clock, flags, at) = (call.int(0)?, call.int(1)?, call.number(2)?);
    let Some(span) = span(call, at)? else {
        return Ok(call.signed(i64::from(errno::EINVAL)));
    };
    let Some(start) = clock_start(clock) else {
        return Ok(call.signed(i64::from(errno::EINVAL)));
    };
    let left = if flags & TIMER_ABSTIME != 0 {
        span.saturating_sub(start * SECOND + call.state.world.look())
    } else {
        span
    };
    sleep(call, left)?;
    Ok(call.signed(0))
}

/// A hundred ticks a second.
fn times(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let to = call.number(0)?;
    let ticks = call.state.world.look() / 10_000_000;
    if to != 0 {
        let mut bytes = ticks.to_le_bytes().to_vec();
        bytes.extend([0; 24]);
        call.write_bytes(to, &bytes)?;
    }
    Ok(Flow::value(UPTIME_SECONDS * 100 + ticks))
}

fn usage(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let to = call.number(1)?;
    let now = call.state.world.look();
    let mut bytes = pair(now / SECOND, now % SECOND / 1000);
    bytes.resize(144, 0);
    call.write_bytes(to, &bytes)?;
    Ok(call.signed(0))
}

/// No signal ever comes from outside, a timer's neither.
fn no_timer(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(call.signed(0))
}

fn set_timer(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let old = call.number(2)?;
    if old != 0 {
        call.write_bytes(old, &[0; 32])?;
    }
    Ok(call.signed(0))
}

fn get_timer(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let to = call.number(1)?;
    call.write_bytes(to, &[0; 32])?;
    Ok(call.signed(0))
}

fn forbidden(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(call.fail(errno::EPERM))
}
