//! What the machine's kernel says of itself: the time, what looks random, who the process is. It is the same in every
//! run, and natively for whoever runs a program in the same world.

/// The number of the process; that of its parent is the one before.
pub const PROCESS: u32 = 1000;

/// When programs start: 2001-09-09T01:46:40Z.
pub const START_SECONDS: u64 = 1_000_000_000;
/// How long the machine had been running then.
pub const UPTIME_SECONDS: u64 = 1000;
/// What one look at the clock takes, or a change of a file, in nanoseconds.
pub const LOOK: u64 = 1000;
pub const SECOND: u64 = 1_000_000_000;

/// What a clock showed when the program started, in seconds; none if there is no such clock.
pub fn clock_start(clock: i32) -> Option<u64> {
    Some(match clock {
        // CLOCK_REALTIME, its coarse form, CLOCK_TAI
        0 | 5 | 11 => START_SECONDS,
        // CLOCK_MONOTONIC, raw, coarse, CLOCK_BOOTTIME
        1 | 4 | 6 | 7 => UPTIME_SECONDS,
        // CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID
        2 | 3 => 0,
        _ => return None,
    })
}

/// How a program has slept since it last did something that shows. Nobody else does anything meanwhile: one that sleeps
/// again and again, as `tail -f`, would do so for ever.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sleeps {
    times: u32,
    nanoseconds: u64,
}

impl Sleeps {
    /// Whether it has slept too often now, and for too long: ten minutes, or an absurd number of times.
    pub fn note(&mut self, nanoseconds: u64) -> bool {
        self.times = self.times.saturating_add(1);
        self.nanoseconds = self.nanoseconds.saturating_add(nanoseconds);
        (self.times >= 500 && self.nanoseconds >= 600 * SECOND) || self.times >= 100_000
    }
}

/// Bytes that look random, the next after a state that starts as 0.
pub fn random_bytes(state: &mut u64, len: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(len + 7);
    while bytes.len() < len {
        // SplitMix64.
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = *state;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bytes.extend((word ^ word >> 31).to_le_bytes());
    }
    bytes.truncate(len);
    bytes
}

/// The name of the machine in the network.
const HOST_NAME: &str = "localhost";

/// What `uname` writes.
pub fn system_name() -> Vec<u8> {
    const FIELD: usize = 65;
    let mut bytes = Vec::new();
    for (index, text) in ["Linux", HOST_NAME, "6.1.0", "#1 SMP", "x86_64", "(none)"]
        .iter()
        .enumerate()
    {
        bytes.extend(text.as_bytes());
        bytes.resize(FIELD * (index + 1), 0);
    }
    bytes
}
