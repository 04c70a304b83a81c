//! A test in the native program: a process of its own, with a time limit, in a fresh directory.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use refrain_llvm::native::trace::KEPT_BLOCKS;
use refrain_machine::Surroundings;
use refrain_results::Test;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

use super::confine::confine;
use crate::host_files::{HostFiles, remove_tree};

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Exit(i32),
    Signal(i32),
    TimedOut,
}

/// What the replay runtime has to say, beyond what the program does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    Nothing,
    /// The test contradicts an assumption, or has other inputs than the program.
    Contradiction(String),
    /// The program does what only the machine can.
    Impossible(String),
    /// The test could not be read.
    Broken(String),
}

/// What a run did.
pub struct Ran {
    pub ended: Ended,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub word: Word,
    /// How many blocks it ran, their hash, and their hash when there were as many as was asked for.
    pub blocks: u64,
    pub hash: u64,
    pub hash_at: u64,
    /// How many different blocks there are.
    pub different: u64,
    /// Where the program's `__sanitizer_cov_trace_pc_guard` is.
    pub anchor: u64,
}

/// What a process did.
pub struct Process {
    pub ended: Ended,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// The report's layout is that of `runtime/replay.c`.
const MESSAGE: usize = 64;
const BLOCKS: usize = 1024;
const DIFFERENT: usize = BLOCKS + 4 * KEPT_BLOCKS;
const KEPT_DIFFERENT: usize = 1 << 16;

/// A place for one process at a time. Making files is what a short run costs most: what can be used again is.
pub struct Bench {
    folder: tempfile::TempDir,
    /// What processes find where they run, and the results of the run that says what that is.
    files: HostFiles,
    results: PathBuf,
    confined: bool,
}

impl Bench {
    pub fn new(
        base: &Path,
        files: HostFiles,
        results: PathBuf,
        confined: bool,
    ) -> io::Result<Bench> {
        let bench = Bench {
            folder: tempfile::tempdir_in(base)?,
            files,
            results,
            confined,
        };
        let size = DIFFERENT + 16 * KEPT_DIFFERENT;
        File::create(bench.report())?.set_len(size as u64)?;
        fs::create_dir(bench.place())?;
        Ok(bench)
    }

    /// Where a process runs: in it is what the run saw, and nothing else.
    fn place(&self) -> std::path::PathBuf {
        self.folder.path().join("place")
    }

    /// Makes it so. Where in it the process is to be.
    fn tidy(&self) -> io::Result<PathBuf> {
        let place = self.place();
        let is_empty = fs::read_dir(&place).is_ok_and(|mut entries| entries.next().is_none());
        if !is_empty {
            // The program may have removed it.
            remove_tree(&place);
            fs::create_dir(&place)?;
        }
        self.files.furnish(&self.results, &place)
    }

    fn report(&self) -> std::path::PathBuf {
        self.folder.path().join("report")
    }

    /// Where the process finds its inputs.
    fn inputs(&self) -> std::path::PathBuf {
        self.folder.path().join("test.ktest")
    }

    /// Runs a program on a test, in its world. Of the blocks that it runs, the first `blocks` are hashed apart.
    pub fn run(
        &self,
        program: &Path,
        test: &Test,
        surroundings: &Surroundings,
        blocks: u64,
        settings: &[(&str, &str)],
        limit: Duration,
    ) -> io::Result<Ran> {
        let report = self.report();
        let mut header = [0; BLOCKS];
        header[24..32].copy_from_slice(&blocks.to_le_bytes());
        let file = File::options().write(true).open(&report)?;
        std::os::unix::fs::FileExt::write_all_at(&file, &header, 0)?;
        drop(file);
        fs::write(self.inputs(), test.objects_to_ktest())?;
        let inputs = self.inputs();
        let own = [
            (OsStr::new("REFRAIN_REPLAY_TEST"), inputs.as_os_str()),
            (OsStr::new("REFRAIN_REPLAY_REPORT"), report.as_os_str()),
        ];
        let settings = settings.iter();
        let settings = settings.map(|(name, value)| (OsStr::new(*name), OsStr::new(*value)));
        let settings: Vec<(&OsStr, &OsStr)> = own.into_iter().chain(settings).collect();
        let Process {
            ended,
            stdout,
            stderr,
        } = self.run_in(program, surroundings, &settings, limit)?;
        let header = self.header()?;
        let number = |at: usize| {
            let bytes = header[at..at + 8].try_into().unwrap_or_default();
            u64::from_le_bytes(bytes)
        };
        let message = header[MESSAGE..].split(|&byte| byte == 0).next();
        let message = String::from_utf8_lossy(message.unwrap_or_default()).into_owned();
        Ok(Ran {
            ended,
            stdout,
            stderr,
            word: match number(0) {
                0 => Word::Nothing,
                1..=3 => Word::Contradiction(message),
                4 => Word::Impossible(message),
                _ => Word::Broken(message),
            },
            blocks: number(8),
            hash: number(16),
            hash_at: number(32),
            different: number(56),
            anchor: number(48),
        })
    }

    /// Runs a program in a world, with more variables in its environment.
    pub fn run_in(
        &self,
        program: &Path,
        surroundings: &Surroundings,
        settings: &[(&OsStr, &OsStr)],
        limit: Duration,
    ) -> io::Result<Process> {
        let start = self.tidy()?;
        for (name, contents) in &surroundings.files {
            let path = start.join(OsStr::from_bytes(name));
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(path, contents)?;
        }
        let mut command = Command::new(program);
        if let Some((name, rest)) = surroundings.args.split_first() {
            command.arg0(OsStr::from_bytes(name));
            command.args(rest.iter().map(|arg| OsStr::from_bytes(arg)));
        }
        let variables = surroundings.environment.iter().map(|variable| {
            let at = variable.iter().position(|&byte| byte == b'=');
            let (name, value) = variable.split_at(at.unwrap_or(variable.len()));
            let value = value.get(1..).unwrap_or_default();
            (OsStr::from_bytes(name), OsStr::from_bytes(value))
        });
        if self.confined {
            confine(&mut command, self.folder.path(), &start)?;
        }
        // The program was explored with no other environment.
        let mut child = command
            .env_clear()
            .envs(variables)
            .envs(settings.iter().copied())
            .current_dir(&start)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        std::thread::scope(|scope| {
            // A program that does not read all of it is none the worse.
            scope.spawn(|| stdin.map(|mut stdin| stdin.write_all(&surroundings.stdin)));
            let stdout = scope.spawn(|| collect(stdout));
            let stderr = scope.spawn(|| collect(stderr));
            let ended = wait(&mut child, limit);
            let (stdout, stderr) = (stdout.join(), stderr.join());
            Ok(Process {
                ended: ended?,
                stdout: stdout.unwrap_or_default(),
                stderr: stderr.unwrap_or_default(),
            })
        })
    }

    fn header(&self) -> io::Result<[u8; BLOCKS]> {
        let mut header = [0; BLOCKS];
        File::open(self.report())?.read_exact(&mut header)?;
        Ok(header)
    }

    /// The numbers of the first blocks of the last run.
    pub fn first_blocks(&self, count: u64) -> io::Result<Vec<u32>> {
        let count = count.min(KEPT_BLOCKS as u64) as usize;
        let bytes = self.part(BLOCKS, 4 * count)?;
        let words = bytes.chunks_exact(4);
        let number = |word: &[u8]| u32::from_le_bytes(word.try_into().unwrap_or_default());
        Ok(words.map(number).collect())
    }

    /// For the first different blocks of the last run: the address of the guard, and one in the code.
    pub fn different_blocks(&self, count: u64) -> io::Result<Vec<(u64, u64)>> {
        let count = count.min(KEPT_DIFFERENT as u64) as usize;
        let bytes = self.part(DIFFERENT, 16 * count)?;
        let number = |word: &[u8]| u64::from_le_bytes(word.try_into().unwrap_or_default());
        let pairs = bytes.chunks_exact(16);
        Ok(pairs
            .map(|pair| (number(&pair[..8]), number(&pair[8..])))
            .collect())
    }

    fn part(&self, at: usize, len: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; len];
        let file = File::open(self.report())?;
        std::os::unix::fs::FileExt::read_exact_at(&file, &mut bytes, at as u64)?;
        Ok(bytes)
    }
}

/// All that a process writes, up to what nobody would compare.
fn collect(pipe: Option<impl Read>) -> Vec<u8> {
    const MOST: usize = 64 << 20;
    let mut all = Vec::new();
    let Some(mut pipe) = pipe else { return all };
    let mut buffer = vec![0; 1 << 16];
    loop {
        match pipe.read(&mut buffer) {
            Ok(0) => return all,
            Ok(len) if all.len() < MOST => all.extend_from_slice(&buffer[..len]),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return all,
        }
    }
}

/// Waits for a process until its time is up; then it is killed, and with it all that it started.
fn wait(child: &mut Child, limit: Duration) -> io::Result<Ended> {
    let deadline = Instant::now() + limit;
    let pid = Pid::from_child(child);
    let handle = pidfd_open(pid, PidfdFlags::empty())?;
    let is_over = loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break false;
        }
        let time = left.try_into().ok();
        match poll(&mut [PollFd::new(&handle, PollFlags::IN)], time.as_ref()) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => break true,
            Err(error) => return Err(error.into()),
        }
    };
    // The process has not been waited for: its number, and its group's, is still its own.
    let _ = kill_process_group(pid, Signal::KILL);
    let status = child.wait()?;
    Ok(match (is_over, status.code(), status.signal()) {
        (false, ..) => Ended::TimedOut,
        (true, Some(status), _) => Ended::Exit(status),
        (true, None, signal) => Ended::Signal(signal.unwrap_or(0)),
    })
}
