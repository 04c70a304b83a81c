//! A run that adds to a tree: one log for each of its workers.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};

use crate::MemoError;
use crate::edge::NodeId;
use crate::log::{Head, LogFile, path_of};
use crate::seal::{self, LogEnd};
use crate::writer::LogWriter;

/// Which log each node of a tree was read from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origins(pub Vec<Origin>);

#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub log: u32,
    /// The first of its nodes in the tree.
    pub first: u32,
}

impl Origins {
    /// A node by the log that has it.
    pub fn of(&self, node: NodeId) -> NodeId {
        if node.log > 0 {
            return node;
        }
        let after = self.0.partition_point(|origin| origin.first <= node.index);
        let origin = self.0[after - 1];
        NodeId {
            log: origin.log,
            index: node.index - origin.first,
        }
    }
}

/// Nobody else adds to a tree, or rewrites it, as long as this lives.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

/// At once, also where a child that was just forked still has the file.
impl Drop for Lock {
    fn drop(&mut self) {
        let _ = flock(&self.file, FlockOperation::Unlock);
    }
}

impl Lock {
    pub fn new(directory: &Path) -> Result<Lock, MemoError> {
        let path = directory.join("lock");
        let file = File::options().create(true).append(true).open(&path);
        let file = file.map_err(MemoError::io(&path))?;
        let until = Instant::now() + PATIENCE;
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Lock { file }),
                Err(rustix::io::Errno::WOULDBLOCK) if Instant::now() < until => {
                    std::thread::sleep(PATIENCE / 20);
                }
                Err(rustix::io::Errno::WOULDBLOCK) => {
                    return Err(MemoError::InUse {
                        path: directory.to_path_buf(),
                    });
                }
                Err(error) => return Err(MemoError::io(&path)(error.into())),
            }
        }
    }
}

/// A run that is just ending is waited for.
const PATIENCE: Duration = Duration::from_millis(200);

/// A run; its workers may share it.
#[derive(Debug)]
pub struct Recording {
    directory: PathBuf,
    run: u32,
    /// The number of the next log.
    next: Mutex<u32>,
    header: u64,
    origins: Arc<Origins>,
    /// How the logs end that are whole.
    ends: Arc<Mutex<Vec<LogEnd>>>,
    _lock: Lock,
}

impl Recording {
    pub(crate) fn new(
        directory: PathBuf,
        lock: Lock,
        header: u64,
        run: u32,
        next: u32,
        origins: Origins,
        ends: Vec<LogEnd>,
    ) -> Recording {
        Recording {
            directory,
            run,
            next: Mutex::new(next),
            header,
            origins: Arc::new(origins),
            ends: Arc::new(Mutex::new(ends)),
            _lock: lock,
        }
    }

    /// A new log.
    pub fn writer(&self) -> Result<LogWriter, MemoError> {
        // Only when there is a log is there one with the next number.
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let path = path_of(&self.directory, *next);
        let writer = self.writer_at(path, *next, false)?;
        *next += 1;
        Ok(writer)
    }

    /// A log that is to be the whole tree, in a file that has another name until it is; and its number.
    pub(crate) fn whole_writer(&self, path: PathBuf) -> Result<(LogWriter, u32), MemoError> {
        let number = *self.next.lock().unwrap_or_else(PoisonError::into_inner);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(MemoError::io(&path)(error))
            }
            _ => Ok((self.writer_at(path, number, true)?, number)),
        }
    }

    fn writer_at(
        &self,
        path: PathBuf,
        number: u32,
        is_whole: bool,
    ) -> Result<LogWriter, MemoError> {
        let head = Head {
            number,
            run: self.run,
            is_whole,
            header: self.header,
        };
        let file = LogFile::create(&path, &head).map_err(MemoError::io(&path))?;
        let (origins, ends) = (self.origins.clone(), self.ends.clone());
        Ok(LogWriter::new(path, file, number, origins, ends))
    }

    /// Says that the run has recorded everything: all its logs are finished.
    pub fn seal(&self) -> Result<(), MemoError> {
        let mut ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        ends.sort_unstable_by_key(|end| end.number);
        let next = *self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let first = ends.first().map_or(1, |end| end.number);
        if !ends.iter().map(|end| end.number).eq(first..next) {
            return Err(MemoError::Unsealed {
                path: self.directory.clone(),
            });
        }
        seal::write(&self.directory, self.header, &ends)
    }
}
