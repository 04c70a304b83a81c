//! Where answers and diagnostics go.
//!
//! Writing never fails in the middle of a command: the first error of the regular channel is kept, what follows is
//! dropped, and the session ends with that error when the command is done.

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};

use crate::bytes::Raw;

/// The regular and the diagnostic channel of a session.
pub struct Output {
    regular: Channel,
    diagnostic: Channel,
    error: Option<io::Error>,
}

struct Channel {
    /// `stdout`, `stderr`, or a path, as `get-option` answers.
    name: String,
    original: Box<dyn Write>,
    /// The file that an option redirected to.
    file: Option<Box<dyn Write>>,
}

impl Channel {
    fn writer(&mut self) -> &mut dyn Write {
        match &mut self.file {
            Some(file) => file.as_mut(),
            None => self.original.as_mut(),
        }
    }

    fn redirect(&mut self, name: &str, own_name: &str) -> io::Result<()> {
        self.writer().flush()?;
        self.file = match name {
            _ if name == own_name => None,
            "stdout" => Some(Box::new(io::stdout())),
            "stderr" => Some(Box::new(io::stderr())),
            path => Some(Box::new(BufWriter::new(
                File::options().append(true).create(true).open(path)?,
            ))),
        };
        self.name = name.to_owned();
        Ok(())
    }
}

impl Output {
    /// What `stdout` and `stderr` stand for. The regular writer should have a buffer: it is flushed where a reader
    /// may wait.
    pub fn new(regular: Box<dyn Write>, diagnostic: Box<dyn Write>) -> Output {
        let channel = |name: &str, original| Channel {
            name: name.to_owned(),
            original,
            file: None,
        };
        Output {
            regular: channel("stdout", regular),
            diagnostic: channel("stderr", diagnostic),
            error: None,
        }
    }

    fn keep(&mut self, result: io::Result<()>) {
        if let Err(error) = result
            && self.error.is_none()
        {
            self.error = Some(error);
        }
    }

    /// An answer, on lines of its own.
    pub fn answer(&mut self, text: impl fmt::Display) {
        let result = writeln!(Raw(self.regular.writer()), "{text}");
        self.keep(result);
    }

    /// A remark. That nobody can read it is no reason to end a session whose answers are read.
    pub fn diagnostic(&mut self, text: impl fmt::Display) {
        let mut writer = Raw(self.diagnostic.writer());
        let _ = writeln!(writer, "{text}").and_then(|()| writer.flush());
    }

    pub fn flush(&mut self) {
        let result = self.regular.writer().flush();
        self.keep(result);
    }

    pub fn regular_name(&self) -> &str {
        &self.regular.name
    }

    pub fn diagnostic_name(&self) -> &str {
        &self.diagnostic.name
    }

    pub fn redirect_regular(&mut self, name: &str) -> io::Result<()> {
        self.regular.redirect(name, "stdout")
    }

    pub fn redirect_diagnostic(&mut self, name: &str) -> io::Result<()> {
        self.diagnostic.redirect(name, "stderr")
    }

    /// The first error since it was last asked for.
    pub fn take_error(&mut self) -> io::Result<()> {
        self.error.take().map_or(Ok(()), Err)
    }
}
