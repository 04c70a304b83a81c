//! Where workers meet: work items for those that have none, and limits that count for all of them.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use refrain_integers::Settled;

use crate::frontier::WorkItem;
use crate::stop::StopReason;

pub struct Hub {
    started: Instant,
    table: Mutex<Table>,
    changed: Condvar,
    /// A worker waits for work.
    is_hungry: AtomicBool,
    /// The table says so too.
    is_stopped: AtomicBool,
    paths: AtomicU64,
    forks: AtomicU64,
    /// Over the integers: what all workers know of the inputs.
    settled: Settled,
}

struct Table {
    work: Vec<WorkItem>,
    /// Workers that have something to do, or may get it.
    busy: usize,
    waiting: usize,
    stopped: Option<StopReason>,
}

impl Hub {
    pub fn new(workers: usize) -> Hub {
        Hub {
            started: Instant::now(),
            table: Mutex::new(Table {
                work: Vec::new(),
                busy: workers,
                waiting: 0,
                stopped: None,
            }),
            changed: Condvar::new(),
            is_hungry: AtomicBool::new(false),
            is_stopped: AtomicBool::new(false),
            paths: AtomicU64::new(0),
            forks: AtomicU64::new(0),
            settled: Settled::default(),
        }
    }

    pub fn started(&self) -> Instant {
        self.started
    }

    pub fn settled(&self) -> &Settled {
        &self.settled
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a path that has ended; how many have.
    pub fn count_path(&self) -> u64 {
        self.paths.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub fn count_forks(&self, forks: u64) {
        self.forks.fetch_add(forks, Ordering::Relaxed);
    }

    pub fn forks(&self) -> u64 {
        self.forks.load(Ordering::Relaxed)
    }

    pub fn is_hungry(&self) -> bool {
        self.is_hungry.load(Ordering::Relaxed)
    }

    /// All workers are to stop.
    pub fn stop(&self, reason: StopReason) {
        let mut table = self.table();
        table.stopped.get_or_insert(reason);
        self.is_stopped.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    pub fn stopped(&self) -> Option<StopReason> {
        // All workers look all the time: not worth a lock.
        if !self.is_stopped.load(Ordering::Relaxed) {
            return None;
        }
        self.table().stopped
    }

    /// A worker goes for good.
    pub fn leave(&self) {
        let mut table = self.table();
        table.busy -= 1;
        self.changed.notify_all();
    }

    /// Gives work to workers that wait. Once all are to stop none does: then it comes back.
    pub fn give(&self, work: Vec<WorkItem>) -> Result<(), Vec<WorkItem>> {
        let mut table = self.table();
        if table.stopped.is_some() {
            return Err(work);
        }
        table.work.extend(work);
        let wanted = table.waiting > table.work.len();
        self.is_hungry.store(wanted, Ordering::Relaxed);
        self.changed.notify_all();
        Ok(())
    }

    /// Waits for something to do. None: there is nothing any more.
    pub fn wait_for_work(&self) -> Option<WorkItem> {
        let mut table = self.table();
        table.busy -= 1;
        table.waiting += 1;
        loop {
            if table.stopped.is_some() || (table.busy == 0 && table.work.is_empty()) {
                table.waiting -= 1;
                self.changed.notify_all();
                return None;
            }
            if let Some(work) = table.work.pop() {
                table.busy += 1;
                table.waiting -= 1;
                let wanted = table.waiting > table.work.len();
                self.is_hungry.store(wanted, Ordering::Relaxed);
                return Some(work);
            }
            self.is_hungry.store(true, Ordering::Relaxed);
            table = self
                .changed
                .wait(table)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// What no worker took before all stopped.
    pub fn left(&self) -> Vec<WorkItem> {
        std::mem::take(&mut self.table().work)
    }
}
