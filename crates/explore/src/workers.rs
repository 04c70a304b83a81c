//! Several workers: each has its own machine, terms and solver, in its own thread; work items move between them.

use std::thread;

use refrain_machine::Machine;
use refrain_solver::Solver;

use crate::error::ExploreError;
use crate::explorer::Explorer;
use crate::hub::Hub;
use crate::listener::Listener;
use crate::options::Options;
use crate::stats::Stats;
use crate::stop::StopReason;

/// What a worker needs. It is made in the worker's own thread.
pub trait Kit {
    type Machine: Machine;
    type Listener: Listener<Self::Machine>;

    /// The parts that a worker uses at the same time.
    fn parts(&mut self) -> Parts<'_, Self::Machine, Self::Listener>;
}

pub struct Parts<'a, M: Machine, L> {
    pub machine: &'a mut M,
    pub make_solver: &'a dyn Fn() -> Box<dyn Solver>,
    pub listener: &'a mut L,
}

/// What came of it.
#[derive(Debug)]
pub struct Outcome {
    pub reason: StopReason,
    pub stats: Stats,
}

/// A worker that panics does not let the others wait for it.
struct Alarm<'a>(&'a Hub);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop(StopReason::Interrupted);
        }
    }
}

/// Explores with one worker.
pub fn explore_alone<K: Kit>(options: &Options, kit: K) -> Result<Outcome, ExploreError> {
    let outcome = work(&Hub::new(1), options, 0, kit)?;
    seal(options)?;
    Ok(outcome)
}

/// All workers have recorded what they found out.
fn seal(options: &Options) -> Result<(), ExploreError> {
    options.memo.as_ref().map_or(Ok(()), |memo| memo.seal())?;
    Ok(())
}

/// One worker's work.
fn work<K: Kit>(
    hub: &Hub,
    options: &Options,
    number: usize,
    mut kit: K,
) -> Result<Outcome, ExploreError> {
    let Parts {
        machine,
        make_solver,
        listener,
    } = kit.parts();
    let mut explorer = Explorer::new(machine, make_solver, listener, options, hub)?;
    let result = explorer.explore(number == 0);
    if result.is_err() {
        hub.stop(StopReason::Interrupted);
    }
    if number == 0 {
        for work in hub.left() {
            let reason = hub.stopped().unwrap_or(StopReason::Done);
            explorer.leave_work(&work, &reason.cause());
        }
    }
    explorer.finish_recording()?;
    Ok(Outcome {
        reason: result?,
        stats: explorer.stats().clone(),
    })
}

/// Explores with so many workers, each in a thread of its own. The first error of one of them ends it.
pub fn explore<K: Kit>(
    jobs: usize,
    options: &Options,
    kit: impl Fn(usize) -> Result<K, ExploreError> + Sync,
) -> Result<Outcome, ExploreError> {
    let hub = Hub::new(jobs);
    let work = |number: usize| -> Result<Outcome, ExploreError> {
        let _alarm = Alarm(&hub);
        let kit = kit(number).inspect_err(|_| hub.stop(StopReason::Interrupted))?;
        work(&hub, options, number, kit)
    };
    let results: Vec<Result<Outcome, ExploreError>> = thread::scope(|scope| {
        let work = &work;
        let workers: Vec<_> = (0..jobs)
            .map(|number| {
                thread::Builder::new()
                    .stack_size(16 << 20)
                    .spawn_scoped(scope, move || work(number))
            })
            .collect();
        let join = |worker: std::io::Result<thread::ScopedJoinHandle<'_, _>>| match worker {
            Ok(worker) => worker
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => Err(ExploreError::Spawn(error)),
        };
        workers.into_iter().map(join).collect()
    });
    let mut all = Outcome {
        reason: StopReason::Done,
        stats: Stats::default(),
    };
    for result in results {
        let outcome = result?;
        all.stats.add(&outcome.stats);
        if all.reason == StopReason::Done {
            all.reason = outcome.reason;
        }
    }
    seal(options)?;
    Ok(all)
}
