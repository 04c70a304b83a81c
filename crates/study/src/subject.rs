//! What is explored, or answered: programs and scripts that come with the command, generated ones, and files.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Result, at};

#[derive(Clone, Debug)]
pub struct Subject {
    /// What tables call it.
    pub name: String,
    source: Source,
    /// What the compiler is told, as switches of `refrain run`.
    pub flags: String,
    /// An input to begin with.
    seed: Option<Seed>,
}

#[derive(Clone, Debug)]
enum Source {
    Text {
        file: String,
        text: Cow<'static, str>,
    },
    File(PathBuf),
}

/// A file that holds an input.
#[derive(Clone, Copy, Debug)]
pub struct Seed {
    pub file: &'static str,
    pub bytes: &'static [u8],
}

impl Subject {
    /// A program in C.
    pub fn program(name: &str, text: impl Into<Cow<'static, str>>) -> Subject {
        Subject::text(name, &format!("{name}.c"), text)
    }

    pub fn text(name: &str, file: &str, text: impl Into<Cow<'static, str>>) -> Subject {
        Subject {
            name: name.to_owned(),
            source: Source::Text {
                file: file.to_owned(),
                text: text.into(),
            },
            flags: String::new(),
            seed: None,
        }
    }

    /// A program that is there.
    pub fn file(path: &Path) -> Subject {
        let name = path.file_stem().unwrap_or(path.as_os_str());
        Subject {
            name: name.to_string_lossy().into_owned(),
            source: Source::File(path.to_path_buf()),
            flags: String::new(),
            seed: None,
        }
    }

    /// The same with macros defined, under another name.
    pub fn with(&self, name: impl Into<String>, definitions: &[String]) -> Subject {
        let flags = definitions
            .iter()
            .map(|definition| format!("--cflags=-D{definition}"));
        Subject {
            name: name.into(),
            flags: { flags }.collect::<Vec<_>>().join(" "),
            ..self.clone()
        }
    }

    /// Another version, in which some text is another.
    pub fn edited(&self, from: &str, to: &str) -> Subject {
        let mut subject = self.clone();
        if let Source::Text { text, .. } = &mut subject.source {
            *text = text.replace(from, to).into();
        }
        subject
    }

    /// How often some text is in it.
    #[cfg(test)]
    pub fn count(&self, part: &str) -> usize {
        match &self.source {
            Source::Text { text, .. } => text.matches(part).count(),
            Source::File(_) => 0,
        }
    }

    pub fn renamed(self, name: impl Into<String>) -> Subject {
        Subject {
            name: name.into(),
            ..self
        }
    }

    pub fn starting_from(self, seed: Seed) -> Subject {
        Subject {
            seed: Some(seed),
            ..self
        }
    }

    /// Where it is, once it is in this folder if it is nowhere.
    pub fn place(&self, folder: &Path) -> Result<PathBuf> {
        match &self.source {
            Source::File(path) => {
                fs::metadata(path).map_err(at(path))?;
                Ok(path.clone())
            }
            Source::Text { file, text } => write(folder, file, text.as_bytes()),
        }
    }

    /// Where the input is that it begins with, once it is in this folder.
    pub fn place_seed(&self, folder: &Path) -> Result<Option<PathBuf>> {
        let place = |seed: Seed| write(folder, seed.file, seed.bytes);
        self.seed.map(place).transpose()
    }
}

fn write(folder: &Path, file: &str, bytes: &[u8]) -> Result<PathBuf> {
    let path = folder.join(file);
    fs::write(&path, bytes).map_err(at(&path))?;
    Ok(path)
}
