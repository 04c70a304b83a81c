//! When to restart. Restarting drops the decisions, though not the assumptions, and lets the
//! variables of recent conflicts come first; saved phases bring most of the assignment back. The
//! search alternates between two moods (Oh, "Between SAT and UNSAT", SAT 2015; CaDiCaL). In the
//! *focused* mood, good for refutations, it restarts as soon as recent learned clauses are worse
//! than those of the long run (Glucose; averages as in Biere and Fröhlich, POS 2015). In the *stable*
//! mood, good for models, it restarts rarely, in Luby's sequence.

/// An exponential moving average that starts out as a plain one.
struct Average {
    value: f64,
    weight: f64,
    rate: f64,
}

impl Average {
    fn new(rate: f64) -> Average {
        Average {
            value: 0.0,
            weight: 1.0,
            rate,
        }
    }

    fn add(&mut self, sample: f64) {
        self.value += self.weight * (sample - self.value);
        self.weight = (self.weight / (1.0 + self.weight)).max(self.rate);
    }
}

/// The state of the restart policy.
pub(crate) struct Pace {
    recent: Average,
    long_run: Average,
    since_restart: u64,
    stable: bool,
    mood_left: u64,
    mood_length: u64,
    luby_index: u64,
    luby_left: u64,
}

const MARGIN: f64 = 1.1;
const SHORTEST_RUN: u64 = 2;
const LUBY_UNIT: u64 = 512;
const FIRST_MOOD: u64 = 1000;

impl Default for Pace {
    fn default() -> Pace {
        Pace {
            recent: Average::new(1.0 / 32.0),
            long_run: Average::new(1.0 / 16_384.0),
            since_restart: 0,
            stable: false,
            mood_left: FIRST_MOOD,
            mood_length: FIRST_MOOD,
            luby_index: 1,
            luby_left: LUBY_UNIT,
        }
    }
}

impl Pace {
    /// Starts a solve.
    pub fn begin(&mut self) {
        *self = Pace {
            recent: Average::new(1.0 / 32.0),
            long_run: std::mem::replace(&mut self.long_run, Average::new(0.0)),
            ..Pace::default()
        };
        self.recent.value = self.long_run.value;
        self.recent.weight = self.recent.rate;
    }

    /// A clause was learned.
    pub fn learned(&mut self, lbd: u32) {
        self.recent.add(f64::from(lbd));
        self.long_run.add(f64::from(lbd));
        self.since_restart += 1;
        self.luby_left = self.luby_left.saturating_sub(1);
        self.mood_left -= 1;
        if self.mood_left == 0 {
            self.stable = !self.stable;
            if !self.stable {
                self.mood_length += self.mood_length / 2;
            }
            self.mood_left = self.mood_length;
            self.luby_index = 1;
            self.luby_left = LUBY_UNIT;
        }
    }

    /// Whether it is time.
    pub fn is_due(&self) -> bool {
        if self.stable {
            self.luby_left == 0
        } else {
            self.since_restart >= SHORTEST_RUN && self.recent.value > MARGIN * self.long_run.value
        }
    }

    /// A restart happened.
    pub fn restarted(&mut self) {
        self.since_restart = 0;
        if self.stable {
            self.luby_index += 1;
            self.luby_left = LUBY_UNIT * luby(self.luby_index);
        }
    }
}

/// 1, 1, 2, 1, 1, 2, 4, … for 1, 2, 3, …
fn luby(index: u64) -> u64 {
    let mut index = index;
    loop {
        let power = (index + 1).next_power_of_two();
        if power == index + 1 {
            return power / 2;
        }
        index -= power / 2 - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::luby;

    #[test]
    fn luby_sequence() {
        let got: Vec<u64> = (1..=15).map(luby).collect();
        assert_eq!(got, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}
