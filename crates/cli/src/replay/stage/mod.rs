//! A stage: a process of its own in which native programs are run, one after the other, each in the world of its test.
//!
//! To make namespaces and mounts takes many times as long as a short program does. So a worker of a replay has one stage
//! (`refrain stage`, which no user calls), which makes them once: `confine` the namespaces, `scenery` the files. For each
//! test it places the test's files, starts the program (`process`), answers what the machine's kernel would (`kernel`),
//! and puts everything back as it was.

mod confine;
mod kernel;
mod message;
mod process;
mod scenery;
mod serve;
mod vary;

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use refrain_compile::Scratch;

use message::{receive, send};
pub use process::{Ended, Process};
pub use serve::{Arguments, run};
pub use vary::{VARIATIONS, Variation, explain};

/// What a stage shows.
#[derive(Clone)]
pub struct Set {
    /// The stage's own folder on the host.
    pub folder: PathBuf,
    /// Programs see the folder, and may write there.
    pub is_shared: bool,
    /// Where programs are.
    pub start: PathBuf,
    /// What they find there in place of what the host has; an empty path stands for an empty directory.
    pub below: Option<PathBuf>,
    /// What of the host they do not see.
    pub hidden: Vec<PathBuf>,
    /// Programs can do no harm. If not they run in the world as it is.
    pub confined: bool,
}

/// A program, as a test wants it run.
pub struct Play<'a> {
    pub program: &'a Path,
    pub start: &'a Path,
    /// The program's own name first.
    pub args: &'a [Vec<u8>],
    /// `NAME=value`
    pub environment: &'a [Vec<u8>],
    pub stdin: &'a [u8],
    /// Names, below where it starts, and contents.
    pub files: &'a [(Vec<u8>, Vec<u8>)],
    pub limit: Duration,
    /// File systems tell it other numbers and another order than they have.
    pub variation: Variation,
}

/// Why programs cannot be confined here; none if they can.
pub fn obstacle() -> Option<io::Error> {
    let folder = match Scratch::new() {
        Ok(folder) => folder,
        Err(error) => return Some(error),
    };
    let set = Set {
        folder: folder.path().to_path_buf(),
        is_shared: false,
        start: PathBuf::from("/home"),
        below: Some(PathBuf::new()),
        hidden: Vec::new(),
        confined: true,
    };
    let stage = match Stage::open(&set) {
        Ok(stage) => stage,
        Err(error) => return Some(error),
    };
    let play = Play {
        program: Path::new("/proc/self/exe"),
        start: Path::new("/"),
        args: &[b"refrain".to_vec(), b"--version".to_vec()],
        environment: &[],
        stdin: &[],
        files: &[],
        limit: Duration::from_secs(10),
        variation: 0,
    };
    stage.run(&play).err()
}

fn flag(is_on: bool) -> &'static [u8] {
    if is_on { b"1" } else { b"0" }
}

pub struct Stage {
    stream: UnixStream,
    server: Child,
}

impl Stage {
    pub fn open(set: &Set) -> io::Result<Stage> {
        let (stream, other) = UnixStream::pair()?;
        let server = Command::new("/proc/self/exe")
            .args(["stage", "--config", "none"])
            .stdin(Stdio::from(OwnedFd::from(other)))
            .stdout(Stdio::null())
            .spawn()?;
        let stage = Stage { stream, server };
        let count = set.hidden.len().to_string();
        let mut parts = vec![
            set.folder.as_os_str().as_bytes(),
            flag(set.is_shared),
            set.start.as_os_str().as_bytes(),
            flag(set.below.is_some()),
            set.below
                .as_ref()
                .map_or(b"", |below| below.as_os_str().as_bytes()),
            flag(set.confined),
            count.as_bytes(),
        ];
        parts.extend(set.hidden.iter().map(|path| path.as_os_str().as_bytes()));
        send(&stage.stream, &parts)?;
        stage.answer()?;
        Ok(stage)
    }

    /// What the stage has to say: an error, or more.
    fn answer(&self) -> io::Result<message::Parts> {
        let gone = || io::Error::other("the process that runs tests is gone");
        let mut answer = receive(&self.stream)?.ok_or_else(gone)?;
        let error = answer.next()?;
        if error.is_empty() {
            return Ok(answer);
        }
        Err(io::Error::other(
            String::from_utf8_lossy(error).into_owned(),
        ))
    }

    pub fn run(&self, play: &Play) -> io::Result<Process> {
        let counts = [play.args, play.environment].map(|list| list.len().to_string());
        let files = play.files.len().to_string();
        let limit = play.limit.as_millis().to_string();
        let variation = play.variation.to_string();
        let mut parts = vec![
            play.program.as_os_str().as_bytes(),
            play.start.as_os_str().as_bytes(),
            play.stdin,
            limit.as_bytes(),
            variation.as_bytes(),
        ];
        for (count, list) in counts.iter().zip([play.args, play.environment]) {
            parts.push(count.as_bytes());
            parts.extend(list.iter().map(Vec::as_slice));
        }
        parts.push(files.as_bytes());
        parts.extend(play.files.iter().map(|(name, _)| name.as_slice()));
        parts.push(files.as_bytes());
        parts.extend(play.files.iter().map(|(_, contents)| contents.as_slice()));
        send(&self.stream, &parts)?;
        let mut answer = self.answer()?;
        let (kind, number) = (answer.next()?.to_vec(), answer.next_number()? as i32);
        Ok(Process {
            ended: match &kind[..] {
                b"exit" => Ended::Exit(number),
                b"signal" => Ended::Signal(number),
                _ => Ended::TimedOut,
            },
            stdout: answer.next()?.to_vec(),
            stderr: answer.next()?.to_vec(),
        })
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // It ends when nobody speaks to it any more.
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
        let _ = self.server.wait();
    }
}
