//! What a session is told from outside, and how it is stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How a session behaves, beside what its script sets.
#[derive(Clone, Debug)]
pub struct Config {
    /// The longest that one check may take.
    pub max_time: Option<Duration>,
    /// Evaluate every model on all assertions before `sat` is answered.
    pub check_models: bool,
    /// Compare answers with `(set-info :status …)`.
    pub check_status: bool,
    /// Collect this many partial solutions a check.
    pub partial_solutions: Option<usize>,
    pub interrupt: Interrupt,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            max_time: None,
            check_models: cfg!(debug_assertions),
            check_status: true,
            partial_solutions: None,
            interrupt: Interrupt::default(),
        }
    }
}

/// Stops a check from another thread or a signal handler.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    stop: Arc<AtomicBool>,
    checking: Arc<AtomicBool>,
    /// No check is to be made any more.
    ended: Arc<AtomicBool>,
}

impl Interrupt {
    /// Stops the check under way; false if there is none.
    pub fn interrupt(&self) -> bool {
        let checking = self.checking.load(Ordering::SeqCst);
        if checking {
            self.stop.store(true, Ordering::SeqCst);
        }
        checking
    }

    /// Stops the check under way and all that follow, and waits until none is: then no solver is at work any more,
    /// and the process may end. False if that took longer than `patience`.
    pub fn end(&self, patience: Duration) -> bool {
        self.ended.store(true, Ordering::SeqCst);
        let started = Instant::now();
        while self.interrupt() {
            if started.elapsed() > patience {
                return false;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        true
    }

    /// Runs a check that may be stopped.
    pub(crate) fn during<T>(&self, check: impl FnOnce(Arc<AtomicBool>) -> T) -> T {
        self.stop
            .store(self.ended.load(Ordering::SeqCst), Ordering::SeqCst);
        self.checking.store(true, Ordering::SeqCst);
        let result = check(self.stop.clone());
        self.checking.store(false, Ordering::SeqCst);
        result
    }
}
