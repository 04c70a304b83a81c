//! Tests go to disk on a thread of their own, so that exploring does not wait for a disk.
//!
//! The queue is bounded by what it holds in bytes; the writer takes all of it at once, so that it is woken rarely.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use crate::whole::{Folder, Method};
use crate::{OutputError, Test};

/// Bytes of waiting tests, about; a test that is larger waits alone.
const MOST_WAITING: usize = 16 << 20;

#[derive(Default)]
struct Queue {
    tests: VecDeque<Test>,
    bytes: usize,
    /// The writer sleeps.
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
        queue.bytes += size;
        queue.tests.push_back(test);
        let wake = std::mem::take(&mut queue.idle);
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
    pub(crate) fn start(path: PathBuf, folder: Folder) -> Result<TestWriter, OutputError> {
        let shared = Arc::new(Shared::default());
        let theirs = shared.clone();
        let thread = std::thread::Builder::new()
            .name("tests".into())
            .spawn(move || write_all(&theirs, &path, &folder))
            .map_err(OutputError::Thread)?;
        Ok(TestWriter {
            handle: TestHandle { shared },
            thread: Some(thread),
        })
    }

    /// As [`OutputDirectory::test_writer`](crate::OutputDirectory::test_writer), with a way of writing of the
    /// caller's choice.
    pub fn with_method(path: &Path, method: Method) -> Result<TestWriter, OutputError> {
        let folder = Folder::with_method(path, method).map_err(|source| OutputError::Write {
            path: path.to_path_buf(),
            source,
        })?;
        TestWriter::start(path.to_path_buf(), folder)
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

fn write_all(shared: &Shared, path: &Path, folder: &Folder) {
    let (mut bytes, mut json) = (Vec::new(), String::new());
    loop {
        let mut queue = shared.lock();
        while queue.tests.is_empty() {
            if queue.closed {
                return;
            }
            queue.idle = true;
            queue = shared
                .work
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
        queue.idle = false;
        let tests = std::mem::take(&mut queue.tests);
        queue.bytes = 0;
        drop(queue);
        shared.room.notify_all();
        for test in tests {
            bytes.clear();
            json.clear();
            test.encode_ktest(&mut bytes);
            test.encode_json(&mut json);
            // The JSON comes last: whoever sees it finds the whole test.
            let files = [("ktest", &bytes[..]), ("json", json.as_bytes())];
            for (ending, contents) in files {
                let name = format!("test{:06}.{ending}", test.number);
                if let Err(source) = folder.create(&name, contents) {
                    let mut queue = shared.lock();
                    queue.stopped = true;
                    queue.failed = Some(OutputError::Write {
                        path: path.join(name),
                        source,
                    });
                    queue.tests.clear();
                    drop(queue);
                    shared.room.notify_all();
                    return;
                }
            }
        }
    }
}
