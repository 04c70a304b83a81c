//! The versions of a program, as they are saved: a thread compiles each, and stops whoever explores the one before.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant, SystemTime};

use console::Term;
use refrain_compile::{self as compile, Built, CompileError};
use refrain_results::Run;

use super::files::{Files, Saved};
use crate::program::Sources;
use crate::{complain, run, show, signals};

/// Whoever writes several files, or one in several steps, is done when nothing has happened for so long.
const QUIET: Duration = Duration::from_millis(20);

pub struct Version {
    pub inputs: Vec<PathBuf>,
    pub built: Built,
    /// When the file was saved that makes it another version.
    pub saved: Instant,
    pub compiling: Duration,
    /// Set when there is a newer version, or no more.
    pub stop: Arc<AtomicBool>,
}

pub struct Versions {
    receiver: Receiver<Version>,
}

impl Versions {
    /// The first is the program as it is now; Ctrl-C ends them.
    pub fn start(arguments: &run::Arguments) -> Result<Versions, String> {
        let (notices, receiver) = mpsc::channel();
        let saved = notices.clone();
        let files = Files::new(move |files| drop(saved.send(Notice::Saved(files))))?;
        signals::on_interrupt(move || drop(notices.send(Notice::Interrupted)))?;
        let (sender, versions) = mpsc::channel();
        let compiler = Compiler {
            program: arguments.program_file(),
            sources: arguments.sources.clone(),
            files,
            notices: receiver,
            versions: sender,
            last: None,
            error: None,
        };
        std::thread::spawn(move || compiler.run());
        Ok(Versions { receiver: versions })
    }

    /// The next version that nothing has replaced yet; none after Ctrl-C.
    pub fn next(&self) -> Option<Version> {
        let mut versions = self.receiver.iter();
        versions.find(|version| !version.stop.load(Ordering::Relaxed))
    }
}

enum Notice {
    Saved(Saved),
    Interrupted,
}

struct Compiler {
    program: PathBuf,
    sources: Sources,
    files: Files,
    notices: Receiver<Notice>,
    versions: Sender<Version>,
    /// The digest of the last version, and what stops it.
    last: Option<(String, Arc<AtomicBool>)>,
    /// Why the program does not compile.
    error: Option<String>,
}

impl Compiler {
    fn run(mut self) {
        let mut saved = Some(Instant::now());
        while let Some(at) = saved {
            saved = match self.compile(at) {
                // A file that nobody watched was saved meanwhile.
                Ok(true) => Some(Instant::now()),
                Ok(false) => self.wait(),
                Err(error) => {
                    self.tell_error(error);
                    self.wait()
                }
            };
        }
        // Whoever is stopped finds that there is no other version.
        drop(self.versions);
        if let Some((_, stop)) = self.last {
            stop.store(true, Ordering::Relaxed);
        }
    }

    /// Compiles the program as it is now; whether it may have changed meanwhile.
    fn compile(&mut self, saved: Instant) -> Result<bool, String> {
        let (since, started) = (SystemTime::now(), Instant::now());
        let inputs = self.sources.inputs(self.program.clone());
        let mut is_missed = self.files.add([&self.program], since)?;
        is_missed |= self.files.add(&inputs, since)?;
        let options = self.sources.compile_options()?;
        let built = compile::to_bitcode(&inputs, &options).map_err(|error| match error {
            // The command is what it always was.
            CompileError::Failed { stderr, .. } if !stderr.is_empty() => stderr,
            error => error.to_string(),
        })?;
        is_missed |= self.files.add(&built.files, since)?;
        self.error = None;
        self.publish(inputs, built, saved, started.elapsed());
        Ok(is_missed)
    }

    fn publish(&mut self, inputs: Vec<PathBuf>, built: Built, saved: Instant, compiling: Duration) {
        let shared = built.shared.iter().flat_map(|library| &library.modules);
        let modules = built.modules.iter().chain(shared);
        let digest = Run::digest_of(modules.map(|module| module.bytes.as_slice()));
        if self.last.as_ref().is_some_and(|(last, _)| *last == digest) {
            let seconds = saved.elapsed().as_secs_f64();
            return say(&format!("the same code, {seconds:.2} s after the save\n"));
        }
        let stop = Arc::<AtomicBool>::default();
        let version = Version {
            inputs,
            built,
            saved,
            compiling,
            stop: stop.clone(),
        };
        // If nobody explores any more, nobody needs it.
        let _ = self.versions.send(version);
        // Whoever is stopped finds the other version.
        if let Some((_, before)) = self.last.replace((digest, stop)) {
            before.store(true, Ordering::Relaxed);
        }
    }

    /// Once: what changes beside the program may not change the error.
    fn tell_error(&mut self, error: String) {
        if self.error.as_ref() != Some(&error) {
            say("");
            complain(error.trim_end());
            self.error = Some(error);
        }
    }

    /// Waits for a save, and until it is over. When it was; none after Ctrl-C.
    fn wait(&self) -> Option<Instant> {
        let at = loop {
            match self.notices.recv().ok()? {
                Notice::Saved(saved) if self.files.are_touched(&saved, self.error.is_some()) => {
                    break saved.at;
                }
                Notice::Saved(_) => {}
                Notice::Interrupted => return None,
            }
        };
        while let Ok(notice) = self.notices.recv_timeout(QUIET) {
            if let Notice::Interrupted = notice {
                return None;
            }
        }
        Some(at)
    }
}

/// Says something on standard output, where a line that says how far it is may be on the terminal.
pub fn say(text: &str) {
    if Term::stderr().is_term() {
        show("\r\x1b[K");
    }
    let mut out = std::io::stdout();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
