//! Tests go to disk on a thread of their own, so that exploring does not wait for a disk.
//!
//! The queue is bounded by what it holds in bytes. The writer lets tests gather for a while, or until there are many,
//! and writes them in one piece: it is woken rarely, and what was found is on disk soon.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::{OutputError, Test, pack};

/// Bytes of waiting tests, about; a test that is larger waits alone.
const MOST_WAITING: usize = 16 << 20;

/// Tests of so many bytes are written at once,
const WORTH_WRITING: usize = 1 << 20;

/// and others when the first of them has waited for so long.
const LONGEST_WAIT: Duration = Duration::from_millis(100);

#[derive(Default)]
struct Queue {
    tests: VecDeque<Test>,
    bytes: usize,
    /// The writer sleeps until there is a test.
    idle: bool,
    /// Nothing more is coming.
    closed: bool,
    /// Something could not be written: nothing more is taken.
    failed: Option<OutputError>,
    stopped: bool,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    /// For the writer: there is something to do.
    work: Condvar,
    /// For those who bring tests: there is room.
    room: Condvar,
}

impl Shared {
    /// The queue is consistent between any two statements: a thread that died holding it does no harm.
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All tests that have gathered; none if nothing more is coming.
    fn take(&self) -> VecDeque<Test> {
        let mut queue = self.lock();
        while queue.tests.is_empty() && !queue.closed {
            queue.idle = true;
            queue = self
                .work
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
        queue.idle = false;
        let until = Instant::now() + LONGEST_WAIT;
        while queue.bytes < WORTH_WRITING && !queue.closed {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            (queue, _) = self
                .work
                .wait_timeout(queue, left)
                .unwrap_or_else(PoisonError::into_inner);
        }
        let tests = std::mem::take(&mut queue.tests);
        queue.bytes = 0;
        drop(queue);
        self.room.notify_all();
        tests
    }

    /// Nothing more is written.
    fn stop(&self, error: OutputError) {
        let mut queue = self.lock();
        queue.stopped = true;
        queue.failed = Some(error);
        queue.tests.clear();
        drop(queue);
        self.room.notify_all();
    }
}

/// Writes tests; dropping it without [`finish`](TestWriter::finish) waits for what was handed over.
pub struct TestWriter {
    handle: TestHandle,
    thread: Option<JoinHandle<()>>,
}

/// Hands tests over, from any thread.
#[derive(Clone)]
pub struct TestHandle {
    shared: Arc<Shared>,
}

impl TestHandle {
    /// Hands a test over. False: something could not be written, and there is no point in going on; `finish` says
    /// what it was.
    ///
    /// The numbers of tests are the caller's to give, each once.
    #[must_use]
    pub fn write(&self, test: Test) -> bool {
        let size = size(&test);
        let mut queue = self.shared.lock();
        while queue.bytes > 0 && queue.bytes + size > MOST_WAITING && !queue.stopped {
            queue = self
                .shared
                .room
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if queue.stopped {
            return false;
        }
        let before = queue.bytes;
        queue.bytes += size;
        queue.tests.push_back(test);
        let has_gathered = before < WORTH_WRITING && queue.bytes >= WORTH_WRITING;
        let wake = std::mem::take(&mut queue.idle) || has_gathered;
        drop(queue);
        if wake {
            self.shared.work.notify_one();
        }
        true
    }

    /// Whether something could not be written.
    pub fn has_failed(&self) -> bool {
        self.shared.lock().stopped
    }
}

impl TestWriter {
    /// Appends to a file, which is made if it is not there.
    pub(crate) fn start(path: PathBuf) -> Result<TestWriter, OutputError> {
        let file = File::options().append(true).create(true).open(&path);
        let file = file.map_err(|source| OutputError::Write {
            path: path.clone(),
            source,
        })?;
        let shared = Arc::new(Shared::default());
        let theirs = shared.clone();
        let thread = std::thread::Builder::new()
            .name("tests".into())
            .spawn(move || write_all(&theirs, path, file))
            .map_err(OutputError::Thread)?;
        Ok(TestWriter {
            handle: TestHandle { shared },
            thread: Some(thread),
        })
    }

    /// For another thread.
    pub fn handle(&self) -> TestHandle {
        self.handle.clone()
    }

    /// See [`TestHandle::write`].
    #[must_use]
    pub fn write(&self, test: Test) -> bool {
        self.handle.write(test)
    }

    /// See [`TestHandle::has_failed`].
    pub fn has_failed(&self) -> bool {
        self.handle.has_failed()
    }

    /// Waits until everything is written. The first error, if there was one.
    pub fn finish(mut self) -> Result<(), OutputError> {
        self.close();
        match self.handle.shared.lock().failed.take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    fn close(&mut self) {
        let Some(thread) = self.thread.take() else {
            return;
        };
        self.handle.shared.lock().closed = true;
        self.handle.shared.work.notify_one();
        if thread.join().is_err() {
            let mut queue = self.handle.shared.lock();
            queue.stopped = true;
            queue.failed.get_or_insert(OutputError::Died);
        }
    }
}

impl Drop for TestWriter {
    fn drop(&mut self) {
        self.close();
    }
}

/// About what a test costs in memory while it waits.
fn size(test: &Test) -> usize {
    let inputs = test.inputs.iter();
    let inputs: usize = inputs
        .map(|input| input.name.len() + input.bytes.len() + 64)
        .sum();
    let args: usize = test.args.iter().map(|arg| arg.len() + 32).sum();
    512 + inputs + args + test.stdout.len() + test.stderr.len() + 8 * test.decisions.len()
}

fn write_all(shared: &Shared, path: PathBuf, mut file: File) {
    let (mut bytes, mut json) = (Vec::new(), String::new());
    loop {
        let tests = shared.take();
        if tests.is_empty() {
            return;
        }
        for test in tests {
            pack::append(&mut bytes, &mut json, &test);
            // Many small tests are one piece; of large ones there is one in memory at a time.
            if bytes.len() < WORTH_WRITING {
                continue;
            }
            if !flush(&mut file, &mut bytes, shared, &path) {
                return;
            }
        }
        if !flush(&mut file, &mut bytes, shared, &path) {
            return;
        }
    }
}

/// Whether it could be written. What was written of it stays: a reader takes whole tests only.
fn flush(file: &mut File, bytes: &mut Vec<u8>, shared: &Shared, path: &std::path::Path) -> bool {
    let written = file.write_all(bytes);
    bytes.clear();
    match written {
        Ok(()) => true,
        Err(source) => {
            let path = path.to_path_buf();
            shared.stop(OutputError::Write { path, source });
            false
        }
    }
}
