//! A running program and the pipes to it.
//!
//! Threads read and write, so nothing here ever blocks longer than it was told to: a program that does not read what
//! it is sent, that never answers or that floods its error output costs its owner a time limit and no more. The
//! program has a process group to itself and dies with the [`Pipe`], together with whatever it started.

use std::io::{self, ErrorKind, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::backend::Backend;
use super::sexp::Splitter;

/// More answers than this may not wait to be read: the program then waits.
const UNREAD: usize = 256;
/// No answer is longer than this many bytes.
const LONGEST_ANSWER: usize = 1 << 30;
/// How much of the error output is kept, from its end.
const KEPT_ERRORS: usize = 2048;

/// How long a program whose output has ended may take to end itself, and its error output.
const LAST_WORDS: Duration = Duration::from_millis(500);

pub(super) struct Pipe {
    child: Child,
    to: Sender<String>,
    from: Receiver<String>,
    errors: Arc<Mutex<Vec<u8>>>,
    /// Reads the error output to its end.
    error_reader: JoinHandle<()>,
}

/// What came from the program within the time given.
pub(super) enum Heard {
    Answer(String),
    Nothing,
    /// The program has ended; how, and its last words.
    Ended(String),
}

impl Pipe {
    pub fn start(backend: &Backend) -> io::Result<Pipe> {
        let mut command = Command::new(&backend.program);
        command
            .args(&backend.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;

        let missing = || io::Error::from(ErrorKind::BrokenPipe);
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = child.stdout.take().ok_or_else(missing)?;
        let error_output = child.stderr.take().ok_or_else(missing)?;
        let (to, to_write) = mpsc::channel();
        let (was_read, from) = mpsc::sync_channel(UNREAD);
        let errors = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&errors);
        thread::spawn(move || write_all(input, &to_write));
        thread::spawn(move || read_answers(output, &was_read));
        let error_reader = thread::spawn(move || keep_errors(error_output, &kept));
        Ok(Pipe {
            child,
            to,
            from,
            errors,
            error_reader,
        })
    }

    pub fn send(&self, text: String) {
        // If the program has ended, reading finds out.
        let _ = self.to.send(text);
    }

    /// Waits for the next answer, if `until` is given no longer than that.
    pub fn hear(&mut self, until: Option<Instant>) -> Heard {
        let heard = match until {
            Some(until) => {
                let wait = until.saturating_duration_since(Instant::now());
                self.from.recv_timeout(wait)
            }
            None => self.from.recv().map_err(RecvTimeoutError::from),
        };
        match heard {
            Ok(answer) => Heard::Answer(answer),
            Err(RecvTimeoutError::Timeout) => Heard::Nothing,
            Err(RecvTimeoutError::Disconnected) => Heard::Ended(self.last_words()),
        }
    }

    /// How the program ended, after its output did.
    fn last_words(&mut self) -> String {
        let until = Instant::now() + LAST_WORDS;
        let how = match self.ended_by(until) {
            Some(how) => how,
            None => "closed its output".to_owned(),
        };
        // What it said in its last moment may still be on the way.
        while !self.error_reader.is_finished() && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
        let errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        let errors = String::from_utf8_lossy(&errors);
        match errors.trim() {
            "" => how,
            said => format!("{how}: {said}"),
        }
    }

    fn ended_by(&mut self, until: Instant) -> Option<String> {
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(format!("ended ({status})")),
                Ok(None) if Instant::now() < until => thread::sleep(Duration::from_millis(1)),
                _ => return None,
            }
        }
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            #[cfg(unix)]
            let _ = rustix::process::kill_process_group(
                rustix::process::Pid::from_child(&self.child),
                rustix::process::Signal::KILL,
            );
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

fn write_all(mut input: ChildStdin, texts: &Receiver<String>) {
    for text in texts {
        if input
            .write_all(text.as_bytes())
            .and_then(|()| input.flush())
            .is_err()
        {
            return;
        }
    }
}

fn read_answers(mut output: impl Read, answers: &SyncSender<String>) {
    let mut splitter = Splitter::default();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let length = match output.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        for &byte in &buffer[..length] {
            if let Some(answer) = splitter.push(byte)
                && answers.send(answer).is_err()
            {
                return;
            }
        }
        if splitter.pending() > LONGEST_ANSWER {
            break;
        }
    }
    if let Some(unfinished) = splitter.take() {
        let _ = answers.send(unfinished);
    }
}

fn keep_errors(mut output: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 4096];
    loop {
        match output.read(&mut buffer) {
            Ok(0) => return,
            Ok(length) => {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend_from_slice(&buffer[..length]);
                let surplus = kept.len().saturating_sub(KEPT_ERRORS);
                kept.drain(..surplus);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}
