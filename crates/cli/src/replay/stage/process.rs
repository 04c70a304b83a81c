//! One program at a time, started and watched until it ends or its time is up.

use std::collections::BTreeMap;
use std::ffi::{CString, c_char};
use std::io::{self, Read};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::null_mut;
use std::time::{Duration, Instant};

use libc::{c_int, pid_t, user_regs_struct};
use refrain_llvm::native::kernel::PROCESS;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::OFlags;
use rustix::pipe::{PipeFlags, pipe_with};

use super::confine::{checked, filter_calls, fork};
use super::kernel::{Kernel, hide_shared_time, registers_of};
use super::vary::{self, Variation};

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Exit(i32),
    Signal(i32),
    TimedOut,
}

/// What a process did.
pub struct Process {
    pub ended: Ended,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// A program to run. With a root it is confined to it.
pub struct Script<'a> {
    pub root: Option<&'a Path>,
    pub program: &'a Path,
    pub start: &'a Path,
    pub args: &'a [Vec<u8>],
    pub environment: &'a [Vec<u8>],
    pub stdin: &'a [u8],
    pub limit: Duration,
    /// What file systems say is varied.
    pub variation: Variation,
}

/// All that a new process needs to know, made before it is forked.
struct Start {
    root: Option<CString>,
    program: CString,
    directory: CString,
    args: Vec<CString>,
    environment: Vec<CString>,
    is_varied: bool,
}

/// Children, and the word that one of them has changed.
pub struct Children {
    changes: OwnedFd,
}

/// What the parent has of a program's streams.
struct Streams {
    stdin: Option<OwnedFd>,
    /// Of its standard output and standard error.
    outputs: [Option<OwnedFd>; 2],
    collected: [Vec<u8>; 2],
    /// How much of the input was taken.
    given: usize,
}

/// A pipe: where it is read, and where it is written.
fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(pipe_with(PipeFlags::CLOEXEC)?)
}

fn text(bytes: &[u8]) -> io::Result<CString> {
    Ok(CString::new(bytes)?)
}

impl Children {
    pub fn new() -> io::Result<Children> {
        // SAFETY: a set is filled in before it is used, and the descriptor is new.
        let changes = unsafe {
            let mut set = std::mem::zeroed();
            libc::sigemptyset(&raw mut set);
            libc::sigaddset(&raw mut set, libc::SIGCHLD);
            checked(libc::sigprocmask(
                libc::SIG_BLOCK,
                &raw const set,
                null_mut(),
            ))?;
            let flags = libc::SFD_CLOEXEC | libc::SFD_NONBLOCK;
            OwnedFd::from_raw_fd(checked(libc::signalfd(-1, &raw const set, flags))?)
        };
        // SAFETY: these touch no memory.
        unsafe {
            // The machine's.
            libc::umask(0o022);
            // What has lost its parent is ours to wait for: its number, or that of its group, is free only then.
            checked(libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))?;
        }
        Ok(Children { changes })
    }

    /// Runs a program to its end, and ends all that it has started. Nobody may want to know any more.
    pub fn run(&self, script: &Script, caller: BorrowedFd) -> io::Result<Process> {
        let start = Start::of(script)?;
        let (stdin, output, error, fate) = (pipe()?, pipe()?, pipe()?, pipe()?);
        let streams = [&stdin.0, &output.1, &error.1].map(AsRawFd::as_raw_fd);
        let number = script.root.map(|_| PROCESS);
        let Some(child) = fork(number)? else {
            start.become_program(streams, fate.1.as_raw_fd());
        };
        drop((stdin.0, output.1, error.1, fate.1));
        for end in [&stdin.1, &output.0, &error.0] {
            let flags = rustix::fs::fcntl_getfl(end)?;
            rustix::fs::fcntl_setfl(end, flags | OFlags::NONBLOCK)?;
        }
        let mut streams = Streams {
            stdin: Some(stdin.1).filter(|_| !script.stdin.is_empty()),
            outputs: [Some(output.0), Some(error.0)],
            collected: [Vec::new(), Vec::new()],
            given: 0,
        };
        let mut watched = Watched {
            child,
            is_confined: script.root.is_some(),
            known: Vec::new(),
            kernel: Kernel::default(),
            variation: script.variation,
            varied: BTreeMap::new(),
        };
        let watch = self.watch(&mut watched, &mut streams, script, caller);
        let is_over = matches!(watch, Ok(Ended::Exit(_) | Ended::Signal(_)));
        watched.end_all(is_over);
        let ended = watch?;
        streams.drain();
        let mut failure = Vec::new();
        std::fs::File::from(fate.0).read_to_end(&mut failure)?;
        if let Ok(error) = failure.try_into() {
            return Err(io::Error::from_raw_os_error(i32::from_le_bytes(error)));
        }
        let [stdout, stderr] = streams.collected;
        Ok(Process {
            ended,
            stdout,
            stderr,
        })
    }

    fn watch(
        &self,
        watched: &mut Watched,
        streams: &mut Streams,
        script: &Script,
        caller: BorrowedFd,
    ) -> io::Result<Ended> {
        let deadline = Instant::now() + script.limit;
        loop {
            if let Some(ended) = watched.see_changes()? {
                return Ok(ended);
            }
            if watched.kernel.is_dormant {
                return Ok(Ended::TimedOut);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(Ended::TimedOut);
            }
            let is_asked = self.wait(streams, left, caller)?;
            if is_asked {
                return Err(io::Error::other("nobody wants to know any more"));
            }
            streams.attend(script.stdin);
        }
    }

    /// Waits until something happens. Whether that is on the side of the caller, which has nothing to say now.
    fn wait(&self, streams: &Streams, left: Duration, caller: BorrowedFd) -> io::Result<bool> {
        let mut ends = vec![
            PollFd::new(&self.changes, PollFlags::IN),
            PollFd::from_borrowed_fd(caller, PollFlags::IN),
        ];
        let inputs = streams.stdin.iter();
        ends.extend(inputs.map(|end| PollFd::new(end, PollFlags::OUT)));
        let outputs = streams.outputs.iter().flatten();
        ends.extend(outputs.map(|end| PollFd::new(end, PollFlags::IN)));
        match poll(&mut ends, left.try_into().ok().as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if !ends[0].revents().is_empty() {
            let mut room = [0; 1024];
            let _ = rustix::io::read(&self.changes, &mut room);
        }
        Ok(!ends[1].revents().is_empty())
    }
}

impl Start {
    fn of(script: &Script) -> io::Result<Start> {
        let path = |path: &Path| text(path.as_os_str().as_bytes());
        let list = |list: &[Vec<u8>]| -> io::Result<Vec<CString>> {
            list.iter().map(|bytes| text(bytes)).collect()
        };
        Ok(Start {
            root: script.root.map(path).transpose()?,
            program: path(script.program)?,
            directory: path(script.start)?,
            args: list(script.args)?,
            environment: list(script.environment)?,
            is_varied: script.variation != 0,
        })
    }

    /// What a new process does until it is the program. Why it could not is said at `fate`.
    fn become_program(&self, streams: [RawFd; 3], fate: RawFd) -> ! {
        let Err(error) = self.enter(streams);
        let number = error.raw_os_error().unwrap_or(libc::EIO).to_le_bytes();
        // SAFETY: these are that many bytes, and the process ends without a look back.
        unsafe {
            libc::write(fate, number.as_ptr().cast(), number.len());
            libc::_exit(127)
        }
    }

    fn enter(&self, streams: [RawFd; 3]) -> io::Result<std::convert::Infallible> {
        let list = |texts: &[CString]| -> Vec<*const c_char> {
            let ends = [std::ptr::null()];
            texts.iter().map(|text| text.as_ptr()).chain(ends).collect()
        };
        let (args, environment) = (list(&self.args), list(&self.environment));
        // SAFETY: all of these are strings, lists of strings that end with null, or numbers. The process has no other
        // threads.
        unsafe {
            // A group and a session of its own.
            checked(libc::setsid())?;
            // Nothing of ours is below three: dup2 overwrites nothing that is still needed.
            for (to, from) in streams.iter().enumerate() {
                checked(libc::dup2(*from, to as c_int))?;
            }
            let mut none = std::mem::zeroed();
            libc::sigemptyset(&raw mut none);
            checked(libc::sigprocmask(
                libc::SIG_SETMASK,
                &raw const none,
                null_mut(),
            ))?;
            // What Rust's runtime has set.
            libc::signal(libc::SIGPIPE, libc::SIG_DFL);
            if let Some(root) = &self.root {
                checked(libc::chroot(root.as_ptr()))?;
            }
            checked(libc::chdir(self.directory.as_ptr()))?;
            if self.root.is_some() {
                checked(libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) as c_int)?;
                filter_calls(self.is_varied)?;
            }
            libc::execve(self.program.as_ptr(), args.as_ptr(), environment.as_ptr());
        }
        Err(io::Error::last_os_error())
    }
}

impl Streams {
    /// Reads what there is and writes what can be.
    fn attend(&mut self, input: &[u8]) {
        if let Some(stdin) = &self.stdin {
            match rustix::io::write(stdin, &input[self.given..]) {
                Ok(len) => self.given += len,
                Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => {}
                // A program that does not read all of it is none the worse.
                Err(_) => self.given = input.len(),
            }
            if self.given == input.len() {
                self.stdin = None;
            }
        }
        self.read();
    }

    fn read(&mut self) {
        /// More than anybody would compare.
        const MOST: usize = 64 << 20;
        for (output, collected) in self.outputs.iter_mut().zip(&mut self.collected) {
            let mut room = [0; 1 << 14];
            while let Some(end) = output {
                match rustix::io::read(&*end, &mut room) {
                    Ok(0) => *output = None,
                    Ok(len) if collected.len() < MOST => collected.extend(&room[..len]),
                    Ok(_) | Err(rustix::io::Errno::INTR) => {}
                    Err(rustix::io::Errno::AGAIN) => break,
                    Err(_) => *output = None,
                }
            }
        }
    }

    /// Reads the rest, of processes that have ended.
    fn drain(&mut self) {
        self.stdin = None;
        self.read();
    }
}

/// A program that runs, and what it starts.
struct Watched {
    child: pid_t,
    is_confined: bool,
    /// Processes that were seen to stop.
    known: Vec<pid_t>,
    kernel: Kernel,
    variation: Variation,
    /// Calls that are being made, and whose answers are to be varied.
    varied: BTreeMap<pid_t, user_regs_struct>,
}

/// With this bit a process stops where a call has been made.
const MADE: c_int = 0x80;

/// Lets a process that has stopped go on, up to the next stop of a kind, with a signal.
fn resume(how: libc::c_uint, process: pid_t, signal: c_int) -> io::Result<()> {
    // SAFETY: these are numbers.
    checked(unsafe { libc::ptrace(how, process, 0, signal) } as c_int)?;
    Ok(())
}

impl Watched {
    /// Attends to all processes that have changed. How the program has ended, if it has.
    fn see_changes(&mut self) -> io::Result<Option<Ended>> {
        if !self.is_confined {
            self.end_group_of_ended();
        }
        loop {
            let mut status = 0;
            // SAFETY: the status is written.
            let process =
                unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG | libc::__WALL) };
            if process <= 0 {
                let error = io::Error::last_os_error();
                match error.raw_os_error() {
                    _ if process == 0 => return Ok(None),
                    Some(libc::EINTR) => continue,
                    _ => return Err(error),
                }
            }
            if libc::WIFSTOPPED(status) {
                // It may have been killed meanwhile.
                let _ = self.let_go_on(process, status);
            } else if process == self.child {
                return Ok(Some(match libc::WIFEXITED(status) {
                    true => Ended::Exit(libc::WEXITSTATUS(status)),
                    false => Ended::Signal(libc::WTERMSIG(status)),
                }));
            }
        }
    }

    fn let_go_on(&mut self, process: pid_t, status: c_int) -> io::Result<()> {
        let mut signal = libc::WSTOPSIG(status);
        let is_new = !self.known.contains(&process);
        if is_new {
            self.known.push(process);
        }
        match status >> 16 {
            libc::PTRACE_EVENT_SECCOMP => {
                let call = registers_of(process)?;
                if vary::is_varied(&call) {
                    self.varied.insert(process, call);
                    // Until it has been made.
                    return resume(libc::PTRACE_SYSCALL, process, 0);
                }
                self.kernel.answer(process)?;
                signal = 0;
            }
            libc::PTRACE_EVENT_EXEC => {
                hide_shared_time(process)?;
                signal = 0;
            }
            0 if is_new && process == self.child && signal == libc::SIGTRAP => {
                let options = libc::PTRACE_O_TRACESYSGOOD
                    | libc::PTRACE_O_TRACESECCOMP
                    | libc::PTRACE_O_TRACEEXEC
                    | libc::PTRACE_O_TRACEFORK
                    | libc::PTRACE_O_TRACEVFORK
                    | libc::PTRACE_O_TRACECLONE
                    | libc::PTRACE_O_EXITKILL;
                // SAFETY: these are numbers.
                checked(
                    unsafe { libc::ptrace(libc::PTRACE_SETOPTIONS, process, 0, options) } as c_int,
                )?;
                hide_shared_time(process)?;
                signal = 0;
            }
            0 if signal == libc::SIGTRAP | MADE => {
                if let Some(call) = self.varied.remove(&process) {
                    vary::vary(process, &call, self.variation)?;
                }
                signal = 0;
            }
            // A process that the program has started stops at its beginning.
            0 if is_new && signal == libc::SIGSTOP => signal = 0,
            0 => {}
            _ => signal = 0,
        }
        resume(libc::PTRACE_CONT, process, signal)
    }

    /// Kills what a program has left that has ended. As long as it has not been waited for, its number, and its group's,
    /// is still its own.
    fn end_group_of_ended(&self) {
        let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        // SAFETY: what is said of the child is written into zeros, which stay if there is nothing to say.
        unsafe {
            let mut said: libc::siginfo_t = std::mem::zeroed();
            libc::waitid(libc::P_PID, self.child as u32, &raw mut said, flags);
            if said.si_signo == libc::SIGCHLD {
                libc::kill(-self.child, libc::SIGKILL);
            }
        }
    }

    /// Kills what is left, and waits until it is gone.
    fn end_all(&self, is_over: bool) {
        // SAFETY: these are numbers; where there are no processes but ours, to kill all is to kill ours.
        unsafe {
            match self.is_confined {
                true => libc::kill(-1, libc::SIGKILL),
                false if is_over => 0,
                false => libc::kill(-self.child, libc::SIGKILL),
            };
            while libc::waitpid(-1, null_mut(), libc::__WALL) > 0 {}
        }
    }
}
